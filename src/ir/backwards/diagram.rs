//! Boolean functions of atoms, as reduced ordered decision diagrams (R. E. Bryant, "Graph-Based Algorithms for Boolean
//! Function Manipulation", IEEE Transactions on Computers C-35, 1986): equal parts are there once, so that what a branch
//! does not change is not there twice behind it.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

/// The place of an atom. What is decided earlier in a run is met later on the way back and has the higher number, and the
/// diagrams begin with it.
pub(super) type AtomId = u32;

/// A diagram: a node, and all that is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Bdd(u32);

impl Bdd {
    /// Holds nowhere.
    pub(super) const FALSE: Bdd = Bdd(0);
    /// Holds everywhere.
    pub(super) const TRUE: Bdd = Bdd(1);

    /// The one or the other.
    pub(super) fn of(value: bool) -> Bdd {
        if value { Bdd::TRUE } else { Bdd::FALSE }
    }
}

/// Diagrams larger than this together are not made, with all that were made since the last [`Diagrams::keep_only`]: what they
/// would have said is not known then.
const MOST_NODES: usize = 60_000;

/// Nor is more done with them than this, in nodes and expressions that are looked at. Counted, so that the same is known on each
/// machine.
const MOST_WORK: u64 = 10_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Inner {
    atom: AtomId,
    high: Bdd,
    low: Bdd,
}

/// After this much work it is asked whether there is time for more: every few milliseconds.
const BETWEEN_LOOKS: u64 = 10_000;

/// Says whether time is over.
pub(super) type Clock = Rc<dyn Fn() -> bool>;

/// All diagrams of one analysis.
pub(super) struct Diagrams {
    /// The first two are the constants; nobody looks at what they hold.
    nodes: Vec<Inner>,
    known: FxHashMap<Inner, Bdd>,
    choices: FxHashMap<(Bdd, Bdd, Bdd), Bdd>,
    /// Whether there were too many.
    full: bool,
    /// What was done.
    work: Cell<u64>,
    clock: Clock,
    is_late: Cell<bool>,
}

impl Diagrams {
    /// None yet. Once the clock says that time is over, none are made.
    pub(super) fn new(clock: Clock) -> Diagrams {
        Diagrams {
            nodes: no_nodes(),
            known: FxHashMap::default(),
            choices: FxHashMap::default(),
            full: false,
            work: Cell::new(0),
            is_late: Cell::new(clock()),
            clock,
        }
    }

    /// Whether some diagram was not made, since there are too many or time is over: all results are worthless then.
    pub(super) fn is_full(&self) -> bool {
        self.full || self.work.get() > MOST_WORK || self.is_late()
    }

    /// Whether time was over before all was done.
    pub(super) fn is_late(&self) -> bool {
        self.is_late.get()
    }

    /// What was done with them.
    pub(super) fn work(&self) -> u64 {
        self.work.get()
    }

    /// So much is done.
    pub(super) fn works(&self, much: usize) {
        let before = self.work.get();
        let now = before + much as u64;
        self.work.set(now);
        if before / BETWEEN_LOOKS != now / BETWEEN_LOOKS {
            self.is_late.set(self.is_late() || (self.clock)());
        }
    }

    /// Forgets all but these diagrams, which get new names: what is done next has as much room as they had.
    pub(super) fn keep_only<'b>(&mut self, roots: impl IntoIterator<Item = &'b mut Bdd>) {
        let roots: Vec<&mut Bdd> = roots.into_iter().collect();
        if self.full {
            return;
        }
        let mut needed: FxHashSet<Bdd> = FxHashSet::default();
        let mut open: Vec<Bdd> = roots.iter().map(|root| **root).collect();
        while let Some(node) = open.pop() {
            if let Some((_, high, low)) = self.top(node)
                && needed.insert(node)
            {
                open.extend([high, low]);
            }
        }
        let mut needed: Vec<Bdd> = needed.into_iter().collect();
        // What a node consists of was made before it.
        needed.sort();
        self.works(needed.len());
        let before = std::mem::replace(&mut self.nodes, no_nodes());
        self.known.clear();
        self.choices.clear();
        let mut renamed: FxHashMap<Bdd, Bdd> = FxHashMap::default();
        for node in needed {
            let name = |node: Bdd| renamed.get(&node).copied().unwrap_or(node);
            if let Some(Inner { atom, high, low }) = before.get(node.0 as usize).copied() {
                let (high, low) = (name(high), name(low));
                let again = self.node(Inner { atom, high, low });
                renamed.insert(node, again);
            }
        }
        for root in roots {
            *root = renamed.get(root).copied().unwrap_or(*root);
        }
    }

    /// Something that cannot be made.
    pub(super) fn unknown(&mut self) -> Bdd {
        self.full = true;
        Bdd::TRUE
    }

    /// The atom at the top, and the diagrams where it holds and where it does not; none of a constant.
    pub(super) fn top(&self, node: Bdd) -> Option<(AtomId, Bdd, Bdd)> {
        let inner = self.nodes.get(node.0 as usize)?;
        (node > Bdd::TRUE).then_some((inner.atom, inner.high, inner.low))
    }

    fn node(&mut self, inner: Inner) -> Bdd {
        if inner.high == inner.low {
            return inner.high;
        }
        if let Some(known) = self.known.get(&inner) {
            return *known;
        }
        if self.nodes.len() >= MOST_NODES {
            return self.unknown();
        }
        let node = Bdd(self.nodes.len() as u32);
        self.nodes.push(inner);
        self.known.insert(inner, node);
        node
    }

    /// The atom alone.
    pub(super) fn atom(&mut self, atom: AtomId) -> Bdd {
        self.node(Inner {
            atom,
            high: Bdd::TRUE,
            low: Bdd::FALSE,
        })
    }

    /// `if condition then a else b`
    pub(super) fn choice(&mut self, condition: Bdd, a: Bdd, b: Bdd) -> Bdd {
        if condition == Bdd::TRUE || a == b {
            return a;
        }
        if condition == Bdd::FALSE {
            return b;
        }
        if a == Bdd::TRUE && b == Bdd::FALSE || self.is_full() {
            return condition;
        }
        self.works(1);
        let key = (condition, a, b);
        if let Some(known) = self.choices.get(&key) {
            return *known;
        }
        let tops = [condition, a, b].map(|node| self.top(node).map(|(atom, ..)| atom));
        let Some(atom) = tops.into_iter().flatten().max() else {
            return condition;
        };
        let high = key_at(self, key, atom, true);
        let high = self.choice(high.0, high.1, high.2);
        let low = key_at(self, key, atom, false);
        let low = self.choice(low.0, low.1, low.2);
        let node = self.node(Inner { atom, high, low });
        self.choices.insert(key, node);
        node
    }

    /// `!a`
    pub(super) fn not(&mut self, a: Bdd) -> Bdd {
        self.choice(a, Bdd::FALSE, Bdd::TRUE)
    }

    /// `a && b`
    pub(super) fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.choice(a, b, Bdd::FALSE)
    }

    /// `a || b`
    pub(super) fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.choice(a, Bdd::TRUE, b)
    }

    /// The atoms that it depends on.
    pub(super) fn support(&self, node: Bdd) -> BTreeSet<AtomId> {
        let mut seen = FxHashSet::default();
        let mut atoms = FxHashSet::default();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if let Some((atom, high, low)) = self.top(node)
                && seen.insert(node)
            {
                atoms.insert(atom);
                open.extend([high, low]);
            }
        }
        self.works(seen.len());
        atoms.into_iter().collect()
    }

    /// The diagram with other diagrams in the place of atoms.
    pub(super) fn replace(&mut self, node: Bdd, by: &FxHashMap<AtomId, Bdd>) -> Bdd {
        let mut done = FxHashMap::default();
        self.replaced(node, by, &mut done)
    }

    fn replaced(
        &mut self,
        node: Bdd,
        by: &FxHashMap<AtomId, Bdd>,
        done: &mut FxHashMap<Bdd, Bdd>,
    ) -> Bdd {
        let Some((atom, high, low)) = self.top(node) else {
            return node;
        };
        if let Some(known) = done.get(&node) {
            return *known;
        }
        self.works(1);
        let high = self.replaced(high, by, done);
        let low = self.replaced(low, by, done);
        let condition = match by.get(&atom) {
            Some(other) => *other,
            None => self.atom(atom),
        };
        let result = self.choice(condition, high, low);
        done.insert(node, result);
        result
    }

    /// The diagram where an atom holds, or does not.
    pub(super) fn given(&mut self, node: Bdd, atom: AtomId, holds: bool) -> Bdd {
        let by = FxHashMap::from_iter([(atom, Bdd::of(holds))]);
        self.replace(node, &by)
    }

    /// A product for which the diagram is true, of the fewest atoms that are not free; none for false.
    pub(super) fn shortest_path(&self, node: Bdd, free: &BTreeSet<AtomId>) -> Option<Product> {
        let mut known = FxHashMap::default();
        self.length(node, free, &mut known)?;
        let mut path = Product::new();
        let mut node = node;
        while let Some((atom, high, low)) = self.top(node) {
            let length = |node: &Bdd| known.get(node).copied().flatten().unwrap_or(usize::MAX);
            let holds = length(&high) <= length(&low);
            path.push((atom, holds));
            node = if holds { high } else { low };
        }
        Some(path)
    }

    /// How many atoms that are not free stand on the shortest path to true.
    fn length(
        &self,
        node: Bdd,
        free: &BTreeSet<AtomId>,
        known: &mut FxHashMap<Bdd, Option<usize>>,
    ) -> Option<usize> {
        if let Some(known) = known.get(&node) {
            return *known;
        }
        let length = match self.top(node) {
            Some((atom, high, low)) => {
                self.works(1);
                let [high, low] = [high, low].map(|node| self.length(node, free, known));
                let rest = high.into_iter().chain(low).min();
                rest.map(|rest| rest + usize::from(!free.contains(&atom)))
            }
            None => (node == Bdd::TRUE).then_some(0),
        };
        known.insert(node, length);
        length
    }

    /// An irredundant sum of products that is true where `low` is and false where `high` is not (S. Minato, "Fast
    /// Generation of Irredundant Sum-of-Products Forms from Binary Decision Diagrams", SASIMI 1992), each product as its
    /// literals from the highest atom down. None where there are more than `most`.
    pub(super) fn products(&mut self, low: Bdd, high: Bdd, most: usize) -> Option<Vec<Product>> {
        let mut cover = PrimeCover {
            diagrams: self,
            most,
            steps: 0,
        };
        let (_, mut products) = cover.of(low, high)?;
        for product in &mut products {
            product.reverse();
        }
        Some(products)
    }
}

/// The constants alone.
fn no_nodes() -> Vec<Inner> {
    let constant = Inner {
        atom: 0,
        high: Bdd::FALSE,
        low: Bdd::FALSE,
    };
    vec![constant; 2]
}

/// Literals: an atom, and whether it holds.
pub(super) type Product = Vec<(AtomId, bool)>;

fn key_at(
    diagrams: &Diagrams,
    (a, b, c): (Bdd, Bdd, Bdd),
    atom: AtomId,
    holds: bool,
) -> (Bdd, Bdd, Bdd) {
    let at = |node: Bdd| match diagrams.top(node) {
        Some((top, high, low)) if top == atom => {
            if holds {
                high
            } else {
                low
            }
        }
        _ => node,
    };
    (at(a), at(b), at(c))
}

/// The search for products takes no more steps than this.
const MOST_STEPS: usize = 20_000;

struct PrimeCover<'d> {
    diagrams: &'d mut Diagrams,
    most: usize,
    steps: usize,
}

impl PrimeCover<'_> {
    /// A cover between the two, as a diagram and as products, each with its highest atom last.
    fn of(&mut self, low: Bdd, high: Bdd) -> Option<(Bdd, Vec<Product>)> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        if low == Bdd::FALSE {
            return Some((Bdd::FALSE, Vec::new()));
        }
        if high == Bdd::TRUE {
            return Some((Bdd::TRUE, vec![Vec::new()]));
        }
        let tops = [low, high].map(|node| self.diagrams.top(node).map(|(atom, ..)| atom));
        let atom = tops.into_iter().flatten().max()?;
        let (low1, high1, _) = key_at(self.diagrams, (low, high, high), atom, true);
        let (low0, high0, _) = key_at(self.diagrams, (low, high, high), atom, false);
        // What only the one side can cover has the literal.
        let not_high0 = self.diagrams.not(high0);
        let only1 = self.diagrams.and(low1, not_high0);
        let not_high1 = self.diagrams.not(high1);
        let only0 = self.diagrams.and(low0, not_high1);
        let (node1, products1) = self.of(only1, high1)?;
        let (node0, products0) = self.of(only0, high0)?;
        // The rest does without it.
        let (not1, not0) = (self.diagrams.not(node1), self.diagrams.not(node0));
        let rest1 = self.diagrams.and(low1, not1);
        let rest0 = self.diagrams.and(low0, not0);
        let rest = self.diagrams.or(rest1, rest0);
        let both = self.diagrams.and(high1, high0);
        let (without, products) = self.of(rest, both)?;
        let literal = self.diagrams.atom(atom);
        let with = self.diagrams.choice(literal, node1, node0);
        let node = self.diagrams.or(with, without);
        let with_literal = |holds| {
            move |mut product: Product| {
                product.push((atom, holds));
                product
            }
        };
        let mut all: Vec<Product> = products1.into_iter().map(with_literal(true)).collect();
        all.extend(products0.into_iter().map(with_literal(false)));
        all.extend(products);
        (all.len() <= self.most).then_some((node, all))
    }
}
