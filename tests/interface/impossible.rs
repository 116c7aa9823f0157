//! Calls that can never be made where they are prohibited.

use std::sync::Arc;

use tranquera::engine::EngineConfig;
use tranquera::interface::synthesis::synthesise_by_rounds;
use tranquera::query::kinds::interface::{Abstracted, Params};

use crate::support::{class, real};
use crate::synthesised::{forbidden, options};

/// A call that its `requires` rule out wherever it is prohibited loses nobody anything: there is nothing to add. By hand:
/// an empty stack has no top, and after a `pop` it may be empty again.
#[test]
fn a_call_that_cannot_be_made_is_no_artefact() {
    let text = "exception Empty;
        class Stack {
          var size: int;
          invariant size >= 0;
          constructor() { size := 0; }
          action push() { size := size + 1; }
          action pop() { if (size == 0) { throw Empty; } size := size - 1; }
          action top() requires size > 0 { }
        }";
    let loaded = class::parse(text);
    let subject = Arc::new(class::subject(&loaded));
    let forbidden = forbidden(&loaded, &["Empty"]);
    let abstracted = Abstracted::new(subject, vec![], forbidden, Params::Forall, false);
    let engine = real::engine("builtin", &EngineConfig::default());
    let found = synthesise_by_rounds(abstracted, engine.as_ref(), &options(), 0).expect("found");
    let at_the_start = |action: &str| {
        let mut prohibitions = found.interface.prohibitions.iter();
        prohibitions.find(|p| p.state == "Q1" && p.action == action)
    };
    let pop = at_the_start("pop").expect("prohibited");
    assert!(pop.witness.is_some());
    let top = at_the_start("top").expect("prohibited");
    assert_eq!(
        (&top.witness, &top.artefacts, &top.unknown),
        (&None, &vec![], &vec![])
    );
}
