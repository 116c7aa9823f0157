//! Running calls with nothing but their arguments: whatever else a call would need to know, the class leaves open.

use std::collections::BTreeMap;

use crate::ask::{Run, RunCall, RunObject, fields, objects};
use crate::epa::walk::{Taken, Walker};
use crate::interp::{
    ChoiceRequest, Choices, Configuration, Execution, HeapObject, Keys, Map, NoDecision, ObjectId,
    Outcome, Purpose, Value,
};
use crate::ir::{ClassId, ExceptionId, FieldRef, Program, RoutineRef, Type};
use crate::query::{Callee, EdgeId};

/// A call with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConcreteCall {
    /// The edge it takes.
    pub edge: EdgeId,
    /// What it is called with.
    pub arguments: Vec<Value>,
    /// The objects and arrays that it is given, as they are before it.
    pub objects: Vec<RunObject>,
    /// What it gives, where that is known.
    pub results: Vec<Value>,
    /// Whether the class leaves open how it goes.
    pub open: bool,
    /// Where it ends, where that is known.
    pub end: Option<Configuration>,
}

impl ConcreteCall {
    /// Whether it can be made on another object as well: it is given nothing but values.
    pub(super) fn is_plain(&self) -> bool {
        self.objects.is_empty()
    }
}

impl Walker<'_> {
    /// Whether some of the parameters are what the outside answers: nobody who calls it can give them.
    pub(super) fn is_answered(&self, callee: Callee) -> bool {
        let routine = self.routine(callee).map(|r| self.program().routine(r));
        routine.is_some_and(|routine| !routine.hidden.is_empty())
    }

    /// Runs a run of the second pass again. What the outside answers can be a part of a test of some calls.
    ///
    /// # Errors
    /// Why it cannot be a test, in words.
    pub(super) fn walk(
        &self,
        run: &Run,
        can_answer: &dyn Fn(Callee) -> bool,
    ) -> Result<Vec<ConcreteCall>, String> {
        let mut walk: Vec<ConcreteCall> = Vec::new();
        let mut given = GivenObjects::default();
        for call in &run.calls {
            let edge = call.edge.map(EdgeId).ok_or("its run makes no sense")?;
            let callee = self.callee(edge).ok_or("its run makes no sense")?;
            if self.is_answered(callee) && !can_answer(callee) {
                return Err(format!(
                    "how `{}` goes is for the outside to answer, which a test cannot do",
                    call.name
                ));
            }
            let before = walk.last().map(|before| before.end.clone());
            let mut now = before
                .clone()
                .flatten()
                .unwrap_or_else(Configuration::empty);
            let arguments = self.arguments(callee, call, &mut given.on(&mut now, call));
            let arguments = arguments.ok_or_else(|| too_little(run, call))?;
            let objects = objects(self.program(), &now, &arguments);
            let taken = match before {
                None => self.construct(&now, callee, &arguments),
                Some(Some(_)) => self.call(&now, callee, &arguments),
                Some(None) => Taken::Open,
            };
            let (results, end, open) = match taken {
                Taken::Edge {
                    edge: taken,
                    results,
                    end,
                } if taken == edge => (results, Some(end), false),
                Taken::Open if run.replayed => {
                    match self.determined(&now, callee, &arguments, call) {
                        Some((results, end)) => (results, Some(end), false),
                        None => (self.results(callee, call), self.recorded(call), true),
                    }
                }
                Taken::Open => {
                    return Err(format!(
                        "its arguments alone do not decide how `{}` goes, and {}",
                        call.name,
                        run.not_replayed.as_deref().unwrap_or("was not run")
                    ));
                }
                Taken::Edge { .. } | Taken::Refused | Taken::Astray { .. } => {
                    return Err(format!(
                        "`{}` does something else when it is run",
                        call.name
                    ));
                }
            };
            walk.push(ConcreteCall {
                edge,
                arguments,
                objects,
                results,
                open,
                end,
            });
        }
        if walk.is_empty() {
            return Err("its run has no calls".into());
        }
        Ok(walk)
    }

    /// Makes an object, where there may be others.
    pub(super) fn construct(
        &self,
        now: &Configuration,
        callee: Callee,
        arguments: &[Value],
    ) -> Taken {
        let now = with_spare_arrays(self.program(), self.subject.class, now);
        let run = |last: bool| self.execute(&now, callee, arguments, &mut Unassigned { last });
        // What a field holds before it is assigned must not matter.
        match (run(false), run(true)) {
            (Ok(one), Ok(other)) => match is_same_end(&one, &other) {
                true => self.taken(None, callee, one),
                false => Taken::Open,
            },
            (Err(taken), _) | (_, Err(taken)) => taken,
        }
    }

    /// Calls an action.
    pub(super) fn call(&self, now: &Configuration, callee: Callee, arguments: &[Value]) -> Taken {
        let mut choices = Unassigned { last: false };
        match (
            self.execute(now, callee, arguments, &mut choices),
            self.state_of(now),
        ) {
            (Ok(execution), Some(source)) => self.taken(Some(source), callee, execution),
            (Ok(_), None) => Taken::Open,
            (Err(taken), _) => taken,
        }
    }

    /// What a call gives and where it ends, where its arguments decide that and it is what the second pass recorded. In which
    /// state that is need not be decided here: the second pass has.
    fn determined(
        &self,
        now: &Configuration,
        callee: Callee,
        arguments: &[Value],
        call: &RunCall,
    ) -> Option<(Vec<Value>, Configuration)> {
        let now = match callee.is_constructor() {
            true => with_spare_arrays(self.program(), self.subject.class, now),
            false => now.clone(),
        };
        let run = |last: bool| self.execute(&now, callee, arguments, &mut Unassigned { last });
        let (one, other) = (run(false).ok()?, run(true).ok()?);
        let results = match &one.outcome {
            Outcome::Normal(results) if is_same_end(&one, &other) => results.clone(),
            _ => return None,
        };
        let found = fields(self.program(), &one.configuration);
        let is_recorded = found.len() == call.fields.len()
            && (found.iter().zip(&call.fields)).all(|(a, b)| is_like(&a.value, &b.value));
        is_recorded.then_some((results, one.configuration))
    }

    /// The arguments of a call of the second pass, where all that they lead to is told.
    fn arguments(
        &self,
        callee: Callee,
        call: &RunCall,
        given: &mut Giver<'_>,
    ) -> Option<Vec<Value>> {
        let types = self.parameters(callee);
        let values = types.iter().zip(&call.arguments);
        let values: Option<Vec<Value>> = values
            .map(|(ty, argument)| given.value(self.program(), ty, &argument.value))
            .collect();
        values.filter(|values| values.len() == types.len())
    }

    fn results(&self, callee: Callee, call: &RunCall) -> Vec<Value> {
        let Some(routine) = self.routine(callee) else {
            return Vec::new();
        };
        let results = self.program().routine(routine).results.iter();
        let values = results.zip(&call.results);
        let values: Option<Vec<Value>> = values
            .map(|(var, result)| read(self.program(), &self.program().var(*var).ty, &result.value))
            .collect();
        values.unwrap_or_default()
    }

    /// The configuration after a call as the second pass recorded it, where it is only values.
    fn recorded(&self, call: &RunCall) -> Option<Configuration> {
        let class = self.subject.class;
        let fields = &self.program().class(class).fields;
        let values = fields.iter().zip(&call.fields);
        let values: Vec<Value> = values
            .map(|(field, named)| read(self.program(), &field.ty, &named.value))
            .collect::<Option<_>>()?;
        let whole = values.len() == fields.len() && call.target.is_some();
        whole.then(|| Configuration::with_this(class, values))
    }
}

/// The objects and arrays that the calls of a run are given, by the names that they have in it.
#[derive(Default)]
struct GivenObjects(BTreeMap<String, ObjectId>);

/// Those of one call, in the configuration that it is made in.
struct Giver<'g> {
    known: &'g mut BTreeMap<String, ObjectId>,
    now: &'g mut Configuration,
    call: &'g RunCall,
}

impl GivenObjects {
    fn on<'g>(&'g mut self, now: &'g mut Configuration, call: &'g RunCall) -> Giver<'g> {
        Giver {
            known: &mut self.0,
            now,
            call,
        }
    }
}

impl Giver<'_> {
    /// A value as [`Value::display`] writes it, where it can be read back; objects that are not there are made.
    fn value(&mut self, program: &Program, ty: &Type, text: &str) -> Option<Value> {
        match ty {
            Type::Class { .. } | Type::Array { .. } if text != "null" => {
                self.object(program, ty, text).map(Value::Ref)
            }
            _ => read(program, ty, text),
        }
    }

    fn object(&mut self, program: &Program, ty: &Type, name: &str) -> Option<ObjectId> {
        let call = self.call;
        let told = call.objects.iter().find(|object| object.name == name)?;
        if told.type_name.is_none() {
            return self.now.this;
        }
        if let Some(id) = self.known.get(name)
            && self.is_it(program, ty, *id, told)
        {
            return Some(*id);
        }
        match ty {
            Type::Class { class, .. } => self.instance(program, *class, told),
            Type::Array { element, .. } => self.array(program, element, told),
            _ => None,
        }
    }

    /// Whether an object is the one that is told of. Where a run goes on from where another one was, a name is given anew.
    fn is_it(&self, program: &Program, ty: &Type, id: ObjectId, told: &RunObject) -> bool {
        let value = Value::Ref(id);
        let found = objects(program, self.now, std::slice::from_ref(&value));
        self.now.is_of_type(program, ty, &value)
            && found.first().is_some_and(|found| {
                let fields = found.fields.iter().zip(&told.fields);
                let elements = found.elements.iter().zip(&told.elements);
                found.elements.len() == told.elements.len()
                    && fields.into_iter().all(|(a, b)| is_like(&a.value, &b.value))
                    && elements.into_iter().all(|(a, b)| is_like(a, b))
            })
    }

    fn instance(
        &mut self,
        program: &Program,
        class: ClassId,
        told: &RunObject,
    ) -> Option<ObjectId> {
        let fields = &program.class(class).fields;
        if told.fields.len() != fields.len() {
            return None;
        }
        let unknown = vec![Value::Null; fields.len()];
        let made = HeapObject::Instance {
            class,
            fields: unknown,
        };
        let id = self.made(told, made);
        for (index, (field, named)) in fields.iter().zip(&told.fields).enumerate() {
            let value = self.value(program, &field.ty, &named.value)?;
            self.now.set_field(id, FieldRef { class, index }, value)?;
        }
        Some(id)
    }

    fn array(&mut self, program: &Program, element: &Type, told: &RunObject) -> Option<ObjectId> {
        let made = HeapObject::Array {
            element: element.clone(),
            elements: vec![Value::Null; told.elements.len()],
        };
        let id = self.made(told, made);
        for (index, text) in told.elements.iter().enumerate() {
            let value = self.value(program, element, text)?;
            self.now.set_element(id, index, value)?;
        }
        Some(id)
    }

    /// A new object, of which others can be told from now on: also those that it leads to.
    fn made(&mut self, told: &RunObject, object: HeapObject) -> ObjectId {
        let id = self.now.allocate(object);
        self.known.insert(told.name.clone(), id);
        id
    }
}

/// Whether two texts of values are the same but for the names of objects.
fn is_like(one: &str, other: &str) -> bool {
    one == other || (one.starts_with('#') && other.starts_with('#'))
}

/// Why a call cannot be made.
fn too_little(run: &Run, call: &RunCall) -> String {
    match &run.not_replayed {
        Some(why) => format!("its run was not run by the interpreter: {why}"),
        None => format!(
            "too little is known of what `{}` is given in its run",
            call.name
        ),
    }
}

/// A value as [`Value::display`] writes it, where it can be read back.
pub(super) fn read(program: &Program, ty: &Type, text: &str) -> Option<Value> {
    match ty {
        Type::Bool => text.parse().ok().map(Value::Bool),
        Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
            text.parse().ok().map(Value::Int)
        }
        Type::Enum(id) => {
            let declared = program.enums.get(id.0)?;
            let member = text
                .strip_prefix(declared.name.as_str())?
                .strip_prefix('.')?;
            let index = declared.members.iter().position(|m| m == member)?;
            Some(Value::Member(*id, index))
        }
        Type::Class { .. } | Type::Array { .. } | Type::Null => {
            (text == "null").then_some(Value::Null)
        }
        Type::Opaque(id) => {
            let declared = program.opaques.get(id.0)?;
            let value = text.strip_prefix(declared.name.as_str())?;
            let number = match value.strip_prefix('.') {
                Some(name) => declared
                    .values
                    .iter()
                    .position(|v| v == name)?
                    .try_into()
                    .ok()?,
                None => value.strip_prefix('#')?.parse().ok()?,
            };
            Some(Value::Opaque(*id, number))
        }
        Type::Map(key, value) => {
            let mut entries = parts(text.strip_prefix('[')?.strip_suffix(']')?, ", ");
            let default = entries.pop()?.strip_prefix("_ := ")?;
            let default = read(program, value, default)?;
            let mut map = Map::constant(Keys::of(program, key), default);
            for entry in entries {
                let [at, held] = parts(entry, " := ").try_into().ok()?;
                map = map.store(read(program, key, at)?, read(program, value, held)?);
            }
            Some(Value::Map(map))
        }
    }
}

/// What is between the separators that are in no inner map.
fn parts<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let (mut found, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let rest = text.get(at..).unwrap_or_default();
        if depth == 0 && at >= from && rest.starts_with(separator) {
            found.push(text.get(from..at).unwrap_or_default());
            from = at + separator.len();
        }
    }
    found.push(text.get(from..).unwrap_or_default());
    found
}

/// Whether two runs of a constructor end in the same way, with the same object if there is one.
pub(super) fn is_same_end(one: &Execution, other: &Execution) -> bool {
    let unborn = matches!(one.outcome, Outcome::Exception(_));
    one.outcome == other.outcome && (unborn || one.configuration == other.configuration)
}

/// Knows nothing but some value for a field that is not assigned yet.
pub(super) struct Unassigned {
    /// Whether it is another value than otherwise.
    pub last: bool,
}

impl Unassigned {
    fn value_of(&self, program: &Program, ty: &Type) -> Option<Value> {
        Some(match ty {
            Type::Bool => Value::Bool(self.last),
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
                Value::int(u8::from(self.last))
            }
            Type::Enum(id) => {
                let members = program.enums.get(id.0)?.members.len();
                let index = if self.last {
                    members.checked_sub(1)?
                } else {
                    0
                };
                Value::Member(*id, index)
            }
            Type::Opaque(id) => Value::Opaque(*id, u64::from(self.last)),
            Type::Class { .. } | Type::Array { .. } | Type::Null => Value::Null,
            Type::Map(key, value) => {
                // The type is as deep as the parser let it be.
                Value::Map(Map::constant(
                    Keys::of(program, key),
                    self.value_of(program, value)?,
                ))
            }
        })
    }
}

/// Whether it is the type of arrays that are not null.
fn is_array(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Array {
            nullable: false,
            ..
        }
    )
}

/// The configuration with an empty array more for each field of the class that must hold one: so that there is something
/// else for it to hold than what it is assigned.
pub(super) fn with_spare_arrays(
    program: &Program,
    class: ClassId,
    now: &Configuration,
) -> Configuration {
    let mut now = now.clone();
    for field in &program.class(class).fields {
        if let Type::Array {
            element,
            nullable: false,
        } = &field.ty
        {
            now.allocate(HeapObject::Array {
                element: (**element).clone(),
                elements: Vec::new(),
            });
        }
    }
    now
}

impl Unassigned {
    /// An array that is there: the first one or the last one.
    fn array_of(&self, request: &ChoiceRequest<'_>) -> Option<Value> {
        let values = request.now.objects().map(|(id, _)| Value::Ref(id));
        let is_one = |value: &Value| (request.now).is_of_type(request.program, request.ty, value);
        let mut arrays = values.filter(is_one);
        match self.last {
            false => arrays.next(),
            true => arrays.last(),
        }
    }
}

impl Choices for Unassigned {
    fn value(&mut self, request: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        let value = match request.purpose {
            Purpose::InitialField(_) if is_array(request.ty) => self.array_of(request),
            Purpose::InitialField(_) => self.value_of(request.program, request.ty),
            _ => None,
        };
        value.ok_or_else(|| NoDecision::Unknown("the class leaves it open".into()))
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        Err(NoDecision::Unknown("the class leaves it open".into()))
    }

    fn exit(
        &mut self,
        _: RoutineRef,
        _: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        Err(NoDecision::Unknown("the class leaves it open".into()))
    }
}
