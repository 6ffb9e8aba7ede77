//! The file of rules, with the limits and TLS of the proxy.

use std::{path::Path, sync::Arc, time::Duration};

use edge::{Rule, Rules};
use serde::Deserialize;

use crate::{
    error::Error,
    escape,
    server::settings::{self, Tls, size, time},
};

/// What the file says.
#[derive(Debug)]
pub(super) struct File {
    pub(super) rules: Arc<Rules>,
    pub(super) limits: Limits,
    pub(super) tls: Option<Tls>,
}

/// All of the file. docs/edge.md has every member with its default.
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
    /// How much of a body rules read, in bytes.
    #[serde(deserialize_with = "size")]
    pub(super) body: u64,
    pub(super) connections: u32,
    /// For the head of a request.
    #[serde(deserialize_with = "time")]
    pub(super) header_time: Duration,
    /// For as much of a body as rules read.
    #[serde(deserialize_with = "time")]
    pub(super) body_time: Duration,
    /// For a body without a byte, in either direction.
    #[serde(deserialize_with = "time")]
    pub(super) idle_time: Duration,
    /// For the upstream to take a piece of a body, and to begin its answer.
    #[serde(deserialize_with = "time")]
    pub(super) answer_time: Duration,
    /// For events to be on the disk, if requests wait for that.
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

/// The largest `body`. What is read for rules is in memory for each request, in a buffer that grows by
/// doubling, and a copy of it for each thread that asks rules.
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
                "[limits]: connections is at least 1, and body 1 byte to 64MiB".to_owned(),
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
