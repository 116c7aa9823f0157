//! Which classes assign which fields: found by looking at every instruction there is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::front::java::classfile::{
    ClassFile, Instruction, InvokeKind, JavaFieldRef, Method, MethodRef, Result,
};
use crate::front::java::types::ClassName;
use crate::front::java::world::World;
use crate::front::java::world::studied::{OwnField, Studied};

/// Who assigns fields, of all objects and classes.
#[derive(Clone, Debug, Default)]
pub struct Writers {
    by_field: BTreeMap<JavaFieldRef, BTreeSet<ClassName>>,
    /// Classes of which some code could not be read: they may assign any field they can see.
    unread: BTreeSet<ClassName>,
}

impl Writers {
    /// Looks through these classes.
    pub fn of(world: &World, classes: &[ClassName]) -> Writers {
        let found = classes.par_iter().filter_map(|name| {
            let class = world.class(name)?;
            Some((name.clone(), assigned(world, &class)))
        });
        let mut writers = Writers::default();
        for (name, fields) in found.collect::<Vec<(ClassName, Option<BTreeSet<JavaFieldRef>>)>>() {
            let Some(fields) = fields else {
                writers.unread.insert(name);
                continue;
            };
            for field in fields {
                writers
                    .by_field
                    .entry(field)
                    .or_default()
                    .insert(name.clone());
            }
        }
        writers
    }

    /// The classes outside of a studied class and its superclasses that assign one of its fields. Classes that could not be
    /// read count where they are in the same package, or the field can be seen from everywhere.
    pub fn outside(&self, studied: &Studied, own: &OwnField) -> Vec<ClassName> {
        let field = JavaFieldRef {
            class: own.class.clone(),
            name: Arc::clone(&own.field.name),
            ty: own.field.ty.clone(),
        };
        let access = own.field.access;
        let near = |class: &&ClassName| {
            let open = access.is_public() || access.is_protected();
            open || class.package() == own.class.package()
        };
        let writers = self.by_field.get(&field).into_iter().flatten();
        let writers = writers.chain(self.unread.iter().filter(near));
        writers
            .filter(|class| !studied.is_own(class))
            .cloned()
            .collect()
    }
}

/// The fields that a class assigns, each with the class that declares it; nothing where some of its code cannot be read.
fn assigned(world: &World, class: &ClassFile) -> Option<BTreeSet<JavaFieldRef>> {
    let mut found = BTreeSet::new();
    for method in &class.methods {
        for instruction in instructions(class, method).ok()? {
            match &instruction {
                Instruction::PutField(field) => {
                    found.insert(declared(world, field));
                }
                Instruction::Invoke(InvokeKind::Static, method) => {
                    found.extend(through_access(world, method));
                }
                _ => {}
            }
        }
    }
    Some(found)
}

fn instructions(class: &ClassFile, method: &Method) -> Result<Vec<Instruction>> {
    let code = class.code(method)?;
    let all = code.into_iter().flat_map(|code| code.instructions);
    Ok(all.map(|(_, instruction)| instruction).collect())
}

/// A field with the class that declares it.
fn declared(world: &World, field: &JavaFieldRef) -> JavaFieldRef {
    let declaring = world.field(field).map(|(class, _)| class.name.clone());
    JavaFieldRef {
        class: declaring.unwrap_or_else(|| field.class.clone()),
        ..field.clone()
    }
}

/// The fields that a static method assigns for whoever calls it: before Java 11, compilers had a class that stands in another
/// one assign its private fields by such methods.
fn through_access(world: &World, method: &MethodRef) -> Vec<JavaFieldRef> {
    if !method.name.starts_with("access$") {
        return Vec::new();
    }
    let found = world.method(method);
    let found = found.filter(|found| found.method().access.is_synthetic());
    let instructions = found.and_then(|found| instructions(&found.class, found.method()).ok());
    let instructions = instructions.unwrap_or_default().into_iter();
    let fields = instructions.filter_map(|instruction| match instruction {
        Instruction::PutField(field) => Some(declared(world, &field)),
        _ => None,
    });
    fields.collect()
}
