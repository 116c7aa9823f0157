//! Objects and arrays that calls are given: variables of a test, made before the call that is given them first. What is given
//! twice is the same variable, so that it is the same object.

use std::collections::{BTreeMap, BTreeSet};

use crate::ask::RunObject;
use crate::interp::{ObjectId, Value};
use crate::ir::{ClassId, RoutineRef, Type};

use super::super::concrete::read;
use super::super::making::made_by;
use super::super::model::TestCall;
use super::names::{call_name, word};
use super::{TestLanguage, TestWriter};

/// Those of one test.
pub(super) struct GivenVariables<'w, 'a> {
    writer: &'w TestWriter<'a>,
    /// The variables, by what the object is called in the run.
    variables: BTreeMap<String, String>,
    /// How many there are.
    count: usize,
    /// Whether it is not known any more which objects the one under test leads to.
    lost: bool,
    /// Classes and enums whose names the variables need.
    pub(super) types: BTreeSet<String>,
    /// The constructors by which objects are made.
    pub(super) constructors: BTreeSet<RoutineRef>,
}

/// What is written of a call.
pub(super) struct GivenCall {
    /// The lines that make what it is given.
    pub lines: Vec<String>,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl<'w, 'a> GivenVariables<'w, 'a> {
    pub(super) fn new(writer: &'w TestWriter<'a>) -> GivenVariables<'w, 'a> {
        GivenVariables {
            writer,
            variables: BTreeMap::new(),
            count: 0,
            lost: false,
            types: BTreeSet::new(),
            constructors: BTreeSet::new(),
        }
    }

    /// The next call of the test.
    ///
    /// # Errors
    /// Which argument cannot be written, and why.
    pub(super) fn call(&mut self, call: &TestCall) -> Result<GivenCall, String> {
        let mut lines = Vec::new();
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            let written = self.value(call, &argument.ty, &argument.value, &mut lines);
            arguments.push(written.map_err(|why| {
                let (called, name, text) = (&call.name, &argument.name, &argument.text);
                format!("`{called}` needs {name} = {text}: {why}")
            })?);
        }
        if call.open {
            // The run goes on from what was recorded, in which objects have names anew: none of them leads to an earlier one,
            // or it is not known.
            self.variables.clear();
            let has_fields = !(self.writer.program())
                .class(self.writer.subject.class)
                .fields
                .is_empty();
            self.lost = has_fields && call.fields.is_empty();
        }
        Ok(GivenCall { lines, arguments })
    }

    fn value(
        &mut self,
        call: &TestCall,
        ty: &Type,
        value: &Value,
        lines: &mut Vec<String>,
    ) -> Result<String, String> {
        let (language, program) = (self.writer.language, self.writer.program());
        let Value::Ref(_) = value else {
            if let (Value::Member(id, _), false) = (value, language == TestLanguage::Rust) {
                self.types
                    .insert(language.type_name(program, &Type::Enum(*id)));
            }
            return language.literal(program, ty, value);
        };
        if self.lost {
            return Err("which object that is depends on what the class leaves open before".into());
        }
        let name = value.display(program);
        if let Some(variable) = self.variables.get(&name) {
            return match language {
                TestLanguage::Rust => {
                    Err("another call is given it, too, which has it then".into())
                }
                TestLanguage::Java | TestLanguage::CSharp => Ok(variable.clone()),
            };
        }
        let told = call.objects.iter().find(|object| object.name == name);
        let told = told.ok_or("too little is known of it")?;
        match ty {
            _ if told.type_name.is_none() && language != TestLanguage::Rust => Ok("subject".into()),
            Type::Array { element, nullable } => {
                let array = self.array(call, element, told, lines)?;
                self.variables.insert(name, array.clone());
                Ok(match (language, nullable) {
                    (TestLanguage::Rust, true) => format!("Some({array})"),
                    _ => array,
                })
            }
            Type::Class { class, .. } if language != TestLanguage::Rust => {
                let object = self.instance(call, *class, told, lines)?;
                self.variables.insert(name, object.clone());
                Ok(object)
            }
            _ => Err("it is an object".into()),
        }
    }

    /// A variable for an array; in Rust, the array itself.
    fn array(
        &mut self,
        call: &TestCall,
        element: &Type,
        told: &RunObject,
        lines: &mut Vec<String>,
    ) -> Result<String, String> {
        let (language, program) = (self.writer.language, self.writer.program());
        let mut elements = Vec::new();
        for (index, text) in told.elements.iter().enumerate() {
            let value = held(self.writer, element, text).ok_or("too little is known of it")?;
            let written = self.value(call, element, &value, lines);
            elements.push(written.map_err(|why| format!("its element {index} is {text}: {why}"))?);
        }
        let elements = elements.join(", ");
        if language == TestLanguage::Rust {
            return Ok(format!("vec![{elements}]"));
        }
        let ty = language.type_name(program, element);
        let variable = self.variable("array");
        lines.push(format!("{ty}[] {variable} = new {ty}[] {{{elements}}};"));
        Ok(variable)
    }

    /// A variable for an object.
    fn instance(
        &mut self,
        call: &TestCall,
        class: ClassId,
        told: &RunObject,
        lines: &mut Vec<String>,
    ) -> Result<String, String> {
        let program = self.writer.program();
        let fields = program.class(class).fields.iter().zip(&told.fields);
        let fields: Option<Vec<Value>> = fields
            .map(|(field, named)| held(self.writer, &field.ty, &named.value))
            .collect();
        let fields = fields.ok_or("too little is known of it")?;
        let made = made_by(program, class, &fields);
        let (constructor, arguments) = made.ok_or_else(|| {
            format!(
                "no call of a constructor was found that makes what {}",
                told.words()
            )
        })?;
        let types = program.routine(constructor).params.iter();
        let types = types.map(|param| &program.var(*param).ty);
        let mut written = Vec::new();
        for (ty, value) in types.zip(&arguments) {
            written.push(self.value(call, ty, value, lines)?);
        }
        let ty = self.writer.class_name(class);
        self.types.insert(ty.clone());
        self.constructors.insert(constructor);
        let (maker, variable) = (
            self.writer.maker(class, Some(constructor)),
            self.variable("object"),
        );
        lines.push(format!(
            "{ty} {variable} = {maker}({});",
            written.join(", ")
        ));
        Ok(variable)
    }

    /// A name that no other variable of the test has.
    fn variable(&mut self, kind: &str) -> String {
        self.count += 1;
        format!("{kind}{}", self.count)
    }
}

/// What a field or an element holds.
fn held(writer: &TestWriter<'_>, ty: &Type, text: &str) -> Option<Value> {
    match (ty, text.strip_prefix('#')) {
        (Type::Class { .. } | Type::Array { .. }, Some(number)) => {
            number.parse().ok().map(|id| Value::Ref(ObjectId(id)))
        }
        _ => read(writer.program(), ty, text),
    }
}

impl TestWriter<'_> {
    /// A class as the tests name it.
    fn class_name(&self, class: ClassId) -> String {
        match class == self.subject.class {
            true => self.tested.name.clone(),
            false => word(self.language, &self.program().class(class).name),
        }
    }

    /// What makes an object, as far as the parenthesis: a constructor, or what a class under test has in its place.
    pub(super) fn maker(&self, class: ClassId, constructor: Option<RoutineRef>) -> String {
        let (name, class_name) = (self.maker_name(class, constructor), self.class_name(class));
        match (self.language, name.is_empty()) {
            (TestLanguage::Rust, _) => format!("{class_name}::{name}"),
            (_, true) => format!("new {class_name}"),
            (_, false) => format!("{class_name}.{name}"),
        }
    }

    /// The name of a constructor; an empty one where it is called like its class.
    fn maker_name(&self, class: ClassId, constructor: Option<RoutineRef>) -> String {
        let program = self.program();
        match constructor.map(|constructor| &program.routine(constructor).name) {
            _ if class == self.subject.class => self.names.of(constructor).to_owned(),
            Some(name) if *name != program.class(class).name => call_name(self.language, name),
            _ => String::new(),
        }
    }

    /// What has to be there for an object that is made by a constructor, with its place among such lines.
    pub(super) fn need_of_maker(&self, constructor: RoutineRef) -> (usize, String) {
        let program = self.program();
        let routine = program.routine(constructor);
        if constructor.class == self.subject.class {
            let called = program.signature(constructor);
            return self.need(Some(constructor), !routine.throws.is_empty(), &called);
        }
        let params = routine.params.iter().map(|param| program.var(*param));
        let params: Vec<String> = params
            .map(|param| {
                format!(
                    "{} {}",
                    self.language.type_name(program, &param.ty),
                    param.name
                )
            })
            .collect();
        let maker = self.maker(constructor.class, Some(constructor));
        // Behind what the type under test needs.
        (usize::MAX, format!("{maker}({})", params.join(", ")))
    }
}
