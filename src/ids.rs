//! Positions as types: the number of a node cannot be taken for that of a variable, and a number that leads nowhere is an
//! [internal error](Internal), not a silent nothing.

use std::fmt::Debug;
use std::marker::PhantomData;

use crate::internal::{Internal, internal};

/// The type of positions in a [`Table`]; made by `id!`.
pub trait Id: Copy + Ord + Debug + 'static {
    /// The position of that number, from 0.
    fn new(index: usize) -> Self;
    /// Its number.
    fn index(self) -> usize;
}

/// Declares types of positions: `id! { /// A node of a graph. pub NodeId; }`
macro_rules! id {
    ($($(#[$doc:meta])* $vis:vis $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
            $vis struct $name(u32);

            impl $crate::ids::Id for $name {
                fn new(index: usize) -> Self {
                    // No table has so many entries: they would not fit into memory.
                    $name(u32::try_from(index).unwrap_or(u32::MAX))
                }

                fn index(self) -> usize {
                    self.0 as usize
                }
            }

            impl std::fmt::Debug for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    write!(f, "{}({})", stringify!($name), self.0)
                }
            }
        )+
    };
}
pub(crate) use id;

/// A list whose places have a type of their own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Table<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn() -> I>,
}

impl<I: Id, T> Table<I, T> {
    /// An empty table.
    pub const fn new() -> Self {
        Table {
            items: Vec::new(),
            ids: PhantomData,
        }
    }

    /// A table with the same places as another, each with this item.
    pub fn like<U>(other: &Table<I, U>, item: T) -> Self
    where
        T: Clone,
    {
        Table::from_iter(other.ids().map(|_| item.clone()))
    }

    /// Adds an item at the end; its place.
    pub fn push(&mut self, item: T) -> I {
        let id = self.next_id();
        self.items.push(item);
        id
    }

    /// Takes away the items behind so many.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// The place that the next item will have.
    pub fn next_id(&self) -> I {
        I::new(self.items.len())
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at a place.
    ///
    /// # Errors
    ///
    /// There is no such place, which cannot be.
    #[track_caller]
    pub fn at(&self, id: I) -> Result<&T, Internal> {
        match self.items.get(id.index()) {
            Some(item) => Ok(item),
            None => Err(nothing_at(id)),
        }
    }

    /// As [`Table::at`], to be changed.
    ///
    /// # Errors
    ///
    /// There is no such place, which cannot be.
    #[track_caller]
    pub fn at_mut(&mut self, id: I) -> Result<&mut T, Internal> {
        match self.items.get_mut(id.index()) {
            Some(item) => Ok(item),
            None => Err(nothing_at(id)),
        }
    }

    /// All places.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// All items.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All items with their places.
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items
            .iter()
            .enumerate()
            .map(|(i, item)| (I::new(i), item))
    }

    /// The first place whose item is such.
    pub fn find(&self, is_such: impl FnMut(&T) -> bool) -> Option<I> {
        self.items.iter().position(is_such).map(I::new)
    }
}

#[cold]
#[track_caller]
fn nothing_at(id: impl Id) -> Internal {
    internal(format!("there is no {id:?}"))
}

impl<I: Id, T> Default for Table<I, T> {
    fn default() -> Self {
        Table::new()
    }
}

impl<I: Id, T> FromIterator<T> for Table<I, T> {
    fn from_iter<F: IntoIterator<Item = T>>(items: F) -> Self {
        Table {
            items: Vec::from_iter(items),
            ids: PhantomData,
        }
    }
}

impl<I: Id, T> Extend<T> for Table<I, T> {
    fn extend<F: IntoIterator<Item = T>>(&mut self, items: F) {
        self.items.extend(items);
    }
}

impl<I, T> IntoIterator for Table<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a Table<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut Table<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}
