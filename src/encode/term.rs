//! Boogie expressions as they are written: a tree that prints itself with no more parentheses than needed.

use std::fmt;

use num_bigint::{BigInt, Sign};

/// A Boogie expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BoogieTerm {
    /// A name or literal.
    Atom(String),
    /// `-e`, `!e`
    Unary(&'static str, Box<BoogieTerm>),
    /// `a op b`
    Binary(&'static str, Box<BoogieTerm>, Box<BoogieTerm>),
    /// `m[i, j]`
    Select(Box<BoogieTerm>, Vec<BoogieTerm>),
    /// `m[i, j := v]`
    Store(Box<BoogieTerm>, Vec<BoogieTerm>, Box<BoogieTerm>),
    /// `f(a, b)`
    Apply(String, Vec<BoogieTerm>),
    /// `if c then a else b`
    If(Box<BoogieTerm>, Box<BoogieTerm>, Box<BoogieTerm>),
    /// `(forall x: int :: e)`: the word, the bound variables, the body
    Quantified(&'static str, String, Box<BoogieTerm>),
}

impl BoogieTerm {
    /// A name or literal.
    pub(super) fn atom(text: impl Into<String>) -> BoogieTerm {
        BoogieTerm::Atom(text.into())
    }

    /// An integer.
    pub(super) fn int(value: &BigInt) -> BoogieTerm {
        let digits = BoogieTerm::Atom(value.magnitude().to_string());
        if value.sign() == Sign::Minus {
            BoogieTerm::Unary("-", Box::new(digits))
        } else {
            digits
        }
    }

    /// Whether there is a quantifier in it.
    pub(super) fn has_quantifier(&self) -> bool {
        let mut open = vec![self];
        while let Some(term) = open.pop() {
            match term {
                BoogieTerm::Quantified(..) => return true,
                BoogieTerm::Atom(_) => {}
                BoogieTerm::Unary(_, e) => open.push(e),
                BoogieTerm::Binary(_, a, b) => open.extend([&**a, &**b]),
                BoogieTerm::Select(map, keys) => open.extend(keys.iter().chain([&**map])),
                BoogieTerm::Store(map, keys, value) => {
                    open.extend(keys.iter().chain([&**map, &**value]));
                }
                BoogieTerm::Apply(_, arguments) => open.extend(arguments),
                BoogieTerm::If(c, a, b) => open.extend([&**c, &**a, &**b]),
            }
        }
        false
    }

    /// `a op b`
    pub(super) fn binary(op: &'static str, a: BoogieTerm, b: BoogieTerm) -> BoogieTerm {
        BoogieTerm::Binary(op, Box::new(a), Box::new(b))
    }

    /// `!e`
    pub(super) fn not(e: BoogieTerm) -> BoogieTerm {
        BoogieTerm::Unary("!", Box::new(e))
    }

    /// `m[i]`
    pub(super) fn select(map: BoogieTerm, index: BoogieTerm) -> BoogieTerm {
        BoogieTerm::Select(Box::new(map), vec![index])
    }

    /// `elements[array, index]`: the content of all arrays of a type is one map. A solver finds models of what is said of
    /// all elements of all arrays much sooner than with a map of maps.
    pub(super) fn element(
        elements: BoogieTerm,
        array: BoogieTerm,
        index: BoogieTerm,
    ) -> BoogieTerm {
        BoogieTerm::Select(Box::new(elements), vec![array, index])
    }

    /// `a && b && …`; `true` where there is none.
    pub(super) fn all(terms: impl IntoIterator<Item = BoogieTerm>) -> BoogieTerm {
        terms
            .into_iter()
            .reduce(|a, b| BoogieTerm::binary("&&", a, b))
            .unwrap_or_else(|| BoogieTerm::atom("true"))
    }

    /// The disjunction.
    pub(super) fn any(terms: impl IntoIterator<Item = BoogieTerm>) -> BoogieTerm {
        terms
            .into_iter()
            .reduce(|a, b| BoogieTerm::binary("||", a, b))
            .unwrap_or_else(|| BoogieTerm::atom("false"))
    }

    /// How tightly the outermost operator binds.
    fn level(&self) -> u8 {
        match self {
            BoogieTerm::Atom(_)
            | BoogieTerm::Select(..)
            | BoogieTerm::Store(..)
            | BoogieTerm::Apply(..) => 9,
            // Printed in parentheses of their own.
            BoogieTerm::If(..) | BoogieTerm::Quantified(..) => 9,
            BoogieTerm::Unary(..) => 8,
            BoogieTerm::Binary(op, ..) => level_of(op),
        }
    }

    fn write_operand(&self, f: &mut fmt::Formatter<'_>, bare: bool) -> fmt::Result {
        if bare {
            write!(f, "{self}")
        } else {
            write!(f, "({self})")
        }
    }
}

/// Boogie's precedence, loosest first.
fn level_of(op: &str) -> u8 {
    match op {
        "<==>" => 1,
        "==>" => 2,
        "&&" | "||" => 3,
        "==" | "!=" | "<" | "<=" | ">" | ">=" => 4,
        "+" | "-" => 6,
        _ => 7,
    }
}

impl fmt::Display for BoogieTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoogieTerm::Atom(text) => f.write_str(text),
            BoogieTerm::Unary(op, e) => {
                f.write_str(op)?;
                e.write_operand(
                    f,
                    e.level() >= 8 && !(*op == "-" && matches!(**e, BoogieTerm::Unary("-", _))),
                )
            }
            BoogieTerm::Binary(op, a, b) => {
                let level = level_of(op);
                // `&&` and `||` may not be mixed without parentheses, comparisons do not chain, and `==>` groups
                // to the right; the rest groups to the left.
                let same_operator =
                    |t: &BoogieTerm| matches!(t, BoogieTerm::Binary(inner, ..) if inner == op);
                let left_bare = a.level() > level
                    || a.level() == level
                        && match *op {
                            "&&" | "||" => same_operator(a),
                            "==" | "!=" | "<" | "<=" | ">" | ">=" | "==>" | "<==>" => false,
                            _ => true,
                        };
                let right_bare =
                    b.level() > level || (same_operator(b) && matches!(*op, "&&" | "||" | "==>"));
                a.write_operand(f, left_bare)?;
                write!(f, " {op} ")?;
                b.write_operand(f, right_bare)
            }
            BoogieTerm::Select(map, indices) => {
                map.write_operand(f, map.level() == 9)?;
                write!(f, "[{}]", CommaTerms(indices))
            }
            BoogieTerm::Store(map, indices, value) => {
                map.write_operand(f, map.level() == 9)?;
                write!(f, "[{} := {value}]", CommaTerms(indices))
            }
            BoogieTerm::Apply(name, args) => write!(f, "{name}({})", CommaTerms(args)),
            BoogieTerm::If(c, a, b) => write!(f, "(if {c} then {a} else {b})"),
            BoogieTerm::Quantified(word, vars, body) => write!(f, "({word} {vars} :: {body})"),
        }
    }
}

struct CommaTerms<'a>(&'a [BoogieTerm]);

impl fmt::Display for CommaTerms<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, term) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(text: &str) -> BoogieTerm {
        BoogieTerm::atom(text)
    }

    #[test]
    fn parentheses_appear_exactly_where_boogie_needs_them() {
        let a_and_b = BoogieTerm::binary("&&", atom("a"), atom("b"));
        let mixed = BoogieTerm::binary("||", a_and_b.clone(), atom("c"));
        assert_eq!(mixed.to_string(), "(a && b) || c");
        assert_eq!(
            BoogieTerm::binary("&&", a_and_b.clone(), atom("c")).to_string(),
            "a && b && c"
        );
        assert_eq!(
            BoogieTerm::binary("&&", atom("c"), a_and_b.clone()).to_string(),
            "c && a && b"
        );
        assert_eq!(BoogieTerm::not(a_and_b.clone()).to_string(), "!(a && b)");
        let difference = BoogieTerm::binary(
            "-",
            atom("x"),
            BoogieTerm::binary("-", atom("y"), atom("z")),
        );
        assert_eq!(difference.to_string(), "x - (y - z)");
        let left = BoogieTerm::binary(
            "-",
            BoogieTerm::binary("-", atom("x"), atom("y")),
            atom("z"),
        );
        assert_eq!(left.to_string(), "x - y - z");
        let implication = BoogieTerm::binary(
            "==>",
            a_and_b.clone(),
            BoogieTerm::binary("==>", atom("c"), atom("d")),
        );
        assert_eq!(implication.to_string(), "a && b ==> c ==> d");
        let nested = BoogieTerm::binary(
            "==>",
            BoogieTerm::binary("==>", atom("c"), atom("d")),
            a_and_b,
        );
        assert_eq!(nested.to_string(), "(c ==> d) ==> a && b");
        let equal = BoogieTerm::binary(
            "==",
            BoogieTerm::binary("<", atom("a"), atom("b")),
            atom("c"),
        );
        assert_eq!(equal.to_string(), "(a < b) == c");
        let minus = BoogieTerm::Unary("-", Box::new(BoogieTerm::Unary("-", Box::new(atom("a")))));
        assert_eq!(minus.to_string(), "-(-a)");
        let product = BoogieTerm::binary(
            "*",
            BoogieTerm::binary("+", atom("a"), atom("b")),
            atom("c"),
        );
        assert_eq!(product.to_string(), "(a + b) * c");
        assert_eq!(
            BoogieTerm::select(BoogieTerm::select(atom("m"), atom("i")), atom("j")).to_string(),
            "m[i][j]"
        );
    }
}
