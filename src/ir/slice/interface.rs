//! Parameters, results and fields that do not matter: procedures and their calls do without, and what would be written to such a
//! field goes nowhere. A constructor keeps its parameters, which tell it apart from others; what is passed may be anything
//! then.

use std::collections::BTreeSet;

use super::matter::{Matter, routines};
use crate::ir::{
    Block, Expr, Place, Program, Routine, RoutineKind, RoutineRef, Stmt, StmtKind, Type, Var,
    VarId, formula,
};

/// Takes the parameters and results of the routines that are not studied out of the program, where they do not matter.
pub(super) fn narrow(program: &mut Program, matter: &Matter, studied: &[RoutineRef]) {
    let mut narrower = Narrower {
        whole: program.clone(),
        matter,
        studied: studied.iter().copied().collect(),
        vars: Vec::new(),
    };
    for routine in routines(program) {
        let declared = &mut program.classes[routine.class.0].routines[routine.index];
        if narrower.is_narrowed(routine) {
            let matters = |id: &VarId| matter.vars.contains(id);
            declared.params.retain(matters);
            declared.results.retain(matters);
        }
        if let Some(body) = &declared.body {
            let mut block = narrower.unknown(declared);
            block.append(&mut narrower.block(body));
            declared.body = Some(block);
        }
    }
    program.vars.append(&mut narrower.vars);
}

struct Narrower<'m> {
    whole: Program,
    matter: &'m Matter,
    studied: BTreeSet<RoutineRef>,
    /// New ones.
    vars: Vec<Var>,
}

impl Narrower<'_> {
    fn is_narrowed(&self, routine: RoutineRef) -> bool {
        let declared = self.whole.routine(routine);
        declared.kind != RoutineKind::Constructor && !self.studied.contains(&routine)
    }

    /// Results that are left and do not matter may be anything.
    fn unknown(&self, declared: &Routine) -> Block {
        let results = declared.results.iter();
        let unknown = results.filter(|id| !self.matter.vars.contains(id));
        let unknown = unknown.map(|id| Stmt {
            kind: StmtKind::Havoc(Place::Var(*id)),
            span: declared.span,
        });
        unknown.collect()
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut narrowed = Vec::new();
        for stmt in block {
            let mut stmt = stmt.map_blocks(|inner| self.block(inner));
            self.statement(&mut stmt, &mut narrowed);
            narrowed.push(stmt);
        }
        narrowed
    }

    /// `before` gets what has to be done before the statement.
    fn statement(&mut self, stmt: &mut Stmt, before: &mut Block) {
        let span = stmt.span;
        match &mut stmt.kind {
            StmtKind::Call {
                targets,
                routine,
                args,
                ..
            } if self.is_narrowed(*routine) => {
                let declared = self.whole.routine(*routine);
                self.retain(args, &declared.params);
                self.retain(targets, &declared.results);
            }
            StmtKind::New {
                constructor: Some(routine),
                args,
                ..
            } => {
                let params = self.whole.routine(*routine).params.clone();
                for (arg, param) in args.iter_mut().zip(params) {
                    if self.matter.vars.contains(&param) || is_plain(arg) {
                        continue;
                    }
                    let any = self.fresh(&self.whole.var(param).ty.clone());
                    *arg = formula::var(&self.whole, any);
                    before.push(Stmt {
                        kind: StmtKind::Havoc(Place::Var(any)),
                        span,
                    });
                }
            }
            _ => {}
        }
        match &mut stmt.kind {
            StmtKind::Assign(place, _)
            | StmtKind::New { target: place, .. }
            | StmtKind::NewArray { target: place, .. } => self.forget(place),
            StmtKind::Call { targets, .. } => targets.iter_mut().for_each(|t| self.forget(t)),
            _ => {}
        }
    }

    fn retain<T>(&self, passed: &mut Vec<T>, declared: &[VarId]) {
        let mut declared = declared.iter();
        let matters = |id: &VarId| self.matter.vars.contains(id);
        passed.retain(|_| declared.next().is_some_and(matters));
    }

    /// Writing to a field that does not matter.
    fn forget(&mut self, place: &mut Place) {
        if let Place::Field(_, field) = place
            && !self.matter.fields.contains(field)
        {
            let ty = self.whole.field(*field).ty.clone();
            *place = Place::Var(self.fresh(&ty));
        }
    }

    /// A variable that nobody reads, or of which nothing is known.
    fn fresh(&mut self, ty: &Type) -> VarId {
        let var = Var {
            name: "any".into(),
            ty: ty.clone(),
        };
        self.whole.vars.push(var.clone());
        self.vars.push(var);
        VarId(self.whole.vars.len() - 1)
    }
}

/// A literal: it reads nothing.
fn is_plain(e: &Expr) -> bool {
    !formula::contains(e, &mut |e| {
        use crate::ir::ExprKind::{Call, Element, Field, Var};
        matches!(*e.kind, Call { .. } | Element(..) | Field(..) | Var(_))
    })
}
