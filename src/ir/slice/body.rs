//! One body, backwards: what is kept of it.

use std::collections::BTreeMap;

use super::matter::Matter;
use crate::ir::effects::{self, walk};
use crate::ir::{
    Block, Catch, ExceptionId, LabelId, Place, Program, RoutineRef, Stmt, StmtKind, Type,
};

/// What lies between a statement and where it may lead: whether anything is there that is kept.
#[derive(Clone, Debug, Default)]
struct Ahead {
    /// Up to the end of the routine.
    end: bool,
    /// Up to where a label's block or loop is left, and up to the next round of the loop.
    labels: BTreeMap<LabelId, Exits>,
    /// Up to the end of each `try` around, outermost first.
    tries: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
struct Exits {
    behind: bool,
    next_round: bool,
}

impl Ahead {
    /// Something is kept here.
    fn kept(&mut self) {
        let everywhere = Exits {
            behind: true,
            next_round: true,
        };
        self.end = true;
        self.labels.values_mut().for_each(|l| *l = everywhere);
        self.tries.iter_mut().for_each(|t| *t = true);
    }

    /// Inside something that is left, or repeated, by this label.
    fn inside(&self, label: LabelId, exits: Exits) -> Ahead {
        let mut inside = self.clone();
        inside.labels.insert(label, exits);
        inside
    }
}

/// What a `try` around handles: these exceptions, and whether its handlers do anything that is kept.
type Handlers = Vec<(Vec<ExceptionId>, bool)>;

/// A walk through the body of a routine. What is kept depends on what matters, and what is kept matters: it is gone through
/// again until nothing new does, and the last time gives the answer.
pub(super) struct Walk<'w> {
    program: &'w Program,
    matter: &'w mut Matter,
    routine: RoutineRef,
    /// The handlers of the `try`s around, outermost first.
    handlers: Vec<Handlers>,
    /// What the handlers around have caught, innermost last.
    caught: Vec<Vec<ExceptionId>>,
    /// How many loops and handlers were met: each has a number, the same each time.
    parts: usize,
}

impl<'w> Walk<'w> {
    pub(super) fn new(program: &'w Program, matter: &'w mut Matter, routine: RoutineRef) -> Self {
        Walk {
            program,
            matter,
            routine,
            handlers: Vec::new(),
            caught: Vec::new(),
            parts: 0,
        }
    }

    /// What is kept of the body.
    pub(super) fn body(&mut self, body: &Block) -> Block {
        self.block(body, Ahead::default())
    }

    /// What is kept of a block; `ahead` is what lies behind it.
    fn block(&mut self, block: &Block, mut ahead: Ahead) -> Block {
        let mut kept = Vec::new();
        for stmt in block.iter().rev() {
            if let Some(own) = self.statement(stmt, &ahead) {
                ahead.kept();
                kept.push(own);
            }
        }
        kept.reverse();
        kept
    }

    /// What is kept of a statement, without what is not kept inside it.
    fn statement(&mut self, stmt: &Stmt, ahead: &Ahead) -> Option<Stmt> {
        let raised = effects::raised_by(self.program, stmt);
        let raises = raised.into_iter().any(|e| self.matters(e, ahead));
        let keep = match &stmt.kind {
            StmtKind::Assign(place, _) | StmtKind::Havoc(place) | StmtKind::Guess(place) => {
                raises || self.is_read(place)
            }
            StmtKind::NewArray {
                target,
                element,
                fill,
                ..
            } => {
                let filled = fill.is_some() && self.matter.elements.contains(element);
                raises || filled || self.is_read(target)
            }
            StmtKind::New { .. } | StmtKind::Call { .. } => return self.call(stmt, ahead, raises),
            // Other runs do not count, or end here.
            StmtKind::Assume(_) | StmtKind::Throw(_) => true,
            StmtKind::Assert(_) => raises,
            StmtKind::Break(label) => ahead.labels.get(label).is_none_or(|l| l.behind),
            StmtKind::Continue(label) => ahead.labels.get(label).is_none_or(|l| l.next_round),
            StmtKind::Return => ahead.end,
            StmtKind::ThrowAgain => {
                let caught = self.caught.last().cloned().unwrap_or_default();
                ahead.end || caught.into_iter().any(|e| self.matters(e, ahead))
            }
            StmtKind::If(..) | StmtKind::Labelled(..) => {
                return self.structured(stmt, ahead, raises);
            }
            StmtKind::While { label, body, .. } => {
                return self.repeated(stmt, *label, body, ahead, raises);
            }
            StmtKind::Try { body, catches } => return self.attempt(stmt, body, catches, ahead),
        };
        keep.then(|| {
            self.written(stmt, ahead);
            self.kept(stmt.clone())
        })
    }

    /// A field whose object may be null is kept where it matters that it is.
    fn written(&mut self, stmt: &Stmt, ahead: &Ahead) {
        for place in walk::places(stmt) {
            if let Place::Field(_, field) = place {
                let raised = effects::raised_in(self.program, place);
                if raised.into_iter().any(|e| self.matters(e, ahead)) {
                    self.matter.field(*field);
                }
            }
        }
    }

    /// The statement is kept, and what it reads matters.
    fn kept(&mut self, stmt: Stmt) -> Stmt {
        for e in walk::evaluated(&stmt) {
            self.matter.reads(self.program, e);
        }
        for e in walk::places(&stmt)
            .into_iter()
            .flat_map(walk::place_operands)
        {
            self.matter.reads(self.program, e);
        }
        stmt
    }

    fn structured(&mut self, stmt: &Stmt, ahead: &Ahead, raises: bool) -> Option<Stmt> {
        let mut inside = ahead.clone();
        if let StmtKind::Labelled(label, _) = &stmt.kind {
            let exits = Exits {
                behind: false,
                next_round: false,
            };
            inside = ahead.inside(*label, exits);
        }
        let mut any = raises;
        let sliced = stmt.map_blocks(|block| {
            let kept = self.block(block, inside.clone());
            any |= !kept.is_empty();
            kept
        });
        any.then(|| self.kept(sliced))
    }

    /// Of a loop in which something is kept, what is kept lies ahead of each round's end: the next round.
    fn repeated(
        &mut self,
        stmt: &Stmt,
        label: LabelId,
        body: &Block,
        ahead: &Ahead,
        raises: bool,
    ) -> Option<Stmt> {
        let part = self.part();
        let known = self.matter.has_part(self.routine, part);
        let exits = Exits {
            behind: known,
            next_round: false,
        };
        let mut inside = ahead.clone();
        if known {
            inside.kept();
        }
        let inside = inside.inside(label, exits);
        let body = self.block(body, inside);
        if body.is_empty() && !raises {
            return None;
        }
        self.matter.keep_part(self.routine, part);
        let mut sliced = stmt.map_blocks(|_| body.clone());
        if let StmtKind::While { invariants, .. } = &mut sliced.kind {
            invariants.clear();
        }
        Some(self.kept(sliced))
    }

    fn attempt(
        &mut self,
        stmt: &Stmt,
        body: &Block,
        catches: &[Catch],
        ahead: &Ahead,
    ) -> Option<Stmt> {
        let mut handlers = Vec::new();
        let mut blocks = Vec::new();
        for catch in catches {
            self.caught.push(catch.exceptions.clone());
            let handler = self.block(&catch.body, ahead.clone());
            self.caught.pop();
            handlers.push((catch.exceptions.clone(), !handler.is_empty()));
            blocks.push(handler);
        }
        self.handlers.push(handlers);
        let mut inside = ahead.clone();
        inside.tries.push(false);
        let tried = self.block(body, inside);
        self.handlers.pop();
        if tried.is_empty() {
            return None;
        }
        let mut all = std::iter::once(tried).chain(blocks);
        Some(stmt.map_blocks(|_| all.next().unwrap_or_default()))
    }

    /// A call is kept where its routine does something that matters, where what it raises does, or its results.
    fn call(&mut self, stmt: &Stmt, ahead: &Ahead, raises: bool) -> Option<Stmt> {
        let (targets, routine) = match &stmt.kind {
            StmtKind::Call {
                targets, routine, ..
            } => (targets.as_slice(), Some(*routine)),
            StmtKind::New {
                target,
                constructor,
                ..
            } => (std::slice::from_ref(target), *constructor),
            _ => return None,
        };
        let escaping = routine.map_or(Vec::new(), |routine| self.matter.may_raise(routine));
        let matter = escaping.iter().any(|e| self.matters(*e, ahead));
        let works = routine.is_some_and(|routine| self.matter.routines.contains(&routine));
        let is_read = targets.iter().any(|target| self.is_read(target));
        // A new object may break what its class promises.
        let promised = matches!(&stmt.kind, StmtKind::New { class, .. }
            if !self.program.class(*class).invariants.is_empty());
        if !(raises || matter || works || is_read || promised) {
            return None;
        }
        if let Some(routine) = routine {
            self.matter.keep_routine(self.program, routine);
            self.results(targets, routine, ahead);
            for exception in escaping {
                // What somebody handles leaves out what is behind it in the routine.
                if self.is_handled(exception) || self.matters(exception, ahead) {
                    self.matter.raises(routine, exception);
                }
            }
        }
        self.written(stmt, ahead);
        self.operands(stmt, routine, ahead);
        Some(stmt.clone())
    }

    /// The results of a call that matter.
    fn results(&mut self, targets: &[Place], routine: RoutineRef, ahead: &Ahead) {
        for (index, target) in targets.iter().enumerate() {
            let raised = effects::raised_in(self.program, target);
            let raises = raised.into_iter().any(|e| self.matters(e, ahead));
            let result = self.program.routine(routine).results.get(index);
            if let Some(result) = result
                && (raises || self.is_read(target))
            {
                self.matter.var(*result);
            }
        }
    }

    /// What a call that is kept reads. Arguments count for parameters that matter, and for what they may raise themselves.
    fn operands(&mut self, stmt: &Stmt, routine: Option<RoutineRef>, ahead: &Ahead) {
        for e in walk::places(stmt)
            .into_iter()
            .flat_map(walk::place_operands)
        {
            self.matter.reads(self.program, e);
        }
        let args = match &stmt.kind {
            StmtKind::Call { receiver, args, .. } => {
                self.matter.reads(self.program, receiver);
                args
            }
            StmtKind::New { args, .. } => args,
            _ => return,
        };
        let params = routine.map(|routine| &self.program.routine(routine).params);
        for (arg, param) in args.iter().zip(params.into_iter().flatten()) {
            let raised = effects::may_raise(self.program, arg);
            if raised.into_iter().any(|e| self.matters(e.id(), ahead)) {
                self.matter.var(*param);
            }
            if self.matter.vars.contains(param) {
                self.matter.reads(self.program, arg);
            }
        }
    }

    fn is_read(&self, place: &Place) -> bool {
        match place {
            Place::Var(id) => self.matter.vars.contains(id),
            Place::Field(_, field) => self.matter.fields.contains(field),
            Place::Element(array, _) => match &array.ty {
                Type::Array { element, .. } => self.matter.elements.contains(element),
                _ => true,
            },
        }
    }

    /// Whether it matters that the exception is raised here.
    fn matters(&self, exception: ExceptionId, ahead: &Ahead) -> bool {
        for (handlers, skipped) in self.handlers.iter().zip(&ahead.tries).rev() {
            let mut handlers = handlers.iter();
            if let Some((_, kept)) = handlers.find(|(all, _)| all.contains(&exception)) {
                return *kept || *skipped;
            }
        }
        self.matter.is_raised(self.routine, exception)
    }

    /// Whether a handler around, here or in the routines that call this one, handles the exception.
    fn is_handled(&self, exception: ExceptionId) -> bool {
        let mut handlers = self.handlers.iter().flatten();
        handlers.any(|(all, _)| all.contains(&exception))
    }

    fn part(&mut self) -> usize {
        self.parts += 1;
        self.parts
    }
}
