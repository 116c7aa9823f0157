//! The variables that hold what a field of these holds: the machine's stack has it in one where something is worked out
//! between reading the field and calling the method.

use std::collections::{BTreeMap, BTreeSet};

use crate::front::java::classfile::{AtomicFields, JavaFieldRef};
use crate::front::java::flow::graph::ControlFlowGraph;
use crate::front::java::flow::temporaries::Uses;
use crate::front::java::tree::{JavaExpr, StepKind, VariableId};

/// What variables hold.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Those that hold what these fields hold.
    of: BTreeMap<VariableId, JavaFieldRef>,
    /// Those with a new holder that is put into this field, and that is all.
    pub(super) fresh: BTreeMap<VariableId, JavaFieldRef>,
    /// The fields of which a variable holds something that holds something else as well.
    pub(super) mixed: BTreeSet<JavaFieldRef>,
}

impl Names {
    /// Looks through a body.
    pub(super) fn of(flow: &ControlFlowGraph, fields: &AtomicFields) -> Names {
        let mut names = Names::default();
        loop {
            let before = names.of.len();
            for step in flow.blocks.iter().flat_map(|block| &block.steps) {
                if let StepKind::Assign(to, value) = &step.kind
                    && let Some(field) = names.field(fields, value).cloned()
                {
                    names.of.entry(*to).or_insert(field);
                }
            }
            if names.of.len() == before {
                break;
            }
        }
        names.find_mixed(flow, fields);
        names.find_fresh(flow, fields);
        names
    }

    /// The field that an expression reads such an object from.
    pub(super) fn field<'a>(
        &'a self,
        fields: &AtomicFields,
        e: &'a JavaExpr,
    ) -> Option<&'a JavaFieldRef> {
        match e {
            JavaExpr::Field(_, field) if fields.holders.contains_key(field) => Some(field),
            JavaExpr::Static(field) if fields.accessors.contains_key(field) => Some(field),
            JavaExpr::Variable(variable) => self.of.get(variable),
            _ => None,
        }
    }

    fn find_mixed(&mut self, flow: &ControlFlowGraph, fields: &AtomicFields) {
        let mut mixed = BTreeSet::new();
        let mut other = |variable: &VariableId, given: Option<&JavaFieldRef>| {
            if let Some(field) = self.of.get(variable)
                && given != Some(field)
            {
                mixed.insert(field.clone());
                mixed.extend(given.cloned());
            }
        };
        for variable in &flow.parameters {
            other(variable, None);
        }
        for block in &flow.blocks {
            for handler in &block.handlers {
                other(&handler.variable, None);
            }
            for step in &block.steps {
                let given = match &step.kind {
                    StepKind::Assign(_, value) => self.field(fields, value),
                    _ => None,
                };
                if let Some(variable) = step.kind.defines() {
                    other(&variable, given);
                }
            }
        }
        self.mixed = mixed;
    }

    fn find_fresh(&mut self, flow: &ControlFlowGraph, fields: &AtomicFields) {
        let uses = Uses::of(flow);
        let steps = || flow.blocks.iter().flat_map(|block| &block.steps);
        let made: BTreeSet<VariableId> = steps()
            .filter_map(|step| match &step.kind {
                StepKind::New(variable, _) if uses.is_single(*variable) => Some(*variable),
                _ => None,
            })
            .collect();
        let put = steps().filter_map(|step| match &step.kind {
            StepKind::SetField(object, field, JavaExpr::Variable(variable))
                if object.is_this(&flow.variables)
                    && made.contains(variable)
                    && fields.holders.contains_key(field) =>
            {
                Some((*variable, field.clone()))
            }
            _ => None,
        });
        self.fresh = put.collect();
    }
}
