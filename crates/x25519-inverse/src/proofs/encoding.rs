//! Encoding, in the three radixes that use it: that of the division steps, x25519-simd128's and
//! x25519-relaxed's.

use core::array::from_fn;
use std::println;

use x25519_proofs::{
    Expression, Kind, Radix, Signed, assert_limbs, begin, for_all_carries, input, largest,
    random_bytes, signed,
};

use crate::{
    division::{LIMBS, STEPS},
    encoding::{BEYOND, bits, fold, from_bytes, reduce, to_bytes},
};

/// The distance of limb 0 below 0 or above its bits, after 19 times the bits beyond bit 255 were
/// added.
const ABOVE: i128 = 19 * ((1 << BEYOND) + 1);

fn radix<const N: usize>(width: usize) -> Radix {
    Radix {
        bits: u32::try_from(width).unwrap(),
        limbs: N,
    }
}

/// Returns the maximum of limb `i` within its bits.
fn most<const N: usize>(i: usize, width: usize) -> i128 {
    (1 << bits::<N>(i, width)) - 1
}

/// Makes inputs between these bounds for each limb.
fn limbs<const N: usize>(bounds: impl Fn(usize) -> [i128; 2]) -> [Signed; N] {
    from_fn(|limb| Signed(input(Kind::Signed, bounds(limb), 0, limb)))
}

/// Proves that limbs far from zero become the same number modulo p, with limbs within their bits,
/// limb 0 nearly.
fn far_limbs_are_folded<const N: usize>(width: usize) {
    begin(radix::<N>(width));
    let mut limbs = limbs::<N>(|i| {
        let end = 1 << (bits::<N>(i, width) + BEYOND);
        [-end, end]
    });
    fold(&mut limbs, width);
    for (i, Signed(limb)) in limbs.iter().enumerate() {
        let above = if i == 0 { ABOVE } else { 0 };
        let [least, largest] = signed::bounds(*limb);
        assert!(-above <= least && largest <= most::<N>(i, width) + above);
    }
    let all = [-ABOVE, (1 << width) + ABOVE];
    let limbs = limbs.map(|Signed(limb)| limb);
    assert_limbs(&limbs, Kind::Signed, all, &Expression::element(0));
}

/// Proves that such limbs become the same number modulo p, from 0 to p - 1.
fn folded_limbs_become_the_least<const N: usize>(width: usize) {
    let cases = for_all_carries(radix::<N>(width), || {
        let mut limbs = limbs::<N>(|i| match i {
            0 => [-ABOVE, most::<N>(0, width) + ABOVE],
            _ => [0, most::<N>(i, width)],
        });
        reduce(&mut limbs, width);
        let limbs = limbs.map(|Signed(limb)| limb);
        let within = [0, (1 << width) - 1];
        assert_limbs(&limbs, Kind::Signed, within, &Expression::element(0));
        let largest = largest(limbs, Kind::Signed);
        let mut places = largest.iter().enumerate();
        assert!(places.all(|(i, limb)| *limb <= most::<N>(i, width)));
        // p has limb 0 of 18 less than all ones, and others of all ones: at least one limb is
        // smaller.
        let is_below_p = largest
            .iter()
            .enumerate()
            .any(|(i, limb)| *limb < most::<N>(i, width) - if i == 0 { 18 } else { 0 });
        assert!(is_below_p, "p or more: {largest:?}");
    });
    println!("{cases} combinations of carries");
}

/// Decoding and packing move bits by shifts and masks and combine them with `|`, so they are
/// linear: their effect on each bit determines everything.
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

/// Tests linearity on random numbers.
fn many_bits_have_their_places<const N: usize>(width: usize) {
    let mut state = width as u64;
    for _ in 0..1000 {
        let mut bytes = random_bytes(&mut state);
        let limbs = from_bytes::<N>(&bytes, width);
        for bit in 0..255 {
            let limb = limbs[bit / width] >> (bit % width) & 1;
            assert_eq!(limb, i64::from(bytes[bit / 8] >> (bit % 8) & 1));
        }
        let mut limbs = limbs.iter().enumerate();
        assert!(limbs.all(|(i, limb)| limb >> bits::<N>(i, width) == 0));
        // Below 2^254 nothing is reduced.
        bytes[31] &= 0x3f;
        assert_eq!(to_bytes(from_bytes::<N>(&bytes, width), width), bytes);
    }
}

fn encodes<const N: usize>(width: usize) {
    far_limbs_are_folded::<N>(width);
    folded_limbs_become_the_least::<N>(width);
    each_bit_has_its_place::<N>(width);
    many_bits_have_their_places::<N>(width);
}

#[test]
fn limbs_of_division_steps() {
    encodes::<LIMBS>(STEPS);
}

#[test]
fn limbs_of_x25519_simd128() {
    encodes::<20>(13);
}

#[test]
fn limbs_of_x25519_relaxed() {
    encodes::<5>(51);
}
