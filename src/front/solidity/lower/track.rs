//! One key of a mapping, whose life is followed: one operation, one auction, one account.
//!
//! ```text
//! const tracked: nat;                                   any one key
//! action cancel(id: nat)        requires id == tracked  a call for it
//! action cancel_other(id: nat)  requires id != tracked  a call for another one
//! ```
//!
//! A contract with a protocol for each key can nearly always take each call, for some key; only what happens to one of them
//! shows the protocol. A call is for a key if it writes what the mapping has there; one that writes nothing of it, if it reads
//! that. The two actions together make just the calls that there were: nothing is lost, and nothing is added.

use std::collections::{BTreeMap, BTreeSet};

use super::class::LoweredClass;
use super::settle::settle;
use crate::front::solidity::FileRange;
use crate::front::solidity::flat::{Contract, FlatType};
use crate::front::tq::ast::{
    BlockSyntax, ContractClause, ExprSyntax, ExprSyntaxKind, RoutineSyntax, StmtSyntax,
    StmtSyntaxKind, all_statements,
};
use crate::front::tq::build::{self, assume, compare, equal, name};
use crate::ir::{CompareOp, MessageForm};

/// Whose life is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// The mapping of which one key is followed, or a field that holds a part of it.
    pub mapping: String,
    /// How calls for other keys are drawn.
    pub others: Others,
}

/// How calls for other keys are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Others {
    /// As one action of the environment, which can always happen, and may be nothing.
    #[default]
    Together,
    /// As actions of their own.
    Apart,
    /// Not at all.
    Out,
}

impl Track {
    /// The variable that is followed.
    ///
    /// # Errors
    /// There is none; the names of those that there are.
    pub fn variable(&self, contract: &Contract) -> Result<usize, Vec<String>> {
        let mappings = contract.variables.iter().enumerate();
        let mappings = mappings.filter(|(_, known)| matches!(known.ty, FlatType::Mapping(..)));
        // `items_owner` is a part of `items`.
        let is_wanted = |known: &str| {
            let rest = self.mapping.strip_prefix(known);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        let found = mappings.clone().filter(|(_, known)| is_wanted(&known.name));
        match found.max_by_key(|(_, known)| known.name.len()) {
            Some((number, _)) => Ok(number),
            None => Err(mappings.map(|(_, known)| known.name.clone()).collect()),
        }
    }
}

/// What the key of a mapping is in the calls that an action stands for.
enum CallKey {
    /// What comes with the call under this name.
    Parameter(String),
    /// Whatever the key is in each write.
    Written,
}

/// The actions for other keys.
#[derive(Default)]
pub(super) struct OtherActions {
    names: BTreeSet<String>,
}

impl LoweredClass<'_> {
    /// Tells calls for the key that is followed from those for others.
    pub(super) fn split(&mut self, routines: &mut Vec<RoutineSyntax>) -> OtherActions {
        let mut others = OtherActions::default();
        let Some((variable, _)) = self.track else {
            return others;
        };
        let leaves = self.leaves.iter();
        let leaves = leaves.filter(|((of, _), leaf)| *of == variable && !leaf.keys.is_empty());
        let fields: BTreeSet<String> = leaves.clone().map(|(_, leaf)| leaf.name.clone()).collect();
        let first = leaves.map(|(_, leaf)| leaf).next();
        let Some(ty) = first.and_then(|leaf| leaf.indices.first().cloned()) else {
            return others;
        };
        let tracked = self.constant("tracked".to_owned(), "tracked", ty, None);
        let revert = self.revert.clone();
        // The constructor comes first; it has a form, and no place.
        let places = std::mem::take(&mut self.places).into_iter().map(Some);
        let forms = std::mem::take(&mut self.forms).into_iter();
        let told = forms.zip([None].into_iter().chain(places));
        for (routine, (form, place)) in std::mem::take(routines).into_iter().zip(told) {
            let key = match place {
                Some(_) => call_key(&routine, &fields),
                None => None,
            };
            let Some(key) = key else {
                self.put(routines, routine, (form, place));
                continue;
            };
            let mut other = routine.clone();
            let mut this = routine;
            divide(&mut this, (&key, &fields), &tracked, (true, &revert));
            divide(&mut other, (&key, &fields), &tracked, (false, &revert));
            let range = place.as_ref().map(|(_, range)| *range);
            self.put(routines, this, (form.clone(), place));
            if let (Some(known), Some(range)) = (&mut other.name, range) {
                known.name = self.actions.fresh(&format!("{}_other", known.name));
                others.names.insert(known.name.clone());
                let place = Some((known.name.clone(), range));
                self.put(routines, other, (form, place));
            }
        }
        others
    }

    fn put(
        &mut self,
        routines: &mut Vec<RoutineSyntax>,
        routine: RoutineSyntax,
        (form, place): (MessageForm, Option<(String, FileRange)>),
    ) {
        routines.push(routine);
        self.forms.push(form);
        self.places.extend(place);
    }

    /// Makes one action of those for other keys, or leaves them out, as is wanted.
    pub(super) fn gather(&mut self, routines: &mut Vec<RoutineSyntax>, others: &OtherActions) {
        let Some((variable, how)) = self.track else {
            return;
        };
        let Some(declared) = self.contract.variables.get(variable) else {
            return;
        };
        let (called, place) = (declared.name.clone(), declared.place);
        if others.names.is_empty() {
            self.note(place, format!("no call is for one key of `{called}`"));
            return;
        }
        if how == Others::Apart {
            return;
        }
        let is_other = |routine: &RoutineSyntax| {
            let known = routine.name.as_ref();
            known.is_some_and(|known| others.names.contains(&known.name))
        };
        let (theirs, ours): (Vec<_>, Vec<_>) = std::mem::take(routines)
            .into_iter()
            .partition(|routine| is_other(routine));
        *routines = ours;
        let mut forms = std::mem::take(&mut self.forms).into_iter();
        self.forms.extend(forms.next());
        for (place, form) in std::mem::take(&mut self.places).into_iter().zip(forms) {
            if !others.names.contains(&place.0) {
                self.places.push(place);
                self.forms.push(form);
            }
        }
        match how {
            Others::Out => self.note(
                place,
                format!("calls for other keys of `{called}` are left out, and with them all that they change"),
            ),
            _ => {
                let together = self.together(theirs);
                self.others = together.name.as_ref().map(|known| known.name.clone());
                routines.push(together);
            }
        }
    }

    /// One action that is any of these, or nothing.
    fn together(&mut self, theirs: Vec<RoutineSyntax>) -> RoutineSyntax {
        let mut names = self.names.clone();
        for routine in &theirs {
            let mut mentioned = BTreeSet::new();
            routine.names(&mut mentioned);
            let given = routine.params.iter().chain(&routine.returns);
            mentioned.extend(given.map(|given| given.name.name.clone()));
            mentioned.iter().for_each(|known| drop(names.fresh(known)));
        }
        let which = names.fresh("which");
        let mut chosen = Vec::new();
        for (number, routine) in theirs.into_iter().enumerate().rev() {
            let is_this = equal(name(&which), build::int(number));
            chosen = vec![build::conditional(
                is_this,
                any_call(routine, &self.revert),
                chosen,
            )];
        }
        chosen.insert(0, build::declare(&which, build::ty("nat"), None));
        self.environment("others", chosen)
    }

    /// The key that is followed, with its type.
    pub(super) fn tracked_key(&self) -> Option<(FlatType, ExprSyntax)> {
        let (tracked, ..) = self.constants.get("tracked")?;
        let declared = self.contract.variables.get(self.track?.0)?;
        let FlatType::Mapping(key, _) = &declared.ty else {
            return None;
        };
        Some(((**key).clone(), name(tracked.as_str())))
    }

    /// What holds of it.
    pub(super) fn tracked_range(&mut self) -> Vec<ExprSyntax> {
        let Some((key, tracked)) = self.tracked_key() else {
            return Vec::new();
        };
        let mut known: Vec<ExprSyntax> = self.range(&key, &tracked).into_iter().collect();
        // Nobody has the address zero.
        if matches!(
            self.underlying(&key),
            FlatType::Address | FlatType::Contract(_)
        ) {
            known.push(compare(CompareOp::Ne, tracked, build::int(0)));
        }
        known
    }
}

/// A call with any arguments, as statements.
fn any_call(routine: RoutineSyntax, revert: &str) -> Vec<StmtSyntax> {
    let given = routine.params.iter().chain(&routine.returns);
    let given = given.map(|given| build::declare(&given.name.name, given.ty.clone(), None));
    let mut statements: Vec<StmtSyntax> = given.collect();
    statements.extend(
        routine
            .contract
            .into_iter()
            .filter_map(|clause| match clause {
                ContractClause::Requires(e) => Some(assume(e)),
                _ => None,
            }),
    );
    if let Some(mut body) = routine.body {
        settle(&mut body, revert);
        statements.append(&mut body.statements);
    }
    statements
}

/// The key that the calls of an action are for, if they are for one.
fn call_key(routine: &RoutineSyntax, fields: &BTreeSet<String>) -> Option<CallKey> {
    let mut keys = Keys::default();
    keys.look(routine.body.as_ref()?, fields);
    let writes = !keys.written.is_empty();
    let asked = if writes { &keys.written } else { &keys.read };
    let copies = Copies::of(routine);
    let mut found = asked.iter().map(|key| copies.parameter(key));
    let first = found.next()?;
    match first {
        Some(parameter) if found.all(|other| other.as_ref() == Some(&parameter)) => {
            Some(CallKey::Parameter(parameter))
        }
        _ => writes.then_some(CallKey::Written),
    }
}

/// Leaves an action the calls for the key that is followed, or those for others.
fn divide(
    routine: &mut RoutineSyntax,
    (key, fields): (&CallKey, &BTreeSet<String>),
    tracked: &ExprSyntax,
    (is_this, revert): (bool, &str),
) {
    let mut mentioned = BTreeSet::new();
    routine.names(&mut mentioned);
    let Some(body) = &mut routine.body else {
        return;
    };
    match key {
        CallKey::Parameter(known) => {
            let op = if is_this {
                CompareOp::Eq
            } else {
                CompareOp::Ne
            };
            let clause = compare(op, name(known.as_str()), tracked.clone());
            routine.contract.push(ContractClause::Requires(clause));
            // What is said of the key is then said of the class's own.
            if is_this {
                replace(body, known, tracked);
            }
        }
        CallKey::Written => {
            let mut flag = "is_tracked".to_owned();
            while mentioned.contains(&flag) {
                flag.push('_');
            }
            mark(body, fields, (&flag, tracked));
            let first = build::declare(&flag, build::ty("bool"), Some(build::bool(false)));
            body.statements.insert(0, first);
            let wrong = match is_this {
                true => build::not(name(&flag)),
                false => name(&flag),
            };
            let reverts = vec![build::throw(revert)];
            body.statements
                .push(build::conditional(wrong, reverts, Vec::new()));
        }
    }
}

/// Notes before each write whether it is of the key that is followed.
fn mark(block: &mut BlockSyntax, fields: &BTreeSet<String>, told: (&str, &ExprSyntax)) {
    let (flag, tracked) = told;
    for mut statement in std::mem::take(&mut block.statements) {
        for key in written(&statement, fields) {
            let is_it = equal(key.clone(), tracked.clone());
            block
                .statements
                .push(build::assign(name(flag), build::or(name(flag), is_it)));
        }
        for inner in statement.blocks_mut() {
            mark(inner, fields, told);
        }
        block.statements.push(statement);
    }
}

/// The keys at which a statement itself writes the mapping.
fn written<'s>(statement: &'s StmtSyntax, fields: &BTreeSet<String>) -> Vec<&'s ExprSyntax> {
    let places = match &statement.kind {
        StmtSyntaxKind::Assign { targets, .. } => targets.as_slice(),
        StmtSyntaxKind::Havoc(places) => places.as_slice(),
        _ => &[],
    };
    places
        .iter()
        .filter_map(|place| key_of(place, fields))
        .collect()
}

/// The first key of a place in the mapping: `k` of `readyAt[k]`, and of `stakes[k][owner]`.
fn key_of<'e>(e: &'e ExprSyntax, fields: &BTreeSet<String>) -> Option<&'e ExprSyntax> {
    let ExprSyntaxKind::Index(base, key) = &*e.kind else {
        return None;
    };
    match &*base.kind {
        ExprSyntaxKind::Name(known) => fields.contains(&known.name).then_some(key),
        _ => key_of(base, fields),
    }
}

/// A name stands for something else from now on.
fn replace(block: &mut BlockSyntax, known: &str, by: &ExprSyntax) {
    for statement in &mut block.statements {
        for e in statement.expressions_mut() {
            replace_in(e, known, by);
        }
        for inner in statement.blocks_mut() {
            replace(inner, known, by);
        }
    }
}

fn replace_in(e: &mut ExprSyntax, known: &str, by: &ExprSyntax) {
    match &*e.kind {
        ExprSyntaxKind::Name(name) if name.name == known => *e = by.clone(),
        _ => {
            for inner in e.children_mut() {
                replace_in(inner, known, by);
            }
        }
    }
}

/// The keys at which the mapping is written and read.
#[derive(Default)]
struct Keys {
    written: Vec<ExprSyntax>,
    read: Vec<ExprSyntax>,
}

impl Keys {
    fn look(&mut self, block: &BlockSyntax, fields: &BTreeSet<String>) {
        for statement in all_statements(&block.statements) {
            self.written
                .extend(written(statement, fields).into_iter().cloned());
            for e in statement.expressions() {
                self.look_in(e, fields);
            }
        }
    }

    fn look_in(&mut self, e: &ExprSyntax, fields: &BTreeSet<String>) {
        self.read.extend(key_of(e, fields).cloned());
        for inner in e.children() {
            self.look_in(inner, fields);
        }
    }
}

/// The variables that get one value, once.
struct Copies {
    parameters: BTreeSet<String>,
    values: BTreeMap<String, Option<ExprSyntax>>,
}

impl Copies {
    fn of(routine: &RoutineSyntax) -> Copies {
        let parameters = routine.params.iter();
        let mut copies = Copies {
            parameters: parameters.map(|given| given.name.name.clone()).collect(),
            values: BTreeMap::new(),
        };
        if let Some(body) = &routine.body {
            copies.look(body);
        }
        copies
    }

    fn look(&mut self, block: &BlockSyntax) {
        for statement in all_statements(&block.statements) {
            match &statement.kind {
                StmtSyntaxKind::Var {
                    name,
                    value: Some(value),
                    ..
                } => {
                    self.set(&name.name, value.expression());
                }
                StmtSyntaxKind::Assign { targets, value } => {
                    for target in targets {
                        if let ExprSyntaxKind::Name(known) = &*target.kind {
                            let only = value.expression().filter(|_| targets.len() == 1);
                            self.set(&known.name, only);
                        }
                    }
                }
                StmtSyntaxKind::Havoc(places) => {
                    for place in places {
                        if let ExprSyntaxKind::Name(known) = &*place.kind {
                            self.set(&known.name, None);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn set(&mut self, known: &str, value: Option<&ExprSyntax>) {
        let is_first = !self.parameters.contains(known) && !self.values.contains_key(known);
        self.values
            .insert(known.to_owned(), value.filter(|_| is_first).cloned());
    }

    /// The parameter that an expression always is, if it is one.
    fn parameter(&self, e: &ExprSyntax) -> Option<String> {
        let mut e = e;
        // A variable that gets itself would have no end.
        for _ in 0..=self.values.len() {
            let ExprSyntaxKind::Name(known) = &*e.kind else {
                return None;
            };
            match self.values.get(&known.name) {
                Some(value) => e = value.as_ref()?,
                None => {
                    let known = &known.name;
                    return self.parameters.contains(known).then(|| known.clone());
                }
            }
        }
        None
    }
}
