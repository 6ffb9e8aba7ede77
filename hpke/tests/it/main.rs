//! The tests of this crate that call it from outside, as one program, since every program links the
//! crate again.

use backend_from_env as _;

#[cfg(feature = "aws-lc")]
mod accelerated;
mod common;
mod compressions;
mod interface;
mod limits;
mod precomputed;
mod properties;
mod vectors;
mod wycheproof;
