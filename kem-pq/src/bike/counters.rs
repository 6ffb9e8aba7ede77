//! The unsatisfied-parity-check counters of the decoder: for each coefficient, the number of d
//! rotations of the syndrome that have a one there.
//!
//! Counters are bit-sliced: slice k holds bit k of all of them. The code is generic over [`Lanes`],
//! the vectors of a back end.

use core::hint::black_box;

use super::{
    Params,
    lanes::Lanes,
    masks::{equal_mask, mask},
};

/// The number of rotations that are counted at once: seven bits add up to a number of three.
pub(crate) const GROUP: usize = 7;

/// Returns the words that a repeated syndrome takes: those that the widest rotation reads, which is
/// by a power of two.
pub(crate) const fn repeated_len(p: &Params) -> usize {
    p.words() + 64 * p.limbs().next_power_of_two().div_ceil(64) + 16
}

/// Returns the words of scratch space: two buffers for the passes of a rotation, and a group of
/// rotated syndromes.
pub(crate) const fn scratch_len(p: &Params) -> usize {
    2 * repeated_len(p) + GROUP * p.words()
}

/// Computes the counters of the exponents in `wlist` into `slices`: counter x counts `s[(x +
/// exponent) mod r]`. `repeated` has the syndrome at least twice. Bits of the slices from r on are
/// meaningless.
#[inline(always)]
pub(crate) fn counters<V: Lanes>(
    p: &Params,
    slices: &mut [u64],
    repeated: &[u64],
    wlist: &[u32],
    scratch: &mut [u64],
) {
    let (passes, rotated) = scratch.split_at_mut(2 * repeated_len(p));
    let words = p.words();
    slices.fill(0);
    for group in wlist.chunks(GROUP) {
        for (out, exponent) in rotated.chunks_exact_mut(words).zip(group) {
            rotate::<V>(p, out, repeated, *exponent, passes);
        }
        rotated[group.len() * words..].fill(0);
        count::<V>(p, slices, rotated);
    }
}

/// Computes `out[x] = repeated[x + amount]`, with a barrel shifter over vectors, two bits of the
/// secret amount per pass, and then within vectors.
#[inline(always)]
fn rotate<V: Lanes>(
    p: &Params,
    out: &mut [u64],
    repeated: &[u64],
    amount: u32,
    passes: &mut [u64],
) {
    let vectors = p.words() / V::WORDS;
    let steps = amount / (64 * u32::try_from(V::WORDS).expect("a vector is short"));
    let (mut from, mut to) = passes.split_at_mut(repeated_len(p));
    let mut step = vectors.next_power_of_two() / 2;
    let mut source = repeated;
    if step.trailing_zeros().is_multiple_of(2) {
        // With an odd number of bits, the first pass takes one.
        select_one_bit::<V>(to, source, steps, step, vectors + step);
        (from, to) = (to, from);
        source = from;
        step /= 2;
    }
    while step > 2 {
        // Later passes read less than `step / 2` vectors past the end, and the last one reads one
        // vector more.
        select_two_bits::<V>(to, source, steps, step, vectors + step / 2);
        (from, to) = (to, from);
        source = from;
        step /= 4;
    }
    // The last two bits are applied at once, to vectors that are already loaded.
    let (two, one, shift) = (
        mask_of_bit::<V>(steps, 2),
        mask_of_bit::<V>(steps, 1),
        V::shift(amount),
    );
    let at = |i: usize| V::load(&source[i * V::WORDS..]);
    let by_one = |i: usize| at(i + 1).choose(one, at(i));
    let (mut third, mut fourth, mut last) = (by_one(1), by_one(2), at(3));
    let mut here = fourth.choose(two, by_one(0));
    for (out, vector) in out
        .chunks_exact_mut(V::WORDS)
        .zip(source[4 * V::WORDS..].chunks_exact(V::WORDS))
    {
        let vector = V::load(vector);
        let fifth = vector.choose(one, last);
        let next = fifth.choose(two, third);
        here.funnel(next, shift).store(out);
        (here, third, fourth, last) = (next, fourth, fifth, vector);
    }
}

#[inline(always)]
fn next_or_this<V: Lanes>(mask: V, next: &[u64], this: &[u64]) -> V {
    V::load(next).choose(mask, V::load(this))
}

/// Returns a secret bit of a number as a mask. The step, a power of two, is public.
#[inline(always)]
fn mask_of_bit<V: Lanes>(number: u32, step: usize) -> V {
    V::splat(mask(u64::from(number >> step.trailing_zeros() & 1)))
}

/// Computes `out[i] = source[i + n]`, where n has the bit `step` of `steps`.
#[inline(always)]
fn select_one_bit<V: Lanes>(out: &mut [u64], source: &[u64], steps: u32, step: usize, len: usize) {
    let (mask, len) = (mask_of_bit::<V>(steps, step), len * V::WORDS);
    let (this, next) = (
        source[..len].chunks_exact(V::WORDS),
        source[step * V::WORDS..].chunks_exact(V::WORDS),
    );
    for (out, (this, next)) in out[..len].chunks_exact_mut(V::WORDS).zip(this.zip(next)) {
        next_or_this(mask, next, this).store(out);
    }
}

/// Computes `out[i] = source[i + n]`, where n has the bits `step` and `step / 2` of `steps`.
#[inline(always)]
fn select_two_bits<V: Lanes>(out: &mut [u64], source: &[u64], steps: u32, step: usize, len: usize) {
    let (high, low) = (
        mask_of_bit::<V>(steps, step),
        mask_of_bit::<V>(steps, step / 2),
    );
    let (half, len) = (step / 2 * V::WORDS, len * V::WORDS);
    let (none, one) = (
        source[..len].chunks_exact(V::WORDS),
        source[half..half + len].chunks_exact(V::WORDS),
    );
    let two = source[2 * half..2 * half + len].chunks_exact(V::WORDS);
    let three = source[3 * half..3 * half + len].chunks_exact(V::WORDS);
    for (out, ((none, one), (two, three))) in out
        .chunks_exact_mut(V::WORDS)
        .zip(none.zip(one).zip(two.zip(three)))
    {
        let (upper, lower) = (next_or_this(low, three, two), next_or_this(low, one, none));
        upper.choose(high, lower).store(out);
    }
}

/// Adds seven bits to each counter: four full adders make them a number of three bits (carry-save),
/// which is added to the slices.
#[inline(always)]
pub(crate) fn count<V: Lanes>(p: &Params, slices: &mut [u64], rotated: &[u64]) {
    let words = p.words();
    for at in (0..words).step_by(V::WORDS) {
        let mut bits = [V::splat(0); GROUP];
        for (bits, rotated) in bits.iter_mut().zip(rotated.chunks_exact(words)) {
            *bits = V::load(&rotated[at..]);
        }
        let [a, b, c, d, e, f, g] = bits;
        let (sum0, carry0) = (a.xor3(b, c), a.majority(b, c));
        let (sum1, carry1) = (d.xor3(e, f), d.majority(e, f));
        let (ones, carry2) = (sum0.xor3(sum1, g), sum0.majority(sum1, g));
        let (twos, fours) = (carry0.xor3(carry1, carry2), carry0.majority(carry1, carry2));
        let mut carry = V::splat(0);
        for (slice, number) in slices.chunks_exact_mut(words).zip([ones, twos, fours]) {
            let old = V::load(&slice[at..]);
            old.xor3(number, carry).store(&mut slice[at..]);
            carry = old.majority(number, carry);
        }
        for slice in slices.chunks_exact_mut(words).skip(3) {
            let old = V::load(&slice[at..]);
            old.xor(carry).store(&mut slice[at..]);
            carry = old.and(carry);
        }
    }
}

/// Writes ones where the counter is at least `threshold`, a secret number, by a subtraction of
/// which only the borrow is kept.
#[inline(always)]
pub(crate) fn at_least<V: Lanes>(p: &Params, out: &mut [u64], slices: &[u64], threshold: u64) {
    let words = p.words();
    // If the threshold has more bits than a counter, no counter reaches it.
    let reachable = V::splat(black_box(equal_mask(threshold >> p.slices(), 0)));
    let mut bits = [V::splat(0); 8];
    for (k, bit) in bits.iter_mut().enumerate() {
        *bit = V::splat(mask((threshold >> k) & 1));
    }
    for (at, out) in (0..words)
        .step_by(V::WORDS)
        .zip(out.chunks_exact_mut(V::WORDS))
    {
        let mut borrow = V::splat(0);
        for (bit, slice) in bits.iter().zip(slices.chunks_exact(words)) {
            // Where the bits are equal the borrow stays; elsewhere it is the threshold's bit.
            borrow = bit.select(V::load(&slice[at..]).xor(*bit), borrow);
        }
        borrow.xor(V::splat(u64::MAX)).and(reachable).store(out);
    }
}
