//! Words of the solver's language for what Boogie writes otherwise: built-in functions, literals, changed maps.

use num_bigint::BigInt;

use super::error::Unsupported;
use super::term::Term;
use crate::boogie::ast::{BinOp, Pos};

/// `map[i, j]`; what has no index is its own value.
pub(super) fn select(map: Term, indices: Vec<Term>) -> Term {
    match indices.is_empty() {
        true => map,
        false => Term::app("select", [vec![map], indices].concat()),
    }
}

/// `map[i, j := value]`
pub(super) fn store(map: Term, indices: &[Term], value: Term) -> Term {
    match indices {
        [] => value,
        _ => Term::app("store", [&[map], indices, &[value]].concat()),
    }
}

/// The solver's name for a `{:builtin "…"}`; empty if it has none.
pub(super) fn builtin_name(builtin: &str) -> String {
    let mapped = |op: &str| format!("(_ map {op})");
    match builtin {
        "MapConst" => "MapConst".into(),
        "MapNot" => mapped("not"),
        "MapAnd" => mapped("and"),
        "MapOr" => mapped("or"),
        "MapImp" => mapped("=>"),
        "MapAdd" => mapped("(+ (Int Int) Int)"),
        "MapSub" => mapped("(- (Int Int) Int)"),
        "MapMul" => mapped("(* (Int Int) Int)"),
        "MapDiv" => mapped("(div (Int Int) Int)"),
        "MapMod" => mapped("(mod (Int Int) Int)"),
        "MapGt" => mapped("(> (Int Int) Bool)"),
        "MapGe" => mapped("(>= (Int Int) Bool)"),
        "MapLt" => mapped("(< (Int Int) Bool)"),
        "MapLe" => mapped("(<= (Int Int) Bool)"),
        "MapEq" | "MapIff" | "MapIte" => String::new(),
        other => match other.split_once(' ') {
            // An indexed operator: `sign_extend 8`. Others are in the solver's form, with first arguments maybe: `fp.add RNE`.
            Some((_, indices)) if indices.split(' ').all(is_numeral) => format!("(_ {other})"),
            _ => other.to_string(),
        },
    }
}

fn is_numeral(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// The solver's name for a `{:builtin "…"}` on the elements of maps that depends on their sort.
pub(super) fn mapped_at(builtin: &str, sort: &str) -> Option<String> {
    Some(match builtin {
        "MapEq" => format!("(_ map (= ({sort} {sort}) Bool))"),
        "MapIff" => "(_ map (= (Bool Bool) Bool))".into(),
        "MapIte" => format!("(_ map (ite (Bool {sort} {sort}) {sort}))"),
        _ => return None,
    })
}

/// A floating-point operation, and whether it rounds; to the nearest, ties to even, as Boogie has it. Equality is that of
/// values, by which a NaN is equal to itself.
pub(super) fn float_operation(op: BinOp) -> Option<(&'static str, bool)> {
    Some(match op {
        BinOp::Add => ("fp.add", true),
        BinOp::Sub => ("fp.sub", true),
        BinOp::Mul => ("fp.mul", true),
        BinOp::RealDiv => ("fp.div", true),
        BinOp::Lt => ("fp.lt", false),
        BinOp::Le => ("fp.leq", false),
        BinOp::Gt => ("fp.gt", false),
        BinOp::Ge => ("fp.geq", false),
        _ => return None,
    })
}

/// A real literal in SMT-LIB's form.
pub(super) fn decimal(text: &str) -> Result<String, Unsupported> {
    let too_large = || {
        Unsupported::new(
            Pos::default(),
            format!("the real literal {text} is too large"),
        )
    };
    let (mantissa, exponent) = match text.split_once('e') {
        Some((m, e)) => (m, e.parse::<i64>().map_err(|_| too_large())?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{whole}{fraction}")
        .parse()
        .map_err(|_| too_large())?;
    let exponent = exponent - fraction.len() as i64;
    let power = u32::try_from(exponent.unsigned_abs())
        .ok()
        .filter(|p| *p <= 10_000)
        .ok_or_else(too_large)?;
    let power = BigInt::from(10).pow(power);
    Ok(match exponent >= 0 {
        true => format!("{}.0", digits * power),
        false => format!("(/ {digits}.0 {power}.0)"),
    })
}
