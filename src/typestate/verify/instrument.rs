//! Client code with its calls marked: each call of a class under watch leaves a mark on the trace, and an error in
//! it becomes an exception of its own, which nothing catches.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::CompareOp;
use crate::ir::effects::Effects;
use crate::ir::formula;
use crate::ir::span::Span;
use crate::ir::{
    Block, BuiltinException, Catch, ClassId, ExceptionId, Expr, ExprKind, Place, Program,
    RoutineRef, Stmt, StmtKind, Type, Var, VarId,
};

/// A call of a class under watch.
#[derive(Clone, Debug)]
pub(super) struct WatchedCall {
    /// Where.
    pub span: Span,
    /// The variable that marks the call on a trace.
    pub mark: String,
    /// The variables that tell the arguments' values, with the parameters' names and types.
    pub arguments: Vec<(String, String, Type)>,
    /// The exceptions that stand for an error in it, and which error each stands for.
    pub errors: BTreeMap<ExceptionId, ExceptionId>,
    /// Raised behind the call, in the one variant of the program that asks for it.
    pub passed: ExceptionId,
}

/// A program with marked calls.
#[derive(Clone, Debug)]
pub(super) struct Marked {
    /// The program.
    pub program: Program,
    /// The calls, by routine and place.
    pub sites: Vec<WatchedCall>,
}

/// Marks the calls of the classes under watch in the client's classes. With `stop_behind`, the call of that number
/// raises its exception [`WatchedCall::passed`] once it has ended normally.
pub(super) fn mark(
    program: &Program,
    clients: &[ClassId],
    watched: &[ClassId],
    stop_behind: Option<usize>,
) -> Marked {
    let mut marker = Marker {
        program: program.clone(),
        effects: Effects::of(program),
        watched,
        stop_behind,
        sites: Vec::new(),
    };
    for class in clients {
        for index in 0..program.class(*class).routines.len() {
            if let Some(body) = &program.class(*class).routines[index].body {
                let body = marker.block(body);
                marker.program.classes[class.0].routines[index].body = Some(body);
            }
        }
    }
    Marked {
        program: marker.program,
        sites: marker.sites,
    }
}

struct Marker<'m> {
    program: Program,
    effects: Effects,
    watched: &'m [ClassId],
    stop_behind: Option<usize>,
    sites: Vec<WatchedCall>,
}

impl Marker<'_> {
    fn block(&mut self, block: &Block) -> Block {
        block.iter().flat_map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> Block {
        match &stmt.kind {
            StmtKind::Call { routine, args, .. } if self.watched.contains(&routine.class) => {
                self.site(stmt, Some(*routine), args)
            }
            StmtKind::New {
                class,
                constructor,
                args,
                ..
            } if self.watched.contains(class) => self.site(stmt, *constructor, args),
            _ => vec![stmt.map_blocks(|block| self.block(block))],
        }
    }

    fn site(&mut self, stmt: &Stmt, callee: Option<RoutineRef>, args: &[Expr]) -> Block {
        let number = self.sites.len();
        let here = |kind| Stmt {
            kind,
            span: stmt.span,
        };
        let mark = format!("call#{number}");
        let marker = self.variable(&mark, Type::Bool);
        let mut block = vec![here(StmtKind::Havoc(Place::Var(marker)))];
        let params = callee.map_or(Vec::new(), |c| self.program.routine(c).params.clone());
        let mut arguments = Vec::new();
        for (index, (param, arg)) in params.iter().zip(args).enumerate() {
            let Var { name, ty } = self.program.var(*param).clone();
            if matches!(ty, Type::Map(..) | Type::Opaque(_)) {
                continue;
            }
            // Of no promise: what is not kept to is what may be wrong.
            let plain = ty.of_value().with_null();
            let variable = format!("call#{number}.{index}");
            let id = self.variable(&variable, plain);
            block.push(here(StmtKind::Havoc(Place::Var(id))));
            let value = formula::var(&self.program, id);
            let same = formula::expr(
                ExprKind::Compare(CompareOp::Eq, value, arg.clone()),
                Type::Bool,
            );
            block.push(here(StmtKind::Assume(same)));
            arguments.push((variable, name, ty));
        }
        let mut errors = BTreeMap::new();
        let mut catches = Vec::new();
        let of_callee = callee.map(|c| self.effects.routine(c).throws.clone());
        let own = BuiltinException::ALL.map(BuiltinException::id);
        let all: BTreeSet<ExceptionId> = of_callee.into_iter().flatten().chain(own).collect();
        for exception in all {
            let name = format!("error#{number}.{}", self.program.exception(exception));
            let error = self.exception(name);
            errors.insert(error, exception);
            catches.push(Catch {
                exceptions: vec![exception],
                body: vec![here(StmtKind::Throw(error))],
            });
        }
        let passed = self.exception(format!("passed#{number}"));
        block.push(here(StmtKind::Try {
            body: vec![stmt.clone()],
            catches,
        }));
        if self.stop_behind == Some(number) {
            block.push(here(StmtKind::Throw(passed)));
        }
        self.sites.push(WatchedCall {
            span: stmt.span,
            mark,
            arguments,
            errors,
            passed,
        });
        block
    }

    fn variable(&mut self, name: &str, ty: Type) -> VarId {
        self.program.new_var(name, ty)
    }

    fn exception(&mut self, name: String) -> ExceptionId {
        self.program.exceptions.push(name);
        ExceptionId(self.program.exceptions.len() - 1)
    }
}
