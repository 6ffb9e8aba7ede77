//! The state that all requests share.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64},
    },
};

use tokio::sync::Semaphore;

use super::{
    config::Limits, material::Current, metrics::Metrics, places::Written, reload::Reloads,
};
use crate::server::commit::Committer;

/// The receiver, as requests see it.
pub(super) struct Receiver {
    pub(super) current: Current,
    pub(super) committer: Committer<Written>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) limits: Limits,
    /// One permit for each request in work.
    pub(super) in_work: Arc<Semaphore>,
    pub(super) has_monitor: bool,
    pub(super) wants_letters: bool,
    /// `true` if clients need certificates.
    pub(super) is_mutual: bool,
    /// The folder of events that do not fit in memory.
    pub(super) spools: PathBuf,
    pub(super) reloads: Reloads,
    pub(super) stopping: AtomicBool,
    pub(super) requests: AtomicU64,
}
