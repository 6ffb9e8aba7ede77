//! The subcommands of `pqseal`, except `file` and `doctor`, which are modules of the
//! crate.

#[cfg(feature = "file")]
pub mod calendar;
#[cfg(feature = "cose")]
pub mod cose;
pub mod inspect;
pub mod jwe;
pub mod key;
pub mod keygen;
pub mod logs;
pub mod man;
pub mod open;
pub mod pubkey;
pub mod seal;
pub mod suites;
#[cfg(feature = "tls")]
pub mod tls;
