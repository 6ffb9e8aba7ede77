//! The inverse `1 / z` modulo p = 2^255 - 19, in constant time, and numbers as limbs: the last step
//! of X25519 (RFC 7748) in `x25519-batch` and `x25519-simd128`.
//!
//! The inverse uses division steps (Bernstein and Yang, "Fast constant-time gcd computation and
//! modular inversion", 2019), which take far fewer instructions than the 254 squarings of `z^(p -
//! 2)`.
//!
//! No branch and no address depends on a number. The numbers that [`inverse`] computes with are
//! wiped, except for values that the compiler spills to the stack.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod division;
mod encoding;
#[cfg(test)]
mod proofs;
mod word;

pub use self::{
    division::inverse,
    encoding::{from_bytes, to_bytes},
};

/// The README, whose example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
