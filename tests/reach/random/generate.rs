//! Random Boogie programs: loops, recursion, a map, several procedures, integers and Booleans.

use std::fmt::Write;

/// A small generator of pseudo-random numbers (xorshift), the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// What a program may have.
#[derive(Clone, Copy, PartialEq)]
pub enum Flavour {
    /// Arbitrary integers, no assertions but the last: for comparison with Boogie's stratified inlining.
    Arbitrary,
    /// Only Booleans are arbitrary, and there are assertions anywhere: for comparison with all executions.
    Finite,
}

pub struct Generated {
    pub program: String,
    pub entry: String,
}

/// The globals that [`Generated::with_more_globals`] adds.
const MORE: usize = 16;

impl Generated {
    /// The same, but each procedure also writes sixteen more globals, which nothing else looks at, and some assertions always fail.
    pub fn with_more_globals(self) -> Generated {
        let names = |first: usize| {
            let names = (0..MORE).map(|n| format!("w{}", (first + n) % MORE));
            names.collect::<Vec<_>>().join(", ")
        };
        let more = |text: &str| {
            let modifies = format!("modifies g0, g1, b, m, {};", names(0));
            let text = text.replace("modifies g0, g1, b, m;", &modifies);
            text.replace("assert c;", "assert false;")
        };
        let first = "  x, y, z, c, r := a - 1, d, 0, false, 0;\n";
        let turned = format!("{first}  {} := {};\n", names(0), names(1));
        let zeros = vec!["0"; MORE - 1].join(", ");
        let begin = "  g0, g1, b := 0, 1, false;\n";
        let begun = format!("{begin}  {} := 1, {zeros};\n", names(0));
        Generated {
            program: format!(
                "var {}: int;\n{}",
                names(0),
                more(&self.program).replace(first, &turned)
            ),
            entry: more(&self.entry).replace(begin, &begun),
        }
    }
}

struct Writer {
    random: Random,
    flavour: Flavour,
    out: String,
    depth: usize,
    in_loop: bool,
    loops: u32,
    procedures: u64,
}

const GLOBAL_INTS: &[&str] = &["g0", "g1"];

impl Writer {
    fn int(&mut self, size: u32) -> String {
        if size == 0 || self.random.one_in(3) {
            return match self.random.below(4) {
                0 => self.random.below(4).to_string(),
                1 => self.random.pick(GLOBAL_INTS).to_string(),
                2 => format!("m[{} mod 4]", self.random.pick(&["x", "y", "g0"])),
                _ => self.random.pick(&["x", "y", "z"]).to_string(),
            };
        }
        let (l, r) = (self.int(size - 1), self.int(size - 1));
        match self.random.below(7) {
            0 => format!("({l} - {r})"),
            1 => format!("(if {} then {l} else {r})", self.bool(size - 1)),
            2 => format!(
                "({l} {} {})",
                self.random.pick(&["div", "mod"]),
                self.random.below(3) + 1
            ),
            3 => format!("(-{l})"),
            4 => format!("twice({l})"),
            _ => format!("({l} + {r})"),
        }
    }

    fn bool(&mut self, size: u32) -> String {
        if size == 0 || self.random.one_in(4) {
            return match self.random.below(4) {
                0 => "b".into(),
                1 => "c".into(),
                _ => {
                    let op = self.random.pick(&["<", "<=", "==", "!=", ">", ">="]);
                    let (l, r) = (self.int(0), self.int(1));
                    format!("{l} {op} {r}")
                }
            };
        }
        let (l, r) = (self.bool(size - 1), self.bool(size - 1));
        match self.random.below(5) {
            0 => format!("!({l})"),
            1 => format!("(({l}) || ({r}))"),
            2 => format!("(({l}) ==> ({r}))"),
            3 => format!("(({l}) <==> ({r}))"),
            _ => format!("(({l}) && ({r}))"),
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth));
    }

    fn stmts(&mut self, count: u64, size: u32) {
        for _ in 0..count {
            self.stmt(size);
        }
    }

    fn block(&mut self, size: u32) {
        self.depth += 1;
        let count = 1 + self.random.below(2);
        self.stmts(count, size);
        self.depth -= 1;
    }

    fn stmt(&mut self, size: u32) {
        match self.random.below(if size == 0 { 8 } else { 13 }) {
            0..=2 => {
                let (v, e) = (self.random.pick(&["g0", "g1", "x", "y", "z"]), self.int(2));
                self.line(&format!("{v} := {e};"));
            }
            3 => {
                let e = self.bool(2);
                let v = self.random.pick(&["b", "c"]);
                self.line(&format!("{v} := {e};"));
            }
            4 => {
                let (i, e) = (self.int(1), self.int(1));
                self.line(&format!("m[({i}) mod 4] := {e};"));
            }
            5 => {
                let v = match self.flavour {
                    Flavour::Arbitrary => self.random.pick(&["x", "g0", "b", "c"]),
                    Flavour::Finite => self.random.pick(&["b", "c"]),
                };
                self.line(&format!("havoc {v};"));
            }
            6 => {
                let e = self.bool(1);
                match self.flavour {
                    Flavour::Finite if self.random.one_in(2) => self.line(&format!("assert {e};")),
                    _ if self.random.one_in(2) => self.line(&format!("assume {e};")),
                    _ => {
                        let (x, y) = (self.int(1), self.int(1));
                        self.line(&format!("x, y := {x}, {y};"));
                    }
                }
            }
            7 => match self.random.below(6) {
                0 if self.in_loop => self.line("break;"),
                1 => self.line("return;"),
                _ => {
                    let e = self.int(1);
                    self.line(&format!("r := {e};"));
                }
            },
            8 | 9 => {
                let guard = if self.random.one_in(3) {
                    "*".into()
                } else {
                    self.bool(1)
                };
                self.line(&format!("if ({guard}) {{"));
                self.block(size - 1);
                if self.random.one_in(2) {
                    self.line("} else {");
                    self.block(size - 1);
                }
                self.line("}");
            }
            10 => {
                let n = self.loops;
                self.loops += 1;
                let limit = self.random.below(3) + 1;
                let guard = if self.random.one_in(4) {
                    "b".to_string()
                } else {
                    "true".to_string()
                };
                self.line(&format!("k{n} := 0;"));
                self.line(&format!("while (k{n} < {limit} && {guard}) {{"));
                let outer = std::mem::replace(&mut self.in_loop, true);
                self.depth += 1;
                self.line(&format!("k{n} := k{n} + 1;"));
                self.depth -= 1;
                self.block(size - 1);
                self.in_loop = outer;
                self.line("}");
                // Boogie 2.4 loses a `break` out of a loop that ends the body of another one (see
                // `a_break_out_of_an_inner_loop` in tests/reach/programs/).
                self.line("assume true;");
            }
            _ => {
                let p = self.random.below(self.procedures);
                let e = self.int(1);
                self.line(&format!("call z := p{p}({e}, y);"));
            }
        }
    }

    fn procedure(&mut self, p: u64) {
        self.loops = 0;
        self.in_loop = false;
        self.depth = 1;
        let header = std::mem::take(&mut self.out);
        let count = 2 + self.random.below(3);
        // Most recursion ends.
        if self.random.one_in(2) {
            self.line("if (a <= 0) { return; }");
        }
        self.stmts(count, 2);
        let body = std::mem::replace(&mut self.out, header);
        let counters: String = (0..self.loops)
            .map(|n| format!("  var k{n}: int;\n"))
            .collect();
        let _ = write!(
            self.out,
            "procedure p{p}(a: int, d: int) returns (r: int)\n  modifies g0, g1, b, m;\n{{\n  var x, y, z: int;\n  var c: bool;\n{counters}  x, y, z, c, r := a - 1, d, 0, false, 0;\n"
        );
        for n in 0..self.loops {
            let _ = writeln!(self.out, "  k{n} := 0;");
        }
        self.out.push_str(&body);
        self.out.push_str("}\n");
    }
}

/// The program of that number.
pub fn program(seed: u64, flavour: Flavour) -> Generated {
    let mut writer = Writer {
        random: Random::new(seed),
        flavour,
        out: String::new(),
        depth: 0,
        in_loop: false,
        loops: 0,
        procedures: 0,
    };
    writer.procedures = 1 + writer.random.below(3);
    writer.out.push_str(
        "var g0: int;\nvar g1: int;\nvar b: bool;\nvar m: [int]int;\nfunction {:inline} twice(i: int): int { i + i }\n",
    );
    for p in 0..writer.procedures {
        writer.procedure(p);
    }
    let program = std::mem::take(&mut writer.out);
    writer.depth = 1;
    writer.loops = 0;
    writer.in_loop = false;
    let count = 1 + writer.random.below(3);
    writer.stmts(count, 1);
    let first = writer.random.below(writer.procedures);
    writer.line(&format!("call z := p{first}({}, x);", writer_number(seed)));
    let target = writer.bool(1);
    writer.line(&format!("assume {target};"));
    let body = std::mem::take(&mut writer.out).replace("return;", "r := 1;");
    let mut entry = String::from(
        "procedure {:entrypoint} q()\n  modifies g0, g1, b, m;\n{\n  var x, y, z, r: int;\n  var c: bool;\n",
    );
    for n in 0..writer.loops {
        let _ = writeln!(entry, "  var k{n}: int;");
    }
    entry.push_str("  x, y, z, r, c := 1, 2, 0, 0, true;\n  g0, g1, b := 0, 1, false;\n");
    entry.push_str("  m[0] := 0; m[1] := 1; m[2] := 0; m[3] := 2;\n");
    for n in 0..writer.loops {
        let _ = writeln!(entry, "  k{n} := 0;");
    }
    entry.push_str(&body);
    entry.push_str("  assert {:reached} false;\n}\n");
    Generated { program, entry }
}

fn writer_number(seed: u64) -> u64 {
    seed % 3
}
