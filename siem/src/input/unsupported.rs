//! Inputs that are refused, by name: to pass them on as records would look like an answer.

use crate::looks::{SAMPLE, is_binary};

/// What is wrong with an input that begins so, and what to do; `None` if it may hold records. The
/// cells of a table may hold anything.
pub(crate) fn advice(start: &[u8], is_table: bool) -> Option<String> {
    let known = MAGIC.iter().find(|(magic, ..)| start.starts_with(magic));
    if let Some((_, name, program)) = known {
        return Some(format!("{name} is not supported; use {program} first"));
    }
    if is_utf16(start) {
        return Some(UTF16.to_owned());
    }
    let text = start.trim_ascii_start();
    let may_be_json = matches!(text.first(), Some(b'{' | b'[' | b'"'));
    (!may_be_json && !is_table && is_binary(text)).then(|| BINARY.to_owned())
}

/// Whether more bytes are needed to tell: of what is not JSON a line, or the first bytes of it.
pub(crate) fn may_become(start: &[u8]) -> bool {
    let may_be_json = matches!(start.trim_ascii_start().first(), Some(b'{' | b'['));
    !may_be_json && start.len() < ENOUGH && !start.contains(&b'\n')
}

/// How many bytes are enough to tell binary data from text.
const ENOUGH: usize = 64;

const MAGIC: [(&[u8], &str, &str); 8] = [
    (b"\xfd7zXZ", "xz", "`xz -dc`"),
    (b"BZh", "bzip2", "`bzip2 -dc`"),
    (
        b"PK\x03\x04",
        "a ZIP archive (or a spreadsheet)",
        "`unzip -p`",
    ),
    (b"7z\xbc\xaf", "a 7-Zip archive", "`7z x -so`"),
    (b"\x04\x22\x4d\x18", "LZ4", "`lz4 -dc`"),
    (b"\xff\x06\x00\x00sNaPpY", "Snappy", "a decompressor"),
    (b"Obj\x01", "Avro", "a converter to JSON"),
    (b"ORC", "ORC", "a converter to Parquet"),
];

const UTF16: &str = "UTF-16 is not supported; use `iconv -f UTF-16 -t UTF-8` first (PowerShell writes UTF-16 with `>`; \
                     Out-File -Encoding utf8 does not)";
const BINARY: &str = "it is binary data, and not gzip, Zstandard or Parquet; Brotli, which cannot be recognised, is not supported: use \
                      `brotli -dc` first";

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
        let cases: [(&[u8], &str); 7] = [
            (b"\xfd7zXZ\0\0", "xz"),
            (b"BZh9", "bzip2"),
            (b"PK\x03\x04\x14", "ZIP"),
            (&[b"\xff\xfe", utf16("{}").as_slice()].concat(), "UTF-16"),
            (&utf16("{\"a\":1}"), "UTF-16"),
            (b"\x1b\x2a\x00\xf8\x25", "Brotli"),
            (b"a,b\n1,\x01", "Brotli"),
        ];
        for (start, name) in cases {
            assert!(
                advice(start, false).is_some_and(|advice| advice.contains(name)),
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
        ] {
            assert_eq!(advice(text, false), None);
        }
        assert_eq!(advice(b"a,b\n\x01,2", true), None);
        assert!(advice(b"\xfd7zXZ\0", true).is_some());
    }
}
