//! The parameters of section 4: one parameter set per level.

use super::chain::{CHAIN_LEN, Link, chain};

/// A parameter set.
#[derive(Debug)]
pub struct Params {
    /// The name.
    pub name: &'static str,
    /// r: the block length in bits, a prime for which 2 is a primitive root.
    pub r: usize,
    /// w/2: the weight of h0 and of h1.
    pub d: usize,
    /// t: the weight of the error.
    pub t: usize,
    pub(crate) threshold: Threshold,
    /// The exponents of the inversion.
    pub(crate) chain: [Link; CHAIN_LEN],
}

/// The threshold of the BGF decoder, `threshold(S, i) = max(floor(slope * S + offset), minimum)`.
/// The constants of the specification are kept as integers, in units of 10^-8.
#[derive(Debug)]
pub(crate) struct Threshold {
    pub(crate) slope: u64,
    pub(crate) offset: u64,
    pub(crate) minimum: u64,
}

/// Security level 1.
pub static L1: Params = Params::row("BIKE-L1", 12_323, 71, 134, (697_220, 13_5300_0000, 36));
/// Security level 3.
pub static L3: Params = Params::row("BIKE-L3", 24_659, 103, 199, (526_500, 15_2588_0000, 52));
/// Security level 5.
pub static L5: Params = Params::row("BIKE-L5", 40_973, 137, 264, (402_312, 17_8785_0000, 69));

/// Every level.
pub static ALL: [&Params; 3] = [&L1, &L3, &L5];

/// The length of m, of sigma and of a shared secret, in bytes (ell = 256 bits).
pub const N_SS: usize = 32;
/// The length of the seed of KeyGen, in bytes: the seed of h0 and h1, then sigma.
pub const N_SEED: usize = 64;

impl Params {
    pub(crate) const fn row(
        name: &'static str,
        r: usize,
        d: usize,
        t: usize,
        (slope, offset, minimum): (u64, u64, u64),
    ) -> Self {
        // Both weights are odd: then h0 is invertible (section 3.1), and no counter ties.
        assert!(r % 2 == 1 && d % 2 == 1 && d < 256);
        Self {
            name,
            r,
            d,
            t,
            threshold: Threshold {
                slope,
                offset,
                minimum,
            },
            chain: chain(r),
        }
    }

    /// Returns the length of a public key in bytes: r bits.
    pub const fn n_pk(&self) -> usize {
        self.r.div_ceil(8)
    }

    /// Returns the length of a ciphertext in bytes: r bits and c1.
    pub const fn n_ct(&self) -> usize {
        self.n_pk() + N_SS
    }

    /// Returns the words that hold r bits.
    pub(crate) const fn limbs(&self) -> usize {
        self.r.div_ceil(64)
    }

    /// Returns the words that a ring element takes: whole vectors of 512 bits.
    pub(crate) const fn words(&self) -> usize {
        self.r.div_ceil(512) * 8
    }

    /// Returns the bits of the last limb.
    pub(crate) const fn top_bits(&self) -> usize {
        self.r % 64
    }

    /// Returns the slices that a counter up to d takes.
    pub(crate) const fn slices(&self) -> usize {
        (usize::BITS - self.d.leading_zeros()) as usize
    }
}
