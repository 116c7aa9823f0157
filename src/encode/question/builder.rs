//! What the entry procedures of all questions share, and how they are built.

use std::collections::BTreeSet;

use super::name::question_name;
use super::{Question, Step};
use crate::encode::Encoding;
use crate::encode::body::record;
use crate::encode::expr::ExprEncoder;
use crate::encode::names::Names;
use crate::encode::routine::bound_vars;
use crate::encode::term::Term;
use crate::ir::formula;
use crate::ir::{Expr, FieldRef, RoutineRef, Type, VarId};

/// A line that assumes something, with a remark.
pub(in crate::encode) struct Assumption {
    pub(in crate::encode) term: String,
    pub(in crate::encode) remark: String,
}

/// What all entry procedures share.
#[derive(Default)]
pub(in crate::encode) struct Frame {
    pub(in crate::encode) name: String,
    pub(in crate::encode) question: String,
    pub(in crate::encode) modifies: String,
    pub(in crate::encode) locals: Vec<(String, String)>,
    /// The configuration is well-typed.
    pub(in crate::encode) configuration: Vec<String>,
    pub(in crate::encode) invariant: Vec<String>,
    /// Clauses that are assumed besides the invariant, to see what follows from them.
    pub(in crate::encode) hypothesis: Vec<String>,
    /// The source state; empty for constructors.
    pub(in crate::encode) source: Vec<Assumption>,
    /// Facts and requires clauses of the parameters.
    pub(in crate::encode) requires: Vec<String>,
    pub(in crate::encode) before: Vec<String>,
    pub(in crate::encode) call: String,
    /// How the call ends.
    pub(in crate::encode) exit: Vec<String>,
    pub(in crate::encode) invariant_after: Vec<String>,
    pub(in crate::encode) after: Vec<String>,
    /// Facts about what is read from the heap, before and after the call.
    pub(in crate::encode) reads_before: Vec<String>,
    pub(in crate::encode) reads_after: Vec<String>,
}

/// Builds one procedure of a question.
pub(in crate::encode) struct Builder<'e, 'a> {
    pub(in crate::encode) encoding: &'e Encoding<'a>,
    pub(in crate::encode) names: Names,
    pub(in crate::encode) locals: Vec<(String, String)>,
    pub(in crate::encode) recorded_before: Vec<String>,
    pub(in crate::encode) recorded_after: Vec<String>,
    pub(in crate::encode) replayable: bool,
    /// Facts about what the formulas encoded so far read from the heap.
    pub(in crate::encode) reads: Vec<String>,
}

impl<'e, 'a> Builder<'e, 'a> {
    pub(in crate::encode) fn new(encoding: &'e Encoding<'a>) -> Self {
        Builder {
            encoding,
            names: Names::default(),
            locals: Vec::new(),
            recorded_before: Vec::new(),
            recorded_after: Vec::new(),
            replayable: true,
            reads: Vec::new(),
        }
    }

    /// The parameters and results of the call come before all others, so that they have their own names.
    pub(in crate::encode) fn name_parameters(&mut self, question: &Question) {
        let routine = match question.step() {
            None => None,
            Some(Step::Construct { constructor, .. }) => {
                self.encoding.constructors[*constructor].routine
            }
            Some(Step::Call { action, .. }) => Some(self.encoding.actions[*action].routine),
        };
        if let Some(routine) = routine {
            self.name_variables(routine);
        }
    }

    /// Names for the parameters and results of a routine: their own.
    pub(in crate::encode) fn name_variables(&mut self, routine: RoutineRef) {
        let program = self.encoding.source();
        let declared = program.routine(routine);
        let vars = declared.params.iter().chain(&declared.results).copied();
        self.names.add(program, vars, "");
    }

    pub(in crate::encode) fn encode(&mut self, e: &Expr) -> String {
        self.term(e).to_string()
    }

    pub(in crate::encode) fn term(&mut self, e: &Expr) -> Term {
        self.names.add_bound(self.encoding.source(), bound_vars(e));
        let exprs = ExprEncoder::new(&self.encoding.layout, &self.names);
        self.reads
            .extend(exprs.closed_reads(e).iter().map(Term::to_string));
        exprs.encode(e)
    }

    /// The formula's conjuncts, one a line.
    pub(in crate::encode) fn encode_conjuncts(&mut self, e: Expr) -> Vec<String> {
        formula::conjuncts_of(e)
            .iter()
            .filter(|c| !formula::is_bool(c, true))
            .map(|c| self.encode(c))
            .collect()
    }

    pub(in crate::encode) fn frame(&mut self, question: &Question) -> Frame {
        let encoding = self.encoding;
        let mut frame = Frame {
            name: question_name(self.encoding, question),
            question: encoding.sentence(question),
            modifies: String::new(),
            locals: Vec::new(),
            configuration: self
                .configuration(matches!(question.step(), Some(Step::Construct { .. }))),
            invariant: Vec::new(),
            hypothesis: Vec::new(),
            source: Vec::new(),
            requires: Vec::new(),
            before: Vec::new(),
            call: String::new(),
            exit: Vec::new(),
            invariant_after: Vec::new(),
            after: Vec::new(),
            reads_before: Vec::new(),
            reads_after: Vec::new(),
        };
        let invariant: Vec<String> = self.invariant().iter().map(Term::to_string).collect();
        let invariant_reads = std::mem::take(&mut self.reads);
        if !matches!(question.step(), Some(Step::Construct { .. })) {
            frame.reads_before.clone_from(&invariant_reads);
        }
        let of_others: Vec<String> = self
            .invariant_of_others()
            .iter()
            .map(Term::to_string)
            .collect();
        match question.step() {
            None => {
                frame.invariant = invariant;
                frame.before = self.record_configuration(&mut |b| &mut b.recorded_before);
            }
            Some(Step::Construct { constructor, exit }) => {
                let routine = encoding.constructors[*constructor].routine;
                frame.configuration.extend(self.promises());
                // Where nothing is run, an object starts in its invariant.
                frame.invariant = match routine {
                    Some(_) => of_others,
                    None => invariant.clone(),
                };
                frame.before = self.record_configuration(&mut |b| &mut b.recorded_before);
                match routine {
                    Some(routine) => self.call(routine, exit, &mut frame),
                    None => {
                        // Without a constructor an object starts anywhere that its declarations allow.
                        let start = self.start();
                        frame.requires = self.encode_conjuncts(start);
                        frame.reads_before.append(&mut self.reads);
                    }
                }
                frame.invariant_after = invariant;
            }
            Some(Step::Call {
                source,
                action,
                exit,
            }) => {
                frame.invariant = invariant.clone();
                if let Some(source) = source {
                    frame.source = self.state(source);
                    frame.source.extend(self.known_of_state(source));
                }
                frame.before = self.record_configuration(&mut |b| &mut b.recorded_before);
                self.call(encoding.actions[*action].routine, exit, &mut frame);
                frame.invariant_after = invariant;
            }
        }
        if question.step().is_some() {
            self.reads.extend(invariant_reads);
            frame.after = self.record_configuration(&mut |b| &mut b.recorded_after);
        }
        if matches!(
            question,
            Question::InvariantViolation(_) | Question::Exit(_)
        ) {
            frame.invariant_after.clear();
        }
        if matches!(
            question,
            Question::AnyOtherState(_) | Question::AnyOtherTarget(..)
        ) {
            let flags = encoding
                .actions
                .iter()
                .map(|a| (format!("{}#enabled", a.name), "bool".to_string()));
            self.locals.extend(flags);
        }
        frame.reads_before = unique(std::mem::take(&mut frame.reads_before));
        frame.locals = std::mem::take(&mut self.locals);
        frame
    }

    pub(super) fn declare(&mut self, id: VarId) -> String {
        let program = self.encoding.source();
        let name = self.names.of(program, id);
        let ty = self.encoding.layout.boogie_type(&program.var(id).ty);
        self.locals.push((name.clone(), ty));
        name
    }

    /// Statements that record the fields of the object.
    pub(in crate::encode) fn record_configuration(
        &mut self,
        list: &mut dyn FnMut(&mut Self) -> &mut Vec<String>,
    ) -> Vec<String> {
        let layout = &self.encoding.layout;
        let program = layout.program;
        let own = program.class(layout.class);
        let mut lines = Vec::new();
        if program.classes.len() > 1 || !layout.arrays.is_empty() {
            self.replayable = false;
        }
        for (index, field) in own.fields.iter().enumerate() {
            let at = FieldRef {
                class: layout.class,
                index,
            };
            let value = ExprEncoder::new(layout, &self.names).field(&self.this(), at);
            match record(&field.ty, &field.name, &value) {
                Some(line) => {
                    lines.push(line);
                    list(self).push(field.name.clone());
                }
                None => self.replayable = false,
            }
        }
        lines
    }

    pub(super) fn record_value(
        &mut self,
        name: &str,
        ty: &Type,
        value: &Term,
        lines: &mut Vec<String>,
        before: bool,
    ) {
        match record(ty, name, value) {
            Some(line) => {
                lines.push(line);
                let list = if before {
                    &mut self.recorded_before
                } else {
                    &mut self.recorded_after
                };
                list.push(name.to_string());
            }
            None => self.replayable = false,
        }
    }
}

/// The lines without repetitions.
pub(in crate::encode) fn unique(lines: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    lines
        .into_iter()
        .filter(|line| seen.insert(line.clone()))
        .collect()
}
