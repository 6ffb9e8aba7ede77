//! JSON records in place of a blob, with blobs in their fields.

use pqseal_matched_data::{Blob, Error, Trailing};
use pqseal_records::{
    Framing,
    json::{self, Bad, Node},
    split::{self, OpenArray},
};
use pqseal_sealed::Kind;

/// JSON documents in an input.
#[derive(Default)]
pub struct Documents<'a> {
    /// The documents, in order.
    pub all: Vec<Document<'a>>,
    /// The number of documents that are not JSON.
    pub broken: usize,
    /// Set if documents go over several lines.
    pub over_lines: bool,
    /// Set if the array with the documents has no end.
    pub is_open: bool,
}

/// A document.
pub struct Document<'a> {
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Its text.
    pub text: &'a [u8],
    /// The reason why it is not JSON.
    pub bad: Option<Bad>,
}

/// A field that holds a blob, or a sealed value of another kind.
pub struct Field {
    /// The path of the field, such as `.Metadata.encrypted_matched_data`.
    pub path: String,
    /// The value of another kind. The blob is empty then.
    pub other: Option<Vec<u8>>,
    /// The blob.
    pub blob: Decoded,
}

/// Returns the documents of an input that begins like JSON: one after each record separator if it
/// begins with one, or else one per line, or documents over several lines, whichever leaves fewer
/// that are not JSON. `None` for any other input.
pub fn documents(input: &[u8]) -> Option<Documents<'_>> {
    let start = pqseal_records::detect::trim_start(input);
    match start.first()? {
        0x1e => return Some(documents_in(input, Framing::Sequence)),
        b'{' | b'[' => {}
        _ => return None,
    }
    let lines = documents_in(input, Framing::Lines);
    if lines.broken == 0 {
        return Some(lines);
    }
    let values = documents_in(input, Framing::Json);
    match values.broken + usize::from(values.is_open) < lines.broken {
        true => Some(values),
        false => Some(lines),
    }
}

impl Documents<'_> {
    /// Reports whether any document is JSON.
    pub const fn has_json(&self) -> bool {
        self.all.len() > self.broken
    }
}

fn documents_in(input: &[u8], framing: Framing) -> Documents<'_> {
    let (slots, end) = split::all(input, framing);
    let mut found = Documents {
        over_lines: framing != Framing::Lines,
        is_open: end == Err(OpenArray),
        ..Documents::default()
    };
    let (mut line, mut from) = (1, 0);
    for slot in slots {
        let start = slot.range.start;
        line += input[from..start]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        from = start;
        let text = &input[slot.range];
        let bad = json::validate(text).err();
        found.broken += usize::from(bad.is_some());
        found.all.push(Document { line, text, bad });
    }
    found
}

/// Returns the parts of a document that are records: its items, if it is an array.
pub fn records(document: &[u8]) -> Vec<&[u8]> {
    let root = Node::root(document);
    match root.is_array() {
        true => root.children().map(|item| item.value.raw()).collect(),
        false => vec![document],
    }
}

/// Returns the fields of a record that hold a blob, or a string sealed in another format.
pub fn fields(record: &[u8]) -> Vec<Field> {
    let mut fields = Vec::new();
    // All strings before damage are passed on.
    let _ = json::strings(record, &mut |place, string| {
        let Some(text) = json::decode_string(string) else {
            return;
        };
        let is_other = Kind::detect_supported(&text).is_some();
        let Some(blob) = is_other
            .then_some(Err(Error::Empty))
            .or_else(|| whole_blob(&text))
        else {
            return;
        };
        let (path, other) = (place.to_string(), is_other.then(|| text.into_owned()));
        // The word stands for a blob only where one is expected.
        if is_other || blob.is_ok() || is_expected(&path) {
            fields.push(Field { path, other, blob });
        }
    });
    fields
}

/// Reports whether the word `truncated` stands for a blob at this path.
pub fn is_expected(path: &str) -> bool {
    path.contains("encrypted")
}

/// Describes a text that is not a blob, and what to do with it.
pub fn hint(input: &[u8]) -> &'static str {
    let text = input.trim_ascii();
    let ends = [text.first(), text.last()];
    match text {
        b"null" | b"\"\"" => "; this record has no sealed data",
        _ if text.starts_with(b"-----BEGIN AGE") => {
            "; this is an age file, not a blob: if it holds a key, give it with -k; otherwise run: pqseal file decrypt"
        }
        _ if text.starts_with(b"-----BEGIN ") => {
            "; this is a PEM file, such as a key, and not a blob: give keys with -k"
        }
        _ if text.starts_with(b"pqseal-") => {
            "; this is a key and not a blob: give private keys with -k"
        }
        _ if text.starts_with(b"{") => {
            "; this seems to be a JSON record that was cut off or altered: give all of it, or the text of the sealed field"
        }
        _ if text.starts_with(b"[") => {
            "; this seems to be a JSON array of records that was cut off or altered: give all of it"
        }
        _ if ends.iter().any(|end| matches!(end, Some(b'"' | b'\''))) => {
            "; leave out the quotes around it"
        }
        _ if text.iter().any(|byte| b"\":{}[]<>|;,".contains(byte)) => {
            "; this seems to be a whole line of a log: give the text of the sealed field, or use `pqseal logs open`"
        }
        _ => "",
    }
}

/// The bytes of a blob, or the error in its text.
pub type Decoded = Result<Vec<u8>, Error>;

/// Returns the blob of a line that is a complete one, or the word that replaces one.
pub fn whole_blob(line: &[u8]) -> Option<Decoded> {
    let blob = Blob::decode(line);
    let is_whole = match &blob {
        // A supported suite distinguishes version 4 from the middle of another blob.
        Ok(blob) => {
            has_length(blob)
                || Blob::describe(blob)
                    .is_ok_and(|found| found.version == 4 && found.problem.is_none())
        }
        Err(error) => *error == Error::Truncated,
    };
    is_whole.then_some(blob)
}

/// Reports whether a line is a complete blob that contains its length (versions 1 to 3), or the
/// word `truncated`.
pub fn has_end(line: &[u8]) -> bool {
    match Blob::decode(line) {
        Ok(blob) => has_length(&blob),
        Err(error) => error == Error::Truncated,
    }
}

fn has_length(blob: &[u8]) -> bool {
    matches!(Blob::parse(blob, Trailing::Ignore), Ok(Blob::V1to3(_)))
}
