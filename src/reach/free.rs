//! A program's declared types as free datatypes: a second try where the solver found no answer.
//!
//! `(forall x: A, y: B :: Left(Pair(x, y)) == x)` and the like have infinite models only, which a solver does not find by
//! itself. Here it is given some: the functions whose arguments can be taken out again become constructors of a datatype, and
//! the equations `f(Pair(x, y)) == e` definitions by cases. Recursive functions that come to an end are said to be
//! definitions, too. Every model of the program so changed is one of the program, so an execution that is found is an
//! execution. But there are fewer models, so that there is none says nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::descent::descending;
use super::inverses::helper;
use super::mono::{MapInstances, change_types};
use crate::boogie::ast::{ChainOp, QuantKind};
use crate::boogie::typed::{
    BinOp, BoogieType, ConstructorField, DatatypeConstructor, FunctionId, SolverFunction, TypeCon,
    TypeId, TypedExpr, TypedExprKind, TypedFunction, TypedProgram,
};
use crate::internal::{Internal, Sure};

/// The changed program.
pub(super) struct Free {
    pub program: TypedProgram,
    pub maps: MapInstances,
    /// The functions that are now defined by themselves, and that come to an end on every value.
    pub structural: BTreeSet<FunctionId>,
}

/// The number of the first parameter of a definition. No checked program reaches it.
const FIRST_PARAM: u32 = 1 << 29;

/// `(forall vars :: f(patterns) == value)`, as the axiom's number and the place of the conjunct in it.
struct Equation {
    place: (usize, usize),
    function: FunctionId,
    patterns: Vec<Pattern>,
    value: TypedExpr,
}

/// An argument on the left of an equation.
enum Pattern {
    Variable(u32),
    /// A function of variables.
    Made(FunctionId, Vec<u32>),
}

/// The program with free datatypes, if there is anything to change.
pub(super) fn free(program: &TypedProgram, maps: &MapInstances) -> Result<Option<Free>, Internal> {
    let equations = equations(program)?;
    let types = constructors(program, maps, &equations)?;
    let descending = descending(program);
    if types.is_empty() && descending.is_empty() {
        return Ok(None);
    }
    let mut free = Free {
        program: program.clone(),
        maps: maps.clone(),
        structural: descending,
    };
    let cases = declare(&mut free.program, &types)?;
    free.define(&equations, &cases)?;
    let renamed: BTreeMap<BoogieType, BoogieType> = cases.renamed;
    let rename = |ty: &mut BoogieType| replace(ty, &renamed);
    change_types(&mut free.program, &mut { rename });
    free.maps = free
        .maps
        .into_iter()
        .map(|(map, at)| {
            let at = at.into_iter().map(|mut types| {
                types.iter_mut().for_each(rename);
                types
            });
            (map, at.collect())
        })
        .collect();
    Ok(Some(free))
}

/// Puts other types in the place of some.
fn replace(ty: &mut BoogieType, by: &BTreeMap<BoogieType, BoogieType>) {
    if let Some(new) = by.get(ty) {
        *ty = new.clone();
        return;
    }
    match ty {
        BoogieType::Con(_, args) => args.iter_mut().for_each(|t| replace(t, by)),
        BoogieType::Map(m) => {
            m.domain.iter_mut().for_each(|t| replace(t, by));
            replace(&mut m.range, by);
        }
        _ => {}
    }
}

/// The function, if nothing defines it.
fn open(program: &TypedProgram, f: FunctionId) -> Result<Option<&TypedFunction>, Internal> {
    let found = program.functions.at(f)?;
    let plain = found.body.is_none() && found.builtin.is_none() && found.type_params.is_empty();
    Ok(plain.then_some(found))
}

/// The parts of an axiom that all hold.
fn conjuncts(axiom: &TypedExpr) -> Vec<&TypedExpr> {
    match &axiom.kind {
        TypedExprKind::Chain(ChainOp::And, all) => all.iter().flat_map(conjuncts).collect(),
        _ => vec![axiom],
    }
}

/// As [`conjuncts`], to be changed.
fn conjuncts_mut(axiom: &mut TypedExpr) -> Vec<&mut TypedExpr> {
    if !matches!(axiom.kind, TypedExprKind::Chain(ChainOp::And, _)) {
        return vec![axiom];
    }
    match &mut axiom.kind {
        TypedExprKind::Chain(_, all) => all.iter_mut().flat_map(conjuncts_mut).collect(),
        _ => Vec::new(),
    }
}

/// The axioms that say what a function makes of its arguments.
fn equations(program: &TypedProgram) -> Result<Vec<Equation>, Internal> {
    let mut found = Vec::new();
    for (i, axiom) in program.axioms.iter().enumerate() {
        for (j, part) in conjuncts(&axiom.expr).into_iter().enumerate() {
            let TypedExprKind::Quantified(q) = &part.kind else {
                continue;
            };
            let TypedExprKind::Binary(BinOp::Eq | BinOp::Iff, l, r) = &q.body.kind else {
                continue;
            };
            if q.kind != QuantKind::Forall || !q.type_params.is_empty() {
                continue;
            }
            let vars: BTreeSet<u32> = q.vars.iter().map(|(n, _)| *n).collect();
            for (call, value) in [(l, r), (r, l)] {
                let left = left_side(program, call, vars.clone())?;
                found.extend(left.map(|(function, patterns)| Equation {
                    place: (i, j),
                    function,
                    patterns,
                    value: (**value).clone(),
                }));
            }
        }
    }
    Ok(found)
}

/// The function and the patterns of a call in which each of the variables occurs once.
fn left_side(
    program: &TypedProgram,
    call: &TypedExpr,
    mut vars: BTreeSet<u32>,
) -> Result<Option<(FunctionId, Vec<Pattern>)>, Internal> {
    let TypedExprKind::Call(f, _, args) = &call.kind else {
        return Ok(None);
    };
    if open(program, *f)?.is_none() {
        return Ok(None);
    }
    let mut patterns = Vec::new();
    for arg in args {
        match pattern(program, arg, &mut vars)? {
            Some(pattern) => patterns.push(pattern),
            None => return Ok(None),
        }
    }
    let made = patterns.iter().filter(|p| matches!(p, Pattern::Made(..)));
    let fits = vars.is_empty() && made.count() == 1;
    Ok(fits.then_some((*f, patterns)))
}

/// An argument as a pattern, whose variables are taken out of those that are left.
fn pattern(
    program: &TypedProgram,
    arg: &TypedExpr,
    vars: &mut BTreeSet<u32>,
) -> Result<Option<Pattern>, Internal> {
    let mut variable = |e: &TypedExpr| match e.kind {
        TypedExprKind::Bound(n) => vars.remove(&n).then_some(n),
        _ => None,
    };
    Ok(match &arg.kind {
        TypedExprKind::Call(made, _, inner) if open(program, *made)?.is_some() => {
            let inner = inner.iter().map(variable).collect::<Option<_>>();
            inner.map(|inner| Pattern::Made(*made, inner))
        }
        _ => variable(arg).map(Pattern::Variable),
    })
}

impl Equation {
    /// Where the one argument is that a function makes, which function, and of what.
    fn made(&self) -> Option<(usize, FunctionId, &[u32])> {
        let mut all = self.patterns.iter().enumerate();
        all.find_map(|(i, p)| match p {
            Pattern::Made(f, vars) => Some((i, *f, vars.as_slice())),
            Pattern::Variable(_) => None,
        })
    }
}

/// The types that become datatypes, with the functions that become their constructors.
type Makers = BTreeMap<BoogieType, BTreeSet<FunctionId>>;

/// The types that become datatypes: of the functions that become their constructors, one at least has an argument
/// that an equation takes out again; others are told apart by equations.
fn constructors(
    program: &TypedProgram,
    maps: &MapInstances,
    equations: &[Equation],
) -> Result<Makers, Internal> {
    let heads: BTreeSet<FunctionId> = equations.iter().map(|e| e.function).collect();
    let mut types = Makers::new();
    let mut taken_apart = BTreeSet::new();
    for equation in equations {
        let Some((_, made, vars)) = equation.made() else {
            continue;
        };
        let Some(result) = open(program, made)?.map(|f| &f.result) else {
            continue;
        };
        if heads.contains(&made) || !may_become_datatype(program, maps, result)? {
            continue;
        }
        types.entry(result.clone()).or_default().insert(made);
        if matches!(equation.value.kind, TypedExprKind::Bound(n) if vars.contains(&n)) {
            taken_apart.insert(result.clone());
        }
    }
    types.retain(|ty, _| taken_apart.contains(ty));
    Ok(types)
}

/// Is it a declared type, and, where it will have another name, in no map type whose parts are put together later?
fn may_become_datatype(
    program: &TypedProgram,
    maps: &MapInstances,
    ty: &BoogieType,
) -> Result<bool, Internal> {
    let BoogieType::Con(con, args) = ty else {
        return Ok(false);
    };
    let in_map = |m: &BoogieType| m.any(&|t| matches!(t, BoogieType::Con(c, _) if c == con));
    let free = args.is_empty()
        || !maps
            .keys()
            .any(|m| in_map(&BoogieType::Map(Box::new(m.clone()))));
    Ok(free && program.types.at(*con)?.constructors.is_none())
}

/// How values of the new datatypes are told apart and taken apart: of each constructor, its test and the functions that take
/// out its arguments.
struct Cases {
    of: BTreeMap<FunctionId, (FunctionId, Vec<FunctionId>)>,
    renamed: BTreeMap<BoogieType, BoogieType>,
}

/// Makes the types datatypes, each with one more constructor for all other values.
fn declare(program: &mut TypedProgram, types: &Makers) -> Result<Cases, Internal> {
    let mut cases = Cases {
        of: BTreeMap::new(),
        renamed: BTreeMap::new(),
    };
    for (ty, functions) in types {
        let name = ty.show(&program.types);
        let rest = type_without_parameters(program, format!("{name}#other"));
        let rest = BoogieType::Con(rest, Vec::new());
        let like = *functions.first().sure()?;
        let rest_maker = helper(
            program,
            like,
            format!("{name}#other#make"),
            &rest,
            ty.clone(),
            SolverFunction::Constructor(functions.len()),
        )?;
        let makers = functions.iter().copied().chain([rest_maker]);
        let mut all = Vec::new();
        for (index, maker) in makers.enumerate() {
            let f = program.functions.at_mut(maker)?;
            f.builtin = Some(SolverFunction::Constructor(index));
            let (name, params) = (f.name.clone(), f.params.clone());
            let mut fields = Vec::new();
            for (at, (_, field)) in params.iter().enumerate() {
                let name = format!("{name}#{at}");
                let builtin = SolverFunction::Selector(index, at);
                let selector = helper(program, maker, name.clone(), ty, field.clone(), builtin)?;
                fields.push(ConstructorField {
                    name,
                    ty: field.clone(),
                    selector,
                });
            }
            let tester = format!("is#{name}");
            let builtin = SolverFunction::Tester(index);
            let tester = helper(program, maker, tester, ty, BoogieType::Bool, builtin)?;
            let selectors = fields.iter().map(|f| f.selector).collect();
            cases.of.insert(maker, (tester, selectors));
            all.push(DatatypeConstructor {
                params: Vec::new(),
                function: maker,
                tester,
                fields,
                name,
            });
        }
        let con = match ty {
            BoogieType::Con(con, args) if args.is_empty() => *con,
            _ => {
                let new = type_without_parameters(program, name);
                let renamed = BoogieType::Con(new, Vec::new());
                cases.renamed.insert(ty.clone(), renamed);
                new
            }
        };
        program.types.at_mut(con)?.constructors = Some(all);
    }
    Ok(cases)
}

fn type_without_parameters(program: &mut TypedProgram, name: String) -> TypeId {
    program.types.push(TypeCon {
        name,
        arity: 0,
        constructors: None,
    })
}

impl Free {
    /// Defines by cases what the equations of a function say; those that do not fit stay axioms.
    fn define(&mut self, equations: &[Equation], cases: &Cases) -> Result<(), Internal> {
        let mut by_function: BTreeMap<FunctionId, Vec<&Equation>> = BTreeMap::new();
        for equation in equations {
            let all = by_function.entry(equation.function).or_default();
            all.push(equation);
        }
        for (f, equations) in by_function {
            let Some((body, params)) = self.body(f, &equations, cases)? else {
                continue;
            };
            if calls(&body).contains(&f) {
                self.structural.insert(f);
            }
            let function = self.program.functions.at_mut(f)?;
            for (slot, number) in function.params.iter_mut().zip(params) {
                slot.0 = number;
            }
            function.body = Some(body);
            for (axiom, part) in equations.iter().map(|e| e.place) {
                let axiom = self.program.axioms.get_mut(axiom).sure()?;
                let mut parts = conjuncts_mut(&mut axiom.expr);
                **parts.get_mut(part).sure()? = TypedExpr::bool(TypedExprKind::Bool(true));
            }
        }
        Ok(())
    }

    /// The definition that the equations make, if each is about another constructor at the same argument, and calls lead back
    /// to the function only with a part of that argument.
    fn body(
        &mut self,
        f: FunctionId,
        equations: &[&Equation],
        cases: &Cases,
    ) -> Result<Option<(TypedExpr, Vec<u32>)>, Internal> {
        let function = open(&self.program, f)?.sure()?.clone();
        let numbers: Vec<u32> = (FIRST_PARAM..).take(function.params.len()).collect();
        let params: Vec<TypedExpr> = numbers
            .iter()
            .zip(&function.params)
            .map(|(n, (_, ty))| TypedExpr {
                kind: TypedExprKind::Bound(*n),
                ty: ty.clone(),
            })
            .collect();
        let (place, _, _) = equations.first().and_then(|e| e.made()).sure()?;
        let subject = params.get(place).sure()?;
        let mut seen = BTreeSet::new();
        let mut branches = Vec::new();
        for equation in equations {
            let (at, made, vars) = equation.made().sure()?;
            // Not every function that is taken apart has become a constructor.
            let Some((tester, selectors)) = cases.of.get(&made) else {
                return Ok(None);
            };
            if at != place || !seen.insert(made) || !self.ends(f, equation, place, vars)? {
                return Ok(None);
            }
            let mut by: BTreeMap<u32, TypedExpr> = BTreeMap::new();
            for (pattern, param) in equation.patterns.iter().zip(&params) {
                if let Pattern::Variable(n) = pattern {
                    by.insert(*n, param.clone());
                }
            }
            for (n, selector) in vars.iter().zip(selectors) {
                by.insert(*n, self.call(*selector, vec![subject.clone()])?);
            }
            let mut value = equation.value.clone();
            substitute(&mut value, &by);
            branches.push((self.call(*tester, vec![subject.clone()])?, value));
        }
        let rest = self.program.functions.push(TypedFunction {
            name: format!("{}#rest", function.name),
            ..function
        });
        let rest = self.call(rest, params)?;
        let body = branches
            .into_iter()
            .rfold(rest, |rest, (test, value)| TypedExpr {
                ty: rest.ty.clone(),
                kind: TypedExprKind::Ite(Box::new(test), Box::new(value), Box::new(rest)),
            });
        Ok(Some((body, numbers)))
    }

    /// Does the value of an equation lead back to its function only with smaller arguments?
    fn ends(
        &self,
        f: FunctionId,
        equation: &Equation,
        place: usize,
        smaller: &[u32],
    ) -> Result<bool, Internal> {
        let mut fine = true;
        let mut others = BTreeSet::new();
        equation.value.visit(&mut |e| match &e.kind {
            TypedExprKind::Call(g, _, args) if *g == f => {
                let argument = args.get(place).map(|a| &a.kind);
                fine &= matches!(argument, Some(TypedExprKind::Bound(n)) if smaller.contains(n));
            }
            TypedExprKind::Call(g, ..) => {
                others.insert(*g);
            }
            _ => {}
        });
        let mut seen = BTreeSet::new();
        while let Some(g) = others.pop_first() {
            let body = self.program.functions.at(g)?.body.as_ref();
            if let Some(body) = body.filter(|_| seen.insert(g)) {
                let more = calls(body);
                fine &= !more.contains(&f);
                others.extend(more);
            }
        }
        Ok(fine)
    }

    fn call(&self, f: FunctionId, args: Vec<TypedExpr>) -> Result<TypedExpr, Internal> {
        let ty = self.program.functions.at(f)?.result.clone();
        let kind = TypedExprKind::Call(f, Vec::new(), args);
        Ok(TypedExpr { kind, ty })
    }
}

fn calls(e: &TypedExpr) -> BTreeSet<FunctionId> {
    let mut all = BTreeSet::new();
    e.visit(&mut |e| {
        if let TypedExprKind::Call(f, ..) = e.kind {
            all.insert(f);
        }
    });
    all
}

/// Puts expressions in the place of bound variables.
fn substitute(e: &mut TypedExpr, by: &BTreeMap<u32, TypedExpr>) {
    if let TypedExprKind::Bound(n) = e.kind {
        if let Some(value) = by.get(&n) {
            *e = value.clone();
        }
        return;
    }
    e.children_mut().into_iter().for_each(|c| substitute(c, by));
}
