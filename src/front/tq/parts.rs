//! What is directly in a statement, in a right-hand side and in an expression: to be looked at, and to be changed.

use super::ast::{
    BlockSyntax, CaseSyntax, CatchSyntax, ExprSyntax, ExprSyntaxKind, ForSyntax, Rhs, StmtSyntax,
    StmtSyntaxKind,
};

/// The functions of these names; with `mut`, what they give can be changed.
macro_rules! parts {
    ($blocks:ident, $expressions:ident, $children:ident $(, $mut:ident)?) => {
        impl StmtSyntax {
            /// The blocks directly in this statement.
            pub fn $blocks(&$($mut)? self) -> Vec<&$($mut)? BlockSyntax> {
                match &$($mut)? self.kind {
                    StmtSyntaxKind::If {
                        then, otherwise, ..
                    } => [then].into_iter().chain(otherwise).collect(),
                    StmtSyntaxKind::Switch { cases, default, .. } => {
                        let bodies = cases.into_iter().map(|CaseSyntax { body, .. }| body);
                        bodies.chain(default).collect()
                    }
                    StmtSyntaxKind::While { body, .. }
                    | StmtSyntaxKind::For(ForSyntax { body, .. })
                    | StmtSyntaxKind::Labelled(_, body)
                    | StmtSyntaxKind::Block(body) => {
                        vec![body]
                    }
                    StmtSyntaxKind::Try {
                        body,
                        catches,
                        finally,
                    } => {
                        let handlers = catches.into_iter().map(|CatchSyntax { body, .. }| body);
                        [body].into_iter().chain(handlers).chain(finally).collect()
                    }
                    _ => Vec::new(),
                }
            }

            /// The expressions directly in this statement, in the order written.
            pub fn $expressions(&$($mut)? self) -> Vec<&$($mut)? ExprSyntax> {
                match &$($mut)? self.kind {
                    StmtSyntaxKind::Var { value, .. } => {
                        value.into_iter().flat_map(Rhs::$expressions).collect()
                    }
                    StmtSyntaxKind::Assign { targets, value } => {
                        targets.into_iter().chain(value.$expressions()).collect()
                    }
                    StmtSyntaxKind::If { condition, .. } => vec![condition],
                    StmtSyntaxKind::Switch { subject, cases, .. } => {
                        let values = cases.into_iter().flat_map(|CaseSyntax { values, .. }| values);
                        [subject].into_iter().chain(values).collect()
                    }
                    StmtSyntaxKind::While {
                        condition,
                        invariants,
                        ..
                    } => [condition].into_iter().chain(invariants).collect(),
                    StmtSyntaxKind::For(ForSyntax {
                        from,
                        to,
                        invariants,
                        ..
                    }) => [from, to].into_iter().chain(invariants).collect(),
                    StmtSyntaxKind::Call(e)
                    | StmtSyntaxKind::Assume(e)
                    | StmtSyntaxKind::Assert(e) => {
                        vec![e]
                    }
                    StmtSyntaxKind::Return(list)
                    | StmtSyntaxKind::Havoc(list)
                    | StmtSyntaxKind::Guess(list) => list.into_iter().collect(),
                    StmtSyntaxKind::Labelled(..)
                    | StmtSyntaxKind::Break(_)
                    | StmtSyntaxKind::Continue(_)
                    | StmtSyntaxKind::Throw(_)
                    | StmtSyntaxKind::Try { .. }
                    | StmtSyntaxKind::Block(_) => Vec::new(),
                }
            }
        }

        impl Rhs {
            /// The expressions directly in it, in the order written.
            pub fn $expressions(&$($mut)? self) -> Vec<&$($mut)? ExprSyntax> {
                match self {
                    Rhs::Expr(e) => vec![e],
                    Rhs::New { args, .. } => args.into_iter().collect(),
                    Rhs::NewArray { length, fill, .. } => [length].into_iter().chain(fill).collect(),
                }
            }
        }

        impl ExprSyntax {
            /// The expressions directly in this one, in the order written.
            pub fn $children(&$($mut)? self) -> Vec<&$($mut)? ExprSyntax> {
                match &$($mut)? *self.kind {
                    ExprSyntaxKind::Int(_)
                    | ExprSyntaxKind::Bool(_)
                    | ExprSyntaxKind::Null
                    | ExprSyntaxKind::This
                    | ExprSyntaxKind::Star
                    | ExprSyntaxKind::Name(_) => Vec::new(),
                    ExprSyntaxKind::Dot(e, _)
                    | ExprSyntaxKind::Everywhere { everywhere: e, .. }
                    | ExprSyntaxKind::Convert(_, e)
                    | ExprSyntaxKind::Neg(e)
                    | ExprSyntaxKind::Not(e)
                    | ExprSyntaxKind::Quantified(_, _, e)
                    | ExprSyntaxKind::Old(e) => vec![e],
                    ExprSyntaxKind::Index(a, b) | ExprSyntaxKind::Binary(_, a, b) => vec![a, b],
                    ExprSyntaxKind::Update(a, b, c) | ExprSyntaxKind::If(a, b, c) => vec![a, b, c],
                    ExprSyntaxKind::Call { receiver, args, .. } => {
                        receiver.into_iter().chain(args).collect()
                    }
                    ExprSyntaxKind::Compare(first, rest) => {
                        let rest = rest.into_iter().map(|(_, e)| e);
                        [first].into_iter().chain(rest).collect()
                    }
                }
            }
        }
    };
}

parts!(blocks, expressions, children);
parts!(blocks_mut, expressions_mut, children_mut, mut);
