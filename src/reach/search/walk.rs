//! Reading a model: the way through the tree that it describes, and the execution, which is the counterexample.

use std::collections::{BTreeSet, HashMap};

use super::answer::{ExecutionStep, Happening, Replay, SearchExecution};
use super::tree::{Instance, InstanceId};
use super::{Search, SearchStop};
use crate::boogie::ast::Pos;
use crate::ids::Id;
use crate::internal::{Internal, Sure, internal};
use crate::reach::encode::{SiteId, TraceEvent, VcNode, VcNodeId};
use crate::reach::faults::{self, Fault};
use crate::reach::graph::FailedCheck;
use crate::reach::smt::Sexp;
use crate::reach::term::Symbol;

/// What the model says of the ways taken: which symbols are true.
pub(super) type Decisions = HashMap<String, bool>;

/// What a walk comes across.
enum Visit<'a> {
    /// An event other than a call.
    Event(&'a Instance, &'a TraceEvent),
    /// A call of what is not inlined.
    Open(InstanceId, SiteId),
    /// A call, its place, and the callee.
    Call(Option<Pos>, InstanceId, &'a Instance),
    /// One of several ways, and its Boolean.
    Way(&'a Instance, Symbol),
    /// The procedure fails.
    Fails(&'a FailedCheck),
    /// An instance ends.
    Done(&'a Instance),
}

/// Where a walk is.
struct WalkFrame {
    instance: InstanceId,
    node: VcNodeId,
    event: usize,
    depth: u32,
}

impl WalkFrame {
    fn begin(instance: InstanceId, depth: u32) -> Self {
        WalkFrame {
            instance,
            node: VcNodeId::new(0),
            event: 0,
            depth,
        }
    }
}

impl Search<'_, '_> {
    /// What the model says of the ways taken.
    pub(super) fn decisions(&mut self) -> Result<Decisions, SearchStop> {
        let mut names = Vec::new();
        for instance in &self.instances {
            for node in instance.vc.nodes.iter().filter(|n| n.next.len() > 1) {
                for (symbol, _) in &node.next {
                    names.push(instance.named(symbol.sure()?)?);
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        let names = faults::at(Fault::LostDecision, names, |_| Vec::new());
        let deadline = self.deadline();
        let values = self.smt().values(&names, deadline)?;
        let truth = |value: Sexp| value == Sexp::Atom("true".into());
        Ok(names
            .into_iter()
            .zip(values.into_iter().map(truth))
            .collect())
    }

    /// Walks the execution that the decisions describe. `visit` is told what happens, and at which depth.
    fn walk(
        &self,
        decisions: &Decisions,
        visit: &mut dyn FnMut(Visit<'_>, u32) -> Result<(), Internal>,
    ) -> Result<(), Internal> {
        let mut frames = vec![WalkFrame::begin(InstanceId::new(0), 0)];
        while let Some(frame) = frames.last_mut() {
            let instance = self.instances.at(frame.instance)?;
            let node = instance.vc.nodes.at(frame.node)?;
            let depth = frame.depth;
            match node.events.get(frame.event) {
                Some(TraceEvent::Call(pos, site)) => {
                    frame.event += 1;
                    let Some(child) = instance.child(*site)? else {
                        visit(Visit::Open(frame.instance, *site), depth)?;
                        continue;
                    };
                    let callee = self.instances.at(child)?;
                    visit(Visit::Call(*pos, child, callee), depth)?;
                    let inside = depth + u32::from(!callee.vc.is_loop);
                    frames.push(WalkFrame::begin(child, inside));
                }
                Some(event) => {
                    frame.event += 1;
                    visit(Visit::Event(instance, event), depth)?;
                }
                None => {
                    if let Some(failure) = &node.failure {
                        visit(Visit::Fails(failure), depth)?;
                    }
                    match way_taken(instance, node, decisions)? {
                        Some((symbol, next)) => {
                            (frame.node, frame.event) = (next, 0);
                            if let Some(symbol) = symbol {
                                visit(Visit::Way(instance, symbol), depth)?;
                            }
                        }
                        None => {
                            frames.pop();
                            visit(Visit::Done(instance), depth)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The open calls on the way that the decisions describe.
    pub(super) fn path(
        &self,
        decisions: &Decisions,
    ) -> Result<BTreeSet<(InstanceId, SiteId)>, Internal> {
        let mut open = BTreeSet::new();
        self.walk(decisions, &mut |visit, _| {
            if let Visit::Open(instance, site) = visit {
                open.insert((instance, site));
            }
            Ok(())
        })?;
        Ok(open)
    }

    /// The Booleans of the ways that the decisions describe.
    pub(super) fn ways(&self, decisions: &Decisions) -> Result<Vec<String>, Internal> {
        let mut ways = Vec::new();
        self.walk(decisions, &mut |visit, _| {
            if let Visit::Way(instance, symbol) = visit {
                ways.push(instance.named(symbol)?);
            }
            Ok(())
        })?;
        Ok(ways)
    }

    /// The execution of a model without open calls on its path.
    pub(super) fn execution(
        &mut self,
        decisions: &Decisions,
    ) -> Result<SearchExecution, SearchStop> {
        let mut steps = Vec::new();
        let mut failure: Option<FailedCheck> = None;
        let mut terms = Vec::new();
        self.walk(decisions, &mut |visit, depth| {
            let (pos, depth, event) = match visit {
                Visit::Open(..) => return Err(internal("an execution goes through an open call")),
                Visit::Event(_, TraceEvent::Call(..)) | Visit::Way(..) => return Ok(()),
                Visit::Event(_, TraceEvent::Block(pos, label)) => {
                    (*pos, depth, Happening::Block(label.clone()))
                }
                Visit::Event(_, TraceEvent::Command(pos)) => (*pos, depth, Happening::Command),
                Visit::Event(instance, TraceEvent::Record(pos, name, value, ty)) => {
                    let mut term = String::new();
                    value.render(&mut term, &|symbol, out| instance.name(symbol, out))?;
                    terms.push(term);
                    let later = Sexp::Atom(String::new());
                    let record = Happening::Record(name.clone(), later, ty.clone());
                    (*pos, depth, record)
                }
                Visit::Call(_, _, callee) if callee.vc.is_loop => return Ok(()),
                Visit::Call(pos, _, callee) => {
                    let name = callee.vc.name.to_string();
                    (pos.unwrap_or_default(), depth, Happening::Call(name))
                }
                Visit::Done(done) if done.vc.is_loop || done.parent.is_none() => return Ok(()),
                Visit::Done(done) => {
                    let name = done.vc.name.to_string();
                    let event = match failure {
                        Some(_) => Happening::Unwind(name),
                        None => Happening::Return(name),
                    };
                    (Pos::default(), depth.saturating_sub(1), event)
                }
                Visit::Fails(why) => {
                    failure.get_or_insert_with(|| why.clone());
                    return Ok(());
                }
            };
            steps.push(ExecutionStep { pos, depth, event });
            Ok(())
        })?;
        self.fill_in(&mut steps, &terms)?;
        Ok(SearchExecution {
            steps,
            failure,
            replay: Replay::default(),
        })
    }

    /// The copies that the decisions lead through.
    pub(super) fn copies(&self, decisions: &Decisions) -> Result<BTreeSet<InstanceId>, Internal> {
        let mut copies = BTreeSet::from([InstanceId::new(0)]);
        self.walk(decisions, &mut |visit, _| {
            if let Visit::Call(_, id, _) = visit {
                copies.insert(id);
            }
            Ok(())
        })?;
        Ok(copies)
    }

    /// Puts the values of these terms into the steps that record them, in order.
    fn fill_in(&mut self, steps: &mut [ExecutionStep], terms: &[String]) -> Result<(), SearchStop> {
        let deadline = self.deadline();
        let mut values = self.smt().values(terms, deadline)?.into_iter();
        for step in steps {
            if let Happening::Record(_, value, _) = &mut step.event {
                *value = values.next().sure()?;
            }
        }
        Ok(())
    }
}

/// The node that comes next, and the Boolean of the way there where there are several; none at the end. A model of the
/// formula takes a way wherever there are several.
pub(super) fn way_taken(
    instance: &Instance,
    node: &VcNode,
    decisions: &Decisions,
) -> Result<Option<(Option<Symbol>, VcNodeId)>, Internal> {
    if node.next.len() < 2 {
        return Ok(node.next.first().map(|(_, next)| (None, *next)));
    }
    for (symbol, next) in &node.next {
        let symbol = symbol.sure()?;
        if *decisions.get(&instance.named(symbol)?).sure()? {
            return Ok(Some((Some(symbol), *next)));
        }
    }
    Err(internal("a model takes no way where there are several"))
}
