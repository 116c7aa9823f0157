//! The façade: a class, an engine, and all that can be made of the two. The command line is a thin layer over it, and so can
//! another program be.
//!
//! A class that was loaded ([`Input`]), if need be with more contracts than were written ([`Input::with_contracts`]), is with an
//! engine that was chosen ([`Choice`]) an [`Analysis`], which gives the EPA, the second pass, explanations, the page, tests,
//! interfaces, typestate automata. Client code of a class is looked at by [`Client`]. What they give is data; `view` draws it.
//!
//! An analysis shares nothing with another one, so that classes can be analysed side by side. Each can have a limit of
//! time, with [`Analysis::within`].

mod client;
mod failure;
mod interface;
mod page;
#[cfg(test)]
mod tests;
mod typestate;

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub use client::Client;
pub use failure::{AnalysisError, NotThere};
pub use interface::{InterfaceWanted, WithInterface};
pub use page::{Drawn, PageOptions};
pub use typestate::{TypestateWanted, WithTypestate};

use crate::ask::Disagreement;
use crate::encode::Encoding;
use crate::engine::{Choice, Engine, Listening};
use crate::epa::access::{self, AccessMatrix};
use crate::epa::confirm::{self, Confirmed};
use crate::epa::explain::{self, Explanation};
use crate::epa::{self, Abstraction, ConstructError, Constructed, Proved, StateInvariants};
use crate::ir::{Diagnostic, DiagnosticSink, Diagnostics};
use crate::load::Input;
use crate::query::{Effort, EntryProcedure, Extent, Subject};
use crate::suite::{self, Suite};

/// How long the solver may work for a question of which much depends on luck, and little on the answer.
const TRIAL: Duration = Duration::from_secs(5);

/// Of a limited time, no more than such a part is for these.
const PART_OF_TRIALS: u32 = 6;

/// A class under analysis, and the engine that is asked about it.
///
/// # Examples
/// A turnstile that can be left in a state in which nothing can be called, why, and a test that goes there:
///
/// ```
/// use tranquera::analysis::Analysis;
/// use tranquera::{engine::Choice, epa, front::tq, load::Input, query::Extent, suite};
///
/// let text = "class Turnstile {
///     var coins: nat;
///     var open: bool;
///     constructor(n: nat) { coins := n; open := false; }
///     action pay() requires !open requires coins > 0 { coins := coins - 1; open := true; }
///     action pass() requires open { open := false; }
/// }";
/// let input = Input::last(tq::parse_text("turnstile.tq", text)?)?;
/// let analysis = Analysis::new(input, Choice::default())?;
///
/// let options = epa::ConstructOptions::default();
/// let made = analysis.epa(&options)?;
/// let explanation = analysis.explain(&options, &made.abstraction, "S3 -pass-> S1")?;
/// assert_eq!(made.epa().states[0].enabled, Vec::<String>::new());
/// assert!(explanation.witness.is_some());
///
/// let confirmed = analysis.confirm(&made.abstraction, &Extent::default())?;
/// let tests = analysis.tests(&confirmed, &suite::SuiteOptions::default());
/// assert!(tests.uncovered.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Analysis {
    input: Input,
    encoding: Encoding,
    choice: Choice,
    engine: Box<dyn Engine>,
    /// See [`Analysis::proved`]; none where no loop has an invariant.
    proved: OnceLock<Option<Proved>>,
}

impl Analysis {
    /// The analysis of a class.
    ///
    /// # Errors
    /// The class cannot be encoded, which no input can cause. Whether the engine can be run shows when it is asked.
    pub fn new(input: Input, choice: Choice) -> Result<Self, AnalysisError> {
        Ok(Analysis {
            encoding: Encoding::new(input.subject().into())?,
            engine: choice.engine(),
            input,
            choice,
            proved: OnceLock::new(),
        })
    }

    /// The same analysis, with this wall-clock time for all that it asks, which begins now. What is not known by then ends as
    /// if somebody had interrupted it: an edge stays, and is uncertain.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.choice.config.interrupt = self.choice.config.interrupt.within(time);
        self.engine = self.choice.engine();
        self
    }

    /// What is analysed.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// The class as questions know it.
    pub fn subject(&self) -> &Subject {
        &self.encoding.subject
    }

    /// The class as Boogie text.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Whether it was interrupted, or its time is over.
    pub fn is_interrupted(&self) -> bool {
        self.choice.config.interrupt.is_set()
    }

    /// The EPA.
    ///
    /// # Errors
    /// The engine cannot be run at all, or knows so little that there would be too much to ask.
    pub fn epa(&self, options: &epa::ConstructOptions) -> Result<Constructed, AnalysisError> {
        let options = &self.asked(options);
        let begin = Instant::now();
        let proved = self.proved(options.time, options.jobs)?;
        let encoding = proved.map_or(&self.encoding, |proved| &proved.encoding);
        let timed = options.time.and_then(|time| {
            Some(epa::TimedEngine {
                // Whoever gives more time than there is gives as much as there is.
                until: begin.checked_add(time)?,
                engine: self.choice.timed(time.saturating_sub(begin.elapsed())),
            })
        });
        let engine = self.engine.as_ref();
        let mut made = epa::construct_until(encoding, engine, timed.as_ref(), options)?;
        let is_settled = |routine| proved.is_some_and(|proved| proved.settled.contains(routine));
        let unsure = self.input.unsure.iter();
        let unsure = unsure.filter(|(routine, _)| !is_settled(routine));
        let notes = proved.into_iter().flat_map(|proved| &proved.notes);
        let notes = unsure.map(|(_, note)| note).chain(notes);
        let notes = self.input.notes.iter().chain(notes).cloned();
        made.abstraction.notes.splice(0..0, notes);
        if let Some(open) = proved.and_then(|proved| proved.open.clone()) {
            made.is_whole = false;
            made.open = Some(open);
        }
        Ok(made)
    }

    /// The options, without questions that need not be asked of this class.
    fn asked(&self, options: &epa::ConstructOptions) -> epa::ConstructOptions {
        epa::ConstructOptions {
            violations: options.violations && !self.input.is_kept,
            ..options.clone()
        }
    }

    /// The second pass: each edge of an EPA of the class confirmed by a run, or refuted by a proof, as far as it may go.
    ///
    /// # Errors
    /// The engine cannot be run.
    pub fn confirm(&self, epa: &Abstraction, extent: &Extent) -> Result<Confirmed, AnalysisError> {
        let limits = self.choice.config.limits;
        let prover = self.choice.within(extent.of_proof(limits));
        let searcher = self.choice.within(extent.of_run(limits));
        let several = self.choice.within(extent.of_several(limits));
        let options = confirm::ConfirmOptions {
            engine: prover.as_ref(),
            searcher: searcher.as_ref(),
            several: several.as_ref(),
            source: &self.input.loaded.source,
            extent: *extent,
        };
        Ok(confirm::confirm(self.relied_on()?, epa, &options)?)
    }

    /// Why an edge is there, and what would take it away. The edge is named as a person does (`S1 -pop-> S2`), the options are
    /// those that the EPA was made with.
    ///
    /// # Errors
    /// The EPA has no such edge, or the engine cannot be run.
    pub fn explain(
        &self,
        options: &epa::ConstructOptions,
        epa: &Abstraction,
        edge: &str,
    ) -> Result<Explanation, AnalysisError> {
        let found = explain::find(epa, edge)?;
        let engine = self.engine.as_ref();
        let effort = Effort::default();
        Ok(explain::explain(
            self.relied_on()?,
            engine,
            options,
            epa,
            edge,
            found,
            effort,
        )?)
    }

    /// Who can make which call in which state of an EPA of the class, and the answers that were contradicted.
    ///
    /// # Errors
    /// The class was not made of a contract, so that nobody is known who calls it; or the engine cannot be run.
    pub fn access(
        &self,
        epa: &Abstraction,
    ) -> Result<(AccessMatrix, Vec<Disagreement>), AnalysisError> {
        let Some(messages) = &self.input.messages else {
            return Err(NotThere::Sender(self.subject().name().to_owned()).into());
        };
        let limits = self.choice.config.limits;
        let searcher = self.choice.within(access::EXTENT.of_run(limits));
        let engines = (self.engine.as_ref(), searcher.as_ref());
        Ok(access::access(self.relied_on()?, engines, epa, messages)?)
    }

    /// What holds in each state of an EPA of the class, as far as it is found in this time, and the answers that were contradicted.
    ///
    /// # Errors
    /// The engine cannot be run.
    pub fn state_invariants(
        &self,
        epa: &Abstraction,
        time: Duration,
    ) -> Result<(StateInvariants, Vec<Disagreement>), AnalysisError> {
        let engine = self.engine.as_ref();
        Ok(epa::state_invariants(self.relied_on()?, engine, epa, time)?)
    }

    /// Tests from the runs that the second pass confirmed.
    pub fn tests(&self, found: &Confirmed, options: &suite::SuiteOptions<'_>) -> Suite {
        suite::suite(self.subject(), &self.input.loaded.source, found, options)
    }

    /// The questions that are asked to find the EPA, by their names.
    ///
    /// # Errors
    /// See [`Analysis::epa`].
    pub fn questions(
        &self,
        options: &epa::ConstructOptions,
    ) -> Result<BTreeMap<String, EntryProcedure>, AnalysisError> {
        let listening = Listening::new(self.engine.as_ref());
        let options = &self.asked(options);
        epa::construct(self.relied_on()?, &listening, options)?;
        Ok(listening.heard())
    }

    /// The class as what is asked about its objects relies on it: with what is proved of its loops, totals and calls.
    fn relied_on(&self) -> Result<&Encoding, AnalysisError> {
        let proved = self.proved(None, epa::ConstructOptions::default().jobs)?;
        Ok(proved.map_or(&self.encoding, |proved| &proved.encoding))
    }

    /// What was found out about the invariants of loops, of totals, and of calls; asked once, where there are some. Where there is
    /// no more than this time for all questions, some of it is for what is only tried. `jobs` of these are asked at once.
    fn proved(
        &self,
        time: Option<Duration>,
        jobs: usize,
    ) -> Result<Option<&Proved>, AnalysisError> {
        if let Some(proved) = self.proved.get() {
            return Ok(proved.as_ref());
        }
        let mut choice = self.choice.clone();
        let interrupt = &choice.config.interrupt;
        choice.config.interrupt = match time {
            Some(time) => interrupt.within(time / PART_OF_TRIALS),
            None => interrupt.child(),
        };
        let trial = choice.within(choice.config.limits.for_a_try(TRIAL));
        let proved = epa::prove(&self.encoding, self.engine.as_ref(), (trial.as_ref(), jobs));
        let proved = proved.map_err(|failure| self.placed(failure))?;
        Ok(self.proved.get_or_init(|| proved).as_ref())
    }

    /// A failure with the place in the class's text where it has one.
    fn placed(&self, failure: ConstructError) -> AnalysisError {
        let ConstructError::Loop(wrong) = failure else {
            return failure.into();
        };
        let mut found = DiagnosticSink::default();
        found
            .push(Diagnostic::error("this loop invariant does not hold").at(wrong.span, wrong.how));
        Diagnostics::new(self.input.loaded.source.clone(), found).into()
    }
}
