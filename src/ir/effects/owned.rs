//! Objects that nobody but fields of one object lead to: what is in them, others cannot change between two calls.
//!
//! ```text
//! l := new Header();      owned: made here, and only ever
//! l.first := null;        looked into, compared, or called where the callee keeps its `this` to itself
//! m := l;                 still, where `m` is such a field of the same object
//! return l;   x.h := l;   p(l);        not any more: another one knows it now
//! ```
//!
//! (The simplest form of ownership: one object alone leads to another, whose own fields may be shared. Clarke, Potter, Noble 1998 have
//! types for more of it.)

use std::collections::BTreeSet;

use super::begin::always_at_first;
use super::walk::{evaluated, place_operands, places, statements, visit};
use super::{Effects, routine_refs};
use crate::ir::{
    ClassId, Expr, ExprKind, FieldRef, Place, Program, RoutineRef, Stmt, StmtKind, Type,
};

/// The fields of a class whose objects and arrays are known to these fields of one object alone.
pub fn owned(program: &Program, effects: &Effects, class: ClassId) -> BTreeSet<FieldRef> {
    let fields = program.class(class).fields.iter().enumerate();
    let references = fields
        .filter(|(_, field)| matches!(field.ty, Type::Class { .. } | Type::Array { .. }))
        .map(|(index, _)| FieldRef { class, index });
    let references: Vec<FieldRef> = references.collect();
    // What has no body can pass on whatever it finds in its object.
    let mut own = program.class(class).routines.iter();
    if references.is_empty() || own.any(|routine| routine.body.is_none()) {
        return BTreeSet::new();
    }
    let open = routine_refs(program).filter(|routine| program.routine(*routine).body.is_none());
    let changed: BTreeSet<FieldRef> = open
        .flat_map(|routine| effects.routine(routine).writes.iter().copied())
        .collect();
    let mut owned: BTreeSet<FieldRef> = references.into_iter().collect();
    owned.retain(|field| !changed.contains(field));
    // A field that is given what another one has is no better than that one.
    loop {
        let together = owned.clone();
        owned.retain(|field| Ownership::new(program, *field, &together).holds());
        if owned.len() == together.len() {
            return owned;
        }
    }
}

/// Whether a field owns what it leads to.
struct Ownership<'p> {
    program: &'p Program,
    field: FieldRef,
    /// The type of what it leads to.
    ty: Type,
    /// The fields of the same object that may lead there, too.
    together: &'p BTreeSet<FieldRef>,
}

impl<'p> Ownership<'p> {
    fn new(program: &'p Program, field: FieldRef, together: &'p BTreeSet<FieldRef>) -> Self {
        Ownership {
            program,
            field,
            ty: program.field(field).ty.with_null(),
            together,
        }
    }

    fn holds(&self) -> bool {
        self.starts_with_its_own()
            && self.bodies().all(|body| {
                let mut statements = statements([body]).into_iter();
                statements.all(|stmt| self.is_kept_in(stmt))
            })
            && self.functions().all(|body| !self.is_passed_on_by(body))
    }

    fn bodies(&self) -> impl Iterator<Item = &'p [Stmt]> {
        let routines = self.program.classes.iter().flat_map(|c| &c.routines);
        routines.filter_map(|routine| routine.body.as_deref())
    }

    fn functions(&self) -> impl Iterator<Item = &'p Expr> {
        let functions = self.program.classes.iter().flat_map(|c| &c.functions);
        functions.map(|function| &function.body)
    }

    /// Whether the field is null or has something new wherever a constructor leaves the object.
    fn starts_with_its_own(&self) -> bool {
        if let Some(value) = &self.program.field(self.field).value {
            return matches!(*value.kind, ExprKind::Null);
        }
        always_at_first(self.program, self.field.class, |stmt| {
            let mut places = places(stmt).into_iter();
            places.any(|place| {
                matches!(place, Place::Field(object, field)
                    if *field == self.field && matches!(*object.kind, ExprKind::This))
            })
        })
    }

    /// Whether a statement leaves it so that nobody else leads there.
    fn is_kept_in(&self, stmt: &Stmt) -> bool {
        if self.stays_inside(stmt) {
            return true;
        }
        let is_assigned = |place: &Place| matches!(place, Place::Field(_, f) if *f == self.field);
        let is_own_now = match &stmt.kind {
            StmtKind::Assign(place, value) => {
                !is_assigned(place) || matches!(*value.kind, ExprKind::Null)
            }
            // An arbitrary object may be this one.
            StmtKind::Havoc(place) | StmtKind::Guess(place) => {
                self.program.place_type(place).with_null() != self.ty
            }
            StmtKind::Call {
                targets,
                receiver,
                routine,
                ..
            } => {
                let is_kept = !self.is_it(receiver) || self.keeps_to_itself(*routine);
                is_kept && !targets.iter().any(is_assigned)
            }
            StmtKind::New {
                target,
                constructor,
                ..
            } => !is_assigned(target) || constructor.is_none_or(|c| self.keeps_to_itself(c)),
            _ => true,
        };
        let receiver = match &stmt.kind {
            StmtKind::Call { receiver, .. } => Some(receiver),
            _ => None,
        };
        let is_receiver = |e: &Expr| receiver.is_some_and(|receiver| std::ptr::eq(e, receiver));
        let values = evaluated(stmt).into_iter();
        let mut values = values.filter(|e| !(is_receiver(e) && self.is_it(e)));
        let operands = places(stmt).into_iter().map(place_operands);
        is_own_now
            && values.all(|e| !self.is_passed_on_by(e))
            && operands.into_iter().all(|operands| {
                // The object or array of a place is only looked into.
                let mut operands = operands.into_iter().skip_while(|e| self.is_it(e));
                operands.all(|e| !self.is_passed_on_by(e))
            })
    }

    /// Whether a statement gives one of the object's fields what another one has, and does nothing else.
    fn stays_inside(&self, stmt: &Stmt) -> bool {
        let StmtKind::Assign(Place::Field(object, to), value) = &stmt.kind else {
            return false;
        };
        match &*value.kind {
            ExprKind::Field(other, from) => {
                let both = [*to, *from];
                is_this(object)
                    && is_this(other)
                    && both.iter().all(|field| self.together.contains(field))
            }
            _ => false,
        }
    }

    fn is_passed_on_by(&self, e: &Expr) -> bool {
        self.is_it(e) || passes_on(e, &|e| self.is_it(e))
    }

    fn is_it(&self, e: &Expr) -> bool {
        matches!(&*e.kind, ExprKind::Field(_, field) if *field == self.field)
    }

    /// Whether a routine of the object does not pass on its `this`.
    fn keeps_to_itself(&self, routine: RoutineRef) -> bool {
        let mut seen = BTreeSet::from([routine]);
        let mut open = vec![routine];
        while let Some(reference) = open.pop() {
            let Some(body) = &self.program.routine(reference).body else {
                return false;
            };
            for stmt in statements([body.as_slice()]) {
                let mut values = evaluated(stmt);
                if let StmtKind::Call {
                    receiver, routine, ..
                } = &stmt.kind
                    && is_this(receiver)
                {
                    values.retain(|e| !std::ptr::eq(*e, receiver));
                    if seen.insert(*routine) {
                        open.push(*routine);
                    }
                }
                let operands = places(stmt).into_iter().flat_map(place_operands);
                let is_passed_on = values.iter().any(|e| is_this(e) || passes_on(e, &is_this))
                    || operands.into_iter().any(|e| passes_on(e, &is_this));
                if is_passed_on {
                    return false;
                }
            }
        }
        true
    }
}

fn is_this(e: &Expr) -> bool {
    matches!(*e.kind, ExprKind::This)
}

/// Whether the value of an expression may be, or lead somebody else to, what is looked for in it: where that is not just
/// looked into or compared.
fn passes_on(e: &Expr, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    visit(e, |e| {
        let used = match &*e.kind {
            ExprKind::Field(..) | ExprKind::Length(_) | ExprKind::Compare(..) => vec![],
            ExprKind::Element(_, index) => vec![index],
            _ => e.children(),
        };
        found |= used.into_iter().any(is_it);
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq::parse_text;

    const OTHERS: &str = "
        class Box { var n: int; var next: Box?;
          constructor() { n := 0; next := null; }
          constructor linked(b: Box) { n := 0; next := null; b.next := this; }
          procedure look() returns (m: int) { m := n; }
          procedure me() returns (b: Box) { b := this; }
          procedure twice() { n := n + n; }
          procedure calls() { twice(); }
          procedure foreign(); }
        class Keeper { var kept: Box?; constructor() { kept := null; }
          procedure keep(b: Box?) { kept := b; } }";

    /// Whether the field `b` of a class is owned.
    fn is_owned(members: &str) -> bool {
        let text = format!("{OTHERS}\nclass C {{ {members} }}");
        let program = parse_text("c.tq", &text).expect("a class").program;
        let class = program.class_named("C").expect("it is there");
        let index = program
            .class(class)
            .fields
            .iter()
            .position(|f| f.name == "b");
        let field = FieldRef {
            class,
            index: index.expect("it is there"),
        };
        owned(&program, &Effects::of(&program), class).contains(&field)
    }

    #[test]
    fn what_is_made_here_and_only_looked_into_is_owned() {
        for members in [
            "var b: Box; constructor() { b := new Box(); } action a() requires b.n > 0 { b.n := 1; }",
            "var b: Box?; constructor() { b := null; if (*) { b := new Box(); } } action a() { b := null; }",
            "var b: Box? := null; constructor() { } action a() { if (b == null) { b := new Box(); } }",
            "var b: Box; constructor() { b := new Box(); } action a() returns (m: int) { m := b.look(); b.calls(); }",
            "var b: array<int>; constructor(n: nat) { b := new int[n](0); } action a() { b[b.length - 1] := b[0]; }",
            "var b: Box; constructor() { b := new Box(); } action a() returns (x: Box?) { x := b.next; }",
            "var b: Box; var c: Box; constructor() { b := new Box(); c := b; } action a() { b := c; }",
        ] {
            assert!(is_owned(members), "{members}");
        }
    }

    #[test]
    fn what_another_one_may_know_is_not_owned() {
        for members in [
            "var b: Box; constructor(x: Box) { b := x; }",
            "var b: Box; constructor() { }",
            "var b: Box; constructor() { if (*) { return; } b := new Box(); }",
            "var b: Box; constructor() { b := new Box(); } action a() returns (x: Box) { x := b; }",
            "var b: Box; constructor() { b := new Box(); } action a(k: Keeper) { k.keep(b); }",
            "var b: Box; constructor() { b := new Box(); } action a(k: Keeper) { k.kept := b; }",
            "var b: Box; constructor() { b := new Box(); } action a() returns (x: Box) { x := b.me(); }",
            "var b: Box; constructor() { b := new Box(); } action a() { b.foreign(); }",
            "var b: Box; constructor() { b := new Box(); } action a(x: Box) { b := new Box.linked(x); }",
            "var b: Box; constructor() { b := new Box(); } action a(x: Box) { x.next := new Box.linked(b); }",
            "var b: Box; constructor() { b := new Box(); } action a(x: Box) { x.next := if x.n > 0 then b else x; }",
            "var b: Box; constructor() { b := new Box(); } action a(o: C) { b := o.b; }",
            "var b: Box; constructor() { b := new Box(); } action a() { var x: Box; havoc x; x.n := 1; }",
            "var b: Box; constructor() { b := new Box(); } action a() { havoc b; }",
            "var b: Box; var c: Box; constructor() { b := new Box(); c := b; } action a(x: Box) { c := x; }",
            "var b: Box; var c: Box; constructor() { b := new Box(); c := b; } action a() returns (x: Box) { x := c; }",
            "var b: Box; var c: Box; constructor() { b := new Box(); c := b; } action a(o: C) { o.c := b; }",
            "var b: Box; constructor() { b := new Box(); } procedure foreign(); action a() { foreign(); }",
            "var b: Box; var m: map<int, Box?>; constructor() { b := new Box(); } action a() { m[1] := b; }",
            "var b: Box; constructor() { b := new Box(); } function it(): Box { b } action a() returns (x: Box) { x := it(); }",
        ] {
            assert!(!is_owned(members), "{members}");
        }
    }
}
