//! New bytes into a record; all others stay as they are.

use std::{borrow::Cow, ops::Range};

use envelope::base64;

use crate::{
    batch::Outcome,
    formula::{harmless_json, harmless_text},
    json::{Container, Located, embed, embed_exact, encode_string},
    reason::Reason,
    rules::{OnField, ResultFormat, Rules, lossy_name, status_name},
};

/// Bytes that take the place of others; an empty place is an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The place.
    pub(crate) at: Range<usize>,
    /// What comes there.
    pub(crate) new: Vec<u8>,
}

/// `record` with `edits` made.
///
/// # Errors
/// If two of them overlap: the record would be broken.
pub(crate) fn splice(record: &[u8], mut edits: Vec<Edit>) -> Result<Vec<u8>, Reason> {
    let mut out =
        Vec::with_capacity(record.len() + edits.iter().map(|edit| edit.new.len()).sum::<usize>());
    // Of an insertion and a removal at one place the insertion comes first. A stable sort keeps the
    // order of insertions at one place.
    edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    let mut from = 0;
    for Edit { at, new } in edits {
        if at.start < from {
            return Err(Reason::Overlap);
        }
        out.extend_from_slice(&record[from..at.start]);
        out.extend_from_slice(&new);
        from = at.end;
    }
    out.extend_from_slice(&record[from..]);
    Ok(out)
}

/// What a field's outcome changes in its record, and whether plaintext was not UTF-8. If the record
/// is a cell of a table with this separator, results are written so that none is taken for a
/// formula.
pub(crate) fn edits(
    found: &Located,
    outcome: &Outcome,
    rules: &Rules,
    separator: Option<u8>,
) -> (Vec<Edit>, bool) {
    let status = |code: &str| {
        beside(
            found,
            &status_name(&rules.rules, found.rule),
            &encode_string(code.as_bytes()).0,
        )
    };
    let (mut edits, lossy) = match outcome {
        Outcome::Opened { plaintext, .. } => {
            let (value, lossy) = value(plaintext, rules.form, separator);
            (success(found, value, lossy, rules), lossy)
        }
        Outcome::Absent => return (Vec::new(), false),
        Outcome::Truncated => (status("truncated"), false),
        Outcome::Failed(failure) => (status(failure.code()), false),
    };
    edits.extend(found.stale.clone().map(|at| Edit {
        at,
        new: Vec::new(),
    }));
    (edits, lossy)
}

fn success(found: &Located, value: Vec<u8>, lossy: bool, rules: &Rules) -> Vec<Edit> {
    let into = &rules.rules[found.rule].into;
    let mut edits = match (rules.mode, &found.place) {
        (OnField::Replace, _) | (_, Container::Item) => vec![Edit {
            at: found.value.clone(),
            new: value,
        }],
        (OnField::Keep, _) => beside(found, into, &value),
        // What is between name and value stays.
        (OnField::Drop, Container::Member(key)) => vec![
            Edit {
                at: key.clone(),
                new: encode_string(into.as_bytes()).0,
            },
            Edit {
                at: found.value.clone(),
                new: value,
            },
        ],
        (OnField::Drop, Container::Pair(at)) => vec![Edit {
            at: at.clone(),
            new: pair(into, &value),
        }],
    };
    if lossy {
        edits.extend(beside(
            found,
            &lossy_name(&rules.rules, found.rule),
            b"true",
        ));
    }
    edits
}

/// A member after the field's own; of an item of an array nothing can be said.
fn beside(found: &Located, name: &str, value: &[u8]) -> Vec<Edit> {
    let (end, new) = match &found.place {
        Container::Member(_) => (found.value.end, member(name, value)),
        Container::Pair(at) => (at.end, pair(name, value)),
        Container::Item => return Vec::new(),
    };
    vec![Edit {
        at: end..end,
        new: [b",", new.as_slice()].concat(),
    }]
}

/// A member of an object.
pub(crate) fn member(name: &str, value: &[u8]) -> Vec<u8> {
    [&encode_string(name.as_bytes()).0, &b":"[..], value].concat()
}

fn pair(name: &str, value: &[u8]) -> Vec<u8> {
    [
        b"{\"key\":",
        encode_string(name.as_bytes()).0.as_slice(),
        b",\"value\":",
        value,
        b"}",
    ]
    .concat()
}

/// A result as JSON, and whether it was not UTF-8.
fn value(plaintext: &[u8], form: ResultFormat, separator: Option<u8>) -> (Vec<u8>, bool) {
    let (value, lossy) = match form {
        ResultFormat::Base64 | ResultFormat::Bytes => {
            encode_string(base64::encode(plaintext).as_bytes())
        }
        ResultFormat::Json => {
            embed(plaintext).map_or_else(|| encode_string(plaintext), |json| (json, false))
        }
        ResultFormat::Exact => {
            embed_exact(plaintext).map_or_else(|| encode_string(plaintext), |json| (json, false))
        }
        ResultFormat::String => encode_string(plaintext),
    };
    match separator {
        Some(separator) => (harmless_json(&value, separator), lossy),
        None => (value, lossy),
    }
}

/// A result as a text of its own, and whether it was not UTF-8; as [`edits`] for a separator.
pub(crate) fn text(plaintext: &[u8], form: ResultFormat, separator: Option<u8>) -> (Vec<u8>, bool) {
    match form {
        ResultFormat::Bytes => (plaintext.to_vec(), false),
        ResultFormat::Base64 => (base64::encode(plaintext).into_bytes(), false),
        ResultFormat::Json | ResultFormat::Exact => value(plaintext, form, separator),
        ResultFormat::String => {
            let text = String::from_utf8_lossy(plaintext);
            let lossy = matches!(text, Cow::Owned(_));
            match separator {
                Some(separator) => (harmless_text(&text, separator).into_bytes(), lossy),
                None => (text.into_owned().into_bytes(), lossy),
            }
        }
    }
}
