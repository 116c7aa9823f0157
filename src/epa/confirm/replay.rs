//! Running a whole trace: from the constructor on, call by call, in the concrete interpreter. Every state on the
//! way must be the one claimed.

use crate::encode::confirm::{Automaton, Edge, EncodedRuns, Origin, Runs};
use crate::encode::{Encoding, Exit};
use crate::epa::replay::{
    Objection, Recorder, claim, cut_short, has_outcome, lines, read, this, value,
};
use crate::interp::{Configuration, Interpreter, Outcome, Value};
use crate::ir::Source;
use crate::ir::{Expr, FieldRef, Program, RoutineRef, Type, VarId};
use crate::query::{Recorded, Trace};

use crate::epa::run::{Call, Named, Run};

/// What a trace says, and what running it shows.
pub struct Replay {
    /// The edges taken, in order.
    pub edges: Vec<usize>,
    /// The calls as they are shown; one an edge.
    pub run: Run,
    /// The configuration that it begins with, where it was run from one that is known.
    pub start: Option<Configuration>,
    /// The configuration after each call, where it was run.
    pub configurations: Vec<Configuration>,
}

/// Reads traces and runs them.
pub struct Replayer<'a> {
    pub encoding: &'a Encoding<'a>,
    pub automaton: &'a Automaton,
    /// The text of the class, for the lines of its statements.
    pub source: &'a Source,
}

/// A call that was run.
struct Performed {
    arguments: Vec<Value>,
    results: Vec<Value>,
    end: Configuration,
    path: Vec<u32>,
}

impl Replayer<'_> {
    /// Reads the edges off the trace of such a run and runs them.
    ///
    /// # Errors
    /// How the trace is wrong: it makes no sense, or the interpreter does something else.
    pub fn replay(
        &self,
        runs: &Runs,
        encoded: &EncodedRuns,
        trace: &Trace,
    ) -> Result<Replay, String> {
        let (edges, values) = self
            .edges_of(runs, trace)
            .ok_or("the edges on the trace do not follow each other")?;
        let run = |replayed, not_replayed, calls| Run {
            calls,
            replayed,
            not_replayed,
        };
        if !encoded.replayable {
            let why = "its values are not all recorded";
            let calls = self.by_names(encoded, &edges, values);
            return Ok(Replay {
                edges,
                run: run(false, Some(why.into()), calls),
                start: None,
                configurations: vec![],
            });
        }
        match self.perform(encoded, &edges, values) {
            Ok((start, performed)) => Ok(Replay {
                run: run(true, None, self.shown(&edges, &performed)),
                edges,
                start,
                configurations: performed.into_iter().map(|p| p.end).collect(),
            }),
            Err(Objection::CannotTell(why)) => Ok(Replay {
                run: run(false, Some(why), self.by_names(encoded, &edges, values)),
                edges,
                start: None,
                configurations: vec![],
            }),
            Err(Objection::Wrong(how)) => Err(how),
        }
    }

    fn program(&self) -> &Program {
        self.encoding.source()
    }

    /// The edges of a trace, which its last values name, and the values before them.
    fn edges_of<'t>(&self, runs: &Runs, trace: &'t Trace) -> Option<(Vec<usize>, &'t [Recorded])> {
        let first = trace.values.len().checked_sub(runs.states.len())?;
        let (values, tail) = trace.values.split_at(first);
        let mut edges = Vec::new();
        let mut at = None;
        for recorded in tail {
            let index = recorded.value.parse::<usize>().ok()?.checked_sub(1)?;
            let edge = self.automaton.edges.get(index)?;
            let source = match edge.origin {
                Origin::Constructor(_) => None,
                Origin::Call { state, .. } => Some(state),
            };
            let begins = edges.is_empty() && !runs.start.is_empty();
            if source != at && !begins {
                return None;
            }
            at = edge.target;
            edges.push(index);
        }
        Some((edges, values))
    }

    fn routine(&self, edge: &Edge) -> Option<RoutineRef> {
        match edge.origin {
            Origin::Constructor(constructor) => self.encoding.constructors[constructor].routine,
            Origin::Call { action, .. } => Some(self.encoding.actions[action].routine),
        }
    }

    fn params(&self, edge: &Edge) -> &[VarId] {
        match self.routine(edge) {
            Some(routine) => &self.program().routine(routine).params,
            None => &[],
        }
    }

    fn perform(
        &self,
        encoded: &EncodedRuns,
        edges: &[usize],
        values: &[Recorded],
    ) -> Result<(Option<Configuration>, Vec<Performed>), Objection> {
        let (before, mut rest) = values
            .split_at_checked(encoded.before)
            .ok_or_else(cut_short)?;
        let start = self.fields(before)?;
        let mut now = start.clone();
        let fields = self.program().class(self.encoding.class()).fields.len();
        let interpreter = Interpreter::new(self.program()).with_log();
        let mut performed = Vec::new();
        for index in edges {
            let edge = &self.automaton.edges[*index];
            let params = self.params(edge);
            let (recorded, behind) = rest.split_at_checked(params.len()).ok_or_else(cut_short)?;
            let arguments = self.values(params, recorded)?;
            let mut choices = Recorder::new(behind, &now);
            let routine = self.routine(edge);
            let execution = match edge.origin {
                Origin::Constructor(_) => {
                    let empty = Configuration::empty();
                    if let Some(routine) = routine {
                        let may = interpreter.may_call(&empty, None, routine, &arguments)?;
                        claim(may, || {
                            "the constructor's requires clauses do not hold".into()
                        })?;
                    }
                    interpreter.construct(
                        &empty,
                        self.encoding.class(),
                        routine,
                        arguments.clone(),
                        &mut choices,
                    )
                }
                Origin::Call { state, action } => {
                    if performed.is_empty() {
                        self.check_state(&interpreter, &now, state)?;
                    }
                    let this = this(&now)?;
                    let routine = self.encoding.actions[action].routine;
                    let may = interpreter.may_call(&now, Some(this), routine, &arguments)?;
                    claim(may, || {
                        format!(
                            "the requires clauses of `{}` do not hold",
                            self.encoding.actions[action].name
                        )
                    })?;
                    interpreter.call(&now, this, routine, arguments.clone(), &mut choices)
                }
            };
            let left = choices.left();
            rest = &behind[behind.len().saturating_sub(left)..];
            self.check_exit(edge, &execution.outcome)?;
            if let Some(target) = edge.target {
                let (after, behind) = rest.split_at_checked(fields).ok_or_else(cut_short)?;
                rest = behind;
                self.check_end(&interpreter, &execution.configuration, after, target)?;
            }
            let results = match execution.outcome {
                Outcome::Normal(results) => results,
                _ => vec![],
            };
            now = execution.configuration.clone();
            performed.push(Performed {
                arguments,
                results,
                end: execution.configuration,
                path: lines(self.source, execution.log.as_deref().unwrap_or_default()),
            });
        }
        let first = edges.first().map(|e| self.automaton.edges[*e].origin);
        let is_known = matches!(first, Some(Origin::Call { .. }));
        Ok((is_known.then_some(start), performed))
    }

    fn fields(&self, recorded: &[Recorded]) -> Result<Configuration, Objection> {
        let class = self.encoding.class();
        let fields = &self.program().class(class).fields;
        let values = fields.iter().zip(recorded).map(|(f, r)| read(&f.ty, r));
        let values: Vec<Value> = values.collect::<Result<_, _>>()?;
        Ok(Configuration::with_this(class, values))
    }

    fn values(&self, vars: &[VarId], recorded: &[Recorded]) -> Result<Vec<Value>, Objection> {
        let values = vars.iter().zip(recorded);
        values
            .map(|(v, r)| read(&self.program().var(*v).ty, r))
            .collect()
    }

    fn check_exit(&self, edge: &Edge, outcome: &Outcome) -> Result<(), Objection> {
        let matches = match (outcome, &edge.exit) {
            (Outcome::OutOfFuel, _) => {
                return Err(Objection::CannotTell("a call takes too many steps".into()));
            }
            (Outcome::Undetermined(why), _) => return Err(Objection::CannotTell(why.clone())),
            (Outcome::Normal(_), Exit::Normal) => true,
            (Outcome::Normal(results), Exit::Outcome(wanted)) => match edge.origin {
                Origin::Call { action, .. } => has_outcome(self.encoding, action, results, wanted),
                Origin::Constructor(_) => false,
            },
            (Outcome::Exception(raised), Exit::Exception(wanted)) => raised == wanted,
            _ => false,
        };
        claim(matches, || {
            format!(
                "{} ends otherwise",
                self.encoding.edge_name(self.automaton, edge)
            )
        })
    }

    /// The fields are what the engine says they are, the invariant holds, and the state is the one claimed.
    fn check_end(
        &self,
        interpreter: &Interpreter<'_>,
        end: &Configuration,
        after: &[Recorded],
        target: usize,
    ) -> Result<(), Objection> {
        let this = this(end)?;
        let class = self.encoding.class();
        let fields = self.program().class(class).fields.iter().enumerate();
        for ((index, field), recorded) in fields.zip(after) {
            let claimed = read(&field.ty, recorded)?;
            let found = end.field(this, FieldRef { class, index });
            claim(found == Some(&claimed), || {
                let found = found.map_or_else(String::new, |v| v.display(self.program()));
                format!(
                    "`{}` ends as {found}, not {}",
                    field.name,
                    claimed.display(self.program())
                )
            })?;
        }
        claim(interpreter.invariant_holds(end, class)?, || {
            "the invariant does not hold after a call".into()
        })?;
        self.check_state(interpreter, end, target)
    }

    /// The object is in the state.
    fn check_state(
        &self,
        interpreter: &Interpreter<'_>,
        now: &Configuration,
        state: usize,
    ) -> Result<(), Objection> {
        let this = this(now)?;
        let (id, enabled) = &self.automaton.states[state];
        for (index, action) in self.encoding.actions.iter().enumerate() {
            let guard: &Expr = if enabled.contains(index) {
                &action.guard.enabled
            } else {
                &action.guard.disabled
            };
            let holds = interpreter.all_hold(now, this, [guard])?;
            claim(holds, || {
                format!("the object is not in {id} where the trace says so")
            })?;
        }
        Ok(())
    }

    /// The calls with the values that the interpreter found.
    fn shown(&self, edges: &[usize], performed: &[Performed]) -> Vec<Call> {
        let named = |vars: &[VarId], values: &[Value]| -> Vec<Named> {
            let pairs = vars.iter().zip(values);
            pairs
                .map(|(var, value)| Named {
                    name: self.program().var(*var).name.clone(),
                    value: value.display(self.program()),
                })
                .collect()
        };
        let calls = edges.iter().zip(performed).map(|(index, performed)| {
            let edge = &self.automaton.edges[*index];
            let results = match self.routine(edge) {
                Some(routine) => self.program().routine(routine).results.as_slice(),
                None => &[],
            };
            Call {
                arguments: named(self.params(edge), &performed.arguments),
                results: named(results, &performed.results),
                fields: if edge.target.is_some() {
                    self.shown_fields(&performed.end)
                } else {
                    vec![]
                },
                path: performed.path.clone(),
                ..self.call(*index)
            }
        });
        calls.collect()
    }

    fn shown_fields(&self, end: &Configuration) -> Vec<Named> {
        let class = self.encoding.class();
        let fields = self.program().class(class).fields.iter().enumerate();
        let values = fields.filter_map(|(index, field)| {
            let value = end.field(end.this?, FieldRef { class, index })?;
            Some(Named {
                name: field.name.clone(),
                value: value.display(self.program()),
            })
        });
        values.collect()
    }

    /// A call of which only the edge is known.
    fn call(&self, index: usize) -> Call {
        let edge = &self.automaton.edges[index];
        Call {
            edge: index,
            name: match edge.origin {
                Origin::Constructor(constructor) => {
                    self.encoding.constructors[constructor].display.clone()
                }
                Origin::Call { action, .. } => self.encoding.actions[action].name.clone(),
            },
            arguments: vec![],
            results: vec![],
            exception: match &edge.exit {
                Exit::Exception(e) => Some(self.program().exception(*e).to_string()),
                _ => None,
            },
            target: edge.target.map(|t| self.automaton.states[t].0.clone()),
            fields: vec![],
            path: vec![],
        }
    }

    /// The calls with the values that the trace names: for what cannot be run.
    fn by_names(&self, encoded: &EncodedRuns, edges: &[usize], values: &[Recorded]) -> Vec<Call> {
        let program = self.program();
        let mut rest = values.get(encoded.before..).unwrap_or_default();
        let class = self.encoding.class();
        let fields: Vec<(&str, &Type)> = program
            .class(class)
            .fields
            .iter()
            .map(|f| (f.name.as_str(), &f.ty))
            .filter(|(_, ty)| is_recorded(ty))
            .collect();
        let mut calls = Vec::new();
        for index in edges {
            let edge = &self.automaton.edges[*index];
            let params: Vec<(&str, &Type)> = self
                .params(edge)
                .iter()
                .map(|p| (program.var(*p).name.as_str(), &program.var(*p).ty))
                .filter(|(_, ty)| is_recorded(ty))
                .collect();
            let mut call = self.call(*index);
            let taken = take_named(program, &params, &mut rest);
            call.arguments = taken.unwrap_or_default();
            // What the body chose lies between.
            while edge.target.is_some() && !rest.is_empty() && !fields.is_empty() {
                if let Some(taken) = take_named(program, &fields, &mut rest) {
                    call.fields = taken;
                    break;
                }
                rest = rest.get(1..).unwrap_or_default();
            }
            calls.push(call);
        }
        calls
    }
}

/// Whether values of the type are recorded.
fn is_recorded(ty: &Type) -> bool {
    !matches!(ty, Type::Map(..) | Type::Opaque(_))
}

/// Takes the values of these names, if they come next.
fn take_named(
    program: &Program,
    wanted: &[(&str, &Type)],
    rest: &mut &[Recorded],
) -> Option<Vec<Named>> {
    let (here, behind) = rest.split_at_checked(wanted.len())?;
    let mut taken = Vec::new();
    for ((name, ty), recorded) in wanted.iter().zip(here) {
        if recorded.name.as_deref() != Some(name) {
            return None;
        }
        let reference = matches!(ty, Type::Class { .. } | Type::Array { .. } | Type::Null);
        taken.push(Named {
            name: (*name).to_string(),
            value: match value(ty, &recorded.value) {
                Some(value) => value.display(program),
                None if reference => format!("#{}", recorded.value),
                None => recorded.value.clone(),
            },
        });
    }
    *rest = behind;
    Some(taken)
}
