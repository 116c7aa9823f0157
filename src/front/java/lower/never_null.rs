//! Fields that are never null: every constructor assigns them something that is not, and nobody anything else. Nearly every
//! class has some, and each `!= null` that an action would require makes its guard larger, and adds states that no object
//! is ever in.
//!
//! A parameter is not null where the constructor has refused null before. Of a field that is assigned when the object was
//! used as a whole before, as by a method that a superclass's constructor calls, nothing is said.

use std::collections::BTreeSet;

use super::bodies::Bodies;
use super::nulls::Nulls;
use crate::front::java::classfile::{PoolConstant, Relation};
use crate::front::java::effects::writers::Writers;
use crate::front::java::tree::{
    Invocation, JavaExpr, JavaStatement, JavaStep, MethodBody, StepKind, VariableId,
};
use crate::front::java::types::JavaType;
use crate::front::java::world::methods_of;
use crate::front::java::world::studied::{OwnField, Studied};

/// The names of the fields of a class that are never null. `nulls` says which references of a body of it may be, `writers`
/// who assigns the fields of its package, and of its superclasses'.
pub(super) fn never_null(
    bodies: &Bodies,
    writers: &Writers,
    class: &Studied,
    nulls: impl Fn(&MethodBody) -> Nulls,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut maybe = BTreeSet::new();
    // What is above it and not there may do anything with the object.
    let mut used = class.missing.is_some();
    // From the highest superclass on, whose constructors run first.
    for declaring in class.chain.iter().rev() {
        let mut set = None;
        let mut used_here = used;
        for method in methods_of(declaring) {
            let body = match bodies.of(&method) {
                Ok(Some(body)) => body,
                Ok(None) => continue,
                Err(_) => return BTreeSet::new(),
            };
            let constructs = method.method().is_constructor();
            let mut walk = NeverNullWalk {
                class,
                body: &body,
                nulls: &nulls(&body),
                assigned: body.assigned(),
                refused: BTreeSet::new(),
                set: BTreeSet::new(),
                constructs,
                used,
                set_by_all: &mut set,
                maybe: &mut maybe,
            };
            walk.list(&body.statements);
            used_here |= constructs && walk.used;
        }
        let own = class.fields.iter().filter(|own| {
            let is_reference = matches!(own.field.ty, JavaType::Class(_) | JavaType::Array(_));
            own.class == declaring.name && is_reference && is_closed(writers, class, own)
        });
        let set = set.unwrap_or_default();
        let names = own.map(|own| own.name.clone());
        found.extend(names.filter(|own| set.contains(own)));
        used = used_here;
    }
    // Subclasses, too, assign what they see.
    found.retain(|own| !maybe.contains(own));
    found
}

/// Whether nobody but the class assigns a field.
pub(super) fn is_closed(writers: &Writers, class: &Studied, own: &OwnField) -> bool {
    let is_final = own.field.access.is_final();
    is_final || (!writers.is_open(class, own) && writers.outside(class, own).is_empty())
}

/// A walk through a body, in the order in which it is run.
struct NeverNullWalk<'a> {
    class: &'a Studied,
    body: &'a MethodBody,
    nulls: &'a Nulls,
    /// The variables that are assigned somewhere, of which nothing is remembered.
    assigned: BTreeSet<VariableId>,
    /// The variables of which null was refused on the way.
    refused: BTreeSet<VariableId>,
    /// The fields that were assigned on the way.
    set: BTreeSet<String>,
    /// Whether this is a constructor.
    constructs: bool,
    /// Whether the object was used as a whole on the way.
    used: bool,
    /// The fields that every constructor of the class has assigned when it ends; nothing before one was looked at.
    set_by_all: &'a mut Option<BTreeSet<String>>,
    /// Those that are assigned something that may be null, or when the object was used already.
    maybe: &'a mut BTreeSet<String>,
}

impl NeverNullWalk<'_> {
    fn list(&mut self, statements: &[JavaStatement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &JavaStatement) {
        match statement {
            JavaStatement::Step(step) => self.step(step),
            JavaStatement::If {
                condition,
                then,
                otherwise,
                ..
            } => self.choice(condition, then, otherwise),
            JavaStatement::Return(..) if self.constructs => self.end(),
            other => {
                // What is done in a loop or under a handler may not be done.
                let before = (self.refused.clone(), self.set.clone());
                for part in other.parts() {
                    self.list(part);
                    (self.refused, self.set) = before.clone();
                }
            }
        }
    }

    fn choice(
        &mut self,
        condition: &JavaExpr,
        then: &[JavaStatement],
        otherwise: &[JavaStatement],
    ) {
        let before = (self.refused.clone(), self.set.clone());
        let mut behind = Vec::new();
        for (branch, holds) in [(then, true), (otherwise, false)] {
            (self.refused, self.set) = before.clone();
            self.refused.extend(self.not_null_if(condition, holds));
            self.list(branch);
            if !ends(branch) {
                let (refused, set) = (&self.refused, &self.set);
                behind.push((refused.clone(), set.clone()));
            }
        }
        (self.refused, self.set) = before;
        let mut behind = behind.into_iter();
        if let Some((refused, set)) = behind.next() {
            let (other_refused, other_set) =
                behind.next().unwrap_or((refused.clone(), set.clone()));
            self.refused = refused.intersection(&other_refused).copied().collect();
            self.set = set.intersection(&other_set).cloned().collect();
        }
    }

    /// The end of a constructor.
    fn end(&mut self) {
        let set = match &self.set_by_all {
            Some(others) => self.set.intersection(others).cloned().collect(),
            None => self.set.clone(),
        };
        *self.set_by_all = Some(set);
    }

    fn step(&mut self, step: &JavaStep) {
        if let StepKind::SetField(object, field, value) = &step.kind
            && let Some(own) = self.class.own_field(field)
        {
            let refused = matches!(value, JavaExpr::Variable(id) if self.refused.contains(id));
            let not_null = refused || !self.nulls.may_be_null(value, self.body);
            let late = self.constructs && self.used;
            if !not_null || late {
                self.maybe.insert(own.name.clone());
            }
            if object.is_this(&self.body.variables) {
                self.set.insert(own.name.clone());
            }
        }
        if let StepKind::Call(_, call) = &step.kind {
            let checked = call.method.is("java/util/Objects", "requireNonNull");
            let argument = call.arguments.first().filter(|_| checked);
            for object in call.receiver.iter().chain(argument) {
                self.refused.extend(self.unassigned(object));
            }
            self.delegates(call);
        }
        self.used |= self.uses(step);
    }

    /// `this(…)` assigns what another constructor does, which is looked at by itself.
    fn delegates(&mut self, call: &Invocation) {
        let on_it = |e: &JavaExpr| e.is_this(&self.body.variables);
        let on_it = call.receiver.as_ref().is_some_and(on_it);
        let class = call.method.class();
        if on_it && self.constructs && call.method.is_constructor() {
            let fields = self.class.fields.iter().filter(|own| own.class == class);
            self.set.extend(fields.map(|own| own.name.clone()));
        }
    }

    /// Whether a step hands the object over, or calls one of its methods that is no constructor.
    fn uses(&self, step: &JavaStep) -> bool {
        let whole = |e: &JavaExpr| e.may_be_this(&self.body.variables);
        match &step.kind {
            StepKind::Call(_, call) => {
                let on_it = call.receiver.as_ref().is_some_and(whole);
                (on_it && !call.method.is_constructor()) || call.arguments.iter().any(whole)
            }
            StepKind::New(_, new) => new.arguments.iter().any(whole),
            StepKind::Dynamic(_, call) => call.arguments.iter().any(whole),
            StepKind::Assign(_, value)
            | StepKind::SetStatic(_, value)
            | StepKind::SetField(_, _, value)
            | StepKind::SetElement(_, _, value, _) => whole(value),
            StepKind::NewArray(..) | StepKind::Monitor(..) | StepKind::Evaluate(_) => false,
        }
    }

    /// A variable that keeps its value.
    fn unassigned(&self, e: &JavaExpr) -> Option<VariableId> {
        match e {
            JavaExpr::Variable(id) => (!self.assigned.contains(id)).then_some(*id),
            _ => None,
        }
    }

    /// The variables that are not null where a condition holds, or does not.
    fn not_null_if(&self, condition: &JavaExpr, holds: bool) -> BTreeSet<VariableId> {
        let null = JavaExpr::Constant(PoolConstant::Null);
        match (condition, holds) {
            (JavaExpr::Not(inner), _) => self.not_null_if(inner, !holds),
            (JavaExpr::And(a, b), true) | (JavaExpr::Or(a, b), false) => {
                let (a, b) = (self.not_null_if(a, holds), self.not_null_if(b, holds));
                a.into_iter().chain(b).collect()
            }
            (JavaExpr::Relation(Relation::NotEqual, _, a, b), true)
            | (JavaExpr::Relation(Relation::Equal, _, a, b), false) => {
                let other = if **b == null { a } else { b };
                let of_null = **a == null || **b == null;
                self.unassigned(other)
                    .filter(|_| of_null)
                    .into_iter()
                    .collect()
            }
            _ => BTreeSet::new(),
        }
    }
}

/// Whether nothing behind these statements is run after them.
fn ends(statements: &[JavaStatement]) -> bool {
    matches!(
        statements.last(),
        Some(JavaStatement::Return(..) | JavaStatement::Throw(..))
    )
}
