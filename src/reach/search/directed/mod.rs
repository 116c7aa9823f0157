//! The search along executions on concrete values (after Godefroid, Klarlund, Sen, *DART: Directed Automated Random Testing*, PLDI
//! 2005).
//!
//! ```text
//!   the input values of a guide ──► an execution on these, and on some that differ a little
//!        ▲                               │
//!        │                     its calls are inlined
//!        │                               ▼
//!        │                     is there a failure along its ways? ── yes ─► reached
//!        │                               │ no: the core
//!        └─ a guide along its ways ◄─────┘
//!           but those of the core
//! ```
//!
//! What a call does that is not inlined is free, so that a guide through many of them is wrong about most of what is read behind them.
//! An execution is wrong about nothing, and goes down to the end at once. It has its turn where the program is large, for as long as it is
//! known which way it takes; where that hangs on functions that are not defined, or where it comes to what is assumed and does not hold, it leads
//! nowhere.

mod known;
mod turns;

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use super::tree::InstanceId;
use super::walk::Decisions;
use super::{Aim, Said, Search, SearchAnswer, SearchStop};
use crate::ids::{Id, Table};
use crate::internal::{Sure, internal};
use crate::reach::concrete::{End, Run, RunId, Value, run};
use crate::reach::encode::SiteId;
use known::Known;
use turns::TURN;
pub(super) use turns::Turns;

/// So many executions on values that differ are tried before one is inlined, in no more time than this.
const VARIANTS: usize = 300;
const TIME_OF_VARIANTS: Duration = Duration::from_secs(1);

/// No more text, in bytes, is inlined along one execution.
const MOST_TEXT: usize = 20_000_000;

/// Where executions led.
pub(super) enum Directed {
    /// To an answer.
    To(SearchAnswer),
    /// Calls were inlined.
    Deeper,
    /// Nowhere, or it was not their turn.
    Nowhere,
}

/// A guide: its decisions, and why it need not be an execution though no open call is on its way.
type Guide = (Decisions, Option<String>);

impl Search<'_, '_> {
    /// Goes along executions, the first on the input values of the last model, if it is their turn.
    pub(super) fn directed(&mut self) -> Result<Directed, SearchStop> {
        let Some(turn) = self.turns.next() else {
            return Ok(Directed::Nowhere);
        };
        let (begin, before) = (Instant::now(), self.instances.len());
        let answer = self.along_executions(begin + turn)?;
        self.turns.took(begin.elapsed());
        Ok(match answer {
            Some(answer) => Directed::To(answer),
            None if self.instances.len() > before => Directed::Deeper,
            None => Directed::Nowhere,
        })
    }

    fn along_executions(&mut self, end: Instant) -> Result<Option<SearchAnswer>, SearchStop> {
        while Instant::now() < end.min(self.budget.deadline) {
            let values = self.inputs(self.instances.ids())?;
            let execution = self.execute(&values)?;
            if execution.leads_nowhere() {
                self.turns.lost();
                return Ok(None);
            }
            let before = self.instances.len();
            let ways = self.inline_along(&execution)?;
            // What has been begun may take a little longer.
            let end = end + TURN;
            let Some((decisions, doubt)) = self.near(ways, end)? else {
                if Instant::now() < end {
                    self.turns.lost();
                }
                return Ok(None);
            };
            if self.path(&decisions)?.is_empty() {
                return self.found(&decisions, doubt).map(Some);
            }
            if self.instances.len() == before {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// The execution on these values; if that does not fail, one on others that fails, where there is one among some that are tried.
    fn execute(&self, values: &HashMap<String, Value>) -> Result<Run, SearchStop> {
        let begin = Instant::now();
        let mut known = Known::new(&self.instances, values, self.stats.checks as u64);
        let first = run(self.entry, self.budget.bound, &mut known)?;
        if first.end == End::Fails || first.leads_nowhere() {
            return Ok(first);
        }
        for number in 0..VARIANTS {
            if begin.elapsed() > TIME_OF_VARIANTS {
                break;
            }
            // From half of the values to a few.
            known.changed = 2 << (number % 6);
            let other = run(self.entry, self.budget.bound, &mut known)?;
            if other.end == End::Fails && !other.leads_nowhere() {
                return Ok(other);
            }
        }
        Ok(first)
    }

    /// Inlines the calls of an execution. The Booleans of its ways, as far as that goes.
    fn inline_along(&mut self, execution: &Run) -> Result<Vec<String>, SearchStop> {
        let most = self.text + MOST_TEXT;
        let mut places: Table<RunId, Option<InstanceId>> = Table::like(&execution.frames, None);
        for (id, frame) in execution.frames.pairs() {
            *places.at_mut(id)? = match frame.caller {
                None => Some(InstanceId::new(0)),
                Some((caller, site)) => match *places.at(caller)? {
                    Some(caller) if self.text < most => self.inlined(caller, site)?,
                    _ => None,
                },
            };
        }
        let mut ways = Vec::new();
        for (call, from, to) in &execution.ways {
            let Some(instance) = *places.at(*call)? else {
                break;
            };
            let instance = self.instances.at(instance)?;
            let nodes = &instance.vc.sources.nodes;
            let to = nodes.get(to).sure()?;
            let node = instance.vc.nodes.at(*nodes.get(from).sure()?)?;
            let way = node.next.iter().find(|(_, next)| next == to);
            let Some((Some(symbol), _)) = way else {
                return Err(internal("an execution takes a way that is none").into());
            };
            ways.push(instance.named(*symbol)?);
        }
        Ok(ways)
    }

    /// The copy of the callee at a site, inlined now if it was not; none where that may not be.
    fn inlined(
        &mut self,
        caller: InstanceId,
        site: SiteId,
    ) -> Result<Option<InstanceId>, SearchStop> {
        if self.instances.at(caller)?.child(site)?.is_none()
            && let Some(place) = self.place_of(caller, site)
            && self.open.get(place).sure()?.depth <= self.budget.bound
        {
            self.open.remove(place);
            self.inline_one(caller, site)?;
        }
        Ok(self.instances.at(caller)?.child(site)?)
    }

    /// A guide that takes these ways but for those that keep it from being one; none where there is no guide, or no answer until then.
    fn near(&mut self, mut ways: Vec<String>, end: Instant) -> Result<Option<Guide>, SearchStop> {
        loop {
            let limit = self.budget.bound;
            let mut assumptions = self.blocking(|open| open.too_deep || open.depth > limit);
            assumptions.extend(ways.iter().cloned());
            match self.asked(Aim::Near, &assumptions, self.budget.deadline)? {
                Said::No => {
                    let deadline = self.deadline();
                    let core: BTreeSet<String> = self.smt().core(deadline)?.into_iter().collect();
                    let before = ways.len();
                    ways.retain(|way| !core.contains(way));
                    if ways.len() == before || Instant::now() >= end {
                        return Ok(None);
                    }
                }
                Said::Guide(doubt) => return Ok(Some((self.decisions()?, doubt))),
                Said::Unknown(_) => return Ok(None),
            }
        }
    }
}
