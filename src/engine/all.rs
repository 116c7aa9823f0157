//! Every engine that is present, asked side by side: a check of the engines against each other.

use super::{
    ENGINES, Engine, EngineConfig, EngineError, Entry, Program, Reason, Session, Unknown, Verdict,
};

/// The engine's name.
pub(super) const NAME: &str = "all";

/// Asks every engine that can be run.
pub struct All {
    config: EngineConfig,
}

impl All {
    /// With these limits for each of them.
    pub fn new(config: &EngineConfig) -> Self {
        All {
            config: config.clone(),
        }
    }

    /// The engines that can be run, each with its version.
    fn present(&self) -> Result<Vec<(Box<dyn Engine>, String)>, EngineError> {
        let mut present = Vec::new();
        let mut missing = None;
        for kind in ENGINES.iter().filter(|kind| kind.name != NAME) {
            let engine = (kind.make)(&self.config);
            match engine.version() {
                Ok(version) => present.push((engine, version)),
                Err(error) => missing = missing.or(Some(error)),
            }
        }
        match missing {
            Some(error) if present.is_empty() => Err(error),
            _ => Ok(present),
        }
    }
}

impl Engine for All {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> Result<String, EngineError> {
        let present = self.present()?;
        let each = present
            .iter()
            .map(|(engine, version)| format!("{}: {version}", engine.name()));
        Ok(each.collect::<Vec<_>>().join("; "))
    }

    fn open(&self, program: &Program) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(AllSessions {
            engines: self
                .present()?
                .into_iter()
                .map(|(engine, _)| engine)
                .collect(),
            program: program.clone(),
        }))
    }
}

/// A program to be opened by each engine when a question comes.
struct AllSessions {
    engines: Vec<Box<dyn Engine>>,
    program: Program,
}

impl Session for AllSessions {
    fn ask(&self, entry: &Entry) -> Verdict {
        let mut answers = Vec::new();
        for engine in &self.engines {
            let verdict = match engine.open(&self.program) {
                Ok(session) => session.ask(entry),
                Err(error) => Verdict::Unknown(Unknown {
                    reason: Reason::Rejected,
                    detail: error.to_string(),
                    output: String::new(),
                }),
            };
            answers.push((engine.name(), verdict));
        }
        joined(answers)
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
    use crate::engine::Trace;

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
