//! No input makes the room panic, overflow its stack or hang.

use std::io::Write;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::{
    LINE_WIDTH, MAX_SIZE, format, from_json, load, parse_syntax, parse_text, print, to_json,
};
use super::grammar::Grammar;
use crate::ir::ClassId;
use crate::ir::effects::Effects;
use crate::ir::expr_text;

const STACK_KIB: usize = 1500;

/// What is nested: before, the innermost, behind. Each stands in the body of a routine, or is a member.
const EXPRESSIONS: [(&str, &str, &str); 17] = [
    ("(", "b", ")"),
    ("!", "b", ""),
    ("!(", "b", ")"),
    ("b && ", "b", ""),
    ("b ==> ", "b", ""),
    ("", "b", " <==> b"),
    ("(b ==> ", "b", ") && b"),
    ("b == ", "b", ""),
    ("(b == ", "b", ")"),
    ("0 < -", "1", ""),
    ("0 < 1 + ", "1", ""),
    ("0 < a[", "0", "]"),
    ("0 < f(", "0", ")"),
    ("c.", "b", ""),
    ("if b then ", "b", " else b"),
    ("if b then b else ", "b", ""),
    ("forall x: int :: ", "b", ""),
];

const STATEMENTS: [(&str, &str, &str); 6] = [
    ("{", "", "}"),
    ("if (b) {", "", "}"),
    ("if (b) {} else ", "{}", ""),
    ("while (b) {", "", "}"),
    ("try {", "", "} catch NullDereference {}"),
    ("try {} catch NullDereference {", "", "}"),
];

const MEMBERS: [(&str, &str, &str); 3] = [
    ("var x: array<", "int", ">;"),
    ("var x: map<int, ", "int", ">;"),
    ("", "/**/", "/*"),
];

fn nested((before, inner, behind): (&str, &str, &str), depth: usize) -> String {
    // A prefix that is no part of the nesting is written once.
    let (once, before) = match before.split_once("0 < ") {
        Some((_, rest)) => ("0 < ", rest),
        None => ("", before),
    };
    let (field, before) = match before.split_once("var x: ") {
        Some((_, rest)) => ("var x: ", rest),
        None => ("", before),
    };
    let (behind, end) = match behind.split_once(';') {
        Some((behind, _)) => (behind, ";"),
        None => (behind, ""),
    };
    let behind = behind.repeat(depth);
    // No name may be declared twice.
    let before: String = if before.starts_with("forall x") {
        (0..depth)
            .map(|i| before.replace('x', &format!("x{i}")))
            .collect()
    } else {
        before.repeat(depth)
    };
    format!("{once}{field}{before}{inner}{behind}{end}")
}

fn class(body: &str, member: &str) -> String {
    format!(
        "class C {{ var b: bool; var a: array<int>; var c: C?; {member}
           function f(n: int): int {{ n }}
           constructor() {{}} procedure p() {{ {body} }} }}"
    )
}

fn texts(depth: usize) -> Vec<String> {
    let expressions = EXPRESSIONS.iter().map(|shape| {
        let e = nested(*shape, depth);
        class(&format!("assert {e};"), &format!("invariant {e};"))
    });
    let statements = STATEMENTS
        .iter()
        .map(|shape| class(&nested(*shape, depth), ""));
    let members = MEMBERS
        .iter()
        .map(|shape| class("", &nested(*shape, depth)));
    expressions.chain(statements).chain(members).collect()
}

/// Everything that the room does with a text.
fn use_up(text: &str) -> bool {
    if let Ok(file) = parse_syntax("t.tq", text) {
        let formatted = format("t.tq", text, LINE_WIDTH).unwrap_or_else(|d| panic!("{d}"));
        assert!(
            format("t.tq", &formatted, LINE_WIDTH).is_ok_and(|again| again == formatted),
            "{formatted}"
        );
        let printed = print(&file);
        assert!(
            parse_syntax("t.tq", &printed).is_ok_and(|again| again == file),
            "{printed}"
        );
        assert!(from_json("t.json", &to_json(&file)).is_ok_and(|again| again == file));
    }
    match parse_text("t.tq", text) {
        Ok(loaded) => {
            let program = loaded.program.clone();
            for (id, class) in program.classes.iter().enumerate() {
                for invariant in &class.invariants {
                    expr_text(&program, ClassId(id), invariant);
                }
            }
            Effects::of(&program);
            loaded.warnings.render(true);
            true
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            diagnostics.render(true);
            false
        }
    }
}

/// Runs something on a thread with a stack of this many KiB.
fn on_stack(kib: usize, run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(kib << 10)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

/// A thread has 2 MiB by default; less is enough.
#[test]
fn whatever_is_nested_is_read_or_refused() {
    on_stack(STACK_KIB, read_or_refuse);
}

fn read_or_refuse() {
    for depth in [1, 2, 120, 254, 255, 256] {
        for text in texts(depth) {
            let read = use_up(&text);
            assert!(depth > 2 || read || text.contains("/*"), "{text}");
        }
    }
}

#[test]
fn what_is_nested_very_deeply_is_refused_with_one_error_each() {
    for text in texts(10_000) {
        let Err(diagnostics) = parse_text("t.tq", &text) else {
            panic!("{}", &text[..200]);
        };
        let first = diagnostics.iter().next().unwrap();
        let expected = ["this is nested too deeply", "this comment is not closed"];
        assert!(
            expected.contains(&first.message.as_str()),
            "{}",
            first.message
        );
        assert!(diagnostics.len() <= 3, "{diagnostics}");
    }
}

#[test]
fn unclosed_brackets_are_no_problem_either() {
    for open in [
        "(",
        "[",
        "{",
        "a[",
        "f(",
        "if (",
        "if (b) {",
        "class C {",
        "/*",
        "array<",
        "[{",
        // What other languages write.
        "not ",
        "~",
        "+ ",
        "b ? ",
        "b if ",
        "|",
        "| ",
        "(int) ",
        "u8 b",
        "b?.",
        "forall (x: int :: ",
        "forall int ",
        "if b { ",
        "if b b ",
        "m[b = ",
        "x: ",
        "for: ",
        "for (",
        "if (b) {} elif ",
        "throw new ",
        "try {} catch (",
        "try {} finally {",
        "final ",
        "private ",
        "let x ",
        "var x: [",
        "var x: ?",
        "var x: set<",
        "var x: mapping(",
        "var x: unsigned ",
        "var x: int[]",
        "[]",
        "action a() -> ",
        "function f(): int { return ",
        "\"",
        "'",
        "#",
        "\\",
    ] {
        assert!(!use_up(&open.repeat(20_000)));
        assert!(!use_up(&class(&open.repeat(20_000), "")));
    }
}

#[test]
fn deep_json_is_refused() {
    for (open, close) in [("[", "]"), (r#"{"not":"#, "}"), (r#"{"items":["#, "]}")] {
        for depth in [10, 1000, 100_000] {
            let text = format!(
                r#"{{"items":{}{}}}"#,
                open.repeat(depth),
                close.repeat(depth)
            );
            assert!(from_json("t.json", &text).is_err());
        }
    }
    for depth in [200, 300, 1200, 2000] {
        let e = format!(
            r#"{}"null"{}"#,
            r#"{"not":"#.repeat(depth),
            "}".repeat(depth)
        );
        let text =
            format!(r#"{{"items":[{{"class":{{"name":"C","members":[{{"invariant":{e}}}]}}}}]}}"#);
        assert_eq!(from_json("t.json", &text).is_ok(), depth < 256);
    }
}

#[test]
fn a_long_list_is_no_deep_one() {
    let statements = "b := !b;\n".repeat(20_000);
    assert!(parse_text("t.tq", &class(&statements, "")).is_ok());
    let invariants = "invariant b || !b;\n".repeat(20_000);
    assert!(parse_text("t.tq", &class("", &invariants)).is_ok());
}

#[test]
fn constants_that_double_do_not_explode() {
    let mut members = "const X0: int := 2;".to_owned();
    for i in 1..200 {
        members += &format!("const X{i}: int := X{} * X{};", i - 1, i - 1);
    }
    let diagnostics = parse_text("t.tq", &class("", &members)).unwrap_err();
    assert_eq!(
        diagnostics.iter().next().unwrap().message,
        "this constant is too large"
    );

    let chain: String = (0..20_000)
        .map(|i| format!("const Y{i}: int := Y{};", i + 1))
        .collect();
    assert!(
        parse_text(
            "t.tq",
            &class("", &format!("{chain} const Y20000: int := 1;"))
        )
        .is_ok()
    );
    let cycle = parse_text(
        "t.tq",
        &class("", &format!("{chain} const Y20000: int := Y0;")),
    )
    .unwrap_err();
    assert_eq!(cycle.len(), 1);

    let functions: String = (0..20_000)
        .map(|i| format!("function g{i}(): int {{ g{}() }}", i + 1))
        .collect();
    let cycle = format!("{functions} function g20000(): int {{ g0() }}");
    assert_eq!(parse_text("t.tq", &class("", &cycle)).unwrap_err().len(), 1);
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tq");
    let message = |path: &std::path::Path| {
        let diagnostics = load(path).unwrap_err();
        assert_eq!(diagnostics.len(), 1);
        diagnostics.render(false);
        diagnostics
            .iter()
            .next()
            .unwrap()
            .message
            .replace(&folder.path().display().to_string(), "FOLDER")
    };
    assert_eq!(
        message(folder.path()),
        "`FOLDER` is a directory, not a file"
    );
    assert!(message(&path).starts_with("cannot read `FOLDER/x.tq`: No such file"));

    std::fs::write(&path, vec![b' '; 10 << 20]).unwrap();
    assert_eq!(message(&path), "`FOLDER/x.tq` is larger than 4 MiB");
    std::fs::write(&path, vec![b' '; (64 << 20) + 1]).unwrap();
    assert_eq!(message(&path), "`FOLDER/x.tq` is larger than 64 MiB");
    std::fs::write(&path, b"class C {\n  var x\xff: int;\n}").unwrap();
    assert_eq!(message(&path), "the file is not valid UTF-8");
    let diagnostics = load(&path).unwrap_err();
    let label = &diagnostics.iter().next().unwrap().labels[0];
    assert_eq!(
        diagnostics.source().line_column(label.span.start as usize),
        (2, 8)
    );
    assert_eq!(label.text, "the byte 0xFF");
}

#[cfg(unix)]
#[test]
fn a_file_name_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"n\xff.tq"));
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(b"class C { initially true; }").unwrap();
    assert!(load(&path).is_ok());
    assert!(load(&folder.path().join(std::ffi::OsStr::from_bytes(b"m\xff.tq"))).is_err());
}

#[test]
fn a_text_as_long_as_is_read_is_read_in_time() {
    let member = "  var field: int; // a comment\n";
    let mut text = "class C { initially true;\n".to_owned();
    let mut i = 0;
    while text.len() + 60 < MAX_SIZE {
        text += &member.replace("field", &format!("f{i}"));
        i += 1;
    }
    assert!(parse_text("t.tq", &(text.clone() + "}")).is_ok());
    // As many errors as fit: most are only counted.
    let junk = "@ ".repeat(MAX_SIZE / 2);
    let diagnostics = parse_text("t.tq", &junk).unwrap_err();
    let rendered = diagnostics.render(false);
    assert!(
        rendered.contains("… and 2097"),
        "{}",
        &rendered[rendered.len() - 100..]
    );
    assert!(rendered.len() < 20_000);
}

const WORDS: [&str; 145] = [
    "class",
    "enum",
    "type",
    "exception",
    "const",
    "var",
    "invariant",
    "initially",
    "constructor",
    "action",
    "pure",
    "controllable",
    "monitored",
    "procedure",
    "function",
    "state",
    "assumes",
    "requires",
    "ensures",
    "modifies",
    "throws",
    "enabled",
    "when",
    "over",
    "under",
    "with",
    "returns",
    "outcomes",
    "if",
    "then",
    "else",
    "while",
    "for",
    "to",
    "downto",
    "break",
    "continue",
    "return",
    "havoc",
    "assume",
    "assert",
    "throw",
    "try",
    "catch",
    "new",
    "old",
    "forall",
    "exists",
    "true",
    "false",
    "null",
    "this",
    "div",
    "mod",
    "int",
    "bool",
    "nat",
    "u8",
    "array",
    "map",
    "C",
    "a",
    "b",
    "x",
    "m",
    "E",
    "0",
    "1",
    "300",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    ":=",
    "::",
    ".",
    "?",
    "=",
    "==",
    "!=",
    "<=",
    "&&",
    "||",
    "==>",
    "<==>",
    "!",
    "+",
    "-",
    "*",
    "&",
    "+=",
    "/",
    "%",
    "\n",
    "é",
    // What other languages write.
    "not",
    "and",
    "in",
    "is",
    "as",
    "xor",
    "do",
    "switch",
    "finally",
    "elif",
    "let",
    "private",
    "static",
    "raise",
    "print",
    "def",
    "set",
    "unsigned",
    "of",
    "void",
    "string",
    "result",
    "self",
    "|",
    "->",
    "=>",
    "<>",
    "**",
    "..",
    "<<",
    "^",
    "~",
    "++",
    "-=",
    "??",
    "\"s\"",
    "'",
    "@x",
    "\\old",
    "# x",
    "0x1f",
    "1.5",
    "{ };",
];

/// A short text with a bit of everything, its words apart.
const SHORT: &str = "exception E ; class C { var x : map < int , array < int > ? > := x ; const K : int ; \
    invariant forall i : int :: x [ i ] != null ==> i < K || ! b ; function f ( n : int ) : int { if n == 0 then 1 else n } \
    pure action a ( n : int ) returns ( r : int , s : bool ) outcomes s requires n > 0 ; ensures r == old ( n ) throws E { \
    var y : int := f ( n ) ; if ( * ) { x [ y := 2 ] ; } else if y < 3 { return 1 , true ; } while * invariant b { break ; } \
    try { throw E ; } catch E { o . f , z := p ( ) ; z := new C ( ) ; } havoc y ; } procedure q ( ) modifies x }";

proptest! {
    #![proptest_config(crate::random::cases(256))]

    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..200)) {
        use_up(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_words(words in vec(select(WORDS.to_vec()), 0..60)) {
        use_up(&words.join(" "));
    }

    #[test]
    fn random_words_in_a_body(words in vec(select(WORDS.to_vec()), 0..40)) {
        use_up(&class(&words.join(" "), "var x: int; var m: map<int, int>; const K: u8 := 3;"));
    }

    #[test]
    fn random_words_in_a_class(words in vec(select(WORDS.to_vec()), 0..40)) {
        use_up(&class("", &words.join(" ")));
    }

    #[test]
    fn a_fixture_with_something_cut_out(from in 0.0..1.0_f64, length in 0_usize..40, word in select(WORDS.to_vec())) {
        let text = include_str!("../../../../fixtures/corral-2016/list_itr.tq");
        let at = |offset: usize| (offset..).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len()).min(text.len());
        let start = at((from * text.len() as f64) as usize);
        let end = at((start + length).min(text.len()));
        use_up(&format!("{} {word} {}", &text[..start], &text[end..]));
    }

    /// Whatever is read as what is meant by it is an error all the same.
    #[test]
    fn what_is_taken_is_in_the_grammar(words in vec(select(WORDS.to_vec()), 0..6), from in 0.0..1.0_f64, length in 0_usize..3) {
        let text = SHORT.split(' ').collect::<Vec<_>>();
        let start = ((from * text.len() as f64) as usize).min(text.len());
        let end = (start + length).min(text.len());
        let text = [&text[..start], &words, &text[end..]].concat().join(" ");
        let taken = parse_syntax("t.tq", &text);
        let sentence = Grammar::of_the_reference().takes(&text);
        prop_assert_eq!(taken.is_ok(), sentence.is_ok(), "{}\n{:?}\n{:?}", text, sentence, taken.err().map(|d| d.to_string()));
    }

    #[test]
    fn random_trees_are_resolved(file in super::trees::file()) {
        use_up(&print(&file));
    }
}
