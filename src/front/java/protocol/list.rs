//! The list of an archive's classes: how many actions each has, and whether it has a protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use super::{MethodSummaries, RefusalKind, protocol};
use crate::front::java::classfile::ClassFile;
use crate::front::java::classpath::Unreadable;
use crate::front::java::types::ClassName;
use crate::front::java::world::World;
use crate::front::java::world::studied::Studied;

/// A class in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedClass {
    /// Its name, with dots.
    pub class: String,
    /// Whether it is public.
    pub public: bool,
    /// Whether it has objects of its own: it is not abstract.
    pub instantiable: bool,
    /// How many fields its objects have.
    pub fields: usize,
    /// How many constructors there are to call.
    pub constructors: usize,
    /// How many actions: public methods, inherited ones included.
    pub actions: usize,
    /// The exceptions of its protocol; none where it has none.
    pub protocol: Vec<ListedRefusal>,
    /// A superclass that is not there: what it has is not in these numbers.
    pub missing: Option<String>,
    /// How many methods have bodies that are not taken.
    pub refused: usize,
}

impl ListedClass {
    /// Whether the class has a protocol of its own: what decides is in its own fields.
    pub fn has_protocol(&self) -> bool {
        self.protocol
            .iter()
            .any(|guard| guard.kind != RefusalKind::Helper)
    }
}

/// An exception of a protocol, or what is written down of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedRefusal {
    /// The exception, with its package; nothing where no exception says so, but a condition that is written down.
    pub exception: Option<String>,
    /// How it depends on own fields.
    pub kind: RefusalKind,
    /// The actions that are refused so because of own fields, as a caller writes them.
    pub actions: BTreeSet<String>,
    /// These fields.
    pub fields: BTreeSet<String>,
}

/// What there is to say of many classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Those that have objects with a protocol of their own, or none.
    pub entries: Vec<ListedClass>,
    /// The others, counted.
    pub left_out: LeftOut,
    /// Those whose files cannot be read.
    pub unreadable: Vec<Unreadable>,
}

/// How many classes are none that have a protocol of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Interfaces and annotations.
    pub interfaces: usize,
    /// Enums: their objects are there from the beginning.
    pub enums: usize,
    /// Exceptions and errors.
    pub exceptions: usize,
    /// Those that compilers added.
    pub synthetic: usize,
}

/// What becomes of a class.
enum Listed {
    Entry(ListedClass),
    Interface,
    Enum,
    Exception,
    Synthetic,
    Unreadable(Unreadable),
}

/// Looks at each of these classes. The entries are in their order.
pub fn list(world: &World, classes: &[ClassName]) -> List {
    let known = MethodSummaries::default();
    let listed = classes.par_iter().map(|name| listed(world, &known, name));
    let mut list = List::default();
    for listed in listed.collect::<Vec<Listed>>() {
        match listed {
            Listed::Entry(entry) => list.entries.push(entry),
            Listed::Interface => list.left_out.interfaces += 1,
            Listed::Enum => list.left_out.enums += 1,
            Listed::Exception => list.left_out.exceptions += 1,
            Listed::Synthetic => list.left_out.synthetic += 1,
            Listed::Unreadable(unreadable) => list.unreadable.push(unreadable),
        }
    }
    list
}

fn listed(world: &World, known: &MethodSummaries, name: &ClassName) -> Listed {
    let class = match world.load(name) {
        Ok(Some(class)) => class,
        Ok(None) => {
            let path = std::path::Path::new(name.internal());
            return Listed::Unreadable(Unreadable::new(path, "it is not there any more"));
        }
        Err(unreadable) => return Listed::Unreadable(unreadable),
    };
    let access = class.access;
    let throwable = ClassName::new("java/lang/Throwable");
    if access.is_interface() || access.is_annotation() {
        Listed::Interface
    } else if access.is_enum() {
        Listed::Enum
    } else if access.is_synthetic() {
        Listed::Synthetic
    } else if world.is_subclass(name, &throwable) == Some(true) {
        Listed::Exception
    } else {
        Listed::Entry(entry(world, known, &class))
    }
}

fn entry(world: &World, known: &MethodSummaries, class: &Arc<ClassFile>) -> ListedClass {
    let studied = Studied::of(world, class);
    let found = protocol(world, known, &studied);
    let mut guards: BTreeMap<(Option<&ClassName>, RefusalKind), ListedRefusal> = BTreeMap::new();
    for refusal in &found.refusals {
        let key = (refusal.exception.as_ref(), refusal.kind);
        let guard = guards.entry(key).or_insert_with(|| ListedRefusal {
            exception: refusal.exception.as_ref().map(ToString::to_string),
            kind: refusal.kind,
            actions: BTreeSet::new(),
            fields: BTreeSet::new(),
        });
        if let Some(action) = studied.actions.get(refusal.action) {
            let method = action.method();
            guard
                .actions
                .insert(format!("{}{}", method.name, method.signature));
        }
        guard.fields.extend(refusal.fields.iter().cloned());
    }
    ListedClass {
        class: class.name.to_string(),
        public: is_public(world, class),
        instantiable: !class.access.is_abstract(),
        fields: studied.fields.len(),
        constructors: studied.constructors.len(),
        actions: studied.actions.len(),
        protocol: guards.into_values().collect(),
        missing: studied.missing.as_ref().map(ToString::to_string),
        refused: found.refused.len(),
    }
}

/// Whether a class can be named everywhere: it is public, and so is each class around it.
fn is_public(world: &World, class: &ClassFile) -> bool {
    let own = class
        .inner_classes
        .iter()
        .find(|inner| inner.class == class.name);
    match own {
        None => class.access.is_public(),
        Some(inner) => {
            let around = inner.outer.as_ref().and_then(|outer| world.class(outer));
            inner.access.is_public()
                && around
                    .is_some_and(|around| around.name != class.name && is_public(world, &around))
        }
    }
}
