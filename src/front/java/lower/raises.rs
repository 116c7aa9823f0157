//! Which exceptions statements may raise, and which ones variables may hold that are thrown again.

use std::collections::{BTreeMap, BTreeSet};

use super::aliases::Aliases;
use super::callbacks::Callbacks;
use super::exceptions::{
    ARITHMETIC, Fits, INDEX, NEGATIVE, NULL, OUT_OF_BOUNDS, OUT_OF_MEMORY, Raised, fits,
};
use super::given::GivenByOthers;
use super::helpers::OwnerId;
use super::methods::{MethodRun, Methods, does_nothing};
use super::never_null::never_null;
use super::nulls::Nulls;
use super::standard::IndexCheck;
use crate::front::java::classfile::{ArithmeticOp, Method, MethodRef, Monitor, PoolConstant};
use crate::front::java::effects::exceptions::may_raise;
use crate::front::java::effects::writers::Writers;
use crate::front::java::tree::{
    Invocation, JavaCatch, JavaExpr, JavaStatement, JavaStep, MethodBody, StepKind, VariableId,
};
use crate::front::java::types::{ClassName, ComputationalType, JavaType};
use crate::front::java::world::World;
use crate::front::java::world::studied::Studied;

/// Exceptions.
pub(super) type Set = BTreeSet<Raised>;

/// What all bodies of a class share.
#[derive(Debug)]
pub(super) struct Context<'a> {
    /// All classes.
    pub world: &'a World,
    /// The class.
    pub studied: &'a Studied,
    /// What is run: its methods, and those of its helpers.
    pub methods: &'a Methods<'a>,
    /// What each of them may raise.
    pub raises: Vec<Set>,
    /// What they hand on of what others give.
    pub given: GivenByOthers,
    /// What may be the object under study.
    pub aliases: Aliases<'a>,
    /// Code of the class that others run.
    pub callbacks: Callbacks,
    /// The fields of each class that are never null.
    never_null: BTreeMap<OwnerId, BTreeSet<String>>,
}

/// More rounds than any chain of calls has links.
const ROUNDS: usize = 100;

impl<'a> Context<'a> {
    /// Works out what the methods raise. `writers` says who assigns fields.
    pub(super) fn of(
        world: &'a World,
        studied: &'a Studied,
        methods: &'a Methods<'a>,
        writers: &Writers,
    ) -> Context<'a> {
        let aliases = Aliases::of(world, studied, &methods.helpers.bodies, writers);
        let mut context = Context {
            world,
            studied,
            methods,
            raises: vec![Set::new(); methods.all.len()],
            given: GivenByOthers::of(world, methods),
            callbacks: Callbacks::of(world, studied, methods, &aliases),
            aliases,
            never_null: BTreeMap::new(),
        };
        let helpers = &methods.helpers;
        let owners: Vec<OwnerId> = helpers.used().map(|(id, _)| id).collect();
        for owner in owners.into_iter().chain([OwnerId::STUDIED]) {
            let nulls = |body: &MethodBody| context.nulls(owner, body);
            let found = never_null(&helpers.bodies, writers, helpers.class(owner), nulls);
            context.never_null.insert(owner, found);
        }
        for _ in 0..ROUNDS {
            let mut changed = false;
            for number in (0..methods.all.len()).rev() {
                let Some(body) = &methods.all[number].body else {
                    continue;
                };
                let owner = methods.all[number].owner;
                let nulls = context.nulls(owner, body);
                let (_, raised) = RaiseWalk::settled(&context, owner, body, &nulls);
                changed |= raised != context.raises[number];
                context.raises[number] = raised;
            }
            if !changed {
                break;
            }
        }
        context
    }

    /// What a step of a body of this class runs of the methods that are followed.
    pub(super) fn run_by(
        &self,
        owner: OwnerId,
        body: &MethodBody,
        step: &JavaStep,
    ) -> Option<MethodRun> {
        self.methods.run_by(self.world, owner, body, step)
    }

    /// Which references of a body of this class may be null.
    pub(super) fn nulls(&self, owner: OwnerId, body: &MethodBody) -> Nulls {
        let is_followed = |step: &JavaStep| {
            let run = self.run_by(owner, body, step);
            run.and_then(MethodRun::seen).is_some()
        };
        Nulls::of(body, is_followed, |field| {
            let own = self.methods.helpers.class(owner).own_field(field);
            let never = self.never_null.get(&owner);
            own.is_some_and(|own| never.is_some_and(|never| never.contains(&own.name)))
        })
    }

    /// What a call of somebody else's method may raise under handlers of these classes. Errors are left out: something is
    /// broken then.
    pub(super) fn of_outside(&self, method: &MethodRef, handlers: &[Option<ClassName>]) -> Set {
        if does_nothing(method) {
            return Set::new();
        }
        let found = may_raise(self.world, method, handlers);
        let anything = found
            .anything
            .then(|| ClassName::new("java/lang/RuntimeException"));
        let all = found.declared.into_iter().chain(found.expected);
        self.raised_outside(all.chain(anything))
    }

    /// What a method without a body may raise.
    pub(super) fn declared_by(&self, method: &Method) -> Set {
        self.raised_outside(method.exceptions.iter().cloned())
    }

    fn raised_outside(&self, classes: impl Iterator<Item = ClassName>) -> Set {
        let error = ClassName::new("java/lang/Error");
        classes
            .filter(|class| self.world.is_subclass(class, &error) != Some(true))
            .map(Raised::Outside)
            .collect()
    }
}

/// A walk through a body.
pub(super) struct RaiseWalk<'a> {
    context: &'a Context<'a>,
    owner: OwnerId,
    body: &'a MethodBody,
    nulls: &'a Nulls,
    /// The exceptions that each variable may hold.
    pub held: BTreeMap<VariableId, Set>,
    /// What the handlers around handle.
    pub handlers: Vec<Option<ClassName>>,
}

impl<'a> RaiseWalk<'a> {
    /// A walk that knows what all variables hold, and what the body raises.
    pub(super) fn settled(
        context: &'a Context<'a>,
        owner: OwnerId,
        body: &'a MethodBody,
        nulls: &'a Nulls,
    ) -> (RaiseWalk<'a>, Set) {
        let mut walk = RaiseWalk {
            context,
            owner,
            body,
            nulls,
            held: BTreeMap::new(),
            handlers: Vec::new(),
        };
        loop {
            let before: usize = walk.held.values().map(BTreeSet::len).sum();
            let raised = walk.list(&body.statements);
            if walk.held.values().map(BTreeSet::len).sum::<usize>() == before {
                return (walk, raised);
            }
        }
    }

    /// What statements raise.
    pub(super) fn list(&mut self, statements: &[JavaStatement]) -> Set {
        let mut found = Set::new();
        for statement in statements {
            found.extend(self.statement(statement));
        }
        found
    }

    fn statement(&mut self, statement: &JavaStatement) -> Set {
        let mut found = Set::new();
        if let JavaStatement::Step(step) = statement {
            return self.step(step);
        }
        for expression in statement.expressions() {
            self.expression(expression, &mut found);
        }
        match statement {
            JavaStatement::Throw(_, value) => found.extend(self.thrown(value)),
            JavaStatement::Try { body, catches } => {
                found.extend(self.guarded(body, catches));
                for catch in catches {
                    found.extend(self.list(&catch.body));
                }
            }
            other => {
                for part in other.parts() {
                    found.extend(self.list(part));
                }
            }
        }
        found
    }

    /// What a guarded body raises past its handlers. The variables of these hold the others.
    fn guarded(&mut self, body: &[JavaStatement], catches: &[JavaCatch]) -> Set {
        let raised = self.body_of_try(body, catches);
        let mut past = Set::new();
        for raised in raised {
            let mut taken = false;
            for catch in catches {
                let fits = fits(self.context.world, &raised, &catch.classes);
                if fits != Fits::No {
                    let held = self.held.entry(catch.variable).or_default();
                    held.insert(raised.clone());
                }
                if fits == Fits::Yes {
                    taken = true;
                    break;
                }
            }
            if !taken {
                past.insert(raised);
            }
        }
        past
    }

    /// What the guarded part of a `try` raises.
    pub(super) fn body_of_try(&mut self, body: &[JavaStatement], catches: &[JavaCatch]) -> Set {
        let before = self.handlers.len();
        for catch in working(catches) {
            self.handlers
                .extend(catch.classes.iter().cloned().map(Some));
            if catch.classes.is_empty() {
                self.handlers.push(None);
            }
        }
        let raised = self.list(body);
        self.handlers.truncate(before);
        raised
    }

    /// What `throw` of a value raises. Memory is taken to last: no allocation fails, and what the code raises itself where it would is
    /// not looked at.
    pub(super) fn thrown(&self, value: &JavaExpr) -> Set {
        let mut raised = match uncast(value) {
            JavaExpr::Variable(variable) => self.held.get(variable).cloned(),
            _ => None,
        }
        .unwrap_or_else(|| Set::from([self.by_type(value.ty(&self.body.variables))]));
        raised.remove(&Raised::by_operation(OUT_OF_MEMORY));
        raised
    }

    fn by_type(&self, ty: Option<JavaType>) -> Raised {
        match ty {
            Some(JavaType::Class(class)) => Raised::Own(class),
            _ => Raised::by_operation("java/lang/Throwable"),
        }
    }

    fn step(&mut self, step: &JavaStep) -> Set {
        let mut found = Set::new();
        for expression in step.kind.expressions() {
            self.expression(expression, &mut found);
        }
        let operation = |internal: &str| Raised::by_operation(internal);
        match &step.kind {
            StepKind::Assign(variable, value) => {
                if let JavaExpr::Variable(from) = uncast(value)
                    && let Some(held) = self.held.get(from).cloned()
                {
                    self.held.entry(*variable).or_default().extend(held);
                }
            }
            StepKind::SetField(object, ..) => self.null_check(object, &mut found),
            StepKind::SetElement(array, ..) => {
                self.null_check(array, &mut found);
                found.insert(operation(INDEX));
            }
            StepKind::Call(_, call) => {
                if let Some(object) = &call.receiver {
                    self.null_check(object, &mut found);
                }
                found.extend(self.called(step, &call.method));
                self.standard(call, &mut found);
            }
            StepKind::New(variable, new) => {
                let held = self.held.entry(*variable).or_default();
                held.insert(Raised::Own(new.class.clone()));
                found.extend(self.called(step, &new.constructor));
            }
            StepKind::NewArray(_, _, lengths) => {
                let plain = |length: &JavaExpr| {
                    matches!(length, JavaExpr::Constant(PoolConstant::Int(0..)))
                };
                if !lengths.first().is_some_and(plain) {
                    found.insert(operation(NEGATIVE));
                }
            }
            StepKind::Monitor(Monitor::Enter, object) => self.null_check(object, &mut found),
            _ => {}
        }
        found
    }

    /// What the method that a step calls raises.
    fn called(&self, step: &JavaStep, method: &MethodRef) -> Set {
        let run = self.context.run_by(self.owner, self.body, step);
        let raises = |number: usize| self.context.raises[number].clone();
        let of_others = || self.context.of_outside(method, &self.handlers);
        match run {
            Some(MethodRun::Seen(number)) => raises(number),
            Some(MethodRun::Overridable(number)) => {
                raises(number).into_iter().chain(of_others()).collect()
            }
            Some(MethodRun::Unseen(_)) | None => of_others(),
        }
    }

    /// What those methods of others raise that are as well known as operators.
    fn standard(&self, call: &Invocation, found: &mut Set) {
        if IndexCheck::of(&call.method).is_some() {
            found.insert(Raised::by_operation(OUT_OF_BOUNDS));
        }
        let arrays = match () {
            () if call.method.is("java/lang/System", "arraycopy") => {
                found.insert(Raised::by_operation(INDEX));
                call.arguments.iter().step_by(2).take(2)
            }
            () if call.method.is("java/util/Arrays", "copyOf") => {
                found.insert(Raised::by_operation(NEGATIVE));
                call.arguments.iter().step_by(2).take(1)
            }
            () => return,
        };
        for array in arrays {
            self.null_check(array, found);
        }
    }

    fn null_check(&self, object: &JavaExpr, found: &mut Set) {
        if self.nulls.may_be_null(object, self.body) {
            found.insert(Raised::by_operation(NULL));
        }
    }

    /// What evaluating an expression raises.
    fn expression(&self, expression: &JavaExpr, found: &mut Set) {
        expression.visit(&mut |part| match part {
            JavaExpr::Field(object, _) | JavaExpr::Length(object) => self.null_check(object, found),
            JavaExpr::Element(array, ..) => {
                self.null_check(array, found);
                found.insert(Raised::by_operation(INDEX));
            }
            JavaExpr::Binary(
                ArithmeticOp::Divide | ArithmeticOp::Remainder,
                ComputationalType::Int | ComputationalType::Long,
                _,
                by,
            ) => {
                let zero = [PoolConstant::Int(0), PoolConstant::Long(0)];
                let plain = matches!(&**by, JavaExpr::Constant(by) if !zero.contains(by));
                if !plain {
                    found.insert(Raised::by_operation(ARITHMETIC));
                }
            }
            _ => {}
        });
    }
}

/// The handlers of a `try` without those at the end that only leave a monitor and throw again what they caught: these are
/// as if they were not there. Before others they keep an exception from them.
pub(super) fn working(catches: &[JavaCatch]) -> &[JavaCatch] {
    let behind = catches.iter().rposition(|catch| !only_throws_again(catch));
    behind.map_or(&[], |last| &catches[..=last])
}

fn only_throws_again(catch: &JavaCatch) -> bool {
    let Some((JavaStatement::Throw(_, JavaExpr::Variable(variable)), before)) =
        catch.body.split_last()
    else {
        return false;
    };
    let leaves = |statement: &JavaStatement| match statement {
        JavaStatement::Step(step) => match &step.kind {
            StepKind::Monitor(Monitor::Exit, object) => matches!(object, JavaExpr::Variable(_)),
            _ => false,
        },
        _ => false,
    };
    *variable == catch.variable && before.iter().all(leaves)
}

/// An expression without the casts around it.
pub(super) fn uncast(value: &JavaExpr) -> &JavaExpr {
    match value {
        JavaExpr::Cast(_, inner) => uncast(inner),
        other => other,
    }
}
