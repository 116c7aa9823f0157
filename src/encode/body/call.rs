//! Calls, new objects and new arrays.

use super::BodyEncoder;
use crate::encode::routine::{Part, initial_values, invariant_of, procedure_name};
use crate::encode::term::BoogieTerm;
use crate::ir::CompareOp;
use crate::ir::guard::parameter_fact;
use crate::ir::{BuiltinException, ClassId, Expr, ExprKind, FieldRef, Place, RoutineRef, Type};
use crate::ir::{formula, formula::Substitution};

impl BodyEncoder<'_> {
    pub(super) fn call(
        &mut self,
        targets: &[Place],
        receiver: &Expr,
        routine: RoutineRef,
        args: &[Expr],
    ) {
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
            self.assign(target, BoogieTerm::atom(out));
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
        let (outside, clauses): (Vec<&Expr>, Vec<&Expr>) = declared
            .written_requires()
            .iter()
            .partition(|clause| declared.is_about_outside(clause));
        let clauses = clauses.into_iter().map(|r| formula::clause(program, r));
        let requires = formula::all(facts.chain(clauses).map(|e| substitution.apply(&e)));
        let violated = formula::not(requires);
        if !formula::is_bool(&violated, false) {
            self.reads(&violated);
            let violated = self.term(&violated);
            self.raise_if(violated, BuiltinException::RequiresViolation.id());
        }
        for clause in outside {
            self.assume(&substitution.apply(&formula::clause(self.program(), clause)));
        }
    }

    /// Calls the Boogie procedure of a routine; its results are in fresh variables, whose names are returned.
    fn invoke(&mut self, receiver: &Expr, routine: RoutineRef, args: &[Expr]) -> Vec<String> {
        let declared = self.program().routine(routine);
        let mut actuals = Vec::new();
        if self.storage.in_heap(routine.class) {
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

    pub(super) fn new_object(
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
        let counter = self.storage.objects(class);
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
                initial_values(self.storage, self, &this, class);
                let program = self.program();
                let substitution = Substitution {
                    this: Some(this.clone()),
                    ..Substitution::default()
                };
                for e in &program.class(class).initially {
                    self.assume(&substitution.apply(&formula::clause(program, e)));
                }
                let (invariant, reads) =
                    invariant_of(self.storage, &mut self.names, (class, Part::Whole), &this);
                for fact in reads.iter().chain(&invariant) {
                    self.line(format!("assume {fact};"));
                }
            }
        }
        self.check_place(target);
        self.assign(target, BoogieTerm::atom(object));
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

    pub(super) fn new_array(
        &mut self,
        target: &Place,
        element: &Type,
        length: &Expr,
        fill: Option<&Expr>,
    ) {
        let target = &self.settle(target);
        self.evaluate(length);
        if let Some(fill) = fill {
            self.evaluate(fill);
        }
        let negative = formula::compare(CompareOp::Lt, length.clone(), formula::int(0));
        if !formula::is_bool(&negative, false) {
            let negative = self.term(&negative);
            self.raise_if(negative, BuiltinException::NegativeLength.id());
        }
        let length = self.term(length);
        let fill = fill.map(|fill| self.exprs().everywhere("int", fill).to_string());
        self.check_place(target);
        let name = self.storage.array(element);
        self.line(format!("{name}.alloc := {name}.alloc + 1;"));
        self.line(format!("{name}.length[{name}.alloc] := {length};"));
        let array = BoogieTerm::atom(format!("{name}.alloc"));
        match fill {
            Some(fill) => self.line(format!("{name}.elements[{array}] := {fill};")),
            None => {
                if let Some(fact) = self.storage.every_element(element, &array) {
                    self.line(format!("assume {fact};"));
                }
            }
        }
        self.assign(target, array);
    }

    /// A Boogie variable as an expression of the input language.
    pub(super) fn variable_expr(&mut self, name: &str, ty: &Type) -> Expr {
        let id = self.names.alias(name);
        formula::expr(ExprKind::Var(id), ty.clone())
    }
}
