//! When can a call end so? Bodies are gone through backwards, from the end that is asked for to the start: the condition
//! before a statement is made of the condition behind it (E. W. Dijkstra, "Guarded Commands, Nondeterminacy and Formal
//! Derivation of Programs", CACM 18(8), 1975), of the angelic kind: *some* choice at `*`, *some* value at `havoc`, *some*
//! behaviour that a contract allows leads there.
//!
//! Conditions are decision diagrams over atoms, so nothing is multiplied where ways come together: a branch that changes
//! nothing of what the condition speaks of is gone at once, and so is a variable that it does not speak of. On code without
//! loops the answer is exact, but for values that cannot be eliminated. A loop is exact where it changes nothing that
//! matters (it is taken to end), or where its condition settles within the bound; what goes on beyond the bound leaves the
//! answer open, but for what the loop does not write: it is then given as two conditions, one that is surely strong enough and
//! one that is surely weak enough.
//!
//! | step | where |
//! |---|---|
//! | diagrams, and the atoms in them | `diagram`, `atoms` |
//! | conditions as diagrams, and what writing to a place does to them | `conditions` |
//! | values that somebody else chooses, eliminated | `forget` |
//! | statements; loops; calls and new objects | `statements`; `loops`; `calls` |
//! | a condition as clauses for a solver | `clauses` |
//! | conditions that become too large, cut to a few atoms | `coarsen` |
//! | conditions that nothing meets; variables that hold what fields do; what is still as it was at first | `possible`, `held`, `kept` |
//! | what variables are known to be on the way, for what suffices then | `constants` |

mod atoms;
mod calls;
mod clauses;
mod coarsen;
mod conditions;
mod constants;
mod diagram;
mod forget;
mod held;
mod kept;
mod loops;
mod possible;
mod statements;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::effects::{Effects, walk::visit};
use super::formula::{self, Substitution};
use super::{
    ClassId, ExceptionId, Expr, ExprKind, FieldRef, LabelId, Program, RoutineKind, RoutineRef,
    VarId,
};
use atoms::Atoms;
use coarsen::Between;
use constants::Constants;
use diagram::{AtomId, Bdd, Clock, Diagrams};
use held::HeldFields;
use kept::KnownAtStart;

/// How many atoms conditions keep where all of them would be too many.
const MOST_KEPT: usize = 6;

/// What is not known for the number of rounds, or of calls within each other.
const BOUNDS: [&str; 2] = [
    "a loop goes on beyond the bound",
    "calls go deeper than the bound",
];

/// What is not known where time was over.
pub(crate) const NO_TIME: &str = "no time was left to look at it";

/// No more atoms than this are compared with each other.
const MOST_COMPARED: usize = 24;

/// How a call is to end.
#[derive(Clone, Debug, Default)]
pub struct WantedEnd {
    /// Normally, where this holds of the object; none where no normal end is wanted.
    pub normal: Option<Expr>,
    /// By exceptions of these, raised by a body, where this holds of the object.
    pub raised: Option<(Which, Expr)>,
    /// By exceptions that a routine without a body raises, where this holds of the object.
    pub outside: Option<Expr>,
    /// Not at all: what it requires does not hold.
    pub refused: bool,
}

/// Some exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    All,
    /// These.
    These(BTreeSet<ExceptionId>),
    /// All but these.
    But(BTreeSet<ExceptionId>),
}

/// The exceptions that say whether a call could be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusing {
    /// A call that ends in one of these was refused; one that ends in another could be made.
    pub exceptions: Which,
    /// But these say nothing: other code raised them.
    pub neither: BTreeSet<ExceptionId>,
}

impl From<Which> for Refusing {
    fn from(exceptions: Which) -> Refusing {
        Refusing {
            exceptions,
            neither: BTreeSet::new(),
        }
    }
}

impl Refusing {
    fn refused(&self) -> Which {
        self.exceptions.but(&self.neither)
    }

    fn made(&self) -> Which {
        self.exceptions.others().but(&self.neither)
    }
}

/// What is said to be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalsOf {
    /// Calls with their parameters.
    Calls,
    /// These, and all calls where none can end otherwise.
    States,
}

impl Which {
    /// Whether the exception is one of them.
    pub fn has(&self, exception: ExceptionId) -> bool {
        match self {
            Which::All => true,
            Which::These(these) => these.contains(&exception),
            Which::But(these) => !these.contains(&exception),
        }
    }

    /// The others.
    pub fn others(&self) -> Which {
        match self {
            Which::All => Which::These(BTreeSet::new()),
            Which::These(these) => Which::But(these.clone()),
            Which::But(these) => Which::These(these.clone()),
        }
    }

    /// Those of them that are none of these.
    fn but(&self, others: &BTreeSet<ExceptionId>) -> Which {
        match self {
            Which::All => Which::But(others.clone()),
            Which::These(these) => Which::These(these - others),
            Which::But(these) => Which::But(these | others),
        }
    }
}

/// When a call can end as wanted: two conditions over the configuration and the parameters before it, as disjunctions of
/// conjunctions of literals, the one that is decided first in front.
#[derive(Clone, Debug, Default)]
pub struct EndConditions {
    /// Wherever one of these holds, it can.
    pub surely: Vec<Vec<Expr>>,
    /// Wherever one of these holds, it is not known; where none of all holds, it cannot.
    pub perhaps: Vec<Vec<Expr>>,
}

impl EndConditions {
    /// Nothing is known.
    fn unknown() -> EndConditions {
        EndConditions {
            surely: Vec::new(),
            perhaps: vec![Vec::new()],
        }
    }
}

/// How far bodies are followed.
#[derive(Clone, Copy, Debug)]
pub struct BackwardLimits {
    /// How many rounds of a loop (one at least), and how many calls of one routine within itself.
    pub bound: u32,
    /// How many cases a result may have: with more of them, it is not known.
    pub cases: usize,
}

/// An analysis of the routines of one class.
pub struct Backwards {
    /// The program, with the variables that were made up on the way.
    program: Program,
    /// What its routines may write.
    effects: Effects,
    /// What is known so far of the variables that hold fields.
    held: BTreeMap<RoutineRef, HeldFields>,
    class: ClassId,
    limits: BackwardLimits,
    /// How many atoms a condition may have; none where that does not matter.
    most_atoms: Option<usize>,
    /// Whether runs with fewest rounds are looked at by themselves where something is left open.
    with_first_rounds: bool,
    /// Whether only the first round of each loop is looked at, for what suffices.
    first_rounds: bool,
    /// Whether what suffices is not asked for: then a run of which the end is not known ends as wanted.
    perhaps_only: bool,
    /// What is known of the object where the call begins, where it is asked whether that is broken.
    known_at_start: Vec<KnownAtStart>,
    /// The fields that may have been written before the statement that is being gone through, where that is looked at.
    dirty: BTreeSet<FieldRef>,
    /// The routines of which conditions were too large with any number of rounds: others of them are cut at once.
    large: BTreeSet<Option<RoutineRef>>,
    /// Says when to end.
    clock: Clock,
    diagrams: Diagrams,
    /// What was done with the diagrams before these.
    work: u64,
    atoms: Atoms,
    /// Variables that stand for nodes of a diagram, where it is given as clauses.
    nodes: Vec<VarId>,
    /// Variables that stand for what is not known, and could not be eliminated.
    open: BTreeSet<VarId>,
    /// The routine that is being gone through.
    frame: RoutineFrame,
    /// The routines that are being gone through, outermost first.
    stack: Vec<RoutineRef>,
    /// How many blocks are around.
    nesting: usize,
    /// How many statements have been gone through.
    steps: usize,
    reasons: BTreeSet<&'static str>,
}

/// What is wanted behind a statement, by the way it is left.
#[derive(Clone)]
struct Behind {
    returns: Bdd,
    /// By their labels: what is wanted behind the loops and blocks around, and before the next round of the loops.
    labels: BTreeMap<LabelId, (Bdd, Bdd)>,
    /// Where handlers are around: the condition before each, by what it catches.
    handled: Rc<BTreeMap<(ExceptionId, By), Bdd>>,
    /// What the handler has caught that is being gone through.
    caught: Option<(ExceptionId, By)>,
    /// Where none handles it.
    ends: Rc<Ends>,
}

/// A routine that is being gone through.
struct RoutineFrame {
    /// The object that it runs on, as an expression over the whole.
    this: Expr,
    /// Its variables, where it is called within itself.
    renamed: BTreeMap<VarId, VarId>,
    /// What its variables are known to be at the statement that is being gone through; nothing where that is not looked at.
    constants: Constants,
    /// Its variables that hold fields of the object, as long as they are there.
    held: HeldFields,
}

impl RoutineFrame {
    fn of(this: Expr) -> RoutineFrame {
        RoutineFrame {
            this,
            renamed: BTreeMap::new(),
            constants: Constants::new(),
            held: HeldFields::default(),
        }
    }

    /// The variable of the routine, as it is called in this frame.
    fn renamed(&self, id: VarId) -> VarId {
        self.renamed.get(&id).copied().unwrap_or(id)
    }

    fn var(&self, program: &Program, id: VarId) -> Expr {
        formula::var(program, self.renamed(id))
    }
}

/// What is wanted where a call ends.
#[derive(Clone)]
struct Ends {
    normal: Bdd,
    /// In such an exception of a body.
    raised: Bdd,
    which: Which,
    /// In an exception of a routine without a body.
    outside: Bdd,
    /// It does not begin.
    refused: Bdd,
}

/// Who raised an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Body,
    Outside,
}

impl Behind {
    fn at(ends: Ends) -> Behind {
        Behind {
            returns: ends.normal,
            labels: BTreeMap::new(),
            handled: Rc::default(),
            caught: None,
            ends: Rc::new(ends),
        }
    }

    /// For the body of a routine that is called, with what is wanted where it returns.
    fn of_callee(&self, returns: Bdd) -> Behind {
        Behind {
            returns,
            labels: BTreeMap::new(),
            caught: None,
            ..self.clone()
        }
    }

    fn throws(&self, exception: ExceptionId, by: By) -> Bdd {
        match (self.handled.get(&(exception, by)), by) {
            (Some(handler), _) => *handler,
            (None, By::Outside) => self.ends.outside,
            (None, By::Body) if self.ends.which.has(exception) => self.ends.raised,
            (None, By::Body) => Bdd::FALSE,
        }
    }
}

impl Backwards {
    /// For the routines of a class. What is not found before `is_over` says that time is over is not known.
    pub fn new(
        program: &Program,
        class: ClassId,
        limits: BackwardLimits,
        is_over: impl Fn() -> bool + 'static,
    ) -> Backwards {
        let clock: Clock = Rc::new(is_over);
        Backwards {
            program: program.clone(),
            effects: Effects::of(program),
            held: BTreeMap::new(),
            class,
            limits,
            most_atoms: None,
            with_first_rounds: true,
            first_rounds: false,
            perhaps_only: false,
            known_at_start: Vec::new(),
            dirty: BTreeSet::new(),
            large: BTreeSet::new(),
            diagrams: Diagrams::new(clock.clone()),
            clock,
            work: 0,
            atoms: Atoms::default(),
            nodes: Vec::new(),
            open: BTreeSet::new(),
            frame: RoutineFrame::of(formula::this(class)),
            stack: Vec::new(),
            nesting: 0,
            steps: 0,
            reasons: BTreeSet::new(),
        }
    }

    /// The program, with the variables that were made up on the way.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Why something is not known of the last call.
    pub fn reasons(&self) -> &BTreeSet<&'static str> {
        &self.reasons
    }

    /// When a call of the routine can end as wanted. None for making an object of a class without a constructor.
    /// `impossible` says of literals, at most two, whether objects that are looked at keep from all of them at once: this
    /// makes the answer shorter, not stronger or weaker for these objects.
    pub fn before(
        &mut self,
        routine: Option<RoutineRef>,
        wanted: &WantedEnd,
        impossible: &mut dyn FnMut(&[&Expr]) -> bool,
    ) -> EndConditions {
        let found = self.with_fewer_rounds(
            routine,
            |backwards| {
                let before = backwards.between(routine, wanted);
                backwards.closed(before)
            },
            |backwards, conditions| backwards.found(conditions, impossible),
        );
        found.unwrap_or_else(|| self.not_found())
    }

    /// When a call of the routine may end as wanted: it cannot where not all of these clauses can hold together, whatever is put for
    /// the variables of [`Backwards::program`] in them that are no parameters. A run of which the end is not known may end so.
    /// [`before`](Backwards::before) says less of this, and more of when it surely does. `known` is what is known of the object where
    /// the call begins. None where it is not known.
    pub fn perhaps_before(
        &mut self,
        routine: Option<RoutineRef>,
        wanted: &WantedEnd,
        known: &[Expr],
    ) -> Option<Vec<Expr>> {
        self.known_at_start = known.iter().filter_map(KnownAtStart::of).collect();
        let found = self.perhaps_with_fewer_rounds(
            routine,
            |backwards| backwards.at_start(routine, wanted),
            |backwards, perhaps| match backwards.diagrams.is_full() {
                true => None,
                false => backwards.clauses_of(perhaps),
            },
        );
        self.known_at_start.clear();
        found
    }

    fn not_found(&mut self) -> EndConditions {
        self.reasons.insert(match self.diagrams.is_late() {
            true => NO_TIME,
            false => "a condition has too many cases",
        });
        EndConditions::unknown()
    }

    /// When calls of the routine are refused: they can end in such an exception of a body, and they cannot end normally or
    /// in another exception of a body. And ([`RefusalsOf::States`]) where some call is refused and none can end so, none can
    /// be made: that one may end in an exception of other code, or not at all, is no refusal, but does not make that the
    /// routine can be called.
    pub fn refusals(
        &mut self,
        routine: RoutineRef,
        (refusing, of): (&Refusing, RefusalsOf),
        impossible: &mut dyn FnMut(&[&Expr]) -> bool,
    ) -> EndConditions {
        let found = self.with_fewer_rounds(
            Some(routine),
            |backwards| backwards.refusals_within(routine, (refusing, of)),
            |backwards, conditions| backwards.found(conditions, impossible),
        );
        found.unwrap_or_else(|| self.not_found())
    }

    /// Whether a call may end in an exception, as far as is known: one that is legal, of an object that keeps the class's
    /// invariant. Where the answer is no, it cannot.
    pub fn may_raise(&mut self, routine: RoutineRef, exception: ExceptionId) -> bool {
        let found = self.perhaps_with_fewer_rounds(
            Some(routine),
            |backwards| backwards.may_raise_within(routine, exception),
            |backwards, perhaps| (!backwards.diagrams.is_full()).then_some(perhaps != Bdd::FALSE),
        );
        found.unwrap_or(true)
    }

    /// The same where what suffices is not asked for, so that no run with fewest rounds is looked at by itself.
    fn perhaps_with_fewer_rounds<C, T>(
        &mut self,
        routine: Option<RoutineRef>,
        conditions: impl FnMut(&mut Backwards) -> C,
        find: impl FnMut(&mut Backwards, C) -> Option<T>,
    ) -> Option<T> {
        self.perhaps_only = true;
        let found = self.with_fewer_rounds(routine, conditions, find);
        self.perhaps_only = false;
        found
    }

    /// What is found with as many rounds of each loop as is said or, where conditions become too large, with fewer, and at last
    /// with conditions of a few atoms: then less is known, but of loops in loops not nothing. What is too large with one round of
    /// each is with more, so this is looked at first.
    fn with_fewer_rounds<C, T>(
        &mut self,
        routine: Option<RoutineRef>,
        mut conditions: impl FnMut(&mut Backwards) -> C,
        mut find: impl FnMut(&mut Backwards, C) -> Option<T>,
    ) -> Option<T> {
        let mut conditions = |backwards: &mut Backwards, bound, most_atoms, with_first_rounds| {
            let given = std::mem::replace(&mut backwards.limits.bound, bound);
            backwards.most_atoms = most_atoms;
            backwards.with_first_rounds = with_first_rounds;
            backwards.start();
            let conditions = conditions(backwards);
            backwards.limits.bound = given;
            backwards.most_atoms = None;
            conditions
        };
        let given = self.limits.bound;
        if !self.large.contains(&routine) {
            let mut with_first_rounds = true;
            let mut of_one_round = conditions(self, 0, None, true);
            if self.diagrams.is_full() && !self.perhaps_only {
                with_first_rounds = false;
                of_one_round = conditions(self, 0, None, false);
            }
            if self.diagrams.is_full() {
                self.large.insert(routine);
            } else if !self.reasons.iter().any(|reason| BOUNDS.contains(reason)) {
                if let Some(found) = find(self, of_one_round) {
                    return Some(found);
                }
            } else {
                let mut rounds = [given, 1, 0].map(|bound| bound.min(given)).to_vec();
                rounds.dedup();
                // What suffices is worth more than what more rounds say: with fewer of them, that may still be found.
                let ways = match (with_first_rounds, self.perhaps_only) {
                    (true, false) => &[true, false][..],
                    (with, _) => &[with],
                };
                for (with, bound) in ways
                    .iter()
                    .flat_map(|with| rounds.iter().map(move |bound| (*with, *bound)))
                {
                    let all = conditions(self, bound, None, with);
                    if let Some(found) = find(self, all) {
                        return Some(found);
                    }
                }
            }
        }
        let cut = conditions(self, 0, Some(MOST_KEPT), true);
        find(self, cut)
    }

    /// The condition before a call that may end in the exception, with no more rounds of each loop than the limit says.
    fn may_raise_within(&mut self, routine: RoutineRef, exception: ExceptionId) -> Bdd {
        let anywhere = formula::bool(true);
        let wanted = WantedEnd {
            raised: Some((Which::These([exception].into()), anywhere.clone())),
            // Which exceptions a routine without a body raises is not told apart.
            outside: Some(anywhere),
            ..WantedEnd::default()
        };
        let mut before = self.at_start(Some(routine), &wanted);
        let required = self.program.routine(routine).requires.iter();
        let of_object = self.program.class(self.class).invariants.iter();
        let clauses = required.chain(of_object.filter(|_| !self.is_constructor(routine)));
        let clauses: Vec<Expr> = clauses.map(|e| formula::clause(&self.program, e)).collect();
        for clause in clauses {
            let holds = self.condition(&clause);
            before = self.diagrams.and(before, holds);
        }
        let (_, perhaps) = self.closed(Between::exactly(before));
        perhaps
    }

    fn is_constructor(&self, routine: RoutineRef) -> bool {
        self.program.routine(routine).kind == RoutineKind::Constructor
    }

    /// The conditions before calls that are refused, with no more rounds of each loop than the limit says.
    fn refusals_within(
        &mut self,
        routine: RoutineRef,
        (refusing, of): (&Refusing, RefusalsOf),
    ) -> (Bdd, Bdd) {
        let anywhere = formula::bool(true);
        let normally = WantedEnd {
            normal: Some(anywhere.clone()),
            raised: Some((refusing.made(), anywhere.clone())),
            ..WantedEnd::default()
        };
        let refused = WantedEnd {
            raised: Some((refusing.refused(), anywhere)),
            ..WantedEnd::default()
        };
        let mut normal = self.between(Some(routine), &normally);
        self.keep_only(&mut [&mut normal]);
        let mut refused = self.between(Some(routine), &refused);
        self.keep_only(&mut [&mut normal, &mut refused]);
        if of == RefusalsOf::Calls {
            return self.without_what_may(refused, normal);
        }
        let params = self.program.routine(routine).params.clone();
        let [mut some_normal, mut some_refused] =
            [normal, refused].map(|between| self.forget_between(&params, between));
        self.keep_only(&mut [
            &mut normal,
            &mut refused,
            &mut some_normal,
            &mut some_refused,
        ]);
        let calls = self.without_what_may(refused, normal);
        let states = self.without_what_may(some_refused, some_normal);
        let mut surely = self.diagrams.or(calls.0, states.0);
        let mut perhaps = self.diagrams.or(calls.1, states.1);
        self.diagrams.keep_only([&mut surely, &mut perhaps]);
        (surely, perhaps)
    }

    /// Where the one holds and the other cannot: surely so, and perhaps.
    fn without_what_may(&mut self, one: Between, other: Between) -> (Bdd, Bdd) {
        let (surely, perhaps) = self.closed(one);
        let (other_surely, other_perhaps) = self.closed(other);
        let [not_surely, not_perhaps] = [other_surely, other_perhaps].map(|n| self.diagrams.not(n));
        let surely = self.diagrams.and(surely, not_perhaps);
        (surely, self.diagrams.and(perhaps, not_surely))
    }

    /// How much was done so far, in nodes of diagrams and of expressions: millions in a second.
    pub fn work(&self) -> u64 {
        self.work + self.diagrams.work()
    }

    fn start(&mut self) {
        self.work = self.work();
        self.diagrams = Diagrams::new(self.clock.clone());
        self.atoms = Atoms::default();
        self.open.clear();
        self.reasons.clear();
        self.steps = 0;
    }

    /// Two conditions, one of which follows from the other, as cases; none where there are too many of them.
    fn found(
        &mut self,
        (surely, perhaps): (Bdd, Bdd),
        impossible: &mut dyn FnMut(&[&Expr]) -> bool,
    ) -> Option<EndConditions> {
        if self.diagrams.is_full() {
            return None;
        }
        let [surely, perhaps] = self.in_order([surely, perhaps]);
        let known = self.known(surely, perhaps, impossible);
        let not_surely = self.diagrams.not(surely);
        let rest = self.diagrams.and(perhaps, not_surely);
        let cases = [(surely, surely), (rest, perhaps)];
        let cases = cases.map(|(low, high)| self.cases(low, high, known));
        let [surely, perhaps] = cases;
        Some(EndConditions {
            surely: surely?,
            perhaps: perhaps?,
        })
    }

    /// The same conditions with their atoms in the order in which a run looks at them. (On the way back, one that is looked
    /// at twice has its place from the second time.)
    fn in_order<const N: usize>(&mut self, nodes: [Bdd; N]) -> [Bdd; N] {
        let mut atoms: Vec<AtomId> = nodes
            .iter()
            .flat_map(|node| self.diagrams.support(*node))
            .collect();
        atoms.sort_by_key(|atom| (self.atoms.earliness(*atom), *atom));
        atoms.dedup();
        let mut by = FxHashMap::default();
        for atom in atoms {
            let again = self.atoms.again(atom);
            by.insert(atom, self.diagrams.atom(again));
        }
        nodes.map(|node| self.diagrams.replace(node, &by))
    }

    /// What is true where the one is and false where the other is not, as cases; none where it is not known, or there are
    /// too many of them.
    fn cases(&mut self, low: Bdd, high: Bdd, known: Bdd) -> Option<Vec<Vec<Expr>>> {
        let low = self.diagrams.and(low, known);
        let not_known = self.diagrams.not(known);
        let high = self.diagrams.or(high, not_known);
        let mut products = self.diagrams.products(low, high, self.limits.cases)?;
        // Those that begin with what is decided first.
        products.sort_by(|a, b| b.cmp(a));
        let literal = |(atom, holds): &(AtomId, bool)| {
            let shown = self.atoms.shown(*atom).clone();
            if *holds { shown } else { formula::not(shown) }
        };
        let cases = products
            .iter()
            .map(|product| product.iter().map(literal).collect());
        let cases = cases.collect();
        (!self.diagrams.is_full()).then_some(cases)
    }

    /// What is known of the atoms, each alone and any two that speak of the same thing.
    fn known(
        &mut self,
        surely: Bdd,
        perhaps: Bdd,
        impossible: &mut dyn FnMut(&[&Expr]) -> bool,
    ) -> Bdd {
        let mut support = self.diagrams.support(surely);
        support.extend(self.diagrams.support(perhaps));
        let atoms: Vec<AtomId> = support.into_iter().rev().take(MOST_COMPARED).collect();
        let mut known = Bdd::TRUE;
        let mut literals: Vec<(AtomId, bool, Expr, BTreeSet<Mentioned>)> = Vec::new();
        for atom in atoms {
            let shown = self.atoms.shown(atom).clone();
            for holds in [true, false] {
                let literal = match holds {
                    true => shown.clone(),
                    false => formula::not(shown.clone()),
                };
                if impossible(&[&literal]) {
                    known = self.excluding(known, &[(atom, holds)]);
                } else {
                    literals.push((atom, holds, literal, mentioned(&shown)));
                }
            }
        }
        for (index, (atom, holds, literal, about)) in literals.iter().enumerate() {
            for (other, other_holds, other_literal, other_about) in &literals[index + 1..] {
                let compared = atom != other && !about.is_disjoint(other_about);
                if compared && impossible(&[literal, other_literal]) {
                    known = self.excluding(known, &[(*atom, *holds), (*other, *other_holds)]);
                }
            }
        }
        known
    }

    fn excluding(&mut self, known: Bdd, literals: &[(AtomId, bool)]) -> Bdd {
        let mut all = Bdd::TRUE;
        for (atom, holds) in literals {
            let atom = self.diagrams.atom(*atom);
            let literal = match holds {
                true => atom,
                false => self.diagrams.not(atom),
            };
            all = self.diagrams.and(all, literal);
        }
        let excluded = self.diagrams.not(all);
        self.diagrams.and(known, excluded)
    }

    fn at_start(&mut self, routine: Option<RoutineRef>, wanted: &WantedEnd) -> Bdd {
        self.frame = RoutineFrame::of(formula::this(self.class));
        let (raised, which) = match &wanted.raised {
            Some((which, e)) => (Some(e), which.clone()),
            None => (None, Which::All),
        };
        let mut ends = Ends {
            normal: self.wanted(wanted.normal.as_ref()),
            raised: self.wanted(raised),
            which,
            outside: self.wanted(wanted.outside.as_ref()),
            refused: Bdd::of(wanted.refused),
        };
        if let Some(routine) = routine
            && self.program.routine(routine).kind != RoutineKind::Constructor
        {
            let behind = Behind::at(ends);
            let body = self.routine(routine, &behind);
            return self.if_required(routine, body, behind.ends.refused);
        }
        // A constructor runs on an object that was not there before.
        let object = self.new_reference(self.class);
        let is_new = Substitution {
            this: Some(object.clone()),
            ..Substitution::default()
        };
        for end in [&mut ends.normal, &mut ends.raised, &mut ends.outside] {
            *end = self.mapped(*end, &mut |e| is_new.apply(e));
        }
        let behind = Behind::at(ends);
        self.frame = RoutineFrame::of(object.clone());
        let made = self.constructed(self.class, routine, &behind, behind.ends.refused);
        self.unmade(&object, made)
    }

    fn wanted(&mut self, e: Option<&Expr>) -> Bdd {
        match e {
            Some(e) => self.condition(e),
            None => Bdd::FALSE,
        }
    }
}

/// What an atom speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mentioned {
    Var(VarId),
    Field(FieldRef),
}

fn mentioned(e: &Expr) -> BTreeSet<Mentioned> {
    let mut found = BTreeSet::new();
    visit(e, |e| match &*e.kind {
        ExprKind::Var(id) => drop(found.insert(Mentioned::Var(*id))),
        ExprKind::Field(_, field) => drop(found.insert(Mentioned::Field(*field))),
        _ => {}
    });
    found
}
