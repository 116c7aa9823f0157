//! Types and expressions, with no more parentheses than needed.

use std::fmt::{self, Display, Formatter};

use super::{Attrs, Commas, Tight, TypeParams, write_body};
use crate::boogie::ast::*;

/// How tightly an operator binds; the larger, the tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Iff,
    Implies,
    Logical,
    Relation,
    Concat,
    Sum,
    Product,
    Power,
    Is,
    Unary,
    Coercion,
    Access,
}

impl Display for TypeExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TypeKind::Bool => f.write_str("bool"),
            TypeKind::Int => f.write_str("int"),
            TypeKind::Real => f.write_str("real"),
            TypeKind::Bv(width) => write!(f, "bv{width}"),
            TypeKind::Named(name, args) => {
                f.write_str(name)?;
                for arg in args {
                    match &arg.kind {
                        TypeKind::Named(_, inner) if !inner.is_empty() => write!(f, " ({arg})")?,
                        TypeKind::Map(..) => write!(f, " ({arg})")?,
                        _ => write!(f, " {arg}")?,
                    }
                }
                Ok(())
            }
            TypeKind::Map(params, domain, range) => {
                if !params.is_empty() {
                    write!(f, "<{}>", Tight(params))?;
                }
                write!(f, "[{}]{range}", Tight(domain))
            }
        }
    }
}

impl BoogieExpr {
    fn level(&self) -> Level {
        match &self.kind {
            BoogieExprKind::Binary(op, ..) => match op {
                BinOp::Iff => Level::Iff,
                BinOp::Implies | BinOp::Explies => Level::Implies,
                BinOp::Eq
                | BinOp::Ne
                | BinOp::Lt
                | BinOp::Le
                | BinOp::Gt
                | BinOp::Ge
                | BinOp::Subtype => Level::Relation,
                BinOp::Concat => Level::Concat,
                BinOp::Add | BinOp::Sub => Level::Sum,
                BinOp::Mul | BinOp::Div | BinOp::Mod | BinOp::RealDiv => Level::Product,
                BinOp::Pow => Level::Power,
            },
            BoogieExprKind::Chain(..) => Level::Logical,
            BoogieExprKind::Is(..) => Level::Is,
            BoogieExprKind::Unary(..) => Level::Unary,
            BoogieExprKind::Float(text) if text.starts_with('-') => Level::Unary,
            BoogieExprKind::Coerce(..) => Level::Coercion,
            BoogieExprKind::Ite(..) => Level::Iff,
            _ => Level::Access,
        }
    }
}

/// An operand: in parentheses unless it binds at least as tightly as its place asks.
struct At<'a>(&'a BoogieExpr, Level);

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // `if` and a type run as far to the right as they can.
        let greedy = matches!(
            self.0.kind,
            BoogieExprKind::Ite(..) | BoogieExprKind::Coerce(..)
        );
        match self.0.level() >= self.1 && !greedy {
            true => write!(f, "{}", self.0),
            false => write!(f, "({})", self.0),
        }
    }
}

/// The level an operand's place asks for, one above `level`.
fn above(level: Level) -> Level {
    match level {
        Level::Iff => Level::Implies,
        Level::Implies => Level::Logical,
        Level::Logical => Level::Relation,
        Level::Relation => Level::Concat,
        Level::Concat => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Power,
        Level::Power => Level::Is,
        Level::Is => Level::Unary,
        Level::Unary => Level::Coercion,
        Level::Coercion | Level::Access => Level::Access,
    }
}

fn binary(
    f: &mut Formatter<'_>,
    op: BinOp,
    l: &BoogieExpr,
    r: &BoogieExpr,
    level: Level,
) -> fmt::Result {
    let (left, right) = match op {
        BinOp::Implies | BinOp::Pow => (above(level), level),
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Subtype => {
            (above(level), above(level))
        }
        _ => (level, above(level)),
    };
    // `==>` and `<==` share a level but do not mix.
    let mixed = |e: &BoogieExpr| matches!(&e.kind, BoogieExprKind::Binary(o, ..) if e.level() == Level::Implies && *o != op);
    let side = |e: &BoogieExpr, at: Level| match mixed(e) && level == Level::Implies {
        true => Level::Access,
        false => at,
    };
    write!(
        f,
        "{} {} {}",
        At(l, side(l, left)),
        op.text(),
        At(r, side(r, right))
    )
}

impl Display for BoogieExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            BoogieExprKind::Bool(b) => write!(f, "{b}"),
            BoogieExprKind::Int(n) => write!(f, "{n}"),
            BoogieExprKind::Real(r) => f.write_str(r),
            BoogieExprKind::Bv(value, width) => write!(f, "{value}bv{width}"),
            BoogieExprKind::Float(text) => f.write_str(text),
            BoogieExprKind::Str(text) => write!(f, "\"{text}\""),
            BoogieExprKind::Var(name) => f.write_str(name),
            BoogieExprKind::Call(name, args) => write!(f, "{name}({})", Commas(args)),
            BoogieExprKind::Old(e) => write!(f, "old({e})"),
            BoogieExprKind::ToInt(e) => write!(f, "int({e})"),
            BoogieExprKind::ToReal(e) => write!(f, "real({e})"),
            BoogieExprKind::Unary(op, e) => {
                let symbol = match op {
                    UnOp::Not => "!",
                    UnOp::Neg => "-",
                };
                let operand = At(e, Level::Unary).to_string();
                // A sign right before a floating-point literal would be the literal's own.
                match *op == UnOp::Neg && operand.starts_with("0x") {
                    true => write!(f, "{symbol}({e})"),
                    false => write!(f, "{symbol}{operand}"),
                }
            }
            BoogieExprKind::Binary(op, l, r) => binary(f, *op, l, r, self.level()),
            BoogieExprKind::Chain(op, operands) => {
                let symbol = match op {
                    ChainOp::And => " && ",
                    ChainOp::Or => " || ",
                };
                for (i, operand) in operands.iter().enumerate() {
                    write!(
                        f,
                        "{}{}",
                        if i > 0 { symbol } else { "" },
                        At(operand, Level::Relation)
                    )?;
                }
                Ok(())
            }
            BoogieExprKind::Ite(c, a, b) => write!(f, "if {c} then {a} else {b}"),
            BoogieExprKind::Select(map, indices) => {
                write!(f, "{}[{}]", At(map, Level::Access), Commas(indices))
            }
            BoogieExprKind::Store(map, indices, value) => {
                let blank = if indices.is_empty() { "" } else { " " };
                write!(
                    f,
                    "{}[{}{blank}:= {value}]",
                    At(map, Level::Access),
                    Commas(indices)
                )
            }
            BoogieExprKind::Field(e, field) => write!(f, "{}->{field}", At(e, Level::Access)),
            BoogieExprKind::Update(e, field, new) => {
                write!(f, "{}->({field} := {new})", At(e, Level::Access))
            }
            BoogieExprKind::Is(e, constructor) => {
                write!(f, "{} is {constructor}", At(e, Level::Unary))
            }
            BoogieExprKind::Extract(e, high, low) => {
                write!(f, "{}[{high}:{low}]", At(e, Level::Access))
            }
            BoogieExprKind::Quantified(q) => write!(f, "{q}"),
            BoogieExprKind::Let(names, values, body) => {
                write!(f, "(var {} := {}; {body})", Commas(names), Commas(values))
            }
            BoogieExprKind::Coerce(e, ty) => write!(f, "{}: {ty}", At(e, Level::Access)),
            BoogieExprKind::Code(body) => {
                f.write_str("|{ ")?;
                let mut text = String::new();
                write_body(&mut text, body, 1)?;
                write!(f, "{text} }}|")
            }
        }
    }
}

impl Display for QuantifiedExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let word = match self.kind {
            QuantKind::Forall => "forall",
            QuantKind::Exists => "exists",
            QuantKind::Lambda => "lambda",
        };
        let blank = if self.vars.is_empty() { "" } else { " " };
        write!(
            f,
            "({word}{}{blank}{} :: ",
            TypeParams(&self.type_params),
            Commas(&self.vars)
        )?;
        write!(f, "{}", Attrs(&self.attrs))?;
        for trigger in &self.triggers {
            write!(f, "{{ {} }} ", Commas(trigger))?;
        }
        write!(f, "{})", self.body)
    }
}
