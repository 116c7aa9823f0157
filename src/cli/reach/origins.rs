//! Which places in other sources a Boogie program says it was made from: `{:sourceloc "f.c", 10, 3}`, or
//! `{:sourcefile "f.c"} {:sourceline 10}`, at assertions and assumptions.

use std::collections::HashMap;

use crate::boogie::ast::{
    AttrArg, Attribute, BoogieExprKind, BoogieProgram, BoogieStmt, BoogieStmtKind, Decl,
};

/// A place in another source.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SourcePlace {
    pub file: String,
    pub line: u32,
    /// 1 where none is said.
    pub column: u32,
    /// `{:print "…"}`: what the Static Driver Verifier says of it.
    pub print: Option<String>,
    /// `{:abortM "…"}`: what it says when the program ends here.
    pub abort: Option<String>,
}

/// The places, by lines and columns of the commands.
pub(super) fn source_places(program: &BoogieProgram) -> HashMap<(u32, u32), SourcePlace> {
    let mut found = HashMap::new();
    for decl in &program.decls {
        match decl {
            Decl::Procedure(p) => {
                let stmts = p.body.iter().flat_map(|body| &body.stmts);
                stmts.for_each(|s| look(s, &mut found));
            }
            Decl::Implementation(i) => i.body.stmts.iter().for_each(|s| look(s, &mut found)),
            _ => {}
        }
    }
    found
}

/// Looks into a statement; the parser bounds how deep they nest.
fn look(stmt: &BoogieStmt, found: &mut HashMap<(u32, u32), SourcePlace>) {
    match &stmt.kind {
        BoogieStmtKind::Assume(attrs, _) | BoogieStmtKind::Assert(attrs, _) => {
            if let Some(place) = source_place(attrs) {
                found.insert((stmt.pos.line, stmt.pos.col), place);
            }
        }
        BoogieStmtKind::If(arms, otherwise) => {
            let arms = arms.iter().flat_map(|(_, stmts)| stmts);
            let all = arms.chain(otherwise.iter().flatten());
            all.for_each(|s| look(s, found));
        }
        BoogieStmtKind::While(_, _, stmts) => stmts.iter().for_each(|s| look(s, found)),
        _ => {}
    }
}

fn source_place(attrs: &[Attribute]) -> Option<SourcePlace> {
    let named = |names: &[&str]| attrs.iter().find(|a| names.contains(&a.name.as_str()));
    let text = |names: &[&str]| string(named(names)?.args.first()?);
    let (file, line, column) = match named(&["sourceloc"]).map(|a| a.args.as_slice()) {
        Some([file, line, column]) => (string(file)?, number(line)?, number(column).unwrap_or(1)),
        _ => {
            let line = named(&["sourceLine", "sourceline"])?.args.first()?;
            (text(&["sourceFile", "sourcefile"])?, number(line)?, 1)
        }
    };
    Some(SourcePlace {
        file,
        line,
        column,
        print: text(&["print"]),
        abort: text(&["abortM"]),
    })
}

fn string(arg: &AttrArg) -> Option<String> {
    match arg {
        AttrArg::Str(text) => Some(text.clone()),
        AttrArg::Expr(_) => None,
    }
}

fn number(arg: &AttrArg) -> Option<u32> {
    match arg {
        AttrArg::Expr(e) => match &e.kind {
            BoogieExprKind::Int(n) => u32::try_from(n).ok(),
            _ => None,
        },
        AttrArg::Str(_) => None,
    }
}
