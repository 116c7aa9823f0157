//! The flattened contract against the compiled one, on random calls: the same reverts, the same results, the same storage,
//! the same ether.

use num_bigint::{BigInt, BigUint};
use revm::primitives::{Address, U256};
use tranquera::front::solidity::flat::{Contract, EntryKind, EntryPoint, FlatType};

use crate::abi_values::{CONTRACTS, PEOPLE, address, answer, ether, value};
use crate::code::{Code, codes};
use crate::evm::{Answer, Call, Chain, Ended, Outside};
use crate::fixture::{Fixture, recorded};
use crate::machine::{Data, Machine, Message, Stop, World, encode, local_type, selector};
use crate::rng::Rng;

/// How many contracts are made of each; `PROPTEST_CASES` asks for another number.
const LIVES: u64 = 6;
/// How often each is called.
const CALLS: usize = 30;

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub made: usize,
    pub success: usize,
    pub revert: usize,
    /// Calls that one of the two does not do.
    pub skipped: usize,
}

fn number(address: Address) -> BigUint {
    BigUint::from_bytes_be(address.as_slice())
}

fn word(number: &BigUint) -> U256 {
    U256::from_be_slice(&number.to_bytes_be())
}

/// The two of them, in the same state.
#[derive(Clone)]
struct Pair<'c> {
    chain: Chain,
    machine: Machine<'c>,
    at: Address,
}

/// Compares a contract with its code. Stops at the first difference, with what led to it.
pub fn compare(flat: &Contract, code: &Code, name: &str, lives: u64, calls: usize) -> Count {
    let mut count = Count::default();
    for life in 0..lives {
        let mut rng = Rng::new(life * 1000 + name.bytes().map(u64::from).sum::<u64>());
        let mut log = Vec::new();
        let made = (0..20).find_map(|_| make(&mut rng, flat, code, &mut log, &mut count));
        let Some(mut pair) = made else { continue };
        count.made += 1;
        for _ in 0..calls {
            step(&mut rng, &mut pair, &mut log, &mut count, name);
        }
    }
    count
}

fn people(chain: &mut Chain) {
    for person in PEOPLE {
        chain.set_balance(address(person), U256::from(10_u64).pow(U256::from(30)));
    }
    for contract in CONTRACTS {
        chain.set_code(address(contract), vec![0]);
    }
}

/// Code with the addresses of its libraries, which are made first.
pub fn linked(code: &Code, chain: &mut Chain) -> Vec<u8> {
    let mut bytes = code.bytes.clone();
    for (at, library) in &code.links {
        let sender = address(PEOPLE[0]);
        let made = chain.deploy(sender, &library.bytes, U256::ZERO, &mut Outside::default());
        let made = made.expect("a library");
        bytes[*at..at + 20].copy_from_slice(made.as_slice());
    }
    bytes
}

fn make<'c>(
    rng: &mut Rng,
    flat: &'c Contract,
    code: &Code,
    log: &mut Vec<String>,
    count: &mut Count,
) -> Option<Pair<'c>> {
    let mut chain = Chain::default();
    people(&mut chain);
    let sender = address(*rng.pick(&PEOPLE));
    let entry = &flat.constructor;
    let (arguments, data) = arguments(rng, flat, entry);
    let ether = if entry.is_payable() {
        ether(rng)
    } else {
        BigUint::default()
    };
    let script: Vec<Answer> = (0..4).map(|_| answer(rng, flat)).collect();
    let mut outside = Outside::new(script.clone());
    let code = [linked(code, &mut chain), data].concat();
    let made = chain.deploy(sender, &code, word(&ether), &mut outside);
    let own = match &made {
        Ok(at) => *at,
        Err(_) => outside.own,
    };
    let world = World {
        time: chain.time,
        number: chain.number,
        origin: number(sender),
        own: number(own),
        with_code: CONTRACTS
            .iter()
            .map(|last| number(address(*last)))
            .collect(),
        script: script.into(),
        ..World::default()
    };
    let mut machine = Machine::new(flat, world);
    let message = Message {
        sender: number(sender),
        value: ether,
        data: Some(Vec::new()),
    };
    log.push(format!(
        "create {arguments:?} by {sender} with {}",
        message.value
    ));
    let result = machine.message(entry, &message, &arguments);
    match (&result, &made) {
        (Err(Stop::Unsupported(_) | Stop::Fuel), _) | (_, Err(Ended::OutOfGas)) => {
            count.skipped += 1;
            return None;
        }
        (Err(Stop::Revert), Err(_)) => {
            count.revert += 1;
            return None;
        }
        (Ok(_), Ok(_)) => {}
        _ => panic!(
            "{}: {result:?} against {made:?}\n{}",
            flat.name,
            log.join("\n")
        ),
    }
    let pair = Pair {
        chain,
        machine,
        at: own,
    };
    same_state(&pair, log, &flat.name);
    Some(pair)
}

/// Values for an entry, and how they are written.
fn arguments(rng: &mut Rng, flat: &Contract, entry: &EntryPoint) -> (Vec<Data>, Vec<u8>) {
    let routine = flat.routine(entry.routine).expect("a routine");
    let types = routine.parameters.iter();
    let types: Vec<FlatType> = types.map(|id| local_type(routine, *id)).collect();
    let values: Vec<Data> = types.iter().map(|ty| value(rng, flat, ty, 0)).collect();
    let data = encode(flat, &types, &values);
    (values, data)
}

fn step(rng: &mut Rng, pair: &mut Pair<'_>, log: &mut Vec<String>, count: &mut Count, name: &str) {
    let flat = pair.machine.contract;
    if flat.entries.is_empty() {
        return;
    }
    let entry = rng.pick(&flat.entries);
    let (mut values, mut data) = arguments(rng, flat, entry);
    match entry.kind {
        EntryKind::Function | EntryKind::Getter => {
            data = [selector(&entry.signature), data].concat();
        }
        EntryKind::Receive => data.clear(),
        _ => {
            data = vec![0xde, 0xad, 0xbe, 0xef];
            if !values.is_empty() {
                values = vec![Data::Bytes(data.clone())];
            }
        }
    }
    let ether = if entry.is_payable() || rng.one_in(12) {
        ether(rng)
    } else {
        BigUint::default()
    };
    let sender = address(*rng.pick(&PEOPLE));
    let script: Vec<Answer> = (0..4).map(|_| answer(rng, flat)).collect();
    let later = u64::try_from(rng.below(100)).expect("small");
    let before = pair.clone();
    pair.chain.time += later;
    pair.chain.number += 1;
    let mut outside = Outside::new(script.clone());
    let call = Call {
        sender,
        to: pair.at,
        value: word(&ether),
        data: data.clone(),
    };
    let ended = pair.chain.call(&call, &mut outside);
    let world = &mut pair.machine.world;
    (world.time, world.number) = (pair.chain.time, pair.chain.number);
    world.origin = number(sender);
    world.script = script.into();
    world.returned = 0;
    world.made = 0;
    let message = Message {
        sender: number(sender),
        value: ether,
        data: Some(data),
    };
    log.push(format!(
        "{} {values:?} by {sender} with {} at {}",
        entry.name, message.value, pair.chain.time
    ));
    let result = pair.machine.message(entry, &message, &values);
    match (result, ended) {
        (Err(Stop::Unsupported(_) | Stop::Fuel), _) | (_, Ended::OutOfGas) => {
            *pair = before;
            log.pop();
            count.skipped += 1;
            return;
        }
        (Err(Stop::Revert), Ended::Revert(_)) => count.revert += 1,
        (Ok(ours), Ended::Success(theirs)) => {
            assert_eq!(ours, theirs, "{name}: results\n{}", log.join("\n"));
            count.success += 1;
        }
        (ours, theirs) => panic!("{name}: {ours:?} against {theirs:?}\n{}", log.join("\n")),
    }
    same_state(pair, log, name);
}

fn same_state(pair: &Pair<'_>, log: &[String], name: &str) {
    let log = || log.join("\n");
    let (ours, theirs) = (pair.machine.slots(), pair.chain.storage(pair.at));
    assert_eq!(ours, theirs, "{name}: storage\n{}", log());
    let ours = BigInt::from(pair.machine.world.balance.clone());
    let theirs = BigInt::from_bytes_be(
        num_bigint::Sign::Plus,
        &pair.chain.balance(pair.at).to_be_bytes::<32>(),
    );
    assert_eq!(ours, theirs, "{name}: ether\n{}", log());
}

/// Contracts that refuse nearly all calls whose values come by chance. Where their EPAs are explored, values are tried in turn.
const SELDOM: [&str; 2] = ["answers:Gate", "batches:Batches"];

#[test]
fn flattened_contracts_do_what_the_compiled_ones_do() {
    let only = std::env::var("TRANQUERA_SOLIDITY").ok();
    let lives = std::env::var("PROPTEST_CASES").ok();
    let lives = lives.and_then(|lives| lives.parse().ok()).unwrap_or(LIVES);
    for path in recorded() {
        let fixture = Fixture::read(&path);
        if only
            .as_ref()
            .is_some_and(|only| !fixture.name.contains(only.as_str()))
        {
            continue;
        }
        let codes = codes(&path);
        for contract in fixture.contracts() {
            let flat = fixture.flat(&contract);
            let code = &codes[&contract.name];
            let name = format!("{}:{}", fixture.name, contract.name);
            let count = compare(&flat, code, &name, lives, CALLS);
            println!("{name}: {count:?}");
            // Of what is compared, enough has to be compared.
            assert!(count.made > 0, "{name} was never made");
            let may_be_few = flat.entries.is_empty() || SELDOM.contains(&name.as_str());
            assert!(
                may_be_few || count.success * 20 > CALLS * count.made,
                "{name}: {count:?}"
            );
        }
    }
}
