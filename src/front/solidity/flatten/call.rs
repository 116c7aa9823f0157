//! Calls, by what is called.

use std::sync::Arc;

use super::types::in_memory;
use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{
    CallExpression, Expression, ExpressionKind as E, Location, SolidityType as Ast,
    VariableDeclaration,
};
use crate::front::solidity::flat::{FlatExpr, FlatExprKind, FlatType};
use crate::front::solidity::place::FileRange;

/// `{value: v, gas: g, salt: s}`, and the `.value(v).gas(g)` of old versions, in their order.
pub(super) type CallOptions<'a> = Vec<(&'a str, &'a Expression)>;

impl RoutineWriter<'_, '_> {
    pub(super) fn call(&mut self, e: &Expression, call: &CallExpression) -> Flat<WrittenValue> {
        let (callee, options) = peel(&call.callee);
        let Ast::Function(ty) = &callee.ty else {
            return Err(Rejection::at(
                e.place,
                "what is called here is not understood",
            ));
        };
        match ty.kind.as_str() {
            "internal" | "delegatecall" => self.internal_call(e, call, callee, ty),
            "external" => self.external_call(e, call, callee, &options, ty),
            "barecall" | "barestaticcall" | "baredelegatecall" | "barecallcode" | "send"
            | "transfer" => self.low_level(e, call, callee, &options, &ty.kind),
            "creation" => self.create(e, call, callee, &options),
            "objectcreation" => self.new_array(e, call),
            "event" => self.event(e).map(|()| WrittenValue::Tuple(Vec::new())),
            kind => self.builtin(e, call, callee, kind),
        }
    }

    /// The arguments of a call in the order of the parameters.
    pub(super) fn in_order<'c>(
        &self,
        call: &'c CallExpression,
        parameters: &[Arc<VariableDeclaration>],
    ) -> Vec<&'c Expression> {
        if call.names.is_empty() {
            return call.arguments.iter().collect();
        }
        let by_name = |parameter: &Arc<VariableDeclaration>| {
            let at = call.names.iter().position(|name| *name == parameter.name)?;
            call.arguments.get(at)
        };
        parameters.iter().filter_map(by_name).collect()
    }

    /// `T(e)`
    pub(super) fn conversion(
        &mut self,
        e: &Expression,
        call: &CallExpression,
    ) -> Flat<WrittenValue> {
        let [argument] = call.arguments.as_slice() else {
            return Err(Rejection::at(e.place, "a conversion has one argument"));
        };
        if matches!(argument.ty, Ast::Name(_)) {
            return Ok(WrittenValue::Word);
        }
        let value = self.expression(argument)?;
        let value = match (value, &argument.ty) {
            (WrittenValue::Place(lvalue), _) => return self.retyped(lvalue, &e.ty, e.place),
            (WrittenValue::Expr(expr), Ast::Rational(..)) => {
                return self.literal_conversion(expr, e);
            }
            (value, _) => value,
        };
        let expr = self.plain(value, e.place)?;
        let copied = argument.ty.location() == Some(Location::Calldata)
            && e.ty.location() == Some(Location::Memory);
        let expr = if copied {
            let ty = expr.ty.clone();
            FlatExpr::new(FlatExprKind::Copy(Box::new(expr)), ty, e.place)
        } else {
            expr
        };
        let to = self.f.ty(&e.ty, e.place)?;
        Ok(WrittenValue::Expr(self.explicit(expr, &to)))
    }

    /// A literal that does not fit is cut, as everything is.
    fn literal_conversion(&mut self, expr: FlatExpr, e: &Expression) -> Flat<WrittenValue> {
        let to = self.f.ty(&e.ty, e.place)?;
        let converted = self.convert(expr, &to);
        Ok(WrittenValue::Expr(FlatExpr {
            place: e.place,
            ..converted
        }))
    }

    /// A conversion that the user wrote. Those that the language knows no short way for go step by step.
    fn explicit(&self, expr: FlatExpr, to: &FlatType) -> FlatExpr {
        if !to.is_value() || expr.ty.is_value() {
            return self.convert(expr, to);
        }
        // `bytes32(b)`
        let place = expr.place;
        FlatExpr::new(FlatExprKind::Convert(Box::new(expr)), to.clone(), place)
    }

    /// `S(a, b)`: in memory.
    pub(super) fn new_struct(
        &mut self,
        e: &Expression,
        call: &CallExpression,
    ) -> Flat<WrittenValue> {
        let Ast::Struct(id, _) = &e.ty else {
            return Err(Rejection::at(e.place, "a struct is expected"));
        };
        let declared = self.f.program.structure(*id).cloned();
        let declared = declared.ok_or_else(|| Rejection::at(e.place, "a struct is missing"))?;
        // Until 0.6 a struct with mappings could be in memory, without them.
        let members = declared.members.iter();
        let members: Vec<Arc<VariableDeclaration>> = members
            .filter(|member| !matches!(member.ty, Ast::Mapping(..)))
            .cloned()
            .collect();
        let arguments = self.in_order(call, &members);
        let values = self.sequence(&arguments, false)?;
        let exprs = self.plain_all(values, &arguments, |at| {
            members.get(at).map(|member| in_memory(&member.ty))
        })?;
        let ty = self.f.ty(&e.ty, e.place)?;
        Ok(WrittenValue::Expr(FlatExpr::new(
            FlatExprKind::NewStruct(exprs),
            ty,
            e.place,
        )))
    }

    /// `new T[](n)`, `new bytes(n)`
    fn new_array(&mut self, e: &Expression, call: &CallExpression) -> Flat<WrittenValue> {
        let [length] = call.arguments.as_slice() else {
            return Err(Rejection::at(e.place, "a new array has a length"));
        };
        let value = self.expression(length)?;
        let length = self.plain(value, length.place)?;
        let length = self.convert(length, &FlatType::UINT);
        let ty = self.f.ty(&e.ty, e.place)?;
        let kind = FlatExprKind::NewArray(Box::new(length));
        Ok(WrittenValue::Expr(FlatExpr::new(kind, ty, e.place)))
    }

    /// Results of a call, in variables of their own: as one value, several, or none.
    pub(super) fn given_back(&self, results: Vec<WrittenValue>) -> WrittenValue {
        match <[WrittenValue; 1]>::try_from(results) {
            Ok([one]) => one,
            Err(several) => WrittenValue::Tuple(several.into_iter().map(Some).collect()),
        }
    }

    /// Variables for results of these types.
    pub(super) fn result_locals(
        &mut self,
        types: &[Option<Ast>],
        place: FileRange,
    ) -> Flat<Vec<(crate::front::solidity::flat::LocalId, WrittenValue)>> {
        let mut locals = Vec::new();
        for ty in types.iter().flatten() {
            if *ty == Ast::Inaccessible {
                continue;
            }
            let ty = self.f.ty(&in_memory(ty), place)?;
            let local = self.temporary(ty.clone(), place);
            locals.push((local, WrittenValue::Expr(FlatExpr::local(local, ty, place))));
        }
        Ok(locals)
    }
}

/// What is called, without its options and brackets around it.
pub(super) fn peel(callee: &Expression) -> (&Expression, CallOptions<'_>) {
    let mut callee = callee;
    let mut options: CallOptions<'_> = Vec::new();
    loop {
        match &callee.kind {
            E::Tuple(items) => match items.as_slice() {
                [Some(inner)] => callee = inner,
                _ => break,
            },
            E::Options {
                callee: inner,
                options: set,
            } => {
                let set = set.iter().map(|(name, value)| (name.as_str(), value));
                options.splice(0..0, set);
                callee = inner;
            }
            E::Call(set) => match (&set.callee.kind, &set.callee.ty, set.arguments.as_slice()) {
                (E::Member { base, member, .. }, Ast::Function(ty), [value])
                    if ty.kind == "setvalue" || ty.kind == "setgas" =>
                {
                    options.insert(0, (member.as_str(), value));
                    callee = base;
                }
                _ => break,
            },
            _ => break,
        }
    }
    (callee, options)
}
