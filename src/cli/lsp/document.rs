//! One open document, and what there is to say about it at once: as far as it is a text of the input language, from what it
//! is; of any language, from what is known of its classes by now.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeLens, Command, Diagnostic,
    DiagnosticSeverity, Hover, HoverContents, MarkupContent, MarkupKind, NumberOrString, Position,
    Range, TextEdit, Uri, WorkspaceEdit,
};
use serde_json::json;

use super::PAGE;
use super::known::{self, Known, KnownClass};
use super::studied::{self, Studied};
use super::text::{self, Moves};
use crate::epa::wire::EpaFinding;
use crate::front::tq::{self, Loaded};
use crate::ir::span::Span;
use crate::ir::{self, ClassId, Diagnostics, Expr, ExprKind, FieldRef, Program, Severity, Source};
use crate::load::{LoadComplaint, Places, UserPlace};
use crate::query::without_types;

/// What a text is called that is in no file.
const NAME: &str = "text.tq";

/// An open document.
pub(super) struct Document {
    uri: Uri,
    version: i32,
    /// As it stands in the editor.
    source: Source,
    kind: Kind,
}

/// What a document is.
enum Kind {
    /// A text of the input language, as it was read.
    Text(Box<Result<Loaded, Diagnostics>>),
    /// A file of another language.
    File(SavedFile),
}

/// A file, as it was when it was last saved.
struct SavedFile {
    path: PathBuf,
    text: String,
    /// Where its lines stand in the editor.
    moves: Moves,
}

impl SavedFile {
    /// A file that stands so in the editor. What cannot be read has no text: whoever studies it says so.
    fn read(path: PathBuf, now: &str) -> SavedFile {
        let text = Source::read(&path)
            .map(|source| source.text)
            .unwrap_or_default();
        let moves = Moves::of(&text, now);
        SavedFile { path, text, moves }
    }
}

impl Document {
    /// A document that was opened or edited.
    pub(super) fn of(uri: Uri, version: i32, text: String) -> Document {
        let path = PathBuf::from(uri.path().as_estr().decode().into_string_lossy().as_ref());
        if !studied::is_text(&path) {
            let source = Source::new(path.display().to_string(), text);
            return Document {
                kind: Kind::File(SavedFile::read(path, &source.text)),
                source,
                uri,
                version,
            };
        }
        let name = name_of(&path);
        Document {
            kind: Kind::Text(Box::new(tq::parse_text(&name, &text))),
            source: Source::new(name, text),
            uri,
            version,
        }
    }

    /// The document after an edit, and whether there is something else to study now: a file is studied as it was saved.
    pub(super) fn edited(self, version: i32, text: String) -> (Document, bool) {
        match self.kind {
            Kind::Text(_) => (Document::of(self.uri, version, text), true),
            Kind::File(mut file) => {
                let source = Source::new(self.source.name, text);
                file.moves = Moves::of(&file.text, &source.text);
                let document = Document {
                    version,
                    source,
                    kind: Kind::File(file),
                    uri: self.uri,
                };
                (document, false)
            }
        }
    }

    /// The document once it was saved, and whether there is something else to study now.
    pub(super) fn saved(self) -> (Document, bool) {
        match self.kind {
            Kind::Text(_) => (self, false),
            Kind::File(file) => {
                let kind = Kind::File(SavedFile::read(file.path, &self.source.text));
                (Document { kind, ..self }, true)
            }
        }
    }

    /// How its editor calls it, and which state of it this is.
    pub(super) fn identity(&self) -> (&Uri, i32) {
        (&self.uri, self.version)
    }

    /// What is studied of it; none where it is a text that is wrong.
    pub(super) fn studied(&self) -> Option<Studied> {
        match &self.kind {
            Kind::Text(_) => Some(Studied::Text(Box::new(self.loaded()?.clone()))),
            Kind::File(file) => Some(Studied::File(file.path.clone())),
        }
    }

    /// The program, where it is a text in which nothing is wrong.
    fn loaded(&self) -> Option<&Loaded> {
        match &self.kind {
            Kind::Text(read) => read.as_ref().as_ref().ok(),
            Kind::File(..) => None,
        }
    }

    /// What is wrong with a text.
    fn wrong(&self) -> Option<&Diagnostics> {
        match &self.kind {
            Kind::Text(read) => Some(match read.as_ref() {
                Ok(loaded) => &loaded.warnings,
                Err(wrong) => wrong,
            }),
            Kind::File(..) => None,
        }
    }

    /// All that is wrong with it, with the way out, and what is worth a look in its classes.
    pub(super) fn diagnostics(&self, known: &Known) -> Vec<Diagnostic> {
        let wrong = self.wrong().into_iter().flat_map(Diagnostics::iter);
        let wrong = wrong.map(|wrong| self.diagnostic(wrong));
        let not_known = known.wrong.iter().map(|wrong| self.complaint(wrong));
        let classes = known.classes.values();
        let findings = classes.flat_map(|class| {
            let findings = class.epa.findings.iter();
            findings.filter_map(|finding| self.finding(class, finding))
        });
        wrong.chain(not_known).chain(findings).collect()
    }

    /// Why something is not known. What is about another file says so.
    fn complaint(&self, wrong: &LoadComplaint) -> Diagnostic {
        let here = wrong.place.as_ref().filter(|place| self.is_here(place));
        let elsewhere = wrong.place.as_ref().filter(|_| here.is_none());
        let elsewhere = elsewhere.map(|place| format!("{}:{}: ", place.file, place.start.0));
        let range = here.and_then(|place| self.place(place));
        Diagnostic {
            range: range.map_or_else(Range::default, |span| self.range(span)),
            severity: Some(DiagnosticSeverity::WARNING),
            source: Some("tranquera".to_owned()),
            message: format!("{}{}", elsewhere.unwrap_or_default(), wrong.message),
            ..Diagnostic::default()
        }
    }

    /// What is worth a look, at the action or else the class that it is about; nowhere, where that was edited since.
    fn finding(&self, class: &KnownClass, finding: &EpaFinding) -> Option<Diagnostic> {
        let place = class.places.of(finding.action.as_deref());
        let range = match place.filter(|place| self.is_here(place)) {
            Some(place) => self.range(self.place(place)?),
            None => Range::default(),
        };
        let state = finding.state.as_ref().and_then(|id| class.epa.state(id));
        let state =
            state.map(|state| format!("\n{} is {{{}}}", state.id, state.enabled.join(", ")));
        Some(Diagnostic {
            range,
            severity: Some(DiagnosticSeverity::INFORMATION),
            code: Some(NumberOrString::String(finding.kind.clone())),
            source: Some("tranquera".to_owned()),
            message: format!("{}{}", finding.message, state.unwrap_or_default()),
            ..Diagnostic::default()
        })
    }

    /// Whether a place is in this document. Compilers call a file by its path from somewhere above it.
    fn is_here(&self, place: &UserPlace) -> bool {
        Path::new(&self.source.name).ends_with(&place.file)
    }

    /// Where a place of what is studied stands now; none where it was edited since.
    fn place(&self, place: &UserPlace) -> Option<Span> {
        match &self.kind {
            Kind::Text(_) => text::span(&self.source.text, place),
            Kind::File(file) => {
                let line = text::first_line(&file.text, text::span(&file.text, place)?);
                file.moves.moved(line)
            }
        }
    }

    /// The edits that take away what is wrong in some lines, where a message says all that is to be done.
    pub(super) fn fixes(&self, lines: Range) -> Vec<CodeActionOrCommand> {
        let Some(wrong) = self.wrong() else {
            return Vec::new();
        };
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
            let changes = HashMap::from([(self.uri.clone(), vec![edit])]);
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
        self.loaded()?;
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

    /// A lens over each class of which the EPA is known: `4 states · 1 deadlock`. It opens the page. A class that is somewhere
    /// in the file is named.
    pub(super) fn lenses(&self, known: &Known) -> Vec<CodeLens> {
        let lenses = known.classes.iter().filter_map(|(name, class)| {
            let place = class.places.class.as_ref();
            let title = known::title(&class.epa);
            let (range, title) = match place.filter(|place| self.is_here(place)) {
                Some(place) => (self.range(self.place(place)?), title),
                None => (Range::default(), format!("{name}: {title}")),
            };
            Some(CodeLens {
                range,
                command: Some(Command {
                    title,
                    command: PAGE.to_owned(),
                    arguments: Some(vec![json!(self.uri.as_str()), json!(name)]),
                }),
                data: None,
            })
        });
        lenses.collect()
    }

    /// What there is to say of an action, or of a field, at this place.
    pub(super) fn hover(&self, at: Position, known: &Known) -> Option<Hover> {
        let offset = self.offset(at)?;
        let (value, span) = self
            .of_field(offset)
            .or_else(|| self.of_header(offset, known))
            .or_else(|| self.of_name(offset, known))?;
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
    fn of_header(&self, offset: u32, known: &Known) -> Option<(String, Span)> {
        known.classes.values().find_map(|class| {
            let actions = class.epa.actions.iter();
            let mut places = actions.filter_map(|action| {
                let place = class.places.routines.get(action)?;
                let span = self.is_here(place).then(|| self.place(place))??;
                Some((action, span))
            });
            let (action, span) =
                places.find(|(_, span)| (span.start..span.end).contains(&offset))?;
            Some((known::of_action(&class.epa, action, action), span))
        })
    }

    /// The name of an action, of which it is not known where it stands: what is to be said of those that are called so.
    fn of_name(&self, offset: u32, known: &Known) -> Option<(String, Span)> {
        let span = text::word(&self.source.text, offset)?;
        let word = self.source.at(span);
        let classes = known.classes.iter();
        let unplaced = classes.filter(|(_, class)| class.places == Places::default());
        // Overloaded methods of a class file are shown with their types.
        let said = unplaced.flat_map(|(name, class)| {
            let actions = class.epa.actions.iter();
            let called = actions.filter(|action| without_types(action) == word);
            called.map(move |action| {
                let called = format!("{name}.{action}");
                known::of_action(&class.epa, action, &called)
            })
        });
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| (said.join("\n\n"), span))
    }

    fn range(&self, span: Span) -> Range {
        text::range(&self.source.text, span)
    }

    fn offset(&self, at: Position) -> Option<u32> {
        text::offset(&self.source.text, at)
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

/// What a text of the input language is called.
fn name_of(path: &Path) -> String {
    // Another ending would say that it is another language.
    match path.extension().is_some_and(|extension| extension == "tq") {
        true => path.display().to_string(),
        false => NAME.to_owned(),
    }
}
