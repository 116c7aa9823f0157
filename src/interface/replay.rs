//! Running what an engine claims: calls one after the other, in the concrete interpreter.

use crate::encode::interface::{InterfaceEncoding, Observation, Params};
use crate::encode::{Exit, interface::Cube};
use crate::epa::replay::{Objection, Recorder, claim, cut_short, has_outcome, read, this};
use crate::interp::{Configuration, Interpreter, Outcome, Value};
use crate::ir::{FieldRef, Program, RoutineRef, VarId};
use crate::query::{Recorded, Trace};

/// One call of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// A constructor.
    Constructor(usize),
    /// An action.
    Action(usize),
}

/// How a call is claimed to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim<'c> {
    /// In any way that may be, with the fields recorded behind it.
    Well,
    /// As this observation says, with the fields recorded behind it.
    Seen(&'c Observation),
    /// As it must not: then nothing is recorded behind it.
    Forbidden,
}

/// A call that was run.
#[derive(Clone, Debug)]
pub struct Performed {
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// Whether it was refused: its requires clauses do not hold.
    pub refused: bool,
    /// How it ended.
    pub outcome: Outcome,
}

/// Runs calls with the values of one trace.
pub struct Replayer<'a, 't> {
    interface: &'a InterfaceEncoding<'a>,
    rest: &'t [Recorded],
    now: Configuration,
}

impl<'a, 't> Replayer<'a, 't> {
    /// Starts with the fields that the trace begins with.
    ///
    /// # Errors
    /// They are not all there.
    pub fn new(interface: &'a InterfaceEncoding<'a>, trace: &'t Trace) -> Result<Self, Objection> {
        let mut replayer = Replayer {
            interface,
            rest: &trace.values,
            now: Configuration::empty(),
        };
        let fields = replayer.fields()?;
        let class = interface.encoding().class();
        replayer.now = Configuration::with_this(class, fields);
        Ok(replayer)
    }

    fn program(&self) -> &'a Program {
        self.interface.encoding().source()
    }

    /// The next so many values.
    fn take(&mut self, count: usize) -> Result<&'t [Recorded], Objection> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(cut_short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn fields(&mut self) -> Result<Vec<Value>, Objection> {
        let class = self.program().class(self.interface.encoding().class());
        let recorded = self.take(class.fields.len())?;
        let pairs = class.fields.iter().zip(recorded);
        pairs.map(|(f, r)| read(&f.ty, r)).collect()
    }

    fn arguments(&mut self, params: &[VarId]) -> Result<Vec<Value>, Objection> {
        let recorded = self.take(params.len())?;
        let program = self.program();
        let pairs = params.iter().zip(recorded);
        pairs.map(|(p, r)| read(&program.var(*p).ty, r)).collect()
    }

    fn flag(&mut self) -> Result<bool, Objection> {
        let recorded = self.take(1)?;
        Ok(recorded
            .first()
            .is_some_and(|r| r.value.eq_ignore_ascii_case("true")))
    }

    /// Runs one call and checks what is claimed of it.
    ///
    /// # Errors
    /// It does not go as claimed, or that cannot be told.
    pub fn call(&mut self, called: Called, ends: Claim<'_>) -> Result<Performed, Objection> {
        let encoding = self.interface.encoding();
        let routine = match called {
            Called::Constructor(constructor) => encoding.constructors[constructor].routine,
            Called::Action(action) => Some(encoding.actions[action].routine),
        };
        let params: &[VarId] = match routine {
            Some(routine) => &self.program().routine(routine).params,
            None => &[],
        };
        let arguments = self.arguments(params)?;
        if let (Called::Action(action), Claim::Forbidden, Some(routine)) = (called, ends, routine)
            && self.may_be_refused(routine)
            && self.flag()?
        {
            self.check_refused(action, routine, &arguments)?;
            return Ok(Performed {
                arguments,
                refused: true,
                outcome: Outcome::Blocked,
            });
        }
        let execution = self.execute(called, routine, arguments.clone())?;
        self.check_outcome(called, &execution.0, ends)?;
        self.now = execution.1;
        if ends != Claim::Forbidden {
            self.check_fields()?;
        }
        Ok(Performed {
            arguments,
            refused: false,
            outcome: execution.0,
        })
    }

    fn may_be_refused(&self, routine: RoutineRef) -> bool {
        let clauses = &self.program().routine(routine).requires;
        self.interface.forbidden.requires && !clauses.is_empty()
    }

    fn check_refused(
        &self,
        action: usize,
        routine: RoutineRef,
        arguments: &[Value],
    ) -> Result<(), Objection> {
        let interpreter = Interpreter::new(self.program());
        let this = this(&self.now)?;
        let may = match self.interface.params {
            Params::Forall => interpreter.may_call(&self.now, Some(this), routine, arguments)?,
            Params::Exists => {
                let disabled = &self.interface.encoding().actions[action].guard.disabled;
                !interpreter.all_hold(&self.now, this, [disabled])?
            }
        };
        claim(!may, || {
            let name = &self.interface.encoding().actions[action].name;
            format!("the requires clauses of `{name}` hold")
        })
    }

    fn execute(
        &mut self,
        called: Called,
        routine: Option<RoutineRef>,
        arguments: Vec<Value>,
    ) -> Result<(Outcome, Configuration), Objection> {
        let program = self.program();
        let interpreter = Interpreter::new(program);
        let start = self.now.clone();
        let mut choices = Recorder::new(self.rest, &start);
        let (now, this) = match called {
            Called::Constructor(_) => (Configuration::empty(), None),
            Called::Action(_) => (start.clone(), Some(this(&self.now)?)),
        };
        if let Some(routine) = routine {
            let may = interpreter.may_call(&now, this, routine, &arguments)?;
            claim(may, || {
                let name = &program.routine(routine).name;
                format!("the requires clauses of `{name}` do not hold")
            })?;
        }
        let execution = match (called, routine, this) {
            (Called::Action(_), Some(routine), Some(this)) => {
                interpreter.call(&now, this, routine, arguments, &mut choices)
            }
            _ => {
                let class = self.interface.encoding().class();
                interpreter.construct(&now, class, routine, arguments, &mut choices)
            }
        };
        let left = choices.left();
        self.rest = &self.rest[self.rest.len().saturating_sub(left)..];
        Ok((execution.outcome, execution.configuration))
    }

    fn check_outcome(
        &self,
        called: Called,
        outcome: &Outcome,
        ends: Claim<'_>,
    ) -> Result<(), Objection> {
        let raised = |e| self.interface.forbidden.exceptions.contains(e);
        let normally = matches!(outcome, Outcome::Normal(_));
        let as_claimed = match (outcome, ends) {
            (Outcome::OutOfFuel, _) => {
                return Err(Objection::CannotTell("a call takes too many steps".into()));
            }
            (Outcome::Undetermined(why), _) => return Err(Objection::CannotTell(why.clone())),
            (Outcome::Blocked, _) => false,
            (Outcome::Exception(e), Claim::Forbidden) => raised(e),
            (_, Claim::Forbidden) => false,
            (Outcome::Exception(e), Claim::Well) => {
                matches!(called, Called::Action(_)) && !raised(e)
            }
            (_, Claim::Well) => true,
            (Outcome::Exception(e), Claim::Seen(Observation::Failed)) => !raised(e),
            (Outcome::Exception(e), Claim::Seen(Observation::Ended)) => !raised(e),
            (_, Claim::Seen(Observation::Ended | Observation::Normal(Exit::Normal))) => normally,
            (Outcome::Normal(results), Claim::Seen(Observation::Normal(Exit::Outcome(wanted)))) => {
                match called {
                    Called::Action(action) => {
                        has_outcome(self.interface.encoding(), action, results, wanted)
                    }
                    Called::Constructor(_) => false,
                }
            }
            (_, Claim::Seen(_)) => false,
        };
        claim(as_claimed, || "the call ends otherwise".into())
    }

    /// The fields are what the trace says they are.
    fn check_fields(&mut self) -> Result<(), Objection> {
        let claimed = self.fields()?;
        let this = this(&self.now)?;
        let class = self.interface.encoding().class();
        for (index, claimed) in claimed.iter().enumerate() {
            let found = self.now.field(this, FieldRef { class, index });
            claim(found == Some(claimed), || {
                let name = &self.program().class(class).fields[index].name;
                let found = found.map_or_else(String::new, |v| v.display(self.program()));
                let claimed = claimed.display(self.program());
                format!("`{name}` ends as {found}, not {claimed}")
            })?;
        }
        Ok(())
    }

    /// The object is in this cube now.
    ///
    /// # Errors
    /// It is not, or that cannot be told.
    pub fn check_cube(&self, cube: &Cube) -> Result<(), Objection> {
        let this = this(&self.now)?;
        let holds = Interpreter::new(self.program()).all_hold(
            &self.now,
            this,
            [&self.interface.cube_formula(cube)],
        )?;
        claim(holds, || {
            format!("{} does not hold", self.interface.cube_text(cube))
        })
    }
}
