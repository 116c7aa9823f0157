//! One action while it is made, or the constructor: a function with all that it calls written into it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::class::{Ghost, LoweredClass, UINT};
use super::layout::LayoutStep;
use super::leave::LeaveLabel;
use super::memory::{Held, is_held};
use super::message::{message_form, taken_is_an_answer};
use super::names::TakenNames;
use super::sums::Totals;
use super::{Low, refuse};
use crate::front::solidity::FileRange;
use crate::front::solidity::flat::effects::Touched;
use crate::front::solidity::flat::{
    ChainValue, EntryKind, EntryPoint, FlatExpr, FlatRoutine, FlatStmt, FlatStmtKind, FlatType,
    LabelId, LocalId, Root, RoutineId,
};
use crate::front::tq::ast::{self, ContractClause};
use crate::front::tq::build::{self, assign, binary, compare, ident, int, name, param};
use crate::ir::{BinaryOp, Called, CompareOp, MessageForm, MessagePart, RoutineKind};

/// How many calls may be written into each other.
const MAX_CALLS: usize = 60;
/// How many statements an action may have.
const MAX_SIZE: usize = 20_000;

/// An action.
pub(super) struct LoweredAction<'a, 'c> {
    pub class: &'a mut LoweredClass<'c>,
    names: TakenNames,
    /// The statements of the block that is being written.
    pub out: Vec<ast::StmtSyntax>,
    params: Vec<ast::ParamSyntax>,
    /// What each of them is of the message.
    pub parts: Vec<MessagePart>,
    /// What has to be known of those that are called.
    pub called: Called,
    /// Whether somebody is called who has to take it.
    pub must_be_taken: bool,
    requires: Vec<ast::ExprSyntax>,
    results: Vec<ast::ParamSyntax>,
    locals: Vec<ast::ParamSyntax>,
    /// What the call and the chain give, by what it is.
    surroundings: BTreeMap<String, String>,
    pub frames: Vec<FunctionFrame>,
    /// How many loops are around.
    pub loops: usize,
    /// How many blocks are around.
    pub depth: usize,
    pub in_constructor: bool,
    /// Variables whose contents in memory may have two names.
    pub shared: BTreeSet<String>,
    /// Variables whose contents in memory were changed, and where, in the order in which that is written.
    pub changed: Vec<(String, FileRange)>,
    /// Variables of arrays and structs in memory, in the same order.
    pub made: Vec<String>,
    pub totals: Totals,
    /// How often something outside is called that may call back.
    pub outside: usize,
    size: usize,
}

/// A function whose code is being written.
pub(super) struct FunctionFrame {
    routine: RoutineId,
    variables: HashMap<LocalId, LoweredLocal>,
    /// `msg.sender`, where the contract calls itself.
    sender: Option<ast::ExprSyntax>,
    /// `msg.value`, where there is another than the caller's.
    value: Option<ast::ExprSyntax>,
    pub labels: HashMap<LabelId, LeaveLabel>,
}

/// What a local variable has become.
#[derive(Clone, Debug)]
enum LoweredLocal {
    /// A variable.
    Own(String),
    /// What never changes.
    Fixed(ast::ExprSyntax),
    /// An array or a struct in memory.
    Held(HeldVariable),
}

/// A variable of an array or a struct in memory.
#[derive(Clone, Debug)]
pub(super) struct HeldVariable {
    /// What it is called; its parts are variables of their own.
    pub called: String,
    /// Its parts.
    pub value: Held,
    /// Whether it can be assigned.
    is_own: bool,
}

/// Who sends a message, and what comes with it.
pub(super) struct Message {
    pub sender: ast::ExprSyntax,
    pub value: ast::ExprSyntax,
}

impl<'a, 'c> LoweredAction<'a, 'c> {
    /// The action of an entry, and the messages that it stands for.
    pub(super) fn of(
        class: &'a mut LoweredClass<'c>,
        entry: &'c EntryPoint,
    ) -> Low<(ast::RoutineSyntax, MessageForm)> {
        let mut action = LoweredAction {
            names: class.names.clone(),
            class,
            out: Vec::new(),
            params: Vec::new(),
            parts: Vec::new(),
            called: Called::Anybody,
            must_be_taken: false,
            requires: Vec::new(),
            results: Vec::new(),
            locals: Vec::new(),
            surroundings: BTreeMap::new(),
            frames: Vec::new(),
            loops: 0,
            depth: 0,
            in_constructor: entry.kind == EntryKind::Constructor,
            shared: BTreeSet::new(),
            changed: Vec::new(),
            made: Vec::new(),
            totals: Totals::default(),
            outside: 0,
            size: 0,
        };
        action.entry(entry)?;
        let mut parts = std::mem::take(&mut action.parts);
        if action.must_be_taken {
            // Some of those who are called would have to take it, and others not.
            taken_is_an_answer(&mut parts);
        }
        let form = message_form(entry, parts, action.called);
        Ok((action.finish(entry), form))
    }

    fn entry(&mut self, entry: &'c EntryPoint) -> Low<()> {
        let Some(routine) = self.class.contract.routine(entry.routine) else {
            return refuse(entry.place, "there is no such routine");
        };
        let mut changed = Touched::default();
        changed.change(&routine.body, &|_| true);
        self.push_frame(entry.routine, None);
        for id in &routine.parameters {
            let (called, ty) = self.declared(routine, *id, entry.place)?;
            if is_held(&ty) {
                let given = self.held_parameter(&called, &ty, entry.place)?;
                let changes = changed.memory || changed.locals.contains(id);
                self.bind_held(*id, &called, given, changes, entry.place)?;
                continue;
            }
            let given = self.parameter(&called, &ty, entry.place)?;
            if changed.locals.contains(id) {
                let own = self.local(&called, &ty, entry.place)?;
                self.out.push(assign(name(&own), given));
                self.bind(*id, LoweredLocal::Own(own));
            } else {
                self.bind(*id, LoweredLocal::Fixed(given));
            }
        }
        for id in &routine.results {
            let (called, ty) = self.declared(routine, *id, entry.place)?;
            if is_held(&ty) {
                self.held_result(*id, &called, &ty, entry)?;
                continue;
            }
            let result = if entry.kind == EntryKind::Function {
                let class_type = self.class.ty(&ty, entry.place)?;
                let result = self.names.fresh(own_name(&called, "result"));
                self.results.push(param(&result, class_type));
                result
            } else {
                // What a constructor or a function without a name returns is nobody's.
                self.local(&called, &ty, entry.place)?
            };
            if !sets_first(&routine.body, *id) {
                let zero = self.class.zero(&ty, entry.place)?;
                self.out.push(assign(name(&result), zero));
            }
            self.bind(*id, LoweredLocal::Own(result));
        }
        if entry.is_payable() && self.class.ghosts.contains_key(&Ghost::Balance) {
            self.receive();
        }
        let body: Vec<&FlatStmt> = routine.body.iter().collect();
        self.sequence(&body, &[])?;
        self.frames.pop();
        Ok(())
    }

    /// The ether that comes with the call.
    fn receive(&mut self) {
        let value = self.message_value();
        let balance = self.class.ghost(Ghost::Balance);
        if self.in_constructor {
            self.out.push(assign(balance, value));
        } else {
            let sum = binary(BinaryOp::Add, balance.clone(), value);
            let (_, most) = self.class.limits(UINT);
            self.requires
                .push(compare(CompareOp::Le, sum.clone(), most));
            self.out.push(assign(balance, sum));
        }
    }

    fn finish(mut self, entry: &EntryPoint) -> ast::RoutineSyntax {
        let in_constructor = self.in_constructor;
        let mut statements: Vec<ast::StmtSyntax> = Vec::new();
        for local in &self.locals {
            statements.push(build::stmt(ast::StmtSyntaxKind::Var {
                name: local.name.clone(),
                ty: local.ty.clone(),
                value: None,
            }));
        }
        statements.append(&mut self.out);
        let mut body = build::block(statements);
        crate::front::tq::sink(&mut body);
        ast::RoutineSyntax {
            kind: if in_constructor {
                RoutineKind::Constructor
            } else {
                RoutineKind::Action
            },
            pure: false,
            control: None,
            name: (!in_constructor).then(|| ident(&entry.name)),
            params: self.params,
            returns: self.results,
            outcomes: Vec::new(),
            contract: self
                .requires
                .into_iter()
                .map(ContractClause::Requires)
                .collect(),
            body: Some(body),
            span: Default::default(),
        }
    }

    /// Begins the code of a function. Without a message, it is that of the function around it.
    pub(super) fn push_frame(&mut self, routine: RoutineId, message: Option<Message>) {
        let around = self.frames.last();
        let (sender, value) = match message {
            Some(message) => (Some(message.sender), Some(message.value)),
            None => (
                around.and_then(|frame| frame.sender.clone()),
                around.and_then(|frame| frame.value.clone()),
            ),
        };
        self.frames.push(FunctionFrame {
            routine,
            variables: HashMap::new(),
            sender,
            value,
            labels: HashMap::new(),
        });
    }

    /// Whether a function's code is being written, or too many are.
    pub(super) fn is_open(&self, routine: RoutineId) -> bool {
        self.frames.len() >= MAX_CALLS || self.frames.iter().any(|frame| frame.routine == routine)
    }

    /// Counts something that is written.
    pub(super) fn count(&mut self, place: FileRange) -> Low<()> {
        self.size += 1;
        if self.size > MAX_SIZE {
            return refuse(
                place,
                "the function becomes too large with all that it calls",
            );
        }
        Ok(())
    }

    fn bind(&mut self, id: LocalId, variable: LoweredLocal) {
        if let Some(frame) = self.frames.last_mut() {
            frame.variables.insert(id, variable);
        }
    }

    /// What a parameter stands for, when it never changes.
    pub(super) fn bind_fixed(&mut self, id: LocalId, value: ast::ExprSyntax) {
        self.bind(id, LoweredLocal::Fixed(value));
    }

    /// That a local variable of this function is one of the function that calls.
    pub(super) fn bind_own(&mut self, id: LocalId, variable: String) {
        self.bind(id, LoweredLocal::Own(variable));
    }

    /// The name and the type of a routine's local variable.
    pub(super) fn declared(
        &self,
        routine: &FlatRoutine,
        id: LocalId,
        place: FileRange,
    ) -> Low<(String, FlatType)> {
        match routine.local(id) {
            Some(local) => Ok((local.name.clone(), local.ty.clone())),
            None => refuse(place, "there is no such variable"),
        }
    }

    /// The routine whose code is being written.
    pub(super) fn routine(&self) -> Option<&'c FlatRoutine> {
        let contract: &'c _ = self.class.contract;
        contract.routine(self.frames.last()?.routine)
    }

    /// A local variable's value.
    pub(super) fn variable(&mut self, id: LocalId, place: FileRange) -> Low<ast::ExprSyntax> {
        let frame = self.frames.last();
        match frame.and_then(|frame| frame.variables.get(&id)) {
            Some(LoweredLocal::Fixed(value)) => Ok(value.clone()),
            Some(LoweredLocal::Own(known)) => Ok(name(known)),
            Some(LoweredLocal::Held(_)) => refuse(place, "an array or struct is no single value"),
            None => self.own(id, place).map(name),
        }
    }

    /// The name of a local variable that can be assigned.
    pub(super) fn own(&mut self, id: LocalId, place: FileRange) -> Low<String> {
        let frame = self.frames.last();
        match frame.and_then(|frame| frame.variables.get(&id)) {
            Some(LoweredLocal::Own(known)) => Ok(known.clone()),
            Some(LoweredLocal::Fixed(_)) => refuse(place, "this parameter cannot be assigned"),
            Some(LoweredLocal::Held(_)) => refuse(place, "an array or struct is no single value"),
            None => {
                let Some(routine) = self.routine() else {
                    return refuse(place, "there is no such routine");
                };
                let (called, ty) = self.declared(routine, id, place)?;
                let own = self.local(&called, &ty, place)?;
                self.bind(id, LoweredLocal::Own(own.clone()));
                Ok(own)
            }
        }
    }

    /// A new variable.
    pub(super) fn local(&mut self, called: &str, ty: &FlatType, place: FileRange) -> Low<String> {
        // Numbers may go through values that their types do not have.
        let ty = match self.class.underlying(ty) {
            FlatType::Int(_)
            | FlatType::Address
            | FlatType::Contract(_)
            | FlatType::FixedBytes(_) => build::ty("int"),
            other => self.class.ty(&other, place)?,
        };
        Ok(self.plain_local(called, ty))
    }

    /// A name like this one that nothing else in the action has.
    pub(super) fn fresh_name(&mut self, wanted: &str) -> String {
        self.names.fresh(wanted)
    }

    /// A new variable of a type of the class.
    pub(super) fn plain_local(&mut self, called: &str, ty: ast::TypeSyntax) -> String {
        let own = self.names.fresh(own_name(called, "t"));
        self.locals.push(param(&own, ty));
        own
    }

    /// A parameter of the action, in its type's range.
    pub(super) fn parameter(
        &mut self,
        called: &str,
        ty: &FlatType,
        place: FileRange,
    ) -> Low<ast::ExprSyntax> {
        let class_type = self.class.ty(ty, place)?;
        let given = self.names.fresh(own_name(called, "given"));
        self.params.push(param(&given, class_type));
        self.parts.push(self.class.message_part(ty));
        self.requires.extend(self.class.range(ty, &name(&given)));
        Ok(name(given))
    }

    /// Parameters of the action that are the parts of an array or a struct.
    fn held_parameter(&mut self, called: &str, ty: &FlatType, place: FileRange) -> Low<Held> {
        let mut parts = Vec::new();
        for part in self.parts_of(ty, place)? {
            let class_type = self.part_type(&part, place)?;
            let wanted = self.part_name(own_name(called, "given"), ty, &part);
            let given = self.names.fresh(&wanted);
            self.params.push(param(&given, class_type));
            self.parts.push(MessagePart::Inside);
            let range = self.part_range(&part, &name(&given));
            self.requires.extend(range);
            parts.push((part, name(given)));
        }
        Ok(Held {
            ty: ty.clone(),
            parts,
        })
    }

    /// A local variable stands for what was given to it: a copy of it, if it may be changed.
    fn bind_held(
        &mut self,
        id: LocalId,
        called: &str,
        given: Held,
        changes: bool,
        place: FileRange,
    ) -> Low<()> {
        if changes {
            let own = self.held_local(called, &given.ty, place)?;
            self.put(&own, given);
            self.bind(id, LoweredLocal::Held(own));
        } else {
            let called = self.names.fresh(own_name(called, "given"));
            self.bind(
                id,
                LoweredLocal::Held(HeldVariable {
                    called,
                    value: given,
                    is_own: false,
                }),
            );
        }
        Ok(())
    }

    /// What a function returns that is an array or a struct.
    fn held_result(
        &mut self,
        id: LocalId,
        called: &str,
        ty: &FlatType,
        entry: &EntryPoint,
    ) -> Low<()> {
        let variable = if entry.kind == EntryKind::Function {
            let mut parts = Vec::new();
            let called = self.names.fresh(own_name(called, "result"));
            for part in self.parts_of(ty, entry.place)? {
                let class_type = self.part_type(&part, entry.place)?;
                let wanted = self.part_name(&called, ty, &part);
                let result = self.names.fresh(&wanted);
                self.results.push(param(&result, class_type));
                parts.push((part, name(result)));
            }
            let value = Held {
                ty: ty.clone(),
                parts,
            };
            self.made.push(called.clone());
            HeldVariable {
                called,
                value,
                is_own: true,
            }
        } else {
            self.held_local(called, ty, entry.place)?
        };
        let zero = self.held_zero(ty, entry.place)?;
        self.put(&variable, zero);
        self.bind(id, LoweredLocal::Held(variable));
        Ok(())
    }

    /// A new variable of an array or a struct.
    fn held_local(&mut self, called: &str, ty: &FlatType, place: FileRange) -> Low<HeldVariable> {
        let called = self.names.fresh(own_name(called, "t"));
        let mut parts = Vec::new();
        for part in self.parts_of(ty, place)? {
            let wanted = self.part_name(&called, ty, &part);
            let own = match part.path.contains(&LayoutStep::Index) {
                true => {
                    let class_type = self.part_type(&part, place)?;
                    self.plain_local(&wanted, class_type)
                }
                false => self.local(&wanted, &part.ty, place)?,
            };
            parts.push((part, name(own)));
        }
        self.made.push(called.clone());
        Ok(HeldVariable {
            called,
            value: Held {
                ty: ty.clone(),
                parts,
            },
            is_own: true,
        })
    }

    /// What a local variable of an array or a struct holds.
    pub(super) fn held_variable(&mut self, id: LocalId, place: FileRange) -> Low<HeldVariable> {
        let frame = self.frames.last();
        match frame.and_then(|frame| frame.variables.get(&id)) {
            Some(LoweredLocal::Held(known)) => Ok(known.clone()),
            Some(_) => refuse(place, "this is no array or struct in memory"),
            None => {
                let Some(routine) = self.routine() else {
                    return refuse(place, "there is no such routine");
                };
                let (called, ty) = self.declared(routine, id, place)?;
                let own = self.held_local(&called, &ty, place)?;
                self.bind(id, LoweredLocal::Held(own.clone()));
                Ok(own)
            }
        }
    }

    /// The same, where it can be changed.
    pub(super) fn own_held(&mut self, id: LocalId, place: FileRange) -> Low<HeldVariable> {
        let known = self.held_variable(id, place)?;
        match known.is_own {
            true => Ok(known),
            false => refuse(place, "this parameter cannot be changed"),
        }
    }

    /// What a local variable of an array or a struct is called, if it is known already.
    pub(super) fn held_name(&self, id: LocalId) -> Option<String> {
        match self.frames.last()?.variables.get(&id)? {
            LoweredLocal::Held(known) => Some(known.called.clone()),
            _ => None,
        }
    }

    /// Whether a variable is among those that are newer than the first so many.
    pub(super) fn is_made_since(&self, called: &str, first: usize) -> bool {
        self.made.iter().skip(first).any(|made| made == called)
    }

    /// That a local variable of this function is one of the function that calls.
    pub(super) fn bind_variable(&mut self, id: LocalId, variable: HeldVariable) {
        self.bind(id, LoweredLocal::Held(variable));
    }

    /// A copy of what is given to a parameter.
    pub(super) fn copied(
        &mut self,
        id: LocalId,
        called: &str,
        given: Held,
        place: FileRange,
    ) -> Low<String> {
        let own = self.held_local(called, &given.ty, place)?;
        self.put(&own, given);
        let called = own.called.clone();
        self.bind(id, LoweredLocal::Held(own));
        Ok(called)
    }

    /// What nobody in the contract decides, of a type of any kind.
    pub(super) fn hidden_held(
        &mut self,
        called: &str,
        ty: &FlatType,
        place: FileRange,
    ) -> Low<Held> {
        let mut parts = Vec::new();
        for part in self.parts_of(ty, place)? {
            let class_type = self.part_type(&part, place)?;
            let wanted = self.part_name(own_name(called, "answer"), ty, &part);
            let answer = match self.loops {
                0 => {
                    let given = self.names.fresh(&wanted);
                    self.params.push(ast::ParamSyntax {
                        hidden: true,
                        ..param(&given, class_type)
                    });
                    self.parts.push(MessagePart::Answer);
                    let range = self.part_range(&part, &name(&given));
                    self.requires.extend(range);
                    name(given)
                }
                _ => {
                    let answer = name(self.plain_local(&wanted, class_type));
                    let havoc = ast::StmtSyntaxKind::Havoc(vec![answer.clone()]);
                    self.out.push(build::stmt(havoc));
                    let range = self.part_range(&part, &answer);
                    self.out.extend(range.map(build::assume));
                    answer
                }
            };
            parts.push((part, answer));
        }
        Ok(Held {
            ty: ty.clone(),
            parts,
        })
    }

    /// What nobody in the contract decides: each call has its own, and in a loop each round.
    pub(super) fn hidden(
        &mut self,
        called: &str,
        ty: &FlatType,
        place: FileRange,
    ) -> Low<ast::ExprSyntax> {
        if self.loops == 0 {
            let given = self.parameter(called, ty, place)?;
            if let (Some(param), Some(part)) = (self.params.last_mut(), self.parts.last_mut()) {
                param.hidden = true;
                *part = MessagePart::Answer;
            }
            return Ok(given);
        }
        let class_type = self.class.ty(ty, place)?;
        let answer = name(self.plain_local(called, class_type));
        let havoc = ast::StmtSyntaxKind::Havoc(vec![answer.clone()]);
        self.out.push(build::stmt(havoc));
        let range = self
            .class
            .range(ty, &answer)
            .map(ast::StmtSyntaxKind::Assume);
        self.out.extend(range.map(build::stmt));
        Ok(answer)
    }

    /// What the call gives, or the chain, once.
    fn surrounding(&mut self, called: &str) -> ast::ExprSyntax {
        if let Some(known) = self.surroundings.get(called) {
            return name(known);
        }
        let given = self.names.fresh(called);
        self.params.push(ast::ParamSyntax {
            // A caller is somebody, and sends something; the chain is what it is.
            hidden: !matches!(called, "msg_sender" | "msg_value" | "tx_origin"),
            ..param(&given, build::ty("nat"))
        });
        self.parts.push(match called {
            "msg_sender" => MessagePart::Sender,
            "msg_value" => MessagePart::Value,
            "tx_origin" => MessagePart::Origin,
            _ => MessagePart::Block,
        });
        self.surroundings.insert(called.to_owned(), given.clone());
        match called {
            "msg_sender" | "tx_origin" | "block_coinbase" => {
                // Blocks may be made for nobody, but nobody sends a call.
                if called != "block_coinbase" {
                    let somebody = compare(CompareOp::Ne, name(&given), int(0));
                    self.requires.push(somebody);
                }
                let bound = self.class.range(&FlatType::Address, &name(&given));
                self.requires.extend(bound);
            }
            _ => {
                let (_, most) = self.class.limits(UINT);
                let known = compare(CompareOp::Le, name(&given), most);
                self.requires.push(known);
            }
        }
        name(given)
    }

    fn message_value(&mut self) -> ast::ExprSyntax {
        match self.frames.last().and_then(|frame| frame.value.clone()) {
            Some(value) => value,
            None => self.surrounding("msg_value"),
        }
    }

    /// Whether this is the ether that comes with the call.
    pub(super) fn is_sent(&self, value: &ast::ExprSyntax) -> bool {
        let sent = self.surroundings.get("msg_value");
        sent.is_some_and(|sent| name(sent.as_str()) == *value)
    }

    /// What the call and the chain give.
    pub(super) fn environment(&mut self, env: ChainValue, e: &FlatExpr) -> Low<ast::ExprSyntax> {
        Ok(match env {
            ChainValue::This => self.class.own_address(),
            ChainValue::Balance => self.class.ghost(Ghost::Balance),
            ChainValue::Sender => match self.frames.last().and_then(|frame| frame.sender.clone()) {
                Some(sender) => sender,
                None => self.surrounding("msg_sender"),
            },
            ChainValue::Value => self.message_value(),
            ChainValue::Timestamp => self.class.ghost(Ghost::Timestamp),
            ChainValue::Number => self.class.ghost(Ghost::Number),
            ChainValue::Origin => self.surrounding("tx_origin"),
            ChainValue::GasPrice => self.surrounding("tx_gasprice"),
            ChainValue::BaseFee => self.surrounding("block_basefee"),
            ChainValue::BlobBaseFee => self.surrounding("block_blobbasefee"),
            ChainValue::Coinbase => self.surrounding("block_coinbase"),
            ChainValue::Difficulty => self.surrounding("block_difficulty"),
            ChainValue::GasLimit => self.surrounding("block_gaslimit"),
            ChainValue::ChainId => {
                let nat = build::ty("nat");
                self.class
                    .constant("chain".to_owned(), "block_chainid", nat, None)
            }
            ChainValue::GasLeft
            | ChainValue::ReturnSize
            | ChainValue::Data
            | ChainValue::Selector => self.hidden("any", &e.ty, e.place)?,
        })
    }

    /// Whether a name is a parameter's.
    pub(super) fn is_parameter(&self, known: &str) -> bool {
        self.params.iter().any(|param| param.name.name == known)
    }

    /// It reverts unless this holds.
    pub(super) fn check(&mut self, holds: ast::ExprSyntax) {
        if matches!(*holds.kind, ast::ExprSyntaxKind::Bool(true)) {
            return;
        }
        let revert = vec![self.revert()];
        let condition = build::not(holds);
        self.out
            .push(build::conditional(condition, revert, Vec::new()));
    }

    /// `throw Revert;`
    pub(super) fn revert(&self) -> ast::StmtSyntax {
        build::stmt(ast::StmtSyntaxKind::Throw(Some(ident(&self.class.revert))))
    }

    /// What is written by something.
    pub(super) fn nested<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Low<T>,
    ) -> Low<(Vec<ast::StmtSyntax>, T)> {
        let outside = std::mem::take(&mut self.out);
        let result = write(self);
        let inside = std::mem::replace(&mut self.out, outside);
        Ok((inside, result?))
    }
}

/// The name that the user gave, if there is one.
fn own_name<'n>(called: &'n str, otherwise: &'n str) -> &'n str {
    if called.starts_with('$') || called.trim_matches('_').is_empty() {
        otherwise
    } else {
        called
    }
}

/// Whether the first thing that is done is to set a variable.
pub(super) fn sets_first(body: &[FlatStmt], local: LocalId) -> bool {
    let reads = |e: &FlatExpr| {
        let mut read = Touched::default();
        read.read(e);
        read.locals.contains(&local)
    };
    match body.first().map(|first| &first.kind) {
        Some(FlatStmtKind::Assign(lvalue, value)) => {
            matches!(lvalue.root, Root::Local(id) if id == local) && !reads(value)
        }
        _ => false,
    }
}
