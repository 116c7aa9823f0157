//! Class files to test with: those that are committed, and those of this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tranquera::front::java::classfile::ClassFile;
use tranquera::front::java::classpath::{ClassPath, find_jdk};
use tranquera::front::java::types::ClassName;

/// The folder with the Java sources that belong to the tests.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/java")
}

/// The class files that the sources were compiled to.
pub fn fixtures() -> (ClassPath, Vec<ClassName>) {
    opened(&[sources().join("classes")])
}

/// Those of the classes of which others have recorded EPAs.
pub fn goldens() -> (ClassPath, Vec<ClassName>) {
    opened(&[sources().join("goldens/classes")])
}

/// What `TRANQUERA_JAVA` names, jars or folders with colons between them, and the JDK that is installed.
pub fn installed() -> (ClassPath, Vec<ClassName>) {
    let named = std::env::var_os("TRANQUERA_JAVA").unwrap_or_default();
    let mut paths: Vec<PathBuf> = std::env::split_paths(&named).collect();
    paths.retain(|path| !path.as_os_str().is_empty());
    if paths.is_empty() {
        let jdk = find_jdk().expect("a JDK");
        paths.extend(jdk.archives().iter().cloned());
    }
    opened(&paths)
}

fn opened(paths: &[PathBuf]) -> (ClassPath, Vec<ClassName>) {
    let mut class_path = ClassPath::new();
    for path in paths {
        class_path.add(path).expect("class files");
    }
    let names = class_path.classes();
    assert!(!names.is_empty());
    (class_path, names)
}

pub fn bytes(class_path: &ClassPath, name: &ClassName) -> Arc<[u8]> {
    let bytes = class_path.read(name).expect("a class file");
    bytes.expect("a class file")
}

pub fn class(class_path: &ClassPath, name: &ClassName) -> ClassFile {
    ClassFile::read(bytes(class_path, name)).expect("a class")
}
