//! Limbs to try: extremes and random ones.

use x25519_proofs::Kind;

use crate::field::{Doubles51, Integers51, LIMBS, Table};

/// SplitMix64.
pub(crate) struct Samples(u64);

impl Samples {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn bytes(&mut self) -> [u8; 32] {
        let words: [[u8; 8]; 4] = core::array::from_fn(|_| self.word().to_le_bytes());
        words.as_flattened().try_into().unwrap()
    }

    /// Generates an element with each limb zero, at one of its bounds or
    /// between.
    fn element<R: Representation, const N: usize>(&mut self) -> Table<N> {
        let [least, most] = R::CARRIED;
        let mut limb = || match self.word() % 5 {
            0 => 0,
            1 => least,
            2 => most,
            _ => least + i64::try_from(self.word() % most.abs_diff(least)).unwrap(),
        };
        Table(core::array::from_fn(|_| {
            core::array::from_fn(|_| R::limb(limb()))
        }))
    }

    /// Generates pairs: all at their bounds, and the requested number of
    /// others.
    pub(super) fn pairs<R: Representation, const N: usize>(
        count: usize,
    ) -> impl Iterator<Item = (Table<N>, Table<N>)> {
        let mut samples = Self::new(count as u64);
        let [least, most] = R::CARRIED.map(|limb| Table([[R::limb(limb); N]; LIMBS]));
        let others =
            (0..count).map(move |_| (samples.element::<R, N>(), samples.element::<R, N>()));
        [(most, most), (least, most), (least, least)]
            .into_iter()
            .chain(others)
    }
}

/// The representation of limbs in a radix.
pub(crate) trait Representation {
    /// The kind of a limb's word.
    const KIND: Kind;
    /// The least and the largest carried limb.
    const CARRIED: [i64; 2];
    /// Converts from an integer.
    fn limb(number: i64) -> u64;
    /// Converts to an integer.
    fn number(limb: u64) -> i64;
}

impl Representation for Integers51 {
    const KIND: Kind = Kind::Unsigned;
    const CARRIED: [i64; 2] = [0, (1 << 51) + (1 << 16)];
    fn limb(number: i64) -> u64 {
        number.cast_unsigned()
    }
    fn number(limb: u64) -> i64 {
        limb.cast_signed()
    }
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "of 52 bits"
)]
impl Representation for Doubles51 {
    const KIND: Kind = Kind::Double;
    const CARRIED: [i64; 2] = [-(1 << 50) - (1 << 10), (1 << 50) + (1 << 10)];
    fn limb(number: i64) -> u64 {
        (number as f64).to_bits()
    }
    fn number(limb: u64) -> i64 {
        let number = f64::from_bits(limb);
        assert!(number.fract() == 0.0, "{number} is not whole");
        number as i64
    }
}
