//! The values of expressions.
//!
//! Division is Euclidean; arithmetic of a machine type wraps. `&&`, `||`, `==>` and `if` look at no more than they
//! need; everything else looks at all operands, left to right, and is undefined when one of them is. A quantified
//! expression is undefined when its body is for one of the values.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use super::state::{Configuration, bits};
use super::value::{Keys, Map, ObjectId, Value, wrap};
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{BuiltinException, Expr, ExprKind, FieldRef, FunctionRef, Program, Type, VarId};

/// Expressions nested deeper than this, through the functions they call, are not evaluated.
const DEPTH_LIMIT: usize = 500;

/// Numbers with more bits than this are not computed.
const BITS_LIMIT: u64 = 1 << 16;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// It is undefined: in a body, this exception is raised.
    Undefined(BuiltinException),
    /// The fuel is used up.
    OutOfFuel,
    /// The interpreter cannot tell.
    Undetermined(String),
}

/// How many more steps (statements and operations) may be made.
#[derive(Debug)]
pub struct Fuel(Cell<u64>);

impl Fuel {
    /// So many steps.
    pub fn new(steps: u64) -> Fuel {
        Fuel(Cell::new(steps))
    }

    /// Takes one step.
    pub fn spend(&self) -> Result<(), EvalError> {
        self.spend_many(1)
    }

    /// Takes so many steps at once.
    pub fn spend_many(&self, steps: u64) -> Result<(), EvalError> {
        let left = self.0.get().checked_sub(steps);
        self.0.set(left.ok_or(EvalError::OutOfFuel)?);
        Ok(())
    }
}

/// The values of parameters, results and locals.
pub type Locals = BTreeMap<VarId, Value>;

/// Where an expression is evaluated.
#[derive(Clone, Copy)]
pub struct EvalScope<'a> {
    /// The program.
    pub program: &'a Program,
    /// The configuration.
    pub now: &'a Configuration,
    /// The configuration when the routine started, for `old`.
    pub old: Option<&'a Configuration>,
    /// The object itself; none in the `requires` clauses of a constructor, which do not mention it.
    pub this: Option<ObjectId>,
    /// The variables.
    pub locals: &'a Locals,
    /// The fuel.
    pub fuel: &'a Fuel,
}

impl<'a> EvalScope<'a> {
    /// The value of an expression.
    pub fn evaluate(&self, expr: &Expr) -> Result<Value, EvalError> {
        self.evaluator().value(expr)
    }

    /// Whether a clause of a contract, an invariant or the like holds. A clause that is undefined does not.
    pub fn holds(&self, clause: &Expr) -> Result<bool, EvalError> {
        match self.evaluator().boolean(clause) {
            Err(EvalError::Undefined(_)) => Ok(false),
            other => other,
        }
    }

    /// Whether all of these clauses hold. One that does not decides, whatever cannot be told of the others.
    pub fn all_hold<'e>(
        &self,
        clauses: impl IntoIterator<Item = &'e Expr>,
    ) -> Result<bool, EvalError> {
        let mut doubt = None;
        for clause in clauses {
            match self.holds(clause) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(failure) => doubt = doubt.or(Some(failure)),
            }
        }
        doubt.map_or(Ok(true), Err)
    }

    /// Whether a formula holds that was derived from clauses and says itself where it is defined. In such a formula the
    /// order of operands means nothing: one side decides, whatever is undefined on the other.
    pub fn formula_holds(&self, formula: &Expr) -> Result<bool, EvalError> {
        let mut evaluator = self.evaluator();
        evaluator.in_any_order = true;
        match evaluator.boolean(formula) {
            Err(EvalError::Undefined(_)) => Err(undetermined("a formula that is not defined")),
            other => other,
        }
    }

    fn evaluator(self) -> Evaluator<'a> {
        Evaluator {
            scope: self,
            bound: Vec::new(),
            depth: 0,
            in_any_order: false,
        }
    }
}

/// An evaluation under way: a scope with the bound variables of the quantifiers around.
pub(super) struct Evaluator<'a> {
    pub(super) scope: EvalScope<'a>,
    pub(super) bound: Vec<(VarId, Value)>,
    depth: usize,
    /// Whether the right side of an operator may decide where the left one is undefined.
    pub(super) in_any_order: bool,
}

impl<'a> Evaluator<'a> {
    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value, EvalError> {
        self.look(expr).map(Cow::into_owned)
    }

    /// The same, where it is: most of what a clause asks is only compared, and maps are large.
    fn look(&mut self, expr: &Expr) -> Result<Cow<'a, Value>, EvalError> {
        self.scope.fuel.spend()?;
        if self.depth >= DEPTH_LIMIT {
            return Err(undetermined("an expression that is nested too deep"));
        }
        self.depth += 1;
        let value = self.look_at(expr);
        self.depth -= 1;
        value
    }

    /// The value of an expression of type `bool`.
    pub(super) fn boolean(&mut self, expr: &Expr) -> Result<bool, EvalError> {
        match self.look(expr)?.as_ref() {
            Value::Bool(b) => Ok(*b),
            other => Err(ill_typed(other)),
        }
    }

    /// The value of an expression of an integer type.
    pub(super) fn integer(&mut self, expr: &Expr) -> Result<Cow<'a, BigInt>, EvalError> {
        match self.look(expr)? {
            Cow::Borrowed(Value::Int(n)) => Ok(Cow::Borrowed(n)),
            Cow::Owned(Value::Int(n)) => Ok(Cow::Owned(n)),
            other => Err(ill_typed(&other)),
        }
    }

    /// The object a reference leads to.
    fn dereference(&mut self, expr: &Expr) -> Result<ObjectId, EvalError> {
        match self.look(expr)?.as_ref() {
            Value::Ref(id) => Ok(*id),
            Value::Null => Err(EvalError::Undefined(BuiltinException::NullDereference)),
            other => Err(ill_typed(other)),
        }
    }

    /// The value by the kind of expression. It calls itself as deep as expressions are nested, so that what needs room of its
    /// own is a function of its own.
    fn look_at(&mut self, expr: &Expr) -> Result<Cow<'a, Value>, EvalError> {
        let made = match expr.kind.as_ref() {
            ExprKind::Var(v) => return self.variable(*v),
            ExprKind::Field(object, field) => return self.field(object, *field),
            ExprKind::Element(array, index) => return self.element(array, index),
            ExprKind::Select(map, key) => return self.select(map, key),
            ExprKind::Old(e) => return self.old(e),
            ExprKind::If(condition, a, b) => {
                let branch = if self.boolean(condition)? { a } else { b };
                return self.look(branch);
            }
            ExprKind::Int(n) => Ok(Value::Int(n.clone())),
            ExprKind::Bool(b) => Ok(Value::Bool(*b)),
            ExprKind::Member(id, index) => Ok(Value::Member(*id, *index)),
            ExprKind::Named(id, index) => Ok(Value::Opaque(*id, *index as u64)),
            ExprKind::Null => Ok(Value::Null),
            ExprKind::This => self
                .scope
                .this
                .map(Value::Ref)
                .ok_or_else(|| undetermined("`this` before there is an object")),
            ExprKind::Length(array) => {
                let array = self.dereference(array)?;
                Ok(Value::int(self.elements(array)?.len()))
            }
            ExprKind::Everywhere(value) => self.everywhere(&expr.ty, value),
            ExprKind::Store(map, key, value) => self.store(map, key, value),
            ExprKind::Call {
                receiver,
                function,
                args,
            } => self.call(receiver, *function, args),
            ExprKind::Convert(e) => into_type(&expr.ty, self.integer(e)?.into_owned()),
            ExprKind::Neg(e) => into_type(&expr.ty, -self.integer(e)?.into_owned()),
            ExprKind::Not(e) => Ok(Value::Bool(!self.boolean(e)?)),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, &expr.ty),
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.look(a)?, self.look(b)?);
                compare(*op, &a, &b).map(Value::Bool)
            }
            ExprKind::Quantified(quantifier, vars, body) => {
                self.quantified(*quantifier, vars, body).map(Value::Bool)
            }
        };
        made.map(Cow::Owned)
    }

    fn variable(&self, v: VarId) -> Result<Cow<'a, Value>, EvalError> {
        let mut bound = self.bound.iter().rev();
        if let Some((_, value)) = bound.find(|(b, _)| *b == v) {
            return Ok(Cow::Owned(value.clone()));
        }
        let value = self.scope.locals.get(&v).map(Cow::Borrowed);
        value.ok_or_else(|| {
            // A formula may speak of what no program declares: the number of calls made so far.
            let declared = self.scope.program.vars.get(v.0);
            let name = declared.map_or("?", |var| var.name.as_str());
            undetermined(format!("`{name}` has no value here"))
        })
    }

    fn elements(&self, array: ObjectId) -> Result<&'a [Value], EvalError> {
        self.scope
            .now
            .elements(array)
            .ok_or_else(|| undetermined("an element of an array that is not there"))
    }

    fn element(&mut self, array: &Expr, index: &Expr) -> Result<Cow<'a, Value>, EvalError> {
        // Both operands first, then the checks, as in an assignment to the element.
        let array = self.value(array)?;
        let index = self.integer(index)?;
        let id = match array {
            Value::Ref(id) => id,
            Value::Null => return Err(EvalError::Undefined(BuiltinException::NullDereference)),
            other => return Err(ill_typed(&other)),
        };
        let elements = self.elements(id)?;
        let value = index.to_usize().and_then(|i| elements.get(i));
        value
            .map(Cow::Borrowed)
            .ok_or(EvalError::Undefined(BuiltinException::IndexOutOfRange))
    }

    pub(super) fn map(&mut self, expr: &Expr) -> Result<Cow<'a, Map>, EvalError> {
        match self.look(expr)? {
            Cow::Borrowed(Value::Map(map)) => Ok(Cow::Borrowed(map)),
            Cow::Owned(Value::Map(map)) => Ok(Cow::Owned(map)),
            other => Err(ill_typed(&other)),
        }
    }

    fn field(&mut self, object: &Expr, field: FieldRef) -> Result<Cow<'a, Value>, EvalError> {
        let object = self.dereference(object)?;
        let value = self.scope.now.field(object, field).map(Cow::Borrowed);
        value.ok_or_else(|| undetermined("a field of an object that is not there"))
    }

    fn select(&mut self, map: &Expr, key: &Expr) -> Result<Cow<'a, Value>, EvalError> {
        let map = self.map(map)?;
        let key = self.look(key)?;
        Ok(match map {
            Cow::Borrowed(map) => Cow::Borrowed(map.get(&key)),
            Cow::Owned(map) => Cow::Owned(map.get(&key).clone()),
        })
    }

    fn store(&mut self, map: &Expr, key: &Expr, value: &Expr) -> Result<Value, EvalError> {
        let map = self.map(map)?;
        let key = self.value(key)?;
        Ok(Value::Map(map.store(key, self.value(value)?)))
    }

    /// The map of this type with the same value at every key.
    fn everywhere(&mut self, ty: &Type, value: &Expr) -> Result<Value, EvalError> {
        let Type::Map(key, _) = ty else {
            return Err(undetermined("a map of no type of keys"));
        };
        let keys = Keys::of(self.scope.program, key);
        Ok(Value::Map(Map::constant(keys, self.value(value)?)))
    }

    fn call(
        &mut self,
        receiver: &Expr,
        function: FunctionRef,
        args: &[Expr],
    ) -> Result<Value, EvalError> {
        let this = self.dereference(receiver)?;
        let function = self.scope.program.function(function);
        let mut locals = Locals::new();
        for (param, arg) in function.params.iter().zip(args) {
            locals.insert(*param, self.value(arg)?);
        }
        let mut inside = Evaluator {
            scope: EvalScope {
                this: Some(this),
                locals: &locals,
                ..self.scope
            },
            bound: Vec::new(),
            depth: self.depth,
            in_any_order: self.in_any_order,
        };
        inside.value(&function.body)
    }

    fn old(&mut self, expr: &Expr) -> Result<Cow<'a, Value>, EvalError> {
        let Some(old) = self.scope.old else {
            return Err(undetermined("`old` outside a contract"));
        };
        let now = std::mem::replace(&mut self.scope.now, old);
        let value = self.look(expr);
        self.scope.now = now;
        value
    }

    /// What the operator gives by its right side alone, where that decides.
    fn decided_by(&mut self, op: BinaryOp, right: &Expr) -> Result<Option<Value>, EvalError> {
        let decisive = match op {
            BinaryOp::And => false,
            BinaryOp::Or | BinaryOp::Implies => true,
            _ => return Ok(None),
        };
        let decides = self.boolean(right)? == decisive;
        Ok(decides.then_some(Value::Bool(decisive)))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        ty: &Type,
    ) -> Result<Value, EvalError> {
        let left = match self.look(left) {
            Err(undefined @ EvalError::Undefined(_)) if self.in_any_order => {
                return self.decided_by(op, right)?.ok_or(undefined);
            }
            left => left?,
        };
        match (op, left.as_ref()) {
            (BinaryOp::And, Value::Bool(false)) => Ok(Value::Bool(false)),
            (BinaryOp::Or, Value::Bool(true)) | (BinaryOp::Implies, Value::Bool(false)) => {
                Ok(Value::Bool(true))
            }
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, Value::Bool(_)) => {
                self.boolean(right).map(Value::Bool)
            }
            (BinaryOp::Iff, Value::Bool(a)) => Ok(Value::Bool(*a == self.boolean(right)?)),
            (_, Value::Int(a)) => {
                let right = self.integer(right)?;
                into_type(ty, arithmetic(op, a, &right)?)
            }
            (_, other) => Err(ill_typed(other)),
        }
    }
}

/// An integer as a value of this type: wrapped into a machine type.
fn into_type(ty: &Type, n: BigInt) -> Result<Value, EvalError> {
    match ty {
        Type::Machine(machine) => Ok(Value::Int(wrap(*machine, &n))),
        _ if bits(&n) > BITS_LIMIT => Err(too_large()),
        _ => Ok(Value::Int(n)),
    }
}

fn arithmetic(op: BinaryOp, a: &BigInt, b: &BigInt) -> Result<BigInt, EvalError> {
    match op {
        BinaryOp::Add => Ok(a + b),
        BinaryOp::Sub => Ok(a - b),
        BinaryOp::Mul if bits(a) + bits(b) > 2 * BITS_LIMIT => Err(too_large()),
        BinaryOp::Mul => Ok(a * b),
        BinaryOp::Div | BinaryOp::Mod if b.is_zero() => {
            Err(EvalError::Undefined(BuiltinException::DivisionByZero))
        }
        BinaryOp::Div => Ok((a - euclidean_remainder(a, b)) / b),
        BinaryOp::Mod => Ok(euclidean_remainder(a, b)),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => {
            Err(ill_typed(&Value::Int(a.clone())))
        }
    }
}

/// The remainder that is never negative.
fn euclidean_remainder(a: &BigInt, b: &BigInt) -> BigInt {
    a.mod_floor(&b.abs())
}

fn compare(op: CompareOp, a: &Value, b: &Value) -> Result<bool, EvalError> {
    match (op, a, b) {
        (CompareOp::Eq, ..) => Ok(a == b),
        (CompareOp::Ne, ..) => Ok(a != b),
        (_, Value::Int(a), Value::Int(b)) => Ok(op.holds(a.cmp(b))),
        _ => Err(ill_typed(a)),
    }
}

pub(super) fn undetermined(reason: impl Into<String>) -> EvalError {
    EvalError::Undetermined(reason.into())
}

fn too_large() -> EvalError {
    undetermined("a number with too many digits")
}

/// The resolver lets no ill-typed program through; a witness from outside could.
fn ill_typed(value: &Value) -> EvalError {
    undetermined(format!("a value of another type was expected: {value:?}"))
}
