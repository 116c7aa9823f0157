//! Which predicates hold: the cubes that the abstraction's states are.

use crate::ir::Expr;
use crate::ir::formula;

use super::InterfaceEncoding;

/// Which predicates hold of an object: the truth value of each, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube(pub Vec<bool>);

impl Cube {
    /// The cube as a word in a name: `10`, a digit a predicate.
    pub fn word(&self) -> String {
        if self.0.is_empty() {
            return "any".into();
        }
        self.0.iter().map(|b| if *b { '1' } else { '0' }).collect()
    }
}

impl<'a> InterfaceEncoding<'a> {
    /// The cube as a formula.
    pub fn cube_formula(&self, cube: &Cube) -> Expr {
        let literals = self.predicates.iter().zip(&cube.0).map(|(p, holds)| {
            let formula = self.formula(p);
            if *holds {
                formula
            } else {
                formula::not(formula)
            }
        });
        formula::all(literals)
    }

    /// The cube for a person: its literals.
    pub fn cube_text(&self, cube: &Cube) -> String {
        let literals: Vec<String> = self
            .predicates
            .iter()
            .zip(&cube.0)
            .map(|(p, holds)| {
                let literal = if *holds {
                    p.clone()
                } else {
                    formula::not(p.clone())
                };
                self.predicate_text(&literal)
            })
            .collect();
        if literals.is_empty() {
            "any object".into()
        } else {
            literals.join(", ")
        }
    }
}
