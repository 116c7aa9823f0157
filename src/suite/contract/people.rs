//! Who calls, and who is named: in a test, the addresses of its run have numbers, in the order in which they come. Only
//! whether two are the same matters to a contract, but for those that it names itself.

use num_bigint::{BigInt, Sign};

use crate::ir::Messages;

/// Somebody in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Person {
    /// The address 0.
    Nobody,
    /// An address that the contract names.
    Named(BigInt),
    /// One of the test's people, by his number; 0 is a stranger.
    Numbered(usize),
    /// Each of the test's people, in turn.
    Each,
}

/// Who has nothing to do with the contract.
pub(super) const STRANGER: Person = Person::Numbered(0);

/// The people of a test.
#[derive(Clone, Debug, Default)]
pub(super) struct People {
    known: Vec<BigInt>,
}

impl People {
    /// Whose address it is.
    pub(super) fn person(&mut self, messages: &Messages, address: &BigInt) -> Person {
        if address.sign() == Sign::NoSign {
            return Person::Nobody;
        }
        if messages.addresses.contains(address) {
            return Person::Named(address.clone());
        }
        let known = self.known.iter().position(|known| known == address);
        let at = known.unwrap_or_else(|| {
            self.known.push(address.clone());
            self.known.len() - 1
        });
        Person::Numbered(at + 1)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }
}
