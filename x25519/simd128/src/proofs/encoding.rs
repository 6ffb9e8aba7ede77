//! Encoding and the inverse, in the three radixes that use them: this crate's, x25519-relaxed's and
//! the inverse's. They are tested here, and not proved.

use core::array::from_fn;

use proofs::Number;

use super::numbers::random;
use crate::{
    encoding::{from_bytes, to_bytes},
    field::{BITS, LIMBS},
    inverse::{STEPS, inverse},
};

fn integer(number: u64) -> Number {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    Number::from_bytes(&bytes)
}

/// The number of limbs of either sign, modulo p.
fn number<const N: usize>(limbs: &[i64; N], width: usize) -> Number {
    let zero = integer(0);
    limbs.iter().rev().fold(zero, |sum, limb| {
        let shifted = sum.times(integer(1 << width));
        let size = integer(limb.unsigned_abs());
        if *limb < 0 {
            shifted.minus(size)
        } else {
            shifted.plus(size)
        }
    })
}

fn is_below_p(bytes: &[u8; 32]) -> bool {
    let [first, middle @ .., last] = bytes;
    *last < 0x7f || *last == 0x7f && (*first < 0xed || middle.iter().any(|byte| *byte < 0xff))
}

fn assert_encoded<const N: usize>(limbs: [i64; N], width: usize) {
    let bytes = to_bytes(limbs, width);
    assert!(is_below_p(&bytes), "{limbs:?}: {bytes:x?}");
    assert_eq!(
        Number::from_bytes(&bytes),
        number(&limbs, width),
        "{limbs:?}"
    );
}

/// Decoding is made of shifts and masks, so what it does to each bit is what it does.
fn each_bit_has_its_place<const N: usize>(width: usize) {
    for bit in 0..256 {
        let mut bytes = [0; 32];
        bytes[bit / 8] = 1 << (bit % 8);
        let mut limbs = [0; N];
        if bit < 255 {
            limbs[bit / width] = 1 << (bit % width);
        }
        assert_eq!(from_bytes::<N>(&bytes, width), limbs);
        bytes[31] &= 0x7f;
        assert_eq!(to_bytes(limbs, width), bytes);
    }
}

/// Multiples of p from -30 p to 30 p and their neighbours, which the last carries decide, in the
/// limbs of p and moved from limb to limb.
fn next_to_multiples_of_p<const N: usize>(width: usize) {
    let mut p = from_bytes::<N>(&[0xff; 32], width);
    p[0] -= 18;
    for (multiple, beside) in (-30..=30).flat_map(|m| [-20, -19, -1, 0, 1, 18, 19].map(|b| (m, b)))
    {
        let mut limbs = p.map(|limb| multiple * limb);
        limbs[0] += beside;
        assert_encoded(limbs, width);
        for i in 0..N - 1 {
            let mut moved = limbs;
            (moved[i], moved[i + 1]) = (moved[i] + (1 << width), moved[i + 1] - 1);
            assert_encoded(moved, width);
        }
    }
}

/// Limbs that pass their bits by three, either way: all at an end, or drawn.
fn far_limbs<const N: usize>(width: usize) {
    let bits = |i| {
        if i + 1 < N {
            width
        } else {
            255 - (N - 1) * width
        }
    };
    let end = |i| 1_i64 << (bits(i) + 3);
    assert_encoded::<N>(from_fn(end), width);
    assert_encoded::<N>(from_fn(|i| -end(i)), width);
    assert_encoded::<N>(
        from_fn(|i| if i % 2 == 0 { end(i) } else { -end(i) }),
        width,
    );
    let mut state = width as u64;
    for _ in 0..2000 {
        let drawn = |i| {
            let word = u64::from_le_bytes(*random(&mut state).first_chunk().unwrap());
            word.cast_signed() >> (60 - bits(i))
        };
        assert_encoded::<N>(from_fn(drawn), width);
    }
}

fn encodes<const N: usize>(width: usize) {
    each_bit_has_its_place::<N>(width);
    next_to_multiples_of_p::<N>(width);
    far_limbs::<N>(width);
}

#[test]
fn limbs_of_this_crate() {
    encodes::<LIMBS>(BITS as usize);
}

#[test]
fn limbs_of_x25519_relaxed() {
    encodes::<5>(51);
}

#[test]
fn limbs_of_the_inverse() {
    encodes::<9>(STEPS);
}

/// Of zero, of powers of two and their negatives, of small numbers and of random ones.
#[test]
fn inverses() {
    assert_eq!(inverse(&[0; 32]), [0; 32]);
    let mut numbers: Vec<[u8; 32]> = (1..=255)
        .map(|n| from_fn(|i| if i == 0 { n } else { 0 }))
        .collect();
    for bit in 0..255 {
        let mut limbs = [0; 9];
        limbs[bit / STEPS] = 1 << (bit % STEPS);
        numbers.push(to_bytes(limbs, STEPS));
        numbers.push(to_bytes(limbs.map(|limb| -limb), STEPS));
    }
    let mut state = 255;
    numbers.extend((0..2000).map(|_| to_bytes(from_bytes::<9>(&random(&mut state), STEPS), STEPS)));
    for z in numbers {
        let inverse = inverse(&z);
        assert!(is_below_p(&inverse));
        let product = Number::from_bytes(&z).times(Number::from_bytes(&inverse));
        assert_eq!(product, integer(1), "{z:x?}");
    }
}
