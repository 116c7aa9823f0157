//! What there is to study in a file: its classes that have a state.
//!
//! A class without fields, or without actions, has an EPA that says nothing, and so has a class of Java that refuses no call
//! because of the calls before it (`front::java::protocol`): these are counted and left out.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use super::{Language, LoadError, LoadRequest, java, solidity};
use crate::front::java::classpath::{Jdk, root_of_class_file};
use crate::front::java::input::JavaInput;
use crate::front::java::protocol::list as java_list;
use crate::front::java::types::ClassName;
use crate::front::solidity as front_solidity;
use crate::front::solidity::ast::{ContractDefinition, ContractKind, Declaration, SolidityProgram};
use crate::front::tq;
use crate::ir::{Class, RoutineKind};

/// What a file holds.
#[derive(Clone, Debug)]
pub struct ClassList {
    /// The classes that have a state, in the order of the file.
    pub classes: Vec<ListedClass>,
    /// How many others there are.
    pub left_out: usize,
    /// What cannot be read of it: the name of a class, and why.
    pub unreadable: Vec<(String, String)>,
    /// A hash of all that is read with the file, wherever it lies.
    pub content: blake3::Hash,
}

/// A class in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedClass {
    /// Its name, as [`LoadRequest::class`] takes it.
    pub name: String,
    /// The line of its declaration (from 1), where the file is a text.
    pub line: Option<usize>,
}

/// Which classes of Java are listed.
#[derive(Clone, Debug, Default)]
pub struct ListedJava {
    /// Whether those without a protocol are listed too.
    pub all: bool,
    /// Whether those are listed too of which there are only objects of subclasses.
    pub with_abstract: bool,
    /// Whether only those are that can be named everywhere: public ones, in public ones.
    pub public: bool,
    /// Only those of these packages, if any are named; packages below them are others.
    pub packages: Vec<String>,
}

/// The classes of the file of a request; which class and which actions it names is of no matter.
///
/// # Errors
/// All that is wrong with the file.
pub fn list(request: &LoadRequest, java: &ListedJava) -> Result<ClassList, LoadError> {
    match Language::of(&request.path) {
        Language::Tq => of_text(request),
        Language::Solidity => of_solidity(request),
        Language::Java => of_java(request, java),
    }
}

fn of_text(request: &LoadRequest) -> Result<ClassList, LoadError> {
    let loaded = tq::load(&request.path).map_err(LoadError::Text)?;
    let has_state = |class: &Class| {
        !class.fields.is_empty() && class.routines_of(RoutineKind::Action).count() > 0
    };
    let all = &loaded.program.classes;
    let classes: Vec<ListedClass> = (all.iter())
        .filter(|class| has_state(class))
        .map(|class| ListedClass {
            name: class.name.clone(),
            line: Some(loaded.source.line(class.span.start as usize)),
        })
        .collect();
    Ok(ClassList {
        left_out: all.len() - classes.len(),
        classes,
        unreadable: Vec::new(),
        content: blake3::hash(loaded.source.text.as_bytes()),
    })
}

fn of_solidity(request: &LoadRequest) -> Result<ClassList, LoadError> {
    let options = solidity::options(request);
    let loaded = front_solidity::load(&request.path, &options).map_err(LoadError::Contract)?;
    let program = &loaded.program;
    let name_of = |contract: &ContractDefinition| {
        let file = program.files.get(contract.place.file);
        file.map(|file| file.name.as_str())
    };
    // What it imports is studied where it is declared.
    let own = program.contracts().filter(|contract| {
        let main = loaded.main.as_deref();
        contract.kind == ContractKind::Contract && (main.is_none() || name_of(contract) == main)
    });
    let own: Vec<_> = own.collect();
    let classes: Vec<ListedClass> = (own.iter())
        .filter(|contract| !contract.is_abstract && has_storage(program, contract))
        .map(|contract| ListedClass {
            name: contract.name.clone(),
            line: (program.files.get(contract.place.file))
                .and_then(|file| file.line_column(contract.place.start))
                .map(|(line, _)| line),
        })
        .collect();
    // The names of files depend on where they lie, and what is read does not.
    let texts = program
        .files
        .iter()
        .filter_map(|(_, file)| file.text.as_deref());
    let texts: BTreeSet<[u8; 32]> = texts
        .map(|text| *blake3::hash(text.as_bytes()).as_bytes())
        .collect();
    let mut content = blake3::Hasher::new();
    content.update(format!("{:?} {}", program.version, program.via_ir).as_bytes());
    match texts.is_empty() {
        true => hash_file(&request.path, &mut content)?,
        false => texts.iter().for_each(|text| {
            content.update(text);
        }),
    }
    Ok(ClassList {
        left_out: own.len() - classes.len(),
        classes,
        unreadable: Vec::new(),
        content: content.finalize(),
    })
}

/// Whether a contract, or what it inherits from, declares a variable.
fn has_storage(program: &SolidityProgram, contract: &ContractDefinition) -> bool {
    let bases = contract
        .linearized
        .iter()
        .filter_map(|&id| program.contract(id));
    let mut items = bases.flat_map(|base| &base.items);
    items.any(|item| matches!(item, Declaration::Variable(_)))
}

fn of_java(request: &LoadRequest, wanted: &ListedJava) -> Result<ClassList, LoadError> {
    let opened = java::open(request)?;
    let named = opened.named.iter();
    let named = named.filter(|class| class.is_of(&wanted.packages));
    let named: Vec<ClassName> = named.cloned().collect();
    let list = java_list::list(&opened.world, &named);
    let others = &list.left_out;
    let others = others.interfaces + others.enums + others.exceptions + others.synthetic;
    let found = list.entries.len();
    let entries = list.entries.into_iter().filter(|entry| {
        let has_objects = entry.instantiable || wanted.with_abstract;
        let has_state = has_objects && entry.fields > 0 && entry.actions > 0;
        has_state && (entry.public || !wanted.public) && (wanted.all || entry.has_protocol())
    });
    let classes: Vec<ListedClass> = entries
        .map(|entry| ListedClass {
            name: entry.class,
            line: None,
        })
        .collect();
    let mut content = blake3::Hasher::new();
    hash_java(&request.path, &opened, &mut content)?;
    for place in &request.java.class_path {
        hash_place(place, &mut content)?;
    }
    let unreadable = list.unreadable.into_iter();
    Ok(ClassList {
        left_out: others + found - classes.len(),
        classes,
        unreadable: unreadable
            .map(|wrong| (wrong.path.display().to_string(), wrong.what))
            .collect(),
        content: content.finalize(),
    })
}

/// All that is read with what was named, but for the class library.
fn hash_java(
    named: &Path,
    opened: &JavaInput,
    content: &mut blake3::Hasher,
) -> Result<(), LoadError> {
    let extension = named.extension().and_then(|extension| extension.to_str());
    match extension {
        // Which other sources it needs, the compiler knows: they are among what it made.
        Some("java") if named.is_file() => {
            for class in &opened.named {
                let bytes = opened.world.class_path().read(class);
                let bytes = bytes.map_err(|error| LoadError::request(error.to_string()))?;
                content.update(class.internal().as_bytes());
                content.update(bytes.as_deref().unwrap_or_default());
            }
            Ok(())
        }
        Some("class") => {
            let root = root_of_class_file(named);
            hash_place(root.as_deref().unwrap_or(named), content)
        }
        _ => hash_place(named, content),
    }
}

/// A file, the class library of a JDK, or all class files in a folder, with their paths in it.
fn hash_place(place: &Path, content: &mut blake3::Hasher) -> Result<(), LoadError> {
    if !place.is_dir() {
        return hash_file(place, content);
    }
    if let Ok(jdk) = Jdk::at(place) {
        return (jdk.archives().iter()).try_for_each(|archive| hash_file(archive, content));
    }
    let files = ignore::WalkBuilder::new(place)
        .standard_filters(false)
        .sort_by_file_name(Ord::cmp)
        .build();
    for file in files
        .filter_map(Result::ok)
        .map(ignore::DirEntry::into_path)
    {
        if file
            .extension()
            .is_some_and(|extension| extension == "class")
            && file.is_file()
        {
            let below = file.strip_prefix(place).unwrap_or(&file);
            content.update(below.as_os_str().as_encoded_bytes());
            hash_file(&file, content)?;
        }
    }
    Ok(())
}

fn hash_file(path: &Path, content: &mut blake3::Hasher) -> Result<(), LoadError> {
    let cannot = |error: std::io::Error| {
        LoadError::request(format!("cannot read {}: {error}", path.display()))
    };
    let file = File::open(path).map_err(cannot)?;
    content.update(&file.metadata().map_err(cannot)?.len().to_le_bytes());
    content.update_reader(file).map_err(cannot)?;
    Ok(())
}
