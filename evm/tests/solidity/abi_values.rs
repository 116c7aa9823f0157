//! Values to call contracts with: mostly small, often equal, sometimes at the ends of their ranges.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};
use revm::primitives::Address;
use tranquera::front::solidity::flat::{Contract, FlatType};

use crate::evm::Answer;
use crate::machine::{Data, encode, underlying};
use crate::rng::Rng;

/// Who calls.
pub const PEOPLE: [u8; 4] = [0xa1, 0xa2, 0xa3, 0xa4];
/// Accounts with code.
pub const CONTRACTS: [u8; 3] = [0xb1, 0xb2, 0xb3];

pub fn address(last: u8) -> Address {
    Address::with_last_byte(last)
}

/// A value of a type.
pub fn value(rng: &mut Rng, contract: &Contract, ty: &FlatType, depth: usize) -> Data {
    match underlying(contract, ty) {
        FlatType::Bool => Data::Bool(rng.one_in(2)),
        FlatType::Int(int) => Data::Number(integer(rng, int.signed, int.bits)),
        FlatType::Address => {
            let known = [&PEOPLE[..], &CONTRACTS[..], &[0]].concat();
            Data::Number(BigInt::from(*rng.pick(&known)))
        }
        FlatType::Contract(_) => Data::Number(BigInt::from(*rng.pick(&CONTRACTS))),
        FlatType::Enum(id) => {
            let count = contract.enums[id.index()].members.len();
            Data::Number(BigInt::from(rng.below(count)))
        }
        FlatType::FixedBytes(size) => {
            let mut bytes = vec![0; usize::from(*size)];
            if !rng.one_in(4) {
                let at = rng.below(bytes.len());
                bytes[at] = u8::try_from(rng.below(4)).expect("small");
                bytes[0] = u8::try_from(rng.below(256)).expect("a byte");
            }
            Data::Fixed(bytes)
        }
        FlatType::Bytes | FlatType::String => {
            let length = *rng.pick(&[0, 1, 3, 31, 32, 40]);
            let byte = |_| b"abc"[rng.below(3)];
            Data::Bytes((0..length).map(byte).collect())
        }
        FlatType::Array(element, length) => {
            let length = match length {
                Some(length) => length.to_usize().expect("small"),
                None if depth > 2 => 0,
                None => rng.below(4),
            };
            let item = |_| value(rng, contract, element, depth + 1);
            Data::List((0..length).map(item).collect())
        }
        FlatType::Struct(id) => {
            let members = &contract.structure(*id).expect("a struct").members;
            let members = members
                .iter()
                .filter(|(_, ty)| !matches!(ty, FlatType::Mapping(..)));
            let member = |(_, ty): &(String, FlatType)| value(rng, contract, ty, depth + 1);
            Data::List(members.map(member).collect())
        }
        FlatType::Mapping(..) | FlatType::Alias(_) => panic!("not in a call: {ty:?}"),
    }
}

fn integer(rng: &mut Rng, signed: bool, bits: u16) -> BigInt {
    let end = BigInt::one() << u32::from(bits - u16::from(signed));
    let number = match rng.below(10) {
        0 => &end - 1,
        1 if signed => -end.clone(),
        2 => &end - 2,
        3 => &end / 2,
        4 => BigInt::from(rng.below(300)),
        5 => BigInt::from(rng.next()) * BigInt::from(rng.next()),
        _ => BigInt::from(rng.below(6)),
    };
    let number = if signed && rng.one_in(3) {
        -number
    } else {
        number
    };
    crate::machine::wrapped(&number, signed, bits)
}

/// Ether that goes with a call.
pub fn ether(rng: &mut Rng) -> BigUint {
    BigUint::from(*rng.pick(&[0_u64, 0, 1, 2, 5, 100, 1_000_000_000_000_000_000]))
}

/// What the outside might answer.
pub fn answer(rng: &mut Rng, contract: &Contract) -> Answer {
    let text = |text: &str| encode(contract, &[FlatType::String], &[Data::Bytes(text.into())]);
    let number = |number: u8| encode(contract, &[FlatType::UINT], &[Data::Number(number.into())]);
    if rng.one_in(3) {
        let data = match rng.below(5) {
            0 => [vec![0x08, 0xc3, 0x79, 0xa0], text("no")].concat(),
            1 => [vec![0x4e, 0x48, 0x7b, 0x71], number(0x11)].concat(),
            2 => vec![1, 2, 3, 4],
            _ => Vec::new(),
        };
        return Answer {
            success: false,
            data,
        };
    }
    let data = match rng.below(6) {
        0 => Vec::new(),
        1 => number(0),
        2 => [number(1), number(1), number(1), number(1)].concat(),
        3 => text("yes"),
        _ => [number(1), number(0), number(1)].concat(),
    };
    Answer {
        success: true,
        data,
    }
}
