//! Expressions: values without effects. Evaluating one may raise an exception, and that is all it does.
//!
//! Operands are evaluated from left to right, as everywhere in Java. What has an effect (a call, a new object) is a
//! [step](super::step::JavaStep) of its own, whose result is a variable.

use crate::front::java::classfile::{
    ArithmeticOp, Comparison, JavaFieldRef, PoolConstant, Relation,
};
use crate::front::java::types::{ComputationalType, JavaType};

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
pub struct BodyVariable {
    /// Its name, which no other variable of the body has.
    pub name: String,
    /// Its type: what the source says, else what is known of the values that are assigned.
    pub ty: JavaType,
    /// What it is for.
    pub role: Role,
}

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The object a method was called on. It is never assigned, and never null.
    This,
    /// The object around, on which a method is called that makes the object under study: where its body stands for a
    /// constructor's. Like `this`.
    Around,
    /// The parameter of that number, counted from 0, `this` not among them. It may be assigned.
    Parameter(u16),
    /// A variable of the source.
    Local,
    /// A value on the machine's stack.
    Temporary,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum JavaExpr {
    /// A value, `null` included. Truth values have a form of their own.
    Constant(PoolConstant),
    /// `true`, `false`
    Boolean(bool),
    /// A variable.
    Variable(VariableId),
    /// A field of an object. Raises `NullPointerException`.
    Field(Box<JavaExpr>, JavaFieldRef),
    /// A field of a class.
    Static(JavaFieldRef),
    /// An element of an array, which has this type. Raises `NullPointerException`, `ArrayIndexOutOfBoundsException`.
    Element(Box<JavaExpr>, Box<JavaExpr>, JavaType),
    /// The length of an array. Raises `NullPointerException`.
    Length(Box<JavaExpr>),
    /// A calculation with numbers of that kind. An `int` or `long` division raises `ArithmeticException`.
    Binary(
        ArithmeticOp,
        ComputationalType,
        Box<JavaExpr>,
        Box<JavaExpr>,
    ),
    /// `&`, `|` or `^` of truth values; both are looked at.
    Logic(ArithmeticOp, Box<JavaExpr>, Box<JavaExpr>),
    /// A number of that kind negated.
    Negate(ComputationalType, Box<JavaExpr>),
    /// A number of that kind as one of that type.
    Convert(ComputationalType, JavaType, Box<JavaExpr>),
    /// -1, 0 or 1, as one number is less than, equal to, or greater than the other.
    Compare(Comparison, Box<JavaExpr>, Box<JavaExpr>),
    /// Whether two values are so related. Of floating-point numbers of which one is `NaN`, only `!=` holds.
    Relation(Relation, Operands, Box<JavaExpr>, Box<JavaExpr>),
    /// `!`
    Not(Box<JavaExpr>),
    /// `&&`: the right operand is looked at only where the left one is true.
    And(Box<JavaExpr>, Box<JavaExpr>),
    /// `||`: the right operand is looked at only where the left one is false.
    Or(Box<JavaExpr>, Box<JavaExpr>),
    /// `c ? a : b`, of which only one is looked at.
    Conditional(Box<JavaExpr>, Box<JavaExpr>, Box<JavaExpr>),
    /// The same reference, if it is null or of that type. Raises `ClassCastException`.
    Cast(JavaType, Box<JavaExpr>),
    /// Whether a reference is of that type, and not null.
    InstanceOf(JavaType, Box<JavaExpr>),
    /// 1 for true, 0 for false: the machine calculates with truth values.
    FromBoolean(Box<JavaExpr>),
    /// Whether a number is odd: what the machine makes of an `int` that it puts into a `boolean`.
    ToBoolean(Box<JavaExpr>),
}

/// What kind of values a relation is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operands {
    /// Numbers.
    Numbers(ComputationalType),
    /// Truth values.
    Booleans,
    /// References: the same object, or not.
    References,
}

impl JavaExpr {
    /// An `int`.
    pub fn int(value: i32) -> JavaExpr {
        JavaExpr::Constant(PoolConstant::Int(value))
    }

    /// `null`
    pub fn null() -> JavaExpr {
        JavaExpr::Constant(PoolConstant::Null)
    }

    /// Calls `visit` with the expression and all its parts, outer ones first.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a JavaExpr)) {
        visit(self);
        for operand in self.operands() {
            operand.visit(visit);
        }
    }

    /// Calls `change` with the expression and all its parts, inner ones first.
    pub fn change(&mut self, change: &mut impl FnMut(&mut JavaExpr)) {
        for operand in self.operands_mut() {
            operand.change(change);
        }
        change(self);
    }

    /// Whether the expression or a part of it is such.
    pub fn any(&self, is: &impl Fn(&JavaExpr) -> bool) -> bool {
        is(self) || self.operands().into_iter().any(|operand| operand.any(is))
    }

    /// Whether it reads this variable.
    pub fn mentions(&self, variable: VariableId) -> bool {
        self.any(&|part| matches!(part, JavaExpr::Variable(found) if *found == variable))
    }

    /// Whether it reads a field or an element, so that its value may be another one later.
    pub fn reads_memory(&self) -> bool {
        self.any(&|part| {
            matches!(
                part,
                JavaExpr::Field(..) | JavaExpr::Static(_) | JavaExpr::Element(..)
            )
        })
    }

    /// Whether evaluating it may raise an exception.
    pub fn may_raise(&self, variables: &[BodyVariable]) -> bool {
        self.any(&|part| part.raises_itself(variables))
    }

    /// Whether it may raise an exception even where its operands do not.
    fn raises_itself(&self, variables: &[BodyVariable]) -> bool {
        match self {
            JavaExpr::Field(object, _) => !object.is_this(variables),
            JavaExpr::Element(..) | JavaExpr::Length(_) | JavaExpr::Cast(..) => true,
            JavaExpr::Binary(ArithmeticOp::Divide | ArithmeticOp::Remainder, kind, _, divisor) => {
                matches!(kind, ComputationalType::Int | ComputationalType::Long)
                    && !divisor.is_nonzero_constant()
            }
            // A class is initialised where it is needed first.
            JavaExpr::Static(_) => true,
            JavaExpr::Constant(constant) => constant.is_resolved(),
            _ => false,
        }
    }

    fn is_nonzero_constant(&self) -> bool {
        match self {
            JavaExpr::Constant(PoolConstant::Int(value)) => *value != 0,
            JavaExpr::Constant(PoolConstant::Long(value)) => *value != 0,
            _ => false,
        }
    }

    /// Whether it is the object that the method was called on.
    pub fn is_this(&self, variables: &[BodyVariable]) -> bool {
        match self {
            JavaExpr::Variable(id) => variables
                .get(id.index())
                .is_some_and(|found| found.role == Role::This),
            _ => false,
        }
    }

    /// Whether its value may be that object, and not only something that is read of it.
    pub fn may_be_this(&self, variables: &[BodyVariable]) -> bool {
        match self {
            JavaExpr::Cast(_, inner) => inner.may_be_this(variables),
            JavaExpr::Conditional(_, a, b) => a.may_be_this(variables) || b.may_be_this(variables),
            other => other.is_this(variables),
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
        1 + operands.map(JavaExpr::depth).max().unwrap_or(0)
    }

    /// The type of its value; nothing for `null`.
    pub fn ty(&self, variables: &[BodyVariable]) -> Option<JavaType> {
        Some(match self {
            JavaExpr::Constant(constant) => return constant.ty(),
            JavaExpr::Variable(id) => {
                return variables.get(id.index()).map(|found| found.ty.clone());
            }
            JavaExpr::Boolean(_)
            | JavaExpr::Logic(..)
            | JavaExpr::Relation(..)
            | JavaExpr::Not(_)
            | JavaExpr::And(..)
            | JavaExpr::Or(..)
            | JavaExpr::InstanceOf(..)
            | JavaExpr::ToBoolean(_) => JavaType::Boolean,
            JavaExpr::Field(_, field) | JavaExpr::Static(field) => field.ty.clone(),
            JavaExpr::Element(_, _, ty) | JavaExpr::Convert(_, ty, _) | JavaExpr::Cast(ty, _) => {
                ty.clone()
            }
            JavaExpr::Length(_) | JavaExpr::Compare(..) | JavaExpr::FromBoolean(_) => JavaType::Int,
            JavaExpr::Binary(_, kind, ..) | JavaExpr::Negate(kind, _) => of_kind(*kind),
            JavaExpr::Conditional(_, a, b) => return joined(a.ty(variables), b.ty(variables)),
        })
    }

    /// Whether its value is `true` or `false`.
    pub fn is_boolean(&self, variables: &[BodyVariable]) -> bool {
        self.ty(variables) == Some(JavaType::Boolean)
    }

    /// The negation of a truth value, as simple as it can be.
    pub fn negated(self) -> JavaExpr {
        match self {
            JavaExpr::Boolean(value) => JavaExpr::Boolean(!value),
            JavaExpr::Not(operand) => *operand,
            JavaExpr::Relation(relation, operands, a, b) if !operands.has_nan(relation) => {
                JavaExpr::Relation(relation.negated(), operands, a, b)
            }
            JavaExpr::And(a, b) => JavaExpr::Or(Box::new(a.negated()), Box::new(b.negated())),
            JavaExpr::Or(a, b) => JavaExpr::And(Box::new(a.negated()), Box::new(b.negated())),
            other => JavaExpr::Not(Box::new(other)),
        }
    }
}

impl Operands {
    /// Whether a relation and its opposite may both fail to hold.
    fn has_nan(self, relation: Relation) -> bool {
        let ordered = !matches!(relation, Relation::Equal | Relation::NotEqual);
        ordered
            && matches!(
                self,
                Operands::Numbers(ComputationalType::Float | ComputationalType::Double)
            )
    }
}

/// The type that values of a kind have of which nothing else is known.
pub fn of_kind(kind: ComputationalType) -> JavaType {
    match kind {
        ComputationalType::Int => JavaType::Int,
        ComputationalType::Long => JavaType::Long,
        ComputationalType::Float => JavaType::Float,
        ComputationalType::Double => JavaType::Double,
        ComputationalType::Reference => JavaType::object(),
    }
}

/// A type for the values of both; nothing for that of `null`.
pub fn joined(a: Option<JavaType>, b: Option<JavaType>) -> Option<JavaType> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) if a == b => Some(a),
        (Some(a), Some(_)) => Some(of_kind(a.kind())),
    }
}
