//! What is said of a client, for a terminal.

use crate::typestate::verify::{ClientCall, ClientFinding, VerifyReport};
use crate::words::counted;

use super::ViewOptions;
use super::escape::visible;
use super::text::page::{Style, TextPage};

/// Writes the summary.
pub fn render(report: &VerifyReport, options: &ViewOptions) -> String {
    let mut page = TextPage::new(options.width, options.colour);
    let calls = counted(report.calls, "call");
    let entries: Vec<String> = report.entries.iter().map(|e| visible(e)).collect();
    let of = format!("{calls}, from {}", entries.join(", "));
    if report.verified {
        let says = format!("no call can reach the error ({of})");
        page.words(&[(Style::Added, "verified:".into())], &says);
    } else {
        page.words(
            &[(Style::Removed, "not verified".into())],
            &format!("({of})"),
        );
    }
    for finding in &report.findings {
        page.blank();
        self::finding(finding, &mut page);
    }
    if !report.undecided.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Not decided")]);
        for open in &report.undecided {
            let what = match &open.call {
                Some(call) => written(call),
                None => visible(&open.entry),
            };
            let what = format!(
                "{what} may end in {}: {}",
                visible(&open.exception),
                visible(&open.reason)
            );
            page.words(&[(Style::Warning, "  ?".into())], &what);
        }
    }
    if !report.notes.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Notes")]);
        for note in &report.notes {
            page.words(&[(Style::Plain, " ".into())], &visible(note));
        }
    }
    page.finish()
}

fn finding(finding: &ClientFinding, page: &mut TextPage) {
    let exception = visible(&finding.exception);
    let (what, how) = match (&finding.call, finding.always) {
        (Some(call), true) => (written(call), format!("always ends in {exception}")),
        (Some(call), false) => (written(call), format!("may end in {exception}")),
        (None, _) => (
            visible(&finding.entry),
            format!("may itself raise {exception}"),
        ),
    };
    page.words(&[(Style::Heading, what)], &how);
    if !finding.inputs.is_empty() {
        page.words(&[(Style::Faint, "  with".into())], &values(&finding.inputs));
    }
    for call in &finding.path {
        let arguments = match call.arguments.is_empty() {
            true => String::new(),
            false => format!("  ({})", values(&call.arguments)),
        };
        page.words(
            &[(Style::Plain, "  →".into())],
            &format!("{}{arguments}", written(call)),
        );
    }
}

fn written(call: &ClientCall) -> String {
    format!("line {}: {}", call.line, visible(&call.text))
}

fn values(list: &[(String, String)]) -> String {
    let parts = list
        .iter()
        .map(|(name, value)| format!("{} = {}", visible(name), visible(value)));
    parts.collect::<Vec<_>>().join(", ")
}
