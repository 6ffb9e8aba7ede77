//! Records that are sealed as they are written.

use std::{fs, sync::atomic::Ordering, thread};

use pqseal_pipeline::{Framing, Limits, Pipeline, files::follow};
use pqseal_records::{OnField, Rules, audit_log::WHOLE};

use super::{End, Hearing, Output, Place};
use crate::common::{Seal, fields};

/// A line of a document over several lines may be JSON, and arrive separately.
#[test]
fn a_document_that_is_written_line_by_line_is_sealed() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    let what = place.what(false);
    let rules = Rules {
        mode: OnField::Drop,
        whole: Some(WHOLE),
        ..fields(&["s"])
    };
    let pipeline = Pipeline::new(Seal, rules, 1).unwrap();
    let pipeline = pipeline.framed(Framing::Lines, Limits::default());
    let follow = || {
        let mut output = Output::at(&place.path("out"));
        let mut hearing = Hearing {
            place: &place,
            is_once: false,
        };
        follow::follow(&pipeline, &what, &mut output, &mut hearing, &place.is_over)
    };
    let lines = ["{\"s\":[", "{\"x\":1}", ",{\"x\":2}", "]}", "{\"n\":1}"];
    thread::scope(|scope| {
        let run = scope.spawn(follow);
        // If that panics, too.
        let end = End(&place.is_over);
        for (before, line) in lines.iter().enumerate() {
            place.add("logs/a.log", &format!("{line}\n"));
            place.wait_for(before + 1);
        }
        drop(end);
        run.join().unwrap().unwrap();
    });
    let out = place.read("out");
    let sealed = out.matches("{\"encrypted_record\":").count();
    assert!(sealed == 4 && out.ends_with("}\n{\"n\":1}\n"), "{out}");
}

/// The doubt is kept across a restart.
#[test]
fn a_document_is_sealed_by_runs_that_each_see_a_line() {
    let documents: [&[&str]; 2] = [
        &[
            "{\"rows\":[",
            "{\"name\":\"S1\"},",
            "{\"name\":\"S2\"}",
            "]}",
        ],
        &[
            "{",
            "\"rows\":[",
            "{\"name\":\"S1\"}",
            ",",
            "{\"name\":\"S2\"}",
            "]",
            "}",
        ],
    ];
    for document in documents {
        let place = Place::new();
        fs::create_dir(place.path("logs")).unwrap();
        let rules = Rules {
            mode: OnField::Drop,
            whole: Some(WHOLE),
            ..fields(&[".rows[].name"])
        };
        let pipeline = Pipeline::new(Seal, rules, 1).unwrap();
        let pipeline = pipeline.framed(Framing::Lines, Limits::default());
        let record = r#"{"rows":[{"name":"S3"}]}"#;
        for line in [document, &[record, "{\"n\":1}"]].concat() {
            place.add("logs/a.log", &format!("{line}\n"));
            place.is_over.store(false, Ordering::Relaxed);
            let mut output = Output::at(&place.path("out"));
            let mut hearing = Hearing {
                place: &place,
                is_once: true,
            };
            let what = place.what(false);
            follow::follow(&pipeline, &what, &mut output, &mut hearing, &place.is_over).unwrap();
        }
        let out = place.read("out");
        let sealed = out.matches("{\"encrypted_record\":").count();
        assert!(
            sealed == document.len() && out.ends_with("}\n{\"n\":1}\n"),
            "{out}"
        );
        assert!(!out.contains("{\"name\""), "{out}");
    }
}
