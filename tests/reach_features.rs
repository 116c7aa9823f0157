//! What the language has, one program a feature: does an assertion fail or not, within which bound. The expected answers
//! follow from the meaning of the programs; see each.

use std::path::Path;
use std::process::Command;

/// What `tranquera reach` says of a program: `bug`, `none`, `bound`, or the whole output.
fn reach(text: &str, flags: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    std::fs::write(&file, text).expect("a file");
    run(&file, flags)
}

fn run(file: &Path, flags: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .arg("reach")
        .arg(file)
        .args(flags)
        .output();
    let output = output.expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let says = |line: &str| text.lines().any(|l| l == line);
    if says("Program has a potential bug: True bug") {
        "bug".into()
    } else if says("Program has no bugs") {
        match text.contains("Reached recursion bound of") {
            true => "bound".into(),
            false => "none".into(),
        }
    } else {
        text
    }
}

/// A program whose `main` has this body.
fn main_with(decls: &str, body: &str) -> String {
    format!("{decls}\nprocedure {{:entrypoint}} main() {{ {body} }}\n")
}

fn check(cases: &[(&str, &str, &str)]) {
    for (decls, body, wanted) in cases {
        let text = main_with(decls, body);
        let said = reach(&text, &["/recursionBound:4", "/timeLimit:20"]);
        assert!(said.starts_with(wanted), "{said}, not {wanted}: {text}");
    }
}

#[test]
fn statements() {
    check(&[
        (
            "",
            "var x: int; x := 1; goto A, B; A: x := 2; goto C; B: x := 3; C: assert x != 2;",
            "bug",
        ),
        (
            "",
            "var x: int; x := 1; goto A, B; A: x := 2; goto C; B: x := 3; C: assert x > 1;",
            "none",
        ),
        (
            "",
            "var x, y: int; x, y := 1, 2; x, y := y, x; assert x == 2 && y == 1;",
            "none",
        ),
        (
            "",
            "var x: int; if (*) { x := 1; } else if (*) { x := 2; } else { x := 3; } assert x < 3;",
            "bug",
        ),
        (
            "",
            "var x: int; havoc x; assume x > 5; assert x > 4;",
            "none",
        ),
        (
            "",
            "var i: int; i := 0; A: while (true) { i := i + 1; while (true) { break A; } } assert i == 1;",
            "none",
        ),
        (
            "",
            "var i: int; i := 0; while (i < 2) { if (i == 1) { return; } i := i + 1; } assert false;",
            "none",
        ),
        ("", "assume false; assert false;", "none"),
        (
            "",
            "var x: int; x := 0; while (x < 3) invariant x <= 2; { x := x + 1; }",
            "bug",
        ),
        (
            "",
            "var x: int; x := 0; while (x < 2) invariant x <= 2; { x := x + 1; }",
            "none",
        ),
        // Two entries into a loop: even and odd x meet in it.
        (
            "",
            "var x: int; x := 0; goto A, B; A: x := x + 1; assume x < 4; goto B, C; B: x := x + 2; assume x < 4; goto A; C: assert x != 3;",
            "bug",
        ),
        (
            "",
            "var x: int; goto A, B; A: x := 1; goto B; B: x := 2; goto A, C; C: assert x == 2;",
            "none",
        ),
    ]);
}

#[test]
fn procedures_and_contracts() {
    check(&[
        (
            "procedure P(x: int) requires x > 0; { }",
            "call P(0);",
            "bug",
        ),
        (
            "procedure P(x: int) requires x > 0; { }",
            "call P(1);",
            "none",
        ),
        (
            "procedure P(x: int) free requires x > 0; { assert x > 0; }",
            "var y: int; call P(y);",
            "none",
        ),
        (
            "procedure P() returns (r: int) ensures r > 0; { r := 0; }",
            "var y: int; call y := P();",
            "bug",
        ),
        (
            "procedure P() returns (r: int); ensures r > 0;",
            "var y: int; call y := P(); assert y > 0;",
            "none",
        ),
        (
            "procedure P() returns (r: int); ensures r > 0;",
            "var y: int; call y := P(); assert y > 1;",
            "bug",
        ),
        (
            "procedure P() returns (r: int) free ensures r > 5; { }",
            "var y: int; call y := P(); assert y > 4;",
            "none",
        ),
        (
            "var g: int; procedure P(); modifies g; ensures g == old(g) + 1;",
            "g := 1; call P(); assert g == 2;",
            "none",
        ),
        (
            "var g, h: int; procedure P(); modifies g;",
            "h := 1; g := 1; call P(); assert h == 1;",
            "none",
        ),
        (
            "var g, h: int; procedure P(); modifies g;",
            "g := 1; call P(); assert g == 1;",
            "bug",
        ),
        (
            "var g: int; procedure P() modifies g; { g := g + 1; assert g == old(g) + 1; g := 7; assert old(g) != 3; }",
            "g := 3; call P();",
            "bug",
        ),
        (
            "procedure P(n: int) returns (r: int) { if (n == 0) { r := 1; } else { call r := P(n - 1); r := r * n; } }",
            "var f: int; call f := P(3); assert f == 6;",
            "none",
        ),
        (
            "procedure P(n: int) returns (r: int) { if (n == 0) { r := 1; } else { call r := P(n - 1); r := r * n; } }",
            "var f: int; call f := P(4); assert f != 24;",
            "bound",
        ),
        (
            "procedure P(); implementation P() { assert false; }",
            "call P();",
            "bug",
        ),
        (
            "procedure {:inline 1} P(x: int) { assert x != 5; }",
            "call P(5);",
            "bug",
        ),
        ("var g: int where g > 0;", "assert g > 0;", "none"),
        (
            "",
            "var x: int where x > 0; x := 0; havoc x; assert x > 0;",
            "none",
        ),
        (
            "procedure P() returns (x: int where x > 2);",
            "var y: int; call y := P(); assert y > 2;",
            "none",
        ),
        (
            "procedure P(x: int, y: int) { assert y != 4; }",
            "call P(*, 4);",
            "bug",
        ),
        (
            "procedure P() returns (x: int, y: int) { x := 1; y := 2; }",
            "var z: int; call *, z := P(); assert z == 2;",
            "none",
        ),
        // The entry's own precondition is assumed.
        ("procedure Q() { } ", "call Q();", "none"),
    ]);
    let own = "procedure {:entrypoint} main(x: int) requires x > 0; { assert x > 0; }";
    assert_eq!(reach(own, &["/recursionBound:1"]), "none");
    let twice = "procedure A() { assert false; } procedure B() { }";
    assert_eq!(reach(twice, &["/main:A"]), "bug");
    assert_eq!(reach(twice, &["--main", "B"]), "none");
}

#[test]
fn bounds_count_as_corral_counts_them() {
    // Measured with Corral, see the reference on engines.
    let fac = main_with(
        "procedure F(n: int) returns (r: int) { if (n == 0) { r := 1; } else { call r := F(n - 1); } }",
        "var f: int; call f := F(3); assert false;",
    );
    let even = main_with(
        "procedure E(n: int) returns (r: bool) { if (n == 0) { r := true; } else { call r := O(n - 1); } } \
         procedure O(n: int) returns (r: bool) { if (n == 0) { r := false; } else { call r := E(n - 1); } }",
        "var f: bool; call f := E(4); assert false;",
    );
    let nested = main_with(
        "",
        "var i, j: int; i := 0; while (i < 3) { j := 0; while (j < 2) { j := j + 1; } i := i + 1; } assert false;",
    );
    let ten = main_with(
        "",
        "var i: int; i := 0; while (i < 10) { i := i + 1; } assert false;",
    );
    for (text, bound) in [(fac, 4), (even, 3), (nested, 4), (ten, 11)] {
        assert_eq!(
            reach(&text, &[&format!("/recursionBound:{bound}")]),
            "bug",
            "{text}"
        );
        assert_eq!(
            reach(&text, &[&format!("/recursionBound:{}", bound - 1)]),
            "bound",
            "{text}"
        );
        assert_eq!(
            reach(&text, &["/recursionBound:1", "--unbounded"]),
            "bug",
            "{text}"
        );
    }
    let loop_text = main_with(
        "",
        "var i: int; i := 0; while (i < 10) { i := i + 1; } assert false;",
    );
    assert_eq!(reach(&loop_text, &["/maxStaticLoopBound:11"]), "bug");
    assert_eq!(
        reach(
            &loop_text,
            &["/recursionBound:50", "/bopt:stackDepthBound:9"]
        ),
        "bound"
    );
    assert_eq!(
        reach(
            &loop_text,
            &["/recursionBound:50", "/bopt:stackDepthBound:19"]
        ),
        "bug"
    );
}

#[test]
fn types_and_functions() {
    check(&[
        ("type T; const unique a, b: T;", "assert a != b;", "none"),
        ("type T; const a, b: T;", "assert a != b;", "bug"),
        (
            "type C a; type D; var x: C D; var y: C int;",
            "var z: C D; z := x; assert z == x;",
            "none",
        ),
        (
            "type M = [int][int]bool; var m: M;",
            "m[1][2] := true; assert m[1][2]; assert !m[1][3];",
            "bug",
        ),
        (
            "var m: [int, bool]int;",
            "m[1, true] := 5; m[1, false] := 6; assert m[1, true] == 5;",
            "none",
        ),
        (
            "",
            "var x: bv8; x := 255bv8; assert x ++ 0bv8 == 65280bv16 && x[8:4] == 15bv4;",
            "none",
        ),
        (
            "function {:bvbuiltin \"bvadd\"} add(bv8, bv8): bv8;",
            "assert add(255bv8, 1bv8) == 0bv8;",
            "none",
        ),
        (
            "function {:bvbuiltin \"bvult\"} lt(bv8, bv8): bool;",
            "var x: bv8; assert lt(x, 255bv8);",
            "bug",
        ),
        (
            "function {:bvbuiltin \"zero_extend 8\"} z(bv8): bv16;",
            "assert z(7bv8) == 7bv16;",
            "none",
        ),
        (
            "",
            "var x: real; x := 1.5; assert x + 1e0 == 2.5 && int(x) == 1 && real(2) > x && 3 / 2 == x;",
            "none",
        ),
        (
            "",
            "assert (-7) div 2 == -4 && (-7) mod 2 == 1 && 7 div (-2) == -3;",
            "none",
        ),
        (
            "function f(x: int): int { x + 1 }",
            "assert f(f(1)) == 3;",
            "none",
        ),
        (
            "function f(x: int): int; axiom (forall x: int :: f(x) == x * 2);",
            "assert f(4) == 8;",
            "none",
        ),
        (
            "function f(x: int): int; axiom (forall x: int :: f(x) == x * 2);",
            "assert f(4) == 9;",
            "bug",
        ),
        (
            "function f(x: int): int; axiom f(1) == 2;",
            "assert f(1) == 2;",
            "none",
        ),
        (
            "function id<a>(x: a): a { x }",
            "assert id(3) == 3 && id(true);",
            "none",
        ),
        (
            "function {:builtin \"MapConst\"} all(int): [int]int;",
            "var m: [int]int; m := all(3); assert m[8] == 3;",
            "none",
        ),
        (
            "function {:builtin \"rem\"} rem(int, int): int;",
            "assert rem(7, 3) == 1;",
            "none",
        ),
        ("", "assert (exists x: int :: x * 2 == 6);", "none"),
        (
            "var m: [int]int;",
            "assume (forall i: int :: m[i] > 0); assert m[3] > 0;",
            "none",
        ),
        (
            "",
            "var m: [int]int; m := (lambda i: int :: i + 1); assert m[3] == 4;",
            "none",
        ),
        ("", "assert (var x := 3; x + x) == 6;", "none"),
        ("", "var b: bool; assert (if b then 1 else 2) == 1;", "bug"),
        (
            "",
            "var x: int; x := 1; assert |{ var k: int; A: k := x; goto B, C; B: assume k == 0; return false; C: return k == 1; }|;",
            "none",
        ),
        ("", "var x: int; assert |{ A: return x == 0; }|;", "bug"),
        // Of powers nothing is known but that they are the same of the same.
        (
            "",
            "var x, y: real; assume x == y; assert x ** 2.0 == y ** 2.0;",
            "none",
        ),
        ("", "var x: real; assert x ** 2.0 >= 0.0;", "bug"),
        ("const c: int; axiom c == 5;", "assert c == 5;", "none"),
        ("const c: int; axiom c > 5;", "assert c == 6;", "bug"),
        ("axiom false;", "assert false;", "none"),
    ]);
}

#[test]
fn calls_that_do_not_check_preconditions() {
    let k = "procedure K(i: int, j: int) returns (r: int) requires i < j; requires j < 10; { r := j - i; }";
    check(&[
        (k, "var d: int; call d := K(1, 12);", "bug"),
        // A free call takes the precondition for granted, whatever it is.
        (
            k,
            "var d: int; free call d := K(1, 12); assert false;",
            "none",
        ),
        (
            k,
            "var i, j, d: int; free call d := K(i, j); assert i < j && j < 10 && d > 0;",
            "none",
        ),
        (
            k,
            "var i, j, d: int; free call d := K(i, j); assert j < 9;",
            "bug",
        ),
        // For `*` there must be a value, and then it is one for which the precondition holds.
        (k, "var d: int; call d := K(*, 5); assert d > 0;", "none"),
        (k, "var d: int; call d := K(*, 5); assert d > 1;", "bug"),
        (k, "var d: int; call d := K(*, 15);", "bug"),
        (k, "var d: int; call d := K(*, *);", "none"),
        (k, "var d: int; call d := K(9, *);", "bug"),
    ]);
}

#[test]
fn several_implementations_are_a_choice() {
    let two = "procedure P(x: int) returns (y: int); ensures y > x; \
               implementation P(a: int) returns (b: int) { var k: int; k := a; b := k + 1; } \
               implementation P(x: int) returns (y: int) { y := x + 2; }";
    check(&[
        (
            two,
            "var z: int; call z := P(4); assert z == 5 || z == 6;",
            "none",
        ),
        (two, "var z: int; call z := P(4); assert z != 5;", "bug"),
        (two, "var z: int; call z := P(4); assert z != 6;", "bug"),
    ]);
    let wrong = two.replace("x + 2", "x");
    check(&[(wrong.as_str(), "var z: int; call z := P(4);", "bug")]);
}

#[test]
fn assumption_variables_begin_as_true() {
    check(&[
        ("", "var {:assumption} a: bool; assert a;", "none"),
        (
            "",
            "var {:assumption} a: bool; var x: int; a := a && x > 0; assert a;",
            "bug",
        ),
        ("var {:assumption} g: bool;", "assert g;", "bug"),
    ]);
}

#[test]
fn code_expressions() {
    let get = "var g: bool; procedure {:inline 1} get() returns (r: bool) { r := g; } \
               procedure {:inline 1} both(a: bool) returns (r: bool) { call r := get(); if (a) { r := r && a; } else { r := false; } }";
    check(&[
        (
            get,
            "g := true; assert |{ var l: bool; A: call l := get(); return l; }|;",
            "none",
        ),
        (
            get,
            "g := true; assert |{ var l: bool; A: call l := get(); return !l; }|;",
            "bug",
        ),
        (
            get,
            "assert g ==> |{ var l: bool; A: call l := both(true); return l; }|;",
            "none",
        ),
        (
            get,
            "g := true; assert |{ var l: bool; A: call l := both(false); return l; }|;",
            "bug",
        ),
        (
            get,
            "assert (forall b: bool :: g && b ==> |{ var l: bool; A: call l := both(b); return l; }|);",
            "none",
        ),
        (
            "function {:inline} f(x: int): bool { |{ var k: int; A: k := x; goto B, C; B: return k >= x; C: return k <= x; }| }",
            "var i: int; assert f(i);",
            "none",
        ),
        // The variables of a code expression have any value.
        (
            "",
            "assert |{ var k: int; A: return |{ var j: int; B: return j == k; }|; }|;",
            "bug",
        ),
        (
            "",
            "assert |{ var k: int; A: return |{ var j: int; B: assume j > k; return j != k; }|; }|;",
            "none",
        ),
        (
            "procedure P(x: int) returns (y: int);
               requires |{ var b: bool; A: b := x > 0; return b; }|;
               ensures |{ A: goto B, C; B: return y > x; C: return y < 9; }|;",
            "var i: int; call i := P(3); assert i > 3 && i < 9;",
            "none",
        ),
        (
            "procedure P(x: int) returns (y: int);
               requires |{ var b: bool; A: b := x > 0; return b; }|;",
            "var i: int; call i := P(i);",
            "bug",
        ),
        (
            "var g: int;
             procedure P() returns (y: int) modifies g;
               ensures |{ var d: int; A: d := g - old(g); return d == y; }|;
               { var k: int; k := 4; g := g + k; y := k; }",
            "var i: int; g := 1; call i := P(); assert g == 5;",
            "none",
        ),
        (
            "var g: int;
             procedure P() returns (y: int) modifies g;
               ensures |{ var d: int; A: d := g - old(g); return d == y; }|;
               { var k: int; k := 4; g := g + k; y := g; }",
            "var i: int; g := 1; call i := P();",
            "bug",
        ),
        (
            "procedure P() returns (r: bool) { call r := P(); }",
            "assert |{ var l: bool; A: call l := P(); return l; }|;",
            "Error, not supported",
        ),
    ]);
}

#[test]
fn the_partial_order_of_constants() {
    let animals = "type T; const unique animal: T extends complete; const unique bird: T extends unique animal; \
                   const unique fish: T extends unique animal; const unique eel: T extends fish complete; const loose: T;";
    check(&[
        (
            animals,
            "assert eel <: animal && eel <: eel && !(animal <: eel);",
            "none",
        ),
        (animals, "assert !(eel <: bird);", "none"),
        (
            animals,
            "assert (forall x: T :: x <: animal ==> x == animal || x <: bird || x <: fish);",
            "none",
        ),
        (
            animals,
            "assert (forall x: T :: x <: eel ==> x == eel);",
            "none",
        ),
        (
            animals,
            "assert (forall x: T :: eel <: x ==> x == eel || fish <: x);",
            "none",
        ),
        (
            animals,
            "var x: T; assume eel <: x && x <: fish; assert x == eel || x == fish;",
            "none",
        ),
        (animals, "assert !(loose <: bird);", "bug"),
        (
            animals,
            "var x: T; assume x <: fish; assert x == fish || x == eel;",
            "bug",
        ),
        (
            animals,
            "var x, y, z: T; assume x <: y && y <: z; assert x <: z; assume z <: x; assert x == y;",
            "none",
        ),
    ]);
}

#[test]
fn datatypes() {
    let tree = "type V; type {:datatype} Tree; function {:constructor} leaf(): Tree; \
                function {:constructor} node(value: V, children: List): Tree; \
                type {:datatype} List; function {:constructor} cons(head: Tree, tail: List): List; function {:constructor} nil(): List;";
    check(&[
        (
            tree,
            "var v: V; assert value#node(node(v, nil())) == v && is#node(node(v, nil())) && !is#leaf(node(v, nil()));",
            "none",
        ),
        (tree, "assert cons(leaf(), nil()) != nil();", "none"),
        (
            tree,
            "var t: Tree; assert is#node(t) || t == leaf();",
            "none",
        ),
        (tree, "var t: Tree; assert is#node(t);", "bug"),
        (
            tree,
            "var l: List; l := cons(leaf(), l); assert l != tail#cons(l);",
            "none",
        ),
        (
            tree,
            "var m: [Tree]int; var t: Tree; m[leaf()] := 3; assert m[t] == 3 || is#node(t);",
            "none",
        ),
        (
            tree,
            "var m: [Tree]int; var t: Tree; m[leaf()] := 3; assert m[t] == 3;",
            "bug",
        ),
    ]);
}

#[test]
fn a_bound_variable_hides_all_but_its_neighbours() {
    check(&[
        ("var x: int;", "assert (forall x: int :: x == x);", "none"),
        ("", "var x: int; assert (forall x: int :: x == 0);", "bug"),
        (
            "",
            "var x: int; x := 4; assert (var x := x + 1; (forall y: int :: y == x ==> (var x := x + y; x == 10)));",
            "none",
        ),
        (
            "function f(x: int): int { (var x := x + 4; x - 2) }",
            "assert f(1) == 3 && (exists x: int :: (forall x: int :: x == x) && x == 2);",
            "none",
        ),
        (
            "",
            "var x: int; x := 0; assert (lambda x: int :: x)[7] == 7 && x == 0;",
            "none",
        ),
    ]);
    let said = reach(
        &main_with("", "assert (forall x: int, x: int :: true);"),
        &["/recursionBound:1"],
    );
    assert!(
        said.contains("more than one declaration of variable: x"),
        "{said}"
    );
}

#[test]
fn axioms_about_something_else() {
    // No finite model has these: a bijection between int and a type of which nothing else is known.
    let floats = "type float; function up(int): float; function down(float): int; \
                  axiom (forall f: float :: up(down(f)) == f); axiom (forall i: int :: down(up(i)) == i);";
    check(&[
        (floats, "var x: int; assert x > 0;", "bug"),
        (floats, "var x: int; assert x == x;", "none"),
        // They matter where they are connected with what is asked.
        (
            floats,
            "var f, g: float; assume down(f) == down(g); assert f == g;",
            "none",
        ),
        (
            "function fib(n: int): int { if n < 2 then n else fib(n - 1) + fib(n - 2) }",
            "var x: int; assert x > 0;",
            "bug",
        ),
        (
            "function fib(n: int): int { if n < 2 then n else fib(n - 1) + fib(n - 2) }",
            "assert fib(4) == 3;",
            "none",
        ),
        // Contradictions count, wherever they are.
        (
            "function h(int): int; axiom (forall i: int :: h(i) == 1); axiom h(3) == 2;",
            "assert false;",
            "none",
        ),
        (
            "const c: int; axiom c == 1; axiom c == 2;",
            "assert false;",
            "none",
        ),
        // By way of another axiom, or of a type only.
        (
            "const a, b: int; axiom a == b; axiom b == 3;",
            "assert a == 3;",
            "none",
        ),
        (
            "type T; const a, b: T; axiom (forall x: T :: x == a || x == b);",
            "var x, y, z: T; assert x == y || y == z || x == z;",
            "none",
        ),
        (
            "function f(x: int): int { g(x) } function g(int): int; axiom (forall x: int :: g(x) > 0);",
            "assert f(7) > 0;",
            "none",
        ),
    ]);
    let thread = "procedure corral_getThreadID() returns (id: int);";
    check(&[(
        thread,
        "var t: int; call t := corral_getThreadID(); assert t == 1;",
        "none",
    )]);
}

#[test]
fn type_parameters() {
    let heap = "type Ref; type Field a; type Heap = <a>[Ref, Field a]a; const unique age: Field int; \
                const unique size: Field int; const unique alive: Field bool; const unique next: Field Ref; ";
    let boxes = "type Box; function box<a>(a): Box; function unbox<a>(Box): a; \
                 axiom (forall<a> x: a :: {box(x)} unbox(box(x)) == x); ";
    let sets = "type Set a; function in<a>(a, Set a): bool; function with<a>(Set a, a): Set a; \
                axiom (forall<a> s: Set a, x, y: a :: {in(y, with(s, x))} in(y, with(s, x)) <==> x == y || in(y, s)); ";
    let heaps: &[(&str, &str)] = &[
        (
            "var h: Heap; var r: Ref; h[r, age] := 3; h[r, alive] := true; assert h[r, age] == 3 && h[r, alive];",
            "none",
        ),
        (
            "var h: Heap; var r: Ref; h[r, age] := 3; h[r, size] := 4; assert h[r, age] == 3;",
            "none",
        ),
        // Two references may be the same one.
        (
            "var h: Heap; var r, q: Ref; h[r, age] := 3; h[q, age] := 4; assert h[r, age] == 3;",
            "bug",
        ),
        (
            "var h: Heap; var r, q: Ref; h[r, next] := q; h[h[r, next], age] := 5; assert h[q, age] == 5;",
            "none",
        ),
        (
            "var h, g: Heap; var r: Ref; g := h[r, age := 1]; assert g[r, alive] == h[r, alive];",
            "none",
        ),
        (
            "var h, g: Heap; var r: Ref; g := h[r, age := 1]; assert g == h;",
            "bug",
        ),
        (
            "var h, g: Heap; var r: Ref; h[r, age] := 1; g := h[r, age := 1]; assert g == h;",
            "none",
        ),
        // A frame: everything of the old heap is as it was, but for one field of one object.
        (
            "var h, g: Heap; var r, q: Ref; assume (forall<a> o: Ref, f: Field a :: g[o, f] == h[o, f] || (o == r && f == age)); assume q != r; assert g[q, age] == h[q, age] && g[q, alive] == h[q, alive] && g[r, next] == h[r, next];",
            "none",
        ),
        (
            "var h, g: Heap; var r: Ref; assume (forall<a> o: Ref, f: Field a :: g[o, f] == h[o, f] || (o == r && f == age)); assert g[r, age] == h[r, age];",
            "bug",
        ),
        (
            "var h, g: Heap; var r: Ref; g := h[r, age := 7]; assert (forall<a> o: Ref, f: Field a :: g[o, f] == h[o, f] || (o == r && f == age));",
            "none",
        ),
        (
            "var h, g: Heap; var r: Ref; g := h[r, age := 7][r, alive := true]; assert (forall<a> o: Ref, f: Field a :: g[o, f] == h[o, f] || (o == r && f == age));",
            "bug",
        ),
        // Two heaps may differ in a field of a type that is used nowhere else.
        (
            "var h, g: Heap; var r: Ref; assume h[r, age] == g[r, age] && h[r, alive] == g[r, alive]; assert g == h;",
            "bug",
        ),
    ];
    for (body, wanted) in heaps {
        check(&[(heap, body, wanted)]);
    }
    check(&[
        (
            boxes,
            "assert unbox(box(13)) == 13 && unbox(unbox(box(box(true))));",
            "none",
        ),
        (
            sets,
            "var s: Set int; assert in(3, with(with(s, 3), 4));",
            "none",
        ),
        // What is said of one type says nothing of another.
        (
            "type C a; function f<a>(C a): int; axiom (forall x: C int :: f(x) == 3);",
            "var c: C int; assert f(c) == 3;",
            "none",
        ),
        (
            "type C a; function f<a>(C a): int; axiom (forall x: C int :: f(x) == 3);",
            "var c: C bool; assert f(c) == 3;",
            "bug",
        ),
        // Through a type that the body does not mention.
        (
            "type W a; function w<a>(a): W a; function n<a>(W a): int; function g<a>(a): int; axiom (forall<a> x: W a :: n(x) == 4); axiom (forall<a> x: a :: g(x) == n(w(x)));",
            "assert g(true) == 4;",
            "none",
        ),
        (
            "procedure P<a>(x: a) returns (y: a) { y := x; }",
            "var i: int; var b: bool; call i := P(3); call b := P(true); assert i == 3 && b;",
            "none",
        ),
        (
            "procedure P<a>(x: a, y: a) { assert x == y; }",
            "call P(1, 1); call P(true, false);",
            "bug",
        ),
        (
            "procedure P<a>(x: a, n: int) { if (n > 0) { call P(x, n - 1); } assert n < 3; }",
            "call P(true, 2);",
            "none",
        ),
        (
            "var m: <a>[a]bool;",
            "m[1] := true; m[true] := false; assert m[1] && !m[true];",
            "none",
        ),
        (
            "var m: <a>[a]bool;",
            "assume (forall<t> x: t :: m[x]); assert m[3] && m[true];",
            "none",
        ),
        (
            "var m: <a>[a]bool;",
            "m[3] := true; assert (forall<t> x: t :: m[x]);",
            "bug",
        ),
        (
            "var m: <a>[]a;",
            "m[] := 3; m[] := true; assert m[] == 3 && m[];",
            "none",
        ),
        (
            "",
            "assert (lambda<a> x: a, y: int :: y > 0)[true, 3];",
            "none",
        ),
        // Values of different types are different, and which types are meant may be left open.
        (
            "function eq3<a>(x: a): bool { x == 3 }",
            "assert eq3(3) && !eq3(true);",
            "none",
        ),
        ("function none<a>(): a;", "assert none() == none();", "none"),
    ]);
    // An entry is asked about at the types the program mentions, and at one of which nothing is known.
    let entry = "function f<a>(a): int; axiom (forall x: int :: f(x) == 1); procedure {:entrypoint} main<a>(x: a) { ";
    assert_eq!(
        reach(
            &format!("{entry} assert f(x) == 1; }}"),
            &["/recursionBound:1"]
        ),
        "bug"
    );
    assert_eq!(
        reach(
            &format!("{entry} assert f(x) != 1; }}"),
            &["/recursionBound:1"]
        ),
        "bug"
    );
    assert_eq!(
        reach(
            &format!("{entry} assert f(x) == f(x); }}"),
            &["/recursionBound:1"]
        ),
        "none"
    );
}

#[test]
fn a_memory_model_with_quantified_frames() {
    let decls = "var alloc: [int]bool; var mem: [int]int; var next: int;
function obj(int): int; function pa(p: int, o: int, s: int): int;
axiom (forall p, o, s: int :: {pa(p, o, s)} pa(p, o, s) == p + o * s);
procedure malloc(n: int) returns (p: int); modifies alloc, next;
  requires n > 0; ensures 0 < old(next); ensures p == old(next); ensures next > old(next) + n;
  ensures (forall x: int :: p <= x && x < p + n ==> obj(x) == p);
  ensures alloc[p]; ensures (forall x: int :: {alloc[x]} x == p || old(alloc)[x] == alloc[x]);
procedure release(p: int); modifies alloc;
  requires alloc[p]; ensures !alloc[p]; ensures (forall x: int :: {alloc[x]} x == p || old(alloc)[x] == alloc[x]);";
    let cases = [
        (
            "var a, b: int; call a := malloc(4); call b := malloc(4); mem[pa(a, 1, 1)] := 7; mem[pa(b, 1, 1)] := 8; assert mem[pa(a, 1, 1)] == 7; call release(a); call release(b);",
            "none",
        ),
        (
            "var a: int; call a := malloc(4); call release(a); call release(a);",
            "bug",
        ),
        (
            "var a, b: int; call a := malloc(4); call b := malloc(4); call release(a); call release(b); assert false;",
            "bug",
        ),
    ];
    for (body, wanted) in cases {
        assert_eq!(
            reach(
                &main_with(decls, body),
                &["/recursionBound:1", "/timeLimit:20"]
            ),
            wanted,
            "{body}"
        );
    }
}

#[test]
fn boogies_own_stratified_inlining_asks_for_the_end_of_the_entry() {
    let text = "var x, y: int; procedure bar() modifies x; { x := x + 1; assert false; }
procedure {:entrypoint} main() modifies x, y; { assume x == y; call bar(); assume x == y; }";
    assert_eq!(
        reach(text, &["/recursionBound:2", "/stratifiedInline:1"]),
        "none"
    );
    let reached = text.replace("assert false;", "y := y + 1;");
    assert_eq!(
        reach(&reached, &["/recursionBound:2", "/stratifiedInline:1"]),
        "bug"
    );
}

#[test]
fn what_is_not_supported_is_said() {
    let cases = [
        (
            "var h: <a>[int]a;",
            "h[1] := h; assert false;",
            "a map with type parameters that holds maps of its own type is not supported",
        ),
        (
            "procedure P();",
            "async call P();",
            "an asynchronous call is not supported",
        ),
    ];
    for (decls, body, wanted) in cases {
        let said = reach(&main_with(decls, body), &["/recursionBound:1"]);
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn usage_and_status() {
    let run = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_tranquera"))
            .arg("reach")
            .args(args)
            .output()
            .expect("it runs")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    let path = file.to_str().expect("a path");
    let cases: [(&str, &[&str], i32, &str); 8] = [
        (
            "procedure main() { }",
            &[],
            1,
            "Error, Invalid input: Main procedure not specified",
        ),
        (
            "procedure main() { }",
            &["/main:P"],
            1,
            "Error, Invalid input: Implementation of main procedure not found",
        ),
        (
            "procedure main() { }",
            &["/main:main", "/nonsense"],
            1,
            "Usage error: Invalid flag: /nonsense",
        ),
        (
            "procedure main() { }",
            &["/main:main"],
            0,
            "Warning: Using default recursion bound of 1\nProgram has no bugs",
        ),
        (
            "procedure main() { ",
            &["/main:main"],
            1,
            "p.bpl(1,20): error: expected a statement or `}`, found the end of the text",
        ),
        (
            "procedure main() { x := 1; }",
            &["/main:main"],
            1,
            "p.bpl(1,20): Error: undeclared identifier: x",
        ),
        (
            "procedure main() { assert false; }",
            &["/main:main", "/recursionBound:1", "/z3:/no/such/z3"],
            1,
            "Error, builtin: cannot find `/no/such/z3`",
        ),
        (
            "procedure main() { assert false; }",
            &["--main=main", "--json"],
            0,
            "\"result\": \"bug\"",
        ),
    ];
    for (text, flags, status, wanted) in cases {
        std::fs::write(&file, text).expect("a file");
        let arguments: Vec<&str> = std::iter::once(path).chain(flags.iter().copied()).collect();
        let output = run(&arguments);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn a_declared_type_can_hold_the_integers() {
    let one_way = "type U; function In(int): U; function Out(U): int;
        axiom (forall x: int :: {In(x)} Out(In(x)) == x); var m: [int]U; var u: U;";
    let both = format!("{one_way} axiom (forall v: U :: In(Out(v)) == v);");
    let cases = [
        (one_way, "m[0] := In(3); assert Out(m[0]) == 3;", "none"),
        (one_way, "m[0] := In(3); assert Out(m[1]) == 3;", "bug"),
        (one_way, "assert In(3) != In(4);", "none"),
        // Other values than those of the integers: without the second axiom alone.
        (one_way, "assert In(Out(u)) == u;", "bug"),
        (&both, "assert In(Out(u)) == u;", "none"),
        (&both, "assert (exists i: int :: u == In(i));", "none"),
        (&both, "assert (forall v: U :: v == u);", "bug"),
    ];
    for (decls, body, wanted) in cases {
        assert_eq!(reach(&main_with(decls, body), &[]), wanted, "{body}");
    }
}

#[test]
fn a_file_of_flags_is_corrals() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    // The second file of the program has the procedure that makes the assertion fail.
    write(
        "main.bpl",
        "procedure go() { var x: int; call x := one(); assert x != 1; }",
    );
    write("one.bpl", "procedure one() returns (r: int) { r := 1; }");
    let lines = [
        "# found from the folder of this file",
        "/concat:one.bpl",
        "TrackVars = x, y",
        "/k:1 /fwdBck /fwdBckInRef",
        "/main:go",
        "/assertVar:failed",
        "/assertVarIsInt",
    ];
    write("config", &lines.join("\n"));
    let flags = format!("/flags:{}", folder.path().join("config").display());
    let said = run(&folder.path().join("main.bpl"), &[&flags]);
    assert_eq!(said, "bug");
}

#[test]
fn flags_for_another_program_are_refused() {
    for flag in ["/unifyMaps", "/unfoldRecursion", "/dainst:p.bpl"] {
        let said = reach(&main_with("", "assert false;"), &[flag]);
        let why = "is not supported: it asks for another program, not for an answer";
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn traces_are_corrals() {
    let text = "var g: int;
procedure {:entrypoint} main()
  modifies g;
{
  var x: int;

  havoc x;
  assume x == 5;
    g := 0;
  call inc(x);
  call {:cexpr \"g\"} boogie_si_record_int(g);
  assert g != 5;
}
procedure boogie_si_record_int(x: int);

procedure inc(d: int)
  modifies g;
{
    g := g + d;
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bug.bpl");
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .arg("reach")
        .arg(&file)
        .args(["/recursionBound:3", "/printDataValues:1"])
        .output()
        .expect("it runs");
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stdout));
}

/// Found by random programs: Boogie 2.4 says that this cannot fail, for it loses a `break` out of a loop that ends the
/// body of another one. It can: the inner loop is left in its first round, the outer one after its second.
#[test]
fn a_break_out_of_an_inner_loop() {
    let body = "var b: bool; var i, j: int; i := 0;
        while (i < 2) { i := i + 1; j := 0; while (j < 3) { j := j + 1; b := true; if (j == 1) { break; } } }
        assert !b;";
    check(&[("", body, "bug")]);
}

#[path = "reach_features/newer.rs"]
mod newer;

#[test]
fn lambda_expressions_are_equal_where_their_values_are() {
    let same = "assert (lambda x, y: int :: x + a) == (lambda p, q: int :: a + p);";
    check(&[
        ("var a: int;", same, "none"),
        (
            "",
            "assert (lambda x: int :: (lambda y: int :: x)) == (lambda y: int :: (lambda x: int :: y));",
            "none",
        ),
        (
            "",
            "assert (lambda x: int :: (lambda y: int :: x)) == (lambda x: int :: (lambda y: int :: y));",
            "bug",
        ),
        (
            "",
            "var f: [int, int]int; f := (lambda x, y: int :: x); assert f != (lambda x, y: int :: y);",
            "none",
        ),
        (
            "",
            "assert (lambda x: int :: (exists y: int :: x > y)) == (lambda x: int :: (exists z: int :: x > z));",
            "none",
        ),
        // The inner variable hides the outer one.
        (
            "",
            "assert (lambda x: int :: (lambda x: int :: x)) == (lambda x: int :: (lambda y: int :: y));",
            "none",
        ),
        (
            "var m: [int]int;",
            "assert (lambda x: int :: m) == (lambda x: int :: (lambda y: int :: m[y]));",
            "none",
        ),
    ]);
}

/// Of the values that these axioms ask for there must be infinitely many.
#[test]
fn functions_that_are_taken_apart_again() {
    let pairs = "type Pair a b;
        function Both<a, b>(x: a, y: b): Pair a b;
        function First<a, b>(p: Pair a b): a;
        function Second<a, b>(p: Pair a b): b;
        axiom (forall<a, b> x: a, y: b :: First(Both(x, y)) == x);
        axiom (forall<a, b> x: a, y: b :: y == Second(Both(x, y)));";
    let boxes = "type Box;
        function Wrap<a>(x: a): Box;
        function Unwrap<a>(b: Box): a;
        axiom (forall<a> x: a :: Unwrap(Wrap(x)) == x);";
    let lists = "type List;
        function Nil(): List;
        function Cons(head: int, tail: List): List;
        function Tail(l: List): List;
        function Sum(l: List): int;
        function Plus(l: List, n: int): int;
        axiom (forall h: int, t: List :: Tail(Cons(h, t)) == t);
        axiom Sum(Nil()) == 0;
        axiom (forall h: int, t: List :: Sum(Cons(h, t)) == h + Sum(t));
        axiom (forall h: int, t: List, n: int :: Plus(Cons(h, t), n) == n + Sum(t));";
    check(&[
        (
            pairs,
            "var x, y: int; assert First(Both(x, Both(y, true))) == y;",
            "bug",
        ),
        (
            pairs,
            "var x, y: int; assert First(Second(Both(x, Both(y, true)))) == y;",
            "none",
        ),
        (
            pairs,
            "var p, q: Pair int int; assume First(p) == First(q) && Second(p) == Second(q); assert p == q;",
            "bug",
        ),
        (
            boxes,
            "var b: Box; b := Wrap(Wrap(3)); assert Unwrap(Unwrap(b): Box) == 4;",
            "bug",
        ),
        (
            boxes,
            "var b: Box; b := Wrap(Wrap(3)); assert Unwrap(Unwrap(b): Box) == 3;",
            "none",
        ),
        (boxes, "assert Wrap(1) == Wrap(true);", "bug"),
        (
            lists,
            "var l: List; assert Sum(Cons(1, l)) == Sum(l);",
            "bug",
        ),
        (
            lists,
            "var l: List; assert Sum(Tail(Cons(2, Cons(3, l)))) == 3 + Sum(l);",
            "none",
        ),
        (
            lists,
            "var n: int; assert Plus(Cons(5, Cons(1, Nil())), n) == n + 5;",
            "bug",
        ),
    ]);
}

#[test]
fn recursive_functions_of_integers() {
    let twice = "function Twice(n: int): int { if n <= 0 then 0 else Twice(n - 1) + 2 }";
    // At 1 this has no value at all, so there is no world in which anything happens.
    let endless = "function Up(n: int): int { if n == 0 then 0 else Up(n) + 1 }";
    check(&[
        (twice, "assert Twice(4) == 9;", "bug"),
        (twice, "assert Twice(4) == 8;", "none"),
        (
            twice,
            "var n: int; assume 0 < n && n < 5; assert Twice(n) != 6;",
            "bug",
        ),
    ]);
    let said = reach(
        &main_with(endless, "assert Up(0) == 1;"),
        &["/timeLimit:10"],
    );
    assert_ne!(said, "bug");
}

/// That no pair is a part of itself follows from no axiom here: a proof must not come from the models that are tried.
#[test]
fn values_may_contain_themselves() {
    let decls = "type Chain;
        function Link(n: int, c: Chain): Chain;
        function Next(c: Chain): Chain;
        axiom (forall n: int, c: Chain :: Next(Link(n, c)) == c);";
    let text = main_with(decls, "var c: Chain; assert c != Link(1, c);");
    let said = reach(&text, &["/timeLimit:8"]);
    assert!(!said.starts_with("none"), "{said}");
}

/// As Boogie 2.4 has it, which was asked.
#[test]
fn an_attribute_with_an_argument_is_no_flag() {
    for (attribute, wanted) in [
        ("{:ignore}", "bug"),
        ("{:ignore true}", "bug"),
        ("{:ignore false}", "none"),
        ("{:ignore \"bvInt\"}", "none"),
        ("{:ignore 1}", "none"),
        ("{:ignore true, true}", "none"),
    ] {
        let text = main_with(&format!("axiom {attribute} false;"), "assert false;");
        assert_eq!(reach(&text, &[]), wanted, "{attribute}");
    }
}

#[test]
fn a_procedure_that_may_recur_deeper_than_others() {
    let text = "procedure {:SIextraRecBound 3} Count(n: int) returns (r: int) {
            if (n <= 0) { r := 0; } else { call r := Count(n - 1); r := r + 1; }
        }
        procedure {:entrypoint} main() { var r: int; call r := Count(4); assert r != 4; }";
    // Count(4) has five calls of Count on the stack.
    assert_eq!(reach(text, &["/recursionBound:1"]), "bound");
    assert_eq!(reach(text, &["/recursionBound:2"]), "bug");
    let plain = text.replace("{:SIextraRecBound 3}", "");
    assert_eq!(reach(&plain, &["/recursionBound:4"]), "bound");
    assert_eq!(reach(&plain, &["/recursionBound:5"]), "bug");
}

#[test]
fn verbosity_is_no_flag_of_corrals() {
    let text = main_with("", "assert true;");
    for flag in [
        "-v",
        "-vv",
        "--verbose",
        "--quiet",
        "-q",
        "--log-json",
        "/v:1",
    ] {
        assert_eq!(reach(&text, &[flag]), "none", "{flag}");
    }
    assert!(reach(&text, &["-vx"]).contains("Invalid flag: -vx"));
}
