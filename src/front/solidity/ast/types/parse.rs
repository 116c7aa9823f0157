//! Types, as the compiler's type identifiers spell them: `t_mapping$_t_address_$_t_uint256_$`.
//!
//! Type *strings* (`mapping(address => uint256)`) are for people: they name structs by names that may be ambiguous, and
//! cut long numbers in the middle. The identifiers have each declaration's id, and all digits.

use std::sync::Arc;

use num_bigint::BigInt;

use super::{FunctionType, Int, Location, Magic, SolidityType};
use crate::front::solidity::ast::NodeId;

/// Reads a type identifier, all of it. None where it is not one.
pub(super) fn parse(identifier: &str) -> Option<SolidityType> {
    let mut parser = TypeParser {
        rest: identifier,
        depth: 0,
    };
    let ty = parser.ty()?;
    parser.rest.is_empty().then_some(ty)
}

/// How deep types may be nested in each other.
const MAX_DEPTH: u32 = 64;

/// What reads the rest of a type that begins in some way.
type Rule<'a> = fn(&mut TypeParser<'a>) -> Option<SolidityType>;

/// What is left to read. In an identifier `(`, `)`, `,` and `$` are written `$_`, `_$`, `_$_` and `$$$`.
struct TypeParser<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> TypeParser<'a> {
    fn ty(&mut self) -> Option<SolidityType> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.expect("t_")?;
        let ty = self.body();
        self.depth -= 1;
        ty
    }

    fn body(&mut self) -> Option<SolidityType> {
        let of_parts: [(&str, Rule<'a>); 13] = [
            ("array$_", Self::array),
            ("mapping$_", Self::mapping),
            ("struct$_", Self::structure),
            ("enum$_", |p| Some(SolidityType::Enum(p.declared()?))),
            ("contract$_", |p| {
                Some(SolidityType::Contract(p.declared()?))
            }),
            ("super$_", |p| Some(SolidityType::Super(p.declared()?))),
            ("userDefinedValueType$_", |p| {
                Some(SolidityType::UserValue(p.declared()?))
            }),
            ("tuple$_", |p| Some(SolidityType::Tuple(p.list()?))),
            ("function_", Self::function),
            ("type$_", Self::name),
            ("modifier$_", |p| p.list().map(|_| SolidityType::Modifier)),
            ("rational_", Self::rational),
            ("magic_", Self::magic),
        ];
        for (start, parse) in of_parts {
            if self.take(start) {
                return parse(self);
            }
        }
        self.elementary()
    }

    fn elementary(&mut self) -> Option<SolidityType> {
        if self.take("stringliteral_") {
            self.word(|c| c.is_ascii_alphanumeric());
            return Some(SolidityType::StringLiteral);
        }
        if self.take("module_") {
            return self.id().map(SolidityType::Module);
        }
        if self.take("address") {
            self.take("_payable");
            return Some(SolidityType::Address);
        }
        if self.take("string") {
            return Some(SolidityType::String(self.location()?));
        }
        if self.take("bytes") {
            return match self.digits() {
                "" => Some(SolidityType::Bytes(self.location()?)),
                size => {
                    let size = size.parse().ok().filter(|size| (1..=32).contains(size));
                    size.map(SolidityType::FixedBytes)
                }
            };
        }
        for (start, signed) in [("uint", false), ("int", true)] {
            if self.take(start) {
                let bits = self.digits().parse().ok()?;
                let exists = (8..=256).contains(&bits) && bits % 8 == 0;
                return exists.then_some(SolidityType::Int(Int { signed, bits }));
            }
        }
        if self.take("fixed") || self.take("ufixed") {
            self.word(|c| c.is_ascii_alphanumeric());
            return Some(SolidityType::FixedPoint);
        }
        if self.take("bool") {
            return Some(SolidityType::Bool);
        }
        if self.take("error") {
            return Some(SolidityType::Error);
        }
        self.take("inaccessible")
            .then_some(SolidityType::Inaccessible)
    }

    fn array(&mut self) -> Option<SolidityType> {
        let element = self.ty()?;
        self.expect("_$")?;
        let length = if self.take("dyn") {
            None
        } else {
            Some(self.digits().parse().ok()?)
        };
        let location = self.location()?;
        self.take("_slice");
        Some(SolidityType::Array(Arc::new(element), length, location))
    }

    fn mapping(&mut self) -> Option<SolidityType> {
        let key = self.ty()?;
        self.expect("_$_")?;
        let value = self.ty()?;
        self.expect("_$")?;
        Some(SolidityType::Mapping(Arc::new(key), Arc::new(value)))
    }

    fn structure(&mut self) -> Option<SolidityType> {
        let id = self.declared()?;
        Some(SolidityType::Struct(id, self.location()?))
    }

    fn name(&mut self) -> Option<SolidityType> {
        let named = self.ty()?;
        self.expect("_$")?;
        Some(SolidityType::Name(Arc::new(named)))
    }

    fn rational(&mut self) -> Option<SolidityType> {
        let minus = self.take("minus_");
        let numerator: BigInt = self.digits().parse().ok()?;
        self.expect("_by_")?;
        let denominator = self.digits().parse().ok()?;
        let numerator = if minus { -numerator } else { numerator };
        Some(SolidityType::Rational(numerator, denominator))
    }

    fn magic(&mut self) -> Option<SolidityType> {
        if self.take("meta_type_") {
            return Some(SolidityType::Meta(Arc::new(self.ty()?)));
        }
        let magic = match self.word(|c| c.is_ascii_alphabetic()) {
            "block" => Magic::Block,
            "message" => Magic::Message,
            "transaction" => Magic::Transaction,
            "abi" => Magic::Abi,
            _ => return None,
        };
        Some(SolidityType::Magic(magic))
    }

    /// `function_KIND_MUTABILITY(…)returns(…)`, then what has been bound or set.
    fn function(&mut self) -> Option<SolidityType> {
        let words = self.word(|c| c != '$');
        let kind = words.split('_').next().unwrap_or(words).to_owned();
        self.expect("$_")?;
        let parameters = self.list()?;
        self.expect("returns$_")?;
        let results = self.list()?;
        for set in ["gas", "value", "salt"] {
            self.take(set);
        }
        let mut bound = None;
        if self.take("bound_to$_") || self.take("attached_to$_") {
            bound = self.list()?.into_iter().next().flatten();
        }
        Some(SolidityType::Function(Arc::new(FunctionType {
            kind,
            parameters,
            results,
            bound,
        })))
    }

    /// Types up to the closing bracket, which is read too. A part of a tuple may be missing.
    fn list(&mut self) -> Option<Vec<Option<SolidityType>>> {
        let mut types = Vec::new();
        loop {
            types.push(if self.rest.starts_with("t_") {
                Some(self.ty()?)
            } else {
                None
            });
            // `))` and `),` begin as `,` does: a comma is never followed by `$`.
            if self.rest.starts_with("_$_") && !self.rest.starts_with("_$_$") {
                self.expect("_$_")?;
            } else {
                self.expect("_$")?;
                break;
            }
        }
        if types.len() == 1 && types.iter().all(Option::is_none) {
            types.clear();
        }
        Some(types)
    }

    /// `NAME)ID`: the id. A name may hold `$`, written `$$$`.
    fn declared(&mut self) -> Option<NodeId> {
        let mut from = 0;
        loop {
            let rest = self.rest.get(from..)?;
            let at = from + rest.find(['_', '$'])?;
            let rest = self.rest.get(at..)?;
            let closes = rest
                .strip_prefix("_$")
                .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
            if closes {
                self.rest = rest.get(2..)?;
                return self.id();
            }
            from = at + if rest.starts_with("$$$") { 3 } else { 1 };
        }
    }

    fn id(&mut self) -> Option<NodeId> {
        self.digits().parse().ok().map(NodeId)
    }

    fn location(&mut self) -> Option<Location> {
        let locations = [
            ("_storage", Location::Storage),
            ("_memory", Location::Memory),
            ("_calldata", Location::Calldata),
            ("_transient", Location::Transient),
        ];
        let (_, location) = locations.into_iter().find(|(word, _)| self.take(word))?;
        self.take("_ptr");
        self.take("_slice");
        Some(location)
    }

    fn digits(&mut self) -> &'a str {
        self.word(|c| c.is_ascii_digit())
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn take(&mut self, start: &str) -> bool {
        let rest = self.rest.strip_prefix(start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, start: &str) -> Option<()> {
        self.take(start).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UINT: SolidityType = SolidityType::Int(Int {
        signed: false,
        bits: 256,
    });

    fn map(key: SolidityType, value: SolidityType) -> SolidityType {
        SolidityType::Mapping(Arc::new(key), Arc::new(value))
    }

    #[test]
    fn brackets_and_commas_are_told_apart() {
        let nested = "t_mapping$_t_address_$_t_mapping$_t_bytes32_$_t_uint256_$_$";
        assert_eq!(
            SolidityType::parse(nested),
            Some(map(
                SolidityType::Address,
                map(SolidityType::FixedBytes(32), UINT)
            ))
        );
        let tuple = "t_tuple$_t_mapping$_t_address_$_t_uint256_$_$_t_bool_$__$__$";
        assert_eq!(
            SolidityType::parse(tuple),
            Some(SolidityType::Tuple(vec![
                Some(map(SolidityType::Address, UINT)),
                Some(SolidityType::Bool),
                None,
                None
            ]))
        );
        assert_eq!(
            SolidityType::parse("t_tuple$__$"),
            Some(SolidityType::Tuple(Vec::new()))
        );
    }

    #[test]
    fn a_name_may_hold_anything() {
        for name in ["S", "_", "S_", "a$$$b", "a_$$$", "$$$", "x_$$$y_"] {
            let text = format!("t_array$_t_struct$_{name}_$12_storage_$dyn_storage_ptr");
            let element = SolidityType::Struct(NodeId(12), Location::Storage);
            let expected = SolidityType::Array(Arc::new(element), None, Location::Storage);
            assert_eq!(SolidityType::parse(&text), Some(expected), "{name}");
        }
    }

    #[test]
    fn functions_have_kinds_and_what_they_are_bound_to() {
        let text = "t_function_internal_pure$_t_uint256_$_t_uint256_$returns$_t_bool_$attached_to$_t_uint256_$";
        let Some(SolidityType::Function(function)) = SolidityType::parse(text) else {
            panic!("a function")
        };
        assert_eq!(function.kind, "internal");
        assert_eq!(function.parameters, [Some(UINT), Some(UINT)]);
        assert_eq!(function.results, [Some(SolidityType::Bool)]);
        assert_eq!(function.bound, Some(UINT));
        let text = "t_function_barecall_payable$_t_bytes_memory_ptr_$returns$_t_bool_$_t_bytes_memory_ptr_$value";
        assert!(
            matches!(SolidityType::parse(text), Some(SolidityType::Function(f)) if f.kind == "barecall")
        );
        assert!(matches!(
            SolidityType::parse("t_function_revert_pure$__$returns$__$"),
            Some(SolidityType::Function(f)) if f.parameters.is_empty()
        ));
    }

    #[test]
    fn elementary_types() {
        let int = |signed, bits| SolidityType::Int(Int { signed, bits });
        for (text, expected) in [
            ("t_bool", SolidityType::Bool),
            ("t_uint8", int(false, 8)),
            ("t_int256", int(true, 256)),
            ("t_address", SolidityType::Address),
            ("t_address_payable", SolidityType::Address),
            ("t_bytes4", SolidityType::FixedBytes(4)),
            ("t_bytes_memory_ptr", SolidityType::Bytes(Location::Memory)),
            (
                "t_bytes_calldata_ptr_slice",
                SolidityType::Bytes(Location::Calldata),
            ),
            ("t_string_storage", SolidityType::String(Location::Storage)),
            (
                "t_rational_minus_3_by_2",
                SolidityType::Rational((-3).into(), 2.into()),
            ),
            ("t_stringliteral_c5d246", SolidityType::StringLiteral),
            (
                "t_tuple$_t_stringliteral_c5d246_$_t_error_$",
                SolidityType::Tuple(vec![
                    Some(SolidityType::StringLiteral),
                    Some(SolidityType::Error),
                ]),
            ),
            ("t_magic_message", SolidityType::Magic(Magic::Message)),
            ("t_type$_t_uint256_$", SolidityType::Name(Arc::new(UINT))),
            (
                "t_magic_meta_type_t_contract$_I_$7",
                SolidityType::Meta(Arc::new(SolidityType::Contract(NodeId(7)))),
            ),
        ] {
            assert_eq!(SolidityType::parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_type_is_none() {
        let deep = "t_array$_".repeat(100_000);
        for text in [
            "",
            "t_",
            "t_uint",
            "uint256",
            "t_uint0",
            "t_uint7",
            "t_int264",
            "t_bytes33",
            "t_bool_",
            "t_array$_t_bool_$",
            "t_mapping$_t_bool_$",
            &deep,
        ] {
            assert_eq!(SolidityType::parse(text), None, "{}", text.len());
        }
    }
}
