//! Statements from JSON.

use std::sync::Arc;

use serde_json::Value;

use super::super::{
    BlockStatement, Statement, StatementKind as Kind, TryClause, VariableDeclaration,
};
use super::node::JsonNode;
use super::{Read, TreeReader};

impl TreeReader {
    pub(super) fn block(&mut self, node: JsonNode<'_>) -> Read<BlockStatement> {
        let unchecked = match node.kind() {
            "Block" => false,
            "UncheckedBlock" => true,
            other => return Err(node.wrong(format!("expected a block, found `{other}`"))),
        };
        let statements = node.nodes("statements")?.into_iter();
        Ok(BlockStatement {
            statements: statements
                .map(|statement| self.statement(statement))
                .collect::<Read<_>>()?,
            unchecked,
            place: node.place(),
        })
    }

    fn statement(&mut self, node: JsonNode<'_>) -> Read<Statement> {
        self.deeper(node, |reader| {
            Ok(Statement {
                kind: reader.statement_kind(node)?,
                place: node.place(),
            })
        })
    }

    fn child_statement(&mut self, node: JsonNode<'_>, key: &str) -> Read<Box<Statement>> {
        self.statement(node.node(key)?).map(Box::new)
    }

    fn optional_statement(
        &mut self,
        node: JsonNode<'_>,
        key: &str,
    ) -> Read<Option<Box<Statement>>> {
        let statement = node.optional_node(key)?;
        statement
            .map(|statement| self.statement(statement).map(Box::new))
            .transpose()
    }

    fn statement_kind(&mut self, node: JsonNode<'_>) -> Read<Kind> {
        Ok(match node.kind() {
            "Block" | "UncheckedBlock" => Kind::Block(self.block(node)?),
            "IfStatement" => Kind::If {
                condition: self.expression(node.node("condition")?)?,
                yes: self.child_statement(node, "trueBody")?,
                no: self.optional_statement(node, "falseBody")?,
            },
            "WhileStatement" => Kind::While {
                condition: self.expression(node.node("condition")?)?,
                body: self.child_statement(node, "body")?,
            },
            "DoWhileStatement" => Kind::DoWhile {
                condition: self.expression(node.node("condition")?)?,
                body: self.child_statement(node, "body")?,
            },
            "ForStatement" => Kind::For {
                first: self.optional_statement(node, "initializationExpression")?,
                condition: self.optional_expression(node, "condition")?,
                next: self.optional_statement(node, "loopExpression")?,
                body: self.child_statement(node, "body")?,
            },
            "Break" => Kind::Break,
            "Continue" => Kind::Continue,
            "Return" => Kind::Return(self.optional_expression(node, "expression")?),
            "Throw" => Kind::Throw,
            "EmitStatement" => Kind::Emit(self.expression(node.node("eventCall")?)?),
            "RevertStatement" => Kind::Revert(self.expression(node.node("errorCall")?)?),
            "ExpressionStatement" => Kind::Expression(self.expression(node.node("expression")?)?),
            "VariableDeclarationStatement" => self.declaration(node)?,
            "PlaceholderStatement" => Kind::Placeholder,
            "TryStatement" => self.attempt(node)?,
            "InlineAssembly" => Kind::Assembly(self.assembly(node)?),
            other => return Err(node.wrong(format!("the statement `{other}` is not known"))),
        })
    }

    /// Older versions write only the variables that have names, and for each of the others a hole in `assignments`.
    fn declaration(&mut self, node: JsonNode<'_>) -> Read<Kind> {
        let declared: Vec<Option<Arc<VariableDeclaration>>> = node
            .optional_nodes("declarations")?
            .into_iter()
            .map(|variable| variable.map(|variable| self.variable(variable)).transpose())
            .collect::<Read<_>>()?;
        let assignments = node.get("assignments").ok().and_then(Value::as_array);
        let variables = match assignments {
            Some(ids) if ids.len() > declared.len() => {
                let mut named = declared.into_iter();
                let place = |id: &Value| if id.is_null() { None } else { named.next()? };
                ids.iter().map(place).collect()
            }
            _ => declared,
        };
        Ok(Kind::Declaration {
            variables,
            value: self.optional_expression(node, "initialValue")?,
        })
    }

    fn attempt(&mut self, node: JsonNode<'_>) -> Read<Kind> {
        let call = self.expression(node.node("externalCall")?)?;
        let clauses = node.nodes("clauses")?.into_iter();
        let mut clauses = clauses.map(|clause| self.clause(clause));
        let success = clauses
            .next()
            .unwrap_or_else(|| Err(node.wrong("a `try` has a block")))?;
        Ok(Kind::Try {
            call,
            success,
            catches: clauses.collect::<Read<_>>()?,
        })
    }

    fn clause(&mut self, node: JsonNode<'_>) -> Read<TryClause> {
        let parameters = node.optional_node("parameters")?;
        Ok(TryClause {
            name: node.text("errorName")?.to_owned(),
            parameters: match parameters {
                Some(parameters) => self.parameters(parameters)?,
                None => Vec::new(),
            },
            block: self.block(node.node("block")?)?,
            place: node.place(),
        })
    }
}
