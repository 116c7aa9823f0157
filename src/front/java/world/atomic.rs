//! The fields that are read and written through objects of `java.util.concurrent.atomic`, updaters, handles and offsets which
//! nobody has but the classes that see the private members of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::World;
use crate::front::java::classfile::{AtomicFields, ClassField, ClassFile, JavaFieldRef};
use crate::front::java::flow::atomic::{held_by, is_atomic, misused, targets};
use crate::front::java::types::{ClassName, JavaType};

const CLONEABLE: &str = "java/lang/Cloneable";

impl World {
    /// The class with what is known of such fields.
    pub(super) fn with_atomics(&self, mut class: ClassFile) -> ClassFile {
        if class.pool.classes().any(|named| is_atomic(&named)) {
            let atomics = self.atomics_of(&class);
            class.take_atomics(atomics);
        }
        class
    }

    fn atomics_of(&self, class: &ClassFile) -> Arc<AtomicFields> {
        let host = class.nest_host.as_ref().unwrap_or(&class.name);
        self.atomics.get(host, || {
            let nest = self.nest(host);
            Arc::new(nest.map_or_else(AtomicFields::default, |nest| self.found(&nest)))
        })
    }

    /// The classes that see each other's private members; nothing where one of them is not there.
    fn nest(&self, host: &ClassName) -> Option<Vec<ClassFile>> {
        let host = self.read(host).ok()??;
        let members = host.nest_members.clone();
        let mut nest = vec![host];
        for member in members {
            nest.push(self.read(&member).ok()??);
        }
        Some(nest)
    }

    /// Those of all fields that may be such ones with which nothing else is done.
    fn found(&self, nest: &[ClassFile]) -> AtomicFields {
        let held = nest.iter().map(|class| (class, holders(class)));
        let held = held.filter(|(class, held)| !held.is_empty() && !self.can_be_cloned(class));
        let mut fields = AtomicFields {
            holders: held.flat_map(|(_, held)| held).collect(),
            accessors: accessors(nest).unwrap_or_default(),
        };
        if fields.is_empty() {
            return fields;
        }
        let mut all = BTreeSet::new();
        for class in nest {
            for method in &class.methods {
                match misused(class, method, &fields) {
                    Ok(more) => all.extend(more),
                    // Whatever is done there may be done with all of them.
                    Err(_) => return AtomicFields::default(),
                }
            }
        }
        fields.holders.retain(|field, _| !all.contains(field));
        fields.accessors.retain(|field, _| !all.contains(field));
        fields
    }

    /// Whether objects of the class can be copied, and what they hold with them: then two objects have it.
    fn can_be_cloned(&self, class: &ClassFile) -> bool {
        let above = |class: &ClassFile| -> Vec<ClassName> {
            let above = class.superclass.iter().chain(&class.interfaces);
            above.cloned().collect()
        };
        let mut seen = BTreeSet::new();
        let mut open = above(class);
        while let Some(name) = open.pop() {
            if name.is(CLONEABLE) {
                return true;
            }
            if seen.insert(name.clone())
                && let Ok(Some(class)) = self.read(&name)
            {
                open.extend(above(&class));
            }
        }
        false
    }
}

fn reference(class: &ClassFile, field: &ClassField, ty: JavaType) -> JavaFieldRef {
    JavaFieldRef {
        class: class.name.clone(),
        name: Arc::clone(&field.name),
        ty,
    }
}

/// The private fields that hold an object which holds a value.
fn holders(class: &ClassFile) -> BTreeMap<JavaFieldRef, JavaFieldRef> {
    let own = class.fields.iter();
    // Each constructor has to give one that is final something.
    let own = own
        .filter(|own| own.access.is_private() && own.access.is_final() && !own.access.is_static());
    let found = own.filter_map(|own| {
        let JavaType::Class(holder) = &own.ty else {
            return None;
        };
        let mut held = held_by(holder)?;
        if held == JavaType::object() {
            held = own.generic.as_deref().and_then(argument).unwrap_or(held);
        }
        let plain = reference(class, own, held);
        Some((reference(class, own, own.ty.clone()), plain))
    });
    found.collect()
}

/// The class or array that is the only type argument: `Ljava/util/concurrent/atomic/AtomicReference<Lorg/example/State;>;`.
/// Nothing where that is a variable, or is not known to be a class.
fn argument(generic: &str) -> Option<JavaType> {
    let (_, argument) = generic.split_once('<')?;
    let argument = argument.strip_suffix(">;")?;
    let argument = argument.strip_prefix('+').unwrap_or(argument);
    match argument.split_once('<') {
        None => JavaType::parse(argument),
        // A class in a class that has arguments of its own is written with them before its name.
        Some((outer, rest)) => {
            let is_plain = !rest.contains(">.");
            is_plain
                .then(|| JavaType::parse(&format!("{outer};")))
                .flatten()
        }
    }
}

/// The private static fields with what the fields of the nest are read and written through; nothing where an initialiser is
/// not taken.
fn accessors(nest: &[ClassFile]) -> Option<BTreeMap<JavaFieldRef, JavaFieldRef>> {
    let mut found = BTreeMap::new();
    for class in nest {
        for (accessor, (owner, name)) in targets(class).ok()? {
            let is_hidden = |own: &&ClassField| own.access.is_private() && own.access.is_final();
            let Some(_) = class.field(&accessor.name, &accessor.ty).filter(is_hidden) else {
                continue;
            };
            let target = nest
                .iter()
                .find(|class| class.name == owner)
                .and_then(|class| {
                    let mut own = class.fields.iter().filter(|own| !own.access.is_static());
                    let field = own.find(|own| *own.name == *name)?;
                    Some(reference(class, field, field.ty.clone()))
                });
            found.extend(target.map(|target| (accessor, target)));
        }
    }
    Some(found)
}
