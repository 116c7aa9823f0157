//! What others give: arguments, results of other code, and what the object keeps of them. What is made of that can be whatever it is
//! taken to be, as others choose; what is made of the object's own state alone cannot.

use std::collections::{BTreeMap, BTreeSet};

use super::helpers::OwnerId;
use super::methods::{MethodRun, Methods};
use crate::front::java::tree::{
    JavaExpr, JavaStatement, JavaStep, MethodBody, Role, StepKind, VariableId,
};
use crate::front::java::world::World;

/// What the methods that are followed hand on of what others give.
#[derive(Debug, Default)]
pub(super) struct GivenByOthers {
    /// Whether each method may return something of it.
    returned: Vec<bool>,
    /// The fields of the object under study that may keep something of it, or arrays that others fill.
    fields: BTreeSet<String>,
}

impl GivenByOthers {
    pub(super) fn of(world: &World, methods: &Methods<'_>) -> GivenByOthers {
        let mut found = GivenByOthers {
            returned: vec![false; methods.all.len()],
            fields: BTreeSet::new(),
        };
        loop {
            let before = (found.returned.clone(), found.fields.len());
            for number in 0..methods.all.len() {
                found.look_at(world, methods, number);
            }
            if before == (found.returned.clone(), found.fields.len()) {
                return found;
            }
        }
    }

    fn look_at(&mut self, world: &World, methods: &Methods<'_>, number: usize) {
        let reached = &methods.all[number];
        let Some(body) = &reached.body else { return };
        let gives = |step: &JavaStep| self.gives(methods.run_by(world, reached.owner, body, step));
        let values = GivenValues::of(self, body, &gives);
        let is_own = reached.owner == OwnerId::STUDIED;
        let mut returned = false;
        let mut fields = BTreeSet::new();
        for statement in &body.statements {
            statement.visit(&mut |part| match part {
                JavaStatement::Return(_, Some(value)) => returned |= values.has(self, value, body),
                JavaStatement::Step(step) if is_own => match &step.kind {
                    StepKind::SetField(of, field, value)
                        if of.is_this(&body.variables) && values.has(self, value, body) =>
                    {
                        fields.insert(field.name.to_string());
                    }
                    StepKind::SetElement(of, _, value, _) if values.has(self, value, body) => {
                        fields.extend(values.kept_in(of, body));
                    }
                    // Other code fills arrays that it is given.
                    StepKind::Call(_, call) if gives(step) => {
                        let arguments = call.arguments.iter();
                        fields.extend(arguments.filter_map(|of| values.kept_in(of, body)));
                    }
                    _ => {}
                },
                _ => {}
            });
        }
        self.returned[number] |= returned;
        self.fields.extend(fields);
    }

    /// Whether the result of a call may be something that others give.
    pub(super) fn gives(&self, run: Option<MethodRun>) -> bool {
        let run = run.and_then(MethodRun::seen);
        run.is_none_or(|run| self.returned[run])
    }
}

/// The variables of a body that may hold what others give, and those that hold what a field holds.
#[derive(Debug, Default)]
pub(super) struct GivenValues {
    variables: BTreeSet<VariableId>,
    of_fields: BTreeMap<VariableId, String>,
}

impl GivenValues {
    /// `gives` says of a call whether its result may be what others give.
    pub(super) fn of(
        others: &GivenByOthers,
        body: &MethodBody,
        gives: &dyn Fn(&JavaStep) -> bool,
    ) -> GivenValues {
        let parameters = body.parameters.iter().copied();
        let is_given = |id: &VariableId| body.variables[id.index()].role != Role::This;
        let mut found = GivenValues {
            variables: parameters.filter(is_given).collect(),
            of_fields: BTreeMap::new(),
        };
        let mut assigned: Vec<(VariableId, &JavaExpr)> = Vec::new();
        for statement in &body.statements {
            statement.visit(&mut |part| match part {
                JavaStatement::Try { catches, .. } => {
                    let caught = catches.iter().map(|catch| catch.variable);
                    found.variables.extend(caught);
                }
                JavaStatement::Step(step) => match &step.kind {
                    StepKind::Assign(to, value) => assigned.push((*to, value)),
                    kind if gives(step) => found.variables.extend(kind.defines()),
                    _ => {}
                },
                _ => {}
            });
        }
        for (to, value) in &assigned {
            if let Some(field) = found.kept_in(value, body) {
                found.of_fields.insert(*to, field);
            }
        }
        loop {
            let before = found.variables.len();
            for (to, value) in &assigned {
                if found.has(others, value, body) {
                    found.variables.insert(*to);
                }
            }
            if found.variables.len() == before {
                return found;
            }
        }
    }

    /// Whether others choose a value, or a part of it.
    pub(super) fn has(&self, others: &GivenByOthers, e: &JavaExpr, body: &MethodBody) -> bool {
        match e {
            JavaExpr::Variable(id) => self.variables.contains(id),
            // Whoever has the array chose them, wherever one is looked at.
            JavaExpr::Element(of, ..) | JavaExpr::Length(of) => self.has(others, of, body),
            JavaExpr::Field(of, field) if of.is_this(&body.variables) => {
                others.fields.contains(&*field.name)
            }
            JavaExpr::Field(of, _) => self.has(others, of, body),
            JavaExpr::Static(_) => true,
            other => {
                let operands = other.operands();
                let mut operands = operands.into_iter();
                operands.any(|part| self.has(others, part, body))
            }
        }
    }

    /// The own field that holds a value.
    fn kept_in(&self, e: &JavaExpr, body: &MethodBody) -> Option<String> {
        match e {
            JavaExpr::Field(of, field) if of.is_this(&body.variables) => {
                Some(field.name.to_string())
            }
            JavaExpr::Variable(id) => self.of_fields.get(id).cloned(),
            JavaExpr::Cast(_, inner) => self.kept_in(inner, body),
            _ => None,
        }
    }
}
