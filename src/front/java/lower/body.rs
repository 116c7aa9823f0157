//! Statements: a body of Java as one of the language.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::aliases::LocalAliases;
use super::class::ClassState;
use super::declare::declare as place;
use super::exceptions::{Fits, Raised, fits};
use super::given::GivenValues;
use super::helpers::OwnerId;
use super::names::UniqueNames;
use super::nulls::Nulls;
use super::raises::{Context, RaiseWalk, uncast, working};
use super::shape::Shape;
use crate::front::java::classfile::JavaFieldRef;
use crate::front::java::tree::{
    JavaCatch, JavaExpr, JavaStatement, JavaStep, JumpLabel, MethodBody, Role, StepKind, VariableId,
};
use crate::front::tq::ast::{
    self, BlockSyntax, ParamSyntax, Rhs, StmtSyntax, StmtSyntaxKind, TypeSyntax,
};
use crate::front::tq::build::{
    self, assign, assume, block, bool, compare, conditional, declare, equal, ident, int, name, not,
    stmt, throw,
};
use crate::ir::{BinaryOp, CompareOp, UserLine};

/// A body in the language.
#[derive(Debug)]
pub(super) struct LoweredBody {
    /// The parameters.
    pub parameters: Vec<ParamSyntax>,
    /// The result, if there is one.
    pub results: Vec<ParamSyntax>,
    /// What is done.
    pub block: BlockSyntax,
    /// Methods of others that it calls.
    pub outside: BTreeSet<String>,
}

/// A statement that can be left, or begun again, by its label.
struct LabelledStatement {
    label: JumpLabel,
    is_loop: bool,
    /// What it is called, where another loop is between it and what leaves it.
    name: Option<String>,
}

/// Makes one body.
pub(super) struct Lowerer<'a> {
    pub context: &'a Context<'a>,
    pub class: &'a mut ClassState,
    /// Whose object the body is run on.
    pub owner: OwnerId,
    pub body: &'a MethodBody,
    pub nulls: &'a Nulls,
    pub walk: RaiseWalk<'a>,
    /// What its variables may be of the object under study, where that is its owner.
    pub aliases: LocalAliases,
    /// The name and shape of each variable.
    pub locals: Vec<(String, Shape)>,
    /// The names of variables.
    pub taken: UniqueNames,
    /// The statements so far.
    pub out: Vec<StmtSyntax>,
    /// Variables that hold tables of `switch` statements over enums.
    pub maps: HashMap<VariableId, JavaFieldRef>,
    /// The methods of others that were called.
    pub outside: BTreeSet<String>,
    /// Its values that others may have chosen.
    pub given: GivenValues,
    /// What says which exception a variable holds, where there are several.
    kinds: BTreeMap<VariableId, String>,
    /// Whether it is run on an object that is only just made.
    pub constructs: bool,
    /// The source file of the method.
    file: Option<Arc<str>>,
    around: Vec<LabelledStatement>,
    result: Option<(String, Shape)>,
    declared: Vec<(String, ast::TypeSyntax)>,
}

/// Makes the body of a method.
pub(super) fn lower(
    context: &Context<'_>,
    class: &mut ClassState,
    number: usize,
) -> Option<LoweredBody> {
    let reached = &context.methods.all[number];
    let body = reached.body.as_ref()?;
    let owner = reached.owner;
    let nulls = context.nulls(owner, body);
    let (walk, _) = RaiseWalk::settled(context, owner, body, &nulls);
    let gives = |step: &JavaStep| context.given.gives(context.run_by(owner, body, step));
    let mut lowerer = Lowerer {
        given: GivenValues::of(&context.given, body, &gives),
        context,
        class,
        owner,
        body,
        nulls: &nulls,
        walk,
        aliases: context.aliases.in_body(body, reached.constructs),
        locals: Vec::new(),
        taken: UniqueNames::default(),
        out: Vec::new(),
        maps: maps(body),
        outside: BTreeSet::new(),
        kinds: BTreeMap::new(),
        constructs: reached.constructs,
        file: reached.method.class.source.clone(),
        around: Vec::new(),
        result: None,
        declared: Vec::new(),
    };
    lowerer.variables();
    let parameters = lowerer.parameters();
    let result = &reached.method.method().signature.result;
    if let Some(ty) = result.as_ref().filter(|_| !reached.constructs) {
        let shape = lowerer.shape(ty);
        lowerer.result = Some((lowerer.taken.give("result"), shape));
    }
    lowerer.list(&body.statements);
    let Lowerer {
        class,
        mut out,
        outside,
        result,
        declared,
        ..
    } = lowerer;
    // The end of a method is reached by itself.
    if matches!(
        out.last().map(|last| &last.kind),
        Some(StmtSyntaxKind::Return(values)) if values.is_empty()
    ) {
        out.pop();
    }
    let mut block = block(out);
    place(&mut block, &declared);
    let results = result
        .into_iter()
        .map(|(result, shape)| ParamSyntax::new(ident(result), class.types.ty(&shape)));
    Some(LoweredBody {
        parameters,
        results: results.collect(),
        block,
        outside,
    })
}

/// The variables that only ever hold the table of a `switch` over an enum.
fn maps(body: &MethodBody) -> HashMap<VariableId, JavaFieldRef> {
    let mut found: HashMap<VariableId, Option<JavaFieldRef>> = HashMap::new();
    for statement in &body.statements {
        statement.visit(&mut |part| {
            let JavaStatement::Step(step) = part else {
                return;
            };
            let Some(variable) = step.kind.defines() else {
                return;
            };
            let map = match &step.kind {
                StepKind::Assign(_, JavaExpr::Static(field)) => Some(field.clone()),
                _ => None,
            };
            let known = found.entry(variable).or_insert_with(|| map.clone());
            if *known != map {
                *known = None;
            }
        });
    }
    let is_table = |field: &JavaFieldRef| field.name.starts_with("$SwitchMap$");
    let maps = found.into_iter();
    maps.filter_map(|(variable, field)| Some((variable, field.filter(is_table)?)))
        .collect()
}

impl Lowerer<'_> {
    /// Names the variables, and finds out which of them hold exceptions of several kinds that are thrown again.
    fn variables(&mut self) {
        for variable in &self.body.variables {
            let shape = match variable.role {
                Role::This => Shape::This,
                _ => self.shape(&variable.ty),
            };
            let here = match variable.role {
                Role::This => String::new(),
                _ => self.taken.give(&variable.name),
            };
            self.locals.push((here, shape));
        }
        let mut thrown: BTreeSet<VariableId> = BTreeSet::new();
        let mut copies: Vec<(VariableId, VariableId)> = Vec::new();
        for statement in &self.body.statements {
            statement.visit(&mut |part| match part {
                JavaStatement::Throw(_, value) => {
                    if let JavaExpr::Variable(variable) = uncast(value) {
                        thrown.insert(*variable);
                    }
                }
                JavaStatement::Step(step) => {
                    if let StepKind::Assign(to, value) = &step.kind
                        && let JavaExpr::Variable(from) = uncast(value)
                    {
                        copies.push((*to, *from));
                    }
                }
                _ => {}
            });
        }
        loop {
            let before = thrown.len();
            for (to, from) in &copies {
                if thrown.contains(to) {
                    thrown.insert(*from);
                }
            }
            if thrown.len() == before {
                break;
            }
        }
        for variable in thrown {
            let several = self
                .walk
                .held
                .get(&variable)
                .is_some_and(|held| held.len() > 1);
            if several {
                let kind = format!("{}_is", self.locals[variable.index()].0);
                let kind = self.taken.give(&kind);
                self.declare_later(&kind, &Shape::Int);
                self.kinds.insert(variable, kind);
            }
        }
        for (id, variable) in self.body.variables.iter().enumerate() {
            if matches!(variable.role, Role::Local | Role::Temporary) {
                let (here, shape) = self.locals[id].clone();
                self.declare_later(&here, &shape);
            }
        }
    }

    /// What a variable is for.
    pub(super) fn role(&self, variable: VariableId) -> Role {
        self.body.variables[variable.index()].role
    }

    fn declare_later(&mut self, variable: &str, shape: &Shape) {
        let ty = self.class.types.ty(shape);
        self.declared.push((variable.to_owned(), ty));
    }

    /// The parameters. Those that are assigned get a variable, for parameters never are.
    fn parameters(&mut self) -> Vec<ParamSyntax> {
        let assigned = self.body.assigned();
        let mut parameters = Vec::new();
        for id in &self.body.parameters {
            if self.role(*id) == Role::This {
                continue;
            }
            let (here, shape) = self.locals[id.index()].clone();
            let mut parameter = here.clone();
            let mut ty = self.class.types.ty(&shape);
            if self.role(*id) == Role::Around
                && let TypeSyntax::Nullable(object) = ty
            {
                ty = *object;
            }
            if assigned.contains(id) {
                parameter = self.taken.give(&format!("{here}_given"));
                let initial = Some(name(&parameter));
                self.out.push(declare(&here, ty.clone(), initial));
            }
            parameters.push(ParamSyntax::new(ident(parameter), ty));
        }
        parameters
    }

    /// The name of an exception.
    pub(super) fn exception(&mut self, raised: &Raised) -> String {
        self.class.exceptions.name(&mut self.class.names, raised)
    }

    fn number(&mut self, raised: &Raised) -> ast::ExprSyntax {
        let number = self.class.exceptions.number(&mut self.class.names, raised);
        int(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn list(&mut self, statements: &[JavaStatement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn inner(&mut self, statements: &[JavaStatement]) -> Vec<StmtSyntax> {
        self.apart(|lowerer| lowerer.list(statements)).1
    }

    fn statement(&mut self, statement: &JavaStatement) {
        let before = self.out.len();
        self.lowered(statement);
        let line = statement.place().and_then(|place| place.line);
        if let (Some(line), Some(file)) = (line, &self.file) {
            let line = UserLine {
                file: Arc::clone(file),
                line: u32::from(line),
            };
            let made = self.out.get_mut(before..).unwrap_or_default();
            ast::note_origins(made, &line, statement.parts().is_empty());
        }
    }

    fn lowered(&mut self, statement: &JavaStatement) {
        match statement {
            JavaStatement::Step(step) => self.step(step),
            JavaStatement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                let condition = self.condition(condition);
                let (then, otherwise) = (self.inner(then), self.inner(otherwise));
                self.out
                    .push(match (then.is_empty(), otherwise.is_empty()) {
                        (true, false) => conditional(not(condition), otherwise, vec![]),
                        _ => conditional(condition, then, otherwise),
                    });
            }
            JavaStatement::Switch {
                value,
                cases,
                default,
                ..
            } => self.switch(value, cases, default),
            JavaStatement::Loop {
                label,
                condition,
                body,
            } => self.loops(*label, condition.as_ref().map(|(_, c)| c), body),
            JavaStatement::Labelled { label, body } => self.labelled(*label, body),
            JavaStatement::Break(label) => self.leave(*label),
            JavaStatement::Continue(label) => self.again(*label),
            JavaStatement::Return(_, value) => self.give_back(value.as_ref()),
            JavaStatement::Throw(_, value) => self.throw(value),
            JavaStatement::Try { body, catches } => self.guarded(body, catches),
        }
    }

    fn switch(
        &mut self,
        value: &JavaExpr,
        cases: &[(Vec<i32>, Vec<JavaStatement>)],
        default: &[JavaStatement],
    ) {
        let value = self.value_as(value, &Shape::Int);
        let on = self.taken.give("on");
        let ty = self.class.types.ty(&Shape::Int);
        self.out.push(declare(&on, ty, Some(value)));
        let mut rest = self.inner(default);
        for (values, body) in cases.iter().rev() {
            let is = values.iter().map(|value| equal(name(&on), int(*value)));
            let is = is.reduce(|a, b| build::binary(BinaryOp::Or, a, b));
            let Some(is) = is else { continue };
            let body = self.inner(body);
            rest = vec![conditional(is, body, rest)];
        }
        self.out.extend(rest);
    }

    fn loops(&mut self, label: JumpLabel, condition: Option<&JavaExpr>, body: &[JavaStatement]) {
        self.around.push(LabelledStatement {
            label,
            is_loop: true,
            name: None,
        });
        let (condition, before) = self.apart(|lowerer| match condition {
            Some(condition) => lowerer.condition(condition),
            None => bool(true),
        });
        let mut inner = self.inner(body);
        // The end of a round begins the next one by itself.
        if matches!(
            inner.last().map(|last| &last.kind),
            Some(StmtSyntaxKind::Continue(None))
        ) {
            inner.pop();
        }
        let name = self.around.pop().and_then(|around| around.name);
        let (condition, inner) = if before.is_empty() {
            (condition, inner)
        } else {
            let mut round = before;
            let leave = vec![stmt(StmtSyntaxKind::Break(None))];
            round.push(conditional(not(condition), leave, vec![]));
            round.extend(inner);
            (bool(true), round)
        };
        self.out.push(stmt(StmtSyntaxKind::While {
            label: name.map(ident),
            condition,
            invariants: Vec::new(),
            body: block(inner),
        }));
    }

    fn labelled(&mut self, label: JumpLabel, body: &[JavaStatement]) {
        self.around.push(LabelledStatement {
            label,
            is_loop: false,
            name: None,
        });
        let inner = self.inner(body);
        match self.around.pop().and_then(|around| around.name) {
            Some(name) => {
                let labelled = StmtSyntaxKind::Labelled(ident(name), block(inner));
                self.out.push(stmt(labelled));
            }
            None => self.out.extend(inner),
        }
    }

    /// Whether the innermost loop is the one of that label.
    fn is_innermost(&self, label: JumpLabel) -> bool {
        let mut loops = self.around.iter().rev().filter(|around| around.is_loop);
        loops.next().is_some_and(|around| around.label == label)
    }

    fn leave(&mut self, label: JumpLabel) {
        let to = self.named(label);
        self.out.push(stmt(StmtSyntaxKind::Break(to)));
    }

    fn again(&mut self, label: JumpLabel) {
        let to = self.named(label);
        self.out.push(stmt(StmtSyntaxKind::Continue(to)));
    }

    /// What a jump calls the statement that it leaves or begins again; the innermost loop needs no name.
    fn named(&mut self, label: JumpLabel) -> Option<ast::Ident> {
        if self.is_innermost(label) {
            return None;
        }
        let around = self
            .around
            .iter_mut()
            .find(|around| around.label == label)?;
        let wanted = if around.is_loop { "outer" } else { "block" };
        let taken = &mut self.taken;
        let name = around.name.get_or_insert_with(|| taken.give(wanted));
        Some(ident(name.clone()))
    }

    fn give_back(&mut self, value: Option<&JavaExpr>) {
        let value = match (value, self.result.clone()) {
            (Some(value), Some((_, shape))) => Some(self.value_as(value, &shape)),
            _ => None,
        };
        let values = value.into_iter().collect();
        self.out.push(stmt(StmtSyntaxKind::Return(values)));
    }

    fn throw(&mut self, value: &JavaExpr) {
        let held = self.walk.thrown(value);
        let kind = match uncast(value) {
            JavaExpr::Variable(variable) => self.kinds.get(variable).cloned(),
            _ => None,
        };
        let names: Vec<(ast::ExprSyntax, String)> = held
            .iter()
            .map(|raised| (self.number(raised), self.exception(raised)))
            .collect();
        let mut names = names.into_iter().rev();
        let Some((_, last)) = names.next() else {
            // What raises nothing that is looked at does not go on either.
            self.out.push(assume(bool(false)));
            return;
        };
        let mut found = throw(&last);
        if let Some(kind) = kind {
            for (number, exception) in names {
                let is = equal(name(&kind), number);
                found = conditional(is, vec![throw(&exception)], vec![found]);
            }
        }
        self.out.push(found);
    }

    /// Says which exception a variable holds from now on, if that has to be known.
    pub(super) fn holds(&mut self, variable: VariableId, raised: &Raised) {
        if let Some(kind) = self.kinds.get(&variable).cloned() {
            let number = self.number(raised);
            self.out.push(assign(name(&kind), number));
        }
    }

    /// The same, where it gets the value of another variable.
    pub(super) fn holds_what(&mut self, variable: VariableId, value: &JavaExpr) {
        let Some(kind) = self.kinds.get(&variable).cloned() else {
            return;
        };
        let JavaExpr::Variable(from) = uncast(value) else {
            return;
        };
        if let Some(other) = self.kinds.get(from).cloned() {
            self.out.push(assign(name(&kind), name(&other)));
        } else if let Some(raised) = self
            .walk
            .held
            .get(from)
            .and_then(|held| held.first().cloned())
        {
            self.holds(variable, &raised);
        }
    }

    /// `try`. Each exception that may come has a handler that says which of Java's handlers is run, and that is run behind:
    /// so no handler is there twice.
    fn guarded(&mut self, body: &[JavaStatement], catches: &[JavaCatch]) {
        let catches = working(catches);
        if catches.is_empty() {
            return self.list(body);
        }
        let raised = self.walk.body_of_try(body, catches);
        let before = self.walk.handlers.len();
        for catch in catches {
            let classes = catch.classes.iter().cloned().map(Some);
            self.walk.handlers.extend(classes);
            if catch.classes.is_empty() {
                self.walk.handlers.push(None);
            }
        }
        let inner = self.inner(body);
        self.walk.handlers.truncate(before);
        let mut taken: Vec<(Raised, Vec<(usize, Fits)>)> = Vec::new();
        for raised in raised {
            let mut by = Vec::new();
            for (at, catch) in catches.iter().enumerate() {
                match fits(self.context.world, &raised, &catch.classes) {
                    Fits::No => {}
                    Fits::Maybe => by.push((at, Fits::Maybe)),
                    Fits::Yes => {
                        by.push((at, Fits::Yes));
                        break;
                    }
                }
            }
            if !by.is_empty() {
                taken.push((raised, by));
            }
        }
        if taken.is_empty() {
            return self.out.extend(inner);
        }
        if let [(raised, by)] = taken.as_slice()
            && let [(at, Fits::Yes)] = by.as_slice()
        {
            let handler = self.handler(&catches[*at], Some(raised));
            let exception = self.exception(raised);
            return self.out.push(trying(inner, vec![(exception, handler)]));
        }
        self.chosen(inner, catches, &taken);
    }

    /// A `try` of which several handlers may be run, or one of them for several exceptions.
    fn chosen(
        &mut self,
        inner: Vec<StmtSyntax>,
        catches: &[JavaCatch],
        taken: &[(Raised, Vec<(usize, Fits)>)],
    ) {
        let handler = self.taken.give("handler");
        let ty = self.class.types.ty(&Shape::Int);
        self.out.push(declare(&handler, ty, Some(int(0))));
        let mut handlers = Vec::new();
        for (raised, by) in taken {
            let exception = self.exception(raised);
            let mut rest = vec![throw(&exception)];
            for (at, fits) in by.iter().rev() {
                let (_, mut chosen) = self.apart(|lowerer| {
                    lowerer.holds(catches[*at].variable, raised);
                });
                let number = u32::try_from(*at + 1).unwrap_or(u32::MAX);
                chosen.insert(0, assign(name(&handler), int(number)));
                rest = match fits {
                    Fits::Yes => chosen,
                    _ => vec![conditional(build::star(), chosen, rest)],
                };
            }
            handlers.push((exception, rest));
        }
        self.out.push(trying(inner, handlers));
        let used: BTreeSet<usize> = taken
            .iter()
            .flat_map(|(_, by)| by.iter().map(|(at, _)| *at))
            .collect();
        let mut rest = Vec::new();
        let last = used.len();
        for (position, at) in used.iter().enumerate().rev() {
            let body = self.handler(&catches[*at], None);
            let number = u32::try_from(*at + 1).unwrap_or(u32::MAX);
            let is = if last == 1 {
                compare(CompareOp::Ne, name(&handler), int(0))
            } else {
                equal(name(&handler), int(number))
            };
            let _ = position;
            rest = vec![conditional(is, body, rest)];
        }
        self.out.extend(rest);
    }

    /// The body of a handler, and what it begins with.
    fn handler(&mut self, catch: &JavaCatch, raised: Option<&Raised>) -> Vec<StmtSyntax> {
        let (_, found) = self.apart(|lowerer| {
            let (here, shape) = lowerer.locals[catch.variable.index()].clone();
            if uses(&catch.body, catch.variable) {
                let object = lowerer.some_object();
                let object = lowerer.fit(object, &shape);
                lowerer.out.push(assign(name(&here), object));
            }
            if let Some(raised) = raised {
                lowerer.holds(catch.variable, raised);
            }
            lowerer.list(&catch.body);
        });
        found
    }

    /// Calls a routine of the class, or of another object, and puts its result into a variable.
    pub(super) fn run(
        &mut self,
        routine: &str,
        receiver: Option<ast::ExprSyntax>,
        args: Vec<ast::ExprSyntax>,
        result: Option<(ast::ExprSyntax, bool)>,
    ) {
        let called = build::expr(ast::ExprSyntaxKind::Call {
            receiver,
            name: ident(routine),
            args,
        });
        self.out.push(match result {
            Some((target, true)) => assign(target, called),
            _ => stmt(StmtSyntaxKind::Call(called)),
        });
    }

    /// `a[i] := *`, for the exceptions that it may raise.
    pub(super) fn write_element(&mut self, array: ast::ExprSyntax, index: ast::ExprSyntax) {
        let place = build::expr(ast::ExprSyntaxKind::Index(array, index));
        self.out.push(stmt(StmtSyntaxKind::Havoc(vec![place])));
    }

    /// `a := new Element[n]`
    pub(super) fn new_array(&mut self, target: ast::ExprSyntax, length: ast::ExprSyntax) {
        let element = build::ty(super::shape::ELEMENT);
        self.out.push(stmt(StmtSyntaxKind::Assign {
            targets: vec![target],
            value: Rhs::NewArray {
                element,
                length,
                fill: None,
            },
        }));
    }

    /// `o := new Object()`
    pub(super) fn new_object(&mut self, target: ast::ExprSyntax) {
        self.new_of(target, super::shape::OBJECT);
    }

    /// `o := new C()`
    pub(super) fn new_of(&mut self, target: ast::ExprSyntax, class: &str) {
        self.out.push(stmt(StmtSyntaxKind::Assign {
            targets: vec![target],
            value: Rhs::New {
                class: ident(class),
                constructor: None,
                args: Vec::new(),
            },
        }));
    }
}

/// Whether more is done with an object than to throw it, or to note another one in it: with the object itself, or with a
/// variable that it is put into.
pub(super) fn uses(statements: &[JavaStatement], variable: VariableId) -> bool {
    let mut found = false;
    for name in names_of(statements, variable) {
        for statement in statements {
            statement.visit(&mut |part| found |= looks_at(part, name));
        }
    }
    found
}

/// The variable, and those that it is put into.
pub(super) fn names_of(statements: &[JavaStatement], variable: VariableId) -> Vec<VariableId> {
    let (mut names, mut at) = (vec![variable], 0);
    while let Some(name) = names.get(at).copied() {
        for statement in statements {
            statement.visit(&mut |part| {
                if let JavaStatement::Step(step) = part
                    && let StepKind::Assign(copy, value) = &step.kind
                    && is_variable(value)
                    && value.mentions(name)
                    && !names.contains(copy)
                {
                    names.push(*copy);
                }
            });
        }
        at += 1;
    }
    names
}

/// Whether a statement itself does more with a variable than to throw it or to put it into another one.
fn looks_at(part: &JavaStatement, name: VariableId) -> bool {
    let mention = |e: &JavaExpr| e.mentions(name);
    match part {
        JavaStatement::Throw(_, value) => !is_variable(value) && mention(value),
        JavaStatement::Step(step) => match &step.kind {
            StepKind::Assign(_, value) => !is_variable(value) && mention(value),
            StepKind::Call(None, call) => call.arguments.iter().any(mention),
            kind => kind.expressions().into_iter().any(mention),
        },
        other => other.expressions().into_iter().any(mention),
    }
}

fn is_variable(e: &JavaExpr) -> bool {
    matches!(uncast(e), JavaExpr::Variable(_))
}

fn trying(body: Vec<StmtSyntax>, handlers: Vec<(String, Vec<StmtSyntax>)>) -> StmtSyntax {
    let catches = handlers
        .into_iter()
        .map(|(exception, body)| ast::CatchSyntax {
            exceptions: vec![ident(exception)],
            span: Default::default(),
            body: block(body),
        });
    stmt(StmtSyntaxKind::Try {
        body: block(body),
        catches: catches.collect(),
        finally: None,
    })
}
