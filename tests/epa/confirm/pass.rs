//! A class with what the second pass finds of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use tranquera::encode::Encoding;
use tranquera::engine::EngineConfig;
use tranquera::epa::confirm::{self, Confirmations, Status};
use tranquera::epa::{self, Abstraction, Epa, Exceptions, Strategy};
use tranquera::front::tq::Loaded;
use tranquera::query::{Extent, Limits};

use crate::support::program::root;
use crate::support::{class, real};

/// An edge: the enabled actions of its source (none for a constructor), what is called, the enabled actions of its
/// target.
pub type Edge = (Option<BTreeSet<String>>, String, BTreeSet<String>);

fn config(bound: u32) -> EngineConfig {
    EngineConfig {
        limits: Limits {
            recursion_bound: bound,
            timeout: Duration::from_secs(30),
            ..Limits::default()
        },
        ..EngineConfig::default()
    }
}

pub struct Pass {
    pub epa: Epa,
    /// The EPA that is left.
    pub left: Epa,
    pub found: Confirmations,
}

pub fn second_pass(
    loaded: &Loaded,
    encoding: &Encoding,
    engine: &'static str,
    max_calls: u32,
) -> Pass {
    let epa = abstraction(encoding, engine, false);
    pass_over(loaded, encoding, epa, engine, max_calls)
}

fn pass_over(
    loaded: &Loaded,
    encoding: &Encoding,
    epa: Abstraction,
    engine: &'static str,
    max_calls: u32,
) -> Pass {
    let low = real::engine(engine, &config(3));
    let high = real::engine(engine, &config(12));
    let options = confirm::ConfirmOptions {
        engine: low.as_ref(),
        searcher: high.as_ref(),
        several: high.as_ref(),
        source: &loaded.source,
        extent: Extent {
            max_calls,
            time: Duration::from_secs(3000),
            ..Extent::DEFAULT
        },
    };
    let found = confirm::confirm(encoding, &epa, &options).expect("a second pass");
    assert_eq!(found.errors, Vec::<String>::new());
    Pass {
        epa: epa.epa(),
        left: found.abstraction.epa(),
        found: found.confirmations(),
    }
}

/// The EPA before the second pass; whether the invariant can be broken is asked or not.
pub fn abstraction(encoding: &Encoding, engine: &'static str, violations: bool) -> Abstraction {
    let options = epa::ConstructOptions {
        strategy: Strategy::Guided,
        jobs: 1,
        pure_shortcut: true,
        exceptions: Exceptions::Declared,
        violations,
        ..epa::ConstructOptions::default()
    };
    let engine = real::engine(engine, &config(3));
    let made = epa::construct(encoding, engine.as_ref(), &options);
    made.expect("an EPA").abstraction
}

impl Pass {
    pub fn of_text(text: &str, max_calls: u32) -> Pass {
        let loaded = class::parse(text);
        second_pass(&loaded, &class::encode(&loaded), "builtin", max_calls)
    }

    /// A class of which it is asked, too, whether its calls break the invariant.
    pub fn judging(text: &str) -> Pass {
        let loaded = class::parse(text);
        let encoding = class::encode(&loaded);
        let epa = abstraction(&encoding, "builtin", true);
        pass_over(&loaded, &encoding, epa, "builtin", 64)
    }

    fn enabled(&self, id: &str) -> BTreeSet<String> {
        let state = self.epa.state(id).expect("a state");
        state.enabled.iter().cloned().collect()
    }

    /// What was found of each edge.
    pub fn statuses(&self) -> BTreeMap<Edge, Status> {
        let edges = self.found.edges.iter();
        edges
            .map(|e| {
                let source = e.source.as_deref().map(|s| self.enabled(s));
                let target = self.enabled(e.target.as_deref().expect("a target"));
                ((source, e.action.clone(), target), e.status.clone())
            })
            .collect()
    }

    pub fn status(&self, edge: &str) -> &Status {
        let found = self.found.edges.iter().find(|e| e.edge == edge);
        &found.unwrap_or_else(|| panic!("no edge {edge}")).status
    }

    pub fn invariant(&self) -> &[String] {
        self.found
            .proof
            .as_ref()
            .map_or(&[], |p| p.invariant.as_slice())
    }
}

pub fn folder() -> PathBuf {
    root().join("fixtures/corral-2016")
}
