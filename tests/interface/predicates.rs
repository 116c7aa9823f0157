//! Predicates that the tool finds.

use tranquera::interface::predicates::Discovery;
use tranquera::ir::expr_text;

use crate::support::class;
use crate::synthesised::{CURSOR, LAST_RET, Wanted, folder, forbidden};

/// J9: the guard is found, and `cursor == -1` from it, through the assignment in `next`; with it nothing is left to
/// add where the paper's precision needs it.
#[test]
fn the_missing_predicate_is_found() {
    let loaded = class::load(&folder().join("list_itr_fixed.tq"));
    let subject = class::subject(&loaded);
    let forbidden = forbidden(&loaded, &["IllegalState"]);
    let discovery = Discovery::new(&subject, &forbidden);
    let guards = discovery.guards();
    let text = |e: &_| expr_text(&loaded.program, subject.class, e);
    assert_eq!(guards.iter().map(text).collect::<Vec<_>>(), [LAST_RET]);
    let next = discovery.before(0, &guards);
    assert_eq!(next.iter().map(text).collect::<Vec<_>>(), [CURSOR]);
    let previous = discovery.before(2, &guards);
    assert_eq!(
        previous.iter().map(text).collect::<Vec<_>>(),
        ["cursor == 0"]
    );

    let one = Wanted::new(
        "jist-2005/list_itr_fixed.tq",
        &["IllegalState"],
        &[LAST_RET],
    )
    .run();
    let artefacts = one.interface.prohibitions.iter().flat_map(|p| &p.artefacts);
    let proposed: Vec<(&str, &[String])> = artefacts
        .map(|a| (a.after.as_str(), a.suggested.as_slice()))
        .collect();
    let expected = ("next[ok]", &[CURSOR.to_string()][..]);
    assert_eq!(proposed, [expected, expected]);

    let found = Wanted::new("jist-2005/list_itr.tq", &["IllegalState"], &[])
        .by_statements()
        .run();
    assert!(found.interface.predicates.contains(&CURSOR.to_string()));
    assert_eq!(found.automaton.states.len(), 2);
    assert!(found.suggested.is_empty());
}
