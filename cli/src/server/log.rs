//! What the receiver says while it runs: one line of JSON on standard error for each event. Nothing
//! of what clients send is in it, except the path that was asked for when nothing is there.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::date;

/// How much attention a line asks for.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
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
