//! Exploration of a class over predicates, from its constructors, by questions to an engine.
//!
//! From each cube it is asked of each action whether it can do what must not happen; if not, where it can end, one
//! end after the other, each read off a trace and then excluded, until there is no other. What an engine does not
//! know stays in: an action that may do what must not happen does, an end that may be is.
//!
//! `ends` asks about one call, `alphabet` has the letters of the edges found.

mod alphabet;
mod ends;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::abstraction::CubeGame;
use super::study::Study;
use crate::ask::Doubt;
use crate::query::kinds::interface::{Abstracted, Cube};
use crate::query::{ActionId, Callee};

pub use alphabet::{WENT_WELL, alphabet};
use ends::{CubeEnds, PossibleEnds};

/// No more cubes than this are explored.
const MOST_CUBES: usize = 2_000;

/// Why a class could not be explored.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The engine knows too little to tell in any reasonable number of questions.
    #[error(
        "{sentence}: the engine does not know ({reason}), and there are {candidates} candidates to ask one by one"
    )]
    TooManyCandidates {
        /// What was asked.
        sentence: String,
        /// Why the engine does not know.
        reason: String,
        /// How many candidates there are.
        candidates: usize,
    },
    /// There are too many cubes.
    #[error(
        "more than {MOST_CUBES} combinations of the predicates can be reached: give fewer predicates"
    )]
    TooManyCubes,
    /// The engine refused the Boogie text: an error of ours.
    #[error(
        "the engine refused a question, which is an error of Tranquera's ({0}); --keep DIR keeps the text"
    )]
    Rejected(String),
}

/// A class, explored.
#[derive(Clone, Debug)]
pub struct ExploredClass {
    /// The abstraction.
    pub abstraction: CubeGame,
    /// What holds in each of its states.
    pub cubes: Vec<Cube>,
    /// What is in it only because an engine does not know better, each as a sentence with its reason.
    pub doubts: Vec<String>,
}

/// Explores a class, in an order that does not depend on the number of threads. For `uniform`, see [`alphabet`].
///
/// # Errors
/// See [`Stopped`].
pub fn explore(study: &Study<'_>, uniform: bool) -> Result<ExploredClass, Stopped> {
    let mut exploration = Exploration::new(study.abstracted, uniform);
    exploration.start(study)?;
    while let Some(frontier) = exploration.frontier()? {
        exploration.expand(study, &frontier)?;
    }
    Ok(exploration.found)
}

/// What is found so far.
struct Exploration<'a> {
    interface: &'a Abstracted,
    /// The first letter of each action.
    first_letter: Vec<usize>,
    /// The states of the cubes met.
    numbers: BTreeMap<Cube, usize>,
    found: ExploredClass,
}

impl<'a> Exploration<'a> {
    fn new(interface: &'a Abstracted, uniform: bool) -> Self {
        let alphabet = alphabet(interface, uniform);
        let actions = 0..interface.subject.actions.len();
        let first = |action| alphabet.of_action(action).next().unwrap_or_default();
        Exploration {
            interface,
            first_letter: actions.map(first).collect(),
            numbers: BTreeMap::new(),
            found: ExploredClass {
                abstraction: CubeGame {
                    alphabet,
                    ..CubeGame::default()
                },
                cubes: vec![],
                doubts: vec![],
            },
        }
    }

    /// The cubes that objects begin in.
    fn start(&mut self, study: &Study<'_>) -> Result<(), Stopped> {
        let constructors = self.interface.subject.constructor_ids();
        let constructors: Vec<Callee> = constructors.map(Callee::Constructor).collect();
        let starts: Vec<PossibleEnds> = constructors
            .par_iter()
            .map(|constructor| study.ends(None, *constructor))
            .collect::<Result<_, _>>()?;
        for (constructor, ends) in constructors.into_iter().zip(starts) {
            let called = self.interface.called(None, constructor);
            for ((_, cube), doubt) in ends {
                let state = self.end(&called, cube, doubt);
                self.found.abstraction.initial.insert(state);
            }
        }
        Ok(())
    }

    /// The cubes whose calls have not been asked about; none where there are no more.
    fn frontier(&self) -> Result<Option<Vec<Cube>>, Stopped> {
        let frontier = &self.found.cubes[self.found.abstraction.raises.len()..];
        if frontier.is_empty() {
            return Ok(None);
        }
        if self.found.cubes.len() > MOST_CUBES {
            return Err(Stopped::TooManyCubes);
        }
        Ok(Some(frontier.to_vec()))
    }

    /// Every action in each of these cubes.
    fn expand(&mut self, study: &Study<'_>, frontier: &[Cube]) -> Result<(), Stopped> {
        let actions = self.interface.subject.action_ids();
        let calls: Vec<(&Cube, ActionId)> = frontier
            .iter()
            .flat_map(|cube| actions.clone().map(move |action| (cube, action)))
            .collect();
        let edges: Vec<CubeEnds> = calls
            .into_par_iter()
            .map(|(cube, action)| study.edges(cube, action))
            .collect::<Result<_, _>>()?;
        let mut edges = edges.into_iter();
        for cube in frontier {
            self.add(cube, edges.by_ref().take(actions.len()));
        }
        Ok(())
    }

    /// What each action does in a cube.
    fn add(&mut self, cube: &Cube, edges: impl Iterator<Item = CubeEnds>) {
        let interface = self.interface;
        let mut raises = Vec::new();
        let mut post: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (action, edges) in edges.enumerate() {
            let called = interface.called(Some(cube), Callee::Action(ActionId(action)));
            self.found.doubts.extend(
                edges
                    .doubt
                    .map(|why| format!("{called} may {}: {why}", interface.forbidden_words())),
            );
            raises.push(edges.raises);
            for ((seen, target), doubt) in edges.ends {
                let target = self.end(&called, target, doubt);
                let letter = self.first_letter[action] + seen;
                post.entry(letter).or_default().insert(target);
            }
        }
        self.found.abstraction.raises.push(raises);
        self.found.abstraction.post.push(post);
    }

    /// The state of a cube that a call may end in. A doubt about that is noted.
    fn end(&mut self, called: &str, cube: Cube, doubt: Option<Doubt>) -> usize {
        if let Some(why) = doubt {
            let text = self.interface.cube_text(&cube);
            let doubt = format!("{called} may end where {text}: {why}");
            self.found.doubts.push(doubt);
        }
        let cubes = &mut self.found.cubes;
        *self.numbers.entry(cube).or_insert_with_key(|cube| {
            cubes.push(cube.clone());
            cubes.len() - 1
        })
    }
}
