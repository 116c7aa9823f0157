//! Handlers around statements.
//!
//! A block knows its handlers; a tree has `try` around statements. So that as few of them as possible are needed, they go
//! outwards as far as they can: around all neighbours that are guarded by the same handler, whatever these are made of, if
//! what raises nothing lies between them. A condition that is guarded more than what it decides is evaluated before, into
//! a variable.

use super::shape::{Jump, Layout, Shape};
use crate::front::java::flow::graph::{BlockId, Exit, Flow, Handler};
use crate::front::java::tree::{
    Catch, Expr, Label, Role, Statement, Step, StepKind, Variable, VariableId,
};
use crate::front::java::types::Type;

/// A handler, and the jump that leads to it.
#[derive(Clone, Debug, PartialEq)]
struct Guard {
    handler: Handler,
    jump: Jump,
}

/// What guards something, outer handlers first; nothing where it raises no exception, so that any would do.
type Cover = Option<Vec<Guard>>;

/// A part of a tree with what all of it is guarded by.
struct Covered {
    shape: Kind,
    cover: Cover,
}

enum Kind {
    Steps(BlockId),
    /// A condition that was evaluated before, where there is a variable.
    If(BlockId, Option<VariableId>, Vec<Covered>, Vec<Covered>),
    Switch(
        BlockId,
        Option<VariableId>,
        Vec<(Vec<i32>, Vec<Covered>)>,
        Vec<Covered>,
    ),
    /// What decides is evaluated into a variable.
    Decide(BlockId, VariableId),
    End(BlockId),
    Loop(Label, Vec<Covered>),
    Labelled(Label, Vec<Covered>),
    Jump(Jump),
}

/// Puts handlers around the statements of a tree.
pub(super) fn cover(
    flow: &Flow,
    layout: &Layout,
    shapes: Vec<Shape>,
) -> (Vec<Statement>, Vec<Variable>) {
    let mut covering = Covering {
        flow,
        layout,
        variables: flow.variables.clone(),
    };
    let covered = covering.list(shapes);
    let statements = covering.statements(&covered, 0);
    (statements, covering.variables)
}

struct Covering<'a> {
    flow: &'a Flow,
    layout: &'a Layout<'a>,
    variables: Vec<Variable>,
}

/// What both are guarded by.
fn common(a: Cover, b: &Cover) -> Cover {
    match (a, b) {
        (None, other) => other.clone(),
        (some, None) => some,
        (Some(a), Some(b)) => {
            let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            Some(a.into_iter().take(same).collect())
        }
    }
}

impl Covering<'_> {
    fn handlers(&self, block: BlockId, raises: bool) -> Cover {
        let guard = |handler: &Handler| Guard {
            handler: handler.clone(),
            jump: self.layout.jump(block, handler.target),
        };
        raises.then(|| {
            self.flow
                .block(block)
                .handlers
                .iter()
                .rev()
                .map(guard)
                .collect()
        })
    }

    fn steps_cover(&self, block: BlockId) -> Cover {
        let steps = &self.flow.block(block).steps;
        self.handlers(
            block,
            steps
                .iter()
                .any(|step| step.kind.may_raise(&self.flow.variables)),
        )
    }

    fn exit_cover(&self, block: BlockId) -> Cover {
        let exit = &self.flow.block(block).exit;
        self.handlers(block, exit.may_raise(&self.flow.variables))
    }

    fn list(&mut self, shapes: Vec<Shape>) -> Vec<Covered> {
        let mut covered = Vec::with_capacity(shapes.len());
        for shape in shapes {
            self.shape(shape, &mut covered);
        }
        covered
    }

    fn shape(&mut self, shape: Shape, covered: &mut Vec<Covered>) {
        match shape {
            Shape::Steps(block) => {
                let cover = self.steps_cover(block);
                covered.push(Covered {
                    shape: Kind::Steps(block),
                    cover,
                });
            }
            Shape::End(block) => {
                let cover = self.exit_cover(block);
                covered.push(Covered {
                    shape: Kind::End(block),
                    cover,
                });
            }
            Shape::Jump(jump) => {
                covered.push(Covered {
                    shape: Kind::Jump(jump),
                    cover: None,
                });
            }
            Shape::Loop(label, body) => {
                let body = self.list(body);
                let cover = within(cover_of(&[&body]), label);
                covered.push(Covered {
                    shape: Kind::Loop(label, body),
                    cover,
                });
            }
            Shape::Labelled(label, body) => {
                let body = self.list(body);
                let cover = within(cover_of(&[&body]), label);
                covered.push(Covered {
                    shape: Kind::Labelled(label, body),
                    cover,
                });
            }
            Shape::If(block, then, otherwise) => {
                let (then, otherwise) = (self.list(then), self.list(otherwise));
                let inside = cover_of(&[&then, &otherwise]);
                let (variable, cover) = self.decision(block, inside, covered);
                let shape = Kind::If(block, variable, then, otherwise);
                covered.push(Covered { shape, cover });
            }
            Shape::Switch(block, cases, default) => {
                let mut arms = Vec::with_capacity(cases.len());
                for (values, body) in cases {
                    arms.push((values, self.list(body)));
                }
                let default = self.list(default);
                let lists: Vec<&Vec<Covered>> =
                    arms.iter().map(|(_, arm)| arm).chain([&default]).collect();
                let inside = cover_of(&lists);
                let (variable, cover) = self.decision(block, inside, covered);
                let shape = Kind::Switch(block, variable, arms, default);
                covered.push(Covered { shape, cover });
            }
        }
    }

    /// What guards a condition with what it decides. Where the condition is guarded by more than that, it is evaluated
    /// before.
    fn decision(
        &mut self,
        block: BlockId,
        inside: Cover,
        covered: &mut Vec<Covered>,
    ) -> (Option<VariableId>, Cover) {
        let own = self.exit_cover(block);
        let both = common(own.clone(), &inside);
        if own.is_none() || both == own {
            return (None, both);
        }
        let ty = match &self.flow.block(block).exit {
            Exit::If { .. } => Type::Boolean,
            _ => Type::Int,
        };
        let (name, role) = (String::new(), Role::Temporary);
        let variable = VariableId(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push(Variable { name, ty, role });
        let shape = Kind::Decide(block, variable);
        covered.push(Covered { shape, cover: own });
        (Some(variable), inside)
    }

    /// Statements that stand inside of that many of the handlers that guard them.
    fn statements(&self, covered: &[Covered], level: usize) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut rest = covered;
        while let Some((first, behind)) = rest.split_first() {
            let guard = first.cover.as_ref().and_then(|cover| cover.get(level));
            let Some(guard) = guard else {
                self.statement(first, level, &mut statements);
                rest = behind;
                continue;
            };
            let (guarded, behind) = rest.split_at(run(rest, level, guard));
            if let [
                Covered {
                    shape: Kind::Labelled(label, body),
                    ..
                },
            ] = guarded
            {
                // Inside of the label is as good, and there it may meet other handlers.
                let body = self.statements(body, level);
                statements.push(Statement::Labelled {
                    label: *label,
                    body,
                });
                rest = behind;
                continue;
            }
            let body = self.statements(guarded, level + 1);
            let catch = Catch {
                classes: guard.handler.class.iter().cloned().collect(),
                variable: guard.handler.variable,
                body: vec![jump(guard.jump)],
            };
            statements.push(guarded_by(body, catch));
            rest = behind;
        }
        statements
    }

    fn statement(&self, covered: &Covered, level: usize, statements: &mut Vec<Statement>) {
        match &covered.shape {
            Kind::Steps(block) => {
                let steps = self.flow.block(*block).steps.iter();
                statements.extend(steps.cloned().map(Statement::Step));
            }
            Kind::Decide(block, variable) => {
                let exit = &self.flow.block(*block).exit;
                if let (Some(value), Some(place)) = (exit.expression(), exit.place()) {
                    let kind = StepKind::Assign(*variable, value.clone());
                    statements.push(Statement::Step(Step { place, kind }));
                }
            }
            Kind::End(block) => statements.extend(match &self.flow.block(*block).exit {
                Exit::Return(place, value) => Some(Statement::Return(*place, value.clone())),
                Exit::Throw(place, value) => Some(Statement::Throw(*place, value.clone())),
                _ => None,
            }),
            Kind::Jump(to) => statements.push(jump(*to)),
            Kind::Loop(label, body) => statements.push(Statement::Loop {
                label: *label,
                condition: None,
                body: self.statements(body, level),
            }),
            Kind::Labelled(label, body) => statements.push(Statement::Labelled {
                label: *label,
                body: self.statements(body, level),
            }),
            Kind::If(block, variable, then, otherwise) => {
                let Exit::If {
                    place, condition, ..
                } = &self.flow.block(*block).exit
                else {
                    return;
                };
                statements.push(Statement::If {
                    place: *place,
                    condition: variable.map_or_else(|| condition.clone(), Expr::Variable),
                    then: self.statements(then, level),
                    otherwise: self.statements(otherwise, level),
                });
            }
            Kind::Switch(block, variable, cases, default) => {
                let Exit::Switch { place, value, .. } = &self.flow.block(*block).exit else {
                    return;
                };
                let cases = cases
                    .iter()
                    .map(|(values, body)| (values.clone(), self.statements(body, level)));
                statements.push(Statement::Switch {
                    place: *place,
                    value: variable.map_or_else(|| value.clone(), Expr::Variable),
                    cases: cases.collect(),
                    default: self.statements(default, level),
                });
            }
        }
    }
}

/// What all parts of these lists are guarded by.
fn cover_of(lists: &[&Vec<Covered>]) -> Cover {
    let parts = lists.iter().flat_map(|list| list.iter());
    parts.fold(None, |found, part| common(found, &part.cover))
}

/// A handler cannot be around the label that the jump to it leaves.
fn within(mut cover: Cover, label: Label) -> Cover {
    if let Some(guards) = &mut cover {
        let own = [Jump::Break(label), Jump::Continue(label)];
        let outside = guards
            .iter()
            .take_while(|guard| !own.contains(&guard.jump))
            .count();
        guards.truncate(outside);
    }
    cover
}

/// How many neighbours are guarded by a handler; what raises nothing counts as such between two of them.
fn run(covered: &[Covered], level: usize, guard: &Guard) -> usize {
    let mut length = 0;
    for (position, part) in covered.iter().enumerate() {
        match &part.cover {
            None => {}
            Some(cover) if cover.get(level) == Some(guard) => length = position + 1,
            Some(_) => break,
        }
    }
    length
}

/// A handler around statements. Handlers directly around each other are those of one `try`, for all they do is to jump; and
/// two that go the same way are one.
fn guarded_by(body: Vec<Statement>, catch: Catch) -> Statement {
    let mut body = body;
    if body.len() == 1
        && let Some(Statement::Try {
            body: inner,
            mut catches,
        }) = body.pop_if(|only| matches!(only, Statement::Try { .. }))
    {
        match catches.last_mut() {
            Some(last)
                if last.body == catch.body
                    && last.variable == catch.variable
                    && !last.classes.is_empty()
                    && !catch.classes.is_empty() =>
            {
                last.classes.extend(catch.classes);
            }
            _ => catches.push(catch),
        }
        return Statement::Try {
            body: inner,
            catches,
        };
    }
    Statement::Try {
        body,
        catches: vec![catch],
    }
}

fn jump(jump: Jump) -> Statement {
    match jump {
        Jump::Break(label) => Statement::Break(label),
        Jump::Continue(label) => Statement::Continue(label),
    }
}
