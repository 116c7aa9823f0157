//! A class file as a whole (JVMS 4.1): the class, its fields, its methods, and what is known of it.

use std::ops::Range;
use std::sync::Arc;

use super::access::Access;
use super::annotation::{self, Annotation};
use super::atomic::AtomicFields;
use super::attribute::each_attribute;
use super::bytes::{Bytes, Malformed, Result};
use super::code::Code;
use super::pool::{Index, Pool};
use super::reference::{Handle, PoolConstant};
use crate::front::java::types::{ClassName, JavaType, MethodSignature};

/// The largest class file that is read, in bytes. Methods of 64 KiB and constants of as much fit in many times.
pub const LARGEST: usize = 32 << 20;

/// A class or interface, as its file says it.
#[derive(Clone, Debug)]
pub struct ClassFile {
    file: Arc<[u8]>,
    /// Its constants.
    pub pool: Pool,
    /// Which version of the format it has: 52 is that of Java 8, and one more of each later one.
    pub version: (u16, u16),
    /// Its modifiers.
    pub access: Access,
    /// Its name.
    pub name: ClassName,
    /// Its superclass; only `Object` and modules have none.
    pub superclass: Option<ClassName>,
    /// The interfaces it says it implements, or extends.
    pub interfaces: Vec<ClassName>,
    /// Its own fields, in order.
    pub fields: Vec<ClassField>,
    /// Its own methods and constructors, in order.
    pub methods: Vec<Method>,
    /// The name of the source, without its folder.
    pub source: Option<Arc<str>>,
    /// Its type with type parameters, as it is written in the file.
    pub generic: Option<Arc<str>>,
    /// All nested classes that it speaks of, itself included.
    pub inner_classes: Vec<InnerClass>,
    /// Where it is declared, if that is in a method.
    pub enclosing_method: Option<EnclosingMethod>,
    /// The class whose nest it belongs to: its members see each other's private members.
    pub nest_host: Option<ClassName>,
    /// Of such a class: the members of its nest.
    pub nest_members: Vec<ClassName>,
    /// The only classes that may extend it; nothing where any may.
    pub permitted_subclasses: Option<Vec<ClassName>>,
    /// The components of a record.
    pub record: Option<Vec<RecordComponent>>,
    /// What works out call sites and constants when they are needed first.
    pub bootstraps: Vec<Bootstrap>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// The fields that it reads and writes through objects which only it has, and those who see its private members. The file
    /// does not say so: who reads it finds out, and writes them here.
    pub atomics: Arc<AtomicFields>,
}

/// A field of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassField {
    /// Its modifiers.
    pub access: Access,
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: JavaType,
    /// Of a static field: the value it begins with.
    pub constant: Option<PoolConstant>,
    /// Its type with type parameters.
    pub generic: Option<Arc<str>>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// A method or constructor of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Its modifiers.
    pub access: Access,
    /// Its name: `<init>` for a constructor, `<clinit>` for what initialises the class.
    pub name: Arc<str>,
    /// Its parameters and result.
    pub signature: MethodSignature,
    /// The exceptions it says it throws.
    pub exceptions: Vec<ClassName>,
    /// Its parameters by name, if the file says them, those that the compiler added included.
    pub parameters: Vec<Parameter>,
    /// Its signature with type parameters.
    pub generic: Option<Arc<str>>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Where its code lies in the file.
    code: Option<Range<usize>>,
}

impl Method {
    /// Whether it has code: it is neither abstract nor native.
    pub fn has_code(&self) -> bool {
        self.code.is_some()
    }

    /// Whether it is a constructor.
    pub fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }

    /// Whether it initialises the class.
    pub fn is_class_initialiser(&self) -> bool {
        &*self.name == "<clinit>"
    }
}

/// A parameter, as the attribute `MethodParameters` says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, if it has one.
    pub name: Option<Arc<str>>,
    /// Its modifiers.
    pub access: Access,
}

/// A nested class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerClass {
    /// The class.
    pub class: ClassName,
    /// The class it is a member of; nothing for one that is declared in a method.
    pub outer: Option<ClassName>,
    /// Its name in the source; nothing for one without a name.
    pub name: Option<Arc<str>>,
    /// Its modifiers in the source.
    pub access: Access,
}

/// Where a class is declared that is declared in a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnclosingMethod {
    /// The class.
    pub class: ClassName,
    /// The method; nothing where it is in an initialiser.
    pub method: Option<(Arc<str>, MethodSignature)>,
}

/// A component of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordComponent {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: JavaType,
}

/// A method that works out a call site or a constant, with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Bootstrap {
    /// The method.
    pub method: Handle,
    /// Its arguments, but for the first three, which are the same for all.
    pub arguments: Vec<PoolConstant>,
}

impl ClassFile {
    /// Reads a class file.
    ///
    /// # Errors
    /// It is none, or larger than [`LARGEST`].
    pub fn read(file: Arc<[u8]>) -> Result<ClassFile> {
        if file.len() > LARGEST {
            let message = format!("a class file of {} bytes", file.len());
            return Err(Malformed::at(0, message));
        }
        let mut bytes = Bytes::new(&file);
        if bytes.u4()? != 0xcafe_babe {
            return Err(Malformed::at(0, "this is not a class file"));
        }
        let minor = bytes.u2()?;
        let version = (bytes.u2()?, minor);
        let pool = Pool::read(&file, &mut bytes)?;
        let mut class = ClassFile {
            version,
            access: Access(bytes.u2()?),
            name: pool.class(Index(bytes.u2()?))?,
            superclass: pool.optional_class(bytes.u2()?)?,
            interfaces: bytes.list(|bytes| pool.class(Index(bytes.u2()?)))?,
            fields: bytes.list(|bytes| read_field(&pool, bytes))?,
            methods: bytes.list(|bytes| read_method(&pool, bytes))?,
            source: None,
            generic: None,
            inner_classes: Vec::new(),
            enclosing_method: None,
            nest_host: None,
            nest_members: Vec::new(),
            permitted_subclasses: None,
            record: None,
            bootstraps: Vec::new(),
            annotations: Vec::new(),
            atomics: Arc::default(),
            file: Arc::clone(&file),
            pool: pool.clone(),
        };
        class.read_attributes(&pool, &mut bytes)?;
        if !bytes.is_empty() {
            return Err(bytes.malformed(format!("{} bytes too many", bytes.left())));
        }
        Ok(class)
    }

    fn read_attributes(&mut self, pool: &Pool, bytes: &mut Bytes) -> Result<()> {
        each_attribute(pool, bytes, |name, bytes| {
            let classes = |bytes: &mut Bytes| bytes.list(|bytes| pool.class(Index(bytes.u2()?)));
            match name {
                "SourceFile" => self.source = Some(pool.name(Index(bytes.u2()?))?),
                "Signature" => self.generic = Some(pool.name(Index(bytes.u2()?))?),
                "InnerClasses" => self.inner_classes = bytes.list(|b| read_inner(pool, b))?,
                "EnclosingMethod" => self.enclosing_method = Some(read_enclosing(pool, bytes)?),
                "NestHost" => self.nest_host = Some(pool.class(Index(bytes.u2()?))?),
                "NestMembers" => self.nest_members = classes(bytes)?,
                "PermittedSubclasses" => self.permitted_subclasses = Some(classes(bytes)?),
                "Record" => self.record = Some(bytes.list(|b| read_component(pool, b))?),
                "BootstrapMethods" => self.bootstraps = bytes.list(|b| read_bootstrap(pool, b))?,
                "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                    self.annotations.extend(annotation::read(pool, bytes)?);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    /// The code of one of its methods; nothing where that is abstract or native.
    ///
    /// # Errors
    /// The code is malformed.
    pub fn code(&self, method: &Method) -> Result<Option<Code>> {
        let Some(range) = method.code.clone() else {
            return Ok(None);
        };
        let mut bytes = Bytes::part(&self.file, range);
        let code = Code::read(&self.pool, &mut bytes)?;
        if bytes.is_empty() {
            Ok(Some(code))
        } else {
            Err(bytes.malformed("bytes behind the code"))
        }
    }

    /// Its own field of that name and type.
    pub fn field(&self, name: &str, ty: &JavaType) -> Option<&ClassField> {
        let mut named = self.fields.iter().filter(|field| &*field.name == name);
        named.find(|field| field.ty == *ty)
    }
}

impl ClassFile {
    /// Takes the fields that are read and written through other objects as what they are to calls that come one after the
    /// other: plain fields, of what these hold.
    pub fn take_atomics(&mut self, atomics: Arc<AtomicFields>) {
        for (field, meant) in &atomics.holders {
            if field.class != self.name {
                continue;
            }
            let own = self.fields.iter_mut();
            for own in own.filter(|own| own.name == field.name && own.ty == field.ty) {
                own.ty = meant.ty.clone();
                own.access = own.access.without_final();
                own.generic = None;
            }
        }
        self.atomics = atomics;
    }
}

fn read_field(pool: &Pool, bytes: &mut Bytes) -> Result<ClassField> {
    let mut field = ClassField {
        access: Access(bytes.u2()?),
        name: pool.name(Index(bytes.u2()?))?,
        ty: pool.field_type(Index(bytes.u2()?))?,
        constant: None,
        generic: None,
        annotations: Vec::new(),
    };
    each_attribute(pool, bytes, |name, bytes| {
        match name {
            "ConstantValue" => field.constant = Some(pool.constant(Index(bytes.u2()?))?),
            "Signature" => field.generic = Some(pool.name(Index(bytes.u2()?))?),
            "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                field.annotations.extend(annotation::read(pool, bytes)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(field)
}

fn read_method(pool: &Pool, bytes: &mut Bytes) -> Result<Method> {
    let mut method = Method {
        access: Access(bytes.u2()?),
        name: pool.name(Index(bytes.u2()?))?,
        signature: pool.signature(Index(bytes.u2()?))?,
        exceptions: Vec::new(),
        parameters: Vec::new(),
        generic: None,
        annotations: Vec::new(),
        code: None,
    };
    each_attribute(pool, bytes, |name, bytes| {
        match name {
            "Code" => {
                let code = bytes.take(bytes.left())?;
                method.code = Some(code.offset()..bytes.offset());
            }
            "Exceptions" => {
                method.exceptions = bytes.list(|bytes| pool.class(Index(bytes.u2()?)))?;
            }
            "MethodParameters" => {
                let count = usize::from(bytes.u1()?);
                method.parameters = bytes.times(count, |bytes| read_parameter(pool, bytes))?;
            }
            "Signature" => method.generic = Some(pool.name(Index(bytes.u2()?))?),
            "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
                method.annotations.extend(annotation::read(pool, bytes)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(method)
}

fn read_parameter(pool: &Pool, bytes: &mut Bytes) -> Result<Parameter> {
    let name = pool.optional_text(bytes.u2()?)?;
    let access = Access(bytes.u2()?);
    Ok(Parameter { name, access })
}

fn read_inner(pool: &Pool, bytes: &mut Bytes) -> Result<InnerClass> {
    Ok(InnerClass {
        class: pool.class(Index(bytes.u2()?))?,
        outer: pool.optional_class(bytes.u2()?)?,
        name: pool.optional_text(bytes.u2()?)?,
        access: Access(bytes.u2()?),
    })
}

fn read_enclosing(pool: &Pool, bytes: &mut Bytes) -> Result<EnclosingMethod> {
    let class = pool.class(Index(bytes.u2()?))?;
    let method = match bytes.u2()? {
        0 => None,
        index => {
            let (name, descriptor) = pool.name_and_type(Index(index))?;
            Some((pool.name(name)?, pool.signature(descriptor)?))
        }
    };
    Ok(EnclosingMethod { class, method })
}

fn read_component(pool: &Pool, bytes: &mut Bytes) -> Result<RecordComponent> {
    let component = RecordComponent {
        name: pool.name(Index(bytes.u2()?))?,
        ty: pool.field_type(Index(bytes.u2()?))?,
    };
    each_attribute(pool, bytes, |_, _| Ok(false))?;
    Ok(component)
}

fn read_bootstrap(pool: &Pool, bytes: &mut Bytes) -> Result<Bootstrap> {
    Ok(Bootstrap {
        method: pool.handle(Index(bytes.u2()?))?,
        arguments: bytes.list(|bytes| pool.constant(Index(bytes.u2()?)))?,
    })
}
