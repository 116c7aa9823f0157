//! What people write who know Java, C#, Dafny or Python: each slip is one error, which says what to write here.

use std::path::Path;

use super::super::parse_text;

/// Slips that are two: what is said of the first one does not make the second one right.
const TWICE: [&str; 6] = [
    "class D { }",
    "var x: ArrayList<Integer>;",
    "final int x = 3;",
    "throw new Exception(\"bad\");",
    "include \"x.tq\";",
    "#include <x>",
];

/// A class with a bit of everything, around a member.
pub(super) fn around_member(member: &str) -> String {
    format!(
        "enum Mode {{ Uninit, Sign }}
        exception Full;
        class Node {{
          var next: Node?; var value: int;
          constructor(v: int) {{ next := null; value := v; }}
        }}
        class Stack {{
          const MAX: int := 5;
          var money: int := 0; var size: u8 := 0; var full: bool := false; var mode: Mode := Sign;
          var head: Node? := null; var data: array<int>; var map: map<int, int>;
          constructor() {{ data := new int[3]; }}
          {member}
        }}"
    )
}

pub(super) fn around_statement(statement: &str) -> String {
    around_member(&format!(
        "procedure p(n: int) returns (ok: bool) {{ ok := true;\n{statement}\n}}"
    ))
}

/// What is said of a text: each message with its help.
fn said(written: &str, text: &str) -> String {
    let errors = parse_text("class.tq", text).expect_err(written);
    let twice = TWICE.contains(&written);
    assert!(
        twice || errors.len() == 1,
        "`{written}` is one slip: {errors}"
    );
    let mut said = format!("{written}\n");
    for error in errors.iter() {
        assert!(
            twice || error.help.is_some(),
            "`{written}` has no way out: {errors}"
        );
        let help = error.help.as_deref().unwrap_or("-");
        said += &format!("    {}\n      {help}\n", error.message);
    }
    said
}

/// The text around the slips of a file.
pub(super) fn around(path: &Path) -> fn(&str) -> String {
    match path.file_stem().and_then(|name| name.to_str()) {
        Some("members") => around_member,
        Some("statements") => around_statement,
        _ => |file| file.replace("\\n", "\n"),
    }
}

#[test]
fn each_slip_is_one_error_with_a_way_out() {
    insta::glob!("habits/*.txt", |path| {
        let around = around(path);
        let slips = std::fs::read_to_string(path).unwrap();
        let all: Vec<String> = slips
            .lines()
            .map(|slip| said(slip, &around(slip)))
            .collect();
        assert!(all.len() > 40);
        insta::assert_snapshot!(all.join("\n"));
    });
}

/// A slip says nothing of the rest of the text, and hides nothing of it.
#[test]
fn what_else_is_wrong_is_said_too() {
    for slip in [
        "if x > 0 and not ok { x := 1; }",
        "x := ok ? 1 : 2;",
        "assert |a| == 3;",
        "try { throw new E(); } catch (E e) { } finally { }",
        "if (ok) { } elif (ok) { }",
        "a[x = 1];",
        "int y = 3;",
        "let y: int := 3;",
        "for (;;) { }",
        "raise E();",
        "x := (int) x;",
        "const y: int := 3;",
        "final x := 3;",
        "assert forall (i: int) :: i > 0;",
        "{ };",
    ] {
        let text = format!(
            "exception E; class C {{ var x: int := 0; var ok: bool := true; var a: array<int>;
             private int z = 3;
             function f(): int {{ return x; }}
             action g() -> int {{ {slip}\n return true; }}
             action h() {{ oops := 1; }} }}"
        );
        let errors = parse_text("t.tq", &text).unwrap_err().to_string();
        for expected in [
            "expected a value of type `int`, found `bool`",
            "a field is declared with `var`",
            "`return` in a function",
            "results have names",
        ] {
            assert!(errors.contains(expected), "{slip}: {errors}");
        }
        // Where a declaration may be lost, unknown names are no news.
        let may_hide = slip.contains("a[x = 1]");
        assert!(may_hide || errors.contains("`oops`"), "{slip}: {errors}");
    }
}

/// `on`, with which some languages begin a handler, is a name like any other.
#[test]
fn a_variable_behind_a_try_is_no_handler() {
    for then in ["on := !on;", "on(true);", "on(f(1));"] {
        let text = format!(
            "class C {{ var on: bool; function f(n: int): bool {{ n > 0 }} procedure on(x: bool) {{ }}
             action a() {{ try {{ a(); }} catch {{ }} {then} }} }}"
        );
        if let Err(wrong) = parse_text("on.tq", &text) {
            panic!("{wrong}");
        }
    }
}
