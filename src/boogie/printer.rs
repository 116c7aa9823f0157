//! The syntax tree back to text: two blanks of indentation, one statement a line.
//!
//! Parsing the printed text gives the same tree.

use std::fmt::{self, Display, Formatter, Write};

use super::ast::*;

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
    Unary,
    Coercion,
    Access,
}

struct Commas<'a, T>(&'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{item}")?;
        }
        Ok(())
    }
}

struct Names<'a>(&'a [(String, Pos)]);

impl Display for Names<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, (name, _)) in self.0.iter().enumerate() {
            write!(f, "{}{name}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// Attributes, each with a blank behind it.
struct Attrs<'a>(&'a [Attribute]);

impl Display for Attrs<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|attr| write!(f, "{attr} "))
    }
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{:{}", self.name)?;
        if !self.args.is_empty() {
            write!(f, " {}", Commas(&self.args))?;
        }
        f.write_str("}")
    }
}

impl Display for AttrArg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            AttrArg::Str(s) => write!(f, "\"{s}\""),
            AttrArg::Expr(e) => write!(f, "{e}"),
        }
    }
}

struct TypeParams<'a>(&'a [String]);

impl Display for TypeParams<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => Ok(()),
            params => write!(f, "<{}>", Commas(params)),
        }
    }
}

impl Display for Type {
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
                write!(f, "{}[{}]{range}", TypeParams(params), Commas(domain))
            }
        }
    }
}

impl Expr {
    fn level(&self) -> Level {
        match &self.kind {
            ExprKind::Binary(op, ..) => match op {
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
            ExprKind::Chain(..) => Level::Logical,
            ExprKind::Unary(..) => Level::Unary,
            ExprKind::Coerce(..) => Level::Coercion,
            ExprKind::Ite(..) => Level::Iff,
            _ => Level::Access,
        }
    }
}

/// An operand: in parentheses unless it binds at least as tightly as its place asks.
struct At<'a>(&'a Expr, Level);

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // `if` and a type run as far to the right as they can.
        let greedy = matches!(self.0.kind, ExprKind::Ite(..) | ExprKind::Coerce(..));
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
        Level::Power => Level::Unary,
        Level::Unary => Level::Coercion,
        Level::Coercion | Level::Access => Level::Access,
    }
}

fn binary(f: &mut Formatter<'_>, op: BinOp, l: &Expr, r: &Expr, level: Level) -> fmt::Result {
    let (left, right) = match op {
        BinOp::Implies | BinOp::Pow => (above(level), level),
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Subtype => {
            (above(level), above(level))
        }
        _ => (level, above(level)),
    };
    // `==>` and `<==` share a level but do not mix.
    let mixed = |e: &Expr| matches!(&e.kind, ExprKind::Binary(o, ..) if e.level() == Level::Implies && *o != op);
    let side = |e: &Expr, at: Level| match mixed(e) && level == Level::Implies {
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

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Bool(b) => write!(f, "{b}"),
            ExprKind::Int(n) => write!(f, "{n}"),
            ExprKind::Real(r) => f.write_str(r),
            ExprKind::Bv(value, width) => write!(f, "{value}bv{width}"),
            ExprKind::Var(name) => f.write_str(name),
            ExprKind::Call(name, args) => write!(f, "{name}({})", Commas(args)),
            ExprKind::Old(e) => write!(f, "old({e})"),
            ExprKind::ToInt(e) => write!(f, "int({e})"),
            ExprKind::ToReal(e) => write!(f, "real({e})"),
            ExprKind::Unary(op, e) => {
                let symbol = match op {
                    UnOp::Not => "!",
                    UnOp::Neg => "-",
                };
                write!(f, "{symbol}{}", At(e, Level::Unary))
            }
            ExprKind::Binary(op, l, r) => binary(f, *op, l, r, self.level()),
            ExprKind::Chain(op, operands) => {
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
            ExprKind::Ite(c, a, b) => write!(f, "if {c} then {a} else {b}"),
            ExprKind::Select(map, indices) => {
                write!(f, "{}[{}]", At(map, Level::Access), Commas(indices))
            }
            ExprKind::Store(map, indices, value) => {
                let blank = if indices.is_empty() { "" } else { " " };
                write!(
                    f,
                    "{}[{}{blank}:= {value}]",
                    At(map, Level::Access),
                    Commas(indices)
                )
            }
            ExprKind::Extract(e, high, low) => write!(f, "{}[{high}:{low}]", At(e, Level::Access)),
            ExprKind::Quantified(q) => write!(f, "{q}"),
            ExprKind::Let(names, values, body) => {
                write!(f, "(var {} := {}; {body})", Commas(names), Commas(values))
            }
            ExprKind::Coerce(e, ty) => write!(f, "{}: {ty}", At(e, Level::Access)),
            ExprKind::Code(body) => {
                f.write_str("|{ ")?;
                let mut text = String::new();
                write_body(&mut text, body, 1)?;
                write!(f, "{text} }}|")
            }
        }
    }
}

impl Display for Quantified {
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

impl Display for VarDecl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", Attrs(&self.attrs), self.name, self.ty)?;
        match &self.where_ {
            Some(e) => write!(f, " where {e}"),
            None => Ok(()),
        }
    }
}

fn indent(out: &mut impl Write, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| out.write_str("  "))
}

fn write_body(out: &mut impl Write, body: &Body, depth: usize) -> fmt::Result {
    for var in &body.locals {
        indent(out, depth)?;
        writeln!(out, "var {var};")?;
    }
    write_stmts(out, &body.stmts, depth)
}

fn write_stmts(out: &mut impl Write, stmts: &[Stmt], depth: usize) -> fmt::Result {
    stmts
        .iter()
        .try_for_each(|stmt| write_stmt(out, stmt, depth))
}

fn write_block(out: &mut impl Write, stmts: &[Stmt], depth: usize) -> fmt::Result {
    out.write_str("{\n")?;
    write_stmts(out, stmts, depth + 1)?;
    indent(out, depth)?;
    out.write_str("}")
}

struct GuardText<'a>(&'a Guard);

impl Display for GuardText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(e) => write!(f, "({e})"),
            None => f.write_str("(*)"),
        }
    }
}

impl Display for Lhs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.indices
            .iter()
            .try_for_each(|i| write!(f, "[{}]", Commas(i)))
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let free = if self.free { "free " } else { "" };
        write!(f, "{free}call {}", Attrs(&self.attrs))?;
        for (i, out) in self.outs.iter().enumerate() {
            let name = out.as_ref().map_or("*", |(name, _)| name);
            write!(f, "{}{name}", if i > 0 { ", " } else { "" })?;
        }
        if !self.outs.is_empty() {
            f.write_str(" := ")?;
        }
        write!(f, "{}(", self.name)?;
        for (i, arg) in self.args.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            match arg {
                Some(e) => write!(f, "{e}")?,
                None => f.write_str("*")?,
            }
        }
        f.write_str(")")
    }
}

fn write_stmt(out: &mut impl Write, stmt: &Stmt, depth: usize) -> fmt::Result {
    if let StmtKind::Label(name) = &stmt.kind {
        indent(out, depth.saturating_sub(1))?;
        return writeln!(out, "{name}:");
    }
    indent(out, depth)?;
    match &stmt.kind {
        StmtKind::Label(_) => Ok(()),
        StmtKind::Assume(attrs, e) => writeln!(out, "assume {}{e};", Attrs(attrs)),
        StmtKind::Assert(attrs, e) => writeln!(out, "assert {}{e};", Attrs(attrs)),
        StmtKind::Assign(lhs, rhs) => writeln!(out, "{} := {};", Commas(lhs), Commas(rhs)),
        StmtKind::Havoc(names) => writeln!(out, "havoc {};", Names(names)),
        StmtKind::Call(call) => writeln!(out, "{call};"),
        StmtKind::If(arms, otherwise) => {
            for (i, (guard, then)) in arms.iter().enumerate() {
                write!(
                    out,
                    "{}if {} ",
                    if i > 0 { " else " } else { "" },
                    GuardText(guard)
                )?;
                write_block(out, then, depth)?;
            }
            if let Some(otherwise) = otherwise {
                out.write_str(" else ")?;
                write_block(out, otherwise, depth)?;
            }
            out.write_str("\n")
        }
        StmtKind::While(guard, invariants, body) => {
            writeln!(out, "while {}", GuardText(guard))?;
            for i in invariants {
                indent(out, depth + 1)?;
                writeln!(
                    out,
                    "{}invariant {}{};",
                    free(i.free),
                    Attrs(&i.attrs),
                    i.expr
                )?;
            }
            indent(out, depth)?;
            write_block(out, body, depth)?;
            out.write_str("\n")
        }
        StmtKind::Break(None) => writeln!(out, "break;"),
        StmtKind::Break(Some(label)) => writeln!(out, "break {label};"),
        StmtKind::Return(None) => writeln!(out, "return;"),
        StmtKind::Return(Some(e)) => writeln!(out, "return {e};"),
        StmtKind::Goto(labels) => writeln!(out, "goto {};", Names(labels)),
    }
}

fn free(free: bool) -> &'static str {
    if free { "free " } else { "" }
}

impl Display for Signature {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}({})",
            TypeParams(&self.type_params),
            Commas(&self.ins)
        )?;
        match self.outs.as_slice() {
            [] => Ok(()),
            outs => write!(f, " returns ({})", Commas(outs)),
        }
    }
}

impl Display for Spec {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Spec::Requires(c) => {
                write!(f, "{}requires {}{};", free(c.free), Attrs(&c.attrs), c.expr)
            }
            Spec::Ensures(c) => write!(f, "{}ensures {}{};", free(c.free), Attrs(&c.attrs), c.expr),
            Spec::Modifies(names) => write!(f, "modifies {};", Names(names)),
        }
    }
}

fn write_braced(f: &mut Formatter<'_>, body: &Body) -> fmt::Result {
    f.write_str("{\n")?;
    write_body(f, body, 1)?;
    f.write_str("}\n")
}

impl Display for Decl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Decl::Type(t) => {
                write!(f, "type {}{}", Attrs(&t.attrs), t.name)?;
                t.params.iter().try_for_each(|p| write!(f, " {p}"))?;
                match &t.synonym {
                    Some(ty) => writeln!(f, " = {ty};"),
                    None => writeln!(f, ";"),
                }
            }
            Decl::Const(c) => {
                let unique = if c.unique { "unique " } else { "" };
                write!(f, "const {}{unique}{}: {}", Attrs(&c.attrs), c.name, c.ty)?;
                if let Some(order) = &c.order {
                    write!(f, " extends")?;
                    for (i, parent) in order.parents.iter().enumerate() {
                        let comma = if i > 0 { "," } else { "" };
                        let unique = if parent.unique { " unique" } else { "" };
                        write!(f, "{comma}{unique} {}", parent.name)?;
                    }
                    f.write_str(if order.complete { " complete" } else { "" })?;
                }
                writeln!(f, ";")
            }
            Decl::Function(g) => {
                write!(
                    f,
                    "function {}{}{}(",
                    Attrs(&g.attrs),
                    g.name,
                    TypeParams(&g.type_params)
                )?;
                for (i, (name, ty)) in g.params.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    match name {
                        Some(name) => write!(f, "{name}: {ty}")?,
                        None => write!(f, "{ty}")?,
                    }
                }
                match &g.result_name {
                    Some(name) => write!(f, ") returns ({name}: {})", g.result)?,
                    None => write!(f, "): {}", g.result)?,
                }
                match &g.body {
                    Some(body) => writeln!(f, " {{ {body} }}"),
                    None => writeln!(f, ";"),
                }
            }
            Decl::Axiom(a) => writeln!(f, "axiom {}{};", Attrs(&a.attrs), a.expr),
            Decl::Var(v) => writeln!(f, "var {v};"),
            Decl::Procedure(p) => {
                write!(f, "procedure {}{}{}", Attrs(&p.attrs), p.name, p.signature)?;
                writeln!(f, "{}", if p.body.is_none() { ";" } else { "" })?;
                p.specs.iter().try_for_each(|s| writeln!(f, "  {s}"))?;
                match &p.body {
                    Some(body) => write_braced(f, body),
                    None => Ok(()),
                }
            }
            Decl::Implementation(i) => {
                write!(
                    f,
                    "implementation {}{}{} ",
                    Attrs(&i.attrs),
                    i.name,
                    i.signature
                )?;
                write_braced(f, &i.body)
            }
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, decl) in self.decls.iter().enumerate() {
            if i > 0 && matches!(decl, Decl::Procedure(_) | Decl::Implementation(_)) {
                f.write_char('\n')?;
            }
            write!(f, "{decl}")?;
        }
        Ok(())
    }
}
