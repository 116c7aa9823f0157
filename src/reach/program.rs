//! A program prepared for questions: its procedures as graphs without loops, what each reads and writes, and, as they
//! are asked for, their verification conditions. And an entry added to it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use petgraph::graphmap::DiGraphMap;

use super::dag::cyclic_components;
use super::effects::{GlobalEffects, effects};
use super::encode::{Callees, Passive, Style, Vc, passive};
use super::error::{ReachError, Result};
use super::free::{Free, free};
use super::graph::{Proc, ProcId};
use super::loops;
use super::lower::{Context, ProcedureMode, lower, may_fail};
use super::mono::{MapInstances, Mono, monomorphic};
use super::search::invariants::LoopFacts;
use super::symbols::Symbols;
use crate::boogie::typed::{
    BoogieType, FunctionId, LocalId, ProcedureId, TypedProcedure, TypedProgram,
};
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure};

/// Procedures, numbered: those of the text, then their loops. What is added to a program is numbered behind it.
struct Unit {
    procs: Vec<LoweredGraph>,
    effects: Vec<GlobalEffects>,
    recursive: BTreeSet<ProcId>,
    vcs: Vec<OnceLock<Result<Arc<Vc>>>>,
}

/// A graph, or why there is none; then the graph is empty.
struct LoweredGraph {
    proc: Proc,
    error: Option<ReachError>,
}

/// A prepared program.
pub struct Prepared {
    /// The checked program, without type parameters.
    pub typed: Arc<TypedProgram>,
    /// The procedure that it was prepared for; if that has type parameters, its copies for the types it may be called with.
    pub mains: Vec<ProcedureId>,
    /// What every solver is told.
    symbols: Mutex<Symbols>,
    /// Whether the axioms kept apart contradict each other or the rest, once that has been asked.
    pub(super) contradiction: OnceLock<bool>,
    /// What is known of its loops, as far as that was looked for.
    pub(super) loop_facts: Mutex<LoopFacts>,
    /// Who looks for it holds this.
    pub(super) looks_for_facts: Mutex<()>,
    may_fail: Table<ProcedureId, bool>,
    unit: Unit,
}

/// A question: a prepared program, perhaps with procedures added, and the procedure where execution begins.
pub struct PreparedEntry<'p> {
    /// The program.
    pub prepared: &'p Prepared,
    added: Unit,
    /// The entry's graph, loops extracted.
    root_proc: Proc,
    root: OnceLock<Result<Arc<Vc>>>,
    added_typed: Vec<TypedProcedure>,
    may_fail: Table<ProcedureId, bool>,
    main: ProcedureId,
    mode: ProcedureMode,
}

impl Prepared {
    /// Prepares a program.
    ///
    /// # Errors
    ///
    /// An axiom, constant or function that cannot be said to the solver. What is wrong with a procedure is told when it
    /// is asked for.
    pub fn new(typed: TypedProgram) -> Result<Self> {
        Prepared::with_main(typed, None)
    }

    /// As [`Prepared::new`], for questions about `main`, which may have type parameters.
    ///
    /// # Errors
    ///
    /// As [`Prepared::new`].
    pub fn with_main(mut typed: TypedProgram, main: Option<ProcedureId>) -> Result<Self> {
        super::inverses::integers_as_datatypes(&mut typed)?;
        super::lower::without_code(&mut typed)?;
        let Mono {
            program,
            maps,
            mains,
        } = monomorphic(typed, main)?;
        Prepared::without_type_parameters(program, maps, mains, BTreeSet::new())
    }

    /// The program for another try with fewer models; none where that is the same.
    pub(super) fn free_types(&self) -> Result<Option<Free>, Internal> {
        free(&self.typed, &self.symbols().map_instances)
    }

    /// The same for that program: only executions count there.
    pub(super) fn with_free_types(&self, free: Free) -> Result<Self> {
        let mains = self.mains.clone();
        Prepared::without_type_parameters(free.program, free.maps, mains, free.structural)
    }

    fn without_type_parameters(
        program: TypedProgram,
        maps: MapInstances,
        mains: Vec<ProcedureId>,
        structural: BTreeSet<FunctionId>,
    ) -> Result<Self> {
        let typed = Arc::new(program);
        let symbols = Symbols::new(typed.clone(), maps, &mains, structural)?;
        let may_fail = may_fail(&typed, &[], &Table::new())?;
        let context = Context {
            program: &typed,
            added: &[],
            may_fail: &may_fail,
            loops: 0,
        };
        let unit = Unit::new(&context, typed.procedures.ids(), None)?;
        Ok(Prepared {
            symbols: Mutex::new(symbols),
            contradiction: OnceLock::new(),
            loop_facts: Mutex::default(),
            looks_for_facts: Mutex::default(),
            may_fail,
            unit,
            typed,
            mains,
        })
    }

    /// What every solver is told, for as long as nobody else needs it. A thread that came to grief with it left a list that
    /// is whole: it only grows.
    pub(super) fn symbols(&self) -> MutexGuard<'_, Symbols> {
        self.symbols.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The question whether the entry `main`, of the program or of `added`, can fail (or return, by the mode).
    ///
    /// # Errors
    ///
    /// A construct in what the entry reaches that the engine cannot do.
    pub fn entry(
        &self,
        added: &[TypedProcedure],
        main: ProcedureId,
        mode: ProcedureMode,
    ) -> Result<PreparedEntry<'_>> {
        let may_fail = match added {
            [] => self.may_fail.clone(),
            _ => may_fail(&self.typed, added, &self.may_fail)?,
        };
        let context = Context {
            program: &self.typed,
            added,
            may_fail: &may_fail,
            loops: self.unit.procs.len() - self.typed.procedures.len(),
        };
        let mut root = lower(&context, main, mode)?;
        let first = self.typed.procedures.len();
        let numbers = (first..first + added.len()).map(ProcedureId::new);
        let base = Base {
            unit: &self.unit,
            root: &mut root,
        };
        let unit = Unit::new(&context, numbers, Some(base))?;
        let entry = PreparedEntry {
            prepared: self,
            added: unit,
            root_proc: root,
            root: OnceLock::new(),
            added_typed: added.to_vec(),
            may_fail,
            main,
            mode,
        };
        entry.reached()?;
        entry.root()?;
        Ok(entry)
    }
}

/// What added procedures are added to.
struct Base<'a> {
    unit: &'a Unit,
    /// The entry, whose loops are numbered behind all others.
    root: &'a mut Proc,
}

impl Unit {
    /// The procedures of these numbers as graphs without loops.
    fn new(
        context: &Context<'_>,
        numbers: impl Iterator<Item = ProcedureId>,
        base: Option<Base<'_>>,
    ) -> Result<Self, Internal> {
        let mut procs = Vec::new();
        for number in numbers {
            procs.push(match lower(context, number, ProcedureMode::Callee) {
                Ok(proc) => LoweredGraph { proc, error: None },
                Err(error) => LoweredGraph {
                    proc: Proc::empty(),
                    error: Some(error),
                },
            });
        }
        let start = base.as_ref().map_or(0, |b| b.unit.procs.len());
        let behind = start + procs.len();
        let mut extracted: Vec<Proc> = Vec::new();
        for lowered in procs.iter_mut().filter(|l| l.error.is_none()) {
            let next = ProcId::new(behind + extracted.len());
            extracted.extend(loops::extract(&mut lowered.proc, next)?);
        }
        let mut known = &[][..];
        if let Some(Base { unit, root }) = base {
            let next = ProcId::new(behind + extracted.len());
            extracted.extend(loops::extract(root, next)?);
            known = &unit.effects;
        }
        procs.extend(
            extracted
                .into_iter()
                .map(|proc| LoweredGraph { proc, error: None }),
        );
        let graphs: Vec<&Proc> = procs.iter().map(|l| &l.proc).collect();
        Ok(Unit {
            effects: effects(&graphs, known)?,
            recursive: recursive(&procs, start),
            vcs: procs.iter().map(|_| OnceLock::new()).collect(),
            procs,
        })
    }
}

/// Which of the procedures, numbered from `start`, can come to call themselves, as all loops do.
fn recursive(procs: &[LoweredGraph], start: usize) -> BTreeSet<ProcId> {
    let mut graph = DiGraphMap::new();
    for (i, lowered) in procs.iter().enumerate() {
        let caller = ProcId::new(start + i);
        graph.add_node(caller);
        for callee in lowered.proc.calls() {
            graph.add_edge(caller, callee, ());
        }
    }
    cyclic_components(&graph).into_iter().flatten().collect()
}

impl PreparedEntry<'_> {
    fn find<'a, T>(
        &'a self,
        base: &'a [T],
        added: &'a [T],
        number: ProcId,
    ) -> Result<&'a T, Internal> {
        match number.index().checked_sub(self.prepared.unit.procs.len()) {
            None => base.get(number.index()).sure(),
            Some(i) => added.get(i).sure(),
        }
    }

    fn lowered(&self, number: ProcId) -> Result<&LoweredGraph, Internal> {
        self.find(&self.prepared.unit.procs, &self.added.procs, number)
    }

    /// The graph of a procedure.
    ///
    /// # Errors
    ///
    /// There is no such procedure, which cannot be.
    pub fn proc(&self, number: ProcId) -> Result<&Proc, Internal> {
        Ok(&self.lowered(number)?.proc)
    }

    /// The entry's graph with its loops in it.
    pub(super) fn whole_root(&self) -> Result<Proc> {
        self.whole(self.main, self.mode)
    }

    /// A procedure's graph with its loops in it; the number must not be that of a loop.
    pub(super) fn whole_proc(&self, number: ProcId) -> Result<Proc> {
        let base = self.prepared.unit.procs.len();
        let id = match number.index().checked_sub(base) {
            None => number.index(),
            Some(i) => self.prepared.typed.procedures.len() + i,
        };
        self.whole(ProcedureId::new(id), ProcedureMode::Callee)
    }

    fn whole(&self, id: ProcedureId, mode: ProcedureMode) -> Result<Proc> {
        let context = Context {
            program: &self.prepared.typed,
            added: &self.added_typed,
            may_fail: &self.may_fail,
            loops: self.prepared.unit.procs.len() - self.prepared.typed.procedures.len(),
        };
        lower(&context, id, mode)
    }

    /// Is the procedure a loop, or can it come to call itself?
    ///
    /// # Errors
    ///
    /// There is no such procedure, which cannot be.
    pub fn is_recursive(&self, number: ProcId) -> Result<bool, Internal> {
        self.lowered(number)?;
        let units = [&self.prepared.unit, &self.added];
        Ok(units.iter().any(|u| u.recursive.contains(&number)))
    }

    /// Is the procedure, or the loop, one of the program, to which others may have been added?
    pub(super) fn is_of_program(&self, number: ProcId) -> bool {
        number.index() < self.prepared.unit.procs.len()
    }

    /// The entry's graph, loops extracted.
    pub(super) fn root_proc(&self) -> &Proc {
        &self.root_proc
    }

    /// All that the entry calls.
    ///
    /// # Errors
    ///
    /// A construct among it that the engine cannot do.
    pub fn reached(&self) -> Result<BTreeSet<ProcId>> {
        let mut work: Vec<ProcId> = self.root_proc.callees().into_iter().collect();
        let mut seen: BTreeSet<ProcId> = work.iter().copied().collect();
        while let Some(number) = work.pop() {
            let lowered = self.lowered(number)?;
            if let Some(error) = &lowered.error {
                return Err(error.clone());
            }
            let callees = lowered.proc.callees().into_iter();
            work.extend(callees.filter(|c| seen.insert(*c)));
        }
        Ok(seen)
    }

    /// The verification condition of the entry itself.
    ///
    /// # Errors
    ///
    /// A construct that cannot be said to the solver.
    pub fn root(&self) -> Result<Arc<Vc>> {
        let encoded = || Ok(Arc::new(self.passive_root()?.vc()?));
        self.root.get_or_init(encoded).clone()
    }

    /// The passive form of the entry itself.
    pub(super) fn passive_root(&self) -> Result<Passive> {
        self.passive_form(&self.root_proc, &GlobalEffects::default(), Style::Root)
    }

    /// The verification condition of a procedure that is called.
    ///
    /// # Errors
    ///
    /// A construct that cannot be said to the solver.
    pub fn vc(&self, number: ProcId) -> Result<Arc<Vc>> {
        let cell = self.find(&self.prepared.unit.vcs, &self.added.vcs, number)?;
        let encoded = || Ok(Arc::new(self.passive(number)?.vc()?));
        cell.get_or_init(encoded).clone()
    }

    /// The passive form of a procedure that is called.
    pub(super) fn passive(&self, number: ProcId) -> Result<Passive> {
        self.passive_form(self.proc(number)?, self.effects(number)?, Style::Callee)
    }

    /// The passive form of a graph of this program.
    pub(super) fn passive_form(
        &self,
        proc: &Proc,
        effects: &GlobalEffects,
        style: Style,
    ) -> Result<Passive> {
        let globals = &self.prepared.typed.globals;
        let mut symbols = self.prepared.symbols();
        passive(proc, effects, style, self, globals, &mut symbols)
    }
}

impl Callees for PreparedEntry<'_> {
    fn effects(&self, callee: ProcId) -> Result<&GlobalEffects, Internal> {
        self.find(&self.prepared.unit.effects, &self.added.effects, callee)
    }

    fn result_types(&self, callee: ProcId) -> Result<Vec<BoogieType>, Internal> {
        let proc = self.proc(callee)?;
        types(proc, &proc.outs)
    }

    fn param_types(&self, callee: ProcId) -> Result<Vec<BoogieType>, Internal> {
        let proc = self.proc(callee)?;
        types(proc, &proc.ins)
    }

    fn is_leaf(&self, callee: ProcId) -> Result<bool, Internal> {
        Ok(self.proc(callee)?.calls().next().is_none())
    }
}

/// The types of a procedure's variables.
fn types(proc: &Proc, vars: &[LocalId]) -> Result<Vec<BoogieType>, Internal> {
    let types = vars.iter().map(|v| Ok(proc.vars.at(*v)?.ty.clone()));
    types.collect()
}
