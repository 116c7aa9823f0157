//! Actions that do the same: of them only the first is asked about, and all have its edges.

use tranquera::epa::{ConstructOptions, answers, construct};
use tranquera::front::tq::ast::{
    BlockSyntax, ContractClause, ExprSyntax, ExprSyntaxKind, ItemSyntax, Member, Rhs,
    RoutineSyntax, StmtSyntax, StmtSyntaxKind, TypeSyntax,
};
use tranquera::front::tq::{self, build};
use tranquera::ir::RoutineKind;

use crate::graph;
use crate::oracle::{Class, Effort, run};
use crate::support::class;
use crate::support::tape::Tape;

/// Three that do the same on their ways, one that is the same but for its argument, one but for a number.
const VALVE: &str = "exception Stuck;
    enum Turn { None, Left, Right }
    class Valve {
      var open: int;
      constructor() { open := 0; }
      action more() requires open < 3 { by(Turn.Left); }
      action left(pressed: bool) returns (now: int) requires open < 3 { now := turned(Turn.Left); }
      action step() requires open < 3 { open := open + 1; }
      action right() requires open < 3 { by(Turn.Right); }
      action leap() requires open < 3 { open := open + 2; }
      action none() requires open < 3 { by(Turn.None); }
      procedure turned(turn: Turn) returns (now: int) { by(turn); now := open; }
      procedure by(turn: Turn) {
        if (turn == Turn.None) { throw Stuck; }
        if (turn == Turn.Left) { open := open + 1; } else { open := 0; }
      }
    }";

/// By hand.
#[test]
fn each_has_the_edges_of_the_first() {
    let loaded = class::parse(VALVE);
    let encoding = class::encode(&loaded);
    let engine = tranquera::engine::Builtin::default();
    let found = construct(&encoding, &engine, &ConstructOptions::default()).expect("an EPA");
    let graph = graph::of_constructed(&found);
    assert!(graph.doubts.is_empty(), "{:?}", graph.doubts);
    let (all, end) = ("{leap,left,more,none,right,step}", "{}");
    let mut expected = vec![format!("I Valve() -> {all}")];
    for action in ["more", "left", "step", "leap"] {
        expected.extend([all, end].map(|to| format!("{all} {action} -> {to}")));
    }
    expected.push(format!("{all} right -> {all}"));
    expected.push(format!("{all} none!Stuck -> {all}"));
    expected.sort_unstable();
    let mut edges: Vec<String> = graph.edges.iter().cloned().collect();
    edges.sort_unstable();
    assert_eq!(edges, expected);
    let mut epa = found.epa();
    let subject = &encoding.subject;
    answers::tell(
        subject,
        &loaded.source,
        "builtin",
        &found.abstraction,
        &mut epa,
    );
    let asked = epa.transitions.iter().filter(|t| t.source == "S1");
    let asked: Vec<(&str, Option<&str>)> = asked
        .map(|t| {
            let answer = t.answer.as_ref().expect("an answer");
            (t.action.as_str(), answer.asked.as_deref())
        })
        .collect();
    assert!(asked.contains(&("left", Some("more"))), "{asked:?}");
    assert!(asked.contains(&("step", Some("more"))), "{asked:?}");
    assert!(asked.contains(&("leap", None)), "{asked:?}");
    assert!(asked.contains(&("right", None)), "{asked:?}");
}

/// A random class with more of one of its actions: one that calls its body, one that does so with other arguments, one with another
/// number in it.
#[test]
fn running_everything_finds_the_same_of_actions_that_are_there_twice() {
    let effort = Effort {
        cases: 24,
        decisions: 60..200,
        edges: 400,
        doubts: true,
        shrinks: 100,
    };
    run("builtin", of_twins, effort);
}

fn of_twins(tape: &mut Tape) -> Class {
    let chosen = tape.below(8);
    let literal = tape.below(12);
    let class = match tape.below(3) {
        0 => Class::of_heaps(tape),
        _ => Class::of_numbers(tape),
    };
    Class {
        text: with_twins(&class.text, chosen, literal),
        ..class
    }
}

fn with_twins(text: &str, chosen: usize, literal: usize) -> String {
    let mut file = tq::parse_syntax("random.tq", text).expect("a class");
    let classes = file.items.iter_mut().rev();
    let mut classes = classes.filter_map(|item| match item {
        ItemSyntax::Class(class) => Some(class),
        _ => None,
    });
    let class = classes.next().expect("a class");
    let actions = class.members.iter().filter_map(|member| match member {
        Member::Routine(routine) if is_twice(routine) => Some(routine.clone()),
        _ => None,
    });
    let actions: Vec<RoutineSyntax> = actions.collect();
    if actions.is_empty() {
        return text.to_owned();
    }
    let action = &actions[chosen % actions.len()];
    let mut changed = named(action, "changed");
    let body = changed.body.as_mut().expect("a body");
    change(body, &mut literal.clone());
    let added = [
        body_of(action),
        caller(action, false),
        caller(action, true),
        changed,
    ];
    class.members.extend(added.map(Member::Routine));
    drop(classes);
    tq::print(&file)
}

fn is_twice(routine: &RoutineSyntax) -> bool {
    routine.kind == RoutineKind::Action && routine.body.is_some() && routine.outcomes.is_empty()
}

fn named(action: &RoutineSyntax, suffix: &str) -> RoutineSyntax {
    let name = action.name.as_ref().expect("a name");
    let mut named = action.clone();
    named.name = Some(build::ident(format!("{}_{suffix}", name.name)));
    named.pure = false;
    let says = |clause: &ContractClause| matches!(clause, ContractClause::Requires(_));
    named.contract.retain(says);
    named
}

fn body_of(action: &RoutineSyntax) -> RoutineSyntax {
    let mut body = named(action, "body");
    body.kind = RoutineKind::Procedure;
    body.contract.clear();
    // What the outside answers is an argument like others.
    body.params
        .iter_mut()
        .for_each(|param| param.hidden = false);
    body
}

/// Calls the body; with numbers in place of its arguments, where it has such.
fn caller(action: &RoutineSyntax, fixed: bool) -> RoutineSyntax {
    let mut caller = named(action, if fixed { "fixed" } else { "called" });
    let body = body_of(action).name.expect("a name");
    let args = action.params.iter().map(|param| match (&param.ty, fixed) {
        (TypeSyntax::Name(ty), true) if ty.name == "int" => build::int(1),
        (TypeSyntax::Name(ty), true) if ty.name == "bool" => build::bool(true),
        _ => build::name(&param.name.name),
    });
    let call = build::call(&body.name, args.collect());
    let targets: Vec<ExprSyntax> = action
        .returns
        .iter()
        .map(|result| build::name(&result.name.name))
        .collect();
    let statement = match targets.is_empty() {
        true => StmtSyntaxKind::Call(call),
        false => StmtSyntaxKind::Assign {
            targets,
            value: Rhs::Expr(call),
        },
    };
    caller.body = Some(BlockSyntax {
        statements: vec![build::stmt(statement)],
    });
    caller
}

/// Makes the literal at this place greater by one, if there is one.
fn change(block: &mut BlockSyntax, at: &mut usize) {
    for statement in &mut block.statements {
        change_statement(statement, at);
    }
}

fn change_statement(statement: &mut StmtSyntax, at: &mut usize) {
    for e in statement.expressions_mut() {
        change_expr(e, at);
    }
    for block in statement.blocks_mut() {
        change(block, at);
    }
}

fn change_expr(e: &mut ExprSyntax, at: &mut usize) {
    if let ExprSyntaxKind::Int(value) = &mut *e.kind {
        match at.checked_sub(1) {
            Some(left) => *at = left,
            None => {
                *value += 1;
                *at = usize::MAX;
            }
        }
    }
    for part in e.children_mut() {
        change_expr(part, at);
    }
}
