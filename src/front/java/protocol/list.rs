//! The list of an archive's classes: how many actions each has, and whether it has a protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use super::{Kind, Known, protocol};
use crate::front::java::classfile::ClassFile;
use crate::front::java::types::ClassName;
use crate::front::java::world::World;
use crate::front::java::world::studied::Studied;

/// A class in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
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
    pub protocol: Vec<Guard>,
    /// A superclass that is not there: what it has is not in these numbers.
    pub missing: Option<String>,
    /// How many methods have bodies that are not taken.
    pub refused: usize,
}

impl Entry {
    /// Whether the class has a protocol of its own: what decides is in its own fields.
    pub fn has_protocol(&self) -> bool {
        self.protocol.iter().any(|guard| guard.kind != Kind::Helper)
    }
}

/// An exception of a protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Guard {
    /// The exception, with its package.
    pub exception: String,
    /// How it depends on own fields.
    pub kind: Kind,
    /// The actions that throw it because of own fields, as a caller writes them.
    pub actions: BTreeSet<String>,
    /// These fields.
    pub fields: BTreeSet<String>,
}

/// The entries of those of these classes that have objects and are no exceptions, in the same order. Interfaces, enums
/// and annotations have no protocol of their own.
pub fn list(world: &World, classes: &[ClassName]) -> Vec<Entry> {
    let known = Known::default();
    let entries = classes.par_iter().map(|name| {
        let class = world.class(name)?;
        is_listed(world, &class).then(|| entry(world, &known, &class))
    });
    entries.flatten().collect()
}

fn is_listed(world: &World, class: &ClassFile) -> bool {
    let access = class.access;
    let throwable = ClassName::new("java/lang/Throwable");
    let is_plain = !access.is_interface() && !access.is_enum() && !access.is_annotation();
    is_plain && !access.is_synthetic() && world.is_subclass(&class.name, &throwable) != Some(true)
}

fn entry(world: &World, known: &Known, class: &Arc<ClassFile>) -> Entry {
    let studied = Studied::of(world, class);
    let found = protocol(world, known, &studied);
    let mut guards: BTreeMap<(&ClassName, Kind), Guard> = BTreeMap::new();
    for refusal in &found.refusals {
        let key = (&refusal.exception, refusal.kind);
        let guard = guards.entry(key).or_insert_with(|| Guard {
            exception: refusal.exception.to_string(),
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
    Entry {
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

/// The list as text, a class a line. A field with `?` behind it holds an object that decides; one with `=` never changes.
pub fn text(entries: &[Entry]) -> String {
    let width = entries
        .iter()
        .map(|entry| entry.class.chars().count())
        .max()
        .unwrap_or(0);
    let mut lines: Vec<String> = entries.iter().map(|entry| line(entry, width)).collect();
    let with = entries.iter().filter(|entry| entry.has_protocol()).count();
    lines.push(format!(
        "{with} of {} have a protocol",
        crate::words::counted(entries.len(), "class")
    ));
    lines.join("\n") + "\n"
}

fn line(entry: &Entry, width: usize) -> String {
    let actions = crate::words::counted(entry.actions, "action");
    let guards: Vec<String> = entry.protocol.iter().map(shown).collect();
    let protocol = if guards.is_empty() {
        "-".to_owned()
    } else {
        guards.join("; ")
    };
    let missing = entry.missing.as_ref();
    let missing = missing.map_or_else(String::new, |class| {
        format!("  [without {class}, which is not there]")
    });
    format!("{:width$}  {actions:>11}  {protocol}{missing}", entry.class)
}

/// `IOException (closed, sink)`
fn shown(guard: &Guard) -> String {
    let exception = guard
        .exception
        .rsplit('.')
        .next()
        .unwrap_or(&guard.exception);
    let mark = match guard.kind {
        Kind::Own => "",
        Kind::Helper => "?",
        Kind::Fixed => "=",
    };
    let fields: Vec<String> = guard
        .fields
        .iter()
        .map(|field| format!("{field}{mark}"))
        .collect();
    format!("{exception} ({})", fields.join(", "))
}

/// The list as JSON, a class a line.
///
/// # Errors
/// None that could happen: an entry is made of texts and numbers.
pub fn json_lines(entries: &[Entry]) -> Result<String, serde_json::Error> {
    let lines = entries
        .iter()
        .map(serde_json::to_string)
        .collect::<Result<Vec<String>, _>>()?;
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}
