//! The text of all nodes that lead from the entry to the exit.

use std::collections::BTreeMap;

use crate::reach::dag::meeting_points;
use crate::reach::graph::Unsupported;
use crate::reach::term::{Kind, Template, Term};

use super::encoder::{Draft, Encoder};
use super::{Event, Site, Style, Vc, VcNode};

impl Encoder<'_> {
    /// The text of all nodes that lead from the entry to the exit.
    pub(super) fn finish(
        self,
        order: &[usize],
        mut drafts: BTreeMap<usize, Draft>,
        guard: Term,
        root: bool,
        interface: u32,
    ) -> Result<Vc, Unsupported> {
        let exit = self.proc.exit;
        for n in order.iter().rev() {
            let dead = match drafts.get(n) {
                Some(d) if !d.dead => {
                    *n != exit
                        && !d
                            .edges
                            .iter()
                            .any(|(s, ..)| drafts.get(s).is_some_and(|d| !d.dead))
                }
                _ => true,
            };
            if let Some(d) = drafts.get_mut(n) {
                d.dead = dead;
            }
        }
        let places: BTreeMap<usize, usize> = order
            .iter()
            .filter(|n| drafts.get(n).is_some_and(|d| !d.dead))
            .enumerate()
            .map(|(place, n)| (*n, place))
            .collect();
        let meets = match self.style {
            Style::Clause => BTreeMap::new(),
            _ => meeting_points(order, |n| {
                let edges = drafts.get(&n).map_or(&[][..], |d| d.edges.as_slice());
                let succs = edges.iter().map(|(s, ..)| *s);
                succs.filter(|s| places.contains_key(s)).collect()
            }),
        };
        let mut text = Vec::new();
        let mut nodes = Vec::new();
        if places.is_empty() {
            fact(&mut text, (!root).then_some(&guard), &Term::bool(false));
            nodes.push(VcNode::default());
        }
        let mut sites: Vec<Site> = Vec::new();
        let mut kept: BTreeMap<usize, usize> = BTreeMap::new();
        for n in order.iter().filter(|n| places.contains_key(n)) {
            let Some(draft) = drafts.get(n) else { continue };
            for term in &draft.always {
                fact(&mut text, None, term);
            }
            let mut facts = draft.facts.clone();
            let mut next = Vec::new();
            let mut ways = Vec::new();
            let live: Vec<_> = draft
                .edges
                .iter()
                .filter_map(|e| Some((e, *places.get(&e.0)?)))
                .collect();
            for ((_, edge, implied), place) in live {
                match edge {
                    Some(edge) => {
                        ways.push(edge.clone());
                        let symbol = match edge.kind() {
                            Kind::Symbol(n) => Some(*n),
                            _ => None,
                        };
                        next.push((symbol, place));
                        if !implied.is_empty() {
                            fact(&mut text, Some(edge), &Term::and(implied.iter().cloned()));
                        }
                    }
                    None => {
                        next.push((None, place));
                        facts.extend(implied.iter().cloned());
                    }
                }
            }
            if !ways.is_empty() {
                facts.push(Term::or(ways));
            }
            // Where all ways lead is known before one is chosen.
            let meets = meets.get(n).and_then(|m| drafts.get(m));
            if let Some(guard) = meets.and_then(|d| d.guard.clone()) {
                facts.push(guard);
            }
            let all = Term::and(facts);
            if all.as_bool() != Some(true) {
                fact(&mut text, draft.guard.as_ref(), &all);
            }
            let mut events = draft.events.clone();
            for event in &mut events {
                if let Event::Call(_, site) = event
                    && let Some(s) = self.sites.get(*site)
                {
                    *site = *kept.entry(*site).or_insert_with(|| {
                        sites.push(s.clone());
                        sites.len() - 1
                    });
                }
            }
            nodes.push(VcNode {
                next,
                events,
                failure: self.proc.nodes.get(*n).and_then(|n| n.failure.clone()),
            });
        }
        Ok(Vc {
            name: self.proc.name.as_str().into(),
            is_loop: self.proc.is_loop,
            sorts: self.sorts,
            interface,
            facts: text,
            sites,
            nodes,
            entry: 0,
        })
    }
}

/// `guard => fact`
fn fact(facts: &mut Vec<Template>, guard: Option<&Term>, fact: &Term) {
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
    facts.push(text);
}
