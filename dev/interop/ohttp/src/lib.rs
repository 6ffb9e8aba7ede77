//! See `tests/ohttp.rs`.
