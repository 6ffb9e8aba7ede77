//! Damaged JSON: the next value is found, wherever pieces end.

use alloc::{format, string::String, vec::Vec};

use super::{Framing, OpenArray, Places, Slot, SlotKind, Splitter};

/// Returns each record as `line:character text`, for pieces of this size.
fn split(text: &str, size: usize, limit: usize) -> (Vec<String>, Result<(), OpenArray>) {
    let (mut splitter, mut places) = (Splitter::new(Framing::Json, false), Places::default());
    let (mut held, mut slots, mut records) = (Vec::new(), Vec::new(), Vec::new());
    let mut pieces = text.as_bytes().chunks(size);
    loop {
        let piece = pieces.next();
        let from = held.len();
        held.extend_from_slice(piece.unwrap_or_default());
        splitter.split(&held, from, limit, &mut slots);
        let end = match piece {
            Some(_) => Ok(()),
            None => splitter.end(&held, &mut slots),
        };
        let keep = splitter.rebase(held.len(), &mut slots);
        let mut counted = 0;
        for Slot { range, kind, .. } in slots.drain(..) {
            let place = places.after(&held[counted..range.start]);
            counted = range.start;
            let text = String::from_utf8_lossy(&held[range]);
            records.push(match kind {
                SlotKind::Record => format!("{}:{} {text}", place.line, place.column),
                kind => format!("{kind:?}"),
            });
        }
        if piece.is_none() {
            return (records, end);
        }
        let keep = keep.unwrap_or(held.len());
        places.after(&held[counted..keep]);
        held.drain(..keep);
    }
}

#[test]
fn the_next_value_is_found() {
    let cases: [(&str, &[&str]); 25] = [
        (
            r#"["a","b\"",5, null]"#,
            &[r#"1:2 "a""#, r#"1:6 "b\"""#, "1:12 5", "1:15 null"],
        ),
        (
            "[1]\n[{\"a\":1}]\n{\"b\":1}\ntext",
            &["1:2 1", "2:2 {\"a\":1}", "3:1 {\"b\":1}", "4:1 text"],
        ),
        ("[[{\"a\":1}],[2]]", &["1:2 [{\"a\":1}]", "1:12 [2]"]),
        ("[ ]", &[]),
        // A brace or a bracket too many.
        (
            r#"[{"a":1}}, {"b":2}]"#,
            &[r#"1:2 {"a":1}"#, r#"1:12 {"b":2}"#],
        ),
        (
            r#"[{"a":1], "b":2}, {"c":3}]"#,
            &[r#"1:2 {"a":1"#, r#"1:11 "b":2}"#, r#"1:19 {"c":3}"#],
        ),
        // None at the end, of a value or of a member.
        (
            r#"[{"a":1, {"b":2}, {"c":3}]"#,
            &[r#"1:2 {"a":1"#, r#"1:10 {"b":2}"#, r#"1:19 {"c":3}"#],
        ),
        (
            "[\n  {\n    \"a\": {\n      \"x\": 1\n  },\n  {\n    \"b\": 2\n  }\n]\n",
            &[
                "2:3 {\n    \"a\": {\n      \"x\": 1\n  }",
                "6:3 {\n    \"b\": 2\n  }",
            ],
        ),
        (
            r#"[{"a":[1,2}, {"b":2}]"#,
            &[r#"1:2 {"a":[1,2}"#, r#"1:14 {"b":2}"#],
        ),
        (
            "[\n{\"a\":[1,\n{\"b\":2},\n{\"c\":3}\n]",
            &["2:1 {\"a\":[1", "3:1 {\"b\":2}", "4:1 {\"c\":3}"],
        ),
        // None at the beginning.
        (
            r#"["a":1}, {"b":2}]"#,
            &[r#"1:2 "a":1}"#, r#"1:10 {"b":2}"#],
        ),
        // No comma.
        (
            r#"[{"a":1} {"b":2}]"#,
            &[r#"1:2 {"a":1}"#, r#"1:10 {"b":2}"#],
        ),
        (
            r#"[{"a":1 "b":2},{"c":3}]"#,
            &[r#"1:2 {"a":1 "b":2}"#, r#"1:16 {"c":3}"#],
        ),
        // No quote.
        (
            r#"[{"a":"x},{"b":"y"},{"c":1}]"#,
            &[r#"1:2 {"a":"x}"#, r#"1:11 {"b":"y"}"#, r#"1:21 {"c":1}"#],
        ),
        (
            "[\n{\"a\":\"x},\n{\"b\":\"y\"}\n]",
            &["2:1 {\"a\":\"x}", "3:1 {\"b\":\"y\"}"],
        ),
        (
            "{\n\"a\":\"x\n}\n{\n\"b\":1}\n",
            &["1:1 {\n\"a\":\"x\n}", "4:1 {\n\"b\":1}"],
        ),
        // Other text.
        (
            r#"[{"a":1}, xyz, {"b":2} xyz{"c":3}]"#,
            &[
                r#"1:2 {"a":1}"#,
                "1:11 xyz",
                r#"1:16 {"b":2}"#,
                "1:24 xyz",
                r#"1:27 {"c":3}"#,
            ],
        ),
        (
            "{\n\"a\":1}\nAQblob\n{\"b\":[{\"c\":1},{\"d\":2}]}",
            &[
                "1:1 {\n\"a\":1}",
                "3:1 AQblob",
                "4:1 {\"b\":[{\"c\":1},{\"d\":2}]}",
            ],
        ),
        (
            "[\"é\",\n\"…😀\" ,1]",
            &["1:2 \"é\"", "2:1 \"…😀\"", "2:7 1"],
        ),
        // Values of the damaged one's kind and indentation, not those within it.
        (
            "[\n  {\"a\": \"x\n    {\"b\": 1},\n  {\"c\": 1}\n]",
            &["2:3 {\"a\": \"x\n    {\"b\": 1}", "4:3 {\"c\": 1}"],
        ),
        (
            "[{\"a\":[[1] {}, 2",
            &["1:2 {\"a\":[[1]", "1:12 {}", "1:16 2"],
        ),
        ("[{\"a\" \"b\"", &["1:2 {\"a\" \"b\""]),
        ("\"", &["1:1 \""]),
        ("{\"a\\", &["1:1 {\"a\\"]),
        (
            "[{\"a\":\"\\\n\"},{\"b\":1}]",
            &["1:2 {\"a\":\"\\\n\"}", "2:4 {\"b\":1}"],
        ),
    ];
    for (text, expected) in cases {
        for size in [usize::MAX, 1, 2, 7] {
            let records = split(text, size, usize::MAX).0;
            assert_eq!(records, expected, "{text} in pieces of {size}");
        }
    }
}

#[test]
fn an_array_without_an_end_is_told() {
    for (text, is_told) in [
        ("[{\"a\":1}", true),
        ("[{\"a\":1}]", false),
        ("[{\"a\":\"x", true),
        ("[{\"a\":\"x}]\n", true),
        ("[{\"a\":1, {\"b\":", true),
        ("{\"a\":\"x", false),
    ] {
        let end = split(text, usize::MAX, usize::MAX).1;
        assert_eq!(end.is_err(), is_told, "{text}");
    }
}

#[test]
fn values_beyond_the_limit_are_damaged_too() {
    let long = "x".repeat(100);
    for text in [
        format!("[\n{{\"a\":\"{long}\n,\n{{\"b\":1}}\n]"),
        format!("[\n{{\"a\":[{long},\n[\n\"\" \"{long}\",\n{{\"b\":1}}\n]"),
    ] {
        for size in [usize::MAX, 1, 7, 50] {
            let records = split(&text, size, 50).0;
            assert_eq!(
                records.last().unwrap(),
                &format!("{}:1 {{\"b\":1}}", text.matches('\n').count())
            );
            assert_eq!(records[0], "TooLarge");
        }
    }
}

/// The bound that keeps crafted damage linear.
#[test]
fn bytes_are_not_looked_at_again_without_end() {
    let text = r#"[{"a":"x},{"b":"y"},{"c":1}]"#;
    for (again, expected) in [(12, 3), (11, 2)] {
        let mut splitter = Splitter::json(false);
        splitter.again = again;
        let mut slots = Vec::new();
        splitter.split(text.as_bytes(), 0, usize::MAX, &mut slots);
        let _ = splitter.end(text.as_bytes(), &mut slots);
        assert_eq!(slots.len(), expected, "{slots:?}");
    }
}
