//! What a server says while it runs: one line of JSON on standard error for each event. Nothing of what
//! clients send is in it. The receiver of logs says the address of each client; the proxy does so only
//! if a TLS handshake failed.

use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::date;

/// How much attention a line asks for.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

/// A line of the same kind is written once in this time: a flood of requests must not be one of lines.
const QUIET: Duration = Duration::from_secs(1);

/// When a kind of line was written last.
pub(crate) struct Throttle(Mutex<Option<Instant>>);

impl Throttle {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// [`log`], unless such a line was written a moment ago.
    pub(crate) fn log(&self, level: Level, event: &str, more: Value) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|at| at.elapsed() >= QUIET) {
            *last = Some(Instant::now());
            log(level, event, more);
        }
    }
}

/// Writes a line: the time, the level, what happened, and the members of `more`, which is an object.
/// A failure to write is ignored, since there is nowhere to report it.
pub(crate) fn log(level: Level, event: &str, more: Value) {
    let level = match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let mut line = json!({ "time": date::now(), "level": level, "event": event });
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    // One write, so that the lines of several threads do not mix.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
