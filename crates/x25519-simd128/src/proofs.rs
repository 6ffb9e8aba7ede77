//! Proofs, for all inputs within their bounds, that products, rows and the ladder's step compute
//! what their documentation states, and that nothing overflows. The crate `x25519-proofs` explains
//! the method and what is trusted; the inverse and encoding are proved in `x25519-inverse`.
//!
//! This runs the code for WebAssembly on another machine, with `x25519_proofs::wasm32` as its
//! vectors.

mod ladder;
mod numbers;
mod products;

use core::array::from_fn;

use x25519_proofs::{Expression, Kind, Radix, assert_limbs, input, wasm32::v128};

use crate::field::{BITS, CARRIED, Four, LIMBS, PAIRS};

/// The encoding is proved for this radix in `x25519-inverse`.
const _: () = assert!(BITS == 13 && LIMBS == 20);

const RADIX: Radix = Radix {
    bits: BITS,
    limbs: LIMBS,
};

/// The bounds of a limb decoded from bytes.
const DECODED: [i128; 2] = [0, (1 << BITS) - 1];

/// Returns bounds with this largest absolute value.
fn around_zero(most: i64) -> [i128; 2] {
    [-most, most].map(i128::from)
}

/// Makes the limbs of an input.
fn element(which: usize, bounds: [i128; 2]) -> [u64; LIMBS] {
    from_fn(|limb| input(Kind::Signed, bounds, which, limb))
}

fn constant(number: u64) -> [u64; LIMBS] {
    from_fn(|limb| if limb == 0 { number } else { 0 })
}

/// Packs four elements: vector `n` has limbs `2 n` and `2 n + 1` of each.
fn four(elements: &[[u64; LIMBS]; 4]) -> Four {
    let halves = |n: usize| elements.map(|limbs| [limbs[2 * n], limbs[2 * n + 1]]);
    Four(from_fn(|n| {
        v128::of_lanes::<8>(halves(n).as_flattened().try_into().unwrap())
    }))
}

/// Checks that these are carried limbs of these.
fn assert_carried(four: &Four, expected: [&Expression; 4]) {
    let halves = four.0.map(v128::lanes::<8>);
    for (i, expected) in expected.into_iter().enumerate() {
        let limbs: [[u64; 2]; PAIRS] = halves.map(|halves| [halves[2 * i], halves[2 * i + 1]]);
        let bounds = around_zero(CARRIED);
        assert_limbs(limbs.as_flattened(), Kind::Signed, bounds, expected);
    }
}
