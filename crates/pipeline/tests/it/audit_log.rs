//! Audit logs of firewalls: a record whose fields cannot be sealed is sealed as a whole, and both
//! kinds are restored.

use pqseal_pipeline::{Error, Pipeline, Stats, Transform};
use pqseal_records::{
    OnField, Preset, ResultFormat, Rules,
    audit_log::{Part, to_seal},
};

use crate::common::{Mock, Seal, Silent, accounted, with};

fn through(transform: impl Transform, rules: Rules, input: &str) -> Result<(String, Stats), Error> {
    let mut out = Vec::new();
    let pipeline = Pipeline::new(transform, rules, 1).unwrap();
    let stats = pipeline.run(input.as_bytes(), &mut out, "test", &mut Silent)?;
    accounted(&stats);
    Ok((String::from_utf8(out).unwrap(), stats))
}

fn seal(input: &str) -> (String, Stats) {
    through(Seal, to_seal(&[]), input).unwrap()
}

fn open(input: &str) -> (String, Stats) {
    through(Mock, Preset::AuditLog.rules(), input).unwrap()
}

/// Records with their sealed form.
const RECORDS: [(&str, &str); 13] = [
    (
        r#"{"audit_data":{"messages" : "a\/","n":1}}"#,
        r#"{"audit_data":{"encrypted_messages" : "open:\"a\\/\"","n":1}}"#,
    ),
    (
        r#"{"messages":[{"error_message":7},{"error_message":null}]}"#,
        r#"{"messages":[{"encrypted_error_message":"open:7"},{"error_message":null}]}"#,
    ),
    (r#"{"messages":[]}"#, r#"{"messages":[]}"#),
    ("\"x\"", r#"{"encrypted_record":"open:\"x\""}"#),
    (
        r#"{"transaction":null,"messages":7}"#,
        r#"{"transaction":null,"messages":7}"#,
    ),
    (
        r#"{"transaction":{"messages":[{},1,null,{"details":null},{"details":{"match":null}}]}}"#,
        r#"{"transaction":{"messages":[{},1,null,{"details":null},{"details":{"match":null}}]}}"#,
    ),
    // Other types, white space and escapes; bytes between name and value are kept.
    (
        r#"{"transaction":{"messages":[{"details":{"match" : {"a": [1.0]}, "data":-0e1}}]}}"#,
        r#"{"transaction":{"messages":[{"details":{"encrypted_match" : "open:{\"a\": [1.0]}", "encrypted_data":"open:-0e1"}}]}}"#,
    ),
    (
        r#"{"transaction":{"messages":{"a":{"details":{"data":"\ud800\/\u001F"}}}}}"#,
        r#"{"transaction":{"messages":{"a":{"details":{"encrypted_data":"open:\"\\ud800\\/\\u001F\""}}}}}"#,
    ),
    // A name that is repeated in another way of writing.
    (
        r#"{"transaction":{"messages":[]},"tr\u0061nsaction":{}}"#,
        r#"{"encrypted_record":"open:{\"transaction\":{\"messages\":[]},\"tr\\u0061nsaction\":{}}"}"#,
    ),
    ("torn {\"", r#"{"encrypted_record":"open:torn {\""}"#),
    // Parsers see one of two members with one name, and the other would remain as plaintext.
    (
        r#"{"audit_data":{"messages":"a","messages":"b"}}"#,
        r#"{"encrypted_record":"open:{\"audit_data\":{\"messages\":\"a\",\"messages\":\"b\"}}"}"#,
    ),
    (
        r#"{"audit_data":{"messages":"a"},"audit_data":{}}"#,
        r#"{"encrypted_record":"open:{\"audit_data\":{\"messages\":\"a\"},\"audit_data\":{}}"}"#,
    ),
    // An existing result would hide the plaintext.
    (
        r#"{"audit_data":{"messages":"a","encrypted_messages":"b"}}"#,
        r#"{"encrypted_record":"open:{\"audit_data\":{\"messages\":\"a\",\"encrypted_messages\":\"b\"}}"}"#,
    ),
];

#[test]
fn records_are_sealed_and_come_back() {
    for (record, expected) in RECORDS {
        let (sealed, _) = seal(record);
        assert_eq!(sealed, expected);
        if sealed != record {
            assert_eq!(open(&sealed).0, record);
        }
    }
}

#[test]
fn whole_records_are_counted_when_they_open() {
    let lines = RECORDS.iter().map(|(record, _)| format!("{record}\n"));
    let (sealed, stats) = seal(&lines.collect::<String>());
    assert_eq!((stats.records, stats.opened, stats.absent), (13, 10, 3));
    assert!(!stats.found.contains_key(&usize::MAX));
    assert_eq!(stats.surrogates, 1);
    let (_, stats) = open(&sealed);
    assert_eq!((stats.records, stats.opened, stats.absent), (13, 10, 3));
    assert_eq!(stats.found[&usize::MAX], 6);
    assert_eq!(stats.keys, [(0, 11)].into());
}

#[test]
fn a_whole_record_that_does_not_open_says_why() {
    for (input, expected, failed) in [
        (
            r#"{"encrypted_record":"x"}"#,
            r#"{"encrypted_record":"x","decrypt_status":"no_key_matched"}"#,
            Some("no_key_matched"),
        ),
        // What an earlier run wrote is written again, or opens.
        (
            r#"{"encrypted_record":"x", "decrypt_status":"bad_string"}"#,
            r#"{"encrypted_record":"x","decrypt_status":"no_key_matched"}"#,
            Some("no_key_matched"),
        ),
        (
            r#"{"encrypted_record":"open:x","decrypt_status":"no_key_matched"}"#,
            "x",
            None,
        ),
        (
            r#"{"encrypted_record":7}"#,
            r#"{"encrypted_record":7,"decrypt_status":"not_a_string"}"#,
            Some("not_a_string"),
        ),
        // These are no whole records.
        (
            r#"{"encrypted_record":"open:x","n":1}"#,
            r#"{"encrypted_record":"open:x","n":1}"#,
            None,
        ),
        (
            r#"["encrypted_record","open:x"]"#,
            r#"["encrypted_record","open:x"]"#,
            None,
        ),
        ("no JSON", "no JSON", Some("bad_json")),
    ] {
        let (out, stats) = open(input);
        assert_eq!(out, expected);
        assert_eq!(stats.failed.keys().copied().next(), failed, "{input}");
    }
}

/// A request and its headers, in which a name may be repeated, sealed with all their contents.
#[test]
fn parts_are_sealed_if_asked() {
    let nested = format!("{}{}", "[".repeat(99), "]".repeat(99));
    let request = r#"{"headers":{"Cookie":"a","Cookie":"b"}}"#;
    for (record, expected) in [
        (
            format!("{{\"request\":{nested}}}"),
            format!("{{\"encrypted_request\":\"open:{nested}\"}}"),
        ),
        (
            format!("{{\"transaction\":{{\"request\":{request},\"response\":{{}}}}}}"),
            format!(
                "{{\"transaction\":{{\"encrypted_request\":\"open:{}\",\"response\":{{}}}}}}",
                request.replace('"', "\\\"")
            ),
        ),
    ] {
        let rules = to_seal(&[Part::Request]);
        assert_eq!(through(Seal, rules, &record).unwrap().0, expected);
        assert_eq!(open(&expected).0, record);
    }
}

#[test]
fn results_can_be_written_in_other_ways() {
    let sealed =
        r#"{"transaction":{"messages":[{"details":{"encrypted_match":"open:\"\\u003C\""}}]}}"#;
    let blob = r#""open:\"\\u003C\"""#;
    for (mode, form, expected) in [
        (
            OnField::Keep,
            ResultFormat::Exact,
            format!(r#""encrypted_match":{blob},"match":"\u003C""#),
        ),
        (
            OnField::Replace,
            ResultFormat::Exact,
            r#""encrypted_match":"\u003C""#.to_owned(),
        ),
        (
            OnField::Drop,
            ResultFormat::Base64,
            r#""match":"Ilx1MDAzQyI=""#.to_owned(),
        ),
        (
            OnField::Drop,
            ResultFormat::String,
            r#""match":"\"\\u003C\"""#.to_owned(),
        ),
    ] {
        let rules = with(mode, form, Preset::AuditLog.rules());
        let (out, _) = through(Mock, rules, sealed).unwrap();
        assert!(out.contains(&format!("{{{expected}}}")), "{out}");
    }
}

/// A value that is not JSON becomes a string, and a record that was sealed as a whole stays on
/// one line.
#[test]
fn what_others_sealed_is_one_line() {
    for (sealed, expected) in [
        (
            r#"{"encrypted_record":"open:{\"a\":\n1}\nx"}"#,
            r#"{"a": 1} x"#,
        ),
        (
            r#"{"transaction":{"encrypted_request":"open:{\"a\":\n1}\nx"}}"#,
            r#"{"transaction":{"request":"{\"a\":\n1}\nx"}}"#,
        ),
    ] {
        assert_eq!(open(sealed).0, expected);
    }
}

/// A whole record has no field beside it that it could be bound to.
#[test]
fn whole_records_are_bound_to_nothing() {
    let bound = |rules| Rules {
        aad_from: Some("id".parse().unwrap()),
        ..rules
    };
    let record = r#"{"id":"a","audit_data":{"messages":"b","messages":"c"}}"#;
    let (sealed, _) = through(Seal, bound(to_seal(&[])), record).unwrap();
    let whole = r#"{"encrypted_record":"open:{\"id\":\"a\",\"audit_data\":{\"messages\":\"b\",\"messages\":\"c\"}}"}"#;
    assert_eq!(sealed, whole);
    let rules = bound(Preset::AuditLog.rules());
    assert_eq!(through(Mock, rules, whole).unwrap().0, record);
    // Other records are.
    let record = r#"{"id":"a","audit_data":{"messages":7}}"#;
    let (sealed, _) = through(Seal, bound(to_seal(&[])), record).unwrap();
    let expected = r#"{"id":"a","audit_data":{"encrypted_messages":"open:7a"}}"#;
    assert_eq!(sealed, expected);
}

/// No plaintext passes.
#[test]
fn a_whole_record_that_cannot_be_sealed_ends_the_run() {
    for input in ["no JSON!", r#"{"audit_data":{"messages":"!"}}"#] {
        match through(Seal, to_seal(&[]), input) {
            Err(Error::Record { number: 1, reason }) => {
                assert_eq!(reason.code(), "no_key_matched");
            }
            other => panic!("{input}: {other:?}"),
        }
    }
}
