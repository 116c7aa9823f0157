//! A Java class as a class of the language. An action requires what its own code asks for before it goes on; what other code
//! may raise refuses nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::guards::{GuardReading, guarded};
use super::{Input, LoadError, LoadRequest, Unsure, choice, made};
use crate::front::java::classfile::ClassFile;
use crate::front::java::input::{self, JavaInput, JavaRequest, NoClass};
use crate::front::java::lower::outer::{OuterRules, RulesAround, outer_classes};
use crate::front::java::lower::{self, LoweredClass};
use crate::front::tq::{self, Loaded};
use crate::ir::formula;
use crate::ir::{ClassId, Expr, FieldRef, Program, RoutineRef, expr_text};
use crate::typestate::requires::{self, Inferred, Proposed, called_inside, given, written};

/// What is named, with all that it refers to.
pub(super) fn open(request: &LoadRequest) -> Result<JavaInput, LoadError> {
    input::open(&JavaRequest {
        paths: std::slice::from_ref(&request.path),
        class_path: &request.java.class_path,
        jdk: request.java.jdk.as_deref(),
    })
    .map_err(|error| LoadError::request(error.to_string()))
}

/// The class that is wanted. The last class of the text is the one under study.
pub(super) fn load(request: &LoadRequest) -> Result<Input, LoadError> {
    let path = &request.path;
    let opened = open(request)?;
    let found = opened.class(request.class.as_deref()).map_err(|error| {
        let help = match error {
            NoClass::NotChosen(_) | NoClass::Ambiguous(..) => {
                Some("name one with --class; `tranquera java` lists them")
            }
            NoClass::Unknown { .. } => Some("`tranquera java` lists the classes"),
            NoClass::Interface(_) | NoClass::Unreadable(_) => None,
        };
        LoadError::Request {
            message: format!("{}: {error}", path.display()),
            help: help.map(str::to_owned),
        }
    })?;
    let name = format!("{} (as text)", found.name);
    let whole = LoadRequest {
        class: None,
        ..request.clone()
    };
    let around = rules_around(&opened, &found, &whole)?;
    let lowered = lower::lower(&opened.world, &found, &around);
    let plain = made(path, &name, &lowered.text)?.made_of(&lowered.tree);
    let all_left = of_all_actions(&whole);
    let whatever_is_called = kept_by_all_entries(&opened, &found, (&around, &lowered), &whole)?;
    let kept_by = |loaded: &Loaded, class: ClassId, actions: &[RoutineRef]| {
        let mut kept = said_of(loaded, class, &whatever_is_called);
        let known = knowing(&loaded.program, class, &kept);
        kept.extend(invariants(
            &known,
            (class, actions),
            &lowered.closed,
            request,
        )?);
        Ok::<Vec<Expr>, LoadError>(kept)
    };
    let of_all = match request.actions.is_empty() && request.without.is_empty() {
        true => None,
        // What all actions keep, these do.
        false => {
            let all = choice::chosen(plain.clone(), &all_left, Vec::new())?;
            let all = part_of(all, &name, request)?;
            let (program, class) = (&all.loaded.program, all.class);
            let found = kept_by(&all.loaded, class, &all.actions)?;
            let texts = found.iter().map(|e| expr_text(program, class, e));
            Some(texts.collect::<Vec<String>>())
        }
    };
    let chosen = choice::chosen(plain, &whole, Vec::new())?;
    let studied = part_of(chosen, &name, request)?;
    let left = match request.java.whole {
        true => whole,
        // A slice has no other actions than were asked for.
        false => all_left,
    };
    let (mut plain, class) = (studied.loaded, studied.class);
    let read = |plain: &Loaded| {
        let of_all = of_all.as_deref();
        let invariants = match of_all {
            Some(of_all) => said_of(plain, class, of_all),
            None => kept_by(plain, class, &studied.actions)?,
        };
        read_bodies(plain, class, invariants, &lowered, request)
    };
    let mut bodies = read(&plain)?;
    let mut begun_by = Vec::new();
    let begun = begun_by_others(&plain.program, class, &lowered.of_others, &bodies.found);
    if !begun.is_empty() {
        let text = requires::beginning_with_any(&plain.program, class, &plain.source, &begun);
        let names = begun.iter().map(|field| {
            let name = &plain.program.field(*field).name;
            format!("`{name}` is set by others than its constructors and actions: an object may begin with any")
        });
        begun_by.extend(names);
        plain = made(path, &name, &text)?.made_as(&plain);
        bodies = read(&plain)?;
    }
    let BodiesRead {
        invariants,
        found,
        reading,
        unsure,
    } = bodies;
    let notes = opened.remarks.iter().cloned().chain(lowered.notes);
    let notes = notes.chain(begun_by).collect();
    // Where bodies call an action, its clauses stay out of the text: they are for callers from outside.
    let inside = called_inside(&plain.program);
    let (kept_out, outside): (Vec<Inferred>, Vec<Inferred>) = found
        .into_iter()
        .partition(|found| inside.contains(&found.routine));
    let text = written(&plain.program, class, &plain.source, &outside, &invariants);
    let loaded = made(path, &name, &text)?.made_as(&plain);
    let certain = outside.into_iter().map(|found| Inferred {
        clauses: Vec::new(),
        ..found
    });
    let others: Vec<Inferred> = kept_out.into_iter().chain(certain).collect();
    let mut program = given(&loaded.program, &others);
    // In the text they stand before what is written down.
    program.classes[class.0].facts += invariants.len();
    for (name, shown) in &lowered.shown_exceptions {
        let id = program.exception_named(name);
        program
            .shown_exceptions
            .extend(id.map(|id| (id, shown.clone())));
    }
    program.refusing = reading.refusing(&program)?;
    let program = Arc::new(program);
    let input = choice::chosen(Loaded { program, ..loaded }, &left, notes)?;
    Ok(Input {
        java_calls: Some(Arc::new(lowered.calls)),
        unsure,
        ..input
    })
}

/// What the class keeps whatever others call of it, methods that are no actions among it: of the fields that these change, too. Where
/// an action is called, none of them is run. In words of the class's text.
fn kept_by_all_entries(
    opened: &JavaInput,
    class: &Arc<ClassFile>,
    (around, lowered): (&RulesAround, &LoweredClass),
    request: &LoadRequest,
) -> Result<Vec<String>, LoadError> {
    let mut fields = lowered.fields.keys();
    if fields.all(|field| lowered.closed.contains(field)) {
        return Ok(Vec::new());
    }
    let all = lower::lower_with_all_entries(&opened.world, class, around);
    // The same field, by the same name.
    let is_both = |field: &String| all.fields.get(field) == lowered.fields.get(field);
    let closed: BTreeSet<String> = all.closed.iter().filter(|f| is_both(f)).cloned().collect();
    if closed.is_subset(&lowered.closed) {
        return Ok(Vec::new());
    }
    let name = format!("{} (as text, with all entries)", class.name);
    let loaded = made(&request.path, &name, &all.text)?;
    let made = choice::chosen(loaded, &of_all_actions(request), Vec::new())?;
    let made = part_of(made, &name, request)?;
    texts_of_invariants(&made, &closed, request)
}

/// What the classes keep in whose objects those of this one are made.
fn rules_around(
    opened: &JavaInput,
    class: &Arc<ClassFile>,
    request: &LoadRequest,
) -> Result<RulesAround, LoadError> {
    let mut found = RulesAround::new();
    for outer in outer_classes(&opened.world, class) {
        let lowered = lower::lower_outer(&opened.world, &outer);
        let name = format!("{} (as text)", outer.name);
        let loaded = made(&request.path, &name, &lowered.text)?;
        let made = choice::chosen(loaded, &of_all_actions(request), Vec::new())?;
        let rules = texts_of_invariants(&made, &lowered.closed, request)?;
        found.extend(OuterRules::of(&lowered, &rules).map(|rules| (outer.name.clone(), rules)));
    }
    Ok(found)
}

/// What the actions of a class keep of these fields, in words of its text.
fn texts_of_invariants(
    made: &Input,
    closed: &BTreeSet<String>,
    request: &LoadRequest,
) -> Result<Vec<String>, LoadError> {
    let program = &made.loaded.program;
    let found = invariants(program, (made.class, &made.actions), closed, request)?;
    let texts = found.iter().map(|e| expr_text(program, made.class, e));
    Ok(texts.collect())
}

/// The part of a class that is looked at.
fn part_of(whole: Input, name: &str, request: &LoadRequest) -> Result<Input, LoadError> {
    match request.java.whole {
        true => Ok(whole),
        false => whole.sliced_as(name),
    }
}

/// What was read of bodies.
struct BodiesRead {
    invariants: Vec<Expr>,
    found: Vec<Inferred>,
    reading: GuardReading,
    unsure: Unsure,
}

/// The request without a choice of actions.
fn of_all_actions(request: &LoadRequest) -> LoadRequest {
    LoadRequest {
        actions: Vec::new(),
        without: Vec::new(),
        ..request.clone()
    }
}

/// Those of the clauses that speak of nothing but what is left in the class.
fn said_of(plain: &Loaded, class: ClassId, clauses: &[String]) -> Vec<Expr> {
    let said = clauses.iter().filter_map(|clause| {
        let read = tq::with_predicates(plain, class, ("", std::slice::from_ref(clause))).ok()?;
        read.exprs.into_iter().next()
    });
    said.collect()
}

/// What the constructors and actions require, where they keep these invariants.
fn read_bodies(
    plain: &Loaded,
    class: ClassId,
    invariants: Vec<Expr>,
    lowered: &LoweredClass,
    request: &LoadRequest,
) -> Result<BodiesRead, LoadError> {
    let program = &plain.program;
    let known = knowing(program, class, &invariants);
    let exceptions = program.exceptions.iter();
    let exceptions = exceptions.filter(|name| !lowered.errors.contains(*name));
    let (neither, refusing) = exceptions
        .cloned()
        .partition(|name| lowered.of_other_code.contains(name));
    let reading = GuardReading::Possible { refusing, neither };
    let (found, unsure) = guarded(&known, class, &reading, request)?;
    Ok(BodiesRead {
        invariants,
        found,
        reading,
        unsure,
    })
}

/// The fields without which some action could never be called, since nobody but others gives them another value than that with
/// which objects begin: who is handed an object may be handed one in which they are set.
fn begun_by_others(
    program: &Program,
    class: ClassId,
    of_others: &BTreeSet<String>,
    found: &[Inferred],
) -> BTreeSet<FieldRef> {
    let fields = program.class(class).fields.iter().enumerate();
    let of_others = fields.filter(|(_, field)| of_others.contains(&field.name));
    let begun = of_others.filter_map(|(index, field)| {
        let value = field.value.as_ref()?;
        let field = FieldRef { class, index };
        let mut clauses = found.iter().flat_map(|inferred| &inferred.clauses);
        let is_never = |clause| {
            let at_first = formula::with_field(clause, field, value);
            formula::is_bool(&formula::tidy(&at_first), false)
        };
        clauses.any(is_never).then_some(field)
    });
    begun.collect()
}

/// What constructors and actions always keep, over the fields that nobody else changes, whatever is written down.
fn invariants(
    program: &Program,
    (class, actions): (ClassId, &[RoutineRef]),
    closed: &BTreeSet<String>,
    request: &LoadRequest,
) -> Result<Vec<Expr>, LoadError> {
    let fields = program.class(class).fields.iter().enumerate();
    let fields = fields.filter(|(_, field)| closed.contains(&field.name));
    let fields = fields.map(|(index, _)| FieldRef { class, index });
    let proposed = Proposed::FewOver(fields.collect());
    let options = super::guards::options(request);
    // What authors say that always holds may not.
    let mut proved = program.clone();
    let declared = &mut proved.classes[class.0];
    declared.invariants.truncate(declared.facts);
    let found = requires::invariants(&proved, class, actions, &proposed, &options)?;
    // What was not asked any more would be missing.
    match options.interrupt.is_set() {
        true => Err(LoadError::Interrupted),
        false => Ok(found),
    }
}

/// The program, where this is known of each object of the class: nobody has to ask whether a call breaks it.
fn knowing(program: &Program, class: ClassId, invariants: &[Expr]) -> Program {
    let mut program = program.clone();
    let declared = &mut program.classes[class.0];
    let facts = declared.facts;
    declared
        .invariants
        .splice(facts..facts, invariants.iter().cloned());
    declared.facts += invariants.len();
    program
}
