//! The file of rules, with the limits and TLS of the proxy.

use std::{path::Path, sync::Arc, time::Duration};

use pqseal_edge::{Rule, Rules};
use pqseal_server::{
    Error,
    settings::{self, Tls, size, time},
};
use pqseal_text::escape;
use serde::Deserialize;

/// The file of rules, with limits and TLS, checked. docs/edge.md describes it.
#[derive(Debug)]
pub struct RuleFile {
    pub(crate) rules: Arc<Rules>,
    pub(crate) limits: Limits,
    pub(crate) tls: Option<Tls>,
}

/// The contents of the file. docs/edge.md lists every member with its default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileContents {
    #[serde(default)]
    limits: Limits,
    tls: Option<Tls>,
    #[serde(default, rename = "rule")]
    rules: Vec<Rule>,
}

/// Limits of requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Limits {
    /// The largest part of a body that rules read, in bytes.
    #[serde(deserialize_with = "size")]
    pub(crate) body: u64,
    pub(crate) connections: u32,
    /// The time limit for the head of a request.
    #[serde(deserialize_with = "time")]
    pub(crate) header_time: Duration,
    /// The time limit for as much of a body as rules read.
    #[serde(deserialize_with = "time")]
    pub(crate) body_time: Duration,
    /// The time limit for a body without a byte, in either direction.
    #[serde(deserialize_with = "time")]
    pub(crate) idle_time: Duration,
    /// The time limit for the upstream to take a piece of a body, and to begin its answer.
    #[serde(deserialize_with = "time")]
    pub(crate) answer_time: Duration,
    /// The time limit for events to be on the disk, if requests wait for that.
    #[serde(deserialize_with = "time")]
    pub(crate) log_time: Duration,
    #[serde(deserialize_with = "time")]
    pub(crate) stop_time: Duration,
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

impl RuleFile {
    /// Reads and checks the file.
    ///
    /// # Errors
    /// If it cannot be read, or is wrong.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let FileContents { limits, tls, rules } = settings::read(path)?;
        if limits.connections == 0 || limits.body == 0 || limits.body > MAX_BODY {
            return Err(wrong(
                path,
                "[limits]: connections must be at least 1, and body from 1 byte to 64MiB",
            ));
        }
        let rules = Rules::new(rules)
            .map_err(|error| wrong(path, &escape::bytes(error.to_string().as_bytes())))?;
        Ok(Self {
            rules: rules.into(),
            limits,
            tls,
        })
    }
}

/// Makes the error for a file that is wrong.
fn wrong(path: &Path, message: &str) -> Error {
    Error::Settings(format!("{}: {message}", escape::path(path)))
}
