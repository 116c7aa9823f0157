//! A class as a whole: its fields, its constants, its routines, and what has to be declared around it.

mod owed;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::body::{self, LoweredBody};
use super::calls;
use super::closed::FieldsByWriters;
use super::constants::UnknownConstant;
use super::elsewhere::{self, Elsewhere, Reach};
use super::exceptions::Exceptions;
use super::helpers::OwnerId;
use super::methods::Methods;
use super::names::{UniqueNames, routine_names, simple, types_behind};
use super::raises::Context;
use super::shape::{ELEMENT, FRACTION, OBJECT, Shape, Types};
use super::shown::{shown_names, told_apart};
use super::tidy::tidy;
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::MethodOf;
use crate::front::java::world::initialiser::StaticValue;
use crate::front::java::world::nesting::is_outer_object;
use crate::front::tq::ast::{
    self, ClassSyntax, ContractClause, ExprSyntax, FileSyntax, ItemSyntax, Member, ParamSyntax,
    RoutineSyntax, StmtSyntax, StmtSyntaxKind,
};
use crate::front::tq::build::{
    self, bool, call, conditional, dot, equal, expr, ident, int, name, null, star, stmt, this,
    throw,
};
use crate::front::tq::{Comments, print_with_comments};
use crate::ir::{JavaCalls, RoutineKind};

/// What is found out while bodies are made.
#[derive(Debug, Default)]
pub(super) struct ClassState {
    /// Names of types, exceptions, fields and constants.
    pub names: UniqueNames,
    /// The types that are spoken of.
    pub types: Types,
    /// The exceptions.
    pub exceptions: Exceptions,
    /// The names of fields, by those that their classes give them.
    pub fields: BTreeMap<(OwnerId, String), String>,
    /// What other code may change.
    pub elsewhere: Elsewhere,
    /// The methods of other code whose results are believed to be as their documentation says.
    pub believed: BTreeSet<String>,
    /// The name of the class.
    name: String,
    constants: BTreeMap<(OwnerId, ClassName, String), UnknownConstant>,
    routines: HashMap<usize, String>,
    /// The exception by which actions refuse what their author says is not to be called.
    not_allowed: Option<String>,
}

impl ClassState {
    /// The beginning: what other code may change.
    pub(super) fn new(elsewhere: Elsewhere) -> ClassState {
        ClassState {
            elsewhere,
            ..ClassState::default()
        }
    }

    /// The name of the class under study, or of a helper.
    pub(super) fn class_name(&self, owner: OwnerId) -> &str {
        match owner {
            OwnerId::STUDIED => &self.name,
            helper => self.types.helper(helper),
        }
    }

    /// A constant: a static field that never changes, of which no more is known than this.
    pub(super) fn constant(
        &mut self,
        owner: OwnerId,
        (class, field): (&ClassName, &str),
        shape: &Shape,
        known: Option<&StaticValue>,
    ) -> &UnknownConstant {
        let key = (owner, class.clone(), field.to_owned());
        self.constants.entry(key).or_insert_with(|| {
            let here = self.names.give(field);
            UnknownConstant::new((owner, here), self.types.ty(shape), known)
        })
    }

    /// The rules of the objects that the object under study is made in, each as one condition.
    pub(super) fn rules_around(&self, methods: &Methods<'_>) -> Vec<ExprSyntax> {
        let helpers = &methods.helpers;
        let fields = helpers.class(OwnerId::STUDIED).fields.iter();
        let outer = fields.filter(|own| is_outer_object(&own.field));
        let rules = outer.filter_map(|own| {
            let here = self.fields.get(&(OwnerId::STUDIED, own.name.clone()))?;
            let JavaType::Class(class) = &own.field.ty else {
                return None;
            };
            let mut used = helpers.used();
            let (id, helper) = used.find(|(_, helper)| helper.class.class().name == *class)?;
            let object = dot(this(), here);
            let field = |java: &str| self.fields.get(&(id, java.to_owned())).cloned();
            let rules = helper.around.as_ref()?.hold_of(&object, field);
            let all = rules.into_iter().reduce(build::and)?;
            Some(build::or(equal(object, null()), all))
        });
        rules.collect()
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

/// A class as a text, and what is to be known of names in it.
pub(super) struct ClassText {
    /// The text.
    pub text: String,
    /// The tree that this was printed from.
    pub tree: FileSyntax,
    /// The exceptions in it that are `Error`s.
    pub errors: BTreeSet<String>,
    /// What exceptions are called where they are shown, where that is something else.
    pub shown_exceptions: BTreeMap<String, String>,
    /// Those that other code raises.
    pub of_other_code: BTreeSet<String>,
    /// Fields of the class, by the names that they have in it.
    pub fields: FieldsByWriters,
    /// What the fields of the class are called in Java, by their names in the text.
    pub names: BTreeMap<String, String>,
    /// The calls that its routines stand for.
    pub calls: JavaCalls,
    /// The conditions that are written down and not in it, in sentences.
    pub left_out: Vec<String>,
}

/// The text of a class, with who changes its fields.
pub(super) fn text(
    context: &Context<'_>,
    state: ClassState,
    fields: &FieldsByWriters,
) -> ClassText {
    let mut making = Making {
        context,
        methods: context.methods,
        state,
        entries: HashMap::new(),
        shown: HashMap::new(),
        comments: Comments::default(),
        owed: BTreeSet::new(),
        left_out: Vec::new(),
    };
    making.names();
    making.name_routines();
    making.show_routines();
    let routines = making.routines();
    making.text(routines, fields)
}

/// A routine, the class that has it, and what is to be said of it.
type Made = (OwnerId, Member, Vec<String>);

struct Making<'a> {
    context: &'a Context<'a>,
    methods: &'a Methods<'a>,
    state: ClassState,
    /// The names of what callers call, by number.
    entries: HashMap<usize, String>,
    /// What these are called where they are shown, where that is something else.
    shown: HashMap<usize, String>,
    comments: Comments,
    /// The actions of which something is written down that callers owe to them.
    owed: BTreeSet<String>,
    /// The conditions that are written down and not taken, in sentences.
    left_out: Vec<String>,
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

    /// Names the classes and their fields.
    fn names(&mut self) {
        let class = simple(&self.context.studied.class().name);
        for taken in [OBJECT, ELEMENT, FRACTION] {
            self.state.names.give(taken);
        }
        let class = self.state.names.give(&class);
        self.state.name = class;
        for own in &self.context.studied.fields {
            let here = self.state.names.give(&own.name);
            let key = (OwnerId::STUDIED, own.name.clone());
            self.state.fields.insert(key, here);
        }
        for (id, helper) in self.methods.helpers.used() {
            let class = &helper.class.class().name;
            let here = self.state.names.give(&simple(class));
            self.state.types.name_helper(class.clone(), id, here);
        }
        for (id, helper) in self.methods.helpers.used() {
            for own in helper.class.fields.iter().filter(|own| helper.keeps(own)) {
                let here = self.state.names.give(&own.name);
                self.state.fields.insert((id, own.name.clone()), here);
            }
        }
    }

    /// The fields of which values are known. Java's begin with zero, false and null.
    fn fields(&mut self, owner: OwnerId) -> Vec<Member> {
        let mut found = Vec::new();
        for own in &self.methods.helpers.class(owner).fields {
            let Some(here) = self.state.fields.get(&(owner, own.name.clone())).cloned() else {
                continue;
            };
            let world = self.context.world;
            let shape = self
                .state
                .types
                .shape(world, &mut self.state.names, &own.field.ty);
            let value = match &shape {
                Shape::Int => Some(int(0)),
                Shape::Bool => Some(bool(false)),
                Shape::Fraction => None,
                shape => Some(self.state.types.null(shape)),
            };
            found.push(Member::Var {
                name: ident(here),
                ty: self.state.types.ty(&shape),
                value,
            });
        }
        found
    }

    fn name_routines(&mut self) {
        let mut of_helpers: HashMap<OwnerId, UniqueNames> = HashMap::new();
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
        let makers: Vec<usize> = match self.methods.are_made {
            true => (0..self.methods.constructors).collect(),
            false => Vec::new(),
        };
        let named = routine_names(&mut names, makers.iter().map(of));
        self.entries.extend(makers.into_iter().zip(named));
        for number in helpers {
            let reached = &self.methods.all[number];
            let method = reached.method.method();
            let class = simple(&reached.method.class.name);
            if reached.called {
                let wanted = match method.is_constructor() {
                    true => format!("init_{class}"),
                    false => method.name.to_string(),
                };
                let names = match reached.owner {
                    OwnerId::STUDIED => &mut names,
                    helper => of_helpers.entry(helper).or_default(),
                };
                let inner = names.give(&wanted);
                self.state.routines.insert(number, inner);
            }
            if self.entry(number) == MethodRole::Constructor && !self.methods.are_made {
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

    fn show_routines(&mut self) {
        for role in [MethodRole::Constructor, MethodRole::Action] {
            let numbers = 0..self.methods.all.len();
            let numbers: Vec<usize> = numbers
                .filter(|number| self.entry(*number) == role)
                .collect();
            let methods: Vec<&MethodOf> = numbers
                .iter()
                .map(|number| &self.methods.all[*number].method)
                .collect();
            let constructing = role == MethodRole::Constructor;
            let shown = shown_names(self.context.world, &methods, constructing);
            let here = |number: &usize| match self.entries.get(number) {
                // A constructor without a name is shown so, if it has no parameters.
                Some(here) if here.is_empty() => format!("{}()", self.state.name),
                here => here.cloned().unwrap_or_default(),
            };
            let here: Vec<String> = numbers.iter().map(here).collect();
            let shown = told_apart(&here.iter().cloned().zip(shown).collect());
            let of_here = numbers.iter().zip(here);
            let of_here =
                of_here.filter_map(|(number, here)| Some((*number, shown.get(&here)?.clone())));
            self.shown.extend(of_here);
        }
    }

    fn routines(&mut self) -> Vec<Made> {
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
                let mut made = routine(entry, &here, lowered);
                let shown = self.shown.get(&number);
                let shown = shown.map(|text| ContractClause::Shown(build::shown(text)));
                made.contract.extend(shown);
                if entry == MethodRole::Action {
                    made = self.asking(made, &reached.method);
                }
                found.push((reached.owner, Member::Routine(made), comment.clone()));
            }
            if let (true, Some(inner), Some(lowered)) = (called, inner, lowered) {
                let made = Member::Routine(routine(MethodRole::Helper, &inner, lowered));
                found.push((reached.owner, made, comment));
            }
        }
        found
    }

    /// An action whose body is not known: it gives any result, changes any field, and raises what it declares.
    fn unknown(&mut self, number: usize) -> LoweredBody {
        let signature = self.methods.all[number].method.method().signature.clone();
        let world = self.context.world;
        let mut names = UniqueNames::default();
        let mut parameter = |state: &mut ClassState, wanted: &str, ty| {
            let shape = state.types.shape(world, &mut state.names, ty);
            ParamSyntax::new(ident(names.give(wanted)), state.types.ty(&shape))
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
            .iter()
            .filter(|((owner, _), _)| *owner == OwnerId::STUDIED)
            .map(|(_, field)| build::dot(build::this(), field))
            .collect();
        let havoc = (!places.is_empty()).then(|| stmt(StmtSyntaxKind::Havoc(places)));
        let mut statements: Vec<StmtSyntax> = havoc.into_iter().collect();
        let elsewhere = &mut self.state.elsewhere;
        if let Some(routine) = elsewhere.routine(self.methods, Reach::Helper, false) {
            statements.extend(elsewhere::run(&routine, &names.give("other")));
        }
        for raised in self
            .context
            .declared_by(self.methods.all[number].method.method())
        {
            let exception = self.state.exceptions.name(&mut self.state.names, &raised);
            let raise = vec![throw(&exception)];
            statements.push(conditional(star(), raise, vec![]));
        }
        LoweredBody {
            parameters,
            results,
            block: build::block(statements),
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

    fn text(mut self, routines: Vec<Made>, fields: &FieldsByWriters) -> ClassText {
        let helpers: Vec<OwnerId> = self.methods.helpers.used().map(|(id, _)| id).collect();
        let mut classes = Vec::new();
        for owner in helpers.into_iter().chain([OwnerId::STUDIED]) {
            let class = self.class(owner, &routines);
            let header = match owner {
                OwnerId::STUDIED => self.header(),
                _ => vec![format!("{}, a helper.", self.source(owner))],
            };
            self.comments.before_class(&class.name.name, header);
            classes.push(ItemSyntax::Class(class));
        }
        let mut items = Vec::new();
        for (_, found) in self.state.types.enums() {
            let members = [&found.none]
                .into_iter()
                .chain(found.constants.iter().map(|(_, here)| here));
            items.push(ItemSyntax::Enum {
                name: ident(found.name.as_str()),
                members: members.map(|member| ident(member.as_str())).collect(),
            });
        }
        let alone = FileSyntax {
            items: classes.clone(),
        };
        let text = crate::front::tq::print(&alone);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let words: HashSet<&str> = words.collect();
        for ty in [FRACTION, ELEMENT] {
            if words.contains(ty) {
                items.push(ItemSyntax::Opaque {
                    name: ident(ty),
                    values: Vec::new(),
                });
            }
        }
        let exceptions = self.state.exceptions.declared();
        let exceptions = exceptions.chain(self.state.not_allowed.as_deref());
        let shown = self.state.exceptions.shown(self.context.world);
        for exception in exceptions.filter(|exception| words.contains(exception)) {
            items.push(ItemSyntax::Exception {
                name: ident(exception),
                shown: shown.get(exception).map(build::shown),
            });
        }
        if words.contains(OBJECT) {
            let others = self.state.elsewhere.members(&self.state, self.methods);
            items.push(ItemSyntax::Class(object(others)));
        }
        items.append(&mut classes);
        let mut file = FileSyntax { items };
        self.written(&mut file);
        let here = |fields: &BTreeSet<String>| {
            let here = fields.iter().filter_map(|field| {
                let key = (OwnerId::STUDIED, field.clone());
                self.state.fields.get(&key).cloned()
            });
            here.collect()
        };
        let own = self.state.fields.iter();
        let own = own.filter(|((owner, _), _)| *owner == OwnerId::STUDIED);
        ClassText {
            names: own
                .map(|((_, java), here)| (here.clone(), java.clone()))
                .collect(),
            fields: FieldsByWriters {
                closed: here(&fields.closed),
                of_others: here(&fields.of_others),
                open: here(&fields.open),
            },
            errors: self.state.exceptions.errors(self.context.world),
            shown_exceptions: shown,
            of_other_code: self.state.exceptions.of_other_code(),
            calls: calls::calls(
                self.context.world,
                self.methods,
                |number| self.entries.get(&number).cloned(),
                (
                    self.state.exceptions.own(self.context.world),
                    self.owed.clone(),
                ),
            ),
            text: print_with_comments(&file, self.comments),
            left_out: self.left_out,
            tree: file,
        }
    }

    /// A class: the one under study, or a helper.
    fn class(&mut self, owner: OwnerId, routines: &[Made]) -> ClassSyntax {
        let fields = self.fields(owner);
        let constants = self.state.constants.iter();
        let constants = constants.filter(|((of, ..), _)| *of == owner);
        let declared = constants
            .clone()
            .map(|(_, constant)| constant.declaration());
        let lengths = constants.filter_map(|(_, constant)| constant.length_fact());
        let mut members: Vec<Member> = declared.chain(fields).chain(lengths).collect();
        if owner != OwnerId::STUDIED {
            members.push(empty_constructor());
        } else {
            let rules = self.state.rules_around(self.methods);
            members.extend(rules.into_iter().map(Member::Fact));
        }
        let class = self.state.class_name(owner).to_owned();
        for (_, member, comment) in routines.iter().filter(|(of, ..)| *of == owner) {
            self.comments
                .before_member(&class, members.len(), comment.clone());
            members.push(member.clone());
        }
        ClassSyntax {
            name: ident(class),
            members,
            span: Default::default(),
        }
    }

    /// `protocols.Gate (Gate.java)`
    fn source(&self, owner: OwnerId) -> String {
        let class = self.methods.helpers.class(owner).class();
        let source = class.source.as_deref().unwrap_or("no source");
        format!("{} ({source})", class.name)
    }

    /// What is to be known of the whole text.
    fn header(&self) -> Vec<String> {
        let studied = self.context.studied;
        let mut header = vec![
            format!("{}, from its class file.", self.source(OwnerId::STUDIED)),
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
        let mut names = |first: &str, names: Vec<String>| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            if !names.is_empty() {
                header.extend(lines(first, &names));
            }
        };
        let believed = self.state.believed.iter().cloned();
        names(
            "Its results are within the bounds that its documentation gives, of: ",
            believed.collect(),
        );
        names("Other code may change: ", self.state.elsewhere.own.clone());
        let classes = self.methods.helpers.too_many.iter();
        let classes = classes.map(|class| class.simple().to_owned());
        let methods = self.methods.too_many.iter().cloned();
        names(
            "Not followed, as there are too many: ",
            classes.chain(methods).collect(),
        );
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

/// The class of all objects that are not studied, with what code of others may change.
fn object(others: Vec<Member>) -> ClassSyntax {
    ClassSyntax {
        name: ident(OBJECT),
        members: [empty_constructor()].into_iter().chain(others).collect(),
        span: Default::default(),
    }
}

/// `constructor() { }`
fn empty_constructor() -> Member {
    Member::Routine(RoutineSyntax {
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
    })
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

fn routine(entry: MethodRole, here: &str, lowered: LoweredBody) -> RoutineSyntax {
    let kind = match entry {
        MethodRole::Constructor => RoutineKind::Constructor,
        MethodRole::Action => RoutineKind::Action,
        MethodRole::Helper => RoutineKind::Procedure,
    };
    RoutineSyntax {
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
    }
}
