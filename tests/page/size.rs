//! A page as large as a page may be.

use serde_json::json;

use crate::opened::{contains_all, epa, page_of_epa, transition};

#[test]
fn a_hundred_states_and_a_thousand_edges() {
    let id = |n: usize| format!("S{}", n + 1);
    let actions: Vec<String> = (0..10).map(|n| format!("act{n}")).collect();
    let names: Vec<&str> = actions.iter().map(String::as_str).collect();
    let states = (0..100).map(|n| json!({ "id": id(n), "enabled": names, "initial": n == 0 }));
    // Ten edges from every state: to the next ones, back, and far away; some are drawn as one.
    let edges = (0..100_usize).flat_map(|n| {
        let targets = [1, 1, 2, 2, 3, 0, 99, 99, 10, 50].map(|step| (n + step) % 100);
        let taken = targets.into_iter().zip(&names);
        taken
            .map(move |(target, action)| transition(&id(n), action, &id(target)))
            .collect::<Vec<_>>()
    });
    let page = page_of_epa(&epa(states.collect(), &names, edges.collect()));
    contains_all(&page.text("#panel"), &["100 states, 1000 transitions"]);
    page.press("/");
    for letter in ["s", "7", "7"] {
        page.press(letter);
    }
    page.press("Enter");
    contains_all(&page.text("#panel h2"), &["State S77"]);
    assert_eq!(
        page.value("document.querySelectorAll('#panel [data-show-edge]').length"),
        19
    );
    let place = "document.querySelector('[data-state=S77]').getBoundingClientRect()";
    assert_eq!(
        page.value(&format!(
            "{place}.width > 30 && {place}.x > 0 && {place}.right < innerWidth"
        )),
        true
    );
    page.nothing_went_wrong();
}
