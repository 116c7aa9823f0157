//! A question as text: an entry procedure whose end can be reached exactly when the answer is yes, and the layout of what
//! its traces record.
//!
//! One builder serves all kinds. Where the question starts is said in `start`, what is called in `call`, what is asked of
//! the end in `end`; each end has a template of its own in `templates/questions/`.

mod builder;
mod call;
mod end;
mod record;
mod start;

pub use record::{CallLayout, HeapCell, RecordedPlace, TraceLayout, TraceSlot};

use super::{Encoding, walk};
use crate::query::{Callee, EntryProcedure, Query};

pub(super) use builder::{Builder, Line, unique};
pub(super) use call::{CallText, modified};
pub(super) use start::StartText;

/// A question as text, and how to read the values on its trace.
#[derive(Clone, Debug)]
pub struct EncodedQuery {
    /// The entry procedure.
    pub entry: EntryProcedure,
    /// What is recorded.
    pub layout: TraceLayout,
}

impl Encoding {
    /// The text of a question.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn query(&self, query: &Query) -> Result<EncodedQuery, askama::Error> {
        let (text, layout) = match (&query.walk, query.calls.as_slice()) {
            (Some(walk), _) => walk::text(self, query, walk)?,
            (None, [] | [_]) => end::text(self, query)?,
            (None, _) => call::texts(self, query)?,
        };
        Ok(EncodedQuery {
            entry: EntryProcedure {
                name: query.name.clone(),
                text,
                limit: None,
            },
            layout,
        })
    }

    /// What a walk's traces record of a call, which may leave no object behind.
    pub fn call_layout(&self, callee: Callee, leaves_object: bool) -> CallLayout {
        let mut layout = CallLayout::default();
        let mut builder = Builder::new(self);
        if let Some(routine) = self.subject.routine(callee) {
            builder.name_variables(routine, "");
        }
        builder.given(callee, &mut layout);
        if leaves_object {
            builder.record_behind(&mut layout.after);
        }
        layout
    }
}
