//! What routines change, also through the routines they call: the rules for `pure` and for `modifies` of a
//! routine with a body.

use std::collections::{HashMap, HashSet};

use super::Resolver;
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{
    ClassId, Expr, ExprKind, FieldRef, Place, Program, Routine, RoutineKind, RoutineRef, Stmt,
    StmtKind, Type,
};

/// Something that a statement changes.
#[derive(Clone, PartialEq, Eq, Hash)]
enum FrameChange {
    Field(FieldRef),
    /// An element of an array with elements of this type.
    Element(Type),
    /// A new object or array.
    Allocation,
}

/// How the object of a routine is related to what existed when the analysed routine started.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Object {
    /// It may have existed.
    Existing,
    /// A constructor is just making it.
    Fresh,
}

/// What happens in one statement.
enum StatementEffect {
    /// A change; whether it is one of `this`.
    Change(FrameChange, bool),
    /// A call; whether it is on `this`.
    Call(RoutineRef, bool),
    /// A call of a constructor.
    Construct(RoutineRef),
}

impl Resolver<'_> {
    pub(super) fn frames(&mut self) {
        let mut reports = Vec::new();
        let mut events = HashMap::new();
        for (class, decl) in self.program.classes.iter().enumerate() {
            for (index, routine) in decl.routines.iter().enumerate() {
                let start = RoutineRef {
                    class: ClassId(class),
                    index,
                };
                check(&self.program, &mut events, start, routine, &mut reports);
            }
        }
        for report in reports {
            self.report(report);
        }
    }
}

fn check(
    program: &Program,
    events: &mut Events,
    start: RoutineRef,
    routine: &Routine,
    reports: &mut Vec<Diagnostic>,
) {
    let declared = routine.modifies.as_deref();
    if routine.body.is_none() {
        if routine.pure && declared.is_some_and(|fields| !fields.is_empty()) {
            let message = format!("`{}` is pure, but has a `modifies` clause", routine.name);
            reports.push(Diagnostic::error(message).at(routine.span, ""));
        }
        return;
    }
    if !routine.pure && declared.is_none() {
        return;
    }
    for (change, place, through) in changes(program, events, start) {
        let what = match &change {
            FrameChange::Field(field) => {
                format!("changes `{}`", field_name(program, start.class, *field))
            }
            FrameChange::Element(_) => "changes an array".to_owned(),
            FrameChange::Allocation => "makes a new object".to_owned(),
        };
        let by = through.map_or(String::new(), |called| {
            format!(", by way of `{}`", program.routine(called).name)
        });
        if routine.pure {
            let message = format!("`{}` is pure, but {what}{by}", routine.name);
            reports.push(
                Diagnostic::error(message)
                    .at(place, "")
                    .help("a pure action changes no field, no array and no object"),
            );
        } else if !is_declared(program, declared.unwrap_or_default(), &change) {
            let message = format!(
                "`{}` {what}{by}, which its `modifies` does not name",
                routine.name
            );
            reports.push(
                Diagnostic::error(message)
                    .at(place, "")
                    .at(routine.span, "the contract"),
            );
        }
    }
}

fn field_name(program: &Program, class: ClassId, field: FieldRef) -> String {
    let name = &program.field(field).name;
    if field.class == class {
        name.clone()
    } else {
        format!("{}.{name}", program.class(field.class).name)
    }
}

/// Whether a `modifies` clause allows a change. An array's elements belong to the fields of its type.
fn is_declared(program: &Program, fields: &[FieldRef], change: &FrameChange) -> bool {
    match change {
        FrameChange::Field(field) => fields.contains(field),
        FrameChange::Allocation => true,
        FrameChange::Element(ty) => fields.iter().any(|&field| {
            matches!(&program.field(field).ty, Type::Array { element, .. } if **element == *ty)
        }),
    }
}

/// A routine to look at, its object, and the call in the analysed routine through which it was reached.
type Visit = (RoutineRef, Object, Option<(Span, RoutineRef)>);

/// What happens in the routines looked at so far.
type Events = HashMap<RoutineRef, Vec<(StatementEffect, Span)>>;

/// All that a routine can change, each with the statement of the routine that does it, and the routine called
/// there, if it is done by a call. What a constructor does to the object it makes is no change.
fn changes(
    program: &Program,
    known: &mut Events,
    start: RoutineRef,
) -> Vec<(FrameChange, Span, Option<RoutineRef>)> {
    let mut found = Vec::new();
    let mut reported = HashSet::new();
    let mut visited = HashSet::new();
    let object = if is_constructor(program, start) {
        Object::Fresh
    } else {
        Object::Existing
    };
    let mut open: Vec<Visit> = vec![(start, object, None)];
    while let Some((routine, object, origin)) = open.pop() {
        if !visited.insert((routine, object)) {
            continue;
        }
        let events = known
            .entry(routine)
            .or_insert_with(|| events(program, routine));
        for &(ref event, span) in events.iter() {
            let place = origin.map_or(span, |(span, _)| span);
            match event {
                StatementEffect::Change(change, on_this) => {
                    let harmless = *on_this && object == Object::Fresh;
                    if !harmless && reported.insert(change.clone()) {
                        found.push((change.clone(), place, origin.map(|(_, called)| called)));
                    }
                }
                StatementEffect::Call(called, on_this) => {
                    let object = if *on_this { object } else { Object::Existing };
                    open.push((*called, object, origin.or(Some((span, *called)))));
                }
                StatementEffect::Construct(called) => {
                    open.push((*called, Object::Fresh, origin.or(Some((span, *called)))));
                }
            }
        }
    }
    found
}

fn is_constructor(program: &Program, routine: RoutineRef) -> bool {
    program.classes.get(routine.class.0).is_some_and(|class| {
        let mut constructors = class.routines_of(RoutineKind::Constructor);
        constructors.any(|index| index == routine.index)
    })
}

fn events(program: &Program, routine: RoutineRef) -> Vec<(StatementEffect, Span)> {
    let routine = program.routine(routine);
    let mut events = Vec::new();
    match &routine.body {
        Some(body) => {
            let mut open: Vec<&Stmt> = body.iter().collect();
            while let Some(statement) = open.pop() {
                statement_events(statement, &mut events);
                open.extend(statement.blocks().into_iter().flatten());
            }
        }
        None => {
            for &field in routine.modifies.iter().flatten() {
                events.push((
                    StatementEffect::Change(FrameChange::Field(field), true),
                    routine.span,
                ));
            }
        }
    }
    events
}

fn statement_events(statement: &Stmt, events: &mut Vec<(StatementEffect, Span)>) {
    let span = statement.span;
    let mut write = |place: &Place| {
        if let Some(event) = write_event(place) {
            events.push((event, span));
        }
    };
    match &statement.kind {
        StmtKind::Assign(place, _) | StmtKind::Havoc(place) | StmtKind::Guess(place) => {
            write(place)
        }
        StmtKind::Call {
            targets,
            receiver,
            routine,
            ..
        } => {
            targets.iter().for_each(&mut write);
            events.push((StatementEffect::Call(*routine, is_this(receiver)), span));
        }
        StmtKind::New {
            target,
            constructor,
            ..
        } => {
            write(target);
            events.push((
                StatementEffect::Change(FrameChange::Allocation, false),
                span,
            ));
            events.extend(constructor.map(|routine| (StatementEffect::Construct(routine), span)));
        }
        StmtKind::NewArray { target, .. } => {
            write(target);
            events.push((
                StatementEffect::Change(FrameChange::Allocation, false),
                span,
            ));
        }
        _ => {}
    }
}

fn write_event(place: &Place) -> Option<StatementEffect> {
    match place {
        Place::Var(_) => None,
        Place::Field(object, field) => Some(StatementEffect::Change(
            FrameChange::Field(*field),
            is_this(object),
        )),
        Place::Element(array, _) => match &array.ty {
            Type::Array { element, .. } => Some(StatementEffect::Change(
                FrameChange::Element((**element).clone()),
                false,
            )),
            _ => None,
        },
    }
}

fn is_this(e: &Expr) -> bool {
    matches!(*e.kind, ExprKind::This)
}
