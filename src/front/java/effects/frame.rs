//! What a call of somebody else's method may change of an object.
//!
//! Nothing, unless others can get at the object: it was handed to them as an argument, put where they find it, or captured
//! by a lambda. Then it is the fields that classes outside of its own hierarchy assign. Others may also call its methods,
//! and these assign what they assign: so it is with callbacks.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::writers::Writers;
use crate::front::java::classfile::{InvokeKind, JavaFieldRef, MethodRef};
use crate::front::java::flow::flow_of;
use crate::front::java::flow::graph::{BlockExit, ControlFlowGraph};
use crate::front::java::tree::{
    CallSite, CodePlace, JavaExpr, JavaStep, Role, StepKind, VariableId,
};
use crate::front::java::types::ClassName;
use crate::front::java::world::studied::Studied;
use crate::front::java::world::{MethodOf, World};

/// What others may do to a studied object.
#[derive(Clone, Debug, Default)]
pub struct FrameCondition {
    /// How others get at the object.
    pub escapes: Vec<EscapingObject>,
    /// The fields that others assign, with who does: they change once the object has escaped.
    pub by_others: BTreeMap<String, Vec<ClassName>>,
    /// The fields that its own public methods and lambdas assign: they change where others call these.
    pub by_callbacks: BTreeSet<String>,
    /// Whether it waits for other threads, so that everything may change while it does.
    pub waits: bool,
    /// Methods whose bodies are not taken: the object may escape in them.
    pub refused: Vec<String>,
}

impl FrameCondition {
    /// The fields that a call of somebody else's method may change; with callbacks, if they count.
    pub fn changed(&self, callbacks: bool) -> BTreeSet<String> {
        if self.escapes.is_empty() && self.refused.is_empty() {
            return BTreeSet::new();
        }
        let mut found: BTreeSet<String> = self.by_others.keys().cloned().collect();
        if callbacks {
            found.extend(self.by_callbacks.iter().cloned());
        }
        found
    }
}

/// A place where others get at an object.
#[derive(Clone, Debug, PartialEq)]
pub struct EscapingObject {
    /// The method.
    pub method: String,
    /// Where in it.
    pub place: CodePlace,
    /// How.
    pub how: How,
}

/// How others get at an object.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    /// As an argument of a method or constructor.
    Argument(MethodRef),
    /// A method is called on it that is not known.
    Receiver(MethodRef),
    /// It is put into a field of another object, or of a class.
    Field(JavaFieldRef),
    /// It is put into an array.
    Element,
    /// A lambda or the like holds it.
    Captured,
    /// It is returned.
    Returned,
    /// It is thrown.
    Thrown,
}

/// Works out what others may do to the objects of a class.
pub fn frame(world: &World, writers: &Writers, studied: &Studied) -> FrameCondition {
    let mut search = EscapeSearch {
        world,
        studied,
        frame: FrameCondition::default(),
        parameters: HashMap::new(),
        work: Vec::new(),
    };
    for method in studied.constructors.iter().chain(&studied.actions) {
        search.visit(method, BTreeSet::new());
    }
    while let Some(method) = search.work.pop() {
        search.method(&method);
    }
    let mut frame = search.frame;
    for own in &studied.fields {
        let outside = writers.outside(studied, own);
        if !outside.is_empty() {
            frame.by_others.insert(own.name.clone(), outside);
        }
    }
    frame
}

struct EscapeSearch<'a> {
    world: &'a World,
    studied: &'a Studied,
    frame: FrameCondition,
    /// Of each method that is reached, the parameters in which the object may be.
    parameters: HashMap<String, BTreeSet<u16>>,
    work: Vec<MethodOf>,
}

impl EscapeSearch<'_> {
    /// A method is run on the object, or gets it as one of these parameters.
    fn visit(&mut self, method: &MethodOf, parameters: BTreeSet<u16>) {
        let key = format!("{}{}", method, method.method().signature.descriptor());
        let known = self.parameters.get(&key);
        let new = known.is_none_or(|known| !parameters.is_subset(known));
        if new {
            self.parameters.entry(key).or_default().extend(parameters);
            self.work.push(method.clone());
        }
    }

    fn method(&mut self, method: &MethodOf) {
        let flow = match flow_of(&method.class, method.method()) {
            Ok(Some(flow)) => flow,
            Ok(None) => return,
            Err(_) => return self.frame.refused.push(method.to_string()),
        };
        let key = format!("{}{}", method, method.method().signature.descriptor());
        let parameters = self.parameters.get(&key).cloned().unwrap_or_default();
        let aliases = aliases(&flow, &parameters);
        let is_callback = method.method().access.is_public() && !method.method().is_constructor();
        for id in flow.order() {
            let block = flow.block(id);
            for step in &block.steps {
                if let Some(how) = self.step(step, &aliases) {
                    self.escape(method, step.place, how);
                }
                if is_callback {
                    self.callback(step, &aliases);
                }
            }
            match &block.exit {
                BlockExit::Return(place, Some(value)) if aliases.holds(value) => {
                    self.escape(method, *place, How::Returned);
                }
                BlockExit::Throw(place, value) if aliases.holds(value) => {
                    self.escape(method, *place, How::Thrown);
                }
                _ => {}
            }
        }
    }

    fn escape(&mut self, method: &MethodOf, place: CodePlace, how: How) {
        let escape = EscapingObject {
            method: method.to_string(),
            place,
            how,
        };
        if !self.frame.escapes.contains(&escape) {
            self.frame.escapes.push(escape);
        }
    }

    fn callback(&mut self, step: &JavaStep, aliases: &Aliases) {
        if let StepKind::SetField(object, field, _) = &step.kind
            && aliases.holds(object)
            && let Some(own) = self.studied.own_field(field)
        {
            self.frame.by_callbacks.insert(own.name.clone());
        }
    }

    /// How the object gets to others by a step, if it does.
    fn step(&mut self, step: &JavaStep, aliases: &Aliases) -> Option<How> {
        match &step.kind {
            StepKind::SetField(object, field, value) => {
                let to_itself = aliases.holds(object) && self.studied.own_field(field).is_some();
                (aliases.holds(value) && !to_itself).then(|| How::Field(field.clone()))
            }
            StepKind::SetStatic(field, value) => {
                aliases.holds(value).then(|| How::Field(field.clone()))
            }
            StepKind::SetElement(_, _, value, _) => aliases.holds(value).then_some(How::Element),
            StepKind::Call(_, call) => {
                let handed: BTreeSet<u16> = call
                    .arguments
                    .iter()
                    .enumerate()
                    .filter(|(_, argument)| aliases.holds(argument))
                    .filter_map(|(position, _)| u16::try_from(position).ok())
                    .collect();
                let on_it = call
                    .receiver
                    .as_ref()
                    .is_some_and(|object| aliases.holds(object));
                self.call(call.kind, &call.method, on_it, handed)
            }
            StepKind::New(_, new) => {
                let handed = new.arguments.iter().any(|argument| aliases.holds(argument));
                handed.then(|| How::Argument(new.constructor.clone()))
            }
            StepKind::Dynamic(_, call) => {
                let captured = call
                    .arguments
                    .iter()
                    .any(|argument| aliases.holds(argument));
                if let CallSite::Lambda { target, .. } = &call.site
                    && captured
                    && let Some(method) = target.method()
                {
                    self.lambda(method);
                }
                captured.then_some(How::Captured)
            }
            _ => None,
        }
    }

    fn call(
        &mut self,
        kind: InvokeKind,
        method: &MethodRef,
        on_it: bool,
        handed: BTreeSet<u16>,
    ) -> Option<How> {
        if !on_it && handed.is_empty() {
            return None;
        }
        let possible = on_it || kind == InvokeKind::Static;
        let own = possible
            .then(|| self.studied.own_method(self.world, kind, method))
            .flatten();
        if let Some(own) = own {
            self.visit(&own, handed);
            let of_subclass = on_it && self.is_of_subclass(kind, &own);
            return of_subclass.then(|| How::Receiver(method.clone()));
        }
        if !handed.is_empty() {
            return Some(How::Argument(method.clone()));
        }
        if method.class().is("java/lang/Object") || is_of_object(method) {
            self.frame.waits |= &*method.name == "wait";
            return None;
        }
        Some(How::Receiver(method.clone()))
    }

    /// Whether a call may run code of a subclass that is not there to be seen.
    fn is_of_subclass(&self, kind: InvokeKind, found: &MethodOf) -> bool {
        let access = found.method().access;
        let fixed = access.is_private() || access.is_final() || access.is_static();
        let is_virtual = matches!(kind, InvokeKind::Virtual | InvokeKind::Interface);
        // Its public methods are taken to be those of the class under study.
        let taken = access.is_public() && found.method().has_code();
        self.studied.class().access.is_abstract() && is_virtual && !fixed && !taken
    }

    /// What a lambda does is done to the object when others call it.
    fn lambda(&mut self, method: &MethodRef) {
        let kind = InvokeKind::Special;
        let Some(own) = self.studied.own_method(self.world, kind, method) else {
            return;
        };
        if let Ok(Some(flow)) = flow_of(&own.class, own.method()) {
            let aliases = aliases(&flow, &BTreeSet::new());
            for step in flow.blocks.iter().flat_map(|block| &block.steps) {
                self.callback(step, &aliases);
            }
        }
        self.visit(&own, BTreeSet::new());
    }
}

/// Methods of `Object` that nothing overrides.
fn is_of_object(method: &MethodRef) -> bool {
    matches!(&*method.name, "getClass" | "notify" | "notifyAll" | "wait")
}

/// The variables of a body that may hold the object.
struct Aliases {
    variables: BTreeSet<VariableId>,
}

impl Aliases {
    fn holds(&self, expression: &JavaExpr) -> bool {
        match expression {
            JavaExpr::Variable(variable) => self.variables.contains(variable),
            JavaExpr::Cast(_, value) => self.holds(value),
            JavaExpr::Conditional(_, a, b) => self.holds(a) || self.holds(b),
            _ => false,
        }
    }
}

fn aliases(flow: &ControlFlowGraph, parameters: &BTreeSet<u16>) -> Aliases {
    let is_it = |variable: &&VariableId| match flow.variables[variable.index()].role {
        Role::This => true,
        Role::Parameter(number) => parameters.contains(&number),
        Role::Around | Role::Local | Role::Temporary => false,
    };
    let mut aliases = Aliases {
        variables: flow.parameters.iter().filter(is_it).copied().collect(),
    };
    // A constructor may have assigned its `this`, which no compiler does.
    loop {
        let before = aliases.variables.len();
        for step in flow.blocks.iter().flat_map(|block| &block.steps) {
            if let StepKind::Assign(variable, value) = &step.kind
                && aliases.holds(value)
            {
                aliases.variables.insert(*variable);
            }
        }
        if aliases.variables.len() == before {
            return aliases;
        }
    }
}
