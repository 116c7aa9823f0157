//! `tranquera java`

use std::path::PathBuf;

use serde::Serialize;

use crate::front::java::input::{self, JavaInput, JavaRequest};
use crate::front::java::protocol::RefusalKind;
use crate::front::java::protocol::list::{self, LeftOut, List, ListedClass, ListedRefusal};

use super::front::JavaArguments;
use super::output::{self, ReportFormat, TextOutput};
use super::{Failure, interrupt};

/// The name and version of the JSON format.
const SCHEMA: &str = "tranquera/java/1";
/// So many classes that cannot be read are named; what is wrong with more of them is the same.
const NAMED: usize = 10;

#[derive(Debug, clap::Args)]
pub(super) struct JavaListArguments {
    /// Jars, folders, class files, a JDK (its folder, its lib/modules, a .jmod), Java sources
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// List the classes: how many actions each has, and whether it has a protocol; this is done in any case
    #[arg(long)]
    list: bool,
    /// List only classes with a protocol
    #[arg(long)]
    with_protocol: bool,
    /// List only the classes of this package: java.io; those of packages below it are others
    #[arg(long, value_name = "NAME")]
    package: Vec<String>,
    #[command(flatten)]
    places: JavaArguments,
    /// How to print it
    #[arg(long, short, value_enum, default_value_t)]
    format: ReportFormat,
    #[command(flatten)]
    output: TextOutput,
}

/// The list as JSON.
#[derive(Serialize)]
struct JavaReport<'a> {
    schema: &'static str,
    classes: &'a [ListedClass],
    left_out: &'a LeftOut,
    unreadable: Vec<String>,
}

pub(super) fn run(arguments: &JavaListArguments) -> Result<(), Failure> {
    for path in &arguments.paths {
        arguments.output.spare(&[path])?;
    }
    let mut opened = open(arguments)?;
    (opened.named).retain(|class| class.is_of(&arguments.package));
    let mut list = list::list(&opened.world, &opened.named);
    interrupt::check()?;
    complain(&opened, &list);
    let all = list.entries.len();
    if arguments.with_protocol {
        list.entries.retain(ListedClass::has_protocol);
    }
    let text = match arguments.format {
        ReportFormat::Text => listed(&list, all),
        ReportFormat::Json => output::json(&JavaReport {
            schema: SCHEMA,
            classes: &list.entries,
            left_out: &list.left_out,
            unreadable: list.unreadable.iter().map(ToString::to_string).collect(),
        })?,
    };
    arguments.output.write(&text)
}

/// Opens what a user named.
fn open(arguments: &JavaListArguments) -> Result<JavaInput, Failure> {
    let places = arguments.places.places();
    let request = JavaRequest {
        paths: &arguments.paths,
        class_path: &places.class_path,
        jdk: places.jdk.as_deref(),
    };
    input::open(&request).map_err(|error| Failure::BadInput(format!("error: {error}")))
}

/// Says what was not looked into, and what could not be.
fn complain(opened: &JavaInput, list: &List) {
    for remark in &opened.remarks {
        output::complain(&format!("note: {remark}"));
    }
    for unreadable in list.unreadable.iter().take(NAMED) {
        output::complain(&format!("warning: {unreadable}"));
    }
    let more = list.unreadable.len().saturating_sub(NAMED);
    if more > 0 {
        output::complain(&format!("warning: {more} more cannot be read"));
    }
    let without = list.entries.iter().find_map(|entry| entry.missing.as_ref());
    if let Some(class) = without.filter(|_| !opened.with_jdk) {
        output::complain(&format!(
            "note: there is no JDK here, so {class} and the like are not known\nhelp: name one with --jdk"
        ));
    }
}

/// A class a line. A field with `?` behind it holds an object that decides; one with `=` never changes.
fn listed(list: &List, all: usize) -> String {
    let widths = list.entries.iter().map(|entry| entry.class.chars().count());
    let width = widths.max().unwrap_or(0);
    let mut lines: Vec<String> = (list.entries.iter())
        .map(|entry| line(entry, width))
        .collect();
    let with = (list.entries.iter())
        .filter(|entry| entry.has_protocol())
        .count();
    let others = list.left_out.interfaces + list.left_out.enums + list.left_out.exceptions;
    let others = match others {
        0 => String::new(),
        others => format!("; interfaces, enums and exceptions are not listed ({others})"),
    };
    lines.push(format!("{with} of {all} classes have a protocol{others}"));
    lines.join("\n") + "\n"
}

fn line(entry: &ListedClass, width: usize) -> String {
    let actions = crate::words::counted(entry.actions, "action");
    let guards: Vec<String> = entry.protocol.iter().map(shown).collect();
    let protocol = if guards.is_empty() {
        "-".to_owned()
    } else {
        guards.join("; ")
    };
    let missing = (entry.missing.iter())
        .map(|class| format!("  [without {class}, which is not there]"))
        .chain((entry.refused > 0).then(|| format!("  [without {}]", bodies(entry.refused))));
    let missing: String = missing.collect();
    format!("{:width$}  {actions:>11}  {protocol}{missing}", entry.class)
}

fn bodies(count: usize) -> String {
    let those = if count == 1 { "body" } else { "bodies" };
    format!("{count} {those} of methods that cannot be read")
}

/// `IOException (closed, sink)`, `written down (size)`
fn shown(guard: &ListedRefusal) -> String {
    let name = guard.exception.as_deref().unwrap_or("written down");
    let exception = name.rsplit('.').next().unwrap_or(name);
    let mark = match guard.kind {
        RefusalKind::Own => "",
        RefusalKind::Helper => "?",
        RefusalKind::Fixed => "=",
    };
    let fields = guard.fields.iter().map(|field| format!("{field}{mark}"));
    let fields: Vec<String> = fields.collect();
    format!("{exception} ({})", fields.join(", "))
}
