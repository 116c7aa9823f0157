//! Programs whose folder says what is expected of them, and what the stages of the engine make of some: a test a file.
//!
//! | folder | what is expected |
//! |---|---|
//! | `programs/reached` | an assertion fails |
//! | `programs/presumed` | the same, if the axioms can hold everywhere, which nobody knows |
//! | `programs/unreachable` | none does |
//! | `programs/bound` | none does within the bound, which is hit |
//! | `programs/refused` | what `// says:` says |
//! | `print` | the snapshots in its folders, one for each stage |
//!
//! A line `// flags:` has other flags than `/recursionBound:4`. The expected answers follow from what the programs mean.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

const STAGES: [&str; 5] = ["lowered", "loops", "passive", "vc", "smt"];

fn main() -> ExitCode {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reach");
    let mut trials = Vec::new();
    for folder in ["reached", "presumed", "unreachable", "bound", "refused"] {
        let files = files(&home.join("programs").join(folder));
        trials.extend(files.into_iter().map(|file| {
            let name = format!("{folder}/{}", stem(&file));
            Trial::test(name, move || answered(&file, folder))
        }));
    }
    for file in files(&home.join("print")) {
        for stage in STAGES {
            let (file, name) = (file.clone(), format!("print/{stage}/{}", stem(&file)));
            trials.push(Trial::test(name, move || printed(&file, stage)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The programs of a folder. That there is none cannot be meant.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let is_program = |path: &PathBuf| path.extension().is_some_and(|e| e == "bpl");
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).filter(is_program).collect();
    assert!(!files.is_empty(), "{}", folder.display());
    files.sort();
    files
}

fn stem(file: &Path) -> String {
    let stem = file.file_stem().expect("a name");
    stem.to_string_lossy().into_owned()
}

/// What a comment of that name in the first lines of a text says.
fn comment<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut comments = text.lines().map_while(|line| line.strip_prefix("// "));
    comments
        .find_map(|line| line.strip_prefix(name))
        .map(str::trim)
}

fn reach(file: &Path, flags: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .arg("reach")
        .arg(file)
        .args(flags)
        .output()
        .expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

fn answered(file: &Path, folder: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let flags = comment(&text, "flags:").unwrap_or("/recursionBound:4");
    let mut flags: Vec<&str> = flags.split_whitespace().collect();
    flags.push("/timeLimit:60");
    let said = reach(file, &flags);
    let says = |line: &str| said.lines().any(|l| l == line);
    let bound = said.contains("Reached recursion bound of");
    let presumed = said.contains("That they can hold everywhere is presumed.");
    let as_expected = match folder {
        "reached" => says("Program has a potential bug: True bug") && !presumed,
        "presumed" => says("Program has a potential bug: True bug") && presumed,
        "unreachable" => says("Program has no bugs") && !bound,
        "bound" => says("Program has no bugs") && bound,
        _ => said.contains(comment(&text, "says:").ok_or("there is no `// says:`")?),
    };
    match as_expected {
        true => Ok(()),
        false => Err(said.into()),
    }
}

fn printed(file: &Path, stage: &str) -> Result<(), Failed> {
    let said = reach(
        file,
        &["/recursionBound:2", "/timeLimit:60", "--print", stage],
    );
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(file.with_file_name(stage));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(stem(file), said));
    Ok(())
}
