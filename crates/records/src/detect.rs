//! Detection of an input's format by its first bytes and its name. Formats that are not read are
//! named, since passing them through as records would look like success. An unknown format is not
//! guessed.

use crate::{
    json,
    looks::{SAMPLE, is_binary},
    split::{Framing, MARK, SEPARATOR},
};

/// The maximum number of bytes of an input that are examined before its format counts as unknown.
pub const EVIDENCE: usize = 64 * 1024;
/// The number of bytes that suffices to distinguish binary data from text.
const ENOUGH: usize = 64;
/// The maximum size of white space before the first record. Longer white space is passed on instead
/// of being held until a decisive byte arrives.
const MAX_BLANKS: usize = 256 * 1024;
/// The first bytes of Parquet: its signature, and the field that is first in each of its headers.
pub const PARQUET: &[u8] = b"PAR1\x15";

/// The result of [`detect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Detected {
    /// More bytes are needed.
    NeedMore,
    /// Records, separated in this way.
    Records(Framing),
    /// Compressed data.
    Packed(Packing),
    /// Parquet.
    Parquet,
    /// A format that is recognised, but not read.
    Other(Known),
    /// Binary data of an unknown format.
    Unknown,
}

/// A compression format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878). A skippable frame may come first.
    Zstd,
}

/// A format that is recognised, but not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Known {
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
    /// A ZIP archive, such as a spreadsheet.
    Zip,
    /// A 7-Zip archive.
    SevenZip,
    /// LZ4.
    Lz4,
    /// Snappy.
    Snappy,
    /// Avro.
    Avro,
    /// ORC.
    Orc,
    /// A tar archive.
    Tar,
    /// UTF-16.
    Utf16,
    /// UTF-32.
    Utf32,
    /// Compressed batches of OpenTelemetry, each after its length.
    OtlpBatches,
}

/// Detects what an input is by its first bytes. If `framing`, the separation of records, is given,
/// it is not detected, but other formats are still recognised. `is_all` is set if the input has no
/// more bytes.
///
/// ```
/// use pqseal_records::{Framing, detect::{Detected, Known, Packing, detect}};
///
/// assert_eq!(detect(b"[{}]", None, true), Detected::Records(Framing::Json));
/// assert_eq!(detect(b"\x1e{}\n", None, true), Detected::Records(Framing::Sequence));
/// assert_eq!(detect(b"\x1f\x8b\x08", None, true), Detected::Packed(Packing::Gzip));
/// assert_eq!(detect(b"\xff\xfe{\0}\0", None, true), Detected::Other(Known::Utf16));
/// assert_eq!(detect(b"{", None, false), Detected::NeedMore);
/// ```
#[must_use]
pub fn detect(start: &[u8], framing: Option<Framing>, is_all: bool) -> Detected {
    let is_cut = [MARK, PARQUET].iter().any(|mark| mark.starts_with(start));
    if !is_all && (is_cut || may_become(start)) {
        return Detected::NeedMore;
    }
    if framing.is_none() && start.starts_with(PARQUET) {
        return Detected::Parquet;
    }
    let is_table = matches!(framing, Some(Framing::Rows(_)));
    if let Some(found) = other(start, is_table) {
        let is_guess = matches!(
            found,
            Detected::Unknown | Detected::Other(Known::Utf16 | Known::Utf32)
        );
        return match is_guess && !is_all && start.len() < EVIDENCE {
            true => Detected::NeedMore,
            false => found,
        };
    }
    match framing.or_else(|| of_text(trim_start(start), start.len(), is_all)) {
        Some(framing) => Detected::Records(framing),
        None => Detected::NeedMore,
    }
}

/// Detects how records are separated in a text without the data before the first one. `None` if
/// more bytes are needed.
fn of_text(text: &[u8], read: usize, is_all: bool) -> Option<Framing> {
    let line_end = text.iter().position(|byte| *byte == b'\n');
    let is_long = text.len() > MAX_BLANKS;
    match (text.first(), line_end) {
        (Some(b'['), _) => Some(Framing::Json),
        (Some(&SEPARATOR), _) => Some(Framing::Sequence),
        (Some(b'{'), Some(end)) if text[..end].trim_ascii() == b"{" => Some(Framing::Json),
        (Some(b'{'), Some(_)) => Some(Framing::Lines),
        (Some(_), _) if is_long || text.get(1).is_some_and(|byte| !byte.is_ascii_whitespace()) => {
            Some(Framing::Lines)
        }
        (None, _) if read > MAX_BLANKS => Some(Framing::Lines),
        _ if is_all => Some(Framing::Lines),
        _ => None,
    }
}

/// Returns the separation of records in a file of this name, as far as the name shows what the
/// bytes do not: the extensions of tables, also before those of compression.
#[must_use]
pub fn of_name(name: &[u8]) -> Option<Framing> {
    let mut packed = [".gz", ".zst"].into_iter();
    let packed = packed.find(|ending| ends_with(name, ending));
    let name = &name[..name.len() - packed.map_or(0, str::len)];
    let separators = [(".csv", b','), (".tsv", b'\t')];
    let found = separators
        .iter()
        .find(|(ending, _)| ends_with(name, ending));
    found.map(|(_, separator)| Framing::Rows(*separator))
}

/// Reports whether a name has this ending, in upper or lower case.
fn ends_with(name: &[u8], ending: &str) -> bool {
    let start = name.len().checked_sub(ending.len());
    start.is_some_and(|start| name[start..].eq_ignore_ascii_case(ending.as_bytes()))
}

/// Returns the compression of data that begins with these bytes.
#[must_use]
pub const fn packing(start: &[u8]) -> Option<Packing> {
    match start {
        [0x1f, 0x8b, ..] => Some(Packing::Gzip),
        // A frame, or a skippable frame, which pzstd writes first.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Packing::Zstd),
        _ => None,
    }
}

/// Returns the format of an input with this beginning, or `None` if it may contain records. A
/// single line of binary data does not make later lines binary. If `is_table`, the cells may
/// contain any bytes, but the column names may not.
fn other(start: &[u8], is_table: bool) -> Option<Detected> {
    let known = MAGIC.iter().find(|(magic, _)| start.starts_with(magic));
    if let Some((_, format)) = known {
        return Some(Detected::Other(*format));
    }
    if let Some(packing) = packing(start) {
        return Some(Detected::Packed(packing));
    }
    // The length of a batch below 16 MiB, and a frame of Zstandard.
    if matches!(start, [0, _, _, _, 0x28, 0xb5, 0x2f, 0xfd, ..]) {
        return Some(Detected::Other(Known::OtlpBatches));
    }
    // A level from 1 to 9 and the first block, since text may begin with `BZh`.
    if matches!(start, [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] if block.starts_with(b"1AY&SY"))
    {
        return Some(Detected::Other(Known::Bzip2));
    }
    // Binary data after the signature, since text may begin with a column `ORCID`.
    if start.strip_prefix(b"ORC").is_some_and(is_binary) {
        return Some(Detected::Other(Known::Orc));
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some(Detected::Other(Known::Tar));
    }
    if let Some(wide) = wide(start).filter(|_| !has_record(start)) {
        return Some(Detected::Other(wide));
    }
    let text = trim_start(start);
    let is_binary = if is_table {
        let header = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
        let is_text = core::str::from_utf8(header).is_ok();
        is_binary(header) || (!is_text && is_binary(text))
    } else {
        let may_be_json = matches!(text.first(), Some(b'{' | b'[' | b'"' | &SEPARATOR));
        !may_be_json && is_binary(text) && !has_record(text)
    };
    is_binary.then_some(Detected::Unknown)
}

/// Reports whether a line is a JSON record. If one is, the data around it is text, too.
pub fn has_record(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(trim_start);
    lines.any(|line| line.starts_with(b"{") && json::validate(line).is_ok())
}

/// Reports whether more bytes are needed to decide: a line, or its first bytes, of data that is not
/// JSON.
pub fn may_become(start: &[u8]) -> bool {
    let may_be_json = matches!(trim_start(start).first(), Some(b'{' | b'['));
    !may_be_json && start.len() < ENOUGH && !start.contains(&b'\n')
}

/// Removes data before the first record: a byte order mark, white space, and zeros. Zeros occur in
/// a log that was truncated while its writer kept its position.
pub fn trim_start(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let blanks = text
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace() || **byte == 0);
    &text[blanks.count()..]
}

const MAGIC: [(&[u8], Known); 6] = [
    (b"\xfd7zXZ", Known::Xz),
    (b"PK\x03\x04", Known::Zip),
    (b"7z\xbc\xaf", Known::SevenZip),
    (b"\x04\x22\x4d\x18", Known::Lz4),
    (b"\xff\x06\x00\x00sNaPpY", Known::Snappy),
    (b"Obj\x01", Known::Avro),
];

/// Checks for the byte order mark of UTF-16 or UTF-32, or two ASCII characters in one of them.
fn wide(start: &[u8]) -> Option<Known> {
    match start[..start.len().min(SAMPLE)] {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some(Known::Utf32),
        [a, 0, 0, 0, b, 0, 0, 0, ..] | [0, 0, 0, a, 0, 0, 0, b, ..] if are_text(a, b) => {
            Some(Known::Utf32)
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(Known::Utf16),
        [a, 0, b, 0, ..] | [0, a, 0, b, ..] if are_text(a, b) => Some(Known::Utf16),
        _ => None,
    }
}

/// Reports whether both bytes may be ASCII characters of a text.
const fn are_text(a: u8, b: u8) -> bool {
    a.is_ascii() && b.is_ascii() && a > 8 && b > 8
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn formats_are_named() {
        let utf16 = |text: &str| {
            text.encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<_>>()
        };
        let utf32 = |text: &str| {
            text.chars()
                .flat_map(|c| u32::from(c).to_be_bytes())
                .collect::<Vec<_>>()
        };
        let cases: [(&[u8], Detected); 14] = [
            (b"\xfd7zXZ\0\0", Detected::Other(Known::Xz)),
            (b"BZh91AY&SY\x12", Detected::Other(Known::Bzip2)),
            (b"ORC\x11\0\0", Detected::Other(Known::Orc)),
            (b"PK\x03\x04\x14", Detected::Other(Known::Zip)),
            (b"\x28\xb5\x2f\xfd", Detected::Packed(Packing::Zstd)),
            (b"\x5f\x2a\x4d\x18", Detected::Packed(Packing::Zstd)),
            (b"PAR1\x15", Detected::Parquet),
            (
                b"\0\0\x01\x02\x28\xb5\x2f\xfd",
                Detected::Other(Known::OtlpBatches),
            ),
            (
                &[b"\xff\xfe", utf16("{}").as_slice()].concat(),
                Detected::Other(Known::Utf16),
            ),
            (&utf16("{\"a\":1}"), Detected::Other(Known::Utf16)),
            (
                &[b"\xff\xfe\0\0", utf16("{}").as_slice()].concat(),
                Detected::Other(Known::Utf32),
            ),
            (&utf32("{\"a\":1}"), Detected::Other(Known::Utf32)),
            (b"\x1b\x2a\x00\xf8\x25", Detected::Unknown),
            (b"a,b\n1,\x01", Detected::Unknown),
        ];
        for (start, expected) in cases {
            assert_eq!(detect(start, None, true), expected, "{start:x?}");
        }
        for text in [
            &b"{\"a\":\"\0\"}"[..],
            b"text\n",
            b"",
            b"caf\xe9",
            b"\x1b[1mbold",
            b"\n\n{}",
            b"\xef\xbb\xbf\0\0{\"a\":\"\x01",
            b"B",
            b"BZh9,name\n",
            b"ORCID,name\n",
            b"ORC,name\n",
            b"ORC\r\n",
            b"ORC",
        ] {
            assert_eq!(detect(text, None, true), Detected::Records(Framing::Lines));
        }
        let table = Framing::Rows(b',');
        for start in [&b"a,b\n\x01,2"[..], b"a,\xe9\n1,2"] {
            assert_eq!(detect(start, Some(table), true), Detected::Records(table));
        }
        for start in [
            &b"\xfd7zXZ\0"[..],
            b"a,\x01\n1,2",
            b"a,\xe9\n1,\x01",
            b"\x1f\x8b\x08",
        ] {
            assert_ne!(detect(start, Some(table), true), Detected::Records(table));
        }
    }

    #[test]
    fn names_show_tables() {
        for (name, separator) in [("a.csv", b','), ("B.TSV.gz", b'\t'), ("c.Csv.zst", b',')] {
            assert_eq!(of_name(name.as_bytes()), Some(Framing::Rows(separator)));
        }
        for name in ["a.json", "csv", "a.gz", "a.csv.xz", "\u{e9}\u{e9}"] {
            assert_eq!(of_name(name.as_bytes()), None);
        }
    }
}
