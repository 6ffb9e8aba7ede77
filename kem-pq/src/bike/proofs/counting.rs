//! Proofs on the decoder's counters. A vector's operations act on each bit independently, so all
//! cases of one lane suffice: seven bits are added to a counter, and a counter is compared with a
//! threshold. The independence is tested along the way, since every place of a vector gets
//! different cases.

use alloc::{vec, vec::Vec};

use crate::bike::{
    Params,
    backend::kernels,
    counters::{GROUP, count, repeated_len, scratch_len},
    lanes::Lanes,
    params::{L1, L3, L5},
    tests::backends,
};

/// Returns the counters and seven bits whose sum does not exceed what a counter can hold.
fn cases(p: &Params) -> impl Iterator<Item = (u64, u64)> {
    let held = 1 << p.slices();
    let pairs = (0..held).flat_map(|counter| (0..1 << GROUP).map(move |bits| (counter, bits)));
    pairs.filter(move |(counter, bits): &(u64, u64)| counter + u64::from(bits.count_ones()) < held)
}

/// Returns the numbers in slices: for each of `bits` bits, that bit of each number, side by side.
fn slices(numbers: impl Iterator<Item = u64>, bits: usize, words: usize) -> Vec<u64> {
    let mut slices = vec![0; bits * words];
    for (place, number) in numbers.enumerate() {
        for (bit, slice) in slices.chunks_exact_mut(words).enumerate() {
            slice[place / 64] |= (number >> bit & 1) << (place % 64);
        }
    }
    slices
}

/// Checks all cases on these vectors.
pub(crate) fn seven_bits_join_every_counter<V: Lanes>() {
    for p in [&L1, &L5] {
        let all: Vec<(u64, u64)> = cases(p).collect();
        for cases in all.chunks(p.r) {
            let counters = cases.iter().map(|(counter, _)| *counter);
            let bits = cases.iter().map(|(_, bits)| *bits);
            let sums = cases
                .iter()
                .map(|(counter, bits)| counter + u64::from(bits.count_ones()));
            let mut found = slices(counters, p.slices(), p.words());
            count::<V>(p, &mut found, &slices(bits, GROUP, p.words()));
            assert!(found == slices(sums, p.slices(), p.words()), "{}", p.name);
        }
    }
}

#[test]
fn seven_bits_join_every_counter_of_words() {
    seven_bits_join_every_counter::<u64>();
}

/// Compares every counter with every threshold, also those that no counter reaches, on the compiled
/// kernels.
#[test]
fn every_counter_is_held_against_every_threshold() {
    for (p, backend) in [&L1, &L5]
        .into_iter()
        .flat_map(|p| backends().map(move |b| (p, b)))
    {
        let held = 1_u64 << p.slices();
        let counters = (0..p.r as u64).map(|place| place % held);
        let slices = slices(counters.clone(), p.slices(), p.words());
        for threshold in 0..=300 {
            let mut out = vec![u64::MAX; p.words()];
            (kernels(backend).at_least)(p, &mut out, &slices, threshold);
            let right = counters.clone().enumerate().all(|(place, counter)| {
                (out[place / 64] >> (place % 64) & 1 == 1) == (counter >= threshold)
            });
            assert!(right, "{} {backend:?}: {threshold}", p.name);
        }
    }
}

/// Rotates one random element by every exponent, on the compiled kernels, with one bit per counter.
#[test]
fn rotations_by_every_exponent() {
    for (p, backend) in [&L1, &L3, &L5]
        .into_iter()
        .flat_map(|p| backends().map(move |b| (p, b)))
    {
        // The element twice in a row, to be read from the exponent on.
        let mut repeated = vec![0; repeated_len(p)];
        let element = super::machine::drawn(p);
        for place in 0..2 * p.r {
            let from = place % p.r;
            repeated[place / 64] |= (element.words[from / 64] >> (from % 64) & 1) << (place % 64);
        }
        let mut slices = vec![0; p.slices() * p.words()];
        let mut scratch = vec![0; scratch_len(p)];
        for exponent in 0..p.r {
            let wlist = [u32::try_from(exponent).expect("a short element")];
            (kernels(backend).counters)(p, &mut slices, &repeated, &wlist, &mut scratch);
            let (word, bit) = (exponent / 64, exponent % 64);
            let right = (0..p.limbs() - 1).all(|i| {
                let [low, high] = [0, 1].map(|next| repeated[word + i + next]);
                slices[i] == (low >> bit | high << 1 << (63 - bit))
            });
            assert!(right, "{} {backend:?}: {exponent}", p.name);
        }
    }
}
