//! Which references may be null as far as the class is concerned. Arguments and own fields may; what other code gives is
//! taken not to be, where it is used: else every call might fail.

use std::collections::BTreeSet;

use crate::front::java::classfile::Constant;
use crate::front::java::tree::{Body, Call, Expr, Role, Statement, StepKind, VariableId};

/// The variables of a body that may be null.
#[derive(Debug, Default)]
pub struct Nulls {
    variables: BTreeSet<VariableId>,
}

impl Nulls {
    /// Looks at what is assigned. `is_own` says of a call whether it runs an own method.
    pub fn of(body: &Body, is_own: impl Fn(&Call) -> bool) -> Nulls {
        let parameters = body.parameters.iter().copied();
        let variables = parameters
            .filter(|id| body.variables[id.index()].role != Role::This)
            .collect();
        let mut nulls = Nulls { variables };
        loop {
            let before = nulls.variables.len();
            for statement in &body.statements {
                statement.visit(&mut |part| {
                    let Statement::Step(step) = part else { return };
                    let found = match &step.kind {
                        StepKind::Assign(variable, value) => {
                            nulls.may_be_null(value, body).then_some(*variable)
                        }
                        StepKind::Call(Some(variable), call) => is_own(call).then_some(*variable),
                        _ => None,
                    };
                    nulls.variables.extend(found);
                });
            }
            if nulls.variables.len() == before {
                return nulls;
            }
        }
    }

    /// Whether a reference may be null.
    pub fn may_be_null(&self, value: &Expr, body: &Body) -> bool {
        match value {
            Expr::Constant(constant) => *constant == Constant::Null,
            Expr::Variable(variable) => self.variables.contains(variable),
            Expr::Field(object, field) => {
                // `this$0` is set before anything else is done.
                object.is_this(&body.variables) && !field.name.starts_with("this$")
            }
            Expr::Cast(_, inner) => self.may_be_null(inner, body),
            Expr::Conditional(_, a, b) => self.may_be_null(a, body) || self.may_be_null(b, body),
            _ => false,
        }
    }
}
