//! Is what was found an execution? The program is executed on the values of the model, along its ways.
//!
//! The formula, and with it the model, are what the encoding makes of the program: the passive form, names that results share, copies
//! of procedures, a solver. An execution of the program's graphs on values knows nothing of these. Where it comes to something that is
//! assumed and does not hold, there is a mistake in the engine (or in the solver), and no answer; unless quantified facts were only
//! instantiated, where the values need not be those of a model.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

use super::answer::{Happening, Replay, SearchExecution};
use super::inputs::ModelInputs;
use super::tree::InstanceId;
use super::walk::{Decisions, way_taken};
use super::{Search, SearchStop};
use crate::boogie::ast::Pos;
use crate::boogie::typed::BoogieType;
use crate::internal::{Internal, Sure, internal};
use crate::reach::concrete::{End, Inputs, Undefined, Value, run};
use crate::reach::encode::{SiteId, VcNodeId};
use crate::reach::program::Prepared;
use crate::reach::smt::{Sexp, Smt, parse};
use crate::reach::term::{Symbol, Term};

/// What executing what was found says.
pub(super) enum Replayed {
    /// That it is an execution, whatever the functions and constants are that the program does not define.
    Certain(SearchExecution),
    /// Nothing against it.
    Possible(SearchExecution),
    /// That it is none: what is wrong.
    Wrong(String),
}

impl Search<'_, '_> {
    /// Executes what was found on the values of the last model. What keeps the solver from saying these is no reason against it.
    pub(super) fn replayed(
        &mut self,
        decisions: &Decisions,
        execution: SearchExecution,
    ) -> Result<Replayed, SearchStop> {
        let given_up = |execution| {
            Ok(Replayed::Possible(SearchExecution {
                replay: Replay::GivenUp,
                ..execution
            }))
        };
        let copies = self.copies(decisions)?;
        let values = match self.inputs(copies) {
            Err(SearchStop::Solver(_)) => return given_up(execution),
            values => values?,
        };
        let (deadline, stop) = (self.deadline(), self.smt().stop());
        let prepared = self.entry.prepared;
        let model = RefCell::new(Model {
            prepared,
            smt: self.solver.smt(),
            deadline,
            terms: HashMap::new(),
            known: HashMap::new(),
            has_failed: false,
        });
        for (name, value) in &values {
            model.borrow_mut().name(value, name);
        }
        let mut given = Given {
            inputs: ModelInputs {
                instances: &self.instances,
                values,
                end: deadline,
                stop,
            },
            decisions,
            model,
        };
        let made = run(self.entry, u32::MAX, &mut given)?;
        match made.end {
            End::GivenUp => return given_up(execution),
            End::Blocked(place) => {
                let place = place.map_or_else(String::new, |pos| format!(" {}", at(pos)));
                let what = format!("the execution that was found does not go on{place}");
                return Ok(Replayed::Wrong(what));
            }
            End::Fails => {}
        }
        if let Some(what) = self.records_differ(&execution, &made.records) {
            return Ok(Replayed::Wrong(what));
        }
        let (assumed, unknown) = (made.assumed, made.unknown);
        let execution = SearchExecution {
            replay: Replay::Done { assumed, unknown },
            ..execution
        };
        Ok(match unknown == 0 && !made.has_undefined {
            true => Replayed::Certain(execution),
            false => Replayed::Possible(execution),
        })
    }

    /// What is wrong with the values that were found, if an execution has these.
    fn records_differ(&self, found: &SearchExecution, made: &[Value]) -> Option<String> {
        let recorded = found.steps.iter().filter_map(|step| match &step.event {
            Happening::Record(_, value, ty) => Some((step.pos, value, ty)),
            _ => None,
        });
        let recorded: Vec<_> = recorded.collect();
        if recorded.len() != made.len() {
            return Some("an execution does not record what was found".into());
        }
        let program = &self.entry.prepared.typed;
        let differs = |value, ty, made: &Value| {
            let value = Value::of_model(value, ty, program);
            value.same(made) == Some(false)
        };
        let mut both = recorded.into_iter().zip(made);
        let ((pos, ..), _) = both.find(|((_, value, ty), made)| differs(value, ty, made))?;
        Some(format!(
            "the execution that was found has another value {}",
            at(pos)
        ))
    }

    /// What was found, if executing it says nothing against it.
    pub(super) fn confirmed(
        &mut self,
        decisions: &Decisions,
        execution: SearchExecution,
    ) -> Result<SearchExecution, SearchStop> {
        match self.replayed(decisions, execution)? {
            Replayed::Certain(execution) | Replayed::Possible(execution) => Ok(execution),
            Replayed::Wrong(what) => Err(internal(what).into()),
        }
    }
}

fn at(pos: Pos) -> String {
    format!("at line {}, column {}", pos.line, pos.col)
}

/// The values of a model.
struct Given<'s, 'm> {
    inputs: ModelInputs<'s>,
    decisions: &'s Decisions,
    model: RefCell<Model<'s, 'm>>,
}

impl Inputs for Given<'_, '_> {
    type Call = InstanceId;
    const DRAWS: usize = 1;

    fn entry(&self) -> InstanceId {
        ModelInputs::entry()
    }

    fn callee(&self, caller: InstanceId, site: SiteId) -> Result<Option<InstanceId>, Internal> {
        self.inputs.callee(caller, site)
    }

    fn any(&mut self, call: Option<InstanceId>, symbol: Symbol, _: &BoogieType) -> Value {
        self.inputs.value(call, symbol).unwrap_or(Value::Unknown)
    }

    fn undefined(&self, what: Undefined<'_>, ty: &BoogieType) -> Value {
        // It is not asked for while it is asked for.
        self.model
            .try_borrow_mut()
            .map_or(Value::Unknown, |mut model| model.value(what, ty))
    }

    fn way(&self, call: Option<InstanceId>, from: VcNodeId) -> Result<Option<VcNodeId>, Internal> {
        let instance = self.inputs.instances.at(call.sure()?)?;
        let node = instance.vc.nodes.at(from)?;
        Ok(way_taken(instance, node, self.decisions)?.map(|(_, next)| next))
    }

    fn pick(&mut self, _: usize) -> usize {
        0
    }

    fn is_over(&self) -> bool {
        self.inputs.is_over()
    }
}

/// What a model says of what the program does not define.
struct Model<'s, 'm> {
    prepared: &'s Prepared,
    smt: &'m mut Smt,
    deadline: Instant,
    /// For values that only have names, terms that stand for them.
    terms: HashMap<Rc<str>, String>,
    /// The values of terms that were asked for.
    known: HashMap<String, Value>,
    /// Can it not be asked any more?
    has_failed: bool,
}

impl Model<'_, '_> {
    fn name(&mut self, value: &Value, term: &str) {
        if let Value::Named(name) = value {
            let known = self.terms.entry(name.clone());
            known.or_insert_with(|| term.to_owned());
        }
    }

    fn value(&mut self, what: Undefined<'_>, ty: &BoogieType) -> Value {
        let Some(term) = self.term(what) else {
            return Value::Unknown;
        };
        if let Some(value) = self.known.get(&term) {
            return value.clone();
        }
        let program = &self.prepared.typed;
        let of_model =
            |said: Option<&Sexp>| said.map_or(Value::Unknown, |v| Value::of_model(v, ty, program));
        let mut value = of_model(parse(&term).as_ref());
        // A constant may be a name for a literal.
        if value == Value::Unknown && !self.has_failed {
            let said = self.smt.values(std::slice::from_ref(&term), self.deadline);
            self.has_failed = said.is_err();
            value = of_model(said.unwrap_or_default().first());
        }
        self.name(&value, &term);
        self.known.insert(term, value.clone());
        value
    }

    fn term(&self, what: Undefined<'_>) -> Option<String> {
        let symbols = self.prepared.symbols();
        match what {
            Undefined::Const(constant) => Some(symbols.constant(constant)?.to_string()),
            Undefined::Function(function, args) => {
                let name = symbols.function(function)?;
                let args: Option<Vec<String>> = args.iter().map(|arg| self.literal(arg)).collect();
                match args?.as_slice() {
                    [] => Some(name.to_owned()),
                    args => Some(format!("({name} {})", args.join(" "))),
                }
            }
        }
    }

    /// A value as a term.
    fn literal(&self, value: &Value) -> Option<String> {
        match value {
            Value::Bool(b) => Some(b.to_string()),
            Value::Int(n) => Some(Term::int(n.clone()).to_string()),
            Value::Bits(number, width) => Some(format!("(_ bv{number} {width})")),
            Value::Named(name) => self.terms.get(name).cloned(),
            Value::Data(_) | Value::Map(_) | Value::Unknown => None,
        }
    }
}
