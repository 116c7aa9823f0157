//! The typed program: every name resolved, every expression with its type, convenience syntax taken apart.
//!
//! This is what the encoder, the interpreter and the analyses read. The resolver builds it from the
//! syntax tree; nothing else does, so whatever is in here is well-typed.
//!
//! What the resolver takes apart, so that nobody behind it needs to know:
//! - constants with a value are replaced by it; enum values, `this` and field paths are resolved;
//! - `m[k] := v` on a map is `m := m[k := v]`; chains of comparisons are conjunctions;
//! - `return e;` assigns the result and returns; `var x: T;` without a value is `havoc x;`
//! - `else if` is nested; a block as a statement is inlined (its variables are distinct anyway).

use num_bigint::BigInt;

use super::ast::{BinaryOp, CompareOp, Control, Quantifier, RoutineKind};
use super::span::Span;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub usize);
    };
}

id!(
    /// Index into [`Program::enums`].
    EnumId
);
id!(
    /// Index into [`Program::opaques`].
    OpaqueId
);
id!(
    /// Index into [`Program::exceptions`].
    ExceptionId
);
id!(
    /// Index into [`Program::classes`].
    ClassId
);
id!(
    /// Index into [`Program::vars`]: a parameter, result, local or bound variable of the whole program, so that
    /// no two variables are ever confused, whatever they are called.
    VarId
);

/// A field of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldRef {
    /// The class that declares it.
    pub class: ClassId,
    /// Index into [`Class::fields`].
    pub index: usize,
}

/// A constructor, action or procedure of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoutineRef {
    /// The class that declares it.
    pub class: ClassId,
    /// Index into [`Class::routines`].
    pub index: usize,
}

/// A function of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionRef {
    /// The class that declares it.
    pub class: ClassId,
    /// Index into [`Class::functions`].
    pub index: usize,
}

/// A whole file, resolved.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The enums.
    pub enums: Vec<Enum>,
    /// The names of the opaque types.
    pub opaques: Vec<String>,
    /// The names of the exceptions; the first are [`BuiltinException::ALL`].
    pub exceptions: Vec<String>,
    /// The classes, in the order declared.
    pub classes: Vec<Class>,
    /// All variables.
    pub vars: Vec<Var>,
}

impl Program {
    /// The class of this name.
    pub fn class_named(&self, name: &str) -> Option<ClassId> {
        self.classes
            .iter()
            .position(|c| c.name == name)
            .map(ClassId)
    }

    /// The class.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0]
    }

    /// The variable.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0]
    }

    /// The field's declaration.
    pub fn field(&self, field: FieldRef) -> &Field {
        &self.classes[field.class.0].fields[field.index]
    }

    /// The routine.
    pub fn routine(&self, routine: RoutineRef) -> &Routine {
        &self.classes[routine.class.0].routines[routine.index]
    }

    /// The function.
    pub fn function(&self, function: FunctionRef) -> &Function {
        &self.classes[function.class.0].functions[function.index]
    }

    /// The exception's name.
    pub fn exception(&self, id: ExceptionId) -> &str {
        &self.exceptions[id.0]
    }

    /// The type as written in the source.
    pub fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Int => "int".into(),
            Type::Nat => "nat".into(),
            Type::Bool => "bool".into(),
            Type::Machine(m) => m.name(),
            Type::Enum(id) => self.enums[id.0].name.clone(),
            Type::Opaque(id) => self.opaques[id.0].clone(),
            Type::Class { class, nullable } => {
                format!(
                    "{}{}",
                    self.classes[class.0].name,
                    if *nullable { "?" } else { "" }
                )
            }
            Type::Array { element, nullable } => {
                format!(
                    "array<{}>{}",
                    self.type_name(element),
                    if *nullable { "?" } else { "" }
                )
            }
            Type::Map(key, value) => {
                format!("map<{}, {}>", self.type_name(key), self.type_name(value))
            }
            Type::Null => "null".into(),
        }
    }
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// Its values, at least one.
    pub members: Vec<String>,
}

/// The exceptions that an operation itself can raise; each is an ordinary exception that can be caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BuiltinException {
    /// A field, element or routine of `null`.
    NullDereference,
    /// An array index outside `0 .. length - 1`.
    IndexOutOfRange,
    /// `div` or `mod` by zero.
    DivisionByZero,
    /// `new T[n]` with a negative `n`.
    NegativeLength,
    /// An `assert` that does not hold.
    AssertionFailure,
    /// A call, inside a body, of a routine whose `requires` does not hold.
    RequiresViolation,
}

impl BuiltinException {
    /// All of them, in the order of their ids.
    pub const ALL: [BuiltinException; 6] = [
        BuiltinException::NullDereference,
        BuiltinException::IndexOutOfRange,
        BuiltinException::DivisionByZero,
        BuiltinException::NegativeLength,
        BuiltinException::AssertionFailure,
        BuiltinException::RequiresViolation,
    ];

    /// Its id in every program.
    pub fn id(self) -> ExceptionId {
        ExceptionId(self as usize)
    }

    /// Its name in the source language.
    pub fn name(self) -> &'static str {
        match self {
            BuiltinException::NullDereference => "NullDereference",
            BuiltinException::IndexOutOfRange => "IndexOutOfRange",
            BuiltinException::DivisionByZero => "DivisionByZero",
            BuiltinException::NegativeLength => "NegativeLength",
            BuiltinException::AssertionFailure => "AssertionFailure",
            BuiltinException::RequiresViolation => "RequiresViolation",
        }
    }
}

/// A parameter, result, local or bound variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name in the source.
    pub name: String,
    /// Its declared type.
    pub ty: Type,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Its fields: `var`s, and `const`s without a value.
    pub fields: Vec<Field>,
    /// `invariant` clauses. The facts of the fields' types (`nat`, not null) belong to the invariant too; they
    /// follow from the types and are not repeated here.
    pub invariants: Vec<Expr>,
    /// `initially` clauses; only where there is no constructor.
    pub initially: Vec<Expr>,
    /// Constructors, actions and procedures, in the order declared.
    pub routines: Vec<Routine>,
    /// Functions. They do not call themselves, directly or through others.
    pub functions: Vec<Function>,
    /// `state { … } assumes e`
    pub states: Vec<StateAssumption>,
    /// The class's name in its declaration.
    pub span: Span,
}

impl Class {
    /// The indices of the routines of a kind, in the order declared.
    pub fn routines_of(&self, kind: RoutineKind) -> impl Iterator<Item = usize> + '_ {
        self.routines
            .iter()
            .enumerate()
            .filter(move |(_, r)| r.kind == kind)
            .map(|(i, _)| i)
    }
}

/// A field of a class.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its declared type.
    pub ty: Type,
    /// A `const` without a value: never assigned.
    pub constant: bool,
    /// Its value when a constructor starts (over constants only); arbitrary without one.
    pub value: Option<Expr>,
    /// Its name in its declaration.
    pub span: Span,
}

/// `state { a, b } assumes e`
#[derive(Clone, Debug)]
pub struct StateAssumption {
    /// The enabled actions (indices into [`Class::routines`]), sorted.
    pub enabled: Vec<usize>,
    /// What is known there.
    pub assumes: Expr,
}

/// A constructor, action or procedure.
#[derive(Clone, Debug)]
pub struct Routine {
    /// Which of the three.
    pub kind: RoutineKind,
    /// Its name; an unnamed constructor has its class's name.
    pub name: String,
    /// Marked `pure`; the resolver has checked that it writes no field, element or object.
    pub pure: bool,
    /// Marked `controllable` or `monitored`.
    pub control: Option<Control>,
    /// Parameters. They may not be assigned.
    pub params: Vec<VarId>,
    /// Results.
    pub results: Vec<VarId>,
    /// Results by whose values the action's edges are split; `bool` or enum.
    pub outcomes: Vec<VarId>,
    /// `requires` clauses, each on its own.
    pub requires: Vec<Expr>,
    /// When an action can be called, as the class says it: claims to be checked.
    pub split: Split,
    /// `ensures` clauses; [`ExprKind::Old`] occurs only here.
    pub ensures: Vec<Expr>,
    /// What a routine without a body may change: its `modifies` clause, or without one, the fields that occur
    /// outside `old(…)` in its `ensures`. With a body: its `modifies` clause as written, which the resolver has checked.
    pub modifies: Option<Vec<FieldRef>>,
    /// `throws` clauses.
    pub throws: Vec<ExceptionId>,
    /// The body.
    pub body: Option<Block>,
    /// The routine's header.
    pub span: Span,
}

/// `enabled over e`, `enabled under e with p := f`: when an action can be called, said of the fields alone.
#[derive(Clone, Debug, Default)]
pub struct Split {
    /// What holds wherever the action can be called.
    pub over: Option<Expr>,
    /// Where this holds the action can be called.
    pub under: Option<Expr>,
    /// Values of parameters, over fields, with which it can be called where `under` holds.
    pub witness: Vec<(VarId, Expr)>,
}

/// `function f(x: T): U { e }`
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<VarId>,
    /// Its result's type.
    pub result: Type,
    /// Its value; may mention `this`.
    pub body: Expr,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Unbounded integers.
    Int,
    /// Integers that are not negative. Only a declared type: an expression of this type is [`Type::Int`].
    Nat,
    /// Booleans.
    Bool,
    /// Integers that wrap.
    Machine(Machine),
    /// An enum.
    Enum(EnumId),
    /// An opaque type.
    Opaque(OpaqueId),
    /// A reference to an object.
    Class {
        /// Its class.
        class: ClassId,
        /// Whether it may be `null`.
        nullable: bool,
    },
    /// A reference to an array.
    Array {
        /// The type of its elements.
        element: Box<Type>,
        /// Whether it may be `null`.
        nullable: bool,
    },
    /// A total map (a value, not a reference).
    Map(Box<Type>, Box<Type>),
    /// The type of `null` where nothing says more.
    Null,
}

/// A machine integer type, `i8` to `u64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Machine {
    /// Whether it has negative values.
    pub signed: bool,
    /// 8, 16, 32 or 64.
    pub bits: u32,
}

impl Machine {
    /// `i8`, `u64`, …
    pub fn name(self) -> String {
        format!("{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }

    /// The smallest value.
    pub fn min(self) -> BigInt {
        if self.signed {
            -(BigInt::from(1) << (self.bits - 1))
        } else {
            BigInt::from(0)
        }
    }

    /// The largest value.
    pub fn max(self) -> BigInt {
        (BigInt::from(1) << (self.bits - u32::from(self.signed))) - 1
    }

    /// The number of values, 2^bits.
    pub fn modulus(self) -> BigInt {
        BigInt::from(1) << self.bits
    }
}

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it says.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

impl Stmt {
    /// The blocks directly in this statement, in the order they are written.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If(_, then, otherwise) => vec![then, otherwise],
            StmtKind::While { body, .. } => vec![body],
            StmtKind::Try { body, catches } => std::iter::once(body)
                .chain(catches.iter().map(|(_, handler)| handler))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The statement with other blocks in it: each what `change` makes of the one that was there.
    pub fn map_blocks(&self, mut change: impl FnMut(&Block) -> Block) -> Stmt {
        let mut mapped = self.clone();
        match &mut mapped.kind {
            StmtKind::If(_, then, otherwise) => {
                *then = change(then);
                *otherwise = change(otherwise);
            }
            StmtKind::While { body, .. } => *body = change(body),
            StmtKind::Try { body, catches } => {
                *body = change(body);
                for (_, handler) in catches {
                    *handler = change(handler);
                }
            }
            _ => {}
        }
        mapped
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `p := e;`
    Assign(Place, Expr),
    /// `havoc p;`: any value of the place's declared type
    Havoc(Place),
    /// `p, q := o.m(args);`: the receiver is looked at first, then the arguments, left to right
    Call {
        /// One place a result, or none at all.
        targets: Vec<Place>,
        /// The object; [`ExprKind::This`] for an unqualified call.
        receiver: Expr,
        /// What is called: an action or procedure.
        routine: RoutineRef,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `p := new C(args);`
    New {
        /// Where the object goes.
        target: Place,
        /// Its class.
        class: ClassId,
        /// Its constructor; none where the class has none (its `initially` is its meaning).
        constructor: Option<RoutineRef>,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `p := new T[n];`: the elements are arbitrary
    NewArray {
        /// Where the array goes.
        target: Place,
        /// The type of its elements.
        element: Type,
        /// How many.
        length: Expr,
    },
    /// `assume e;`
    Assume(Expr),
    /// `assert e;`: raises [`BuiltinException::AssertionFailure`] where `e` is false
    Assert(Expr),
    /// `if (c) { } else { }`
    If(Condition, Block, Block),
    /// `while (c) { }`
    While {
        /// The condition.
        condition: Condition,
        /// Hints for proofs; not part of the execution.
        invariants: Vec<Expr>,
        /// The body.
        body: Block,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;`
    Return,
    /// `throw E;`
    Throw(ExceptionId),
    /// `try { } catch E { }`
    Try {
        /// What is tried.
        body: Block,
        /// The handlers; each exception at most once.
        catches: Vec<(ExceptionId, Block)>,
    },
}

/// A branch's condition.
#[derive(Clone, Debug)]
pub enum Condition {
    /// `*`: either way
    Any,
    /// A boolean expression.
    Expr(Expr),
}

/// What can be assigned.
#[derive(Clone, Debug)]
pub enum Place {
    /// A local variable or result.
    Var(VarId),
    /// A field of an object; [`ExprKind::This`] for the object itself.
    Field(Expr, FieldRef),
    /// An element of an array.
    Element(Expr, Expr),
}

/// An expression with its type and place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it says.
    pub kind: Box<ExprKind>,
    /// Its type; never [`Type::Nat`].
    pub ty: Type,
    /// Where.
    pub span: Span,
}

impl Expr {
    /// The expressions directly in this one, in the order they are looked at.
    pub fn children(&self) -> Vec<&Expr> {
        match &*self.kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Member(..)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Var(_) => Vec::new(),
            ExprKind::Field(e, _)
            | ExprKind::Length(e)
            | ExprKind::Convert(e)
            | ExprKind::Neg(e)
            | ExprKind::Not(e)
            | ExprKind::Quantified(_, _, e)
            | ExprKind::Old(e) => vec![e],
            ExprKind::Element(a, b)
            | ExprKind::Select(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b) => vec![a, b],
            ExprKind::Store(a, b, c) | ExprKind::If(a, b, c) => vec![a, b, c],
            ExprKind::Call { receiver, args, .. } => {
                std::iter::once(receiver).chain(args).collect()
            }
        }
    }
}

/// An expression. Arithmetic on a machine type wraps into the type of the expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer, negative ones included.
    Int(BigInt),
    /// A boolean.
    Bool(bool),
    /// A value of an enum, by its index.
    Member(EnumId, usize),
    /// `null`
    Null,
    /// The object itself.
    This,
    /// A variable.
    Var(VarId),
    /// A field of an object.
    Field(Expr, FieldRef),
    /// The length of an array.
    Length(Expr),
    /// An element of an array.
    Element(Expr, Expr),
    /// The value of a map at a key.
    Select(Expr, Expr),
    /// A map, changed at a key.
    Store(Expr, Expr, Expr),
    /// A function's value.
    Call {
        /// The object the function looks at.
        receiver: Expr,
        /// The function.
        function: FunctionRef,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// Into the type of this expression: wrapped into a machine type, or unchanged into `int`.
    Convert(Expr),
    /// `-e`
    Neg(Expr),
    /// `!e`
    Not(Expr),
    /// Arithmetic and boolean operators. `&&`, `||` and `==>` look at the right side only when the left side
    /// does not decide.
    Binary(BinaryOp, Expr, Expr),
    /// A comparison. `<` and its kin only on integers (of any types: values are compared).
    Compare(CompareOp, Expr, Expr),
    /// `if c then a else b`
    If(Expr, Expr, Expr),
    /// `forall x: T :: e`: over all values of the types
    Quantified(Quantifier, Vec<VarId>, Expr),
    /// `old(e)`: its value when the routine started
    Old(Expr),
}
