//! Questions about the abstraction of a class over arbitrary predicates ("Synthesis of Interface Specifications for
//! Java Classes", POPL 2005): which calls can raise the exception that must never be raised, and where all others
//! lead. No question here contains more than one call; questions about runs are in `interface_runs`, those by which an
//! interface is checked in `interface_certificate`.

use std::collections::BTreeSet;

use askama::Template;

use crate::engine::Entry;
use crate::lang::expr_text;
use crate::lang::formula;
use crate::lang::ir::{ExceptionId, Expr, RoutineRef};

use super::question::name::{capped, question_name};
use super::question::{Builder, Frame, Question, Step, unique};
use super::routine::exception_name;
use super::term::Term;
use super::{Encoding, Exit};

/// What must never happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forbidden {
    /// A call that ends in one of these.
    pub exceptions: BTreeSet<ExceptionId>,
    /// A call whose `requires` clauses do not hold. Without this, calls are only made where they do.
    pub requires: bool,
}

/// Who chooses the arguments of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Params {
    /// An adversary: a call is safe only if it is safe for all arguments.
    #[default]
    Forall,
    /// The caller, among those that meet the `requires` clauses: they are violated only where no argument meets
    /// them, as in an EPA.
    Exists,
}

/// What a caller sees of how a call ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Observation {
    /// That it ends: nothing else is looked at.
    Ended,
    /// That it ends normally, and the values of the results by which the class splits its outcomes.
    Normal(Exit),
    /// That it ends in an exception other than those that must not happen.
    Failed,
}

/// Which predicates hold of an object: the truth value of each, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube(pub Vec<bool>);

impl Cube {
    /// The cube as a word in a name: `10`, a digit a predicate.
    pub fn word(&self) -> String {
        if self.0.is_empty() {
            return "any".into();
        }
        self.0.iter().map(|b| if *b { '1' } else { '0' }).collect()
    }
}

/// A class, what must never happen to it, and what is looked at.
pub struct InterfaceEncoding<'a> {
    pub(super) encoding: &'a Encoding<'a>,
    /// The predicates.
    pub predicates: Vec<Expr>,
    /// What must never happen.
    pub forbidden: Forbidden,
    /// Who chooses the arguments.
    pub params: Params,
    /// What the caller sees of each action.
    pub observations: Vec<Vec<Observation>>,
}

/// A question as text, and how to read the values on its trace.
#[derive(Clone, Debug)]
pub struct EncodedStep {
    /// The entry procedure.
    pub entry: Entry,
    /// Whether every value of the configuration and of the parameters is recorded, so that a trace can be
    /// replayed.
    pub replayable: bool,
}

/// Where a call may end: what is seen (by its position among the action's observations), and the cube.
pub type End = (usize, Cube);

/// `templates/interface/raises.bpl`
#[derive(Template)]
#[template(path = "interface/raises.bpl")]
struct RaisesText<'q> {
    q: &'q Frame,
    violated: Vec<String>,
    allowed: Vec<String>,
    raised: String,
}

/// `templates/interface/successor.bpl`
#[derive(Template)]
#[template(path = "interface/successor.bpl")]
struct SuccessorText<'q> {
    q: &'q Frame,
    observed: Option<String>,
    predicates: Vec<(String, String)>,
    known: Vec<String>,
    wanted: Option<String>,
}

/// The variable that says what is seen.
pub(super) const OBSERVED: &str = "observed";

impl<'a> InterfaceEncoding<'a> {
    /// For one class. Where `blind`, the caller sees nothing of how a call ends.
    pub fn new(
        encoding: &'a Encoding<'a>,
        predicates: Vec<Expr>,
        forbidden: Forbidden,
        params: Params,
        blind: bool,
    ) -> Self {
        let observations = (0..encoding.actions.len())
            .map(|action| {
                if blind {
                    return vec![Observation::Ended];
                }
                let exits = encoding.normal_exits(action).into_iter();
                let mut seen: Vec<Observation> = exits.map(Observation::Normal).collect();
                let thrown = encoding.exceptions_of(encoding.actions[action].routine);
                if thrown.iter().any(|e| !forbidden.exceptions.contains(e)) {
                    seen.push(Observation::Failed);
                }
                seen
            })
            .collect();
        InterfaceEncoding {
            encoding,
            predicates,
            forbidden,
            params,
            observations,
        }
    }

    /// The class.
    pub fn encoding(&self) -> &'a Encoding<'a> {
        self.encoding
    }

    /// A predicate as it would be written in the class.
    pub fn predicate_text(&self, predicate: &Expr) -> String {
        expr_text(self.encoding.source(), self.encoding.class(), predicate)
    }

    /// A predicate as a formula that is defined everywhere: where the predicate is not, it does not hold.
    pub fn formula(&self, predicate: &Expr) -> Expr {
        formula::clause_under_invariant(self.encoding.source(), predicate)
    }

    /// The cube as a formula.
    pub fn cube_formula(&self, cube: &Cube) -> Expr {
        let literals = self.predicates.iter().zip(&cube.0).map(|(p, holds)| {
            let formula = self.formula(p);
            if *holds {
                formula
            } else {
                formula::not(formula)
            }
        });
        formula::all(literals)
    }

    /// The cube for a person: its literals.
    pub fn cube_text(&self, cube: &Cube) -> String {
        let literals: Vec<String> = self
            .predicates
            .iter()
            .zip(&cube.0)
            .map(|(p, holds)| {
                let literal = if *holds {
                    p.clone()
                } else {
                    formula::not(p.clone())
                };
                self.predicate_text(&literal)
            })
            .collect();
        if literals.is_empty() {
            "any object".into()
        } else {
            literals.join(", ")
        }
    }

    /// Can the action, called in the cube, do what must not happen?
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn raises(&self, source: &Cube, action: usize) -> Result<EncodedStep, askama::Error> {
        let mut call = self.call(Some(source), action);
        let action_name = &self.encoding.actions[action].name;
        call.frame.name = format!("raises.from_cube_{}.by_{action_name}", source.word());
        call.frame.question = format!(
            "can `{action_name}`, called where {}, {}?",
            self.cube_text(source),
            self.forbidden_words()
        );
        let text = RaisesText {
            raised: self.raised(call.routine).to_string(),
            q: &call.frame,
            violated: call.violated,
            allowed: call.allowed,
        }
        .render()?;
        Ok(encoded(&call.frame, text, call.builder.replayable))
    }

    /// Can the call end anywhere else than at the ends known? An action is called in a cube, and does not do what
    /// must not happen; a constructor (`source` is none) ends normally. The last values on the trace are what is
    /// seen, for an action, and the truth values of the predicates.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn any_other_end(
        &self,
        source: Option<&Cube>,
        routine: usize,
        known: &BTreeSet<End>,
    ) -> Result<EncodedStep, askama::Error> {
        self.successor(source, routine, known, None)
    }

    /// Can the call end just there?
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn end(
        &self,
        source: Option<&Cube>,
        routine: usize,
        end: &End,
    ) -> Result<EncodedStep, askama::Error> {
        self.successor(source, routine, &BTreeSet::new(), Some(end))
    }

    fn successor(
        &self,
        source: Option<&Cube>,
        routine: usize,
        known: &BTreeSet<End>,
        wanted: Option<&End>,
    ) -> Result<EncodedStep, askama::Error> {
        let mut call = match source {
            Some(cube) => self.call(Some(cube), routine),
            None => self.start(routine),
        };
        let observed = source.map(|_| self.observed(&mut call.builder, routine));
        self.end_well(&mut call, routine, source.is_some());
        let predicates = self.predicate_flags(&mut call);
        let is = |(seen, cube): &End| {
            let mut all = Vec::new();
            if source.is_some() {
                all.push(Term::binary(
                    "==",
                    Term::atom(OBSERVED),
                    Term::atom(seen.to_string()),
                ));
            }
            all.extend(predicates.iter().zip(&cube.0).map(|((name, _), holds)| {
                let flag = Term::atom(name);
                if *holds { flag } else { Term::not(flag) }
            }));
            Term::all(all)
        };
        let known_terms = known.iter().map(|end| Term::not(is(end)).to_string());
        let (known_terms, wanted_term) =
            (known_terms.collect(), wanted.map(|end| is(end).to_string()));
        call.frame.name = format!(
            "successor{}{}",
            self.called_word(source, routine),
            ends_word(known, wanted)
        );
        let called = self.called(source, routine);
        call.frame.question = match wanted {
            Some((_, cube)) => format!("can {called} end where {}?", self.cube_text(cube)),
            None => format!("can {called} end anywhere not known yet?"),
        };
        if observed.is_some() {
            call.frame.locals.push((OBSERVED.into(), "int".into()));
        }
        let flags = predicates
            .iter()
            .map(|(name, _)| (name.clone(), "bool".into()));
        call.frame.locals.extend(flags);
        let text = SuccessorText {
            q: &call.frame,
            observed,
            predicates,
            known: known_terms,
            wanted: wanted_term,
        }
        .render()?;
        Ok(encoded(&call.frame, text, call.builder.replayable))
    }

    /// What must not happen, as a verb.
    pub fn forbidden_words(&self) -> String {
        let program = self.encoding.source();
        let names: Vec<&str> = self
            .forbidden
            .exceptions
            .iter()
            .map(|e| program.exception(*e))
            .collect();
        let raise = (!names.is_empty()).then(|| format!("raise {}", names.join(" or ")));
        let violate = self
            .forbidden
            .requires
            .then(|| "violate its requires clauses".to_string());
        let words: Vec<String> = violate.into_iter().chain(raise).collect();
        words.join(" or ")
    }

    pub(super) fn called(&self, source: Option<&Cube>, routine: usize) -> String {
        match source {
            Some(cube) => format!(
                "`{}`, called where {},",
                self.encoding.actions[routine].name,
                self.cube_text(cube)
            ),
            None => format!("`{}`", self.encoding.constructors[routine].display),
        }
    }

    pub(super) fn called_word(&self, source: Option<&Cube>, routine: usize) -> String {
        match source {
            Some(cube) => format!(
                ".from_cube_{}.by_{}",
                cube.word(),
                self.encoding.actions[routine].name
            ),
            None => format!(".by_constructor_{}", routine + 1),
        }
    }

    /// That the routine has ended in one of the exceptions that must not happen.
    pub(super) fn raised(&self, routine: Option<RoutineRef>) -> Term {
        let Some(routine) = routine else {
            return Term::atom("false");
        };
        let thrown = self.encoding.exceptions_of(routine);
        let program = self.encoding.source();
        self.forbidden
            .exceptions
            .iter()
            .filter(|e| thrown.contains(e))
            .map(|e| {
                let name = Term::atom(exception_name(program, *e));
                Term::binary("==", Term::atom("thrown"), name)
            })
            .reduce(|a, b| Term::binary("||", a, b))
            .unwrap_or_else(|| Term::atom("false"))
    }

    /// What is seen of the call, as the position among the action's observations.
    pub(super) fn observed(&self, builder: &mut Builder<'_, '_>, action: usize) -> String {
        let routine = self.encoding.actions[action].routine;
        let throws = !self.encoding.exceptions_of(routine).is_empty();
        let seen = &self.observations[action];
        let last = Term::atom(seen.len().saturating_sub(1).to_string());
        let cases = seen.iter().enumerate().rev().skip(1);
        let term = cases.fold(last, |rest, (index, observation)| {
            let conditions = match observation {
                Observation::Normal(exit) => builder.exit(routine, exit, throws),
                Observation::Ended | Observation::Failed => vec![],
            };
            let all = Term::all(conditions.into_iter().map(Term::atom));
            Term::If(
                Box::new(all),
                Box::new(Term::atom(index.to_string())),
                Box::new(rest),
            )
        });
        term.to_string()
    }

    /// The predicates as statements that set a flag each.
    fn predicate_flags(&self, call: &mut Call<'_, 'a>) -> Vec<(String, String)> {
        let flags: Vec<(String, String)> = self
            .predicates
            .iter()
            .enumerate()
            .map(|(index, p)| {
                let formula = self.formula(p);
                (
                    format!("holds.{}", index + 1),
                    call.builder.encode(&formula),
                )
            })
            .collect();
        call.frame.reads_after.append(&mut call.builder.reads);
        call.frame.reads_after = unique(std::mem::take(&mut call.frame.reads_after));
        flags
    }

    /// A call of an action in a cube, or in any, up to where it ends; how is not said yet.
    pub(super) fn call(&self, source: Option<&Cube>, action: usize) -> Call<'a, 'a> {
        let encoding = self.encoding;
        let routine = encoding.actions[action].routine;
        let mut builder = Builder::new(encoding);
        builder.name_variables(routine);
        let mut frame = Frame {
            configuration: builder.configuration(false),
            ..Frame::default()
        };
        frame.invariant = builder.invariant().iter().map(Term::to_string).collect();
        let invariant_reads = unique(std::mem::take(&mut builder.reads));
        frame.reads_before.clone_from(&invariant_reads);
        frame.invariant_after.clone_from(&frame.invariant);
        if let Some(cube) = source {
            for literal in formula::conjuncts_of(self.cube_formula(cube)) {
                let literal = builder.encode(&literal);
                frame.hypothesis.push(literal);
            }
            frame.reads_before.append(&mut builder.reads);
        }
        frame.before = builder.record_configuration(&mut |b| &mut b.recorded_before);
        let (violated, allowed) = self.begin(&mut builder, routine, Some(action), &mut frame);
        frame.reads_after = invariant_reads;
        frame.after = builder.record_configuration(&mut |b| &mut b.recorded_after);
        frame.reads_before = unique(std::mem::take(&mut frame.reads_before));
        frame.locals = std::mem::take(&mut builder.locals);
        Call {
            builder,
            frame,
            routine: Some(routine),
            violated,
            allowed,
        }
    }

    /// The arguments and the call. What violates the requires clauses is returned, where that must not happen, and
    /// what meets them.
    pub(super) fn begin(
        &self,
        builder: &mut Builder<'_, '_>,
        routine: RoutineRef,
        action: Option<usize>,
        frame: &mut Frame,
    ) -> (Vec<String>, Vec<String>) {
        let actuals = builder.arguments(routine, frame);
        let allowed = builder.requires(routine);
        let violated = match (action, self.forbidden.requires && !allowed.is_empty()) {
            (Some(action), true) => match self.params {
                Params::Forall => vec![format!("!({})", conjunction(&allowed))],
                Params::Exists => {
                    let disabled = self.encoding.actions[action].guard.disabled.clone();
                    vec![builder.encode(&disabled)]
                }
            },
            _ => vec![],
        };
        builder.called(routine, actuals, &Exit::Any, frame);
        (violated, allowed)
    }

    /// A constructor's call, up to where it ends.
    pub(super) fn start(&self, constructor: usize) -> Call<'a, 'a> {
        let encoding = self.encoding;
        let step = Step::Construct {
            constructor,
            exit: Exit::Normal,
        };
        let mut builder = Builder::new(encoding);
        let routine = encoding.constructors[constructor].routine;
        if let Some(routine) = routine {
            builder.name_variables(routine);
        }
        let question = Question::Transition(step, Default::default());
        let mut frame = builder.frame(&question);
        frame.name = question_name(encoding, &question);
        frame.reads_after = unique(std::mem::take(&mut builder.reads));
        Call {
            builder,
            frame,
            routine,
            violated: vec![],
            allowed: vec![],
        }
    }

    /// The call meets its requires clauses, and does not end as it must not.
    pub(super) fn end_well(&self, call: &mut Call<'_, 'a>, routine: usize, is_action: bool) {
        let allowed = std::mem::take(&mut call.allowed);
        call.frame.requires.extend(allowed);
        if is_action {
            let declared = self.encoding.actions[routine].routine;
            let raised = self.raised(Some(declared));
            if raised != Term::atom("false") {
                call.frame.exit.push(Term::not(raised).to_string());
            }
        }
        self.end_anyhow(call);
    }

    pub(super) fn end_anyhow(&self, call: &mut Call<'_, 'a>) {
        call.frame.reads_after.append(&mut call.builder.reads);
        call.frame.reads_after = unique(std::mem::take(&mut call.frame.reads_after));
    }
}

/// One call being put together.
pub(super) struct Call<'e, 'a> {
    pub(super) builder: Builder<'e, 'a>,
    pub(super) frame: Frame,
    pub(super) routine: Option<RoutineRef>,
    /// What violates the requires clauses, where that must not happen.
    pub(super) violated: Vec<String>,
    /// What meets them.
    pub(super) allowed: Vec<String>,
}

pub(super) fn encoded(frame: &Frame, text: String, replayable: bool) -> EncodedStep {
    EncodedStep {
        entry: Entry {
            name: frame.name.clone(),
            text,
        },
        replayable,
    }
}

/// That all of these hold, whatever operators are in them.
pub(super) fn conjunction(clauses: &[String]) -> String {
    match clauses {
        [one] => one.clone(),
        _ => {
            let each: Vec<String> = clauses.iter().map(|c| format!("({c})")).collect();
            each.join(" && ")
        }
    }
}

fn ends_word(known: &BTreeSet<End>, wanted: Option<&End>) -> String {
    let word = |(seen, cube): &End| format!("{seen}_{}", cube.word());
    match wanted {
        Some(end) => format!(".to_{}", word(end)),
        None => {
            let words: Vec<String> = known.iter().map(word).collect();
            format!(".outside_{}", capped(&words, "end"))
        }
    }
}
