//! Unknown functions of what a call brings: what comes of them is the outside's answer.
//!
//! ```text
//! assume signer[digest[to][nonces[to]]][v][r][s] == to;      as the contract says it
//! assume signer_2 == to;                                      hidden signer_2: nat
//! ```
//!
//! Nothing is known of such a function but that it is one. Whether there is a call with which it has the value that is needed is
//! then a question about all of its values, which no solver decides; and what the call brings can nearly always be chosen so:
//! somebody signs, somebody finds the text. So the value is a hidden parameter. That takes in more than there is, never less:
//! two calls with the same arguments may have two answers.
//!
//! A function that the contract also asks about what it holds itself (`length[title]`) stays one: what was seen of it at the
//! call is seen again later. A hash does not: that two are the same is asked of what they were made of.

use std::collections::{BTreeMap, BTreeSet};

use super::branches::variable;
use super::names::TakenNames;
use crate::front::tq::ast::{
    self, BlockSyntax, ContractClause, ExprSyntax, ExprSyntaxKind, RoutineSyntax, StmtSyntax,
    StmtSyntaxKind, all_statements,
};
use crate::front::tq::build::{self, compare, ident, name, param};
use crate::ir::{BinaryOp, CompareOp};

/// A function of which nothing is known.
#[derive(Clone, Debug)]
pub(super) struct UnknownFunction {
    /// How many arguments it takes.
    pub arguments: usize,
    /// The type of its values.
    pub result: ast::TypeSyntax,
    /// Whether it is a hash, or an encoding.
    pub scrambles: bool,
}

/// The functions by the constants that they are.
pub(super) type UnknownFunctions = BTreeMap<String, UnknownFunction>;

/// Makes hidden parameters of what functions give for what a call brings. How many each routine got, in the same order.
pub(super) fn answered(
    routines: &mut [RoutineSyntax],
    functions: &UnknownFunctions,
    names: &TakenNames,
) -> Vec<usize> {
    let brought: Vec<BTreeSet<String>> = routines.iter().map(brought).collect();
    let mut asked = BTreeMap::new();
    for (routine, brought) in routines.iter().zip(&brought) {
        if let Some(body) = &routine.body {
            of_the_contract(body, functions, brought, &mut asked);
        }
    }
    let kept = |called: &str, function: &UnknownFunction| {
        !function.scrambles && asked.get(called).is_some_and(|own| *own)
    };
    let mut functions = functions.clone();
    functions.retain(|called, function| !kept(called, function));
    let routines = routines.iter_mut().zip(brought);
    let rewritten =
        routines.map(|(routine, brought)| Answers::give(routine, brought, &functions, names));
    rewritten.collect()
}

/// The parameters of a routine, and the variables that hold something of them.
fn brought(routine: &RoutineSyntax) -> BTreeSet<String> {
    let params = routine.params.iter();
    let mut known: BTreeSet<String> = params.map(|param| param.name.name.clone()).collect();
    let Some(body) = &routine.body else {
        return known;
    };
    loop {
        let before = known.len();
        spread(body, &mut known);
        if known.len() == before {
            return known;
        }
    }
}

fn spread(block: &BlockSyntax, known: &mut BTreeSet<String>) {
    for statement in all_statements(&block.statements) {
        match &statement.kind {
            StmtSyntaxKind::Havoc(places) => known.extend(places.iter().filter_map(variable)),
            StmtSyntaxKind::Assign { targets, value } => {
                let mut all = targets.iter().chain(value.expressions());
                if all.any(|e| mentions(e, known)) {
                    known.extend(targets.iter().filter_map(variable));
                }
            }
            StmtSyntaxKind::Var {
                name,
                value: Some(value),
                ..
            } if value.expressions().into_iter().any(|e| mentions(e, known)) => {
                known.insert(name.name.clone());
            }
            _ => {}
        }
    }
}

fn mentions(e: &ExprSyntax, known: &BTreeSet<String>) -> bool {
    e.any(&|part| matches!(&*part.kind, ExprSyntaxKind::Name(name) if known.contains(&name.name)))
}

/// Which functions are asked about something, and whether one is asked about what the contract holds.
fn of_the_contract(
    block: &BlockSyntax,
    functions: &UnknownFunctions,
    brought: &BTreeSet<String>,
    asked: &mut BTreeMap<String, bool>,
) {
    for statement in all_statements(&block.statements) {
        let expressions = statement.expressions().into_iter();
        expressions.for_each(|e| asked_in(e, functions, brought, asked));
    }
}

fn asked_in(
    e: &ExprSyntax,
    functions: &UnknownFunctions,
    brought: &BTreeSet<String>,
    asked: &mut BTreeMap<String, bool>,
) {
    if let Some((called, arguments)) = application(e, functions) {
        let given = arguments.iter().any(|argument| mentions(argument, brought));
        // Of literals alone it has a value that no call meets.
        let own = !given && arguments.iter().any(|argument| has_names(argument));
        *asked.entry(called).or_default() |= own;
    }
    for inner in e.children() {
        asked_in(inner, functions, brought, asked);
    }
}

fn has_names(e: &ExprSyntax) -> bool {
    match &*e.kind {
        ExprSyntaxKind::Name(_) => true,
        // `Text.EMPTY`
        ExprSyntaxKind::Dot(..) => false,
        _ => e.children().into_iter().any(has_names),
    }
}

/// `f[a][b]`, where `f` is a function of two arguments.
fn application<'e>(
    e: &'e ExprSyntax,
    functions: &UnknownFunctions,
) -> Option<(String, Vec<&'e ExprSyntax>)> {
    let mut arguments = Vec::new();
    let mut base = e;
    while let ExprSyntaxKind::Index(inner, argument) = &*base.kind {
        arguments.push(argument);
        base = inner;
    }
    let ExprSyntaxKind::Name(called) = &*base.kind else {
        return None;
    };
    let function = functions.get(&called.name)?;
    (arguments.len() == function.arguments).then(|| (called.name.clone(), arguments))
}

/// The answers of one routine.
struct Answers<'f> {
    functions: &'f UnknownFunctions,
    brought: BTreeSet<String>,
    names: TakenNames,
    /// What gets another value after its first one.
    changing: BTreeSet<String>,
    /// What was answered already: the same question has the same answer.
    known: Vec<(ExprSyntax, String)>,
    params: Vec<ast::ParamSyntax>,
    requires: Vec<ExprSyntax>,
    /// Answers in loops: each round has its own.
    locals: Vec<ast::ParamSyntax>,
    loops: usize,
    before: Vec<StmtSyntax>,
}

impl Answers<'_> {
    fn give(
        routine: &mut RoutineSyntax,
        brought: BTreeSet<String>,
        functions: &UnknownFunctions,
        names: &TakenNames,
    ) -> usize {
        let Some(body) = &mut routine.body else {
            return 0;
        };
        let mut answers = Answers {
            functions,
            brought,
            names: names.clone(),
            changing: BTreeSet::new(),
            known: Vec::new(),
            params: Vec::new(),
            requires: Vec::new(),
            locals: Vec::new(),
            loops: 0,
            before: Vec::new(),
        };
        for known in routine.params.iter().chain(&routine.returns) {
            answers.names.fresh(&known.name.name);
        }
        let mut set = BTreeSet::new();
        answers.look(body, &mut set);
        answers.block(body);
        let locals = answers.locals.iter();
        let locals = locals.map(|local| build::declare(&local.name.name, local.ty.clone(), None));
        body.statements.splice(0..0, locals);
        let given = answers.params.len();
        routine.params.extend(answers.params);
        let requires = answers.requires.into_iter();
        routine
            .contract
            .extend(requires.map(ContractClause::Requires));
        given
    }

    /// Which names there are, and which of them get a value twice.
    fn look(&mut self, block: &BlockSyntax, set: &mut BTreeSet<String>) {
        for statement in all_statements(&block.statements) {
            let changed: Vec<String> = match &statement.kind {
                StmtSyntaxKind::Var { name, value, .. } => {
                    self.names.fresh(&name.name);
                    let set = value.is_some().then(|| name.name.clone());
                    set.into_iter().collect()
                }
                StmtSyntaxKind::Assign { targets, .. } => {
                    targets.iter().filter_map(variable).collect()
                }
                StmtSyntaxKind::Havoc(places) => places.iter().filter_map(variable).collect(),
                _ => Vec::new(),
            };
            for name in changed {
                // What is no variable of the routine had a value before.
                if !set.insert(name.clone()) || !self.brought.contains(&name) {
                    self.changing.insert(name);
                }
            }
        }
    }

    fn block(&mut self, block: &mut BlockSyntax) {
        for mut statement in std::mem::take(&mut block.statements) {
            let is_loop = matches!(statement.kind, StmtSyntaxKind::While { .. });
            // What is asked at the beginning of each round cannot be answered before it.
            if !is_loop {
                for e in statement.expressions_mut() {
                    self.expression(e);
                }
            }
            block.statements.append(&mut self.before);
            self.loops += usize::from(is_loop);
            for inner in statement.blocks_mut() {
                self.block(inner);
            }
            self.loops -= usize::from(is_loop);
            block.statements.push(statement);
        }
    }

    fn expression(&mut self, e: &mut ExprSyntax) {
        if let ExprSyntaxKind::Binary(BinaryOp::Mod, value, size) = &*e.kind
            && !mentions(size, &self.brought)
            && let Some(answer) = self.answer(value, Some(size.clone()))
        {
            *e = answer;
        } else if let Some(answer) = self.answer(e, None) {
            *e = answer;
        } else {
            for inner in e.children_mut() {
                self.expression(inner);
            }
        }
    }

    /// The answer that an application is; below a number, if one is given.
    fn answer(&mut self, e: &ExprSyntax, below: Option<ExprSyntax>) -> Option<ExprSyntax> {
        let (called, arguments) = application(e, self.functions)?;
        if !arguments
            .iter()
            .any(|argument| mentions(argument, &self.brought))
        {
            return None;
        }
        let ty = self.functions.get(&called)?.result.clone();
        let question = match &below {
            Some(below) => build::binary(BinaryOp::Mod, e.clone(), below.clone()),
            None => e.clone(),
        };
        let fixed = self.loops == 0 && !mentions(e, &self.changing);
        let same = self.known.iter().find(|(known, _)| *known == question);
        if let (true, Some((_, answer))) = (fixed, same) {
            return Some(name(answer.as_str()));
        }
        let answer = self.names.fresh(&called);
        let bound = below.map(|below| compare(CompareOp::Lt, name(answer.as_str()), below));
        if self.loops == 0 {
            self.params.push(ast::ParamSyntax {
                hidden: true,
                ..param(&answer, ty)
            });
            self.requires.extend(bound);
        } else {
            self.locals.push(ast::ParamSyntax {
                hidden: false,
                name: ident(&answer),
                ty,
            });
            let havoc = StmtSyntaxKind::Havoc(vec![name(answer.as_str())]);
            self.before.push(build::stmt(havoc));
            self.before.extend(bound.map(build::assume));
        }
        if fixed {
            self.known.push((question, answer.clone()));
        }
        Some(name(answer))
    }
}
