//! A class under study, encoded: its program text once, to which each question adds its entry procedure.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::program::program_text;
use super::storage::Storage;
use crate::ir::effects::finite_support;
use crate::ir::effects::walk::statements;
use crate::ir::shares::has_shares;
use crate::ir::{self, ClassId, Expr, FieldRef, StmtKind, Type};
use crate::query::{QuestionProgram, Subject};

/// A class under study, encoded.
#[derive(Clone, Debug)]
pub struct Encoding {
    /// The class.
    pub subject: Arc<Subject>,
    /// The same with shares as products, where this one says only what is linear of them.
    exact: Option<Box<Encoding>>,
    /// The same without the runs that take a value which is not known.
    certain: Option<Box<Encoding>>,
    pub(super) storage: Storage,
    /// Its maps that have one value at all keys but a few, with that value.
    pub(super) support: BTreeMap<FieldRef, Expr>,
    text: String,
}

impl Encoding {
    /// Encodes a class.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn new(subject: Arc<Subject>) -> Result<Self, askama::Error> {
        let storage = Storage::new(Arc::clone(&subject.program), subject.class);
        let exact = Encoding::with_storage(Arc::clone(&subject), storage)?;
        let exact = match guesses(&subject.program) {
            true => {
                let storage = exact.storage.clone().without_guesses();
                let certain = Encoding::with_storage(Arc::clone(&subject), storage)?;
                Encoding {
                    certain: Some(Box::new(certain)),
                    ..exact
                }
            }
            false => exact,
        };
        if !has_shares(&subject.program) {
            return Ok(exact);
        }
        let storage = exact.storage.clone().with_linear_shares();
        Ok(Encoding {
            certain: exact.certain.clone(),
            exact: Some(Box::new(exact)),
            ..Encoding::with_storage(subject, storage)?
        })
    }

    fn with_storage(subject: Arc<Subject>, storage: Storage) -> Result<Self, askama::Error> {
        let support = finite_support(&subject.program, &subject.effects, subject.class);
        let text = program_text(&storage, &subject.effects, support.keys())?;
        Ok(Encoding {
            subject,
            exact: None,
            certain: None,
            storage,
            support,
            text,
        })
    }

    /// The same with shares as products of variables. None where this one has them, or there are none: what is reached in it,
    /// the class does.
    pub fn exact(&self) -> Option<&Encoding> {
        self.exact.as_deref()
    }

    /// The same without the runs that take a value which is not known (`havoc?`). None where there are no such runs: what is reached
    /// in it, the class certainly does.
    pub fn certain(&self) -> Option<&Encoding> {
        self.certain.as_deref()
    }

    /// Encodes a class with all its actions.
    ///
    /// # Errors
    /// See [`Encoding::new`].
    pub fn of_class(program: &Arc<ir::Program>, class: ClassId) -> Result<Self, askama::Error> {
        Encoding::new(Arc::new(Subject::of_class(Arc::clone(program), class)))
    }

    /// Whether the program makes new objects or arrays of this type.
    pub fn makes(&self, ty: &Type) -> bool {
        self.storage.is_allocated(ty)
    }

    /// The Boogie program to which the questions' entries are added.
    pub fn program(&self) -> QuestionProgram {
        QuestionProgram {
            name: self.subject.name().to_string(),
            text: self.text.clone(),
            maps: self.subject.has_maps(),
        }
    }
}

/// Whether a program takes values that are not known.
fn guesses(program: &ir::Program) -> bool {
    let routines = program.classes.iter().flat_map(|class| &class.routines);
    let bodies = routines.filter_map(|routine| routine.body.as_deref());
    let statements = statements(bodies);
    statements
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Guess(_)))
}
