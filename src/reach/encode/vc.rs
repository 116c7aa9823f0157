//! The passive form as a formula: the weakest condition under which the exit is reached, block by block.
//!
//! ```text
//! block  ⟹  its facts ∧ (way 1 ∨ way 2) ∧ the block where all its ways meet again
//! way    ⟹  the facts of the way, among them the Boolean of the block it leads to
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::passive::{Passive, PassiveBlock, PassiveEdge};
use super::{InlineSite, SiteId, Style, TraceEvent, Vc, VcNode, VcNodeId};
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure, internal};
use crate::reach::dag::meeting_points;
use crate::reach::graph::NodeId;
use crate::reach::term::{Symbol, Template, Term, TermKind};

impl Passive {
    /// The verification condition.
    ///
    /// # Errors
    ///
    /// A way to a block that is not there, which cannot be.
    pub fn vc(self) -> Result<Vc, Internal> {
        let places = self.blocks.iter().enumerate();
        let places: BTreeMap<NodeId, VcNodeId> =
            places.map(|(i, (n, _))| (*n, VcNodeId::new(i))).collect();
        let meets = self.meets()?;
        let guards = self.meeting_guards(&meets)?;
        let unavoidable = self.unavoidable(&meets);
        let mut writer = VcWriter {
            passive: &self,
            places,
            facts: Vec::new(),
            sites: Table::new(),
            kept: BTreeMap::new(),
        };
        let mut nodes = Table::new();
        for (n, block) in &self.blocks {
            let mut node = writer.block(block, guards.get(n))?;
            node.is_unavoidable = unavoidable.contains(n);
            nodes.push(node);
        }
        if self.blocks.is_empty() {
            // Nothing leads to the exit. Of a procedure that is called the first symbol is the guard.
            let guard = Term::symbol(Symbol::new(0));
            let guard = (self.style != Style::Root).then_some(&guard);
            writer.fact(guard, &Term::bool(false));
            nodes.push(VcNode::default());
        }
        let VcWriter {
            facts,
            sites,
            places,
            kept,
            ..
        } = writer;
        let mut sources = self.sources;
        sources.nodes = places;
        // Of calls that are not made there is nothing to know.
        let calls = sources.calls.into_iter();
        let calls = calls.filter_map(|(place, site)| Some((place, *kept.get(&site)?)));
        sources.calls = calls.collect();
        Ok(Vc {
            name: self.name,
            is_loop: self.is_loop,
            sorts: self.sorts,
            interface: self.interface,
            free: self.free,
            facts,
            sites,
            nodes,
            sources,
        })
    }

    /// Where all ways out of a block meet again, for those that have several.
    fn meets(&self) -> Result<BTreeMap<NodeId, NodeId>, Internal> {
        let order: Vec<NodeId> = self.blocks.iter().map(|(n, _)| *n).collect();
        let blocks: BTreeMap<NodeId, &PassiveBlock> =
            self.blocks.iter().map(|(n, b)| (*n, b)).collect();
        let succs = |n: NodeId| Ok(blocks.get(&n).sure()?.edges.iter().map(|e| e.to).collect());
        meeting_points(&order, succs)
    }

    /// Where all ways out of a block lead is known before one is chosen: the Boolean of that block. In a Horn clause it would
    /// only be one more.
    fn meeting_guards(
        &self,
        meets: &BTreeMap<NodeId, NodeId>,
    ) -> Result<BTreeMap<NodeId, Term>, Internal> {
        if self.style == Style::Clause {
            return Ok(BTreeMap::new());
        }
        let blocks: BTreeMap<NodeId, &PassiveBlock> =
            self.blocks.iter().map(|(n, b)| (*n, b)).collect();
        let mut guards = BTreeMap::new();
        for (n, meet) in meets {
            if let Some(guard) = &blocks.get(meet).sure()?.guard {
                guards.insert(*n, guard.clone());
            }
        }
        Ok(guards)
    }

    /// The blocks that every execution comes through: from the entry on to where ways meet again.
    fn unavoidable(&self, meets: &BTreeMap<NodeId, NodeId>) -> BTreeSet<NodeId> {
        let mut all = BTreeSet::new();
        let mut next = self.blocks.first().map(|(n, _)| *n);
        for (n, block) in &self.blocks {
            if next == Some(*n) {
                all.insert(*n);
                next = match block.edges.as_slice() {
                    [only] => Some(only.to),
                    _ => meets.get(n).copied(),
                };
            }
        }
        all
    }
}

struct VcWriter<'a> {
    passive: &'a Passive,
    places: BTreeMap<NodeId, VcNodeId>,
    facts: Vec<Template>,
    /// The sites of calls that are made, and where they are among them.
    sites: Table<SiteId, InlineSite>,
    kept: BTreeMap<SiteId, SiteId>,
}

impl VcWriter<'_> {
    /// Says what a block says; `meet` is the Boolean of the block where its ways meet again.
    fn block(&mut self, block: &PassiveBlock, meet: Option<&Term>) -> Result<VcNode, Internal> {
        for term in &block.always {
            self.fact(None, term);
        }
        let mut facts = block.facts.clone();
        let mut next = Vec::new();
        let mut ways = Vec::new();
        for PassiveEdge {
            to,
            taken,
            facts: implied,
        } in &block.edges
        {
            let place = *self.places.get(to).sure()?;
            let Some(taken) = taken else {
                next.push((None, place));
                facts.extend(implied.iter().cloned());
                continue;
            };
            let TermKind::Symbol(symbol) = taken.kind() else {
                return Err(internal("the Boolean of a way is no symbol"));
            };
            next.push((Some(*symbol), place));
            ways.push(taken.clone());
            if !implied.is_empty() {
                self.fact(Some(taken), &Term::and(implied.iter().cloned()));
            }
        }
        if !ways.is_empty() {
            facts.push(Term::or(ways));
        }
        facts.extend(meet.cloned());
        let all = Term::and(facts);
        if all.as_bool() != Some(true) {
            self.fact(block.guard.as_ref(), &all);
        }
        Ok(VcNode {
            next,
            events: self.events(block)?,
            failure: block.failure.clone(),
            is_unavoidable: false,
        })
    }

    /// What happens in a block, with the sites as they are numbered in the formula.
    fn events(&mut self, block: &PassiveBlock) -> Result<Vec<TraceEvent>, Internal> {
        let mut events = block.events.clone();
        for event in &mut events {
            if let TraceEvent::Call(_, site) = event {
                let made = self.passive.sites.at(*site)?;
                let sites = &mut self.sites;
                let kept = self.kept.entry(*site);
                *site = *kept.or_insert_with(|| sites.push(made.clone()));
            }
        }
        Ok(events)
    }

    /// `guard => fact`
    fn fact(&mut self, guard: Option<&Term>, fact: &Term) {
        let mut text = Template::default();
        match guard {
            Some(guard) => {
                text.text("(=> ");
                text.term(guard);
                text.text(" ");
                text.term(fact);
                text.text(")");
            }
            None => text.term(fact),
        }
        self.facts.push(text);
    }
}
