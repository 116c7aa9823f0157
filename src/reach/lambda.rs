//! Equality of two lambda expressions, as what it means: the same value at every index. The solver, left with two arrays,
//! finds no model in which they differ.

use super::smt::{Sexp, parse};
use super::term::{Term, TermKind};

/// The equality of two terms, if both are lambda expressions. `fresh` makes a name that is nowhere else.
pub(super) fn equal(l: &Term, r: &Term, fresh: &mut dyn FnMut() -> String) -> Option<Term> {
    let (mut l, mut r) = (l.clone(), r.clone());
    let (mut vars, mut left, mut right) = (Vec::new(), Vec::new(), Vec::new());
    while let (Some((xs, l_body)), Some((ys, r_body))) = (lambda(&l), lambda(&r)) {
        for ((x, sort), (y, _)) in xs.into_iter().zip(ys) {
            let index = fresh();
            vars.push(format!("({index} {sort})"));
            left.push((x, index.clone()));
            right.push((y, index));
        }
        (l, r) = (l_body, r_body);
    }
    if vars.is_empty() {
        return None;
    }
    let body = named(left, l).equal(&named(right, r));
    Some(Term::binder(
        format!("forall ({})", vars.join(" ")),
        Vec::new(),
        body,
    ))
}

/// The variables of a lambda expression with their sorts, and the body.
fn lambda(term: &Term) -> Option<(Vec<(String, String)>, Term)> {
    let TermKind::Binder(head, _, body, _) = term.kind() else {
        return None;
    };
    let Sexp::List(vars) = parse(head.strip_prefix("lambda ")?)? else {
        return None;
    };
    let pair = |var: Sexp| match var {
        Sexp::List(pair) => match pair.as_slice() {
            [name, sort] => Some((name.to_string(), sort.to_string())),
            _ => None,
        },
        Sexp::Atom(_) => None,
    };
    let vars = vars.into_iter().map(pair).collect::<Option<_>>()?;
    Some((vars, body.clone()))
}

/// A term in which variables have other names. A variable hides one of the same name outside it, so the innermost comes last.
fn named(names: Vec<(String, String)>, term: Term) -> Term {
    names.into_iter().rfold(term, |term, (name, index)| {
        Term::let_in(vec![(name, Term::atom(index))], term)
    })
}
