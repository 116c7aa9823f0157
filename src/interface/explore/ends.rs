//! What one call in one cube can do, and where it can end.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::encode::interface::{Cube, End};
use crate::epa::desk::Answer;
use crate::epa::replay::{Objection, judged};
use crate::interface::replay::{Called, Claim, Replayer};
use crate::query::Trace;

use super::{Asker, Stopped};

/// No more ends than this are asked about one by one, where they cannot be found otherwise.
const MOST_CANDIDATES: usize = 512;

/// The ends that a call may have, each with the reason why the engine does not know, where it does not.
pub(super) type Ends = BTreeMap<End, Option<String>>;

/// A call from a cube, and what is known of it.
pub(super) struct Edges {
    pub(super) raises: bool,
    pub(super) ends: Ends,
    pub(super) doubt: Option<String>,
}

impl Asker<'_> {
    pub(super) fn edges(&self, cube: &Cube, action: usize) -> Result<Edges, Stopped> {
        let encoded = self.interface.raises(cube, action);
        let sentence = format!(
            "can {} {}?",
            self.interface.called(Some(cube), action),
            self.interface.forbidden_words()
        );
        let answer = self.ask("raises", sentence, &encoded, |trace| {
            judged(self.replay_raise(cube, action, trace))
        });
        let doubt = match answer {
            Answer::No => {
                return Ok(Edges {
                    raises: false,
                    ends: self.ends(Some(cube), action)?,
                    doubt: None,
                });
            }
            Answer::Yes(_) => None,
            Answer::Unknown(why) => Some(why),
        };
        self.not_rejected()?;
        Ok(Edges {
            raises: true,
            ends: BTreeMap::new(),
            doubt,
        })
    }

    fn not_rejected(&self) -> Result<(), Stopped> {
        match self.rejected() {
            Some(message) => Err(Stopped::Rejected(message.to_string())),
            None => Ok(()),
        }
    }

    /// Where the call may end.
    pub(super) fn ends(&self, source: Option<&Cube>, routine: usize) -> Result<Ends, Stopped> {
        let mut known: BTreeSet<End> = BTreeSet::new();
        let sentence = format!(
            "can {} end anywhere not known yet?",
            self.interface.called(source, routine)
        );
        let reason = loop {
            let encoded = self.interface.any_other_end(source, routine, &known);
            let answer = self.ask("successor", sentence.clone(), &encoded, |trace| {
                judged(self.replay_end(source, routine, trace))
            });
            match answer {
                Answer::No => return Ok(known.into_iter().map(|end| (end, None)).collect()),
                Answer::Unknown(reason) => break reason,
                Answer::Yes(trace) => match self.end_of(source.is_some(), &trace) {
                    Some(end) if known.insert(end.clone()) => {}
                    _ => break "not-understood: the trace does not say where the call ends".into(),
                },
            }
        };
        self.not_rejected()?;
        match self.candidates(source, routine) {
            Some(candidates) if candidates.len() <= MOST_CANDIDATES => {
                Ok(self.one_by_one(source, routine, candidates, known))
            }
            candidates => Err(Stopped::TooManyCandidates {
                sentence,
                reason,
                candidates: candidates.map_or(usize::MAX, |all| all.len()),
            }),
        }
    }

    /// Which of the candidates a call ends in, asked of each that is not known.
    fn one_by_one(
        &self,
        source: Option<&Cube>,
        routine: usize,
        candidates: Vec<End>,
        known: BTreeSet<End>,
    ) -> Ends {
        let open: Vec<End> = candidates
            .into_iter()
            .filter(|end| !known.contains(end))
            .collect();
        let answers: Vec<(End, Answer)> = open
            .into_par_iter()
            .map(|end| {
                let encoded = self.interface.end(source, routine, &end);
                let sentence = format!(
                    "can {} end in one place?",
                    self.interface.called(source, routine)
                );
                let answer = self.ask("end", sentence, &encoded, |trace| {
                    judged(self.replay_end(source, routine, trace))
                });
                (end, answer)
            })
            .collect();
        let mut ends: Ends = known.into_iter().map(|end| (end, None)).collect();
        for (end, answer) in answers {
            match answer {
                Answer::Yes(_) => {
                    ends.insert(end, None);
                }
                Answer::No => {}
                Answer::Unknown(why) => {
                    ends.insert(end, Some(why));
                }
            }
        }
        ends
    }

    /// All ends that there could be; none where there are far too many.
    fn candidates(&self, source: Option<&Cube>, routine: usize) -> Option<Vec<End>> {
        let predicates = u32::try_from(self.interface.predicates.len()).ok()?;
        let cubes = 1usize.checked_shl(predicates).filter(|n| *n <= 1 << 16)?;
        let seen = match source {
            Some(_) => self.interface.observations[routine].len(),
            None => 1,
        };
        let cube = |bits: usize| Cube((0..predicates).map(|p| bits >> p & 1 == 1).collect());
        Some(
            (0..seen)
                .flat_map(|seen| (0..cubes).map(move |bits| (seen, cube(bits))))
                .collect(),
        )
    }

    /// Reads what is seen and the cube off the end of a trace.
    fn end_of(&self, is_action: bool, trace: &Trace) -> Option<End> {
        let flags = self.interface.predicates.len();
        let first = trace.values.len().checked_sub(flags)?;
        let cube: Option<Vec<bool>> = trace.values[first..]
            .iter()
            .map(|r| match r.value.to_ascii_lowercase().as_str() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            })
            .collect();
        let seen = match is_action {
            true => trace
                .values
                .get(first.checked_sub(1)?)?
                .value
                .parse()
                .ok()?,
            false => 0,
        };
        Some((seen, Cube(cube?)))
    }

    fn replay_raise(&self, cube: &Cube, action: usize, trace: &Trace) -> Result<(), Objection> {
        let mut replayer = Replayer::new(self.interface, trace)?;
        replayer.check_cube(cube)?;
        replayer.call(Called::Action(action), Claim::Forbidden)?;
        Ok(())
    }

    fn replay_end(
        &self,
        source: Option<&Cube>,
        routine: usize,
        trace: &Trace,
    ) -> Result<(), Objection> {
        let mut replayer = Replayer::new(self.interface, trace)?;
        let Some((seen, target)) = self.end_of(source.is_some(), trace) else {
            return Err(Objection::CannotTell(
                "the trace does not say where it ends".into(),
            ));
        };
        match source {
            Some(cube) => {
                replayer.check_cube(cube)?;
                let seen = self.interface.observations[routine].get(seen);
                let seen = seen.ok_or_else(|| {
                    Objection::Wrong("what is seen is none of the observations".into())
                })?;
                replayer.call(Called::Action(routine), Claim::Seen(seen))?;
            }
            None => {
                replayer.call(Called::Constructor(routine), Claim::Well)?;
            }
        }
        replayer.check_cube(&target)
    }
}
