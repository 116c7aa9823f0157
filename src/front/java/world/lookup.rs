//! Fields and methods, found as the machine finds them (JVMS 5.4.3.2, 5.4.3.3, 5.4.6).

use std::sync::Arc;

use super::{MethodOf, World};
use crate::front::java::classfile::{ClassField, ClassFile, JavaFieldRef, MethodRef};
use crate::front::java::types::{ClassName, MethodSignature};

impl World {
    /// The class that declares a field that code refers to, and the field.
    pub fn field(&self, field: &JavaFieldRef) -> Option<(Arc<ClassFile>, ClassField)> {
        let class = self.class(&field.class)?;
        for class in self.superclasses(&class) {
            // An interface's constants come before those of the superclass.
            let interfaces = self.interfaces(&class).into_iter();
            for class in [class].into_iter().chain(interfaces) {
                if let Some(found) = class.field(&field.name, &field.ty) {
                    return Some((Arc::clone(&class), found.clone()));
                }
            }
        }
        None
    }

    /// The method that code refers to, before anything is known of the object it is called on.
    pub fn method(&self, method: &MethodRef) -> Option<MethodOf> {
        let class = self.class(&method.class())?;
        self.select(&class, &method.name, &method.signature)
    }

    /// The method of that name and signature that an object of a class has: its own, an inherited one, or the default of
    /// an interface.
    pub fn select(
        &self,
        class: &Arc<ClassFile>,
        name: &str,
        signature: &MethodSignature,
    ) -> Option<MethodOf> {
        let chain = self.superclasses(class);
        let own = |class: &Arc<ClassFile>| {
            let position = class
                .methods
                .iter()
                .position(|method| &*method.name == name && method.signature == *signature);
            position.and_then(|index| MethodOf::new(class, index))
        };
        if let Some(found) = chain.iter().find_map(own) {
            return Some(found);
        }
        let interfaces: Vec<Arc<ClassFile>> = chain
            .iter()
            .flat_map(|class| self.interfaces(class))
            .collect();
        let mut found: Vec<MethodOf> = interfaces.iter().filter_map(own).collect();
        // The most specific one: of which no other is an interface that extends its own.
        let all: Vec<ClassName> = found
            .iter()
            .map(|method| method.class.name.clone())
            .collect();
        found.retain(|method| {
            let name = &method.class.name;
            let below =
                |other: &ClassName| other != name && self.is_subclass(other, name) == Some(true);
            !all.iter().any(below)
        });
        let with_code = found
            .iter()
            .find(|method| method.method().has_code())
            .cloned();
        with_code.or_else(|| found.into_iter().next())
    }

    /// All interfaces of a class by itself, its superclass's left out: those it names, and those that these extend.
    pub fn interfaces(&self, class: &ClassFile) -> Vec<Arc<ClassFile>> {
        let mut found: Vec<Arc<ClassFile>> = Vec::new();
        let mut work: Vec<ClassName> = class.interfaces.iter().rev().cloned().collect();
        while let Some(name) = work.pop() {
            if found.iter().any(|class| class.name == name) {
                continue;
            }
            if let Some(interface) = self.class(&name) {
                work.extend(interface.interfaces.iter().rev().cloned());
                found.push(interface);
            }
        }
        found
    }
}
