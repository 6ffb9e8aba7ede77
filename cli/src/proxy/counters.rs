//! The counters, in Prometheus' text format and as JSON.

use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::{Map, Value};

use crate::server::gauge::Gauge;

/// All counters.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) connections: Gauge,
    pub(super) requests: Counter,
    /// Requests that at least one rule matched.
    pub(super) matched: Counter,
    /// Requests answered with 403.
    pub(super) blocked: Counter,
    /// Events that are on the disk.
    pub(super) written: Counter,
    /// Events that were lost.
    pub(super) lost: Counter,
    /// Requests answered with 503 because their events are not on the disk.
    pub(super) refused: Counter,
    /// Requests that the upstream did not answer.
    pub(super) unanswered: Counter,
}

/// A number that only grows.
#[derive(Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counters {
    fn named(&self) -> [(&'static str, u64); 7] {
        [
            ("requests", self.requests.get()),
            ("matched", self.matched.get()),
            ("blocked", self.blocked.get()),
            ("events_written", self.written.get()),
            ("events_lost", self.lost.get()),
            ("refused", self.refused.get()),
            ("unanswered", self.unanswered.get()),
        ]
    }

    /// Returns the counters as JSON, for the last line of a run.
    pub(super) fn json(&self) -> Value {
        let members = self.named().into_iter();
        Value::Object(
            members
                .map(|(name, count)| (name.to_owned(), count.into()))
                .collect::<Map<_, _>>(),
        )
    }

    /// Returns the counters in Prometheus' text format.
    pub(super) fn prometheus(&self) -> String {
        let mut text = String::new();
        for (name, count) in self.named() {
            let name = format!("pqseal_edge_{name}_total");
            writeln!(text, "# TYPE {name} counter\n{name} {count}").expect("a string takes text");
        }
        let open = self.connections.get();
        let name = "pqseal_edge_connections";
        writeln!(text, "# TYPE {name} gauge\n{name} {open}").expect("a string takes text");
        text
    }
}
