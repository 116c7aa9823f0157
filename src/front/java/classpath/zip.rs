//! Archives: jars and all that is built like them, `.war` and Spring's among them, and the `.jmod`s of a JDK.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use super::{Unreadable, class_of_entry, remark_on_archives};
use crate::front::java::classfile::LARGEST;
use crate::front::java::types::ClassName;

/// A `.jmod` is an archive behind these bytes.
const JMOD: &[u8] = b"JM\x01\x00";

/// Where classes lie in archives that hold more than classes.
const ROOTS: [&str; 3] = ["classes/", "WEB-INF/classes/", "BOOT-INF/classes/"];

/// An archive. It is kept in memory, compressed.
pub(super) struct Zip {
    path: PathBuf,
    archive: ZipSliceArchive<Vec<u8>>,
    entries: BTreeMap<ClassName, ZipEntry>,
    others: Others,
}

#[derive(Clone, Copy, Debug)]
struct ZipEntry {
    wayfinder: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    checksum: u32,
    encrypted: bool,
}

/// What is in an archive besides its classes.
#[derive(Debug, Default)]
struct Others {
    /// Class files for later versions of Java.
    versions: usize,
    /// Archives, and the first of them.
    archives: usize,
    archive: String,
}

impl std::fmt::Debug for Zip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Zip({}, {} classes)",
            self.path.display(),
            self.entries.len()
        )
    }
}

impl Zip {
    pub(super) fn open(path: &Path) -> Result<Zip, Unreadable> {
        let mut bytes = std::fs::read(path).map_err(|error| Unreadable::io(path, &error))?;
        let is_jmod = bytes.starts_with(JMOD);
        if is_jmod {
            bytes.drain(..JMOD.len());
        }
        let broken = |error: rawzip::Error| {
            Unreadable::new(path, format!("the archive is cut off or damaged: {error}"))
        };
        let archive = ZipArchive::from_slice(bytes);
        let archive = archive.map_err(broken)?;
        let mut entries = BTreeMap::new();
        let mut others = Others::default();
        let mut walk = archive.entries();
        while let Some(header) = walk.next_entry().map_err(broken)? {
            let raw = header.file_path();
            let Ok(path) = std::str::from_utf8(raw.as_ref()) else {
                continue;
            };
            let Some(class) = class_of_path(path) else {
                others.count(path);
                continue;
            };
            // Of several entries of one name the first one counts.
            entries.entry(class).or_insert(ZipEntry {
                wayfinder: header.wayfinder(),
                method: header.compression_method(),
                checksum: header.crc32(),
                encrypted: header.flags().is_encrypted(),
            });
        }
        let path = path.to_path_buf();
        Ok(Zip {
            path,
            archive,
            entries,
            others,
        })
    }

    /// What it holds and is not looked into.
    pub(super) fn remarks(&self) -> Vec<String> {
        let count = self.others.versions;
        let versions = (count > 0).then(|| {
            format!("class files for later versions of Java ({count}) are not looked into: the base version is")
        });
        let archives = remark_on_archives(self.others.archives, &self.others.archive);
        versions.into_iter().chain(archives).collect()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn classes(&self) -> Vec<ClassName> {
        self.entries.keys().cloned().collect()
    }

    pub(super) fn has(&self, class: &ClassName) -> bool {
        self.entries.contains_key(class)
    }

    pub(super) fn read(&self, class: &ClassName) -> Result<Option<Arc<[u8]>>, Unreadable> {
        let entry = self.entries.get(class);
        let bytes = entry.map(|entry| self.unpack(entry)).transpose();
        bytes.map_err(|what| Unreadable::new(&self.path, format!("{class}: {what}")))
    }

    fn unpack(&self, entry: &ZipEntry) -> Result<Arc<[u8]>, String> {
        if entry.encrypted {
            return Err(
                "it is encrypted, so it has to be unpacked by who knows the password".to_owned(),
            );
        }
        let found = self.archive.get_entry(entry.wayfinder);
        let data = found.map_err(|error| error.to_string())?.data();
        let bytes = match entry.method {
            CompressionMethod::STORE if data.len() <= LARGEST => data.to_vec(),
            CompressionMethod::DEFLATE => decompress_to_vec_with_limit(data, LARGEST)
                .map_err(|error| format!("cannot be unpacked: {error}"))?,
            CompressionMethod::STORE => {
                return Err(format!("a class file of {} bytes", data.len()));
            }
            method => return Err(format!("it is packed by an unknown method, {method:?}")),
        };
        if rawzip::crc32(&bytes) != entry.checksum {
            return Err("its checksum is wrong".to_owned());
        }
        Ok(bytes.into())
    }
}

impl Others {
    fn count(&mut self, path: &str) {
        if path.starts_with("META-INF/versions/") && path.ends_with(".class") {
            self.versions += 1;
        } else if is_archive(path) {
            self.archives += 1;
            if self.archive.is_empty() {
                path.clone_into(&mut self.archive);
            }
        }
    }
}

/// Whether a path is that of an archive of classes, by its name.
pub(super) fn is_archive(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    matches!(extension, "jar" | "war" | "ear" | "jmod")
}

/// The class at a path. What lies in `META-INF` is none of the base version's.
fn class_of_path(path: &str) -> Option<ClassName> {
    let root = ROOTS.iter().find_map(|root| path.strip_prefix(root));
    let path = root.unwrap_or(path);
    let hidden = ["META-INF/", "WEB-INF/", "BOOT-INF/"];
    let hidden = hidden.iter().any(|hidden| path.starts_with(hidden));
    if hidden { None } else { class_of_entry(path) }
}
