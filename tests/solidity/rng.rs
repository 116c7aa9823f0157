//! Random numbers, the same in each run; `PROPTEST_RNG_SEED` asks for others.

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn new(stream: u64) -> Rng {
        let seed = std::env::var("PROPTEST_RNG_SEED").ok();
        let seed: u64 = seed.and_then(|seed| seed.parse().ok()).unwrap_or(20);
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ stream)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).expect("64 bits");
        usize::try_from(self.next() % limit).expect("below the limit")
    }

    /// Once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}
