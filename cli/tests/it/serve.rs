//! `pqseal logs serve`: real processes and real sockets on loopback. Every record has a number, and
//! each is counted.

pub(crate) mod certificates;
mod deliveries;
mod hostile;
mod keys;
mod kinds;
pub(crate) mod limits;
mod next;
mod reloads;
pub(crate) mod server;
