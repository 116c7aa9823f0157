//! The fields that nobody changes but the constructors and the actions, whatever other code is around: what these always
//! keep is true of them whenever an action is called.
//!
//! Others change a field where another class assigns it, or may; where a method does that is no action, and that others call:
//! one that is not private, one of a lambda, one that is called by a class that stands in the same outermost one; and where
//! the class assigns it of another of its objects.
//!
//! And the fields that nobody changes but those others: an object is handed out when they have set them, or before.

use std::collections::BTreeSet;

use super::aliases::{Aliases, lambda, steps};
use super::bodies::{Bodies, key};
use super::callbacks::called;
use super::never_null::is_closed;
use crate::front::java::classfile::{InvokeKind, MethodRef};
use crate::front::java::effects::writers::Writers;
use crate::front::java::tree::{JavaExpr, MethodBody, StepKind};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::studied::Studied;
use crate::front::java::world::{MethodOf, World, methods_of};

/// Fields of the class, by their names.
#[derive(Debug, Default)]
pub(super) struct FieldsByWriters {
    /// Those that are closed so.
    pub closed: BTreeSet<String>,
    /// Those that neither constructors nor actions change, but others.
    pub of_others: BTreeSet<String>,
    /// Those that code may change which nobody has looked at: so they may be anything.
    pub open: BTreeSet<String>,
}

/// Who changes the fields of the class.
pub(super) fn by_writers(
    world: &World,
    (studied, bodies): (&Studied, &Bodies),
    writers: &Writers,
    aliases: &Aliases<'_>,
) -> FieldsByWriters {
    // What is above it and not there may do anything.
    if studied.missing.is_some() {
        return FieldsByWriters::default();
    }
    let fields = studied.fields.iter();
    let closed = fields.filter(|own| is_closed(writers, studied, own));
    let mut closed: BTreeSet<String> = closed.map(|own| own.name.clone()).collect();
    let Some(search) = OpenSearch::of(world, studied, bodies) else {
        return FieldsByWriters::default();
    };
    for field in &search.assigned {
        closed.remove(field);
    }
    for (kind, method) in &search.entries {
        let found = studied.own_method(world, *kind, method);
        if found.is_some_and(|found| !search.is_action(&found)) {
            for field in aliases.changed_by(*kind, method).fields.keys() {
                closed.remove(field);
            }
        }
    }
    let own = studied.constructors.iter().chain(&studied.actions);
    let changed: BTreeSet<String> = own
        .flat_map(|method| {
            let changes = aliases.changed_by(InvokeKind::Special, &self::own(method));
            changes.fields.into_keys()
        })
        .collect();
    let fields = studied.fields.iter().map(|own| &own.name);
    let of_others = fields.filter(|name| !closed.contains(*name) && !changed.contains(*name));
    let fields = studied.fields.iter();
    let open = fields.filter(|own| writers.is_open(studied, own));
    FieldsByWriters {
        of_others: of_others.cloned().collect(),
        open: open.map(|own| own.name.clone()).collect(),
        closed,
    }
}

/// The methods of objects that others may call and that are no actions.
pub(super) fn called_by_others(world: &World, studied: &Studied, bodies: &Bodies) -> Vec<MethodOf> {
    let Some(search) = OpenSearch::of(world, studied, bodies) else {
        return Vec::new();
    };
    let mut seen = BTreeSet::new();
    let entries = search.entries.iter();
    let entries = entries.filter_map(|(kind, method)| studied.own_method(world, *kind, method));
    let of_objects = entries.filter(|found| {
        let is_of_object = !found.method().access.is_static();
        is_of_object && !search.is_action(found) && seen.insert(key(found))
    });
    of_objects.collect()
}

/// The fields that keep what constructors of the class gave them, as if they were final: nobody else assigns them.
pub(super) fn kept_from_constructors(
    studied: &Studied,
    bodies: &Bodies,
    writers: &Writers,
) -> BTreeSet<String> {
    if studied.missing.is_some() {
        return BTreeSet::new();
    }
    let mut assigned = BTreeSet::new();
    for method in studied.chain.iter().flat_map(methods_of) {
        let body = match bodies.of(&method) {
            Ok(Some(body)) => body,
            Ok(None) => continue,
            Err(_) => return BTreeSet::new(),
        };
        let constructs = method.method().is_constructor();
        for step in steps(&body) {
            if let StepKind::SetField(object, field, _) = &step.kind
                && !(constructs && object.is_this(&body.variables))
                && let Some(own) = studied.own_field(field)
            {
                assigned.insert(own.name.clone());
            }
        }
    }
    let fields = studied.fields.iter();
    let closed = fields.filter(|own| is_closed(writers, studied, own));
    let names = closed.map(|own| own.name.clone());
    names.filter(|name| !assigned.contains(name)).collect()
}

/// Whether somebody calls the method who is not the class itself. A public one that is no action is one that another stands in
/// front of, or that compilers add to call another.
fn is_called_by_others(method: &MethodOf) -> bool {
    let access = method.method().access;
    let is_named = !method.method().name.starts_with('<');
    let is_added = access.is_synthetic() && !access.is_bridge();
    is_named && (is_added || !(access.is_private() || access.is_public()))
}

/// The method, as code of its class refers to it.
fn own(method: &MethodOf) -> MethodRef {
    MethodRef {
        owner: JavaType::Class(method.class.name.clone()),
        name: method.method().name.clone(),
        signature: method.method().signature.clone(),
        of_interface: false,
    }
}

/// The other classes that stand in the same outermost classes.
fn near(world: &World, studied: &Studied) -> Vec<ClassName> {
    let outer = studied.chain.iter().map(|class| class.name.outermost());
    let outer: BTreeSet<&str> = outer.collect();
    let classes = world.class_path().classes().into_iter();
    classes
        .filter(|class| outer.contains(class.outermost()) && !studied.is_own(class))
        .collect()
}

/// A search for what changes fields of objects from elsewhere.
struct OpenSearch<'a> {
    world: &'a World,
    studied: &'a Studied,
    /// Methods that are called from elsewhere.
    entries: BTreeSet<(InvokeKind, MethodRef)>,
    /// The fields that the class's own code assigns of other objects.
    assigned: BTreeSet<String>,
}

impl<'a> OpenSearch<'a> {
    /// Looks through the class, and through those that stand in the same outermost one; nothing where some of its code is not taken.
    fn of(world: &'a World, studied: &'a Studied, bodies: &Bodies) -> Option<OpenSearch<'a>> {
        let mut search = OpenSearch {
            world,
            studied,
            entries: BTreeSet::new(),
            assigned: BTreeSet::new(),
        };
        for method in studied.chain.iter().flat_map(methods_of) {
            let by_others = is_called_by_others(&method) || search.is_of_object(&method);
            if !search.is_action(&method) && by_others {
                search.entries.insert((InvokeKind::Special, own(&method)));
            }
            if let Some(body) = bodies.of(&method).ok()? {
                search.body(&body);
            }
        }
        for class in near(world, studied) {
            search.entries.extend(called(world, &class));
        }
        Some(search)
    }

    fn is_action(&self, method: &MethodOf) -> bool {
        let wanted = key(method);
        self.studied.actions.iter().any(|a| key(a) == wanted)
    }

    /// Whether it is a public method that an object has, an action or one that stands in the place of one of `Object`'s.
    fn is_of_object(&self, method: &MethodOf) -> bool {
        let access = method.method().access;
        let is_added = access.is_synthetic() || access.is_bridge();
        let is_of_object = access.is_public() && !access.is_static() && !is_added;
        let called = || {
            self.studied
                .own_method(self.world, InvokeKind::Virtual, &own(method))
        };
        is_of_object
            && !method.method().name.starts_with('<')
            && called().is_some_and(|found| found.is(method))
    }

    fn body(&mut self, body: &MethodBody) {
        let is_this = |object: &JavaExpr| object.is_this(&body.variables);
        for step in steps(body) {
            match &step.kind {
                StepKind::SetField(object, field, _) if !is_this(object) => {
                    let own = self.studied.own_field(field);
                    self.assigned.extend(own.map(|own| own.name.clone()));
                }
                StepKind::Call(_, call) if !call.receiver.as_ref().is_some_and(is_this) => {
                    self.entry(call.kind, &call.method);
                }
                StepKind::Dynamic(_, call) => {
                    if let Some(target) = lambda(call) {
                        self.entry(InvokeKind::Virtual, target);
                    }
                }
                _ => {}
            }
        }
    }

    fn entry(&mut self, kind: InvokeKind, method: &MethodRef) {
        if self.studied.own_method(self.world, kind, method).is_some() {
            self.entries.insert((kind, method.clone()));
        }
    }
}
