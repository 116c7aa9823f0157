//! Engines that lie: where the honest answer is "no", they say "yes", with a trace that they made up or with that of another
//! question. Whoever concludes something must see through it: nothing is claimed that an honest engine does not say, nothing
//! is lost that it says, and the lie is reported.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tranquera::ask::Answer;
use tranquera::encode::Encoding;
use tranquera::engine::{Builtin, Engine, EngineConfig, EngineError, Session};
use tranquera::epa::confirm::{self, Confirmed};
use tranquera::epa::explain::{Explanation, explain};
use tranquera::epa::wire::Certainty;
use tranquera::epa::{self, Abstraction, Constructed};
use tranquera::front::tq::{Loaded, with_predicates};
use tranquera::interface::synthesis::{self, Synthesised, synthesise};
use tranquera::ir::{ClassId, ExceptionId, formula};
use tranquera::query::kinds::interface::{Abstracted, Forbidden, Params};
use tranquera::query::{
    EdgeId, Effort, EntryProcedure, Extent, Limits, QuestionProgram, Reason, Recorded, Subject,
    Trace, Unknown, Verdict,
};
use tranquera::suite::{self, Coverage, suite};
use tranquera::typestate::automaton::certify::certify;
use tranquera::typestate::automaton::{Inference, infer};
use tranquera::typestate::precondition::{NormalForm, PathAnalysis, PreconditionOptions};
use tranquera::typestate::verify::{VerifyReport, VerifyTask, entries, verify};

use crate::support::class;

/// How an engine lies.
#[derive(Clone, Copy, Debug)]
enum Lie {
    /// It records whatever the text records, with values of its own.
    MadeUp(&'static str, &'static str),
    /// It gives the trace of a question that it was asked before.
    Another,
}

const LIES: [Lie; 3] = [
    Lie::MadeUp("0", "true"),
    Lie::MadeUp("1", "false"),
    Lie::Another,
];

struct Liar {
    honest: Builtin,
    lie: Lie,
    /// The last honest trace, of whatever program.
    before: Mutex<Trace>,
}

impl Liar {
    fn new(lie: Lie) -> Self {
        Liar {
            honest: Builtin::new(&EngineConfig::default()),
            lie,
            before: Mutex::default(),
        }
    }
}

impl Engine for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn version(&self) -> Result<String, EngineError> {
        Ok("0".into())
    }

    fn limits(&self) -> Limits {
        self.honest.limits()
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(Lying {
            honest: self.honest.open(program)?,
            liar: self,
        }))
    }
}

struct Lying<'a> {
    honest: Box<dyn Session + 'a>,
    liar: &'a Liar,
}

impl Session for Lying<'_> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        let honest = self.honest.ask(entry);
        let before = || {
            let before = self.liar.before.lock();
            before.unwrap_or_else(PoisonError::into_inner)
        };
        match (honest, self.liar.lie) {
            (Verdict::Reached(trace), _) => {
                before().clone_from(&trace);
                Verdict::Reached(trace)
            }
            (Verdict::Unreachable, Lie::MadeUp(number, truth)) => Verdict::Reached(Trace {
                values: made_up(&entry.text, number, truth),
                ..Trace::default()
            }),
            (Verdict::Unreachable, Lie::Another) => Verdict::Reached(before().clone()),
            (other, _) => other,
        }
    }
}

/// A value for each of those that a text records.
fn made_up(text: &str, number: &str, truth: &str) -> Vec<Recorded> {
    let recorded = text.lines().filter_map(|line| {
        let (_, rest) = line.split_once("{:cexpr \"")?;
        let (name, call) = rest.split_once('"')?;
        let value = if call.contains("record_bool") {
            truth
        } else {
            number
        };
        Some(Recorded {
            name: Some(name.to_owned()),
            value: value.to_owned(),
        })
    });
    recorded.collect()
}

/// A counter with a call that raises, and with edges that no object takes: nobody counts to more than three.
const CLASS: &str = "exception Full;
    class Counter {
      var count: int := 0;
      var open: bool := true;
      invariant 0 <= count;
      invariant !open ==> count == 0;
      constructor() { count := 0; open := true; }
      action add(n: int) requires open requires 0 < n && n < 3 {
        if (count + n > 3) { throw Full; }
        count := count + n;
      }
      action drain() requires count > 0 { count := 0; }
      action double() requires count > 0 { if (count > 3) { count := count * 2; } }
      action halve() requires count > 5 { count := 1; }
      action close() requires open && count == 0 { open := false; }
    }";

fn loaded() -> Loaded {
    class::parse(CLASS)
}

/// What is certain of an EPA's edges, and what edges it has.
fn edges(epa: &Abstraction) -> (BTreeSet<String>, BTreeSet<String>) {
    let epa = epa.epa();
    let enabled = |id: &str| epa.state(id).expect("a state").enabled.join(",");
    let made = epa.constructors.iter().map(|c| {
        let target = c.target.as_deref().map(enabled);
        (format!("{} -> {target:?}", c.name), c.verdict)
    });
    let transitions = epa.transitions.iter().map(|t| {
        let (source, target) = (enabled(&t.source), enabled(&t.target));
        let exception = t.exception.as_deref().unwrap_or_default();
        (
            format!("{source} {} {exception} -> {target}", t.action),
            t.verdict,
        )
    });
    let all: Vec<(String, Certainty)> = made.chain(transitions).collect();
    let certain = all.iter().filter(|(_, c)| *c == Certainty::Reached);
    (
        certain.map(|(edge, _)| edge.clone()).collect(),
        all.iter().map(|(edge, _)| edge.clone()).collect(),
    )
}

fn construct(encoding: &Encoding, engine: &dyn Engine) -> Constructed {
    let options = epa::ConstructOptions {
        jobs: 1,
        ..epa::ConstructOptions::default()
    };
    epa::construct(encoding, engine, &options).expect("an EPA")
}

fn honest() -> Builtin {
    Builtin::new(&EngineConfig::default())
}

#[test]
fn an_epa_claims_nothing_and_loses_nothing() {
    let encoding = class::encode(&loaded());
    let (certain, _) = edges(&construct(&encoding, &honest()).abstraction);
    // By hand, in the states 0, 1 to 5, above 5, closed: made, and 2, 5, 4 and no transitions.
    assert_eq!(certain.len(), 12);
    for lie in LIES {
        let found = construct(&encoding, &Liar::new(lie));
        let (claimed, all) = edges(&found.abstraction);
        assert!(claimed.is_subset(&certain), "{lie:?}: {claimed:?}");
        assert!(certain.is_subset(&all), "{lie:?}: {all:?}");
        assert!(!found.disagreements.is_empty(), "{lie:?}");
    }
}

/// An engine that is sure of nothing, and presumes.
#[derive(Clone, Copy, Debug)]
enum Presuming {
    /// What an honest one has found, and then it says that it does not know.
    Found,
    /// What an honest one has found elsewhere, or executions that there are not; if asked, it is honest.
    Anything(Lie),
}

struct Presumer {
    liar: Liar,
    presuming: Presuming,
}

impl Engine for Presumer {
    fn name(&self) -> &'static str {
        "presumer"
    }

    fn version(&self) -> Result<String, EngineError> {
        Ok("0".into())
    }

    fn limits(&self) -> Limits {
        self.liar.limits()
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(Presumes {
            honest: self.liar.honest.open(program)?,
            lying: self.liar.open(program)?,
            presuming: self.presuming,
        }))
    }
}

struct Presumes<'a> {
    honest: Box<dyn Session + 'a>,
    lying: Box<dyn Session + 'a>,
    presuming: Presuming,
}

impl Session for Presumes<'_> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        match (self.honest.ask(entry), self.presuming) {
            (Verdict::Reached(_), Presuming::Found) => Verdict::Unknown(Unknown {
                reason: Reason::Timeout,
                detail: String::new(),
                output: String::new(),
            }),
            (honest, _) => honest,
        }
    }

    fn presume(&self, entry: &EntryProcedure) -> Verdict {
        let said = match self.presuming {
            Presuming::Found => self.honest.ask(entry),
            Presuming::Anything(_) => self.lying.ask(entry),
        };
        match said {
            Verdict::Reached(trace) => Verdict::Presumed(trace),
            other => other,
        }
    }
}

#[test]
fn what_is_presumed_counts_where_it_runs_and_is_asked_where_it_does_not() {
    let encoding = class::encode(&loaded());
    let honest = edges(&construct(&encoding, &honest()).abstraction);
    let lies = LIES.map(Presuming::Anything);
    for presuming in [Presuming::Found].into_iter().chain(lies) {
        let lie = match presuming {
            Presuming::Found => Lie::Another,
            Presuming::Anything(lie) => lie,
        };
        let presumer = Presumer {
            liar: Liar::new(lie),
            presuming,
        };
        let found = construct(&encoding, &presumer);
        assert_eq!(edges(&found.abstraction), honest, "{presuming:?}");
        // Who presumes claims nothing.
        assert!(found.disagreements.is_empty(), "{presuming:?}");
    }
}

fn second_pass(loaded: &Loaded, encoding: &Encoding, engine: &dyn Engine) -> Confirmed {
    let before = construct(encoding, &honest()).abstraction;
    let options = confirm::ConfirmOptions {
        engine,
        searcher: engine,
        several: engine,
        source: &loaded.source,
        extent: Extent {
            max_calls: 5,
            time: Duration::from_secs(3000),
            ..Extent::DEFAULT
        },
    };
    confirm::confirm(encoding, &before, &options).expect("a second pass")
}

/// The edges that runs take, by their positions.
fn confirmed(found: &Confirmed) -> BTreeSet<usize> {
    let edges = found.edges.iter().enumerate();
    let taken = edges.filter(|(_, e)| matches!(e.status, confirm::Status::Confirmed { .. }));
    taken.map(|(index, _)| index).collect()
}

#[test]
fn no_run_is_confirmed_and_no_test_is_made_that_is_none() {
    let loaded = loaded();
    let encoding = class::encode(&loaded);
    let true_runs = second_pass(&loaded, &encoding, &honest());
    let options = suite::SuiteOptions {
        cover: Coverage::Transitions,
        ..suite::SuiteOptions::default()
    };
    let covered = |found: &Confirmed| -> BTreeSet<String> {
        let suite = suite(&encoding.subject, &loaded.source, found, &options);
        suite.covered.into_iter().collect()
    };
    for lie in LIES {
        let found = second_pass(&loaded, &encoding, &Liar::new(lie));
        assert!(
            confirmed(&found).is_subset(&confirmed(&true_runs)),
            "{lie:?}"
        );
        assert!(!found.disagreements.is_empty(), "{lie:?}");
        assert!(covered(&found).is_subset(&covered(&true_runs)), "{lie:?}");
    }
}

#[test]
fn an_explanation_shows_no_call_that_there_is_not() {
    let loaded = loaded();
    let encoding = class::encode(&loaded);
    let epa = construct(&encoding, &honest()).abstraction;
    // An edge that there is, and one that is drawn although nothing takes it.
    let drawn = EdgeId(epa.automaton.edges.len() - 1);
    let mut wrong = (*epa.automaton).clone();
    let edge = &mut wrong.edges[drawn.0];
    (edge.source, edge.target) = (edge.target, edge.source);
    let wrong = Abstraction {
        automaton: wrong.into(),
        ..epa.clone()
    };
    let explained = |engine: &dyn Engine, epa: &Abstraction| -> Explanation {
        let options = epa::ConstructOptions {
            jobs: 1,
            ..epa::ConstructOptions::default()
        };
        let effort = Effort {
            questions: 20,
            effects: 0,
        };
        explain(&encoding, engine, &options, epa, "an edge", drawn, effort).expect("explained")
    };
    assert!(explained(&honest(), &epa).witness.is_some());
    assert!(explained(&honest(), &wrong).witness.is_none());
    for lie in LIES {
        assert!(
            explained(&Liar::new(lie), &epa).witness.is_some(),
            "{lie:?}"
        );
        let found = explained(&Liar::new(lie), &wrong);
        assert!(found.witness.is_none(), "{lie:?}");
        assert!(found.doubt.is_some(), "{lie:?}");
    }
}

fn interface(loaded: &Loaded, engine: &dyn Engine) -> Synthesised {
    let full = loaded.program.exceptions.iter().position(|e| e == "Full");
    let forbidden = Forbidden {
        exceptions: BTreeSet::from([ExceptionId(full.expect("declared"))]),
        requires: false,
    };
    let class = class::last(&loaded.program);
    let empty = with_predicates(loaded, class, ("--predicate", &["count == 0".to_owned()]))
        .expect("a predicate");
    let subject = Subject::of_class(empty.program, class).into();
    let abstracted = Abstracted::new(subject, empty.exprs, forbidden, Params::Forall, false);
    let options = synthesis::SynthesisOptions {
        precision: synthesis::Precision::Call,
        superset: synthesis::SupersetCheck::Exact,
        feasibility: false,
        jobs: 1,
        witnesses: true,
    };
    synthesise(&abstracted, engine, &options).expect("an interface")
}

#[test]
fn an_interface_is_not_safe_by_a_lie_nor_is_a_prohibition_shown_by_one() {
    let loaded = loaded();
    let shown = |found: &Synthesised| -> BTreeSet<String> {
        let prohibitions = found.interface.prohibitions.iter();
        let shown = prohibitions.filter(|p| p.witness.is_some());
        shown.map(|p| p.action.clone()).collect()
    };
    let truth = interface(&loaded, &honest());
    // Three are full, and two fit in twice.
    assert_eq!(shown(&truth), BTreeSet::from(["add".to_owned()]));
    for lie in LIES {
        let found = interface(&loaded, &Liar::new(lie));
        assert!(shown(&found).is_subset(&shown(&truth)), "{lie:?}");
        assert!(!found.disagreements.is_empty(), "{lie:?}");
    }
}

#[test]
fn preconditions_are_not_said_to_be_too_strong_by_a_lie() {
    let loaded = loaded();
    let subject = class::subject(&loaded);
    let actions: Vec<_> = subject.actions.iter().map(|a| a.routine).collect();
    let mode = NormalForm::Prime;
    let options = PreconditionOptions {
        mode,
        ..PreconditionOptions::default()
    };
    let mut analysis = PathAnalysis::new(&loaded.program, subject.class, options).expect("Z3");
    let wanted = Inference {
        actions,
        mode,
        max_states: 64,
    };
    let mut found = infer(&mut analysis, &wanted).preconditions;
    let encoding = class::encode(&loaded);
    for lie in LIES {
        let (all, disagreements) = certify(&encoding, &Liar::new(lie), &found).expect("asked");
        let yes = all.iter().any(|c| matches!(c.answer, Answer::Yes(_)));
        assert!(!yes, "{lie:?}: {all:?}");
        assert!(!disagreements.is_empty(), "{lie:?}");
    }
    // Where one is too strong, that is said.
    for precondition in &mut found {
        precondition.cases = formula::any([]);
    }
    let (all, _) = certify(&encoding, &honest(), &found).expect("asked");
    assert!(all.iter().any(|c| matches!(c.answer, Answer::Yes(_))));
}

/// A client that uses a counter as it should, in one of its two routines.
const CLIENT: &str = "class Client {
      procedure right(n: int) requires n == 1 { var c: Counter? := null; c := new Counter(); c.add(n); c.drain(); }
      procedure wrong(n: int) { var c: Counter? := null; c := new Counter(); c.drain(); }
    }";

fn verified(engine: &dyn Engine) -> (VerifyReport, usize) {
    let loaded = class::parse(&format!("{CLIENT}\n{CLASS}"));
    let program = &loaded.program;
    let client = program.class_named("Client").expect("declared");
    let watched = (0..program.classes.len()).map(ClassId);
    let wanted = VerifyTask {
        clients: vec![client],
        watched: watched.filter(|c| *c != client).collect(),
        entries: entries(program, &[client]),
        notes: vec![],
    };
    let (report, disagreements) =
        verify(program, &loaded.source, &wanted, engine).expect("verified");
    (report, disagreements.len())
}

#[test]
fn a_client_is_not_blamed_by_a_lie() {
    let found = |report: &VerifyReport| -> BTreeSet<String> {
        let findings = report.findings.iter();
        findings
            .map(|f| format!("{} {}", f.entry, f.exception))
            .collect()
    };
    let (truth, none) = verified(&honest());
    assert_eq!(found(&truth).len(), 1, "{truth:?}");
    assert_eq!(none, 0);
    for lie in LIES {
        let (report, disagreements) = verified(&Liar::new(lie));
        assert!(
            found(&report).is_subset(&found(&truth)),
            "{lie:?}: {report:?}"
        );
        assert!(!report.undecided.is_empty(), "{lie:?}");
        assert!(disagreements > 0, "{lie:?}");
    }
}
