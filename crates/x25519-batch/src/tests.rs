//! The arithmetic below the public interface: the portable lanes compared with a different
//! arithmetic, the vectors compared with the lanes. Miri runs the tests named `vectors` on every
//! instruction set.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "no vectors to compare with the model")
)]

pub(crate) mod samples;
mod words;

use alloc::{vec, vec::Vec};
use core::marker::PhantomData;

use zeroize::Zeroizing;

use self::{
    samples::{Representation, Samples},
    words::Words,
};
use crate::{
    backend::Vector,
    batch, comb,
    division::Fraction,
    encoding,
    field::{
        Columns, Doubles51, Integers51, LIMBS, Radix, Table,
        kernels::{self, Kernels, each_kernel},
    },
    ladder::{
        self, Ladder,
        group::Group,
        parts::{Inlined, Parts},
    },
    lanes::Lanes,
    one::{self, OnePoint},
};

/// The portable lanes as a back end, in a radix.
struct Model<R, const WRAP: bool>(PhantomData<R>);

type Integers = Model<Integers51, false>;
type Floats = Model<Doubles51, true>;
type PartsOfIntegers = Inlined<Integers51, Words<1, false>>;
type PartsOfFloats = Inlined<Doubles51, Words<1, true>>;

macro_rules! model {
    ($trait:ident { $($constant:item)* } $($kernel:ident($($argument:ident: $type:ty),*);)*) => {
        impl<R: Radix<Words<N, WRAP>, N>, const N: usize, const WRAP: bool> $trait<N> for Model<R, WRAP> {
            $($constant)*
            $(fn $kernel($($argument: $type),*) {
                kernels::$kernel::<R, Words<N, WRAP>, N>($($argument),*);
            })*
        }
    };
}
each_kernel!(model Kernels { const ONE: Table<N> = Table::small(R::ONE); });

impl<R: Columns<Words<N, WRAP>, N>, const N: usize, const WRAP: bool> Ladder<N> for Model<R, WRAP> {
    fn ladder<const GROUPS: usize>(
        scalar: &[u8; 32],
        x1: &[Table<N>; GROUPS],
        fractions: &mut [Fraction<N>; GROUPS],
    ) {
        ladder::ladder::<Inlined<R, Words<N, WRAP>>, N, GROUPS>(scalar, x1, fractions);
    }
}

impl OnePoint for Floats {
    fn ladder(scalar: &[u8; 32], x1: &Table<4>, last: &mut Table<4>) {
        one::doubles::ladder::<Words<4, true>>(scalar, x1, last);
    }
}

impl OnePoint for Integers {
    fn ladder(scalar: &[u8; 32], x1: &Table<4>, last: &mut Table<4>) {
        one::integers::ladder::<Words<4, false>>(scalar, x1, last);
    }
}

/// Lists the results of kernels for `f` and `g`, all carried.
fn kernels<K: Kernels<N>, const N: usize>(f: &Table<N>, g: &Table<N>) -> Vec<Table<N>> {
    let mut out = [Table::ZERO; 4];
    let [product, square, plus, minus] = &mut out;
    K::mul(product, f, g);
    K::square(square, f);
    K::sum_and_difference(plus, minus, f, g);
    out.to_vec()
}

/// Lists A, B, C and D after a step from A = D = f and B = C = g, with x1 = f, for either point
/// doubled.
fn steps<P: Parts<N>, const N: usize>(f: &Table<N>, g: &Table<N>) -> Vec<Table<N>> {
    let mut out = Vec::new();
    for swap in [0, u64::MAX] {
        let mut group = Group::ZERO;
        (group.x1, group.a, group.b, group.c, group.d) = (*f, *f, *g, *g, *f);
        ladder::step::<P, N>(core::slice::from_mut(&mut group), swap);
        out.extend([group.a, group.b, group.c, group.d]);
    }
    out
}

/// A number of 32 digits to the base 256, below 2^256. Its arithmetic modulo p is as on paper, with
/// nothing in common with the code under test.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Number([u8; 32]);

impl Number {
    fn small(number: u32) -> Self {
        Self::from_digits([u64::from(number)].into_iter())
    }

    /// The limbs at their places, limb `i` at bit `51 i`, with 4p: so they may be negative, down to
    /// -2^52.
    fn from_limbs(limbs: [i64; 5]) -> Self {
        let mut digits = [0_u64; 40];
        for (i, limb) in limbs.into_iter().enumerate() {
            let (place, four_p) = (51 * i, (1_i128 << 53) - if i == 0 { 76 } else { 4 });
            let shifted = u128::try_from(i128::from(limb) + four_p).unwrap() << (place % 8);
            for (j, digit) in shifted.to_le_bytes().into_iter().enumerate().take(10) {
                digits[place / 8 + j] += u64::from(digit);
            }
        }
        Self::from_digits(digits.into_iter())
    }

    fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn add(self, other: Self) -> Self {
        Self::from_digits(
            self.0
                .into_iter()
                .zip(other.0)
                .map(|(a, b)| u64::from(a) + u64::from(b)),
        )
    }

    /// 4p has larger digits than any number here.
    fn sub(self, other: Self) -> Self {
        let four_p = |i: usize| {
            if i == 0 {
                4 * 0xed
            } else if i == 31 {
                4 * 0x7f
            } else {
                4 * 0xff
            }
        };
        let digits = self.0.into_iter().zip(other.0).enumerate();
        Self::from_digits(digits.map(|(i, (a, b))| u64::from(a) + four_p(i) - u64::from(b)))
    }

    fn mul(self, other: Self) -> Self {
        let mut digits = [0; 64];
        for (i, a) in self.0.into_iter().enumerate() {
            for (j, b) in other.0.into_iter().enumerate() {
                digits[i + j] += u64::from(a) * u64::from(b);
            }
        }
        Self::from_digits(digits.into_iter())
    }

    /// Reduces to a number from 0 to p - 1.
    fn reduced(self) -> Self {
        let mut digits = self.0;
        for _ in 0..3 {
            let plus_19 = carried(
                core::iter::once(19)
                    .chain([0; 31])
                    .zip(digits)
                    .map(|(a, b)| a + u64::from(b)),
            );
            // Adding 19 passes 2^255 just where the number is p or more; what stays is then the
            // number less p.
            if plus_19.0[31] >= 0x80 || plus_19.1 > 0 {
                digits = plus_19.0;
                digits[31] = (digits[31] & 0x7f) | if plus_19.1 > 0 { 0x80 } else { 0 };
            }
        }
        Self(digits)
    }

    /// Digits of any size: 2^256 is 38.
    fn from_digits(digits: impl Iterator<Item = u64>) -> Self {
        let mut low = [0_u64; 32];
        for (i, digit) in digits.enumerate() {
            // The largest sum is 32 products of digits, 39 times.
            low[i % 32] += if i < 32 { digit } else { 38 * digit };
        }
        loop {
            let (digits, over) = carried(low.into_iter());
            if over == 0 {
                return Self(digits);
            }
            low = digits.map(u64::from);
            low[0] += 38 * over;
        }
    }
}

/// Carries digits to values below 256. Returns the carry of the last, too.
fn carried(digits: impl Iterator<Item = u64>) -> ([u8; 32], u64) {
    let (mut out, mut carry) = ([0; 32], 0);
    for (out, digit) in out.iter_mut().zip(digits) {
        let sum = digit + carry;
        [*out, ..] = sum.to_le_bytes();
        carry = sum >> 8;
    }
    (out, carry)
}

/// Lists the expected results of both, modulo p.
fn expected(f: Number, g: Number) -> Vec<Number> {
    let mut out = vec![f.mul(g), f.mul(f), f.add(g), f.sub(g)];
    let (da, cb) = (f.mul(f), g.mul(g));
    let (x3, z3) = (da.add(cb), da.sub(cb));
    let (x3, z3) = (x3.mul(x3), f.mul(z3.mul(z3)));
    for [p, q] in [[f, g], [g, f]] {
        let (aa, bb) = (p.mul(p), q.mul(q));
        let e = aa.sub(bb);
        let (x2, z2) = (aa.mul(bb), e.mul(aa.add(Number::small(121_665).mul(e))));
        out.extend([x2.add(z2), x2.sub(z2), x3.add(z3), x3.sub(z3)]);
    }
    out
}

fn lane<const N: usize>(element: &Table<N>, lane: usize) -> [u64; LIMBS] {
    element.0.map(|limb| limb[lane])
}

/// Checks that a radix computes modulo p, within its bounds. Tests are built with overflow checks,
/// which also check intermediate integers.
fn assert_arithmetic<R: Representation, K: Kernels<1>, P: Parts<1>>() {
    let numbers = |element: &Table<1>| lane(element, 0).map(R::number);
    let number = |element: &Table<1>| Number::from_limbs(numbers(element)).reduced();
    for (f, g) in Samples::pairs::<R, 1>(500) {
        let out = [kernels::<K, 1>(&f, &g), steps::<P, 1>(&f, &g)].concat();
        let reduced = |number: Number| number.reduced();
        assert_eq!(
            out.iter().map(number).collect::<Vec<_>>(),
            expected(number(&f), number(&g))
                .into_iter()
                .map(reduced)
                .collect::<Vec<_>>()
        );
        let [least, most] = R::CARRIED;
        assert!(
            out.iter()
                .flat_map(numbers)
                .all(|limb| least <= limb && limb <= most)
        );
        let mut integers = Table::ZERO;
        K::to_integers(&mut integers, &f);
        assert_eq!(
            Number::from_limbs(lane(&integers, 0).map(u64::cast_signed)).reduced(),
            number(&f)
        );
        assert!(integers.0.as_flattened().iter().all(|limb| *limb < 1 << 52));
    }
}

#[test]
fn the_portable_lanes_compute_modulo_p_within_bounds() {
    assert_arithmetic::<Integers51, Integers, PartsOfIntegers>();
    assert_arithmetic::<Doubles51, Floats, PartsOfFloats>();
}

#[test]
fn a_decoded_point_is_the_same_number_in_every_radix() {
    let mut samples = Samples::new(51);
    for bytes in core::iter::repeat_with(|| samples.bytes())
        .take(200)
        .chain([[0xff; 32], [0; 32]])
    {
        let decoded = encoding::decode::<1>(&[bytes]);
        let expected = Number::from_limbs(lane(&decoded, 0).map(u64::cast_signed)).reduced();
        let (mut integers, mut floats) = (Table::ZERO, Table::ZERO);
        <Integers as Kernels<1>>::from_integers(&mut integers, &decoded);
        <Floats as Kernels<1>>::from_integers(&mut floats, &decoded);
        assert_eq!(
            Number::from_limbs(lane(&integers, 0).map(Integers51::number)).reduced(),
            expected
        );
        assert_eq!(
            Number::from_limbs(lane(&floats, 0).map(Doubles51::number)).reduced(),
            expected
        );
    }
}

/// A back end's function of two elements.
type Function<const N: usize> = fn(&Table<N>, &Table<N>) -> Vec<Table<N>>;

/// Checks limb by limb that a vector computes the same as its lanes.
fn assert_like_the_model<R: Representation, const N: usize>(
    vectors: Function<N>,
    model: Function<1>,
    samples: usize,
) {
    for (f, g) in Samples::pairs::<R, N>(samples) {
        let out = vectors(&f, &g);
        for i in 0..N {
            let alone = |element: &Table<N>| Table(lane(element, i).map(|limb| [limb]));
            let model = model(&alone(&f), &alone(&g));
            let limbs = |element: &Table<N>| lane(element, i);
            let limbs_of_model = |element: &Table<1>| lane(element, 0);
            assert_eq!(
                out.iter().map(limbs).collect::<Vec<_>>(),
                model.iter().map(limbs_of_model).collect::<Vec<_>>()
            );
        }
    }
}

/// Checks the same for whole ladders, of one group and of two.
fn assert_ladder_like_the_model<K: Ladder<N>, M: Ladder<N>, const N: usize>() {
    fn last<K: Ladder<N>, const N: usize, const GROUPS: usize>() -> Vec<[[u64; N]; LIMBS]> {
        let mut samples = Samples::new(N as u64);
        let scalar = ladder::clamped(&samples.bytes());
        let x1 = [(); GROUPS].map(|()| {
            let points = [(); N].map(|()| samples.bytes());
            let mut x1 = Table::ZERO;
            K::from_integers(&mut x1, &encoding::decode(&points));
            x1
        });
        let mut fractions = [const { Fraction::ZERO }; GROUPS];
        K::ladder(&scalar, &x1, &mut fractions);
        let limbs = |fraction: &Fraction<N>| [fraction.x.0, fraction.z.0];
        fractions.iter().flat_map(limbs).collect()
    }
    assert_eq!(last::<K, N, 1>(), last::<M, N, 1>());
    assert_eq!(last::<K, N, 2>(), last::<M, N, 2>());
}

/// Checks the same for one point's ladders.
fn assert_one_like_the_model<K: OnePoint, M: OnePoint>() {
    fn last<K: OnePoint>(seed: u64) -> [[u64; 4]; LIMBS] {
        let mut samples = Samples::new(seed);
        let scalar = ladder::clamped(&samples.bytes());
        let (mut x1, mut last) = (Table::ZERO, Table::ZERO);
        K::from_integers(&mut x1, &encoding::decode(&[samples.bytes(); 4]));
        K::ladder(&scalar, &x1, &mut last);
        last.0
    }
    for seed in 0..5 {
        assert_eq!(last::<K>(seed), last::<M>(seed));
    }
}

fn assert_batch_like_dalek(many: impl Fn(&[u8; 32], &[[u8; 32]], &mut [[u8; 32]]), count: usize) {
    let mut samples = Samples::new(count as u64);
    let scalar = samples.bytes();
    let mut points: Vec<[u8; 32]> = (0..count).map(|_| samples.bytes()).collect();
    points[count / 2] = [0; 32];
    let mut out = vec![[0xff; 32]; points.len()];
    many(&scalar, &points, &mut out);
    let dalek = x25519_dalek::StaticSecret::from(scalar);
    for (point, out) in points.iter().zip(&out) {
        assert_eq!(dalek.diffie_hellman(&(*point).into()).as_bytes(), out);
    }
}

/// Compares a function of one point with x25519-dalek.
fn assert_one_like_dalek(one: impl Fn(&[u8; 32], &[u8; 32]) -> Zeroizing<[u8; 32]>, count: u64) {
    for seed in 0..count {
        let mut samples = Samples::new(seed);
        let (scalar, point) = (
            samples.bytes(),
            if seed == 1 { [0; 32] } else { samples.bytes() },
        );
        let dalek = x25519_dalek::StaticSecret::from(scalar).diffie_hellman(&point.into());
        assert_eq!(dalek.as_bytes(), &*one(&scalar, &point));
    }
}

/// More points than two vectors hold, so that every way to split a batch is tested.
#[test]
fn the_portable_lanes_compute_the_ladder() {
    assert_batch_like_dalek(batch::x25519::<Integers, 2>, 2 * 2 + 3);
    assert_batch_like_dalek(batch::x25519::<Floats, 2>, 2 * 2 + 3);
    assert_batch_like_dalek(batch::x25519_of_one_vector::<Integers, 4>, 3);
    assert_one_like_dalek(one::x25519::<Integers>, 5);
    assert_one_like_dalek(one::x25519::<Floats>, 5);
}

/// Points are distributed by their number, and none is left.
#[test]
fn left_over_points_go_to_the_vector_that_is_worth_it() {
    let vector = |lanes, least| Vector {
        lanes,
        least,
        many: batch::x25519::<Floats, 2>,
    };
    let (wide, narrow) = (vector(8, 5), vector(4, 2));
    let shares = |points: usize| {
        let first = wide.share(points);
        let second = narrow.share(points - first);
        [first, second, points - first - second]
    };
    let of_few = [
        [0, 0, 0],
        [0, 0, 1],
        [0, 2, 0],
        [0, 3, 0],
        [0, 4, 0],
        [5, 0, 0],
        [6, 0, 0],
        [7, 0, 0],
    ];
    for points in 0..40 {
        let [wide, narrow, one] = of_few[points % 8];
        assert_eq!(shares(points), [points - points % 8 + wide, narrow, one]);
    }
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use super::*;
    use crate::{
        Backend,
        backend::x86_64::{
            avx2::Avx2,
            ifma::{Eight, Four, FourByShifts},
        },
    };

    /// Miri is a thousand times slower.
    const SAMPLES: usize = if cfg!(miri) { 1 } else { 1000 };

    /// Reports whether this machine supports a back end, and prints if not, past the capture of
    /// test output.
    fn has(backend: Backend) -> bool {
        use std::io::Write;
        if !backend.is_available() {
            let mut out = std::io::stdout();
            writeln!(out, "not tested: this machine lacks {}", backend.name()).unwrap();
        }
        backend.is_available()
    }

    /// Checks batches of every size that is split differently, and one point.
    fn assert_like_dalek(backend: Backend) {
        let lanes = backend.lanes();
        let counts = if cfg!(miri) { 2..3 } else { 1..3 * lanes + 2 };
        for count in counts {
            let many = |scalar: &[u8; 32], points: &[[u8; 32]], out: &mut [[u8; 32]]| {
                out.copy_from_slice(backend.x25519(scalar, points).as_bytes());
            };
            assert_batch_like_dalek(many, count);
        }
        let one = |scalar: &[u8; 32], point: &[u8; 32]| backend.x25519_one(scalar, point);
        assert_one_like_dalek(one, if cfg!(miri) { 1 } else { 200 });
    }

    #[test]
    fn avx2_arithmetic() {
        if has(Backend::Avx2) {
            let (model, of_steps) = (kernels::<Floats, 1>, steps::<PartsOfFloats, 1>);
            assert_like_the_model::<Doubles51, 4>(kernels::<Avx2, 4>, model, SAMPLES);
            assert_like_the_model::<Doubles51, 4>(steps::<Avx2, 4>, of_steps, SAMPLES);
        }
    }

    #[test]
    fn ifma_arithmetic() {
        if has(Backend::Ifma) {
            let model = kernels::<Integers, 1>;
            assert_like_the_model::<Integers51, 4>(kernels::<Four, 4>, model, SAMPLES);
            assert_like_the_model::<Integers51, 4>(kernels::<FourByShifts, 4>, model, SAMPLES);
            assert_like_the_model::<Integers51, 8>(kernels::<Eight, 8>, model, SAMPLES);
        }
    }

    #[test]
    fn avx2_ladder() {
        if has(Backend::Avx2) {
            assert_ladder_like_the_model::<Avx2, Floats, 4>();
            assert_one_like_the_model::<Avx2, Floats>();
            assert_like_dalek(Backend::Avx2);
        }
    }

    #[test]
    fn ifma_ladder() {
        if has(Backend::Ifma) {
            assert_ladder_like_the_model::<Four, Integers, 4>();
            assert_ladder_like_the_model::<FourByShifts, Integers, 4>();
            assert_ladder_like_the_model::<Eight, Integers, 8>();
            assert_one_like_the_model::<Four, Integers>();
            assert_one_like_the_model::<FourByShifts, Integers>();
            assert_like_dalek(Backend::Ifma);
        }
    }
}

#[test]
fn decoding_reduces_and_encoding_is_canonical() {
    let p_plus = |n: u8| -> [u8; 32] {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (0xed + n, 0x7f);
        bytes
    };
    let with_bit_255 = [[0xff; 31].as_slice(), &[0x80]]
        .concat()
        .try_into()
        .unwrap();
    let without = [[0xff; 31].as_slice(), &[0x00]]
        .concat()
        .try_into()
        .unwrap();
    let cases = [
        (p_plus(0), [0; 32]),
        (p_plus(18), *Number::small(18).bytes()),
        (with_bit_255, without),
    ];
    for (from, to) in cases {
        let mut out = [[0; 32]; 1];
        encoding::encode::<4>(&encoding::decode(&[from]), &mut out);
        assert_eq!(out, [to]);
    }
}

/// Zero, p and 2p are zero, in several representations; their neighbours are not.
#[test]
fn zero_is_found_in_every_form() {
    let (mut p, mut one) = ([(1 << 51) - 1; LIMBS], [0; LIMBS]);
    p[0] -= 18;
    one[0] = 1;
    let mut above = p;
    above[0] += 1;
    let mut uncarried = p;
    (uncarried[0], uncarried[1]) = (p[0] + (1 << 51), p[1] - 1);
    let twice = p.map(|limb| 2 * limb);
    let forms = [[0; LIMBS], p, one, above, uncarried, twice];
    let element: Table<6> = Table(core::array::from_fn(|i| forms.map(|limbs| limbs[i])));
    assert_eq!(encoding::zeros(&element), [1, 1, 0, 0, 1, 1]);
}

#[test]
fn a_digit_is_equal_to_itself_only() {
    for (number, other) in (0..16).flat_map(|number| (0..16).map(move |other| (number, other))) {
        let mut mask = [1];
        comb::choice::equal(Words::<1, true>::load(&[number]), other).store(&mut mask);
        assert_eq!(mask, [if number == other { u64::MAX } else { 0 }]);
    }
}
