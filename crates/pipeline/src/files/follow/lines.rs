//! The JSON for files in the state.

use std::path::PathBuf;

use pqseal_keys::base64;
use serde_json::{Value, json};

use super::{known::Entry, mark::Mark, place::Place};
use crate::pipeline::Level;

/// Returns the JSON for a file that is read.
pub(super) fn of_entry(entry: &Entry) -> Value {
    let mut value = of_place(&entry.place, "input");
    value["line"] = json!(entry.number);
    value["in_line"] = json!(entry.in_line);
    value["doubt"] = json!(entry.doubt.name());
    value["size"] = json!(entry.size);
    value["gone"] = json!(entry.is_gone);
    value
}

/// Returns the JSON for a position in a file, whose path is in the member `name`.
pub(super) fn of_place(place: &Place, name: &str) -> Value {
    let mut value = json!({
        "inode": place.inode,
        "offset": place.offset,
        "mark": [place.mark.size, format!("{:016x}", place.mark.hash)],
    });
    match place.path.to_str() {
        Some(path) => value[name] = json!(path),
        None => {
            let path = base64::encode(place.path.as_os_str().as_encoded_bytes());
            value[in_base64(name)] = json!(path);
        }
    }
    value
}

/// Reads the JSON of a file. States of earlier versions lack its size and its doubt, and have
/// no files that are gone.
pub(super) fn entry(value: &Value) -> Option<Entry> {
    let place = place(value, "input")?;
    Some(Entry {
        number: value["line"].as_u64()?,
        in_line: value["in_line"].as_bool()?,
        doubt: value["doubt"]
            .as_str()
            .and_then(Level::of_name)
            .unwrap_or(Level::Damaged),
        size: value["size"].as_u64().unwrap_or(place.offset),
        is_gone: value["gone"].as_bool().unwrap_or(false),
        place,
    })
}

/// Reads a position in a file, whose path is in the member `name`.
pub(super) fn place(value: &Value, name: &str) -> Option<Place> {
    let path = match value[name].as_str() {
        Some(path) => PathBuf::from(path),
        None => {
            let path = value[in_base64(name)].as_str()?;
            of_bytes(&base64::decode(path.as_bytes()).ok()?)?
        }
    };
    let hash = value["mark"][1].as_str()?;
    Some(Place {
        path,
        inode: value["inode"].as_u64()?,
        offset: value["offset"].as_u64()?,
        mark: Mark {
            size: value["mark"][0].as_u64()?,
            hash: u64::from_str_radix(hash, 16).ok()?,
        },
    })
}

fn in_base64(name: &str) -> String {
    format!("{name}_base64")
}

#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "other systems have paths in Unicode"
)]
fn of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    Some(name.into())
}

#[cfg(not(unix))]
fn of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_says_nothing_of_doubt_is_in_doubt() {
        let mut line = json!({
            "input": "a.log", "inode": 7, "offset": 3, "mark": [3, "00000000000000ff"],
            "line": 2, "in_line": false,
        });
        let read = |line: &Value| entry(line).unwrap().doubt;
        assert_eq!(read(&line), Level::Damaged);
        for level in [Level::None, Level::Damaged, Level::Line] {
            line["doubt"] = json!(level.name());
            assert_eq!(read(&line), level);
            assert_eq!(read(&of_entry(&entry(&line).unwrap())), level);
        }
    }
}
