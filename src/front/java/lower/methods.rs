//! The methods that are run when a studied class is used: constructors, actions, conditions that are written down, what they
//! call on the object itself, and what they call on objects of helper classes.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::bodies::{Bodies, key};
use super::helpers::{Helpers, OwnerId};
use super::makers::{Maker, makers};
use super::outer::RulesAround;
use super::overriding;
use crate::front::java::classfile::{InvokeKind, MethodRef};
use crate::front::java::flow::Refused;
use crate::front::java::tree::{
    Invocation, JavaExpr, JavaStatement, JavaStep, MethodBody, StepKind,
};
use crate::front::java::world::studied::Studied;
use crate::front::java::world::{MethodOf, World};

/// How many methods of helper classes are followed.
const MOST_METHODS: usize = 60;

/// A method that is run.
#[derive(Debug)]
pub(super) struct ReachedMethod {
    /// The class of the object that it is run on.
    pub owner: OwnerId,
    /// The method.
    pub method: MethodOf,
    /// What it does; nothing where that is not known: it is abstract or native.
    pub body: Option<Arc<MethodBody>>,
    /// Why its body is not taken.
    pub refused: Option<Refused>,
    /// Whether other methods call it.
    pub called: bool,
    /// Whether it is run on an object that is only just made: a constructor, or what is taken for one.
    pub constructs: bool,
}

/// All methods that are run, those that callers call first.
#[derive(Debug)]
pub(super) struct Methods<'a> {
    /// The methods: constructors, or [what is taken for them](super::makers), actions, then others.
    pub all: Vec<ReachedMethod>,
    /// Whether others make the objects, and these methods are in the place of constructors.
    pub are_made: bool,
    /// How many constructors there are.
    pub constructors: usize,
    /// How many actions.
    pub actions: usize,
    /// The classes whose objects are followed.
    pub helpers: Helpers<'a>,
    /// Methods of helper classes that would be followed if there were not so many.
    pub too_many: BTreeSet<String>,
    numbers: HashMap<(OwnerId, String), usize>,
}

impl<'a> Methods<'a> {
    /// Finds the methods of a class.
    pub(super) fn of(
        world: &'a World,
        studied: &'a Studied,
        around: &'a RulesAround,
        bodies: Bodies,
    ) -> Methods<'a> {
        let mut methods = Methods {
            all: Vec::new(),
            are_made: false,
            constructors: 0,
            actions: studied.actions.len(),
            helpers: Helpers::new(world, studied, around, bodies),
            too_many: BTreeSet::new(),
            numbers: HashMap::new(),
        };
        match makers(world, studied, &methods.helpers.bodies) {
            Some(makers) => methods.made_by(makers),
            None => {
                for method in &studied.constructors {
                    methods.number(OwnerId::STUDIED, method);
                }
            }
        }
        methods.constructors = methods.all.len();
        for method in &studied.actions {
            methods.number(OwnerId::STUDIED, method);
        }
        let written = &studied.written;
        let conditions = written.preconditions.iter().map(|found| &found.method);
        for method in conditions.chain(&written.invariants) {
            let number = methods.number(OwnerId::STUDIED, method);
            methods.all[number].called = true;
        }
        let mut next = 0;
        // In the order in which they are met: the nearest are followed first.
        while next < methods.all.len() {
            let reached = &methods.all[next];
            if let Some(body) = reached.body.clone() {
                methods.look_through(world, reached.owner, &body);
            }
            next += 1;
        }
        methods
    }

    /// Takes methods that make the object for its constructors. They are none that it has.
    fn made_by(&mut self, makers: Vec<Maker>) {
        let makers = makers.into_iter().map(|(method, body)| ReachedMethod {
            owner: OwnerId::STUDIED,
            method,
            body: Some(body),
            refused: None,
            called: false,
            constructs: true,
        });
        self.all.extend(makers);
        self.are_made = true;
    }

    /// Finds what a body runs and looks at.
    fn look_through(&mut self, world: &World, owner: OwnerId, body: &MethodBody) {
        for statement in &body.statements {
            statement.visit(&mut |part| {
                for e in part.expressions() {
                    e.visit(&mut |e| {
                        if let JavaExpr::Field(object, field) = e
                            && let Some(helper) = self.helpers.meet(object, body)
                        {
                            self.helpers.looks_at(helper, field);
                        }
                    });
                }
                if let JavaStatement::Step(step) = part {
                    self.look_at(world, owner, body, step);
                }
            });
        }
    }

    fn look_at(&mut self, world: &World, owner: OwnerId, body: &MethodBody, step: &JavaStep) {
        match &step.kind {
            StepKind::Call(_, call) => {
                if let Some(object) = &call.receiver {
                    self.helpers.meet(object, body);
                }
            }
            StepKind::New(_, new) => {
                self.helpers.meet_class(&new.class);
            }
            StepKind::SetField(object, ..) => {
                self.helpers.meet(object, body);
            }
            _ => {}
        }
        let Some((owner, method)) = self.target(world, owner, body, step) else {
            return;
        };
        let known = self.numbers.contains_key(&(owner, key(&method)));
        let own = self.constructors + self.actions;
        if !known && owner != OwnerId::STUDIED && self.all.len() >= own + MOST_METHODS {
            let class = super::names::simple(&method.class.name);
            let name = format!("{class}.{}", method.method().name);
            self.too_many.insert(name);
            return;
        }
        let number = self.number(owner, &method);
        self.all[number].called = true;
        self.helpers.runs(owner);
    }

    /// The method whose body a step runs, and the class of the object that it is run on.
    fn target(
        &self,
        world: &World,
        owner: OwnerId,
        body: &MethodBody,
        step: &JavaStep,
    ) -> Option<(OwnerId, MethodOf)> {
        let (receiver, kind, method, arguments) = match &step.kind {
            StepKind::Call(_, call) if is_own(call, body) => {
                let method = if owner == OwnerId::STUDIED {
                    let own = self.helpers.class(owner);
                    own.own_method(world, call.kind, &call.method)?
                } else {
                    self.helpers.method(owner, call.kind, &call.method)?
                };
                return Some((owner, method));
            }
            StepKind::Call(_, call) => {
                let receiver = call.receiver.as_ref()?;
                let helper = self.helpers.of(receiver, body)?;
                (helper, call.kind, &call.method, &call.arguments)
            }
            StepKind::New(_, new) => {
                let made = JavaExpr::Variable(step.kind.defines()?);
                let helper = self.helpers.of(&made, body)?;
                let class = &self.helpers.class(helper).class().name;
                let constructed = (*class == new.class).then_some(helper)?;
                let kind = InvokeKind::Special;
                (constructed, kind, &new.constructor, &new.arguments)
            }
            _ => return None,
        };
        // What a helper does with the object under study, which it knows as any other, is not seen.
        let is_studied = |e: &JavaExpr| e.may_be_this(&body.variables);
        if owner == OwnerId::STUDIED && arguments.iter().any(is_studied) {
            return None;
        }
        let found = self.helpers.method(receiver, kind, method)?;
        Some((receiver, found))
    }

    /// The number of a method, which is read when it is met for the first time.
    fn number(&mut self, owner: OwnerId, method: &MethodOf) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry((owner, key(method))).or_insert(next);
        if number == next {
            let (body, refused) = match self.helpers.bodies.of(method) {
                Ok(body) => (body, None),
                Err(refused) => (None, Some(refused)),
            };
            self.all.push(ReachedMethod {
                owner,
                method: method.clone(),
                body,
                refused,
                called: false,
                constructs: method.method().is_constructor(),
            });
        }
        number
    }

    /// The number of a method of the object itself, if it is one of these.
    pub(super) fn own(&self, method: &MethodOf) -> Option<usize> {
        self.numbers.get(&(OwnerId::STUDIED, key(method))).copied()
    }

    /// What a step runs of the methods that are followed.
    pub(super) fn run_by(
        &self,
        world: &World,
        owner: OwnerId,
        body: &MethodBody,
        step: &JavaStep,
    ) -> Option<MethodRun> {
        let (of, method) = self.target(world, owner, body, step)?;
        let number = self.numbers.get(&(of, key(&method))).copied()?;
        let reached = &self.all[number];
        if reached.body.is_none() {
            return Some(MethodRun::Unseen(number));
        }
        let overridden = match &step.kind {
            StepKind::Call(_, call) if of == OwnerId::STUDIED => {
                let is_action =
                    (self.constructors..self.constructors + self.actions).contains(&number);
                let may_be = || overriding::may_be_overridden(&self.helpers, call, &method);
                !is_action && may_be()
            }
            _ => false,
        };
        Some(match overridden {
            true => MethodRun::Overridable(number),
            false => MethodRun::Seen(number),
        })
    }
}

/// What a step runs of the methods that are followed, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MethodRun {
    /// A method whose body is known.
    Seen(usize),
    /// One whose body is known, or another that a subclass has in its place.
    Overridable(usize),
    /// One whose body is not known: it is abstract, native or refused.
    Unseen(usize),
}

impl MethodRun {
    /// The method whose body may be run.
    pub(super) fn seen(self) -> Option<usize> {
        match self {
            MethodRun::Seen(number) | MethodRun::Overridable(number) => Some(number),
            MethodRun::Unseen(_) => None,
        }
    }
}

/// Whether a call may be one of an own method: on the object itself, or of no object.
fn is_own(call: &Invocation, body: &MethodBody) -> bool {
    match &call.receiver {
        Some(object) => object.is_this(&body.variables),
        None => call.kind == InvokeKind::Static,
    }
}

/// Whether a call is that of `Object`'s constructor, which does nothing.
pub(super) fn does_nothing(method: &MethodRef) -> bool {
    method.is_constructor() && method.class().is("java/lang/Object")
}
