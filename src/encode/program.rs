//! The text of a class's Boogie program: everything but the questions.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::ir::effects::Effects;
use crate::ir::formula;
use crate::ir::{ClassId, ExceptionId, FieldRef, MachineInt, Program, RoutineRef, Type};

use super::names::identifier;
use super::promises::broken_promise;
use super::routine::procedure;
use super::storage::Storage;

/// `templates/program.bpl`
#[derive(Template)]
#[template(path = "program.bpl")]
struct ProgramText<'a> {
    class: &'a str,
    /// Whether some routine throws, or has a handler.
    handles: bool,
    exceptions: Vec<(String, usize)>,
    machines: Vec<MachineText>,
    supported: Vec<SupportText>,
    shares: bool,
    enums: Vec<EnumText>,
    opaques: Vec<OpaqueText>,
    recorders: BTreeMap<String, String>,
    globals: Vec<Global>,
    heap: bool,
    start: Vec<(String, String)>,
    changed: Vec<(String, String)>,
    broken: Vec<String>,
    procedures: Vec<String>,
}

struct MachineText {
    name: String,
    modulus: String,
    /// How far the range is shifted below zero; empty for unsigned types.
    shift: String,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SupportText {
    word: String,
    ty: String,
    value: String,
}

struct OpaqueText {
    name: String,
    values: Vec<String>,
}

struct EnumText {
    name: String,
    members: Vec<String>,
    source: String,
}

struct Global {
    name: String,
    ty: String,
    comment: String,
}

/// The program of a class, with all that its file declares. The maps have one value at all keys but a few.
pub(super) fn program_text<'a>(
    storage: &Storage,
    effects: &Effects,
    maps: impl Iterator<Item = &'a FieldRef>,
) -> Result<String, askama::Error> {
    let program = storage.program();
    let class = storage.class;
    // The class under analysis last, as the reader comes from what it is made of.
    let order: Vec<ClassId> = (0..program.classes.len())
        .map(ClassId)
        .filter(|c| *c != class)
        .chain([class])
        .collect();
    let globals = arrays(storage).chain(order.iter().flat_map(|id| globals_of(storage, *id)));
    let procedures: Vec<String> = order
        .iter()
        .flat_map(|id| {
            let routines = 0..program.class(*id).routines.len();
            routines.map(|index| RoutineRef { class: *id, index })
        })
        .map(|routine| procedure(storage, effects, routine))
        .collect::<Result<_, _>>()?;
    let counters = storage.counters().into_iter();
    ProgramText {
        class: &program.class(class).name,
        handles: procedures.iter().any(|p| p.contains("Exception.none")),
        exceptions: exceptions(program, effects, &procedures),
        machines: machines(program, &procedures)
            .into_iter()
            .map(machine_text)
            .collect(),
        supported: supported(storage, maps),
        shares: storage.linear_shares,
        enums: program
            .enums
            .iter()
            .map(|e| EnumText {
                name: identifier(&e.name),
                members: e.members.clone(),
                source: e.name.clone(),
            })
            .collect(),
        opaques: program
            .opaques
            .iter()
            .map(|o| OpaqueText {
                name: identifier(&o.name),
                values: o.values.clone(),
            })
            .collect(),
        recorders: storage.recorders(),
        heap: !storage.arrays.is_empty()
            || (0..program.classes.len()).any(|c| storage.in_heap(ClassId(c))),
        start: storage
            .closed()
            .into_iter()
            .chain(counters.map(|counter| (counter, "int".to_string())))
            .collect(),
        globals: globals.collect(),
        changed: storage
            .changed()
            .flat_map(|changed| changed.declared().collect::<Vec<_>>())
            .collect(),
        broken: broken_promises(storage),
        procedures,
    }
    .render()
}

/// What says of the maps of the object whether what their types promise of each value was broken.
fn broken_promises(storage: &Storage) -> Vec<String> {
    let class = storage.class;
    let fields = 0..storage.program().class(class).fields.len();
    let fields = fields.map(|index| FieldRef { class, index });
    fields
        .filter_map(|field| broken_promise(storage, field))
        .collect()
}

/// The types of the maps that have one value at all keys but a few.
fn supported<'a>(storage: &Storage, maps: impl Iterator<Item = &'a FieldRef>) -> Vec<SupportText> {
    let types = maps.map(|field| &storage.program().field(*field).ty);
    let texts = types.filter_map(|ty| match ty {
        Type::Map(_, value) => Some(SupportText {
            word: storage.recorded_word(ty),
            ty: storage.boogie_type(ty),
            value: storage.boogie_type(value),
        }),
        _ => None,
    });
    // Enums are integers in Boogie: maps of types with other names may be of one type there.
    let distinct: BTreeMap<String, SupportText> =
        texts.map(|text| (text.word.clone(), text)).collect();
    distinct.into_values().collect()
}

/// The arrays of each type.
fn arrays<'l>(storage: &'l Storage) -> impl Iterator<Item = Global> + 'l {
    storage.arrays.iter().flat_map(|element| {
        let element_name = storage.program().type_name(element);
        let comments = [
            format!("how long each array of {element_name} is"),
            "what is in it".into(),
            format!("arrays of {element_name}: 1 to this"),
        ];
        let globals = storage.array_globals(element).into_iter().zip(comments);
        globals.map(|((name, ty), comment)| Global { name, ty, comment })
    })
}

/// The objects of a class and their fields.
fn globals_of(storage: &Storage, class: ClassId) -> Vec<Global> {
    let declared = storage.program().class(class);
    let objects = storage.in_heap(class).then(|| Global {
        name: storage.objects(class),
        ty: "int".into(),
        comment: format!("objects of class {}: 1 to this", declared.name),
    });
    let fields = declared.fields.iter().enumerate().map(|(index, field)| {
        let kind = if field.constant { "const" } else { "var" };
        let ty = storage.program().type_name(&field.ty);
        let at = FieldRef { class, index };
        Global {
            name: storage.field(at),
            ty: storage.field_type(at),
            comment: format!("{kind} {}: {ty}", field.name),
        }
    });
    objects.into_iter().chain(fields).collect()
}

/// The exceptions that some routine may end in or handles, with their numbers: others need no name.
fn exceptions(program: &Program, effects: &Effects, procedures: &[String]) -> Vec<(String, usize)> {
    let routines = program.classes.iter().enumerate().flat_map(|(class, c)| {
        (0..c.routines.len()).map(move |index| RoutineRef {
            class: ClassId(class),
            index,
        })
    });
    let thrown: BTreeSet<ExceptionId> = routines
        .flat_map(|r| &effects.routine(r).throws)
        .copied()
        .collect();
    let named = |name: &str| {
        let constant = format!("Exception.{name}");
        procedures.iter().any(|p| p.contains(&constant))
    };
    let all = program.exceptions.iter().enumerate();
    all.filter(|(id, name)| thrown.contains(&ExceptionId(*id)) || named(name))
        .map(|(id, name)| (name.clone(), id + 1))
        .collect()
}

/// The machine types whose values wrap somewhere: declared types, and conversions in contracts and bodies.
fn machines(program: &Program, procedures: &[String]) -> BTreeSet<MachineInt> {
    fn of(ty: &Type, found: &mut BTreeSet<MachineInt>) {
        match ty {
            Type::Machine(m) => {
                found.insert(*m);
            }
            Type::Array { element, .. } => of(element, found),
            Type::Map(key, value) => {
                of(key, found);
                of(value, found);
            }
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    program.vars.iter().for_each(|var| of(&var.ty, &mut found));
    for class in &program.classes {
        class
            .fields
            .iter()
            .for_each(|field| of(&field.ty, &mut found));
        class
            .functions
            .iter()
            .for_each(|function| of(&function.result, &mut found));
        let contracts = class
            .routines
            .iter()
            .flat_map(|r| r.requires.iter().chain(&r.ensures));
        let clauses = class
            .invariants
            .iter()
            .chain(&class.initially)
            .chain(contracts);
        let bodies = class.functions.iter().map(|f| &f.body);
        for e in clauses
            .chain(bodies)
            .chain(class.states.iter().map(|s| &s.assumes))
        {
            formula::contains(e, &mut |e| {
                of(&e.ty, &mut found);
                false
            });
        }
    }
    found.extend(MachineInt::all().filter(|m| {
        let wrap = format!("wrap.{}(", m.name());
        procedures.iter().any(|p| p.contains(&wrap))
    }));
    found
}

fn machine_text(m: MachineInt) -> MachineText {
    MachineText {
        name: m.name(),
        modulus: m.modulus().to_string(),
        shift: if m.signed {
            (m.modulus() / 2u32).to_string()
        } else {
            String::new()
        },
    }
}
