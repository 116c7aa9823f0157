//! Text → tree → text → tree, and tree → JSON → tree.

use std::path::Path;

use proptest::prelude::*;

use super::super::{ast::FileSyntax, from_json, load, parse_syntax, print, to_json};
use super::trees;

/// The example of the design, in the layout of the printer.
const VENDING_MACHINE: &str = "\
enum Mode { Uninit, Sign, Verify }
exception IllegalState;

class VendingMachine {
  const PRICE: int := 15;
  var selling: bool;
  var money: int;

  invariant money >= 0;

  constructor()
  {
    selling := false;
    money := 0;
  }

  action insert_money(amount: int)
    requires amount > 0
    requires !selling
  {
    money := money + amount;
  }

  action release_bottle()
    requires !selling && money >= PRICE
  {
    selling := true;
    money := money - PRICE;
    if (money == 0) {
      selling := false;
    }
  }

  pure action available() returns (amount: int)
  {
    amount := money;
  }
}
";

fn assert_round_trips(file: &FileSyntax) {
    let text = print(file);
    let parsed = parse_syntax("printed.tq", &text).unwrap_or_else(|d| panic!("{text}\n{d}"));
    assert_eq!(parsed, *file, "{text}");
    assert_eq!(print(&parsed), text);
    let json = to_json(file);
    let read = from_json("printed.json", &json).unwrap_or_else(|d| panic!("{text}\n{d}"));
    assert_eq!(read, *file, "{text}");
}

#[test]
fn the_example_of_the_design_is_printed_as_it_is_written() {
    let file = parse_syntax("design.tq", VENDING_MACHINE).unwrap();
    assert_eq!(print(&file), VENDING_MACHINE);
    assert_round_trips(&file);
}

#[test]
fn every_fixture_is_read_without_a_remark_and_round_trips() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut folders = vec![root];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("clients") {
                // A client needs the classes it uses, which are in another file.
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "tq") {
                let loaded = load(&path).unwrap_or_else(|d| panic!("{d}"));
                assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
                assert_round_trips(&loaded.file);
                read += 1;
            }
        }
    }
    assert!(read >= 18, "only {read} fixtures");
}

proptest! {
    #![proptest_config(crate::random::cases(256))]

    #[test]
    fn every_tree_is_printed_so_that_it_is_parsed_again(file in trees::file()) {
        assert_round_trips(&file);
    }
}
