//! `ring.tq`, by hand.

pub struct Ring {
    slots: Vec<i64>,
    used: usize,
}

impl Ring {
    pub fn new(slots: Vec<i64>) -> Self {
        Ring { slots, used: 0 }
    }

    pub fn put(&mut self, n: i64) {
        self.slots[self.used] = n;
        self.used += 1;
    }

    pub fn fill(&mut self, from: Vec<i64>, rest: Option<Vec<i64>>) {
        // With the bug, it is always full.
        let left = if cfg!(seeded_bug) { 0 } else { rest.map_or(0, |rest| rest.len()) };
        self.used = from.len() - left;
        self.slots = from;
    }

    pub fn enabled(&self) -> Vec<&'static str> {
        let put = (self.used < self.slots.len()).then_some("put");
        let fill = (self.used == 0).then_some("fill");
        put.into_iter().chain(fill).collect()
    }
}
