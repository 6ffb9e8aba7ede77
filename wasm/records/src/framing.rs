//! The separation of records, by the name and the beginning of an input.

use pqseal_records::{
    Framing, csv,
    detect::{Detected, detect, of_name, trim_start},
    table::delimiter,
};

/// Returns the separation of records, or `None` if the input is not text. A table is recognized by
/// its name or header.
pub(crate) fn of(beginning: &[u8], name: &str, fields: &[&str]) -> Option<Framing> {
    let text = trim_start(beginning);
    let table = match of_name(name.as_bytes()) {
        // Spreadsheets write other delimiters under this name too.
        Some(Framing::Rows(b',')) => Some(csv::separator(text).unwrap_or(b',')),
        Some(Framing::Rows(delimiter)) => Some(delimiter),
        _ => delimiter(text, fields),
    };
    match detect(beginning, table.map(Framing::Rows), true) {
        Detected::Records(framing) => Some(framing),
        _ => None,
    }
}
