//! Classes and what they declare.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::span::Span;
use super::{Block, ExceptionId, Expr, ExprKind, FieldRef, Type, VarId};

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Its fields: `var`s, and `const`s without a value.
    pub fields: Vec<Field>,
    /// `fact` clauses, and behind them the `invariant` clauses. The facts of the fields' types (`nat`, not null) belong to
    /// the invariant too; they follow from the types and are not repeated here.
    pub invariants: Vec<Expr>,
    /// How many of them are `fact` clauses. These hold by construction: a run after which one does not is none.
    pub facts: usize,
    /// `initially` clauses; only where there is no constructor.
    pub initially: Vec<Expr>,
    /// Constructors, actions and procedures, in the order declared.
    pub routines: Vec<Routine>,
    /// Functions. They do not call themselves, directly or through others.
    pub functions: Vec<Function>,
    /// `state { … } assumes e`
    pub states: Vec<StateAssumption>,
    /// The class's name in its declaration.
    pub span: Span,
}

impl Class {
    /// A class in which nothing is declared.
    pub(crate) fn new(name: impl Into<String>, span: Span) -> Class {
        Class {
            name: name.into(),
            fields: Vec::new(),
            invariants: Vec::new(),
            facts: 0,
            initially: Vec::new(),
            routines: Vec::new(),
            functions: Vec::new(),
            states: Vec::new(),
            span,
        }
    }

    /// The clauses that are known to hold: nobody asks whether a call breaks them.
    pub fn facts(&self) -> &[Expr] {
        &self.invariants[..self.facts.min(self.invariants.len())]
    }

    /// The clauses that a call may break.
    pub fn breakable(&self) -> &[Expr] {
        &self.invariants[self.facts.min(self.invariants.len())..]
    }

    /// The indices of the routines of a kind, in the order declared.
    pub fn routines_of(&self, kind: RoutineKind) -> impl Iterator<Item = usize> + '_ {
        self.routines
            .iter()
            .enumerate()
            .filter(move |(_, r)| r.kind == kind)
            .map(|(i, _)| i)
    }
}

/// A field of a class.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its declared type.
    pub ty: Type,
    /// A `const` without a value: never assigned.
    pub constant: bool,
    /// Its value when a constructor starts (over constants only); arbitrary without one.
    pub value: Option<Expr>,
    /// Its name in its declaration.
    pub span: Span,
}

/// `state { a, b } assumes e`
#[derive(Clone, Debug)]
pub struct StateAssumption {
    /// The enabled actions (indices into [`Class::routines`]), sorted.
    pub enabled: Vec<usize>,
    /// What is known there.
    pub assumes: Expr,
}

/// What kind of routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoutineKind {
    /// `constructor`
    Constructor,
    /// `action`
    Action,
    /// `procedure`
    Procedure,
}

/// Who decides that an action is called (`controllable action`, `monitored action`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// The system under study decides.
    Controllable,
    /// Its environment decides.
    Monitored,
}

/// A constructor, action or procedure.
#[derive(Clone, Debug)]
pub struct Routine {
    /// Which of the three.
    pub kind: RoutineKind,
    /// Its name; an unnamed constructor has its class's name.
    pub name: String,
    /// What it is called where it is shown to a person, if that is something else.
    pub shown: Option<String>,
    /// Marked `pure`; the resolver has checked that it writes no field, element or object.
    pub pure: bool,
    /// Marked `controllable` or `monitored`.
    pub control: Option<Control>,
    /// Parameters. They may not be assigned.
    pub params: Vec<VarId>,
    /// Those of the parameters that are what the outside answers: no caller gives them.
    pub hidden: BTreeSet<VarId>,
    /// Results.
    pub results: Vec<VarId>,
    /// Results by whose values the action's edges are split; `bool` or enum.
    pub outcomes: Vec<VarId>,
    /// `requires` clauses, each on its own.
    pub requires: Vec<Expr>,
    /// Where the last of these were found in the body, and nobody wrote them.
    pub from_body: Option<FromBody>,
    /// When an action can be called, as the class says it: claims to be checked.
    pub split: Split,
    /// `ensures` clauses; [`ExprKind::Old`](super::ExprKind::Old) occurs only here.
    pub ensures: Vec<Expr>,
    /// What a routine without a body may change: its `modifies` clause, or without one, the fields that occur
    /// outside `old(…)` in its `ensures`. With a body: its `modifies` clause as written, which the resolver has checked.
    pub modifies: Option<Vec<FieldRef>>,
    /// `throws` clauses.
    pub throws: Vec<ExceptionId>,
    /// The body.
    pub body: Option<Block>,
    /// The routine's header.
    pub span: Span,
}

impl Routine {
    /// A routine without parameters, contract or body.
    pub(crate) fn new(kind: RoutineKind, name: impl Into<String>, span: Span) -> Routine {
        Routine {
            kind,
            name: name.into(),
            shown: None,
            pure: false,
            control: None,
            params: Vec::new(),
            hidden: BTreeSet::new(),
            results: Vec::new(),
            outcomes: Vec::new(),
            requires: Vec::new(),
            from_body: None,
            split: Split::default(),
            ensures: Vec::new(),
            modifies: None,
            throws: Vec::new(),
            body: None,
            span,
        }
    }

    /// What it is called where it is shown to a person.
    pub fn shown(&self) -> &str {
        self.shown.as_deref().unwrap_or(&self.name)
    }

    /// The one of these that is called this: as it is shown, with blanks or without, or else by its name.
    pub fn called<'r>(
        routines: impl Iterator<Item = &'r Routine> + Clone,
        name: &str,
    ) -> Option<usize> {
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let position = |is: &dyn Fn(&Routine) -> bool| routines.clone().position(is);
        position(&|routine| routine.shown() == name)
            .or_else(|| position(&|routine| plain(routine.shown()) == plain(name)))
            .or_else(|| position(&|routine| routine.name == name))
    }

    /// What calls inside bodies are checked for: the clauses that were written. Those that were found in the body are for
    /// callers from outside; inside, the body does what it always did.
    pub fn written_requires(&self) -> &[Expr] {
        let found = self.from_body.as_ref().map_or(0, |found| found.clauses);
        let written = self.requires.len().saturating_sub(found);
        &self.requires[..written]
    }

    /// The parameters that callers give.
    pub fn given(&self) -> impl Iterator<Item = VarId> + '_ {
        let params = self.params.iter().copied();
        params.filter(|param| !self.hidden.contains(param))
    }

    /// Whether a `requires` clause says what is known of the outside, so that no caller can break it.
    pub fn is_about_outside(&self, clause: &Expr) -> bool {
        let hidden = |e: &Expr| matches!(&*e.kind, ExprKind::Var(id) if self.hidden.contains(id));
        !self.hidden.is_empty() && super::formula::contains(clause, &mut |e| hidden(e))
    }
}

/// `requires` clauses that were found in a body: without them, every call is refused.
#[derive(Clone, Debug)]
pub struct FromBody {
    /// How many: the last ones.
    pub clauses: usize,
    /// Where this holds too, a call is surely not refused; where it does not, that is not known. None where the clauses say
    /// it exactly.
    pub certain: Option<Expr>,
}

/// `enabled over e`, `enabled under e with p := f`: when an action can be called, said of the fields alone.
#[derive(Clone, Debug, Default)]
pub struct Split {
    /// What holds wherever the action can be called.
    pub over: Option<Expr>,
    /// Where this holds the action can be called.
    pub under: Option<Expr>,
    /// Values of parameters, over fields, with which it can be called where `under` holds.
    pub witness: Vec<(VarId, Expr)>,
}

/// `function f(x: T): U { e }`
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<VarId>,
    /// Its result's type.
    pub result: Type,
    /// Its value; may mention `this`.
    pub body: Expr,
}
