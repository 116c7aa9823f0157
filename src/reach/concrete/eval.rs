//! The value of an expression.

use std::cell::Cell;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::map::MapValue;
use super::{Value, bits};
use crate::boogie::ast::{BinOp, ChainOp, QuantKind};
use crate::boogie::typed::{
    BoogieType, ConstId, FunctionId, SolverFunction, TypedExpr, TypedExprKind, TypedProgram,
    VariableRef,
};

/// How many definitions of functions are gone into, one within the other.
const DEPTH: usize = 50;

/// How many expressions are evaluated for one, definitions gone into.
const EXPRESSIONS: usize = 1_000_000;

/// Larger integers are not known.
const BITS: u64 = 4_096;

/// What the program does not define.
#[derive(Clone, Copy)]
pub(in crate::reach) enum Undefined<'a> {
    /// A constant.
    Const(ConstId),
    /// A function of these values.
    Function(FunctionId, &'a [Value]),
}

/// What expressions are evaluated in.
pub(super) struct Scope<'a> {
    /// The program, for its functions.
    program: &'a TypedProgram,
    /// How many more expressions are evaluated.
    fuel: Cell<usize>,
    /// The values of variables.
    variable: &'a dyn Fn(VariableRef) -> Value,
    /// The values of what the program does not define.
    undefined: &'a dyn Fn(Undefined<'_>, &BoogieType) -> Value,
}

impl<'a> Scope<'a> {
    /// Where variables, and what the program does not define, have these values.
    pub(super) fn new(
        program: &'a TypedProgram,
        variable: &'a dyn Fn(VariableRef) -> Value,
        undefined: &'a dyn Fn(Undefined<'_>, &BoogieType) -> Value,
    ) -> Self {
        Scope {
            program,
            fuel: Cell::new(0),
            variable,
            undefined,
        }
    }

    /// The value of an expression.
    pub(super) fn value(&self, expr: &TypedExpr) -> Value {
        self.fuel.set(EXPRESSIONS);
        self.within(expr, &mut Vec::new(), DEPTH)
    }

    /// How many of its parts keep an expression from being true, or false: how far these values are from that.
    pub(super) fn misses(&self, expr: &TypedExpr, wanted: bool) -> usize {
        let sum = |all: &[TypedExpr]| all.iter().map(|e| self.misses(e, wanted)).sum();
        let least = |all: &[TypedExpr]| {
            let all = all.iter().map(|e| self.misses(e, wanted));
            all.min().unwrap_or_default()
        };
        match (&expr.kind, wanted) {
            (TypedExprKind::Not(e), _) => self.misses(e, !wanted),
            (TypedExprKind::Chain(ChainOp::And, all), true)
            | (TypedExprKind::Chain(ChainOp::Or, all), false) => sum(all),
            (TypedExprKind::Chain(_, all), _) => least(all),
            (TypedExprKind::Binary(BinOp::Implies, a, b), true) => {
                self.misses(a, false).min(self.misses(b, true))
            }
            (TypedExprKind::Binary(BinOp::Implies, a, b), false) => {
                self.misses(a, true) + self.misses(b, false)
            }
            _ => usize::from(self.value(expr) == Value::Bool(!wanted)),
        }
    }

    /// The value where these variables are bound.
    fn within(&self, expr: &TypedExpr, bound: &mut Vec<(u32, Value)>, depth: usize) -> Value {
        let Some(fuel) = self.fuel.get().checked_sub(1) else {
            return Value::Unknown;
        };
        self.fuel.set(fuel);
        match &expr.kind {
            TypedExprKind::Bool(_) | TypedExprKind::Int(_) | TypedExprKind::Bv(..) => {
                literal(expr).unwrap_or(Value::Unknown)
            }
            TypedExprKind::Var(v) => (self.variable)(*v),
            TypedExprKind::Bound(n) => {
                let known = bound.iter().rev().find(|(m, _)| m == n);
                known.map_or(Value::Unknown, |(_, value)| value.clone())
            }
            TypedExprKind::Not(e) => self.within(e, bound, depth).not(),
            TypedExprKind::Neg(e) => match self.within(e, bound, depth) {
                Value::Int(n) => Value::Int(-n),
                _ => Value::Unknown,
            },
            TypedExprKind::Binary(op, l, r) => {
                let l = self.within(l, bound, depth);
                binary(*op, l, self.within(r, bound, depth))
            }
            TypedExprKind::Chain(op, all) => {
                let values = all.iter().map(|e| self.within(e, bound, depth));
                chain(*op, values)
            }
            TypedExprKind::Ite(c, a, b) => match self.within(c, bound, depth) {
                Value::Bool(true) => self.within(a, bound, depth),
                Value::Bool(false) => self.within(b, bound, depth),
                _ => Value::Unknown,
            },
            TypedExprKind::Let(binds, body) => {
                let before = bound.len();
                for (n, e) in binds {
                    let value = self.within(e, bound, depth);
                    bound.push((*n, value));
                }
                let value = self.within(body, bound, depth);
                bound.truncate(before);
                value
            }
            TypedExprKind::Select(map, keys, _) => {
                let map = self.within(map, bound, depth);
                let keys: Vec<Value> = keys.iter().map(|k| self.within(k, bound, depth)).collect();
                map.select(&keys, &expr.ty)
            }
            TypedExprKind::Store(map, keys, value, _) => {
                let map = self.within(map, bound, depth);
                let keys = keys.iter().map(|k| self.within(k, bound, depth)).collect();
                map.store(keys, self.within(value, bound, depth))
            }
            TypedExprKind::Extract(e, high, low) => {
                bits::extracted(&self.within(e, bound, depth), *high, *low)
            }
            TypedExprKind::Const(constant) => {
                (self.undefined)(Undefined::Const(*constant), &expr.ty)
            }
            TypedExprKind::Call(function, _, args) => {
                let args: Vec<Value> = args.iter().map(|e| self.within(e, bound, depth)).collect();
                self.function(*function, args, &expr.ty, depth)
            }
            TypedExprKind::Quantified(quantified) => {
                // What does not hang on the variables is the same for all of them.
                let before = bound.len();
                let vars = quantified.vars.iter().map(|(n, _)| (*n, Value::Unknown));
                bound.extend(vars);
                let value = self.within(&quantified.body, bound, depth);
                bound.truncate(before);
                match quantified.kind {
                    QuantKind::Forall | QuantKind::Exists => value,
                    QuantKind::Lambda if value == Value::Unknown => value,
                    QuantKind::Lambda => MapValue::constant(value),
                }
            }
            _ => Value::Unknown,
        }
    }

    /// The value of a function, of a type.
    fn function(&self, f: FunctionId, args: Vec<Value>, ty: &BoogieType, depth: usize) -> Value {
        let Some(deeper) = depth.checked_sub(1) else {
            return Value::Unknown;
        };
        let Ok(function) = self.program.functions.at(f) else {
            return Value::Unknown;
        };
        match (&function.builtin, &function.body, args.as_slice()) {
            (Some(SolverFunction::Constructor(number)), ..) => Value::data(*number, args),
            (Some(SolverFunction::Tester(number)), _, [Value::Data(data)]) => {
                Value::Bool(*number == data.made_by)
            }
            (Some(SolverFunction::Selector(number, field)), _, [Value::Data(data)])
                if *number == data.made_by =>
            {
                data.fields.get(*field).cloned().unwrap_or(Value::Unknown)
            }
            (Some(SolverFunction::Solver(word)), ..) => bits::operation(word, &args),
            (Some(_), ..) => Value::Unknown,
            (None, Some(body), _) => {
                let params = function.params.iter().map(|(n, _)| *n);
                self.within(body, &mut params.zip(args).collect(), deeper)
            }
            (None, None, _) => (self.undefined)(Undefined::Function(f, &args), ty),
        }
    }
}

fn chain(op: ChainOp, values: impl Iterator<Item = Value>) -> Value {
    // What decides alone.
    let decisive = op == ChainOp::Or;
    let mut all_known = true;
    for value in values {
        match value.bool() {
            Some(b) if b == decisive => return Value::Bool(decisive),
            Some(_) => {}
            None => all_known = false,
        }
    }
    match all_known {
        true => Value::Bool(!decisive),
        false => Value::Unknown,
    }
}

/// The value that an expression has by itself.
pub(in crate::reach) fn literal(expr: &TypedExpr) -> Option<Value> {
    match &expr.kind {
        TypedExprKind::Bool(b) => Some(Value::Bool(*b)),
        TypedExprKind::Int(n) => Some(Value::Int(n.clone())),
        TypedExprKind::Bv(value, width) => Some(bits::of_width(value.to_biguint()?, *width)),
        TypedExprKind::Neg(e) => match literal(e)? {
            Value::Int(n) => Some(Value::Int(-n)),
            _ => None,
        },
        _ => None,
    }
}

/// The value of an operation.
pub(in crate::reach) fn binary(op: BinOp, l: Value, r: Value) -> Value {
    match (op, &l, &r) {
        (BinOp::Implies, ..) => chain(ChainOp::Or, [l.not(), r].into_iter()),
        (BinOp::Explies, ..) => chain(ChainOp::Or, [l, r.not()].into_iter()),
        (BinOp::Eq | BinOp::Iff, ..) => l.same(&r).map_or(Value::Unknown, Value::Bool),
        (BinOp::Ne, ..) => binary(BinOp::Eq, l, r).not(),
        (BinOp::Concat, ..) => bits::concatenated(&l, &r),
        (_, Value::Int(a), Value::Int(b)) => arithmetic(op, a, b).unwrap_or(Value::Unknown),
        _ => Value::Unknown,
    }
}

fn arithmetic(op: BinOp, a: &BigInt, b: &BigInt) -> Option<Value> {
    if a.bits().max(b.bits()) > BITS {
        return None;
    }
    Some(match op {
        BinOp::Lt => Value::Bool(a < b),
        BinOp::Le => Value::Bool(a <= b),
        BinOp::Gt => Value::Bool(a > b),
        BinOp::Ge => Value::Bool(a >= b),
        BinOp::Add => Value::Int(a + b),
        BinOp::Sub => Value::Int(a - b),
        BinOp::Mul => Value::Int(a * b),
        BinOp::Div => Value::Int(euclidean(a, b)?.0),
        BinOp::Mod => Value::Int(euclidean(a, b)?.1),
        _ => return None,
    })
}

/// Quotient and remainder as SMT-LIB has them: the remainder is never negative. By zero they are any.
fn euclidean(a: &BigInt, b: &BigInt) -> Option<(BigInt, BigInt)> {
    if b.is_zero() {
        return None;
    }
    let (mut quotient, mut remainder) = (a / b, a % b);
    if remainder.is_negative() {
        quotient -= b.signum();
        remainder += b.abs();
    }
    Some((quotient, remainder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_euclidean() {
        for (a, b, quotient, remainder) in
            [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1)]
        {
            let found = euclidean(&BigInt::from(a), &BigInt::from(b));
            assert_eq!(
                found,
                Some((BigInt::from(quotient), BigInt::from(remainder))),
                "{a} {b}"
            );
        }
        assert_eq!(euclidean(&BigInt::from(1), &BigInt::ZERO), None);
    }

    #[test]
    fn one_operand_may_be_enough() {
        let (yes, no) = (|| Value::Bool(true), || Value::Bool(false));
        assert_eq!(
            chain(ChainOp::And, [Value::Unknown, no()].into_iter()),
            no()
        );
        assert_eq!(
            chain(ChainOp::And, [Value::Unknown, yes()].into_iter()),
            Value::Unknown
        );
        assert_eq!(binary(BinOp::Implies, Value::Unknown, yes()), yes());
        assert_eq!(binary(BinOp::Implies, no(), Value::Unknown), yes());
        assert_eq!(binary(BinOp::Eq, Value::Unknown, yes()), Value::Unknown);
    }

    /// The condition that this Boogie text assumes, for what is done with it where both variables are 1.
    fn with<T>(condition: &str, look: impl FnOnce(&Scope<'_>, &TypedExpr) -> T) -> T {
        let text = format!(
            "datatype Cell {{ Empty(), Full(what: int) }} function {{:inline}} next(n: int): int {{ n + 1 }}
             function other(n: int): int; procedure p(a: int, b: int) {{ assume {condition}; }}"
        );
        let tree = crate::boogie::parse(&text).unwrap();
        let program = crate::boogie::check(&tree).unwrap();
        let body = program.procedures.iter().next().unwrap().body.as_ref();
        let mut cmds = body.unwrap().blocks.iter().flat_map(|block| &block.cmds);
        let exprs = cmds.next().unwrap().exprs();
        let variable = |_: VariableRef| Value::Int(1.into());
        let undefined = |_: Undefined<'_>, _: &BoogieType| Value::Unknown;
        look(&Scope::new(&program, &variable, &undefined), exprs[0])
    }

    #[test]
    fn expressions_have_the_values_of_boogie() {
        let value = |text: &str| with(text, |scope, e| scope.value(e));
        for (text, expected) in [
            ("next(a) == 2 && a mod (0 - 3) == 1", Some(true)),
            ("Full(a) is Full && Full(a)->what == b", Some(true)),
            ("Full(a) == Empty()", Some(false)),
            ("Full(a)->what == 2", Some(false)),
            // Of another constructor it is any value.
            ("(if a == 1 then Empty() else Full(3))->what == 2", None),
            ("other(a) == other(a)", None),
            ("other(a) == 3 || b == 1", Some(true)),
            ("(forall i: int :: i == i + 1 || a == b)", Some(true)),
            ("(exists i: int :: i == a)", None),
            ("(lambda i: int :: a)[7] == 1", Some(true)),
            ("3bv4 ++ 5bv4 == 53bv8 && 53bv8[8:4] == 3bv4", Some(true)),
        ] {
            let expected = expected.map_or(Value::Unknown, Value::Bool);
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_missing_from_a_condition_is_counted() {
        for (condition, missing) in [
            ("a == 1 && b == 1", 0),
            ("a == 1 && b == 2", 1),
            ("a == 2 && b == 2 && a == b", 2),
            ("a == 2 || (a == 3 && b == 3)", 1),
            ("!(a == 1 || b == 1)", 2),
            ("!(a == 1 ==> b == 1)", 1),
            ("!(a == 1 && b == 2)", 0),
        ] {
            let found = with(condition, |scope, e| scope.misses(e, true));
            assert_eq!(found, missing, "{condition}");
        }
    }
}
