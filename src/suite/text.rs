//! A suite for people, and the report that ends every form of it.

use super::model::{Argument, Coverage, RefusedCall, Suite, TestCall};
use crate::ask::RunObject;
use crate::query::without_types;
use crate::words::counted;

/// The suite in plain text.
pub fn text(suite: &Suite) -> String {
    let calls: usize = suite.tests.iter().map(|t| t.calls.len()).sum();
    let mut lines = vec![format!(
        "{}: {}, {}",
        suite.class,
        counted(suite.tests.len(), "test"),
        counted(calls, "call")
    )];
    for (index, test) in suite.tests.iter().enumerate() {
        lines.push(String::new());
        lines.push(format!("test {}", index + 1));
        let refused = test.refuses.iter().map(refused_line);
        lines.extend(refused.map(|line| format!("  {line}")));
        for (index, call) in test.calls.iter().enumerate() {
            lines.push(format!("  {}. {}", index + 1, call_line(call)));
            let objects = call.objects.iter().map(RunObject::words);
            lines.extend(objects.map(|line| format!("     {line}")));
            let refused = call.refuses.iter().map(refused_line);
            lines.extend(refused.map(|line| format!("     {line}")));
        }
        if !test.covers.is_empty() {
            lines.push("  covers".into());
        }
        lines.extend(test.covers.iter().map(|item| format!("    {item}")));
    }
    lines.push(String::new());
    lines.extend(report(suite));
    lines.join("\n") + "\n"
}

/// A call in the source's words: `Buy(item = 0, money = 1)`.
pub(super) fn call_text(call: &TestCall) -> String {
    let name = without_types(&call.name);
    format!("{name}({})", list(&call.arguments))
}

/// A call that is refused, and why: `refuses Buy(item = 0, money = 0): it needs money > 0`.
pub(super) fn refused_line(refused: &RefusedCall) -> String {
    let (name, list) = (without_types(&refused.name), list(&refused.arguments));
    format!("refuses {name}({list}): it needs {}", refused.needs)
}

fn list(values: &[Argument]) -> String {
    let texts: Vec<String> = (values.iter())
        .map(|v| format!("{} = {}", v.name, v.text))
        .collect();
    texts.join(", ")
}

/// A call, and what is so after it: `Buy(item = 0, money = 1) -> S3 { ReturnChange }`.
pub(super) fn call_line(call: &TestCall) -> String {
    let mut line = call_text(call);
    if let Some(exception) = &call.exception {
        line.push_str(&format!(" ! {exception}"));
    }
    if !call.results.is_empty() {
        line.push_str(&format!(" gives {}", list(&call.results)));
    }
    match &call.target {
        Some(target) => {
            line.push_str(&format!(" -> {target} {{ {} }}", call.enabled.join(", ")));
        }
        None => line.push_str(" -> no object"),
    }
    if call.open {
        line.push_str("  (its arguments alone do not decide how this goes)");
    }
    line
}

/// What is covered and what is not, and why, in lines.
pub(super) fn report(suite: &Suite) -> Vec<String> {
    let of = match suite.cover {
        Coverage::Transitions => "edges",
        Coverage::Pairs => "pairs of edges that follow each other",
        Coverage::States => "states",
    };
    let mut lines = vec![format!("covered: {} {of}", suite.covered.len())];
    if suite.uncovered.is_empty() {
        lines.push("not covered: none".into());
    } else {
        lines.push(format!("not covered: {}", suite.uncovered.len()));
        for uncovered in &suite.uncovered {
            lines.push(format!("  {}", uncovered.item));
            lines.push(format!("    {}", uncovered.why));
        }
    }
    let open = |test: &&super::Test| test.calls.iter().any(|c| c.open);
    let open = suite.tests.iter().filter(open).count();
    if open > 0 {
        lines.push(format!(
            "tests with calls that their arguments alone do not decide: {open}; another implementation may do otherwise"
        ));
    }
    lines
}
