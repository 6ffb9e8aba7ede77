//! `pqseal logs open --follow` and `--watch`: real processes that append, rotate, truncate and are
//! killed. Every record has a number, and each is counted.

#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod folders;
mod states;

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::Write,
    path::Path,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use common::{Dir, PQSEAL, PUBLIC_KEY};
use serde_json::Value;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A blob of the published key, and lines with it.
struct Lines(String);

impl Lines {
    fn new(dir: &Dir) -> Self {
        let sealed = dir
            .run(PQSEAL, &["seal", "--to", PUBLIC_KEY], b"matched")
            .succeeds();
        Self(sealed.out().trim_end().to_owned())
    }

    fn line(&self, number: u64) -> String {
        let blob = &self.0;
        format!("{{\"n\":{number},\"encrypted_matched_data\":\"{blob}\"}}\n")
    }

    fn lines(&self, numbers: impl IntoIterator<Item = u64>) -> String {
        numbers
            .into_iter()
            .map(|number| self.line(number))
            .collect()
    }
}

fn append(path: &Path, text: &str) {
    let mut options = OpenOptions::new();
    let mut file = options.create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// A run that follows, with its output in `out`.
struct Run {
    child: Child,
    dir: std::path::PathBuf,
}

impl Run {
    fn start(dir: &Dir, arguments: &[&str]) -> Self {
        Self::of(dir, dir.command(PQSEAL), arguments)
    }

    /// One that may have few files open.
    fn start_with(dir: &Dir, open_files: u32, arguments: &[&str]) -> Self {
        let mut shell = dir.command("sh");
        let line = format!("ulimit -n {open_files} && exec \"$0\" \"$@\"");
        shell.args(["-c", &line, PQSEAL]);
        Self::of(dir, shell, arguments)
    }

    fn of(dir: &Dir, mut command: Command, arguments: &[&str]) -> Self {
        let output = OpenOptions::new()
            .create(true)
            .append(true)
            .open(dir.path("out"))
            .unwrap();
        let errors = File::create(dir.path("err")).unwrap();
        let child = command
            .args(["logs", "open", "-k", "key.txt"])
            .args(arguments)
            .stdout(output)
            .stderr(errors)
            .spawn()
            .unwrap();
        let dir = dir.path("");
        Self { child, dir }
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", name, &id])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it as a service manager does; what it said.
    fn end(mut self, code: i32) -> String {
        self.signal("TERM");
        let ended = self.child.wait().unwrap();
        let said = fs::read_to_string(self.dir.join("err")).unwrap();
        assert_eq!(ended.code(), Some(code), "{said}");
        said
    }

    fn wait_for(&self, name: &str, is_there: impl Fn(&str) -> bool) {
        let started = Instant::now();
        loop {
            let text = fs::read_to_string(self.dir.join(name)).unwrap_or_default();
            if is_there(&text) {
                return;
            }
            let said = fs::read_to_string(self.dir.join("err")).unwrap();
            let lines = text.lines().count();
            assert!(
                started.elapsed() < PATIENCE,
                "{name}: {lines} lines; {said}"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the output has this many lines.
    fn wait_for_lines(&self, count: usize) {
        self.wait_for("out", |text| text.lines().count() >= count);
    }
}

/// How often each number is in the output, all of it opened.
fn numbers(text: &str) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(record["decrypted_matched_data"], "matched", "{line}");
        *counts.entry(record["n"].as_u64().unwrap()).or_default() += 1;
    }
    counts
}

fn once(numbers: impl IntoIterator<Item = u64>) -> BTreeMap<u64, u64> {
    numbers.into_iter().map(|number| (number, 1)).collect()
}

fn out(dir: &Dir) -> String {
    String::from_utf8(dir.read("out")).unwrap()
}

#[test]
fn lines_come_out_as_they_are_complete() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    let log = dir.path("a.log");
    let run = Run::start(&dir, &["--follow", "a.log", "--stats", "json"]);
    run.wait_for("err", |text| text.contains("a.log does not exist; waiting"));
    append(&log, &lines.line(0));
    run.wait_for_lines(1);
    let second = lines.line(1);
    append(&log, &second[..20]);
    thread::sleep(Duration::from_millis(500));
    assert_eq!(numbers(&out(&dir)), once(0..1));
    append(&log, &second[20..]);
    run.wait_for_lines(2);
    // Without a state the end of the run is the end of the line.
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
    append(&log, &lines.lines(0..10));
    let run = Run::start(&dir, &["--follow", "a.log", "--dead-letter", "dead"]);
    run.wait_for_lines(10);
    // Renamed, and written to for a while yet.
    fs::rename(&log, dir.path("a.log.1")).unwrap();
    append(&dir.path("a.log.1"), &lines.lines(10..12));
    append(&log, &lines.lines(12..20));
    append(&dir.path("a.log.1"), lines.line(20).trim_end());
    run.wait_for_lines(20);
    // The unfinished line of the old file is taken when that is given up.
    run.wait_for_lines(21);
    assert_eq!(numbers(&out(&dir)), once(0..21));
    // Copied and truncated, then longer than before.
    fs::copy(&log, dir.path("a.log.2")).unwrap();
    File::options()
        .write(true)
        .open(&log)
        .unwrap()
        .set_len(0)
        .unwrap();
    append(&log, &lines.lines(21..40));
    run.wait_for_lines(40);
    // Removed, and made again.
    fs::remove_file(&log).unwrap();
    append(&log, &lines.lines(40..42));
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

/// Whatever is killed when, nothing is missing; in a file that is written, nothing is twice.
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

/// To a pipe nothing is missing, and what came after the last note may come again.
#[test]
fn a_killed_run_repeats_rather_than_loses() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    let log = dir.path("a.log");
    for start in (0..600).step_by(100) {
        let run = Run::start(&dir, &["--follow", "a.log", "--state", "state"]);
        append(&log, &lines.lines(start..start + 100));
        thread::sleep(Duration::from_millis(3 * start));
        run.kill();
    }
    let run = Run::start(&dir, &["--follow", "a.log", "--state", "state"]);
    append(&log, &lines.line(600));
    run.wait_for("out", |text| numbers(&whole(text)).len() == 601);
    run.end(0);
    let counts = numbers(&whole(&out(&dir)));
    assert!(counts.keys().copied().eq(0..601));
}

/// Without lines that a kill has cut.
fn whole(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines
        .filter(|line| line.ends_with("}\n") && line.matches("{\"n\"").count() == 1)
        .collect()
}

#[test]
fn only_what_is_added() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    append(&dir.path("a.log"), &lines.lines(0..5));
    let run = Run::start(
        &dir,
        &["--follow", "a.log", "--from-end", "--prometheus", "metrics"],
    );
    thread::sleep(Duration::from_millis(1000));
    append(&dir.path("a.log"), &lines.lines(5..7));
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
    let cases: [(&[&str], &str); 9] = [
        (&["--follow"], "FILE-OR-FOLDER"),
        (&["--follow", "-"], "--follow is only for files"),
        (&["--follow", "logs"], "use --watch"),
        (&["--watch", "a.log"], "--watch takes folders"),
        (&["--from-end", "a.log"], "--from-end is for --follow"),
        (
            &["--follow", "a.log", "--input-format", "csv"],
            "lines (NDJSON)",
        ),
        (&["--follow", "a.log", "-o", "b.gz"], "not compressed"),
        (&["--follow", "a.log", "-o", "logs/"], "go to one output"),
        (&["--watch", "logs", "-o", "logs/out"], "name another place"),
    ];
    for (arguments, message) in cases {
        let arguments = [&["logs", "open", "-k", "key.txt"], arguments].concat();
        let ran = dir.pqseal(&arguments);
        assert!(
            ran.code == Some(2) && ran.err.contains(message),
            "{arguments:?}: {}",
            ran.err
        );
    }
    dir.write("state", "{\"input\":\"a\"}\n");
    dir.pqseal(&[
        "logs", "open", "-k", "key.txt", "--follow", "a.log", "--state", "state",
    ])
    .fails(3, "not a state of files that are followed");
}
