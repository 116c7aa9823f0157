//! What other code may change of the objects that are known: fields of the object under study and of its helpers. The
//! fields of helpers are those of any object of their class, so a routine without a body says what they may be.

use std::collections::{BTreeMap, BTreeSet};

use super::body::Lowerer;
use super::class::ClassState;
use super::closed::kept_from_constructors;
use super::helpers::{Helper, OwnerId};
use super::methods::Methods;
use super::names::UniqueNames;
use super::shape::OBJECT;
use crate::front::java::classfile::MethodRef;
use crate::front::java::effects::writers::Writers;
use crate::front::java::tree::JavaExpr;
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::documented::leaves_objects_alone;
use crate::front::java::world::studied::{OwnField, Studied};
use crate::front::tq::ast::{
    ContractClause, ExprSyntax, ExprSyntaxKind, FieldPath, Member, Rhs, RoutineSyntax, StmtSyntax,
    StmtSyntaxKind,
};
use crate::front::tq::build::{self, ident, name, stmt};
use crate::ir::RoutineKind;

/// How near other code is to the objects that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// It is given nothing that may be one of them, and is code of none of their classes.
    Apart,
    /// It is given an object of a helper class, or what may be one, or is code of such a class.
    Helper,
    /// It is given the object under study by one of its helpers, to which it is like any other, or is code of its class.
    Back,
}

/// What other code may change.
#[derive(Debug, Default)]
pub(super) struct Elsewhere {
    /// Of the object under study, by its own names.
    pub own: Vec<String>,
    /// The fields of the object under study that keep what constructors gave them, whatever code is run.
    kept: BTreeSet<String>,
    /// Of helpers, whatever code it is.
    helpers: Vec<(OwnerId, String)>,
    /// The routines that say so, by how near the code is and whether a helper calls it.
    routines: BTreeMap<(Reach, bool), String>,
    names: UniqueNames,
}

impl Elsewhere {
    /// The beginning: `own` fields change by other code.
    pub(super) fn new(writers: &Writers, methods: &Methods<'_>, own: Vec<String>) -> Elsewhere {
        let (bodies, studied) = (
            &methods.helpers.bodies,
            methods.helpers.class(OwnerId::STUDIED),
        );
        Elsewhere {
            own,
            kept: kept_from_constructors(studied, bodies, writers),
            helpers: assigned_elsewhere(writers, methods),
            ..Elsewhere::default()
        }
    }

    /// The routines that bodies call, as members of the class of all objects that are not studied.
    pub(super) fn members(&self, state: &ClassState, methods: &Methods<'_>) -> Vec<Member> {
        let routines = self.routines.iter();
        let members = routines.map(|((reach, by_helper), routine)| {
            let fields = self.fields(methods, *reach, *by_helper);
            let named = fields.iter().filter_map(|(owner, field)| {
                let here = state.fields.get(&(*owner, field.clone()))?;
                Some((state.class_name(*owner).to_owned(), here.clone()))
            });
            Member::Routine(RoutineSyntax {
                kind: RoutineKind::Procedure,
                pure: false,
                control: None,
                name: Some(ident(routine.as_str())),
                params: Vec::new(),
                returns: Vec::new(),
                outcomes: Vec::new(),
                contract: vec![modifies(named)],
                body: None,
                span: Default::default(),
            })
        });
        members.collect()
    }

    /// The routine of what code changes that is so near; nothing where that is nothing.
    pub(super) fn routine(
        &mut self,
        methods: &Methods<'_>,
        reach: Reach,
        by_helper: bool,
    ) -> Option<String> {
        if self.fields(methods, reach, by_helper).is_empty() {
            return None;
        }
        let names = &mut self.names;
        let routine = self.routines.entry((reach, by_helper));
        Some(routine.or_insert_with(|| names.give("other_code")).clone())
    }

    /// The fields that code may change which is so near. Those of the object under study are left out where its own code
    /// calls.
    fn fields(
        &self,
        methods: &Methods<'_>,
        reach: Reach,
        by_helper: bool,
    ) -> BTreeSet<(OwnerId, String)> {
        let mut found: BTreeSet<(OwnerId, String)> = match reach {
            Reach::Apart => self.helpers.iter().cloned().collect(),
            _ => kept(methods)
                .map(|(id, _, own)| (id, own.name.clone()))
                .collect(),
        };
        if by_helper {
            let own = match reach {
                Reach::Back => self.changing(methods, OwnerId::STUDIED),
                _ => self.own.clone(),
            };
            found.extend(own.into_iter().map(|field| (OwnerId::STUDIED, field)));
        }
        found
    }

    /// The fields of a class that may change while an object of it is there.
    pub(super) fn changing(&self, methods: &Methods<'_>, owner: OwnerId) -> Vec<String> {
        let keeps = |own: &OwnField| {
            own.field.access.is_final()
                || (owner == OwnerId::STUDIED && self.kept.contains(&own.name))
        };
        let fields = methods.helpers.class(owner).fields.iter();
        let fields = fields.filter(|own| !keeps(own));
        fields.map(|own| own.name.clone()).collect()
    }
}

/// The fields of helpers that are known and may change.
fn kept<'a>(
    methods: &'a Methods<'_>,
) -> impl Iterator<Item = (OwnerId, &'a Helper, &'a OwnField)> + use<'a> {
    methods.helpers.used().flat_map(|(id, helper)| {
        let fields = helper.class.fields.iter();
        let known = fields.filter(|own| helper.keeps(own) && !own.field.access.is_final());
        known.map(move |own| (id, helper, own))
    })
}

/// The fields of helpers that others assign than the classes that are followed, or all may.
fn assigned_elsewhere(writers: &Writers, methods: &Methods<'_>) -> Vec<(OwnerId, String)> {
    let fields: Vec<(OwnerId, &Helper, &OwnField)> = kept(methods).collect();
    let followed = |class: &ClassName| {
        let studied = methods.helpers.class(OwnerId::STUDIED).is_own(class);
        studied || methods.helpers.used().any(|(_, h)| h.class.is_own(class))
    };
    let elsewhere = fields.into_iter().filter(|(_, helper, own)| {
        let outside = writers.outside(&helper.class, own);
        writers.is_open(&helper.class, own) || outside.iter().any(|class| !followed(class))
    });
    elsewhere
        .map(|(id, _, own)| (id, own.name.clone()))
        .collect()
}

/// `modifies C.f, D.g`
fn modifies(fields: impl Iterator<Item = (String, String)>) -> ContractClause {
    let paths = fields.map(|(class, field)| FieldPath {
        class: Some(ident(class)),
        field: ident(field),
    });
    ContractClause::Modifies(paths.collect())
}

/// Some object of which no more is known runs such a routine.
pub(super) fn run(routine: &str, other: &str) -> Vec<StmtSyntax> {
    let made = StmtSyntaxKind::Var {
        name: ident(other),
        ty: build::ty(OBJECT),
        value: Some(Rhs::New {
            class: ident(OBJECT),
            constructor: None,
            args: Vec::new(),
        }),
    };
    let called = build::expr(ExprSyntaxKind::Call {
        receiver: Some(name(other)),
        name: ident(routine),
        args: Vec::new(),
    });
    vec![stmt(made), stmt(StmtSyntaxKind::Call(called))]
}

impl Lowerer<'_> {
    /// What a method of others changes that is given these values.
    pub(super) fn changed_elsewhere(&mut self, method: &MethodRef, given: &[&JavaExpr]) {
        if leaves_objects_alone(method) {
            return;
        }
        let reach = self.reach(method, given);
        if self.owner == OwnerId::STUDIED {
            let own = self.class.elsewhere.own.clone();
            self.havoc(&own);
        }
        self.changes(reach);
        self.called_back(given);
    }

    /// Code that is given these values may run code of the class under study.
    fn called_back(&mut self, given: &[&JavaExpr]) {
        let callbacks = &self.context.callbacks;
        let changes = callbacks.given(self.context.world, self.body, given);
        if self.owner == OwnerId::STUDIED {
            self.perhaps(&changes);
        } else if !changes.fields.is_empty() {
            self.changes(Reach::Back);
        }
    }

    /// What code changes that is so near to the objects that are known, but for the own fields of the one under study, where
    /// this is its code.
    pub(super) fn changes(&mut self, reach: Reach) {
        let by_helper = self.owner != OwnerId::STUDIED;
        let elsewhere = &mut self.class.elsewhere;
        if let Some(routine) = elsewhere.routine(self.context.methods, reach, by_helper) {
            let other = self.taken.give("other");
            self.out.extend(run(&routine, &other));
            self.rules_around();
        }
    }

    /// What is around the object under study keeps its rules, whatever others did to it. While one of its own methods makes the
    /// object it may do something else: then they hold again when that ends.
    pub(super) fn rules_around(&mut self) {
        let is_making = self.constructs && self.context.methods.are_made;
        if self.owner == OwnerId::STUDIED && !is_making {
            let rules = self.class.rules_around(self.context.methods);
            self.out.extend(rules.into_iter().map(build::assume));
        }
    }

    fn reach(&self, method: &MethodRef, given: &[&JavaExpr]) -> Reach {
        let types: Vec<Option<JavaType>> =
            given.iter().map(|e| e.ty(&self.body.variables)).collect();
        let (helpers, studied) = (&self.context.methods.helpers, self.context.studied);
        let is_studied = |ty: &Option<JavaType>| match ty {
            Some(JavaType::Class(class)) => studied.is_own(class),
            _ => false,
        };
        let class = self.class_of_code(method);
        let has_code = |of: &Studied| class.as_ref().is_some_and(|class| of.is_own(class));
        let (of_studied, by_helper) = (has_code(studied), self.owner != OwnerId::STUDIED);
        if by_helper && (of_studied || types.iter().any(is_studied)) {
            Reach::Back
        } else if of_studied
            || helpers.used().any(|(_, helper)| has_code(&helper.class))
            || types.iter().any(|ty| helpers.may_be_one(ty.as_ref()))
        {
            Reach::Helper
        } else {
            Reach::Apart
        }
    }

    /// The class whose code a static method or a constructor is, which may assign what only that class sees: it may find
    /// objects in static fields. One that is native is taken to find none. Of other methods the object says which code it is.
    fn class_of_code(&self, method: &MethodRef) -> Option<ClassName> {
        let found = self.context.world.method(method)?;
        let of_no_object = found.method().access.is_static() || method.is_constructor();
        (of_no_object && found.method().has_code()).then(|| found.class.name.clone())
    }

    /// An object of a helper class is made by code that is not followed: its fields may have any values.
    pub(super) fn anything_in(&mut self, object: ExprSyntax, helper: OwnerId) {
        let fields = self.class.fields.iter();
        let own = fields.filter(|((owner, _), _)| *owner == helper);
        let places: Vec<ExprSyntax> = own
            .map(|(_, here)| build::dot(ExprSyntax::clone(&object), here))
            .collect();
        if !places.is_empty() {
            self.out.push(stmt(StmtSyntaxKind::Havoc(places)));
        }
    }
}
