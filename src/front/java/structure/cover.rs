//! Handlers around statements.
//!
//! A block knows its handlers; a tree has `try` around statements. So that as few of them as possible are needed, they go
//! outwards as far as they can: around all neighbours that are guarded by the same handler, whatever these are made of, if
//! what raises nothing lies between them. A condition that is guarded more than what it decides is evaluated before, into
//! a variable.

use super::shape::{BlockLayout, StructuredBlock, TreeJump};
use crate::front::java::flow::graph::{BlockExit, BlockHandler, BlockId, ControlFlowGraph};
use crate::front::java::tree::{
    BodyVariable, JavaCatch, JavaExpr, JavaStatement, JavaStep, JumpLabel, Role, StepKind,
    VariableId,
};
use crate::front::java::types::JavaType;

/// A handler, and the jump that leads to it.
#[derive(Clone, Debug, PartialEq)]
struct HandlerGuard {
    handler: BlockHandler,
    jump: TreeJump,
}

/// What guards something, outer handlers first; nothing where it raises no exception, so that any would do.
type Guards = Option<Vec<HandlerGuard>>;

/// A part of a tree with what all of it is guarded by.
struct Covered {
    shape: CoveredKind,
    cover: Guards,
}

enum CoveredKind {
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
    Loop(JumpLabel, Vec<Covered>),
    Labelled(JumpLabel, Vec<Covered>),
    Jump(TreeJump),
}

/// Puts handlers around the statements of a tree.
pub(super) fn cover(
    flow: &ControlFlowGraph,
    layout: &BlockLayout,
    shapes: Vec<StructuredBlock>,
) -> (Vec<JavaStatement>, Vec<BodyVariable>) {
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
    flow: &'a ControlFlowGraph,
    layout: &'a BlockLayout<'a>,
    variables: Vec<BodyVariable>,
}

/// What both are guarded by.
fn common(a: Guards, b: &Guards) -> Guards {
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
    fn handlers(&self, block: BlockId, raises: bool) -> Guards {
        let guard = |handler: &BlockHandler| HandlerGuard {
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

    fn steps_cover(&self, block: BlockId) -> Guards {
        let steps = &self.flow.block(block).steps;
        self.handlers(
            block,
            steps
                .iter()
                .any(|step| step.kind.may_raise(&self.flow.variables)),
        )
    }

    fn exit_cover(&self, block: BlockId) -> Guards {
        let exit = &self.flow.block(block).exit;
        self.handlers(block, exit.may_raise(&self.flow.variables))
    }

    fn list(&mut self, shapes: Vec<StructuredBlock>) -> Vec<Covered> {
        let mut covered = Vec::with_capacity(shapes.len());
        for shape in shapes {
            self.shape(shape, &mut covered);
        }
        covered
    }

    fn shape(&mut self, shape: StructuredBlock, covered: &mut Vec<Covered>) {
        match shape {
            StructuredBlock::Steps(block) => {
                let cover = self.steps_cover(block);
                covered.push(Covered {
                    shape: CoveredKind::Steps(block),
                    cover,
                });
            }
            StructuredBlock::End(block) => {
                let cover = self.exit_cover(block);
                covered.push(Covered {
                    shape: CoveredKind::End(block),
                    cover,
                });
            }
            StructuredBlock::Jump(jump) => {
                covered.push(Covered {
                    shape: CoveredKind::Jump(jump),
                    cover: None,
                });
            }
            StructuredBlock::Loop(label, body) => {
                let body = self.list(body);
                let cover = within(cover_of(&[&body]), label);
                covered.push(Covered {
                    shape: CoveredKind::Loop(label, body),
                    cover,
                });
            }
            StructuredBlock::Labelled(label, body) => {
                let body = self.list(body);
                let cover = within(cover_of(&[&body]), label);
                covered.push(Covered {
                    shape: CoveredKind::Labelled(label, body),
                    cover,
                });
            }
            StructuredBlock::If(block, then, otherwise) => {
                let (then, otherwise) = (self.list(then), self.list(otherwise));
                let inside = cover_of(&[&then, &otherwise]);
                let (variable, cover) = self.decision(block, inside, covered);
                let shape = CoveredKind::If(block, variable, then, otherwise);
                covered.push(Covered { shape, cover });
            }
            StructuredBlock::Switch(block, cases, default) => {
                let mut arms = Vec::with_capacity(cases.len());
                for (values, body) in cases {
                    arms.push((values, self.list(body)));
                }
                let default = self.list(default);
                let lists: Vec<&Vec<Covered>> =
                    arms.iter().map(|(_, arm)| arm).chain([&default]).collect();
                let inside = cover_of(&lists);
                let (variable, cover) = self.decision(block, inside, covered);
                let shape = CoveredKind::Switch(block, variable, arms, default);
                covered.push(Covered { shape, cover });
            }
        }
    }

    /// What guards a condition with what it decides. Where the condition is guarded by more than that, it is evaluated
    /// before.
    fn decision(
        &mut self,
        block: BlockId,
        inside: Guards,
        covered: &mut Vec<Covered>,
    ) -> (Option<VariableId>, Guards) {
        let own = self.exit_cover(block);
        let both = common(own.clone(), &inside);
        if own.is_none() || both == own {
            return (None, both);
        }
        let ty = match &self.flow.block(block).exit {
            BlockExit::If { .. } => JavaType::Boolean,
            _ => JavaType::Int,
        };
        let (name, role) = (String::new(), Role::Temporary);
        let variable = VariableId(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push(BodyVariable { name, ty, role });
        let shape = CoveredKind::Decide(block, variable);
        covered.push(Covered { shape, cover: own });
        (Some(variable), inside)
    }

    /// Statements that stand inside of that many of the handlers that guard them.
    fn statements(&self, covered: &[Covered], level: usize) -> Vec<JavaStatement> {
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
                    shape: CoveredKind::Labelled(label, body),
                    ..
                },
            ] = guarded
            {
                // Inside of the label is as good, and there it may meet other handlers.
                let body = self.statements(body, level);
                statements.push(JavaStatement::Labelled {
                    label: *label,
                    body,
                });
                rest = behind;
                continue;
            }
            let body = self.statements(guarded, level + 1);
            let catch = JavaCatch {
                classes: guard.handler.class.iter().cloned().collect(),
                variable: guard.handler.variable,
                body: vec![jump(guard.jump)],
            };
            statements.push(guarded_by(body, catch));
            rest = behind;
        }
        statements
    }

    fn statement(&self, covered: &Covered, level: usize, statements: &mut Vec<JavaStatement>) {
        match &covered.shape {
            CoveredKind::Steps(block) => {
                let steps = self.flow.block(*block).steps.iter();
                statements.extend(steps.cloned().map(JavaStatement::Step));
            }
            CoveredKind::Decide(block, variable) => {
                let exit = &self.flow.block(*block).exit;
                if let (Some(value), Some(place)) = (exit.expression(), exit.place()) {
                    let kind = StepKind::Assign(*variable, value.clone());
                    statements.push(JavaStatement::Step(JavaStep { place, kind }));
                }
            }
            CoveredKind::End(block) => statements.extend(match &self.flow.block(*block).exit {
                BlockExit::Return(place, value) => {
                    Some(JavaStatement::Return(*place, value.clone()))
                }
                BlockExit::Throw(place, value) => Some(JavaStatement::Throw(*place, value.clone())),
                _ => None,
            }),
            CoveredKind::Jump(to) => statements.push(jump(*to)),
            CoveredKind::Loop(label, body) => statements.push(JavaStatement::Loop {
                label: *label,
                condition: None,
                body: self.statements(body, level),
            }),
            CoveredKind::Labelled(label, body) => statements.push(JavaStatement::Labelled {
                label: *label,
                body: self.statements(body, level),
            }),
            CoveredKind::If(block, variable, then, otherwise) => {
                let BlockExit::If {
                    place, condition, ..
                } = &self.flow.block(*block).exit
                else {
                    return;
                };
                statements.push(JavaStatement::If {
                    place: *place,
                    condition: variable.map_or_else(|| condition.clone(), JavaExpr::Variable),
                    then: self.statements(then, level),
                    otherwise: self.statements(otherwise, level),
                });
            }
            CoveredKind::Switch(block, variable, cases, default) => {
                let BlockExit::Switch { place, value, .. } = &self.flow.block(*block).exit else {
                    return;
                };
                let cases = cases
                    .iter()
                    .map(|(values, body)| (values.clone(), self.statements(body, level)));
                statements.push(JavaStatement::Switch {
                    place: *place,
                    value: variable.map_or_else(|| value.clone(), JavaExpr::Variable),
                    cases: cases.collect(),
                    default: self.statements(default, level),
                });
            }
        }
    }
}

/// What all parts of these lists are guarded by.
fn cover_of(lists: &[&Vec<Covered>]) -> Guards {
    let parts = lists.iter().flat_map(|list| list.iter());
    parts.fold(None, |found, part| common(found, &part.cover))
}

/// A handler cannot be around the label that the jump to it leaves.
fn within(mut cover: Guards, label: JumpLabel) -> Guards {
    if let Some(guards) = &mut cover {
        let own = [TreeJump::Break(label), TreeJump::Continue(label)];
        let outside = guards
            .iter()
            .take_while(|guard| !own.contains(&guard.jump))
            .count();
        guards.truncate(outside);
    }
    cover
}

/// How many neighbours are guarded by a handler; what raises nothing counts as such between two of them.
fn run(covered: &[Covered], level: usize, guard: &HandlerGuard) -> usize {
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
fn guarded_by(body: Vec<JavaStatement>, catch: JavaCatch) -> JavaStatement {
    let mut body = body;
    if body.len() == 1
        && let Some(JavaStatement::Try {
            body: inner,
            mut catches,
        }) = body.pop_if(|only| matches!(only, JavaStatement::Try { .. }))
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
        return JavaStatement::Try {
            body: inner,
            catches,
        };
    }
    JavaStatement::Try {
        body,
        catches: vec![catch],
    }
}

fn jump(jump: TreeJump) -> JavaStatement {
    match jump {
        TreeJump::Break(label) => JavaStatement::Break(label),
        TreeJump::Continue(label) => JavaStatement::Continue(label),
    }
}
