//! The tree from the compiler's JSON.
//!
//! The JSON may come from anywhere, and is not trusted: what is not as the compiler writes it is an error with the place,
//! and depth is limited, so that nothing that is done with the tree runs out of stack.

mod expression;
mod node;
mod statement;
mod yul;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use node::JsonNode;
pub(in crate::front::solidity) use node::Unreadable;

use super::{
    Changes, ContractDefinition, ContractKind, Declaration, EnumDefinition, EventDefinition,
    FunctionDefinition, FunctionKind, Inheritance, Modifier, ModifierCall, Mutability, NodeId,
    SolidityType, Struct, Unit, UserValue, VariableDeclaration, Visibility,
};
use crate::front::solidity::place::FileId;

/// How deep statements and expressions may be nested in each other.
const MAX_DEPTH: u32 = 256;

/// Result of reading something.
type Read<T> = Result<T, Unreadable>;

/// Reads the tree of a file, whose places are in `file`.
///
/// # Errors
/// JSON that is not such a tree, or one that is nested too deeply.
pub(in crate::front::solidity) fn unit(json: &Value, file: FileId) -> Read<Unit> {
    let mut reader = TreeReader {
        depth: 0,
        types: HashMap::new(),
    };
    reader.unit(JsonNode::new(json, file)?)
}

/// What is known while a tree is read.
struct TreeReader {
    depth: u32,
    /// The type identifiers read so far: a tree says most of them many times.
    types: HashMap<String, SolidityType>,
}

impl TreeReader {
    fn unit(&mut self, node: JsonNode<'_>) -> Read<Unit> {
        node.expect_kind("SourceUnit")?;
        let mut pragmas = Vec::new();
        let mut imports = Vec::new();
        let mut items = Vec::new();
        for child in node.nodes("nodes")? {
            match child.kind() {
                "PragmaDirective" => pragmas.extend(pragma(child)?),
                "ImportDirective" => imports.push((
                    child.text("absolutePath")?.to_owned(),
                    child.reference("sourceUnit")?,
                )),
                "UsingForDirective" => {}
                _ => items.push(self.item(child)?),
            }
        }
        Ok(Unit {
            id: node.id()?,
            path: node.text("absolutePath")?.to_owned(),
            pragmas,
            imports,
            items,
        })
    }

    fn item(&mut self, node: JsonNode<'_>) -> Read<Declaration> {
        Ok(match node.kind() {
            "ContractDefinition" => Declaration::Contract(Arc::new(self.contract(node)?)),
            "FunctionDefinition" => Declaration::Function(Arc::new(self.function(node)?)),
            "ModifierDefinition" => Declaration::Modifier(Arc::new(self.modifier(node)?)),
            "VariableDeclaration" => Declaration::Variable(self.variable(node)?),
            "StructDefinition" => Declaration::Struct(Arc::new(self.structure(node)?)),
            "EnumDefinition" => Declaration::Enum(Arc::new(enumeration(node)?)),
            "UserDefinedValueTypeDefinition" => {
                Declaration::UserValue(Arc::new(self.user_value(node)?))
            }
            "ErrorDefinition" => Declaration::Error(Arc::new(self.signature(node)?)),
            "EventDefinition" => Declaration::Event(Arc::new(self.signature(node)?)),
            other => return Err(node.wrong(format!("`{other}` is not known"))),
        })
    }

    fn contract(&mut self, node: JsonNode<'_>) -> Read<ContractDefinition> {
        let kind = match node.text("contractKind").unwrap_or("contract") {
            "interface" => ContractKind::Interface,
            "library" => ContractKind::Library,
            _ => ContractKind::Contract,
        };
        let linearized = node.list("linearizedBaseContracts")?;
        let linearized = linearized.iter().map(|id| node.as_id(id));
        let bases = node.nodes("baseContracts")?.into_iter();
        let items = node.nodes("nodes")?.into_iter();
        Ok(ContractDefinition {
            id: node.id()?,
            name: node.text("name")?.to_owned(),
            place: node.place(),
            kind,
            is_abstract: node.flag("abstract").unwrap_or(false)
                || !node.flag("fullyImplemented").unwrap_or(true),
            linearized: linearized.collect::<Read<_>>()?,
            bases: bases.map(|base| self.base(base)).collect::<Read<_>>()?,
            items: items
                .filter(|item| item.kind() != "UsingForDirective")
                .map(|item| self.item(item))
                .collect::<Read<_>>()?,
        })
    }

    fn base(&mut self, node: JsonNode<'_>) -> Read<Inheritance> {
        let name = node.node("baseName")?;
        Ok(Inheritance {
            base: name.reference("referencedDeclaration")?,
            arguments: self.optional_expressions(node, "arguments")?,
            place: node.place(),
        })
    }

    fn function(&mut self, node: JsonNode<'_>) -> Read<FunctionDefinition> {
        let name = node.text("name")?;
        let modifiers = node.nodes("modifiers")?.into_iter();
        Ok(FunctionDefinition {
            id: node.id()?,
            name: name.to_owned(),
            place: node.place(),
            kind: function_kind(node, name)?,
            visibility: visibility(node)?,
            mutability: mutability(node)?,
            parameters: self.parameters(node.node("parameters")?)?,
            results: self.parameters(node.node("returnParameters")?)?,
            modifiers: modifiers
                .map(|call| self.modifier_call(call))
                .collect::<Read<_>>()?,
            body: match node.optional_node("body")? {
                Some(body) => Some(self.block(body)?),
                None => None,
            },
        })
    }

    fn modifier_call(&mut self, node: JsonNode<'_>) -> Read<ModifierCall> {
        let name = node.node("modifierName")?;
        Ok(ModifierCall {
            target: name.reference("referencedDeclaration")?,
            qualified: name.text("name")?.contains('.'),
            arguments: self.optional_expressions(node, "arguments")?,
            place: node.place(),
        })
    }

    fn modifier(&mut self, node: JsonNode<'_>) -> Read<Modifier> {
        Ok(Modifier {
            id: node.id()?,
            name: node.text("name")?.to_owned(),
            place: node.place(),
            parameters: self.parameters(node.node("parameters")?)?,
            body: match node.optional_node("body")? {
                Some(body) => Some(self.block(body)?),
                None => None,
            },
        })
    }

    fn parameters(&mut self, node: JsonNode<'_>) -> Read<Vec<Arc<VariableDeclaration>>> {
        self.variables(node, "parameters")
    }

    fn variables(&mut self, node: JsonNode<'_>, key: &str) -> Read<Vec<Arc<VariableDeclaration>>> {
        let variables = node.nodes(key)?.into_iter();
        variables.map(|variable| self.variable(variable)).collect()
    }

    fn variable(&mut self, node: JsonNode<'_>) -> Read<Arc<VariableDeclaration>> {
        let changes = match node.text("mutability").unwrap_or_default() {
            "immutable" => Changes::Immutable,
            _ if node.text("storageLocation") == Ok("transient") => Changes::Transient,
            _ if node.flag("constant").unwrap_or(false) => Changes::Constant,
            _ => Changes::Mutable,
        };
        Ok(Arc::new(VariableDeclaration {
            id: node.id()?,
            name: node.text("name")?.to_owned(),
            place: node.place(),
            ty: self.ty(node)?,
            visibility: visibility(node)?,
            changes,
            value: self.optional_expression(node, "value")?,
            indexed: node.flag("indexed").unwrap_or(false),
        }))
    }

    fn structure(&mut self, node: JsonNode<'_>) -> Read<Struct> {
        Ok(Struct {
            id: node.id()?,
            name: canonical_name(node)?,
            place: node.place(),
            members: self.variables(node, "members")?,
        })
    }

    fn user_value(&mut self, node: JsonNode<'_>) -> Read<UserValue> {
        let underlying = node.node("underlyingType")?;
        Ok(UserValue {
            id: node.id()?,
            name: canonical_name(node)?,
            place: node.place(),
            underlying: self.ty(underlying)?,
        })
    }

    fn signature(&mut self, node: JsonNode<'_>) -> Read<EventDefinition> {
        Ok(EventDefinition {
            id: node.id()?,
            name: node.text("name")?.to_owned(),
            place: node.place(),
            parameters: self.parameters(node.node("parameters")?)?,
        })
    }

    /// The type of a node, by its identifier.
    fn ty(&mut self, node: JsonNode<'_>) -> Read<SolidityType> {
        self.described(node, "typeDescriptions")
    }

    fn described(&mut self, node: JsonNode<'_>, key: &str) -> Read<SolidityType> {
        let identifier = node.node(key)?.text("typeIdentifier")?;
        if let Some(ty) = self.types.get(identifier) {
            return Ok(ty.clone());
        }
        let ty = SolidityType::parse(identifier)
            .ok_or_else(|| node.wrong(format!("the type `{identifier}` is not understood")))?;
        self.types.insert(identifier.to_owned(), ty.clone());
        Ok(ty)
    }

    /// Reads something one level deeper.
    fn deeper<T>(
        &mut self,
        node: JsonNode<'_>,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(node.wrong("this is nested too deeply"));
        }
        let result = read(self);
        self.depth -= 1;
        result
    }
}

/// What a `pragma solidity` says, without blanks; none for other pragmas.
fn pragma(node: JsonNode<'_>) -> Read<Option<String>> {
    let literals = node.list("literals")?;
    let mut words = literals.iter().filter_map(Value::as_str);
    Ok((words.next() == Some("solidity")).then(|| words.collect()))
}

fn enumeration(node: JsonNode<'_>) -> Read<EnumDefinition> {
    let members = node.nodes("members")?.into_iter();
    Ok(EnumDefinition {
        id: node.id()?,
        name: canonical_name(node)?,
        place: node.place(),
        members: members
            .map(|member| member.text("name").map(str::to_owned))
            .collect::<Read<_>>()?,
    })
}

/// `Vault.Deposit`; `Deposit` where it stands in no contract.
fn canonical_name(node: JsonNode<'_>) -> Read<String> {
    let name = node.text("canonicalName").or_else(|_| node.text("name"))?;
    Ok(name.to_owned())
}

fn function_kind(node: JsonNode<'_>, name: &str) -> Read<FunctionKind> {
    Ok(match node.text("kind").unwrap_or_default() {
        "constructor" => FunctionKind::Constructor,
        "receive" => FunctionKind::Receive,
        "fallback" => FunctionKind::Fallback,
        "function" | "freeFunction" => FunctionKind::Function,
        // Version 0.4 has no `kind`.
        "" if node.flag("isConstructor").unwrap_or(false) => FunctionKind::Constructor,
        "" if name.is_empty() => FunctionKind::Fallback,
        "" => FunctionKind::Function,
        other => return Err(node.wrong(format!("the kind of function `{other}` is not known"))),
    })
}

fn visibility(node: JsonNode<'_>) -> Read<Visibility> {
    Ok(match node.text("visibility")? {
        "external" => Visibility::External,
        "public" | "default" => Visibility::Public,
        "internal" => Visibility::Internal,
        "private" => Visibility::Private,
        other => return Err(node.wrong(format!("the visibility `{other}` is not known"))),
    })
}

fn mutability(node: JsonNode<'_>) -> Read<Mutability> {
    Ok(match node.text("stateMutability").unwrap_or_default() {
        "pure" => Mutability::Pure,
        "view" => Mutability::View,
        "payable" => Mutability::Payable,
        "nonpayable" => Mutability::Nonpayable,
        // Until 0.4.15.
        "" if node.flag("payable").unwrap_or(false) => Mutability::Payable,
        "" if node.flag("isDeclaredConst").unwrap_or(false) => Mutability::View,
        "" => Mutability::Nonpayable,
        other => return Err(node.wrong(format!("the mutability `{other}` is not known"))),
    })
}

/// The id that a declaration is referred to by. None for what is always there: older versions give it a number below
/// zero, written as a large positive one.
fn declared(id: NodeId) -> Option<NodeId> {
    (0..=i64::from(i32::MAX)).contains(&id.0).then_some(id)
}
