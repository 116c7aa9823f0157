//! Random small classes that keep things: maps, arrays with indices that are computed, values of an opaque type, loops over all
//! of them.
//!
//! Keys are of an enum or one of two numbers, values are few, arrays have two elements: so running everything is exact.

use std::fmt::Write;

use crate::support::tape::Tape;

/// What keys and indices there are: how a key of a map is declared, and the constants of its type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    /// Of an enum.
    Slot,
    /// 0 or 1.
    Number,
}

/// What stands in a map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Bool,
    Slot,
    Tag,
}

struct Writer<'t> {
    tape: &'t mut Tape,
    key: Key,
    kept: Kept,
    /// Whether there are two arrays, which may be the same.
    two: bool,
    /// Names of parameters and variables that are numbers, slots, tags.
    numbers: Vec<String>,
    slots: Vec<String>,
    tags: Vec<String>,
    fresh: usize,
    /// Whether loops have invariants.
    invariants: bool,
}

/// The text of a random class.
pub fn class(tape: &mut Tape) -> String {
    writer(tape, false).class()
}

/// The text of a random class whose loops have invariants, right ones and wrong ones.
pub fn class_with_invariants(tape: &mut Tape) -> String {
    writer(tape, true).class()
}

fn writer(tape: &mut Tape, invariants: bool) -> Writer<'_> {
    let key = *tape.pick(&[Key::Slot, Key::Number]);
    let kept = *tape.pick(&[Kept::Bool, Kept::Slot, Kept::Tag]);
    // Two arrays are enough by themselves.
    let two = tape.chance(35);
    Writer {
        tape,
        key,
        kept,
        two,
        numbers: vec!["n".into(), "0".into(), "1".into()],
        slots: vec!["X".into(), "Y".into(), "s".into()],
        tags: match kept {
            Kept::Tag => vec!["RED".into()],
            Kept::Bool | Kept::Slot => vec!["RED".into(), "t".into()],
        },
        fresh: 0,
        invariants,
    }
}

impl Writer<'_> {
    fn class(mut self) -> String {
        let mut text = String::from(
            "enum Slot { X, Y }\ntype Tag with RED;\nexception E;\n\nclass K {\n  var on: bool;\n  var n: int;\n  \
             invariant 0 <= n <= 1;\n  var s: Slot;\n  var a: array<bool>;\n  \
             invariant a.length == 2;\n",
        );
        if !self.two {
            let _ = writeln!(text, "  var m: {};", self.map());
            self.unused_key(&mut text);
        }
        if self.kept != Kept::Tag {
            text += "  var t: Tag;\n";
        }
        if self.two {
            text += "  var b: array<bool>;\n  invariant b.length == 2;\n";
        }
        if self.tape.chance(20) {
            let clause = self.condition(1);
            let _ = writeln!(text, "  invariant {clause};");
        }
        self.constructor(&mut text);
        for index in 0..2 + self.tape.below(2) {
            self.action(index, &mut text);
        }
        text + "}\n"
    }

    /// That some key was never written: of so many numbers there always is one.
    fn unused_key(&mut self, text: &mut String) {
        let value = match self.kept {
            Kept::Bool => "false",
            Kept::Slot => "X",
            Kept::Tag => return,
        };
        if self.key == Key::Number && self.tape.chance(50) {
            let _ = writeln!(text, "  fact exists unused: int :: m[unused] == {value};");
        }
    }

    fn map(&self) -> String {
        let key = match self.key {
            Key::Slot => "Slot",
            Key::Number => "int",
        };
        let kept = match self.kept {
            Kept::Bool => "bool",
            Kept::Slot => "Slot",
            Kept::Tag => "Tag",
        };
        format!("map<{key}, {kept}>")
    }

    fn constructor(&mut self, text: &mut String) {
        let on = *self.tape.pick(&["false", "true"]);
        let n = self.tape.below(2);
        let s = *self.tape.pick(&["X", "Y"]);
        let (takes, t) = *self.tape.pick(&[("", "RED"), ("p: Tag", "p")]);
        let value = match self.kept {
            Kept::Bool => "false",
            Kept::Slot => "X",
            Kept::Tag => t,
        };
        let map = self.map();
        let fill = *self.tape.pick(&["(false)", "(true)"]);
        let _ = writeln!(
            text,
            "  constructor({takes}) {{\n    on := {on};\n    n := {n};\n    s := {s};\n    a := new bool[2]{fill};"
        );
        if self.kept != Kept::Tag {
            let _ = writeln!(text, "    t := {t};");
        }
        if !self.two {
            let _ = writeln!(text, "    m := {map}({value});");
        }
        if self.two {
            *text += match self.tape.below(2) {
                0 => "    b := a;\n",
                _ => "    b := new bool[2](false);\n",
            };
        }
        *text += "  }\n";
    }

    fn action(&mut self, index: usize, text: &mut String) {
        let known = (self.numbers.len(), self.slots.len(), self.tags.len());
        let (mut params, mut requires) = (Vec::new(), String::new());
        for i in 0..self.tape.below(3) {
            let name = format!("p{i}");
            match self.tape.below(3) {
                0 => {
                    params.push(format!("{name}: int"));
                    let _ = write!(requires, " requires 0 <= {name} <= 1");
                    self.numbers.push(name);
                }
                1 => {
                    params.push(format!("{name}: Slot"));
                    self.slots.push(name);
                }
                // Of three tags that may all be different, and have no name, two are kept where maps keep them.
                _ if i == 1 && self.kept == Kept::Tag => {}
                _ => {
                    params.push(format!("{name}: Tag"));
                    self.tags.push(name);
                }
            }
        }
        for _ in 0..self.tape.below(3) {
            let clause = self.condition(2);
            let _ = write!(requires, " requires {clause}");
        }
        let body = self.block(2);
        let _ = writeln!(
            text,
            "  action a{index}({}){requires} {{\n{body}  }}",
            params.join(", ")
        );
        self.numbers.truncate(known.0);
        self.slots.truncate(known.1);
        self.tags.truncate(known.2);
    }

    fn number(&mut self) -> String {
        self.tape.pick(&self.numbers).clone()
    }

    fn slot(&mut self) -> String {
        self.tape.pick(&self.slots).clone()
    }

    fn tag(&mut self) -> String {
        self.tape.pick(&self.tags).clone()
    }

    fn array(&mut self) -> &'static str {
        match self.two && self.tape.chance(50) {
            true => "b",
            false => "a",
        }
    }

    fn looked_up(&mut self) -> String {
        let key = match self.key {
            Key::Slot => self.slot(),
            Key::Number => self.number(),
        };
        format!("m[{key}]")
    }

    fn element(&mut self) -> String {
        let array = self.array();
        format!("{array}[{}]", self.number())
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.tape.chance(35) {
            let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
            let operator = self.tape.pick(&["&&", "||", "==>", "<==>"]);
            return format!("({left}) {operator} ({right})");
        }
        let not = *self.tape.pick(&["", "!"]);
        let equal = *self.tape.pick(&["==", "!="]);
        match self.tape.below(9) {
            0 => format!("{not}on"),
            1 => format!("n {equal} {}", self.number()),
            2 => format!("s {equal} {}", self.slot()),
            3 => format!("{} {equal} {}", self.tag(), self.tag()),
            4 | 5 => format!("{not}{}", self.element()),
            6 if self.two => format!("a {equal} b"),
            _ if self.two => format!("{not}{}", self.element()),
            _ => {
                let there = self.looked_up();
                match self.kept {
                    Kept::Bool => format!("{not}{there}"),
                    Kept::Slot => format!("{there} {equal} {}", self.slot()),
                    Kept::Tag => format!("{there} {equal} {}", self.tag()),
                }
            }
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let most = 1 + self.tape.below(2);
        (0..most).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.tape.below(if depth == 0 { 8 } else { 12 }) {
            0 => format!("    on := {};\n", self.condition(1)),
            1 => match self.tape.below(2) {
                0 => "    n := 1 - n;\n".into(),
                _ => format!("    n := {};\n", self.number()),
            },
            2 => format!("    s := {};\n", self.slot()),
            3 if self.kept == Kept::Tag => "    on := !on;\n".into(),
            3 => format!("    t := {};\n", self.tag()),
            4 | 5 if !self.two => {
                let place = self.looked_up();
                let value = match self.kept {
                    Kept::Bool => self.condition(1),
                    Kept::Slot => self.slot(),
                    Kept::Tag => self.tag(),
                };
                format!("    {place} := {value};\n")
            }
            4..=6 => {
                let place = self.element();
                format!("    {place} := {};\n", self.condition(1))
            }
            7 => match (self.two, self.tape.below(3)) {
                (true, 0) => "    a := b;\n".into(),
                (_, 1) => format!("    {} := new bool[2](false);\n", self.array()),
                (_, _) => format!("    if ({}) {{\n    throw E;\n    }}\n", self.condition(1)),
            },
            8 | 9 => {
                let condition = self.condition(1);
                let (then, otherwise) = (self.block(depth - 1), self.block(depth - 1));
                format!("    if ({condition}) {{\n{then}    }} else {{\n{otherwise}    }}\n")
            }
            _ => self.through(depth),
        }
    }

    /// A loop over both indices.
    fn through(&mut self, depth: usize) -> String {
        let name = format!("i{}", self.fresh);
        self.fresh += 1;
        self.numbers.push(name.clone());
        let body = self.block(depth - 1);
        // In a `for` the rest of a round is left out by `continue`, too: a `while` would not come to its next number.
        let (is_for, down) = (self.tape.chance(50), self.tape.chance(50));
        let left = match (self.tape.chance(30), is_for && self.tape.chance(50)) {
            (true, true) => format!(
                "    if ({}) {{\n    continue;\n    }}\n    n := {name};\n",
                self.condition(1)
            ),
            (true, false) => format!("    if ({}) {{\n    break;\n    }}\n", self.condition(1)),
            (false, _) => String::new(),
        };
        self.numbers.pop();
        let invariants = match self.invariants && self.tape.chance(70) {
            true => self.invariant(&name),
            false => String::new(),
        };
        if is_for {
            let range = if down { "2 downto 0" } else { "0 to 2" };
            return format!("    for {name} := {range}{invariants} {{\n{body}{left}    }}\n");
        }
        format!(
            "    var {name}: int := 0;\n    while ({name} < 2){invariants} {{\n{body}{left}    {name} := {name} + 1;\n    }}\n"
        )
    }

    /// One that holds, or may not.
    fn invariant(&mut self, counter: &str) -> String {
        let clause = match self.tape.below(4) {
            0 => format!("0 <= {counter} <= 2"),
            1 => format!("n <= {counter} || on"),
            2 => format!("{counter} == 0 ==> ({})", self.condition(1)),
            _ => self.condition(1),
        };
        format!(" invariant {clause}")
    }
}
