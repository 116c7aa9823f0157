//! Names: what the user wrote, as far as `.tq` has such names, and each only once.

use std::collections::BTreeSet;

use crate::front::tq::is_free_name;

/// Names that are taken.
#[derive(Clone, Debug, Default)]
pub(super) struct TakenNames {
    taken: BTreeSet<String>,
}

impl TakenNames {
    /// The nearest name that is free; it is taken then. `$` and what else is no letter, digit or `_` becomes `_`.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let mut name: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        // What overloads are told apart by ends in a bracket.
        if wanted.ends_with(')') {
            name.truncate(name.trim_end_matches('_').len());
        }
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name.insert(0, '_');
        }
        if !is_free_name(&name) {
            name.push('_');
        }
        let mut numbered =
            (2_u64..).map(|number| format!("{}_{number}", name.trim_end_matches('_')));
        let free = if self.taken.contains(&name) {
            numbered.find(|name| !self.taken.contains(name))
        } else {
            Some(name.clone())
        };
        let free = free.unwrap_or(name);
        self.taken.insert(free.clone());
        free
    }
}

#[cfg(test)]
mod tests {
    use super::TakenNames;

    #[test]
    fn names_are_near_and_free() {
        let mut names = TakenNames::default();
        for (wanted, name) in [
            ("owner", "owner"),
            ("owner", "owner_2"),
            ("$", "_"),
            ("$'2", "__2"),
            ("transfer(address,uint256)", "transfer_address_uint256"),
            ("action", "action_"),
            ("action", "action_2"),
            ("int", "int_"),
            ("9", "_9"),
            ("Base.x", "Base_x"),
        ] {
            assert_eq!(names.fresh(wanted), name, "{wanted}");
        }
    }
}
