//! What the routines of the text stand for, as calls that a program in Java makes.

use std::collections::{BTreeMap, BTreeSet};

use super::helpers::OwnerId;
use super::making::{class_in_source, in_source, object, stands_alone};
use super::methods::Methods;
use crate::front::java::classfile::Access;
use crate::front::java::types::JavaType;
use crate::front::java::world::nesting::enum_constants;
use crate::front::java::world::{MethodOf, World};
use crate::ir::{JavaCall, JavaCalls, JavaInteger, JavaParameter, JavaValues};

/// The calls of a class. `name` says how a constructor or an action is called in the text, by its place among these; `exceptions`
/// how exceptions are, and `owed` of which actions something is required that they do not ask for.
pub(super) fn calls(
    world: &World,
    methods: &Methods<'_>,
    name: impl Fn(usize) -> Option<String>,
    (exceptions, owed): (BTreeMap<String, String>, BTreeSet<String>),
) -> JavaCalls {
    let studied = methods.helpers.class(OwnerId::STUDIED);
    let class = studied.class();
    let package = class.name.package().replace('/', ".");
    let is_closed = ["java.", "javax."].iter().any(|of| package.starts_with(of));
    let sees = |access: Access| match is_closed {
        true => access.is_public(),
        false => !access.is_private(),
    };
    let named = |methods: &[MethodOf], first: usize, sees: &dyn Fn(Access) -> bool| {
        let methods = methods.iter().enumerate();
        let seen = methods.filter(|(_, method)| sees(method.method().access));
        let calls = seen.filter_map(|(at, method)| Some((name(first + at)?, call(world, method))));
        calls.collect()
    };
    let is_made = studied.exact && sees(class.access) && stands_alone(class, sees);
    // What no program can name the class for, it cannot make either: so those that are taken for constructors are none to call.
    let constructors = named(&studied.constructors, 0, &|access| is_made && sees(access));
    JavaCalls {
        class: class_in_source(world, &class.name),
        package: if is_closed { String::new() } else { package },
        constructors,
        actions: named(&studied.actions, methods.constructors, &|_| true),
        exceptions,
        owed,
    }
}

fn call(world: &World, method: &MethodOf) -> JavaCall {
    let method = method.method();
    let parameters = method.signature.parameters.iter();
    let result = method.signature.result.as_ref();
    JavaCall {
        name: method.name.to_string(),
        result: result.map_or_else(|| "void".to_owned(), |ty| in_source(world, ty)),
        parameters: parameters
            .map(|ty| JavaParameter {
                ty: in_source(world, ty),
                values: values(world, ty),
            })
            .collect(),
    }
}

fn values(world: &World, ty: &JavaType) -> JavaValues {
    match ty {
        JavaType::Boolean => JavaValues::Booleans,
        JavaType::Byte => JavaValues::Integers(JavaInteger::Byte),
        JavaType::Short => JavaValues::Integers(JavaInteger::Short),
        JavaType::Char => JavaValues::Integers(JavaInteger::Char),
        JavaType::Int => JavaValues::Integers(JavaInteger::Int),
        JavaType::Long => JavaValues::Integers(JavaInteger::Long),
        JavaType::Float | JavaType::Double => JavaValues::Fractions,
        JavaType::Array(element) => {
            let (mut innermost, mut more) = (&**element, 0);
            while let JavaType::Array(element) = innermost {
                (innermost, more) = (element, more + 1);
            }
            JavaValues::Arrays(in_source(world, innermost), more)
        }
        JavaType::Class(name) => {
            let class = world.class(name).filter(|class| class.access.is_enum());
            match class {
                Some(class) => {
                    let constants = enum_constants(&class).into_iter();
                    JavaValues::Constants(constants.map(|field| field.name.to_string()).collect())
                }
                None => JavaValues::Objects(object(world, name)),
            }
        }
    }
}
