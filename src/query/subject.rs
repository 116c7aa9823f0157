//! The class under study: what all questions are about.

use std::collections::BTreeSet;
use std::ops::Index;
use std::sync::{Arc, OnceLock};

use super::{AbstractState, ActionId, Callee, ConstructorId, Exit, Mark, PredicateId};
use crate::ir::effects::{Effects, owned, thrown_when_legal};
use crate::ir::guard::{self, Guard};
use crate::ir::{
    ClassId, CompareOp, ExceptionId, Expr, FieldRef, Program, Routine, RoutineKind, RoutineRef,
    Type, VarId, facts, formula,
};

/// A class under study: its program, the actions that are looked at with their guards, and how objects are made.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The whole input program.
    pub program: Arc<Program>,
    /// The class.
    pub class: ClassId,
    /// What each routine of the program may do.
    pub effects: Effects,
    /// The actions under study, in the order declared.
    pub actions: Vec<Action>,
    /// The ways to make an object.
    pub constructors: Vec<Constructor>,
    /// What states are told apart by besides what can be called in them.
    pub predicates: Vec<Predicate>,
    /// See [`Subject::owned`]; found when it is asked for.
    owned: OnceLock<BTreeSet<FieldRef>>,
}

/// An action under study.
#[derive(Clone, Debug)]
pub struct Action {
    /// The routine.
    pub routine: RoutineRef,
    /// Its name.
    pub name: String,
    /// What it is called where it is shown.
    pub shown: String,
    /// When it can be called.
    pub guard: Guard,
}

/// What states are told apart by besides what can be called in them: it holds of all objects in a state, or of none.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// How it is shown.
    pub name: String,
    /// Where it holds, which is where its guard is enabled, and where it does not.
    guard: Guard,
}

impl Predicate {
    /// What is true or false of every configuration.
    pub fn new(name: impl Into<String>, holds: Expr) -> Self {
        Predicate {
            name: name.into(),
            guard: Guard::exactly(holds),
        }
    }
}

/// A way to make an object.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// The constructor; none where the class has none, and `initially` says how an object starts.
    pub routine: Option<RoutineRef>,
    /// `FiniteStack(int)`, or `initially`.
    pub shown: String,
}

impl Index<ActionId> for Subject {
    type Output = Action;

    fn index(&self, id: ActionId) -> &Action {
        &self.actions[id.0]
    }
}

impl Index<ConstructorId> for Subject {
    type Output = Constructor;

    fn index(&self, id: ConstructorId) -> &Constructor {
        &self.constructors[id.0]
    }
}

impl Subject {
    /// A class with all its actions.
    pub fn of_class(program: Arc<Program>, class: ClassId) -> Self {
        let actions = program.class(class).routines_of(RoutineKind::Action);
        let actions: Vec<RoutineRef> = actions.map(|index| RoutineRef { class, index }).collect();
        Subject::new(program, class, &actions)
    }

    /// A class. `actions` are the routines under study, in the order declared.
    pub fn new(program: Arc<Program>, class: ClassId, actions: &[RoutineRef]) -> Self {
        let constructors = program.constructors(class).into_iter();
        let constructors = constructors.map(|routine| Constructor {
            routine,
            shown: routine.map_or("initially".into(), |r| program.signature(r)),
        });
        let constructors = constructors.collect();
        let actions = actions.iter().map(|routine| Action {
            routine: *routine,
            name: program.routine(*routine).name.clone(),
            shown: program.routine(*routine).shown().to_owned(),
            guard: guard::guard(&program, *routine),
        });
        Subject {
            effects: Effects::of(&program),
            class,
            actions: actions.collect(),
            constructors,
            predicates: Vec::new(),
            program,
            owned: OnceLock::new(),
        }
    }

    /// The same, where states are told apart by these predicates, too.
    #[must_use]
    pub fn told_apart_by(self, predicates: Vec<Predicate>) -> Subject {
        Subject { predicates, ..self }
    }

    /// The same class and actions in another program, which differs in what its routines do and require.
    #[must_use]
    pub fn in_program(&self, program: Program) -> Subject {
        let actions: Vec<RoutineRef> = self.actions.iter().map(|a| a.routine).collect();
        Subject::new(Arc::new(program), self.class, &actions).told_apart_by(self.predicates.clone())
    }

    /// The class's fields whose objects and arrays nobody else knows.
    pub fn owned(&self) -> &BTreeSet<FieldRef> {
        let find = || owned(&self.program, &self.effects, self.class);
        self.owned.get_or_init(find)
    }

    /// The class's name.
    pub fn name(&self) -> &str {
        &self.program.class(self.class).name
    }

    /// The positions of the actions.
    pub fn action_ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = ActionId> + ExactSizeIterator + Clone + use<> {
        (0..self.actions.len()).map(ActionId)
    }

    /// The positions of the ways to make an object.
    pub fn constructor_ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = ConstructorId> + ExactSizeIterator + Clone + use<> {
        (0..self.constructors.len()).map(ConstructorId)
    }

    /// The action that is called this: as it is shown, or else by its name.
    pub fn action_named(&self, name: &str) -> Option<ActionId> {
        let routines = self.actions.iter().map(|a| self.program.routine(a.routine));
        Routine::called(routines, name).map(ActionId)
    }

    /// The routine that is called; none where the class has no constructor.
    pub fn routine(&self, callee: Callee) -> Option<RoutineRef> {
        match callee {
            Callee::Constructor(id) => self[id].routine,
            Callee::Action(id) => Some(self[id].routine),
        }
    }

    /// The parameters of what is called.
    pub fn params(&self, callee: Callee) -> &[VarId] {
        let routine = self.routine(callee);
        routine.map_or(&[], |routine| &self.program.routine(routine).params)
    }

    /// What is called, as it is shown: `FiniteStack(int)`, `push`.
    pub fn shown(&self, callee: Callee) -> &str {
        match callee {
            Callee::Constructor(id) => &self[id].shown,
            Callee::Action(id) => &self[id].shown,
        }
    }

    /// The exceptions that a routine may end in.
    pub fn exceptions_of(&self, routine: RoutineRef) -> &BTreeSet<ExceptionId> {
        &self.effects.routine(routine).throws
    }

    /// The exceptions that a call may end in that is legal, as far as that is known from its text.
    pub fn thrown_by(&self, callee: Callee) -> BTreeSet<ExceptionId> {
        match (callee, self.routine(callee)) {
            (Callee::Action(_), Some(routine)) => {
                thrown_when_legal(&self.program, &self.effects, routine)
            }
            (_, routine) => routine.map_or_else(BTreeSet::new, |r| self.exceptions_of(r).clone()),
        }
    }

    /// Whether the action is marked pure: it cannot change what can be called.
    pub fn is_pure(&self, action: ActionId) -> bool {
        self.program.routine(self[action].routine).pure
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
        let program = &self.program;
        let promises = |ty: &Type| facts::invariant(ty).is_some();
        let says_something = |e: &Expr| {
            let clause = formula::clause_under_invariant(program, e);
            let mut conjuncts = formula::conjuncts_of(clause).into_iter();
            conjuncts.any(|c| !formula::is_bool(&c, true))
        };
        self.arrays_promise()
            || program.classes.iter().any(|class| {
                class.breakable().iter().any(says_something)
                    || class.fields.iter().any(|field| promises(&field.ty))
            })
    }

    /// Whether the type of an array's elements promises something.
    fn arrays_promise(&self) -> bool {
        let mut mentioned = self.program.mentioned_types().into_iter();
        mentioned.any(|ty| match ty {
            Type::Array { element, .. } => facts::invariant(&element).is_some(),
            _ => false,
        })
    }

    /// Whether objects of the class under study are also referred to: then they live in the heap, as all others do.
    pub fn is_referred_to(&self) -> bool {
        let mut mentioned = self.program.mentioned_types().into_iter();
        mentioned.any(|ty| matches!(ty, Type::Class { class, .. } if class == self.class))
    }

    /// Whether there are maps: fields are none, though they are kept in some.
    pub fn has_maps(&self) -> bool {
        let mut mentioned = self.program.mentioned_types().into_iter();
        mentioned.any(|ty| matches!(ty, Type::Map(..)))
    }

    /// What beside the object's own invariant a call can break, in words.
    pub fn kept_by_others(&self) -> &'static str {
        let objects = self.program.classes.len() > 1 || self.is_referred_to();
        match (self.arrays_promise(), objects) {
            (false, _) => "the invariant of another object",
            (true, false) => "what an array's elements promise by their type",
            (true, true) => {
                "the invariant of another object, or what an array's elements promise by their type"
            }
        }
    }

    /// The normal exits of a call: one, or one for each combination of the outcomes that it is split by.
    pub fn normal_exits(&self, action: ActionId) -> Vec<Exit> {
        let program = &self.program;
        let split = &program.routine(self[action].routine).outcomes;
        if split.is_empty() {
            return vec![Exit::Normal];
        }
        let mut combinations: Vec<Vec<usize>> = vec![vec![]];
        for var in split {
            let values: Vec<usize> = match &program.var(*var).ty {
                Type::Enum(id) => (0..program.enums[id.0].members.len()).collect(),
                _ => vec![1, 0],
            };
            let longer = |c: Vec<usize>| {
                let with = |v: &usize| c.iter().copied().chain([*v]).collect();
                values.iter().map(with).collect::<Vec<_>>()
            };
            combinations = combinations.into_iter().flat_map(longer).collect();
        }
        combinations.into_iter().map(Exit::Outcome).collect()
    }

    /// What tells states apart: the actions, then the predicates.
    pub fn marks(&self) -> impl ExactSizeIterator<Item = Mark> + Clone + use<> {
        let count = self.actions.len();
        let mark = move |position: usize| match position.checked_sub(count) {
            None => Mark::Enabled(ActionId(position)),
            Some(position) => Mark::Holds(PredicateId(position)),
        };
        (0..count + self.predicates.len()).map(mark)
    }

    /// The state that has those marks of which this holds, in the order of [`marks`](Self::marks).
    pub fn state_where(&self, held: impl IntoIterator<Item = bool>) -> AbstractState {
        let marks = self.marks().zip(held);
        marks
            .filter_map(|(mark, held)| held.then_some(mark))
            .collect()
    }

    /// Where states have a mark, and where they have it not.
    pub fn guard(&self, mark: Mark) -> &Guard {
        match mark {
            Mark::Enabled(action) => &self[action].guard,
            Mark::Holds(predicate) => &self.predicates[predicate.0].guard,
        }
    }

    /// How a mark is shown.
    pub fn mark_name(&self, mark: Mark) -> &str {
        match mark {
            Mark::Enabled(action) => &self[action].shown,
            Mark::Holds(predicate) => &self.predicates[predicate.0].name,
        }
    }

    /// In just this state, as a formula. Where a guard is over-approximated it may hold of other configurations
    /// too.
    pub fn in_state(&self, state: &AbstractState) -> Expr {
        formula::all(self.marks().map(|mark| self.guard_in(state, mark).clone()))
    }

    /// Where just those actions can be called that can be in this state, whatever predicates hold.
    pub fn enabling_as_in(&self, state: &AbstractState) -> Expr {
        let marks = self.action_ids().map(Mark::Enabled);
        formula::all(marks.map(|mark| self.guard_in(state, mark).clone()))
    }

    /// The same, of which it is certain.
    pub fn certainly_enabling_as_in(&self, state: &AbstractState) -> Expr {
        let marks = self.action_ids().map(Mark::Enabled);
        formula::all(marks.map(|mark| self.certain_in(state, mark)))
    }

    /// What holds of a mark in a state: that the state has it, or that it has it not.
    pub(super) fn guard_in(&self, state: &AbstractState, mark: Mark) -> &Expr {
        let guard = self.guard(mark);
        if state.has(mark) {
            &guard.enabled
        } else {
            &guard.disabled
        }
    }

    /// What makes it certain that a state has a mark, or that it has it not.
    pub(super) fn certain_in(&self, state: &AbstractState, mark: Mark) -> Expr {
        let guard = self.guard(mark);
        match state.has(mark) {
            true => guard.certainly_enabled(),
            false => formula::not(guard.enabled.clone()),
        }
    }

    /// The actions of which it cannot always be told whether they can be called: their guards are over-approximated, or say
    /// more than is certain.
    pub fn guessed(&self) -> impl Iterator<Item = ActionId> {
        self.action_ids().filter(|id| !self[*id].guard.is_certain())
    }

    /// Whether it cannot always be told which actions can be called.
    pub fn is_guess(&self) -> bool {
        self.guessed().next().is_some()
    }

    /// What the class says of its states: `state { … } assumes e`.
    pub fn assumptions(&self) -> Vec<(AbstractState, Expr)> {
        let position = |index: &usize| {
            let mut actions = self.actions.iter();
            actions
                .position(|a| a.routine.index == *index)
                .map(ActionId)
        };
        let states = self.program.class(self.class).states.iter();
        let known = states.filter_map(|s| {
            let set: Option<AbstractState> = s.enabled.iter().map(position).collect();
            Some((
                set?,
                formula::clause_under_invariant(&self.program, &s.assumes),
            ))
        });
        known.collect()
    }

    /// The values that fields are declared with, as formulas, each with the name of its field.
    pub fn declared_values(&self) -> Vec<(String, Expr)> {
        let fields = self.program.class(self.class).fields.iter();
        let named = fields.zip(formula::own_fields(&self.program, self.class));
        let declared = named.filter_map(|(field, at)| {
            let value = formula::compare(CompareOp::Eq, at, field.value.clone()?);
            Some((field.name.clone(), value))
        });
        declared.collect()
    }

    /// How an object of a class without a constructor starts: with the values its fields are declared with, and
    /// where `initially` holds.
    pub fn declared_start(&self) -> Expr {
        let initially = self.program.class(self.class).initially.iter();
        let initially = initially.map(|e| formula::clause(&self.program, e));
        let values = self.declared_values().into_iter().map(|(_, e)| e);
        formula::all(values.chain(initially))
    }
}
