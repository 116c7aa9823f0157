//! Functions that are always there.

use num_bigint::BigInt;
use revm::primitives::keccak256;
use tranquera::front::solidity::flat::{AbiEncoding, FlatExpr, FlatType, SolidityBuiltin};

use super::convert::to_bytes;
use super::{Data, Machine, Object, Run, Value, encode, underlying, unsupported};

impl Machine<'_> {
    pub(super) fn builtin(
        &mut self,
        builtin: &SolidityBuiltin,
        arguments: &[FlatExpr],
        values: Vec<Value>,
    ) -> Run<Value> {
        match builtin {
            SolidityBuiltin::Keccak256 => {
                let bytes = self.bytes_of(&values[0])?;
                Ok(Value::Fixed(keccak256(bytes).to_vec()))
            }
            SolidityBuiltin::AddMod | SolidityBuiltin::MulMod => {
                let numbers: Vec<&BigInt> = values
                    .iter()
                    .filter_map(|value| match value {
                        Value::Number(number) => Some(number),
                        _ => None,
                    })
                    .collect();
                let [a, b, n] = numbers.as_slice() else {
                    return unsupported("addmod of what is no number");
                };
                let value = match builtin {
                    SolidityBuiltin::AddMod => *a + *b,
                    _ => *a * *b,
                };
                Ok(Value::Number(value % *n))
            }
            SolidityBuiltin::BalanceOf => match &values[0] {
                Value::Number(number) if number.to_biguint().as_ref() == Some(&self.world.own) => {
                    Ok(Value::Number(BigInt::from(self.world.balance.clone())))
                }
                _ => unsupported("the balance of others"),
            },
            SolidityBuiltin::CodeLength => match &values[0] {
                Value::Number(number) => {
                    let number = number.to_biguint().unwrap_or_default();
                    let known = self.world.with_code.contains(&number);
                    Ok(Value::Number(BigInt::from(u8::from(known))))
                }
                _ => unsupported("the code of what is no address"),
            },
            SolidityBuiltin::CodeOf => {
                let Value::Number(number) = &values[0] else {
                    return unsupported("the code of what is no address");
                };
                let number = number.to_biguint().unwrap_or_default();
                let code = if self.world.with_code.contains(&number) {
                    vec![0]
                } else {
                    Vec::new()
                };
                Ok(self.new_object(Object::Bytes(code)))
            }
            SolidityBuiltin::Encode(encoding) => {
                let bytes = self.encoded(*encoding, arguments, &values)?;
                Ok(self.new_object(Object::Bytes(bytes)))
            }
            SolidityBuiltin::Concat => {
                let bytes = self.packed(arguments, &values)?;
                Ok(self.new_object(Object::Bytes(bytes)))
            }
            SolidityBuiltin::SelectorOf(signature) => Ok(Value::Fixed(selector(signature))),
            other => unsupported(format!("{other:?}")),
        }
    }

    pub(super) fn bytes_of(&self, value: &Value) -> Run<Vec<u8>> {
        match value {
            Value::Fixed(bytes) => Ok(bytes.clone()),
            Value::Reference(_) => match self.object(value)? {
                Object::Bytes(bytes) => Ok(bytes.clone()),
                Object::List(_) => unsupported("a list as bytes"),
            },
            other => unsupported(format!("{other:?} as bytes")),
        }
    }

    fn encoded(
        &self,
        encoding: AbiEncoding,
        arguments: &[FlatExpr],
        values: &[Value],
    ) -> Run<Vec<u8>> {
        let (head, skip) = match encoding {
            AbiEncoding::Packed => return self.packed(arguments, values),
            AbiEncoding::Standard => (Vec::new(), 0),
            AbiEncoding::Selector => (self.bytes_of(&values[0])?, 1),
            AbiEncoding::Signature => {
                let signature = self.bytes_of(&values[0])?;
                (keccak256(signature)[..4].to_vec(), 1)
            }
        };
        let types: Vec<FlatType> = arguments.iter().skip(skip).map(|e| e.ty.clone()).collect();
        let mut data: Vec<Data> = Vec::new();
        for (ty, value) in types.iter().zip(values.iter().skip(skip)) {
            data.push(self.give_out(ty, value)?);
        }
        Ok([head, encode(self.contract, &types, &data)].concat())
    }

    /// One behind the other, each as short as its type; elements of arrays take a word.
    fn packed(&self, arguments: &[FlatExpr], values: &[Value]) -> Run<Vec<u8>> {
        let mut bytes = Vec::new();
        for (argument, value) in arguments.iter().zip(values) {
            match (value, underlying(self.contract, &argument.ty)) {
                (Value::Bool(value), _) => bytes.push(u8::from(*value)),
                (Value::Number(value), FlatType::Int(int)) => {
                    bytes.extend(to_bytes(value, usize::from(int.bits / 8)));
                }
                (Value::Number(value), FlatType::Enum(_)) => bytes.extend(to_bytes(value, 1)),
                (Value::Number(value), _) => bytes.extend(to_bytes(value, 20)),
                (Value::Fixed(fixed), _) => bytes.extend(fixed),
                (Value::Reference(_), FlatType::Array(element, _)) => {
                    let Object::List(items) = self.object(value)? else {
                        return unsupported("an array that is none");
                    };
                    for item in items.iter().flatten() {
                        let word = self.key(item)?;
                        if !element.is_value() {
                            return unsupported("packed arrays of arrays");
                        }
                        bytes.extend(word);
                    }
                }
                (value, _) => bytes.extend(self.bytes_of(value)?),
            }
        }
        Ok(bytes)
    }
}

/// The first four bytes of calls of a function.
pub fn selector(signature: &str) -> Vec<u8> {
    keccak256(signature.as_bytes())[..4].to_vec()
}
