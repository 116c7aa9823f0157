//! Which axioms and functions have something to do with the procedures asked about.
//!
//! An axiom that shares no function, constant or declared type with them, not even by way of other axioms, holds or
//! fails whatever they do. A solver spends its time on it all the same, and where it needs infinitely many values (`f` and
//! `g` are each other's inverse), it never ends. Such axioms are kept apart: see [`super::question`].

use std::collections::BTreeSet;

use crate::boogie::typed::{
    BinOp, BoogieType, CmdKind, ConstId, FunctionId, ProcedureId, TypeId, TypedCmd, TypedExpr,
    TypedExprKind, TypedProcedure, TypedProgram,
};
use crate::internal::Internal;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Symbol {
    Function(FunctionId),
    Const(ConstId),
    Type(TypeId),
    /// The partial order `<:`.
    Order,
}

type Symbols = BTreeSet<Symbol>;

/// What has nothing to do with the procedures asked about.
#[derive(Default)]
pub(super) struct Apart {
    /// Numbers of axioms.
    pub axioms: BTreeSet<usize>,
    /// Numbers of functions.
    pub functions: BTreeSet<FunctionId>,
}

/// What has nothing to do with these procedures and what they call; nothing, if it is not known which procedures will be
/// asked about.
pub(super) fn apart(program: &TypedProgram, mains: &[ProcedureId]) -> Result<Apart, Internal> {
    if mains.is_empty() {
        return Ok(Apart::default());
    }
    let mut known = Symbols::new();
    for global in &program.globals {
        of_type(&global.ty, &mut known);
        global.where_.iter().for_each(|e| of_expr(e, &mut known));
    }
    for procedure in reached(program, mains)? {
        of_procedure(procedure, &mut known);
    }
    close(program, &mut known)?;
    let mut left: Vec<(usize, Symbols)> = Vec::new();
    for (i, axiom) in program.axioms.iter().enumerate() {
        let mut symbols = Symbols::new();
        of_expr(&axiom.expr, &mut symbols);
        close(program, &mut symbols)?;
        // What mentions nothing is true or false by itself.
        if !symbols.is_empty() {
            left.push((i, symbols));
        }
    }
    loop {
        let before = left.len();
        left.retain(|(_, symbols)| {
            let connected = !symbols.is_disjoint(&known);
            if connected {
                known.extend(symbols.iter().cloned());
            }
            !connected
        });
        if left.len() == before {
            let unused = |f: &FunctionId| !known.contains(&Symbol::Function(*f));
            return Ok(Apart {
                axioms: left.into_iter().map(|(i, _)| i).collect(),
                functions: program.functions.ids().filter(unused).collect(),
            });
        }
    }
}

fn cmds(procedure: &TypedProcedure) -> impl Iterator<Item = &TypedCmd> {
    let blocks = procedure.body.iter().flat_map(|b| &b.blocks);
    blocks.flat_map(|b| &b.cmds)
}

/// The procedures and all they call.
fn reached<'p>(
    program: &'p TypedProgram,
    mains: &[ProcedureId],
) -> Result<Vec<&'p TypedProcedure>, Internal> {
    let mut seen: BTreeSet<ProcedureId> = mains.iter().copied().collect();
    let mut work = mains.to_vec();
    let mut all = Vec::new();
    while let Some(id) = work.pop() {
        let procedure = program.procedures.at(id)?;
        let mut call = |cmd: &TypedCmd| {
            if let CmdKind::Call(call) = &cmd.kind
                && seen.insert(call.callee)
            {
                work.push(call.callee);
            }
        };
        for cmd in cmds(procedure) {
            call(cmd);
            for e in cmd.exprs() {
                e.visit(&mut |e| {
                    if let TypedExprKind::Code(code) = &e.kind {
                        code.blocks
                            .iter()
                            .flat_map(|(b, _)| &b.cmds)
                            .for_each(&mut call);
                    }
                });
            }
        }
        all.push(procedure);
    }
    Ok(all)
}

fn of_procedure(procedure: &TypedProcedure, into: &mut Symbols) {
    for var in &procedure.vars {
        of_type(&var.ty, into);
        var.where_.iter().for_each(|e| of_expr(e, into));
    }
    let conditions = procedure.requires.iter().chain(&procedure.ensures);
    conditions.for_each(|c| of_expr(&c.expr, into));
    cmds(procedure)
        .flat_map(TypedCmd::exprs)
        .for_each(|e| of_expr(e, into));
}

fn of_type(ty: &BoogieType, into: &mut Symbols) {
    match ty {
        BoogieType::Con(con, args) => {
            into.insert(Symbol::Type(*con));
            args.iter().for_each(|t| of_type(t, into));
        }
        BoogieType::Map(m) => m
            .domain
            .iter()
            .chain([&m.range])
            .for_each(|t| of_type(t, into)),
        _ => {}
    }
}

fn of_expr(expr: &TypedExpr, into: &mut Symbols) {
    expr.visit(&mut |e| {
        of_type(&e.ty, into);
        match &e.kind {
            TypedExprKind::Call(f, ..) => {
                into.insert(Symbol::Function(*f));
            }
            TypedExprKind::Const(c) => {
                into.insert(Symbol::Const(*c));
            }
            TypedExprKind::Binary(BinOp::Subtype, ..) => {
                into.insert(Symbol::Order);
            }
            TypedExprKind::Quantified(q) => q.vars.iter().for_each(|(_, t)| of_type(t, into)),
            _ => {}
        }
    });
}

/// Adds what the definitions of functions bring with them, and the types of functions.
fn close(program: &TypedProgram, symbols: &mut Symbols) -> Result<(), Internal> {
    let mut work: Vec<Symbol> = symbols.iter().cloned().collect();
    while let Some(symbol) = work.pop() {
        let mut more = Symbols::new();
        match symbol {
            Symbol::Function(f) => {
                let f = program.functions.at(f)?;
                f.params.iter().for_each(|(_, t)| of_type(t, &mut more));
                of_type(&f.result, &mut more);
                f.body.iter().for_each(|e| of_expr(e, &mut more));
            }
            Symbol::Type(t) => {
                let constructors = program.types.at(t)?.constructors.iter().flatten();
                let fields = constructors.flat_map(|c| &c.fields);
                fields.for_each(|f| of_type(&f.ty, &mut more));
            }
            Symbol::Const(_) | Symbol::Order => {}
        }
        for symbol in more {
            if symbols.insert(symbol.clone()) {
                work.push(symbol);
            }
        }
    }
    Ok(())
}
