//! Expressions of the syntax tree.

use super::{NodeId, SolidityType};
use crate::front::solidity::place::FileRange;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its type.
    pub ty: SolidityType,
    /// Where it is.
    pub place: FileRange,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// A literal.
    Literal(Literal),
    /// A name.
    Name {
        /// The name.
        name: String,
        /// What it stands for; none for what is always there.
        declaration: Option<NodeId>,
    },
    /// `base.member`
    Member {
        /// What is before the point.
        base: Box<Expression>,
        /// The member's name.
        member: String,
        /// What it stands for, if that is declared somewhere.
        declaration: Option<NodeId>,
    },
    /// `base[index]`; without an index it is the name of a type.
    Index {
        /// What is looked into.
        base: Box<Expression>,
        /// Where.
        index: Option<Box<Expression>>,
    },
    /// `base[start:end]`
    Slice {
        /// What is looked into.
        base: Box<Expression>,
        /// From where; from the beginning if it is left out.
        start: Option<Box<Expression>>,
        /// To where, excluded; to the end if it is left out.
        end: Option<Box<Expression>>,
    },
    /// A call of any kind.
    Call(Box<CallExpression>),
    /// `callee{value: v, gas: g}`
    Options {
        /// What is going to be called.
        callee: Box<Expression>,
        /// The options.
        options: Vec<(String, Expression)>,
    },
    /// `new T`, which is then called.
    New(SolidityType),
    /// The name of an elementary type.
    TypeName,
    /// An operator before or behind its operand.
    Unary {
        /// The operator.
        operator: Unary,
        /// Whether it stands before the operand.
        prefix: bool,
        /// The operand.
        operand: Box<Expression>,
        /// The function that the operator stands for, at types of the user's own.
        function: Option<NodeId>,
    },
    /// An operator between two operands.
    Binary {
        /// The operator.
        operator: Binary,
        /// The left operand.
        left: Box<Expression>,
        /// The right operand.
        right: Box<Expression>,
        /// The type that both are converted to, but for shifts and powers: there it is that of the left one.
        common: SolidityType,
        /// The function that the operator stands for, at types of the user's own.
        function: Option<NodeId>,
    },
    /// `condition ? yes : no`
    Conditional {
        /// The condition.
        condition: Box<Expression>,
        /// Its value if that is true.
        yes: Box<Expression>,
        /// Its value if that is false.
        no: Box<Expression>,
    },
    /// `target = value`, `target += value`
    Assign {
        /// The operator, without `=`.
        operator: Option<Binary>,
        /// What is assigned to.
        target: Box<Expression>,
        /// What is assigned.
        value: Box<Expression>,
    },
    /// `(a, , b)`, and brackets around one expression.
    Tuple(Vec<Option<Expression>>),
    /// `[a, b]`
    Array(Vec<Expression>),
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallExpression {
    /// What it is.
    pub kind: CallKind,
    /// What is called.
    pub callee: Expression,
    /// The arguments, as they are written.
    pub arguments: Vec<Expression>,
    /// The names of the arguments, in the same order; empty where they have none.
    pub names: Vec<String>,
}

/// What looks like a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// A function.
    Function,
    /// `uint8(x)`
    Conversion,
    /// `S(a, b)`
    Struct,
}

/// A literal. Numbers have their value in their type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// `true`, `false`
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// The bytes of a string.
    Bytes(Vec<u8>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `!`
    Not,
    /// `~`
    BitNot,
    /// `-`
    Minus,
    /// `+`, of old versions.
    Plus,
    /// `++`
    Increment,
    /// `--`
    Decrement,
    /// `delete`
    Delete,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `**`
    Exp,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl Unary {
    /// Whether it changes its operand.
    pub fn assigns(self) -> bool {
        matches!(self, Unary::Increment | Unary::Decrement | Unary::Delete)
    }

    /// Reads it.
    pub fn parse(text: &str) -> Option<Unary> {
        Some(match text {
            "!" => Unary::Not,
            "~" => Unary::BitNot,
            "-" => Unary::Minus,
            "+" => Unary::Plus,
            "++" => Unary::Increment,
            "--" => Unary::Decrement,
            "delete" => Unary::Delete,
            _ => return None,
        })
    }
}

impl Binary {
    /// All of them, with how they are written.
    pub const ALL: [(&'static str, Binary); 19] = [
        ("+", Binary::Add),
        ("-", Binary::Sub),
        ("*", Binary::Mul),
        ("/", Binary::Div),
        ("%", Binary::Mod),
        ("**", Binary::Exp),
        ("<<", Binary::Shl),
        (">>", Binary::Shr),
        ("&", Binary::BitAnd),
        ("|", Binary::BitOr),
        ("^", Binary::BitXor),
        ("==", Binary::Eq),
        ("!=", Binary::Ne),
        ("<", Binary::Lt),
        ("<=", Binary::Le),
        (">", Binary::Gt),
        (">=", Binary::Ge),
        ("&&", Binary::And),
        ("||", Binary::Or),
    ];

    /// Reads it.
    pub fn parse(text: &str) -> Option<Binary> {
        let mut all = Binary::ALL.into_iter();
        all.find_map(|(written, operator)| (written == text).then_some(operator))
    }
}
