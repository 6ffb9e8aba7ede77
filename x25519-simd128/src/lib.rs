//! X25519 (RFC 7748) of one private key and one point in WebAssembly, with its vectors of 128 bits. Empty on every other target.
//!
//! Half of a step of the ladder does not depend on the other half, so that nine multiplications of field elements are five of pairs. The
//! product of 32 bits by 32 that WebAssembly has in vectors is two at once. In constant time as far as WebAssembly promises that of its
//! integer operations: no branch and no address depends on the scalar.
//!
//! What is left on the stack is the caller's to overwrite, as it is with x25519-dalek.

#![no_std]
#![forbid(unsafe_code)]
#![cfg(target_arch = "wasm32")]

mod encoding;
mod field;

use field::{Pair, carried, of, product, squared};

/// `X25519(k, u)`: clamps the scalar, ignores the highest bit of the point, and takes any point, as RFC 7748, section 5, says. All zeros
/// for a point of low order.
#[target_feature(enable = "simd128")]
pub fn x25519(k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    let mut scalar = *k;
    scalar[0] &= 248;
    scalar[31] = scalar[31] & 127 | 64;
    let (x2, z2) = ladder(&scalar, encoding::decode(u));
    encoding::encode(&product(&x2, &inverse(&z2)))
}

/// x2 and z2 of RFC 7748, both in the first lane.
///
/// A swap of the two points leaves `da + cb` as it is and changes the sign of `da - cb`, which is squared. What has to be chosen is which
/// of the two points is doubled. The scalar's last three bits are zero, so the points end unswapped.
#[target_feature(enable = "simd128")]
fn ladder(scalar: &[u8; 32], point: [u32; 10]) -> (Pair, Pair) {
    let x1 = of([[0; 10], point]);
    let mut x = of([field::ONE, point]);
    let mut z = of([[0; 10], field::ONE]);
    let mut swapped = 0;
    for position in (0..255).rev() {
        let bit = u32::from(scalar[position / 8] >> (position % 8) & 1);
        let swap = (bit ^ swapped).wrapping_neg();
        swapped = bit;
        step(&mut x, &mut z, &x1, swap);
    }
    (x, z)
}

/// `x` and `z` hold those of both points. The names are those of RFC 7748.
#[target_feature(enable = "simd128")]
fn step(x: &mut Pair, z: &mut Pair, x1: &Pair, swap: u32) {
    let ac = x.plus(z);
    let bd = x.minus(z);
    let da_cb = product(&ac, &bd.turned());
    let aa_bb = squared(&Pair::select(swap, &ac.seconds(&bd), &ac.firsts(&bd)));
    let turned = da_cb.turned();
    // (da + cb)^2 and (da - cb)^2.
    let x3_square = squared(&da_cb.plus(&turned).firsts(&da_cb.minus(&turned)));
    let bb_aa = aa_bb.turned();
    // x2 = aa bb, and z3 = x1 (da - cb)^2.
    let x2_z3 = product(&aa_bb.blend(&x3_square), &bb_aa.blend(x1));
    let e = aa_bb.minus(&bb_aa);
    let z2 = product(&e, &carried(aa_bb.plus_a24(&e)));
    *x = x2_z3.firsts(&x3_square);
    *z = z2.blend(&x2_z3);
}

/// `z^(p - 2)`, where p - 2 = 2^255 - 21. `ones_n` is z to the power of n binary ones, 2^n - 1.
#[target_feature(enable = "simd128")]
fn inverse(z: &Pair) -> Pair {
    let z2 = squared(z);
    let z9 = product(&squares(&z2, 2), z);
    let z11 = product(&z9, &z2);
    let ones_5 = product(&squared(&z11), &z9);
    let ones_10 = product(&squares(&ones_5, 5), &ones_5);
    let ones_20 = product(&squares(&ones_10, 10), &ones_10);
    let ones_40 = product(&squares(&ones_20, 20), &ones_20);
    let ones_50 = product(&squares(&ones_40, 10), &ones_10);
    let ones_100 = product(&squares(&ones_50, 50), &ones_50);
    let ones_200 = product(&squares(&ones_100, 100), &ones_100);
    let ones_250 = product(&squares(&ones_200, 50), &ones_50);
    product(&squares(&ones_250, 5), &z11)
}

/// `f^(2^times)`.
#[target_feature(enable = "simd128")]
fn squares(f: &Pair, times: usize) -> Pair {
    (0..times).fold(*f, |f, _| squared(&f))
}
