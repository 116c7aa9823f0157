//! Procedures: signatures, contracts, and the variables of bodies.

use std::collections::HashMap;

use super::Checker;
use super::expr::{ExprChecker, LocalName, StateContext};
use super::stmt::{BodyChecker, Signatures};
use crate::boogie::ast::{self, Decl, Spec};
use crate::boogie::error::Error;
use crate::boogie::typed::{
    BlockId, BoogieType, GlobalId, GlobalName, Jump, LocalId, ProcedureId, TypedBlock, TypedBody,
    TypedCondition, TypedProcedure, TypedProgram, TypedVariable,
};
use crate::boogie::visible::has_flag;
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure};

/// What a procedure's contract and body turned out to be.
pub(super) struct ContractParts {
    pub(super) vars: Table<LocalId, TypedVariable>,
    pub(super) requires: Vec<TypedCondition>,
    pub(super) ensures: Vec<TypedCondition>,
    pub(super) modifies: Vec<GlobalId>,
    pub(super) body: Option<TypedBody>,
}

impl ContractParts {
    pub(super) fn into(self, procedure: &mut TypedProcedure) {
        procedure.vars = self.vars;
        procedure.requires = self.requires;
        procedure.ensures = self.ensures;
        procedure.modifies = self.modifies;
        procedure.body = self.body;
    }
}

/// A variable of a code expression, as one of the procedure's.
fn of_code((name, ty): (String, BoogieType)) -> TypedVariable {
    TypedVariable {
        name,
        ty,
        where_: None,
        assumption: false,
    }
}

/// How much deeper than the bound a procedure with these attributes may recur.
fn extra_bound(attrs: &[ast::Attribute]) -> u32 {
    let found = attrs.iter().find(|a| a.name == "SIextraRecBound");
    match found.and_then(|a| a.args.first()) {
        Some(ast::AttrArg::Expr(e)) => match &e.kind {
            ast::BoogieExprKind::Int(n) => u32::try_from(n).unwrap_or(u32::MAX),
            _ => 0,
        },
        _ => 0,
    }
}

impl Checker<'_> {
    /// The signatures of procedures, numbered from `first`.
    pub(super) fn procedures(
        &mut self,
        program: &ast::BoogieProgram,
        first: usize,
    ) -> Result<Vec<TypedProcedure>, Internal> {
        let mut all: Vec<TypedProcedure> = Vec::new();
        for decl in &program.decls {
            let Decl::Procedure(p) = decl else { continue };
            let type_params: Vec<u32> = p
                .signature
                .type_params
                .iter()
                .map(|_| self.number())
                .collect();
            let mut exprs = self.exprs(StateContext::OneState);
            exprs.scope.push(&p.signature.type_params, &type_params);
            let vars: Result<Table<LocalId, TypedVariable>, Error> = p
                .signature
                .ins
                .iter()
                .chain(&p.signature.outs)
                .map(|v| {
                    Ok(TypedVariable {
                        name: v.name.clone(),
                        ty: exprs.resolve_type(&v.ty)?,
                        where_: None,
                        assumption: false,
                    })
                })
                .collect();
            let Some(vars) = self.note(vars) else {
                continue;
            };
            let id = ProcedureId::new(first + all.len());
            all.push(TypedProcedure {
                name: p.name.clone(),
                pos: p.pos,
                entrypoint: has_flag(&p.attrs, "entrypoint"),
                extra_bound: extra_bound(&p.attrs),
                type_params,
                vars,
                ins: p.signature.ins.len(),
                outs: p.signature.outs.len(),
                requires: Vec::new(),
                ensures: Vec::new(),
                modifies: Vec::new(),
                body: None,
            });
            let names = &mut self.program.names.procedures;
            let known = names.insert(p.name.clone(), id).is_some();
            let again = self.declared.contains_key(&("procedure", p.name.clone()));
            if known && !again {
                // The program that an entry is added to has it.
                let message = format!("more than one declaration of procedure: {}", p.name);
                self.errors.push(Error::new(p.pos, message));
            }
            self.declared(p.pos, "procedure", &p.name);
        }
        for decl in &program.decls {
            let Decl::Implementation(i) = decl else {
                continue;
            };
            // One of an undeclared procedure, or of the program that an entry is added to, is an error that is told later.
            let id = self.program.names.procedures.get(&i.name);
            let place = id.and_then(|id| id.index().checked_sub(first));
            if let Some(place) = place {
                let p = all.get_mut(place).sure()?;
                p.entrypoint |= has_flag(&i.attrs, "entrypoint");
                p.extra_bound = p.extra_bound.max(extra_bound(&i.attrs));
            }
        }
        Ok(all)
    }

    /// Contracts and bodies of the program's procedures, each with its number. `added` are the signatures of procedures
    /// that are not in `self.program` yet.
    pub(super) fn contracts_and_bodies(
        &mut self,
        program: &ast::BoogieProgram,
        added: &[TypedProcedure],
        added_names: &HashMap<String, ProcedureId>,
    ) -> Result<Vec<(ProcedureId, ContractParts)>, Internal> {
        let mut implementations: HashMap<&str, Vec<&ast::Implementation>> = HashMap::new();
        let mut errors = Vec::new();
        let mut fresh = self.program.fresh;
        let mut all = Vec::new();
        {
            let base = self.base_procedures.unwrap_or(&self.program.procedures);
            let signatures = Signatures {
                base,
                added,
                added_names,
            };
            for decl in &program.decls {
                let Decl::Implementation(i) = decl else {
                    continue;
                };
                if !self.program.names.procedures.contains_key(&i.name) {
                    let message = format!("implementation of an undeclared procedure: {}", i.name);
                    errors.push(Error::new(i.pos, message));
                }
                implementations.entry(&i.name).or_default().push(i);
            }
            for decl in &program.decls {
                let Decl::Procedure(p) = decl else { continue };
                let id = *self.program.names.procedures.get(&p.name).sure()?;
                let typed = signatures.at(id)?;
                let bodies = implementations.remove(p.name.as_str()).unwrap_or_default();
                let mut one = ProcedureChecker {
                    program: &self.program,
                    signatures: &signatures,
                    fresh,
                    errors: &mut errors,
                };
                let parts = one.parts(p, typed, &bodies)?;
                fresh = one.fresh;
                all.push((id, parts));
            }
        }
        self.program.fresh = fresh;
        self.errors.extend(errors);
        Ok(all)
    }
}

/// A body that does what one of two does: a procedure may have several implementations.
fn either(mut one: TypedBody, mut other: TypedBody) -> TypedBody {
    // The choice is a block in front, so all others move by one.
    let shift = |body: &mut TypedBody, by: usize| {
        for block in &mut body.blocks {
            if let Jump::Goto(targets) = &mut block.jump {
                let moved = |t: &mut BlockId| *t = BlockId::new(t.index() + by);
                targets.iter_mut().for_each(moved);
            }
        }
    };
    let second = one.blocks.len() + 1;
    shift(&mut one, 1);
    shift(&mut other, second);
    let choice = TypedBlock {
        label: "implementations".into(),
        pos: one.blocks.iter().next().map_or(one.end, |b| b.pos),
        cmds: Vec::new(),
        jump: Jump::Goto(vec![BlockId::new(1), BlockId::new(second)]),
    };
    let blocks = std::iter::once(choice)
        .chain(one.blocks)
        .chain(other.blocks);
    TypedBody {
        blocks: blocks.collect(),
        end: one.end,
    }
}

struct ProcedureChecker<'c, 'p> {
    program: &'p TypedProgram,
    signatures: &'c Signatures<'p>,
    fresh: u32,
    errors: &'c mut Vec<Error>,
}

impl<'p> ProcedureChecker<'_, 'p> {
    fn exprs(
        &self,
        place: StateContext,
        p: &ast::ProcedureSignature,
        typed: &TypedProcedure,
    ) -> ExprChecker<'p> {
        let mut exprs = ExprChecker::new(self.program, place, self.fresh);
        exprs.scope.push(&p.type_params, &typed.type_params);
        exprs.first_code_local = typed.vars.next_id();
        let declared = p.ins.iter().chain(&p.outs);
        for (decl, (id, var)) in declared.zip(typed.vars.pairs()) {
            let ty = var.ty.clone();
            exprs.locals.insert(decl.name.clone(), LocalName { id, ty });
        }
        exprs
    }

    fn parts(
        &mut self,
        p: &ast::ProcedureDeclaration,
        typed: &TypedProcedure,
        implementations: &[&ast::Implementation],
    ) -> Result<ContractParts, Internal> {
        let mut vars = typed.vars.clone();
        let mut requires = Vec::new();
        let mut ensures = Vec::new();
        let mut modifies = Vec::new();
        let mut exprs = self.exprs(StateContext::OneState, &p.signature, typed);
        for (decl, var) in p
            .signature
            .ins
            .iter()
            .chain(&p.signature.outs)
            .zip(&mut vars)
        {
            if let Some(e) = &decl.where_ {
                match exprs.of_type(e, &BoogieType::Bool, "a where clause") {
                    Ok(e) => var.where_ = Some(e),
                    Err(error) => self.errors.push(error),
                }
            }
        }
        for spec in &p.specs {
            let (condition, into) = match spec {
                Spec::Modifies(names) => {
                    for (name, pos) in names {
                        match self.program.names.vars.get(name) {
                            Some(GlobalName::Global(i)) => modifies.push(*i),
                            _ => {
                                let message =
                                    format!("undeclared variable in modifies clause: {name}");
                                self.errors.push(Error::new(*pos, message));
                            }
                        }
                    }
                    continue;
                }
                Spec::Requires(c) => {
                    exprs.place = StateContext::OneState;
                    (c, &mut requires)
                }
                Spec::Ensures(c) => {
                    exprs.place = StateContext::TwoState;
                    (c, &mut ensures)
                }
            };
            match exprs.of_type(
                &condition.expr,
                &BoogieType::Bool,
                "a condition of the contract",
            ) {
                Ok(expr) => into.push(TypedCondition {
                    pos: condition.pos,
                    free: condition.free,
                    expr,
                    text: condition.expr.to_string(),
                }),
                Err(error) => self.errors.push(error),
            }
        }
        vars.extend(exprs.code_locals.drain(..).map(of_code));
        self.fresh = exprs.fresh;
        modifies.sort_unstable();
        modifies.dedup();
        let own = p.body.as_ref().map(|body| (&p.signature, body));
        let mut body: Option<TypedBody> = None;
        for i in implementations {
            let (wanted, found) = (&p.signature, &i.signature);
            if wanted.ins.len() != found.ins.len() || wanted.outs.len() != found.outs.len() {
                let message = format!("the implementation of {} has another signature", p.name);
                self.errors.push(Error::new(i.pos, message));
            }
        }
        let others = implementations.iter().map(|i| (&i.signature, &i.body));
        for (signature, text) in own.into_iter().chain(others) {
            let next = self.body(signature, text, typed, &mut vars, &p.attrs)?;
            body = match (body, next) {
                (Some(body), Some(next)) => Some(either(body, next)),
                (body, next) => body.or(next),
            };
        }
        Ok(ContractParts {
            vars,
            requires,
            ensures,
            modifies,
            body,
        })
    }

    fn body(
        &mut self,
        signature: &ast::ProcedureSignature,
        body: &ast::ProcedureBody,
        typed: &TypedProcedure,
        vars: &mut Table<LocalId, TypedVariable>,
        attrs: &[ast::Attribute],
    ) -> Result<Option<TypedBody>, Internal> {
        let mut exprs = self.exprs(StateContext::TwoState, signature, typed);
        let mut declared = Vec::new();
        for decl in &body.locals {
            let id = vars.next_id();
            match exprs.resolve_type(&decl.ty) {
                Ok(ty) => {
                    let name = decl.name.clone();
                    declared.push((id, decl));
                    let local = LocalName { id, ty: ty.clone() };
                    if exprs.locals.insert(name.clone(), local).is_some() {
                        let message = format!("more than one declaration of variable: {name}");
                        self.errors.push(Error::new(decl.pos, message));
                    }
                    vars.push(TypedVariable {
                        name,
                        assumption: ty == BoogieType::Bool && has_flag(&decl.attrs, "assumption"),
                        ty,
                        where_: None,
                    });
                }
                Err(error) => self.errors.push(error),
            }
        }
        let selective = has_flag(attrs, "selective_checking");
        let unchecked = selective.then(|| {
            vars.push(TypedVariable {
                name: "unchecked".into(),
                ty: BoogieType::Bool,
                where_: None,
                assumption: true,
            })
        });
        exprs.first_code_local = vars.next_id();
        for (id, decl) in declared {
            let Some(e) = &decl.where_ else { continue };
            match exprs.of_type(e, &BoogieType::Bool, "a where clause") {
                Ok(e) => vars.at_mut(id)?.where_ = Some(e),
                Err(error) => self.errors.push(error),
            }
        }
        let mut checker = BodyChecker::new(&mut exprs, self.signatures);
        checker.unchecked = unchecked;
        let result = checker.body(body);
        vars.extend(exprs.code_locals.drain(..).map(of_code));
        self.fresh = exprs.fresh;
        Ok(match result {
            Ok(body) => Some(body),
            Err(errors) => {
                self.errors.extend(errors);
                None
            }
        })
    }
}
