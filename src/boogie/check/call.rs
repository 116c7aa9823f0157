//! Calls.

use super::expr::CheckResult;
use super::stmt::BodyChecker;
use crate::boogie::ast::{self, Pos};
use crate::boogie::error::Error;
use crate::boogie::typed::{BoogieType, TypedCall, VariableRef};

impl BodyChecker<'_, '_> {
    pub(super) fn call(&mut self, call: &ast::BoogieCall, pos: Pos) -> CheckResult<TypedCall> {
        let names = &self.exprs.program.names.procedures;
        let found = self
            .signatures
            .added_names
            .get(&call.name)
            .or_else(|| names.get(&call.name))
            // A code expression of an added procedure sees none of the program's.
            .filter(|id| self.signatures.knows(**id));
        let Some(callee) = found.copied() else {
            return Err(Error::new(
                pos,
                format!("call to undeclared procedure: {}", call.name),
            ));
        };
        let signature = self.signatures.at(callee)?;
        if signature.ins != call.args.len() {
            return Err(Error::new(
                pos,
                format!(
                    "{} takes {} arguments, not {}",
                    call.name,
                    signature.ins,
                    call.args.len()
                ),
            ));
        }
        if signature.outs != call.outs.len() {
            return Err(Error::new(
                pos,
                format!(
                    "{} has {} results, not {}",
                    call.name,
                    signature.outs,
                    call.outs.len()
                ),
            ));
        }
        self.exprs.metas = Default::default();
        let type_args: Vec<BoogieType> = signature
            .type_params
            .iter()
            .map(|_| self.exprs.metas.fresh())
            .collect();
        let open = |ty: &BoogieType| ty.substitute(&signature.type_params, &type_args);
        let mut args = Vec::new();
        for (arg, param) in call.args.iter().zip(&signature.vars) {
            args.push(match arg {
                None => None,
                Some(arg) => {
                    let e = self.exprs.expr(arg)?;
                    self.agree(&e.ty, &open(&param.ty), arg.pos, "an argument", &call.name)?;
                    Some(e)
                }
            });
        }
        let mut outs: Vec<Option<VariableRef>> = Vec::new();
        for (out, result) in call
            .outs
            .iter()
            .zip(signature.vars.iter().skip(signature.ins))
        {
            outs.push(match out {
                None => None,
                Some((name, pos)) => {
                    let (var, ty) = self.target(name, *pos)?;
                    if outs.contains(&Some(var)) {
                        return Err(Error::new(
                            *pos,
                            format!("{name} gets two results of one call"),
                        ));
                    }
                    self.agree(&open(&result.ty), &ty, *pos, "a result", &call.name)?;
                    Some(var)
                }
            });
        }
        for arg in args.iter_mut().flatten() {
            self.exprs.finish(arg);
        }
        let settled = type_args.iter().map(|t| self.exprs.metas.settled(t));
        let type_args: Vec<BoogieType> = settled.collect();
        let cexpr =
            call.attrs
                .iter()
                .find(|a| a.name == "cexpr")
                .and_then(|a| match a.args.first() {
                    Some(ast::AttrArg::Str(s)) => Some(s.clone()),
                    _ => None,
                });
        let verified_under = self.verified_under(&call.attrs)?;
        Ok(TypedCall {
            verified_under,
            callee,
            type_args,
            args,
            outs,
            free: call.free,
            cexpr,
        })
    }

    fn agree(
        &mut self,
        found: &BoogieType,
        wanted: &BoogieType,
        pos: Pos,
        what: &str,
        callee: &str,
    ) -> CheckResult<()> {
        if self.exprs.metas.unify(found, wanted) {
            return Ok(());
        }
        let (found, wanted) = (self.exprs.show(found), self.exprs.show(wanted));
        Err(Error::new(
            pos,
            format!("{what} of {callee} has type {found}, not {wanted}"),
        ))
    }
}
