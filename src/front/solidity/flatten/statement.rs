//! Statements.

use std::sync::Arc;

use super::types::in_memory;
use super::writer::{Binding, RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{
    self, Declaration, Expression, ExpressionKind as E, Statement, StatementKind as S,
    VariableDeclaration,
};
use crate::front::solidity::flat::{FlatExpr, FlatExprKind, FlatStmt, FlatStmtKind, Why};
use crate::front::solidity::place::FileRange;
use crate::front::solidity::solc::Version;

impl RoutineWriter<'_, '_> {
    /// A block. What is not taken in it is kept, and the rest is looked at all the same.
    pub(super) fn block(&mut self, block: &ast::BlockStatement) {
        let outside = self.unchecked;
        self.unchecked |= block.unchecked;
        for statement in &block.statements {
            if let Err(stop) = self.statement(statement) {
                self.refusals.extend(stop.0);
            }
        }
        self.unchecked = outside;
    }

    fn statement(&mut self, statement: &Statement) -> Flat<()> {
        let place = statement.place;
        match &statement.kind {
            S::Block(block) => {
                self.block(block);
                Ok(())
            }
            S::If { condition, yes, no } => self.choice(condition, yes, no.as_deref(), place),
            S::While { condition, body } => self.repeat(Some(condition), body, None, place),
            S::DoWhile { condition, body } => self.repeat_first(condition, body, place),
            S::For {
                first,
                condition,
                next,
                body,
            } => {
                if let Some(first) = first {
                    self.statement(first)?;
                }
                self.repeat(condition.as_ref(), body, next.as_deref(), place)
            }
            S::Break => self.leave_loop(|(behind, _)| behind, place),
            S::Continue => self.leave_loop(|(_, inside)| inside, place),
            S::Return(value) => self.give_back(value.as_ref(), place),
            S::Throw => self.write(FlatStmtKind::Revert(Why::Require(None)), place),
            S::Emit(call) => self.event(call),
            S::Revert(call) => {
                let name = self.error_name(call);
                self.write(FlatStmtKind::Revert(Why::Error(name)), place)
            }
            S::Expression(e) => self.effect(e),
            S::Declaration { variables, value } => {
                self.declaration(variables, value.as_ref(), place)
            }
            S::Placeholder => self.next_layer(place),
            S::Try {
                call,
                success,
                catches,
            } => self.attempt(call, success, catches, place),
            S::Assembly(assembly) => self.assembly(assembly, place),
        }
    }

    /// A statement as a block of its own.
    fn body_block(&mut self, statement: &Statement) -> Flat<Vec<FlatStmt>> {
        let (block, ()) = self.nested(|w| {
            if let Err(stop) = w.statement(statement) {
                w.refusals.extend(stop.0);
            }
            Ok(())
        })?;
        Ok(block)
    }

    fn choice(
        &mut self,
        condition: &Expression,
        yes: &Statement,
        no: Option<&Statement>,
        place: FileRange,
    ) -> Flat<()> {
        let condition = self.value_as(condition, &ast::SolidityType::Bool)?;
        let yes = self.body_block(yes)?;
        let no = match no {
            Some(no) => self.body_block(no)?,
            None => Vec::new(),
        };
        self.write(FlatStmtKind::If(condition, yes, no), place)
    }

    /// `while` and `for`. What the condition does is done in each round.
    fn repeat(
        &mut self,
        condition: Option<&Expression>,
        body: &Statement,
        next: Option<&Statement>,
        place: FileRange,
    ) -> Flat<()> {
        let (behind, inside) = (self.label(), self.label());
        let (mut round, condition) = self.nested(|w| match condition {
            Some(condition) => w.value_as(condition, &ast::SolidityType::Bool),
            None => Ok(FlatExpr::bool(true, place)),
        })?;
        let condition = if round.is_empty() {
            condition
        } else {
            let leave = vec![FlatStmt::new(FlatStmtKind::Leave(behind), place)];
            let stop = FlatStmtKind::If(condition.negated(), leave, Vec::new());
            round.push(FlatStmt::new(stop, place));
            FlatExpr::bool(true, place)
        };
        self.loops.push((behind, inside));
        let body = self.body_block(body)?;
        self.loops.pop();
        round.push(FlatStmt::new(FlatStmtKind::Labelled(inside, body), place));
        if let Some(next) = next {
            round.extend(self.body_block(next)?);
        }
        self.write(FlatStmtKind::While(behind, condition, round), place)
    }

    /// `do … while`
    fn repeat_first(
        &mut self,
        condition: &Expression,
        body: &Statement,
        place: FileRange,
    ) -> Flat<()> {
        let (behind, inside) = (self.label(), self.label());
        self.loops.push((behind, inside));
        let body = self.body_block(body)?;
        self.loops.pop();
        let (after, condition) =
            self.nested(|w| w.value_as(condition, &ast::SolidityType::Bool))?;
        let mut round = vec![FlatStmt::new(FlatStmtKind::Labelled(inside, body), place)];
        round.extend(after);
        let leave = vec![FlatStmt::new(FlatStmtKind::Leave(behind), place)];
        let stop = FlatStmtKind::If(condition.negated(), leave, Vec::new());
        round.push(FlatStmt::new(stop, place));
        self.write(
            FlatStmtKind::While(behind, FlatExpr::bool(true, place), round),
            place,
        )
    }

    fn leave_loop(
        &mut self,
        which: impl FnOnce(
            (
                crate::front::solidity::flat::LabelId,
                crate::front::solidity::flat::LabelId,
            ),
        ) -> crate::front::solidity::flat::LabelId,
        place: FileRange,
    ) -> Flat<()> {
        let innermost = self.loops.last().copied();
        let labels =
            innermost.ok_or_else(|| Rejection::at(place, "this stands outside of a loop"))?;
        self.write(FlatStmtKind::Leave(which(labels)), place)
    }

    /// `return e`
    fn give_back(&mut self, value: Option<&Expression>, place: FileRange) -> Flat<()> {
        let returns = self.returns.clone();
        let returns =
            returns.ok_or_else(|| Rejection::at(place, "`return` stands outside of a body"))?;
        if let Some(e) = value {
            let results = &returns.results;
            let value = self.expression(e)?;
            let values = match (value, results.len()) {
                (WrittenValue::Tuple(items), count) if count != 1 => items,
                (value, _) => vec![Some(value)],
            };
            self.set_results(e, values, results)?;
        }
        self.write(FlatStmtKind::Leave(returns.label), place)
    }

    fn set_results(
        &mut self,
        e: &Expression,
        mut values: Vec<Option<WrittenValue>>,
        results: &[Arc<VariableDeclaration>],
    ) -> Flat<()> {
        let from = |at: usize| match &e.ty {
            ast::SolidityType::Tuple(types) if results.len() != 1 => {
                types.get(at).cloned().flatten()
            }
            ty => Some(ty.clone()),
        };
        for (at, result) in results.iter().enumerate() {
            let Some(Some(value)) = values.get(at).cloned() else {
                return Err(Rejection::at(e.place, "a result is missing"));
            };
            let ty = from(at).unwrap_or(ast::SolidityType::Bool);
            let mark = self.out.len();
            self.set_variable(result, value, &ty, e.place)?;
            self.freeze(values.iter_mut().skip(at + 1).flatten(), mark)?;
        }
        Ok(())
    }

    /// Sets a local variable, or makes a storage reference refer to something.
    pub(super) fn set_variable(
        &mut self,
        variable: &Arc<VariableDeclaration>,
        value: WrittenValue,
        from: &ast::SolidityType,
        place: FileRange,
    ) -> Flat<()> {
        match self.bindings.get(&variable.id).cloned() {
            Some(Binding::Local(local)) => {
                let value = self.coerce(value, from, &variable.ty, place)?;
                let expr = self.plain(value, place)?;
                self.set_local(local, expr, place)
            }
            Some(Binding::Pointer(number)) => self.set_pointer(number, value, place),
            _ => Err(Rejection::at(place, "functions as values are not taken")),
        }
    }

    fn declaration(
        &mut self,
        variables: &[Option<Arc<VariableDeclaration>>],
        value: Option<&Expression>,
        place: FileRange,
    ) -> Flat<()> {
        let Some(e) = value else {
            let mut variables = variables.iter().flatten();
            return variables.try_for_each(|variable| self.declare_zero(variable));
        };
        let value = self.expression(e)?;
        if let [Some(variable)] = variables {
            let value = self.coerce(value, &e.ty, &variable.ty, e.place)?;
            return self.declare(variable, Some(value), place);
        }
        let WrittenValue::Tuple(mut values) = value else {
            return Err(Rejection::at(place, "several values are expected"));
        };
        // As with assignments, the last one is set first; until 0.4 the hole might stand for several.
        let shift = match variables.first() {
            Some(None) => values.len().saturating_sub(variables.len()),
            _ => 0,
        };
        for (at, variable) in variables.iter().enumerate().rev() {
            let (Some(variable), Some(Some(value))) = (variable, values.get(at + shift).cloned())
            else {
                continue;
            };
            let from = match &e.ty {
                ast::SolidityType::Tuple(types) => types.get(at + shift).cloned().flatten(),
                _ => None,
            };
            let from = from.unwrap_or(variable.ty.clone());
            let value = self.coerce(value, &from, &variable.ty, e.place)?;
            let mark = self.out.len();
            self.declare(variable, Some(value), place)?;
            self.freeze(values.iter_mut().take(at + shift).flatten(), mark)?;
        }
        Ok(())
    }

    fn declare_zero(&mut self, variable: &Arc<VariableDeclaration>) -> Flat<()> {
        // Until 0.4 a variable belongs to the whole function, and is zero when that begins.
        let hoisted = self.f.program.version < Version::new(0, 5, 0);
        if hoisted && self.bindings.contains_key(&variable.id) {
            return Ok(());
        }
        self.declare(variable, None, variable.place)
    }

    /// A local variable, with a value of its type or with zero.
    pub(super) fn declare(
        &mut self,
        variable: &Arc<VariableDeclaration>,
        value: Option<WrittenValue>,
        place: FileRange,
    ) -> Flat<()> {
        if let Some(WrittenValue::Function(function)) = value {
            if !self.is_set_once(variable.id) {
                return Err(Rejection::at(
                    place,
                    "a variable that holds different functions is not taken",
                ));
            }
            self.bindings
                .insert(variable.id, Binding::Function(function));
            return Ok(());
        }
        if variable.ty.in_storage() {
            let number = match self.bindings.get(&variable.id) {
                Some(Binding::Pointer(number)) => *number,
                _ => {
                    let once = value.is_some() && self.is_set_once(variable.id);
                    self.declare_pointer(variable, once)
                }
            };
            return match value {
                Some(value) => self.set_pointer(number, value, place),
                None => Ok(()),
            };
        }
        let expr = value.map(|value| self.plain(value, place)).transpose()?;
        if let Some(constant) = expr
            .as_ref()
            .filter(|expr| super::place::constant(expr).is_some())
            && self.in_assembly.contains(&variable.id)
            && self.is_set_once(variable.id)
        {
            let binding = Binding::Constant(constant.clone());
            self.bindings.insert(variable.id, binding);
            return Ok(());
        }
        if let Some((local, _)) = self.bound(variable.id)
            && self.f.program.version < Version::new(0, 5, 0)
        {
            return self.write(FlatStmtKind::Declare(local, expr), place);
        }
        let ty = self.f.ty(&in_memory(&variable.ty), variable.place)?;
        let local = self.local(&variable.name, ty, variable.place);
        self.bindings.insert(variable.id, Binding::Local(local));
        self.write(FlatStmtKind::Declare(local, expr), place)
    }

    /// An event is nothing; its arguments may do something. Those that are indexed come first, from right to left.
    pub(super) fn event(&mut self, e: &Expression) -> Flat<()> {
        let E::Call(call) = &e.kind else {
            return self.effect(e);
        };
        let (E::Name { declaration, .. } | E::Member { declaration, .. }) = &call.callee.kind
        else {
            return call.arguments.iter().try_for_each(|e| self.effect(e));
        };
        let event = declaration.and_then(|id| match self.f.program.declaration(id) {
            Some(Declaration::Event(event)) => Some(Arc::clone(event)),
            _ => None,
        });
        let parameters = event.as_ref().map_or(&[][..], |event| &event.parameters);
        let arguments = self.in_order(call, parameters);
        let indexed = |at: usize| parameters.get(at).is_some_and(|p| p.indexed);
        let (first, then): (Vec<usize>, Vec<usize>) =
            (0..arguments.len()).partition(|at| indexed(*at));
        let order = first.into_iter().rev().chain(then);
        let mut order: Vec<&Expression> =
            order.filter_map(|at| arguments.get(at).copied()).collect();
        if self.f.via_ir() {
            order.sort_by_key(|e| e.place.start);
        }
        order.into_iter().try_for_each(|e| self.effect(e))
    }

    /// The name of the custom error in a call.
    pub(super) fn error_name(&self, e: &Expression) -> String {
        let callee = match &e.kind {
            E::Call(call) => &call.callee,
            _ => e,
        };
        match &callee.kind {
            E::Name { name, .. } => name.clone(),
            E::Member { member, .. } => member.clone(),
            _ => String::new(),
        }
    }

    /// A literal's text, for messages.
    pub(super) fn message(e: Option<&Expression>) -> Option<String> {
        match &e?.kind {
            E::Literal(ast::Literal::Bytes(bytes)) => {
                Some(String::from_utf8_lossy(bytes).into_owned())
            }
            _ => None,
        }
    }

    /// Declares the variables of a 0.4 body, which belong to the whole function.
    pub(super) fn hoist(&mut self, variables: &[Arc<VariableDeclaration>]) -> Flat<()> {
        if self.f.program.version >= Version::new(0, 5, 0) {
            return Ok(());
        }
        for variable in variables {
            if variable.ty.in_storage() {
                let _ = self.declare_pointer(variable, false);
                continue;
            }
            // One whose type is not taken is complained of where it is declared.
            if let Ok(ty) = self.f.ty(&in_memory(&variable.ty), variable.place) {
                let local = self.local(&variable.name, ty.clone(), variable.place);
                let zero = FlatExpr::new(FlatExprKind::Default, ty, variable.place);
                self.bindings.insert(variable.id, Binding::Local(local));
                self.write(FlatStmtKind::Declare(local, Some(zero)), variable.place)?;
            }
        }
        Ok(())
    }
}
