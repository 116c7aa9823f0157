//! Invariants that are found in bodies, of random classes: whatever is run from where they hold, they hold where it ends.

use std::cell::Cell;

use proptest::prelude::*;
use tranquera::interp::oracle::{OracleError, explore};
use tranquera::ir::{Program, expr_text};
use tranquera::typestate::precondition::PreconditionOptions;
use tranquera::typestate::requires::{Proposed, invariants};

use crate::oracle::Class;
use crate::support::tape::Tape;
use crate::support::{class, random};

fn check(random: &Class, found_in_all: &Cell<usize>) -> Result<(), TestCaseError> {
    let mut program = (*class::parse(&random.text).program).clone();
    let (last, actions) = (class::last(&program), class::actions(&program));
    // What is written down is not asked about here, and may be wrong.
    program.classes[last.0].invariants.clear();
    program.classes[last.0].facts = 0;
    let options = PreconditionOptions::default();
    let found = invariants(&program, last, &actions, &Proposed::All, &options).expect("Z3");
    if found.is_empty() {
        return Err(TestCaseError::reject("nothing is found"));
    }
    let texts: Vec<String> = found.iter().map(|e| expr_text(&program, last, e)).collect();
    let run = |program: &Program| match explore(program, last, &random.domain) {
        Ok(run) => Ok(run),
        Err(OracleError::TooLarge | OracleError::Undetermined(_)) => {
            Err(TestCaseError::reject("it cannot be run"))
        }
    };
    if !run(&program)?.violations.is_empty() {
        return Err(TestCaseError::reject("it breaks what its types promise"));
    }
    program.classes[last.0].invariants = found;
    let run = run(&program)?;
    found_in_all.set(found_in_all.get() + texts.len());
    let (violations, text) = (&run.violations, &random.text);
    prop_assert!(violations.is_empty(), "{violations:?}\n{texts:?}\n{text}");
    Ok(())
}

fn invariants_hold(make: fn(&mut Tape) -> Class, cases: u32, numbers: std::ops::Range<usize>) {
    let found = Cell::new(0);
    let numbers = prop::collection::vec(any::<u16>(), numbers);
    random::check_cases(random::cases(cases), numbers, |numbers| {
        check(&make(&mut Tape::new(numbers)), &found)
    });
    assert!(found.get() >= cases as usize, "{}", found.get());
}

#[test]
fn of_classes_with_numbers() {
    invariants_hold(Class::of_numbers, 24, 60..300);
}

#[test]
fn of_classes_with_objects() {
    invariants_hold(Class::of_heaps, 12, 60..300);
}

#[test]
fn of_classes_that_keep_things() {
    invariants_hold(Class::of_stores, 12, 40..160);
}
