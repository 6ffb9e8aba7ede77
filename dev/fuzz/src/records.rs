//! Records and paths to their fields. JSON is compared with serde_json: its validity, and the value
//! at a path. Tables are compared with the crate csv: it reads the same cells before and after.

use std::borrow::Cow;

use csv::ByteRecord;
use pqseal_records::{
    Answer, FieldPath, Finder, Framing, Problem, Rule, Rules,
    split::{self, SlotKind},
};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Checks that the text of a path parses to the same path.
pub(crate) fn run_path(text: &[u8]) {
    let Ok(text) = str::from_utf8(text) else {
        return;
    };
    match text.parse::<FieldPath>() {
        Ok(path) => assert_eq!(path.to_string().parse(), Ok(path)),
        Err(error) => assert!(error.offset <= text.len()),
    }
}

pub(crate) fn path_seeds() -> Vec<Vec<u8>> {
    let texts = [
        "/a/b.c/0/d",
        r#".a."b.c"[1].d"#,
        r#"a."b\"c"[].d"#,
        "/a//x~1y~0",
        ".a2.p[].p",
        "Metadata.encrypted_matched_data",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// Reads a JSON Pointer, a line break, and a record.
pub(crate) fn run_json(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (pointer, record) = (parts.next().unwrap_or(b""), parts.next().unwrap_or(b""));
    let is_line = !record.trim_ascii().is_empty() && !record.contains(&b'\n');
    let pointer = str::from_utf8(pointer).ok();
    if let (true, Some(pointer)) = (is_line, pointer.filter(|text| text.starts_with('/')))
        && let Ok(path) = pointer.parse::<FieldPath>()
    {
        at_path(pointer, path, record);
    }
}

/// The nesting of brackets that serde_json refuses.
const LIMIT: usize = 127;

fn nesting(record: &[u8]) -> usize {
    record.iter().filter(|byte| b"[{".contains(byte)).count()
}

fn at_path(pointer: &str, path: FieldPath, record: &[u8]) {
    let rules = Rules {
        rules: vec![Rule::field(path)],
        ..Rules::default()
    };
    // Values other than strings have a text only when fields are sealed.
    let finder = Finder::documents(&rules, true);
    let found = finder.record(record);
    let (answers, mut out) = (vec![Answer::Absent; found.count()], Vec::new());
    let written = finder.write(record, &found, &answers, &mut out);
    assert_eq!(out, record, "a record without answers was changed");
    if written == Err(Problem::BadJson) {
        let is_theirs = serde_json::from_slice::<IgnoredAny>(record).is_ok();
        assert!(!is_theirs || nesting(record) >= LIMIT);
    }
    let texts: Result<Vec<_>, _> = found.fields().map(|field| field.text).collect();
    // Strings may have no text.
    let (Ok(()), Ok(seen)) = (written, texts) else {
        return;
    };
    if nesting(record) < LIMIT {
        assert!(serde_json::from_slice::<IgnoredAny>(record).is_ok());
    }
    let Ok(value) = serde_json::from_slice::<Value>(record) else {
        return;
    };
    // Where serde_json has no index, ours may have one: serde_json accepts no number with a
    // sign or a leading zero.
    let Some(expected) = value.pointer(pointer) else {
        return;
    };
    let [text] = seen.as_slice() else {
        panic!("{} fields at one path", seen.len());
    };
    match (expected, text) {
        (Value::Null, text) => assert_eq!(text, &None),
        (Value::String(expected), Some(text)) => assert_eq!(**text, *expected.as_bytes()),
        (expected, Some(text)) => {
            let found: Value = serde_json::from_slice(text).expect("a value");
            assert_eq!(&found, expected);
        }
        (_, None) => panic!("no field at the path"),
    }
}

pub(crate) fn json_seeds() -> Vec<Vec<u8>> {
    let pointers = [
        "/a",
        "/a/0/b",
        "/Metadata/encrypted_matched_data",
        "/a~1b/~0",
    ];
    let records = [
        r#"{"a":[{"b":"\u00e9\n"},1.5e-3,true,null]}"#,
        r#"{"Metadata":{"encrypted_matched_data":"AzTY6FHajXYXuDMUte82wrd"},"n":-0}"#,
        r#" { "a/b" : { "~" : "\ud83d\ude00" } , "dup":1, "dup" : [ ] } "#,
        "[[[[{}]]]]",
        "",
    ];
    let all = pointers
        .iter()
        .flat_map(|pointer| records.map(|record| format!("{pointer}\n{record}")));
    all.map(String::into_bytes).collect()
}

/// Reads the separator from the first byte, and the table from the rest.
pub(crate) fn run_csv(bytes: &[u8]) {
    let Some((choice, table)) = bytes.split_first() else {
        return;
    };
    let separator = if choice & 1 == 1 { b'\t' } else { b',' };
    // The crate csv reads rows too that violate RFC 4180.
    let Some(out) = opened(table, separator) else {
        return;
    };
    assert!(out.len() >= table.len(), "something is lost");
    if table.contains(&0) || !is_read_alike(table) {
        return;
    }
    let (before, after) = (rows(table, separator), rows(&out, separator));
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        let kept: ByteRecord = after.iter().take(before.len()).collect();
        assert_eq!(before, &kept);
    }
}

/// Opens `open:` and a text in the column `s` to that text. Returns `None` for a table with a bad
/// row.
fn opened(table: &[u8], separator: u8) -> Option<Vec<u8>> {
    let rules = Rules {
        rules: vec![Rule::field("s".parse().expect("a path"))],
        ..Rules::default()
    };
    let (slots, end) = split::all(table, Framing::Rows(separator));
    assert!(end.is_ok() && slots.iter().all(|slot| slot.kind == SlotKind::Record));
    let (header, rows) = slots.split_first()?;
    let finder = Finder::table(&rules, &table[header.range.clone()], separator, false).ok()?;
    let mut out = table[..header.range.start].to_vec();
    finder.write_header(&table[header.range.clone()], &mut out);
    let mut at = header.range.end;
    for slot in rows {
        out.extend_from_slice(&table[at..slot.range.start]);
        at = slot.range.end;
        let row = &table[slot.range.clone()];
        let found = finder.record(row);
        let texts: Vec<_> = found.fields().map(|field| field.text).collect();
        let answers: Vec<_> = texts.iter().map(answer).collect();
        finder.write(row, &found, &answers, &mut out).ok()?;
    }
    out.extend_from_slice(&table[at..]);
    Some(out)
}

fn answer<'a>(text: &'a Result<Option<Cow<'_, [u8]>>, Problem>) -> Answer<'a> {
    match text {
        Ok(Some(text)) if !text.is_empty() => match text.strip_prefix(b"open:") {
            Some(plaintext) => Answer::Opened(plaintext),
            None => Answer::Failed("no_key_matched"),
        },
        _ => Answer::Absent,
    }
}

/// Reports whether the crate csv reads the table as we do. For it a carriage return ends a
/// row, and it skips a byte order mark.
fn is_read_alike(table: &[u8]) -> bool {
    !table
        .windows(2)
        .any(|pair| pair[0] == b'\r' && pair[1] != b'\n')
        && !table.ends_with(b"\r")
        && !table.starts_with(b"\xef\xbb\xbf")
}

fn rows(table: &[u8], separator: u8) -> Vec<ByteRecord> {
    let mut reader = csv::ReaderBuilder::new();
    reader
        .has_headers(false)
        .flexible(true)
        .delimiter(separator);
    let rows = reader.from_reader(table).into_byte_records();
    rows.map(|row| row.expect("bytes that are in memory"))
        .collect()
}

pub(crate) fn csv_seeds() -> Vec<Vec<u8>> {
    let tables = [
        "a,s\n1,open:x\n",
        "s,a\r\nopen:x,\"1\"\r\n?,2\r\n",
        "\u{feff}s,a\n,truncated\n",
        "\"s\",\"a\n,\"\n\"open:1,\"\"2\n\",\"\"\"\"\n",
        "s,a\n\n?, 1 \n\r\nopen:=1+1,\n",
        "s,s\nopen:x,open:y\n1\n1,2,3\n",
    ];
    let tables = tables.iter().flat_map(|table| {
        let tabs = table.replace(',', "\t");
        [format!("\0{table}"), format!("\u{1}{tabs}")]
    });
    tables.map(String::into_bytes).collect()
}
