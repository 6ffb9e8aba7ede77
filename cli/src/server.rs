//! The common code of the servers `pqseal logs serve` and `pqseal-edge`: connections, TLS, a thread
//! that writes for many requests, their log, and the parsing of their files.

pub(crate) mod append;
mod block;
pub(crate) mod commit;
pub(crate) mod files;
pub(crate) mod gauge;
pub(crate) mod head_size;
pub(crate) mod health;
pub(crate) mod listen;
pub(crate) mod log;
pub(crate) mod rotated;
pub(crate) mod settings;
pub(crate) mod spool;
pub(crate) mod tls;
mod write_timeout;
