//! The syntax tree of a Boogie program.
//!
//! Declarations of several names (`var x, y: int;`) are one node a name. Places are remarks: they are equal to
//! each other, so that trees compare equal when they say the same thing.

mod expr;

pub use expr::*;

/// A place in the text, from 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pos {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub col: u32,
}

impl PartialEq for Pos {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Pos {}

/// A program: its declarations in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoogieProgram {
    /// The declarations.
    pub decls: Vec<Decl>,
}

/// A top-level declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Decl {
    /// `type`.
    Type(TypeDecl),
    /// `datatype`.
    Datatype(DatatypeDecl),
    /// `const`.
    Const(ConstDecl),
    /// `function`.
    Function(FunctionDecl),
    /// `axiom`.
    Axiom(AxiomDeclaration),
    /// `var`.
    Var(VarDecl),
    /// `procedure`, with its body where it has one.
    Procedure(ProcedureDeclaration),
    /// `implementation`.
    Implementation(Implementation),
}

/// An attribute: `{:name args}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name, without the colon.
    pub name: String,
    /// Its arguments.
    pub args: Vec<AttrArg>,
}

/// An argument of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrArg {
    /// A string, without its quotes.
    Str(String),
    /// An expression.
    Expr(BoogieExpr),
}

/// `type C a b;` or `type C a b = T;`
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDecl {
    /// Where the name is.
    pub pos: Pos,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// The name.
    pub name: String,
    /// The parameters.
    pub params: Vec<String>,
    /// What it stands for, if it is a synonym.
    pub synonym: Option<TypeExpr>,
}

/// `datatype D<a> { C(x: a), E() }`
#[derive(Clone, Debug, PartialEq)]
pub struct DatatypeDecl {
    /// Where the name is.
    pub pos: Pos,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// The name.
    pub name: String,
    /// The parameters.
    pub params: Vec<String>,
    /// How its values are made.
    pub constructors: Vec<ConstructorDecl>,
}

/// A constructor of a datatype.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstructorDecl {
    /// Where the name is.
    pub pos: Pos,
    /// The name.
    pub name: String,
    /// The fields.
    pub fields: Vec<VarDecl>,
}

/// `const unique c: T;`
#[derive(Clone, Debug, PartialEq)]
pub struct ConstDecl {
    /// Where the name is.
    pub pos: Pos,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// Is it different from every other unique constant of its type?
    pub unique: bool,
    /// The name.
    pub name: String,
    /// The type.
    pub ty: TypeExpr,
    /// Its place in the partial order `<:`.
    pub order: Option<ConstOrder>,
}

/// `extends unique p, q complete`: what is known of a constant in the partial order `<:`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstOrder {
    /// The constants right above it, and nothing else is; `unique` where what is below it is below no other child of
    /// that one.
    pub parents: Vec<Parent>,
    /// Are the constants that say so all that is right below it?
    pub complete: bool,
}

/// A constant right above another.
#[derive(Clone, Debug, PartialEq)]
pub struct Parent {
    /// Is the edge `unique`?
    pub unique: bool,
    /// Its name.
    pub name: String,
    /// Where it is named.
    pub pos: Pos,
}

/// `function f<a>(x: T): U { e }`
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDecl {
    /// Where the name is.
    pub pos: Pos,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// The name.
    pub name: String,
    /// Type parameters.
    pub type_params: Vec<String>,
    /// Parameters; a name may be missing.
    pub params: Vec<(Option<String>, TypeExpr)>,
    /// The name of the result in the `returns` form.
    pub result_name: Option<String>,
    /// The type of the result.
    pub result: TypeExpr,
    /// The definition.
    pub body: Option<BoogieExpr>,
}

/// `axiom e;`
#[derive(Clone, Debug, PartialEq)]
pub struct AxiomDeclaration {
    /// Where it is.
    pub pos: Pos,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// What holds.
    pub expr: BoogieExpr,
}

/// A variable: global, local, parameter or bound.
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    /// Where the name is.
    pub pos: Pos,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// The name.
    pub name: String,
    /// The type.
    pub ty: TypeExpr,
    /// The where clause.
    pub where_: Option<BoogieExpr>,
}

/// What a procedure and an implementation share.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureSignature {
    /// Type parameters.
    pub type_params: Vec<String>,
    /// Parameters.
    pub ins: Vec<VarDecl>,
    /// Results.
    pub outs: Vec<VarDecl>,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureDeclaration {
    /// Where the name is.
    pub pos: Pos,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// The name.
    pub name: String,
    /// Parameters and results.
    pub signature: ProcedureSignature,
    /// The contract.
    pub specs: Vec<Spec>,
    /// The body.
    pub body: Option<ProcedureBody>,
}

/// An implementation of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Implementation {
    /// Where the name is.
    pub pos: Pos,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// The name of the procedure.
    pub name: String,
    /// Parameters and results.
    pub signature: ProcedureSignature,
    /// The body.
    pub body: ProcedureBody,
}

/// A clause of a contract.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    /// `requires`, `free requires`.
    Requires(SpecCondition),
    /// `ensures`, `free ensures`.
    Ensures(SpecCondition),
    /// `modifies` names.
    Modifies(Vec<(String, Pos)>),
}

/// A condition of a contract or loop.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecCondition {
    /// Where it is.
    pub pos: Pos,
    /// Is it taken for granted?
    pub free: bool,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// What holds.
    pub expr: BoogieExpr,
}

/// The body of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureBody {
    /// Local variables.
    pub locals: Vec<VarDecl>,
    /// Statements.
    pub stmts: Vec<BoogieStmt>,
    /// Where the closing brace is.
    pub end: Pos,
}

/// A statement and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct BoogieStmt {
    /// Where it is.
    pub pos: Pos,
    /// What it is.
    pub kind: BoogieStmtKind,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum BoogieStmtKind {
    /// `L:`
    Label(String),
    /// `assume e;`
    Assume(Vec<Attribute>, BoogieExpr),
    /// `assert e;`
    Assert(Vec<Attribute>, BoogieExpr),
    /// `x, m[i], d->f := e, f, g;`
    Assign(Vec<Lhs>, Vec<BoogieExpr>),
    /// `C(x, y) := e;`: takes a value of a datatype apart.
    Unpack(String, Vec<(String, Pos)>, BoogieExpr),
    /// `hide f;`, `reveal *;`, `push;`, `pop;`: which definitions Boogie's prover is shown.
    Show(Show),
    /// `havoc x, y;`
    Havoc(Vec<(String, Pos)>),
    /// `call x, y := P(e, f);`
    Call(BoogieCall),
    /// `if … else if … else …`
    If(Vec<(BranchGuard, Vec<BoogieStmt>)>, Option<Vec<BoogieStmt>>),
    /// `while (e) invariant i; { }`
    While(BranchGuard, Vec<SpecCondition>, Vec<BoogieStmt>),
    /// `break;`, `break L;`
    Break(Option<String>),
    /// `return;`; with an expression only in a code expression.
    Return(Option<BoogieExpr>),
    /// `goto L, M;`
    Goto(Vec<(String, Pos)>),
}

/// The condition of an `if` or `while`; none is `*`.
pub type BranchGuard = Option<BoogieExpr>;

/// What a prover is shown from here on. It changes no execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Show {
    /// `hide f;`, or `hide *;`.
    Hide(Option<String>),
    /// `reveal f;`, or `reveal *;`.
    Reveal(Option<String>),
    /// `push;`
    Push,
    /// `pop;`
    Pop,
}

/// The left of an assignment: a variable, and the way from it to what is assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct Lhs {
    /// Where it is.
    pub pos: Pos,
    /// The variable.
    pub name: String,
    /// `[i, j]->f`.
    pub path: Vec<AccessPath>,
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq)]
pub enum AccessPath {
    /// `[i, j]`.
    Index(Vec<BoogieExpr>),
    /// `->f`.
    Field(String),
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct BoogieCall {
    /// `free call`.
    pub free: bool,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// What gets the results; none is `*`.
    pub outs: Vec<Option<(String, Pos)>>,
    /// The procedure.
    pub name: String,
    /// Arguments; none is `*`.
    pub args: Vec<Option<BoogieExpr>>,
}
