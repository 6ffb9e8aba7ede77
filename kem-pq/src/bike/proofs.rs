//! Proofs, for all inputs, that the kernels multiply, square and count. They hold at the level of
//! the source. The effect of instructions is trusted, and nothing is said of machine code.
//!
//! - [`formal`]: a kernel runs once on words that are formal sums. It can add them and multiply a
//!   word of one factor by a word of the other, nothing else, so its result is bilinear. At the end
//!   each word of the result must be the sum that schoolbook multiplication gives. Each back end's
//!   kernels are proved next to it (`backend::portable::proofs`, `backend::x86_64::proofs`).
//!   The portable back end takes words apart, so its squares run on single bits in the same way.
//! - [`machine`]: the compiled kernels. Linear ones are determined by the unit vectors; bilinear
//!   ones are tried on enough random pairs, with the bound written down.
//! - [`counting`]: the decoder's counters, all cases of a lane.

pub(crate) mod counting;
pub(crate) mod formal;
mod machine;
