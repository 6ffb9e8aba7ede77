//! Topics of Apache Kafka as inputs and outputs of a pipeline, through librdkafka.
//!
//! [`Consumer::join`] joins a consumer group, and [`Consumer::run`] polls messages, transforms
//! their values, delivers the results to an [`Output`], and commits. [`Lines`] sends lines as
//! messages.
//!
//! An offset is committed after the results of its message are acknowledged or on the disk.
//! Partitions are only revoked while the next messages are waited for, and by then everything that
//! was processed is committed. Messages that a member has received and not processed are dropped
//! with their partition, and its next owner receives them again. So a rebalance loses nothing, and
//! repeats nothing.
//!
//! Error texts advise in the terms of `pqseal logs`, whose options fill a [`Config`].

#![forbid(unsafe_code)]

mod config;
mod consumer;
mod context;
mod error;
mod partitions;
mod patience;
mod producer;
#[cfg(test)]
mod tests;

pub use config::{Config, Properties, Topic};
pub use consumer::{Consumer, Events, Output};
pub use error::{Error, Failure};
pub use partitions::Start;
pub use patience::Patience;
pub use producer::{Lines, Producer};
