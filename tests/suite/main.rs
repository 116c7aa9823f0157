//! Tests made from confirmed runs. Those in Rust are compiled and run against implementations by hand
//! (`tests/suite/`): as they are, they pass; each with a bug seeded, they fail.

mod hardhat;
mod real;

#[path = "../support"]
mod support {
    pub mod program;
}

use std::process::{Command, Output};

use support::program::{root, tranquera};

const GATE: &str = "tests/suite/gate.tq";
const RING: &str = "tests/suite/ring.tq";
const SHELF: &str = "tests/suite/shelf.tq";

fn run(arguments: &[&str]) -> Output {
    let mut command = tranquera(["tests", "--engine", "builtin"]);
    command.args(arguments).output().expect("it runs")
}

fn tests(arguments: &[&str]) -> String {
    let output = run(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    // What is taken for granted of a contract is a note, and no complaint.
    let mut complaints = error.lines().filter(|line| !line.starts_with("note: "));
    assert_eq!(complaints.next(), None, "{error}");
    String::from_utf8(output.stdout).expect("text")
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&tests(&[arguments, &["--format", "json"]].concat())).expect("JSON")
}

fn fixture(name: &str) -> String {
    format!("fixtures/corral-2016/{name}.tq")
}

/// The suite for an implementation of a class, compiled; twice, without and with the bug.
struct Compiled {
    folder: tempfile::TempDir,
}

impl Compiled {
    fn new(class: &str, implementation: &str, subject: &str, options: &[&str]) -> Compiled {
        let folder = tempfile::tempdir().expect("a folder");
        let subject = format!("crate::implementation::{subject}");
        let arguments = [class, "--format", "rust", "--subject", &subject];
        let suite = tests(&[&arguments, options].concat());
        std::fs::write(folder.path().join("suite.rs"), suite).expect("written");
        let implementation = root().join("tests/suite").join(implementation);
        let main = format!("#[path = {implementation:?}]\nmod implementation;\nmod suite;\n");
        std::fs::write(folder.path().join("main.rs"), main).expect("written");
        Compiled { folder }
    }

    fn run(&self, bug: bool) -> (bool, String) {
        let program = self.folder.path().join(if bug { "bug" } else { "right" });
        let mut command = Command::new("rustc");
        command
            .current_dir(self.folder.path())
            .args([
                "--edition",
                "2021",
                "--test",
                "main.rs",
                "-A",
                "dead_code",
                "-D",
                "warnings",
            ])
            .arg("-o")
            .arg(&program);
        if bug {
            command.args(["--cfg", "seeded_bug"]);
        }
        let compiled = command.output().expect("rustc runs");
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{said}");
        let output = Command::new(program).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), said)
    }
}

/// The implementation passes, and with its bug it does not. How many tests there are.
fn passes_and_fails(class: &str, file: &str, subject: &str, options: &[&str]) -> usize {
    let compiled = Compiled::new(class, file, subject, options);
    let (right, said) = compiled.run(false);
    assert!(right, "{said}");
    let count = said.lines().filter(|l| l.ends_with("... ok")).count();
    assert!(count > 0, "{said}");
    let (right, said) = compiled.run(true);
    assert!(!right, "the bug is not found: {said}");
    assert!(said.contains("... FAILED"), "{said}");
    count
}

#[test]
fn the_vending_machine_is_tested() {
    passes_and_fails(
        &fixture("vending_machine"),
        "vending_machine.rs",
        "VendingMachine",
        &[],
    );
}

#[test]
fn the_finite_stack_is_tested() {
    passes_and_fails(
        &fixture("finite_stack"),
        "finite_stack.rs",
        "FiniteStack",
        &[],
    );
}

#[test]
fn the_door_is_tested() {
    passes_and_fails(&fixture("door"), "door.rs", "Door", &[]);
}

#[test]
fn exceptions_enums_and_results_are_tested() {
    passes_and_fails(GATE, "gate.rs", "Gate", &[]);
}

#[test]
fn arrays_are_given() {
    passes_and_fails(RING, "ring.rs", "Ring", &[]);
}

/// The edges that the tests take, and those that the report says are covered.
fn edges_taken(suite: &serde_json::Value) -> std::collections::BTreeSet<String> {
    let tests = suite["tests"].as_array().expect("tests").iter();
    let calls = tests.flat_map(|t| t["calls"].as_array().expect("calls"));
    calls
        .map(|c| c["edge"].as_str().expect("an edge").to_string())
        .collect()
}

#[test]
fn every_confirmed_edge_is_covered_and_no_test_is_idle() {
    // 2016 thesis: the classes, with the number of their edges that no object takes.
    for (name, refuted) in [
        ("vending_machine", 1),
        ("test2", 1),
        ("finite_stack", 0),
        ("door", 0),
        ("atm", 0),
        ("linear", 0),
    ] {
        let suite = json(&[&fixture(name)]);
        let covered: std::collections::BTreeSet<String> = (suite["covered"].as_array())
            .expect("a list")
            .iter()
            .map(|e| e.as_str().expect("an edge").to_string())
            .collect();
        assert_eq!(edges_taken(&suite), covered, "{name}");
        let uncovered = suite["uncovered"].as_array().expect("a list");
        assert_eq!(uncovered.len(), refuted, "{name}: {uncovered:?}");
        for uncovered in uncovered {
            let why = uncovered["why"].as_str().expect("a reason");
            assert!(why.starts_with("refuted: "), "{name}: {why}");
        }
        // Without any one test, something is not covered any more.
        let tests = suite["tests"].as_array().expect("tests");
        for left_out in 0..tests.len() {
            let mut fewer = suite.clone();
            fewer["tests"]
                .as_array_mut()
                .expect("tests")
                .remove(left_out);
            assert_ne!(
                edges_taken(&fewer),
                covered,
                "{name}: test {left_out} is idle"
            );
        }
    }
}

/// With pairs too, the right implementation passes and the wrong one does not.
#[test]
fn pairs_are_tested() {
    let transitions = passes_and_fails(&fixture("door"), "door.rs", "Door", &[]);
    let pairs = passes_and_fails(&fixture("door"), "door.rs", "Door", &["--cover", "pairs"]);
    assert!(pairs > transitions);
}

/// Worked out by hand: `Next` is -1 in S1, `Max` in S3 and between these in S2, and `Max` is 3 at least.
#[test]
fn the_pairs_without_a_run_are_those_that_no_object_takes() {
    let suite = json(&[&fixture("finite_stack"), "--cover", "pairs"]);
    let uncovered = suite["uncovered"].as_array().expect("a list").iter();
    let uncovered: Vec<&str> = uncovered.filter_map(|u| u["item"].as_str()).collect();
    assert_eq!(
        uncovered,
        [
            "S1 -Push-> S2, then S2 -Pop-> S2",
            "S1 -Push-> S2, then S2 -Push-> S3",
            "S2 -Pop-> S2, then S2 -Push-> S3",
            "S2 -Push-> S2, then S2 -Pop-> S1",
            "S3 -Pop-> S2, then S2 -Pop-> S1",
            "S3 -Pop-> S2, then S2 -Push-> S2",
        ]
    );
    // Edges into a state times edges out of it: S1, S2, S3.
    let follows = 5 * 3 + 6 * 6 + 3 * 3;
    let covered = suite["covered"].as_array().expect("a list");
    assert_eq!(covered.len(), follows - uncovered.len());
}

#[test]
fn every_state_is_visited_by_few_tests() {
    // One stack that is filled is in every state.
    let suite = json(&[&fixture("finite_stack"), "--cover", "states"]);
    assert_eq!(suite["tests"].as_array().map(Vec::len), Some(1));
    assert_eq!(suite["covered"].as_array().map(Vec::len), Some(3));
    passes_and_fails(
        &fixture("finite_stack"),
        "finite_stack.rs",
        "FiniteStack",
        &["--cover", "states"],
    );
}

/// What a test cannot make happen is not promised: a value of which nothing is known, and what a body leaves open.
#[test]
fn what_cannot_be_written_or_is_left_open_is_said() {
    let suite = json(&[&fixture("generic_stack_set")]);
    for uncovered in suite["uncovered"].as_array().expect("a list") {
        let why = uncovered["why"].as_str().expect("a reason");
        assert!(
            why.starts_with("confirmed, but there is no test: "),
            "{why}"
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("coin.tq");
    let class = "class Coin { var up: bool; constructor() { up := true; }
        action toss() requires up { if (*) { up := false; } } }";
    std::fs::write(&file, class).expect("written");
    let text = tests(&[file.to_str().expect("UTF-8")]);
    assert!(
        text.contains("toss() -> S2 {  }  (its arguments alone do not decide how this goes)"),
        "{text}"
    );
    assert!(text.contains("Coin() -> S1 { toss }\n"), "{text}");
}

/// Objects and arrays are told as they have to be, and one that is given twice is the same. By hand: `put` needs a full box,
/// `swap` the one that was put, `fill` an array of two with a 7 behind.
#[test]
fn what_calls_are_given_is_told() {
    let class = "class Box { var full: bool; }
        class Store { var held: Box?; var filled: bool;
          constructor() { held := null; filled := false; }
          action put(b: Box) requires held == null && b.full { held := b; }
          action swap(b: Box) requires held != null && b == held { held := null; }
          action fill(a: array<int>) requires !filled && a.length == 2 && a[1] == 7 { filled := true; } }";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("store.tq");
    std::fs::write(&file, class).expect("written");
    let suite = json(&[file.to_str().expect("UTF-8")]);
    let uncovered = suite["uncovered"].as_array().expect("a list");
    assert!(uncovered.is_empty(), "{uncovered:?}");
    let tests = suite["tests"].as_array().expect("tests").iter();
    let (mut put, mut swapped, mut filled) = (0, 0, 0);
    for test in tests {
        let mut last = None;
        for call in test["calls"].as_array().expect("calls") {
            let (given, told) = (&call["arguments"][0]["value"], &call["objects"][0]);
            match call["name"].as_str().expect("a name") {
                "put" => {
                    assert_eq!((given, &told["type"]), (&told["name"], &"Box".into()));
                    assert_eq!(told["fields"][0]["value"], "true");
                    last = Some(given.clone());
                    put += 1;
                }
                "swap" => {
                    assert_eq!(Some(given.clone()), last);
                    swapped += 1;
                }
                "fill" => {
                    assert_eq!(told["elements"].as_array().map(Vec::len), Some(2));
                    assert_eq!(told["elements"][1], "7");
                    filled += 1;
                }
                _ => assert_eq!(told, &serde_json::Value::Null),
            }
        }
    }
    assert!(put > 0 && swapped > 0 && filled > 0, "{suite}");
}

#[test]
fn what_is_unconfirmed_is_said_with_the_bound() {
    let text = tests(&[&fixture("finite_stack"), "--max-calls", "2"]);
    let expected = "  S2 -Push-> S3\n    unconfirmed: no run of up to 2 calls\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn the_type_under_test_must_be_a_name() {
    for subject in ["", "a b", "crate::", "x::y;", "1st"] {
        let output = run(&[&fixture("door"), "--format", "rust", "--subject", subject]);
        assert_eq!(output.status.code(), Some(2), "{subject}");
        assert!(output.stdout.is_empty());
    }
    let output = run(&[&fixture("door"), "--subject", "crate::Door"]);
    assert_eq!(output.status.code(), Some(2), "for code only");
}

#[test]
fn the_gate_in_every_form() {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("gate.tests", tests(&[GATE]));
        insta::assert_snapshot!("gate.rust", tests(&[GATE, "--format", "rust"]));
        insta::assert_snapshot!("gate.junit", tests(&[GATE, "--format", "junit", "--subject", "org.example.Gate"]));
        insta::assert_snapshot!("gate.xunit", tests(&[GATE, "--format", "xunit", "--subject", "Example.Gate"]));
    });
}

/// Arrays and objects are variables, and one that is given twice is the same one. By hand: of what objects do, only the
/// `swap` with a shelf that was used before cannot be made by a constructor.
#[test]
fn objects_are_made_by_constructors() {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("shelf.junit", tests(&[SHELF, "--format", "junit", "--subject", "org.example.Shelf"]));
        insta::assert_snapshot!("ring.rust", tests(&[RING, "--format", "rust"]));
    });
}

const TWO_STEP: &str = "fixtures/solidity/benchmarks/two_step.json";
const CROWDFUNDING: &str = "fixtures/solidity/benchmarks/crowdfunding.json";

/// The tests that the real machine runs (`evm/`), in the file of another project.
#[test]
fn a_contract_for_foundry() {
    let contract = "src/ownership/TwoStep.sol:TwoStep";
    let written = tests(&[TWO_STEP, "--format", "foundry", "--subject", contract]);
    assert!(
        written.contains("import \"src/ownership/TwoStep.sol\";\n"),
        "{written}"
    );
    let recorded = root().join("evm/tests/foundry/TwoStep.t.sol");
    let recorded = std::fs::read_to_string(recorded).expect("read");
    assert_eq!(tests(&[TWO_STEP, "--format", "foundry"]), recorded);
}

#[test]
fn a_contract_for_hardhat() {
    let contract = "contracts/TwoStep.sol:TwoStep";
    let written = tests(&[TWO_STEP, "--format", "hardhat", "--subject", contract]);
    let named = format!("readArtifact(\"{contract}\")");
    assert!(written.contains(&named), "{written}");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("two_step.hardhat", tests(&[TWO_STEP, "--format", "hardhat"]));
    });
}

/// Those who are called have code, and take what they are sent or refuse it. What each state can do was worked out by hand:
/// who is not paid collects it later.
#[test]
fn people_of_a_contract_are_called() {
    const PRIZE: &str = "fixtures/solidity/prize.json";
    let foundry = tests(&[PRIZE, "--format", "foundry"]);
    assert!(
        foundry.contains("// covered: 5 edges\n// not covered: none"),
        "{foundry}"
    );
    let steps = [
        "people(3, TAKES);",
        "people(2, REFUSES);\n        subject.pay();\n        people(2, TAKES);",
    ];
    for step in steps {
        assert!(foundry.contains(step), "{step}: {foundry}");
    }
    // Who is called does the same for a whole block of Hardhat; what is refused is in none.
    let hardhat = tests(&[PRIZE, "--format", "hardhat"]);
    assert!(
        hardhat.contains("// covered: 3 edges\n// not covered: 2\n"),
        "{hardhat}"
    );
    let escrow = "fixtures/solidity/benchmarks/refund_escrow_owned.json";
    let hardhat = tests(&[escrow, "--format", "hardhat"]);
    let step = "await subject.refuses({ call: \"beneficiaryWithdraw()\", refusedBy: people(3) });";
    assert!(hardhat.contains(step), "{hardhat}");
}

#[test]
fn tests_of_contracts_are_of_contracts() {
    for format in ["foundry", "hardhat"] {
        let output = run(&[&fixture("door"), "--format", format]);
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8_lossy(&output.stderr);
        let expected = format!("--format {format} is for contracts");
        assert!(error.contains(&expected), "{error}");
        for contract in [
            "TwoStep",
            "src/TwoStep.sol:",
            "a\"b.sol:TwoStep",
            "x.sol:Two Step",
        ] {
            let output = run(&[TWO_STEP, "--format", format, "--subject", contract]);
            assert_eq!(output.status.code(), Some(2), "{contract}");
            assert!(output.stdout.is_empty());
        }
    }
}

/// What calls are refused for alone, by action or constructor.
fn needs(suite: &serde_json::Value) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let tests = suite["tests"].as_array().expect("tests").iter();
    let refused = tests.flat_map(|test| {
        let calls = test["calls"].as_array().expect("calls").iter();
        let refused = calls
            .chain([test])
            .filter_map(|it| it["refuses"].as_array());
        refused.flatten()
    });
    let mut needs: Vec<_> = refused
        .map(|refused| (text(&refused["name"]), text(&refused["needs"])))
        .collect();
    needs.sort();
    needs
}

/// Each `require` and each part of one, as they stand in the contract. That it is not funded yet, a claim need not ask: what was
/// given is gone then, and cannot be paid out (nor is that asked for alone: who asks for it has given as much).
#[test]
fn each_reason_to_refuse_a_call_has_a_test() {
    let suite = json(&[CROWDFUNDING, "--contract", "Crowdfunding"]);
    let expected = [
        ("claim", "balance < goal"),
        ("claim", "block_number > deadline"),
        ("claim", "given[msg_sender] != 0"),
        ("donate", "block_number < deadline"),
        ("donate", "given[msg_sender] == 0"),
        ("getFunds", "balance >= goal"),
        ("getFunds", "block_number > deadline"),
        ("getFunds", "msg_sender == owner"),
    ];
    let expected = expected.map(|(name, needs)| (name.to_owned(), needs.to_owned()));
    assert_eq!(needs(&suite), expected);
    // All is covered, though runs are known in which time comes to its end.
    for format in ["foundry", "hardhat"] {
        let written = tests(&[
            CROWDFUNDING,
            "--contract",
            "Crowdfunding",
            "--format",
            format,
        ]);
        assert!(
            written.ends_with("// covered: 17 edges\n// not covered: none\n"),
            "{written}"
        );
        assert_eq!(
            written.matches("// refuses ").count(),
            expected.len(),
            "{written}"
        );
    }
}

/// The vault is not made for nobody.
#[test]
fn constructors_are_refused() {
    let vault = "fixtures/solidity/benchmarks/escrow_vault.json";
    let name = "EscrowVault(nat, nat)".to_owned();
    assert!(needs(&json(&[vault])).contains(&(name, "to != 0".to_owned())));
    let foundry = tests(&[vault, "--format", "foundry"]);
    let expected = "        // refuses EscrowVault(to = 0, msg_sender = 1): it needs to != 0
        vm.prank(person(1));
        vm.expectRevert();
        subject = new EscrowVault(payable(address(0)));
    }
";
    assert!(foundry.contains(expected), "{foundry}");
    let hardhat = tests(&[vault, "--format", "hardhat"]);
    let expected = "    await subject.isNotMade({ with: [\"0x0000000000000000000000000000000000000000\"], from: person(1) });\n    await subject.settles();\n";
    assert!(hardhat.contains(expected), "{hardhat}");
}

/// Classes that nobody calls by messages refuse nothing in their tests.
#[test]
fn what_is_no_contract_refuses_nothing() {
    assert_eq!(needs(&json(&[&fixture("door")])), []);
}

/// Where time goes on with each call, so it does in the tests: what is tried after a call is tried a block later.
#[test]
fn time_goes_on_with_each_call() {
    let arguments = [
        CROWDFUNDING,
        "--contract",
        "CrowdfundingFixed",
        "--time",
        "step",
    ];
    for (format, block) in [
        ("foundry", "        vm.roll(2);\n"),
        ("hardhat", "    await subject.at({ number: 2n });\n"),
    ] {
        let written = tests(&[&arguments[..], &["--format", format]].concat());
        assert!(written.contains(block), "{written}");
    }
}

/// The suite of a class for JUnit 5, compiled with its implementation and run by the real one, without and with the bug: what
/// is said in both cases.
fn junit(class: &str, name: &str, sources: &[&str]) -> [String; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(format!("{name}Test.java"));
    let subject = format!("org.example.{name}");
    let suite = tests(&[class, "--format", "junit", "--subject", &subject]);
    std::fs::write(&file, suite).expect("written");
    let class_path = format!("{}:/usr/share/java/*", folder.path().display());
    let run = |program: &str, arguments: &[&str]| -> (bool, String) {
        let output = Command::new(program)
            .current_dir(root().join("tests/suite/java/org/example"))
            .args(["-cp", &class_path])
            .args(arguments)
            .output()
            .expect("a JDK");
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    };
    let classes = folder.path().display().to_string();
    let suite = file.display().to_string();
    let (compiled, said) = run("javac", &[&["-d", &classes, &suite], sources].concat());
    assert!(compiled, "{said}");
    let test = format!("{name}Test");
    let junit = [
        "org.junit.platform.console.ConsoleLauncher",
        "--disable-banner",
        "--select-class",
        &test,
    ];
    let (passed, right) = run("java", &junit);
    assert!(passed, "{right}");
    let (passed, wrong) = run("java", &[&["-Dseeded_bug=true"], junit.as_slice()].concat());
    assert!(!passed, "{wrong}");
    [right, wrong]
}

#[test]
#[ignore = "needs a JDK and JUnit 5: apt-get install default-jdk-headless junit5"]
fn junit_runs_the_suite() {
    let sources = ["Gate.java", "Light.java", "TooNarrow.java", "Jammed.java"];
    let [right, wrong] = junit(GATE, "Gate", &sources);
    assert!(right.contains("3 tests successful"), "{right}");
    assert!(
        wrong.contains("Expected org.example.Jammed to be thrown"),
        "{wrong}"
    );
}

#[test]
#[ignore = "needs a JDK and JUnit 5: apt-get install default-jdk-headless junit5"]
fn junit_gives_objects() {
    let [right, wrong] = junit(SHELF, "Shelf", &["Shelf.java", "Item.java", "Kind.java"]);
    assert!(right.contains("5 tests successful"), "{right}");
    assert!(
        wrong.contains("enabled after 5. take(item = #3)"),
        "{wrong}"
    );
}
