//! The clauses that every call keeps: what some call breaks is dropped, until nothing is (Houdini; Flanagan, Leino 2001).

use std::collections::BTreeSet;

/// What a call does to the clauses that it is asked about.
pub enum Kept {
    /// It keeps all of them.
    All,
    /// It breaks these, by their positions.
    But(BTreeSet<usize>),
    /// That is not known: then it is taken to break them all.
    Unknown,
}

/// The clauses, of these, that all of some calls keep.
///
/// `once` are the calls that are looked at only once, for nothing is assumed before them (the making of an object);
/// `again` those before which all clauses are assumed: a clause that is dropped may have been what kept another one.
/// `may_break` says which clauses a call has to be asked about at all; `ask` whether the call, where all of the first
/// clauses hold, keeps the second ones.
/// A clause may say more than a formula does: of which state it is, for one.
pub fn kept<K: Clone, C>(
    clauses: Vec<K>,
    once: &[C],
    again: &[C],
    may_break: impl Fn(&C, &K) -> bool,
    mut ask: impl FnMut(&C, &[K], &[K]) -> Kept,
) -> Vec<K> {
    let mut clauses = clauses;
    for call in once {
        let may_break = |clause: &K| may_break(call, clause);
        drop_broken(&mut clauses, may_break, |all, some| ask(call, all, some));
    }
    loop {
        let before = clauses.len();
        for call in again {
            let may_break = |clause: &K| may_break(call, clause);
            drop_broken(&mut clauses, may_break, |all, some| ask(call, all, some));
        }
        if clauses.len() == before {
            return clauses;
        }
    }
}

/// Drops what one call breaks, until it keeps the rest.
fn drop_broken<K: Clone>(
    clauses: &mut Vec<K>,
    looked_at: impl Fn(&K) -> bool,
    mut ask: impl FnMut(&[K], &[K]) -> Kept,
) {
    loop {
        let at: Vec<usize> = (0..clauses.len())
            .filter(|i| looked_at(&clauses[*i]))
            .collect();
        if at.is_empty() {
            return;
        }
        let goal: Vec<K> = at.iter().map(|i| clauses[*i].clone()).collect();
        let broken: BTreeSet<usize> = match ask(clauses, &goal) {
            Kept::All => return,
            Kept::But(broken) if !broken.is_empty() => {
                broken.iter().filter_map(|i| at.get(*i).copied()).collect()
            }
            // Where nothing is known, nothing is kept.
            Kept::But(_) | Kept::Unknown => at.into_iter().collect(),
        };
        let mut index = 0;
        clauses.retain(|_| {
            index += 1;
            !broken.contains(&(index - 1))
        });
    }
}
