//! What all clauses share.

use crate::reach::symbols::Symbols;

/// What all clauses share: sorts, definitions, and the constants, which every predicate carries along.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) text: String,
    pub(super) consts: Vec<(String, String)>,
    /// Facts about the constants.
    pub(super) facts: Vec<String>,
    /// Names of functions that mean nothing here.
    opaque: Vec<String>,
}

impl Shared {
    pub(super) fn of(symbols: &Symbols) -> Self {
        let mut shared = Shared {
            consts: symbols.declared_consts.clone(),
            ..Shared::default()
        };
        for command in &symbols.commands {
            let mut words = command.trim_start_matches('(').splitn(3, ' ');
            let (verb, name) = (words.next().unwrap_or(""), quoted_name(command));
            match verb {
                // Nothing is known of its values but whether they are equal; integers will do.
                "declare-sort" => {
                    let arity = command
                        .trim_end_matches(')')
                        .rsplit(' ')
                        .next()
                        .and_then(|n| n.parse().ok());
                    let params: Vec<String> = (0..arity.unwrap_or(0))
                        .map(|i: u32| format!("t{i}"))
                        .collect();
                    line(
                        &mut shared.text,
                        &format!("(define-sort {name} ({}) Int)", params.join(" ")),
                    );
                }
                "declare-datatypes" => line(&mut shared.text, command),
                "define-fun" if shared.can_say(command) => line(&mut shared.text, command),
                "define-fun" | "declare-fun" => shared.opaque.push(name.to_string()),
                "assert" if shared.can_say(command) => {
                    let fact = command
                        .strip_prefix("(assert ")
                        .and_then(|c| c.strip_suffix(')'));
                    shared.facts.extend(fact.map(str::to_string));
                }
                _ => {}
            }
        }
        shared
    }

    /// Is there nothing in the text that Spacer cannot do?
    pub(super) fn can_say(&self, text: &str) -> bool {
        let binders = ["(forall ", "(exists ", "(lambda "];
        !binders.iter().any(|b| text.contains(b))
            && !self.opaque.iter().any(|name| text.contains(name.as_str()))
    }
}

/// The name a command declares, with its bars.
fn quoted_name(command: &str) -> &str {
    let from = command.find('|').unwrap_or(0);
    let rest = command.get(from + 1..).unwrap_or("");
    let to = rest.find('|').map_or(command.len(), |i| from + i + 2);
    command.get(from..to).unwrap_or("")
}

pub(super) fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}
