//! Which references may be null as far as the class is concerned. Arguments and own fields may; what other code gives is
//! taken not to be, where it is used: else every call might fail.

use std::collections::BTreeSet;

use crate::front::java::classfile::{JavaFieldRef, PoolConstant};
use crate::front::java::tree::{
    JavaExpr, JavaStatement, JavaStep, MethodBody, Role, StepKind, VariableId,
};

/// The variables of a body that may be null.
#[derive(Debug, Default)]
pub(super) struct Nulls {
    variables: BTreeSet<VariableId>,
    /// The own fields that never are.
    fields: BTreeSet<JavaFieldRef>,
}

impl Nulls {
    /// Looks at what is assigned. `is_followed` says of a call whether it runs a method that is followed, `is_never_null` which
    /// of the object's own fields never are.
    pub(super) fn of(
        body: &MethodBody,
        is_followed: impl Fn(&JavaStep) -> bool,
        is_never_null: impl Fn(&JavaFieldRef) -> bool,
    ) -> Nulls {
        let parameters = body.parameters.iter().copied();
        let variables = parameters
            .filter(|id| !matches!(body.variables[id.index()].role, Role::This | Role::Around))
            .collect();
        let mut fields = BTreeSet::new();
        for statement in &body.statements {
            statement.visit(&mut |part| {
                for e in part.expressions() {
                    e.visit(&mut |e| {
                        if let JavaExpr::Field(_, field) = e
                            && is_never_null(field)
                        {
                            fields.insert(field.clone());
                        }
                    });
                }
            });
        }
        let mut nulls = Nulls { variables, fields };
        loop {
            let before = nulls.variables.len();
            for statement in &body.statements {
                statement.visit(&mut |part| {
                    let JavaStatement::Step(step) = part else {
                        return;
                    };
                    let found = match &step.kind {
                        StepKind::Assign(variable, value) => {
                            nulls.may_be_null(value, body).then_some(*variable)
                        }
                        StepKind::Call(Some(variable), _) => is_followed(step).then_some(*variable),
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
    pub(super) fn may_be_null(&self, value: &JavaExpr, body: &MethodBody) -> bool {
        match value {
            JavaExpr::Constant(constant) => *constant == PoolConstant::Null,
            JavaExpr::Variable(variable) => self.variables.contains(variable),
            JavaExpr::Field(object, field) => {
                // `this$0` is set before anything else is done.
                let never = field.name.starts_with("this$") || self.fields.contains(field);
                object.is_this(&body.variables) && !never
            }
            JavaExpr::Cast(_, inner) => self.may_be_null(inner, body),
            JavaExpr::Conditional(_, a, b) => {
                self.may_be_null(a, body) || self.may_be_null(b, body)
            }
            _ => false,
        }
    }
}
