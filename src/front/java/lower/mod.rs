//! From a class to a text of the language that says the same, as far as the language can, and leaves the rest open.
//!
//! | module | what it holds |
//! |---|---|
//! | `methods` | the methods that are run on the object |
//! | `nulls`, `raises` | which references may be null; which exceptions may come |
//! | `shape`, `exceptions`, `names` | types, exceptions and names of Java in the language |
//! | `expression`, `step`, `body` | bodies |
//! | `declare`, `tidy` | variables where they are needed; what nobody needs left out |
//! | `class` | the class as a whole |
//! | `build` | pieces of the syntax tree |
//!
//! What is cut is said in comments. Own code raises exceptions to refuse a call; what other code raises is another
//! exception of that name, with `_outside` behind it.

mod body;
mod class;
mod declare;
mod exceptions;
mod expression;
mod methods;
mod names;
mod nulls;
mod raises;
mod shape;
mod step;
mod tidy;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::classfile::ClassFile;
use super::effects::frame::frame;
use super::effects::writers::Writers;
use super::types::ClassName;
use super::world::World;
use super::world::studied::Studied;
use class::ClassState;
use methods::Methods;
use raises::Context;

/// The text of a class in the language.
pub fn text(world: &World, class: &Arc<ClassFile>) -> String {
    let studied = Studied::of(world, class);
    let methods = Methods::of(world, &studied);
    let context = Context::of(world, &studied, &methods);
    let (outside, waiting) = (
        changed_outside(world, &studied),
        changed_while_waiting(&studied),
    );
    let state = ClassState::new(outside, waiting);
    class::text(&context, state)
}

/// The fields that calls of other code may change: those that others assign, once they can get at the object. Who may see
/// a field by its modifiers is looked at in its package; a field that all may see is taken to be assigned.
fn changed_outside(world: &World, studied: &Studied) -> Vec<String> {
    let packages: BTreeSet<&str> = studied
        .chain
        .iter()
        .map(|class| class.name.package())
        .collect();
    let near: Vec<ClassName> = world
        .class_path()
        .classes()
        .into_iter()
        .filter(|class| packages.contains(class.package()))
        .collect();
    let writers = Writers::of(world, &near);
    let frame = frame(world, &writers, studied);
    if frame.escapes.is_empty() && frame.refused.is_empty() {
        return Vec::new();
    }
    let mut changed = frame.changed(false);
    let open = studied.fields.iter().filter(|own| {
        let access = own.field.access;
        (access.is_public() || access.is_protected()) && !access.is_final()
    });
    changed.extend(open.map(|own| own.name.clone()));
    changed.into_iter().collect()
}

/// The fields that may be another thread's to change: all that are not final.
fn changed_while_waiting(studied: &Studied) -> Vec<String> {
    let fields = studied.fields.iter();
    fields
        .filter(|own| !own.field.access.is_final())
        .map(|own| own.name.clone())
        .collect()
}
