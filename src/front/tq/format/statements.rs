//! Statements.

use super::super::ast::{
    BlockSyntax, CaseSyntax, CatchSyntax, ExprSyntax, ForSyntax, Rhs, StmtSyntax, StmtSyntaxKind,
};
use super::gap::Sep;
use super::{Doc, INDENT, TokenLayout};

/// How the parts of a block are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    /// By line ends.
    Always,
    /// By line ends if what is around does not fit a line.
    IfNeeded,
}

impl<'a> TokenLayout<'a> {
    /// A block that is one line if the author wrote it so and it fits.
    pub(super) fn one_line_block(&mut self, block: &BlockSyntax) -> Doc<'a> {
        let rows = self.rows(self.end_of_block(self.at));
        self.block(block, rows).group()
    }

    /// How to separate the parts of what ends at this offset.
    fn rows(&self, end: usize) -> Rows {
        if self.on_one_line(end) {
            Rows::IfNeeded
        } else {
            Rows::Always
        }
    }

    fn block(&mut self, block: &BlockSyntax, rows: Rows) -> Doc<'a> {
        let open = self.word();
        let mut inside = self.nil();
        for (i, statement) in block.statements.iter().enumerate() {
            let sep = match (rows, i) {
                (Rows::IfNeeded, _) => Sep::Line,
                (Rows::Always, 0) => Sep::FirstRow,
                (Rows::Always, _) => Sep::Row,
            };
            inside = inside.append(self.gap(sep));
            inside = inside.append(self.statement(statement));
        }
        let end = match rows {
            _ if block.statements.is_empty() => Sep::Space,
            Rows::IfNeeded => Sep::Line,
            Rows::Always => Sep::LastRow,
        };
        self.closed(open, inside, end)
    }

    fn statement(&mut self, statement: &StmtSyntax) -> Doc<'a> {
        let rows = self.rows(statement.span.end as usize);
        match &statement.kind {
            StmtSyntaxKind::Var { ty, value, .. } => {
                let word = self.word();
                let declared = word.append(self.typed(ty));
                let value = match value {
                    Some(value) => self.assigned(value),
                    None => self.nil(),
                };
                declared.append(value).append(self.word())
            }
            StmtSyntaxKind::Assign { targets, value } => {
                let targets = self.listed_below(targets, Sep::None);
                targets.append(self.assigned(value)).append(self.word())
            }
            StmtSyntaxKind::Call(e) => self.expr(e).append(self.word()),
            StmtSyntaxKind::If { .. } => self.if_statement(statement, rows).group(),
            StmtSyntaxKind::Switch {
                subject,
                cases,
                default,
            } => self.switch_statement(subject, cases, default.as_ref()),
            StmtSyntaxKind::While {
                label,
                condition,
                invariants,
                body,
            } => {
                let label = self.label(label.is_some());
                let head = self.word_and(condition);
                label.append(self.rounds(head, invariants, body, rows))
            }
            StmtSyntaxKind::For(counted) => {
                let label = self.label(counted.label.is_some());
                let head = self.count(counted);
                label.append(self.rounds(head, &counted.invariants, &counted.body, rows))
            }
            StmtSyntaxKind::Labelled(_, body) => {
                let label = self.label(true);
                label.append(self.block(body, rows).group())
            }
            StmtSyntaxKind::Break(name)
            | StmtSyntaxKind::Continue(name)
            | StmtSyntaxKind::Throw(name) => {
                let mut named = self.word();
                if name.is_some() {
                    named = named.append(self.word_after(Sep::Space));
                }
                named.append(self.word())
            }
            StmtSyntaxKind::Assume(e) | StmtSyntaxKind::Assert(e) => {
                self.word_and(e).append(self.word())
            }
            StmtSyntaxKind::Havoc(list)
            | StmtSyntaxKind::Guess(list)
            | StmtSyntaxKind::Return(list) => {
                let mut word = self.word();
                if matches!(statement.kind, StmtSyntaxKind::Guess(_)) {
                    word = word.append(self.word());
                }
                let list = self.listed_below(list, Sep::Space);
                word.append(list).append(self.word())
            }
            StmtSyntaxKind::Try {
                body,
                catches,
                finally,
            } => self.try_statement(body, catches, finally.as_ref(), rows),
            StmtSyntaxKind::Block(block) => self.block(block, rows).group(),
        }
    }

    /// Expressions with commas between them; those that do not fit the line, further to the right than its start.
    fn listed_below(&mut self, list: &[ExprSyntax], first: Sep) -> Doc<'a> {
        let list = self.listed(list.len(), first, |layout, i| layout.expr(&list[i]));
        list.nest(INDENT)
    }

    /// ` := ` and what is assigned.
    fn assigned(&mut self, value: &Rhs) -> Doc<'a> {
        let sign = self.word_after(Sep::Space).append(self.gap(Sep::Space));
        let value = match value {
            Rhs::Expr(e) => self.expr(e),
            Rhs::New {
                constructor, args, ..
            } => {
                let mut class = self.word().append(self.word_after(Sep::Space));
                if constructor.is_some() {
                    class = class.append(self.word()).append(self.word());
                }
                class.append(self.args(args))
            }
            Rhs::NewArray {
                element,
                length,
                fill,
            } => {
                let word = self.word().append(self.gap(Sep::Space));
                let element = word.append(self.ty(element)).append(self.word());
                let array = element.append(self.expr(length)).append(self.word());
                match fill {
                    Some(fill) => array.append(self.args(std::slice::from_ref(fill))),
                    None => array,
                }
            }
        };
        sign.append(value)
    }

    /// `name: `, if there is one.
    fn label(&mut self, is_there: bool) -> Doc<'a> {
        if !is_there {
            return self.nil();
        }
        let name = self.word().append(self.word());
        name.append(self.gap(Sep::Space))
    }

    /// `if`, with the `else if`s behind it: all blocks on one line, or none.
    fn if_statement(&mut self, statement: &StmtSyntax, rows: Rows) -> Doc<'a> {
        let mut doc = self.nil();
        let mut next = Some(statement);
        while let Some(StmtSyntax {
            kind:
                StmtSyntaxKind::If {
                    condition,
                    then,
                    otherwise,
                },
            ..
        }) = next.take()
        {
            let head = self.word_and(condition);
            let then = self.gap(Sep::Space).append(self.block(then, rows));
            doc = doc.append(head).append(then);
            let Some(block) = otherwise else { break };
            doc = doc.append(self.word_after(Sep::Space));
            doc = doc.append(self.gap(Sep::Space));
            if self.is("if") {
                next = block.statements.first();
            } else {
                doc = doc.append(self.block(block, rows));
            }
        }
        doc
    }

    /// A row a case, each one line if the author wrote it so and it fits.
    fn switch_statement(
        &mut self,
        subject: &ExprSyntax,
        cases: &[CaseSyntax],
        default: Option<&BlockSyntax>,
    ) -> Doc<'a> {
        let head = self.word_and(subject).append(self.gap(Sep::Space));
        let open = self.word();
        let mut inside = self.nil();
        for (i, case) in cases.iter().enumerate() {
            let sep = if i == 0 { Sep::FirstRow } else { Sep::Row };
            let before = self.gap(sep);
            let word = self.word();
            let values = self.listed_below(&case.values, Sep::Space);
            let body = self.gap(Sep::Space).append(self.one_line_block(&case.body));
            inside = inside
                .append(before)
                .append(word)
                .append(values)
                .append(body);
        }
        if let Some(default) = default {
            let word = self.gap(Sep::Row).append(self.word());
            let body = self.gap(Sep::Space).append(self.one_line_block(default));
            inside = inside.append(word).append(body);
        }
        head.append(self.closed(open, inside, Sep::LastRow))
    }

    /// `for i: T := a to b`
    fn count(&mut self, counted: &ForSyntax) -> Doc<'a> {
        let word = self.word();
        let name = match &counted.ty {
            Some(ty) => self.typed(ty),
            None => self.word_after(Sep::Space),
        };
        let from = self.value(&counted.from);
        let direction = self.word_after(Sep::Space).append(self.gap(Sep::Space));
        let to = direction.append(self.expr(&counted.to));
        word.append(name).append(from).append(to)
    }

    /// The invariants of a loop stand below its head, and its body below them.
    fn rounds(
        &mut self,
        head: Doc<'a>,
        invariants: &[ExprSyntax],
        body: &BlockSyntax,
        rows: Rows,
    ) -> Doc<'a> {
        if invariants.is_empty() {
            let body = self.gap(Sep::Space).append(self.block(body, rows));
            return head.append(body).group();
        }
        let one_line = rows == Rows::IfNeeded;
        let mut clauses = self.nil();
        for invariant in invariants {
            let sep = if one_line { Sep::Line } else { Sep::FirstRow };
            clauses = clauses.append(self.gap(sep));
            clauses = clauses.append(self.word_and(invariant));
            self.omit(";");
        }
        let before = self.gap(if one_line { Sep::Line } else { Sep::LastRow });
        let body = before.append(self.one_line_block(body));
        head.append(clauses.nest(INDENT)).append(body).group()
    }

    fn try_statement(
        &mut self,
        body: &BlockSyntax,
        catches: &[CatchSyntax],
        finally: Option<&BlockSyntax>,
        rows: Rows,
    ) -> Doc<'a> {
        let word = self.word().append(self.gap(Sep::Space));
        let mut doc = word.append(self.block(body, rows));
        for catch in catches {
            let word = self.word_after(Sep::Space);
            let names = self.listed(catch.exceptions.len(), Sep::Space, |layout, _| {
                layout.word()
            });
            let body = self.gap(Sep::Space).append(self.block(&catch.body, rows));
            doc = doc.append(word).append(names).append(body);
        }
        if let Some(finally) = finally {
            let word = self.word_after(Sep::Space);
            let body = self.gap(Sep::Space).append(self.block(finally, rows));
            doc = doc.append(word).append(body);
        }
        doc.group()
    }
}
