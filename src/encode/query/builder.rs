//! What a stretch of Boogie text is put together with: names, local variables, facts about what is read.

use std::collections::BTreeSet;

use super::{HeapCell, RecordedPlace, TraceSlot};
use crate::encode::Encoding;
use crate::encode::expr::ExprEncoder;
use crate::encode::names::BoogieNames;
use crate::encode::routine::{bound_vars, old_globals};
use crate::encode::storage::recording;
use crate::encode::term::BoogieTerm;
use crate::ir::shares::Share;
use crate::ir::{Expr, FieldRef, RoutineRef, Type, VarId, formula};
use crate::query::Clause;

/// A line that assumes something, with a remark; empty where nothing is to be said.
pub(in crate::encode) struct Line {
    pub(in crate::encode) term: String,
    pub(in crate::encode) remark: String,
}

/// Puts a stretch of text together.
pub(in crate::encode) struct Builder<'e> {
    pub(in crate::encode) encoding: &'e Encoding,
    pub(in crate::encode) names: BoogieNames,
    pub(in crate::encode) locals: Vec<(String, String)>,
    /// Facts about what the formulas encoded so far read from the heap.
    pub(in crate::encode) reads: Vec<String>,
}

impl<'e> Builder<'e> {
    pub(in crate::encode) fn new(encoding: &'e Encoding) -> Self {
        Builder {
            names: BoogieNames::default(),
            locals: Vec::new(),
            reads: Vec::new(),
            encoding,
        }
    }

    /// Names for the parameters and results of a routine: their own behind `prefix`.
    pub(in crate::encode) fn name_variables(&mut self, routine: RoutineRef, prefix: &str) {
        let program = &self.encoding.subject.program;
        let declared = program.routine(routine);
        let vars = declared.params.iter().chain(&declared.results).copied();
        self.names.add(program, vars, prefix);
    }

    pub(in crate::encode) fn encode(&mut self, e: &Expr) -> String {
        self.term(e).to_string()
    }

    pub(in crate::encode) fn term(&mut self, e: &Expr) -> BoogieTerm {
        let program = &self.encoding.subject.program;
        self.names.add_bound(program, bound_vars(e));
        let exprs = ExprEncoder::new(&self.encoding.storage, &self.names);
        let reads = exprs.closed_reads(e);
        self.reads.extend(reads.iter().map(BoogieTerm::to_string));
        for share in exprs.shares_in(e) {
            let known = Share::of(&share).map(|of| of.linear(&share));
            self.reads
                .extend(known.map(|e| exprs.encode(&e).to_string()));
        }
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

    /// The clauses, a line each.
    pub(in crate::encode) fn lines(&mut self, clauses: &[Clause]) -> Vec<Line> {
        let line = |clause: &Clause| Line {
            term: self.encode(&clause.formula),
            remark: clause.remark.clone(),
        };
        clauses.iter().map(line).collect()
    }

    /// Declares a variable of the source.
    pub(in crate::encode) fn declare(&mut self, id: VarId) -> String {
        let program = &self.encoding.subject.program;
        let name = self.names.of(program, id);
        let ty = self.encoding.storage.boogie_type(&program.var(id).ty);
        self.locals.push((name.clone(), ty));
        name
    }

    /// Statements that keep the globals of which the formulas speak inside `old(…)`.
    pub(super) fn keep_old<'f>(
        &mut self,
        formulas: impl IntoIterator<Item = &'f Expr>,
    ) -> Vec<String> {
        let formulas: Vec<Expr> = formulas.into_iter().cloned().collect();
        let globals = old_globals(&self.encoding.storage, &formulas).into_iter();
        let kept = globals.map(|(global, ty)| {
            self.locals.push((format!("old.{global}"), ty));
            format!("old.{global} := {global};")
        });
        kept.collect()
    }

    /// Statements that record the fields of the object where a call has ended. What maps have become is for the replay to say.
    pub(in crate::encode) fn record_behind(&mut self, slots: &mut Vec<TraceSlot>) -> Vec<String> {
        self.record_fields(slots, |ty| !matches!(ty, Type::Map(..)))
    }

    /// Statements that record the fields of the object.
    pub(in crate::encode) fn record_object(&mut self, slots: &mut Vec<TraceSlot>) -> Vec<String> {
        self.record_fields(slots, |_| true)
    }

    fn record_fields(
        &mut self,
        slots: &mut Vec<TraceSlot>,
        wanted: fn(&Type) -> bool,
    ) -> Vec<String> {
        let storage = &self.encoding.storage;
        let own = self.encoding.subject.program.class(storage.class);
        let mut lines = Vec::new();
        for (index, field) in own.fields.iter().enumerate().filter(|(_, f)| wanted(&f.ty)) {
            let at = FieldRef {
                class: storage.class,
                index,
            };
            let value = ExprEncoder::new(storage, &self.names).field(&self.this(), at);
            let slot = TraceSlot {
                label: field.name.clone(),
                place: RecordedPlace::Field(at),
            };
            lines.push(self.record(&field.ty, &value, slot, slots));
        }
        lines
    }

    /// Statements that record the other objects and the arrays.
    pub(in crate::encode) fn record_heap(&mut self, slots: &mut Vec<TraceSlot>) -> Vec<String> {
        let storage = &self.encoding.storage;
        let mut lines = Vec::new();
        let mut record = |cell, word: &str, global: String| {
            lines.push(recording(&global, word, &BoogieTerm::atom(&global)));
            slots.push(TraceSlot {
                label: global,
                place: RecordedPlace::Heap(cell),
            });
        };
        if !storage.flat {
            record(HeapCell::This, "int", "this".into());
        }
        for stored in storage.heap() {
            record(stored.cell, &stored.word, stored.global);
        }
        lines
    }

    /// The statement that records a value.
    pub(super) fn record(
        &self,
        ty: &Type,
        value: &BoogieTerm,
        slot: TraceSlot,
        slots: &mut Vec<TraceSlot>,
    ) -> String {
        let line = self.encoding.storage.record(ty, &slot.label, value);
        slots.push(slot);
        line
    }

    /// Statements that record whether formulas hold. A solver says of a variable whether it is true; of a quantifier it may only
    /// repeat it.
    pub(super) fn watch(
        &mut self,
        when: &str,
        formulas: &[Expr],
        slots: &mut Vec<TraceSlot>,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, e) in formulas.iter().enumerate() {
            let mut value = self.term(e);
            let slot = TraceSlot::truth(format!("{when}.{}", index + 1));
            if value.has_quantifier() {
                let name = self.names.fresh(&slot.label);
                self.locals.push((name.clone(), "bool".into()));
                // What is assigned, an engine may put in for the variable again.
                let held = BoogieTerm::binary("==", BoogieTerm::atom(&name), value);
                lines.push(format!("assume {held};"));
                value = BoogieTerm::atom(name);
            }
            lines.push(self.record(&Type::Bool, &value, slot, slots));
        }
        lines
    }
}

impl TraceSlot {
    /// Whether something holds.
    pub(super) fn truth(label: String) -> Self {
        TraceSlot {
            label,
            place: RecordedPlace::Truth,
        }
    }

    /// Which of several it is.
    pub(in crate::encode) fn number(label: String) -> Self {
        TraceSlot {
            label,
            place: RecordedPlace::Number,
        }
    }
}

/// The lines without repetitions.
pub(in crate::encode) fn unique(lines: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut lines = lines;
    lines.retain(|line| seen.insert(line.clone()));
    lines
}
