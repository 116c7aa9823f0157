//! Corners of the lexer.

use super::super::lexer::tokens;
use super::super::token::{SYMBOLS, TokenKind};
use crate::ir::DiagnosticSink;
use crate::ir::source::Source;

/// The texts of the tokens, the end left out, and how many errors there are.
fn read(text: &str) -> (Vec<String>, usize) {
    let source = Source::new("t.tq", text);
    let mut found = DiagnosticSink::default();
    let tokens = tokens(&source, &mut found);
    let end = tokens.list.last().unwrap();
    assert_eq!(end.kind, TokenKind::End);
    assert_eq!(end.span.end as usize, source.text.len());
    let texts = tokens
        .list
        .iter()
        .filter(|token| token.kind != TokenKind::End);
    let texts = texts
        .map(|token| source.at(token.span).to_owned())
        .collect();
    (texts, found.errors())
}

fn assert_read(text: &str, expected: &[&str]) {
    assert_eq!(
        read(text),
        (expected.iter().map(|s| (*s).to_owned()).collect(), 0),
        "{text}"
    );
}

#[test]
fn the_longest_symbol_is_taken() {
    assert_read(
        "a<==>b==>c==d:=e::f:g",
        &[
            "a", "<==>", "b", "==>", "c", "==", "d", ":=", "e", "::", "f", ":", "g",
        ],
    );
    assert_read("<= = <", &["<=", "=", "<"]);
    assert_read("!!a!=b", &["!", "!", "a", "!=", "b"]);
    assert_read(
        "array<array<int>>:=",
        &["array", "<", "array", "<", "int", ">", ">", ":="],
    );
    assert_read("C?:=", &["C", "?", ":="]);
}

#[test]
fn no_symbol_hides_a_longer_one() {
    for (i, symbol) in SYMBOLS.iter().enumerate() {
        let hiding = SYMBOLS[..i]
            .iter()
            .find(|before| symbol.starts_with(**before));
        assert_eq!(hiding, None, "{symbol}");
    }
}

#[test]
fn comments_are_left_out_and_nest() {
    assert_read("a // b\nc", &["a", "c"]);
    assert_read("a // b", &["a"]);
    assert_read("a/* b */c", &["a", "c"]);
    assert_read("a /* /* b */ // */ c", &["a", "c"]);
    assert_read("/**/ a /***/ b /*/*/*/**/*/*/*/ c", &["a", "b", "c"]);
    assert_eq!(read("a /* /* */"), (vec!["a".to_owned()], 1));
    assert_eq!(read("a /*/"), (vec!["a".to_owned()], 1));
}

#[test]
fn words_and_numbers() {
    assert_read(
        "x1 _x X_1 state stateful",
        &["x1", "_x", "X_1", "state", "stateful"],
    );
    assert_read("007 1..2 a.b", &["007", "1", "..", "2", "a", ".", "b"]);
    assert_eq!(read("0x10 1a 1_000").1, 3);
    assert_eq!(read("1.5 0.0").1, 2);
    assert_eq!(read(&"9".repeat(1000)).1, 0);
    assert_eq!(read(&"9".repeat(1001)).1, 1);
}

#[test]
fn blanks_and_marks() {
    assert_read("", &[]);
    assert_read(" \t\r\n", &[]);
    assert_read("a\r\nb\rc\td", &["a", "b", "c", "d"]);
    assert_read("\u{feff}a", &["a"]);
    // Anywhere else it is no blank; nor is any other blank of Unicode.
    assert_eq!(read("a\u{feff}b").1, 1);
    assert_eq!(read("a\u{a0}b").1, 1);
}

#[test]
fn what_cannot_be_read_is_reported_once_where_it_stands_together() {
    assert_eq!(
        read("a \0\0\0 b"),
        (vec!["a".into(), "\0\0\0".into(), "b".into()], 1)
    );
    assert_eq!(read("äöü 漢字").1, 2);
    // A text in quotes is one error, up to the end of its line.
    assert_eq!(read("\"a b\" c"), (vec!["\"a b\"".into(), "c".into()], 1));
    assert_eq!(read("'a' “b” \"c").1, 3);
    assert_eq!(
        read("\"a\nb"),
        (vec!["\"".into(), "a".into(), "b".into()], 1)
    );
    // A word goes with what stands before it.
    assert_eq!(read("@Test \\old(a)").1, 2);
    assert_eq!(read("# all of this\na").0, ["a"]);
}
