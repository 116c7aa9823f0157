//! The names of a file: enums, opaque types, exceptions, classes. They share one name space.

use std::collections::{BTreeMap, HashMap};

use super::super::ast::{self, Ident, ItemSyntax};
use super::super::names::is_builtin_type;
use super::{ClassInfo, NamedValue, Resolver, TypeEntity};
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{BuiltinException, Class, ClassId, Enum, EnumId, ExceptionId, Opaque, OpaqueId};

impl<'a> Resolver<'a> {
    pub(super) fn declare(&mut self, file: &'a ast::FileSyntax) {
        for builtin in BuiltinException::ALL {
            self.exceptions.insert(builtin.name(), builtin.id());
            self.program.exceptions.push(builtin.name().to_owned());
        }
        for item in &file.items {
            match item {
                ItemSyntax::Enum { name, members } => {
                    self.global(name);
                    self.declare_enum(name, members);
                }
                ItemSyntax::Opaque { name, values } => {
                    self.global(name);
                    self.declare_opaque(name, values);
                }
                ItemSyntax::Exception { name, shown } => {
                    // One that is always there may be said to be shown otherwise.
                    if BuiltinException::named(&name.name).is_none() || shown.is_none() {
                        self.global(name);
                        let id = ExceptionId(self.program.exceptions.len());
                        self.program.exceptions.push(name.name.clone());
                        self.exceptions.entry(&name.name).or_insert(id);
                    }
                }
                ItemSyntax::Class(class) => {
                    self.global(&class.name);
                    self.declare_class(class);
                }
            }
        }
        self.show_exceptions(file);
        if self.program.classes.is_empty() && !self.holes {
            self.report(
                Diagnostic::error("there is no class in this file")
                    .at(Span::default(), "")
                    .help("write `class Name { … }`"),
            );
        }
    }

    /// How exceptions are shown, each otherwise than all others.
    fn show_exceptions(&mut self, file: &'a ast::FileSyntax) {
        let mut said: BTreeMap<ExceptionId, Span> = BTreeMap::new();
        for item in &file.items {
            let ItemSyntax::Exception { name, shown } = item else {
                continue;
            };
            let id = self.exceptions.get(name.name.as_str()).copied();
            let (Some(id), Some(shown)) = (id, shown) else {
                continue;
            };
            let wrong = match said.insert(id, shown.span) {
                Some(_) => Some("this is shown in two ways"),
                None => shown.wrong(),
            };
            match wrong {
                Some(message) => self.report(Diagnostic::error(message).at(shown.span, "")),
                None => drop(self.program.shown_exceptions.insert(id, shown.text.clone())),
            }
        }
        for (id, span) in said {
            let shown = self.program.exception_shown(id);
            let others = (0..self.program.exceptions.len()).map(ExceptionId);
            let mut others = others.filter(|other| *other != id);
            if others.any(|other| self.program.exception_shown(other) == shown) {
                let message = format!("two are shown as `{shown}`");
                self.report(Diagnostic::error(message).at(span, ""));
            }
        }
    }

    /// Checks that a top-level name is free.
    fn global(&mut self, name: &'a Ident) {
        if is_builtin_type(&name.name) || BuiltinException::named(&name.name).is_some() {
            self.report(
                Diagnostic::error(format!(
                    "`{}` is always there and cannot be declared",
                    name.name
                ))
                .at(name.span, ""),
            );
        } else if let Some(&first) = self.globals.get(name.name.as_str()) {
            self.duplicate(name, first, "");
        } else {
            self.globals.insert(&name.name, name.span);
        }
    }

    fn declare_enum(&mut self, name: &'a Ident, members: &'a [Ident]) {
        if members.is_empty() {
            self.report(
                Diagnostic::error(format!("the enum `{}` has no values", name.name))
                    .at(name.span, ""),
            );
        }
        let id = EnumId(self.program.enums.len());
        self.enums.push(members);
        let whole = format!(" in the enum `{}`", name.name);
        self.declare_values(members, &whole, |index| NamedValue::Member(id, index));
        self.program.enums.push(Enum {
            name: name.name.clone(),
            members: members.iter().map(|member| member.name.clone()).collect(),
        });
        self.types.entry(&name.name).or_insert(TypeEntity::Enum(id));
    }

    fn declare_opaque(&mut self, name: &'a Ident, values: &'a [Ident]) {
        let id = OpaqueId(self.program.opaques.len());
        self.opaques.push(values);
        let whole = format!(" of the type `{}`", name.name);
        self.declare_values(values, &whole, |index| NamedValue::Opaque(id, index));
        self.program.opaques.push(Opaque {
            name: name.name.clone(),
            values: values.iter().map(|value| value.name.clone()).collect(),
        });
        self.types
            .entry(&name.name)
            .or_insert(TypeEntity::Opaque(id));
    }

    fn declare_values(
        &mut self,
        names: &'a [Ident],
        whole: &str,
        value: impl Fn(usize) -> NamedValue,
    ) {
        let mut seen = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            let values = self.named_values.entry(&name.name).or_default();
            values.push(value(index));
            if let Some(&first) = seen.get(name.name.as_str()) {
                self.duplicate(name, first, whole);
            }
            seen.entry(name.name.as_str()).or_insert(name.span);
        }
    }

    fn declare_class(&mut self, decl: &'a ast::ClassSyntax) {
        let id = ClassId(self.program.classes.len());
        self.types
            .entry(&decl.name.name)
            .or_insert(TypeEntity::Class(id));
        let declared = Class::new(decl.name.name.clone(), decl.name.span);
        self.program.classes.push(declared);
        self.classes.push(ClassInfo {
            decl,
            fields: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            routines: Vec::new(),
            values: HashMap::new(),
            callables: HashMap::new(),
        });
    }
}
