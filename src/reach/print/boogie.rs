//! A graph as a Boogie procedure, printed as any other one. A loop's procedure gives back variables that it is given.

use crate::boogie::ast::{
    self, AttrArg, Attribute, BoogieStmt, BoogieStmtKind, Decl, Lhs, Pos, ProcedureBody,
    ProcedureSignature, VarDecl,
};
use crate::boogie::typed::{BoogieType, LocalId, TypedExpr, VariableRef};
use crate::ids::Id;
use crate::internal::Internal;
use crate::reach::error::Result;
use crate::reach::graph::{FailedCheck, GraphNode, NodeId, Proc, Simple};
use crate::reach::program::PreparedEntry;

/// The text of a graph.
pub(super) fn procedure(entry: &PreparedEntry<'_>, proc: &Proc) -> Result<String> {
    let printer = LoweredPrinter { entry, proc };
    Ok(printer.decl()?.to_string())
}

struct LoweredPrinter<'a, 'p> {
    entry: &'a PreparedEntry<'p>,
    proc: &'a Proc,
}

/// A name without a place in the text.
fn placeless(name: String) -> (String, Pos) {
    (name, Pos::default())
}

fn attribute(name: &str, text: String) -> Attribute {
    Attribute {
        name: name.into(),
        args: vec![AttrArg::Str(text)],
    }
}

fn truth(value: bool) -> ast::BoogieExpr {
    ast::BoogieExpr::new(Pos::default(), ast::BoogieExprKind::Bool(value))
}

impl LoweredPrinter<'_, '_> {
    fn decl(&self) -> Result<Decl, Internal> {
        let proc = self.proc;
        let declared = |ids: &[LocalId]| {
            let all = ids.iter().map(|id| self.declared(*id));
            all.collect::<Result<Vec<VarDecl>, Internal>>()
        };
        let inner = |id: &LocalId| !proc.ins.contains(id) && !proc.outs.contains(id);
        let locals: Vec<LocalId> = proc.vars.ids().filter(inner).collect();
        let mut stmts = Vec::new();
        for (id, node) in proc.nodes.pairs() {
            stmts.push(BoogieStmtKind::Label(self.label(id)?));
            self.node(id, node, &mut stmts)?;
        }
        let stmts = stmts.into_iter().map(|kind| BoogieStmt {
            pos: Pos::default(),
            kind,
        });
        Ok(Decl::Procedure(ast::ProcedureDeclaration {
            pos: Pos::default(),
            attrs: Vec::new(),
            name: proc.name.clone(),
            signature: ProcedureSignature {
                type_params: Vec::new(),
                ins: declared(&proc.ins)?,
                outs: declared(&proc.outs)?,
            },
            specs: Vec::new(),
            body: Some(ProcedureBody {
                locals: declared(&locals)?,
                stmts: stmts.collect(),
                end: Pos::default(),
            }),
        }))
    }

    fn declared(&self, id: LocalId) -> Result<VarDecl, Internal> {
        Ok(VarDecl {
            pos: Pos::default(),
            attrs: Vec::new(),
            name: self.local(id)?,
            ty: self.ty(&self.proc.vars.at(id)?.ty),
            where_: None,
        })
    }

    fn ty(&self, ty: &BoogieType) -> ast::TypeExpr {
        ty.untyped(&self.entry.prepared.typed.types)
    }

    /// What a local variable is called: its name, and its number where others have that name too.
    fn local(&self, id: LocalId) -> Result<String, Internal> {
        let name = &self.proc.vars.at(id)?.name;
        let same = self.proc.vars.iter().filter(|v| v.name == *name);
        Ok(match same.count() {
            1 => name.clone(),
            _ => format!("{name}#{}", id.index()),
        })
    }

    fn label(&self, id: NodeId) -> Result<String, Internal> {
        Ok(match &self.proc.nodes.at(id)?.label {
            Some(label) => label.clone(),
            None => format!("n{}", id.index()),
        })
    }

    fn var(&self, var: VariableRef) -> Result<String, Internal> {
        let program = &self.entry.prepared.typed;
        program.name_of(var, &|local| self.local(local))
    }

    fn expr(&self, e: &TypedExpr) -> Result<ast::BoogieExpr, Internal> {
        let program = &self.entry.prepared.typed;
        program.untyped(e, &|local| self.local(local))
    }

    fn node(
        &self,
        id: NodeId,
        node: &GraphNode,
        out: &mut Vec<BoogieStmtKind>,
    ) -> Result<(), Internal> {
        for cmd in &node.cmds {
            out.extend(self.command(&cmd.kind)?);
        }
        if let Some(failure) = &node.failure {
            let what = match failure {
                FailedCheck::Assert(_, text)
                | FailedCheck::Requires(_, text)
                | FailedCheck::Ensures(_, text) => text.clone(),
                FailedCheck::Callee => "callee".into(),
            };
            // No string of Boogie's holds a quotation mark.
            let what = what.replace("\\\"", "'").replace('"', "'");
            out.push(BoogieStmtKind::Assume(
                vec![attribute("fails", what)],
                truth(true),
            ));
        }
        let succs = node.succs.iter().map(|s| self.label(*s).map(placeless));
        let succs: Vec<(String, Pos)> = succs.collect::<Result<_, _>>()?;
        match succs.is_empty() {
            false => out.push(BoogieStmtKind::Goto(succs)),
            true => {
                // What leads nowhere is no execution.
                if id != self.proc.exit {
                    out.push(BoogieStmtKind::Assume(Vec::new(), truth(false)));
                }
                out.push(BoogieStmtKind::Return(None));
            }
        }
        Ok(())
    }

    /// A command; none for one that only marks a place in the text.
    fn command(&self, cmd: &Simple) -> Result<Option<BoogieStmtKind>, Internal> {
        let arg = |e: &Option<TypedExpr>| e.as_ref().map(|e| self.expr(e)).transpose();
        Ok(Some(match cmd {
            Simple::Assume(e) => BoogieStmtKind::Assume(Vec::new(), self.expr(e)?),
            Simple::Assign(pairs) if pairs.is_empty() => return Ok(None),
            Simple::Assign(pairs) => {
                let (mut lhs, mut rhs) = (Vec::new(), Vec::new());
                for (var, e) in pairs {
                    lhs.push(Lhs {
                        pos: Pos::default(),
                        name: self.var(*var)?,
                        path: Vec::new(),
                    });
                    rhs.push(self.expr(e)?);
                }
                BoogieStmtKind::Assign(lhs, rhs)
            }
            Simple::Havoc(vars) if vars.is_empty() => return Ok(None),
            Simple::Havoc(vars) => {
                let names = vars.iter().map(|v| self.var(*v).map(placeless));
                BoogieStmtKind::Havoc(names.collect::<Result<_, _>>()?)
            }
            Simple::Call { callee, args, outs } => {
                let out = |v: &Option<VariableRef>| {
                    Ok(v.map(|v| self.var(v)).transpose()?.map(placeless))
                };
                BoogieStmtKind::Call(ast::BoogieCall {
                    free: false,
                    attrs: Vec::new(),
                    outs: outs.iter().map(out).collect::<Result<_, Internal>>()?,
                    name: self.entry.proc(*callee)?.name.clone(),
                    args: args.iter().map(arg).collect::<Result<_, _>>()?,
                })
            }
            Simple::Record(name, e) => BoogieStmtKind::Call(ast::BoogieCall {
                free: false,
                attrs: name.iter().map(|n| attribute("cexpr", n.clone())).collect(),
                outs: Vec::new(),
                name: "boogie_si_record".into(),
                args: vec![Some(self.expr(e)?)],
            }),
        }))
    }
}
