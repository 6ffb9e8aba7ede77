//! The tests of this crate that call it from outside, as one program, since every program links the
//! crate again.

mod ai_gateway;
mod receipts;
mod strings;
