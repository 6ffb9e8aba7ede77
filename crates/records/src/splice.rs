//! Insertion of new bytes into a record. All other bytes are unchanged.

mod otlp;

use alloc::{borrow::Cow, string::String, vec, vec::Vec};
use core::{mem, ops::Range};

use base64ct::{Base64, Encoding};

use crate::{
    ALL,
    answer::{Answer, Problem},
    formula::{harmless_json, harmless_text},
    json::{
        Container, Fields, Located, Positions, embed, embed_exact, encode_string, write_content,
        write_string,
    },
    order::sort_by_key,
    rules::{OnField, ResultFormat, Rules, lossy_name, status_name},
};

/// Bytes that replace a range, which is empty for an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The range.
    pub(crate) at: Range<usize>,
    /// The new bytes.
    pub(crate) new: Vec<u8>,
}

/// A record with edits, which are applied when it is written.
pub struct Spliced<'a> {
    record: &'a [u8],
    /// The edits, in order of position.
    edits: Vec<Edit>,
}

impl<'a> Spliced<'a> {
    /// Creates a record with edits.
    ///
    /// # Errors
    /// [`Problem::Overlap`] if two edits overlap, since the record would be corrupted.
    pub(crate) fn new(record: &'a [u8], mut edits: Vec<Edit>) -> Result<Self, Problem> {
        sort(&mut edits)?;
        Ok(Self { record, edits })
    }

    /// Appends the record.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        self.write_part(0..self.record.len(), out);
    }

    /// Appends a part of the record. No edit may touch or cross its bounds.
    pub(crate) fn write_part(&self, part: Range<usize>, out: &mut Vec<u8>) {
        let first = self
            .edits
            .partition_point(|edit| edit.at.start < part.start);
        let edits = self.edits[first..].iter();
        let edits = edits.take_while(|edit| edit.at.end <= part.end);
        let new = edits.clone().map(|edit| edit.new.len()).sum::<usize>();
        out.reserve(part.len() + new);
        let mut from = part.start;
        for Edit { at, new } in edits {
            out.extend_from_slice(&self.record[from..at.start]);
            out.extend_from_slice(new);
            from = at.end;
        }
        out.extend_from_slice(&self.record[from..part.end]);
    }
}

/// Sorts edits by position.
///
/// # Errors
/// [`Problem::Overlap`] if two overlap.
fn sort(edits: &mut [Edit]) -> Result<(), Problem> {
    // An insertion precedes a removal at the same position. The sort is stable, so insertions at one
    // position keep their order.
    sort_by_key(edits, |edit| (edit.at.start, edit.at.end));
    let mut pairs = edits.windows(2);
    match pairs.any(|pair| pair[1].at.start < pair[0].at.end) {
        true => Err(Problem::Overlap),
        false => Ok(()),
    }
}

/// The edits of a record and of the JSON texts in its strings.
pub(crate) struct Edits {
    record: Vec<Edit>,
    /// The edits of each text in a string.
    texts: Vec<Vec<Edit>>,
}

impl Edits {
    /// Creates no edits, for a record with this number of texts.
    pub(crate) fn new(texts: usize) -> Self {
        Self {
            record: Vec::new(),
            texts: vec![Vec::new(); texts],
        }
    }

    /// Returns the edits of a text, or of the record.
    pub(crate) fn of(&mut self, text: Option<usize>) -> &mut Vec<Edit> {
        match text {
            Some(number) => &mut self.texts[number],
            None => &mut self.record,
        }
    }

    /// Returns the edits of the record, including those that change the texts in its strings.
    ///
    /// # Errors
    /// [`Problem::Overlap`] if edits of one text overlap.
    pub(crate) fn raised(mut self, record: &[u8], fields: &Fields) -> Result<Vec<Edit>, Problem> {
        // A text comes after the one around it.
        for number in (0..self.texts.len()).rev() {
            let mut edits = mem::take(&mut self.texts[number]);
            sort(&mut edits)?;
            let text = &fields.texts[number];
            let around = fields.text(record, text.around);
            let mut positions = Positions::new(&around[text.content.clone()]);
            let raised = edits.into_iter().map(|Edit { at, new }| {
                let at = positions.range(&at);
                let mut content = Vec::with_capacity(new.len() + new.len() / 8 + 8);
                write_content(&new, &mut content);
                Edit {
                    at: text.content.start + at.start..text.content.start + at.end,
                    new: content,
                }
            });
            let raised: Vec<_> = raised.collect();
            self.of(text.around).extend(raised);
        }
        Ok(self.record)
    }
}

/// Adds the edits for a field's answer, and returns whether plaintext was not UTF-8. If the record
/// is a cell of a table with this delimiter, results are written so that none is read as a formula.
pub(crate) fn edit(
    found: &Located,
    answer: Answer<'_>,
    rules: &Rules,
    delimiter: Option<u8>,
    edits: &mut Vec<Edit>,
) -> bool {
    if ALL && let Container::Otlp(place) = &found.place {
        otlp::edit(found, place, answer, edits);
        return false;
    }
    let (lossy, failure) = match answer {
        Answer::Opened(plaintext) => (opened(found, plaintext, rules, delimiter, edits), None),
        Answer::Absent => return false,
        Answer::Truncated => (false, Some("truncated")),
        Answer::Failed(code) => (false, Some(code)),
    };
    if let Some(code) = failure {
        let code = encode_string(code.as_bytes()).0;
        let name = status_name(&rules.rules, found.rule);
        edits.extend(beside(found, &name, &code));
    }
    let results = found.results.iter().filter(|_| rules.again);
    edits.extend(found.stale.iter().chain(results).map(|at| Edit {
        at: at.clone(),
        new: Vec::new(),
    }));
    lossy
}

fn opened(
    found: &Located,
    plaintext: &[u8],
    rules: &Rules,
    delimiter: Option<u8>,
    edits: &mut Vec<Edit>,
) -> bool {
    let into = &rules.rules[found.rule].into;
    // Room for an escape in every fourth character, and for the text around name and value.
    let mut new = Vec::with_capacity(into.len() + plaintext.len() / 4 * 5 + 32);
    let (at, after) = match (rules.mode, &found.place) {
        (OnField::Keep, Container::Member(_) | Container::Pair(_)) => {
            new.push(b',');
            (end(found)..end(found), begin(&found.place, into, &mut new))
        }
        (OnField::Drop, Container::Pair(at)) => (at.clone(), begin(&found.place, into, &mut new)),
        // The bytes between name and value are kept.
        (OnField::Drop, Container::Member(key)) => {
            let (at, new) = (key.clone(), encode_string(into.as_bytes()).0);
            edits.push(Edit { at, new });
            (found.value.clone(), "")
        }
        (OnField::Replace, _) | (_, Container::Item | Container::Otlp(_)) => {
            (found.value.clone(), "")
        }
    };
    let lossy = write_value(plaintext, rules.form, delimiter, &mut new);
    new.extend_from_slice(after.as_bytes());
    edits.push(Edit { at, new });
    if lossy {
        let name = lossy_name(&rules.rules, found.rule);
        edits.extend(beside(found, &name, b"true"));
    }
    lossy
}

/// Returns an edit that adds a member or pair after the field's own, or `None` for an item of an
/// array, which cannot have one.
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

/// Returns the end of the field, including its pair.
fn end(found: &Located) -> usize {
    match &found.place {
        Container::Pair(at) => at.end,
        Container::Member(_) | Container::Item | Container::Otlp(_) => found.value.end,
    }
}

/// Appends the text before a value in a container of this kind, and returns the text after it.
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
        Container::Item | Container::Otlp(_) => "",
    }
}

/// Appends the name of a member, and a colon.
pub fn write_name(name: &str, out: &mut Vec<u8>) {
    write_string(name.as_bytes(), out);
    out.push(b':');
}

/// Appends a result as JSON, and returns whether it was not UTF-8.
pub(crate) fn write_value(
    plaintext: &[u8],
    form: ResultFormat,
    delimiter: Option<u8>,
    out: &mut Vec<u8>,
) -> bool {
    let start = out.len();
    let json = match form {
        ResultFormat::Json => embed(plaintext),
        ResultFormat::Exact if ALL => embed_exact(plaintext),
        _ => None,
    };
    let lossy = match (form, json) {
        (ResultFormat::Base64 | ResultFormat::Bytes, _) if ALL => {
            write_string(Base64::encode_string(plaintext).as_bytes(), out)
        }
        (_, Some(json)) => {
            out.extend(json);
            false
        }
        (_, None) => write_string(plaintext, out),
    };
    if ALL && let Some(delimiter) = delimiter {
        let safe = harmless_json(&out[start..], delimiter);
        out.splice(start.., safe);
    }
    lossy
}

/// Returns a result as a separate text, and whether it was not UTF-8. See [`edit`] for the
/// delimiter.
pub(crate) fn text(plaintext: &[u8], form: ResultFormat, delimiter: Option<u8>) -> (Vec<u8>, bool) {
    match form {
        ResultFormat::Bytes => (plaintext.to_vec(), false),
        ResultFormat::Base64 => (Base64::encode_string(plaintext).into_bytes(), false),
        ResultFormat::Json | ResultFormat::Exact => {
            let mut value = Vec::new();
            let lossy = write_value(plaintext, form, delimiter, &mut value);
            (value, lossy)
        }
        ResultFormat::String => {
            let text = String::from_utf8_lossy(plaintext);
            let lossy = matches!(text, Cow::Owned(_));
            match delimiter {
                Some(delimiter) => (harmless_text(&text, delimiter).into_bytes(), lossy),
                None => (text.into_owned().into_bytes(), lossy),
            }
        }
    }
}
