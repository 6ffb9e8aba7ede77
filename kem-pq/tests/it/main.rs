//! Tests of this crate from outside, in one program, since each program links all of it again.

use backend_from_env as _;

mod bike;
mod bike_hpke;
mod properties;
mod replay;
mod vectors;
