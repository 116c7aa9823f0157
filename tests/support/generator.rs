//! Random small classes as source text.
//!
//! Everything is finite in effect: fields stay in a small range by the invariant, what is chosen is soon assumed to
//! be small, loops end after two rounds. So running everything, over a domain somewhat larger, is exact.

use std::fmt::Write;

use super::tape::Tape;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Nat,
    Byte,
    Signed,
    Bool,
    Mode,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Int => "int",
            Kind::Nat => "nat",
            Kind::Byte => "u8",
            Kind::Signed => "i8",
            Kind::Bool => "bool",
            Kind::Mode => "Mode",
        }
    }

    fn is_number(self) -> bool {
        !matches!(self, Kind::Bool | Kind::Mode)
    }

    fn is_machine(self) -> bool {
        matches!(self, Kind::Byte | Kind::Signed)
    }
}

#[derive(Clone)]
struct Var {
    name: String,
    kind: Kind,
    /// Whether a body may assign it.
    assignable: bool,
    /// The greatest value that the invariant allows.
    most: i64,
}

#[derive(Clone, Copy, Default)]
struct Features {
    functions: bool,
    helper: bool,
    result_helper: bool,
}

/// A class, and what writes it.
struct Writer<'t> {
    tape: &'t mut Tape,
    fields: Vec<Var>,
    features: Features,
    /// How many names were made up.
    fresh: usize,
    /// How many loops are around.
    loops: usize,
}

/// The text of a random class.
pub fn class(tape: &mut Tape) -> String {
    let mut writer = Writer {
        tape,
        fields: Vec::new(),
        features: Features::default(),
        fresh: 0,
        loops: 0,
    };
    writer.class()
}

const MODES: [&str; 3] = ["A", "B", "C"];
const EXCEPTIONS: [&str; 2] = ["E", "F"];

impl Writer<'_> {
    fn class(&mut self) -> String {
        let mut text =
            String::from("enum Mode { A, B, C }\nexception E;\nexception F;\n\nclass K {\n");
        for i in 0..=self.tape.below(3) {
            let kind = *self.tape.pick(&[
                Kind::Int,
                Kind::Bool,
                Kind::Int,
                Kind::Mode,
                Kind::Nat,
                Kind::Byte,
                Kind::Int,
                Kind::Signed,
            ]);
            let constant = kind == Kind::Int && self.tape.chance(8);
            let most = self.tape.number(1, 3);
            let name = format!("f{i}");
            let start = if !constant && self.tape.chance(25) {
                match kind {
                    Kind::Bool => " := true",
                    Kind::Mode => " := B",
                    _ => " := 1",
                }
            } else {
                ""
            };
            let word = if constant { "const" } else { "var" };
            let _ = writeln!(text, "  {word} {name}: {}{start};", kind.name());
            let range = match (kind, self.tape.below(3)) {
                (Kind::Bool | Kind::Mode, _) => None,
                (Kind::Nat | Kind::Byte, 0) => Some(format!("{name} <= {most}")),
                (Kind::Signed, _) => Some(format!("-1 <= {name} && {name} <= {most}")),
                (_, 1) => Some(format!("0 <= {name} <= {most}")),
                (_, 2) => Some(format!("{name} >= 0 && !({name} > {most})")),
                _ => Some(format!("0 <= {name} && {name} <= {most}")),
            };
            if let Some(range) = range {
                let _ = writeln!(text, "  invariant {range};");
            }
            self.fields.push(Var {
                name,
                kind,
                assignable: !constant,
                most,
            });
        }
        if self.tape.chance(25) {
            let fields = self.fields.clone();
            let clause = self.condition(2, &fields);
            let _ = writeln!(text, "  invariant {clause};");
        }
        let names: Vec<String> = (0..2 + self.tape.below(3))
            .map(|i| format!("a{i}"))
            .collect();
        self.functions(&mut text);
        self.helpers(&mut text);
        self.constructors(&mut text);
        for name in &names {
            self.action(name, &mut text);
        }
        if self.tape.chance(10) {
            let enabled: Vec<&str> = names
                .iter()
                .filter(|_| self.tape.chance(50))
                .map(String::as_str)
                .collect();
            let fields = self.fields.clone();
            let clause = self.condition(1, &fields);
            let _ = writeln!(
                text,
                "  state {{ {} }} assumes {clause};",
                enabled.join(", ")
            );
        }
        text.push_str("}\n");
        text
    }

    fn functions(&mut self, text: &mut String) {
        if !self.tape.chance(35) {
            return;
        }
        let mut scope = self.fields.clone();
        scope.push(local("x", Kind::Int));
        let value = self.number(2, &scope);
        let test = self.condition(2, &scope);
        let _ = writeln!(text, "  function fn(x: int): int {{ {value} }}");
        let _ = writeln!(text, "  function is(x: int): bool {{ {test} }}");
        self.features.functions = true;
    }

    fn helpers(&mut self, text: &mut String) {
        if self.tape.chance(30) {
            let mut scope = self.fields.clone();
            scope.push(Var {
                assignable: false,
                ..local("x", Kind::Int)
            });
            let requires = if self.tape.chance(50) {
                let clause = self.condition(1, &scope);
                format!(" requires {clause}")
            } else {
                String::new()
            };
            let body = self.block(2, &mut scope, 2);
            let _ = writeln!(text, "  procedure help(x: int){requires} {{\n{body}  }}");
            self.features.helper = true;
        }
        if self.tape.chance(25) {
            let mut scope = self.fields.clone();
            scope.push(Var {
                assignable: false,
                ..local("x", Kind::Int)
            });
            scope.push(local("r", Kind::Int));
            scope.push(local("s", Kind::Bool));
            let body = self.block(1, &mut scope, 2);
            let test = self.condition(1, &scope);
            let _ = writeln!(
                text,
                "  procedure give(x: int) returns (r: int, s: bool) {{\n    r := x;\n    s := {test};\n{body}  }}"
            );
            self.features.result_helper = true;
        }
    }

    fn constructors(&mut self, text: &mut String) {
        if self.tape.chance(15) {
            let fields = self.fields.clone();
            let clause = self.condition(2, &fields);
            let _ = writeln!(text, "  initially {clause};");
            return;
        }
        let count = 1 + usize::from(self.tape.chance(20));
        for i in 0..count {
            let name = if i == 0 { "" } else { " other" };
            let (params, requires, mut scope) = self.parameters(1, false);
            scope.extend(self.fields.iter().cloned());
            let _ = write!(text, "  constructor{name}({params}){requires}");
            let has_constant = self.fields.iter().any(|f| !f.assignable);
            let has_machine = self.fields.iter().any(|f| f.kind.is_machine());
            if !has_constant && !has_machine && self.tape.chance(10) {
                let clause = self.condition(2, &scope);
                let _ = writeln!(text, " ensures {clause};");
                continue;
            }
            text.push_str(" {\n");
            let params: Vec<Var> = scope.iter().filter(|v| !v.assignable).cloned().collect();
            for field in self.fields.clone() {
                let skip = !field.kind.is_machine() && self.tape.chance(15);
                if field.assignable && !skip {
                    let value = self.value(&field, 1, &params);
                    let _ = writeln!(text, "    {} := {value};", field.name);
                }
            }
            if self.tape.chance(30) {
                text.push_str(&self.block(1, &mut scope, 2));
            }
            text.push_str("  }\n");
        }
    }

    /// Parameters, the clauses that keep them small, and the parameters as variables.
    fn parameters(&mut self, most: usize, machine: bool) -> (String, String, Vec<Var>) {
        let (mut params, mut requires, mut scope) = (Vec::new(), String::new(), Vec::new());
        for i in 0..self.tape.below(most + 1) {
            let kind = *self.tape.pick(&[
                Kind::Int,
                Kind::Int,
                Kind::Bool,
                Kind::Mode,
                Kind::Nat,
                Kind::Byte,
            ]);
            if kind == Kind::Byte && !machine {
                continue;
            }
            let name = format!("p{i}");
            params.push(format!("{name}: {}", kind.name()));
            // What goes into a machine integer must be small, or it wraps beyond what is tried.
            let wraps = self.fields.iter().any(|f| f.kind.is_machine());
            let small = kind == Kind::Byte || wraps || self.tape.chance(70);
            if kind.is_number() && small {
                let (low, high) = (self.tape.number(-1, 1), self.tape.number(1, 3));
                let clause = match (kind, self.tape.chance(50)) {
                    (Kind::Byte | Kind::Nat, _) => format!(" requires {name} <= {high}"),
                    (_, false) => format!(" requires {low} <= {name} <= {high}"),
                    (_, true) => {
                        format!(" requires {name} >= {low} requires {name} < {}", high + 1)
                    }
                };
                requires.push_str(&clause);
            }
            scope.push(Var {
                assignable: false,
                ..local(&name, kind)
            });
        }
        (params.join(", "), requires, scope)
    }

    fn action(&mut self, name: &str, text: &mut String) {
        let (params, mut requires, mut scope) = self.parameters(2, true);
        let parameters = scope.clone();
        scope.extend(self.fields.iter().cloned());
        for _ in 0..self.tape.below(3) {
            let fields = self.fields.clone();
            let within = match self.tape.below(3) {
                0 => &fields,
                1 => &scope,
                _ if parameters.is_empty() => &scope,
                _ => &parameters,
            };
            let clause = self.condition(2, &within.clone());
            let _ = write!(requires, "\n    requires {clause}");
        }
        let no_machine = !self.fields.iter().any(|f| f.kind.is_machine());
        let form = self.tape.below(10);
        if form == 7 && no_machine {
            self.bodiless(name, &params, &requires, &scope, text);
            return;
        }
        let outcome = match form {
            8 => Some(("ok", Kind::Bool)),
            9 => Some(("m", Kind::Mode)),
            _ => None,
        };
        let pure = self.tape.chance(12);
        let word = if pure { "pure action" } else { "action" };
        let returns = outcome.map_or(String::new(), |(name, kind)| {
            format!(" returns ({name}: {}) outcomes {name}", kind.name())
        });
        let _ = writeln!(text, "  {word} {name}({params}){returns}{requires} {{");
        if pure {
            for var in &mut scope {
                var.assignable = false;
            }
        }
        if let Some((result, kind)) = outcome {
            scope.push(local(result, kind));
        }
        let features = self.features;
        if pure {
            self.features.helper = false;
            self.features.result_helper = false;
        }
        text.push_str(&self.block(3, &mut scope, 3));
        self.features = features;
        text.push_str("  }\n");
    }

    fn bodiless(
        &mut self,
        name: &str,
        params: &str,
        requires: &str,
        scope: &[Var],
        text: &mut String,
    ) {
        let field = self.fields[self.tape.below(self.fields.len())].clone();
        let old: Vec<Var> = scope
            .iter()
            .map(|v| match self.fields.iter().any(|f| f.name == v.name) {
                true => Var {
                    name: format!("old({})", v.name),
                    ..v.clone()
                },
                false => v.clone(),
            })
            .collect();
        let mut ensures = String::new();
        if field.assignable && self.tape.chance(70) {
            let value = self.value(&field, 1, &old);
            let _ = write!(ensures, " ensures {} == {value}", field.name);
        }
        if self.tape.chance(60) {
            let both: Vec<Var> = old.iter().chain(&self.fields).cloned().collect();
            let clause = self.condition(2, &both);
            let _ = write!(ensures, " ensures {clause}");
        }
        let throws = if self.tape.chance(40) {
            " throws E"
        } else {
            ""
        };
        let returns = if self.tape.chance(30) {
            " returns (ok: bool) outcomes ok"
        } else {
            ""
        };
        if !returns.is_empty() && self.tape.chance(60) {
            let clause = self.condition(1, &self.fields.clone());
            let _ = write!(ensures, " ensures ok <==> ({clause})");
        }
        let _ = writeln!(
            text,
            "  action {name}({params}){returns}{requires}{ensures}{throws};"
        );
    }

    // ---- Statements

    fn block(&mut self, depth: usize, scope: &mut Vec<Var>, most: usize) -> String {
        let known = scope.len();
        let mut text = String::new();
        for _ in 0..=self.tape.below(most) {
            let (statement, ends) = self.statement(depth, scope);
            text.push_str(&statement);
            if ends {
                break;
            }
        }
        scope.truncate(known);
        text
    }

    /// A statement, and whether nothing comes behind it.
    fn statement(&mut self, depth: usize, scope: &mut Vec<Var>) -> (String, bool) {
        let form = self.tape.below(if depth == 0 { 10 } else { 20 });
        let text = match form {
            0..=3 => match self.target(scope) {
                Some(var) => {
                    let value = self.value(&var, 2, scope);
                    format!("    {} := {value};\n", var.name)
                }
                None => self.assertion(scope),
            },
            4 => {
                let kind = *self.tape.pick(&[Kind::Int, Kind::Bool]);
                let name = self.name("l");
                let var = local(&name, kind);
                let value = self.value(&var, 2, scope);
                scope.push(var);
                format!("    var {name}: {} := {value};\n", kind.name())
            }
            5 => self.choice(scope),
            6 => self.assertion(scope),
            7 if self.features.helper => {
                let value = self.number(1, scope);
                format!("    help({value});\n")
            }
            8 if self.features.result_helper => {
                let value = self.number(1, scope);
                let (r, s) = (self.name("l"), self.name("l"));
                scope.push(local(&r, Kind::Int));
                scope.push(local(&s, Kind::Bool));
                format!("    var {r}: int;\n    var {s}: bool;\n    {r}, {s} := give({value});\n")
            }
            9 => match self.tape.below(4) {
                0 => {
                    return (
                        format!("    throw {};\n", self.tape.pick(&EXCEPTIONS)),
                        true,
                    );
                }
                1 => return ("    return;\n".into(), true),
                2 if self.loops > 0 => return ("    break;\n".into(), true),
                3 if self.loops > 0 => return ("    continue;\n".into(), true),
                _ => self.assertion(scope),
            },
            10..=13 => {
                let condition = if self.tape.chance(15) {
                    "*".into()
                } else {
                    self.condition(2, scope)
                };
                let then = self.block(depth - 1, scope, 2);
                match self.tape.below(3) {
                    0 => format!("    if ({condition}) {{\n{then}    }}\n"),
                    1 => {
                        let otherwise = self.block(depth - 1, scope, 2);
                        format!(
                            "    if ({condition}) {{\n{then}    }} else {{\n{otherwise}    }}\n"
                        )
                    }
                    _ => {
                        let second = self.condition(1, scope);
                        let (middle, last) = (
                            self.block(depth - 1, scope, 2),
                            self.block(depth - 1, scope, 1),
                        );
                        format!(
                            "    if ({condition}) {{\n{then}    }} else if ({second}) {{\n{middle}    }} else {{\n{last}    }}\n"
                        )
                    }
                }
            }
            14 | 15 => {
                let counter = self.name("n");
                let more = if self.tape.chance(40) {
                    format!(" && {}", self.condition(1, scope))
                } else {
                    String::new()
                };
                let rounds = self.tape.number(1, 2);
                self.loops += 1;
                let mut inner = scope.clone();
                inner.push(Var {
                    assignable: false,
                    ..local(&counter, Kind::Int)
                });
                let body = self.block(depth - 1, &mut inner, 2);
                self.loops -= 1;
                format!(
                    "    var {counter}: int := 0;\n    while ({counter} < {rounds}{more}) {{\n    {counter} := {counter} + 1;\n{body}    }}\n"
                )
            }
            16 | 17 => {
                let body = self.block(depth - 1, scope, 3);
                let caught = match self.tape.below(4) {
                    0 => vec!["E"],
                    1 => vec!["F", "E"],
                    2 => vec!["DivisionByZero"],
                    _ => vec!["AssertionFailure", "RequiresViolation"],
                };
                let mut text = format!("    try {{\n{body}    }}");
                for exception in caught {
                    let handler = self.block(depth - 1, scope, 2);
                    let _ = write!(text, " catch {exception} {{\n{handler}    }}");
                }
                text + "\n"
            }
            _ => {
                // Under a condition, or nothing else ever happens.
                let condition = self.condition(2, scope);
                let exit = match self.tape.below(3) {
                    0 => format!("throw {};", self.tape.pick(&EXCEPTIONS)),
                    1 => "return;".into(),
                    _ => "assert false;".into(),
                };
                format!("    if ({condition}) {{ {exit} }}\n")
            }
        };
        (text, false)
    }

    fn assertion(&mut self, scope: &[Var]) -> String {
        let condition = self.condition(2, scope);
        let word = if self.tape.chance(50) {
            "assume"
        } else {
            "assert"
        };
        format!("    {word} {condition};\n")
    }

    fn choice(&mut self, scope: &mut Vec<Var>) -> String {
        if self.tape.chance(40) {
            let name = self.name("l");
            scope.push(local(&name, Kind::Bool));
            return format!("    var {name}: bool := *;\n");
        }
        match self.target(scope) {
            Some(var) if var.kind.is_number() => {
                let (low, high) = (
                    if var.kind == Kind::Int || var.kind == Kind::Signed {
                        -1
                    } else {
                        0
                    },
                    var.most,
                );
                format!(
                    "    havoc {0};\n    assume {low} <= {0} && {0} <= {high};\n",
                    var.name
                )
            }
            Some(var) => format!("    havoc {};\n", var.name),
            None => self.assertion(scope),
        }
    }

    fn target(&mut self, scope: &[Var]) -> Option<Var> {
        let targets: Vec<&Var> = scope.iter().filter(|v| v.assignable).collect();
        (!targets.is_empty()).then(|| (*self.tape.pick(&targets)).clone())
    }

    fn name(&mut self, base: &str) -> String {
        self.fresh += 1;
        format!("{base}{}", self.fresh)
    }

    // ---- Expressions

    /// A value for a variable; often one that keeps it in its range.
    fn value(&mut self, var: &Var, depth: usize, scope: &[Var]) -> String {
        match var.kind {
            Kind::Bool => self.condition(depth, scope),
            Kind::Mode => self.mode(depth, scope),
            kind => {
                let value = self.number(depth, scope);
                let value = if self.tape.chance(60) {
                    format!("(({value}) mod {})", var.most + 1)
                } else {
                    value
                };
                if kind.is_machine() {
                    format!("{}({value})", kind.name())
                } else {
                    value
                }
            }
        }
    }

    fn mode(&mut self, depth: usize, scope: &[Var]) -> String {
        if depth > 0 && self.tape.chance(20) {
            let condition = self.condition(depth - 1, scope);
            let (a, b) = (self.mode(0, scope), self.mode(0, scope));
            return format!("(if {condition} then {a} else {b})");
        }
        match self.variable(scope, |k| k == Kind::Mode) {
            Some(var) if self.tape.chance(50) => var.name,
            _ => (*self.tape.pick(&MODES)).into(),
        }
    }

    fn variable(&mut self, scope: &[Var], wanted: impl Fn(Kind) -> bool) -> Option<Var> {
        let vars: Vec<&Var> = scope.iter().filter(|v| wanted(v.kind)).collect();
        (!vars.is_empty()).then(|| (*self.tape.pick(&vars)).clone())
    }

    fn number(&mut self, depth: usize, scope: &[Var]) -> String {
        let simple = depth == 0 || self.tape.chance(35);
        if simple {
            return match self.variable(scope, Kind::is_number) {
                Some(var) if self.tape.chance(75) => {
                    if var.kind.is_machine() {
                        match self.tape.below(3) {
                            0 => format!("int({})", var.name),
                            1 => format!("int({} + {})", var.name, self.tape.below(3)),
                            _ => format!("int({} - {})", var.name, self.tape.below(3)),
                        }
                    } else {
                        var.name
                    }
                }
                _ => match self.tape.number(-1, 3) {
                    -1 => "(-1)".into(),
                    n => n.to_string(),
                },
            };
        }
        let a = self.number(depth - 1, scope);
        match self.tape.below(9) {
            0 | 1 => format!("({a} + {})", self.number(depth - 1, scope)),
            2 | 3 => format!("({a} - {})", self.number(depth - 1, scope)),
            4 => format!("({} * {a})", self.tape.number(2, 3)),
            5 => {
                let op = self.tape.pick(&["div", "mod"]);
                let divisor = *self.tape.pick(&["2", "3", "(-2)"]);
                format!("({a} {op} {divisor})")
            }
            6 => {
                let condition = self.condition(depth - 1, scope);
                let b = self.number(depth - 1, scope);
                format!("(if {condition} then {a} else {b})")
            }
            7 if self.features.functions => format!("fn({a})"),
            8 if self.tape.chance(40) => {
                let op = self.tape.pick(&["div", "mod"]);
                let divisor = self.number(0, scope);
                format!("({a} {op} {divisor})")
            }
            _ => format!("(-{a})"),
        }
    }

    fn condition(&mut self, depth: usize, scope: &[Var]) -> String {
        let form = if depth == 0 { 2 } else { self.tape.below(14) };
        match form {
            0..=2 => self.atom(depth, scope),
            3 | 4 => {
                let (a, b) = (self.number(1, scope), self.number(0, scope));
                format!("({a} {} {b})", self.comparison())
            }
            5 => format!("!({})", self.condition(depth - 1, scope)),
            6..=10 => {
                let op = ["&&", "||", "==>", "<==>", "!="][form - 6];
                let (a, b) = (
                    self.condition(depth - 1, scope),
                    self.condition(depth - 1, scope),
                );
                format!("({a} {op} {b})")
            }
            11 if self.features.functions => format!("is({})", self.number(depth - 1, scope)),
            12 if self.tape.chance(50) => {
                let name = self.name("q");
                let mut inner = scope.to_vec();
                inner.push(Var {
                    assignable: false,
                    ..local(&name, Kind::Int)
                });
                let body = self.condition(0, &inner);
                let high = self.tape.number(0, 2);
                match self.tape.chance(50) {
                    true => format!(
                        "(forall {name}: int :: 0 <= {name} && {name} <= {high} ==> {body})"
                    ),
                    false => {
                        format!("(exists {name}: int :: 0 <= {name} && {name} <= {high} && {body})")
                    }
                }
            }
            13 => {
                let c = self.condition(depth - 1, scope);
                let (a, b) = (
                    self.condition(depth - 1, scope),
                    self.condition(depth - 1, scope),
                );
                format!("(if {c} then {a} else {b})")
            }
            _ => self.atom(depth, scope),
        }
    }

    fn comparison(&mut self) -> &'static str {
        const OPERATORS: [&str; 6] = ["==", "<", "<=", ">", ">=", "!="];
        OPERATORS[self.tape.below(OPERATORS.len())]
    }

    fn atom(&mut self, depth: usize, scope: &[Var]) -> String {
        let bools = self.variable(scope, |k| k == Kind::Bool);
        let modes = self.variable(scope, |k| k == Kind::Mode);
        match (self.tape.below(4), bools, modes) {
            (1, Some(var), _) => var.name,
            (2, Some(var), None) => format!("!{}", var.name),
            (2, _, Some(var)) => {
                let op = self.tape.pick(&["==", "!="]);
                format!("({} {op} {})", var.name, self.mode(depth.min(1), scope))
            }
            (3, None, None) => (*self.tape.pick(&["true", "false"])).into(),
            _ => {
                let (a, b) = (self.number(depth.min(1), scope), self.number(0, scope));
                format!("({a} {} {b})", self.comparison())
            }
        }
    }
}

fn local(name: &str, kind: Kind) -> Var {
    Var {
        name: name.into(),
        kind,
        assignable: true,
        most: 2,
    }
}
