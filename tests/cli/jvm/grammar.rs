//! A little grammar of random Java classes. Their fields hold finitely much: truth values, constants of an enum, numbers
//! from 0 to 2, and objects of which it matters whether they are null, or the same. What numbers are compared with is
//! small, no code of others is called, and every loop ends.

mod expressions;
mod statements;

use std::collections::BTreeSet;

use crate::support::tape::Tape;

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Truth,
    Number,
    Mode,
    Object,
}

use Kind::{Mode, Number, Object, Truth};

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Truth => "boolean",
            Number => "int",
            Mode => "Mode",
            Object => "Object",
        }
    }
}

/// What every method may raise. `Worse` is a `Refused`.
const RAISED: &str = "throws Refused, IOException";

/// So many rounds of a loop are more than are followed where it is decided when a method can be called. Most have two.
const LONG: usize = 3;

/// Whether a class has a loop that long.
pub(super) fn has_long_loop(text: &str) -> bool {
    text.contains(&format!("< {LONG}; i"))
}

struct Variable {
    name: String,
    kind: Kind,
}

/// A method that may be called by those that are made after it, so that nothing calls itself.
struct Callable {
    name: String,
    parameters: Vec<Kind>,
    result: Option<Kind>,
}

/// Lines of Java.
#[derive(Default)]
struct Block {
    lines: Vec<String>,
    /// Nothing can come behind it: the compiler would refuse it.
    ends: bool,
}

impl Block {
    fn of(line: impl Into<String>) -> Block {
        Block {
            lines: vec![line.into()],
            ends: false,
        }
    }

    /// `head { inner }`; one that begins with a blank goes on behind the last `}`.
    fn braces(&mut self, head: &str, inner: Block) {
        match self.lines.last_mut() {
            Some(last) if head.starts_with(' ') => last.push_str(&format!("{head} {{")),
            _ => self.lines.push(format!("{head} {{")),
        }
        let inner = inner.lines.iter().map(|line| format!("    {line}"));
        self.lines.extend(inner);
        self.lines.push("}".to_owned());
    }

    fn append(&mut self, next: Block) {
        self.lines.extend(next.lines);
        self.ends = next.ends;
    }
}

struct Writer<'a> {
    tape: &'a mut Tape,
    /// The fields that anything may be assigned to at any time.
    fields: Vec<Variable>,
    /// Whether there is a field `fixed`, which only constructors assign.
    fixed: bool,
    /// What else can be read here: parameters, local variables, `fixed`.
    scope: Vec<Variable>,
    callables: Vec<Callable>,
    /// What the method gives.
    result: Option<Kind>,
    /// Whether there is a loop around, and whether it is what a `break` would leave.
    in_loop: bool,
    breaks: bool,
    /// The exception that was caught last, where it is still there.
    caught: Option<String>,
    /// The families of checked exceptions that may come out of what is written: others must not be caught.
    raised: BTreeSet<&'static str>,
    names: usize,
}

/// The text of a class of this name.
pub(super) fn class(name: &str, tape: &mut Tape) -> String {
    let mut writer = Writer {
        tape,
        fields: Vec::new(),
        fixed: false,
        scope: Vec::new(),
        callables: Vec::new(),
        result: None,
        in_loop: false,
        breaks: false,
        caught: None,
        raised: BTreeSet::new(),
        names: 0,
    };
    let class = writer.class(name);
    let mut file = Block::of("import java.io.IOException;");
    file.braces(&format!("public class {name}"), class);
    file.lines.join("\n") + "\n"
}

impl Writer<'_> {
    fn class(&mut self, name: &str) -> Block {
        let mut class = Block::of("private enum Mode { IDLE, BUSY, DONE }");
        class.append(Block::of(
            "private static class Refused extends Exception { }",
        ));
        class.append(Block::of("private static class Worse extends Refused { }"));
        for _ in 0..2 + self.tape.below(3) {
            let kind = *self.tape.pick(&[Truth, Mode, Object, Number]);
            let name = self.fresh("f");
            // A switch over null is refused.
            let begins = match self.tape.chance(if kind == Mode { 85 } else { 40 }) {
                true => format!(" = {}", self.constant(kind)),
                false => String::new(),
            };
            class.append(Block::of(format!(
                "private {} {name}{begins};",
                kind.word()
            )));
            self.fields.push(Variable { name, kind });
        }
        self.fixed = self.tape.chance(20);
        if self.fixed {
            class.append(Block::of("private final boolean fixed;"));
        }
        for _ in 0..self.tape.below(3) {
            let helper = self.fresh("helper");
            self.method(&mut class, "private", helper);
        }
        self.constructors(&mut class, name);
        for _ in 0..3 + self.tape.below(4) {
            let method = self.fresh("m");
            self.method(&mut class, "public", method);
        }
        class
    }

    /// One without parameters, one with some, or both.
    fn constructors(&mut self, class: &mut Block, name: &str) {
        let which = self.tape.below(3);
        if which != 1 {
            let body = self.constructor(Vec::new(), false);
            class.braces(&format!("public {name}() {RAISED}"), body);
        }
        if which != 0 {
            let parameters = self.parameters(1);
            let listed = listed(&parameters);
            let asks_other = which == 2 && self.tape.chance(20);
            let body = self.constructor(parameters, asks_other);
            class.braces(&format!("public {name}({listed}) {RAISED}"), body);
        }
    }

    fn constructor(&mut self, parameters: Vec<Variable>, asks_other: bool) -> Block {
        self.scope = parameters;
        self.result = None;
        let mut body = Block::default();
        if asks_other {
            body.append(Block::of("this();"));
        } else if self.fixed {
            let value = self.condition(0);
            body.append(Block::of(format!("fixed = {value};")));
        }
        self.see_fixed();
        // What an object begins with is set without ado, most of the time: of one that is refused nothing is found.
        let rest = match self.tape.chance(30) {
            true => self.block(2),
            false => self.assignments(),
        };
        body.append(rest);
        body
    }

    fn method(&mut self, class: &mut Block, access: &str, name: String) {
        let result = *self.tape.pick(&[None, None, Some(Truth), Some(Number)]);
        let parameters = self.parameters(0);
        let kinds = parameters.iter().map(|parameter| parameter.kind).collect();
        let word = result.map_or("void", Kind::word);
        let head = format!("{access} {word} {name}({}) {RAISED}", listed(&parameters));
        self.scope = parameters;
        self.result = result;
        self.see_fixed();
        let mut body = Block::default();
        if self.tape.chance(75) {
            body.append(self.guard());
        }
        let depth = self.tape.below(4);
        let rest = self.block(depth);
        body.append(rest);
        if !body.ends && self.tape.chance(70) {
            body.append(self.assignments());
        }
        if !body.ends && result.is_some() {
            let last = self.leave();
            body.append(last);
        }
        class.braces(&head, body);
        self.callables.push(Callable {
            name,
            parameters: kinds,
            result,
        });
    }

    /// As many as this, up to two.
    fn parameters(&mut self, least: usize) -> Vec<Variable> {
        let count = least + self.tape.below(3 - least);
        let mut parameters = Vec::new();
        for _ in 0..count {
            let kind = *self.tape.pick(&[Number, Truth, Object, Mode]);
            let name = self.fresh("p");
            parameters.push(Variable { name, kind });
        }
        parameters
    }

    fn see_fixed(&mut self) {
        if self.fixed {
            let name = "fixed".to_owned();
            self.scope.push(Variable { name, kind: Truth });
        }
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }
}

/// Parameters as they stand in a declaration.
fn listed(parameters: &[Variable]) -> String {
    let each = parameters.iter();
    let each = each.map(|Variable { name, kind }| format!("{} {name}", kind.word()));
    each.collect::<Vec<String>>().join(", ")
}
