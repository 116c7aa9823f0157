//! Helper classes: those of the package of the class under study whose methods it calls on other objects, or whose fields
//! it looks at. What they refuse, it refuses.
//!
//! Of their objects truth values, enums and references are known, and numbers that stand for states: those that are only ever
//! assigned constants. What counts something, and what arrays hold, decides little that a protocol is about, and makes every
//! question hard. Of the object [around](super::outer) numbers are known, and how long its arrays are.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::bodies::Bodies;
use super::outer::{OuterRules, RulesAround};
use super::overriding::may_be_elsewhere;
use crate::front::java::classfile::{ClassFile, InvokeKind, JavaFieldRef, MethodRef};
use crate::front::java::tree::{JavaExpr, JavaStatement, MethodBody, StepKind};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::studied::{OwnField, Studied};
use crate::front::java::world::{MethodOf, World, methods_of};

/// How many classes are followed.
const MOST_CLASSES: usize = 8;

/// A class whose bodies are run: 0 is the one under study, the others are its helpers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct OwnerId(pub usize);

impl OwnerId {
    /// The class under study.
    pub(super) const STUDIED: OwnerId = OwnerId(0);
}

/// A helper class.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    /// The class, with all that it inherits.
    pub class: Studied,
    /// The numbers of its objects that stand for states.
    states: BTreeSet<String>,
    /// What is known of its objects, where those of the class under study are made in them.
    pub around: Option<OuterRules>,
    /// Whether anything of it is run or looked at: else its objects are like any others.
    pub used: bool,
}

impl Helper {
    /// Whether the values of a field are known.
    pub(super) fn keeps(&self, own: &OwnField) -> bool {
        let is_known = || self.around.as_ref().is_some_and(|around| around.knows(own));
        match own.field.ty {
            JavaType::Boolean | JavaType::Class(_) => true,
            JavaType::Float | JavaType::Double => false,
            JavaType::Array(_) => is_known(),
            _ => self.states.contains(&own.name) || is_known(),
        }
    }
}

/// The helper classes that were met.
#[derive(Debug)]
pub(super) struct Helpers<'a> {
    world: &'a World,
    studied: &'a Studied,
    around: &'a RulesAround,
    /// The bodies of methods of all classes.
    pub bodies: Bodies,
    /// The classes of the package.
    near: OnceCell<Vec<Arc<ClassFile>>>,
    /// The classes.
    pub all: Vec<Helper>,
    known: BTreeMap<ClassName, Option<OwnerId>>,
    /// Classes that would be followed if there were not so many.
    pub too_many: BTreeSet<ClassName>,
}

impl<'a> Helpers<'a> {
    /// None yet.
    pub(super) fn new(
        world: &'a World,
        studied: &'a Studied,
        around: &'a RulesAround,
        bodies: Bodies,
    ) -> Helpers<'a> {
        Helpers {
            world,
            studied,
            around,
            bodies,
            near: OnceCell::new(),
            all: Vec::new(),
            known: BTreeMap::new(),
            too_many: BTreeSet::new(),
        }
    }

    /// The helper of that number.
    pub(super) fn get(&self, id: OwnerId) -> Option<&Helper> {
        self.all.get(id.0.checked_sub(1)?)
    }

    /// Whether it is known how long arrays are that objects of this class have.
    pub(super) fn knows_arrays(&self, id: OwnerId) -> bool {
        id == OwnerId::STUDIED || self.get(id).is_some_and(|helper| helper.around.is_some())
    }

    /// Those of whose objects more is known than that they are there.
    pub(super) fn used(&self) -> impl Iterator<Item = (OwnerId, &Helper)> {
        let all = self.all.iter().enumerate();
        all.filter(|(_, helper)| helper.used)
            .map(|(at, helper)| (OwnerId(at + 1), helper))
    }

    /// The class whose methods and fields these are.
    pub(super) fn class(&self, id: OwnerId) -> &Studied {
        self.get(id).map_or(self.studied, |helper| &helper.class)
    }

    /// The helper class that an object is of, as far as an expression shows it. It is exactly of that class: of its
    /// subclasses none is followed.
    pub(super) fn of(&self, object: &JavaExpr, body: &MethodBody) -> Option<OwnerId> {
        match object.ty(&body.variables)? {
            JavaType::Class(class) => self.known.get(&class).copied().flatten(),
            _ => None,
        }
    }

    /// The same, of a class that may be met for the first time.
    pub(super) fn meet(&mut self, object: &JavaExpr, body: &MethodBody) -> Option<OwnerId> {
        let Some(JavaType::Class(class)) = object.ty(&body.variables) else {
            return None;
        };
        self.meet_class(&class)
    }

    /// A class may be met for the first time.
    pub(super) fn meet_class(&mut self, class: &ClassName) -> Option<OwnerId> {
        if let Some(known) = self.known.get(class) {
            return *known;
        }
        let found = self.followed(class).and_then(|class| {
            if self.all.len() == MOST_CLASSES {
                self.too_many.insert(class.class().name.clone());
                return None;
            }
            self.all.push(Helper {
                states: states(&self.bodies, &class),
                around: self.around.get(&class.class().name).cloned(),
                class,
                used: false,
            });
            Some(OwnerId(self.all.len()))
        });
        self.known.insert(class.clone(), found);
        found
    }

    /// The class, if it can be a helper: one of the package that is neither the class under study, nor an exception, nor
    /// above or below another helper, whose objects it would share.
    fn followed(&self, name: &ClassName) -> Option<Studied> {
        if name.package() != self.studied.class().name.package() || self.studied.is_own(name) {
            return None;
        }
        let class = self.world.class(name)?;
        if class.access.is_interface() || class.access.is_enum() {
            return None;
        }
        let related = |other: &ClassName| {
            let is = |a, b| self.world.is_subclass(a, b) != Some(false);
            is(name, other) || is(other, name)
        };
        let mut others = self.all.iter().map(|helper| &helper.class.class().name);
        let own = &self.studied.class().name;
        let throwable = ClassName::new("java/lang/Throwable");
        if others.any(&related)
            || related(own)
            || self.world.is_subclass(name, &throwable) != Some(false)
        {
            return None;
        }
        let found = Studied {
            // It may be one of a subclass that is not there to be seen.
            exact: class.access.is_final(),
            ..Studied::of(self.world, &class)
        };
        // What is above it and not there may do anything.
        found.missing.is_none().then_some(found)
    }

    /// The method that a call on an object of a helper class runs, where that is certain: no class of the package overrides
    /// it, nor one of another package whose object it must be, and its code is there.
    pub(super) fn method(
        &self,
        helper: OwnerId,
        kind: InvokeKind,
        method: &MethodRef,
    ) -> Option<MethodOf> {
        let class = &self.get(helper)?.class;
        let found = class.own_method(self.world, kind, method)?;
        let access = found.method().access;
        let fixed = method.is_constructor() || access.is_private() || access.is_final();
        let overridden =
            || self.is_overridden(class, method) || may_be_elsewhere(class, kind, &found);
        let certain = fixed || !overridden();
        (certain && found.method().has_code()).then_some(found)
    }

    /// Whether a class of the package is below this one and has a method of that name and signature.
    pub(super) fn is_overridden(&self, class: &Studied, method: &MethodRef) -> bool {
        let name = &class.class().name;
        let overrides = |other: &&Arc<ClassFile>| {
            other.name != *name
                && other
                    .methods
                    .iter()
                    .any(|m| m.name == method.name && m.signature == method.signature)
                && self.world.is_subclass(&other.name, name) != Some(false)
        };
        self.near().iter().find(overrides).is_some()
    }

    fn near(&self) -> &[Arc<ClassFile>] {
        self.near.get_or_init(|| {
            let all = self.world.of_package(self.studied.class().name.package());
            let all = all.into_iter();
            all.filter_map(|class| self.world.class(&class)).collect()
        })
    }

    /// Something of a helper is run.
    pub(super) fn runs(&mut self, helper: OwnerId) {
        if let Some(helper) = helper.0.checked_sub(1).and_then(|at| self.all.get_mut(at)) {
            helper.used = true;
        }
    }

    /// A field of a helper is looked at.
    pub(super) fn looks_at(&mut self, helper: OwnerId, field: &JavaFieldRef) {
        let Some(helper) = helper.0.checked_sub(1).and_then(|at| self.all.get_mut(at)) else {
            return;
        };
        let own = helper.class.own_field(field);
        helper.used |= own.is_some_and(|own| helper.keeps(own));
    }

    /// Whether the objects of helper classes may be reached by code that gets an object of this type: as it is one of them.
    pub(super) fn may_be_one(&self, ty: Option<&JavaType>) -> bool {
        let class = match ty {
            Some(JavaType::Class(class)) => class,
            // An array may hold them.
            Some(JavaType::Array(element)) => return self.may_be_one(Some(element)),
            Some(_) | None => return false,
        };
        let is = |a, b| self.world.is_subclass(a, b) != Some(false);
        let mut used = self.all.iter().filter(|helper| helper.used);
        used.any(|helper| {
            let helper = &helper.class.class().name;
            is(helper, class) || is(class, helper)
        })
    }

    /// Whether one of the fields of a helper's objects is written through another class's view of them.
    pub(super) fn has_field(&self, field: &JavaFieldRef) -> bool {
        let declaring = self.world.field(field).map(|(class, _)| class.name.clone());
        let class = declaring.unwrap_or_else(|| field.class.clone());
        self.all.iter().any(|helper| helper.class.is_own(&class))
    }
}

/// The numbers of its objects that a class only ever assigns constants.
fn states(bodies: &Bodies, class: &Studied) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = class.fields.iter().map(|own| own.name.clone()).collect();
    for method in class.chain.iter().flat_map(methods_of) {
        let body = match bodies.of(&method) {
            Ok(Some(body)) => body,
            Ok(None) => continue,
            Err(_) => return BTreeSet::new(),
        };
        for statement in &body.statements {
            statement.visit(&mut |part| {
                if let JavaStatement::Step(step) = part
                    && let StepKind::SetField(_, field, value) = &step.kind
                    && !matches!(value, JavaExpr::Constant(_))
                    && let Some(own) = class.own_field(field)
                {
                    found.remove(&own.name);
                }
            });
        }
    }
    found
}
