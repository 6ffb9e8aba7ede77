//! Proofs, for all inputs within their bounds, that a division step, a batch of steps and encoding
//! compute what their documentation states, that nothing overflows, and that there are enough
//! steps. The crate `x25519-proofs` explains the method and what is trusted.

mod division;
mod encoding;
mod enough_steps;

use x25519_proofs::Signed;

use crate::word::Word;

impl Word for Signed {}
