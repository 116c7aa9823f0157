//! A program with type parameters as one without.
//!
//! Functions and procedures are copied for the types they are used at. A map type with type parameters is known at the
//! types of its accesses, and at [one type](OTHER) that stands for all others. A quantifier over types becomes a
//! conjunction (or disjunction) over those types at which its functions and maps are used, found by [`matching`], and
//! that other type. What is used at a type can depend on what a quantifier says at another, so this is repeated until
//! nothing new is found; types nested deeper than those the text leads to by itself are left out.

mod matching;
mod retype;

use std::collections::{BTreeMap, BTreeSet};

use super::datatypes;
use super::error::{ReachError, Result, Unsupported};
use crate::boogie::ast::{ChainOp, Pos, QuantKind};
use crate::boogie::typed::{
    BinOp, BoogieType, CmdKind, FunctionId, MapType, ProcedureId, Quantified, TypeCon, TypedBody,
    TypedCmd, TypedExpr, TypedExprKind, TypedFunction, TypedProcedure, TypedProgram,
};
use crate::internal::internal;
pub(super) use retype::{change_types, replace_types};
use retype::{cmd_exprs, for_types};

/// The name of the type that stands for all types the program does not mention. No program can declare it.
const OTHER: &str = "any other type";

/// How often new types may lead to more.
const MAX_ROUNDS: usize = 12;

/// How many copies, and how many instances of quantifiers, may be made.
const MAX_INSTANCES: usize = 4_000;

/// How deep the types that datatypes are made of may nest.
const MAX_HEIGHT: usize = 20;

/// At how many types an entry with type parameters is tried.
const MAX_MAINS: usize = 64;

/// The types at which map types with type parameters are used.
pub(super) type MapInstances = BTreeMap<MapType, BTreeSet<Vec<BoogieType>>>;

/// A program without type parameters.
pub(super) struct Mono {
    /// The program. Functions and procedures keep their numbers, copies come behind; those with type parameters are
    /// still there, and nothing uses them.
    pub program: TypedProgram,
    /// What is left to the encoding: maps with type parameters.
    pub maps: MapInstances,
    /// The copies of the entry that was asked for; itself, if it has no type parameters.
    pub mains: Vec<ProcedureId>,
}

/// What is used at which types.
#[derive(Clone, Default, PartialEq)]
struct UsedTypes {
    types: BTreeSet<BoogieType>,
    functions: BTreeSet<(FunctionId, Vec<BoogieType>)>,
    maps: MapInstances,
}

/// Takes the type parameters out of a program, of whose procedures `main` is the one asked about.
///
/// # Errors
///
/// A program that would need too many copies.
pub(super) fn monomorphic(mut program: TypedProgram, main: Option<ProcedureId>) -> Result<Mono> {
    if !has_type_params(&program) {
        return Ok(Mono {
            program,
            maps: MapInstances::new(),
            mains: main.into_iter().collect(),
        });
    }
    let other = new_type(&mut program, OTHER.into());
    let main_params = match main {
        Some(main) => program.procedures.at(main)?.type_params.len(),
        None => 0,
    };
    let opaque: Vec<BoogieType> = (0..main_params)
        .map(|i| new_type(&mut program, format!("type parameter {i}")))
        .collect();
    let mut seen = UsedTypes::default();
    let mut mains = vec![opaque.clone()];
    let mut depth = 0;
    for round in 0..MAX_ROUNDS {
        let mut maker = Maker {
            source: &program,
            other: &other,
            seen: &seen,
            depth,
            found: UsedTypes::default(),
            made: program.clone(),
            functions: BTreeMap::new(),
            procedures: BTreeMap::new(),
            work: Vec::new(),
            instances: 0,
        };
        let main_numbers = maker.run(main, &mains)?;
        if round > 0 && maker.found == seen {
            let maps = maker.found.maps;
            return Ok(Mono {
                program: maker.made,
                maps,
                mains: main_numbers,
            });
        }
        let Maker { found, .. } = maker;
        if round == 0 {
            depth = 1 + found.types.iter().map(height).max().unwrap_or(0);
            let named = found.types.iter().filter(|t| **t != other);
            let named: BTreeSet<BoogieType> = named
                .filter(|t| !opaque.iter().any(|o| t.any(&|part| part == o)))
                .cloned()
                .collect();
            let tuples = matching::product(&vec![&named; main_params], MAX_MAINS);
            mains.extend(tuples.into_iter().flatten().filter(|t| !t.is_empty()));
        }
        seen = found;
    }
    Err(too_many(Pos::default()))
}

fn too_many(pos: Pos) -> ReachError {
    let what = "the program uses its type parameters at too many types";
    Unsupported::new(pos, what).into()
}

fn new_type(program: &mut TypedProgram, name: String) -> BoogieType {
    let con = program.types.push(TypeCon {
        name,
        arity: 0,
        constructors: None,
    });
    BoogieType::Con(con, Vec::new())
}

fn height(ty: &BoogieType) -> usize {
    1 + match ty {
        BoogieType::Con(_, args) => args.iter().map(height).max().unwrap_or(0),
        BoogieType::Map(m) => m
            .domain
            .iter()
            .chain([&m.range])
            .map(height)
            .max()
            .unwrap_or(0),
        _ => 0,
    }
}

fn is_map_with_params(ty: &BoogieType) -> bool {
    matches!(ty, BoogieType::Map(m) if m.params > 0)
}

/// Does anything in the program have type parameters?
fn has_type_params(program: &TypedProgram) -> bool {
    let mut found = program.functions.iter().any(|f| !f.type_params.is_empty())
        || program.procedures.iter().any(|p| !p.type_params.is_empty());
    let mut look = |ty: &BoogieType| found |= ty.any(&is_map_with_params);
    program.consts.iter().for_each(|c| look(&c.ty));
    let vars = program
        .globals
        .iter()
        .chain(program.procedures.iter().flat_map(|p| &p.vars));
    vars.for_each(|v| look(&v.ty));
    for f in &program.functions {
        f.params
            .iter()
            .map(|(_, t)| t)
            .chain([&f.result])
            .for_each(&mut look);
    }
    let mut look = |e: &TypedExpr| {
        e.visit(&mut |e| {
            found |= e.ty.any(&is_map_with_params);
            found |= matches!(&e.kind, TypedExprKind::Quantified(q) if !q.type_params.is_empty());
        });
    };
    program.axioms.iter().for_each(|a| look(&a.expr));
    program
        .functions
        .iter()
        .filter_map(|f| f.body.as_ref())
        .for_each(&mut look);
    program
        .globals
        .iter()
        .filter_map(|g| g.where_.as_ref())
        .for_each(&mut look);
    for p in &program.procedures {
        p.vars
            .iter()
            .filter_map(|v| v.where_.as_ref())
            .for_each(&mut look);
        p.requires
            .iter()
            .chain(&p.ensures)
            .for_each(|c| look(&c.expr));
        let cmds = p.body.iter().flat_map(|b| &b.blocks).flat_map(|b| &b.cmds);
        cmds.flat_map(TypedCmd::exprs).for_each(&mut look);
    }
    found
}

/// What is still to be gone through.
enum Work {
    Function(FunctionId),
    Procedure(ProcedureId),
}

/// One round: the whole program, with what the last round found.
struct Maker<'a> {
    source: &'a TypedProgram,
    other: &'a BoogieType,
    seen: &'a UsedTypes,
    depth: usize,
    found: UsedTypes,
    made: TypedProgram,
    functions: BTreeMap<(FunctionId, Vec<BoogieType>), FunctionId>,
    procedures: BTreeMap<(ProcedureId, Vec<BoogieType>), ProcedureId>,
    work: Vec<Work>,
    instances: usize,
}

impl Maker<'_> {
    fn run(
        &mut self,
        main: Option<ProcedureId>,
        at: &[Vec<BoogieType>],
    ) -> Result<Vec<ProcedureId>> {
        let source = self.source;
        source.consts.iter().try_for_each(|c| self.note(&c.ty))?;
        let constructors = source.types.iter().filter_map(|t| t.constructors.as_ref());
        let mut fields = constructors.flatten().flat_map(|c| &c.fields);
        fields.try_for_each(|f| self.note(&f.ty))?;
        let mut globals = source.globals.clone();
        for global in &mut globals {
            self.note(&global.ty)?;
            global.where_.as_mut().map_or(Ok(()), |e| self.expr(e))?;
        }
        self.made.globals = globals;
        let mut axioms = source.axioms.clone();
        for axiom in &mut axioms {
            self.axiom(&mut axiom.expr)?;
        }
        self.made.axioms = axioms;
        for (i, f) in source.functions.pairs() {
            if f.type_params.is_empty() {
                self.work.push(Work::Function(i));
            }
        }
        for (i, p) in source.procedures.pairs() {
            if p.type_params.is_empty() {
                self.work.push(Work::Procedure(i));
            }
        }
        let mut mains = Vec::new();
        for types in at {
            mains.extend(main.map(|m| self.procedure(m, types)).transpose()?);
        }
        while let Some(work) = self.work.pop() {
            match work {
                Work::Function(i) => self.function_parts(i)?,
                Work::Procedure(i) => self.procedure_parts(i)?,
            }
        }
        Ok(mains)
    }

    /// Notes that a type is used.
    fn note(&mut self, ty: &BoogieType) -> Result<()> {
        // What mentions a type parameter of a map around it is no type by itself.
        if ty.is_open(0) || ty.any(&|t| matches!(t, BoogieType::Param(_))) {
            return Ok(());
        }
        if !self.found.types.insert(ty.clone()) {
            return Ok(());
        }
        match ty {
            BoogieType::Con(con, args) => {
                args.iter().try_for_each(|t| self.note(t))?;
                // A datatype that is made of ever larger types is refused when it is declared.
                if height(ty) <= MAX_HEIGHT {
                    let fields = datatypes::field_types(self.source, *con, args)?;
                    fields.iter().try_for_each(|t| self.note(t))?;
                }
            }
            BoogieType::Map(m) => {
                if m.params > 0 {
                    let others = vec![self.other.clone(); m.params as usize];
                    self.map_at(m, &others)?;
                } else {
                    let mut parts = m.domain.iter().chain([&m.range]);
                    parts.try_for_each(|t| self.note(t))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn map_at(&mut self, map: &MapType, types: &[BoogieType]) -> Result<()> {
        let known = self.found.maps.entry(map.clone()).or_default();
        if known.insert(types.to_vec()) {
            let (domain, range) = map.open(types);
            let mut parts = domain.iter().chain([&range]);
            parts.try_for_each(|t| self.note(t))?;
        }
        Ok(())
    }

    fn count(&mut self, pos: Pos) -> Result<()> {
        self.instances += 1;
        match self.instances > MAX_INSTANCES {
            true => Err(too_many(pos)),
            false => Ok(()),
        }
    }

    /// The number of a function at types.
    fn function(&mut self, index: FunctionId, types: &[BoogieType]) -> Result<FunctionId> {
        let key = (index, types.to_vec());
        if let Some(number) = self.functions.get(&key) {
            return Ok(*number);
        }
        let f = self.source.functions.at(index)?;
        self.count(f.pos)?;
        let open = |ty: &BoogieType| ty.substitute(&f.type_params, types);
        let shown: Vec<String> = types.iter().map(|t| t.show(&self.source.types)).collect();
        let mut body = f.body.clone();
        if let Some(body) = &mut body {
            replace_types(body, &f.type_params, types);
        }
        let copy = TypedFunction {
            name: format!("{}<{}>", f.name, shown.join(",")),
            pos: f.pos,
            type_params: Vec::new(),
            params: f.params.iter().map(|(n, t)| (*n, open(t))).collect(),
            result: open(&f.result),
            body,
            builtin: f.builtin.clone(),
        };
        let number = self.made.functions.push(copy);
        self.functions.insert(key.clone(), number);
        self.found.functions.insert(key);
        self.work.push(Work::Function(number));
        Ok(number)
    }

    fn function_parts(&mut self, index: FunctionId) -> Result<()> {
        let f = self.made.functions.at_mut(index)?;
        let mut body = f.body.take();
        let types: Vec<BoogieType> = f
            .params
            .iter()
            .map(|(_, t)| t)
            .chain([&f.result])
            .cloned()
            .collect();
        types.iter().try_for_each(|t| self.note(t))?;
        if let Some(body) = &mut body {
            self.expr(body)?;
        }
        self.made.functions.at_mut(index)?.body = body;
        Ok(())
    }

    /// The number of a procedure at types.
    fn procedure(&mut self, index: ProcedureId, types: &[BoogieType]) -> Result<ProcedureId> {
        let key = (index, types.to_vec());
        if types.is_empty() {
            return Ok(index);
        }
        if let Some(number) = self.procedures.get(&key) {
            return Ok(*number);
        }
        let p = self.source.procedures.at(index)?;
        self.count(p.pos)?;
        let mut copy = p.clone();
        let params = std::mem::take(&mut copy.type_params);
        for_types(&mut copy, &mut |ty| *ty = ty.substitute(&params, types));
        let number = self.made.procedures.push(copy);
        self.procedures.insert(key, number);
        self.work.push(Work::Procedure(number));
        Ok(number)
    }

    fn procedure_parts(&mut self, index: ProcedureId) -> Result<()> {
        let mut p: TypedProcedure = self.made.procedures.at(index)?.clone();
        for var in &mut p.vars {
            self.note(&var.ty)?;
            var.where_.as_mut().map_or(Ok(()), |e| self.expr(e))?;
        }
        for condition in p.requires.iter_mut().chain(&mut p.ensures) {
            self.expr(&mut condition.expr)?;
        }
        if let Some(TypedBody { blocks, .. }) = &mut p.body {
            for cmd in blocks.iter_mut().flat_map(|b| &mut b.cmds) {
                self.cmd(cmd)?;
            }
        }
        *self.made.procedures.at_mut(index)? = p;
        Ok(())
    }

    fn cmd(&mut self, cmd: &mut TypedCmd) -> Result<()> {
        for e in cmd_exprs(cmd) {
            self.expr(e)?;
        }
        if let CmdKind::Call(call) = &mut cmd.kind {
            call.type_args.iter().try_for_each(|t| self.note(t))?;
            call.callee = self.procedure(call.callee, &call.type_args)?;
            call.type_args.clear();
        }
        Ok(())
    }

    /// An axiom: what it says of types that nothing uses is of no use.
    fn axiom(&mut self, expr: &mut TypedExpr) -> Result<()> {
        match &expr.kind {
            TypedExprKind::Quantified(q)
                if q.kind == QuantKind::Forall && !q.type_params.is_empty() =>
            {
                let at = matching::candidates(q, self.seen, self.depth)?;
                *expr = self.instances(q, &at)?;
                Ok(())
            }
            _ => self.expr(expr),
        }
    }

    fn expr(&mut self, e: &mut TypedExpr) -> Result<()> {
        match &e.kind {
            TypedExprKind::Quantified(q) if !q.type_params.is_empty() => {
                *e = match q.kind {
                    QuantKind::Lambda => self.lambda(q, &e.ty)?,
                    _ => {
                        let mut at = matching::candidates(q, self.seen, self.depth)?;
                        at.insert(vec![self.other.clone(); q.type_params.len()]);
                        self.instances(q, &at)?
                    }
                };
                return Ok(());
            }
            _ => {}
        }
        for child in e.children_mut() {
            self.expr(child)?;
        }
        self.note(&e.ty)?;
        match &mut e.kind {
            TypedExprKind::Call(f, types, _) if !types.is_empty() => {
                *f = self.function(*f, types)?;
                types.clear();
            }
            TypedExprKind::Select(map, _, types) | TypedExprKind::Store(map, _, _, types) => {
                if let (BoogieType::Map(m), false) = (&map.ty, types.is_empty()) {
                    self.map_at(m, types)?;
                }
            }
            // Values of different types differ.
            TypedExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), l, r) if l.ty != r.ty => {
                e.kind = TypedExprKind::Bool(*op == BinOp::Ne);
            }
            TypedExprKind::Quantified(q) => q.vars.iter().try_for_each(|(_, t)| self.note(t))?,
            TypedExprKind::Code(code) => {
                for (block, value) in &mut code.blocks {
                    block.cmds.iter_mut().try_for_each(|c| self.cmd(c))?;
                    value.as_mut().map_or(Ok(()), |e| self.expr(e))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A quantified expression with its type parameters replaced.
    fn at_types(&mut self, q: &Quantified, types: &[BoogieType]) -> Result<Quantified> {
        self.count(q.pos)?;
        let mut copy = Quantified {
            type_params: Vec::new(),
            ..q.clone()
        };
        copy.vars
            .iter_mut()
            .for_each(|(_, t)| *t = t.substitute(&q.type_params, types));
        for e in copy.triggers.iter_mut().flatten().chain([&mut copy.body]) {
            replace_types(e, &q.type_params, types);
            self.expr(e)?;
        }
        copy.vars.iter().try_for_each(|(_, t)| self.note(t))?;
        Ok(copy)
    }

    fn instances(&mut self, q: &Quantified, at: &BTreeSet<Vec<BoogieType>>) -> Result<TypedExpr> {
        let mut all = Vec::new();
        for types in at {
            let copy = self.at_types(q, types)?;
            all.push(match copy.vars.is_empty() {
                true => copy.body,
                false => TypedExpr::bool(TypedExprKind::Quantified(Box::new(copy))),
            });
        }
        let op = match q.kind {
            QuantKind::Exists => ChainOp::Or,
            QuantKind::Forall | QuantKind::Lambda => ChainOp::And,
        };
        Ok(TypedExpr::bool(TypedExprKind::Chain(op, all)))
    }

    /// A lambda with type parameters: one for each types at which the map type is used.
    fn lambda(&mut self, q: &Quantified, ty: &BoogieType) -> Result<TypedExpr> {
        self.note(ty)?;
        let BoogieType::Map(map) = ty else {
            return Err(internal("this lambda is not a map").into());
        };
        let at = self.seen.maps.get(&**map).cloned().unwrap_or_default();
        let mut all = Vec::new();
        for types in at {
            let copy = self.at_types(q, &types)?;
            let (domain, range) = map.open(&types);
            let ty = BoogieType::Map(Box::new(MapType {
                params: 0,
                domain,
                range,
            }));
            let kind = TypedExprKind::Quantified(Box::new(copy));
            all.push((types, TypedExpr { kind, ty }));
        }
        Ok(TypedExpr {
            kind: TypedExprKind::Instances(all),
            ty: ty.clone(),
        })
    }
}
