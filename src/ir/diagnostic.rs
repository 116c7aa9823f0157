//! What is wrong with an input, said to a person: message, place, source line, caret, hint.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::hint::{Fix, Hint};
use super::source::Source;
use super::span::Span;

/// How many diagnostics are printed.
const PRINTED: usize = 20;
/// Lines longer than this, in bytes, are shown in part.
const LONG: usize = 4000;
/// How many diagnostics are kept; more are only counted.
const KEPT: usize = 1000;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but may not say what was meant.
    Warning,
}

/// A place with what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; may be empty.
    pub text: String,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where; the first is the place of the diagnostic itself. None if it is about the file as a whole.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// What to write instead of its own place, where that is all there is to do.
    instead: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            help: None,
            instead: None,
        }
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(message)
        }
    }

    /// Adds a place; the first one added is the diagnostic's own.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        self.labels.push(Label { span, text });
        self
    }

    /// Sets the hint.
    pub(crate) fn help(mut self, help: impl Into<Hint>) -> Self {
        let help = help.into();
        self.help = Some(help.text);
        self.instead = help.instead;
        self
    }

    /// Sets the hint, if there is one.
    pub(crate) fn maybe_help(self, help: Option<impl Into<Hint>>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    fn start(&self) -> u32 {
        self.labels.first().map_or(0, |label| label.span.start)
    }
}

/// All that is wrong with an input, sorted by place. Displays as plain text; see [`Diagnostics::render`].
#[derive(Clone, Debug)]
pub struct Diagnostics {
    source: Arc<Source>,
    list: Vec<Diagnostic>,
    omitted: usize,
}

impl Diagnostics {
    pub(crate) fn new(source: Arc<Source>, found: DiagnosticSink) -> Self {
        let mut list = found.list;
        list.sort_by_key(|diagnostic| (diagnostic.start(), diagnostic.severity));
        // What is looked at twice (the middle of a chain of comparisons) is wrong once.
        list.dedup_by_key(|diagnostic| (diagnostic.start(), diagnostic.message.clone()));
        Diagnostics {
            source,
            list,
            omitted: found.omitted,
        }
    }

    /// The diagnostics that were kept (at most a thousand).
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// How many there are, including those that were not kept.
    pub fn len(&self) -> usize {
        self.list.len() + self.omitted
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text that the places refer to.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The edit that the hint of one of them comes to, if it is no more than one.
    pub fn fix(&self, diagnostic: &Diagnostic) -> Option<Fix> {
        let mut place = diagnostic.labels.first()?.span;
        let text = diagnostic.instead.clone()?;
        if text.is_empty() {
            // The blanks behind what is left out have nothing to keep apart.
            let behind = self.source.text.get(place.end as usize..)?;
            let blanks = behind.len() - behind.trim_start_matches(' ').len();
            place = Span::new(place.start as usize, place.end as usize + blanks);
        }
        Some(Fix { place, text })
    }

    /// What the first of the worst of them says, and its place (`door.tq:3:1`).
    pub fn first(&self) -> (String, Option<String>) {
        let worst = self
            .list
            .iter()
            .min_by_key(|diagnostic| diagnostic.severity);
        let Some(first) = worst else {
            return (String::new(), None);
        };
        let place = first.labels.first().map(|label| {
            let (line, column) = self.source.line_column(label.span.start as usize);
            format!("{}:{line}:{column}", self.source.name)
        });
        (first.message.clone(), place)
    }

    /// The diagnostics as a person reads them, the first twenty in full; with ANSI colours or without.
    pub fn render(&self, coloured: bool) -> String {
        let groups = self.list.iter().map(|diagnostic| self.group(diagnostic));
        rendered(groups, self.omitted, coloured)
    }

    fn group<'a>(&'a self, diagnostic: &'a Diagnostic) -> Group<'a> {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(&diagnostic.message));
        for labels in clusters(&self.source, &diagnostic.labels) {
            group = self.excerpt(group, &labels);
        }
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help));
        }
        group
    }

    /// Adds the lines of some labels. Only these lines are handed over: the renderer looks at all it gets.
    fn excerpt<'a>(&'a self, group: Group<'a>, labels: &[Marked<'a>]) -> Group<'a> {
        let Some(whole) = labels.iter().map(|(_, label)| label.span).reduce(Span::to) else {
            return group;
        };
        let (range, line) = self.source.line_range(whole);
        if range.len() > LONG {
            return labels
                .iter()
                .fold(group, |group, &marked| self.cut_out(group, marked));
        }
        let text = self.source.text.get(range.clone()).unwrap_or("");
        let snippet = Snippet::source(text)
            .line_start(line)
            .path(&self.source.name)
            .annotations(labels.iter().map(|marked| annotation(*marked, &range)));
        group.element(snippet)
    }

    /// Adds a label with a piece of its line, where the line is very long.
    fn cut_out<'a>(&'a self, group: Group<'a>, marked: Marked<'a>) -> Group<'a> {
        let text = &self.source.text;
        let at = marked.1.span.start as usize;
        let (lines, _) = self.source.line_range(marked.1.span);
        let mut start = at.saturating_sub(LONG / 40).max(lines.start);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        let mut end = (at + LONG / 20).min(lines.end);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let piece = text.get(start..end).unwrap_or("");
        let piece = piece.lines().next().unwrap_or("");
        let (line, column) = self.source.line_column(at);
        let origin = Origin::path(&self.source.name)
            .line(line)
            .char_column(column);
        let snippet = Snippet::source(piece)
            .line_start(line)
            .annotation(annotation(marked, &(start..start + piece.len())));
        group.element(snippet).element(origin)
    }
}

/// Complaints as a person reads them, the first twenty in full; so many more were not kept.
pub(crate) fn rendered<'a>(
    groups: impl ExactSizeIterator<Item = Group<'a>>,
    omitted: usize,
    coloured: bool,
) -> String {
    let renderer = if coloured {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let more = omitted + groups.len().saturating_sub(PRINTED);
    let mut text = String::new();
    for group in groups.take(PRINTED) {
        text.push_str(&renderer.render(&[group]));
        text.push_str("\n\n");
    }
    if more > 0 {
        text.push_str(&format!("… and {more} more\n"));
    }
    text
}

/// A label, and whether it is the place of the diagnostic itself.
type Marked<'a> = (bool, &'a Label);

/// Labels that stand near each other, in the order in which they are shown: the diagnostic's own place first.
fn clusters<'a>(source: &Source, labels: &'a [Label]) -> Vec<Vec<Marked<'a>>> {
    const NEAR: usize = 5;
    let mut sorted: Vec<Marked<'a>> = labels
        .iter()
        .enumerate()
        .map(|(i, label)| (i == 0, label))
        .collect();
    sorted.sort_by_key(|(_, label)| label.span.start);
    let mut clusters: Vec<Vec<Marked<'a>>> = Vec::new();
    let mut last_line = 0;
    for marked in sorted {
        let (first, _) = source.line_column(marked.1.span.start as usize);
        match clusters.last_mut() {
            Some(cluster) if first <= last_line + NEAR => cluster.push(marked),
            _ => clusters.push(vec![marked]),
        }
        (last_line, _) = source.line_column(marked.1.span.end as usize);
    }
    clusters.sort_by_key(|cluster| !cluster.iter().any(|(own, _)| *own));
    clusters
}

/// A label on a text that is the given range of the source.
fn annotation<'a>((own, label): Marked<'a>, range: &Range<usize>) -> Annotation<'a> {
    let kind = if own {
        AnnotationKind::Primary
    } else {
        AnnotationKind::Context
    };
    let inside = |offset: u32| (offset as usize).clamp(range.start, range.end) - range.start;
    let text = (!label.text.is_empty()).then_some(label.text.as_str());
    kind.span(inside(label.span.start)..inside(label.span.end))
        .label(text)
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

/// The diagnostics of a run, while it goes on.
#[derive(Debug, Default)]
pub(crate) struct DiagnosticSink {
    list: Vec<Diagnostic>,
    omitted: usize,
    errors: usize,
}

impl DiagnosticSink {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        if self.list.len() < KEPT {
            self.list.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }

    /// Leaves only those of this severity.
    pub(crate) fn retain(&mut self, severity: Severity) {
        self.list.retain(|d| d.severity == severity);
    }

    /// How many errors there are.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }
}

impl From<Diagnostic> for DiagnosticSink {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut found = DiagnosticSink::default();
        found.push(diagnostic);
        found
    }
}
