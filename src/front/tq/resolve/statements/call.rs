//! Calls of routines, and where their results go.

use crate::front::tq::ast;
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{Block, Stmt, StmtKind};
use crate::words::counted;

use super::super::calls::RoutineCall;
use super::super::places::AssignedPlace;
use super::super::scope::Scope;

impl<'a> Scope<'_, 'a> {
    pub(super) fn call_statement(
        &mut self,
        call: &'a ast::ExprSyntax,
        span: Span,
        out: &mut Block,
    ) {
        match self.routine_call(call) {
            Some(Some(resolved)) => {
                let kind = StmtKind::Call {
                    targets: Vec::new(),
                    receiver: resolved.receiver,
                    routine: resolved.routine,
                    args: resolved.args,
                };
                out.push(Stmt { kind, span });
            }
            Some(None) => {}
            None => {
                if self.expr(call, None).is_some() {
                    self.report(
                        Diagnostic::error("the value of this function is not used")
                            .at(call.span, "")
                            .help("a function changes nothing; only its value is of use"),
                    );
                }
            }
        }
    }

    pub(super) fn call(
        &mut self,
        call: RoutineCall,
        targets: Vec<Option<AssignedPlace>>,
        called: Span,
        span: Span,
        out: &mut Block,
    ) {
        let info = self
            .resolver
            .class_info(call.routine.class)
            .routines
            .get(call.routine.index);
        let results = info.map(|info| info.results.clone()).unwrap_or_default();
        if results.len() != targets.len() {
            let gives = counted(results.len(), "result");
            self.report(
                Diagnostic::error(format!(
                    "this call gives {gives}, and {} assigned",
                    match targets.len() {
                        1 => "1 place is".to_owned(),
                        n => format!("{n} places are"),
                    }
                ))
                .at(called, ""),
            );
            return;
        }
        let mut places = Vec::new();
        let mut after = Vec::new();
        for (target, result) in targets.into_iter().zip(results) {
            let (Some(target), Some(ty)) = (target, self.resolver.variable_type(result)) else {
                return;
            };
            let Some(target) = self.receives(Some(target), &ty.of_value(), called) else {
                return;
            };
            let (place, store) = self.landing(target, &ty, span);
            places.push(place);
            after.extend(store);
        }
        let kind = StmtKind::Call {
            targets: places,
            receiver: call.receiver,
            routine: call.routine,
            args: call.args,
        };
        out.push(Stmt { kind, span });
        out.extend(after);
    }
}
