//! What is done.

use std::collections::BTreeSet;

use super::Kind::{Mode, Number, Object, Truth};
use super::expressions::MODES;
use super::{Block, LONG, Variable, Writer};

/// What a class says no with; and, rarely, an error, which is an end like others.
const THROWN: [&str; 12] = [
    "IllegalStateException",
    "IllegalStateException",
    "IllegalStateException",
    "IllegalStateException",
    "IllegalArgumentException",
    "IllegalArgumentException",
    "Refused",
    "Refused",
    "Worse",
    "IOException",
    "IOException",
    "AssertionError",
];

/// The checked exceptions that a handler must not wait for in vain: the family of one.
fn family(exception: &str) -> Option<&'static str> {
    match exception {
        "Refused" | "Worse" => Some("Refused"),
        "IOException" => Some("IOException"),
        _ => None,
    }
}

impl Writer<'_> {
    /// Some statements, with others in them down to a depth.
    pub(super) fn block(&mut self, depth: usize) -> Block {
        let mut block = Block::default();
        let outside = self.scope.len();
        for _ in 0..1 + self.tape.below(1 + depth) {
            let next = self.statement(depth);
            block.append(next);
            if block.ends {
                break;
            }
        }
        self.scope.truncate(outside);
        block
    }

    fn statement(&mut self, depth: usize) -> Block {
        match self.tape.below(if depth == 0 { 10 } else { 20 }) {
            0..=4 => self.assignment(),
            5 => self.count(),
            6 => self.local(),
            7 => match self.call(None) {
                Some(call) => Block::of(format!("{call};")),
                None => self.assignment(),
            },
            8 => self.again(),
            9 => self.end(),
            10..=12 => {
                let condition = self.condition(2);
                let mut block = Block::default();
                let refused = self.end();
                block.braces(&format!("if ({condition})"), refused);
                block
            }
            13 | 14 => self.choice(depth - 1),
            15 => self.switch(depth - 1),
            16 => self.rules(depth - 1),
            17 => self.repeat(depth - 1),
            _ => self.attempt(depth - 1),
        }
    }

    fn assignment(&mut self) -> Block {
        let at = self.tape.below(self.fields.len());
        let Variable { name, kind } = &self.fields[at];
        let (name, kind) = (name.clone(), *kind);
        let value = self.kept(kind);
        Block::of(format!("{name} = {value};"))
    }

    /// One or two.
    pub(super) fn assignments(&mut self) -> Block {
        let mut block = self.assignment();
        if self.tape.chance(50) {
            let next = self.assignment();
            block.append(next);
        }
        block
    }

    /// Not now: what a protocol is made of.
    pub(super) fn guard(&mut self) -> Block {
        let outside = std::mem::take(&mut self.scope);
        let depth = self.tape.below(2);
        let condition = self.condition(depth);
        self.scope = outside;
        let thrown = self.thrown();
        let mut block = Block::default();
        block.braces(&format!("if ({condition})"), thrown);
        block
    }

    /// One of the number fields.
    fn number(&mut self) -> Option<String> {
        let names = self.names(Number, true);
        let at = self.tape.below(names.len());
        names.into_iter().nth(at)
    }

    /// Up or down by one, within bounds.
    fn count(&mut self) -> Block {
        let Some(name) = self.number() else {
            return self.assignment();
        };
        let (within, step) = *self
            .tape
            .pick(&[("< 2", "++"), ("> 0", "--"), ("< 2", " += 1")]);
        let mut block = Block::default();
        block.braces(
            &format!("if ({name} {within})"),
            Block::of(format!("{name}{step};")),
        );
        block
    }

    /// The same as often as it can be done, or less often.
    fn again(&mut self) -> Block {
        let Some(name) = self.number() else {
            return self.assignment();
        };
        let (within, step) = *self.tape.pick(&[("< 2", "++"), ("> 0", "--")]);
        let mut body = Block::of(format!("{name}{step};"));
        if self.tape.chance(60) {
            let condition = self.condition(0);
            body.braces(&format!("if ({condition})"), Block::of("break;"));
        }
        let mut block = Block::default();
        block.braces(&format!("while ({name} {within})"), body);
        block
    }

    /// A local variable, which may get another value at once.
    fn local(&mut self) -> Block {
        let kind = *self.tape.pick(&[Truth, Number, Object, Mode]);
        let name = self.fresh("t");
        let value = self.given(kind);
        let mut block = Block::of(format!("{} {name} = {value};", kind.word()));
        if self.tape.chance(50) {
            let (condition, other) = (self.condition(1), self.given(kind));
            let inner = Block::of(format!("{name} = {other};"));
            block.braces(&format!("if ({condition})"), inner);
        }
        self.scope.push(Variable { name, kind });
        block
    }

    /// What nothing comes behind.
    pub(super) fn end(&mut self) -> Block {
        let mut block = match self.tape.below(10) {
            0 | 1 => self.leave(),
            2 if self.breaks => Block::of("break;"),
            3 if self.in_loop => Block::of("continue;"),
            4..=6 if self.caught.is_some() => Block::of(format!(
                "throw {};",
                self.caught.as_deref().unwrap_or_default()
            )),
            _ => self.thrown(),
        };
        block.ends = true;
        block
    }

    fn thrown(&mut self) -> Block {
        let thrown = *self.tape.pick(&THROWN);
        self.raised.extend(family(thrown));
        Block {
            lines: vec![format!("throw new {thrown}();")],
            ends: true,
        }
    }

    pub(super) fn leave(&mut self) -> Block {
        let line = match self.result {
            Some(kind) => format!("return {};", self.given(kind)),
            None => "return;".to_owned(),
        };
        Block {
            lines: vec![line],
            ends: true,
        }
    }

    fn choice(&mut self, depth: usize) -> Block {
        let mut block = Block::default();
        let condition = self.condition(2);
        let then = self.block(depth);
        let mut ends = then.ends;
        block.braces(&format!("if ({condition})"), then);
        if self.tape.chance(60) {
            let other = self.block(depth);
            ends &= other.ends;
            block.braces(" else", other);
        } else {
            ends = false;
        }
        block.ends = ends;
        block
    }

    /// What a switch is about, and which cases it tells apart.
    fn cases(&mut self) -> (String, Vec<String>) {
        let modes = self.names(Mode, false);
        let numbers = self.names(Number, false);
        let (names, cases) = if !modes.is_empty() && (numbers.is_empty() || self.tape.chance(70)) {
            (modes, MODES.map(str::to_owned))
        } else {
            (numbers, ["0", "1", "2"].map(str::to_owned))
        };
        if names.is_empty() {
            let (then, other) = ("0".to_owned(), "1".to_owned());
            let number = format!("{} ? 0 : 1", self.condition(1));
            return (number, vec![then, other]);
        }
        let on = self.tape.pick(&names).clone();
        let count = 1 + self.tape.below(3);
        (on, cases.into_iter().take(count).collect())
    }

    /// Something inside of a switch, which a `break` would leave.
    fn case(&mut self, depth: usize) -> Block {
        let breaks = std::mem::replace(&mut self.breaks, false);
        let block = self.block(depth);
        self.breaks = breaks;
        block
    }

    /// One whose cases may fall through.
    fn switch(&mut self, depth: usize) -> Block {
        let (on, cases) = self.cases();
        let has_default = self.tape.chance(50);
        let mut labels: Vec<String> = cases.iter().map(|case| format!("case {case}:")).collect();
        labels.extend(has_default.then(|| "default:".to_owned()));
        let (mut inside, mut breaks) = (Block::default(), false);
        for label in labels {
            let mut body = self.case(depth);
            if !body.ends && self.tape.chance(60) {
                body.append(Block::of("break;"));
                breaks = true;
            }
            // The last one that has no `break` decides.
            let ends = body.ends;
            inside.braces(&label, body);
            inside.ends = ends;
        }
        let ends = has_default && inside.ends && !breaks;
        let mut block = Block::default();
        block.braces(&format!("switch ({on})"), inside);
        block.ends = ends;
        block
    }

    /// One whose cases do not.
    fn rules(&mut self, depth: usize) -> Block {
        let (on, cases) = self.cases();
        let has_default = self.tape.chance(50);
        let mut labels: Vec<String> = cases.iter().map(|case| format!("case {case} ->")).collect();
        labels.extend(has_default.then(|| "default ->".to_owned()));
        let (mut inside, mut ends) = (Block::default(), has_default);
        for label in labels {
            let body = self.case(depth);
            ends &= body.ends;
            inside.braces(&label, body);
        }
        let mut block = Block::default();
        block.braces(&format!("switch ({on})"), inside);
        block.ends = ends;
        block
    }

    fn repeat(&mut self, depth: usize) -> Block {
        let name = self.fresh("i");
        let count = if self.tape.chance(25) { LONG } else { 2 };
        let outer = (self.in_loop, self.breaks);
        (self.in_loop, self.breaks) = (true, true);
        self.scope.push(Variable {
            name: name.clone(),
            kind: Number,
        });
        let body = self.block(depth);
        self.scope.pop();
        (self.in_loop, self.breaks) = outer;
        let mut block = Block::default();
        let head = format!("for (int {name} = 0; {name} < {count}; {name}++)");
        block.braces(&head, body);
        block
    }

    /// `try`, with a handler, two, or none, and something that is done in the end.
    fn attempt(&mut self, depth: usize) -> Block {
        let outside = std::mem::take(&mut self.raised);
        let mut body = Block::default();
        if self.tape.chance(60) {
            // Something to be caught.
            body.append(self.guard());
        }
        let rest = self.block(depth);
        body.append(rest);
        let mut comes = std::mem::take(&mut self.raised);
        let mut ends = body.ends;
        let mut block = Block::default();
        block.braces("try", body);
        let handlers = self.handlers(&comes);
        for handled in &handlers {
            match *handled {
                "Refused" | "IOException" => drop(comes.remove(handled)),
                "Exception" => comes.clear(),
                _ => {}
            }
            let name = self.fresh("e");
            let caught = self.caught.replace(name.clone());
            let body = self.block(depth);
            self.caught = caught;
            ends &= body.ends;
            block.braces(&format!(" catch ({handled} {name})"), body);
        }
        self.raised.extend(comes);
        if handlers.is_empty() || self.tape.chance(20) {
            let inside = std::mem::take(&mut self.raised);
            let last = self.block(depth);
            if last.ends {
                ends = true;
            } else {
                self.raised.extend(inside);
            }
            block.braces(" finally", last);
        }
        self.raised.extend(outside);
        block.ends = ends;
        block
    }

    /// What is caught of what comes.
    fn handlers(&mut self, comes: &BTreeSet<&str>) -> Vec<&'static str> {
        let mut possible = vec![
            "IllegalStateException",
            "IllegalStateException",
            "RuntimeException",
            "IllegalStateException | IllegalArgumentException",
        ];
        if comes.contains("Refused") {
            possible.extend(["Refused", "Refused", "Worse"]);
        }
        if comes.contains("IOException") {
            possible.push("IOException");
        }
        let mut handlers = Vec::new();
        if self.tape.chance(80) {
            handlers.push(*self.tape.pick(&possible));
        }
        if self.tape.chance(25) {
            handlers.push("Exception");
        }
        handlers
    }
}
