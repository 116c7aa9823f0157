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

fn plain_type() -> impl Strategy<Value = TypeSyntax> {
    let name = select(vec!["int", "nat", "bool", "u8", "C", "array"]).prop_map(|name| {
        TypeSyntax::Name(Ident {
            name: name.to_owned(),
            span: Span::default(),
        })
    });
    name.prop_recursive(3, 6, 2, |inner| {
        prop_oneof![
            nullable(inner.clone()).prop_map(|t| TypeSyntax::Array(Box::new(t))),
            ident().prop_map(TypeSyntax::Within),
            (nullable(inner.clone()), nullable(inner))
                .prop_map(|(k, v)| TypeSyntax::Map(Box::new(k), Box::new(v))),
        ]
    })
}

fn nullable(ty: impl Strategy<Value = TypeSyntax>) -> impl Strategy<Value = TypeSyntax> {
    (ty, any::<bool>()).prop_map(|(ty, nullable)| {
        if nullable {
            TypeSyntax::Nullable(Box::new(ty))
        } else {
            ty
        }
    })
}

fn ty() -> impl Strategy<Value = TypeSyntax> {
    nullable(plain_type())
}

fn param() -> impl Strategy<Value = ParamSyntax> {
    (ident(), ty()).prop_map(|(name, ty)| ParamSyntax::new(name, ty))
}

fn input() -> impl Strategy<Value = ParamSyntax> {
    (param(), any::<bool>()).prop_map(|(param, hidden)| ParamSyntax { hidden, ..param })
}

fn expression(kind: ExprSyntaxKind) -> ExprSyntax {
    ExprSyntax {
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

fn call(inner: impl Strategy<Value = ExprSyntax> + Clone) -> impl Strategy<Value = ExprSyntax> {
    let receiver = option::of(inner.clone());
    (receiver, ident(), vec(inner, 0..3)).prop_map(|(receiver, name, args)| {
        expression(ExprSyntaxKind::Call {
            receiver,
            name,
            args,
        })
    })
}

pub fn expr() -> BoxedStrategy<ExprSyntax> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(|n| ExprSyntaxKind::Int(BigInt::from(n) * 3_u32)),
        any::<bool>().prop_map(ExprSyntaxKind::Bool),
        Just(ExprSyntaxKind::Null),
        Just(ExprSyntaxKind::This),
        ident().prop_map(ExprSyntaxKind::Name),
    ]
    .prop_map(expression);
    leaf.prop_recursive(6, 40, 3, |e| {
        let kind = prop_oneof![
            (e.clone(), ident()).prop_map(|(e, name)| ExprSyntaxKind::Dot(e, name)),
            (e.clone(), e.clone()).prop_map(|(a, b)| ExprSyntaxKind::Index(a, b)),
            (e.clone(), e.clone(), e.clone()).prop_map(|(a, b, c)| ExprSyntaxKind::Update(a, b, c)),
            (ty(), ty(), e.clone()).prop_map(|(key, value, everywhere)| {
                ExprSyntaxKind::Everywhere {
                    key,
                    value,
                    everywhere,
                }
            }),
            (conversions(), e.clone()).prop_map(|(name, e)| ExprSyntaxKind::Convert(name, e)),
            e.clone().prop_map(ExprSyntaxKind::Neg),
            e.clone().prop_map(ExprSyntaxKind::Not),
            e.clone().prop_map(ExprSyntaxKind::Old),
            (operators(), e.clone(), e.clone())
                .prop_map(|(op, a, b)| ExprSyntaxKind::Binary(op, a, b)),
            (e.clone(), vec((comparisons(), e.clone()), 1..4))
                .prop_map(|(a, rest)| ExprSyntaxKind::Compare(a, rest)),
            (e.clone(), e.clone(), e.clone()).prop_map(|(a, b, c)| ExprSyntaxKind::If(a, b, c)),
            (
                select(vec![Quantifier::Forall, Quantifier::Exists]),
                vec(param(), 1..3),
                e.clone()
            )
                .prop_map(|(q, params, e)| ExprSyntaxKind::Quantified(q, params, e)),
        ];
        prop_oneof![10 => kind.prop_map(expression), 1 => call(e)]
    })
    .boxed()
}

/// What the grammar takes before `:=`: no operator outside.
fn place() -> impl Strategy<Value = ExprSyntax> {
    prop_oneof![
        ident().prop_map(ExprSyntaxKind::Name),
        (expr(), ident()).prop_map(|(e, name)| ExprSyntaxKind::Dot(e, name)),
        (expr(), expr()).prop_map(|(a, b)| ExprSyntaxKind::Index(a, b)),
    ]
    .prop_map(expression)
}

fn condition() -> impl Strategy<Value = ExprSyntax> {
    prop_oneof![4 => expr(), 1 => Just(expression(ExprSyntaxKind::Star))]
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

fn statement(kind: StmtSyntaxKind) -> StmtSyntax {
    StmtSyntax {
        kind,
        span: Span::default(),
        origin: Origin::default(),
    }
}

fn block(inner: impl Strategy<Value = StmtSyntax>) -> impl Strategy<Value = BlockSyntax> {
    vec(inner, 0..3).prop_map(|statements| BlockSyntax { statements })
}

fn stmt() -> impl Strategy<Value = StmtSyntax> {
    let leaf = prop_oneof![
        (ident(), ty(), option::of(rhs())).prop_map(|(name, ty, value)| StmtSyntaxKind::Var {
            name,
            ty,
            value
        }),
        (vec(place(), 1..3), rhs())
            .prop_map(|(targets, value)| StmtSyntaxKind::Assign { targets, value }),
        call(expr()).prop_map(StmtSyntaxKind::Call),
        option::of(ident()).prop_map(StmtSyntaxKind::Break),
        option::of(ident()).prop_map(StmtSyntaxKind::Continue),
        vec(expr(), 0..3).prop_map(StmtSyntaxKind::Return),
        vec(place(), 1..3).prop_map(StmtSyntaxKind::Havoc),
        vec(place(), 1..3).prop_map(StmtSyntaxKind::Guess),
        expr().prop_map(StmtSyntaxKind::Assume),
        expr().prop_map(StmtSyntaxKind::Assert),
        option::of(ident()).prop_map(StmtSyntaxKind::Throw),
    ]
    .prop_map(statement);
    leaf.prop_recursive(3, 12, 3, |s| {
        let catch = (idents(0), block(s.clone())).prop_map(|(exceptions, body)| CatchSyntax {
            exceptions,
            body,
            span: Span::default(),
        });
        let case = (vec(expr(), 1..3), block(s.clone())).prop_map(|(values, body)| CaseSyntax {
            values,
            body,
            span: Span::default(),
        });
        prop_oneof![
            (condition(), block(s.clone()), option::of(block(s.clone()))).prop_map(
                |(condition, then, otherwise)| StmtSyntaxKind::If {
                    condition,
                    then,
                    otherwise
                }
            ),
            (expr(), vec(case, 1..3), option::of(block(s.clone()))).prop_map(
                |(subject, cases, default)| StmtSyntaxKind::Switch {
                    subject,
                    cases,
                    default
                }
            ),
            (
                option::of(ident()),
                condition(),
                vec(expr(), 0..2),
                block(s.clone())
            )
                .prop_map(|(label, condition, invariants, body)| {
                    StmtSyntaxKind::While {
                        label,
                        condition,
                        invariants,
                        body,
                    }
                }),
            counted(s.clone()),
            tried(s.clone(), catch),
            (ident(), block(s.clone()))
                .prop_map(|(label, body)| StmtSyntaxKind::Labelled(label, body)),
            block(s).prop_map(StmtSyntaxKind::Block),
        ]
        .prop_map(statement)
    })
}

/// `for`, up and down.
fn counted(inner: impl Strategy<Value = StmtSyntax>) -> impl Strategy<Value = StmtSyntaxKind> {
    let head = (option::of(ident()), ident(), option::of(ty()));
    let bounds = (expr(), any::<bool>(), expr());
    let rounds = (vec(expr(), 0..2), block(inner));
    (head, bounds, rounds).prop_map(
        |((label, name, ty), (from, down, to), (invariants, body))| {
            StmtSyntaxKind::For(ForSyntax {
                label,
                name,
                ty,
                from,
                down,
                to,
                invariants,
                body,
            })
        },
    )
}

/// `try`, with a handler at least or a `finally`.
fn tried(
    inner: impl Strategy<Value = StmtSyntax> + Clone,
    catch: impl Strategy<Value = CatchSyntax>,
) -> impl Strategy<Value = StmtSyntaxKind> {
    let parts = (
        block(inner.clone()),
        vec(catch, 0..3),
        any::<bool>(),
        block(inner),
    );
    parts.prop_map(|(body, catches, has_last, last)| StmtSyntaxKind::Try {
        body,
        finally: (has_last || catches.is_empty()).then_some(last),
        catches,
    })
}

fn shown() -> impl Strategy<Value = ShownText> {
    let texts = select(vec!["write(byte[], int)", "öffnen", "a b"]);
    texts.prop_map(|text| ShownText {
        text: text.into(),
        span: Span::default(),
    })
}

fn clause() -> impl Strategy<Value = ContractClause> {
    let path = (option::of(ident()), ident()).prop_map(|(class, field)| FieldPath { class, field });
    prop_oneof![
        expr().prop_map(ContractClause::Requires),
        expr().prop_map(ContractClause::Ensures),
        vec(path, 1..3).prop_map(ContractClause::Modifies),
        ident().prop_map(ContractClause::Throws),
        shown().prop_map(ContractClause::Shown),
        (
            select(vec![Bound::Over, Bound::Under, Bound::When]),
            expr(),
            vec((ident(), expr()), 0..2)
        )
            .prop_map(|(bound, condition, with)| {
                ContractClause::Enabled(SplitSyntax {
                    bound,
                    condition,
                    with,
                    span: Span::default(),
                })
            }),
    ]
}

fn routine() -> impl Strategy<Value = RoutineSyntax> {
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
        RoutineSyntax {
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
            Member::Function(FunctionSyntax {
                name,
                params,
                result,
                body,
            })
        }),
        routine().prop_map(Member::Routine),
    ]
}

fn item() -> impl Strategy<Value = ItemSyntax> {
    prop_oneof![
        (ident(), idents(0)).prop_map(|(name, members)| ItemSyntax::Enum { name, members }),
        (ident(), idents(0)).prop_map(|(name, values)| ItemSyntax::Opaque { name, values }),
        (ident(), option::of(shown()))
            .prop_map(|(name, shown)| ItemSyntax::Exception { name, shown }),
        (ident(), vec(member(), 0..4)).prop_map(|(name, members)| ItemSyntax::Class(ClassSyntax {
            name,
            members,
            span: Span::default()
        })),
    ]
}

pub fn file() -> impl Strategy<Value = FileSyntax> {
    vec(item(), 0..3).prop_map(|items| FileSyntax { items })
}
