//! What Boogie and its solver said to each other.
//!
//! Boogie 2.4.1 takes a solver's `unknown` for `sat` and reports an error that may not be one. Its log
//! (`/proverLog:F`) tells the two apart: it holds every command sent, and Boogie sends
//! `(get-info :reason-unknown)` exactly when the answer to `(check-sat)` was `unknown`. A reported error comes
//! from the last check. An `unknown` before that one does no harm: stratified inlining then inlines more than
//! it had to.

use std::io::{BufRead, BufReader, Read};

/// How the last question to the solver was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastCheck {
    /// No question was sent.
    None,
    /// `sat` or `unsat` (or nothing, if the run broke off).
    Answered,
    /// `unknown`.
    Unknown,
}

/// Reads a solver log. The log may be long, so it is not kept.
pub(super) fn last_check(log: impl Read) -> std::io::Result<LastCheck> {
    let mut last = LastCheck::None;
    let mut lines = BufReader::new(log);
    let mut line = Vec::new();
    while next_line(&mut lines, &mut line)? {
        if line.starts_with(b"(check-sat") {
            last = LastCheck::Answered;
        } else if line == b"(get-info :reason-unknown)" && last == LastCheck::Answered {
            last = LastCheck::Unknown;
        }
    }
    Ok(last)
}

/// Reads a line without its end; of a long line only the start is kept.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    const KEPT: usize = 64;
    line.clear();
    let mut any = false;
    loop {
        let chunk = lines.fill_buf()?;
        if chunk.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let text = end.map_or(chunk, |end| chunk.get(..end).unwrap_or(chunk));
        let room = KEPT.saturating_sub(line.len());
        line.extend(text.iter().take(room));
        let used = text.len() + usize::from(end.is_some());
        lines.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(log: &str) -> LastCheck {
        last_check(log.as_bytes()).expect("reading from memory")
    }

    #[test]
    fn the_last_check_counts() {
        assert_eq!(of(""), LastCheck::None);
        assert_eq!(of("(set-option :x true)\n"), LastCheck::None);
        assert_eq!(of("(check-sat)\n(labels)\n"), LastCheck::Answered);
        assert_eq!(
            of("(check-sat)\n(get-info :reason-unknown)\n(labels)\n(get-model)\n"),
            LastCheck::Unknown
        );
        assert_eq!(
            of("(check-sat)\n(get-info :reason-unknown)\n(pop 1)\n(check-sat)\n(labels)\n"),
            LastCheck::Answered
        );
    }

    #[test]
    fn long_lines_are_no_trouble() {
        let log = format!("(assert {})\n(check-sat)\n", "x".repeat(1 << 20));
        assert_eq!(of(&log), LastCheck::Answered);
        let log = format!(
            "(check-sat)\n{}(get-info :reason-unknown)\n",
            "y".repeat(100)
        );
        assert_eq!(of(&log), LastCheck::Answered);
    }
}
