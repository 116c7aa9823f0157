//! The methods that make the objects of a class that nobody else can name: a private one, or one that stands in a method. A list
//! makes its iterators at places that it has, and takes back no others; what its iterator can be is not to be seen of the constructor
//! alone, which takes any number.
//!
//! So these methods are taken for the constructors: run on an object of the class around, which is an argument as any other,
//! they do what they do, construct the object, and end as they give it back. That is so if each place that makes such
//! an object is one of them: makes it once, as the last thing that it does, and hands it to nobody but its caller.

use std::sync::Arc;

use super::aliases::steps;
use super::bodies::Bodies;
use super::body::names_of;
use super::raises::uncast;
use crate::front::java::classfile::{
    ClassFile, Instruction, InvokeKind, JavaFieldRef, PoolConstant,
};
use crate::front::java::tree::{
    BodyVariable, Invocation, JavaExpr, JavaStatement, JavaStep, MethodBody, Role, StepKind,
    VariableId,
};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::nesting::{is_hidden, is_lambda_body};
use crate::front::java::world::studied::Studied;
use crate::front::java::world::{MethodOf, World, methods_of};

/// A method that makes an object, and what it does, as a constructor of that.
pub(super) type Maker = (MethodOf, Arc<MethodBody>);

/// All that makes objects of a class; nothing where there may be others, and where nobody makes any. An object that may be one of a
/// subclass is made by others.
pub(super) fn makers(world: &World, studied: &Studied, bodies: &Bodies) -> Option<Vec<Maker>> {
    let class = studied.class();
    if !studied.exact || !is_hidden(class) {
        return None;
    }
    let mut found = Vec::new();
    for near in near(world, class)? {
        if takes_constructor(&near, &class.name) {
            return None;
        }
        for method in methods_of(&near) {
            if makes(&method, &class.name)? {
                found.push(maker(method, studied, bodies)?);
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// All classes of the package: those that stand in the same outermost one, and those that a compiler may have copied their code
/// into. Nothing where one cannot be read.
fn near(world: &World, class: &ClassFile) -> Option<Vec<Arc<ClassFile>>> {
    let all = world.of_package(class.name.package()).into_iter();
    all.map(|other| world.class(&other)).collect()
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
fn maker(method: MethodOf, studied: &Studied, bodies: &Bodies) -> Option<Maker> {
    let is_plain = !method.method().name.starts_with('<') && !is_lambda_body(&method);
    // What the class itself makes is made of another of its objects.
    let is_around = is_plain && method.class.name != studied.class().name;
    let body = bodies.of(&method).ok()?.filter(|_| is_around)?;
    let body = as_constructor(&body, studied)?;
    Some((method, Arc::new(body)))
}

/// The body of a maker as that of a constructor: the object that it is run on is its first argument.
fn as_constructor(body: &MethodBody, studied: &Studied) -> Option<MethodBody> {
    let class = &studied.class().name;
    let made = the_only_one(body, class)?;
    let names = names_of(&body.statements, made);
    // A parameter may be another object, that was made before.
    if names.iter().any(|name| body.parameters.contains(name)) {
        return None;
    }
    let this = VariableId(u32::try_from(body.variables.len()).ok()?);
    let making = Making {
        class,
        names,
        this,
        zero: match acts_before(body, class) {
            true => zero(studied, this),
            false => Vec::new(),
        },
    };
    if !making.is_handed_to_the_caller_alone(body) {
        return None;
    }
    making.behind(&body.statements)?;
    let mut body = body.clone();
    for variable in &mut body.variables {
        if variable.role == Role::This {
            variable.role = Role::Around;
            variable.name = "outer".to_owned();
        }
    }
    body.variables.push(BodyVariable {
        name: "this".to_owned(),
        ty: JavaType::Class(class.clone()),
        role: Role::This,
    });
    body.parameters.insert(0, this);
    body.statements = making.constructing(body.statements);
    Some(body)
}

/// The variable that the one object of the class is put into, if only one place makes it.
fn the_only_one(body: &MethodBody, class: &ClassName) -> Option<VariableId> {
    let mut all = Vec::new();
    for statement in &body.statements {
        statement.visit(&mut |part| all.extend(new_of(part, class)));
    }
    match all.as_slice() {
        [made] => Some(*made),
        _ => None,
    }
}

/// The variable that a step puts a new object of the class into, if it is such a one.
fn new_of(statement: &JavaStatement, class: &ClassName) -> Option<VariableId> {
    match statement {
        JavaStatement::Step(JavaStep {
            kind: StepKind::New(variable, new),
            ..
        }) if new.class == *class => Some(*variable),
        _ => None,
    }
}

/// Whether the method does more than to calculate before it makes the object.
fn acts_before(body: &MethodBody, class: &ClassName) -> bool {
    let mut others = steps(body).into_iter().filter(|step| match &step.kind {
        StepKind::Assign(..) | StepKind::Evaluate(_) => false,
        StepKind::New(_, new) => new.class != *class,
        _ => true,
    });
    others.next().is_some()
}

/// What a new object begins with. Until it is made, what others may do to objects of its class is done to none.
fn zero(studied: &Studied, this: VariableId) -> Vec<StepKind> {
    let zero = |ty: &JavaType| match ty {
        JavaType::Boolean => Some(JavaExpr::Boolean(false)),
        JavaType::Long => Some(JavaExpr::Constant(PoolConstant::Long(0))),
        // Nothing is known of these.
        JavaType::Float | JavaType::Double => None,
        JavaType::Class(_) | JavaType::Array(_) => Some(JavaExpr::null()),
        _ => Some(JavaExpr::int(0)),
    };
    let fields = studied.fields.iter().filter_map(|own| {
        let field = JavaFieldRef {
            class: own.class.clone(),
            name: own.field.name.clone(),
            ty: own.field.ty.clone(),
        };
        let value = zero(&own.field.ty)?;
        Some(StepKind::SetField(JavaExpr::Variable(this), field, value))
    });
    fields.collect()
}

/// What is done behind the making of the object in a list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Behind {
    /// It is not made there.
    NotThere,
    /// It is given back.
    Returns,
    /// That is done behind the list.
    GoesOn,
}

/// How a body makes the object.
struct Making<'a> {
    class: &'a ClassName,
    /// The variables that hold the object where it was made.
    names: Vec<VariableId>,
    /// The object as that of a constructor.
    this: VariableId,
    /// What is done to it before it is constructed.
    zero: Vec<StepKind>,
}

impl Making<'_> {
    fn is_made(&self, e: &JavaExpr) -> bool {
        matches!(uncast(e), JavaExpr::Variable(id) if self.names.contains(id))
    }

    /// Whether the object is given back wherever the method ends, and nothing else is done with it. Its variables hold nothing else.
    fn is_handed_to_the_caller_alone(&self, body: &MethodBody) -> bool {
        let speaks_of = |e: &&JavaExpr| self.names.iter().any(|name| e.mentions(*name));
        let mut fine = true;
        for statement in &body.statements {
            statement.visit(&mut |part| {
                fine &= match part {
                    JavaStatement::Return(_, value) => {
                        value.as_ref().is_some_and(|value| self.is_made(value))
                    }
                    JavaStatement::Step(JavaStep { kind, .. }) => {
                        let mut parts = kind.expressions().into_iter();
                        let holds_it = kind.defines().is_some_and(|to| self.names.contains(&to));
                        match kind {
                            StepKind::Assign(_, value) if self.is_made(value) => true,
                            StepKind::New(_, new) if holds_it => {
                                new.class == *self.class && !parts.any(|e| speaks_of(&e))
                            }
                            _ => !holds_it && !parts.any(|e| speaks_of(&e)),
                        }
                    }
                    JavaStatement::Try { catches, .. } => {
                        let mut caught = catches.iter().map(|catch| catch.variable);
                        !caught.any(|variable| self.names.contains(&variable))
                    }
                    other => !other.expressions().iter().any(speaks_of),
                }
            });
        }
        fine
    }

    /// What is done behind the making of the object, if it is only given back: else its constructor might have shown it to somebody
    /// who keeps it, though the method then ends without it. Nothing where more is done, or it may be made again.
    fn behind(&self, statements: &[JavaStatement]) -> Option<Behind> {
        let mut found = Behind::NotThere;
        for statement in statements {
            let is_made_here = new_of(statement, self.class).is_some();
            found = match (found, statement) {
                (Behind::NotThere, _) if is_made_here => Behind::GoesOn,
                (Behind::NotThere, _) => {
                    let parts = statement.parts().into_iter();
                    let parts: Option<Vec<Behind>> = parts.map(|part| self.behind(part)).collect();
                    let most = parts?.into_iter().max().unwrap_or(Behind::NotThere);
                    // Another round may make it again, and a handler end without it.
                    let is_around = matches!(
                        statement,
                        JavaStatement::Loop { .. } | JavaStatement::Try { .. }
                    );
                    if most == Behind::GoesOn && is_around {
                        return None;
                    }
                    most
                }
                (Behind::GoesOn, JavaStatement::Return(..)) => Behind::Returns,
                (Behind::GoesOn, JavaStatement::Step(step)) => match &step.kind {
                    StepKind::Assign(_, value) if self.is_made(value) => Behind::GoesOn,
                    _ => return None,
                },
                (Behind::GoesOn, _) => return None,
                // It is given back in a branch, and this is run where that is not taken.
                (Behind::Returns, _) => Behind::Returns,
            };
        }
        Some(found)
    }

    /// The statements with the object under study in the place of the one that is made.
    fn constructing(&self, statements: Vec<JavaStatement>) -> Vec<JavaStatement> {
        let mut found = Vec::new();
        for mut statement in statements {
            for part in statement.parts_mut() {
                *part = self.constructing(std::mem::take(part));
            }
            match statement {
                JavaStatement::Return(place, _) => found.push(JavaStatement::Return(place, None)),
                JavaStatement::Step(JavaStep { place, kind }) => {
                    let step = |kind| JavaStatement::Step(JavaStep { place, kind });
                    match kind {
                        StepKind::Assign(_, value) if self.is_made(&value) => {}
                        StepKind::New(_, new) if new.class == *self.class => {
                            found.extend(self.zero.iter().cloned().map(step));
                            found.push(step(StepKind::Call(
                                None,
                                Invocation {
                                    kind: InvokeKind::Special,
                                    method: new.constructor,
                                    receiver: Some(JavaExpr::Variable(self.this)),
                                    arguments: new.arguments,
                                },
                            )));
                        }
                        other => found.push(step(other)),
                    }
                }
                other => found.push(other),
            }
        }
        found
    }
}
