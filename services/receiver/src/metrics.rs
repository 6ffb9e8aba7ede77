//! The counters, in Prometheus' text format. Records are counted as by `pqseal logs open`, once
//! their request was answered with 200.

use std::{
    collections::BTreeMap,
    fmt::{Display, Write},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use pqseal_matched_data::KeyName;
use pqseal_pipeline::Stats;
use pqseal_server::gauge::Gauge;

use crate::refusal::Refusal;

/// The time after a failed delivery, or a lost file, in which the receiver is not ready.
const UNREADY: Duration = Duration::from_secs(30);
/// The time after which a write that has not ended makes the receiver not ready.
const BLOCKED: Duration = Duration::from_secs(5);

/// All counters.
#[derive(Default)]
pub(crate) struct Metrics {
    totals: Mutex<Totals>,
    pub(crate) connections: Gauge,
    pub(crate) in_work: Gauge,
    body_bytes: AtomicU64,
    tests: AtomicU64,
    reloads: AtomicU64,
    failed_reloads: AtomicU64,
    /// The time of the last failed delivery; `None` if one succeeded since.
    failed: Mutex<Option<Instant>>,
    lost_files: AtomicU64,
    /// The time at which a file was last found to be lost.
    lost: Mutex<Option<Instant>>,
    /// The start of the write to the disk that has not ended yet.
    writing: Mutex<Option<Instant>>,
    is_incomplete: AtomicBool,
}

#[derive(Default)]
struct Totals {
    stats: Stats,
    /// Keys in the order of their first use, since a new key file may have another order.
    keys: Vec<KeyName>,
    /// The number of answers by code: `ok`, or that of a [`Refusal`].
    answers: BTreeMap<&'static str, u64>,
}

impl Metrics {
    /// Counts the records of a request that was answered with 200. `keys` are those of its ring, and
    /// `bytes` the size of its body.
    pub(crate) fn opened(&self, mut stats: Stats, keys: &[KeyName], bytes: u64, is_test: bool) {
        self.body_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.tests.fetch_add(is_test.into(), Ordering::Relaxed);
        let mut totals = lock(&self.totals);
        let by_place = std::mem::take(&mut stats.keys);
        stats.keys = by_place
            .into_iter()
            .filter_map(|(place, count)| Some((totals.place(keys.get(place)?), count)))
            .collect();
        totals.stats.add(&stats);
    }

    /// Counts a reload.
    pub(crate) fn reloaded(&self, is_successful: bool) {
        let counter = match is_successful {
            true => &self.reloads,
            false => &self.failed_reloads,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, answer: Result<(), Refusal>) {
        let code = answer.map_or_else(Refusal::code, |()| "ok");
        *lock(&self.totals).answers.entry(code).or_default() += 1;
        if let Err(Refusal::Storage | Refusal::NotDelivered | Refusal::KeyUnavailable) = answer {
            *lock(&self.failed) = Some(Instant::now());
        }
    }

    /// Records that events were delivered.
    pub(crate) fn delivered(&self) {
        *lock(&self.failed) = None;
    }

    /// Counts a file that was moved, removed or truncated while it was written to.
    pub(crate) fn lost_file(&self) {
        self.lost_files.fetch_add(1, Ordering::Relaxed);
        *lock(&self.lost) = Some(Instant::now());
    }

    /// Records that a file could not be completed before the end.
    pub(crate) fn not_completed(&self) {
        self.is_incomplete.store(true, Ordering::Relaxed);
    }

    /// Returns whether all acknowledged events are in complete files.
    pub(crate) fn is_whole(&self) -> bool {
        let lost = self.lost_files.load(Ordering::Relaxed);
        lost == 0 && !self.is_incomplete.load(Ordering::Relaxed)
    }

    /// Records that a write to the disk begins, or the next one.
    pub(crate) fn write_begins(&self) {
        *lock(&self.writing) = Some(Instant::now());
    }

    /// Records that the write has ended.
    pub(crate) fn write_ended(&self) {
        *lock(&self.writing) = None;
    }

    /// Returns the reason why the next delivery cannot be expected to succeed, if any. Some time
    /// after a failure a delivery is tried again.
    pub(crate) fn unready(&self) -> Option<&'static str> {
        match () {
            () if age(&self.writing).is_some_and(|age| age > BLOCKED) => {
                Some("the disk does not answer")
            }
            () if age(&self.failed).is_some_and(|age| age <= UNREADY) => Some("a delivery failed"),
            () if age(&self.lost).is_some_and(|age| age <= UNREADY) => Some("a file was lost"),
            () => None,
        }
    }

    /// Returns all counters in Prometheus' text format.
    pub(crate) fn prometheus(&self) -> String {
        let totals = lock(&self.totals);
        let mut text = totals.stats.prometheus(&totals.keys);
        text += "# HELP pqseal_requests_total Requests with logs, and others that were refused, by the code of the answer.\n# TYPE pqseal_requests_total counter\n";
        for (code, count) in &totals.answers {
            let _ = writeln!(text, "pqseal_requests_total{{code=\"{code}\"}} {count}");
        }
        drop(totals);
        for (name, help, counter) in [
            (
                "body_bytes_total",
                "Bytes of bodies that were accepted, before decompression.",
                &self.body_bytes,
            ),
            (
                "test_uploads_total",
                "Test uploads of log services.",
                &self.tests,
            ),
            ("reloads_total", "Reloads of keys.", &self.reloads),
            (
                "failed_reloads_total",
                "Reloads of keys that failed; the old ones stay.",
                &self.failed_reloads,
            ),
            (
                "lost_files_total",
                "Files that were moved, removed or truncated while they were written to.",
                &self.lost_files,
            ),
        ] {
            let value = counter.load(Ordering::Relaxed);
            add_metric(&mut text, name, "counter", help, value);
        }
        for (name, help, value) in [
            (
                "connections",
                "Connections that are open.",
                self.connections.get(),
            ),
            (
                "requests_in_work",
                "Requests whose records are being opened or delivered.",
                self.in_work.get(),
            ),
            (
                "ready",
                "Whether deliveries succeed.",
                self.unready().is_none().into(),
            ),
        ] {
            add_metric(&mut text, name, "gauge", help, value);
        }
        text
    }
}

impl Totals {
    /// Returns the place of a key, which is added if it is new.
    fn place(&mut self, key: &KeyName) -> usize {
        let found = self.keys.iter().position(|known| known.id == key.id);
        found.unwrap_or_else(|| {
            self.keys.push(key.clone());
            self.keys.len() - 1
        })
    }
}

fn add_metric(text: &mut String, name: &str, kind: &str, help: &str, value: impl Display) {
    let _ = writeln!(
        text,
        "# HELP pqseal_{name} {help}\n# TYPE pqseal_{name} {kind}\npqseal_{name} {value}"
    );
}

/// Returns the time since then.
fn age(at: &Mutex<Option<Instant>>) -> Option<Duration> {
    lock(at).map(|at| at.elapsed())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves a time into the past.
    fn wait(at: &Mutex<Option<Instant>>, seconds: u64) {
        let mut at = lock(at);
        *at = at.and_then(|at| at.checked_sub(Duration::from_secs(seconds)));
    }

    #[test]
    fn the_receiver_is_ready_again_30_seconds_after_a_failure() {
        let fail: [fn(&Metrics); 4] = [
            |metrics| metrics.answered(Err(Refusal::Storage)),
            |metrics| metrics.answered(Err(Refusal::NotDelivered)),
            |metrics| metrics.answered(Err(Refusal::KeyUnavailable)),
            Metrics::lost_file,
        ];
        for fail in fail {
            let metrics = Metrics::default();
            assert_eq!(metrics.unready(), None);
            fail(&metrics);
            for (seconds, is_ready) in [(0, false), (29, false), (2, true)] {
                wait(&metrics.failed, seconds);
                wait(&metrics.lost, seconds);
                assert_eq!(metrics.unready().is_none(), is_ready);
            }
        }
    }

    #[test]
    fn the_receiver_is_not_ready_while_a_write_is_blocked() {
        let metrics = Metrics::default();
        metrics.write_begins();
        for (seconds, reason) in [(4, None), (2, Some("the disk does not answer"))] {
            wait(&metrics.writing, seconds);
            assert_eq!(metrics.unready(), reason);
        }
        // The next one of the same round.
        metrics.write_begins();
        assert_eq!(metrics.unready(), None);
        wait(&metrics.writing, 6);
        metrics.write_ended();
        assert_eq!(metrics.unready(), None);
    }
}
