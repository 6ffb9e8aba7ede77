//! States: each belongs to one output, and to one run at a time.

use super::*;

/// An output other than that of the earlier run is not cut.
#[test]
fn a_state_has_one_output_and_one_run() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    append(&dir.path("a.log"), lines.lines(0..3));
    let arguments = ["--follow", "a.log", "--state", "state", "-o", "one"];
    let refused = |output: &str, words: &str| {
        let line = "logs open -k key.txt --follow a.log --state state -o";
        dir.words(&format!("{line} {output}")).fails(3, words);
    };
    let run = Run::start(&dir, &arguments);
    run.wait_for("one", |text| text.lines().count() == 3);
    refused("one", "another run uses this state");
    run.kill();
    let two = "not a record\n".repeat(1000);
    dir.write("two", &two);
    refused(
        "two",
        "the state state was written for the output one, and two is another file",
    );
    assert!(dir.read("two") == two.as_bytes());
    // The system unlocks it, and half a record is cut off.
    append(&dir.path("a.log"), lines.line(3));
    append(&dir.path("one"), "half a record");
    let run = Run::start(&dir, &arguments);
    run.wait_for("one", |text| text.contains("\"n\":3"));
    run.end(0);
    let one = String::from_utf8(dir.read("one")).unwrap();
    assert_eq!(numbers(&one), once(0..4));
}
