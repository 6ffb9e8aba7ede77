//! The tests of the command line, in one program, since each program links all of it.
//!
//! They run at the same time in one process, so none changes its environment or its folder, and
//! programs that need other limits are started with them. Only `idle_connections_make_room` raises
//! the limit of open files.

mod arguments;
#[cfg(unix)]
mod audit_log;
#[cfg(unix)]
mod calendar;
#[cfg_attr(not(unix), allow(dead_code, reason = "for tests with a shell"))]
mod common;
mod compatibility;
#[cfg(unix)]
mod decap_command;
mod differential;
mod doctor;
#[cfg(all(unix, feature = "edge"))]
mod edge;
#[cfg(unix)]
mod file;
#[cfg(unix)]
mod file_hostile;
#[cfg(unix)]
mod file_kit;
#[cfg(unix)]
mod file_objects;
#[cfg(unix)]
mod file_rekey;
#[cfg(unix)]
mod file_size;
#[cfg(unix)]
mod files;
mod fixtures;
#[cfg(unix)]
mod folders;
#[cfg(unix)]
mod follow;
mod help;
#[cfg_attr(
    not(unix),
    allow(dead_code, unused_imports, reason = "for tests with a shell")
)]
mod logs;
#[cfg(unix)]
mod otlp;
mod passphrase;
#[cfg(unix)]
mod pkcs8;
#[cfg(unix)]
mod plugin;
#[cfg(unix)]
mod raw_keys;
#[cfg(unix)]
mod readme;
mod records;
mod refused;
mod sealed;
#[cfg(all(unix, feature = "serve"))]
mod serve;
#[cfg(unix)]
mod ssh;
mod streams;
mod systems;
#[cfg(unix)]
mod terminal;
#[cfg(feature = "tls")]
mod tls;
#[cfg(unix)]
mod transcripts;
mod version4;
