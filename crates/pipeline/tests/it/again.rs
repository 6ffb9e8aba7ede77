//! Records that come with results: they are counted, and with `Rules::again` the results are
//! replaced by those of this run.

use pqseal_pipeline::{Framing, Stats};
use pqseal_records::{OnField, Preset, Rules};

use crate::common::{accounted, fields, run, with};

fn again(rules: Rules) -> Rules {
    Rules {
        again: true,
        ..rules
    }
}

#[track_caller]
fn opened(input: &str, framing: Framing, rules: Rules) -> (String, Stats) {
    let (out, stats) = run(input, framing, rules).unwrap();
    accounted(&stats);
    (String::from_utf8(out).unwrap(), stats)
}

#[test]
fn no_result_of_a_record_is_kept_beside_its_field() {
    for (input, expected) in [
        (
            r#"{"s":"open:x","decrypted_s":"forged", "z":0}"#,
            r#"{"s":"open:x","decrypted_s":"x", "z":0}"#,
        ),
        (
            r#"{ "decrypted_s":{"a":[1]}, "s":"open:x"}"#,
            r#"{ "s":"open:x","decrypted_s":"x"}"#,
        ),
        (
            r#"{"decrypted_s":1,"decrypt_status":"opened","s":"open:x", "decrypted\u005fs":"f" ,"decrypt_lossy":true,"z":0}"#,
            r#"{"s":"open:x","decrypted_s":"x","z":0}"#,
        ),
        (
            r#"{"s":"bad","decrypted_s":"forged","decrypt_status":"opened"}"#,
            r#"{"s":"bad","decrypt_status":"no_key_matched"}"#,
        ),
        (
            r#"{"s":"truncated","decrypted_s":"forged"}"#,
            r#"{"s":"truncated","decrypt_status":"truncated"}"#,
        ),
        // There is nothing to open.
        (
            r#"{"s":null,"decrypted_s":"kept"}"#,
            r#"{"s":null,"decrypted_s":"kept"}"#,
        ),
    ] {
        let (out, stats) = opened(input, Framing::Lines, again(fields(&["s"])));
        assert_eq!(out, expected, "{input}");
        assert_eq!((stats.already, stats.with_result), (0, 1), "{input}");
    }
    let pair = |key: &str, value: &str| format!(r#"{{"key":"{key}","value":"{value}"}}"#);
    let forged = pair("decrypted_matched_data", "forged");
    let (sealed, own) = (
        pair("encrypted_matched_data", "open:x"),
        pair("decrypted_matched_data", "x"),
    );
    let quoted = |text: &str| format!(r#"{{"log":"{}"}}"#, text.replace('"', "\\\""));
    let of = |forged: &str| {
        format!(r#"{{"encrypted_matched_data":"open:x","decrypted_matched_data":"{forged}"}}"#)
    };
    for (input, expected) in [
        (
            format!(r#"{{"a":[{forged},{sealed},{{}},{forged}]}}"#),
            format!(r#"{{"a":[{sealed},{own},{{}}]}}"#),
        ),
        (quoted(&of("forged")), quoted(&of("x"))),
    ] {
        let rules = again(Preset::Auto.rules());
        assert_eq!(opened(&input, Framing::Lines, rules).0, expected);
    }
    let dropped = again(with(OnField::Drop, Default::default(), fields(&["s"])));
    let input = r#"{"decrypted_s":"forged","s":"open:x","decrypted_s":"forged"}"#;
    let (out, _) = opened(input, Framing::Lines, dropped);
    assert_eq!(out, r#"{"decrypted_s":"x"}"#);
}

#[test]
fn no_result_of_a_row_is_kept_beside_its_cell() {
    let table = "s,decrypted_s,decrypt_status\nopen:x,forged,opened\nbad,forged,opened\n,kept,\n";
    let (out, stats) = opened(table, Framing::Rows(b','), again(fields(&["s"])));
    let expected =
        "s,decrypted_s,decrypt_status\nopen:x,x,opened\nbad,,no_key_matched\n,kept,absent\n";
    assert_eq!((out.as_str(), stats.with_result), (expected, 3));
}

/// Anyone who writes a record can hide what a field says by a result of its own.
#[test]
fn a_record_with_a_result_is_counted_whatever_its_outcome() {
    for (input, outcome) in [
        (r#"{"s":"open:x","decrypted_s":"forged"}"#, "already"),
        (
            r#"{"s":"open:x","decrypted_s":"forged","t":"open:y"}"#,
            "opened",
        ),
        (
            r#"{"s":"open:x","decrypted_s":"forged","t":"bad"}"#,
            "failed",
        ),
        (
            r#"{"s":"open:x","decrypted_s":"forged","t":"truncated"}"#,
            "truncated",
        ),
    ] {
        let (out, stats) = opened(input, Framing::Lines, fields(&["s", "t"]));
        assert!(out.contains("forged"), "{out}");
        let counted = stats.json(&[], 0.0);
        assert_eq!(
            (&counted[outcome], &counted["with_result"]),
            (&1.into(), &1.into()),
            "{input}"
        );
        let text = stats.prometheus(&[]);
        assert!(
            text.contains("pqseal_records_with_result_total 1\n"),
            "{text}"
        );
    }
    let (_, stats) = opened(r#"{"s":"open:x"}"#, Framing::Lines, fields(&["s"]));
    assert_eq!(stats.with_result, 0);
}
