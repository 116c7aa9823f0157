//! The tree of inlined procedures.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use super::{Models, Search, SearchStop, shape};
use crate::ids::{Id, Table, id};
use crate::internal::{Internal, Sure, internal};
use crate::reach::encode::{SiteId, TraceEvent, Vc};
use crate::reach::faults::{self, Fault};
use crate::reach::graph::ProcId;
use crate::reach::term::{Symbol, Template};

/// How many procedures are inlined before they are asked for, between two questions to the solver.
pub(super) const EAGER_INSTANCES: usize = 1_000;
/// How many copies a tree below a call may have that is inlined before it is asked for where all would be too many.
const SMALL: u64 = 1;
/// How many are inlined in a round because no path gets around them.
const UNAVOIDABLE: usize = 200;
/// How much text, in bytes, that may be.
const EAGER_TEXT: usize = 4_000_000;

/// What the names of a copy's own symbols begin with; a number follows.
pub(super) const OWN: &str = "v";

id! {
    /// A copy of a verification condition in the tree.
    pub(super) InstanceId;
}

/// A copy of a verification condition in the tree.
pub(super) struct Instance {
    pub(super) vc: Arc<Vc>,
    /// The names of its guard and interface.
    names: Vec<String>,
    /// The number of its first own symbol.
    base: u32,
    pub(super) parent: Option<InstanceId>,
    /// How many calls lead to it.
    level: u32,
    /// The copies at its sites.
    children: Table<SiteId, Option<InstanceId>>,
}

/// A call at the edge of the tree.
pub(super) struct Open {
    pub(super) instance: InstanceId,
    pub(super) site: SiteId,
    pub(super) guard: String,
    pub(super) depth: u32,
    /// Is the chain of calls to it too long?
    pub(super) too_deep: bool,
}

impl Instance {
    /// Writes what a symbol of the verification condition is called here.
    pub(super) fn name(&self, symbol: Symbol, out: &mut String) -> Result<(), Internal> {
        match symbol.index().checked_sub(self.vc.interface) {
            None => out.push_str(self.names.get(symbol.index()).sure()?),
            Some(own) => {
                // Writing to a string does not fail.
                let _ = write!(out, "{OWN}{}", self.base + own as u32);
            }
        }
        Ok(())
    }

    /// What a symbol of the verification condition is called here.
    pub(super) fn named(&self, symbol: Symbol) -> Result<String, Internal> {
        let mut name = String::new();
        self.name(symbol, &mut name)?;
        Ok(name)
    }

    /// The copy of the callee at a site, if it is inlined.
    pub(super) fn child(&self, site: SiteId) -> Result<Option<InstanceId>, Internal> {
        self.children.at(site).copied()
    }

    /// Its own declarations and facts, as SMT-LIB commands.
    fn text(&self) -> Result<String, Internal> {
        let mut text = String::new();
        for (i, sort) in self.vc.sorts.iter().skip(self.vc.interface).enumerate() {
            // Writing to a string does not fail.
            let _ = writeln!(text, "(declare-const {OWN}{} {sort})", self.base + i as u32);
        }
        for fact in &self.vc.facts {
            text.push_str("(assert ");
            fact.render(&mut text, &|symbol, out| self.name(symbol, out))?;
            text.push_str(")\n");
        }
        Ok(text)
    }
}

impl Search<'_, '_> {
    /// Adds a copy of a verification condition to the tree.
    pub(super) fn add(
        &mut self,
        vc: Arc<Vc>,
        names: Vec<String>,
        parent: Option<(InstanceId, SiteId)>,
    ) -> Result<(), SearchStop> {
        if names.len() != vc.interface {
            return Err(internal("a call and its callee have different interfaces").into());
        }
        let instance = Instance {
            children: Table::like(&vc.sites, None),
            names,
            base: self.symbols,
            parent: parent.map(|(p, _)| p),
            level: match parent {
                Some((p, _)) => self.instances.at(p)?.level + 1,
                None => 0,
            },
            vc: vc.clone(),
        };
        self.symbols += (vc.sorts.len() - vc.interface.min(vc.sorts.len())) as u32;
        let mut text = instance.text()?;
        for symbol in &instance.vc.free {
            let sort = instance.vc.sorts.at(*symbol)?;
            self.stats.maps |= shape::is_map(sort);
            if let Models::Shaped { keys } = self.budget.models {
                text.push_str(&shape::shaped(&instance.named(*symbol)?, sort, keys));
            }
        }
        self.text += text.len();
        self.stats.quantified |= super::is_quantified(&text);
        self.solver.update(self.entry.prepared);
        self.smt().say(&text);
        let level = instance.level;
        let too_deep = self.budget.stack_depth.is_some_and(|limit| level >= limit);
        let id = self.instances.push(instance);
        if let Some((parent, site)) = faults::at(Fault::LostInstance, parent, |_| None) {
            *self.instances.at_mut(parent)?.children.at_mut(site)? = Some(id);
        }
        for (site, call) in vc.sites.pairs() {
            self.say_summary(id, site, call.callee)?;
            self.open.push(Open {
                instance: id,
                site,
                guard: self.instances.at(id)?.named(call.guard)?,
                depth: self.depth(id, call.callee)?,
                too_deep,
            });
        }
        Ok(())
    }

    /// Says what is known of a call that is open.
    fn say_summary(
        &mut self,
        instance: InstanceId,
        site: SiteId,
        callee: ProcId,
    ) -> Result<(), Internal> {
        let known = self.large.as_ref().map(|large| &large.summaries);
        if let Some(fact) = known.and_then(|summaries| summaries.get(&callee)) {
            let names = self.names_at(instance, site)?;
            let (guard, fact) = (names.first().sure()?, named(fact, &names)?);
            let text = format!("(assert (=> {guard} {fact}))\n");
            self.text += text.len();
            self.smt().say(&text);
        }
        Ok(())
    }

    /// How often a procedure that is called from an instance then occurs on the chain of calls, beyond what it may in any
    /// case.
    fn depth(&self, instance: InstanceId, callee: ProcId) -> Result<u32, Internal> {
        if !self.entry.is_recursive(callee)? {
            return Ok(1);
        }
        let proc = self.entry.proc(callee)?;
        let mut depth = 1u32;
        let mut at = Some(instance);
        while let Some(id) = at {
            let instance = self.instances.at(id)?;
            depth += u32::from(*instance.vc.name == *proc.name);
            at = instance.parent;
        }
        Ok(depth.saturating_sub(proc.extra_bound))
    }

    /// Inlines open calls.
    pub(super) fn inline(
        &mut self,
        which: &BTreeSet<(InstanceId, SiteId)>,
    ) -> Result<(), SearchStop> {
        let mut chosen = Vec::new();
        self.open.retain(|open| {
            let call = (open.instance, open.site);
            let take = which.contains(&call);
            if take {
                chosen.push(call);
            }
            !take
        });
        if chosen.len() != which.len() {
            return Err(internal("a way goes through a call that is not open").into());
        }
        let first = self.instances.next_id();
        for (instance, site) in chosen {
            self.inline_one(instance, site)?;
        }
        if self.large.is_some() {
            self.inline_unavoidable(first)?;
        }
        self.inline_eagerly()
    }

    /// Inlines the calls that no execution of these copies and the later ones gets around, but of what can recur: a path that
    /// comes through one comes through all of them. One round of the search does for a whole chain.
    fn inline_unavoidable(&mut self, first: InstanceId) -> Result<(), SearchStop> {
        let mut at = first;
        let most = self.instances.len() + UNAVOIDABLE;
        while at < self.instances.next_id() && self.instances.len() < most {
            let vc = self.instances.at(at)?.vc.clone();
            for node in vc.nodes.iter().filter(|n| n.is_unavoidable) {
                for event in &node.events {
                    if let TraceEvent::Call(_, site) = event
                        && self.instances.at(at)?.child(*site)?.is_none()
                        && !self.entry.is_recursive(vc.sites.at(*site)?.callee)?
                        && let Some(place) = self.place_of(at, *site)
                    {
                        self.open.remove(place);
                        self.inline_one(at, *site)?;
                    }
                }
            }
            at = InstanceId::new(at.index() + 1);
        }
        Ok(())
    }

    /// Where an open call is among them, if the chain of calls to it may be longer.
    pub(super) fn place_of(&self, instance: InstanceId, site: SiteId) -> Option<usize> {
        let is_it = |o: &Open| (o.instance, o.site) == (instance, site) && !o.too_deep;
        self.open.iter().rposition(is_it)
    }

    pub(super) fn inline_one(
        &mut self,
        instance: InstanceId,
        site: SiteId,
    ) -> Result<(), SearchStop> {
        let names = self.names_at(instance, site)?;
        let callee = self.instances.at(instance)?.vc.sites.at(site)?.callee;
        let vc = self.entry.vc(callee)?;
        self.add(vc, names, Some((instance, site)))
    }

    /// What the guard and the interface of the callee are called at a site.
    pub(super) fn names_at(
        &self,
        instance: InstanceId,
        site: SiteId,
    ) -> Result<Vec<String>, Internal> {
        let parent = self.instances.at(instance)?;
        let call = parent.vc.sites.at(site)?;
        let mut names = vec![parent.named(call.guard)?];
        for template in &call.interface {
            let mut name = String::new();
            template.render(&mut name, &|symbol, out| parent.name(symbol, out))?;
            names.push(name);
        }
        Ok(names)
    }

    /// Inlines what cannot recur; where the tree would become too large, only what calls hardly anything.
    pub(super) fn inline_eagerly(&mut self) -> Result<(), SearchStop> {
        let mut at = 0;
        let (instances, text) = (
            self.instances.len() + EAGER_INSTANCES,
            self.text + EAGER_TEXT,
        );
        while let Some(open) = self.open.get(at) {
            if self.instances.len() >= instances || self.text >= text {
                return Ok(());
            }
            let (instance, site, too_deep) = (open.instance, open.site, open.too_deep);
            let callee = self.instances.at(instance)?.vc.sites.at(site)?.callee;
            let below = self.large.as_ref().map(|large| large.sizes.below(callee));
            let is_large = below.transpose()?.is_some_and(|below| below > SMALL);
            match too_deep || is_large || self.entry.is_recursive(callee)? {
                true => at += 1,
                false => {
                    self.open.remove(at);
                    self.inline_one(instance, site)?;
                }
            }
        }
        Ok(())
    }
}

/// A fact of a call whose guard and interface have these names.
pub(super) fn named(fact: &Template, names: &[String]) -> Result<String, Internal> {
    let mut text = String::new();
    fact.render(&mut text, &|symbol, out| {
        out.push_str(names.get(symbol.index()).sure()?);
        Ok(())
    })?;
    Ok(text)
}
