//! Names as the languages have them: `get_Max` is `get_max`, `getMax` or `GetMax`.

use std::collections::{BTreeMap, BTreeSet};

use heck::{ToLowerCamelCase, ToSnakeCase, ToUpperCamelCase};

use crate::ir::RoutineRef;
use crate::query::{Subject, without_types};

use super::TestLanguage;

/// The names of what is called.
pub(super) struct CalleeNames {
    /// By routine: its place among all, and its name; an empty one is a constructor that is called like its class.
    names: BTreeMap<Option<RoutineRef>, (usize, String)>,
    constructors: BTreeSet<Option<RoutineRef>>,
}

impl CalleeNames {
    /// The names of all constructors and actions of a class; no two are the same.
    pub(super) fn new(language: TestLanguage, subject: &Subject) -> CalleeNames {
        let program = &subject.program;
        let class = &program.class(subject.class).name;
        let mut taken: BTreeSet<String> = taken(language).iter().map(|n| (*n).into()).collect();
        if language == TestLanguage::CSharp {
            // No member is called like its class.
            taken.insert(class.clone());
        }
        let mut names = BTreeMap::new();
        let mut place = 0;
        let mut add = |routine: Option<RoutineRef>, name: String, names: &mut BTreeMap<_, _>| {
            names.insert(routine, (place, name));
            place += 1;
        };
        let unnamed = |routine: Option<RoutineRef>| match routine {
            Some(routine) => program.routine(routine).name == *class,
            None => true,
        };
        let constructors: Vec<Option<RoutineRef>> =
            subject.constructors.iter().map(|c| c.routine).collect();
        let alone = constructors.iter().filter(|c| unnamed(**c)).count() == 1;
        for routine in &constructors {
            let params: Vec<_> =
                routine.map_or(Vec::new(), |r| program.routine(r).given().collect());
            let name = match (routine, language) {
                (Some(named), _) if !unnamed(*routine) => {
                    styled(language, &program.routine(*named).name)
                }
                // Rust has no overloading.
                (_, TestLanguage::Rust) if alone || params.is_empty() => "new".into(),
                (_, TestLanguage::Rust) => {
                    let params = params.iter().map(|p| program.var(*p).name.as_str());
                    let params: Vec<&str> = params.collect();
                    styled(language, &format!("with_{}", params.join("_")))
                }
                (_, TestLanguage::Java | TestLanguage::CSharp) => String::new(),
            };
            let name = if name.is_empty() {
                name
            } else {
                unique(name, &mut taken)
            };
            add(*routine, name, &mut names);
        }
        for action in &subject.actions {
            let name = unique(styled(language, &action.name), &mut taken);
            add(Some(action.routine), name, &mut names);
        }
        CalleeNames {
            names,
            constructors: constructors.into_iter().collect(),
        }
    }

    /// The name of what is called.
    pub(super) fn of(&self, routine: Option<RoutineRef>) -> &str {
        self.names.get(&routine).map_or("", |(_, name)| name)
    }

    /// Its place among all that can be called, and its name.
    pub(super) fn place(&self, routine: Option<RoutineRef>) -> (usize, &str) {
        let found = self.names.get(&routine);
        found.map_or((0, ""), |(place, name)| (*place, name))
    }

    /// Whether it makes an object.
    pub(super) fn is_constructor(&self, routine: Option<RoutineRef>) -> bool {
        self.constructors.contains(&routine)
    }
}

/// The name, with `_` behind it until it is free. Then it is taken.
fn unique(mut name: String, taken: &mut BTreeSet<String>) -> String {
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// A name of a type or value, which is kept as it is where the language can have it.
pub(super) fn word(language: TestLanguage, name: &str) -> String {
    let kept = |c: char| {
        if c == '_' || c.is_ascii_alphanumeric() {
            c
        } else {
            '_'
        }
    };
    let mut word: String = name.chars().map(kept).collect();
    if taken(language).contains(&word.as_str()) || word.is_empty() {
        word.push('_');
    }
    word
}

/// The name of a test.
pub(in crate::suite) fn test_name(language: TestLanguage, number: usize, last: &str) -> String {
    // What is shown need not be a name.
    let last = word(language, without_types(last));
    styled(language, &format!("test_{number}_{last}"))
}

/// The name of something that is called, in the language's style, and none of its words.
pub(super) fn call_name(language: TestLanguage, name: &str) -> String {
    let mut taken: BTreeSet<String> = taken(language).iter().map(|n| (*n).into()).collect();
    unique(styled(language, name), &mut taken)
}

/// The name in the language's style.
fn styled(language: TestLanguage, name: &str) -> String {
    // What begins with a digit, or has no letter at all, is no name.
    let first = name.chars().find(char::is_ascii_alphanumeric);
    let name = match first {
        Some(letter) if !letter.is_ascii_digit() => name.to_owned(),
        _ => format!("call_{name}"),
    };
    match language {
        TestLanguage::Rust => name.to_snake_case(),
        TestLanguage::CSharp => name.to_upper_camel_case(),
        TestLanguage::Java => name.to_lower_camel_case(),
    }
}

/// What an exception of the language itself is called in the target language.
pub(super) fn builtin_exception(language: TestLanguage, name: &str) -> Option<&'static str> {
    match (language, name) {
        (TestLanguage::Java, "NullDereference") => Some("NullPointerException"),
        (TestLanguage::Java, "IndexOutOfRange") => Some("IndexOutOfBoundsException"),
        (TestLanguage::Java, "DivisionByZero") => Some("ArithmeticException"),
        (TestLanguage::Java, "NegativeLength") => Some("NegativeArraySizeException"),
        (TestLanguage::Java, "AssertionFailure") => Some("AssertionError"),
        (TestLanguage::CSharp, "NullDereference") => Some("System.NullReferenceException"),
        (TestLanguage::CSharp, "IndexOutOfRange") => Some("System.IndexOutOfRangeException"),
        (TestLanguage::CSharp, "DivisionByZero") => Some("System.DivideByZeroException"),
        (TestLanguage::CSharp, "NegativeLength") => Some("System.OverflowException"),
        _ => None,
    }
}

/// Names that no method can have: words of the language, what every object has already, and what the tests ask for.
fn taken(language: TestLanguage) -> &'static [&'static str] {
    match language {
        TestLanguage::Rust => &[
            "enabled", "abstract", "as", "async", "await", "become", "box", "break", "const",
            "continue", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn",
            "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
            "mut", "override", "priv", "pub", "ref", "return", "self", "Self", "static", "struct",
            "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
            "virtual", "where", "while", "yield", "_",
        ],
        TestLanguage::Java => &[
            "enabled",
            "abstract",
            "assert",
            "boolean",
            "break",
            "byte",
            "case",
            "catch",
            "char",
            "class",
            "const",
            "continue",
            "default",
            "do",
            "double",
            "else",
            "enum",
            "extends",
            "false",
            "final",
            "finally",
            "float",
            "for",
            "goto",
            "if",
            "implements",
            "import",
            "instanceof",
            "int",
            "interface",
            "long",
            "native",
            "new",
            "null",
            "package",
            "private",
            "protected",
            "public",
            "record",
            "return",
            "short",
            "static",
            "strictfp",
            "super",
            "switch",
            "synchronized",
            "this",
            "throw",
            "throws",
            "transient",
            "true",
            "try",
            "var",
            "void",
            "volatile",
            "while",
            "yield",
            "_",
            "clone",
            "equals",
            "finalize",
            "getClass",
            "hashCode",
            "notify",
            "notifyAll",
            "toString",
            "wait",
        ],
        TestLanguage::CSharp => &[
            "Enabled",
            "abstract",
            "as",
            "base",
            "bool",
            "break",
            "byte",
            "case",
            "catch",
            "char",
            "checked",
            "class",
            "const",
            "continue",
            "decimal",
            "default",
            "delegate",
            "do",
            "double",
            "else",
            "enum",
            "event",
            "explicit",
            "extern",
            "false",
            "finally",
            "fixed",
            "float",
            "for",
            "foreach",
            "goto",
            "if",
            "implicit",
            "in",
            "int",
            "interface",
            "internal",
            "is",
            "lock",
            "long",
            "namespace",
            "new",
            "null",
            "object",
            "operator",
            "out",
            "override",
            "params",
            "private",
            "protected",
            "public",
            "readonly",
            "ref",
            "return",
            "sbyte",
            "sealed",
            "short",
            "sizeof",
            "stackalloc",
            "static",
            "string",
            "struct",
            "switch",
            "this",
            "throw",
            "true",
            "try",
            "typeof",
            "uint",
            "ulong",
            "unchecked",
            "unsafe",
            "ushort",
            "using",
            "virtual",
            "void",
            "volatile",
            "while",
            "_",
            "Equals",
            "Finalize",
            "GetHashCode",
            "GetType",
            "MemberwiseClone",
            "ReferenceEquals",
            "ToString",
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_style_of_the_language() {
        for (name, rust, java, csharp) in [
            ("get_Max", "get_max", "getMax", "GetMax"),
            ("ReturnItem", "return_item", "returnItem", "ReturnItem"),
            (
                "readHTTPHeader2",
                "read_http_header2",
                "readHttpHeader2",
                "ReadHttpHeader2",
            ),
            ("_", "call", "call", "Call"),
            ("_1", "call_1", "call1", "Call1"),
        ] {
            assert_eq!(styled(TestLanguage::Rust, name), rust);
            assert_eq!(styled(TestLanguage::Java, name), java);
            assert_eq!(styled(TestLanguage::CSharp, name), csharp);
        }
    }

    #[test]
    fn no_two_names_are_the_same_and_none_is_a_keyword() {
        let mut taken: BTreeSet<String> = super::taken(TestLanguage::Rust)
            .iter()
            .map(|n| (*n).into())
            .collect();
        assert_eq!(unique("enabled".into(), &mut taken), "enabled_");
        assert_eq!(unique("go".into(), &mut taken), "go");
        assert_eq!(unique("go".into(), &mut taken), "go_");
        assert_eq!(word(TestLanguage::Java, "native"), "native_");
    }
}
