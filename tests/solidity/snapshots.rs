//! Flattened contracts as text.

use crate::fixture::{Fixture, recorded};
use crate::print;

#[test]
fn flattened_contracts_as_text() {
    for path in recorded() {
        let fixture = Fixture::read(&path);
        let mut text = String::new();
        for contract in fixture.contracts() {
            text.push_str(&print::contract(&fixture.flat(&contract), true));
            text.push('\n');
        }
        let name = fixture.name.replace('/', "_");
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, text);
        });
    }
}
