//! The clauses of procedures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use super::shared::{Shared, line};
use crate::boogie::typed::{Expr, ExprKind, Type, Var};
use crate::reach::effects::Effects;
use crate::reach::encode::{Callees, Style, encode};
use crate::reach::graph::{Cmd, Proc, Simple, Unsupported};
use crate::reach::program::Entry;
use crate::reach::segments::{cut_points, liveness, locals, remember_inputs, segment};

/// A point with a predicate: its name and the variables it speaks of.
struct Point {
    name: String,
    vars: Vec<Var>,
}

pub(super) struct Writer<'a, 'p> {
    entry: &'a Entry<'p>,
    declarations: String,
    rules: String,
    shared: Shared,
    /// The summaries of recursive procedures, by number.
    summaries: BTreeMap<usize, String>,
    /// Recursive procedures whose clauses are still to be written.
    pub(super) waiting: Vec<(usize, String)>,
    predicates: u32,
}

/// `(f a b)`, or `f` if there are no arguments.
fn applied(name: &str, args: &[String]) -> String {
    match args.is_empty() {
        true => name.to_string(),
        false => format!("({name} {})", args.join(" ")),
    }
}

impl<'a, 'p> Writer<'a, 'p> {
    pub(super) fn new(entry: &'a Entry<'p>) -> Self {
        let symbols = entry
            .prepared
            .symbols
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Writer {
            entry,
            declarations: String::new(),
            rules: String::new(),
            shared: Shared::of(&symbols),
            summaries: BTreeMap::new(),
            waiting: Vec::new(),
            predicates: 0,
        }
    }

    /// All that was written, as SMT-LIB commands.
    pub(super) fn text(&self) -> String {
        let shared = &self.shared.text;
        format!(
            "(set-logic HORN)\n{shared}{}{}",
            self.declarations, self.rules
        )
    }
}

impl Writer<'_, '_> {
    fn sort(&self, ty: &Type) -> Result<String, Unsupported> {
        self.entry
            .prepared
            .symbols
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .sort(ty)
    }

    fn ty(&self, proc: &Proc, var: Var) -> Type {
        let ty = match var {
            Var::Local(i) => proc.vars.get(i).map(|(_, ty)| ty),
            Var::Global(i) => self.entry.prepared.typed.globals.get(i).map(|g| &g.ty),
        };
        ty.cloned().unwrap_or(Type::Bool)
    }

    /// Declares a predicate over values of these types, and the constants.
    fn predicate(&mut self, types: &[Type]) -> Result<String, Unsupported> {
        let name = format!("P{}", self.predicates);
        self.predicates += 1;
        let mut sorts = self
            .shared
            .consts
            .iter()
            .map(|(_, s)| s.clone())
            .collect::<Vec<_>>();
        for ty in types {
            sorts.push(self.sort(ty)?);
        }
        line(
            &mut self.declarations,
            &format!("(declare-fun {name} ({}) Bool)", sorts.join(" ")),
        );
        Ok(name)
    }

    /// A predicate at values, and at the constants.
    fn atom(&self, name: &str, values: &[String]) -> String {
        let consts = self.shared.consts.iter().map(|(c, _)| c.clone());
        applied(
            name,
            &consts.chain(values.iter().cloned()).collect::<Vec<_>>(),
        )
    }

    fn rule(&mut self, vars: &[(String, String)], body: &[String], head: &str) {
        let all = self.shared.consts.iter().chain(vars);
        let bound: Vec<String> = all.map(|(name, sort)| format!("({name} {sort})")).collect();
        let kept: Vec<&str> = body
            .iter()
            .filter(|f| self.shared.can_say(f))
            .map(String::as_str)
            .collect();
        let implication = format!("(=> (and true {}) {head})", kept.join(" "));
        let text = match bound.is_empty() {
            true => format!("(assert {implication})"),
            false => format!("(assert (forall ({}) {implication}))", bound.join(" ")),
        };
        line(&mut self.rules, &text);
    }

    /// The interface of a recursive procedure: what it is given, and what it gives back.
    fn summary_types(&self, number: usize) -> Vec<Type> {
        let effects = self.entry.effects(number);
        let global = |g: &usize| {
            self.entry
                .prepared
                .typed
                .globals
                .get(*g)
                .map_or(Type::Bool, |g| g.ty.clone())
        };
        let mut types = self.entry.param_types(number);
        types.extend(effects.uses.iter().map(global));
        types.extend(self.entry.result_types(number));
        types.extend(effects.writes.iter().map(global));
        types
    }

    fn summary(&mut self, number: usize) -> Result<String, Unsupported> {
        if let Some(name) = self.summaries.get(&number) {
            return Ok(name.clone());
        }
        let name = self.predicate(&self.summary_types(number))?;
        self.summaries.insert(number, name.clone());
        self.waiting.push((number, name.clone()));
        Ok(name)
    }

    /// The clauses of a flattened procedure: of a recursive one with its number and summary, or of the entry.
    pub(super) fn procedure(
        &mut self,
        mut proc: Proc,
        summary: Option<(usize, String)>,
    ) -> Result<(), Unsupported> {
        let mut at_exit: Vec<Var> = Vec::new();
        if let Some((number, _)) = &summary {
            let effects = self.entry.effects(*number).clone();
            at_exit = remember_inputs(&mut proc, &effects, |g| {
                self.entry
                    .prepared
                    .typed
                    .globals
                    .get(g)
                    .map_or(Type::Bool, |g| g.ty.clone())
            });
            at_exit.extend(proc.outs.iter().map(|o| Var::Local(*o)));
            at_exit.extend(effects.writes.iter().map(|g| Var::Global(*g)));
        }
        let live = liveness(&proc, &at_exit, self.entry);
        let mut points: BTreeMap<usize, Point> = BTreeMap::new();
        for n in cut_points(&proc) {
            if n == proc.exit {
                continue;
            }
            let vars: Vec<Var> = live.get(&n).into_iter().flatten().copied().collect();
            let types: Vec<Type> = vars.iter().map(|v| self.ty(&proc, *v)).collect();
            let name = self.predicate(&types)?;
            points.insert(n, Point { name, vars });
        }
        let end = Point {
            name: summary.map_or("false".into(), |(_, name)| name),
            vars: at_exit,
        };
        let exit = proc.exit;
        points.insert(exit, end);
        let starts: Vec<usize> = std::iter::once(0)
            .chain(points.keys().copied().filter(|n| *n != exit))
            .collect();
        let starts: BTreeSet<usize> = starts.into_iter().collect();
        for start in starts {
            let lone = proc.nodes.get(start).is_some_and(|n| n.is_lone_call);
            match lone {
                true => self.call(&proc, start, &points)?,
                false => self.segments(&proc, start, &points, &live, exit)?,
            }
        }
        Ok(())
    }

    /// The clauses from one point to every next one.
    fn segments(
        &mut self,
        proc: &Proc,
        start: usize,
        points: &BTreeMap<usize, Point>,
        live: &BTreeMap<usize, BTreeSet<Var>>,
        exit: usize,
    ) -> Result<(), Unsupported> {
        let none = Vec::new();
        let from = points.get(&start).filter(|_| start != exit);
        let ins: Vec<Var> = match from {
            Some(point) => point.vars.clone(),
            None => live.get(&start).into_iter().flatten().copied().collect(),
        };
        let all: BTreeSet<usize> = points.keys().copied().collect();
        for (target, point) in points {
            let outs = if point.name == "false" {
                &none
            } else {
                &point.vars
            };
            let Some(segment) = segment(proc, start, *target, &all, &ins, outs) else {
                continue;
            };
            // The order of a verification condition's interface: local variables, then globals.
            let outs_order = locals_first(outs);
            let effects = Effects {
                uses: globals(&ins).chain(globals(outs)).collect(),
                writes: globals(outs).collect(),
            };
            let vc = {
                let mut symbols = self
                    .entry
                    .prepared
                    .symbols
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let globals = &self.entry.prepared.typed.globals;
                encode(
                    &segment,
                    &effects,
                    Style::Clause,
                    self.entry,
                    globals,
                    &mut symbols,
                )?
            };
            // Symbols: the guard, the parameters (globals that only the results speak of among them), the results.
            let in_vars: Vec<Var> = segment
                .ins
                .iter()
                .map(|i| Var::Local(*i))
                .chain(effects.uses.iter().map(|g| Var::Global(*g)))
                .collect();
            let name = |n: u32| {
                if n == 0 {
                    "true".to_string()
                } else {
                    format!("s{n}")
                }
            };
            let symbol_of_in = |v: &Var| {
                in_vars
                    .iter()
                    .position(|w| w == v)
                    .map_or("true".into(), |i| name(i as u32 + 1))
            };
            let first_out = in_vars.len() as u32 + 1;
            let symbol_of_out = |v: &Var| {
                let at = outs_order.iter().position(|w| w == v);
                at.map_or("true".into(), |i| name(i as u32 + first_out))
            };
            let bound: Vec<(String, String)> = vc
                .sorts
                .iter()
                .enumerate()
                .skip(1)
                .map(|(i, sort)| (name(i as u32), sort.clone()))
                .collect();
            let mut body: Vec<String> = Vec::new();
            match from {
                Some(point) => {
                    let values: Vec<String> = point.vars.iter().map(symbol_of_in).collect();
                    body.push(self.atom(&point.name, &values));
                }
                None => body.extend(self.shared.facts.iter().cloned()),
            }
            for fact in &vc.facts {
                let mut text = String::new();
                fact.render(&mut text, &|n, out| out.push_str(&name(n)));
                body.push(text);
            }
            let head = match point.name.as_str() {
                "false" => "false".to_string(),
                predicate => {
                    let values: Vec<String> = point.vars.iter().map(symbol_of_out).collect();
                    self.atom(predicate, &values)
                }
            };
            self.rule(&bound, &body, &head);
        }
        Ok(())
    }

    /// The clause of a recursive call.
    fn call(
        &mut self,
        proc: &Proc,
        at: usize,
        points: &BTreeMap<usize, Point>,
    ) -> Result<(), Unsupported> {
        let Some(node) = proc.nodes.get(at) else {
            return Ok(());
        };
        let (
            Some(Cmd {
                kind: Simple::Call { callee, args, outs },
                ..
            }),
            Some(next),
        ) = (node.cmds.first(), node.succs.first())
        else {
            return Ok(());
        };
        let (Some(before), Some(after)) = (points.get(&at), points.get(next)) else {
            return Ok(());
        };
        let summary = self.summary(*callee)?;
        let effects = self.entry.effects(*callee).clone();
        let mut bound: BTreeMap<String, String> = BTreeMap::new();
        let mut old = |writer: &Self, var: Var| -> Result<String, Unsupported> {
            let name = match var {
                Var::Local(i) => format!("l{i}"),
                Var::Global(i) => format!("g{i}"),
            };
            bound.insert(name.clone(), writer.sort(&writer.ty(proc, var))?);
            Ok(name)
        };
        let mut before_values = Vec::new();
        for var in &before.vars {
            before_values.push(old(self, *var)?);
        }
        let mut values = Vec::new();
        for arg in args {
            if let Some(Expr {
                kind: ExprKind::Var(var),
                ..
            }) = arg
            {
                values.push(old(self, *var)?);
            }
        }
        for global in &effects.uses {
            values.push(old(self, Var::Global(*global))?);
        }
        // What the call gives a value gets a new name.
        let mut renamed: BTreeMap<Var, String> = BTreeMap::new();
        let mut after_values = Vec::new();
        for var in &after.vars {
            after_values.push((*var, old(self, *var)?));
        }
        for (i, (out, ty)) in outs
            .iter()
            .zip(self.entry.result_types(*callee))
            .enumerate()
        {
            let name = format!("r{i}");
            bound.insert(name.clone(), self.sort(&ty)?);
            if let Some(var) = out {
                renamed.insert(*var, name.clone());
            }
            values.push(name);
        }
        for global in &effects.writes {
            let name = format!("w{global}");
            let var = Var::Global(*global);
            bound.insert(name.clone(), self.sort(&self.ty(proc, var))?);
            renamed.insert(var, name.clone());
            values.push(name);
        }
        let body = [
            self.atom(&before.name, &before_values),
            self.atom(&summary, &values),
        ];
        let after_values: Vec<String> = after_values
            .into_iter()
            .map(|(var, name)| renamed.get(&var).cloned().unwrap_or(name))
            .collect();
        let head = match after.name.as_str() {
            "false" => "false".to_string(),
            predicate => self.atom(predicate, &after_values),
        };
        let bound: Vec<(String, String)> = bound.into_iter().collect();
        self.rule(&bound, &body, &head);
        Ok(())
    }
}

fn globals(vars: &[Var]) -> impl Iterator<Item = usize> + '_ {
    vars.iter().filter_map(|v| match v {
        Var::Global(g) => Some(*g),
        Var::Local(_) => None,
    })
}

/// Variables in the order of a verification condition's interface.
fn locals_first(vars: &[Var]) -> Vec<Var> {
    let globals: BTreeSet<usize> = globals(vars).collect();
    locals(vars)
        .into_iter()
        .map(Var::Local)
        .chain(globals.into_iter().map(Var::Global))
        .collect()
}
