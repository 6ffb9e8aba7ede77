//! The counters, in Prometheus' text format. Records are counted as by `pqseal logs open`, once
//! their request was answered with 200.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use pqseal_matched_data::KeyName;
use pqseal_pipeline::Stats;

use super::refusal::Refusal;
use crate::server::gauge::Gauge;

/// The time after a failed delivery, or a lost file, in which the receiver is not ready.
const UNREADY: Duration = Duration::from_secs(30);

/// All counters.
#[derive(Default)]
pub(super) struct Metrics {
    counted: Mutex<Counted>,
    pub(super) connections: Gauge,
    pub(super) in_work: Gauge,
    pub(super) body_bytes: AtomicU64,
    pub(super) tests: AtomicU64,
    pub(super) reloads: AtomicU64,
    pub(super) failed_reloads: AtomicU64,
    /// The time of the last failed delivery; `None` if one succeeded since.
    failed: Mutex<Option<Instant>>,
    lost_files: AtomicU64,
    /// The time at which a file was last found to be lost.
    lost: Mutex<Option<Instant>>,
    is_incomplete: AtomicBool,
}

#[derive(Default)]
struct Counted {
    stats: Stats,
    /// Keys in the order of their first use, since a new key file may have another order.
    keys: Vec<KeyName>,
    /// The number of answers by code: `ok`, or that of a [`Refusal`].
    answers: BTreeMap<&'static str, u64>,
}

impl Metrics {
    /// Counts the records of a request that was answered with 200. `keys` are those of its ring.
    pub(super) fn opened(&self, mut stats: Stats, keys: &[KeyName]) {
        let mut counted = self.counted();
        let places = std::mem::take(&mut stats.keys);
        stats.keys = places
            .into_iter()
            .filter_map(|(place, count)| Some((counted.place(keys.get(place)?), count)))
            .collect();
        counted.stats.add(&stats);
    }

    /// Counts an answer.
    pub(super) fn answered(&self, answer: Result<(), Refusal>) {
        let code = answer.map_or_else(Refusal::code, |()| "ok");
        *self.counted().answers.entry(code).or_default() += 1;
        if let Err(Refusal::Storage | Refusal::Next | Refusal::KeyUnavailable) = answer {
            *lock(&self.failed) = Some(Instant::now());
        }
    }

    /// Records that events were delivered.
    pub(super) fn delivered(&self) {
        *lock(&self.failed) = None;
    }

    /// Counts a file that was moved, removed or truncated while it was written to.
    pub(super) fn lost_file(&self) {
        self.lost_files.fetch_add(1, Ordering::Relaxed);
        *lock(&self.lost) = Some(Instant::now());
    }

    /// Records that a file could not be completed before the end.
    pub(super) fn not_completed(&self) {
        self.is_incomplete.store(true, Ordering::Relaxed);
    }

    /// Returns whether all acknowledged events are in complete files.
    pub(super) fn is_whole(&self) -> bool {
        let lost = self.lost_files.load(Ordering::Relaxed);
        lost == 0 && !self.is_incomplete.load(Ordering::Relaxed)
    }

    /// Returns whether the next delivery can be expected to succeed. Some time after a failure a
    /// delivery is tried again.
    pub(super) fn is_ready(&self) -> bool {
        let was_long_ago =
            |at: &Mutex<Option<Instant>>| lock(at).is_none_or(|at| at.elapsed() > UNREADY);
        was_long_ago(&self.failed) && was_long_ago(&self.lost)
    }

    /// Returns all counters in Prometheus' text format.
    pub(super) fn prometheus(&self) -> String {
        let counted = self.counted();
        let mut text = counted.stats.prometheus(&counted.keys);
        text += "# HELP pqseal_requests_total Requests with logs, and others that were refused, by the code of the answer.\n# TYPE pqseal_requests_total counter\n";
        for (code, count) in &counted.answers {
            let _ = writeln!(text, "pqseal_requests_total{{code=\"{code}\"}} {count}");
        }
        drop(counted);
        let count = |count: &AtomicU64| i128::from(count.load(Ordering::Relaxed));
        let gauge = |gauge: &Gauge| i128::from(gauge.get());
        for (name, kind, help, value) in [
            (
                "body_bytes_total",
                "counter",
                "Bytes of bodies that were accepted, before decompression.",
                count(&self.body_bytes),
            ),
            (
                "test_uploads_total",
                "counter",
                "Test uploads of log services.",
                count(&self.tests),
            ),
            (
                "reloads_total",
                "counter",
                "Reloads of keys.",
                count(&self.reloads),
            ),
            (
                "failed_reloads_total",
                "counter",
                "Reloads of keys that failed; the old ones stay.",
                count(&self.failed_reloads),
            ),
            (
                "lost_files_total",
                "counter",
                "Files that were moved, removed or truncated while they were written to.",
                count(&self.lost_files),
            ),
            (
                "connections",
                "gauge",
                "Connections that are open.",
                gauge(&self.connections),
            ),
            (
                "requests_in_work",
                "gauge",
                "Requests whose records are being opened or delivered.",
                gauge(&self.in_work),
            ),
            (
                "ready",
                "gauge",
                "Whether deliveries succeed.",
                i128::from(self.is_ready()),
            ),
        ] {
            let _ = writeln!(
                text,
                "# HELP pqseal_{name} {help}\n# TYPE pqseal_{name} {kind}\npqseal_{name} {value}"
            );
        }
        text
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        lock(&self.counted)
    }
}

impl Counted {
    fn place(&mut self, key: &KeyName) -> usize {
        let found = self.keys.iter().position(|known| known.id == key.id);
        found.unwrap_or_else(|| {
            self.keys.push(key.clone());
            self.keys.len() - 1
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
