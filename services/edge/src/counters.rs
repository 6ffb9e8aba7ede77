//! The counters, in Prometheus' text format and as JSON.

use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
};

use pqseal_server::gauge::Gauge;
use serde_json::{Map, Value};

/// All counters.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) connections: Gauge,
    pub(crate) requests: Counter,
    /// Requests that at least one rule matched.
    pub(crate) matched: Counter,
    /// Requests answered with 403.
    pub(crate) blocked: Counter,
    /// Events that are on the disk.
    pub(crate) written: Counter,
    /// Events that were lost.
    pub(crate) lost: Counter,
    /// Requests answered with 503 because their events are not on the disk.
    pub(crate) refused: Counter,
    /// Requests that the upstream did not answer.
    pub(crate) unanswered: Counter,
}

/// A number that only grows.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
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
    pub(crate) fn json(&self) -> Value {
        let members = self.named().into_iter();
        Value::Object(
            members
                .map(|(name, count)| (name.to_owned(), count.into()))
                .collect::<Map<_, _>>(),
        )
    }

    /// Returns the counters in Prometheus' text format. `prometheus-client` writes OpenMetrics, whose
    /// lines of `# TYPE` name counters without `_total`.
    pub(crate) fn prometheus(&self) -> String {
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
