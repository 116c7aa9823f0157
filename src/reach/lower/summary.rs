//! What is known of a call before its callee is looked at: the callee's free postconditions, which are summaries that some
//! other tool has found, such as Houdini.
//!
//! The callee's own graph assumes them at its end, so that here they say nothing new. But as long as the call is open they are
//! all that is said of its results, and many ways end there.

use std::collections::BTreeMap;

use super::Lowering;
use crate::boogie::typed::{
    BoogieType, GlobalId, LocalId, TypedExpr, TypedExprKind, TypedProcedure, VariableRef,
};
use crate::internal::{Internal, Sure};
use crate::reach::graph::{NodeId, Simple, local};

/// The arguments and old values that a summary speaks of, each in a local variable of the caller.
#[derive(Default)]
struct Saved {
    args: BTreeMap<LocalId, TypedExpr>,
    olds: BTreeMap<GlobalId, TypedExpr>,
    values: Vec<(VariableRef, TypedExpr)>,
}

impl Lowering<'_> {
    /// What may be assumed behind a call. Before it, at the end of `node`, the values are saved that this speaks of.
    pub(super) fn summary(
        &mut self,
        node: NodeId,
        callee: &TypedProcedure,
        args: &[Option<TypedExpr>],
        outs: &[Option<VariableRef>],
    ) -> Result<Vec<TypedExpr>, Internal> {
        let free = callee.ensures.iter().filter(|e| e.free);
        let mut saved = Saved::default();
        let mut known = Vec::new();
        if callee.body.is_some() {
            for ensures in free {
                if is_said_by(&ensures.expr, callee, args, outs) {
                    known.push(self.seen_by_caller(
                        &ensures.expr,
                        callee,
                        args,
                        outs,
                        &mut saved,
                    )?);
                }
            }
        }
        if !saved.values.is_empty() {
            self.cmd(node, None, Simple::Assign(saved.values))?;
        }
        Ok(known)
    }

    fn seen_by_caller(
        &mut self,
        condition: &TypedExpr,
        callee: &TypedProcedure,
        args: &[Option<TypedExpr>],
        outs: &[Option<VariableRef>],
        saved: &mut Saved,
    ) -> Result<TypedExpr, Internal> {
        let mut condition = condition.clone();
        condition.change(&mut |e| {
            let ty = e.ty.clone();
            match e.kind {
                TypedExprKind::Var(VariableRef::Local(i)) => {
                    if let Some(at) = callee.results().position(|r| r == i) {
                        e.kind = TypedExprKind::Var(outs.get(at).copied().flatten().sure()?);
                        return Ok(());
                    }
                    if !saved.args.contains_key(&i) {
                        let at = callee.params().position(|p| p == i).sure()?;
                        let arg = args.get(at).cloned().flatten().sure()?;
                        let copy = self.copy("arg", arg, ty, &mut saved.values);
                        saved.args.insert(i, copy);
                    }
                    *e = saved.args.get(&i).sure()?.clone();
                }
                TypedExprKind::Old(global) => {
                    if !saved.olds.contains_key(&global) {
                        let kind = TypedExprKind::Var(VariableRef::Global(global));
                        let now = TypedExpr {
                            kind,
                            ty: ty.clone(),
                        };
                        let copy = self.copy("before", now, ty, &mut saved.values);
                        saved.olds.insert(global, copy);
                    }
                    *e = saved.olds.get(&global).sure()?.clone();
                }
                _ => {}
            }
            Ok::<(), Internal>(())
        })?;
        Ok(condition)
    }

    /// A new local variable that is given a value.
    fn copy(
        &mut self,
        name: &str,
        value: TypedExpr,
        ty: BoogieType,
        values: &mut Vec<(VariableRef, TypedExpr)>,
    ) -> TypedExpr {
        let variable = self.proc.fresh(name, ty.clone());
        values.push((VariableRef::Local(variable), value));
        local(variable, ty)
    }
}

/// Does the caller have all that the condition speaks of? Of a result that goes to a global, or nowhere, it does not have what
/// the callee had at its end.
fn is_said_by(
    condition: &TypedExpr,
    callee: &TypedProcedure,
    args: &[Option<TypedExpr>],
    outs: &[Option<VariableRef>],
) -> bool {
    let mut has_all = !outs
        .iter()
        .any(|o| matches!(o, Some(VariableRef::Global(_))));
    condition.visit(&mut |e| match e.kind {
        TypedExprKind::Code(_) => has_all = false,
        TypedExprKind::Var(VariableRef::Local(i)) => {
            let param = callee.params().position(|p| p == i);
            let result = callee.results().position(|r| r == i);
            has_all &= match (param, result) {
                (Some(at), _) => matches!(args.get(at), Some(Some(_))),
                (_, Some(at)) => matches!(outs.get(at), Some(Some(_))),
                (None, None) => false,
            };
        }
        _ => {}
    });
    has_all
}
