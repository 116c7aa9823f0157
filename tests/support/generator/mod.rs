//! Random small classes as source text.
//!
//! Everything is finite in effect: fields stay in a small range by the invariant, what is chosen is soon assumed to
//! be small, loops end after two rounds. So running everything, over a domain somewhat larger, is exact.

use std::fmt::Write;

mod expressions;
mod statements;

use super::tape::Tape;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Nat,
    Within,
    Byte,
    Signed,
    Bool,
    Mode,
    /// An opaque type of which two values have names. One field has it at most: with more of them, more values would have to
    /// be tried.
    Tag,
    /// A map, in bodies only.
    Table,
    /// An array of two elements, in bodies only.
    Row,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Int => "int",
            Kind::Nat => "nat",
            Kind::Within => "int in u8",
            Kind::Byte => "u8",
            Kind::Signed => "i8",
            Kind::Bool => "bool",
            Kind::Mode => "Mode",
            Kind::Tag => "Tag",
            Kind::Table => "map<int, int>",
            Kind::Row => "array<int>",
        }
    }

    fn is_number(self) -> bool {
        !matches!(
            self,
            Kind::Bool | Kind::Mode | Kind::Tag | Kind::Table | Kind::Row
        )
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
    /// Whether the body makes nothing new.
    pure: bool,
}

/// A class, and what writes it.
struct Writer<'t> {
    tape: &'t mut Tape,
    fields: Vec<Var>,
    features: Features,
    /// How many names were made up.
    fresh: usize,
    /// The labels of the loops and blocks around, innermost last, and whether each is a loop.
    around: Vec<(String, bool)>,
    /// How many handlers are around.
    handlers: usize,
    /// Whether machine numbers are added to and subtracted from. Where there is no body, `x >= int(p - 2)` would ask for
    /// an x of 254, which is in no small domain.
    wraps: bool,
}

/// The text of a random class.
pub fn class(tape: &mut Tape) -> String {
    let mut writer = Writer {
        tape,
        fields: Vec::new(),
        features: Features::default(),
        fresh: 0,
        around: Vec::new(),
        handlers: 0,
        wraps: true,
    };
    writer.class()
}

const MODES: [&str; 3] = ["A", "B", "C"];
const TAGS: [&str; 2] = ["RED", "Tag.BLUE"];
const EXCEPTIONS: [&str; 2] = ["E", "F"];

impl Writer<'_> {
    fn class(&mut self) -> String {
        let mut text = String::from(
            "enum Mode { A, B, C }\ntype Tag with RED, BLUE;\nexception E;\nexception F;\n\nclass K {\n",
        );
        // What is said of the values of constants, in the places where it is said.
        let mut of_constants: Vec<String> = Vec::new();
        for i in 0..=self.tape.below(3) {
            let kind = *self.tape.pick(&[
                Kind::Int,
                Kind::Bool,
                Kind::Int,
                Kind::Mode,
                Kind::Nat,
                Kind::Byte,
                Kind::Within,
                Kind::Signed,
                Kind::Tag,
            ]);
            let is_second = |field: &Var| field.kind == Kind::Tag;
            let kind = match kind == Kind::Tag && self.fields.iter().any(is_second) {
                true => Kind::Mode,
                false => kind,
            };
            let constant = kind == Kind::Int && self.tape.chance(8);
            let most = self.tape.number(1, 3);
            let name = format!("f{i}");
            let start = if !constant && self.tape.chance(25) {
                match kind {
                    Kind::Bool => " := true",
                    Kind::Mode => " := B",
                    Kind::Tag => " := Tag.BLUE",
                    _ => " := 1",
                }
            } else {
                ""
            };
            let word = if constant { "const" } else { "var" };
            let _ = writeln!(text, "  {word} {name}: {}{start};", kind.name());
            let range = match (kind, self.tape.below(3)) {
                (Kind::Bool | Kind::Mode | Kind::Tag, _) => None,
                (Kind::Nat | Kind::Within | Kind::Byte, 0) => Some(format!("{name} <= {most}")),
                (Kind::Signed, _) => Some(format!("-1 <= {name} && {name} <= {most}")),
                (_, 1) => Some(format!("0 <= {name} <= {most}")),
                (_, 2) => Some(format!("{name} >= 0 && !({name} > {most})")),
                _ => Some(format!("0 <= {name} && {name} <= {most}")),
            };
            if let Some(range) = range {
                let clause = format!("  invariant {range};\n");
                text.push_str(&clause);
                of_constants.extend(constant.then_some(clause));
            }
            self.fields.push(Var {
                name,
                kind,
                assignable: !constant,
                most,
            });
        }
        // Beside a machine integer, what is not known to be small is compared with what wraps, which is more than is tried.
        if self.has_machine() {
            for clause in of_constants {
                text = text.replace(&clause, &clause.replace("invariant", "fact"));
            }
        }
        if self.tape.chance(25) {
            let fields = self.fields.clone();
            let clause = self.condition(2, &fields);
            let word = if self.tape.chance(40) {
                "fact"
            } else {
                "invariant"
            };
            let _ = writeln!(text, "  {word} {clause};");
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
            // What the outside answers, each time anew.
            let hidden = self.tape.chance(40);
            if hidden {
                scope.push(Var {
                    assignable: false,
                    ..local("h", Kind::Int)
                });
            }
            let (answer, known) = match hidden {
                true => (", hidden h: int", " requires 0 <= h requires h + x <= 3"),
                false => ("", ""),
            };
            scope.push(local("r", Kind::Int));
            scope.push(local("s", Kind::Bool));
            let body = self.block(1, &mut scope, 2);
            let test = self.condition(1, &scope);
            let _ = writeln!(
                text,
                "  procedure give(x: int{answer}) returns (r: int, s: bool){known} {{\n    r := x;\n    s := {test};\n{body}  }}"
            );
            self.features.result_helper = true;
        }
    }

    fn has_machine(&self) -> bool {
        self.fields.iter().any(|field| field.kind.is_machine())
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
            let has_machine = self.has_machine();
            if !has_constant && !has_machine && self.tape.chance(10) {
                self.wraps = false;
                let clause = self.condition(2, &scope);
                self.wraps = true;
                let _ = writeln!(text, " ensures {clause};");
                continue;
            }
            text.push_str(" {\n");
            let params: Vec<Var> = scope.iter().filter(|v| !v.assignable).cloned().collect();
            // Functions read fields that have no value yet, and a machine integer may then be any that there is.
            let functions = self.features.functions;
            self.features.functions &= !has_machine;
            for field in self.fields.clone() {
                let skip = !field.kind.is_machine() && self.tape.chance(15) && !has_machine;
                if field.assignable && !skip {
                    let value = self.value(&field, 1, &params);
                    let _ = writeln!(text, "    {} := {value};", field.name);
                }
            }
            self.features.functions = functions;
            if self.tape.chance(30) {
                text.push_str(&self.block(1, &mut scope, 2));
            }
            text.push_str("  }\n");
        }
    }

    /// Parameters, the clauses that keep them small, and the parameters as variables.
    fn parameters(&mut self, most: usize, machine: bool) -> (String, String, Vec<Var>) {
        let kinds = [
            Kind::Int,
            Kind::Int,
            Kind::Bool,
            Kind::Mode,
            Kind::Nat,
            Kind::Byte,
            Kind::Tag,
        ];
        let drawn: Vec<Kind> = (0..self.tape.below(most + 1))
            .map(|_| *self.tape.pick(&kinds))
            .filter(|kind| machine || *kind != Kind::Byte)
            .collect();
        // Beside a machine integer numbers must be small: what goes into it would wrap beyond what is tried, and
        // what it wraps to (`p - 1` of a byte is 255) is compared with them.
        let mut machines = self.fields.iter().map(|f| f.kind).chain(drawn.clone());
        let wraps = machines.any(Kind::is_machine);
        let (mut params, mut requires, mut scope) = (Vec::new(), String::new(), Vec::new());
        for (i, kind) in drawn.into_iter().enumerate() {
            let name = format!("p{i}");
            let hidden = if self.tape.chance(20) { "hidden " } else { "" };
            params.push(format!("{hidden}{name}: {}", kind.name()));
            let small = kind == Kind::Byte || wraps || self.tape.chance(70);
            if kind.is_number() && small {
                let (low, high) = (self.tape.number(-1, 1), self.tape.number(1, 3));
                let clause = match (kind, self.tape.chance(50)) {
                    (Kind::Byte | Kind::Nat | Kind::Within, _) => {
                        format!(" requires {name} <= {high}")
                    }
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
            self.features.pure = true;
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
        self.wraps = false;
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
        self.wraps = true;
        let _ = writeln!(
            text,
            "  action {name}({params}){returns}{requires}{ensures}{throws};"
        );
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
