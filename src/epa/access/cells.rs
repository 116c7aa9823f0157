//! Who can make one call in one state.

use super::roles::{Caller, Role};
use super::{AccessAsker, CallAccess, Possible, RoleAccess};
use crate::ask::Answer;
use crate::ir::{CompareOp, Expr, formula};
use crate::query::{AbstractState, ActionId, Exit, Query, Step, kinds};

/// The name of the kind of question, for the counts.
const KIND: &str = "who-can-call";

impl AccessAsker<'_> {
    /// Who can make a call that a state enables.
    pub(super) fn cell(&self, state: &AbstractState, action: ActionId) -> CallAccess {
        let name = self.desk.subject()[action].shown.clone();
        let Some(caller) = self.callers.of_action(action) else {
            return CallAccess {
                action: name,
                others: Possible::Yes,
                roles: vec![],
                together: vec![],
            };
        };
        let cell = Cell {
            asker: self,
            step: Step::call(state.clone(), action, Exit::Any),
            caller,
        };
        let known: Vec<usize> = caller.roles.iter().copied().collect();
        let others = match known.as_slice() {
            // The state enables it, and all are alike.
            [] => Possible::Yes,
            _ => cell.ask("by_others".into(), cell.has_none(&known)),
        };
        let roles = known.iter().map(|at| RoleAccess {
            role: self.role(*at).name.clone(),
            can: cell.alone(*at, &known),
        });
        let roles: Vec<RoleAccess> = roles.collect();
        let nobody = others == Possible::No && roles.iter().all(|role| role.can == Possible::No);
        let together = known
            .iter()
            .filter(|at| nobody && !known.is_empty() && cell.among_others(**at) != Possible::No)
            .map(|at| self.role(*at).name.clone());
        CallAccess {
            action: name,
            others,
            together: together.collect(),
            roles,
        }
    }

    pub(super) fn role(&self, at: usize) -> &Role {
        &self.callers.roles[at]
    }

    /// Whether there is what a question asks for.
    pub(super) fn possible(&self, query: &Query) -> Possible {
        match self.desk.ask(query) {
            Answer::Yes(_) => Possible::Yes,
            Answer::No => Possible::No,
            Answer::Guess(_) | Answer::Unknown(_) => Possible::Maybe,
        }
    }
}

/// A call in a state.
struct Cell<'a> {
    asker: &'a AccessAsker<'a>,
    step: Step,
    caller: &'a Caller,
}

impl Cell<'_> {
    /// Whether somebody can make the call who has just this role.
    fn alone(&self, role: usize, known: &[usize]) -> Possible {
        let others: Vec<usize> = known.iter().copied().filter(|at| *at != role).collect();
        let mut given = self.has_none(&others);
        given.push(self.is(role));
        self.ask(format!("by_role_{role}"), given)
    }

    /// Whether somebody can make the call who has this role, whatever others he has.
    fn among_others(&self, role: usize) -> Possible {
        self.ask(format!("by_role_{role}_and_others"), vec![self.is(role)])
    }

    fn ask(&self, label: String, given: Vec<Expr>) -> Possible {
        let subject = self.asker.desk.subject();
        let mut query = kinds::such_call(subject, KIND, &label, &self.step);
        query.start.given = given;
        self.asker.possible(&query)
    }

    fn has_none(&self, roles: &[usize]) -> Vec<Expr> {
        let others = roles.iter().map(|at| formula::not(self.is(*at)));
        others.collect()
    }

    /// The sender has this role.
    fn is(&self, role: usize) -> Expr {
        let sender = formula::var(&self.asker.desk.subject().program, self.caller.sender);
        let value = self.asker.role(role).value.clone();
        formula::compare(CompareOp::Eq, sender, value)
    }
}
