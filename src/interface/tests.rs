//! The game and the learner on the paper's classes as explicit tables (reference, sections 3.2 and 3.4), and against
//! each other on random abstractions.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::abstraction::{Alphabet, CubeGame, LetterOf};
use super::automaton::InterfaceAutomaton;
use super::game;
use super::inclusion::{self, Infeasible};
use super::jist::Jist;
use super::learner::{Learned, learn};
use super::minimize::{relaxed, strict};
use super::teacher::{Exact, Permissive};

/// An abstraction from lines `state letter target…`; `state action !` where the action may raise E. A letter is an
/// action, or an action with `/1` or `/0` behind it where the caller sees whether it went well.
fn abstraction(
    initial: &[usize],
    states: usize,
    actions: &[&str],
    seen: bool,
    lines: &str,
) -> CubeGame {
    let mut letters = Vec::new();
    for action in 0..actions.len() {
        if seen {
            for label in ["1", "0"] {
                letters.push(LetterOf {
                    action,
                    label: Some(label.into()),
                });
            }
        } else {
            letters.push(LetterOf {
                action,
                label: None,
            });
        }
    }
    let alphabet = Alphabet {
        actions: actions.iter().map(ToString::to_string).collect(),
        letters,
    };
    let mut raises = vec![vec![false; actions.len()]; states];
    let mut post = vec![BTreeMap::<usize, BTreeSet<usize>>::new(); states];
    for line in lines.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let state: usize = words[0].parse().expect("a state");
        let (name, label) = words[1].split_once('/').unwrap_or((words[1], ""));
        let action = actions.iter().position(|a| *a == name).expect("an action");
        for target in &words[2..] {
            if *target == "!" {
                raises[state][action] = true;
                continue;
            }
            let wanted = (!label.is_empty()).then_some(label);
            let of = |l: &LetterOf| l.action == action && l.label.as_deref() == wanted;
            let letter = alphabet.letters.iter().position(of).expect("a letter");
            post[state]
                .entry(letter)
                .or_default()
                .insert(target.parse().expect("a state"));
        }
    }
    CubeGame {
        alphabet,
        initial: initial.iter().copied().collect(),
        raises,
        post,
    }
}

/// States: uninitialised, signing, verifying.
fn signature() -> CubeGame {
    abstraction(
        &[0],
        3,
        &["initSign", "initVerify", "sign", "verify", "update"],
        false,
        "0 initSign 1\n0 initVerify 2\n0 sign !\n0 verify !\n0 update !
         1 initSign 1\n1 initVerify 2\n1 sign 1\n1 verify !\n1 update 1
         2 initSign 1\n2 initVerify 2\n2 sign !\n2 verify 2\n2 update 2",
    )
}

/// States: the values 0 to 4 of the field.
fn server_table_entry() -> CubeGame {
    let mut lines = String::new();
    for state in 0..5 {
        let running = state == 3;
        lines.push_str(&format!("{state} activate 2\n{state} holdDown 4\n"));
        lines.push_str(&format!(
            "{state} register {}\n",
            if state == 2 { "2" } else { "!" }
        ));
        let after = if state == 2 { 3 } else { state };
        lines.push_str(&format!("{state} registerPorts {after}\n"));
        lines.push_str(&format!(
            "{state} install {}\n",
            if running { "3" } else { "!" }
        ));
        lines.push_str(&format!(
            "{state} uninstall {}\n",
            if running { "0" } else { "!" }
        ));
    }
    let actions = [
        "activate",
        "register",
        "registerPorts",
        "install",
        "uninstall",
        "holdDown",
    ];
    abstraction(&[1], 5, &actions, false, &lines)
}

/// One predicate, `lastRet == -1`: it holds in state 0 and not in state 1. Any call may find that the list was modified
/// by others, and fail.
fn list_itr_with_one_predicate() -> CubeGame {
    abstraction(
        &[0],
        2,
        &["next", "remove", "previous", "set", "add"],
        true,
        "0 next/1 0 1\n0 next/0 0\n0 previous/1 0 1\n0 previous/0 0\n0 add/1 0\n0 add/0 0\n0 remove !\n0 set !
         1 next/1 0 1\n1 next/0 1\n1 previous/1 0 1\n1 previous/0 1\n1 add/1 0\n1 add/0 1
         1 remove/1 0\n1 remove/0 1\n1 set/1 1\n1 set/0 1",
    )
}

/// State 0: there is no sink; state 1: there is. Imprecise: a `connect` that fails may also leave a sink.
fn piped_output_stream(imprecise: bool) -> CubeGame {
    let failed = if imprecise { "0 1" } else { "0" };
    let lines = format!(
        "0 connect/1 1\n0 connect/0 {failed}\n0 write !\n0 flush/1 0\n0 close/1 0
         1 connect/0 1\n1 write/1 1\n1 write/0 1\n1 flush/1 1\n1 close/1 1"
    );
    abstraction(
        &[0],
        2,
        &["connect", "write", "flush", "close"],
        true,
        &lines,
    )
}

/// The paper's way: member, subset and superset queries, whether one step further found something, what was said.
fn by_the_paper(abstraction: &CubeGame) -> (usize, usize, usize, Option<bool>, Permissive) {
    let Learned {
        queries: q,
        permissive,
        ..
    } = learn(&Jist { abstraction }).expect("learned");
    (
        q.member,
        q.subset,
        q.superset,
        q.one_step_further,
        permissive,
    )
}

/// The exact way, and that the game says the same.
fn exactly(abstraction: &CubeGame) -> (usize, usize, usize, InterfaceAutomaton) {
    let solved = game::solve(abstraction).expect("solved");
    let (smallest, minimal) = relaxed(&solved.automaton);
    assert!(minimal);
    let teacher = Exact {
        abstraction,
        infeasible: Infeasible::DontCare,
    };
    let learned = learn(&teacher).expect("learned");
    assert_eq!(learned.permissive, Permissive::Exactly);
    let automaton = game::feasible(abstraction, &learned.dfa.automaton(&abstraction.alphabet));
    assert_eq!(automaton, smallest);
    let q = learned.queries;
    (q.member, q.subset, q.superset, smallest)
}

fn sizes(automaton: &InterfaceAutomaton) -> (usize, usize) {
    (automaton.states.len(), automaton.edges())
}

#[test]
fn signature_is_the_papers() {
    let abstraction = signature();
    let (member, subset, superset, automaton) = exactly(&abstraction);
    assert!(member <= 32, "{member}");
    assert_eq!((subset, superset), (3, 3));
    assert_eq!(sizes(&automaton), (3, 10));
    let (member, subset, superset, further, said) = by_the_paper(&abstraction);
    assert!(member <= 32, "{member}");
    assert_eq!(
        (subset, superset, further, said),
        (3, 3, None, Permissive::ByCondition)
    );
}

#[test]
fn server_table_entry_is_the_papers() {
    let abstraction = server_table_entry();
    let (member, subset, superset, automaton) = exactly(&abstraction);
    assert!(member <= 39, "{member}");
    assert_eq!((subset, superset), (3, 3));
    assert_eq!(sizes(&automaton), (3, 12));
    assert_eq!(
        game::solve(&abstraction).expect("solved").knowledge.len(),
        5
    );
    let (member, subset, superset, further, said) = by_the_paper(&abstraction);
    assert!(member <= 39, "{member}");
    assert_eq!(
        (subset, superset, further, said),
        (3, 3, None, Permissive::ByCondition)
    );
}

#[test]
fn one_predicate_is_too_few_for_list_itr() {
    let abstraction = list_itr_with_one_predicate();
    let (member, subset, superset, automaton) = exactly(&abstraction);
    assert!(member <= 35, "{member}");
    assert_eq!((subset, superset), (1, 1));
    assert_eq!(automaton.states.len(), 1);
    assert_eq!(automaton.states[0].legal, BTreeSet::from([0, 2, 4]));
    assert_eq!(
        by_the_paper(&abstraction),
        (35, 1, 1, Some(false), Permissive::Maximal)
    );
}

#[test]
fn piped_output_stream_needs_one_step_further_where_connect_is_imprecise() {
    let abstraction = piped_output_stream(true);
    let (member, _, _, automaton) = exactly(&abstraction);
    assert!(member <= 35, "{member}");
    assert_eq!(automaton.states.len(), 2);
    let (member, subset, superset, further, said) = by_the_paper(&abstraction);
    assert!(member <= 35, "{member}");
    assert_eq!(
        (subset, superset, further, said),
        (2, 2, Some(true), Permissive::Maximal)
    );
    let (member, subset, superset, further, said) = by_the_paper(&piped_output_stream(false));
    assert!(member <= 30, "{member}");
    assert_eq!(
        (subset, superset, further, said),
        (2, 2, None, Permissive::ByCondition)
    );
}

prop_compose! {
    /// Up to five states, three actions, two letters each.
    fn any_abstraction()(states in 1usize..6, actions in 1usize..4, seen in any::<bool>())(
        raises in prop::collection::vec(prop::collection::vec(prop::bool::weighted(0.3), actions), states),
        post in prop::collection::vec(
            prop::collection::vec(
                prop::collection::btree_set(0..states, 0..3),
                actions * if seen { 2 } else { 1 },
            ),
            states,
        ),
        initial in prop::collection::btree_set(0..states, 1..3),
        actions in Just(actions),
        seen in Just(seen),
    ) -> CubeGame {
        let names: Vec<String> = (0..actions).map(|a| format!("m{a}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let empty = abstraction(&[], 0, &names, seen, "");
        let letters = |row: Vec<BTreeSet<usize>>| {
            let filled = row.into_iter().enumerate().filter(|(_, targets)| !targets.is_empty());
            filled.collect::<BTreeMap<_, _>>()
        };
        CubeGame {
            alphabet: empty.alphabet,
            initial,
            raises,
            post: post.into_iter().map(letters).collect(),
        }
    }
}

/// The legal actions after every history up to a length, by the definition: all runs, one by one.
fn by_definition(abstraction: &CubeGame, longest: usize) -> BTreeMap<Vec<usize>, BTreeSet<usize>> {
    let mut found = BTreeMap::new();
    let mut open = vec![(vec![], abstraction.initial.clone())];
    while let Some((word, knowledge)) = open.pop() {
        let legal: BTreeSet<usize> = (0..abstraction.alphabet.actions.len())
            .filter(|a| knowledge.iter().all(|s| !abstraction.raises[*s][*a]))
            .filter(|a| {
                let possible = |s: &usize| abstraction.post[*s].keys();
                knowledge
                    .iter()
                    .flat_map(possible)
                    .any(|l| abstraction.alphabet.letters[*l].action == *a)
            })
            .collect();
        if word.len() < longest {
            for letter in 0..abstraction.alphabet.letters.len() {
                let after: BTreeSet<usize> = knowledge
                    .iter()
                    .flat_map(|s| abstraction.post[*s].get(&letter).into_iter().flatten())
                    .copied()
                    .collect();
                if legal.contains(&abstraction.alphabet.letters[letter].action) && !after.is_empty()
                {
                    open.push(([word.as_slice(), &[letter]].concat(), after));
                }
            }
        }
        found.insert(word, legal);
    }
    found
}

fn says(automaton: &InterfaceAutomaton, word: &[usize]) -> Option<BTreeSet<usize>> {
    let mut state = automaton.states.first()?;
    for letter in word {
        state = automaton.states.get(*state.next.get(letter)?)?;
    }
    Some(state.legal.clone())
}

proptest! {
    #![proptest_config(crate::random::cases(400))]

    #[test]
    fn the_game_is_what_the_definition_says(abstraction in any_abstraction()) {
        let solved = game::solve(&abstraction).expect("solved").automaton;
        let (small, _) = relaxed(&solved);
        let smaller = strict(&solved);
        prop_assert!(small.states.len() <= smaller.states.len());
        prop_assert!(smaller.states.len() <= solved.states.len());
        for (word, legal) in by_definition(&abstraction, 4) {
            for automaton in [&solved, &smaller, &small] {
                prop_assert_eq!(says(automaton, &word), Some(legal.clone()), "{:?}", word);
            }
        }
    }

    /// Where what can be seen is part of the language, there is one smallest automaton: both find it.
    #[test]
    fn learner_and_game_give_the_same_automaton(abstraction in any_abstraction()) {
        let game = strict(&game::solve(&abstraction).expect("solved").automaton);
        let teacher = Exact { abstraction: &abstraction, infeasible: Infeasible::Rejected };
        let learned = learn(&teacher).expect("learned");
        prop_assert_eq!(learned.permissive, Permissive::Exactly);
        prop_assert_eq!(learned.dfa.automaton(&abstraction.alphabet), game);
    }

    /// Where it is not, there may be several: the learner's allows the same calls after every history.
    #[test]
    fn the_learner_allows_what_the_game_allows(abstraction in any_abstraction()) {
        let game = strict(&game::solve(&abstraction).expect("solved").automaton);
        let teacher = Exact { abstraction: &abstraction, infeasible: Infeasible::DontCare };
        let learned = learn(&teacher).expect("learned").dfa.automaton(&abstraction.alphabet);
        prop_assert!(learned.states.len() <= game.states.len());
        for (word, legal) in by_definition(&abstraction, 4) {
            prop_assert_eq!(says(&learned, &word), Some(legal), "{:?}", word);
        }
    }

    /// What the paper's learner allows is safe, and if it says that nothing is missing, nothing is.
    #[test]
    fn the_papers_answers_are_right(abstraction in any_abstraction()) {
        let learned = learn(&Jist { abstraction: &abstraction }).expect("learned");
        prop_assert_eq!(inclusion::unsafe_word(&abstraction, &learned.dfa), None);
        if learned.permissive == Permissive::ByCondition {
            let missing = inclusion::missing_word(&abstraction, &learned.dfa, Infeasible::Rejected);
            prop_assert_eq!(missing, None);
        }
    }
}
