//! Proofs on the back ends of x86-64 with formal words. The effect of instructions on words is
//! defined here again. The compiled tables of kernels are tested in `bike::proofs::machine`.

use super::{
    lanes::{Lanes256, Lanes512},
    pclmul::{Pair, Pairs, add_row, eight, square, two_way},
    vpclmul::{QUARTER, Wide, block},
};
use crate::{
    Backend,
    bike::{
        multiply::{Carryless, Word},
        proofs::{
            counting::seven_bits_join_every_counter,
            formal::{self, Formal},
        },
        tests::levels,
    },
};

/// `N` pairs of formal words.
#[derive(Clone, Copy)]
struct Lanes<const N: usize>([[Formal; 2]; N]);

impl<const N: usize> Lanes<N> {
    fn zip(self, other: Self, of: impl Fn([Formal; 2], [Formal; 2]) -> [Formal; 2]) -> Self {
        Self(core::array::from_fn(|lane| of(self.0[lane], other.0[lane])))
    }
}

impl<const N: usize> Pairs for Lanes<N> {
    type Word = Formal;

    fn xor(self, other: Self) -> Self {
        self.zip(other, |[a, b], [c, d]| [a ^ c, b ^ d])
    }
    fn clmul<const WORDS: i32>(self, other: Self) -> Self {
        let [first, second] = [WORDS & 1, WORDS >> 4 & 1].map(|word| usize::from(word == 1));
        self.zip(other, |a, b| a[first].carryless(b[second]))
    }
    fn join(self, next: Self) -> Self {
        self.zip(next, |[_, high], [low, _]| [high, low])
    }
    fn zero() -> Self {
        Self([[Formal::ZERO; 2]; N])
    }
}

impl Pair for Lanes<1> {
    fn load(words: &[Formal]) -> Self {
        Self([[words[0], words[1]]])
    }
    fn store(self, words: &mut [Formal]) {
        words[..2].copy_from_slice(&self.0[0]);
    }
}

impl<const N: usize> Wide for Lanes<N> {
    const LANES: usize = N;

    fn gather(numbers: &[Formal], place: usize) -> Self {
        Self(core::array::from_fn(|lane| {
            let at = lane * QUARTER + place;
            [numbers[at], numbers[at + 1]]
        }))
    }
    fn scatter(self, products: &mut [Formal], place: usize) {
        for (lane, pair) in self.0.iter().enumerate() {
            products[2 * lane * QUARTER + place..][..2].copy_from_slice(pair);
        }
    }
}

/// PCLMULQDQ on formal words. The levels of a block are compiled for the instruction and only call
/// each other, so they are repeated here.
#[derive(Clone, Copy)]
struct Pclmul;

impl Carryless<Formal> for Pclmul {
    fn block(self, out: &mut [Formal], a: &[Formal], b: &[Formal], scratch: &mut [Formal]) {
        two_way::<32, _>(out, a, b, scratch, |out, a, b, s| {
            two_way::<16, _>(out, a, b, s, |out, a, b, s| {
                two_way::<8, _>(out, a, b, s, |out, a, b, _| eight::<Lanes<1>>(out, a, b));
            });
        });
    }
    fn add_row(self, out: &mut [Formal], x: Formal, a: &[Formal]) {
        add_row::<Lanes<1>>(out, x, a);
    }
}

/// VPCLMULQDQ on vectors of `N` pairs.
#[derive(Clone, Copy)]
struct Vpclmul<const N: usize>;

impl<const N: usize> Carryless<Formal> for Vpclmul<N> {
    fn block(self, out: &mut [Formal], a: &[Formal], b: &[Formal], scratch: &mut [Formal]) {
        block::<Lanes<N>>(out, a, b, scratch);
    }
    fn add_row(self, out: &mut [Formal], x: Formal, a: &[Formal]) {
        add_row::<Lanes<1>>(out, x, a);
    }
}

#[test]
fn pclmulqdq_multiplies() {
    formal::assert_back_end(Pclmul);
}

#[test]
fn vpclmulqdq_multiplies() {
    formal::assert_back_end(Vpclmul::<2>);
    formal::assert_back_end(Vpclmul::<4>);
}

#[test]
fn squares_are_squares_of_words() {
    for p in levels() {
        formal::assert_squares(square::<Lanes<1>>, p);
    }
}

/// Checks the counters on the vectors that the machine has.
#[test]
fn seven_bits_join_every_counter_of_vectors() {
    if Backend::Avx2.is_available() {
        seven_bits_join_every_counter::<Lanes256>();
    }
    if Backend::Avx512.is_available() {
        seven_bits_join_every_counter::<Lanes512>();
    }
}
