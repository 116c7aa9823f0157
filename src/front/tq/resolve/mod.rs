//! From the syntax tree to the typed program: names, types, and the rules that go beyond the grammar.
//!
//! 1. [`declare`]: the names of the file: types, exceptions, classes;
//! 2. [`members`]: the names and signatures in each class;
//! 3. [`constants`]: the values of constants, in the order in which they need each other;
//! 4. [`bodies`]: everything that contains an expression or a statement ([`expressions`], [`operators`],
//!    [`calls`], [`statements`], [`places`]), and the contracts;
//! 5. [`frames`] and [`cycles`]: what follows from the whole: `pure`, `modifies`, functions that call themselves;
//!    [`mod@unset`]: what has any value though nobody says so.
//!
//! An error does not stop it. What is wrong is reported where it is wrong and becomes `None`, "poison"; whatever
//! is made of poison is poison, without another report. The program that comes out is complete only if no
//! error was reported.

mod bodies;
mod calls;
mod constants;
mod cycles;
mod declare;

mod expressions;
mod frames;
mod members;
mod operators;
mod places;
mod scope;
mod splits;
mod statements;
mod types;
mod unset;

use std::collections::{BTreeSet, HashMap};

use super::ast;
use super::mentions::{Mention, Mentions};
use super::names::did_you_mean;
use crate::ir::span::Span;
use crate::ir::{
    ClassId, EnumId, ExceptionId, Expr, ExprKind, FunctionRef, OpaqueId, Program, Type, Var, VarId,
};
use crate::ir::{Diagnostic, DiagnosticSink, Hint};
use expressions::make;

/// The typed program of a tree, and which name stands for what; what is wrong is reported in `found`. With `holes`, parts of
/// the text are missing in the tree because of syntax errors: then an unknown name is no news.
pub(super) fn program(
    file: &ast::FileSyntax,
    holes: bool,
    found: &mut DiagnosticSink,
) -> (Program, Mentions) {
    let mut resolver = Resolver {
        found,
        holes,
        program: Program::default(),
        globals: HashMap::new(),
        enums: Vec::new(),
        opaques: Vec::new(),
        types: HashMap::new(),
        exceptions: HashMap::new(),
        named_values: HashMap::new(),
        classes: Vec::new(),
        poisoned: BTreeSet::new(),
        function_calls: Vec::new(),
        mentions: Vec::new(),
    };
    resolver.declare(file);
    resolver.members();
    resolver.constants();
    resolver.bodies();
    resolver.recursive_functions();
    resolver.frames();
    if !holes && resolver.found.errors() == 0 {
        resolver.unset();
    }
    (resolver.program, Mentions::of(resolver.mentions))
}

/// A value that has a name.
#[derive(Clone, Copy)]
enum NamedValue {
    /// Of an enum.
    Member(EnumId, usize),
    /// Of an opaque type.
    Opaque(OpaqueId, usize),
}

impl NamedValue {
    fn ty(self) -> Type {
        match self {
            NamedValue::Member(id, _) => Type::Enum(id),
            NamedValue::Opaque(id, _) => Type::Opaque(id),
        }
    }

    fn expr(self, span: Span) -> Expr {
        let kind = match self {
            NamedValue::Member(id, index) => ExprKind::Member(id, index),
            NamedValue::Opaque(id, index) => ExprKind::Named(id, index),
        };
        make(kind, self.ty(), span)
    }
}

/// What a name of a type stands for.
#[derive(Clone, Copy)]
enum TypeEntity {
    Enum(EnumId),
    Opaque(OpaqueId),
    Class(ClassId),
}

struct Resolver<'a> {
    found: &'a mut DiagnosticSink,
    holes: bool,
    program: Program,
    /// Where the names of the file are declared.
    globals: HashMap<&'a str, Span>,
    /// The values of the enums, as they are declared; and those of the opaque types.
    enums: Vec<&'a [ast::Ident]>,
    opaques: Vec<&'a [ast::Ident]>,
    types: HashMap<&'a str, TypeEntity>,
    exceptions: HashMap<&'a str, ExceptionId>,
    /// The values that have names, of enums and of opaque types: several of these can use the same name.
    named_values: HashMap<&'a str, Vec<NamedValue>>,
    classes: Vec<ClassInfo<'a>>,
    /// Variables whose type is not known.
    poisoned: BTreeSet<VarId>,
    /// Which function calls which, and where.
    function_calls: Vec<(FunctionRef, FunctionRef, Span)>,
    mentions: Vec<Mention>,
}

/// What is known of a class before its expressions are looked at. Indices agree with those of the program.
struct ClassInfo<'a> {
    decl: &'a ast::ClassSyntax,
    fields: Vec<FieldInfo<'a>>,
    constants: Vec<ConstantInfo<'a>>,
    functions: Vec<FunctionInfo<'a>>,
    routines: Vec<RoutineInfo<'a>>,
    /// Fields and constants by name.
    values: HashMap<&'a str, ValueEntity>,
    /// Functions, actions, procedures and named constructors by name.
    callables: HashMap<&'a str, CallableEntity>,
}

#[derive(Clone, Copy)]
enum ValueEntity {
    Field(usize),
    Constant(usize),
}

#[derive(Clone, Copy)]
enum CallableEntity {
    Function(usize),
    Routine(usize),
}

struct FieldInfo<'a> {
    ty: Option<Type>,
    value: Option<&'a ast::ExprSyntax>,
}

/// `const MAX: int := 5;`
struct ConstantInfo<'a> {
    name: &'a ast::Ident,
    ty: Option<Type>,
    expr: &'a ast::ExprSyntax,
    /// Its value as a literal; poison as long as it is not known.
    value: Option<Expr>,
}

struct FunctionInfo<'a> {
    decl: &'a ast::FunctionSyntax,
    params: Vec<VarId>,
    result: Option<Type>,
}

struct RoutineInfo<'a> {
    decl: &'a ast::RoutineSyntax,
    params: Vec<VarId>,
    results: Vec<VarId>,
}

impl<'a> Resolver<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Reports a name that nothing has, with the nearest of those that there are.
    fn unknown<'n>(
        &mut self,
        what: &str,
        name: &ast::Ident,
        candidates: impl IntoIterator<Item = &'n str>,
    ) {
        self.unknown_or(what, name, candidates, None);
    }

    /// The same, where there is something better to say if no name is near.
    fn unknown_or<'n>(
        &mut self,
        what: &str,
        name: &ast::Ident,
        candidates: impl IntoIterator<Item = &'n str>,
        habit: Option<Hint>,
    ) {
        if self.holes {
            return;
        }
        let help = habit.or_else(|| self.nearest(&name.name, candidates));
        let diagnostic = Diagnostic::error(format!("there is no {what} `{}`", name.name))
            .at(name.span, "")
            .maybe_help(help);
        self.report(diagnostic);
    }

    /// The hint that names the candidate nearest to a name. Only the first errors get one, which are the ones
    /// that are read, and only where there are not too many candidates: the search takes its time.
    fn nearest<'n>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<Hint> {
        const ERRORS: usize = 100;
        const CANDIDATES: usize = 2000;
        if self.found.errors() >= ERRORS {
            return None;
        }
        let mut sorted: Vec<&str> = candidates.into_iter().take(CANDIDATES + 1).collect();
        if sorted.len() > CANDIDATES {
            return None;
        }
        sorted.sort_unstable();
        did_you_mean(name, sorted)
    }

    /// Reports a name that is given twice.
    fn duplicate(&mut self, name: &ast::Ident, first: Span, scope: &str) {
        self.report(
            Diagnostic::error(format!("`{}` is declared twice{scope}", name.name))
                .at(name.span, "declared again here")
                .at(first, "first declared here"),
        );
    }

    /// A new variable; one of an unknown type is poisoned.
    fn variable(&mut self, name: &str, ty: Option<Type>) -> VarId {
        let id = VarId(self.program.vars.len());
        if ty.is_none() {
            self.poisoned.insert(id);
        }
        self.program.vars.push(Var {
            name: name.to_owned(),
            ty: ty.unwrap_or(Type::Null),
        });
        id
    }

    /// The declared type of a variable.
    fn variable_type(&self, id: VarId) -> Option<Type> {
        if self.poisoned.contains(&id) {
            return None;
        }
        self.program.vars.get(id.0).map(|var| var.ty.clone())
    }

    /// That a name stands for what is declared there.
    fn mention(&mut self, name: &ast::Ident, declared: Option<Span>) {
        let place = name.span;
        let mention = declared.map(|declared| Mention { place, declared });
        self.mentions.extend(mention);
    }

    /// That a name stands for what the file declares by this name; some are always there.
    fn mention_global(&mut self, name: &ast::Ident) {
        self.mention(name, self.globals.get(name.name.as_str()).copied());
    }

    fn mention_named_value(&mut self, name: &ast::Ident, value: NamedValue) {
        let (values, index) = match value {
            NamedValue::Member(id, index) => (self.enums.get(id.0), index),
            NamedValue::Opaque(id, index) => (self.opaques.get(id.0), index),
        };
        let declared = values.and_then(|values| values.get(index));
        self.mention(name, declared.map(|declared| declared.span));
    }

    fn mention_value(&mut self, name: &ast::Ident, class: ClassId, value: ValueEntity) {
        let declared = match value {
            ValueEntity::Field(index) => {
                self.program.class(class).fields.get(index).map(|f| f.span)
            }
            ValueEntity::Constant(index) => {
                let constant = self.class_info(class).constants.get(index);
                constant.map(|constant| constant.name.span)
            }
        };
        self.mention(name, declared);
    }

    fn mention_callable(&mut self, name: &ast::Ident, class: ClassId, called: CallableEntity) {
        let info = self.class_info(class);
        let declared = match called {
            CallableEntity::Function(index) => {
                info.functions.get(index).map(|info| info.decl.name.span)
            }
            CallableEntity::Routine(index) => info.routines.get(index).map(|info| {
                let name = info.decl.name.as_ref();
                name.map_or(info.decl.span, |name| name.span)
            }),
        };
        self.mention(name, declared);
    }

    fn class_info(&self, id: ClassId) -> &ClassInfo<'a> {
        // Class ids are made by `declare`, one for each entry.
        &self.classes[id.0]
    }
}
