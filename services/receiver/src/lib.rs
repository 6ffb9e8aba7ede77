//! `pqseal logs serve`: receives logs by HTTP, opens them, and answers once they are stored or sent
//! on.
//!
//! A request passes these modules: [`pqseal_server::listen`] accepts its connection,
//! `receiver::answer` finds its path, `receiver` checks its secret, `body` brings its body to a
//! thread, `work` opens the records there, and [`pqseal_server::commit`] or `next` delivers them, to
//! `outputs` and its `folder`. Only then is it answered with 200. Tasks that wait for the network
//! never wait for anything else: opening records, writing files and resolving host names run on
//! threads.
//!
//! It does without axum: there are only eleven paths, and it needs control before the first byte of
//! a body is read, and a bound on the bytes after it. hyper gives both, with fewer crates.
//!
//! [`Config::read`] reads the configuration, the caller makes an [`Opening`] of its table `[open]`,
//! [`LogReceiver::new`] checks both, and [`LogReceiver::run`] serves until a signal ends it.
//!
//! Error texts advise in the terms of `pqseal logs serve` and its configuration.

#![forbid(unsafe_code)]

mod body;
mod clients;
mod collector;
mod config;
mod folder;
mod material;
mod metrics;
mod next;
mod outputs;
mod receiver;
mod refusal;
mod run;
mod upload;
mod work;

pub use config::Config;
pub use material::{Helpers, Opening, ReadAgain};
pub use pqseal_server::{Error, run::Ended};
pub use run::LogReceiver;
