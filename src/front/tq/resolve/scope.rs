//! Where an expression or statement stands: which names it sees, and what it may say.

use std::collections::HashMap;

use super::super::ast::Ident;
use super::Resolver;
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{ClassId, FunctionRef, LabelId, Type, VarId};

/// The kind of place an expression stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// The value of a constant.
    Constant,
    /// The first value of a field.
    FieldValue,
    /// An invariant, an initial condition or what is assumed of a state.
    ClassClause,
    /// The value of a function.
    Function,
    /// `requires` of an action or procedure.
    Requires,
    /// `requires` of a constructor.
    ConstructorRequires,
    /// `ensures` of an action or procedure.
    Ensures,
    /// `ensures` of a constructor.
    ConstructorEnsures,
    /// A statement.
    Body,
    /// `invariant` of a loop.
    LoopInvariant,
}

/// What kind of variable a name stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableKind {
    Param,
    Result,
    Local,
    Bound,
    /// The variable of a `for`.
    Counter,
}

#[derive(Clone, Copy)]
pub(super) struct ScopeEntry {
    pub id: VarId,
    pub kind: VariableKind,
    pub span: Span,
}

/// A loop, or a labelled block.
#[derive(Clone, Copy)]
pub(super) struct EnclosingScope<'a> {
    pub id: LabelId,
    pub name: Option<&'a Ident>,
    pub kind: Enclosing,
}

impl EnclosingScope<'_> {
    pub(super) fn is_loop(&self) -> bool {
        !matches!(self.kind, Enclosing::Block)
    }
}

/// What is around.
#[derive(Clone, Copy)]
pub(super) enum Enclosing {
    Block,
    Loop,
    /// A loop with something to do behind each round, which is a block.
    Counted {
        round: LabelId,
    },
}

/// The resolver at one place of the tree.
pub(super) struct Scope<'r, 'a> {
    pub resolver: &'r mut Resolver<'a>,
    pub class: ClassId,
    pub position: Position,
    /// The function whose value this is.
    pub function: Option<FunctionRef>,
    pub inside_old: bool,
    /// The loops and labelled blocks around, innermost last.
    pub around: Vec<EnclosingScope<'a>>,
    /// How many of them there have been in the routine.
    pub labels: usize,
    /// How many handlers are around.
    pub handlers: u32,
    /// How many blocks of a `finally` are around.
    pub finallies: u32,
    /// Variables for what the outside answers to the calls in this statement.
    pub answers: Vec<VarId>,
    /// The results of the routine.
    pub results: Vec<VarId>,
    names: HashMap<&'a str, ScopeEntry>,
    /// The names in the order declared, so that the end of a block can take them back.
    declared: Vec<&'a str>,
}

impl<'r, 'a> Scope<'r, 'a> {
    pub(super) fn new(resolver: &'r mut Resolver<'a>, class: ClassId, position: Position) -> Self {
        Scope {
            resolver,
            class,
            position,
            function: None,
            inside_old: false,
            around: Vec::new(),
            labels: 0,
            handlers: 0,
            finallies: 0,
            answers: Vec::new(),
            results: Vec::new(),
            names: HashMap::new(),
            declared: Vec::new(),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.resolver.report(diagnostic);
    }

    pub(super) fn type_name(&self, ty: &Type) -> String {
        self.resolver.program.type_name(ty)
    }

    pub(super) fn lookup(&self, name: &str) -> Option<ScopeEntry> {
        self.names.get(name).copied()
    }

    pub(super) fn variable_names(&self) -> impl Iterator<Item = &'a str> {
        self.names.keys().copied()
    }

    /// The names of the results that are known here.
    pub(super) fn result_names(&self) -> Vec<&'a str> {
        let results = self.names.iter();
        let results = results.filter(|(_, entry)| entry.kind == VariableKind::Result);
        let mut names: Vec<&str> = results.map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    /// Makes a name known. One that is known already is reported, and keeps its first meaning.
    pub(super) fn declare(&mut self, name: &'a Ident, id: VarId, kind: VariableKind) {
        if let Some(first) = self.lookup(&name.name) {
            self.resolver.duplicate(name, first.span, "");
            return;
        }
        let span = name.span;
        self.names.insert(&name.name, ScopeEntry { id, kind, span });
        self.declared.push(&name.name);
    }

    /// Makes the names of a header known; their clashes have been reported there.
    pub(super) fn declare_header(
        &mut self,
        names: impl Iterator<Item = &'a Ident>,
        ids: &[VarId],
        kind: VariableKind,
    ) {
        for (name, &id) in names.zip(ids) {
            let span = name.span;
            self.names
                .entry(&name.name)
                .or_insert(ScopeEntry { id, kind, span });
        }
    }

    /// Runs something whose declarations end with it.
    pub(super) fn block<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.declared.len();
        let result = inside(self);
        for name in self.declared.drain(before..) {
            self.names.remove(name);
        }
        result
    }

    /// Why `this` and its fields are not known here, if they are not.
    pub(super) fn no_this(&self) -> Option<&'static str> {
        match self.position {
            Position::Constant => Some("the value of a constant"),
            Position::FieldValue => Some("the first value of a field"),
            Position::ConstructorRequires => Some("the `requires` of a constructor"),
            Position::ConstructorEnsures if self.inside_old => Some("the `old` of a constructor"),
            _ => None,
        }
    }
}
