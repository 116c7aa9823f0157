//! Who needs whom: cycles, and an order in which everything comes after what it needs.

use super::super::diagnostic::Diagnostic;
use super::super::ir::FunctionRef;
use super::Resolver;

/// The nodes `0 .. needs.len()` in an order in which each comes after those it needs.
///
/// # Errors
/// The nodes of a cycle, in the order in which they need each other.
pub(super) fn order(needs: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; needs.len()];
    let mut done = Vec::new();
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
                    done.push(node);
                    path.pop();
                }
                Some(next) if marks[next] == Mark::Open => {
                    let cycle = path
                        .iter()
                        .map(|(node, _)| *node)
                        .skip_while(|node| *node != next);
                    return Err(cycle.collect());
                }
                Some(next) => path.push((next, 0)),
            }
        }
    }
    Ok(done)
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
        let Err(cycle) = order(&calls) else { return };
        let mut names: Vec<&str> = cycle
            .iter()
            .map(|&i| self.program.function(refs[i]).name.as_str())
            .collect();
        let first = names.first().copied().unwrap_or_default();
        names.push(first);
        let shown = shorten(names).join("` → `");
        let next = cycle.get(1).or(cycle.first()).copied().unwrap_or_default();
        let from = cycle.first().copied().unwrap_or_default();
        let place = self
            .function_calls
            .iter()
            .find(|(f, g, _)| index(f) == from && index(g) == next)
            .map(|(_, _, span)| *span)
            .unwrap_or_default();
        let diagnostic =
            Diagnostic::error(format!("the function `{first}` calls itself: `{shown}`"))
                .at(place, "")
                .help("functions are not recursive; write a `procedure` with a result");
        self.report(diagnostic);
    }
}

/// A cycle as it is shown: a long one without its middle.
pub(super) fn shorten(names: Vec<&str>) -> Vec<&str> {
    const SHOWN: usize = 8;
    if names.len() <= SHOWN {
        return names;
    }
    let (start, end) = (&names[..SHOWN / 2], &names[names.len() - SHOWN / 2..]);
    [start, &["…"], end].concat()
}
