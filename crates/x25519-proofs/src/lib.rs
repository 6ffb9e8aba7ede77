//! Proves the results of vectorized code modulo p = 2^255 - 19, for all inputs within their bounds,
//! by running it once on symbols. It is for the tests of our own crates, and needs no tool and no
//! other crate.
//!
//! A symbol is a word of 64 bits that passes through memory as other words do. It stands for the
//! facts that are known of the word: an exact polynomial in the inputs and in the remainders of
//! roundings and carries, bounds, and a power of two that divides it. Each operation ([`doubles`],
//! [`words`], [`signed`]) shows that it is exact, or that it rounds once, or that nothing wraps
//! where wrapping is not allowed; otherwise it panics. At the end [`assert_limbs`] shows that the
//! limbs are within bounds and that their number is the polynomial that the theorem expects, modulo
//! p: all remainders must cancel.
//!
//! A theorem of a crate is a unit test: it implements the crate's private traits over words by
//! these operations, begins a run ([`begin`]), makes [`input`]s, calls the code and asserts. Code
//! for WebAssembly takes its intrinsics from [`wasm32`].
//!
//! With each run an example runs on the processor, with inputs at random or at an end of their
//! bounds, and is compared with every value. That tests the rules, and proves nothing.
//!
//! **What is trusted:** this crate, the statements of the theorems, that an intrinsic does what the
//! trait says of it, and the compiler. Machine code is not covered.

#![forbid(unsafe_code)]

mod carries;
mod cases;
pub mod doubles;
mod dyadic;
mod expression;
mod limbs;
mod number;
mod operators;
mod polynomial;
mod powers;
mod program;
mod random;
mod range;
pub mod signed;
mod theorem;
mod value;
pub mod wasm32;
pub mod words;

pub use cases::for_all_carries;
pub use expression::{Expression, LadderStep};
pub use number::Number;
pub use operators::{Signed, Unsigned};
pub use powers::Powers;
pub use program::{Count, Kind, Radix, begin, count, is_symbol};
pub use random::random_bytes;
pub use theorem::{assert_limbs, assert_same_integer, input, largest};
