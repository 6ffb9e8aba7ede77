//! The tests of this crate that call it from outside, as one program: each program links all of it
//! again.

use backend_from_env as _;

mod common;
mod expected;
mod published;
mod together;
