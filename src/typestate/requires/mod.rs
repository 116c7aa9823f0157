//! Contracts from bodies: the `requires` clauses that keep every call from the error, and invariants that every call
//! keeps. They are put into the text of the class, and nothing else in it changes.

mod edit;
mod invariants;

use std::collections::BTreeSet;

use crate::engine::EngineError;
use crate::ir::formula;
use crate::ir::{ClassId, Expr, ExprKind, Program, RoutineRef};
use crate::ir::{CompareOp, RoutineKind};
use crate::ir::{Source, expr_text};

use super::precondition::{Analysis, Case, Mode, Options, Target};

pub use invariants::invariants;

/// What a routine requires so that it cannot end in the error.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The routine.
    pub routine: RoutineRef,
    /// The clauses, in the input language.
    pub clauses: Vec<String>,
    /// What a person should know.
    pub note: Option<String>,
}

/// The `requires` clauses of the routines: that no case of the error holds. What a routine requires already is
/// taken for granted.
///
/// Where it is not certain that a call in some case ends in the error, no clause forbids it: then the clauses may
/// be too weak, which the note says, but no legal call is lost.
///
/// # Errors
/// Z3 cannot be run.
pub fn requires(
    program: &Program,
    class: ClassId,
    routines: &[RoutineRef],
    options: &Options,
) -> Result<Vec<Inferred>, EngineError> {
    let with_mode = |mode| {
        let options = Options {
            mode,
            ..options.clone()
        };
        Analysis::new(program, class, options)
    };
    let mut prime = with_mode(Mode::Prime)?;
    // Where a clause drops what keeps another one defined, the cases as they are decided on the paths do.
    let mut paths = None;
    let mut found = Vec::new();
    for routine in routines {
        let mut inferred = of(&mut prime, *routine);
        if !inferred.1 {
            let by_path = match &mut paths {
                Some(analysis) => of(analysis, *routine),
                none => of(none.insert(with_mode(Mode::Path)?), *routine),
            };
            if by_path.1 {
                inferred = by_path;
            } else {
                let text = "the clauses say less than what was found: what they speak of is not always defined";
                inferred.0.note.get_or_insert(text.into());
            }
        }
        found.push(inferred.0);
    }
    Ok(found)
}

/// The `requires` clauses of the routines without which a call cannot end normally, whatever `*`, `havoc` and what it
/// calls do: that some case of a normal end holds. What a routine requires already is taken for granted.
///
/// Where the analysis gave up, a call may end normally as far as it knows: then the clauses may be too weak, and no
/// legal call is lost.
///
/// # Errors
/// Z3 cannot be run.
pub fn possible(
    program: &Program,
    class: ClassId,
    routines: &[RoutineRef],
    options: &Options,
) -> Result<Vec<Inferred>, EngineError> {
    let mut analysis = Analysis::new(program, class, options.clone())?;
    let of = routines
        .iter()
        .map(|routine| possible_of(&mut analysis, *routine));
    Ok(of.collect())
}

/// The clauses of one routine: those of its errors that say nothing against a normal end and, where these do not say
/// all of it, when it ends normally.
fn possible_of(analysis: &mut Analysis, routine: RoutineRef) -> Inferred {
    let anywhere = formula::bool(true);
    let normal = analysis.precondition(Some(routine), Target::State(&anywhere));
    let error = analysis.precondition(Some(routine), Target::Exception);
    let given = analysis.required_by(routine);
    let ends = formula::all(given.iter().cloned().chain([normal.formula()]));
    let mut clauses: Vec<Expr> = Vec::new();
    for case in error.cases.iter().filter(|case| case.is_certain()) {
        let clause = allowed(&analysis.case_given(case, &given));
        let whole = formula::clause(analysis.program(), &clause);
        let new = !clauses.iter().any(|c| formula::same(c, &clause));
        if new && analysis.implies(routine, &ends, &whole) {
            clauses.push(clause);
        }
    }
    let program = analysis.program();
    let total = clauses.iter().map(|c| formula::clause(program, c));
    let meant = formula::all(given.into_iter().chain(total));
    if !analysis.implies(routine, &meant, &ends) {
        clauses = vec![normal.formula()];
    }
    let program = analysis.program();
    Inferred {
        routine,
        clauses: (clauses.iter())
            .map(|c| expr_text(program, analysis.class(), c))
            .collect(),
        note: None,
    }
}

/// The clauses of one routine, and whether they say just what was found.
fn of(analysis: &mut Analysis, routine: RoutineRef) -> (Inferred, bool) {
    let error = analysis.precondition(Some(routine), Target::Exception);
    let given = analysis.required_by(routine);
    let (certain, doubtful): (Vec<&Case>, Vec<&Case>) =
        error.cases.iter().partition(|c| c.is_certain());
    let mut clauses: Vec<Expr> = Vec::new();
    for case in &certain {
        let clause = match given.is_empty() {
            true => allowed(case),
            false => allowed(&analysis.case_given(case, &given)),
        };
        if !clauses.iter().any(|c| formula::same(c, &clause)) {
            clauses.push(clause);
        }
    }
    let program = analysis.program();
    let total = clauses.iter().map(|c| formula::clause(program, c));
    let meant = formula::all(given.iter().cloned().chain(total));
    let not_failing = formula::not(formula::any(certain.iter().map(|c| c.formula())));
    let wanted = formula::all(given.iter().cloned().chain([not_failing]));
    let texts = clauses
        .iter()
        .map(|c| expr_text(program, analysis.class(), c))
        .collect();
    let says_it = analysis.same(routine, &meant, &wanted);
    let note = (!doubtful.is_empty()).then(|| {
        format!(
            "a call of `{}` may still fail: not everything that it does could be followed",
            analysis.program().routine(routine).name
        )
    });
    let inferred = Inferred {
        routine,
        clauses: texts,
        note,
    };
    (inferred, says_it)
}

/// That the case does not hold, as one would write it: `closed ==> len == 0`, `state == 2 || state == 3`.
fn allowed(case: &Case) -> Expr {
    let mut literals: Vec<Expr> = case.fields.iter().chain(&case.params).cloned().collect();
    let Some(last) = literals.pop() else {
        return formula::bool(false);
    };
    let denies = |e: &Expr| {
        matches!(
            &*e.kind,
            ExprKind::Not(_) | ExprKind::Compare(CompareOp::Ne, ..)
        )
    };
    literals
        .into_iter()
        .rev()
        .fold(formula::not(last), |clause, literal| {
            if denies(&literal) {
                formula::or(formula::not(literal), clause)
            } else {
                formula::implies(literal, clause)
            }
        })
}

/// The text with the clauses and invariants in it.
pub fn written(
    program: &Program,
    class: ClassId,
    source: &Source,
    inferred: &[Inferred],
    invariants: &[String],
) -> String {
    let mut edits = edit::Edits::new(&source.text);
    edits.invariants(program, class, invariants);
    for routine in inferred {
        edits.requires(program, routine);
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
