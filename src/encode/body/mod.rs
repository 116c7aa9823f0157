//! Bodies of routines as Boogie statements.
//!
//! What Boogie does not have is spelt out:
//! - an exception is the out-parameter `thrown`: to raise one is to set it and leave, by `goto` to the nearest
//!   handler or by `return`;
//! - an operation that may fail is preceded by the test that raises its exception;
//! - every nondeterministic choice is recorded where it is made, so that a trace can be replayed.

mod call;
mod flow;
mod place;

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::effects::Effects;
use crate::ir::{Expr, LabelId, Place, Program, Type, VarId};

use crate::encode::expr::ExprEncoder;
use crate::encode::lines::TextLines;
use crate::encode::names::BoogieNames;
use crate::encode::storage::Storage;
use crate::encode::term::BoogieTerm;

/// Encodes one body.
pub(super) struct BodyEncoder<'a> {
    storage: &'a Storage,
    effects: &'a Effects,
    names: BoogieNames,
    /// Local variables of the Boogie procedure, with their types, in the order needed.
    locals: Vec<(String, String)>,
    declared: BTreeSet<VarId>,
    out: TextLines,
    /// The labels of the handlers around this point, innermost last.
    handlers: Vec<String>,
    /// The loops and labelled blocks around this point, innermost last.
    around: Vec<Enclosing>,
    /// Where the handlers around this point keep what they have caught, innermost last.
    caught: Vec<String>,
    labels: usize,
    /// The variables that hold shares, by what they are shares of.
    shares: BTreeMap<String, String>,
    /// Whether `thrown` occurs.
    throws: bool,
}

/// A loop, or a labelled block.
struct Enclosing {
    label: LabelId,
    is_loop: bool,
    /// The label behind it, and whether something goes there.
    behind: (String, bool),
    /// The label at the end of a round, and whether something goes there.
    next: (String, bool),
}

/// A finished body.
pub(super) struct EncodedBody {
    /// Local variables with their types.
    pub locals: Vec<(String, String)>,
    /// The statements.
    pub text: String,
    /// Whether `thrown` occurs: also where every exception is caught inside.
    pub throws: bool,
}

impl<'a> BodyEncoder<'a> {
    /// For a procedure whose parameters and results are named already.
    pub(super) fn new(
        storage: &'a Storage,
        effects: &'a Effects,
        names: BoogieNames,
        declared: BTreeSet<VarId>,
    ) -> Self {
        BodyEncoder {
            storage,
            effects,
            names,
            locals: Vec::new(),
            declared,
            out: TextLines::indented(1),
            handlers: Vec::new(),
            around: Vec::new(),
            caught: Vec::new(),
            labels: 0,
            shares: BTreeMap::new(),
            throws: false,
        }
    }

    /// The encoded text.
    pub(super) fn finish(self) -> EncodedBody {
        EncodedBody {
            locals: self.locals,
            text: self.out.finish(),
            throws: self.throws,
        }
    }

    fn program(&self) -> &'a Program {
        self.storage.program()
    }

    fn exprs(&self) -> ExprEncoder<'_> {
        ExprEncoder::new(self.storage, &self.names).with_shares(&self.shares)
    }

    fn term(&self, e: &Expr) -> BoogieTerm {
        self.exprs().encode(e)
    }

    /// Writes one line.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.out.line(text.as_ref());
    }

    /// Adds a local variable of the Boogie procedure.
    pub(super) fn declare_local(&mut self, name: &str, boogie_type: &str) {
        self.locals
            .push((name.to_string(), boogie_type.to_string()));
    }

    /// An arbitrary value for a variable of the source, recorded.
    pub(super) fn choose_var(&mut self, id: VarId) {
        self.choose(&Place::Var(id));
    }

    /// An arbitrary value for a place, recorded.
    pub(super) fn choose_place(&mut self, place: &Place) {
        self.choose(place);
    }

    /// That a variable has a value of its declared type, where it is not assigned first.
    pub(super) fn assume_declared(&mut self, id: VarId) {
        let value = BoogieTerm::atom(self.names.of(self.program(), id));
        let ty = &self.program().var(id).ty;
        self.assume_value(ty, &value);
    }

    fn assume_value(&mut self, ty: &Type, value: &BoogieTerm) {
        let facts = self.storage.typing(ty, value);
        let facts = facts.into_iter().chain(self.storage.promise(ty, value));
        let facts: Vec<BoogieTerm> = facts.collect();
        if !facts.is_empty() {
            self.line(format!("assume {};", BoogieTerm::all(facts)));
        }
    }

    /// `assume e;` for a formula that is always defined.
    pub(super) fn assume(&mut self, e: &Expr) {
        self.reads(e);
        let term = self.term(e);
        self.line(format!("assume {term};"));
    }

    fn declare(&mut self, id: VarId) {
        if self.declared.insert(id) {
            let name = self.names.of(self.program(), id);
            let ty = self.storage.boogie_type(&self.program().var(id).ty);
            self.locals.push((name, ty));
        }
    }

    /// An arbitrary value of the place's type, recorded.
    fn choose(&mut self, place: &Place) {
        let ty = self.program().place_type(place);
        let name = match place {
            Place::Var(id) => {
                self.declare(*id);
                self.names.of(self.program(), *id)
            }
            _ => self.temporary("chosen", &ty),
        };
        self.choose_variable(&name, &ty);
        if !matches!(place, Place::Var(_)) {
            self.assign(place, BoogieTerm::atom(name));
        }
    }

    /// An arbitrary value of a type in a Boogie variable, recorded.
    pub(super) fn choose_variable(&mut self, name: &str, ty: &Type) {
        self.line(format!("havoc {name};"));
        let value = BoogieTerm::atom(name);
        self.assume_value(ty, &value);
        let record = self.storage.record(ty, name, &value);
        self.line(record);
    }

    /// A new local variable of the Boogie procedure.
    fn temporary(&mut self, base: &str, ty: &Type) -> String {
        let name = self.names.fresh(&format!("{base}#"));
        self.locals
            .push((name.clone(), self.storage.boogie_type(ty)));
        name
    }

    fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.out.indent();
    }

    fn close(&mut self, text: &str) {
        self.out.dedent();
        self.line(text);
    }

    fn label(&mut self, base: &str) -> String {
        self.labels += 1;
        format!("{base}#{}", self.labels)
    }
}
