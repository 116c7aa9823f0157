//! Which values calls are tried with: numbers that the contract names or keeps, and those beside them; the ends of ranges;
//! everybody who has had to do with the contract, and somebody who has not.

use std::collections::BTreeSet;

use num_bigint::{BigInt, Sign};
use num_traits::{One, ToPrimitive};
use revm::primitives::{Address, U256};
use tranquera::front::solidity::flat::{Contract, FlatType};

use crate::abi_values::value;
use crate::evm::Answer;
use crate::machine::{Data, encode, underlying};
use crate::print;
use crate::rng::Rng;

/// How many persons there are at most.
pub const PERSONS: usize = 12;
/// How many answers of the outside are thought of, one after the other.
const ANSWERS: usize = 2;

/// Persons are all alike to a contract, which can only tell whether two are the same: they are used in their order.
pub fn person(number: usize) -> Address {
    let mut bytes = [0; 20];
    bytes[18] = 0xa1;
    bytes[19] = u8::try_from(number).expect("few");
    Address::from(bytes)
}

/// What is tried of each type.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Numbers, of whatever type.
    numbers: BTreeSet<BigInt>,
    /// Numbers that bytes of a fixed length are.
    bytes: BTreeSet<BigInt>,
    addresses: Vec<Address>,
    /// Whether small types are tried with all their values.
    whole: bool,
}

/// The numbers that a contract names, and those beside them.
pub fn named_numbers(contract: &Contract) -> BTreeSet<BigInt> {
    let text = print::contract(contract, false);
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let numbers = words.filter_map(|word| word.parse::<BigInt>().ok());
    let near = numbers.flat_map(|number| [&number - 1, number.clone(), number + 1]);
    near.chain([0, 1, 2].map(BigInt::from)).collect()
}

/// A number as so many bytes, if it fits into them.
pub fn fixed(number: &BigInt, size: u8) -> Option<Vec<u8>> {
    let (sign, bytes) = number.to_bytes_be();
    let front = usize::from(size).checked_sub(bytes.len())?;
    (sign != Sign::Minus).then(|| [vec![0; front], bytes].concat())
}

fn number(word: U256) -> BigInt {
    BigInt::from_bytes_be(Sign::Plus, &word.to_be_bytes::<32>())
}

impl Tried {
    /// What is tried in a configuration: what the contract names, what it keeps (whole words, and the bytes of packed
    /// ones), what the clock says; and the first persons.
    pub fn new(
        named: &BTreeSet<BigInt>,
        kept: impl Iterator<Item = U256>,
        time: u64,
        persons: usize,
        whole: bool,
    ) -> Tried {
        let mut numbers = named.clone();
        let mut words: Vec<BigInt> = vec![time.into()];
        for word in kept {
            numbers.extend(word.to_be_bytes::<32>().map(BigInt::from));
            words.push(number(word));
        }
        for word in &words {
            numbers.extend([word - 1, word.clone(), word + 1]);
        }
        // Sums are where limits are.
        if words.len() <= 5 {
            for one in &words {
                numbers.extend(words.iter().map(|other| one - other));
            }
        }
        let people = (0..persons.min(PERSONS)).map(person);
        Tried {
            numbers,
            bytes: BTreeSet::new(),
            // Any address calls but zero, so that somebody is each of them.
            addresses: people.chain([Address::ZERO]).collect(),
            whole,
        }
    }

    /// The same, and these numbers.
    pub fn with(mut self, more: &BTreeSet<BigInt>) -> Tried {
        self.numbers.extend(more.iter().cloned());
        self.bytes.extend(more.iter().cloned());
        self
    }

    /// Values of a type.
    pub fn values(&self, contract: &Contract, ty: &FlatType) -> Vec<Data> {
        match underlying(contract, ty) {
            FlatType::Bool => vec![Data::Bool(false), Data::Bool(true)],
            FlatType::Int(int) => self.integers(int.signed, int.bits),
            FlatType::Enum(id) => {
                let members = contract.enums[id.index()].members.len();
                (0..members).map(|at| Data::Number(at.into())).collect()
            }
            FlatType::Address => {
                let known = self.addresses.iter();
                let bytes = known.map(|a| BigInt::from_bytes_be(Sign::Plus, a.as_slice()));
                bytes.map(Data::Number).collect()
            }
            other => {
                let mut rng = Rng(7);
                let drawn = (0..4).map(|_| value(&mut rng, contract, other, 0));
                let known = self.bytes.iter().filter_map(|number| match other {
                    FlatType::FixedBytes(size) => fixed(number, *size).map(Data::Fixed),
                    _ => None,
                });
                drawn.chain(known).collect()
            }
        }
    }

    fn integers(&self, signed: bool, bits: u16) -> Vec<Data> {
        let end = BigInt::one() << u32::from(bits - u16::from(signed));
        let start = if signed { -end.clone() } else { 0.into() };
        let numbers: BTreeSet<BigInt> = if self.whole && bits == 8 {
            let (start, end) = (start.to_i32().expect("small"), end.to_i32().expect("small"));
            (start..end).map(BigInt::from).collect()
        } else {
            let ends = [start.clone(), &start + 1, &end - 2, &end - 1];
            let known = self.numbers.iter().cloned();
            let negative = self.numbers.iter().filter(|_| signed).map(|n| -n);
            let all = known.chain(negative).chain(ends);
            all.filter(|n| *n >= start && *n < end).collect()
        };
        numbers.into_iter().map(Data::Number).collect()
    }

    /// Ether that may come with a call.
    pub fn ether(&self) -> Vec<U256> {
        let most = number(U256::MAX);
        let numbers = self.numbers.iter();
        let numbers = numbers.filter(|n| n.sign() != Sign::Minus && **n <= most);
        numbers
            .map(|n| U256::from_be_slice(&n.to_bytes_be().1))
            .collect()
    }

    /// How long time may go on.
    pub fn steps(&self, from: u64) -> Vec<u64> {
        let numbers = self.numbers.iter().filter_map(ToPrimitive::to_u64);
        let numbers = numbers.filter(|n| *n < 1 << 40);
        let until = numbers.clone().filter_map(|until| until.checked_sub(from));
        let steps: BTreeSet<u64> = until.chain(numbers).filter(|step| *step > 0).collect();
        steps.into_iter().collect()
    }
}

/// Scripts for the outside that go on where one ended: none, if it was long enough.
pub fn longer(contract: &Contract, script: &[Answer], asked: usize) -> Vec<Vec<Answer>> {
    if asked <= script.len() || script.len() >= ANSWERS {
        return Vec::new();
    }
    let number = |number: u8| encode(contract, &[FlatType::UINT], &[Data::Number(number.into())]);
    let data = [
        Vec::new(),
        number(0),
        [number(1), number(1), number(1)].concat(),
        number(200),
    ];
    let yes = data.map(|data| Answer {
        success: true,
        data,
    });
    let no = Answer {
        success: false,
        data: Vec::new(),
    };
    let answers = yes.into_iter().chain([no]);
    answers.map(|answer| [script, &[answer]].concat()).collect()
}
