//! Questions as sentences, and what outcomes are called.

use super::{Exit, Question, Step};
use crate::encode::Encoding;
use crate::ir::Type;
use crate::query::ActionSet;

impl Encoding<'_> {
    /// A question as a sentence.
    pub fn sentence(&self, question: &Question) -> String {
        let state = |set: &ActionSet| {
            let names: Vec<&str> = set.iter().map(|a| self.actions[a].name.as_str()).collect();
            format!("{{{}}}", names.join(", "))
        };
        let call = question.step().map(|step| match step {
            Step::Construct { constructor, .. } => {
                format!("`{}`", self.constructors[*constructor].display)
            }
            Step::Call { source, action, .. } => format!(
                "`{}`, called in {},",
                self.actions[*action].name,
                source.as_ref().map_or("any state".into(), state),
            ),
        });
        let call = call.unwrap_or_default();
        let end = question
            .step()
            .map(|step| self.end_words(step))
            .unwrap_or_default();
        match question {
            Question::ConsistentState(set) => {
                format!("is there a configuration in {}?", state(set))
            }
            Question::AnyOtherState(_) => {
                "is there a configuration in a state not known yet?".into()
            }
            Question::NecessarilyEnabled(_, a) => {
                format!(
                    "can {call} {end} with `{}` disabled?",
                    self.actions[*a].name
                )
            }
            Question::NecessarilyDisabled(_, a) => {
                format!("can {call} {end} with `{}` enabled?", self.actions[*a].name)
            }
            Question::Transition(_, target) => format!("can {call} {end} in {}?", state(target)),
            Question::AnyOtherTarget(..) => format!("can {call} {end} in a state not known yet?"),
            Question::InvariantViolation(_) => {
                format!("can {call} {end} where the invariant does not hold?")
            }
            Question::Exit(step) => match step.exit() {
                Exit::Exception(e) => format!("can {call} raise {}?", self.source().exception(*e)),
                _ => format!("can {call} {end}?"),
            },
        }
    }

    /// How the call ends, as a verb.
    fn end_words(&self, step: &Step) -> String {
        match step.exit() {
            Exit::Normal | Exit::Any => "end".into(),
            Exit::Exception(e) => format!("raise {} and end", self.source().exception(*e)),
            Exit::Outcome(_) => match step {
                Step::Call { action, exit, .. } => {
                    format!("end as [{}]", self.outcome_label(*action, exit))
                }
                Step::Construct { .. } => "end".into(),
            },
        }
    }

    /// How an outcome is shown: `ok`, `!ok`, `Sent`; several joined by commas. Empty for other exits.
    pub fn outcome_label(&self, action: usize, exit: &Exit) -> String {
        let Exit::Outcome(values) = exit else {
            return String::new();
        };
        let program = self.source();
        let split = &program.routine(self.actions[action].routine).outcomes;
        let labels: Vec<String> = split
            .iter()
            .zip(values)
            .map(|(var, value)| match &program.var(*var).ty {
                Type::Enum(id) => program.enums[id.0]
                    .members
                    .get(*value)
                    .cloned()
                    .unwrap_or_default(),
                _ if *value == 1 => program.var(*var).name.clone(),
                _ => format!("!{}", program.var(*var).name),
            })
            .collect();
        labels.join(", ")
    }

    /// The normal exits of an action: one, or one for each combination of the outcomes it is split by.
    pub fn normal_exits(&self, action: usize) -> Vec<Exit> {
        let program = self.source();
        let split = &program.routine(self.actions[action].routine).outcomes;
        let mut combinations: Vec<Vec<usize>> = vec![vec![]];
        for var in split {
            let values: Vec<usize> = match &program.var(*var).ty {
                Type::Enum(id) => (0..program.enums[id.0].members.len()).collect(),
                _ => vec![1, 0],
            };
            combinations = combinations
                .into_iter()
                .flat_map(|c| {
                    values
                        .iter()
                        .map(move |v| c.iter().copied().chain([*v]).collect())
                })
                .collect();
        }
        if split.is_empty() {
            vec![Exit::Normal]
        } else {
            combinations.into_iter().map(Exit::Outcome).collect()
        }
    }
}
