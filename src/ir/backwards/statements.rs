//! Statements, backwards.

use std::collections::HashMap;
use std::rc::Rc;

use super::diagram::Bdd;
use super::{Backwards, Behind, By};
use crate::ir::formula;
use crate::ir::{
    Block, BuiltinException, Catch, CompareOp, Condition, Expr, ExprKind, Place, Stmt, StmtKind,
    Type, VarId,
};

/// Blocks are not followed deeper into each other than this, through calls too: the stack is not endless.
const DEEPEST: usize = 130;

/// No more statements than this are gone through for one condition.
const MOST_STEPS: usize = 100_000;

impl Backwards {
    /// The condition before a block with this one behind it.
    pub(super) fn block(&mut self, block: &Block, next: Bdd, behind: &Behind) -> Bdd {
        if self.nesting >= DEEPEST {
            return self.any_end("statements and calls are nested too deep");
        }
        self.nesting += 1;
        let before = match self.first_rounds {
            true => self.knowing(block, next, behind),
            false if !self.known_at_start.is_empty() => {
                self.block_knowing_the_start(block, next, |backwards, stmt, next| {
                    backwards.statement(stmt, next, behind)
                })
            }
            false => {
                let statements = block.iter().rev();
                statements.fold(next, |next, stmt| self.statement(stmt, next, behind))
            }
        };
        self.nesting -= 1;
        before
    }

    /// The same, with what is known on the way.
    fn knowing(&mut self, block: &Block, next: Bdd, behind: &Behind) -> Bdd {
        let before = self.frame.constants.clone();
        let known = self.constants_on_the_way(block, &before);
        let statements = block.iter().zip(known).rev();
        let node = statements.fold(next, |next, (stmt, known)| match known {
            Some(known) => {
                self.frame.constants = known;
                self.statement(stmt, next, behind)
            }
            // It is not reached.
            None => Bdd::FALSE,
        });
        self.frame.constants = before;
        node
    }

    fn statement(&mut self, stmt: &Stmt, next: Bdd, behind: &Behind) -> Bdd {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.diagrams.is_full() {
            if !self.diagrams.is_late() {
                self.reasons.insert("a body is too large");
            }
            return self.diagrams.unknown();
        }
        let before = self.before_statement(stmt, next, behind);
        self.coarsened(before)
    }

    fn before_statement(&mut self, stmt: &Stmt, next: Bdd, behind: &Behind) -> Bdd {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let new = self.here(value);
                let before = self.before_write(next, &self.place_here(place), &new);
                let checked = self.if_place(place, before, behind);
                let evaluated = self.if_defined(value, checked, behind);
                self.if_operands(place, evaluated, behind)
            }
            StmtKind::Havoc(place) | StmtKind::Guess(place) => {
                let (value, before) = self.before_any_value(next, place);
                let before = match stmt.kind {
                    StmtKind::Guess(_) => self.guessed(value, before),
                    _ => self.forget(&[value], before),
                };
                let checked = self.if_place(place, before, behind);
                self.if_operands(place, checked, behind)
            }
            StmtKind::Call {
                targets,
                receiver,
                routine,
                args,
            } => self.call((targets, receiver), *routine, args, next, behind),
            StmtKind::New {
                target,
                class,
                constructor,
                args,
            } => self.new_object(target, (*class, *constructor), args, next, behind),
            StmtKind::NewArray {
                target,
                element,
                length,
                fill,
            } => self.new_array(target, element, (length, fill.as_ref()), next, behind),
            StmtKind::Assume(e) => {
                let holds = self.condition_here(e);
                let both = self.diagrams.and(holds, next);
                self.if_defined(e, both, behind)
            }
            StmtKind::Assert(e) => {
                let holds = self.condition_here(e);
                let fails = behind.throws(BuiltinException::AssertionFailure.id(), By::Body);
                let before = self.diagrams.choice(holds, next, fails);
                self.if_defined(e, before, behind)
            }
            StmtKind::If(condition, then, otherwise) => {
                let then = self.block(then, next, behind);
                let otherwise = self.block(otherwise, next, behind);
                self.branch(condition, then, otherwise, behind)
            }
            StmtKind::While {
                label,
                condition,
                body,
                ..
            } => self.behind_writes(body, |backwards| {
                backwards.repeat((*label, condition, body), next, behind)
            }),
            StmtKind::Labelled(label, body) => {
                let mut inside = behind.clone();
                inside.labels.insert(*label, (next, Bdd::FALSE));
                self.block(body, next, &inside)
            }
            StmtKind::Break(label) => behind.labels.get(label).map_or(Bdd::FALSE, |l| l.0),
            StmtKind::Continue(label) => behind.labels.get(label).map_or(Bdd::FALSE, |l| l.1),
            StmtKind::ThrowAgain => match behind.caught {
                Some((exception, by)) => behind.throws(exception, by),
                None => Bdd::FALSE,
            },
            StmtKind::Return => behind.returns,
            StmtKind::Throw(exception) => behind.throws(*exception, By::Body),
            StmtKind::Try { body, catches } => self.attempt(body, catches, next, behind),
        }
    }

    pub(super) fn condition_here(&mut self, e: &Expr) -> Bdd {
        let e = self.here(e);
        self.condition(&e)
    }

    pub(super) fn branch(
        &mut self,
        condition: &Condition,
        then: Bdd,
        otherwise: Bdd,
        behind: &Behind,
    ) -> Bdd {
        match condition {
            Condition::Any => self.diagrams.or(then, otherwise),
            Condition::Expr(e) => {
                let holds = self.condition_here(e);
                let chosen = self.diagrams.choice(holds, then, otherwise);
                self.if_defined(e, chosen, behind)
            }
        }
    }

    fn attempt(&mut self, body: &Block, catches: &[Catch], next: Bdd, behind: &Behind) -> Bdd {
        let mut handled = (*behind.handled).clone();
        let raised = self.constants_but_of(body);
        let before = std::mem::replace(&mut self.frame.constants, raised);
        for catch in catches {
            // What was caught matters only where it is raised again, and then by where that leads.
            let again = catch.throws_again();
            let mut known: HashMap<Option<Bdd>, Bdd> = HashMap::new();
            for exception in &catch.exceptions {
                for by in [By::Body, By::Outside] {
                    let leads_to = again.then(|| behind.throws(*exception, by));
                    let before = match known.get(&leads_to) {
                        Some(before) => *before,
                        None => {
                            let inside = Behind {
                                caught: Some((*exception, by)),
                                ..behind.clone()
                            };
                            self.behind_writes(body, |backwards| {
                                backwards.block(&catch.body, next, &inside)
                            })
                        }
                    };
                    known.insert(leads_to, before);
                    handled.insert((*exception, by), before);
                }
            }
        }
        self.frame.constants = before;
        let inside = Behind {
            handled: Rc::new(handled),
            ..behind.clone()
        };
        self.block(body, next, &inside)
    }

    /// A place of the routine that is gone through, over the whole.
    pub(super) fn place_here(&self, place: &Place) -> Place {
        match place {
            Place::Var(id) => Place::Var(self.frame.renamed(*id)),
            Place::Field(object, field) => Place::Field(self.here(object), *field),
            Place::Element(array, index) => Place::Element(self.here(array), self.here(index)),
        }
    }

    /// The condition before a place gets the value of a variable, and this variable.
    fn before_any_value(&mut self, next: Bdd, place: &Place) -> (VarId, Bdd) {
        if let Place::Var(id) = place {
            return (self.frame.renamed(*id), next);
        }
        let ty = self.program.place_type(place);
        let id = self.variable("any", &ty);
        let value = formula::var(&self.program, id);
        let before = self.before_write(next, &self.place_here(place), &value);
        (id, before)
    }

    /// Where evaluating the parts of a place raises nothing.
    pub(super) fn if_operands(&mut self, place: &Place, node: Bdd, behind: &Behind) -> Bdd {
        match place {
            Place::Var(_) => node,
            Place::Field(object, _) => self.if_defined(object, node, behind),
            Place::Element(array, index) => {
                let index = self.if_defined(index, node, behind);
                self.if_defined(array, index, behind)
            }
        }
    }

    /// Where the place can be assigned.
    pub(super) fn if_place(&mut self, place: &Place, node: Bdd, behind: &Behind) -> Bdd {
        match place {
            Place::Var(_) => node,
            Place::Field(object, _) => self.if_not_null(object, node, behind),
            Place::Element(array, index) => {
                let length = formula::expr(ExprKind::Length(array.clone()), Type::Int);
                let outside = formula::or(
                    formula::compare(CompareOp::Lt, index.clone(), formula::int(0)),
                    formula::compare(CompareOp::Ge, index.clone(), length),
                );
                let outside = self.condition_here(&outside);
                let raised = behind.throws(BuiltinException::IndexOutOfRange.id(), By::Body);
                let inside = self.diagrams.choice(outside, raised, node);
                self.if_not_null(array, inside, behind)
            }
        }
    }

    pub(super) fn if_not_null(&mut self, object: &Expr, node: Bdd, behind: &Behind) -> Bdd {
        if matches!(*object.kind, ExprKind::This) {
            return node;
        }
        let is_null = formula::compare(CompareOp::Eq, object.clone(), formula::null());
        let is_null = self.condition_here(&is_null);
        let raised = behind.throws(BuiltinException::NullDereference.id(), By::Body);
        self.diagrams.choice(is_null, raised, node)
    }
}
