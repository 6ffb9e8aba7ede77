//! `pqseal logs serve`: real processes and real sockets on loopback. Every record has a number, and
//! each is counted.

#![cfg(unix)]

mod certificates;
#[path = "../common/mod.rs"]
mod common;
mod deliveries;
mod hostile;
mod keys;
mod kinds;
mod limits;
mod next;
mod reloads;
mod server;
