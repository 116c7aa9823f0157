//! Iterative deepening: what hits the bound is asked again, with a higher one.

use serde_json::Value;

use crate::support::program::json;

fn epa(options: &[&str]) -> Value {
    let class = "fixtures/corral-2016/loop6.tq";
    let arguments = ["epa", class, "--engine", "boogie", "--format", "json"];
    json([&arguments, options].concat())
}

/// The reference: the loop of this class takes ten rounds, so that a bound of 3 leaves it open and one of 24 does not;
/// then it is one edge, to the state it comes from.
#[test]
fn a_loop_of_ten_rounds_is_decided() {
    let transitions = |epa: &Value| {
        let all = epa["transitions"].as_array().expect("transitions").clone();
        let of_loop = |t: &Value| t["action"] == "CicloNoDeberiaIrA10ConIf";
        all.into_iter().filter(of_loop).collect::<Vec<_>>()
    };
    let open = transitions(&epa(&[]));
    assert!(open.iter().all(|t| t["verdict"] == "maybe"), "{open:?}");
    let decided = transitions(&epa(&["--deepen", "24"]));
    assert_eq!(decided.len(), 1, "{decided:?}");
    assert_eq!(decided[0]["verdict"], "reached");
    assert_eq!(decided[0]["source"], decided[0]["target"]);
}
