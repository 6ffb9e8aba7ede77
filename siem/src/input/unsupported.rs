//! Inputs that are refused, by name: to pass them on as records would look like an answer.

use super::{
    Compression, PARQUET,
    error::{Format, InputError},
};
use crate::looks::{SAMPLE, is_binary};

/// The format of an input that begins so; `None` if it may hold records. The cells of a table may
/// hold anything.
pub(crate) fn format(start: &[u8], is_table: bool) -> Option<Format> {
    let known = MAGIC.iter().find(|(magic, _)| start.starts_with(magic));
    if let Some((_, format)) = known {
        return Some(*format);
    }
    if is_bzip2(start) {
        return Some(Format::Bzip2);
    }
    if is_orc(start) {
        return Some(Format::Orc);
    }
    if is_utf16(start) {
        return Some(Format::Utf16);
    }
    let text = start.trim_ascii_start();
    let may_be_json = matches!(text.first(), Some(b'{' | b'[' | b'"'));
    (!may_be_json && !is_table && is_binary(text)).then_some(Format::Binary)
}

/// Why a file that begins so cannot be followed as lines.
pub(crate) fn of_lines(start: &[u8]) -> Option<InputError> {
    match start {
        [0x1f, 0x8b, ..] => Some(InputError::NotLines(Compression::Gzip)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(InputError::NotLines(Compression::Zstd)),
        _ if start.starts_with(PARQUET) => Some(InputError::ParquetStream),
        _ if may_become(start) => None,
        _ => format(start, false).map(InputError::Unsupported),
    }
}

/// Whether more bytes are needed to tell: of what is not JSON a line, or the first bytes of it.
pub(crate) fn may_become(start: &[u8]) -> bool {
    let may_be_json = matches!(start.trim_ascii_start().first(), Some(b'{' | b'['));
    !may_be_json && start.len() < ENOUGH && !start.contains(&b'\n')
}

/// How many bytes are enough to tell binary data from text.
const ENOUGH: usize = 64;

const MAGIC: [(&[u8], Format); 6] = [
    (b"\xfd7zXZ", Format::Xz),
    (b"PK\x03\x04", Format::Zip),
    (b"7z\xbc\xaf", Format::SevenZip),
    (b"\x04\x22\x4d\x18", Format::Lz4),
    (b"\xff\x06\x00\x00sNaPpY", Format::Snappy),
    (b"Obj\x01", Format::Avro),
];

/// A level from 1 to 9, and then the first block: text may begin with `BZh`.
fn is_bzip2(start: &[u8]) -> bool {
    let Some([level, block @ ..]) = start.strip_prefix(b"BZh") else {
        return false;
    };
    matches!(level, b'1'..=b'9') && block.starts_with(b"1AY&SY")
}

/// Binary data after the name: text may begin with a column `ORCID`.
fn is_orc(start: &[u8]) -> bool {
    start.strip_prefix(b"ORC").is_some_and(is_binary)
}

/// With a byte order mark, or ASCII in it.
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
        assert!(format(b"\xfd7zXZ\0", true).is_some());
    }
}
