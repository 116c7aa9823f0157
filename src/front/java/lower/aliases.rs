//! The object under study under other names: where its code assigns a field of an object of its class, or calls a method
//! on one, that may be the object itself.
//!
//! What is made in a body is another object, and so is what a constructor is given: the object is only just made then. A
//! parameter may be it where its type allows that, and so may one of its own fields into which it may have been put. Of
//! anything else only what has one of its classes for a type is looked at.

use std::collections::{BTreeMap, BTreeSet};

use super::bodies::{Bodies, key};
use crate::front::java::classfile::{InvokeKind, MethodRef};
use crate::front::java::effects::writers::Writers;
use crate::front::java::tree::{
    CallSite, DynamicCall, Invocation, JavaExpr, JavaStatement, JavaStep, MethodBody, Role,
    StepKind, VariableId,
};
use crate::front::java::types::ClassName;
use crate::front::java::world::studied::{OwnField, Studied};
use crate::front::java::world::{MethodOf, World, methods_of};

/// How many methods that call each other are looked into for what they give.
const DEPTH: usize = 4;

/// Where a value comes from, as far as it may be the object under study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Provenance {
    /// It is another one, or null.
    Other,
    /// It comes from elsewhere.
    Elsewhere,
    /// It was given to a method of the object, or is the object.
    Given,
}

/// What may be the object under study.
#[derive(Debug)]
pub(super) struct Aliases<'a> {
    world: &'a World,
    studied: &'a Studied,
    bodies: &'a Bodies,
    /// What its own fields may hold that is not another object.
    fields: BTreeMap<String, Provenance>,
}

/// What the variables of a body may hold that is not another object.
pub(super) struct LocalAliases(BTreeMap<VariableId, Provenance>);

/// What code changes that is run on an object of the class under study.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OwnChanges {
    /// Its fields, with the values that they may get.
    pub fields: BTreeMap<String, NewValues>,
    /// Whether it also assigns fields of other objects, or calls their methods.
    pub others: bool,
}

/// The values that a field may get.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NewValues {
    /// Any.
    Any,
    /// One of these constants.
    Constants(Vec<JavaExpr>),
}

impl OwnChanges {
    /// The same code may change this as well.
    pub(super) fn add(&mut self, more: OwnChanges) {
        for (field, values) in more.fields {
            self.set(field, values);
        }
        self.others |= more.others;
    }

    /// A field may get these values, too.
    fn set(&mut self, field: String, values: NewValues) {
        let none = NewValues::Constants(Vec::new());
        let known = self.fields.entry(field).or_insert(none);
        match (&mut *known, values) {
            (NewValues::Constants(known), NewValues::Constants(more)) => {
                let new: Vec<JavaExpr> = more.into_iter().filter(|e| !known.contains(e)).collect();
                known.extend(new);
            }
            (known, _) => *known = NewValues::Any,
        }
    }
}

impl NewValues {
    /// Those that an assignment of this expression gives.
    fn of(value: &JavaExpr) -> NewValues {
        match value {
            JavaExpr::Constant(_) | JavaExpr::Boolean(_) | JavaExpr::Static(_) => {
                NewValues::Constants(vec![value.clone()])
            }
            _ => NewValues::Any,
        }
    }
}

impl<'a> Aliases<'a> {
    /// Finds what own fields may hold. `writers` says who assigns them.
    pub(super) fn of(
        world: &'a World,
        studied: &'a Studied,
        bodies: &'a Bodies,
        writers: &Writers,
    ) -> Aliases<'a> {
        // A class that inherits a field, too, assigns its own.
        let inherits =
            |class: &ClassName, own: &OwnField| world.is_subclass(class, &own.class) == Some(true);
        let open = |own: &&OwnField| {
            let mut outside = writers.outside(studied, own).into_iter();
            own.field.access.is_public() || outside.any(|class| !inherits(&class, own))
        };
        let open = studied.fields.iter().filter(open);
        let mut aliases = Aliases {
            world,
            studied,
            bodies,
            fields: open
                .map(|own| (own.name.clone(), Provenance::Elsewhere))
                .collect(),
        };
        loop {
            let before = aliases.fields.clone();
            for method in studied.chain.iter().flat_map(methods_of) {
                aliases.look_at(&method);
            }
            if aliases.fields == before {
                return aliases;
            }
        }
    }

    /// What a method puts into fields.
    fn look_at(&mut self, method: &MethodOf) {
        let body = match self.bodies.of(method) {
            Ok(Some(body)) => body,
            Ok(None) => return,
            Err(_) => {
                let all = self.studied.fields.iter();
                let all = all.map(|own| (own.name.clone(), Provenance::Given));
                return self.fields.extend(all);
            }
        };
        let locals = self.locals(&body, method.method().is_constructor(), DEPTH);
        for step in steps(&body) {
            if let StepKind::SetField(_, field, value) = &step.kind
                && let Some(own) = self.studied.own_field(field)
            {
                let provenance = self.provenance(value, &locals);
                raise(&mut self.fields, own.name.clone(), provenance);
            }
        }
    }

    /// What the variables of a body may be; whether the body is a constructor's.
    pub(super) fn in_body(&self, body: &MethodBody, constructs: bool) -> LocalAliases {
        self.locals(body, constructs, DEPTH)
    }

    fn locals(&self, body: &MethodBody, constructs: bool, depth: usize) -> LocalAliases {
        let mut locals = LocalAliases(BTreeMap::new());
        for id in &body.parameters {
            let is_this = body.variables[id.index()].role == Role::This;
            if is_this || !constructs {
                locals.0.insert(*id, Provenance::Given);
            }
        }
        for statement in &body.statements {
            statement.visit(&mut |part| {
                if let JavaStatement::Try { catches, .. } = part {
                    let caught = catches
                        .iter()
                        .map(|catch| (catch.variable, Provenance::Elsewhere));
                    locals.0.extend(caught);
                }
            });
        }
        loop {
            let before = locals.0.clone();
            for step in steps(body) {
                if let Some(variable) = step.kind.defines() {
                    let provenance = match &step.kind {
                        StepKind::Assign(_, value) => self.provenance(value, &locals),
                        StepKind::Call(_, call) => self.given_by(call, (body, &locals), depth),
                        StepKind::Dynamic(_, call) => made_by(call),
                        _ => Provenance::Other,
                    };
                    raise(&mut locals.0, variable, provenance);
                }
            }
            if locals.0 == before {
                return locals;
            }
        }
    }

    fn provenance(&self, value: &JavaExpr, locals: &LocalAliases) -> Provenance {
        match value {
            JavaExpr::Variable(id) => locals.0.get(id).copied().unwrap_or(Provenance::Other),
            JavaExpr::Cast(_, inner) => self.provenance(inner, locals),
            JavaExpr::Conditional(_, a, b) => {
                self.provenance(a, locals).max(self.provenance(b, locals))
            }
            JavaExpr::Field(_, field) => match self.studied.own_field(field) {
                Some(own) => self
                    .fields
                    .get(&own.name)
                    .copied()
                    .unwrap_or(Provenance::Other),
                None => Provenance::Elsewhere,
            },
            JavaExpr::Static(_) | JavaExpr::Element(..) => Provenance::Elsewhere,
            _ => Provenance::Other,
        }
    }

    /// What a call gives back.
    fn given_by(
        &self,
        call: &Invocation,
        (body, locals): (&MethodBody, &LocalAliases),
        depth: usize,
    ) -> Provenance {
        let on_it = |object: &JavaExpr| self.provenance(object, locals) == Provenance::Given;
        if !self.is_known(call, body) || !call.receiver.as_ref().is_none_or(on_it) {
            return Provenance::Elsewhere;
        }
        if let Some(own) = self.studied.own_method(self.world, call.kind, &call.method) {
            return match depth.checked_sub(1) {
                Some(depth) => self.given_by_own(&own, depth),
                None => Provenance::Given,
            };
        }
        let found = self.world.method(&call.method);
        let of_object = found.is_some_and(|found| found.class.name == ClassName::object());
        match of_object && &*call.method.name == "clone" {
            true => Provenance::Other,
            false => Provenance::Given,
        }
    }

    /// Whether it is known which method a call runs, if it is one on the object: no subclass's.
    fn is_known(&self, call: &Invocation, body: &MethodBody) -> bool {
        let is_private = || {
            let found = self.world.method(&call.method);
            found.is_some_and(|found| found.method().access.is_private())
        };
        let on_this = call
            .receiver
            .as_ref()
            .is_some_and(|e| e.is_this(&body.variables));
        matches!(call.kind, InvokeKind::Special | InvokeKind::Static)
            || (on_this && self.studied.exact)
            || is_private()
    }

    /// What a method gives back that is run on the object, or given it.
    fn given_by_own(&self, method: &MethodOf, depth: usize) -> Provenance {
        let Ok(Some(body)) = self.bodies.of(method) else {
            return Provenance::Given;
        };
        let locals = self.locals(&body, false, depth);
        let mut found = Provenance::Other;
        for statement in &body.statements {
            statement.visit(&mut |part| {
                if let JavaStatement::Return(_, Some(value)) = part {
                    found = found.max(self.provenance(value, &locals));
                }
            });
        }
        found
    }

    /// Whether a value that is used as one of a class may be the object.
    pub(super) fn may_be(
        &self,
        value: &JavaExpr,
        class: &ClassName,
        locals: &LocalAliases,
    ) -> bool {
        let own = &self.studied.class().name;
        match self.provenance(value, locals) {
            Provenance::Other => false,
            Provenance::Elsewhere => self.studied.is_own(class),
            Provenance::Given => self.world.is_subclass(own, class) != Some(false),
        }
    }

    /// What a method changes of an object of the class that it is called on, as code refers to it. What is none of the
    /// class's methods is one of `Object`'s, and changes nothing.
    pub(super) fn changed_by(&self, kind: InvokeKind, method: &MethodRef) -> OwnChanges {
        let mut search = ChangeSearch {
            aliases: self,
            found: OwnChanges::default(),
            seen: BTreeSet::new(),
            work: Vec::new(),
        };
        if self.studied.own_method(self.world, kind, method).is_some() {
            search.call(kind, method);
        }
        while let Some(method) = search.work.pop() {
            search.method(&method);
        }
        search.found
    }
}

/// A search for what methods change.
struct ChangeSearch<'a> {
    aliases: &'a Aliases<'a>,
    found: OwnChanges,
    seen: BTreeSet<String>,
    work: Vec<MethodOf>,
}

impl ChangeSearch<'_> {
    fn call(&mut self, kind: InvokeKind, method: &MethodRef) {
        let (studied, world) = (self.aliases.studied, self.aliases.world);
        match studied.own_method(world, kind, method) {
            Some(own) if self.seen.insert(key(&own)) => self.work.push(own),
            Some(_) => {}
            None => self.found.others = true,
        }
    }

    fn method(&mut self, method: &MethodOf) {
        let body = match self.aliases.bodies.of(method) {
            Ok(Some(body)) => body,
            // A subclass has it, which does not see what is private.
            Ok(None) if method.method().access.is_abstract() => {
                return self.anything(|own| !own.field.access.is_private());
            }
            _ => return self.anything(|_| true),
        };
        let constructs = method.method().is_constructor();
        let locals = self.aliases.in_body(&body, constructs);
        for step in steps(&body) {
            self.step(step, &locals);
        }
    }

    /// What is not known changes all that it sees and that is not final.
    fn anything(&mut self, sees: impl Fn(&OwnField) -> bool) {
        let fields = self.aliases.studied.fields.iter();
        for own in fields.filter(|own| !own.field.access.is_final() && sees(own)) {
            self.found.set(own.name.clone(), NewValues::Any);
        }
        self.found.others = true;
    }

    fn step(&mut self, step: &JavaStep, locals: &LocalAliases) {
        let may_be = |e: &JavaExpr, class: &ClassName| self.aliases.may_be(e, class, locals);
        match &step.kind {
            StepKind::SetField(object, field, value) => {
                let may_be = may_be(object, &field.class);
                match self.aliases.studied.own_field(field).filter(|_| may_be) {
                    Some(own) => self.found.set(own.name.clone(), NewValues::of(value)),
                    None => self.found.others = true,
                }
            }
            StepKind::Call(_, call) => {
                let class = call.method.class();
                let on_it = |object: &JavaExpr| may_be(object, &class);
                match call.receiver.as_ref().is_none_or(on_it) {
                    true => self.call(call.kind, &call.method),
                    false => self.found.others = true,
                }
            }
            StepKind::New(..) => self.found.others = true,
            StepKind::Dynamic(_, call) => {
                if let Some(target) = lambda(call) {
                    self.call(InvokeKind::Virtual, target);
                }
            }
            _ => {}
        }
    }
}

/// The method that a lambda runs.
pub(super) fn lambda(call: &DynamicCall) -> Option<&MethodRef> {
    match &call.site {
        CallSite::Lambda { target, .. } => target.method(),
        _ => None,
    }
}

/// What a call site gives that the machine worked out: lambdas and strings are other objects.
fn made_by(call: &DynamicCall) -> Provenance {
    match call.site {
        CallSite::Lambda { .. } | CallSite::Concat(_) => Provenance::Other,
        _ => Provenance::Elsewhere,
    }
}

/// A place may hold something of this provenance, too.
fn raise<K: Ord>(known: &mut BTreeMap<K, Provenance>, place: K, provenance: Provenance) {
    if provenance > Provenance::Other {
        let known = known.entry(place).or_insert(provenance);
        *known = (*known).max(provenance);
    }
}

/// The steps of a body.
pub(super) fn steps(body: &MethodBody) -> Vec<&JavaStep> {
    let mut found = Vec::new();
    for statement in &body.statements {
        statement.visit(&mut |part| {
            if let JavaStatement::Step(step) = part {
                found.push(step);
            }
        });
    }
    found
}
