//! Limbs as far from zero as the bounds allow, which points hardly ever reach, compared with
//! sums of products in words of 128 bits.

use core::arch::wasm32::{f64x2, i64x2_add, i64x2_sub};

use getrandom::fill;
use wasm_bindgen_test::wasm_bindgen_test;
use x25519_inverse::to_bytes;

use crate::field::{BITS, CARRIED, Columns, Constants, DIFFERENCE, LIMBS, Pair};

type Limbs = [i64; LIMBS];

/// Returns limbs that are all at a bound, then mixtures.
fn limbs(end: i128, n: usize) -> Limbs {
    let end = i64::try_from(end).unwrap();
    let choices: &[&[i64]] = &[
        &[end],
        &[-end],
        &[end, -end],
        &[end, end - 1, 1, 0, -1, 1 - end, -end, end / 2, -end / 2],
    ];
    let choices = choices[n % choices.len()];
    let mut random = [0; LIMBS];
    fill(&mut random).unwrap();
    random.map(|byte| choices[usize::from(byte) % choices.len()])
}

fn pair([a, b]: [&Limbs; 2]) -> Pair {
    Pair(core::array::from_fn(|i| f64x2(a[i] as f64, b[i] as f64)))
}

fn product(f: &Limbs, g: &Limbs) -> [i128; LIMBS] {
    let mut h = [0; LIMBS];
    for (i, f) in f.iter().enumerate() {
        for (j, g) in g.iter().enumerate() {
            h[(i + j) % LIMBS] +=
                i128::from(*f) * i128::from(*g) * if i + j < LIMBS { 1 } else { 19 };
        }
    }
    h
}

/// Reduces columns modulo p.
fn bytes(mut columns: [i128; LIMBS]) -> [u8; 32] {
    for _ in 0..2 {
        for i in 0..LIMBS {
            let carry = columns[i] >> BITS;
            columns[i] -= carry << BITS;
            columns[(i + 1) % LIMBS] += carry * if i + 1 < LIMBS { 1 } else { 19 };
        }
    }
    to_bytes(
        columns.map(|limb| i64::try_from(limb).unwrap()),
        BITS as usize,
    )
}

/// Carries columns and returns the second element, after a check of its bounds.
fn carried(columns: &Columns) -> [u8; 32] {
    let limbs = Constants::get().carried(columns).second();
    assert!(
        limbs.iter().all(|limb| i128::from(*limb).abs() <= CARRIED),
        "{limbs:?}"
    );
    to_bytes(limbs, BITS as usize)
}

#[wasm_bindgen_test]
fn products_and_their_sums() {
    let k = Constants::get();
    for n in 0..4000 {
        let [f, other] = [limbs(CARRIED, n), limbs(CARRIED, n + 1)];
        let [g, another] = [limbs(DIFFERENCE, n / 4), limbs(DIFFERENCE, n / 4 + 1)];
        let fg = k.product(&pair([&other, &f]), &pair([&another, &g]));
        let turned = k.product(&pair([&f, &other]), &pair([&g, &another]));
        let (one, two) = (product(&f, &g), product(&other, &another));
        assert_eq!(carried(&fg), bytes(one), "{f:?} {g:?}");
        let sum = core::array::from_fn(|i| one[i] + two[i]);
        assert_eq!(
            carried(&fg.zip(&turned, |x, y| i64x2_add(x, y))),
            bytes(sum),
            "{f:?} {g:?} {other:?} {another:?}"
        );
        let difference = core::array::from_fn(|i| one[i] - two[i]);
        assert_eq!(
            carried(&fg.zip(&turned, |x, y| i64x2_sub(x, y))),
            bytes(difference)
        );
    }
}

#[wasm_bindgen_test]
fn decoded_limbs() {
    for n in 0..1000 {
        let [mut f, other] = [limbs((1 << BITS) - 1, n), limbs(1, n)];
        f = f.map(i64::abs);
        let k = Constants::get();
        let limbs = Pair::of(k, [&other, &f]).second();
        assert!(
            limbs.iter().all(|limb| i128::from(*limb).abs() <= CARRIED),
            "{limbs:?}"
        );
        assert_eq!(to_bytes(limbs, BITS as usize), bytes(f.map(i128::from)));
    }
}
