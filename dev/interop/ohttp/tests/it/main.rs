//! The tests of this crate as one program.

mod binary_http;
mod ohttp;
