//! Names of variables: the typed program tells variables apart by what they are, a text by their names.

use std::collections::BTreeSet;

use super::statement::answers;
use super::{Writer, mentioned};
use crate::front::tq::{is_free_name, is_name};
use crate::ir::effects::walk::{self, visit};
use crate::ir::{Block, Expr, ExprKind, Place, Program, RoutineRef, Stmt, StmtKind, VarId};

/// Makes words of the language of the names that the program itself gave to variables.
pub(super) fn to_words(program: &mut Program) {
    for var in &mut program.vars {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !is_name(&var.name) || !is_free_name(&var.name) {
            let word = var.name.chars().map(|c| if plain(c) { c } else { '_' });
            let word: String = word.collect();
            var.name = match is_name(&word) && is_free_name(&word) {
                true => word,
                false => format!("v_{word}"),
            };
        }
    }
}

/// The name, or the first of `name_2`, `name_3`, … that is not taken.
fn free(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let free = names.find(|name| !taken.contains(name));
    free.unwrap_or_else(|| name.to_owned())
}

/// The variables of expressions, and those that their quantifiers bind.
fn vars_in<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> (BTreeSet<VarId>, BTreeSet<VarId>) {
    let (mut vars, mut bound) = (BTreeSet::new(), BTreeSet::new());
    for e in exprs {
        visit(e, |e| match &*e.kind {
            ExprKind::Var(id) => {
                vars.insert(*id);
            }
            ExprKind::Quantified(_, of, _) => bound.extend(of),
            _ => {}
        });
    }
    (vars.difference(&bound).copied().collect(), bound)
}

impl Writer<'_> {
    /// Gives the routine's local variables names of their own, and returns them.
    pub(super) fn named_apart(&mut self, routine: RoutineRef) -> Vec<VarId> {
        let declared = self.program.routine(routine);
        let (_, bound) = vars_in(mentioned(declared));
        let outer = declared.params.iter().chain(&declared.results);
        let outer: BTreeSet<VarId> = outer.copied().collect();
        let named = |id: &VarId| self.program.var(*id).name.clone();
        let mut taken: BTreeSet<String> = outer.iter().chain(&bound).map(named).collect();
        let vars = self.vars_of(routine);
        let body = declared.body.as_deref().unwrap_or_default();
        let answers = answers(&self.program, body);
        let locals = vars.difference(&outer).filter(|id| !answers.contains(id));
        let locals: Vec<VarId> = locals.copied().collect();
        for id in &locals {
            let name = free(&self.program.var(*id).name, &taken);
            taken.insert(name.clone());
            self.program.vars[id.0].name = name;
        }
        self.scope = taken;
        self.answers = answers;
        locals
    }

    /// The parameters, results and local variables of a routine.
    pub(super) fn vars_of(&self, routine: RoutineRef) -> BTreeSet<VarId> {
        let declared = self.program.routine(routine);
        let (mut vars, _) = vars_in(mentioned(declared));
        vars.extend(declared.params.iter().chain(&declared.results));
        for stmt in walk::statements(declared.body.iter().map(Vec::as_slice)) {
            vars.extend(walk::places(stmt).iter().filter_map(|place| match place {
                Place::Var(id) => Some(*id),
                _ => None,
            }));
        }
        vars
    }

    /// The names of these variables, and of those that expressions bind.
    pub(super) fn names_in<'e>(
        &self,
        exprs: impl IntoIterator<Item = &'e Expr>,
        vars: &[VarId],
    ) -> BTreeSet<String> {
        let (_, bound) = vars_in(exprs);
        let all = vars.iter().copied().chain(bound);
        all.map(|id| self.program.var(id).name.clone()).collect()
    }
}

/// The statement that gives a local variable its first value, so that it can be declared there: one that assigns it alone, in
/// the innermost block that has all mentions of it, before all others. (Declared without a value at the beginning of a body, a
/// variable of a type without `null` would need some object to be there already.)
pub(super) fn first_assignment(block: &[Stmt], var: VarId) -> Option<&Stmt> {
    let mut mentions = block.iter().filter(|stmt| is_mentioned(stmt, var));
    let (first, others) = (mentions.next()?, mentions.next());
    if is_mentioned_by(first, var) {
        let is_simple = matches!(
            &first.kind,
            StmtKind::Assign(..)
                | StmtKind::Guess(_)
                | StmtKind::Call { .. }
                | StmtKind::New { .. }
                | StmtKind::NewArray { .. }
        );
        let assigns = matches!(walk::places(first).as_slice(), [Place::Var(id)] if *id == var);
        let is_first = !vars_in(read_by(first)).0.contains(&var);
        return (is_simple && assigns && is_first).then_some(first);
    }
    if others.is_some() {
        return None;
    }
    let is_in = |block: &&Block| block.iter().any(|stmt| is_mentioned(stmt, var));
    match first
        .blocks()
        .into_iter()
        .filter(is_in)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [only] => first_assignment(only, var),
        _ => None,
    }
}

/// Tells a statement from all others of a body.
pub(super) fn place_of(stmt: &Stmt) -> usize {
    std::ptr::from_ref(stmt).addr()
}

fn is_mentioned(stmt: &Stmt, var: VarId) -> bool {
    let all = walk::statements([std::slice::from_ref(stmt)]);
    all.into_iter().any(|stmt| is_mentioned_by(stmt, var))
}

/// Whether a statement itself, not one inside it, mentions a variable.
fn is_mentioned_by(stmt: &Stmt, var: VarId) -> bool {
    let is_var = |place: &&Place| matches!(place, Place::Var(id) if *id == var);
    walk::places(stmt).iter().any(is_var) || vars_in(read_by(stmt)).0.contains(&var)
}

/// The expressions that a statement itself mentions.
fn read_by(stmt: &Stmt) -> Vec<&Expr> {
    let mut read = walk::evaluated(stmt);
    read.extend(
        walk::places(stmt)
            .into_iter()
            .flat_map(walk::place_operands),
    );
    if let StmtKind::While { invariants, .. } = &stmt.kind {
        read.extend(invariants);
    }
    read
}
