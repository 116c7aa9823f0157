//! Types of the syntax tree as types of the flattened contract.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::{Flat, Stop};
use crate::front::solidity::ast::{self, Int, Location, NodeId, Program};
use crate::front::solidity::flat::{Alias, AliasId, Enum, EnumId, Struct, StructId, Type};
use crate::front::solidity::place::Place;

/// The types that are used, while they are collected.
#[derive(Debug, Default)]
pub(super) struct Types {
    structs: Vec<Struct>,
    enums: Vec<Enum>,
    aliases: Vec<Alias>,
    struct_ids: HashMap<NodeId, StructId>,
    enum_ids: HashMap<NodeId, EnumId>,
    alias_ids: HashMap<NodeId, AliasId>,
    /// How many lists and mappings there are around what is looked at.
    depth: u32,
    /// Structs whose members are being looked at, each a part of the one before.
    open: Vec<NodeId>,
}

impl Types {
    /// A type, without where it lives.
    pub fn of(&mut self, program: &Program, ty: &ast::Type, place: Place) -> Flat<Type> {
        Ok(match ty {
            ast::Type::Bool => Type::Bool,
            ast::Type::Int(int) => Type::Int(*int),
            ast::Type::Address => Type::Address,
            ast::Type::Contract(id) => match program.contract(*id) {
                Some(contract) => Type::Contract(contract.name.as_str().into()),
                None => Type::Address,
            },
            ast::Type::FixedBytes(size) => Type::FixedBytes(*size),
            ast::Type::Bytes(_) => Type::Bytes,
            ast::Type::String(_) | ast::Type::StringLiteral => Type::String,
            ast::Type::Enum(id) => Type::Enum(self.enumeration(program, *id, place)?),
            ast::Type::UserValue(id) => Type::Alias(self.alias(program, *id, place)?),
            ast::Type::Struct(id, _) => Type::Struct(self.structure(program, *id, place)?),
            ast::Type::Array(element, Some(length), _) => {
                let element = self.of(program, element, place)?;
                Type::Array(Arc::new(element), Some(length.clone()))
            }
            ast::Type::Array(element, None, _) => {
                Type::Array(Arc::new(self.apart(program, element, place)?), None)
            }
            ast::Type::Mapping(key, value) => Type::Mapping(
                Arc::new(self.of(program, key, place)?),
                Arc::new(self.apart(program, value, place)?),
            ),
            ast::Type::Rational(numerator, denominator) if denominator.is_one() => {
                Type::Int(smallest(numerator))
            }
            ast::Type::Function(_) => {
                return Err(Stop::at(place, "functions as values are not taken"));
            }
            ast::Type::FixedPoint => {
                return Err(Stop::at(place, "fixed point numbers are not taken"));
            }
            ast::Type::Inaccessible => {
                let what =
                    "results of dynamic size of an external call cannot be used in this version";
                return Err(Stop::at(place, what));
            }
            _ => return Err(Stop::at(place, "this has no value")),
        })
    }

    /// A type of what is not a part: a struct may have lists of itself.
    fn apart(&mut self, program: &Program, ty: &ast::Type, place: Place) -> Flat<Type> {
        let open = std::mem::take(&mut self.open);
        self.depth += 1;
        let result = if self.depth > MAX_DEPTH {
            Err(Stop::at(place, "types are nested too deeply here"))
        } else {
            self.of(program, ty, place)
        };
        self.depth -= 1;
        self.open = open;
        result
    }

    fn structure(&mut self, program: &Program, id: NodeId, place: Place) -> Flat<StructId> {
        let too_deep = self.open.len() > MAX_DEPTH as usize;
        if too_deep || self.open.contains(&id) {
            return Err(Stop::at(
                place,
                "a struct that is a part of itself is not taken",
            ));
        }
        if let Some(known) = self.struct_ids.get(&id) {
            return Ok(*known);
        }
        let declared = program
            .structure(id)
            .ok_or_else(|| Stop::at(place, "a struct is missing in the trees"))?;
        let number = StructId::of(self.structs.len());
        self.open.push(id);
        let made = self.new_structure(program, id, declared, number);
        self.open.pop();
        if made.is_err() {
            // Those in its members may have it in theirs.
            self.structs.truncate(number.index());
            self.struct_ids.retain(|_, known| *known < number);
        }
        made
    }

    fn new_structure(
        &mut self,
        program: &Program,
        id: NodeId,
        declared: &ast::Struct,
        number: StructId,
    ) -> Flat<StructId> {
        // A struct may occur in its own members, behind a mapping or an array.
        self.struct_ids.insert(id, number);
        self.structs.push(Struct {
            name: declared.name.clone(),
            place: declared.place,
            members: Vec::new(),
        });
        let mut members = Vec::new();
        for member in &declared.members {
            let ty = self.of(program, &member.ty, member.place)?;
            members.push((member.name.clone(), ty));
        }
        if let Some(structure) = self.structs.get_mut(number.index()) {
            structure.members = members;
        }
        Ok(number)
    }

    fn enumeration(&mut self, program: &Program, id: NodeId, place: Place) -> Flat<EnumId> {
        if let Some(known) = self.enum_ids.get(&id) {
            return Ok(*known);
        }
        let declared = program
            .enumeration(id)
            .ok_or_else(|| Stop::at(place, "an enum is missing in the trees"))?;
        let number = EnumId::of(self.enums.len());
        self.enum_ids.insert(id, number);
        self.enums.push(Enum {
            name: declared.name.clone(),
            place: declared.place,
            members: declared.members.clone(),
        });
        Ok(number)
    }

    fn alias(&mut self, program: &Program, id: NodeId, place: Place) -> Flat<AliasId> {
        if let Some(known) = self.alias_ids.get(&id) {
            return Ok(*known);
        }
        let declared = program
            .user_value(id)
            .ok_or_else(|| Stop::at(place, "a type is missing in the trees"))?;
        let underlying = self.of(program, &declared.underlying, declared.place)?;
        let number = AliasId::of(self.aliases.len());
        self.alias_ids.insert(id, number);
        self.aliases.push(Alias {
            name: declared.name.clone(),
            place: declared.place,
            underlying,
        });
        Ok(number)
    }

    /// The members of a struct.
    pub fn members(&self, id: StructId) -> &[(String, Type)] {
        let structure = self.structs.get(id.index());
        structure.map_or(&[], |structure| &structure.members)
    }

    /// How many members an enum has.
    pub fn count(&self, id: EnumId) -> usize {
        let enumeration = self.enums.get(id.index());
        enumeration.map_or(0, |enumeration| enumeration.members.len())
    }

    /// The type whose values a type has: itself, but for the user's own value types.
    pub fn underlying<'a>(&'a self, ty: &'a Type) -> &'a Type {
        match ty {
            Type::Alias(id) => self
                .aliases
                .get(id.index())
                .map_or(ty, |alias| &alias.underlying),
            _ => ty,
        }
    }

    /// All of them.
    pub fn finish(self) -> (Vec<Struct>, Vec<Enum>, Vec<Alias>) {
        (self.structs, self.enums, self.aliases)
    }
}

/// The smallest type that an integer literal fits into.
pub(super) fn smallest(value: &BigInt) -> Int {
    let signed = value.is_negative();
    // -128 takes 8 bits, as 127 does.
    let magnitude = if signed { -value - 1 } else { value.clone() };
    let bits = magnitude.bits() + u64::from(signed);
    let bytes = bits.div_ceil(8).clamp(1, 32);
    Int {
        signed,
        bits: u16::try_from(8 * bytes).unwrap_or(256),
    }
}

/// The same type in memory.
pub(super) fn in_memory(ty: &ast::Type) -> ast::Type {
    use ast::Type as T;
    match ty {
        T::Bytes(_) => T::Bytes(Location::Memory),
        T::String(_) => T::String(Location::Memory),
        T::Struct(id, _) => T::Struct(*id, Location::Memory),
        T::Array(element, length, _) => T::Array(
            Arc::new(in_memory(element)),
            length.clone(),
            Location::Memory,
        ),
        _ => ty.clone(),
    }
}

/// Whether two functions with these parameters are one to the compiler: data in memory and in the call are the same then.
pub(super) fn same_parameters(ours: &[Arc<ast::Variable>], theirs: &[Arc<ast::Variable>]) -> bool {
    let plain = |ty: &ast::Type| match ty.location() {
        Some(Location::Calldata) => in_memory(ty),
        _ => ty.clone(),
    };
    ours.len() == theirs.len()
        && ours
            .iter()
            .zip(theirs)
            .all(|(ours, theirs)| plain(&ours.ty) == plain(&theirs.ty))
}

/// `transfer(address,uint256)`: how calls of a function are encoded. None for what cannot be in a call.
pub(super) fn signature<'a>(
    program: &Program,
    name: &str,
    parameters: impl IntoIterator<Item = &'a ast::Type>,
) -> Option<String> {
    let types = parameters.into_iter().map(|ty| encoded(program, ty, 0));
    let types: Vec<String> = types.collect::<Option<_>>()?;
    Some(format!("{name}({})", types.join(",")))
}

/// How deep types may be nested in each other.
const MAX_DEPTH: u32 = 32;

fn encoded(program: &Program, ty: &ast::Type, depth: u32) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |ty: &ast::Type| encoded(program, ty, depth + 1);
    Some(match ty {
        ast::Type::Bool => "bool".to_owned(),
        ast::Type::Int(int) => {
            format!("{}int{}", if int.signed { "" } else { "u" }, int.bits)
        }
        ast::Type::Address | ast::Type::Contract(_) => "address".to_owned(),
        ast::Type::FixedBytes(size) => format!("bytes{size}"),
        ast::Type::Bytes(_) => "bytes".to_owned(),
        ast::Type::String(_) => "string".to_owned(),
        ast::Type::Enum(_) => "uint8".to_owned(),
        ast::Type::UserValue(id) => inner(&program.user_value(*id)?.underlying)?,
        ast::Type::Struct(id, _) => {
            let members = program.structure(*id)?.members.iter();
            let members: Vec<String> = members.map(|m| inner(&m.ty)).collect::<Option<_>>()?;
            format!("({})", members.join(","))
        }
        ast::Type::Array(element, length, _) => match length {
            Some(length) => format!("{}[{length}]", inner(element)?),
            None => format!("{}[]", inner(element)?),
        },
        ast::Type::Function(function) if function.kind == "external" => "function".to_owned(),
        _ => return None,
    })
}
