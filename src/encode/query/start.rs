//! Where a question starts: what is true of all configurations, the invariant, what is known besides.

use super::TraceLayout;
use super::builder::{Builder, Line, unique};
use crate::encode::expr::ExprEncoder;
use crate::encode::names::identifier;
use crate::encode::promises::broken_promise;
use crate::encode::routine::{Part, invariant_of, promises};
use crate::encode::term::BoogieTerm;
use crate::ir::{ClassId, Expr, ExprKind, FieldRef, Type, formula};
use crate::query::Query;

/// Where a question starts, as lines of text.
#[derive(Default)]
pub(in crate::encode) struct StartText {
    pub(in crate::encode) sentence: String,
    pub(in crate::encode) name: String,
    pub(in crate::encode) modifies: String,
    pub(in crate::encode) locals: Vec<(String, String)>,
    /// The configuration is well-typed.
    pub(in crate::encode) configuration: Vec<String>,
    /// Facts about what is read from the heap.
    pub(in crate::encode) reads: Vec<String>,
    pub(in crate::encode) invariant: Vec<String>,
    /// Clauses that are assumed besides the invariant.
    pub(in crate::encode) known: Vec<String>,
    /// The source state.
    pub(in crate::encode) state: Vec<Line>,
    /// Facts and requires clauses of the parameters.
    pub(in crate::encode) requires: Vec<String>,
    /// What is recorded.
    pub(in crate::encode) records: Vec<String>,
}

/// The invariant where a question starts, and where its calls end.
pub(in crate::encode) struct Invariant {
    pub(in crate::encode) whole: Vec<String>,
    pub(in crate::encode) of_others: Vec<String>,
    pub(in crate::encode) reads: Vec<String>,
}

impl Builder<'_> {
    /// The object itself.
    pub(super) fn this(&self) -> Expr {
        formula::expr(
            ExprKind::This,
            Type::Class {
                class: self.encoding.subject.class,
                nullable: false,
            },
        )
    }

    /// Where the question starts, but for what its first call adds; and the invariant, for where it ends.
    pub(super) fn start(
        &mut self,
        query: &Query,
        layout: &mut TraceLayout,
    ) -> (StartText, Invariant) {
        let fresh = query.is_fresh();
        for (id, ghost) in &query.ghosts {
            let name = self.names.fresh(&identifier(&ghost.name));
            self.names.call(*id, name);
        }
        let mut text = StartText {
            sentence: query.sentence.clone(),
            name: query.name.clone(),
            configuration: self.configuration(fresh),
            ..StartText::default()
        };
        let invariant = self.invariants();
        let is_kept = fresh || query.start.invariant;
        text.configuration.extend(self.promises_of_maps(is_kept));
        if fresh {
            text.configuration.extend(self.promises());
        } else {
            text.reads.clone_from(&invariant.reads);
        }
        let runs_something = query
            .first()
            .is_none_or(|c| self.encoding.subject.routine(c).is_some());
        if fresh && runs_something {
            text.invariant.clone_from(&invariant.of_others);
        } else if fresh || query.start.invariant {
            // Where nothing is run, an object starts in its invariant.
            text.invariant.clone_from(&invariant.whole);
        }
        text.known = (query.start.known.iter()).map(|e| self.encode(e)).collect();
        let reads = std::mem::take(&mut self.reads);
        text.known.extend(self.facts(query));
        self.reads = reads;
        text.state = self.lines(&query.start.state);
        text.records = self.record_object(&mut layout.start);
        text.records.extend(self.record_heap(&mut layout.start));
        (text, invariant)
    }

    /// What may be taken to hold anywhere.
    pub(super) fn facts(&mut self, query: &Query) -> Vec<String> {
        unique(query.facts.iter().map(|e| self.encode(e)).collect())
    }

    /// The invariant: of the object itself and of all others, and of the others alone.
    pub(in crate::encode) fn invariants(&mut self) -> Invariant {
        let text = |terms: Vec<BoogieTerm>| terms.iter().map(BoogieTerm::to_string).collect();
        let before = std::mem::take(&mut self.reads);
        let whole = text(self.invariant(Part::Whole));
        let reads = std::mem::replace(&mut self.reads, before);
        Invariant {
            whole,
            of_others: text(self.invariant_of_others(Part::Whole)),
            reads,
        }
    }

    /// That the invariant does not hold although all facts do.
    pub(in crate::encode) fn broken(&mut self) -> Vec<String> {
        let facts = self.invariant(Part::Facts);
        let kept = BoogieTerm::all(self.invariant(Part::Breakable));
        let terms = facts.into_iter().chain([BoogieTerm::not(kept)]);
        terms.map(|term| term.to_string()).collect()
    }

    /// What is true of every configuration: values are in the ranges of their types, and references lead to
    /// objects that exist. Where `this` is new, it is the last object, and nothing leads to it.
    pub(in crate::encode) fn configuration(&mut self, new: bool) -> Vec<String> {
        let storage = &self.encoding.storage;
        let program = &self.encoding.subject.program;
        let mut facts = Vec::new();
        let at_least_zero = |global: String| {
            BoogieTerm::binary("<=", BoogieTerm::atom("0"), BoogieTerm::atom(global))
        };
        for element in &storage.arrays {
            facts.push(at_least_zero(format!("{}.alloc", storage.array(element))));
        }
        for class in storage.classes_in_heap() {
            facts.push(at_least_zero(storage.objects(class)));
        }
        if !storage.flat {
            self.locals.push(("this".into(), "Ref".into()));
            let this = BoogieTerm::atom("this");
            facts.push(BoogieTerm::binary("<", BoogieTerm::atom("0"), this.clone()));
            facts.push(BoogieTerm::binary(
                if new { "==" } else { "<=" },
                this,
                BoogieTerm::atom(storage.objects(storage.class)),
            ));
        }
        let own = program.class(storage.class);
        for (index, field) in own.fields.iter().enumerate() {
            let at = FieldRef {
                class: storage.class,
                index,
            };
            let exprs = ExprEncoder::new(storage, &self.names);
            let value = exprs.field(&self.this(), at);
            facts.extend(storage.typing(&field.ty, &value));
            if let (Some(most), false) = (self.encoding.support.get(&at), new) {
                let mostly = format!("mostly.{}", storage.recorded_word(&field.ty));
                let mostly = BoogieTerm::Apply(mostly, vec![value]);
                facts.push(BoogieTerm::binary("==", mostly, exprs.encode(most)));
            }
        }
        let start = storage
            .closed()
            .into_iter()
            .map(|(global, _)| global)
            .chain(storage.counters());
        let own = storage.objects(storage.class);
        facts.extend(start.map(|global| {
            let before = BoogieTerm::atom(format!("start.{global}"));
            let now = BoogieTerm::atom(&global);
            if new && !storage.flat && global == own {
                BoogieTerm::binary(
                    "==",
                    now,
                    BoogieTerm::binary("+", before, BoogieTerm::atom("1")),
                )
            } else {
                BoogieTerm::binary("==", now, before)
            }
        }));
        facts.extend(self.closed_in_others());
        facts.iter().map(BoogieTerm::to_string).collect()
    }

    /// That what the invariants of all other objects read leads to objects that existed when the question started: else what
    /// is made anew could be confused with what one of them has.
    fn closed_in_others(&mut self) -> Vec<BoogieTerm> {
        let mut facts = Vec::new();
        let storage = &self.encoding.storage;
        if storage.closed().is_empty() {
            return facts;
        }
        for class in storage.classes_in_heap().filter(|c| *c != storage.class) {
            let (name, that) = self.any_object(class);
            let (_, reads) = invariant_of(storage, &mut self.names, (class, Part::Whole), &that);
            if !reads.is_empty() {
                let is_any =
                    BoogieTerm::binary("<", BoogieTerm::atom("0"), BoogieTerm::atom(&name));
                facts.push(every_object(&name, is_any, reads));
            }
        }
        facts
    }

    /// A variable for any object of a class: its name, and the variable.
    fn any_object(&mut self, class: ClassId) -> (String, Expr) {
        let ty = Type::Class {
            class,
            nullable: false,
        };
        let name = self.names.fresh("object");
        let object = self.names.alias(&name);
        (name, formula::expr(ExprKind::Var(object), ty))
    }

    /// The invariant: of the object itself, and of every object of another class that has one.
    pub(in crate::encode) fn invariant(&mut self, part: Part) -> Vec<BoogieTerm> {
        let this = self.this();
        let storage = &self.encoding.storage;
        let own = (storage.class, part);
        let (mut terms, reads) = invariant_of(storage, &mut self.names, own, &this);
        self.reads.extend(reads.iter().map(BoogieTerm::to_string));
        terms.extend(self.invariant_of_others(part));
        terms
    }

    /// The invariants of every object of another class; of the other objects of this class and of the elements of
    /// arrays, what their types promise.
    pub(in crate::encode) fn invariant_of_others(&mut self, part: Part) -> Vec<BoogieTerm> {
        let storage = &self.encoding.storage;
        let arrays = storage.arrays.iter().filter(|_| part != Part::Facts);
        let mut terms: Vec<BoogieTerm> = arrays.filter_map(|e| storage.every_array(e)).collect();
        for class in storage.classes_in_heap() {
            let (name, that) = self.any_object(class);
            let inner = if class != storage.class {
                invariant_of(storage, &mut self.names, (class, part), &that).0
            } else if part == Part::Facts {
                Vec::new()
            } else {
                promises(storage, &self.names, class, &that)
            };
            if !inner.is_empty() {
                let o = BoogieTerm::atom(&name);
                let exists = BoogieTerm::binary(
                    "&&",
                    BoogieTerm::binary("<", BoogieTerm::atom("0"), o.clone()),
                    BoogieTerm::binary("<=", o, BoogieTerm::atom(storage.objects(class))),
                );
                terms.push(every_object(&name, exists, inner));
            }
        }
        terms
    }

    /// What the fields' types promise; true of the arbitrary values that a constructor starts from, too.
    pub(in crate::encode) fn promises(&self) -> Vec<String> {
        let storage = &self.encoding.storage;
        promises(storage, &self.names, storage.class, &self.this())
            .iter()
            .map(BoogieTerm::to_string)
            .collect()
    }

    /// What the types of maps promise of their values, where that is kept; else that it may be broken where the question starts.
    pub(in crate::encode) fn promises_of_maps(&self, is_kept: bool) -> Vec<String> {
        let storage = &self.encoding.storage;
        let exprs = ExprEncoder::new(storage, &self.names);
        let class = storage.class;
        let fields = storage.program().class(class).fields.iter().enumerate();
        let facts = fields.flat_map(|(index, field)| {
            let at = FieldRef { class, index };
            match (broken_promise(storage, at), is_kept) {
                (None, _) => vec![],
                (Some(broken), false) => vec![BoogieTerm::atom(broken)],
                (Some(broken), true) => {
                    let mut facts = storage.promise(&field.ty, &exprs.field(&self.this(), at));
                    facts.push(BoogieTerm::not(BoogieTerm::atom(broken)));
                    facts
                }
            }
        });
        facts.map(|fact| fact.to_string()).collect()
    }
}

/// All of this is so of every object for which something holds.
fn every_object(name: &str, such: BoogieTerm, all: Vec<BoogieTerm>) -> BoogieTerm {
    let body = BoogieTerm::binary("==>", such, BoogieTerm::all(all));
    BoogieTerm::Quantified("forall", format!("{name}: Ref"), Box::new(body))
}
