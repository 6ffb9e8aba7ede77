//! Proofs, for all inputs, on the code that ships.
//!
//! - [`scalars`]: operations on single words, for every word: products by constants, Barrett's and
//!   Montgomery's reduction, compression, decompression, the comparison, noise, reading of twelve
//!   bits, sampling of sixteen numbers.
//! - [`bounds`]: no word overflows in a transform, a product, a sum or an inverse, for any input.
//!   The code runs on bounds instead of words.
//! - [`linear`]: both transforms and all products agree with FIPS 203 on a basis. By the two
//!   modules above they are linear modulo q, so they agree on all inputs.
//! - [`keccak`]: words of several states do to each bit what a word of one state does.
//!
//! Not proved: the places of other bytes, which are tested on random inputs, how sampling reads
//! blocks and ends, and the order of calls. The compiler and its intrinsics are trusted: vectors
//! are compared with portable ones (`tests/vectors`).

mod bounds;
mod keccak;
mod linear;
mod scalars;
