//! Reading a model: the way through the tree that it describes, and the execution.

use std::collections::HashMap;

use super::answer::{Answer, Execution, Happening, Step};
use super::{Search, Stop};
use crate::boogie::ast::Pos;
use crate::reach::encode::Event;
use crate::reach::graph::Failure as Why;
use crate::reach::smt::Sexp;

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

impl Search<'_, '_> {
    /// What the model says of the ways taken: the symbols that are true.
    pub(super) fn decisions(&mut self) -> Result<HashMap<String, bool>, Stop> {
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

    /// The open calls on the way that the decisions describe, as indices.
    pub(super) fn path(&self, decisions: &HashMap<String, bool>) -> Vec<usize> {
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
        open
    }

    /// The execution of a model without open calls on its path.
    pub(super) fn execution(&mut self, decisions: &HashMap<String, bool>) -> Result<Answer, Stop> {
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
