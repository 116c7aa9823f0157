//! The program in which all choices are made so that a call may end: whether each call of an action can be made is then a question
//! about runs.
//!
//! A call can be made where *some* behaviour of other code lets it end. That is shown by one such behaviour: other code leaves
//! the object alone and raises nothing, what is done for any choice (`*`) is not done, and a truth value that others choose is always
//! the same. What else other code gives stays any value. Where each run of that program ends normally, every call can be made.
//!
//! Whether a run ends is asked in the program itself. Each loop has a number that comes nearer to zero with every round, or
//! raises an exception that no handler catches:
//!
//! ```text
//! while (i < n) {              begun := false;
//!     …                        while (i < n) {
//!     i := i + 1;                  if (begun && (before < 0 || n - i >= before)) { throw Stuck; }
//! }                                begun := true; before := n - i;
//!                                  …
//! ```
//!
//! (R. W. Floyd, Assigning Meanings to Programs, 1967: termination by a well-founded order.) So does an `assume` that cuts a run off. Of
//! what may cut one off elsewhere nothing is shown so ([`can_be_calmed`]).

use std::collections::{BTreeMap, BTreeSet};

use super::effects::walk::{places, statements};
use super::facts;
use super::formula::{self, compare};
use super::{
    BinaryOp, Block, BuiltinException, CompareOp, Condition, ExceptionId, Expr, ExprKind, FieldRef,
    Place, Program, Routine, RoutineRef, Stmt, StmtKind, Type, VarId,
};

/// The program in which all choices are made so; others answer every question with this.
pub fn calmed(program: &Program, answer: bool) -> Program {
    let mut changed = program.clone();
    let stuck = ExceptionId(changed.exceptions.len());
    // Nobody can declare one of that name.
    changed.exceptions.push("Call.stuck".into());
    for (class, declared) in program.classes.iter().enumerate() {
        for (index, routine) in declared.routines.iter().enumerate() {
            let Some(body) = &routine.body else { continue };
            let mut chooser = Chooser {
                program: &mut changed,
                chosen: chosen_by_others(program, body),
                answer,
                stuck,
            };
            let body = chooser.block(body);
            changed.classes[class].routines[index].body = Some(body);
        }
    }
    changed
}

/// Whether the question about runs is one about calls of a routine: no call comes back to itself, and might do so for ever; and
/// nothing cuts off a run but an `assume` in a body. Of maps more is taken for granted where a question begins, by how the whole
/// program writes them.
pub fn can_be_calmed(program: &Program, routine: RoutineRef) -> bool {
    let fields = program.classes.iter().flat_map(|class| &class.fields);
    let has_maps = fields
        .into_iter()
        .any(|field| matches!(field.ty, Type::Map(..)));
    !has_maps && ends_all_calls(program, routine, &mut Vec::new(), &mut BTreeSet::new())
}

fn ends_all_calls(
    program: &Program,
    routine: RoutineRef,
    around: &mut Vec<RoutineRef>,
    seen: &mut BTreeSet<RoutineRef>,
) -> bool {
    if around.contains(&routine) {
        return false;
    }
    if !seen.insert(routine) {
        return true;
    }
    around.push(routine);
    let body = program.routine(routine).body.as_deref();
    let inside = statements(body);
    let called: BTreeSet<RoutineRef> = inside.iter().filter_map(|stmt| stmt.called()).collect();
    let is_found = !inside.into_iter().any(|stmt| may_cut_off(program, stmt))
        && called
            .into_iter()
            .all(|callee| ends_all_calls(program, callee, around, seen));
    around.pop();
    is_found
}

/// Whether a statement goes on only where something holds that is said elsewhere.
fn may_cut_off(program: &Program, stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::New {
            class,
            constructor: None,
            ..
        } => {
            let class = program.class(*class);
            !(class.initially.is_empty() && class.invariants.is_empty())
        }
        StmtKind::Call { routine, .. } => {
            let routine = program.routine(*routine);
            let mut clauses = routine.requires.iter();
            let promises = routine.body.is_none() && !routine.ensures.is_empty();
            promises || clauses.any(|clause| routine.is_about_outside(clause))
        }
        _ => false,
    }
}

/// The variables of a body that have no value but those that others choose.
fn chosen_by_others(program: &Program, body: &Block) -> BTreeSet<VarId> {
    let (mut chosen, mut others) = (BTreeSet::new(), BTreeSet::new());
    for stmt in statements([body.as_slice()]) {
        let by_others = match &stmt.kind {
            StmtKind::Havoc(_) => true,
            StmtKind::Call { routine, .. } => program.routine(*routine).body.is_none(),
            _ => false,
        };
        let set = if by_others { &mut chosen } else { &mut others };
        set.extend(places(stmt).into_iter().filter_map(|place| match place {
            Place::Var(var) => Some(*var),
            _ => None,
        }));
    }
    &chosen - &others
}

/// Writes a body anew.
struct Chooser<'a> {
    program: &'a mut Program,
    /// The variables that hold nothing but what others choose.
    chosen: BTreeSet<VarId>,
    /// The truth value that others choose.
    answer: bool,
    stuck: ExceptionId,
}

impl Chooser<'_> {
    fn block(&mut self, block: &Block) -> Block {
        block.iter().flat_map(|stmt| self.statement(stmt)).collect()
    }

    fn statement(&mut self, stmt: &Stmt) -> Vec<Stmt> {
        let at = |kind: StmtKind| Stmt {
            kind,
            span: stmt.span,
        };
        match &stmt.kind {
            // It may stay what it was, as long as no type promises what it is not. (Of an element it is looked at first whether
            // it is there.)
            StmtKind::Havoc(Place::Field(object, field))
                if facts::invariant(&self.program.field(*field).ty).is_none() =>
            {
                self.there(object, stmt)
            }
            StmtKind::Havoc(place @ Place::Var(var)) if self.program.var(*var).ty == Type::Bool => {
                let answer = formula::bool(self.answer);
                vec![at(StmtKind::Assign(place.clone(), answer))]
            }
            StmtKind::Call {
                targets,
                receiver,
                routine,
                args,
            } if targets.is_empty()
                && args.is_empty()
                && says_nothing(self.program.routine(*routine)) =>
            {
                self.there(receiver, stmt)
            }
            StmtKind::If(Condition::Any, _, otherwise) if otherwise.is_empty() => Vec::new(),
            StmtKind::While {
                condition: Condition::Any,
                ..
            } => Vec::new(),
            StmtKind::Assume(e) if !self.can_be_chosen(e) => {
                let fails = formula::not(e.clone());
                vec![Stmt::throw_where(fails, self.stuck, stmt.span)]
            }
            StmtKind::While {
                condition: Condition::Expr(condition),
                body,
                ..
            } => {
                // What is not done any more says nothing of when it ends.
                let body = self.block(body);
                let (begin, check) = self.nearer(condition, &body, stmt);
                let around = stmt.map_blocks(|_| [check.clone(), body.clone()].concat());
                begin.into_iter().chain([around]).collect()
            }
            _ => vec![stmt.map_blocks(|block| self.block(block))],
        }
    }

    /// What is left of a statement that does nothing but look whether an object is there.
    fn there(&self, object: &Expr, of: &Stmt) -> Vec<Stmt> {
        if matches!(&*object.kind, ExprKind::This) {
            return Vec::new();
        }
        let is_null = compare(CompareOp::Eq, object.clone(), formula::null());
        let raised = BuiltinException::NullDereference.id();
        vec![Stmt::throw_where(is_null, raised, of.span)]
    }

    /// Whether it says nothing but that a value that others choose is there.
    fn can_be_chosen(&self, e: &Expr) -> bool {
        let ExprKind::Compare(CompareOp::Ne, a, b) = &*e.kind else {
            return false;
        };
        let is_chosen =
            |e: &Expr| matches!(&*e.kind, ExprKind::Var(var) if self.chosen.contains(var));
        let is_null = |e: &Expr| matches!(&*e.kind, ExprKind::Null);
        (is_chosen(a) && is_null(b)) || (is_null(a) && is_chosen(b))
    }

    /// What is done before a loop, and at the beginning of each round, to see whether it ends.
    fn nearer(&mut self, condition: &Expr, body: &Block, of: &Stmt) -> (Vec<Stmt>, Block) {
        let at = |kind: StmtKind| Stmt {
            kind,
            span: of.span,
        };
        let begun = self.variable("begun", Type::Bool);
        let has_begun = formula::var(self.program, begun);
        let rank = rank(condition, body);
        // Where it cannot be worked out, a handler might catch that.
        let rank = rank.filter(|rank| formula::hazards(self.program, rank).is_empty());
        let (is_no_nearer, remember) = match rank {
            Some(rank) => {
                let before = self.variable("before", Type::Int);
                let last = formula::var(self.program, before);
                let over = compare(CompareOp::Lt, last.clone(), formula::int(0));
                let as_far = compare(CompareOp::Ge, rank.clone(), last);
                let remember = at(StmtKind::Assign(Place::Var(before), rank));
                (formula::or(over, as_far), Some(remember))
            }
            None => (formula::bool(true), None),
        };
        let set = |value: bool| at(StmtKind::Assign(Place::Var(begun), formula::bool(value)));
        let no_nearer = formula::and(has_begun, is_no_nearer);
        let check = Stmt::throw_where(no_nearer, self.stuck, of.span);
        let round = [check, set(true)].into_iter().chain(remember);
        (vec![set(false)], round.collect())
    }

    fn variable(&mut self, name: &str, ty: Type) -> VarId {
        let name = format!("{name}.{}", self.program.vars.len());
        self.program.new_var(name, ty)
    }
}

/// Whether a routine may do anything, nothing among it.
fn says_nothing(routine: &Routine) -> bool {
    routine.body.is_none() && routine.requires.is_empty() && routine.ensures.is_empty()
}

/// Which way a number goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Up,
    Down,
}

/// What may be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Counted {
    Var(VarId),
    /// Of the object itself.
    Field(FieldRef),
}

/// A number that comes nearer to zero with every round, as far as it looks: how far it is from what a variable that is
/// counted up, or down, is compared with.
fn rank(condition: &Expr, body: &Block) -> Option<Expr> {
    let inside = statements([body.as_slice()]);
    let counted: BTreeMap<Counted, Way> = inside.iter().filter_map(|stmt| count(stmt)).collect();
    let conditions = inside.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::If(Condition::Expr(e), ..) => Some(e),
        _ => None,
    });
    let mut comparisons = Vec::new();
    for e in [condition].into_iter().chain(conditions) {
        compared(e, &mut comparisons);
    }
    let goes = |e: &Expr| counted.get(&counted_in(e)?).copied();
    comparisons.into_iter().find_map(|(a, b)| {
        let (first, second) = match (goes(&a), goes(&b)) {
            (Some(Way::Up), _) | (None, Some(Way::Down)) => (b, a),
            (Some(Way::Down), _) | (None, Some(Way::Up)) => (a, b),
            (None, None) => return None,
        };
        let distance = ExprKind::Binary(BinaryOp::Sub, first, second);
        Some(formula::expr(distance, Type::Int))
    })
}

/// The integers that a condition compares, outside of quantifiers: what these bind means nothing elsewhere.
fn compared(e: &Expr, found: &mut Vec<(Expr, Expr)>) {
    match &*e.kind {
        ExprKind::Compare(_, a, b) if a.ty.of_value() == Type::Int => {
            found.push((a.clone(), b.clone()));
        }
        ExprKind::Quantified(..) => {}
        _ => e
            .children()
            .into_iter()
            .for_each(|part| compared(part, found)),
    }
}

/// What a statement counts up or down.
fn count(stmt: &Stmt) -> Option<(Counted, Way)> {
    let StmtKind::Assign(place, value) = &stmt.kind else {
        return None;
    };
    let way = match &*value.kind {
        ExprKind::Binary(BinaryOp::Add, ..) => Way::Up,
        ExprKind::Binary(BinaryOp::Sub, ..) => Way::Down,
        _ => return None,
    };
    let counted = match place {
        Place::Var(var) => Counted::Var(*var),
        Place::Field(object, field) if matches!(&*object.kind, ExprKind::This) => {
            Counted::Field(*field)
        }
        _ => return None,
    };
    Some((counted, way))
}

/// What may be counted that an expression reads.
fn counted_in(e: &Expr) -> Option<Counted> {
    match &*e.kind {
        ExprKind::Var(var) => Some(Counted::Var(*var)),
        _ => formula::own_field(e).map(Counted::Field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq;

    /// What is left of a body: how many loops are seen to come nearer to their ends, and its statements of each kind that matters.
    fn left(body: &str) -> (usize, Vec<&'static str>) {
        let text = format!(
            "exception Odd;
             class Friend {{ var size: int; constructor() {{ }} procedure poke() modifies size }}
             class C {{
               var n: nat; var m: int; var friend: Friend?;
               constructor() {{ n := 0; m := 0; friend := null; }}
               action run() {{ {body} }}
             }}"
        );
        let loaded = tq::parse_text("c.tq", &text).expect("well-formed");
        let program = calmed(&loaded.program, false);
        let class = program.class_named("C").expect("it");
        let routine = program
            .class(class)
            .routines
            .iter()
            .find(|routine| routine.name == "run")
            .expect("it");
        let body = routine.body.as_deref().expect("a body");
        let kinds = statements([body]).into_iter();
        let mut kinds: Vec<&'static str> = kinds
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Havoc(_) => Some("havoc"),
                StmtKind::Guess(_) => Some("guess"),
                StmtKind::Call { .. } => Some("call"),
                StmtKind::Assume(_) => Some("assume"),
                StmtKind::Throw(_) => Some("throw"),
                StmtKind::While { .. } => Some("while"),
                _ => None,
            })
            .collect();
        kinds.sort_unstable();
        let counted = program.vars.iter();
        let counted = counted.filter(|var| var.name.starts_with("before."));
        (counted.count(), kinds)
    }

    #[test]
    fn a_loop_is_counted_by_what_can_be_worked_out_of_the_object() {
        let throw_and_loop = vec!["throw", "while"];
        for (body, expected) in [
            ("var i: int := 0; while (i < n) { i := i + 1; }", 1),
            ("var i: int := n; while (i > 0) { i := i - 1; }", 1),
            ("while (m < n) { m := m + 1; }", 1),
            // It would raise an exception that a handler around may catch.
            ("var i: int := 0; while (i < n div m) { i := i + 1; }", 0),
            (
                "var i: int := 0; while (exists j: int :: i <= j < n) { i := i + 1; }",
                0,
            ),
            // What it counts is not done.
            (
                "var i: int := 0; while (i < n) { if (*) { i := i + 1; } }",
                0,
            ),
        ] {
            assert_eq!(left(body), (expected, throw_and_loop.clone()), "{body}");
        }
    }

    #[test]
    fn what_others_choose_is_chosen_and_what_may_raise_stays() {
        for (body, expected) in [
            ("havoc m;", vec![]),
            ("if (*) { throw Odd; }", vec![]),
            ("while (*) { m := 1; }", vec![]),
            // That it is not negative is promised, whatever it was before.
            ("havoc n;", vec!["havoc"]),
            ("havoc? m;", vec!["guess"]),
            // There may be no such object.
            ("havoc friend.size;", vec!["throw"]),
            ("friend.poke();", vec!["throw"]),
            (
                "var a: array<int> := new int[2]; havoc a[m];",
                vec!["havoc"],
            ),
            // Others may give an object; nobody makes `m` positive.
            (
                "var f: Friend?; havoc f; assume f != null;",
                vec!["assume", "havoc"],
            ),
            ("var f: Friend? := friend; assume f != null;", vec!["throw"]),
            ("assume m > 0;", vec!["throw"]),
        ] {
            assert_eq!(left(body), (0, expected), "{body}");
        }
    }
}
