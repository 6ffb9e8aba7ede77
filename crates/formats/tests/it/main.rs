//! The tests of this crate that call it from outside, as one program, since every program links the
//! crate again.

use backend_from_env as _;

mod cose;
mod cose_vectors;
mod jwe;
mod jwe_vectors;
mod ohttp;
