//! Diagnostics as people read them.

use super::super::parse_text;

#[test]
fn a_class_is_parsed_and_resolved() {
    let text = "class C { var n: int; constructor() { n := 0; } action inc() requires n < 3 { n := n + 1; } }";
    let loaded = parse_text("c.tq", text).unwrap();
    assert_eq!(loaded.program.classes.len(), 1);
    assert_eq!(loaded.program.classes[0].routines.len(), 2);
}
