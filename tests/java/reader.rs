//! Our reader of class files beside another one, on all that there is in them.

use cafebabe::attributes::{
    AnnotationElementValue, AttributeData, AttributeInfo, InnerClassAccessFlags,
    MethodParameterAccessFlags,
};
use cafebabe::constant_pool::BootstrapArgument;
use cafebabe::{ClassAccessFlags, FieldAccessFlags, MethodAccessFlags};
use tranquera::front::java::classfile::{
    Annotation, ClassFile, Code, ElementValue, HandleTarget, Instruction, MethodHandle,
    PoolConstant,
};
use tranquera::front::java::classpath::ClassPath;
use tranquera::front::java::types::{ClassName, JavaType, MethodSignature};

use crate::{corpus, oracle};

#[test]
fn our_reader_reads_the_fixtures_as_cafebabe_does() {
    let (class_path, names) = corpus::fixtures();
    assert!(names.len() > 25, "{names:?}");
    for name in &names {
        compare(&class_path, name);
    }
}

#[test]
#[ignore = "takes a minute; reads what is installed, or what TRANQUERA_JAVA names"]
fn our_reader_reads_what_is_installed_as_cafebabe_does() {
    let (class_path, names) = corpus::installed();
    for name in &names {
        compare(&class_path, name);
    }
    println!("{} classes", names.len());
}

fn compare(class_path: &ClassPath, name: &ClassName) {
    let bytes = corpus::bytes(class_path, name);
    let theirs = cafebabe::parse_class(&bytes).expect("cafebabe reads it");
    let ours = ClassFile::read(bytes.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(ours.name.internal(), theirs.this_class.to_string());
    assert_eq!(
        ours.version,
        (theirs.major_version, theirs.minor_version),
        "{name}"
    );
    // cafebabe forgets bits that mean nothing.
    let known = ClassAccessFlags::all().bits();
    assert_eq!(ours.access.0 & known, theirs.access_flags.bits(), "{name}");
    let superclass = theirs.super_class.as_ref().map(ToString::to_string);
    assert_eq!(
        ours.superclass.as_ref().map(ClassName::internal),
        superclass.as_deref()
    );
    let interfaces: Vec<&str> = ours.interfaces.iter().map(ClassName::internal).collect();
    let their_interfaces: Vec<String> = theirs.interfaces.iter().map(ToString::to_string).collect();
    assert_eq!(interfaces, their_interfaces, "{name}");
    fields(&ours, &theirs);
    methods(&ours, &theirs);
    class_attributes(&ours, &theirs);
}

fn fields(ours: &ClassFile, theirs: &cafebabe::ClassFile) {
    assert_eq!(ours.fields.len(), theirs.fields.len());
    for (own, their) in ours.fields.iter().zip(&theirs.fields) {
        assert_eq!(&*own.name, &*their.name);
        assert_eq!(own.ty.descriptor(), their.descriptor.to_string());
        let known = FieldAccessFlags::all().bits();
        assert_eq!(own.access.0 & known, their.access_flags.bits());
        let constant = find(&their.attributes, |data| match data {
            AttributeData::ConstantValue(value) => Some(oracle::literal(value)),
            _ => None,
        });
        assert_eq!(shown(&own.constant), shown(&constant));
        assert_eq!(
            own.generic.as_deref(),
            generic(&their.attributes).as_deref()
        );
        annotations(&own.annotations, &their.attributes);
    }
}

fn methods(ours: &ClassFile, theirs: &cafebabe::ClassFile) {
    assert_eq!(ours.methods.len(), theirs.methods.len());
    for (own, their) in ours.methods.iter().zip(&theirs.methods) {
        assert_eq!(&*own.name, &*their.name);
        assert_eq!(own.signature.descriptor(), their.descriptor.to_string());
        let known = MethodAccessFlags::all().bits();
        assert_eq!(own.access.0 & known, their.access_flags.bits());
        let exceptions = find(&their.attributes, |data| match data {
            AttributeData::Exceptions(classes) => {
                Some(classes.iter().map(|c| c.to_string()).collect::<Vec<_>>())
            }
            _ => None,
        });
        let own_exceptions: Vec<String> = own
            .exceptions
            .iter()
            .map(|class| class.internal().to_owned())
            .collect();
        assert_eq!(own_exceptions, exceptions.unwrap_or_default());
        let parameters = find(&their.attributes, |data| match data {
            AttributeData::MethodParameters(entries) => Some(
                entries
                    .iter()
                    .map(|e| (e.name.as_deref().map(str::to_owned), e.access_flags.bits()))
                    .collect::<Vec<_>>(),
            ),
            _ => None,
        });
        let own_parameters: Vec<(Option<String>, u16)> = own
            .parameters
            .iter()
            .map(|parameter| {
                (
                    parameter.name.as_deref().map(str::to_owned),
                    parameter.access.0 & MethodParameterAccessFlags::all().bits(),
                )
            })
            .collect();
        assert_eq!(own_parameters, parameters.unwrap_or_default());
        assert_eq!(
            own.generic.as_deref(),
            generic(&their.attributes).as_deref()
        );
        annotations(&own.annotations, &their.attributes);
        let code = find(&their.attributes, |data| match data {
            AttributeData::Code(code) => Some(oracle::code(code)),
            _ => None,
        });
        let own_code = ours
            .code(own)
            .unwrap_or_else(|e| panic!("{}.{}: {e}", ours.name, own.name));
        let what = format!("{}.{}", ours.name, own.name);
        assert_eq!(
            own_code.map(normal).map(in_words),
            code.map(normal).map(in_words),
            "{what}"
        );
    }
}

/// Numbers that are no numbers are not equal to themselves; their words are.
fn in_words(code: Code) -> Vec<String> {
    let instructions = code.instructions.iter().map(|found| format!("{found:?}"));
    let rest = format!(
        "{} {} {} {:?} {:?} {:?}",
        code.max_stack, code.max_locals, code.end, code.handlers, code.lines, code.variables
    );
    instructions.chain([rest]).collect()
}

/// cafebabe does not say whether a method is one of an interface.
fn normal(mut code: Code) -> Code {
    for (_, instruction) in &mut code.instructions {
        match instruction {
            Instruction::Invoke(_, method) => method.of_interface = false,
            Instruction::Push(PoolConstant::MethodHandle(handle)) => normal_handle(handle),
            _ => {}
        }
    }
    code
}

fn normal_handle(handle: &mut MethodHandle) {
    if let HandleTarget::Method(method) = &mut handle.target {
        method.of_interface = false;
    }
}

fn class_attributes(ours: &ClassFile, theirs: &cafebabe::ClassFile) {
    let attributes = &theirs.attributes;
    let source = find(attributes, |data| match data {
        AttributeData::SourceFile(name) => Some(name.to_string()),
        _ => None,
    });
    assert_eq!(ours.source.as_deref(), source.as_deref());
    assert_eq!(ours.generic.as_deref(), generic(attributes).as_deref());
    annotations(&ours.annotations, attributes);
    let inner = find(attributes, |data| match data {
        AttributeData::InnerClasses(entries) => Some(
            entries
                .iter()
                .map(|e| {
                    format!(
                        "{} {:?} {:?} {}",
                        e.inner_class_info,
                        e.outer_class_info,
                        e.inner_name,
                        e.access_flags.bits()
                    )
                })
                .collect::<Vec<String>>(),
        ),
        _ => None,
    });
    let own_inner: Vec<String> = ours
        .inner_classes
        .iter()
        .map(|e| {
            let outer = e.outer.as_ref().map(ClassName::internal);
            let access = e.access.0 & InnerClassAccessFlags::all().bits();
            format!("{} {outer:?} {:?} {access}", e.class.internal(), e.name)
        })
        .collect();
    assert_eq!(own_inner, inner.unwrap_or_default());
    let enclosing = find(attributes, |data| match data {
        AttributeData::EnclosingMethod { class_name, method } => Some((
            class_name.to_string(),
            method
                .as_ref()
                .map(|m| (m.name.to_string(), m.descriptor.to_string())),
        )),
        _ => None,
    });
    let own_enclosing = ours.enclosing_method.as_ref().map(|found| {
        let method = found.method.as_ref();
        let method = method
            .map(|(name, signature)| (name.to_string(), MethodSignature::descriptor(signature)));
        (found.class.internal().to_owned(), method)
    });
    assert_eq!(own_enclosing, enclosing);
    nests(ours, attributes);
    let bootstraps = find(attributes, |data| match data {
        AttributeData::BootstrapMethods(entries) => Some(
            entries
                .iter()
                .map(|e| {
                    (
                        oracle::handle(&e.method),
                        e.arguments.iter().map(argument).collect::<Vec<_>>(),
                    )
                })
                .map(|found| format!("{found:?}"))
                .collect::<Vec<String>>(),
        ),
        _ => None,
    });
    let own_bootstraps: Vec<String> = ours
        .bootstraps
        .iter()
        .map(|found| {
            let mut found = found.clone();
            normal_handle(&mut found.method);
            for argument in &mut found.arguments {
                if let PoolConstant::MethodHandle(handle) = argument {
                    normal_handle(handle);
                }
            }
            format!("{:?}", (found.method, found.arguments))
        })
        .collect();
    assert_eq!(
        own_bootstraps,
        bootstraps.unwrap_or_default(),
        "{}",
        ours.name
    );
}

fn argument(found: &BootstrapArgument) -> PoolConstant {
    match found {
        BootstrapArgument::LiteralConstant(found) => oracle::literal(found),
        BootstrapArgument::ClassInfo(name) => {
            PoolConstant::Class(JavaType::of_class_constant(name).expect("a class"))
        }
        BootstrapArgument::MethodHandle(found) => PoolConstant::MethodHandle(oracle::handle(found)),
        BootstrapArgument::MethodType(descriptor) => {
            PoolConstant::MethodType(MethodSignature::parse(descriptor).expect("a descriptor"))
        }
    }
}

fn nests(ours: &ClassFile, attributes: &[AttributeInfo]) {
    let host = find(attributes, |data| match data {
        AttributeData::NestHost(name) => Some(name.to_string()),
        _ => None,
    });
    assert_eq!(
        ours.nest_host.as_ref().map(ClassName::internal),
        host.as_deref()
    );
    let names = |classes: &[ClassName]| {
        classes
            .iter()
            .map(|c| c.internal().to_owned())
            .collect::<Vec<_>>()
    };
    let members = find(attributes, |data| match data {
        AttributeData::NestMembers(found) => {
            Some(found.iter().map(|n| n.to_string()).collect::<Vec<_>>())
        }
        _ => None,
    });
    assert_eq!(names(&ours.nest_members), members.unwrap_or_default());
    let permitted = find(attributes, |data| match data {
        AttributeData::PermittedSubclasses(found) => {
            Some(found.iter().map(|n| n.to_string()).collect::<Vec<_>>())
        }
        _ => None,
    });
    assert_eq!(ours.permitted_subclasses.as_deref().map(names), permitted);
    let record = find(attributes, |data| match data {
        AttributeData::Record(found) => Some(
            found
                .iter()
                .map(|c| (c.name.to_string(), c.descriptor.to_string()))
                .collect::<Vec<_>>(),
        ),
        _ => None,
    });
    let own = ours.record.as_ref().map(|components| {
        let components = components.iter();
        components
            .map(|c| (c.name.to_string(), c.ty.descriptor()))
            .collect::<Vec<_>>()
    });
    assert_eq!(own, record);
}

fn find<T>(attributes: &[AttributeInfo], what: impl Fn(&AttributeData) -> Option<T>) -> Option<T> {
    attributes
        .iter()
        .find_map(|attribute| what(&attribute.data))
}

fn generic(attributes: &[AttributeInfo]) -> Option<String> {
    find(attributes, |data| match data {
        AttributeData::Signature(text) => Some(text.to_string()),
        _ => None,
    })
}

fn shown(constant: &Option<PoolConstant>) -> String {
    format!("{constant:?}")
}

fn annotations(ours: &[Annotation], attributes: &[AttributeInfo]) {
    let theirs: Vec<String> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.data {
            AttributeData::RuntimeVisibleAnnotations(found)
            | AttributeData::RuntimeInvisibleAnnotations(found) => Some(found),
            _ => None,
        })
        .flatten()
        .map(their_annotation)
        .collect();
    let ours: Vec<String> = ours.iter().map(own_annotation).collect();
    assert_eq!(ours, theirs);
}

fn their_annotation(found: &cafebabe::attributes::Annotation) -> String {
    let elements = found
        .elements
        .iter()
        .map(|e| format!("{}={}", e.name, their_value(&e.value)));
    format!(
        "@{}({})",
        found.type_descriptor,
        elements.collect::<Vec<_>>().join(",")
    )
}

fn own_annotation(found: &Annotation) -> String {
    let elements = found
        .elements
        .iter()
        .map(|(name, value)| format!("{name}={}", own_value(value)));
    format!(
        "@{}({})",
        found.ty.descriptor(),
        elements.collect::<Vec<_>>().join(",")
    )
}

fn their_value(found: &AnnotationElementValue) -> String {
    match found {
        AnnotationElementValue::ByteConstant(value) => format!("B{value}"),
        AnnotationElementValue::CharConstant(value) => format!("C{value}"),
        AnnotationElementValue::DoubleConstant(value) => format!("D{value:?}"),
        AnnotationElementValue::FloatConstant(value) => format!("F{value:?}"),
        AnnotationElementValue::IntConstant(value) => format!("I{value}"),
        AnnotationElementValue::LongConstant(value) => format!("J{value}"),
        AnnotationElementValue::ShortConstant(value) => format!("S{value}"),
        AnnotationElementValue::BooleanConstant(value) => format!("Z{value}"),
        AnnotationElementValue::StringConstant(text) => format!("{text:?}"),
        AnnotationElementValue::EnumConstant {
            type_name,
            const_name,
        } => {
            format!("{type_name}.{const_name}")
        }
        AnnotationElementValue::ClassLiteral { class_name } => format!("{class_name}.class"),
        AnnotationElementValue::AnnotationValue(found) => their_annotation(found),
        AnnotationElementValue::ArrayValue(values) => {
            format!(
                "[{}]",
                values.iter().map(their_value).collect::<Vec<_>>().join(",")
            )
        }
    }
}

fn own_value(found: &ElementValue) -> String {
    match found {
        ElementValue::Constant(tag, PoolConstant::Int(value)) => format!("{tag}{value}"),
        ElementValue::Constant(tag, PoolConstant::Long(value)) => format!("{tag}{value}"),
        ElementValue::Constant(tag, PoolConstant::Float(value)) => format!("{tag}{value:?}"),
        ElementValue::Constant(tag, PoolConstant::Double(value)) => format!("{tag}{value:?}"),
        ElementValue::Constant(tag, other) => format!("{tag}{other:?}"),
        ElementValue::String(text) => format!("{text:?}"),
        ElementValue::Enum(ty, name) => format!("{ty}.{name}"),
        ElementValue::Class(descriptor) => format!("{descriptor}.class"),
        ElementValue::Annotation(found) => own_annotation(found),
        ElementValue::Array(values) => {
            format!(
                "[{}]",
                values.iter().map(own_value).collect::<Vec<_>>().join(",")
            )
        }
    }
}
