//! Contracts with one guard less.

/// A contract's file without one of its guards.
pub struct Mutant {
    /// The line that it stood in, and which of the guards in it.
    pub without: String,
    pub source: String,
}

/// The file without each `require` and each `revert` of a contract and of those that it inherits from, one at a time.
pub fn of(source: &str, contract: &str) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (from, to) in ranges(source, contract) {
        for (guard, without) in [("require(", ""), ("revert()", "{}")] {
            let places = source[from..to].match_indices(guard);
            for (place, _) in places {
                let begin = from + place;
                let end = begin + source[begin..].find(';').expect("the end of a statement") + 1;
                let line = source[..begin].matches('\n').count() + 1;
                mutants.push(Mutant {
                    without: format!("line {line}: {}", &source[begin..end]),
                    source: [&source[..begin], without, &source[end..]].concat(),
                });
            }
        }
    }
    mutants
}

/// Where a contract stands, and those that it inherits from.
fn ranges(source: &str, contract: &str) -> Vec<(usize, usize)> {
    let head = format!("contract {contract} ");
    let Some(from) = source.find(&head) else {
        return Vec::new();
    };
    let to = source[from..]
        .find("\n}")
        .map_or(source.len(), |end| from + end);
    let mut ranges = vec![(from, to)];
    let head = source[from..to].split('{').next().unwrap_or_default();
    if let Some((_, bases)) = head.split_once(" is ") {
        let bases = bases.split(',').map(str::trim);
        ranges.extend(bases.flat_map(|base| self::ranges(source, base)));
    }
    ranges
}
