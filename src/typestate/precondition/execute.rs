//! Statements along all paths.

use crate::ir::CompareOp;
use crate::ir::formula;
use crate::ir::{
    Block, BuiltinException, Catch, Condition, Expr, ExprKind, LabelId, Place, Stmt, StmtKind,
    Type, handler_of,
};

use super::PathAnalysis;
use super::path::{Completion, RoutinePath, Write};

/// Blocks are not followed deeper into each other than this, through calls too: the stack is not endless.
const DEEPEST_NESTING: usize = 130;

/// Paths with the way each leaves what was run.
pub(super) type Flows = Vec<(RoutinePath, Completion)>;

impl PathAnalysis {
    /// Runs statements one after the other.
    pub(super) fn block(&mut self, path: RoutinePath, block: &Block) -> Flows {
        if self.nesting >= DEEPEST_NESTING {
            self.give_up(path, "statements and calls are nested too deep");
            return Flows::new();
        }
        self.nesting += 1;
        let flows = self.sequence(path, block);
        self.nesting -= 1;
        flows
    }

    fn sequence(&mut self, path: RoutinePath, block: &Block) -> Flows {
        let mut done = Flows::new();
        let mut paths = vec![path];
        for stmt in block {
            let mut next = Vec::new();
            for path in paths {
                for (path, flow) in self.stmt(path, stmt) {
                    match flow {
                        Completion::Next => next.push(path),
                        _ => done.push((path, flow)),
                    }
                }
            }
            paths = next;
        }
        done.extend(paths.into_iter().map(|p| (p, Completion::Next)));
        done
    }

    fn stmt(&mut self, path: RoutinePath, stmt: &Stmt) -> Flows {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let (mut flows, paths) = self.operands(path, place);
                for path in paths {
                    let paths = self.evaluated(path, value, &mut flows);
                    for path in paths {
                        let paths = self.place_checked(path, place, &mut flows);
                        for mut path in paths {
                            let value = self.value(&path, value);
                            self.assign(&mut path, place, value);
                            flows.push((path, Completion::Next));
                        }
                    }
                }
                flows
            }
            StmtKind::Havoc(place) | StmtKind::Guess(place) => {
                let (mut flows, paths) = self.operands(path, place);
                for path in paths {
                    let paths = self.place_checked(path, place, &mut flows);
                    for mut path in paths {
                        let value = self.unknown(&self.known.program.place_type(place));
                        self.assign(&mut path, place, value);
                        flows.push((path, Completion::Next));
                    }
                }
                flows
            }
            StmtKind::Call {
                targets,
                receiver,
                routine,
                args,
            } => self.call(path, targets, receiver, *routine, args),
            StmtKind::New {
                target,
                class,
                constructor,
                args,
            } => self.new_object(path, target, *class, *constructor, args),
            StmtKind::NewArray {
                target,
                element,
                length,
                fill,
            } => self.new_array(path, target, element, length, fill.as_ref()),
            StmtKind::Assume(e) => {
                let mut flows = Flows::new();
                for path in self.evaluated(path, e, &mut flows) {
                    let value = self.value(&path, e);
                    let (holds, _) = self.decide(path, &value);
                    flows.extend(holds.into_iter().map(|p| (p, Completion::Next)));
                }
                flows
            }
            StmtKind::Assert(e) => {
                let mut flows = Flows::new();
                for path in self.evaluated(path, e, &mut flows) {
                    let value = self.value(&path, e);
                    let (holds, fails) = self.decide(path, &value);
                    flows.extend(holds.into_iter().map(|p| (p, Completion::Next)));
                    flows.extend(thrown(fails, BuiltinException::AssertionFailure));
                }
                flows
            }
            StmtKind::If(condition, then, otherwise) => {
                let mut flows = Flows::new();
                let (yes, no) = self.condition(path, condition, &mut flows);
                for path in yes {
                    flows.extend(self.block(path, then));
                }
                for path in no {
                    flows.extend(self.block(path, otherwise));
                }
                flows
            }
            StmtKind::While {
                label,
                condition,
                body,
                ..
            } => self.repeat(path, *label, condition, body),
            StmtKind::Labelled(label, body) => {
                let mut flows = self.block(path, body);
                for (_, flow) in &mut flows {
                    if *flow == Completion::Break(*label) {
                        *flow = Completion::Next;
                    }
                }
                flows
            }
            StmtKind::Break(label) => vec![(path, Completion::Break(*label))],
            StmtKind::Continue(label) => vec![(path, Completion::Continue(*label))],
            StmtKind::Return => vec![(path, Completion::Return)],
            StmtKind::Throw(exception) => vec![(path, Completion::Throw(*exception))],
            StmtKind::ThrowAgain => match self.caught.last() {
                Some(exception) => vec![(path, Completion::Throw(*exception))],
                None => Flows::new(),
            },
            StmtKind::Try { body, catches } => self.attempt(path, body, catches),
        }
    }

    /// The paths on which evaluating the expression raises nothing; the others go to `flows`.
    pub(super) fn evaluated(
        &mut self,
        path: RoutinePath,
        e: &Expr,
        flows: &mut Flows,
    ) -> Vec<RoutinePath> {
        let (raised, paths) = self.raises(path, e);
        flows.extend(
            raised
                .into_iter()
                .map(|(p, e)| (p, Completion::Throw(e.id()))),
        );
        paths
    }

    /// The paths on which a branch is taken, and those on which it is not.
    fn condition(
        &mut self,
        path: RoutinePath,
        condition: &Condition,
        flows: &mut Flows,
    ) -> (Vec<RoutinePath>, Vec<RoutinePath>) {
        let e = match condition {
            Condition::Any => return (vec![path.clone()], vec![path]),
            Condition::Expr(e) => e,
        };
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for path in self.evaluated(path, e, flows) {
            let value = self.value(&path, e);
            let (y, n) = self.decide(path, &value);
            yes.extend(y);
            no.extend(n);
        }
        (yes, no)
    }

    /// A loop: so many rounds, and what goes on after them is given up.
    fn repeat(
        &mut self,
        path: RoutinePath,
        label: LabelId,
        condition: &Condition,
        body: &Block,
    ) -> Flows {
        let mut flows = Flows::new();
        let mut paths = vec![path];
        for round in 0..=self.options.bound {
            let mut again = Vec::new();
            for path in paths {
                let (enters, leaves) = self.condition(path, condition, &mut flows);
                flows.extend(leaves.into_iter().map(|p| (p, Completion::Next)));
                for path in enters {
                    if round == self.options.bound {
                        self.give_up(path, "a loop goes on beyond the bound");
                        continue;
                    }
                    for (path, flow) in self.block(path, body) {
                        match flow {
                            Completion::Next => again.push(path),
                            Completion::Continue(of) if of == label => again.push(path),
                            Completion::Break(of) if of == label => {
                                flows.push((path, Completion::Next))
                            }
                            _ => flows.push((path, flow)),
                        }
                    }
                }
            }
            paths = again;
        }
        flows
    }

    fn attempt(&mut self, path: RoutinePath, body: &Block, catches: &[Catch]) -> Flows {
        let mut flows = Flows::new();
        for (path, flow) in self.block(path, body) {
            let handled = match flow {
                Completion::Throw(exception) => {
                    handler_of(catches, exception).map(|c| (exception, c))
                }
                _ => None,
            };
            let Some((exception, catch)) = handled else {
                flows.push((path, flow));
                continue;
            };
            self.caught.push(exception);
            flows.extend(self.block(path, &catch.body));
            self.caught.pop();
        }
        flows
    }

    /// Evaluates the operands of a place.
    pub(super) fn operands(
        &mut self,
        path: RoutinePath,
        place: &Place,
    ) -> (Flows, Vec<RoutinePath>) {
        let mut flows = Flows::new();
        let paths = match place {
            Place::Var(_) => vec![path],
            Place::Field(object, _) => self.evaluated(path, object, &mut flows),
            Place::Element(array, index) => {
                let mut paths = Vec::new();
                for path in self.evaluated(path, array, &mut flows) {
                    paths.extend(self.evaluated(path, index, &mut flows));
                }
                paths
            }
        };
        (flows, paths)
    }

    /// The paths on which the place can be assigned.
    pub(super) fn place_checked(
        &mut self,
        path: RoutinePath,
        place: &Place,
        flows: &mut Flows,
    ) -> Vec<RoutinePath> {
        match place {
            Place::Var(_) => vec![path],
            Place::Field(object, _) => self.not_null(path, object, flows),
            Place::Element(array, index) => {
                let mut paths = Vec::new();
                for path in self.not_null(path, array, flows) {
                    let length = formula::expr(ExprKind::Length(array.clone()), Type::Int);
                    let outside = formula::or(
                        formula::compare(CompareOp::Lt, index.clone(), formula::int(0)),
                        formula::compare(CompareOp::Ge, index.clone(), length),
                    );
                    let outside = self.value(&path, &outside);
                    let (struck, passed) = self.decide(path, &outside);
                    flows.extend(thrown(struck, BuiltinException::IndexOutOfRange));
                    paths.extend(passed);
                }
                paths
            }
        }
    }

    pub(super) fn not_null(
        &mut self,
        path: RoutinePath,
        object: &Expr,
        flows: &mut Flows,
    ) -> Vec<RoutinePath> {
        if matches!(*object.kind, ExprKind::This) {
            return vec![path];
        }
        let is_null = formula::compare(CompareOp::Eq, object.clone(), formula::null());
        let is_null = self.value(&path, &is_null);
        let (struck, passed) = self.decide(path, &is_null);
        flows.extend(thrown(struck, BuiltinException::NullDereference));
        passed
    }

    /// Writes a value to a place whose operands have been checked.
    pub(super) fn assign(&mut self, path: &mut RoutinePath, place: &Place, value: Expr) {
        match place {
            Place::Var(id) => {
                path.vars.insert(*id, value);
            }
            Place::Field(object, field) => {
                let object = self.value(path, object);
                let writes = path.heap.fields.entry(*field).or_default();
                // A write to the same object is not needed any more.
                writes.retain(|w| !matches!(w, Write::One(o, _) if formula::same(o, &object)));
                writes.push(Write::One(object, value));
            }
            Place::Element(array, index) => {
                let Type::Array { element, .. } = &array.ty else {
                    return;
                };
                let (array, index) = (self.value(path, array), self.value(path, index));
                let writes = path.heap.elements.entry((**element).clone()).or_default();
                writes.push((array, index, value));
            }
        }
    }
}

/// These paths, ending in the exception.
pub(super) fn thrown(
    paths: Vec<RoutinePath>,
    exception: BuiltinException,
) -> impl Iterator<Item = (RoutinePath, Completion)> {
    let flow = Completion::Throw(exception.id());
    paths.into_iter().map(move |path| (path, flow))
}
