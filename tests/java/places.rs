//! Where class files come from.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tranquera::front::java::classfile::ClassFile;
use tranquera::front::java::classpath::{ClassPath, Jdk, compile, find_jdk};
use tranquera::front::java::types::ClassName;

use crate::corpus;

fn gate() -> ClassName {
    ClassName::new("protocols.Gate")
}

fn opened(path: &Path) -> Vec<String> {
    let mut class_path = ClassPath::new();
    let names = class_path
        .add(path)
        .unwrap_or_else(|error| panic!("{error}"));
    for name in &names {
        let bytes = class_path.read(name).expect("readable").expect("there");
        assert_eq!(ClassFile::read(bytes).expect("a class").name, *name);
    }
    names.iter().map(ToString::to_string).collect()
}

fn classes() -> std::path::PathBuf {
    corpus::sources().join("classes")
}

#[test]
fn a_folder_holds_packages() {
    let names = opened(&classes());
    assert!(
        names.contains(&"protocols.Gate".to_owned()) && names.contains(&"shapes.Flow".to_owned())
    );
    // A folder that a package's name leads to says where it lies.
    let names = opened(&classes().join("protocols"));
    assert!(names.contains(&"protocols.Gate".to_owned()), "{names:?}");
}

#[test]
fn a_class_file_brings_its_neighbours_along() {
    let mut class_path = ClassPath::new();
    let named = class_path
        .add(&classes().join("protocols/Gate.class"))
        .expect("a class file");
    assert_eq!(named, [gate()]);
    assert!(
        class_path
            .read(&ClassName::new("protocols.Barrier"))
            .expect("readable")
            .is_some()
    );
    // Somewhere else it is alone.
    let folder = TempDir::new().expect("a folder");
    let copy = folder.path().join("Copy.class");
    fs::copy(classes().join("protocols/Gate.class"), &copy).expect("a copy");
    let mut class_path = ClassPath::new();
    assert_eq!(class_path.add(&copy).expect("a class file"), [gate()]);
    assert!(class_path.read(&gate()).expect("readable").is_some());
    assert!(
        class_path
            .read(&ClassName::new("protocols.Barrier"))
            .expect("readable")
            .is_none()
    );
}

/// An archive with these files, the first half of them compressed.
fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (number, (path, content)) in entries.iter().enumerate() {
        use std::io::Write;
        let packed = number * 2 < entries.len();
        let method = if packed {
            rawzip::CompressionMethod::DEFLATE
        } else {
            rawzip::CompressionMethod::STORE
        };
        let (mut entry, config) = archive
            .new_file(path)
            .compression_method(method)
            .start()
            .expect("an entry");
        let mut writer = config.wrap(Vec::new());
        writer.write_all(content).expect("room");
        let (_, descriptor) = writer.finish().expect("a checksum");
        let data = if packed {
            miniz_oxide::deflate::compress_to_vec(content, 6)
        } else {
            content.to_vec()
        };
        entry.write_all(&data).expect("room");
        entry.finish(descriptor).expect("an entry");
    }
    archive.finish().expect("an archive");
    bytes
}

#[test]
fn archives_hold_classes_at_their_roots() {
    let class = fs::read(classes().join("protocols/Gate.class")).expect("a class file");
    let other = fs::read(classes().join("protocols/Barrier.class")).expect("a class file");
    let folder = TempDir::new().expect("a folder");
    let jar = folder.path().join("some.jar");
    let entries: [(&str, &[u8]); 6] = [
        ("protocols/Gate.class", &class),
        ("META-INF/MANIFEST.MF", b"Multi-Release: true\n"),
        (
            "META-INF/versions/11/protocols/Gate.class",
            b"a later version",
        ),
        ("BOOT-INF/classes/protocols/Barrier.class", &other),
        ("module-info.class", b"no class"),
        ("protocols/package-info.class", b"no class"),
    ];
    let bytes = archive(&entries);
    fs::write(&jar, &bytes).expect("a file");
    assert_eq!(opened(&jar), ["protocols.Barrier", "protocols.Gate"]);
    let jmod = folder.path().join("some.jmod");
    let mut behind = b"JM\x01\x00".to_vec();
    behind.extend(archive(&[
        ("classes/protocols/Gate.class", &class),
        ("bin/java", b""),
    ]));
    fs::write(&jmod, behind).expect("a file");
    assert_eq!(opened(&jmod), ["protocols.Gate"]);
}

#[test]
fn broken_archives_have_a_message() {
    let class = fs::read(classes().join("protocols/Gate.class")).expect("a class file");
    let bytes = archive(&[("protocols/Gate.class", &class), ("x", b"")]);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("some.jar");
    let mut answers = 0;
    for cut in (4..bytes.len()).step_by(7) {
        fs::write(&path, &bytes[..cut]).expect("a file");
        let mut class_path = ClassPath::new();
        answers += usize::from(class_path.add(&path).is_err());
    }
    assert!(answers > 100);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        fs::write(&path, &changed).expect("a file");
        let mut class_path = ClassPath::new();
        if class_path.add(&path).is_ok()
            && let Ok(Some(read)) = class_path.read(&gate())
        {
            // What is read has the right checksum.
            assert_eq!(*read, *class);
        }
    }
    fs::write(&path, "no archive").expect("a file");
    let error = ClassPath::new()
        .add(&path)
        .expect_err("no archive")
        .to_string();
    assert!(
        error.ends_with("neither a class file, nor an archive of class files, nor a folder"),
        "{error}"
    );
    let error = ClassPath::new()
        .add(&folder.path().join("nowhere"))
        .expect_err("nothing");
    assert!(error.to_string().contains("No such file"), "{error}");
}

#[test]
fn broken_images_have_a_message() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("modules");
    let mut header = 0xcafe_dada_u32.to_le_bytes().to_vec();
    for number in [0x0001_0000_u32, 0, 1, 1, 8, 8] {
        header.extend(number.to_le_bytes());
    }
    for tables in [&[][..], &[0; 8], &[0xff; 24], &[0; 24], &[0xff; 100]] {
        let mut bytes = header.clone();
        bytes.extend(tables);
        fs::write(&path, bytes).expect("a file");
        let answer = ClassPath::new().add(&path);
        assert!(answer.is_err() || answer.is_ok_and(|names| names.is_empty()));
    }
    assert!(Jdk::at(folder.path()).is_err());
}

#[test]
#[ignore = "needs a JDK"]
fn sources_are_compiled() {
    let jdk = find_jdk();
    let source = corpus::sources().join("protocols/Gate.java");
    let compiled = compile(&source, &[], jdk.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    let names = opened(compiled.folder());
    assert_eq!(names, ["protocols.Barrier", "protocols.Gate"]);
    let folder = TempDir::new().expect("a folder");
    let faulty = folder.path().join("Faulty.java");
    fs::write(&faulty, "class Faulty { int f() { return x; } }").expect("a file");
    let error = compile(&faulty, &[], jdk.as_ref());
    // `ecj`, where it is installed, makes a class of it all the same.
    match error {
        Ok(compiled) => assert!(compiled.complaints.is_some()),
        Err(error) => assert!(error.to_string().contains("cannot find symbol"), "{error}"),
    }
}

#[test]
#[ignore = "needs a JDK like the one that the fixtures were compiled with"]
fn the_fixtures_are_what_their_sources_are_compiled_to() {
    are_compiled_to(&["shapes", "protocols", "helpers"], corpus::fixtures());
    are_compiled_to(&["goldens"], corpus::goldens());
}

/// Compiles the sources of folders anew, and compares.
fn are_compiled_to(folders: &[&str], (class_path, names): (ClassPath, Vec<ClassName>)) {
    let jdk = find_jdk();
    let sources = corpus::sources();
    let mut count = 0;
    for folder in folders {
        for entry in fs::read_dir(sources.join(folder)).expect("a folder") {
            let source = entry.expect("an entry").path();
            if source.is_dir() {
                continue;
            }
            let compiled =
                compile(&source, &[], jdk.as_ref()).unwrap_or_else(|error| panic!("{error}"));
            let mut anew = ClassPath::new();
            for name in anew.add(compiled.folder()).expect("class files") {
                assert!(names.contains(&name), "{name}");
                let (old, new) = (
                    corpus::class(&class_path, &name),
                    corpus::class(&anew, &name),
                );
                assert_eq!(old.methods.len(), new.methods.len(), "{name}");
                for (one, other) in old.methods.iter().zip(&new.methods) {
                    let code = |class: &ClassFile, method| class.code(method).expect("code");
                    assert_eq!(code(&old, one), code(&new, other), "{name}.{}", one.name);
                }
                count += 1;
            }
        }
    }
    assert!(count >= names.len());
}
