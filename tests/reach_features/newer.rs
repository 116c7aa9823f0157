//! What newer versions of Boogie have: datatypes with `->` and `is`, floating-point numbers, strings, clauses for the pruner.

use super::{check, main_with, reach};

const OPTION: &str = "datatype Option<T> { None(), Some(t: T) }\n";

#[test]
fn datatypes_with_type_parameters() {
    let list = format!("{OPTION}datatype List<T> {{ Nil(), Cons(head: T, tail: List T) }}");
    let list = list.as_str();
    check(&[
        (
            list,
            "var o: Option int; assume o is Some; assert o == Some(o->t) && o != None();",
            "none",
        ),
        (list, "var o: Option int; assert o is Some;", "bug"),
        (
            list,
            "var o: Option int; assert o is None || o is Some;",
            "none",
        ),
        (
            list,
            "var l: List (Option bool); assume l is Cons && l->tail is Nil; assert Cons(l->head, Nil()) == l;",
            "none",
        ),
        (
            list,
            "var l: List (Option bool); assume l is Cons && l->tail is Nil; assert l != Cons(Some(true), Nil());",
            "bug",
        ),
        // Two instances at once, and one in the other's map.
        (
            list,
            "var m: [Option int]List int; m[None()] := Cons(3, Nil()); assert m[None()]->head == 3; assert m[Some(0)] is Nil;",
            "bug",
        ),
        (
            list,
            "var o: Option int; var p: Option bool; o, p := Some(1), Some(false); assert o->t == 1 && !p->t;",
            "none",
        ),
        // A procedure with type parameters takes them apart.
        (
            &format!(
                "{list} procedure First<T>(l: List T) returns (o: Option T) {{ if (l is Cons) {{ o := Some(l->head); }} else {{ o := None(); }} }}"
            ),
            "var o: Option int; call o := First(Cons(4, Nil())); assert o == Some(4);",
            "none",
        ),
        // The older form.
        (
            "type {:datatype} Pair a b; function {:constructor} Pair<x, y>(one: y, two: x): Pair y x;",
            "var p: Pair int bool; p := Pair(1, true); assert one#Pair(p) == 1 && p->two && is#Pair(p);",
            "none",
        ),
        (
            "datatype Even { Zero(), After(odd: Odd) } datatype Odd { Next(even: Even) }",
            "var e: Even; assume e is After; assert e->odd->even != e;",
            "none",
        ),
        (
            "datatype D { C(d: D) }",
            "var d: D; assert d == d;",
            "Error, not supported",
        ),
        (
            "datatype Nest<a> { End(x: a), More(n: Nest (Nest a)) }",
            "var n: Nest int; assert n == n;",
            "Error, not supported",
        ),
    ]);
    let generic = format!(
        "{list} procedure P<T>(l: List T) {{ assert l is Cons ==> l->tail != l; assert l is Nil; }}"
    );
    assert_eq!(reach(&generic, &["/main:P"]), "bug");
    let generic = generic.replace("assert l is Nil;", "");
    assert_eq!(reach(&generic, &["/main:P"]), "none");
}

#[test]
fn fields_that_constructors_share() {
    let shape =
        "datatype Shape { Dot(name: int), Box(width: int, name: int), Gap() } var s: Shape;";
    check(&[
        (
            shape,
            "s := Box(2, 7); assert s->name == 7 && s->width == 2;",
            "none",
        ),
        (shape, "s := Dot(5); assert s->name == 5;", "none"),
        (
            shape,
            "s := Box(2, 7); s->name := 3; assert s == Box(2, 3);",
            "none",
        ),
        (
            shape,
            "s := Dot(2); s->name := 3; assert s == Dot(3);",
            "none",
        ),
        (
            shape,
            "assume s is Box; assert s->(name := 1)->(width := 2) == Box(2, 1);",
            "none",
        ),
        // Which name a value without one has is not known.
        (shape, "assume s is Gap; assert s->name == 0;", "bug"),
        (shape, "assert !(s->(name := 1) is Gap);", "none"),
        (
            "datatype Inner { Inner(m: [int]int) } datatype Outer { Outer(inner: Inner, k: int) } var a: [int]Outer;",
            "var b: [int]Outer; b := a; a[1]->inner->m[2] := 5; assert a[1]->inner->m[2] == 5 && a[1]->k == b[1]->k; \
             assert a[0] == b[0]; assert a[1]->inner->m[3] == b[1]->inner->m[3];",
            "none",
        ),
        (
            "datatype Inner { Inner(m: [int]int) } var a: [int]Inner;",
            "a[1]->m[2] := 5; assert a[1]->m[3] == 0;",
            "bug",
        ),
    ]);
}

#[test]
fn values_are_taken_apart() {
    let decls = format!("{OPTION}datatype Pair {{ Pair(a: int, b: Option int) }}");
    let decls = decls.as_str();
    check(&[
        (
            decls,
            "var x: int; var o: Option int; Pair(x, o) := Pair(3, Some(4)); assert x == 3 && o->t == 4;",
            "none",
        ),
        (
            decls,
            "var x: int; var o: Option int; assume o is Some; Some(x) := o; assert o == Some(x);",
            "none",
        ),
        // The value must have been made by that constructor.
        (decls, "var x: int; var o: Option int; Some(x) := o;", "bug"),
        (
            decls,
            "var o: Option int; None() := o; assert o == None();",
            "bug",
        ),
        (
            decls,
            "var o: Option int; assume !(o is Some); None() := o;",
            "none",
        ),
    ]);
}

#[test]
fn floating_point() {
    let decls = "function {:builtin \"fp.eq\"} eq(float24e8, float24e8): bool; \
                 function {:builtin \"fp.isNaN\"} nan(float24e8): bool; \
                 function {:builtin \"fp.add\"} add(rmode, float24e8, float24e8): float24e8; \
                 function {:builtin \"(_ to_fp 8 24) RNE\"} of_real(real): float24e8; \
                 function {:builtin \"(_ to_fp 11 53) RNE\"} double(float24e8): float53e11;";
    check(&[
        (
            decls,
            "assert 0x1.0e0f24e8 + 0x1.0e0f24e8 == 0x2.0e0f24e8;",
            "none",
        ),
        (
            decls,
            "assert 0x3.0e0f24e8 / 0x2.0e0f24e8 - 0x1.8e0f24e8 == 0x0.0e0f24e8;",
            "none",
        ),
        (
            decls,
            "assert of_real(-0.5) == -0x0.8e0f24e8 && double(-0x0.8e0f24e8) == -0x0.8e0f53e11;",
            "none",
        ),
        // One tenth is rounded.
        (
            decls,
            "assert of_real(0.1) * 0xa.0e0f24e8 == 0x1.0e0f24e8;",
            "none",
        ),
        (
            decls,
            "assert double(of_real(0.1)) * 0xa.0e0f53e11 == 0x1.0e0f53e11;",
            "bug",
        ),
        (decls, "var x: float24e8; assert x == x;", "none"),
        (decls, "var x: float24e8; assert x <= x;", "bug"),
        (decls, "var x: float24e8; assert x <= x || nan(x);", "none"),
        (
            decls,
            "assert 0NaN24e8 == 0nan24e8 && !eq(0NaN24e8, 0NaN24e8);",
            "none",
        ),
        (
            decls,
            "assert 0x0.0e0f24e8 != -0x0.0e0f24e8 && eq(0x0.0e0f24e8, -0x0.0e0f24e8);",
            "none",
        ),
        (
            decls,
            "assert 0x0.ffffffe32f24e8 < 0+oo24e8 && 0-oo24e8 < -0x0.ffffffe32f24e8;",
            "none",
        ),
        (
            decls,
            "var r: rmode; assert add(r, 0x1.0e0f24e8, 0x1.8e-6f24e8) == 0x1.0e0f24e8;",
            "bug",
        ),
        (
            decls,
            "assert add(RTN, 0x1.0e0f24e8, 0x1.8e-6f24e8) == 0x1.0e0f24e8; \
             assert add(roundNearestTiesToEven, 0x1.0e0f24e8, 0x1.8e-6f24e8) == 0x1.000002e0f24e8;",
            "none",
        ),
        ("const RNE: int;", "assert RNE == RNE + 0;", "none"),
    ]);
}

#[test]
fn strings() {
    let decls = "function {:builtin \"str.++\"} join(string, string): string; \
                 function {:builtin \"str.len\"} len(string): int;";
    check(&[
        (
            decls,
            "var s: string; s := join(\"ab\", \"c\"); assert s == \"abc\" && len(s) == 3;",
            "none",
        ),
        (decls, "var s: string; assert len(s) != 2;", "bug"),
        (decls, "assert len(\"a\\\"b\") == 3;", "none"),
        ("type string; const s: string;", "assert s == s;", "none"),
    ]);
}

#[test]
fn what_only_the_pruner_heeds() {
    let decls = "function f(x, y: int): int uses { axiom (forall x, y: int :: f(x, y) == x - y); } \
                 const four: int uses { hideable axiom four == 4; } type finite T; \
                 revealed function {:inline} g(x: int): int { x + 1 } uses { axiom true; } \
                 pure procedure P(x: int) returns (y: int) ensures y == x; { y := x; }";
    check(&[
        (
            decls,
            "var x: int; hide *; push; reveal f; assert f(four, 3) == 1; pop; call x := P(g(3)); assert x == four;",
            "none",
        ),
        (decls, "hide f; assert f(1, four) == 3;", "bug"),
        (
            decls,
            "var hide, is, pure: int; hide, is, pure := 1, 2, 3; if {:x} (is is_ok) { }",
            "p.bpl",
        ),
        (
            decls,
            "var hide, is, pure: int; hide := {:a} 1; is := hide; goto {:b} L; L: assert is == 1; return {:c};",
            "none",
        ),
    ]);
}

/// The solver has functions of these names; a program may have its own.
#[test]
fn names_that_the_solver_has_too() {
    check(&[
        (
            "function store(x: int): int { x + 1 } function b0(x: int): bool; function and(x: bool): bool { x }",
            "assert store(1) == 2 && (forall x: int :: b0(x) == b0(x + 0)) && and(true);",
            "none",
        ),
        (
            "datatype D { select(store: int), insert() }",
            "var d: D; d := select(1); assert d->store == 1 && !(d is insert);",
            "none",
        ),
    ]);
}

#[test]
fn conditional_compilation() {
    let text = "#if FILE_0\nprocedure {:entrypoint} main() { assert false; }\n  #elsif !X\nwhat is this\n #else\nor this\n#endif\n";
    assert_eq!(reach(text, &[]), "bug");
    let other = text
        .replace("FILE_0", "!FILE_0")
        .replace("what is this", "procedure {:entrypoint} main() { }");
    assert_eq!(reach(&other, &[]), "none");
    let nested = "#if X\n#if FILE_0\n%\n#endif\n%\n#endif\nprocedure {:entrypoint} main() { }";
    assert_eq!(reach(nested, &[]), "none");
}

#[test]
fn several_executions_are_asked_for() {
    let text = main_with(
        "",
        "var x: int; assert x == 2; assert x > 0; assert x > 2; while (x < 5) invariant x < 4; { x := x + 1; }",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    std::fs::write(&file, text).expect("a file");
    let says = |n: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_tranquera"))
            .arg("reach")
            .arg(&file)
            .args(["/recursionBound:5", "/noTrace", n])
            .output();
        let text = String::from_utf8(output.expect("it runs").stdout).expect("text");
        text.matches("Program has a potential bug: True bug")
            .count()
    };
    // What failed is taken for granted: x is 2, and so not over 2, and then nothing is left.
    assert_eq!(says("/cex:9"), 2);
    assert_eq!(says("/cex:1"), 1);
}

#[test]
fn several_files_are_one_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("one.bpl"), folder.path().join("two.bpl"));
    std::fs::write(&one, "\nprocedure {:entrypoint} main() { call P(3); }\n").expect("a file");
    std::fs::write(
        &two,
        "#if FILE_1\nprocedure P(x: int) {\n  assert x > 3;\n}\n#endif\n",
    )
    .expect("a file");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .arg("reach")
        .args([&one, &two])
        .arg("/recursionBound:1")
        .output();
    let text = String::from_utf8(output.expect("it runs").stdout).expect("text");
    insta::assert_snapshot!(text);
}

#[test]
fn a_backslash_is_no_part_of_a_name() {
    check(&[
        (
            "var \\x: int; var \\assume: int;",
            "x := 1; \\assume := \\x; assert \\assume == x;",
            "none",
        ),
        (
            "function \\old(x: int): int { x }",
            "var \\y: int; y := \\old(3); assert \\y == 4;",
            "bug",
        ),
    ]);
}

/// The answers of Boogie 2.4.1 to the same programs.
#[test]
fn attributes_that_change_what_is_checked() {
    let c = "procedure C(p: bool); requires p; ensures false;";
    check(&[
        ("", "assert {:verified_under false} false;", "bug"),
        (
            "",
            "assert {:verified_under true} false; assert false;",
            "none",
        ),
        ("", "var p, a: bool; assert {:verified_under a} p;", "bug"),
        (
            "",
            "var p, a: bool; assume a || p; assert {:verified_under a} p; assert p;",
            "none",
        ),
        (
            "",
            "var p, a: bool; assert {:verified_under a} {:verified_under true} p;",
            "bug",
        ),
        (c, "var p, a: bool; call {:verified_under a} C(p);", "bug"),
        (
            c,
            "var p, a: bool; assume a || p; call {:verified_under a} C(p);",
            "none",
        ),
        (c, "call {:verified_under true} C(*);", "none"),
        (
            "",
            "var p, a: bool; while (*) invariant {:verified_under a} p; { }",
            "bug",
        ),
        (
            "",
            "var p, a: bool; assume a || p; while (*) invariant {:verified_under a} p; { } assert p;",
            "none",
        ),
        ("axiom {:ignore} false;", "assert false;", "bug"),
        ("axiom {:ignore false} false;", "assert false;", "none"),
        (
            "const {:extern} c: int; const c: bool; procedure {:extern} P(x: int); procedure P(x: int) { assert x > 0 && c; }",
            "call P(1);",
            "bug",
        ),
        (
            "function {:extern} f(): int { 1 } function {:extern} f(): int { 1 }",
            "assert f() == 1;",
            "none",
        ),
        (
            "procedure {:ignore} P() { nonsense := 1; }",
            "assert true;",
            "none",
        ),
    ]);
    let selective = |body: &str| {
        let text = format!("procedure {{:selective_checking}} P() {{ var x, y, z: int; {body} }}");
        reach(&text, &["/main:P", "/recursionBound:3"])
    };
    let here = "assume {:start_checking_here} true;";
    assert_eq!(
        selective(&format!("assert x < y; assert y < z; {here} assert x < z;")),
        "none"
    );
    assert_eq!(
        selective(&format!("assert x < y; {here} assert x < z;")),
        "bug"
    );
    assert_eq!(
        selective(&format!("assert x < y; if (*) {{ {here} }} assert x < z;")),
        "bug"
    );
    assert_eq!(selective("assert x < y; assert y < x;"), "none");
}

#[test]
fn values_are_shown_as_they_are_written() {
    let text = "datatype Option<T> { None(), Some(t: T) } datatype D { D(o: Option int, p: Option bool, x: float24e8) } \
        procedure boogie_si_record_D(d: D); procedure boogie_si_record_float(x: float24e8); \
        procedure {:entrypoint} main() { \
          call {:cexpr \"d\"} boogie_si_record_D(D(Some(-3), None(), -0x1.8e0f24e8)); \
          call {:cexpr \"x\"} boogie_si_record_float(0x2.4e0f24e8); \
          call {:cexpr \"nan\"} boogie_si_record_float(0NaN24e8); \
          call {:cexpr \"low\"} boogie_si_record_float(0x8.0e-38f24e8); \
          assert false; }";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.bpl");
    std::fs::write(&file, text).expect("a file");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .arg("reach")
        .arg(&file)
        .arg("/printDataValues:1")
        .output();
    let said = String::from_utf8(output.expect("it runs").stdout).expect("text");
    // -1.5 is -C00000 (hexadecimal) times 16 to the -6 and 2 to the 1.
    for shown in [
        "(d = D(Some(-3), None(), -0x1800000.0e-6f24e8))",
        "(x = 0x2400000.0e-6f24e8)",
        "(nan = 0NaN24e8)",
        "(low = 0x8.0e-38f24e8)",
    ] {
        assert!(said.contains(shown), "{shown} in {said}");
    }
}

/// Boogie 2.4.1 finds this with three unrollings, and not with two.
#[test]
fn loops_are_unrolled_as_often_as_boogie_unrolls_them() {
    let text = main_with(
        "",
        "var i: int; i := 0; while (i < 2) { i := i + 1; } assert false;",
    );
    assert_eq!(reach(&text, &["/loopUnroll:2"]), "bound");
    assert_eq!(reach(&text, &["/loopUnroll:3"]), "bug");
}
