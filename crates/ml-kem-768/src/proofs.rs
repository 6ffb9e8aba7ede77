//! Proofs, for all inputs, on the code that ships.
//!
//! - [`scalars`]: what is done to each word, for every word: products by constants, Barrett's and
//!   Montgomery's reduction, compression, decompression, the comparison, noise.
//! - [`bounds`]: no word overflows in a transform, a product, a sum or an inverse, whatever the input:
//!   the code runs on bounds in place of words.
//! - [`linear`]: both transforms and all products are FIPS 203's on a basis. Given the two above,
//!   they are linear modulo q, so this is all inputs.
//! - [`keccak`]: words of several states do to each bit what a word of one does.
//!
//! Not proved: where bytes go, which is tried on random inputs, and how calls follow one another. The
//! compiler and its intrinsics are trusted: vectors are compared with portable ones (`tests/vectors`).

mod bounds;
mod keccak;
mod linear;
mod scalars;
