//! Routines: header, contract, and the variables of the body, each with a name of its own.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::Writer;
use super::names::{first_assignment, place_of};
use super::statement::named_labels;
use crate::ir::slice::Dropped;
use crate::ir::{Control, Place, Routine, RoutineKind, RoutineRef, StmtKind, VarId};
use crate::words::counted;

impl Writer<'_> {
    pub(super) fn routine(&mut self, routine: RoutineRef) {
        let locals = self.named_apart(routine);
        let declared = self.program.routine(routine).clone();
        let class = routine.class;
        let word = match declared.kind {
            RoutineKind::Constructor => "constructor",
            RoutineKind::Action => "action",
            RoutineKind::Procedure => "procedure",
        };
        let mut header = String::new();
        if declared.pure {
            header.push_str("pure ");
        }
        if let Some(control) = declared.control {
            let word = match control {
                Control::Controllable => "controllable ",
                Control::Monitored => "monitored ",
            };
            header.push_str(word);
        }
        header.push_str(word);
        let unnamed = declared.name == self.program.class(class).name;
        if declared.kind != RoutineKind::Constructor || !unnamed {
            let _ = write!(header, " {}", declared.name);
        }
        let params = declared.params.iter().map(|id| {
            let hidden = declared.hidden.contains(id);
            format!(
                "{}{}",
                if hidden { "hidden " } else { "" },
                self.vars(&[*id])
            )
        });
        let params: Vec<String> = params.collect();
        let _ = write!(header, "({})", params.join(", "));
        if !declared.results.is_empty() {
            let _ = write!(header, " returns ({})", self.vars(&declared.results));
        }
        if !declared.outcomes.is_empty() {
            let names = declared
                .outcomes
                .iter()
                .map(|id| self.program.var(*id).name.clone());
            let _ = write!(header, " outcomes {}", names.collect::<Vec<_>>().join(", "));
        }
        self.remark(routine);
        self.line(&header);
        self.clauses(routine, &declared);
        let Some(body) = &declared.body else { return };
        self.labels = named_labels(body);
        // A declaration without a value gives any.
        let declared = body.iter().map_while(|stmt| match &stmt.kind {
            StmtKind::Havoc(Place::Var(id)) if locals.contains(id) => Some(*id),
            _ => None,
        });
        let declared: BTreeSet<VarId> = declared.collect();
        let body = body.get(declared.len()..).unwrap_or_default();
        let begun = locals.iter().filter(|id| !declared.contains(id));
        let begun = begun.filter_map(|id| Some((place_of(first_assignment(body, *id)?), *id)));
        self.begun = begun.collect();
        self.line("{");
        for local in &locals {
            if !self.begun.values().any(|begun| begun == local) {
                let declaration = self.vars(&[*local]);
                self.line(&format!("var {declaration};"));
            }
        }
        self.block(class, body);
        self.line("}");
    }

    fn clauses(&mut self, routine: RoutineRef, declared: &Routine) {
        let class = routine.class;
        if let Some(shown) = &declared.shown {
            self.line(&format!("  shown as \"{shown}\""));
        }
        // Those that were found in the body are for callers from outside: written down, calls inside would be checked for them.
        for clause in declared.written_requires() {
            let clause = self.expr(class, clause);
            self.line(&format!("  requires {clause}"));
        }
        let split = &declared.split;
        if let Some(over) = &split.over {
            let over = self.expr(class, over);
            self.line(&format!("  enabled over {over}"));
        }
        if let Some(under) = &split.under {
            let witness = split.witness.iter().map(|(id, value)| {
                format!(
                    "{} := {}",
                    self.program.var(*id).name,
                    self.expr(class, value)
                )
            });
            let witness: Vec<String> = witness.collect();
            let with = if witness.is_empty() { "" } else { " with " };
            let under = self.expr(class, under);
            self.line(&format!(
                "  enabled under {under}{with}{}",
                witness.join(", ")
            ));
        }
        for clause in &declared.ensures {
            let clause = self.expr(class, clause);
            self.line(&format!("  ensures {clause}"));
        }
        if let (Some(modifies), None) = (&declared.modifies, &declared.body) {
            let paths = modifies.iter().map(|field| {
                let name = &self.program.field(*field).name;
                match field.class == class {
                    true => name.clone(),
                    false => format!("{}.{name}", self.program.class(field.class).name),
                }
            });
            let paths: Vec<String> = paths.collect();
            if !paths.is_empty() {
                self.line(&format!("  modifies {}", paths.join(", ")));
            }
        }
        for exception in &declared.throws {
            let name = self.program.exception(*exception).to_owned();
            self.line(&format!("  throws {name}"));
        }
    }

    /// Where the routine was written, and what was dropped of its body.
    fn remark(&mut self, routine: RoutineRef) {
        let dropped = self.slice.dropped.iter().find_map(|dropped| match dropped {
            Dropped::Statements {
                routine: of,
                dropped,
                all,
                loops,
            } if *of == routine => Some((*dropped, *all, *loops)),
            _ => None,
        });
        self.line("");
        self.comments_before(self.program.routine(routine).span);
        if let Some((dropped, all, loops)) = dropped {
            let ended = match loops {
                0 => String::new(),
                loops => format!("; {} taken to end", counted(loops as u64, "loop")),
            };
            let all = counted(all as u64, "statement");
            self.line(&format!(
                "// dropped: {dropped} of {all}, as nothing that is kept depends on them{ended}"
            ));
        }
    }
}
