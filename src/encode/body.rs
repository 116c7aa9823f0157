//! Bodies of routines as Boogie statements.
//!
//! What Boogie does not have is spelt out:
//! - an exception is the out-parameter `thrown`: to raise one is to set it and leave, by `goto` to the nearest
//!   handler or by `return`;
//! - an operation that may fail is preceded by the test that raises its exception;
//! - every nondeterministic choice is recorded where it is made, so that a trace can be replayed.

use std::collections::BTreeSet;

use crate::lang::ast::CompareOp;
use crate::lang::effects::Effects;
use crate::lang::formula::{self, Substitution};
use crate::lang::ir::{
    BuiltinException, ClassId, Condition, ExceptionId, Expr, ExprKind, FieldRef, Place, Program,
    RoutineRef, Stmt, StmtKind, Type, VarId,
};

use super::expr::ExprEncoder;
use super::guard::parameter_fact;
use super::layout::Layout;
use super::lines::Lines;
use super::names::Names;
use super::routine::{exception_name, initial_values, invariant_of, procedure_name};
use super::term::Term;

/// Encodes one body.
pub struct BodyEncoder<'a> {
    layout: &'a Layout<'a>,
    effects: &'a Effects,
    names: Names,
    /// Local variables of the Boogie procedure, with their types, in the order needed.
    locals: Vec<(String, String)>,
    declared: BTreeSet<VarId>,
    out: Lines,
    /// The labels of the handlers around this point, innermost last.
    handlers: Vec<String>,
    /// The labels that `continue` goes to, innermost last; the flag says whether it is used.
    loops: Vec<(String, bool)>,
    labels: usize,
    /// Whether `thrown` occurs.
    throws: bool,
}

/// A finished body.
pub struct EncodedBody {
    /// Local variables with their types.
    pub locals: Vec<(String, String)>,
    /// The statements.
    pub text: String,
    /// Whether `thrown` occurs: also where every exception is caught inside.
    pub throws: bool,
}

impl<'a> BodyEncoder<'a> {
    /// For a procedure whose parameters and results are named already.
    pub fn new(
        layout: &'a Layout<'a>,
        effects: &'a Effects,
        names: Names,
        declared: BTreeSet<VarId>,
    ) -> Self {
        BodyEncoder {
            layout,
            effects,
            names,
            locals: Vec::new(),
            declared,
            out: Lines::indented(1),
            handlers: Vec::new(),
            loops: Vec::new(),
            labels: 0,
            throws: false,
        }
    }

    /// The encoded text.
    pub fn finish(self) -> EncodedBody {
        EncodedBody {
            locals: self.locals,
            text: self.out.finish(),
            throws: self.throws,
        }
    }

    fn program(&self) -> &'a Program {
        self.layout.program
    }

    fn exprs(&self) -> ExprEncoder<'_> {
        ExprEncoder::new(self.layout, &self.names)
    }

    fn term(&self, e: &Expr) -> Term {
        self.exprs().encode(e)
    }

    /// Writes one line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.out.line(text.as_ref());
    }

    /// Adds a local variable of the Boogie procedure.
    pub fn declare_local(&mut self, name: &str, boogie_type: &str) {
        self.locals
            .push((name.to_string(), boogie_type.to_string()));
    }

    /// An arbitrary value for a variable of the source, recorded.
    pub fn choose_var(&mut self, id: VarId) {
        self.choose(&Place::Var(id));
    }

    /// An arbitrary value for a place, recorded.
    pub fn choose_place(&mut self, place: &Place) {
        self.choose(place);
    }

    /// That a variable has a value of its declared type, where it is not assigned first.
    pub fn assume_declared(&mut self, id: VarId) {
        let value = Term::atom(self.names.of(self.program(), id));
        let ty = &self.program().var(id).ty;
        self.assume_value(ty, &value);
    }

    fn assume_value(&mut self, ty: &Type, value: &Term) {
        let facts = self.layout.typing(ty, value);
        let facts = facts.into_iter().chain(self.layout.promise(ty, value));
        let facts: Vec<Term> = facts.collect();
        if !facts.is_empty() {
            self.line(format!("assume {};", Term::all(facts)));
        }
    }

    /// `assume e;` for a formula that is always defined.
    pub fn assume(&mut self, e: &Expr) {
        self.reads(e);
        let term = self.term(e);
        self.line(format!("assume {term};"));
    }

    /// Either goes on, or does what is given and raises the exception.
    pub fn may_throw(&mut self, exception: ExceptionId, before: impl FnOnce(&mut Self)) {
        let choice = self.temporary("throws", &Type::Bool);
        self.choose_variable(&choice, &Type::Bool);
        self.open(format!("if ({choice}) {{"));
        before(self);
        self.raise(exception);
        self.close("}");
    }

    /// A block of statements. What follows a statement that never continues is dead, and left out.
    pub fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
            if matches!(
                stmt.kind,
                StmtKind::Return | StmtKind::Throw(_) | StmtKind::Break | StmtKind::Continue
            ) {
                break;
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                self.evaluate_operands(place);
                self.evaluate(value);
                self.check_place(place);
                let value = self.term(value);
                self.assign(place, value);
            }
            StmtKind::Havoc(place) => {
                self.evaluate_operands(place);
                self.check_place(place);
                self.choose(place);
            }
            StmtKind::Call {
                targets,
                receiver,
                routine,
                args,
            } => self.call(targets, receiver, *routine, args),
            StmtKind::New {
                target,
                class,
                constructor,
                args,
            } => self.new_object(target, *class, *constructor, args),
            StmtKind::NewArray {
                target,
                element,
                length,
            } => self.new_array(target, element, length),
            StmtKind::Assume(e) => {
                self.evaluate(e);
                let term = self.term(e);
                self.line(format!("assume {term};"));
            }
            StmtKind::Assert(e) => {
                self.evaluate(e);
                let fails = self.term(&formula::not(e.clone()));
                self.raise_if(fails, BuiltinException::AssertionFailure.id());
            }
            StmtKind::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
            StmtKind::While {
                condition, body, ..
            } => self.repeat(condition, body),
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => {
                if let Some((label, used)) = self.loops.last_mut() {
                    *used = true;
                    let jump = format!("goto {label};");
                    self.line(jump);
                }
            }
            StmtKind::Return => self.line("return;"),
            StmtKind::Throw(exception) => self.raise(*exception),
            StmtKind::Try { body, catches } => self.attempt(body, catches),
        }
    }

    /// Raises whatever evaluating the expression raises.
    fn evaluate(&mut self, e: &Expr) {
        for hazard in formula::hazards(self.program(), e) {
            self.reads(&hazard.when);
            let when = self.term(&hazard.when);
            self.raise_if(when, hazard.exception.id());
        }
        self.reads(e);
    }

    /// Says of every reference read from the heap that it leads to an object.
    fn reads(&mut self, e: &Expr) {
        for fact in self.exprs().closed_reads(e) {
            self.line(format!("assume {fact};"));
        }
    }

    /// The operands of a place are looked at before the value, the place itself after it.
    fn evaluate_operands(&mut self, place: &Place) {
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
    fn settle(&mut self, place: &Place) -> Place {
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

    fn check_place(&mut self, place: &Place) {
        match place {
            Place::Var(_) => {}
            Place::Field(object, _) => self.check_not_null(object),
            Place::Element(array, index) => {
                self.check_not_null(array);
                let length = formula::expr(ExprKind::Length(array.clone()), Type::Int);
                let outside = Term::binary(
                    "||",
                    Term::binary("<", self.term(index), Term::atom("0")),
                    Term::binary(">=", self.term(index), self.term(&length)),
                );
                self.raise_if(outside, BuiltinException::IndexOutOfRange.id());
            }
        }
    }

    fn check_not_null(&mut self, object: &Expr) {
        if !matches!(*object.kind, ExprKind::This) {
            let is_null = Term::binary("==", self.term(object), Term::atom("null"));
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
                let global = self.layout.field(*field);
                if self.layout.in_heap(field.class) {
                    format!("{global}[{}]", self.term(object))
                } else {
                    global
                }
            }
            Place::Element(array, index) => {
                let name = self.exprs().array_of(array);
                format!(
                    "{name}.elements[{}][{}]",
                    self.term(array),
                    self.term(index)
                )
            }
        }
    }

    fn assign(&mut self, place: &Place, value: Term) {
        let target = self.target(place);
        self.line(format!("{target} := {value};"));
    }

    fn declare(&mut self, id: VarId) {
        if self.declared.insert(id) {
            let name = self.names.of(self.program(), id);
            let ty = self.layout.boogie_type(&self.program().var(id).ty);
            self.locals.push((name, ty));
        }
    }

    fn place_type(&self, place: &Place) -> Type {
        match place {
            Place::Var(id) => self.program().var(*id).ty.clone(),
            Place::Field(_, field) => self.program().field(*field).ty.clone(),
            Place::Element(array, _) => match &array.ty {
                Type::Array { element, .. } => (**element).clone(),
                _ => Type::Int,
            },
        }
    }

    /// An arbitrary value of the place's type, recorded.
    fn choose(&mut self, place: &Place) {
        let ty = self.place_type(place);
        let name = match place {
            Place::Var(id) => {
                self.declare(*id);
                self.names.of(self.program(), *id)
            }
            _ => self.temporary("chosen", &ty),
        };
        self.choose_variable(&name, &ty);
        if !matches!(place, Place::Var(_)) {
            self.assign(place, Term::atom(name));
        }
    }

    /// An arbitrary value of a type in a Boogie variable, recorded.
    pub fn choose_variable(&mut self, name: &str, ty: &Type) {
        self.line(format!("havoc {name};"));
        let value = Term::atom(name);
        self.assume_value(ty, &value);
        if let Some(record) = record(ty, name, &value) {
            self.line(record);
        }
    }

    /// A new local variable of the Boogie procedure.
    fn temporary(&mut self, base: &str, ty: &Type) -> String {
        let name = self.names.fresh(&format!("{base}#"));
        self.locals
            .push((name.clone(), self.layout.boogie_type(ty)));
        name
    }

    /// Sets the exception and leaves.
    fn raise(&mut self, exception: ExceptionId) {
        self.throws = true;
        self.line(format!(
            "thrown := {};",
            exception_name(self.program(), exception)
        ));
        self.leave();
    }

    /// Leaves with the exception that is set.
    fn leave(&mut self) {
        match self.handlers.last() {
            Some(label) => {
                let jump = format!("goto {label};");
                self.line(jump);
            }
            None => self.line("return;"),
        }
    }

    fn raise_if(&mut self, condition: Term, exception: ExceptionId) {
        self.open(format!("if ({condition}) {{"));
        self.raise(exception);
        self.close("}");
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

    /// The condition of a branch in Boogie; a free choice is made, and recorded, before it.
    fn condition(&mut self, condition: &Condition) -> Term {
        match condition {
            Condition::Any => {
                let name = self.temporary("choice", &Type::Bool);
                self.choose_variable(&name, &Type::Bool);
                Term::atom(name)
            }
            Condition::Expr(e) => {
                self.evaluate(e);
                self.term(e)
            }
        }
    }

    fn branch(&mut self, condition: &Condition, then: &[Stmt], otherwise: &[Stmt]) {
        let condition = self.condition(condition);
        self.open(format!("if ({condition}) {{"));
        self.block(then);
        if !otherwise.is_empty() {
            self.close("} else {");
            self.out.indent();
            self.block(otherwise);
        }
        self.close("}");
    }

    fn repeat(&mut self, condition: &Condition, body: &[Stmt]) {
        let label = self.label("continue");
        let plain = match condition {
            Condition::Any => false,
            Condition::Expr(e) => {
                formula::hazards(self.program(), e).is_empty()
                    && self.exprs().closed_reads(e).is_empty()
            }
        };
        if plain {
            let condition = self.condition(condition);
            self.open(format!("while ({condition}) {{"));
        } else {
            // The condition raises or chooses something: it is worked out inside the loop.
            self.open("while (true) {");
            let condition = self.condition(condition);
            self.open(format!("if ({}) {{", Term::not(condition)));
            self.line("break;");
            self.close("}");
        }
        self.loops.push((label.clone(), false));
        self.block(body);
        if self.loops.pop().is_some_and(|(_, used)| used) {
            self.out.dedent();
            self.line(format!("{label}:"));
            self.out.indent();
        }
        self.close("}");
        if !self.loops.is_empty() {
            // Boogie 2.4 loses the executions that leave a loop by `break` where nothing comes behind the loop in the
            // body of an outer one.
            self.line("assume true;");
        }
    }

    /// `try`: the body with a handler behind it, which a normal end passes with `thrown` still unset.
    fn attempt(&mut self, body: &[Stmt], catches: &[(ExceptionId, Vec<Stmt>)]) {
        self.throws = true;
        let label = self.label("catch");
        self.handlers.push(label.clone());
        self.block(body);
        self.handlers.pop();
        self.out.dedent();
        self.line(format!("{label}:"));
        self.out.indent();
        let mut first = true;
        for (exception, handler) in catches {
            let test = format!(
                "if (thrown == {}) {{",
                exception_name(self.program(), *exception)
            );
            if first {
                self.open(test);
            } else {
                self.close(&format!("}} else {test}"));
                self.out.indent();
            }
            first = false;
            self.line("thrown := Exception.none;");
            self.block(handler);
        }
        let rest = "if (thrown != Exception.none) {";
        if first {
            self.open(rest);
        } else {
            self.close(&format!("}} else {rest}"));
            self.out.indent();
        }
        self.leave();
        self.close("}");
    }

    fn call(&mut self, targets: &[Place], receiver: &Expr, routine: RoutineRef, args: &[Expr]) {
        let targets: Vec<Place> = targets.iter().map(|target| self.settle(target)).collect();
        self.evaluate(receiver);
        self.check_not_null(receiver);
        for arg in args {
            self.evaluate(arg);
        }
        self.check_requires(receiver, routine, args);
        let outs = self.invoke(receiver, routine, args);
        for target in &targets {
            self.check_place(target);
        }
        for (target, out) in targets.iter().zip(outs) {
            self.assign(target, Term::atom(out));
        }
    }

    fn check_requires(&mut self, receiver: &Expr, routine: RoutineRef, args: &[Expr]) {
        let declared = self.program().routine(routine);
        let substitution = Substitution {
            vars: declared
                .params
                .iter()
                .copied()
                .zip(args.iter().cloned())
                .collect(),
            this: Some(receiver.clone()),
        };
        let program = self.program();
        let facts = declared
            .params
            .iter()
            .filter_map(|p| parameter_fact(program, *p));
        let clauses = declared
            .requires
            .iter()
            .map(|r| formula::clause(program, r));
        let requires = formula::all(facts.chain(clauses).map(|e| substitution.apply(&e)));
        let violated = formula::not(requires);
        if !formula::is_bool(&violated, false) {
            self.reads(&violated);
            let violated = self.term(&violated);
            self.raise_if(violated, BuiltinException::RequiresViolation.id());
        }
    }

    /// Calls the Boogie procedure of a routine; its results are in fresh variables, whose names are returned.
    fn invoke(&mut self, receiver: &Expr, routine: RoutineRef, args: &[Expr]) -> Vec<String> {
        let declared = self.program().routine(routine);
        let mut actuals = Vec::new();
        if self.layout.in_heap(routine.class) {
            actuals.push(self.term(receiver).to_string());
        }
        actuals.extend(args.iter().map(|arg| self.term(arg).to_string()));
        let results: Vec<String> = declared
            .results
            .iter()
            .map(|result| {
                let var = self.program().var(*result);
                self.temporary(&var.name.clone(), &var.ty)
            })
            .collect();
        let throws = !self.effects.routine(routine).throws.is_empty();
        let mut outs = results.clone();
        if throws {
            self.throws = true;
            outs.push("thrown".into());
        }
        let assignment = if outs.is_empty() {
            String::new()
        } else {
            format!("{} := ", outs.join(", "))
        };
        let name = procedure_name(self.program(), routine);
        self.line(format!("call {assignment}{name}({});", actuals.join(", ")));
        if throws {
            self.open("if (thrown != Exception.none) {");
            self.leave();
            self.close("}");
        }
        results
    }

    fn new_object(
        &mut self,
        target: &Place,
        class: ClassId,
        constructor: Option<RoutineRef>,
        args: &[Expr],
    ) {
        let target = &self.settle(target);
        for arg in args {
            self.evaluate(arg);
        }
        let ty = Type::Class {
            class,
            nullable: false,
        };
        let counter = self.layout.objects(class);
        let object = self.temporary("new", &ty);
        let this = self.variable_expr(&object, &ty);
        if let Some(constructor) = constructor {
            self.check_requires(&this, constructor, args);
        }
        self.line(format!("{counter} := {counter} + 1;"));
        self.line(format!("{object} := {counter};"));
        self.start_fields(&this, class);
        match constructor {
            Some(constructor) => {
                self.invoke(&this, constructor, args);
            }
            None => {
                initial_values(self.layout, self, &this, class);
                let program = self.program();
                let substitution = Substitution {
                    this: Some(this.clone()),
                    ..Substitution::default()
                };
                for e in &program.class(class).initially {
                    self.assume(&substitution.apply(&formula::clause(program, e)));
                }
                let (invariant, reads) = invariant_of(self.layout, &mut self.names, class, &this);
                for fact in reads.iter().chain(&invariant) {
                    self.line(format!("assume {fact};"));
                }
            }
        }
        self.check_place(target);
        self.assign(target, Term::atom(object));
    }

    /// A new object's fields have arbitrary values of their types.
    fn start_fields(&mut self, this: &Expr, class: ClassId) {
        let fields = self.program().class(class).fields.iter().enumerate();
        for (index, field) in fields.filter(|(_, field)| field.value.is_none()) {
            let value = self.exprs().field(this, FieldRef { class, index });
            match field.ty {
                // Whatever is in their cells stands for a value.
                Type::Machine(_) | Type::Enum(_) => {}
                _ => self.assume_value(&field.ty, &value),
            }
        }
    }

    fn new_array(&mut self, target: &Place, element: &Type, length: &Expr) {
        let target = &self.settle(target);
        self.evaluate(length);
        let negative = formula::compare(CompareOp::Lt, length.clone(), formula::int(0));
        if !formula::is_bool(&negative, false) {
            let negative = self.term(&negative);
            self.raise_if(negative, BuiltinException::NegativeLength.id());
        }
        let length = self.term(length);
        self.check_place(target);
        let name = self.layout.array(element);
        self.line(format!("{name}.alloc := {name}.alloc + 1;"));
        self.line(format!("{name}.length[{name}.alloc] := {length};"));
        let array = Term::atom(format!("{name}.alloc"));
        if let Some(fact) = self.layout.every_element(element, &array) {
            self.line(format!("assume {fact};"));
        }
        self.assign(target, array);
    }

    /// A Boogie variable as an expression of the input language.
    fn variable_expr(&mut self, name: &str, ty: &Type) -> Expr {
        let id = self.names.alias(name);
        formula::expr(ExprKind::Var(id), ty.clone())
    }
}

/// The statement that records a value on the trace, for the types whose values an engine can print.
pub fn record(ty: &Type, label: &str, value: &Term) -> Option<String> {
    let kind = match ty {
        Type::Bool => "bool",
        Type::Map(..) | Type::Opaque(_) => return None,
        _ => "int",
    };
    Some(format!(
        "call {{:cexpr \"{label}\"}} boogie_si_record_{kind}({value});"
    ))
}
