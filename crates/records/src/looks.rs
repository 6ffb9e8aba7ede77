//! Guesses about inputs that are not in the expected format, with advice.

use crate::{blob::is_blob, json};

/// Describes a record that is not JSON, by its first bytes.
pub fn like(start: &[u8]) -> Option<&'static str> {
    let start = start.trim_ascii();
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or(start);
    let known = STARTS.iter().find(|(prefix, _)| start.starts_with(prefix));
    if let Some((_, looks)) = known {
        return Some(looks);
    }
    match start {
        // Such as what Firehose writes: documents without line ends.
        [b'{', ..] if line.windows(2).any(|pair| pair == b"}{") => {
            Some("several JSON values on one line; add --input-format json")
        }
        [b'{' | b'[', ..] => Some(match json::validate(line) {
            // More lines would not help.
            Err(bad) if bad.offset < line.trim_ascii_end().len() => NOT_JSON,
            _ => NO_END,
        }),
        _ if is_binary(start) || core::str::from_utf8(clip(start)).is_err() => Some(BINARY),
        _ if is_blob(line) => Some("sealed blobs without records; `pqseal open` opens them"),
        _ if line.contains(&b'{') && line.trim_ascii_end().ends_with(b"}") => {
            Some("lines with text before the JSON; remove it first, as with: sed 's/^[^{]*//'")
        }
        _ if pairs(line) => Some("lines of key=value pairs, which are not supported"),
        _ => header(line),
    }
}

/// Describes a header in which only one column was recognised.
pub fn header(line: &[u8]) -> Option<&'static str> {
    if line.starts_with(b"{") || line.starts_with(b"[") {
        return Some("JSON; add --input-format ndjson, or json if it is over several lines");
    }
    let separated = SEPARATORS
        .iter()
        .find(|(separator, _)| line.contains(separator));
    separated.map(|(_, looks)| *looks)
}

/// Reports whether the first bytes are binary data: they have control characters that neither
/// text nor a JSON text sequence (RFC 7464) contains.
pub fn is_binary(start: &[u8]) -> bool {
    start[..start.len().min(SAMPLE)]
        .iter()
        .any(|byte| matches!(byte, 0..=8 | 14..=26 | 28 | 29 | 31 | 0x7f))
}

/// The number of bytes of an input that are examined.
pub const SAMPLE: usize = 1024;
const NOT_JSON: &str =
    "JSON with something that JSON does not have, such as NaN, a comment or a raw tab";
const NO_END: &str =
    "JSON whose end is missing on this line; add --input-format json if a later line has it";
const BINARY: &str = "binary data of an unknown format, perhaps compressed; decompress it first";

const STARTS: [(&[u8], &str); 6] = [
    (
        b"<",
        "XML, HTML or syslog; remove what is around the JSON first",
    ),
    (b"-----BEGIN ", "PEM; a key is given with -k"),
    (b"CEF:", "CEF, which is not supported"),
    (b"LEEF:", "LEEF, which is not supported"),
    (
        b"{'",
        "a Python dictionary; strings of JSON have double quotes",
    ),
    (b"---", "YAML, which is not supported"),
];

/// The separators, most specific first, since the others occur in text.
const SEPARATORS: [(u8, &str); 4] = [
    (
        b'\t',
        "a table with tabs between cells; add --input-format tsv",
    ),
    (
        b';',
        "a table with semicolons between cells; add --delimiter ';'",
    ),
    (b'|', "a table with | between cells; add --delimiter '|'"),
    (
        b',',
        "a table with commas between cells; add --input-format csv",
    ),
];

/// Reports whether a line has the form `level=info msg="..."`.
fn pairs(line: &[u8]) -> bool {
    let words = line.split(|byte| *byte == b' ');
    words.filter(|word| word.contains(&b'=')).count() >= 2
}

/// Returns the bytes to examine, without non-ASCII bytes at their end if that may cut a character.
fn clip(start: &[u8]) -> &[u8] {
    let mut end = start.len().min(SAMPLE);
    while end > 0 && start.len() >= SAMPLE && start[end - 1] >= 0x80 {
        end -= 1;
    }
    &start[..end]
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn records_that_are_not_json() {
        let blob = "A".repeat(80);
        let cases: [(&[u8], &str); 19] = [
            (b"{\"a\":NaN}\n{\"a\":1}", "such as NaN"),
            (b"{\"a\":\"\t\"}\r\n", "raw tab"),
            (b"a,b,c", "--input-format csv"),
            (b"a\tb,c", "--input-format tsv"),
            (b"a;b,c", "--delimiter ';'"),
            (b"a|b", "--delimiter '|'"),
            (b"{\"a\":", "end is missing"),
            (b"[{\"a\":1},{\"b\":2}", "end is missing"),
            (b"{\"a\":{\n}}{\"b\":2}", "end is missing on this line"),
            (
                b"{\"a\":1}{\"b\":2}",
                "on one line; add --input-format json",
            ),
            (b"<14>1 2024-01-01T00:00:00Z host {}", "syslog"),
            (b"Jan  1 00:00:00 host app: {\"a\":1}", "sed"),
            (b"level=info msg=\"a b\" n=1", "key=value"),
            (b"-----BEGIN PRIVATE KEY-----", "PEM"),
            (b"CEF:0|a|b|", "CEF"),
            (b"{'a': 1}", "Python"),
            (b"caf\xe9 au lait", "unknown format"),
            (b"x\0y", "unknown format"),
            (blob.as_bytes(), "pqseal open"),
        ];
        for (text, expected) in cases {
            let looks = like(text).unwrap_or_default();
            assert!(
                looks.contains(expected),
                "{}: {looks}",
                String::from_utf8_lossy(text)
            );
        }
        assert_eq!(like(b"hello"), None);
        assert_eq!(like("é".repeat(SAMPLE).as_bytes()), None);
    }
}
