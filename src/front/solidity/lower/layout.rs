//! State variables as fields: one for each member of a value type, a map where there are keys or indices.
//!
//! `mapping(uint => Item) items`, where an item has an owner and a list of prices, is three fields: `items_owner`, a map from
//! the key, `items_prices`, from the key and the index, and `items_prices_length`. What lies behind the end of an array is
//! never looked at: an array that grows sets what is new.

use super::action::LoweredAction;
use super::{Low, refuse};
use crate::front::solidity::FileRange;
use crate::front::solidity::flat::effects::Touched;
use crate::front::solidity::flat::{AccessStep, FlatType, Lvalue, Root, StructId};
use crate::front::tq::ast;
use crate::front::tq::build::{self, assign, compare, name};
use crate::ir::CompareOp;

/// The most elements of an array of fixed length that are set one by one.
pub(super) const MOST: u32 = 64;

/// A step from a variable to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LayoutStep {
    /// To a member of a struct.
    Member(usize),
    /// To what has any key or index.
    Index,
    /// To the length of an array.
    Length,
}

/// The variable, and the steps.
pub(super) type LeafKey = (usize, Vec<LayoutStep>);

/// A field.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub name: String,
    /// Types of keys and indices.
    pub indices: Vec<ast::TypeSyntax>,
    /// What those of them are in the contract that are keys of mappings.
    pub keys: Vec<FlatType>,
    /// The type of the values.
    pub value: FlatType,
    /// Whether they are lengths of arrays.
    pub is_length: bool,
    pub place: FileRange,
    /// The same in the class.
    pub class_type: ast::TypeSyntax,
}

impl Leaf {
    /// `map<K, V>`
    pub(super) fn field_type(&self) -> ast::TypeSyntax {
        let keys = self.indices.iter().rev();
        keys.fold(self.class_type.clone(), |value, key| {
            build::map(key.clone(), value)
        })
    }

    /// The field's value where all that is in it is this.
    pub(super) fn everywhere(&self, value: ast::ExprSyntax) -> ast::ExprSyntax {
        self.everywhere_behind(0, value)
    }

    /// The same behind so many keys.
    pub(super) fn everywhere_behind(&self, keys: usize, value: ast::ExprSyntax) -> ast::ExprSyntax {
        let keys = self.indices.iter().skip(keys).rev();
        let inner = (value, self.class_type.clone());
        let (value, _) = keys.fold(inner, |(value, ty), key| {
            let map = build::map(key.clone(), ty.clone());
            (build::everywhere(key.clone(), ty, value), map)
        });
        value
    }
}

/// A place in storage: a field, or what several fields hold together.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    variable: usize,
    path: Vec<LayoutStep>,
    indices: Vec<ast::ExprSyntax>,
    index_types: Vec<ast::TypeSyntax>,
    keys: Vec<FlatType>,
    pub ty: FlatType,
    place: FileRange,
}

impl Spot {
    fn step(&self, part: LayoutStep, ty: FlatType) -> Spot {
        let mut spot = self.clone();
        spot.path.push(part);
        spot.ty = ty;
        spot
    }

    /// A member.
    pub(super) fn member(&self, number: usize, ty: FlatType) -> Spot {
        self.step(LayoutStep::Member(number), ty)
    }

    /// An element.
    pub(super) fn element(&self, index: ast::ExprSyntax, ty: FlatType) -> Spot {
        self.keyed(index, build::ty("nat"), ty)
    }

    /// All elements.
    pub(super) fn any_element(&self, ty: FlatType) -> Spot {
        let mut spot = self.step(LayoutStep::Index, ty);
        spot.index_types.push(build::ty("nat"));
        spot
    }

    fn keyed(&self, key: ast::ExprSyntax, key_type: ast::TypeSyntax, ty: FlatType) -> Spot {
        let mut spot = self.step(LayoutStep::Index, ty);
        spot.indices.push(key);
        spot.index_types.push(key_type);
        spot
    }

    /// Which field it is.
    pub(super) fn key(&self) -> LeafKey {
        (self.variable, self.path.clone())
    }

    /// The length.
    pub(super) fn length(&self) -> Spot {
        self.step(LayoutStep::Length, FlatType::UINT)
    }

    /// Whether both are, or are in, the same variable.
    pub(super) fn shares(&self, other: &Spot) -> bool {
        self.variable == other.variable
    }
}

impl LoweredAction<'_, '_> {
    /// The place in storage that an lvalue is. What is checked on the way is checked here.
    pub(super) fn spot(&mut self, lvalue: &Lvalue) -> Low<Spot> {
        let Root::Variable(id) = &lvalue.root else {
            return refuse(lvalue.place, "this is not in storage");
        };
        let Some(variable) = self.class.contract.variable(*id) else {
            return refuse(lvalue.place, "there is no such variable");
        };
        let mut spot = Spot {
            variable: id.index(),
            path: Vec::new(),
            indices: Vec::new(),
            index_types: Vec::new(),
            keys: Vec::new(),
            ty: variable.ty.clone(),
            place: lvalue.place,
        };
        for step in &lvalue.steps {
            spot = self.spot_step(spot, step, lvalue.place)?;
        }
        Ok(spot)
    }

    /// The place with its keys as they are now: what is written there part by part may change what they are read from.
    pub(super) fn settled(&mut self, mut spot: Spot, lvalue: &Lvalue) -> Spot {
        let mut read = Touched::default();
        for step in &lvalue.steps {
            match step {
                AccessStep::Key(key) => read.read(key),
                AccessStep::Index { index, .. } => read.read(index),
                AccessStep::Member(_) => {}
            }
        }
        if read.state {
            for (index, ty) in spot.indices.iter_mut().zip(&spot.index_types) {
                let key = self.plain_local("key", ty.clone());
                self.out.push(assign(name(&key), index.clone()));
                *index = name(&key);
            }
        }
        spot
    }

    fn spot_step(&mut self, spot: Spot, step: &AccessStep, place: FileRange) -> Low<Spot> {
        match (step, spot.ty.clone()) {
            (AccessStep::Member(number), FlatType::Struct(id)) => {
                let members = self.members(id);
                match members.get(*number) {
                    Some((_, ty)) => Ok(spot.member(*number, ty.clone())),
                    None => refuse(place, "the struct has no such member"),
                }
            }
            (AccessStep::Key(key), FlatType::Mapping(key_type, value_type)) => {
                let class_type = self.class.ty(&key_type, place)?;
                let key = self.value(key)?;
                let mut spot = spot.keyed(key, class_type, (*value_type).clone());
                spot.keys.push((*key_type).clone());
                Ok(spot)
            }
            (AccessStep::Index { index, checked }, FlatType::Array(element, length)) => {
                let index = self.value(index)?;
                if *checked {
                    let length = match length {
                        Some(length) => build::int(length),
                        None => self.leaf(&spot.length())?,
                    };
                    self.check(compare(CompareOp::Lt, index.clone(), length));
                }
                Ok(spot.element(index, (*element).clone()))
            }
            (AccessStep::Index { .. }, _) => {
                refuse(place, "single bytes of `bytes` are not taken yet")
            }
            _ => refuse(place, "this place is not understood"),
        }
    }

    /// The members of a struct.
    pub(super) fn members(&self, id: StructId) -> Vec<(String, FlatType)> {
        let declared = self.class.contract.structure(id);
        declared.map_or_else(Vec::new, |declared| declared.members.clone())
    }

    /// The field that a place of a value type is, at its keys.
    pub(super) fn leaf(&mut self, spot: &Spot) -> Low<ast::ExprSyntax> {
        let key = spot.key();
        if !self.class.leaves.contains_key(&key) {
            let class_type = self.class.ty(&spot.ty, spot.place)?;
            let wanted = self.field_name(spot);
            let leaf = Leaf {
                name: self.class.names.fresh(&wanted),
                indices: spot.index_types.clone(),
                keys: spot.keys.clone(),
                value: spot.ty.clone(),
                is_length: spot.path.last() == Some(&LayoutStep::Length),
                place: spot.place,
                class_type,
            };
            self.class.leaves.insert(key.clone(), leaf);
        }
        let known = self.class.leaves.get(&key).map(|leaf| leaf.name.clone());
        let field = name(known.unwrap_or_default());
        Ok(build::indexed(field, spot.indices.iter().cloned()))
    }

    /// `items_prices_length`
    fn field_name(&self, spot: &Spot) -> String {
        let contract = self.class.contract;
        let Some(variable) = contract.variables.get(spot.variable) else {
            return String::new();
        };
        let mut text = variable.name.clone();
        let mut ty = variable.ty.clone();
        for part in &spot.path {
            match (part, ty.clone()) {
                (LayoutStep::Member(number), FlatType::Struct(id)) => {
                    let member = self.members(id).get(*number).cloned();
                    let (member, inner) = member.unwrap_or((String::new(), FlatType::Bool));
                    text.push('_');
                    text.push_str(&member);
                    ty = inner;
                }
                (LayoutStep::Index, FlatType::Mapping(_, inner) | FlatType::Array(inner, _)) => {
                    ty = (*inner).clone();
                }
                _ => text.push_str("_length"),
            }
        }
        text
    }
}
