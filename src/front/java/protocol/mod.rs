//! Which classes have a protocol: whether a call is taken depends on what was called before.
//!
//! The sign of it is an exception that the class's own code makes and throws, where it depends on one of its own fields
//! that it is thrown: by data and by control, and through calls of own methods. What is told here is quick to find and
//! says what to look for; it is no proof. A class without this sign has an EPA of one state, as far as its own code
//! decides. `Error`s are no sign: they say that something is broken, not that it is the wrong time.

pub mod facts;
pub mod list;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::Serialize;

use super::classfile::InvokeKind;
use super::flow::{Refused, flow_of};
use super::memo::Memo;
use super::types::{ClassName, ComputationalType as TypeKind, JavaType};
use super::world::studied::Studied;
use super::world::{MethodOf, World};
use facts::{CallFact, Dependencies, Dependency, Facts, Meets};

/// A method, told apart from all others.
type MethodKey = (ClassName, String);

fn key(method: &MethodOf) -> MethodKey {
    let found = method.method();
    (
        method.class.name.clone(),
        format!("{}{}", found.name, found.signature.descriptor()),
    )
}

/// What methods throw and call, worked out once for all classes that inherit them.
#[derive(Debug, Default)]
pub struct MethodSummaries {
    facts: Memo<MethodKey, Result<Arc<Facts>, Refused>>,
}

impl MethodSummaries {
    fn of(&self, method: &MethodOf) -> Result<Arc<Facts>, Refused> {
        self.facts.get(&key(method), || {
            let flow = flow_of(&method.class, method.method())?;
            Ok(Arc::new(
                flow.map_or_else(Facts::default, |flow| facts::facts(&flow)),
            ))
        })
    }
}

/// The protocol of a class.
#[derive(Clone, Debug, Default)]
pub struct ClassProtocol {
    /// The exceptions that are thrown because of own fields.
    pub refusals: Vec<ProtocolRefusal>,
    /// Methods whose bodies are not taken, with the reason: what they throw is not known.
    pub refused: Vec<(String, Refused)>,
}

/// A call of an action that is refused because of own fields.
#[derive(Clone, Debug)]
pub struct ProtocolRefusal {
    /// The action, as its place among the actions of the class.
    pub action: usize,
    /// The exception that is thrown; nothing where it is only written down that it is not to be called.
    pub exception: Option<ClassName>,
    /// Where it is thrown, or asked: the method, and the line of its source.
    pub method: String,
    /// The line of the source of the method's class.
    pub line: Option<u16>,
    /// How it depends on own fields.
    pub kind: RefusalKind,
    /// The own fields that it depends on, by the names that [`Studied`] gives them.
    pub fields: BTreeSet<String>,
}

/// How a refusal depends on own fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RefusalKind {
    /// On what they hold, and a method may change that: a protocol.
    Own,
    /// On what an object says that a field holds: a protocol, perhaps, of that object.
    Helper,
    /// On what they hold, and nothing changes that once the object is made: it is decided for good by then.
    Fixed,
}

/// Finds the protocol of a class.
pub fn protocol(world: &World, known: &MethodSummaries, studied: &Studied) -> ClassProtocol {
    let mut search = ProtocolSearch {
        world,
        known,
        studied,
        methods: Vec::new(),
        numbers: HashMap::new(),
        changing: BTreeSet::new(),
    };
    let actions: Vec<usize> = studied
        .actions
        .iter()
        .map(|action| search.number(action))
        .collect();
    let written = studied.written.preconditions.iter();
    let conditions: Vec<(usize, usize)> = written
        .filter_map(|written| {
            let mut all = studied.actions.iter();
            let action = all.position(|action| action.is(&written.action))?;
            Some((action, search.number(&written.method)))
        })
        .collect();
    search.collect();
    search.find_changing();
    search.settle();
    let mut found = ClassProtocol::default();
    for (action, number) in actions.iter().enumerate() {
        for (raise, because) in &search.methods[*number].raises {
            let Some(kind) = search.kind(because) else {
                continue;
            };
            found.refusals.push(ProtocolRefusal {
                action,
                exception: Some(raise.exception.clone()),
                method: search.methods[raise.method].method.to_string(),
                line: raise.line,
                kind,
                fields: because.fields.union(&because.helpers).cloned().collect(),
            });
        }
    }
    for (action, number) in conditions {
        let because = search.of_call(number);
        if let Some(kind) = search.kind(&because) {
            found.refusals.push(ProtocolRefusal {
                action,
                exception: None,
                method: search.methods[number].method.to_string(),
                line: None,
                kind,
                fields: because.fields.union(&because.helpers).cloned().collect(),
            });
        }
    }
    for written in &studied.written.texts {
        let of = |action: &MethodOf| written.of.as_ref().is_some_and(|of| of.is(action));
        let Some(action) = studied.actions.iter().position(of) else {
            continue;
        };
        let because = search.in_words(&written.text);
        if let Some(kind) = search.kind(&because) {
            found.refusals.push(ProtocolRefusal {
                action,
                exception: None,
                method: studied.actions[action].to_string(),
                line: None,
                kind,
                fields: because.fields,
            });
        }
    }
    found.refused = search.refused();
    found
}

/// Where an exception is thrown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Raise {
    method: usize,
    line: Option<u16>,
    exception: ClassName,
}

/// What something depends on, seen from the beginning of a method.
#[derive(Clone, Debug, Default, PartialEq)]
struct Because {
    fields: BTreeSet<String>,
    /// Fields that hold objects whose methods are asked.
    helpers: BTreeSet<String>,
    parameters: BTreeSet<u16>,
}

impl Because {
    fn add(&mut self, other: Because) {
        self.fields.extend(other.fields);
        self.helpers.extend(other.helpers);
        self.parameters.extend(other.parameters);
    }
}

/// A method that an action may run on the object itself.
struct OwnMethod {
    method: MethodOf,
    facts: Result<Arc<Facts>, Refused>,
    /// Of each of its calls, the method that is run, if that is one of these.
    callees: Vec<Option<usize>>,
    raises: BTreeMap<Raise, Because>,
    result: Because,
}

struct ProtocolSearch<'a> {
    world: &'a World,
    known: &'a MethodSummaries,
    studied: &'a Studied,
    methods: Vec<OwnMethod>,
    numbers: HashMap<MethodKey, usize>,
    /// The fields that may hold something else later.
    changing: BTreeSet<String>,
}

/// After so many rounds, which is more than any chain of calls has links, nothing is new.
const ROUNDS: usize = 100;

impl ProtocolSearch<'_> {
    /// The number of a method among those that are reached.
    fn number(&mut self, method: &MethodOf) -> usize {
        let next = self.methods.len();
        let number = *self.numbers.entry(key(method)).or_insert(next);
        if number == next {
            self.methods.push(OwnMethod {
                facts: self.known.of(method),
                method: method.clone(),
                callees: Vec::new(),
                raises: BTreeMap::new(),
                result: Because::default(),
            });
        }
        number
    }

    /// Finds all methods that are reached.
    fn collect(&mut self) {
        let mut next = 0;
        while next < self.methods.len() {
            let facts = self.methods[next].facts.clone().unwrap_or_default();
            let callees: Vec<Option<usize>> =
                facts.calls.iter().map(|call| self.callee(call)).collect();
            self.methods[next].callees = callees;
            next += 1;
        }
    }

    /// Finds the fields that may hold something else later: those that a method assigns, and those that hold an object or
    /// an array, in which something may change.
    fn find_changing(&mut self) {
        let is_plain = |ty: &JavaType| {
            ty.kind() != TypeKind::Reference || *ty == JavaType::class("java/lang/String")
        };
        let inside = self
            .studied
            .fields
            .iter()
            .filter(|own| !is_plain(&own.field.ty));
        let mut changing: BTreeSet<String> = inside.map(|own| own.name.clone()).collect();
        for method in &self.methods {
            let Ok(facts) = &method.facts else { continue };
            let assigned = facts
                .assigns
                .iter()
                .filter_map(|field| self.studied.own_field(field));
            changing.extend(assigned.map(|own| own.name.clone()));
        }
        // What others may assign is not known.
        let open = self
            .studied
            .fields
            .iter()
            .filter(|own| !own.field.access.is_private() && !own.field.access.is_final());
        changing.extend(open.map(|own| own.name.clone()));
        self.changing = changing;
    }

    /// How something depends on own fields; nothing where it does not.
    fn kind(&self, because: &Because) -> Option<RefusalKind> {
        if !because.fields.is_disjoint(&self.changing) {
            Some(RefusalKind::Own)
        } else if !because.helpers.is_empty() {
            Some(RefusalKind::Helper)
        } else {
            (!because.fields.is_empty()).then_some(RefusalKind::Fixed)
        }
    }

    fn callee(&mut self, call: &CallFact) -> Option<usize> {
        if !call.on_this && call.kind != InvokeKind::Static {
            return None;
        }
        let method = self
            .studied
            .own_method(self.world, call.kind, &call.method)?;
        Some(self.number(&method))
    }

    /// Hands on what is found from those who are called to those who call, until nothing is new.
    fn settle(&mut self) {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for number in (0..self.methods.len()).rev() {
                changed |= self.update(number);
            }
            if !changed {
                return;
            }
        }
    }

    fn update(&mut self, number: usize) -> bool {
        let facts = self.methods[number].facts.clone().unwrap_or_default();
        let mut raises: BTreeMap<Raise, Because> = BTreeMap::new();
        let error = ClassName::new("java/lang/Error");
        for throw in &facts.throws {
            let is_error = self.world.is_subclass(&throw.class, &error) == Some(true);
            if !is_error && !self.is_caught(&throw.class, &throw.handlers) {
                let (line, exception) = (throw.place.line, throw.class.clone());
                let raise = Raise {
                    method: number,
                    line,
                    exception,
                };
                let because = self.resolve(number, &facts, &throw.because);
                raises.entry(raise).or_default().add(because);
            }
        }
        for (position, call) in facts.calls.iter().enumerate() {
            let Some(callee) = self.known_callee(number, position) else {
                continue;
            };
            for (raise, inner) in self.methods[callee].raises.clone() {
                if self.is_caught(&raise.exception, &call.handlers) {
                    continue;
                }
                let mut because = self.resolve(number, &facts, &call.because);
                because.add(self.handed_over(number, &facts, call, &inner));
                raises.entry(raise).or_default().add(because);
            }
        }
        let result = self.resolve(number, &facts, &facts.result);
        let method = &mut self.methods[number];
        let changed = method.raises != raises || method.result != result;
        (method.raises, method.result) = (raises, result);
        changed
    }

    /// What is said of a method, seen from the one that calls it.
    fn handed_over(
        &self,
        number: usize,
        facts: &Facts,
        call: &CallFact,
        inner: &Because,
    ) -> Because {
        let mut found = Because {
            parameters: BTreeSet::new(),
            ..inner.clone()
        };
        for parameter in &inner.parameters {
            if let Some(sources) = call.arguments.get(usize::from(*parameter)) {
                found.add(self.resolve(number, facts, sources));
            }
        }
        found
    }

    /// The own method that a call of a method runs, if it is one.
    fn known_callee(&self, number: usize, position: usize) -> Option<usize> {
        let callees = &self.methods[number].callees;
        callees.get(position).copied().flatten()
    }

    /// Sources in the words of [`Because`]: what calls give is followed into own methods.
    fn resolve(&self, number: usize, facts: &Facts, sources: &Dependencies) -> Because {
        let mut found = Because::default();
        let mut seen = BTreeSet::new();
        let mut work: Vec<(Dependency, bool)> = sources
            .iter()
            .map(|source| (source.clone(), false))
            .collect();
        while let Some((source, asked)) = work.pop() {
            if !seen.insert((source.clone(), asked)) {
                continue;
            }
            match source {
                Dependency::Field(field) => {
                    let own = self.studied.own_field(&field).map(|own| own.name.clone());
                    if asked {
                        &mut found.helpers
                    } else {
                        &mut found.fields
                    }
                    .extend(own);
                }
                Dependency::Parameter(parameter) => {
                    found.parameters.insert(parameter);
                }
                Dependency::Call(position) => {
                    let Some(call) = facts.calls.get(position) else {
                        continue;
                    };
                    work.extend(match self.known_callee(number, position) {
                        Some(callee) => {
                            let inner = self.of_call(callee);
                            let arguments = inner.parameters.iter().filter_map(|parameter| {
                                call.arguments.get(usize::from(*parameter))
                            });
                            let arguments = arguments.flatten().cloned().map(|s| (s, asked));
                            let arguments: Vec<(Dependency, bool)> = arguments.collect();
                            found.add(Because {
                                parameters: BTreeSet::new(),
                                ..inner
                            });
                            arguments
                        }
                        // Somebody else's method may look at all that it is given.
                        None => {
                            let given = call.arguments.iter().chain([&call.receiver]).flatten();
                            given.cloned().map(|source| (source, true)).collect()
                        }
                    });
                }
            }
        }
        found
    }

    /// The own fields of which a condition in words speaks.
    fn in_words(&self, text: &str) -> Because {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let words: BTreeSet<&str> = text.split(|c| !is_part(c)).collect();
        let fields = self.studied.fields.iter().map(|own| &own.name);
        let fields = fields.filter(|name| words.contains(name.as_str()));
        Because {
            fields: fields.cloned().collect(),
            ..Because::default()
        }
    }

    /// What the result of an own method, and whether it fails, depend on.
    fn of_call(&self, callee: usize) -> Because {
        let callee = &self.methods[callee];
        let mut found = callee.result.clone();
        for because in callee.raises.values() {
            found.add(because.clone());
        }
        found
    }

    /// Whether an exception is handled for good by one of these.
    fn is_caught(&self, exception: &ClassName, handlers: &[Meets]) -> bool {
        for handler in handlers {
            let fits = match &handler.class {
                None => Some(true),
                Some(class) => self.world.is_subclass(exception, class),
            };
            match fits {
                Some(true) => return !handler.rethrows,
                Some(false) => {}
                // It may or may not be: then it may get further.
                None => return false,
            }
        }
        false
    }

    fn refused(&self) -> Vec<(String, Refused)> {
        let refused = self.methods.iter().filter_map(|method| {
            let reason = method.facts.as_ref().err()?;
            Some((method.method.to_string(), reason.clone()))
        });
        refused.collect()
    }
}
