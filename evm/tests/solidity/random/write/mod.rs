//! The text of a random contract.

mod expressions;

use std::fmt::Write;

use crate::rng::Rng;

/// Types of expressions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    U8,
    I8,
    U256,
    I16,
    Bool,
    Enum,
    Address,
}

const TYPES: [Ty; 7] = [
    Ty::U8,
    Ty::I8,
    Ty::U256,
    Ty::I16,
    Ty::Bool,
    Ty::Enum,
    Ty::Address,
];
const INTEGERS: [Ty; 4] = [Ty::U8, Ty::I8, Ty::U256, Ty::I16];

impl Ty {
    fn name(self) -> &'static str {
        match self {
            Ty::U8 => "uint8",
            Ty::I8 => "int8",
            Ty::U256 => "uint256",
            Ty::I16 => "int16",
            Ty::Bool => "bool",
            Ty::Enum => "E",
            Ty::Address => "address",
        }
    }

    /// The state variable of the type.
    fn state(self) -> &'static str {
        match self {
            Ty::U8 => "u",
            Ty::I8 => "i",
            Ty::U256 => "w",
            Ty::I16 => "h",
            Ty::Bool => "b",
            Ty::Enum => "e",
            Ty::Address => "a",
        }
    }

    fn is_integer(self) -> bool {
        INTEGERS.contains(&self)
    }
}

struct Writer {
    rng: Rng,
    out: String,
    /// Local variables that can be seen: name and type.
    locals: Vec<(String, Ty)>,
    names: usize,
    /// How many internal functions can be called.
    callable: usize,
    in_loop: bool,
    in_unchecked: bool,
    /// Whether the compiler knows `unchecked`.
    checked: bool,
    depth: usize,
}

/// A contract with its base, by a number.
pub fn contract(seed: u64, name: &str, checked: bool) -> String {
    let mut writer = Writer {
        // Numbers that nobody can ask to be others.
        rng: Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d)),
        out: String::new(),
        locals: Vec::new(),
        names: 0,
        callable: 0,
        in_loop: false,
        in_unchecked: false,
        checked,
        depth: 0,
    };
    writer.contract(name);
    writer.out
}

impl Writer {
    fn line(&mut self, text: &str) {
        for _ in 0..=self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn contract(&mut self, name: &str) {
        let _ = writeln!(self.out, "contract {name}Base {{");
        self.line("enum E { A, B, C }");
        self.line("struct S { uint8 p; int16 q; bool r; E s; uint256 t; }");
        for ty in TYPES {
            let text = format!("{} public {};", ty.name(), ty.state());
            self.line(&text);
        }
        self.line("mapping(uint8 => int16) public m;");
        self.line("mapping(address => S) public n;");
        self.line("uint16[] public xs;");
        self.line("S internal k;");
        let visibility = if self.checked { "" } else { " public" };
        let text =
            format!("constructor(uint8 x, int8 y){visibility} {{ u = x; i = y; a = msg.sender; }}");
        self.line(&text);
        self.locals = vec![("x".to_owned(), Ty::U8), ("y".to_owned(), Ty::Bool)];
        self.line("modifier before(uint8 x, bool y) {");
        self.block(2);
        self.line("  _;");
        self.line("}");
        self.line("modifier around(uint8 x, bool y) {");
        self.line("  if (y) return;");
        self.line("  _;");
        self.block(2);
        self.line("}");
        for number in 0..3 {
            self.internal(number, "virtual ");
        }
        self.out.push_str("}\n");
        let _ = writeln!(self.out, "contract {name} is {name}Base {{");
        let argument = self.rng.below(200);
        let text = format!("constructor(int8 y){visibility} {name}Base({argument}, y) {{}}");
        self.line(&text);
        let overridden = self.rng.below(3);
        self.callable = overridden;
        self.overriding(overridden);
        self.callable = 3;
        for number in 0..4 {
            self.external(number);
        }
        self.out.push_str("}\n");
    }

    fn parameters(&mut self) -> &'static str {
        self.locals = vec![("p".to_owned(), Ty::U8), ("q".to_owned(), Ty::I16)];
        "uint8 p, int16 q"
    }

    fn modifiers(&mut self) -> String {
        let mut text = String::new();
        for name in ["before", "around"] {
            if self.rng.one_in(3) {
                let (x, y) = (self.expr(Ty::U8, 1), self.expr(Ty::Bool, 1));
                let _ = write!(text, "{name}({x}, {y}) ");
            }
        }
        text
    }

    fn internal(&mut self, number: usize, words: &str) {
        let parameters = self.parameters();
        let modifiers = self.modifiers();
        let text = format!(
            "function f{number}({parameters}) internal {words}{modifiers}returns (uint8 z) {{"
        );
        self.line(&text);
        self.locals.push(("z".to_owned(), Ty::U8));
        self.callable = number;
        self.body(Ty::U8);
        self.line("}");
        self.callable = number + 1;
    }

    fn overriding(&mut self, number: usize) {
        let parameters = self.parameters();
        let text =
            format!("function f{number}({parameters}) internal override returns (uint8 z) {{");
        self.line(&text);
        self.locals.push(("z".to_owned(), Ty::U8));
        self.block(2);
        let (x, y) = (self.expr(Ty::U8, 1), self.expr(Ty::I16, 1));
        self.line(&format!("  z = super.f{number}({x}, {y});"));
        self.line("}");
    }

    fn external(&mut self, number: usize) {
        let result = *self.rng.pick(&TYPES);
        self.locals = vec![
            ("p".to_owned(), Ty::U8),
            ("q".to_owned(), Ty::I16),
            ("c".to_owned(), Ty::Bool),
            ("d".to_owned(), Ty::Address),
        ];
        let modifiers = self.modifiers();
        let text = format!(
            "function g{number}(uint8 p, int16 q, bool c, address d) external {modifiers}returns ({} z) {{",
            result.name()
        );
        self.line(&text);
        self.locals.push(("z".to_owned(), result));
        self.body(result);
        self.line("}");
    }

    fn body(&mut self, result: Ty) {
        self.block(3);
        if self.rng.one_in(2) {
            let value = self.expr(result, 2);
            self.line(&format!("  return {value};"));
        }
    }

    fn block(&mut self, statements: usize) {
        self.depth += 1;
        let seen = self.locals.len();
        for _ in 0..1 + self.rng.below(statements) {
            self.statement();
        }
        self.locals.truncate(seen);
        self.depth -= 1;
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn statement(&mut self) {
        let simple = self.depth > 3;
        match self.rng.below(if simple { 8 } else { 14 }) {
            0 | 1 => self.assignment(),
            2 => {
                let (target, ty) = self.target();
                let text = match ty {
                    ty if ty.is_integer() => {
                        let op = *self.rng.pick(&["+=", "-=", "*=", "|=", "^="]);
                        format!("{target} {op} {};", self.expr(ty, 2))
                    }
                    _ => format!("delete {target};"),
                };
                self.line(&text);
            }
            3 if self.locals.len() < 9 => {
                let ty = *self.rng.pick(&TYPES);
                let name = self.fresh();
                let text = if self.rng.one_in(4) {
                    format!("{} {name};", ty.name())
                } else {
                    format!("{} {name} = {};", ty.name(), self.expr(ty, 2))
                };
                self.line(&text);
                self.locals.push((name, ty));
            }
            4 => {
                let condition = self.expr(Ty::Bool, 1);
                self.line(&format!("require({condition} || u < 200);"));
            }
            5 => self.on_list(),
            6 => self.on_structs(),
            7 => {
                let (one, ty) = self.target();
                if let Some(other) = self.same_target(ty) {
                    self.line(&format!("({one}, {other}) = ({other}, {one});"));
                }
            }
            8 | 9 => {
                let condition = self.expr(Ty::Bool, 2);
                self.line(&format!("if ({condition}) {{"));
                self.block(2);
                if self.rng.one_in(2) {
                    self.line("} else {");
                    self.block(2);
                }
                self.line("}");
            }
            10 => self.counted(),
            11 if self.checked && !self.in_unchecked => {
                self.in_unchecked = true;
                self.line("unchecked {");
                self.block(3);
                self.line("}");
                self.in_unchecked = false;
            }
            12 if self.in_loop => {
                let condition = self.expr(Ty::Bool, 1);
                let word = *self.rng.pick(&["break", "continue"]);
                self.line(&format!("if ({condition}) {word};"));
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let (target, ty) = self.target();
        let value = self.expr(ty, 3);
        self.line(&format!("{target} = {value};"));
    }

    /// A loop of a few rounds.
    fn counted(&mut self) {
        let name = self.fresh();
        let limit = 1 + self.rng.below(4);
        let outside = std::mem::replace(&mut self.in_loop, true);
        // The counter cannot be assigned inside.
        match self.rng.below(3) {
            0 => {
                self.line(&format!(
                    "for (uint8 {name} = 0; {name} < {limit}; {name}++) {{"
                ));
                self.block(2);
                self.line("}");
            }
            1 => {
                let condition = self.expr(Ty::Bool, 1);
                self.line(&format!("uint8 {name} = 0;"));
                self.line(&format!("while ({name}++ < {limit} && {condition}) {{"));
                self.block(2);
                self.line("}");
            }
            _ => {
                self.line(&format!("uint8 {name} = 0;"));
                self.line("do {");
                self.block(2);
                self.line(&format!("}} while (++{name} < {limit});"));
            }
        }
        self.in_loop = outside;
    }

    fn on_list(&mut self) {
        let value = self.expr(Ty::U8, 1);
        let text = match self.rng.below(5) {
            0 => "if (xs.length > 0) xs.pop();".to_owned(),
            1 => format!("if (xs.length > {value}) xs[{value}]++;"),
            2 => "delete xs;".to_owned(),
            3 => format!("xs[{value}] = {value};"),
            _ => format!("xs.push({value});"),
        };
        self.line(&text);
    }

    fn on_structs(&mut self) {
        let name = self.fresh();
        let key = self.expr(Ty::Address, 1);
        let (small, flag, state) = (
            self.expr(Ty::U8, 1),
            self.expr(Ty::Bool, 1),
            self.expr(Ty::Enum, 1),
        );
        let text = match self.rng.below(6) {
            0 => {
                format!("{{ S storage {name} = n[{key}]; {name}.p = {small}; {name}.r = {flag}; }}")
            }
            1 => format!("{{ S memory {name} = k; {name}.s = {state}; n[{key}] = {name}; }}"),
            2 => format!("k = n[{key}];"),
            3 => format!("k = S({small}, 3, {flag}, {state}, 9);"),
            4 => format!(
                "{{ S memory {name} = S({small}, 1, {flag}, E.A, 2); S memory {name}x = {name}; {name}x.p = 7; k = {name}; }}"
            ),
            _ => format!("delete n[{key}];"),
        };
        self.line(&text);
    }

    /// Something that can be assigned.
    fn target(&mut self) -> (String, Ty) {
        if !self.locals.is_empty() && self.rng.one_in(2) {
            return self.rng.pick(&self.locals.clone()).clone();
        }
        match self.rng.below(9) {
            0 => (format!("m[{}]", self.expr(Ty::U8, 1)), Ty::I16),
            1 => (format!("n[{}].t", self.expr(Ty::Address, 1)), Ty::U256),
            2 => ("k.p".to_owned(), Ty::U8),
            3 => ("k.s".to_owned(), Ty::Enum),
            _ => {
                let ty = *self.rng.pick(&TYPES);
                (ty.state().to_owned(), ty)
            }
        }
    }

    fn same_target(&mut self, ty: Ty) -> Option<String> {
        let mut known: Vec<String> = vec![ty.state().to_owned()];
        let locals = self.locals.iter().filter(|(_, known)| *known == ty);
        known.extend(locals.map(|(name, _)| name.clone()));
        Some(self.rng.pick(&known).clone())
    }
}
