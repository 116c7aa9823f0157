//! Tests of the Boogie language.

use super::{check, parse, typed};

/// The program as checked.
fn checked(text: &str) -> typed::TypedProgram {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let again = parse(&program.to_string()).unwrap_or_else(|e| panic!("{e}\n{program}"));
    assert_eq!(program, again, "print and parse:\n{program}");
    check(&program).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The procedure of that name.
fn procedure<'p>(program: &'p typed::TypedProgram, name: &str) -> &'p typed::TypedProcedure {
    let found = program.procedure(name).expect(name);
    program.procedures.at(found).expect(name)
}

/// The errors of a program that is wrong.
fn errors(text: &str) -> String {
    match parse(text) {
        Err(e) => e.to_string(),
        Ok(program) => check(&program).expect_err(text).to_string(),
    }
}

#[test]
fn a_program_with_every_kind_of_declaration() {
    let p = checked(
        r#"
type Ref; type Field a; type Heap = <a>[Ref, Field a]a; type Pair a b;
const unique null: Ref; const n, m: int;
function f(int, y: int) returns (int); function g<a>(x: a): a { x }
function {:bvbuiltin "bvadd"} add(bv8, bv8): bv8;
axiom (forall x, y: int :: {f(x, y)} {f(y, x), f(x, x)} x < y ==> f(x, y) > 0);
axiom (exists<b> h: Heap, r: Ref, fi: Field b :: h[r, fi] == h[r, fi]);
var x: int where x > 0; var h: Heap; var M: [int][bool, int]int;
procedure {:entrypoint} main(a: int, b: [int]int) returns (r: int where r != 0, s: bool)
  requires a > 0; free requires b[0] == 1; modifies x, M; ensures old(x) < x; free ensures s;
{
  var i: int, c: bv8; var z: [int]int;
  A: i := 0; x, M[1][true, 2] := 5, 7;
  z := (lambda q: int :: q + 1); z := z[1 := 2][3 := 4];
  while (i < 10) invariant i >= 0; free invariant true; { if (i == 5) { break; } else if (*) { i := i + 2; } else { goto A; } i := i + 1; }
  c := add(1bv8, c[4:0] ++ 3bv4); havoc i, x;
  call r := P(i); call * := P(*);
  assert {:sourceloc "f.c", 1, 2} (var t := g(i); t == i) && !false;
  assert |{ var k: int; B: k := 1; goto C, D; C: return k == 1; D: return true; }|;
  r := if i > 0 then 1 else int(2.5) mod 3 div 2; assume real(3) / 2.0 >= 1e1;
  return;
}
procedure P(i: int) returns (o: int); ensures o > i;
procedure Q(); implementation Q() { }
datatype Option<T> { None(), Some(t: T) } datatype Two { One(x: int, y: Option int), Other({:a} x: int) }
type {:datatype} Old a; function {:constructor} Old<a>(a, b: a): Old a; type finite Fin;
function shared(x, y: int, z: bool): int uses { axiom shared(1, 2, true) == 3; } const k: Option int uses { hideable axiom k is Some; }
revealed function {:define} h(x: float24e8, r: rmode, s: string, e: regex): bool { x - 0x1.0e0f24e8 < -0x1.8e0f24e8 / x && r != RTZ && s == "a" }
pure procedure R(t: [int]Two, o: Option int) returns (u: [int]Two, n: int)
{
  hide *; push; reveal shared; pop;
  u := t; u[3]->y->t := {:x} 5; u[1] := u[2]->(x := 4)->(y := o);
  Some(n) := {:u} o;
  assume u[0]->y is None || u[0] is Other; goto {:a} A; A: if {:b} (*) { return {:c}; }
}
"#,
    );
    assert_eq!(p.procedures.len(), 4);
    assert!(procedure(&p, "main").entrypoint);
    assert!(procedure(&p, "Q").body.is_some());
}

#[test]
fn blocks_are_named_as_boogie_names_them() {
    let p = checked(
        "procedure P() { var x: int; if (*) { x := 1; } else { x := 2; } while (x < 3) { x := x + 1; } x := 4; }",
    );
    let blocks = &procedure(&p, "P").body.as_ref().unwrap().blocks;
    let labels: Vec<&str> = blocks.iter().map(|b| b.label.as_str()).collect();
    // From Boogie 2.4.1's `/printInstrumented` of the same text.
    for wanted in [
        "anon0",
        "anon6_Then",
        "anon6_Else",
        "anon7_LoopHead",
        "anon7_LoopBody",
        "anon7_LoopDone",
    ] {
        assert!(labels.contains(&wanted), "{wanted} in {labels:?}");
    }
}

#[test]
fn blocks_of_missing_and_empty_branches_are_counted_as_boogie_counts_them() {
    let p = checked(
        "procedure P(amount: int) returns (exc: int) { var g: int; exc := 0; if (amount == 77) { exc := 1; return; } \
         g := g + amount; if (*) { } while (g > 0) { if (g == 1) { break; } g := 3; } \
         if (g == 1) { g := 2; } else if (g == 2) { g := 4; } }",
    );
    let blocks = &procedure(&p, "P").body.as_ref().unwrap().blocks;
    let labels: Vec<&str> = blocks.iter().map(|b| b.label.as_str()).collect();
    // From Boogie 2.4.1's `/printUnstructured` of the same text.
    for wanted in [
        "anon0",
        "anon11_Then",
        "anon11_Else",
        "anon2",
        "anon12_Then",
        "anon12_Else",
        "anon4",
        "anon13_LoopHead",
        "anon13_LoopBody",
        "anon13_LoopDone",
        "anon14_Then",
        "anon14_Else",
        "anon7",
        "anon8",
        "anon15_Then",
        "anon15_Else",
        "anon16_Then",
        "anon16_Else",
    ] {
        assert!(labels.contains(&wanted), "{wanted} in {labels:?}");
    }
}

#[test]
fn errors_name_place_and_construct() {
    let cases = [
        (
            "procedure P() {\n  x := 1;\n}",
            "2:3: undeclared identifier: x",
        ),
        (
            "var x: int;\nprocedure P() { x := true; }",
            "2:17: mismatched types in assignment command (cannot assign bool to int)",
        ),
        (
            "procedure P() { async call P(); }",
            "1:17: an asynchronous call is not supported: programs have one thread, so write the order of what happens as calls",
        ),
        (
            "procedure P() { yield; }",
            "1:17: `yield` (concurrency) is not supported: programs have one thread, so write the order of what happens as calls",
        ),
        (
            "datatype T { A(x: int), B(x: bool) }",
            "1:10: the field x of T has several types",
        ),
        (
            "datatype T { A(x: int) } function f(t: T): int { t->y }",
            "1:51: datatype T does not have a field with name y",
        ),
        (
            "function f(t: int): int { t->y }",
            "1:28: field-access must be applied to a datatype, int is not a datatype",
        ),
        (
            "datatype T { A(x: int) } function f(t: T): bool { t is B }",
            "1:53: datatype T does not have a constructor with name B",
        ),
        (
            "datatype T { A(x: int) } function f(t: T): T { t->(x := true) }",
            "1:49: the new value of the field has type bool, not int",
        ),
        (
            "datatype T { A(x: int) } procedure P(t: T) { var b: bool; A(b) := t; }",
            "1:61: the field has type int, not bool",
        ),
        (
            "datatype T { A(x: int, y: int) } procedure P(t: T) { var b: int; A(b, b) := t; }",
            "1:71: variable b is assigned more than once in unpack command",
        ),
        (
            "type {:datatype} T; function {:constructor} A(x: int): int;",
            "1:45: the constructor A is not of a datatype",
        ),
        (
            "datatype T { A() } datatype U { A() }",
            "1:33: more than one declaration of function: A",
        ),
        (
            "atomic action A() { }",
            "1:1: an atomic action (concurrency) is not supported: programs have one thread, so write the order of what happens as calls",
        ),
        (
            "axiom (forall x: int where x > 0 :: true);",
            "1:15: a where clause is not allowed on a bound variable",
        ),
        (
            "axiom 5 % 3 == 2;",
            "1:9: the character `%` has no meaning here (any more: the remainder is `mod`, and the quotient `div`)",
        ),
        (
            "procedure L(x: int); procedure P() { call forall L(*); }",
            "1:43: `call forall` (which Boogie has not any more) is not supported: assume what the lemma says, as `(forall …)`, or call it with values",
        ),
        ("#if A\naxiom true;", "1:1: this #if has no #endif"),
        ("#if A\n#else\n#else\n#endif", "3:1: misplaced #else"),
        (
            "function {:builtin \"+\"} plus(x: int, y: int): int { 0 }",
            "1:25: plus is the solver's, and has no other definition",
        ),
        ("#define A", "1:1: unrecognized pragma: #define A"),
        (
            "#line\n",
            "1:1: malformed (#line) pragma: #line N [\"FILE\"]",
        ),
        (
            "#line 40\naxiom 1;",
            "40:7: an axiom has type int, not bool",
        ),
        (
            "axiom 1 ** 2.0 == 1.0;",
            "1:7: an operand of `**` has type int, not real",
        ),
        ("procedure P() { goto A; }", "1:22: undeclared label: A"),
        (
            "procedure P() { call Q(); }",
            "1:17: call to undeclared procedure: Q",
        ),
        (
            "axiom 1 && true;",
            "1:7: an operand of `&&` has type int, not bool",
        ),
        (
            "axiom true && true || false;",
            "1:20: `&&` and `||` need parentheses between them",
        ),
        (
            "const a: int; const a: int;",
            "1:21: more than one declaration of constant or variable: a",
        ),
        (
            "procedure P()",
            "1:14: expected `{`, found the end of the text",
        ),
        (
            "function f(int): int;\naxiom f(true) == 0;",
            "2:9: an argument of f has type bool, not int",
        ),
        (
            "type A = B; type B = A; var x: A;",
            "1:10: this type is too large, or a synonym of itself",
        ),
        ("axiom \"a\";", "1:7: an axiom has type string, not bool"),
        ("/* a", "1:1: this comment has no end"),
        (
            "axiom 0x1.0e1f24e8 == 0;",
            "1:20: the right operand of `==` has type int, not float24e8",
        ),
        (
            "axiom 0x1.0e0f24e8 < 0x1.0e0f53e11;",
            "1:20: the right operand of `<` has type float53e11, not float24e8",
        ),
        (
            "axiom 0x1.0000001e0f24e8 == 0x1.0e0f24e8;",
            "1:7: 0x1.0000001e0f24e8 is not a number of type float24e8",
        ),
        (
            "function f(x: float24e8): float24e8 { -x }",
            "1:39: `-` is applied to float24e8, which is neither int nor real",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(errors(text), wanted, "{text}");
    }
}

#[test]
fn deep_and_long_inputs_do_not_overflow_the_stack() {
    let deep = |open: &str, inner: &str, close: &str, n: usize| {
        let text = format!("{}{inner}{}", open.repeat(n), close.repeat(n));
        errors(&format!("axiom {text};"))
    };
    for n in [500, 100_000] {
        assert!(deep("(", "true", ")", n).contains("nested more than"));
        assert!(deep("!", "true", "", n).contains("nested more than"));
        assert!(deep("", "1", " + 1", n).contains("levels high"));
        assert!(deep("true ==> ", "true", "", n).contains("nested more than"));
        assert!(deep("if true then true else ", "true", "", n).contains("levels high"));
        assert!(deep("", "true", ": bool", n).contains("levels high"));
        assert!(deep("(1 + 1 + 1 + 1 + 1 + 1 + ", "1", ")", n).contains("nested more than"));
    }
    let ifs = |n: usize| {
        format!(
            "procedure P() {{ {} {} }}",
            "if (*) {".repeat(n),
            "}".repeat(n)
        )
    };
    assert!(errors(&ifs(100_000)).contains("nested more than"));
    let types = format!("var x: {}int;", "[int]".repeat(100_000));
    assert!(errors(&types).contains("nested more than"));
    checked(&format!("axiom {}true;", "true && ".repeat(20_000)));
    checked(&format!(
        "procedure P() {{ if (*) {{}} {} }}",
        "else if (*) {}".repeat(5_000)
    ));
}
