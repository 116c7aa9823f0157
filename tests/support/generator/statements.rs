//! Statements.

use std::fmt::Write;

use super::{EXCEPTIONS, Kind, Var, Writer, local};

impl Writer<'_> {
    pub(super) fn block(&mut self, depth: usize, scope: &mut Vec<Var>, most: usize) -> String {
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
        let form = self.tape.below(if depth == 0 { 10 } else { 21 });
        let text = match form {
            0..=3 => match self.target(scope) {
                Some(var) => {
                    let value = self.value(&var, 2, scope);
                    format!("    {} := {value};\n", var.name)
                }
                None => self.assertion(scope),
            },
            4 if self.tape.chance(40) => self.elements(scope),
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
            9 => match self.tape.below(6) {
                0 => {
                    return (
                        format!("    throw {};\n", self.tape.pick(&EXCEPTIONS)),
                        true,
                    );
                }
                1 => return ("    return;\n".into(), true),
                2 if self.in_loop() => return ("    break;\n".into(), true),
                3 if self.in_loop() => return ("    continue;\n".into(), true),
                4 if !self.around.is_empty() => {
                    let (label, is_loop) = self.tape.pick(&self.around).clone();
                    let word = if is_loop && self.tape.chance(50) {
                        "continue"
                    } else {
                        "break"
                    };
                    return (format!("    {word} {label};\n"), true);
                }
                5 if self.handlers > 0 => return ("    throw;\n".into(), true),
                _ => self.assertion(scope),
            },
            10..=13 => {
                let condition = if self.tape.chance(15) {
                    "*".into()
                } else {
                    self.condition(2, scope)
                };
                let then = self.block(depth - 1, scope, 2);
                match self.tape.below(4) {
                    0 => format!("    if ({condition}) {{\n{then}    }}\n"),
                    1 => {
                        let otherwise = self.block(depth - 1, scope, 2);
                        format!(
                            "    if ({condition}) {{\n{then}    }} else {{\n{otherwise}    }}\n"
                        )
                    }
                    2 => {
                        let middle = self.block(depth - 1, scope, 2);
                        let last = self.block(depth - 1, scope, 1);
                        self.switch(scope, [then, middle, last])
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
                let label = self.name("b");
                self.around.push((label.clone(), true));
                let mut inner = scope.clone();
                inner.push(Var {
                    assignable: false,
                    ..local(&counter, Kind::Int)
                });
                let body = self.block(depth - 1, &mut inner, 2);
                self.around.pop();
                format!(
                    "    var {counter}: int := 0;\n    {label}: while ({counter} < {rounds}{more}) {{\n    {counter} := {counter} + 1;\n{body}    }}\n"
                )
            }
            16 | 17 => {
                let body = self.block(depth - 1, scope, 3);
                let (caught, last) = match self.tape.below(7) {
                    0 => (vec!["E"], false),
                    1 => (vec!["F", "E"], false),
                    2 => (vec!["DivisionByZero"], false),
                    3 => (vec!["AssertionFailure", "RequiresViolation"], false),
                    4 => (vec!["AssertionFailure, F, E", ""], false),
                    5 => (vec!["E, DivisionByZero"], true),
                    _ => (vec![], true),
                };
                let mut text = format!("    try {{\n{body}    }}");
                for exceptions in caught {
                    self.handlers += 1;
                    let handler = self.block(depth - 1, scope, 2);
                    self.handlers -= 1;
                    let _ = write!(text, " catch {exceptions} {{\n{handler}    }}");
                }
                if last {
                    let handlers = std::mem::take(&mut self.handlers);
                    let last = self.block(depth - 1, scope, 2);
                    self.handlers = handlers;
                    let _ = write!(text, " finally {{\n{last}    }}");
                }
                text + "\n"
            }
            18 => {
                let label = self.name("b");
                self.around.push((label.clone(), false));
                let body = self.block(depth - 1, scope, 3);
                self.around.pop();
                format!("    {label}: {{\n{body}    }}\n")
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

    /// A map or an array with one value everywhere, or an element of an array that is assigned.
    fn elements(&mut self, scope: &mut Vec<Var>) -> String {
        let value = self.number(2, scope);
        let rows: Vec<&Var> = scope.iter().filter(|v| v.kind == Kind::Row).collect();
        if !rows.is_empty() && self.tape.chance(50) {
            let row = self.tape.pick(&rows).name.clone();
            return format!("    {row}[{}] := {value};\n", self.tape.below(2));
        }
        let name = self.name("l");
        let (kind, made) = match self.features.pure || self.tape.chance(50) {
            true => (Kind::Table, format!("map<int, int>({value})")),
            false => (Kind::Row, format!("new int[2]({value})")),
        };
        scope.push(Var {
            assignable: kind == Kind::Table,
            ..local(&name, kind)
        });
        format!("    var {name}: {} := {made};\n", kind.name())
    }

    fn in_loop(&self) -> bool {
        self.around.iter().any(|(_, is_loop)| *is_loop)
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
            Some(var) if var.kind != Kind::Table => format!("    havoc {};\n", var.name),
            _ => self.assertion(scope),
        }
    }

    pub(super) fn target(&mut self, scope: &[Var]) -> Option<Var> {
        let targets: Vec<&Var> = scope.iter().filter(|v| v.assignable).collect();
        (!targets.is_empty()).then(|| (*self.tape.pick(&targets)).clone())
    }

    pub(super) fn name(&mut self, base: &str) -> String {
        self.fresh += 1;
        format!("{base}{}", self.fresh)
    }

    /// The branches of a value: of all values of an enum, or of some numbers and of all others.
    fn switch(&mut self, scope: &[Var], [first, second, last]: [String; 3]) -> String {
        let (looked_at, cases) = match self.tape.chance(50) {
            true => (self.mode(1, scope), ["C", "A", "case B"]),
            false => (self.number(1, scope), ["0, 2", "-1", "default"]),
        };
        let [one, other, rest] = cases;
        format!(
            "    switch ({looked_at}) {{\n    case {one} {{\n{first}    }}\n    case {other} {{\n{second}    }}\n    {rest} {{\n{last}    }}\n    }}\n"
        )
    }
}
