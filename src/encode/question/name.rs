//! The name of a question, which is also that of the file it is saved in.

use std::collections::BTreeSet;

use crate::fingerprint::fingerprint;

use super::{Exit, Question, Step};
use crate::encode::Encoding;
use crate::encode::routine::procedure_name;
use crate::query::ActionSet;

/// States are listed in a name up to this length: file systems allow 255 bytes for all of it.
const LONGEST: usize = 100;

/// A name that says what is asked: `transition.from_Buy.by_Buy.to_ReturnItem`. Different questions after one class have
/// different names.
pub fn question_name(encoding: &Encoding<'_>, question: &Question) -> String {
    let kind = question.kind().replace('-', "_");
    let step = question.step().map(|step| called(encoding, step));
    let exit = question.step().map(|step| ending(encoding, step.exit()));
    let (step, exit) = (step.unwrap_or_default(), exit.unwrap_or_default());
    format!("{kind}{step}{exit}{}", asked_of(encoding, question))
}

fn called(encoding: &Encoding<'_>, step: &Step) -> String {
    match step {
        Step::Construct { constructor, .. } => {
            let routine = encoding.constructors[*constructor].routine;
            let name = routine.map(|r| procedure_name(encoding.source(), r));
            let name = name.as_deref().and_then(|n| n.split('.').nth(1));
            format!(".by_{}", name.unwrap_or("initially"))
        }
        Step::Call { source, action, .. } => {
            let source = source.as_ref().map(|s| encoding.state_word(s));
            let source = source.as_deref().unwrap_or("any_state");
            format!(".from_{source}.by_{}", encoding.actions[*action].name)
        }
    }
}

fn ending(encoding: &Encoding<'_>, exit: &Exit) -> String {
    match exit {
        Exit::Exception(e) => format!(".raising_{}", encoding.source().exception(*e)),
        Exit::Outcome(values) => {
            let digits: Vec<String> = values.iter().map(usize::to_string).collect();
            format!(".outcome_{}", digits.join("_"))
        }
        Exit::Normal | Exit::Any => String::new(),
    }
}

fn asked_of(encoding: &Encoding<'_>, question: &Question) -> String {
    match question {
        Question::ConsistentState(set) | Question::Transition(_, set) => {
            format!(".to_{}", encoding.state_word(set))
        }
        Question::NecessarilyEnabled(_, a) | Question::NecessarilyDisabled(_, a) => {
            format!(".of_{}", encoding.actions[*a].name)
        }
        Question::AnyOtherState(known) | Question::AnyOtherTarget(_, known) => {
            format!(".outside_{}", states_word(encoding, known))
        }
        Question::InvariantViolation(_) | Question::Exit(_) => String::new(),
    }
}

/// Each state by its word; where that gets too long, how many there are and a fingerprint of which.
fn states_word(encoding: &Encoding<'_>, states: &BTreeSet<ActionSet>) -> String {
    let words: Vec<String> = states.iter().map(|s| encoding.state_word(s)).collect();
    let word = words.join("_or_");
    if words.is_empty() {
        "no_state".into()
    } else if word.len() <= LONGEST {
        word
    } else {
        let sets: Vec<String> = states.iter().map(ActionSet::hex).collect();
        numbered(&sets, "state")
    }
}

/// These words, joined; where that gets too long, how many there are and a fingerprint of which.
pub(in crate::encode) fn capped(words: &[String], noun: &str) -> String {
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
