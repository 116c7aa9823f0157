//! The methods of a studied class that are run when it is used: constructors, actions, and what they call on the object
//! itself.

use std::collections::HashMap;

use crate::front::java::classfile::{InvokeKind, MethodRef};
use crate::front::java::flow::{Refused, body_of};
use crate::front::java::tree::{Invocation, JavaStatement, MethodBody, StepKind};
use crate::front::java::world::studied::Studied;
use crate::front::java::world::{MethodOf, World};

/// A method that is run on the object.
#[derive(Debug)]
pub(super) struct ReachedMethod {
    /// The method.
    pub method: MethodOf,
    /// What it does; nothing where that is not known: it is abstract or native.
    pub body: Option<MethodBody>,
    /// Why its body is not taken.
    pub refused: Option<Refused>,
    /// Whether own methods call it.
    pub called: bool,
}

/// All methods that are run on the object, those that callers call first.
#[derive(Debug)]
pub(super) struct Methods {
    /// The methods: constructors, actions, then others.
    pub all: Vec<ReachedMethod>,
    /// How many constructors there are.
    pub constructors: usize,
    /// How many actions.
    pub actions: usize,
    numbers: HashMap<String, usize>,
}

impl Methods {
    /// Finds the methods of a class.
    pub(super) fn of(world: &World, studied: &Studied) -> Methods {
        let mut methods = Methods {
            all: Vec::new(),
            constructors: studied.constructors.len(),
            actions: studied.actions.len(),
            numbers: HashMap::new(),
        };
        for method in studied.constructors.iter().chain(&studied.actions) {
            methods.number(method);
        }
        let mut next = 0;
        while next < methods.all.len() {
            let body = methods.all[next].body.take();
            for call in body.iter().flat_map(calls) {
                let on_this = body.as_ref().is_some_and(|body| is_own(call, body));
                if let Some(method) = on_this
                    .then(|| studied.own_method(world, call.kind, &call.method))
                    .flatten()
                {
                    let number = methods.number(&method);
                    methods.all[number].called = true;
                }
            }
            methods.all[next].body = body;
            next += 1;
        }
        methods
    }

    /// The number of a method, which is read when it is met for the first time.
    fn number(&mut self, method: &MethodOf) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(key(method)).or_insert(next);
        if number == next {
            let (body, refused) = match body_of(&method.class, method.method()) {
                Ok(body) => (body, None),
                Err(refused) => (None, Some(refused)),
            };
            self.all.push(ReachedMethod {
                method: method.clone(),
                body,
                refused,
                called: false,
            });
        }
        number
    }

    /// The own method that a call runs, if it runs one whose body is known.
    pub(super) fn callee(
        &self,
        world: &World,
        studied: &Studied,
        body: &MethodBody,
        call: &Invocation,
    ) -> Option<usize> {
        if !is_own(call, body) {
            return None;
        }
        let method = studied.own_method(world, call.kind, &call.method)?;
        let number = *self.numbers.get(&key(&method))?;
        self.all[number].body.is_some().then_some(number)
    }
}

fn key(method: &MethodOf) -> String {
    let found = method.method();
    let descriptor = found.signature.descriptor();
    format!("{}.{}{descriptor}", method.class.name, found.name)
}

/// Whether a call may be one of an own method: on the object itself, or of no object.
fn is_own(call: &Invocation, body: &MethodBody) -> bool {
    match &call.receiver {
        Some(object) => object.is_this(&body.variables),
        None => call.kind == InvokeKind::Static,
    }
}

fn calls(body: &MethodBody) -> Vec<&Invocation> {
    let mut found = Vec::new();
    for statement in &body.statements {
        statement.visit(&mut |part| {
            if let JavaStatement::Step(step) = part
                && let StepKind::Call(_, call) = &step.kind
            {
                found.push(call);
            }
        });
    }
    found
}

/// Whether a call is that of `Object`'s constructor, which does nothing.
pub(super) fn does_nothing(method: &MethodRef) -> bool {
    method.is_constructor() && method.class().is("java/lang/Object")
}
