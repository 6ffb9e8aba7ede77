//! Proofs, for all inputs, that the kernels multiply, square and count. They hold at the level of the
//! source; what an instruction does is trusted, and nothing is said of machine code.
//!
//! - [`formal`]: a kernel runs once on words that are formal sums. It can add them, multiply a word of
//!   one factor by a word of the other, and nothing else: so what it computes is bilinear. At the end
//!   each word of the result has to be the sum that schoolbook multiplication gives. Each back end's
//!   kernels are proved beside it (`backend::portable::proofs`, `backend::x86_64::proofs`).
//! - [`bits`]: the same of single bits, for the words that the portable back end takes apart.
//! - [`machine`]: the compiled kernels. Those that are linear are determined by the unit vectors; of
//!   those that are bilinear enough random pairs are tried, with the bound written down.
//! - [`counting`]: the decoder's counters, all cases of a lane.

pub(crate) mod bits;
pub(crate) mod counting;
pub(crate) mod formal;
mod machine;
