//! See `tests/it/ohttp.rs`.
