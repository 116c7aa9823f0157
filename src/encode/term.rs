//! Boogie expressions as they are written: a tree that prints itself with no more parentheses than needed.

use std::fmt;

use num_bigint::{BigInt, Sign};

/// A Boogie expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// A name or literal.
    Atom(String),
    /// `-e`, `!e`
    Unary(&'static str, Box<Term>),
    /// `a op b`
    Binary(&'static str, Box<Term>, Box<Term>),
    /// `m[i, j]`
    Select(Box<Term>, Vec<Term>),
    /// `m[i, j := v]`
    Store(Box<Term>, Vec<Term>, Box<Term>),
    /// `f(a, b)`
    Apply(String, Vec<Term>),
    /// `if c then a else b`
    If(Box<Term>, Box<Term>, Box<Term>),
    /// `(forall x: int :: e)`: the word, the bound variables, the body
    Quantified(&'static str, String, Box<Term>),
}

impl Term {
    /// A name or literal.
    pub(super) fn atom(text: impl Into<String>) -> Term {
        Term::Atom(text.into())
    }

    /// An integer.
    pub(super) fn int(value: &BigInt) -> Term {
        let digits = Term::Atom(value.magnitude().to_string());
        if value.sign() == Sign::Minus {
            Term::Unary("-", Box::new(digits))
        } else {
            digits
        }
    }

    /// `a op b`
    pub(super) fn binary(op: &'static str, a: Term, b: Term) -> Term {
        Term::Binary(op, Box::new(a), Box::new(b))
    }

    /// `!e`
    pub(super) fn not(e: Term) -> Term {
        Term::Unary("!", Box::new(e))
    }

    /// `m[i]`
    pub(super) fn select(map: Term, index: Term) -> Term {
        Term::Select(Box::new(map), vec![index])
    }

    /// `elements[array, index]`: the content of all arrays of a type is one map. A solver finds models of what is said of
    /// all elements of all arrays much sooner than with a map of maps.
    pub(super) fn element(elements: Term, array: Term, index: Term) -> Term {
        Term::Select(Box::new(elements), vec![array, index])
    }

    /// `a && b && …`; `true` where there is none.
    pub(super) fn all(terms: impl IntoIterator<Item = Term>) -> Term {
        terms
            .into_iter()
            .reduce(|a, b| Term::binary("&&", a, b))
            .unwrap_or_else(|| Term::atom("true"))
    }

    /// How tightly the outermost operator binds.
    fn level(&self) -> u8 {
        match self {
            Term::Atom(_) | Term::Select(..) | Term::Store(..) | Term::Apply(..) => 9,
            // Printed in parentheses of their own.
            Term::If(..) | Term::Quantified(..) => 9,
            Term::Unary(..) => 8,
            Term::Binary(op, ..) => level_of(op),
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

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Atom(text) => f.write_str(text),
            Term::Unary(op, e) => {
                f.write_str(op)?;
                e.write_operand(
                    f,
                    e.level() >= 8 && !(*op == "-" && matches!(**e, Term::Unary("-", _))),
                )
            }
            Term::Binary(op, a, b) => {
                let level = level_of(op);
                // `&&` and `||` may not be mixed without parentheses, comparisons do not chain, and `==>` groups
                // to the right; the rest groups to the left.
                let same_operator = |t: &Term| matches!(t, Term::Binary(inner, ..) if inner == op);
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
            Term::Select(map, indices) => {
                map.write_operand(f, map.level() == 9)?;
                write!(f, "[{}]", Commas(indices))
            }
            Term::Store(map, indices, value) => {
                map.write_operand(f, map.level() == 9)?;
                write!(f, "[{} := {value}]", Commas(indices))
            }
            Term::Apply(name, args) => write!(f, "{name}({})", Commas(args)),
            Term::If(c, a, b) => write!(f, "(if {c} then {a} else {b})"),
            Term::Quantified(word, vars, body) => write!(f, "({word} {vars} :: {body})"),
        }
    }
}

struct Commas<'a>(&'a [Term]);

impl fmt::Display for Commas<'_> {
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

    fn atom(text: &str) -> Term {
        Term::atom(text)
    }

    #[test]
    fn parentheses_appear_exactly_where_boogie_needs_them() {
        let a_and_b = Term::binary("&&", atom("a"), atom("b"));
        let mixed = Term::binary("||", a_and_b.clone(), atom("c"));
        assert_eq!(mixed.to_string(), "(a && b) || c");
        assert_eq!(
            Term::binary("&&", a_and_b.clone(), atom("c")).to_string(),
            "a && b && c"
        );
        assert_eq!(
            Term::binary("&&", atom("c"), a_and_b.clone()).to_string(),
            "c && a && b"
        );
        assert_eq!(Term::not(a_and_b.clone()).to_string(), "!(a && b)");
        let difference = Term::binary("-", atom("x"), Term::binary("-", atom("y"), atom("z")));
        assert_eq!(difference.to_string(), "x - (y - z)");
        let left = Term::binary("-", Term::binary("-", atom("x"), atom("y")), atom("z"));
        assert_eq!(left.to_string(), "x - y - z");
        let implication = Term::binary(
            "==>",
            a_and_b.clone(),
            Term::binary("==>", atom("c"), atom("d")),
        );
        assert_eq!(implication.to_string(), "a && b ==> c ==> d");
        let nested = Term::binary("==>", Term::binary("==>", atom("c"), atom("d")), a_and_b);
        assert_eq!(nested.to_string(), "(c ==> d) ==> a && b");
        let equal = Term::binary("==", Term::binary("<", atom("a"), atom("b")), atom("c"));
        assert_eq!(equal.to_string(), "(a < b) == c");
        let minus = Term::Unary("-", Box::new(Term::Unary("-", Box::new(atom("a")))));
        assert_eq!(minus.to_string(), "-(-a)");
        let product = Term::binary("*", Term::binary("+", atom("a"), atom("b")), atom("c"));
        assert_eq!(product.to_string(), "(a + b) * c");
        assert_eq!(
            Term::select(Term::select(atom("m"), atom("i")), atom("j")).to_string(),
            "m[i][j]"
        );
    }
}
