//! Values of a model, as Corral and Boogie print them: `6`, `-5`, `true`, `7bv8`, `2.5`, `T@T!val!1`, and maps as
//! `{"6":9,"*":2}` with the default under `*`.

use super::smt::Sexp;
use crate::boogie::typed::{Program, Type};

/// A value of a type as text.
pub fn show(value: &Sexp, ty: &Type, program: &Program) -> String {
    match (ty, value) {
        (Type::Int, _) => integer(value).unwrap_or_else(|| value.to_string()),
        (Type::Bool, _) => value.to_string(),
        (Type::Bv(width), Sexp::Atom(text)) => {
            bitvector(text, *width).unwrap_or_else(|| text.clone())
        }
        (Type::Bv(width), Sexp::List(items)) => match items.as_slice() {
            [_, Sexp::Atom(value), _] => format!("{}bv{width}", value.trim_start_matches("bv")),
            _ => value.to_string(),
        },
        (Type::Real, _) => real(value).unwrap_or_else(|| value.to_string()),
        (Type::Map(map), _) => {
            let mut entries = Vec::new();
            let nested = match map.domain.split_first() {
                Some((_, rest)) if !rest.is_empty() => {
                    let mut inner = (**map).clone();
                    inner.domain = rest.to_vec();
                    Type::Map(Box::new(inner))
                }
                _ => map.range.clone(),
            };
            match map.domain.first() {
                None => show(value, &map.range, program),
                Some(index) => match entries_of(value, index, &nested, program, &mut entries) {
                    Some(()) => {
                        let entries: Vec<String> = entries
                            .iter()
                            .map(|(k, v)| format!("\"{k}\":{v}"))
                            .collect();
                        format!("{{{}}}", entries.join(","))
                    }
                    None => value.to_string(),
                },
            }
        }
        _ => value.to_string().replace('|', ""),
    }
}

fn integer(value: &Sexp) -> Option<String> {
    match value {
        Sexp::Atom(text) => Some(text.clone()),
        Sexp::List(items) => match items.as_slice() {
            [Sexp::Atom(minus), inner] if minus == "-" => Some(format!("-{}", integer(inner)?)),
            _ => None,
        },
    }
}

fn bitvector(text: &str, width: u32) -> Option<String> {
    let value = match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
        (Some(hex), _) => num_bigint::BigUint::parse_bytes(hex.as_bytes(), 16)?,
        (_, Some(bits)) => num_bigint::BigUint::parse_bytes(bits.as_bytes(), 2)?,
        _ => return None,
    };
    Some(format!("{value}bv{width}"))
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

/// The entries of a map, later stores over earlier ones, the default last.
fn entries_of(
    value: &Sexp,
    index: &Type,
    element: &Type,
    program: &Program,
    entries: &mut Vec<(String, String)>,
) -> Option<()> {
    let mut value = value;
    loop {
        let Sexp::List(items) = value else {
            return None;
        };
        match items.as_slice() {
            [Sexp::Atom(op), map, key, stored] if op == "store" => {
                let key = show(key, index, program);
                if !entries.iter().any(|(k, _)| *k == key) {
                    entries.push((key, show(stored, element, program)));
                }
                value = map;
            }
            [Sexp::List(head), default] if head.first() == Some(&Sexp::Atom("as".into())) => {
                entries.push(("*".into(), show(default, element, program)));
                return Some(());
            }
            _ => return None,
        }
    }
}
