//! Roles that can become the zero address and stay it: nobody has it, so that what asks for the role can never be called.
//!
//! Everything that is said to be never called again is certain: wherever the EPA leads while the role is the zero address, the
//! call is refused, and no call makes the role anybody's again.

use std::collections::{BTreeMap, BTreeSet};

use super::runs::WantedRun;
use super::{AccessAsker, LosingWay, LostRole, Possible, ToldCall};
use crate::ask::Named;
use crate::ir::{CompareOp, Expr, formula};
use crate::query::{
    ActionId, Callee, Clause, EdgeId, End, Exit, Query, StateId, Step, Subject, kinds,
    without_types,
};

/// The name of the kind of question, for the counts.
const KIND: &str = "lost-role";

/// The edges behind which these actions are lost, by what the edges call.
type Losses = BTreeMap<(Callee, BTreeSet<ActionId>), BTreeSet<EdgeId>>;

impl AccessAsker<'_> {
    /// What can be lost with each role.
    pub(super) fn lost(&self) -> Vec<LostRole> {
        let roles = self.callers.roles.iter().enumerate();
        let changing = roles.filter(|(_, role)| role.changes);
        let mut told: Vec<LostRole> = Vec::new();
        for lost in changing.flat_map(|(at, _)| self.lost_with(at)) {
            // The same call may make two roles the zero address; that it ends what it ends is said once.
            if !told.iter().any(|other| other.covers(&lost)) {
                told.retain(|other| !lost.covers(other));
                told.push(lost);
            }
        }
        told
    }

    fn lost_with(&self, role: usize) -> Vec<LostRole> {
        let value = self.role(role).value.clone();
        let loss = RoleLoss {
            asker: self,
            role,
            zero: formula::compare(CompareOp::Eq, value, formula::int(0)),
        };
        let edges = loss.edges();
        if edges.is_empty() {
            return vec![];
        }
        let zero = loss.while_zero();
        let mut losses = Losses::new();
        for id in edges {
            let lost = loss.behind(id, &zero);
            let callee = self.epa.automaton[id].callee;
            if !lost.is_empty() {
                losses.entry((callee, lost)).or_default().insert(id);
            }
        }
        let mut losses: Vec<_> = losses.into_iter().collect();
        losses.sort_by_key(|(_, edges)| edges.first().copied());
        let told = losses.into_iter();
        told.map(|((callee, lost), edges)| loss.told(callee, &lost, &edges))
            .collect()
    }
}

/// A role, and that it is the zero address.
struct RoleLoss<'a> {
    asker: &'a AccessAsker<'a>,
    role: usize,
    zero: Expr,
}

/// What may be done while nobody has a role.
#[derive(Default)]
struct WhileZero {
    /// What can be called in which state.
    callable: BTreeSet<(StateId, ActionId)>,
    /// The edges that can be taken.
    edges: BTreeSet<EdgeId>,
    /// The states in which a call may make somebody have it again.
    found_again: BTreeSet<StateId>,
}

impl RoleLoss<'_> {
    fn subject(&self) -> &Subject {
        self.asker.desk.subject()
    }

    /// The edges that may lose the role.
    fn edges(&self) -> Vec<EdgeId> {
        let edges = self.asker.epa.edges();
        let losing = edges.filter(|(id, ..)| self.may_lose(*id));
        losing.map(|(id, ..)| id).collect()
    }

    /// Whether an edge may end with the role lost that was not so before.
    fn may_lose(&self, id: EdgeId) -> bool {
        let automaton = &self.asker.epa.automaton;
        let step = automaton.step(&automaton[id]);
        let Some(target) = automaton.target(&automaton[id]) else {
            return false;
        };
        if !kinds::may_change(self.subject(), &step, &self.zero) {
            return false;
        }
        let mut query = self.named(kinds::transition(self.subject(), &step, target), "lost");
        if !step.callee.is_constructor() {
            query.start.known.push(formula::not(self.zero.clone()));
        }
        if let End::State(clauses) = &mut query.end {
            clauses.push(Clause {
                formula: self.zero.clone(),
                remark: "nobody has the role".into(),
            });
        }
        self.asker.possible(&query) != Possible::No
    }

    /// What may be done while nobody has the role.
    fn while_zero(&self) -> WhileZero {
        let (epa, subject) = (self.asker.epa, self.subject());
        let mut found = WhileZero::default();
        let not_zero = formula::not(self.zero.clone());
        for (state, set) in epa.states() {
            for action in set.iter() {
                let step = Step::call(set.clone(), action, Exit::Any);
                if !self.may_be(kinds::such_call(subject, KIND, "callable", &step)) {
                    continue;
                }
                found.callable.insert((state, action));
                let again = Query {
                    end: kinds::asked_for(vec![not_zero.clone()]),
                    ..kinds::such_call(subject, KIND, "found_again", &step)
                };
                if kinds::may_change(subject, &step, &self.zero) && self.may_be(again) {
                    found.found_again.insert(state);
                }
            }
        }
        for (id, edge, _) in epa.edges() {
            let (Some(source), Callee::Action(action), Some(target)) =
                (edge.source, edge.callee, epa.automaton.target(edge))
            else {
                continue;
            };
            let step = epa.automaton.step(edge);
            if found.callable.contains(&(source, action))
                && self.may_be(kinds::transition(subject, &step, target))
            {
                found.edges.insert(id);
            }
        }
        found
    }

    /// Whether there may be such a call, made while nobody has the role.
    fn may_be(&self, query: Query) -> bool {
        let mut query = self.named(query, "while_zero");
        query.start.known.push(self.zero.clone());
        self.asker.possible(&query) != Possible::No
    }

    /// As a question about this role.
    fn named(&self, query: Query, label: &str) -> Query {
        Query {
            kind: KIND,
            name: format!("{}.of_role_{}.{label}", query.name, self.role),
            ..query
        }
    }

    /// What can be called before an edge, there or later, and can never be any more behind it, once the role is lost.
    fn behind(&self, id: EdgeId, zero: &WhileZero) -> BTreeSet<ActionId> {
        let epa = self.asker.epa;
        let edge = &epa.automaton[id];
        let all: BTreeSet<EdgeId> = epa.edges().map(|(id, ..)| id).collect();
        let before = match edge.source {
            Some(source) => self.asker.reachable([source], &all),
            None => self.asker.reachable(epa.initial(), &all),
        };
        let behind = self.asker.reachable(edge.target, &zero.edges);
        if !behind.is_disjoint(&zero.found_again) {
            return BTreeSet::new();
        }
        let callable = zero.callable.iter();
        let callable = callable.filter(|(state, _)| behind.contains(state));
        let callable: BTreeSet<ActionId> = callable.map(|(_, action)| *action).collect();
        let enabled = before.iter().flat_map(|state| epa.automaton[*state].iter());
        enabled
            .filter(|action| !callable.contains(action))
            .collect()
    }

    fn told(
        &self,
        callee: Callee,
        lost: &BTreeSet<ActionId>,
        edges: &BTreeSet<EdgeId>,
    ) -> LostRole {
        let epa = self.asker.epa;
        let edges_taken = edges.iter().map(|id| &epa.automaton[*id]);
        let ways = edges_taken.map(|edge| LosingWay {
            from: edge.source.map(|state| epa.names.state(state).to_owned()),
            to: edge
                .target
                .map_or_else(String::new, |state| epa.names.state(state).to_owned()),
        });
        let lost = lost
            .iter()
            .map(|action| epa.names.action(*action).to_owned());
        LostRole {
            role: self.asker.role(self.role).name.clone(),
            by: without_types(epa.names.callee(callee)).to_owned(),
            ways: ways.collect(),
            never_again: lost.collect(),
            run: self.run(edges),
        }
    }

    /// A run whose last call takes one of these edges and loses the role.
    fn run(&self, edges: &BTreeSet<EdgeId>) -> Option<Vec<ToldCall>> {
        let role = &self.asker.role(self.role).name;
        let wanted = WantedRun {
            label: format!("loses_role_{}", self.role),
            edges,
            before: formula::not(self.zero.clone()),
            end: self.zero.clone(),
        };
        let is_lost = |field: &Named| field.name == *role && field.value == "0";
        self.asker.run(&wanted, |end| end.iter().any(is_lost))
    }
}
