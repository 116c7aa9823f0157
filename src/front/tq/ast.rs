//! The syntax tree of a `.tq` file: what is written, before names and types are known.
//!
//! The tree is also the JSON format (`tranquera parse --format json`): every node serialises without its
//! [`Span`], and a tree read from JSON has empty spans.

use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp, Control, Quantifier, RoutineKind};

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ident {
    /// The name as written.
    #[serde(deserialize_with = "super::json::identifier")]
    pub name: String,
    /// Where it is written.
    #[serde(skip)]
    pub span: Span,
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The declarations, in the order written.
    pub items: Vec<Item>,
}

/// A top-level declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Item {
    /// `enum Mode { Uninit, Sign }`
    Enum {
        /// The type's name.
        name: Ident,
        /// Its values, in order.
        members: Vec<Ident>,
    },
    /// `type T;`, `type T with A, B;`: values that can only be compared for equality.
    Opaque {
        /// The type's name.
        name: Ident,
        /// The names of some of its values.
        #[serde(default)]
        values: Vec<Ident>,
    },
    /// `exception E;`
    Exception {
        /// The exception's name.
        name: Ident,
    },
    /// `class C { … }`
    Class(Class),
}

/// `class C { … }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// The class's name.
    pub name: Ident,
    /// Its members, in the order written.
    pub members: Vec<Member>,
    /// The whole declaration.
    #[serde(skip)]
    pub span: Span,
}

/// A member of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Member {
    /// `const MAX: int := 5;`; without a value: fixed for an object's life, but not known.
    Const {
        /// The constant's name.
        name: Ident,
        /// Its type.
        ty: Type,
        /// Its value.
        value: Option<Expr>,
    },
    /// `var money: int := 0;`; the value, if any, is what every constructor starts from.
    Var {
        /// The field's name.
        name: Ident,
        /// Its type.
        ty: Type,
        /// Its value when a constructor starts.
        value: Option<Expr>,
    },
    /// `invariant e;`
    Invariant(Expr),
    /// `fact e;`
    Fact(Expr),
    /// `initially e;`
    Initially(Expr),
    /// A constructor, action or procedure.
    Routine(Routine),
    /// `function f(x: T): U { e }`
    Function(Function),
    /// `state { a, b } assumes e;`
    State {
        /// The enabled set that names the state.
        enabled: Vec<Ident>,
        /// What is known there.
        assumes: Expr,
        /// The whole member.
        #[serde(skip)]
        span: Span,
    },
}

/// A constructor, action or procedure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routine {
    /// Which of the three.
    pub kind: RoutineKind,
    /// Marked `pure`: it may not change a field.
    #[serde(default)]
    pub pure: bool,
    /// Marked `controllable` or `monitored`.
    #[serde(default)]
    pub control: Option<Control>,
    /// Its name; a constructor may have none.
    pub name: Option<Ident>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Results, by name.
    #[serde(default)]
    pub returns: Vec<Param>,
    /// `outcomes ok, mode`: results by whose values the action's edges are split.
    #[serde(default)]
    pub outcomes: Vec<Ident>,
    /// The contract's clauses, in the order written.
    #[serde(default)]
    pub contract: Vec<Clause>,
    /// The body; without one the contract is the meaning.
    pub body: Option<Block>,
    /// From the first keyword to the end of the contract.
    #[serde(skip)]
    pub span: Span,
}

/// A parameter, result or bound variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Param {
    /// Whether it is `hidden`: what the outside answers. Of parameters of actions, procedures and constructors only.
    #[serde(default)]
    pub hidden: bool,
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
}

impl Param {
    /// One that is not hidden.
    pub fn new(name: Ident, ty: Type) -> Param {
        Param {
            hidden: false,
            name,
            ty,
        }
    }
}

/// A clause of a contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Clause {
    /// `requires e`
    Requires(Expr),
    /// `ensures e`
    Ensures(Expr),
    /// `modifies f, Node.next`
    Modifies(Vec<FieldPath>),
    /// `throws E`
    Throws(Ident),
    /// `enabled when e with p := f`
    Enabled(Split),
}

/// When an action can be called, said of the fields alone: what the tool cannot work out of its `requires` itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// What is claimed.
    pub bound: Bound,
    /// The condition, over fields.
    pub condition: Expr,
    /// `with p := f`: values of parameters with which the action can be called where the condition holds.
    #[serde(default)]
    pub with: Vec<(Ident, Expr)>,
    /// The word `enabled`.
    #[serde(skip)]
    pub span: Span,
}

/// What a split claims of its condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// `over`: it holds wherever the action can be called.
    Over,
    /// `under`: the action can be called wherever it holds.
    Under,
    /// `when`: both.
    When,
}

/// `f`, or `C.f` for a field of another class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldPath {
    /// The class, when written.
    pub class: Option<Ident>,
    /// The field.
    pub field: Ident,
}

/// `function f(x: T): U { e }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its result's type.
    pub result: Type,
    /// Its value.
    pub body: Expr,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// `int`, `nat`, `bool`, `u8`, an enum, an opaque type or a class: whatever has a name.
    Name(Ident),
    /// `int in u8`
    Within(Ident),
    /// `C?`, `array<T>?`
    Nullable(Box<Type>),
    /// `array<T>`
    Array(Box<Type>),
    /// `map<K, V>`
    Map(Box<Type>, Box<Type>),
}

/// `{ … }`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Block {
    /// The statements in order.
    pub statements: Vec<Stmt>,
}

/// A statement with its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stmt {
    /// What it says.
    pub kind: StmtKind,
    /// Where.
    #[serde(skip)]
    pub span: Span,
}

impl Stmt {
    /// The blocks directly in this statement.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If {
                then, otherwise, ..
            } => [then].into_iter().chain(otherwise).collect(),
            StmtKind::While { body, .. } | StmtKind::Labelled(_, body) | StmtKind::Block(body) => {
                vec![body]
            }
            StmtKind::Try {
                body,
                catches,
                finally,
            } => {
                let handlers = catches.iter().map(|catch| &catch.body);
                [body].into_iter().chain(handlers).chain(finally).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The blocks directly in this statement, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.kind {
            StmtKind::If {
                then, otherwise, ..
            } => [then].into_iter().chain(otherwise).collect(),
            StmtKind::While { body, .. } | StmtKind::Labelled(_, body) | StmtKind::Block(body) => {
                vec![body]
            }
            StmtKind::Try {
                body,
                catches,
                finally,
            } => {
                let handlers = catches.iter_mut().map(|catch| &mut catch.body);
                [body].into_iter().chain(handlers).chain(finally).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The expressions directly in this statement, in the order written.
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Var { value, .. } => value.iter().flat_map(Rhs::expressions).collect(),
            StmtKind::Assign { targets, value } => {
                targets.iter().chain(value.expressions()).collect()
            }
            StmtKind::If { condition, .. } => vec![condition],
            StmtKind::While {
                condition,
                invariants,
                ..
            } => [condition].into_iter().chain(invariants).collect(),
            StmtKind::Call(e) | StmtKind::Assume(e) | StmtKind::Assert(e) => vec![e],
            StmtKind::Return(list) | StmtKind::Havoc(list) => list.iter().collect(),
            StmtKind::Labelled(..)
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Throw(_)
            | StmtKind::Try { .. }
            | StmtKind::Block(_) => Vec::new(),
        }
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StmtKind {
    /// `var x: T := e;`
    Var {
        /// The variable's name.
        name: Ident,
        /// Its type.
        ty: Type,
        /// Its first value; arbitrary without one.
        value: Option<Rhs>,
    },
    /// `x, a[i], o.f := e;`
    Assign {
        /// The places assigned (several only for a call with several results).
        targets: Vec<Expr>,
        /// The value.
        value: Rhs,
    },
    /// `m(args);`, `o.m(args);`: the expression is a call.
    Call(Expr),
    /// `if (c) { } else { }`; `else if` is an `else` with one `if` in it.
    If {
        /// The condition, or `*`.
        condition: Expr,
        /// Then.
        then: Block,
        /// Else.
        otherwise: Option<Block>,
    },
    /// `while (c) invariant i { }`, `l: while …`
    While {
        /// What `break` and `continue` can call it.
        #[serde(default)]
        label: Option<Ident>,
        /// The condition, or `*`.
        condition: Expr,
        /// What holds whenever the condition is looked at.
        invariants: Vec<Expr>,
        /// The body.
        body: Block,
    },
    /// `l: { … }`
    Labelled(Ident, Block),
    /// `break;`, `break l;`
    Break(Option<Ident>),
    /// `continue;`, `continue l;`
    Continue(Option<Ident>),
    /// `return e, f;`: no value, or one for each result.
    Return(Vec<Expr>),
    /// `havoc x, o.f;`
    Havoc(Vec<Expr>),
    /// `assume e;`
    Assume(Expr),
    /// `assert e;`
    Assert(Expr),
    /// `throw E;`; in a handler `throw;`, what it caught
    Throw(Option<Ident>),
    /// `try { } catch E, F { } catch { } finally { }`
    Try {
        /// What is tried.
        body: Block,
        /// The handlers, in order.
        catches: Vec<Catch>,
        /// What is done in the end, however that comes.
        #[serde(default)]
        finally: Option<Block>,
    },
    /// `{ … }` as a statement.
    Block(Block),
}

/// `catch E, F { … }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catch {
    /// The exceptions caught; none for all.
    #[serde(default)]
    pub exceptions: Vec<Ident>,
    /// The word `catch`.
    #[serde(skip)]
    pub span: Span,
    /// What is done then.
    pub body: Block,
}

/// The right-hand side of an assignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rhs {
    /// An expression; a call of a routine, or `*`, only on its own.
    Expr(Expr),
    /// `new C(args)`, `new C.name(args)`
    New {
        /// The class.
        class: Ident,
        /// The constructor's name, if it has one.
        constructor: Option<Ident>,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `new T[n]`, `new T[n](v)`
    NewArray {
        /// The type of the elements.
        element: Type,
        /// How many.
        length: Expr,
        /// What each of them is; arbitrary without one.
        #[serde(default)]
        fill: Option<Expr>,
    },
}

impl Rhs {
    /// The expressions directly in it, in the order written.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Rhs::Expr(e) => vec![e],
            Rhs::New { args, .. } => args.iter().collect(),
            Rhs::NewArray { length, fill, .. } => [length].into_iter().chain(fill).collect(),
        }
    }
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Expr {
    /// What it says.
    pub kind: Box<ExprKind>,
    /// Where.
    #[serde(skip)]
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ExprKind {
    /// `15`; never negative (`-1` is a negation). In JSON a string of decimal digits.
    Int(#[serde(with = "super::json::decimal")] BigInt),
    /// `true`, `false`
    Bool(bool),
    /// `null`
    Null,
    /// `this`
    This,
    /// `*`: an arbitrary boolean
    Star,
    /// A name: variable, field, constant, enum value or type (before a dot).
    Name(Ident),
    /// `e.f`, `Mode.Sign`, `a.length`
    Dot(Expr, Ident),
    /// `e[i]`
    Index(Expr, Expr),
    /// `map<K, V>(v)`: the map that is `v` at every key
    Everywhere {
        /// The type of the keys.
        key: Type,
        /// The type of the values.
        value: Type,
        /// The value.
        everywhere: Expr,
    },
    /// `m[k := v]`: the map `m`, changed at `k`
    Update(Expr, Expr, Expr),
    /// `f(args)`, `o.m(args)`
    Call {
        /// The object, when written.
        receiver: Option<Expr>,
        /// The function or routine.
        name: Ident,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `u8(e)`, `int(e)`: the value in another integer type, wrapped into its range
    Convert(Ident, Expr),
    /// `-e`
    Neg(Expr),
    /// `!e`
    Not(Expr),
    /// `a op b` for arithmetic and boolean operators
    Binary(BinaryOp, Expr, Expr),
    /// `a < b`, and chains `a <= b < c`: the first operand, then operators with their right operands
    Compare(Expr, Vec<(CompareOp, Expr)>),
    /// `if c then a else b`
    If(Expr, Expr, Expr),
    /// `forall x: int, y: int :: e`
    Quantified(Quantifier, Vec<Param>, Expr),
    /// `old(e)`
    Old(Expr),
}

impl Expr {
    /// The expressions directly in this one, in the order written.
    pub fn children(&self) -> Vec<&Expr> {
        match &*self.kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Star
            | ExprKind::Name(_) => Vec::new(),
            ExprKind::Dot(e, _)
            | ExprKind::Everywhere { everywhere: e, .. }
            | ExprKind::Convert(_, e)
            | ExprKind::Neg(e)
            | ExprKind::Not(e)
            | ExprKind::Quantified(_, _, e)
            | ExprKind::Old(e) => vec![e],
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Update(a, b, c) | ExprKind::If(a, b, c) => vec![a, b, c],
            ExprKind::Call { receiver, args, .. } => receiver.iter().chain(args).collect(),
            ExprKind::Compare(first, rest) => std::iter::once(first)
                .chain(rest.iter().map(|(_, e)| e))
                .collect(),
        }
    }
}
