//! Ether that nobody can get out any more: in states from which no call leads on that sends any, with a run that leaves some
//! there.
//!
//! That none gets out of a state is certain: it is asked of every configuration that the EPA has. Only what a run leaves there
//! is told. Of a contract that neither sends any nor asks what it has, what it is sent is not even counted: there, whatever takes any
//! keeps it.

use std::collections::BTreeSet;

use super::runs::WantedRun;
use super::{AccessAsker, Possible, StuckEther};
use crate::ask::Named;
use crate::ir::{CompareOp, Expr, ExprKind, Messages, Type, Var, VarId, formula};
use crate::query::{AbstractState, ActionId, Callee, EdgeId, Exit, StateId, Step, kinds};

/// The name of the kind of question, for the counts.
const KIND: &str = "stuck-ether";

/// What the contract had before a call, as a variable.
const HAD: VarId = VarId(usize::MAX / 5);

impl AccessAsker<'_> {
    /// The states in which ether is stuck.
    pub(super) fn stuck(&self, balance: &str) -> Vec<StuckEther> {
        let Some(held) = self.field(balance) else {
            return vec![];
        };
        let sends = |set: &AbstractState| set.iter().any(|action| self.sends(set, action, &held));
        let states = self.epa.states().filter(|(_, set)| sends(set));
        let sending: BTreeSet<StateId> = states.map(|(id, _)| id).collect();
        let edges: BTreeSet<EdgeId> = self.epa.edges().map(|(id, ..)| id).collect();
        let is_stuck = |id: &StateId| {
            let reached = self.reachable([*id], &edges);
            reached.is_disjoint(&sending)
        };
        let states = self.epa.states().map(|(id, _)| id);
        let stuck = states.filter(is_stuck);
        stuck
            .filter_map(|state| self.left_in(state, balance, &held))
            .collect()
    }

    /// The actions that are called with ether in some state, of a contract that neither sends any nor asks what it has.
    pub(super) fn kept(&self, messages: &Messages) -> Vec<String> {
        if messages.balance.is_some() {
            return vec![];
        }
        let subject = self.desk.subject();
        let called: BTreeSet<ActionId> = self
            .epa
            .edges()
            .filter_map(|(_, edge, _)| match edge.callee {
                Callee::Action(action) => Some(action),
                Callee::Constructor(_) => None,
            })
            .collect();
        let takes = |action: &ActionId| {
            let form = messages.actions.get(&subject[*action].name);
            form.is_some_and(|form| form.payable)
        };
        let taking = called.into_iter().filter(takes);
        let names = taking.map(|action| subject[action].shown.clone());
        names.collect()
    }

    /// A field of the object.
    fn field(&self, name: &str) -> Option<Expr> {
        let subject = self.desk.subject();
        let fields = &subject.program.class(subject.class).fields;
        let at = fields.iter().position(|field| field.name == name)?;
        let mut values = formula::own_fields(&subject.program, subject.class).into_iter();
        values.nth(at)
    }

    /// Whether a call may end with less ether than before.
    fn sends(&self, state: &AbstractState, action: ActionId, held: &Expr) -> bool {
        let subject = self.desk.subject();
        let step = Step::call(state.clone(), action, Exit::Any);
        if !kinds::may_change(subject, &step, held) {
            return false;
        }
        let had = formula::expr(ExprKind::Var(HAD), Type::Int);
        let mut query = kinds::such_call(subject, KIND, "sends", &step);
        let number = Var {
            name: "had".into(),
            ty: Type::Int,
        };
        query.ghosts.push((HAD, number));
        let same = formula::compare(CompareOp::Eq, had.clone(), held.clone());
        query.start.known.push(same);
        let less = formula::compare(CompareOp::Lt, held.clone(), had);
        query.end = kinds::asked_for(vec![less]);
        self.possible(&query) != Possible::No
    }

    /// The ether that a run leaves in a state.
    fn left_in(&self, state: StateId, balance: &str, held: &Expr) -> Option<StuckEther> {
        let edges = self.epa.edges();
        let entering = edges.filter(|(_, edge, _)| edge.target == Some(state));
        let entering: BTreeSet<EdgeId> = entering.map(|(id, ..)| id).collect();
        let wanted = WantedRun {
            label: format!("leaves_ether_in_{state}"),
            edges: &entering,
            before: formula::bool(true),
            end: formula::compare(CompareOp::Gt, held.clone(), formula::int(0)),
        };
        let has_some = |field: &Named| field.name == balance && field.value != "0";
        let run = self.run(&wanted, |end| end.iter().any(has_some))?;
        Some(StuckEther {
            state: self.epa.names.state(state).to_owned(),
            run,
        })
    }
}
