//! What the classes of a project are expected to let their callers do: their EPAs, kept as files beside the code, and
//! what has become of them.
//!
//! | file | what it holds |
//! |---|---|
//! | `expected` | which file is expected of which class |
//! | `kept` | the file: an EPA, and how it was made |
//! | `report` | what has become of each, as data |

pub mod expected;
pub mod kept;
pub mod report;

pub use expected::{Expected, Unclear};
pub use kept::{Kept, KeptWith};
pub use report::{CheckReport, Checked, CheckedClass, Outcome, Updated};
