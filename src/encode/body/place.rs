//! Places: what is evaluated and checked before they are read or written.

use super::BodyEncoder;
use crate::encode::promises::{broken_promise, value_type};
use crate::encode::term::BoogieTerm;
use crate::ir::formula;
use crate::ir::shares::Share;
use crate::ir::{BuiltinException, Expr, ExprKind, Place, Type};

impl BodyEncoder<'_> {
    /// Raises whatever evaluating the expression raises.
    pub(super) fn evaluate(&mut self, e: &Expr) {
        for hazard in formula::hazards(self.program(), e) {
            self.reads(&hazard.when);
            let when = self.term(&hazard.when);
            self.raise_if(when, hazard.exception.id());
        }
        self.reads(e);
    }

    /// Says of every reference read from the heap that it leads to an object, and of every share what is linear of it.
    pub(super) fn reads(&mut self, e: &Expr) {
        for fact in self.exprs().closed_reads(e) {
            self.line(format!("assume {fact};"));
        }
        for share in self.exprs().shares_in(e) {
            self.hold_share(&share);
        }
    }

    /// Puts a share into a variable, which an engine can follow that cannot follow functions.
    fn hold_share(&mut self, e: &Expr) {
        let (Some(share), Some(of)) = (Share::of(e), self.exprs().share(e)) else {
            return;
        };
        let of = of.to_string();
        let name = match self.shares.get(&of) {
            Some(name) => name.clone(),
            None => self.temporary("share", &e.ty),
        };
        self.line(format!("{name} := {of};"));
        let value = self.variable_expr(&name, &e.ty);
        let known = self.term(&share.linear(&value));
        self.line(format!("assume {known};"));
        self.shares.insert(of, name);
    }

    /// The operands of a place are looked at before the value, the place itself after it.
    pub(super) fn evaluate_operands(&mut self, place: &Place) {
        match place {
            Place::Var(_) => {}
            Place::Field(object, _) => self.evaluate(object),
            Place::Element(array, index) => {
                self.evaluate(array);
                self.evaluate(index);
            }
        }
    }

    /// The place with its operands worked out now: what is done before it is assigned may change them.
    pub(super) fn settle(&mut self, place: &Place) -> Place {
        self.evaluate_operands(place);
        match place {
            Place::Var(id) => Place::Var(*id),
            Place::Field(object, field) => Place::Field(self.saved(object), *field),
            Place::Element(array, index) => Place::Element(self.saved(array), self.saved(index)),
        }
    }

    /// The value of an expression, in a variable of its own where it could change.
    fn saved(&mut self, e: &Expr) -> Expr {
        if matches!(&*e.kind, ExprKind::This | ExprKind::Int(_)) {
            return e.clone();
        }
        let name = self.temporary("saved", &e.ty);
        let value = self.term(e);
        self.line(format!("{name} := {value};"));
        self.variable_expr(&name, &e.ty)
    }

    pub(super) fn check_place(&mut self, place: &Place) {
        match place {
            Place::Var(_) => {}
            Place::Field(object, _) => self.check_not_null(object),
            Place::Element(array, index) => {
                self.check_not_null(array);
                let length = formula::expr(ExprKind::Length(array.clone()), Type::Int);
                let outside = BoogieTerm::binary(
                    "||",
                    BoogieTerm::binary("<", self.term(index), BoogieTerm::atom("0")),
                    BoogieTerm::binary(">=", self.term(index), self.term(&length)),
                );
                self.raise_if(outside, BuiltinException::IndexOutOfRange.id());
            }
        }
    }

    pub(super) fn check_not_null(&mut self, object: &Expr) {
        if !matches!(*object.kind, ExprKind::This) {
            let is_null = BoogieTerm::binary("==", self.term(object), BoogieTerm::atom("null"));
            self.raise_if(is_null, BuiltinException::NullDereference.id());
        }
    }

    /// The left-hand side of an assignment to a place.
    fn target(&mut self, place: &Place) -> String {
        match place {
            Place::Var(id) => {
                self.declare(*id);
                self.names.of(self.program(), *id)
            }
            Place::Field(object, field) => {
                let global = self.storage.field(*field);
                if self.storage.in_heap(field.class) {
                    format!("{global}[{}]", self.term(object))
                } else {
                    global
                }
            }
            Place::Element(array, index) => {
                let element = formula::expr(
                    ExprKind::Element(array.clone(), index.clone()),
                    self.program().place_type(place).of_value(),
                );
                self.exprs().target(&element)
            }
        }
    }

    /// Notes of a map whose values promise something whether what is written breaks that; it is not known what is written
    /// where there are no values.
    pub(super) fn note_written(&mut self, place: &Place, values: Option<Vec<&Expr>>) {
        let Place::Field(_, field) = place else {
            return;
        };
        let Some(broken) = broken_promise(self.storage, *field) else {
            return;
        };
        let Some(values) = values else {
            self.line(format!("{broken} := true;"));
            return;
        };
        let ty = self.program().field(*field).ty.clone();
        let promises = values.into_iter().flat_map(|value| {
            let value = self.term(value);
            self.storage.promise(value_type(&ty), &value)
        });
        let kept = BoogieTerm::all(promises.collect::<Vec<_>>());
        self.line(format!("{broken} := {broken} || !({kept});"));
    }

    pub(super) fn assign(&mut self, place: &Place, value: BoogieTerm) {
        self.note_written(place, None);
        self.set(place, value);
    }

    /// Assigns what was noted already.
    pub(super) fn set(&mut self, place: &Place, value: BoogieTerm) {
        let target = self.target(place);
        self.line(format!("{target} := {value};"));
    }
}
