//! An interface of a class in a file.

use std::path::PathBuf;
use std::sync::Arc;

use tranquera::engine::EngineConfig;
use tranquera::front::tq::{Loaded, with_predicates};
use tranquera::interface::synthesis::{
    Precision, SupersetCheck, SynthesisOptions, Synthesised, synthesise, synthesise_by_rounds,
};
use tranquera::ir::ExceptionId;
use tranquera::query::kinds::interface::{Abstracted, Forbidden, Params};

use crate::support::program::root;
use crate::support::{class, real};

pub const LAST_RET: &str = "lastRet == -1";
pub const CURSOR: &str = "cursor == -1";

pub fn folder() -> PathBuf {
    root().join("fixtures/jist-2005")
}

pub fn options() -> SynthesisOptions {
    SynthesisOptions {
        precision: Precision::Call,
        superset: SupersetCheck::Exact,
        feasibility: false,
        jobs: 2,
        witnesses: true,
    }
}

pub fn forbidden(loaded: &Loaded, names: &[&str]) -> Forbidden {
    let mut forbidden = Forbidden::default();
    for name in names {
        match loaded.program.exceptions.iter().position(|e| e == name) {
            Some(id) => {
                forbidden.exceptions.insert(ExceptionId(id));
            }
            None => {
                assert_eq!(*name, "requires");
                forbidden.requires = true;
            }
        }
    }
    forbidden
}

/// What is to be synthesised.
#[derive(Clone)]
pub struct Wanted<'w> {
    file: &'w str,
    exceptions: &'w [&'w str],
    /// The predicates; found by the tool where there are none.
    predicates: Vec<String>,
    pub params: Params,
    pub options: SynthesisOptions,
}

impl<'w> Wanted<'w> {
    pub fn new(file: &'w str, exceptions: &'w [&'w str], predicates: &[&str]) -> Self {
        Wanted {
            file,
            exceptions,
            predicates: predicates.iter().map(ToString::to_string).collect(),
            params: Params::Forall,
            options: options(),
        }
    }

    pub fn by_the_paper(mut self) -> Self {
        self.options.superset = SupersetCheck::Jist;
        self
    }

    pub fn by_statements(mut self) -> Self {
        self.options.precision = Precision::Statement;
        self
    }

    pub fn run(&self) -> Synthesised {
        let path = root().join("fixtures").join(self.file);
        let mut loaded = class::load(&path);
        let class = tranquera::ir::ClassId(loaded.program.classes.len() - 1);
        let predicates = with_predicates(&loaded, class, ("--predicate", &self.predicates))
            .expect("predicates of the class");
        loaded.program = predicates.program;
        let subject = Arc::new(class::subject(&loaded));
        let forbidden = forbidden(&loaded, self.exceptions);
        let abstracted = Abstracted::new(subject, predicates.exprs, forbidden, self.params, false);
        let engine = real::engine("builtin", &EngineConfig::default());
        let synthesised = if self.predicates.is_empty() {
            synthesise_by_rounds(abstracted, engine.as_ref(), &self.options, 1)
        } else {
            synthesise(&abstracted, engine.as_ref(), &self.options)
        };
        let synthesised = synthesised.expect("an interface");
        assert_eq!(synthesised.disagreements, [], "{}", self.file);
        synthesised
    }
}
