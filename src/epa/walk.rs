//! Running a class along its EPA: what a call with known values does.

use std::collections::HashMap;

use super::Abstraction;
use crate::interp::{
    Choices, Configuration, Execution, Interpreter, Locals, Moment, Outcome, Value,
};
use crate::ir::{Expr, Program, RoutineRef, Type};
use crate::query::{AbstractState, Automaton, Callee, EdgeId, Exit, StateId, Subject};

/// Steps of the interpreter for one call, where nothing else is said.
const FUEL: u64 = 200_000;

/// What a call does.
#[derive(Debug)]
pub(crate) enum Taken {
    /// It takes this edge.
    Edge {
        /// Which.
        edge: EdgeId,
        /// The results.
        results: Vec<Value>,
        /// Where it ends.
        end: Configuration,
    },
    /// That is left open, or the interpreter cannot tell, or the class assumes that no object is there.
    Open,
    /// It may not be called.
    Refused,
    /// It ends where no edge of the EPA leads.
    Astray {
        /// How.
        exit: Exit,
        /// Whether the invariant of the class does not hold there.
        breaks: bool,
    },
}

/// Where an object stands in an EPA.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Standing {
    /// In this state.
    In(StateId),
    /// In none that there is.
    Nowhere,
    /// In none: what the class assumes of its state does not hold of it.
    AssumedAway,
    /// The invariant does not hold.
    Broken,
    /// The interpreter cannot tell.
    Open,
}

/// Runs calls of a class, and says which edges of its EPA they take.
pub(crate) struct Walker<'a> {
    /// The class.
    pub subject: &'a Subject,
    /// Its EPA.
    pub epa: &'a Abstraction,
    states: HashMap<AbstractState, StateId>,
    /// What the class assumes of its states.
    assumed: Vec<(AbstractState, Expr)>,
    /// Steps of the interpreter for one call.
    fuel: u64,
    /// The edges of each call, by the state it is made in.
    edges: HashMap<(Option<StateId>, Callee), Vec<EdgeId>>,
}

impl<'a> Walker<'a> {
    /// Along this EPA of this class.
    pub(crate) fn new(subject: &'a Subject, epa: &'a Abstraction) -> Walker<'a> {
        let mut edges: HashMap<_, Vec<EdgeId>> = HashMap::new();
        for (id, edge, _) in epa.edges() {
            edges
                .entry((edge.source, edge.callee))
                .or_default()
                .push(id);
        }
        Walker {
            subject,
            epa,
            fuel: FUEL,
            assumed: subject.assumptions(),
            states: epa.states().map(|(id, set)| (set.clone(), id)).collect(),
            edges,
        }
    }

    /// With so many steps for one call.
    pub(crate) fn with_fuel(self, fuel: u64) -> Walker<'a> {
        Walker { fuel, ..self }
    }

    /// The program of the class.
    pub(crate) fn program(&self) -> &'a Program {
        &self.subject.program
    }

    /// The automaton.
    pub(crate) fn automaton(&self) -> &'a Automaton {
        &self.epa.automaton
    }

    /// What an edge calls.
    pub(crate) fn callee(&self, edge: EdgeId) -> Option<Callee> {
        self.automaton().edges.get(edge.0).map(|edge| edge.callee)
    }

    /// The routine called; none for a class without constructors.
    pub(crate) fn routine(&self, callee: Callee) -> Option<RoutineRef> {
        self.subject.routine(callee)
    }

    /// The types of the parameters.
    pub(crate) fn parameters(&self, callee: Callee) -> Vec<&'a Type> {
        let Some(routine) = self.routine(callee) else {
            return Vec::new();
        };
        let params = &self.program().routine(routine).params;
        params.iter().map(|p| &self.program().var(*p).ty).collect()
    }

    /// Whether the requires clauses of a call hold: of an action on the object of a configuration, or of a constructor where
    /// it has none.
    ///
    /// # Errors
    /// What becomes of the call where they do not, or that is not known.
    pub(crate) fn may_call(
        &self,
        now: &Configuration,
        callee: Callee,
        arguments: &[Value],
    ) -> Result<(), Taken> {
        let Some(routine) = self.routine(callee) else {
            return Ok(());
        };
        match self
            .interpreter()
            .may_call(now, now.this, routine, arguments)
        {
            Ok(true) => Ok(()),
            Ok(false) => Err(Taken::Refused),
            Err(_) => Err(Taken::Open),
        }
    }

    /// Runs one call: of an action on the object of a configuration, or of a constructor where it has none.
    ///
    /// # Errors
    /// What becomes of it where it is not run.
    pub(crate) fn execute(
        &self,
        now: &Configuration,
        callee: Callee,
        arguments: &[Value],
        choices: &mut dyn Choices,
    ) -> Result<Execution, Taken> {
        self.may_call(now, callee, arguments)?;
        let execution = self.run(now, callee, arguments, choices);
        execution.ok_or(Taken::Refused)
    }

    /// The same of a call that [may be made](Walker::may_call), as is known already; none where it is of something else.
    pub(crate) fn run(
        &self,
        now: &Configuration,
        callee: Callee,
        arguments: &[Value],
        choices: &mut dyn Choices,
    ) -> Option<Execution> {
        self.run_by(&self.interpreter(), now, callee, arguments, choices)
    }

    /// As [`Walker::execute`], with a log of what is done.
    ///
    /// # Errors
    /// What becomes of it where it is not run.
    pub(crate) fn execute_with_log(
        &self,
        now: &Configuration,
        callee: Callee,
        arguments: &[Value],
        choices: &mut dyn Choices,
    ) -> Result<Execution, Taken> {
        self.may_call(now, callee, arguments)?;
        let interpreter = self.interpreter().with_log();
        let execution = self.run_by(&interpreter, now, callee, arguments, choices);
        execution.ok_or(Taken::Refused)
    }

    fn run_by(
        &self,
        interpreter: &Interpreter<'_>,
        now: &Configuration,
        callee: Callee,
        arguments: &[Value],
        choices: &mut dyn Choices,
    ) -> Option<Execution> {
        let (class, arguments) = (self.subject.class, arguments.to_vec());
        match (callee, now.this, self.routine(callee)) {
            (Callee::Constructor(_), None, routine) => {
                Some(interpreter.construct(now, class, routine, arguments, choices))
            }
            (Callee::Action(_), Some(this), Some(routine)) => {
                Some(interpreter.call(now, this, routine, arguments, choices))
            }
            _ => None,
        }
    }

    /// The edge that an execution takes which began in this state, or made the object.
    pub(crate) fn taken(
        &self,
        source: Option<StateId>,
        callee: Callee,
        execution: Execution,
    ) -> Taken {
        self.taken_to(source, callee, execution, |end| self.standing(end))
    }

    /// The same, by what is known of [where it ends](Walker::standing).
    pub(crate) fn taken_to(
        &self,
        source: Option<StateId>,
        callee: Callee,
        execution: Execution,
        standing: impl FnOnce(&Configuration) -> Standing,
    ) -> Taken {
        let (results, exit) = match execution.outcome {
            Outcome::Normal(results) => {
                let exit = self.exit(callee, &results);
                (results, exit)
            }
            Outcome::Exception(id) => (Vec::new(), Exit::Exception(id)),
            Outcome::Blocked | Outcome::OutOfFuel | Outcome::Undetermined(_) => return Taken::Open,
        };
        let astray = |exit, breaks| Taken::Astray { exit, breaks };
        let end = execution.configuration;
        let unborn = source.is_none() && matches!(exit, Exit::Exception(_));
        let target = match (!unborn).then(|| standing(&end)) {
            None => None,
            Some(Standing::In(state)) => Some(state),
            Some(Standing::Nowhere) => return astray(exit, false),
            Some(Standing::Broken) => return astray(exit, true),
            Some(Standing::Open | Standing::AssumedAway) => return Taken::Open,
        };
        let edges = self.edges.get(&(source, callee)).into_iter().flatten();
        let edge = edges.copied().find(|id| {
            let edge = &self.automaton()[*id];
            edge.target == target && edge.exit == exit
        });
        match edge {
            Some(edge) => Taken::Edge { edge, results, end },
            None => astray(exit, false),
        }
    }

    /// Where the object of a configuration stands in the EPA.
    pub(crate) fn standing(&self, now: &Configuration) -> Standing {
        match self.interpreter().invariant_holds(now, self.subject.class) {
            Ok(true) => {}
            Ok(false) => return Standing::Broken,
            Err(_) => return Standing::Open,
        }
        let Some(enabled) = self.enabled(now) else {
            return Standing::Open;
        };
        let assumed = self.assumed.iter();
        let assumed = assumed.filter(|(state, _)| state.enables_the_same(&enabled));
        for (_, assumption) in assumed {
            match self.holds(now, assumption) {
                Some(true) => {}
                Some(false) => return Standing::AssumedAway,
                None => return Standing::Open,
            }
        }
        let state = self.states.get(&enabled).copied();
        state.map_or(Standing::Nowhere, Standing::In)
    }

    /// The state that an object is in; none where it cannot be told, or there is no such state.
    pub(crate) fn state_of(&self, now: &Configuration) -> Option<StateId> {
        self.states.get(&self.enabled(now)?).copied()
    }

    /// The marks of the state that an object is in, whether there is such a state or not; none where that cannot be told.
    fn enabled(&self, now: &Configuration) -> Option<AbstractState> {
        enabled(self.subject, &self.interpreter(), now)
    }

    /// Whether a formula holds of an object; none where that cannot be told.
    fn holds(&self, now: &Configuration, formula: &Expr) -> Option<bool> {
        holds(&self.interpreter(), now, formula)
    }

    /// What runs its calls.
    pub(crate) fn interpreter(&self) -> Interpreter<'a> {
        Interpreter::new(&self.subject.program).with_fuel(self.fuel)
    }

    /// How a call has ended that gives these results: by their outcomes, where the action's edges are split by them.
    fn exit(&self, callee: Callee, results: &[Value]) -> Exit {
        let Some(routine) = self.routine(callee).filter(|_| !callee.is_constructor()) else {
            return Exit::Normal;
        };
        let routine = self.program().routine(routine);
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
            Exit::Normal
        } else {
            Exit::Outcome(values)
        }
    }
}

/// The marks of the state that an object is in; none where that cannot be told.
pub(super) fn enabled(
    subject: &Subject,
    interpreter: &Interpreter<'_>,
    now: &Configuration,
) -> Option<AbstractState> {
    let marks = subject.marks();
    let held = marks.map(|mark| holds(interpreter, now, &subject.guard(mark).enabled));
    let held: Vec<bool> = held.collect::<Option<_>>()?;
    Some(subject.state_where(held))
}

fn holds(interpreter: &Interpreter<'_>, now: &Configuration, formula: &Expr) -> Option<bool> {
    let locals = Locals::new();
    let moment = Moment::of(now, &locals);
    interpreter.formula_holds(&moment, formula).ok()
}
