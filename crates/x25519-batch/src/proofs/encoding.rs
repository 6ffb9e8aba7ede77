//! Conversion between bytes and limbs.

use x25519_proofs::{Expression, Kind, Unsigned, assert_limbs, for_all_carries, input, largest};

use super::{ENCODABLE, RADIX};
use crate::{
    encoding::{Word, decode, encode, reduce},
    field::Table,
    tests::samples::Samples,
};

impl Word for Unsigned {}

/// Proves that they become the same number modulo p, from 0 to p - 1.
#[test]
fn encoded_numbers_are_the_least() {
    let top = (1 << RADIX.bits) - 1;
    let cases = for_all_carries(RADIX, || {
        let mut limbs: [_; 5] =
            core::array::from_fn(|limb| Unsigned(input(Kind::Unsigned, ENCODABLE, 0, limb)));
        reduce(&mut limbs);
        let limbs = limbs.map(|Unsigned(limb)| limb);
        assert_limbs(&limbs, Kind::Unsigned, [0, top], &Expression::element(0));
        // p has limb 0 of top - 18, and the others of top: at least one limb is smaller.
        let [first, others @ ..] = largest(limbs, Kind::Unsigned);
        assert!(first < top - 18 || others.iter().any(|limb| *limb < top));
    });
    println!("{cases} combinations of carries");
}

/// Decoding and packing move bits by shifts and combine them with `|`, so they are linear: their
/// effect on each bit determines everything.
#[test]
fn each_bit_has_its_place() {
    for bit in 0..256 {
        let mut bytes = [[0_u8; 32]];
        bytes[0][bit / 8] = 1 << (bit % 8);
        let mut limbs = Table::<1>::ZERO;
        if bit < 255 {
            limbs.0[bit / 51][0] = 1 << (bit % 51);
        }
        assert_eq!(decode::<1>(&bytes).0, limbs.0);
        let mut out = [[0xff; 32]];
        encode(&limbs, &mut out);
        bytes[0][31] &= 0x7f;
        assert_eq!(out, bytes);
    }
}

/// Tests linearity on random numbers: many bits at once move like each bit alone. Lanes do not
/// mix.
#[test]
fn many_bits_have_their_places() {
    let mut samples = Samples::new(255);
    for _ in 0..if cfg!(miri) { 2 } else { 1000 } {
        let bytes = [samples.bytes(), samples.bytes()];
        let table = decode::<2>(&bytes);
        for (lane, bytes) in bytes.iter().enumerate() {
            for bit in 0..255 {
                let limb = table.0[bit / 51][lane] >> (bit % 51) & 1;
                assert_eq!(limb, u64::from(bytes[bit / 8] >> (bit % 8) & 1));
            }
        }
        assert!(table.0.as_flattened().iter().all(|limb| limb >> 51 == 0));
        // Below 2^254 nothing is reduced.
        let below = bytes.map(|mut bytes| {
            bytes[31] &= 0x3f;
            bytes
        });
        let mut out = [[0xff; 32]; 2];
        encode(&decode::<2>(&below), &mut out);
        assert_eq!(out, below);
    }
}
