//! From the syntax tree to canonical text: parentheses only where they are needed, and the usual layout.
//!
//! Comments are no part of the tree, and are lost; `format` keeps them.

mod expressions;
mod statements;

use std::collections::BTreeMap;

use super::ast::{
    Bound, ClassSyntax, ContractClause, ExprSyntax, FileSyntax, FunctionSyntax, Ident, ItemSyntax,
    Member, ParamSyntax, RoutineSyntax, ShownText, SplitSyntax, TypeSyntax,
};
use super::format::{LINE_WIDTH, format};
use crate::ir::{Control, RoutineKind};

/// Comments for a tree, which has none itself: lines before classes and their members.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    /// By the name of the class, and the place of the member in it.
    before: BTreeMap<(String, Option<usize>), Vec<String>>,
}

impl Comments {
    /// Puts lines before a class.
    pub fn before_class(&mut self, class: &str, lines: Vec<String>) {
        self.before.insert((class.to_owned(), None), lines);
    }

    /// Puts lines before the member at that place of a class.
    pub fn before_member(&mut self, class: &str, member: usize, lines: Vec<String>) {
        self.before.insert((class.to_owned(), Some(member)), lines);
    }
}

/// The text of a tree. Parsed again, it gives an equal tree.
pub fn print(file: &FileSyntax) -> String {
    print_with_comments(file, Comments::default())
}

/// The text of a tree with comments in it.
pub fn print_with_comments(file: &FileSyntax, comments: Comments) -> String {
    let text = unbroken(file, comments);
    // Only a text that is too large to be read again cannot be formatted.
    format("", &text, LINE_WIDTH).unwrap_or(text)
}

/// The text of a tree, with lines of any length.
fn unbroken(file: &FileSyntax, comments: Comments) -> String {
    let mut printer = Printer {
        comments,
        ..Printer::default()
    };
    let mut before: Option<&ItemSyntax> = None;
    for item in &file.items {
        let separate =
            matches!(item, ItemSyntax::Class(_)) || matches!(before, Some(ItemSyntax::Class(_)));
        if separate && before.is_some() {
            printer.blank_line();
        }
        printer.item(item);
        before = Some(item);
    }
    printer.text
}

#[derive(Default)]
struct Printer {
    text: String,
    /// How many blocks are around.
    level: usize,
    comments: Comments,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Begins a line.
    fn start(&mut self) {
        self.text.extend(std::iter::repeat_n("  ", self.level));
    }

    fn end(&mut self, text: &str) {
        self.push(text);
        self.text.push('\n');
    }

    fn blank_line(&mut self) {
        self.text.push('\n');
    }

    fn indented(&mut self, inside: impl FnOnce(&mut Self)) {
        self.level += 1;
        inside(self);
        self.level -= 1;
    }

    fn names(&mut self, names: &[Ident]) {
        for (i, name) in names.iter().enumerate() {
            self.comma(i);
            self.push(&name.name);
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.push(", ");
        }
    }

    fn item(&mut self, item: &ItemSyntax) {
        match item {
            ItemSyntax::Enum { name, members } => {
                self.push("enum ");
                self.push(&name.name);
                self.push(" { ");
                self.names(members);
                self.end(if members.is_empty() { "}" } else { " }" });
            }
            ItemSyntax::Opaque { name, values } => {
                self.push("type ");
                self.push(&name.name);
                if !values.is_empty() {
                    self.push(" with ");
                    self.names(values);
                }
                self.end(";");
            }
            ItemSyntax::Exception { name, shown } => {
                self.push("exception ");
                self.push(&name.name);
                if let Some(shown) = shown {
                    self.push(" ");
                    self.shown(shown);
                }
                self.end(";");
            }
            ItemSyntax::Class(class) => self.class(class),
        }
    }

    /// Writes the comments that stand before something.
    fn comment(&mut self, class: &str, member: Option<usize>) {
        let lines = self.comments.before.remove(&(class.to_owned(), member));
        for line in lines.unwrap_or_default() {
            self.push("// ");
            self.end(&line);
            self.start();
        }
    }

    fn class(&mut self, class: &ClassSyntax) {
        self.comment(&class.name.name, None);
        self.push("class ");
        self.push(&class.name.name);
        if class.members.is_empty() {
            return self.end(" {}");
        }
        self.end(" {");
        self.indented(|printer| {
            let mut before: Option<&Member> = None;
            for (place, member) in class.members.iter().enumerate() {
                if before.is_some_and(|before| group(before) != group(member) || group(member) == 3)
                {
                    printer.blank_line();
                }
                printer.start();
                printer.comment(&class.name.name, Some(place));
                printer.member(member);
                before = Some(member);
            }
        });
        self.end("}");
    }

    fn member(&mut self, member: &Member) {
        match member {
            Member::Const { name, ty, value } => {
                self.typed_value("const", name, ty, value.as_ref())
            }
            Member::Var { name, ty, value } => self.typed_value("var", name, ty, value.as_ref()),
            Member::Invariant(e) => {
                self.push("invariant ");
                self.whole(e);
                self.end(";");
            }
            Member::Fact(e) => {
                self.push("fact ");
                self.whole(e);
                self.end(";");
            }
            Member::Initially(e) => {
                self.push("initially ");
                self.whole(e);
                self.end(";");
            }
            Member::Routine(routine) => self.routine(routine),
            Member::Function(function) => self.function(function),
            Member::State {
                enabled, assumes, ..
            } => {
                self.push(if enabled.is_empty() {
                    "state {"
                } else {
                    "state { "
                });
                self.names(enabled);
                self.push(if enabled.is_empty() {
                    "} assumes "
                } else {
                    " } assumes "
                });
                self.whole(assumes);
                self.end(";");
            }
        }
    }

    fn typed_value(
        &mut self,
        word: &str,
        name: &Ident,
        ty: &TypeSyntax,
        value: Option<&ExprSyntax>,
    ) {
        self.push(word);
        self.push(" ");
        self.push(&name.name);
        self.push(": ");
        self.ty(ty);
        if let Some(value) = value {
            self.push(" := ");
            self.whole(value);
        }
        self.end(";");
    }

    fn function(&mut self, function: &FunctionSyntax) {
        self.push("function ");
        self.push(&function.name.name);
        self.params(&function.params);
        self.push(": ");
        self.ty(&function.result);
        self.push(" { ");
        self.whole(&function.body);
        self.end(" }");
    }

    fn routine(&mut self, routine: &RoutineSyntax) {
        if routine.pure {
            self.push("pure ");
        }
        match routine.control {
            Some(Control::Controllable) => self.push("controllable "),
            Some(Control::Monitored) => self.push("monitored "),
            None => {}
        }
        self.push(match routine.kind {
            RoutineKind::Constructor => "constructor",
            RoutineKind::Action => "action",
            RoutineKind::Procedure => "procedure",
        });
        if let Some(name) = &routine.name {
            self.push(" ");
            self.push(&name.name);
        }
        self.params(&routine.params);
        if !routine.returns.is_empty() {
            self.push(" returns ");
            self.params(&routine.returns);
        }
        if !routine.outcomes.is_empty() {
            self.push(" outcomes ");
            self.names(&routine.outcomes);
        }
        self.contract(&routine.contract);
        match &routine.body {
            None => self.end(";"),
            Some(body) if routine.contract.is_empty() => {
                self.push(" ");
                self.block(body);
                self.blank_line();
            }
            Some(body) => {
                self.blank_line();
                self.start();
                self.block(body);
                self.blank_line();
            }
        }
    }

    fn contract(&mut self, clauses: &[ContractClause]) {
        self.indented(|printer| {
            for clause in clauses {
                printer.blank_line();
                printer.start();
                match clause {
                    ContractClause::Requires(e) => {
                        printer.push("requires ");
                        printer.whole(e);
                    }
                    ContractClause::Ensures(e) => {
                        printer.push("ensures ");
                        printer.whole(e);
                    }
                    ContractClause::Modifies(paths) => {
                        printer.push("modifies ");
                        for (i, path) in paths.iter().enumerate() {
                            printer.comma(i);
                            if let Some(class) = &path.class {
                                printer.push(&class.name);
                                printer.push(".");
                            }
                            printer.push(&path.field.name);
                        }
                    }
                    ContractClause::Throws(name) => {
                        printer.push("throws ");
                        printer.push(&name.name);
                    }
                    ContractClause::Enabled(split) => printer.split(split),
                    ContractClause::Shown(shown) => printer.shown(shown),
                }
            }
        });
    }

    fn shown(&mut self, shown: &ShownText) {
        self.push("shown as \"");
        self.push(&shown.text);
        self.push("\"");
    }

    fn split(&mut self, split: &SplitSyntax) {
        self.push(match split.bound {
            Bound::Over => "enabled over ",
            Bound::Under => "enabled under ",
            Bound::When => "enabled when ",
        });
        self.whole(&split.condition);
        for (i, (name, value)) in split.with.iter().enumerate() {
            if i == 0 {
                self.push(" with ");
            }
            self.comma(i);
            self.push(&name.name);
            self.push(" := ");
            self.whole(value);
        }
    }

    fn params(&mut self, params: &[ParamSyntax]) {
        self.push("(");
        self.param_list(params);
        self.push(")");
    }

    fn param_list(&mut self, params: &[ParamSyntax]) {
        for (i, param) in params.iter().enumerate() {
            self.comma(i);
            if param.hidden {
                self.push("hidden ");
            }
            self.push(&param.name.name);
            self.push(": ");
            self.ty(&param.ty);
        }
    }

    fn ty(&mut self, ty: &TypeSyntax) {
        match ty {
            TypeSyntax::Name(name) => self.push(&name.name),
            TypeSyntax::Within(name) => {
                self.push("int in ");
                self.push(&name.name);
            }
            TypeSyntax::Nullable(inner) => {
                self.ty(inner);
                self.push("?");
            }
            TypeSyntax::Array(element) => {
                self.push("array<");
                self.ty(element);
                self.push(">");
            }
            TypeSyntax::Map(key, value) => self.map_type(key, value),
        }
    }

    fn map_type(&mut self, key: &TypeSyntax, value: &TypeSyntax) {
        self.push("map<");
        self.ty(key);
        self.push(", ");
        self.ty(value);
        self.push(">");
    }
}

/// Members of the same group stand together; those of the last stand alone.
fn group(member: &Member) -> u8 {
    match member {
        Member::Const { .. } | Member::Var { .. } => 0,
        Member::Invariant(_) | Member::Fact(_) | Member::Initially(_) => 1,
        Member::State { .. } => 2,
        Member::Routine(_) | Member::Function(_) => 3,
    }
}
