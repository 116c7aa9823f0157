//! Steps: assignments, calls, new objects. What other code does is not known: its results are any values, it may raise
//! what it declares, and it changes the fields that others can get at.

use super::aliases::{NewValues, OwnChanges};
use super::body::{Lowerer, uses};
use super::elsewhere::Reach;
use super::exceptions::Raised;
use super::helpers::OwnerId;
use super::methods::{MethodRun, does_nothing};
use super::shape::Shape;
use super::tidy::may_raise;
use crate::front::java::classfile::{JavaFieldRef, MethodRef, Monitor, PoolConstant};
use crate::front::java::tree::{
    CallSite, Invocation, JavaExpr, JavaStep, New, StepKind, VariableId,
};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::documented::Most;
use crate::front::tq::ast::{self, StmtSyntaxKind};
use crate::front::tq::build::{
    self, assign, binary, choice, compare, conditional, declare, int, name, star, stmt, throw,
};
use crate::ir::{BinaryOp, CompareOp};

/// What a number is at least and at most.
struct Bounds {
    least: i32,
    most: Option<ast::ExprSyntax>,
}

impl Lowerer<'_> {
    /// One step.
    pub(super) fn step(&mut self, step: &JavaStep) {
        match &step.kind {
            StepKind::Assign(variable, value) => self.assign(*variable, value),
            StepKind::SetField(object, field, value) => self.set_field(object, field, value),
            StepKind::SetStatic(_, value) | StepKind::Evaluate(value) => self.evaluate(value),
            StepKind::SetElement(array, index, value, _)
                if !self.context.methods.helpers.knows_arrays(self.owner) =>
            {
                self.evaluate(value);
                self.index_of_helper(array, index);
            }
            StepKind::SetElement(array, index, value, _) => {
                let array = self.array(array);
                let index = self.value_as(index, &Shape::Int);
                self.evaluate(value);
                self.write_element(array, index);
            }
            StepKind::Call(result, call) => self.call(step, *result, call),
            StepKind::New(variable, new) => {
                if self.new_helper(step, *variable, new) {
                    return;
                }
                for argument in &new.arguments {
                    self.evaluate(argument);
                }
                self.outside(&new.constructor, &new.arguments.iter().collect::<Vec<_>>());
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

    fn set_field(&mut self, object: &JavaExpr, field: &JavaFieldRef, value: &JavaExpr) {
        let shape = self.shape(&field.ty);
        if object.is_this(&self.body.variables) {
            let owner = self.context.methods.helpers.class(self.owner);
            let own = owner.own_field(field).map(|own| own.name.clone());
            let target = own.and_then(|own| self.own_field(&own));
            return match target {
                Some(target) => {
                    let value = self.value_as(value, &shape);
                    self.out.push(assign(target, value));
                    if field.name.starts_with("this$") {
                        self.rules_around();
                    }
                }
                None => self.evaluate(value),
            };
        }
        if let Some(here) = self.helper_field(object, field) {
            let value = self.value_as(value, &shape);
            let object = self.not_null(object);
            return self.out.push(assign(build::dot(object.e, &here), value));
        }
        let itself = self.field_of_itself(object, field);
        let value = match &itself {
            Some(_) => {
                let value = self.value_as(value, &shape);
                // It is evaluated whether or not it is assigned.
                let value = match may_raise(&value) {
                    true => self.held(value, &shape),
                    false => value,
                };
                Some(value)
            }
            None => {
                self.evaluate(object);
                self.evaluate(value);
                None
            }
        };
        self.not_null(object);
        if let (Some(target), Some(value)) = (itself, value) {
            let assigned = vec![assign(target, value)];
            return self.out.push(conditional(star(), assigned, vec![]));
        }
        let of_studied = self.context.studied.own_field(field).is_some();
        let helpers = &self.context.methods.helpers;
        // It may be one of the objects that are known, seen as one of another class.
        if of_studied && self.owner != OwnerId::STUDIED {
            self.changes(Reach::Back);
        } else if helpers.of(object, self.body).is_none() && helpers.has_field(field) {
            self.changes(Reach::Helper);
        }
    }

    /// The own field that is assigned where a field of another object is, if that may be the object under study.
    fn field_of_itself(
        &mut self,
        object: &JavaExpr,
        field: &JavaFieldRef,
    ) -> Option<ast::ExprSyntax> {
        let own = self.context.studied.own_field(field)?;
        let aliases = &self.context.aliases;
        let may_be =
            self.owner == OwnerId::STUDIED && aliases.may_be(object, &field.class, &self.aliases);
        self.own_field(&own.name).filter(|_| may_be)
    }

    /// An object of a helper class is made; whether it is of one.
    fn new_helper(&mut self, step: &JavaStep, variable: VariableId, new: &New) -> bool {
        let (here, shape) = self.locals[variable.index()].clone();
        let Shape::Helper(helper) = shape else {
            return false;
        };
        let class = self.context.methods.helpers.class(helper).class();
        if class.name != new.class {
            return false;
        }
        let made = name(&here);
        let class = self.class.types.helper(helper).to_owned();
        let run = self.context.run_by(self.owner, self.body, step);
        match run.and_then(MethodRun::seen) {
            Some(number) => {
                let args = self.arguments(&new.arguments, number);
                self.new_of(made.clone(), &class);
                let routine = self.class.routine(number);
                self.run(&routine, Some(made), args, None);
            }
            None => {
                for argument in &new.arguments {
                    self.evaluate(argument);
                }
                let given: Vec<&JavaExpr> = new.arguments.iter().collect();
                self.outside(&new.constructor, &given);
                self.new_of(made.clone(), &class);
                self.anything_in(made, helper);
            }
        }
        true
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
            let ty = self.class.types.ty(&value.shape);
            self.out.push(declare(&unused, ty, Some(value.e)));
        }
    }

    fn call(&mut self, step: &JavaStep, result: Option<VariableId>, call: &Invocation) {
        let unseen = match self.context.run_by(self.owner, self.body, step) {
            Some(MethodRun::Seen(number)) => return self.followed(result, call, number),
            Some(MethodRun::Overridable(number)) => return self.overridable(result, call, number),
            Some(MethodRun::Unseen(number)) => Some(number),
            None => None,
        };
        if self.standard(result, call) {
            return;
        }
        self.receiver_and_arguments(call);
        let bounds = self.bounds(result, call);
        if let Some(number) = unseen {
            self.unknown_body(number, call);
        }
        self.perhaps_itself(call);
        self.others(call);
        self.any_result(result, call, bounds);
    }

    /// A method is called on another object, which may be the one under study: then its fields change.
    fn perhaps_itself(&mut self, call: &Invocation) {
        let Some(object) = &call.receiver else { return };
        let itself = self.owner == OwnerId::STUDIED && !object.is_this(&self.body.variables);
        let aliases = &self.context.aliases;
        if !itself || !aliases.may_be(object, &call.method.class(), &self.aliases) {
            return;
        }
        let changes = aliases.changed_by(call.kind, &call.method);
        self.perhaps(&changes);
    }

    /// Code may be run on the object under study.
    pub(super) fn perhaps(&mut self, changes: &OwnChanges) {
        let (_, run) = self.apart(|lowerer| {
            for (field, values) in &changes.fields {
                match values {
                    NewValues::Any => lowerer.havoc(std::slice::from_ref(field)),
                    NewValues::Constants(values) => lowerer.one_of(field, values),
                }
            }
            if changes.others {
                lowerer.changes(Reach::Helper);
            }
        });
        if !run.is_empty() {
            self.out.push(conditional(star(), run, vec![]));
        }
    }

    /// An own field gets one of these values, or none of them.
    fn one_of(&mut self, field: &str, values: &[JavaExpr]) {
        let owner = self.context.methods.helpers.class(self.owner);
        let own = owner.fields.iter().find(|own| own.name == field);
        let (Some(own), Some(target)) = (own, self.own_field(field)) else {
            return;
        };
        let shape = self.shape(&own.field.ty.clone());
        for value in values {
            let (value, mut run) = self.apart(|lowerer| lowerer.value_as(value, &shape));
            run.push(assign(target.clone(), value));
            self.out.push(conditional(star(), run, vec![]));
        }
    }

    /// What evaluating the receiver and the arguments of a call raises.
    fn receiver_and_arguments(&mut self, call: &Invocation) {
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
    }

    /// What is promised of the number that a call gives, by what is there before it.
    fn bounds(&mut self, result: Option<VariableId>, call: &Invocation) -> Option<Bounds> {
        let shape = &self.locals[result?.index()].1;
        let promise =
            (self.context.world.promise(&call.method)).filter(|_| *shape == Shape::Int)?;
        if !promise.is_certain {
            self.class.believed.insert(called(&call.method));
        }
        let argument = |at: usize| call.arguments.get(at).cloned();
        let most = match promise.most {
            Most::Open => None,
            Most::Number(most) => Some(JavaExpr::Constant(PoolConstant::Int(most))),
            Most::Argument(at) => argument(at),
            // Where there may be no array, the other code raises what it does.
            Most::LengthOf(at) => argument(at)
                .filter(|array| !self.nulls.may_be_null(array, self.body))
                .map(|array| JavaExpr::Length(Box::new(array))),
        };
        Some(Bounds {
            least: promise.least,
            most: most.map(|most| {
                let most = self.value_as(&most, &Shape::Int);
                self.now(most, &Shape::Int)
            }),
        })
    }

    /// A call gives any result of its type, within these bounds.
    fn any_result(
        &mut self,
        result: Option<VariableId>,
        call: &Invocation,
        bounds: Option<Bounds>,
    ) {
        if let Some(variable) = result {
            self.anything(variable);
            let here = self.locals[variable.index()].0.clone();
            if let Some(Bounds { least, most }) = bounds {
                let here = name(&here);
                let at_least = compare(CompareOp::Ge, here.clone(), int(least));
                let within = match most {
                    None => at_least,
                    Some(most) => {
                        let at_most = compare(CompareOp::Le, here.clone(), most);
                        binary(BinaryOp::And, at_least, at_most)
                    }
                };
                let some = choice(within, here.clone(), int(least));
                self.out.push(assign(here, some));
            }
            if let Some(JavaType::Class(class)) = &call.method.signature.result {
                self.holds(variable, &Raised::Own(class.clone()));
            }
        }
    }

    /// A call of a method that subclasses may have another for: it is run, or theirs, which may run it too.
    fn overridable(&mut self, result: Option<VariableId>, call: &Invocation, number: usize) {
        let (_, here) = self.apart(|lowerer| lowerer.followed(result, call, number));
        let (_, theirs) = self.apart(|lowerer| {
            lowerer.receiver_and_arguments(call);
            let bounds = lowerer.bounds(result, call);
            let (_, super_call) = lowerer.apart(|lowerer| lowerer.super_call(number));
            lowerer.out.push(conditional(star(), super_call, vec![]));
            lowerer.body_of_subclass();
            lowerer.others(call);
            lowerer.any_result(result, call, bounds);
        });
        self.out.push(conditional(star(), here, theirs));
    }

    /// A method of the object itself is run by one that overrides it: with any arguments, and what it gives is not known to
    /// be passed on.
    fn super_call(&mut self, number: usize) {
        let signature = self.context.methods.all[number]
            .method
            .method()
            .signature
            .clone();
        let mut args: Vec<ast::ExprSyntax> = Vec::new();
        for ty in &signature.parameters {
            let shape = self.shape(ty);
            args.push(self.unknown(&shape).e);
        }
        let given = signature.result.as_ref().map(|ty| {
            let shape = self.shape(ty);
            (self.unknown(&shape).e, true)
        });
        let routine = self.class.routine(number);
        self.run(&routine, None, args, given);
    }

    /// A method of the class itself is run whose body is not known: what it assigns may be anything. A static one without code
    /// is native, and does nothing to an object that it is not given.
    fn unknown_body(&mut self, number: usize, call: &Invocation) {
        let methods = self.context.methods;
        let method = methods.all[number].method.method();
        if method.access.is_abstract() {
            return self.body_of_subclass();
        }
        let is_this = |e: &JavaExpr| e.is_this(&self.body.variables);
        let gets_at_it = method.has_code() || call.arguments.iter().any(is_this);
        if method.access.is_static() && !gets_at_it {
            return;
        }
        let fields = methods.helpers.class(self.owner).fields.iter();
        let assigned = fields.filter(|own| method.is_constructor() || !own.field.access.is_final());
        let assigned: Vec<String> = assigned.map(|own| own.name.clone()).collect();
        self.havoc(&assigned);
        self.changes(Reach::Helper);
    }

    /// A method of a subclass is run, which does not see what is private.
    fn body_of_subclass(&mut self) {
        let fields = self.context.methods.helpers.class(self.owner).fields.iter();
        let assigned = fields.filter(|own| {
            let access = own.field.access;
            !access.is_private() && !access.is_final()
        });
        let assigned: Vec<String> = assigned.map(|own| own.name.clone()).collect();
        self.havoc(&assigned);
    }

    /// What a method of somebody else does that is called.
    fn others(&mut self, call: &Invocation) {
        if call.method.class().is("java/lang/Object") {
            match &*call.method.name {
                // Nobody else runs before the monitor is left.
                "notify" | "notifyAll" => return self.called(&call.method),
                "wait" => {
                    let methods = self.context.methods;
                    let changing = self.class.elsewhere.changing(methods, self.owner);
                    self.havoc(&changing);
                    self.called(&call.method);
                    return self.may_end_in(&call.method);
                }
                _ => {}
            }
        }
        let given: Vec<&JavaExpr> = call.receiver.iter().chain(&call.arguments).collect();
        self.outside(&call.method, &given);
    }

    /// What is passed to a method that is followed.
    fn arguments(&mut self, arguments: &[JavaExpr], number: usize) -> Vec<ast::ExprSyntax> {
        let callee = &self.context.methods.all[number];
        let signature = callee.method.method().signature.clone();
        let mut args: Vec<ast::ExprSyntax> = Vec::new();
        for (argument, ty) in arguments.iter().zip(&signature.parameters) {
            let shape = self.shape(ty);
            args.push(self.value_as(argument, &shape));
        }
        args
    }

    /// A call of a method that is followed: of the object itself, or of an object of a helper class.
    fn followed(&mut self, result: Option<VariableId>, call: &Invocation, number: usize) {
        let callee = &self.context.methods.all[number];
        let signature = callee.method.method().signature.clone();
        let args = self.arguments(&call.arguments, number);
        let other = call.receiver.as_ref();
        let other = other.filter(|object| !object.is_this(&self.body.variables));
        let object = other.map(|object| self.not_null(object).e);
        let routine = self.class.routine(number);
        let Some(variable) = result else {
            return self.run(&routine, object, args, None);
        };
        let (here, wanted) = self.locals[variable.index()].clone();
        let given = match &signature.result {
            Some(ty) => self.shape(ty),
            None => return self.run(&routine, object, args, None),
        };
        if given == wanted {
            self.run(&routine, object, args, Some((name(&here), true)));
        } else {
            let given = self.unknown(&given);
            self.run(&routine, object, args, Some((given.e.clone(), true)));
            let value = self.fit(given, &wanted);
            self.out.push(assign(name(&here), value));
        }
        if let Some(JavaType::Class(class)) = &signature.result {
            self.holds(variable, &Raised::Own(class.clone()));
        }
    }

    /// What a call of somebody else's method, which is given these values, does besides its result.
    fn outside(&mut self, method: &MethodRef, given: &[&JavaExpr]) {
        if does_nothing(method) {
            return;
        }
        // What an exception is made of is of no interest.
        let throwable = ClassName::new("java/lang/Throwable");
        let world = self.context.world;
        if method.is_constructor() && world.is_subclass(&method.class(), &throwable) == Some(true) {
            return;
        }
        self.called(method);
        self.changed_elsewhere(method, given);
        self.may_end_in(method);
    }

    /// A method of somebody else is called, which a comment says.
    fn called(&mut self, method: &MethodRef) {
        self.outside.insert(called(method));
    }

    /// A call of somebody else's method may end in the exceptions that it declares.
    fn may_end_in(&mut self, method: &MethodRef) {
        for raised in self.context.of_outside(method, &self.walk.handlers.clone()) {
            let exception = self.exception(&raised);
            self.out
                .push(conditional(star(), vec![throw(&exception)], vec![]));
        }
    }

    /// Own fields get any values, as far as they are known.
    pub(super) fn havoc(&mut self, fields: &[String]) {
        let places = fields.iter().filter_map(|field| self.own_field(field));
        let places: Vec<ast::ExprSyntax> = places.collect();
        if !places.is_empty() {
            self.out.push(stmt(StmtSyntaxKind::Havoc(places)));
        }
    }
}

/// What a comment calls a method, or a constructor.
fn called(method: &MethodRef) -> String {
    let owner = super::names::simple(&method.class());
    match method.is_constructor() {
        true => format!("new {owner}"),
        false => format!("{owner}.{}", method.name),
    }
}
