//! A run of a class as data: the calls of one object's life, with their values.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use crate::interp::{Configuration, HeapObject, Value};
use crate::ir::{Program, Type, VarId};

/// No more objects are told of one call than these.
const MOST_OBJECTS: usize = 64;
/// No more elements of an array are shown than these.
const MOST_ELEMENTS: usize = 16;

/// A run of the class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        self.calls.last().and_then(|call| call.edge)
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCall {
    /// The position of the edge it takes: the constructors' edges are counted first, then the transitions, of the
    /// EPA in which the run is told. None where it takes none: it ends in an error of the operations themselves, or where
    /// the invariant does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<usize>,
    /// The action or constructor.
    pub name: String,
    /// The parameters, as far as they are known.
    pub arguments: Vec<Named>,
    /// The objects and arrays that the parameters lead to, as they are before the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<RunObject>,
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
    /// The lines of the user's files that a front end made them of, where it was one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_path: Vec<UserPath>,
}

/// Lines of a file of the user's, in the order in which they are run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserPath {
    /// The file.
    pub file: String,
    /// The lines, from 1.
    pub lines: Vec<u32>,
}

/// A value with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The value, as written in the source; `a reference` where no more is known of it.
    pub value: String,
}

/// An object or an array that a call is given, or can get at from there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunObject {
    /// What it is called in the call's values: `#1`. An object that another call is given as well has the same name there.
    pub name: String,
    /// Its class, or the type of the array; none for the object under analysis, whose fields are told by the call before.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// The fields of an object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Named>,
    /// The elements of an array.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<String>,
}

impl RunObject {
    /// What it is, in words: `#1 is PipedInputStream [connected = false]`, `#2 is array<u8> [0, 7]`.
    pub fn words(&self) -> String {
        let Some(ty) = &self.type_name else {
            return format!("{} is the object itself", self.name);
        };
        let first = self.elements.iter().take(MOST_ELEMENTS);
        let mut parts: Vec<String> = first.cloned().collect();
        if self.elements.len() > MOST_ELEMENTS {
            parts.push(format!("… {} in all", self.elements.len()));
        }
        if !self.fields.is_empty() {
            parts.push(words(&self.fields));
        }
        format!("{} is {ty} [{}]", self.name, parts.join(", "))
    }
}

/// The objects and arrays that values lead to, nearer ones first; not all of them where there are very many.
pub(crate) fn objects(program: &Program, now: &Configuration, values: &[Value]) -> Vec<RunObject> {
    let mut open: VecDeque<&Value> = values.iter().collect();
    let (mut seen, mut told) = (BTreeSet::new(), Vec::new());
    while let Some(value) = open.pop_front() {
        let id = match value {
            Value::Ref(id) => *id,
            Value::Map(map) => {
                open.extend(map.values());
                continue;
            }
            _ => continue,
        };
        let Some(object) = now.object(id).filter(|_| seen.insert(id)) else {
            continue;
        };
        if told.len() == MOST_OBJECTS {
            break;
        }
        let name = value.display(program);
        if now.this != Some(id) {
            open.extend(object.values());
        }
        told.push(match object {
            _ if now.this == Some(id) => RunObject {
                name,
                type_name: None,
                fields: vec![],
                elements: vec![],
            },
            HeapObject::Instance { class, .. } => RunObject {
                name,
                type_name: Some(program.class(*class).name.clone()),
                fields: named(program, object),
                elements: vec![],
            },
            HeapObject::Array { element, elements } => {
                let ty = Type::Array {
                    element: Box::new(element.clone()),
                    nullable: false,
                };
                RunObject {
                    name,
                    type_name: Some(program.type_name(&ty)),
                    fields: vec![],
                    elements: elements.iter().map(|e| e.display(program)).collect(),
                }
            }
        });
    }
    told
}

/// The fields of the object under analysis.
pub(crate) fn fields(program: &Program, now: &Configuration) -> Vec<Named> {
    let this = now.this.and_then(|this| now.object(this));
    this.map_or_else(Vec::new, |this| named(program, this))
}

/// The fields of an object.
fn named(program: &Program, object: &HeapObject) -> Vec<Named> {
    let HeapObject::Instance { class, fields } = object else {
        return Vec::new();
    };
    let declared = program.class(*class).fields.iter();
    let named = declared.zip(fields).map(|(field, value)| Named {
        name: field.name.clone(),
        value: value.display(program),
    });
    named.collect()
}

/// Variables with their values.
pub(crate) fn variables(program: &Program, vars: &[VarId], values: &[Value]) -> Vec<Named> {
    let named = vars.iter().zip(values).map(|(var, value)| Named {
        name: program.var(*var).name.clone(),
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
