//! The tests of this crate that call it from outside, as one program: each program links all of it again.

use backend_from_env as _;

mod bike;
mod bike_hpke;
mod properties;
mod replay;
mod vectors;
