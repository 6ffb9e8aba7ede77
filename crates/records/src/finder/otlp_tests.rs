//! Fields of OTLP: what is sealed, and that opening restores each line.

use alloc::{borrow::ToOwned, format, string::String, vec, vec::Vec};

use proptest::prelude::*;

use crate::{
    Answer, Finder, Preset, Problem, Rules,
    json::looked_at,
    otlp::{OtlpError, rules},
};

/// A text that may be a blob.
const BLOB: &str =
    "AzTYAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn named(paths: &[&str]) -> Rules {
    rules(paths.iter().map(|path| path.parse().unwrap())).unwrap()
}

/// Wraps log records.
fn logs(records: &str) -> String {
    format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{records}]}}]}}]}}"#)
}

/// Returns the texts that are sealed, and the sealed line.
fn sealed(rules: &Rules, line: &str) -> (Vec<String>, Result<String, Problem>) {
    let finder = Finder::documents(rules, true);
    let found = finder.record(line.as_bytes());
    let texts = found.fields().map(|field| {
        let text = field.text.unwrap().unwrap_or_default();
        String::from_utf8(text.into_owned()).unwrap()
    });
    let texts: Vec<_> = texts.collect();
    let answers = texts.iter().map(|text| match text.is_empty() {
        true => Answer::Absent,
        false => Answer::Opened(BLOB.as_bytes()),
    });
    let answers: Vec<_> = answers.collect();
    let mut out = Vec::new();
    let written = finder.write(line.as_bytes(), &found, &answers, &mut out);
    (texts, written.map(|()| String::from_utf8(out).unwrap()))
}

/// Returns a line after these answers to its fields.
fn answered(rules: &Rules, line: &str, answers: &[Answer<'_>]) -> String {
    let finder = Finder::documents(rules, false);
    let found = finder.record(line.as_bytes());
    assert_eq!(found.count(), answers.len(), "{line}");
    let mut out = Vec::new();
    finder
        .write(line.as_bytes(), &found, answers, &mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn values_are_sealed_as_they_stand_and_restored() {
    let key = r#"attributes["k.v"]"#;
    for (paths, line, expected) in [
        (
            &[key][..],
            logs(r#"{"attributes":[{"key":"a","value":{"stringValue":"x"}},{"key":"k.v","value": {"stringValue":"y\n"} }]}"#),
            &[r#"{"stringValue":"y\n"}"#][..],
        ),
        // Value before key, escapes in the key, every type, an empty value.
        (
            &[key],
            logs(r#"{"attributes":[{"value":{"intValue":"7"},"key":"k\u002ev"},{"key":"k.v","value":{}}]}"#),
            &[r#"{"intValue":"7"}"#, "{}"],
        ),
        // Within lists, resources, scopes, spans, their events and links, without the outer list.
        (
            &[key],
            r#"{"resource":{"attributes":[{"key":"k.v","value":{"boolValue":true}}]},"scopeLogs":[{"scope":{"attributes":[{"key":"k.v","value":{"doubleValue":1e21}}]},"logRecords":[{"body":{"kvlistValue":{"values":[{"key":"k.v","value":{"bytesValue":"AA=="}}]}}}]}]}"#.into(),
            &[
                r#"{"boolValue":true}"#,
                r#"{"doubleValue":1e21}"#,
                r#"{"bytesValue":"AA=="}"#,
            ],
        ),
        (
            &[key],
            r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"events":[{"attributes":[{"key":"k.v","value":{"arrayValue":{}}}]}],"links":[{"attributes":[{"key":"k.v","value":{"kvlistValue":{"values":[]}}}]}]}]}]}]}"#.into(),
            &[r#"{"arrayValue":{}}"#, r#"{"kvlistValue":{"values":[]}}"#],
        ),
        // The names of protobuf.
        (
            &["body", "attributes[\"*\"]"],
            r#"{"resource_logs":[{"scope_logs":[{"log_records":[{"body":{"string_value":"x"},"attributes":[{"key":"é","value":{"int_value":1}}]}]}]}]}"#.into(),
            &[r#"{"string_value":"x"}"#, r#"{"int_value":1}"#],
        ),
        (
            &["attributes[\"http.request.header.*\"]"],
            logs(r#"{"attributes":[{"key":"http.request.header.cookie","value":{"arrayValue":{"values":[{"stringValue":"s"}]}}},{"key":"http.request.headers","value":{"stringValue":"x"}}]}"#),
            &[r#"{"arrayValue":{"values":[{"stringValue":"s"}]}}"#],
        ),
        // A key that was left out, and an empty item.
        (
            &["attributes[\"*\"]"],
            logs(r#"{"attributes":[{"value":{}},{ }]}"#),
            &["{}"],
        ),
        // A key with half of a surrogate pair.
        (
            &["attributes[\"a*\"]"],
            logs(r#"{"attributes":[{"key":"a\ud800","value":{ } }]}"#),
            &["{ }"],
        ),
        // The outermost of nested fields.
        (
            &["body", "attributes[\"*\"]"],
            logs(r#"{"body":{"kvlistValue":{"values":[{"key":"k.v","value":{}}]}},"attributes":[{"key":"x.decrypt_status","value":{"stringValue":"text"}}]}"#),
            &[
                r#"{"kvlistValue":{"values":[{"key":"k.v","value":{}}]}}"#,
                r#"{"stringValue":"text"}"#,
            ],
        ),
        // Nothing to seal.
        (&["body", key], logs(r#"{"body":null,"attributes":[{"key":"k.v"}]},{}"#), &[""]),
    ] {
        let rules = named(paths);
        let (texts, line_sealed) = sealed(&rules, &line);
        assert_eq!(texts, expected, "{line}");
        let line_sealed = line_sealed.unwrap();
        let blobs = expected.iter().filter(|text| !text.is_empty());
        assert!(blobs.clone().all(|text| line_sealed.contains(&*format!(r#""stringValue":"{BLOB}""#)) && (text.len() < 4 || !line_sealed.contains(*text))), "{line_sealed}");
        let answers = texts.iter().map(|text| match &**text {
            "" => Answer::Absent,
            text => Answer::Opened(text.as_bytes()),
        });
        let answers: Vec<_> = answers.collect();
        if blobs.count() > 0 {
            assert_eq!(answered(&rules, &line_sealed, &answers), line);
        }
    }
}

#[test]
fn what_might_stay_in_the_clear_is_refused() {
    let attribute = |text: &str| logs(&format!(r#"{{"attributes":{text}}}"#));
    for (line, problem) in [
        (r#"{"k":1}"#.into(), Problem::NotOtlp),
        ("[]".into(), Problem::NotOtlp),
        (
            r#"{"log":"{\"resourceLogs\":[]}"}"#.into(),
            Problem::NotOtlp,
        ),
        (
            attribute(r#"[{"key":"k","value":"text"}]"#),
            Problem::NotOtlp,
        ),
        (attribute(r#"{"k":"text"}"#), Problem::NotOtlp),
        (logs(r#"{"body":"text"}"#), Problem::NotOtlp),
        (
            attribute(r#"[{"key":"k","key":"a","value":{}}]"#),
            Problem::RepeatedName,
        ),
        (
            attribute(r#"[{"key":"k","value":{},"value":{}}]"#),
            Problem::RepeatedName,
        ),
        (logs(r#"{"body":{},"body":{}}"#), Problem::RepeatedName),
        (r#"{"resourceLogs":["#.into(), Problem::BadJson),
        // Forms that OTLP does not have.
        (r#"{"resourceLogs":[],"body":{}}"#.into(), Problem::NotOtlp),
        (
            r#"{"logRecords":{"body":{}},"scopeLogs":[]}"#.into(),
            Problem::NotOtlp,
        ),
        (logs(r#"[{"body":{}}]"#), Problem::NotOtlp),
        (logs(r#"{"logRecords":[{"body":{}}]}"#), Problem::NotOtlp),
        (attribute(r#"[{"k":"text"}]"#), Problem::NotOtlp),
        (attribute(r#""text""#), Problem::NotOtlp),
        (attribute(r#"[{"key":["k"],"value":{}}]"#), Problem::NotOtlp),
        (
            attribute(r#"[{"key":"k","value":{"newValue":1}}]"#),
            Problem::NotOtlp,
        ),
        (
            attribute(r#"[{"key":"k","stringValue":"x"}]"#),
            Problem::NotOtlp,
        ),
        (
            attribute(r#"[{"a":{"key":"k","value":{}}}]"#),
            Problem::NotOtlp,
        ),
        (logs(r#"{"key":"k","value":{}}"#), Problem::NotOtlp),
        (r#"{"resourceLogs":"[]"}"#.into(), Problem::NotOtlp),
    ] {
        let (_, written) = sealed(&named(&["body", "attributes.k"]), &line);
        assert_eq!(written, Err(problem), "{line}");
    }
    // A body whose event's name is not clear, or outside records.
    for record in [
        r#"{"body":{},"attributes":[{"key":"event.name","value":{"stringValue":"gen_ai.x","a":1}}]}"#,
        r#"{"logRecords":[{"body":{}}]}"#,
        r#"[{"body":{}}]"#,
    ] {
        let written = sealed(&Preset::OtlpGenai.rules(), &logs(record)).1;
        assert_eq!(written, Err(Problem::NotOtlp), "{record}");
    }
    let mut mixed = named(&["body"]);
    mixed
        .rules
        .push(crate::Rule::field(".user".parse().unwrap()));
    assert_eq!(sealed(&mixed, &logs("{}")).1, Err(Problem::NotOtlp));
}

#[test]
fn a_status_is_an_attribute_that_the_next_run_replaces() {
    let rules = named(&["body", "attributes.k"]);
    let blob = format!(r#"{{"stringValue":"{BLOB}"}}"#);
    let status = |key: &str, code: &str| {
        format!(r#"{{"key":"{key}.decrypt_status","value":{{"stringValue":"{code}"}}}}"#)
    };
    let field = format!(r#"{{"key":"k","value":{blob}}}"#);
    // A rule that names the status too changes nothing.
    for all in [&["body", "attributes.k"], &["body", "attributes[\"*\"]"]] {
        let rules = named(all);
        let line = logs(&format!(
            r#"{{"attributes":[{field},{}]}}"#,
            status("k", "a")
        ));
        let clear = Answer::Absent;
        let fields = Finder::documents(&rules, false)
            .record(line.as_bytes())
            .count();
        let answers = [Answer::Failed("b"), clear];
        let failed = answered(&rules, &line, &answers[..fields]);
        assert_eq!(failed, line.replace(r#""a""#, r#""b""#));
    }
    for (record, failed) in [
        (
            format!(r#"{{"body":{blob}}}"#),
            format!(
                r#"{{"body":{blob},"attributes":[{}]}}"#,
                status("body", "a")
            ),
        ),
        (
            format!(r#"{{"attributes":[ ],"body":{blob}}}"#),
            format!(
                r#"{{"attributes":[ {}],"body":{blob}}}"#,
                status("body", "a")
            ),
        ),
        (
            format!(r#"{{"body":{blob},"attributes":[{field} ,{{"key":"x"}}]}}"#),
            format!(
                r#"{{"body":{blob},"attributes":[{field},{} ,{{"key":"x"}},{}]}}"#,
                status("k", "a"),
                status("body", "a")
            ),
        ),
        (
            format!(r#"{{"attributes":[{field},{field}]}}"#),
            format!(
                r#"{{"attributes":[{field},{},{field},{}]}}"#,
                status("k", "a"),
                status("k", "a")
            ),
        ),
    ] {
        let (line, line_failed) = (logs(&record), logs(&failed));
        let finder = Finder::documents(&rules, false);
        let count = finder.record(line.as_bytes()).count();
        let all = |answer| Vec::from_iter(core::iter::repeat_n(answer, count));
        assert_eq!(
            answered(&rules, &line, &all(Answer::Failed("a"))),
            line_failed
        );
        assert_eq!(
            answered(&rules, &line_failed, &all(Answer::Failed("b"))),
            line_failed.replace(r#""a""#, r#""b""#)
        );
        let opened = answered(&rules, &line_failed, &all(Answer::Opened(b"{}")));
        assert!(
            !opened.contains("status") && !opened.contains(BLOB),
            "{opened}"
        );
        crate::json::validate(opened.as_bytes()).unwrap();
        assert_eq!(answered(&rules, &line, &all(Answer::Absent)), line);
    }
    // The attributes are not a list.
    let line = logs(&format!(r#"{{"body":{blob},"attributes":null}}"#));
    assert_eq!(answered(&rules, &line, &[Answer::Failed("a")]), line);
}

#[test]
fn a_plaintext_that_is_no_value_becomes_a_string_or_bytes() {
    let rules = named(&["body"]);
    let line = logs(&format!(r#"{{"body":{{"stringValue":"{BLOB}"}}}}"#));
    for (plaintext, body) in [
        (&b"' OR \"1\""[..], r#"{"stringValue":"' OR \"1\""}"#),
        (b"{\"a\":1}", r#"{"stringValue":"{\"a\":1}"}"#),
        (b"{\"intValue\":\n\"1\"}", r#"{"intValue": "1"}"#),
        (
            b"{\"stringValue\":",
            r#"{"stringValue":"{\"stringValue\":"}"#,
        ),
        (b"12", r#"{"stringValue":"12"}"#),
        (b"\xff", r#"{"bytesValue":"/w=="}"#),
    ] {
        let opened = answered(&rules, &line, &[Answer::Opened(plaintext)]);
        assert_eq!(opened, logs(&format!(r#"{{"body":{body}}}"#)));
    }
}

#[test]
fn values_in_the_clear_stay() {
    for value in [
        r#"{"stringValue":"text"}"#,
        r#"{"intValue":"7"}"#,
        "{}",
        r#"{"stringValue":7}"#,
    ] {
        let line = logs(&format!(r#"{{"body":{value}}}"#));
        let finder = Finder::documents(&named(&["body"]), false);
        let found = finder.record(line.as_bytes());
        let texts: Vec<_> = found.fields().map(|field| field.text).collect();
        assert_eq!(texts, [Ok(None)], "{value}");
    }
}

#[test]
fn a_field_is_bound_to_its_own_record() {
    let rules = Rules {
        aad_from: Some("traceId".parse().unwrap()),
        origin: Vec::from(["timeUnixNano".parse().unwrap()]),
        ..named(&["body", "attributes.k"])
    };
    let line = format!(
        r#"{{"resourceLogs":[{{"resource":{{"attributes":[{{"key":"k","value":{{}}}}]}},"scopeLogs":[{{"logRecords":[{},{},{}]}}]}}]}}"#,
        r#"{"body":{"stringValue":"x"},"traceId":"5B8EFFF7","timeUnixNano":"1"}"#,
        r#"{"traceId":"5b8efff8","timeUnixNano":2,"attributes":[{"key":"k","value":{}}]}"#,
        r#"{"body":{}}"#,
    );
    let finder = Finder::documents(&rules, true);
    let found = finder.record(line.as_bytes());
    let fields: Vec<_> = found
        .fields()
        .map(|field| (field.text.map(|_| field.aad), field.origin))
        .collect();
    assert_eq!(
        fields,
        [
            (Err(Problem::NoAad), &b""[..]),
            (Ok(&b"5b8efff7"[..]), b"\"1\""),
            (Ok(b"5b8efff8"), b"2"),
            (Err(Problem::NoAad), b""),
        ]
    );
    let events = found.events();
    assert_eq!(events.len(), 3);
    assert!(line[events[2].clone()].starts_with(r#"{"body":{}}"#));
}

#[test]
fn presets_find_the_content_of_both_generations() {
    let event = |event: &str| format!(r#"{{"body":{{"stringValue":"b"}},{event}}}"#);
    let line = logs(&[
        event(r#""eventName":"gen_ai.user.message""#),
        event(r#""attributes":[{"key":"event.name","value":{"stringValue":"gen_ai.choice"}}]"#),
        event(r#""eventName":"","attributes":[{"key":"event.name","value":{"stringValue":"gen_ai.choice"}}]"#),
        event(r#""eventName":"other""#),
        event(r#""attributes":[{"key":"gen_ai.prompt","value":{"stringValue":"p"}},{"key":"url.query","value":{"stringValue":"q"}}]"#),
    ].join(","));
    let texts = |preset: Preset| sealed(&preset.rules(), &line).0;
    let body = r#"{"stringValue":"b"}"#;
    assert_eq!(
        texts(Preset::OtlpGenai),
        [body, body, body, r#"{"stringValue":"p"}"#]
    );
    assert_eq!(texts(Preset::OtlpHttp), [r#"{"stringValue":"q"}"#]);
}

#[test]
fn other_paths_are_refused() {
    let twice = ["attributes.a", "attributes[\"a*\"]"].map(|path| path.parse().unwrap());
    assert!(matches!(rules(twice), Err(OtlpError::Twice(_))));
    for path in [
        "attributes[0]",
        "x",
        "body.x",
        "attributes",
        "attributes[0].value",
        "attributes[]",
    ] {
        let refused = rules([path.parse().unwrap()]).unwrap_err();
        assert_eq!(refused, OtlpError::Path(path.parse().unwrap()));
    }
}

#[test]
fn each_byte_is_looked_at_once() {
    let depth = 10_000;
    let line = logs(&format!(
        r#"{{"body":{}{{}}{}}}"#,
        r#"{"kvlistValue":{"values":[{"key":"k","value":"#.repeat(depth),
        "}]}}".repeat(depth)
    ));
    // A whole line is looked for besides.
    let rules = Rules {
        whole: None,
        ..named(&["body"])
    };
    let finder = Finder::documents(&rules, false);
    let before = looked_at();
    assert_eq!(finder.record(line.as_bytes()).count(), 1);
    let looked_at = looked_at() - before;
    assert!(looked_at <= line.len(), "{looked_at}");
}

/// Keys that may be statuses too, which opening removes beside their fields.
const KEYS: [&str; 6] = [
    "k",
    "k2",
    "body",
    "other",
    "k.decrypt_status",
    "body.decrypt_status",
];

/// Values, with attributes in them.
fn value(keys: &'static [&'static str]) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(r#"{"stringValue":"s\u0000"}"#.to_owned()),
        Just(r#" { "intValue" : "1" }"#.to_owned()),
        Just("{ }".to_owned()),
        Just("null".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let items = proptest::collection::vec(inner.clone(), 0..3);
        let kvlist = |list| format!(r#"{{"kvlistValue":{{"values":{list}}}}}"#);
        prop_oneof![
            attributes(keys, inner).prop_map(kvlist),
            items.prop_map(|items| format!(
                r#"{{"arrayValue":{{"values":[{}]}}}}"#,
                items.join(", ")
            )),
        ]
    })
}

fn attributes(
    keys: &'static [&'static str],
    value: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    let key = proptest::sample::select(keys);
    let pair = (key, value, 0..3).prop_map(|(key, value, form)| match form {
        0 => format!(r#"{{"key":"{key}","value":{value}}}"#),
        1 => format!(r#"{{ "value":{value} ,"key":"{key}" }}"#),
        _ => format!(r#"{{"key":"{key}"}}"#),
    });
    proptest::collection::vec(pair, 0..4).prop_map(|pairs| format!("[ {}]", pairs.join(" ,")))
}

fn batch(keys: &'static [&'static str]) -> impl Strategy<Value = String> {
    let body = value(keys).prop_map(|value| format!(r#""body":{value}"#));
    let list = attributes(keys, value(keys)).prop_map(|list| format!(r#""attributes":{list}"#));
    let members = (
        proptest::option::of(body),
        proptest::option::of(list),
        any::<bool>(),
    );
    let record = members.prop_map(|(body, list, is_turned)| {
        let mut members: Vec<_> = [body, list].into_iter().flatten().collect();
        if is_turned {
            members.reverse();
        }
        format!("{{{}}}", members.join(" , "))
    });
    proptest::collection::vec(record, 0..4).prop_map(|records| logs(&records.join(",")))
}

/// Opens a line with these answers to its blobs. Other fields are in the clear.
fn with_blobs(rules: &Rules, line: &str, blobs: &[Answer<'_>]) -> String {
    let finder = Finder::documents(rules, false);
    let found = finder.record(line.as_bytes());
    let mut blobs = blobs.iter();
    let answer = |text| match text {
        Ok(Some(_)) => *blobs.next().unwrap(),
        _ => Answer::Absent,
    };
    let answers: Vec<_> = found.fields().map(|field| field.text).map(answer).collect();
    let opened = answered(rules, line, &answers);
    crate::json::validate(opened.as_bytes()).unwrap();
    opened
}

proptest! {
    #[test]
    fn any_batch_is_restored(
        line in batch(&KEYS[..4]),
        with_statuses in batch(&KEYS),
        fields in proptest::sample::select(vec![
            &["body"][..],
            &["attributes.k"],
            &["body", "attributes.k"],
            &["body", "attributes.body"],
            &["body", "attributes[\"*\"]"],
        ]),
    ) {
        let rules = named(fields);
        for line in [&line, &with_statuses] {
            let (texts, written) = sealed(&rules, line);
            let line_sealed = written.unwrap();
            let texts: Vec<_> = texts.iter().filter(|text| !text.is_empty()).collect();
            let blobs = |line: &str| line.matches(BLOB).count();
            prop_assert_eq!(blobs(&line_sealed), texts.len());
            let opens: Vec<_> = texts.iter().map(|text| Answer::Opened(text.as_bytes())).collect();
            let opened = with_blobs(&rules, &line_sealed, &opens);
            prop_assert!(opened == *line || *line == with_statuses);

            let fails = vec![Answer::Failed("a"); opens.len()];
            let failed = with_blobs(&rules, &line_sealed, &fails);
            prop_assert_eq!(blobs(&failed), opens.len());
            // The second run replaces the statuses of the first.
            prop_assert_eq!(&with_blobs(&rules, &failed, &fails), &failed);
            let opened = with_blobs(&rules, &failed, &opens);
            prop_assert!(*line == with_statuses || !opened.contains("status"));
        }
    }
}
