//! How the class under study and its calls are spoken of: in names of questions (and so of files), and in sentences.

use std::collections::BTreeSet;

use super::{AbstractState, ActionId, Callee, Exit, StateEnd, Step, Subject};
use crate::fingerprint::fingerprint;
use crate::ir::Type;

/// States are listed in a name up to this length: file systems allow 255 bytes for all of it.
const LONGEST: usize = 100;

impl Subject {
    /// `{push, pop}`
    pub fn state_words(&self, state: &AbstractState) -> String {
        format!("{{{}}}", self.state_names(state))
    }

    /// `push, pop`
    pub fn state_names(&self, state: &AbstractState) -> String {
        let marks = self.marks().filter(|mark| state.has(*mark));
        let names: Vec<&str> = marks.map(|mark| self.mark_name(mark)).collect();
        names.join(", ")
    }

    /// What stands between the names of actions in a word: more underscores than any of them has in a row, so that
    /// `{get_next}` and `{get, next}` are different words.
    fn separator(&self) -> String {
        let underscores = |name: &str| name.split(|c| c != '_').map(str::len).max();
        let actions = self.actions.iter();
        let longest = actions.filter_map(|a| underscores(&a.name)).max();
        "_".repeat(longest.unwrap_or(0) + 1)
    }

    /// A state as a word in a name: its actions, or its number where that would be too long.
    pub fn state_word(&self, state: &AbstractState) -> String {
        let actions = state.iter().map(|a| self[a].name.clone());
        // A predicate is no word.
        let predicates = state.predicates().map(|p| format!("p{}", p.0 + 1));
        let names: Vec<String> = actions.chain(predicates).collect();
        let word = names.join(&self.separator());
        if names.is_empty() {
            "nothing".into()
        } else if word.len() <= 60 {
            word
        } else {
            format!("state_{}", state.hex())
        }
    }

    /// Each state by its word; where that gets too long, how many there are and a fingerprint of which.
    pub(super) fn states_word(&self, states: &BTreeSet<AbstractState>) -> String {
        let words: Vec<String> = states.iter().map(|s| self.state_word(s)).collect();
        let word = words.join("_or_");
        if words.is_empty() {
            "no_state".into()
        } else if word.len() <= LONGEST {
            word
        } else {
            let sets: Vec<String> = states.iter().map(AbstractState::hex).collect();
            numbered(&sets, "state")
        }
    }

    /// The states of each of some ways to end, by its number.
    pub(super) fn ends_word(&self, exits: usize, ends: &BTreeSet<StateEnd>) -> String {
        let of = |exit: usize| {
            let states = ends.iter().filter(|(at, _)| *at == exit);
            let states: BTreeSet<AbstractState> = states.map(|(_, state)| state.clone()).collect();
            (!states.is_empty()).then(|| format!("{exit}_{}", self.states_word(&states)))
        };
        let words: Vec<String> = (0..exits).filter_map(of).collect();
        capped(&words, "end")
    }

    /// A call as words in a name: `.from_Buy.by_ReturnChange.raising_Jammed`.
    pub(super) fn step_word(&self, step: &Step) -> String {
        let called = match step.callee {
            Callee::Constructor(id) => {
                let name = self[id].routine.map(|r| self.program.word(r));
                format!(".by_{}", name.as_deref().unwrap_or("initially"))
            }
            Callee::Action(id) => {
                let source = step.source.as_ref().map(|s| self.state_word(s));
                let source = source.as_deref().unwrap_or("any_state");
                format!(".from_{source}.by_{}", self[id].name)
            }
        };
        called + &self.exit_word(&step.exit)
    }

    /// A way in which a call may end as a word in a name: `normally`, `raising_Jammed`, `outcome_1`.
    pub(super) fn way_word(&self, exit: &Exit) -> String {
        match self.exit_word(exit).strip_prefix('.') {
            Some(word) => word.to_owned(),
            None => "normally".into(),
        }
    }

    fn exit_word(&self, exit: &Exit) -> String {
        match exit {
            Exit::Exception(e) => format!(".raising_{}", self.program.exception(*e)),
            Exit::Outcome(values) => {
                let digits: Vec<String> = values.iter().map(usize::to_string).collect();
                format!(".outcome_{}", digits.join("_"))
            }
            _ => String::new(),
        }
    }

    /// The call of a step, in words: `` `push` ``.
    pub fn called_words(&self, callee: Callee) -> String {
        format!("`{}`", self.shown(callee))
    }

    /// The call of a step and where it is made, in words: `` `push`, called in {push, pop}, ``.
    pub(crate) fn step_words(&self, step: &Step) -> String {
        match (step.callee, &step.source) {
            (Callee::Constructor(_), _) => self.called_words(step.callee),
            (Callee::Action(_), None) => {
                format!("{}, called in any state,", self.called_words(step.callee))
            }
            (Callee::Action(_), Some(source)) => format!(
                "{}, called in {},",
                self.called_words(step.callee),
                self.state_words(source)
            ),
        }
    }

    /// How a call ends, as a verb: `end`, `end as [ok]`, `raise Jammed and end`.
    pub(super) fn end_words(&self, step: &Step) -> String {
        match (&step.exit, step.callee) {
            (Exit::Exception(e), _) => {
                format!("raise {} and end", self.program.exception_shown(*e))
            }
            (Exit::Outcome(_), Callee::Action(action)) => {
                format!("end as [{}]", self.outcome_label(action, &step.exit))
            }
            _ => "end".into(),
        }
    }

    /// How an outcome is shown: `ok`, `!ok`, `Sent`; several joined by commas. Empty for other exits.
    pub fn outcome_label(&self, action: ActionId, exit: &Exit) -> String {
        let Exit::Outcome(values) = exit else {
            return String::new();
        };
        let program = &self.program;
        let split = &program.routine(self[action].routine).outcomes;
        let labels = split.iter().zip(values).map(|(var, value)| {
            let var = program.var(*var);
            match &var.ty {
                Type::Enum(id) => {
                    let members = &program.enums[id.0].members;
                    members.get(*value).cloned().unwrap_or_default()
                }
                _ if *value == 1 => var.name.clone(),
                _ => format!("!{}", var.name),
            }
        });
        labels.collect::<Vec<String>>().join(", ")
    }
}

/// These words, joined; where that gets too long, how many there are and a fingerprint of which.
pub(super) fn capped(words: &[String], noun: &str) -> String {
    let word = words.join("_or_");
    if words.is_empty() {
        format!("no_{noun}")
    } else if word.len() <= LONGEST {
        word
    } else {
        numbered(words, noun)
    }
}

fn numbered(words: &[String], noun: &str) -> String {
    let number = fingerprint(&words.join(" "));
    format!("{}_{noun}s_{number:016x}", words.len())
}
