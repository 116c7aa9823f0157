//! Explicit exploration of what the compiler made of a contract: from its constructor on, each call that is tried is done by
//! the real machine. A state is what can be called with any of the values that are tried.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use num_bigint::BigInt;
use revm::primitives::{Address, U256};
use tranquera::front::solidity::flat::{Contract, EntryKind, EntryPoint, FlatType};

use super::tried::{PERSONS, Tried, longer, named_numbers, person};
use crate::abi_values::{CONTRACTS, address};
use crate::evm::{Answer, Call, Chain, Ended, Outside};
use crate::machine::{Data, encode, local_type, selector};
use crate::rng::Rng;

/// What can be called: a state of an EPA.
pub type State = BTreeSet<String>;

/// How many configurations are remembered, beside those that are looked at.
const REMEMBERED: usize = 20_000;

/// How far it goes.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// How many configurations are looked at.
    pub configurations: usize,
    /// How many calls of one function are tried in each.
    pub calls: usize,
}

/// An action.
#[derive(Clone)]
pub struct Action<'f> {
    pub name: String,
    /// The function; none for time, which goes on.
    pub entry: Option<&'f EntryPoint>,
}

/// A contract with what it keeps.
#[derive(Clone)]
struct Configuration {
    chain: Chain,
    at: Address,
    /// How many persons have had to do with it.
    persons: usize,
    /// What was called before, and then this.
    by: (Option<usize>, String),
}

type Key = (BTreeMap<U256, U256>, U256, u64, u64);

impl Configuration {
    fn key(&self) -> Key {
        let chain = &self.chain;
        let balance = chain.balance(self.at);
        (chain.storage(self.at), balance, chain.time, chain.number)
    }
}

/// A contract that is explored.
pub struct Exploration<'f> {
    flat: &'f Contract,
    code: Vec<u8>,
    actions: Vec<Action<'f>>,
    named: BTreeSet<BigInt>,
    more: BTreeSet<BigInt>,
    extent: Extent,
    known: Vec<Configuration>,
    by_key: HashMap<Key, usize>,
    /// What can be called in those that were looked at.
    states: BTreeMap<usize, State>,
    /// Calls from those that were looked at: none is the constructor's.
    edges: BTreeSet<(Option<usize>, usize, usize)>,
    /// What calls lead to, by the state before them and the action.
    open: BTreeMap<(Option<State>, usize), Open>,
}

/// Where calls of one kind lead.
#[derive(Default)]
struct Open {
    /// Configurations that were not looked at; some twice.
    next: Vec<usize>,
    /// How many were.
    followed: usize,
}

/// An edge between states, with one of the calls that take it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub source: Option<usize>,
    pub target: usize,
}

/// Edges: from a state (none before the constructor), with an action, to a state.
pub type SeenEdges = BTreeMap<(Option<State>, String, State), Vec<Seen>>;

impl<'f> Exploration<'f> {
    pub fn new(
        flat: &'f Contract,
        (chain, code): (Chain, Vec<u8>),
        actions: Vec<Action<'f>>,
        extent: Extent,
    ) -> Exploration<'f> {
        let mut exploration = Exploration::empty(flat, code, actions, extent);
        exploration.deploy(chain);
        exploration.explore();
        exploration
    }

    /// Nothing is looked at yet.
    pub fn empty(
        flat: &'f Contract,
        code: Vec<u8>,
        actions: Vec<Action<'f>>,
        extent: Extent,
    ) -> Exploration<'f> {
        Exploration {
            flat,
            code,
            actions,
            named: named_numbers(flat),
            more: BTreeSet::new(),
            extent,
            known: Vec::new(),
            by_key: HashMap::new(),
            states: BTreeMap::new(),
            edges: BTreeSet::new(),
            open: BTreeMap::new(),
        }
    }

    /// Tries these numbers too, wherever numbers or bytes are wanted.
    pub fn try_too(&mut self, numbers: impl IntoIterator<Item = BigInt>) {
        self.more.extend(numbers);
    }

    /// The number of a contract with what it keeps, to which so many persons have been; how it came to that is said by others.
    pub fn place(&mut self, chain: Chain, at: Address, persons: usize) -> usize {
        self.known.push(Configuration {
            chain,
            at,
            persons,
            by: (None, String::new()),
        });
        self.known.len() - 1
    }

    /// How many configurations were looked at, of how many that are known.
    pub fn size(&self) -> (usize, usize) {
        (self.states.len(), self.known.len())
    }

    /// All that was seen.
    pub fn edges(&self) -> SeenEdges {
        let mut seen = SeenEdges::new();
        for (source, action, target) in &self.edges {
            let Some(to) = self.states.get(target) else {
                continue;
            };
            let from = source.map(|source| self.states[&source].clone());
            let action = match source {
                Some(_) => self.actions[*action].name.clone(),
                None => String::new(),
            };
            let edges = seen.entry((from, action, to.clone())).or_default();
            edges.push(Seen {
                source: *source,
                target: *target,
            });
        }
        seen
    }

    /// The calls that lead to a configuration.
    pub fn told(&self, at: usize) -> String {
        let mut lines = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next {
            let (before, by) = &self.known[at].by;
            lines.push(by.clone());
            next = *before;
        }
        lines.reverse();
        lines.join("\n  ")
    }

    /// What can be called in a configuration, where much more is tried.
    pub fn state_with(&self, at: usize, calls: usize) -> State {
        let mut state = self.states.get(&at).cloned().unwrap_or_default();
        for number in 0..self.actions.len() {
            let name = &self.actions[number].name;
            if !state.contains(name) {
                let mut is_enabled = false;
                self.after(at, number, calls, true, &mut |_| {
                    is_enabled = true;
                    false
                });
                if is_enabled {
                    state.insert(name.clone());
                }
            }
        }
        state
    }

    fn deploy(&mut self, chain: Chain) {
        let entry = &self.flat.constructor;
        let tried = Tried::new(&self.named, std::iter::empty(), chain.time, 2, false);
        let mut rng = Rng(1);
        for (arguments, data) in self.arguments(&mut rng, &tried, entry, self.extent.calls * 4) {
            let ether = match entry.is_payable() {
                true => tried.ether(),
                false => vec![U256::ZERO],
            };
            let balance = chain.balance(person(0));
            for value in ether.into_iter().filter(|value| *value <= balance) {
                let mut scripts = vec![Vec::new()];
                while let Some(script) = scripts.pop() {
                    let mut chain = chain.clone();
                    let code = [self.code.clone(), data.clone()].concat();
                    let mut outside = Outside::new(script.clone());
                    let made = chain.deploy(person(0), &code, value, &mut outside);
                    scripts.extend(longer(self.flat, &script, outside.asked));
                    let Ok(at) = made else { continue };
                    let by = format!("create {arguments:?} with {value}, {script:?}");
                    let made = Configuration {
                        chain,
                        at,
                        persons: 2,
                        by: (None, by),
                    };
                    if let Some(target) = self.know(made) {
                        self.edges.insert((None, 0, target));
                        self.open.entry((None, 0)).or_default().next.push(target);
                    }
                }
            }
        }
    }

    /// The number of a configuration. None if too many are known.
    fn know(&mut self, configuration: Configuration) -> Option<usize> {
        let key = configuration.key();
        if let Some(known) = self.by_key.get(&key) {
            return Some(*known);
        }
        if self.known.len() >= REMEMBERED {
            return None;
        }
        self.by_key.insert(key, self.known.len());
        self.known.push(configuration);
        Some(self.known.len() - 1)
    }

    /// Next comes what a call leads to that has been followed least often from such a state: so rare states are found.
    fn explore(&mut self) {
        let mut rng = Rng(2);
        while self.states.len() < self.extent.configurations {
            let open = self
                .open
                .iter_mut()
                .filter(|(_, open)| !open.next.is_empty());
            let Some((_, open)) = open.min_by_key(|(_, open)| open.followed) else {
                return;
            };
            let drawn = rng.below(open.next.len());
            let at = open.next.swap_remove(drawn);
            if !self.states.contains_key(&at) {
                open.followed += 1;
                self.look_at(at);
            }
        }
    }

    fn look_at(&mut self, at: usize) {
        let mut state = State::new();
        for number in 0..self.actions.len() {
            let mut found = Vec::new();
            self.after(at, number, self.extent.calls, false, &mut |after| {
                found.push(after);
                true
            });
            if !found.is_empty() {
                state.insert(self.actions[number].name.clone());
            }
            for after in found {
                if let Some(target) = self.know(after) {
                    self.edges.insert((Some(at), number, target));
                }
            }
        }
        for (_, number, target) in self.edges.range((Some(at), 0, 0)..(Some(at + 1), 0, 0)) {
            if !self.states.contains_key(target) {
                let open = self.open.entry((Some(state.clone()), *number)).or_default();
                open.next.push(*target);
            }
        }
        self.states.insert(at, state);
    }

    /// Where calls of an action lead, one after the other, until nobody wants more.
    fn after(
        &self,
        at: usize,
        action: usize,
        calls: usize,
        whole: bool,
        found: &mut dyn FnMut(Configuration) -> bool,
    ) {
        let from = &self.known[at];
        let kept = from.chain.storage(from.at);
        let tried = Tried::new(
            &self.named,
            kept.into_values(),
            from.chain.time,
            from.persons + 2,
            whole,
        );
        let tried = tried.with(&self.more);
        match self.actions[action].entry {
            Some(entry) => self.after_call((at, from), entry, &tried, calls, found),
            None => after_time((at, from), &tried, found),
        }
    }

    fn after_call(
        &self,
        (at, from): (usize, &Configuration),
        entry: &EntryPoint,
        tried: &Tried,
        calls: usize,
        found: &mut dyn FnMut(Configuration) -> bool,
    ) {
        let mut rng = Rng(at as u64);
        let senders = (from.persons + 1).min(PERSONS);
        let ether = match entry.is_payable() {
            true => tried.ether(),
            false => vec![U256::ZERO],
        };
        let around = senders * ether.len();
        // Rather fewer arguments than no sender with them.
        let several = (calls / around).max(calls / 12).max(1);
        for (arguments, data) in self.arguments(&mut rng, tried, entry, several) {
            // Who is a contract does not begin anything.
            let people = (0..senders).filter(|at| !from.chain.has_code(person(*at)));
            for sender in people {
                let balance = from.chain.balance(person(sender));
                for value in ether.iter().filter(|value| **value <= balance) {
                    if around > calls && !rng.one_in(around / calls + 1) {
                        continue;
                    }
                    let mut scripts = vec![Vec::new()];
                    while let Some(script) = scripts.pop() {
                        let call = Call {
                            sender: person(sender),
                            to: from.at,
                            value: *value,
                            data: data.clone(),
                        };
                        let mut outside = Outside::new(script.clone());
                        let mut chain = from.chain.clone();
                        let ended = chain.call(&call, &mut outside);
                        scripts.extend(longer(self.flat, &script, outside.asked));
                        if !matches!(ended, Ended::Success(_)) {
                            continue;
                        }
                        let used = largest_person(&arguments).max(sender);
                        let after = Configuration {
                            chain,
                            at: from.at,
                            persons: from.persons.max(used + 1),
                            by: (Some(at), told(entry, &arguments, &call, &script)),
                        };
                        if !found(after) {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Arguments for an entry, with what is sent: all combinations, or some of them.
    fn arguments(
        &self,
        rng: &mut Rng,
        tried: &Tried,
        entry: &EntryPoint,
        calls: usize,
    ) -> Vec<(Vec<Data>, Vec<u8>)> {
        let routine = self.flat.routine(entry.routine).expect("a routine");
        let types = routine.parameters.iter();
        let types: Vec<FlatType> = types.map(|id| local_type(routine, *id)).collect();
        if entry.kind == EntryKind::Fallback {
            let data = vec![0xde, 0xad, 0xbe, 0xef];
            return vec![(vec![Data::Bytes(data.clone())], data)];
        }
        let values: Vec<Vec<Data>> = types.iter().map(|ty| tried.values(self.flat, ty)).collect();
        let with_data = |arguments: Vec<Data>| {
            let data = encoded(self.flat, entry, &types, &arguments);
            (arguments, data)
        };
        combinations(rng, &values, calls)
            .into_iter()
            .map(with_data)
            .collect()
    }
}

/// What is sent to call an entry with arguments.
pub fn encoded(
    flat: &Contract,
    entry: &EntryPoint,
    types: &[FlatType],
    arguments: &[Data],
) -> Vec<u8> {
    let data = encode(flat, types, arguments);
    match entry.kind {
        EntryKind::Function => [selector(&entry.signature), data].concat(),
        EntryKind::Receive => Vec::new(),
        _ => data,
    }
}

/// All combinations, or this many of them.
fn combinations(rng: &mut Rng, values: &[Vec<Data>], most: usize) -> Vec<Vec<Data>> {
    let sizes = values.iter().map(Vec::len);
    let all = sizes.fold(1_usize, usize::saturating_mul);
    if all > most {
        let drawn = |_| values.iter().map(|list| rng.pick(list).clone()).collect();
        return (0..most).map(drawn).collect();
    }
    let mut found = vec![Vec::new()];
    for list in values {
        let longer = found.iter().flat_map(|before: &Vec<Data>| {
            let with = |value: &Data| [before.as_slice(), std::slice::from_ref(value)].concat();
            list.iter().map(with)
        });
        found = longer.collect();
    }
    found
}

/// Time goes on, and so do blocks.
fn after_time(
    (at, from): (usize, &Configuration),
    tried: &Tried,
    found: &mut dyn FnMut(Configuration) -> bool,
) {
    let chain = &from.chain;
    let seconds = tried.steps(chain.time).into_iter().map(|step| (step, 1));
    let blocks = tried.steps(chain.number).into_iter().map(|step| (1, step));
    for (seconds, blocks) in seconds.chain(blocks) {
        let mut after = from.clone();
        let time = after.chain.time.checked_add(seconds);
        let number = after.chain.number.checked_add(blocks);
        let (Some(time), Some(number)) = (time, number) else {
            continue;
        };
        (after.chain.time, after.chain.number) = (time, number);
        after.by = (Some(at), format!("{seconds} seconds, {blocks} blocks"));
        if !found(after) {
            return;
        }
    }
}

fn told(entry: &EntryPoint, arguments: &[Data], call: &Call, script: &[Answer]) -> String {
    let (name, sender, value) = (&entry.name, call.sender, call.value);
    format!("{name} {arguments:?} by {sender} with {value}, {script:?}")
}

/// The last of the persons who are named in a call.
fn largest_person(arguments: &[Data]) -> usize {
    let is_named = |number: &usize| {
        let person = BigInt::from_bytes_be(num_bigint::Sign::Plus, person(*number).as_slice());
        arguments.contains(&Data::Number(person))
    };
    (0..PERSONS).rev().find(is_named).unwrap_or(0)
}

/// What everybody has: more than contracts ask for, and together less than what a contract is taken to have at most.
pub const RICH: U256 = U256::from_limbs([0, 1 << 26, 0, 0]);

/// A chain on which everybody has ether.
pub fn chain() -> Chain {
    let mut chain = Chain::default();
    (chain.time, chain.number) = (1000, 100);
    for number in 0..PERSONS {
        chain.set_balance(person(number), RICH);
    }
    for contract in CONTRACTS {
        chain.set_code(address(contract), vec![0]);
    }
    chain
}
