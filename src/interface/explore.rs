//! Exploration of a class over predicates, from its constructors, by questions to an engine.
//!
//! From each cube it is asked of each action whether it can do what must not happen; if not, where it can end, one
//! end after the other, each read off a trace and then excluded, until there is no other. What an engine does not
//! know stays in: an action that may do what must not happen does, an end that may be is.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::encode::Question;
use crate::encode::interface::{Cube, EncodedStep, End, InterfaceEncoding, Observation};
use crate::engine::Session;
use crate::engine::Trace;
use crate::epa::Disagreement;
use crate::epa::desk::{Answer, Asked, Desk};
use crate::epa::model::QueryCounts;
use crate::epa::replay::{Objection, Replayed, judged, replay};

use super::abstraction::{Abstraction, Alphabet, LetterOf};
use super::replay::{Called, Claim, Replayer};

/// How it is written that a call ended normally, where it may also fail.
pub const WENT_WELL: &str = "ok";

/// No more cubes than this are explored.
const MOST_CUBES: usize = 2_000;

/// No more ends than this are asked about one by one, where they cannot be found otherwise.
const MOST_CANDIDATES: usize = 512;

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
pub struct Explored {
    /// The abstraction.
    pub abstraction: Abstraction,
    /// What holds in each of its states.
    pub cubes: Vec<Cube>,
    /// What is in it only because an engine does not know better, each as a sentence with its reason.
    pub doubts: Vec<String>,
}

/// Puts the questions after one class.
pub struct Asker<'a> {
    /// The class.
    pub interface: &'a InterfaceEncoding<'a>,
    desk: Desk<'a>,
    /// Whether witnesses are run: not where the program asked about is not the one that runs.
    replays: bool,
}

impl<'a> Asker<'a> {
    /// For one class and one session.
    pub fn new(interface: &'a InterfaceEncoding<'a>, session: &'a dyn Session) -> Self {
        Asker {
            interface,
            desk: Desk::new(interface.encoding().program(), session),
            replays: true,
        }
    }

    /// The same, for a program that does more than the class: its witnesses are not run.
    #[must_use]
    pub fn without_replay(self) -> Self {
        Asker {
            replays: false,
            ..self
        }
    }

    /// Puts a question whose text may be replayed.
    pub(super) fn ask(
        &self,
        kind: &str,
        sentence: String,
        encoded: &Result<EncodedStep, askama::Error>,
        replay: impl FnOnce(&Trace) -> Replayed,
    ) -> Answer {
        let asked = Asked {
            kind,
            sentence: &|| sentence.clone(),
            entry: encoded.as_ref().map(|e| &e.entry),
        };
        self.desk.ask(&asked, |trace| match encoded {
            Ok(step) if step.replayable && self.replays => replay(trace),
            _ => Replayed::NotRun,
        })
    }

    /// Puts a question of the EPA's, which is counted apart.
    pub(super) fn ask_question(&self, question: &Question) -> Answer {
        let encoded = self.interface.encoding().question(question);
        let asked = Asked {
            kind: question.kind(),
            sentence: &|| self.interface.encoding().sentence(question),
            entry: encoded.as_ref().map(|e| &e.entry),
        };
        self.desk.ask(&asked, |trace| match &encoded {
            Ok(encoded) => replay(self.interface.encoding(), question, encoded, trace),
            Err(_) => Replayed::NotRun,
        })
    }

    /// The answers that a replay or another engine contradicted.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        self.desk.disagreements()
    }

    /// What the engine said if it refused a question.
    pub(super) fn rejected(&self) -> Option<&str> {
        self.desk.rejected()
    }

    /// The questions asked so far, by kind.
    pub fn counts(&self) -> BTreeMap<String, QueryCounts> {
        self.desk.counts()
    }
}

/// A call from a cube, and what is known of it.
struct Edges {
    raises: bool,
    ends: BTreeMap<End, Option<String>>,
    doubt: Option<String>,
}

/// Explores a class, in an order that does not depend on the number of threads. For `uniform`, see [`alphabet`].
///
/// # Errors
/// See [`Stopped`].
pub fn explore(asker: &Asker<'_>, uniform: bool) -> Result<Explored, Stopped> {
    let interface = asker.interface;
    let actions = interface.encoding().actions.len();
    let constructors = 0..interface.encoding().constructors.len();
    let starts: Vec<BTreeMap<End, Option<String>>> = constructors
        .into_par_iter()
        .map(|constructor| asker.ends(None, constructor))
        .collect::<Result<_, _>>()?;
    let alphabet = alphabet(interface, uniform);
    let first_letter: Vec<usize> = (0..actions)
        .map(|a| alphabet.of_action(a).next().unwrap_or_default())
        .collect();
    let mut found = Explored {
        abstraction: Abstraction {
            alphabet,
            ..Abstraction::default()
        },
        cubes: vec![],
        doubts: vec![],
    };
    let mut numbers = BTreeMap::new();
    for (constructor, ends) in starts.into_iter().enumerate() {
        for ((_, cube), doubt) in ends {
            let name = &interface.encoding().constructors[constructor].display;
            found.doubts.extend(doubt.map(|why| {
                format!(
                    "`{name}` may end where {}: {why}",
                    interface.cube_text(&cube)
                )
            }));
            let state = number(&mut numbers, &mut found.cubes, cube);
            found.abstraction.initial.insert(state);
        }
    }
    while found.abstraction.raises.len() < found.cubes.len() {
        if found.cubes.len() > MOST_CUBES {
            return Err(Stopped::TooManyCubes);
        }
        let frontier: Vec<Cube> = found.cubes[found.abstraction.raises.len()..].to_vec();
        let calls: Vec<(&Cube, usize)> = frontier
            .iter()
            .flat_map(|cube| (0..actions).map(move |action| (cube, action)))
            .collect();
        let edges: Vec<Edges> = calls
            .into_par_iter()
            .map(|(cube, action)| asker.edges(cube, action))
            .collect::<Result<_, _>>()?;
        let mut edges = edges.into_iter();
        for cube in &frontier {
            let mut raises = Vec::new();
            let mut post: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            for (action, edges) in edges.by_ref().take(actions).enumerate() {
                let name = &interface.encoding().actions[action].name;
                let called = format!("`{name}`, called where {},", interface.cube_text(cube));
                found.doubts.extend(
                    edges
                        .doubt
                        .map(|why| format!("{called} may {}: {why}", interface.forbidden_words())),
                );
                raises.push(edges.raises);
                for ((seen, target), doubt) in edges.ends {
                    found.doubts.extend(doubt.map(|why| {
                        format!(
                            "{called} may end where {}: {why}",
                            interface.cube_text(&target)
                        )
                    }));
                    let target = number(&mut numbers, &mut found.cubes, target);
                    let letter = first_letter[action] + seen;
                    post.entry(letter).or_default().insert(target);
                }
            }
            found.abstraction.raises.push(raises);
            found.abstraction.post.push(post);
        }
    }
    Ok(found)
}

fn number(numbers: &mut BTreeMap<Cube, usize>, cubes: &mut Vec<Cube>, cube: Cube) -> usize {
    *numbers.entry(cube.clone()).or_insert_with(|| {
        cubes.push(cube);
        cubes.len() - 1
    })
}

/// The letters: what is seen of each action. Where they are to be uniform, as in the paper, where the return values
/// are those of all methods, every action gets a letter for failing if one can fail; those of actions that cannot
/// fail never occur.
pub fn alphabet(interface: &InterfaceEncoding<'_>, uniform: bool) -> Alphabet {
    let encoding = interface.encoding();
    let can_fail = |seen: &Vec<Observation>| seen.contains(&Observation::Failed);
    let any_can_fail = uniform && interface.observations.iter().any(can_fail);
    let mut letters = Vec::new();
    for (action, seen) in interface.observations.iter().enumerate() {
        for observation in seen {
            let label = match observation {
                Observation::Ended => None,
                Observation::Failed => Some("!ok".to_string()),
                Observation::Normal(exit) => {
                    let outcome = encoding.outcome_label(action, exit);
                    match (outcome.is_empty(), can_fail(seen)) {
                        (false, _) => Some(outcome),
                        (true, true) => Some(WENT_WELL.into()),
                        (true, false) => None,
                    }
                }
            };
            letters.push(LetterOf { action, label });
        }
        if any_can_fail && !can_fail(seen) {
            let label = Some("!ok".into());
            letters.push(LetterOf { action, label });
        }
    }
    Alphabet {
        actions: encoding.actions.iter().map(|a| a.name.clone()).collect(),
        letters,
    }
}

impl Asker<'_> {
    fn edges(&self, cube: &Cube, action: usize) -> Result<Edges, Stopped> {
        let encoded = self.interface.raises(cube, action);
        let name = &self.interface.encoding().actions[action].name;
        let sentence = format!(
            "can `{name}`, called where {}, {}?",
            self.interface.cube_text(cube),
            self.interface.forbidden_words()
        );
        let answer = self.ask("raises", sentence, &encoded, |trace| {
            judged(self.replay_raise(cube, action, trace))
        });
        let doubt = match answer {
            Answer::No => {
                return Ok(Edges {
                    raises: false,
                    ends: self.ends(Some(cube), action)?,
                    doubt: None,
                });
            }
            Answer::Yes(_) => None,
            Answer::Unknown(why) => Some(why),
        };
        self.not_rejected()?;
        Ok(Edges {
            raises: true,
            ends: BTreeMap::new(),
            doubt,
        })
    }

    fn not_rejected(&self) -> Result<(), Stopped> {
        match self.rejected() {
            Some(message) => Err(Stopped::Rejected(message.to_string())),
            None => Ok(()),
        }
    }

    /// Where the call may end.
    fn ends(
        &self,
        source: Option<&Cube>,
        routine: usize,
    ) -> Result<BTreeMap<End, Option<String>>, Stopped> {
        let mut known: BTreeSet<End> = BTreeSet::new();
        let sentence = format!(
            "can {} end anywhere not known yet?",
            self.called(source, routine)
        );
        let reason = loop {
            let encoded = self.interface.any_other_end(source, routine, &known);
            let answer = self.ask("successor", sentence.clone(), &encoded, |trace| {
                judged(self.replay_end(source, routine, trace))
            });
            match answer {
                Answer::No => return Ok(known.into_iter().map(|end| (end, None)).collect()),
                Answer::Unknown(reason) => break reason,
                Answer::Yes(trace) => match self.end_of(source.is_some(), &trace) {
                    Some(end) if known.insert(end.clone()) => {}
                    _ => break "not-understood: the trace does not say where the call ends".into(),
                },
            }
        };
        self.not_rejected()?;
        let candidates = self.candidates(source, routine);
        let Some(candidates) = candidates else {
            return Err(Stopped::TooManyCandidates {
                sentence,
                reason,
                candidates: usize::MAX,
            });
        };
        if candidates.len() > MOST_CANDIDATES {
            return Err(Stopped::TooManyCandidates {
                sentence,
                reason,
                candidates: candidates.len(),
            });
        }
        let open: Vec<End> = candidates
            .into_iter()
            .filter(|end| !known.contains(end))
            .collect();
        let answers: Vec<(End, Answer)> = open
            .into_par_iter()
            .map(|end| {
                let encoded = self.interface.end(source, routine, &end);
                let sentence = format!("can {} end in one place?", self.called(source, routine));
                let answer = self.ask("end", sentence, &encoded, |trace| {
                    judged(self.replay_end(source, routine, trace))
                });
                (end, answer)
            })
            .collect();
        let mut ends: BTreeMap<End, Option<String>> =
            known.into_iter().map(|end| (end, None)).collect();
        for (end, answer) in answers {
            match answer {
                Answer::Yes(_) => {
                    ends.insert(end, None);
                }
                Answer::No => {}
                Answer::Unknown(why) => {
                    ends.insert(end, Some(why));
                }
            }
        }
        Ok(ends)
    }

    fn called(&self, source: Option<&Cube>, routine: usize) -> String {
        let encoding = self.interface.encoding();
        match source {
            Some(cube) => format!(
                "`{}`, called where {},",
                encoding.actions[routine].name,
                self.interface.cube_text(cube)
            ),
            None => format!("`{}`", encoding.constructors[routine].display),
        }
    }

    /// All ends that there could be; none where there are far too many.
    fn candidates(&self, source: Option<&Cube>, routine: usize) -> Option<Vec<End>> {
        let predicates = u32::try_from(self.interface.predicates.len()).ok()?;
        let cubes = 1usize.checked_shl(predicates).filter(|n| *n <= 1 << 16)?;
        let seen = match source {
            Some(_) => self.interface.observations[routine].len(),
            None => 1,
        };
        let cube = |bits: usize| Cube((0..predicates).map(|p| bits >> p & 1 == 1).collect());
        Some(
            (0..seen)
                .flat_map(|seen| (0..cubes).map(move |bits| (seen, cube(bits))))
                .collect(),
        )
    }

    /// Reads what is seen and the cube off the end of a trace.
    fn end_of(&self, is_action: bool, trace: &Trace) -> Option<End> {
        let flags = self.interface.predicates.len();
        let first = trace.values.len().checked_sub(flags)?;
        let cube: Option<Vec<bool>> = trace.values[first..]
            .iter()
            .map(|r| match r.value.to_ascii_lowercase().as_str() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            })
            .collect();
        let seen = match is_action {
            true => trace
                .values
                .get(first.checked_sub(1)?)?
                .value
                .parse()
                .ok()?,
            false => 0,
        };
        Some((seen, Cube(cube?)))
    }

    fn replay_raise(&self, cube: &Cube, action: usize, trace: &Trace) -> Result<(), Objection> {
        let mut replayer = Replayer::new(self.interface, trace)?;
        replayer.check_cube(cube)?;
        replayer.call(Called::Action(action), Claim::Forbidden)?;
        Ok(())
    }

    fn replay_end(
        &self,
        source: Option<&Cube>,
        routine: usize,
        trace: &Trace,
    ) -> Result<(), Objection> {
        let mut replayer = Replayer::new(self.interface, trace)?;
        let Some((seen, target)) = self.end_of(source.is_some(), trace) else {
            return Err(Objection::CannotTell(
                "the trace does not say where it ends".into(),
            ));
        };
        match source {
            Some(cube) => {
                replayer.check_cube(cube)?;
                let seen = self.interface.observations[routine].get(seen);
                let seen = seen.ok_or_else(|| {
                    Objection::Wrong("what is seen is none of the observations".into())
                })?;
                replayer.call(Called::Action(routine), Claim::Seen(seen))?;
            }
            None => {
                replayer.call(Called::Constructor(routine), Claim::Well)?;
            }
        }
        replayer.check_cube(&target)
    }
}
