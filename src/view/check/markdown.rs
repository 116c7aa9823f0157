//! The report for a comment on a pull request: what changed in sentences, and the picture of both EPAs folded away.

use super::{sentences, summary, updated};
use crate::check::{CheckReport, Checked, Outcome};
use crate::epa::diff::EpaDiff;
use crate::view::ViewOptions;
use crate::view::escape::{markdown, visible};
use crate::view::picture::PictureFormat;

pub(super) fn render(report: &CheckReport) -> String {
    let mut text = format!("## Tranquera: {}\n", summary(report));
    for check in &report.checks {
        text.push_str(&section(check));
    }
    if report.changed() > 0 {
        text.push_str("\nIf that is meant, `tranquera check --update` writes down what is expected from now on.\n");
    }
    text
}

/// What there is to say of one; nothing where all is well.
fn section(check: &Checked) -> String {
    let name = markdown(&check.name());
    match &check.outcome {
        Outcome::Same(_) => String::new(),
        Outcome::Written { file, .. } => {
            let (expected, what) = (markdown(&check.expected), updated(*file));
            format!("\n### {name}\n\n{expected} {what}\n")
        }
        Outcome::Changed { order, diff, .. } => {
            let sentences = sentences(order, diff);
            let items = sentences
                .iter()
                .map(|sentence| format!("- {}\n", code_kept(sentence)));
            let items: String = items.collect();
            format!(
                "\n### {name}: the protocol changed\n\n{items}{}",
                picture(diff)
            )
        }
        Outcome::NotChecked { message } => {
            // A fence longer than any in the message.
            let fence = "`".repeat(longest_run(message).max(2) + 1);
            format!(
                "\n### {name}: not checked\n\n{fence}text\n{}\n{fence}\n",
                message.trim_end()
            )
        }
    }
}

/// A sentence with its names in backticks, and the rest as plain text.
fn code_kept(sentence: &str) -> String {
    let parts = sentence.split('`').enumerate();
    let parts = parts.map(|(i, part)| match i % 2 {
        0 => markdown(part),
        _ => format!("`{}`", visible(part)),
    });
    parts.collect()
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

/// Both EPAs as one picture, which forges draw; nothing where it would be too large.
fn picture(diff: &EpaDiff) -> String {
    let options = ViewOptions::default();
    match crate::view::diff::render(diff, PictureFormat::Mermaid, &options) {
        Ok(picture) => format!(
            "\n<details><summary>Before and after: + is new, - is gone</summary>\n\n```mermaid\n{picture}```\n\n</details>\n"
        ),
        Err(_) => String::new(),
    }
}
