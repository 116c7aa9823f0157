//! Statements.

use num_traits::ToPrimitive;

use super::action::{HeldVariable, LoweredAction, Message, sets_first};
use super::layout::{MOST, Spot};
use super::memory::{Held, is_held};
use super::{Low, refuse};
use crate::front::solidity::FileRange;
use crate::front::solidity::flat::effects::Touched;
use crate::front::solidity::flat::{
    FlatExpr, FlatExprKind, FlatStmt, FlatStmtKind, FlatType, LocalId, Lvalue, OpaqueId, Root,
    RoutineId,
};
use crate::front::tq::ast;
use crate::front::tq::build::{self, assign, binary, compare, int, name};
use crate::ir::{BinaryOp, CompareOp};

impl<'c> LoweredAction<'_, 'c> {
    /// A statement, but for those that are blocks or leave one.
    pub(super) fn statement(&mut self, statement: &'c FlatStmtKind, place: FileRange) -> Low<()> {
        match statement {
            FlatStmtKind::Declare(local, value) if self.is_held_local(*local) => match value {
                Some(value) => self.assign_held(*local, value),
                None => {
                    let own = self.own_held(*local, place)?;
                    let zero = self.held_zero(&own.value.ty, place)?;
                    self.put(&own, zero);
                    Ok(())
                }
            },
            FlatStmtKind::Declare(local, value) => {
                let own = self.own(*local, place)?;
                let value = match value {
                    Some(value) => self.value(value)?,
                    None => self.zero_of(*local, place)?,
                };
                self.out.push(assign(name(own), value));
                Ok(())
            }
            FlatStmtKind::Assign(lvalue, value) => self.assignment(lvalue, value, place),
            FlatStmtKind::Push(array, element) => self.push(array, element.as_ref(), place),
            FlatStmtKind::Pop(array) => self.pop(array, place),
            FlatStmtKind::Resize(..) => refuse(place, "setting an array's length is not taken yet"),
            FlatStmtKind::Evaluate(e) => self.evaluate(e),
            FlatStmtKind::Require(condition, _) => {
                let holds = self.value(condition)?;
                self.check(holds);
                Ok(())
            }
            FlatStmtKind::Call {
                routine,
                arguments,
                results,
            } => self.call(*routine, arguments, results, None, place),
            FlatStmtKind::Opaque {
                function,
                arguments,
                results,
            } => self.opaque(*function, arguments, results, place),
            FlatStmtKind::Decode(bytes, results) => {
                self.value(bytes)?;
                self.answered(results, "decoded", place)
            }
            FlatStmtKind::Outside(outside) => self.outside(outside, place),
            FlatStmtKind::CallSelf {
                routine,
                payable,
                arguments,
                value,
                results,
            } => {
                let value = self.own_ether(*payable, value.as_ref())?;
                let sender = self.class.own_address();
                let message = Message { sender, value };
                self.call(*routine, arguments, results, Some(message), place)
            }
            FlatStmtKind::Try {
                attempt,
                success,
                catches,
            } => self.attempt(attempt, success, catches, place),
            FlatStmtKind::Havoc(local) => self.answered(&[*local], "computed", place),
            FlatStmtKind::HavocMemory(_) => {
                refuse(place, "assembly that writes into memory is not taken yet")
            }
            FlatStmtKind::If(..)
            | FlatStmtKind::While(..)
            | FlatStmtKind::Labelled(..)
            | FlatStmtKind::Leave(_)
            | FlatStmtKind::Revert(_) => refuse(place, "a block is no single statement"),
        }
    }

    /// The zero of a local variable's type.
    fn zero_of(&mut self, local: LocalId, place: FileRange) -> Low<ast::ExprSyntax> {
        let Some(routine) = self.routine() else {
            return refuse(place, "there is no such routine");
        };
        let (_, ty) = self.declared(routine, local, place)?;
        self.class.zero(&ty, place)
    }

    fn assignment(&mut self, lvalue: &Lvalue, value: &FlatExpr, place: FileRange) -> Low<()> {
        match &lvalue.root {
            Root::Local(id) if is_held(&lvalue.ty) => self.assign_held(*id, value),
            Root::Local(id) => {
                let value = self.value(value)?;
                let own = self.own(*id, place)?;
                self.out.push(assign(name(own), value));
                Ok(())
            }
            Root::Variable(_) => {
                let mut spot = self.spot(lvalue)?;
                if matches!(lvalue.ty, FlatType::Struct(_) | FlatType::Array(..)) {
                    spot = self.settled(spot, lvalue);
                }
                self.store(&spot, value, place)
            }
            Root::Memory(base) => self.assign_memory(base, lvalue, value),
        }
    }

    /// A value into a place in storage; of a struct or array, all that it holds.
    fn store(&mut self, spot: &Spot, value: &FlatExpr, place: FileRange) -> Low<()> {
        let mut read = Touched::default();
        read.read(value);
        match (&spot.ty, &value.kind) {
            // All of it is read before any of it is written.
            (FlatType::Struct(_), FlatExprKind::NewStruct(_))
            | (FlatType::Array(..), FlatExprKind::NewElements(_))
                if read.state =>
            {
                self.store_held(spot, value, place)
            }
            (FlatType::Struct(_) | FlatType::Array(..), FlatExprKind::Default) => {
                self.clear(spot, place)
            }
            (FlatType::Struct(id), FlatExprKind::NewStruct(given)) => {
                let members = self.members(*id);
                let holds = members.iter().enumerate();
                let holds = holds.filter(|(_, (_, ty))| !matches!(ty, FlatType::Mapping(..)));
                for ((number, (_, ty)), value) in holds.zip(given) {
                    self.store(&spot.member(number, ty.clone()), value, place)?;
                }
                Ok(())
            }
            (FlatType::Struct(_), FlatExprKind::Load(from)) => {
                let from = self.spot(from)?;
                if from.shares(spot) {
                    return refuse(place, "a copy within a variable is not taken yet");
                }
                self.copy(spot, &from, place)
            }
            (FlatType::Array(element, length), FlatExprKind::NewElements(given)) => {
                for (at, value) in given.iter().enumerate() {
                    let at = spot.element(int(at), (**element).clone());
                    self.store(&at, value, place)?;
                }
                if length.is_none() {
                    self.set_length(spot, int(given.len()))?;
                }
                Ok(())
            }
            (FlatType::Struct(_) | FlatType::Array(..), _) => self.store_held(spot, value, place),
            (FlatType::Mapping(..), _) => refuse(place, "a mapping is no value"),
            _ => {
                let value = self.value(value)?;
                self.write(spot, value)
            }
        }
    }

    /// Sets everything in a place to zero, but for mappings.
    fn clear(&mut self, spot: &Spot, place: FileRange) -> Low<()> {
        match &spot.ty {
            FlatType::Mapping(..) => Ok(()),
            FlatType::Struct(id) => {
                for (number, (_, ty)) in self.members(*id).into_iter().enumerate() {
                    self.clear(&spot.member(number, ty), place)?;
                }
                Ok(())
            }
            FlatType::Array(_, None) => self.set_length(spot, int(0)),
            FlatType::Array(element, Some(length)) => {
                for at in 0..self.few(length, place)? {
                    self.clear(&spot.element(int(at), (**element).clone()), place)?;
                }
                Ok(())
            }
            ty => {
                let zero = self.class.zero(ty, place)?;
                self.write(spot, zero)
            }
        }
    }

    /// Copies everything from a place to another one of the same type, but for mappings.
    fn copy(&mut self, to: &Spot, from: &Spot, place: FileRange) -> Low<()> {
        match &to.ty {
            FlatType::Mapping(..) => Ok(()),
            FlatType::Struct(id) => {
                for (number, (_, ty)) in self.members(*id).into_iter().enumerate() {
                    let from = from.member(number, ty.clone());
                    self.copy(&to.member(number, ty), &from, place)?;
                }
                Ok(())
            }
            FlatType::Array(_, None) => refuse(place, "a copy of an array is not taken yet"),
            FlatType::Array(element, Some(length)) => {
                for at in 0..self.few(length, place)? {
                    let from = from.element(int(at), (**element).clone());
                    self.copy(&to.element(int(at), (**element).clone()), &from, place)?;
                }
                Ok(())
            }
            _ => {
                let from = self.leaf(from)?;
                self.write(to, from)
            }
        }
    }

    fn few(&self, length: &num_bigint::BigUint, place: FileRange) -> Low<u32> {
        match length.to_u32().filter(|length| *length <= MOST) {
            Some(length) => Ok(length),
            None => refuse(place, "an array as long as this is not set as a whole yet"),
        }
    }

    fn set_length(&mut self, spot: &Spot, length: ast::ExprSyntax) -> Low<()> {
        let field = self.leaf(&spot.length())?;
        self.out.push(assign(field, length));
        Ok(())
    }

    fn push(&mut self, array: &Lvalue, element: Option<&FlatExpr>, place: FileRange) -> Low<()> {
        let spot = self.spot(array)?;
        let FlatType::Array(ty, None) = spot.ty.clone() else {
            return refuse(place, "`push` to what is not an array is not taken yet");
        };
        let length = self.leaf(&spot.length())?;
        let last = spot.element(length.clone(), (*ty).clone());
        match element {
            Some(value) => self.store(&last, value, place)?,
            None => self.clear(&last, place)?,
        }
        self.set_length(&spot, binary(BinaryOp::Add, length, int(1)))
    }

    fn pop(&mut self, array: &Lvalue, place: FileRange) -> Low<()> {
        let spot = self.spot(array)?;
        let FlatType::Array(_, None) = spot.ty else {
            return refuse(place, "`pop` of what is not an array is not taken yet");
        };
        let length = self.leaf(&spot.length())?;
        self.check(compare(CompareOp::Gt, length.clone(), int(0)));
        self.set_length(&spot, binary(BinaryOp::Sub, length, int(1)))
    }

    /// The code of a routine, here.
    pub(super) fn call(
        &mut self,
        id: RoutineId,
        arguments: &[FlatExpr],
        results: &[LocalId],
        message: Option<Message>,
        place: FileRange,
    ) -> Low<()> {
        let Some(routine) = self.class.contract.routine(id) else {
            return refuse(place, "there is no such routine");
        };
        if self.is_open(id) {
            return refuse(place, "a function that calls itself is not taken yet");
        }
        let mut given = Vec::new();
        for argument in arguments {
            given.push(match is_held(&argument.ty) {
                true => Given::Held(self.given(argument, (results, &message))?),
                false => Given::Value(self.value(argument)?),
            });
        }
        let mut taken = Vec::new();
        for result in results {
            taken.push(match self.is_held_local(*result) {
                true => Taken::Held(self.own_held(*result, place)?),
                false => Taken::Own(self.own(*result, place)?),
            });
        }
        let mut changed = Touched::default();
        changed.change(&routine.body, &|_| true);
        self.push_frame(id, message);
        for (parameter, value) in routine.parameters.iter().zip(given) {
            let (called, ty) = self.declared(routine, *parameter, place)?;
            let value = match value {
                Given::Held(given) => {
                    let is_same = !changed.locals.contains(parameter);
                    self.take(*parameter, &called, given, is_same, place)?;
                    continue;
                }
                Given::Value(value) => value,
            };
            if !changed.locals.contains(parameter) && self.never_changes(&value) {
                self.bind_fixed(*parameter, value);
                continue;
            }
            let own = self.local(&called, &ty, place)?;
            self.out.push(assign(name(&own), value));
            self.bind_own(*parameter, own);
        }
        for (at, result) in routine.results.iter().enumerate() {
            let (called, ty) = self.declared(routine, *result, place)?;
            if is_held(&ty) {
                if let Some(Taken::Held(known)) = taken.get(at) {
                    self.bind_variable(*result, known.clone());
                }
                let own = self.own_held(*result, place)?;
                let zero = self.held_zero(&ty, place)?;
                self.put(&own, zero);
                continue;
            }
            let own = match taken.get(at) {
                Some(Taken::Own(own)) => own.clone(),
                _ => self.local(&called, &ty, place)?,
            };
            if !sets_first(&routine.body, *result) {
                let zero = self.class.zero(&ty, place)?;
                self.out.push(assign(name(&own), zero));
            }
            self.bind_own(*result, own);
        }
        let body: Vec<&FlatStmt> = routine.body.iter().collect();
        let written = self.sequence(&body, &[]);
        self.frames.pop();
        written
    }

    /// A function of which only the signature is known.
    fn opaque(
        &mut self,
        id: OpaqueId,
        arguments: &[FlatExpr],
        results: &[LocalId],
        place: FileRange,
    ) -> Low<()> {
        let Some(opaque) = self.class.contract.opaque.get(id.index()) else {
            return refuse(place, "there is no such function");
        };
        let held = arguments.iter().any(|argument| is_held(&argument.ty))
            || opaque.results.iter().any(is_held);
        if !opaque.is_pure || held {
            for argument in arguments {
                self.evaluate(argument)?;
            }
            return self.answered(results, &opaque.name, place);
        }
        let mut given = Vec::new();
        for argument in arguments {
            given.push((argument.ty.clone(), self.value(argument)?));
        }
        let called = format!("{}_reverts", opaque.name);
        let reverts = self.unknown(&called, given.clone(), &FlatType::Bool, place)?;
        self.check(build::not(reverts));
        for (number, (result, ty)) in results.iter().zip(&opaque.results).enumerate() {
            let called = match number {
                0 => opaque.name.clone(),
                _ => format!("{}_{number}", opaque.name),
            };
            let value = self.unknown(&called, given.clone(), ty, place)?;
            let value = match self.integer(ty) {
                Some(ty) => self.wrapped(value, ty),
                None => value,
            };
            let own = self.own(*result, place)?;
            self.out.push(assign(name(own), value));
        }
        Ok(())
    }
}

/// What is given to a parameter.
enum Given {
    Value(ast::ExprSyntax),
    Held(GivenHeld),
}

/// An array or a struct in memory that is given to a parameter.
struct GivenHeld {
    value: Held,
    /// The variable that holds it, where the parameter can be another name of it.
    variable: Option<HeldVariable>,
    /// The variables that refer to it, or to what is in it.
    referred: Vec<String>,
}

/// Where a result goes.
enum Taken {
    Own(String),
    Held(HeldVariable),
}

impl LoweredAction<'_, '_> {
    fn is_held_local(&self, id: LocalId) -> bool {
        let local = self.routine().and_then(|routine| routine.local(id));
        local.is_some_and(|local| is_held(&local.ty))
    }

    /// An array or a struct as an argument. One that goes with a message is a copy.
    fn given(
        &mut self,
        argument: &FlatExpr,
        (results, message): (&[LocalId], &Option<Message>),
    ) -> Low<GivenHeld> {
        let value = self.held(argument)?;
        if message.is_some() {
            return Ok(GivenHeld {
                value,
                variable: None,
                referred: Vec::new(),
            });
        }
        let variable = match &argument.kind {
            FlatExprKind::Read(Lvalue {
                root: Root::Local(id),
                ..
            }) if !results.contains(id) => Some(self.held_variable(*id, argument.place)?),
            _ => None,
        };
        let mut referred = Vec::new();
        self.referred(argument, &mut referred);
        Ok(GivenHeld {
            value,
            variable,
            referred,
        })
    }

    /// A parameter takes an array or a struct: it is another name of a variable of the caller's, or a copy.
    fn take(
        &mut self,
        parameter: LocalId,
        called: &str,
        given: GivenHeld,
        is_same: bool,
        place: FileRange,
    ) -> Low<()> {
        if let (Some(variable), true) = (given.variable, is_same) {
            self.bind_variable(parameter, variable);
            return Ok(());
        }
        let own = self.copied(parameter, called, given.value, place)?;
        if !given.referred.is_empty() {
            self.shared.extend(given.referred);
            self.shared.insert(own);
        }
        Ok(())
    }

    /// Whether an expression has the same value during the whole action: a number, or a parameter.
    fn never_changes(&self, e: &ast::ExprSyntax) -> bool {
        match &*e.kind {
            ast::ExprSyntaxKind::Int(_) | ast::ExprSyntaxKind::Bool(_) => true,
            ast::ExprSyntaxKind::Name(known) => self.is_parameter(&known.name),
            _ => false,
        }
    }
}
