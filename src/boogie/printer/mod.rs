//! The syntax tree back to text: two blanks of indentation, one statement a line.
//!
//! Parsing the printed text gives the same tree.

mod expr;

use std::fmt::{self, Display, Formatter, Write};

use super::ast::*;

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

/// As Boogie writes lists inside types: with no blanks.
struct Tight<'a, T>(&'a [T]);

impl<T: Display> Display for Tight<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

struct CommaNames<'a>(&'a [(String, Pos)]);

impl Display for CommaNames<'_> {
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

fn write_body(out: &mut impl Write, body: &ProcedureBody, depth: usize) -> fmt::Result {
    for var in &body.locals {
        indent(out, depth)?;
        writeln!(out, "var {var};")?;
    }
    write_stmts(out, &body.stmts, depth)
}

fn write_stmts(out: &mut impl Write, stmts: &[BoogieStmt], depth: usize) -> fmt::Result {
    stmts
        .iter()
        .try_for_each(|stmt| write_stmt(out, stmt, depth))
}

fn write_block(out: &mut impl Write, stmts: &[BoogieStmt], depth: usize) -> fmt::Result {
    out.write_str("{\n")?;
    write_stmts(out, stmts, depth + 1)?;
    indent(out, depth)?;
    out.write_str("}")
}

struct GuardText<'a>(&'a BranchGuard);

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
        self.path.iter().try_for_each(|step| match step {
            AccessPath::Index(indices) => write!(f, "[{}]", Commas(indices)),
            AccessPath::Field(field) => write!(f, "->{field}"),
        })
    }
}

impl Display for Show {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (word, what) = match self {
            Show::Hide(what) => ("hide", what),
            Show::Reveal(what) => ("reveal", what),
            Show::Push => return f.write_str("push"),
            Show::Pop => return f.write_str("pop"),
        };
        write!(f, "{word} {}", what.as_deref().unwrap_or("*"))
    }
}

impl Display for BoogieCall {
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

fn write_stmt(out: &mut impl Write, stmt: &BoogieStmt, depth: usize) -> fmt::Result {
    if let BoogieStmtKind::Label(name) = &stmt.kind {
        indent(out, depth.saturating_sub(1))?;
        return writeln!(out, "{name}:");
    }
    indent(out, depth)?;
    match &stmt.kind {
        BoogieStmtKind::Label(_) => Ok(()),
        BoogieStmtKind::Assume(attrs, e) => writeln!(out, "assume {}{e};", Attrs(attrs)),
        BoogieStmtKind::Assert(attrs, e) => writeln!(out, "assert {}{e};", Attrs(attrs)),
        BoogieStmtKind::Assign(lhs, rhs) => writeln!(out, "{} := {};", Commas(lhs), Commas(rhs)),
        BoogieStmtKind::Unpack(constructor, targets, e) => {
            writeln!(out, "{constructor}({}) := {e};", CommaNames(targets))
        }
        BoogieStmtKind::Show(show) => writeln!(out, "{show};"),
        BoogieStmtKind::Havoc(names) => writeln!(out, "havoc {};", CommaNames(names)),
        BoogieStmtKind::Call(call) => writeln!(out, "{call};"),
        BoogieStmtKind::If(arms, otherwise) => {
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
        BoogieStmtKind::While(guard, invariants, body) => {
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
        BoogieStmtKind::Break(None) => writeln!(out, "break;"),
        BoogieStmtKind::Break(Some(label)) => writeln!(out, "break {label};"),
        BoogieStmtKind::Return(None) => writeln!(out, "return;"),
        BoogieStmtKind::Return(Some(e)) => writeln!(out, "return {e};"),
        BoogieStmtKind::Goto(labels) => writeln!(out, "goto {};", CommaNames(labels)),
    }
}

fn free(free: bool) -> &'static str {
    if free { "free " } else { "" }
}

impl Display for ProcedureSignature {
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
            Spec::Modifies(names) => write!(f, "modifies {};", CommaNames(names)),
        }
    }
}

fn write_braced(f: &mut Formatter<'_>, body: &ProcedureBody) -> fmt::Result {
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
            Decl::Datatype(d) => {
                let params = TypeParams(&d.params);
                write!(f, "datatype {}{}{params} {{ ", Attrs(&d.attrs), d.name)?;
                for (i, c) in d.constructors.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    write!(f, "{}({})", c.name, Commas(&c.fields))?;
                }
                f.write_str(" }\n")
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

impl Display for BoogieProgram {
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
