//! What the calls of a contract ask of their sender.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::CallerRequirement;
use crate::ir::{
    CompareOp, Expr, ExprKind, MessagePart, Messages, Program, Type, VarId, expr_text, formula,
};
use crate::query::{ActionId, Subject};

/// Somebody with whom a sender is compared.
pub(super) struct Role {
    /// As it is written: `owner`.
    pub name: String,
    /// Who it is.
    pub value: Expr,
    /// Whether it can become somebody else: it is a field of the contract that is no constant.
    pub changes: bool,
}

/// Who calls an action.
pub(super) struct Caller {
    /// The parameter that says who it is.
    pub sender: VarId,
    /// The roles, by position, that the action speaks of.
    pub roles: BTreeSet<usize>,
    /// What else it requires of the sender, as it is written.
    pub conditions: Vec<String>,
}

/// The roles of a contract, and who calls each of its actions.
pub(super) struct Callers {
    pub roles: Vec<Role>,
    /// By action; none where it does not ask who calls it.
    of_actions: Vec<Option<Caller>>,
    /// The actions that nobody calls: time goes on.
    by_itself: BTreeSet<ActionId>,
}

impl Callers {
    pub(super) fn of(subject: &Subject, messages: &Messages) -> Callers {
        let mut found = Callers {
            roles: Vec::new(),
            of_actions: Vec::new(),
            by_itself: BTreeSet::new(),
        };
        for action in subject.action_ids() {
            let caller = sender(subject, messages, action)
                .map(|sender| found.caller(subject, action, sender));
            found.of_actions.push(caller);
            let routine = subject.program.routine(subject[action].routine);
            if messages.form(routine).is_none() {
                found.by_itself.insert(action);
            }
        }
        found
    }

    /// Who calls the action; none where it does not ask.
    pub(super) fn of_action(&self, action: ActionId) -> Option<&Caller> {
        self.of_actions.get(action.0)?.as_ref()
    }

    /// Whether somebody calls the action.
    pub(super) fn is_called(&self, action: ActionId) -> bool {
        !self.by_itself.contains(&action)
    }

    /// What each action that somebody calls asks of him.
    pub(super) fn requirements(&self, subject: &Subject) -> Vec<CallerRequirement> {
        let called = subject.action_ids().filter(|id| self.is_called(*id));
        let callers = called.map(|id| (&subject[id].shown, self.of_action(id)));
        let requirements = callers.map(|(name, caller)| CallerRequirement {
            name: name.clone(),
            roles: caller.map_or_else(Vec::new, |caller| {
                let names = caller.roles.iter().filter_map(|at| self.roles.get(*at));
                names.map(|role| role.name.clone()).collect()
            }),
            conditions: caller.map_or_else(Vec::new, |caller| caller.conditions.clone()),
        });
        requirements.collect()
    }

    /// What an action requires of this sender.
    fn caller(&mut self, subject: &Subject, action: ActionId, sender: VarId) -> Caller {
        let program = &subject.program;
        let mut caller = Caller {
            sender,
            roles: BTreeSet::new(),
            conditions: Vec::new(),
        };
        for written in &program.routine(subject[action].routine).requires {
            let clause = formula::inline_functions(program, written);
            let (mut mentions, mut compared) = (0, 0);
            formula::contains(&clause, &mut |e| {
                mentions += usize::from(is_var(e, sender));
                if let Some(other) = compared_with(e, sender) {
                    compared += 1;
                    if !is_zero(other) {
                        caller.roles.insert(self.position(subject, other));
                    }
                }
                false
            });
            if mentions > compared && !speaks_of_ranges(&clause) {
                caller
                    .conditions
                    .push(expr_text(program, subject.class, written));
            }
        }
        caller
    }

    /// The position of a role, which is added if it is not known.
    fn position(&mut self, subject: &Subject, value: &Expr) -> usize {
        let known = self
            .roles
            .iter()
            .position(|role| formula::same(&role.value, value));
        known.unwrap_or_else(|| {
            self.roles.push(Role {
                name: role_name(subject, value),
                value: value.clone(),
                changes: is_variable(&subject.program, value),
            });
            self.roles.len() - 1
        })
    }
}

/// A role as it is written; an address as such.
fn role_name(subject: &Subject, value: &Expr) -> String {
    match &*value.kind {
        ExprKind::Int(address) => format!("0x{address:x}"),
        _ => expr_text(&subject.program, subject.class, value),
    }
}

/// The parameter of an action that says who sends the message, where it asks.
fn sender(subject: &Subject, messages: &Messages, action: ActionId) -> Option<VarId> {
    let routine = subject.program.routine(subject[action].routine);
    let form = messages.form(routine)?;
    let is_sender = |part: &MessagePart| *part == MessagePart::Sender;
    let at = form.parts.iter().position(is_sender)?;
    routine.params.get(at).copied()
}

fn is_var(e: &Expr, var: VarId) -> bool {
    matches!(&*e.kind, ExprKind::Var(id) if *id == var)
}

/// What the sender is compared with, where that is the same for all arguments.
fn compared_with(e: &Expr, sender: VarId) -> Option<&Expr> {
    let ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) = &*e.kind else {
        return None;
    };
    let other = match (is_var(a, sender), is_var(b, sender)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    formula::vars_of(other).is_empty().then_some(other)
}

fn is_zero(e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::Int(n) if *n == BigInt::ZERO)
}

/// Numbers with more bits than this are the limits of types.
const MOST_BITS: u64 = 64;

/// Whether it is about a limit of a type: that a sum does not overflow is nothing that anybody asks of his callers.
fn speaks_of_ranges(clause: &Expr) -> bool {
    formula::contains(
        clause,
        &mut |e| matches!(&*e.kind, ExprKind::Int(n) if n.bits() > MOST_BITS),
    )
}

/// Whether it is a field of the object that may change.
fn is_variable(program: &Program, e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::Field(object, field) => {
            let declared = program.class(field.class).fields.get(field.index);
            matches!(&*object.kind, ExprKind::This)
                && declared.is_some_and(|field| !field.constant && field.ty == Type::Nat)
        }
        _ => false,
    }
}
