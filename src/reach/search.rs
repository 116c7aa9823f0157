//! Stratified inlining (Lal, Qadeer, Lahiri 2012; the behaviour of Corral's classic search).
//!
//! A tree of inlined procedures grows from the entry. Calls at its edge are *open*. With open calls free, the solver's
//! "no" is a proof; with open calls blocked, its "yes" is an execution. The search goes
//!
//! 1. Over-approximate: block only the open calls that lie deeper than the current bound. "No": unreachable, unless
//!    the proof needed a blocked call; then the bound is raised, up to the limit. "Yes" along a path without open
//!    calls: reached.
//! 2. Under-approximate: block all open calls. "Yes": reached.
//! 3. Inline the open calls on the path found in step 1, and begin again.
//!
//! Procedures that cannot recur are inlined at once, as long as there are not too many. The depth of a call is how often
//! its procedure occurs on the chain of calls to it.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::encode::{Event, Vc};
use super::graph::{Failure as Why, Unsupported};
use super::program::Entry;
use super::smt::{Check, Failure, Sexp, Smt};
use super::solver::Solver;
use crate::boogie::ast::Pos;
use crate::boogie::typed::Type;

/// How many procedures are inlined before they are asked for, between two questions to the solver.
const EAGER_INSTANCES: usize = 1_000;
/// How much text, in bytes, that may be.
const EAGER_TEXT: usize = 4_000_000;

/// What the search may use up.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How often one procedure may recur on a stack.
    pub bound: u32,
    /// How long a chain of calls may be, loops counting as calls; none for no limit.
    pub stack_depth: Option<u32>,
    /// When to stop.
    pub deadline: Instant,
}

/// What the search finds.
#[derive(Clone, Debug)]
pub enum Answer {
    /// There is an execution.
    Reached(Execution),
    /// There is none.
    Unreachable,
    /// There is none within the bound, and the proof of that needs the bound.
    BoundHit(u32),
    /// The solver did not answer, or not definitely.
    Unknown(Failure),
    /// The program has what the engine cannot do.
    Unsupported(Unsupported),
}

/// An execution, and what it took to find it.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// Why it fails; none if it ends normally.
    pub failure: Option<Why>,
}

/// A step of an execution.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it is in the text.
    pub pos: Pos,
    /// How deep in the calls.
    pub depth: u32,
    /// What happens.
    pub event: Happening,
}

/// What happens in a step.
#[derive(Clone, Debug)]
pub enum Happening {
    /// A block begins.
    Block(String),
    /// A command is executed.
    Command,
    /// A procedure is called.
    Call(String),
    /// It returns.
    Return(String),
    /// It does not return: something in it failed.
    Unwind(String),
    /// A value is recorded.
    Record(Option<String>, Sexp, Type),
}

/// Figures about a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// How many procedures were inlined, the entry among them.
    pub inlined: usize,
    /// How many questions the solver was asked.
    pub checks: usize,
}

/// A copy of a verification condition in the tree.
struct Instance {
    vc: Arc<Vc>,
    /// The names of its guard and interface.
    names: Vec<String>,
    /// The number of its first own symbol.
    base: u32,
    parent: Option<usize>,
    /// How many calls lead to it.
    level: u32,
    /// The copies at its sites.
    children: Vec<Option<usize>>,
}

/// A call at the edge of the tree.
struct Open {
    instance: usize,
    site: usize,
    guard: String,
    depth: u32,
    /// Is the chain of calls to it too long?
    too_deep: bool,
}

enum Stop {
    Solver(Failure),
    Unsupported(Unsupported),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Solver(failure)
    }
}

impl From<Unsupported> for Stop {
    fn from(unsupported: Unsupported) -> Self {
        Stop::Unsupported(unsupported)
    }
}

struct Search<'a, 'p> {
    entry: &'a Entry<'p>,
    solver: &'a mut Solver,
    budget: Budget,
    instances: Vec<Instance>,
    open: Vec<Open>,
    symbols: u32,
    text: usize,
    stats: Stats,
}

/// Answers a question. The solver must know what all questions share; what this question adds is taken back.
pub fn search(entry: &Entry<'_>, solver: &mut Solver, budget: Budget) -> (Answer, Stats) {
    let mut search = Search {
        entry,
        solver,
        budget,
        instances: Vec::new(),
        open: Vec::new(),
        symbols: 0,
        text: 0,
        stats: Stats::default(),
    };
    let mark = search.solver.push();
    let answer = match search.run() {
        Ok(answer) => answer,
        Err(Stop::Solver(failure)) => Answer::Unknown(failure),
        Err(Stop::Unsupported(what)) => Answer::Unsupported(what),
    };
    let mut stats = search.stats;
    stats.inlined = search.instances.len();
    search.solver.pop(mark);
    (answer, stats)
}

impl Instance {
    fn name(&self, symbol: u32, out: &mut String) {
        match symbol.checked_sub(self.vc.interface) {
            None => out.push_str(
                self.names
                    .get(symbol as usize)
                    .map_or("true", String::as_str),
            ),
            Some(own) => {
                // Writing to a string does not fail.
                let _ = write!(out, "v{}", self.base + own);
            }
        }
    }

    fn named(&self, symbol: u32) -> String {
        let mut name = String::new();
        self.name(symbol, &mut name);
        name
    }
}

/// What a path through the tree looks like in a model.
struct Path {
    /// The open calls on it, as indices.
    open: Vec<usize>,
}

impl<'p> Search<'_, 'p> {
    fn smt(&mut self) -> &mut Smt {
        self.solver.smt()
    }

    fn run(&mut self) -> Result<Answer, Stop> {
        let root = self.entry.root.clone();
        self.add(root, vec!["true".into()], None)?;
        self.inline_eagerly()?;
        let mut bound = self.budget.bound.min(1);
        loop {
            let limit = bound;
            match self.check(|open| open.too_deep || open.depth > limit)? {
                Check::Unsat => {
                    let blocked = self.open.iter().any(|o| o.too_deep || o.depth > bound);
                    if !blocked || !self.core_has_open()? {
                        return Ok(Answer::Unreachable);
                    }
                    if bound >= self.budget.bound {
                        return Ok(Answer::BoundHit(self.budget.bound));
                    }
                    bound += 1;
                    continue;
                }
                Check::Sat => {}
                Check::Unknown(reason) => return self.doubtful(reason),
            }
            let decisions = self.decisions()?;
            let path = self.path(&decisions);
            if path.open.is_empty() {
                return self.execution(&decisions);
            }
            match self.check(|_| true)? {
                Check::Sat => {
                    let decisions = self.decisions()?;
                    return self.execution(&decisions);
                }
                // Inlining may still help; "reached" or "unreachable" will then be said by a later check.
                Check::Unsat | Check::Unknown(_) => {}
            }
            self.inline(&path.open)?;
        }
    }

    /// The over-approximation has no answer. An execution may be found all the same.
    fn doubtful(&mut self, reason: String) -> Result<Answer, Stop> {
        if !self.open.is_empty() && self.check(|_| true)? == Check::Sat {
            let decisions = self.decisions()?;
            return self.execution(&decisions);
        }
        Ok(Answer::Unknown(Failure::Incomplete(reason)))
    }

    /// Adds a copy of a verification condition to the tree.
    fn add(
        &mut self,
        vc: Arc<Vc>,
        names: Vec<String>,
        parent: Option<(usize, usize)>,
    ) -> Result<(), Stop> {
        let own = vc.sorts.len() as u32 - vc.interface.min(vc.sorts.len() as u32);
        let instance = Instance {
            children: vec![None; vc.sites.len()],
            names,
            base: self.symbols,
            parent: parent.map(|(p, _)| p),
            level: parent
                .and_then(|(p, _)| self.instances.get(p))
                .map_or(0, |p| p.level + 1),
            vc: vc.clone(),
        };
        self.symbols += own;
        let index = self.instances.len();
        let mut text = String::new();
        for (i, sort) in vc.sorts.iter().skip(vc.interface as usize).enumerate() {
            // Writing to a string does not fail.
            let _ = writeln!(text, "(declare-const v{} {sort})", instance.base + i as u32);
        }
        for fact in &vc.facts {
            text.push_str("(assert ");
            fact.render(&mut text, &|symbol, out| instance.name(symbol, out));
            text.push_str(")\n");
        }
        self.text += text.len();
        self.solver.update(self.entry.prepared);
        self.smt().say(&text);
        if let Some((parent, site)) = parent {
            let child = self
                .instances
                .get_mut(parent)
                .and_then(|p| p.children.get_mut(site));
            if let Some(child) = child {
                *child = Some(index);
            }
        }
        let level = instance.level;
        self.instances.push(instance);
        let too_deep = self.budget.stack_depth.is_some_and(|limit| level >= limit);
        for (site, call) in vc.sites.iter().enumerate() {
            let depth = self.depth(index, call.callee);
            let guard = self
                .instances
                .get(index)
                .map_or(String::new(), |i| i.named(call.guard));
            self.open.push(Open {
                instance: index,
                site,
                guard,
                depth,
                too_deep,
            });
        }
        Ok(())
    }

    /// How often a procedure that is called from an instance then occurs on the chain of calls.
    fn depth(&self, instance: usize, callee: usize) -> u32 {
        if !self.entry.is_recursive(callee) {
            return 1;
        }
        let name = self.entry.proc(callee).map_or("", |p| p.name.as_str());
        let mut depth = 1;
        let mut at = Some(instance);
        while let Some(i) = at.and_then(|i| self.instances.get(i)) {
            depth += u32::from(&*i.vc.name == name);
            at = i.parent;
        }
        depth
    }

    /// Inlines open calls, by their indices.
    fn inline(&mut self, which: &[usize]) -> Result<(), Stop> {
        let mut chosen = Vec::new();
        let mut index = 0;
        self.open.retain_mut(|open| {
            let take = which.contains(&index);
            index += 1;
            if take {
                chosen.push((open.instance, open.site));
            }
            !take
        });
        for (instance, site) in chosen {
            self.inline_one(instance, site)?;
        }
        self.inline_eagerly()
    }

    fn inline_one(&mut self, instance: usize, site: usize) -> Result<(), Stop> {
        let Some(parent) = self.instances.get(instance) else {
            return Ok(());
        };
        let Some(call) = parent.vc.sites.get(site) else {
            return Ok(());
        };
        let mut names = vec![parent.named(call.guard)];
        for template in &call.interface {
            let mut name = String::new();
            template.render(&mut name, &|symbol, out| parent.name(symbol, out));
            names.push(name);
        }
        let callee = call.callee;
        let vc = self.entry.vc(callee)?;
        self.add(vc, names, Some((instance, site)))
    }

    /// Inlines what cannot recur.
    fn inline_eagerly(&mut self) -> Result<(), Stop> {
        let mut at = 0;
        let (instances, text) = (
            self.instances.len() + EAGER_INSTANCES,
            self.text + EAGER_TEXT,
        );
        while let Some(open) = self.open.get(at) {
            if self.instances.len() >= instances || self.text >= text {
                return Ok(());
            }
            let (instance, site) = (open.instance, open.site);
            let call = self
                .instances
                .get(instance)
                .and_then(|i| i.vc.sites.get(site));
            match !open.too_deep && call.is_some_and(|c| !self.entry.is_recursive(c.callee)) {
                true => {
                    self.open.remove(at);
                    self.inline_one(instance, site)?;
                }
                false => at += 1,
            }
        }
        Ok(())
    }

    /// Asks with those open calls blocked that `blocked` says.
    fn check(&mut self, blocked: impl Fn(&Open) -> bool) -> Result<Check, Stop> {
        let mut assumptions: Vec<String> = self
            .open
            .iter()
            .filter(|o| blocked(o))
            .map(|o| format!("(not {})", o.guard))
            .collect();
        assumptions.sort_unstable();
        assumptions.dedup();
        self.stats.checks += 1;
        let deadline = self.budget.deadline;
        Ok(self.smt().check(&assumptions, deadline)?)
    }

    /// Did the last proof need a blocked call?
    fn core_has_open(&mut self) -> Result<bool, Stop> {
        let deadline = self.deadline();
        Ok(!self.smt().core(deadline)?.is_empty())
    }

    /// A little time for what needs no search.
    fn deadline(&self) -> Instant {
        self.budget
            .deadline
            .max(Instant::now() + Duration::from_secs(5))
    }

    /// What the model says of the ways taken: the symbols that are true.
    fn decisions(&mut self) -> Result<HashMap<String, bool>, Stop> {
        let mut names = Vec::new();
        for instance in &self.instances {
            for node in instance.vc.nodes.iter().filter(|n| n.next.len() > 1) {
                names.extend(
                    node.next
                        .iter()
                        .filter_map(|(symbol, _)| symbol.map(|s| instance.named(s))),
                );
            }
        }
        names.sort_unstable();
        names.dedup();
        let deadline = self.deadline();
        let values = self.smt().values(&names, deadline)?;
        let truth = |value: Sexp| value == Sexp::Atom("true".into());
        Ok(names
            .into_iter()
            .zip(values.into_iter().map(truth))
            .collect())
    }

    /// Walks the execution that the decisions describe. `visit` is told what happens, and at which depth.
    fn walk(&self, decisions: &HashMap<String, bool>, visit: &mut dyn FnMut(Visit<'_>, u32)) {
        struct Frame {
            instance: usize,
            node: usize,
            event: usize,
            depth: u32,
        }
        let mut frames = Vec::new();
        if let Some(root) = self.instances.first() {
            frames.push(Frame {
                instance: 0,
                node: root.vc.entry,
                event: 0,
                depth: 0,
            });
        }
        while let Some(frame) = frames.last_mut() {
            let Some(instance) = self.instances.get(frame.instance) else {
                return;
            };
            let Some(node) = instance.vc.nodes.get(frame.node) else {
                return;
            };
            if let Some(event) = node.events.get(frame.event) {
                frame.event += 1;
                let depth = frame.depth;
                match event {
                    Event::Call(pos, site) => {
                        let child = instance.children.get(*site).copied().flatten();
                        visit(Visit::Call(frame.instance, *site, *pos, child), depth);
                        if let Some((child, copy)) =
                            child.and_then(|c| Some((c, self.instances.get(c)?)))
                        {
                            frames.push(Frame {
                                instance: child,
                                node: copy.vc.entry,
                                event: 0,
                                depth: depth + u32::from(!copy.vc.is_loop),
                            });
                        }
                    }
                    event => visit(Visit::Event(frame.instance, event), depth),
                }
                continue;
            }
            if let Some(failure) = &node.failure {
                visit(Visit::Fails(failure), frame.depth);
            }
            let taken = |symbol: &Option<u32>| match symbol {
                Some(s) if node.next.len() > 1 => decisions.get(&instance.named(*s)) == Some(&true),
                _ => true,
            };
            match node.next.iter().find(|(symbol, _)| taken(symbol)) {
                Some((_, next)) => {
                    frame.node = *next;
                    frame.event = 0;
                }
                None => {
                    let (instance, depth) = (frame.instance, frame.depth);
                    frames.pop();
                    visit(Visit::Done(instance), depth);
                }
            }
        }
    }

    fn path(&self, decisions: &HashMap<String, bool>) -> Path {
        let places: HashMap<(usize, usize), usize> = self
            .open
            .iter()
            .enumerate()
            .map(|(i, o)| ((o.instance, o.site), i))
            .collect();
        let mut open = Vec::new();
        self.walk(decisions, &mut |visit, _| {
            if let Visit::Call(instance, site, _, None) = visit {
                open.extend(places.get(&(instance, site)));
            }
        });
        Path { open }
    }

    /// The execution of a model without open calls on its path.
    fn execution(&mut self, decisions: &HashMap<String, bool>) -> Result<Answer, Stop> {
        let mut steps = Vec::new();
        let mut failure: Option<Why> = None;
        let mut terms = Vec::new();
        self.walk(decisions, &mut |visit, depth| {
            let (pos, event) = match visit {
                Visit::Event(_, Event::Block(pos, label)) => {
                    (*pos, Happening::Block(label.clone()))
                }
                Visit::Event(_, Event::Command(pos)) => (*pos, Happening::Command),
                Visit::Event(instance, Event::Record(pos, name, value, ty)) => {
                    let mut term = String::new();
                    if let Some(instance) = self.instances.get(instance) {
                        value.render(&mut term, &|symbol, out| instance.name(symbol, out));
                    }
                    terms.push(term);
                    (
                        *pos,
                        Happening::Record(name.clone(), Sexp::Atom(String::new()), ty.clone()),
                    )
                }
                Visit::Call(_, _, pos, Some(child)) => match self.instances.get(child) {
                    Some(child) if !child.vc.is_loop => (
                        pos.unwrap_or_default(),
                        Happening::Call(child.vc.name.to_string()),
                    ),
                    _ => return,
                },
                Visit::Done(instance) => match self.instances.get(instance) {
                    Some(done) if !done.vc.is_loop && done.parent.is_some() => {
                        let name = done.vc.name.to_string();
                        let event = match failure {
                            Some(_) => Happening::Unwind(name),
                            None => Happening::Return(name),
                        };
                        steps.push(Step {
                            pos: Pos::default(),
                            depth: depth.saturating_sub(1),
                            event,
                        });
                        return;
                    }
                    _ => return,
                },
                Visit::Fails(why) => {
                    if failure.is_none() {
                        failure = Some(why.clone());
                    }
                    return;
                }
                Visit::Event(_, Event::Call(..)) | Visit::Call(..) => return,
            };
            steps.push(Step { pos, depth, event });
        });
        let deadline = self.deadline();
        let mut values = self.smt().values(&terms, deadline)?.into_iter();
        for step in &mut steps {
            if let Happening::Record(_, value, _) = &mut step.event
                && let Some(v) = values.next()
            {
                *value = v;
            }
        }
        Ok(Answer::Reached(Execution { steps, failure }))
    }
}

/// What a walk comes across.
enum Visit<'a> {
    /// An event other than a call, in an instance.
    Event(usize, &'a Event),
    /// A call: instance, site, place, and the callee's instance.
    Call(usize, usize, Option<Pos>, Option<usize>),
    /// The procedure fails.
    Fails(&'a Why),
    /// An instance ends.
    Done(usize),
}
