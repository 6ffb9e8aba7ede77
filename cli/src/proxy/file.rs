//! The file of rules, with the limits and TLS of the proxy.

use std::{path::Path, sync::Arc, time::Duration};

use pqseal_edge::{Rule, Rules};
use serde::Deserialize;

use crate::{
    error::Error,
    escape,
    server::settings::{self, Tls, size, time},
};

/// The contents of the file, checked.
#[derive(Debug)]
pub(super) struct File {
    pub(super) rules: Arc<Rules>,
    pub(super) limits: Limits,
    pub(super) tls: Option<Tls>,
}

/// The contents of the file. docs/edge.md lists every member with its default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    #[serde(default)]
    limits: Limits,
    tls: Option<Tls>,
    #[serde(default, rename = "rule")]
    rules: Vec<Rule>,
}

/// Limits of requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Limits {
    /// The largest part of a body that rules read, in bytes.
    #[serde(deserialize_with = "size")]
    pub(super) body: u64,
    pub(super) connections: u32,
    /// The time limit for the head of a request.
    #[serde(deserialize_with = "time")]
    pub(super) header_time: Duration,
    /// The time limit for as much of a body as rules read.
    #[serde(deserialize_with = "time")]
    pub(super) body_time: Duration,
    /// The time limit for a body without a byte, in either direction.
    #[serde(deserialize_with = "time")]
    pub(super) idle_time: Duration,
    /// The time limit for the upstream to take a piece of a body, and to begin its answer.
    #[serde(deserialize_with = "time")]
    pub(super) answer_time: Duration,
    /// The time limit for events to be on the disk, if requests wait for that.
    #[serde(deserialize_with = "time")]
    pub(super) log_time: Duration,
    #[serde(deserialize_with = "time")]
    pub(super) stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 128 << 10,
            connections: 1024,
            header_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            idle_time: Duration::from_secs(60),
            answer_time: Duration::from_secs(300),
            log_time: Duration::from_secs(10),
            stop_time: Duration::from_secs(30),
        }
    }
}

/// The largest `body`. Each request buffers the bytes that rules read, in a buffer that grows by
/// doubling. Each thread that evaluates rules has a copy.
const MAX_BODY: u64 = 64 << 20;

impl File {
    /// Reads and checks the file.
    ///
    /// # Errors
    /// If it cannot be read, or is wrong.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let Written { limits, tls, rules } = settings::read(path)?;
        let wrong = |message: String| Error::usage(format!("{}: {message}", escape::path(path)));
        if limits.connections == 0 || limits.body == 0 || limits.body > MAX_BODY {
            return Err(wrong(
                "[limits]: connections must be at least 1, and body from 1 byte to 64MiB"
                    .to_owned(),
            ));
        }
        let rules = Rules::new(rules)
            .map_err(|error| wrong(escape::bytes(error.to_string().as_bytes())))?;
        Ok(Self {
            rules: rules.into(),
            limits,
            tls,
        })
    }
}
