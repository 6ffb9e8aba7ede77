//! Documents change only where results are written, every record is counted once, and the
//! counts are reported unchanged.

use std::sync::atomic::{AtomicUsize, Ordering};

use pqseal_keys::kem_by_name;
use pqseal_matched_data::{KeyName, KeyRing};
use pqseal_pipeline::{Error, FieldValue, Framing, Outcome, Pipeline, Stats, Transform};
use pqseal_records::{OnField, Preset, ResultFormat, Rules};

use crate::common::{Seal, Silent, accounted, fields, run, with};

/// Checks the output of each document.
#[track_caller]
fn comes_out(rules: &Rules, cases: &[(&str, &str)]) {
    for (input, expected) in cases {
        let (out, stats) = run(input, Framing::Lines, rules.clone()).unwrap();
        accounted(&stats);
        assert_eq!(String::from_utf8(out).unwrap(), *expected, "{input}");
    }
}

#[test]
fn a_result_is_beside_its_field_or_in_its_place() {
    let member = r#"{"n": 1.0, "s" : "open:{}", "t":2}"#;
    let pairs = r#"{"metadata":[{"key":"a","value":"b"}, {"value":"open:{}","key":"encrypted_matched_data"} ]}"#;
    let items = r#"{"s":[ "open:1", 2,"open:x"]}"#;
    let pair_rules = || Preset::CfEvents.rules();
    for (mode, of_member, of_pair) in [
        (
            OnField::Keep,
            r#"{"n": 1.0, "s" : "open:{}","decrypted_s":"{}", "t":2}"#,
            r#"{"metadata":[{"key":"a","value":"b"}, {"value":"open:{}","key":"encrypted_matched_data"},{"key":"decrypted_matched_data","value":"{}"} ]}"#,
        ),
        (
            OnField::Replace,
            r#"{"n": 1.0, "s" : "{}", "t":2}"#,
            r#"{"metadata":[{"key":"a","value":"b"}, {"value":"{}","key":"encrypted_matched_data"} ]}"#,
        ),
        (
            OnField::Drop,
            r#"{"n": 1.0, "decrypted_s" : "{}", "t":2}"#,
            r#"{"metadata":[{"key":"a","value":"b"}, {"key":"decrypted_matched_data","value":"{}"} ]}"#,
        ),
    ] {
        let string = |rules| with(mode, ResultFormat::String, rules);
        comes_out(&string(fields(&["s"])), &[(member, of_member)]);
        comes_out(&string(pair_rules()), &[(pairs, of_pair)]);
        // An item of an array cannot have a member beside it.
        comes_out(
            &string(fields(&[".s[]"])),
            &[(items, r#"{"s":[ "1", 2,"x"]}"#)],
        );
    }
    for (form, expected) in [
        (
            ResultFormat::String,
            r#"{"s":"open:{}","decrypted_s":"{}"}"#,
        ),
        (ResultFormat::Json, r#"{"s":"open:{}","decrypted_s":{}}"#),
        (ResultFormat::Exact, r#"{"s":"open:{}","decrypted_s":{}}"#),
        (
            ResultFormat::Base64,
            r#"{"s":"open:{}","decrypted_s":"e30="}"#,
        ),
        (
            ResultFormat::Bytes,
            r#"{"s":"open:{}","decrypted_s":"e30="}"#,
        ),
    ] {
        let rules = with(OnField::Keep, form, fields(&["s"]));
        comes_out(&rules, &[(r#"{"s":"open:{}"}"#, expected)]);
    }
}

/// Bytes that must not change, around a field that opens.
#[test]
fn everything_else_is_left_as_it_was() {
    let [sealed, added] = [
        r#""encrypted_matched_data":"open:x""#,
        r#","decrypted_matched_data":"x""#,
    ];
    let rules = Preset::Auto.rules();
    for (before, after) in [
        (
            r#"{"n":1.0e+00,"big":123456789012345678901234567890,"Metadata":{"#,
            r#" , "z":-0 } }"#,
        ),
        (
            r#"{"a":1,"a":2,"Metadata":{"encrypted_matched_data":7,"#,
            "}}",
        ),
        (
            "{\"\\u004detadata\":0,\"Metadata\":{",
            "},\"t\":\"\\ud83d\\ude00 \\\"[{\"}\r",
        ),
        ("{\"ua\":\"\u{202e}\",\"Metadata\":{ ", "\t}}"),
    ] {
        let case = (
            &*format!("{before}{sealed}{after}\n"),
            &*format!("{before}{sealed}{added}{after}\n"),
        );
        comes_out(&rules, &[case]);
    }
    let invalid = |text: &str| [b"{\"ua\":\"\xff\",", text.as_bytes(), b"}\n"].concat();
    let (out, _) = run(invalid(sealed), Framing::Lines, rules).unwrap();
    assert_eq!(out, invalid(&format!("{sealed}{added}")));
    // The dashboard's shape, pretty-printed, and an array without line breaks.
    for (before, between) in [
        ("[\n  {\"metadata\": [\n    ", " ,\n "),
        ("[{\"metadata\":[", ","),
    ] {
        let pair = r#"{"key": "encrypted_matched_data", "value": "open:x"}"#;
        let opened = r#"{"key":"decrypted_matched_data","value":"x"}"#;
        let rest = format!("{between}{{\"key\":\"other\",\"value\":null}}]}}{between}{{}}]");
        let input = format!("{before}{pair}{rest}");
        let (out, stats) = run(input, Framing::Auto, Preset::CfEvents.rules()).unwrap();
        let expected = format!("{before}{pair},{opened}{rest}");
        assert_eq!(
            (String::from_utf8(out).unwrap(), stats.records),
            (expected, 2)
        );
    }
}

#[test]
fn a_record_says_why_its_field_did_not_open() {
    let rules = fields(&["s"]);
    let failed = r#"{"s":"?","decrypt_status":"no_key_matched"}"#;
    comes_out(
        &rules,
        &[
            (r#"{"s":"?"}"#, failed),
            (failed, failed),
            (
                r#"{"s":"truncated"}"#,
                r#"{"s":"truncated","decrypt_status":"truncated"}"#,
            ),
            (r#"{"s":7}"#, r#"{"s":7,"decrypt_status":"not_a_string"}"#),
            (
                r#"{"s":"\ud800"}"#,
                r#"{"s":"\ud800","decrypt_status":"bad_string"}"#,
            ),
            (r#"{"s":null}"#, r#"{"s":null}"#),
            (r#"{"s":""}"#, r#"{"s":""}"#),
            // The status of an earlier failure is removed once the field opens.
            (
                r#"{"s":"open:x","decrypt_status":"no_key_matched"}"#,
                r#"{"s":"open:x","decrypted_s":"x"}"#,
            ),
        ],
    );
    // Several results: each has its own status.
    comes_out(
        &fields(&["s", "t"]),
        &[(
            r#"{"s":"?","t":"open:y"}"#,
            r#"{"s":"?","decrypted_s_status":"no_key_matched","t":"open:y","decrypted_t":"y"}"#,
        )],
    );
    // One field's result comes where the other's status is removed.
    comes_out(
        &fields(&["s", "t"]),
        &[(
            r#"{"s":"open:x","t":"open:y","decrypted_s_status":"no_key_matched"}"#,
            r#"{"s":"open:x","decrypted_s":"x","t":"open:y","decrypted_t":"y"}"#,
        )],
    );
}

#[test]
fn a_field_that_a_document_is_bound_to_is_found_in_it() {
    let rules = Rules {
        aad_from: Some("id".parse().unwrap()),
        ..fields(&["s"])
    };
    comes_out(
        &rules,
        &[
            (
                r#"{"id":7,"s":"open:x"}"#,
                r#"{"id":7,"s":"open:x","decrypted_s":"x7"}"#,
            ),
            (
                r#"{"id":"\u0041","s":"open:x"}"#,
                r#"{"id":"\u0041","s":"open:x","decrypted_s":"xA"}"#,
            ),
            (
                r#"{"s":"open:x"}"#,
                r#"{"s":"open:x","decrypt_status":"no_aad"}"#,
            ),
        ],
    );
}

/// The value that a blob is bound to is not read from half a document.
#[test]
fn a_cell_that_is_not_json_binds_nothing() {
    let rules = Rules {
        aad_from: Some("doc.n".parse().unwrap()),
        ..fields(&["s"])
    };
    let half = "open:x,\"{\"\"n\"\":1,\"";
    let (out, stats) = run(format!("s,doc\n{half}\n"), Framing::CSV, rules).unwrap();
    accounted(&stats);
    let expected = format!("s,doc,decrypted_s,decrypt_status\n{half},,no_aad\n");
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

/// Each line of a file is in one counter, and each opened field is counted with its key.
#[test]
fn every_record_is_in_one_counter() {
    let input = [
        r#"{"s":"open:x","t":"open:y"}"#,
        r#"{"s":"open:x","t":"truncated"}"#,
        r#"{"s":"truncated"}"#,
        r#"{"s":"truncated","t":"truncated"}"#,
        r#"{"s":"open:x","t":"?"}"#,
        r#"{"s":7}"#,
        r#"{"s":"open:x","decrypted_s":"x"}"#,
        r#"{"s":null}"#,
        r#"{"n":1}"#,
        "no JSON",
    ]
    .map(|line| format!("{line}\n"))
    .concat();
    let (out, stats) = run(&input, Framing::Lines, fields(&["s", "t"])).unwrap();
    accounted(&stats);
    let expected = Stats {
        events: 0,
        records: 10,
        opened: 2,
        already: 1,
        with_result: 1,
        absent: 2,
        truncated: 2,
        failed: [("bad_json", 1), ("no_key_matched", 1), ("not_a_string", 1)].into(),
        whole: [].into(),
        keys: [(0, 4)].into(),
        found: [(0, 8), (1, 4)].into(),
        lossy: 0,
        surrogates: 0,
        bytes_in: input.len() as u64,
        bytes_out: out.len() as u64,
    };
    assert_eq!(stats, expected);
}

/// A transform that opens every field to bytes that are not UTF-8, with the keys 1, 2, 1, 2
/// and so on.
struct Bytes(AtomicUsize);

impl Transform for Bytes {
    fn chunk(&self, records: &[FieldValue<'_>]) -> Vec<Outcome> {
        let open = |_: &FieldValue<'_>| Outcome::Opened {
            plaintext: b"\xff".to_vec(),
            key: 1 + self.0.fetch_add(1, Ordering::Relaxed) % 2,
        };
        records.iter().map(open).collect()
    }
}

#[test]
fn plaintext_that_is_not_utf_8_is_marked_and_counted() {
    let lossy = |input: &str, rules: Rules, framing| {
        let mut out = Vec::new();
        let pipeline = Pipeline::new(Bytes(AtomicUsize::new(0)), rules, 1).unwrap();
        let pipeline = pipeline.framed(framing, Default::default());
        let stats = pipeline
            .run(input.as_bytes(), &mut out, "test", &mut Silent)
            .unwrap();
        accounted(&stats);
        (String::from_utf8(out).unwrap(), stats)
    };
    let input = r#"{"s":"a","t":"b"}"#;
    let both = || fields(&["s", "t"]);
    let (out, stats) = lossy(input, both(), Framing::Lines);
    assert_eq!(
        out,
        "{\"s\":\"a\",\"decrypted_s\":\"\u{fffd}\",\"decrypted_s_lossy\":true,\"t\":\"b\",\"decrypted_t\":\"\u{fffd}\",\"decrypted_t_lossy\":true}"
    );
    assert_eq!((stats.lossy, stats.keys), (2, [(1, 1), (2, 1)].into()));
    let base64 = with(OnField::Replace, ResultFormat::Base64, both());
    let (out, stats) = lossy(input, base64, Framing::Lines);
    assert_eq!(
        (out.as_str(), stats.lossy),
        (r#"{"s":"/w==","t":"/w=="}"#, 0)
    );
    let (out, stats) = lossy("s,t\na,b\n", both(), Framing::CSV);
    assert_eq!(
        out,
        "s,t,decrypted_s,decrypted_s_status,decrypted_t,decrypted_t_status\na,b,\u{fffd},lossy,\u{fffd},lossy\n"
    );
    assert_eq!((stats.lossy, stats.found), (2, [(0, 1), (1, 1)].into()));
}

#[test]
fn sealing_takes_any_value_and_ends_before_plaintext_passes() {
    let seal = |input: &str, framing| {
        let mut out = Vec::new();
        let rules = with(OnField::Drop, ResultFormat::String, fields(&["s"]));
        let pipeline = Pipeline::new(Seal, rules, 1).unwrap();
        let pipeline = pipeline.framed(framing, Default::default());
        let ran = pipeline.run(input.as_bytes(), &mut out, "test", &mut Silent);
        ran.map(|stats| {
            accounted(&stats);
            (String::from_utf8(out).unwrap(), stats.opened)
        })
    };
    let lines = "{\"s\":\"a\"}\n{\"s\":1.0}\n{\"s\":[2, \"b\"]}\n{\"s\":null}\n{\"t\":3}\n";
    let sealed = "{\"decrypted_s\":\"open:a\"}\n{\"decrypted_s\":\"open:1.0\"}\n{\"decrypted_s\":\"open:[2, \\\"b\\\"]\"}\n{\"s\":null}\n{\"t\":3}\n";
    assert_eq!(seal(lines, Framing::Lines).unwrap(), (sealed.to_owned(), 3));
    for (input, framing, wanted) in [
        (r#"{"s":"!"}"#, Framing::Lines, "no_key_matched"),
        (
            r#"{"s":"a","decrypted_s":"b"}"#,
            Framing::Lines,
            "already_there",
        ),
        ("s,decrypted_s\na,b\n", Framing::CSV, "already_there"),
        ("{", Framing::Lines, "bad_json"),
    ] {
        match seal(input, framing) {
            Err(Error::Record { number: _, reason }) => assert_eq!(reason.code(), wanted),
            other => panic!("{input}: {other:?}"),
        }
    }
    // A result without its field is not plaintext that would pass.
    assert_eq!(
        seal("s,decrypted_s\n,b\n", Framing::CSV).unwrap(),
        ("s,decrypted_s\n,b\n".to_owned(), 0)
    );
}

/// Otherwise the same bytes would be changed twice.
#[test]
fn fields_that_overlap_fail_their_record() {
    let input = r#"{"a":{"b":1}}"#;
    for paths in [["a", "a.b"], ["a.b", "a"], ["a.b", "a.b"], ["a[]", "a.b"]] {
        let rules = with(OnField::Drop, ResultFormat::String, fields(&paths));
        let pipeline = Pipeline::new(Seal, rules, 1).unwrap();
        let mut out = Vec::new();
        match pipeline.run(input.as_bytes(), &mut out, "test", &mut Silent) {
            Err(Error::Record { number: 1, reason }) => assert_eq!(reason.code(), "overlap"),
            other => panic!("{paths:?}: {other:?}"),
        }
        assert!(out.is_empty());
    }
    let input = r#"{"list":["open:x"]}"#;
    let both = fields(&[".list[]", ".list[0]"]);
    let rules = with(OnField::Replace, ResultFormat::String, both);
    let (out, stats) = run(input, Framing::Lines, rules).unwrap();
    accounted(&stats);
    assert_eq!(String::from_utf8(out).unwrap(), input);
    assert_eq!(stats.failed, [("overlap", 1)].into());
}

/// Returns two keys, the first of which has a label that must be escaped.
fn keys() -> Vec<KeyName> {
    let mut ring = KeyRing::new();
    for (number, label) in [(1, Some("a\\b\"c\nd")), (2, None)] {
        let kem = kem_by_name("x25519").unwrap();
        let (key, _) = kem.derive_key_pair(&[number; 32]).unwrap();
        ring.add_labelled(&key, label).unwrap();
    }
    ring.legacy_key_names().cloned().collect()
}

fn counted() -> Stats {
    Stats {
        events: 0,
        records: 20,
        opened: 5,
        already: 4,
        with_result: 7,
        absent: 3,
        truncated: 2,
        failed: [("bad_json", 5), ("no_aad", 1)].into(),
        whole: [("bad_json", 1)].into(),
        keys: [(0, 6), (1, 7), (2, 8)].into(),
        found: [(0, 9)].into(),
        lossy: 10,
        surrogates: 13,
        bytes_in: 11,
        bytes_out: 12,
    }
}

#[test]
fn counts_add_up() {
    let mut sum = counted();
    sum.add(&Stats {
        failed: [("bad_json", 3), ("too_large", 7)].into(),
        whole: [("bad_json", 2), ("bad_row", 4)].into(),
        keys: [(2, 2), (3, 3)].into(),
        found: [(0, 2), (1, 5)].into(),
        ..counted()
    });
    let expected = Stats {
        events: 0,
        records: 40,
        opened: 10,
        already: 8,
        with_result: 14,
        absent: 6,
        truncated: 4,
        failed: [("bad_json", 8), ("no_aad", 1), ("too_large", 7)].into(),
        whole: [("bad_json", 3), ("bad_row", 4)].into(),
        keys: [(0, 6), (1, 7), (2, 10), (3, 3)].into(),
        found: [(0, 11), (1, 5)].into(),
        lossy: 20,
        surrogates: 26,
        bytes_in: 22,
        bytes_out: 24,
    };
    assert_eq!((sum.failures(), sum), (16, expected));
}

#[test]
fn counts_are_reported_to_programs() {
    let (names, stats) = (keys(), counted());
    let [a, b] = [0, 1].map(|key: usize| names[key].id.to_string());
    let json = stats.json(&names, 8.0);
    let expected = serde_json::json!({
        "records": 20, "opened": 5, "already": 4, "with_result": 7, "absent": 3, "truncated": 2, "failed": 6,
        "failed_by_code": { "bad_json": 5, "no_aad": 1 },
        "opened_by_key": { a.clone(): 6, b.clone(): 7, "2": 8 },
        "key_labels": { a.clone(): "a\\b\"c\nd" },
        "lossy": 10, "bytes_in": 11, "bytes_out": 12, "seconds": 8.0, "records_per_second": 3.0,
    });
    assert_eq!(json, expected);
    // No rate can be given of no time.
    assert_eq!(stats.json(&names, 0.0)["records_per_second"], 0.0);
    let expected = [
        "# HELP pqseal_records_total Log records by outcome.",
        "# TYPE pqseal_records_total counter",
        "pqseal_records_total{outcome=\"opened\"} 5",
        "pqseal_records_total{outcome=\"already\"} 4",
        "pqseal_records_total{outcome=\"absent\"} 3",
        "pqseal_records_total{outcome=\"truncated\"} 2",
        "pqseal_records_total{outcome=\"failed\"} 6",
        "# HELP pqseal_records_with_result_total Log records that came with a result.",
        "# TYPE pqseal_records_with_result_total counter",
        "pqseal_records_with_result_total 7",
        "# HELP pqseal_failures_total Log records that failed, by code.",
        "# TYPE pqseal_failures_total counter",
        "pqseal_failures_total{code=\"bad_json\"} 5",
        "pqseal_failures_total{code=\"no_aad\"} 1",
        "# HELP pqseal_opened_fields_total Fields opened, by key id.",
        "# TYPE pqseal_opened_fields_total counter",
        &format!(r#"pqseal_opened_fields_total{{key_id="{a}",label="a\\b\"c\nd"}} 6"#),
        &format!(r#"pqseal_opened_fields_total{{key_id="{b}"}} 7"#),
        r#"pqseal_opened_fields_total{key_id="2"} 8"#,
        "# HELP pqseal_bytes_total Bytes before compression.",
        "# TYPE pqseal_bytes_total counter",
        r#"pqseal_bytes_total{direction="in"} 11"#,
        r#"pqseal_bytes_total{direction="out"} 12"#,
        "",
    ];
    assert_eq!(stats.prometheus(&names), expected.join("\n"));
}
