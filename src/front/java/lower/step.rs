//! Steps: assignments, calls, new objects. What other code does is not known: its results are any values, it may raise
//! what it declares, and it changes the fields that others can get at.

use super::body::{Lowerer, uses};
use super::exceptions::Raised;
use super::methods::does_nothing;
use super::shape::Shape;
use super::tidy::may_raise;
use crate::front::java::classfile::{MethodRef, Monitor};
use crate::front::java::tree::{CallSite, Invocation, JavaExpr, JavaStep, StepKind, VariableId};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::tq::ast::{self, StmtSyntaxKind};
use crate::front::tq::build::{self, assign, conditional, declare, name, star, stmt, throw};

impl Lowerer<'_> {
    /// One step.
    pub(super) fn step(&mut self, step: &JavaStep) {
        match &step.kind {
            StepKind::Assign(variable, value) => self.assign(*variable, value),
            StepKind::SetField(object, field, value) => {
                let own = self.context.studied.own_field(field);
                match own.filter(|_| object.is_this(&self.body.variables)) {
                    Some(own) => {
                        let shape = self.shape(&field.ty);
                        let value = self.value_as(value, &shape);
                        let target = self.own_field(&own.name);
                        self.out.push(assign(target, value));
                    }
                    None => {
                        self.evaluate(object);
                        self.evaluate(value);
                        self.not_null(object);
                    }
                }
            }
            StepKind::SetStatic(_, value) | StepKind::Evaluate(value) => self.evaluate(value),
            StepKind::SetElement(array, index, value, _) => {
                let array = self.array(array);
                let index = self.value_as(index, &Shape::Int);
                self.evaluate(value);
                self.write_element(array, index);
            }
            StepKind::Call(result, call) => self.call(*result, call),
            StepKind::New(variable, new) => {
                for argument in &new.arguments {
                    self.evaluate(argument);
                }
                self.outside(&new.constructor);
                self.holds(*variable, &Raised::Own(new.class.clone()));
                if uses(&self.body.statements, *variable) {
                    let (here, shape) = self.locals[variable.index()].clone();
                    match shape {
                        Shape::Object => self.new_object(name(&here)),
                        _ => self.anything(*variable),
                    }
                }
            }
            StepKind::NewArray(variable, _, lengths) => {
                let mut outermost = None;
                for length in lengths {
                    let length = self.value_as(length, &Shape::Int);
                    outermost.get_or_insert(length);
                }
                let (here, shape) = self.locals[variable.index()].clone();
                match (outermost, shape) {
                    (Some(length), Shape::Array) => self.new_array(name(&here), length),
                    _ => self.anything(*variable),
                }
            }
            StepKind::Dynamic(result, call) => {
                for argument in &call.arguments {
                    self.evaluate(argument);
                }
                let Some(variable) = *result else { return };
                let (here, shape) = self.locals[variable.index()].clone();
                let is_new = matches!(call.site, CallSite::Lambda { .. } | CallSite::Concat(_));
                if is_new && shape == Shape::Object {
                    self.new_object(name(&here));
                } else {
                    self.anything(variable);
                }
            }
            StepKind::Monitor(Monitor::Enter, object) => {
                self.not_null(object);
            }
            StepKind::Monitor(_, _) => {}
        }
    }

    fn assign(&mut self, variable: VariableId, value: &JavaExpr) {
        if self.maps.contains_key(&variable) {
            return;
        }
        self.holds_what(variable, value);
        let (here, shape) = self.locals[variable.index()].clone();
        let value = self.value_as(value, &shape);
        self.out.push(assign(name(&here), value));
    }

    /// A variable gets any value of its type.
    fn anything(&mut self, variable: VariableId) {
        let here = self.locals[variable.index()].0.clone();
        self.out
            .push(stmt(StmtSyntaxKind::Havoc(vec![name(&here)])));
    }

    /// Evaluates an expression for the exceptions that it may raise.
    pub(super) fn evaluate(&mut self, e: &JavaExpr) {
        if !e.may_raise(&self.body.variables) {
            return;
        }
        let value = self.value(e);
        if may_raise(&value.e) {
            let unused = self.taken.give("unused");
            let ty = self.class.enums.ty(&value.shape);
            self.out.push(declare(&unused, ty, Some(value.e)));
        }
    }

    fn call(&mut self, result: Option<VariableId>, call: &Invocation) {
        if let Some(number) = self.context.callee(self.body, call) {
            return self.own(result, call, number);
        }
        if self.ordinal(result, call) || self.require_non_null(result, call) {
            return;
        }
        if let Some(object) = &call.receiver {
            self.evaluate(object);
        }
        for argument in &call.arguments {
            self.evaluate(argument);
        }
        if let Some(object) = &call.receiver
            && self.nulls.may_be_null(object, self.body)
        {
            self.not_null(object);
        }
        if &*call.method.name == "wait" && call.method.class().is("java/lang/Object") {
            let fields = self.class.changed_while_waiting.clone();
            self.havoc(&fields);
        }
        self.outside(&call.method);
        if let Some(variable) = result {
            self.anything(variable);
            if let Some(JavaType::Class(class)) = &call.method.signature.result {
                self.holds(variable, &Raised::Own(class.clone()));
            }
        }
    }

    /// A call of a method of the object itself.
    fn own(&mut self, result: Option<VariableId>, call: &Invocation, number: usize) {
        let callee = &self.context.methods.all[number];
        let signature = callee.method.method().signature.clone();
        let mut args: Vec<ast::ExprSyntax> = Vec::new();
        for (argument, ty) in call.arguments.iter().zip(&signature.parameters) {
            let shape = self.shape(ty);
            args.push(self.value_as(argument, &shape));
        }
        let routine = self.class.routine(number);
        let Some(variable) = result else {
            return self.run(&routine, args, None);
        };
        let (here, wanted) = self.locals[variable.index()].clone();
        let given = match &signature.result {
            Some(ty) => self.shape(ty),
            None => return self.run(&routine, args, None),
        };
        if given == wanted {
            self.run(&routine, args, Some((name(&here), true)));
        } else {
            let given = self.unknown(&given);
            self.run(&routine, args, Some((given.e.clone(), true)));
            let value = self.fit(given, &wanted);
            self.out.push(assign(name(&here), value));
        }
        if let Some(JavaType::Class(class)) = &signature.result {
            self.holds(variable, &Raised::Own(class.clone()));
        }
    }

    /// `e.ordinal()` of an enum that is known.
    fn ordinal(&mut self, result: Option<VariableId>, call: &Invocation) -> bool {
        let (Some(variable), Some(object)) = (result, &call.receiver) else {
            return false;
        };
        if &*call.method.name != "ordinal" || !call.arguments.is_empty() {
            return false;
        }
        let value = self.not_null(object);
        let Shape::Enum(class) = &value.shape else {
            return false;
        };
        let Some(found) = self.class.enums.get(class).cloned() else {
            return false;
        };
        let constants = found.constants.iter().enumerate().rev();
        let place = constants.fold(build::int(-1), |rest, (at, (_, constant))| {
            let at = build::int(u32::try_from(at).unwrap_or(u32::MAX));
            let is = build::equal(value.e.clone(), build::dot(name(&found.name), constant));
            build::choice(is, at, rest)
        });
        let here = self.locals[variable.index()].0.clone();
        self.out.push(assign(name(&here), place));
        true
    }

    /// `Objects.requireNonNull(o)`, which is how careful code says that it does not take null.
    fn require_non_null(&mut self, result: Option<VariableId>, call: &Invocation) -> bool {
        let (Some(object), true) = (
            call.arguments.first(),
            call.method.is("java/util/Objects", "requireNonNull"),
        ) else {
            return false;
        };
        let value = self.not_null(object);
        if let Some(variable) = result {
            let (here, shape) = self.locals[variable.index()].clone();
            let value = self.fit(value, &shape);
            self.out.push(assign(name(&here), value));
        }
        true
    }

    /// What a call of somebody else's method does besides its result.
    fn outside(&mut self, method: &MethodRef) {
        if does_nothing(method) {
            return;
        }
        // What an exception is made of is of no interest.
        let throwable = ClassName::new("java/lang/Throwable");
        let world = self.context.world;
        if method.is_constructor() && world.is_subclass(&method.class(), &throwable) == Some(true) {
            return;
        }
        let owner = super::names::simple(&method.class());
        let called = match method.is_constructor() {
            true => format!("new {owner}"),
            false => format!("{owner}.{}", method.name),
        };
        self.outside.insert(called);
        let fields = self.class.changed_outside.clone();
        self.havoc(&fields);
        for raised in self.context.of_outside(method, &self.walk.handlers.clone()) {
            let exception = self.exception(&raised);
            self.out
                .push(conditional(star(), vec![throw(&exception)], vec![]));
        }
    }

    fn havoc(&mut self, fields: &[String]) {
        if fields.is_empty() {
            return;
        }
        let places = fields.iter().map(|field| self.own_field(field)).collect();
        self.out.push(stmt(StmtSyntaxKind::Havoc(places)));
    }
}
