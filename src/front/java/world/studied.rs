//! A class with all that it inherits, as one: its fields, its constructors, and what its callers can call.

use std::collections::HashSet;
use std::sync::Arc;

use super::nesting::is_hidden;
use super::written::WrittenConditions;
use super::{MethodOf, World, methods_of};
use crate::front::java::classfile::{
    ClassField, ClassFile, Instruction, InvokeKind, JavaFieldRef, MethodRef,
};
use crate::front::java::types::{ClassName, JavaType, MethodSignature};

/// A class to be studied.
#[derive(Clone, Debug)]
pub struct Studied {
    /// The class, then its superclasses, nearest first, `Object` left out.
    pub chain: Vec<Arc<ClassFile>>,
    /// The first superclass that is not there: its members are not known.
    pub missing: Option<ClassName>,
    /// The fields of its objects, those of the highest superclass first.
    pub fields: Vec<OwnField>,
    /// The constructors: the public ones or, where there is none or others cannot name the class, all.
    pub constructors: Vec<MethodOf>,
    /// What callers can call, its own methods first, then inherited ones; none that is a condition.
    pub actions: Vec<MethodOf>,
    /// What somebody wrote down about it.
    pub written: WrittenConditions,
    /// Whether its objects are taken to be of exactly this class: it is not abstract.
    pub exact: bool,
}

/// A field of the objects of a studied class.
#[derive(Clone, Debug)]
pub struct OwnField {
    /// The class that declares it.
    pub class: ClassName,
    /// The field.
    pub field: ClassField,
    /// A name that no other of the fields has: its own, with the class behind it where a subclass has another one of that
    /// name.
    pub name: String,
}

impl Studied {
    /// Looks at a class with all that it inherits.
    pub fn of(world: &World, class: &Arc<ClassFile>) -> Studied {
        let mut chain = world.superclasses(class);
        let missing = chain.last().and_then(|last| last.superclass.clone());
        // What `Object` has is known.
        let missing = missing.filter(|class| !class.is("java/lang/Object"));
        chain.retain(|class| !class.name.is("java/lang/Object"));
        let mut studied = Studied {
            fields: fields(&chain),
            constructors: constructors(class),
            actions: Vec::new(),
            written: WrittenConditions::default(),
            exact: !class.access.is_abstract(),
            chain,
            missing,
        };
        studied.actions = studied.collect_actions(world);
        let written = WrittenConditions::of(&studied.chain, &studied.actions);
        studied
            .actions
            .retain(|action| !written.is_condition(action));
        studied.written = written;
        studied
    }

    /// The class itself.
    pub fn class(&self) -> &Arc<ClassFile> {
        // A chain begins with its class; that of `Object` is of no interest to anybody, but has to be something.
        &self.chain[0]
    }

    /// Whether a class is this one or one of its superclasses.
    pub fn is_own(&self, name: &ClassName) -> bool {
        self.chain.iter().any(|class| class.name == *name)
    }

    /// The public methods that an object has: each signature once, as the nearest class has it. Static ones, those that
    /// compilers add, and those of `Object` are none that matter.
    fn collect_actions(&self, world: &World) -> Vec<MethodOf> {
        let interfaces: Vec<Arc<ClassFile>> = self
            .chain
            .iter()
            .flat_map(|class| world.interfaces(class))
            .collect();
        let mut seen: HashSet<(String, String)> = of_object(world);
        let mut actions = Vec::new();
        for method in self.chain.iter().chain(&interfaces).flat_map(methods_of) {
            let (found, access) = (method.method(), method.method().access);
            if found.name.starts_with('<') || !access.is_public() || access.is_static() {
                continue;
            }
            let key = (found.name.to_string(), found.signature.descriptor());
            if access.is_synthetic() || access.is_bridge() {
                // One with a signature of its own stands for a method that is listed by itself.
                if bridged(&method).is_some_and(|other| other.signature != found.signature) {
                    seen.insert(key);
                }
                continue;
            }
            if !seen.insert(key) {
                continue;
            }
            let selected = world.select(self.class(), &found.name, &found.signature);
            let plain = selected.filter(|selected| !selected.method().access.is_bridge());
            actions.push(plain.unwrap_or(method));
        }
        actions
    }

    /// One of its own fields that code refers to by any of its classes.
    pub fn own_field(&self, field: &JavaFieldRef) -> Option<&OwnField> {
        let from = self
            .chain
            .iter()
            .position(|class| class.name == field.class)?;
        let declaring = self
            .chain
            .iter()
            .skip(from)
            .find(|class| class.field(&field.name, &field.ty).is_some())?;
        self.fields.iter().find(|own| {
            own.class == declaring.name && own.field.name == field.name && own.field.ty == field.ty
        })
    }

    /// The method that is run where one of its objects calls a method on itself, or a static one of its classes. Nothing
    /// where that is not its own: then it is somebody else's.
    pub fn own_method(
        &self,
        world: &World,
        kind: InvokeKind,
        method: &MethodRef,
    ) -> Option<MethodOf> {
        let JavaType::Class(owner) = &method.owner else {
            return None;
        };
        let found = match kind {
            InvokeKind::Virtual | InvokeKind::Interface => {
                let private = world
                    .method(method)
                    .filter(|found| found.method().access.is_private());
                private.or_else(|| world.select(self.class(), &method.name, &method.signature))
            }
            InvokeKind::Special | InvokeKind::Static => {
                let class = self.chain.iter().find(|class| class.name == *owner);
                let inherited =
                    class.and_then(|class| world.select(class, &method.name, &method.signature));
                inherited.or_else(|| self.of_interface(world, owner, method))
            }
        }?;
        let own = self.is_own(&found.class.name) || found.class.access.is_interface();
        own.then_some(found)
    }

    /// `Interface.super.m()`
    fn of_interface(
        &self,
        world: &World,
        owner: &ClassName,
        method: &MethodRef,
    ) -> Option<MethodOf> {
        let interface = world
            .class(owner)
            .filter(|class| class.access.is_interface())?;
        let implements = world.is_subclass(&self.class().name, owner) == Some(true);
        implements
            .then(|| world.select(&interface, &method.name, &method.signature))
            .flatten()
    }
}

/// The method that a compiler's method of the same name does nothing but call: one whose result or parameters have
/// other types, or one of a superclass that others cannot name.
fn bridged(bridge: &MethodOf) -> Option<MethodRef> {
    let code = bridge.class.code(bridge.method()).ok()??;
    code.instructions
        .iter()
        .find_map(|(_, instruction)| match instruction {
            Instruction::Invoke(_, method) if method.name == bridge.method().name => {
                Some(method.clone())
            }
            _ => None,
        })
}

fn fields(chain: &[Arc<ClassFile>]) -> Vec<OwnField> {
    let mut found: Vec<OwnField> = Vec::new();
    for class in chain.iter().rev() {
        for field in class
            .fields
            .iter()
            .filter(|field| !field.access.is_static())
        {
            found.push(OwnField {
                class: class.name.clone(),
                field: field.clone(),
                name: field.name.to_string(),
            });
        }
    }
    // The nearest class keeps the plain name.
    let mut taken: HashSet<String> = HashSet::new();
    for own in found.iter_mut().rev() {
        while !taken.insert(own.name.clone()) {
            own.name = format!("{}_{}", own.name, own.class.simple().replace('$', "_"));
        }
    }
    found
}

fn constructors(class: &Arc<ClassFile>) -> Vec<MethodOf> {
    let all: Vec<MethodOf> = methods_of(class)
        .filter(|method| method.method().is_constructor())
        .collect();
    let public: Vec<MethodOf> = all
        .iter()
        .filter(|method| method.method().access.is_public())
        .cloned()
        .collect();
    // Who can name a hidden class can call its other constructors as well.
    match public.is_empty() || is_hidden(class) {
        true => all,
        false => public,
    }
}

/// What every object has, which says nothing of a class: also where `Object` itself is not there.
fn of_object(world: &World) -> HashSet<(String, String)> {
    let known = [
        ("equals", "(Ljava/lang/Object;)Z"),
        ("getClass", "()Ljava/lang/Class;"),
        ("hashCode", "()I"),
        ("notify", "()V"),
        ("notifyAll", "()V"),
        ("toString", "()Ljava/lang/String;"),
        ("wait", "()V"),
        ("wait", "(J)V"),
        ("wait", "(JI)V"),
    ];
    let mut found: HashSet<(String, String)> = known
        .iter()
        .map(|(name, descriptor)| ((*name).to_owned(), (*descriptor).to_owned()))
        .collect();
    let object = world.class(&ClassName::object());
    for method in object.iter().flat_map(|object| &object.methods) {
        found.insert((
            method.name.to_string(),
            MethodSignature::descriptor(&method.signature),
        ));
    }
    found
}
