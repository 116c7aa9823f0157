//! Contracts from bodies: `requires` clauses, in one of two readings, and invariants that every call keeps. They are put
//! into the typed program, where calls inside bodies do not know of them; or into the text of the class, and nothing else
//! in it changes.

mod candidates;
mod clause;
mod edit;
mod hard;
mod invariants;

use std::collections::BTreeSet;

use crate::engine::EngineError;
use crate::ir::backwards::{NO_TIME, RefusalsOf, Refusing, WantedEnd, Which};
use crate::ir::effects::walk;
use crate::ir::formula;
use crate::ir::{ClassId, Expr, FieldRef, FromBody, Program, RoutineKind, RoutineRef, Stmt};
use crate::ir::{Source, expr_text, expr_text_among};
use crate::workers;

use super::cases::Case;
use super::conditions::Conditions;
use super::precondition::PreconditionOptions;

pub use candidates::Proposed;
pub use invariants::invariants;

/// What the clauses are to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseReading {
    /// Calls that are refused are not made: [`crate::ir::backwards::Backwards::refusals`]. So what a caller cannot choose is
    /// no clause, and what a library raises is none either.
    Possible(Refusing),
    /// The same of each call by itself: what no call can do is not said of the state besides.
    Calls(Refusing),
    /// Calls are not made that may end in any exception, whatever these do.
    Safe,
}

/// What a routine requires, as its body says.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The routine.
    pub routine: RoutineRef,
    /// The clauses.
    pub clauses: Vec<Expr>,
    /// What surely suffices besides them; none where they say all of it exactly.
    pub certain: Option<Expr>,
    /// What a person should know.
    pub note: Option<String>,
    /// Why something is not known, where that is so.
    pub because: Vec<&'static str>,
}

impl Inferred {
    /// The clauses in the input language, as they stand with the routine: a parameter or result may be called like a field.
    pub fn texts(&self, program: &Program) -> Vec<String> {
        let routine = program.routine(self.routine);
        let around = routine.params.iter().chain(&routine.results);
        let around = around.map(|id| program.var(*id).name.clone()).collect();
        let text = |e| expr_text_among(program, self.routine.class, e, &around);
        self.clauses.iter().map(text).collect()
    }
}

/// The `requires` clauses of the routines. What a routine requires already is taken for granted. Where it is not known
/// whether a call is one that is not to be made, no clause forbids it: no legal call is lost.
///
/// # Errors
/// Z3 cannot be run.
pub fn requires(
    program: &Program,
    class: ClassId,
    routines: &[RoutineRef],
    reading: &ClauseReading,
    options: &PreconditionOptions,
) -> Result<Vec<Inferred>, EngineError> {
    let no_threads = |error| EngineError::Io {
        engine: "typestate",
        what: "threads".into(),
        source: std::io::Error::other(error),
    };
    let patience = options.patience();
    workers::each(
        (routines, options.jobs),
        no_threads,
        || Conditions::new(program, class, options),
        |conditions, routine| match reading {
            _ if patience.is_set() => not_looked_at(*routine, reading),
            ClauseReading::Safe => safe(conditions, *routine),
            ClauseReading::Possible(refusing) => {
                possible(conditions, *routine, (refusing, RefusalsOf::States))
            }
            ClauseReading::Calls(refusing) => {
                possible(conditions, *routine, (refusing, RefusalsOf::Calls))
            }
        },
    )
}

/// Of a routine for which no time was left.
fn not_looked_at(routine: RoutineRef, reading: &ClauseReading) -> Inferred {
    Inferred {
        routine,
        clauses: Vec::new(),
        certain: (*reading != ClauseReading::Safe).then(|| formula::bool(false)),
        note: Some("no time was left to look at what it refuses".into()),
        because: vec![NO_TIME],
    }
}

fn safe(conditions: &mut Conditions, routine: RoutineRef) -> Inferred {
    let anywhere = formula::bool(true);
    let failing = WantedEnd {
        raised: Some((Which::All, anywhere.clone())),
        outside: Some(anywhere),
        ..WantedEnd::default()
    };
    let (certain, doubtful) = divided(conditions.ends(Some(routine), &failing));
    let because = conditions.reasons();
    let name = conditions.program().routine(routine).shown();
    let note = (!doubtful.is_empty()).then(|| {
        format!("a call of `{name}` may still fail: not everything that it does could be followed")
    });
    Inferred {
        routine,
        clauses: clause::clauses(conditions, routine, certain),
        // A call that fails nevertheless has its edge; nothing here says when an action can be called.
        certain: None,
        note,
        because,
    }
}

fn possible(
    conditions: &mut Conditions,
    routine: RoutineRef,
    (refusing, of): (&Refusing, RefusalsOf),
) -> Inferred {
    let (refused, open) = divided(conditions.refusals(routine, refusing, of));
    let because = conditions.reasons();
    let certain = (!open.is_empty()).then(|| {
        let open = formula::any(open.iter().map(Case::formula));
        formula::not(open)
    });
    let name = conditions.program().routine(routine).shown();
    let note = certain.as_ref().map(|_| {
        format!("whether `{name}` refuses a call is not known everywhere: not everything that it does could be followed")
    });
    Inferred {
        routine,
        clauses: clause::clauses(conditions, routine, refused),
        certain,
        note,
        because,
    }
}

/// Those that are certain, and the others.
fn divided(cases: Vec<Case>) -> (Vec<Case>, Vec<Case>) {
    cases.into_iter().partition(Case::is_certain)
}

/// The program with the clauses in it: callers from outside keep to them, and calls inside bodies do what they always did.
pub fn given(program: &Program, inferred: &[Inferred]) -> Program {
    let mut program = program.clone();
    for found in inferred {
        if found.clauses.is_empty() && found.certain.is_none() {
            continue;
        }
        let RoutineRef { class, index } = found.routine;
        let routine = &mut program.classes[class.0].routines[index];
        let before = routine.from_body.take();
        let certain = before.as_ref().and_then(|before| before.certain.clone());
        let certain = certain.into_iter().chain(found.certain.clone());
        routine.from_body = Some(FromBody {
            clauses: before.map_or(0, |before| before.clauses) + found.clauses.len(),
            certain: certain.reduce(formula::and),
        });
        routine.requires.extend(found.clauses.iter().cloned());
    }
    program
}

/// The text with the clauses and invariants in it.
pub fn written(
    program: &Program,
    class: ClassId,
    source: &Source,
    inferred: &[Inferred],
    invariants: &[Expr],
) -> String {
    let mut edits = edit::Edits::new(&source.text);
    let invariants = invariants.iter().map(|e| expr_text(program, class, e));
    edits.invariants(program, class, &invariants.collect::<Vec<_>>());
    for found in inferred {
        edits.requires(program, found.routine, &found.texts(program));
    }
    edits.finish()
}

/// A text of a class with members behind its fields, and nothing else changed.
pub fn with_members(
    program: &Program,
    class: ClassId,
    source: &Source,
    members: &[String],
) -> String {
    let mut edits = edit::Edits::new(&source.text);
    edits.members(program, class, members);
    edits.finish()
}

/// The text with these fields having any values when its constructors begin.
pub fn beginning_with_any(
    program: &Program,
    class: ClassId,
    source: &Source,
    fields: &BTreeSet<FieldRef>,
) -> String {
    let mut edits = edit::Edits::new(&source.text);
    let any = fields.iter();
    let any = any.map(|field| format!("havoc {};", program.field(*field).name));
    let any: Vec<String> = ["// Set by others.".into()]
        .into_iter()
        .chain(any)
        .collect();
    for index in program.class(class).routines_of(RoutineKind::Constructor) {
        edits.begins(program, RoutineRef { class, index }, &any);
    }
    edits.finish()
}

/// The routines of a class that get clauses: its constructors, and these actions.
pub fn routines(program: &Program, class: ClassId, actions: &[RoutineRef]) -> Vec<RoutineRef> {
    let constructors = program.class(class).routines_of(RoutineKind::Constructor);
    let constructors = constructors.map(|index| RoutineRef { class, index });
    let all: BTreeSet<RoutineRef> = constructors.chain(actions.iter().copied()).collect();
    let with_body = |r: &RoutineRef| program.routine(*r).body.is_some();
    all.into_iter().filter(with_body).collect()
}

/// The routines that bodies call or make objects with: a clause in the text of such a one changes what these bodies do.
pub fn called_inside(program: &Program) -> BTreeSet<RoutineRef> {
    let bodies = program.classes.iter().flat_map(|c| &c.routines);
    let bodies = bodies.filter_map(|r| r.body.as_deref());
    let statements = walk::statements(bodies).into_iter();
    statements.filter_map(Stmt::called).collect()
}
