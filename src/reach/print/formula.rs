//! The passive form and the verification condition as text. `?3` is the third symbol of a procedure; the interface, in
//! parentheses behind its name, comes first.

use super::line;
use crate::ids::{Id, Table};
use crate::internal::Internal;
use crate::reach::encode::{InlineSite, Passive, PassiveBlock, SiteId, TraceEvent, Vc};
use crate::reach::program::PreparedEntry;
use crate::reach::term::Symbol;

/// The text of a passive form.
pub(super) fn passive(entry: &PreparedEntry<'_>, passive: &Passive) -> Result<String, Internal> {
    let mut out = head("passive", &passive.name, &passive.sorts, passive.interface);
    for (n, block) in &passive.blocks {
        let guard = block.guard.as_ref().map(|g| format!(" when {g}"));
        let guard = guard.unwrap_or_default();
        line(
            &mut out,
            format_args!("  n{}{guard}:{}", n.index(), label(block)),
        );
        for fact in &block.always {
            line(&mut out, format_args!("    always {fact}"));
        }
        for fact in &block.facts {
            line(&mut out, format_args!("    assume {fact}"));
        }
        for event in &block.events {
            if let TraceEvent::Call(_, site) = event {
                let site = called(entry, *site, &passive.sites)?;
                line(&mut out, format_args!("    call {site}"));
            }
        }
        for edge in &block.edges {
            let taken = edge.taken.as_ref().map(|t| format!(" when {t}"));
            let taken = taken.unwrap_or_default();
            line(
                &mut out,
                format_args!("    goto n{}{taken}", edge.to.index()),
            );
            for fact in &edge.facts {
                line(&mut out, format_args!("      assume {fact}"));
            }
        }
    }
    Ok(out)
}

/// The label of the text that a block begins with.
fn label(block: &PassiveBlock) -> String {
    let labels = block.events.iter().filter_map(|event| match event {
        TraceEvent::Block(_, label) => Some(format!(" // {label}")),
        _ => None,
    });
    labels.collect()
}

/// The text of a verification condition.
pub(super) fn vc(entry: &PreparedEntry<'_>, vc: &Vc) -> Result<String, Internal> {
    let mut out = head("vc", &vc.name, &vc.sorts, vc.interface);
    for fact in &vc.facts {
        line(&mut out, format_args!("  {fact}"));
    }
    for id in vc.sites.ids() {
        let site = called(entry, id, &vc.sites)?;
        line(&mut out, format_args!("  {site}"));
    }
    Ok(out)
}

/// A site: its guard, and the callee with what its interface stands for.
fn called(
    entry: &PreparedEntry<'_>,
    id: SiteId,
    sites: &Table<SiteId, InlineSite>,
) -> Result<String, Internal> {
    let site = sites.at(id)?;
    let callee = &entry.proc(site.callee)?.name;
    let interface: Vec<String> = site.interface.iter().map(ToString::to_string).collect();
    let (number, guard) = (id.index(), site.guard.index());
    let interface = interface.join(", ");
    Ok(format!(
        "site {number} when ?{guard}: {callee}({interface})"
    ))
}

/// What a procedure's symbols are.
fn head(what: &str, name: &str, sorts: &Table<Symbol, String>, interface: usize) -> String {
    let symbol = |(s, sort): (Symbol, &String)| format!("?{}: {sort}", s.index());
    let shared: Vec<String> = sorts.pairs().take(interface).map(symbol).collect();
    let own: Vec<String> = sorts.pairs().skip(interface).map(symbol).collect();
    let mut out = format!("{what} {name}({})\n", shared.join(", "));
    if !own.is_empty() {
        line(&mut out, format_args!("  {}", own.join(", ")));
    }
    out
}
