//! Diagnostics as people read them.

use super::super::{from_json, parse_text};

/// What is said of a text: errors, or else warnings.
fn said(text: &str) -> String {
    match parse_text("class.tq", text) {
        Ok(loaded) => loaded.warnings.to_string(),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

/// What is said of members, in a class that has a bit of everything.
fn members(text: &str) -> String {
    let before = "\
enum Mode { Uninit, Sign }
exception Full;
class Node {
  var next: Node?;
  var value: int;
  constructor(v: int) { value := v; next := null; }
}
class Stack {
  const MAX: int := 5;
  var money: int;
  var size: u8;
  var full: bool;
  var mode: Mode;
  var head: Node?;
  var data: array<int>;
  var map: map<int, int>;
  constructor() { havoc money, size, full, mode, head, data; }
";
    said(&format!("{before}{text}\n}}\n"))
}

/// What is said of statements, in a body of that class.
fn body(text: &str) -> String {
    members(&format!(
        "  procedure p(n: int) returns (ok: bool) {{\n{text}\n  }}"
    ))
}

macro_rules! snapshots {
    ($($name:ident: $said:expr;)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!($said);
        })*
    };
}

snapshots! {
    // Words and symbols.
    stray_characters: body("    money := 3 § 4;\n    x ≤ 5;\n    assert \"text\";");
    nul_byte: said("class C {\0}");
    open_comment: said("class C {\n  /* a /* b */\n  constructor() {}\n}\n");
    odd_numbers: body("    money := 0x10;\n    money := 1.5;");
    nested_finally: body(&format!("{}{}", "    try {} finally {".repeat(6), "}".repeat(6)));
    huge_number: said(&format!("class C {{ const X: int := {}; }}", "9".repeat(1001)));

    // Syntax.
    missing_semicolon: body("    money := 3\n    full := true;");
    equals_for_assignment: body("    money = 3;\n    var x: int = 4;");
    equals_for_comparison: body("    if (money = 3) { full := money = 4; }");
    c_operators: body("    assert full & !full | full;\n    assert money % 2 == money / 2;\n    assert full => full;");
    words_for_operators: body("    assert full and !full or full;");
    increments: body("    money += 1;\n    money++;\n    money -= 2;");
    comparison_as_statement: body("    money == 3;");
    declarations_without_var: body("    int x := 3;\n    y: int := 4;\n    var z := 5;");
    method_for_action: members("  method push(x: int) {}\n  pop() {}\n  flag: bool;");
    reserved_word_as_name: members("  var new: int;\n  action return() {}");
    unclosed_block: members("  action a() {\n    if (full) {\n      money := 1;\n  }\n  action b() {}");
    unclosed_class: said("class C {\n  constructor() {}\n");
    brace_too_many: said("class C {\n  constructor() { }\n  }\n  action a() {}\n}\n");
    star_inside_an_expression: body("    full := full && *;\n    if (full || *) {}");
    new_inside_an_expression: body("    head.next := f(new Node(3));");
    else_without_braces: body("    if (full) money := 3; else money := 4;");
    statements_of_other_languages: body("    for (i := 0; i < 3; i++) { while (full) { i := i; } }\n    foreach (x in data) { }\n    switch (mode) { case Uninit: money := 1; }\n    do { money := 1; } while (full);\n    mony := 3;");
    cases: body("    switch (mode) { case Uninit { } }\n    switch (mode) { case Uninit, Uninit { } default { } }\n    switch (money) { case 1 { } case -1 { } }\n    switch (head) { case null { } default { } }\n    switch (money) { case size { } default { } }\n    switch (full) { case true { break; } case false { } default { } }\n    switch (size) { case 300 { } default { } }");
    cases_without_braces: body("    switch (mode) { case Uninit: money := 1; break; default: money := 2; }\n    switch (mode) money := 1;\n    switch (mode) { }\n    switch (mode) { default { } case Uninit { } }\n    switch (mode) { case Uninit => money := 1; }\n    case Uninit { }");
    what_counts: body("    for i := 0 to 3 { i := 2; }\n    for i: bool := 0 to 1 { }\n    for i in data { }\n    mony := 3;");
    what_counts_is_missing: body("    for\n    money := 1;\n    if (full) { mony := 3; }");
    a_routine_may_be_called_loop: members("  action a() { loop(3); }\n  procedure loop(n: int) { }");
    inheritance: said("class B { constructor() {} }\nclass C extends B { constructor() {} }");
    several_errors_in_one_run: body("    money := ;\n    full := (3;\n    ok := true\n    mony := 3;\n    money := true;");

    // Names.
    misspelt_names: body("    mony := size + siz;\n    assert mode == Mode.Sgin;\n    head.nxt := null;\n    throw Ful;");
    misspelt_types: members("  var a: Nod;\n  var b: boolean;\n  var c: Int;\n  var d: array;");
    declared_twice: members("  var money: bool;\n  action a(x: int, x: bool) { var y: int; var y: int; }\n  action a() {}");
    declared_twice_far_apart: said(&format!("enum Color {{ Red }}\n{}class Color {{ }}\n", "\n".repeat(20)));
    builtin_names: said("exception NullDereference;\nclass int { }\nclass C { var bool: int; initially true; }");
    two_constructors_alike: members("  constructor() {}\n  constructor(a: nat) {}\n  constructor(b: nat) {}");
    enum_value_of_two_enums: said("enum A { X }\nenum B { X }\nclass C { var a: A; constructor() { a := X; } }");
    unknown_action_in_state: members("  action push() {}\n  state { psh } assumes money > 0;\n  state { push, push } assumes true;");

    // Types.
    int_into_machine: body("    size := money;\n    size := 300;\n    size := size + money;\n    size := -1;");
    ranges: members("  var a: int in u7;\n  var b: int in int;\n  const C: int in u8 := 256;\n  const D: u24 := 16777216;\n  var e: u12;\n  var f: u264;");
    two_machine_types: members("  action a(x: i8, y: u8) { assert x + y == 0; }");
    null_where_it_cannot_be: members("  action a() { var n: Node := null; data := null; money := null; assert mode == null; }");
    bool_and_int: body("    if (money) {}\n    money := full;\n    assert !money;\n    assert full + 1 == 2;");
    incomparable: body("    assert mode == 3;\n    assert head == data;\n    assert mode < mode;");
    chains: body("    assert 0 < money > 3;\n    assert 0 != money != 3;\n    assert 0 < money <= 3;");
    question_mark: members("  var x: int?;\n  var y: Mode?;");
    no_fields: body("    money.x := 3;\n    data.size := 3;\n    data.length := 3;\n    money[3] := 4;\n    assert mode.x == 1;");
    maps_in_bodies: body("    assert map == map;");
    new_array_of_objects: body("    var a: array<Node> := new Node[3];");

    // Calls.
    call_of_an_action_in_an_expression: members("  action a() returns (r: int) { r := 1; }\n  action b() { money := 1 + a(); }");
    wrong_arguments: members("  action a(x: int) {}\n  function f(x: int): int { x }\n  action b() { a(); a(true); money := f(1, 2); f(1); g(3); }");
    wrong_results: members("  action a() returns (r: int, s: bool) { }\n  action b() { money := a(); money, full := a(); full, money := a(); money, money := a(); }");
    constructors: said("class A { constructor(x: int) {} constructor(x: bool) {} constructor named() {} }\nclass C { var a: A;\n  constructor() { a := new A(null); a := new A(); a := new A.nmed(); a := new A(1); a := new B(); a := A(1); }\n}");

    // Rules beyond types.
    assigned_parameter: body("    n := 3;\n    MAX := 4;");
    return_with_a_value: members("  action a() { return 3; }\n  action b() returns (x: int, y: int) { return 3; }");
    outside_of_a_loop: body("    break;\n    while (full) { continue; }\n    continue;");
    labels: body("    while (full) { break out; }\n    o: { continue o; }\n    o: while (full) { o: { break o; } }\n    outer: { break outr; }");
    handlers: body("    throw;\n    try { } catch Full, Full { } catch { } catch Ful { }\n    try { throw Full; } catch { try { } finally { throw; } }");
    caught_twice: body("    try { throw Full; } catch Full { } catch Full { }");
    old_in_a_body: members("  action a() requires old(money) > 0 ensures money == old(money + old(money)) { money := old(money); }");
    result_in_requires: members("  action a() returns (r: int) requires r > 0 ensures old(r) > 0 { r := 1; }");
    this_in_constructor_requires: members("  constructor(n: int) requires n > money ensures old(money) == 3 {}\n  const K: int := money;\n  var x: int := money;");
    pure_that_changes: members("  pure action a() { money := 1; helper(); }\n  procedure helper() { full := true; head := new Node(3); }\n  pure action b() ensures money == 1\n  pure action c() modifies money;");
    modifies_that_is_too_small: members("  action a() modifies money { money := 1; helper(); data[0] := 1; }\n  procedure helper() { full := true; }");
    recursive_functions: members("  function f(x: int): int { g(x) }\n  function g(x: int): int { if x == 0 then 0 else f(x - 1) }");
    cyclic_constants: members("  const A: int := B + 1;\n  const B: int := A;\n  const Z: int := 1 div 0;\n  const N: nat := 1 - 2;");
    initially_with_a_constructor: members("  initially money == 0;");
    shown: said("exception A shown as \"A()\";\nexception B shown as \"A()\";\nexception C;\nexception NullDereference shown as \"C\";\nexception AssertionFailure;\nexception E shown as \"E\";\nexception F shown as \"a { b\";\nexception DivisionByZero shown as \"f\";\nexception DivisionByZero shown as \"g\";\nclass D {\n  constructor() shown as \"D\" shown as \"E\" { }\n  constructor(n: int) shown as \"D\" { }\n  procedure p() shown as \"q\" { }\n  action a() shown as \" \" { }\n  action c() shown as \"d\" { }\n  action d() { assert \"d\"; }\n}");
    shown_without_a_text: members("  action b() shown as a { }\n  action c() shown as \"d { }");
    misplaced_modifiers: said("class C { pure constructor() {} monitored procedure p() {} constructor x() returns (r: int) {} procedure q() returns (r: bool) outcomes r {} action o() returns (r: int) outcomes r, s {} }");
    warnings: said("class C {\n  var x: int;\n  action a() {\n    return;\n    x := 1;\n  }\n}\n");
    unset_fields: said("class N { var v: int; constructor() { } }\nclass C {\n  const k: int; var a: int; var b: bool; var c: N?; var d: map<int, int>; var e: int := 0;\n  constructor() { if (*) { a := 1; b := true; } else { a := 2; } }\n  constructor all() { havoc a; rest(); c := null; }\n  procedure rest() { b := e == k; }\n}\n");
    unset_results: said("class C {\n  constructor() { }\n  action never() returns (r: int) { }\n  action at_times(n: int) returns (r: int, ok: bool) { if (n == 0) { ok := false; return; } r := n; ok := true; }\n  action early(n: int) returns (r: int) { if (n == 0) { return; } r := n; }\n  action any() returns (r: int) { havoc r; }\n}\n");
    fields_with_values_need_no_constructor: said("class C { var size: int := 0; const limit: nat; action a() { size := size + 1; } }");
    no_class: said("enum A { X }\n");

    // The form.
    many_errors: body(&"    x := 1;\n".repeat(30));
    one_long_line: said(&format!("class C {{ constructor() {{ {}oops := 1; {} }} }}", "/* 漢 */ ".repeat(999), "{}".repeat(999)));
    errors_in_headers: members("  function f(: int { 1 + }\n  state { } assume true;\n  action a( { money := true; }\n  action b() { money := tru; }");
    errors_inside_braces: members("  function f(): int { 1 + }\n  action a() { money := ; oops := 1; }\n  action b() { money := true; }");
    functions_in_two_cycles: members("  function f(): int { f() }\n  function g(): int { h() + g() }\n  function h(): int { g() }");
    carriage_returns: said("class C {\r\n  var x: in;\r\n  constructor() {}\r\n}\r\n");
    byte_order_mark: said("\u{feff}class C { var x: in; constructor() {} }");
    tabs_and_wide_letters: said("class C {\n\tconstructor() { /* 漢字 */ x := 1; }\n}\n");

    // JSON.
    json_that_is_none: from_json("tree.json", "{ \"items\": [\n  { \"class\" } ] }").unwrap_err();
    json_of_something_else: from_json("tree.json", "{ \"items\": [\n  { \"opaque\": { \"name\": \"a b\" } } ] }").unwrap_err();
    json_with_a_misspelt_field: from_json("tree.json", "{ \"items\": [ { \"opaque\": { \"nam\": \"T\" } } ] }").unwrap_err();
    json_that_no_text_gives: from_json("tree.json", r#"{ "items": [ { "class": { "name": "C", "members": [
        { "invariant": { "compare": [ { "bool": true }, [] ] } } ] } } ] }"#).unwrap_err();
    json_with_a_type_error: said(r#"{ "items": [ { "class": { "name": "C", "members": [
        { "initially": { "int": "3" } } ] } } ] }"#);
}

#[test]
fn colours_are_only_added() {
    let diagnostics = parse_text("class.tq", "class C { var x: in; }").unwrap_err();
    let coloured = diagnostics.render(true);
    let codes = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    assert!(codes.is_match(&coloured));
    assert_eq!(codes.replace_all(&coloured, ""), diagnostics.render(false));
}
