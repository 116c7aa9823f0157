//! The typed program: every name resolved, every expression with its type, convenience syntax taken apart.
//!
//! This is what the encoder, the interpreter and the analyses read. The resolver builds it from the
//! syntax tree; nothing else does, so whatever is in here is well-typed.
//!
//! What the resolver takes apart, so that nobody behind it needs to know:
//! - constants with a value are replaced by it; enum values, `this` and field paths are resolved;
//! - `m[k] := v` on a map is `m := m[k := v]`; chains of comparisons are conjunctions;
//! - `return e;` assigns the result and returns; `var x: T;` without a value is `havoc x;`
//! - `else if` is nested; a block as a statement is inlined (its variables are distinct anyway);
//! - every `break` and `continue` says which loop or block it means; `finally` is spelt out for each way to leave the `try`.

pub(crate) mod alike;
pub mod backwards;
pub mod calm;
mod classes;
mod diagnostic;
pub mod effects;
mod exceptions;
mod expressions;
pub mod facts;
pub mod formula;
pub mod guard;
mod hint;
mod ids;
mod java_calls;
pub mod loops;
mod messages;
pub(crate) mod operators;
pub mod scalarsets;
pub mod shares;
pub mod slice;
pub(crate) mod source;
pub mod span;
mod statements;
mod text;
pub mod totals;
mod types;

pub use classes::{
    Class, Control, Field, FromBody, Function, Routine, RoutineKind, Split, StateAssumption,
};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub(crate) use diagnostic::{DiagnosticSink, rendered};
pub use exceptions::BuiltinException;
pub use expressions::{Expr, ExprKind};
pub use hint::Fix;
pub(crate) use hint::Hint;
pub(crate) use ids::id;
pub use ids::{
    ClassId, EnumId, ExceptionId, FieldRef, FunctionRef, LabelId, OpaqueId, RoutineRef, VarId,
};
pub use java_calls::{JavaCall, JavaCalls, JavaInteger, JavaParameter, JavaValues};
pub use messages::{Addressee, ArgumentType, Called, Clock, MessageForm, MessagePart, Messages};
pub use operators::{BinaryOp, CompareOp, Quantifier};
pub use source::{MAX_JSON_SIZE, MAX_SIZE, Source, UserLine};
pub use statements::{Block, Catch, Condition, Place, Stmt, StmtKind, handler_of};
pub use text::expr_text;
pub(crate) use text::expr_text_among;
pub use types::{MachineInt, Type};

use std::collections::{BTreeMap, BTreeSet};

/// A whole file, resolved.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The enums.
    pub enums: Vec<Enum>,
    /// The names of the opaque types.
    pub opaques: Vec<Opaque>,
    /// The names of the exceptions; the first are [`BuiltinException::ALL`].
    pub exceptions: Vec<String>,
    /// What exceptions are called where they are shown, if that is something else.
    pub shown_exceptions: BTreeMap<ExceptionId, String>,
    /// Those by which bodies refuse calls that are not to be made, where what routines require was taken from there.
    pub refusing: BTreeSet<ExceptionId>,
    /// The classes, in the order declared.
    pub classes: Vec<Class>,
    /// All variables.
    pub vars: Vec<Var>,
}

impl Program {
    /// The class of this name.
    pub fn class_named(&self, name: &str) -> Option<ClassId> {
        self.classes
            .iter()
            .position(|c| c.name == name)
            .map(ClassId)
    }

    /// The class.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0]
    }

    /// A variable that was not there before.
    pub(crate) fn new_var(&mut self, name: impl Into<String>, ty: Type) -> VarId {
        self.vars.push(Var {
            name: name.into(),
            ty,
        });
        VarId(self.vars.len() - 1)
    }

    /// The variable.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0]
    }

    /// The field's declaration.
    pub fn field(&self, field: FieldRef) -> &Field {
        &self.classes[field.class.0].fields[field.index]
    }

    /// The type of what stands at a place.
    pub fn place_type(&self, place: &Place) -> Type {
        match place {
            Place::Var(id) => self.var(*id).ty.clone(),
            Place::Field(_, field) => self.field(*field).ty.clone(),
            Place::Element(array, _) => match &array.ty {
                Type::Array { element, .. } => (**element).clone(),
                _ => Type::Int,
            },
        }
    }

    /// The routine.
    pub fn routine(&self, routine: RoutineRef) -> &Routine {
        &self.classes[routine.class.0].routines[routine.index]
    }

    /// How objects of the class are made: by its constructors, or without one (none), as its `initially` says.
    pub fn constructors(&self, class: ClassId) -> Vec<Option<RoutineRef>> {
        let declared = self.class(class).routines_of(RoutineKind::Constructor);
        let mut constructors: Vec<Option<RoutineRef>> = declared
            .map(|index| Some(RoutineRef { class, index }))
            .collect();
        if constructors.is_empty() {
            constructors.push(None);
        }
        constructors
    }

    /// The routine with the types of its parameters, by which constructors are told apart: `FiniteStack(int)`; or as it is
    /// shown.
    pub fn signature(&self, routine: RoutineRef) -> String {
        let declared = self.routine(routine);
        if let Some(shown) = &declared.shown {
            return shown.clone();
        }
        let given = declared.given();
        let types: Vec<String> = given.map(|p| self.type_name(&self.var(p).ty)).collect();
        format!("{}({})", declared.name, types.join(", "))
    }

    /// The routine as a word in a name: as it is called; a constructor without a name of its own is `new`, numbered from
    /// the second on.
    pub fn word(&self, routine: RoutineRef) -> String {
        let class = self.class(routine.class);
        let name = &self.routine(routine).name;
        if self.routine(routine).kind != RoutineKind::Constructor || *name != class.name {
            return name.clone();
        }
        let unnamed = class
            .routines_of(RoutineKind::Constructor)
            .filter(|i| class.routines[*i].name == class.name)
            .position(|i| i == routine.index);
        match unnamed {
            None | Some(0) => "new".into(),
            Some(n) => format!("new#{}", n + 1),
        }
    }

    /// The classes and arrays of which some body makes new ones.
    pub fn made_types(&self) -> BTreeSet<Type> {
        let mut found = BTreeSet::new();
        self.each_statement(&mut |stmt| found.extend(stmt.made_type()));
        found
    }

    /// The types of the elements of arrays that some body makes with a value everywhere.
    pub fn filled_types(&self) -> BTreeSet<Type> {
        let mut found = BTreeSet::new();
        self.each_statement(&mut |stmt| {
            if let StmtKind::NewArray {
                element,
                fill: Some(_),
                ..
            } = &stmt.kind
            {
                found.insert(element.clone());
            }
        });
        found
    }

    /// Calls something with each statement of each body, those inside of others included.
    fn each_statement(&self, visit: &mut dyn FnMut(&Stmt)) {
        let routines = self.classes.iter().flat_map(|c| &c.routines);
        let mut blocks: Vec<&Block> = routines.filter_map(|r| r.body.as_ref()).collect();
        while let Some(block) = blocks.pop() {
            for stmt in block {
                blocks.extend(stmt.blocks());
                visit(stmt);
            }
        }
    }

    /// The types that the program mentions, and those that they are made of.
    pub fn mentioned_types(&self) -> BTreeSet<Type> {
        let mut open: Vec<Type> = self.vars.iter().map(|v| v.ty.clone()).collect();
        for class in &self.classes {
            open.extend(class.fields.iter().map(|f| f.ty.clone()));
            open.extend(class.functions.iter().map(|f| f.result.clone()));
        }
        open.extend(self.made_types());
        let mut found = BTreeSet::new();
        while let Some(ty) = open.pop() {
            match &ty {
                Type::Array { element, .. } => open.push((**element).clone()),
                Type::Map(key, value) => open.extend([(**key).clone(), (**value).clone()]),
                _ => {}
            }
            found.insert(ty);
        }
        found
    }

    /// The function.
    pub fn function(&self, function: FunctionRef) -> &Function {
        &self.classes[function.class.0].functions[function.index]
    }

    /// The exception's name.
    pub fn exception(&self, id: ExceptionId) -> &str {
        &self.exceptions[id.0]
    }

    /// What the exception is called where it is shown.
    pub fn exception_shown(&self, id: ExceptionId) -> &str {
        let shown = self.shown_exceptions.get(&id);
        shown.map_or_else(|| self.exception(id), String::as_str)
    }

    /// The exception of this name.
    pub fn exception_named(&self, name: &str) -> Option<ExceptionId> {
        self.exceptions
            .iter()
            .position(|known| known == name)
            .map(ExceptionId)
    }

    /// The exception that is shown so.
    pub fn exception_shown_as(&self, text: &str) -> Option<ExceptionId> {
        let mut all = (0..self.exceptions.len()).map(ExceptionId);
        all.find(|id| self.exception_shown(*id) == text)
    }

    /// The exception that is called this: by its name, or else as it is shown.
    pub fn exception_called(&self, name: &str) -> Option<ExceptionId> {
        self.exception_named(name)
            .or_else(|| self.exception_shown_as(name))
    }

    /// The type as written in the source.
    pub fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Int => "int".into(),
            Type::Nat => "nat".into(),
            Type::Bool => "bool".into(),
            Type::Within(m) => format!("int in {}", m.name()),
            Type::Machine(m) => m.name(),
            Type::Enum(id) => self.enums[id.0].name.clone(),
            Type::Opaque(id) => self.opaques[id.0].name.clone(),
            Type::Class { class, nullable } => {
                format!(
                    "{}{}",
                    self.classes[class.0].name,
                    if *nullable { "?" } else { "" }
                )
            }
            Type::Array { element, nullable } => {
                format!(
                    "array<{}>{}",
                    self.type_name(element),
                    if *nullable { "?" } else { "" }
                )
            }
            Type::Map(key, value) => {
                format!("map<{}, {}>", self.type_name(key), self.type_name(value))
            }
            Type::Null => "null".into(),
        }
    }
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// Its values, at least one.
    pub members: Vec<String>,
}

/// A type of which the values can only be compared.
#[derive(Clone, Debug)]
pub struct Opaque {
    /// Its name.
    pub name: String,
    /// Those of its values that have names. They are different; there are others.
    pub values: Vec<String>,
}

/// A parameter, result, local or bound variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name in the source.
    pub name: String,
    /// Its declared type.
    pub ty: Type,
}
