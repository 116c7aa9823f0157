//! Formatting: nothing is lost, nothing is changed but the layout, and what is formatted stays as it is.

use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::ast::{ClassSyntax, FileSyntax, Ident, ItemSyntax, Member};
use super::super::lexer::tokens;
use super::super::token::TokenKind;
use super::super::{LINE_WIDTH, MAX_SIZE, format, parse_syntax, print};
use super::grammar::{Grammar, Random};
use super::trees;
use crate::ir::DiagnosticSink;
use crate::ir::source::Source;
use crate::ir::span::Span;

/// The words of a text, but for separators that may be left out, and its comments, their margins aside.
fn words_and_comments(text: &str) -> (Vec<String>, Vec<String>) {
    let source = Source::new("t.tq", text);
    let tokens = tokens(&source, &mut DiagnosticSink::default());
    let word = |i: usize| tokens.list.get(i).map_or("", |token| source.at(token.span));
    let trailing = |i: usize| word(i) == ";" || word(i) == "," && [")", "}"].contains(&word(i + 1));
    let words = (0..tokens.list.len()).filter(|i| !trailing(*i));
    let words = words.map(|i| word(i).to_owned()).collect();
    let comments = tokens.comments.iter().map(|span| {
        let lines = source.at(*span).lines().map(str::trim);
        lines.collect::<Vec<_>>().join("\n")
    });
    (words, comments.collect())
}

/// Formats a text, and looks whether it still says the same. The result.
fn assert_kept(name: &str, text: &str, width: usize) -> String {
    let formatted = format(name, text, width).unwrap_or_else(|d| panic!("{text}\n{d}"));
    assert_eq!(
        parse_syntax(name, &formatted).unwrap_or_else(|d| panic!("{formatted}\n{d}")),
        parse_syntax(name, text).unwrap(),
        "{text}"
    );
    assert_eq!(
        words_and_comments(&formatted),
        words_and_comments(text),
        "{text}\n{formatted}"
    );
    let again = format(name, &formatted, width).unwrap();
    assert_eq!(again, formatted, "from:\n{text}");
    for line in formatted.lines() {
        assert_eq!(line.trim_end(), line, "{formatted}");
    }
    assert!(!formatted.contains("\n\n\n") && !formatted.starts_with('\n'));
    formatted
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, files);
        } else if path.extension().is_some_and(|e| e == "tq") {
            files.push(path);
        }
    }
}

/// The `.tq` files of this project.
pub fn all_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    files_below(&root.join("fixtures"), &mut files);
    files_below(&root.join("tests"), &mut files);
    assert!(files.len() >= 90, "only {} files", files.len());
    files
}

#[test]
fn every_file_is_formatted_at_any_width_without_a_loss() {
    for path in all_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for width in [1, 40, LINE_WIDTH, 10_000] {
            assert_kept(&path.display().to_string(), &text, width);
        }
    }
}

/// Code is broken wherever it does not fit; only comments, and what has no place to break, are longer.
#[test]
fn lines_of_code_are_as_wide_as_allowed() {
    for path in all_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for width in [72, LINE_WIDTH] {
            for line in assert_kept("t.tq", &text, width).lines() {
                let code = line.split("//").next().unwrap_or("").trim_end();
                assert!(code.len() <= width, "{}: {line}", path.display());
            }
        }
    }
}

#[test]
fn samples() {
    insta::glob!("format/*.tq", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        insta::assert_snapshot!(assert_kept("t.tq", &text, LINE_WIDTH));
    });
}

#[test]
fn what_is_broken_is_refused() {
    let wrong = format("t.tq", "class C { var x int; }", LINE_WIDTH).unwrap_err();
    assert!(
        wrong.to_string().contains("behind the name and a `:`"),
        "{wrong}"
    );
    let open = format("t.tq", "class C { } /* ", LINE_WIDTH).unwrap_err();
    assert!(open.to_string().contains("not closed"), "{open}");
}

#[test]
fn trees_are_refused() {
    let tree = super::super::to_json(&parse_syntax("t.tq", "type T;").unwrap());
    let wrong = format("t.tq", &tree, LINE_WIDTH).unwrap_err();
    assert_eq!(wrong.len(), 1);
    assert!(wrong.to_string().contains("is a tree as JSON"), "{wrong}");
}

/// Else it could not be read again.
#[test]
fn what_gets_too_large_is_refused() {
    let text = "/**/".repeat(MAX_SIZE / 4);
    let large = format("t.tq", &text, LINE_WIDTH).unwrap_err();
    assert!(
        large
            .to_string()
            .contains("`t.tq (formatted)` is larger than 4 MiB"),
        "{large}"
    );
}

/// Names and types are not looked at.
#[test]
fn what_has_no_meaning_is_formatted() {
    let text = "class C {\n  var x: Nowhere;\n}\n";
    assert_eq!(format("t.tq", text, LINE_WIDTH).unwrap(), text);
}

#[test]
fn ends_of_lines_and_of_the_file() {
    let formatted = |text| format("t.tq", text, LINE_WIDTH).unwrap();
    assert_eq!(formatted(""), "");
    assert_eq!(formatted(" \n\n\t\n"), "");
    assert_eq!(formatted("type T;"), "type T;\n");
    assert_eq!(formatted("\n\n// a\n\n\n"), "// a\n");
    assert_eq!(formatted("type T; // a"), "type T; // a\n");
    assert_eq!(
        formatted("type T;\r\n\r\n\r\n//a \r\n/* b\r\n c */"),
        "type T;\r\n\r\n//a\r\n/* b\r\n c */\r\n"
    );
    assert_eq!(
        formatted("type T;\n/* a\r\n b */\r\n"),
        "type T;\n/* a\n b */\n"
    );
    assert_eq!(formatted("\u{feff}type T;"), "type T;\n");
}

/// What stands between two words, as people and careless tools write it.
fn blank() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        10 => Just(" "),
        3 => select(vec!["\n", "\n\n", "\n \n\n ", "\t"]),
        3 => select(vec![
            " // line\n", "\n// own line\n", "\n\n// a\n\n// b\n\n", "//\n", "//\r\n",
            "/* block */", " /* own */\n", "\n/* before */ ", "\n/* a */ /* b */\n", "/* a */ /* b */",
            "/* two\n   lines */", "\n  /*\n   * star\n   */\n", " /* a */ // b\n /* c */ ", "/**/\n\n/**/",
        ]),
    ]
}

/// The text of a tree with other blanks and comments between its words.
fn messed_up(text: &str, blanks: &[&str]) -> String {
    let source = Source::new("t.tq", text);
    let tokens = tokens(&source, &mut DiagnosticSink::default());
    let words = tokens.list.iter().filter(|t| t.kind != TokenKind::End);
    let mut blanks = blanks.iter().cycle();
    let mut result = String::new();
    for word in words {
        result.push_str(blanks.next().unwrap_or(&" "));
        result.push_str(source.at(word.span));
    }
    result.push_str(blanks.next().unwrap_or(&""));
    result
}

proptest! {
    #![proptest_config(crate::random::cases(200))]

    #[test]
    fn comments_anywhere_are_kept(
        file in trees::file(),
        blanks in vec(blank(), 1..60),
        width in select(vec![20_usize, 60, 100]),
    ) {
        let text = messed_up(&print(&file), &blanks);
        prop_assert_eq!(&parse_syntax("t.tq", &text).unwrap(), &file);
        assert_kept("t.tq", &text, width);
    }

    /// Sentences of the grammar have what printed trees have not: separators and parentheses that are not needed.
    #[test]
    fn sentences_are_kept(seed in any::<u64>(), blanks in vec(blank(), 1..60)) {
        let grammar = Grammar::of_the_reference();
        let sentence = grammar.sentence("file", 100, &mut Random::new(seed));
        let words: Vec<_> = sentence.into_iter().map(|(word, _)| word).collect();
        assert_kept("t.tq", &messed_up(&words.join(" "), &blanks), 60);
    }

    /// How an expression was broken before does not matter.
    #[test]
    fn expressions_have_one_layout(
        e in trees::expr(),
        blanks in vec(select(vec![" ", "\n", "\t\n"]), 1..40),
    ) {
        let tree = FileSyntax {
            items: vec![ItemSyntax::Class(ClassSyntax {
                name: Ident { name: "C".into(), span: Span::default() },
                members: vec![Member::Invariant(e)],
                span: Span::default(),
            })],
        };
        let usual = print(&tree);
        let text = messed_up(&usual, &blanks);
        prop_assert_eq!(format("t.tq", &text, 60).unwrap(), format("t.tq", &usual, 60).unwrap());
    }
}
