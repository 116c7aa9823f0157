//! A program prepared for questions: its procedures as graphs without loops, what each reads and writes, and, as they
//! are asked for, their verification conditions. And an entry added to it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::effects::{Effects, effects};
use super::encode::{Callees, Style, Vc, encode};
use super::free::{Free, free};
use super::graph::{Proc, Unsupported};
use super::loops;
use super::lower::{Context, Mode, lower, may_fail};
use super::mono::{MapInstances, Mono, monomorphic};
use super::symbols::Symbols;
use crate::boogie::typed::{Procedure, Program, Type};

/// Procedures, numbered: those of the text, then their loops.
pub struct Unit {
    procs: Vec<Lowered>,
    effects: Vec<Effects>,
    recursive: Vec<bool>,
    vcs: Vec<OnceLock<Result<Arc<Vc>, Unsupported>>>,
}

/// A graph, or why there is none; then the graph is empty.
struct Lowered {
    proc: Proc,
    error: Option<Unsupported>,
}

/// A prepared program.
pub struct Prepared {
    /// The checked program, without type parameters.
    pub typed: Arc<Program>,
    /// The procedure that it was prepared for; if that has type parameters, its copies for the types it may be called with.
    pub mains: Vec<usize>,
    /// What every solver is told.
    pub symbols: Mutex<Symbols>,
    /// Whether the axioms kept apart contradict each other or the rest, once that has been asked.
    pub(super) contradiction: OnceLock<bool>,
    may_fail: Vec<bool>,
    unit: Unit,
}

/// A question: a prepared program, perhaps with procedures added, and the procedure where execution begins.
pub struct Entry<'p> {
    /// The program.
    pub prepared: &'p Prepared,
    added: Unit,
    /// The verification condition of the entry.
    pub root: Arc<Vc>,
    /// The entry's graph, loops extracted.
    root_proc: Proc,
    added_typed: Vec<Procedure>,
    may_fail: Vec<bool>,
    index: usize,
    mode: Mode,
}

fn empty() -> Proc {
    Proc {
        name: String::new(),
        is_loop: false,
        extra_bound: 0,
        vars: Vec::new(),
        ins: Vec::new(),
        outs: Vec::new(),
        error: None,
        nodes: Vec::new(),
        exit: 0,
    }
}

impl Prepared {
    /// Prepares a program.
    ///
    /// # Errors
    ///
    /// An axiom, constant or function that cannot be said to the solver. What is wrong with a procedure is told when it
    /// is asked for.
    pub fn new(typed: Program) -> Result<Self, Unsupported> {
        Prepared::with_main(typed, None)
    }

    /// As [`Prepared::new`], for questions about `main`, which may have type parameters.
    ///
    /// # Errors
    ///
    /// As [`Prepared::new`].
    pub fn with_main(mut typed: Program, main: Option<usize>) -> Result<Self, Unsupported> {
        super::inverses::integers_as_datatypes(&mut typed);
        super::lower::without_code(&mut typed)?;
        let Mono {
            program,
            maps,
            mains,
        } = monomorphic(typed, main)?;
        Prepared::without_type_parameters(program, maps, mains, BTreeSet::new())
    }

    /// The program for another try with fewer models; none where that is the same.
    pub(super) fn free_types(&self) -> Option<Free> {
        let symbols = self.symbols.lock().unwrap_or_else(PoisonError::into_inner);
        free(&self.typed, &symbols.map_instances)
    }

    /// The same for that program: only executions count there.
    pub(super) fn with_free_types(&self, free: Free) -> Result<Self, Unsupported> {
        let mains = self.mains.clone();
        Prepared::without_type_parameters(free.program, free.maps, mains, free.structural)
    }

    fn without_type_parameters(
        program: Program,
        maps: MapInstances,
        mains: Vec<usize>,
        structural: BTreeSet<usize>,
    ) -> Result<Self, Unsupported> {
        let typed = Arc::new(program);
        let symbols = Symbols::new(typed.clone(), maps, &mains, structural)?;
        let may_fail = may_fail(&typed, &[], &[]);
        let context = Context {
            program: &typed,
            added: &[],
            may_fail: &may_fail,
            shift: 0,
        };
        let count = typed.procedures.len();
        let unit = Unit::new(&context, 0..count, count, None);
        Ok(Prepared {
            symbols: Mutex::new(symbols),
            contradiction: OnceLock::new(),
            may_fail,
            unit,
            typed,
            mains,
        })
    }

    /// The question whether the entry `index`, of the program or of `added`, can fail (or return, by the mode).
    ///
    /// # Errors
    ///
    /// A construct in what the entry reaches that the engine cannot do.
    pub fn entry(
        &self,
        added: &[Procedure],
        index: usize,
        mode: Mode,
    ) -> Result<Entry<'_>, Unsupported> {
        let count = self.typed.procedures.len();
        let may_fail = match added {
            [] => self.may_fail.clone(),
            _ => may_fail(&self.typed, added, &self.may_fail),
        };
        let context = Context {
            program: &self.typed,
            added,
            may_fail: &may_fail,
            shift: self.unit.procs.len() - count,
        };
        let first = self.unit.procs.len();
        let mut root = lower(&context, index, mode)?;
        // The root comes behind the added procedures, and its loops behind it.
        let numbers = count..count + added.len();
        let root_loops = |at: usize| loops::extract(&mut root, at);
        let unit = Unit::new(
            &context,
            numbers,
            first,
            Some((&self.unit, Box::new(root_loops))),
        );
        let mut entry = Entry {
            prepared: self,
            added: unit,
            root: Arc::new(Vc::nothing()),
            root_proc: root,
            added_typed: added.to_vec(),
            may_fail,
            index,
            mode,
        };
        entry.check_reachable()?;
        let effects = entry.root_effects();
        let mut symbols = self.symbols.lock().unwrap_or_else(PoisonError::into_inner);
        let globals = &self.typed.globals;
        let vc = encode(
            &entry.root_proc,
            &effects,
            Style::Root,
            &entry,
            globals,
            &mut symbols,
        )?;
        drop(symbols);
        entry.root = Arc::new(vc);
        Ok(entry)
    }
}

type RootLoops<'a> = Box<dyn FnOnce(usize) -> Vec<Proc> + 'a>;

impl Unit {
    /// Lowers the procedures of these numbers, which will have the numbers from `first` on.
    fn new(
        context: &Context<'_>,
        numbers: std::ops::Range<usize>,
        first: usize,
        base: Option<(&Unit, RootLoops<'_>)>,
    ) -> Self {
        let mut procs: Vec<Lowered> = numbers
            .map(|i| match lower(context, i, Mode::Callee) {
                Ok(proc) => Lowered { proc, error: None },
                Err(error) => Lowered {
                    proc: empty(),
                    error: Some(error),
                },
            })
            .collect();
        let start = match &base {
            Some(_) => first,
            None => 0,
        };
        let mut extracted = Vec::new();
        let behind = start + procs.len();
        for lowered in &mut procs {
            let next = behind + extracted.len();
            extracted.extend(loops::extract(&mut lowered.proc, next));
        }
        let mut known: &[Effects] = &[];
        let mut base_procs: &[Lowered] = &[];
        if let Some((unit, root_loops)) = base {
            extracted.extend(root_loops(behind + extracted.len()));
            known = &unit.effects;
            base_procs = &unit.procs;
        }
        procs.extend(
            extracted
                .into_iter()
                .map(|proc| Lowered { proc, error: None }),
        );
        let all: Vec<&Proc> = base_procs.iter().chain(&procs).map(|l| &l.proc).collect();
        let effects = effects(&all, known).split_off(known.len());
        let recursive = recursive(&procs, start);
        let vcs = procs.iter().map(|_| OnceLock::new()).collect();
        Unit {
            procs,
            effects,
            recursive,
            vcs,
        }
    }
}

/// Which of the procedures, numbered from `start`, are loops or can come to call themselves.
fn recursive(procs: &[Lowered], start: usize) -> Vec<bool> {
    let calls: Vec<BTreeSet<usize>> = procs
        .iter()
        .map(|l| {
            l.proc
                .callees()
                .iter()
                .filter_map(|c| c.checked_sub(start))
                .collect()
        })
        .collect();
    // Take away what calls nothing that is left, and what nothing left calls; cycles and what lies between stay.
    let mut left: BTreeSet<usize> = (0..procs.len()).collect();
    let mut callers: HashMap<usize, Vec<usize>> = HashMap::new();
    for (caller, callees) in calls.iter().enumerate() {
        for callee in callees {
            callers.entry(*callee).or_default().push(caller);
        }
    }
    let mut open: Vec<usize> = calls
        .iter()
        .map(|c| c.iter().filter(|c| **c < procs.len()).count())
        .collect();
    let mut work: Vec<usize> = open
        .iter()
        .enumerate()
        .filter(|(_, n)| **n == 0)
        .map(|(i, _)| i)
        .collect();
    while let Some(leaf) = work.pop() {
        left.remove(&leaf);
        for caller in callers.get(&leaf).into_iter().flatten() {
            if let Some(n) = open.get_mut(*caller) {
                *n -= 1;
                if *n == 0 {
                    work.push(*caller);
                }
            }
        }
    }
    (0..procs.len())
        .map(|p| {
            left.contains(&p)
                && (procs.get(p).is_some_and(|l| l.proc.is_loop) || in_cycle(&calls, &left, p))
        })
        .collect()
}

fn in_cycle(calls: &[BTreeSet<usize>], within: &BTreeSet<usize>, start: usize) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![start];
    while let Some(p) = work.pop() {
        for callee in calls
            .get(p)
            .into_iter()
            .flatten()
            .filter(|c| within.contains(c))
        {
            if *callee == start {
                return true;
            }
            if seen.insert(*callee) {
                work.push(*callee);
            }
        }
    }
    false
}

impl Entry<'_> {
    fn find<'a, T>(&'a self, base: &'a [T], added: &'a [T], number: usize) -> Option<&'a T> {
        match number.checked_sub(self.prepared.unit.procs.len()) {
            None => base.get(number),
            Some(i) => added.get(i),
        }
    }

    fn lowered(&self, number: usize) -> Option<&Lowered> {
        self.find(&self.prepared.unit.procs, &self.added.procs, number)
    }

    /// The graph of a procedure.
    pub fn proc(&self, number: usize) -> Option<&Proc> {
        self.lowered(number).map(|l| &l.proc)
    }

    /// The entry's graph with its loops in it.
    pub(super) fn whole_root(&self) -> Result<Proc, Unsupported> {
        self.whole(self.index, self.mode)
    }

    /// A procedure's graph with its loops in it; the number must not be that of a loop.
    pub(super) fn whole_proc(&self, number: usize) -> Result<Proc, Unsupported> {
        let base = self.prepared.unit.procs.len();
        let index = match number.checked_sub(base) {
            None => number,
            Some(i) => self.prepared.typed.procedures.len() + i,
        };
        self.whole(index, Mode::Callee)
    }

    fn whole(&self, index: usize, mode: Mode) -> Result<Proc, Unsupported> {
        let context = Context {
            program: &self.prepared.typed,
            added: &self.added_typed,
            may_fail: &self.may_fail,
            shift: self.prepared.unit.procs.len() - self.prepared.typed.procedures.len(),
        };
        lower(&context, index, mode)
    }

    /// Is the procedure a loop, or can it come to call itself?
    pub fn is_recursive(&self, number: usize) -> bool {
        let found = self.find(&self.prepared.unit.recursive, &self.added.recursive, number);
        found.copied().unwrap_or(true)
    }

    fn root_effects(&self) -> Effects {
        let mut all = Effects::default();
        for callee in self.root_proc.callees() {
            let effects = self.effects(callee);
            all.uses.extend(&effects.uses);
            all.writes.extend(&effects.writes);
        }
        all
    }

    /// Is there anything that the entry reaches and the engine cannot do?
    fn check_reachable(&self) -> Result<(), Unsupported> {
        let mut work: Vec<usize> = self.root_proc.callees().into_iter().collect();
        let mut seen: BTreeSet<usize> = work.iter().copied().collect();
        while let Some(number) = work.pop() {
            let Some(lowered) = self.lowered(number) else {
                continue;
            };
            if let Some(error) = &lowered.error {
                return Err(error.clone());
            }
            work.extend(
                lowered
                    .proc
                    .callees()
                    .into_iter()
                    .filter(|c| seen.insert(*c)),
            );
        }
        Ok(())
    }

    /// The verification condition of a procedure that is called.
    ///
    /// # Errors
    ///
    /// A construct that cannot be said to the solver.
    pub fn vc(&self, number: usize) -> Result<Arc<Vc>, Unsupported> {
        let cell = self.find(&self.prepared.unit.vcs, &self.added.vcs, number);
        let (Some(cell), Some(proc)) = (cell, self.proc(number)) else {
            return Err(Unsupported::new(
                Default::default(),
                "there is no such procedure",
            ));
        };
        cell.get_or_init(|| {
            let mut symbols = self
                .prepared
                .symbols
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let globals = &self.prepared.typed.globals;
            encode(
                proc,
                self.effects(number),
                Style::Callee,
                self,
                globals,
                &mut symbols,
            )
            .map(Arc::new)
        })
        .clone()
    }
}

static NO_EFFECTS: Effects = Effects {
    uses: BTreeSet::new(),
    writes: BTreeSet::new(),
};

impl Callees for Entry<'_> {
    fn effects(&self, callee: usize) -> &Effects {
        let found = self.find(&self.prepared.unit.effects, &self.added.effects, callee);
        found.unwrap_or(&NO_EFFECTS)
    }

    fn result_types(&self, callee: usize) -> Vec<Type> {
        types(self.proc(callee), |p| &p.outs)
    }

    fn param_types(&self, callee: usize) -> Vec<Type> {
        types(self.proc(callee), |p| &p.ins)
    }

    fn is_leaf(&self, callee: usize) -> bool {
        self.proc(callee).is_none_or(|p| p.callees().is_empty())
    }
}

fn types(proc: Option<&Proc>, which: impl Fn(&Proc) -> &Vec<usize>) -> Vec<Type> {
    let ty = |p: &Proc, i: &usize| p.vars.get(*i).map_or(Type::Bool, |(_, ty)| ty.clone());
    proc.map_or(Vec::new(), |p| which(p).iter().map(|i| ty(p, i)).collect())
}
