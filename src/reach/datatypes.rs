//! Datatypes as the solver sees them: each datatype at each choice of its type parameters is a sort of its own.
//!
//! Those that are made of each other are declared together. `@` is in no name of Boogie's, so that what is named here is
//! no function of the solver's.

use std::collections::BTreeSet;

use super::graph::Unsupported;
use super::symbols::{Result, Symbols};
use crate::boogie::ast::Pos;
use crate::boogie::typed::{Program, Type, quoted};

/// How many datatypes may be made of each other.
const MAX_TOGETHER: usize = 300;

/// What is being declared: none of it may be needed for something that must be declared before.
pub(super) type Datatypes = BTreeSet<Type>;

pub(super) fn is_datatype(program: &Program, con: usize) -> bool {
    let found = program.types.get(con);
    found.is_some_and(|t| t.constructors.is_some())
}

/// The types of all fields of a datatype; none if it is no datatype.
pub(super) fn field_types(program: &Program, con: usize, args: &[Type]) -> Vec<Type> {
    let constructors = program.types.get(con).and_then(|t| t.constructors.as_ref());
    let constructors = constructors.into_iter().flatten();
    constructors
        .flat_map(|c| c.fields.iter().map(|f| f.ty.substitute(&c.params, args)))
        .collect()
}

/// The parts of types that a datatype must be declared with or after.
#[derive(Default)]
struct Parts {
    datatypes: Vec<Type>,
    /// Maps with type parameters, which have declarations of their own.
    maps: Vec<Type>,
}

impl Symbols {
    /// Declares the datatypes without type parameters.
    pub(super) fn plain_datatypes(&mut self) -> Result<()> {
        for con in 0..self.program.types.len() {
            let plain = self.program.types.get(con).is_some_and(|t| t.arity == 0);
            if plain && is_datatype(&self.program, con) {
                self.datatype(&Type::Con(con, Vec::new()))?;
            }
        }
        Ok(())
    }

    /// The sort of a datatype, which is declared if need be, with all that it is made of.
    pub(super) fn datatype(&mut self, ty: &Type) -> Result<String> {
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
                return Err(Unsupported::new(
                    Pos::default(),
                    format!("{what} is not supported"),
                ));
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
            let Type::Con(con, args) = datatype else {
                continue;
            };
            names.push_str(&format!("({} 0)", self.sort(datatype)?));
            meanings.push('(');
            let constructors = program
                .types
                .get(*con)
                .and_then(|t| t.constructors.as_ref());
            for (i, c) in constructors.into_iter().flatten().enumerate() {
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
    fn parts(&self, ty: &Type) -> Result<Parts> {
        let mut parts = Parts::default();
        let mut work = vec![ty.clone()];
        let mut seen = BTreeSet::new();
        while let Some(ty) = work.pop() {
            if self.sorts.contains_key(&ty) || !seen.insert(ty.clone()) {
                continue;
            }
            match &ty {
                Type::Con(con, args) if is_datatype(&self.program, *con) => {
                    work.extend(field_types(&self.program, *con, args));
                    self.founded(&ty, *con)?;
                    parts.datatypes.push(ty);
                    if parts.datatypes.len() > MAX_TOGETHER {
                        let what = "a datatype that is made of ever larger types is not supported";
                        return Err(Unsupported::new(Pos::default(), what));
                    }
                }
                Type::Con(_, args) => work.extend(args.iter().cloned()),
                Type::Map(m) if m.params > 0 => parts.maps.push(ty),
                Type::Map(m) => work.extend(m.domain.iter().chain([&m.range]).cloned()),
                _ => {}
            }
        }
        Ok(parts)
    }

    /// Refuses a datatype all of whose constructors need a value of it.
    fn founded(&self, ty: &Type, con: usize) -> Result<()> {
        let mut founded: BTreeSet<usize> = BTreeSet::new();
        let types = &self.program.types;
        loop {
            let before = founded.len();
            for (i, t) in types.iter().enumerate() {
                // A map has values if its elements have.
                let ends = |mut ty: &Type| {
                    while let Type::Map(m) = ty {
                        ty = &m.range;
                    }
                    match ty {
                        Type::Con(c, _) => !is_datatype(&self.program, *c) || founded.contains(c),
                        _ => true,
                    }
                };
                let mut constructors = t.constructors.iter().flatten();
                if constructors.any(|c| c.fields.iter().all(|f| ends(&f.ty))) {
                    founded.insert(i);
                }
            }
            if founded.contains(&con) {
                return Ok(());
            }
            if founded.len() == before {
                let what = format!("the datatype {} has no value", ty.show(types));
                return Err(Unsupported::new(Pos::default(), what));
            }
        }
    }

    /// The solver's name for a constructor of a datatype.
    pub(super) fn constructor(&mut self, ty: &Type, index: usize) -> Result<String> {
        self.datatype(ty)?;
        Ok(quoted(&format!("C@{}", self.constructor_at(ty, index))))
    }

    /// The solver's name for a field of a constructor of a datatype.
    pub(super) fn selector(&mut self, ty: &Type, index: usize, field: usize) -> Result<String> {
        self.datatype(ty)?;
        Ok(quoted(&format!(
            "F@{field}@{}",
            self.constructor_at(ty, index)
        )))
    }

    /// The name of a constructor, with what the datatype's parameters stand for.
    fn constructor_at(&self, ty: &Type, index: usize) -> String {
        let Type::Con(con, args) = ty else {
            return String::new();
        };
        let constructors = self
            .program
            .types
            .get(*con)
            .and_then(|t| t.constructors.as_ref());
        let constructor = constructors.and_then(|all| all.get(index));
        let name = constructor.map_or("", |c| c.name.as_str());
        let args: Vec<String> = args.iter().map(|t| t.show(&self.program.types)).collect();
        match args.is_empty() {
            true => name.to_string(),
            false => format!("{name}<{}>", args.join(", ")),
        }
    }
}
