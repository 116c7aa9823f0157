//! Warnings about what has any value though nobody says so: fields that a constructor leaves unset, results that are
//! not assigned, and fields of a class without a constructor.

use std::collections::HashMap;

use super::super::ast;
use super::Resolver;
use crate::ir::effects::unset;
use crate::ir::span::Span;
use crate::ir::{ClassId, Diagnostic, RoutineRef, Type, VarId};

impl Resolver<'_> {
    pub(super) fn unset(&mut self) {
        for class in 0..self.classes.len() {
            let class = ClassId(class);
            for index in 0..self.class_info(class).routines.len() {
                self.left_by(RoutineRef { class, index });
            }
        }
    }

    fn left_by(&mut self, routine: RoutineRef) {
        let left = unset(&self.program, routine);
        let Some(info) = self.class_info(routine.class).routines.get(routine.index) else {
            return;
        };
        let decl = info.decl;
        let results: HashMap<VarId, &ast::Ident> = info
            .results
            .iter()
            .copied()
            .zip(decl.returns.iter().map(|param| &param.name))
            .collect();
        let fields = left.fields.iter().map(|field| self.program.field(*field));
        let fields: Vec<String> = fields
            .filter(|field| can_be_written(&field.ty))
            .map(|field| field.name.clone())
            .collect();
        if let Some(first) = fields.first() {
            let they = match fields.len() {
                1 => "it has any value then",
                _ => "they have any values then",
            };
            let help = format!(
                "assign all fields on every way to the end; `havoc {first};` says that any value will do"
            );
            self.report(
                Diagnostic::warning(format!("the constructor leaves {} unset", listed(&fields)))
                    .at(decl.span, they)
                    .help(help),
            );
        }
        for (result, ends) in &left.results {
            if let Some(name) = results.get(result) {
                self.report(forgotten_result(name, ends));
            }
        }
    }

    /// Reports a class without a constructor that does not say what its objects begin with.
    pub(super) fn open_beginning(&mut self, class: ClassId) {
        let decl = self.class_info(class).decl;
        let fields = self.program.class(class).fields.iter();
        let open: Vec<String> = fields
            .zip(&self.class_info(class).fields)
            .filter(|(field, info)| !field.constant && info.value.is_none())
            .map(|(field, _)| field.name.clone())
            .collect();
        let Some(first) = open.first() else { return };
        let begins = if open.len() == 1 { "begins" } else { "begin" };
        self.report(
            Diagnostic::warning(format!("the class `{}` has no constructor", decl.name.name))
                .at(
                    decl.name.span,
                    format!(
                        "{} {begins} with any values that the invariant allows",
                        listed(&open)
                    ),
                )
                .help(format!(
                    "write a `constructor`, `initially` with a condition, or `var {first}: … := …;`"
                )),
        );
    }
}

/// Whether there is a value of this type that can be written down. A map and an opaque value are always some value that
/// somebody else has made.
fn can_be_written(ty: &Type) -> bool {
    !matches!(ty, Type::Map(..) | Type::Opaque(_))
}

/// A result without a value at these ends: places of `return`, or the end of the body.
fn forgotten_result(name: &ast::Ident, ends: &[Option<Span>]) -> Diagnostic {
    let warning = Diagnostic::warning(format!("the result `{}` is not assigned", name.name))
        .at(name.span, "it has any value then")
        .help(format!(
            "assign it before the end; `havoc {};` says that any value will do",
            name.name
        ));
    let returns = ends.iter().copied().flatten().take(MOST_PLACES);
    returns.fold(warning, |warning, place| {
        warning.at(place, "not before this")
    })
}

/// So many places are shown.
const MOST_PLACES: usize = 3;

/// So many names are listed.
const MOST_NAMES: usize = 5;

/// Names in backticks, as in a sentence.
fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> = names
        .iter()
        .take(MOST_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > MOST_NAMES {
        shown.push(format!("{} more", names.len() - MOST_NAMES));
    }
    let last = shown.pop().unwrap_or_default();
    match &shown[..] {
        [] => last,
        before => format!("{} and {last}", before.join(", ")),
    }
}
