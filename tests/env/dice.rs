//! Chance that a printed seed brings back.

/// A small generator of random numbers (SplitMix64): the same on every machine and with every version of anything.
pub(crate) struct Dice(u64);

impl Dice {
    /// Takes a seed; `MGE_TEST_SEED` replaces it, to look for more with other ones.
    pub(crate) fn new(what: &str, seed: u64) -> Self {
        let given =
            std::env::var("MGE_TEST_SEED").ok().map(|text| text.parse().expect("MGE_TEST_SEED is a number"));
        let seed = given.unwrap_or(seed);
        println!("{what}: MGE_TEST_SEED={seed}");
        Self(seed)
    }

    /// Takes a seed that belongs to the test.
    pub(crate) fn fixed(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit).unwrap()).unwrap()
    }

    /// Returns one of several.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// Returns a number from 0 to 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap()) / f64::from(u32::MAX)
    }
}
