//! The log of a server: one line of JSON on standard error for each event. It contains nothing that
//! clients send. The receiver of logs writes the address of each client; the proxy does so only if
//! a TLS handshake failed.

use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use pqseal_text::date;
use serde_json::{Value, json};

/// The severity of a line.
#[derive(Clone, Copy, Debug)]
pub enum Level {
    /// An event of normal work.
    Info,
    /// Something to look at before it fails.
    Warning,
    /// A failure.
    Error,
}

/// The time in which a kind of line is written once, so that a flood of requests is not one of
/// lines.
const QUIET: Duration = Duration::from_secs(1);

/// The time at which a kind of line was last written.
#[derive(Debug)]
pub struct Throttle(Mutex<Option<Instant>>);

impl Default for Throttle {
    fn default() -> Self {
        Self::new()
    }
}

impl Throttle {
    /// Creates the state of a kind of line that was not written yet.
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Writes a line like [`log`], unless one of its kind was written a moment ago.
    pub fn log(&self, level: Level, event: &str, more: Value) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|at| at.elapsed() >= QUIET) {
            *last = Some(Instant::now());
            log(level, event, more);
        }
    }
}

/// Writes a line: the time, the level, the event, and the members of `more`, which is an object. A
/// failure to write is ignored, since there is nowhere to report it. `tracing` would need a formatter
/// of ours for these members, which is all there is here.
pub fn log(level: Level, event: &str, more: Value) {
    let level = match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let mut line = json!({ "time": date::now(), "level": level, "event": event });
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    // It is one write, so that the lines of several threads do not mix.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
