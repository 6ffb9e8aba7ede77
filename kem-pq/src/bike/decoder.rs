//! The BGF decoder (black-gray-flip, section 2.5): from the syndrome `c0 * h0` to an error vector.
//!
//! It always runs five iterations. Everything here except the parameters is secret.

use super::{
    Params, counters,
    masks::mask,
    params::Threshold,
    ring::{Poly, Ring},
    sampling::Indices,
    words::{Words, clear_top},
};

/// NbIter.
const NB_ITER: usize = 5;
/// tau: the distance below the threshold within which a counter is gray.
const TAU: u64 = 3;

/// The state of a decoding.
struct Decoder<'a> {
    ring: &'a mut Ring,
    /// The private key: h0 and h1, and the indices of their ones.
    h: &'a [Poly; 2],
    wlist: &'a [Indices; 2],
    /// The syndrome of the ciphertext, and the part of it that `e` does not explain yet.
    syndrome: Poly,
    rest: Poly,
    e: [Poly; 2],
    repeated: Words,
    slices: Words,
    scratch: Words,
}

/// Returns the error vector of a ciphertext `c0`. If decoding fails, returns another vector, which
/// does not have that syndrome.
pub(crate) fn decode(ring: &mut Ring, h: &[Poly; 2], wlist: &[Indices; 2], c0: &Poly) -> [Poly; 2] {
    let mut decoder = Decoder::new(ring, h, wlist, c0);
    let mut gray = decoder.empty();
    for i in 0..NB_ITER {
        let threshold = threshold(decoder.ring.p, decoder.rest.weight());
        let black = decoder.bf_iter(threshold, (i == 0).then_some(&mut gray));
        if i == 0 {
            let majority = decoder.ring.p.d.div_ceil(2) as u64 + 1;
            decoder.update_syndrome();
            decoder.bf_masked_iter(&black, majority);
            decoder.update_syndrome();
            decoder.bf_masked_iter(&gray, majority);
        }
        // The caller checks the result against c0, so the last syndrome is not needed.
        if i + 1 < NB_ITER {
            decoder.update_syndrome();
        }
    }
    decoder.e
}

impl<'a> Decoder<'a> {
    fn new(ring: &'a mut Ring, h: &'a [Poly; 2], wlist: &'a [Indices; 2], c0: &Poly) -> Self {
        let p = ring.p;
        let syndrome = ring.multiply(c0, &h[0]);
        Self {
            rest: syndrome.copy(),
            syndrome,
            e: [Poly::zero(p), Poly::zero(p)],
            repeated: Words::zeros(counters::repeated_len(p)),
            slices: Words::zeros(p.slices() * p.words()),
            scratch: Words::zeros(counters::scratch_len(p)),
            ring,
            h,
            wlist,
        }
    }

    /// BFIter: flips the bits whose counter is at least the threshold. Returns the flipped bits
    /// (black), and in `gray` those nearly flipped, if asked for.
    fn bf_iter(&mut self, threshold: u64, mut gray: Option<&mut [Poly; 2]>) -> [Poly; 2] {
        let mut black = self.empty();
        self.repeat_rest();
        for half in 0..2 {
            self.count(half);
            self.at_least(&mut black[half], threshold);
            if let Some(gray) = &mut gray {
                self.at_least(&mut gray[half], threshold - TAU);
                gray[half].add(&black[half]);
            }
            self.e[half].add(&black[half]);
        }
        black
    }

    /// BFMaskedIter: flips the bits under the mask whose counter is at least the threshold.
    fn bf_masked_iter(&mut self, mask: &[Poly; 2], threshold: u64) {
        self.repeat_rest();
        let [mut flip, _] = self.empty();
        for (half, mask) in mask.iter().enumerate() {
            self.count(half);
            self.at_least(&mut flip, threshold);
            flip.words
                .iter_mut()
                .zip(mask.words.iter())
                .for_each(|(flip, mask)| *flip &= mask);
            self.e[half].add(&flip);
        }
    }

    /// Computes the rest of the syndrome: `s + e0 h0 + e1 h1`.
    fn update_syndrome(&mut self) {
        self.rest.words.copy_from_slice(&self.syndrome.words);
        for half in 0..2 {
            let explained = self.ring.multiply(&self.e[half], &self.h[half]);
            self.rest.add(&explained);
        }
    }

    /// Copies the rest of the syndrome twice, for rotations to read.
    fn repeat_rest(&mut self) {
        let p = self.ring.p;
        let (limbs, top) = (p.limbs(), p.top_bits());
        self.repeated.fill(0);
        self.repeated[..limbs].copy_from_slice(&self.rest.words[..limbs]);
        for (i, word) in self.rest.words[..limbs].iter().enumerate() {
            self.repeated[limbs - 1 + i] |= word << top;
            self.repeated[limbs + i] |= word >> (64 - top);
        }
    }

    /// ctr: computes the counters of one half.
    fn count(&mut self, half: usize) {
        let p = self.ring.p;
        let wlist = &self.wlist[half];
        (self.ring.kernels.counters)(
            p,
            &mut self.slices,
            &self.repeated,
            wlist,
            &mut self.scratch,
        );
    }

    fn at_least(&self, out: &mut Poly, threshold: u64) {
        (self.ring.kernels.at_least)(self.ring.p, &mut out.words, &self.slices, threshold);
        clear_top(self.ring.p, &mut out.words);
    }

    fn empty(&self) -> [Poly; 2] {
        [Poly::zero(self.ring.p), Poly::zero(self.ring.p)]
    }
}

/// Computes threshold(S, i) for a syndrome of weight S.
///
/// The floor is a product and a shift, since S is secret and the time of a division may depend on
/// its operands. `slope` and `offset` are rounded up to 2^-48, so the sum is too large by less than
/// 2^-32 for S < 2^16. The exact sum is a multiple of 10^-8, which is more than 2^-32, so the error
/// never reaches the next integer.
pub(crate) fn threshold(p: &Params, s: u64) -> u64 {
    let Threshold {
        slope,
        offset,
        minimum,
    } = p.threshold;
    let floor = (scale(slope) * s + scale(offset)) >> 48;
    let below = mask(floor.wrapping_sub(minimum) >> 63);
    (minimum & below) | (floor & !below)
}

/// Converts units of 10^-8 to units of 2^-48, rounded up.
#[allow(clippy::cast_possible_truncation, reason = "below 18 * 2^48")]
const fn scale(units: u64) -> u64 {
    (((units as u128) << 48).div_ceil(100_000_000)) as u64
}
