//! Arrays and structs in memory: a variable for each member of a value type, a map where there are indices, and one for each
//! length.
//!
//! `Order[] memory orders`, where an order has a price, is `orders_price`, a map from the index, and `orders_length`. What is
//! in memory is a value here, and a reference to it in the contract: the two are the same as long as nothing is changed that
//! has two names. A change of such a thing is refused.

use num_traits::ToPrimitive;

use super::action::{HeldVariable, LoweredAction};
use super::layout::{LayoutStep, MOST, Spot};
use super::{Low, refuse};
use crate::front::solidity::FileRange;
use crate::front::solidity::flat::effects::Touched;
use crate::front::solidity::flat::{
    AccessStep, FlatExpr, FlatExprKind, FlatType, LocalId, Lvalue, Root,
};
use crate::front::tq::ast;
use crate::front::tq::build::{self, assign, choice, compare, int, name};
use crate::ir::CompareOp;

/// How deep arrays and structs may be nested in each other.
const MAX_DEPTH: usize = 6;

/// No array has more elements than this: what they cost nobody can pay.
pub(super) const MOST_ELEMENTS: u64 = u64::MAX;

/// A part of an array or a struct: what is found by steps that name no index.
#[derive(Clone, Debug)]
pub(super) struct HeldPart {
    pub path: Vec<LayoutStep>,
    /// The type of what it holds, for each index.
    pub ty: FlatType,
}

impl HeldPart {
    /// How many indices there are.
    fn indices(&self) -> usize {
        indices(&self.path)
    }
}

fn indices(path: &[LayoutStep]) -> usize {
    path.iter()
        .filter(|step| **step == LayoutStep::Index)
        .count()
}

/// A value of an array or a struct.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub ty: FlatType,
    pub parts: Vec<(HeldPart, ast::ExprSyntax)>,
}

impl Held {
    /// What a step leads to.
    fn behind(&self, step: LayoutStep, ty: FlatType) -> Held {
        let parts = self.parts.iter().filter_map(|(part, value)| {
            let (first, rest) = part.path.split_first()?;
            let part = HeldPart {
                path: rest.to_vec(),
                ty: part.ty.clone(),
            };
            (*first == step).then(|| (part, value.clone()))
        });
        Held {
            ty,
            parts: parts.collect(),
        }
    }

    fn length(&self) -> Option<ast::ExprSyntax> {
        match &self.ty {
            FlatType::Array(_, Some(length)) => Some(int(length.clone())),
            FlatType::Array(_, None) => self.part(&[LayoutStep::Length]),
            _ => None,
        }
    }

    fn part(&self, path: &[LayoutStep]) -> Option<ast::ExprSyntax> {
        let mut parts = self.parts.iter();
        let found = parts.find(|(part, _)| part.path == path);
        found.map(|(_, value)| value.clone())
    }
}

/// Whether values of a type have parts.
pub(super) fn is_held(ty: &FlatType) -> bool {
    matches!(ty, FlatType::Struct(_) | FlatType::Array(..))
}

/// A place in memory: what a variable holds, and the way from there.
struct MemoryPlace {
    variable: HeldVariable,
    path: Vec<LayoutStep>,
    indices: Vec<ast::ExprSyntax>,
}

impl LoweredAction<'_, '_> {
    /// The parts of a type.
    pub(super) fn parts_of(&self, ty: &FlatType, place: FileRange) -> Low<Vec<HeldPart>> {
        let mut parts = Vec::new();
        self.add_parts(ty, &mut Vec::new(), &mut parts, place)?;
        Ok(parts)
    }

    fn add_parts(
        &self,
        ty: &FlatType,
        path: &mut Vec<LayoutStep>,
        parts: &mut Vec<HeldPart>,
        place: FileRange,
    ) -> Low<()> {
        if path.len() > MAX_DEPTH {
            return refuse(
                place,
                "structs nested as deeply in memory are not taken yet",
            );
        }
        let mut inside = |step, ty: &FlatType| {
            path.push(step);
            let added = self.add_parts(ty, path, parts, place);
            path.pop();
            added
        };
        match ty {
            FlatType::Mapping(..) => Ok(()),
            FlatType::Struct(id) => {
                let members = self.members(*id).into_iter().enumerate();
                for (number, (_, ty)) in members {
                    inside(LayoutStep::Member(number), &ty)?;
                }
                Ok(())
            }
            FlatType::Array(element, length) => {
                inside(LayoutStep::Index, element)?;
                match length {
                    Some(_) => Ok(()),
                    None => inside(LayoutStep::Length, &FlatType::UINT),
                }
            }
            ty => {
                parts.push(HeldPart {
                    path: path.clone(),
                    ty: ty.clone(),
                });
                Ok(())
            }
        }
    }

    /// `orders_price`
    pub(super) fn part_name(&self, called: &str, of: &FlatType, part: &HeldPart) -> String {
        let mut text = called.to_owned();
        let mut ty = of.clone();
        for step in &part.path {
            ty = match (step, ty) {
                (LayoutStep::Member(number), FlatType::Struct(id)) => {
                    let member = self.members(id).get(*number).cloned();
                    let (member, inner) = member.unwrap_or((String::new(), FlatType::Bool));
                    text.push('_');
                    text.push_str(&member);
                    inner
                }
                (LayoutStep::Index, FlatType::Array(element, _)) => (*element).clone(),
                (_, ty) => {
                    text.push_str("_length");
                    ty
                }
            };
        }
        text
    }

    /// The type of a part in the class.
    pub(super) fn part_type(&mut self, part: &HeldPart, place: FileRange) -> Low<ast::TypeSyntax> {
        let value = self.class.ty(&part.ty, place)?;
        Ok((0..part.indices()).fold(value, |value, _| build::map(build::ty("nat"), value)))
    }

    /// What holds of a part that anybody gives: its range, if it has no indices.
    pub(super) fn part_range(
        &mut self,
        part: &HeldPart,
        value: &ast::ExprSyntax,
    ) -> Option<ast::ExprSyntax> {
        match part.path.last() {
            _ if part.indices() > 0 => None,
            Some(LayoutStep::Length) => {
                Some(compare(CompareOp::Le, value.clone(), int(MOST_ELEMENTS)))
            }
            _ => self.class.range(&part.ty, value),
        }
    }

    /// A value whose parts are all zero.
    pub(super) fn held_zero(&mut self, ty: &FlatType, place: FileRange) -> Low<Held> {
        let mut parts = Vec::new();
        for part in self.parts_of(ty, place)? {
            let zero = self.class.zero(&part.ty, place)?;
            let class_type = self.class.ty(&part.ty, place)?;
            let nat = || build::ty("nat");
            let inner = (zero, class_type);
            let (zero, _) = (0..part.indices()).fold(inner, |(value, ty), _| {
                let map = build::map(nat(), ty.clone());
                (build::everywhere(nat(), ty, value), map)
            });
            parts.push((part, zero));
        }
        Ok(Held {
            ty: ty.clone(),
            parts,
        })
    }

    /// The value of an expression of an array or a struct.
    pub(super) fn held(&mut self, e: &FlatExpr) -> Low<Held> {
        self.count(e.place)?;
        match &e.kind {
            FlatExprKind::Constant(id) => {
                let contract = self.class.contract;
                match contract.constants.get(id.index()) {
                    Some(constant) => self.held(&constant.value),
                    None => refuse(e.place, "there is no such constant"),
                }
            }
            FlatExprKind::Read(lvalue) | FlatExprKind::Load(lvalue) => match &lvalue.root {
                Root::Local(id) => Ok(self.held_variable(*id, e.place)?.value),
                Root::Memory(base) => self.within(base, &lvalue.steps, e.place),
                Root::Variable(_) => {
                    let spot = self.spot(lvalue)?;
                    self.loaded(&spot, e.place)
                }
            },
            FlatExprKind::Copy(inner) | FlatExprKind::Convert(inner) => self.held(inner),
            FlatExprKind::Default => self.held_zero(&e.ty, e.place),
            FlatExprKind::NewArray(length) => {
                let length = self.value(length)?;
                self.check(compare(CompareOp::Le, length.clone(), int(MOST_ELEMENTS)));
                let mut new = self.held_zero(&e.ty, e.place)?;
                for (part, value) in &mut new.parts {
                    if part.path == [LayoutStep::Length] {
                        *value = length.clone();
                    }
                }
                Ok(new)
            }
            FlatExprKind::NewStruct(given) => self.new_struct(given, e),
            FlatExprKind::NewElements(given) => self.new_elements(given, e),
            FlatExprKind::Conditional(condition, yes, no) => {
                let condition = self.value(condition)?;
                let (yes_checks, yes) = self.nested(|action| action.held(yes))?;
                let (no_checks, no) = self.nested(|action| action.held(no))?;
                self.check_branches(&condition, yes_checks, no_checks);
                let both = yes.parts.into_iter().zip(no.parts);
                let parts =
                    both.map(|((part, yes), (_, no))| (part, choice(condition.clone(), yes, no)));
                Ok(Held {
                    ty: e.ty.clone(),
                    parts: parts.collect(),
                })
            }
            _ => refuse(e.place, "this array or struct in memory is not taken yet"),
        }
    }

    fn new_struct(&mut self, given: &[FlatExpr], e: &FlatExpr) -> Low<Held> {
        let FlatType::Struct(id) = &e.ty else {
            return refuse(e.place, "this is no struct");
        };
        let members = self.members(*id).into_iter().enumerate();
        let members = members.filter(|(_, (_, ty))| !matches!(ty, FlatType::Mapping(..)));
        let members: Vec<usize> = members.map(|(number, _)| number).collect();
        let mut parts = Vec::new();
        for (number, value) in members.into_iter().zip(given) {
            for (part, value) in self.any_parts(value)? {
                let mut path = vec![LayoutStep::Member(number)];
                path.extend(part.path);
                parts.push((HeldPart { path, ty: part.ty }, value));
            }
        }
        Ok(Held {
            ty: e.ty.clone(),
            parts,
        })
    }

    /// The parts of a value of any type.
    fn any_parts(&mut self, e: &FlatExpr) -> Low<Vec<(HeldPart, ast::ExprSyntax)>> {
        if is_held(&e.ty) {
            return Ok(self.held(e)?.parts);
        }
        let whole = HeldPart {
            path: Vec::new(),
            ty: e.ty.clone(),
        };
        Ok(vec![(whole, self.value(e)?)])
    }

    fn new_elements(&mut self, given: &[FlatExpr], e: &FlatExpr) -> Low<Held> {
        let mut new = self.held_zero(&e.ty, e.place)?;
        let mut elements = Vec::new();
        for value in given {
            elements.push(self.any_parts(value)?);
        }
        for (part, whole) in &mut new.parts {
            if part.path == [LayoutStep::Length] {
                *whole = int(given.len());
                continue;
            }
            let ty = self.part_type(part, e.place)?;
            let own = self.plain_local("elements", ty);
            self.out.push(assign(name(&own), whole.clone()));
            for (at, element) in elements.iter().enumerate() {
                let inside = part.path.get(1..).unwrap_or_default();
                let mut parts = element.iter();
                if let Some((_, value)) = parts.find(|(inner, _)| inner.path == inside) {
                    let place = build::indexed(name(&own), [int(at)]);
                    self.out.push(assign(place, value.clone()));
                }
            }
            *whole = name(&own);
        }
        Ok(new)
    }

    /// A copy of what is in storage.
    fn loaded(&mut self, spot: &Spot, place: FileRange) -> Low<Held> {
        let mut parts = Vec::new();
        for part in self.parts_of(&spot.ty, place)? {
            let at = self.part_spot(spot, &part);
            parts.push((part, self.leaf(&at)?));
        }
        Ok(Held {
            ty: spot.ty.clone(),
            parts,
        })
    }

    /// A part of what is at a place in storage, for all its indices.
    fn part_spot(&self, spot: &Spot, part: &HeldPart) -> Spot {
        part.path
            .iter()
            .fold(spot.clone(), |spot, step| match (step, spot.ty.clone()) {
                (LayoutStep::Member(number), FlatType::Struct(id)) => {
                    let member = self.members(id).get(*number).cloned();
                    let ty = member.map_or(FlatType::Bool, |(_, ty)| ty);
                    spot.member(*number, ty)
                }
                (LayoutStep::Index, FlatType::Array(element, _)) => {
                    spot.any_element((*element).clone())
                }
                _ => spot.length(),
            })
    }

    /// Puts an array or a struct into storage.
    pub(super) fn store_held(&mut self, spot: &Spot, from: &FlatExpr, place: FileRange) -> Low<()> {
        if let (FlatType::Array(_, to), FlatType::Array(_, from)) = (&spot.ty, &from.ty)
            && to.is_some() != from.is_some()
        {
            return refuse(place, "an array of another kind in memory is not taken yet");
        }
        let mut read = Touched::default();
        read.read(from);
        let mut parts = self.held(from)?.parts;
        if read.state {
            parts = self.apart(parts, place)?;
        }
        let is_ours = matches!(
            from.kind,
            FlatExprKind::Load(_)
                | FlatExprKind::Default
                | FlatExprKind::NewArray(_)
                | FlatExprKind::NewElements(_)
        );
        for (part, value) in parts {
            let at = self.part_spot(spot, &part);
            let numbers = self.integer(&part.ty).is_some() && !is_ours;
            match (part.indices(), self.few_elements(&spot.ty, &part)) {
                (0, _) => self.write(&at, value)?,
                (1, Some(length)) if numbers => self.store_elements(&at, &part, &value, length)?,
                // What is not looked at may be out of range.
                _ if numbers => {
                    return refuse(
                        place,
                        "storing an array of numbers as a whole is not taken yet",
                    );
                }
                _ => {
                    let field = self.leaf(&at)?;
                    self.out.push(assign(field, value));
                }
            }
        }
        Ok(())
    }

    /// Numbers of a short array, one by one: all of them are looked at.
    fn store_elements(
        &mut self,
        at: &Spot,
        part: &HeldPart,
        value: &ast::ExprSyntax,
        length: u32,
    ) -> Low<()> {
        let field = self.leaf(at)?;
        for index in 0..length {
            let element = build::indexed(value.clone(), [int(index)]);
            if let Some(holds) = self.class.range(&part.ty, &element) {
                self.check(holds);
            }
            let to = build::indexed(field.clone(), [int(index)]);
            self.out.push(assign(to, element));
        }
        Ok(())
    }

    /// How many elements there are at the first index of a part, if that is a small number.
    fn few_elements(&self, of: &FlatType, part: &HeldPart) -> Option<u32> {
        let mut ty = of.clone();
        for step in &part.path {
            ty = match (step, ty) {
                (LayoutStep::Member(number), FlatType::Struct(id)) => {
                    self.members(id).get(*number)?.1.clone()
                }
                (LayoutStep::Index, FlatType::Array(_, length)) => {
                    return length?.to_u32().filter(|length| *length <= MOST);
                }
                _ => return None,
            };
        }
        None
    }

    /// What is somewhere inside of a value.
    fn within(&mut self, base: &FlatExpr, steps: &[AccessStep], place: FileRange) -> Low<Held> {
        let mut found = self.held(base)?;
        for step in steps {
            found = match (step, found.ty.clone()) {
                (AccessStep::Member(number), FlatType::Struct(id)) => {
                    match self.members(id).get(*number) {
                        Some((_, ty)) => found.behind(LayoutStep::Member(*number), ty.clone()),
                        None => return refuse(place, "the struct has no such member"),
                    }
                }
                (AccessStep::Index { index, checked }, FlatType::Array(element, _)) => {
                    let index = self.value(index)?;
                    self.inside(&index, found.length().filter(|_| *checked));
                    let mut inner = found.behind(LayoutStep::Index, (*element).clone());
                    for (_, value) in &mut inner.parts {
                        *value = build::indexed(value.clone(), [index.clone()]);
                    }
                    self.in_range(&inner);
                    inner
                }
                _ => return refuse(place, "this place in memory is not taken yet"),
            };
        }
        Ok(found)
    }

    /// Nobody can give an array with other numbers than its type has. It is said of those that are looked at: of all of
    /// them, only a quantifier could.
    fn in_range(&mut self, found: &Held) {
        for (part, value) in &found.parts {
            if let Some(holds) = self.part_range(part, value) {
                self.check(holds);
            }
        }
    }

    /// It reverts behind the end.
    fn inside(&mut self, index: &ast::ExprSyntax, length: Option<ast::ExprSyntax>) {
        if let Some(length) = length {
            self.check(compare(CompareOp::Lt, index.clone(), length));
        }
    }

    /// A value of a value type that is somewhere inside of an array or a struct in memory.
    pub(super) fn read_memory(&mut self, base: &FlatExpr, lvalue: &Lvalue) -> Low<ast::ExprSyntax> {
        if let (FlatType::Bytes | FlatType::String, [AccessStep::Index { index, checked }]) =
            (&base.ty, lvalue.steps.as_slice())
        {
            return self.single_byte(base, index, *checked, lvalue);
        }
        let found = self.within(base, &lvalue.steps, lvalue.place)?;
        match found.part(&[]) {
            Some(value) => Ok(value),
            None => refuse(lvalue.place, "this place in memory is not taken yet"),
        }
    }

    fn single_byte(
        &mut self,
        base: &FlatExpr,
        index: &FlatExpr,
        checked: bool,
        lvalue: &Lvalue,
    ) -> Low<ast::ExprSyntax> {
        let bytes = self.value(base)?;
        let at = self.value(index)?;
        if checked {
            let arguments = vec![(base.ty.clone(), bytes.clone())];
            let length = self.unknown("length", arguments, &FlatType::UINT, lvalue.place)?;
            self.inside(&at, Some(length));
        }
        let arguments = vec![(base.ty.clone(), bytes), (index.ty.clone(), at)];
        self.unknown("byte_at", arguments, &lvalue.ty, lvalue.place)
    }

    /// How many elements an array in memory has.
    pub(super) fn held_length(&mut self, e: &FlatExpr) -> Low<ast::ExprSyntax> {
        match self.held(e)?.length() {
            Some(length) => Ok(length),
            None => refuse(e.place, "this has no length"),
        }
    }

    /// The same parts with values of their own, where one is written while another one is still to be read.
    fn apart(
        &mut self,
        parts: Vec<(HeldPart, ast::ExprSyntax)>,
        place: FileRange,
    ) -> Low<Vec<(HeldPart, ast::ExprSyntax)>> {
        if parts.len() < 2 {
            return Ok(parts);
        }
        let mut kept = Vec::new();
        for (part, value) in parts {
            let own = match part.indices() {
                0 => self.local("t", &part.ty, place)?,
                _ => {
                    let ty = self.part_type(&part, place)?;
                    self.plain_local("t", ty)
                }
            };
            self.out.push(assign(name(&own), value));
            kept.push((part, name(own)));
        }
        Ok(kept)
    }

    /// Gives a local variable a value.
    pub(super) fn assign_held(&mut self, id: LocalId, value: &FlatExpr) -> Low<()> {
        let mut held = self.held(value)?;
        let mut read = Touched::default();
        read.read(value);
        if read.locals.contains(&id) {
            held.parts = self.apart(held.parts, value.place)?;
        }
        let to = self.own_held(id, value.place)?;
        self.share(&to.called, value);
        self.put(&to, held);
        Ok(())
    }

    /// The parts of a variable get those of a value.
    pub(super) fn put(&mut self, to: &HeldVariable, value: Held) {
        for (part, value) in value.parts {
            if let Some(target) = to.value.part(&part.path)
                && target != value
            {
                self.out.push(assign(target, value));
            }
        }
    }

    /// Changes something inside of what a reference refers to.
    pub(super) fn assign_memory(
        &mut self,
        base: &FlatExpr,
        lvalue: &Lvalue,
        value: &FlatExpr,
    ) -> Low<()> {
        if !is_held(&base.ty) {
            return refuse(lvalue.place, "changing single bytes is not taken yet");
        }
        let parts = self.any_parts(value)?;
        let parts = self.apart(parts, value.place)?;
        let mut to = self.memory_place(base)?;
        self.step_into(&mut to, base, &lvalue.steps)?;
        self.changes(&to.variable.called, lvalue.place)?;
        if is_held(&value.ty) {
            self.share(&to.variable.called, value);
        }
        for (part, value) in parts {
            let mut path = to.path.clone();
            path.extend(part.path);
            if let Some(target) = to.variable.value.part(&path) {
                let target = build::indexed(target, to.indices.iter().cloned());
                self.out.push(assign(target, value));
            }
        }
        Ok(())
    }

    fn memory_place(&mut self, base: &FlatExpr) -> Low<MemoryPlace> {
        let not_yet = "changing this place in memory is not taken yet";
        let FlatExprKind::Read(lvalue) = &base.kind else {
            return refuse(base.place, not_yet);
        };
        match &lvalue.root {
            Root::Local(id) => {
                let variable = self.own_held(*id, base.place)?;
                Ok(MemoryPlace {
                    variable,
                    path: Vec::new(),
                    indices: Vec::new(),
                })
            }
            Root::Memory(inner) => {
                let mut place = self.memory_place(inner)?;
                self.step_into(&mut place, inner, &lvalue.steps)?;
                Ok(place)
            }
            Root::Variable(_) => refuse(base.place, not_yet),
        }
    }

    fn step_into(
        &mut self,
        to: &mut MemoryPlace,
        base: &FlatExpr,
        steps: &[AccessStep],
    ) -> Low<()> {
        for step in steps {
            match step {
                AccessStep::Member(number) => to.path.push(LayoutStep::Member(*number)),
                AccessStep::Index { index, checked } => {
                    let index = self.value(index)?;
                    let length = match &base.ty {
                        FlatType::Array(_, Some(length)) => Some(int(length.clone())),
                        _ => {
                            let mut path = to.path.clone();
                            path.push(LayoutStep::Length);
                            let length = to.variable.value.part(&path);
                            length.map(|e| build::indexed(e, to.indices.iter().cloned()))
                        }
                    };
                    self.inside(&index, length.filter(|_| *checked));
                    to.path.push(LayoutStep::Index);
                    to.indices.push(index);
                }
                AccessStep::Key(_) => {
                    return refuse(base.place, "a mapping in memory is not taken");
                }
            }
        }
        Ok(())
    }

    /// That a variable, from now on, may refer to what the ones in an expression refer to.
    pub(super) fn share(&mut self, called: &str, value: &FlatExpr) {
        let mut others = Vec::new();
        self.referred(value, &mut others);
        if !others.is_empty() {
            others.push(called.to_owned());
            self.shared.extend(others);
        }
    }

    /// The variables whose contents a value may be.
    pub(super) fn referred(&self, e: &FlatExpr, found: &mut Vec<String>) {
        match &e.kind {
            FlatExprKind::Read(lvalue) => match &lvalue.root {
                Root::Local(id) => found.extend(self.held_name(*id)),
                Root::Memory(base) if is_held(&e.ty) => self.referred(base, found),
                Root::Memory(_) | Root::Variable(_) => {}
            },
            FlatExprKind::Conditional(_, yes, no) => {
                self.referred(yes, found);
                self.referred(no, found);
            }
            FlatExprKind::Convert(inner) => self.referred(inner, found),
            FlatExprKind::NewStruct(given) | FlatExprKind::NewElements(given) => {
                let held = given.iter().filter(|e| is_held(&e.ty));
                held.for_each(|e| self.referred(e, found));
            }
            _ => {}
        }
    }

    /// Something in what a variable refers to is changed: nothing else may refer to it.
    fn changes(&mut self, called: &str, place: FileRange) -> Low<()> {
        if self.shared.contains(called) {
            return refuse(place, SHARED);
        }
        self.changed.push((called.to_owned(), place));
        Ok(())
    }

    /// Behind a loop: what was changed in it, before something else came to refer to it, is changed again in the next round.
    pub(super) fn changed_again(&self, since: usize, locals: usize) -> Low<()> {
        let changed = self.changed.iter().skip(since);
        for (called, place) in changed {
            let is_older = !self.is_made_since(called, locals);
            if is_older && self.shared.contains(called) {
                return refuse(*place, SHARED);
            }
        }
        Ok(())
    }
}

/// Why some changes are refused.
const SHARED: &str = "changing an array or struct in memory that has two names is not taken yet";
