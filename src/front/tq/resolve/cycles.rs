//! Who needs whom: cycles, and an order in which everything comes after what it needs.

use super::Resolver;
use crate::ir::Diagnostic;
use crate::ir::FunctionRef;

/// Who needs whom, put in order.
pub(super) struct DependencyOrder {
    /// The nodes, so that each comes after those it needs, cycles apart.
    pub nodes: Vec<usize>,
    /// Cycles: nodes in the order in which they need each other. No two begin at the same node.
    pub cycles: Vec<Vec<usize>>,
}

/// Orders the nodes `0 .. needs.len()`.
pub(super) fn order(needs: &[Vec<usize>]) -> DependencyOrder {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; needs.len()];
    let mut in_cycle = vec![false; needs.len()];
    let (mut nodes, mut cycles) = (Vec::new(), Vec::new());
    for start in 0..needs.len() {
        // A depth-first search with its own stack: a node, and how many of its needs have been looked at.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((node, looked)) = path.last_mut() {
            let node = *node;
            if *looked == 0 {
                if marks[node] != Mark::New {
                    path.pop();
                    continue;
                }
                marks[node] = Mark::Open;
            }
            let next = needs[node].get(*looked).copied();
            *looked += 1;
            match next {
                None => {
                    marks[node] = Mark::Done;
                    nodes.push(node);
                    path.pop();
                }
                Some(next) if marks[next] != Mark::Open => path.push((next, 0)),
                Some(next) if in_cycle[next] => {}
                Some(next) => {
                    let cycle = path
                        .iter()
                        .map(|(node, _)| *node)
                        .skip_while(|node| *node != next);
                    let cycle: Vec<usize> = cycle.collect();
                    for &node in &cycle {
                        in_cycle[node] = true;
                    }
                    cycles.push(cycle);
                }
            }
        }
    }
    DependencyOrder { nodes, cycles }
}

impl Resolver<'_> {
    /// Functions do not call themselves.
    pub(super) fn recursive_functions(&mut self) {
        let mut refs: Vec<FunctionRef> = self
            .function_calls
            .iter()
            .flat_map(|(f, g, _)| [*f, *g])
            .collect();
        refs.sort_unstable();
        refs.dedup();
        let index = |function: &FunctionRef| refs.binary_search(function).unwrap_or_default();
        let mut calls = vec![Vec::new(); refs.len()];
        for (caller, called, _) in &self.function_calls {
            calls[index(caller)].push(index(called));
        }
        for cycle in order(&calls).cycles {
            let cycle: Vec<FunctionRef> = cycle.iter().map(|&i| refs[i]).collect();
            self.recursive_function(&cycle);
        }
    }

    fn recursive_function(&mut self, cycle: &[FunctionRef]) {
        let names = cycle
            .iter()
            .map(|&function| self.program.function(function).name.as_str());
        let shown = shown(names.collect());
        let first = cycle.first().copied();
        let next = cycle.get(1).copied().or(first);
        let call = self
            .function_calls
            .iter()
            .find(|(caller, called, _)| Some(*caller) == first && Some(*called) == next);
        let place = call.map(|(_, _, span)| *span).unwrap_or_default();
        self.report(
            Diagnostic::error(format!("a function calls itself: {shown}"))
                .at(place, "")
                .help("functions are not recursive; write a `procedure` with a result"),
        );
    }
}

/// A cycle as it is shown; a long one without its middle.
pub(super) fn shown(mut names: Vec<&str>) -> String {
    const SHOWN: usize = 8;
    names.extend(names.first().copied());
    if names.len() > SHOWN {
        names.splice(SHOWN / 2..names.len() - SHOWN / 2, ["…"]);
    }
    format!("`{}`", names.join("` → `"))
}
