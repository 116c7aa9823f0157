//! `vending_machine.tq`, by hand.

pub struct VendingMachine {
    selling: bool,
    change: i32,
}

impl VendingMachine {
    pub fn new() -> Self {
        VendingMachine {
            selling: false,
            change: 0,
        }
    }

    pub fn display_price(&self, _item: u32) {}

    pub fn buy(&mut self, _item: u32, money: u32) {
        self.selling = true;
        if money > 0 {
            self.change = 5;
        }
    }

    pub fn return_change(&mut self) {
        // The change is not all given back.
        self.change = if cfg!(seeded_bug) { 1 } else { 0 };
    }

    pub fn return_item(&mut self) {
        self.selling = false;
    }

    pub fn enabled(&self) -> Vec<&'static str> {
        match (self.selling, self.change) {
            (false, _) => vec!["Buy", "DisplayPrice"],
            (true, 0) => vec!["ReturnItem"],
            (true, _) => vec!["ReturnChange"],
        }
    }
}
