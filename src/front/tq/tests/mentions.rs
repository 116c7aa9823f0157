//! Which name stands for what is declared where.

use super::super::{Loaded, parse_text};

/// Everything that has a name, named.
const TEXT: &str = "\
enum Mode { Idle, Busy }
type Key with FIRST;
exception Full;
class Box {
  var held: int;
  const SIZE: int := 3;
  constructor() { held := SIZE; }
  constructor of(n: int) { held := n; }
  action put(n: int) { held := n; }
  function twice(): int { held + held }
}
class Shop {
  var mode: Mode;
  var box: Box;
  var keys: map<Key, Box?>;
  invariant keys[FIRST] == null || mode == Idle;
  constructor() { mode := Mode.Idle; box := new Box(); havoc keys; keys[Key.FIRST] := null; }
  action sell(n: int, mode2: Mode) returns (ok: bool, left: int) outcomes ok
    requires n < Box.SIZE && n < most(n) && exists k: int :: k < n
    enabled when mode == Busy with n := 1, mode2 := Idle
    ensures left == old(box.held) modifies Box.held, box, mode throws Full
  {
    var x: int := n;
    outer: while (x > 0) { x := x - 1; if (x == 2) { break outer; } }
    try { throw Full; } catch Full { rest(); }
    box := new Box.of(x);
    box.put(box.twice());
    box.held := x;
    ok := true;
    left := box.held;
  }
  procedure rest() { this.mode := Busy; }
  function most(n: int): int { n + Box.SIZE }
  state { sell } assumes mode == Idle;
}
";

fn read(text: &str) -> Loaded {
    parse_text("shop.tq", text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The text with what each name stands for behind it, as the line and column of the declaration.
fn told(loaded: &Loaded) -> String {
    let text = &loaded.source.text;
    let mut told = String::new();
    let mut last = 0;
    for offset in 0..text.len() {
        let Some(mention) = loaded.mentions.at(offset as u32) else {
            continue;
        };
        let (start, end) = (mention.place.start as usize, mention.place.end as usize);
        if start != offset {
            continue;
        }
        let (line, column) = loaded.source.line_column(mention.declared.start as usize);
        told += &format!("{}⟨{line}:{column}⟩", &text[last..end]);
        last = end;
    }
    told + &text[last..]
}

#[test]
fn each_name_is_mentioned() {
    insta::assert_snapshot!(told(&read(TEXT)));
}

#[test]
fn a_cursor_stands_before_in_and_behind_a_name() {
    let loaded = read(TEXT);
    let at = TEXT.find("SIZE; }").expect("there") as u32;
    let declared = TEXT.find("SIZE: int").expect("there") as u32;
    for offset in at..=at + 4 {
        let mention = loaded.mentions.at(offset).expect("a name");
        assert_eq!(mention.declared.start, declared, "{offset}");
    }
    // On the blank before `:=`, behind what is no name but a number, and where there is nothing.
    for offset in [TEXT.find("3;").expect("there") as u32, 0, 1 << 30] {
        assert!(loaded.mentions.at(offset).is_none(), "{offset}");
    }
}

/// What a name stands for is called so, in all classes that there are; `new C` stands for a constructor without a name.
#[test]
fn what_is_declared_is_called_so() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for folder in ["fixtures", "tests/classes"] {
        for entry in ignore::Walk::new(root.join(folder)) {
            let path = entry.expect("a file").into_path();
            if path.extension().is_none_or(|extension| extension != "tq") {
                continue;
            }
            let Ok(loaded) = super::super::load(&path) else {
                continue;
            };
            for offset in 0..loaded.source.text.len() {
                let Some(mention) = loaded.mentions.at(offset as u32) else {
                    continue;
                };
                let name = loaded.source.at(mention.place);
                let declared = loaded.source.at(mention.declared);
                let makes = declared.starts_with("constructor");
                assert!(
                    name == declared || makes,
                    "{}: {name}: {declared}",
                    path.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}
