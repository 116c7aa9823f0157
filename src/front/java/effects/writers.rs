//! Which classes assign which fields: found by looking at every instruction there is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::front::java::classfile::{
    ClassFile, Instruction, InvokeKind, JavaFieldRef, Method, MethodRef, PoolConstant, Result, Text,
};
use crate::front::java::flow::flow_of;
use crate::front::java::tree::{JavaExpr, Role, StepKind};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::World;
use crate::front::java::world::studied::{OwnField, Studied};

/// Who assigns fields, of all objects and classes.
#[derive(Clone, Debug, Default)]
pub struct Writers {
    by_field: BTreeMap<JavaFieldRef, BTreeMap<ClassName, OfWhom>>,
    /// The texts in methods that look for a field by its name, with the classes that they look in: who has what they find
    /// assigns it where nobody sees it.
    by_name: BTreeMap<Arc<str>, LookedIn>,
    /// Classes of which some code could not be read: they may assign any field they can see.
    unread: BTreeSet<ClassName>,
}

/// Whose fields a class assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum OfWhom {
    /// Those of the object alone that its method, or constructor, was called on.
    This,
    /// Those of any object.
    Any,
}

/// The classes that methods look for a field in.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LookedIn {
    /// Those that they name.
    These(BTreeSet<ClassName>),
    /// Any: they have a class from elsewhere.
    Any,
}

impl LookedIn {
    fn nowhere() -> Self {
        LookedIn::These(BTreeSet::new())
    }

    fn has(&self, class: &ClassName) -> bool {
        match self {
            LookedIn::These(classes) => classes.contains(class),
            LookedIn::Any => true,
        }
    }

    /// With what is looked through from these classes, and from the one whose code it is: it need not name itself. Who names no
    /// class has the object.
    fn seen_from(self, world: &World, from: &ClassFile) -> Self {
        let LookedIn::These(named) = self else {
            return LookedIn::Any;
        };
        if named.is_empty() {
            return LookedIn::Any;
        }
        let mut all = BTreeSet::new();
        for name in named.into_iter().chain([from.name.clone()]) {
            let above = world.class(&name).map(|class| world.superclasses(&class));
            all.extend(above.into_iter().flatten().map(|class| class.name.clone()));
            all.insert(name);
        }
        LookedIn::These(all)
    }

    fn extend(&mut self, more: &LookedIn) {
        match (&mut *self, more) {
            (LookedIn::These(classes), LookedIn::These(more)) => {
                classes.extend(more.iter().cloned());
            }
            _ => *self = LookedIn::Any,
        }
    }
}

impl Writers {
    /// Looks through these classes.
    pub fn of(world: &World, classes: &[ClassName]) -> Writers {
        let found = classes.par_iter().filter_map(|name| {
            let class = world.class(name)?;
            Some((name.clone(), assigned(world, &class)))
        });
        let mut writers = Writers::default();
        for (name, fields) in found.collect::<Vec<(ClassName, Option<Assigned>)>>() {
            let Some(fields) = fields else {
                writers.unread.insert(name);
                continue;
            };
            for (text, looked_in) in fields.by_name {
                let all = writers.by_name.entry(text);
                all.or_insert_with(LookedIn::nowhere).extend(&looked_in);
            }
            for (field, of_whom) in fields.of {
                let by_class = writers.by_field.entry(field).or_default();
                by_class.insert(name.clone(), of_whom);
            }
        }
        writers
    }

    /// Whether a field of an object may be assigned where nobody has looked: it is not final, and classes outside of its
    /// package see it, or somebody finds it by its name. A protected field only subclasses see there, and only that of their
    /// own objects, to which the machine holds them (JVMS 4.10.1.8).
    pub fn is_open(&self, studied: &Studied, own: &OwnField) -> bool {
        let access = own.field.access;
        let seen = access.is_public() || (access.is_protected() && !studied.exact);
        let looked_in = self.by_name.get(&own.field.name);
        let found = looked_in.is_some_and(|looked_in| looked_in.has(&own.class));
        (seen || found) && !access.is_final()
    }

    /// The classes outside of a studied class and its superclasses that assign one of its fields. One that assigns it of the
    /// object alone that its method was called on has no object of the class under study there, unless it is a subclass.
    /// Classes that could not be read count where they are in the same package, or the field can be seen from everywhere.
    pub fn outside(&self, studied: &Studied, own: &OwnField) -> Vec<ClassName> {
        let field = JavaFieldRef {
            class: own.class.clone(),
            name: Arc::clone(&own.field.name),
            ty: own.field.ty.clone(),
        };
        let near = |class: &&ClassName| {
            self.is_open(studied, own) || class.package() == own.class.package()
        };
        let writers = self.by_field.get(&field).into_iter().flatten();
        let writers = writers
            .filter(|(_, of_whom)| !(studied.exact && **of_whom == OfWhom::This))
            .map(|(class, _)| class);
        let writers = writers.chain(self.unread.iter().filter(near));
        writers
            .filter(|class| !studied.is_own(class))
            .cloned()
            .collect()
    }
}

/// What a class assigns.
#[derive(Default)]
struct Assigned {
    /// The fields, each with the class that declares it.
    of: BTreeMap<JavaFieldRef, OfWhom>,
    /// The texts in its methods that look for fields by their names, with where these do.
    by_name: BTreeMap<Arc<str>, LookedIn>,
}

impl Assigned {
    fn of_any(&mut self, fields: Vec<JavaFieldRef>) {
        self.of
            .extend(fields.into_iter().map(|field| (field, OfWhom::Any)));
    }
}

/// The methods that find a field by its name, of any class: field updaters, handles, reflection, and what the JDK has of its
/// own for them.
const LOOKS_FOR_FIELDS: [&str; 8] = [
    "newUpdater",
    "findVarHandle",
    "findSetter",
    "objectFieldOffset",
    "getDeclaredField",
    "getField",
    "findFieldOffset",
    "fieldOffset",
];

/// What a class assigns; nothing where some of its code cannot be read.
fn assigned(world: &World, class: &ClassFile) -> Option<Assigned> {
    let mut found = Assigned::default();
    for method in &class.methods {
        // Whose field it is matters for inherited ones alone, and takes the method's whole flow.
        let mut inherits = false;
        let (mut texts, mut looks) = (Vec::new(), false);
        let mut looked_in = match method.signature.parameters.iter().any(is_class_object) {
            true => LookedIn::Any,
            false => LookedIn::nowhere(),
        };
        let mut written = Vec::new();
        for instruction in instructions(class, method).ok()? {
            match &instruction {
                // Who reads what a field is read and written through may write it.
                Instruction::GetField(field) | Instruction::GetStatic(field)
                    if class.atomics.meant(field).is_some() =>
                {
                    written.extend(class.atomics.meant(field).cloned());
                }
                Instruction::Push(PoolConstant::String(Text::Plain(text))) => {
                    texts.push(Arc::clone(text));
                }
                Instruction::Push(PoolConstant::Class(JavaType::Class(named))) => {
                    looked_in.extend(&LookedIn::These(BTreeSet::from([named.clone()])));
                }
                Instruction::GetField(JavaFieldRef { ty, .. })
                | Instruction::GetStatic(JavaFieldRef { ty, .. })
                | Instruction::Cast(ty)
                    if is_class_object(ty) =>
                {
                    looked_in = LookedIn::Any;
                }
                Instruction::PutField(field) => {
                    let meant = class.atomics.meant(field).unwrap_or(field);
                    written.push(declared(world, meant));
                }
                Instruction::Invoke(kind, method) => {
                    looks |= LOOKS_FOR_FIELDS.contains(&&*method.name);
                    if method
                        .signature
                        .result
                        .as_ref()
                        .is_some_and(is_class_object)
                    {
                        looked_in = LookedIn::Any;
                    }
                    if *kind == InvokeKind::Static {
                        found.of_any(through_access(world, method));
                    }
                }
                _ => {}
            }
        }
        for field in written {
            inherits |= field.class != class.name;
            found.of.entry(field).or_insert(OfWhom::This);
        }
        if inherits {
            found.of_any(of_others(world, class, method)?);
        }
        if looks {
            if method.is_class_initialiser() {
                without_own_accessors(class, &mut texts);
            }
            let looked_in = looked_in.seen_from(world, class);
            for text in texts {
                let all = found.by_name.entry(text);
                all.or_insert_with(LookedIn::nowhere).extend(&looked_in);
            }
        }
    }
    Some(found)
}

/// Takes the names away by which the initialiser of a class finds fields that nobody writes but the class itself.
fn without_own_accessors(class: &ClassFile, texts: &mut Vec<Arc<str>>) {
    let accessors = class.atomics.accessors.iter();
    let own = accessors.filter(|(accessor, _)| accessor.class == class.name);
    for (_, field) in own {
        if let Some(at) = texts.iter().position(|text| *text == field.name) {
            texts.remove(at);
        }
    }
}

/// Whether a value is a class as an object, or may be one.
fn is_class_object(ty: &JavaType) -> bool {
    match ty {
        JavaType::Class(class) => {
            matches!(class.internal(), "java/lang/Class" | "java/lang/Object")
        }
        JavaType::Array(element) => is_class_object(element),
        _ => false,
    }
}

/// The fields that a method assigns of other objects than the one that it is called on; nothing where its code is not taken.
fn of_others(world: &World, class: &ClassFile, method: &Method) -> Option<Vec<JavaFieldRef>> {
    let Some(flow) = flow_of(class, method).ok()? else {
        return Some(Vec::new());
    };
    let steps = flow.blocks.iter().flat_map(|block| &block.steps);
    let fields = steps.filter_map(|step| match &step.kind {
        StepKind::SetField(object, field, _) => {
            let is_this = matches!(object, JavaExpr::Variable(id)
                if flow.variables[id.index()].role == Role::This);
            (!is_this).then(|| declared(world, field))
        }
        _ => None,
    });
    Some(fields.collect())
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
