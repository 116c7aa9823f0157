//! The unbounded search: the program as Horn clauses, for Z3's Spacer.
//!
//! The entry is flattened (what it calls is copied into it, all but recursive procedures). There is a predicate for every
//! loop's head, before and behind every recursive call, and for the summary of every recursive procedure: "the
//! execution may come here with these values". Between two such points the graph has no cycle, and is said by its
//! verification condition as everywhere else. If the clauses have a solution, no execution of any length reaches the
//! entry's end.
//!
//! What Spacer cannot do (quantifiers, functions without a definition) is left out of the clauses. That allows more
//! executions, so a solution is a proof all the same; a derivation is only a hint, to be confirmed by an execution.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::time::Instant;

use super::effects::Effects;
use super::encode::{Callees, Style, encode};
use super::flat::flatten;
use super::graph::{Cmd, Proc, Simple, Unsupported};
use super::program::Entry;
use super::segments::{cut_points, liveness, locals, remember_inputs, segment};
use super::smt::{Check, Config, Failure, Smt};
use super::symbols::Symbols;
use crate::boogie::typed::{Expr, ExprKind, Type, Var};

/// What the clauses say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The end cannot be reached.
    Unreachable,
    /// There is a derivation of the end.
    Reachable,
    /// Spacer does not know, or the program is too large for it.
    Unknown,
}

/// Asks whether the end of the entry can be reached at all.
///
/// # Errors
///
/// The solver fails.
pub fn solve(entry: &Entry<'_>, config: &Config, deadline: Instant) -> Result<Outcome, Failure> {
    let Ok(clauses) = clauses(entry) else {
        return Ok(Outcome::Unknown);
    };
    let mut smt = Smt::start(config).map_err(|e| Failure::Died(e.to_string()))?;
    smt.say(&clauses);
    match smt.check(&[], deadline) {
        Ok(Check::Sat) => Ok(Outcome::Unreachable),
        Ok(Check::Unsat) => Ok(Outcome::Reachable),
        Ok(Check::Unknown(_)) | Err(Failure::Timeout) => Ok(Outcome::Unknown),
        Err(failure) => Err(failure),
    }
}

/// The clauses, as SMT-LIB commands.
///
/// # Errors
///
/// A construct that the engine cannot do, or a program that is too large.
pub fn clauses(entry: &Entry<'_>) -> Result<String, Unsupported> {
    let mut writer = Writer {
        entry,
        declarations: String::new(),
        rules: String::new(),
        shared: Shared::default(),
        summaries: BTreeMap::new(),
        waiting: Vec::new(),
        predicates: 0,
    };
    {
        let symbols = entry
            .prepared
            .symbols
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        writer.shared = Shared::of(&symbols);
    }
    let root = flatten(entry, entry.whole_root()?)?;
    writer.procedure(root, None)?;
    while let Some((number, summary)) = writer.waiting.pop() {
        let proc = flatten(entry, entry.whole_proc(number)?)?;
        writer.procedure(proc, Some((number, summary)))?;
    }
    Ok(format!(
        "(set-logic HORN)\n{}{}{}",
        writer.shared.text, writer.declarations, writer.rules
    ))
}

/// What all clauses share: sorts, definitions, and the constants, which every predicate carries along.
#[derive(Default)]
struct Shared {
    text: String,
    consts: Vec<(String, String)>,
    /// Facts about the constants.
    facts: Vec<String>,
    /// Names of functions that mean nothing here.
    opaque: Vec<String>,
}

impl Shared {
    fn of(symbols: &Symbols) -> Self {
        let mut shared = Shared {
            consts: symbols.declared_consts.clone(),
            ..Shared::default()
        };
        for command in &symbols.commands {
            let mut words = command.trim_start_matches('(').splitn(3, ' ');
            let (verb, name) = (words.next().unwrap_or(""), quoted_name(command));
            match verb {
                // Nothing is known of its values but whether they are equal; integers will do.
                "declare-sort" => {
                    let arity = command
                        .trim_end_matches(')')
                        .rsplit(' ')
                        .next()
                        .and_then(|n| n.parse().ok());
                    let params: Vec<String> = (0..arity.unwrap_or(0))
                        .map(|i: u32| format!("t{i}"))
                        .collect();
                    line(
                        &mut shared.text,
                        &format!("(define-sort {name} ({}) Int)", params.join(" ")),
                    );
                }
                "define-fun" if shared.can_say(command) => line(&mut shared.text, command),
                "define-fun" | "declare-fun" => shared.opaque.push(name.to_string()),
                "assert" if shared.can_say(command) => {
                    let fact = command
                        .strip_prefix("(assert ")
                        .and_then(|c| c.strip_suffix(')'));
                    shared.facts.extend(fact.map(str::to_string));
                }
                _ => {}
            }
        }
        shared
    }

    /// Is there nothing in the text that Spacer cannot do?
    fn can_say(&self, text: &str) -> bool {
        let binders = ["(forall ", "(exists ", "(lambda "];
        !binders.iter().any(|b| text.contains(b))
            && !self.opaque.iter().any(|name| text.contains(name.as_str()))
    }
}

/// The name a command declares, with its bars.
fn quoted_name(command: &str) -> &str {
    let from = command.find('|').unwrap_or(0);
    let rest = command.get(from + 1..).unwrap_or("");
    let to = rest.find('|').map_or(command.len(), |i| from + i + 2);
    command.get(from..to).unwrap_or("")
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// A point with a predicate: its name and the variables it speaks of.
struct Point {
    name: String,
    vars: Vec<Var>,
}

struct Writer<'a, 'p> {
    entry: &'a Entry<'p>,
    declarations: String,
    rules: String,
    shared: Shared,
    /// The summaries of recursive procedures, by number.
    summaries: BTreeMap<usize, String>,
    /// Recursive procedures whose clauses are still to be written.
    waiting: Vec<(usize, String)>,
    predicates: u32,
}

/// `(f a b)`, or `f` if there are no arguments.
fn applied(name: &str, args: &[String]) -> String {
    match args.is_empty() {
        true => name.to_string(),
        false => format!("({name} {})", args.join(" ")),
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
    fn procedure(
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
