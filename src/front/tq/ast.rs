//! The syntax tree of a `.tq` file: what is written, before names and types are known.
//!
//! The tree is also the JSON format (`tranquera parse --format json`): every node serialises without its
//! [`Span`], and a tree read from JSON has empty spans.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use super::names::is_showable;
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp, Control, Quantifier, RoutineKind, UserLine};

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

/// How a routine is shown, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ShownText {
    /// The text, without its quotes.
    pub text: String,
    /// Where it is written, with its quotes.
    #[serde(skip)]
    pub span: Span,
}

impl ShownText {
    /// Why it cannot be shown.
    pub(super) fn wrong(&self) -> Option<&'static str> {
        (!is_showable(&self.text))
            .then_some("this cannot be told from the words around it where it is shown")
    }
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSyntax {
    /// The declarations, in the order written.
    pub items: Vec<ItemSyntax>,
}

/// A top-level declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ItemSyntax {
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
    /// `exception E shown as "text";`
    Exception {
        /// The exception's name.
        name: Ident,
        /// What it is called where it is shown.
        #[serde(default)]
        shown: Option<ShownText>,
    },
    /// `class C { … }`
    Class(ClassSyntax),
}

/// `class C { … }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassSyntax {
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
        ty: TypeSyntax,
        /// Its value.
        value: Option<ExprSyntax>,
    },
    /// `var money: int := 0;`; the value, if any, is what every constructor starts from.
    Var {
        /// The field's name.
        name: Ident,
        /// Its type.
        ty: TypeSyntax,
        /// Its value when a constructor starts.
        value: Option<ExprSyntax>,
    },
    /// `invariant e;`
    Invariant(ExprSyntax),
    /// `fact e;`
    Fact(ExprSyntax),
    /// `initially e;`
    Initially(ExprSyntax),
    /// A constructor, action or procedure.
    Routine(RoutineSyntax),
    /// `function f(x: T): U { e }`
    Function(FunctionSyntax),
    /// `state { a, b } assumes e;`
    State {
        /// The enabled set that names the state.
        enabled: Vec<Ident>,
        /// What is known there.
        assumes: ExprSyntax,
        /// The whole member.
        #[serde(skip)]
        span: Span,
    },
}

/// A constructor, action or procedure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoutineSyntax {
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
    pub params: Vec<ParamSyntax>,
    /// Results, by name.
    #[serde(default)]
    pub returns: Vec<ParamSyntax>,
    /// `outcomes ok, mode`: results by whose values the action's edges are split.
    #[serde(default)]
    pub outcomes: Vec<Ident>,
    /// The contract's clauses, in the order written.
    #[serde(default)]
    pub contract: Vec<ContractClause>,
    /// The body; without one the contract is the meaning.
    pub body: Option<BlockSyntax>,
    /// From the first keyword to the end of the contract.
    #[serde(skip)]
    pub span: Span,
}

impl RoutineSyntax {
    /// The names that its contract and its body mention.
    pub fn names(&self, into: &mut BTreeSet<String>) {
        for clause in &self.contract {
            if let ContractClause::Requires(e) | ContractClause::Ensures(e) = clause {
                e.names(into);
            }
        }
        if let Some(body) = &self.body {
            body.names(into);
        }
    }
}

/// A parameter, result or bound variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamSyntax {
    /// Whether it is `hidden`: what the outside answers. Of parameters of actions, procedures and constructors only.
    #[serde(default)]
    pub hidden: bool,
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeSyntax,
}

impl ParamSyntax {
    /// One that is not hidden.
    pub fn new(name: Ident, ty: TypeSyntax) -> ParamSyntax {
        ParamSyntax {
            hidden: false,
            name,
            ty,
        }
    }
}

/// A clause of a contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ContractClause {
    /// `requires e`
    Requires(ExprSyntax),
    /// `ensures e`
    Ensures(ExprSyntax),
    /// `modifies f, Node.next`
    Modifies(Vec<FieldPath>),
    /// `throws E`
    Throws(Ident),
    /// `enabled when e with p := f`
    Enabled(SplitSyntax),
    /// `shown as "write(byte[])"`: the text, without its quotes.
    Shown(ShownText),
}

/// When an action can be called, said of the fields alone: what the tool cannot work out of its `requires` itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitSyntax {
    /// What is claimed.
    pub bound: Bound,
    /// The condition, over fields.
    pub condition: ExprSyntax,
    /// `with p := f`: values of parameters with which the action can be called where the condition holds.
    #[serde(default)]
    pub with: Vec<(Ident, ExprSyntax)>,
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
pub struct FunctionSyntax {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<ParamSyntax>,
    /// Its result's type.
    pub result: TypeSyntax,
    /// Its value.
    pub body: ExprSyntax,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeSyntax {
    /// `int`, `nat`, `bool`, `u8`, an enum, an opaque type or a class: whatever has a name.
    Name(Ident),
    /// `int in u8`
    Within(Ident),
    /// `C?`, `array<T>?`
    Nullable(Box<TypeSyntax>),
    /// `array<T>`
    Array(Box<TypeSyntax>),
    /// `map<K, V>`
    Map(Box<TypeSyntax>, Box<TypeSyntax>),
}

/// `{ … }`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlockSyntax {
    /// The statements in order.
    pub statements: Vec<StmtSyntax>,
}

impl BlockSyntax {
    /// The names that it mentions.
    pub fn names(&self, into: &mut BTreeSet<String>) {
        for statement in all_statements(&self.statements) {
            statement.expressions().iter().for_each(|e| e.names(into));
        }
    }

    /// Whether it mentions this name.
    pub fn mentions(&self, name: &str) -> bool {
        self.statements.iter().any(|inner| inner.mentions(name))
    }
}

/// Statements with all that are inside of them, outer ones first.
pub fn all_statements(statements: &[StmtSyntax]) -> Vec<&StmtSyntax> {
    let mut found = Vec::new();
    for statement in statements {
        found.push(statement);
        let blocks = statement.blocks().into_iter();
        found.extend(blocks.flat_map(|block| all_statements(&block.statements)));
    }
    found
}

/// A statement with its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StmtSyntax {
    /// What it says.
    pub kind: StmtSyntaxKind,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Of what it was made.
    #[serde(skip)]
    pub origin: Origin,
}

/// The line of the user's that a front end made a statement of. Like a place, it is a remark on the tree and no part of it: all are
/// equal.
#[derive(Clone, Debug, Default)]
pub struct Origin(pub Option<UserLine>);

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}

/// Notes the line that statements were made of, where none is known. What is in them was made of the same only `with_parts`: else it says so
/// itself.
pub fn note_origins(made: &mut [StmtSyntax], line: &UserLine, with_parts: bool) {
    for statement in made {
        statement.note_origin(line, with_parts);
    }
}

impl StmtSyntax {
    /// Notes the line that it was made of, if none is known; or also of all that is in it.
    fn note_origin(&mut self, line: &UserLine, with_parts: bool) {
        self.origin.0.get_or_insert_with(|| line.clone());
        if with_parts {
            for block in self.blocks_mut() {
                note_origins(&mut block.statements, line, true);
            }
        }
    }

    /// Whether it mentions this name.
    pub fn mentions(&self, name: &str) -> bool {
        self.expressions().into_iter().any(|e| e.mentions(name))
            || self.blocks().into_iter().any(|inner| inner.mentions(name))
    }
}

/// A loop whose variable counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForSyntax {
    /// What `break` and `continue` can call it.
    #[serde(default)]
    pub label: Option<Ident>,
    /// What counts, in the body and the invariants.
    pub name: Ident,
    /// Its type; `int` without one.
    #[serde(default)]
    pub ty: Option<TypeSyntax>,
    /// Where it begins: the first number of the first round, or the one above it where it goes down.
    pub from: ExprSyntax,
    /// Whether it goes down.
    #[serde(default)]
    pub down: bool,
    /// Where it ends: the number above the one of the last round, or that one where it goes down.
    pub to: ExprSyntax,
    /// What holds before each round, and behind the last.
    pub invariants: Vec<ExprSyntax>,
    /// The body.
    pub body: BlockSyntax,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StmtSyntaxKind {
    /// `var x: T := e;`
    Var {
        /// The variable's name.
        name: Ident,
        /// Its type.
        ty: TypeSyntax,
        /// Its first value; arbitrary without one.
        value: Option<Rhs>,
    },
    /// `x, a[i], o.f := e;`
    Assign {
        /// The places assigned (several only for a call with several results).
        targets: Vec<ExprSyntax>,
        /// The value.
        value: Rhs,
    },
    /// `m(args);`, `o.m(args);`: the expression is a call.
    Call(ExprSyntax),
    /// `if (c) { } else { }`; `else if` is an `else` with one `if` in it.
    If {
        /// The condition, or `*`.
        condition: ExprSyntax,
        /// Then.
        then: BlockSyntax,
        /// Else.
        otherwise: Option<BlockSyntax>,
    },
    /// `switch (e) { case A, B { } default { } }`
    Switch {
        /// What is looked at.
        subject: ExprSyntax,
        /// The cases, in order.
        cases: Vec<CaseSyntax>,
        /// What is done in no case.
        #[serde(default)]
        default: Option<BlockSyntax>,
    },
    /// `while (c) invariant i { }`, `l: while …`
    While {
        /// What `break` and `continue` can call it.
        #[serde(default)]
        label: Option<Ident>,
        /// The condition, or `*`.
        condition: ExprSyntax,
        /// What holds whenever the condition is looked at.
        invariants: Vec<ExprSyntax>,
        /// The body.
        body: BlockSyntax,
    },
    /// `for i: T := a to b invariant e { }`, `l: for i := b downto a { }`
    For(ForSyntax),
    /// `l: { … }`
    Labelled(Ident, BlockSyntax),
    /// `break;`, `break l;`
    Break(Option<Ident>),
    /// `continue;`, `continue l;`
    Continue(Option<Ident>),
    /// `return e, f;`: no value, or one for each result.
    Return(Vec<ExprSyntax>),
    /// `havoc x, o.f;`
    Havoc(Vec<ExprSyntax>),
    /// `havoc? x, y;`
    Guess(Vec<ExprSyntax>),
    /// `assume e;`
    Assume(ExprSyntax),
    /// `assert e;`
    Assert(ExprSyntax),
    /// `throw E;`; in a handler `throw;`, what it caught
    Throw(Option<Ident>),
    /// `try { } catch E, F { } catch { } finally { }`
    Try {
        /// What is tried.
        body: BlockSyntax,
        /// The handlers, in order.
        catches: Vec<CatchSyntax>,
        /// What is done in the end, however that comes.
        #[serde(default)]
        finally: Option<BlockSyntax>,
    },
    /// `{ … }` as a statement.
    Block(BlockSyntax),
}

/// `case A, B { … }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseSyntax {
    /// The values; at least one.
    pub values: Vec<ExprSyntax>,
    /// What is done then.
    pub body: BlockSyntax,
    /// Where it starts.
    #[serde(skip)]
    pub span: Span,
}

/// `catch E, F { … }`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatchSyntax {
    /// The exceptions caught; none for all.
    #[serde(default)]
    pub exceptions: Vec<Ident>,
    /// The word `catch`.
    #[serde(skip)]
    pub span: Span,
    /// What is done then.
    pub body: BlockSyntax,
}

/// The right-hand side of an assignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rhs {
    /// An expression; a call of a routine, or `*`, only on its own.
    Expr(ExprSyntax),
    /// `new C(args)`, `new C.name(args)`
    New {
        /// The class.
        class: Ident,
        /// The constructor's name, if it has one.
        constructor: Option<Ident>,
        /// Its arguments.
        args: Vec<ExprSyntax>,
    },
    /// `new T[n]`, `new T[n](v)`
    NewArray {
        /// The type of the elements.
        element: TypeSyntax,
        /// How many.
        length: ExprSyntax,
        /// What each of them is; arbitrary without one.
        #[serde(default)]
        fill: Option<ExprSyntax>,
    },
}

impl Rhs {
    /// The value itself, where it is an expression and nothing is made.
    pub fn expression(&self) -> Option<&ExprSyntax> {
        match self {
            Rhs::Expr(e) => Some(e),
            _ => None,
        }
    }

    /// Whether it mentions this name.
    pub fn mentions(&self, name: &str) -> bool {
        self.expressions().into_iter().any(|e| e.mentions(name))
    }
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExprSyntax {
    /// What it says.
    pub kind: Box<ExprSyntaxKind>,
    /// Where.
    #[serde(skip)]
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ExprSyntaxKind {
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
    Dot(ExprSyntax, Ident),
    /// `e[i]`
    Index(ExprSyntax, ExprSyntax),
    /// `map<K, V>(v)`: the map that is `v` at every key
    Everywhere {
        /// The type of the keys.
        key: TypeSyntax,
        /// The type of the values.
        value: TypeSyntax,
        /// The value.
        everywhere: ExprSyntax,
    },
    /// `m[k := v]`: the map `m`, changed at `k`
    Update(ExprSyntax, ExprSyntax, ExprSyntax),
    /// `f(args)`, `o.m(args)`
    Call {
        /// The object, when written.
        receiver: Option<ExprSyntax>,
        /// The function or routine.
        name: Ident,
        /// Its arguments.
        args: Vec<ExprSyntax>,
    },
    /// `u8(e)`, `int(e)`: the value in another integer type, wrapped into its range
    Convert(Ident, ExprSyntax),
    /// `-e`
    Neg(ExprSyntax),
    /// `!e`
    Not(ExprSyntax),
    /// `a op b` for arithmetic and boolean operators
    Binary(BinaryOp, ExprSyntax, ExprSyntax),
    /// `a < b`, and chains `a <= b < c`: the first operand, then operators with their right operands
    Compare(ExprSyntax, Vec<(CompareOp, ExprSyntax)>),
    /// `if c then a else b`
    If(ExprSyntax, ExprSyntax, ExprSyntax),
    /// `forall x: int, y: int :: e`
    Quantified(Quantifier, Vec<ParamSyntax>, ExprSyntax),
    /// `old(e)`
    Old(ExprSyntax),
}

impl ExprSyntax {
    /// The names that it mentions.
    pub fn names(&self, into: &mut BTreeSet<String>) {
        if let ExprSyntaxKind::Name(name) = &*self.kind {
            into.insert(name.name.clone());
        }
        self.children().iter().for_each(|e| e.names(into));
    }

    /// Whether it is this name.
    pub fn is_name(&self, name: &str) -> bool {
        matches!(&*self.kind, ExprSyntaxKind::Name(known) if known.name == name)
    }

    /// Whether it mentions this name.
    pub fn mentions(&self, name: &str) -> bool {
        self.any(&|part| part.is_name(name))
    }

    /// Whether it or an expression in it is such.
    pub fn any(&self, is: &impl Fn(&ExprSyntax) -> bool) -> bool {
        is(self) || self.children().into_iter().any(|part| part.any(is))
    }
}
