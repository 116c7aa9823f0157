//! Clauses put into a text: at the end of headers and at the beginning of classes. Comments and layout stay.

use crate::ir::{ClassId, Program, RoutineRef};

/// Insertions into a text.
pub(super) struct Edits<'t> {
    text: &'t str,
    /// Where, up to where the white space there is replaced, and by what.
    insertions: Vec<(usize, usize, String)>,
}

impl<'t> Edits<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Edits {
            text,
            insertions: Vec::new(),
        }
    }

    /// The white space that the line of an offset begins with.
    fn indentation(&self, offset: usize) -> &'t str {
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = self.text.get(line..).unwrap_or_default();
        let end = rest.find(|c| c != ' ' && c != '\t').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// Clauses at the end of a routine's header, each on a line of its own.
    pub(super) fn requires(&mut self, program: &Program, routine: RoutineRef, clauses: &[String]) {
        if clauses.is_empty() {
            return;
        }
        let span = program.routine(routine).span;
        let end = span.end as usize;
        let indentation = self.indentation(span.start as usize);
        let mut lines = String::new();
        for clause in clauses {
            lines.push_str(&format!("\n{indentation}  requires {clause}"));
        }
        // A brace right behind the header goes below the clauses.
        let rest = self.text.get(end..).unwrap_or_default();
        let blank = rest.find(|c| c != ' ').unwrap_or(rest.len());
        let mut upto = end;
        if rest.get(blank..).is_some_and(|r| r.starts_with('{')) {
            lines.push_str(&format!("\n{indentation}"));
            upto = end + blank;
        }
        self.insertions.push((end, upto, lines));
    }

    /// Statements that the body of a routine begins with, each on a line of its own.
    pub(super) fn begins(&mut self, program: &Program, routine: RoutineRef, statements: &[String]) {
        let span = program.routine(routine).span;
        let end = span.end as usize;
        let rest = self.text.get(end..).unwrap_or_default();
        let Some(brace) = position_in_code(rest, '{') else {
            return;
        };
        let at = end + brace + 1;
        let indentation = self.indentation(span.start as usize);
        let lines = statements
            .iter()
            .map(|statement| format!("\n{indentation}  {statement}"));
        self.insertions.push((at, at, lines.collect()));
    }

    /// Invariants, behind the class's last field where there is one, else at its beginning.
    pub(super) fn invariants(&mut self, program: &Program, class: ClassId, invariants: &[String]) {
        let members = invariants.iter().map(|e| format!("invariant {e};"));
        self.members(program, class, &members.collect::<Vec<_>>());
    }

    /// Members, at the same place.
    pub(super) fn members(&mut self, program: &Program, class: ClassId, members: &[String]) {
        if members.is_empty() {
            return;
        }
        let declared = program.class(class);
        let last_field = declared.fields.iter().map(|f| f.span.end as usize).max();
        let (from, after) = match last_field {
            Some(field) => (field, ';'),
            None => (declared.span.end as usize, '{'),
        };
        let rest = self.text.get(from..).unwrap_or_default();
        let Some(at) = position_in_code(rest, after).map(|at| from + at + 1) else {
            return;
        };
        let indentation = match last_field {
            Some(field) => self.indentation(field).to_string(),
            None => format!("{}  ", self.indentation(from)),
        };
        let lines = members
            .iter()
            .map(|member| format!("\n{indentation}{member}"));
        // Behind what else is on the line: a comment belongs to what is before it.
        let line = self.text.get(at..).unwrap_or_default();
        let end = match line.find('\n') {
            Some(end) if line.get(..end).is_some_and(is_comment) => at + end,
            _ => at,
        };
        self.insertions.push((end, end, lines.collect()));
    }

    /// The text with everything in it.
    pub(super) fn finish(mut self) -> String {
        self.insertions.sort();
        let mut text = String::new();
        let mut copied = 0;
        for (from, upto, new) in &self.insertions {
            text.push_str(self.text.get(copied..*from).unwrap_or_default());
            text.push_str(new);
            copied = *upto;
        }
        text.push_str(self.text.get(copied..).unwrap_or_default());
        text
    }
}

/// Whether the rest of a line is white space, or one comment up to the end of the line.
fn is_comment(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || rest.starts_with("//")
}

/// Where a character is, comments left out.
fn position_in_code(text: &str, wanted: char) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let next = rest.chars().next()?;
        if rest.starts_with("//") {
            at += rest.find('\n')?;
        } else if rest.starts_with("/*") {
            at += comment_length(rest)?;
        } else if next == wanted {
            return Some(at);
        } else {
            at += next.len_utf8();
        }
    }
}

/// The length of the comment that a text begins with; comments nest.
fn comment_length(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq;

    fn edited(text: &str, routine: usize, clauses: &[&str], invariants: &[&str]) -> String {
        let loaded = tq::parse_text("test", text).expect("well-formed");
        let class = ClassId(loaded.program.classes.len() - 1);
        let list = |texts: &[&str]| texts.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        let mut edits = Edits::new(&loaded.source.text);
        edits.invariants(&loaded.program, class, &list(invariants));
        let routine = RoutineRef {
            class,
            index: routine,
        };
        edits.requires(&loaded.program, routine, &list(clauses));
        let text = edits.finish();
        tq::parse_text("edited", &text).expect("still well-formed");
        text
    }

    #[test]
    fn clauses_go_below_the_header_and_comments_stay() {
        let text = "class C {\n  // one\n  var s: int; // two\n\n  action m(p: int) { s := p; } // three\n}\n";
        assert_eq!(
            edited(text, 0, &["p > 0", "s > p"], &["s >= 0"]),
            "class C {\n  // one\n  var s: int; // two\n  invariant s >= 0;\n\n  action m(p: int)\n    \
             requires p > 0\n    requires s > p\n  { s := p; } // three\n}\n"
        );
    }

    #[test]
    fn clauses_go_behind_those_that_are_there() {
        let text = "class C {\n\taction m(p: int)\n\t\trequires p > 0 // why\n\t{ }\n}\n";
        assert_eq!(
            edited(text, 0, &["p != 3"], &[]),
            "class C {\n\taction m(p: int)\n\t\trequires p > 0\n\t  requires p != 3 // why\n\t{ }\n}\n"
        );
    }

    #[test]
    fn a_class_without_fields_begins_with_its_invariants() {
        let text = "class C /* { */ { action m() { } }";
        assert_eq!(
            edited(text, 0, &[], &["true"]),
            "class C /* { */ {\n  invariant true; action m() { } }"
        );
    }

    #[test]
    fn the_semicolon_of_a_field_is_not_one_in_a_comment() {
        let text = "class C { var s /* ; */ : int; var t: int /* a; /* b; */ */ ; action m() { } }";
        assert_eq!(
            edited(text, 0, &["s > t"], &["t > 0"]),
            "class C { var s /* ; */ : int; var t: int /* a; /* b; */ */ ;\ninvariant t > 0; action m()\n  \
             requires s > t\n{ } }"
        );
    }
}
