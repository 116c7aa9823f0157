//! From a class to a text of the language that says the same, as far as the language can, and leaves the rest open.
//!
//! | module | what it holds |
//! |---|---|
//! | `methods`, `helpers` | the methods that are run: on the object, and on objects of helper classes |
//! | `bodies`, `overriding` | their bodies; which of them an object may have others for |
//! | `elsewhere`, `aliases`, `callbacks` | what other code may change of these; the object itself under other names |
//! | `makers` | the methods that make objects of a class that nobody else can name |
//! | `closed` | the fields that only constructors and actions change |
//! | [`outer`], `copies` | the objects that objects of inner classes are made in; what their class makes of copies |
//! | `nulls`, `never_null`, `raises` | which references may be null, and which fields never are; which exceptions may come |
//! | `given` | which values others choose |
//! | `shape`, `exceptions`, `names`, `shown` | types, exceptions and names of Java in the language; what is shown instead of names |
//! | `expression`, `step`, `standard`, `body` | bodies |
//! | `declare`, `tidy` | variables where they are needed; what nobody needs left out |
//! | `written`, `class/owed` | conditions that authors wrote down |
//! | `class`, `constants` | the class as a whole; static fields of it that never change |
//! | `calls`, `making` | the calls that its routines stand for, as Java writes them; objects to call them with |
//!
//! What is cut is said in comments. Own code raises exceptions to refuse a call; what other code raises is another
//! exception of that name, with `_outside` behind it.

mod aliases;
mod bodies;
mod body;
mod callbacks;
mod calls;
mod class;
mod closed;
mod constants;
mod copies;
mod declare;
mod elsewhere;
mod exceptions;
mod expression;
mod given;
mod helpers;
mod makers;
mod making;
mod methods;
mod names;
mod never_null;
mod nulls;
pub mod outer;
mod overriding;
mod raises;
mod shape;
mod shown;
mod standard;
mod step;
mod tidy;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::classfile::ClassFile;
use super::effects::frame::frame;
use super::effects::writers::Writers;
use super::types::ClassName;
use super::world::World;
use super::world::studied::Studied;
use crate::front::tq::ast::FileSyntax;
use crate::ir::JavaCalls;
use bodies::Bodies;
use class::ClassState;
use elsewhere::Elsewhere;
use helpers::OwnerId;
use methods::Methods;
use outer::RulesAround;
use raises::Context;

/// A class in the language.
#[derive(Clone, Debug)]
pub struct LoweredClass {
    /// Its text, in which it is the last class.
    pub text: String,
    /// The tree that this was printed from, with the lines of the sources that its statements were made of.
    pub tree: FileSyntax,
    /// What could be in it and is not, in sentences.
    pub notes: Vec<String>,
    /// The exceptions in it that are `Error`s of the class's own code. They refuse nothing: they say that something is broken,
    /// not that it is the wrong time.
    pub errors: BTreeSet<String>,
    /// What exceptions are called where they are shown, where that is something else; those of the language's operations among
    /// them, which the text does not declare.
    pub shown_exceptions: BTreeMap<String, String>,
    /// Those that other code raises. They refuse nothing either, and do not show that a call can be made.
    pub of_other_code: BTreeSet<String>,
    /// Its fields that nobody changes but its constructors and actions.
    pub closed: BTreeSet<String>,
    /// Its fields that neither of them changes, nor code that they call, but others.
    pub of_others: BTreeSet<String>,
    /// Its fields that code may change which nobody has looked at.
    pub open: BTreeSet<String>,
    /// What its fields are called in Java, by their names in the text.
    pub fields: BTreeMap<String, String>,
    /// The calls that its routines stand for.
    pub calls: JavaCalls,
}

/// A class with its helpers in the language. `around` says what is known of the objects that its objects are made in.
pub fn lower(world: &World, class: &Arc<ClassFile>, around: &RulesAround) -> LoweredClass {
    let studied = Studied::of(world, class);
    lower_studied(world, &studied, around, Bodies::default())
}

/// A class that others stand in, with all that others may call of it as its actions, in the language. Its objects may be of a
/// subclass.
pub fn lower_outer(world: &World, class: &Arc<ClassFile>) -> LoweredClass {
    let studied = Studied {
        exact: class.access.is_final(),
        ..Studied::of(world, class)
    };
    let studied = outer::with_all_entries(world, studied);
    let bodies = Bodies::of_copies_as_well();
    lower_studied(world, &studied, &RulesAround::new(), bodies)
}

/// A class under study as [`lower`] has it, but with all that others may call of it as its actions.
pub fn lower_with_all_entries(
    world: &World,
    class: &Arc<ClassFile>,
    around: &RulesAround,
) -> LoweredClass {
    let studied = outer::with_all_entries(world, Studied::of(world, class));
    lower_studied(world, &studied, around, Bodies::of_copies_as_well())
}

fn lower_studied(
    world: &World,
    studied: &Studied,
    around: &RulesAround,
    bodies: Bodies,
) -> LoweredClass {
    let methods = Methods::of(world, studied, around, bodies);
    let writers = writers(world, &methods);
    let context = Context::of(world, studied, &methods, &writers);
    let own = changed_outside(world, &writers, studied);
    let elsewhere = Elsewhere::new(&writers, &methods, own);
    let classes = methods.helpers.too_many.iter().map(ClassName::to_string);
    let left_out = classes.chain(methods.too_many.iter().cloned());
    let notes = left_out.map(|name| {
        format!("`{name}` is taken to do anything: there are too many helpers to follow all")
    });
    let bodies = &methods.helpers.bodies;
    let mut fields = closed::by_writers(world, (studied, bodies), &writers, &context.aliases);
    // What they call may set these.
    let by_calls = &elsewhere.own;
    fields.of_others.retain(|field| !by_calls.contains(field));
    let made = class::text(&context, ClassState::new(elsewhere), &fields);
    LoweredClass {
        notes: notes.chain(made.left_out).collect(),
        text: made.text,
        tree: made.tree,
        errors: made.errors,
        of_other_code: made.of_other_code,
        shown_exceptions: made.shown_exceptions,
        fields: made.names,
        closed: made.fields.closed,
        of_others: made.fields.of_others,
        open: made.fields.open,
        calls: made.calls,
    }
}

/// Who assigns fields in the packages of the class, of its helpers, and of their superclasses.
fn writers(world: &World, methods: &Methods<'_>) -> Writers {
    let helpers = methods.helpers.used().map(|(_, helper)| &helper.class);
    let classes = helpers.chain([methods.helpers.class(OwnerId::STUDIED)]);
    let packages: BTreeSet<&str> = classes
        .flat_map(|class| &class.chain)
        .map(|class| class.name.package())
        .collect();
    let near: Vec<ClassName> = world
        .class_path()
        .classes()
        .into_iter()
        .filter(|class| packages.contains(class.package()))
        .collect();
    Writers::of(world, &near)
}

/// The fields that calls of other code may change: those that others assign, once they can get at the object. Who may see
/// a field by its modifiers is looked at in its package; a field that all may see is taken to be assigned.
fn changed_outside(world: &World, writers: &Writers, studied: &Studied) -> Vec<String> {
    let frame = frame(world, writers, studied);
    if frame.escapes.is_empty() && frame.refused.is_empty() {
        return Vec::new();
    }
    let mut changed = frame.changed(false);
    let fields = studied.fields.iter();
    let open = fields.filter(|own| writers.is_open(studied, own));
    changed.extend(open.map(|own| own.name.clone()));
    changed.into_iter().collect()
}
