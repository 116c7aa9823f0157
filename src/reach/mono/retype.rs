//! Replacing types everywhere in an expression or procedure.

use crate::boogie::typed::{
    BoogieType, CmdKind, TypedCmd, TypedExpr, TypedExprKind, TypedProcedure, TypedProgram,
};

/// Replaces type parameters in an expression.
pub(in crate::reach) fn replace_types(expr: &mut TypedExpr, params: &[u32], args: &[BoogieType]) {
    if !params.is_empty() {
        in_expr(expr, &mut |ty| *ty = ty.substitute(params, args));
    }
}

/// Changes every type of a program, those of the fields of its datatypes among them.
pub(in crate::reach) fn change_types(
    program: &mut TypedProgram,
    change: &mut dyn FnMut(&mut BoogieType),
) {
    let constructors = program.types.iter_mut().flat_map(|t| &mut t.constructors);
    let fields = constructors.flatten().flat_map(|c| &mut c.fields);
    fields.for_each(|f| change(&mut f.ty));
    program.consts.iter_mut().for_each(|c| change(&mut c.ty));
    for f in &mut program.functions {
        f.params.iter_mut().for_each(|(_, ty)| change(ty));
        change(&mut f.result);
        f.body.iter_mut().for_each(|e| in_expr(e, change));
    }
    for axiom in &mut program.axioms {
        in_expr(&mut axiom.expr, change);
    }
    for var in &mut program.globals {
        change(&mut var.ty);
        var.where_.iter_mut().for_each(|e| in_expr(e, change));
    }
    for p in &mut program.procedures {
        for_types(p, change);
    }
}

/// The expressions of a command, to be changed.
pub(super) fn cmd_exprs(cmd: &mut TypedCmd) -> Vec<&mut TypedExpr> {
    match &mut cmd.kind {
        CmdKind::Assume(e) | CmdKind::Assert(e, _) => vec![e],
        CmdKind::Assign(pairs) => pairs.iter_mut().map(|(_, e)| e).collect(),
        CmdKind::Havoc(_) => Vec::new(),
        CmdKind::Call(call) => {
            let args = call.args.iter_mut().flatten();
            args.chain(&mut call.verified_under).collect()
        }
    }
}

/// Changes every type of a procedure, of its variables, contract and body.
pub(super) fn for_types(p: &mut TypedProcedure, change: &mut dyn FnMut(&mut BoogieType)) {
    for var in &mut p.vars {
        change(&mut var.ty);
        var.where_.iter_mut().for_each(|e| in_expr(e, change));
    }
    let conditions = p.requires.iter_mut().chain(&mut p.ensures);
    conditions.for_each(|c| in_expr(&mut c.expr, change));
    let cmds = p
        .body
        .iter_mut()
        .flat_map(|b| &mut b.blocks)
        .flat_map(|b| &mut b.cmds);
    cmds.for_each(|c| in_cmd(c, change));
}

fn in_cmd(cmd: &mut TypedCmd, change: &mut dyn FnMut(&mut BoogieType)) {
    if let CmdKind::Call(call) = &mut cmd.kind {
        call.type_args.iter_mut().for_each(&mut *change);
    }
    cmd_exprs(cmd).into_iter().for_each(|e| in_expr(e, change));
}

fn in_expr(expr: &mut TypedExpr, change: &mut dyn FnMut(&mut BoogieType)) {
    change(&mut expr.ty);
    match &mut expr.kind {
        TypedExprKind::Call(_, types, _)
        | TypedExprKind::Select(_, _, types)
        | TypedExprKind::Store(_, _, _, types) => types.iter_mut().for_each(&mut *change),
        TypedExprKind::Quantified(q) => q.vars.iter_mut().for_each(|(_, ty)| change(ty)),
        TypedExprKind::Instances(all) => {
            let types = all.iter_mut().flat_map(|(types, _)| types);
            types.for_each(&mut *change);
        }
        TypedExprKind::Code(code) => {
            for (block, value) in &mut code.blocks {
                block.cmds.iter_mut().for_each(|c| in_cmd(c, change));
                value.iter_mut().for_each(|e| in_expr(e, change));
            }
        }
        _ => {}
    }
    expr.children_mut()
        .into_iter()
        .for_each(|e| in_expr(e, change));
}
