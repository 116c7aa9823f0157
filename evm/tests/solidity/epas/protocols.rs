//! Random small contracts with a protocol: phases, counters, owners, who has given what, a deadline; conditions in modifiers
//! and bodies, arithmetic that is checked and that wraps around, in some of them shares of amounts.

use std::fmt::Write;

use crate::rng::Rng;

/// Names of small values that functions may take, with their types.
const PARAMETERS: [(&str, &str); 5] = [
    ("uint8", "x"),
    ("int8", "w"),
    ("bool", "y"),
    ("address", "z"),
    ("Phase", "p"),
];

struct Writer {
    rng: Rng,
    out: String,
    depth: usize,
    /// Whether there are `unchecked` blocks.
    checked: bool,
    /// Whether it asks for the time.
    timed: bool,
    /// Whether it computes shares of amounts, `a * b / c`.
    shares: bool,
    /// The parameters of the function that is written.
    known: Vec<&'static str>,
}

/// A contract, by a number.
pub fn protocol(seed: u64, name: &str, checked: bool) -> String {
    let mut rng = Rng(seed.wrapping_mul(0x9e6c_63d0_876a_68ee) ^ 0x5eed);
    let timed = rng.one_in(4);
    let mut writer = Writer {
        rng,
        out: String::new(),
        depth: 0,
        checked,
        timed,
        shares: seed % 5 == 4,
        known: Vec::new(),
    };
    writer.contract(name);
    writer.out
}

impl Writer {
    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        let _ = writeln!(self.out, "{indent}{text}");
    }

    fn pick(&mut self, list: &[&str]) -> String {
        (*self.rng.pick(list)).to_owned()
    }

    fn contract(&mut self, name: &str) {
        self.line(&format!("contract {name} {{"));
        self.depth = 1;
        for declared in [
            "enum Phase { A, B, C }",
            "Phase public phase;",
            "uint8 public count;",
            "int8 public level;",
            "bool public open;",
            "address public owner;",
            "address public other;",
            "mapping(address => uint8) public given;",
            "mapping(uint8 => bool) public done;",
        ] {
            self.line(declared);
        }
        if self.timed {
            self.line("uint256 public deadline;");
        }
        let visibility = if self.checked { "" } else { "public " };
        self.known = vec!["x", "p"];
        self.line(&format!("constructor(uint8 x, Phase p) {visibility}{{"));
        self.line("  owner = msg.sender;");
        let text = self.pick(&[
            "count = x;",
            "phase = p;",
            "open = x > 3;",
            "given[owner] = x;",
        ]);
        self.line(&format!("  {text}"));
        self.line("}");
        self.known = Vec::new();
        for number in 0..2 {
            self.line(&format!("modifier m{number}() {{"));
            let condition = self.condition(1);
            self.line(&format!("  require({condition});"));
            self.line("  _;");
            if self.rng.one_in(3) {
                self.block(1);
            }
            self.line("}");
        }
        for number in 0..4 {
            self.function(number);
        }
        self.depth = 0;
        self.line("}");
    }

    fn function(&mut self, number: usize) {
        let wanted = self.rng.below(3);
        let mut parameters: Vec<(&str, &'static str)> = Vec::new();
        for _ in 0..wanted {
            let drawn = *self.rng.pick(&PARAMETERS);
            if !parameters.contains(&drawn) {
                parameters.push(drawn);
            }
        }
        self.known = parameters.iter().map(|(_, name)| *name).collect();
        let parameters: Vec<String> = parameters
            .iter()
            .map(|(ty, name)| format!("{ty} {name}"))
            .collect();
        let parameters = parameters.join(", ");
        let mut modifiers = String::new();
        for name in ["m0", "m1"] {
            if self.rng.one_in(3) {
                let _ = write!(modifiers, "{name} ");
            }
        }
        self.line(&format!(
            "function f{number}({parameters}) external {modifiers}{{"
        ));
        if !self.rng.one_in(4) {
            let condition = self.condition(2);
            self.line(&format!("  require({condition});"));
        }
        self.block(3);
        self.line("}");
    }

    /// Up to so many statements.
    fn block(&mut self, most: usize) {
        self.depth += 1;
        for _ in 0..=self.rng.below(most) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        match self.rng.below(16) {
            0..3 => self.choose_phase(),
            3..6 => {
                let text = self.on_numbers();
                self.line(&text);
            }
            6 => {
                let condition = self.condition(1);
                self.line(&format!("open = {condition};"));
            }
            7 | 8 => {
                let who = self.someone();
                let target = self.pick(&["owner", "owner", "other"]);
                self.line(&format!("{target} = {who};"));
            }
            9 | 10 => self.on_mappings(),
            11 if self.depth < 4 => {
                let condition = self.condition(1);
                self.line(&format!("if ({condition}) {{"));
                self.block(2);
                if self.rng.one_in(2) {
                    self.line("} else {");
                    self.block(2);
                }
                self.line("}");
            }
            12 if self.checked => {
                let text = self.on_numbers();
                self.line(&format!("unchecked {{ {text} }}"));
            }
            13 if self.depth > 2 => {
                let condition = self.condition(1);
                self.line(&format!("require({condition});"));
            }
            14 if self.timed => {
                let number = self.small();
                self.line(&format!("deadline = block.timestamp + {number};"));
            }
            15 if self.depth < 4 => {
                self.line("for (uint8 j = 0; j < 3; j++) {");
                self.block(1);
                self.line("}");
            }
            _ => {
                let text = self.on_numbers();
                self.line(&text);
            }
        }
    }

    fn choose_phase(&mut self) {
        let has = |name| self.known.contains(&name);
        let (p, x) = (has("p"), has("x"));
        let text = match self.rng.below(6) {
            0 => "phase = Phase(uint8(phase) + 1);",
            1 => "phase = Phase(uint8(phase) % 2 + 1);",
            2 if p => "phase = p;",
            2 if x => "phase = Phase(x);",
            3 => "phase = Phase.A;",
            4 => "phase = Phase.B;",
            5 => "delete phase;",
            _ => "phase = Phase.C;",
        };
        self.line(text);
    }

    /// An expression of type `uint8`.
    fn small(&mut self) -> String {
        let has_x = self.known.contains(&"x");
        match self.rng.below(7) {
            0 | 1 if has_x => "x".to_owned(),
            2 => "count".to_owned(),
            3 => "given[msg.sender]".to_owned(),
            4 => "uint8(phase)".to_owned(),
            _ => self.pick(&["uint8(1)", "uint8(2)", "uint8(3)", "uint8(7)", "uint8(200)"]),
        }
    }

    /// An expression of type `uint256`: a share of some amount.
    fn share(&mut self) -> String {
        let amounts = ["count", "count", "given[owner]", "given[msg.sender]"];
        let (amount, part) = (self.pick(&amounts), self.small());
        let whole = self.pick(&["count", "given[owner]", "given[other]", "uint8(phase)"]);
        let part = format!("uint256({part})");
        match self.rng.one_in(3) {
            true => format!("{part} * {amount} / {whole}"),
            false => format!("{part} * {amount} / (uint256({whole}) + 1)"),
        }
    }

    fn on_numbers(&mut self) -> String {
        if self.shares && self.rng.one_in(3) {
            let share = self.share();
            return format!("count = uint8({share});");
        }
        let number = self.small();
        let signed = match self.known.contains(&"w") {
            true => "w".to_owned(),
            false => self.pick(&["1", "-1", "100"]),
        };
        match self.rng.below(11) {
            0 => format!("count += {number};"),
            1 => format!("count -= {number};"),
            2 => "count++;".to_owned(),
            3 => "count--;".to_owned(),
            4 => format!("count = {number};"),
            5 => "count *= 2;".to_owned(),
            6 => format!("count = ({number} + 1) / 2;"),
            7 => format!("level += {signed};"),
            8 => format!("level = {signed};"),
            9 => "level = -level;".to_owned(),
            _ => format!("level = int8({number});"),
        }
    }

    fn on_mappings(&mut self) {
        let (who, number) = (self.someone(), self.small());
        let text = match self.rng.below(6) {
            0 => format!("given[{who}] += {number};"),
            1 => format!("given[{who}] = {number};"),
            2 => format!("given[{who}] -= 1;"),
            3 => format!("delete given[{who}];"),
            4 => format!("done[{number}] = true;"),
            _ => format!("done[{number}] = !done[count];"),
        };
        self.line(&text);
    }

    /// An expression of type `address`.
    fn someone(&mut self) -> String {
        match self.rng.below(6) {
            0 | 1 if self.known.contains(&"z") => "z".to_owned(),
            2 => "owner".to_owned(),
            3 => "other".to_owned(),
            4 => "address(0)".to_owned(),
            _ => "msg.sender".to_owned(),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.rng.one_in(3) {
            let op = self.pick(&["&&", "||"]);
            let (one, other) = (self.condition(depth - 1), self.condition(depth - 1));
            return format!("({one} {op} {other})");
        }
        if self.shares && self.rng.one_in(3) {
            let (share, number) = (self.share(), self.small());
            let op = self.pick(&["==", "!=", "<", "<=", ">"]);
            return format!("{share} {op} {number}");
        }
        match self.rng.below(14) {
            0..6 => {
                let op = self.pick(&["==", "!=", "<", ">="]);
                let phase = match self.known.contains(&"p") {
                    true => "p".to_owned(),
                    false => self.pick(&["Phase.A", "Phase.B", "Phase.C"]),
                };
                format!("phase {op} {phase}")
            }
            6 | 7 => {
                let (one, other) = (self.someone(), self.someone());
                let op = self.pick(&["==", "!="]);
                format!("{one} {op} {other}")
            }
            8 | 9 => {
                let (one, other) = (self.small(), self.small());
                let op = self.pick(&["==", "!=", "<", "<=", ">"]);
                format!("{one} {op} {other}")
            }
            10 => {
                let op = self.pick(&["==", "<", ">="]);
                let number = self.pick(&["-5", "0", "3"]);
                format!("level {op} {number}")
            }
            11 => match self.known.contains(&"y") {
                true => "y != open".to_owned(),
                false => self.pick(&["open", "!open"]),
            },
            12 => {
                let number = self.small();
                format!("done[{number}]")
            }
            _ if self.timed => {
                let op = self.pick(&["<", ">="]);
                format!("block.timestamp {op} deadline")
            }
            _ => {
                let who = self.someone();
                let op = self.pick(&["==", ">"]);
                format!("given[{who}] {op} 0")
            }
        }
    }
}
