//! The tests of this crate that call it from outside, as one program, since every program links the
//! crate again.

use backend_from_env as _;

mod api;
mod bad_blobs;
mod calendar;
mod common;
mod diagnosis;
mod external_key;
mod key_ring;
mod matched_data;
mod parsers;
mod v4;
mod v4_bad;
