//! Call sites that a bootstrap method works out, by the five bootstrap methods that compilers use.

use std::sync::Arc;

use crate::front::java::classfile::{Bootstrap, Dynamic, MethodRef, PoolConstant, Text};
use crate::front::java::tree::{CallSite, StringPart};
use crate::front::java::types::{JavaType, MethodSignature};

/// What a call site does; nothing where the class file has no such bootstrap method.
pub(super) fn call_site(
    site: &Dynamic<MethodSignature>,
    bootstraps: &[Bootstrap],
) -> Option<CallSite> {
    let bootstrap = bootstraps.get(usize::from(site.bootstrap))?;
    let known = bootstrap
        .method
        .method()
        .and_then(|method| known(site, method, bootstrap));
    Some(known.unwrap_or_else(|| CallSite::Other {
        bootstrap: bootstrap.method.clone(),
        name: Arc::clone(&site.name),
    }))
}

fn known(
    site: &Dynamic<MethodSignature>,
    method: &MethodRef,
    bootstrap: &Bootstrap,
) -> Option<CallSite> {
    let JavaType::Class(owner) = &method.owner else {
        return None;
    };
    let arguments = bootstrap.arguments.as_slice();
    match (owner.internal(), &*method.name) {
        ("java/lang/invoke/LambdaMetafactory", "metafactory" | "altMetafactory") => {
            let Some(PoolConstant::MethodHandle(target)) = arguments.get(1) else {
                return None;
            };
            Some(CallSite::Lambda {
                interface: site.ty.result.clone()?,
                method: Arc::clone(&site.name),
                target: target.clone(),
            })
        }
        ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants") => {
            let (recipe, constants) = arguments.split_first()?;
            let PoolConstant::String(Text::Plain(recipe)) = recipe else {
                return None;
            };
            concat(recipe, constants, site.ty.parameters.len()).map(CallSite::Concat)
        }
        ("java/lang/invoke/StringConcatFactory", "makeConcat") => {
            let parts = site.ty.parameters.iter().map(|_| StringPart::Argument);
            Some(CallSite::Concat(parts.collect()))
        }
        ("java/lang/runtime/ObjectMethods", "bootstrap") => {
            Some(CallSite::Record(Arc::clone(&site.name)))
        }
        ("java/lang/runtime/SwitchBootstraps", "typeSwitch" | "enumSwitch") => {
            Some(CallSite::Switch(arguments.to_vec()))
        }
        _ => None,
    }
}

/// The parts of a string: in the recipe, `\1` stands for the next argument and `\2` for the next constant.
fn concat(recipe: &str, constants: &[PoolConstant], count: usize) -> Option<Vec<StringPart>> {
    let mut constants = constants.iter();
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut arguments = 0;
    let end = |text: &mut String, parts: &mut Vec<StringPart>| {
        if !text.is_empty() {
            parts.push(StringPart::Text(std::mem::take(text).into()));
        }
    };
    for letter in recipe.chars() {
        match letter {
            '\u{1}' => {
                end(&mut text, &mut parts);
                parts.push(StringPart::Argument);
                arguments += 1;
            }
            '\u{2}' => {
                end(&mut text, &mut parts);
                parts.push(StringPart::Constant(constants.next()?.clone()));
            }
            letter => text.push(letter),
        }
    }
    end(&mut text, &mut parts);
    (arguments == count).then_some(parts)
}
