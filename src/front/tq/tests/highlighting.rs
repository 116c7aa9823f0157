//! The grammar for editors (`docs/editors/vscode`), run by an engine for such grammars: whatever the lexer and the
//! grammar of the language say of a word is seen in its colour.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use giallo::{HighlightOptions, Registry, ThemeVariant};

use super::super::lexer::tokens;
use super::super::names::RESERVED;
use super::super::token::TokenKind;
use super::format::all_files;
use super::grammar::{Grammar, Meant, Random};
use crate::ir::DiagnosticSink;
use crate::ir::source::Source;

/// What a character can be shown as, and by which scopes.
const KINDS: [(&str, &str); 7] = [
    ("comment", "comment"),
    ("number", "constant.numeric"),
    ("text", "string"),
    (
        "word",
        "keyword, storage, constant.language, variable.language, support.type",
    ),
    ("operator", "keyword.operator"),
    ("name", "variable.other, entity"),
    ("punctuation", "punctuation"),
];

/// Colours texts so that the colour says the kind.
struct Colours {
    registry: Registry,
}

impl Colours {
    fn new() -> Self {
        let colours = KINDS.iter().enumerate().map(|(i, (_, scopes))| {
            let scopes: Vec<&str> = scopes.split(", ").collect();
            serde_json::json!({ "scope": scopes, "settings": { "foreground": format!("#0000{i:02}") } })
        });
        let theme = serde_json::json!({
            "name": "kinds",
            "type": "dark",
            "colors": { "editor.foreground": "#ffffff", "editor.background": "#000000" },
            "tokenColors": colours.collect::<Vec<_>>(),
        });
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kinds.json");
        std::fs::write(&file, theme.to_string()).unwrap();
        let mut registry = Registry::default();
        registry
            .add_grammar_from_path(extension().join("syntaxes/tranquera.tmLanguage.json"))
            .unwrap();
        registry.add_theme_from_path(file).unwrap();
        registry.link_grammars();
        Colours { registry }
    }

    /// The kind of each byte of the text; of none, for blanks and what has no scope.
    fn kinds(&self, text: &str) -> Vec<&'static str> {
        let options = HighlightOptions::new("tranquera", ThemeVariant::Single("kinds"))
            .merge_whitespace(false)
            .merge_same_style_tokens(false);
        let code = self.registry.highlight(text, &options).unwrap();
        let mut kinds = Vec::new();
        for line in &code.tokens {
            for part in line {
                let ThemeVariant::Single(style) = part.style else {
                    panic!("one theme");
                };
                let colour = style.foreground.as_hex();
                let number = colour.get(5..7).and_then(|n| n.parse::<usize>().ok());
                let kind = number
                    .and_then(|n| KINDS.get(n))
                    .map_or("none", |(kind, _)| kind);
                kinds.extend(std::iter::repeat_n(kind, part.text.len()));
            }
            kinds.push("none");
        }
        kinds
    }
}

fn extension() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/editors/vscode")
}

/// The only kind in a part of a text.
fn only<'a>(kinds: &[&'a str]) -> Option<&'a str> {
    let first = kinds.first()?;
    kinds.iter().all(|kind| kind == first).then_some(*first)
}

/// Whether a kind is right for a token of the lexer.
fn fits(kind: TokenKind, text: &str, shown: &str) -> bool {
    match kind {
        TokenKind::Keyword => {
            shown
                == if ["div", "mod", "old", "new", "forall", "exists"].contains(&text) {
                    "operator"
                } else {
                    "word"
                }
        }
        TokenKind::Number => shown == "number",
        TokenKind::Text => shown == "text",
        TokenKind::Symbol("{" | "}" | "(" | ")" | "[" | "]" | "," | ":" | "." | ";") => {
            shown == "punctuation"
        }
        TokenKind::Symbol(_) => shown == "operator",
        // Words that are special only in some places, and the types that are always there.
        TokenKind::Name => shown == "name" || shown == "word",
        TokenKind::Stray | TokenKind::End => false,
    }
}

#[test]
fn every_word_of_every_class_has_its_colour() {
    let colours = Colours::new();
    for path in all_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let source = Source::new("t.tq", text.as_str());
        let kinds = colours.kinds(&text);
        let tokens = tokens(&source, &mut DiagnosticSink::default());
        for token in tokens.list.iter().filter(|t| t.kind != TokenKind::End) {
            let word = source.at(token.span);
            let shown = only(&kinds[token.span.start as usize..token.span.end as usize]);
            assert!(
                shown.is_some_and(|shown| fits(token.kind, word, shown)),
                "{}: `{word}`: {shown:?}",
                path.display()
            );
        }
        for span in &tokens.comments {
            let comment = source.at(*span);
            let mut start = span.start as usize;
            for line in comment.split('\n') {
                let shown = only(&kinds[start..start + line.len()]);
                assert!(
                    shown.is_none_or(|shown| shown == "comment"),
                    "{line}: {shown:?}"
                );
                start += line.len() + 1;
            }
        }
    }
}

/// In random sentences, what the grammar means as a word of its own is shown as one, and no name is.
#[test]
fn words_of_the_grammar_are_told_from_names() {
    let colours = Colours::new();
    let grammar = Grammar::of_the_reference();
    let mut seen = BTreeSet::new();
    // What is behind a long expression is rarely there: some sentences begin with it.
    let all: [&[&str]; 2] = [&["file", "routine", "block"], &["cases"]];
    for seed in 0..700 {
        let mut random = Random::new(seed);
        let rule = random.one(all[usize::from(seed >= 600)]);
        let sentence = grammar.sentence(rule, 150, &mut random);
        let words: Vec<&str> = sentence.iter().map(|(word, _)| word.as_str()).collect();
        let text = words.join(" ");
        let kinds = colours.kinds(&text);
        let mut start = 0;
        for (word, meant) in &sentence {
            let shown = only(&kinds[start..start + word.len()]);
            let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
            let right = match meant {
                Meant::Grammar if is_word => shown == Some("word") || shown == Some("operator"),
                Meant::Grammar => shown == Some("punctuation") || shown == Some("operator"),
                Meant::Name => shown == Some("name"),
                Meant::Number => shown == Some("number"),
                Meant::Text => shown == Some("text"),
            };
            assert!(right, "`{word}` at {start}: {shown:?}\n{text}");
            start += word.len() + 1;
            seen.insert(word.clone());
        }
    }
    let unseen: Vec<_> = RESERVED
        .iter()
        .filter(|word| !seen.contains(**word))
        .collect();
    assert_eq!(unseen, [] as [&&str; 0], "in no sentence");
}

/// Words that are special only in some places are names elsewhere.
#[test]
fn special_words_are_names_elsewhere() {
    let colours = Colours::new();
    let text = "class C {\n  var state: int;\n  var type: bool;\n  action with(pure: int, over: bool)\n  { state := enabled + outcomes; initially := when; }\n}";
    let kinds = colours.kinds(text);
    for word in [
        "state",
        "type",
        "with",
        "pure",
        "over",
        "enabled",
        "outcomes",
        "initially",
        "when",
    ] {
        for (at, _) in text.match_indices(word) {
            assert_eq!(only(&kinds[at..at + word.len()]), Some("name"), "{word}");
        }
    }
}

#[test]
fn comments_nest() {
    let colours = Colours::new();
    let text = "/* a /* b */ c */ type T; // d /* e\nexception E;";
    let kinds = colours.kinds(text);
    assert_eq!(only(&kinds[..17]), Some("comment"));
    assert_eq!(kinds[18], "word");
    assert_eq!(only(&kinds[26..35]), Some("comment"));
    assert_eq!(kinds[36], "word");
}

/// The extension names files that are there, and what they say of themselves fits.
#[test]
fn the_extension_is_whole() {
    let read = |name: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(extension().join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let contributes = &read("package.json")["contributes"];
    let (language, grammar) = (&contributes["languages"][0], &contributes["grammars"][0]);
    assert_eq!(language["extensions"][0], ".tq");
    assert_eq!(language["id"], grammar["language"]);
    let syntax = read(grammar["path"].as_str().unwrap());
    assert_eq!(syntax["scopeName"], grammar["scopeName"]);
    assert_eq!(
        read(language["configuration"].as_str().unwrap())["comments"]["lineComment"],
        "//"
    );
}
