//! The EPA with all that a person may want to see of it: the second pass, what the engine answered, what is behind the page.

use super::{Analysis, AnalysisError};
use crate::ask::Disagreement;
use crate::epa::access::AccessMatrix;
use crate::epa::explain::{self, Explanation};
use crate::epa::wire::EpaFinding;
use crate::epa::{self, Abstraction, Epa, answers};
use crate::query::{Effort, Extent, StateId};
use crate::view::access::AccessTable;
use crate::view::html::{Background, Deadlock};

/// So many states in which nothing can be called are explained.
const MOST_DEADLOCKS: usize = 3;
/// What a clause does to an EPA is found out only where the EPA took no more questions than these: it is asked for anew.
const MOST_QUESTIONS: u64 = 300;

/// What is wanted besides the EPA.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// How the EPA is found.
    pub epa: epa::ConstructOptions,
    /// The second pass, and how far it may go.
    pub confirm: Option<Extent>,
    /// For every edge what the engine answered.
    pub answers: bool,
    /// What a page needs; it needs the answers too.
    pub page: bool,
}

/// An EPA, and what was wanted besides.
pub struct Drawn {
    /// The EPA.
    pub abstraction: Abstraction,
    /// The EPA as it is printed.
    pub epa: Epa,
    /// What is behind the page.
    pub background: Option<Background>,
    /// Answers of the engine that a replay contradicted.
    pub disagreements: Vec<Disagreement>,
    /// What was contradicted in the second pass, where not all of it shows in the disagreements.
    pub untold: Option<String>,
    /// How many answers, traces and proofs were contradicted.
    pub contradicted: usize,
}

impl Analysis {
    /// The EPA with all that is wanted besides. Where it is interrupted, there is no second pass.
    ///
    /// # Errors
    /// The engine cannot be run at all, or knows so little that there would be too much to ask.
    pub fn draw(&self, wanted: &PageOptions) -> Result<Drawn, AnalysisError> {
        let made = self.epa(&wanted.epa)?;
        let mut abstraction = made.abstraction;
        let mut disagreements = made.disagreements;
        let mut untold = None;
        let mut contradicted = disagreements.len();
        // Of the EPA before anything is refuted: what is refuted is there no more.
        let deadlocks = match wanted.page {
            true => self.deadlocks(&wanted.epa, &abstraction)?,
            false => Vec::new(),
        };
        if let Some(extent) = wanted.confirm.filter(|_| !self.is_interrupted()) {
            let found = self.confirm(&abstraction, &extent)?;
            contradicted += found.errors.len();
            untold = found.untold();
            disagreements.extend(found.disagreements);
            abstraction = found.abstraction;
        }
        let mut epa = abstraction.epa();
        let mut access = None;
        if wanted.page && self.input.messages.is_some() && !self.is_interrupted() {
            let (matrix, told) = self.access(&abstraction)?;
            contradicted += told.len();
            disagreements.extend(told);
            epa.findings.extend(lost(&matrix));
            access = matrix.asks_somebody().then(|| AccessTable::of(&matrix));
        }
        if wanted.answers || wanted.page {
            self.tell_answers(&abstraction, &mut epa)?;
        }
        let background = match wanted.page {
            true => Some(Background {
                deadlocks,
                access,
                ..Background::of(&self.encoding, &self.input.loaded.source, &abstraction)?
            }),
            false => None,
        };
        Ok(Drawn {
            abstraction,
            epa,
            background,
            disagreements,
            untold,
            contradicted,
        })
    }

    /// Adds what the engine answered.
    fn tell_answers(&self, abstraction: &Abstraction, epa: &mut Epa) -> Result<(), AnalysisError> {
        let engine = format!("{}: {}", self.engine.name(), self.engine.version()?);
        let source = &self.input.loaded.source;
        answers::tell(self.subject(), source, &engine, abstraction, epa);
        Ok(())
    }

    /// Why the states are there in which nothing can be called.
    fn deadlocks(
        &self,
        options: &epa::ConstructOptions,
        epa: &Abstraction,
    ) -> Result<Vec<Deadlock>, AnalysisError> {
        let dead = epa.states().filter(|(_, enabled)| enabled.is_empty());
        let mut found = Vec::new();
        for (state, _) in dead.take(MOST_DEADLOCKS) {
            if self.is_interrupted() {
                break;
            }
            found.extend(self.why(options, epa, state)?.map(|explanation| Deadlock {
                state: epa.names.state(state).to_owned(),
                explanation,
            }));
        }
        Ok(found)
    }

    /// Why an edge is there that enters the state.
    fn why(
        &self,
        options: &epa::ConstructOptions,
        epa: &Abstraction,
        state: StateId,
    ) -> Result<Option<Explanation>, AnalysisError> {
        let Some((edge, name)) = explain::entering(epa, state) else {
            return Ok(None);
        };
        let options = epa::ConstructOptions {
            violations: false,
            ..options.clone()
        };
        let usual = Effort::default();
        let effort = Effort {
            effects: match epa.stats.queries.total {
                0..=MOST_QUESTIONS => 3,
                _ => 0,
            },
            ..usual
        };
        let engine = self.engine.as_ref();
        let why = explain::explain(&self.encoding, engine, &options, epa, &name, edge, effort);
        Ok(Some(why?))
    }
}

/// What can be lost in a contract, as findings: roles, and the ether that nobody can get out any more.
fn lost(matrix: &AccessMatrix) -> Vec<EpaFinding> {
    let findings = matrix.findings().into_iter().map(|finding| EpaFinding {
        kind: finding.kind.to_owned(),
        state: finding.state.map(str::to_owned),
        action: None,
        message: finding.whole(),
        run: None,
    });
    findings.collect()
}
