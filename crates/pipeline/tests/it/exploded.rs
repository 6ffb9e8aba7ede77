//! Events of documents, each written on a line.

use std::io::Read;

use pqseal_pipeline::{Framing, Limits, Pipeline};
use pqseal_records::{Preset, Rules, audit_log::WHOLE};

use crate::common::{Mock, Seal, Silent, accounted, fields};

#[test]
fn each_event_on_a_line() {
    let input = r#"{"result":[{"encrypted_matched_data":"open:a",
 "n":1},{"n":2}],"x":0} {"encrypted_matched_data":"open:b"}[{"n":3}]
{"encrypted_matched_data":"open:c","l":[{"encrypted_matched_data":"open:d"}]}
bad"#;
    let mut out = Vec::new();
    let pipeline = Pipeline::new(Mock, Preset::Auto.rules(), 1).unwrap();
    let pipeline = pipeline.framed(Framing::Json, Limits::default()).exploded();
    let stats = pipeline.run(input.as_bytes(), &mut out, "test", &mut Silent);
    let stats = stats.unwrap();
    let expected = r#"{"encrypted_matched_data":"open:a","decrypted_matched_data":"a",  "n":1}
{"n":2}
{"encrypted_matched_data":"open:b","decrypted_matched_data":"b"}
{"n":3}
{"encrypted_matched_data":"open:c","decrypted_matched_data":"c","l":[{"encrypted_matched_data":"open:d","decrypted_matched_data":"d"}]}
bad
"#;
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    assert_eq!((stats.records, stats.events, stats.opened), (5, 6, 3));
}

/// Opens an input that arrives in two parts, each of which is a batch.
fn opened_in_parts(framing: Framing, (first, second): (&[u8], &[u8])) -> String {
    let limits = Limits {
        record: 8,
        batch_bytes: 1,
        ..Limits::default()
    };
    let pipeline = Pipeline::new(Mock, fields(&[".s"]), 1).unwrap();
    let pipeline = pipeline.framed(framing, limits).exploded();
    let mut out = Vec::new();
    let stats = pipeline.run(first.chain(second), &mut out, "test", &mut Silent);
    accounted(&stats.unwrap());
    String::from_utf8(out).unwrap()
}

#[test]
fn an_event_after_a_record_that_is_too_large_is_on_its_own_line() {
    let inputs = [
        (Framing::Lines, "{\"long\":1}\n{\"n\":1}\n"),
        (Framing::Json, "[{\"long\":1},{\"n\":1}]"),
        (Framing::Json, "[{\"long\":1}\n,\n{\"n\":1}\n]\n"),
        (Framing::Json, "{\"long\":1}{\"n\":1}"),
        (Framing::Auto, "\x1e{\"long\":1}\n\x1e{\"n\":1}\n"),
    ];
    for (framing, input) in inputs {
        for at in 0..input.len() {
            let out = opened_in_parts(framing, input.as_bytes().split_at(at));
            assert_eq!(out, "{\"long\":1}\n{\"n\":1}\n", "{input:?}, split at {at}");
        }
    }
}

#[test]
fn a_record_at_the_end_that_is_too_large_has_a_line_end() {
    let inputs = [
        (Framing::Lines, "{\"n\":1}\n{\"long\":1}"),
        (Framing::Json, "[{\"n\":1},{\"long\":1}]"),
        (Framing::Auto, "\x1e{\"n\":1}\n\x1e{\"long\":1}\n"),
    ];
    for (framing, input) in inputs {
        for at in 0..=input.len() {
            let out = opened_in_parts(framing, input.as_bytes().split_at(at));
            assert_eq!(out, "{\"n\":1}\n{\"long\":1}\n", "{input:?}, split at {at}");
        }
    }
}

#[test]
fn records_after_one_that_cannot_be_sealed_have_their_own_events() {
    let rules = Rules {
        whole: Some(WHOLE),
        ..Preset::Auto.rules()
    };
    let pipeline = Pipeline::new(Seal, rules, 1).unwrap();
    let pipeline = pipeline.framed(Framing::Json, Limits::default()).exploded();
    let input = r#"[{"l":[{"encrypted_matched_data":"x","decrypted_matched_data":1}]},{"l":[{"encrypted_matched_data":"a"},{"n":1}]},
{"n":2},{"l":[{"n":3},{"encrypted_matched_data":"long text"}]}]"#;
    let mut out = Vec::new();
    let stats = pipeline.run(input.as_bytes(), &mut out, "test", &mut Silent);
    let stats = stats.unwrap();
    let expected = r#"{"encrypted_record":"open:{\"l\":[{\"encrypted_matched_data\":\"x\",\"decrypted_matched_data\":1}]}"}
{"encrypted_matched_data":"a","decrypted_matched_data":"open:a"}
{"n":1}
{"n":2}
{"n":3}
{"encrypted_matched_data":"long text","decrypted_matched_data":"open:long text"}
"#;
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    assert_eq!((stats.records, stats.events), (4, 5));
}
