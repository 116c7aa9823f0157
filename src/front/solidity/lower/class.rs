//! The class while it is made: what its actions turn out to need.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::One;

use super::answers::{UnknownFunction, UnknownFunctions, answered};
use super::branches::only_possible;
use super::convert::ADDRESS;
use super::layout::{Leaf, LeafKey};
use super::memory::MOST_ELEMENTS;
use super::names::TakenNames;
use super::reenter::Pending;
use super::unread::leave_unread;
use super::{Low, LowerOptions, LoweredContract, Others, Time, refuse};
use crate::front::solidity::FileRange;
use crate::front::solidity::ast::Int;
use crate::front::solidity::flat::{
    ConstantId, Contract, EnumId, FlatExprKind, FlatLiteral, FlatType, Note,
};
use crate::front::tq::ast::{self, ItemSyntax, Member};
use crate::front::tq::build::{self, binary, compare, equal, ident, int, name, param};
use crate::ir::{BinaryOp, Clock, CompareOp, Control, MessageForm, MessagePart, RoutineKind};

/// The last second, and the last block. Time has no end; but a sum of any delay and a time near the largest number
/// would overflow, which nobody lives to see.
pub(super) const LAST: u64 = u64::MAX;
/// No chain was there in the first two seconds of 1970, and contracts that keep times take 0 and 1 for what is no time.
const FIRST_SECOND: u64 = 2;
/// Block 0 is there before everything: nothing is called in it.
const FIRST_BLOCK: u64 = 1;
/// All ether there is comes to fewer than 2 to the power of this wei: 120 million ether are 2^87.
const MOST_ETHER: u32 = 96;

/// All ether there is.
pub(super) fn most_ether() -> BigInt {
    (BigInt::one() << MOST_ETHER) - 1
}

/// Numbers beyond this are printed as constants.
const LONG: u32 = 64;

/// Of integers and bytes with so many bits nobody uses all.
const MANY: u16 = 64;

/// What the keys of a mapping are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Address,
    Integer(Int),
    /// `bytesN`: numbers here, without a largest one.
    Bytes,
}

/// Something of which the chain has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ghost {
    /// `block.timestamp`
    Timestamp,
    /// `block.number`
    Number,
    /// `address(this).balance`
    Balance,
}

impl Ghost {
    /// The clock that it shows, if it is one.
    pub(super) fn clock(self) -> Option<Clock> {
        match self {
            Ghost::Timestamp => Some(Clock::Timestamp),
            Ghost::Number => Some(Clock::Number),
            Ghost::Balance => None,
        }
    }
}

/// The class.
pub(super) struct LoweredClass<'c> {
    pub contract: &'c Contract,
    /// The names of what the class has; those of an action's variables are others.
    pub names: TakenNames,
    /// The names of its actions.
    pub actions: TakenNames,
    /// Where the functions stand that they are made of.
    pub places: Vec<(String, FileRange)>,
    /// What its constructor and its actions are called with.
    pub forms: Vec<MessageForm>,
    /// The addresses that it names.
    pub addresses: BTreeSet<BigInt>,
    /// Whether addresses are made of numbers, or its own is one among others: not all of them come with messages.
    pub makes_addresses: bool,
    /// Whether numbers are made of addresses: only then can it be seen that there is a largest one.
    pub counts_addresses: bool,
    /// The class's own name.
    own: String,
    enums: BTreeMap<EnumId, (String, Vec<String>)>,
    pub leaves: BTreeMap<LeafKey, Leaf>,
    pub ghosts: BTreeMap<Ghost, String>,
    /// The sums of the amounts in mappings.
    pub sums: BTreeMap<LeafKey, String>,
    /// Constants, by what they are.
    pub constants: BTreeMap<String, (String, ast::TypeSyntax, Option<ast::ExprSyntax>)>,
    /// The type of strings.
    text: Option<String>,
    /// Strings by their bytes: values of that type.
    pub literals: BTreeMap<Vec<u8>, String>,
    /// The names of these.
    texts: TakenNames,
    /// The exception that a revert is.
    pub revert: String,
    pub notes: Vec<Note>,
    /// How time goes on.
    time: Time,
    /// Whether what is called outside may call back.
    pub reentrant: bool,
    /// What calls that have not ended need.
    pub pending: Pending,
    /// The variable of which one key is followed, and how calls for others are drawn.
    pub track: Option<(usize, Others)>,
    /// The action that all calls for other keys are.
    pub others: Option<String>,
}

impl<'c> LoweredClass<'c> {
    pub(super) fn new(contract: &'c Contract, options: &LowerOptions) -> LoweredClass<'c> {
        let mut names = TakenNames::default();
        let own = names.fresh(&contract.name);
        let revert = names.fresh("Revert");
        LoweredClass {
            contract,
            own,
            revert,
            names,
            actions: TakenNames::default(),
            places: Vec::new(),
            forms: Vec::new(),
            addresses: BTreeSet::new(),
            makes_addresses: false,
            counts_addresses: false,
            enums: BTreeMap::new(),
            leaves: BTreeMap::new(),
            ghosts: BTreeMap::new(),
            sums: BTreeMap::new(),
            constants: BTreeMap::new(),
            text: None,
            literals: BTreeMap::new(),
            texts: TakenNames::default(),
            notes: Vec::new(),
            time: options.time,
            reentrant: options.reentrant,
            pending: Pending::default(),
            track: options.track.as_ref().and_then(|track| {
                let variable = track.variable(contract).ok()?;
                Some((variable, track.others))
            }),
            others: None,
        }
    }

    /// How much the class has. It only grows.
    pub(super) fn size(&self) -> usize {
        self.enums.len()
            + self.leaves.len()
            + self.ghosts.len()
            + self.sums.len()
            + self.constants.len()
            + self.literals.len()
            + usize::from(self.text.is_some())
            + usize::from(self.counts_addresses)
    }

    /// Says what is lost, once.
    pub(super) fn note(&mut self, place: FileRange, what: impl Into<String>) {
        let what = what.into();
        if !self.notes.iter().any(|note| note.what == what) {
            self.notes.push(Note { place, what });
        }
    }

    /// The type of values of a value type, or of strings.
    pub(super) fn ty(&mut self, ty: &FlatType, place: FileRange) -> Low<ast::TypeSyntax> {
        Ok(match self.underlying(ty) {
            FlatType::Bool => build::ty("bool"),
            FlatType::Int(Int { signed: true, .. }) => build::ty("int"),
            FlatType::Int(_)
            | FlatType::Address
            | FlatType::Contract(_)
            | FlatType::FixedBytes(_) => build::ty("nat"),
            FlatType::Enum(id) => build::ty(self.enumeration(id).0),
            FlatType::String | FlatType::Bytes => build::ty(self.text_type()),
            FlatType::Struct(_) | FlatType::Array(..) => {
                return refuse(
                    place,
                    "an array or struct as a single value is not taken yet",
                );
            }
            FlatType::Mapping(..) | FlatType::Alias(_) => {
                return refuse(place, "a mapping is no value");
            }
        })
    }

    /// The type itself, where it is a value type of the user's.
    pub(super) fn underlying(&self, ty: &FlatType) -> FlatType {
        match ty {
            FlatType::Alias(id) => match self.contract.aliases.get(id.index()) {
                Some(alias) => alias.underlying.clone(),
                None => FlatType::UINT,
            },
            other => other.clone(),
        }
    }

    /// The name of an enum, and those of its members.
    pub(super) fn enumeration(&mut self, id: EnumId) -> (String, Vec<String>) {
        if let Some(known) = self.enums.get(&id) {
            return known.clone();
        }
        let declared = self.contract.enums.get(id.index());
        let full = declared.map_or("Enum", |declared| declared.name.as_str());
        // `Escrow.Phase` is `Phase`.
        let short = full.rsplit('.').next().unwrap_or(full);
        let name = self.names.fresh(short);
        let mut members = TakenNames::default();
        let declared = declared.map_or(&[][..], |declared| &declared.members);
        let members = declared
            .iter()
            .map(|member| members.fresh(member))
            .collect();
        self.enums.insert(id, (name.clone(), members));
        self.enums.get(&id).cloned().unwrap_or((name, Vec::new()))
    }

    /// A member of an enum.
    pub(super) fn member(
        &mut self,
        id: EnumId,
        number: usize,
        place: FileRange,
    ) -> Low<ast::ExprSyntax> {
        let (name, members) = self.enumeration(id);
        match members.get(number) {
            Some(member) => Ok(build::dot(build::name(&name), member)),
            None => refuse(place, "the enum has no such member"),
        }
    }

    fn text_type(&mut self) -> String {
        let names = &mut self.names;
        self.text.get_or_insert_with(|| names.fresh("Text")).clone()
    }

    /// A string that is written in the contract.
    pub(super) fn literal(&mut self, bytes: &[u8]) -> ast::ExprSyntax {
        let wanted: String = match std::str::from_utf8(bytes) {
            Ok("") => "EMPTY".to_owned(),
            Ok(text) => text.chars().take(20).collect(),
            Err(_) => "BYTES".to_owned(),
        };
        let names = &mut self.texts;
        let known = self.literals.entry(bytes.to_vec());
        let value = known.or_insert_with(|| names.fresh(&wanted)).clone();
        build::dot(name(self.text_type()), &value)
    }

    /// A field of the chain.
    pub(super) fn ghost(&mut self, ghost: Ghost) -> ast::ExprSyntax {
        let wanted = match ghost {
            Ghost::Timestamp => "block_timestamp",
            Ghost::Number => "block_number",
            Ghost::Balance => "balance",
        };
        let names = &mut self.names;
        let known = self.ghosts.entry(ghost);
        name(known.or_insert_with(|| names.fresh(wanted)).as_str())
    }

    /// A constant, told apart by a key; its value, if it has one, is made when it is first asked for.
    pub(super) fn constant(
        &mut self,
        key: String,
        wanted: &str,
        ty: ast::TypeSyntax,
        value: Option<ast::ExprSyntax>,
    ) -> ast::ExprSyntax {
        let names = &mut self.names;
        let known = self.constants.entry(key);
        let (known, ..) = known.or_insert_with(|| (names.fresh(wanted), ty, value));
        name(known.as_str())
    }

    /// Whether a constant is an unknown function that is called so.
    pub(super) fn is_function(&self, constant: &str, called: &str) -> bool {
        let start = format!("function {called} ");
        let mut known = self.constants.range(start.clone()..);
        known.any(|(key, (known, ..))| key.starts_with(&start) && known == constant)
    }

    /// The contract's own address.
    pub(super) fn own_address(&mut self) -> ast::ExprSyntax {
        self.makes_addresses = true;
        self.constant("this".to_owned(), "self", build::ty("nat"), None)
    }

    /// A number: a constant if it is a long one.
    pub(super) fn number(&mut self, value: BigInt, called: &str) -> ast::ExprSyntax {
        if value.bits() <= u64::from(LONG) {
            return int(value);
        }
        let key = format!("number {value}");
        self.constant(key, called, build::ty("int"), Some(int(value)))
    }

    /// The smallest and the largest value of a type.
    pub(super) fn limits(&mut self, ty: Int) -> (ast::ExprSyntax, ast::ExprSyntax) {
        let (low, high) = limits(ty);
        let of = |word: &str| {
            let sign = if ty.signed { "INT" } else { "UINT" };
            format!("{word}_{sign}{}", ty.bits)
        };
        (self.number(low, &of("MIN")), self.number(high, &of("MAX")))
    }

    /// What holds of every value of a type beyond its type in the class, where it is anything.
    pub(super) fn range(
        &mut self,
        ty: &FlatType,
        value: &ast::ExprSyntax,
    ) -> Option<ast::ExprSyntax> {
        let int = match self.underlying(ty) {
            FlatType::Int(int) => int,
            FlatType::Address | FlatType::Contract(_) if self.counts_addresses => {
                let most = self.number(limits(ADDRESS).1, "MAX_ADDRESS");
                return Some(compare(CompareOp::Le, value.clone(), most));
            }
            _ => return None,
        };
        let (low, high) = self.limits(int);
        Some(if int.signed {
            let chain = vec![(CompareOp::Le, value.clone()), (CompareOp::Le, high)];
            build::expr(ast::ExprSyntaxKind::Compare(low, chain))
        } else {
            compare(CompareOp::Le, value.clone(), high)
        })
    }

    /// A constant of the contract: one of the class if its value is a literal. None if it is more than that.
    pub(super) fn user_constant(&mut self, id: ConstantId) -> Option<ast::ExprSyntax> {
        let constant = self.contract.constants.get(id.index())?;
        let FlatExprKind::Literal(FlatLiteral::Number(value)) = &constant.value.kind else {
            return None;
        };
        if !matches!(self.underlying(&constant.ty), FlatType::Int(_)) {
            return None;
        }
        let key = format!("user {}", id.index());
        let value = Some(int(value.clone()));
        Some(self.constant(key, &constant.name, build::ty("int"), value))
    }

    /// The value that everything of a type is at first.
    pub(super) fn zero(&mut self, ty: &FlatType, place: FileRange) -> Low<ast::ExprSyntax> {
        Ok(match self.underlying(ty) {
            FlatType::Bool => build::bool(false),
            FlatType::Enum(id) => self.member(id, 0, place)?,
            FlatType::String | FlatType::Bytes => self.literal(&[]),
            FlatType::Int(_)
            | FlatType::Address
            | FlatType::Contract(_)
            | FlatType::FixedBytes(_) => int(0),
            other => {
                self.ty(&other, place)?;
                int(0)
            }
        })
    }

    /// The whole class, with its constructor and actions.
    pub(super) fn finish(mut self, mut routines: Vec<ast::RoutineSyntax>) -> LoweredContract {
        let mut members = Vec::new();
        let sent = self.sent(&routines);
        self.leave_out(&mut routines);
        self.answer(&mut routines);
        let others = self.split(&mut routines);
        self.pending = self.reenter(&mut routines);
        let ends = std::mem::take(&mut self.pending.ends);
        if let Some(constructor) = routines.first_mut() {
            self.start(constructor);
        }
        let tick = match self.time {
            Time::Tick => self.tick().map(|mut tick| {
                tick.contract.extend(self.pending.is_none());
                tick
            }),
            Time::Call => {
                self.later(&mut routines);
                None
            }
            Time::Step => {
                self.step(&mut routines);
                None
            }
        };
        self.gather(&mut routines, &others);
        let invariants = self.invariants();
        let ether = self.ether_fact();
        let fields = self.fields();
        routines.extend(ends);
        routines.extend(tick);
        let growth = self.growth_facts(&fields, &routines, sent);
        for (known, ty, value) in self.constants.values() {
            members.push(Member::Const {
                name: ident(known),
                ty: ty.clone(),
                value: value.clone(),
            });
        }
        members.extend(fields);
        members.extend(self.finite_support().into_iter().map(Member::Fact));
        members.extend(self.sum_facts().into_iter().map(Member::Fact));
        members.extend(self.length_facts().map(Member::Fact));
        members.extend(ether.map(Member::Fact));
        members.extend(growth.into_iter().map(Member::Fact));
        members.extend(invariants.into_iter().map(Member::Invariant));
        members.extend(routines.into_iter().map(Member::Routine));
        let mut items: Vec<ItemSyntax> = Vec::new();
        for (name, members) in self.enums.values() {
            items.push(ItemSyntax::Enum {
                name: ident(name),
                members: members.iter().map(ident).collect(),
            });
        }
        items.extend(self.text.as_ref().map(|text| ItemSyntax::Opaque {
            name: ident(text),
            values: self.literals.values().map(ident).collect(),
        }));
        items.push(ItemSyntax::Exception {
            name: ident(&self.revert),
            shown: None,
        });
        items.push(ItemSyntax::Class(ast::ClassSyntax {
            name: ident(&self.own),
            members,
            span: Default::default(),
        }));
        let messages = self.messages();
        LoweredContract {
            file: ast::FileSyntax { items },
            messages,
            class: self.own,
            revert: self.revert,
            notes: self.notes,
            places: self.places,
        }
    }

    /// Branches that no call takes, and fields that are spoken of nowhere else.
    fn leave_out(&mut self, routines: &mut [ast::RoutineSyntax]) {
        let constants = self.constants.values().map(|(known, ..)| known.clone());
        let constants = constants.collect();
        let mut mentioned = BTreeSet::new();
        for routine in routines {
            only_possible(routine, &constants);
            routine.names(&mut mentioned);
        }
        self.leaves.retain(|_, leaf| mentioned.contains(&leaf.name));
        let leaves = &self.leaves;
        self.sums.retain(|key, _| leaves.contains_key(key));
    }

    /// What unknown functions give for what a call brings is the outside's answer; functions of which nothing else is asked
    /// are gone.
    fn answer(&mut self, routines: &mut [ast::RoutineSyntax]) {
        let functions: UnknownFunctions = (self.constants.iter())
            .filter_map(|(key, (known, ty, _))| {
                let called = key.strip_prefix("function ")?;
                Some((known.clone(), unknown_function(called, ty)))
            })
            .collect();
        let given = answered(routines, &functions, &self.names);
        for (form, given) in self.forms.iter_mut().zip(given) {
            form.parts
                .extend(std::iter::repeat_n(MessagePart::Answer, given));
        }
        let mut mentioned = BTreeSet::new();
        for routine in routines.iter() {
            routine.names(&mut mentioned);
        }
        self.constants
            .retain(|_, (known, ..)| !functions.contains_key(known) || mentioned.contains(known));
        for (routine, form) in routines.iter_mut().zip(&mut self.forms) {
            leave_unread(routine, &mut form.parts);
        }
    }

    fn fields(&mut self) -> Vec<Member> {
        let mut fields = Vec::new();
        for leaf in self.leaves.clone().into_values() {
            // What a map is at first cannot be said here, but in the constructor.
            let said = leaf.indices.is_empty();
            let zero = self.zero(&leaf.value, leaf.place).ok();
            fields.push(Member::Var {
                name: ident(&leaf.name),
                ty: leaf.field_type(),
                value: zero.filter(|_| said),
            });
        }
        let ghosts = self.ghosts.iter().map(|(ghost, name)| Member::Var {
            name: ident(name),
            ty: build::ty("nat"),
            value: (*ghost == Ghost::Balance).then(|| int(0)),
        });
        fields.extend(self.sum_fields());
        fields.extend(self.pending.fields());
        fields.extend(ghosts);
        fields
    }

    /// Ranges.
    fn invariants(&mut self) -> Vec<ast::ExprSyntax> {
        let mut invariants = Vec::new();
        let leaves: Vec<Leaf> = self.leaves.values().cloned().collect();
        for leaf in leaves {
            if leaf.indices.is_empty() && !leaf.is_length {
                invariants.extend(self.range(&leaf.value, &name(&leaf.name)));
            }
        }
        let ghosts: Vec<(Ghost, String)> = self.ghosts.clone().into_iter().collect();
        let clocks = ghosts
            .iter()
            .filter_map(|(ghost, known)| Some((ghost.clock()?, known)));
        invariants.extend(clocks.map(|(clock, known)| shown(clock, known)));
        if let Some((own, ..)) = self.constants.get("this").cloned() {
            invariants.push(compare(CompareOp::Ne, name(&own), int(0)));
            invariants.extend(self.range(&FlatType::Address, &name(&own)));
        }
        invariants.extend(self.tracked_range());
        invariants
    }

    /// An array never has more elements than anybody can pay for.
    fn length_facts(&self) -> impl Iterator<Item = ast::ExprSyntax> {
        let lengths = self.leaves.values();
        let lengths = lengths.filter(|leaf| leaf.is_length && leaf.indices.is_empty());
        lengths.map(|leaf| compare(CompareOp::Le, name(&leaf.name), int(MOST_ELEMENTS)))
    }

    /// A contract never has more ether than there is. That it may have any amount would make states in which nobody can pay any
    /// more, and edges to them, which a second pass would look for in vain.
    fn ether_fact(&mut self) -> Option<ast::ExprSyntax> {
        let balance = self.ghosts.get(&Ghost::Balance)?.clone();
        let most = self.number(most_ether(), "MOST_ETHER");
        Some(compare(CompareOp::Le, name(balance), most))
    }

    /// A contract that has run for a while has written to a few keys of its mappings: there is a key that nobody has used yet.
    fn finite_support(&mut self) -> Vec<ast::ExprSyntax> {
        let leaves: Vec<Leaf> = self.leaves.values().cloned().collect();
        let mut found: BTreeMap<Key, Vec<ast::ExprSyntax>> = BTreeMap::new();
        let mut names = self.names.clone();
        let nobody = names.fresh("unused");
        let tracked = self.tracked_key();
        for leaf in &leaves {
            let is_mapping = leaf.keys.len() == leaf.indices.len();
            let key = leaf.keys.first().and_then(|key| self.many(key));
            let (true, Some(key), Ok(zero)) = (is_mapping, key, self.zero(&leaf.value, leaf.place))
            else {
                continue;
            };
            let there = build::indexed(name(&leaf.name), [name(&nobody)]);
            let empty = equal(there, leaf.everywhere_behind(1, zero));
            found.entry(key).or_default().push(empty);
        }
        let facts = found.into_iter().map(|(key, empty)| {
            let mut all = Vec::new();
            let ty = match key {
                Key::Integer(ty) => {
                    all.extend(self.range(&FlatType::Int(ty), &name(&nobody)));
                    build::ty(if ty.signed { "int" } else { "nat" })
                }
                Key::Address => {
                    all.push(compare(CompareOp::Ne, name(&nobody), int(0)));
                    all.extend(self.range(&FlatType::Address, &name(&nobody)));
                    build::ty("nat")
                }
                Key::Bytes => build::ty("nat"),
            };
            all.extend(empty);
            // That the key which is followed has not been used says nothing of the others.
            if let Some((ty, tracked)) = &tracked
                && self.many(ty) == Some(key)
            {
                all.push(compare(CompareOp::Ne, name(&nobody), tracked.clone()));
            }
            let all = all.into_iter().reduce(build::and);
            build::exists(param(&nobody, ty), all.unwrap_or(build::bool(true)))
        });
        facts.collect()
    }

    /// What a key is, where there are more of them than anybody can use.
    fn many(&self, key: &FlatType) -> Option<Key> {
        match self.underlying(key) {
            FlatType::Int(ty) if ty.bits >= MANY => Some(Key::Integer(ty)),
            FlatType::FixedBytes(size) if 8 * u16::from(size) >= MANY => Some(Key::Bytes),
            FlatType::Address | FlatType::Contract(_) => Some(Key::Address),
            _ => None,
        }
    }

    /// What mappings are when the contract is made.
    fn start(&mut self, constructor: &mut ast::RoutineSyntax) {
        let Some(body) = &mut constructor.body else {
            return;
        };
        let mut first = Vec::new();
        for leaf in self.leaves.clone().values() {
            let Ok(zero) = self.zero(&leaf.value, leaf.place) else {
                continue;
            };
            if !leaf.indices.is_empty() {
                first.push(build::assign(name(&leaf.name), leaf.everywhere(zero)));
            }
        }
        // The contract is made at some time.
        for (ghost, field) in &self.ghosts {
            if *ghost != Ghost::Balance {
                let mut names = self.names.clone();
                constructor.params.iter().for_each(|known| {
                    names.fresh(&known.name.name);
                });
                let made = names.fresh(&format!("{field}_now"));
                let known = ghost.clock().map(|clock| shown(clock, &made));
                let known = known.map(ast::ContractClause::Requires);
                constructor.contract.extend(known);
                first.push(build::assign(name(field), name(&made)));
                constructor.params.push(ast::ParamSyntax {
                    hidden: true,
                    ..param(made, build::ty("nat"))
                });
                if let (Some(form), Some(clock)) = (self.forms.first_mut(), ghost.clock()) {
                    form.parts.push(MessagePart::Now(clock));
                }
            }
        }
        body.statements.splice(0..0, first);
    }

    /// Each call is made at a time of its own, not before the last one.
    fn later(&mut self, routines: &mut [ast::RoutineSyntax]) {
        let actions = routines.iter_mut().zip(&mut self.forms).skip(1);
        for (routine, form) in actions {
            let Some(body) = &mut routine.body else {
                continue;
            };
            let mut names = self.names.clone();
            for known in routine.params.iter().chain(&routine.returns) {
                names.fresh(&known.name.name);
            }
            let clocks = self.ghosts.iter();
            let clocks = clocks.filter_map(|(ghost, field)| Some((ghost.clock()?, field)));
            for (clock, field) in clocks {
                let now = names.fresh(&format!("{field}_now"));
                let chain = vec![(CompareOp::Le, name(&now)), (CompareOp::Le, int(LAST))];
                let grows = build::expr(ast::ExprSyntaxKind::Compare(name(field), chain));
                routine.contract.push(ast::ContractClause::Requires(grows));
                body.statements
                    .insert(0, build::assign(name(field), name(&now)));
                routine.params.push(ast::ParamSyntax {
                    hidden: true,
                    ..param(now, build::ty("nat"))
                });
                form.parts.push(MessagePart::Now(clock));
            }
        }
    }

    /// A second goes by with each call, and a block.
    fn step(&self, routines: &mut [ast::RoutineSyntax]) {
        for body in routines.iter_mut().skip(1).flat_map(|r| &mut r.body) {
            for (ghost, field) in &self.ghosts {
                if ghost.clock().is_some() {
                    let later = binary(BinaryOp::Add, name(field), int(1));
                    body.statements.push(build::assign(name(field), later));
                }
            }
        }
    }

    /// An action that nobody calls.
    pub(super) fn environment(
        &mut self,
        called: &str,
        statements: Vec<ast::StmtSyntax>,
    ) -> ast::RoutineSyntax {
        ast::RoutineSyntax {
            kind: RoutineKind::Action,
            pure: false,
            control: Some(Control::Monitored),
            name: Some(ident(self.actions.fresh(called))),
            params: Vec::new(),
            returns: Vec::new(),
            outcomes: Vec::new(),
            contract: Vec::new(),
            body: Some(build::block(statements)),
            span: Default::default(),
        }
    }

    /// Time goes on.
    fn tick(&mut self) -> Option<ast::RoutineSyntax> {
        let mut names = self.names.clone();
        let mut statements = Vec::new();
        for (ghost, field) in &self.ghosts {
            if *ghost == Ghost::Balance {
                continue;
            }
            let later = names.fresh("later");
            statements.push(build::stmt(ast::StmtSyntaxKind::Var {
                name: ident(&later),
                ty: build::ty("nat"),
                value: None,
            }));
            let grows = compare(CompareOp::Lt, name(field), name(&later));
            let ends = compare(CompareOp::Le, name(&later), int(LAST));
            let grows = binary(BinaryOp::And, grows, ends);
            statements.push(build::stmt(ast::StmtSyntaxKind::Assume(grows)));
            statements.push(build::assign(name(field), name(&later)));
        }
        (!statements.is_empty()).then(|| self.environment("tick", statements))
    }
}

/// What a clock can show.
fn shown(clock: Clock, known: &str) -> ast::ExprSyntax {
    let first = match clock {
        Clock::Timestamp => FIRST_SECOND,
        Clock::Number => FIRST_BLOCK,
    };
    let chain = vec![(CompareOp::Le, name(known)), (CompareOp::Le, int(LAST))];
    build::expr(ast::ExprSyntaxKind::Compare(int(first), chain))
}

/// A function by what it is called, and by the map that it is.
fn unknown_function(called: &str, ty: &ast::TypeSyntax) -> UnknownFunction {
    let mut arguments = 0;
    let mut result = ty;
    while let ast::TypeSyntax::Map(_, value) = result {
        arguments += 1;
        result = value;
    }
    const SCRAMBLING: [&str; 6] = [
        "keccak256",
        "sha256",
        "ripemd160",
        "ecrecover",
        "encode",
        "concat",
    ];
    UnknownFunction {
        arguments,
        result: result.clone(),
        scrambles: SCRAMBLING.iter().any(|word| called.starts_with(word)),
    }
}

/// `uint256`
pub(super) const UINT: Int = Int {
    signed: false,
    bits: 256,
};

/// The smallest and the largest value of a type.
pub(super) fn limits(ty: Int) -> (BigInt, BigInt) {
    let end = BigInt::one() << u32::from(ty.bits - u16::from(ty.signed));
    if ty.signed {
        (-end.clone(), end - 1)
    } else {
        (BigInt::from(0), end - 1)
    }
}
