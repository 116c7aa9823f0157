//! The image in which a JDK keeps its classes, `lib/modules`.
//!
//! It has a header, four tables, and then the files. A perfect hash leads from a name to a number, the number to an
//! offset in the table of locations; a location is a list of attributes, among them where the parts of its name lie in
//! the table of strings. We look at all locations once, so the hash is not needed. Nothing of the format is documented
//! but by the JDK's own classes (`jdk.internal.jimage`); it has not changed since Java 9.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::{Unreadable, class_of_entry};
use crate::front::java::classfile::LARGEST;
use crate::front::java::types::ClassName;

const MAGIC: u32 = 0xcafe_dada;
/// Before a file that is compressed.
const COMPRESSED: u32 = 0xcafe_fafa;
/// Magic number, version, flags, number of files, length of the tables, size of the locations, size of the strings.
const HEADER: usize = 28;
/// The same for a compressed file: magic number, two sizes, two places in the strings, and a truth value.
const COMPRESSED_HEADER: usize = 29;
/// The tables of a JDK with everything in it take 3 MB.
const LARGEST_TABLES: usize = 256 << 20;

/// An image. Its tables are in memory, its files are not.
#[derive(Debug)]
pub struct Image {
    path: PathBuf,
    file: File,
    order: ByteOrder,
    /// The strings, for the names of the ways in which files are compressed.
    strings: Vec<u8>,
    entries: BTreeMap<ClassName, ImageEntry>,
}

#[derive(Clone, Copy, Debug)]
struct ImageEntry {
    offset: u64,
    /// What it takes in the image; `None` where it is not compressed.
    compressed: Option<u64>,
    size: u64,
}

/// The order of bytes is that of the machine the image was made on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    fn of(magic: [u8; 4]) -> Option<ByteOrder> {
        if u32::from_le_bytes(magic) == MAGIC {
            Some(ByteOrder::Little)
        } else {
            (u32::from_be_bytes(magic) == MAGIC).then_some(ByteOrder::Big)
        }
    }

    fn u4(self, bytes: &[u8], at: usize) -> Option<u32> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        })
    }

    fn u8(self, bytes: &[u8], at: usize) -> Option<u64> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(match self {
            ByteOrder::Little => u64::from_le_bytes(bytes),
            ByteOrder::Big => u64::from_be_bytes(bytes),
        })
    }

    fn size(self, bytes: &[u8], at: usize) -> Option<usize> {
        self.u4(bytes, at)
            .and_then(|size| usize::try_from(size).ok())
    }
}

/// Whether a file with these first bytes is an image.
pub(super) fn is_image(first: [u8; 4]) -> bool {
    ByteOrder::of(first).is_some()
}

/// The tables of an image, and where the files begin.
struct Tables {
    order: ByteOrder,
    offsets: Vec<u8>,
    locations: Vec<u8>,
    strings: Vec<u8>,
    files: u64,
}

/// The attributes of a location that matter, by their numbers in the image.
#[derive(Default)]
struct Location {
    module: usize,
    parent: usize,
    base: usize,
    extension: usize,
    offset: u64,
    compressed: u64,
    size: u64,
}

impl Image {
    /// Opens an image and reads its tables.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub fn open(path: &Path) -> Result<Image, Unreadable> {
        let file = File::open(path).map_err(|error| Unreadable::io(path, &error))?;
        let tables = Tables::read(&file).map_err(|error| Unreadable::io(path, &error))?;
        let tables = tables.ok_or_else(|| Unreadable::new(path, "not an image of a JDK"))?;
        let count = tables.offsets.len() / 4;
        let entries = (0..count).filter_map(|number| tables.entry(number));
        Ok(Image {
            path: path.to_path_buf(),
            order: tables.order,
            entries: entries.collect(),
            strings: tables.strings,
            file,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// All its classes, in the order of their names.
    pub fn classes(&self) -> Vec<ClassName> {
        self.entries.keys().cloned().collect()
    }

    pub(super) fn has(&self, class: &ClassName) -> bool {
        self.entries.contains_key(class)
    }

    /// The bytes of a class file; nothing where the image does not have it.
    ///
    /// # Errors
    /// The image cannot be read.
    pub fn read(&self, class: &ClassName) -> Result<Option<Arc<[u8]>>, Unreadable> {
        let entry = self.entries.get(class);
        let bytes = entry.map(|entry| self.load(entry)).transpose();
        let bytes =
            bytes.map_err(|what| Unreadable::new(&self.path, format!("{class}: {what}")))?;
        Ok(bytes.map(Arc::from))
    }

    fn load(&self, entry: &ImageEntry) -> Result<Vec<u8>, String> {
        let stored = usize::try_from(entry.compressed.unwrap_or(entry.size));
        let stored = stored.ok().filter(|size| *size <= LARGEST);
        let mut bytes = vec![0; stored.ok_or("it is too large")?];
        let read = self.file.read_exact_at(&mut bytes, entry.offset);
        read.map_err(|error| error.to_string())?;
        if entry.compressed.is_none() {
            return Ok(bytes);
        }
        // A file may be compressed in several ways, one after the other.
        while self.order.u4(&bytes, 0) == Some(COMPRESSED) {
            bytes = self.decompress(&bytes)?;
        }
        Ok(bytes)
    }

    fn decompress(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let size = self
            .order
            .u8(bytes, 4)
            .and_then(|size| usize::try_from(size).ok());
        let name = self
            .order
            .size(bytes, 20)
            .and_then(|name| string(&self.strings, name));
        let (Some(size), Some(name)) = (size, name) else {
            return Err("it is compressed wrongly".to_owned());
        };
        if name != "zip" {
            let advice = "give `--jdk` a JDK whose image is not compressed, or only by `zip`";
            return Err(format!(
                "it is compressed by `{name}`, which is not read here; {advice}"
            ));
        }
        let data = bytes.get(COMPRESSED_HEADER..).unwrap_or_default();
        let data = data.get(..size).unwrap_or(data);
        decompress_to_vec_zlib_with_limit(data, LARGEST).map_err(|error| error.to_string())
    }
}

impl Tables {
    /// Nothing where the file is no image.
    fn read(file: &File) -> std::io::Result<Option<Tables>> {
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0)?;
        let Some(sizes) = Sizes::of(&header) else {
            return Ok(None);
        };
        let mut at = HEADER as u64;
        let mut next = |size: usize| -> std::io::Result<Vec<u8>> {
            let mut part = vec![0; size];
            file.read_exact_at(&mut part, at)?;
            at += size as u64;
            Ok(part)
        };
        // The first table is that of the hash.
        next(sizes.table)?;
        let offsets = next(sizes.table)?;
        let locations = next(sizes.locations)?;
        let strings = next(sizes.strings)?;
        Ok(Some(Tables {
            order: sizes.order,
            offsets,
            locations,
            strings,
            files: at,
        }))
    }

    /// The class at a number of the table, if there is one.
    fn entry(&self, number: usize) -> Option<(ClassName, ImageEntry)> {
        let offset = self.order.size(&self.offsets, number * 4)?;
        let location = self.location(offset)?;
        let part = |offset: usize| string(&self.strings, offset);
        // What lies in no module is a list of packages.
        if part(location.extension)? != "class" || part(location.module)?.is_empty() {
            return None;
        }
        let (parent, base) = (part(location.parent)?, part(location.base)?);
        let slash = if parent.is_empty() { "" } else { "/" };
        let class = class_of_entry(&format!("{parent}{slash}{base}.class"))?;
        let entry = ImageEntry {
            offset: self.files.checked_add(location.offset)?,
            compressed: (location.compressed != 0).then_some(location.compressed),
            size: location.size,
        };
        Some((class, entry))
    }

    /// A location: bytes of which each says which attribute follows and in how many bytes, until one is 0.
    fn location(&self, offset: usize) -> Option<Location> {
        let mut location = Location::default();
        let mut rest = self.locations.get(offset..)?;
        loop {
            let (head, behind) = rest.split_first()?;
            let (kind, length) = (head >> 3, usize::from(head & 7) + 1);
            if kind == 0 {
                return Some(location);
            }
            let (value, behind) = behind.split_at_checked(length)?;
            let value = value
                .iter()
                .fold(0u64, |value, byte| value << 8 | u64::from(*byte));
            location.set(kind, value)?;
            rest = behind;
        }
    }
}

impl Location {
    fn set(&mut self, kind: u8, value: u64) -> Option<()> {
        let place = usize::try_from(value).ok()?;
        match kind {
            1 => self.module = place,
            2 => self.parent = place,
            3 => self.base = place,
            4 => self.extension = place,
            5 => self.offset = value,
            6 => self.compressed = value,
            7 => self.size = value,
            _ => return None,
        }
        Some(())
    }
}

/// The sizes of the tables, in bytes.
struct Sizes {
    order: ByteOrder,
    table: usize,
    locations: usize,
    strings: usize,
}

impl Sizes {
    fn of(header: &[u8]) -> Option<Sizes> {
        let order = ByteOrder::of(*header.first_chunk()?)?;
        let sizes = Sizes {
            order,
            table: order.size(header, 16)?.checked_mul(4)?,
            locations: order.size(header, 20)?,
            strings: order.size(header, 24)?,
        };
        let parts = [sizes.table, sizes.locations, sizes.strings];
        parts
            .iter()
            .all(|size| *size <= LARGEST_TABLES)
            .then_some(sizes)
    }
}

/// The text that begins there and ends at a zero.
fn string(strings: &[u8], offset: usize) -> Option<&str> {
    let text = strings.get(offset..)?.split(|byte| *byte == 0).next()?;
    std::str::from_utf8(text).ok()
}
