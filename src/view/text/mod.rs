//! The EPA as a summary for a terminal.

pub(super) mod page;

use std::collections::BTreeMap;

use super::drawing::{self, MAYBE, REFUTED, UNCONFIRMED, VIOLATES, status_mark};
use super::escape::visible;
use super::{ViewError, ViewOptions, second_pass};
use crate::ask::QueryCounts;
use crate::epa::Epa;
use crate::epa::wire::{Certainty, Confirmation, Transition};
use crate::words::counted;
use page::{Style, TextPage};

/// Writes the summary.
///
/// # Errors
///
/// [`ViewError::UnknownState`] where an edge ends at a state that is not listed.
pub(super) fn render(epa: &Epa, options: &ViewOptions) -> Result<String, ViewError> {
    // The same check as for pictures: an edge to nowhere is an error in every view for people.
    let hidden = drawing::Drawing::of(epa, options)?.hidden;
    let mut page = TextPage::new(options.width, options.colour);
    headline(epa, &mut page);
    constructors(epa, options, &mut page);
    states(epa, options, &mut page);
    for sentence in hidden.sentences() {
        page.blank();
        page.line(&[(Style::Faint, &sentence)]);
    }
    findings(epa, &mut page);
    doubts(epa, options, &mut page);
    page.section("Refuted", &refuted(epa, options));
    let notes: Vec<String> = epa.notes.iter().map(|note| visible(note)).collect();
    page.section("Notes", &notes);
    statistics(epa, &mut page);
    page.section("Legend", &legend(epa, options));
    Ok(page.finish())
}

fn headline(epa: &Epa, page: &mut TextPage) {
    page.line(&[(Style::Title, &visible(&epa.class))]);
    let maybe = epa
        .transitions
        .iter()
        .filter(|t| t.verdict == Certainty::Maybe)
        .count();
    let initial = epa.states.iter().filter(|s| s.initial).count();
    let transitions = match maybe {
        0 => counted(epa.transitions.len(), "transition"),
        n => format!(
            "{} ({n} uncertain)",
            counted(epa.transitions.len(), "transition")
        ),
    };
    let all = [
        format!("{} ({initial} initial)", counted(epa.states.len(), "state")),
        transitions,
        counted(epa.constructors.len(), "constructor edge"),
        counted(epa.actions.len(), "action"),
    ];
    page.items(&[], "", &all.map(|text| (Style::Plain, text)), ",");
    let stats = &epa.stats;
    let how = [
        format!("engine {}", visible(&stats.engine)),
        format!("strategy {}", visible(&stats.strategy)),
        format!("recursion bound {}", stats.recursion_bound),
    ];
    page.items(&[], "", &how.map(|text| (Style::Faint, text)), ",");
}

fn constructors(epa: &Epa, options: &ViewOptions, page: &mut TextPage) {
    let mut rows: Vec<(String, Vec<(Style, String)>)> = Vec::new();
    for edge in epa
        .constructors
        .iter()
        .filter(|e| options.exceptional || e.exception.is_none())
    {
        let mut name = visible(&edge.name);
        if let Some(exception) = &edge.exception {
            name.push_str(&format!(" ! {}", visible(exception)));
        }
        let marks = Marks::new(
            edge.verdict,
            edge.violates_invariant,
            edge.confirmation.as_ref(),
        );
        let target = edge
            .target
            .as_deref()
            .map_or_else(|| "no object".to_owned(), visible);
        add(&mut rows, name, marks.target(target));
    }
    if !rows.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Constructors")]);
        table(page, &rows);
    }
}

fn states(epa: &Epa, options: &ViewOptions, page: &mut TextPage) {
    let idle = drawing::idle_actions(epa);
    let shown = |t: &&Transition| {
        (options.exceptional || t.exception.is_none())
            && (options.idle_loops || t.exception.is_some() || !idle.contains(t.action.as_str()))
    };
    let mut leaving: BTreeMap<&str, Vec<&Transition>> = BTreeMap::new();
    for transition in epa.transitions.iter().filter(shown) {
        leaving
            .entry(&transition.source)
            .or_default()
            .push(transition);
    }
    for state in &epa.states {
        page.blank();
        let mut head = vec![(Style::Heading, visible(&state.id))];
        if state.initial {
            head.push((Style::Faint, "(initial)".to_owned()));
        }
        let dead = (Style::Warning, "nothing can be called".to_owned());
        if state.enabled.is_empty() {
            head.push((Style::Plain, "{}".to_owned()));
            head.push(dead);
            page.items(&[], "", &head, "");
        } else {
            let names: Vec<_> = state
                .enabled
                .iter()
                .map(|a| (Style::Plain, visible(a)))
                .collect();
            head.extend(epa.is_dead(state).then_some(dead));
            page.items(&head, "{", &names, ",");
            page.append("}");
        }
        let mut rows: Vec<(String, Vec<(Style, String)>)> = Vec::new();
        for transition in leaving.remove(state.id.as_str()).unwrap_or_default() {
            let marks = Marks::new(
                transition.verdict,
                transition.violates_invariant,
                transition.confirmation.as_ref(),
            );
            add(
                &mut rows,
                drawing::name_of(transition),
                marks.target(visible(&transition.target)),
            );
        }
        table(page, &rows);
    }
}

/// Adds a target to the row of this name, or begins one.
fn add(rows: &mut Vec<(String, Vec<(Style, String)>)>, name: String, target: (Style, String)) {
    match rows.iter_mut().find(|(known, _)| *known == name) {
        Some((_, targets)) => targets.push(target),
        None => rows.push((name, vec![target])),
    }
}

/// Rows of a name and its targets, the arrows below one another.
fn table(page: &mut TextPage, rows: &[(String, Vec<(Style, String)>)]) {
    let longest = rows
        .iter()
        .map(|(name, _)| page::columns(name))
        .max()
        .unwrap_or(0);
    let column = longest.min(page.width() / 2);
    for (name, targets) in rows {
        let pad = " ".repeat(column.saturating_sub(page::columns(name)));
        page.items(
            &[(Style::Plain, format!("  {name}{pad}"))],
            "→ ",
            targets,
            ",",
        );
    }
}

/// The marks of an edge.
struct Marks {
    maybe: bool,
    violates: bool,
    status: drawing::Status,
}

impl Marks {
    fn new(verdict: Certainty, violates: bool, confirmation: Option<&Confirmation>) -> Marks {
        let status = drawing::status(confirmation);
        Marks {
            maybe: verdict == Certainty::Maybe,
            violates,
            status,
        }
    }

    fn all(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let list = [
            self.maybe.then_some(MAYBE),
            self.violates.then_some(VIOLATES),
            status_mark(self.status),
        ];
        list.into_iter().flatten()
    }

    /// A target with the marks behind it.
    fn target(&self, id: String) -> (Style, String) {
        let marks: Vec<&str> = self.all().map(|(mark, _)| mark).collect();
        match marks.as_slice() {
            [] => (Style::Plain, id),
            marks => (Style::Warning, format!("{id} {}", marks.join(" "))),
        }
    }
}

fn findings(epa: &Epa, page: &mut TextPage) {
    if epa.findings.is_empty() {
        return;
    }
    page.blank();
    page.line(&[(Style::Heading, "Findings")]);
    for finding in &epa.findings {
        let kind = format!("  {}:", visible(&finding.kind));
        page.words(&[(Style::Warning, kind)], &visible(&finding.message));
    }
}

/// Why the uncertain edges are uncertain, a line a reason.
fn doubts(epa: &Epa, options: &ViewOptions, page: &mut TextPage) {
    let transitions = epa
        .transitions
        .iter()
        .filter(|t| t.verdict == Certainty::Maybe && (options.exceptional || t.exception.is_none()))
        .map(|t| {
            let edge = format!(
                "{} {} → {}",
                visible(&t.source),
                drawing::name_of(t),
                visible(&t.target)
            );
            (edge, &t.reason)
        });
    let constructors = epa
        .constructors
        .iter()
        .filter(|c| c.verdict == Certainty::Maybe && (options.exceptional || c.exception.is_none()))
        .map(|c| {
            let end = c.target.as_deref().map(visible);
            let end = end.or_else(|| c.exception.as_deref().map(|e| format!("! {}", visible(e))));
            (
                format!("{} → {}", visible(&c.name), end.unwrap_or_default()),
                &c.reason,
            )
        });
    let mut rows: Vec<(String, Vec<(Style, String)>)> = Vec::new();
    for (edge, reason) in constructors.chain(transitions) {
        let reason = reason
            .as_deref()
            .map_or_else(|| "no reason given".to_owned(), visible);
        add(&mut rows, reason, (Style::Plain, edge));
    }
    if rows.is_empty() {
        return;
    }
    page.blank();
    page.line(&[(Style::Heading, "Not certain")]);
    for (reason, edges) in &rows {
        page.words(&[(Style::Warning, "  ?".to_owned())], reason);
        page.items(&[(Style::Plain, "   ".to_owned())], "", edges, ",");
    }
}

/// What the second pass took out of the EPA, and the invariant that shows why, as it would be written in the class.
fn refuted(epa: &Epa, options: &ViewOptions) -> Vec<String> {
    let Some(refuted) = &epa.refuted else {
        return vec![];
    };
    let target = |id: &Option<String>| id.as_deref().map_or_else(String::new, visible);
    let shown = |exception: &Option<String>| options.exceptional || exception.is_none();
    let constructors = refuted.constructors.iter().filter(|c| shown(&c.exception));
    let constructors =
        constructors.map(|c| format!("{} → {}", visible(&c.name), target(&c.target)));
    let transitions = refuted
        .transitions
        .iter()
        .filter(|t| shown(&t.exception))
        .map(|t| {
            let (source, end) = (visible(&t.source), visible(&t.target));
            format!("{source} {} → {end}", drawing::name_of(t))
        });
    let states = refuted.states.iter().map(|s| {
        let enabled: Vec<String> = s.enabled.iter().map(|a| visible(a)).collect();
        format!(
            "{} {{{}}}: no object is ever in it",
            visible(&s.id),
            enabled.join(", ")
        )
    });
    let invariant = refuted.invariant.iter();
    let invariant = invariant.map(|clause| format!("invariant {};", visible(clause)));
    constructors
        .chain(transitions)
        .chain(states)
        .chain(invariant)
        .collect()
}

fn statistics(epa: &Epa, page: &mut TextPage) {
    let stats = &epa.stats;
    page.blank();
    page.line(&[(Style::Heading, "Statistics")]);
    let mut rows = vec![("questions".to_owned(), counts(&stats.queries))];
    let kinds = stats.queries_by_kind.iter();
    rows.extend(kinds.map(|(kind, c)| (format!("  {}", visible(kind)), counts(c))));
    rows.extend(second_pass::counts(epa).map(|text| ("second pass".to_owned(), text)));
    rows.push(("precision".to_owned(), percent(stats.precision)));
    rows.push(("time".to_owned(), duration(stats.wall_ms)));
    let column = rows
        .iter()
        .map(|(name, _)| page::columns(name))
        .max()
        .unwrap_or(0)
        + 1;
    for (name, text) in rows {
        let pad = " ".repeat(column.saturating_sub(page::columns(&name)));
        page.words(&[(Style::Plain, format!("  {name}{pad}"))], &text);
    }
}

/// `48: 30 reached, 18 unreachable`: all questions, then the answers that occur.
fn counts(counts: &QueryCounts) -> String {
    let answers = [
        (counts.reached, "reached"),
        (counts.unreachable, "unreachable"),
        (counts.bound_hit, "bound hit"),
        (counts.unknown, "unknown"),
    ];
    let occurring = answers
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, answer)| format!("{n} {answer}"));
    match occurring.collect::<Vec<_>>().join(", ") {
        answers if answers.is_empty() => counts.total.to_string(),
        answers => format!("{}: {answers}", counts.total),
    }
}

/// A share in percent, rounded down, so that 100 % means all.
fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).floor();
    if tenths % 10.0 == 0.0 {
        format!("{:.0} %", tenths / 10.0)
    } else {
        format!("{:.1} %", tenths / 10.0)
    }
}

fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// The marks that occur, with what they mean.
fn legend(epa: &Epa, options: &ViewOptions) -> Vec<String> {
    let shown = |exception: &Option<String>| options.exceptional || exception.is_none();
    let transitions = epa
        .transitions
        .iter()
        .filter(|t| shown(&t.exception))
        .map(|t| Marks::new(t.verdict, t.violates_invariant, t.confirmation.as_ref()));
    let constructors = epa
        .constructors
        .iter()
        .filter(|c| shown(&c.exception))
        .map(|c| Marks::new(c.verdict, c.violates_invariant, c.confirmation.as_ref()));
    let occurring: Vec<_> = constructors
        .chain(transitions)
        .flat_map(|m| m.all().collect::<Vec<_>>())
        .collect();
    [MAYBE, VIOLATES, UNCONFIRMED, REFUTED]
        .into_iter()
        .filter(|mark| occurring.contains(mark))
        .map(|(mark, meaning)| format!("{mark}  {meaning}"))
        .collect()
}
