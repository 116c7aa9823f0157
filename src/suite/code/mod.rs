//! A suite as code of another language, from a template a language.

mod literal;
mod names;
mod tested;

use std::collections::BTreeSet;

use askama::Template;

use crate::interp::Value;
use crate::ir::{Program, Type};
use crate::query::Subject;

use super::model::{Suite, TestCall};
use super::text::{call_line, call_text, report};
pub(super) use literal::comment;
use literal::quoted;
use names::{CalleeNames, builtin_exception, test_name, word};
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
        let writer = TestWriter {
            language: self,
            subject,
            tested: TestedType::new(self, &suite.class, path)?,
            names: CalleeNames::new(self, subject),
        };
        let it = writer.content(suite)?;
        let text = match self {
            TestLanguage::Rust => RustSuite { it }.render(),
            TestLanguage::Java => JavaSuite { it }.render(),
            TestLanguage::CSharp => CSharpSuite { it }.render(),
        }?;
        Ok(text.trim_end().to_string() + "\n")
    }

    /// Why a call cannot be written, if it cannot.
    pub(super) fn objection(self, program: &Program, call: &TestCall) -> Option<String> {
        call.arguments.iter().find_map(|argument| {
            let why = self.literal(program, argument).err()?;
            Some(format!(
                "`{}` needs {} = {}: {why}",
                call.name, argument.name, argument.text
            ))
        })
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
            Type::Class { .. } | Type::Array { .. } | Type::Map(..) | Type::Null => {
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

impl TestWriter<'_> {
    fn program(&self) -> &Program {
        &self.subject.program
    }

    fn content(&self, suite: &Suite) -> Result<Content, CodeError> {
        let calls = || suite.tests.iter().flat_map(|test| &test.calls);
        let mut tests = Vec::new();
        for (index, test) in suite.tests.iter().enumerate() {
            let last = test.calls.last().map_or("", |call| call.name.as_str());
            tests.push(TestCode {
                name: test_name(self.language, index + 1, last),
                covers: test.covers.iter().map(|item| comment(item)).collect(),
                calls: (test.calls.iter().enumerate())
                    .map(|(index, call)| self.call(index, call))
                    .collect::<Result<_, _>>()?,
            });
        }
        let mut imports: BTreeSet<String> = BTreeSet::from([self.tested.name.clone()]);
        for call in calls() {
            for value in call.arguments.iter().chain(self.checked(call)) {
                if let Value::Member(id, _) = value.value {
                    imports.insert(self.language.type_name(self.program(), &Type::Enum(id)));
                }
            }
            if let (Some(exception), TestLanguage::Java) = (&call.exception, self.language)
                && builtin_exception(self.language, exception).is_none()
            {
                imports.insert(word(self.language, exception));
            }
        }
        let needs: BTreeSet<(usize, String)> = calls().map(|call| self.need(call)).collect();
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

    fn call(&self, index: usize, call: &TestCall) -> Result<CallCode, CodeError> {
        let says = format!("{}. {}", index + 1, call_line(call));
        let arguments: Vec<String> = (call.arguments.iter())
            .map(|a| {
                self.language
                    .literal(self.program(), a)
                    .map_err(CodeError::Value)
            })
            .collect::<Result<_, _>>()?;
        let (callee, arguments) = (self.callee(call), arguments.join(", "));
        let result = match self.checked(call) {
            // What cannot be written is not looked at; the enabled actions are.
            Some(result) => self.language.literal(self.program(), result).ok(),
            None => None,
        };
        let mut enabled = call.enabled.clone();
        enabled.sort();
        Ok(CallCode {
            quoted: quoted(
                self.language,
                &format!("{}. {}", index + 1, call_text(call)),
            ),
            says: comment(&says),
            makes: index == 0,
            expression: format!("{callee}({arguments})"),
            fallible: call.fallible,
            gives: self.results(call) > 0,
            exception: call.exception.as_deref().map(|name| match self.language {
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
        let (name, subject) = (self.names.of(call.routine), &self.tested.name);
        match (self.language, self.names.is_constructor(call.routine)) {
            (TestLanguage::Rust, true) => format!("{subject}::{name}"),
            (_, true) if name.is_empty() => format!("new {subject}"),
            (_, true) => format!("{subject}.{name}"),
            (_, false) => format!("subject.{name}"),
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

    /// What the type under test needs to have for a call, with its place among such lines.
    fn need(&self, call: &TestCall) -> (usize, String) {
        let program = self.program();
        let vars = |vars: &[crate::ir::VarId]| -> Vec<(String, String)> {
            let vars = vars.iter().map(|v| program.var(*v));
            vars.map(|v| (v.name.clone(), self.language.type_name(program, &v.ty)))
                .collect()
        };
        let routine = call.routine.map(|r| program.routine(r));
        let params = routine.map_or_else(Vec::new, |r| vars(&r.params));
        let results = routine.map_or_else(Vec::new, |r| vars(&r.results));
        let (name, subject) = (self.names.of(call.routine), &self.tested.name);
        let makes = self.names.is_constructor(call.routine);
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
                let gives = match (call.fallible, gives.as_str()) {
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
        let place = self.names.place(call.routine);
        let shown = if place.1 == line {
            line
        } else {
            format!("{line}  // {}", call.name)
        };
        (place.0, shown)
    }
}
