//! Standard JSON: what the compiler is asked, and what it has to complain of.

use std::sync::Arc;

use serde_json::{Value, json};

use super::imports::{ImportedTexts, Unread};
use super::locate::{Compiler, Missing};
use super::project::Project;
use super::run::shown;
use super::version::{Requirement, Version};
use crate::front::solidity::complaint::{Complaint, Complaints};
use crate::front::solidity::place::{FileRange, Files};

/// The question: all sources, and what is wanted of each contract beside the trees (`evm.bytecode.object`).
pub(in crate::front::solidity) fn input(
    sources: &ImportedTexts,
    project: &Project,
    outputs: &[&str],
) -> Value {
    let texts = sources.texts.iter();
    let texts: serde_json::Map<String, Value> = texts
        .map(|(name, source)| (name.clone(), json!({ "content": &*source.text })))
        .collect();
    let remappings = sources.remappings.iter();
    let remappings: Vec<String> = remappings.map(|remapping| remapping.text()).collect();
    let wanted = json!({ "*": { "": ["ast"], "*": outputs } });
    let mut settings = serde_json::Map::new();
    settings.insert("remappings".to_owned(), json!(remappings));
    settings.insert("outputSelection".to_owned(), wanted);
    if let Some(machine) = &project.evm_version {
        settings.insert("evmVersion".to_owned(), json!(machine));
    }
    // Versions that do not know it refuse it.
    if project.via_ir {
        settings.insert("viaIR".to_owned(), json!(true));
    }
    json!({ "language": "Solidity", "sources": texts, "settings": settings })
}

/// The sources as files that places point into.
pub(in crate::front::solidity) fn files(sources: &ImportedTexts) -> Files {
    let mut files = Files::default();
    for (name, source) in &sources.texts {
        files.add(name.clone(), Some(Arc::clone(&source.text)));
    }
    files
}

/// What the files' pragmas ask for, each once.
///
/// # Errors
/// The pragmas that are not understood.
pub(in crate::front::solidity) fn requirements(
    sources: &ImportedTexts,
) -> Result<Vec<Requirement>, Complaints> {
    let mut requirements = Vec::new();
    let mut complaints = Vec::new();
    let files = files(sources);
    for (name, source) in &sources.texts {
        for (pragma, range) in &source.pragmas {
            match Requirement::parse(pragma) {
                Some(requirement) if requirements.contains(&requirement) => {}
                Some(requirement) => requirements.push(requirement),
                None => {
                    let what = format!("the versions `{pragma}` are not understood");
                    complaints.push(at(Complaint::new(what), &files, name, range));
                }
            }
        }
    }
    if complaints.is_empty() {
        return Ok(requirements);
    }
    Err(Complaints {
        files: Arc::new(files),
        list: complaints,
    })
}

/// What is said where sources are missing.
pub(in crate::front::solidity) fn unread(
    sources: &ImportedTexts,
    unread: Vec<Unread>,
) -> Complaints {
    let files = files(sources);
    let list = unread.into_iter().map(|unread| {
        let mut complaint = Complaint::new(unread.what);
        if let Some((name, range)) = &unread.importer {
            complaint = at(complaint, &files, name, range);
        }
        complaint.help.extend(unread.help);
        complaint
    });
    Complaints {
        list: list.collect(),
        files: Arc::new(files),
    }
}

/// What is said where no compiler is found: what there is, what is asked for, and three ways to get it.
pub(in crate::front::solidity) fn missing(
    missing: &Missing,
    sources: &ImportedTexts,
) -> Complaints {
    let files = files(sources);
    let seen = match missing {
        Missing::Named(path) => {
            let path = path.display();
            let complaint = Complaint::new(format!("there is no Solidity compiler at `{path}`"))
                .help("an executable `solc`, npm's `solcjs`, or the folder of npm's package `solc` (which needs Node)");
            return Complaints::one(complaint);
        }
        Missing::Any(seen) => seen,
    };
    let mut complaint = match seen.as_slice() {
        [] => Complaint::new("the Solidity compiler, solc, is not found"),
        _ => Complaint::new("no Solidity compiler that is found takes these files"),
    };
    for (name, source) in &sources.texts {
        for (pragma, range) in &source.pragmas {
            let refused = Requirement::parse(pragma)
                .is_some_and(|requirement| !seen.iter().any(|found| accepts(&requirement, found)));
            if refused && complaint.places.len() < 3 {
                complaint = at(complaint, &files, name, range);
            }
        }
    }
    if !seen.is_empty() {
        complaint = complaint.help(format!("found: {}", list(seen)));
    }
    let version = suggestion(sources);
    let complaint = complaint
        .help(format!(
            "with npm, in the project: npm install --save-dev solc@{version}"
        ))
        .help(format!(
            "with solc-select: pip install solc-select && solc-select install {version}"
        ))
        .help("with Foundry: forge build (it fetches what the pragma asks for)")
        .help("one that is elsewhere: --solc PATH, or TRANQUERA_SOLC");
    Complaints {
        files: Arc::new(files),
        list: vec![complaint],
    }
}

fn accepts(requirement: &Requirement, found: &Compiler) -> bool {
    found
        .version
        .is_some_and(|version| requirement.accepts(version))
}

/// `0.8.30 (PATH), 0.7.6 (Foundry's versions)`
fn list(found: &[Compiler]) -> String {
    let all = found.iter().map(|found| match found.version {
        Some(version) => format!("{version} ({})", found.origin),
        None => format!("{} ({})", shown(found), found.origin),
    });
    all.collect::<Vec<_>>().join(", ")
}

/// The latest release.
const LATEST: Version = Version::new(0, 8, 37);

/// The last releases of each series, newest first.
const RELEASES: [Version; 5] = [
    LATEST,
    Version::new(0, 7, 6),
    Version::new(0, 6, 12),
    Version::new(0, 5, 17),
    Version::new(0, 4, 26),
];

/// A version that the files take: the newest of a series, or the first number in a pragma.
fn suggestion(sources: &ImportedTexts) -> String {
    let pragmas = || sources.texts.values().flat_map(|source| &source.pragmas);
    let takes = |version: &&Version| {
        let mut read = pragmas().filter_map(|(pragma, _)| Requirement::parse(pragma));
        read.all(|requirement| requirement.accepts(**version))
    };
    if let Some(version) = RELEASES.iter().find(takes) {
        return version.to_string();
    }
    let digits = |pragma: &str| {
        let start = pragma.find(|c: char| c.is_ascii_digit())?;
        let number = pragma.get(start..)?;
        let end = number.find(|c: char| !(c.is_ascii_digit() || c == '.'));
        number.get(..end.unwrap_or(number.len())).map(str::to_owned)
    };
    let first = pragmas().find_map(|(pragma, _)| digits(pragma));
    first.unwrap_or_else(|| LATEST.to_string())
}

/// The errors among the compiler's messages, with their places.
pub(in crate::front::solidity) fn errors(output: &Value, files: &Files) -> Vec<Complaint> {
    let messages = output.get("errors").and_then(Value::as_array);
    let messages = messages.into_iter().flatten();
    let text = |json: &Value, key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
    messages
        .filter(|message| text(message, "severity").as_deref() != Some("warning"))
        .filter(|message| text(message, "severity").as_deref() != Some("info"))
        .map(|message| {
            let said = text(message, "message").unwrap_or_default();
            let whole = text(message, "formattedMessage").unwrap_or_default();
            let location = message.get("sourceLocation");
            let Some(first) = location.and_then(|at| place(at, files)) else {
                let said = if said.is_empty() { whole } else { said };
                return Complaint::new(format!("solc: {}", said.trim_end()));
            };
            let mut complaint = Complaint::new(format!("solc: {said}")).at(first, "");
            let others = message.get("secondarySourceLocations");
            for other in others.and_then(Value::as_array).into_iter().flatten() {
                let remark = text(other, "message").unwrap_or_default();
                if let Some(second) = place(other, files) {
                    complaint = complaint.at(second, remark);
                }
            }
            complaint
        })
        .collect()
}

fn place(json: &Value, files: &Files) -> Option<FileRange> {
    let offset = |key| u32::try_from(json.get(key)?.as_i64()?).ok();
    Some(FileRange {
        file: files.named(json.get("file")?.as_str()?)?,
        start: offset("start")?,
        end: offset("end")?,
    })
}

fn at(
    complaint: Complaint,
    files: &Files,
    name: &str,
    range: &std::ops::Range<usize>,
) -> Complaint {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    match files.named(name) {
        Some(file) => complaint.at(
            FileRange {
                file,
                start: offset(range.start),
                end: offset(range.end),
            },
            "",
        ),
        None => complaint,
    }
}
