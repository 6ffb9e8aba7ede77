//! Proofs, for all inputs, that the arithmetic and the ladder compute what their documentation
//! states. The crate `x25519-proofs` explains the method and what is trusted.
//!
//! - [`kernels`]: each kernel of the field arithmetic maps carried limbs to carried limbs, and
//!   computes its documented function modulo p. A new radix is an entry there.
//! - [`batch`]: the same for a whole step of a batch, in each radix, and for its start. That step
//!   is RFC 7748's, and is the group law.
//! - [`one_point`]: the same for one point, in four lanes of doubles or of integers.
//! - [`edwards`]: the addition and the doubling of the Edwards form, composed of kernels, are its
//!   group law.
//! - [`choice`]: each digit selects its multiple.
//! - [`division`]: one inverse for all lanes, composed of kernels, inverts each, and one for many
//!   fractions divides each. The inverse itself is proved in `x25519-inverse`.
//! - [`encoding`]: bytes become limbs, and limbs become the least representative in bytes.
//!
//! Inputs and outputs are carried, so any number of steps can follow one another.

mod batch;
mod choice;
mod division;
mod edwards;
mod encoding;
mod kernels;
mod one_point;

use core::{array::from_fn, fmt::Debug, marker::PhantomData};
use std::{cell::RefCell, thread::LocalKey};

use x25519_proofs::{Expression, Kind, Radix, assert_limbs, doubles, input, words};

use crate::{
    field::{
        BITS, LIMBS, Table,
        kernels::{Kernels, each_kernel},
    },
    lanes::{Doubles, Lanes, MulAdd52, Permute, Quad},
    tests::samples::Representation,
};

/// Returns the bounds of carried limbs.
fn carried<R: Representation>() -> [i128; 2] {
    R::CARRIED.map(i128::from)
}

/// The largest absolute value of a decoded limb of doubles.
const DECODED_DOUBLE: i128 = (1 << 50) + 19;

/// The bounds of a decoded limb of integers: its nominal size.
const DECODED_INTEGER: [i128; 2] = [0, (1 << 51) - 1];

/// The bounds of limbs that can be encoded: below 2^52.
const ENCODABLE: [i128; 2] = [0, (1 << 52) - 1];

/// The composition of an element from limbs.
const RADIX: Radix = Radix {
    bits: BITS,
    limbs: LIMBS,
};

/// Lanes of symbols: vectors that record what they compute.
#[derive(Clone, Copy, Debug)]
struct Symbols<const N: usize>([u64; N]);

/// Makes the element that `which` returns in each lane, with limbs within these
/// bounds.
fn elements<const N: usize>(
    kind: Kind,
    bounds: [i128; 2],
    which: impl Fn(usize) -> usize,
) -> Table<N> {
    Table(from_fn(|limb| {
        from_fn(|lane| input(kind, bounds, which(lane), limb))
    }))
}

/// Checks that a lane is as expected, with limbs within these bounds.
fn assert_lane<const N: usize>(
    element: &Table<N>,
    lane: usize,
    (kind, bounds): (Kind, [i128; 2]),
    expected: &Expression,
) {
    let limbs = element.0.map(|limb| limb[lane]);
    assert_limbs(&limbs, kind, bounds, expected);
}

impl<const N: usize> Symbols<N> {
    fn zip(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self(from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }

    /// Applies an operation to `f`, `g` and `self`, in this order.
    fn zip3(self, f: Self, g: Self, operation: impl Fn(u64, u64, u64) -> u64) -> Self {
        Self(from_fn(|lane| {
            operation(f.0[lane], g.0[lane], self.0[lane])
        }))
    }
}

impl<const N: usize> Lanes<N> for Symbols<N> {
    fn splat(word: u64) -> Self {
        Self([word; N])
    }
    fn load(words: &[u64; N]) -> Self {
        Self(*words)
    }
    fn store(self, words: &mut [u64; N]) {
        *words = self.0;
    }
    fn add(self, other: Self) -> Self {
        self.zip(other, words::add)
    }
    fn sub(self, other: Self) -> Self {
        self.zip(other, words::sub)
    }
    fn and(self, other: Self) -> Self {
        self.zip(other, words::and)
    }
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0.map(|word| words::shift_right(word, BITS)))
    }
    fn select(self, ones: Self, zeros: Self) -> Self {
        Self(from_fn(|lane| {
            words::select(self.0[lane], ones.0[lane], zeros.0[lane])
        }))
    }
}

impl<const N: usize> Doubles<N> for Symbols<N> {
    fn plus(self, other: Self) -> Self {
        self.zip(other, doubles::add)
    }
    fn minus(self, other: Self) -> Self {
        self.zip(other, doubles::sub)
    }
    fn mul_add(self, f: Self, g: Self) -> Self {
        self.zip3(f, g, doubles::mul_add)
    }
    fn mul(self, other: Self) -> Self {
        self.zip(other, words::mul_32)
    }
    fn shift_left(self, bits: u32) -> Self {
        Self(self.0.map(|word| words::shift_left(word, bits)))
    }
}

impl<const N: usize> MulAdd52<N> for Symbols<N> {
    fn add_low(self, f: Self, g: Self) -> Self {
        self.zip3(f, g, words::add_low_52)
    }
    fn add_high(self, f: Self, g: Self) -> Self {
        self.zip3(f, g, words::add_high_52)
    }
    fn times_19(self) -> Self {
        Self(self.0.map(|word| words::mul(word, 19)))
    }
}

impl Quad for Symbols<4> {
    fn swap_pairs(self) -> Self {
        Self([1, 0, 3, 2].map(|lane| self.0[lane]))
    }
    fn swap_halves(self) -> Self {
        Self([2, 3, 0, 1].map(|lane| self.0[lane]))
    }
    fn replace<const LANES: i32>(self, other: Self) -> Self {
        Self(from_fn(|lane| match LANES >> lane & 1 {
            1 => other.0[lane],
            _ => self.0[lane],
        }))
    }
}

impl Permute for Symbols<4> {
    fn permuted(self, places: Self) -> Self {
        Self(places.0.map(|lane| self.0[usize::try_from(lane).unwrap()]))
    }
    fn replace_difference(self, lanes: u8, f: Self, g: Self) -> Self {
        Self(from_fn(|lane| match lanes >> lane & 1 {
            1 => words::sub(f.0[lane], g.0[lane]),
            _ => self.0[lane],
        }))
    }
}

/// The field operations on a number other than zero.
trait Formal: Clone + Debug + PartialEq + 'static {
    fn one() -> Self;
    fn times(&self, other: &Self) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    /// Returns the numbers that tables refer to.
    fn memory() -> &'static LocalKey<RefCell<Vec<Self>>>;
}

/// Makes a table with a number in each lane.
fn table<F: Formal, const N: usize>(numbers: [F; N]) -> Table<N> {
    let mut table = Table::ZERO;
    table.0[0] = numbers.map(|number| {
        F::memory().with_borrow_mut(|memory| {
            memory.push(number);
            memory.len() as u64 + 1
        })
    });
    table
}

/// Returns the number of each lane.
fn numbers<F: Formal, const N: usize>(table: &Table<N>) -> [F; N] {
    table.0[0].map(|word| match word {
        0 => panic!("zero, where a number other than zero should be"),
        1 => F::one(),
        index => F::memory().with_borrow(|memory| {
            let index = usize::try_from(index).unwrap();
            memory[index - 2].clone()
        }),
    })
}

/// Returns the number of a table with one lane.
fn number<F: Formal>(table: &Table<1>) -> F {
    let [number] = numbers(table);
    number
}

fn is_zero<const N: usize>(table: &Table<N>) -> bool {
    table.0.as_flattened().iter().all(|word| *word == 0)
}

/// Kernels by their documented functions: an element is one number, not limbs. The theorems of
/// [`kernels`] show that limbs behave the same.
///
/// The first word of a table's lane is 0, 1, or the index of a number in memory, from 2 on.
struct Model<F>(PhantomData<F>);

macro_rules! formal {
    ($trait:ident { $($constant:item)* } $($kernel:ident($($argument:ident: $type:ty),*);)*) => {
        impl<F: Formal, const N: usize> $trait<N> for Model<F> {
            $($constant)*
            $(fn $kernel($($argument: $type),*) { meaning::$kernel::<F, N>($($argument),*) })*
        }
    };
}

each_kernel!(formal Kernels { const ONE: Table<N> = Table::small(1); });

mod meaning {
    use super::*;

    pub(super) fn from_integers<F: Formal, const N: usize>(out: &mut Table<N>, f: &Table<N>) {
        *out = *f;
    }
    /// Returns any limbs: the callers only test whether the number is zero.
    pub(super) fn to_integers<F: Formal, const N: usize>(out: &mut Table<N>, f: &Table<N>) {
        *out = Table::ZERO;
        out.0[0] = f.0[0].map(|word| u64::from(word != 0));
    }
    pub(super) fn mul<F: Formal, const N: usize>(out: &mut Table<N>, f: &Table<N>, g: &Table<N>) {
        let (f, g) = (numbers::<F, N>(f), numbers::<F, N>(g));
        *out = table::<F, N>(from_fn(|lane| f[lane].times(&g[lane])));
    }
    pub(super) fn square<F: Formal, const N: usize>(out: &mut Table<N>, f: &Table<N>) {
        mul::<F, N>(out, f, f);
    }
    pub(super) fn sum_and_difference<F: Formal, const N: usize>(
        plus: &mut Table<N>,
        minus: &mut Table<N>,
        f: &Table<N>,
        g: &Table<N>,
    ) {
        let (f, g) = (numbers::<F, N>(f), numbers::<F, N>(g));
        *plus = table::<F, N>(from_fn(|lane| f[lane].plus(&g[lane])));
        *minus = table::<F, N>(from_fn(|lane| f[lane].minus(&g[lane])));
    }
}
