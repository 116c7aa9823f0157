//! `tranquera interface`: what it prints, and refuses.

use assert_cmd::assert::Assert;

use crate::support::program::{stderr, stdout, tranquera, with_file};
use crate::synthesised::LAST_RET;

fn interface(arguments: &[&str]) -> Assert {
    tranquera(["interface"]).args(arguments).assert()
}

/// What is printed.
fn printed(arguments: &[&str]) -> String {
    stdout(&interface(arguments).success().stderr(""))
}

/// Whether rustc takes a module, with a client behind it.
fn compiles(module: &str, client: &str) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("client.rs");
    std::fs::write(&file, format!("{module}\n{client}")).expect("written");
    let run = std::process::Command::new("rustc")
        .args([
            "--edition",
            "2021",
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "-D",
            "warnings",
        ])
        .arg(&file)
        .current_dir(folder.path())
        .output()
        .expect("rustc runs");
    run.status.success()
}

/// The module compiles, a client that keeps to the interface does, and one that does not does not.
#[test]
fn the_rust_module_keeps_clients_to_the_interface() {
    let file = "fixtures/jist-2005/list_itr.tq";
    let list_itr = printed(&[file, "-e", "IllegalState", "--format", "rust"]);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("list_itr.typestate", list_itr);
    });
    let client = |call: &str| {
        format!(
            "pub fn client<T: ListItr>(it: Q1<T>) -> T {{ match it.add().next() {{ \
             Ok(it) => it.set().remove().{call}, Err((_, it)) => it.into_inner() }} }}"
        )
    };
    assert!(compiles(&list_itr, &client("add().into_inner()")));
    assert!(!compiles(&list_itr, &client("remove().into_inner()")));

    let outcomes = "tests/classes/outcomes.tq";
    let module = printed(&[
        outcomes, "-e", "requires", "--params", "exists", "--format", "rust",
    ]);
    assert!(compiles(&module, ""), "{module}");
}

/// A protocol where it can say what the interface says, and why not where it cannot.
#[test]
fn a_protocol_for_java_or_why_not() {
    let signature = "fixtures/jist-2005/signature.tq";
    let protocol = printed(&[signature, "-e", "SignatureException", "--format", "jatyc"]);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("signature.protocol", protocol);
    });
    let run = interface(&[
        "fixtures/jist-2005/list_itr.tq",
        "-e",
        "IllegalState",
        "-f",
        "jatyc",
    ]);
    let said = stderr(&run.code(1).stdout(""));
    assert!(
        said.contains("depends on whether it raises an exception"),
        "{said}"
    );
}

/// Of a class of Java, the protocol is one for its own source: methods by their names, with their types.
#[test]
fn a_protocol_of_a_class_file_is_one_for_its_source() {
    let class = [
        "fixtures/java/goldens/classes",
        "--class",
        "goldens.Signature",
    ];
    let legal = ["-e", "requires", "--params", "exists", "--format", "jatyc"];
    let protocol = printed(&[&class[..], &legal].concat());
    let state = protocol.split("Q2 = {").nth(1).expect("a second state");
    let methods = state.lines().map(str::trim).skip(1);
    let methods: Vec<&str> = methods.take_while(|line| *line != "drop: end").collect();
    let expected = [
        "java.lang.String getAlgorithm(): Q2,",
        "void initSign(): Q2,",
        "void initVerify(): Q3,",
        "byte[] sign(): Q2,",
        "int sign(byte[], int, int): Q2,",
        "void update(byte): Q2,",
        "void update(byte[]): Q2,",
        "void update(byte[], int, int): Q2,",
    ];
    assert_eq!(methods, expected);
}

/// The texts and pictures that people read.
#[test]
fn what_is_printed() {
    let file = "fixtures/jist-2005/list_itr_fixed.tq";
    let arguments = [file, "-e", "IllegalState", "--predicate", LAST_RET];
    let formats: [(&str, &[&str]); 4] = [
        ("text", &[]),
        ("mermaid", &["--format", "mermaid"]),
        ("dot", &["--format", "dot"]),
        ("json", &["--format", "json"]),
    ];
    for (name, format) in formats {
        let text = printed(&[&arguments[..], format].concat());
        insta::with_settings!({
            omit_expression => true,
            prepend_module_to_snapshot => false,
            filters => vec![
                (r#""wall_ms": [0-9]+"#, r#""wall_ms": 0"#),
                // Which object a solver picks is its own affair.
                (r"size = [0-9]+, modifications = -?[0-9]+", "size = N, modifications = M"),
                (r#""-?[0-9]+""#, r#""N""#),
            ],
        }, {
            insta::assert_snapshot!(format!("list_itr_fixed.interface.{name}"), text);
        });
    }
    let both = printed(&[
        "fixtures/tosem-2013/list_itr.tq",
        "-e",
        "requires",
        "--params",
        "exists",
        "--must",
        "--no-witnesses",
    ]);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("list_itr.must", both);
    });
    let svg = printed(&[&arguments[..], &["--format", "svg"]].concat());
    assert!(svg.contains("The interface of ListItr by which no call raises IllegalState"));
}

/// An engine that knows nothing: nothing is allowed, nothing is certified, and both are said.
#[test]
fn what_is_not_known_is_not_allowed() {
    let run = interface(&[
        "fixtures/jist-2005/signature.tq",
        "-e",
        "SignatureException",
        "--timeout",
        "0.000001",
    ]);
    let text = stdout(&run.code(1));
    assert!(text.contains("1 state, 0 transitions"), "{text}");
    assert!(text.contains("not certified"), "{text}");
    assert!(text.contains("not known (timeout"), "{text}");
    assert!(text.contains("Not certain"), "{text}");
}

/// A constructor that raises the exception makes no object; that is said.
#[test]
fn a_constructor_that_raises_it_is_named() {
    let class = "exception E; class C { var x: int; constructor(n: int) { if (n < 0) { throw E; } x := n; } \
                 action a() { if (x == 0) { throw E; } x := x - 1; } }";
    let (_folder, file) = with_file("c.tq", class);
    let text = printed(&[file.to_str().expect("UTF-8"), "-e", "E", "--rounds", "0"]);
    assert!(text.contains("`C(int)` itself may raise E"), "{text}");
}

#[test]
fn bad_usage_is_reported() {
    let file = "fixtures/jist-2005/list_itr.tq";
    for (arguments, expected) in [
        (&[file][..], "--exception"),
        (&[file, "-e", "Nobody"], "there is no exception `Nobody`"),
        (
            &[file, "-e", "IllegalState", "-p", "cursor + 1"],
            "--predicate:1:1",
        ),
        (
            &[file, "-e", "IllegalState", "-p", "nobody == 1"],
            "--predicate:1:1",
        ),
    ] {
        let said = stderr(&interface(arguments).code(2).stdout(""));
        assert!(said.contains(expected), "{said}");
    }
}
