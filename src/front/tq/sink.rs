//! Declarations at the beginning of a body, moved to where the variables are first assigned: what a front end writes
//! first declares everything, which nobody likes to read.

use super::ast::{BlockSyntax, StmtSyntax, StmtSyntaxKind};

/// Moves each declaration without a value into the innermost block that has all mentions of its variable, and makes the
/// assignment with which that block begins to mention it the declaration; where it is no assignment, the declaration stands
/// before. A variable that nobody mentions is gone.
pub(crate) fn sink(body: &mut BlockSyntax) {
    let statements = std::mem::take(&mut body.statements);
    let (declared, mut rest): (Vec<StmtSyntax>, Vec<StmtSyntax>) = statements
        .into_iter()
        .partition(|statement| matches!(statement.kind, StmtSyntaxKind::Var { value: None, .. }));
    // The last one first, so that those that stand together keep their order.
    for declaration in declared.into_iter().rev() {
        if let StmtSyntaxKind::Var { name, .. } = &declaration.kind {
            let name = name.name.clone();
            place(&mut rest, &name, declaration);
        }
    }
    body.statements = rest;
}

/// Whether a statement is `x := e;`, and `e` does not mention `x`.
fn is_set(statement: &StmtSyntax, name: &str) -> bool {
    let StmtSyntaxKind::Assign { targets, value } = &statement.kind else {
        return false;
    };
    matches!(targets.as_slice(), [target] if target.is_name(name)) && !value.mentions(name)
}

fn place(statements: &mut Vec<StmtSyntax>, name: &str, declaration: StmtSyntax) {
    let mut mentions = (0..).zip(statements.iter());
    let Some((first, _)) = mentions.find(|(_, statement)| statement.mentions(name)) else {
        return;
    };
    let elsewhere = mentions.any(|(_, statement)| statement.mentions(name));
    let Some(statement) = statements.get_mut(first) else {
        return;
    };
    if !elsewhere && let Some(block) = only_block(statement, name) {
        return place(&mut block.statements, name, declaration);
    }
    match merged(statement, name, &declaration) {
        Some(merged) => *statement = merged,
        None => statements.insert(first, declaration),
    }
}

/// The one block of a statement in which the variable is mentioned, if it is nowhere else in the statement. The body of a
/// loop is none: what the variable holds may be of the round before.
fn only_block<'a>(statement: &'a mut StmtSyntax, name: &str) -> Option<&'a mut BlockSyntax> {
    let StmtSyntaxKind::If {
        condition,
        then,
        otherwise,
    } = &mut statement.kind
    else {
        return None;
    };
    let in_then = then.mentions(name);
    let in_otherwise = otherwise.as_ref().is_some_and(|block| block.mentions(name));
    if condition.mentions(name) || in_then == in_otherwise {
        return None;
    }
    if in_then {
        Some(then)
    } else {
        otherwise.as_mut()
    }
}

/// `x := e;` as `var x: T := e;`
fn merged(statement: &StmtSyntax, name: &str, declaration: &StmtSyntax) -> Option<StmtSyntax> {
    let StmtSyntaxKind::Assign { value, .. } = &statement.kind else {
        return None;
    };
    if !is_set(statement, name) {
        return None;
    }
    let mut merged = StmtSyntax {
        origin: statement.origin.clone(),
        ..declaration.clone()
    };
    if let StmtSyntaxKind::Var { value: first, .. } = &mut merged.kind {
        *first = Some(value.clone());
    }
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::sink;
    use crate::front::tq::ast::{ItemSyntax, Member};
    use crate::front::tq::{parse_syntax, print};

    fn sunk(body: &str) -> String {
        let text = format!("class C {{ action a() {{ {body} }} }}");
        let mut file = parse_syntax("a.tq", &text).expect("a class");
        for item in &mut file.items {
            if let ItemSyntax::Class(class) = item
                && let Some(Member::Routine(routine)) = class.members.first_mut()
            {
                sink(routine.body.as_mut().expect("a body"));
            }
        }
        let text = print(&file);
        let lines = text.lines().skip(3).map(str::trim);
        let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
        lines.join(" ")
    }

    #[test]
    fn a_variable_is_declared_where_it_is_first_assigned() {
        for (body, expected) in [
            (
                "var x: int; x := 1; f := x;",
                "var x: int := 1; f := x; } }",
            ),
            ("var x: int; f := 1;", "f := 1; } }"),
            ("var x: int; x := x + 1;", "var x: int; x := x + 1; } }"),
            (
                "var x: int; if (c) { x := 1; f := x; } else { f := 2; }",
                "if (c) { var x: int := 1; f := x; } else { f := 2; } } }",
            ),
            (
                "var x: int; if (c) { x := 1; } f := x;",
                "var x: int; if (c) { x := 1; } f := x; } }",
            ),
            (
                "var x: int; while (c) { x := 1; }",
                "var x: int; while (c) { x := 1; } } }",
            ),
        ] {
            assert_eq!(sunk(body), expected, "{body}");
        }
    }
}
