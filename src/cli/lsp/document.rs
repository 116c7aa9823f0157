//! One open text, and what there is to say about it at once.

use std::collections::{BTreeSet, HashMap};

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeLens, Command, Diagnostic,
    DiagnosticSeverity, Hover, HoverContents, MarkupContent, MarkupKind, Position, Range, TextEdit,
    Uri, WorkspaceEdit,
};
use serde_json::json;

use super::PAGE;
use super::background::KnownEpas;
use crate::epa::Epa;
use crate::front::tq::{self, Loaded};
use crate::ir::span::Span;
use crate::ir::{
    self, ClassId, Diagnostics, Expr, ExprKind, FieldRef, Program, RoutineKind, Severity, Source,
};
use crate::words::counted;

/// What a text is called that is in no file.
const NAME: &str = "text.tq";

/// A text, as it was read.
pub(super) struct Document {
    source: Source,
    read: Result<Loaded, Diagnostics>,
}

impl Document {
    /// Reads a text.
    pub(super) fn of(uri: &Uri, text: String) -> Document {
        let name = name_of(uri);
        Document {
            read: tq::parse_text(&name, &text),
            source: Source::new(name, text),
        }
    }

    /// The program, where nothing is wrong.
    pub(super) fn loaded(&self) -> Option<&Loaded> {
        self.read.as_ref().ok()
    }

    fn wrong(&self) -> &Diagnostics {
        match &self.read {
            Ok(loaded) => &loaded.warnings,
            Err(wrong) => wrong,
        }
    }

    /// All that is wrong with it, with the way out.
    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        let all = self.wrong().iter();
        all.map(|wrong| self.diagnostic(wrong)).collect()
    }

    /// The edits that take away what is wrong in some lines, where a message says all that is to be done.
    pub(super) fn fixes(&self, uri: &Uri, lines: Range) -> Vec<CodeActionOrCommand> {
        let wrong = self.wrong();
        let fixes = wrong.iter().filter_map(|one| {
            let diagnostic = self.diagnostic(one);
            let (start, end) = (diagnostic.range.start.line, diagnostic.range.end.line);
            if end < lines.start.line || lines.end.line < start {
                return None;
            }
            let fix = wrong.fix(one)?;
            let edit = TextEdit {
                range: self.range(fix.place),
                new_text: fix.text,
            };
            // A client knows a text by the very words with which it was named.
            #[allow(clippy::mutable_key_type)]
            let changes = HashMap::from([(uri.clone(), vec![edit])]);
            Some(CodeActionOrCommand::CodeAction(CodeAction {
                title: one.help.clone().unwrap_or_default(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic]),
                edit: Some(WorkspaceEdit::new(changes)),
                is_preferred: Some(true),
                ..CodeAction::default()
            }))
        });
        fixes.collect()
    }

    /// Where what the name at a place stands for is declared.
    pub(super) fn definition(&self, at: Position) -> Option<Range> {
        let mention = self.loaded()?.mentions.at(self.offset(at)?)?;
        Some(self.range(mention.declared))
    }

    fn diagnostic(&self, wrong: &ir::Diagnostic) -> Diagnostic {
        let label = wrong.labels.first();
        let more = label
            .map(|label| label.text.as_str())
            .filter(|text| !text.is_empty());
        let help = wrong.help.as_ref().map(|help| format!("help: {help}"));
        let lines = [Some(wrong.message.clone()), more.map(str::to_owned), help];
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        Diagnostic {
            range: self.range(label.map(|label| label.span).unwrap_or_default()),
            severity: Some(match wrong.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            source: Some("tranquera".to_owned()),
            message: lines.join("\n"),
            ..Diagnostic::default()
        }
    }

    /// What makes it formatted; none where it is not right, so that there is no form.
    pub(super) fn formatted(&self) -> Option<Vec<TextEdit>> {
        let text = &self.source.text;
        let formatted = tq::format(&self.source.name, text, tq::LINE_WIDTH).ok()?;
        let edit = TextEdit {
            range: self.range(Span::new(0, text.len())),
            new_text: formatted.clone(),
        };
        Some(match formatted == *text {
            true => Vec::new(),
            false => vec![edit],
        })
    }

    /// A lens over each class of which the EPA is known: `4 states · 1 deadlock`. It opens the page.
    pub(super) fn lenses(&self, uri: &Uri, known: &KnownEpas) -> Vec<CodeLens> {
        let classes = self.loaded().map(|loaded| loaded.program.classes.iter());
        let lenses = classes.into_iter().flatten().filter_map(|class| {
            let epa = known.get(&class.name)?;
            Some(CodeLens {
                range: self.range(class.span),
                command: Some(Command {
                    title: title(epa),
                    command: PAGE.to_owned(),
                    arguments: Some(vec![json!(uri.as_str()), json!(class.name)]),
                }),
                data: None,
            })
        });
        lenses.collect()
    }

    /// What there is to say of the header of an action, or of a field, at this place.
    pub(super) fn hover(&self, at: Position, known: &KnownEpas) -> Option<Hover> {
        let offset = self.offset(at)?;
        let (value, span) = self
            .of_field(offset)
            .or_else(|| self.of_header(offset, known))?;
        let kind = MarkupKind::Markdown;
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind, value }),
            range: Some(self.range(span)),
        })
    }

    /// A field, where it is declared or named: its type, and what the invariant says of it.
    fn of_field(&self, offset: u32) -> Option<(String, Span)> {
        let loaded = self.loaded()?;
        let mention = loaded.mentions.at(offset);
        let declared = mention.map_or(offset, |mention| mention.declared.start);
        let program = &loaded.program;
        let classes = (0..).zip(&program.classes);
        let mut fields = classes.flat_map(|(class, of)| {
            let fields = (0..).zip(&of.fields);
            fields.map(move |(index, field)| (ClassId(class), index, field))
        });
        let (class, index, field) =
            fields.find(|(.., field)| (field.span.start..field.span.end).contains(&declared))?;
        let what = if field.constant { "const" } else { "var" };
        let ty = program.type_name(&field.ty);
        let mut lines = vec![format!("{what} {}: {ty}", field.name)];
        let clauses = (0..).zip(&program.class(class).invariants);
        lines.extend(
            clauses
                .filter(|(_, clause)| speaks_of(program, clause, FieldRef { class, index }))
                .map(|(at, clause)| {
                    let is_fact = at < program.class(class).facts;
                    let word = if is_fact { "fact" } else { "invariant" };
                    format!("{word} {}", loaded.source.at(clause.span))
                }),
        );
        let span = mention.map_or(field.span, |mention| mention.place);
        Some((format!("```tq\n{}\n```", lines.join("\n")), span))
    }

    /// The header of an action: in which states it can be called, and where it leads.
    fn of_header(&self, offset: u32, known: &KnownEpas) -> Option<(String, Span)> {
        let program = &self.loaded()?.program;
        program.classes.iter().find_map(|class| {
            let mut actions = class
                .routines
                .iter()
                .filter(|r| r.kind == RoutineKind::Action);
            let action =
                actions.find(|action| (action.span.start..action.span.end).contains(&offset))?;
            let said = of_action(known.get(&class.name)?, &action.name);
            Some((said, action.span))
        })
    }

    fn range(&self, span: Span) -> Range {
        Range {
            start: self.position(span.start as usize),
            end: self.position(span.end as usize),
        }
    }

    /// A line from 0, and in it the UTF-16 units before the place, as the protocol counts.
    fn position(&self, offset: usize) -> Position {
        let before = self.source.text.get(..offset).unwrap_or(&self.source.text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count();
        let units = before
            .get(start..)
            .unwrap_or_default()
            .encode_utf16()
            .count();
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position::new(number(line), number(units))
    }

    /// The place of a position; none where there is no such line.
    fn offset(&self, at: Position) -> Option<u32> {
        let text = &self.source.text;
        let mut lines = text.split_inclusive('\n');
        let before: usize = lines.by_ref().take(at.line as usize).map(str::len).sum();
        let mut units = 0;
        let line = lines.next()?;
        let column = line.char_indices().find(|(_, c)| {
            let is_there = units >= at.character as usize;
            units += c.len_utf16();
            is_there
        });
        let column = column.map_or(line.len(), |(column, _)| column);
        u32::try_from(before + column).ok()
    }
}

/// Whether a clause names a field, also by way of functions.
fn speaks_of(program: &Program, clause: &Expr, field: FieldRef) -> bool {
    let mut open = vec![clause];
    let mut seen = BTreeSet::new();
    while let Some(e) = open.pop() {
        match &*e.kind {
            ExprKind::Field(_, named) if *named == field => return true,
            ExprKind::Call { function, .. } if seen.insert(*function) => {
                open.push(&program.function(*function).body);
            }
            _ => {}
        }
        open.extend(e.children());
    }
    false
}

/// The file of a text.
fn name_of(uri: &Uri) -> String {
    let path = uri.path().as_estr().decode().into_string_lossy();
    // Another ending would say that it is another language.
    match path.ends_with(".tq") {
        true => path.into_owned(),
        false => NAME.to_owned(),
    }
}

/// `4 states · 1 deadlock`
fn title(epa: &Epa) -> String {
    let dead = epa
        .states
        .iter()
        .filter(|state| state.enabled.is_empty())
        .count();
    let doubts = epa.transitions.iter();
    let doubts = doubts.filter(|edge| edge.reason.is_some()).count();
    let mut parts = vec![counted(epa.states.len() as u64, "state")];
    parts.extend((dead > 0).then(|| counted(dead as u64, "deadlock")));
    parts.extend((doubts > 0).then(|| counted(doubts as u64, "uncertain edge")));
    parts.join(" · ")
}

/// In which states an action can be called, and where it leads from there.
fn of_action(epa: &Epa, action: &str) -> String {
    let set = |id: &str| {
        let names = epa.state(id).map(|state| state.enabled.join(", "));
        format!("{{{}}}", names.unwrap_or_default())
    };
    let states = epa
        .states
        .iter()
        .filter(|state| state.enabled.iter().any(|a| a == action));
    let lines = states.map(|state| {
        let edges = epa.transitions.iter();
        let leaving = edges.filter(|edge| edge.source == state.id && edge.action == action);
        let ends: Vec<String> = leaving
            .map(|edge| {
                let doubt = if edge.reason.is_some() { " ?" } else { "" };
                let exception = edge.exception.iter().map(|e| format!(" ! {e}"));
                let outcome = edge.outcome.iter().map(|o| format!(" [{o}]"));
                let end: String = outcome.chain(exception).collect();
                format!("`{}`{end}{doubt}", set(&edge.target))
            })
            .collect();
        let ends = match ends.is_empty() {
            true => "nowhere".to_owned(),
            false => ends.join(", "),
        };
        format!("- in `{}`, it leads to {ends}", set(&state.id))
    });
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => format!("`{action}` can be called in no state"),
        false => format!("`{action}` can be called\n\n{}", lines.join("\n")),
    }
}
