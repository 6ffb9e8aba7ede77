//! `pqseal logs open --follow` and `--watch`: real processes that append, rotate, truncate and are
//! killed. Every record has a number, and each is counted.

mod folders;
mod outputs;
pub(crate) mod run;
mod states;

use std::{
    fs::{self, File},
    io::Read,
    os::unix::process::ExitStatusExt,
    process::Command,
    thread,
    time::Duration,
};

use crate::common::{Dir, PQSEAL, each_fails};
use run::*;

#[test]
fn lines_come_out_as_they_are_complete() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    let log = dir.path("a.log");
    let run = Run::start(&dir, &["--follow", "a.log", "--stats", "json"]);
    run.wait_for("err", |text| text.contains("a.log does not exist; waiting"));
    append(&log, lines.line(0));
    run.wait_for_lines(1);
    let second = lines.line(1);
    append(&log, &second[..20]);
    thread::sleep(Duration::from_millis(500));
    assert_eq!(numbers(&out(&dir)), once(0..1));
    append(&log, &second[20..]);
    run.wait_for_lines(2);
    // Without a state the end of the run ends the line.
    append(&log, lines.line(2).trim_end());
    thread::sleep(Duration::from_millis(300));
    let said = run.end(0);
    assert_eq!(numbers(&out(&dir)), once(0..3));
    assert!(
        said.contains("\"opened\":3") && said.contains("\"complete\":true"),
        "{said}"
    );
}

#[test]
fn rotation_and_truncation() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    let log = dir.path("a.log");
    append(&log, lines.lines(0..10));
    let run = Run::start(&dir, &["--follow", "a.log", "--dead-letter", "dead"]);
    run.wait_for_lines(10);
    // Renamed, and written to for a while.
    fs::rename(&log, dir.path("a.log.1")).unwrap();
    append(&dir.path("a.log.1"), lines.lines(10..12));
    append(&log, lines.lines(12..20));
    append(&dir.path("a.log.1"), lines.line(20));
    run.wait_for_lines(21);
    assert_eq!(numbers(&out(&dir)), once(0..21));
    // Copied and truncated, then longer than before.
    fs::copy(&log, dir.path("a.log.2")).unwrap();
    let file = File::options().write(true).open(&log).unwrap();
    file.set_len(0).unwrap();
    append(&log, lines.lines(21..40));
    run.wait_for_lines(40);
    // Removed, and created again.
    fs::remove_file(&log).unwrap();
    append(&log, lines.lines(40..42));
    append(&log, "no json\n");
    run.wait_for_lines(43);
    let said = run.end(0);
    let opened = out(&dir).replace("no json\n", "");
    assert_eq!(numbers(&opened), once(0..42));
    let letters = String::from_utf8(dir.read("dead")).unwrap();
    assert!(
        letters.contains("\"source\":\"a.log\",\"line\":3,"),
        "{letters}"
    );
    assert!(said.contains("a.log was truncated"), "{said}");
}

/// After kills at any time, no record is missing, and none is twice in a written file.
#[test]
fn a_killed_run_continues_where_the_state_says() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    let log = dir.path("a.log");
    let count = 4000;
    let to_file = ["--follow", "a.log", "--state", "state", "-o", "opened"];
    append(&log, "");
    for start in (0..count).step_by(100) {
        let number = start / 100;
        let text = lines.lines(start..start + 100);
        let run = (number % 8 == 0).then(|| Run::start(&dir, &to_file));
        // In the middle of a line.
        let (first, second) = text.split_at(text.len() / 3);
        append(&log, first);
        if let Some(run) = run {
            // Somewhere between its start and its end.
            thread::sleep(Duration::from_millis(20 + 40 * number));
            run.kill();
        }
        append(&log, second);
        if number == 20 {
            // Nothing follows it now.
            fs::rename(&log, dir.path("a.log.1")).unwrap();
        }
    }
    let run = Run::start(&dir, &to_file);
    run.wait_for("opened", |text| text.lines().count() as u64 >= count);
    let said = run.end(0);
    let opened = String::from_utf8(dir.read("opened")).unwrap();
    assert_eq!(said, "");
    let counts = numbers(&opened);
    let is_wrong = |number: &u64| counts.get(number) != Some(&1);
    assert_eq!((0..count).find(is_wrong), None);
    assert_eq!(counts.len() as u64, count);
    assert_eq!(dir.mode("opened"), 0o600);
    // Nothing new: nothing comes out.
    let notes = dir.read("state").len();
    let run = Run::start(&dir, &to_file);
    run.wait_for("state", |text| text.len() > notes);
    thread::sleep(Duration::from_millis(300));
    run.end(0);
    assert!(dir.read("opened") == opened.as_bytes());
}

/// To a pipe no record is missing, and those after the last saved state may come again.
#[test]
fn a_killed_run_repeats_rather_than_loses() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    let log = dir.path("a.log");
    for start in (0..600).step_by(100) {
        let run = Run::start(&dir, &["--follow", "a.log", "--state", "state"]);
        append(&log, lines.lines(start..start + 100));
        thread::sleep(Duration::from_millis(3 * start));
        run.kill();
    }
    let run = Run::start(&dir, &["--follow", "a.log", "--state", "state"]);
    append(&log, lines.line(600));
    run.wait_for("out", |text| numbers(&whole(text)).len() == 601);
    run.end(0);
    let counts = numbers(&whole(&out(&dir)));
    assert!(counts.keys().copied().eq(0..601));
}

#[test]
fn only_what_is_added() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    append(&dir.path("a.log"), lines.lines(0..5));
    let run = Run::start(
        &dir,
        &["--follow", "a.log", "--from-end", "--prometheus", "metrics"],
    );
    thread::sleep(Duration::from_millis(1000));
    append(&dir.path("a.log"), lines.lines(5..7));
    run.wait_for_lines(2);
    // While it runs.
    run.wait_for("metrics", |text| text.contains("outcome=\"opened\"} 2"));
    run.end(0);
    assert_eq!(numbers(&out(&dir)), once(5..7));
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let dir = Dir::new();
    fs::create_dir(dir.path("logs")).unwrap();
    dir.write("a.log", "");
    dir.write("state", "{\"input\":\"a\"}\n");
    let lines = [
        "--follow => FILE-OR-FOLDER",
        "--follow - => --follow is only for files",
        "--follow logs => use --watch",
        "--watch a.log => --watch takes folders",
        "--from-end a.log => --from-end is for --follow",
        "--follow a.log --input-format csv => lines (NDJSON)",
        "--follow a.log -o b.gz => not compressed",
        "--follow a.log -o logs/ => go to one output",
        "--watch logs -o logs/out => name another place",
    ];
    let open = "pqseal logs open -k key.txt";
    each_fails(&dir, open, 2, &lines);
    let lines = ["--follow a.log --state state => not a state of files that are followed"];
    each_fails(&dir, open, 3, &lines);
}

/// A wrong key shows before the run is stopped.
#[test]
fn a_key_that_opens_nothing_is_warned_of_early() {
    let dir = Dir::new();
    dir.shell(
        "pqseal keygen --kem x25519 -o other.key > other.pub 2> /dev/null; \
         pqseal logs generate 200 | pqseal logs seal --to other.pub > a.log",
    );
    let run = Run::start(&dir, &["--follow", "a.log"]);
    run.wait_for("err", |text| text.contains("and none opened"));
    let said = run.end(0);
    assert_eq!(said.matches("is it the right key?").count(), 1, "{said}");
    let lines = Lines::new(&dir);
    fs::write(
        dir.path("a.log"),
        lines.lines(0..1) + &"no json\n".repeat(100),
    )
    .unwrap();
    let run = Run::start(&dir, &["--follow", "a.log", "--input-format", "ndjson"]);
    run.wait_for_lines(301);
    let said = run.end(0);
    assert!(!said.contains("and none opened"), "{said}");
}

#[test]
fn the_first_signal_ends_a_run_whose_reader_stalls() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    fs::write(dir.path("a.log"), lines.lines(0..20_000)).unwrap();
    let mut command = dir.command(PQSEAL);
    command.args("logs open -k key.txt --follow a.log --stats json".split(' '));
    let mut child = command.spawn().unwrap();
    // The pipe takes 64 KiB at most, and nothing is read after the first bytes.
    let mut first = [0; 10];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    thread::sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    Command::new("kill")
        .args(["-s", "TERM", &id])
        .status()
        .unwrap();
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(15), "{said}");
    assert!(said.contains("\"complete\":false"), "{said}");
}
