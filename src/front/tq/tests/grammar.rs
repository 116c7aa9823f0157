//! The grammar of `docs/language.md`, as data: to make sentences from it, and to find texts in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::super::lexer::tokens;
use super::super::token::TokenKind;
use crate::ir::DiagnosticSink;
use crate::ir::source::Source;

/// The reference.
pub const REFERENCE: &str = include_str!("../../../../docs/language.md");

/// A right side of EBNF.
#[derive(Clone, Debug)]
enum Rule {
    Sequence(Vec<Rule>),
    Choice(Vec<Rule>),
    Optional(Box<Rule>),
    Repeated(Box<Rule>),
    /// A word as it is written.
    Word(String),
    /// A rule, or `name`, `number` or `text`.
    Named(String),
}

/// Rules by their names.
pub struct Grammar {
    rules: BTreeMap<String, Rule>,
    /// How deep the smallest sentence of each rule is.
    heights: BTreeMap<String, u32>,
    /// From how many words on an expression is ended as soon as can be, so that what stands behind it has its turn, too.
    expression: Option<usize>,
}

/// A word of a sentence, and what it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// A word or symbol of the grammar.
    Grammar,
    Name,
    Number,
    Text,
}

/// The blocks of code in a document that are marked as this.
pub fn blocks<'a>(document: &'a str, mark: &str) -> Vec<&'a str> {
    let parts = document.split("\n```").skip(1).step_by(2);
    let marked = parts.filter_map(|part| part.split_once('\n'));
    marked
        .filter(|(word, _)| *word == mark)
        .map(|(_, block)| block)
        .collect()
}

impl Grammar {
    /// The one of the reference.
    pub fn of_the_reference() -> Grammar {
        let text = blocks(REFERENCE, "ebnf").concat();
        let mut words = ebnf_words(&text).into_iter().peekable();
        let mut rules = BTreeMap::new();
        while let Some(name) = words.next() {
            assert_eq!(words.next().as_deref(), Some("="), "behind {name}");
            let rule = choice(&mut words);
            assert_eq!(words.next().as_deref(), Some(";"), "at the end of {name}");
            assert!(rules.insert(name.clone(), rule).is_none(), "{name} twice");
        }
        let mut grammar = Grammar {
            rules,
            heights: BTreeMap::from([("name".into(), 0), ("number".into(), 0), ("text".into(), 0)]),
            expression: None,
        };
        grammar.find_heights();
        grammar
    }

    /// The same, for sentences whose expressions are shorter than they are.
    pub fn with_short_expressions(self) -> Grammar {
        Grammar {
            expression: Some(80),
            ..self
        }
    }

    fn find_heights(&mut self) {
        loop {
            let mut changed = false;
            for (name, rule) in &self.rules {
                let height = self.height(rule).saturating_add(1);
                if height < *self.heights.get(name).unwrap_or(&u32::MAX) {
                    self.heights.insert(name.clone(), height);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let endless = self.rules.keys().find(|n| !self.heights.contains_key(*n));
        assert_eq!(endless, None, "a rule without a sentence");
    }

    fn height(&self, rule: &Rule) -> u32 {
        match rule {
            Rule::Word(_) | Rule::Optional(_) | Rule::Repeated(_) => 0,
            Rule::Named(name) => *self.heights.get(name).unwrap_or(&u32::MAX),
            Rule::Sequence(parts) => parts.iter().map(|p| self.height(p)).max().unwrap_or(0),
            Rule::Choice(parts) => parts.iter().map(|p| self.height(p)).min().unwrap_or(0),
        }
    }

    /// The words and symbols that are written as they are.
    pub fn words(&self) -> BTreeSet<&str> {
        let mut words = BTreeSet::new();
        let mut open: Vec<&Rule> = self.rules.values().collect();
        while let Some(rule) = open.pop() {
            match rule {
                Rule::Sequence(parts) | Rule::Choice(parts) => open.extend(parts),
                Rule::Optional(part) | Rule::Repeated(part) => open.push(part),
                Rule::Word(word) => {
                    words.insert(word.as_str());
                }
                Rule::Named(_) => {}
            }
        }
        words
    }

    /// A sentence of a rule. From about this many words on, it is ended as soon as can be.
    pub fn sentence(&self, rule: &str, length: usize, random: &mut Random) -> Vec<(String, Meant)> {
        let mut maker = Maker {
            grammar: self,
            length,
            random,
            sentence: Vec::new(),
        };
        maker.make(&self.rules[rule]);
        maker.sentence
    }

    /// Whether a text is a sentence of `file`; else the word up to which it is the beginning of one.
    pub fn takes(&self, text: &str) -> Result<(), String> {
        let source = Source::new("t.tq", text);
        let tokens = tokens(&source, &mut DiagnosticSink::default());
        let words = tokens.list.iter().filter(|t| t.kind != TokenKind::End);
        let words: Vec<_> = words.map(|t| (t.kind, source.at(t.span))).collect();
        let mut reading = Reading {
            grammar: self,
            words: &words,
            known: HashMap::new(),
            furthest: 0,
        };
        if reading.named("file", 0).contains(&words.len()) {
            return Ok(());
        }
        let stuck = tokens.list[reading.furthest].span;
        let (line, column) = source.line_column(stuck.start as usize);
        Err(format!("{line}:{column}: {}", source.at(stuck)))
    }
}

/// A sentence in the making.
struct Maker<'a> {
    grammar: &'a Grammar,
    length: usize,
    random: &'a mut Random,
    sentence: Vec<(String, Meant)>,
}

impl Maker<'_> {
    fn push(&mut self, word: &str, meant: Meant) {
        self.sentence.push((word.to_owned(), meant));
    }

    /// Whether there is one more, which there is `of` ten times, while the sentence is short.
    fn goes_on(&mut self, of: usize) -> bool {
        self.sentence.len() < self.length && self.random.below(10) < of
    }

    fn make(&mut self, rule: &Rule) {
        match rule {
            Rule::Word(word) => self.push(word, Meant::Grammar),
            Rule::Named(name) if name == "name" => {
                let names = ["a", "b1", "_c", "Mode", "length", "statement", "iff"];
                let name = self.random.one(&names);
                self.push(name, Meant::Name);
            }
            Rule::Named(name) if name == "number" => {
                let number = self.random.one(&["0", "7", "1234567890"]);
                self.push(number, Meant::Number);
            }
            Rule::Named(name) if name == "text" => self.push("\"a(b[], c)\"", Meant::Text),
            Rule::Named(name) if name == "expr" && self.grammar.expression.is_some() => {
                let length = self.length;
                let most = self.grammar.expression.unwrap_or_default();
                self.length = length.min(self.sentence.len() + self.random.below(most));
                self.make(&self.grammar.rules[name]);
                self.length = length;
            }
            Rule::Named(name) => self.make(&self.grammar.rules[name]),
            Rule::Sequence(parts) => parts.iter().for_each(|part| self.make(part)),
            Rule::Choice(parts) => {
                let long = self.sentence.len() >= self.length;
                let least = self.grammar.height(rule);
                let fits = |part: &&Rule| !long || self.grammar.height(part) == least;
                let parts: Vec<&Rule> = parts.iter().filter(fits).collect();
                let part = *self.random.one(&parts);
                self.make(part);
            }
            Rule::Optional(part) => {
                if self.goes_on(4) {
                    self.make(part);
                }
            }
            Rule::Repeated(part) => {
                // Declarations and statements are many, operators in a chain are few.
                let of = if starts_with_a_word(part) { 2 } else { 8 };
                while self.goes_on(of) {
                    self.make(part);
                }
            }
        }
    }
}

fn starts_with_a_word(rule: &Rule) -> bool {
    match rule {
        Rule::Word(_) => true,
        Rule::Named(_) => false,
        Rule::Sequence(parts) | Rule::Choice(parts) => {
            parts.first().is_some_and(starts_with_a_word)
        }
        Rule::Optional(part) | Rule::Repeated(part) => starts_with_a_word(part),
    }
}

/// Where sentences may end that start at a word: found once for each rule and word.
struct Reading<'a> {
    grammar: &'a Grammar,
    words: &'a [(TokenKind, &'a str)],
    known: HashMap<(&'a str, usize), Rc<BTreeSet<usize>>>,
    furthest: usize,
}

impl<'a> Reading<'a> {
    fn named(&mut self, name: &'a str, at: usize) -> Rc<BTreeSet<usize>> {
        if let Some(ends) = self.known.get(&(name, at)) {
            return Rc::clone(ends);
        }
        let grammar = self.grammar;
        let ends = Rc::new(self.ends(&grammar.rules[name], at));
        self.known.insert((name, at), Rc::clone(&ends));
        ends
    }

    fn word(&mut self, at: usize, is: impl FnOnce(TokenKind, &str) -> bool) -> BTreeSet<usize> {
        self.furthest = self.furthest.max(at);
        let fits = self
            .words
            .get(at)
            .is_some_and(|(kind, text)| is(*kind, text));
        fits.then_some(at + 1).into_iter().collect()
    }

    fn ends(&mut self, rule: &'a Rule, at: usize) -> BTreeSet<usize> {
        match rule {
            Rule::Word(word) => self.word(at, |_, text| text == word),
            Rule::Named(name) if name == "name" => self.word(at, |kind, _| kind == TokenKind::Name),
            Rule::Named(name) if name == "number" => {
                self.word(at, |kind, _| kind == TokenKind::Number)
            }
            Rule::Named(name) if name == "text" => self.word(at, |kind, _| kind == TokenKind::Text),
            Rule::Named(name) => (*self.named(name, at)).clone(),
            Rule::Choice(parts) => parts.iter().flat_map(|part| self.ends(part, at)).collect(),
            Rule::Sequence(parts) => parts.iter().fold(BTreeSet::from([at]), |starts, part| {
                starts
                    .iter()
                    .flat_map(|start| self.ends(part, *start))
                    .collect()
            }),
            Rule::Optional(part) => {
                let mut ends = self.ends(part, at);
                ends.insert(at);
                ends
            }
            Rule::Repeated(part) => {
                let mut ends = BTreeSet::from([at]);
                let mut open = vec![at];
                while let Some(start) = open.pop() {
                    let more = self.ends(part, start);
                    open.extend(more.into_iter().filter(|end| ends.insert(*end)));
                }
                ends
            }
        }
    }
}

type Words = std::iter::Peekable<std::vec::IntoIter<String>>;

/// Names, quoted words with their quotes, and symbols.
fn ebnf_words(text: &str) -> Vec<String> {
    let word = regex::Regex::new(r#""[^"]+"|[a-z]+|[^\s\w]"#).unwrap();
    word.find_iter(text)
        .map(|m| m.as_str().to_owned())
        .collect()
}

fn choice(words: &mut Words) -> Rule {
    let mut parts = vec![sequence(words)];
    while words.next_if(|word| word == "|").is_some() {
        parts.push(sequence(words));
    }
    Rule::Choice(parts)
}

fn sequence(words: &mut Words) -> Rule {
    let mut parts = Vec::new();
    while let Some(word) = words.next_if(|w| !["|", ";", ")", "]", "}"].contains(&w.as_str())) {
        let (part, end) = match word.as_str() {
            "(" => (choice(words), ")"),
            "[" => (Rule::Optional(Box::new(choice(words))), "]"),
            "{" => (Rule::Repeated(Box::new(choice(words))), "}"),
            quoted if quoted.starts_with('"') => {
                (Rule::Word(quoted.trim_matches('"').to_owned()), "")
            }
            name => (Rule::Named(name.to_owned()), ""),
        };
        if !end.is_empty() {
            assert_eq!(words.next().as_deref(), Some(end));
        }
        parts.push(part);
    }
    Rule::Sequence(parts)
}

/// Random numbers from a seed (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }

    pub fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}
