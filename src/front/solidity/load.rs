//! From a file to the compiler's tree: through the compiler, or from what has been written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::ast::{self, SolidityProgram, Unit};
use super::complaint::{Complaint, Complaints};
use super::place::Files;
use super::solc::{
    self, CompilerLimits, CompilerPlaces, Project, ProjectLayout, Requirement, Version,
};
use super::written::{self, CompilerOutput};
use crate::stack::on_large_stack;

/// The stack on which trees are read, in bytes: they may be deep, and a level takes a few KiB without optimisation.
const STACK: usize = 64 << 20;

/// What the user says of how a file is to be read.
#[derive(Clone, Debug, Default)]
pub struct SolidityOptions {
    /// Where the compiler is.
    pub solc: Option<PathBuf>,
    /// Where sources are.
    pub layout: ProjectLayout,
    /// What the compiler may use.
    pub limits: CompilerLimits,
    /// The compiler's version, for trees that do not say it.
    pub version: Option<Version>,
}

/// What a file says, and all that it imports.
#[derive(Clone, Debug)]
pub struct LoadedContracts {
    /// The trees.
    pub program: SolidityProgram,
    /// The name of the file that was asked for, where it was one file.
    pub main: Option<String>,
}

/// Reads a `.sol` file, or JSON that solc, Foundry or Hardhat have written.
///
/// # Errors
/// All that is wrong with it.
pub fn load(path: &Path, options: &SolidityOptions) -> Result<LoadedContracts, Complaints> {
    let is_json = path
        .extension()
        .is_some_and(|extension| extension == "json");
    let written = if is_json {
        written::read(path).map_err(|why| {
            let what = format!("`{}` cannot be used: {why}", path.display());
            Complaints::one(Complaint::new(what))
        })?
    } else {
        compile_to(path, options, &[])?
    };
    on_large_stack(STACK, || understand(written, options)).unwrap_or_else(|| {
        Err(Complaints::one(Complaint::new(
            "there is not enough memory",
        )))
    })
}

/// Compiles a file, and gives the compiler's answer with what is asked for of each contract (`evm.bytecode.object`).
///
/// # Errors
/// All that is wrong with it.
pub fn compile(
    path: &Path,
    options: &SolidityOptions,
    outputs: &[&str],
) -> Result<(Version, Value), Complaints> {
    let written = compile_to(path, options, outputs)?;
    let errors = solc::errors(&written.output, &files_of(&written));
    if errors.is_empty() {
        return Ok((written.version.unwrap_or_default(), written.output));
    }
    Err(Complaints {
        files: Arc::new(files_of(&written)),
        list: errors,
    })
}

fn compile_to(
    path: &Path,
    options: &SolidityOptions,
    outputs: &[&str],
) -> Result<CompilerOutput, Complaints> {
    let plain = |what: String| Complaints::one(Complaint::new(what));
    let cannot = |error| plain(format!("cannot read `{}`: {error}", path.display()));
    let file = path.canonicalize().map_err(cannot)?;
    let project = Project::of(&file, &options.layout).map_err(plain)?;
    let sources =
        solc::read(&file, &project).map_err(|(sources, unread)| solc::unread(&sources, unread))?;
    let mut requirements = solc::requirements(&sources)?;
    let wanted = project.version().map(|version| version.to_string());
    requirements.extend(wanted.and_then(|version| Requirement::parse(&version)));
    let compiler = CompilerPlaces::here(options.solc.as_deref(), &project.root)
        .choose(&requirements)
        .map_err(|missing| solc::missing(&missing, &sources))?;
    let input = solc::input(&sources, &project, outputs).to_string();
    let said = solc::run(&compiler, &input, &options.limits).map_err(plain)?;
    let answer = written::json(&said.json)
        .map_err(|why| plain(format!("solc's answer is not understood: {why}")))?;
    let mut written = written::understand(&answer)
        .map_err(|why| plain(format!("solc's answer is not understood: {why}")))?;
    written.version = Some(said.version);
    written.via_ir = project.via_ir;
    let texts = sources.texts.into_iter();
    written.texts = texts.map(|(name, source)| (name, source.text)).collect();
    written.main = Some(sources.main);
    Ok(written)
}

fn files_of(written: &CompilerOutput) -> Files {
    let mut files = Files::default();
    for (name, text) in &written.texts {
        files.add(name.clone(), Some(Arc::clone(text)));
    }
    for name in written.trees.keys() {
        if !written.texts.contains_key(name) {
            files.add(name.clone(), None);
        }
    }
    files
}

/// Reads the trees.
fn understand(
    written: CompilerOutput,
    options: &SolidityOptions,
) -> Result<LoadedContracts, Complaints> {
    let files = Arc::new(files_of(&written));
    let mut complaints = solc::errors(&written.output, &files);
    let mut units: Vec<Unit> = Vec::new();
    if complaints.is_empty() {
        for (name, tree) in &written.trees {
            let file = files.named(name).unwrap_or_default();
            match ast::unit(tree, file) {
                Ok(unit) => units.push(unit),
                Err(why) => {
                    let what = format!("the tree of `{name}` cannot be read: {}", why.what);
                    complaints.push(Complaint::new(what).at(why.place, ""));
                }
            }
        }
        complaints.extend(inconsistent(&units));
    }
    let version = options.version.or(written.version);
    let version = version.or_else(|| version_by_pragmas(&units));
    if version.is_none() && complaints.is_empty() {
        let what = "the trees do not say which version of the compiler they are from";
        complaints.push(Complaint::new(what).help("say it: --solc-version 0.8.30"));
    }
    let (true, Some(version)) = (complaints.is_empty(), version) else {
        return Err(Complaints {
            files,
            list: complaints,
        });
    };
    Ok(LoadedContracts {
        program: SolidityProgram::new(files, version, written.via_ir, units),
        main: written.main,
    })
}

/// Trees of different runs have different ids for the same file.
fn inconsistent(units: &[Unit]) -> Option<Complaint> {
    let mut imports = units.iter().flat_map(|unit| &unit.imports);
    let (path, _) = imports.find(|(path, id)| {
        let mut known = units.iter().filter(|unit| unit.path == *path);
        known.any(|unit| unit.id != *id)
    })?;
    let what =
        format!("the trees are not of one run of the compiler: that of `{path}` is another one");
    Some(Complaint::new(what).help("make them anew: forge build --force --build-info"))
}

/// The first version that the pragmas take, if they speak of one series only: what a program means changes with the series.
fn version_by_pragmas(units: &[Unit]) -> Option<Version> {
    let pragmas = units.iter().flat_map(|unit| &unit.pragmas);
    let read: Option<Vec<Requirement>> = pragmas.map(|text| Requirement::parse(text)).collect();
    let read = read.filter(|read| !read.is_empty())?;
    let first = |minor| {
        let mut versions = (0..50).map(|patch| Version::new(0, minor, patch));
        versions.find(|&version| read.iter().all(|requirement| requirement.accepts(version)))
    };
    let series: Vec<Version> = (4..9).filter_map(first).collect();
    match series.as_slice() {
        [version] => Some(*version),
        _ => None,
    }
}
