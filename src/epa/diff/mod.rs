//! What is different between two EPAs.
//!
//! A state *is* its set of enabled actions, so states are matched by that and not by their ids; an edge is matched
//! by its ends, its action, its outcome and its exception. What can change about a matched edge is its certainty,
//! whether it can break the invariant, and what the second pass says of it.
//!
//! What is not compared: the class's name, reasons, findings, notes, statistics, lengths of traces; and what the
//! second pass says, where only one of the two EPAs has had one.

mod edges;
mod model;
mod order;
mod rename;
mod states;
#[cfg(test)]
mod tests;

pub use model::{
    ActionDiff, Aspect, Change, Classes, EdgeDiff, EdgeFacts, EpaDiff, Ids, Rename, SCHEMA,
    StateDiff,
};
pub use order::{CallEnd, OrderChange, Possibility};
pub use rename::RenameError;

use super::wire::Epa;
use edges::{PairedEdges, sort};
use rename::with_new_names;
use states::{actions, states};

impl EpaDiff {
    /// Compares two EPAs, each of which is one ([`check`](super::read::check)).
    ///
    /// # Errors
    ///
    /// [`RenameError`]: a name that is not there, or a renaming that is not one to one.
    ///
    /// # Examples
    /// The two buffers of "Automated Abstractions for Contract Validation" (TSE 2012, §2): what the corrected invariant
    /// takes away.
    ///
    /// ```
    /// use std::{error::Error, path::Path};
    /// use tranquera::{encode::Encoding, engine::Builtin, epa::{self, Epa, diff::{Change, EpaDiff}}, front::tq};
    ///
    /// fn epa_of(file: &str) -> Result<Epa, Box<dyn Error>> {
    ///     let loaded = tq::load(Path::new(file))?;
    ///     let class = loaded.program.class_named("CircularBuffer").ok_or("no such class")?;
    ///     let encoding = Encoding::of_class(&loaded.program, class)?;
    ///     Ok(epa::construct(&encoding, &Builtin::default(), &epa::ConstructOptions::default())?.epa())
    /// }
    ///
    /// let weak = epa_of("fixtures/tse-2012/circular_buffer_weak.tq")?;
    /// let strong = epa_of("fixtures/tse-2012/circular_buffer_strong.tq")?;
    /// let diff = EpaDiff::of(&weak, &strong, &[])?;
    /// let gone = diff.transitions.iter().filter(|edge| edge.change == Change::Removed);
    /// assert_eq!(gone.count(), 2);
    /// # Ok::<(), Box<dyn Error>>(())
    /// ```
    pub fn of(old: &Epa, new: &Epa, renamed: &[Rename]) -> Result<EpaDiff, RenameError> {
        let old = with_new_names(old, new, renamed)?;
        let actions = actions(&old, new);
        let states = states(&old, new, &actions);
        let constructors = PairedEdges::of(&old, new, &states).constructors();
        let mut transitions = PairedEdges::of(&old, new, &states).transitions();
        sort(&mut transitions, &states, &actions);
        let different = actions.iter().any(|a| a.change != Change::Same)
            || states.iter().any(|s| s.change != Change::Same)
            || constructors
                .iter()
                .chain(&transitions)
                .any(|e| e.change != Change::Same);
        let added = new.predicates.iter();
        let added = added.filter(|name| !old.predicates.contains(name));
        let predicates = old.predicates.iter().chain(added).cloned().collect();
        Ok(EpaDiff {
            schema: SCHEMA.to_owned(),
            different,
            classes: Classes {
                old: old.class,
                new: new.class.clone(),
            },
            renamed: renamed.to_vec(),
            actions,
            predicates,
            states,
            constructors,
            transitions,
        })
    }
}
