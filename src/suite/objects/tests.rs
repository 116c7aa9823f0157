//! Tests of the objects to walk with, against the class as it is understood by hand.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::epa::Epa;
use crate::epa::read::read;
use crate::front::tq::parse_text;
use crate::ir::ClassId;
use crate::view::samples;

/// A lamp that counts how often it was lit, up to 2, and burns out at a stroke of chance.
const LAMP: &str = "class Lamp {
  var lit: bool;
  var count: int;
  invariant 0 <= count <= 2;
  constructor(n: int) requires 0 <= n <= 1 { lit := false; count := n; }
  action light() requires !lit && count < 2 { lit := true; count := count + 1; }
  action dim() requires lit { lit := false; }
  action storm() requires lit { if (*) { lit := false; } }
}";

fn objects_of_the_lamp() -> (Epa, Objects) {
    let loaded = parse_text("lamp.tq", LAMP).unwrap();
    let subject = Subject::of_class(Arc::clone(&loaded.program), ClassId(0));
    // S3: it was lit twice, and can never be again.
    let epa = samples::table(
        "Lamp",
        "light,dim,storm",
        "S1={light} S2={dim,storm} S3={}",
        "Lamp(int)->S1",
        "S1: light->S2\nS2: dim->S1 S3; storm->S1 S2 S3",
    );
    let objects = objects(&subject, &read(&epa).unwrap());
    (epa, objects)
}

#[test]
fn the_objects_are_those_that_the_calls_make() {
    let (_, objects) = objects_of_the_lamp();
    assert_eq!(objects.fields, ["lit", "count"]);
    let found: BTreeSet<(&str, &str, &str)> = (objects.states.iter())
        .map(|o| (o.state.as_str(), o.values[0].as_str(), o.values[1].as_str()))
        .collect();
    let all = [
        ("S1", "false", "0"),
        ("S1", "false", "1"),
        ("S2", "true", "1"),
        ("S2", "true", "2"),
        ("S3", "false", "2"),
    ];
    assert_eq!(found, BTreeSet::from(all));
}

#[test]
fn what_the_class_leaves_open_is_not_followed() {
    let (epa, objects) = objects_of_the_lamp();
    let first = epa.constructors.len();
    for call in &objects.calls {
        let values = |index: usize| {
            let values = &objects.states[index].values;
            (values[0] == "true", values[1].parse::<i64>().unwrap())
        };
        let to = values(call.to);
        match (call.from.map(values), call.edge.checked_sub(first)) {
            (None, None) => assert_eq!(to, (false, call.arguments[0].value.parse().unwrap())),
            (Some((lit, count)), Some(edge)) => match epa.transitions[edge].action.as_str() {
                "light" => assert_eq!((lit, to), (false, (true, count + 1))),
                "dim" => assert_eq!((lit, to), (true, (false, count))),
                other => panic!("nobody knows how {other} goes"),
            },
            odd => panic!("{odd:?}"),
        }
    }
}
