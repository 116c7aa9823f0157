//! Code of the class that others run: a lambda is made here and called there, and so is an object of a nested class, which
//! calls the methods of the object that it was made in. Where a call is given what may be one of these, it may run.

use std::collections::{BTreeMap, BTreeSet};

use super::aliases::{Aliases, OwnChanges, lambda, steps};
use super::helpers::OwnerId;
use super::methods::Methods;
use crate::front::java::classfile::{Instruction, InvokeKind, MethodRef};
use crate::front::java::tree::{CallSite, JavaExpr, MethodBody, StepKind};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::World;
use crate::front::java::world::studied::Studied;

/// Whose code is run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Called {
    /// An object of a class that stands in one of the object's.
    Nested(ClassName),
    /// A lambda: its interface, and what it runs.
    Lambda(ClassName, MethodRef),
}

/// What is known of a value that others are given.
enum GivenValue<'a> {
    /// It was made in this body, by that step.
    Made(&'a StepKind),
    /// Its type.
    Of(Option<JavaType>),
}

impl Called {
    /// The object that is made by a step.
    fn made_by(step: &StepKind) -> Option<Called> {
        match step {
            StepKind::New(_, new) => Some(Called::Nested(new.class.clone())),
            StepKind::Dynamic(_, call) => match (&call.site, lambda(call)) {
                (
                    CallSite::Lambda {
                        interface: JavaType::Class(class),
                        ..
                    },
                    Some(target),
                ) => Some(Called::Lambda(class.clone(), target.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a value may be such an object.
    fn may_be(&self, world: &World, value: &GivenValue<'_>) -> bool {
        let is = |a: &ClassName, b: &ClassName| world.is_subclass(a, b) != Some(false);
        let given = match value {
            GivenValue::Made(step) => {
                return match (self, Called::made_by(step)) {
                    (Called::Nested(class), Some(Called::Nested(made))) => is(&made, class),
                    (lambda, made) => made.as_ref() == Some(lambda),
                };
            }
            GivenValue::Of(Some(JavaType::Class(given))) => given,
            GivenValue::Of(_) => return false,
        };
        // Of what is known only under another type it is not said that it is one.
        match self {
            Called::Nested(class) => is(given, class),
            Called::Lambda(interface, _) => interface == given,
        }
    }
}

/// What others may run, and what that changes.
#[derive(Debug, Default)]
pub(super) struct Callbacks {
    all: BTreeMap<Called, OwnChanges>,
}

impl Callbacks {
    /// Finds the lambdas of a class, and the classes in it.
    pub(super) fn of(
        world: &World,
        studied: &Studied,
        methods: &Methods<'_>,
        aliases: &Aliases<'_>,
    ) -> Callbacks {
        let mut found: BTreeSet<(Called, InvokeKind, MethodRef)> = BTreeSet::new();
        let own = methods
            .all
            .iter()
            .filter(|method| method.owner == OwnerId::STUDIED);
        for body in own.filter_map(|method| method.body.as_ref()) {
            for step in steps(body) {
                if let Some(called @ Called::Lambda(..)) = Called::made_by(&step.kind)
                    && let Called::Lambda(_, target) = &called
                {
                    let target = target.clone();
                    found.insert((called, InvokeKind::Virtual, target));
                }
            }
        }
        let nested = world.class_path().classes().into_iter();
        for class in nested.filter(|class| is_nested(class, studied)) {
            for (kind, method) in called(world, &class) {
                found.insert((Called::Nested(class.clone()), kind, method));
            }
        }
        let mut callbacks = Callbacks::default();
        for (called, kind, method) in found {
            if studied.own_method(world, kind, &method).is_some() {
                let changes = aliases.changed_by(kind, &method);
                callbacks.all.entry(called).or_default().add(changes);
            }
        }
        callbacks
    }

    /// What code may change that is given these values in a body.
    pub(super) fn given(
        &self,
        world: &World,
        body: &MethodBody,
        values: &[&JavaExpr],
    ) -> OwnChanges {
        let mut found = OwnChanges::default();
        if self.all.is_empty() {
            return found;
        }
        let values: Vec<GivenValue<'_>> = values.iter().map(|e| given_value(e, body)).collect();
        for (called, changes) in &self.all {
            if values.iter().any(|value| called.may_be(world, value)) {
                found.add(changes.clone());
            }
        }
        found
    }
}

fn given_value<'a>(value: &JavaExpr, body: &'a MethodBody) -> GivenValue<'a> {
    if let JavaExpr::Variable(id) = value
        && !body.parameters.contains(id)
    {
        let mut made = steps(body)
            .into_iter()
            .filter(|step| step.kind.defines() == Some(*id));
        if let (Some(step), None) = (made.next(), made.next())
            && matches!(step.kind, StepKind::New(..) | StepKind::Dynamic(..))
        {
            return GivenValue::Made(&step.kind);
        }
    }
    GivenValue::Of(value.ty(&body.variables))
}

/// Whether a class stands in one of the classes of the object, and is none of them.
fn is_nested(class: &ClassName, studied: &Studied) -> bool {
    let stands_in = |outer: &ClassName| {
        let rest = class.internal().strip_prefix(outer.internal());
        rest.is_some_and(|rest| rest.starts_with('$'))
    };
    !studied.is_own(class) && studied.chain.iter().any(|outer| stands_in(&outer.name))
}

/// The methods that a class calls which are no constructors.
pub(super) fn called(world: &World, class: &ClassName) -> BTreeSet<(InvokeKind, MethodRef)> {
    let mut found = BTreeSet::new();
    let Some(class) = world.class(class) else {
        return found;
    };
    for method in &class.methods {
        let Ok(Some(code)) = class.code(method) else {
            continue;
        };
        for (_, instruction) in &code.instructions {
            if let Instruction::Invoke(kind, method) = instruction
                && !method.is_constructor()
            {
                found.insert((*kind, method.clone()));
            }
        }
    }
    found
}
