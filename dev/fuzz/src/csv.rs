//! Tables compared with the crate csv: it reads the same cells before and after.

use std::borrow::Cow;

use csv::ByteRecord;
use pqseal_records::{
    Answer, Finder, Framing, Problem, Rule, Rules,
    split::{self, SlotKind},
};

/// Reads the separator from the first byte, and the table from the rest.
pub(crate) fn run(bytes: &[u8]) {
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
    let alone = |pair: &[u8]| pair[0] == b'\r' && pair[1] != b'\n';
    !table.windows(2).any(alone) && !table.ends_with(b"\r") && !table.starts_with(b"\xef\xbb\xbf")
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

pub(crate) fn seeds() -> Vec<Vec<u8>> {
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
