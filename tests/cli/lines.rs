//! Runs tell the lines of the files that their user knows, not of the text that a front end made of these. What is expected
//! is read off the sources.

use crate::support::program::{stdout, tranquera};

/// What the second pass says of a class.
fn told(arguments: &[&str]) -> String {
    stdout(&tranquera(["confirm"]).args(arguments).assert().success())
}

/// A gate asks the class above it whether it is open (line 18, and there line 11), goes on (18, 21), and has it opened there (15).
#[test]
fn of_a_java_class_and_of_the_class_above_it() {
    let class = ["fixtures/java/classes", "--class", "protocols.Gate"];
    let told = told(&[class.as_slice(), &["--actions", "open,close"]].concat());
    let opened = "  2. open() -> S2  [open = true, closed = false]  (Gate.java line 18; Barrier.java line 11; Gate.java lines 18, 21; \
                  Barrier.java line 15; Gate.java line 22)\n";
    assert!(told.contains(opened), "{told}");
    let made =
        "  1. Gate(limit = 0) -> S1  [open = false, closed = false]  (Gate.java lines 11, 15)\n";
    assert!(told.contains(made), "{told}");
}

/// `donate` stands in lines 15 to 19, and what it asks and does in 16 to 18. The constructor has a line for itself.
#[test]
fn of_a_contract() {
    let contract = ["fixtures/solidity/benchmarks/crowdfunding.json"];
    let told = told(&[contract.as_slice(), &["--contract", "Crowdfunding"]].concat());
    let calls = |of: &str| -> Vec<&str> {
        let lines = told.lines().filter(|line| line.contains(of));
        lines.collect()
    };
    let (made, given) = (calls(". Crowdfunding("), calls(". donate("));
    assert!(!made.is_empty() && !given.is_empty(), "{told}");
    assert!(
        made.iter()
            .all(|line| line.ends_with("  (crowdfunding.sol line 13)")),
        "{told}"
    );
    assert!(
        given
            .iter()
            .all(|line| line.ends_with("  (crowdfunding.sol lines 16-18)")),
        "{told}"
    );
}

/// A class that is read as it is has no other lines than its own.
#[test]
fn of_a_class_in_the_language_itself() {
    let told = told(&["fixtures/corral-2016/vending_machine.tq"]);
    assert!(
        told.contains("  (line") && !told.contains(".tq line"),
        "{told}"
    );
}
