//! The tests of this crate that call it from outside, as one program: each program links all of it
//! again.

use backend_from_env as _;

mod accounting;
mod again;
mod audit_log;
mod batch;
mod calendar;
mod common;
mod exploded;
mod files;
mod follow;
mod formula;
#[cfg(feature = "zstd")]
mod input;
#[cfg(all(feature = "parquet", target_endian = "little"))]
mod parquet;
mod refused;
mod secrets;
mod strings;
mod table;
