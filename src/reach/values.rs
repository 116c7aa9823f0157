//! Values of a model, as Corral and Boogie print them: `6`, `-5`, `true`, `7bv8`, `2.5`, `T@T!val!1`, and maps as
//! `{"6":9,"*":2}` with the default under `*` (and, which Corral does not have, what is at all other keys less than 3
//! under `<3`). Values of datatypes and floating-point numbers, which Corral does not print, are as Boogie writes
//! them: `Some(3)`, `0x1.8e0f24e8`.

use num_bigint::BigUint;

use super::smt::Sexp;
use super::tables::{ModelMap, integer, table};
use crate::boogie::typed::{BoogieType, DatatypeConstructor, TypedProgram};

/// A value of a type as text.
pub fn show(value: &Sexp, ty: &BoogieType, program: &TypedProgram) -> String {
    match (ty, value) {
        (BoogieType::Int, _) => integer(value).map_or_else(|| value.to_string(), |n| n.to_string()),
        (BoogieType::Bool, _) => value.to_string(),
        (BoogieType::Bv(width), _) => match bit_pattern(value) {
            Some(number) => format!("{number}bv{width}"),
            None => value.to_string(),
        },
        (BoogieType::Real, _) => real(value).unwrap_or_else(|| value.to_string()),
        (BoogieType::Map(map), _) if map.domain.is_empty() => show(value, &map.range, program),
        (BoogieType::Map(map), _) => match table(value, map.domain.len()) {
            Some(table) => tabular(&table, &map.domain, &map.range, program),
            None => value.to_string(),
        },
        (BoogieType::Float(significand, exponent), _) => {
            let sizes = format!("{significand}e{exponent}");
            float(value, *significand, *exponent, &sizes).unwrap_or_else(|| value.to_string())
        }
        (BoogieType::Con(con, args), _) => {
            // Only a bug of ours shows a value of another program, which is then shown as the solver says it.
            let declared = program.types.at(*con).ok();
            let constructors = declared.and_then(|t| t.constructors.as_ref());
            match constructors.and_then(|all| constructed(value, all)) {
                Some((_, constructor, values)) => {
                    let fields = constructor.fields.iter().zip(values);
                    let fields = fields.map(|(field, value)| {
                        let ty = field.ty.substitute(&constructor.params, args);
                        show(value, &ty, program)
                    });
                    // `Pair(1, None())`
                    let fields: Vec<String> = fields.collect();
                    format!("{}({})", constructor.name, fields.join(", "))
                }
                None => value.to_string().replace('|', ""),
            }
        }
        _ => value.to_string().replace('|', ""),
    }
}

/// The constructor that a value of a datatype is made by, its number, and what it is made of.
pub(super) fn constructed<'v, 'c>(
    value: &'v Sexp,
    constructors: &'c [DatatypeConstructor],
) -> Option<(usize, &'c DatatypeConstructor, &'v [Sexp])> {
    let (head, values) = match value {
        Sexp::Atom(_) => (value, &[][..]),
        Sexp::List(items) => match items.split_first()? {
            (Sexp::Atom(word), _) if word == "as" => (value, &[][..]),
            (head, values) => (head, values),
        },
    };
    // The name, or `(as name sort)`.
    let name = match head {
        Sexp::Atom(name) => name,
        Sexp::List(items) => match items.as_slice() {
            [_, Sexp::Atom(name), ..] => name,
            _ => return None,
        },
    };
    let name = name.trim_matches('|').strip_prefix("C@")?;
    let name = name.split('<').next()?;
    let mut constructors = constructors.iter().enumerate();
    let (number, constructor) = constructors.find(|(_, c)| c.name == name)?;
    Some((number, constructor, values))
}

/// A floating-point number as a literal of Boogie's.
fn float(value: &Sexp, significand: u32, exponent: u32, sizes: &str) -> Option<String> {
    let Sexp::List(items) = value else {
        return None;
    };
    match items.as_slice() {
        [_, Sexp::Atom(word), _, _] if !word.starts_with('#') => Some(match word.as_str() {
            "+zero" => format!("0x0.0e0f{sizes}"),
            "-zero" => format!("-0x0.0e0f{sizes}"),
            special => format!("0{special}{sizes}"),
        }),
        [_, sign, biased, trailing] => {
            let sign = if bit_pattern(sign)? == BigUint::ZERO {
                ""
            } else {
                "-"
            };
            let biased = i64::try_from(bit_pattern(biased)?).ok()?;
            let bias = (1i64 << (exponent - 1)) - 1;
            let leading = BigUint::from(u8::from(biased > 0)) << (significand - 1);
            let power = biased.max(1) - bias - i64::from(significand - 1);
            let digits = (bit_pattern(trailing)? + leading) << power.rem_euclid(4);
            Some(format!(
                "{sign}0x{digits:x}.0e{}f{sizes}",
                power.div_euclid(4)
            ))
        }
        _ => None,
    }
}

/// The number that a bitvector is: of `#x0f`, `#b1111`, `(_ bv15 8)`.
pub(super) fn bit_pattern(value: &Sexp) -> Option<BigUint> {
    match value {
        Sexp::Atom(text) => match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
            (Some(hex), _) => BigUint::parse_bytes(hex.as_bytes(), 16),
            (_, Some(bits)) => BigUint::parse_bytes(bits.as_bytes(), 2),
            _ => None,
        },
        Sexp::List(items) => match items.as_slice() {
            [Sexp::Atom(underscore), Sexp::Atom(value), _] if underscore == "_" => {
                value.strip_prefix("bv")?.parse().ok()
            }
            _ => None,
        },
    }
}

/// `2.5`, `-2.5`, or a fraction `1.0/3.0`.
fn real(value: &Sexp) -> Option<String> {
    match value {
        Sexp::Atom(text) => Some(text.clone()),
        Sexp::List(items) => match items.as_slice() {
            [Sexp::Atom(op), inner] if op == "-" => Some(format!("-{}", real(inner)?)),
            [Sexp::Atom(op), a, b] if op == "/" => Some(format!("{}/{}", real(a)?, real(b)?)),
            _ => None,
        },
    }
}

/// A table, those of several indices as maps of maps.
fn tabular(
    table: &ModelMap,
    domain: &[BoogieType],
    range: &BoogieType,
    program: &TypedProgram,
) -> String {
    match (table, domain.split_first()) {
        (ModelMap::Table(table), Some((key, rest))) => {
            let inner = |map: &ModelMap| tabular(map, rest, range, program);
            let entries = table.entries.iter();
            let entries = entries.map(|(at, map)| (show(at, key, program), map));
            let below = table.below.iter();
            let below = below.map(|(bound, map)| (format!("<{bound}"), map));
            let all: String = entries
                .chain(below)
                .map(|(at, map)| format!("\"{at}\":{},", inner(map)))
                .collect();
            format!("{{{all}\"*\":{}}}", inner(&table.default))
        }
        (ModelMap::Value(value), _) => show(value, range, program),
        // Only a bug of ours makes a table of other indices than the map has.
        (ModelMap::Table(table), None) => tabular(&table.default, domain, range, program),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boogie::typed::MapType;
    use crate::reach::smt::parse;

    #[test]
    fn maps_of_several_indices_are_shown_as_maps_of_maps() {
        let map = MapType {
            params: 0,
            domain: vec![BoogieType::Int, BoogieType::Bool],
            range: BoogieType::Int,
        };
        let zeros = "((as const (Array Int Bool Int)) 0)";
        let stores = format!("(store (store (store {zeros} 5 true 1) 6 true 7) 5 false (- 2))");
        let value = parse(&stores).expect("an expression");
        let ty = BoogieType::Map(Box::new(map));
        // The last store comes first, and hides an earlier one at the same indices.
        let expected = r#"{"5":{"false":-2,"true":1,"*":0},"6":{"true":7,"*":0},"*":{"*":0}}"#;
        assert_eq!(show(&value, &ty, &TypedProgram::default()), expected);
        let again = parse(&format!("(store {stores} 6 true 8)")).expect("an expression");
        let expected = r#"{"6":{"true":8,"*":0},"5":{"false":-2,"true":1,"*":0},"*":{"*":0}}"#;
        assert_eq!(show(&again, &ty, &TypedProgram::default()), expected);
    }
}
