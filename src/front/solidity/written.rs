//! What has been written already: by `solc`, by Foundry, by Hardhat. It is read as it is.
//!
//! | form | what it has |
//! |---|---|
//! | standard JSON, out (`solc --standard-json`) | all trees; neither texts nor version |
//! | `solc --combined-json ast` | all trees, the version |
//! | build info (Hardhat; Foundry with `--build-info`) | trees, texts, version, settings |
//! | a Foundry artifact (with `--ast`) | the tree of one file; those of the files that it imports are in other artifacts |

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::solc::Version;
use crate::front::json;

/// The largest file that is read, in bytes.
const MAX_SIZE: u64 = 512 << 20;

/// How deep the JSON may be nested. A level of a tree is three levels of JSON at most.
const MAX_DEPTH: usize = 3 * 256 + 64;

/// Trees and what is known of them.
#[derive(Debug, Default)]
pub(super) struct CompilerOutput {
    /// The trees, by the names of their files.
    pub trees: BTreeMap<String, Value>,
    /// The texts of the files, as far as they are there.
    pub texts: BTreeMap<String, Arc<str>>,
    /// The compiler's version.
    pub version: Option<Version>,
    /// Whether the compiler's newer way to code was used.
    pub via_ir: bool,
    /// The file that the tree is of, where it is one.
    pub main: Option<String>,
    /// The answer of the compiler, where it is there, with its messages and its code.
    pub output: Value,
}

/// Reads JSON whose depth is limited.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub(super) fn json(text: &str) -> Result<Value, String> {
    if json::too_deep(text, MAX_DEPTH).is_some() {
        return Err("it is nested too deeply".to_owned());
    }
    json::read(text).map_err(|error| format!("it is not JSON: {error}"))
}

/// Reads a file that a tool has written.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub(super) fn read(path: &Path) -> Result<CompilerOutput, String> {
    let mut written = understand(&load(path)?)?;
    if let Some(input) = beside(path) {
        // Hardhat 3 writes what was asked and what was answered into two files.
        add_input(&mut written, &load(&input)?);
    }
    if written.main.is_some() {
        add_imported(&mut written, path)?;
    }
    add_texts(&mut written, path);
    Ok(written)
}

fn load(path: &Path) -> Result<Value, String> {
    let cannot = |error: std::io::Error| format!("it cannot be read: {error}");
    if path.metadata().map_err(cannot)?.len() > MAX_SIZE {
        return Err(format!("it is larger than {} MiB", MAX_SIZE >> 20));
    }
    let bytes = std::fs::read(path).map_err(cannot)?;
    json(&String::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_owned())?)
}

/// Finds the trees in JSON of any of the forms.
///
/// # Errors
/// A sentence that says why there are none.
pub(super) fn understand(whole: &Value) -> Result<CompilerOutput, String> {
    let mut written = CompilerOutput::default();
    add_input(&mut written, whole);
    let output = whole.get("output").unwrap_or(whole);
    written.version = written.version.or_else(|| version_in(output));
    if let Some(sources) = output.get("sources").and_then(Value::as_object) {
        for (name, source) in sources {
            let tree = source.get("ast").or_else(|| source.get("AST"));
            if let Some(tree) = tree.filter(|tree| tree.is_object()) {
                written.trees.insert(name.clone(), tree.clone());
            }
        }
    } else if let Some(tree) = whole.get("ast").filter(|tree| tree.is_object()) {
        let name = path_of(tree).unwrap_or_default().to_owned();
        written.trees.insert(name.clone(), tree.clone());
        written.main = Some(name);
    }
    written.output = output.clone();
    check(&written).map(|()| written)
}

fn check(written: &CompilerOutput) -> Result<(), String> {
    let is_old = |tree: &Value| tree.get("nodeType").is_none() && tree.get("children").is_some();
    if written.trees.values().any(is_old) {
        let advice = "its trees are in the form that solc had before 0.4.12; use `solc --standard-json` with the output \
                      `ast`, or give the .sol file";
        return Err(advice.to_owned());
    }
    if written.trees.is_empty() && !has_errors(&written.output) {
        let advice = "it has no syntax trees. Foundry writes them with `forge build --ast` or `--build-info`, Hardhat always \
                      (artifacts/build-info), solc as the output `ast`; or give the .sol file";
        return Err(advice.to_owned());
    }
    Ok(())
}

fn has_errors(output: &Value) -> bool {
    let messages = output.get("errors").and_then(Value::as_array);
    let severity = |message: &Value| message.get("severity") == Some(&Value::from("error"));
    messages.is_some_and(|messages| messages.iter().any(severity))
}

/// What a build info says of what was asked.
fn add_input(written: &mut CompilerOutput, whole: &Value) {
    let text = |key| whole.get(key).and_then(Value::as_str);
    let version = text("solcVersion").or_else(|| text("solcLongVersion"));
    written.version = version.and_then(Version::parse).or(written.version);
    let Some(input) = whole.get("input") else {
        return;
    };
    let via_ir = input.pointer("/settings/viaIR");
    written.via_ir |= via_ir == Some(&Value::Bool(true));
    let sources = input.get("sources").and_then(Value::as_object);
    for (name, source) in sources.into_iter().flatten() {
        if let Some(text) = source.get("content").and_then(Value::as_str) {
            written.texts.insert(name.clone(), text.into());
        }
    }
}

/// The version in `--combined-json`, in a Foundry artifact, or in a contract's metadata.
fn version_in(output: &Value) -> Option<Version> {
    if let Some(version) = output.get("version").and_then(Value::as_str) {
        return Version::parse(version);
    }
    let from = |metadata: &Value| {
        let read = metadata.as_str().and_then(|text| json(text).ok());
        let metadata = read.as_ref().unwrap_or(metadata);
        Version::parse(metadata.pointer("/compiler/version")?.as_str()?)
    };
    if let Some(version) = output.get("metadata").and_then(from) {
        return Some(version);
    }
    let contracts = output.get("contracts")?.as_object()?.values();
    let contracts = contracts
        .filter_map(Value::as_object)
        .flat_map(|file| file.values());
    contracts
        .filter_map(|contract| contract.get("metadata"))
        .find_map(from)
}

fn path_of(tree: &Value) -> Option<&str> {
    tree.get("absolutePath").and_then(Value::as_str)
}

/// `x.json` of `x.output.json`.
fn beside(path: &Path) -> Option<PathBuf> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".output.json")?;
    Some(path.with_file_name(format!("{stem}.json"))).filter(|input| input.is_file())
}

/// Adds the trees of imported files from Foundry's other artifacts: `out/FILE.sol/CONTRACT.json`.
fn add_imported(written: &mut CompilerOutput, path: &Path) -> Result<(), String> {
    let out = path.parent().and_then(Path::parent);
    let mut open: Vec<String> = written.trees.keys().cloned().collect();
    while let Some(name) = open.pop() {
        for import in written.trees.get(&name).map(imports).unwrap_or_default() {
            if written.trees.contains_key(&import) {
                continue;
            }
            let tree = out.and_then(|out| artifact_of(out, &import));
            let tree = tree.ok_or_else(|| {
                format!(
                    "the tree of `{import}` is missing, which `{name}` imports; give a build info (`forge build --build-info`)"
                )
            })?;
            written.trees.insert(import.clone(), tree);
            open.push(import);
        }
    }
    Ok(())
}

fn imports(tree: &Value) -> Vec<String> {
    let nodes = tree.get("nodes").and_then(Value::as_array);
    let nodes = nodes.into_iter().flatten();
    let imports =
        nodes.filter(|node| node.get("nodeType") == Some(&Value::from("ImportDirective")));
    imports
        .filter_map(|node| path_of(node).map(str::to_owned))
        .collect()
}

/// The tree of a file, in any of its artifacts.
fn artifact_of(out: &Path, name: &str) -> Option<Value> {
    let folder = out.join(Path::new(name).file_name()?);
    let mut artifacts = std::fs::read_dir(folder).ok()?;
    artifacts.find_map(|entry| {
        let mut artifact = load(&entry.ok()?.path()).ok()?;
        let tree = artifact.get_mut("ast")?.take();
        (path_of(&tree) == Some(name)).then_some(tree)
    })
}

/// Looks for the texts that are missing, in the folders around the file.
fn add_texts(written: &mut CompilerOutput, path: &Path) {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for name in written.trees.keys() {
        if written.texts.contains_key(name) {
            continue;
        }
        let mut places = path.ancestors().skip(1).map(|folder| folder.join(name));
        if let Some(text) = places.find_map(|file| super::solc::text_of(&file).ok()) {
            written.texts.insert(name.clone(), text.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tree(path: &str) -> Value {
        json!({ "nodeType": "SourceUnit", "absolutePath": path, "nodes": [] })
    }

    #[test]
    fn all_forms_are_understood() {
        let standard =
            json!({ "sources": { "A.sol": { "id": 0, "ast": tree("A.sol") } }, "contracts": {} });
        let combined = json!({ "sources": { "A.sol": { "AST": tree("A.sol") } }, "version": "0.8.30+commit.1.Linux.g++" });
        let build = json!({
            "solcVersion": "0.8.24", "output": standard.clone(),
            "input": { "sources": { "A.sol": { "content": "contract A {}" } }, "settings": { "viaIR": true } },
        });
        let metadata = r#"{"compiler":{"version":"0.7.6+commit.7338295f"}}"#;
        let selected = json!({
            "sources": { "A.sol": { "ast": tree("A.sol") } }, "contracts": { "A.sol": { "A": { "metadata": metadata } } },
        });
        let artifact = json!({ "ast": tree("src/A.sol"), "metadata": { "compiler": { "version": "0.8.23+commit.f" } } });
        let read = |json: &Value| understand(json).expect("understood");
        assert_eq!(read(&standard).version, None);
        assert_eq!(read(&combined).version, Some(Version::new(0, 8, 30)));
        let build = read(&build);
        assert_eq!(
            (build.version, build.via_ir),
            (Some(Version::new(0, 8, 24)), true)
        );
        assert_eq!(
            build.texts.get("A.sol").map(|text| &**text),
            Some("contract A {}")
        );
        assert_eq!(read(&selected).version, Some(Version::new(0, 7, 6)));
        let artifact = read(&artifact);
        assert_eq!(artifact.main.as_deref(), Some("src/A.sol"));
        assert_eq!(artifact.version, Some(Version::new(0, 8, 23)));
    }

    #[test]
    fn what_has_no_trees_says_how_to_get_them() {
        for (text, said) in [
            ("{}", "forge build --ast"),
            ("[1, 2]", "forge build --ast"),
            (r#"{"abi": [], "bytecode": {}}"#, "forge build --ast"),
            (
                r#"{"sources": {"A.sol": {"AST": {"name": "SourceUnit", "children": []}}}}"#,
                "before 0.4.12",
            ),
        ] {
            let error = understand(&json(text).expect("JSON")).expect_err("no trees");
            assert!(error.contains(said), "{error}");
        }
        assert!(json("{").is_err());
        assert!(json(&"[".repeat(1_000_000)).is_err_and(|said| said.contains("too deeply")));
    }

    #[test]
    fn artifacts_of_imported_files_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, json: Value| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, json.to_string()).expect("written");
            path
        };
        let mut importing = tree("src/A.sol");
        importing["nodes"] =
            json!([{ "nodeType": "ImportDirective", "absolutePath": "lib/B.sol" }]);
        let path = write("out/A.sol/A.json", json!({ "ast": importing }));
        assert!(read(&path).is_err_and(|said| said.contains("the tree of `lib/B.sol` is missing")));
        write(
            "out/B.sol/Other.json",
            json!({ "ast": tree("other/B.sol") }),
        );
        write("out/B.sol/B.json", json!({ "ast": tree("lib/B.sol") }));
        std::fs::create_dir_all(folder.path().join("lib")).expect("made");
        std::fs::write(folder.path().join("lib/B.sol"), "contract B {}").expect("written");
        let written = read(&path).expect("all there");
        assert_eq!(written.trees.len(), 2);
        assert_eq!(
            written.texts.get("lib/B.sol").map(|text| &**text),
            Some("contract B {}")
        );
    }
}
