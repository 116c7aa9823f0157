//! Random small classes about objects and arrays: who is the same as whom, what is written through one name and
//! read through another, what is null, what is new.
//!
//! Values are booleans, references and lengths up to one, so that a few objects are as good as many.

use std::fmt::Write;

use crate::support::tape::Tape;

/// What a class is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Two references to objects with a value.
    Nodes,
    /// A reference to objects that refer to another.
    Chain,
    /// Two references to arrays.
    Arrays,
}

/// A name that a reference can be read from.
#[derive(Clone)]
struct Name {
    text: String,
    nullable: bool,
    assignable: bool,
}

impl Name {
    fn new(text: &str, nullable: bool, assignable: bool) -> Name {
        Name {
            text: text.into(),
            nullable,
            assignable,
        }
    }
}

struct Writer<'t> {
    tape: &'t mut Tape,
    shape: Shape,
    fields: Vec<Name>,
    fresh: usize,
    helper: bool,
}

/// The text of a random class, and what it is about.
pub fn class(tape: &mut Tape) -> (String, Shape) {
    let shape = *tape.pick(&[Shape::Nodes, Shape::Chain, Shape::Arrays]);
    let writer = Writer {
        tape,
        shape,
        fields: Vec::new(),
        fresh: 0,
        helper: false,
    };
    (writer.class(), shape)
}

impl Writer<'_> {
    fn class(mut self) -> String {
        let mut text = String::from("exception E;\n\n");
        match self.shape {
            Shape::Nodes => text += "class Node { var v: bool; }\n",
            Shape::Chain => text += "class Node { var v: bool; var next: Node?; }\n",
            Shape::Arrays => {}
        }
        text += "class K {\n";
        let names: &[&str] = match self.shape {
            Shape::Chain => &["p"],
            _ => &["p", "q"],
        };
        for name in names {
            let nullable = self.shape == Shape::Chain || self.tape.chance(60);
            self.fields.push(Name::new(name, nullable, true));
            let _ = writeln!(text, "  var {name}: {};", self.ty(nullable));
            if let Some(clause) = self.small(name, nullable) {
                let _ = writeln!(text, "  invariant {clause};");
            }
        }
        text += "  var on: bool;\n";
        if self.tape.chance(30) {
            let fields = self.fields.clone();
            let clause = self.condition(1, &fields);
            let _ = writeln!(text, "  invariant {clause};");
        }
        if self.tape.chance(35) {
            let parameter = Name::new("x", true, false);
            let mut scope = self.fields.clone();
            scope.push(parameter);
            let body = self.block(1, &mut scope, 2);
            let _ = writeln!(
                text,
                "  procedure help(x: {}) {{\n{body}  }}",
                self.ty(true)
            );
            self.helper = true;
        }
        self.constructor(&mut text);
        for index in 0..2 + self.tape.below(3) {
            self.action(index, &mut text);
        }
        text + "}\n"
    }

    fn ty(&self, nullable: bool) -> String {
        let name = match self.shape {
            Shape::Arrays => "array<bool>",
            _ => "Node",
        };
        format!("{name}{}", if nullable { "?" } else { "" })
    }

    /// That an array is one of those looked at.
    fn small(&self, name: &str, nullable: bool) -> Option<String> {
        let or_none = if nullable {
            format!("{name} == null || ")
        } else {
            String::new()
        };
        (self.shape == Shape::Arrays).then(|| format!("{or_none}{name}.length <= 1"))
    }

    /// Fields whose type has no `null` come from parameters, which have one at most each.
    fn constructor(&mut self, text: &mut String) {
        let mut params = Vec::new();
        let mut requires = String::new();
        let mut body = String::new();
        for (index, field) in self.fields.clone().iter().enumerate() {
            if !field.nullable || self.tape.chance(25) {
                let param = format!("c{index}");
                params.push(format!("{param}: {}", self.ty(field.nullable)));
                if let Some(clause) = self.small(&param, field.nullable) {
                    let _ = write!(requires, " requires {clause}");
                }
                let _ = writeln!(body, "    {} := {param};", field.text);
            } else {
                let _ = writeln!(body, "    {} := null;", field.text);
            }
        }
        let on = ["false", "true", "*"][self.tape.below(3)];
        match on {
            "*" => body += "    havoc on;\n",
            on => {
                let _ = writeln!(body, "    on := {on};");
            }
        }
        let _ = writeln!(
            text,
            "  constructor({}){requires} {{\n{body}  }}",
            params.join(", ")
        );
    }

    fn action(&mut self, index: usize, text: &mut String) {
        let mut scope = self.fields.clone();
        let param = match self.tape.below(4) {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        let mut head = String::new();
        if let Some(nullable) = param {
            let _ = write!(head, "r: {}", self.ty(nullable));
        }
        let fields = self.fields.clone();
        let mut requires = String::new();
        for _ in 0..self.tape.below(3) {
            let clause = self.condition(2, &fields);
            let _ = write!(requires, " requires {clause}");
        }
        if let Some(nullable) = param {
            scope.push(Name::new("r", nullable, false));
            if let Some(clause) = self.small("r", nullable) {
                let _ = write!(requires, " requires {clause}");
            }
        }
        let body = self.block(2, &mut scope, 3);
        let _ = writeln!(text, "  action a{index}({head}){requires} {{\n{body}  }}");
    }

    /// A reference that is there; for a chain perhaps one further on.
    fn reference(&mut self, scope: &[Name]) -> Name {
        let name = self.tape.pick(scope).clone();
        if self.shape == Shape::Chain && self.tape.chance(35) {
            return Name::new(&format!("{}.next", name.text), true, true);
        }
        name
    }

    /// A truth value read through a reference, which may be undefined.
    fn read(&mut self, scope: &[Name]) -> String {
        let name = self.reference(scope).text;
        match self.shape {
            Shape::Arrays => {
                let index = usize::from(self.tape.chance(20));
                format!("{name}[{index}]")
            }
            _ => format!("{name}.v"),
        }
    }

    fn condition(&mut self, depth: usize, scope: &[Name]) -> String {
        if depth > 0 && self.tape.chance(35) {
            let left = self.condition(depth - 1, scope);
            let right = self.condition(depth - 1, scope);
            let operator = self.tape.pick(&["&&", "||", "==>", "<==>"]);
            return format!("({left}) {operator} ({right})");
        }
        let name = self.reference(scope).text;
        match self.tape.below(7) {
            0 => "on".into(),
            1 => "!on".into(),
            2 => format!("{name} == null"),
            3 => {
                let other = self.reference(scope).text;
                format!("{name} {} {other}", self.tape.pick(&["==", "!="]))
            }
            4 => {
                let read = self.read(scope);
                let not = if self.tape.chance(50) { "!" } else { "" };
                format!("{not}{read}")
            }
            5 => match self.shape {
                Shape::Arrays => {
                    let length = self.tape.below(2);
                    format!("{name} != null && {name}.length == {length}")
                }
                _ => format!("{name} != null && {name}.v"),
            },
            _ => format!("{name} != null && !({})", self.read(scope)),
        }
    }

    fn block(&mut self, depth: usize, scope: &mut Vec<Name>, most: usize) -> String {
        let known = scope.len();
        let mut text = String::new();
        for _ in 0..=self.tape.below(most) {
            text += &self.statement(depth, scope);
        }
        scope.truncate(known);
        text
    }

    fn statement(&mut self, depth: usize, scope: &mut Vec<Name>) -> String {
        match self.tape.below(if depth == 0 { 7 } else { 10 }) {
            0 | 1 => self.assignment(scope),
            2 => {
                let value = match self.tape.below(3) {
                    0 => "true".into(),
                    1 => "false".into(),
                    _ => self.condition(1, scope),
                };
                let target = self.read(scope);
                format!("    {target} := {value};\n")
            }
            3 => {
                let value = self.condition(1, scope);
                format!("    on := {value};\n")
            }
            4 => {
                let name = format!("l{}", self.fresh);
                self.fresh += 1;
                let value = self.reference(scope);
                let line = format!("    var {name}: {} := {};\n", self.ty(true), value.text);
                scope.push(Name::new(&name, true, true));
                line
            }
            5 => match self.target(scope) {
                Some(target) => format!("    {} := {};\n", target.text, self.made()),
                None => self.assignment(scope),
            },
            6 if self.helper => format!("    help({});\n", self.reference(scope).text),
            6 => "    throw E;\n"
                .to_string()
                .repeat(usize::from(self.tape.chance(30))),
            7 | 8 => {
                let condition = if self.tape.chance(15) {
                    "*".into()
                } else {
                    self.condition(1, scope)
                };
                let then = self.block(depth - 1, scope, 2);
                if self.tape.chance(50) {
                    let otherwise = self.block(depth - 1, scope, 2);
                    format!("    if ({condition}) {{\n{then}    }} else {{\n{otherwise}    }}\n")
                } else {
                    format!("    if ({condition}) {{\n{then}    }}\n")
                }
            }
            _ => {
                let body = self.block(depth - 1, scope, 2);
                let caught = *self.tape.pick(&["NullDereference", "IndexOutOfRange", "E"]);
                let handler = self.block(depth - 1, scope, 1);
                format!("    try {{\n{body}    }} catch {caught} {{\n{handler}    }}\n")
            }
        }
    }

    fn target(&mut self, scope: &[Name]) -> Option<Name> {
        let name = self.reference(scope);
        name.assignable.then_some(name)
    }

    fn assignment(&mut self, scope: &[Name]) -> String {
        let Some(target) = self.target(scope) else {
            return "    on := !on;\n".into();
        };
        let value = match self.tape.below(6) {
            0 if target.nullable => "null".into(),
            1 => self.made(),
            _ => self.reference(scope).text,
        };
        format!("    {} := {value};\n", target.text)
    }

    /// A new object or array.
    fn made(&mut self) -> String {
        match self.shape {
            Shape::Arrays => format!("new bool[{}]", self.tape.below(2)),
            _ => "new Node()".into(),
        }
    }
}
