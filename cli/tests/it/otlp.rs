//! OTLP-JSON by `pqseal logs seal` and `pqseal logs open`.

use serde_json::{Value, json};

use crate::common::Dir;

fn record(trace: &str, body: &str) -> Value {
    json!({
        "timeUnixNano": "1769000000000000000",
        "traceId": trace,
        "body": { "stringValue": body },
        "attributes": [
            { "key": "url.query", "value": { "stringValue": "q=secret" } },
            { "key": "gen_ai.input.messages", "value": { "arrayValue": {
                "values": [{ "kvlistValue": { "values": [{ "key": "role", "value": {} }] } }]
            } } },
        ],
    })
}

fn line(records: &[Value]) -> String {
    let scope = json!({ "logRecords": records });
    json!({ "resourceLogs": [{ "scopeLogs": [scope] }] }).to_string() + "\n"
}

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("to.txt", crate::common::PUBLIC_KEY);
    dir
}

#[test]
fn what_is_sealed_is_restored() {
    let dir = dir();
    let input = line(&[record("5B8E", "secret"), record("5b8f", "secret")]);
    let input = input.clone() + &input;
    let fields = r#"--preset otlp --field body --field attributes["url.*"]"#;
    for fields in ["--preset otlp-genai", "--preset otlp-http", fields] {
        let sealed = dir.feed(&format!("logs seal --to to.txt {fields}"), input.as_bytes());
        assert_eq!(sealed.code, Some(0), "{}", sealed.err);
        assert_ne!(sealed.out(), input);
        assert!(!fields.contains("url") || !sealed.out().contains("secret"));
        let opened = dir.feed(
            &format!("logs open -k key.txt {fields}"),
            sealed.out().as_bytes(),
        );
        assert_eq!(
            (opened.code, opened.out()),
            (Some(0), &*input),
            "{}",
            opened.err
        );
    }
    // Each record of a batch on a line of its own, as an alert needs it.
    let sealed = dir.feed("logs seal --to to.txt --preset otlp-http", input.as_bytes());
    let opened = dir.feed(
        "logs open -k key.txt --preset otlp-http --explode",
        sealed.out().as_bytes(),
    );
    let lines: Vec<Value> = opened
        .out()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[3], record("5b8f", "secret"));
}

#[test]
fn a_value_is_bound_to_its_own_record() {
    let dir = dir();
    let options = "--preset otlp --field body --aad-from traceId";
    let input = line(&[record("5B8E", "one"), record("5b8f", "two")]);
    let sealed = dir.feed(
        &format!("logs seal --to to.txt {options}"),
        input.as_bytes(),
    );
    // A Collector writes ids in lower case.
    let lower = sealed.out().replace("5B8E", "5b8e");
    let open = format!("logs open -k key.txt {options}");
    let opened = dir.feed(&open, lower.as_bytes());
    assert_eq!(
        opened.out(),
        input.replace("5B8E", "5b8e"),
        "{}",
        opened.err
    );

    let moved = lower.replace("5b8f", "5b90");
    let refused = dir.feed(&open, moved.as_bytes());
    assert_eq!(refused.code, Some(0), "{}", refused.err);
    let out: Value = serde_json::from_str(refused.out()).unwrap();
    let records = &out["resourceLogs"][0]["scopeLogs"][0]["logRecords"];
    assert_eq!(records[0]["body"], json!({ "stringValue": "one" }));
    let status = json!({ "key": "body.decrypt_status", "value": { "stringValue": "altered" } });
    assert_eq!(records[1]["attributes"][2], status);
}

#[test]
fn a_line_that_is_not_otlp_is_never_passed_in_the_clear() {
    let dir = dir();
    let input = line(&[record("5b8e", "secret")]) + "{\"body\":\"secret\"}\n";
    let seal = "logs seal --to to.txt --preset otlp-http";
    let sealed = dir.feed(seal, input.as_bytes());
    assert_eq!(sealed.code, Some(1));
    assert!(sealed.err.contains("not OTLP-JSON"), "{}", sealed.err);
    assert!(!sealed.out().contains("\"body\":\"secret\""));
    let sealed = dir.feed(&format!("{seal} --on-refused seal"), input.as_bytes());
    let line = sealed.out().lines().nth(1).unwrap();
    assert!(line.starts_with("{\"encrypted_record\":"), "{line}");
    let opened = dir.feed(
        "logs open -k key.txt --preset otlp-http",
        sealed.out().as_bytes(),
    );
    assert_eq!(opened.out(), input, "{}", opened.err);

    dir.write("table.csv", "body,url.query\na,b\n");
    dir.words(&format!("{seal} table.csv"))
        .fails(1, "OTLP is JSON");
    let zstd = b"\0\0\x01\x02\x28\xb5\x2f\xfd\x04";
    let refused = dir.feed(seal, zstd);
    assert!(refused.err.contains("file exporter"), "{}", refused.err);
}

#[test]
fn options_that_have_no_effect_are_refused() {
    let dir = dir();
    for (line, part) in [
        ("open -k key.txt --preset otlp", "needs --field"),
        (
            "open -k key.txt --preset otlp --field /x",
            "not a field of a log record",
        ),
        (
            "open -k key.txt --preset otlp-http --field body",
            "cannot be used with --field",
        ),
        (
            "open -k key.txt --preset otlp-http --replace",
            "restored as they were",
        ),
        (
            "open -k key.txt --preset otlp-http --as json",
            "restored as they were",
        ),
        (
            "open -k key.txt --preset otlp --field body --into b",
            "leave --into out",
        ),
        (
            "open -k key.txt --preset otlp --field attributes[0]",
            "not a field of a log record",
        ),
        (
            "open -k key.txt --preset otlp --field attributes.a --field attributes[\"*\"]",
            "named twice",
        ),
        (
            "open -k key.txt --preset otlp-http --sealed-as ai-gateway",
            "restored as they were",
        ),
        ("seal --to to.txt --preset otlp", "needs --field"),
        (
            "seal --to to.txt --preset modsecurity --field body",
            "cannot be used with --field",
        ),
        (
            "seal --to to.txt --preset otlp --field body --into b",
            "leave --into out",
        ),
        (
            "seal --to to.txt --preset otlp-http --also request",
            "presets of firewalls",
        ),
    ] {
        dir.words(&format!("logs {line}")).fails(2, part);
    }
}
