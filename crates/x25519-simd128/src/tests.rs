//! Limbs as far from zero as the bounds allow, which points hardly ever reach, compared with
//! sums of products in words of 64 bits.

use getrandom::fill;
use wasm_bindgen_test::wasm_bindgen_test;
use x25519_inverse::{from_bytes, inverse, to_bytes};

use crate::field::{BITS, CARRIED, FOLD, Four, LIMBS, SUM, of, products};
use crate::row;

type Limbs = [i64; LIMBS];

/// Chooses each limb from the list at random.
fn chosen(choices: &[i64]) -> Limbs {
    let mut random = [0; LIMBS];
    fill(&mut random).unwrap();
    random.map(|byte| choices[usize::from(byte) % choices.len()])
}

/// Returns limbs that are all at a bound, then mixtures.
fn limbs(end: i64, n: usize) -> Limbs {
    let choices: &[&[i64]] = &[
        &[end],
        &[-end],
        &[end, -end],
        &[end, end - 1, 0, 1 - end, -end],
    ];
    chosen(choices[n % choices.len()])
}

fn bytes(limbs: &Limbs) -> [u8; 32] {
    to_bytes(*limbs, BITS as usize)
}

fn expected_product(f: &Limbs, g: &Limbs) -> [u8; 32] {
    let mut h = [0; LIMBS];
    for (i, f) in f.iter().enumerate() {
        for (j, g) in g.iter().enumerate() {
            h[(i + j) % LIMBS] += f * g * if i + j < LIMBS { 1 } else { i64::from(FOLD) };
        }
    }
    bytes(&h)
}

fn all_limbs(four: &Four) -> [Limbs; 4] {
    let all = [
        four.limbs::<0>(),
        four.limbs::<1>(),
        four.limbs::<2>(),
        four.limbs::<3>(),
    ];
    assert!(
        all.iter().flatten().all(|limb| limb.abs() <= CARRIED),
        "{all:?}"
    );
    all
}

#[wasm_bindgen_test]
fn products_of_sums() {
    for n in 0..1000 {
        let f: [Limbs; 4] = core::array::from_fn(|i| limbs(SUM, n + i));
        let g: [Limbs; 4] = core::array::from_fn(|i| limbs(SUM, n / 4 + i));
        let h = all_limbs(&products(&of(f.each_ref()), &of(g.each_ref())));
        for i in 0..4 {
            assert_eq!(
                bytes(&h[i]),
                expected_product(&f[i], &g[i]),
                "{:?} {:?}",
                f[i],
                g[i]
            );
        }
    }
}

#[wasm_bindgen_test]
fn products_by_decoded_limbs() {
    for n in 0..1000 {
        let (f, g) = (
            limbs(CARRIED, n),
            chosen(&[[8191, 8191], [8191, 0]][n / 4 % 2]),
        );
        let zero = [0; LIMBS];
        let h = all_limbs(&row::product::<2>(
            &of([&zero, &zero, &f, &zero]),
            &row::factor(&of([&g; 4])),
        ));
        assert_eq!(
            h.map(|h| bytes(&h)),
            [expected_product(&f, &g); 4],
            "{f:?} {g:?}"
        );
    }
}

#[wasm_bindgen_test]
fn sums_with_a24() {
    for n in 0..1000 {
        let (aa, e) = (limbs(CARRIED, n), limbs(SUM, n / 4));
        let zero = [0; LIMBS];
        let h = all_limbs(&row::plus_a24(
            &of([&aa, &zero, &zero, &zero]),
            &of([&e, &zero, &zero, &zero]),
        ));
        let expected: Limbs = core::array::from_fn(|i| aa[i] + 121_665 * e[i]);
        assert_eq!(h.map(|h| bytes(&h)), [bytes(&expected); 4], "{aa:?} {e:?}");
    }
}

/// Returns p plus a number from -19 to 18.
fn near_p(difference: i8) -> [u8; 32] {
    let mut number = [0xff; 32];
    (number[0], number[31]) = (0xed_u8.wrapping_add_signed(difference), 0x7f);
    number
}

#[wasm_bindgen_test]
fn bytes_are_reduced() {
    for difference in -19..19_i8 {
        let mut expected = near_p(difference);
        if difference >= 0 {
            expected = [0; 32];
            expected[0] = difference.unsigned_abs();
        }
        let limbs: Limbs = from_bytes(&near_p(difference), BITS as usize);
        assert_eq!(bytes(&limbs), expected);
        let limbs: [i64; 9] = from_bytes(&near_p(difference), 30);
        assert_eq!(to_bytes(limbs, 30), expected);
    }
    let mut minus_one = [0; LIMBS];
    minus_one[0] = -1;
    assert_eq!(bytes(&minus_one), near_p(-1));
}

#[wasm_bindgen_test]
fn inverses() {
    assert_eq!(*inverse(&[0; 32]), [0; 32]);
    assert_eq!(*inverse(&near_p(-1)), near_p(-1));
    let mut one = [0; 32];
    one[0] = 1;
    let small = (1..=255).map(|n| one.map(|byte| byte * n));
    let near = (-19..0).map(near_p);
    let powers =
        (0..255).map(|n| core::array::from_fn(|i| if i == n / 8 { 1 << (n % 8) } else { 0 }));
    let random = (0..2000).map(|_| {
        let mut number = [0; 32];
        fill(&mut number[..31]).unwrap();
        number
    });
    for z in small.chain(near).chain(powers).chain(random) {
        let [z_limbs, inverse] = [&z, &*inverse(&z)].map(|bytes| from_bytes(bytes, BITS as usize));
        assert_eq!(expected_product(&z_limbs, &inverse), one, "{z:02x?}");
    }
}
