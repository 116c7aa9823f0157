//! A class under analysis: its program text, and what the questions about it need.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::effects::Effects;
use crate::ir::formula;
use crate::ir::{ClassId, ExceptionId, ExprKind, Program, RoutineRef, Type};
use crate::ir::{Control, RoutineKind};
use crate::query;

use super::layout::Layout;
use super::names::Names;
use super::program::program_text;
use super::routine::invariant_of;
use crate::ir::guard;
use crate::ir::guard::Guard;
use crate::query::ActionSet;

/// A class under analysis, encoded: the program text once, and what the questions about it need.
pub struct Encoding<'a> {
    pub(super) layout: Layout<'a>,
    pub(super) effects: Effects,
    /// The actions under study, in the order declared.
    pub actions: Vec<Action>,
    /// The ways to make an object.
    pub constructors: Vec<Constructor>,
    text: String,
}

/// An action under study.
#[derive(Clone, Debug)]
pub struct Action {
    /// The routine.
    pub routine: RoutineRef,
    /// Its name.
    pub name: String,
    /// When it can be called.
    pub guard: Guard,
}

/// A way to make an object.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// The constructor; none where the class has none, and `initially` says how an object starts.
    pub routine: Option<RoutineRef>,
    /// `FiniteStack(int)`, or `initially`.
    pub display: String,
}

impl<'a> Encoding<'a> {
    /// Encodes a class with all its actions.
    ///
    /// # Errors
    /// As [`Encoding::new`].
    pub fn of_class(program: &'a Program, class: ClassId) -> Result<Self, askama::Error> {
        let actions: Vec<RoutineRef> = program
            .class(class)
            .routines_of(RoutineKind::Action)
            .map(|index| RoutineRef { class, index })
            .collect();
        Encoding::new(program, class, &actions)
    }

    /// Encodes a class. `actions` are the routines under study, in the order declared.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn new(
        program: &'a Program,
        class: ClassId,
        actions: &[RoutineRef],
    ) -> Result<Self, askama::Error> {
        let layout = Layout::new(program, class);
        let effects = Effects::of(program);
        let text = program_text(&layout, &effects)?;
        let constructors = program.constructors(class).into_iter();
        let constructors = constructors.map(|routine| Constructor {
            routine,
            display: routine.map_or("initially".into(), |r| program.signature(r)),
        });
        let actions = actions
            .iter()
            .map(|routine| {
                let declared = program.routine(*routine);
                Action {
                    routine: *routine,
                    name: declared.name.clone(),
                    guard: guard::guard(program, *routine),
                }
            })
            .collect();
        Ok(Encoding {
            layout,
            effects,
            actions,
            constructors: constructors.collect(),
            text,
        })
    }

    /// The whole input program.
    pub fn source(&self) -> &'a Program {
        self.layout.program
    }

    /// The class under analysis.
    pub fn class(&self) -> ClassId {
        self.layout.class
    }

    /// The Boogie program to which the questions' entries are added.
    pub fn program(&self) -> query::Program {
        query::Program {
            name: self.source().class(self.class()).name.clone(),
            text: self.text.clone(),
        }
    }

    /// Whether the action is marked pure: it cannot change what can be called.
    pub fn is_pure(&self, action: usize) -> bool {
        self.source().routine(self.actions[action].routine).pure
    }

    /// The exceptions that a routine may end in.
    pub fn exceptions_of(&self, routine: RoutineRef) -> &BTreeSet<ExceptionId> {
        &self.effects.routine(routine).throws
    }

    /// Whether a routine may change the configuration at all.
    pub fn changes_something(&self, routine: RoutineRef) -> bool {
        let effects = self.effects.routine(routine);
        !(effects.writes.is_empty()
            && effects.writes_elements.is_empty()
            && effects.allocates.is_empty()
            && effects.allocates_arrays.is_empty())
    }

    /// Whether there is anything that a call could break: an invariant, or a field whose type promises something.
    pub fn has_invariant(&self) -> bool {
        let this = formula::expr(
            ExprKind::This,
            Type::Class {
                class: self.class(),
                nullable: false,
            },
        );
        let mut names = Names::default();
        self.arrays_promise()
            || (0..self.source().classes.len()).any(|class| {
                !invariant_of(&self.layout, &mut names, ClassId(class), &this)
                    .0
                    .is_empty()
            })
    }

    /// Whether the type of an array's elements promises something.
    fn arrays_promise(&self) -> bool {
        let mut arrays = self.layout.arrays.iter();
        arrays.any(|element| self.layout.every_array(element).is_some())
    }

    /// What beside the object's own invariant a call can break, in words.
    pub fn kept_by_others(&self) -> &'static str {
        let mut classes = (0..self.source().classes.len()).map(ClassId);
        let objects = classes.any(|class| self.layout.in_heap(class));
        match (self.arrays_promise(), objects) {
            (false, _) => "the invariant of another object",
            (true, false) => "what an array's elements promise by their type",
            (true, true) => {
                "the invariant of another object, or what an array's elements promise by their type"
            }
        }
    }

    /// Who decides that an action is called, where the class says so.
    pub fn control(&self) -> BTreeMap<String, Control> {
        let actions = self.actions.iter();
        actions
            .filter_map(|a| {
                let control = self.source().routine(a.routine).control?;
                Some((a.name.clone(), control))
            })
            .collect()
    }

    /// What stands between the names of actions in a word: more underscores than any of them has in a row, so that
    /// `{get_next}` and `{get, next}` are different words.
    fn separator(&self) -> String {
        let underscores = |name: &str| name.split(|c| c != '_').map(str::len).max();
        let longest = self
            .actions
            .iter()
            .filter_map(|a| underscores(&a.name))
            .max();
        "_".repeat(longest.unwrap_or(0) + 1)
    }

    /// A state as a word in a name: its actions, or its number where that would be too long.
    pub fn state_word(&self, state: &ActionSet) -> String {
        let names: Vec<&str> = state
            .iter()
            .map(|a| self.actions[a].name.as_str())
            .collect();
        let word = names.join(&self.separator());
        if names.is_empty() {
            "nothing".into()
        } else if word.len() <= 60 {
            word
        } else {
            format!("state_{}", state.hex())
        }
    }
}
