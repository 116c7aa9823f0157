//! Which class of a program, and which of its actions.

use std::collections::BTreeSet;

use super::{Input, LoadError, LoadRequest, Places, Unsure};
use crate::front::tq::Loaded;
use crate::ir::{Class, ClassId, Program, Routine, RoutineKind, RoutineRef};
use crate::query::names_in;

/// The class and the actions that are wanted of a program.
pub(super) fn chosen(
    loaded: Loaded,
    request: &LoadRequest,
    notes: Vec<String>,
) -> Result<Input, LoadError> {
    let class = class_in(&loaded.program, request)?;
    let actions = actions_of(loaded.program.class(class), class, request)?;
    let is_users = loaded.source.name == request.path.display().to_string();
    let input = Input {
        loaded,
        class,
        actions,
        predicates: Vec::new(),
        marks: Vec::new(),
        notes,
        unsure: Unsure::new(),
        places: Places::default(),
        messages: None,
        java_calls: None,
        is_kept: false,
    };
    let places = match is_users {
        true => Places::in_text(&input),
        false => Places::default(),
    };
    Ok(Input { places, ..input })
}

fn class_in(program: &Program, request: &LoadRequest) -> Result<ClassId, LoadError> {
    let path = request.path.display();
    match &request.class {
        Some(name) => program.class_named(name).ok_or_else(|| {
            let names = program.classes.iter().map(|class| class.name.as_str());
            let there = listed(names);
            LoadError::request(format!(
                "there is no class `{name}` in {path} (there are: {there})"
            ))
        }),
        None => {
            let last = program.classes.len().checked_sub(1).map(ClassId);
            last.ok_or_else(|| LoadError::request(format!("there is no class in {path}")))
        }
    }
}

fn actions_of(
    class: &Class,
    id: ClassId,
    request: &LoadRequest,
) -> Result<Vec<RoutineRef>, LoadError> {
    let all: Vec<(usize, &Routine)> = class
        .routines_of(RoutineKind::Action)
        .filter_map(|index| Some((index, class.routines.get(index)?)))
        .collect();
    // Those with parameters may have been parted at their commas.
    let [only, without] =
        [&request.actions, &request.without].map(|names| names_in(&names.join(",")));
    let named = |name: &str| Routine::called(all.iter().map(|(_, action)| *action), name);
    let found = |names: &[String]| -> Result<BTreeSet<usize>, LoadError> {
        let found = names.iter().map(|name| {
            named(name).ok_or_else(|| {
                let there = listed(all.iter().map(|(_, known)| known.shown()));
                let class = &class.name;
                LoadError::request(format!(
                    "class `{class}` has no action `{name}` (it has: {there})"
                ))
            })
        });
        found.collect()
    };
    let (kept, left) = (found(&only)?, found(&without)?);
    let is_wanted = |at: usize| (kept.is_empty() || kept.contains(&at)) && !left.contains(&at);
    let chosen = all.iter().enumerate().filter(|(at, _)| is_wanted(*at));
    let chosen = chosen.map(|(_, (index, _))| RoutineRef {
        class: id,
        index: *index,
    });
    Ok(chosen.collect())
}

/// Names in a sentence.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}
