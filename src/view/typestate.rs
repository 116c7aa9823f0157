//! A typestate automaton: as a summary for a terminal, and as the pictures that EPAs have.

use crate::epa::diff::Change;
use crate::typestate::report::{Edge, State, Typestate};
use crate::words::counted;

use super::drawing::{self, Drawing, Hidden, Label, Look, Node, Status};
use super::escape::visible;
use super::picture::{self, Format};
use super::text::page::{Page, Style, columns};
use super::{Options, ViewError};

/// The mark of an edge that a call may not be able to take.
const DOUBT: (&str, &str) = (
    "?",
    "not certain: the analysis could not follow everything there, so the edge stays",
);

/// What the state is called that every object is in.
const ANY: &str = "any object";

/// Shows a typestate automaton. The text ends with a newline. Edges of which another edge says more are in the JSON
/// only, unless `all` is wanted.
///
/// # Errors
/// [`ViewError`]: one too large for the format.
pub fn render(
    typestate: &Typestate,
    format: Format,
    all: bool,
    options: &Options,
) -> Result<String, ViewError> {
    picture::render(
        format,
        typestate,
        || text(typestate, all, options),
        || Ok(automaton(typestate, all)),
        options,
    )
}

fn shown(edges: &[Edge], all: bool) -> impl Iterator<Item = &Edge> {
    edges.iter().filter(move |edge| all || !edge.implied)
}

/// `connect(snk) when snk == null`
fn label(edge: &Edge) -> String {
    let name = visible(&edge.name);
    // A constructor's name has the types of its parameters; the names say which the guard means.
    let params = match (edge.source.is_some(), edge.guard.is_empty()) {
        (true, _) => format!("({})", edge.params.join(", ")),
        (false, true) => String::new(),
        (false, false) => format!(" of {}", edge.params.join(", ")),
    };
    if edge.guard.is_empty() {
        return name + &visible(&params);
    }
    let guard: Vec<String> = edge.guard.iter().map(|g| visible(g)).collect();
    format!("{name}{} when {}", visible(&params), guard.join(" && "))
}

fn condition(state: &State) -> Vec<String> {
    if state.condition.is_empty() {
        return vec![ANY.into()];
    }
    state.condition.iter().map(|c| visible(c)).collect()
}

fn text(typestate: &Typestate, all: bool, options: &Options) -> String {
    let mut page = Page::new(options.width, options.colour);
    headline(typestate, &mut page);
    if !typestate.constructors.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Constructors")]);
        rows(typestate, shown(&typestate.constructors, all), &mut page);
    }
    for state in typestate
        .states
        .iter()
        .filter(|s| s.id != typestate.error())
    {
        page.blank();
        let mut head = vec![(Style::Heading, visible(&state.id))];
        if state.initial {
            head.push((Style::Faint, "(initial)".to_owned()));
        }
        let condition = condition(state).into_iter().map(|c| (Style::Plain, c));
        page.items(&head, "", &condition.collect::<Vec<_>>(), " &&");
        let within: Vec<(Style, String)> = typestate
            .epsilon
            .iter()
            .filter(|(from, _)| *from == state.id)
            .map(|(_, to)| (Style::Faint, visible(to)))
            .collect();
        if !within.is_empty() {
            page.items(&[(Style::Faint, "  is also in".into())], "", &within, ",");
        }
        let leaving = shown(&typestate.transitions, all);
        let leaving = leaving.filter(|e| e.source.as_deref() == Some(state.id.as_str()));
        rows(typestate, leaving, &mut page);
    }
    if !typestate.invariant.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Taken to be kept")]);
        for clause in &typestate.invariant {
            page.words(&[(Style::Plain, " ".into())], &visible(clause));
        }
    }
    if !typestate.notes.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Notes")]);
        for note in &typestate.notes {
            page.words(&[(Style::Plain, " ".into())], &visible(note));
        }
    }
    statistics(typestate, &mut page);
    let doubts = typestate.constructors.iter().chain(&typestate.transitions);
    if doubts.into_iter().any(|e| e.doubt.is_some()) {
        page.blank();
        page.line(&[(Style::Heading, "Legend")]);
        page.words(
            &[(Style::Plain, " ".into())],
            &format!("{}  {}", DOUBT.0, DOUBT.1),
        );
    }
    page.finish()
}

fn headline(typestate: &Typestate, page: &mut Page) {
    page.line(&[(Style::Title, &visible(&typestate.class))]);
    if !typestate.finite {
        let states = typestate.states.len() + typestate.stats.unreachable;
        let verdict = format!("not finitely abstractable within {states} states: this is a part");
        page.line(&[(Style::Warning, &verdict)]);
    }
    let implied = typestate.transitions.iter().filter(|e| e.implied).count();
    let edges = match implied {
        0 => counted(typestate.transitions.len(), "edge"),
        n => format!(
            "{} ({n} implied)",
            counted(typestate.transitions.len(), "edge")
        ),
    };
    let all = [
        format!(
            "{} with the error",
            counted(typestate.states.len(), "state")
        ),
        edges,
        counted(typestate.constructors.len(), "constructor edge"),
        counted(typestate.actions.len(), "action"),
    ];
    page.items(&[], "", &all.map(|text| (Style::Plain, text)), ",");
    page.line(&[(Style::Faint, &format!("mode {}", typestate.mode))]);
}

/// An edge a line, its target first; those into the error before the others.
fn rows<'e>(typestate: &Typestate, edges: impl Iterator<Item = &'e Edge>, page: &mut Page) {
    let mut rows: Vec<(Style, String, String)> = Vec::new();
    for edge in edges {
        let (style, mark) = match (&edge.doubt, edge.target == typestate.error()) {
            (Some(_), _) => (Style::Warning, format!(" {}", DOUBT.0)),
            (None, true) => (Style::Removed, String::new()),
            (None, false) => (Style::Plain, String::new()),
        };
        let target = format!("{}{mark}", visible(&edge.target));
        rows.push((style, target, label(edge)));
    }
    rows.sort_by_key(|(_, target, _)| !target.starts_with(typestate.error()));
    let column = rows.iter().map(|(_, target, _)| columns(target)).max();
    for (style, target, label) in rows {
        let pad = " ".repeat(column.unwrap_or(0).saturating_sub(columns(&target)));
        page.words(&[(style, format!("  → {target}{pad}"))], &label);
    }
}

fn statistics(typestate: &Typestate, page: &mut Page) {
    let stats = &typestate.stats;
    page.blank();
    page.line(&[(Style::Heading, "Statistics")]);
    let preconditions = match stats.certified {
        None => format!("{}, not certified", stats.preconditions),
        Some(n) if n == stats.preconditions => format!("{n}, all certified"),
        Some(n) => format!("{}, {n} certified", stats.preconditions),
    };
    let rows = [
        ("preconditions", preconditions),
        ("solver questions", stats.questions.to_string()),
        ("unreachable states", stats.unreachable.to_string()),
        ("time", format!("{} ms", stats.wall_ms)),
    ];
    for (name, text) in rows {
        page.line(&[(Style::Plain, &format!("  {name:18}  {text}"))]);
    }
}

/// The automaton made ready for drawing.
fn automaton(typestate: &Typestate, all: bool) -> Drawing {
    let mut nodes: Vec<Node> = Vec::new();
    let mut starts: Vec<&str> = Vec::new();
    for edge in shown(&typestate.constructors, all) {
        if !starts.contains(&edge.name.as_str()) {
            starts.push(&edge.name);
            nodes.push(Node::Start {
                constructors: vec![visible(&edge.name)],
            });
        }
    }
    let first = nodes.len();
    for state in &typestate.states {
        nodes.push(if state.id == typestate.error() {
            Node::Exception {
                name: visible(&state.id),
            }
        } else {
            Node::State {
                id: visible(&state.id),
                enabled: condition(state),
                initial: state.initial,
                change: Change::Same,
                refuted: false,
                run: Vec::new(),
            }
        });
    }
    let state = |id: &str| {
        let found = typestate.states.iter().position(|s| s.id == id);
        found.map(|index| first + index)
    };
    let start = |name: &str| starts.iter().position(|s| *s == name);
    let mut edges: Vec<drawing::Edge> = Vec::new();
    let constructors = shown(&typestate.constructors, all);
    for edge in constructors.chain(shown(&typestate.transitions, all)) {
        let source = match &edge.source {
            Some(source) => state(source),
            None => start(&edge.name),
        };
        let (Some(source), Some(target)) = (source, state(&edge.target)) else {
            continue;
        };
        let look = Look {
            maybe: edge.doubt.is_some(),
            exceptional: edge.target == typestate.error(),
            status: Status::Plain,
            change: Change::Same,
        };
        let name = match (&edge.source, edge.guard.is_empty()) {
            (None, true) => None,
            (None, false) => Some(format!("when {}", edge.guard.join(" && "))),
            _ => Some(label(edge)),
        };
        let label = name.map(|name| Label {
            difference: drawing::Difference::default(),
            name: visible(&name),
            marks: edge.doubt.iter().map(|_| DOUBT.0).collect(),
            action: edge.source.as_ref().map(|_| edge.name.clone()),
            transition: None,
            refuted: None,
            violates: false,
            reason: edge.doubt.clone(),
            found: Vec::new(),
        });
        let same = |e: &&mut drawing::Edge| (e.source, e.target, e.look) == (source, target, look);
        match edges.iter_mut().find(same) {
            Some(known) => known.labels.extend(label),
            None => edges.push(drawing::Edge {
                source,
                target,
                look,
                labels: label.into_iter().collect(),
                found: Vec::new(),
            }),
        }
    }
    for (from, to) in &typestate.epsilon {
        // What follows from two others is not drawn.
        let known =
            |a: &String, b: &String| typestate.epsilon.iter().any(|(x, y)| x == a && y == b);
        if typestate
            .states
            .iter()
            .any(|s| known(from, &s.id) && known(&s.id, to))
        {
            continue;
        }
        let (Some(source), Some(target)) = (state(from), state(to)) else {
            continue;
        };
        edges.push(within(source, target));
    }
    let doubts = typestate.constructors.iter().chain(&typestate.transitions);
    let doubtful = doubts.into_iter().any(|e| e.doubt.is_some());
    Drawing {
        class: visible(&typestate.class),
        title: format!("Typestates of {}", visible(&typestate.class)),
        nodes,
        edges,
        legend: doubtful.then_some(DOUBT).into_iter().collect(),
        hidden: Hidden::default(),
        second_pass: Vec::new(),
    }
}

/// The edge that says that who is in the one state is in the other.
fn within(source: usize, target: usize) -> drawing::Edge {
    drawing::Edge {
        source,
        target,
        look: Look {
            maybe: true,
            exceptional: false,
            status: Status::Plain,
            change: Change::Same,
        },
        labels: vec![Label {
            difference: drawing::Difference::default(),
            name: "is also in".into(),
            marks: Vec::new(),
            action: None,
            transition: None,
            refuted: None,
            violates: false,
            reason: None,
            found: Vec::new(),
        }],
        found: Vec::new(),
    }
}
