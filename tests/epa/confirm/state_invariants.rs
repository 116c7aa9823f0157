//! What holds in the states of an EPA: of random classes, no object that running everything reaches lacks it; of the papers', Boogie
//! proves it too.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::Config;
use tranquera::encode::Encoding;
use tranquera::engine::EngineConfig;
use tranquera::epa::{self, Abstraction, Exceptions, StateInvariants};
use tranquera::front::tq::Loaded;
use tranquera::interp::oracle::runs;
use tranquera::load::Input;

use super::random::of_remainders;
use crate::oracle::Class;
use crate::support::tape::Tape;
use crate::support::{class, random, real};

const TIME: Duration = Duration::from_secs(600);

fn options(exceptions: Exceptions) -> epa::ConstructOptions {
    epa::ConstructOptions {
        jobs: 1,
        exceptions,
        ..epa::ConstructOptions::default()
    }
}

fn found(loaded: &Loaded, exceptions: Exceptions) -> (Abstraction, StateInvariants) {
    let encoding: Encoding = class::encode(loaded);
    let engine = real::engine("builtin", &EngineConfig::default());
    let options = options(exceptions);
    let made = epa::construct(&encoding, engine.as_ref(), &options).expect("an EPA");
    let found = epa::state_invariants(&encoding, engine.as_ref(), &made.abstraction, TIME);
    let (found, disagreements) = found.expect("what holds");
    assert!(disagreements.is_empty());
    (made.abstraction, found)
}

/// The class with an action for each state that can be called where what is said of that state does not hold.
fn with_probes(text: &str, found: &StateInvariants) -> String {
    let body = text.trim_end().strip_suffix('}').expect("a class");
    let probes = found.states.iter().enumerate();
    let probes = probes.map(|(index, state)| {
        let holds = match state.possible {
            true => state.assumes.as_str(),
            false => "false",
        };
        format!("  action probe{index}() requires !({holds}) {{ }}\n")
    });
    format!("{body}{}}}\n", probes.collect::<String>())
}

/// How many clauses were found, once running everything shows no object that lacks one in the state that it is said of.
fn check(class: &Class) -> Result<usize, TestCaseError> {
    let (_, found) = found(&class::parse(&class.text), Exceptions::All);
    let text = with_probes(&class.text, &found);
    let probed = class::parse(&text);
    let runs = match runs(&probed.program, class::last(&probed.program), &class.domain) {
        Ok(runs) if !runs.is_cut => runs,
        _ => return Err(TestCaseError::reject("the oracle does not say it all")),
    };
    let made = runs
        .constructors
        .keys()
        .filter_map(|edge| edge.end.as_ref().ok());
    let ends = made.chain(runs.transitions.keys().map(|transition| &transition.target));
    for end in ends {
        let enabled: BTreeSet<&str> = end.iter().map(AsRef::as_ref).collect();
        let plain: BTreeSet<&str> = enabled
            .iter()
            .copied()
            .filter(|a| !a.starts_with("probe"))
            .collect();
        for (index, state) in found.states.iter().enumerate() {
            let here: BTreeSet<&str> = state.enabled.iter().map(String::as_str).collect();
            let lacks = enabled.contains(format!("probe{index}").as_str());
            prop_assert!(
                here != plain || !lacks,
                "{}: an object in it lacks {}\n{text}",
                state.id,
                state.assumes
            );
        }
    }
    let of_states = found.states.iter().map(|state| state.holds.len());
    Ok(found.everywhere.len() + of_states.sum::<usize>())
}

fn holds_of_all_objects(class: fn(&mut Tape) -> Class, cases: u32) {
    let cases = random::cases(cases);
    let config = Config {
        max_shrink_iters: 60,
        max_global_rejects: 20 * cases.cases + 100,
        ..cases
    };
    let numbers = prop::collection::vec(any::<u16>(), 60..200);
    random::check_cases(config, numbers, |numbers| {
        let class = class(&mut Tape::new(numbers));
        let clauses = check(&class)?;
        println!("{}// {clauses} clauses\n", class.text);
        Ok(())
    });
}

#[test]
fn what_holds_in_a_state_holds_of_all_objects_with_remainders() {
    holds_of_all_objects(of_remainders, 20);
}

#[test]
fn what_holds_in_a_state_holds_of_all_objects_with_numbers() {
    holds_of_all_objects(Class::of_numbers, 10);
}

#[test]
fn what_holds_in_a_state_holds_of_all_objects_in_heaps() {
    holds_of_all_objects(Class::of_heaps, 6);
}

/// What is not proved of what was found, read back as part of the class.
fn unproved(file: &str, engine: &'static str) -> Vec<String> {
    let loaded = class::load(&Path::new("fixtures").join(file));
    let (before, found) = found(&loaded, Exceptions::Declared);
    let input = Input::last(loaded).expect("a class");
    let text = input.text_with(&found.members());
    let encoding = class::encode(&class::parse(&text));
    let engine = real::engine(engine, &EngineConfig::default());
    let options = options(Exceptions::Declared);
    let after = epa::construct(&encoding, engine.as_ref(), &options).expect("an EPA");
    let abstraction = &after.abstraction;
    let proved = abstraction.notes.iter();
    let proved = proved.filter(|note| note.contains("is proved")).count();
    assert_eq!(
        proved,
        found.members().len(),
        "{file}: {:?}",
        abstraction.notes
    );
    // States that no object is in are gone.
    let possible = found.states.iter().filter(|state| state.possible);
    assert_eq!(after.epa().states.len(), possible.count(), "{file}");
    assert!(before.states().count() >= after.epa().states.len());
    let findings = after.epa().findings.into_iter();
    let assumed = findings.filter(|finding| finding.kind.contains("assumption"));
    assumed.map(|finding| finding.message).collect()
}

const PROVED: [&str; 6] = [
    "corral-2016/vending_machine.tq",
    "corral-2016/finite_stack.tq",
    "corral-2016/list_itr.tq",
    "corral-2016/linked_list.tq",
    "corral-2016/atm.tq",
    "tse-2012/circular_buffer_strong.tq",
];

#[test]
fn what_was_found_is_proved_where_it_is_read_back() {
    for file in PROVED {
        assert_eq!(unproved(file, "builtin"), Vec::<String>::new(), "{file}");
    }
}

#[test]
fn boogie_proves_what_was_found() {
    for file in &PROVED[..2] {
        assert_eq!(unproved(file, "boogie"), Vec::<String>::new(), "{file}");
    }
}
