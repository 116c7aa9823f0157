//! What is shown of an output.

use crate::process::ProcessOutput;

/// How much of an output is shown, at each end.
const SHOWN: usize = 4000;

/// What an engine printed, cut to a readable length.
pub(super) fn shown(run: &ProcessOutput) -> String {
    let stdout = cut(&run.stdout);
    let stderr = cut(&run.stderr);
    match (stdout.is_empty(), stderr.is_empty()) {
        (_, true) => stdout,
        (true, false) => stderr,
        (false, false) => {
            let end = if stdout.ends_with('\n') { "" } else { "\n" };
            format!("{stdout}{end}{stderr}")
        }
    }
}

/// The head and the tail of a long text.
fn cut(text: &str) -> String {
    if text.len() <= 2 * SHOWN {
        return text.to_owned();
    }
    let head = (0..=SHOWN)
        .rev()
        .find_map(|end| text.get(..end))
        .unwrap_or_default();
    let tail = (text.len() - SHOWN..=text.len())
        .find_map(|start| text.get(start..))
        .unwrap_or_default();
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n… {left_out} bytes left out …\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_is_cut_in_the_middle() {
        assert_eq!(cut("short"), "short");
        let long = format!("head{}tail", "é".repeat(100_000));
        let cut = cut(&long);
        assert!(cut.starts_with("head") && cut.ends_with("tail"));
        assert!(cut.len() < 2 * SHOWN + 100);
        assert!(cut.contains("bytes left out"));
    }
}
