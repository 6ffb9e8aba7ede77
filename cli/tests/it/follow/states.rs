//! What belongs to a state: one output, and one run at a time.

use super::*;

/// An output that is not the one of the earlier run is not cut.
#[test]
fn the_output_of_another_run_is_refused() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    append(&dir.path("a.log"), &lines.lines(0..3));
    let to = |output| ["--follow", "a.log", "--state", "state", "-o", output];
    let run = Run::start(&dir, &to("one"));
    run.wait_for("one", |text| text.lines().count() == 3);
    run.end(0);
    let two = "not a record\n".repeat(1000);
    dir.write("two", &two);
    let refused = dir.pqseal(&[&["logs", "open", "-k", "key.txt"][..], &to("two")].concat());
    refused.fails(
        3,
        "the state state belongs to the output one, which two is not",
    );
    assert!(dir.read("two") == two.as_bytes());
    append(&dir.path("a.log"), &lines.line(3));
    append(&dir.path("one"), "half a record");
    let run = Run::start(&dir, &to("one"));
    run.wait_for("one", |text| text.contains("\"n\":3"));
    run.end(0);
    let one = String::from_utf8(dir.read("one")).unwrap();
    assert_eq!(numbers(&one), once(0..4));
}

#[test]
fn a_state_has_one_run() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    append(&dir.path("a.log"), &lines.lines(0..3));
    let arguments = ["--follow", "a.log", "--state", "state", "-o", "opened"];
    let run = Run::start(&dir, &arguments);
    run.wait_for("opened", |text| text.lines().count() == 3);
    let second = dir.pqseal(&[&["logs", "open", "-k", "key.txt"][..], &arguments].concat());
    second.fails(3, "another run uses this state");
    run.kill();
    // The system unlocks it.
    let run = Run::start(&dir, &arguments);
    append(&dir.path("a.log"), &lines.line(3));
    run.wait_for("opened", |text| text.lines().count() == 4);
    run.end(0);
}
