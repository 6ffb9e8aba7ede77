//! The tests of this crate that call it from outside, as one program: each program links all of it again.

mod batches;
mod choice;
mod common;
mod multiples;
mod vectors;
