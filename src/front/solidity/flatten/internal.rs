//! Calls of functions whose code is here: the contract's own, its bases', libraries', files'.

use std::sync::Arc;

use super::instance::{Made, Static};
use super::place::{Form, constant, told};
use super::walk::Occurrences;
use super::writer::{Binding, RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{
    CallExpression, ContractKind, Declaration, Expression, ExpressionKind as E, FunctionDefinition,
    FunctionType, SolidityType as Ast,
};
use crate::front::solidity::flat::{
    FlatExpr, FlatExprKind, FlatStmtKind, FlatType, LocalId, Outside, OutsideKind,
};
use crate::front::solidity::place::FileRange;

/// What an internal call calls.
struct InternalCallee<'e> {
    function: Arc<FunctionDefinition>,
    /// What stands before the point, where that is the first argument.
    bound: Option<&'e Expression>,
}

impl RoutineWriter<'_, '_> {
    pub(super) fn internal_call(
        &mut self,
        e: &Expression,
        call: &CallExpression,
        callee: &Expression,
        ty: &FunctionType,
    ) -> Flat<WrittenValue> {
        let InternalCallee { function, bound } = self.callee(callee, ty)?;
        let skipped = usize::from(bound.is_some());
        let parameters = function.parameters.get(skipped..).unwrap_or_default();
        let mut arguments = self.in_order(call, parameters);
        // The older way of the compiler comes to what stands before the point after the arguments.
        let values = match bound {
            None => self.sequence(&arguments, false)?,
            Some(bound) => {
                arguments.push(bound);
                let mut values = self.sequence(&arguments, false)?;
                values.rotate_right(1);
                arguments.rotate_right(1);
                values
            }
        };
        let types: Vec<&Ast> = arguments.iter().map(|argument| &argument.ty).collect();
        self.call_function(&function, values, &types, e.place)
    }

    fn callee<'e>(&self, callee: &'e Expression, ty: &FunctionType) -> Flat<InternalCallee<'e>> {
        let unknown = || {
            Rejection::at(
                callee.place,
                "a call of a function that is a value is not taken",
            )
        };
        let plain = |function| {
            Ok(InternalCallee {
                function,
                bound: None,
            })
        };
        match &callee.kind {
            E::Name {
                declaration: Some(id),
                ..
            } => match (self.bindings.get(id), self.f.program.declaration(*id)) {
                (Some(Binding::Function(function)), _) => plain(Arc::clone(function)),
                (None, Some(Declaration::Function(function))) => {
                    plain(self.f.hierarchy.dispatch(self.f.program, function))
                }
                _ => Err(unknown()),
            },
            E::Member {
                base,
                declaration: Some(id),
                ..
            } => {
                let function = self.function(*id).ok_or_else(unknown)?;
                match &base.ty {
                    ty if ty.is_super() => {
                        let here = self.contract.ok_or_else(unknown)?;
                        let behind = self.f.hierarchy.behind(here, &function);
                        plain(behind.ok_or_else(|| {
                            Rejection::at(
                                callee.place,
                                "`super` leads to a function without a body",
                            )
                        })?)
                    }
                    // A base's or a library's: this one and no other.
                    Ast::Name(_) | Ast::Module(_) => plain(function),
                    _ if ty.bound.is_some() => Ok(InternalCallee {
                        function,
                        bound: Some(base),
                    }),
                    _ => Err(unknown()),
                }
            }
            _ => Err(unknown()),
        }
    }

    /// Calls a function whose arguments are there.
    pub(super) fn call_function(
        &mut self,
        function: &Arc<FunctionDefinition>,
        values: Vec<WrittenValue>,
        types: &[&Ast],
        place: FileRange,
    ) -> Flat<WrittenValue> {
        if values.len() != function.parameters.len() {
            return Err(Rejection::at(
                place,
                "the arguments are not those of the function",
            ));
        }
        let values = self.arguments(function, values, types, place)?;
        if function.body.is_none() {
            return self.unimplemented(function, values, place);
        }
        let statics = self.statics(function, &values);
        let constant: Vec<bool> = statics
            .iter()
            .map(|known| matches!(known, Static::Constant(_)))
            .collect();
        match self.f.instance(function, statics, place)? {
            Made::Routine(routine, results) => {
                if let Some(expr) = self.inlined(routine, &values) {
                    return Ok(WrittenValue::Expr(expr));
                }
                let mut arguments = Vec::new();
                for (value, constant) in values.into_iter().zip(constant) {
                    match value {
                        WrittenValue::Expr(_) if constant => {}
                        WrittenValue::Expr(expr) => arguments.push(expr),
                        WrittenValue::Place(lvalue) => arguments.extend(told(&lvalue).cloned()),
                        WrittenValue::Tuple(_) | WrittenValue::Function(_) | WrittenValue::Word => {
                        }
                    }
                }
                let mut locals = Vec::new();
                let results = results
                    .iter()
                    .map(|result| result.in_caller(self, place, &mut locals))
                    .collect();
                let kind = FlatStmtKind::Call {
                    routine,
                    arguments,
                    results: locals,
                };
                self.write(kind, place)?;
                Ok(self.given_back(results))
            }
            Made::Opaque(opaque, _) => self.call_opaque(opaque, values, place),
        }
    }

    /// Arguments as the parameters take them.
    fn arguments(
        &mut self,
        function: &Arc<FunctionDefinition>,
        values: Vec<WrittenValue>,
        types: &[&Ast],
        place: FileRange,
    ) -> Flat<Vec<WrittenValue>> {
        // What is given to a library's public function is encoded, and so copied.
        let public = self.is_library_call(function);
        let mut given = Vec::new();
        for ((value, from), parameter) in values.into_iter().zip(types).zip(&function.parameters) {
            let value = self.coerce(value, from, &parameter.ty, place)?;
            given.push(match value {
                WrittenValue::Place(lvalue) => WrittenValue::Place(self.taken(lvalue)?),
                WrittenValue::Expr(expr) if public && !expr.ty.is_value() => {
                    let ty = expr.ty.clone();
                    WrittenValue::Expr(FlatExpr::new(FlatExprKind::Copy(Box::new(expr)), ty, place))
                }
                value => value,
            });
        }
        Ok(given)
    }

    /// What of the arguments is decided when the code is made.
    fn statics(&self, function: &FunctionDefinition, values: &[WrittenValue]) -> Vec<Static> {
        let occurrences = function
            .body
            .as_ref()
            .map(Occurrences::of)
            .unwrap_or_default();
        let pairs = values.iter().zip(&function.parameters);
        let statics = pairs.map(|(value, parameter)| match value {
            WrittenValue::Place(lvalue) if Form::of(lvalue).is_some() => {
                Static::Place(lvalue.clone())
            }
            WrittenValue::Function(function) => Static::Function(Arc::clone(function)),
            WrittenValue::Expr(expr)
                if occurrences.in_assembly.contains(&parameter.id)
                    && !occurrences.assigned.contains(&parameter.id)
                    && constant(expr).is_some() =>
            {
                Static::Constant(expr.clone())
            }
            _ => Static::Nothing,
        });
        statics.collect()
    }

    fn is_library_call(&self, function: &FunctionDefinition) -> bool {
        use crate::front::solidity::ast::Visibility::{External, Public};
        let library = self.f.contract_of(function.id);
        let library = library.filter(|contract| contract.kind == ContractKind::Library);
        library.is_some_and(|library| {
            Some(library.id) != self.contract && matches!(function.visibility, External | Public)
        })
    }

    /// A function that no contract of the hierarchy gives a body: whoever derives from it decides what it does.
    fn unimplemented(
        &mut self,
        function: &Arc<FunctionDefinition>,
        values: Vec<WrittenValue>,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        let mut arguments = Vec::new();
        for value in values {
            arguments.push(self.plain(value, place)?);
        }
        let types = function
            .results
            .iter()
            .map(|result| Some(result.ty.clone()));
        let types: Vec<Option<Ast>> = types.collect();
        let (results, values): (Vec<LocalId>, Vec<WrittenValue>) =
            self.result_locals(&types, place)?.into_iter().unzip();
        self.note(
            place,
            format!("`{}` has no body: its results may be any", function.name),
        );
        let outside = Outside {
            kind: OutsideKind::Unimplemented {
                name: function.name.clone(),
            },
            target: None,
            value: None,
            arguments,
            success: None,
            results,
        };
        self.write(FlatStmtKind::Outside(outside), place)?;
        Ok(self.given_back(values))
    }

    /// Calls a function of which only the signature is known.
    fn call_opaque(
        &mut self,
        function: crate::front::solidity::flat::OpaqueId,
        values: Vec<WrittenValue>,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        let known = self.f.opaque.get(function.index());
        let (types, is_pure) = known
            .map(|known| (known.results.clone(), known.is_pure))
            .unwrap_or_default();
        self.hidden |= !is_pure;
        let mut arguments = Vec::new();
        for value in values {
            // A place that is read tells nothing: the results may be any.
            if let WrittenValue::Expr(expr) = value {
                arguments.push(expr);
            }
        }
        let mut results = Vec::new();
        let mut values = Vec::new();
        for ty in types {
            let local = self.temporary(ty.clone(), place);
            results.push(local);
            values.push(WrittenValue::Expr(FlatExpr::local(local, ty, place)));
        }
        let kind = FlatStmtKind::Opaque {
            function,
            arguments,
            results,
        };
        self.write(kind, place)?;
        Ok(self.given_back(values))
    }
}

/// The type of what stands in a variable.
pub(super) fn local_type(writer: &RoutineWriter<'_, '_>, local: LocalId) -> FlatType {
    let known = writer.locals.get(local.index());
    known.map_or(FlatType::Bool, |local| local.ty.clone())
}
