//! Every execution from every configuration of the domain.

use std::collections::{BTreeMap, HashMap};

use super::domain::{Domain, Enumeration};
use super::{EnabledSet, Oracle, OracleConstructorEdge, OracleTransition, RoutineRun, space};
use crate::interp::choices::NoDecision;
use crate::interp::eval::EvalError;
use crate::interp::exec::{Execution, Interpreter, Outcome};
use crate::interp::state::Configuration;
use crate::interp::value::Value;
use crate::ir::RoutineKind;
use crate::ir::{ClassId, Program, Routine, RoutineRef, VarId};

/// Why there is no result at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleError {
    /// A clause of an invariant or a contract could not be decided.
    #[error("cannot be decided: {0}")]
    Undetermined(String),
    /// More configurations or executions than the domain's limit.
    #[error("too many configurations or executions")]
    TooLarge,
}

impl From<EvalError> for OracleError {
    fn from(failure: EvalError) -> OracleError {
        OracleError::Undetermined(match failure {
            EvalError::Undefined(exception) => exception.name().into(),
            EvalError::OutOfFuel => "out of fuel".into(),
            EvalError::Undetermined(reason) => reason,
        })
    }
}

impl From<NoDecision> for OracleError {
    fn from(refusal: NoDecision) -> OracleError {
        OracleError::Undetermined(match refusal {
            NoDecision::NoValue => "a type without values".into(),
            NoDecision::Unknown(reason) => reason,
        })
    }
}

/// Finds the abstraction of a class over a domain.
///
/// # Errors
/// A clause cannot be decided, or there is too much to run.
pub fn explore(program: &Program, class: ClassId, domain: &Domain) -> Result<Oracle, OracleError> {
    let mut explorer = OracleExplorer::new(program, class, domain);
    for start in explorer.configurations(false)? {
        for (edge, _) in explorer.constructors(&start)? {
            explorer.found.constructors.insert(edge);
        }
    }
    for start in explorer.configurations(true)? {
        let Some(source) = explorer.state(&start)? else {
            continue;
        };
        explorer.found.states.insert(source.clone());
        for (transition, _) in explorer.actions(&start, &source)? {
            explorer.found.transitions.insert(transition);
        }
    }
    Ok(explorer.found)
}

/// Runs the routines of a class in every way that the domain has.
pub(super) struct OracleExplorer<'a> {
    program: &'a Program,
    class: ClassId,
    domain: &'a Domain,
    interpreter: Interpreter<'a>,
    executions: u64,
    /// The states of the configurations looked at so far.
    known: HashMap<Configuration, Option<EnabledSet>>,
    /// What was found; of the edges, those that its user puts there.
    pub(super) found: Oracle,
}

impl<'a> OracleExplorer<'a> {
    pub(super) fn new(
        program: &'a Program,
        class: ClassId,
        domain: &'a Domain,
    ) -> OracleExplorer<'a> {
        OracleExplorer {
            program,
            class,
            domain,
            interpreter: Interpreter::new(program).with_fuel(100_000),
            executions: 0,
            known: HashMap::new(),
            found: Oracle::default(),
        }
    }

    /// All configurations that satisfy the invariant; without an object of the class, all heaps whose objects satisfy theirs.
    pub(super) fn configurations(
        &self,
        with_this: bool,
    ) -> Result<Vec<Configuration>, OracleError> {
        let all = space::configurations(self.program, self.class, with_this, self.domain)?;
        let mut kept = Vec::new();
        for start in all {
            if self.interpreter.invariant_holds(&start, self.class)? {
                kept.push(start);
            }
        }
        Ok(kept)
    }

    /// Every constructor in a heap, with every parameter and choice; with the configuration where it ends.
    pub(super) fn constructors(
        &mut self,
        start: &Configuration,
    ) -> Result<Vec<(OracleConstructorEdge, Configuration)>, OracleError> {
        let mut taken = Vec::new();
        let constructors = self.routines(RoutineKind::Constructor);
        for routine in &constructors {
            for args in self.calls(start, *routine)? {
                self.construct(start, Some(*routine), &args, &mut taken)?;
            }
        }
        if constructors.is_empty() {
            self.construct(start, None, &[], &mut taken)?;
        }
        Ok(taken)
    }

    fn construct(
        &mut self,
        start: &Configuration,
        routine: Option<RoutineRef>,
        args: &[Value],
        taken: &mut Vec<(OracleConstructorEdge, Configuration)>,
    ) -> Result<(), OracleError> {
        let name = match routine {
            Some(routine) => self.program.signature(routine),
            None => "initially".to_owned(),
        };
        let (class, interpreter) = (self.class, self.interpreter);
        self.every_execution(
            |choices| interpreter.construct(start, class, routine, args.to_vec(), choices),
            |explorer, execution| {
                let exception = explorer.exception(&execution.outcome);
                let exit = RoutineRun {
                    source: None,
                    routine: name.clone(),
                    outcome: None,
                    exception: exception.clone(),
                };
                // There is no object after an exception, so there is no invariant to break.
                let end = match exception {
                    Some(exception) => Err(exception),
                    None => match explorer.end(exit, &execution)? {
                        Some(state) => Ok(state),
                        None => return Ok(()),
                    },
                };
                let name = name.clone();
                taken.push((OracleConstructorEdge { name, end }, execution.configuration));
                Ok(())
            },
        )
    }

    /// Every action on an object in a state, with every parameter and choice; with the configuration where it ends.
    pub(super) fn actions(
        &mut self,
        start: &Configuration,
        source: &EnabledSet,
    ) -> Result<Vec<(OracleTransition, Configuration)>, OracleError> {
        let mut taken = Vec::new();
        for routine in self.routines(RoutineKind::Action) {
            for args in self.calls(start, routine)? {
                self.act((start, source), routine, &args, &mut taken)?;
            }
        }
        Ok(taken)
    }

    fn act(
        &mut self,
        (start, source): (&Configuration, &EnabledSet),
        routine: RoutineRef,
        args: &[Value],
        taken: &mut Vec<(OracleTransition, Configuration)>,
    ) -> Result<(), OracleError> {
        let Some(this) = start.this else {
            return Ok(());
        };
        let declaration = self.program.routine(routine);
        let interpreter = self.interpreter;
        self.every_execution(
            |choices| interpreter.call(start, this, routine, args.to_vec(), choices),
            |explorer, execution| {
                let exception = explorer.exception(&execution.outcome);
                let outcome = outcome_label(explorer.program, declaration, &execution.outcome);
                let exit = RoutineRun {
                    source: Some(source.clone()),
                    routine: declaration.name.clone(),
                    outcome: outcome.clone(),
                    exception: exception.clone(),
                };
                if let Some(target) = explorer.end(exit, &execution)? {
                    let transition = OracleTransition {
                        source: source.clone(),
                        action: declaration.name.clone(),
                        outcome,
                        exception,
                        target,
                    };
                    taken.push((transition, execution.configuration));
                }
                Ok(())
            },
        )
    }

    /// Runs with all combinations of choices.
    fn every_execution(
        &mut self,
        run: impl Fn(&mut Enumeration<'_>) -> Execution,
        mut see: impl FnMut(&mut Self, Execution) -> Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        let mut choices = Enumeration::new(self.domain);
        loop {
            self.executions += 1;
            if self.executions > self.domain.limit {
                return Err(OracleError::TooLarge);
            }
            let execution = run(&mut choices);
            see(self, execution)?;
            if !choices.advance() {
                return Ok(());
            }
        }
    }

    /// The state an execution ends in. Where it does not end, or not in a state, that is noted.
    fn end(
        &mut self,
        exit: RoutineRun,
        execution: &Execution,
    ) -> Result<Option<EnabledSet>, OracleError> {
        match &execution.outcome {
            Outcome::Normal(_) | Outcome::Exception(_) => {}
            Outcome::Blocked => return Ok(None),
            Outcome::OutOfFuel => {
                self.found.undecided.insert(exit, "out of fuel".into());
                return Ok(None);
            }
            Outcome::Undetermined(reason) => {
                self.found.undecided.insert(exit, reason.clone());
                return Ok(None);
            }
        }
        let end = &execution.configuration;
        if !self.interpreter.facts_hold(end, self.class)? {
            Ok(None)
        } else if !self.interpreter.invariant_holds(end, self.class)? {
            self.found.violations.insert(exit);
            Ok(None)
        } else if !self.domain.contains(self.program, end) {
            self.found.escaped.insert(exit);
            Ok(None)
        } else {
            self.state(end)
        }
    }

    /// The actions that have parameters with which they may be called. None where it is known of that state
    /// (`state { … } assumes e`) that the configuration is not in it.
    pub(super) fn state(
        &mut self,
        configuration: &Configuration,
    ) -> Result<Option<EnabledSet>, OracleError> {
        if let Some(state) = self.known.get(configuration) {
            return Ok(state.clone());
        }
        let mut enabled = Vec::new();
        for routine in self.routines(RoutineKind::Action) {
            if !self.calls(configuration, routine)?.is_empty() {
                enabled.push(routine.index);
            }
        }
        let class = self.program.class(self.class);
        let assumed = class.states.iter().filter(|s| s.enabled == enabled);
        let is_possible = match configuration.this {
            Some(this) => {
                let assumed = assumed.map(|s| &s.assumes);
                self.interpreter.all_hold(configuration, this, assumed)?
            }
            None => false,
        };
        let names = enabled.iter().map(|i| class.routines[*i].name.clone());
        let state = is_possible.then(|| names.collect());
        self.known.insert(configuration.clone(), state.clone());
        Ok(state)
    }

    /// The parameters in the domain with which a routine may be called.
    fn calls(
        &self,
        configuration: &Configuration,
        routine: RoutineRef,
    ) -> Result<Vec<Vec<Value>>, OracleError> {
        let mut calls = Vec::new();
        let mut enumeration = Enumeration::new(self.domain);
        loop {
            match self.arguments(configuration, routine, &mut enumeration) {
                Ok(args) => {
                    let this = configuration.this;
                    if self
                        .interpreter
                        .may_call(configuration, this, routine, &args)?
                    {
                        calls.push(args);
                    }
                }
                // There is nothing in the heap for one of the parameters.
                Err(NoDecision::NoValue) => {}
                Err(unknown) => return Err(unknown.into()),
            }
            if !enumeration.advance() {
                return Ok(calls);
            }
        }
    }

    fn arguments(
        &self,
        configuration: &Configuration,
        routine: RoutineRef,
        enumeration: &mut Enumeration<'_>,
    ) -> Result<Vec<Value>, NoDecision> {
        let params = &self.program.routine(routine).params;
        let value = |param: &VarId| {
            let ty = &self.program.var(*param).ty;
            enumeration.value_in(self.program, configuration, ty, &self.domain.parameters)
        };
        params.iter().map(value).collect()
    }

    fn routines(&self, kind: RoutineKind) -> Vec<RoutineRef> {
        let class = self.class;
        let indices = self.program.class(class).routines_of(kind);
        indices.map(|index| RoutineRef { class, index }).collect()
    }

    fn exception(&self, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::Exception(id) => Some(self.program.exception(*id).to_owned()),
            _ => None,
        }
    }
}

/// The values of the outcomes, for an action that has some and that ended normally.
fn outcome_label(program: &Program, routine: &Routine, outcome: &Outcome) -> Option<String> {
    let Outcome::Normal(results) = outcome else {
        return None;
    };
    let values: BTreeMap<_, _> = routine.results.iter().zip(results).collect();
    let label = |v: &_| {
        let name = &program.var(*v).name;
        match values.get(v) {
            Some(Value::Bool(true)) => name.clone(),
            Some(Value::Bool(false)) => format!("!{name}"),
            Some(Value::Member(id, index)) => program.enums[id.0].members[*index].clone(),
            _ => name.clone(),
        }
    };
    let labels: Vec<String> = routine.outcomes.iter().map(label).collect();
    (!labels.is_empty()).then(|| labels.join(", "))
}
