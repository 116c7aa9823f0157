//! Labels, and the jumps to them.

use super::super::super::ast::Ident;
use super::super::super::names::did_you_mean;
use super::super::scope::{Enclosing, EnclosingScope, Scope};
use crate::ir::span::Span;
use crate::ir::{Diagnostic, Hint, LabelId, StmtKind};

impl<'a> Scope<'_, 'a> {
    /// What is inside of a loop or a labelled block, and the label that it has for those behind the resolver.
    pub(super) fn called<T>(
        &mut self,
        name: Option<&'a Ident>,
        kind: Enclosing,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> (LabelId, T) {
        if let Some(name) = name
            && let Some(first) = self.around_called(name)
        {
            let first = first.name.map_or(name.span, |name| name.span);
            self.report(
                Diagnostic::error(format!(
                    "`{}` is the label of what is around, too",
                    name.name
                ))
                .at(name.span, "")
                .at(first, "the one around")
                .help("give it another name"),
            );
        }
        let id = self.new_label();
        self.around.push(EnclosingScope { id, name, kind });
        let result = inside(self);
        self.around.pop();
        (id, result)
    }

    /// A label that nothing else in the routine has.
    pub(super) fn new_label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId(self.labels)
    }

    fn around_called(&self, name: &Ident) -> Option<EnclosingScope<'a>> {
        let around = self.around.iter().rev();
        let mut called = around.filter(|a| a.name.is_some_and(|own| own.name == name.name));
        called.next().copied()
    }

    /// Whether a loop is around.
    pub(super) fn is_in_loop(&self) -> bool {
        self.around.iter().any(EnclosingScope::is_loop)
    }

    pub(super) fn break_of(&mut self, label: Option<&Ident>, span: Span) -> Option<StmtKind> {
        let target = self.jump_target("break", label, span)?;
        Some(StmtKind::Break(target.id))
    }

    pub(super) fn continue_of(&mut self, label: Option<&Ident>, span: Span) -> Option<StmtKind> {
        let target = self.jump_target("continue", label, span)?;
        if let (Some(label), false) = (label, target.is_loop()) {
            self.report(
                Diagnostic::error(format!("`{}` is no loop", label.name))
                    .at(label.span, "")
                    .help(format!("`break {};` goes on behind the block", label.name)),
            );
            return None;
        }
        Some(match target.kind {
            Enclosing::Counted { round } => StmtKind::Break(round),
            Enclosing::Block | Enclosing::Loop => StmtKind::Continue(target.id),
        })
    }

    /// What is left: what has the label, or else the innermost loop.
    fn jump_target(
        &mut self,
        word: &str,
        label: Option<&Ident>,
        span: Span,
    ) -> Option<EnclosingScope<'a>> {
        let Some(label) = label else {
            let innermost = self.around.iter().rfind(|around| around.is_loop()).copied();
            if innermost.is_none() {
                let outside = Diagnostic::error(format!("`{word}` outside of a loop")).at(span, "");
                self.report(outside);
            }
            return innermost;
        };
        let found = self.around_called(label);
        let declared = found.and_then(|around| around.name).map(|name| name.span);
        self.resolver.mention(label, declared);
        if found.is_none() {
            let labels = self.around.iter().filter_map(|around| around.name);
            let near = did_you_mean(&label.name, labels.map(|name| name.name.as_str()));
            let help = near.unwrap_or_else(|| {
                Hint::from(format!(
                    "write `{}:` before the loop or block that is meant",
                    label.name
                ))
            });
            self.report(
                Diagnostic::error(format!("nothing around has the label `{}`", label.name))
                    .at(label.span, "")
                    .help(help),
            );
        }
        found
    }
}
