//! Configurations that runs lead to, and what a few calls more do from there.
//!
//! What an object does next depends on the values of its fields alone. So where a run ends in known values, another can
//! begin there: the question is as long as the calls that are added, however many came before.

use super::cover::values_are;
use super::runs::Walked;
use super::search::{ConfirmSearch, Desks};
use crate::ask::{Answer, Run};
use crate::interp::{Configuration, Value};
use crate::ir::{Expr, FieldRef, Type, formula};
use crate::query::{EdgeId, StateId, Subject, Walk, kinds};

/// A configuration that an object can be in.
pub(super) struct ReachedConfiguration {
    /// The values of the fields.
    pub values: Vec<Value>,
    /// The state of the automaton that this is in.
    pub state: StateId,
    /// How an object gets there.
    pub run: Run,
    /// That the fields have these values.
    pub is: Expr,
}

/// The configurations that runs lead to, each once, in the order in which they were found.
pub(super) struct Frontier<'a> {
    subject: &'a Subject,
    fields: Vec<Expr>,
    reached: Vec<ReachedConfiguration>,
}

/// What a call shows that some run ends with: that its edge is taken, and where it leads.
pub(super) struct Shown {
    /// The edge.
    pub edge: EdgeId,
    /// The whole run, from the making of the object on.
    pub run: Run,
    /// The values of the object's fields after it; none where no object is left.
    pub values: Option<Vec<Value>>,
}

/// A configuration cannot be written down, or an answer is not known.
pub(super) struct GivenUp;

impl<'a> Frontier<'a> {
    /// Nothing is reached so far.
    pub(super) fn new(subject: &'a Subject) -> Self {
        Frontier {
            subject,
            fields: formula::own_fields(&subject.program, subject.class),
            reached: Vec::new(),
        }
    }

    /// The configurations.
    pub(super) fn reached(&self) -> &[ReachedConfiguration] {
        &self.reached
    }

    /// The fields of the object.
    pub(super) fn fields(&self) -> &[Expr] {
        &self.fields
    }

    /// Whether a configuration with these values was reached.
    pub(super) fn knows(&self, values: &[Value]) -> bool {
        self.reached.iter().any(|reached| reached.values == values)
    }

    /// Adds a configuration, unless it is known.
    pub(super) fn add(
        &mut self,
        values: Vec<Value>,
        state: StateId,
        run: Run,
    ) -> Result<(), GivenUp> {
        if !self.knows(&values) {
            self.reached.push(ReachedConfiguration {
                is: values_are(&self.subject.program, &self.fields, &values).ok_or(GivenUp)?,
                values,
                state,
                run,
            });
        }
        Ok(())
    }

    /// An object by itself, whose fields have these values.
    pub(super) fn configuration(&self, values: &[Value]) -> Configuration {
        Configuration::with_this(self.subject.class, values.to_vec())
    }

    /// That the object is in none of these configurations.
    pub(super) fn another(&self) -> Expr {
        let reached = self.reached.iter().map(|reached| reached.is.clone());
        formula::not(formula::any(reached))
    }

    /// The values of the object's fields.
    pub(super) fn values(&self, configuration: &Configuration) -> Option<Vec<Value>> {
        let (this, class) = (configuration.this?, self.subject.class);
        let value = |index| {
            let field = configuration.field(this, FieldRef { class, index });
            field.cloned()
        };
        (0..self.fields.len()).map(value).collect()
    }

    /// Looks for a walk that begins in one of these configurations (with the making of an object, where there are none): what
    /// its calls show, one after the other. Nothing where there is none.
    pub(super) fn go_on(
        &self,
        search: &ConfirmSearch<'_>,
        desks: &Desks<'_>,
        from: &[usize],
        walk: Walk,
    ) -> Result<Vec<Shown>, GivenUp> {
        let from: Vec<&ReachedConfiguration> =
            from.iter().filter_map(|at| self.reached.get(*at)).collect();
        let start = from.iter().map(|r| (r.state, r.is.clone())).collect();
        let query = kinds::run(self.subject, Walk { start, ..walk });
        match desks.searcher.ask(&query) {
            Answer::No => Ok(vec![]),
            Answer::Yes(witness) => self.shown(
                search,
                &from,
                &search.teller().tell(search.encoding, &witness),
            ),
            Answer::Guess(_) | Answer::Unknown(_) => Err(GivenUp),
        }
    }

    fn shown(
        &self,
        search: &ConfirmSearch<'_>,
        from: &[&ReachedConfiguration],
        walked: &Walked,
    ) -> Result<Vec<Shown>, GivenUp> {
        let mut run = Run {
            calls: Vec::new(),
            ..walked.run.clone()
        };
        if !from.is_empty() {
            let start = walked.start.as_ref().and_then(|start| self.values(start));
            let before = from.iter().find(|r| Some(&r.values) == start.as_ref());
            run.calls.clone_from(&before.ok_or(GivenUp)?.run.calls);
        }
        if walked.configurations.len() != walked.edges.len() {
            return Err(GivenUp);
        }
        let calls = walked.run.calls.iter().zip(&walked.configurations);
        let shown = walked.edges.iter().zip(calls).map(|(edge, (call, end))| {
            run.calls.push(call.clone());
            let values = match search.automaton[*edge].target {
                Some(_) => Some(self.values(end).ok_or(GivenUp)?),
                None => None,
            };
            Ok(Shown {
                edge: *edge,
                run: run.clone(),
                values,
            })
        });
        shown.collect()
    }
}

/// Whether a run may go on from where another one has been: what is written of a configuration is all that matters, and it is in
/// one state only.
pub(super) fn may_go_on(subject: &Subject) -> bool {
    !subject.is_guess() && is_known_to_callers_only(subject)
}

/// Whether nothing but a caller leads to an object of the class. Then it does not matter to a run that goes on in a
/// configuration what other objects there are: else one of them may lead to the object that no run has let know it.
fn is_known_to_callers_only(subject: &Subject) -> bool {
    let program = &subject.program;
    let mut fields = program.classes.iter().flat_map(|class| &class.fields);
    let leads = |ty: &Type| ty.leads_to(subject.class);
    let contains = |ty: &Type| matches!(ty, Type::Array { .. } | Type::Map(..)) && leads(ty);
    !fields.any(|field| leads(&field.ty)) && !program.vars.iter().any(|var| contains(&var.ty))
}
