//! Limbs to try: extremes and random ones.

use crate::field::Table;

/// SplitMix64.
pub(super) struct Samples(u64);

impl Samples {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(super) fn bytes(&mut self) -> [u8; 32] {
        let words: [[u8; 8]; 4] = core::array::from_fn(|_| self.word().to_le_bytes());
        words.as_flattened().try_into().unwrap()
    }

    /// Each limb zero, at its bound or between.
    fn element<const N: usize, const M: usize>(&mut self, bounds: [u64; M]) -> Table<N, M> {
        let mut limb = |i: usize| match self.word() % 4 {
            0 => 0,
            1 => bounds[i],
            _ => self.word() % (bounds[i] + 1),
        };
        Table(core::array::from_fn(|i| core::array::from_fn(|_| limb(i))))
    }

    /// All at their bounds, and as many more as were asked for.
    pub(super) fn pairs<const N: usize, const M: usize>(
        count: usize,
        bounds: [u64; M],
    ) -> impl Iterator<Item = (Table<N, M>, Table<N, M>)> {
        let mut samples = Self::new(count as u64);
        let largest = Table(bounds.map(|bound| [bound; N]));
        let others = (0..count).map(move |_| (samples.element(bounds), samples.element(bounds)));
        core::iter::once((largest, largest)).chain(others)
    }
}

/// With larger limbs brought down to a bound.
pub(super) fn bounded<const N: usize, const M: usize>(element: &Table<N, M>, bounds: [u64; M]) -> Table<N, M> {
    Table(core::array::from_fn(|i| element.0[i].map(|limb| limb.min(bounds[i]))))
}
