//! Random small classes of which the guards look at a part alone: what calls write may be that part, under another name, or
//! something beside it.
//!
//! Two references lead to boxes, and two to arrays, that may be the same. Each class draws what its guards look at; what its
//! bodies write is drawn of everything.

use std::fmt::Write;

use crate::support::tape::Tape;

/// What a class leads to besides its own fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Two boxes, each with two truth values.
    Boxes,
    /// Two arrays of truth values, and one of another type.
    Arrays,
}

struct Writer<'t> {
    tape: &'t mut Tape,
    shape: Shape,
    /// What guards look at.
    watched: Vec<&'static str>,
}

/// The text of a random class.
pub fn class(tape: &mut Tape) -> String {
    let shape = *tape.pick(&[Shape::Boxes, Shape::Arrays]);
    let all: &[&'static str] = match shape {
        Shape::Boxes => &[
            "on",
            "p.full",
            "q.full",
            "p.marked",
            "p == q",
            "q.is()",
            "(exists b: Box :: b.full)",
            "(forall b: Box :: b.marked)",
        ],
        Shape::Arrays => &[
            "on",
            "p[0]",
            "q[0]",
            "p == q",
            "r[0] == Side.Left",
            "first(q)",
            "(forall i: int :: 0 <= i && i < p.length ==> p[i])",
        ],
    };
    let watched = (0..1 + tape.below(2)).map(|_| *tape.pick(all)).collect();
    let writer = Writer {
        tape,
        shape,
        watched,
    };
    writer.class()
}

impl Writer<'_> {
    fn class(mut self) -> String {
        let mut text = String::from("exception E;\nenum Side { Left, Right }\n");
        match self.shape {
            Shape::Boxes => {
                text += "class Box {\n  var full: bool;\n  var marked: bool;\n  function is(): bool { full }\n  \
                         procedure fill() { full := true; }\n  procedure mark() { marked := !marked; }\n}\n\
                         class K {\n  var p: Box;\n  var q: Box;\n  var on: bool;\n  var off: bool;\n  \
                         constructor(x: Box, y: Box) { p := x; q := y; on := false; off := false; }\n  \
                         procedure help(b: Box) { b.mark(); }\n";
            }
            Shape::Arrays => {
                text += "class K {\n  var p: array<bool>;\n  var q: array<bool>;\n  var r: array<Side>;\n  \
                         var on: bool;\n  var off: bool;\n  \
                         invariant p.length == 1 && q.length == 1 && r.length == 1;\n  \
                         constructor(x: array<bool>, y: array<bool>, z: array<Side>)\n    \
                         requires x.length == 1 && y.length == 1 && z.length == 1\n  \
                         { p := x; q := y; r := z; on := false; off := false; }\n  \
                         function first(a: array<bool>): bool { a[0] }\n  \
                         procedure help(a: array<bool>) { a[0] := true; }\n";
            }
        }
        for index in 0..2 + self.tape.below(3) {
            self.action(index, &mut text);
        }
        text + "}\n"
    }

    /// Every other action has a parameter, which may be what a field leads to.
    fn action(&mut self, index: usize, text: &mut String) {
        let head = match (self.tape.chance(50), self.shape) {
            (false, _) => "",
            (true, Shape::Boxes) => "s: Box",
            (true, Shape::Arrays) => "s: array<bool>",
        };
        let mut requires = String::new();
        if !head.is_empty() && self.shape == Shape::Arrays {
            requires += " requires s.length == 1";
        }
        if self.tape.chance(80) {
            let not = *self.tape.pick(&["", "!"]);
            let watched = self.tape.pick(&self.watched);
            let _ = write!(requires, " requires {not}({watched})");
        }
        let mut body = String::new();
        for _ in 0..1 + self.tape.below(3) {
            let line = self.statement(!head.is_empty());
            let _ = match self.tape.below(6) {
                0 => writeln!(body, "    if (off) {{ {line} }}"),
                1 => writeln!(
                    body,
                    "    try {{ {line} throw E; }} catch E {{ off := !off; }}"
                ),
                _ => writeln!(body, "    {line}"),
            };
        }
        if self.tape.chance(15) {
            body += "    if (on) { throw E; }\n";
        }
        let _ = writeln!(text, "  action a{index}({head}){requires} {{\n{body}  }}");
    }

    fn statement(&mut self, has_parameter: bool) -> String {
        let names: &[&str] = match has_parameter {
            true => &["p", "q", "s"],
            false => &["p", "q"],
        };
        let name = *self.tape.pick(names);
        let value = *self.tape.pick(&["true", "false", "on", "*"]);
        let own = *self.tape.pick(&["on", "off", "off", "off"]);
        match (self.tape.below(7), self.shape) {
            (0 | 1, _) => format!("{own} := {value};"),
            (2, _) => format!("havoc {own};"),
            (3, _) => format!("{} := {name};", self.tape.pick(&["p", "q"])),
            (4, Shape::Boxes) => format!("{name}.{}();", self.tape.pick(&["fill", "mark"])),
            (4, Shape::Arrays) | (5, _) if self.tape.chance(50) => format!("help({name});"),
            (_, Shape::Boxes) => {
                let field = self.tape.pick(&["full", "marked", "marked"]);
                format!("{name}.{field} := {value};")
            }
            (_, Shape::Arrays) => match self.tape.chance(50) {
                true => format!("{name}[0] := {value};"),
                false => {
                    let side = self.tape.pick(&["Left", "Right"]);
                    format!("r[0] := Side.{side};")
                }
            },
        }
    }
}
