//! The transforms and products on bounds: each word in memory is the largest absolute value that
//! the number there may have.
//!
//! A number of 32 bits has its bound in the first of its two words. Moves are those of words. The
//! effect of each arithmetic step on bounds is proved in `scalars`.

use super::scalars::{COMPARED, REDUCED, of_barrett, of_product, of_reduce};
use crate::{
    keccak::Lanes,
    product::{self, Table},
    tables::{Factor, Q},
    tests::model::{Model, Moves, moves},
    transform::{self, Poly},
    vector::Vector,
    words::Words,
};

#[derive(Clone, Copy, Debug)]
struct Bounds([i64; 16]);

impl Moves for Bounds {
    type Value = i64;
    fn values(self) -> [i64; 16] {
        self.0
    }
    fn from_values(values: [i64; 16]) -> Self {
        Self(values)
    }
}

impl Bounds {
    fn zip(self, other: Self, of: impl Fn(i64, i64) -> i64) -> Self {
        Self(std::array::from_fn(|i| of(self.0[i], other.0[i])))
    }

    /// Adds bounds of words. No sum or difference may exceed sixteen bits.
    fn sum(self, other: Self) -> Self {
        let sum = self.zip(other, |a, b| a + b);
        assert!(sum.0.iter().all(|sum| *sum < 1 << 15), "{sum:?}");
        sum
    }

    fn each(self, of: impl Fn(i32) -> i32) -> Self {
        self.zip(self, |a, _| of(i32::try_from(a).unwrap()).into())
    }
}

macro_rules! unused {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name(self $(, $argument: $type)*) -> Self {
            unreachable!("not in what is proved here");
        })*
    };
}

#[allow(unused_variables)]
impl Vector for Bounds {
    fn load(words: &Words) -> Self {
        Self(words.0.map(i64::from))
    }
    fn store(self, words: &mut Words) {
        words.0 = self.0.map(|bound| i16::try_from(bound).unwrap());
    }
    fn from_lanes(_: &Lanes) -> Self {
        unreachable!("not in what is proved here")
    }
    fn to_lanes(self) -> [u64; 4] {
        unreachable!("not in what is proved here")
    }
    fn from_halves(_: &[u8; 16], _: &[u8; 16]) -> Self {
        unreachable!("not in what is proved here")
    }
    fn signs(self) -> u16 {
        unreachable!("not in what is proved here")
    }
    fn splat(word: i16) -> Self {
        Self([word.into(); 16])
    }
    fn quads(quad: u64) -> Self {
        Self(Model::quads(quad).0.map(i64::from))
    }
    fn add(self, other: Self) -> Self {
        self.sum(other)
    }
    fn sub(self, other: Self) -> Self {
        self.sum(other)
    }
    /// Applies a mask.
    fn and(self, mask: Self) -> Self {
        self.zip(mask, |bound, mask| match mask {
            0 => 0,
            -1 => bound,
            _ => panic!("not a mask"),
        })
    }
    /// Combines words of which at least one is zero.
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| {
            assert!(a == 0 || b == 0);
            a + b
        })
    }
    fn dot(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| match i % 2 {
            0 => self.0[i] * other.0[i] + self.0[i + 1] * other.0[i + 1],
            _ => 0,
        }))
    }
    fn add32(self, other: Self) -> Self {
        let sum = self.zip(other, |a, b| a + b);
        assert!(sum.0.iter().all(|sum| *sum < 1 << 31));
        sum
    }
    fn narrow(self, other: Self) -> Self {
        self.at(other, |i| 8 * (i / 8) + 16 * (i / 4 % 2) + 2 * (i % 4))
    }
    fn shift_left64<const BITS: i32>(self) -> Self {
        self.moved_in_quads(isize::try_from(BITS / 16).unwrap())
    }
    fn shift_right64<const BITS: i32>(self) -> Self {
        self.moved_in_quads(-isize::try_from(BITS / 16).unwrap())
    }
    fn shift_right<const BITS: i32>(self) -> Self {
        unreachable!("not in what is proved here")
    }
    unused! {
        mul_low(other: Self);
        mul_rounded(other: Self);
        abs();
        greater(other: Self);
        equal(other: Self);
        sub32(other: Self);
        upper();
        bytes_at(places: Self);
    }
    moves!();

    fn barrett(self) -> Self {
        self.each(of_barrett)
    }
    /// Bounds the product with any constant.
    fn product(self, _: [Self; 2]) -> Self {
        self.each(of_product)
    }
    fn factor(_: &Factor) -> [Self; 2] {
        [Self([0; 16]); 2]
    }
    /// Bounds the reduction. The second word of each number is its sign: all ones or all zeros.
    fn reduce(self) -> Self {
        Self(std::array::from_fn(|i| match i % 2 {
            0 => of_reduce(self.0[i]).into(),
            _ => 1,
        }))
    }
}

const _: () = assert!(COMPARED + Q - 1 <= REDUCED);

fn largest(p: &Poly) -> i16 {
    p.iter().flat_map(|words| words.0).max().unwrap()
}

/// Returns bounds for the table of any key, also of one that is refused: its numbers have twelve
/// bits.
fn any_table() -> Table {
    let mut table = [Words::ZERO; 128];
    let bound = i16::try_from(of_product(4095)).unwrap();
    table.fill(Words([bound; 16]));
    table
}

#[test]
fn no_word_overflows_for_any_key_and_ciphertext() {
    // Decompressed numbers; noise is less.
    let mut u: Poly = [Words([Q - 1; 16]); 64];
    transform::forward::<Bounds>(&mut u);
    assert!(largest(&u) <= 18_300, "{}", largest(&u));
    for of_key in [true, false] {
        let mut p = [Words::ZERO; 64];
        if of_key {
            product::secret_product::<Bounds>(&any_table(), &u, &mut p);
        } else {
            product::matrix_product::<Bounds>(&[any_table(); 3], &u, &mut p);
        }
        transform::inverse::<Bounds>(&mut p);
        let p = largest(&p);
        assert!(p <= 20_700, "{p}");
        // The message is that of a decompressed number minus `su`. The product is compared or
        // encoded after noise and half of q are added.
        assert!(p + Q - 1 <= REDUCED);
        assert!(p + 2 + (Q + 1) / 2 <= COMPARED);
    }
}

#[test]
fn no_word_overflows_in_key_generation() {
    let mut s: Poly = [Words([2; 16]); 64];
    transform::forward::<Bounds>(&mut s);
    let e = s;
    assert!(largest(&s) <= REDUCED);
    let mut t = [Words::ZERO; 64];
    product::key_product::<Bounds>(&[any_table(); 3], &s, &mut t);
    assert!(i32::from(largest(&t)) + i32::from(largest(&e)) <= REDUCED.into());
}

/// Checks the bounds against numbers: none exceeds them.
#[test]
fn what_is_proved_holds_in_examples() {
    let mut bounds: Poly = [Words([Q - 1; 16]); 64];
    let mut numbers: Poly = std::array::from_fn(|n| {
        Words(std::array::from_fn(|i| {
            if (n + i).is_multiple_of(3) {
                1 - Q
            } else {
                Q - 1
            }
        }))
    });
    transform::forward::<Bounds>(&mut bounds);
    transform::forward::<Model>(&mut numbers);
    for (bounds, numbers) in bounds.iter().zip(&numbers) {
        assert!(
            bounds
                .0
                .iter()
                .zip(numbers.0)
                .all(|(bound, number)| number.abs() <= *bound)
        );
    }
}
