//! A node of the JSON, with what goes wrong when it is looked into.

use serde_json::{Map, Value};

use super::super::NodeId;
use super::{Read, declared};
use crate::front::solidity::place::{FileId, FileRange};

/// Why a tree cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::front::solidity) struct Unreadable {
    /// What is wrong.
    pub what: String,
    /// The innermost place that is known.
    pub place: FileRange,
}

/// A JSON object of the tree.
#[derive(Clone, Copy)]
pub(super) struct JsonNode<'a> {
    fields: &'a Map<String, Value>,
    file: FileId,
    /// The place of this node, or of the innermost one around it that has one.
    place: FileRange,
}

impl<'a> JsonNode<'a> {
    pub(super) fn new(json: &'a Value, file: FileId) -> Read<JsonNode<'a>> {
        let outside = FileRange {
            file,
            ..FileRange::default()
        };
        JsonNode::within(json, file, outside)
    }

    fn within(json: &'a Value, file: FileId, around: FileRange) -> Read<JsonNode<'a>> {
        let Value::Object(fields) = json else {
            let what = "this is not a node of a syntax tree".to_owned();
            return Err(Unreadable {
                what,
                place: around,
            });
        };
        let place = fields.get("src").and_then(Value::as_str);
        let place = place.and_then(|src| read_place(src, file));
        Ok(JsonNode {
            fields,
            file,
            place: place.unwrap_or(around),
        })
    }

    /// What kind of node it is; empty if it does not say.
    pub(super) fn kind(&self) -> &'a str {
        let kind = self.fields.get("nodeType").and_then(Value::as_str);
        kind.unwrap_or_default()
    }

    pub(super) fn expect_kind(&self, kind: &str) -> Read<()> {
        if self.kind() == kind {
            return Ok(());
        }
        Err(self.wrong(format!("expected a `{kind}`, found `{}`", self.kind())))
    }

    pub(super) fn place(&self) -> FileRange {
        self.place
    }

    pub(super) fn id(&self) -> Read<NodeId> {
        self.as_id(self.get("id")?)
    }

    /// The declaration that is referred to.
    pub(super) fn reference(&self, key: &str) -> Read<NodeId> {
        self.optional_reference(key)?
            .ok_or_else(|| self.wrong(format!("`{key}` refers to nothing")))
    }

    /// The declaration that is referred to; none for what is always there.
    pub(super) fn optional_reference(&self, key: &str) -> Read<Option<NodeId>> {
        match self.fields.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(id) => self.as_id(id).map(declared),
        }
    }

    pub(super) fn as_id(&self, json: &Value) -> Read<NodeId> {
        let id = json.as_i64().map(NodeId);
        id.ok_or_else(|| self.wrong("an id is a number"))
    }

    pub(super) fn text(&self, key: &str) -> Read<&'a str> {
        let text = self.get(key)?.as_str();
        text.ok_or_else(|| self.wrong(format!("`{key}` is not a string")))
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.fields.get(key)?.as_bool()
    }

    pub(super) fn list(&self, key: &str) -> Read<&'a Vec<Value>> {
        let list = self.get(key)?.as_array();
        list.ok_or_else(|| self.wrong(format!("`{key}` is not a list")))
    }

    pub(super) fn nodes(&self, key: &str) -> Read<Vec<JsonNode<'a>>> {
        let list = self.list(key)?.iter();
        list.map(|json| JsonNode::within(json, self.file, self.place))
            .collect()
    }

    /// A list of nodes, in which some may be left out.
    pub(super) fn optional_nodes(&self, key: &str) -> Read<Vec<Option<JsonNode<'a>>>> {
        let list = self.list(key)?.iter();
        list.map(|json| match json {
            Value::Null => Ok(None),
            _ => JsonNode::within(json, self.file, self.place).map(Some),
        })
        .collect()
    }

    pub(super) fn node(&self, key: &str) -> Read<JsonNode<'a>> {
        JsonNode::within(self.get(key)?, self.file, self.place)
    }

    pub(super) fn optional_node(&self, key: &str) -> Read<Option<JsonNode<'a>>> {
        match self.fields.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(json) => JsonNode::within(json, self.file, self.place).map(Some),
        }
    }

    /// What is under a key, of any form.
    pub(super) fn get(&self, key: &str) -> Read<&'a Value> {
        let value = self.fields.get(key);
        value.ok_or_else(|| self.wrong(format!("`{key}` is missing in `{}`", self.kind())))
    }

    /// The names and values of the object.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
        self.fields.iter()
    }

    pub(super) fn wrong(&self, what: impl Into<String>) -> Unreadable {
        Unreadable {
            what: what.into(),
            place: self.place,
        }
    }
}

/// `offset:length:file`. The file is not looked at: all nodes of a tree are in its file.
fn read_place(src: &str, file: FileId) -> Option<FileRange> {
    let mut parts = src.split(':');
    let start: u32 = parts.next()?.parse().ok()?;
    let length: u32 = parts.next()?.parse().ok()?;
    Some(FileRange {
        file,
        start,
        end: start.checked_add(length)?,
    })
}
