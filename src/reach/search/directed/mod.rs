//! The search along executions on concrete values (after Godefroid, Klarlund, Sen, *DART: Directed Automated Random Testing*, PLDI
//! 2005).
//!
//! ```text
//!   the input values of a guide ──► an execution on these, or on others that lead nearer to a failure
//!        ▲                               │
//!        │                     its calls are inlined
//!        │                               ▼
//!        │                     is there a failure along its ways? ── yes ─► reached
//!        │                               │ no: the core
//!        └─ a guide along its ways ◄─────┘
//!           but those of the core
//! ```
//!
//! What is nearer is told by the conditions of the checks that an execution passes: the fewer of their parts keep it from failing, the
//! nearer (branch distance; McMinn, *Search-based Software Test Data Generation: a Survey*, STVR 2004).
//!
//! What a call does that is not inlined is free, so that a guide through many of them is wrong about most of what is read behind them.
//! An execution is wrong about nothing, and goes down to the end at once. It has its turn where the program is large, for as long as it is
//! known which way it takes; where that hangs on functions that are not defined, or where it comes to what is assumed and does not hold, it leads
//! nowhere.

mod known;
mod turns;

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use super::inputs::ModelInputs;
use super::tree::InstanceId;
use super::walk::Decisions;
use super::{Aim, Said, Search, SearchAnswer, SearchStop};
use crate::events;
use crate::ids::{Id, Table};
use crate::internal::{Sure, internal};
use crate::reach::concrete::{End, Inputs, Run, RunId, Value, run};
use crate::reach::encode::SiteId;
use known::Known;
use turns::TURN;
pub(super) use turns::Turns;

/// So many executions on values that differ are tried before one is inlined, in no more time than this.
const VARIANTS: usize = 2_000;
const TIME_OF_VARIANTS: Duration = Duration::from_secs(2);

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
            let begin = Instant::now();
            let (execution, tried) = self.execute(values)?;
            let (fails, calls) = (execution.end == End::Fails, execution.frames.len());
            events::executed(tried, fails, calls, begin.elapsed());
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

    /// An execution, and how many were tried: that on these values; if it does not fail, one on others that fails, or is the nearest to that.
    /// Values are changed at random, and kept where that leads nearer (hill climbing).
    fn execute(&mut self, values: HashMap<String, Value>) -> Result<(Run, usize), SearchStop> {
        let end = self.budget.deadline.min(Instant::now() + TIME_OF_VARIANTS);
        let seed = self.stats.checks as u64;
        let model = ModelInputs {
            stop: self.solver.smt().stop(),
            instances: &self.instances,
            values,
            end,
        };
        let mut known = Known::new(model, seed);
        let mut nearest = run(self.entry, self.budget.bound, &mut known)?;
        if nearest.end == End::Fails || nearest.leads_nowhere() {
            return Ok((nearest, 1));
        }
        known.keep();
        let mut tried = 1;
        while tried <= VARIANTS && !known.is_over() {
            // From a fourth of the values to a few.
            known.again(4 << (tried % 7));
            tried += 1;
            let other = run(self.entry, self.budget.bound, &mut known)?;
            if other.leads_nowhere() {
                continue;
            }
            if other.end == End::Fails {
                return Ok((other, tried));
            }
            if is_nearer(&other, &nearest) {
                known.keep();
                nearest = other;
            }
        }
        Ok((nearest, tried))
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

/// Is an execution as near to failing as another one at each check that the other one passes, or nearer?
fn is_nearer(one: &Run, other: &Run) -> bool {
    let mut passed = other.passed.iter();
    passed.all(|(place, misses)| one.passed.get(place).is_some_and(|m| m <= misses))
}
