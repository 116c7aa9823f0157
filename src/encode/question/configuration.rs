//! What is true of configurations: what their types promise, the invariant, and what a state says.

use super::builder::{Assumption, Builder};
use crate::encode::expr::ExprEncoder;
use crate::encode::routine::{invariant_of, promises};
use crate::encode::term::Term;
use crate::ir::formula;
use crate::ir::{ClassId, Expr, ExprKind, FieldRef, Type};
use crate::query::ActionSet;

impl Builder<'_, '_> {
    pub(super) fn this(&self) -> Expr {
        formula::expr(
            ExprKind::This,
            Type::Class {
                class: self.encoding.class(),
                nullable: false,
            },
        )
    }

    /// What is true of every configuration: values are in the ranges of their types, and references lead to
    /// objects that exist. Where `this` is new, it is the last object, and nothing leads to it.
    pub(in crate::encode) fn configuration(&mut self, new: bool) -> Vec<String> {
        let layout = &self.encoding.layout;
        let program = layout.program;
        let mut facts = Vec::new();
        let at_least_zero =
            |global: String| Term::binary("<=", Term::atom("0"), Term::atom(global));
        for element in &layout.arrays {
            facts.push(at_least_zero(format!("{}.alloc", layout.array(element))));
        }
        for class in (0..program.classes.len()).map(ClassId) {
            if layout.in_heap(class) {
                facts.push(at_least_zero(layout.objects(class)));
            }
        }
        if !layout.flat {
            self.locals.push(("this".into(), "Ref".into()));
            let this = Term::atom("this");
            facts.push(Term::binary("<", Term::atom("0"), this.clone()));
            facts.push(Term::binary(
                if new { "==" } else { "<=" },
                this,
                Term::atom(layout.objects(layout.class)),
            ));
        }
        let own = program.class(layout.class);
        for (index, field) in own.fields.iter().enumerate() {
            let at = FieldRef {
                class: layout.class,
                index,
            };
            let value = ExprEncoder::new(layout, &self.names).field(&self.this(), at);
            facts.extend(layout.typing(&field.ty, &value));
        }
        let start = layout
            .closed()
            .into_iter()
            .map(|(global, _)| global)
            .chain(layout.counters());
        let own = layout.objects(layout.class);
        facts.extend(start.map(|global| {
            let before = Term::atom(format!("start.{global}"));
            let now = Term::atom(&global);
            if new && !layout.flat && global == own {
                Term::binary("==", now, Term::binary("+", before, Term::atom("1")))
            } else {
                Term::binary("==", now, before)
            }
        }));
        facts.iter().map(Term::to_string).collect()
    }

    /// The invariant: of the object itself, and of every object of another class that has one.
    pub(in crate::encode) fn invariant(&mut self) -> Vec<Term> {
        let this = self.this();
        let layout = &self.encoding.layout;
        let (mut terms, reads) = invariant_of(layout, &mut self.names, layout.class, &this);
        self.reads.extend(reads.iter().map(Term::to_string));
        terms.extend(self.invariant_of_others());
        terms
    }

    /// The invariants of every object of another class; of the other objects of this class and of the elements of
    /// arrays, what their types promise.
    pub(in crate::encode) fn invariant_of_others(&mut self) -> Vec<Term> {
        let layout = &self.encoding.layout;
        let arrays = layout.arrays.iter();
        let mut terms: Vec<Term> = arrays.filter_map(|e| layout.every_array(e)).collect();
        for class in (0..layout.program.classes.len())
            .map(ClassId)
            .filter(|c| layout.in_heap(*c))
        {
            let ty = Type::Class {
                class,
                nullable: false,
            };
            let name = self.names.fresh("object");
            let object = self.names.alias(&name);
            let that = formula::expr(ExprKind::Var(object), ty);
            let inner = if class == layout.class {
                promises(layout, &self.names, class, &that)
            } else {
                invariant_of(layout, &mut self.names, class, &that).0
            };
            if !inner.is_empty() {
                let o = Term::atom(&name);
                let exists = Term::binary(
                    "&&",
                    Term::binary("<", Term::atom("0"), o.clone()),
                    Term::binary("<=", o, Term::atom(layout.objects(class))),
                );
                let body = Term::binary("==>", exists, Term::all(inner));
                terms.push(Term::Quantified(
                    "forall",
                    format!("{name}: Ref"),
                    Box::new(body),
                ));
            }
        }
        terms
    }

    /// How an object of a class without a constructor starts: with the values its fields are declared with, and
    /// where `initially` holds.
    pub(in crate::encode) fn start(&self) -> Expr {
        let program = self.encoding.source();
        let own = program.class(self.encoding.class());
        let values = self.encoding.declared_values();
        let initially = own.initially.iter().map(|e| formula::clause(program, e));
        formula::all(values.into_iter().map(|(_, e)| e).chain(initially))
    }

    /// What the fields' types promise; true of the arbitrary values that a constructor starts from, too.
    pub(in crate::encode) fn promises(&self) -> Vec<String> {
        let layout = &self.encoding.layout;
        promises(layout, &self.names, layout.class, &self.this())
            .iter()
            .map(Term::to_string)
            .collect()
    }

    /// Exactly these actions are enabled.
    pub(in crate::encode) fn state(&mut self, state: &ActionSet) -> Vec<Assumption> {
        let encoding = self.encoding;
        let mut lines = Vec::new();
        for (index, action) in encoding.actions.iter().enumerate() {
            let (formula, word) = if state.contains(index) {
                (&action.guard.enabled, "enabled")
            } else {
                (&action.guard.disabled, "disabled")
            };
            lines.push(Assumption {
                term: self.encode(formula),
                remark: format!("{} is {word}", action.name),
            });
        }
        lines
    }

    /// What the class says of one state: `state { … } assumes e`.
    pub(in crate::encode) fn known_of_state(&mut self, state: &ActionSet) -> Vec<Assumption> {
        let known = self.known_of_states();
        let of_this = known.into_iter().filter(|(set, _)| set == state);
        of_this
            .map(|(_, e)| Assumption {
                term: self.encode(&e),
                remark: "known of this state".into(),
            })
            .collect()
    }

    /// What the class says of its states.
    pub(in crate::encode) fn known_of_states(&self) -> Vec<(ActionSet, Expr)> {
        let encoding = self.encoding;
        let program = encoding.source();
        let position = |index: &usize| {
            let mut actions = encoding.actions.iter();
            actions.position(|a| a.routine.index == *index)
        };
        let states = program.class(encoding.class()).states.iter();
        states
            .filter_map(|s| {
                let set: Option<ActionSet> = s.enabled.iter().map(position).collect();
                Some((set?, formula::clause_under_invariant(program, &s.assumes)))
            })
            .collect()
    }
}
