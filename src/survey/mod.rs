//! A survey: the EPA of every class of a code base, a line of JSON each.
//!
//! ```text
//! paths ─► find: files, and the classes in them ─► examine: one class, within its time ─► SurveyLine
//!                       │                                     ▲
//!                       ├─ shard: those of one machine ───────┤ run: some at once
//!                       └─ earlier: what is known already     ┘
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `line` | what is said of a class: the line, and its parts |
//! | `find` | the classes of files and folders |
//! | `examine` | one class, as a line |
//! | `run` | many classes, some at once |
//! | `stored` | lines where they lie in files, read one at a time |
//! | `earlier` | the lines of earlier runs: which of them still hold |
//! | `shard` | the part of a survey that one of several machines makes |
//! | `tail` | the lines of a part that another process writes, as they come |
//! | `merge` | lines of several runs as one list |
//! | `tally` | what there is to say of many lines together |
//!
//! Where a class is examined is the caller's to choose: in this process ([`examine()`]) or, so that the rest is unharmed by a
//! class on which it dies, in one of its own, as the command line does.

mod earlier;
mod examine;
mod find;
mod line;
mod merge;
mod run;
mod shard;
mod stored;
mod tail;
mod tally;

pub use earlier::Earlier;
pub use examine::{Examination, examine};
pub use find::{Found, Search, find};
pub use line::{
    ClassKey, Contradiction, LinePlace, SCHEMA, SurveyLine, SurveyOutcome, SurveyReason,
    SurveySizes, SurveyedClass,
};
pub use merge::Merged;
pub use run::run;
pub use shard::{MOST_PARTS, Shard, WrongShard, split};
pub use stored::{LineAt, LineFiles, NotLines};
pub use tail::Tail;
pub use tally::SurveyTally;
