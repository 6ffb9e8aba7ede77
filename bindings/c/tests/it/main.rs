//! The tests of this crate that call it from outside, as one program: each program links all of it
//! again.

mod header;
mod languages;
