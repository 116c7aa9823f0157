//! Methods of the class library that are as well known as operators.

use super::body::Lowerer;
use super::exceptions::{INDEX, OUT_OF_BOUNDS, Raised};
use super::shape::Shape;
use crate::front::java::classfile::MethodRef;
use crate::front::java::tree::{Invocation, JavaExpr, VariableId};
use crate::front::java::types::JavaType;
use crate::front::tq::ast::{self, ExprSyntaxKind};
use crate::front::tq::build::{
    self, and, assign, binary, choice, compare, conditional, dot, int, name, not, throw,
};
use crate::ir::{BinaryOp, CompareOp};

/// Of enums with more constants than this it is not said which place each has: it takes a condition within a condition for each.
pub(super) const MOST_CONSTANTS: usize = 100;

/// Which positions a method of `Objects` checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexCheck {
    /// One.
    One,
    /// Those from one to before another.
    FromTo,
    /// So many from one.
    FromSize,
}

impl IndexCheck {
    /// What a method checks, if it is one of these.
    pub(super) fn of(method: &MethodRef) -> Option<IndexCheck> {
        // The JDK's own classes call what stands behind those of `Objects`.
        let owners = ["java/util/Objects", "jdk/internal/util/Preconditions"];
        let is = |name| owners.iter().any(|owner| method.is(owner, name));
        match () {
            () if is("checkIndex") => Some(IndexCheck::One),
            () if is("checkFromToIndex") => Some(IndexCheck::FromTo),
            () if is("checkFromIndexSize") => Some(IndexCheck::FromSize),
            () => None,
        }
    }
}

impl Lowerer<'_> {
    /// Does what such a method does, if the call is one of it.
    pub(super) fn standard(&mut self, result: Option<VariableId>, call: &Invocation) -> bool {
        self.ordinal(result, call)
            || self.require_non_null(result, call)
            || self.smaller_or_larger(result, call)
            || self.new_length(result, call)
            || self.checked_index(result, call)
            || self.array_copied(result, call)
            || self.array_copy(call)
    }

    /// `e.ordinal()` of an enum that is known.
    fn ordinal(&mut self, result: Option<VariableId>, call: &Invocation) -> bool {
        let (Some(variable), Some(object)) = (result, &call.receiver) else {
            return false;
        };
        if &*call.method.name != "ordinal" || !call.arguments.is_empty() {
            return false;
        }
        let value = self.not_null(object);
        let Shape::Enum(class) = &value.shape else {
            return false;
        };
        let Some(found) = self.class.types.get(class).cloned() else {
            return false;
        };
        if found.constants.len() > MOST_CONSTANTS {
            return false;
        }
        let constants = found.constants.iter().enumerate().rev();
        let place = constants.fold(build::int(-1), |rest, (at, (_, constant))| {
            let at = build::int(u32::try_from(at).unwrap_or(u32::MAX));
            let is = build::equal(value.e.clone(), build::dot(name(&found.name), constant));
            build::choice(is, at, rest)
        });
        let here = self.locals[variable.index()].0.clone();
        self.out.push(assign(name(&here), place));
        true
    }

    /// `Objects.requireNonNull(o)`, which is how careful code says that it does not take null.
    fn require_non_null(&mut self, result: Option<VariableId>, call: &Invocation) -> bool {
        let (Some(object), true) = (
            call.arguments.first(),
            call.method.is("java/util/Objects", "requireNonNull"),
        ) else {
            return false;
        };
        let value = self.not_null(object);
        if let Some(variable) = result {
            let (here, shape) = self.locals[variable.index()].clone();
            let value = self.fit(value, &shape);
            self.out.push(assign(name(&here), value));
        }
        true
    }

    /// `Math.min(a, b)` and `Math.max(a, b)` of integers.
    fn smaller_or_larger(&mut self, result: Option<VariableId>, call: &Invocation) -> bool {
        let op = match &*call.method.name {
            "min" => CompareOp::Le,
            "max" => CompareOp::Ge,
            _ => return false,
        };
        let is_whole = matches!(
            call.method.signature.result,
            Some(JavaType::Int | JavaType::Long)
        );
        let is_it = is_whole && call.method.class().is("java/lang/Math");
        let (true, Some(variable), [a, b]) = (is_it, result, call.arguments.as_slice()) else {
            return false;
        };
        let (a, b) = (self.held_number(a), self.held_number(b));
        let chosen = choice(compare(op, a.clone(), b.clone()), a, b);
        let here = self.locals[variable.index()].0.clone();
        self.out.push(assign(name(&here), chosen));
        true
    }

    /// `ArraysSupport.newLength(n, growth, wanted)`, by which the JDK's own classes have arrays grow.
    fn new_length(&mut self, result: Option<VariableId>, call: &Invocation) -> bool {
        let is_it = call
            .method
            .is("jdk/internal/util/ArraysSupport", "newLength");
        let (true, Some(variable), [length, growth, wanted]) =
            (is_it, result, call.arguments.as_slice())
        else {
            return false;
        };
        let (length, growth, wanted) = (
            self.held_number(length),
            self.held_number(growth),
            self.held_number(wanted),
        );
        let grows = compare(CompareOp::Ge, growth.clone(), wanted.clone());
        let by = choice(grows, growth, wanted);
        let here = self.locals[variable.index()].0.clone();
        let sum = binary(BinaryOp::Add, length, by);
        self.out.push(assign(name(&here), sum));
        true
    }

    /// `Objects.checkIndex(i, n)` and its like, which is how careful code refuses a position.
    fn checked_index(&mut self, result: Option<VariableId>, call: &Invocation) -> bool {
        let Some(check) = IndexCheck::of(&call.method) else {
            return false;
        };
        let arguments = call.arguments.iter().map(|e| self.held_number(e));
        let arguments: Vec<ast::ExprSyntax> = arguments.collect();
        let (op, first, least, end, length) = match (check, arguments.as_slice()) {
            (IndexCheck::One, [at, length, ..]) => (CompareOp::Lt, at, None, at.clone(), length),
            (IndexCheck::FromTo, [from, to, length, ..]) => {
                let ordered = compare(CompareOp::Le, from.clone(), to.clone());
                (CompareOp::Le, from, Some(ordered), to.clone(), length)
            }
            (IndexCheck::FromSize, [from, size, length, ..]) => {
                let some = compare(CompareOp::Ge, size.clone(), int(0));
                let end = binary(BinaryOp::Add, from.clone(), size.clone());
                (CompareOp::Le, from, Some(some), end, length)
            }
            _ => return false,
        };
        let begins = compare(CompareOp::Ge, first.clone(), int(0));
        let ends = compare(op, end, length.clone());
        let all = least.into_iter().fold(begins, and);
        let raised = self.exception(&Raised::by_operation(OUT_OF_BOUNDS));
        let refused = vec![throw(&raised)];
        self.out
            .push(conditional(not(and(all, ends)), refused, vec![]));
        if let Some(variable) = result {
            let here = self.locals[variable.index()].0.clone();
            self.out.push(assign(name(&here), first.clone()));
        }
        true
    }

    /// `System.arraycopy(from, at, to, at, n)`, which raises an exception where there are not so many elements.
    fn array_copy(&mut self, call: &Invocation) -> bool {
        let (true, [from, from_at, to, to_at, count]) = (
            call.method.is("java/lang/System", "arraycopy"),
            call.arguments.as_slice(),
        ) else {
            return false;
        };
        if !(self.is_array(from) && self.is_array(to)) {
            return false;
        }
        let (from, to) = (self.array(from), self.array(to));
        let (from_at, to_at, count) = (
            self.held_number(from_at),
            self.held_number(to_at),
            self.held_number(count),
        );
        let numbers = [&from_at, &to_at, &count];
        let numbers = numbers.into_iter().filter(|e| !is_zero(e));
        let numbers = numbers.map(|e| compare(CompareOp::Ge, e.clone(), int(0)));
        let fits = |array: ast::ExprSyntax, at: &ast::ExprSyntax| {
            let end = match is_zero(at) {
                true => count.clone(),
                false => binary(BinaryOp::Add, at.clone(), count.clone()),
            };
            compare(CompareOp::Le, end, dot(array, "length"))
        };
        let all = numbers.chain([fits(from, &from_at), fits(to, &to_at)]);
        let Some(all) = all.reduce(and) else {
            return false;
        };
        let raised = self.exception(&Raised::by_operation(INDEX));
        self.out
            .push(conditional(not(all), vec![throw(&raised)], vec![]));
        true
    }

    /// `Arrays.copyOf(array, n)`: a new array of that length.
    fn array_copied(&mut self, result: Option<VariableId>, call: &Invocation) -> bool {
        let (true, Some(variable), [array, length, ..]) = (
            call.method.is("java/util/Arrays", "copyOf"),
            result,
            call.arguments.as_slice(),
        ) else {
            return false;
        };
        let (here, shape) = self.locals[variable.index()].clone();
        if shape != Shape::Array || !self.is_array(array) {
            return false;
        }
        self.array(array);
        let length = self.value_as(length, &Shape::Int);
        self.new_array(name(&here), length);
        true
    }

    /// A number that is spoken of more than once.
    fn held_number(&mut self, e: &JavaExpr) -> ast::ExprSyntax {
        let e = self.value_as(e, &Shape::Int);
        self.held(e, &Shape::Int)
    }

    /// Whether an expression is an array whose length is known.
    fn is_array(&self, e: &JavaExpr) -> bool {
        let is_array = matches!(e.ty(&self.body.variables), Some(JavaType::Array(_)));
        is_array && self.knows_array(e)
    }
}

fn is_zero(e: &ast::ExprSyntax) -> bool {
    matches!(&*e.kind, ExprSyntaxKind::Int(n) if n == &0.into())
}
