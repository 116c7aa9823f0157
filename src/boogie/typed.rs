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
    /// A type constructor of [`TypedProgram::types`].
    pub TypeId;
    /// A constant of [`TypedProgram::consts`].
    pub ConstId;
    /// A function of [`TypedProgram::functions`].
    pub FunctionId;
    /// A global variable of [`TypedProgram::globals`].
    pub GlobalId;
    /// A procedure of [`TypedProgram::procedures`], or one added to them.
    pub ProcedureId;
    /// A variable of [`TypedProcedure::vars`].
    pub LocalId;
    /// A block of [`TypedBody::blocks`].
    pub BlockId;
}

/// A type. Synonyms are expanded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoogieType {
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
    Con(TypeId, Vec<BoogieType>),
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
    pub domain: Vec<BoogieType>,
    /// The type of the elements.
    pub range: BoogieType,
}

/// A type constructor.
#[derive(Clone, Debug)]
pub struct TypeCon {
    /// Its name.
    pub name: String,
    /// How many arguments it takes.
    pub arity: usize,
    /// If it is a datatype, how its values are made.
    pub constructors: Option<Vec<DatatypeConstructor>>,
}

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub struct DatatypeConstructor {
    /// Its name.
    pub name: String,
    /// The datatype's type parameters, by the numbers of their [`BoogieType::Param`]s in the types of the fields.
    pub params: Vec<u32>,
    /// The function that makes a value.
    pub function: FunctionId,
    /// The function that tells whether a value was made by it.
    pub tester: FunctionId,
    /// What it is made of.
    pub fields: Vec<ConstructorField>,
}

/// A field of a constructor.
#[derive(Clone, Debug)]
pub struct ConstructorField {
    /// Its name. Several constructors may have a field of that name.
    pub name: String,
    /// Its type.
    pub ty: BoogieType,
    /// The function that takes it out of a value.
    pub selector: FunctionId,
}

/// A function that the solver has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverFunction {
    /// `{:bvbuiltin "…"}`, `{:builtin "…"}`, or `{:smt "…"}`, which Boogie itself does not know.
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
    pub ty: BoogieType,
    /// Is it different from every other unique constant of its type?
    pub unique: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct TypedFunction {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub pos: Pos,
    /// Its type parameters: the numbers of its [`BoogieType::Param`]s.
    pub type_params: Vec<u32>,
    /// Its parameters: the numbers of the [`TypedExprKind::Bound`] variables of the body, and their types.
    pub params: Vec<(u32, BoogieType)>,
    /// The type of its result.
    pub result: BoogieType,
    /// What it is defined as.
    pub body: Option<TypedExpr>,
    /// The solver's own function it stands for.
    pub builtin: Option<SolverFunction>,
}

/// An axiom.
#[derive(Clone, Debug)]
pub struct Axiom {
    /// Where it is.
    pub pos: Pos,
    /// What holds.
    pub expr: TypedExpr,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct TypedVariable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: BoogieType,
    /// What holds of its arbitrary values.
    pub where_: Option<TypedExpr>,
    /// Is it a local variable marked `{:assumption}`, which is true at the beginning?
    pub assumption: bool,
}

/// A condition of a contract.
#[derive(Clone, Debug)]
pub struct TypedCondition {
    /// Where it is.
    pub pos: Pos,
    /// Is it taken for granted?
    pub free: bool,
    /// What holds.
    pub expr: TypedExpr,
    /// It as written, for messages.
    pub text: String,
}

/// A procedure, with its implementation where it has one.
#[derive(Clone, Debug)]
pub struct TypedProcedure {
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
    pub vars: Table<LocalId, TypedVariable>,
    /// How many of them are parameters.
    pub ins: usize,
    /// How many behind those are results.
    pub outs: usize,
    /// Preconditions.
    pub requires: Vec<TypedCondition>,
    /// Postconditions.
    pub ensures: Vec<TypedCondition>,
    /// The globals it is declared to modify.
    pub modifies: Vec<GlobalId>,
    /// The blocks of its body; the first is the entry.
    pub body: Option<TypedBody>,
}

/// The body of a procedure.
#[derive(Clone, Debug)]
pub struct TypedBody {
    /// The blocks; the first is the entry.
    pub blocks: Table<BlockId, TypedBlock>,
    /// Where the closing brace is.
    pub end: Pos,
}

/// A block.
#[derive(Clone, Debug)]
pub struct TypedBlock {
    /// Its label.
    pub label: String,
    /// Where it begins.
    pub pos: Pos,
    /// What it does.
    pub cmds: Vec<TypedCmd>,
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
pub struct TypedCmd {
    /// Where it is.
    pub pos: Pos,
    /// What it does.
    pub kind: CmdKind,
}

/// A command.
#[derive(Clone, Debug)]
pub enum CmdKind {
    /// Blocks unless this holds.
    Assume(TypedExpr),
    /// Fails unless this holds; with the assertion as written.
    Assert(TypedExpr, String),
    /// All at once.
    Assign(Vec<(VariableRef, TypedExpr)>),
    /// Gives arbitrary values.
    Havoc(Vec<VariableRef>),
    /// Calls.
    Call(TypedCall),
}

/// A variable that can be assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VariableRef {
    /// A global variable.
    Global(GlobalId),
    /// A variable of the procedure.
    Local(LocalId),
}

/// A call.
#[derive(Clone, Debug)]
pub struct TypedCall {
    /// The procedure.
    pub callee: ProcedureId,
    /// What the callee's type parameters stand for.
    pub type_args: Vec<BoogieType>,
    /// Arguments; none is `*`.
    pub args: Vec<Option<TypedExpr>>,
    /// What gets the results; none is `*`.
    pub outs: Vec<Option<VariableRef>>,
    /// Is the callee's precondition taken for granted?
    pub free: bool,
    /// When it is, too.
    pub verified_under: Option<TypedExpr>,
    /// The string of its `{:cexpr "…"}`.
    pub cexpr: Option<String>,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct TypedExpr {
    /// What it is.
    pub kind: TypedExprKind,
    /// Its type.
    pub ty: BoogieType,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum TypedExprKind {
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
    Var(VariableRef),
    /// A global variable's value when the procedure began.
    Old(GlobalId),
    /// A constant.
    Const(ConstId),
    /// A bound variable.
    Bound(u32),
    /// A function, what its type parameters stand for, and its arguments.
    Call(FunctionId, Vec<BoogieType>, Vec<TypedExpr>),
    /// `!e`.
    Not(Box<TypedExpr>),
    /// `-e`.
    Neg(Box<TypedExpr>),
    /// Two operands.
    Binary(BinOp, Box<TypedExpr>, Box<TypedExpr>),
    /// `&&`, `||`.
    Chain(ChainOp, Vec<TypedExpr>),
    /// `if c then a else b`.
    Ite(Box<TypedExpr>, Box<TypedExpr>, Box<TypedExpr>),
    /// `m[i]`, and what the map's type parameters stand for.
    Select(Box<TypedExpr>, Vec<TypedExpr>, Vec<BoogieType>),
    /// `m[i := e]`, and what the map's type parameters stand for.
    Store(
        Box<TypedExpr>,
        Vec<TypedExpr>,
        Box<TypedExpr>,
        Vec<BoogieType>,
    ),
    /// `b[high:low]`.
    Extract(Box<TypedExpr>, u32, u32),
    /// A quantifier or lambda.
    Quantified(Box<Quantified>),
    /// A map with type parameters, by what it is at each of the types where it matters. The checker makes none.
    Instances(Vec<(Vec<BoogieType>, TypedExpr)>),
    /// `(var x := e; f)`.
    Let(Vec<(u32, TypedExpr)>, Box<TypedExpr>),
    /// `int(e)`.
    ToInt(Box<TypedExpr>),
    /// `real(e)`.
    ToReal(Box<TypedExpr>),
    /// `|{ … }|`: the blocks of a code expression, whose local variables are bound variables.
    Code(Box<CodeExpr>),
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
    pub vars: Vec<(u32, BoogieType)>,
    /// Triggers.
    pub triggers: Vec<Vec<TypedExpr>>,
    /// The body.
    pub body: TypedExpr,
}

/// A code expression: true when every way through its blocks ends in a true `return`.
#[derive(Clone, Debug)]
pub struct CodeExpr {
    /// Where it is.
    pub pos: Pos,
    /// The local variables, which are the procedure's.
    pub locals: Vec<LocalId>,
    /// The blocks; the first is the entry. A block with a value returns it.
    pub blocks: Table<BlockId, (TypedBlock, Option<TypedExpr>)>,
}

/// Where names lead.
#[derive(Clone, Debug, Default)]
pub(super) struct NameTable {
    pub types: HashMap<String, TypeName>,
    pub vars: HashMap<String, GlobalName>,
    pub functions: HashMap<String, FunctionId>,
    pub procedures: HashMap<String, ProcedureId>,
}

/// What the name of a type means.
#[derive(Clone, Debug)]
pub(super) enum TypeName {
    Con(TypeId),
    Synonym(Vec<String>, super::ast::TypeExpr),
}

/// What a name means outside every procedure.
#[derive(Clone, Copy, Debug)]
pub(super) enum GlobalName {
    Const(ConstId),
    Global(GlobalId),
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct TypedProgram {
    /// Type constructors.
    pub types: Table<TypeId, TypeCon>,
    /// Constants.
    pub consts: Table<ConstId, Const>,
    /// Functions.
    pub functions: Table<FunctionId, TypedFunction>,
    /// Axioms.
    pub axioms: Vec<Axiom>,
    /// Global variables.
    pub globals: Table<GlobalId, TypedVariable>,
    /// Procedures.
    pub procedures: Table<ProcedureId, TypedProcedure>,
    pub(super) names: NameTable,
    /// The next free number for bound variables and type parameters.
    pub(super) fresh: u32,
}

impl TypedProgram {
    /// The procedure of this name.
    pub fn procedure(&self, name: &str) -> Option<ProcedureId> {
        self.names.procedures.get(name).copied()
    }
}

impl TypedProcedure {
    /// Its parameters.
    pub fn params(&self) -> impl ExactSizeIterator<Item = LocalId> + use<> {
        (0..self.ins).map(LocalId::new)
    }

    /// Its results.
    pub fn results(&self) -> impl ExactSizeIterator<Item = LocalId> + use<> {
        (self.ins..self.ins + self.outs).map(LocalId::new)
    }
}

impl TypedExpr {
    /// A Boolean expression.
    pub fn bool(kind: TypedExprKind) -> Self {
        TypedExpr {
            kind,
            ty: BoogieType::Bool,
        }
    }

    /// Calls `change` on all expressions, those below before those above.
    ///
    /// # Errors
    ///
    /// The first error of `change`.
    pub fn change<E>(
        &mut self,
        change: &mut dyn FnMut(&mut TypedExpr) -> Result<(), E>,
    ) -> Result<(), E> {
        for child in self.children_mut() {
            child.change(change)?;
        }
        change(self)
    }

    /// Calls `visit` on this expression and all below, code expressions included.
    pub fn visit(&self, visit: &mut impl FnMut(&TypedExpr)) {
        visit(self);
        if let TypedExprKind::Code(code) = &self.kind {
            for (block, value) in &code.blocks {
                block
                    .cmds
                    .iter()
                    .flat_map(TypedCmd::exprs)
                    .chain(value)
                    .for_each(|e| e.visit(visit));
            }
        }
        self.children().into_iter().for_each(|e| e.visit(visit));
    }
}

/// The function of this name; with `mut`, what it gives can be changed.
macro_rules! children {
    ($children:ident $(, $mut:ident)?) => {
        impl TypedExpr {
            /// The expressions directly below, quantified and `let` bodies included; not those of a code expression.
            pub fn $children(&$($mut)? self) -> Vec<&$($mut)? TypedExpr> {
                match &$($mut)? self.kind {
                    TypedExprKind::Bool(_)
                    | TypedExprKind::Int(_)
                    | TypedExprKind::Real(_)
                    | TypedExprKind::Bv(..)
                    | TypedExprKind::Literal(_)
                    | TypedExprKind::Var(_)
                    | TypedExprKind::Old(_)
                    | TypedExprKind::Const(_)
                    | TypedExprKind::Bound(_)
                    | TypedExprKind::Code(_) => Vec::new(),
                    TypedExprKind::Call(_, _, args) | TypedExprKind::Chain(_, args) => {
                        args.into_iter().collect()
                    }
                    TypedExprKind::Not(e)
                    | TypedExprKind::Neg(e)
                    | TypedExprKind::Extract(e, ..)
                    | TypedExprKind::ToInt(e)
                    | TypedExprKind::ToReal(e) => vec![e],
                    TypedExprKind::Binary(_, l, r) => vec![l, r],
                    TypedExprKind::Ite(c, a, b) => vec![c, a, b],
                    TypedExprKind::Select(m, i, _) => {
                        std::iter::once(&$($mut)? **m).chain(i).collect()
                    }
                    TypedExprKind::Store(m, i, e, _) => {
                        let map_and_keys = std::iter::once(&$($mut)? **m).chain(i);
                        map_and_keys.chain([&$($mut)? **e]).collect()
                    }
                    TypedExprKind::Quantified(q) => {
                        let triggers = (&$($mut)? q.triggers).into_iter().flatten();
                        triggers.chain([&$($mut)? q.body]).collect()
                    }
                    TypedExprKind::Let(binds, body) => {
                        let bound = binds.into_iter().map(|(_, e)| e);
                        bound.chain([&$($mut)? **body]).collect()
                    }
                    TypedExprKind::Instances(all) => all.into_iter().map(|(_, e)| e).collect(),
                }
            }
        }
    };
}

children!(children);
children!(children_mut, mut);

impl TypedCmd {
    /// The expressions of the command.
    pub fn exprs(&self) -> Vec<&TypedExpr> {
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
