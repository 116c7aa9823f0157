//! Conditions that authors wrote down, in the text of a class. Java asks for none of them: who calls an action owes them to it.
//! So an action asks for its own before it does anything, if it is called from outside, and refuses the call where one does not
//! hold; what always holds is an invariant.

use std::collections::{BTreeMap, BTreeSet};

use super::names::UniqueNames;
use crate::front::tq::ast::{
    ContractClause, ExprSyntax, ExprSyntaxKind, FileSyntax, ItemSyntax, Member, Rhs, RoutineSyntax,
    StmtSyntax, StmtSyntaxKind,
};
use crate::front::tq::build::{
    and, block, bool, call, choice, conditional, declare, name, not, or, star, throw, ty,
};
use crate::front::tq::{parse_expression, program_of};
use crate::ir::{Diagnostics, RoutineKind};

/// The exception by which an action refuses a call that its author says is not to be made.
pub(super) const NOT_ALLOWED: &str = "NotAllowed";

/// A routine that says whether an action may be called.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// The routine.
    pub routine: String,
    /// Whether it is given the arguments of the action.
    pub given_arguments: bool,
}

/// An action that first asks whether it may be called.
pub(super) fn asking(
    action: RoutineSyntax,
    conditions: &[Condition],
    not_allowed: &str,
) -> RoutineSyntax {
    let mut mentioned = BTreeSet::new();
    action.names(&mut mentioned);
    let parameters = action.params.iter().chain(&action.returns);
    mentioned.extend(parameters.map(|parameter| parameter.name.name.clone()));
    let mut names = UniqueNames::default();
    for name in &mentioned {
        names.give(name);
    }
    let mut statements = Vec::new();
    for condition in conditions {
        let allowed = names.give("allowed");
        let arguments = action.params.iter().filter(|_| condition.given_arguments);
        let arguments = arguments.map(|given| name(&given.name.name)).collect();
        let asked = call(&condition.routine, arguments);
        statements.push(declare(&allowed, ty("bool"), Some(asked)));
        let refuse = vec![throw(not_allowed)];
        statements.push(conditional(not(name(&allowed)), refuse, vec![]));
    }
    statements.extend(action.body.into_iter().flat_map(|body| body.statements));
    RoutineSyntax {
        body: Some(block(statements)),
        ..action
    }
}

/// What statements give back, as an expression, where they do nothing but work it out, without loops and calls; where they raise
/// an exception, false.
pub(super) fn given_back(statements: &[StmtSyntax]) -> Option<ExprSyntax> {
    let mut paths = MOST_PATHS;
    value_of(statements, &BTreeMap::new(), &mut paths)
}

/// How many ways through its body the method may have.
const MOST_PATHS: usize = 64;

/// The same, where local variables have these values. What comes behind an `if` is evaluated for each of its branches.
fn value_of(
    statements: &[StmtSyntax],
    locals: &BTreeMap<String, ExprSyntax>,
    paths: &mut usize,
) -> Option<ExprSyntax> {
    let (first, rest) = statements.split_first()?;
    let (local, value) = match &first.kind {
        StmtSyntaxKind::Return(values) => match values.as_slice() {
            [value] => return Some(evaluated(value, locals)),
            _ => return None,
        },
        StmtSyntaxKind::Throw(_) => return Some(bool(false)),
        // It is known to be so: a reference is never null.
        StmtSyntaxKind::Assume(_) => return value_of(rest, locals, paths),
        StmtSyntaxKind::If {
            condition,
            then,
            otherwise,
        } => {
            *paths = paths.checked_sub(1)?;
            let otherwise = otherwise.as_ref();
            let otherwise = otherwise.map_or(&[][..], |block| block.statements.as_slice());
            let mut branch =
                |branch: &[StmtSyntax]| value_of(&[branch, rest].concat(), locals, paths);
            let (yes, no) = (branch(&then.statements)?, branch(otherwise)?);
            return Some(chosen(evaluated(condition, locals), yes, no));
        }
        StmtSyntaxKind::Var {
            name,
            value: Some(Rhs::Expr(value)),
            ..
        } => (name, value.clone()),
        StmtSyntaxKind::Var {
            name, value: None, ..
        } => (name, star()),
        StmtSyntaxKind::Assign {
            targets,
            value: Rhs::Expr(value),
        } => match targets.as_slice() {
            [target] => match &*target.kind {
                ExprSyntaxKind::Name(name) if locals.contains_key(&name.name) => {
                    (name, value.clone())
                }
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let mut locals = locals.clone();
    locals.insert(local.name.clone(), evaluated(&value, &locals));
    value_of(rest, &locals, paths)
}

/// Which of two truth values it is.
fn chosen(condition: ExprSyntax, yes: ExprSyntax, no: ExprSyntax) -> ExprSyntax {
    match (&*yes.kind, &*no.kind) {
        // What `&&` and `||` have become.
        _ if no == condition => and(condition, yes),
        _ if yes == condition => or(condition, no),
        _ if no == not(condition.clone()) => or(not(condition), yes),
        _ if yes == not(condition.clone()) => and(not(condition), no),
        (_, ExprSyntaxKind::Bool(false)) => and(condition, yes),
        (ExprSyntaxKind::Bool(false), _) => and(not(condition), no),
        (ExprSyntaxKind::Bool(true), _) => or(condition, no),
        (_, ExprSyntaxKind::Bool(true)) => or(not(condition), yes),
        _ => choice(condition, yes, no),
    }
}

/// An expression with the values of local variables in their places.
fn evaluated(e: &ExprSyntax, locals: &BTreeMap<String, ExprSyntax>) -> ExprSyntax {
    if let ExprSyntaxKind::Name(name) = &*e.kind
        && let Some(value) = locals.get(&name.name)
    {
        return value.clone();
    }
    let mut e = e.clone();
    for part in e.children_mut() {
        *part = evaluated(part, locals);
    }
    e
}

/// What a condition in words is about.
#[derive(Clone, Debug)]
pub(super) enum About {
    /// Objects, whenever nothing is being done with them.
    Objects,
    /// Calls of a routine, by its kind and its name, which a constructor may have none of.
    Calls(RoutineKind, String),
}

impl About {
    fn is_of(&self, routine: &RoutineSyntax) -> bool {
        match self {
            About::Objects => false,
            About::Calls(kind, wanted) => {
                let name = routine.name.as_ref().map_or("", |name| &name.name);
                routine.kind == *kind && name == wanted
            }
        }
    }
}

/// A condition in words, as an expression of the text. `field` says what the fields of the class are called there; parameters are
/// called as in Java.
///
/// # Errors
/// Why it is none.
pub(super) fn in_words(
    file: &FileSyntax,
    (about, text): (&About, &str),
    field: impl Fn(&str) -> Option<String>,
) -> Result<ExprSyntax, String> {
    let mut condition = parse_expression(text).map_err(first)?;
    let members = match file.items.last() {
        Some(ItemSyntax::Class(class)) => class.members.as_slice(),
        _ => &[],
    };
    let routines = members.iter().filter_map(|member| match member {
        Member::Routine(routine) => Some(routine),
        _ => None,
    });
    let parameters = routines.filter(|routine| about.is_of(routine));
    let parameters = parameters.flat_map(|routine| &routine.params);
    let parameters: BTreeSet<&str> = parameters.map(|given| given.name.name.as_str()).collect();
    rename(&mut condition, &|name| match parameters.contains(name) {
        true => None,
        false => field(name),
    });
    Ok(condition)
}

/// Gives fields the names that they have in the text.
fn rename(e: &mut ExprSyntax, field: &impl Fn(&str) -> Option<String>) {
    let name = match &mut *e.kind {
        ExprSyntaxKind::Name(name) => Some(name),
        ExprSyntaxKind::Dot(object, name) if matches!(*object.kind, ExprSyntaxKind::This) => {
            Some(name)
        }
        _ => None,
    };
    if let Some(name) = name
        && let Some(here) = field(&name.name)
    {
        name.name = here;
    }
    for part in e.children_mut() {
        rename(part, field);
    }
}

/// Puts a condition where it belongs in the last class of a tree.
///
/// # Errors
/// Why it cannot stand there.
pub(super) fn put(
    file: &mut FileSyntax,
    about: &About,
    condition: ExprSyntax,
) -> Result<(), String> {
    let mut changed = file.clone();
    if let Some(ItemSyntax::Class(class)) = changed.items.last_mut() {
        match about {
            About::Objects => class.members.push(Member::Invariant(condition)),
            About::Calls(..) => {
                for member in &mut class.members {
                    if let Member::Routine(routine) = member
                        && about.is_of(routine)
                    {
                        let condition = ContractClause::Requires(condition.clone());
                        routine.contract.push(condition);
                    }
                }
            }
        }
    }
    program_of(&changed).map_err(first)?;
    *file = changed;
    Ok(())
}

/// What is wrong, as the first of it says.
fn first(wrong: Diagnostics) -> String {
    let wrong = wrong.iter().next();
    wrong.map_or_else(String::new, |wrong| wrong.message.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq::{parse_syntax, print};

    /// What the last routine of a text gives back.
    fn value(body: &str) -> Option<String> {
        let text = format!(
            "class C {{ var n: int; var b: bool; procedure p() returns (r: bool) {{ {body} }} }}"
        );
        let file = parse_syntax("test", &text).expect("well-formed");
        let Some(ItemSyntax::Class(class)) = file.items.last() else {
            panic!("a class");
        };
        let Some(Member::Routine(routine)) = class.members.last() else {
            panic!("a routine");
        };
        let statements = &routine.body.as_ref().expect("a body").statements;
        let value = given_back(statements)?;
        let mut file = parse_syntax("test", "class C { }").expect("well-formed");
        let Some(ItemSyntax::Class(class)) = file.items.last_mut() else {
            panic!("a class");
        };
        class.members.push(Member::Invariant(value));
        let text = print(&file);
        let line = text.lines().find(|line| line.contains("invariant"));
        line.map(|line| line.trim().to_owned())
    }

    #[test]
    fn a_body_that_only_chooses_is_an_expression() {
        let of = |body: &str| value(body).expect("an expression");
        assert_eq!(of("return n > 0;"), "invariant n > 0;");
        let shortcut = "var h: bool := 0 <= n; if (h) { assume b; h := n < 5; } return h;";
        assert_eq!(of(shortcut), "invariant 0 <= n && n < 5;");
        let other = "var h: bool; h := b; if (!h) { h := n == 1; } return h;";
        assert_eq!(of(other), "invariant b || n == 1;");
        let early = "if (n == 0) { return true; } if (b) { throw E; } return n > 2;";
        assert_eq!(of(early), "invariant n == 0 || !b && n > 2;");
        let two = "if (b) { return n > 1; } else { return n > 2; }";
        assert_eq!(of(two), "invariant if b then n > 1 else n > 2;");
    }

    #[test]
    fn loops_assignments_of_fields_and_many_ways_are_none() {
        for body in [
            "while (b) { } return b;",
            "n := 1; return b;",
            "var h: bool; h, b := p(); return h;",
            "",
        ] {
            assert_eq!(value(body), None, "{body}");
        }
        let many = "if (n == 1) { assume b; } ".repeat(20) + "return b;";
        assert_eq!(value(&many), None);
    }
}
