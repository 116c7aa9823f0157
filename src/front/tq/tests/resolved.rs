//! The typed program of a text, checked by hand.

use super::super::parse_text;
use crate::ir::expr_text;
use crate::ir::{BinaryOp, CompareOp, Control, Quantifier, RoutineKind};
use crate::ir::{
    BuiltinException, Class, ClassId, Condition, EnumId, ExceptionId, Expr, ExprKind, FieldRef,
    FunctionRef, MachineInt, OpaqueId, Place, Program, Routine, RoutineRef, Stmt, StmtKind, Type,
    VarId,
};

const TEXT: &str = "
enum Mode { Off, On }
type Item;
exception Full;

class Node {
  var item: Item;
  var next: Node?;
  constructor(item: Item, next: Node?) { this.item := item; this.next := next; }
  constructor empty() { next := null; }
  function last(): bool { next == null }
}

class Everything {
  const MAX: int := 2 * HALF + 1;
  const HALF: int := 7;
  const LOW: i8 := -128;
  const LIMIT: nat;
  var money: int := MAX;
  var small: u8;
  var mode: Mode := On;
  var head: Node?;
  var data: array<int>;
  var table: map<int, map<Mode, nat>>;
  invariant 0 <= money <= MAX && small < 200;
  invariant forall i: int :: 0 <= i < data.length ==> data[i] != null_or(3);
  state { work, peek } assumes money > 0;

  constructor(size: int)
    requires size > HALF
    ensures data.length == size
  { data := new int[size]; }

  function null_or(x: int): int { if head == null then x else money }

  pure controllable action peek() returns (found: bool, mode: Mode) outcomes found, mode
    requires head != null && !head.last()
  { found := true; return; }

  monitored action work(by: nat, item: Item) returns (left: int)
    requires by > 0
    throws Full
  {
    var node: Node := new Node(item, head);
    var any: bool;
    head := node;
    node := new Node.empty();
    table[by][On] := 3;
    table[1][Mode.Off] := step(by);
    money := step(money);
    left, any := pair();
    any := *;
    if (any) { small := small + 1; } else if (small == 3) { small := u8(money); }
    while (*) invariant money > 0 { if (any) { break; } continue; }
    { var inner: int := small; money := inner; }
    try { throw Full; } catch Full { assert false; } catch NullDereference { assume true; }
    head.next := null;
    data[0] := -1;
    havoc money, data[1];
    peek();
    return money;
  }

  procedure step(x: int) returns (r: u8)
    ensures money == old(money) + x && head.next == null && r == 0
  procedure pair() returns (a: int, b: bool) modifies small, Node.next;
}
";

fn program() -> Program {
    match parse_text("t.tq", TEXT) {
        Ok(loaded) => {
            let warnings: Vec<&str> = loaded.warnings.iter().map(|w| w.message.as_str()).collect();
            let expected = [
                "the constructor leaves `small` and `head` unset",
                "the result `mode` is not assigned",
            ];
            assert_eq!(warnings, expected);
            std::sync::Arc::unwrap_or_clone(loaded.program)
        }
        Err(diagnostics) => panic!("{diagnostics}"),
    }
}

const NODE: ClassId = ClassId(0);
const MAIN: ClassId = ClassId(1);

fn main_class(program: &Program) -> &Class {
    program.class(MAIN)
}

fn routine<'p>(program: &'p Program, name: &str) -> &'p Routine {
    main_class(program)
        .routines
        .iter()
        .find(|r| r.name == name)
        .unwrap()
}

fn field(program: &Program, name: &str) -> FieldRef {
    let index = main_class(program)
        .fields
        .iter()
        .position(|f| f.name == name)
        .unwrap();
    FieldRef { class: MAIN, index }
}

fn text(program: &Program, e: &Expr) -> String {
    expr_text(program, MAIN, e)
}

fn int(e: &Expr) -> String {
    match &*e.kind {
        ExprKind::Int(value) => value.to_string(),
        other => panic!("{other:?}"),
    }
}

fn place(program: &Program, place: &Place) -> String {
    match place {
        Place::Var(id) => program.var(*id).name.clone(),
        Place::Field(object, field) => {
            format!("{}.{}", text(program, object), program.field(*field).name)
        }
        Place::Element(array, index) => {
            format!("{}[{}]", text(program, array), text(program, index))
        }
    }
}

/// A statement on one line, without what is in its blocks.
fn line(program: &Program, stmt: &Stmt) -> String {
    let list = |args: &[Expr]| {
        args.iter()
            .map(|e| text(program, e))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match &stmt.kind {
        StmtKind::Assign(p, e) => format!("{} := {}", place(program, p), text(program, e)),
        StmtKind::Havoc(p) => format!("havoc {}", place(program, p)),
        StmtKind::Guess(p) => format!("havoc? {}", place(program, p)),
        StmtKind::Call {
            targets,
            receiver,
            routine,
            args,
        } => {
            let targets: Vec<String> = targets.iter().map(|p| place(program, p)).collect();
            let name = &program.routine(*routine).name;
            format!(
                "[{}] := {}.{name}({})",
                targets.join(", "),
                text(program, receiver),
                list(args)
            )
        }
        StmtKind::New {
            target,
            class,
            constructor,
            args,
        } => format!(
            "{} := new {}/{}({})",
            place(program, target),
            program.class(*class).name,
            constructor.map_or("", |c| &program.routine(c).name),
            list(args)
        ),
        StmtKind::NewArray {
            target,
            element,
            length,
            ..
        } => format!(
            "{} := new {}[{}]",
            place(program, target),
            program.type_name(element),
            text(program, length)
        ),
        StmtKind::Assume(e) => format!("assume {}", text(program, e)),
        StmtKind::Assert(e) => format!("assert {}", text(program, e)),
        StmtKind::If(..) => "if".into(),
        StmtKind::While { .. } => "while".into(),
        StmtKind::Labelled(label, _) => format!("{}: block", label.0),
        StmtKind::Break(label) => format!("break {}", label.0),
        StmtKind::Continue(label) => format!("continue {}", label.0),
        StmtKind::Return => "return".into(),
        StmtKind::Throw(e) => format!("throw {}", program.exception(*e)),
        StmtKind::ThrowAgain => "throw".into(),
        StmtKind::Try { .. } => "try".into(),
    }
}

fn lines(program: &Program, block: &[Stmt]) -> Vec<String> {
    block.iter().map(|stmt| line(program, stmt)).collect()
}

#[test]
fn declarations() {
    let program = program();
    assert_eq!(program.enums.len(), 1);
    assert_eq!(program.enums[0].members, ["Off", "On"]);
    assert_eq!(program.opaques[0].name, "Item");
    assert_eq!(program.exceptions.len(), BuiltinException::ALL.len() + 1);
    for builtin in BuiltinException::ALL {
        assert_eq!(program.exception(builtin.id()), builtin.name());
    }
    assert_eq!(program.exceptions.last().unwrap(), "Full");
    assert_eq!(program.class_named("Everything"), Some(MAIN));
    assert_eq!(program.class(NODE).fields[0].ty, Type::Opaque(OpaqueId(0)));
    let nullable = Type::Class {
        class: NODE,
        nullable: true,
    };
    assert_eq!(program.class(NODE).fields[1].ty, nullable);
}

#[test]
fn constants_with_a_value_are_gone_and_those_without_are_fields() {
    let program = program();
    let class = main_class(&program);
    let names: Vec<(&str, bool)> = class
        .fields
        .iter()
        .map(|f| (f.name.as_str(), f.constant))
        .collect();
    assert_eq!(
        names,
        [
            ("LIMIT", true),
            ("money", false),
            ("small", false),
            ("mode", false),
            ("head", false),
            ("data", false),
            ("table", false)
        ]
    );
    assert_eq!(class.fields[0].ty, Type::Nat);
    assert_eq!(int(class.fields[1].value.as_ref().unwrap()), "15");
    assert!(class.fields[2].value.is_none());
    let machine = MachineInt {
        signed: false,
        bits: 8,
    };
    assert_eq!(class.fields[2].ty, Type::Machine(machine));
    let on = class.fields[3].value.as_ref().unwrap();
    assert!(matches!(*on.kind, ExprKind::Member(EnumId(0), 1)));
    assert_eq!(on.ty, Type::Enum(EnumId(0)));
}

#[test]
fn invariants_and_states() {
    let program = program();
    let class = main_class(&program);
    assert_eq!(class.invariants.len(), 2);
    // The chain is a conjunction, and the constant its value.
    assert_eq!(
        text(&program, &class.invariants[0]),
        "0 <= money && money <= 15 && small < 200"
    );
    let ExprKind::Binary(BinaryOp::And, _, last) = &*class.invariants[0].kind else {
        panic!()
    };
    let ExprKind::Compare(CompareOp::Lt, small, literal) = &*last.kind else {
        panic!()
    };
    // A literal takes the type of the machine integer beside it.
    assert_eq!(small.ty, literal.ty);
    assert_eq!(program.type_name(&literal.ty), "u8");

    let ExprKind::Quantified(Quantifier::Forall, ids, body) = &*class.invariants[1].kind else {
        panic!()
    };
    assert_eq!(ids.len(), 1);
    assert_eq!(program.var(ids[0]).ty, Type::Int);
    assert_eq!(body.ty, Type::Bool);
    assert_eq!(
        text(&program, &class.invariants[1]),
        "forall i: int :: 0 <= i && i < data.length ==> data[i] != null_or(3)"
    );

    let index = |name| class.routines.iter().position(|r| r.name == name).unwrap();
    assert_eq!(class.states.len(), 1);
    assert_eq!(class.states[0].enabled, [index("peek"), index("work")]);
    assert_eq!(text(&program, &class.states[0].assumes), "money > 0");
}

#[test]
fn functions_and_calls_of_them() {
    let program = program();
    let function = &main_class(&program).functions[0];
    assert_eq!(function.name, "null_or");
    assert_eq!(
        text(&program, &function.body),
        "if head == null then x else money"
    );
    let ExprKind::If(condition, ..) = &*function.body.kind else {
        panic!()
    };
    let ExprKind::Compare(CompareOp::Eq, head, null) = &*condition.kind else {
        panic!()
    };
    assert_eq!(head.ty, null.ty);

    let requires = &routine(&program, "peek").requires;
    assert_eq!(requires.len(), 1);
    assert_eq!(text(&program, &requires[0]), "head != null && !head.last()");
    let ExprKind::Binary(BinaryOp::And, _, not) = &*requires[0].kind else {
        panic!()
    };
    let ExprKind::Not(call) = &*not.kind else {
        panic!()
    };
    let ExprKind::Call { function, .. } = &*call.kind else {
        panic!()
    };
    assert_eq!(
        *function,
        FunctionRef {
            class: NODE,
            index: 0
        }
    );
}

#[test]
fn headers() {
    let program = program();
    let constructor = routine(&program, "Everything");
    assert_eq!(constructor.kind, RoutineKind::Constructor);
    assert_eq!(text(&program, &constructor.requires[0]), "size > 7");
    assert_eq!(constructor.modifies, None);

    let peek = routine(&program, "peek");
    assert!(peek.pure);
    assert_eq!(peek.control, Some(Control::Controllable));
    assert_eq!(peek.outcomes, peek.results);
    assert_eq!(peek.results.len(), 2);
    // The result hides the field of the same name.
    assert_eq!(program.var(peek.results[1]).ty, Type::Enum(EnumId(0)));

    let work = routine(&program, "work");
    assert_eq!(work.control, Some(Control::Monitored));
    assert_eq!(program.var(work.params[0]).ty, Type::Nat);
    assert_eq!(work.throws, [ExceptionId(BuiltinException::ALL.len())]);
    assert!(work.outcomes.is_empty());

    // Without `modifies`: the fields that occur outside of `old`.
    let next = FieldRef {
        class: NODE,
        index: 1,
    };
    let mut expected = vec![next, field(&program, "money"), field(&program, "head")];
    expected.sort_unstable();
    assert_eq!(
        routine(&program, "step").modifies.as_ref().unwrap(),
        &expected
    );
    let mut expected = vec![next, field(&program, "small")];
    expected.sort_unstable();
    assert_eq!(
        routine(&program, "pair").modifies.as_ref().unwrap(),
        &expected
    );
    assert!(routine(&program, "pair").body.is_none());
}

#[test]
fn statements() {
    let program = program();
    let body = routine(&program, "work").body.as_ref().unwrap();
    assert_eq!(
        lines(&program, body),
        [
            "node := new Node/Node(item, head)",
            "havoc any",
            "this.head := node",
            "node := new Node/empty()",
            "this.table := table[by := table[by][Mode.On := 3]]",
            "[result'] := this.step(by)",
            "this.table := table[1 := table[1][Mode.Off := int(result')]]",
            "[result'] := this.step(money)",
            "this.money := int(result')",
            "[left, any] := this.pair()",
            "havoc any",
            "if",
            "while",
            "inner := int(small)",
            "this.money := inner",
            "try",
            "head.next := null",
            "data[0] := -1",
            "havoc this.money",
            "havoc data[1]",
            "[] := this.peek()",
            "left := money",
            "return",
        ]
    );
}

#[test]
fn blocks() {
    let program = program();
    let body = routine(&program, "work").body.as_ref().unwrap();
    let StmtKind::If(Condition::Expr(_), then, otherwise) = &body[11].kind else {
        panic!()
    };
    assert_eq!(lines(&program, then), ["this.small := small + 1"]);
    let [
        Stmt {
            kind: StmtKind::If(Condition::Expr(_), then, otherwise),
            ..
        },
    ] = &otherwise[..]
    else {
        panic!()
    };
    assert_eq!(lines(&program, then), ["this.small := u8(money)"]);
    assert!(otherwise.is_empty());

    let StmtKind::While {
        condition: Condition::Any,
        invariants,
        body: looped,
        ..
    } = &body[12].kind
    else {
        panic!()
    };
    assert_eq!(text(&program, &invariants[0]), "money > 0");
    assert_eq!(lines(&program, looped), ["if", "continue 1"]);

    let StmtKind::Try {
        body: tried,
        catches,
    } = &body[15].kind
    else {
        panic!()
    };
    assert_eq!(lines(&program, tried), ["throw Full"]);
    assert_eq!(catches.len(), 2);
    assert_eq!(
        catches[1].exceptions,
        [BuiltinException::NullDereference.id()]
    );
    assert_eq!(lines(&program, &catches[0].body), ["assert false"]);
}

#[test]
fn arithmetic_has_the_type_it_wraps_in() {
    let program = program();
    let body = routine(&program, "work").body.as_ref().unwrap();
    let StmtKind::If(_, then, _) = &body[11].kind else {
        panic!()
    };
    let StmtKind::Assign(_, sum) = &then[0].kind else {
        panic!()
    };
    assert_eq!(program.type_name(&sum.ty), "u8");
    let ExprKind::Binary(BinaryOp::Add, _, one) = &*sum.kind else {
        panic!()
    };
    assert_eq!(program.type_name(&one.ty), "u8");
}

#[test]
fn every_variable_is_its_own() {
    let program = program();
    let mut used = vec![0; program.vars.len()];
    for class in &program.classes {
        for routine in &class.routines {
            for VarId(id) in routine.params.iter().chain(&routine.results) {
                used[*id] += 1;
            }
        }
        for function in &class.functions {
            for VarId(id) in &function.params {
                used[*id] += 1;
            }
        }
    }
    assert!(used.iter().all(|&n| n <= 1));
}

/// The text of an expression over `x, y: int`, `b, c: bool`, `s: u8`, `n: Node?`, `a: array<int>`, typed and
/// written again.
fn again(e: &str) -> String {
    let text = format!(
        "class Node {{ var next: Node?; initially true; }}
         class C {{ var x: int; var y: int; var b: bool; var c: bool; var s: u8; var n: Node?; var a: array<int>;
           var m: map<int, int>; function f(i: int): int {{ i }} constructor() {{}}
           action t() ensures ({e}) == ({e}) }}"
    );
    let loaded = parse_text("t.tq", &text).unwrap_or_else(|d| panic!("{d}"));
    let ensures = &loaded.program.class(MAIN).routines[1].ensures[0];
    let ExprKind::Compare(CompareOp::Eq, left, _) = &*ensures.kind else {
        panic!()
    };
    expr_text(&loaded.program, MAIN, left)
}

#[test]
fn typed_expressions_are_written_with_the_parentheses_they_need() {
    for e in [
        "x + y * 2",
        "(x + y) * 2",
        "x - (y - 1)",
        "x - y - 1",
        "-(x + 1)",
        "x - -1",
        "x div (y mod 3)",
        "b ==> c ==> b",
        "(b ==> c) ==> b",
        "b && c || b",
        "b && (c || b)",
        "!(b && c)",
        "(b <==> c) == c",
        "(if b then x else y) + 1",
        "1 + if b then x else y",
        "(forall i: int :: i > x) && b",
        "b && forall i: int :: i > x",
        "old(x) + old(f(x))",
        "n.next.next == null",
        "a[x + 1] + a.length",
        "m[x := y][3]",
        "u8(x) == s",
        "int(s) + x",
    ] {
        assert_eq!(again(e), e);
    }
    assert_eq!(again("((x)) < (y + 1) <= 3"), "x < y + 1 && y + 1 <= 3");
    assert_eq!(again("s + x"), "int(s) + x");
    assert_eq!(again("this.x + this.f(1)"), "x + f(1)");
}

#[test]
fn a_class_without_a_constructor_can_be_made() {
    let text = "class A { var x: int; initially x == 0; }
                class C { var a: A; constructor() { a := new A(); } }";
    let program = parse_text("t.tq", text).unwrap().program;
    let body = program.class(MAIN).routines[0].body.as_ref().unwrap();
    let StmtKind::New { constructor, .. } = &body[0].kind else {
        panic!()
    };
    assert_eq!(*constructor, None);
    assert_eq!(program.class(NODE).initially.len(), 1);
}

#[test]
fn constructors_are_told_apart_by_their_arguments() {
    let text =
        "class A { constructor(x: int) {} constructor(x: u8, y: bool) {} constructor(x: bool) {} }
                class C { var a: A; var s: u8; constructor(s: u8, b: bool) {
                  a := new A(3); a := new A(b); a := new A(s); a := new A(3, b); } }";
    let program = parse_text("t.tq", text).unwrap().program;
    let body = program.class(MAIN).routines[0].body.as_ref().unwrap();
    let chosen: Vec<usize> = body
        .iter()
        .map(|stmt| match &stmt.kind {
            StmtKind::New {
                constructor: Some(RoutineRef { index, .. }),
                ..
            } => *index,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(chosen, [0, 2, 0, 1]);
}

#[test]
fn what_is_made_for_the_first_time_may_be_changed() {
    // A constructor changes only the object it makes; `modifies` and `pure` are about what was there before.
    let fine = "class A { var x: int; constructor() { x := 1; } }
                class C { var a: A; var b: int; var d: array<int>; initially true;
                  action p() modifies a { a := new A(); }
                  action q() modifies d { d[0] := 1; }
                  pure action r() returns (n: int) { var m: int := 3; m := m + b; n := m; } }";
    assert!(parse_text("t.tq", fine).is_ok());
    let wrong = "class A { var x: int; constructor(o: A?) { o.x := 1; } }
                 class C { var a: A; initially true; action p() modifies a { a := new A(a); } }";
    assert_eq!(parse_text("t.tq", wrong).unwrap_err().len(), 1);
}

#[test]
fn what_would_be_copied_too_often_is_refused() {
    let messages = |member: &str, statement: &str| -> Vec<String> {
        let text = format!("class C {{ {member} constructor() {{ {statement} }} }}");
        match parse_text("t.tq", &text) {
            Ok(_) => Vec::new(),
            Err(diagnostics) => diagnostics.iter().map(|d| d.message.clone()).collect(),
        }
    };
    let map = |depth: usize| {
        format!(
            "var m: {}int{};",
            "map<int, ".repeat(depth),
            ">".repeat(depth)
        )
    };
    let set = |depth: usize| format!("m{} := 1;", "[0]".repeat(depth));
    assert!(messages(&map(8), &set(8)).is_empty());
    assert_eq!(
        messages(&map(9), &set(9)),
        ["this is a map in too many maps"]
    );
    assert_eq!(messages(&map(16), ""), ["this type is too long"]);
    assert_eq!(
        messages("var b: bool;", "b := b == (b == b == b) == b;").len(),
        1
    );
}
