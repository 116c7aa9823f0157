//! Calls that call back: a function that calls outside is two actions, one until then and one behind it, and in between everything
//! else can be called, itself included.
//!
//! ```text
//! action withdraw(msg_sender: nat)            action withdraw_end()
//! {                                             requires pending > 0 && pending_call[pending - 1] == 1
//!   var amount: int := owed[msg_sender];      {
//!   balance := balance - amount;                pending := pending - 1;
//!   withdraw_sender[pending] := msg_sender;     var msg_sender: nat := withdraw_sender[pending];
//!   pending_call[pending] := 1;                 owed[msg_sender] := 0;
//!   pending := pending + 1;                   }
//! }
//! ```
//!
//! What is called last ends first, so calls that have not ended are a stack, with what each of them still needs. A call outside that
//! fails has undone all that was called back, as if nothing had been: there the function goes on at once.

use std::collections::{BTreeMap, BTreeSet};

use super::class::LoweredClass;
use crate::front::tq::ast::{
    self, BlockSyntax, ContractClause, ExprSyntaxKind, Member, ParamSyntax, RoutineSyntax,
    StmtSyntax, StmtSyntaxKind, all_statements,
};
use crate::front::tq::build::{self, assign, binary, compare, equal, ident, indexed, int, name};
use crate::ir::{BinaryOp, CompareOp, RoutineKind};

/// How a place is called where something outside is: no name of the language.
const MARK: &str = "called outside, ";

/// The statement that stands where something outside is called, for now.
pub(super) fn mark(number: usize) -> StmtSyntax {
    build::assume(name(format!("{MARK}{number}")))
}

/// The number of the call outside that a statement stands for.
fn marked(statement: &StmtSyntax) -> Option<usize> {
    let StmtSyntaxKind::Assume(e) = &statement.kind else {
        return None;
    };
    match &*e.kind {
        ExprSyntaxKind::Name(known) => known.name.strip_prefix(MARK)?.parse().ok(),
        _ => None,
    }
}

/// What calls that have not ended need.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// The actions behind calls outside.
    pub ends: Vec<RoutineSyntax>,
    /// The actions that are no whole calls.
    pub parts: BTreeSet<String>,
    /// The field that says how many calls have not ended, and the one that says at which place each of them is.
    stack: Option<(String, String)>,
    /// The fields that hold what they need.
    kept: Vec<(String, ast::TypeSyntax)>,
    /// How many places there are.
    places: usize,
}

impl Pending {
    /// The fields.
    pub(super) fn fields(&self) -> Vec<Member> {
        let Some((pending, place)) = &self.stack else {
            return Vec::new();
        };
        let field = |known: &str, ty, value| Member::Var {
            name: ident(known),
            ty,
            value,
        };
        let nat = || build::ty("nat");
        let stack = [
            field(pending, nat(), Some(int(0))),
            field(place, build::map(nat(), nat()), None),
        ];
        let kept = self.kept.iter();
        let kept = kept.map(|(known, ty)| field(known, build::map(nat(), ty.clone()), None));
        stack.into_iter().chain(kept).collect()
    }

    /// That no call has not ended: where time goes on.
    pub(super) fn is_none(&self) -> Option<ContractClause> {
        let (pending, _) = self.stack.as_ref()?;
        Some(ContractClause::Requires(equal(name(pending), int(0))))
    }
}

impl LoweredClass<'_> {
    /// Splits actions where they call outside.
    pub(super) fn reenter(&mut self, routines: &mut [RoutineSyntax]) -> Pending {
        let mut pending = Pending::default();
        for (at, routine) in routines.iter_mut().enumerate() {
            let marks = routine.body.as_ref().map(marks).unwrap_or_default();
            let (Some(called), false) = (routine.name.clone(), marks.is_empty()) else {
                continue;
            };
            pending.stack.get_or_insert_with(|| {
                let count = self.names.fresh("pending");
                (count, self.names.fresh("pending_call"))
            });
            let mut split = Splitter::new(self, &mut pending, routine, &marks);
            let ends = split.ends();
            let given = split.begin();
            let dropped = std::mem::replace(&mut routine.params, given.params);
            routine.contract = given.contract;
            routine.body = given.body;
            let kept: BTreeSet<&str> = names_of(&routine.params).collect();
            let mut is_kept = dropped.iter().map(|p| kept.contains(p.name.name.as_str()));
            if let Some(form) = self.forms.get_mut(at) {
                form.parts.retain(|_| is_kept.next().unwrap_or(true));
            }
            let place = self.places.iter().find(|(known, _)| *known == called.name);
            if let Some((_, place)) = place.cloned() {
                let names = ends.iter().filter_map(|end| end.name.as_ref());
                let places = names.map(|end| (end.name.clone(), place));
                self.places.extend(places.collect::<Vec<_>>());
            }
            pending.parts.insert(called.name);
            let ended = ends.iter().filter_map(|end| end.name.as_ref());
            pending.parts.extend(ended.map(|end| end.name.clone()));
            pending.ends.extend(ends);
        }
        pending
    }
}

fn names_of(params: &[ParamSyntax]) -> impl Iterator<Item = &str> {
    params.iter().map(|param| param.name.name.as_str())
}

/// The calls outside in a block.
fn marks(block: &BlockSyntax) -> Vec<usize> {
    let all = all_statements(&block.statements).into_iter();
    all.filter_map(marked).collect()
}

/// What stands behind a call outside until the end; none where it is not in there. No such call is in a loop.
fn behind(statements: &[StmtSyntax], call: usize) -> Option<Vec<StmtSyntax>> {
    let mut at = 0..statements.len();
    at.find_map(|at| {
        let (statement, rest) = statements.get(at..)?.split_first()?;
        if marked(statement) == Some(call) {
            return Some(rest.to_vec());
        }
        let mut inner = statement.blocks().into_iter();
        let found = inner.find_map(|inner| behind(&inner.statements, call))?;
        let mut found = match &statement.kind {
            StmtSyntaxKind::Labelled(label, _) => {
                let body = build::block(found);
                vec![build::stmt(StmtSyntaxKind::Labelled(label.clone(), body))]
            }
            _ => found,
        };
        found.extend_from_slice(rest);
        Some(found)
    })
}

/// The names that statements mention.
fn mentioned(statements: &[StmtSyntax]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let block = build::block(statements.to_vec());
    block.names(&mut names);
    names
}

/// The variables that a block declares, with their types.
fn declared(statements: &[StmtSyntax], into: &mut BTreeMap<String, ast::TypeSyntax>) {
    for statement in all_statements(statements) {
        if let StmtSyntaxKind::Var { name, ty, .. } = &statement.kind {
            into.insert(name.name.clone(), ty.clone());
        }
    }
}

/// What an action is split into.
struct Piece {
    params: Vec<ParamSyntax>,
    contract: Vec<ContractClause>,
    body: Option<BlockSyntax>,
}

/// What stands behind a call outside.
struct Behind {
    /// The number of the place among all.
    number: usize,
    statements: Vec<StmtSyntax>,
    /// The variables that have to be kept for it.
    needed: BTreeSet<String>,
}

/// An action that is split.
struct Splitter<'s, 'r, 'c> {
    class: &'s mut LoweredClass<'c>,
    pending: &'s mut Pending,
    routine: &'r RoutineSyntax,
    behind: BTreeMap<usize, Behind>,
    /// The types of all variables.
    types: BTreeMap<String, ast::TypeSyntax>,
    /// The hidden parameters that only what stands behind one of the calls asks for: what the outside answers then.
    answers: BTreeMap<String, usize>,
    /// The fields for what is needed behind calls.
    stores: BTreeMap<String, String>,
}

impl<'s, 'r, 'c> Splitter<'s, 'r, 'c> {
    fn new(
        class: &'s mut LoweredClass<'c>,
        pending: &'s mut Pending,
        routine: &'r RoutineSyntax,
        marks: &[usize],
    ) -> Self {
        let mut splitter = Splitter {
            class,
            pending,
            routine,
            behind: BTreeMap::new(),
            types: BTreeMap::new(),
            answers: BTreeMap::new(),
            stores: BTreeMap::new(),
        };
        let statements = splitter.statements();
        for mark in marks {
            splitter.pending.places += 1;
            let behind = Behind {
                number: splitter.pending.places,
                statements: behind(statements, *mark).unwrap_or_default(),
                needed: BTreeSet::new(),
            };
            splitter.behind.insert(*mark, behind);
        }
        splitter.types = splitter.types();
        splitter.answers = splitter.answers();
        for mark in marks {
            let needed = splitter.needed(*mark);
            if let Some(behind) = splitter.behind.get_mut(mark) {
                behind.needed = needed;
            }
        }
        splitter.keep();
        splitter
    }

    fn statements(&self) -> &'r [StmtSyntax] {
        let body = self.routine.body.as_ref();
        body.map_or(&[], |body| body.statements.as_slice())
    }

    /// The hidden parameters of which only one piece speaks, and that is behind a call, with the call.
    fn answers(&self) -> BTreeMap<String, usize> {
        let first = mentioned(&until_calls(self.statements(), &|_| Vec::new()));
        let pieces: BTreeMap<usize, BTreeSet<String>> = self
            .behind
            .iter()
            .map(|(call, behind)| {
                let first = until_calls(&behind.statements, &|_| Vec::new());
                (*call, mentioned(&first))
            })
            .collect();
        let hidden = self.routine.params.iter().filter(|param| param.hidden);
        let hidden = hidden.map(|param| param.name.name.clone());
        let answers = hidden.filter_map(|known| {
            let mut speaking = pieces.iter().filter(|(_, names)| names.contains(&known));
            let only = match (speaking.next(), speaking.next()) {
                (Some((call, _)), None) if !first.contains(&known) => *call,
                _ => return None,
            };
            self.is_alone(&known).then_some((known, only))
        });
        answers.collect()
    }

    /// Whether no clause speaks of a parameter and of others.
    fn is_alone(&self, known: &str) -> bool {
        let params: BTreeSet<&str> = names_of(&self.routine.params).collect();
        let mut clauses = self.routine.contract.iter().map(clause_names);
        clauses.all(|names| {
            !names.contains(known)
                || names
                    .iter()
                    .all(|n| n == known || !params.contains(n.as_str()))
        })
    }

    /// Makes the fields for all that is needed behind calls.
    fn keep(&mut self) {
        let behind = self.behind.values();
        let needed: BTreeSet<String> = behind.flat_map(|b| b.needed.iter().cloned()).collect();
        let called = self.routine.name.as_ref().map_or("", |name| &name.name);
        for variable in needed {
            let Some(ty) = self.types.get(&variable) else {
                continue;
            };
            let field = self.class.names.fresh(&format!("{called}_{variable}"));
            self.pending.kept.push((field.clone(), ty.clone()));
            self.stores.insert(variable, field);
        }
    }

    /// The types of all variables.
    fn types(&self) -> BTreeMap<String, ast::TypeSyntax> {
        let given = self.routine.params.iter().chain(&self.routine.returns);
        let mut types: BTreeMap<String, ast::TypeSyntax> = given
            .map(|param| (param.name.name.clone(), param.ty.clone()))
            .collect();
        declared(self.statements(), &mut types);
        types
    }

    /// The variables that have to be kept for what stands behind a call.
    fn needed(&self, call: usize) -> BTreeSet<String> {
        let Some(behind) = self.behind.get(&call) else {
            return BTreeSet::new();
        };
        let mut own = BTreeMap::new();
        declared(&behind.statements, &mut own);
        let names = mentioned(&behind.statements).into_iter();
        let kept = names.filter(|known| {
            let is_answer = self.answers.contains_key(known);
            self.types.contains_key(known) && !own.contains_key(known) && !is_answer
        });
        kept.collect()
    }

    /// The action until the calls.
    fn begin(&self) -> Piece {
        let is_own = |param: &&ParamSyntax| !self.answers.contains_key(&param.name.name);
        let params = self.routine.params.iter().filter(is_own);
        let clauses = self.routine.contract.iter();
        let clauses = clauses.filter(|clause| self.answered_by(clause).is_none());
        Piece {
            params: params.cloned().collect(),
            contract: clauses.cloned().collect(),
            body: Some(build::block(self.until_calls(self.statements()))),
        }
    }

    /// The call of whose answer a clause speaks.
    fn answered_by(&self, clause: &ContractClause) -> Option<usize> {
        let names = clause_names(clause);
        let mut answers = self.answers.iter();
        let found = answers.find(|(known, _)| names.contains(*known));
        found.map(|(_, call)| *call)
    }

    /// The actions behind the calls.
    fn ends(&mut self) -> Vec<RoutineSyntax> {
        let calls: Vec<usize> = self.behind.keys().copied().collect();
        let ends = calls.into_iter().map(|call| self.end(call));
        ends.collect()
    }

    fn end(&mut self, call: usize) -> RoutineSyntax {
        let called = self.routine.name.as_ref().map_or("", |name| &name.name);
        let called = self.class.actions.fresh(&format!("{called}_end"));
        let is_answer = |param: &&ParamSyntax| self.answers.get(&param.name.name) == Some(&call);
        let params = self.routine.params.iter().filter(is_answer);
        let clauses = self.routine.contract.iter();
        let clauses = clauses.filter(|clause| self.answered_by(clause) == Some(call));
        let (contract, statements) = self.resumed(call);
        RoutineSyntax {
            kind: RoutineKind::Action,
            pure: false,
            control: None,
            name: Some(ident(called)),
            params: params.cloned().collect(),
            returns: self.routine.returns.clone(),
            outcomes: Vec::new(),
            contract: contract.into_iter().chain(clauses.cloned()).collect(),
            body: Some(build::block(statements)),
            span: Default::default(),
        }
    }

    /// What is required for a call to end, and what it does then: the call that was begun last ends first.
    fn resumed(&self, call: usize) -> (Vec<ContractClause>, Vec<StmtSyntax>) {
        let (Some((pending, places)), Some(behind)) = (&self.pending.stack, self.behind.get(&call))
        else {
            return (Vec::new(), Vec::new());
        };
        let top = || binary(BinaryOp::Sub, name(pending), int(1));
        let is_there = compare(CompareOp::Gt, name(pending), int(0));
        let is_it = equal(indexed(name(places), [top()]), int(behind.number));
        let contract = [is_there, is_it].map(ContractClause::Requires).to_vec();
        let mut statements = vec![assign(name(pending), top())];
        for variable in &behind.needed {
            let (Some(store), Some(ty)) = (self.stores.get(variable), self.types.get(variable))
            else {
                continue;
            };
            let kept = indexed(name(store), [name(pending)]);
            let mut results = names_of(&self.routine.returns);
            statements.push(match results.any(|result| result == variable) {
                true => assign(name(variable), kept),
                false => build::declare(variable, ty.clone(), Some(kept)),
            });
        }
        statements.extend(self.until_calls(&behind.statements));
        (contract, statements)
    }

    fn until_calls(&self, statements: &[StmtSyntax]) -> Vec<StmtSyntax> {
        until_calls(statements, &|call| self.suspended(call))
    }

    /// Keeps what stands behind a call needs.
    fn suspended(&self, call: usize) -> Vec<StmtSyntax> {
        let (Some((pending, places)), Some(behind)) = (&self.pending.stack, self.behind.get(&call))
        else {
            return Vec::new();
        };
        let mut statements = Vec::new();
        for variable in &behind.needed {
            if let Some(store) = self.stores.get(variable) {
                let store = indexed(name(store), [name(pending)]);
                statements.push(assign(store, name(variable)));
            }
        }
        statements.push(assign(
            indexed(name(places), [name(pending)]),
            int(behind.number),
        ));
        let more = binary(BinaryOp::Add, name(pending), int(1));
        statements.push(assign(name(pending), more));
        statements.push(build::stmt(StmtSyntaxKind::Return(Vec::new())));
        statements
    }
}

/// Statements with something else at each call outside, and nothing behind it.
fn until_calls(
    statements: &[StmtSyntax],
    at: &dyn Fn(usize) -> Vec<StmtSyntax>,
) -> Vec<StmtSyntax> {
    let mut written = Vec::new();
    for statement in statements {
        if let Some(call) = marked(statement) {
            written.extend(at(call));
            return written;
        }
        let mut statement = statement.clone();
        for inner in statement.blocks_mut() {
            inner.statements = until_calls(&inner.statements, at);
        }
        written.push(statement);
    }
    written
}

fn clause_names(clause: &ContractClause) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    if let ContractClause::Requires(e) | ContractClause::Ensures(e) = clause {
        e.names(&mut names);
    }
    names
}
