//! `pqseal-edge`: a reverse proxy. The matches of its rules in a request are sealed before they are
//! written.
//!
//! A request passes these modules: [`pqseal_server::listen`] accepts its connection, `head` refuses
//! ambiguous heads, `body` buffers as much of its body as rules may read, `proxy` evaluates the
//! rules and has the events written, in `events`, and `upstream` forwards it, while the progress of
//! its body is watched.
//!
//! [`RuleFile::read`] reads the rules, an [`EventSealer`] is made for the key, [`Edge::new`] checks
//! them with the rest of the [`Config`], and [`Edge::run`] serves until a signal ends it.
//!
//! Error texts advise in the terms of the program's options, which fill a [`Config`].

#![forbid(unsafe_code)]

mod body;
mod counters;
mod events;
mod file;
mod head;
mod proxy;
mod refusal;
mod run;
mod sealer;
mod upstream;

pub use file::RuleFile;
pub use pqseal_server::{Error, run::Ended};
pub use run::{Config, Edge, ReadAgain};
pub use sealer::EventSealer;
