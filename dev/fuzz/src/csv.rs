//! Tables compared with the crate csv: it reads the same cells before and after.

use csv::ByteRecord;
use pqseal_pipeline::Framing;

use crate::pipeline;

/// Reads the separator from the first byte, and the table from the rest.
pub(crate) fn run(bytes: &[u8]) {
    let Some((choice, table)) = bytes.split_first() else {
        return;
    };
    let separator = if choice & 1 == 1 { b'\t' } else { b',' };
    let Ok((out, stats)) = pipeline::open(table, Framing::Rows(separator)) else {
        return;
    };
    // Zeros between rows are left out.
    let zeros = table.iter().filter(|byte| **byte == 0).count();
    assert!(out.len() + zeros >= table.len(), "something is lost");
    // The crate csv reads rows too that violate RFC 4180.
    if zeros > 0 || stats.failed.contains_key("bad_row") || !is_read_alike(table) {
        return;
    }
    let (before, after) = (rows(table, separator), rows(&out, separator));
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        let kept: ByteRecord = after.iter().take(before.len()).collect();
        assert_eq!(before, &kept);
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
