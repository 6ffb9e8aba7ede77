//! The part of `core::arch::wasm32` that X25519 uses, for symbols: the same names, types and
//! meaning.
//!
//! A vector is eight halves of 16 bits, each a constant or a part of a symbol, so that every move
//! of halves is exact. Reading a lane gives one symbol or a constant; otherwise it panics. If all
//! lanes are constants, the operation is that of the processor, so the code runs on numbers too.

#![allow(missing_docs, reason = "the names are those of core::arch::wasm32")]
#![allow(non_camel_case_types)]

mod bits;
mod moves;
mod narrow;
mod wide;

pub use self::{bits::*, moves::*, narrow::*, wide::*};

use crate::{is_symbol, signed, words};

/// A vector of 128 bits.
#[derive(Clone, Copy, Debug)]
pub struct v128([Half; HALVES]);

const HALVES: usize = 8;

/// A part of a vector, of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Half {
    Constant(u16),
    /// Half `index` of a symbol that takes `of` halves, the lowest first.
    Part {
        symbol: u64,
        index: usize,
        of: usize,
    },
}

const ZERO: Half = Half::Constant(0);

/// Splits a word, a constant or a symbol, into `N` halves.
const fn halves_of<const N: usize>(word: u64) -> [Half; N] {
    let (mut halves, mut index) = ([ZERO; N], 0);
    while index < N {
        halves[index] = if is_symbol(word) {
            Half::Part {
                symbol: word,
                index,
                of: N,
            }
        } else {
            let [low, high, ..] = (word >> (16 * index)).to_le_bytes();
            Half::Constant(u16::from_le_bytes([low, high]))
        };
        index += 1;
    }
    halves
}

impl v128 {
    /// Creates a vector of two words of 64 bits.
    const fn of_words([a, b]: [u64; 2]) -> Self {
        let [a0, a1, a2, a3] = halves_of(a);
        let [b0, b1, b2, b3] = halves_of(b);
        Self([a0, a1, a2, a3, b0, b1, b2, b3])
    }

    /// Creates a vector of 2, 4 or 8 lanes. Each is a constant, whose lowest bits count, or a
    /// symbol that fits.
    pub fn of_lanes<const N: usize>(lanes: [u64; N]) -> Self {
        let halves = lanes.iter().flat_map(|lane| match N {
            2 => halves_of::<4>(*lane).to_vec(),
            4 => halves_of::<2>(*lane).to_vec(),
            8 => halves_of::<1>(*lane).to_vec(),
            _ => panic!("{N} lanes"),
        });
        Self(halves.collect::<Vec<_>>().try_into().unwrap())
    }

    /// Returns 2, 4 or 8 lanes, each a symbol or a constant with its sign.
    pub fn lanes<const N: usize>(self) -> [u64; N] {
        let width = HALVES / N;
        std::array::from_fn(|lane| read(&self.0[lane * width..][..width]))
    }
}

/// Returns the lane of these halves.
fn read(halves: &[Half]) -> u64 {
    let Half::Part { symbol, index, of } = halves[0] else {
        return constant(halves);
    };
    let (own, beyond) = halves.split_at((of - index).min(halves.len()));
    let is_own = |(i, half): (usize, &Half)| {
        let index = index + i;
        *half == Half::Part { symbol, index, of }
    };
    assert!(
        own.iter().enumerate().all(is_own) && beyond.iter().all(|half| *half == ZERO),
        "not one symbol: {halves:?}"
    );
    if index == 0 && of == halves.len() {
        return symbol;
    }
    let [least, most] = match of {
        4 => words::bounds(symbol).map(i128::from),
        _ => signed::bounds(symbol),
    };
    let is_below = |bits: usize| 0 <= least && most < 1 << bits;
    if index > 0 {
        assert!(is_below(16 * index), "an upper half that is not zero");
        return 0;
    }
    if beyond.is_empty() {
        // A symbol of more bits is represented by its lowest ones, which have its sign.
        let end = 1 << (16 * halves.len() - 1);
        assert!(-end <= least && most < end, "more than a lane: {halves:?}");
    } else {
        assert!(is_below(16 * of), "a sign in the middle of a lane");
    }
    symbol
}

/// Returns a constant with the sign of the highest bit.
fn constant(halves: &[Half]) -> u64 {
    let word = halves.iter().rev().fold(0, |word, half| match half {
        Half::Constant(bits) => word << 16 | u64::from(*bits),
        Half::Part { .. } => panic!("not one symbol: {halves:?}"),
    });
    let free = 64 - 16 * halves.len();
    ((word << free).cast_signed() >> free).cast_unsigned()
}

/// Applies the processor's operation to constants, and that of symbols to others.
fn lift<const K: usize>(
    words: [u64; K],
    on_constants: impl Fn([u64; K]) -> u64,
    on_symbols: impl Fn([u64; K]) -> u64,
) -> u64 {
    if words.iter().any(|word| is_symbol(*word)) {
        on_symbols(words)
    } else {
        on_constants(words)
    }
}

/// Applies an operation lane by lane.
fn zip<const N: usize>(a: v128, b: v128, operation: impl Fn(u64, u64) -> u64) -> v128 {
    let (a, b) = (a.lanes::<N>(), b.lanes::<N>());
    v128::of_lanes(std::array::from_fn::<_, N, _>(|lane| {
        operation(a[lane], b[lane])
    }))
}
