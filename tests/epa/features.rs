//! Directed classes, one a feature of the language, each with the EPA it must give: `tests/classes/*.tq`, the edges in
//! the comments behind `//=`. They were worked out by hand from what the language means.
//!
//! `I C() -> {a,b}` is an edge of a constructor, `{a} act[ok]!E -> {b}` a transition, and a line that ends in `*` says
//! who can break the invariant.

use tranquera::epa::Strategy;
use tranquera::interp::oracle::{Domain, explore};

use crate::graph::{self, Graph};
use crate::support::class;
use crate::support::program::root;

pub(crate) struct Case {
    name: String,
    pub(crate) text: String,
    pub(crate) expected: Graph,
}

fn cases() -> Vec<Case> {
    let folder = root().join("tests/classes");
    let mut cases: Vec<Case> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("readable");
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let mut expected = Graph::default();
            for line in text.lines().filter_map(|l| l.strip_prefix("//= ")) {
                let list = match line.ends_with('*') {
                    true => &mut expected.violations,
                    false => &mut expected.edges,
                };
                assert!(list.insert(line.into()), "{name}: twice: {line}");
            }
            Case {
                name: name.into(),
                text,
                expected,
            }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    let wanted = std::env::var("TRANQUERA_CLASS").unwrap_or_default();
    cases.retain(|case| case.name.contains(&wanted));
    cases
}

/// Compares all classes and reports all differences at once.
pub(crate) fn check(found: impl Fn(&Case) -> Option<Graph>) {
    check_all(|case| match found(case) {
        Some(found) => case.expected.differences(&found),
        None => vec![],
    });
}

/// Reports what is wrong with all classes at once.
pub(crate) fn check_all(wrong: impl Fn(&Case) -> Vec<String>) {
    let mut report = String::new();
    for case in cases() {
        let differences = wrong(&case);
        if !differences.is_empty() {
            report += &format!("{}:\n  {}\n", case.name, differences.join("\n  "));
        }
    }
    assert!(
        report.is_empty(),
        "- expected, + found, ? not certain\n{report}"
    );
}

fn by_engine(case: &Case, engine: &str, strategy: Strategy) -> Graph {
    graph::by_engine(&class::parse(&case.text), engine, strategy)
}

#[test]
fn by_running_everything() {
    check(|case| {
        let program = class::parse(&case.text).program;
        let domain = domain(&case.name)?;
        let oracle = explore(&program, class::last(&program), &domain)
            .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        Some(Graph::of_oracle(&oracle))
    });
}

/// Where what matters lies: two objects where they are compared, larger numbers where they occur. None where no
/// finite number of objects is enough.
fn domain(name: &str) -> Option<Domain> {
    let small = Domain::integers(-1..=3);
    let larger = |range| Domain {
        limit: 5_000_000,
        ..Domain::integers(range)
    };
    Some(match name {
        "changed_outside" | "other_parameters" | "widths" | "everywhere" | "filled" => return None,
        "odd_names" => larger(0..=2),
        "machine_unsigned" | "machine_signed" | "ranges" => larger(-128..=255),
        "labels" | "handlers" | "counted" => larger(0..=6),
        "guards" | "loops" | "returns_in_try" => larger(-3..=12),
        "aliasing_objects" => Domain {
            objects: 2,
            ..Domain::integers(0..=1)
        },
        "aliasing_arrays" => Domain {
            arrays: 2,
            lengths: 0..=1,
            ..small
        },
        "own_class" | "nullable" => Domain {
            objects: 2,
            ..small
        },
        "votes" => Domain {
            lengths: 0..=4,
            ..Domain::integers(-1..=4)
        },
        "vec_of_nat" => Domain {
            lengths: 0..=3,
            ..Domain::integers(-1..=3)
        },
        "fresh_objects" => Domain {
            objects: 2,
            ..Domain::integers(0..=1)
        },
        _ => larger(-1..=3),
    })
}

#[test]
fn by_the_built_in_engine() {
    check(|case| Some(by_engine(case, "builtin", Strategy::Guided)));
}

#[test]
fn by_the_published_algorithm() {
    check(|case| Some(by_engine(case, "builtin", Strategy::Enumerate)));
}

/// The real Boogie takes what it is given, whatever things are called. The other classes are asked of it only where
/// there is time: set `TRANQUERA_BOOGIE_CLASSES`.
#[test]
fn by_boogie() {
    let all = std::env::var_os("TRANQUERA_BOOGIE_CLASSES").is_some();
    const FEW: [&str; 3] = ["odd_names", "caught_inside", "nested_break"];
    check(|case| {
        let wanted = all || FEW.contains(&case.name.as_str());
        wanted.then(|| by_engine(case, "boogie", Strategy::Guided))
    });
}
