//! The texts of an input that may be blobs, and where each stands.

use envelope::{Blob, TRUNCATED, diagnosis::looks_sealed};
use serde_json::Value;

/// A text that may be a blob.
pub(super) struct Candidate {
    /// Its line, from 1.
    pub(super) line: usize,
    /// Its field in a record, its column in a table, or nothing.
    pub(super) field: String,
    /// Itself.
    pub(super) text: Vec<u8>,
}

/// The candidates of an input: each line of a log or list, or the whole of it.
pub(super) fn candidates(input: &[u8]) -> Vec<Candidate> {
    let whole = |text: &[u8]| {
        vec![Candidate {
            line: 1,
            field: String::new(),
            text: text.to_vec(),
        }]
    };
    if Blob::is_binary(input) || is_wrapped(input) {
        return whole(input);
    }
    let mut found = Vec::new();
    let mut columns = Vec::new();
    for (index, line) in input.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if index == 0 {
            columns = cells(line);
        }
        of_line(index + 1, line, &columns, &mut found);
    }
    if found.is_empty() {
        whole(input)
    } else {
        found
    }
}

/// Whether an input is one blob, in one line or several: none of its lines is a blob on its own.
fn is_wrapped(input: &[u8]) -> bool {
    let mut lines = input.split(|byte| *byte == b'\n');
    looks_sealed(input)
        && !lines.any(|line| line.len() < input.trim_ascii().len() && looks_sealed(line))
}

fn of_line(line: usize, text: &[u8], columns: &[&[u8]], found: &mut Vec<Candidate>) {
    let mut add = |field: String, text: &[u8]| {
        found.push(Candidate {
            line,
            field,
            text: text.to_vec(),
        });
    };
    if let Ok(record @ Value::Object(_)) = serde_json::from_slice::<Value>(text) {
        return of_json(&record, String::new(), &mut add);
    }
    if is_sealed(text) {
        return add(String::new(), text);
    }
    for (place, cell) in cells(text).into_iter().enumerate() {
        if is_sealed(cell) {
            let name = columns.get(place).filter(|_| line > 1);
            let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
            add(
                name.unwrap_or_else(|| format!("column {}", place + 1)),
                cell,
            );
        }
    }
}

fn of_json(value: &Value, path: String, add: &mut impl FnMut(String, &[u8])) {
    match value {
        Value::String(text) if text == TRUNCATED && path.contains("encrypted") => {
            add(path, text.as_bytes());
        }
        Value::String(text) if looks_sealed(text.as_bytes()) => add(path, text.as_bytes()),
        Value::Object(members) => {
            (members.iter()).for_each(|(name, value)| of_json(value, format!("{path}.{name}"), add))
        }
        Value::Array(items) => (items.iter().enumerate())
            .for_each(|(place, item)| of_json(item, format!("{path}[{place}]"), add)),
        _ => {}
    }
}

fn is_sealed(text: &[u8]) -> bool {
    text.trim_ascii() == TRUNCATED.as_bytes() || looks_sealed(text)
}

/// The cells of a line of a table, by the separator that it has.
fn cells(line: &[u8]) -> Vec<&[u8]> {
    let separators = [b'\t', b';', b','];
    let separator = separators.into_iter().find(|byte| line.contains(byte));
    let cells = line.split(|byte| Some(*byte) == separator);
    cells.map(|cell| unquoted(cell.trim_ascii())).collect()
}

fn unquoted(cell: &[u8]) -> &[u8] {
    let inner = cell
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    inner.unwrap_or(cell)
}
