//! What values of Java are in the language: integers without bounds, booleans, references of which only identity is
//! known, arrays of which only the length is known, constants of enums, and numbers of which nothing is known.

use std::collections::BTreeMap;

use super::helpers::OwnerId;
use super::names::{UniqueNames, simple};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::World;
use crate::front::java::world::nesting::enum_constants;
use crate::front::tq::ast;
use crate::front::tq::build::{self, equal, null, nullable, ty};

/// What a value is in the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A number without a fraction, as a mathematical integer.
    Int,
    /// A truth value.
    Bool,
    /// A number with a fraction: nothing is known of it.
    Fraction,
    /// A reference.
    Object,
    /// A reference to an array.
    Array,
    /// A constant of this enum, or null.
    Enum(ClassName),
    /// A reference to an object of a helper class.
    Helper(OwnerId),
    /// `null`, which has any of the types of references.
    Null,
    /// The object itself.
    This,
}

impl Shape {
    /// Whether its values are references.
    pub(super) fn is_reference(&self) -> bool {
        !matches!(self, Shape::Int | Shape::Bool | Shape::Fraction)
    }
}

/// The class of all objects that are not studied.
pub(super) const OBJECT: &str = "Object";
/// What arrays hold.
pub(super) const ELEMENT: &str = "Element";
/// Numbers with fractions.
pub(super) const FRACTION: &str = "Fraction";

/// An enum in the language: `null` is one of its values.
#[derive(Clone, Debug)]
pub(super) struct LoweredEnum {
    /// Its name.
    pub name: String,
    /// The value that stands for `null`.
    pub none: String,
    /// Its constants, by their names in Java, in order.
    pub constants: Vec<(String, String)>,
}

/// The types that are spoken of: enums, and helper classes.
#[derive(Debug, Default)]
pub(super) struct Types {
    enums: BTreeMap<ClassName, LoweredEnum>,
    helpers: BTreeMap<ClassName, (OwnerId, String)>,
}

impl Types {
    /// A helper class gets a name.
    pub(super) fn name_helper(&mut self, class: ClassName, id: OwnerId, name: String) {
        self.helpers.insert(class, (id, name));
    }

    /// The name of a helper class.
    pub(super) fn helper(&self, id: OwnerId) -> &str {
        let mut helpers = self.helpers.values();
        let found = helpers.find(|(known, _)| *known == id);
        found.map_or(OBJECT, |(_, name)| name)
    }

    /// The shape of a type. Enums that are met for the first time get their names from `names`.
    pub(super) fn shape(&mut self, world: &World, names: &mut UniqueNames, ty: &JavaType) -> Shape {
        match ty {
            JavaType::Boolean => Shape::Bool,
            JavaType::Byte | JavaType::Char | JavaType::Short | JavaType::Int | JavaType::Long => {
                Shape::Int
            }
            JavaType::Float | JavaType::Double => Shape::Fraction,
            JavaType::Array(_) => Shape::Array,
            JavaType::Class(name) => {
                if let Some((helper, _)) = self.helpers.get(name) {
                    return Shape::Helper(*helper);
                }
                if self.enums.contains_key(name) {
                    return Shape::Enum(name.clone());
                }
                let Some(class) = world.class(name).filter(|class| class.access.is_enum()) else {
                    return Shape::Object;
                };
                let mut members = UniqueNames::default();
                let none = members.give("none");
                let constants = enum_constants(&class).into_iter();
                let constants = constants
                    .map(|field| (field.name.to_string(), members.give(&field.name)))
                    .collect();
                let name_here = names.give(&simple(name));
                self.enums.insert(
                    name.clone(),
                    LoweredEnum {
                        name: name_here,
                        none,
                        constants,
                    },
                );
                Shape::Enum(name.clone())
            }
        }
    }

    /// An enum that was met.
    pub(super) fn get(&self, class: &ClassName) -> Option<&LoweredEnum> {
        self.enums.get(class)
    }

    /// All enums that were met, with their classes.
    pub(super) fn enums(&self) -> impl Iterator<Item = (&ClassName, &LoweredEnum)> {
        self.enums.iter()
    }

    /// The type of a variable for values of a shape.
    pub(super) fn ty(&self, shape: &Shape) -> ast::TypeSyntax {
        match shape {
            Shape::Int => ty("int"),
            Shape::Bool => ty("bool"),
            Shape::Fraction => ty(FRACTION),
            Shape::Object | Shape::Null | Shape::This => nullable(ty(OBJECT)),
            Shape::Helper(id) => nullable(ty(self.helper(*id))),
            Shape::Array => nullable(ast::TypeSyntax::Array(Box::new(ty(ELEMENT)))),
            Shape::Enum(class) => ty(self.get(class).map_or(OBJECT, |found| &found.name)),
        }
    }

    /// `null`, as a value of that shape.
    pub(super) fn null(&self, shape: &Shape) -> ast::ExprSyntax {
        match shape {
            Shape::Enum(class) => self.get(class).map_or_else(null, |found| {
                build::dot(build::name(&found.name), &found.none)
            }),
            _ => null(),
        }
    }

    /// Whether a reference is null.
    pub(super) fn is_null(&self, value: ast::ExprSyntax, shape: &Shape) -> ast::ExprSyntax {
        match shape {
            Shape::This => build::bool(false),
            Shape::Null => build::bool(true),
            shape => equal(value, self.null(shape)),
        }
    }
}
