//! Running calls with nothing but their arguments. Whatever else a call would need to know, the class leaves open.

use crate::encode::{Encoding, Exit};
use crate::epa::confirm::Confirmations;
use crate::epa::run::{Call, Run};
use crate::interp::{
    Choices, Configuration, Execution, Interpreter, Keys, Map, Outcome, Purpose, Refusal, Request,
    Value,
};
use crate::ir::{ExceptionId, Program, RoutineRef, Type};
use crate::query::ActionSet;

/// Steps of the interpreter for one call.
const FUEL: u64 = 200_000;

/// A call with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The position of the edge it takes in [`Confirmations::edges`].
    pub edge: usize,
    /// What it is called with.
    pub arguments: Vec<Value>,
    /// What it gives, where that is known.
    pub results: Vec<Value>,
    /// Whether the class leaves open how it goes.
    pub open: bool,
}

/// A run, and the configuration it ends in, where that is known.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Its calls.
    pub steps: Vec<Step>,
    /// The configuration after each call, where that is known.
    pub ends: Vec<Option<Configuration>>,
}

/// What is called, by its position among the constructors or actions of the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A constructor.
    Constructor(usize),
    /// An action.
    Action(usize),
}

/// What a call does.
#[derive(Debug)]
pub enum Taken {
    /// It takes this edge.
    Edge {
        /// Its position.
        edge: usize,
        /// The results.
        results: Vec<Value>,
        /// Where it ends.
        end: Configuration,
    },
    /// That is left open, or the interpreter cannot tell.
    Open,
    /// It may not be called, or it leads out of the automaton.
    Nowhere,
}

/// Runs the calls of an automaton.
pub struct Walker<'a> {
    /// The class.
    pub encoding: &'a Encoding<'a>,
    /// Its automaton, and what was found out about it.
    pub found: &'a Confirmations,
}

impl Walker<'_> {
    /// The program of the class.
    pub fn program(&self) -> &Program {
        self.encoding.source()
    }

    /// What an edge calls.
    pub fn callee(&self, edge: usize) -> Option<Callee> {
        let edge = self.found.edges.get(edge)?;
        if edge.source.is_some() {
            let mut actions = self.encoding.actions.iter();
            let position = actions.position(|a| a.name == edge.action);
            position.map(Callee::Action)
        } else {
            let mut constructors = self.encoding.constructors.iter();
            let position = constructors.position(|c| c.display == edge.action);
            position.map(Callee::Constructor)
        }
    }

    /// The routine called; none for a class without constructors.
    pub fn routine(&self, callee: Callee) -> Option<RoutineRef> {
        match callee {
            Callee::Constructor(index) => self.encoding.constructors.get(index)?.routine,
            Callee::Action(index) => Some(self.encoding.actions.get(index)?.routine),
        }
    }

    /// The types of the parameters.
    pub fn parameters(&self, callee: Callee) -> Vec<&Type> {
        let Some(routine) = self.routine(callee) else {
            return Vec::new();
        };
        let params = &self.program().routine(routine).params;
        params.iter().map(|p| &self.program().var(*p).ty).collect()
    }

    /// Runs a run of the second pass again.
    ///
    /// # Errors
    /// Why it cannot be a test, in words.
    pub fn walk(&self, run: &Run) -> Result<Walk, String> {
        let mut walk = Walk {
            steps: Vec::new(),
            ends: Vec::new(),
        };
        for call in &run.calls {
            let callee = self.callee(call.edge).ok_or("its run makes no sense")?;
            let arguments = self.arguments(callee, call)?;
            let taken = match walk.ends.last() {
                None => self.construct(callee, &arguments),
                Some(Some(now)) => self.call(now, callee, &arguments),
                Some(None) => Taken::Open,
            };
            let (results, end, open) = match taken {
                Taken::Edge { edge, results, end } if edge == call.edge => {
                    (results, Some(end), false)
                }
                Taken::Open if run.replayed => {
                    (self.results(callee, call), self.recorded(call), true)
                }
                Taken::Open => {
                    return Err(format!(
                        "its arguments alone do not decide how `{}` goes, and {}",
                        call.name,
                        run.not_replayed.as_deref().unwrap_or("was not run")
                    ));
                }
                Taken::Edge { .. } | Taken::Nowhere => {
                    return Err(format!(
                        "`{}` does something else when it is run",
                        call.name
                    ));
                }
            };
            walk.steps.push(Step {
                edge: call.edge,
                arguments,
                results,
                open,
            });
            walk.ends.push(end);
        }
        if walk.steps.is_empty() {
            return Err("its run has no calls".into());
        }
        Ok(walk)
    }

    /// Makes an object.
    pub fn construct(&self, callee: Callee, arguments: &[Value]) -> Taken {
        let Callee::Constructor(_) = callee else {
            return Taken::Nowhere;
        };
        let interpreter = self.interpreter();
        let empty = Configuration::empty();
        let routine = self.routine(callee);
        if let Some(routine) = routine {
            match interpreter.may_call(&empty, None, routine, arguments) {
                Ok(true) => {}
                Ok(false) => return Taken::Nowhere,
                Err(_) => return Taken::Open,
            }
        }
        let run = |last: bool| {
            let (class, arguments) = (self.encoding.class(), arguments.to_vec());
            interpreter.construct(&empty, class, routine, arguments, &mut Unassigned { last })
        };
        // What a field holds before it is assigned must not matter.
        let (one, other) = (run(false), run(true));
        let unborn = matches!(one.outcome, Outcome::Exception(_));
        let same =
            one.outcome == other.outcome && (unborn || one.configuration == other.configuration);
        if !same {
            return Taken::Open;
        }
        self.ended(None, callee, one)
    }

    /// Calls an action.
    pub fn call(&self, now: &Configuration, callee: Callee, arguments: &[Value]) -> Taken {
        let (Callee::Action(_), Some(this), Some(routine)) =
            (callee, now.this, self.routine(callee))
        else {
            return Taken::Nowhere;
        };
        let interpreter = self.interpreter();
        match interpreter.may_call(now, Some(this), routine, arguments) {
            Ok(true) => {}
            Ok(false) => return Taken::Nowhere,
            Err(_) => return Taken::Open,
        }
        let Some(source) = self.state_of(now) else {
            return Taken::Open;
        };
        let mut choices = Unassigned { last: false };
        let execution = interpreter.call(now, this, routine, arguments.to_vec(), &mut choices);
        self.ended(Some(source), callee, execution)
    }

    fn interpreter(&self) -> Interpreter<'_> {
        Interpreter::new(self.encoding.source()).with_fuel(FUEL)
    }

    /// The edge that an execution takes.
    fn ended(&self, source: Option<usize>, callee: Callee, execution: Execution) -> Taken {
        let (results, exception) = match execution.outcome {
            Outcome::Normal(results) => (results, None),
            Outcome::Exception(id) => (Vec::new(), Some(self.program().exception(id))),
            Outcome::Blocked | Outcome::OutOfFuel | Outcome::Undetermined(_) => return Taken::Open,
        };
        let end = execution.configuration;
        let unborn = source.is_none() && exception.is_some();
        let target = if unborn {
            None
        } else {
            match self
                .interpreter()
                .invariant_holds(&end, self.encoding.class())
            {
                Ok(true) => {}
                Ok(false) => return Taken::Nowhere,
                Err(_) => return Taken::Open,
            }
            let Some(state) = self.state_of(&end) else {
                return Taken::Open;
            };
            Some(state)
        };
        let outcome = match exception {
            None => self.outcome(callee, &results),
            Some(_) => None,
        };
        let id = |state: usize| self.found.states.get(state).map(|s| s.id.as_str());
        let edge = self.found.edges.iter().enumerate().position(|(index, e)| {
            self.callee(index) == Some(callee)
                && e.source.as_deref() == source.and_then(id)
                && e.target.as_deref() == target.and_then(id)
                && e.exception.as_deref() == exception
                && e.outcome == outcome
        });
        match edge {
            Some(edge) => Taken::Edge { edge, results, end },
            None => Taken::Nowhere,
        }
    }

    /// The position of the state that an object is in; none where it cannot be told, or there is no such state.
    fn state_of(&self, now: &Configuration) -> Option<usize> {
        let (interpreter, this) = (self.interpreter(), now.this?);
        let mut enabled = ActionSet::default();
        for (index, action) in self.encoding.actions.iter().enumerate() {
            if interpreter
                .all_hold(now, this, [&action.guard.enabled])
                .ok()?
            {
                enabled.insert(index);
            }
        }
        let names = |set: &ActionSet| -> Vec<&str> {
            let names = set.iter().filter_map(|i| self.encoding.actions.get(i));
            names.map(|a| a.name.as_str()).collect()
        };
        let enabled = names(&enabled);
        let mut states = self.found.states.iter();
        states.position(|s| {
            s.enabled
                .iter()
                .map(String::as_str)
                .eq(enabled.iter().copied())
        })
    }

    /// The label of the results by which the action's edges are split.
    fn outcome(&self, callee: Callee, results: &[Value]) -> Option<String> {
        let Callee::Action(action) = callee else {
            return None;
        };
        let routine = self.program().routine(self.routine(callee)?);
        let index_of = |var| {
            let position = routine.results.iter().position(|r| r == var)?;
            match results.get(position)? {
                Value::Bool(b) => Some(usize::from(*b)),
                Value::Member(_, index) => Some(*index),
                _ => None,
            }
        };
        let values: Vec<usize> = routine.outcomes.iter().filter_map(index_of).collect();
        if values.is_empty() || values.len() != routine.outcomes.len() {
            return None;
        }
        let label = self.encoding.outcome_label(action, &Exit::Outcome(values));
        Some(label)
    }

    /// The arguments of a call of the second pass.
    fn arguments(&self, callee: Callee, call: &Call) -> Result<Vec<Value>, String> {
        let types = self.parameters(callee);
        let values = types.iter().zip(&call.arguments);
        let values: Option<Vec<Value>> = values
            .map(|(ty, argument)| read(self.program(), ty, &argument.value))
            .collect();
        match values {
            Some(values) if values.len() == types.len() => Ok(values),
            _ => Err(format!(
                "not all arguments of `{}` in its run are values that can be written down",
                call.name
            )),
        }
    }

    fn results(&self, callee: Callee, call: &Call) -> Vec<Value> {
        let Some(routine) = self.routine(callee) else {
            return Vec::new();
        };
        let results = self.program().routine(routine).results.iter();
        let values = results.zip(&call.results);
        let values: Option<Vec<Value>> = values
            .map(|(var, result)| read(self.program(), &self.program().var(*var).ty, &result.value))
            .collect();
        values.unwrap_or_default()
    }

    /// The configuration after a call as the second pass recorded it, where it is only values.
    fn recorded(&self, call: &Call) -> Option<Configuration> {
        let class = self.encoding.class();
        let fields = &self.program().class(class).fields;
        let values = fields.iter().zip(&call.fields);
        let values: Vec<Value> = values
            .map(|(field, named)| read(self.program(), &field.ty, &named.value))
            .collect::<Option<_>>()?;
        let whole = values.len() == fields.len() && call.target.is_some();
        whole.then(|| Configuration::with_this(class, values))
    }
}

/// A value as [`Value::display`] writes it, where it can be read back.
pub fn read(program: &Program, ty: &Type, text: &str) -> Option<Value> {
    match ty {
        Type::Bool => text.parse().ok().map(Value::Bool),
        Type::Int | Type::Nat | Type::Machine(_) => text.parse().ok().map(Value::Int),
        Type::Enum(id) => {
            let declared = program.enums.get(id.0)?;
            let member = text
                .strip_prefix(declared.name.as_str())?
                .strip_prefix('.')?;
            let index = declared.members.iter().position(|m| m == member)?;
            Some(Value::Member(*id, index))
        }
        Type::Class { .. } | Type::Array { .. } | Type::Null => {
            (text == "null").then_some(Value::Null)
        }
        Type::Opaque(_) | Type::Map(..) => None,
    }
}

/// Knows nothing but some value for a field that is not assigned yet.
struct Unassigned {
    /// Whether it is another value than otherwise.
    last: bool,
}

impl Unassigned {
    fn value_of(&self, program: &Program, ty: &Type) -> Option<Value> {
        Some(match ty {
            Type::Bool => Value::Bool(self.last),
            Type::Int | Type::Nat | Type::Machine(_) => Value::int(u8::from(self.last)),
            Type::Enum(id) => {
                let members = program.enums.get(id.0)?.members.len();
                let index = if self.last {
                    members.checked_sub(1)?
                } else {
                    0
                };
                Value::Member(*id, index)
            }
            Type::Opaque(id) => Value::Opaque(*id, u64::from(self.last)),
            Type::Class { .. } | Type::Array { .. } | Type::Null => Value::Null,
            Type::Map(key, value) => {
                // The type is as deep as the parser let it be.
                Value::Map(Map::constant(
                    Keys::of(program, key),
                    self.value_of(program, value)?,
                ))
            }
        })
    }
}

impl Choices for Unassigned {
    fn value(&mut self, request: &Request<'_>) -> Result<Value, Refusal> {
        let value = match request.purpose {
            Purpose::InitialField(_) => self.value_of(request.program, request.ty),
            _ => None,
        };
        value.ok_or_else(|| Refusal::Unknown("the class leaves it open".into()))
    }

    fn branch(&mut self) -> Result<bool, Refusal> {
        Err(Refusal::Unknown("the class leaves it open".into()))
    }

    fn exit(&mut self, _: RoutineRef, _: &[ExceptionId]) -> Result<Option<ExceptionId>, Refusal> {
        Err(Refusal::Unknown("the class leaves it open".into()))
    }
}
