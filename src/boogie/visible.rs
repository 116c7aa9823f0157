//! Which declarations count: `{:ignore}` takes one out, and of several with one name `{:extern}` marks those that give way.

use std::borrow::Cow;
use std::collections::HashMap;

use super::ast::{AttrArg, Attribute, BoogieExprKind, BoogieProgram, Decl};

/// Is the attribute there, alone or with `true`? Boogie takes one with anything else for another matter: the axioms of an
/// old prelude that are marked `{:ignore "bvInt"}` hold.
pub(super) fn has_flag(attrs: &[Attribute], name: &str) -> bool {
    let says = |a: &Attribute| match a.args.as_slice() {
        [] => true,
        [AttrArg::Expr(e)] => e.kind == BoogieExprKind::Bool(true),
        _ => false,
    };
    attrs.iter().find(|a| a.name == name).is_some_and(says)
}

/// What kind of name a declaration introduces, which, and its attributes; none where it introduces none.
pub(super) fn introduced(decl: &Decl) -> (Option<(u8, &str)>, &[Attribute]) {
    match decl {
        Decl::Type(t) => (Some((0, &t.name)), &t.attrs),
        Decl::Datatype(d) => (Some((0, &d.name)), &d.attrs),
        Decl::Const(c) => (Some((1, &c.name)), &c.attrs),
        Decl::Var(v) => (Some((1, &v.name)), &v.attrs),
        Decl::Function(f) => (Some((2, &f.name)), &f.attrs),
        Decl::Procedure(p) => (Some((3, &p.name)), &p.attrs),
        Decl::Axiom(a) => (None, &a.attrs),
        Decl::Implementation(i) => (None, &i.attrs),
    }
}

/// The program of the declarations that count.
pub(super) fn visible(program: &BoogieProgram) -> Cow<'_, BoogieProgram> {
    let marked = |d: &Decl| {
        let attrs = introduced(d).1;
        has_flag(attrs, "ignore") || has_flag(attrs, "extern")
    };
    if !program.decls.iter().any(marked) {
        return Cow::Borrowed(program);
    }
    let kept: Vec<&Decl> = program
        .decls
        .iter()
        .filter(|d| !has_flag(introduced(d).1, "ignore"))
        .collect();
    let mut count: HashMap<(u8, &str), usize> = HashMap::new();
    for name in kept.iter().filter_map(|d| introduced(d).0) {
        *count.entry(name).or_default() += 1;
    }
    let mut decls = Vec::new();
    for decl in kept {
        if let (Some(name), attrs) = introduced(decl)
            && let Some(n) = count.get_mut(&name)
            && *n > 1
            && has_flag(attrs, "extern")
        {
            *n -= 1;
            continue;
        }
        decls.push(decl.clone());
    }
    Cow::Owned(BoogieProgram { decls })
}
