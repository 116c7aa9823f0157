//! Who calls, and who is named: in a test, the addresses of its run have numbers, in the order in which they come. Only
//! whether two are the same matters to a contract, but for those that it names itself.

use num_bigint::{BigInt, Sign};

use crate::ir::Messages;

/// The people of a test.
#[derive(Clone, Debug, Default)]
pub(super) struct People {
    known: Vec<BigInt>,
}

impl People {
    /// Somebody, as a payable address.
    pub(super) fn address(&mut self, messages: &Messages, address: &BigInt) -> String {
        if address.sign() == Sign::NoSign {
            return "payable(address(0))".to_owned();
        }
        if messages.addresses.contains(address) {
            return format!("payable(address(uint160({address})))");
        }
        let known = self.known.iter().position(|known| known == address);
        let at = known.unwrap_or_else(|| {
            self.known.push(address.clone());
            self.known.len() - 1
        });
        // Number 0 is a stranger.
        format!("person({})", at + 1)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }
}
