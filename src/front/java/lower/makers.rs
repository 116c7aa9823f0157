//! The methods that make the objects of a class that nobody else can name: a private one, or one that stands in a method. A list
//! makes its iterators at places that it has, and takes back no others; what its iterator can be is not to be seen of the constructor
//! alone, which takes any number.
//!
//! So these methods are taken for the constructors: run on an object of the class around, which is an argument as any other,
//! they do what they do, construct the object, and end as they give it back. That is so if each place that makes such
//! an object is one of them: makes it once, and hands it to nobody but its caller.

use std::sync::Arc;

use super::bodies::Bodies;
use super::raises::uncast;
use crate::front::java::classfile::{ClassFile, Instruction, InvokeKind, PoolConstant};
use crate::front::java::tree::{
    BodyVariable, Invocation, JavaExpr, JavaStatement, JavaStep, MethodBody, Role, StepKind,
    VariableId,
};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::nesting::is_lambda_body;
use crate::front::java::world::studied::Studied;
use crate::front::java::world::{MethodOf, World, methods_of};

/// A method that makes an object, and what it does, as a constructor of that.
pub(super) type Maker = (MethodOf, Arc<MethodBody>);

/// All that makes objects of a class; nothing where there may be others, and where nobody makes any.
pub(super) fn makers(world: &World, studied: &Studied, bodies: &Bodies) -> Option<Vec<Maker>> {
    let class = studied.class();
    if !is_hidden(class) {
        return None;
    }
    let mut found = Vec::new();
    for near in near(world, class) {
        if takes_constructor(&near, &class.name) {
            return None;
        }
        for method in methods_of(&near) {
            if makes(&method, &class.name)? {
                found.push(maker(method, class, bodies)?);
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Whether only the classes around can name a class: those in its outermost one.
fn is_hidden(class: &ClassFile) -> bool {
    let inner = class.inner_classes.iter();
    let mut own = inner.filter(|inner| inner.class == class.name);
    own.any(|own| own.outer.is_none() || own.access.is_private())
}

/// All classes that stand in the same outermost one.
fn near(world: &World, class: &ClassFile) -> Vec<Arc<ClassFile>> {
    let outermost = class.name.outermost();
    let all = world.class_path().classes().into_iter();
    let near = all.filter(|other| other.outermost() == outermost);
    near.filter_map(|other| world.class(&other)).collect()
}

/// Whether code of a class holds a constructor of another one as a function: `Item::new`.
fn takes_constructor(class: &ClassFile, of: &ClassName) -> bool {
    let mut given = class.bootstraps.iter().flat_map(|site| &site.arguments);
    given.any(|given| match given {
        PoolConstant::MethodHandle(handle) => {
            let method = handle.method();
            method.is_some_and(|method| method.is_constructor() && method.class() == *of)
        }
        _ => false,
    })
}

/// Whether a method makes an object of a class; nothing where its code is not read.
fn makes(method: &MethodOf, of: &ClassName) -> Option<bool> {
    let code = method.class.code(method.method()).ok()?;
    let mut all = code.into_iter().flat_map(|code| code.instructions);
    Some(all.any(|(_, instruction)| matches!(instruction, Instruction::New(class) if class == *of)))
}

/// The method as a maker, if it is one.
fn maker(method: MethodOf, class: &ClassFile, bodies: &Bodies) -> Option<Maker> {
    let is_plain = !method.method().name.starts_with('<') && !is_lambda_body(&method);
    // What the class itself makes is made of another of its objects.
    let is_around = is_plain && method.class.name != class.name;
    let body = bodies.of(&method).ok()?.filter(|_| is_around)?;
    let body = as_constructor(&body, &class.name)?;
    Some((method, Arc::new(body)))
}

/// The body of a maker as that of a constructor: the object that it is run on is its first argument.
fn as_constructor(body: &MethodBody, class: &ClassName) -> Option<MethodBody> {
    let made = the_only_one(body, class)?;
    let names = names_of(body, made);
    let is_made = |e: &JavaExpr| matches!(uncast(e), JavaExpr::Variable(id) if names.contains(id));
    if !is_handed_to_the_caller_alone(body, &names, &is_made) {
        return None;
    }
    let mut body = body.clone();
    for variable in &mut body.variables {
        if variable.role == Role::This {
            variable.role = Role::Around;
            variable.name = "outer".to_owned();
        }
    }
    let this = VariableId(u32::try_from(body.variables.len()).ok()?);
    body.variables.push(BodyVariable {
        name: "this".to_owned(),
        ty: JavaType::Class(class.clone()),
        role: Role::This,
    });
    body.parameters.insert(0, this);
    construct(&mut body.statements, this, &is_made);
    Some(body)
}

/// The variable that the one object of the class is put into, if there is one, and it is made once.
fn the_only_one(body: &MethodBody, class: &ClassName) -> Option<VariableId> {
    let in_rounds = &mut Vec::new();
    let mut all = Vec::new();
    for statement in &body.statements {
        statement.visit(&mut |part| {
            all.extend(made_by(part, class));
            // In a round of a loop it might be made again.
            if let JavaStatement::Loop { .. } = part {
                part.visit(&mut |part| in_rounds.extend(made_by(part, class)));
            }
        });
    }
    match all.as_slice() {
        [made] if in_rounds.is_empty() => Some(*made),
        _ => None,
    }
}

/// The variable that a step puts a new object of the class into, if it is such a one.
fn made_by(statement: &JavaStatement, class: &ClassName) -> Option<VariableId> {
    match statement {
        JavaStatement::Step(JavaStep {
            kind: StepKind::New(variable, new),
            ..
        }) if new.class == *class => Some(*variable),
        _ => None,
    }
}

/// The variable, and those that it is put into.
fn names_of(body: &MethodBody, made: VariableId) -> Vec<VariableId> {
    let (mut names, mut at) = (vec![made], 0);
    while let Some(name) = names.get(at).copied() {
        for step in super::aliases::steps(body) {
            if let StepKind::Assign(to, value) = &step.kind
                && *uncast(value) == JavaExpr::Variable(name)
                && !names.contains(to)
            {
                names.push(*to);
            }
        }
        at += 1;
    }
    names
}

/// Whether the object is given back wherever the method ends, and nothing else is done with it. Its variables hold nothing else.
fn is_handed_to_the_caller_alone(
    body: &MethodBody,
    names: &[VariableId],
    is_made: &impl Fn(&JavaExpr) -> bool,
) -> bool {
    let speaks_of = |e: &&JavaExpr| names.iter().any(|name| e.mentions(*name));
    let mut fine = true;
    for statement in &body.statements {
        statement.visit(&mut |part| {
            fine &= match part {
                JavaStatement::Return(_, value) => value.as_ref().is_some_and(is_made),
                JavaStatement::Step(JavaStep { kind, .. }) => {
                    let holds_it = kind.defines().is_some_and(|to| names.contains(&to));
                    match kind {
                        StepKind::Assign(_, value) if is_made(value) => true,
                        StepKind::New(..) if holds_it => !kind.expressions().iter().any(speaks_of),
                        _ => !holds_it && !kind.expressions().iter().any(speaks_of),
                    }
                }
                JavaStatement::Try { catches, .. } => {
                    let mut caught = catches.iter().map(|catch| catch.variable);
                    !caught.any(|variable| names.contains(&variable))
                }
                other => !other.expressions().iter().any(speaks_of),
            }
        });
    }
    fine
}

/// Puts the object under study into the place of the one that is made.
fn construct(
    statements: &mut Vec<JavaStatement>,
    this: VariableId,
    is_made: &impl Fn(&JavaExpr) -> bool,
) {
    statements.retain(|statement| {
        let JavaStatement::Step(step) = statement else {
            return true;
        };
        !matches!(&step.kind, StepKind::Assign(_, value) if is_made(value))
    });
    for statement in statements {
        match statement {
            JavaStatement::Return(_, value) => *value = None,
            JavaStatement::Step(JavaStep { kind, .. }) => {
                if let StepKind::New(variable, new) = kind
                    && is_made(&JavaExpr::Variable(*variable))
                {
                    let constructed = Invocation {
                        kind: InvokeKind::Special,
                        method: new.constructor.clone(),
                        receiver: Some(JavaExpr::Variable(this)),
                        arguments: std::mem::take(&mut new.arguments),
                    };
                    *kind = StepKind::Call(None, constructed);
                }
            }
            _ => {}
        }
        for part in statement.parts_mut() {
            construct(part, this, is_made);
        }
    }
}
