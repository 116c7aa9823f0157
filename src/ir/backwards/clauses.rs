//! A diagram as clauses that can be met together where it can: a truth value for each node, which says that a way from there leads
//! to `true` (D. A. Plaisted, S. Greenbaum, "A Structure-Preserving Clause Form Translation", JSC 2(3), 1986). Its paths may be
//! many more than its nodes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Backwards;
use super::diagram::Bdd;
use crate::ir::formula;
use crate::ir::{Expr, Type};

/// With more nodes than this, no clauses are made.
const MOST_NODES: usize = 20_000;

impl Backwards {
    /// Clauses over the atoms and new variables, which all hold for some values of these where the condition holds, and else for none;
    /// none where there would be too many.
    pub(super) fn clauses_of(&mut self, node: Bdd) -> Option<Vec<Expr>> {
        let mut seen = FxHashSet::default();
        let mut names = FxHashMap::default();
        let mut clauses = vec![self.node_as_clause(node, &mut names)];
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Some((atom, yes, no)) = self.diagrams.top(node) else {
                continue;
            };
            if !seen.insert(node) {
                continue;
            }
            if seen.len() > MOST_NODES {
                return None;
            }
            self.diagrams.works(1);
            let here = formula::not(self.node_as_clause(node, &mut names));
            let holds = self.atoms.shown(atom).clone();
            for (to, literal) in [(yes, formula::not(holds.clone())), (no, holds)] {
                // A way to `true` asks for nothing more.
                if to != Bdd::TRUE {
                    let there = self.node_as_clause(to, &mut names);
                    clauses.push(formula::or(here.clone(), formula::or(literal, there)));
                    open.push(to);
                }
            }
        }
        Some(clauses)
    }

    /// That a way from the node leads to `true`.
    fn node_as_clause(&mut self, node: Bdd, names: &mut FxHashMap<Bdd, Expr>) -> Expr {
        if node == Bdd::FALSE || node == Bdd::TRUE {
            return formula::bool(node == Bdd::TRUE);
        }
        if let Some(name) = names.get(&node) {
            return name.clone();
        }
        // The solver keeps what it knows of questions over the same variables.
        let name = match self.nodes.get(names.len()) {
            Some(name) => *name,
            None => {
                let name = self.variable("node", &Type::Bool);
                self.nodes.push(name);
                name
            }
        };
        let name = formula::var(&self.program, name);
        names.insert(node, name.clone());
        name
    }
}
