//! What is wrong with an input, or is worth knowing of it, said to a person.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};

use super::place::{FileRange, Files};
use crate::ir::rendered;

/// Lines longer than this, in bytes, are not shown.
const LONG: usize = 4000;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// What is wrong.
    pub message: String,
    /// Where, with what is to be said about each place. The first is the complaint's own.
    pub places: Vec<(FileRange, String)>,
    /// Where it cannot be shown: a line such as `Vault.sol:3:1`.
    pub origin: Option<String>,
    /// What to do about it.
    pub help: Vec<String>,
}

/// All that is wrong with an input, with the files that the places point into.
#[derive(Clone, Debug)]
pub struct Complaints {
    /// The files.
    pub files: Arc<Files>,
    /// What is wrong, in the order in which it is said.
    pub list: Vec<Complaint>,
}

impl Complaint {
    /// A complaint about nothing in particular.
    pub fn new(message: impl Into<String>) -> Complaint {
        Complaint {
            message: message.into(),
            places: Vec::new(),
            origin: None,
            help: Vec::new(),
        }
    }

    /// Adds a place; the first one added is the complaint's own.
    pub fn at(mut self, place: FileRange, remark: impl Into<String>) -> Complaint {
        self.places.push((place, remark.into()));
        self
    }

    /// Adds something to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Complaint {
        self.help.push(help.into());
        self
    }
}

impl Complaints {
    /// One thing that is wrong, in no file.
    pub fn one(complaint: Complaint) -> Complaints {
        Complaints {
            files: Arc::default(),
            list: vec![complaint],
        }
    }

    /// What the first of them says, and its place (`Vault.sol:3:1`).
    pub fn first(&self) -> (String, Option<String>) {
        let Some(first) = self.list.first() else {
            return (String::new(), None);
        };
        let place = first.places.first();
        let place = place.map(|(place, _)| self.files.show(*place).to_string());
        (
            first.message.clone(),
            place.or_else(|| first.origin.clone()),
        )
    }

    /// As a person reads them, the first twenty in full; with ANSI colours or without.
    pub fn render(&self, coloured: bool) -> String {
        let groups = self.list.iter().map(|complaint| self.group(complaint));
        rendered(groups, 0, coloured)
    }

    fn group<'a>(&'a self, complaint: &'a Complaint) -> Group<'a> {
        let title = Level::ERROR.primary_title(&complaint.message);
        let mut group = Group::with_title(title);
        for (number, (place, remark)) in complaint.places.iter().enumerate() {
            group = self.excerpt(group, *place, remark, number == 0);
        }
        if let Some(origin) = &complaint.origin {
            group = group.element(Origin::path(origin));
        }
        for help in &complaint.help {
            group = group.element(Level::HELP.message(help));
        }
        group
    }

    /// Adds the lines of a place, or its name where they are not known.
    fn excerpt<'a>(
        &'a self,
        group: Group<'a>,
        place: FileRange,
        remark: &'a str,
        own: bool,
    ) -> Group<'a> {
        let Some(file) = self.files.get(place.file) else {
            return group;
        };
        let text = file.text.as_deref().unwrap_or_default();
        let (start, end) = (place.start as usize, place.end as usize);
        let first = text.get(..start).and_then(|before| before.rfind('\n'));
        let from = first.map_or(0, |line_end| line_end + 1);
        let after = text.get(start..).and_then(|after| after.find('\n'));
        let to = after.map_or(text.len(), |line_end| start + line_end);
        let lines = text.get(from..to).filter(|lines| lines.len() <= LONG);
        match (lines, file.line_column(place.start)) {
            (Some(lines), Some((line, _))) => {
                let kind = if own {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                // What goes on for several lines is marked in its first one.
                let whole = |offset: usize| {
                    let mut offsets = (0..=offset - from).rev();
                    offsets.find(|&at| lines.is_char_boundary(at)).unwrap_or(0)
                };
                let span = whole(start)..whole(end.clamp(start, to));
                let label = (!remark.is_empty()).then_some(remark);
                let snippet = Snippet::source(lines)
                    .line_start(line)
                    .path(&file.name)
                    .annotation(kind.span(span).label(label));
                group.element(snippet)
            }
            (_, Some((line, column))) => {
                group.element(Origin::path(&file.name).line(line).char_column(column))
            }
            (_, None) => group.element(Origin::path(&file.name)),
        }
    }
}

impl fmt::Display for Complaints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Complaints {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_shows_its_line() {
        let mut files = Files::default();
        let file = files.add("a.sol", Some("contract C {\n  uint x\n}\n".into()));
        let bare = files.add("b.sol", None);
        let at = |file, start, end| FileRange { file, start, end };
        let complaint = Complaint::new("expected a semicolon")
            .at(at(file, 20, 23), "after this")
            .at(at(bare, 3, 4), "declared here")
            .help("put one there");
        let complaints = Complaints {
            files: Arc::new(files),
            list: vec![complaint],
        };
        insta::assert_snapshot!(complaints.render(false).trim_end(), @r"
        error: expected a semicolon
         --> a.sol:2:8
          |
        2 |   uint x
          |        ^ after this
         ::: b.sol
          = help: put one there
        ");
    }

    #[test]
    fn places_that_are_nowhere_do_no_harm() {
        let mut files = Files::default();
        let file = files.add("a.sol", Some("é\n".into()));
        let places = [(0, 1), (1, 1), (1, 2), (7, 9), (9, 7), (u32::MAX, 0)];
        let list = places.map(|(start, end)| {
            let place = FileRange { file, start, end };
            Complaint::new("no").at(place, "here")
        });
        let complaints = Complaints {
            files: Arc::new(files),
            list: list.into(),
        };
        assert!(!complaints.to_string().is_empty());
    }
}
