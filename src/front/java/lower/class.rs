//! A class as a whole: its fields, its constants, its routines, and what has to be declared around it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::body::{self, LoweredBody};
use super::exceptions::Exceptions;
use super::methods::Methods;
use super::names::{UniqueNames, routine_names, simple, types_behind};
use super::raises::Context;
use super::shape::{ELEMENT, Enums, FRACTION, OBJECT, Shape};
use super::tidy::tidy;
use crate::front::java::types::ClassName;
use crate::front::tq::ast::{
    self, ClassSyntax, FileSyntax, ItemSyntax, Member, ParamSyntax, RoutineSyntax, StmtSyntaxKind,
};
use crate::front::tq::build::{self, bool, call, expr, ident, int, name, stmt};
use crate::front::tq::{Comments, print_with_comments};
use crate::ir::RoutineKind;

/// What is found out while bodies are made.
#[derive(Debug, Default)]
pub(super) struct ClassState {
    /// Names of types, exceptions, fields and constants.
    pub names: UniqueNames,
    /// The enums that are spoken of.
    pub enums: Enums,
    /// The exceptions.
    pub exceptions: Exceptions,
    /// The names of fields, by those that the studied class gives them.
    pub fields: BTreeMap<String, String>,
    /// The fields that calls of other code may change.
    pub changed_outside: Vec<String>,
    /// The fields that other threads may change while this one waits.
    pub changed_while_waiting: Vec<String>,
    /// The name of the class.
    name: String,
    constants: BTreeMap<(ClassName, String), (String, ast::TypeSyntax)>,
    routines: HashMap<usize, String>,
}

impl ClassState {
    /// The beginning: which fields calls of other code may change, and which other threads while this one waits.
    pub(super) fn new(
        changed_outside: Vec<String>,
        changed_while_waiting: Vec<String>,
    ) -> ClassState {
        ClassState {
            changed_outside,
            changed_while_waiting,
            ..ClassState::default()
        }
    }

    /// The name of a constant: a static field that never changes, of which no more is known.
    pub(super) fn constant(
        &mut self,
        class: &ClassName,
        field: &str,
        shape: &Shape,
        never_null: bool,
    ) -> String {
        let key = (class.clone(), field.to_owned());
        if let Some((known, _)) = self.constants.get(&key) {
            return known.clone();
        }
        let ty = match (shape, never_null) {
            (Shape::Object, true) => build::ty(OBJECT),
            _ => self.enums.ty(shape),
        };
        let here = self.names.give(field);
        self.constants.insert(key, (here.clone(), ty));
        here
    }

    /// The name of the routine that is a method when the class itself calls it.
    pub(super) fn routine(&self, number: usize) -> String {
        self.routines.get(&number).cloned().unwrap_or_default()
    }
}

/// Which routine is made of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MethodRole {
    Constructor,
    Action,
    Helper,
}

/// The text of a class.
pub(super) fn text(context: &Context<'_>, state: ClassState) -> String {
    let mut making = Making {
        context,
        methods: context.methods,
        state,
        entries: HashMap::new(),
        comments: Comments::default(),
        members: Vec::new(),
    };
    making.fields();
    making.name_routines();
    let routines: Vec<(Member, Vec<String>)> = making.routines();
    making.text(routines)
}

struct Making<'a> {
    context: &'a Context<'a>,
    methods: &'a Methods,
    state: ClassState,
    /// The names of what callers call, by number.
    entries: HashMap<usize, String>,
    comments: Comments,
    members: Vec<Member>,
}

impl Making<'_> {
    fn entry(&self, number: usize) -> MethodRole {
        if number < self.methods.constructors {
            MethodRole::Constructor
        } else if number < self.methods.constructors + self.methods.actions {
            MethodRole::Action
        } else {
            MethodRole::Helper
        }
    }

    /// Names the fields. Java's begin with zero, false and null.
    fn fields(&mut self) {
        let class = simple(&self.context.studied.class().name);
        for taken in [OBJECT, ELEMENT, FRACTION] {
            self.state.names.give(taken);
        }
        let class = self.state.names.give(&class);
        self.state.name = class;
        for own in &self.context.studied.fields {
            let here = self.state.names.give(&own.name);
            self.state.fields.insert(own.name.clone(), here);
        }
    }

    fn field_members(&mut self) -> Vec<Member> {
        let mut found = Vec::new();
        for own in &self.context.studied.fields {
            let world = self.context.world;
            let shape = self
                .state
                .enums
                .shape(world, &mut self.state.names, &own.field.ty);
            let value = match &shape {
                Shape::Int => Some(int(0)),
                Shape::Bool => Some(bool(false)),
                Shape::Fraction => None,
                shape => Some(self.state.enums.null(shape)),
            };
            let here = self.state.fields.get(&own.name).cloned();
            found.push(Member::Var {
                name: ident(here.unwrap_or_else(|| own.name.clone())),
                ty: self.state.enums.ty(&shape),
                value,
            });
        }
        found
    }

    fn name_routines(&mut self) {
        let mut names = UniqueNames::default();
        let of = |number: &usize| {
            let method = self.methods.all[*number].method.method();
            (&*method.name, &method.signature)
        };
        let all: Vec<usize> = (0..self.methods.all.len()).collect();
        let (entries, helpers): (Vec<usize>, Vec<usize>) = all
            .iter()
            .partition(|number| self.entry(**number) == MethodRole::Action);
        let named = routine_names(&mut names, entries.iter().map(of));
        for (number, name) in entries.iter().zip(named) {
            if self.methods.all[*number].called {
                let inner = names.give(&format!("do_{name}"));
                self.state.routines.insert(*number, inner);
            }
            self.entries.insert(*number, name);
        }
        for number in helpers {
            let reached = &self.methods.all[number];
            let method = reached.method.method();
            let class = simple(&reached.method.class.name);
            if reached.called {
                let wanted = match method.is_constructor() {
                    true => format!("init_{class}"),
                    false => method.name.to_string(),
                };
                let inner = names.give(&wanted);
                self.state.routines.insert(number, inner);
            }
            if self.entry(number) == MethodRole::Constructor {
                let alone =
                    self.methods.constructors == 1 || method.signature.parameters.is_empty();
                let wanted = format!("with{}", types_behind(&method.signature));
                let here = if alone {
                    String::new()
                } else {
                    names.give(&wanted)
                };
                self.entries.insert(number, here);
            }
        }
    }

    fn routines(&mut self) -> Vec<(Member, Vec<String>)> {
        let mut found = Vec::new();
        for number in 0..self.methods.all.len() {
            let reached = &self.methods.all[number];
            let entry = self.entry(number);
            let lowered = body::lower(self.context, &mut self.state, number);
            let comment = self.comment(number, lowered.as_ref());
            let inner = self.state.routines.get(&number).cloned();
            let called = reached.called && inner.is_some() && lowered.is_some();
            if entry != MethodRole::Helper {
                let here = self.entries.get(&number).cloned().unwrap_or_default();
                let lowered = match (&lowered, called && entry == MethodRole::Action) {
                    (Some(lowered), true) => {
                        Some(calling(&inner.clone().unwrap_or_default(), lowered))
                    }
                    _ => None,
                }
                .or_else(|| body::lower(self.context, &mut self.state, number))
                .unwrap_or_else(|| self.unknown(number));
                found.push((routine(entry, &here, lowered), comment.clone()));
            }
            if let (true, Some(inner), Some(lowered)) = (called, inner, lowered) {
                found.push((routine(MethodRole::Helper, &inner, lowered), comment));
            }
        }
        found
    }

    /// An action whose body is not known: it gives any result, and changes any field.
    fn unknown(&mut self, number: usize) -> LoweredBody {
        let signature = self.methods.all[number].method.method().signature.clone();
        let world = self.context.world;
        let mut names = UniqueNames::default();
        let mut parameter = |state: &mut ClassState, wanted: &str, ty| {
            let shape = state.enums.shape(world, &mut state.names, ty);
            ParamSyntax::new(ident(names.give(wanted)), state.enums.ty(&shape))
        };
        let parameters = signature
            .parameters
            .iter()
            .map(|ty| parameter(&mut self.state, "p", ty))
            .collect();
        let results = signature
            .result
            .iter()
            .map(|ty| parameter(&mut self.state, "result", ty))
            .collect();
        let places: Vec<ast::ExprSyntax> = self
            .state
            .fields
            .values()
            .map(|field| build::dot(build::this(), field))
            .collect();
        let havoc = (!places.is_empty()).then(|| stmt(StmtSyntaxKind::Havoc(places)));
        LoweredBody {
            parameters,
            results,
            block: build::block(havoc.into_iter().collect()),
            outside: BTreeSet::new(),
        }
    }

    /// Where a method is written, and what its text leaves open.
    fn comment(&self, number: usize, lowered: Option<&LoweredBody>) -> Vec<String> {
        let reached = &self.methods.all[number];
        let class = &reached.method.class;
        let file = class
            .source
            .as_ref()
            .map_or_else(|| class.name.to_string(), ToString::to_string);
        let code = class.code(reached.method.method()).ok().flatten();
        let line = code.and_then(|code| code.line(crate::front::java::classfile::Pc(0)));
        let place = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
        let mut comment = vec![place];
        match (lowered, &reached.refused) {
            (Some(lowered), _) if !lowered.outside.is_empty() => {
                let outside: Vec<&str> = lowered.outside.iter().map(String::as_str).collect();
                comment.extend(lines("other code: ", &outside));
            }
            (None, Some(refused)) => comment.push(format!("anything may happen: {refused}")),
            (None, None) => comment.push("anything may happen: it has no code".to_owned()),
            _ => {}
        }
        comment
    }

    fn text(mut self, routines: Vec<(Member, Vec<String>)>) -> String {
        let fields = self.field_members();
        let constants = self
            .state
            .constants
            .values()
            .map(|(here, ty)| Member::Const {
                name: ident(here.as_str()),
                ty: ty.clone(),
                value: None,
            });
        self.members = constants.chain(fields).collect();
        let class = self.state.name.clone();
        for (member, comment) in routines {
            self.comments
                .before_member(&class, self.members.len(), comment);
            self.members.push(member);
        }
        self.comments.before_class(&class, self.header());
        let mut items = Vec::new();
        for (_, found) in self.state.enums.known() {
            let members = [&found.none]
                .into_iter()
                .chain(found.constants.iter().map(|(_, here)| here));
            items.push(ItemSyntax::Enum {
                name: ident(found.name.as_str()),
                members: members.map(|member| ident(member.as_str())).collect(),
            });
        }
        let studied = ClassSyntax {
            name: ident(class.as_str()),
            members: std::mem::take(&mut self.members),
            span: Default::default(),
        };
        let alone = FileSyntax {
            items: vec![ItemSyntax::Class(studied.clone())],
        };
        let text = crate::front::tq::print(&alone);
        let speaks_of = |word: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.any(|found| found == word)
        };
        for ty in [FRACTION, ELEMENT] {
            if speaks_of(ty) {
                items.push(ItemSyntax::Opaque {
                    name: ident(ty),
                    values: Vec::new(),
                });
            }
        }
        let exceptions = self.state.exceptions.declared();
        for exception in exceptions.filter(|exception| speaks_of(exception)) {
            items.push(ItemSyntax::Exception {
                name: ident(exception),
            });
        }
        if speaks_of(OBJECT) {
            items.push(ItemSyntax::Class(object()));
        }
        items.push(ItemSyntax::Class(studied));
        print_with_comments(&FileSyntax { items }, self.comments)
    }

    /// What is to be known of the whole text.
    fn header(&self) -> Vec<String> {
        let studied = self.context.studied;
        let class = studied.class();
        let source = class.source.as_deref().unwrap_or("no source");
        let mut header = vec![
            format!("{} ({source}), from its class file.", class.name),
            "Numbers are as large as they get, objects are known by identity alone, arrays by their length."
                .to_owned(),
            "Other code gives any results, and raises what it declares: exceptions whose names end in _outside."
                .to_owned(),
        ];
        if let Some(missing) = &studied.missing {
            header.push(format!(
                "{missing} is not there, so what it has is not in here."
            ));
        }
        if !self.state.changed_outside.is_empty() {
            let fields: Vec<&str> = self
                .state
                .changed_outside
                .iter()
                .map(String::as_str)
                .collect();
            header.extend(lines("Other code may change: ", &fields));
        }
        header
    }
}

/// Names with commas, in lines that are not too long.
fn lines(first: &str, names: &[&str]) -> Vec<String> {
    const WIDTH: usize = 100;
    let mut found = Vec::new();
    let mut line = first.to_owned();
    for (at, name) in names.iter().enumerate() {
        let last = at + 1 == names.len();
        let word = if last {
            (*name).to_owned()
        } else {
            format!("{name}, ")
        };
        if line.len() + word.len() > WIDTH && line.len() > first.len() {
            found.push(line.trim_end().to_owned());
            line = "  ".to_owned();
        }
        line.push_str(&word);
    }
    found.push(line);
    found
}

/// The class of all objects that are not studied.
fn object() -> ClassSyntax {
    let constructor = RoutineSyntax {
        kind: RoutineKind::Constructor,
        pure: false,
        control: None,
        name: None,
        params: Vec::new(),
        returns: Vec::new(),
        outcomes: Vec::new(),
        contract: Vec::new(),
        body: Some(build::block(Vec::new())),
        span: Default::default(),
    };
    ClassSyntax {
        name: ident(OBJECT),
        members: vec![Member::Routine(constructor)],
        span: Default::default(),
    }
}

/// A routine that does what a procedure does.
fn calling(procedure: &str, lowered: &LoweredBody) -> LoweredBody {
    let arguments = lowered.parameters.iter().map(|p| name(&p.name.name));
    let called = call(procedure, arguments.collect());
    let done = match lowered.results.as_slice() {
        [result] => stmt(StmtSyntaxKind::Assign {
            targets: vec![name(&result.name.name)],
            value: ast::Rhs::Expr(expr(*called.kind)),
        }),
        _ => stmt(StmtSyntaxKind::Call(called)),
    };
    LoweredBody {
        parameters: lowered.parameters.clone(),
        results: lowered.results.clone(),
        block: build::block(vec![done]),
        outside: BTreeSet::new(),
    }
}

fn routine(entry: MethodRole, here: &str, lowered: LoweredBody) -> Member {
    let kind = match entry {
        MethodRole::Constructor => RoutineKind::Constructor,
        MethodRole::Action => RoutineKind::Action,
        MethodRole::Helper => RoutineKind::Procedure,
    };
    Member::Routine(RoutineSyntax {
        kind,
        pure: false,
        control: None,
        name: (!here.is_empty()).then(|| ident(here)),
        params: lowered.parameters,
        returns: lowered.results,
        outcomes: Vec::new(),
        contract: Vec::new(),
        body: Some(tidy(lowered.block)),
        span: Default::default(),
    })
}
