//! Proofs, for all inputs, that the arithmetic and the ladder compute what they say. The crate
//! `proofs` says how, and what is trusted.
//!
//! - [`kernels`]: each kernel of the field arithmetic takes carried limbs, gives carried limbs, and
//!   computes what it says modulo p. A new radix is an entry there.
//! - [`batch`]: the same of a whole step of a batch, in each radix, and of where it starts.
//! - [`one_point`]: the same of one point in four lanes of doubles, and [`integers`] of integers.
//! - [`curve`]: that step is RFC 7748's, and is the group law.
//! - [`edwards`]: made of kernels, the addition and the doubling of the Edwards form are its group law.
//! - [`choice`]: of each digit its multiple.
//! - [`division`]: made of kernels, one inverse for all lanes inverts each, and one for many fractions
//!   divides each. The inverse itself has its proofs in `x25519-inverse`.
//! - [`encoding`]: bytes to limbs, and limbs to the least bytes.
//!
//! Carried in and carried out: so steps follow one another in any number.

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
