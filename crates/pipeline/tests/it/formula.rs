//! Spreadsheets find no formula in opened data, whatever the delimiter at which they
//! split cells.

use pqseal_pipeline::Framing;
use pqseal_records::{OnField, ResultFormat};
use proptest::prelude::*;
use serde_json::Value;

use crate::common::{fields, run, with};

const SEPARATORS: [(&str, u8); 3] = [("comma", b','), ("semicolon", b';'), ("tab", b'\t')];

/// Returns a table with this separator, in which the sealed cell was replaced by this
/// text.
fn opened(text: &str, separator: u8, form: ResultFormat) -> Vec<u8> {
    let quoted = text.replace('"', "\"\"");
    let between = char::from(separator);
    let input = format!("a{between}s{between}b\n1{between}\"open:{quoted}\"{between}2\n");
    let rules = with(OnField::Replace, form, fields(&["s"]));
    run(input, Framing::Rows(separator), rules).unwrap().0
}

/// Returns every cell that a reader finds in a table with this separator.
fn cells(table: &[u8], separator: u8) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .has_headers(false)
        .from_reader(table);
    let rows = reader.byte_records().map(Result::unwrap);
    rows.flat_map(|row| {
        row.iter()
            .map(|cell| String::from_utf8_lossy(cell).into_owned())
            .collect::<Vec<_>>()
    })
    .collect()
}

fn is_formula(cell: &str) -> bool {
    let blank = |c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}';
    cell.trim_start_matches(blank)
        .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

#[track_caller]
fn has_no_formula(table: &[u8]) {
    for (name, separator) in SEPARATORS {
        let found = cells(table, separator)
            .into_iter()
            .find(|cell| is_formula(cell));
        let table = String::from_utf8_lossy(table);
        assert_eq!(found, None, "read at each {name}: {table}");
    }
}

/// The cases that define the rule, which are shared with the page.
#[test]
fn the_cases() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../formulas.json")).unwrap();
    assert!(cases.len() > 40);
    for case in &cases {
        let text = case["text"].as_str().unwrap();
        for (name, separator) in SEPARATORS {
            let table = opened(text, separator, ResultFormat::String);
            let cell = cells(&table, separator).into_iter().nth(5).unwrap();
            assert_eq!(case[name], cell.as_str(), "{text:?} in a table with {name}");
            has_no_formula(&table);
        }
    }
}

/// JSON in a cell keeps its value: a character of the formula is escaped.
#[test]
fn json_stays_the_same_json() {
    let doc = r#"["=a","x",{"k;=":"a;=b, \"-c\"\t@d","n":-1}]"#;
    for (_, separator) in SEPARATORS {
        let table = opened(doc, separator, ResultFormat::Json);
        has_no_formula(&table);
        let cell = &cells(&table, separator)[5];
        assert_eq!(
            serde_json::from_str::<Value>(cell).unwrap(),
            serde_json::from_str::<Value>(doc).unwrap()
        );
        assert!(
            cell.contains(r#"["\u003da","#) && cell.contains(":-1}"),
            "{cell}"
        );
    }
    let sealed = r#"[""x"",{""s"":""open:a;=b\nx,-1""}]"#;
    let input = format!("doc\n\"{sealed}\"\n");
    let rules = with(
        OnField::Replace,
        ResultFormat::String,
        fields(&["doc[1].s"]),
    );
    let (out, _) = run(input, Framing::CSV, rules).unwrap();
    let expected = r#"[""x"",{""s"":""a;\u003db\nx,-1""}]"#;
    assert_eq!(
        String::from_utf8(out).unwrap(),
        format!("doc\n\"{expected}\"\n")
    );
}

#[test]
fn base64_stays_what_it_is() {
    let rules = with(OnField::Replace, ResultFormat::Base64, fields(&["s"]));
    let (out, _) = run(b"s\nopen:\xf8\n", Framing::CSV, rules).unwrap();
    assert_eq!(out, b"s,decrypt_status\n+A==,opened\n");
}

proptest! {
    #[test]
    fn no_text_makes_a_formula(
        parts in prop::collection::vec(prop_oneof![
            Just("="), Just("+"), Just("-"), Just("@"), Just("＝"), Just(","), Just(";"), Just("\t"), Just("\n"), Just("\r"),
            Just("\""), Just("'"), Just(" "), Just("\u{a0}"), Just("\u{feff}"), Just("\0"), Just("a"), Just("|"),
        ], 0..12),
        json in any::<bool>(),
    ) {
        let text = parts.concat();
        let (text, form) = if json { (serde_json::json!([text, text]).to_string(), ResultFormat::Json) } else { (text, ResultFormat::String) };
        for (_, separator) in SEPARATORS {
            has_no_formula(&opened(&text, separator, form));
        }
    }
}
