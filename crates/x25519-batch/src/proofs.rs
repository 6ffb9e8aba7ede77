//! Proofs, for all inputs, that the arithmetic and the ladder compute what their documentation
//! states. The crate `x25519-proofs` explains the method and what is trusted.
//!
//! - [`kernels`]: each kernel of the field arithmetic maps carried limbs to carried limbs, and
//!   computes its documented function modulo p. A new radix is an entry there.
//! - [`batch`]: the same for a whole step of a batch, in each radix, and for its start.
//! - [`one_point`]: the same for one point in four lanes of doubles, and [`integers`] for integers.
//! - [`curve`]: that step is RFC 7748's, and is the group law.
//! - [`edwards`]: the addition and the doubling of the Edwards form, composed of kernels, are its
//!   group law.
//! - [`choice`]: each digit selects its multiple.
//! - [`division`]: one inverse for all lanes, composed of kernels, inverts each, and one for many
//!   fractions divides each. The inverse itself is proved in `x25519-inverse`.
//! - [`encoding`]: bytes become limbs, and limbs become the least representative in bytes.
//!
//! Inputs and outputs are carried, so any number of steps can follow one another.

mod batch;
mod choice;
mod curve;
mod division;
mod edwards;
mod encoding;
mod integers;
mod kernels;
mod model;
mod one_point;
mod symbols;
