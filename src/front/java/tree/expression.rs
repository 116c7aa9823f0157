//! Expressions: values without effects. Evaluating one may raise an exception, and that is all it does.
//!
//! Operands are evaluated from left to right, as everywhere in Java. What has an effect (a call, a new object) is a
//! [step](super::step::Step) of its own, whose result is a variable.

use crate::front::java::classfile::{Comparison, Constant, FieldRef, Operator, Relation};
use crate::front::java::types::{Kind, Type};

/// A variable of a body, by its number among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

impl VariableId {
    /// The number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name, which no other variable of the body has.
    pub name: String,
    /// Its type: what the source says, else what is known of the values that are assigned.
    pub ty: Type,
    /// What it is for.
    pub role: Role,
}

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The object a method was called on. It is never assigned, and never null.
    This,
    /// The parameter of that number, counted from 0, `this` not among them. It may be assigned.
    Parameter(u16),
    /// A variable of the source.
    Local,
    /// A value on the machine's stack.
    Temporary,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A value, `null` included. Truth values have a form of their own.
    Constant(Constant),
    /// `true`, `false`
    Boolean(bool),
    /// A variable.
    Variable(VariableId),
    /// A field of an object. Raises `NullPointerException`.
    Field(Box<Expr>, FieldRef),
    /// A field of a class.
    Static(FieldRef),
    /// An element of an array, which has this type. Raises `NullPointerException`, `ArrayIndexOutOfBoundsException`.
    Element(Box<Expr>, Box<Expr>, Type),
    /// The length of an array. Raises `NullPointerException`.
    Length(Box<Expr>),
    /// A calculation with numbers of that kind. An `int` or `long` division raises `ArithmeticException`.
    Binary(Operator, Kind, Box<Expr>, Box<Expr>),
    /// `&`, `|` or `^` of truth values; both are looked at.
    Logic(Operator, Box<Expr>, Box<Expr>),
    /// A number of that kind negated.
    Negate(Kind, Box<Expr>),
    /// A number of that kind as one of that type.
    Convert(Kind, Type, Box<Expr>),
    /// -1, 0 or 1, as one number is less than, equal to, or greater than the other.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// Whether two values are so related. Of floating-point numbers of which one is `NaN`, only `!=` holds.
    Relation(Relation, Operands, Box<Expr>, Box<Expr>),
    /// `!`
    Not(Box<Expr>),
    /// `&&`: the right operand is looked at only where the left one is true.
    And(Box<Expr>, Box<Expr>),
    /// `||`: the right operand is looked at only where the left one is false.
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`, of which only one is looked at.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The same reference, if it is null or of that type. Raises `ClassCastException`.
    Cast(Type, Box<Expr>),
    /// Whether a reference is of that type, and not null.
    InstanceOf(Type, Box<Expr>),
    /// 1 for true, 0 for false: the machine calculates with truth values.
    FromBoolean(Box<Expr>),
    /// Whether a number is odd: what the machine makes of an `int` that it puts into a `boolean`.
    ToBoolean(Box<Expr>),
}

/// What kind of values a relation is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operands {
    /// Numbers.
    Numbers(Kind),
    /// Truth values.
    Booleans,
    /// References: the same object, or not.
    References,
}

impl Expr {
    /// An `int`.
    pub fn int(value: i32) -> Expr {
        Expr::Constant(Constant::Int(value))
    }

    /// `null`
    pub fn null() -> Expr {
        Expr::Constant(Constant::Null)
    }

    /// Its operands, from left to right.
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Expr::Constant(_) | Expr::Boolean(_) | Expr::Variable(_) | Expr::Static(_) => vec![],
            Expr::Field(a, _)
            | Expr::Length(a)
            | Expr::Negate(_, a)
            | Expr::Convert(_, _, a)
            | Expr::Not(a)
            | Expr::Cast(_, a)
            | Expr::InstanceOf(_, a)
            | Expr::FromBoolean(a)
            | Expr::ToBoolean(a) => vec![a],
            Expr::Element(a, b, _)
            | Expr::Binary(_, _, a, b)
            | Expr::Logic(_, a, b)
            | Expr::Compare(_, a, b)
            | Expr::Relation(_, _, a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b) => vec![a, b],
            Expr::Conditional(a, b, c) => vec![a, b, c],
        }
    }

    /// Its operands, from left to right, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Constant(_) | Expr::Boolean(_) | Expr::Variable(_) | Expr::Static(_) => vec![],
            Expr::Field(a, _)
            | Expr::Length(a)
            | Expr::Negate(_, a)
            | Expr::Convert(_, _, a)
            | Expr::Not(a)
            | Expr::Cast(_, a)
            | Expr::InstanceOf(_, a)
            | Expr::FromBoolean(a)
            | Expr::ToBoolean(a) => vec![a],
            Expr::Element(a, b, _)
            | Expr::Binary(_, _, a, b)
            | Expr::Logic(_, a, b)
            | Expr::Compare(_, a, b)
            | Expr::Relation(_, _, a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b) => vec![a, b],
            Expr::Conditional(a, b, c) => vec![a, b, c],
        }
    }

    /// Calls `visit` with the expression and all its parts, outer ones first.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit(self);
        for operand in self.operands() {
            operand.visit(visit);
        }
    }

    /// Calls `change` with the expression and all its parts, inner ones first.
    pub fn change(&mut self, change: &mut impl FnMut(&mut Expr)) {
        for operand in self.operands_mut() {
            operand.change(change);
        }
        change(self);
    }

    /// Whether the expression or a part of it is such.
    pub fn any(&self, is: &impl Fn(&Expr) -> bool) -> bool {
        is(self) || self.operands().into_iter().any(|operand| operand.any(is))
    }

    /// Whether it reads this variable.
    pub fn mentions(&self, variable: VariableId) -> bool {
        self.any(&|part| matches!(part, Expr::Variable(found) if *found == variable))
    }

    /// Whether it reads a field or an element, so that its value may be another one later.
    pub fn reads_memory(&self) -> bool {
        self.any(&|part| matches!(part, Expr::Field(..) | Expr::Static(_) | Expr::Element(..)))
    }

    /// Whether evaluating it may raise an exception.
    pub fn may_raise(&self, variables: &[Variable]) -> bool {
        self.any(&|part| part.raises_itself(variables))
    }

    /// Whether it may raise an exception even where its operands do not.
    fn raises_itself(&self, variables: &[Variable]) -> bool {
        match self {
            Expr::Field(object, _) => !object.is_this(variables),
            Expr::Element(..) | Expr::Length(_) | Expr::Cast(..) => true,
            Expr::Binary(Operator::Divide | Operator::Remainder, kind, _, divisor) => {
                matches!(kind, Kind::Int | Kind::Long) && !divisor.is_nonzero_constant()
            }
            // A class is initialised, a constant worked out, where it is needed first.
            Expr::Static(_) => true,
            Expr::Constant(constant) => matches!(
                constant,
                Constant::Class(_)
                    | Constant::MethodType(_)
                    | Constant::MethodHandle(_)
                    | Constant::Dynamic(_)
            ),
            _ => false,
        }
    }

    fn is_nonzero_constant(&self) -> bool {
        match self {
            Expr::Constant(Constant::Int(value)) => *value != 0,
            Expr::Constant(Constant::Long(value)) => *value != 0,
            _ => false,
        }
    }

    /// Whether it is the object that the method was called on.
    pub fn is_this(&self, variables: &[Variable]) -> bool {
        match self {
            Expr::Variable(id) => variables
                .get(id.index())
                .is_some_and(|found| found.role == Role::This),
            _ => false,
        }
    }

    /// How many expressions it is made of.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |_| size += 1);
        size
    }

    /// How deep its parts lie in each other.
    pub fn depth(&self) -> usize {
        let operands = self.operands().into_iter();
        1 + operands.map(Expr::depth).max().unwrap_or(0)
    }

    /// The type of its value; nothing for `null`.
    pub fn ty(&self, variables: &[Variable]) -> Option<Type> {
        Some(match self {
            Expr::Constant(constant) => return constant.ty(),
            Expr::Variable(id) => return variables.get(id.index()).map(|found| found.ty.clone()),
            Expr::Boolean(_)
            | Expr::Logic(..)
            | Expr::Relation(..)
            | Expr::Not(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::InstanceOf(..)
            | Expr::ToBoolean(_) => Type::Boolean,
            Expr::Field(_, field) | Expr::Static(field) => field.ty.clone(),
            Expr::Element(_, _, ty) | Expr::Convert(_, ty, _) | Expr::Cast(ty, _) => ty.clone(),
            Expr::Length(_) | Expr::Compare(..) | Expr::FromBoolean(_) => Type::Int,
            Expr::Binary(_, kind, ..) | Expr::Negate(kind, _) => of_kind(*kind),
            Expr::Conditional(_, a, b) => return joined(a.ty(variables), b.ty(variables)),
        })
    }

    /// Whether its value is `true` or `false`.
    pub fn is_boolean(&self, variables: &[Variable]) -> bool {
        self.ty(variables) == Some(Type::Boolean)
    }

    /// The negation of a truth value, as simple as it can be.
    pub fn negated(self) -> Expr {
        match self {
            Expr::Boolean(value) => Expr::Boolean(!value),
            Expr::Not(operand) => *operand,
            Expr::Relation(relation, operands, a, b) if !operands.has_nan(relation) => {
                Expr::Relation(relation.negated(), operands, a, b)
            }
            Expr::And(a, b) => Expr::Or(Box::new(a.negated()), Box::new(b.negated())),
            Expr::Or(a, b) => Expr::And(Box::new(a.negated()), Box::new(b.negated())),
            other => Expr::Not(Box::new(other)),
        }
    }
}

impl Operands {
    /// Whether a relation and its opposite may both fail to hold.
    fn has_nan(self, relation: Relation) -> bool {
        let ordered = !matches!(relation, Relation::Equal | Relation::NotEqual);
        ordered && matches!(self, Operands::Numbers(Kind::Float | Kind::Double))
    }
}

/// The type that values of a kind have of which nothing else is known.
pub fn of_kind(kind: Kind) -> Type {
    match kind {
        Kind::Int => Type::Int,
        Kind::Long => Type::Long,
        Kind::Float => Type::Float,
        Kind::Double => Type::Double,
        Kind::Reference => Type::object(),
    }
}

/// A type for the values of both; nothing for that of `null`.
pub fn joined(a: Option<Type>, b: Option<Type>) -> Option<Type> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) if a == b => Some(a),
        (Some(a), Some(_)) => Some(of_kind(a.kind())),
    }
}
