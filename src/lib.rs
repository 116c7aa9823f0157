//! Tranquera computes the *enabledness-preserving abstraction* (EPA) of a class: a finite automaton whose
//! states are the sets of actions that can be called.
//!
//! From the text of a class to its EPA in a terminal (Z3 has to be there):
//!
//! ```
//! use tranquera::analysis::Analysis;
//! use tranquera::{engine::Choice, epa, front::tq, load::Input, view};
//!
//! let door = tq::parse_text(
//!     "door.tq",
//!     "class Door {
//!          var isOpen: bool;
//!          constructor() { isOpen := false; }
//!          action open() requires !isOpen { isOpen := true; }
//!          action close() requires isOpen { isOpen := false; }
//!      }",
//! )?;
//! let analysis = Analysis::new(Input::last(door)?, Choice::default())?;
//! let epa = analysis.epa(&epa::ConstructOptions::default())?.epa();
//! print!("{}", view::render(&epa, view::EpaFormat::Text, &view::ViewOptions::default())?);
//!
//! assert_eq!(epa.states.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There are more examples at [`analysis::Analysis`] (explanations, the second pass, tests), [`front::tq::parse_text`] (what is wrong with a text), [`epa::construct()`] (states and edges),
//! [`epa::findings`] (what is worth a look), [`epa::confirm::confirm`] (runs and proofs), [`epa::diff::EpaDiff::of`] (two EPAs compared),
//! [`view::render`] (formats), and [`reach::question::ask_main`] (the engine by itself, on a Boogie text). A file is read by
//! [`load::load`]; other engines are in [`engine::ENGINES`]; answers are kept by [`engine::cache`].
//!
//! The way through the house is one pipeline, a module a room (`docs/architecture.md` has the plan):
//!
//! | module | what it holds |
//! |---|---|
//! | [`analysis`] | the façade: a class and an engine, and all that the command line makes of the two |
//! | [`front`] | what is read: the language `.tq` ([`front::tq`]), as text or as JSON; Solidity; Java |
//! | [`load`] | from a file in any of these languages to a class under study |
//! | [`ir`] | the typed program, formulas and effects over it, places, and what is wrong with a text |
//! | [`query`] | questions as data: the class they are about, the one `Query` and its kinds, automata, verdicts, limits |
//! | [`encode`] | a class and a question, as Boogie text |
//! | [`engine`] | who answers a question: external processes, and the built-in engine behind the same door |
//! | [`boogie`], [`reach`] | the Boogie language as data, and the built-in reachability engine |
//! | [`interp`] | the concrete interpreter: replay of witnesses, explicit-state oracle |
//! | [`ask`] | the desk: every question is put there, and every "yes" replayed |
//! | [`epa`] | the abstraction as data, and its construction |
//! | [`check`] | the protocols that a project's classes are expected to have, kept beside the code |
//! | [`interface`] | safe and most permissive interfaces: the abstraction over predicates, the game, the learner |
//! | [`reproduce`] | the published case studies beside ours |
//! | [`typestate`] | what can go wrong with a class without contracts; contracts from bodies; client code |
//! | [`survey`] | many classes: found, examined some at once, a line each |
//! | [`suite`] | tests from the runs that the second pass confirmed |
//! | [`view`] | what is printed: terminal, JSON, DOT, SVG, Mermaid, a page to explore |
//! | [`events`] | what the library says while it works |
//! | [`ids`], [`mod@internal`] | positions as types; a bug of ours as an error |
//! | `cli` | the command line, with the feature of that name, which is on by default |

// What is public is what another program would use.
#![cfg_attr(not(test), warn(unreachable_pub))]
// A bug of ours ends as an answer that is not known, never as a panic.
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod analysis;
pub mod ask;
pub mod boogie;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod encode;
pub mod engine;
pub mod epa;
pub mod events;
mod executables;
mod fingerprint;
pub mod front;
mod group;
pub mod ids;
pub mod interface;
pub mod internal;
pub mod interp;
pub mod ir;
pub mod load;
mod process;
pub mod query;
#[cfg(test)]
#[path = "../tests/support/random.rs"]
mod random;
pub mod reach;
pub mod reproduce;
mod stack;
pub mod suite;
pub mod survey;
mod time;
pub mod typestate;
pub mod view;
mod words;
mod workers;

/// The guide's chapter on the library, whose examples are run with the others.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Chapter;
