//! Client code of a class: which of its calls can end in the error.

use std::sync::Arc;

use super::{AnalysisError, NotThere};
use crate::ask::Disagreement;
use crate::engine::Choice;
use crate::front::tq::{self, Loaded, ast};
use crate::ir::{ClassId, Diagnostics, Program, Routine, RoutineRef, Source};
use crate::typestate::verify::monitor::{CallAutomaton, NOTE};
use crate::typestate::verify::{VerifyReport, VerifyTask, entries, verify};

/// Client code, and what it uses.
#[derive(Clone, Debug)]
pub struct Client {
    program: Arc<Program>,
    source: Arc<Source>,
    wanted: VerifyTask,
}

impl Client {
    /// Client code with the file, if there is one, of the classes that it uses. All its calls of them are looked at, from the
    /// routines of the client that no other one of it calls.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn new(client: &Source, library: Option<&Loaded>) -> Result<Self, Diagnostics> {
        let own = tq::parse_syntax(&client.name, &client.text)?;
        let own: Vec<&String> = (own.items.iter())
            .filter_map(|item| match item {
                ast::ItemSyntax::Class(class) => Some(&class.name.name),
                _ => None,
            })
            .collect();
        // The library stands behind the client, so that lines are the client's own.
        let mut text = client.text.clone();
        if let Some(library) = library {
            text.push('\n');
            text.push_str(&library.source.text);
        }
        let loaded = tq::parse_text(&client.name, &text)?;
        let all = (0..loaded.program.classes.len()).map(ClassId);
        let (clients, watched): (Vec<ClassId>, Vec<ClassId>) =
            all.partition(|c| own.contains(&&loaded.program.class(*c).name));
        Ok(Client {
            wanted: VerifyTask {
                entries: entries(&loaded.program, &clients),
                clients,
                watched,
                notes: Vec::new(),
            },
            program: loaded.program,
            source: loaded.source,
        })
    }

    /// The same client, where only calls of the class of an automaton (an EPA or an interface, as JSON) are looked at, and
    /// the class does what the automaton says.
    ///
    /// # Errors
    /// The text is no automaton, or not one of a class that the client uses.
    pub fn against(self, automaton: &Source) -> Result<Self, AnalysisError> {
        let not_read = |error| AnalysisError::Protocol(automaton.name.clone(), error);
        let protocol = CallAutomaton::read(&automaton.text).map_err(not_read)?;
        let (program, class) = protocol.imposed_on(&self.program).map_err(not_read)?;
        let clients = self.wanted.clients.into_iter().filter(|c| *c != class);
        let clients: Vec<ClassId> = clients.collect();
        Ok(Client {
            wanted: VerifyTask {
                entries: entries(&program, &clients),
                clients,
                watched: vec![class],
                notes: vec![NOTE.into()],
            },
            program: Arc::new(program),
            source: self.source,
        })
    }

    /// The same client, looked at from these of its routines: `main`, or `Client.main`.
    ///
    /// # Errors
    /// It has no such routine.
    pub fn from(self, names: &[String]) -> Result<Self, NotThere> {
        let entries = names.iter().map(|name| {
            let found = self.routines().find(|r| self.is_named(*r, name));
            found.ok_or_else(|| NotThere::Routine(name.clone()))
        });
        let entries = entries.collect::<Result<_, _>>()?;
        Ok(Client {
            wanted: VerifyTask {
                entries,
                ..self.wanted
            },
            ..self
        })
    }

    fn routines(&self) -> impl Iterator<Item = RoutineRef> {
        self.wanted.clients.iter().flat_map(|class| {
            let class = *class;
            let routines = 0..self.program.class(class).routines.len();
            routines.map(move |index| RoutineRef { class, index })
        })
    }

    fn is_named(&self, routine: RoutineRef, name: &str) -> bool {
        let class = &self.program.class(routine.class).name;
        let of_class = name
            .strip_prefix(class)
            .and_then(|rest| rest.strip_prefix('.'));
        let routine = self.program.routine(routine);
        let is = |name: &str| Routine::called([routine].into_iter(), name).is_some();
        is(name) || of_class.is_some_and(is)
    }

    /// What can go wrong.
    ///
    /// # Errors
    /// The client has no routine to start from, or the engine cannot be run.
    pub fn verify(
        &self,
        choice: &Choice,
    ) -> Result<(VerifyReport, Vec<Disagreement>), AnalysisError> {
        if self.wanted.entries.is_empty() {
            return Err(NotThere::Procedure(self.source.name.clone()).into());
        }
        let engine = choice.engine();
        let found = verify(&self.program, &self.source, &self.wanted, engine.as_ref());
        Ok(found?)
    }
}
