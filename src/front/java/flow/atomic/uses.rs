//! What is done with these fields: where it is anything but to read and write through them, somebody else may have what they
//! hold.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{AtomicCall, atomic_call};
use super::names::Names;
use super::operation::{Operation, gives_accessor};
use super::rewrite::takes_text;
use crate::front::java::classfile::{
    AtomicFields, ClassFile, JavaFieldRef, Method, PoolConstant, Text,
};
use crate::front::java::flow::error::Refused;
use crate::front::java::flow::graph::ControlFlowGraph;
use crate::front::java::flow::lifted;
use crate::front::java::tree::{CallSite, Invocation, JavaExpr, StepKind, VariableId};
use crate::front::java::types::{ClassName, JavaType};

/// The fields with which a method does something else than to read and write what they are for.
///
/// # Errors
/// The code is malformed, or something in it is not taken.
pub fn misused(
    class: &ClassFile,
    method: &Method,
    fields: &AtomicFields,
) -> Result<BTreeSet<JavaFieldRef>, Refused> {
    let Some(flow) = lifted(class, method)? else {
        return Ok(BTreeSet::new());
    };
    let names = Names::of(&flow, fields);
    let mut search = Search {
        class,
        method,
        flow: &flow,
        fields,
        found: names.mixed.clone(),
        names,
    };
    for block in &flow.blocks {
        for step in &block.steps {
            search.step(&step.kind);
        }
        if let Some(e) = block.exit.expression() {
            search.other(e);
        }
    }
    Ok(search.found)
}

struct Search<'a> {
    class: &'a ClassFile,
    method: &'a Method,
    flow: &'a ControlFlowGraph,
    fields: &'a AtomicFields,
    names: Names,
    found: BTreeSet<JavaFieldRef>,
}

impl Search<'_> {
    /// An expression whose value is used in some way.
    fn other(&mut self, e: &JavaExpr) {
        if let Some(field) = self.names.field(self.fields, e) {
            self.found.insert(field.clone());
        }
        // No compiler looks for a private field in another class than its own.
        if let JavaExpr::Field(_, field) | JavaExpr::Static(field) = e {
            let named = self
                .fields
                .holders
                .keys()
                .chain(self.fields.accessors.keys());
            let namesakes = named.filter(|other| other.name == field.name && other.ty == field.ty);
            self.found.extend(namesakes.cloned());
        }
        for operand in e.operands() {
            self.other(operand);
        }
    }

    /// An expression that is read or written through: what it is read from may be of others.
    fn through(&mut self, e: &JavaExpr) {
        for operand in e.operands() {
            self.other(operand);
        }
    }

    fn step(&mut self, step: &StepKind) {
        match step {
            StepKind::Assign(_, value) | StepKind::Evaluate(value)
                if self.names.field(self.fields, value).is_some() =>
            {
                self.through(value);
            }
            StepKind::New(variable, new) if self.names.fresh.contains_key(variable) => {
                // Subclasses, which nobody has, would do something else.
                let field = &self.names.fresh[variable];
                if JavaType::Class(new.class.clone()) != field.ty {
                    self.found.insert(field.clone());
                }
                new.arguments.iter().for_each(|e| self.other(e));
            }
            StepKind::SetField(object, field, value) => {
                self.put(field, value);
                self.other(object);
                self.other(value);
            }
            StepKind::SetStatic(field, value) => {
                let initial = self.method.is_class_initialiser() && self.class.name == field.class;
                if self.fields.accessors.contains_key(field) && !initial {
                    self.found.insert(field.clone());
                }
                self.other(value);
            }
            StepKind::Call(result, call) => self.call(*result, call),
            StepKind::Dynamic(_, call) if matches!(call.site, CallSite::Concat(_)) => {
                for e in &call.arguments {
                    match self.holder(e) {
                        true => self.through(e),
                        false => self.other(e),
                    }
                }
            }
            step => step.expressions().into_iter().for_each(|e| self.other(e)),
        }
    }

    fn holder(&self, e: &JavaExpr) -> bool {
        let field = self.names.field(self.fields, e);
        field.is_some_and(|field| self.fields.holders.contains_key(field))
    }

    /// A holder is put into its field by a constructor, and that is all that becomes of it.
    fn put(&mut self, field: &JavaFieldRef, value: &JavaExpr) {
        if !self.fields.holders.contains_key(field) {
            return;
        }
        let fresh = match value {
            JavaExpr::Variable(variable) => self.names.fresh.get(variable) == Some(field),
            _ => false,
        };
        let constructs = self.method.is_constructor() && self.class.name == field.class;
        if !(fresh && constructs) {
            self.found.insert(field.clone());
        }
    }

    fn call(&mut self, result: Option<VariableId>, call: &Invocation) {
        if let Some(atomic) = atomic_call(call, self.fields, &self.names) {
            if !self.is_taken(result, &atomic) {
                self.found.insert(atomic.field.clone());
            }
            match self.holder(atomic.object) {
                true => self.through(atomic.object),
                false => self.other(atomic.object),
            }
            let rest = atomic.rest.into_iter().chain(atomic.arguments);
            return rest.for_each(|e| self.other(e));
        }
        for (at, e) in call.arguments.iter().enumerate() {
            match self.holder(e) && at == 0 && takes_text(&call.method) {
                true => self.through(e),
                false => self.other(e),
            }
        }
        call.receiver.iter().for_each(|e| self.other(e));
    }

    /// Whether a plain field can stand in the place of what is read and written.
    fn is_taken(&self, result: Option<VariableId>, call: &AtomicCall<'_>) -> bool {
        let Some(meant) = self.fields.meant(&call.field) else {
            return false;
        };
        let variables = &self.flow.variables;
        let held = self.fields.holders.contains_key(&call.field);
        let ty = call.object.ty(variables);
        let has_field = held
            || call.object.is_this(variables)
            || ty == Some(JavaType::Class(meant.class.clone()));
        // Two fractions that are equal may be told apart, bit by bit.
        let fraction = matches!(meant.ty, JavaType::Float | JavaType::Double);
        // What another kind of number is read or written as is not the field's value.
        let as_it_is = result.is_none_or(|result| {
            let of_result = variables[result.index()].ty.kind();
            let compared = call.operation == Operation::CompareAndSet;
            compared || call.operation == Operation::Text || of_result == meant.ty.kind()
        });
        let applied = matches!(call.operation, Operation::Apply(_));
        let known_function = !applied || matches!(meant.ty, JavaType::Int | JavaType::Long);
        let calculated = matches!(call.operation, Operation::Calculate(..));
        let same_kind = |e: &JavaExpr| {
            e.ty(variables)
                .is_none_or(|ty| ty.kind() == meant.ty.kind())
        };
        let given_as_it_is = applied || call.arguments.iter().all(same_kind);
        let calculates = !calculated || matches!(meant.ty, JavaType::Int | JavaType::Long);
        has_field && !fraction && as_it_is && given_as_it_is && known_function && calculates
    }
}

/// The static fields that a class keeps what it reads and writes fields through in, each with the class and the name of the
/// field: as its initialiser finds them, each once.
///
/// # Errors
/// The code is malformed, or something in it is not taken.
pub fn targets(class: &ClassFile) -> Result<BTreeMap<JavaFieldRef, (ClassName, String)>, Refused> {
    let initialiser = class.methods.iter().find(|m| m.is_class_initialiser());
    let Some(flow) = initialiser.map_or(Ok(None), |method| lifted(class, method))? else {
        return Ok(BTreeMap::new());
    };
    let steps = || flow.blocks.iter().flat_map(|block| &block.steps);
    let mut made: BTreeMap<VariableId, Option<(ClassName, String)>> = BTreeMap::new();
    for step in steps() {
        let Some(variable) = step.kind.defines() else {
            continue;
        };
        let target = match &step.kind {
            StepKind::Call(_, call) if gives_accessor(&call.method) => target(class, call, &flow),
            _ => None,
        };
        // What is assigned twice is not known.
        let twice = made.contains_key(&variable);
        made.insert(variable, target.filter(|_| !twice));
    }
    let mut found: BTreeMap<JavaFieldRef, Option<(ClassName, String)>> = BTreeMap::new();
    for step in steps() {
        if let StepKind::SetStatic(field, value) = &step.kind {
            let target = match value {
                JavaExpr::Variable(variable) => made.get(variable).cloned().flatten(),
                _ => None,
            };
            let twice = found.contains_key(field);
            found.insert(field.clone(), target.filter(|_| !twice));
        }
    }
    let found = found.into_iter();
    Ok(found
        .filter_map(|(field, target)| Some((field, target?)))
        .collect())
}

/// The field that a call finds: in the first class that it names, or in its own one where that is the type of the field.
fn target(
    class: &ClassFile,
    call: &Invocation,
    flow: &ControlFlowGraph,
) -> Option<(ClassName, String)> {
    let constants = call.arguments.iter().map(|e| constant(e, flow));
    let mut classes = 0;
    let mut first = None;
    let mut name = None;
    for (constant, ty) in constants.zip(&call.method.signature.parameters) {
        let of_class = *ty == JavaType::class("java/lang/Class");
        classes += usize::from(of_class);
        match constant {
            Some(PoolConstant::Class(JavaType::Class(found))) if of_class && classes == 1 => {
                first = Some(found.clone());
            }
            Some(PoolConstant::String(Text::Plain(text))) => name = Some(text.to_string()),
            _ => {}
        }
    }
    let looks_in_itself = call
        .method
        .is("jdk/internal/invoke/MhUtil", "findVarHandle")
        && classes == 1;
    let looked_in = match looks_in_itself {
        true => class.name.clone(),
        false => first?,
    };
    Some((looked_in, name?))
}

/// The constant that an expression is: itself, or what the only assignment of a variable puts there.
fn constant<'a>(e: &'a JavaExpr, flow: &'a ControlFlowGraph) -> Option<&'a PoolConstant> {
    match e {
        JavaExpr::Constant(constant) => Some(constant),
        JavaExpr::Variable(variable) => {
            let steps = flow.blocks.iter().flat_map(|block| &block.steps);
            let mut given = steps.filter(|step| step.kind.defines() == Some(*variable));
            match (given.next().map(|step| &step.kind), given.next()) {
                (Some(StepKind::Assign(_, JavaExpr::Constant(constant))), None) => Some(constant),
                _ => None,
            }
        }
        _ => None,
    }
}
