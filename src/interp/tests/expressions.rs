use super::{int, last_class, object, program};
use crate::interp::eval::{EvalError, EvalScope, Fuel, Locals};
use crate::interp::{Configuration, Value};
use crate::ir::{BuiltinException, Program};
use crate::ir::{
    BuiltinException::DivisionByZero, BuiltinException::IndexOutOfRange,
    BuiltinException::NullDereference,
};

/// What stands in front of the class that an expression is evaluated in. Its objects have `n = null`, `a =
/// null`, `x = 5`.
const AROUND: &str = "
    enum Mode { Off, On }
    class Node { var value: int; var next: Node?; function double(): int { value * 2 } }
    class C {
      var x: int;
      var n: Node?;
      var a: array<int>?;
      var m: map<int, int>;
      function inverse(d: int): int { 100 div d }
      function square(d: int): int { d * d }
";

fn start(program: &Program) -> Configuration {
    use crate::interp::{Keys, Map};
    let keys = Keys::of(program, &crate::ir::Type::Int);
    let map = Value::Map(Map::constant(keys, int(7)));
    object(program, &[int(5), Value::Null, Value::Null, map])
}

fn with_function(ty: &str, expression: &str) -> Program {
    program(&format!(
        "{AROUND} function it(): {ty} {{ {expression} }} }}"
    ))
}

fn evaluate(ty: &str, expression: &str) -> Result<Value, EvalError> {
    let program = with_function(ty, expression);
    let class = program.class(last_class(&program));
    let body = &class.functions.last().expect("a function").body;
    let now = start(&program);
    let scope = EvalScope {
        program: &program,
        now: &now,
        old: None,
        this: now.this,
        locals: &Locals::new(),
        fuel: &Fuel::new(10_000),
    };
    scope.evaluate(body)
}

fn integers(cases: &[(&str, i64)]) {
    for (expression, expected) in cases {
        assert_eq!(
            evaluate("int", expression),
            Ok(int(*expected)),
            "{expression}"
        );
    }
}

fn booleans(cases: &[(&str, bool)]) {
    for (expression, expected) in cases {
        let value = evaluate("bool", expression);
        assert_eq!(value, Ok(Value::Bool(*expected)), "{expression}");
    }
}

fn undefined(cases: &[(&str, BuiltinException)]) {
    for (expression, expected) in cases {
        let value = evaluate("bool", expression);
        assert_eq!(value, Err(EvalError::Undefined(*expected)), "{expression}");
    }
}

#[test]
fn unbounded_integers() {
    integers(&[
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("2 - 3 - 4", -5),
        ("-x", -5),
        ("if x == 5 then 1 else 2", 1),
        ("if x != 5 then 1 else 2", 2),
        ("square(x - 2)", 9),
    ]);
    assert_eq!(
        evaluate("int", "9223372036854775807 * 9223372036854775807"),
        Ok(Value::int(i128::from(i64::MAX) * i128::from(i64::MAX)))
    );
}

#[test]
fn division_is_euclidean() {
    // a = b * q + r with 0 <= r < |b|
    integers(&[
        ("7 div 2", 3),
        ("7 mod 2", 1),
        ("(-7) div 2", -4),
        ("(-7) mod 2", 1),
        ("7 div (-2)", -3),
        ("7 mod (-2)", 1),
        ("(-7) div (-2)", 4),
        ("(-7) mod (-2)", 1),
        ("(-8) div 2", -4),
        ("(-8) mod (-2)", 0),
    ]);
}

#[test]
fn machine_integers_wrap_after_each_operation() {
    for (ty, expression, expected) in [
        ("u8", "u8(255) + 1", 0),
        ("u8", "u8(0) - 1", 255),
        ("u8", "u8(200) * 2", 144),
        ("u8", "-u8(1)", 255),
        ("u8", "u8(-1)", 255),
        ("i8", "i8(127) + 1", -128),
        ("i8", "i8(200)", -56),
        ("i8", "i8(-128) div (-1)", -128),
        ("i8", "i8(-7) mod 2", 1),
        ("u8", "(u8(255) + 1) div 2", 0),
        ("int", "int(u8(255)) + 1", 256),
        ("int", "u8(255) + x", 260),
    ] {
        assert_eq!(evaluate(ty, expression), Ok(int(expected)), "{expression}");
    }
    booleans(&[
        ("u8(255) + 1 == 0", true),
        ("u8(255) < x", false),
        ("i8(-1) < u8(0)", true),
    ]);
}

#[test]
fn booleans_and_comparisons() {
    booleans(&[
        ("true && false", false),
        ("false || true", true),
        ("true ==> false", false),
        ("false ==> false", true),
        ("false <==> false", true),
        ("true <==> false", false),
        ("!true", false),
        ("x < 5 || x > 5", false),
        ("x <= 5 && x >= 5", true),
        ("0 <= x < 5", false),
        ("0 <= x <= 5", true),
        ("Mode.On == Mode.On", true),
        ("Mode.On == Mode.Off", false),
        ("Mode.On != Mode.Off", true),
        ("n == null", true),
        ("this == this", true),
    ]);
}

#[test]
fn the_right_side_is_looked_at_only_when_needed() {
    booleans(&[
        ("false && 1 div 0 == 1", false),
        ("true || 1 div 0 == 1", true),
        ("false ==> 1 div 0 == 1", true),
        ("(if true then 1 else 1 div 0) == 1", true),
        ("n == null || n.value == 1", true),
    ]);
    undefined(&[
        ("1 div 0 == 1 && false", DivisionByZero),
        ("true && 1 div 0 == 1", DivisionByZero),
        ("false || 1 mod 0 == 1", DivisionByZero),
        ("true ==> 1 div 0 == 1", DivisionByZero),
        ("false <==> 1 div 0 == 1", DivisionByZero),
        ("x == 5 <==> n.value == 1", NullDereference),
    ]);
}

#[test]
fn undefined_operations() {
    undefined(&[
        ("n.value == 1", NullDereference),
        ("n.next == null", NullDereference),
        ("n.double() == 1", NullDereference),
        ("a.length == 1", NullDereference),
        ("a[0] == 1", NullDereference),
        ("inverse(0) == 1", DivisionByZero),
        // Left to right: the division is before the dereference.
        ("1 div 0 == n.value", DivisionByZero),
        ("n.value == 1 div 0", NullDereference),
    ]);
}

#[test]
fn maps() {
    integers(&[
        ("m[3]", 7),
        ("m[3 := 1][3]", 1),
        ("m[3 := 1][4]", 7),
        ("m[3 := 1][3 := 2][3]", 2),
    ]);
}

#[test]
fn arrays_and_objects() {
    let program = program(&format!(
        "{AROUND}
         function second(): int {{ a[1] }}
         function outside(): int {{ a[2] }}
         function before(): int {{ a[-1] }}
         function length(): int {{ a.length }}
         function twice(): int {{ n.double() }}
         function path(): int {{ n.next.value }} }}"
    ));
    let mut now = start(&program);
    let class = crate::ir::ClassId(0);
    let node = |next, value: i64| crate::interp::HeapObject::Instance {
        class,
        fields: vec![int(value), next],
    };
    let last = now.allocate(node(Value::Null, 21));
    let first = now.allocate(node(Value::Ref(last), 4));
    let array = now.allocate(crate::interp::HeapObject::Array {
        element: crate::ir::Type::Int,
        elements: vec![int(10), int(20)],
    });
    let this = now.this.expect("an object");
    let field = |index| crate::ir::FieldRef {
        class: last_class(&program),
        index,
    };
    now.set_field(this, field(1), Value::Ref(first));
    now.set_field(this, field(2), Value::Ref(array));
    let value = |name: &str| {
        let functions = &program.class(last_class(&program)).functions;
        let function = functions.iter().find(|f| f.name == name).expect("named");
        let scope = EvalScope {
            program: &program,
            now: &now,
            old: None,
            this: now.this,
            locals: &Locals::new(),
            fuel: &Fuel::new(10_000),
        };
        scope.evaluate(&function.body)
    };
    assert_eq!(value("second"), Ok(int(20)));
    assert_eq!(value("outside"), Err(EvalError::Undefined(IndexOutOfRange)));
    assert_eq!(value("before"), Err(EvalError::Undefined(IndexOutOfRange)));
    assert_eq!(value("length"), Ok(int(2)));
    assert_eq!(value("twice"), Ok(int(8)));
    assert_eq!(value("path"), Ok(int(21)));
}

#[test]
fn a_clause_that_is_undefined_does_not_hold() {
    let text = "class C { var x: int;
        invariant 10 div x == 2;
        invariant !(10 div x == 2); }";
    let program = program(text);
    let interpreter = crate::interp::Interpreter::new(&program);
    let clauses = &program.class(last_class(&program)).invariants;
    let holds = |x: i64, clause: usize| {
        let now = object(&program, &[int(x)]);
        interpreter.all_hold(&now, now.this.expect("an object"), [&clauses[clause]])
    };
    assert_eq!(holds(5, 0), Ok(true));
    assert_eq!(holds(1, 0), Ok(false));
    assert_eq!(holds(1, 1), Ok(true));
    assert_eq!(holds(0, 0), Ok(false));
    assert_eq!(holds(0, 1), Ok(false));
}

#[test]
fn the_types_of_fields_belong_to_the_invariant() {
    let program = program("class C { var n: nat; var o: C; var p: C?; }");
    let interpreter = crate::interp::Interpreter::new(&program);
    let this = Value::Ref(crate::interp::ObjectId(0));
    let holds = |n: i64, o: &Value| {
        let now = object(&program, &[int(n), o.clone(), Value::Null]);
        interpreter.invariant_holds(&now, last_class(&program))
    };
    assert_eq!(holds(0, &this), Ok(true));
    assert_eq!(holds(-1, &this), Ok(false));
    assert_eq!(holds(0, &Value::Null), Ok(false));
}

#[test]
fn what_is_too_large_is_undetermined_or_out_of_fuel() {
    // 2^(2^20) has a million bits.
    let squares: Vec<String> = (1..=20)
        .map(|i| format!("function p{i}(): int {{ square(p{}()) }}", i - 1))
        .collect();
    let text = format!(
        "class C {{ function square(d: int): int {{ d * d }} function p0(): int {{ 2 }} {}
         invariant p20() > 0; invariant p10() > 0; }}",
        squares.join("\n")
    );
    let program = program(&text);
    let now = object(&program, &[]);
    let interpreter = crate::interp::Interpreter::new(&program);
    let clauses = &program.class(last_class(&program)).invariants;
    let holds = |i: usize| interpreter.all_hold(&now, now.this.expect("this"), [&clauses[i]]);
    assert!(matches!(holds(0), Err(EvalError::Undetermined(_))));
    assert_eq!(holds(1), Ok(true));

    // 2^40 additions.
    let sums: Vec<String> = (1..=40)
        .map(|i| format!("function s{i}(): int {{ s{0}() + s{0}() }}", i - 1))
        .collect();
    let text = format!(
        "class C {{ function s0(): int {{ 1 }} {} invariant s40() > 0; }}",
        sums.join("\n")
    );
    let program = self::program(&text);
    let clauses = &program.class(last_class(&program)).invariants;
    let interpreter = crate::interp::Interpreter::new(&program);
    assert_eq!(
        interpreter.all_hold(&now, now.this.expect("this"), clauses),
        Err(EvalError::OutOfFuel)
    );
}

#[test]
fn deep_expressions_do_not_overflow_the_stack() {
    // 100 functions, each with an expression of depth 100 around the call of the one before.
    let deep: Vec<String> = (1..=100)
        .map(|i| {
            let (open, close) = ("-(".repeat(100), ")".repeat(100));
            format!("function f{i}(): int {{ {open}f{}(){close} }}", i - 1)
        })
        .collect();
    let text = format!(
        "class C {{ function f0(): int {{ 1 }} {} invariant f100() == 1; invariant f2() == 1; }}",
        deep.join("\n")
    );
    let program = program(&text);
    let now = object(&program, &[]);
    let interpreter = crate::interp::Interpreter::new(&program);
    let clauses = &program.class(last_class(&program)).invariants;
    let holds = |i: usize| interpreter.all_hold(&now, now.this.expect("this"), [&clauses[i]]);
    assert!(matches!(holds(0), Err(EvalError::Undetermined(_))));
    assert_eq!(holds(1), Ok(true));
}
