//! What callers owe to a class by what its author wrote down, put into its text.

use super::super::body;
use super::super::helpers::OwnerId;
use super::super::written::{self, About, Condition, NOT_ALLOWED};
use super::{Making, MethodRole};
use crate::front::java::world::MethodOf;
use crate::front::java::world::written::WrittenText;
use crate::front::tq::ast::{FileSyntax, RoutineSyntax};
use crate::ir::RoutineKind;

impl Making<'_> {
    /// An action that asks first for what is written down of it.
    pub(super) fn asking(&mut self, action: RoutineSyntax, method: &MethodOf) -> RoutineSyntax {
        let studied = self.context.studied;
        let mut conditions = Vec::new();
        for written in &studied.written.preconditions {
            if !written.action.is(method) {
                continue;
            }
            let number = self.methods.own(&written.method);
            let number = number.filter(|number| self.methods.all[*number].body.is_some());
            match number {
                Some(number) => conditions.push(Condition {
                    routine: self.state.routine(number),
                    given_arguments: !written.method.method().signature.parameters.is_empty(),
                }),
                None => self.left_out.push(format!(
                    "`{}` says when `{}` may be called, which is not known: its code is not",
                    written.method.method().name,
                    method.method().name
                )),
            }
        }
        if conditions.is_empty() {
            return action;
        }
        let name = action.name.iter().map(|name| name.name.clone());
        self.owed.extend(name);
        let names = &mut self.state.names;
        let not_allowed = &mut self.state.not_allowed;
        let not_allowed = not_allowed.get_or_insert_with(|| names.give(NOT_ALLOWED));
        written::asking(action, &conditions, not_allowed)
    }

    /// What always holds, and what is written down in words.
    pub(super) fn written(&mut self, file: &mut FileSyntax) {
        let studied = self.context.studied;
        for method in &studied.written.invariants {
            if let Err(why) = self.always(file, method) {
                let name = &method.method().name;
                self.left_out.push(format!(
                    "`{name}` says what always holds, and is not taken: {why}"
                ));
            }
        }
        for found in &studied.written.texts {
            self.in_words(file, found);
        }
    }

    /// # Errors
    /// Why what the method says is not taken.
    fn always(&mut self, file: &mut FileSyntax, method: &MethodOf) -> Result<(), String> {
        let number = self.methods.own(method);
        let lowered = number.and_then(|number| body::lower(self.context, &mut self.state, number));
        let always = lowered.and_then(|lowered| written::given_back(&lowered.block.statements));
        let always = always.ok_or("it is no expression")?;
        written::put(file, &About::Objects, always)
    }

    fn in_words(&mut self, file: &mut FileSyntax, found: &WrittenText) {
        let about = match &found.of {
            None => About::Objects,
            Some(method) => match self.calls_of(method) {
                Some(calls) => calls,
                // Nobody calls it from outside.
                None => return,
            },
        };
        let field = |name: &str| {
            let key = (OwnerId::STUDIED, name.to_owned());
            self.state.fields.get(&key).cloned()
        };
        let taken = written::in_words(file, (&about, &found.text), field)
            .and_then(|condition| written::put(file, &about, condition));
        match (taken, about) {
            (Ok(()), About::Calls(_, name)) => {
                self.owed.insert(name);
            }
            (Ok(()), About::Objects) => {}
            (Err(why), about) => {
                let of = match about {
                    About::Objects => String::new(),
                    About::Calls(_, name) => format!(" of `{name}`"),
                };
                let text = &found.text;
                let told = format!("\"{text}\"{of} is written down, and not taken: {why}");
                self.left_out.push(told);
            }
        }
    }

    /// The routine that callers call for a method, if they do.
    fn calls_of(&self, method: &MethodOf) -> Option<About> {
        let number = self.methods.own(method)?;
        let kind = match self.entry(number) {
            MethodRole::Constructor => RoutineKind::Constructor,
            MethodRole::Action => RoutineKind::Action,
            MethodRole::Helper => return None,
        };
        Some(About::Calls(kind, self.entries.get(&number)?.clone()))
    }
}
