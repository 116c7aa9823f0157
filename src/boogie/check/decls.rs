//! Declarations outside procedures: types, constants, variables, functions, axioms.

use super::Checker;
use super::expr::StateContext;
use crate::boogie::ast::{self, Decl, Pos};
use crate::boogie::error::Error;
use crate::boogie::order;
use crate::boogie::typed::{
    Axiom, BoogieType, Const, FunctionId, GlobalName, SolverFunction, TypeCon, TypeId, TypeName,
    TypedFunction, TypedVariable,
};
use crate::boogie::visible::has_flag;
use crate::internal::{Internal, Sure};

fn string_attr(attrs: &[ast::Attribute], names: &[&str]) -> Option<String> {
    let attr = attrs.iter().find(|a| names.contains(&a.name.as_str()))?;
    match attr.args.first() {
        Some(ast::AttrArg::Str(s)) => Some(s.clone()),
        _ => None,
    }
}

impl Checker<'_> {
    pub(super) fn types(&mut self, program: &ast::BoogieProgram) {
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
            names.insert(written.clone(), meaning);
            self.declared(pos, "type", written);
        }
    }

    /// A new type constructor.
    fn constructed(&mut self, name: &str, arity: usize, is_datatype: bool) -> TypeName {
        TypeName::Con(self.program.types.push(TypeCon {
            name: name.to_string(),
            arity,
            constructors: is_datatype.then(Vec::new),
        }))
    }

    /// The number of a type constructor.
    pub(super) fn type_con(&self, name: &str) -> Option<TypeId> {
        match self.program.names.types.get(name) {
            Some(TypeName::Con(con)) => Some(*con),
            _ => None,
        }
    }

    /// Constants, variables and the signatures of functions.
    pub(super) fn globals(&mut self, program: &ast::BoogieProgram) {
        for decl in &program.decls {
            match decl {
                Decl::Const(c) => {
                    let ty = self.exprs(StateContext::Global).resolve_type(&c.ty);
                    let Some(ty) = self.note(ty) else { continue };
                    let (name, unique) = (c.name.clone(), c.unique);
                    let id = self.program.consts.push(Const { name, ty, unique });
                    self.declare(&c.name, GlobalName::Const(id), c.pos);
                }
                Decl::Var(v) => {
                    let ty = self.exprs(StateContext::Global).resolve_type(&v.ty);
                    let Some(ty) = self.note(ty) else { continue };
                    let name = v.name.clone();
                    let id = self.program.globals.push(TypedVariable {
                        name,
                        ty,
                        where_: None,
                        assumption: false,
                    });
                    self.declare(&v.name, GlobalName::Global(id), v.pos);
                }
                Decl::Function(f) => self.function(f),
                Decl::Datatype(d) => self.datatype(d),
                _ => {}
            }
        }
    }

    fn declare(&mut self, name: &str, meaning: GlobalName, pos: Pos) {
        let names = &mut self.program.names.vars;
        names.insert(name.to_string(), meaning);
        self.declared(pos, "constant or variable", name);
    }

    pub(super) fn function(&mut self, f: &ast::FunctionDecl) {
        let type_params: Vec<u32> = f.type_params.iter().map(|_| self.number()).collect();
        let numbers: Vec<u32> = f.params.iter().map(|_| self.number()).collect();
        let mut exprs = self.exprs(StateContext::Global);
        exprs.scope.push(&f.type_params, &type_params);
        let params: Result<Vec<BoogieType>, Error> = f
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
            false => {
                string_attr(&f.attrs, &["bvbuiltin", "builtin", "smt"]).map(SolverFunction::Solver)
            }
        };
        let (made, new) = self.add_function(TypedFunction {
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
            let added = self.add_constructor(made, &result, names.zip(params).collect());
            self.note(added);
        }
    }

    /// Declares a function. Its place, and is its name new?
    pub(super) fn add_function(&mut self, function: TypedFunction) -> (FunctionId, bool) {
        let (name, pos) = (function.name.clone(), function.pos);
        let id = self.program.functions.push(function);
        let names = &mut self.program.names.functions;
        let new = names.insert(name.clone(), id).is_none();
        self.declared(pos, "function", &name);
        (id, new)
    }

    /// Bodies of functions, axioms and where clauses of globals.
    pub(super) fn formulas(&mut self, program: &ast::BoogieProgram) -> Result<(), Internal> {
        let mut bodies = Vec::new();
        let mut axioms = Vec::new();
        let mut wheres = Vec::new();
        let mut errors = Vec::new();
        let mut exprs = self.exprs(StateContext::Global);
        for decl in &program.decls {
            let result = match decl {
                Decl::Function(ast::FunctionDecl {
                    body: Some(body),
                    name,
                    type_params,
                    params,
                    ..
                }) => {
                    let index = *self.program.names.functions.get(name).sure()?;
                    let f = self.program.functions.at(index)?;
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
                    .of_type(&a.expr, &BoogieType::Bool, "an axiom")
                    .map(|expr| axioms.push(Axiom { pos: a.pos, expr })),
                Decl::Var(ast::VarDecl {
                    name,
                    where_: Some(e),
                    ..
                }) => {
                    let Some(GlobalName::Global(index)) = self.program.names.vars.get(name) else {
                        continue;
                    };
                    exprs.place = StateContext::OneState;
                    let result = exprs.of_type(e, &BoogieType::Bool, "a where clause");
                    exprs.place = StateContext::Global;
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
            self.program.functions.at_mut(index)?.body = Some(body);
        }
        for (index, e) in wheres {
            self.program.globals.at_mut(index)?.where_ = Some(e);
        }
        self.program.axioms = axioms;
        let number = self.number();
        let order = order::axioms(&program.decls, &self.program, number);
        if let Some(order) = self.note(order) {
            self.program.axioms.extend(order);
        }
        Ok(())
    }
}
