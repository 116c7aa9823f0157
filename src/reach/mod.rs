//! The built-in reachability engine: Boogie programs, Z3, stratified inlining.
//!
//! | step | where |
//! |---|---|
//! | type parameters replaced by types | `mono` |
//! | contracts and assertions made explicit, in a control-flow graph | [`lower`], [`graph`] |
//! | loops to tail-recursive procedures | [`loops`] |
//! | which globals a procedure reads and writes | [`effects`] |
//! | why there is no formula | [`error`] |
//! | which axioms have to do with the entry | `relevant` |
//! | a procedure's verification condition | [`encode`], [`term`], [`symbols`]; `linear`, `shared`, `datatypes`, `lambda`, `polymap`, `words` |
//! | a program prepared for questions | [`program`] |
//! | declared types with infinitely many values | `inverses`, `free`, `descent` |
//! | the solver | [`smt`] over `talk`, [`solver`] |
//! | a question from beginning to end | [`question`]; `bounded` |
//! | the unbounded search | [`horn`] |
//! | a proof for large programs, without the solver | [`mod@simulate`] |
//! | the search | [`search`](mod@search); `concrete` |
//! | values of a model as text | [`values`], `tables` |
//! | each of the stages as text | [`mod@print`] |

mod bounded;
mod concrete;
mod dag;
mod datatypes;
mod descent;
pub mod effects;
pub mod encode;
pub mod error;
mod faults;
mod flat;
mod free;
pub mod graph;
pub mod horn;
mod inverses;
mod lambda;
mod linear;
pub mod loops;
pub mod lower;
mod macros;
mod mono;
mod polymap;
pub mod print;
pub mod program;
pub mod question;
mod relevant;
pub mod search;
mod segments;
mod shared;
pub mod simulate;
pub mod smt;
pub mod solver;
pub mod symbols;
mod tables;
mod talk;
pub mod term;
pub mod values;
mod words;
