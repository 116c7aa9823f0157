//! From a flattened contract to a class in the input language.
//!
//! Each function that can be called and changes something becomes an action, with all that it calls written into it. What
//! the call, the chain and the outside give become parameters: an action is enabled where there are some with which it does
//! not revert. A revert is at first the exception `Revert`: from where it is raised, `requires` clauses are inferred. Then
//! ([`LoweredContract::settled`]) what reverts is assumed not to happen: it undoes everything, and is no edge.
//!
//! | Solidity | class |
//! |---|---|
//! | state variables | a field for each member of a value type, a map where there are keys ([`layout`]); sums of amounts ([`sums`]) |
//! | integers | `int` and `nat`, with their ranges as invariants; arithmetic is checked, or wraps around ([`arithmetic`]) |
//! | addresses, `bytesN` | `nat`: the number that their bytes are |
//! | `string`, `bytes` | values of an opaque type |
//! | arrays and structs in memory | a variable for each part ([`memory`]) |
//! | `msg.sender`, `msg.value` | parameters |
//! | time | fields that the action `tick` changes |
//! | ether | the field `balance`, where anybody asks for it |
//! | what the outside answers | parameters |
//! | functions that are not understood, hashes | constants that are maps, of which nothing is known; of what a call brings, hidden parameters ([`answers`]) |

mod action;
mod answers;
mod arithmetic;
mod branches;
mod class;
mod convert;
mod expression;
mod growth;
mod layout;
mod leave;
mod memory;
mod message;
mod names;
mod outside;
mod reenter;
mod settle;
mod share;
mod statement;
mod sums;
mod track;
mod unread;

use crate::front::solidity::FileRange;
use crate::front::solidity::ast::Mutability;
use crate::front::solidity::flat::{Contract, EntryKind, EntryPoint, NotTaken, Note, Refused};
use crate::front::tq::ast;
use crate::ir::Messages;

use action::LoweredAction;
use class::LoweredClass;
use names::TakenNames;

pub use track::{Others, Track};

/// A class that was made of a contract.
#[derive(Clone, Debug)]
pub struct LoweredContract {
    /// The file, with this class only.
    pub file: ast::FileSyntax,
    /// The class's name.
    pub class: String,
    /// The exception that a revert is.
    pub revert: String,
    /// What it does not say as exactly as the contract does.
    pub notes: Vec<Note>,
    /// Where the functions stand that its actions were made of.
    pub places: Vec<(String, FileRange)>,
    /// What its constructor and its actions are called with.
    pub messages: Messages,
}

/// How time goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Time {
    /// By an action of its own, `tick`, as far as it likes.
    #[default]
    Tick,
    /// Each call is made at a time of its own, not before that of the last one.
    Call,
    /// By a second, and a block, with each call.
    Step,
}

/// How a contract is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerOptions {
    /// How time goes on.
    pub time: Time,
    /// The mapping of which one key is followed.
    pub track: Option<Track>,
    /// Whether what is called outside may call back.
    pub reentrant: bool,
}

/// Makes a class of a contract.
///
/// # Errors
/// What can be called, changes something, and is not taken.
pub fn lower(contract: &Contract, options: &LowerOptions) -> Result<LoweredContract, Vec<Refused>> {
    let mut class = LoweredClass::new(contract, options);
    // What the class needs is known when all of its actions are: they are made again until nothing is new.
    loop {
        let before = class.size();
        let routines = routines(&mut class);
        if class.size() != before {
            continue;
        }
        return routines.map(|routines| class.finish(routines));
    }
}

/// The constructor and all actions.
fn routines(class: &mut LoweredClass<'_>) -> Result<Vec<ast::RoutineSyntax>, Vec<Refused>> {
    let contract = class.contract;
    let changes = |refused: &&Refused| {
        refused.kind == EntryKind::Constructor || refused.mutability > Mutability::View
    };
    let mut refused: Vec<Refused> = contract.refused.iter().filter(changes).cloned().collect();
    let entries = contract.entries.iter().filter(|entry| !entry.is_view());
    let is_made = refused
        .iter()
        .all(|refused| refused.kind != EntryKind::Constructor);
    let constructor = Some(&contract.constructor).filter(|_| is_made);
    let mut made = Vec::new();
    class.actions = TakenNames::default();
    class.places = Vec::new();
    class.forms = Vec::new();
    for entry in constructor.into_iter().chain(entries) {
        match LoweredAction::of(class, entry) {
            Ok((mut routine, form)) => {
                class.forms.push(form);
                if let Some(name) = &mut routine.name {
                    name.name = class.actions.fresh(&entry.name);
                    class.places.push((name.name.clone(), entry.place));
                }
                made.push(routine);
            }
            Err(refusal) => refused.push(refused_entry(entry, refusal)),
        }
    }
    if refused.is_empty() {
        Ok(made)
    } else {
        Err(refused)
    }
}

fn refused_entry(entry: &EntryPoint, refusal: NotTaken) -> Refused {
    Refused {
        name: entry.name.clone(),
        kind: entry.kind,
        mutability: entry.mutability,
        place: entry.place,
        because: vec![refusal],
    }
}

/// Result of lowering something.
type Low<T> = Result<T, NotTaken>;

fn refuse<T>(place: FileRange, what: impl Into<String>) -> Low<T> {
    Err(NotTaken {
        place,
        what: what.into(),
    })
}
