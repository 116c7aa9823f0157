//! Tranquera computes the *enabledness-preserving abstraction* (EPA) of a class: a finite automaton whose
//! states are the sets of actions that can be called.
//!
//! The way through the house is one pipeline, a module a room (`docs/architecture.md` has the plan):
//!
//! | module | what it holds |
//! |---|---|
//! | [`lang`] | the input language `.tq`: parser, resolver, types, printer, JSON |
//! | [`encode`] | a class and a question, as Boogie text |
//! | [`engine`] | who answers a question: external processes, and the built-in engine behind the same door |
//! | [`boogie`], [`reach`] | the Boogie language as data, and the built-in reachability engine |
//! | [`interp`] | the concrete interpreter: replay of witnesses, explicit-state oracle |
//! | [`epa`] | the abstraction as data, and its construction |
//! | [`interface`] | safe and most permissive interfaces: the abstraction over predicates, the game, the learner |
//! | [`reproduce`] | the published case studies beside ours |
//! | [`typestate`] | what can go wrong with a class without contracts; contracts from bodies; client code |
//! | [`suite`] | tests from the runs that the second pass confirmed |
//! | [`view`] | what is printed: terminal, JSON, DOT, SVG, Mermaid, a page to explore |
//! | [`events`] | what the library says while it works |
//! | [`cli`] | the command line |

pub mod boogie;
pub mod cli;
pub mod encode;
pub mod engine;
pub mod epa;
pub mod events;
mod fingerprint;
mod group;
pub mod interface;
pub mod interp;
pub mod lang;
pub mod reach;
pub mod reproduce;
pub mod suite;
pub mod typestate;
pub mod view;
