//! CBOR (RFC 8949): bounded reading, and deterministic writing (section 4.2.1).

use std::ops::Range;

use ciborium::Value;
use zeroize::Zeroize;

use crate::Error;

/// The maximum number of data items of a message or a key: strings, numbers, arrays, maps and tags,
/// including those of protected headers. A message with 256 recipients has about 5,000.
pub const MAX_ITEMS: usize = 10_000;
/// The maximum number of labels of a header or a key. Each is compared with those before it.
pub const MAX_LABELS: usize = 256;
/// The deepest nesting of arrays, maps and tags.
const MAX_DEPTH: usize = 16;

/// The number of data items that may still be read of a message or a key.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) const fn new() -> Self {
        Self(MAX_ITEMS)
    }

    /// Decodes one data item, with nothing after it. A refused item is wiped, since it may be a
    /// private key.
    pub(super) fn decode(&mut self, bytes: &[u8]) -> Result<Value, Error> {
        self.take_items(bytes)?;
        let mut rest = bytes;
        let value = ciborium::de::from_reader_with_recursion_limit(&mut rest, MAX_DEPTH);
        match value {
            Ok(value) if rest.is_empty() => Ok(value),
            Ok(mut value) => {
                wipe(&mut value);
                Err(Error::Malformed("something follows the message"))
            }
            Err(_) => Err(Error::Malformed("it is not CBOR, or is nested too deeply")),
        }
    }

    /// Counts the heads before anything is allocated for them. Nesting needs no extra handling:
    /// after the head of an array, a map or a tag comes another head.
    fn take_items(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let cut = Error::Malformed("it is not CBOR, or was cut");
        let too_many = Error::TooLong("the message has more than 10,000 data items");
        let mut rest = bytes;
        while !rest.is_empty() {
            self.0 = self.0.checked_sub(1).ok_or(too_many.clone())?;
            (_, _, rest) = head(rest).ok_or(cut.clone())?;
        }
        Ok(())
    }
}

/// Encodes with the shortest heads and definite lengths. Maps are put in order by [`map`].
pub(super) fn encode(value: &Value) -> Vec<u8> {
    // An upper bound, so that the buffer never grows and leaves a copy of a key behind.
    let mut bytes = Vec::with_capacity(size(value));
    // Writing to memory does not fail.
    let _ = ciborium::into_writer(value, &mut bytes);
    bytes
}

/// Appends the shortest head of a data item: its major type and its argument.
pub(super) fn write_head(major: u8, argument: usize, to: &mut Vec<u8>) {
    let bytes = (argument as u64).to_be_bytes();
    let (info, len) = match argument {
        0..24 => (bytes[7], 0),
        24..0x100 => (24, 1),
        0x100..0x1_0000 => (25, 2),
        0x1_0000..=0xffff_ffff => (26, 4),
        _ => (27, 8),
    };
    to.push(major << 5 | info);
    to.extend_from_slice(&bytes[8 - len..]);
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

/// A header or a key: labels that are integers or text, none of them twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Members(Vec<(Value, Value)>);

impl Members {
    /// Reads the members of a map. A refused value is wiped, since it may be a private key.
    pub(super) fn new(value: Value) -> Result<Self, Error> {
        let mut value = value;
        match value {
            Value::Map(entries) => {
                let mut members = Self(entries);
                members.check().inspect_err(|_| members.wipe())?;
                Ok(members)
            }
            _ => {
                wipe(&mut value);
                Err(Error::Malformed("a header or key is not a map"))
            }
        }
    }

    fn check(&self) -> Result<(), Error> {
        if self.0.len() > MAX_LABELS {
            return Err(Error::TooLong("a header or key has more than 256 labels"));
        }
        for (n, (label, _)) in self.0.iter().enumerate() {
            if !matches!(label, Value::Integer(_) | Value::Text(_)) {
                return Err(Error::Malformed("a label is neither an integer nor text"));
            }
            if self.0[..n].iter().any(|(other, _)| other == label) {
                return Err(Error::Malformed("a label is given twice"));
            }
        }
        Ok(())
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

    /// Overwrites every byte string, since one may be a private key.
    pub(super) fn wipe(&mut self) {
        for (label, value) in &mut self.0 {
            wipe(label);
            wipe(value);
        }
    }
}

/// Overwrites the byte strings of a value, including labels of maps.
pub(super) fn wipe(value: &mut Value) {
    match value {
        Value::Bytes(bytes) => bytes.zeroize(),
        Value::Map(entries) => entries.iter_mut().for_each(|(label, value)| {
            wipe(label);
            wipe(value);
        }),
        Value::Tag(_, value) => wipe(value),
        Value::Array(values) => values.iter_mut().for_each(wipe),
        _ => {}
    }
}

/// Computes an upper bound of the encoded size: a head has at most 9 bytes.
fn size(value: &Value) -> usize {
    9 + match value {
        Value::Bytes(bytes) => bytes.len(),
        Value::Text(text) => text.len(),
        Value::Array(values) => values.iter().map(size).sum(),
        Value::Map(entries) => entries.iter().map(|(k, v)| size(k) + size(v)).sum(),
        Value::Tag(_, value) => size(value),
        _ => 0,
    }
}

/// Splits off the head of a data item. Returns its major type, its argument unless the length is
/// indefinite, and the rest. The content of a string is skipped.
fn head(bytes: &[u8]) -> Option<(u8, Option<u64>, &[u8])> {
    let (&first, after) = bytes.split_first()?;
    let (major, info) = (first >> 5, first & 31);
    let len = match info {
        0..=23 | 31 => 0,
        24..=27 => 1 << (info - 24),
        _ => return None,
    };
    let (argument, after) = after.split_at_checked(len)?;
    let big_endian = |all: u64, byte: &u8| all << 8 | u64::from(*byte);
    let argument = match info {
        31 => None,
        0..=23 => Some(info.into()),
        _ => Some(argument.iter().fold(0, big_endian)),
    };
    let skipped = match (major, argument) {
        (2 | 3, Some(len)) => usize::try_from(len).ok()?,
        _ => 0,
    };
    Some((major, argument, after.get(skipped..)?))
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
/// Returns `None` unless it is a byte string of definite length after headers of definite lengths.
pub(super) fn ciphertext(message: &[u8]) -> Option<(Range<usize>, Range<usize>)> {
    let (major, _, inside) = head(message)?;
    let array = if major == 6 { inside } else { message };
    let (4, Some(3..), after) = head(array)? else {
        return None;
    };
    let at = skip_item(skip_item(after)?)?;
    let (2, Some(len), rest) = head(at)? else {
        return None;
    };
    let end = message.len() - rest.len();
    let whole = message.len() - at.len()..end;
    Some((whole, end - usize::try_from(len).ok()?..end))
}

/// Returns the bytes after a data item of definite lengths.
fn skip_item(mut bytes: &[u8]) -> Option<&[u8]> {
    let mut open = 1_u64;
    while open > 0 {
        let (major, argument, rest) = head(bytes)?;
        let inside = match major {
            4 => argument?,
            5 => argument?.checked_mul(2)?,
            6 => 1,
            _ => argument.map(|_| 0)?,
        };
        open = (open - 1).checked_add(inside)?;
        bytes = rest;
    }
    Some(bytes)
}
