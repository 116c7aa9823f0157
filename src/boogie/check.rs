//! Names and types of a whole program.

use std::collections::HashMap;

use super::ast::{self, Decl, Pos, Spec};
use super::check_expr::{ExprChecker, LocalName, Place};
use super::check_stmt::{BodyChecker, Signatures};
use super::error::{Error, Errors};
use super::typed::{
    Axiom, Block, Body, Builtin, Condition, Const, Function, GlobalName, Jump, Procedure, Program,
    Type, TypeCon, TypeName, Variable,
};
use super::visible::{has_flag, visible};

/// Resolves and types a program.
///
/// `modifies` clauses of procedures with a body are not held against the body (as in Corral, what a body really
/// modifies is worked out where it is needed).
///
/// # Errors
///
/// All name and type errors, in the order they were found.
pub fn check(program: &ast::Program) -> Result<Program, Errors> {
    let program = visible(program);
    let program = program.as_ref();
    let mut checker = Checker::default();
    checker.types(program);
    checker.globals(program);
    let added = checker.procedures(program, 0);
    checker.program.procedures = added;
    checker.stop_on_errors()?;
    checker.formulas(program);
    let bodies = checker.contracts_and_bodies(program, &[], &HashMap::new());
    for (index, parts) in bodies {
        if let Some(procedure) = checker.program.procedures.get_mut(index) {
            parts.into(procedure);
        }
    }
    checker.stop_on_errors()?;
    Ok(checker.program)
}

/// Resolves and types procedures that are added to a checked program. The first has the number
/// `base.procedures.len()`.
///
/// # Errors
///
/// As [`check`]; also for declarations that are not procedures, and names the program has already.
pub fn check_entry(base: &Program, entry: &ast::Program) -> Result<Vec<Procedure>, Errors> {
    let mut checker = Checker {
        program: Program {
            names: base.names.clone(),
            types: base.types.clone(),
            consts: base.consts.clone(),
            functions: base.functions.clone(),
            globals: base.globals.clone(),
            fresh: base.fresh,
            ..Program::default()
        },
        ..Checker::default()
    };
    for decl in &entry.decls {
        match decl {
            Decl::Procedure(_) | Decl::Implementation(_) => {}
            Decl::Type(ast::TypeDecl { pos, .. })
            | Decl::Datatype(ast::DatatypeDecl { pos, .. })
            | Decl::Const(ast::ConstDecl { pos, .. })
            | Decl::Function(ast::FunctionDecl { pos, .. })
            | Decl::Axiom(ast::Axiom { pos, .. })
            | Decl::Var(ast::VarDecl { pos, .. }) => {
                checker
                    .errors
                    .push(Error::new(*pos, "an entry declares procedures only"));
            }
        }
    }
    let mut added = checker.procedures(entry, base.procedures.len());
    checker.stop_on_errors()?;
    let names = checker.program.names.procedures.clone();
    checker.base_procedures = &base.procedures;
    let bodies = checker.contracts_and_bodies(entry, &added, &names);
    for (index, parts) in bodies {
        if let Some(procedure) = index
            .checked_sub(base.procedures.len())
            .and_then(|i| added.get_mut(i))
        {
            parts.into(procedure);
        }
    }
    checker.stop_on_errors()?;
    Ok(added)
}

#[derive(Default)]
pub(super) struct Checker<'b> {
    pub(super) program: Program,
    base_procedures: &'b [Procedure],
    pub(super) errors: Vec<Error>,
}

/// What a procedure's contract and body turned out to be.
struct Parts {
    vars: Vec<Variable>,
    requires: Vec<Condition>,
    ensures: Vec<Condition>,
    modifies: Vec<usize>,
    body: Option<Body>,
}

impl Parts {
    fn into(self, procedure: &mut Procedure) {
        procedure.vars = self.vars;
        procedure.requires = self.requires;
        procedure.ensures = self.ensures;
        procedure.modifies = self.modifies;
        procedure.body = self.body;
    }
}

fn string_attr(attrs: &[ast::Attribute], names: &[&str]) -> Option<String> {
    let attr = attrs.iter().find(|a| names.contains(&a.name.as_str()))?;
    match attr.args.first() {
        Some(ast::AttrArg::Str(s)) => Some(s.clone()),
        _ => None,
    }
}

impl<'b> Checker<'b> {
    fn stop_on_errors(&mut self) -> Result<(), Errors> {
        match self.errors.is_empty() {
            true => Ok(()),
            false => Err(Errors(std::mem::take(&mut self.errors))),
        }
    }

    fn twice(&mut self, pos: Pos, what: &str, name: &str) {
        self.errors.push(Error::new(
            pos,
            format!("more than one declaration of {what}: {name}"),
        ));
    }

    pub(super) fn note<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    fn types(&mut self, program: &ast::Program) {
        for decl in &program.decls {
            let (written, pos, meaning) = match decl {
                Decl::Type(t) => match &t.synonym {
                    Some(ty) => {
                        let meaning = TypeName::Synonym(t.params.clone(), ty.clone());
                        (&t.name, t.pos, meaning)
                    }
                    None => {
                        let is_datatype = has_flag(&t.attrs, "datatype");
                        (
                            &t.name,
                            t.pos,
                            self.constructed(&t.name, t.params.len(), is_datatype),
                        )
                    }
                },
                Decl::Datatype(d) => (
                    &d.name,
                    d.pos,
                    self.constructed(&d.name, d.params.len(), true),
                ),
                _ => continue,
            };
            let names = &mut self.program.names.types;
            if names.insert(written.clone(), meaning).is_some() {
                self.twice(pos, "type", written);
            }
        }
    }

    /// A new type constructor.
    fn constructed(&mut self, name: &str, arity: usize, is_datatype: bool) -> TypeName {
        self.program.types.push(TypeCon {
            name: name.to_string(),
            arity,
            constructors: is_datatype.then(Vec::new),
        });
        TypeName::Con(self.program.types.len() - 1)
    }

    /// The number of a type constructor.
    pub(super) fn type_con(&self, name: &str) -> Option<usize> {
        match self.program.names.types.get(name) {
            Some(TypeName::Con(con)) => Some(*con),
            _ => None,
        }
    }

    /// A checker of what stands outside every procedure.
    pub(super) fn global_exprs(&self) -> ExprChecker<'_> {
        self.exprs(Place::Global)
    }

    fn exprs(&self, place: Place) -> ExprChecker<'_> {
        ExprChecker::new(&self.program, place, self.program.fresh)
    }

    pub(super) fn number(&mut self) -> u32 {
        self.program.fresh += 1;
        self.program.fresh - 1
    }

    /// Constants, variables and the signatures of functions.
    fn globals(&mut self, program: &ast::Program) {
        for decl in &program.decls {
            match decl {
                Decl::Const(c) => {
                    let ty = self.exprs(Place::Global).resolve_type(&c.ty);
                    let Some(ty) = self.note(ty) else { continue };
                    let (name, unique) = (c.name.clone(), c.unique);
                    let index = GlobalName::Const(self.program.consts.len());
                    self.program.consts.push(Const { name, ty, unique });
                    self.declare(&c.name, index, c.pos);
                }
                Decl::Var(v) => {
                    let ty = self.exprs(Place::Global).resolve_type(&v.ty);
                    let Some(ty) = self.note(ty) else { continue };
                    let name = v.name.clone();
                    let index = GlobalName::Global(self.program.globals.len());
                    self.program.globals.push(Variable {
                        name,
                        ty,
                        where_: None,
                        assumption: false,
                    });
                    self.declare(&v.name, index, v.pos);
                }
                Decl::Function(f) => self.function(f),
                Decl::Datatype(d) => self.datatype(d),
                _ => {}
            }
        }
    }

    fn declare(&mut self, name: &str, meaning: GlobalName, pos: Pos) {
        if self
            .program
            .names
            .vars
            .insert(name.to_string(), meaning)
            .is_some()
        {
            self.twice(pos, "constant or variable", name);
        }
    }

    fn function(&mut self, f: &ast::FunctionDecl) {
        let type_params: Vec<u32> = f.type_params.iter().map(|_| self.number()).collect();
        let numbers: Vec<u32> = f.params.iter().map(|_| self.number()).collect();
        let mut exprs = self.exprs(Place::Global);
        exprs.scope.push(&f.type_params, &type_params);
        let params: Result<Vec<Type>, Error> = f
            .params
            .iter()
            .map(|(_, t)| exprs.resolve_type(t))
            .collect();
        let result = exprs.resolve_type(&f.result);
        let (Some(params), Some(result)) = (self.note(params), self.note(result)) else {
            return;
        };
        let is_constructor = has_flag(&f.attrs, "constructor");
        let builtin = match is_constructor {
            true => self.constructor_function(f, &result),
            false => string_attr(&f.attrs, &["bvbuiltin", "builtin"]).map(Builtin::Solver),
        };
        let made = self.program.functions.len();
        let new = self.add_function(Function {
            name: f.name.clone(),
            pos: f.pos,
            type_params,
            params: numbers.into_iter().zip(params.clone()).collect(),
            result: result.clone(),
            body: None,
            builtin: builtin.clone(),
        });
        if new && is_constructor && builtin.is_some() {
            let names = f.params.iter().enumerate();
            let names = names.map(|(i, (name, _))| name.clone().unwrap_or_else(|| i.to_string()));
            self.add_constructor(made, &result, names.zip(params).collect());
        }
    }

    /// Declares a function. Is its name new?
    pub(super) fn add_function(&mut self, function: Function) -> bool {
        let (name, pos) = (function.name.clone(), function.pos);
        let index = self.program.functions.len();
        self.program.functions.push(function);
        if self
            .program
            .names
            .functions
            .insert(name.clone(), index)
            .is_some()
        {
            self.twice(pos, "function", &name);
            return false;
        }
        true
    }

    /// The signatures of procedures, numbered from `first`.
    fn procedures(&mut self, program: &ast::Program, first: usize) -> Vec<Procedure> {
        let mut all = Vec::new();
        for decl in &program.decls {
            let Decl::Procedure(p) = decl else { continue };
            let type_params: Vec<u32> = p
                .signature
                .type_params
                .iter()
                .map(|_| self.number())
                .collect();
            let mut exprs = self.exprs(Place::OneState);
            exprs.scope.push(&p.signature.type_params, &type_params);
            let vars: Result<Vec<Variable>, Error> = p
                .signature
                .ins
                .iter()
                .chain(&p.signature.outs)
                .map(|v| {
                    Ok(Variable {
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
            let index = first + all.len();
            all.push(Procedure {
                name: p.name.clone(),
                pos: p.pos,
                entrypoint: has_flag(&p.attrs, "entrypoint"),
                type_params,
                vars,
                ins: p.signature.ins.len(),
                outs: p.signature.outs.len(),
                requires: Vec::new(),
                ensures: Vec::new(),
                modifies: Vec::new(),
                body: None,
            });
            if self
                .program
                .names
                .procedures
                .insert(p.name.clone(), index)
                .is_some()
            {
                self.twice(p.pos, "procedure", &p.name);
            }
        }
        for decl in &program.decls {
            let Decl::Implementation(i) = decl else {
                continue;
            };
            if has_flag(&i.attrs, "entrypoint") {
                let index = self.program.names.procedures.get(&i.name);
                if let Some(p) = index
                    .and_then(|i| i.checked_sub(first))
                    .and_then(|i| all.get_mut(i))
                {
                    p.entrypoint = true;
                }
            }
        }
        all
    }

    /// Bodies of functions, axioms and where clauses of globals.
    fn formulas(&mut self, program: &ast::Program) {
        let mut bodies = Vec::new();
        let mut axioms = Vec::new();
        let mut wheres = Vec::new();
        let mut errors = Vec::new();
        let mut exprs = self.exprs(Place::Global);
        for decl in &program.decls {
            let result = match decl {
                Decl::Function(ast::FunctionDecl {
                    body: Some(body),
                    name,
                    type_params,
                    params,
                    ..
                }) => {
                    let found = self.program.names.functions.get(name);
                    let Some((index, f)) =
                        found.and_then(|i| Some((*i, self.program.functions.get(*i)?)))
                    else {
                        continue;
                    };
                    if f.builtin.is_some() {
                        let message =
                            format!("{name} is the solver's, and has no other definition");
                        errors.push(Error::new(f.pos, message));
                        continue;
                    }
                    exprs.scope.push(type_params, &f.type_params);
                    for ((name, _), (number, ty)) in params.iter().zip(&f.params) {
                        if let Some(name) = name {
                            exprs.bound.push((name.clone(), *number, ty.clone()));
                        }
                    }
                    let result = exprs.of_type(body, &f.result, "the body of the function");
                    exprs.bound.clear();
                    exprs.scope.pop(type_params.len());
                    result.map(|body| bodies.push((index, body)))
                }
                Decl::Axiom(a) => exprs
                    .of_type(&a.expr, &Type::Bool, "an axiom")
                    .map(|expr| axioms.push(Axiom { pos: a.pos, expr })),
                Decl::Var(ast::VarDecl {
                    name,
                    where_: Some(e),
                    ..
                }) => {
                    let Some(GlobalName::Global(index)) = self.program.names.vars.get(name) else {
                        continue;
                    };
                    exprs.place = Place::OneState;
                    let result = exprs.of_type(e, &Type::Bool, "a where clause");
                    exprs.place = Place::Global;
                    result.map(|e| wheres.push((*index, e)))
                }
                _ => Ok(()),
            };
            errors.extend(result.err());
            // The variables of a code expression are its own; no procedure has them.
            exprs.code_locals.clear();
        }
        let fresh = exprs.fresh;
        self.program.fresh = fresh;
        self.errors.extend(errors);
        for (index, body) in bodies {
            if let Some(f) = self.program.functions.get_mut(index) {
                f.body = Some(body);
            }
        }
        for (index, e) in wheres {
            if let Some(g) = self.program.globals.get_mut(index) {
                g.where_ = Some(e);
            }
        }
        self.program.axioms = axioms;
        let number = self.number();
        let order = super::order::axioms(&program.decls, &self.program, number);
        if let Some(order) = self.note(order) {
            self.program.axioms.extend(order);
        }
    }

    /// Contracts and bodies of the program's procedures, each with its number. `added` are the signatures of procedures
    /// that are not in `self.program` yet.
    fn contracts_and_bodies(
        &mut self,
        program: &ast::Program,
        added: &[Procedure],
        added_names: &HashMap<String, usize>,
    ) -> Vec<(usize, Parts)> {
        let mut implementations: HashMap<&str, Vec<&ast::Implementation>> = HashMap::new();
        let mut errors = Vec::new();
        let mut fresh = self.program.fresh;
        let mut all = Vec::new();
        {
            let base: &[Procedure] = match added.is_empty() {
                true => &self.program.procedures,
                false => self.base_procedures,
            };
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
                let found = self.program.names.procedures.get(&p.name);
                let Some((index, typed)) = found.and_then(|i| Some((*i, signatures.get(*i)?)))
                else {
                    continue;
                };
                let bodies = implementations.remove(p.name.as_str()).unwrap_or_default();
                let mut one = ProcedureChecker {
                    program: &self.program,
                    signatures: &signatures,
                    fresh,
                    errors: &mut errors,
                };
                let parts = one.parts(p, typed, &bodies);
                fresh = one.fresh;
                all.push((index, parts));
            }
        }
        self.program.fresh = fresh;
        self.errors.extend(errors);
        all
    }
}

/// A body that does what one of two does: a procedure may have several implementations.
fn either(mut one: Body, mut other: Body) -> Body {
    // The choice is a block in front, so all others move by one.
    let shift = |body: &mut Body, by: usize| {
        for block in &mut body.blocks {
            if let Jump::Goto(targets) = &mut block.jump {
                targets.iter_mut().for_each(|t| *t += by);
            }
        }
    };
    let second = one.blocks.len() + 1;
    shift(&mut one, 1);
    shift(&mut other, second);
    let choice = Block {
        label: "implementations".into(),
        pos: one.blocks.first().map_or(one.end, |b| b.pos),
        cmds: Vec::new(),
        jump: Jump::Goto(vec![1, second]),
    };
    let blocks = std::iter::once(choice)
        .chain(one.blocks)
        .chain(other.blocks);
    Body {
        blocks: blocks.collect(),
        end: one.end,
    }
}

struct ProcedureChecker<'c, 'p> {
    program: &'p Program,
    signatures: &'c Signatures<'p>,
    fresh: u32,
    errors: &'c mut Vec<Error>,
}

impl<'p> ProcedureChecker<'_, 'p> {
    fn exprs(&self, place: Place, p: &ast::Signature, typed: &Procedure) -> ExprChecker<'p> {
        let mut exprs = ExprChecker::new(self.program, place, self.fresh);
        exprs.scope.push(&p.type_params, &typed.type_params);
        exprs.first_code_local = typed.vars.len();
        let declared = p.ins.iter().chain(&p.outs);
        for (index, (decl, var)) in declared.zip(&typed.vars).enumerate() {
            let ty = var.ty.clone();
            exprs
                .locals
                .insert(decl.name.clone(), LocalName { index, ty });
        }
        exprs
    }

    fn parts(
        &mut self,
        p: &ast::Procedure,
        typed: &Procedure,
        implementations: &[&ast::Implementation],
    ) -> Parts {
        let mut vars = typed.vars.clone();
        let mut requires = Vec::new();
        let mut ensures = Vec::new();
        let mut modifies = Vec::new();
        let mut exprs = self.exprs(Place::OneState, &p.signature, typed);
        for (decl, var) in p
            .signature
            .ins
            .iter()
            .chain(&p.signature.outs)
            .zip(&mut vars)
        {
            if let Some(e) = &decl.where_ {
                match exprs.of_type(e, &Type::Bool, "a where clause") {
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
                    exprs.place = Place::OneState;
                    (c, &mut requires)
                }
                Spec::Ensures(c) => {
                    exprs.place = Place::TwoState;
                    (c, &mut ensures)
                }
            };
            match exprs.of_type(&condition.expr, &Type::Bool, "a condition of the contract") {
                Ok(expr) => into.push(Condition {
                    pos: condition.pos,
                    free: condition.free,
                    expr,
                    text: condition.expr.to_string(),
                }),
                Err(error) => self.errors.push(error),
            }
        }
        if !exprs.code_locals.is_empty() {
            let error = Error::unsupported(p.pos, "a code expression in a contract");
            self.errors.push(error);
        }
        self.fresh = exprs.fresh;
        modifies.sort_unstable();
        modifies.dedup();
        let own = p.body.as_ref().map(|body| (&p.signature, body));
        let mut body: Option<Body> = None;
        for i in implementations {
            let (wanted, found) = (&p.signature, &i.signature);
            if wanted.ins.len() != found.ins.len() || wanted.outs.len() != found.outs.len() {
                let message = format!("the implementation of {} has another signature", p.name);
                self.errors.push(Error::new(i.pos, message));
            }
        }
        let others = implementations.iter().map(|i| (&i.signature, &i.body));
        for (signature, text) in own.into_iter().chain(others) {
            let next = self.body(signature, text, typed, &mut vars, &p.attrs);
            body = match (body, next) {
                (Some(body), Some(next)) => Some(either(body, next)),
                (body, next) => body.or(next),
            };
        }
        Parts {
            vars,
            requires,
            ensures,
            modifies,
            body,
        }
    }

    fn body(
        &mut self,
        signature: &ast::Signature,
        body: &ast::Body,
        typed: &Procedure,
        vars: &mut Vec<Variable>,
        attrs: &[ast::Attribute],
    ) -> Option<Body> {
        let mut exprs = self.exprs(Place::TwoState, signature, typed);
        let first_local = vars.len();
        for decl in &body.locals {
            let index = vars.len();
            match exprs.resolve_type(&decl.ty) {
                Ok(ty) => {
                    let name = decl.name.clone();
                    let local = LocalName {
                        index,
                        ty: ty.clone(),
                    };
                    if exprs.locals.insert(name.clone(), local).is_some() {
                        let message = format!("more than one declaration of variable: {name}");
                        self.errors.push(Error::new(decl.pos, message));
                    }
                    vars.push(Variable {
                        name,
                        assumption: ty == Type::Bool && has_flag(&decl.attrs, "assumption"),
                        ty,
                        where_: None,
                    });
                }
                Err(error) => self.errors.push(error),
            }
        }
        let selective = has_flag(attrs, "selective_checking");
        let unchecked = selective.then(|| {
            vars.push(Variable {
                name: "unchecked".into(),
                ty: Type::Bool,
                where_: None,
                assumption: true,
            });
            vars.len() - 1
        });
        exprs.first_code_local = vars.len();
        for (decl, index) in body.locals.iter().zip(first_local..) {
            let Some(e) = &decl.where_ else { continue };
            match exprs.of_type(e, &Type::Bool, "a where clause") {
                Ok(e) => {
                    if let Some(var) = vars.get_mut(index) {
                        var.where_ = Some(e);
                    }
                }
                Err(error) => self.errors.push(error),
            }
        }
        let mut checker = BodyChecker::new(&mut exprs, self.signatures);
        checker.unchecked = unchecked;
        let result = checker.body(body);
        for (name, ty) in exprs.code_locals.drain(..) {
            vars.push(Variable {
                name,
                ty,
                where_: None,
                assumption: false,
            });
        }
        self.fresh = exprs.fresh;
        match result {
            Ok(body) => Some(body),
            Err(errors) => {
                self.errors.extend(errors);
                None
            }
        }
    }
}
