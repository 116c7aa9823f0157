//! What is directly in a statement, a step and an expression: to be looked at, and to be changed.

use super::{DynamicCall, Invocation, JavaCatch, JavaExpr, JavaStatement, New, StepKind};

/// The functions of these names; with `mut`, what they give can be changed.
macro_rules! parts {
    ($parts:ident, $expressions:ident, $operands:ident $(, $mut:ident)?) => {
        impl JavaStatement {
            /// The lists of statements that it is made of.
            pub fn $parts(&$($mut)? self) -> Vec<&$($mut)? Vec<JavaStatement>> {
                match self {
                    JavaStatement::If {
                        then, otherwise, ..
                    } => vec![then, otherwise],
                    JavaStatement::Switch { cases, default, .. } => {
                        let bodies = cases.into_iter().map(|(_, body)| body);
                        bodies.chain([default]).collect()
                    }
                    JavaStatement::Loop { body, .. } | JavaStatement::Labelled { body, .. } => {
                        vec![body]
                    }
                    JavaStatement::Try { body, catches } => {
                        let handlers = catches.into_iter().map(|JavaCatch { body, .. }| body);
                        [body].into_iter().chain(handlers).collect()
                    }
                    JavaStatement::Step(_)
                    | JavaStatement::Break(_)
                    | JavaStatement::Continue(_)
                    | JavaStatement::Return(..)
                    | JavaStatement::Throw(..) => Vec::new(),
                }
            }

            /// The expressions that it evaluates itself, those of statements in it left out.
            pub fn $expressions(&$($mut)? self) -> Vec<&$($mut)? JavaExpr> {
                match self {
                    JavaStatement::Step(step) => step.kind.$expressions(),
                    JavaStatement::If { condition, .. } => vec![condition],
                    JavaStatement::Switch { value, .. } => vec![value],
                    JavaStatement::Loop { condition, .. } => {
                        condition.into_iter().map(|(_, c)| c).collect()
                    }
                    JavaStatement::Return(_, value) => value.into_iter().collect(),
                    JavaStatement::Throw(_, value) => vec![value],
                    _ => Vec::new(),
                }
            }
        }

        impl StepKind {
            /// The expressions in it, in the order in which they are evaluated.
            pub fn $expressions(&$($mut)? self) -> Vec<&$($mut)? JavaExpr> {
                match self {
                    StepKind::Assign(_, value)
                    | StepKind::SetStatic(_, value)
                    | StepKind::Monitor(_, value)
                    | StepKind::Evaluate(value) => vec![value],
                    StepKind::SetField(object, _, value) => vec![object, value],
                    StepKind::SetElement(array, index, value, _) => vec![array, index, value],
                    StepKind::Call(_, Invocation { receiver, arguments, .. }) => {
                        receiver.into_iter().chain(arguments).collect()
                    }
                    StepKind::New(_, New { arguments: list, .. })
                    | StepKind::NewArray(_, _, list)
                    | StepKind::Dynamic(_, DynamicCall { arguments: list, .. }) => {
                        list.into_iter().collect()
                    }
                }
            }
        }

        impl JavaExpr {
            /// Its operands, from left to right.
            pub fn $operands(&$($mut)? self) -> Vec<&$($mut)? JavaExpr> {
                match self {
                    JavaExpr::Constant(_)
                    | JavaExpr::Boolean(_)
                    | JavaExpr::Variable(_)
                    | JavaExpr::Static(_) => vec![],
                    JavaExpr::Field(a, _)
                    | JavaExpr::Length(a)
                    | JavaExpr::Negate(_, a)
                    | JavaExpr::Convert(_, _, a)
                    | JavaExpr::Not(a)
                    | JavaExpr::Cast(_, a)
                    | JavaExpr::InstanceOf(_, a)
                    | JavaExpr::FromBoolean(a)
                    | JavaExpr::ToBoolean(a) => vec![a],
                    JavaExpr::Element(a, b, _)
                    | JavaExpr::Binary(_, _, a, b)
                    | JavaExpr::Logic(_, a, b)
                    | JavaExpr::Compare(_, a, b)
                    | JavaExpr::Relation(_, _, a, b)
                    | JavaExpr::And(a, b)
                    | JavaExpr::Or(a, b) => vec![a, b],
                    JavaExpr::Conditional(a, b, c) => vec![a, b, c],
                }
            }
        }
    };
}

parts!(parts, expressions, operands);
parts!(parts_mut, expressions_mut, operands_mut, mut);
