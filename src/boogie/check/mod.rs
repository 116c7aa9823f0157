//! Names and types of a whole program.

mod assert;
mod assign;
mod binders;
mod call;
mod code;
mod datatypes;
mod decls;
mod expr;
mod operators;
mod procedures;
mod stmt;
mod structured;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::boogie::ast::{self, Decl, Pos};
use crate::boogie::error::{Error, Errors};
use crate::boogie::typed::{ProcedureId, TypedProcedure, TypedProgram};
use crate::boogie::visible::visible;
use crate::ids::{Id, Table};
use crate::internal::Sure;
use expr::{ExprChecker, StateContext};

/// Resolves and types a program.
///
/// `modifies` clauses of procedures with a body are not held against the body (as in Corral, what a body really
/// modifies is worked out where it is needed).
///
/// # Errors
///
/// All name and type errors, in the order they were found.
pub fn check(program: &ast::BoogieProgram) -> Result<TypedProgram, Errors> {
    let program = visible(program);
    let program = program.as_ref();
    let mut checker = Checker::default();
    checker.types(program);
    checker.globals(program);
    checker.program.procedures = checker.procedures(program, 0)?.into_iter().collect();
    checker.stop_on_errors()?;
    checker.formulas(program)?;
    let bodies = checker.contracts_and_bodies(program, &[], &HashMap::new())?;
    for (id, parts) in bodies {
        parts.into(checker.program.procedures.at_mut(id)?);
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
pub fn check_entry(
    base: &TypedProgram,
    entry: &ast::BoogieProgram,
) -> Result<Vec<TypedProcedure>, Errors> {
    let mut checker = Checker {
        program: TypedProgram {
            names: base.names.clone(),
            types: base.types.clone(),
            consts: base.consts.clone(),
            functions: base.functions.clone(),
            globals: base.globals.clone(),
            fresh: base.fresh,
            ..TypedProgram::default()
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
            | Decl::Axiom(ast::AxiomDeclaration { pos, .. })
            | Decl::Var(ast::VarDecl { pos, .. }) => {
                checker
                    .errors
                    .push(Error::new(*pos, "an entry declares procedures only"));
            }
        }
    }
    let mut added = checker.procedures(entry, base.procedures.len())?;
    checker.stop_on_errors()?;
    let names = checker.program.names.procedures.clone();
    checker.base_procedures = Some(&base.procedures);
    let bodies = checker.contracts_and_bodies(entry, &added, &names)?;
    for (id, parts) in bodies {
        let place = id.index().checked_sub(base.procedures.len());
        parts.into(place.and_then(|i| added.get_mut(i)).sure()?);
    }
    checker.stop_on_errors()?;
    Ok(added)
}

#[derive(Default)]
struct Checker<'b> {
    program: TypedProgram,
    base_procedures: Option<&'b Table<ProcedureId, TypedProcedure>>,
    /// Where each name was first declared, with its kind.
    declared: HashMap<(&'static str, String), Pos>,
    errors: Vec<Error>,
}

impl<'b> Checker<'b> {
    fn stop_on_errors(&mut self) -> Result<(), Errors> {
        match self.errors.is_empty() {
            true => Ok(()),
            false => Err(Errors(std::mem::take(&mut self.errors))),
        }
    }

    /// Notes the declaration of a name, of which there must be one of a kind.
    fn declared(&mut self, pos: Pos, what: &'static str, name: &str) {
        match self.declared.entry((what, name.to_string())) {
            Entry::Vacant(place) => {
                place.insert(pos);
            }
            Entry::Occupied(first) => {
                let message = format!("more than one declaration of {what}: {name}");
                self.errors.push(Error {
                    first: Some(*first.get()),
                    ..Error::new(pos, message)
                });
            }
        }
    }

    fn note<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    /// A checker of what stands outside every procedure.
    fn global_exprs(&self) -> ExprChecker<'_> {
        self.exprs(StateContext::Global)
    }

    fn exprs(&self, place: StateContext) -> ExprChecker<'_> {
        ExprChecker::new(&self.program, place, self.program.fresh)
    }

    fn number(&mut self) -> u32 {
        self.program.fresh += 1;
        self.program.fresh - 1
    }
}
