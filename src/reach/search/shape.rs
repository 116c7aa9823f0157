//! Maps of a simple shape: one value at all keys but a few.
//!
//! What is said of all keys of a map, as "no identifier is left that was not seen", Z3 tries to satisfy with a map that has a value at
//! each key that it happened on, takes another key where that does not hold, and so on for ever. Of a map that is written as
//!
//! ```text
//! ((d everywhere)[k1 := v1])[k2 := v2]
//! ```
//!
//! the first such key says what `d` is. An execution with such maps is one like any other. That there is none says nothing.

use std::fmt::Write;

use crate::reach::smt::{Sexp, parse};

/// What is in maps of maps has any value.
const DEPTH: usize = 2;

/// Whether values of a sort can have a simple shape.
pub(super) fn is_map(sort: &str) -> bool {
    parse(sort).is_some_and(|sort| of_map(&sort).is_some())
}

/// Says, in SMT-LIB, that a constant of this sort is a map that has another value at `keys` keys at most, where it is a map at
/// all. A map of maps has another one at one key, and so have these: each part of a shape is one more that a solver looks for.
pub(super) fn shaped(name: &str, sort: &str, keys: usize) -> String {
    let mut said = String::new();
    if let Some(sort) = parse(sort)
        && let Some(value) = simple(name, &sort, (keys, DEPTH), &mut said)
    {
        // Writing to a string does not fail.
        let _ = writeln!(said, "(assert (= {name} {value}))");
    }
    said
}

/// A map of a simple shape, whose parts are called after `name` and declared in `said`; none where it is no map, or one too deep.
fn simple(
    name: &str,
    sort: &Sexp,
    (keys, depth): (usize, usize),
    said: &mut String,
) -> Option<String> {
    let (key, value) = of_map(sort)?;
    let depth = depth.checked_sub(1)?;
    let mut part = |name: String, sort: &Sexp| {
        simple(&name, sort, (1, depth), said).unwrap_or_else(|| {
            // As above.
            let _ = writeln!(said, "(declare-const {name} {sort})");
            name
        })
    };
    let everywhere = part(format!("{name}!d"), value);
    let mut map = format!("((as const {sort}) {everywhere})");
    let keys = if of_map(value).is_some() { 1 } else { keys };
    for at in 1..=keys {
        let (key, value) = (
            part(format!("{name}!k{at}"), key),
            part(format!("{name}!v{at}"), value),
        );
        map = format!("(store {map} {key} {value})");
    }
    Some(map)
}

/// The sorts of the keys and the values of a map with one key.
fn of_map(sort: &Sexp) -> Option<(&Sexp, &Sexp)> {
    match sort {
        Sexp::List(parts) => match parts.as_slice() {
            [Sexp::Atom(array), key, value] if array == "Array" => Some((key, value)),
            _ => None,
        },
        Sexp::Atom(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_map, shaped};
    use crate::boogie::{check, parse};
    use crate::engine::Tool;
    use crate::reach::lower::ProcedureMode;
    use crate::reach::program::Prepared;
    use crate::reach::search::{Budget, Models, SearchAnswer, search};
    use crate::reach::smt::{Config, SolverFailure};
    use crate::reach::solver::{Manner, Solver};
    use std::time::{Duration, Instant};

    #[test]
    fn a_map_is_the_same_at_all_keys_but_a_few() {
        let said = shaped("v1", "(Array Int Bool)", 2);
        assert!(said.starts_with("(declare-const v1!d Bool)\n(declare-const v1!k1 Int)\n"));
        let end = "(assert (= v1 (store (store ((as const (Array Int Bool)) v1!d) v1!k1 v1!v1) v1!k2 v1!v2)))\n";
        assert!(said.ends_with(end), "{said}");
    }

    #[test]
    fn what_is_no_map_has_any_value() {
        assert_eq!(shaped("v1", "Int", 3), "");
        assert_eq!(shaped("v1", "|T@Ref|", 3), "");
    }

    #[test]
    fn maps_of_maps_have_a_shape_and_deeper_ones_any_value() {
        let said = shaped("v1", "(Array Int (Array Int (Array Int Bool)))", 3);
        let declared = "(declare-const v1!v1!v1 (Array Int Bool))";
        assert!(said.contains(declared), "{said}");
        assert!(
            !said.contains("v1!v1!v1!d") && !said.contains("!v2"),
            "{said}"
        );
    }

    #[test]
    fn maps_with_several_keys_have_no_shape() {
        assert!(is_map("(Array Int Bool)"));
        assert!(!is_map("(Array Int Int Bool)") && !is_map("Int"));
        assert_eq!(shaped("v1", "(Array Int Int Bool)", 1), "");
    }

    /// What one solver answers of a program, looking among these models one after the other.
    fn answers(text: &str, models: &[Models]) -> Vec<SearchAnswer> {
        let program = check(&parse(text).expect("parsed")).expect("checked");
        let main = program.procedure("Main");
        let prepared = Prepared::with_main(program, main).expect("prepared");
        let entry = prepared.entry(&[], prepared.mains[0], ProcedureMode::Entry);
        let entry = entry.expect("an entry");
        let config = Config::new(Tool::Z3.locate("tests", None).expect("Z3").path);
        let mut solver = Solver::start(&config, Manner::Usual).expect("Z3");
        let mut answer = |models: &Models| {
            let budget = Budget {
                models: *models,
                ..Budget::until(2, Instant::now() + Duration::from_secs(60))
            };
            search(&entry, &mut solver, budget, None).0
        };
        models.iter().map(&mut answer).collect()
    }

    const ONE: Models = Models::Shaped { keys: 1 };
    const TWO: Models = Models::Shaped { keys: 2 };

    fn is_no_answer(answer: &SearchAnswer) -> bool {
        matches!(answer, SearchAnswer::Unknown(SolverFailure::Incomplete(_)))
    }

    /// Three values need two keys beside the usual one, and a solver that was told of fewer finds them when it is asked again.
    #[test]
    fn that_no_map_of_a_shape_will_do_is_no_answer() {
        let text = "procedure Main(m: [int]int) { assume m[1] == 1 && m[2] == 2 && m[3] == 3; assert false; }";
        let found = answers(text, &[ONE, Models::All, ONE, TWO]);
        assert!(
            is_no_answer(&found[0]) && is_no_answer(&found[2]),
            "{found:?}"
        );
        let is_reached = |answer: &SearchAnswer| matches!(answer, SearchAnswer::Reached(_));
        assert!(is_reached(&found[1]) && is_reached(&found[3]), "{found:?}");
    }

    #[test]
    fn nor_is_it_one_where_there_is_none_at_all() {
        let text = "procedure Main(m: [int]int) { assume m[1] == 1 && m[1] == 2; assert false; }";
        let found = answers(text, &[ONE, Models::All]);
        assert!(is_no_answer(&found[0]), "{found:?}");
        assert!(matches!(found[1], SearchAnswer::Unreachable), "{found:?}");
    }

    #[test]
    fn nor_is_a_bound_that_is_hit() {
        let text = "procedure Main(m: [int]int) { var i: int; i := 0; assume m[0] == 7;
                      while (i < m[0]) { i := i + 1; } assert i != 7; }";
        let found = answers(text, &[ONE, Models::All]);
        assert!(is_no_answer(&found[0]), "{found:?}");
        assert!(matches!(found[1], SearchAnswer::BoundHit(2)), "{found:?}");
    }
}
