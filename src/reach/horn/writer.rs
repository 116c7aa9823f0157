//! The clauses of procedures.

use std::collections::{BTreeMap, BTreeSet};

use super::shared::{Shared, line};
use crate::boogie::typed::{BoogieType, GlobalId, TypedExpr, TypedExprKind, VariableRef};
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure, internal};
use crate::reach::effects::GlobalEffects;
use crate::reach::encode::{Callees, Style, Vc};
use crate::reach::error::Result;
use crate::reach::graph::{Cmd, NodeId, Proc, ProcId, Simple};
use crate::reach::program::PreparedEntry;
use crate::reach::segments::{cut_points, liveness, locals, remember_inputs, segment};

/// A point with a predicate: its name and the variables it speaks of.
struct Point {
    name: String,
    vars: Vec<VariableRef>,
}

impl Point {
    /// What cannot be reached if the clauses have a solution.
    const FALSE: &'static str = "false";

    fn is_false(&self) -> bool {
        self.name == Point::FALSE
    }
}

/// A procedure while its clauses are written.
struct Cut<'a> {
    proc: &'a Proc,
    /// The points with predicates.
    points: BTreeMap<NodeId, Point>,
    /// The variables whose values matter at the beginning of each node.
    live: Table<NodeId, BTreeSet<VariableRef>>,
}

pub(super) struct HornWriter<'a, 'p> {
    entry: &'a PreparedEntry<'p>,
    declarations: String,
    rules: String,
    shared: Shared,
    /// The summaries of recursive procedures.
    summaries: BTreeMap<ProcId, String>,
    /// Recursive procedures whose clauses are still to be written.
    pub(super) waiting: Vec<(ProcId, String)>,
    predicates: u32,
}

/// `(f a b)`, or `f` if there are no arguments.
fn applied(name: &str, args: &[String]) -> String {
    match args.is_empty() {
        true => name.to_string(),
        false => format!("({name} {})", args.join(" ")),
    }
}

impl<'a, 'p> HornWriter<'a, 'p> {
    pub(super) fn new(entry: &'a PreparedEntry<'p>) -> Self {
        HornWriter {
            entry,
            declarations: String::new(),
            rules: String::new(),
            shared: Shared::of(&entry.prepared.symbols()),
            summaries: BTreeMap::new(),
            waiting: Vec::new(),
            predicates: 0,
        }
    }

    /// Whether anything may go round, or recur.
    pub(super) fn has_points(&self) -> bool {
        self.predicates > 0
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

impl HornWriter<'_, '_> {
    fn sort(&self, ty: &BoogieType) -> Result<String> {
        self.entry.prepared.symbols().sort(ty)
    }

    fn global_type(&self, global: GlobalId) -> Result<BoogieType, Internal> {
        Ok(self.entry.prepared.typed.globals.at(global)?.ty.clone())
    }

    fn ty(&self, proc: &Proc, var: VariableRef) -> Result<BoogieType, Internal> {
        match var {
            VariableRef::Local(i) => Ok(proc.vars.at(i)?.ty.clone()),
            VariableRef::Global(i) => self.global_type(i),
        }
    }

    /// Declares a predicate over values of these types, and the constants.
    fn predicate(&mut self, types: &[BoogieType]) -> Result<String> {
        let name = format!("P{}", self.predicates);
        self.predicates += 1;
        let consts = self.shared.consts.iter();
        let mut sorts: Vec<String> = consts.map(|(_, s)| s.clone()).collect();
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

    /// The head of a rule: the predicate of a point at values.
    fn head(&self, point: &Point, values: &[String]) -> String {
        match point.is_false() {
            true => Point::FALSE.to_string(),
            false => self.atom(&point.name, values),
        }
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
    fn summary_types(&self, number: ProcId) -> Result<Vec<BoogieType>, Internal> {
        let effects = self.entry.effects(number)?;
        let mut types = self.entry.param_types(number)?;
        for global in &effects.uses {
            types.push(self.global_type(*global)?);
        }
        types.extend(self.entry.result_types(number)?);
        for global in &effects.writes {
            types.push(self.global_type(*global)?);
        }
        Ok(types)
    }

    fn summary(&mut self, number: ProcId) -> Result<String> {
        if let Some(name) = self.summaries.get(&number) {
            return Ok(name.clone());
        }
        let types = self.summary_types(number)?;
        let name = self.predicate(&types)?;
        self.summaries.insert(number, name.clone());
        self.waiting.push((number, name.clone()));
        Ok(name)
    }

    /// The clauses of a flattened procedure: of a recursive one with its number and summary, or of the entry.
    pub(super) fn procedure(
        &mut self,
        mut proc: Proc,
        summary: Option<(ProcId, String)>,
    ) -> Result<()> {
        let mut at_exit: Vec<VariableRef> = Vec::new();
        if let Some((number, _)) = &summary {
            let effects = self.entry.effects(*number)?.clone();
            at_exit = remember_inputs(&mut proc, &effects, |g| self.global_type(g))?;
            at_exit.extend(proc.outs.iter().map(|o| VariableRef::Local(*o)));
            at_exit.extend(effects.writes.iter().map(|g| VariableRef::Global(*g)));
        }
        let mut cut = Cut {
            proc: &proc,
            points: BTreeMap::new(),
            live: liveness(&proc, &at_exit, self.entry)?,
        };
        for n in cut_points(&proc)? {
            if n == proc.exit {
                continue;
            }
            let vars: Vec<VariableRef> = cut.live.at(n)?.iter().copied().collect();
            let types = vars.iter().map(|v| self.ty(&proc, *v));
            let types = types.collect::<Result<Vec<BoogieType>, _>>()?;
            let name = self.predicate(&types)?;
            cut.points.insert(n, Point { name, vars });
        }
        let end = Point {
            name: summary.map_or(Point::FALSE.into(), |(_, name)| name),
            vars: at_exit,
        };
        cut.points.insert(proc.exit, end);
        let mut starts: BTreeSet<NodeId> = cut.points.keys().copied().collect();
        starts.remove(&proc.exit);
        starts.insert(proc.entry());
        for start in starts {
            match proc.nodes.at(start)?.is_lone_call {
                true => self.call(&cut, start)?,
                false => self.segments(&cut, start)?,
            }
        }
        Ok(())
    }

    /// The clauses from one point to every next one.
    fn segments(&mut self, cut: &Cut<'_>, start: NodeId) -> Result<()> {
        let exit = cut.proc.exit;
        let from = cut.points.get(&start).filter(|_| start != exit);
        let ins: Vec<VariableRef> = match from {
            Some(point) => point.vars.clone(),
            None => cut.live.at(start)?.iter().copied().collect(),
        };
        let all: BTreeSet<NodeId> = cut.points.keys().copied().collect();
        for (target, point) in &cut.points {
            let outs = match point.is_false() {
                true => &[][..],
                false => &point.vars,
            };
            if let Some(piece) = segment(cut.proc, start, *target, &all, &ins, outs)? {
                self.segment(&piece, from, point, &ins, outs)?;
            }
        }
        Ok(())
    }

    /// The clause of a piece between two points; the first is none at the beginning of the procedure.
    fn segment(
        &mut self,
        piece: &Proc,
        from: Option<&Point>,
        to: &Point,
        ins: &[VariableRef],
        outs: &[VariableRef],
    ) -> Result<()> {
        // Globals that only the results speak of are among what the piece is given, for it may not touch them.
        let effects = GlobalEffects {
            uses: globals(ins).chain(globals(outs)).collect(),
            writes: globals(outs).collect(),
        };
        let vc = self
            .entry
            .passive_form(piece, &effects, Style::Clause)?
            .vc()?;
        let names = ClauseNames::of(&vc, piece, &effects, outs)?;
        let mut body: Vec<String> = Vec::new();
        match from {
            Some(point) => body.push(self.atom(&point.name, &names.ins(&point.vars)?)),
            None => body.extend(self.shared.facts.iter().cloned()),
        }
        for fact in &vc.facts {
            let mut text = String::new();
            fact.render(&mut text, &|symbol, out| {
                out.push_str(&ClauseNames::of_symbol(symbol.index()));
                Ok(())
            })?;
            body.push(text);
        }
        let head = match to.is_false() {
            true => Point::FALSE.to_string(),
            false => self.head(to, &names.outs(&to.vars)?),
        };
        self.rule(&names.bound, &body, &head);
        Ok(())
    }

    /// The clause of a recursive call.
    fn call(&mut self, cut: &Cut<'_>, at: NodeId) -> Result<()> {
        let node = cut.proc.nodes.at(at)?;
        let [
            Cmd {
                kind: Simple::Call { callee, args, outs },
                ..
            },
        ] = node.cmds.as_slice()
        else {
            return Err(internal("a lone call is not alone").into());
        };
        let before = cut.points.get(&at).sure()?;
        let after = node
            .succs
            .first()
            .and_then(|next| cut.points.get(next))
            .sure()?;
        let summary = self.summary(*callee)?;
        let effects = self.entry.effects(*callee)?.clone();
        let mut bound: BTreeMap<String, String> = BTreeMap::new();
        let mut old = |writer: &Self, var: VariableRef| -> Result<String> {
            let name = match var {
                VariableRef::Local(i) => format!("l{}", i.index()),
                VariableRef::Global(i) => format!("g{}", i.index()),
            };
            bound.insert(name.clone(), writer.sort(&writer.ty(cut.proc, var)?)?);
            Ok(name)
        };
        let mut before_values = Vec::new();
        for var in &before.vars {
            before_values.push(old(self, *var)?);
        }
        let mut values = Vec::new();
        for arg in args {
            let Some(TypedExpr {
                kind: TypedExprKind::Var(var),
                ..
            }) = arg
            else {
                return Err(internal("an argument of a lone call is no variable").into());
            };
            values.push(old(self, *var)?);
        }
        for global in &effects.uses {
            values.push(old(self, VariableRef::Global(*global))?);
        }
        // What the call gives a value gets a new name.
        let mut renamed: BTreeMap<VariableRef, String> = BTreeMap::new();
        let mut after_values = Vec::new();
        for var in &after.vars {
            after_values.push((*var, old(self, *var)?));
        }
        let results = outs.iter().zip(self.entry.result_types(*callee)?);
        for (i, (out, ty)) in results.enumerate() {
            let name = format!("r{i}");
            bound.insert(name.clone(), self.sort(&ty)?);
            if let Some(var) = out {
                renamed.insert(*var, name.clone());
            }
            values.push(name);
        }
        for global in &effects.writes {
            let name = format!("w{}", global.index());
            let var = VariableRef::Global(*global);
            bound.insert(name.clone(), self.sort(&self.ty(cut.proc, var)?)?);
            renamed.insert(var, name.clone());
            values.push(name);
        }
        let body = [
            self.atom(&before.name, &before_values),
            self.atom(&summary, &values),
        ];
        let now = |(var, name)| renamed.get(&var).cloned().unwrap_or(name);
        let after_values: Vec<String> = after_values.into_iter().map(now).collect();
        let head = self.head(after, &after_values);
        let bound: Vec<(String, String)> = bound.into_iter().collect();
        self.rule(&bound, &body, &head);
        Ok(())
    }
}

/// What the symbols of a piece's verification condition are called in its clause: the guard, which is true there, the
/// parameters, the results, and its own.
struct ClauseNames {
    ins: Vec<VariableRef>,
    outs: Vec<VariableRef>,
    /// All but the guard, with their sorts.
    bound: Vec<(String, String)>,
}

impl ClauseNames {
    fn of(
        vc: &Vc,
        piece: &Proc,
        effects: &GlobalEffects,
        outs: &[VariableRef],
    ) -> Result<Self, Internal> {
        let by_name = piece.ins.iter().map(|i| VariableRef::Local(*i));
        let globals = effects.uses.iter().map(|g| VariableRef::Global(*g));
        let names = ClauseNames {
            ins: by_name.chain(globals).collect(),
            outs: locals_first(outs),
            bound: vc
                .sorts
                .iter()
                .enumerate()
                .skip(1)
                .map(|(i, sort)| (ClauseNames::of_symbol(i), sort.clone()))
                .collect(),
        };
        match 1 + names.ins.len() + names.outs.len() == vc.interface {
            true => Ok(names),
            false => Err(internal("a clause and its piece have different interfaces")),
        }
    }

    fn of_symbol(index: usize) -> String {
        match index {
            0 => "true".to_string(),
            _ => format!("s{index}"),
        }
    }

    fn position(
        among: &[VariableRef],
        first: usize,
        vars: &[VariableRef],
    ) -> Result<Vec<String>, Internal> {
        let name = |v: &VariableRef| {
            let at = among.iter().position(|w| w == v).sure()?;
            Ok(ClauseNames::of_symbol(at + first))
        };
        vars.iter().map(name).collect()
    }

    /// What variables are called at the beginning.
    fn ins(&self, vars: &[VariableRef]) -> Result<Vec<String>, Internal> {
        ClauseNames::position(&self.ins, 1, vars)
    }

    /// What variables are called at the end.
    fn outs(&self, vars: &[VariableRef]) -> Result<Vec<String>, Internal> {
        ClauseNames::position(&self.outs, 1 + self.ins.len(), vars)
    }
}

fn globals(vars: &[VariableRef]) -> impl Iterator<Item = GlobalId> + '_ {
    vars.iter().filter_map(|v| match v {
        VariableRef::Global(g) => Some(*g),
        VariableRef::Local(_) => None,
    })
}

/// Variables in the order of a verification condition's interface.
fn locals_first(vars: &[VariableRef]) -> Vec<VariableRef> {
    let globals: BTreeSet<GlobalId> = globals(vars).collect();
    let locals = locals(vars).into_iter().map(VariableRef::Local);
    locals
        .chain(globals.into_iter().map(VariableRef::Global))
        .collect()
}
