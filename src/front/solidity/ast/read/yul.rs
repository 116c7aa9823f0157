//! Inline assembly from JSON; before version 0.6 from its text.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use serde_json::Value;

use super::super::yul::{parse, value};
use super::super::{Assembly, NodeId, Reference, Suffix, Yul, YulBlock, YulCase, YulExpression};
use super::node::JsonNode;
use super::{Read, TreeReader, expression};

impl TreeReader {
    pub(super) fn assembly(&mut self, node: JsonNode<'_>) -> Read<Assembly> {
        let Some(tree) = node.optional_node("AST")? else {
            let text = node.text("operations").unwrap_or_default();
            return Ok(Assembly {
                block: parse(text, node.place()),
                references: named_references(node)?,
            });
        };
        Ok(Assembly {
            block: Some(self.yul_block(tree)?),
            references: placed_references(node, tree)?,
        })
    }

    fn yul_block(&mut self, node: JsonNode<'_>) -> Read<YulBlock> {
        node.expect_kind("YulBlock")?;
        let statements = node.nodes("statements")?.into_iter();
        let statements = statements.map(|statement| {
            let place = statement.place();
            self.deeper(statement, |reader| reader.yul(statement))
                .map(|statement| (statement, place))
        });
        statements.collect::<Read<_>>().map(YulBlock)
    }

    fn yul(&mut self, node: JsonNode<'_>) -> Read<Yul> {
        Ok(match node.kind() {
            "YulBlock" => Yul::Block(self.yul_block(node)?),
            "YulVariableDeclaration" => {
                let value = node.optional_node("value")?;
                let value = value.map(|value| self.yul_expression(value)).transpose()?;
                Yul::Let(typed_names(node, "variables")?, value)
            }
            "YulAssignment" => Yul::Assign(
                typed_names(node, "variableNames")?,
                self.yul_expression(node.node("value")?)?,
            ),
            "YulExpressionStatement" => {
                Yul::Expression(self.yul_expression(node.node("expression")?)?)
            }
            "YulIf" => Yul::If(
                self.yul_expression(node.node("condition")?)?,
                self.yul_block(node.node("body")?)?,
            ),
            "YulSwitch" => {
                let cases = node.nodes("cases")?.into_iter();
                Yul::Switch(
                    self.yul_expression(node.node("expression")?)?,
                    cases.map(|case| self.yul_case(case)).collect::<Read<_>>()?,
                )
            }
            "YulForLoop" => Yul::For(
                self.yul_block(node.node("pre")?)?,
                self.yul_expression(node.node("condition")?)?,
                self.yul_block(node.node("post")?)?,
                self.yul_block(node.node("body")?)?,
            ),
            "YulBreak" => Yul::Break,
            "YulContinue" => Yul::Continue,
            "YulLeave" => Yul::Leave,
            "YulFunctionDefinition" => Yul::Function(
                node.text("name")?.to_owned(),
                optional_names(node, "parameters")?,
                optional_names(node, "returnVariables")?,
                self.yul_block(node.node("body")?)?,
            ),
            other => return Err(node.wrong(format!("the statement `{other}` is not known"))),
        })
    }

    fn yul_case(&mut self, node: JsonNode<'_>) -> Read<YulCase> {
        let value = match node.get("value")? {
            Value::String(word) if word == "default" => None,
            _ => Some(literal(node.node("value")?)?),
        };
        Ok(YulCase {
            value,
            body: self.yul_block(node.node("body")?)?,
        })
    }

    fn yul_expression(&mut self, node: JsonNode<'_>) -> Read<YulExpression> {
        self.deeper(node, |reader| {
            Ok(match node.kind() {
                "YulLiteral" => YulExpression::Literal(literal(node)?),
                "YulIdentifier" => YulExpression::Name(node.text("name")?.to_owned()),
                "YulFunctionCall" => {
                    let arguments = node.nodes("arguments")?.into_iter();
                    YulExpression::Call(
                        node.node("functionName")?.text("name")?.to_owned(),
                        arguments
                            .map(|argument| reader.yul_expression(argument))
                            .collect::<Read<_>>()?,
                    )
                }
                other => return Err(node.wrong(format!("the expression `{other}` is not known"))),
            })
        })
    }
}

fn typed_names(node: JsonNode<'_>, key: &str) -> Read<Vec<String>> {
    let names = node.nodes(key)?.into_iter();
    names
        .map(|name| name.text("name").map(str::to_owned))
        .collect()
}

fn optional_names(node: JsonNode<'_>, key: &str) -> Read<Vec<String>> {
    match node.get(key) {
        Ok(names) if !names.is_null() => typed_names(node, key),
        _ => Ok(Vec::new()),
    }
}

fn literal(node: JsonNode<'_>) -> Read<BigUint> {
    if node.text("kind")? == "string" {
        let hex = node.text("hexValue").unwrap_or_default();
        let bytes = expression::bytes(hex).unwrap_or_default();
        return Ok(left_aligned(&bytes));
    }
    let text = node.text("value")?;
    value(text).ok_or_else(|| node.wrong(format!("the literal `{text}` is not understood")))
}

/// The word that a string literal stands for.
fn left_aligned(bytes: &[u8]) -> BigUint {
    let mut word = [0; 32];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    BigUint::from_bytes_be(&word)
}

/// Before 0.6 a reference is an object with the name as its key.
fn named_references(node: JsonNode<'_>) -> Read<Vec<Reference>> {
    let mut references = Vec::new();
    for entry in node.nodes("externalReferences")? {
        for (name, reference) in entry.entries() {
            let id = reference.get("declaration").and_then(Value::as_i64);
            let id = id.ok_or_else(|| node.wrong("a reference has a declaration"))?;
            let flag = |key| reference.get(key).and_then(Value::as_bool);
            references.push(Reference {
                name: name.clone(),
                variable: NodeId(id),
                suffix: suffix(flag("isSlot"), flag("isOffset"), None),
            });
        }
    }
    Ok(references)
}

/// Since 0.6 a reference says where it stands; the name stands there in the tree.
fn placed_references(node: JsonNode<'_>, tree: JsonNode<'_>) -> Read<Vec<Reference>> {
    let mut names = BTreeMap::new();
    collect_names(tree, &mut names)?;
    let mut references: Vec<Reference> = Vec::new();
    for entry in node.nodes("externalReferences")? {
        let Some(&name) = names.get(&entry.place().start) else {
            return Err(entry.wrong("a reference in assembly has no name"));
        };
        if references.iter().any(|known| known.name == name) {
            continue;
        }
        references.push(Reference {
            name: name.to_owned(),
            variable: entry.reference("declaration")?,
            suffix: suffix(
                entry.flag("isSlot"),
                entry.flag("isOffset"),
                entry.text("suffix").ok(),
            ),
        });
    }
    Ok(references)
}

fn suffix(slot: Option<bool>, offset: Option<bool>, word: Option<&str>) -> Suffix {
    match word {
        Some("slot") => Suffix::Slot,
        Some("offset") => Suffix::Offset,
        Some("length") => Suffix::Length,
        _ if slot == Some(true) => Suffix::Slot,
        _ if offset == Some(true) => Suffix::Offset,
        _ => Suffix::Value,
    }
}

/// All names in assembly, by where they begin.
fn collect_names<'a>(node: JsonNode<'a>, names: &mut BTreeMap<u32, &'a str>) -> Read<()> {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.kind() == "YulIdentifier" {
            names.insert(node.place().start, node.text("name")?);
        }
        for (key, value) in node.entries() {
            match value {
                Value::Object(_) => open.push(node.node(key)?),
                Value::Array(list) if list.iter().all(Value::is_object) => {
                    open.extend(node.nodes(key)?);
                }
                _ => {}
            }
        }
    }
    Ok(())
}
