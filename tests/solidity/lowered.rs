//! Contracts as classes: their text, which is read again, and what is not taken.

use tranquera::front::solidity::{self, flat};
use tranquera::front::tq;

use crate::fixture::{Fixture, recorded};

/// The class of a contract as text, or what of it is not taken.
fn text_of(fixture: &Fixture, flat: &flat::Contract) -> String {
    let lowered = match solidity::lower(flat, &solidity::LowerOptions::default()) {
        Ok(lowered) => lowered,
        Err(refused) => {
            let mut text = format!("// {} is not taken\n", flat.name);
            for refused in &refused {
                for because in &refused.because {
                    let place = fixture.loaded.program.files.show(because.place);
                    let place = place.to_string();
                    let place = place.rsplit('/').next().unwrap_or_default();
                    text.push_str(&format!("// {place}: {}: {}\n", refused.name, because.what));
                }
            }
            return text;
        }
    };
    let text = tq::print(&lowered.file);
    for file in [&lowered.file, &lowered.settled(lowered.file.clone())] {
        let text = tq::print(file);
        let read = tq::parse_text("class.tq", &text).unwrap_or_else(|wrong| {
            panic!("{}: {}\n{wrong}\n{text}", fixture.name, flat.name);
        });
        assert_eq!(
            tq::print(&read.file),
            text,
            "{}: {}",
            fixture.name,
            flat.name
        );
    }
    text
}

#[test]
fn classes_of_contracts_can_be_read() {
    for path in recorded() {
        let fixture = Fixture::read(&path);
        let mut text = String::new();
        for contract in fixture.contracts() {
            text.push_str(&text_of(&fixture, &fixture.flat(&contract)));
            text.push('\n');
        }
        let name = format!("lowered_{}", fixture.name.replace('/', "_"));
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, text);
        });
    }
}
