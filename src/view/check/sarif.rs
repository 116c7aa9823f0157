//! The report as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"): a result for each edge that changed, at
//! the header of what is called, and one for each finding. Of the format only what is used here.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::Serialize;

use super::changed_edges;
use crate::ask;
use crate::check::{CheckReport, Checked, CheckedClass, Outcome};
use crate::epa::diff::{Change, EdgeDiff, OrderChange};
use crate::load::UserPlace;
use crate::view::diff::{edge_sentence, sentence};
use crate::view::second_pass::call_line;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const VERSION: &str = "2.1.0";

/// The name under which a result is known again by other programs, and the version of how it is made.
const FINGERPRINT: &str = "tranquera/v1";

/// The rules of what is no finding, with what each is about.
const RULES: [(&str, &str); 6] = [
    ("action-added", "There is an action that was not expected"),
    ("action-removed", "An action that was expected is gone"),
    ("edge-added", "A call can lead where it was not expected to"),
    (
        "edge-removed",
        "A call can no longer lead where it was expected to",
    ),
    (
        "edge-changed",
        "What is known of where a call leads is not as expected",
    ),
    (
        "not-checked",
        "What is expected of a class could not be compared with it",
    ),
];

#[derive(Serialize)]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Text,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_flows: Option<[CodeFlow; 1]>,
    partial_fingerprints: BTreeMap<&'static str, String>,
}

/// A run (SARIF 2.1.0, 3.36): the calls one after the other, each at the header of what is called.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow {
    thread_flows: [ThreadFlow; 1],
}

#[derive(Serialize)]
struct ThreadFlow {
    locations: Vec<ThreadFlowLocation>,
}

#[derive(Serialize)]
struct ThreadFlowLocation {
    location: Location,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

/// The report, as data.
pub(super) fn of(report: &CheckReport) -> Log {
    let mut run = SarifRun::default();
    for check in &report.checks {
        run.add(check);
    }
    let driver = Driver {
        name: "tranquera",
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: run.rules,
    };
    Log {
        schema: SCHEMA,
        version: VERSION,
        runs: [Run {
            tool: Tool { driver },
            column_kind: "unicodeCodePoints",
            results: run.results,
        }],
    }
}

/// Results, and the rules that they have named so far.
#[derive(Default)]
struct SarifRun {
    rules: Vec<Rule>,
    results: Vec<SarifResult>,
}

/// Something to be said, before it is known where.
struct Remark<'a> {
    rule: &'a str,
    level: &'static str,
    message: String,
    /// The action or constructor that it is about.
    callee: Option<&'a str>,
    /// What it is about, in words that do not change with the numbers of lines.
    about: String,
    /// The run that shows it.
    run: Option<&'a ask::Run>,
}

impl SarifRun {
    fn add(&mut self, check: &Checked) {
        if let Outcome::NotChecked { message } = &check.outcome {
            let remark = Remark {
                rule: "not-checked",
                level: "error",
                message: message.trim_end().to_owned(),
                callee: None,
                about: String::new(),
                run: None,
            };
            self.remark(check, remark);
        }
        if let Outcome::Changed { order, diff, .. } = &check.outcome {
            let actions = diff.actions.iter().filter_map(|action| {
                let rule = match action.change {
                    Change::Added => "action-added",
                    Change::Removed => "action-removed",
                    Change::Same | Change::Changed => return None,
                };
                Some((rule, action.name.as_str()))
            });
            for (rule, name) in actions {
                self.remark(check, protocol(rule, about_action(order, name), name, name));
            }
            for edge in changed_edges(diff) {
                let words = edge_sentence(diff, edge);
                let message = with_order(order, edge, &words);
                self.remark(check, protocol(rule(edge), message, &edge.action, &words));
            }
        }
        for finding in check.computed().iter().flat_map(|class| &class.findings) {
            let remark = Remark {
                rule: &finding.kind,
                level: "warning",
                message: finding.message.clone(),
                callee: finding.action.as_deref(),
                about: format!("{:?} {:?}", finding.state, finding.action),
                run: finding.run.as_ref(),
            };
            self.remark(check, remark);
        }
    }

    fn remark(&mut self, check: &Checked, remark: Remark<'_>) {
        let rule_index = self.rule(remark.rule, remark.level);
        let class = check.class.as_deref().unwrap_or_default();
        let fingerprint = format!("{class} {} {}", remark.rule, remark.about);
        let is_protocol = RULES.iter().any(|(rule, _)| *rule == remark.rule);
        let expected = Location {
            message: Some(Text {
                text: "what is expected".to_owned(),
            }),
            ..Location::whole(&check.expected)
        };
        self.results.push(SarifResult {
            rule_id: remark.rule.to_owned(),
            rule_index,
            level: remark.level,
            message: Text {
                text: remark.message,
            },
            locations: [Location::of(check, remark.callee)],
            related_locations: is_protocol.then_some(expected).into_iter().collect(),
            code_flows: remark.run.map(|run| [CodeFlow::of(check, run)]),
            partial_fingerprints: BTreeMap::from([(FINGERPRINT, fingerprint)]),
        });
    }

    /// The position of a rule, which is added where it is not there.
    fn rule(&mut self, id: &str, level: &'static str) -> usize {
        let known = self.rules.iter().position(|rule| rule.id == id);
        known.unwrap_or_else(|| {
            let named = RULES.iter().find(|(rule, _)| *rule == id);
            let text = match named {
                Some((_, about)) => (*about).to_owned(),
                None => format!("Worth a look in a protocol: {}", id.replace('-', " ")),
            };
            self.rules.push(Rule {
                id: id.to_owned(),
                short_description: Text { text },
                default_configuration: Configuration { level },
            });
            self.rules.len() - 1
        })
    }
}

/// That the protocol is not as expected.
fn protocol<'a>(rule: &'a str, message: String, callee: &'a str, about: &str) -> Remark<'a> {
    Remark {
        rule,
        level: "error",
        message,
        callee: Some(callee),
        about: about.to_owned(),
        run: None,
    }
}

fn rule(edge: &EdgeDiff) -> &'static str {
    match edge.change {
        Change::Added => "edge-added",
        Change::Removed => "edge-removed",
        Change::Same | Change::Changed => "edge-changed",
    }
}

fn about_action(order: &[OrderChange], name: &str) -> String {
    let told = order.iter().find(|change| change.callee() == name);
    told.map(sentence).unwrap_or_default()
}

/// What an edge says of the order of calls, if it says anything, and the edge itself.
fn with_order(order: &[OrderChange], edge: &EdgeDiff, words: &str) -> String {
    let told = order.iter().filter(|change| change.callee() == edge.action);
    let told: Vec<String> = told.map(sentence).collect();
    match told.is_empty() {
        true => words.to_owned(),
        false => format!("{} ({words})", told.join("; ")),
    }
}

impl CodeFlow {
    fn of(check: &Checked, run: &ask::Run) -> CodeFlow {
        let locations = run.calls.iter().map(|call| ThreadFlowLocation {
            location: Location {
                message: Some(Text {
                    text: call_line(call),
                }),
                ..Location::of(check, Some(&call.name))
            },
        });
        CodeFlow {
            thread_flows: [ThreadFlow {
                locations: locations.collect(),
            }],
        }
    }
}

impl Location {
    /// Where something about a class is, or about one of its routines: in the source, as exactly as that is known.
    fn of(check: &Checked, callee: Option<&str>) -> Location {
        let place = check
            .computed()
            .and_then(|class: &CheckedClass| class.places.of(callee));
        match place {
            Some(place) => Location {
                physical_location: PhysicalLocation {
                    artifact_location: artifact(&place.file),
                    region: Some(Region::of(place)),
                },
                message: None,
            },
            None => Location::whole(check.source.as_deref().unwrap_or(&check.expected)),
        }
    }

    /// A file as a whole.
    fn whole(file: &str) -> Location {
        Location {
            physical_location: PhysicalLocation {
                artifact_location: artifact(file),
                region: None,
            },
            message: None,
        }
    }
}

impl Region {
    fn of(place: &UserPlace) -> Region {
        Region {
            start_line: place.start.0,
            start_column: place.start.1,
            end_line: place.end.0,
            end_column: place.end.1,
        }
    }
}

/// A file as a URI: relative as it was named, so that a forge finds it in the repository, or absolute.
fn artifact(file: &str) -> ArtifactLocation {
    let mut parts = Vec::new();
    let mut start = "";
    for component in Path::new(file).components() {
        match component {
            Component::RootDir => start = "file:///",
            Component::CurDir => {}
            Component::ParentDir => parts.push("..".to_owned()),
            Component::Prefix(prefix) => parts.push(encoded(&prefix.as_os_str().to_string_lossy())),
            Component::Normal(part) => parts.push(encoded(&part.to_string_lossy())),
        }
    }
    ArtifactLocation {
        uri: format!("{start}{}", parts.join("/")),
    }
}

/// A part of a path as a URI has it (RFC 3986, §2): what is not unreserved becomes `%` and two digits a byte.
fn encoded(part: &str) -> String {
    let bytes = part.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    });
    bytes.collect()
}
