//! A division step, the effect of a batch of them on f, g, d and e, and the consequences for all
//! batches.
//!
//! Let F and G be the numbers at the start of a batch, and f and g those after `i` of its steps.
//! Three statements hold: 2^i f = u F + v G and 2^i g = q F + r G; the numbers of a row sum to at
//! most 2^i; and the words `f` and `g` equal these numbers in their lowest 30 - i bits. They hold
//! at first, and `a_step` shows that each step preserves them: a step changes the words as it
//! changes f and g; and rows become twice a former row, or a sum or a difference of two.
//!
//! So after 30 steps the numbers that `multiply` divides by 2^30 have no lower bits. f and g are
//! within p of zero and stay so, and d and e move away by at most p with each batch. As lower limbs
//! have no sign, the last limb is a number divided by 2^240 and rounded down, which bounds it.

use core::array::from_fn;
use std::vec::Vec;

use x25519_proofs::{
    Expression, Kind, Number, Radix, Signed, assert_limbs, assert_same_integer, begin, input,
    random_bytes, signed,
};

use crate::division::{
    self, Batch, LAST_LIMB, LIMBS, Matrix, P_HIGH, P_LOW, STEPS, inverse, multiples_of_p, multiply,
    numbers,
};

const RADIX: Radix = Radix {
    bits: 30,
    limbs: LIMBS,
};

/// The bound of the numbers of a row, and of the words of `f` and `g`.
const ONE_BATCH: i128 = 1 << STEPS;
const _: () = assert!(RADIX.bits as usize == STEPS);

type Limbs = division::Limbs<Signed>;

/// Makes an input of one word.
fn any([least, most]: [i128; 2], which: usize) -> Signed {
    Signed(input(Kind::Signed, [least, most], which, 0))
}

fn within(most: i128, which: usize) -> Signed {
    any([-most, most], which)
}

fn assert_same(a: Signed, b: Signed) {
    assert_same_integer(&[a.0], &[b.0], 0);
}

/// Proves a step for each sign of delta and each lowest bit of g. Rows are bounded as before the
/// last of a batch's steps, where they are the largest.
#[test]
fn a_step() {
    let [one, two] = [1, 2].map(Signed::from);
    let row = (ONE_BATCH / 2) << 32;
    for (zetas, is_odd) in [[-700, -1], [0, 700]]
        .into_iter()
        .flat_map(|zetas| [(zetas, 0), (zetas, 1)])
    {
        begin(Radix { bits: 1, limbs: 1 });
        let zeta = any(zetas, 0);
        let f = two * within(ONE_BATCH / 2 - 1, 1) + one;
        let g = two * within(ONE_BATCH / 2 - 1, 2) + Signed::from(is_odd);
        let [first, second] = [3, 4].map(|which| within(row, which));
        let after = Batch {
            zeta,
            f,
            g,
            first,
            second,
        }
        .step();
        let is_exchanged = zetas[1] < 0 && is_odd == 1;

        // -delta - 1/2: delta becomes 1 - delta or 1 + delta.
        assert_same(
            after.zeta,
            if is_exchanged {
                -zeta - two
            } else {
                zeta - one
            },
        );
        assert_same(after.f, if is_exchanged { g } else { f });
        assert_same(after.first, two * if is_exchanged { second } else { first });
        let (twice_g, row) = match (is_odd, is_exchanged) {
            (0, _) => (g, second),
            (_, false) => (g + f, second + first),
            (_, true) => (g - f, second - first),
        };
        assert_same(two * after.g, twice_g);
        assert_same(after.second, row);
        for word in [after.f, after.g] {
            let [least, most] = signed::bounds(word.0);
            assert!(-ONE_BATCH <= least && most <= ONE_BATCH);
        }
    }
}

/// Both numbers of a row are recovered from their word.
#[test]
fn the_numbers_of_a_row() {
    begin(Radix { bits: 1, limbs: 1 });
    let [u, v] = [0, 1].map(|which| within(ONE_BATCH, which));
    let [low, high] = numbers(u + (v << 32));
    assert_same(low, u);
    assert_same(high, v);
}

/// Makes a matrix, and limbs of d and e, and so of f and g. They are the elements 4 and 5 of the
/// inputs.
fn matrix_and_pair() -> (Matrix<Signed>, [Limbs; 2]) {
    begin(RADIX);
    let last = i128::from(LAST_LIMB);
    let matrix = [[0, 1], [2, 3]].map(|row| row.map(|which| within(ONE_BATCH, which)));
    let pair = [4, 5].map(|which| {
        from_fn(|limb| {
            let bounds = if limb + 1 < LIMBS {
                [0, ONE_BATCH - 1]
            } else {
                [-last, last]
            };
            Signed(input(Kind::Signed, bounds, which, limb))
        })
    });
    (matrix, pair)
}

/// Computes `u a + v b`, not carried.
fn sums([u, v]: [Signed; 2], [a, b]: &[Limbs; 2]) -> Limbs {
    from_fn(|i| u * a[i] + v * b[i])
}

/// Checks that it is `first` plus 2^30 times the result, whose lower limbs have their nominal size.
fn assert_product(sums: Limbs, first: Signed, result: Limbs) {
    let whole: Vec<u64> = [first]
        .iter()
        .chain(&result)
        .map(|Signed(limb)| *limb)
        .collect();
    assert_same_integer(&whole, &sums.map(|Signed(limb)| limb), RADIX.bits);
    for Signed(limb) in &result[..LIMBS - 1] {
        let [least, most] = signed::bounds(*limb);
        assert!(0 <= least && most < ONE_BATCH);
    }
}

/// f and g lose nothing except the lowest 30 bits.
#[test]
fn f_and_g_after_a_batch() {
    let (matrix, pair) = matrix_and_pair();
    let mut results = pair;
    multiply(matrix, &mut results, [Signed::from(0); 2]);
    for (row, result) in matrix.into_iter().zip(results) {
        let sums = sums(row, &pair);
        let lowest = sums[0] & Signed::from((1 << STEPS) - 1);
        assert_product(sums, lowest, result);
    }
}

/// d and e get a multiple of p from 0 to (2^30 - 1) p, and lose nothing.
#[test]
fn d_and_e_after_a_batch() {
    let (matrix, pair) = matrix_and_pair();
    let multiples = multiples_of_p(matrix, &pair);
    let mut results = pair;
    multiply(matrix, &mut results, multiples);
    for ((row, multiple), result) in matrix.into_iter().zip(multiples).zip(results) {
        let [least, most] = signed::bounds(multiple.0);
        assert!(0 <= least && most < ONE_BATCH);
        let mut sums = sums(row, &pair);
        for (limb, of_p) in [(0, P_LOW), (LIMBS - 1, P_HIGH)] {
            sums[limb] = sums[limb] + multiple * Signed::from(of_p);
        }
        assert_product(sums, Signed::from(0), result);
    }
}

/// These two limbs are p.
#[test]
fn p_has_two_limbs() {
    begin(RADIX);
    let limbs = from_fn::<_, LIMBS, _>(|i| match i {
        0 => P_LOW,
        _ if i + 1 == LIMBS => P_HIGH,
        _ => 0,
    });
    let limbs = limbs.map(i64::cast_unsigned);
    let bounds = [i64::MIN, i64::MAX].map(i128::from);
    assert_limbs(&limbs, Kind::Signed, bounds, &Expression::constant(0));
}

/// Tests everything on numbers: the product is 1, for random numbers, powers of two and numbers at
/// both ends.
#[test]
fn an_inverse_is_an_inverse() {
    let mut p_less_1 = [0xff; 32];
    (p_less_1[0], p_less_1[31]) = (0xec, 0x7f);
    let mut one = [0; 32];
    one[0] = 1;
    let mut state = 255;
    let random = core::iter::repeat_with(|| {
        let mut number = random_bytes(&mut state);
        number[31] &= 0x7f;
        number[0] &= 0xe0;
        number
    });
    let powers = (0..255).map(|bit| from_fn(|i| if i == bit / 8 { 1 << (bit % 8) } else { 0 }));
    for z in random.take(200).chain(powers).chain([one, p_less_1]) {
        let [number, inverse] = [&z, &*inverse(&z)].map(Number::from_bytes);
        assert_eq!(number.times(inverse), Number::from_bytes(&one));
    }
    assert_eq!(*inverse(&[0; 32]), [0; 32]);
}
