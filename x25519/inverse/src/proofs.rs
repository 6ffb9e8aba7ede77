//! Proofs, for all inputs within their bounds, that a division step, a batch of steps and encoding
//! compute what they say, and that nothing overflows; and that there are enough steps. The crate
//! `proofs` says how, and what is trusted.

mod division;
mod encoding;
mod enough_steps;

use proofs::Signed;

use crate::word::Word;

impl Word for Signed {}
