//! What an engine's trace says of a configuration and a call, for people: names and values.

use serde::Serialize;

use crate::encode::question::EncodedQuestion;
use crate::encode::{Encoding, Probe, Step};
use crate::ir::{RoutineRef, Type};
use crate::query::{Recorded, Trace};

use super::replay::value;
pub use super::run::Named;

/// A call that answers a question, or a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Witness {
    /// The fields where the question begins. A constructor starts from arbitrary ones, so they are left out.
    pub before: Vec<Named>,
    /// The arguments.
    pub arguments: Vec<Named>,
    /// The fields where the question ends; none where nothing is called.
    pub after: Vec<Named>,
    /// Whether what was watched at the beginning held there.
    #[serde(skip)]
    pub held_before: Vec<bool>,
    /// Whether what was watched at the end held there.
    #[serde(skip)]
    pub held_after: Vec<bool>,
}

impl Witness {
    /// Reads the answer to a probe off its trace; none where the trace does not have all values.
    pub(super) fn of(
        encoding: &Encoding<'_>,
        probe: &Probe,
        encoded: &EncodedQuestion,
        trace: &Trace,
    ) -> Option<Witness> {
        let values = &trace.values;
        let before = values.get(..encoded.before.len())?;
        let behind = encoded.before.len() + probe.watched_before.len();
        let held_before = values.get(encoded.before.len()..behind)?;
        let last = values.len().checked_sub(probe.watched_after.len())?;
        let held_after = values.get(last..)?;
        let first = last.checked_sub(encoded.after.len())?;
        let after = values.get(first.max(behind)..last)?;
        let (fields, arguments) = split(encoding, probe, before)?;
        let constructs = matches!(probe.step, Some(Step::Construct { .. }));
        Some(Witness {
            before: if constructs { Vec::new() } else { fields },
            arguments,
            after: if probe.made {
                split(encoding, probe, after)?.0
            } else {
                Vec::new()
            },
            held_before: truths(held_before),
            held_after: truths(held_after),
        })
    }

    /// `x = 1, y = true, called with n = 3`; empty where there is nothing to say.
    pub fn start_words(&self) -> String {
        match (self.before.is_empty(), self.arguments.is_empty()) {
            (true, true) => String::new(),
            (false, true) => words(&self.before),
            (true, false) => format!("called with {}", words(&self.arguments)),
            (false, false) => {
                format!(
                    "{}, called with {}",
                    words(&self.before),
                    words(&self.arguments)
                )
            }
        }
    }

    /// The fields at the end that are not as they were at the beginning.
    pub fn changed(&self) -> Vec<&Named> {
        let same = |n: &&Named| !self.before.contains(n);
        self.after.iter().filter(same).collect()
    }
}

/// `x = 1, y = true`
pub fn words<'n>(values: impl IntoIterator<Item = &'n Named>) -> String {
    let texts: Vec<String> = values
        .into_iter()
        .map(|n| format!("{} = {}", n.name, n.value))
        .collect();
    texts.join(", ")
}

fn truths(recorded: &[Recorded]) -> Vec<bool> {
    let values = recorded.iter();
    values
        .map(|r| r.value.eq_ignore_ascii_case("true"))
        .collect()
}

/// The fields, and behind them the parameters. Values of types that are not recorded are left out.
fn split(
    encoding: &Encoding<'_>,
    probe: &Probe,
    recorded: &[Recorded],
) -> Option<(Vec<Named>, Vec<Named>)> {
    let program = encoding.source();
    let mut values = recorded.iter();
    let mut named = |name: &str, ty: &Type| -> Option<Option<Named>> {
        if matches!(ty, Type::Map(..) | Type::Opaque(_)) {
            return Some(None);
        }
        let recorded = values.next()?;
        Some(Some(Named {
            name: name.to_owned(),
            value: shown(encoding, ty, &recorded.value),
        }))
    };
    let mut fields = Vec::new();
    for field in &program.class(encoding.class()).fields {
        fields.extend(named(&field.name, &field.ty)?);
    }
    let mut arguments = Vec::new();
    if let Some(routine) = called(encoding, probe) {
        for param in &program.routine(routine).params {
            let declared = program.var(*param);
            // The values at the end have no parameters behind them.
            if let Some(found) = named(&declared.name, &declared.ty) {
                arguments.extend(found);
            }
        }
    }
    Some((fields, arguments))
}

fn called(encoding: &Encoding<'_>, probe: &Probe) -> Option<RoutineRef> {
    match probe.step.as_ref()? {
        Step::Construct { constructor, .. } => encoding.constructors[*constructor].routine,
        Step::Call { action, .. } => Some(encoding.actions[*action].routine),
    }
}

fn shown(encoding: &Encoding<'_>, ty: &Type, recorded: &str) -> String {
    let program = encoding.source();
    match value(ty, recorded) {
        // An engine's number for a member may be any.
        Some(crate::interp::Value::Member(id, index)) => {
            program.enums[id.0].members.get(index).map_or_else(
                || recorded.to_owned(),
                |m| format!("{}.{m}", program.enums[id.0].name),
            )
        }
        Some(value) => value.display(program),
        None if matches!(ty, Type::Class { .. } | Type::Array { .. }) => "a reference".to_owned(),
        None => recorded.to_owned(),
    }
}
