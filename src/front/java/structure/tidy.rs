//! Fewer labels and jumps: what people write in the place of them.
//!
//! Before this every list of statements ends in a jump, a return or a throw. First what is reached by one jump only goes
//! to where that is; then jumps to where it goes on anyhow disappear, and labels with them.

use std::collections::HashMap;

use crate::front::java::tree::{CodePlace, JavaExpr, JavaStatement, JumpLabel, may_complete};

/// Makes a tree easier to read, and keeps what it means.
pub(super) fn tidy(mut statements: Vec<JavaStatement>) -> Vec<JavaStatement> {
    statements = bring_back(statements);
    statements = fall(statements, &[]);
    statements = loops(statements);
    // A label may have lost its last jump with that.
    let mut uses = HashMap::new();
    count_all(&statements, &mut uses);
    unlabel(statements, &uses)
}

fn count_all(statements: &[JavaStatement], uses: &mut HashMap<JumpLabel, usize>) {
    for statement in statements {
        statement.visit(&mut |part| {
            if let JavaStatement::Break(label) | JavaStatement::Continue(label) = part {
                *uses.entry(*label).or_default() += 1;
            }
        });
    }
}

/// Puts what follows a labelled block to where it is left, if that is one place, and not in a loop or under other
/// handlers. That is how handlers come to where they are named.
fn bring_back(statements: Vec<JavaStatement>) -> Vec<JavaStatement> {
    let mut uses = HashMap::new();
    count_all(&statements, &mut uses);
    bring_back_with(statements, &uses)
}

fn bring_back_with(
    statements: Vec<JavaStatement>,
    uses: &HashMap<JumpLabel, usize>,
) -> Vec<JavaStatement> {
    let mut found = Vec::with_capacity(statements.len());
    let mut rest = statements.into_iter();
    while let Some(mut statement) = rest.next() {
        for part in statement.parts_mut() {
            *part = bring_back_with(std::mem::take(part), uses);
        }
        if let JavaStatement::Labelled { label, mut body } = statement {
            let single = uses.get(&label) == Some(&1);
            // What is under a handler may go on behind it.
            let closed = !rest.as_slice().is_empty() && !may_complete(rest.as_slice());
            if single && closed && !may_complete(&body) && has_open_break(&body, label) {
                let mut behind = Some(bring_back_with(rest.by_ref().collect(), uses));
                replace_break(&mut body, label, &mut behind);
                found.extend(body);
            } else {
                found.push(JavaStatement::Labelled { label, body });
            }
        } else {
            found.push(statement);
        }
    }
    found
}

/// The parts of a statement to which what follows it may be moved: not into a loop, and not under a handler.
fn open_parts(statement: &mut JavaStatement) -> Vec<&mut Vec<JavaStatement>> {
    match statement {
        JavaStatement::Loop { .. } => Vec::new(),
        JavaStatement::Try { catches, .. } => {
            catches.iter_mut().map(|catch| &mut catch.body).collect()
        }
        other => other.parts_mut(),
    }
}

fn has_open_break(statements: &[JavaStatement], label: JumpLabel) -> bool {
    statements.iter().any(|statement| match statement {
        JavaStatement::Break(found) => *found == label,
        JavaStatement::Loop { .. } => false,
        JavaStatement::Try { catches, .. } => catches
            .iter()
            .any(|catch| has_open_break(&catch.body, label)),
        other => other
            .parts()
            .into_iter()
            .any(|part| has_open_break(part, label)),
    })
}

fn replace_break(
    statements: &mut Vec<JavaStatement>,
    label: JumpLabel,
    with: &mut Option<Vec<JavaStatement>>,
) {
    if statements.last() == Some(&JavaStatement::Break(label)) {
        if let Some(with) = with.take() {
            statements.pop();
            statements.extend(with);
        }
        return;
    }
    for statement in statements {
        for part in open_parts(statement) {
            if with.is_none() {
                return;
            }
            replace_break(part, label, with);
        }
    }
}

/// Takes away jumps to where it goes on anyhow. `next` are the jumps that mean the same as the end of the list.
fn fall(statements: Vec<JavaStatement>, next: &[JavaStatement]) -> Vec<JavaStatement> {
    let mut found: Vec<JavaStatement> = Vec::with_capacity(statements.len());
    let mut rest = statements.into_iter().peekable();
    while let Some(statement) = rest.next() {
        let is_last = rest.peek().is_none();
        if is_last && next.contains(&statement) {
            break;
        }
        match statement {
            JavaStatement::If {
                place,
                condition,
                mut then,
                mut otherwise,
            } => {
                // One of the two is empty, and what is behind belongs to it: none comes to an end by itself.
                let joins =
                    |arm: &Vec<JavaStatement>| arm.last().is_some_and(|last| next.contains(last));
                if !is_last && otherwise.is_empty() && joins(&then) {
                    otherwise = rest.by_ref().collect();
                } else if !is_last && then.is_empty() && joins(&otherwise) {
                    then = rest.by_ref().collect();
                }
                let is_last = rest.peek().is_none();
                let next = if is_last { next } else { &[] };
                let (then, otherwise) = (fall(then, next), fall(otherwise, next));
                found.push(if then.is_empty() {
                    let (condition, then) = (condition.negated(), otherwise);
                    JavaStatement::If {
                        place,
                        condition,
                        then,
                        otherwise: Vec::new(),
                    }
                } else {
                    JavaStatement::If {
                        place,
                        condition,
                        then,
                        otherwise,
                    }
                });
            }
            JavaStatement::Labelled { label, body } => {
                let mut inner = vec![JavaStatement::Break(label)];
                if is_last {
                    inner.extend_from_slice(next);
                }
                found.push(JavaStatement::Labelled {
                    label,
                    body: fall(body, &inner),
                });
            }
            JavaStatement::Loop {
                label,
                condition,
                body,
            } => {
                let body = fall(body, &[JavaStatement::Continue(label)]);
                found.push(JavaStatement::Loop {
                    label,
                    condition,
                    body,
                });
            }
            mut other => {
                let next = if is_last { next } else { &[] };
                for part in other.parts_mut() {
                    *part = fall(std::mem::take(part), next);
                }
                found.push(other);
            }
        }
    }
    found
}

/// Leaves loops by their own labels, and by their conditions.
fn loops(statements: Vec<JavaStatement>) -> Vec<JavaStatement> {
    let each = statements.into_iter().map(|mut statement| {
        if let JavaStatement::Labelled { label, body } = &mut statement
            && let [
                JavaStatement::Loop {
                    label: own,
                    body: inner,
                    ..
                },
            ] = body.as_mut_slice()
        {
            rename(inner, *label, *own);
        }
        if let JavaStatement::Loop {
            label,
            condition,
            body,
        } = &mut statement
        {
            take_condition(*label, condition, body);
        }
        for part in statement.parts_mut() {
            *part = loops(std::mem::take(part));
        }
        statement
    });
    each.collect()
}

fn rename(statements: &mut [JavaStatement], old: JumpLabel, new: JumpLabel) {
    for statement in statements {
        if *statement == JavaStatement::Break(old) {
            *statement = JavaStatement::Break(new);
        }
        for part in statement.parts_mut() {
            rename(part, old, new);
        }
    }
}

/// A loop that is left by a condition at its beginning has that condition.
fn take_condition(
    label: JumpLabel,
    condition: &mut Option<(CodePlace, JavaExpr)>,
    body: &mut Vec<JavaStatement>,
) {
    let leaves = [JavaStatement::Break(label)];
    let Some(JavaStatement::If {
        place,
        condition: decides,
        then,
        otherwise,
    }) = body.first()
    else {
        return;
    };
    let (stays, rest) = if *then == leaves {
        (decides.clone().negated(), otherwise.clone())
    } else if *otherwise == leaves {
        (decides.clone(), then.clone())
    } else {
        return;
    };
    if condition.is_none() {
        *condition = Some((*place, stays));
        body.splice(..1, rest);
    }
}

/// Takes away labels that nobody jumps to.
fn unlabel(statements: Vec<JavaStatement>, uses: &HashMap<JumpLabel, usize>) -> Vec<JavaStatement> {
    let mut found = Vec::with_capacity(statements.len());
    for mut statement in statements {
        for part in statement.parts_mut() {
            *part = unlabel(std::mem::take(part), uses);
        }
        match statement {
            JavaStatement::Labelled { label, body } if !uses.contains_key(&label) => {
                found.extend(body)
            }
            other => found.push(other),
        }
    }
    found
}
