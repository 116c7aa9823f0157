//! The report as JUnit's XML: a test suite, in which each class is a test. No times, so that the same report is the same
//! text.

use super::sentences;
use crate::check::{CheckReport, Checked, Outcome};
use crate::view::escape::xml_attribute;

pub(super) fn render(report: &CheckReport) -> String {
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        report.checks.len(),
        report.changed(),
        report.not_checked()
    );
    let cases: String = report.checks.iter().map(case).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tranquera check\" {counts}>\n  <testsuite name=\"protocols\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

fn case(check: &Checked) -> String {
    let source = check.source.as_deref().unwrap_or(&check.expected);
    let name = check.class.as_deref().unwrap_or(&check.expected);
    let head = format!(
        "    <testcase classname=\"{}\" name=\"{}\"",
        xml_attribute(source),
        xml_attribute(name)
    );
    let failed = |element: &str, message: &str, lines: &[String]| {
        let lines: Vec<String> = lines.iter().map(|line| xml_attribute(line)).collect();
        format!(
            "{head}>\n      <{element} message=\"{}\" type=\"{}\">{}</{element}>\n    </testcase>\n",
            xml_attribute(message),
            if element == "failure" {
                "protocol-changed"
            } else {
                "not-checked"
            },
            lines.join("\n")
        )
    };
    match &check.outcome {
        Outcome::Same(_) | Outcome::Written { .. } => format!("{head}/>\n"),
        Outcome::Changed { order, diff, .. } => {
            let sentences = sentences(order, diff);
            failed("failure", &sentences.join("; "), &sentences)
        }
        Outcome::NotChecked { message } => {
            let lines: Vec<String> = message.lines().map(str::to_owned).collect();
            let first = lines.first().map(String::as_str).unwrap_or_default();
            failed("error", first, &lines)
        }
    }
}
