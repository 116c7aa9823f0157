//! Expressions of Java that make an object, for who has to call something with one and does not care which. `standIn(I.class)` is an
//! object of an interface that answers nothing.

use std::sync::Arc;

use crate::front::java::classfile::{Access, ClassFile, Method};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::{MethodOf, World, methods_of};

/// Objects are made for the making of objects no deeper than this.
const DEPTH: usize = 3;

/// What people take for types that have no constructor, or where another object serves better than a new one of the class.
const USUAL: [(&str, &str); 24] = [
    ("java/lang/Object", "new Object()"),
    ("java/lang/String", "\"text\""),
    ("java/lang/CharSequence", "\"text\""),
    ("java/lang/Comparable", "\"text\""),
    ("java/lang/Appendable", "new StringBuilder()"),
    ("java/lang/Number", "1"),
    ("java/lang/Integer", "1"),
    ("java/lang/Long", "1L"),
    ("java/lang/Boolean", "true"),
    ("java/lang/Character", "'c'"),
    ("java/lang/Class", "Object.class"),
    (
        "java/io/InputStream",
        "new java.io.ByteArrayInputStream(new byte[8])",
    ),
    (
        "java/io/OutputStream",
        "new java.io.ByteArrayOutputStream()",
    ),
    ("java/io/Reader", "new java.io.StringReader(\"text\")"),
    ("java/io/Writer", "new java.io.StringWriter()"),
    ("java/nio/ByteBuffer", "java.nio.ByteBuffer.allocate(8)"),
    ("java/nio/CharBuffer", "java.nio.CharBuffer.allocate(8)"),
    (
        "java/nio/charset/Charset",
        "java.nio.charset.StandardCharsets.UTF_8",
    ),
    ("java/util/Collection", "new java.util.ArrayList<>()"),
    ("java/util/List", "new java.util.ArrayList<>()"),
    (
        "java/util/Iterator",
        "new java.util.ArrayList<>().iterator()",
    ),
    ("java/util/Locale", "java.util.Locale.ROOT"),
    ("java/util/Map", "new java.util.HashMap<>()"),
    ("java/util/Set", "new java.util.HashSet<>()"),
];

/// A type as sources write it, without type arguments: `java.util.Map.Entry[]`.
pub(super) fn in_source(world: &World, ty: &JavaType) -> String {
    match ty {
        JavaType::Class(class) => class_in_source(world, class),
        JavaType::Array(element) => format!("{}[]", in_source(world, element)),
        primitive => primitive.to_string(),
    }
}

/// A class as sources write it: `java.util.Map.Entry`.
pub(super) fn class_in_source(world: &World, name: &ClassName) -> String {
    let class = world.class(name);
    let inner = class.iter().flat_map(|class| &class.inner_classes);
    let own = inner
        .filter(|inner| inner.class == *name)
        .find_map(|inner| {
            let outer = inner.outer.as_ref().filter(|outer| *outer != name)?;
            Some((outer.clone(), inner.name.clone()?))
        });
    match own {
        Some((outer, simple)) => format!("{}.{simple}", class_in_source(world, &outer)),
        None => name.to_string(),
    }
}

/// An expression that makes an object of a class, or one that can stand for it; none where no way is known.
pub(super) fn object(world: &World, class: &ClassName) -> Option<String> {
    made(world, class, DEPTH)
}

fn made(world: &World, class: &ClassName, depth: usize) -> Option<String> {
    if let Some((_, usual)) = USUAL.iter().find(|(usual, _)| class.is(usual)) {
        return Some((*usual).to_owned());
    }
    let found = world
        .class(class)
        .filter(|found| found.access.is_public())?;
    if found.access.is_enum() {
        let first = found.fields.iter().find(|field| field.access.is_enum())?;
        return Some(format!("{}.{}", class_in_source(world, class), first.name));
    }
    if found.access.is_interface() {
        let stands_in = || format!("standIn({}.class)", class_in_source(world, class));
        return Some(lambda(world, &found).unwrap_or_else(stands_in));
    }
    if found.access.is_abstract() || !stands_alone(&found, Access::is_public) {
        return None;
    }
    let depth = depth.checked_sub(1)?;
    let constructors = found.methods.iter();
    let mut constructors: Vec<&Method> = constructors
        .filter(|method| method.is_constructor() && method.access.is_public())
        .collect();
    constructors.sort_by_key(|method| method.signature.parameters.len());
    constructors.into_iter().find_map(|constructor| {
        let parameters = constructor.signature.parameters.iter();
        let arguments: Option<Vec<String>> =
            parameters.map(|ty| argument(world, ty, depth)).collect();
        let arguments = arguments?.join(", ");
        Some(format!(
            "new {}({arguments})",
            class_in_source(world, class)
        ))
    })
}

/// Whether code that sees members with such modifiers can write `new` with its name: it stands by itself, or is static in what is
/// around it.
pub(super) fn stands_alone(class: &ClassFile, sees: impl Fn(Access) -> bool) -> bool {
    let inner = class.inner_classes.iter();
    let mut own = inner.filter(|inner| inner.class == class.name);
    own.all(|own| own.outer.is_some() && own.access.is_static() && sees(own.access))
}

fn argument(world: &World, ty: &JavaType, depth: usize) -> Option<String> {
    Some(match ty {
        JavaType::Boolean => "false".to_owned(),
        JavaType::Byte | JavaType::Short | JavaType::Char => format!("({ty}) 1"),
        JavaType::Int | JavaType::Long | JavaType::Float | JavaType::Double => "1".to_owned(),
        JavaType::Array(element) => match &**element {
            JavaType::Array(_) => return None,
            element => format!("new {}[1]", in_source(world, element)),
        },
        JavaType::Class(class) => made(world, class, depth)?,
    })
}

/// A function that does nothing, where an interface asks for one function.
fn lambda(world: &World, interface: &Arc<ClassFile>) -> Option<String> {
    let all = [Arc::clone(interface)]
        .into_iter()
        .chain(world.interfaces(interface));
    let asked: Vec<MethodOf> = all
        .collect::<Vec<_>>()
        .iter()
        .flat_map(methods_of)
        .filter(|method| method.method().access.is_abstract())
        .collect();
    let [asked] = asked.as_slice() else {
        return None;
    };
    let signature = &asked.method().signature;
    let count = signature.parameters.len();
    let names: Vec<String> = (0..count).map(|at| format!("p{at}")).collect();
    let gives = match &signature.result {
        None => "{}",
        Some(JavaType::Boolean) => "false",
        Some(JavaType::Class(_) | JavaType::Array(_)) => "null",
        Some(JavaType::Byte | JavaType::Short | JavaType::Char) => return None,
        Some(_) => "0",
    };
    let ty = class_in_source(world, &interface.name);
    Some(format!("({ty}) ({}) -> {gives}", names.join(", ")))
}
