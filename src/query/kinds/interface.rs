//! Questions about the abstraction of a class over arbitrary predicates ("Synthesis of Interface Specifications for
//! Java Classes", POPL 2005): where a call leads from one cube of predicates, whether an interface holds on the class, and
//! whether a whole history can be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ir::{ExceptionId, Expr, RoutineRef, expr_text, formula};
use crate::query::words::capped;
use crate::query::{
    ActionId, Callee, ConstructorId, End, EndPlace, Escape, Exit, Holds, Places, Query, Refusal,
    Step, Subject,
};

/// What must never happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forbidden {
    /// A call that ends in one of these.
    pub exceptions: BTreeSet<ExceptionId>,
    /// A call whose `requires` clauses do not hold. Without this, calls are only made where they do.
    pub requires: bool,
}

/// Who chooses the arguments of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Params {
    /// An adversary: a call is safe only if it is safe for all arguments.
    #[default]
    Forall,
    /// The caller, among those that meet the `requires` clauses: they are violated only where no argument meets
    /// them, as in an EPA.
    Exists,
}

/// Which predicates hold of an object: the truth value of each, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube(pub Vec<bool>);

impl Cube {
    /// The cube as a word in a name: `10`, a digit a predicate.
    pub fn word(&self) -> String {
        if self.0.is_empty() {
            return "any".into();
        }
        self.0.iter().map(|b| if *b { '1' } else { '0' }).collect()
    }
}

/// Where a call may end: what is seen (by its position among what there is to be seen of it), and the cube.
pub type CallEnd = (usize, Cube);

/// A history: an object is made, calls are made of it and seen to end, and a last one does what must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// How the object is made.
    pub constructor: ConstructorId,
    /// The calls, each an action and the position of what is seen among what there is to be seen of it.
    pub calls: Vec<(ActionId, usize)>,
    /// The call that does what must not happen; none where it is only asked whether the calls before it can be.
    pub last: Option<ActionId>,
}

/// A class, what must never happen to it, and what is looked at.
#[derive(Clone, Debug)]
pub struct Abstracted {
    /// The class.
    pub subject: Arc<Subject>,
    /// The predicates.
    pub predicates: Vec<Expr>,
    /// What must never happen.
    pub forbidden: Forbidden,
    /// Who chooses the arguments.
    pub params: Params,
    /// What the caller sees of each action: the ways in which a call may end that does nothing it must not, the last of
    /// which is whatever is left.
    pub seen: Vec<Vec<Exit>>,
}

impl Abstracted {
    /// For one class. Where `blind`, the caller sees nothing of how a call ends.
    pub fn new(
        subject: Arc<Subject>,
        predicates: Vec<Expr>,
        forbidden: Forbidden,
        params: Params,
        blind: bool,
    ) -> Self {
        let without = &forbidden.exceptions;
        let seen = subject.action_ids().map(|action| {
            if blind {
                return vec![Exit::Without(without.clone())];
            }
            let mut seen = subject.normal_exits(action);
            let thrown = subject.exceptions_of(subject[action].routine);
            if thrown.iter().any(|e| !without.contains(e)) {
                seen.push(Exit::OtherException(without.clone()));
            }
            seen
        });
        Abstracted {
            seen: seen.collect(),
            subject,
            predicates,
            forbidden,
            params,
        }
    }

    /// What there is to be seen of an action.
    pub fn seen(&self, action: ActionId) -> &[Exit] {
        self.seen.get(action.0).map_or(&[], Vec::as_slice)
    }

    /// A predicate as it would be written in the class.
    pub fn predicate_text(&self, predicate: &Expr) -> String {
        expr_text(&self.subject.program, self.subject.class, predicate)
    }

    /// A predicate as a formula that is defined everywhere: where the predicate is not, it does not hold.
    pub fn formula(&self, predicate: &Expr) -> Expr {
        formula::clause_under_invariant(&self.subject.program, predicate)
    }

    /// The cube as a formula.
    pub fn cube_formula(&self, cube: &Cube) -> Expr {
        let literals = self.predicates.iter().zip(&cube.0).map(|(p, holds)| {
            let formula = self.formula(p);
            if *holds {
                formula
            } else {
                formula::not(formula)
            }
        });
        formula::all(literals)
    }

    /// The cube for a person: its literals.
    pub fn cube_text(&self, cube: &Cube) -> String {
        let literals = self.predicates.iter().zip(&cube.0).map(|(p, holds)| {
            if *holds {
                self.predicate_text(p)
            } else {
                self.predicate_text(&formula::not(p.clone()))
            }
        });
        let literals: Vec<String> = literals.collect();
        if literals.is_empty() {
            "any object".into()
        } else {
            literals.join(", ")
        }
    }

    /// What must not happen, as a verb.
    pub fn forbidden_words(&self) -> String {
        let exceptions = self.forbidden.exceptions.iter();
        let names: Vec<&str> = exceptions
            .map(|e| self.subject.program.exception_shown(*e))
            .collect();
        let raise = (!names.is_empty()).then(|| format!("raise {}", names.join(" or ")));
        let violate = "violate its requires clauses".to_string();
        let violate = self.forbidden.requires.then_some(violate);
        let words: Vec<String> = violate.into_iter().chain(raise).collect();
        words.join(" or ")
    }

    /// The call for a person: of an action where the cube holds, or of a constructor.
    pub fn called(&self, source: Option<&Cube>, callee: Callee) -> String {
        let name = self.subject.called_words(callee);
        match source {
            Some(cube) => format!("{name}, called where {},", self.cube_text(cube)),
            None => name,
        }
    }

    fn called_word(&self, source: Option<&Cube>, callee: Callee) -> String {
        match (source, callee) {
            (_, Callee::Constructor(id)) => format!(".by_constructor_{}", id.0 + 1),
            (source, Callee::Action(id)) => {
                let cube = source.map_or("any".into(), Cube::word);
                format!(".from_cube_{cube}.by_{}", self.subject[id].name)
            }
        }
    }

    /// When the call of an action is refused, where that must not happen.
    fn refusal(&self, action: ActionId) -> Option<Refusal> {
        let requires = |r: RoutineRef| {
            let declared = self.subject.program.routine(r);
            let clauses = declared.requires.iter();
            let clauses = clauses.filter(|e| !declared.is_about_outside(e));
            let mut conjuncts = clauses.flat_map(|e| {
                let clause = formula::clause_under_invariant(&self.subject.program, e);
                formula::conjuncts_of(clause)
            });
            conjuncts.any(|e| !formula::is_bool(&e, true))
        };
        let is_looked_at = self.forbidden.requires && requires(self.subject[action].routine);
        is_looked_at.then(|| match self.params {
            Params::Forall => Refusal::ForArguments,
            Params::Exists => {
                let guard = &self.subject[action].guard;
                Refusal::Always(formula::not(guard.certainly_enabled()))
            }
        })
    }

    /// Can the action, called in the cube, do what must not happen?
    pub fn raises(&self, source: &Cube, action: ActionId) -> Query {
        let callee = Callee::Action(action);
        let name = format!("raises{}", self.called_word(Some(source), callee));
        let called = self.called(Some(source), callee);
        let sentence = format!("can {called} {}?", self.forbidden_words());
        let step = Step::anywhere(action, Exit::Any);
        let mut query = Query::of_call("raises", name, sentence, &step);
        query.start.known = formula::conjuncts_of(self.cube_formula(source));
        query.end = End::Forbidden(self.forbidden.wrong(self.refusal(action)));
        query
    }

    /// Can the call end anywhere else than at the ends known? An action is called in a cube, and does not do what
    /// must not happen; a constructor (`source` is none) ends normally. Where it ends is recorded.
    pub fn any_other_end(
        &self,
        source: Option<&Cube>,
        callee: Callee,
        known: &BTreeSet<CallEnd>,
    ) -> Query {
        let outside: Vec<String> = known.iter().map(end_word).collect();
        let word = format!(".outside_{}", capped(&outside, "end"));
        let end = "anywhere not known yet";
        let known = known.iter().map(place).collect();
        self.successor(source, callee, (&word, end), known, None)
    }

    /// Can the call end just there?
    pub fn end(&self, source: Option<&Cube>, callee: Callee, end: &CallEnd) -> Query {
        let word = format!(".to_{}", end_word(end));
        let words = format!("where {}", self.cube_text(&end.1));
        let wanted = Some(place(end));
        self.successor(source, callee, (&word, &words), BTreeSet::new(), wanted)
    }

    fn successor(
        &self,
        source: Option<&Cube>,
        callee: Callee,
        (word, words): (&str, &str),
        known: BTreeSet<EndPlace>,
        wanted: Option<EndPlace>,
    ) -> Query {
        let name = format!("successor{}{word}", self.called_word(source, callee));
        let sentence = format!("can {} end {words}?", self.called(source, callee));
        let step = Step {
            callee,
            source: None,
            exit: match callee {
                Callee::Constructor(_) => Exit::Normal,
                Callee::Action(_) => Exit::Without(self.forbidden.exceptions.clone()),
            },
        };
        let mut query = Query::of_call("successor", name, sentence, &step);
        if let Some(cube) = source {
            query.start.known = formula::conjuncts_of(self.cube_formula(cube));
        }
        query.end = End::Place(Places {
            seen: match callee {
                Callee::Constructor(_) => None,
                Callee::Action(action) => Some(self.seen(action).to_vec()),
            },
            predicates: self.predicates.iter().map(|p| self.formula(p)).collect(),
            known,
            wanted,
        });
        query.ending_where(Holds::Yes)
    }

    /// Can the action, called where one of the cubes holds, do what must not happen, or end where what is seen does not
    /// allow it? What has no entry must not be seen at all. `label` says where that is.
    pub fn escapes(
        &self,
        label: &str,
        source: &BTreeSet<Cube>,
        action: ActionId,
        targets: &BTreeMap<usize, BTreeSet<Cube>>,
    ) -> Query {
        let called = &self.subject[action];
        let name = format!("escapes.from_{label}.by_{}", called.name);
        let sentence = format!(
            "can `{}`, called in {label}, {}, or end where the interface does not say?",
            called.shown,
            self.forbidden_words()
        );
        let step = Step::anywhere(action, Exit::Any);
        let mut query = Query::of_call("certificate", name, sentence, &step);
        query.start.known = vec![self.region(source)];
        query.end = End::Escapes(Escape {
            wrong: Some(self.forbidden.wrong(self.refusal(action))),
            seen: Some(self.seen(action).to_vec()),
            inside: (targets.iter())
                .map(|(seen, cubes)| (*seen, self.region(cubes)))
                .collect(),
        });
        query.ending_where(Holds::Yes)
    }

    /// Can the constructor end normally where none of the cubes holds?
    pub fn starts_outside(&self, constructor: ConstructorId, cubes: &BTreeSet<Cube>) -> Query {
        let callee = Callee::Constructor(constructor);
        let name = format!("escapes{}", self.called_word(None, callee));
        let called = self.called(None, callee);
        let sentence = format!("can {called} end where the interface does not start?");
        let step = Step::construct(constructor, Exit::Normal);
        Query {
            end: End::Escapes(Escape {
                wrong: None,
                seen: None,
                inside: vec![(0, self.region(cubes))],
            }),
            ..Query::of_call("certificate", name, sentence, &step)
        }
        .ending_where(Holds::Yes)
    }

    /// One of the cubes holds.
    fn region(&self, cubes: &BTreeSet<Cube>) -> Expr {
        formula::any(cubes.iter().map(|cube| self.cube_formula(cube)))
    }

    /// Is there such a history?
    pub fn history(&self, history: &History) -> Query {
        let made = Step::construct(history.constructor, Exit::Normal);
        let mut query = Query::of_call(
            "run",
            self.history_name(history),
            self.history_sentence(history),
            &made,
        )
        .ending_where(Holds::Yes);
        let seen = history.calls.iter().map(|(action, seen)| {
            let exits = self.seen(*action);
            // What is never seen is not seen here.
            let exit = exits.get(*seen).cloned();
            let exit = exit.unwrap_or(Exit::OtherException(self.everything()));
            (*action, exit, Holds::Yes)
        });
        let last = history
            .last
            .map(|action| (action, Exit::Any, Holds::Either));
        for (action, exit, invariant) in seen.chain(last) {
            let step = Step::anywhere(action, exit);
            let call = Query::of_call("run", String::new(), String::new(), &step);
            query.calls.extend(call.ending_where(invariant).calls);
        }
        if let Some(action) = history.last {
            query.end = End::Forbidden(self.forbidden.wrong(self.refusal(action)));
        }
        query
    }

    /// All exceptions of the program.
    fn everything(&self) -> BTreeSet<ExceptionId> {
        (0..self.subject.program.exceptions.len())
            .map(ExceptionId)
            .collect()
    }

    fn history_name(&self, history: &History) -> String {
        let calls = history.calls.iter();
        let words: Vec<String> = calls
            .map(|(action, seen)| format!("{}_{seen}", self.subject[*action].name))
            .collect();
        let last = match history.last {
            Some(action) => format!(".then_{}", self.subject[action].name),
            None => String::new(),
        };
        let words = match words.is_empty() {
            true => vec![],
            false => vec![words.join("_and_")],
        };
        format!(
            "run.from_constructor_{}.by_{}{last}",
            history.constructor.0 + 1,
            capped(&words, "call")
        )
    }

    fn history_sentence(&self, history: &History) -> String {
        let made = self.subject[history.constructor].shown.as_str();
        let calls = history.calls.iter();
        let calls = calls.map(|(action, _)| self.subject[*action].shown.as_str());
        let after = [made]
            .into_iter()
            .chain(calls)
            .collect::<Vec<&str>>()
            .join(", ");
        match history.last {
            Some(action) => format!(
                "can `{}`, called after {after}, {}?",
                self.subject[action].shown,
                self.forbidden_words()
            ),
            None => format!("can these calls be made: {after}?"),
        }
    }
}

fn place((seen, cube): &CallEnd) -> EndPlace {
    (*seen, cube.0.clone())
}

fn end_word((seen, cube): &CallEnd) -> String {
    format!("{seen}_{}", cube.word())
}
