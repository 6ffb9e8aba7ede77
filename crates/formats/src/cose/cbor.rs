//! CBOR (RFC 8949): bounded reading, and deterministic writing (section 4.2.1).

use std::ops::Range;

use ciborium::Value;
use pqseal_keys::cbor::{head, skip};

use crate::Error;

/// The maximum number of data items of a message: strings, numbers, arrays, maps and tags,
/// including those of protected headers. A message with 256 recipients has about 5,000.
pub const MAX_ITEMS: usize = 10_000;
/// The maximum number of labels of a header. Each is compared with those before it.
pub const MAX_LABELS: usize = 256;
/// The deepest nesting of arrays, maps and tags.
const MAX_DEPTH: usize = 16;

/// Decodes one value, with nothing after it, and subtracts its data items from `items`, the number
/// that may still be read of the message.
pub(super) fn decode(bytes: &[u8], items: &mut usize) -> Result<Value, Error> {
    // Counts the heads before anything is allocated for them. Nesting needs no extra handling:
    // after the head of an array, a map or a tag comes another head.
    let mut rest = bytes;
    while !rest.is_empty() {
        let too_many = Error::TooLong("the message has more than 10,000 data items");
        *items = items.checked_sub(1).ok_or(too_many)?;
        let cut = Error::Malformed("it is not CBOR, or was cut");
        (_, _, rest) = head(rest).ok_or(cut)?;
    }
    rest = bytes;
    match ciborium::de::from_reader_with_recursion_limit(&mut rest, MAX_DEPTH) {
        Ok(value) if rest.is_empty() => Ok(value),
        Ok(_) => Err(Error::Malformed("something follows the message")),
        Err(_) => Err(Error::Malformed("it is not CBOR, or is nested too deeply")),
    }
}

/// Encodes with the shortest heads and definite lengths. Maps are put in order by [`map`].
pub(super) fn encode(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = ciborium::into_writer(value, &mut bytes);
    bytes
}

/// Makes a map in deterministic order: by the encoded labels, that is 0, 1, 2, ..., -1, -2.
pub(super) fn map(mut entries: Vec<(i64, Value)>) -> Value {
    entries.sort_by_key(|(label, _)| (*label < 0, label.unsigned_abs()));
    Value::Map(
        entries
            .into_iter()
            .map(|(label, value)| (label.into(), value))
            .collect(),
    )
}

/// A header: labels that are integers or text, none of them twice.
#[derive(Clone, Debug, Default)]
pub(super) struct HeaderMap(Vec<(Value, Value)>);

impl HeaderMap {
    /// Reads the members of a map.
    pub(super) fn new(value: Value) -> Result<Self, Error> {
        let Value::Map(entries) = value else {
            return Err(Error::Malformed("a header is not a map"));
        };
        if entries.len() > MAX_LABELS {
            return Err(Error::TooLong("a header has more than 256 labels"));
        }
        for (n, (label, _)) in entries.iter().enumerate() {
            if !matches!(label, Value::Integer(_) | Value::Text(_)) {
                return Err(Error::Malformed("a label is neither an integer nor text"));
            }
            if entries[..n].iter().any(|(other, _)| other == label) {
                return Err(Error::Malformed("a label is given twice"));
            }
        }
        Ok(Self(entries))
    }

    pub(super) fn get(&self, label: i64) -> Option<&Value> {
        let wanted = Value::from(label);
        self.0
            .iter()
            .find(|(own, _)| *own == wanted)
            .map(|(_, v)| v)
    }

    pub(super) fn bytes(&self, label: i64, wrong: &'static str) -> Result<Option<&[u8]>, Error> {
        match self.get(label) {
            None => Ok(None),
            Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Some(_) => Err(Error::Malformed(wrong)),
        }
    }

    pub(super) fn integer(&self, label: i64, wrong: &'static str) -> Result<Option<i64>, Error> {
        match self.get(label) {
            None => Ok(None),
            Some(Value::Integer(number)) => Ok(Some(
                i64::try_from(*number).map_err(|_| Error::Malformed(wrong))?,
            )),
            Some(_) => Err(Error::Malformed(wrong)),
        }
    }

    pub(super) fn into_value(self) -> Value {
        Value::Map(self.0)
    }

    pub(super) fn shares_a_label_with(&self, other: &Self) -> bool {
        self.0
            .iter()
            .any(|(label, _)| other.0.iter().any(|(own, _)| own == label))
    }
}

/// Reports whether bytes begin as a COSE_Encrypt0 or COSE_Encrypt message (RFC 9052, section 5):
/// with tag 16 or 96, or an array of 3 or 4, in any encoding of CBOR.
#[must_use]
pub fn detect(message: &[u8]) -> bool {
    match head(message) {
        Some((6, Some(16 | 96), inside)) => matches!(head(inside), Some((4, ..))),
        Some((4, Some(3 | 4) | None, _)) => true,
        _ => false,
    }
}

/// Locates the ciphertext of a message, the third entry of its array, with and without its head.
/// Returns `None` unless it is a byte string of definite length in such an array.
pub(super) fn ciphertext(message: &[u8]) -> Option<(Range<usize>, Range<usize>)> {
    let (major, _, inside) = head(message)?;
    let array = if major == 6 { inside } else { message };
    let (4, Some(3..), after) = head(array)? else {
        return None;
    };
    let at = skip(skip(after)?)?;
    let (2, Some(len), rest) = head(at)? else {
        return None;
    };
    let end = message.len() - rest.len();
    let whole = message.len() - at.len()..end;
    Some((whole, end - usize::try_from(len).ok()?..end))
}
