//! What pqseal's HTTP servers share.
//!
//! A server reads its [`settings`] and [`tls`] files. A [`run::Started`] binds its addresses, and
//! serves them by [`listen`] until a signal asks it to end. A [`commit::Committer`] writes for many
//! requests on one thread, to a file that is [`append`]ed to and may be [`rotated`]: a request is
//! answered once all of its lines are on the disk. [`log`] writes one line of JSON for each event.
//!
//! Error texts advise in the terms of `pqseal logs serve` and `pqseal-edge`.

#![forbid(unsafe_code)]

pub mod append;
pub mod commit;
pub mod current;
mod error;
#[cfg(any(test, feature = "failing-disk"))]
pub mod failing;
pub mod gauge;
pub mod head_size;
pub mod health;
pub mod listen;
pub mod log;
pub mod rotated;
pub mod run;
pub mod settings;
pub mod spool;
pub mod tls;

pub use error::Error;
