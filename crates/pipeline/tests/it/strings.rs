//! JSON inside strings: results stand beside the field, and every other byte stays.

use pqseal_pipeline::{Framing, Pipeline, Transform};
use pqseal_records::{FieldPath, OnField, Preset, ResultFormat, Rule, Rules, Selector};
use serde_json::Value;

use crate::common::{Mock, Seal, Silent, accounted, fields, run, with};

const KEEP: OnField = OnField::Keep;

fn opened(input: &str, rules: Rules) -> String {
    let (out, stats) = run(input, Framing::Auto, rules).unwrap();
    accounted(&stats);
    String::from_utf8(out).unwrap()
}

#[test]
fn results_are_escaped_as_deep_as_they_stand() {
    let auto = || Preset::Auto.rules();
    // What writers of the logs of containers, of CloudWatch, and of exports produce.
    for (input, expected) in [
        (
            r#"{"log":"{\"encrypted_matched_data\":\"open:a\\\"b\"}\n","n":"\u00e9"}"#,
            r#"{"log":"{\"encrypted_matched_data\":\"open:a\\\"b\",\"decrypted_matched_data\":\"a\\\"b\"}\n","n":"\u00e9"}"#,
        ),
        (
            r#"{"Metadata":"{\"\u0061\":\"\ud83d\ude00\u00e9\",\"encrypted_matched_data\":\"open:\ud83d\ude00\"}"}"#,
            r#"{"Metadata":"{\"\u0061\":\"\ud83d\ude00\u00e9\",\"encrypted_matched_data\":\"open:\ud83d\ude00\",\"decrypted_matched_data\":\"😀\"}"}"#,
        ),
        (
            r#"{"m":"[{\"key\":\"encrypted_matched_data\",\"value\":\"open:x\"}]"}"#,
            r#"{"m":"[{\"key\":\"encrypted_matched_data\",\"value\":\"open:x\"},{\"key\":\"decrypted_matched_data\",\"value\":\"x\"}]"}"#,
        ),
        (
            r#"{"a":"{\"b\":\"{\\\"encrypted_matched_data\\\":\\\"open:x\\\"}\"}"}"#,
            r#"{"a":"{\"b\":\"{\\\"encrypted_matched_data\\\":\\\"open:x\\\",\\\"decrypted_matched_data\\\":\\\"x\\\"}\"}"}"#,
        ),
        (
            r#"{"e":[{"m":"{\"encrypted_matched_data\":\"bad\"}"},{"m":"text"}]}"#,
            r#"{"e":[{"m":"{\"encrypted_matched_data\":\"bad\",\"decrypt_status\":\"no_key_matched\"}"},{"m":"text"}]}"#,
        ),
    ] {
        let once = opened(input, auto());
        assert_eq!(once, expected);
        let is_opened = !once.contains("decrypt_status");
        let twice = opened(&once, auto());
        assert!(!is_opened || twice == once, "{twice}");
    }
}

#[test]
fn a_path_leads_into_strings() {
    let input = r#"{"log":"{\"a\":{\"s\":\"open:x\"},\"l\":[{\"s\":\"open:y\"}]}\n"}"#;
    let rules = || fields(&[".log.a.s", "/log/l/0/s"]);
    assert_eq!(
        opened(input, with(KEEP, ResultFormat::String, rules())),
        r#"{"log":"{\"a\":{\"s\":\"open:x\",\"decrypted_s\":\"x\"},\"l\":[{\"s\":\"open:y\",\"decrypted_s\":\"y\"}]}\n"}"#
    );
    let mode = OnField::Replace;
    assert_eq!(
        opened(input, with(mode, ResultFormat::String, rules())),
        r#"{"log":"{\"a\":{\"s\":\"x\"},\"l\":[{\"s\":\"y\"}]}\n"}"#
    );
    let json = r#"{"log":"{\"s\":\"open:{\\\"q\\\":[1]}\"}"}"#;
    let rules = with(OnField::Drop, ResultFormat::Json, fields(&[".log.s"]));
    assert_eq!(
        opened(json, rules),
        r#"{"log":"{\"decrypted_s\":{\"q\":[1]}}"}"#
    );
    // A blob may be bound to a field beside it, in the same string.
    let rules = Rules {
        aad_from: Some(".log.ray".parse().unwrap()),
        ..fields(&[".log.s"])
    };
    assert_eq!(
        opened(r#"{"log":"{\"ray\":\"8f\",\"s\":\"open:x\"}"}"#, rules),
        r#"{"log":"{\"ray\":\"8f\",\"s\":\"open:x\",\"decrypted_s\":\"x8f\"}"}"#
    );
}

#[test]
fn cells_of_tables_have_json_in_strings_too() {
    let input = "n,m\r\n1,\"{\"\"log\"\":\"\"{\\\"\"encrypted_matched_data\\\"\":\\\"\"open:=1\\\"\"}\"\"}\"\r\n";
    let (out, _) = run(input, Framing::CSV, Preset::Auto.rules()).unwrap();
    let out = String::from_utf8(out).unwrap();
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let row = reader.records().next().unwrap().unwrap();
    let document: Value = serde_json::from_str(&row[1]).unwrap();
    let inner: Value = serde_json::from_str(document["log"].as_str().unwrap()).unwrap();
    assert_eq!(inner["decrypted_matched_data"], "=1");
}

fn seal(path: &str, input: &str) -> Result<String, String> {
    let rule = Rule {
        find: Selector::Field(path.parse::<FieldPath>().unwrap()),
        into: "s".to_owned(),
    };
    let rules = Rules {
        rules: vec![rule],
        mode: OnField::Drop,
        ..Rules::default()
    };
    let mut out = Vec::new();
    let pipeline = Pipeline::new(Seal, rules, 1).unwrap();
    let run = pipeline.run(input.as_bytes(), &mut out, "test", &mut Silent);
    run.map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn sealing_enters_strings_and_lets_nothing_pass() {
    assert!(Seal.seals() && !Mock.seals());
    let input = r#"{"log":"{\"user\":{\"n\":[1,\"\\u00e9\"]},\"k\":1}\n"}"#;
    assert_eq!(
        seal(".log.user", input).unwrap(),
        r#"{"log":"{\"s\":\"open:{\\\"n\\\":[1,\\\"\\\\u00e9\\\"]}\",\"k\":1}\n"}"#
    );
    for (path, input, problem) in [
        (
            ".log.user",
            r#"{"log":"{\"user\":1,\"user\":2}"}"#,
            "two members",
        ),
        (".log.user", r#"{"log":"[{\"user\":1}]"}"#, "a list where"),
        (".log.user", r#"{"log":["{\"user\":1}"]}"#, "a list where"),
        (".log.user", r#"{"log":"{\"user\":1,"}"#, "not JSON"),
        (
            ".log.user",
            r#"{"log":"{\"user\":1,\"s\":2}"}"#,
            "already has",
        ),
    ] {
        let error = seal(path, input).unwrap_err();
        assert!(error.contains(problem), "{input}: {error}");
    }
    for other in [
        r#"{"log":"text"}"#,
        r#"{"log":"[INFO] text"}"#,
        r#"{"log":"{\"a\":1"}"#,
    ] {
        assert_eq!(seal(".log.user", other).unwrap(), other);
    }
}
