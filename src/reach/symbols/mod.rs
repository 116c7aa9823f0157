//! What is the same in every question: sorts, constants, functions and axioms, as SMT-LIB commands; and in `terms`,
//! Boogie expressions as SMT terms.
//!
//! Commands are kept in a list that only grows. Every solver is told them in that order, and remembers how many it has
//! been told.

mod terms;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::datatypes::{self, Datatypes};
use super::error::{Result, Unsupported};
use super::macros;
use super::mono::{MapInstances, replace_types};
use super::polymap::PolyMap;
use super::relevant;
use super::term::Term;
use super::words::builtin_name;
use crate::boogie::ast::Pos;
use crate::boogie::typed::{
    BoogieType, ConstId, FunctionId, MapType, ProcedureId, SolverFunction, TypedExpr, TypedProgram,
    VariableRef, quoted,
};
use crate::ids::Table;
use crate::internal::{Internal, Sure};

/// How many instances of polymorphic functions may be made.
const MAX_INSTANCES: usize = 2_000;

/// Names of sorts and functions, and the commands that declare them.
pub struct Symbols {
    pub(super) program: Arc<TypedProgram>,
    /// SMT-LIB commands, one a line.
    pub commands: Vec<String>,
    /// Axioms that are kept apart, as commands: nothing asked about has to do with them.
    pub apart: Vec<String>,
    pub(super) sorts: HashMap<BoogieType, String>,
    pub(super) datatypes: Datatypes,
    /// Where maps with type parameters are used, and those that have a sort already; none while it is being made.
    pub(super) map_instances: MapInstances,
    maps: HashMap<MapType, Option<PolyMap>>,
    lets: u32,
    /// The relation `<:` of each sort that is compared by it.
    orders: HashMap<String, String>,
    /// Has the power of reals been declared?
    power: bool,
    /// Recursive functions that nothing asked about uses.
    idle: BTreeSet<FunctionId>,
    /// Recursive functions that come to an end on every value.
    structural: BTreeSet<FunctionId>,
    /// Those that are defined by themselves.
    recursive: BTreeSet<FunctionId>,
    functions: HashMap<(FunctionId, Vec<BoogieType>), String>,
    consts: Table<ConstId, Term>,
    /// The constants that are not names for literals, and their sorts.
    pub declared_consts: Vec<(String, String)>,
}

/// What variables stand for.
pub type Env<'a> = dyn Fn(VariableRef) -> Result<Term, Internal> + 'a;

impl Symbols {
    /// The sorts, constants, functions and axioms of a program. Of its recursive functions, those that are `structural` come
    /// to an end on every value.
    ///
    /// # Errors
    ///
    /// A construct that cannot be said to the solver.
    pub(super) fn new(
        program: Arc<TypedProgram>,
        map_instances: MapInstances,
        mains: &[ProcedureId],
        structural: BTreeSet<FunctionId>,
    ) -> Result<Self> {
        let definitions = macros::find(&program)?;
        let mut program = program;
        if !definitions.functions.is_empty() {
            let changed = Arc::make_mut(&mut program);
            for (index, params, body) in &definitions.functions {
                let f = changed.functions.at_mut(*index)?;
                for (param, number) in f.params.iter_mut().zip(params) {
                    param.0 = *number;
                }
                f.body = Some(body.clone());
            }
        }
        let mut symbols = Symbols {
            program: program.clone(),
            commands: Vec::new(),
            apart: Vec::new(),
            sorts: HashMap::new(),
            datatypes: Datatypes::default(),
            map_instances,
            maps: HashMap::new(),
            lets: 0,
            orders: HashMap::new(),
            power: false,
            idle: BTreeSet::new(),
            structural,
            recursive: macros::recursive(&program),
            functions: HashMap::new(),
            consts: Table::new(),
            declared_consts: Vec::new(),
        };
        for con in program.types.iter().filter(|c| c.constructors.is_none()) {
            let sort = quoted(&format!("T@{}", con.name));
            symbols
                .commands
                .push(format!("(declare-sort {sort} {})", con.arity));
        }
        symbols.plain_datatypes()?;
        symbols.constants(&definitions.consts)?;
        let apart = relevant::apart(&program, mains)?;
        symbols.idle = apart.functions;
        for index in macros::definition_order(&program) {
            symbols.declare_plain(index)?;
        }
        for (i, axiom) in program.axioms.iter().enumerate() {
            if !definitions.axioms.contains(&i) {
                let term = symbols.global_term(&axiom.expr)?;
                match apart.axioms.contains(&i) {
                    true => symbols.apart.push(format!("(assert {term})")),
                    false => symbols.commands.push(format!("(assert {term})")),
                }
            }
        }
        Ok(symbols)
    }

    /// What a constant is called, or what it is a name for.
    pub(super) fn constant(&self, constant: ConstId) -> Option<&Term> {
        self.consts.at(constant).ok()
    }

    /// What a function without type parameters is called, if it is declared.
    pub(super) fn function(&self, function: FunctionId) -> Option<&str> {
        let name = self.functions.get(&(function, Vec::new()))?;
        Some(name.as_str()).filter(|name| !name.is_empty())
    }

    /// The relation `<:` on values of a sort.
    fn order(&mut self, sort: String) -> String {
        if let Some(name) = self.orders.get(&sort) {
            return name.clone();
        }
        let name = format!("order@{}", self.orders.len());
        let r = &name;
        self.commands.extend([
            format!("(declare-fun {r} ({sort} {sort}) Bool)"),
            format!("(assert (forall ((x {sort})) (! ({r} x x) :pattern (({r} x x)))))"),
            format!("(assert (forall ((x {sort}) (y {sort}) (z {sort})) (! (=> (and ({r} x y) ({r} y z)) ({r} x z)) :pattern (({r} x y) ({r} y z)))))"),
            format!("(assert (forall ((x {sort}) (y {sort})) (! (=> (and ({r} x y) ({r} y x)) (= x y)) :pattern (({r} x y) ({r} y x)))))"),
        ]);
        self.orders.insert(sort, name.clone());
        name
    }

    fn constants(&mut self, values: &HashMap<ConstId, TypedExpr>) -> Result<()> {
        let program = self.program.clone();
        let mut unique: Vec<(String, Vec<String>)> = Vec::new();
        for (i, c) in program.consts.pairs() {
            let name = quoted(&format!("c@{}", c.name));
            let sort = self.sort(&c.ty)?;
            let id = match values.get(&i) {
                // A name for a literal is the literal.
                Some(value) => {
                    let value = self.global_term(value)?;
                    self.consts.push(value)
                }
                None => {
                    self.commands.push(format!("(declare-const {name} {sort})"));
                    self.declared_consts.push((name.clone(), sort.clone()));
                    self.consts.push(Term::atom(name))
                }
            };
            if c.unique {
                let text = self.consts.at(id)?.to_string();
                match unique.iter_mut().find(|(s, _)| *s == sort) {
                    Some((_, names)) => names.push(text),
                    None => unique.push((sort, vec![text])),
                }
            }
        }
        for (_, names) in unique.iter().filter(|(_, names)| names.len() > 1) {
            self.commands
                .push(format!("(assert (distinct {}))", names.join(" ")));
        }
        Ok(())
    }

    /// Declares or defines a function without type parameters.
    fn declare_plain(&mut self, index: FunctionId) -> Result<()> {
        let plain = self.program.functions.at(index)?.type_params.is_empty();
        match plain {
            true => self.instance(index, &[]).map(drop),
            false => Ok(()),
        }
    }

    /// The name of a function at types.
    fn instance(&mut self, index: FunctionId, types: &[BoogieType]) -> Result<String> {
        let key = (index, types.to_vec());
        if let Some(name) = self.functions.get(&key) {
            return Ok(name.clone());
        }
        let program = self.program.clone();
        let f = program.functions.at(index)?;
        if self.functions.len() > MAX_INSTANCES.max(2 * program.functions.len()) {
            let what = format!("{} is used at too many types", f.name);
            return Err(Unsupported::new(f.pos, what).into());
        }
        let open = |ty: &BoogieType| ty.substitute(&f.type_params, types);
        if let Some(builtin) = &f.builtin {
            let argument = || Ok::<_, Internal>(open(&f.params.first().sure()?.1));
            let name = match builtin {
                SolverFunction::Solver(builtin) => builtin_name(builtin),
                SolverFunction::Constructor(i) => self.constructor(&open(&f.result), *i)?,
                SolverFunction::Tester(i) => {
                    format!("(_ is {})", self.constructor(&argument()?, *i)?)
                }
                SolverFunction::Selector(i, field) => self.selector(&argument()?, *i, *field)?,
            };
            self.functions.insert(key, name.clone());
            return Ok(name);
        }
        let name = match types {
            [] => quoted(&format!("f@{}", f.name)),
            _ => quoted(&format!("f@{}#{}", f.name, self.functions.len())),
        };
        self.functions.insert(key, name.clone());
        let mut params = Vec::new();
        for (number, ty) in &f.params {
            params.push((*number, self.sort(&open(ty))?));
        }
        let result = self.sort(&open(&f.result))?;
        let sorts: Vec<&str> = params.iter().map(|(_, s)| s.as_str()).collect();
        let declare = format!("(declare-fun {name} ({}) {result})", sorts.join(" "));
        let Some(body) = &f.body else {
            self.commands.push(declare);
            return Ok(name);
        };
        let named: Vec<String> = params.iter().map(|(n, s)| format!("(b{n} {s})")).collect();
        let mut body = body.clone();
        replace_types(&mut body, &f.type_params, types);
        if self.structural.contains(&index) {
            let body = self.global_term(&body)?;
            self.commands.push(format!(
                "(define-fun-rec {name} ({}) {result} {body})",
                named.join(" ")
            ));
            return Ok(name);
        }
        if self.recursive.contains(&index) {
            self.commands.push(declare);
            let body = self.global_term(&body)?;
            let args: Vec<String> = params.iter().map(|(n, _)| format!(" b{n}")).collect();
            let call = format!("({name}{})", args.concat());
            let definition = format!(
                "(assert (forall ({}) (! (= {call} {body}) :pattern ({call}))))",
                named.join(" ")
            );
            match self.idle.contains(&index) {
                true => self.apart.push(definition),
                false => self.commands.push(definition),
            }
            return Ok(name);
        }
        let body = self.global_term(&body)?;
        self.commands.push(format!(
            "(define-fun {name} ({}) {result} {body})",
            named.join(" ")
        ));
        Ok(name)
    }

    /// The sort of a type.
    pub fn sort(&mut self, ty: &BoogieType) -> Result<String> {
        if let Some(sort) = self.sorts.get(ty) {
            return Ok(sort.clone());
        }
        let sort = match ty {
            BoogieType::Bool => "Bool".into(),
            BoogieType::Int => "Int".into(),
            BoogieType::Real => "Real".into(),
            BoogieType::Bv(0) => {
                let what = "a bitvector of width 0 is not supported";
                return Err(Unsupported::new(Pos::default(), what).into());
            }
            BoogieType::Bv(width) => format!("(_ BitVec {width})"),
            BoogieType::Float(significand, exponent) => {
                format!("(_ FloatingPoint {exponent} {significand})")
            }
            BoogieType::Rounding => "RoundingMode".into(),
            BoogieType::Str => "String".into(),
            BoogieType::Regex => "(RegEx String)".into(),
            BoogieType::Con(con, _) if datatypes::is_datatype(&self.program, *con)? => {
                return self.datatype(ty);
            }
            BoogieType::Con(con, args) => {
                let name = quoted(&format!("T@{}", self.program.types.at(*con)?.name));
                let args = args
                    .iter()
                    .map(|t| self.sort(t))
                    .collect::<Result<Vec<_>>>()?;
                match args.is_empty() {
                    true => name,
                    false => format!("({name} {})", args.join(" ")),
                }
            }
            BoogieType::Map(m) if m.params > 0 => self.poly_map(m)?.sort,
            BoogieType::Map(m) => {
                // One array of several indices, not arrays of arrays: the solver finds models of what is said of all their
                // elements much sooner.
                let range = self.sort(&m.range)?;
                let indices = m.domain.iter().map(|index| self.sort(index));
                let indices = indices.collect::<Result<Vec<_>>>()?;
                match indices.is_empty() {
                    true => range,
                    false => format!("(Array {} {range})", indices.join(" ")),
                }
            }
            BoogieType::Param(_) | BoogieType::Bound(..) | BoogieType::Meta(_) => {
                let what = "a quantifier over types is not supported by this engine";
                return Err(Unsupported::new(Pos::default(), what).into());
            }
        };
        self.sorts.insert(ty.clone(), sort.clone());
        Ok(sort)
    }
}
