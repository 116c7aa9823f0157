//! Iterative deepening: what hit the recursion bound is asked again with a higher one, and nothing else is.

use std::sync::OnceLock;

use super::{Engine, EngineError, Session};
use crate::query::{EntryProcedure, Limits, QuestionProgram, Reason, Unknown, Verdict};

/// The same engine with rising recursion bounds.
pub struct Deepening {
    first: Box<dyn Engine>,
    deeper: Vec<Box<dyn Engine>>,
}

/// The bounds from this one on, each twice the one before, up to `most`, which is the last.
pub fn bounds(first: u32, most: u32) -> Vec<u32> {
    let rising = std::iter::successors(Some(first), |bound| bound.max(&1).checked_mul(2));
    let mut bounds: Vec<u32> = rising.take_while(|bound| *bound < most).collect();
    bounds.push(most.max(first));
    bounds
}

impl Deepening {
    /// The first is asked first; where it hits its bound the others are, in their order.
    pub fn new(first: Box<dyn Engine>, deeper: Vec<Box<dyn Engine>>) -> Self {
        Deepening { first, deeper }
    }
}

impl Engine for Deepening {
    fn name(&self) -> &'static str {
        self.first.name()
    }

    fn version(&self) -> Result<String, EngineError> {
        self.first.version()
    }

    fn limits(&self) -> Limits {
        self.first.limits()
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(DeepeningSession {
            first: self.first.open(program)?,
            deeper: self
                .deeper
                .iter()
                .map(|e| (e.as_ref(), OnceLock::new()))
                .collect(),
            program: program.clone(),
        }))
    }
}

/// A program opened by the first engine, and by the others once they are needed.
struct DeepeningSession<'e> {
    first: Box<dyn Session + 'e>,
    deeper: Vec<(&'e dyn Engine, Deeper<'e>)>,
    program: QuestionProgram,
}

type Deeper<'e> = OnceLock<Result<Box<dyn Session + 'e>, EngineError>>;

impl Session for DeepeningSession<'_> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        self.deepened(entry, self.first.ask(entry))
    }

    fn presume(&self, entry: &EntryProcedure) -> Verdict {
        self.deepened(entry, self.first.presume(entry))
    }
}

impl DeepeningSession<'_> {
    /// What is found with higher bounds, where the first is hit.
    fn deepened(&self, entry: &EntryProcedure, mut verdict: Verdict) -> Verdict {
        for (engine, session) in &self.deeper {
            if !matches!(verdict, Verdict::BoundHit { .. }) {
                break;
            }
            let deeper = match session.get_or_init(|| engine.open(&self.program)) {
                Ok(session) => session.ask(entry),
                Err(error) => Verdict::Unknown(Unknown {
                    reason: Reason::Crash,
                    detail: error.to_string(),
                    output: String::new(),
                }),
            };
            // That a higher bound is too much for the engine takes nothing from what is known of the lower one; but
            // who is interrupted is to hear it.
            match &deeper {
                Verdict::Unknown(why) if why.reason != Reason::Interrupted => break,
                _ => verdict = deeper,
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::bounds;

    #[test]
    fn bounds_double_up_to_the_last() {
        assert_eq!(bounds(3, 24), [3, 6, 12, 24]);
        assert_eq!(bounds(3, 20), [3, 6, 12, 20]);
        assert_eq!(bounds(3, 3), [3]);
        assert_eq!(bounds(3, 1), [3]);
        assert_eq!(bounds(0, 4), [0, 2, 4]);
        assert_eq!(bounds(u32::MAX - 1, u32::MAX), [u32::MAX - 1, u32::MAX]);
    }
}
