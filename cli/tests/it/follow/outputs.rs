//! Outputs that are rotated, removed or used by another run, and crashes after which an input is
//! gone.

use std::{
    process::Command,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use super::*;
use crate::common::{PQSEAL, PUBLIC_KEY};

const DOCUMENTATION: &str = include_str!("../../../../docs/logs.md");

/// Returns the configuration in the documentation, for this output and the process with this id.
fn logrotate_configuration(output: &str, id: u32) -> String {
    let mut blocks = DOCUMENTATION.split("```");
    let block = blocks.find(|block| block.contains("postrotate")).unwrap();
    let lines = block
        .trim_start()
        .lines()
        .map(|line| match line.trim_start() {
            line if line.starts_with("systemctl kill ") => format!("kill -s HUP {id}\n"),
            line => line.replace("/var/log/opened.ndjson", output) + "\n",
        });
    let configuration: String = lines.collect();
    assert!(configuration.contains(output) && configuration.contains("kill -s HUP"));
    configuration
}

/// Rotates immediately.
fn logrotate(dir: &Dir) {
    let run = "PATH=$PATH:/usr/sbin; command -v logrotate > /dev/null || { echo this test needs logrotate, run: tools/setup >&2; exit 1; }; logrotate -f -s rotated conf";
    let ran = Command::new("sh")
        .args(["-c", run])
        .current_dir(dir.path(""))
        .output();
    let ran = ran.unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!((ran.status.code(), &*said), (Some(0), ""));
}

/// Writes lines until `happens` returns, and returns their number.
fn written_during(dir: &Dir, lines: &Lines, happens: impl FnOnce()) -> u64 {
    let (is_over, count) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let first = count.fetch_add(20, Ordering::Relaxed);
                append(&dir.path("a.log"), lines.lines(first..first + 20));
                thread::sleep(Duration::from_millis(3));
            }
        });
        // This also ends it after a panic.
        let _end = End(&is_over);
        happens();
    });
    count.into_inner()
}

/// Ends the writer.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn wait_for_number(run: &Run, output: &str, number: u64) {
    run.wait_for(output, |text| text.contains(&format!("{{\"n\":{number},")));
}

/// Returns the text of the files that logrotate has compressed, and of the current one.
fn all(dir: &Dir, output: &str) -> String {
    let read = format!("for file in {output}.*.gz; do gzip -dc $file || exit; done; cat {output}");
    String::from_utf8(dir.shell(&read).succeeds().out).unwrap()
}

#[test]
fn logrotate_loses_nothing_and_doubles_nothing() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    let follow = ["--follow", "a.log", "-o", "opened"];
    for arguments in [&[][..], &["--state", "state"]] {
        let run = Run::start(&dir, &[&follow, arguments].concat());
        let output = dir.path("opened").to_str().unwrap().to_owned();
        dir.write("conf", logrotate_configuration(&output, run.id()));
        dir.chmod("conf", 0o644);
        let count = written_during(&dir, &lines, || {
            run.wait_for("opened", |text| text.lines().count() >= 100);
            for _ in 0..8 {
                logrotate(&dir);
                thread::sleep(Duration::from_millis(80));
            }
        });
        wait_for_number(&run, "opened", count - 1);
        let said = run.end(0);
        assert_eq!(numbers(&all(&dir, "opened")), once(0..count), "{said}");
        assert_eq!((dir.mode("opened"), &*said), (0o600, ""));
        dir.shell("rm -f opened* a.log rotated").succeeds();
    }
}

/// `logs seal` rotated by hand: the old file is compressed immediately, and nobody sends a signal.
#[test]
fn sealed_records_are_in_the_old_output_or_in_the_new_one() {
    let dir = Dir::new();
    let sealing = [
        "logs",
        "seal",
        "--to",
        PUBLIC_KEY,
        "--field",
        "encrypted_matched_data",
    ];
    let follow = [
        "--into",
        "sealed",
        "--follow",
        "a.log",
        "-o",
        "out.ndjson",
        "--state",
        "state",
    ];
    let lines = Lines::new(&dir);
    let run = Run::of(&dir, dir.command(PQSEAL), &[&sealing[..], &follow].concat());
    let count = written_during(&dir, &lines, || {
        for number in 0..6 {
            let archive = format!("out.ndjson.{number}");
            run.wait_for("out.ndjson", |text| text.lines().count() > 20);
            let rotate = format!("mv out.ndjson {archive} && gzip {archive}");
            dir.shell(&rotate).succeeds();
        }
    });
    wait_for_number(&run, "out.ndjson", count - 1);
    assert_eq!(run.end(0), "");
    let sealed = all(&dir, "out.ndjson");
    let opened = dir.run(
        PQSEAL,
        &[
            "logs", "open", "-k", "key.txt", "--field", "sealed", "--into", "blob",
        ],
        sealed.as_bytes(),
    );
    let opened = opened.succeeds();
    let numbers = opened.out().lines().map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record["n"].as_u64().unwrap()
    });
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..count).collect::<Vec<_>>());
}

#[test]
fn an_output_or_dead_letters_that_were_removed_are_made_again() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    append(&dir.path("a.log"), &(lines.line(0) + "no json\n"));
    let run = Run::start(
        &dir,
        &["--follow", "a.log", "-o", "opened", "--dead-letter", "dead"],
    );
    run.wait_for("opened", |text| text.ends_with("no json\n"));
    for name in ["opened", "dead"] {
        run.wait_for(name, |text| text.contains("no json"));
        fs::remove_file(dir.path(name)).unwrap();
    }
    append(&dir.path("a.log"), &(lines.line(1) + "[\n"));
    run.wait_for("opened", |text| text.ends_with("[\n"));
    // Nothing has changed: it is the same file.
    run.signal("HUP");
    append(&dir.path("a.log"), lines.line(2));
    run.wait_for("opened", |text| text.lines().count() == 3);
    run.end(0);
    let letters = String::from_utf8(dir.read("dead")).unwrap();
    assert_eq!(letters.lines().count(), 1, "{letters}");
    assert_eq!(dir.mode("dead"), 0o600);
}

/// Records that were not written come with the next run.
#[test]
fn another_file_with_the_name_of_the_output_ends_the_run() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    append(&dir.path("a.log"), lines.lines(0..3));
    let arguments = ["--follow", "a.log", "--state", "state", "-o", "opened"];
    let mut run = Run::start(&dir, &arguments);
    run.wait_for("opened", |text| text.lines().count() == 3);
    dir.write("other", "not a record\n");
    dir.shell("mv opened opened.1 && mv other opened")
        .succeeds();
    append(&dir.path("a.log"), lines.lines(3..6));
    let said = run.wait_exit(3);
    assert!(
        said.contains("the state state was written for the output opened"),
        "{said}"
    );
    assert_eq!(dir.read("opened"), b"not a record\n");
    fs::remove_file(dir.path("opened")).unwrap();
    let run = Run::start(&dir, &arguments);
    run.wait_for("opened", |text| text.lines().count() == 3);
    run.end(0);
    let both = [dir.read("opened.1"), dir.read("opened")].concat();
    assert_eq!(numbers(&String::from_utf8(both).unwrap()), once(0..6));
}

#[test]
fn an_output_has_one_run() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    append(&dir.path("a.log"), lines.lines(0..3));
    fs::create_dir(dir.path("logs")).unwrap();
    append(&dir.path("logs/b.log"), lines.lines(3..6));
    let run = Run::start(
        &dir,
        &["--follow", "a.log", "--state", "a.state", "-o", "opened"],
    );
    run.wait_for("opened", |text| text.lines().count() == 3);
    dir.shell("ln -s opened link && ln opened hard").succeeds();
    let open = "logs open -k key.txt";
    let seal = format!("logs seal --to {PUBLIC_KEY} --field n");
    for command in [
        &format!("{open} --follow logs/b.log --state b.state -o opened"),
        &format!("{open} --follow logs/b.log -o opened"),
        &format!("{open} --watch logs --state b.state -o link"),
        &format!("{open} --watch logs -o hard"),
        &format!("{seal} --follow logs/b.log --state b.state -o ./opened"),
    ] {
        dir.shell(&format!("timeout 60 pqseal {command}"))
            .fails(3, "another process writes to it");
    }
    run.kill();
    // The system unlocks it.
    let run = Run::start(
        &dir,
        &[
            "--follow",
            "logs/b.log",
            "--state",
            "b.state",
            "-o",
            "opened",
        ],
    );
    run.wait_for("opened", |text| text.lines().count() == 6);
    run.end(0);
    let opened = String::from_utf8(dir.read("opened")).unwrap();
    assert_eq!(numbers(&opened), once(0..6));
}

/// logrotate does this when a machine starts after a power failure.
#[test]
fn nothing_is_cut_after_a_crash_if_the_input_is_gone() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    for (rotate, count) in [
        ("gzip -f a.log && : > a.log", 300),
        ("cp a.log a.log.1 && : > a.log", 300),
        ("rm a.log", 300),
        ("cat more > a.log", 800),
    ] {
        dir.shell("rm -f a.log* opened state && : > a.log")
            .succeeds();
        dir.write("more", lines.lines(300..800));
        let arguments = ["--follow", "a.log", "--state", "state", "-o", "opened"];
        for first in [0, 100, 200] {
            let run = Run::start(&dir, &arguments);
            append(&dir.path("a.log"), lines.lines(first..first + 100));
            wait_for_number(&run, "opened", first + 99);
            match first {
                // Most likely before the next saved state.
                200 => run.kill(),
                _ => _ = run.end(0),
            }
        }
        dir.shell(rotate).succeeds();
        let run = Run::start(&dir, &arguments);
        run.wait_for("err", |text| {
            text.contains("removed, replaced or truncated")
        });
        if count > 300 {
            wait_for_number(&run, "opened", count - 1);
        }
        run.end(1);
        let opened = String::from_utf8(dir.read("opened")).unwrap();
        assert!(numbers(&opened).keys().copied().eq(0..count), "{rotate}");
    }
}
