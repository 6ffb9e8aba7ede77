//! Generated batches are restored, and a failure leaves one status, however many runs fail.

use alloc::{borrow::ToOwned, format, string::String, vec, vec::Vec};

use proptest::prelude::*;

use super::{BLOB, answered, logs, named, sealed};
use crate::{Answer, Finder, Rules, json::validate};

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
        prop_oneof![
            attributes(keys, inner)
                .prop_map(|list| format!(r#"{{"kvlistValue":{{"values":{list}}}}}"#)),
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
    let answers = found.fields().map(|field| match field.text {
        Ok(Some(_)) => *blobs.next().unwrap(),
        _ => Answer::Absent,
    });
    let answers: Vec<_> = answers.collect();
    let opened = answered(rules, line, &answers);
    validate(opened.as_bytes()).unwrap();
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
            prop_assert_eq!(line_sealed.matches(BLOB).count(), texts.len());
            let opens: Vec<_> = texts.iter().map(|text| Answer::Opened(text.as_bytes())).collect();
            let opened = with_blobs(&rules, &line_sealed, &opens);
            prop_assert!(opened == *line || *line == with_statuses);

            let fails = vec![Answer::Failed("a"); opens.len()];
            let failed = with_blobs(&rules, &line_sealed, &fails);
            prop_assert_eq!(failed.matches(BLOB).count(), opens.len());
            // The second run replaces the statuses of the first.
            prop_assert_eq!(&with_blobs(&rules, &failed, &fails), &failed);
            let opened = with_blobs(&rules, &failed, &opens);
            prop_assert!(*line == with_statuses || !opened.contains("status"));
        }
    }
}
