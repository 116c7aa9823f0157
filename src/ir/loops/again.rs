//! What is done in a loop before it goes round again. What a round does only on its way out, the round behind it does not meet.

use std::collections::BTreeMap;

use crate::ir::{LabelId, Stmt, StmtKind};

/// The statements of a loop's body, none of those that consist of others, behind which another round may come.
pub(in crate::ir) fn before_another_round(label: LabelId, body: &[Stmt]) -> Vec<&Stmt> {
    let mut walk = AgainWalk {
        labels: BTreeMap::from([(
            label,
            Leads {
                out: false,
                on: true,
            },
        )]),
        ..AgainWalk::default()
    };
    walk.block(body, true);
    walk.found
}

/// Whether another round may come where a labelled statement is left, and where its next round begins.
#[derive(Clone, Copy, Debug)]
struct Leads {
    out: bool,
    on: bool,
}

/// A walk from the end of a body to its beginning, that says of each place whether another round may come from there.
#[derive(Clone, Debug, Default)]
struct AgainWalk<'b> {
    labels: BTreeMap<LabelId, Leads>,
    /// Whether it may come from a handler around.
    caught: bool,
    found: Vec<&'b Stmt>,
}

impl<'b> AgainWalk<'b> {
    fn block(&mut self, block: &'b [Stmt], after: bool) -> bool {
        let backwards = block.iter().rev();
        backwards.fold(after, |after, stmt| self.stmt(stmt, after))
    }

    fn stmt(&mut self, stmt: &'b Stmt, after: bool) -> bool {
        match &stmt.kind {
            StmtKind::Return => false,
            StmtKind::Throw(_) | StmtKind::ThrowAgain => self.caught,
            StmtKind::Break(label) => self.labels.get(label).is_some_and(|leads| leads.out),
            StmtKind::Continue(label) => self.labels.get(label).is_some_and(|leads| leads.on),
            StmtKind::If(_, then, otherwise) => {
                let then = self.block(then, after);
                self.block(otherwise, after) || then
            }
            StmtKind::While { label, body, .. } => {
                let mut tried = self.clone();
                let on = after
                    || tried.inside(
                        *label,
                        body,
                        Leads {
                            out: after,
                            on: false,
                        },
                    );
                self.inside(*label, body, Leads { out: after, on });
                on
            }
            StmtKind::Labelled(label, body) => {
                let leads = Leads {
                    out: after,
                    on: after,
                };
                self.inside(*label, body, leads)
            }
            StmtKind::Try { body, catches } => {
                let mut handled = false;
                for catch in catches {
                    handled |= self.block(&catch.body, after);
                }
                let outside = self.caught;
                self.caught |= handled;
                let from_body = self.block(body, after);
                self.caught = outside;
                from_body || handled
            }
            _ => {
                // It may raise an exception.
                let again = after || self.caught;
                if again {
                    self.found.push(stmt);
                }
                again
            }
        }
    }

    /// The body of a statement with a label, from whose end another round may come where its next one would.
    fn inside(&mut self, label: LabelId, body: &'b [Stmt], leads: Leads) -> bool {
        self.labels.insert(label, leads);
        self.block(body, leads.on)
    }
}
