//! The interface as a text.

mod bounds;

use super::super::ViewOptions;
use super::super::escape::visible;
use super::super::text::page::{Style, TextPage};
use super::never;
use crate::interface::model::{
    Artefact, Certificate, Interface, InterfaceState, InterfaceStats, InterfaceWitness, Permissive,
    Prohibition,
};
use crate::words::counted;

/// Writes the text.
pub(super) fn render(interface: &Interface, options: &ViewOptions) -> String {
    let mut page = TextPage::new(options.width, options.colour);
    headline(interface, &mut page);
    predicates(interface, &mut page);
    states(interface, &mut page);
    prohibited(&interface.prohibitions, &mut page);
    if let Some(bounds) = &interface.bounds {
        bounds::write(bounds, interface, &mut page);
    }
    section("Not certain", &interface.doubts, &mut page);
    section("Notes", &interface.notes, &mut page);
    certificate(&interface.certificate, &mut page);
    statistics(&interface.stats, &mut page);
    page.finish()
}

fn headline(interface: &Interface, page: &mut TextPage) {
    let title = format!("{}: {}", visible(&interface.class), never(interface));
    page.line(&[(Style::Title, &title)]);
    let sizes = [
        counted(interface.states.len(), "state"),
        counted(interface.transitions.len(), "transition"),
        counted(interface.actions.len(), "action"),
    ];
    page.line(&[(Style::Plain, &sizes.join(", "))]);
    for sentence in verdict(interface) {
        page.words(&[], &sentence);
    }
}

/// What the automaton is.
fn verdict(interface: &Interface) -> Vec<String> {
    let verdict = &interface.verdict;
    let certificate = &interface.certificate;
    let safe = if !certificate.holds {
        "Safe for these predicates; not certified on the class itself."
    } else if certificate.breaks_invariant.is_empty() {
        "Safe, certified on the class itself."
    } else {
        "Safe, certified on the class itself as long as its invariant holds."
    };
    let permissive = match (verdict.permissive, verdict.most_permissive) {
        (Permissive::Exactly, _) => {
            "Most permissive: no safe interface over these predicates allows more (exact check)."
        }
        (Permissive::ByCondition, true) => {
            "Most permissive: no safe interface over these predicates allows more (the paper's \
             condition; the exact check agrees)."
        }
        (Permissive::ByCondition, false) => {
            "Most permissive by the paper's condition, but the exact check contradicts it."
        }
        (Permissive::Maximal, true) => {
            "Maximal, as far as the paper's way can tell: what allows more has more states. The exact \
             check says that it is most permissive."
        }
        (Permissive::Maximal, false) => {
            "Only maximal: a safe interface that allows more has more states, and there is one."
        }
    };
    let mut sentences = vec![safe.to_string(), permissive.to_string()];
    let artefacts = interface.prohibitions.iter();
    if artefacts.clone().any(|p| !p.artefacts.is_empty()) {
        sentences.push(
            "On the class itself more would be safe: see `Prohibited` for the predicates to add."
                .into(),
        );
    }
    if !verdict.learner_agrees {
        sentences
            .push("The learner's automaton has the same histories in other states.".to_string());
    }
    if !verdict.minimal {
        sentences.push("There may be an automaton with fewer states.".into());
    }
    sentences
}

fn heading(text: &str, page: &mut TextPage) {
    page.blank();
    page.line(&[(Style::Heading, text)]);
}

fn section(title: &str, lines: &[String], page: &mut TextPage) {
    if !lines.is_empty() {
        heading(title, page);
        for line in lines {
            page.words(&[(Style::Plain, " -".into())], &visible(line));
        }
    }
}

fn predicates(interface: &Interface, page: &mut TextPage) {
    if interface.predicates.is_empty() {
        return;
    }
    heading("Predicates", page);
    for predicate in &interface.predicates {
        let found = interface.found.iter().find(|f| f.predicate == *predicate);
        let how = match found.map(|f| f.round) {
            None => String::new(),
            Some(0) => "  (found: a guard)".into(),
            Some(round) => format!("  (found in round {round}: through an assignment)"),
        };
        page.line(&[
            (Style::Plain, &format!("  {}", visible(predicate))),
            (Style::Faint, &how),
        ]);
    }
}

fn states(interface: &Interface, page: &mut TextPage) {
    heading("States", page);
    for (index, state) in interface.states.iter().enumerate() {
        let head = match index {
            0 => format!("  {} (start)", state.id),
            _ => format!("  {}", state.id),
        };
        let cubes = state.cubes.iter().map(|c| visible(c)).collect::<Vec<_>>();
        let known = match cubes.len() {
            0 => "no object".into(),
            1..=4 => cubes.join("; or "),
            n => format!("{n} combinations of the predicates"),
        };
        page.words(&[(Style::Heading, head)], &known);
        calls(interface, state, page);
        let not: Vec<String> = interface
            .actions
            .iter()
            .filter(|a| !state.legal.contains(a))
            .map(|a| visible(a))
            .collect();
        if !not.is_empty() {
            let items: Vec<(Style, String)> =
                not.into_iter().map(|a| (Style::Warning, a)).collect();
            page.items(&[(Style::Faint, "    never".into())], "", &items, ",");
        }
    }
}

fn calls(interface: &Interface, state: &InterfaceState, page: &mut TextPage) {
    let leaving = interface.transitions.iter();
    let rows: Vec<(String, &str)> = leaving
        .filter(|t| t.source == state.id)
        .map(|t| {
            let seen = t.seen.as_ref().map(|s| format!("[{s}]"));
            let name = format!("{}{}", t.action, seen.unwrap_or_default());
            (visible(&name), t.target.as_str())
        })
        .collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, target) in rows {
        page.line(&[(Style::Plain, &format!("    {name:width$} -> {target}"))]);
    }
}

fn prohibited(prohibitions: &[Prohibition], page: &mut TextPage) {
    if prohibitions.is_empty() {
        return;
    }
    heading("Prohibited", page);
    let width = prohibitions.iter().map(|p| p.action.len()).max();
    let width = width.unwrap_or_default();
    for p in prohibitions {
        let head = format!("  {} {:width$}", p.state, visible(&p.action));
        let head = [(Style::Plain, head)];
        match &p.witness {
            Some(witness) => page.words(&head, &witness_text(witness)),
            None if p.artefacts.is_empty() && p.unknown.is_empty() => {
                page.words(&head, "no run was found in which it can be called");
            }
            None => page.words(&head, "no run was found in which it does harm"),
        }
        for artefact in &p.artefacts {
            let indent = [(Style::Warning, "      !".to_string())];
            page.words(&indent, &artefact_text(artefact));
        }
        for history in &p.unknown {
            let indent = [(Style::Warning, "      ?".to_string())];
            page.words(&indent, &format!("after {history}: not known"));
        }
    }
}

/// `Signature(); sign() ! SignatureException`
fn witness_text(witness: &InterfaceWitness) -> String {
    let calls: Vec<String> = witness
        .calls
        .iter()
        .map(|call| {
            let arguments: Vec<String> = call
                .arguments
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            let exception = call.exception.as_ref().map(|e| format!(" ! {e}"));
            visible(&format!(
                "{}({}){}",
                call.name,
                arguments.join(", "),
                exception.unwrap_or_default()
            ))
        })
        .collect();
    let remark = match &witness.not_replayed {
        Some(why) => format!("  (not run by the interpreter: {why})"),
        None => String::new(),
    };
    calls.join("; ") + &remark
}

fn artefact_text(artefact: &Artefact) -> String {
    let suggested = match artefact.suggested.as_slice() {
        [] => "no predicate that would tell is known".to_string(),
        [one] => format!("add the predicate `{one}`"),
        many => format!("add the predicates `{}`", many.join("`, `")),
    };
    visible(&format!(
        "after {} it does no harm: {suggested}",
        artefact.after
    ))
}

fn certificate(certificate: &Certificate, page: &mut TextPage) {
    heading("Certificate", page);
    let questions = counted(certificate.questions, "question");
    let line = if certificate.holds {
        format!("holds: {questions} of one call each, all answered no")
    } else {
        format!("does not hold ({questions}):")
    };
    page.line(&[(Style::Plain, &format!("  {line}"))]);
    for failure in &certificate.failures {
        page.words(&[(Style::Warning, "  -".into())], &visible(failure));
    }
    if !certificate.breaks_invariant.is_empty() {
        let names = certificate.breaks_invariant.join(", ");
        let text = format!("the class's invariant is assumed; it may be broken by {names}");
        page.words(&[(Style::Warning, "  !".into())], &visible(&text));
    }
}

fn statistics(stats: &InterfaceStats, page: &mut TextPage) {
    heading("How it was found", page);
    let asked: u64 = stats.queries.values().map(|q| q.total).sum();
    let rows = [
        format!(
            "abstraction  by {}: {}, {}, {}; {}",
            visible(&stats.precision),
            counted(stats.cubes, "cube"),
            counted(stats.edges, "edge"),
            counted(stats.letters, "letter"),
            counted(stats.knowledge_sets, "knowledge set"),
        ),
        format!(
            "learner      {} membership, {} subset, {} superset queries ({}){}",
            stats.learner.member,
            stats.learner.subset,
            stats.learner.superset,
            stats.superset,
            match stats.learner.one_step_further {
                None => "",
                Some(true) => "; one step further found a word",
                Some(false) => "; one step further found nothing",
            }
        ),
        format!(
            "engine       {}, {asked} questions, recursion bound {}",
            visible(&stats.engine),
            stats.recursion_bound
        ),
    ];
    for row in rows {
        page.line(&[(Style::Faint, &format!("  {row}"))]);
    }
}
