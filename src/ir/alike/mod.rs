//! What a routine does, as a text in which its own names do not occur: two routines with the same text do the same.
//!
//! APIs are full of such: overloads, setters of what nothing depends on, one method for each command of a protocol. What is
//! found out of the calls of one action is true of all others with the same text. Texts may differ where two routines do the
//! same, never the other way round. So parameters have numbers, in the order in which they are met, and those that are not spoken of have
//! none; results that nobody reads are left out, with what they are given; and of a call that is the last thing done stands there what it
//! does, with the arguments for the parameters, and conditions decided where these are constants:
//!
//! ```text
//! noop() { result := send(NOOP); }     send(c) { if (c == none) { throw E; } put(); }     both: put()
//! stat() { result := send(STAT); }
//! ```

mod locals;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use self::locals::{constants, is_dead, is_dropped, unread};
use super::effects::may_raise;
use super::formula;
use super::{
    Block, Condition, Expr, ExprKind, LabelId, Place, Program, Routine, RoutineRef, Stmt, StmtKind,
    Type, Var, VarId, facts,
};

/// How many calls that are the last thing done are followed into each other.
const DEEPEST: usize = 8;
/// A text that is longer, in bytes, goes on with calls as calls: each branch may end in one that ends in many.
const LONGEST: usize = 100_000;

/// What calls of a routine do, and when they are legal. None where it has no body, or its edges are told apart by its results.
pub(crate) fn reading(program: &Program, routine: RoutineRef) -> Option<String> {
    let declared = program.routine(routine);
    let body = declared.body.as_ref()?;
    if !declared.outcomes.is_empty() {
        return None;
    }
    let mut reader = Reader::new(program, &declared.hidden);
    reader.followed.push(routine);
    // What is marked so is not asked about in the same way.
    reader.write(if declared.pure { "pure " } else { "" });
    for clause in &declared.requires {
        reader.write("requires ");
        reader.expr(clause);
    }
    reader.enter(body, &declared.results);
    reader.unmet(declared);
    reader.finished()
}

/// What a formula over fields says. None where it speaks of variables that were made up on the way.
pub(crate) fn reading_of(program: &Program, e: &Expr) -> Option<String> {
    let hidden = BTreeSet::new();
    let mut reader = Reader::new(program, &hidden);
    reader.expr(e);
    reader.finished()
}

struct Reader<'a> {
    program: &'a Program,
    /// The parameters that are what the outside answers.
    hidden: &'a BTreeSet<VarId>,
    /// What stands for the parameters of a routine that was followed.
    values: BTreeMap<VarId, Expr>,
    numbers: BTreeMap<VarId, usize>,
    labels: BTreeMap<LabelId, usize>,
    /// The routines whose bodies the statement is in.
    followed: Vec<RoutineRef>,
    text: String,
    /// Whether there was a variable that the program does not have.
    is_open: bool,
}

impl<'a> Reader<'a> {
    fn new(program: &'a Program, hidden: &'a BTreeSet<VarId>) -> Self {
        Reader {
            program,
            hidden,
            values: BTreeMap::new(),
            numbers: BTreeMap::new(),
            labels: BTreeMap::new(),
            followed: Vec::new(),
            text: String::new(),
            is_open: false,
        }
    }

    fn finished(self) -> Option<String> {
        (!self.is_open).then_some(self.text)
    }

    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A body, behind which nothing is done.
    fn enter(&mut self, body: &Block, results: &[VarId]) {
        self.values.extend(constants(body, results));
        let dead = unread(self.program, body);
        self.statements(body, &dead, true);
    }

    /// Parameters and results that nothing was said of matter where there may be no value for them.
    fn unmet(&mut self, routine: &Routine) {
        for (word, named) in [("takes ", &routine.params), ("gives ", &routine.results)] {
            let unmet = named.iter().filter(|var| !self.numbers.contains_key(var));
            let types = unmet.map(|var| &self.program.vars[var.0].ty);
            let types = types.filter(|ty| !always_has_a_value(self.program, ty));
            let types: BTreeSet<String> = types.map(|ty| format!("{ty:?}")).collect();
            self.write(word);
            types.iter().for_each(|ty| self.write(ty));
        }
    }

    fn block(&mut self, block: &[Stmt], dead: &BTreeSet<VarId>, last: bool) {
        self.write("{");
        self.statements(block, dead, last);
        self.write("}");
    }

    /// Statements; `last` where nothing is done behind them.
    fn statements(&mut self, block: &[Stmt], dead: &BTreeSet<VarId>, last: bool) {
        let done = block
            .iter()
            .filter(|stmt| !is_dropped(self.program, stmt, dead) && !self.is_value(stmt));
        let mut done: Vec<&Stmt> = done.collect();
        let returns = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Return);
        while last && done.last().is_some_and(returns) {
            done.pop();
        }
        for (i, stmt) in done.iter().enumerate() {
            self.statement(stmt, dead, last && i + 1 == done.len());
        }
    }

    /// Whether it gives a variable the value that stands for it everywhere.
    fn is_value(&self, stmt: &Stmt) -> bool {
        matches!(&stmt.kind, StmtKind::Assign(Place::Var(var), _) if self.values.contains_key(var))
    }

    fn statement(&mut self, stmt: &Stmt, dead: &BTreeSet<VarId>, last: bool) {
        match &stmt.kind {
            StmtKind::Return => self.write("return "),
            StmtKind::Call {
                targets,
                receiver,
                routine,
                args,
            } => {
                let forgotten = targets.iter().all(|t| is_dead(t, dead));
                if !(last && forgotten && self.follow(receiver, *routine, args)) {
                    self.targets(targets, dead);
                    let _ = write!(self.text, "call {routine:?}");
                    self.expr(receiver);
                    self.exprs(args);
                    self.write(";");
                }
            }
            StmtKind::If(Condition::Expr(condition), then, otherwise) => {
                match self.decided(condition) {
                    Some(true) => self.statements(then, dead, last),
                    Some(false) => self.statements(otherwise, dead, last),
                    None => {
                        self.write("if ");
                        self.expr(condition);
                        self.block(then, dead, last);
                        self.block(otherwise, dead, last);
                    }
                }
            }
            StmtKind::If(Condition::Any, then, otherwise) => {
                self.write("if * ");
                self.block(then, dead, last);
                self.block(otherwise, dead, last);
            }
            kind => {
                self.other(kind, dead);
                self.write(";");
            }
        }
    }

    fn other(&mut self, kind: &StmtKind, dead: &BTreeSet<VarId>) {
        match kind {
            StmtKind::Assign(place, value) => {
                self.place(place, dead);
                self.write(":=");
                self.expr(value);
            }
            StmtKind::Havoc(place) => {
                self.write("havoc ");
                self.place(place, dead);
            }
            StmtKind::Guess(place) => {
                self.write("havoc? ");
                self.place(place, dead);
            }
            StmtKind::New {
                target,
                class,
                constructor,
                args,
            } => {
                self.place(target, dead);
                let _ = write!(self.text, ":=new {class:?} {constructor:?}");
                self.exprs(args);
            }
            StmtKind::NewArray {
                target,
                element,
                length,
                fill,
            } => {
                self.place(target, dead);
                let _ = write!(self.text, ":=new {element:?}[");
                self.expr(length);
                self.exprs(fill.as_slice());
            }
            StmtKind::Assume(e) => {
                self.write("assume ");
                self.expr(e);
            }
            StmtKind::Assert(e) => {
                self.write("assert ");
                self.expr(e);
            }
            StmtKind::While {
                label,
                condition,
                invariants,
                body,
            } => {
                self.label("while ", *label);
                if let Condition::Expr(condition) = condition {
                    self.expr(condition);
                }
                self.exprs(invariants);
                self.block(body, dead, false);
            }
            StmtKind::Labelled(label, body) => {
                self.label("label ", *label);
                self.block(body, dead, false);
            }
            StmtKind::Break(label) => self.label("break ", *label),
            StmtKind::Continue(label) => self.label("continue ", *label),
            StmtKind::Throw(exception) => {
                let _ = write!(self.text, "throw {exception:?}");
            }
            StmtKind::ThrowAgain => self.write("throw again "),
            StmtKind::Try { body, catches } => {
                self.write("try ");
                self.block(body, dead, false);
                for catch in catches {
                    let _ = write!(self.text, "catch {:?}", catch.exceptions);
                    self.block(&catch.body, dead, false);
                }
            }
            StmtKind::Return | StmtKind::Call { .. } | StmtKind::If(..) => {}
        }
    }

    /// Goes on in what is called as the last thing, if that is as good as calling it: it is not checked for anything, and not
    /// followed already.
    fn follow(&mut self, receiver: &Expr, routine: RoutineRef, args: &[Expr]) -> bool {
        let program = self.program;
        let callee = program.routine(routine);
        let promises = |param: &VarId| facts::invariant(&program.vars[param.0].ty).is_some();
        let is_checked = !callee.requires.is_empty() || callee.params.iter().any(promises);
        // A call does not end where there is no value for a result.
        let has_no_value =
            |result: &VarId| !always_has_a_value(program, &program.vars[result.0].ty);
        let may_not_end = callee.results.iter().any(has_no_value);
        let is_own = matches!(*receiver.kind, ExprKind::This);
        let too_deep = self.followed.len() > DEEPEST || self.followed.contains(&routine);
        let Some(body) = &callee.body else {
            return false;
        };
        if is_checked || may_not_end || !is_own || too_deep || self.text.len() > LONGEST {
            return false;
        }
        // An argument may look at what is changed before the parameter is.
        let args: Vec<Expr> = args.iter().map(|arg| self.valued(arg)).collect();
        if !args.iter().all(stays) {
            return false;
        }
        self.values.extend(callee.params.iter().copied().zip(args));
        self.followed.push(routine);
        self.enter(body, &callee.results);
        self.followed.pop();
        true
    }

    /// Which way a condition goes, where that is known and looking at it raises nothing.
    fn decided(&self, condition: &Expr) -> Option<bool> {
        if !may_raise(self.program, condition).is_empty() {
            return None;
        }
        match *self.valued(condition).kind {
            ExprKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// With what stands for the parameters of routines that were followed.
    fn valued(&self, e: &Expr) -> Expr {
        match &*e.kind {
            ExprKind::Var(var) => self.values.get(var).unwrap_or(e).clone(),
            _ => formula::map_children(e, |part| self.valued(part)),
        }
    }

    fn label(&mut self, word: &str, label: LabelId) {
        let next = self.labels.len();
        let number = *self.labels.entry(label).or_insert(next);
        let _ = write!(self.text, "{word}{number} ");
    }

    fn targets(&mut self, targets: &[Place], dead: &BTreeSet<VarId>) {
        for target in targets {
            self.place(target, dead);
        }
        self.write(":=");
    }

    fn place(&mut self, place: &Place, dead: &BTreeSet<VarId>) {
        match place {
            Place::Var(var) if dead.contains(var) => {
                let _ = write!(self.text, "_:{:?} ", self.program.vars[var.0].ty);
            }
            Place::Var(var) => self.var(*var),
            Place::Field(object, field) => {
                self.expr(object);
                let _ = write!(self.text, ".{field:?} ");
            }
            Place::Element(array, at) => {
                self.expr(array);
                self.expr(at);
                self.write("[] ");
            }
        }
    }

    fn var(&mut self, var: VarId) {
        let next = self.numbers.len();
        match self.numbers.get(&var) {
            Some(number) => {
                let _ = write!(self.text, "v{number} ");
            }
            None => {
                self.numbers.insert(var, next);
                let hidden = if self.hidden.contains(&var) {
                    "hidden"
                } else {
                    ""
                };
                match self.program.vars.get(var.0) {
                    Some(Var { ty, .. }) => {
                        let _ = write!(self.text, "v{next}:{hidden}{ty:?} ");
                    }
                    None => self.is_open = true,
                }
            }
        }
    }

    fn exprs(&mut self, list: &[Expr]) {
        self.write("(");
        for e in list {
            self.expr(e);
        }
        self.write(")");
    }

    /// Operators behind their operands, of which each has so many: so no parentheses are needed.
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Var(var) = &*e.kind {
            match self.values.get(var).cloned() {
                Some(value) => self.expr(&value),
                None => self.var(*var),
            }
            return;
        }
        if let ExprKind::Quantified(quantifier, vars, body) = &*e.kind {
            let _ = write!(self.text, "{quantifier:?} ");
            vars.iter().for_each(|var| self.var(*var));
            // What it goes on to has an end.
            self.write("[");
            self.expr(body);
            self.write("]");
            return;
        }
        e.children().into_iter().for_each(|part| self.expr(part));
        let _ = match &*e.kind {
            ExprKind::Int(value) => write!(self.text, "{value}"),
            ExprKind::Bool(value) => write!(self.text, "{value}"),
            ExprKind::Member(of, value) => write!(self.text, "{of:?}{value}"),
            ExprKind::Named(of, value) => write!(self.text, "{of:?}{value}"),
            ExprKind::Null => write!(self.text, "null"),
            ExprKind::This => write!(self.text, "this"),
            ExprKind::Field(_, field) => write!(self.text, "{field:?}"),
            ExprKind::Length(_) => write!(self.text, "length"),
            ExprKind::Element(..) => write!(self.text, "element"),
            ExprKind::Select(..) => write!(self.text, "select"),
            ExprKind::Everywhere(_) => write!(self.text, "everywhere"),
            ExprKind::Store(..) => write!(self.text, "store"),
            ExprKind::Call { function, args, .. } => {
                write!(self.text, "{function:?}/{}", args.len())
            }
            ExprKind::Convert(_) => write!(self.text, "convert"),
            ExprKind::Neg(_) => write!(self.text, "neg"),
            ExprKind::Not(_) => write!(self.text, "not"),
            ExprKind::Binary(op, ..) => write!(self.text, "{op:?}"),
            ExprKind::Compare(op, ..) => write!(self.text, "{op:?}"),
            ExprKind::If(..) => write!(self.text, "if"),
            ExprKind::Old(_) => write!(self.text, "old"),
            ExprKind::Var(_) | ExprKind::Quantified(..) => Ok(()),
        };
        // Arithmetic wraps into the type of the expression.
        let _ = write!(self.text, ":{:?} ", e.ty);
    }
}

/// Whether the value of an argument is the same whatever is done behind the call.
fn stays(arg: &Expr) -> bool {
    is_constant(arg) || matches!(*arg.kind, ExprKind::Var(_))
}

fn is_constant(e: &Expr) -> bool {
    matches!(
        *e.kind,
        ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Member(..)
            | ExprKind::Named(..)
            | ExprKind::Null
            | ExprKind::This
    )
}

/// Whether there is a value of the type in every configuration.
fn always_has_a_value(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Int | Type::Nat | Type::Within(_) | Type::Bool | Type::Machine(_) => true,
        Type::Opaque(_) | Type::Null => true,
        Type::Class { nullable, .. } | Type::Array { nullable, .. } => *nullable,
        Type::Enum(id) => !program.enums[id.0].members.is_empty(),
        Type::Map(_, value) => always_has_a_value(program, value),
    }
}
