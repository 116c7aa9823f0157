//! Types of the syntax tree as types of the flattened contract.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::{Flat, Rejection};
use crate::front::solidity::ast::{self, Int, Location, NodeId, SolidityProgram};
use crate::front::solidity::flat::{
    Alias, AliasId, EnumId, FlatEnum, FlatStruct, FlatType, StructId,
};
use crate::front::solidity::place::FileRange;

/// The types that are used, while they are collected.
#[derive(Debug, Default)]
pub(super) struct Types {
    structs: Vec<FlatStruct>,
    enums: Vec<FlatEnum>,
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
    pub(super) fn of(
        &mut self,
        program: &SolidityProgram,
        ty: &ast::SolidityType,
        place: FileRange,
    ) -> Flat<FlatType> {
        Ok(match ty {
            ast::SolidityType::Bool => FlatType::Bool,
            ast::SolidityType::Int(int) => FlatType::Int(*int),
            ast::SolidityType::Address => FlatType::Address,
            ast::SolidityType::Contract(id) => match program.contract(*id) {
                Some(contract) => FlatType::Contract(contract.name.as_str().into()),
                None => FlatType::Address,
            },
            ast::SolidityType::FixedBytes(size) => FlatType::FixedBytes(*size),
            ast::SolidityType::Bytes(_) => FlatType::Bytes,
            ast::SolidityType::String(_) | ast::SolidityType::StringLiteral => FlatType::String,
            ast::SolidityType::Enum(id) => FlatType::Enum(self.enumeration(program, *id, place)?),
            ast::SolidityType::UserValue(id) => FlatType::Alias(self.alias(program, *id, place)?),
            ast::SolidityType::Struct(id, _) => {
                FlatType::Struct(self.structure(program, *id, place)?)
            }
            ast::SolidityType::Array(element, Some(length), _) => {
                let element = self.of(program, element, place)?;
                FlatType::Array(Arc::new(element), Some(length.clone()))
            }
            ast::SolidityType::Array(element, None, _) => {
                FlatType::Array(Arc::new(self.apart(program, element, place)?), None)
            }
            ast::SolidityType::Mapping(key, value) => FlatType::Mapping(
                Arc::new(self.of(program, key, place)?),
                Arc::new(self.apart(program, value, place)?),
            ),
            ast::SolidityType::Rational(numerator, denominator) if denominator.is_one() => {
                FlatType::Int(smallest(numerator))
            }
            ast::SolidityType::Function(_) => {
                return Err(Rejection::at(place, "functions as values are not taken"));
            }
            ast::SolidityType::FixedPoint => {
                return Err(Rejection::at(place, "fixed point numbers are not taken"));
            }
            ast::SolidityType::Inaccessible => {
                let what =
                    "results of dynamic size of an external call cannot be used in this version";
                return Err(Rejection::at(place, what));
            }
            _ => return Err(Rejection::at(place, "this has no value")),
        })
    }

    /// A type of what is not a part: a struct may have lists of itself.
    fn apart(
        &mut self,
        program: &SolidityProgram,
        ty: &ast::SolidityType,
        place: FileRange,
    ) -> Flat<FlatType> {
        let open = std::mem::take(&mut self.open);
        self.depth += 1;
        let result = if self.depth > MAX_DEPTH {
            Err(Rejection::at(place, "types are nested too deeply here"))
        } else {
            self.of(program, ty, place)
        };
        self.depth -= 1;
        self.open = open;
        result
    }

    fn structure(
        &mut self,
        program: &SolidityProgram,
        id: NodeId,
        place: FileRange,
    ) -> Flat<StructId> {
        let too_deep = self.open.len() > MAX_DEPTH as usize;
        if too_deep || self.open.contains(&id) {
            return Err(Rejection::at(
                place,
                "a struct that is a part of itself is not taken",
            ));
        }
        if let Some(known) = self.struct_ids.get(&id) {
            return Ok(*known);
        }
        let declared = program
            .structure(id)
            .ok_or_else(|| Rejection::at(place, "a struct is missing in the trees"))?;
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
        program: &SolidityProgram,
        id: NodeId,
        declared: &ast::Struct,
        number: StructId,
    ) -> Flat<StructId> {
        // A struct may occur in its own members, behind a mapping or an array.
        self.struct_ids.insert(id, number);
        self.structs.push(FlatStruct {
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

    fn enumeration(
        &mut self,
        program: &SolidityProgram,
        id: NodeId,
        place: FileRange,
    ) -> Flat<EnumId> {
        if let Some(known) = self.enum_ids.get(&id) {
            return Ok(*known);
        }
        let declared = program
            .enumeration(id)
            .ok_or_else(|| Rejection::at(place, "an enum is missing in the trees"))?;
        let number = EnumId::of(self.enums.len());
        self.enum_ids.insert(id, number);
        self.enums.push(FlatEnum {
            name: declared.name.clone(),
            place: declared.place,
            members: declared.members.clone(),
        });
        Ok(number)
    }

    fn alias(&mut self, program: &SolidityProgram, id: NodeId, place: FileRange) -> Flat<AliasId> {
        if let Some(known) = self.alias_ids.get(&id) {
            return Ok(*known);
        }
        let declared = program
            .user_value(id)
            .ok_or_else(|| Rejection::at(place, "a type is missing in the trees"))?;
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
    pub(super) fn members(&self, id: StructId) -> &[(String, FlatType)] {
        let structure = self.structs.get(id.index());
        structure.map_or(&[], |structure| &structure.members)
    }

    /// How many members an enum has.
    pub(super) fn count(&self, id: EnumId) -> usize {
        let enumeration = self.enums.get(id.index());
        enumeration.map_or(0, |enumeration| enumeration.members.len())
    }

    /// The type whose values a type has: itself, but for the user's own value types.
    pub(super) fn underlying<'a>(&'a self, ty: &'a FlatType) -> &'a FlatType {
        match ty {
            FlatType::Alias(id) => self
                .aliases
                .get(id.index())
                .map_or(ty, |alias| &alias.underlying),
            _ => ty,
        }
    }

    /// All of them.
    pub(super) fn finish(self) -> (Vec<FlatStruct>, Vec<FlatEnum>, Vec<Alias>) {
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
pub(super) fn in_memory(ty: &ast::SolidityType) -> ast::SolidityType {
    use ast::SolidityType as T;
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
pub(super) fn same_parameters(
    ours: &[Arc<ast::VariableDeclaration>],
    theirs: &[Arc<ast::VariableDeclaration>],
) -> bool {
    let plain = |ty: &ast::SolidityType| match ty.location() {
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
    program: &SolidityProgram,
    name: &str,
    parameters: impl IntoIterator<Item = &'a ast::SolidityType>,
) -> Option<String> {
    let types = parameters.into_iter().map(|ty| encoded(program, ty, 0));
    let types: Vec<String> = types.collect::<Option<_>>()?;
    Some(format!("{name}({})", types.join(",")))
}

/// How deep types may be nested in each other.
const MAX_DEPTH: u32 = 32;

fn encoded(program: &SolidityProgram, ty: &ast::SolidityType, depth: u32) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |ty: &ast::SolidityType| encoded(program, ty, depth + 1);
    Some(match ty {
        ast::SolidityType::Bool => "bool".to_owned(),
        ast::SolidityType::Int(int) => {
            format!("{}int{}", if int.signed { "" } else { "u" }, int.bits)
        }
        ast::SolidityType::Address | ast::SolidityType::Contract(_) => "address".to_owned(),
        ast::SolidityType::FixedBytes(size) => format!("bytes{size}"),
        ast::SolidityType::Bytes(_) => "bytes".to_owned(),
        ast::SolidityType::String(_) => "string".to_owned(),
        ast::SolidityType::Enum(_) => "uint8".to_owned(),
        ast::SolidityType::UserValue(id) => inner(&program.user_value(*id)?.underlying)?,
        ast::SolidityType::Struct(id, _) => {
            let members = program.structure(*id)?.members.iter();
            let members: Vec<String> = members.map(|m| inner(&m.ty)).collect::<Option<_>>()?;
            format!("({})", members.join(","))
        }
        ast::SolidityType::Array(element, length, _) => match length {
            Some(length) => format!("{}[{length}]", inner(element)?),
            None => format!("{}[]", inner(element)?),
        },
        ast::SolidityType::Function(function) if function.kind == "external" => {
            "function".to_owned()
        }
        _ => return None,
    })
}
