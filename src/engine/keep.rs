//! What is kept of a question for a person to look at: its Boogie text, and what the engine made of it.

use std::ffi::OsString;
use std::path::Path;

use super::Verdict;
use super::process::{Ending, Run};

/// How long a file name may be before its ending. File systems allow 255 bytes.
const LONGEST: usize = 120;

/// A question that was asked.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub entry: &'a str,
    pub engine: &'static str,
    pub text: &'a str,
    pub executable: &'a Path,
    pub arguments: &'a [OsString],
}

/// Writes `ENTRY.bpl` and `ENTRY.ENGINE.txt` to a folder. What an earlier question of that name left is replaced.
///
/// # Errors
/// A file cannot be written.
pub(super) fn keep(
    folder: &Path,
    asked: &Asked<'_>,
    run: &Run,
    verdict: &Verdict,
) -> std::io::Result<()> {
    let name = file_name(asked.entry);
    std::fs::write(folder.join(format!("{name}.bpl")), asked.text)?;
    std::fs::write(
        folder.join(format!("{name}.{}.txt", asked.engine)),
        report(asked, run, verdict)?,
    )
}

/// All about a run, for a person.
fn report(asked: &Asked<'_>, run: &Run, verdict: &Verdict) -> std::io::Result<String> {
    let argv: Vec<String> = std::iter::once(asked.executable.display().to_string())
        .chain(
            asked
                .arguments
                .iter()
                .map(|argument| argument.to_string_lossy().into_owned()),
        )
        .collect();
    let ending = match run.ending {
        Ending::Exited(status) => status.to_string(),
        Ending::Lingered => "killed, as it did not exit after its last line".to_owned(),
        Ending::Timeout => "killed, out of time".to_owned(),
        Ending::Memory => "killed, out of memory".to_owned(),
        Ending::Flooded => "killed, as it printed too much".to_owned(),
        Ending::Interrupted => "killed, as it was interrupted".to_owned(),
    };
    Ok(format!(
        "entry: {}\nengine: {}\nargv: {}\nended: {ending}\nverdict: {}\n--- stdout\n{}--- stderr\n{}",
        asked.entry,
        asked.engine,
        serde_json::to_string(&argv)?,
        serde_json::to_string(verdict)?,
        with_line_end(&run.stdout),
        with_line_end(&run.stderr),
    ))
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
        fnv(entry)
    )
}

/// The 64-bit FNV-1a hash: the same number everywhere and always.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
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

    #[test]
    fn the_number_is_the_published_hash() {
        // Test vectors of FNV-1a, 64 bits (draft-eastlake-fnv).
        assert_eq!(fnv(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv("foobar"), 0x8594_4171_f739_67e8);
    }
}
