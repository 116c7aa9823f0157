//! `enabled when e with p := f`: when an action can be called, as the class says it.

use super::super::ast::{self, Bound};
use super::Resolver;
use super::scope::{Position, Scope};
use crate::ir::Diagnostic;
use crate::ir::RoutineKind;
use crate::ir::{ClassId, Expr, Split, VarId};

impl<'a> Resolver<'a> {
    /// Adds what one clause says.
    pub(super) fn split(
        &mut self,
        class: ClassId,
        decl: &'a ast::RoutineSyntax,
        params: &[VarId],
        clause: &'a ast::SplitSyntax,
        split: &mut Split,
    ) {
        if decl.kind != RoutineKind::Action {
            self.report(Diagnostic::error("only an action is `enabled`").at(clause.span, ""));
        }
        let over = matches!(clause.bound, Bound::Over | Bound::When);
        let under = matches!(clause.bound, Bound::Under | Bound::When);
        if over && split.over.is_some() || under && split.under.is_some() {
            self.report(
                Diagnostic::error("when the action is enabled is said twice")
                    .at(clause.span, "the second")
                    .help("one `enabled over` and one `enabled under`, or one `enabled when`"),
            );
        }
        if !under && let Some((name, _)) = clause.with.first() {
            self.report(
                Diagnostic::error("`enabled over` takes no values of parameters")
                    .at(name.span, "")
                    .help("`with` shows how the action can be called: it belongs to `under` or `when`"),
            );
        }
        let condition = self.class_clause(class, &clause.condition);
        if over {
            split.over.clone_from(&condition);
        }
        if under {
            split.under = condition;
        }
        for (name, value) in &clause.with {
            let position = decl.params.iter().position(|param| param.name == *name);
            let Some(&id) = position.and_then(|position| params.get(position)) else {
                let known = decl.params.iter().map(|param| param.name.name.as_str());
                self.unknown("parameter", name, known);
                continue;
            };
            let declared = position.and_then(|position| decl.params.get(position));
            self.mention(name, declared.map(|param| param.name.span));
            if split.witness.iter().any(|(other, _)| *other == id) {
                let message = format!("`{}` is named twice", name.name);
                self.report(Diagnostic::error(message).at(name.span, ""));
                continue;
            }
            let value = self.witness_value(class, id, value);
            split.witness.extend(value.map(|value| (id, value)));
        }
    }

    fn witness_value(
        &mut self,
        class: ClassId,
        id: VarId,
        value: &'a ast::ExprSyntax,
    ) -> Option<Expr> {
        let ty = self.variable_type(id)?;
        Scope::new(self, class, Position::ClassClause).value(value, &ty)
    }
}
