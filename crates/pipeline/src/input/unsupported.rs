//! Formats that are refused by name, since passing them through as records would look like success.

use std::io;

use pqseal_records::{
    json,
    looks::{SAMPLE, is_binary},
};

use super::{
    Compression, PARQUET, compression,
    error::{Format, InputError},
};

/// The UTF-8 byte order mark that some editors write before text.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";
/// The number of bytes of an input that are examined before it counts as binary data.
pub(crate) const EVIDENCE: usize = 64 * 1024;
/// The number of bytes that suffices to distinguish binary data from text.
const ENOUGH: usize = 64;

/// Returns the unsupported format of an input with this beginning, or `None` if it may contain
/// records. A single line of binary data does not make later lines binary. If `is_table`, the cells
/// may contain any bytes, but the column names may not.
pub(crate) fn format(start: &[u8], is_table: bool) -> Option<Format> {
    let known = MAGIC.iter().find(|(magic, _)| start.starts_with(magic));
    if let Some((_, format)) = known {
        return Some(*format);
    }
    if compression(start) != Compression::None {
        return Some(Format::Compressed);
    }
    if is_bzip2(start) {
        return Some(Format::Bzip2);
    }
    if is_orc(start) {
        return Some(Format::Orc);
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some(Format::Tar);
    }
    if is_utf16(start) && !has_record(start) {
        return Some(Format::Utf16);
    }
    let text = trim_start(start);
    let is_binary = if is_table {
        let header = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
        let is_text = std::str::from_utf8(header).is_ok();
        is_binary(header) || (!is_text && is_binary(text))
    } else {
        let may_be_json = matches!(text.first(), Some(b'{' | b'[' | b'"'));
        !may_be_json && is_binary(text) && !has_record(text)
    };
    is_binary.then_some(Format::Binary)
}

/// Returns the reason why a file with this beginning cannot be followed as lines.
pub(crate) fn of_lines(start: &[u8]) -> Option<InputError> {
    match compression(start) {
        Compression::None if start.starts_with(PARQUET) => Some(InputError::ParquetStream),
        Compression::None if may_become(start) => None,
        Compression::None => format(start, false).map(InputError::Unsupported),
        compression => Some(InputError::NotLines(compression)),
    }
}

/// Reports whether a line is a JSON record. If one is, the data around it is text, too.
pub(crate) fn has_record(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(trim_start);
    lines.any(|line| line.starts_with(b"{") && json::validate(line).is_ok())
}

/// Reports whether more bytes are needed to decide: a line, or its first bytes, of data that is not
/// JSON.
pub(crate) fn may_become(start: &[u8]) -> bool {
    let may_be_json = matches!(trim_start(start).first(), Some(b'{' | b'['));
    !may_be_json && start.len() < ENOUGH && !start.contains(&b'\n')
}

/// Removes data before the first record: a byte order mark, white space, and zeros. Zeros occur in
/// a log that was truncated while its writer kept its position.
pub(crate) fn trim_start(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let blanks = text.iter().take_while(|byte| blank(byte)).count();
    &text[blanks..]
}

/// Returns the feature that the Zstandard decompressor does not support, from its error.
pub(super) fn zstd(compression: Compression, error: &io::Error) -> Option<Format> {
    let message = error.to_string();
    match compression {
        Compression::Zstd if message.contains("too much memory") => Some(Format::ZstdWindow),
        Compression::Zstd if message.contains("Dictionary") => Some(Format::ZstdDictionary),
        _ => None,
    }
}

const MAGIC: [(&[u8], Format); 6] = [
    (b"\xfd7zXZ", Format::Xz),
    (b"PK\x03\x04", Format::Zip),
    (b"7z\xbc\xaf", Format::SevenZip),
    (b"\x04\x22\x4d\x18", Format::Lz4),
    (b"\xff\x06\x00\x00sNaPpY", Format::Snappy),
    (b"Obj\x01", Format::Avro),
];

/// Checks for a level from 1 to 9 and the first block, since text may begin with `BZh`.
fn is_bzip2(start: &[u8]) -> bool {
    let Some([level, block @ ..]) = start.strip_prefix(b"BZh") else {
        return false;
    };
    matches!(level, b'1'..=b'9') && block.starts_with(b"1AY&SY")
}

/// Checks for binary data after the signature, since text may begin with a column `ORCID`.
fn is_orc(start: &[u8]) -> bool {
    start.strip_prefix(b"ORC").is_some_and(is_binary)
}

/// Checks for a byte order mark, or ASCII in UTF-16.
fn is_utf16(start: &[u8]) -> bool {
    match start[..start.len().min(SAMPLE)] {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, 0, b, 0, ..] | [0, a, 0, b, ..] => a.is_ascii() && b.is_ascii() && a > 8 && b > 8,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named() {
        let utf16 = |text: &str| {
            text.encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<_>>()
        };
        let cases: [(&[u8], &str); 8] = [
            (b"\xfd7zXZ\0\0", "xz"),
            (b"BZh91AY&SY\x12", "bzip2"),
            (b"ORC\x11\0\0", "ORC"),
            (b"PK\x03\x04\x14", "ZIP"),
            (&[b"\xff\xfe", utf16("{}").as_slice()].concat(), "UTF-16"),
            (&utf16("{\"a\":1}"), "UTF-16"),
            (b"\x1b\x2a\x00\xf8\x25", "Brotli"),
            (b"a,b\n1,\x01", "Brotli"),
        ];
        for (start, name) in cases {
            assert!(
                format(start, false).is_some_and(|format| format.to_string().contains(name)),
                "{name}"
            );
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
            assert_eq!(format(text, false), None);
        }
        assert_eq!(format(b"a,b\n\x01,2", true), None);
        assert_eq!(format(b"a,\xe9\n1,2", true), None);
        for start in [
            &b"\xfd7zXZ\0"[..],
            b"a,\x01\n1,2",
            b"a,\xe9\n1,\x01",
            b"\x1f\x8b\x08",
        ] {
            assert!(format(start, true).is_some());
        }
    }
}
