//! Positions in JSON: the same texts are accepted as by serde_json, and paths lead to the same
//! fields as in jq.

use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use proptest::prelude::*;

use super::{
    Fields, MAX_STRINGS, Missed, Positions, Why, decode_bytes, decode_string, embed, embed_exact,
    encode_string, has_surrogate, locate, missed, validate, write_content,
};
use crate::{
    FieldPath,
    rules::{Rule, Selector},
};

/// A limit of fields that no test reaches by chance.
const MAX: usize = 100_000;

fn found(record: &str, path: &str) -> Vec<String> {
    let rules = [Rule::field(path.parse().unwrap())];
    let fields = locate(record.as_bytes(), &rules, MAX).unwrap();
    let value = |found| fields.value(record.as_bytes(), found).to_vec();
    fields
        .found
        .iter()
        .map(|found| String::from_utf8(value(found)).unwrap())
        .collect()
}

#[test]
fn paths_of_both_kinds_lead_to_fields() {
    let record = r#"{"a":{"b.c":[{"d":1},{"d":"two"},3],"":{"x/y":4},"m~n":5},"a2":{"p":{"1":{"p":6},"2":{"p":7}}}, "dup":8, "dup" : 9}"#;
    let cases: [(&str, &[&str]); 12] = [
        ("/a/b.c/0/d", &["1"]),
        (r#".a."b.c"[1].d"#, &["\"two\""]),
        (r#"a."b.c"[].d"#, &["1", "\"two\""]),
        (r#".a."b.c"[2]"#, &["3"]),
        ("/a//x~1y", &["4"]),
        ("/a/m~0n", &["5"]),
        (".a2.p[].p", &["6", "7"]),
        (".a2.p.2.p", &["7"]),
        (".dup", &["9"]),
        ("/none/of", &[]),
        (".a.none", &[]),
        ("/a/b.c/9", &[]),
    ];
    for (path, expected) in cases {
        assert_eq!(found(record, path), expected, "{path}");
    }
}

#[test]
fn overlapping_paths_are_recognised() {
    let path = |text: &str| text.parse::<FieldPath>().unwrap();
    for (a, b, overlaps, is_beside) in [
        (".a", "/a", true, true),
        (".a", ".a.b", true, false),
        (".a[]", ".a[0]", true, true),
        (".a[]", ".a.b.c", true, false),
        (".a[0]", ".a[00].b", true, false),
        (".a[0].b", ".a[].c", false, true),
        (".a.b", ".a.c", false, true),
        (".a.b", ".c.b", false, false),
        (".a", ".ab", false, true),
        (".a", ".b.a", false, false),
    ] {
        for (a, b) in [(path(a), path(b)), (path(b), path(a))] {
            let found = (a.overlaps(&b), a.is_beside(&b));
            assert_eq!(found, (overlaps, is_beside), "{a} {b}");
        }
    }
}

#[test]
fn names_that_are_repeated_on_the_way_to_a_field() {
    let path = |text: &str| text.parse::<FieldPath>().unwrap();
    let field = |text| Selector::Field(path(text));
    let pair = || Selector::Pair(path("/m"), "k");
    let anywhere = || Selector::Anywhere("k".into());
    for (record, find, expected) in [
        (r#"{"a":{"b":1},"c":2,"c":3}"#, field(".a.b"), false),
        (r#"{"a":{"b":1,"\u0062":2}}"#, field(".a.b"), true),
        (r#"{"a":{"b":1},"a":0}"#, field(".a.b"), true),
        (r#"{"a":[{"b":1},{"b":2}],"b":3}"#, field(".a[].b"), false),
        (r#"{"a":[{"b":1},{"b":2,"b":3}]}"#, field(".a[].b"), true),
        (r#"{"a":{"x":1,"x":2}}"#, field(".a[]"), false),
        (r#"{"a":["b","b"]}"#, field(".a[0]"), false),
        (
            r#"{"m":[{"key":"k","value":1},{"key":"l"}]}"#,
            pair(),
            false,
        ),
        (r#"{"m":[{"key":"k","value":1},{"key":"k"}]}"#, pair(), true),
        (r#"{"m":[{"key":"k","value":1,"value":2}]}"#, pair(), true),
        (r#"{"m":[{"key":"k","value":1}],"m":[]}"#, pair(), true),
        (r#"{"m":{"a":{"key":"k"},"b":{"key":"k"}}}"#, pair(), false),
        (r#"[{"k":1},{"k":2}]"#, anywhere(), false),
        (r#"[{"k":1},{"k":2,"k":3}]"#, anywhere(), true),
        (
            r#"[{"key":"k","value":1},{"key":"k","value":2}]"#,
            anywhere(),
            true,
        ),
    ] {
        let into = String::new();
        let rule = Rule { find, into };
        let found = missed(record.as_bytes(), &[rule]);
        assert_eq!(found, expected.then_some(Missed::RepeatedName), "{record}");
    }
}

#[test]
fn members_in_lists_on_the_way_to_a_field() {
    let deep = |depth| [&"[".repeat(depth), r#"{"b":1}"#, &"]".repeat(depth)].concat();
    for (record, path, is_missed) in [
        (r#"[{"a":1}]"#, ".a", true),
        (r#"{"a":[1,[{"b":1}]]}"#, ".a.b", true),
        (r#"{"a":["b",{"c":1}]}"#, ".a.b", false),
        (r#"{"a":[{"b":1}]}"#, ".a[0].b", false),
        (r#"{"a":[{"b":1}]}"#, ".a[].b", false),
        (r#"{"a":[[{"b":1}]]}"#, ".a[].b", true),
        (&deep(9), ".b", true),
        (&deep(60_000), ".b", true),
    ] {
        let rule = Rule::field(path.parse().unwrap());
        let found = missed(record.as_bytes(), &[rule]);
        assert_eq!(found, is_missed.then_some(Missed::InList), "{record:.40}");
    }
}

#[test]
fn errors_of_paths_say_where() {
    for (text, offset) in [
        ("", 0),
        (".", 0),
        ("a..b", 2),
        ("a.", 2),
        ("a[x]", 1),
        ("a[0", 1),
        ("a\"b\"", 1),
        ("/a~2", 1),
        (".\"a", 1),
    ] {
        assert_eq!(
            text.parse::<FieldPath>().unwrap_err().offset,
            offset,
            "{text}"
        );
    }
}

#[test]
fn what_json_forbids_is_refused() {
    for text in [
        "not json",
        "{\"a\":1,}",
        "{\"a\":01}",
        "{\"a\":\"\0\"}",
        "{\"a\":+1}",
        "{'a':1}",
    ] {
        assert!(validate(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn depth_has_a_bound_and_no_recursion() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(validate(nested(10_000).as_bytes()).is_ok());
    assert!(validate(nested(1 << 16).as_bytes()).is_ok());
    assert_eq!(
        validate(nested((1 << 16) + 1).as_bytes()).map_err(|bad| (bad.offset, bad.why)),
        Err((1 << 16, Why::TooDeep))
    );
    assert!(embed(nested(64).as_bytes()).is_some() && embed(nested(65).as_bytes()).is_none());
    assert_eq!(
        embed(b" {\"a\":\r\n[1,\n2]} ").unwrap(),
        b"{\"a\":  [1, 2]}"
    );
    // A former part of a record is embedded at its full depth, including bytes that are not UTF-8.
    assert_eq!(
        embed_exact(nested(65).as_bytes()).unwrap(),
        nested(65).as_bytes()
    );
    assert_eq!(embed_exact(b"[\"\xff\"\r\n]").unwrap(), b"[\"\xff\"\r ]");
    assert!(embed(b"\"\xff\"").is_none() && embed_exact(b"\xff").is_none());
}

/// Generates JSON from fragments, so that both valid and invalid texts occur.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\"a\""),
        Just("\"\\u00e9\\n\""),
        Just("\"\\x\""),
        Just("0"),
        // A larger exponent would be out of range, which does not concern the grammar.
        Just("-1.5e-3"),
        Just("01"),
        Just("1."),
        Just("true"),
        Just("null"),
        Just("nul"),
        Just(" "),
        Just("\t\n"),
        Just("\""),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_json_is_what_serde_json_says(text in pieces()) {
        let theirs = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        prop_assert_eq!(validate(text.as_bytes()).is_ok(), theirs, "{}", text);
    }

    #[test]
    fn strings_survive(text in any::<String>(), bytes in any::<Vec<u8>>()) {
        let (quoted, lossy) = encode_string(text.as_bytes());
        prop_assert!(!lossy && validate(&quoted).is_ok());
        prop_assert_eq!(decode_string(&quoted).unwrap(), text.as_bytes());
        let (quoted, lossy) = encode_string(&bytes);
        // A surrogate is not UTF-8, and is kept.
        let is_lossy = core::str::from_utf8(&bytes).is_err();
        prop_assert!(lossy == is_lossy || has_surrogate(&bytes));
        prop_assert!(validate(&quoted).is_ok() && !quoted.contains(&b'\n'));
    }

    /// Checks any path whose first name is not the whole record.
    #[test]
    fn a_path_has_one_text(names in prop::collection::vec("[.\"\\[\\]/~a0é ]{0,3}", 1..4)) {
        let escaped = names.iter().map(|name| name.replace('~', "~0").replace('/', "~1"));
        let pointer: String = escaped.map(|name| format!("/{name}")).collect();
        let path: FieldPath = pointer.parse().unwrap();
        let text = path.to_string();
        prop_assert_eq!(text.parse::<FieldPath>(), Ok(path), "{}", text);
        let with_each = format!("{text}[]");
        prop_assert_eq!(with_each.parse::<FieldPath>().unwrap().to_string(), with_each);
    }

    #[test]
    fn no_bytes_are_too_bad(bytes in any::<Vec<u8>>()) {
        let rules = [Rule::field("/a/b".parse().unwrap())];
        if locate(&bytes, &rules, MAX).is_ok() {
            let _ = missed(&bytes, &rules);
        }
        let (find, into) = (Selector::Anywhere("k".into()), String::new());
        prop_assert_eq!(locate(&bytes, &[Rule { find, into }], MAX).is_ok(), validate(&bytes).is_ok());
        if let Ok(text) = core::str::from_utf8(&bytes) {
            let _ = text.parse::<FieldPath>();
        }
    }
}

/// Checks every byte at every position of a string, between bytes that are next to the special
/// ones, since strings are scanned eight bytes at a time.
#[test]
fn a_special_byte_is_seen_at_every_place_of_a_string() {
    for (length, around) in [(7, 0x21), (8, 0x23), (9, 0x5b), (25, 0x80), (25, 0x20)] {
        for (place, byte) in (0..length).flat_map(|place| (0..=255).map(move |byte| (place, byte)))
        {
            let mut record = [b"\"" as &[u8], &vec![around; length], b"\""].concat();
            record[place + 1] = byte;
            let is_plain = byte >= 0x20 && !b"\"\\".contains(&byte);
            assert_eq!(
                validate(&record).is_ok(),
                is_plain,
                "{byte:#x} at {place} of {length}"
            );
        }
    }
}

/// Puts a text into a string, as often as `times` says.
fn within(text: &str, times: usize) -> String {
    (0..times).fold(text.to_owned(), |text, _| {
        let quoted = String::from_utf8(encode_string(text.as_bytes()).0).unwrap();
        format!("{{\"log\":{quoted}}}")
    })
}

fn anywhere(record: &str) -> Fields {
    let rule = Rule {
        find: Selector::Anywhere("k".into()),
        into: "into".to_owned(),
    };
    locate(record.as_bytes(), &[rule], MAX).unwrap()
}

#[test]
fn json_inside_strings_is_entered_three_deep() {
    for (depth, expected) in [(0, 2), (1, 2), (2, 2), (3, 2), (4, 0)] {
        let record = within(r#"{"k":"a","m":[{"key":"k","value":"b\u0022"}]}"#, depth);
        assert_eq!(anywhere(&record).found.len(), expected, "{record}");
        let path = ".log".repeat(depth) + ".k";
        let is_there = depth <= usize::from(MAX_STRINGS);
        assert_eq!(
            found(&record, &path),
            ["\"a\""][..usize::from(is_there)],
            "{record}"
        );
        let rule = Rule::field(path.parse().unwrap());
        let too_deep = (!is_there).then_some(Missed::TooDeep);
        assert_eq!(missed(record.as_bytes(), &[rule]), too_deep, "{record}");
    }
    for record in [
        // The text is cut, is only text, or is the result of an earlier run.
        r#"{"log":"{\"k\":\"a"}"#,
        r#"{"log":"k: {\"k\":1}"}"#,
        r#"{"into":"{\"k\":1}"}"#,
        r#"[{"key":"into","value":"{\"k\":1}"}]"#,
    ] {
        assert!(anywhere(record).found.is_empty(), "{record}");
    }
    assert_eq!(anywhere(r#"{"log":" \n{\"k\":1}\n"}"#).found.len(), 1);
}

#[test]
fn what_is_missed_inside_strings() {
    let field = |text: &str| Selector::Field(text.parse().unwrap());
    for (record, find, expected) in [
        (
            r#"{"a":"{\"b\":1,\"b\":2}"}"#,
            field(".a.b"),
            Some(Missed::RepeatedName),
        ),
        (
            r#"{"a":"[{\"b\":1}]"}"#,
            field(".a.b"),
            Some(Missed::InList),
        ),
        (
            r#"{"a":["{\"b\":1}"]}"#,
            field(".a.b"),
            Some(Missed::InList),
        ),
        (
            r#"{"a":"{\"b\":1"}"#,
            field(".a.b"),
            Some(Missed::DamagedString),
        ),
        (
            r#"{"a":"[b]: text"}"#,
            field(".a.b"),
            Some(Missed::DamagedString),
        ),
        (r#"{"a":"[INFO] text"}"#, field(".a.b"), None),
        (r#"{"a":"{\"b\":1}"}"#, field(".a.b"), None),
        (r#"{"a":"{\"b\":1"}"#, field(".a"), None),
        (
            r#"{"a":"{\"k\":1,\"k\":2}"}"#,
            Selector::Anywhere("k".into()),
            Some(Missed::RepeatedName),
        ),
        (
            r#"{"a":"[{\"key\":\"k\"},{\"key\":\"k\"}]"}"#,
            Selector::Pair(".a".parse().unwrap(), "k"),
            Some(Missed::RepeatedName),
        ),
    ] {
        let into = String::new();
        let found = missed(record.as_bytes(), &[Rule { find, into }]);
        assert_eq!(found, expected, "{record}");
    }
}

#[test]
fn too_many_fields_are_not_damage() {
    let record = |fields: usize| format!("[{}]", vec![r#"{"k":1}"#; fields].join(","));
    let rules = [".k", "[].k"].map(|_| Rule {
        find: Selector::Anywhere("k".into()),
        into: String::new(),
    });
    let limited = |fields| locate(record(fields).as_bytes(), &rules[..1], 1001);
    assert_eq!(limited(1001).unwrap().found.len(), 1001);
    assert_eq!(limited(1002).unwrap_err().why, Why::TooManyFields);
    let path = [Rule::field("[].k".parse().unwrap())];
    let limited = locate(record(3).as_bytes(), &path, 2);
    assert_eq!(limited.unwrap_err().why, Why::TooManyFields);
}

/// Checks that every byte of a record is looked at a fixed number of times, however deep containers
/// with the sought name are nested.
#[test]
fn finding_is_linear_in_the_record() {
    let looked_at = |depth: usize, open: &str, close: &str| {
        let record = open.repeat(depth) + "1" + &close.repeat(depth);
        let before = super::looked_at();
        let found = anywhere(&record).found.len();
        assert_eq!(found, depth);
        missed(
            record.as_bytes(),
            &[Rule {
                find: Selector::Anywhere("k".into()),
                into: String::new(),
            }],
        );
        (super::looked_at() - before, record.len())
    };
    for (open, close) in [
        (r#"{"k":"#, "}"),
        (r#"[{"key":"k","value":"#, "}]"),
        (r#"{"a":0,"k":["#, "]}"),
    ] {
        let (bytes, length) = looked_at(10_000, open, close);
        assert!(bytes <= 3 * length, "{bytes} for a record of {length}");
    }
}

#[test]
fn events_are_the_items_of_the_arrays_with_fields() {
    let events = |record: &str| {
        let fields = anywhere(record);
        let events = super::events(record.as_bytes(), &fields);
        events
            .into_iter()
            .map(|event| record[event].to_owned())
            .collect::<Vec<_>>()
    };
    for (record, expected) in [
        (r#"{"k":1}"#, vec![]),
        (
            r#"{"result":[{"k":1},{"n":2},3]}"#,
            vec![r#"{"k":1}"#, r#"{"n":2}"#],
        ),
        // Two members of one name.
        (
            r#"{"result":[{"k":1}],"result":[{"k":2}]}"#,
            vec![r#"{"k":1}"#, r#"{"k":2}"#],
        ),
        (
            r#"{"zones":[{"e":[{"k":1}]},{"e":[{"m":{"k":2}}]},{"e":[{"n":3}]}]}"#,
            vec![r#"{"k":1}"#, r#"{"m":{"k":2}}"#],
        ),
        (
            r#"{"e":[{"k":1,"l":[{"k":2}]}]}"#,
            vec![r#"{"k":1,"l":[{"k":2}]}"#],
        ),
        // Pairs are a part of an event.
        (r#"{"m":[{"key":"k","value":1}]}"#, vec![]),
        (
            r#"[{"m":[{"key":"k","value":1}]}]"#,
            vec![r#"{"m":[{"key":"k","value":1}]}"#],
        ),
        // A list in a user agent makes no events, but a log event in a string is one.
        (r#"{"ua":"[{\"k\":1},{\"k\":2}]"}"#, vec![]),
        (
            r#"{"logEvents":[{"message":"{\"k\":1}"},{"message":"x"}]}"#,
            vec![r#"{"message":"{\"k\":1}"}"#, r#"{"message":"x"}"#],
        ),
        // Loki's lines have their time beside them.
        (
            r#"{"streams":[{"stream":{},"values":[["17","{\"k\":1}"],["18","x"]]}]}"#,
            vec![r#"["17","{\"k\":1}"]"#, r#"["18","x"]"#],
        ),
    ] {
        assert_eq!(events(record), expected, "{record}");
    }
}

proptest! {
    /// Checks that a position in a string is found from that in its text, whatever escapes are
    /// before it.
    #[test]
    fn positions_in_strings(text in "[a\u{e9}\u{1f600}\"\\\\\n\u{1}{}]{0,20}", all in any::<bool>()) {
        let escaped: String = match all {
            true => text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect(),
            false => {
                let mut content = Vec::new();
                write_content(text.as_bytes(), &mut content);
                String::from_utf8(content).unwrap()
            }
        };
        let quoted = format!("\"{escaped}\"");
        let decoded = decode_bytes(quoted.as_bytes()).unwrap();
        prop_assert_eq!(&*decoded, text.as_bytes());
        let mut positions = Positions::new(escaped.as_bytes());
        for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let start = format!("\"{}\"", &escaped[..positions.of(at)]);
            let before = decode_bytes(start.as_bytes()).unwrap();
            prop_assert_eq!(&*before, &text.as_bytes()[..at]);
        }
    }
}
