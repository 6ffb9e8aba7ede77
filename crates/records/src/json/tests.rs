//! Positions in JSON: we accept the same texts as serde_json, and paths lead to the same fields as
//! in jq.

use proptest::prelude::*;

use super::{Missed, decode_string, embed, embed_exact, encode_string, locate, missed, validate};
use crate::{
    FieldPath,
    rules::{Rule, Selector},
};

fn found(record: &str, path: &str) -> Vec<String> {
    let rules = [Rule::field(path.parse().unwrap())];
    let found = locate(record.as_bytes(), &rules).unwrap();
    found
        .into_iter()
        .map(|found| record[found.value].to_owned())
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
    let anywhere = || Selector::Anywhere("k");
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
        validate(nested((1 << 16) + 1).as_bytes())
            .unwrap_err()
            .offset,
        1 << 16
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
        prop_assert_eq!(lossy, std::str::from_utf8(&bytes).is_err());
        prop_assert!(validate(&quoted).is_ok() && !quoted.contains(&b'\n'));
    }

    /// Any path whose first name is not the whole record.
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
        if locate(&bytes, &rules).is_ok() {
            let _ = missed(&bytes, &rules);
        }
        let (find, into) = (Selector::Anywhere("k"), String::new());
        prop_assert_eq!(locate(&bytes, &[Rule { find, into }]).is_ok(), validate(&bytes).is_ok());
        if let Ok(text) = std::str::from_utf8(&bytes) {
            let _ = text.parse::<FieldPath>();
        }
    }
}

/// Strings are scanned eight bytes at a time: every byte at every position, between bytes that are
/// next to the special ones.
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
