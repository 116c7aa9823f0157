//! Declared types that hold the integers.
//!
//! `(forall x: int :: G(F(x)) == x)` gives a declared type infinitely many values: those that `F` makes of the integers, and
//! maybe others. A solver looks for finite models and never ends. So the type becomes a datatype: `F` is one constructor,
//! `G` takes the integer out again, and has some value or other where there is none, as before; a second constructor
//! makes all other values. Where `F(G(u)) == u` holds too, there are no others.
//!
//! That there are others is no restriction unless something says of all values that there are not; so a type that is bound by
//! another quantifier or lambda stays as it is, without the second axiom.

use crate::boogie::ast::QuantKind;
use crate::boogie::typed::{
    BinOp, BoogieType, CmdKind, ConstructorField, DatatypeConstructor, FunctionId, Quantified,
    SolverFunction, TypeCon, TypeId, TypedCmd, TypedExpr, TypedExprKind, TypedFunction,
    TypedProgram,
};
use crate::internal::Internal;

/// Changes the program so.
pub(super) fn integers_as_datatypes(program: &mut TypedProgram) -> Result<(), Internal> {
    let inverses: Vec<_> = program.axioms.iter().map(|a| inverse(&a.expr)).collect();
    for (axiom, found) in inverses.iter().enumerate() {
        let Some((out, into, BoogieType::Int)) = *found else {
            continue;
        };
        let Some(con) = plain_type(program, into, out)? else {
            continue;
        };
        let wanted = Some((into, out, BoogieType::Con(con, Vec::new())));
        let back = inverses.iter().position(|found| *found == wanted);
        if back.is_none() && is_bound(program, con) {
            continue;
        }
        make(program, con, into, out, back.is_none())?;
        for (number, axiom_now) in program.axioms.iter_mut().enumerate() {
            if number == axiom || Some(number) == back {
                axiom_now.expr = TypedExpr::bool(TypedExprKind::Bool(true));
            }
        }
    }
    Ok(())
}

/// Of `(forall x: T :: f(g(x)) == x)`: `f`, `g` and `T`.
fn inverse(axiom: &TypedExpr) -> Option<(FunctionId, FunctionId, BoogieType)> {
    let TypedExprKind::Quantified(q) = &axiom.kind else {
        return None;
    };
    let Quantified {
        kind: QuantKind::Forall,
        type_params,
        vars,
        body,
        ..
    } = &**q
    else {
        return None;
    };
    let ([(x, ty)], []) = (vars.as_slice(), type_params.as_slice()) else {
        return None;
    };
    let is_x = |e: &TypedExpr| matches!(e.kind, TypedExprKind::Bound(y) if y == *x);
    let TypedExprKind::Binary(BinOp::Eq, left, right) = &body.kind else {
        return None;
    };
    let call = if is_x(right) {
        left
    } else if is_x(left) {
        right
    } else {
        return None;
    };
    let (f, inner) = unary(call)?;
    let (g, argument) = unary(inner)?;
    is_x(argument).then(|| (f, g, ty.clone()))
}

/// The function and the argument of a call with one argument.
fn unary(call: &TypedExpr) -> Option<(FunctionId, &TypedExpr)> {
    match &call.kind {
        TypedExprKind::Call(f, types, args) if types.is_empty() => match args.as_slice() {
            [argument] => Some((*f, argument)),
            _ => None,
        },
        _ => None,
    }
}

/// The declared type without parameters that `into` makes of an integer and `out` takes apart, if nothing defines them.
fn plain_type(
    program: &TypedProgram,
    into: FunctionId,
    out: FunctionId,
) -> Result<Option<TypeId>, Internal> {
    let open = |f: &TypedFunction| f.body.is_none() && f.builtin.is_none();
    let (into, out) = (program.functions.at(into)?, program.functions.at(out)?);
    let BoogieType::Con(con, arguments) = &into.result else {
        return Ok(None);
    };
    let fits = open(into)
        && open(out)
        && arguments.is_empty()
        && program.types.at(*con)?.constructors.is_none()
        && out.result == BoogieType::Int;
    Ok(fits.then_some(*con))
}

/// Does a quantifier or lambda bind something with that type? `call P(*)`, whose check speaks of all values, counts too.
fn is_bound(program: &TypedProgram, con: TypeId) -> bool {
    let bodies = program.procedures.iter().flat_map(|p| &p.body);
    let cmds: Vec<&TypedCmd> = bodies
        .flat_map(|b| &b.blocks)
        .flat_map(|b| &b.cmds)
        .collect();
    let any_value = cmds.iter().any(|cmd| match &cmd.kind {
        CmdKind::Call(call) => call.args.iter().any(Option::is_none),
        _ => false,
    });
    let vars = program.procedures.iter().flat_map(|p| &p.vars);
    let wheres = program.globals.iter().chain(vars).flat_map(|v| &v.where_);
    let contracts = program
        .procedures
        .iter()
        .flat_map(|p| p.requires.iter().chain(&p.ensures));
    let exprs = program.axioms.iter().map(|a| &a.expr);
    let exprs = exprs.chain(program.functions.iter().flat_map(|f| &f.body));
    let exprs = exprs.chain(wheres).chain(contracts.map(|c| &c.expr));
    let mut bound = any_value;
    for e in exprs.chain(cmds.into_iter().flat_map(TypedCmd::exprs)) {
        e.visit(&mut |e| match &e.kind {
            TypedExprKind::Quantified(q) => {
                bound |=
                    !q.type_params.is_empty() || q.vars.iter().any(|(_, ty)| mentions(ty, con));
            }
            TypedExprKind::Code(code) => bound |= !code.locals.is_empty(),
            _ => {}
        });
    }
    bound
}

fn mentions(ty: &BoogieType, con: TypeId) -> bool {
    match ty {
        BoogieType::Con(c, arguments) => *c == con || arguments.iter().any(|a| mentions(a, con)),
        BoogieType::Map(map) => map
            .domain
            .iter()
            .chain([&map.range])
            .any(|t| mentions(t, con)),
        _ => false,
    }
}

/// Makes the type a datatype, of the constructor `into` with the field `out`, and maybe of one for other values.
fn make(
    program: &mut TypedProgram,
    con: TypeId,
    into: FunctionId,
    out: FunctionId,
    others: bool,
) -> Result<(), Internal> {
    let mut all = vec![constructor(program, con, 0, into, (out, BoogieType::Int))?];
    program.functions.at_mut(into)?.builtin = Some(SolverFunction::Constructor(0));
    program.functions.at_mut(out)?.builtin = Some(SolverFunction::Selector(0, 0));
    if others {
        let rest = format!("{}#other", program.types.at(con)?.name);
        let field = program.types.push(TypeCon {
            name: rest.clone(),
            arity: 0,
            constructors: None,
        });
        let field = BoogieType::Con(field, Vec::new());
        let whole = BoogieType::Con(con, Vec::new());
        let function = helper(
            program,
            into,
            format!("{rest}#make"),
            &field,
            whole.clone(),
            SolverFunction::Constructor(1),
        )?;
        let selector = helper(
            program,
            into,
            format!("{rest}#value"),
            &whole,
            field.clone(),
            SolverFunction::Selector(1, 0),
        )?;
        all.push(constructor(program, con, 1, function, (selector, field))?);
    }
    program.types.at_mut(con)?.constructors = Some(all);
    Ok(())
}

/// The constructor of that number, with its field's selector and type.
fn constructor(
    program: &mut TypedProgram,
    con: TypeId,
    index: usize,
    function: FunctionId,
    field: (FunctionId, BoogieType),
) -> Result<DatatypeConstructor, Internal> {
    let name = program.functions.at(function)?.name.clone();
    let whole = BoogieType::Con(con, Vec::new());
    let tester = helper(
        program,
        function,
        format!("is#{name}"),
        &whole,
        BoogieType::Bool,
        SolverFunction::Tester(index),
    )?;
    let (selector, ty) = field;
    Ok(DatatypeConstructor {
        params: Vec::new(),
        function,
        tester,
        fields: vec![ConstructorField {
            name: program.functions.at(selector)?.name.clone(),
            ty,
            selector,
        }],
        name,
    })
}

/// Another function, declared where `like` is.
pub(super) fn helper(
    program: &mut TypedProgram,
    like: FunctionId,
    name: String,
    from: &BoogieType,
    result: BoogieType,
    builtin: SolverFunction,
) -> Result<FunctionId, Internal> {
    let pos = program.functions.at(like)?.pos;
    Ok(program.functions.push(TypedFunction {
        name,
        pos,
        type_params: Vec::new(),
        params: vec![(0, from.clone())],
        result,
        body: None,
        builtin: Some(builtin),
    }))
}
