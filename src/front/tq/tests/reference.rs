//! What `docs/language.md` says is so.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::names::RESERVED;
use super::super::token::SYMBOLS;
use super::super::{LINE_WIDTH, format, parse_syntax, parse_text, print};
use super::format::all_files;
use super::grammar::{Grammar, REFERENCE, Random, blocks};
use super::trees;

#[test]
fn every_sentence_of_the_grammar_is_parsed() {
    let grammar = Grammar::of_the_reference().with_short_expressions();
    let mut seen = BTreeSet::new();
    for seed in 0..8000 {
        let length = usize::try_from(seed % 200).unwrap();
        let sentence = grammar.sentence("file", length, &mut Random::new(seed));
        let words: Vec<&str> = sentence.iter().map(|(word, _)| word.as_str()).collect();
        let text = words.join(" ");
        if let Err(wrong) = parse_syntax("t.tq", &text) {
            panic!("{text}\n{wrong}");
        }
        seen.extend(sentence.into_iter().map(|(word, _)| word));
    }
    let words = grammar.words().into_iter();
    let unseen: Vec<_> = words.filter(|word| !seen.contains(*word)).collect();
    assert_eq!(unseen, [] as [&str; 0], "in no sentence");
}

#[test]
fn every_class_is_in_the_grammar() {
    let grammar = Grammar::of_the_reference();
    for path in all_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(grammar.takes(&text), Ok(()), "{}", path.display());
    }
}

proptest! {
    #![proptest_config(crate::random::cases(256))]

    #[test]
    fn every_tree_is_in_the_grammar(file in trees::file()) {
        let text = print(&file);
        prop_assert_eq!(Grammar::of_the_reference().takes(&text), Ok(()), "{}", text);
    }
}

/// What is no sentence is seen to be none.
#[test]
fn not_everything_is_in_the_grammar() {
    let grammar = Grammar::of_the_reference();
    for (text, stuck) in [
        ("class C { var x int; }", "1:17: int"),
        ("class C { action a(x: int,) }", "1:27: )"),
        ("class C { action a() { x := 1 } }", "1:31: }"),
        ("class C { invariant a = b; }", "1:23: ="),
    ] {
        assert_eq!(grammar.takes(text), Err(stuck.into()), "{text}");
        assert!(parse_syntax("t.tq", text).is_err(), "{text}");
    }
}

/// The words in backticks between two texts of the reference.
fn listed(from: &str, to: &str) -> BTreeSet<&'static str> {
    let list = REFERENCE
        .split_once(from)
        .unwrap()
        .1
        .split_once(to)
        .unwrap()
        .0;
    list.split('`')
        .skip(1)
        .step_by(2)
        .flat_map(str::split_whitespace)
        .collect()
}

#[test]
fn all_words_and_symbols_are_listed() {
    let grammar = Grammar::of_the_reference();
    let words = grammar.words();
    let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    let reserved: BTreeSet<&str> = RESERVED.into_iter().collect();
    assert_eq!(listed("cannot be names:", "All **other"), reserved);
    let unused: Vec<_> = reserved.difference(&words).collect();
    assert_eq!(unused, [] as [&&str; 0], "reserved, but not in the grammar");
    let symbols: BTreeSet<&str> = words.iter().copied().filter(|w| !is_word(w)).collect();
    assert_eq!(listed("**Symbols** are", "\n"), symbols);
    assert!(symbols.iter().all(|symbol| SYMBOLS.contains(symbol)));
}

#[test]
fn examples_are_correct_and_formatted() {
    let of_the_reference = blocks(REFERENCE, "tq");
    let of_the_readme = blocks(include_str!("../../../../README.md"), "tq");
    assert!(!of_the_reference.is_empty() && !of_the_readme.is_empty());
    for example in of_the_reference.into_iter().chain(of_the_readme) {
        let example = std::format!("{}\n", example.trim_end());
        let loaded = parse_text("example.tq", &example).unwrap_or_else(|d| panic!("{d}"));
        assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
        assert_eq!(format("example.tq", &example, LINE_WIDTH).unwrap(), example);
    }
}

#[test]
fn errors_are_reported_as_listed() {
    let table = REFERENCE
        .split_once("| written | said |\n|---|---|\n")
        .unwrap()
        .1;
    let rows: Vec<_> = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert!(rows.len() >= 10);
    for row in rows {
        let mut cells = row.trim_matches('|').split(" | ").map(str::trim);
        let (written, expected) = (cells.next().unwrap(), cells.next().unwrap());
        let text = std::format!(
            "class Node {{ constructor() {{ }} }} class C {{ var n: int; var small: u8; var link: Node; var ok: bool;
             constructor() {{ }}
             function f(x: Node): Node {{ x }}
             action next() returns (r: int) {{ r := n; }}
             action a() {{ {} }} }}",
            written.trim_matches('`')
        );
        let wrong = parse_text("t.tq", &text).unwrap_err();
        let said: Vec<&str> = wrong.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(said.first(), Some(&expected), "{written}: {wrong}");
    }
}
