//! Fields of OTLP: what is sealed, and that opening restores each line.

mod batches;

use alloc::{format, string::String, vec::Vec};

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
