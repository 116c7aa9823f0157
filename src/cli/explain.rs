//! `tranquera explain`

use crate::ask::{Named, words};
use crate::epa::explain::{ClauseChange, Explanation, PlaceName};
use crate::epa::{self, Abstraction};

use super::infer::InferArguments;
use super::input::{ClassArguments, EngineArguments, Exceptional};
use super::output::{ReportFormat, TextOutput};
use super::{Failure, output};

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArguments {
    #[command(flatten)]
    class: ClassArguments,
    /// The edge: `S1 -pop-> S2`, `{push, pop} -pop[ok]-> {push}`, `S1 -pop!Empty-> S1`, or `Stack(int) -> S1`
    #[arg(long, short, value_name = "EDGE", allow_hyphen_values = true)]
    edge: String,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: ReportFormat,
    #[command(flatten)]
    output: TextOutput,
    /// How many changes to print, the gentlest first (JSON has all)
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: usize,
    /// Which exceptional edges to look for
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    exceptions: Exceptional,
    #[command(flatten)]
    infer: InferArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.class.file])?;
    let input = arguments.infer.load(&arguments.class, &arguments.engine)?;
    let analysis = arguments.engine.analysis(input)?;
    let options = epa::ConstructOptions {
        violations: false,
        ..arguments.engine.epa_options(arguments.exceptions)
    };
    let made = analysis.epa(&options)?;
    arguments.engine.report(&made.disagreements)?;
    let explanation = analysis.explain(&options, &made.abstraction, &arguments.edge)?;
    let text = match arguments.format {
        ReportFormat::Text => text(&explanation, &made.abstraction, arguments.limit),
        ReportFormat::Json => output::json(&explanation)?,
    };
    arguments.output.write(&text)
}

/// The explanation for people.
fn text(explanation: &Explanation, epa: &Abstraction, limit: usize) -> String {
    let mut lines = vec![format!("{}: {}", explanation.class, explanation.edge)];
    for (id, enabled) in epa.states() {
        let name = epa.names.state(id);
        if mentions(&explanation.edge, name) {
            let enabled = epa.names.marks(enabled).join(", ");
            lines.push(format!("  {name}  {{{enabled}}}"));
        }
    }
    lines.push(String::new());
    match (&explanation.witness, &explanation.doubt) {
        (Some(witness), _) => {
            lines.push("A call that takes it".into());
            let values = |values: &[Named]| match values {
                [] => "nothing to be seen".to_owned(),
                all => words(all),
            };
            if !witness.before.is_empty() {
                lines.push(format!("  before       {}", values(&witness.before)));
            }
            if !witness.arguments.is_empty() {
                lines.push(format!("  called with  {}", values(&witness.arguments)));
            }
            lines.push(format!("  after        {}", values(&witness.after)));
        }
        (None, doubt) => lines.push(format!(
            "No call that takes it is known: {}",
            doubt.as_deref().unwrap_or("the engine does not say why")
        )),
    }
    if !explanation.reasons.is_empty() {
        lines.extend([String::new(), "What lets it".into()]);
    }
    for reason in &explanation.reasons {
        lines.push(format!("  {}: {}", reason.about, reason.condition));
        if !reason.by.is_empty() {
            lines.push(format!("    here by: {}", reason.by.join("; ")));
        }
    }
    lines.push(String::new());
    lines.extend(changes(explanation, limit));
    lines.join("\n") + "\n"
}

/// Whether a text names a state by its id.
fn mentions(edge: &str, id: &str) -> bool {
    edge.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| word == id)
}

fn changes(explanation: &Explanation, limit: usize) -> Vec<String> {
    let mut tried = format!(
        "  {} clauses that the class suggests were tried",
        explanation.tried
    );
    if !explanation.complete {
        tried += "; not all of them were decided";
    }
    if explanation.left_out > 0 {
        tried += &format!(
            "; {} more take it away, but what else they do was not looked at",
            explanation.left_out
        );
    }
    if explanation.changes.is_empty() {
        return vec![
            "Nothing was found that would take it away and leave the call possible elsewhere"
                .into(),
            tried,
        ];
    }
    let mut lines = vec!["What would take it away".to_owned()];
    for (index, change) in explanation.changes.iter().take(limit).enumerate() {
        lines.push(format!("  {}. {}", index + 1, change.clause));
        lines.extend(
            said_of(change)
                .into_iter()
                .map(|line| format!("       {line}")),
        );
    }
    let more = explanation.changes.len().saturating_sub(limit);
    if more > 0 {
        lines.push(format!("  and {more} more (--limit)"));
    }
    lines.push(tried);
    lines
}

fn said_of(change: &ClauseChange) -> Vec<String> {
    let mut lines = Vec::new();
    if change.place == PlaceName::Invariant {
        lines.push(match change.broken_by.as_slice() {
            [] => "every call keeps it: it only has to be said".to_owned(),
            calls => format!("not kept by: {}", calls.join(", ")),
        });
    }
    let effect = &change.effect;
    lines.push(match effect.removed.as_slice() {
        [] => "takes nothing else away".to_owned(),
        edges => format!("takes away besides: {}", some(edges)),
    });
    if !effect.added.is_empty() {
        lines.push(format!("new then: {}", some(&effect.added)));
    }
    lines
}

/// The first few of many.
fn some(edges: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown = edges.iter().take(SHOWN).map(String::as_str);
    let shown = shown.collect::<Vec<&str>>().join(", ");
    match edges.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
