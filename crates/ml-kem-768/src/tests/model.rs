//! A vector of values of any kind, with the moves of vectors, and the portable vector of words.

use crate::{keccak::Lanes, vector::Vector, words::Words};

/// Moves of sixteen values. Moves that would split a value are left out.
pub(crate) trait Moves: Copy {
    type Value: Copy + Default;

    fn values(self) -> [Self::Value; 16];
    fn from_values(values: [Self::Value; 16]) -> Self;

    /// Returns a vector whose value i is at place `of(i)` of both vectors; the second begins at 16.
    fn at(self, other: Self, of: impl Fn(usize) -> usize) -> Self {
        let (a, b) = (self.values(), other.values());
        let value = |place: usize| if place < 16 { a[place] } else { b[place - 16] };
        Self::from_values(std::array::from_fn(|i| value(of(i))))
    }

    /// Interleaves `SIZE` values of each in turn, from the first or the second part of each half.
    fn interleaved<const SIZE: usize>(self, other: Self, high: bool) -> Self {
        self.at(other, |i| {
            let (half, i) = (i / 8, i % 8);
            let (group, within) = (i / SIZE, i % SIZE);
            let from = 8 * half + 4 * usize::from(high) + SIZE * (group / 2) + within;
            from + 16 * (group % 2)
        })
    }

    /// Moves values within quads to the left (to higher places) by this many places; if negative,
    /// to the right.
    fn moved_in_quads(self, left: isize) -> Self {
        let values = self.values();
        Self::from_values(std::array::from_fn(|i| {
            let from = (i % 4).checked_add_signed(-left);
            from.filter(|from| *from < 4)
                .map_or(Self::Value::default(), |from| values[i / 4 * 4 + from])
        }))
    }
}

/// Implements the moves of [`Vector`] for values that are words.
macro_rules! moves {
    () => {
        fn interleave_low(self, other: Self) -> Self {
            self.interleaved::<1>(other, false)
        }
        fn interleave_high(self, other: Self) -> Self {
            self.interleaved::<1>(other, true)
        }
        fn interleave_low32(self, other: Self) -> Self {
            self.interleaved::<2>(other, false)
        }
        fn interleave_high32(self, other: Self) -> Self {
            self.interleaved::<2>(other, true)
        }
        fn interleave_low64(self, other: Self) -> Self {
            self.interleaved::<4>(other, false)
        }
        fn interleave_high64(self, other: Self) -> Self {
            self.interleaved::<4>(other, true)
        }
        fn low_halves(self, other: Self) -> Self {
            self.at(other, |i| if i < 8 { i } else { 8 + i })
        }
        fn high_halves(self, other: Self) -> Self {
            self.at(other, |i| if i < 8 { 8 + i } else { 16 + i })
        }
        fn interleave_own_halves32(self) -> Self {
            self.at(self, |i| 8 * (i / 2 % 2) + 2 * (i / 4) + i % 2)
        }
        fn spread32<const WHICH: i32>(self) -> Self {
            let which = usize::try_from(WHICH).unwrap();
            self.at(self, |i| 8 * (i / 8) + 2 * which + i % 2)
        }
        fn swap32(self) -> Self {
            self.at(self, |i| i ^ 2)
        }
        fn swap(self) -> Self {
            self.at(self, |i| i ^ 1)
        }
        fn alternate(self, other: Self) -> Self {
            self.at(other, |i| i + 16 * (i % 2))
        }
        fn alternate32(self, other: Self) -> Self {
            self.at(other, |i| i + 16 * (i / 2 % 2))
        }
    };
}
pub(crate) use moves;

/// Sixteen words, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model(pub(crate) [i16; 16]);

impl Moves for Model {
    type Value = i16;
    fn values(self) -> [i16; 16] {
        self.0
    }
    fn from_values(values: [i16; 16]) -> Self {
        Self(values)
    }
}

impl Model {
    fn zip(self, other: Self, of: impl Fn(i16, i16) -> i16) -> Self {
        Self(std::array::from_fn(|i| of(self.0[i], other.0[i])))
    }

    fn numbers(self) -> [i32; 8] {
        std::array::from_fn(|i| {
            i32::from(self.0[2 * i].cast_unsigned()) | i32::from(self.0[2 * i + 1]) << 16
        })
    }

    fn from_numbers(numbers: [i32; 8]) -> Self {
        Self(std::array::from_fn(|i| {
            low(numbers[i / 2] >> (16 * (i % 2)))
        }))
    }

    fn zip32(self, other: Self, of: impl Fn(i32, i32) -> i32) -> Self {
        let (a, b) = (self.numbers(), other.numbers());
        Self::from_numbers(std::array::from_fn(|i| of(a[i], b[i])))
    }

    fn from_lanes_of(lanes: [u64; 4]) -> Self {
        let bytes = lanes.map(u64::to_le_bytes);
        Self(std::array::from_fn(|i| {
            i16::from_le_bytes([bytes[i / 4][i % 4 * 2], bytes[i / 4][i % 4 * 2 + 1]])
        }))
    }
}

#[allow(clippy::cast_possible_truncation, reason = "sixteen bits are meant")]
fn low(number: i32) -> i16 {
    number as i16
}

fn mask(all: bool) -> i16 {
    -i16::from(all)
}

impl Vector for Model {
    fn load(words: &Words) -> Self {
        Self(words.0)
    }
    fn store(self, words: &mut Words) {
        words.0 = self.0;
    }
    fn from_lanes(lanes: &Lanes) -> Self {
        Self::from_lanes_of(lanes.0)
    }
    fn to_lanes(self) -> [u64; 4] {
        std::array::from_fn(|i| {
            let word = |n: usize| u64::from(self.0[4 * i + n].cast_unsigned()) << (16 * n);
            word(0) | word(1) | word(2) | word(3)
        })
    }
    fn from_halves(low: &[u8; 16], high: &[u8; 16]) -> Self {
        Self(Words::bytes([*low, *high]).0)
    }
    fn splat(word: i16) -> Self {
        Self([word; 16])
    }
    fn quads(quad: u64) -> Self {
        Self::from_lanes_of([quad; 4])
    }
    fn add(self, other: Self) -> Self {
        self.zip(other, i16::wrapping_add)
    }
    fn sub(self, other: Self) -> Self {
        self.zip(other, i16::wrapping_sub)
    }
    fn mul_low(self, other: Self) -> Self {
        self.zip(other, i16::wrapping_mul)
    }
    fn mul_rounded(self, other: Self) -> Self {
        self.zip(other, |a, b| {
            low((i32::from(a) * i32::from(b) + 0x4000) >> 15)
        })
    }
    fn abs(self) -> Self {
        self.zip(self, |a, _| a.wrapping_abs())
    }
    fn greater(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a > b))
    }
    fn equal(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a == b))
    }
    fn signs(self) -> u16 {
        (0..16).map(|i| u16::from(self.0[i] < 0) << i).sum()
    }
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
    fn shift_right<const BITS: i32>(self) -> Self {
        self.zip(self, |a, _| (a.cast_unsigned() >> BITS).cast_signed())
    }
    fn dot(self, other: Self) -> Self {
        let product = |i: usize| i32::from(self.0[i]) * i32::from(other.0[i]);
        Self::from_numbers(std::array::from_fn(|i| {
            product(2 * i).wrapping_add(product(2 * i + 1))
        }))
    }
    fn add32(self, other: Self) -> Self {
        self.zip32(other, i32::wrapping_add)
    }
    fn sub32(self, other: Self) -> Self {
        self.zip32(other, i32::wrapping_sub)
    }
    fn upper(self) -> Self {
        self.zip32(self, |a, _| a >> 16)
    }
    fn narrow(self, other: Self) -> Self {
        let (a, b) = (self.numbers(), other.numbers());
        let limits = i32::from(i16::MIN)..=i32::from(i16::MAX);
        Self(std::array::from_fn(|i| {
            let from = if i % 8 < 4 { &a } else { &b };
            low(from[4 * (i / 8) + i % 4].clamp(*limits.start(), *limits.end()))
        }))
    }
    fn shift_left64<const BITS: i32>(self) -> Self {
        Self::from_lanes_of(self.to_lanes().map(|lane| lane << BITS))
    }
    fn shift_right64<const BITS: i32>(self) -> Self {
        Self::from_lanes_of(self.to_lanes().map(|lane| lane >> BITS))
    }
    fn bytes_at(self, places: Self) -> Self {
        let (from, places) = (self.to_bytes(), places.to_bytes());
        let byte = |i: usize| match places[i] {
            place @ 0..128 => from[16 * (i / 16) + usize::from(place % 16)],
            _ => 0,
        };
        Self(std::array::from_fn(|i| {
            i16::from_le_bytes([byte(2 * i), byte(2 * i + 1)])
        }))
    }
    moves!();
}

impl Model {
    fn to_bytes(self) -> [u8; 32] {
        std::array::from_fn(|i| self.0[i / 2].to_le_bytes()[i % 2])
    }
}
