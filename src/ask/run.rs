//! A run of a class as data: the calls of one object's life, with their values.

use serde::{Deserialize, Serialize};

use crate::interp::{Configuration, HeapObject};
use crate::ir::Program;

/// A run of the class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The calls, the constructor's first.
    pub calls: Vec<RunCall>,
    /// Whether the concrete interpreter ran it, and it did what the engine says.
    pub replayed: bool,
    /// Why it could not be run, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_replayed: Option<String>,
}

impl Run {
    /// The position of the edge that the last call takes (as [`RunCall::edge`]): the one that the run confirms.
    pub fn confirms(&self) -> Option<usize> {
        self.calls.last().map(|call| call.edge)
    }

    /// Its first calls.
    pub(crate) fn up_to(&self, calls: usize) -> Run {
        Run {
            calls: self.calls.iter().take(calls).cloned().collect(),
            ..self.clone()
        }
    }
}

/// A call of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCall {
    /// The position of the edge it takes: the constructors' edges are counted first, then the transitions, of the
    /// EPA in which the run is told.
    pub edge: usize,
    /// The action or constructor.
    pub name: String,
    /// The parameters, as far as they are known.
    pub arguments: Vec<Named>,
    /// The results, where the interpreter ran it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<Named>,
    /// The exception it ends in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// The state it ends in; none where there is no object.
    pub target: Option<String>,
    /// The fields after it, as far as they are known.
    pub fields: Vec<Named>,
    /// The lines of the statements executed, where the interpreter ran it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<u32>,
}

/// A value with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The value, as written in the source; `a reference` where no more is known of it.
    pub value: String,
}

/// The fields of the object under analysis.
pub(crate) fn fields(program: &Program, now: &Configuration) -> Vec<Named> {
    let Some(HeapObject::Instance { class, fields }) = now.this.and_then(|this| now.object(this))
    else {
        return Vec::new();
    };
    let declared = program.class(*class).fields.iter();
    let named = declared.zip(fields).map(|(field, value)| Named {
        name: field.name.clone(),
        value: value.display(program),
    });
    named.collect()
}

/// `x = 1, y = true`
pub fn words<'n>(values: impl IntoIterator<Item = &'n Named>) -> String {
    let texts = values
        .into_iter()
        .map(|n| format!("{} = {}", n.name, n.value));
    texts.collect::<Vec<String>>().join(", ")
}
