//! What one call in one cube can do, and where it can end.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::Stopped;
use crate::ask::{Answer, Completeness, Doubt};
use crate::interface::study::Study;
use crate::query::kinds::interface::{CallEnd, Cube};
use crate::query::{ActionId, Callee};

/// No more ends than this are asked about one by one, where they cannot be found otherwise.
const MOST_CANDIDATES: usize = 512;

/// The ends that a call may have, each with the reason why the engine does not know, where it does not.
pub(super) type PossibleEnds = BTreeMap<CallEnd, Option<Doubt>>;

/// A call from a cube, and what is known of it.
pub(super) struct CubeEnds {
    pub(super) raises: bool,
    pub(super) ends: PossibleEnds,
    pub(super) doubt: Option<Doubt>,
}

impl Study<'_> {
    /// What an action does in a cube.
    pub(super) fn edges(&self, cube: &Cube, action: ActionId) -> Result<CubeEnds, Stopped> {
        let raises = self.ask(&self.abstracted.raises(cube, action));
        let doubt = match raises.settled() {
            Ok(None) => {
                return Ok(CubeEnds {
                    raises: false,
                    ends: self.ends(Some(cube), Callee::Action(action))?,
                    doubt: None,
                });
            }
            Ok(Some(_)) => None,
            Err(why) => Some(why),
        };
        self.not_rejected()?;
        Ok(CubeEnds {
            raises: true,
            ends: BTreeMap::new(),
            doubt,
        })
    }

    fn not_rejected(&self) -> Result<(), Stopped> {
        match self.desk.rejected() {
            Some(message) => Err(Stopped::Rejected(message.to_string())),
            None => Ok(()),
        }
    }

    /// Where the call may end.
    pub(super) fn ends(
        &self,
        source: Option<&Cube>,
        callee: Callee,
    ) -> Result<PossibleEnds, Stopped> {
        let next = |known: &BTreeSet<CallEnd>| self.abstracted.any_other_end(source, callee, known);
        let mut known: BTreeSet<CallEnd> = BTreeSet::new();
        let found = self.desk.until_none(
            &mut known,
            |known| Some(next(known)),
            |known, witness, _| {
                let place = witness.place(source.is_some());
                place.is_some_and(|(seen, holds)| known.insert((seen, Cube(holds))))
            },
            "the trace does not say where the call ends",
        );
        let reason = match found {
            Completeness::All => return Ok(known.into_iter().map(|end| (end, None)).collect()),
            Completeness::Some(reason) => reason,
        };
        self.not_rejected()?;
        match self.candidates(callee) {
            Some(candidates) if candidates.len() <= MOST_CANDIDATES => {
                Ok(self.one_by_one(source, callee, candidates, known))
            }
            candidates => Err(Stopped::TooManyCandidates {
                sentence: next(&BTreeSet::new()).sentence,
                reason: reason.to_string(),
                candidates: candidates.map_or(usize::MAX, |all| all.len()),
            }),
        }
    }

    /// Which of the candidates a call ends in, asked of each that is not known.
    fn one_by_one(
        &self,
        source: Option<&Cube>,
        callee: Callee,
        candidates: Vec<CallEnd>,
        known: BTreeSet<CallEnd>,
    ) -> PossibleEnds {
        let open = candidates.into_iter().filter(|end| !known.contains(end));
        let open: Vec<CallEnd> = open.collect();
        let answers: Vec<(CallEnd, Answer)> = open
            .into_par_iter()
            .map(|end| {
                let answer = self.ask(&self.abstracted.end(source, callee, &end));
                (end, answer)
            })
            .collect();
        let mut ends: PossibleEnds = known.into_iter().map(|end| (end, None)).collect();
        for (end, answer) in answers {
            match answer.settled() {
                Ok(None) => {}
                Ok(Some(_)) => drop(ends.insert(end, None)),
                Err(why) => drop(ends.insert(end, Some(why))),
            }
        }
        ends
    }

    /// All ends that there could be; none where there are far too many.
    fn candidates(&self, callee: Callee) -> Option<Vec<CallEnd>> {
        let predicates = u32::try_from(self.abstracted.predicates.len()).ok()?;
        let cubes = 1usize.checked_shl(predicates).filter(|n| *n <= 1 << 16)?;
        let seen = match callee {
            Callee::Action(action) => self.abstracted.seen(action).len(),
            Callee::Constructor(_) => 1,
        };
        let cube = |bits: usize| Cube((0..predicates).map(|p| bits >> p & 1 == 1).collect());
        let ends = (0..seen).flat_map(|seen| (0..cubes).map(move |bits| (seen, cube(bits))));
        Some(ends.collect())
    }
}
