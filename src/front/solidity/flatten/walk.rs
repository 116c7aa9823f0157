//! What occurs in a syntax tree, without what it means.

use std::collections::HashSet;
use std::sync::Arc;

use crate::front::solidity::ast::{
    Assembly, BlockStatement, Expression, ExpressionKind as E, NodeId, Statement,
    StatementKind as S, Unary, VariableDeclaration, Yul, YulBlock,
};

/// Variables of a body.
#[derive(Debug, Default)]
pub(super) struct Occurrences {
    /// Those that are assigned somewhere, other than where they are declared.
    pub assigned: HashSet<NodeId>,
    /// Those that occur in assembly.
    pub in_assembly: HashSet<NodeId>,
    /// Those that are declared, in order.
    pub declared: Vec<Arc<VariableDeclaration>>,
    /// How many times `_` stands there; one in a loop counts as many.
    pub placeholders: usize,
}

impl Occurrences {
    /// What occurs in a block.
    pub(super) fn of(block: &BlockStatement) -> Occurrences {
        let mut found = Occurrences::default();
        found.block(block);
        found
    }

    fn block(&mut self, block: &BlockStatement) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            S::Block(block) => self.block(block),
            S::If { condition, yes, no } => {
                self.expression(condition);
                self.statement(yes);
                no.iter().for_each(|no| self.statement(no));
            }
            S::While { condition, body } | S::DoWhile { condition, body } => {
                self.expression(condition);
                self.repeated(body);
            }
            S::For {
                first,
                condition,
                next,
                body,
            } => {
                first.iter().for_each(|first| self.statement(first));
                condition.iter().for_each(|e| self.expression(e));
                next.iter().for_each(|next| self.statement(next));
                self.repeated(body);
            }
            S::Break | S::Continue | S::Throw => {}
            S::Return(value) => value.iter().for_each(|value| self.expression(value)),
            S::Emit(e) | S::Revert(e) | S::Expression(e) => self.expression(e),
            S::Declaration { variables, value } => {
                self.declared.extend(variables.iter().flatten().cloned());
                value.iter().for_each(|value| self.expression(value));
            }
            S::Placeholder => self.placeholders += 1,
            S::Try {
                call,
                success,
                catches,
            } => {
                self.expression(call);
                for clause in std::iter::once(success).chain(catches) {
                    self.declared.extend(clause.parameters.iter().cloned());
                    self.block(&clause.block);
                }
            }
            S::Assembly(assembly) => self.assembly(assembly),
        }
    }

    fn repeated(&mut self, body: &Statement) {
        let before = self.placeholders;
        self.statement(body);
        if self.placeholders > before {
            self.placeholders += 2;
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            E::Literal(_) | E::Name { .. } | E::New(_) | E::TypeName => {}
            E::Member { base, .. } => self.expression(base),
            E::Index { base, index } => {
                self.expression(base);
                index.iter().for_each(|index| self.expression(index));
            }
            E::Slice { base, start, end } => {
                self.expression(base);
                start.iter().chain(end).for_each(|e| self.expression(e));
            }
            E::Call(call) => {
                self.expression(&call.callee);
                call.arguments.iter().for_each(|e| self.expression(e));
            }
            E::Options { callee, options } => {
                self.expression(callee);
                options.iter().for_each(|(_, e)| self.expression(e));
            }
            E::Unary {
                operator, operand, ..
            } => {
                use Unary::{Decrement, Delete, Increment};
                if matches!(operator, Increment | Decrement | Delete) {
                    self.target(operand);
                }
                self.expression(operand);
            }
            E::Binary { left, right, .. } => {
                self.expression(left);
                self.expression(right);
            }
            E::Conditional { condition, yes, no } => {
                [condition, yes, no].iter().for_each(|e| self.expression(e));
            }
            E::Assign { target, value, .. } => {
                self.target(target);
                self.expression(target);
                self.expression(value);
            }
            E::Tuple(items) => items.iter().flatten().for_each(|e| self.expression(e)),
            E::Array(items) => items.iter().for_each(|e| self.expression(e)),
        }
    }

    fn target(&mut self, target: &Expression) {
        match &target.kind {
            E::Name {
                declaration: Some(id),
                ..
            } => {
                self.assigned.insert(*id);
            }
            E::Tuple(items) => items.iter().flatten().for_each(|e| self.target(e)),
            E::Conditional { yes, no, .. } => {
                self.target(yes);
                self.target(no);
            }
            _ => {}
        }
    }

    fn assembly(&mut self, assembly: &Assembly) {
        let mut names = HashSet::new();
        if let Some(block) = &assembly.block {
            assigned_names(block, &mut names);
        }
        let is_assigned = |name: &str| {
            let name = name.split('.').next().unwrap_or(name);
            assembly.block.is_none() || names.contains(name)
        };
        let references = assembly.references.iter();
        self.in_assembly
            .extend(references.clone().map(|reference| reference.variable));
        let assigned = references.filter(|reference| is_assigned(&reference.name));
        self.assigned
            .extend(assigned.map(|reference| reference.variable));
    }
}

/// The names that assembly assigns, without what is behind a point.
fn assigned_names(block: &YulBlock, names: &mut HashSet<String>) {
    for (statement, _) in &block.0 {
        match statement {
            Yul::Assign(targets, _) => {
                let plain = targets.iter().filter_map(|name| name.split('.').next());
                names.extend(plain.map(str::to_owned));
            }
            Yul::Block(inner) | Yul::If(_, inner) | Yul::Function(_, _, _, inner) => {
                assigned_names(inner, names);
            }
            Yul::Switch(_, cases) => cases
                .iter()
                .for_each(|case| assigned_names(&case.body, names)),
            Yul::For(before, _, after, body) => {
                [before, after, body]
                    .iter()
                    .for_each(|inner| assigned_names(inner, names));
            }
            Yul::Let(..) | Yul::Expression(_) | Yul::Break | Yul::Continue | Yul::Leave => {}
        }
    }
}
