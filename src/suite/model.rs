//! A suite as data. It serialises as the JSON that `tranquera tests` prints (schema `tranquera/tests/1`).

use serde::Serialize;

use crate::ask::RunObject;
use crate::interp::Value;
use crate::ir::{ExceptionId, Program, RoutineRef, Type};

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/tests/1";

/// What a suite covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// Each edge of a constructor and each transition.
    #[default]
    Transitions,
    /// Each two edges that follow each other.
    Pairs,
    /// Each state.
    States,
}

/// Tests of a class.
#[derive(Clone, Debug, Serialize)]
pub struct Suite {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The class.
    pub class: String,
    /// What is to be covered.
    pub cover: Coverage,
    /// The tests, the one that covers most first.
    pub tests: Vec<Test>,
    /// What they cover, in the order of the EPA.
    pub covered: Vec<String>,
    /// What they do not.
    pub uncovered: Vec<Uncovered>,
}

/// A test: calls on a new object.
#[derive(Clone, Debug, Serialize)]
pub struct Test {
    /// Constructors that are refused, before anything is made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refuses: Vec<RefusedCall>,
    /// The calls, the constructor's first.
    pub calls: Vec<TestCall>,
    /// What the test covers that those before it do not.
    pub covers: Vec<String>,
}

/// A call of a test, and what must be so after it.
#[derive(Clone, Debug, Serialize)]
pub struct TestCall {
    /// The edge it takes, as it is shown: `S1 -Buy-> S3`.
    pub edge: String,
    /// The action or constructor.
    pub name: String,
    /// What it is called with.
    pub arguments: Vec<Argument>,
    /// The objects and arrays that it is given, as they are before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<RunObject>,
    /// What it gives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<Argument>,
    /// The exception it ends in, as it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// The state it ends in; none where there is no object.
    pub target: Option<String>,
    /// The actions that can be called there, in the order declared.
    pub enabled: Vec<String>,
    /// Whether the class leaves open how this call goes: another implementation of it may do otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// Calls that are refused then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refuses: Vec<RefusedCall>,
    /// Whether all such calls that end in this way lead where this one does.
    #[serde(skip)]
    pub is_only_way: bool,
    /// The fields after it, where they are known.
    #[serde(skip)]
    pub fields: Vec<Argument>,
    /// What is called; none for a class without constructors.
    #[serde(skip)]
    pub routine: Option<RoutineRef>,
    /// The exception it ends in.
    #[serde(skip)]
    pub raised: Option<ExceptionId>,
    /// Whether it may end in an exception, this time or another.
    #[serde(skip)]
    pub fallible: bool,
}

/// A call that is refused for one reason alone.
#[derive(Clone, Debug, Serialize)]
pub struct RefusedCall {
    /// The action or constructor.
    pub name: String,
    /// What it is called with.
    pub arguments: Vec<Argument>,
    /// What it would need, in the source's words: if this was not asked for, the call would be made.
    pub needs: String,
    /// What is called.
    #[serde(skip)]
    pub routine: RoutineRef,
}

/// A value with its name and type.
#[derive(Clone, Debug, Serialize)]
pub struct Argument {
    /// The name.
    pub name: String,
    /// The type, as written in the source.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The value, as written in the source.
    #[serde(rename = "value")]
    pub text: String,
    /// The type.
    #[serde(skip)]
    pub ty: Type,
    /// The value.
    #[serde(skip)]
    pub value: Value,
}

impl Argument {
    /// A value of a type, called so.
    pub(super) fn new(program: &Program, name: &str, ty: &Type, value: &Value) -> Argument {
        Argument {
            name: name.to_owned(),
            type_name: program.type_name(ty),
            text: value.display(program),
            ty: ty.clone(),
            value: value.clone(),
        }
    }
}

/// What no test covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Uncovered {
    /// The state, the edge or the pair of edges.
    pub item: String,
    /// Why not.
    pub why: String,
}
