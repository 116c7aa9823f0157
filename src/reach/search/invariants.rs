//! Loop invariants that are found, and proofs with them.
//!
//! A loop is a procedure that calls itself ([`crate::reach::loops`]), from its head to its head. So an invariant of it is a fact between
//! what a call is given and what it results in: "if `i <= n` before, then `i <= n` behind". Which facts hold is found as in
//! Houdini (Flanagan, Leino 2001): all that are proposed are assumed of the call inside, those that an iteration can break are
//! dropped, until it breaks none. By induction over the iterations, what is left holds of every call that ends.
//!
//! An invariant speaks of no question, so those of a program's own loops are found once. With them, a question is asked whose loops are open calls
//! that keep their invariants: "no" is a proof for every number of iterations. The unbounded search ([`crate::reach::horn`]) finds
//! its own invariants, more of them, but for each question anew.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use petgraph::unionfind::UnionFind;

use super::size::callees_first;
use super::tree::{Instance, InstanceId, OWN, named};
use super::{Aim, Budget, Said, Search, SearchStop, begun};
use crate::boogie::typed::VariableRef;
use crate::ids::Id;
use crate::internal::{Internal, Sure, internal};
use crate::reach::encode::{Callees, Vc, interface};
use crate::reach::error::{ReachError, Result};
use crate::reach::graph::ProcId;
use crate::reach::program::PreparedEntry;
use crate::reach::smt::{self, Sexp, SolverFailure};
use crate::reach::solver::Solver;
use crate::reach::term::{Symbol, Template, Term};

/// How long it is looked for the invariants of one loop, in processor time.
pub const FIND: Duration = Duration::from_millis(500);

/// How long a proof is looked for, in processor time.
const PROVE: Duration = Duration::from_millis(500);

/// Invariants are proposed of no more numbers than these, those that the loop changes before others.
const MOST_NUMBERS: usize = 16;

/// What is called in a loop is read for what its numbers have to do with each other if all of it is no more text than that.
const MOST_TEXT: usize = 300_000;

/// What is known of loops: facts over the guard and the interface of their verification conditions. Of a loop of which none was found
/// there is an empty list.
pub type LoopFacts = BTreeMap<ProcId, Arc<Vec<Template>>>;

/// The loops that the entry comes to, those inside others first.
///
/// # Errors
///
/// A construct that the engine cannot do.
pub fn loops_of(entry: &PreparedEntry<'_>) -> Result<Vec<ProcId>> {
    let mut loops = Vec::new();
    for number in callees_first(entry)? {
        if entry.proc(number)?.is_loop {
            loops.push(number);
        }
    }
    Ok(loops)
}

/// Finds what a loop keeps, of what is proposed: nothing, where that takes too long or cannot be said. `known` is what is known of
/// other loops.
///
/// # Errors
///
/// The solver fails, or there is a mistake in the engine.
pub fn kept(
    (entry, number): (&PreparedEntry<'_>, ProcId),
    known: &LoopFacts,
    solver: &mut Solver,
    budget: Budget,
) -> Result<Vec<Template>, NotKnown> {
    let budget = budget.for_a_try(FIND);
    let found = begun(entry, solver, budget, None, |search| {
        search.kept(number, known)
    });
    found.or_else(SearchStop::nothing)
}

/// Whether it is shown that the entry's end is not reached, by what is known of loops.
///
/// # Errors
///
/// As [`kept`].
pub fn is_proved(
    entry: &PreparedEntry<'_>,
    known: &LoopFacts,
    solver: &mut Solver,
    budget: Budget,
) -> Result<bool, NotKnown> {
    let budget = budget.for_a_try(PROVE);
    let proved = begun(entry, solver, budget, None, |search| {
        search.is_proved(known)
    });
    proved.or_else(SearchStop::nothing)
}

/// Why nothing is known, which another solver might.
#[derive(Debug)]
pub enum NotKnown {
    /// The solver is of no use any more, or was stopped.
    Solver(SolverFailure),
    /// There is a mistake in the engine.
    Internal(Internal),
}

impl SearchStop {
    /// Nothing, where the solver does not know, or something cannot be said.
    fn nothing<T: Default>(self) -> Result<T, NotKnown> {
        match self {
            SearchStop::Program(ReachError::Unsupported(_))
            | SearchStop::Solver(SolverFailure::Timeout | SolverFailure::Incomplete(_)) => {
                Ok(T::default())
            }
            SearchStop::Solver(failure) => Err(NotKnown::Solver(failure)),
            SearchStop::Program(ReachError::Internal(bug)) => Err(NotKnown::Internal(bug)),
        }
    }
}

/// Something that may be an invariant.
struct Proposal {
    fact: Template,
    /// The Boolean that says that it holds of the calls inside.
    assumed: String,
    /// The Boolean that says whether it holds of the call itself.
    holds: String,
}

impl Search<'_, '_> {
    fn kept(&mut self, number: ProcId, known: &LoopFacts) -> Result<Vec<Template>, SearchStop> {
        let vc = self.entry.vc(number)?;
        let call = self.any_call(&vc)?;
        self.add(vc, call.clone(), None)?;
        self.inline_eagerly()?;
        let facts = proposed(&self.knows(number, &call, known)?);
        if facts.is_empty() {
            return Ok(facts);
        }
        self.say_known(known)?;
        let inside = self.open_calls(number)?;
        let mut left = Vec::new();
        for (k, fact) in facts.into_iter().enumerate() {
            let (assumed, holds) = (format!("assumed{k}"), format!("holds{k}"));
            self.say(&format!("(declare-const {assumed} Bool)"));
            self.say(&format!("(declare-const {holds} Bool)"));
            self.say(&format!("(assert (= {holds} {}))", named(&fact, &call)?));
            for call in &inside {
                let (guard, fact) = (call.first().sure()?, named(&fact, call)?);
                self.say(&format!("(assert (=> (and {assumed} {guard}) {fact}))"));
            }
            left.push(Proposal {
                fact,
                assumed,
                holds,
            });
        }
        for round in 0.. {
            let before = left.len();
            if !self.drop_broken(&mut left, round)? {
                break;
            }
            // A model that breaks none is no model.
            if left.is_empty() || left.len() == before {
                return Ok(Vec::new());
            }
        }
        Ok(left.into_iter().map(|proposal| proposal.fact).collect())
    }

    /// Drops what an iteration breaks of what is left, in one model. Is there one?
    fn drop_broken(&mut self, left: &mut Vec<Proposal>, round: usize) -> Result<bool, SearchStop> {
        let broken = left.iter().map(|p| format!("(not {})", p.holds));
        let broken: Vec<String> = broken.collect();
        let some = format!("(or {})", broken.join(" "));
        self.say(&format!("(declare-const round{round} Bool)"));
        self.say(&format!("(assert (=> round{round} {some}))"));
        let mut assumptions: Vec<String> = left.iter().map(|p| p.assumed.clone()).collect();
        assumptions.push(format!("round{round}"));
        match self.asked(Aim::Over, &assumptions, self.budget.deadline)? {
            Said::No => return Ok(false),
            // What is dropped without need is only missing.
            Said::Guide(_) => {}
            Said::Unknown(reason) => return Err(SolverFailure::Incomplete(reason).into()),
        }
        let holds: Vec<String> = left.iter().map(|p| p.holds.clone()).collect();
        let deadline = self.deadline();
        let values = self.smt().values(&holds, deadline)?;
        let mut values = values.into_iter();
        let is_broken = Sexp::Atom("false".into());
        left.retain(|_| values.next().is_some_and(|value| value != is_broken));
        Ok(true)
    }

    fn is_proved(&mut self, known: &LoopFacts) -> Result<bool, SearchStop> {
        self.begin_at_entry()?;
        Ok(self.say_known(known)? && matches!(self.check(Aim::Over, |_| false)?, Said::No))
    }

    /// What a loop's invariants may speak of: its variables, and elements of maps of numbers that are read there. `call` is what the
    /// guard and the interface of the loop are called.
    fn knows(&self, number: ProcId, call: &[String], known: &LoopFacts) -> Result<Known, Internal> {
        let (ins, outs) = interface(self.entry.proc(number)?, self.entry.effects(number)?);
        let (guard, inside) = (1, 1 + ins.len());
        let vc = &self.instances.at(InstanceId::new(0))?.vc;
        if vc.interface != inside + outs.len() {
            return Err(internal("a loop has another interface than its procedure"));
        }
        let behind = outs.iter().copied().zip((inside..).map(Symbol::new));
        let behind: BTreeMap<VariableRef, Symbol> = behind.collect();
        let (mut variables, mut maps, mut booleans) = (Vec::new(), Vec::new(), Vec::new());
        for (variable, before) in ins.iter().zip((guard..).map(Symbol::new)) {
            let behind = *behind.get(variable).unwrap_or(&before);
            let pair = (Term::symbol(before), Term::symbol(behind));
            match vc.sorts.at(before)?.as_str() {
                "Int" => variables.push(pair),
                "(Array Int Int)" => maps.push(pair),
                "Bool" if before != behind => booleans.push(pair),
                _ => {}
            }
        }
        let read = |map: &Term, key: &Term| Term::app("select", vec![map.clone(), key.clone()]);
        let elements = maps.iter().flat_map(|(map, map_behind)| {
            let of = move |(key, behind): &(Term, Term)| (read(map, key), read(map_behind, behind));
            variables.iter().map(of)
        });
        let elements = elements.map(|pair| (pair, true));
        // What is called there says most of lengths.
        let most = if self.text <= MOST_TEXT {
            usize::MAX
        } else {
            1
        };
        let mut kinds = Kinds::of(self.instances.iter().take(most))?;
        for fact in self.known_facts(known)? {
            kinds.read_text(&fact);
        }
        let mut numbers = Vec::new();
        let all = variables.iter().cloned().map(|pair| (pair, false));
        for ((before, behind), is_read) in all.chain(elements) {
            if let Some(kind) = kinds.kind(&named(&Template::of(&before), call)?) {
                numbers.push(Number {
                    changes: before != behind,
                    before,
                    behind,
                    is_read,
                    kind,
                });
            }
        }
        numbers.sort_by_key(|number| !number.changes);
        numbers.truncate(MOST_NUMBERS);
        Ok(Known { numbers, booleans })
    }

    /// The guard and the interface of any call of a procedure that is made.
    fn any_call(&mut self, vc: &Vc) -> Result<Vec<String>, Internal> {
        self.solver.update(self.entry.prepared);
        let mut names = vec!["true".to_owned()];
        for symbol in (1..vc.interface).map(Symbol::new) {
            let name = format!("{OWN}{}", self.symbols);
            self.symbols += 1;
            self.say(&format!("(declare-const {name} {})", vc.sorts.at(symbol)?));
            names.push(name);
        }
        Ok(names)
    }

    /// What the guards and interfaces of the open calls of a procedure are called.
    fn open_calls(&self, callee: ProcId) -> Result<Vec<Vec<String>>, Internal> {
        let mut calls = Vec::new();
        for open in &self.open {
            let vc = &self.instances.at(open.instance)?.vc;
            if vc.sites.at(open.site)?.callee == callee {
                calls.push(self.names_at(open.instance, open.site)?);
            }
        }
        Ok(calls)
    }

    /// What is known of the open calls.
    fn known_facts(&self, known: &LoopFacts) -> Result<Vec<String>, Internal> {
        let mut all = Vec::new();
        for (callee, facts) in known.iter().filter(|(_, facts)| !facts.is_empty()) {
            for call in self.open_calls(*callee)? {
                let guard = call.first().sure()?;
                for fact in facts.iter() {
                    all.push(format!("(=> {guard} {})", named(fact, &call)?));
                }
            }
        }
        Ok(all)
    }

    /// Says what is known of the open calls. Is there anything?
    fn say_known(&mut self, known: &LoopFacts) -> Result<bool, SearchStop> {
        let facts = self.known_facts(known)?;
        for fact in &facts {
            self.say(&format!("(assert {fact})"));
        }
        Ok(!facts.is_empty())
    }

    fn say(&mut self, command: &str) {
        self.smt().say(command);
    }
}

/// Whether that is the name of a symbol of a copy.
fn is_symbol(name: &str) -> bool {
    let number = name.strip_prefix(OWN);
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// What a loop knows.
struct Known {
    numbers: Vec<Number>,
    /// The Booleans that it changes: at its head before some iterations, and behind them.
    booleans: Vec<(Term, Term)>,
}

/// A number that a loop knows: at its head before some iterations, and behind them.
struct Number {
    before: Term,
    behind: Term,
    changes: bool,
    /// Is it an element of a map, as lengths of arrays are?
    is_read: bool,
    /// The numbers that the loop compares, adds or sets to each other are of the same kind: lengths and positions are, references are
    /// of another.
    kind: usize,
}

/// What may be an invariant of a loop: how the numbers that it changes compare to others of their kind, to -1, 0 and 1, and to what
/// they were; sums and differences that stay as they are, and Booleans that do.
fn proposed(Known { numbers, booleans }: &Known) -> Vec<Template> {
    let mut all = Vec::new();
    let mut propose = |fact: Term| all.push(Template::of(&fact));
    for (before, behind) in booleans {
        propose(before.implies(behind));
        propose(behind.implies(before));
    }
    let at_most = |a: &Term, b: &Term| Term::compare("<=", a.clone(), b.clone());
    let less = |a: &Term, b: &Term| Term::compare("<", a.clone(), b.clone());
    for (at, a) in numbers.iter().enumerate() {
        for b in numbers.iter().skip(at + 1) {
            if a.changes && b.changes {
                for op in ["+", "-"] {
                    let of = |a: &Term, b: &Term| Term::arithmetic(op, a.clone(), b.clone());
                    let before = of(&a.before, &b.before);
                    propose(before.equal(&of(&a.behind, &b.behind)));
                }
            }
            if a.kind != b.kind || !(a.changes || b.changes) {
                continue;
            }
            for (low, high) in [(a, b), (b, a)] {
                let before = at_most(&low.before, &high.before);
                propose(before.implies(&at_most(&low.behind, &high.behind)));
                // As positions are to lengths.
                if high.is_read {
                    let before = less(&low.before, &high.before);
                    propose(before.implies(&less(&low.behind, &high.behind)));
                }
            }
        }
        if !a.changes {
            continue;
        }
        propose(at_most(&a.before, &a.behind));
        propose(at_most(&a.behind, &a.before));
        for limit in [-1, 0, 1] {
            let limit = Term::int(limit);
            propose(at_most(&limit, &a.before).implies(&at_most(&limit, &a.behind)));
        }
        let zero = Term::int(0);
        propose(at_most(&a.before, &zero).implies(&at_most(&a.behind, &zero)));
    }
    all
}

/// Which terms are of the same kind, by their texts.
struct Kinds {
    places: HashMap<String, usize>,
    same: UnionFind<usize>,
}

impl Kinds {
    /// Of what these copies say.
    fn of<'i>(copies: impl Iterator<Item = &'i Instance>) -> Result<Self, Internal> {
        let mut kinds = Kinds {
            places: HashMap::new(),
            same: UnionFind::new_empty(),
        };
        for copy in copies {
            for fact in &copy.vc.facts {
                let mut text = String::new();
                fact.render(&mut text, &|symbol, out| copy.name(symbol, out))?;
                kinds.read_text(&text);
            }
        }
        Ok(kinds)
    }

    fn read_text(&mut self, text: &str) {
        if let Some(formula) = smt::parse(text) {
            self.read(&formula);
        }
    }

    /// Notes what a formula or a term is about. The number that a term stands for is of the kind that this says, if it says any.
    fn read(&mut self, term: &Sexp) -> Option<usize> {
        let items = match term {
            Sexp::List(items) => items,
            Sexp::Atom(name) => return is_symbol(name).then(|| self.place(term)),
        };
        let Some((Sexp::Atom(head), args)) = items.split_first() else {
            return None;
        };
        let mut kinds: Vec<usize> = args.iter().filter_map(|arg| self.read(arg)).collect();
        match head.as_str() {
            "select" => return Some(self.place(term)),
            "store" | "and" | "or" | "not" | "=>" => return None,
            // The condition is no number.
            "ite" if kinds.len() == args.len() => {
                kinds.remove(0);
            }
            _ => {}
        }
        for pair in kinds.windows(2) {
            if let [a, b] = pair {
                self.same.union(*a, *b);
            }
        }
        let says_which = !["=", "<", "<=", ">", ">="].contains(&head.as_str());
        kinds.first().copied().filter(|_| says_which)
    }

    fn place(&mut self, term: &Sexp) -> usize {
        let same = &mut self.same;
        let place = self.places.entry(term.to_string());
        *place.or_insert_with(|| same.new_set())
    }

    /// Of which kind a number of that name is; none if nothing speaks of it.
    fn kind(&self, name: &str) -> Option<usize> {
        let place = self.places.get(name)?;
        Some(self.same.find(*place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boogie::{check, parse};
    use crate::engine::Tool;
    use crate::reach::lower::ProcedureMode;
    use crate::reach::program::Prepared;
    use crate::reach::search::Models;
    use crate::reach::smt::Config;
    use crate::reach::solver::Manner;
    use std::path::Path;
    use std::time::Instant;

    /// What is found of each loop, by name, in words of its formula; and whether that shows that the entry has no failure. None
    /// where a text is not for the engine as it stands.
    fn found(text: &str) -> Option<(BTreeMap<String, Vec<String>>, bool)> {
        let program = check(&parse(text).ok()?).ok()?;
        let main = program.procedures.iter().find(|p| p.entrypoint)?;
        let main = program.procedure(&main.name)?;
        let prepared = Prepared::with_main(program, Some(main)).ok()?;
        let [main] = prepared.mains.as_slice() else {
            return None;
        };
        let entry = prepared.entry(&[], *main, ProcedureMode::Entry).ok()?;
        let config = Config::new(Tool::Z3.locate("tests", None).expect("Z3").path);
        let solver = || Solver::start(&config, Manner::Usual).expect("Z3");
        let budget = Budget {
            models: Models::Instances,
            ..Budget::until(1, Instant::now() + Duration::from_secs(60))
        };
        let mut known = LoopFacts::new();
        let mut words = BTreeMap::new();
        for number in loops_of(&entry).ok()? {
            let facts = kept((&entry, number), &known, &mut solver(), budget).expect("no bug");
            let name = entry.proc(number).expect("a loop").name.clone();
            words.insert(name, facts.iter().map(Template::to_string).collect());
            known.insert(number, Arc::new(facts));
        }
        let proved = is_proved(&entry, &known, &mut solver(), budget).expect("no bug");
        Some((words, proved))
    }

    fn is_proved_of(text: &str) -> bool {
        found(text).expect("well-formed").1
    }

    /// By hand: `i` grows, up to `n` and no further where it was not greater; it is never below what it was, and with `j` it always
    /// makes the same sum.
    #[test]
    fn what_a_loop_keeps_is_found() {
        let text = "procedure {:entrypoint} main(n: int) {
            var i: int; var j: int;
            i := 0; j := n;
            while (i < n) { i := i + 1; j := j - 1; }
            assert i + j == n; }";
        let (words, proved) = found(text).expect("well-formed");
        let facts: Vec<&String> = words.values().flatten().collect();
        // Given are `n`, `i` and `j` (?1 to ?3), the results are `i` and `j` (?4 and ?5).
        for fact in [
            "(<= ?2 ?4)",
            "(<= ?5 ?3)",
            "(=> (<= ?2 ?1) (<= ?4 ?1))",
            "(=> (<= 0 ?2) (<= 0 ?4))",
        ] {
            assert!(facts.iter().any(|f| *f == fact), "{fact}: {facts:#?}");
        }
        for fact in ["(<= ?4 ?2)", "(=> (<= ?2 0) (<= ?4 0))"] {
            assert!(!facts.iter().any(|f| *f == fact), "{fact}: {facts:#?}");
        }
        assert!(proved, "{facts:#?}");
    }

    #[test]
    fn loops_in_loops_and_lengths_of_arrays() {
        let text = |wanted: &str| {
            format!(
                "var length: [int]int;
                procedure read(b: int, off: int, len: int) returns (n: int) {{
                  assert 0 <= off && 0 <= len && off + len <= length[b];
                  n := 0;
                  while (n < len) {{ if (*) {{ return; }} n := n + 1; }} }}
                procedure {{:entrypoint}} main(len: int) modifies length; {{
                  var left: int; var b: int; var filled: int; var n: int; var wanted: int;
                  assume len >= 0;
                  left := len; b := 0;
                  while (left > 0) {{
                    b := b + 1;
                    length[b] := if left < 8192 then left else 8192;
                    filled := 0;
                    while (*) {{
                      wanted := if length[b] - filled < left then {wanted} else left;
                      call n := read(b, filled, wanted);
                      filled := filled + n;
                      left := left - n; }} }} }}"
            )
        };
        assert!(is_proved_of(&text("length[b] - filled")));
        assert!(!is_proved_of(&text("length[b] - filled + 1")));
    }

    /// What only the inner loop compares.
    #[test]
    fn what_an_inner_loop_keeps_the_outer_one_does() {
        let text = |step: &str| {
            format!(
                "procedure {{:entrypoint}} main(n: int) {{
                  var i: int;
                  assume n >= 0; i := 0;
                  while (*) {{ while (i < n) {{ i := i + {step}; }} }}
                  assert i <= n; }}"
            )
        };
        assert!(is_proved_of(&text("1")));
        assert!(!is_proved_of(&text("2")));
    }

    /// A loop that calls a procedure that comes to the loop again, of which nothing is known: of `count` there is no saying.
    #[test]
    fn loops_that_are_called_from_within() {
        let text = |wanted: &str| {
            format!(
                "var count: int;
                procedure walk(depth: int) modifies count; {{
                  var i: int;
                  i := 0;
                  while (i < depth) {{ count := count + 1; call walk(depth - 1); i := i + 1; }} }}
                procedure {{:entrypoint}} main(depth: int) modifies count; {{
                  var rounds: int;
                  count := 0; rounds := 0;
                  while (rounds < depth) {{ rounds := rounds + 1; call walk(depth - rounds); }}
                  assert {wanted}; }}"
            )
        };
        assert!(is_proved_of(&text("depth < 0 || rounds == depth")));
        assert!(!is_proved_of(&text("depth < 0 || rounds < depth")));
        assert!(!is_proved_of(&text("count <= 0")));
        assert!(!is_proved_of(&text("count <= depth")));
    }

    /// Whatever fails is not proved not to.
    #[test]
    fn no_proof_of_a_program_that_fails() {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reach/programs/reached");
        let mut keeping = 0;
        for file in std::fs::read_dir(home).expect("a folder") {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            if let Some((words, proved)) = found(&text) {
                keeping += words.values().filter(|facts| !facts.is_empty()).count();
                assert!(!proved, "{}", path.display());
            }
        }
        assert!(keeping > 5, "{keeping}");
    }
}
