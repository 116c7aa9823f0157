//! `finite_stack.tq`, by hand, on a vector.

pub struct FiniteStack {
    items: Vec<i64>,
    max: i64,
}

impl FiniteStack {
    pub fn new() -> Self {
        FiniteStack::with_size(5)
    }

    pub fn with_size(size: i64) -> Self {
        FiniteStack {
            items: Vec::new(),
            max: size,
        }
    }

    pub fn pop(&mut self) {
        self.items.pop();
    }

    pub fn push(&mut self, elem: i64) {
        self.items.push(elem);
    }

    pub fn get_max(&self) -> i64 {
        self.max
    }

    pub fn get_next(&self) -> i64 {
        self.items.len() as i64 - 1
    }

    pub fn enabled(&self) -> impl Iterator<Item = &'static str> {
        // The last place is not used.
        let last = if cfg!(seeded_bug) { self.max - 1 } else { self.max };
        let pop = (self.get_next() > -1).then_some("Pop");
        let push = (self.get_next() < last).then_some("Push");
        pop.into_iter().chain(push).chain(["get_Max", "get_Next"])
    }
}
