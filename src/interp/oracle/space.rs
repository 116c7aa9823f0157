//! All configurations over a domain.

use std::collections::BTreeSet;

use super::OracleError;
use super::domain::{Domain, Enumeration};
use crate::interp::choices::NoDecision;
use crate::interp::exec::fields_of;
use crate::interp::state::{Configuration, HeapObject};
use crate::interp::value::{ObjectId, Value};
use crate::ir::{ClassId, Program, Type};

/// What may be around the object under analysis.
#[derive(Default)]
struct Surroundings {
    classes: BTreeSet<ClassId>,
    elements: BTreeSet<Type>,
}

impl Surroundings {
    /// Everything that the fields and parameters of the class lead to.
    fn of(program: &Program, class: ClassId) -> Surroundings {
        let declaration = program.class(class);
        let fields = declaration.fields.iter().map(|f| &f.ty);
        let params = declaration.routines.iter().flat_map(|r| &r.params);
        let mut open: Vec<&Type> = fields.chain(params.map(|v| &program.var(*v).ty)).collect();
        let mut found = Surroundings::default();
        while let Some(ty) = open.pop() {
            match ty {
                Type::Class { class, .. } if found.classes.insert(*class) => {
                    open.extend(fields_of(program, *class).map(|(_, f)| &f.ty));
                }
                Type::Array { element, .. } if found.elements.insert(element.as_ref().clone()) => {
                    open.push(element);
                }
                Type::Map(key, value) => open.extend([key.as_ref(), value.as_ref()]),
                _ => {}
            }
        }
        found
    }
}

/// All configurations with an object of the class as `this`, whether its invariant holds or not; without a
/// class, all heaps that `class` may find around it. All values are values of their declared types.
pub(super) fn configurations(
    program: &Program,
    class: ClassId,
    with_this: bool,
    domain: &Domain,
) -> Result<Vec<Configuration>, OracleError> {
    let surroundings = Surroundings::of(program, class);
    let mut all = Vec::new();
    let mut enumeration = Enumeration::new(domain);
    loop {
        match configuration(
            program,
            class,
            with_this,
            domain,
            &surroundings,
            &mut enumeration,
        ) {
            Ok(configuration) => all.push(configuration),
            Err(NoDecision::NoValue) => {}
            Err(NoDecision::Unknown(reason)) => return Err(OracleError::Undetermined(reason)),
        }
        if all.len() as u64 > domain.limit {
            return Err(OracleError::TooLarge);
        }
        if !enumeration.advance() {
            return Ok(all);
        }
    }
}

/// The configuration of this run of the enumeration: first all objects, then what is in them.
fn configuration(
    program: &Program,
    class: ClassId,
    with_this: bool,
    domain: &Domain,
    surroundings: &Surroundings,
    enumeration: &mut Enumeration<'_>,
) -> Result<Configuration, NoDecision> {
    let blank = |class: ClassId| HeapObject::Instance {
        class,
        fields: vec![Value::Null; program.class(class).fields.len()],
    };
    let mut now = Configuration::empty();
    if with_this {
        now.this = Some(now.allocate(blank(class)));
    }
    for class in &surroundings.classes {
        for _ in 0..domain.objects {
            now.allocate(blank(*class));
        }
    }
    for element in &surroundings.elements {
        for _ in 0..domain.arrays {
            let lengths = &domain.lengths;
            let length = lengths.start() + enumeration.pick(lengths.clone().count());
            now.allocate(HeapObject::Array {
                element: element.clone(),
                elements: vec![Value::Null; length],
            });
        }
    }
    let mut id = ObjectId(0);
    while let Some(object) = now.object(id).cloned() {
        let mut value =
            |now: &Configuration, ty: &Type| enumeration.value_in(program, now, ty, &domain.fields);
        match object {
            HeapObject::Instance { class, .. } => {
                for (field, declaration) in fields_of(program, class) {
                    let value = value(&now, &declaration.ty)?;
                    now.set_field(id, field, value);
                }
            }
            HeapObject::Array { element, elements } => {
                for index in 0..elements.len() {
                    let value = value(&now, &element)?;
                    now.set_element(id, index, value);
                }
            }
        }
        id = ObjectId(id.0 + 1);
    }
    Ok(now)
}
