//! What has a value.

use super::Kind::{self, Mode, Number, Object, Truth};
use super::{Callable, Writer};

pub(super) const MODES: [&str; 3] = ["IDLE", "BUSY", "DONE"];
const RELATIONS: [&str; 6] = ["==", "<", ">", "!=", "<=", ">="];

impl Writer<'_> {
    /// Something that a field of this kind may begin with.
    pub(super) fn constant(&mut self, kind: Kind) -> String {
        match kind {
            Truth => (*self.tape.pick(&["false", "true"])).to_owned(),
            Number => self.tape.number(0, 2).to_string(),
            Mode if self.tape.chance(8) => "null".to_owned(),
            Mode => format!("Mode.{}", self.tape.pick(&MODES)),
            Object => (*self.tape.pick(&["null", "new Object()"])).to_owned(),
        }
    }

    /// What can be read of a kind; numbers are only those of fields where the value is to be kept.
    pub(super) fn names(&self, kind: Kind, kept: bool) -> Vec<String> {
        let scope = self.scope.iter().filter(|_| !(kept && kind == Number));
        let all = self.fields.iter().chain(scope);
        let all = all.filter(|variable| variable.kind == kind);
        all.map(|variable| variable.name.clone()).collect()
    }

    /// Something to put into a field.
    pub(super) fn kept(&mut self, kind: Kind) -> String {
        let names = self.names(kind, true);
        match self.tape.below(8) {
            0 if !names.is_empty() => self.tape.pick(&names).clone(),
            1 if kind == Truth => self.condition(1),
            1 => {
                let (then, other) = (self.constant(kind), self.constant(kind));
                if then == other {
                    return then;
                }
                let condition = self.condition(1);
                format!("{condition} ? {then} : {other}")
            }
            2 => self.chosen(kind),
            _ => self.constant(kind),
        }
    }

    /// A switch that has a value.
    fn chosen(&mut self, kind: Kind) -> String {
        let modes = self.names(Mode, false);
        if modes.is_empty() {
            return self.constant(kind);
        }
        let on = self.tape.pick(&modes).clone();
        let all = self.tape.chance(40);
        let mut rules = Vec::new();
        for mode in &MODES[..if all { 3 } else { 1 + self.tape.below(2) }] {
            rules.push(format!("case {mode} -> {};", self.constant(kind)));
        }
        if !all {
            let last = match self.tape.chance(30) {
                true => "throw new IllegalStateException()".to_owned(),
                false => self.constant(kind),
            };
            rules.push(format!("default -> {last};"));
        }
        format!("switch ({on}) {{ {} }}", rules.join(" "))
    }

    /// An argument.
    fn argument(&mut self, kind: Kind) -> String {
        let names = self.names(kind, false);
        if !names.is_empty() && self.tape.chance(60) {
            return self.tape.pick(&names).clone();
        }
        match kind {
            Number => self.tape.number(-1, 3).to_string(),
            _ => self.constant(kind),
        }
    }

    /// What a method gives.
    pub(super) fn given(&mut self, kind: Kind) -> String {
        match kind {
            Truth => self.condition(1),
            kind => self.argument(kind),
        }
    }

    /// A call of one of these, if there is one: what it gives is looked at where this says so.
    pub(super) fn call(&mut self, gives: Option<Kind>) -> Option<String> {
        let fits = |callable: &&Callable| gives.is_none() || callable.result == gives;
        let count = self.callables.iter().filter(fits).count();
        let at = self.tape.below(count);
        let callable = self.callables.iter().filter(fits).nth(at)?;
        let (name, kinds) = (callable.name.clone(), callable.parameters.clone());
        let arguments = kinds.into_iter().map(|kind| self.argument(kind));
        let arguments: Vec<String> = arguments.collect();
        self.raised.extend(["Refused", "IOException"]);
        Some(format!("{name}({})", arguments.join(", ")))
    }

    /// Nothing is called in one of no depth.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.comparison();
        }
        match self.tape.below(12) {
            0 => format!("!({})", self.condition(depth - 1)),
            1 | 2 => self.both("&&", depth - 1),
            3 => self.both("||", depth - 1),
            4 => {
                let condition = self.comparison();
                let (then, other) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({condition} ? {then} : {other})")
            }
            5 => match self.call(Some(Truth)) {
                Some(call) => call,
                None => self.comparison(),
            },
            6 => match self.call(Some(Number)) {
                Some(call) => format!("({call} {} {})", self.relation(), self.tape.number(0, 2)),
                None => self.comparison(),
            },
            _ => self.comparison(),
        }
    }

    fn both(&mut self, operator: &str, depth: usize) -> String {
        let (left, right) = (self.condition(depth), self.condition(depth));
        format!("({left} {operator} {right})")
    }

    fn relation(&mut self) -> &'static str {
        self.tape.pick::<&str>(&RELATIONS)
    }

    /// Of one variable with a constant, or with another one.
    fn comparison(&mut self) -> String {
        let all = self.fields.iter().chain(&self.scope);
        let all: Vec<(String, Kind)> = all.map(|v| (v.name.clone(), v.kind)).collect();
        let (name, kind) = self.tape.pick(&all).clone();
        let others = self.names(kind, false);
        let other = match self.tape.chance(20) {
            true => Some(self.tape.pick(&others).clone()),
            false => None,
        };
        let equal = *self.tape.pick(&["==", "!="]);
        match (kind, other.filter(|other| *other != name)) {
            (Number, Some(other)) => format!("{name} {} {other}", self.relation()),
            (_, Some(other)) => format!("({name} {equal} {other})"),
            (Truth, None) if equal == "==" => name,
            (Truth, None) => format!("!{name}"),
            (Number, None) => {
                let is_field = self.fields.iter().any(|field| field.name == name);
                let (low, high) = if is_field { (0, 2) } else { (-1, 3) };
                let number = self.tape.number(low, high);
                format!("{name} {} {number}", self.relation())
            }
            (Mode, None) if self.tape.chance(90) => {
                format!("{name} {equal} Mode.{}", self.tape.pick(&MODES))
            }
            (Mode | Object, None) => format!("{name} {equal} null"),
        }
    }
}
