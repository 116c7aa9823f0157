//! What stands between two words: blanks, line ends and comments.
//!
//! A comment belongs to the word before it if it stands on that word's line and ends the line, to the word behind it if
//! that one follows on the same line, and is a line of its own otherwise. Where comments stand by this rule is the same
//! in the result, so that formatting it again changes nothing.

use std::borrow::Cow;

use pretty::{BuildDoc, Doc as Kind, DocAllocator, DocBuilder};

use super::{Doc, TokenLayout};
use crate::ir::span::Span;

/// What separates two words if there is no comment between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sep {
    /// Nothing.
    None,
    /// A blank.
    Space,
    /// A blank, or a line end if what is around does not fit a line.
    Line,
    /// Nothing, or a line end if what is around does not fit a line.
    SoftLine,
    /// A blank, or a line end if what comes next does not fit this line.
    Fill,
    /// A line end, and a blank line if there is one.
    Row,
    /// A line end. Behind a comment there may be a blank line.
    FirstRow,
    /// A line end. Before a comment there may be a blank line.
    LastRow,
}

impl Sep {
    fn is_row(self) -> bool {
        matches!(self, Sep::Row | Sep::FirstRow | Sep::LastRow)
    }
}

/// A comment, and how many line ends there are before it.
struct Comment<'a> {
    text: &'a str,
    line_ends: usize,
}

impl Comment<'_> {
    /// Whether nothing can follow on the same line.
    fn ends_line(&self) -> bool {
        self.text.starts_with("//") || self.text.contains('\n')
    }
}

impl<'a> TokenLayout<'a> {
    /// What stands before the next token, unless it is written already.
    pub(super) fn gap(&mut self, sep: Sep) -> Doc<'a> {
        if std::mem::replace(&mut self.gap_is_written, true) {
            return self.nil();
        }
        let first = self.written == 0;
        let (comments, line_ends) = self.read_gap();
        let own = on_other_lines(&comments, line_ends);
        let behind = comments.get(own).map_or(line_ends, |c| c.line_ends);
        let separator = match own {
            0 if first => self.nil(),
            0 => self.separator(sep, behind),
            // A comment that ends the line forces a line end, whatever would stand here otherwise.
            _ => self.row(sep.is_row() && sep != Sep::LastRow && behind > 1),
        };
        let doc = self.comments(&comments[..own], sep, first);
        let doc = doc.append(separator);
        doc.append(self.inline(&comments[own..], sep))
    }

    /// What stands before the next token, which ends what is around: the comments, and what separates the token from
    /// them. The comments belong inside, and are further to the right.
    pub(super) fn closing_gap(&mut self, sep: Sep) -> (Doc<'a>, Doc<'a>) {
        self.gap_is_written = true;
        let (comments, line_ends) = self.read_gap();
        if comments.is_empty() {
            return (self.nil(), self.separator(sep, 0));
        }
        let breaks = line_ends > 0 || sep.is_row() || comments.iter().any(breaks);
        if breaks {
            let inside = self.comments(&comments, sep, false);
            return (inside, self.row(false));
        }
        let mut inside = self.nil();
        for (i, comment) in comments.iter().enumerate() {
            let before = self.separator(if i == 0 { sep } else { Sep::Space }, 0);
            let comment = self.arena.text(comment.text);
            inside = inside.append(before).append(comment);
        }
        (inside, self.separator(sep, 0))
    }

    /// The comments before the next token, and how many line ends there are between the last and it.
    fn read_gap(&mut self) -> (Vec<Comment<'a>>, usize) {
        let mut comments = Vec::new();
        while let Some(span) = self.comments.get(self.comment_at) {
            if span.start as usize > self.start() {
                break;
            }
            comments.push(Comment {
                text: self.source.at(*span).trim_end(),
                line_ends: self.line_ends_up_to(span.start as usize),
            });
            self.written = span.end as usize;
            self.comment_at += 1;
        }
        let line_ends = self.line_ends_up_to(self.start());
        // The end of the text ends a line.
        let at_end = usize::from(self.token().is_none());
        (comments, line_ends.max(at_end))
    }

    fn line_ends_up_to(&self, end: usize) -> usize {
        let between = self.source.at(Span::new(self.written.min(end), end));
        between.matches('\n').count()
    }

    /// Comments that end a line: first those behind the word before, then those on lines of their own.
    fn comments(&self, comments: &[Comment<'a>], sep: Sep, first: bool) -> Doc<'a> {
        let mut doc = self.nil();
        let mut behind_word = !first;
        for (i, comment) in comments.iter().enumerate() {
            let after = i.checked_sub(1).and_then(|i| comments.get(i));
            let forced = after.is_some_and(Comment::ends_line);
            let same_line = comment.line_ends == 0 && !forced;
            behind_word &= same_line;
            let before = if i == 0 && first {
                self.nil()
            } else if behind_word || (i > 0 && same_line) {
                self.text(" ")
            } else {
                let blank = sep.is_row() && (i > 0 || sep != Sep::FirstRow);
                self.row(blank && comment.line_ends > 1)
            };
            doc = doc.append(before).append(self.comment(comment.text));
        }
        doc
    }

    /// A comment that ends a line. Its length is nobody's business: it makes no code move.
    fn comment(&self, text: &'a str) -> Doc<'a> {
        let mut lines = text.lines().map(str::trim_end);
        let first = self.without_length(lines.next().unwrap_or(""));
        if !lines.clone().all(|line| line.trim_start().starts_with('*')) {
            // Whatever it is, drawings or code, it stays as it is.
            return self.sized(0, text.replace('\r', ""));
        }
        lines.fold(first, |doc, line| {
            let line = self.without_length(line.trim_start());
            doc.append(self.arena.hardline()).append(" ").append(line)
        })
    }

    fn without_length(&self, text: &'a str) -> Doc<'a> {
        self.sized(0, text)
    }

    /// A text that counts as this many characters.
    fn sized(&self, length: usize, text: impl Into<Cow<'a, str>>) -> Doc<'a> {
        let text = match text.into() {
            Cow::Borrowed(text) => Kind::BorrowedText(text),
            Cow::Owned(text) => Kind::OwnedText(text.into()),
        };
        let sized = Kind::RenderLen(length, self.arena.alloc(text));
        DocBuilder(self.arena, BuildDoc::Doc(sized))
    }

    /// Comments before a word on the same line.
    fn inline(&self, comments: &[Comment<'a>], sep: Sep) -> Doc<'a> {
        if comments.is_empty() {
            return self.nil();
        }
        let texts: Vec<&str> = comments.iter().map(|comment| comment.text).collect();
        let text = texts.join(" ");
        let close = sep == Sep::None && !self.behind_bracket();
        let before = if close { " " } else { "" };
        let behind = match self.word_at(self.at) {
            ")" | "]" | "," | ";" => "",
            _ => " ",
        };
        let length = text.chars().count();
        let text = self.sized(length, text);
        self.text(before).append(text).append(behind)
    }

    /// Whether the last word opens a bracket.
    fn behind_bracket(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|i| self.tokens.get(i));
        before.is_some_and(|token| matches!(self.source.at(token.span), "(" | "["))
    }

    fn separator(&self, sep: Sep, line_ends: usize) -> Doc<'a> {
        match sep {
            Sep::None => self.nil(),
            Sep::Space => self.text(" "),
            Sep::Line => self.arena.line(),
            Sep::SoftLine => self.arena.line_(),
            Sep::Fill => self.arena.softline(),
            Sep::Row => self.row(line_ends > 1),
            Sep::FirstRow | Sep::LastRow => self.row(false),
        }
    }

    /// A line end, and a blank line.
    fn row(&self, blank: bool) -> Doc<'a> {
        let end = self.arena.hardline();
        if blank {
            end.append(self.arena.hardline())
        } else {
            end
        }
    }
}

/// Whether a comment stands at a line end.
fn breaks(comment: &Comment) -> bool {
    comment.line_ends > 0 || comment.ends_line()
}

/// How many of the comments do not stand on the line of the token behind them.
fn on_other_lines(comments: &[Comment], line_ends: usize) -> usize {
    if line_ends > 0 || comments.last().is_some_and(Comment::ends_line) {
        return comments.len();
    }
    // Behind the last line end, everything is on the token's line.
    let pairs = comments.windows(2);
    let broken = |pair: &[Comment]| pair[1].line_ends > 0 || pair[0].ends_line();
    pairs.clone().rposition(broken).map_or(0, |i| i + 1)
}
