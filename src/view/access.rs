//! Who can call what in which state: a list for a terminal, a table for a document.

use serde::Serialize;

use super::ViewOptions;
use super::escape::{self, visible};
use super::text::page::{Style, TextPage, columns};
use crate::epa::access::{
    AccessMatrix, CallAccess, CallerRequirement, Possible, StateAccess, ToldCall,
};
use crate::words::counted;

/// What is said of it all, in each format.
const MEANING: &str = "Who is not named cannot make the call in that state, whatever happened before. `?`: that could not be \
                       decided.";

/// Writes the list.
pub fn text(matrix: &AccessMatrix, options: &ViewOptions) -> String {
    let mut page = TextPage::new(options.width, options.colour);
    page.line(&[(Style::Title, &visible(&matrix.class))]);
    let roles = match matrix.roles.as_slice() {
        [] => "no roles: it asks nobody who he is".to_owned(),
        roles => format!("{}: {}", counted(roles.len(), "role"), shown(roles)),
    };
    page.words(&[], &roles);
    for state in &matrix.states {
        page.blank();
        let head = format!("{}{}", visible(&state.id), initial(state));
        page.line(&[(Style::Heading, &head)]);
        if state.calls.is_empty() {
            page.append(" nobody can call anything");
        }
        let names = state
            .calls
            .iter()
            .map(|call| columns(&visible(&call.action)));
        let width = names.max().unwrap_or(0);
        for call in &state.calls {
            let action = visible(&call.action);
            let blanks = " ".repeat(width.saturating_sub(columns(&action)));
            let head = format!("  {action}{blanks} ");
            let who = who(call, matrix);
            page.words(&[(Style::Plain, head)], &visible(&who));
        }
    }
    let besides = matrix.actions.iter().filter_map(condition);
    let besides: Vec<String> = besides.map(|text| visible(&text)).collect();
    page.section("Besides", &besides);
    let findings = matrix.findings();
    if !findings.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Findings")]);
    }
    for finding in findings {
        page.words(
            &[(Style::Warning, format!("  {}:", finding.kind))],
            &visible(&finding.message),
        );
        for line in lines(finding.run) {
            page.words(&[(Style::Plain, "   ".into())], &visible(&line));
        }
    }
    page.section("Legend", &[MEANING.to_owned()]);
    page.finish()
}

/// Who can call what, as a table: a row an action, a column a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccessTable {
    /// The states' ids.
    pub states: Vec<String>,
    /// A row for each action.
    pub rows: Vec<AccessRow>,
    /// What the table says.
    pub meaning: &'static str,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccessRow {
    /// The action.
    pub action: String,
    /// Who can call it, for each state; empty where nobody can.
    pub who: Vec<String>,
    /// What it asks of its sender besides his role, as a sentence.
    pub condition: Option<String>,
}

impl AccessTable {
    /// The table of a class.
    pub fn of(matrix: &AccessMatrix) -> AccessTable {
        let states = matrix.states.iter().map(|state| state.id.clone());
        let rows = matrix.actions.iter().map(|action| {
            let calls = matrix.states.iter().map(|state| {
                let call = state.calls.iter().find(|call| call.action == action.name);
                call.map_or(String::new(), |call| who(call, matrix))
            });
            AccessRow {
                action: action.name.clone(),
                who: calls.collect(),
                condition: condition(action),
            }
        });
        AccessTable {
            states: states.collect(),
            rows: rows.collect(),
            meaning: MEANING,
        }
    }

    fn conditions(&self) -> Vec<String> {
        let rows = self.rows.iter();
        rows.filter_map(|row| row.condition.clone()).collect()
    }
}

/// Writes the table: a row an action, a column a state.
pub fn markdown(matrix: &AccessMatrix) -> String {
    let mut out = format!(
        "# {}: who can call what\n\n",
        escape::markdown(&matrix.class)
    );
    let heads = matrix.states.iter().map(|state| {
        let head = escape::markdown(&state.id);
        format!(" {head}{} |", initial(state))
    });
    let heads: Vec<String> = heads.collect();
    out.push_str(&format!(
        "| function |{}\n|---|{}\n",
        heads.concat(),
        "---|".repeat(heads.len())
    ));
    let table = AccessTable::of(matrix);
    for row in &table.rows {
        out.push_str(&format!("| {} |", escape::markdown(&row.action)));
        for who in &row.who {
            out.push_str(&format!(" {} |", escape::markdown(who)));
        }
        out.push('\n');
    }
    out.push_str(&format!("\n{} An empty cell: nobody.\n", table.meaning));
    list("Besides", &table.conditions(), &mut out);
    let findings = matrix.findings().into_iter().map(|finding| {
        let run = lines(finding.run).into_iter();
        let steps = run.map(|line| format!("\n  {}", escape::markdown(&line)));
        escape::markdown(&finding.message) + &steps.collect::<String>()
    });
    items("Findings", findings.collect(), &mut out);
    out
}

fn list(heading: &str, lines: &[String], out: &mut String) {
    let escaped = lines.iter().map(|line| escape::markdown(line));
    items(heading, escaped.collect(), out);
}

fn items(heading: &str, items: Vec<String>, out: &mut String) {
    if items.is_empty() {
        return;
    }
    out.push_str(&format!("\n## {heading}\n\n"));
    for item in items {
        out.push_str(&format!("- {item}\n"));
    }
}

fn initial(state: &StateAccess) -> &'static str {
    match state.initial {
        true => " (initial)",
        false => "",
    }
}

fn shown(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| visible(name)).collect();
    names.join(", ")
}

/// Who can make a call, with a mark where more is asked of him than a role.
fn who(call: &CallAccess, matrix: &AccessMatrix) -> String {
    let mut actions = matrix.actions.iter();
    let asks_more = actions.any(|a| a.name == call.action && !a.conditions.is_empty());
    by_roles(call) + if asks_more { "*" } else { "" }
}

/// Whose roles let him make a call: `owner`, `anyone`, `anyone but owner`.
fn by_roles(call: &CallAccess) -> String {
    let named = |wanted: fn(Possible) -> bool| -> Vec<String> {
        let roles = call.roles.iter().filter(|role| wanted(role.can));
        let names = roles.map(|role| match role.can {
            Possible::Maybe => format!("{}?", role.role),
            _ => role.role.clone(),
        });
        names.collect()
    };
    let (can, cannot) = (
        named(|can| can != Possible::No),
        named(|can| can == Possible::No),
    );
    match call.others {
        Possible::Yes if cannot.is_empty() => "anyone".to_owned(),
        Possible::Yes => format!("anyone but {}", cannot.join(", ")),
        Possible::Maybe => [can, vec!["others?".to_owned()]].concat().join(", "),
        Possible::No if !can.is_empty() => can.join(", "),
        // Who is several at once.
        Possible::No if !call.together.is_empty() => call.together.join(" = "),
        Possible::No => "nobody".to_owned(),
    }
}

/// What a call asks of its sender besides his role, as a sentence.
fn condition(action: &CallerRequirement) -> Option<String> {
    let conditions = action.conditions.join(", and ");
    (!conditions.is_empty()).then(|| format!("* {} requires {conditions}", action.name))
}

/// A run, a line a call.
fn lines(run: &[ToldCall]) -> Vec<String> {
    let numbered = run.iter().map(ToldCall::words).zip(1_usize..);
    numbered
        .map(|(call, number)| format!("{number}. {call}"))
        .collect()
}
