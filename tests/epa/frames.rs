//! Which calls change nothing that a guard looks at: worked out by hand.

use tranquera::query::ActionId;

use crate::support::class;

/// The actions of a class that leave the object in the state that they are called in, as far as their effects say.
fn keeping(text: &str) -> Vec<String> {
    let subject = class::subject(&class::parse(text));
    let keeps = |id: &ActionId| subject.keeps_state(subject[*id].routine);
    let kept = subject.action_ids().filter(keeps);
    kept.map(|id| subject[id].name.clone()).collect()
}

#[test]
fn what_no_guard_looks_at_may_change() {
    let text = "class Line {
      var open: bool;
      var count: int;
      var last: int;
      constructor() { open := true; count := 0; last := 0; }
      action close() requires open { open := false; }
      action read(n: int) requires open && n > 0 { count := count + n; }
      action peek() requires open { inside(); }
      action late() requires last > 3 { shut(); }
      procedure inside() { count := 1; }
      procedure shut() { open := false; }
      action never() requires false { last := 4; }
    }";
    assert_eq!(keeping(text), ["read", "peek"]);
}

/// Of another object, and of the elements of arrays.
#[test]
fn a_guard_may_look_further_than_the_object() {
    let text = "class Lamp {
      var lit: bool;
      var uses: int;
      constructor() { lit := false; uses := 0; }
      action press() { lit := !lit; uses := uses + 1; }
      procedure use() { uses := uses + 1; }
    }
    class Room {
      var lamp: Lamp;
      var seats: array<int>;
      var names: array<bool>;
      constructor() { lamp := new Lamp(); seats := new int[2]; names := new bool[2]; }
      function free(): bool { seats[0] == 0 }
      action enter() requires lamp.lit { }
      action sit() requires free() { }
      action press() { lamp.press(); }
      action look() { lamp.use(); }
      action take() { seats[0] := 1; }
      action name() { names[0] := true; }
      action renew() { var other: Lamp := new Lamp(); }
      action more() { var other: array<int> := new int[3]; }
    }";
    // What `renew` and `more` make is written to: that nobody has it before is not looked at.
    assert_eq!(keeping(text), ["enter", "sit", "look", "name"]);
}
