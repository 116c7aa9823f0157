//! How values are written in calls: the contract ABI.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use tranquera::front::solidity::flat::{Contract, FlatType};

use super::convert::{from_bytes, to_bytes, wrap};
use super::{Data, underlying};

/// Writes values of these types.
pub fn encode(contract: &Contract, types: &[FlatType], values: &[Data]) -> Vec<u8> {
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    let head_size: usize = types.iter().map(|ty| head_size(contract, ty)).sum();
    for (ty, value) in types.iter().zip(values) {
        let written = encode_one(contract, ty, value);
        if is_dynamic(contract, ty) {
            head.extend(to_bytes(&(head_size + tail.len()).into(), 32));
            tail.extend(written);
        } else {
            head.extend(written);
        }
    }
    head.extend(tail);
    head
}

fn encode_one(contract: &Contract, ty: &FlatType, value: &Data) -> Vec<u8> {
    match (value, underlying(contract, ty)) {
        (Data::Bool(value), _) => to_bytes(&u8::from(*value).into(), 32),
        (Data::Number(value), _) => to_bytes(value, 32),
        (Data::Fixed(bytes), _) => padded(bytes, 32),
        (Data::Bytes(bytes), _) => {
            let size = bytes.len().div_ceil(32) * 32;
            [to_bytes(&bytes.len().into(), 32), padded(bytes, size)].concat()
        }
        (Data::List(items), FlatType::Array(element, length)) => {
            let types = vec![element.as_ref().clone(); items.len()];
            let mut written = match length {
                None => to_bytes(&items.len().into(), 32),
                Some(_) => Vec::new(),
            };
            written.extend(encode(contract, &types, items));
            written
        }
        (Data::List(items), FlatType::Struct(id)) => {
            let members = &contract.structure(*id).expect("a struct").members;
            let types = members.iter().map(|(_, ty)| ty.clone());
            let types: Vec<FlatType> = types
                .filter(|ty| !matches!(ty, FlatType::Mapping(..)))
                .collect();
            encode(contract, &types, items)
        }
        (value, ty) => panic!("{value:?} as {ty:?}"),
    }
}

fn padded(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(size, 0);
    bytes
}

fn is_dynamic(contract: &Contract, ty: &FlatType) -> bool {
    match ty {
        FlatType::Bytes | FlatType::String | FlatType::Array(_, None) => true,
        FlatType::Array(element, Some(length)) => {
            !length.is_zero() && is_dynamic(contract, element)
        }
        FlatType::Struct(id) => {
            let members = &contract.structure(*id).expect("a struct").members;
            members.iter().any(|(_, ty)| is_dynamic(contract, ty))
        }
        _ => false,
    }
}

fn head_size(contract: &Contract, ty: &FlatType) -> usize {
    if is_dynamic(contract, ty) {
        return 32;
    }
    match ty {
        FlatType::Array(element, Some(length)) => {
            length.to_usize().unwrap_or(0) * head_size(contract, element)
        }
        FlatType::Struct(id) => {
            let members = &contract.structure(*id).expect("a struct").members;
            members.iter().map(|(_, ty)| head_size(contract, ty)).sum()
        }
        _ => 32,
    }
}

/// Reads values of these types. None where the data are too short, or not what the types allow.
pub fn decode(contract: &Contract, types: &[FlatType], data: &[u8]) -> Option<Vec<Data>> {
    let mut at = 0;
    let mut values = Vec::new();
    for ty in types {
        if is_dynamic(contract, ty) {
            let offset = word(data, at)?.to_usize()?;
            values.push(decode_one(contract, ty, data.get(offset..)?)?);
            at += 32;
        } else {
            values.push(decode_one(contract, ty, data.get(at..)?)?);
            at += head_size(contract, ty);
        }
    }
    Some(values)
}

fn decode_one(contract: &Contract, ty: &FlatType, data: &[u8]) -> Option<Data> {
    match underlying(contract, ty) {
        FlatType::Bool => match word(data, 0)?.to_u8()? {
            0 => Some(Data::Bool(false)),
            1 => Some(Data::Bool(true)),
            _ => None,
        },
        FlatType::Int(int) => {
            let number = word(data, 0)?;
            let value = wrap(&number, *int);
            let whole = wrap(
                &value,
                tranquera::front::solidity::ast::Int {
                    signed: false,
                    bits: 256,
                },
            );
            (whole == number).then_some(Data::Number(value))
        }
        FlatType::Address | FlatType::Contract(_) => {
            let number = word(data, 0)?;
            (number.bits() <= 160).then_some(Data::Number(number))
        }
        FlatType::Enum(id) => {
            let number = word(data, 0)?;
            let count = contract.enums[id.index()].members.len();
            (number < BigInt::from(count)).then_some(Data::Number(number))
        }
        FlatType::FixedBytes(size) => {
            let (bytes, rest) = data.get(..32)?.split_at(usize::from(*size));
            rest.iter()
                .all(|byte| *byte == 0)
                .then(|| Data::Fixed(bytes.to_vec()))
        }
        FlatType::Bytes | FlatType::String => {
            let length = word(data, 0)?.to_usize()?;
            let bytes = data.get(32..)?.get(..length)?;
            Some(Data::Bytes(bytes.to_vec()))
        }
        FlatType::Array(element, length) => {
            let (length, rest) = match length {
                Some(length) => (length.to_usize()?, data),
                None => (word(data, 0)?.to_usize()?, data.get(32..)?),
            };
            if length > 1000 {
                return None;
            }
            let types = vec![element.as_ref().clone(); length];
            decode(contract, &types, rest).map(Data::List)
        }
        FlatType::Struct(id) => {
            let members = &contract.structure(*id)?.members;
            let types: Vec<FlatType> = members.iter().map(|(_, ty)| ty.clone()).collect();
            decode(contract, &types, data).map(Data::List)
        }
        FlatType::Mapping(..) | FlatType::Alias(_) => None,
    }
}

fn word(data: &[u8], at: usize) -> Option<BigInt> {
    data.get(at..)?.get(..32).map(from_bytes)
}
