//! Expressions.

use super::{Kind, MODES, TAGS, Var, Writer, local};

impl Writer<'_> {
    /// A value for a variable; often one that keeps it in its range.
    pub(super) fn value(&mut self, var: &Var, depth: usize, scope: &[Var]) -> String {
        match var.kind {
            Kind::Bool => self.condition(depth, scope),
            Kind::Mode => self.mode(depth, scope),
            Kind::Tag => self.tag(scope),
            Kind::Table => {
                let value = self.number(depth, scope);
                match self.tape.chance(50) {
                    true => format!("map<int, int>({value})"),
                    false => format!("{}[{} := {value}]", var.name, self.tape.below(3)),
                }
            }
            Kind::Row => var.name.clone(),
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

    pub(super) fn mode(&mut self, depth: usize, scope: &[Var]) -> String {
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

    fn tag(&mut self, scope: &[Var]) -> String {
        match self.variable(scope, |k| k == Kind::Tag) {
            Some(var) if self.tape.chance(50) => var.name,
            _ => (*self.tape.pick(&TAGS)).into(),
        }
    }

    fn variable(&mut self, scope: &[Var], wanted: impl Fn(Kind) -> bool) -> Option<Var> {
        let vars: Vec<&Var> = scope.iter().filter(|v| wanted(v.kind)).collect();
        (!vars.is_empty()).then(|| (*self.tape.pick(&vars)).clone())
    }

    pub(super) fn number(&mut self, depth: usize, scope: &[Var]) -> String {
        let simple = depth == 0 || self.tape.chance(35);
        if simple {
            return match self.variable(scope, Kind::is_number) {
                Some(var) if self.tape.chance(75) => {
                    if var.kind.is_machine() {
                        match self.tape.below(3) {
                            1 if self.wraps => {
                                format!("int({} + {})", var.name, self.tape.below(3))
                            }
                            2 if self.wraps => {
                                format!("int({} - {})", var.name, self.tape.below(3))
                            }
                            _ => format!("int({})", var.name),
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
        let elements = self.variable(scope, |k| matches!(k, Kind::Table | Kind::Row));
        if let Some(of) = elements.filter(|_| self.tape.chance(40)) {
            return match self.tape.chance(70) {
                true => format!("{}[{}]", of.name, self.tape.below(2)),
                false => format!("{}[{a}]", of.name),
            };
        }
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

    pub(super) fn condition(&mut self, depth: usize, scope: &[Var]) -> String {
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
        let tags = self.variable(scope, |k| k == Kind::Tag);
        if let Some(var) = tags.filter(|_| self.tape.chance(40)) {
            let op = self.tape.pick(&["==", "!="]);
            return format!("({} {op} {})", var.name, self.tag(scope));
        }
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
