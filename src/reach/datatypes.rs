//! Datatypes as the solver sees them: each datatype at each choice of its type parameters is a sort of its own.
//!
//! Those that are made of each other are declared together. `@` is in no name of Boogie's, so that what is named here is
//! no function of the solver's.

use std::collections::BTreeSet;

use super::error::{Result, Unsupported};
use super::symbols::Symbols;
use crate::boogie::ast::Pos;
use crate::boogie::typed::{BoogieType, DatatypeConstructor, TypeId, TypedProgram, quoted};
use crate::internal::{Internal, Sure, internal};

/// How many datatypes may be made of each other.
const MAX_TOGETHER: usize = 300;

/// What is being declared: none of it may be needed for something that must be declared before.
pub(super) type Datatypes = BTreeSet<BoogieType>;

pub(super) fn is_datatype(program: &TypedProgram, con: TypeId) -> Result<bool, Internal> {
    Ok(program.types.at(con)?.constructors.is_some())
}

/// The constructors of a datatype; none of another type.
fn constructors(program: &TypedProgram, con: TypeId) -> Result<&[DatatypeConstructor], Internal> {
    Ok(program
        .types
        .at(con)?
        .constructors
        .as_deref()
        .unwrap_or_default())
}

/// The types of all fields of a datatype; none if it is no datatype.
pub(super) fn field_types(
    program: &TypedProgram,
    con: TypeId,
    args: &[BoogieType],
) -> Result<Vec<BoogieType>, Internal> {
    let constructors = constructors(program, con)?.iter();
    Ok(constructors
        .flat_map(|c| c.fields.iter().map(|f| f.ty.substitute(&c.params, args)))
        .collect())
}

/// The parts of types that a datatype must be declared with or after.
#[derive(Default)]
struct DatatypeParts {
    datatypes: Vec<BoogieType>,
    /// Maps with type parameters, which have declarations of their own.
    maps: Vec<BoogieType>,
}

/// The type constructor of a datatype, and its arguments.
fn parts_of(ty: &BoogieType) -> Result<(TypeId, &[BoogieType]), Internal> {
    match ty {
        BoogieType::Con(con, args) => Ok((*con, args)),
        _ => Err(internal("this is no datatype")),
    }
}

impl Symbols {
    /// Declares the datatypes without type parameters.
    pub(super) fn plain_datatypes(&mut self) -> Result<()> {
        let program = self.program.clone();
        for (con, declared) in program.types.pairs() {
            if declared.arity == 0 && declared.constructors.is_some() {
                self.datatype(&BoogieType::Con(con, Vec::new()))?;
            }
        }
        Ok(())
    }

    /// The sort of a datatype, which is declared if need be, with all that it is made of.
    pub(super) fn datatype(&mut self, ty: &BoogieType) -> Result<String> {
        if let Some(sort) = self.sorts.get(ty) {
            return Ok(sort.clone());
        }
        let program = self.program.clone();
        let parts = self.parts(ty)?;
        for datatype in &parts.datatypes {
            if !self.datatypes.insert(datatype.clone()) {
                let what = format!(
                    "the datatype {} and a map with type parameters hold each other, which",
                    datatype.show(&program.types)
                );
                let what = format!("{what} is not supported");
                return Err(Unsupported::new(Pos::default(), what).into());
            }
        }
        for map in &parts.maps {
            self.sort(map)?;
        }
        for datatype in &parts.datatypes {
            let sort = quoted(&format!("T@{}", datatype.show(&program.types)));
            self.sorts.insert(datatype.clone(), sort);
        }
        let (mut names, mut meanings) = (String::new(), String::new());
        for datatype in &parts.datatypes {
            let (con, args) = parts_of(datatype)?;
            names.push_str(&format!("({} 0)", self.sort(datatype)?));
            meanings.push('(');
            for (i, c) in constructors(&program, con)?.iter().enumerate() {
                meanings.push_str(&format!("({}", self.constructor(datatype, i)?));
                for (j, field) in c.fields.iter().enumerate() {
                    let sort = self.sort(&field.ty.substitute(&c.params, args))?;
                    let selector = self.selector(datatype, i, j)?;
                    meanings.push_str(&format!(" ({selector} {sort})"));
                }
                meanings.push(')');
            }
            meanings.push(')');
        }
        let declaration = format!("(declare-datatypes ({names}) ({meanings}))");
        self.commands.push(declaration);
        self.sort(ty)
    }

    /// All that a datatype is made of and that is not declared yet, itself first.
    fn parts(&self, ty: &BoogieType) -> Result<DatatypeParts> {
        let mut parts = DatatypeParts::default();
        let mut work = vec![ty.clone()];
        let mut seen = BTreeSet::new();
        while let Some(ty) = work.pop() {
            if self.sorts.contains_key(&ty) || !seen.insert(ty.clone()) {
                continue;
            }
            match &ty {
                BoogieType::Con(con, args) if is_datatype(&self.program, *con)? => {
                    work.extend(field_types(&self.program, *con, args)?);
                    self.founded(&ty, *con)?;
                    parts.datatypes.push(ty);
                    if parts.datatypes.len() > MAX_TOGETHER {
                        let what = "a datatype that is made of ever larger types is not supported";
                        return Err(Unsupported::new(Pos::default(), what).into());
                    }
                }
                BoogieType::Con(_, args) => work.extend(args.iter().cloned()),
                BoogieType::Map(m) if m.params > 0 => parts.maps.push(ty),
                BoogieType::Map(m) => work.extend(m.domain.iter().chain([&m.range]).cloned()),
                _ => {}
            }
        }
        Ok(parts)
    }

    /// Refuses a datatype all of whose constructors need a value of it.
    fn founded(&self, ty: &BoogieType, con: TypeId) -> Result<()> {
        let types = &self.program.types;
        let mut founded: BTreeSet<TypeId> = BTreeSet::new();
        while !founded.contains(&con) {
            let before = founded.len();
            for (id, t) in types.pairs() {
                for c in t.constructors.iter().flatten() {
                    let mut all = true;
                    for field in &c.fields {
                        all &= self.has_values(&field.ty, &founded)?;
                    }
                    if all {
                        founded.insert(id);
                    }
                }
            }
            if founded.len() == before {
                let what = format!("the datatype {} has no value", ty.show(types));
                return Err(Unsupported::new(Pos::default(), what).into());
            }
        }
        Ok(())
    }

    /// Has a type values, if of the datatypes these have? A map has values if its elements have.
    fn has_values(&self, ty: &BoogieType, founded: &BTreeSet<TypeId>) -> Result<bool, Internal> {
        let mut ty = ty;
        while let BoogieType::Map(m) = ty {
            ty = &m.range;
        }
        Ok(match ty {
            BoogieType::Con(con, _) => founded.contains(con) || !is_datatype(&self.program, *con)?,
            _ => true,
        })
    }

    /// The solver's name for a constructor of a datatype.
    pub(super) fn constructor(&mut self, ty: &BoogieType, index: usize) -> Result<String> {
        self.datatype(ty)?;
        Ok(quoted(&format!("C@{}", self.constructor_at(ty, index)?)))
    }

    /// The solver's name for a field of a constructor of a datatype.
    pub(super) fn selector(
        &mut self,
        ty: &BoogieType,
        index: usize,
        field: usize,
    ) -> Result<String> {
        self.datatype(ty)?;
        Ok(quoted(&format!(
            "F@{field}@{}",
            self.constructor_at(ty, index)?
        )))
    }

    /// The name of a constructor, with what the datatype's parameters stand for.
    fn constructor_at(&self, ty: &BoogieType, index: usize) -> Result<String, Internal> {
        let (con, args) = parts_of(ty)?;
        let name = &constructors(&self.program, con)?.get(index).sure()?.name;
        let args: Vec<String> = args.iter().map(|t| t.show(&self.program.types)).collect();
        Ok(match args.is_empty() {
            true => name.clone(),
            false => format!("{name}<{}>", args.join(", ")),
        })
    }
}
