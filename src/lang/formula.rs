//! Building and taking apart typed expressions: what the analyses that reason about contracts have in common.
//!
//! The constructors simplify as they build (`true && e` is `e`, `2 < 3` is `true`), so that derived formulas
//! stay short enough for a person to read.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use super::ast::{BinaryOp, CompareOp, Quantifier};
use super::ir::{
    BuiltinException, ClassId, Expr, ExprKind, FieldRef, FunctionRef, Program, Type, VarId,
};
use super::span::Span;

/// An expression without a place in the source.
pub fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr {
        kind: Box::new(kind),
        ty,
        span: Span::default(),
    }
}

/// An integer.
pub fn int(value: impl Into<BigInt>) -> Expr {
    expr(ExprKind::Int(value.into()), Type::Int)
}

/// `true` or `false`.
pub fn bool(value: bool) -> Expr {
    expr(ExprKind::Bool(value), Type::Bool)
}

/// `null`.
pub fn null() -> Expr {
    expr(ExprKind::Null, Type::Null)
}

/// A variable.
pub fn var(program: &Program, id: VarId) -> Expr {
    let ty = match &program.var(id).ty {
        Type::Nat => Type::Int,
        ty => ty.clone(),
    };
    expr(ExprKind::Var(id), ty)
}

/// The fields of `this`, an object of the class, in the order declared.
pub fn own_fields(program: &Program, class: ClassId) -> Vec<Expr> {
    let this = expr(
        ExprKind::This,
        Type::Class {
            class,
            nullable: false,
        },
    );
    let fields = program.class(class).fields.iter().enumerate();
    fields
        .map(|(index, field)| {
            let ty = match &field.ty {
                Type::Nat => Type::Int,
                ty => ty.clone(),
            };
            expr(ExprKind::Field(this.clone(), FieldRef { class, index }), ty)
        })
        .collect()
}

/// Whether the expression is this boolean constant.
pub fn is_bool(e: &Expr, value: bool) -> bool {
    matches!(&*e.kind, ExprKind::Bool(b) if *b == value)
}

/// `!e`
pub fn not(e: Expr) -> Expr {
    match *e.kind {
        ExprKind::Bool(b) => bool(!b),
        ExprKind::Not(inner) => inner,
        ExprKind::Compare(op, a, b) => compare(negated(op), a, b),
        kind => expr(
            ExprKind::Not(Expr {
                kind: Box::new(kind),
                ty: e.ty,
                span: e.span,
            }),
            Type::Bool,
        ),
    }
}

/// The comparison that holds exactly when this one does not.
pub fn negated(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Ge => CompareOp::Lt,
        CompareOp::Gt => CompareOp::Le,
        CompareOp::Le => CompareOp::Gt,
    }
}

/// `a && b`
pub fn and(a: Expr, b: Expr) -> Expr {
    if is_bool(&a, false) || is_bool(&b, false) {
        bool(false)
    } else if is_bool(&a, true) || same(&a, &b) {
        b
    } else if is_bool(&b, true) {
        a
    } else {
        expr(ExprKind::Binary(BinaryOp::And, a, b), Type::Bool)
    }
}

/// `a || b`
pub fn or(a: Expr, b: Expr) -> Expr {
    if is_bool(&a, true) || is_bool(&b, true) {
        bool(true)
    } else if is_bool(&a, false) || same(&a, &b) {
        b
    } else if is_bool(&b, false) {
        a
    } else {
        expr(ExprKind::Binary(BinaryOp::Or, a, b), Type::Bool)
    }
}

/// `a ==> b`
pub fn implies(a: Expr, b: Expr) -> Expr {
    if is_bool(&a, false) || is_bool(&b, true) {
        bool(true)
    } else if is_bool(&a, true) {
        b
    } else if is_bool(&b, false) {
        not(a)
    } else {
        expr(ExprKind::Binary(BinaryOp::Implies, a, b), Type::Bool)
    }
}

/// The conjunction; repeated conjuncts are dropped.
pub fn all(conjuncts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    for conjunct in conjuncts.into_iter().flat_map(conjuncts_of) {
        if !kept.iter().any(|k| same(k, &conjunct)) {
            kept.push(conjunct);
        }
    }
    kept.into_iter().reduce(and).unwrap_or_else(|| bool(true))
}

/// The disjunction; repeated disjuncts are dropped.
pub fn any(disjuncts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    for disjunct in disjuncts {
        if !kept.iter().any(|k| same(k, &disjunct)) {
            kept.push(disjunct);
        }
    }
    kept.into_iter().reduce(or).unwrap_or_else(|| bool(false))
}

/// The top-level conjuncts of a formula, left to right.
pub fn conjuncts_of(e: Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        match *e.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => {
                stack.push(b);
                stack.push(a);
            }
            kind => out.push(Expr {
                kind: Box::new(kind),
                ty: e.ty,
                span: e.span,
            }),
        }
    }
    out
}

/// `a op b`; decided where both sides are constants or the same expression.
pub fn compare(op: CompareOp, a: Expr, b: Expr) -> Expr {
    if let (Some(x), Some(y)) = (literal(&a), literal(&b)) {
        return bool(holds(op, x.cmp(&y)));
    }
    if let (ExprKind::Member(_, x), ExprKind::Member(_, y)) = (&*a.kind, &*b.kind) {
        return bool(holds(op, x.cmp(y)));
    }
    if let (ExprKind::Bool(x), ExprKind::Bool(y)) = (&*a.kind, &*b.kind) {
        return bool(holds(op, x.cmp(y)));
    }
    if matches!((&*a.kind, &*b.kind), (ExprKind::Null, ExprKind::Null)) || same(&a, &b) {
        return bool(holds(op, std::cmp::Ordering::Equal));
    }
    expr(ExprKind::Compare(op, a, b), Type::Bool)
}

/// The value of an integer literal, negative ones included.
fn literal(e: &Expr) -> Option<BigInt> {
    match &*e.kind {
        ExprKind::Int(value) => Some(value.clone()),
        ExprKind::Neg(inner) => match (&*inner.kind, &e.ty) {
            (ExprKind::Int(value), Type::Int) => Some(-value),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a comparison holds for values in this order.
fn holds(op: CompareOp, order: std::cmp::Ordering) -> bool {
    match op {
        CompareOp::Eq => order.is_eq(),
        CompareOp::Ne => order.is_ne(),
        CompareOp::Lt => order.is_lt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::Ge => order.is_ge(),
    }
}

/// Whether two expressions are the same, places aside.
pub fn same(a: &Expr, b: &Expr) -> bool {
    use ExprKind::*;
    match (&*a.kind, &*b.kind) {
        (Int(x), Int(y)) => x == y,
        (Bool(x), Bool(y)) => x == y,
        (Member(e, x), Member(f, y)) => e == f && x == y,
        (Null, Null) | (This, This) => true,
        (Var(x), Var(y)) => x == y,
        (Field(x, f), Field(y, g)) => f == g && same(x, y),
        (Length(x), Length(y)) | (Neg(x), Neg(y)) | (Not(x), Not(y)) | (Old(x), Old(y)) => {
            same(x, y)
        }
        (Convert(x), Convert(y)) => a.ty == b.ty && same(x, y),
        (Element(x, i), Element(y, j)) | (Select(x, i), Select(y, j)) => same(x, y) && same(i, j),
        (Store(x, i, v), Store(y, j, w)) | (If(x, i, v), If(y, j, w)) => {
            same(x, y) && same(i, j) && same(v, w)
        }
        (
            Call {
                receiver: x,
                function: f,
                args: xs,
            },
            Call {
                receiver: y,
                function: g,
                args: ys,
            },
        ) => {
            f == g
                && same(x, y)
                && xs.len() == ys.len()
                && xs.iter().zip(ys).all(|(x, y)| same(x, y))
        }
        (Binary(o, x, y), Binary(p, v, w)) => o == p && a.ty == b.ty && same(x, v) && same(y, w),
        (Compare(o, x, y), Compare(p, v, w)) => o == p && same(x, v) && same(y, w),
        (Quantified(q, vs, x), Quantified(r, ws, y)) => q == r && vs == ws && same(x, y),
        _ => false,
    }
}

/// The same expression with its immediate subexpressions replaced.
pub fn map_children(e: &Expr, mut f: impl FnMut(&Expr) -> Expr) -> Expr {
    use ExprKind::*;
    let kind = match &*e.kind {
        Int(_) | Bool(_) | Member(..) | Null | This | Var(_) => return e.clone(),
        Field(a, field) => Field(f(a), *field),
        Length(a) => Length(f(a)),
        Convert(a) => Convert(f(a)),
        Neg(a) => Neg(f(a)),
        Not(a) => {
            return Expr {
                span: e.span,
                ..not(f(a))
            };
        }
        Old(a) => Old(f(a)),
        Quantified(q, vars, body) => {
            let body = f(body);
            // The type may have no values (objects of a class), so only these two are decided.
            if is_bool(&body, *q == Quantifier::Forall) {
                return body;
            }
            Quantified(*q, vars.clone(), body)
        }
        Element(a, b) => Element(f(a), f(b)),
        Select(a, b) => Select(f(a), f(b)),
        Binary(BinaryOp::And, a, b) => return and(f(a), f(b)),
        Binary(BinaryOp::Or, a, b) => return or(f(a), f(b)),
        Binary(BinaryOp::Implies, a, b) => return implies(f(a), f(b)),
        Binary(op, a, b) => Binary(*op, f(a), f(b)),
        Compare(op, a, b) => return compare(*op, f(a), f(b)),
        Store(a, b, c) => Store(f(a), f(b), f(c)),
        If(a, b, c) => {
            let condition = f(a);
            match &*condition.kind {
                Bool(true) => return f(b),
                Bool(false) => return f(c),
                _ => If(condition, f(b), f(c)),
            }
        }
        Call {
            receiver,
            function,
            args,
        } => Call {
            receiver: f(receiver),
            function: *function,
            args: args.iter().map(f).collect(),
        },
    };
    Expr {
        kind: Box::new(kind),
        ty: e.ty.clone(),
        span: e.span,
    }
}

/// What stands for a variable, or for `this`.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    /// Variables.
    pub vars: BTreeMap<VarId, Expr>,
    /// `this`, where it changes.
    pub this: Option<Expr>,
}

impl Substitution {
    /// One variable.
    pub fn one(var: VarId, value: Expr) -> Self {
        Substitution {
            vars: BTreeMap::from([(var, value)]),
            this: None,
        }
    }

    /// The expression with every variable replaced at once. Variables are distinct throughout a program, so
    /// nothing can be captured.
    pub fn apply(&self, e: &Expr) -> Expr {
        match &*e.kind {
            ExprKind::Var(id) => self.vars.get(id).cloned().unwrap_or_else(|| e.clone()),
            ExprKind::This => self.this.clone().unwrap_or_else(|| e.clone()),
            _ => map_children(e, |child| self.apply(child)),
        }
    }
}

/// The expression without calls of functions: each replaced by its body. Functions do not recurse.
pub fn inline_functions(program: &Program, e: &Expr) -> Expr {
    match &*e.kind {
        ExprKind::Call {
            receiver,
            function,
            args,
        } => {
            let declared = program.function(*function);
            arguments(program, *function, receiver, args)
                .apply(&inline_functions(program, &declared.body))
        }
        _ => map_children(e, |child| inline_functions(program, child)),
    }
}

/// What a function's body stands for in a call.
fn arguments(
    program: &Program,
    function: FunctionRef,
    receiver: &Expr,
    args: &[Expr],
) -> Substitution {
    let params = program.function(function).params.iter().copied();
    Substitution {
        vars: params
            .zip(args.iter().map(|arg| inline_functions(program, arg)))
            .collect(),
        this: Some(inline_functions(program, receiver)),
    }
}

/// The variables that occur in an expression, bound ones included.
pub fn vars_of(e: &Expr) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if let ExprKind::Var(id) = &*e.kind {
            found.insert(*id);
        }
        stack.extend(e.children());
    }
    found
}

/// Whether any subexpression (the expression itself included) satisfies the test.
pub fn contains(e: &Expr, test: &mut impl FnMut(&Expr) -> bool) -> bool {
    test(e) || e.children().into_iter().any(|child| contains(child, test))
}

/// A condition under which evaluating an expression raises an exception.
#[derive(Clone, Debug)]
pub struct Hazard {
    /// When: a formula that is itself defined wherever the hazards before it do not strike.
    pub when: Expr,
    /// What is raised.
    pub exception: BuiltinException,
    /// The subexpression to blame.
    pub span: Span,
    /// Whether it can strike only where a declared type is not kept to: a parameter or field whose type has no
    /// `?` is null. Wherever the invariant holds, it does not.
    pub against_type: bool,
}

/// What can go wrong in evaluating an expression, in the order of evaluation. The right side of a short-circuit
/// operator is evaluated only where the left side does not decide. The conditions are free of function calls.
pub fn hazards(program: &Program, e: &Expr) -> Vec<Hazard> {
    use ExprKind::*;
    match &*e.kind {
        Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), a, b) => {
            let left = inline_functions(program, a);
            let looked_at = if *op == BinaryOp::Or { not(left) } else { left };
            let mut found = hazards(program, a);
            found.extend(guarded(hazards(program, b), &looked_at));
            found
        }
        If(condition, then, otherwise) => {
            let mut found = hazards(program, condition);
            let condition = inline_functions(program, condition);
            found.extend(guarded(hazards(program, then), &condition));
            found.extend(guarded(hazards(program, otherwise), &not(condition)));
            found
        }
        Quantified(_, vars, body) => wrapped(hazards(program, body), |when| {
            expr(
                Quantified(Quantifier::Exists, vars.clone(), when),
                Type::Bool,
            )
        }),
        Old(inner) => wrapped(hazards(program, inner), |when| expr(Old(when), Type::Bool)),
        Call {
            receiver,
            function,
            args,
        } => {
            // As with routines: the receiver is looked at, and found null, before the arguments.
            let mut found = hazards(program, receiver);
            found.extend(own_hazards(program, e));
            found.extend(args.iter().flat_map(|arg| hazards(program, arg)));
            let body = &program.function(*function).body;
            let substitution = arguments(program, *function, receiver, args);
            found.extend(wrapped(hazards(program, body), |when| {
                substitution.apply(&when)
            }));
            found
        }
        _ => {
            let mut found: Vec<Hazard> = e
                .children()
                .into_iter()
                .flat_map(|c| hazards(program, c))
                .collect();
            found.extend(own_hazards(program, e));
            found
        }
    }
}

fn wrapped(found: Vec<Hazard>, wrap: impl Fn(Expr) -> Expr) -> Vec<Hazard> {
    found
        .into_iter()
        .map(|h| Hazard {
            when: wrap(h.when),
            ..h
        })
        .collect()
}

fn guarded(found: Vec<Hazard>, condition: &Expr) -> Vec<Hazard> {
    let known = conjuncts_of(condition.clone());
    found
        .into_iter()
        .filter(|h| !known.iter().any(|k| same(k, &not(h.when.clone()))))
        .map(|h| Hazard {
            when: and(condition.clone(), h.when),
            ..h
        })
        .collect()
}

/// What the operation itself can raise, its operands being defined.
fn own_hazards(program: &Program, e: &Expr) -> Vec<Hazard> {
    use ExprKind::*;
    let hazard = |when: Expr, exception, against_type| Hazard {
        when: inline_functions(program, &when),
        exception,
        span: e.span,
        against_type,
    };
    let null_hazard = |object: &Expr| {
        let is_null = compare(CompareOp::Eq, object.clone(), null());
        let not_nullable = matches!(
            object.ty,
            Type::Class {
                nullable: false,
                ..
            } | Type::Array {
                nullable: false,
                ..
            }
        );
        match &*object.kind {
            This => None,
            Field(..) | Var(_) => Some(hazard(
                is_null,
                BuiltinException::NullDereference,
                not_nullable,
            )),
            _ => Some(hazard(is_null, BuiltinException::NullDereference, false)),
        }
    };
    match &*e.kind {
        Field(object, _)
        | Length(object)
        | Call {
            receiver: object, ..
        } => null_hazard(object).into_iter().collect(),
        Element(array, index) => {
            let length = expr(Length(array.clone()), Type::Int);
            let outside = or(
                compare(CompareOp::Lt, index.clone(), int(0)),
                compare(CompareOp::Ge, index.clone(), length),
            );
            null_hazard(array)
                .into_iter()
                .chain([hazard(outside, BuiltinException::IndexOutOfRange, false)])
                .collect()
        }
        Binary(BinaryOp::Div | BinaryOp::Mod, _, divisor) => {
            let zero = compare(CompareOp::Eq, divisor.clone(), int(0));
            if is_bool(&zero, false) {
                vec![]
            } else {
                vec![hazard(zero, BuiltinException::DivisionByZero, false)]
            }
        }
        _ => vec![],
    }
}

/// A clause of a contract as a total formula: where it is not defined, it does not hold. Functions are inlined.
pub fn clause(program: &Program, e: &Expr) -> Expr {
    total(program, e, |_| true)
}

/// The same formula, for where the invariant and the types of parameters are known to hold: shorter, as nothing
/// is said of references that cannot be null.
pub fn clause_under_invariant(program: &Program, e: &Expr) -> Expr {
    total(program, e, |hazard| !hazard.against_type)
}

fn total(program: &Program, e: &Expr, counts: impl Fn(&Hazard) -> bool) -> Expr {
    let defined = hazards(program, e)
        .into_iter()
        .filter(counts)
        .map(|h| not(h.when));
    all(defined.chain([inline_functions(program, e)]))
}
