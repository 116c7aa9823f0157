//! Names and types, as class files spell them (JVMS 4.2, 4.3), and as people do.

use std::fmt;
use std::sync::Arc;

/// The name of a class or interface.
///
/// It is kept in the form class files have, `java/util/Map$Entry`, and shown in the other, `java.util.Map$Entry`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassName(Arc<str>);

impl ClassName {
    /// The class of this name; slashes and dots both part packages.
    pub fn new(name: &str) -> ClassName {
        if name.contains('.') {
            ClassName(name.replace('.', "/").into())
        } else {
            ClassName(name.into())
        }
    }

    /// `java.lang.Object`.
    pub fn object() -> ClassName {
        ClassName::new("java/lang/Object")
    }

    /// `java/util/Map$Entry`
    pub fn internal(&self) -> &str {
        &self.0
    }

    /// Whether this is the class with that internal name.
    pub fn is(&self, internal: &str) -> bool {
        &*self.0 == internal
    }

    /// `java/util`, or nothing where the class is in no package.
    pub fn package(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(package, _)| package)
    }

    /// Whether it is in one of these packages, `java.util`; all are, where none is named.
    pub fn is_of(&self, packages: &[String]) -> bool {
        let own = self.package().replace('/', ".");
        packages.is_empty() || packages.contains(&own)
    }

    /// The class that it stands in, or is: `java/util/Map`.
    pub fn outermost(&self) -> &str {
        self.0.split('$').next().unwrap_or(&self.0)
    }

    /// `Map$Entry`
    pub fn simple(&self) -> &str {
        self.0.rsplit_once('/').map_or(&*self.0, |(_, name)| name)
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace('/', "."))
    }
}

impl fmt::Debug for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The five kinds of values that the machine's instructions tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComputationalType {
    /// `int`, and all that is narrower: `boolean`, `byte`, `char`, `short`.
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// An object, an array or `null`.
    Reference,
}

impl ComputationalType {
    /// How many local variables or stack entries a value takes: 1 or 2.
    pub fn width(self) -> u16 {
        match self {
            ComputationalType::Long | ComputationalType::Double => 2,
            ComputationalType::Int | ComputationalType::Float | ComputationalType::Reference => 1,
        }
    }
}

/// The type of a field, a parameter or a variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JavaType {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `char`
    Char,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// A class or an interface.
    Class(ClassName),
    /// An array of elements of this type.
    Array(Arc<JavaType>),
}

/// More dimensions than that an array cannot have (JVMS 4.3.2).
const MOST_DIMENSIONS: usize = 255;

impl JavaType {
    /// The class of this internal name.
    pub fn class(internal: &str) -> JavaType {
        JavaType::Class(ClassName::new(internal))
    }

    /// `java.lang.Object`
    pub fn object() -> JavaType {
        JavaType::Class(ClassName::object())
    }

    /// An array of these.
    pub fn array_of(element: JavaType) -> JavaType {
        JavaType::Array(Arc::new(element))
    }

    /// What its values are to the machine.
    pub fn kind(&self) -> ComputationalType {
        match self {
            JavaType::Boolean
            | JavaType::Byte
            | JavaType::Char
            | JavaType::Short
            | JavaType::Int => ComputationalType::Int,
            JavaType::Long => ComputationalType::Long,
            JavaType::Float => ComputationalType::Float,
            JavaType::Double => ComputationalType::Double,
            JavaType::Class(_) | JavaType::Array(_) => ComputationalType::Reference,
        }
    }

    /// What an array's elements are; nothing for any other type.
    pub fn element(&self) -> Option<&JavaType> {
        match self {
            JavaType::Array(element) => Some(element),
            _ => None,
        }
    }

    /// Reads a whole field descriptor (JVMS 4.3.2), `[Ljava/lang/String;`.
    pub fn parse(descriptor: &str) -> Option<JavaType> {
        match JavaType::prefix(descriptor)? {
            (found, "") => Some(found),
            _ => None,
        }
    }

    /// Reads the name that a constant of kind `Class` has: that of a class, or an array's descriptor.
    pub fn of_class_constant(name: &str) -> Option<JavaType> {
        if name.starts_with('[') {
            JavaType::parse(name)
        } else {
            is_class_name(name).then(|| JavaType::class(name))
        }
    }

    /// The type that a text begins with, and what is behind it.
    fn prefix(text: &str) -> Option<(JavaType, &str)> {
        let rest = text.trim_start_matches('[');
        let dimensions = text.len() - rest.len();
        if dimensions > MOST_DIMENSIONS {
            return None;
        }
        let (element, rest) = JavaType::element_prefix(rest)?;
        let whole = (0..dimensions).fold(element, |element, _| JavaType::array_of(element));
        Some((whole, rest))
    }

    fn element_prefix(text: &str) -> Option<(JavaType, &str)> {
        if let Some(named) = text.strip_prefix('L') {
            let (name, rest) = named.split_once(';')?;
            return is_class_name(name).then(|| (JavaType::class(name), rest));
        }
        let primitive = match text.as_bytes().first()? {
            b'Z' => JavaType::Boolean,
            b'B' => JavaType::Byte,
            b'C' => JavaType::Char,
            b'S' => JavaType::Short,
            b'I' => JavaType::Int,
            b'J' => JavaType::Long,
            b'F' => JavaType::Float,
            b'D' => JavaType::Double,
            _ => return None,
        };
        Some((primitive, text.get(1..)?))
    }

    /// The letter of a primitive type's descriptor.
    fn letter(&self) -> Option<char> {
        Some(match self {
            JavaType::Boolean => 'Z',
            JavaType::Byte => 'B',
            JavaType::Char => 'C',
            JavaType::Short => 'S',
            JavaType::Int => 'I',
            JavaType::Long => 'J',
            JavaType::Float => 'F',
            JavaType::Double => 'D',
            JavaType::Class(_) | JavaType::Array(_) => return None,
        })
    }

    fn write_descriptor(&self, text: &mut String) {
        match self {
            JavaType::Class(name) => {
                text.push('L');
                text.push_str(name.internal());
                text.push(';');
            }
            JavaType::Array(element) => {
                text.push('[');
                element.write_descriptor(text);
            }
            primitive => text.extend(primitive.letter()),
        }
    }

    /// The type as a field descriptor.
    pub fn descriptor(&self) -> String {
        let mut text = String::new();
        self.write_descriptor(&mut text);
        text
    }
}

/// Whether the machine takes this for the name of a class (JVMS 4.2.1).
fn is_class_name(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && !part.contains(['.', ';', '[']);
    name.split('/').all(part)
}

impl fmt::Display for JavaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JavaType::Boolean => "boolean",
            JavaType::Byte => "byte",
            JavaType::Char => "char",
            JavaType::Short => "short",
            JavaType::Int => "int",
            JavaType::Long => "long",
            JavaType::Float => "float",
            JavaType::Double => "double",
            JavaType::Class(name) => return name.fmt(f),
            JavaType::Array(element) => return write!(f, "{element}[]"),
        })
    }
}

/// What a method takes and gives (JVMS 4.3.3).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodSignature {
    /// The parameters, `this` not among them.
    pub parameters: Vec<JavaType>,
    /// The result; nothing for `void`.
    pub result: Option<JavaType>,
}

impl MethodSignature {
    /// Reads a method descriptor, `(I[J)V`.
    pub fn parse(descriptor: &str) -> Option<MethodSignature> {
        let mut rest = descriptor.strip_prefix('(')?;
        let mut parameters = Vec::new();
        let result = loop {
            if let Some(result) = rest.strip_prefix(')') {
                break result;
            }
            let (parameter, after) = JavaType::prefix(rest)?;
            parameters.push(parameter);
            rest = after;
        };
        let result = match result {
            "V" => None,
            result => Some(JavaType::parse(result)?),
        };
        Some(MethodSignature { parameters, result })
    }

    /// The method descriptor.
    pub fn descriptor(&self) -> String {
        let mut text = String::from("(");
        for parameter in &self.parameters {
            parameter.write_descriptor(&mut text);
        }
        text.push(')');
        match &self.result {
            Some(result) => result.write_descriptor(&mut text),
            None => text.push('V'),
        }
        text
    }
}

/// The parameters as a caller writes them: `(byte[], int, int)`.
impl fmt::Display for MethodSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (number, parameter) in self.parameters.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{parameter}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_read_and_written() {
        for text in [
            "I",
            "Z",
            "[[J",
            "Ljava/lang/String;",
            "[Ljava/util/Map$Entry;",
        ] {
            let parsed = JavaType::parse(text).map(|found| found.descriptor());
            assert_eq!(parsed.as_deref(), Some(text));
        }
        for text in [
            "()V",
            "(I[JLjava/lang/String;)D",
            "([[ZCSBF)[Ljava/lang/Object;",
        ] {
            let parsed = MethodSignature::parse(text).map(|found| found.descriptor());
            assert_eq!(parsed.as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_no_descriptor_is_refused() {
        for text in [
            "", "V", "II", "L;", "Lfoo", "[", "La//b;", "Q", "[V", "Lé", "é",
        ] {
            assert_eq!(JavaType::parse(text), None, "{text}");
        }
        for text in ["", "()", "(V)V", "()VV", "(I", "I", "(I)é"] {
            assert_eq!(MethodSignature::parse(text), None, "{text}");
        }
        assert_eq!(JavaType::parse(&format!("{}I", "[".repeat(256))), None);
    }

    #[test]
    fn types_are_shown_as_people_write_them() {
        let signature =
            MethodSignature::parse("([BILjava/util/Map$Entry;)V").map(|s| s.to_string());
        assert_eq!(
            signature.as_deref(),
            Some("(byte[], int, java.util.Map$Entry)")
        );
    }
}
