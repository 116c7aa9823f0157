//! Statements as text.

use tranquera::front::solidity::flat::{
    CatchKind, FlatCatch, FlatExpr, FlatStmt, FlatStmtKind, LabelId, LocalId, Outside, OutsideKind,
    RoutineId, Why,
};

use super::FlatPrinter;

impl FlatPrinter<'_> {
    pub(super) fn block(&mut self, block: &[FlatStmt], depth: usize) {
        for statement in block {
            self.statement(statement, depth);
        }
    }

    fn statement(&mut self, statement: &FlatStmt, depth: usize) {
        let at = self.at(statement.place);
        match &statement.kind {
            FlatStmtKind::If(condition, yes, no) => {
                let condition = self.expr(condition);
                self.line(depth, format!("if ({condition}) {{{at}"));
                self.block(yes, depth + 1);
                if !no.is_empty() {
                    self.line(depth, "} else {");
                    self.block(no, depth + 1);
                }
                self.line(depth, "}");
            }
            FlatStmtKind::While(id, condition, body) => {
                let condition = self.expr(condition);
                let text = format!("{}: while ({condition}) {{{at}", label(*id));
                self.line(depth, text);
                self.block(body, depth + 1);
                self.line(depth, "}");
            }
            FlatStmtKind::Labelled(id, body) => {
                self.line(depth, format!("{}: {{{at}", label(*id)));
                self.block(body, depth + 1);
                self.line(depth, "}");
            }
            FlatStmtKind::Try {
                attempt,
                success,
                catches,
            } => {
                let call = self.simple(&attempt.kind);
                self.line(depth, format!("try {call} {{{at}"));
                self.block(success, depth + 1);
                for catch in catches {
                    let head = self.catch(catch);
                    self.line(depth, head);
                    self.block(&catch.body, depth + 1);
                }
                self.line(depth, "}");
            }
            simple => {
                let text = self.simple(simple);
                self.line(depth, format!("{text};{at}"));
            }
        }
    }

    fn catch(&self, catch: &FlatCatch) -> String {
        let kind = match catch.kind {
            CatchKind::Error => " Error",
            CatchKind::Panic => " Panic",
            CatchKind::Any => "",
        };
        let parameter = catch.parameter.map_or_else(String::new, |local| {
            format!(" ({} {})", self.local_type(local), self.local(local))
        });
        format!("}} catch{kind}{parameter} {{")
    }

    /// A statement without blocks, without its semicolon.
    fn simple(&self, kind: &FlatStmtKind) -> String {
        match kind {
            FlatStmtKind::Declare(local, value) => {
                let value = value
                    .as_ref()
                    .map_or_else(String::new, |value| format!(" = {}", self.expr(value)));
                format!("{} {}{value}", self.local_type(*local), self.local(*local))
            }
            FlatStmtKind::Assign(lvalue, value) => {
                format!("{} = {}", self.lvalue(lvalue), self.expr(value))
            }
            FlatStmtKind::Push(array, element) => {
                let element = element.as_ref().map_or(String::new(), |e| self.expr(e));
                format!("{}.push({element})", self.lvalue(array))
            }
            FlatStmtKind::Pop(array) => format!("{}.pop()", self.lvalue(array)),
            FlatStmtKind::Resize(array, length) => {
                format!("{}.length = {}", self.lvalue(array), self.expr(length))
            }
            FlatStmtKind::Evaluate(expr) => self.expr(expr),
            FlatStmtKind::Leave(id) => format!("leave {}", label(*id)),
            FlatStmtKind::Require(condition, why) => {
                format!("require({}){}", self.expr(condition), reason(why))
            }
            FlatStmtKind::Revert(why) => format!("revert{}", reason(why)),
            FlatStmtKind::Call {
                routine,
                arguments,
                results,
            } => self.called(self.routine_name(*routine), arguments, results),
            FlatStmtKind::Opaque {
                function,
                arguments,
                results,
            } => {
                let opaque = self.contract.opaque.get(function.index());
                let name = opaque.map_or("?", |opaque| &opaque.name);
                self.called(&format!("opaque {name}"), arguments, results)
            }
            FlatStmtKind::Decode(data, results) => {
                self.called("abi.decode", std::slice::from_ref(data), results)
            }
            FlatStmtKind::Outside(outside) => self.outside(outside),
            FlatStmtKind::CallSelf {
                routine,
                arguments,
                value,
                results,
                ..
            } => {
                let name = self.routine_name(*routine);
                let value = self.ether(value.as_ref());
                self.called(&format!("this.{name}{value}"), arguments, results)
            }
            FlatStmtKind::Havoc(local) => format!("{} = any", self.local(*local)),
            FlatStmtKind::HavocMemory(object) => format!("{} := any", self.expr(object)),
            FlatStmtKind::If(..)
            | FlatStmtKind::While(..)
            | FlatStmtKind::Labelled(..)
            | FlatStmtKind::Try { .. } => String::new(),
        }
    }

    fn routine_name(&self, id: RoutineId) -> &str {
        let routine = self.contract.routine(id);
        routine.map_or("?", |routine| &routine.name)
    }

    fn called(&self, name: &str, arguments: &[FlatExpr], results: &[LocalId]) -> String {
        format!(
            "{}{name}({})",
            self.received(results),
            self.exprs(arguments)
        )
    }

    fn received(&self, results: &[LocalId]) -> String {
        if results.is_empty() {
            return String::new();
        }
        let names: Vec<&str> = results.iter().map(|local| self.local(*local)).collect();
        format!("{} = ", names.join(", "))
    }

    fn ether(&self, value: Option<&FlatExpr>) -> String {
        value.map_or_else(String::new, |value| {
            format!("{{value: {}}}", self.expr(value))
        })
    }

    fn outside(&self, outside: &Outside) -> String {
        let target = outside.target.as_ref();
        let target = target.map_or_else(String::new, |target| format!("{}.", self.expr(target)));
        let name = match &outside.kind {
            OutsideKind::Function {
                contract,
                signature,
                is_static,
                ..
            } => {
                let is_static = if *is_static { " view" } else { "" };
                format!("{contract}.{signature}{is_static} of {target}")
            }
            OutsideKind::Transfer => format!("{target}transfer"),
            OutsideKind::Send => format!("{target}send"),
            OutsideKind::Call => format!("{target}call"),
            OutsideKind::StaticCall => format!("{target}staticcall"),
            OutsideKind::Create { contract } => format!("new {contract}"),
            OutsideKind::Unimplemented { name } => format!("unimplemented {name}"),
        };
        let success = outside.success;
        let success = success.map_or_else(String::new, |local| format!(" ? {}", self.local(local)));
        let (received, value) = (
            self.received(&outside.results),
            self.ether(outside.value.as_ref()),
        );
        let arguments = self.exprs(&outside.arguments);
        format!("{received}ask {name}{value}({arguments}){success}")
    }
}

fn label(id: LabelId) -> String {
    format!("'{}", id.index())
}

fn reason(why: &Why) -> String {
    match why {
        Why::Require(None) => String::new(),
        Why::Require(Some(message)) => format!(" or {message:?}"),
        Why::Error(name) => format!(" or {name}"),
        Why::Assert => " or assert".to_owned(),
        Why::Panic(code) => format!(" or panic {code:#04x}"),
        Why::Assembly => " or assembly".to_owned(),
    }
}
