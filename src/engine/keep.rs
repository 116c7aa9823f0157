//! What is kept of a question for a person to look at: its Boogie text, and what the engine made of it.

use std::ffi::OsString;
use std::path::Path;

use crate::fingerprint::fingerprint;
use crate::process::{Ending, ProcessOutput};

use super::{EngineConfig, EngineError};
use crate::query::{Reason, Unknown, Verdict};

/// How long a file name may be before its ending. File systems allow 255 bytes.
const LONGEST: usize = 120;

/// A question that was asked and answered.
#[derive(Debug)]
pub(super) struct KeptQuestion<'a> {
    pub entry: &'a str,
    pub engine: &'static str,
    pub text: &'a str,
    pub verdict: &'a Verdict,
    /// How a process was asked, if one was.
    pub process: Option<Process<'a>>,
}

/// A run of an engine that is a program of its own.
#[derive(Debug)]
pub(super) struct Process<'a> {
    pub executable: &'a Path,
    pub arguments: &'a [OsString],
    pub run: &'a ProcessOutput,
}

/// Makes the folder to keep questions in, if there is to be one, so that it is known early if it cannot be made.
///
/// # Errors
/// [`EngineError::Io`]
pub(super) fn make_folder(config: &EngineConfig, engine: &'static str) -> Result<(), EngineError> {
    let Some(folder) = &config.keep_dir else {
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|source| EngineError::Io {
        engine,
        what: format!("cannot make the folder {}", folder.display()),
        source,
    })
}

/// Writes `ENTRY.bpl` and `ENTRY.ENGINE.txt` to a folder. What an earlier question of that name left is replaced. The
/// result is the verdict, or that the question could not be kept.
pub(super) fn keep(folder: &Path, asked: &KeptQuestion<'_>) -> Verdict {
    match write(folder, asked) {
        Ok(()) => asked.verdict.clone(),
        Err(error) => Verdict::Unknown(Unknown {
            reason: Reason::Crash,
            detail: format!("cannot keep the question in {}: {error}", folder.display()),
            output: String::new(),
        }),
    }
}

fn write(folder: &Path, asked: &KeptQuestion<'_>) -> std::io::Result<()> {
    let name = file_name(asked.entry);
    std::fs::write(folder.join(format!("{name}.bpl")), asked.text)?;
    let report = format!(
        "entry: {}\nengine: {}\n{}verdict: {}\n{}",
        asked.entry,
        asked.engine,
        asked.process.as_ref().map_or(Ok(String::new()), called)?,
        serde_json::to_string(asked.verdict)?,
        asked.process.as_ref().map_or(String::new(), printed),
    );
    std::fs::write(folder.join(format!("{name}.{}.txt", asked.engine)), report)
}

/// How a process was called, and how it ended.
fn called(process: &Process<'_>) -> std::io::Result<String> {
    let argv: Vec<String> = std::iter::once(process.executable.display().to_string())
        .chain(
            process
                .arguments
                .iter()
                .map(|argument| argument.to_string_lossy().into_owned()),
        )
        .collect();
    let ending = match process.run.ending {
        Ending::Exited(status) => status.to_string(),
        Ending::Lingered => "killed, as it did not exit after its last line".to_owned(),
        Ending::Timeout => "killed, out of time".to_owned(),
        Ending::Memory => "killed, out of memory".to_owned(),
        Ending::Flooded => "killed, as it printed too much".to_owned(),
        Ending::Interrupted => "killed, as it was interrupted".to_owned(),
    };
    Ok(format!(
        "argv: {}\nended: {ending}\n",
        serde_json::to_string(&argv)?
    ))
}

fn printed(process: &Process<'_>) -> String {
    format!(
        "--- stdout\n{}--- stderr\n{}",
        with_line_end(&process.run.stdout),
        with_line_end(&process.run.stderr),
    )
}

fn with_line_end(text: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{text}{end}")
}

/// A name for a file: the entry's, where that is a safe one. Otherwise odd characters become `_`, a long name
/// is cut, and a number made from the whole name keeps it apart from others.
pub(super) fn file_name(entry: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = entry
        .chars()
        .map(|c| if safe(c) { c } else { '_' })
        .take(LONGEST)
        .collect();
    let dubious = name.is_empty() || name.starts_with(['.', '-']);
    if name == entry && !dubious {
        return name;
    }
    let shown = name.trim_start_matches(['.', '-']);
    format!(
        "{}{shown}.{:016x}",
        if shown.is_empty() { "entry" } else { "" },
        fingerprint(entry)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_stay() {
        for name in ["VendingMachine.insert_money", "q", "A.b-1"] {
            assert_eq!(file_name(name), name);
        }
    }

    #[test]
    fn any_name_makes_a_safe_and_different_file_name() {
        let long = "x".repeat(10_000);
        let longer = "x".repeat(10_001);
        let odd = [
            "",
            ".",
            "..",
            "-rf",
            "/etc/passwd",
            "../up",
            "a b",
            "a$b",
            "a'b",
            "a\nb",
            "ü",
            "é",
            "a\0b",
            &long,
            &longer,
            ".hidden",
            "a?b",
            "a#b",
        ];
        let mut names: Vec<String> = odd.iter().map(|name| file_name(name)).collect();
        for name in &names {
            assert!(name.len() < 200, "{name}");
            assert!(
                name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'),
                "{name}"
            );
            assert!(
                name.chars()
                    .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)),
                "{name}"
            );
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), odd.len());
    }
}
