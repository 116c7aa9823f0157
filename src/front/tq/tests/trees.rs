//! Random syntax trees: every tree that the grammar can give, whatever its names and types mean.

use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::ast::*;
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp, Control, Quantifier, RoutineKind};

fn ident() -> impl Strategy<Value = Ident> {
    // Words that are special somewhere are names everywhere.
    select(vec![
        "a",
        "b",
        "x1",
        "_y",
        "state",
        "outcomes",
        "pure",
        "initially",
        "fact",
        "assumes",
        "monitored",
        "controllable",
        "length",
        "type",
        "enum",
        "exception",
        "array",
        "map",
        "Mode",
        "C",
    ])
    .prop_map(|name| Ident {
        name: name.to_owned(),
        span: Span::default(),
    })
}

fn idents(least: usize) -> impl Strategy<Value = Vec<Ident>> {
    vec(ident(), least..3)
}

fn plain_type() -> impl Strategy<Value = Type> {
    let name = select(vec!["int", "nat", "bool", "u8", "C", "array"]).prop_map(|name| {
        Type::Name(Ident {
            name: name.to_owned(),
            span: Span::default(),
        })
    });
    name.prop_recursive(3, 6, 2, |inner| {
        prop_oneof![
            nullable(inner.clone()).prop_map(|t| Type::Array(Box::new(t))),
            ident().prop_map(Type::Within),
            (nullable(inner.clone()), nullable(inner))
                .prop_map(|(k, v)| Type::Map(Box::new(k), Box::new(v))),
        ]
    })
}

fn nullable(ty: impl Strategy<Value = Type>) -> impl Strategy<Value = Type> {
    (ty, any::<bool>()).prop_map(|(ty, nullable)| {
        if nullable {
            Type::Nullable(Box::new(ty))
        } else {
            ty
        }
    })
}

fn ty() -> impl Strategy<Value = Type> {
    nullable(plain_type())
}

fn param() -> impl Strategy<Value = Param> {
    (ident(), ty()).prop_map(|(name, ty)| Param::new(name, ty))
}

fn input() -> impl Strategy<Value = Param> {
    (param(), any::<bool>()).prop_map(|(param, hidden)| Param { hidden, ..param })
}

fn expression(kind: ExprKind) -> Expr {
    Expr {
        kind: Box::new(kind),
        span: Span::default(),
    }
}

fn operators() -> impl Strategy<Value = BinaryOp> {
    select(vec![
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Mod,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Implies,
        BinaryOp::Iff,
    ])
}

fn comparisons() -> impl Strategy<Value = CompareOp> {
    select(vec![
        CompareOp::Eq,
        CompareOp::Ne,
        CompareOp::Lt,
        CompareOp::Le,
        CompareOp::Gt,
        CompareOp::Ge,
    ])
}

fn conversions() -> impl Strategy<Value = Ident> {
    select(vec!["int", "i8", "u64"]).prop_map(|name| Ident {
        name: name.to_owned(),
        span: Span::default(),
    })
}

fn call(inner: impl Strategy<Value = Expr> + Clone) -> impl Strategy<Value = Expr> {
    let receiver = option::of(inner.clone());
    (receiver, ident(), vec(inner, 0..3)).prop_map(|(receiver, name, args)| {
        expression(ExprKind::Call {
            receiver,
            name,
            args,
        })
    })
}

pub fn expr() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(|n| ExprKind::Int(BigInt::from(n) * 3_u32)),
        any::<bool>().prop_map(ExprKind::Bool),
        Just(ExprKind::Null),
        Just(ExprKind::This),
        ident().prop_map(ExprKind::Name),
    ]
    .prop_map(expression);
    leaf.prop_recursive(6, 40, 3, |e| {
        let kind = prop_oneof![
            (e.clone(), ident()).prop_map(|(e, name)| ExprKind::Dot(e, name)),
            (e.clone(), e.clone()).prop_map(|(a, b)| ExprKind::Index(a, b)),
            (e.clone(), e.clone(), e.clone()).prop_map(|(a, b, c)| ExprKind::Update(a, b, c)),
            (ty(), ty(), e.clone()).prop_map(|(key, value, everywhere)| ExprKind::Everywhere {
                key,
                value,
                everywhere,
            }),
            (conversions(), e.clone()).prop_map(|(name, e)| ExprKind::Convert(name, e)),
            e.clone().prop_map(ExprKind::Neg),
            e.clone().prop_map(ExprKind::Not),
            e.clone().prop_map(ExprKind::Old),
            (operators(), e.clone(), e.clone()).prop_map(|(op, a, b)| ExprKind::Binary(op, a, b)),
            (e.clone(), vec((comparisons(), e.clone()), 1..4))
                .prop_map(|(a, rest)| ExprKind::Compare(a, rest)),
            (e.clone(), e.clone(), e.clone()).prop_map(|(a, b, c)| ExprKind::If(a, b, c)),
            (
                select(vec![Quantifier::Forall, Quantifier::Exists]),
                vec(param(), 1..3),
                e.clone()
            )
                .prop_map(|(q, params, e)| ExprKind::Quantified(q, params, e)),
        ];
        prop_oneof![10 => kind.prop_map(expression), 1 => call(e)]
    })
    .boxed()
}

/// What the grammar takes before `:=`: no operator outside.
fn place() -> impl Strategy<Value = Expr> {
    prop_oneof![
        ident().prop_map(ExprKind::Name),
        (expr(), ident()).prop_map(|(e, name)| ExprKind::Dot(e, name)),
        (expr(), expr()).prop_map(|(a, b)| ExprKind::Index(a, b)),
    ]
    .prop_map(expression)
}

fn condition() -> impl Strategy<Value = Expr> {
    prop_oneof![4 => expr(), 1 => Just(expression(ExprKind::Star))]
}

fn rhs() -> impl Strategy<Value = Rhs> {
    prop_oneof![
        condition().prop_map(Rhs::Expr),
        (ident(), option::of(ident()), vec(expr(), 0..2)).prop_map(|(class, constructor, args)| {
            Rhs::New {
                class,
                constructor,
                args,
            }
        }),
        (ty(), expr(), option::of(expr())).prop_map(|(element, length, fill)| Rhs::NewArray {
            element,
            length,
            fill,
        }),
    ]
}

fn statement(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

fn block(inner: impl Strategy<Value = Stmt>) -> impl Strategy<Value = Block> {
    vec(inner, 0..3).prop_map(|statements| Block { statements })
}

fn stmt() -> impl Strategy<Value = Stmt> {
    let leaf = prop_oneof![
        (ident(), ty(), option::of(rhs())).prop_map(|(name, ty, value)| StmtKind::Var {
            name,
            ty,
            value
        }),
        (vec(place(), 1..3), rhs())
            .prop_map(|(targets, value)| StmtKind::Assign { targets, value }),
        call(expr()).prop_map(StmtKind::Call),
        option::of(ident()).prop_map(StmtKind::Break),
        option::of(ident()).prop_map(StmtKind::Continue),
        vec(expr(), 0..3).prop_map(StmtKind::Return),
        vec(place(), 1..3).prop_map(StmtKind::Havoc),
        expr().prop_map(StmtKind::Assume),
        expr().prop_map(StmtKind::Assert),
        option::of(ident()).prop_map(StmtKind::Throw),
    ]
    .prop_map(statement);
    leaf.prop_recursive(3, 12, 3, |s| {
        let catch = (idents(0), block(s.clone())).prop_map(|(exceptions, body)| Catch {
            exceptions,
            body,
            span: Span::default(),
        });
        prop_oneof![
            (condition(), block(s.clone()), option::of(block(s.clone()))).prop_map(
                |(condition, then, otherwise)| StmtKind::If {
                    condition,
                    then,
                    otherwise
                }
            ),
            (
                option::of(ident()),
                condition(),
                vec(expr(), 0..2),
                block(s.clone())
            )
                .prop_map(|(label, condition, invariants, body)| {
                    StmtKind::While {
                        label,
                        condition,
                        invariants,
                        body,
                    }
                }),
            tried(s.clone(), catch),
            (ident(), block(s.clone())).prop_map(|(label, body)| StmtKind::Labelled(label, body)),
            block(s).prop_map(StmtKind::Block),
        ]
        .prop_map(statement)
    })
}

/// `try`, with a handler at least or a `finally`.
fn tried(
    inner: impl Strategy<Value = Stmt> + Clone,
    catch: impl Strategy<Value = Catch>,
) -> impl Strategy<Value = StmtKind> {
    let parts = (
        block(inner.clone()),
        vec(catch, 0..3),
        any::<bool>(),
        block(inner),
    );
    parts.prop_map(|(body, catches, has_last, last)| StmtKind::Try {
        body,
        finally: (has_last || catches.is_empty()).then_some(last),
        catches,
    })
}

fn clause() -> impl Strategy<Value = Clause> {
    let path = (option::of(ident()), ident()).prop_map(|(class, field)| FieldPath { class, field });
    prop_oneof![
        expr().prop_map(Clause::Requires),
        expr().prop_map(Clause::Ensures),
        vec(path, 1..3).prop_map(Clause::Modifies),
        ident().prop_map(Clause::Throws),
        (
            select(vec![Bound::Over, Bound::Under, Bound::When]),
            expr(),
            vec((ident(), expr()), 0..2)
        )
            .prop_map(|(bound, condition, with)| {
                Clause::Enabled(Split {
                    bound,
                    condition,
                    with,
                    span: Span::default(),
                })
            }),
    ]
}

fn routine() -> impl Strategy<Value = Routine> {
    let kind = select(vec![
        RoutineKind::Constructor,
        RoutineKind::Action,
        RoutineKind::Procedure,
    ]);
    let control = option::of(select(vec![Control::Controllable, Control::Monitored]));
    let head = (kind, any::<bool>(), control, ident(), any::<bool>());
    let lists = (vec(input(), 0..3), vec(param(), 0..3), idents(0));
    let rest = (vec(clause(), 0..3), option::of(block(stmt())));
    (head, lists, rest).prop_map(|(head, lists, (contract, body))| {
        let (kind, pure, control, name, named) = head;
        let (params, returns, outcomes) = lists;
        let named = named || kind != RoutineKind::Constructor;
        Routine {
            kind,
            pure,
            control,
            name: named.then_some(name),
            params,
            returns,
            outcomes,
            contract,
            body,
            span: Span::default(),
        }
    })
}

fn member() -> impl Strategy<Value = Member> {
    prop_oneof![
        (ident(), ty(), option::of(expr())).prop_map(|(name, ty, value)| Member::Const {
            name,
            ty,
            value
        }),
        (ident(), ty(), option::of(expr())).prop_map(|(name, ty, value)| Member::Var {
            name,
            ty,
            value
        }),
        expr().prop_map(Member::Invariant),
        expr().prop_map(Member::Initially),
        expr().prop_map(Member::Fact),
        (idents(0), expr()).prop_map(|(enabled, assumes)| Member::State {
            enabled,
            assumes,
            span: Span::default()
        }),
        (ident(), vec(param(), 0..3), ty(), expr()).prop_map(|(name, params, result, body)| {
            Member::Function(Function {
                name,
                params,
                result,
                body,
            })
        }),
        routine().prop_map(Member::Routine),
    ]
}

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        (ident(), idents(0)).prop_map(|(name, members)| Item::Enum { name, members }),
        (ident(), idents(0)).prop_map(|(name, values)| Item::Opaque { name, values }),
        ident().prop_map(|name| Item::Exception { name }),
        (ident(), vec(member(), 0..4)).prop_map(|(name, members)| Item::Class(Class {
            name,
            members,
            span: Span::default()
        })),
    ]
}

pub fn file() -> impl Strategy<Value = File> {
    vec(item(), 0..3).prop_map(|items| File { items })
}
