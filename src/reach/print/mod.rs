//! The stages that a program goes through, as text: each is what the next one starts from.

mod boogie;
mod formula;

use std::fmt::Write;

use super::error::Result;
use super::lower::ProcedureMode;
use super::program::{Prepared, PreparedEntry};

/// A stage that can be printed. What is said to the solver, the last one, is a log that the solver's [`Config`] asks for.
///
/// [`Config`]: super::smt::Config
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Contracts, assertions and failing calls made explicit, as Boogie.
    Lowered,
    /// Loops extracted, as Boogie.
    Loops,
    /// The passive form: blocks with facts over the names of values.
    Passive,
    /// The verification conditions.
    Vc,
}

impl Stage {
    /// All stages in order, with their names.
    pub const ALL: [(&'static str, Stage); 4] = [
        ("lowered", Stage::Lowered),
        ("loops", Stage::Loops),
        ("passive", Stage::Passive),
        ("vc", Stage::Vc),
    ];
}

/// What the entries that a program was prepared for, and what they call, are at a stage.
///
/// # Errors
///
/// A construct that the engine cannot do.
pub fn print(prepared: &Prepared, mode: ProcedureMode, stage: Stage) -> Result<String> {
    let mut texts = Vec::new();
    for main in &prepared.mains {
        let entry = prepared.entry(&[], *main, mode)?;
        texts.extend(procedures(&entry, stage)?);
    }
    Ok(texts.join("\n"))
}

/// The entry and all that it calls, in the order of the text.
fn procedures(entry: &PreparedEntry<'_>, stage: Stage) -> Result<Vec<String>> {
    let reached = entry.reached()?;
    let mut texts = Vec::new();
    match stage {
        Stage::Lowered => {
            texts.push(boogie::procedure(entry, &entry.whole_root()?)?);
            for number in reached {
                if !entry.proc(number)?.is_loop {
                    texts.push(boogie::procedure(entry, &entry.whole_proc(number)?)?);
                }
            }
        }
        Stage::Loops => {
            texts.push(boogie::procedure(entry, entry.root_proc())?);
            for number in reached {
                texts.push(boogie::procedure(entry, entry.proc(number)?)?);
            }
        }
        Stage::Passive => {
            texts.push(formula::passive(entry, &entry.passive_root()?)?);
            for number in reached {
                texts.push(formula::passive(entry, &entry.passive(number)?)?);
            }
        }
        Stage::Vc => {
            texts.push(formula::vc(entry, &*entry.root()?)?);
            for number in reached {
                texts.push(formula::vc(entry, &*entry.vc(number)?)?);
            }
        }
    }
    Ok(texts)
}

/// Writing to a string does not fail.
fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}");
}
