//! Every engine that is present, asked side by side: a check of the engines against each other.

use std::sync::OnceLock;

use super::{ENGINES, Engine, EngineConfig, EngineError, Session};
use crate::query::{EntryProcedure, Limits, QuestionProgram, Reason, Unknown, Verdict};

/// The engine's name.
pub(super) const NAME: &str = "all";

/// Asks every engine that can be run.
pub(super) struct All {
    config: EngineConfig,
    present: OnceLock<Vec<Box<dyn Engine>>>,
}

impl All {
    /// With these limits for each of them.
    pub(super) fn new(config: &EngineConfig) -> Self {
        All {
            config: config.clone(),
            present: OnceLock::new(),
        }
    }

    /// The engines that can be run.
    fn present(&self) -> Result<&[Box<dyn Engine>], EngineError> {
        if let Some(present) = self.present.get() {
            return Ok(present);
        }
        let mut found = Vec::new();
        let mut missing = None;
        for kind in ENGINES.iter().filter(|kind| kind.name != NAME) {
            let engine = (kind.make)(&self.config);
            match engine.version() {
                Ok(_) => found.push(engine),
                Err(error) => missing = missing.or(Some(error)),
            }
        }
        match missing {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(self.present.get_or_init(|| found)),
        }
    }
}

impl Engine for All {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> Result<String, EngineError> {
        let each = self
            .present()?
            .iter()
            .map(|engine| Ok(format!("{}: {}", engine.name(), engine.version()?)));
        Ok(each.collect::<Result<Vec<_>, EngineError>>()?.join("; "))
    }

    fn limits(&self) -> Limits {
        self.config.limits
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        let sessions = self
            .present()?
            .iter()
            .map(|engine| Ok((engine.name(), engine.open(program)?)));
        Ok(Box::new(Sessions(
            sessions.collect::<Result<_, EngineError>>()?,
        )))
    }
}

/// A program opened by each engine.
struct Sessions<'e>(Vec<(&'static str, Box<dyn Session + 'e>)>);

impl Session for Sessions<'_> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        joined(
            self.0
                .iter()
                .map(|(name, session)| (*name, session.ask(entry)))
                .collect(),
        )
    }
}

/// What the answers come to: the first certain one, unless another contradicts it.
fn joined(answers: Vec<(&'static str, Verdict)>) -> Verdict {
    let who = |wanted: fn(&Verdict) -> bool| {
        let names: Vec<&str> = answers
            .iter()
            .filter(|(_, v)| wanted(v))
            .map(|(name, _)| *name)
            .collect();
        names.join(" and ")
    };
    let reached = who(|v| matches!(v, Verdict::Reached(_)));
    let unreachable = who(|v| matches!(v, Verdict::Unreachable));
    if !reached.is_empty() && !unreachable.is_empty() {
        return Verdict::Unknown(Unknown {
            reason: Reason::Disagreement,
            detail: format!("{reached} says reached, {unreachable} says unreachable"),
            output: String::new(),
        });
    }
    let certain = |v: &Verdict| matches!(v, Verdict::Reached(_) | Verdict::Unreachable);
    let best = answers.iter().position(|(_, v)| certain(v)).unwrap_or(0);
    match answers.into_iter().nth(best) {
        Some((_, verdict)) => verdict,
        None => Verdict::Unknown(Unknown {
            reason: Reason::Crash,
            detail: "there is no engine".into(),
            output: String::new(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Trace;

    #[test]
    fn a_certain_answer_wins_over_a_doubt() {
        let answers = vec![
            ("a", Verdict::BoundHit { bound: 3 }),
            ("b", Verdict::Unreachable),
        ];
        assert_eq!(joined(answers), Verdict::Unreachable);
    }

    #[test]
    fn a_contradiction_is_a_doubt_that_names_both_sides() {
        let answers = vec![
            ("a", Verdict::Reached(Trace::default())),
            ("b", Verdict::Unreachable),
        ];
        let Verdict::Unknown(unknown) = joined(answers) else {
            panic!("the answers contradict each other")
        };
        assert_eq!(unknown.reason, Reason::Disagreement);
        assert_eq!(unknown.detail, "a says reached, b says unreachable");
    }

    #[test]
    fn without_a_certain_answer_the_first_doubt_stays() {
        let answers = vec![
            ("a", Verdict::BoundHit { bound: 3 }),
            ("b", Verdict::BoundHit { bound: 4 }),
        ];
        assert_eq!(joined(answers), Verdict::BoundHit { bound: 3 });
    }
}
