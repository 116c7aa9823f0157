//! The constant pool (JVMS 4.4): what the rest of a class file points at by number.

use std::borrow::Cow;
use std::sync::Arc;

use super::bytes::{Bytes, Malformed, Result};
use super::reference::{
    Dynamic, Handle, HandleKind, HandleTarget, JavaFieldRef, MethodRef, PoolConstant,
};
use super::text::{self, Text};
use crate::front::java::types::{ClassName, JavaType, MethodSignature};

/// The place of an entry. Zero is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Index(pub u16);

/// An entry, its parts still numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RawConstant {
    /// Number 0, and the number behind a `long` or `double`.
    Hole,
    /// Where its bytes lie in the file; whether they are proper UTF-8.
    Utf8 {
        start: usize,
        length: u16,
        plain: bool,
    },
    Integer(i32),
    Float(f32),
    Long(i64),
    Double(f64),
    Class(Index),
    String(Index),
    Field(Index, Index),
    Method(Index, Index),
    InterfaceMethod(Index, Index),
    NameAndType(Index, Index),
    MethodHandle(u8, Index),
    MethodType(Index),
    Dynamic(u16, Index),
    InvokeDynamic(u16, Index),
    /// A module or a package, which only the descriptions of modules speak of.
    Module,
}

impl RawConstant {
    fn kind(&self) -> &'static str {
        match self {
            RawConstant::Hole => "nothing",
            RawConstant::Utf8 { .. } => "a Utf8",
            RawConstant::Integer(_) => "an Integer",
            RawConstant::Float(_) => "a Float",
            RawConstant::Long(_) => "a Long",
            RawConstant::Double(_) => "a Double",
            RawConstant::Class(_) => "a Class",
            RawConstant::String(_) => "a String",
            RawConstant::Field(..) => "a Fieldref",
            RawConstant::Method(..) => "a Methodref",
            RawConstant::InterfaceMethod(..) => "an InterfaceMethodref",
            RawConstant::NameAndType(..) => "a NameAndType",
            RawConstant::MethodHandle(..) => "a MethodHandle",
            RawConstant::MethodType(_) => "a MethodType",
            RawConstant::Dynamic(..) => "a Dynamic",
            RawConstant::InvokeDynamic(..) => "an InvokeDynamic",
            RawConstant::Module => "a Module or Package",
        }
    }
}

/// The constant pool of a class file.
#[derive(Clone, Debug)]
pub struct Pool {
    file: Arc<[u8]>,
    entries: Vec<RawConstant>,
}

impl Pool {
    pub(super) fn read(file: &Arc<[u8]>, bytes: &mut Bytes) -> Result<Pool> {
        let count = usize::from(bytes.u2()?);
        let mut entries = Vec::with_capacity(count.min(bytes.left()));
        entries.push(RawConstant::Hole);
        while entries.len() < count {
            let entry = read_entry(bytes)?;
            entries.push(entry);
            if matches!(entry, RawConstant::Long(_) | RawConstant::Double(_)) {
                entries.push(RawConstant::Hole);
            }
        }
        let file = Arc::clone(file);
        Ok(Pool { file, entries })
    }

    /// The classes that it names.
    pub fn classes(&self) -> impl Iterator<Item = ClassName> {
        let numbers = self.entries.iter().enumerate();
        let classes = numbers.filter(|(_, entry)| matches!(entry, RawConstant::Class(_)));
        classes.filter_map(|(at, _)| self.class(Index(u16::try_from(at).ok()?)).ok())
    }

    fn entry(&self, index: Index) -> Option<RawConstant> {
        self.entries.get(usize::from(index.0)).copied()
    }

    /// That another kind of entry is expected at a place.
    fn mismatch(&self, index: Index, expected: &str) -> Malformed {
        let found = self.entry(index).map_or("not there", |entry| entry.kind());
        let message = format!("constant {} is {found}, and should be {expected}", index.0);
        Malformed::at(0, message)
    }

    /// A text. Names have to be proper Unicode, as those of all compilers are.
    ///
    /// # Errors
    /// There is no text at that number, or it is not one.
    pub fn text(&self, index: Index) -> Result<Cow<'_, str>> {
        let Some(RawConstant::Utf8 {
            start,
            length,
            plain,
        }) = self.entry(index)
        else {
            return Err(self.mismatch(index, "a Utf8"));
        };
        let bytes = self.file.get(start..start + usize::from(length));
        let bytes = bytes.unwrap_or_default();
        let found = if plain {
            std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
        } else {
            let units = text::units(bytes);
            units.and_then(|units| String::from_utf16(&units).ok().map(Cow::Owned))
        };
        found.ok_or_else(|| Malformed::at(start, format!("constant {} is no text", index.0)))
    }

    /// A text, or nothing where the number is 0.
    pub(super) fn optional_text(&self, index: u16) -> Result<Option<Arc<str>>> {
        let index = (index != 0).then_some(Index(index));
        index.map(|index| self.name(index)).transpose()
    }

    pub(super) fn name(&self, index: Index) -> Result<Arc<str>> {
        self.text(index).map(|text| text.into())
    }

    /// A class or an array.
    ///
    /// # Errors
    /// There is none at that number.
    pub fn class_type(&self, index: Index) -> Result<JavaType> {
        let Some(RawConstant::Class(name)) = self.entry(index) else {
            return Err(self.mismatch(index, "a Class"));
        };
        JavaType::of_class_constant(&self.text(name)?)
            .ok_or_else(|| self.mismatch(name, "the name of a class"))
    }

    /// A class that is no array.
    ///
    /// # Errors
    /// There is none at that number.
    pub fn class(&self, index: Index) -> Result<ClassName> {
        match self.class_type(index)? {
            JavaType::Class(name) => Ok(name),
            _ => Err(self.mismatch(index, "a class, and not an array")),
        }
    }

    /// A class, or nothing where the number is 0.
    pub(super) fn optional_class(&self, index: u16) -> Result<Option<ClassName>> {
        let index = (index != 0).then_some(Index(index));
        index.map(|index| self.class(index)).transpose()
    }

    /// The type that a descriptor of a field says.
    pub(super) fn field_type(&self, index: Index) -> Result<JavaType> {
        JavaType::parse(&self.text(index)?)
            .ok_or_else(|| self.mismatch(index, "a field's descriptor"))
    }

    /// What a descriptor of a method says.
    pub(super) fn signature(&self, index: Index) -> Result<MethodSignature> {
        MethodSignature::parse(&self.text(index)?)
            .ok_or_else(|| self.mismatch(index, "a method's descriptor"))
    }

    pub(super) fn name_and_type(&self, index: Index) -> Result<(Index, Index)> {
        match self.entry(index) {
            Some(RawConstant::NameAndType(name, descriptor)) => Ok((name, descriptor)),
            _ => Err(self.mismatch(index, "a NameAndType")),
        }
    }

    /// A field that code refers to.
    ///
    /// # Errors
    /// There is none at that number.
    pub fn field(&self, index: Index) -> Result<JavaFieldRef> {
        let Some(RawConstant::Field(class, member)) = self.entry(index) else {
            return Err(self.mismatch(index, "a Fieldref"));
        };
        let (name, descriptor) = self.name_and_type(member)?;
        Ok(JavaFieldRef {
            class: self.class(class)?,
            name: self.name(name)?,
            ty: self.field_type(descriptor)?,
        })
    }

    /// A method that code refers to.
    ///
    /// # Errors
    /// There is none at that number.
    pub fn method(&self, index: Index) -> Result<MethodRef> {
        let (class, member, of_interface) = match self.entry(index) {
            Some(RawConstant::Method(class, member)) => (class, member, false),
            Some(RawConstant::InterfaceMethod(class, member)) => (class, member, true),
            _ => return Err(self.mismatch(index, "a Methodref")),
        };
        let (name, descriptor) = self.name_and_type(member)?;
        Ok(MethodRef {
            owner: self.class_type(class)?,
            name: self.name(name)?,
            signature: self.signature(descriptor)?,
            of_interface,
        })
    }

    /// What an `invokedynamic` refers to.
    ///
    /// # Errors
    /// There is no such thing at that number.
    pub fn call_site(&self, index: Index) -> Result<Dynamic<MethodSignature>> {
        let Some(RawConstant::InvokeDynamic(bootstrap, member)) = self.entry(index) else {
            return Err(self.mismatch(index, "an InvokeDynamic"));
        };
        let (name, descriptor) = self.name_and_type(member)?;
        Ok(Dynamic {
            bootstrap,
            name: self.name(name)?,
            ty: self.signature(descriptor)?,
        })
    }

    /// A value that code can load, or that stands in an attribute.
    ///
    /// # Errors
    /// There is none at that number.
    pub fn constant(&self, index: Index) -> Result<PoolConstant> {
        Ok(match self.entry(index) {
            Some(RawConstant::Integer(value)) => PoolConstant::Int(value),
            Some(RawConstant::Float(value)) => PoolConstant::Float(value),
            Some(RawConstant::Long(value)) => PoolConstant::Long(value),
            Some(RawConstant::Double(value)) => PoolConstant::Double(value),
            Some(RawConstant::String(text)) => PoolConstant::String(self.string(text)?),
            Some(RawConstant::Class(_)) => PoolConstant::Class(self.class_type(index)?),
            Some(RawConstant::MethodType(descriptor)) => {
                PoolConstant::MethodType(self.signature(descriptor)?)
            }
            Some(RawConstant::MethodHandle(..)) => PoolConstant::MethodHandle(self.handle(index)?),
            Some(RawConstant::Dynamic(bootstrap, member)) => {
                let (name, descriptor) = self.name_and_type(member)?;
                PoolConstant::Dynamic(Dynamic {
                    bootstrap,
                    name: self.name(name)?,
                    ty: self.field_type(descriptor)?,
                })
            }
            _ => return Err(self.mismatch(index, "a constant that can be loaded")),
        })
    }

    /// The text of a string constant, which need not be proper Unicode.
    pub(super) fn string(&self, index: Index) -> Result<Text> {
        if let Ok(plain) = self.text(index) {
            return Ok(Text::Plain(plain.into()));
        }
        let Some(RawConstant::Utf8 { start, length, .. }) = self.entry(index) else {
            return Err(self.mismatch(index, "a Utf8"));
        };
        let bytes = self.file.get(start..start + usize::from(length));
        let units = text::units(bytes.unwrap_or_default());
        let units = units.ok_or_else(|| self.mismatch(index, "modified UTF-8"))?;
        Ok(Text::of_units(&units))
    }

    /// A method handle.
    ///
    /// # Errors
    /// There is none at that number.
    pub fn handle(&self, index: Index) -> Result<Handle> {
        let Some(RawConstant::MethodHandle(kind, target)) = self.entry(index) else {
            return Err(self.mismatch(index, "a MethodHandle"));
        };
        let kind = HandleKind::of(kind).ok_or_else(|| {
            let message = format!("constant {} is a method handle of kind {kind}", index.0);
            Malformed::at(0, message)
        })?;
        let target = if kind.is_of_field() {
            HandleTarget::Field(self.field(target)?)
        } else {
            HandleTarget::Method(self.method(target)?)
        };
        Ok(Handle { kind, target })
    }
}

/// Reads one entry; the tags are those of JVMS table 4.4-A.
fn read_entry(bytes: &mut Bytes) -> Result<RawConstant> {
    let start = bytes.offset();
    let index = |bytes: &mut Bytes| bytes.u2().map(Index);
    Ok(match bytes.u1()? {
        1 => {
            let length = bytes.u2()?;
            let text = bytes.take(usize::from(length))?;
            RawConstant::Utf8 {
                start: text.offset(),
                length,
                plain: text::is_plain(text.rest()),
            }
        }
        3 => RawConstant::Integer(bytes.i4()?),
        4 => RawConstant::Float(f32::from_bits(bytes.u4()?)),
        5 => RawConstant::Long(bytes.u8()?.cast_signed()),
        6 => RawConstant::Double(f64::from_bits(bytes.u8()?)),
        7 => RawConstant::Class(index(bytes)?),
        8 => RawConstant::String(index(bytes)?),
        9 => RawConstant::Field(index(bytes)?, index(bytes)?),
        10 => RawConstant::Method(index(bytes)?, index(bytes)?),
        11 => RawConstant::InterfaceMethod(index(bytes)?, index(bytes)?),
        12 => RawConstant::NameAndType(index(bytes)?, index(bytes)?),
        15 => RawConstant::MethodHandle(bytes.u1()?, index(bytes)?),
        16 => RawConstant::MethodType(index(bytes)?),
        17 => RawConstant::Dynamic(bytes.u2()?, index(bytes)?),
        18 => RawConstant::InvokeDynamic(bytes.u2()?, index(bytes)?),
        19 | 20 => {
            index(bytes)?;
            RawConstant::Module
        }
        tag => return Err(Malformed::at(start, format!("a constant of kind {tag}"))),
    })
}
