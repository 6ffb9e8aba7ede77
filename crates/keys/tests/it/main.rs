//! The tests of this crate that call it from outside, as one program, since every program links the
//! crate again.

use backend_from_env as _;

mod base64;
mod calendar;
mod calendar_known;
mod calendar_public;
mod common;
mod fingerprint;
mod keys;
mod keys_either;
mod keys_known;
mod keys_ml_kem;
mod keys_montgomery;
mod keys_openssl;
mod keys_several;
mod keys_text;
mod keys_written;
mod keys_wycheproof;
mod names;
mod registry;
mod transport;
