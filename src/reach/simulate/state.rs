//! What is known at a place of a procedure: which variables have the same value, and what is known of each.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::fact::Fact;
use crate::boogie::typed::{BoogieType, VariableRef};
use crate::ids::{Id, Table, id};
use crate::internal::Internal;

id! {
    /// A variable of a procedure, or what it was at the beginning.
    pub(super) Slot;
    /// A value that is known to be the same in several places.
    pub(super) Class;
}

/// An element of a map: the map, and where.
pub(super) type Cell = (VariableRef, Vec<Class>);

/// What is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct State {
    /// The value of each variable; none of which nothing is known.
    slots: Table<Slot, Option<Class>>,
    /// What is known of each value.
    facts: Table<Class, Fact>,
    /// The values of elements.
    cells: BTreeMap<Cell, Class>,
}

impl State {
    /// One where nothing is known of so many variables.
    pub(super) fn of(slots: usize) -> Self {
        State {
            slots: (0..slots).map(|_| None).collect(),
            ..State::default()
        }
    }

    /// How many variables there are.
    pub(super) fn width(&self) -> usize {
        self.slots.len()
    }

    /// Another value.
    pub(super) fn value(&mut self, fact: Fact) -> Class {
        self.facts.push(fact)
    }

    /// What is known of a value.
    pub(super) fn fact(&self, class: Class) -> Result<&Fact, Internal> {
        self.facts.at(class)
    }

    /// What is known of a variable, if anything is.
    pub(super) fn fact_of(&self, slot: Slot) -> Result<Option<&Fact>, Internal> {
        let class = *self.slots.at(slot)?;
        class.map(|class| self.facts.at(class)).transpose()
    }

    /// The value of a variable, if anything is known of it.
    pub(super) fn known(&self, slot: Slot) -> Result<Option<Class>, Internal> {
        Ok(*self.slots.at(slot)?)
    }

    /// The value of a variable of this type.
    pub(super) fn read(&mut self, slot: Slot, ty: &BoogieType) -> Result<Class, Internal> {
        if let Some(class) = *self.slots.at(slot)? {
            return Ok(class);
        }
        let class = self.value(Fact::of_type(ty));
        *self.slots.at_mut(slot)? = Some(class);
        Ok(class)
    }

    /// Gives a variable a value, or any.
    pub(super) fn write(&mut self, slot: Slot, class: Option<Class>) -> Result<(), Internal> {
        *self.slots.at_mut(slot)? = class;
        Ok(())
    }

    /// Another variable, until [`State::truncate`].
    pub(super) fn push(&mut self, class: Class) -> Slot {
        self.slots.push(Some(class))
    }

    /// Forgets the variables from this one on.
    pub(super) fn truncate(&mut self, width: usize) {
        self.slots.truncate(width);
    }

    /// Forgets all variables but these.
    pub(super) fn keep_only(&mut self, kept: &FixedBitSet) -> Result<(), Internal> {
        for slot in self.slots.ids() {
            if !kept.contains(slot.index()) {
                *self.slots.at_mut(slot)? = None;
            }
        }
        Ok(())
    }

    /// The value of an element of this type.
    pub(super) fn select(&mut self, cell: Cell, ty: &BoogieType) -> Class {
        if let Some(class) = self.cells.get(&cell) {
            return *class;
        }
        let class = self.value(Fact::of_type(ty));
        self.cells.insert(cell, class);
        class
    }

    /// Gives an element a value. Of those it may be the same as, nothing is known any more.
    pub(super) fn store(&mut self, cell: Cell, class: Option<Class>) -> Result<(), Internal> {
        let mut kept = BTreeMap::new();
        for ((map, keys), value) in std::mem::take(&mut self.cells) {
            if map != cell.0 || self.differ(&keys, &cell.1)? {
                kept.insert((map, keys), value);
            }
        }
        self.cells = kept;
        if let Some(class) = class {
            self.cells.insert(cell, class);
        }
        Ok(())
    }

    /// Is one of these surely another value than the other in the same place?
    fn differ(&self, some: &[Class], others: &[Class]) -> Result<bool, Internal> {
        for (a, b) in some.iter().zip(others) {
            if self.fact(*a)?.and(self.fact(*b)?).is_absurd() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Forgets the elements of a map.
    pub(super) fn forget(&mut self, map: VariableRef) {
        self.cells.retain(|(of, _), _| *of != map);
    }

    /// Takes it that an element has this value, where nothing was known of it.
    pub(super) fn learn(&mut self, cell: Cell, class: Class) {
        self.cells.entry(cell).or_insert(class);
    }

    /// All elements of which something is known.
    pub(super) fn cells(&self) -> impl Iterator<Item = (&Cell, Class)> {
        self.cells.iter().map(|(cell, class)| (cell, *class))
    }

    /// Takes it that more is known of a value. Whether that can be.
    pub(super) fn refine(&mut self, class: Class, fact: &Fact) -> Result<bool, Internal> {
        let known = self.facts.at_mut(class)?;
        *known = known.and(fact);
        Ok(!known.is_absurd())
    }

    /// Takes it that two values are the same. Whether that can be.
    pub(super) fn unify(&mut self, one: Class, other: Class) -> Result<bool, Internal> {
        if one == other {
            return Ok(true);
        }
        let fact = self.fact(other)?.clone();
        if !self.refine(one, &fact)? {
            return Ok(false);
        }
        let same = |class: &mut Class| {
            if *class == other {
                *class = one;
            }
        };
        self.slots.iter_mut().flatten().for_each(same);
        for ((map, mut keys), mut class) in std::mem::take(&mut self.cells) {
            keys.iter_mut().for_each(same);
            same(&mut class);
            // Two elements that are the same now have one value; it is enough to know one of its names.
            self.cells.entry((map, keys)).or_insert(class);
        }
        Ok(true)
    }

    /// The same with values numbered by where they are, so that what says the same is the same.
    ///
    /// Of a value that only one variable has, and of which nothing is known, nothing is said. Elements stay whose keys a
    /// variable has.
    pub(super) fn canonical(&self) -> Result<State, Internal> {
        let mut places: FxHashMap<Class, usize> = FxHashMap::default();
        let in_cells = self.cells.iter();
        let in_cells = in_cells.flat_map(|((_, keys), value)| keys.iter().chain([value]));
        for class in self.slots.iter().flatten().chain(in_cells) {
            *places.entry(*class).or_default() += 1;
        }
        let mut numbering = Numbering::default();
        let mut slots = Table::new();
        for class in &self.slots {
            let said = match class {
                Some(class) if places.get(class) > Some(&1) || !self.fact(*class)?.is_nothing() => {
                    Some(numbering.number(*class, self.fact(*class)?))
                }
                _ => None,
            };
            slots.push(said);
        }
        let mut cells: Vec<(Cell, Class)> = Vec::new();
        for ((map, keys), value) in &self.cells {
            let keys = keys.iter().map(|key| numbering.known(*key));
            if let Some(keys) = keys.collect::<Option<Vec<Class>>>() {
                cells.push(((*map, keys), *value));
            }
        }
        cells.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut numbered = BTreeMap::new();
        for (cell, value) in cells {
            let fact = self.fact(value)?;
            if numbering.known(value).is_some() || !fact.is_nothing() {
                numbered.insert(cell, numbering.number(value, fact));
            }
        }
        Ok(State {
            slots,
            facts: numbering.facts,
            cells: numbered,
        })
    }

    /// What both know.
    pub(super) fn or(&self, other: &State) -> Result<State, Internal> {
        let mut both = State::default();
        let mut pairs: FxHashMap<(Class, Class), Class> = FxHashMap::default();
        for (one, other_one) in self.slots.iter().zip(&other.slots) {
            let class = match (one, other_one) {
                (Some(a), Some(b)) => Some(both.pair(&mut pairs, (self, *a), (other, *b))?),
                _ => None,
            };
            both.slots.push(class);
        }
        for ((map, keys), value) in &self.cells {
            for ((of, others), other_value) in &other.cells {
                let same = |(a, b): (&Class, &Class)| pairs.get(&(*a, *b)).copied();
                let keys = keys
                    .iter()
                    .zip(others)
                    .map(same)
                    .collect::<Option<Vec<_>>>();
                let Some(keys) = keys.filter(|_| map == of) else {
                    continue;
                };
                let class = both.pair(&mut pairs, (self, *value), (other, *other_value))?;
                both.cells.insert((*map, keys), class);
            }
        }
        both.canonical()
    }

    /// The value that is the one in one state and the other in the other.
    fn pair(
        &mut self,
        pairs: &mut FxHashMap<(Class, Class), Class>,
        (one, a): (&State, Class),
        (other, b): (&State, Class),
    ) -> Result<Class, Internal> {
        if let Some(class) = pairs.get(&(a, b)) {
            return Ok(*class);
        }
        let class = self.value(one.fact(a)?.or(other.fact(b)?));
        pairs.insert((a, b), class);
        Ok(class)
    }
}

/// Values numbered in the order in which they are come across. Two that can only be the same value are one.
#[derive(Default)]
struct Numbering {
    facts: Table<Class, Fact>,
    numbers: FxHashMap<Class, Class>,
    sole: BTreeMap<Fact, Class>,
}

impl Numbering {
    fn known(&self, class: Class) -> Option<Class> {
        self.numbers.get(&class).copied()
    }

    fn number(&mut self, class: Class, fact: &Fact) -> Class {
        if let Some(number) = self.known(class) {
            return number;
        }
        let is_sole = fact.value().is_some();
        let same = self.sole.get(fact).copied().filter(|_| is_sole);
        let number = same.unwrap_or_else(|| self.facts.push(fact.clone()));
        if is_sole {
            self.sole.insert(fact.clone(), number);
        }
        self.numbers.insert(class, number);
        number
    }
}
