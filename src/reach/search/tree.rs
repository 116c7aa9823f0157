//! The tree of inlined procedures.

use std::fmt::Write;
use std::sync::Arc;

use super::{Search, Stop};
use crate::reach::encode::Vc;

/// How many procedures are inlined before they are asked for, between two questions to the solver.
const EAGER_INSTANCES: usize = 1_000;
/// How much text, in bytes, that may be.
const EAGER_TEXT: usize = 4_000_000;

/// A copy of a verification condition in the tree.
pub(super) struct Instance {
    pub(super) vc: Arc<Vc>,
    /// The names of its guard and interface.
    pub(super) names: Vec<String>,
    /// The number of its first own symbol.
    pub(super) base: u32,
    pub(super) parent: Option<usize>,
    /// How many calls lead to it.
    pub(super) level: u32,
    /// The copies at its sites.
    pub(super) children: Vec<Option<usize>>,
}

/// A call at the edge of the tree.
pub(super) struct Open {
    pub(super) instance: usize,
    pub(super) site: usize,
    pub(super) guard: String,
    pub(super) depth: u32,
    /// Is the chain of calls to it too long?
    pub(super) too_deep: bool,
}

impl Instance {
    pub(super) fn name(&self, symbol: u32, out: &mut String) {
        match symbol.checked_sub(self.vc.interface) {
            None => out.push_str(
                self.names
                    .get(symbol as usize)
                    .map_or("true", String::as_str),
            ),
            Some(own) => {
                // Writing to a string does not fail.
                let _ = write!(out, "v{}", self.base + own);
            }
        }
    }

    pub(super) fn named(&self, symbol: u32) -> String {
        let mut name = String::new();
        self.name(symbol, &mut name);
        name
    }
}

impl Search<'_, '_> {
    /// Adds a copy of a verification condition to the tree.
    pub(super) fn add(
        &mut self,
        vc: Arc<Vc>,
        names: Vec<String>,
        parent: Option<(usize, usize)>,
    ) -> Result<(), Stop> {
        let own = vc.sorts.len() as u32 - vc.interface.min(vc.sorts.len() as u32);
        let instance = Instance {
            children: vec![None; vc.sites.len()],
            names,
            base: self.symbols,
            parent: parent.map(|(p, _)| p),
            level: parent
                .and_then(|(p, _)| self.instances.get(p))
                .map_or(0, |p| p.level + 1),
            vc: vc.clone(),
        };
        self.symbols += own;
        let index = self.instances.len();
        let mut text = String::new();
        for (i, sort) in vc.sorts.iter().skip(vc.interface as usize).enumerate() {
            // Writing to a string does not fail.
            let _ = writeln!(text, "(declare-const v{} {sort})", instance.base + i as u32);
        }
        for fact in &vc.facts {
            text.push_str("(assert ");
            fact.render(&mut text, &|symbol, out| instance.name(symbol, out));
            text.push_str(")\n");
        }
        self.text += text.len();
        self.solver.update(self.entry.prepared);
        self.smt().say(&text);
        if let Some((parent, site)) = parent {
            let child = self
                .instances
                .get_mut(parent)
                .and_then(|p| p.children.get_mut(site));
            if let Some(child) = child {
                *child = Some(index);
            }
        }
        let level = instance.level;
        self.instances.push(instance);
        let too_deep = self.budget.stack_depth.is_some_and(|limit| level >= limit);
        for (site, call) in vc.sites.iter().enumerate() {
            let depth = self.depth(index, call.callee);
            let guard = self
                .instances
                .get(index)
                .map_or(String::new(), |i| i.named(call.guard));
            self.open.push(Open {
                instance: index,
                site,
                guard,
                depth,
                too_deep,
            });
        }
        Ok(())
    }

    /// How often a procedure that is called from an instance then occurs on the chain of calls, beyond what it may in any
    /// case.
    fn depth(&self, instance: usize, callee: usize) -> u32 {
        if !self.entry.is_recursive(callee) {
            return 1;
        }
        let proc = self.entry.proc(callee);
        let name = proc.map_or("", |p| p.name.as_str());
        let mut depth = 1u32;
        let mut at = Some(instance);
        while let Some(i) = at.and_then(|i| self.instances.get(i)) {
            depth += u32::from(&*i.vc.name == name);
            at = i.parent;
        }
        depth.saturating_sub(proc.map_or(0, |p| p.extra_bound))
    }

    /// Inlines open calls, by their indices.
    pub(super) fn inline(&mut self, which: &[usize]) -> Result<(), Stop> {
        let mut chosen = Vec::new();
        let mut index = 0;
        self.open.retain_mut(|open| {
            let take = which.contains(&index);
            index += 1;
            if take {
                chosen.push((open.instance, open.site));
            }
            !take
        });
        for (instance, site) in chosen {
            self.inline_one(instance, site)?;
        }
        self.inline_eagerly()
    }

    fn inline_one(&mut self, instance: usize, site: usize) -> Result<(), Stop> {
        let Some(parent) = self.instances.get(instance) else {
            return Ok(());
        };
        let Some(call) = parent.vc.sites.get(site) else {
            return Ok(());
        };
        let mut names = vec![parent.named(call.guard)];
        for template in &call.interface {
            let mut name = String::new();
            template.render(&mut name, &|symbol, out| parent.name(symbol, out));
            names.push(name);
        }
        let callee = call.callee;
        let vc = self.entry.vc(callee)?;
        self.add(vc, names, Some((instance, site)))
    }

    /// Inlines what cannot recur.
    pub(super) fn inline_eagerly(&mut self) -> Result<(), Stop> {
        let mut at = 0;
        let (instances, text) = (
            self.instances.len() + EAGER_INSTANCES,
            self.text + EAGER_TEXT,
        );
        while let Some(open) = self.open.get(at) {
            if self.instances.len() >= instances || self.text >= text {
                return Ok(());
            }
            let (instance, site) = (open.instance, open.site);
            let call = self
                .instances
                .get(instance)
                .and_then(|i| i.vc.sites.get(site));
            match !open.too_deep && call.is_some_and(|c| !self.entry.is_recursive(c.callee)) {
                true => {
                    self.open.remove(at);
                    self.inline_one(instance, site)?;
                }
                false => at += 1,
            }
        }
        Ok(())
    }
}
