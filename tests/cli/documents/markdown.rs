//! What a document says: its code blocks, links, headings and commands in the text.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A Markdown text, read.
#[derive(Debug, Default)]
pub struct Document {
    /// The code blocks.
    pub blocks: Vec<Block>,
    /// Where links and pictures point.
    pub links: Vec<Piece>,
    /// The names that links can give headings (`#reading-the-result`).
    pub anchors: Vec<String>,
    /// The code in the middle of text.
    pub spans: Vec<Piece>,
}

/// A code block.
#[derive(Debug)]
pub struct Block {
    /// The line it begins in.
    pub line: usize,
    /// Its language; empty where it has none.
    pub language: String,
    /// Its text.
    pub text: String,
}

/// A part of the text.
#[derive(Debug)]
pub struct Piece {
    /// The line it begins in.
    pub line: usize,
    /// What it says.
    pub text: String,
}

/// Reads a text.
pub fn read(text: &str) -> Document {
    let line_of = |range: &Range<usize>| text[..range.start].matches('\n').count() + 1;
    let mut document = Document::default();
    let mut heading: Option<String> = None;
    let mut in_block = false;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let line = line_of(&range);
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                in_block = true;
                document.blocks.push(Block {
                    line,
                    language: match kind {
                        CodeBlockKind::Fenced(language) => language.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    },
                    text: String::new(),
                });
            }
            Event::End(TagEnd::CodeBlock) => in_block = false,
            Event::Text(part) if in_block => {
                if let Some(block) = document.blocks.last_mut() {
                    block.text.push_str(&part);
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                document.links.push(Piece {
                    line,
                    text: dest_url.to_string(),
                });
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                document.anchors.extend(heading.take().map(|h| anchor(&h)));
            }
            Event::Code(part) => {
                heading.iter_mut().for_each(|h| h.push_str(&part));
                document.spans.push(Piece {
                    line,
                    text: part.to_string(),
                });
            }
            Event::Text(part) => heading.iter_mut().for_each(|h| h.push_str(&part)),
            _ => {}
        }
    }
    document
}

/// The name of a heading, as forges and mdBook make it.
fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// A command of a block, and what it is said to print; none where that is not shown.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// The command, `\` at the end of a line joined with the next one.
    pub text: String,
    /// What is printed.
    pub output: Option<Vec<String>>,
}

/// The commands of a block: all of `sh`, those after `$ ` of `console`, those after `run: ` of `yaml`.
pub fn commands(block: &Block) -> Vec<Command> {
    let joined = block.text.replace("\\\n", "");
    let mut commands: Vec<Command> = Vec::new();
    for line in joined.lines() {
        let is_shell = block.language == "sh" && !line.trim().is_empty();
        let text = match block.language.as_str() {
            "sh" => Some(line).filter(|_| is_shell && !line.starts_with('#')),
            "console" => line.strip_prefix("$ "),
            "yaml" => line.trim_start_matches([' ', '-']).strip_prefix("run: "),
            _ => None,
        };
        let shows = block.language == "console";
        match (text, commands.last_mut()) {
            (Some(text), _) => commands.push(Command {
                text: text.trim().to_owned(),
                output: shows.then(Vec::new),
            }),
            (None, Some(last)) => last.output.iter_mut().for_each(|o| o.push(line.to_owned())),
            (None, None) => {}
        }
    }
    commands
}

/// Whether what was printed is what a document shows. `…` stands for any text of a line; alone in a line, for any lines.
pub fn shows(shown: &[String], printed: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else {
        return printed.is_empty();
    };
    if first.trim() == "…" {
        return (0..=printed.len()).any(|skipped| shows(rest, &printed[skipped..]));
    }
    let Some((line, more)) = printed.split_first() else {
        return false;
    };
    let pattern = regex::escape(first.trim_end()).replace('…', ".*");
    let is_same =
        regex::Regex::new(&format!("^{pattern}$")).is_ok_and(|p| p.is_match(line.trim_end()));
    is_same && shows(rest, more)
}
