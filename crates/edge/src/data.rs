//! Matched data: the fields that a rule read, as JSON in the form that dashboards show.
//!
//! A short text is a string. A long one is an object with `before`, `content` and `after`, or an
//! array of such objects. Bytes that are not UTF-8 are replaced by U+FFFD, and `base64` has all
//! bytes of the piece.

use std::{io, ops::Range};

use pqseal_keys::base64;
use serde::Serialize;
use serde_json::{Map, Value as Json, json, ser::Formatter};

use crate::{
    cut::{self, Piece, WHOLE},
    field::Fields,
    request::{Text, Value},
    walk::Read,
};

/// Returns the JSON for these fields.
pub(crate) fn matched_data(
    reads: &[Read],
    fields: &Fields,
    values: &[Option<Value<'_>>],
) -> String {
    let reads: Vec<_> = reads
        .iter()
        .filter_map(|read| Some((read, values.get(read.field)?.as_ref()?)))
        .collect();
    let mut object = Map::new();
    for (index, (read, value)) in reads.iter().enumerate() {
        let json = match value {
            Value::Text(text) if is_in_another(text, &reads, index) => continue,
            Value::Text(text) => logged(text, places(text, &reads)),
            Value::Address(address) => json!(address),
            Value::Number(number) => json!(number),
            Value::Bool(is) => json!(is),
        };
        object.insert(fields.all[read.field].name.clone(), json);
    }
    written(&object)
}

/// Reports whether this text is logged with another field: one that contains it, or one that has
/// the same text and was read earlier.
fn is_in_another(text: &Text<'_>, reads: &[(&Read, &Value<'_>)], index: usize) -> bool {
    reads
        .iter()
        .enumerate()
        .any(|(other_index, (_, value))| match value {
            Value::Text(other) => {
                other.part.contains(text.part) || (other.part == text.part && other_index < index)
            }
            _ => false,
        })
}

/// Returns the matches in this text, including those in its parts.
fn places(text: &Text<'_>, reads: &[(&Read, &Value<'_>)]) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for (read, value) in reads {
        let Value::Text(part) = value else { continue };
        if text.part == part.part || text.part.contains(part.part) {
            let found = read.found.iter().map(|found| part.place(found.clone()));
            let found = found.filter(|at| !at.is_empty());
            places.extend(found.map(|at| at.start - text.range.start..at.end - text.range.start));
        }
    }
    places
}

fn logged(text: &Text<'_>, places: Vec<Range<usize>>) -> Json {
    let raw = text.raw();
    match str::from_utf8(raw) {
        Ok(text) if text.len() <= WHOLE => return text.into(),
        Err(_) if raw.len() <= WHOLE => {
            return object(&Piece {
                before: &[],
                content: raw,
                after: &[],
            });
        }
        _ => {}
    }
    let mut pieces: Vec<_> = cut::pieces(raw, places).iter().map(object).collect();
    match pieces.len() {
        1 => pieces.remove(0),
        _ => pieces.into(),
    }
}

fn object(piece: &Piece<'_>) -> Json {
    let mut object = Map::new();
    for (name, part) in [
        ("before", piece.before),
        ("content", piece.content),
        ("after", piece.after),
    ] {
        if !part.is_empty() || name == "content" {
            object.insert(name.to_owned(), String::from_utf8_lossy(part).into());
        }
    }
    let all = [piece.before, piece.content, piece.after].concat();
    if str::from_utf8(&all).is_err() {
        object.insert("base64".to_owned(), base64::encode(&all).into());
    }
    Json::Object(object)
}

/// Writes JSON on one line, with a space after each comma and colon, as the log service does.
fn written(object: &Map<String, Json>) -> String {
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, Spaced);
    object
        .serialize(&mut serializer)
        .expect("memory takes texts and numbers");
    String::from_utf8(text).expect("JSON is UTF-8")
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.begin_object_key(to, is_first)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        match is_first {
            true => Ok(()),
            false => to.write_all(b", "),
        }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}
