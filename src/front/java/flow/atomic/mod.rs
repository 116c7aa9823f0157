//! Fields that are read and written through objects of `java.util.concurrent.atomic`, updaters, handles and offsets, as the
//! plain fields that they are to calls that come one after the other.
//!
//! A class that refuses by `if (!closed.compareAndSet(false, true)) throw …` has its protocol in an object of another class,
//! of which nothing would be known. But nobody else has that object where the field is private and all that the class ever does
//! with it is to call its methods: then `closed` is a field of type `boolean`.
//!
//! | module | what it does |
//! |---|---|
//! | `operation` | what the methods do that read and write so |
//! | `names` | the variables that hold such an object |
//! | `calls` | the calls of these methods |
//! | `uses` | the fields with which something else is done |
//! | `rewrite` | plain fields in their place |

mod calls;
mod names;
mod operation;
mod rewrite;
mod uses;

pub use operation::{held_by, is_atomic};
pub(super) use rewrite::rewrite;
pub use uses::{misused, targets};
