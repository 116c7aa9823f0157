//! A resolved, typed program: names are numbers, types are known, bodies are blocks of simple commands.
//!
//! Structured statements are gone: `if` and `while` are blocks with gotos, named as Boogie names them
//! (`anon0`, `anon3_LoopHead`, …). Loop invariants are assertions at the head of the loop.

use std::collections::HashMap;

use num_bigint::BigInt;

pub use super::ast::{BinOp, ChainOp};
use super::ast::{Pos, QuantKind};
use crate::ids::{Id, Table, id};

id! {
    /// A type constructor of [`Program::types`].
    pub TypeId;
    /// A constant of [`Program::consts`].
    pub ConstId;
    /// A function of [`Program::functions`].
    pub FunctionId;
    /// A global variable of [`Program::globals`].
    pub GlobalId;
    /// A procedure of [`Program::procedures`], or one added to them.
    pub ProcedureId;
    /// A variable of [`Procedure::vars`].
    pub LocalId;
    /// A block of [`Body::blocks`].
    pub BlockId;
}

/// A type. Synonyms are expanded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `real`.
    Real,
    /// `bvN`.
    Bv(u32),
    /// `floatSeE`: the bits of the significand, the leading one included, and of the exponent.
    Float(u32, u32),
    /// `rmode`: how floating-point operations round.
    Rounding,
    /// `string`.
    Str,
    /// `regex`.
    Regex,
    /// A type constructor with its arguments.
    Con(TypeId, Vec<Type>),
    /// A map.
    Map(Box<MapType>),
    /// A type parameter of a function, procedure or quantifier.
    Param(u32),
    /// A type parameter of a map type: how many map types with parameters stand between, and which.
    Bound(u32, u32),
    /// Not known yet; only inside the checker.
    Meta(u32),
}

/// The type of a map.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MapType {
    /// How many type parameters it has.
    pub params: u32,
    /// The types of the indices.
    pub domain: Vec<Type>,
    /// The type of the elements.
    pub range: Type,
}

/// A type constructor.
#[derive(Clone, Debug)]
pub struct TypeCon {
    /// Its name.
    pub name: String,
    /// How many arguments it takes.
    pub arity: usize,
    /// If it is a datatype, how its values are made.
    pub constructors: Option<Vec<Constructor>>,
}

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: String,
    /// The datatype's type parameters, by the numbers of their [`Type::Param`]s in the types of the fields.
    pub params: Vec<u32>,
    /// The function that makes a value.
    pub function: FunctionId,
    /// The function that tells whether a value was made by it.
    pub tester: FunctionId,
    /// What it is made of.
    pub fields: Vec<Field>,
}

/// A field of a constructor.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name. Several constructors may have a field of that name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The function that takes it out of a value.
    pub selector: FunctionId,
}

/// A function that the solver has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `{:bvbuiltin "…"}` or `{:builtin "…"}`.
    Solver(String),
    /// Makes a value of the datatype that is its result, by that constructor.
    Constructor(usize),
    /// Was its argument made by that constructor?
    Tester(usize),
    /// Of the value of a datatype that is its argument, made by that constructor, that field.
    Selector(usize, usize),
}

/// A name as the solver takes any name.
pub(crate) fn quoted(name: &str) -> String {
    format!("|{}|", name.trim_start_matches('\\'))
}

/// A constant.
#[derive(Clone, Debug)]
pub struct Const {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Is it different from every other unique constant of its type?
    pub unique: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub pos: Pos,
    /// Its type parameters: the numbers of its [`Type::Param`]s.
    pub type_params: Vec<u32>,
    /// Its parameters: the numbers of the [`ExprKind::Bound`] variables of the body, and their types.
    pub params: Vec<(u32, Type)>,
    /// The type of its result.
    pub result: Type,
    /// What it is defined as.
    pub body: Option<Expr>,
    /// The solver's own function it stands for.
    pub builtin: Option<Builtin>,
}

/// An axiom.
#[derive(Clone, Debug)]
pub struct Axiom {
    /// Where it is.
    pub pos: Pos,
    /// What holds.
    pub expr: Expr,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What holds of its arbitrary values.
    pub where_: Option<Expr>,
    /// Is it a local variable marked `{:assumption}`, which is true at the beginning?
    pub assumption: bool,
}

/// A condition of a contract.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Where it is.
    pub pos: Pos,
    /// Is it taken for granted?
    pub free: bool,
    /// What holds.
    pub expr: Expr,
    /// It as written, for messages.
    pub text: String,
}

/// A procedure, with its implementation where it has one.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// Where its name is.
    pub pos: Pos,
    /// Is it marked `{:entrypoint}`?
    pub entrypoint: bool,
    /// How much deeper than the bound it may recur (`{:SIextraRecBound n}`).
    pub extra_bound: u32,
    /// Its type parameters.
    pub type_params: Vec<u32>,
    /// Its variables: parameters, results, local variables.
    pub vars: Table<LocalId, Variable>,
    /// How many of them are parameters.
    pub ins: usize,
    /// How many behind those are results.
    pub outs: usize,
    /// Preconditions.
    pub requires: Vec<Condition>,
    /// Postconditions.
    pub ensures: Vec<Condition>,
    /// The globals it is declared to modify.
    pub modifies: Vec<GlobalId>,
    /// The blocks of its body; the first is the entry.
    pub body: Option<Body>,
}

/// The body of a procedure.
#[derive(Clone, Debug)]
pub struct Body {
    /// The blocks; the first is the entry.
    pub blocks: Table<BlockId, Block>,
    /// Where the closing brace is.
    pub end: Pos,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its label.
    pub label: String,
    /// Where it begins.
    pub pos: Pos,
    /// What it does.
    pub cmds: Vec<Cmd>,
    /// Where it goes.
    pub jump: Jump,
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Jump {
    /// To any of these blocks.
    Goto(Vec<BlockId>),
    /// Out of the procedure; the place is that of the `return`, or of the closing brace.
    Return(Pos),
}

/// A command and its place.
#[derive(Clone, Debug)]
pub struct Cmd {
    /// Where it is.
    pub pos: Pos,
    /// What it does.
    pub kind: CmdKind,
}

/// A command.
#[derive(Clone, Debug)]
pub enum CmdKind {
    /// Blocks unless this holds.
    Assume(Expr),
    /// Fails unless this holds; with the assertion as written.
    Assert(Expr, String),
    /// All at once.
    Assign(Vec<(Var, Expr)>),
    /// Gives arbitrary values.
    Havoc(Vec<Var>),
    /// Calls.
    Call(Call),
}

/// A variable that can be assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    /// A global variable.
    Global(GlobalId),
    /// A variable of the procedure.
    Local(LocalId),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The procedure.
    pub callee: ProcedureId,
    /// What the callee's type parameters stand for.
    pub type_args: Vec<Type>,
    /// Arguments; none is `*`.
    pub args: Vec<Option<Expr>>,
    /// What gets the results; none is `*`.
    pub outs: Vec<Option<Var>>,
    /// Is the callee's precondition taken for granted?
    pub free: bool,
    /// When it is, too.
    pub verified_under: Option<Expr>,
    /// The string of its `{:cexpr "…"}`.
    pub cexpr: Option<String>,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A Boolean.
    Bool(bool),
    /// An integer.
    Int(BigInt),
    /// A real, as written.
    Real(String),
    /// A bitvector: value and width.
    Bv(BigInt, u32),
    /// A floating-point number, rounding mode or string, as SMT-LIB writes it.
    Literal(String),
    /// A variable.
    Var(Var),
    /// A global variable's value when the procedure began.
    Old(GlobalId),
    /// A constant.
    Const(ConstId),
    /// A bound variable.
    Bound(u32),
    /// A function, what its type parameters stand for, and its arguments.
    Call(FunctionId, Vec<Type>, Vec<Expr>),
    /// `!e`.
    Not(Box<Expr>),
    /// `-e`.
    Neg(Box<Expr>),
    /// Two operands.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `&&`, `||`.
    Chain(ChainOp, Vec<Expr>),
    /// `if c then a else b`.
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `m[i]`, and what the map's type parameters stand for.
    Select(Box<Expr>, Vec<Expr>, Vec<Type>),
    /// `m[i := e]`, and what the map's type parameters stand for.
    Store(Box<Expr>, Vec<Expr>, Box<Expr>, Vec<Type>),
    /// `b[high:low]`.
    Extract(Box<Expr>, u32, u32),
    /// A quantifier or lambda.
    Quantified(Box<Quantified>),
    /// A map with type parameters, by what it is at each of the types where it matters. The checker makes none.
    Instances(Vec<(Vec<Type>, Expr)>),
    /// `(var x := e; f)`.
    Let(Vec<(u32, Expr)>, Box<Expr>),
    /// `int(e)`.
    ToInt(Box<Expr>),
    /// `real(e)`.
    ToReal(Box<Expr>),
    /// `|{ … }|`: the blocks of a code expression, whose local variables are bound variables.
    Code(Box<Code>),
}

/// A quantified expression.
#[derive(Clone, Debug)]
pub struct Quantified {
    /// Which.
    pub kind: QuantKind,
    /// Where it is.
    pub pos: Pos,
    /// Its type parameters.
    pub type_params: Vec<u32>,
    /// The bound variables and their types.
    pub vars: Vec<(u32, Type)>,
    /// Triggers.
    pub triggers: Vec<Vec<Expr>>,
    /// The body.
    pub body: Expr,
}

/// A code expression: true when every way through its blocks ends in a true `return`.
#[derive(Clone, Debug)]
pub struct Code {
    /// Where it is.
    pub pos: Pos,
    /// The local variables, which are the procedure's.
    pub locals: Vec<LocalId>,
    /// The blocks; the first is the entry. A block with a value returns it.
    pub blocks: Table<BlockId, (Block, Option<Expr>)>,
}

/// Where names lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub types: HashMap<String, TypeName>,
    pub vars: HashMap<String, GlobalName>,
    pub functions: HashMap<String, FunctionId>,
    pub procedures: HashMap<String, ProcedureId>,
}

/// What the name of a type means.
#[derive(Clone, Debug)]
pub(super) enum TypeName {
    Con(TypeId),
    Synonym(Vec<String>, super::ast::Type),
}

/// What a name means outside every procedure.
#[derive(Clone, Copy, Debug)]
pub(super) enum GlobalName {
    Const(ConstId),
    Global(GlobalId),
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Type constructors.
    pub types: Table<TypeId, TypeCon>,
    /// Constants.
    pub consts: Table<ConstId, Const>,
    /// Functions.
    pub functions: Table<FunctionId, Function>,
    /// Axioms.
    pub axioms: Vec<Axiom>,
    /// Global variables.
    pub globals: Table<GlobalId, Variable>,
    /// Procedures.
    pub procedures: Table<ProcedureId, Procedure>,
    pub(super) names: Names,
    /// The next free number for bound variables and type parameters.
    pub(super) fresh: u32,
}

impl Program {
    /// The procedure of this name.
    pub fn procedure(&self, name: &str) -> Option<ProcedureId> {
        self.names.procedures.get(name).copied()
    }
}

impl Procedure {
    /// Its parameters.
    pub fn params(&self) -> impl ExactSizeIterator<Item = LocalId> + use<> {
        (0..self.ins).map(LocalId::new)
    }

    /// Its results.
    pub fn results(&self) -> impl ExactSizeIterator<Item = LocalId> + use<> {
        (self.ins..self.ins + self.outs).map(LocalId::new)
    }
}

impl Expr {
    /// A Boolean expression.
    pub fn bool(kind: ExprKind) -> Self {
        Expr {
            kind,
            ty: Type::Bool,
        }
    }

    /// The expressions directly below, quantified and `let` bodies included; not those of a code expression.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bv(..)
            | ExprKind::Literal(_)
            | ExprKind::Var(_)
            | ExprKind::Old(_)
            | ExprKind::Const(_)
            | ExprKind::Bound(_)
            | ExprKind::Code(_) => Vec::new(),
            ExprKind::Call(_, _, args) | ExprKind::Chain(_, args) => args.iter().collect(),
            ExprKind::Not(e)
            | ExprKind::Neg(e)
            | ExprKind::Extract(e, ..)
            | ExprKind::ToInt(e)
            | ExprKind::ToReal(e) => vec![e],
            ExprKind::Binary(_, l, r) => vec![l, r],
            ExprKind::Ite(c, a, b) => vec![c, a, b],
            ExprKind::Select(m, i, _) => std::iter::once(&**m).chain(i).collect(),
            ExprKind::Store(m, i, e, _) => std::iter::once(&**m).chain(i).chain([&**e]).collect(),
            ExprKind::Quantified(q) => q.triggers.iter().flatten().chain([&q.body]).collect(),
            ExprKind::Let(binds, body) => binds.iter().map(|(_, e)| e).chain([&**body]).collect(),
            ExprKind::Instances(all) => all.iter().map(|(_, e)| e).collect(),
        }
    }

    /// As [`Expr::children`], to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Bv(..)
            | ExprKind::Literal(_)
            | ExprKind::Var(_)
            | ExprKind::Old(_)
            | ExprKind::Const(_)
            | ExprKind::Bound(_)
            | ExprKind::Code(_) => Vec::new(),
            ExprKind::Call(_, _, args) | ExprKind::Chain(_, args) => args.iter_mut().collect(),
            ExprKind::Not(e)
            | ExprKind::Neg(e)
            | ExprKind::Extract(e, ..)
            | ExprKind::ToInt(e)
            | ExprKind::ToReal(e) => vec![e],
            ExprKind::Binary(_, l, r) => vec![l, r],
            ExprKind::Ite(c, a, b) => vec![c, a, b],
            ExprKind::Select(m, i, _) => std::iter::once(&mut **m).chain(i).collect(),
            ExprKind::Store(m, i, e, _) => std::iter::once(&mut **m)
                .chain(i)
                .chain([&mut **e])
                .collect(),
            ExprKind::Quantified(q) => q
                .triggers
                .iter_mut()
                .flatten()
                .chain([&mut q.body])
                .collect(),
            ExprKind::Let(binds, body) => binds
                .iter_mut()
                .map(|(_, e)| e)
                .chain([&mut **body])
                .collect(),
            ExprKind::Instances(all) => all.iter_mut().map(|(_, e)| e).collect(),
        }
    }

    /// Calls `change` on all expressions, those below before those above.
    ///
    /// # Errors
    ///
    /// The first error of `change`.
    pub fn change<E>(
        &mut self,
        change: &mut dyn FnMut(&mut Expr) -> Result<(), E>,
    ) -> Result<(), E> {
        for child in self.children_mut() {
            child.change(change)?;
        }
        change(self)
    }

    /// Calls `visit` on this expression and all below, code expressions included.
    pub fn visit(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        if let ExprKind::Code(code) = &self.kind {
            for (block, value) in &code.blocks {
                block
                    .cmds
                    .iter()
                    .flat_map(Cmd::exprs)
                    .chain(value)
                    .for_each(|e| e.visit(visit));
            }
        }
        self.children().into_iter().for_each(|e| e.visit(visit));
    }
}

impl Cmd {
    /// The expressions of the command.
    pub fn exprs(&self) -> Vec<&Expr> {
        match &self.kind {
            CmdKind::Assume(e) | CmdKind::Assert(e, _) => vec![e],
            CmdKind::Assign(pairs) => pairs.iter().map(|(_, e)| e).collect(),
            CmdKind::Havoc(_) => Vec::new(),
            CmdKind::Call(call) => {
                let args = call.args.iter().flatten();
                args.chain(&call.verified_under).collect()
            }
        }
    }
}
