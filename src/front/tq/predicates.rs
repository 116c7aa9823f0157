//! Predicates about an object, written apart from its class.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Loaded, ast, lexer, parser, resolve};
use crate::ir::source::{self, MAX_SIZE, Source};
use crate::ir::{ClassId, Expr, ExprKind, Program, VarId, formula};
use crate::ir::{DiagnosticSink, Diagnostics, Severity};

/// A program and predicates over the fields of one of its classes.
#[derive(Clone, Debug)]
pub struct Predicates {
    /// The program that was loaded, with the variables that the predicates bind.
    pub program: Arc<Program>,
    /// The predicates, in the order given.
    pub exprs: Vec<Expr>,
}

/// Reads predicates that were given with an option: boolean expressions, each as it could stand in an `invariant` of the class.
///
/// # Errors
/// What is wrong with the first predicate that is none.
pub fn with_predicates(
    loaded: &Loaded,
    class: ClassId,
    (option, texts): (&str, &[String]),
) -> Result<Predicates, Diagnostics> {
    let mut file = loaded.file.clone();
    for text in texts {
        let source = Arc::new(Source::new(option, text.as_str()));
        let mut found = DiagnosticSink::default();
        let parsed = parse(&source, &mut found);
        if let Some(e) = parsed {
            add(&mut file, loaded, class, e);
            resolve::program(&file, false, &mut found);
        }
        // What there is to warn of in the file has been said where it was loaded, and is not in this text.
        found.retain(Severity::Error);
        if found.errors() > 0 {
            return Err(Diagnostics::new(source, found));
        }
    }
    let (resolved, _) = resolve::program(&file, false, &mut DiagnosticSink::default());
    let invariants = resolved
        .classes
        .get(class.0)
        .map(|c| c.invariants.as_slice());
    let invariants = invariants.unwrap_or_default();
    let own = invariants.len().saturating_sub(texts.len());
    // The program stays the one that was loaded: what was found in bodies is in it, and not in its text.
    let mut program = Program::clone(&loaded.program);
    let mut moved = BTreeMap::new();
    let exprs = invariants.iter().skip(own);
    let exprs = exprs.map(|e| declared_in(&mut program, &resolved, &mut moved, e));
    let exprs = exprs.collect();
    Ok(Predicates {
        program: Arc::new(program),
        exprs,
    })
}

/// An expression of one program in another one of the same declarations, where the variables that it binds are declared anew.
fn declared_in(
    program: &mut Program,
    from: &Program,
    moved: &mut BTreeMap<VarId, VarId>,
    e: &Expr,
) -> Expr {
    let kind = match &*e.kind {
        ExprKind::Quantified(quantifier, vars, body) => {
            let vars = vars.iter().map(|var| {
                let new = VarId(program.vars.len());
                program.vars.push(from.var(*var).clone());
                moved.insert(*var, new);
                new
            });
            let vars = vars.collect();
            let body = declared_in(program, from, moved, body);
            ExprKind::Quantified(*quantifier, vars, body)
        }
        ExprKind::Var(var) => ExprKind::Var(moved.get(var).copied().unwrap_or(*var)),
        _ => return formula::map_children(e, |part| declared_in(program, from, moved, part)),
    };
    Expr {
        kind: kind.into(),
        ..e.clone()
    }
}

/// The tree of an expression that is written by itself, without a look at names and types.
///
/// # Errors
/// What is wrong with its syntax.
pub(crate) fn parse_expression(text: &str) -> Result<ast::ExprSyntax, Diagnostics> {
    let source = Arc::new(Source::new("expression", text));
    let mut found = DiagnosticSink::default();
    parse(&source, &mut found).ok_or_else(|| Diagnostics::new(source, found))
}

fn parse(source: &Source, found: &mut DiagnosticSink) -> Option<ast::ExprSyntax> {
    if let Err(too_large) = source::check_size(&source.name, source.text.len(), MAX_SIZE) {
        found.push(too_large);
        return None;
    }
    let tokens = lexer::tokens(source, found);
    let expression = parser::expression(source, &tokens, found);
    expression.filter(|_| found.errors() == 0)
}

/// Adds the predicate to the class as a last invariant: there it is resolved by the rules of an invariant.
fn add(file: &mut ast::FileSyntax, loaded: &Loaded, class: ClassId, predicate: ast::ExprSyntax) {
    let name = &loaded.program.class(class).name;
    let classes = file.items.iter_mut().filter_map(|item| match item {
        ast::ItemSyntax::Class(class) => Some(class),
        _ => None,
    });
    for declared in classes.filter(|c| c.name.name == *name) {
        let member = ast::Member::Invariant(predicate.clone());
        declared.members.push(member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq::parse_text;
    use crate::ir::expr_text;

    const CLASS: &str = "enum M { A, B } class C { var x: int; var m: M; invariant x >= 0; \
                         constructor() { x := 0; m := M.A; } action a(y: int) { var z: int := y; x := z; } }";

    fn read(texts: &[&str]) -> Result<Predicates, String> {
        let loaded = parse_text("c.tq", CLASS).expect("a class");
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        with_predicates(&loaded, ClassId(0), ("--predicate", &texts)).map_err(|d| d.render(false))
    }

    #[test]
    fn predicates_see_the_fields() {
        let found = read(&["x == -1", "m == A", "forall i: int :: i > x"]).expect("predicates");
        let text = |e| expr_text(&found.program, ClassId(0), e);
        let texts: Vec<String> = found.exprs.iter().map(text).collect();
        assert_eq!(texts, ["x == -1", "m == M.A", "forall i: int :: i > x"]);
        assert_eq!(found.program.class(ClassId(0)).invariants.len(), 1);
    }

    #[test]
    fn what_is_no_predicate_is_reported_where_it_is() {
        for (text, part) in [
            ("x + 1", "--predicate:1:1"),
            ("x == ", "end of the file"),
            ("x == 1; x", "the end of the expression"),
            ("y == 1", "no variable"),
            ("z > 0", "--predicate:1:1"),
            ("", "--predicate"),
        ] {
            let said = read(&["x > 0", text]).expect_err(text);
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}
