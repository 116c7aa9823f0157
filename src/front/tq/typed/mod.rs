//! A typed program, or a slice of it, as text: what the resolver took apart stays apart. What is dropped leaves no names behind.
//!
//! | file | what it writes |
//! |---|---|
//! | `names` | what variables are called |
//! | `routine` | headers, contracts |
//! | `statement` | statements |

mod names;
mod routine;
mod statement;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::ir::effects::walk::{self, visit};
use crate::ir::slice::{Dropped, Slice};
use crate::ir::span::Span;
use crate::ir::{
    BuiltinException, Class, ClassId, ExceptionId, Expr, ExprKind, FieldRef, FunctionRef, LabelId,
    Program, Routine, RoutineRef, Source, Type, VarId, expr_text_among,
};

/// What is kept of a program, as a text.
pub struct SlicedText {
    /// The text, laid out as the formatter does it.
    pub text: String,
    /// The same before that.
    pub(super) plain: String,
    /// Where the statements that its lines begin with stood before, in bytes, by those lines.
    pub(super) written: BTreeMap<usize, usize>,
}

/// The text of what is kept of a program. Comments right before a class or routine of the text that the program was read from stay;
/// others say what was dropped.
pub fn text_of(slice: &Slice, source: &Source) -> SlicedText {
    let mut writer = Writer {
        slice,
        source,
        program: slice.program.clone(),
        text: String::new(),
        lines: 0,
        written: BTreeMap::new(),
        labels: BTreeSet::new(),
        answers: BTreeSet::new(),
        begun: BTreeMap::new(),
        scope: BTreeSet::new(),
    };
    names::to_words(&mut writer.program);
    writer.declarations();
    for class in writer.classes() {
        writer.class(class);
    }
    let plain = writer.text;
    let text = super::format("", &plain, super::LINE_WIDTH);
    SlicedText {
        text: text.unwrap_or_else(|_| plain.clone()),
        plain,
        written: writer.written,
    }
}

struct Writer<'s> {
    slice: &'s Slice,
    /// What it was read from.
    source: &'s Source,
    /// Its program, with variables that are named apart.
    program: Program,
    text: String,
    /// How many lines that are.
    lines: usize,
    /// Where statements stood, by the lines that they begin now.
    written: BTreeMap<usize, usize>,
    /// Those that something names.
    labels: BTreeSet<LabelId>,
    /// What the outside answers to calls.
    answers: BTreeSet<VarId>,
    /// The statements with which local variables are declared.
    begun: BTreeMap<usize, VarId>,
    /// The names of variables where something is written.
    scope: BTreeSet<String>,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.lines += 1 + text.matches('\n').count();
        let _ = writeln!(self.text, "{text}");
    }

    /// The comments in the lines right before a place.
    fn comments_before(&mut self, place: Span) {
        let before = self.source.text.get(..place.start as usize).unwrap_or("");
        let above = before.lines().rev();
        // Of the last line, only the beginning is before it.
        let above = above.skip(usize::from(!before.ends_with('\n')));
        let comments = above
            .map(str::trim)
            .take_while(|line| line.starts_with("//"));
        let comments: Vec<&str> = comments.collect();
        comments.iter().rev().for_each(|line| self.line(line));
    }

    fn declarations(&mut self) {
        let enums = self.program.enums.iter();
        let enums = enums.map(|e| format!("enum {} {{ {} }}", e.name, e.members.join(", ")));
        let types = self
            .program
            .opaques
            .iter()
            .map(|o| match o.values.is_empty() {
                true => format!("type {};", o.name),
                false => format!("type {} with {};", o.name, o.values.join(", ")),
            });
        let exceptions = self.program.exceptions.iter().enumerate();
        let exceptions = exceptions.filter_map(|(id, name)| {
            let shown = self.program.shown_exceptions.get(&ExceptionId(id));
            let is_declared = id >= BuiltinException::ALL.len();
            let shown = shown.map(|shown| format!(" shown as \"{shown}\""));
            let is_said = is_declared || shown.is_some();
            is_said.then(|| format!("exception {name}{};", shown.unwrap_or_default()))
        });
        let lines: Vec<String> = enums.chain(types).chain(exceptions).collect();
        lines.iter().for_each(|line| self.line(line));
    }

    fn class(&mut self, class: ClassId) {
        let declared = self.program.class(class).clone();
        self.line("");
        self.comments_before(declared.span);
        self.line(&format!("class {} {{", declared.name));
        self.dropped(class);
        for (index, field) in declared.fields.iter().enumerate() {
            if !self.slice.has_field(FieldRef { class, index }) {
                continue;
            }
            let word = if field.constant { "const" } else { "var" };
            let value = field.value.as_ref();
            let value = value.map_or(String::new(), |e| format!(" := {}", self.expr(class, e)));
            let ty = self.program.type_name(&field.ty);
            self.line(&format!("{word} {}: {ty}{value};", field.name));
        }
        let states = declared.states.iter().map(|state| &state.assumes);
        let clauses = declared.invariants.iter().chain(&declared.initially);
        self.scope = self.names_in(clauses.chain(states), &[]);
        self.clauses_of(class, &declared);
        for function in self.functions_used(class) {
            self.function(function);
        }
        for index in 0..declared.routines.len() {
            let routine = RoutineRef { class, index };
            if self.slice.has_routine(routine) {
                self.routine(routine);
            }
        }
        self.line("}");
    }

    fn clauses_of(&mut self, class: ClassId, declared: &Class) {
        let facts = declared.facts().iter().map(|e| ("fact", e));
        let breakable = declared.breakable().iter().map(|e| ("invariant", e));
        for (word, clause) in facts.chain(breakable) {
            let clause = self.expr(class, clause);
            self.line(&format!("{word} {clause};"));
        }
        for clause in &declared.initially {
            let clause = self.expr(class, clause);
            self.line(&format!("initially {clause};"));
        }
        for state in &declared.states {
            let enabled = state.enabled.iter();
            let names = enabled.map(|index| declared.routines[*index].name.as_str());
            let names: Vec<&str> = names.collect();
            let (names, assumes) = (names.join(", "), self.expr(class, &state.assumes));
            self.line(&format!("state {{ {names} }} assumes {assumes};"));
        }
    }

    /// The classes of which something is left.
    fn classes(&self) -> Vec<ClassId> {
        let slice = self.slice;
        let mut mentioned = BTreeSet::new();
        for routine in self.routines() {
            for var in self.vars_of(routine) {
                mentioned.extend(classes_in(&self.program.var(var).ty));
            }
            let body = self.program.routine(routine).body.iter();
            for stmt in walk::statements(body.map(Vec::as_slice)) {
                mentioned.extend(stmt.made_type().iter().flat_map(classes_in));
            }
        }
        let all = self.program.classes.iter().enumerate();
        let kept = all.filter(|(class, declared)| {
            let class = ClassId(*class);
            let has_field = |index| slice.has_field(FieldRef { class, index });
            let has_routine = |index| slice.has_routine(RoutineRef { class, index });
            let fields = declared.fields.iter().enumerate();
            let fields = fields.filter(|(index, _)| has_field(*index));
            mentioned.extend(fields.clone().flat_map(|(_, field)| classes_in(&field.ty)));
            fields.count() > 0
                || (0..declared.routines.len()).any(has_routine)
                || !declared.invariants.is_empty()
        });
        let mut kept: BTreeSet<ClassId> = kept.map(|(class, _)| ClassId(class)).collect();
        kept.append(&mut mentioned);
        kept.into_iter().collect()
    }

    /// The routines that are kept.
    fn routines(&self) -> Vec<RoutineRef> {
        let classes = self.program.classes.iter().enumerate();
        let all = classes.flat_map(|(class, declared)| {
            let class = ClassId(class);
            (0..declared.routines.len()).map(move |index| RoutineRef { class, index })
        });
        all.filter(|routine| self.slice.has_routine(*routine))
            .collect()
    }

    /// What was dropped of a class as a whole.
    fn dropped(&mut self, class: ClassId) {
        let mut fields = Vec::new();
        let mut routines = Vec::new();
        for dropped in &self.slice.dropped {
            match dropped {
                Dropped::Field(field) if field.class == class => {
                    fields.push(self.program.field(*field).name.clone());
                }
                Dropped::Routine(routine) if routine.class == class => {
                    routines.push(self.program.routine(*routine).name.clone());
                }
                _ => {}
            }
        }
        for (names, does) in [(fields, "reads"), (routines, "calls")] {
            if !names.is_empty() {
                let names = names.join(", ");
                self.line(&format!(
                    "// dropped, as nothing that is kept {does} it: {names}"
                ));
            }
        }
    }

    fn expr(&self, class: ClassId, e: &Expr) -> String {
        expr_text_among(&self.program, class, e, &self.scope)
    }

    /// The functions of a class that something calls.
    fn functions_used(&self, class: ClassId) -> Vec<FunctionRef> {
        let mut open: Vec<&Expr> = Vec::new();
        for declared in &self.program.classes {
            open.extend(declared.invariants.iter().chain(&declared.initially));
            open.extend(declared.states.iter().map(|state| &state.assumes));
        }
        for routine in self.routines() {
            open.extend(mentioned(self.program.routine(routine)));
        }
        let mut found = BTreeSet::new();
        while let Some(e) = open.pop() {
            visit(e, |e| {
                if let ExprKind::Call { function, .. } = &*e.kind
                    && found.insert((function.class, function.index))
                {
                    open.push(&self.program.function(*function).body);
                }
            });
        }
        let own = found.into_iter().filter(|(of, _)| *of == class);
        own.map(|(class, index)| FunctionRef { class, index })
            .collect()
    }

    fn function(&mut self, function: FunctionRef) {
        let declared = self.program.function(function).clone();
        self.scope = self.names_in([&declared.body], &declared.params);
        let params = self.vars(&declared.params);
        let result = self.program.type_name(&declared.result);
        let body = self.expr(function.class, &declared.body);
        let name = &declared.name;
        self.line(&format!(
            "\nfunction {name}({params}): {result} {{ {body} }}"
        ));
    }

    fn vars(&self, vars: &[VarId]) -> String {
        let vars = vars.iter().map(|id| {
            let var = self.program.var(*id);
            format!("{}: {}", var.name, self.program.type_name(&var.ty))
        });
        vars.collect::<Vec<_>>().join(", ")
    }
}

/// The classes that a type speaks of.
fn classes_in(ty: &Type) -> Vec<ClassId> {
    match ty {
        Type::Class { class, .. } => vec![*class],
        Type::Array { element, .. } => classes_in(element),
        Type::Map(key, value) => [classes_in(key), classes_in(value)].concat(),
        _ => Vec::new(),
    }
}

/// What a routine's contract and body mention.
fn mentioned(routine: &Routine) -> Vec<&Expr> {
    let split = routine.split.over.iter().chain(&routine.split.under);
    let split = split.chain(routine.split.witness.iter().map(|(_, value)| value));
    let mut found: Vec<&Expr> = routine
        .requires
        .iter()
        .chain(&routine.ensures)
        .chain(split)
        .collect();
    for stmt in walk::statements(routine.body.iter().map(Vec::as_slice)) {
        found.extend(walk::evaluated(stmt));
        for place in walk::places(stmt) {
            found.extend(walk::place_operands(place));
        }
    }
    found
}
