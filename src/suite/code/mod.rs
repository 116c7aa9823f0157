//! A suite as code of another language, from a template a language.

mod given;
mod literal;
mod names;
mod tested;

use std::collections::BTreeSet;

use askama::Template;

use crate::interp::Value;
use crate::ir::{Program, RoutineRef, Type};
use crate::query::Subject;

use super::model::{Suite, TestCall};
use super::text::{call_line, call_text, report};
use given::GivenVariables;
pub(super) use literal::comment;
use literal::quoted;
pub(super) use names::test_name;
use names::{CalleeNames, builtin_exception, word};
use tested::TestedType;

/// A language that tests are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestLanguage {
    /// Rust, for `cargo test` or `rustc --test`.
    Rust,
    /// Java with JUnit 5.
    Java,
    /// C# with xUnit.
    CSharp,
}

/// A name of a type or value as Java can have it.
pub(crate) fn java_word(name: &str) -> String {
    word(TestLanguage::Java, name)
}

/// A name of a type or value as Rust can have it.
pub(crate) fn rust_word(name: &str) -> String {
    word(TestLanguage::Rust, name)
}

/// A name of a function or variable in Rust's style.
pub(crate) fn rust_name(name: &str) -> String {
    names::call_name(TestLanguage::Rust, name)
}

/// Why there is no code.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The name of the type under test is none in the language.
    #[error("`{0}` does not name a type: {1}")]
    Subject(String, &'static str),
    /// A value cannot be written in the language.
    #[error("{0}")]
    Value(String),
    /// An error of the template, which no input can cause.
    #[error(transparent)]
    Template(#[from] askama::Error),
}

/// What the templates show. All texts are ready to be put into code.
struct Content {
    class: String,
    /// The type under test as the tests name it.
    subject: String,
    /// The package, module or namespace it is in.
    home: String,
    /// What is taken from there, in the order of their names.
    imports: Vec<String>,
    /// The lines of the comment that says what the type under test needs to have.
    needs: Vec<String>,
    fallible: bool,
    enums: bool,
    tests: Vec<TestCode>,
    report: Vec<String>,
}

struct TestCode {
    name: String,
    covers: Vec<String>,
    calls: Vec<CallCode>,
}

struct CallCode {
    /// The call in the source's words, and what is so after it.
    says: String,
    /// The call in the source's words, as a string of the language.
    quoted: String,
    /// The lines before it that make what it is given.
    given: Vec<String>,
    /// Whether it makes the object.
    makes: bool,
    /// The call.
    expression: String,
    fallible: bool,
    /// Whether it gives something.
    gives: bool,
    /// The exception it must end in.
    exception: Option<String>,
    /// What it must give.
    result: Option<String>,
    /// The actions that must be enabled then, as strings of the language.
    enabled: Vec<String>,
}

#[derive(Template)]
#[template(path = "suite/suite.rs.txt")]
struct RustSuite {
    it: Content,
}

#[derive(Template)]
#[template(path = "suite/suite.java.txt")]
struct JavaSuite {
    it: Content,
}

#[derive(Template)]
#[template(path = "suite/suite.cs.txt")]
struct CSharpSuite {
    it: Content,
}

impl TestLanguage {
    /// The suite as code. `path` names the type under test; without it, it is named like the class.
    ///
    /// # Errors
    /// The type's name is none, or a value of the suite cannot be written: it was made for another language.
    pub fn render(
        self,
        subject: &Subject,
        suite: &Suite,
        path: Option<&str>,
    ) -> Result<String, CodeError> {
        let writer = TestWriter::new(self, subject, &suite.class, path)?;
        let it = writer.content(suite)?;
        let text = match self {
            TestLanguage::Rust => RustSuite { it }.render(),
            TestLanguage::Java => JavaSuite { it }.render(),
            TestLanguage::CSharp => CSharpSuite { it }.render(),
        }?;
        Ok(text.trim_end().to_string() + "\n")
    }

    /// The package and the name of a type in Java.
    ///
    /// # Errors
    /// It is no name.
    pub(super) fn java_type(path: &str) -> Result<(String, String), CodeError> {
        let tested = TestedType::new(TestLanguage::Java, path, Some(path))?;
        Ok((tested.home, tested.name))
    }

    /// Why the calls of a test cannot be written, if they cannot.
    pub(super) fn objection(self, subject: &Subject, calls: &[TestCall]) -> Option<String> {
        let class = &subject.program.class(subject.class).name;
        let writer = match TestWriter::new(self, subject, class, None) {
            Ok(writer) => writer,
            Err(error) => return Some(error.to_string()),
        };
        let mut given = GivenVariables::new(&writer);
        calls.iter().find_map(|call| given.call(call).err())
    }

    /// A type as the language has it.
    fn type_name(self, program: &Program, ty: &Type) -> String {
        let number = |rust: &str, java: &str, csharp: &str| -> String {
            match self {
                TestLanguage::Rust => rust.into(),
                TestLanguage::Java => java.into(),
                TestLanguage::CSharp => csharp.into(),
            }
        };
        match ty {
            Type::Int | Type::Nat | Type::Within(_) => number("i64", "long", "long"),
            Type::Bool => number("bool", "boolean", "bool"),
            Type::Machine(machine) => {
                let machine = (*machine).usual();
                let small = machine.bits < 32 || (machine.bits == 32 && machine.signed);
                let csharp = match (machine.signed, machine.bits) {
                    (true, 8) => "sbyte",
                    (false, 8) => "byte",
                    (true, 16) => "short",
                    (false, 16) => "ushort",
                    (true, 32) => "int",
                    (false, 32) => "uint",
                    (true, _) => "long",
                    (false, _) => "ulong",
                };
                number(&machine.name(), if small { "int" } else { "long" }, csharp)
            }
            Type::Enum(_) | Type::Opaque(_) => word(self, &program.type_name(ty)),
            Type::Array { element, nullable } => {
                let element = self.type_name(program, element);
                let (vector, array) = (format!("Vec<{element}>"), format!("{element}[]"));
                match nullable {
                    true => number(&format!("Option<{vector}>"), &array, &format!("{array}?")),
                    false => number(&vector, &array, &array),
                }
            }
            Type::Class { .. } | Type::Map(..) | Type::Null => {
                let name = program.type_name(ty);
                let name = name.trim_end_matches('?');
                number(&format!("Option<{name}>"), name, &format!("{name}?"))
            }
        }
    }
}

/// Writes the parts of the code.
struct TestWriter<'a> {
    language: TestLanguage,
    subject: &'a Subject,
    tested: TestedType,
    names: CalleeNames,
}

impl<'a> TestWriter<'a> {
    /// For the type of this path; without it, for the one that is named like the class.
    fn new(
        language: TestLanguage,
        subject: &'a Subject,
        class: &str,
        path: Option<&str>,
    ) -> Result<TestWriter<'a>, CodeError> {
        Ok(TestWriter {
            language,
            subject,
            tested: TestedType::new(language, class, path)?,
            names: CalleeNames::new(language, subject),
        })
    }

    fn program(&self) -> &'a Program {
        &self.subject.program
    }

    fn content(&self, suite: &Suite) -> Result<Content, CodeError> {
        let calls = || suite.tests.iter().flat_map(|test| &test.calls);
        let (mut tests, mut makers) = (Vec::new(), BTreeSet::new());
        let mut imports: BTreeSet<String> = BTreeSet::from([self.tested.name.clone()]);
        for (index, test) in suite.tests.iter().enumerate() {
            let last = test.calls.last().map_or("", |call| call.name.as_str());
            let mut given = GivenVariables::new(self);
            tests.push(TestCode {
                name: test_name(self.language, index + 1, last),
                covers: test.covers.iter().map(|item| comment(item)).collect(),
                calls: (test.calls.iter().enumerate())
                    .map(|(index, call)| self.call(index, call, &mut given))
                    .collect::<Result<_, _>>()?,
            });
            imports.extend(given.types);
            makers.extend(given.constructors);
        }
        for call in calls() {
            for value in call.arguments.iter().chain(self.checked(call)) {
                if let Value::Member(id, _) = value.value {
                    imports.insert(self.language.type_name(self.program(), &Type::Enum(id)));
                }
            }
            if let (Some(exception), TestLanguage::Java) = (self.exception(call), self.language)
                && builtin_exception(self.language, exception).is_none()
            {
                imports.insert(word(self.language, exception));
            }
        }
        let needs = calls().map(|call| self.need(call.routine, call.fallible, &call.name));
        let mut needs: BTreeSet<(usize, String)> = needs.collect();
        needs.extend(makers.into_iter().map(|maker| self.need_of_maker(maker)));
        Ok(Content {
            class: comment(&suite.class),
            subject: self.tested.name.clone(),
            home: self.tested.home.clone(),
            enums: imports.len() > 1,
            imports: imports.into_iter().collect(),
            needs: needs.into_iter().map(|(_, line)| comment(&line)).collect(),
            fallible: calls().any(|call| call.fallible),
            tests,
            report: report(suite).iter().map(|line| comment(line)).collect(),
        })
    }

    /// The name of the exception that a call ends in, however it is shown.
    fn exception(&self, call: &TestCall) -> Option<&str> {
        call.raised.map(|id| self.program().exception(id))
    }

    fn call(
        &self,
        index: usize,
        call: &TestCall,
        given: &mut GivenVariables<'_, '_>,
    ) -> Result<CallCode, CodeError> {
        let says = format!("{}. {}", index + 1, call_line(call));
        let written = given.call(call).map_err(CodeError::Value)?;
        let (callee, arguments) = (self.callee(call), written.arguments.join(", "));
        // What cannot be written is not looked at; the enabled actions are.
        let result = self.checked(call).and_then(|result| {
            let written = (self.language).literal(self.program(), &result.ty, &result.value);
            written.ok()
        });
        let mut enabled = call.enabled.clone();
        enabled.sort();
        Ok(CallCode {
            quoted: quoted(
                self.language,
                &format!("{}. {}", index + 1, call_text(call)),
            ),
            says: comment(&says),
            given: written.lines,
            makes: index == 0,
            expression: format!("{callee}({arguments})"),
            fallible: call.fallible,
            gives: self.results(call) > 0,
            exception: self.exception(call).map(|name| match self.language {
                TestLanguage::Rust => quoted(self.language, name),
                _ => builtin_exception(self.language, name)
                    .map_or_else(|| word(self.language, name), str::to_string),
            }),
            result,
            enabled: enabled
                .iter()
                .map(|name| quoted(self.language, name))
                .collect(),
        })
    }

    /// What is called, as far as the parenthesis.
    fn callee(&self, call: &TestCall) -> String {
        match self.names.is_constructor(call.routine) {
            true => self.maker(self.subject.class, call.routine),
            false => format!("subject.{}", self.names.of(call.routine)),
        }
    }

    fn results(&self, call: &TestCall) -> usize {
        call.routine
            .map_or(0, |r| self.program().routine(r).results.len())
    }

    /// The one result that a test looks at.
    fn checked<'c>(&self, call: &'c TestCall) -> Option<&'c super::Argument> {
        match call.results.as_slice() {
            [result] if !call.open && self.results(call) == 1 => Some(result),
            _ => None,
        }
    }

    /// What the type under test needs to have for calls of a routine, with its place among such lines.
    fn need(&self, called: Option<RoutineRef>, fallible: bool, shown: &str) -> (usize, String) {
        let program = self.program();
        let vars = |vars: &[crate::ir::VarId]| -> Vec<(String, String)> {
            let vars = vars.iter().map(|v| program.var(*v));
            vars.map(|v| (v.name.clone(), self.language.type_name(program, &v.ty)))
                .collect()
        };
        let routine = called.map(|r| program.routine(r));
        let params = routine.map_or_else(Vec::new, |r| vars(&r.params));
        let results = routine.map_or_else(Vec::new, |r| vars(&r.results));
        let (name, subject) = (self.names.of(called), &self.tested.name);
        let makes = self.names.is_constructor(called);
        let types: Vec<&str> = results.iter().map(|(_, ty)| ty.as_str()).collect();
        let line = match self.language {
            TestLanguage::Rust => {
                let receiver = (!makes).then(|| "&mut self".to_string());
                let params = params.iter().map(|(name, ty)| format!("{name}: {ty}"));
                let params: Vec<String> = receiver.into_iter().chain(params).collect();
                let gives = match types.as_slice() {
                    _ if makes => "Self".to_string(),
                    [] => "()".into(),
                    [one] => (*one).into(),
                    more => format!("({})", more.join(", ")),
                };
                let gives = match (fallible, gives.as_str()) {
                    (true, gives) => format!(" -> Result<{gives}, Error>"),
                    (false, "()") => String::new(),
                    (false, gives) => format!(" -> {gives}"),
                };
                format!("fn {name}({}){gives}", params.join(", "))
            }
            TestLanguage::Java | TestLanguage::CSharp => {
                let params = params.iter().map(|(name, ty)| format!("{ty} {name}"));
                let params = params.collect::<Vec<_>>().join(", ");
                let gives = match (types.as_slice(), self.language) {
                    ([], _) => "void",
                    ([one], _) => one,
                    (_, TestLanguage::CSharp) => "object",
                    _ => "Object",
                };
                match (makes, name.is_empty()) {
                    (true, true) => format!("{subject}({params})"),
                    (true, false) => format!("static {subject} {name}({params})"),
                    (false, _) => format!("{gives} {name}({params})"),
                }
            }
        };
        let place = self.names.place(called);
        let shown = if place.1 == line {
            line
        } else {
            format!("{line}  // {shown}")
        };
        (place.0, shown)
    }
}
