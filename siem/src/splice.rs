//! New bytes into a record; all others stay as they are.

use std::{borrow::Cow, ops::Range};

use envelope::base64;

use crate::{
    batch::Outcome,
    formula::{harmless_json, harmless_text},
    json::{Container, Located, embed, embed_exact, encode_string, write_string},
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

/// A record with edits made, which is put together where it is written.
pub(crate) struct Spliced<'a> {
    record: &'a [u8],
    /// In the order of their places.
    edits: Vec<Edit>,
}

impl<'a> Spliced<'a> {
    /// # Errors
    /// If two edits overlap: the record would be broken.
    pub(crate) fn new(record: &'a [u8], mut edits: Vec<Edit>) -> Result<Self, Reason> {
        // Of an insertion and a removal at one place the insertion comes first. A stable sort keeps
        // the order of insertions at one place.
        edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
        let overlap = |pair: &[Edit]| pair[1].at.start < pair[0].at.end;
        match edits.windows(2).any(overlap) {
            true => Err(Reason::Overlap),
            false => Ok(Self { record, edits }),
        }
    }

    /// Appends it.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let new = self.edits.iter().map(|edit| edit.new.len()).sum::<usize>();
        out.reserve(self.record.len() + new);
        let mut from = 0;
        for Edit { at, new } in &self.edits {
            out.extend_from_slice(&self.record[from..at.start]);
            out.extend_from_slice(new);
            from = at.end;
        }
        out.extend_from_slice(&self.record[from..]);
    }
}

/// Adds what a field's outcome changes in its record, and says whether plaintext was not UTF-8. If the
/// record is a cell of a table with this separator, results are written so that none is taken for a
/// formula.
pub(crate) fn edit(
    found: &Located,
    outcome: &Outcome,
    rules: &Rules,
    separator: Option<u8>,
    edits: &mut Vec<Edit>,
) -> bool {
    let status = |code: &str| {
        let code = encode_string(code.as_bytes()).0;
        beside(found, &status_name(&rules.rules, found.rule), &code)
    };
    let mut lossy = false;
    match outcome {
        Outcome::Opened { plaintext, .. } => {
            lossy = opened(found, plaintext, rules, separator, edits);
        }
        Outcome::Absent => return false,
        Outcome::Truncated => edits.extend(status("truncated")),
        Outcome::Failed(failure) => edits.extend(status(failure.code())),
    }
    edits.extend(found.stale.clone().map(|at| Edit {
        at,
        new: Vec::new(),
    }));
    lossy
}

fn opened(
    found: &Located,
    plaintext: &[u8],
    rules: &Rules,
    separator: Option<u8>,
    edits: &mut Vec<Edit>,
) -> bool {
    let into = &rules.rules[found.rule].into;
    // Room for an escape in each four characters, and for what is around name and value.
    let mut new = Vec::with_capacity(into.len() + plaintext.len() / 4 * 5 + 32);
    let (at, after) = match (rules.mode, &found.place) {
        (OnField::Keep, Container::Member(_) | Container::Pair(_)) => {
            new.push(b',');
            (end(found)..end(found), begin(&found.place, into, &mut new))
        }
        (OnField::Drop, Container::Pair(at)) => (at.clone(), begin(&found.place, into, &mut new)),
        // What is between name and value stays.
        (OnField::Drop, Container::Member(key)) => {
            let (at, new) = (key.clone(), encode_string(into.as_bytes()).0);
            edits.push(Edit { at, new });
            (found.value.clone(), "")
        }
        (OnField::Replace, _) | (_, Container::Item) => (found.value.clone(), ""),
    };
    let lossy = write_value(plaintext, rules.form, separator, &mut new);
    new.extend_from_slice(after.as_bytes());
    edits.push(Edit { at, new });
    if lossy {
        let name = lossy_name(&rules.rules, found.rule);
        edits.extend(beside(found, &name, b"true"));
    }
    lossy
}

/// A member or pair after the field's own; of an item of an array nothing can be said.
fn beside(found: &Located, name: &str, value: &[u8]) -> Option<Edit> {
    if found.place == Container::Item {
        return None;
    }
    let (end, mut new) = (end(found), vec![b',']);
    let after = begin(&found.place, name, &mut new);
    new.extend_from_slice(value);
    new.extend_from_slice(after.as_bytes());
    let at = end..end;
    Some(Edit { at, new })
}

/// Where the field ends, with the pair that it is in.
fn end(found: &Located) -> usize {
    match &found.place {
        Container::Pair(at) => at.end,
        Container::Member(_) | Container::Item => found.value.end,
    }
}

/// Appends what is before a value in a place of this kind, and gives what is after it.
fn begin(place: &Container, name: &str, out: &mut Vec<u8>) -> &'static str {
    match place {
        Container::Member(_) => {
            write_name(name, out);
            ""
        }
        Container::Pair(_) => {
            out.extend_from_slice(b"{\"key\":");
            write_string(name.as_bytes(), out);
            out.extend_from_slice(b",\"value\":");
            "}"
        }
        Container::Item => "",
    }
}

/// Appends the name of a member, and the colon after it.
pub(crate) fn write_name(name: &str, out: &mut Vec<u8>) {
    write_string(name.as_bytes(), out);
    out.push(b':');
}

/// Appends a result as JSON, and says whether it was not UTF-8.
fn write_value(
    plaintext: &[u8],
    form: ResultFormat,
    separator: Option<u8>,
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    let json = match form {
        ResultFormat::Json => embed(plaintext),
        ResultFormat::Exact => embed_exact(plaintext),
        ResultFormat::String | ResultFormat::Base64 | ResultFormat::Bytes => None,
    };
    let lossy = match (form, json) {
        (ResultFormat::Base64 | ResultFormat::Bytes, _) => {
            write_string(base64::encode(plaintext).as_bytes(), out)
        }
        (_, Some(json)) => {
            out.extend(json);
            false
        }
        (_, None) => write_string(plaintext, out),
    };
    if let Some(separator) = separator {
        let safe = harmless_json(&out[start..], separator);
        out.splice(start.., safe);
    }
    lossy
}

/// A result as a text of its own, and whether it was not UTF-8; as [`edits`] for a separator.
pub(crate) fn text(plaintext: &[u8], form: ResultFormat, separator: Option<u8>) -> (Vec<u8>, bool) {
    match form {
        ResultFormat::Bytes => (plaintext.to_vec(), false),
        ResultFormat::Base64 => (base64::encode(plaintext).into_bytes(), false),
        ResultFormat::Json | ResultFormat::Exact => {
            let mut value = Vec::new();
            let lossy = write_value(plaintext, form, separator, &mut value);
            (value, lossy)
        }
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
