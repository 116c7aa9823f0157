//! Expressions from JSON.

use super::super::{
    Binary, CallExpression, CallKind, Expression, ExpressionKind, Literal, SolidityType, Unary,
};
use super::node::JsonNode;
use super::{Read, TreeReader};

impl TreeReader {
    pub(super) fn optional_expression(
        &mut self,
        node: JsonNode<'_>,
        key: &str,
    ) -> Read<Option<Expression>> {
        match node.optional_node(key)? {
            Some(expression) => self.expression(expression).map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn optional_expressions(
        &mut self,
        node: JsonNode<'_>,
        key: &str,
    ) -> Read<Option<Vec<Expression>>> {
        match node.get(key) {
            Ok(list) if !list.is_null() => self.expressions(node, key).map(Some),
            _ => Ok(None),
        }
    }

    fn expressions(&mut self, node: JsonNode<'_>, key: &str) -> Read<Vec<Expression>> {
        let list = node.nodes(key)?.into_iter();
        list.map(|expression| self.expression(expression)).collect()
    }

    fn child(&mut self, node: JsonNode<'_>, key: &str) -> Read<Box<Expression>> {
        self.expression(node.node(key)?).map(Box::new)
    }

    fn optional_child(&mut self, node: JsonNode<'_>, key: &str) -> Read<Option<Box<Expression>>> {
        Ok(self.optional_expression(node, key)?.map(Box::new))
    }

    pub(super) fn expression(&mut self, node: JsonNode<'_>) -> Read<Expression> {
        self.deeper(node, |reader| {
            Ok(Expression {
                kind: reader.expression_kind(node)?,
                ty: reader.ty(node)?,
                place: node.place(),
            })
        })
    }

    fn expression_kind(&mut self, node: JsonNode<'_>) -> Read<ExpressionKind> {
        match node.kind() {
            "Literal" => literal(node).map(ExpressionKind::Literal),
            "Identifier" => Ok(ExpressionKind::Name {
                name: node.text("name")?.to_owned(),
                declaration: node.optional_reference("referencedDeclaration")?,
            }),
            "MemberAccess" => Ok(ExpressionKind::Member {
                base: self.child(node, "expression")?,
                member: node.text("memberName")?.to_owned(),
                declaration: node.optional_reference("referencedDeclaration")?,
            }),
            "IndexAccess" => Ok(ExpressionKind::Index {
                base: self.child(node, "baseExpression")?,
                index: self.optional_child(node, "indexExpression")?,
            }),
            "IndexRangeAccess" => Ok(ExpressionKind::Slice {
                base: self.child(node, "baseExpression")?,
                start: self.optional_child(node, "startExpression")?,
                end: self.optional_child(node, "endExpression")?,
            }),
            "FunctionCall" => self
                .call(node)
                .map(|call| ExpressionKind::Call(Box::new(call))),
            "FunctionCallOptions" => self.options(node),
            "NewExpression" => self.new_type(node).map(ExpressionKind::New),
            "ElementaryTypeNameExpression" => Ok(ExpressionKind::TypeName),
            "UnaryOperation" => self.unary(node),
            "BinaryOperation" => self.binary(node),
            "Conditional" => Ok(ExpressionKind::Conditional {
                condition: self.child(node, "condition")?,
                yes: self.child(node, "trueExpression")?,
                no: self.child(node, "falseExpression")?,
            }),
            "Assignment" => self.assignment(node),
            "TupleExpression" => self.tuple(node),
            other => Err(node.wrong(format!("the expression `{other}` is not known"))),
        }
    }

    fn call(&mut self, node: JsonNode<'_>) -> Read<CallExpression> {
        let kind = match node.text("kind")? {
            "functionCall" => CallKind::Function,
            "typeConversion" => CallKind::Conversion,
            "structConstructorCall" => CallKind::Struct,
            other => return Err(node.wrong(format!("the kind of call `{other}` is not known"))),
        };
        Ok(CallExpression {
            kind,
            callee: self.expression(node.node("expression")?)?,
            arguments: self.expressions(node, "arguments")?,
            names: names(node)?,
        })
    }

    fn options(&mut self, node: JsonNode<'_>) -> Read<ExpressionKind> {
        let values = self.expressions(node, "options")?;
        Ok(ExpressionKind::Options {
            callee: self.child(node, "expression")?,
            options: names(node)?.into_iter().zip(values).collect(),
        })
    }

    /// The type that `new` makes: what the function that it stands for returns.
    fn new_type(&mut self, node: JsonNode<'_>) -> Read<SolidityType> {
        if let SolidityType::Function(maker) = self.ty(node)?
            && let Some(Some(made)) = maker.results.first()
        {
            return Ok(made.clone());
        }
        self.ty(node.node("typeName")?)
    }

    fn unary(&mut self, node: JsonNode<'_>) -> Read<ExpressionKind> {
        let operator = node.text("operator")?;
        let operator = Unary::parse(operator)
            .ok_or_else(|| node.wrong(format!("the operator `{operator}` is not known")))?;
        Ok(ExpressionKind::Unary {
            operator,
            prefix: node.flag("prefix").unwrap_or(true),
            operand: self.child(node, "subExpression")?,
            function: node.optional_reference("function")?,
        })
    }

    fn binary(&mut self, node: JsonNode<'_>) -> Read<ExpressionKind> {
        let operator = node.text("operator")?;
        let operator = Binary::parse(operator)
            .ok_or_else(|| node.wrong(format!("the operator `{operator}` is not known")))?;
        Ok(ExpressionKind::Binary {
            operator,
            left: self.child(node, "leftExpression")?,
            right: self.child(node, "rightExpression")?,
            common: self.described(node, "commonType")?,
            function: node.optional_reference("function")?,
        })
    }

    fn assignment(&mut self, node: JsonNode<'_>) -> Read<ExpressionKind> {
        let written = node.text("operator")?;
        let operator = match written.strip_suffix('=') {
            Some("") => None,
            Some(operator) if Binary::parse(operator).is_some() => Binary::parse(operator),
            _ => return Err(node.wrong(format!("the operator `{written}` is not known"))),
        };
        Ok(ExpressionKind::Assign {
            operator,
            target: self.child(node, "leftHandSide")?,
            value: self.child(node, "rightHandSide")?,
        })
    }

    fn tuple(&mut self, node: JsonNode<'_>) -> Read<ExpressionKind> {
        let items = node.optional_nodes("components")?.into_iter();
        let items: Vec<Option<Expression>> = items
            .map(|item| item.map(|item| self.expression(item)).transpose())
            .collect::<Read<_>>()?;
        if !node.flag("isInlineArray").unwrap_or(false) {
            return Ok(ExpressionKind::Tuple(items));
        }
        let elements: Option<Vec<Expression>> = items.into_iter().collect();
        let elements = elements.ok_or_else(|| node.wrong("an array has no holes"))?;
        Ok(ExpressionKind::Array(elements))
    }
}

fn names(node: JsonNode<'_>) -> Read<Vec<String>> {
    let names = node.list("names")?.iter();
    names
        .map(|name| name.as_str().map(str::to_owned))
        .collect::<Option<_>>()
        .ok_or_else(|| node.wrong("a name is a string"))
}

fn literal(node: JsonNode<'_>) -> Read<Literal> {
    match node.text("kind")? {
        "bool" => Ok(Literal::Bool(node.text("value")? == "true")),
        "number" => Ok(Literal::Number(node.text("value")?.to_owned())),
        "string" | "hexString" | "unicodeString" => bytes(node.text("hexValue")?)
            .map(Literal::Bytes)
            .ok_or_else(|| node.wrong("`hexValue` is not hexadecimal")),
        other => Err(node.wrong(format!("the literal `{other}` is not known"))),
    }
}

/// The bytes that hexadecimal digits stand for.
pub(super) fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = hex.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    let (pairs, _) = digits.as_chunks::<2>();
    let byte = |&[high, low]: &[u32; 2]| u8::try_from(16 * high + low).ok();
    pairs.iter().map(byte).collect()
}
