//! The interface of a class: which calls never raise an exception, after which history.

use std::sync::Arc;

use super::{Analysis, AnalysisError, NotThere};
use crate::epa;
use crate::front::tq::with_predicates;
use crate::interface::bounds::bounds;
use crate::interface::export::Exported;
use crate::interface::synthesis::{self, Synthesised, synthesise, synthesise_by_rounds};
use crate::ir::{JavaCalls, Program};
use crate::query::Subject;
use crate::query::kinds::interface::{Abstracted, Forbidden, Params};

/// What is wanted of an interface.
#[derive(Clone, Debug)]
pub struct InterfaceWanted {
    /// What must never happen: exceptions, or `requires`: a call whose requires clauses do not hold.
    pub forbidden: Vec<String>,
    /// Predicates over the fields to tell objects apart by; where there are none, they are found in the class.
    pub predicates: Vec<String>,
    /// Where predicates are found: how often assignments are looked through for more.
    pub rounds: usize,
    /// Who chooses the arguments of calls.
    pub params: Params,
    /// Whether the caller sees nothing of how a call ends.
    pub blind: bool,
    /// Whether it is shown beside it what may happen (the EPA) and what the EPA alone guarantees, and up to which length
    /// histories are counted.
    pub must: Option<usize>,
    /// How it is made.
    pub options: synthesis::SynthesisOptions,
}

/// An interface, and what code is made from.
pub struct WithInterface {
    /// The interface.
    pub synthesised: Synthesised,
    /// The class, and what is seen of its calls.
    seen: Abstracted,
    /// What the calls are in Java, where the class is one of Java.
    java: Option<Arc<JavaCalls>>,
}

impl WithInterface {
    /// What code is made from.
    pub fn exported(&self) -> Exported<'_> {
        Exported {
            interface: &self.seen,
            alphabet: &self.synthesised.explored.abstraction.alphabet,
            automaton: &self.synthesised.automaton,
            java: self.java.as_deref(),
        }
    }
}

impl Analysis {
    /// The interface.
    ///
    /// # Errors
    /// A predicate or an exception is none, the engine cannot be run, or there is too much to look at.
    pub fn interface(&self, wanted: &InterfaceWanted) -> Result<WithInterface, AnalysisError> {
        let input = &self.input;
        let read = with_predicates(
            &input.loaded,
            input.class,
            ("--predicate", &wanted.predicates),
        )?;
        let forbidden = forbidden(&read.program, &input.loaded.source.name, &wanted.forbidden)?;
        // The variables that the predicates bind are in a program of their own.
        let subject = Arc::new(Subject::new(read.program, input.class, &input.actions));
        let abstracted = |predicates| {
            let (subject, forbidden) = (Arc::clone(&subject), forbidden.clone());
            Abstracted::new(subject, predicates, forbidden, wanted.params, wanted.blind)
        };
        let (engine, options) = (self.engine.as_ref(), &wanted.options);
        let start = abstracted(read.exprs);
        let mut synthesised = match wanted.predicates.is_empty() {
            true => synthesise_by_rounds(start, engine, options, wanted.rounds)?,
            false => synthesise(&start, engine, options)?,
        };
        if let Some(longest) = wanted.must {
            self.add_bounds(options, longest, &mut synthesised)?;
        }
        Ok(WithInterface {
            synthesised,
            // What is seen of calls does not depend on the predicates, which may be found on the way.
            seen: abstracted(Vec::new()),
            java: self.input.java_calls.clone(),
        })
    }

    /// The EPA and Must(EPA) beside the interface.
    fn add_bounds(
        &self,
        options: &synthesis::SynthesisOptions,
        longest: usize,
        synthesised: &mut Synthesised,
    ) -> Result<(), AnalysisError> {
        let mut constructed = self.epa(&epa::ConstructOptions {
            violations: false,
            jobs: options.jobs,
            exceptions: epa::Exceptions::All,
            ..epa::ConstructOptions::default()
        })?;
        let disagreements = &mut synthesised.disagreements;
        disagreements.append(&mut constructed.disagreements);
        let forbidden = &synthesised.interface.forbidden;
        let (epa, automaton) = (&constructed.abstraction, &synthesised.automaton);
        synthesised.interface.bounds = Some(bounds(epa, forbidden, automaton, longest)?);
        Ok(())
    }
}

/// What must never happen, by its names.
fn forbidden(program: &Program, file: &str, names: &[String]) -> Result<Forbidden, NotThere> {
    let mut forbidden = Forbidden::default();
    for name in names {
        match program.exception_called(name) {
            Some(id) => {
                forbidden.exceptions.insert(id);
            }
            None if name == "requires" => forbidden.requires = true,
            None => {
                return Err(NotThere::Exception {
                    name: name.clone(),
                    file: file.to_owned(),
                    there: program.exceptions.clone(),
                });
            }
        }
    }
    Ok(forbidden)
}
