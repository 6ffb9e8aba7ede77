//! Files and folders of logs: what cannot be done stops nothing else and is reported, nothing is
//! done twice, and nothing is written where it would be lost.

use std::{
    ffi::OsStr,
    fs,
    io::{Read, Write},
    os::unix::{ffi::OsStrExt, fs::symlink},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{Dir, PQSEAL, PUBLIC_KEY, Ran, events, open, stats};
use serde_json::{Value, json};

/// The counters of files, and the exit code.
fn files(ran: &Ran) -> (Option<i32>, Value) {
    (ran.code, stats(ran)["files"].clone())
}

fn done(done: u64, failed: u64, done_before: u64) -> Value {
    json!({ "done": done, "failed": failed, "done_before": done_before })
}

/// `in` with ten good files and five bad ones among them.
fn good_and_bad() -> Dir {
    let dir = events(100);
    dir.shell(
        "mkdir in && split -l 10 --additional-suffix=.log events.ndjson in/x \
         && gzip -c events.ndjson | head -c 2000 > in/cut.gz \
         && printf 'encrypted_matched_data,encrypted_matched_data\\n1,2\\n' > in/equal.csv \
         && ln -s /proc/self/mem in/unreadable && ln -s nowhere in/gone",
    )
    .succeeds();
    dir
}

#[test]
fn one_bad_file_does_not_stop_a_folder() {
    let dir = good_and_bad();
    let arguments = ["in", "missing", "-o", "out/", "--failed-list", "failed"];
    let ran = open(&dir, b"", &arguments);
    assert_eq!(files(&ran), (Some(1), done(10, 5, 0)), "{}", ran.err);
    assert_eq!(stats(&ran)["records"], 100);
    assert!(
        ran.err.contains("5 of 15 files could not be done:\n"),
        "{}",
        ran.err
    );
    let failed = String::from_utf8(dir.read("failed")).unwrap();
    let failed: Vec<Value> = failed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut names: Vec<_> = failed
        .iter()
        .map(|line| line["file"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    let expected = [
        "in/cut.gz",
        "in/equal.csv",
        "in/gone",
        "in/unreadable",
        "missing",
    ];
    assert_eq!(names, expected);
    for line in &failed {
        let reason = line["reason"].as_str().unwrap();
        assert!(
            ran.err.contains(&format!("\n  {reason}\n")),
            "{reason} is not in: {}",
            ran.err
        );
        assert!(line["code"].is_string());
    }
    // What is done stays done, and what failed fails again; then nothing is left to say.
    let again = open(&dir, b"", &arguments);
    assert_eq!(files(&again), (Some(1), done(0, 5, 10)), "{}", again.err);
    dir.shell("rm in/cut.gz in/equal.csv in/unreadable in/gone")
        .succeeds();
    let last = open(&dir, b"", &["in", "-o", "out/", "--failed-list", "failed"]);
    assert_eq!(files(&last), (Some(0), done(0, 0, 10)), "{}", last.err);
    assert!(last.err.contains("there is nothing to do"), "{}", last.err);
    assert!(dir.read("failed").is_empty());
}

#[test]
fn the_first_bad_file_stops_a_run_that_is_to_fail_fast() {
    let dir = good_and_bad();
    dir.shell("mv in/cut.gz in/xae.gz && rm in/equal.csv in/unreadable in/gone")
        .succeeds();
    let ran = open(&dir, b"", &["in", "-o", "out/", "--fail-fast"]);
    assert_eq!(files(&ran), (Some(1), done(4, 1, 0)), "{}", ran.err);
    dir.shell("! ls out/xaf.log 2> /dev/null").succeeds();
}

/// One stream of several files goes on as well, and each file begins a line.
#[test]
fn one_bad_file_does_not_stop_a_stream() {
    let dir = events(3);
    dir.shell("head -c -1 events.ndjson > open-ended")
        .succeeds();
    let ran = open(&dir, b"", &["open-ended", "missing", "events.ndjson"]);
    assert_eq!(
        (ran.code, ran.out().lines().count()),
        (Some(1), 6),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("1 of 3 files could not be done"),
        "{}",
        ran.err
    );
    let ran = open(&dir, b"", &["missing", "events.ndjson", "--fail-fast"]);
    assert_eq!(
        (ran.code, ran.out().lines().count()),
        (Some(1), 0),
        "{}",
        ran.err
    );
}

/// What comes before the damage of a file, if that is wanted; it is done again by the next run.
#[test]
fn records_before_damage_can_be_kept() {
    let dir = events(3000);
    dir.shell("mkdir in && gzip -c events.ndjson | head -c 200000 > in/cut.gz && pqseal logs open -k key.txt events.ndjson > whole")
        .succeeds();
    let arguments = ["--compress", "none", "-o"];
    for (input, output) in [("in", "out/"), ("in/cut.gz", "one")] {
        let none = open(&dir, b"", &[&[input], &arguments[..], &[output]].concat());
        assert_eq!(none.code, Some(1), "{}", none.err);
        dir.shell("! ls one out/cut 2> /dev/null").succeeds();
        let kept = &[&[input, "--keep-partial"], &arguments[..], &[output]].concat();
        for _again in 0..2 {
            let ran = open(&dir, b"", kept);
            let written = dir.read(if output == "one" { "one" } else { "out/cut" });
            assert!(
                ran.code == Some(1) && written.len() > 100_000,
                "{}",
                ran.err
            );
            assert!(dir.read("whole").starts_with(&written));
            assert!(
                ran.err.contains("has the records before that"),
                "{}",
                ran.err
            );
            if input == "in" {
                assert_eq!(files(&ran), (Some(1), done(0, 1, 0)), "{}", ran.err);
            }
        }
        dir.shell("rm -f out/cut").succeeds();
    }
}

/// Only the file whose dead letters could not be written is done again.
#[test]
#[cfg(target_os = "linux")]
fn a_dead_letter_that_cannot_be_written_leaves_other_files_done() {
    let dir = Dir::new();
    dir.shell(
        "mkdir in && echo '{}' > in/a && echo '{\"encrypted_matched_data\":\"A*\"}' > in/b && echo '{}' > in/c",
    )
    .succeeds();
    let full = ["in", "-o", "out", "--dead-letter", "/dev/full"];
    let ran = open(&dir, b"", &full);
    assert!(
        ran.err.contains("cannot write the dead letters"),
        "{}",
        ran.err
    );
    let again = open(&dir, b"", &["in", "-o", "out"]);
    assert_eq!(files(&again), (Some(0), done(1, 0, 2)), "{}", again.err);
}

#[test]
fn files_of_a_moment_ago_wait() {
    let dir = events(10);
    dir.shell("mkdir in && cp events.ndjson in/young && cp events.ndjson in/old && touch -d '2 minutes ago' in/old")
        .succeeds();
    let ran = open(&dir, b"", &["in", "-o", "out", "--min-age", "60s"]);
    assert_eq!(files(&ran), (Some(0), done(1, 0, 0)), "{}", ran.err);
    assert!(
        ran.err.contains("left out in/young: modified less than"),
        "{}",
        ran.err
    );
    let ran = open(&dir, b"", &["in", "-o", "out", "--min-age", "0"]);
    assert_eq!(files(&ran), (Some(0), done(1, 0, 1)), "{}", ran.err);
    open(&dir, b"", &["in", "-o", "out", "--min-age", "soon"]).fails(2, "60s, 5m, 1h and 2d");
}

#[test]
fn links_are_followed_if_asked_and_once() {
    let dir = events(10);
    dir.shell("mkdir -p in/a other && cp events.ndjson in/a/ && cp events.ndjson other/x && ln -s .. in/a/loop && ln -s ../other in/other")
        .succeeds();
    let ran = open(&dir, b"", &["in", "-o", "out"]);
    assert_eq!(files(&ran), (Some(0), done(1, 0, 0)), "{}", ran.err);
    assert!(
        ran.err.contains("left out in/a/loop and 1 other: a link"),
        "{}",
        ran.err
    );
    let ran = open(&dir, b"", &["in", "-o", "followed", "--follow-links"]);
    assert_eq!(files(&ran), (Some(0), done(2, 0, 0)), "{}", ran.err);
    dir.shell("cmp followed/other/x followed/a/events.ndjson")
        .succeeds();
}

#[test]
fn what_is_not_a_file_is_left_out_and_may_be_named() {
    let dir = events(10);
    dir.shell("mkdir in && mkfifo in/pipe && cp events.ndjson in/.hidden")
        .succeeds();
    let ran = open(&dir, b"", &["in", "-o", "out/"]);
    assert_eq!(files(&ran), (Some(0), done(0, 0, 0)));
    assert!(
        ran.err.contains("left out in/pipe: not a regular file"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("there are no files to process"),
        "{}",
        ran.err
    );
    let both =
        "cat events.ndjson > in/pipe & pqseal logs open -k key.txt in/pipe in/.hidden -o out/";
    dir.shell(both).succeeds();
    dir.shell("cmp out/pipe out/.hidden").succeeds();
}

/// Files that failed under `--strict` fail the next run too, which does not do them.
#[test]
fn a_strict_run_that_failed_stays_failed() {
    let dir = Dir::new();
    dir.shell(
        "mkdir in && echo '{\"encrypted_matched_data\":\"A*\"}' > in/bad && echo '{}' > in/good",
    )
    .succeeds();
    let strict = ["in", "-o", "out", "--strict"];
    assert_eq!(files(&open(&dir, b"", &strict)), (Some(1), done(2, 0, 0)));
    let again = open(&dir, b"", &strict);
    assert_eq!(files(&again), (Some(1), done(0, 0, 2)));
    assert!(
        again
            .err
            .contains("1 record failed in files that an earlier run finished")
    );
    assert_eq!(open(&dir, b"", &["in", "-o", "out"]).code, Some(0));
    assert_eq!(
        open(&dir, b"", &["in", "-o", "out", "--max-errors", "1"]).code,
        Some(0)
    );
    assert_eq!(
        open(&dir, b"", &["in", "-o", "out", "--max-errors", "0"]).code,
        Some(1)
    );
}

/// A field that no record has, and a table without its column: the next run says so again, until what
/// lacks them is gone.
#[test]
fn a_strict_run_without_its_fields_stays_failed() {
    let dir = Dir::new();
    dir.shell("mkdir in tables && echo '{\"a\":null}' > in/a && echo '{\"a\":null}' > in/b && touch in/empty")
        .succeeds();
    dir.shell("printf 'a\n' > tables/a.csv && printf 'b\n' > tables/b.csv")
        .succeeds();
    let strict = |input: &str, field: &str| {
        let to = format!("{input}.{field}");
        let arguments = [input, "-o", &to, "--strict", "--field", field];
        let ran = open(&dir, b"", &arguments);
        (files(&ran), ran.err)
    };
    let says = |input: &str, field: &str, expected: (Option<i32>, Value), message: &str| {
        let (found, err) = strict(input, field);
        assert_eq!(found, expected, "{err}");
        assert!(err.contains(message), "`{message}` is not in: {err}");
    };
    says("in", "a", (Some(0), done(3, 0, 0)), "");
    says("in", "a", (Some(0), done(0, 0, 3)), "");
    says(
        "in",
        "b",
        (Some(1), done(3, 0, 0)),
        "no record has the field .b",
    );
    says(
        "in",
        "b",
        (Some(1), done(0, 0, 3)),
        "no record has the field .b",
    );
    // One that has it is enough.
    dir.shell("echo '{\"b\":null}' > in/c").succeeds();
    says("in", "b", (Some(0), done(1, 0, 3)), "");
    says("in", "b", (Some(0), done(0, 0, 4)), "");
    says(
        "tables",
        "a",
        (Some(1), done(2, 0, 0)),
        "no column is called a",
    );
    says(
        "tables",
        "a",
        (Some(1), done(0, 0, 2)),
        "has no column for the field .a",
    );
    dir.shell("rm tables/b.csv").succeeds();
    says("tables", "a", (Some(0), done(0, 0, 1)), "");
}

/// Another key is tried on the files in which records failed, and on no others.
#[test]
fn a_new_key_is_for_what_failed() {
    let dir = events(10);
    dir.shell(
        "mkdir in && cp events.ndjson in/ours && pqseal keygen --kem x25519 -o late.key > late.pub 2> /dev/null \
         && pqseal logs generate 10 | pqseal logs seal --to late.pub > in/theirs",
    )
    .succeeds();
    let ran = open(&dir, b"", &["in", "-o", "out"]);
    assert_eq!(files(&ran), (Some(0), done(2, 0, 0)), "{}", ran.err);
    let failed = stats(&ran)["failed"].as_u64().unwrap();
    assert!(failed > 5, "{}", ran.err);
    assert_eq!(
        files(&open(&dir, b"", &["in", "-o", "out"])),
        (Some(0), done(0, 0, 2))
    );
    let ran = open(
        &dir,
        b"",
        &["in", "-o", "out", "-k", "late.key", "--strict"],
    );
    assert_eq!(files(&ran), (Some(0), done(1, 0, 1)), "{}", ran.err);
    assert_eq!(stats(&ran)["opened"], failed);
}

#[test]
fn a_name_that_is_not_utf_8_is_done_once() {
    let dir = events(10);
    fs::create_dir(dir.path("in")).unwrap();
    let name = OsStr::from_bytes(b"\xff\xfe.log");
    fs::copy(dir.path("events.ndjson"), dir.path("in").join(name)).unwrap();
    symlink("nowhere", dir.path("in").join(OsStr::from_bytes(b"\xfe"))).unwrap();
    let arguments = ["in", "-o", "out", "--failed-list", "failed"];
    assert_eq!(
        files(&open(&dir, b"", &arguments)),
        (Some(1), done(1, 1, 0))
    );
    assert_eq!(
        files(&open(&dir, b"", &arguments)),
        (Some(1), done(0, 1, 1))
    );
    assert!(dir.path("out").join(name).exists());
    let listed: Value = serde_json::from_slice(&dir.read("failed")).unwrap();
    assert_eq!(listed["file_base64"], "aW4v/g==");
}

#[test]
fn names_follow_the_compression() {
    let dir = events(10);
    dir.shell("mkdir in && gzip -c events.ndjson > in/a.log.gz && cp events.ndjson in/b.log && zstd -q events.ndjson -o in/c.ZST && echo hello > in/test.txt.gz")
        .succeeds();
    let names = |arguments: &str, folder: &str| {
        dir.shell(&format!(
            "pqseal logs open -k key.txt in -o {folder}/ {arguments}"
        ))
        .succeeds();
        dir.shell(&format!("ls {folder}"))
            .out()
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names("", "same"),
        ["a.log.gz", "b.log", "c.ZST", "test.txt.gz"]
    );
    assert_eq!(
        names("--compress none", "none"),
        ["a.log", "b.log", "c", "test.txt.gz"]
    );
    assert_eq!(
        names("--compress gzip", "gzip"),
        ["a.log.gz", "b.log.gz", "c.gz", "test.txt.gz"]
    );
    assert_eq!(
        names("--compress zstd", "zstd"),
        ["a.log.zst", "b.log.zst", "c.zst", "test.txt.gz"]
    );
    dir.shell(
        "zcat gzip/b.log.gz | cmp - none/b.log && zstd -dcq zstd/a.log.zst | cmp - none/a.log",
    )
    .succeeds();
    dir.shell("cp events.ndjson in/a.log").succeeds();
    open(&dir, b"", &["in", "-o", "gzip/", "--compress", "gzip"]).fails(
        2,
        "in/a.log and in/a.log.gz would both become gzip/a.log.gz",
    );
    // A file's own name says how it is compressed.
    dir.shell("pqseal logs open -k key.txt in/a.log -o one.gz && zcat one.gz | cmp - none/a.log")
        .succeeds();
    dir.shell("pqseal logs open -k key.txt in/a.log.gz -o one && cmp one none/a.log")
        .succeeds();
    dir.shell("pqseal logs open -k key.txt in/a.log --compress gzip | zcat | cmp - none/a.log")
        .succeeds();
    dir.shell("pqseal logs open -k key.txt in/a.log.gz --compress same")
        .fails(2, "--compress same is for files");
    dir.shell("pqseal logs generate 1 --compress same -o made.gz")
        .fails(2, "there is no input for --compress same");
}

/// `-o` of all three: a file for one input, a folder for several, and what is neither as it is.
#[test]
fn outputs_are_files_folders_or_streams() {
    let dir = Dir::new();
    let to = format!("--to {PUBLIC_KEY}");
    dir.shell("pqseal logs generate 20 -o clear && pqseal logs generate 20 | cmp - clear")
        .succeeds();
    dir.shell("pqseal logs generate 20 --files 3 -o parts/ && cat parts/events-*.ndjson | cmp - clear && ls parts | wc -l")
        .succeeds();
    dir.shell(&format!(
        "pqseal logs seal {to} clear -o sealed && pqseal logs seal {to} parts -o sealed.parts"
    ))
    .succeeds();
    dir.shell(&format!(
        "pqseal logs seal {to} -o from-stdin.gz < clear && zcat from-stdin.gz | wc -l"
    ))
    .succeeds();
    let opened = dir.shell(
        "pqseal logs open -k key.txt sealed -o opened && grep -c decrypted_matched_data opened",
    );
    assert_eq!(opened.out(), "18\n");
    dir.shell("pqseal logs open -k key.txt sealed.parts -o opened.parts && cat opened.parts/events-* | grep -c decrypted_matched_data")
        .succeeds();
    assert_eq!((dir.mode("sealed"), dir.mode("opened")), (0o644, 0o600));
    for stream in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let ran = dir.shell(&format!("echo before > log; pqseal logs open -k key.txt sealed -o {stream} >> log; tail -n +2 log | cmp - opened && head -n 1 log"));
        assert_eq!((ran.out(), ran.err.as_str()), ("before\n", ""), "{stream}");
        let ran = dir.shell(&format!(
            "echo before > log; pqseal open -k key.txt matched_data.txt -o {stream} >> log; cat log"
        ));
        assert_eq!(ran.out(), "before\ntest matched data", "{stream}");
        dir.shell(&format!(
            "pqseal logs generate 20 -o {stream} | cmp - clear"
        ))
        .succeeds();
    }
    dir.shell("mkfifo pipe && (cat pipe > through & pqseal logs open -k key.txt sealed -o pipe; wait) && cmp through opened && test -p pipe")
        .succeeds();
    dir.shell("pqseal logs open -k key.txt sealed -o /dev/full")
        .fails(3, "no space left");
    dir.shell("pqseal logs open -k key.txt sealed clear -o opened")
        .fails(2, "opened is a file, and several files need a folder");
    dir.shell("pqseal logs open -k key.txt -o out/ < sealed")
        .fails(2, "standard input has no name");
    dir.shell("pqseal logs open -k key.txt sealed -o new --shard 1/2")
        .fails(2, "--shard needs an output folder");
    dir.shell("pqseal logs open -k key.txt sealed -o key.txt")
        .fails(3, "holds a key");
    dir.shell("pqseal logs generate --files 2 -o new")
        .fails(0, "");
}

#[test]
fn modes_are_as_asked() {
    let dir = events(10);
    dir.shell("umask 077 && pqseal logs open -k key.txt events.ndjson -o a --mode 0640 && mkdir in && cp events.ndjson in/ && pqseal logs open -k key.txt in -o out --mode 664 && pqseal logs generate 1 -o b --mode 0604")
        .succeeds();
    let modes = ["a", "out/events.ndjson", "b"].map(|file| dir.mode(file));
    assert_eq!(modes, [0o640, 0o664, 0o604]);
    open(&dir, b"", &["events.ndjson", "-o", "c", "--mode", "rw"]).fails(2, "octal digits");
}

/// What would be written twice, or read while it is written, is refused before anything is.
#[test]
fn outputs_do_not_meet_each_other_or_an_input() {
    let dir = events(10);
    dir.shell("mkdir in && cp events.ndjson in/a").succeeds();
    let before = dir.names();
    let refused = |arguments: &str, why: &str| {
        dir.shell(&format!("pqseal logs open -k key.txt {arguments}"))
            .fails(2, why);
        assert_eq!(dir.names(), before, "{arguments}");
    };
    refused(
        "events.ndjson --dead-letter -",
        "standard output and --dead-letter would both write to standard output",
    );
    refused(
        "events.ndjson -o x --prometheus - --failed-list /dev/stdout",
        "--failed-list and --prometheus would both",
    );
    refused(
        "events.ndjson -o x --prometheus ./x",
        "-o and --prometheus would both write to ./x",
    );
    refused("in -o out/ --dead-letter d --state ./d", "would both write");
    refused(
        "events.ndjson -o events.ndjson",
        "events.ndjson is read, and -o would overwrite it",
    );
    refused(
        "events.ndjson --dead-letter ./events.ndjson",
        "is read, and --dead-letter",
    );
    refused(
        "-o events.ndjson < events.ndjson",
        "standard input is read, and -o",
    );
    refused(
        "in -o out/ --dead-letter in/dead",
        "--dead-letter would write there",
    );
    refused("in -o out/ --state -", "later runs read the state");
    refused("in -o in/out", "are not separate");
    dir.shell("pqseal logs open -k key.txt events.ndjson >> events.ndjson")
        .fails(2, "events.ndjson is read, and standard output");
    let to = format!("--to {PUBLIC_KEY}");
    dir.shell(&format!("pqseal logs seal {to} in/a >> in/a"))
        .fails(2, "in/a is read");
    dir.shell("echo x | pqseal logs seal --to - -")
        .fails(2, "standard input");
    assert_eq!(dir.names(), before);
    // A device takes what anyone writes.
    dir.shell("pqseal logs open -k key.txt events.ndjson --dead-letter /dev/null --prometheus /dev/null > /dev/null").succeeds();
    dir.shell("pqseal logs open -k key.txt events.ndjson -o x --prometheus - | grep -c '^pqseal_records_total'").succeeds();
    dir.shell("pqseal man -o - | grep -c '^\\.TH'").succeeds();
}

/// Results never replace a key, whatever option names its file.
#[test]
fn keys_are_not_written_over() {
    let dir = events(10);
    dir.shell("mkdir in && cp events.ndjson in/a && cp key.txt other.txt")
        .succeeds();
    let (names, key) = (dir.names(), dir.read("key.txt"));
    for (option, file) in [
        ("--prometheus", "key.txt"),
        ("--prometheus", "other.txt"),
        ("--failed-list", "key.txt"),
        ("--failed-list", "other.txt"),
        ("--dead-letter", "key.txt"),
        ("-o", "other.txt"),
    ] {
        let line = format!("pqseal logs open -k key.txt events.ndjson {option} ./{file}");
        let message =
            format!("holds a key, and is not overwritten; choose another name for {option}");
        dir.shell(&line).fails(3, &message);
    }
    dir.shell("pqseal logs open -k key.txt in -o out/ --state key.txt")
        .fails(3, "another name for --state");
    dir.shell(&format!(
        "pqseal logs seal --to {PUBLIC_KEY} events.ndjson --failed-list other.txt"
    ))
    .fails(3, "another name for --failed-list");
    dir.shell("pqseal logs generate 1 -o key.txt")
        .fails(3, "holds a key");
    assert_eq!(
        (dir.read("key.txt"), dir.read("other.txt")),
        (key.clone(), key)
    );
    assert_eq!(dir.names(), names);
}

#[test]
fn a_signal_ends_generate_without_a_trace() {
    use std::os::unix::process::ExitStatusExt;
    let dir = Dir::new();
    let began = |child: &mut std::process::Child| {
        let start = Instant::now();
        while dir.shell("ls -A out | grep -c tmp$").out() != "1\n" {
            assert_eq!(child.try_wait().unwrap(), None);
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "nothing was begun"
            );
            thread::sleep(Duration::from_millis(5));
        }
    };
    for (signal, name) in [(9, "KILL"), (2, "INT"), (15, "TERM")] {
        let mut command = dir.command(PQSEAL);
        command.args([
            "logs",
            "generate",
            "1000000000",
            "-o",
            "out/",
            "--stats",
            "json",
        ]);
        fs::create_dir_all(dir.path("out")).unwrap();
        if signal != 9 {
            // What the killed run left is removed by the next.
            dir.shell("pqseal logs generate 1 -o out/").succeeds();
            assert_eq!(dir.shell("ls -A out; rm out/*").out(), "events-1.ndjson\n");
        }
        let mut child = command.spawn().unwrap();
        began(&mut child);
        let kill = Command::new("kill")
            .args([&format!("-{name}"), &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        let mut err = String::new();
        let mut stderr = child.stderr.take().unwrap();
        stderr.read_to_string(&mut err).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(signal), "{err}");
        if signal != 9 {
            assert!(
                err.contains("interrupted") && err.contains("\"records\":0"),
                "{err}"
            );
            assert_eq!(dir.shell("ls -A out").out(), "", "{err}");
        }
    }
}

/// Ctrl-C and SIGTERM: no temporary file stays, the counters are there, and the process ends as
/// others do. The next run goes on.
#[test]
fn a_signal_leaves_nothing_behind_but_counters() {
    use std::os::unix::process::ExitStatusExt;
    for (signal, name) in [(2, "INT"), (15, "TERM")] {
        let dir = events(2000);
        dir.shell("mkdir in && cp events.ndjson in/a && mkfifo slow")
            .succeeds();
        let mut child = dir.command(PQSEAL);
        child.args(["logs", "open", "-k", "key.txt", "in", "slow", "-o", "out/"]);
        child
            .args(["--stats", "json", "--prometheus", "metrics"])
            .stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        // The pipe gives some records, and then nothing.
        let mut slow = fs::File::options()
            .write(true)
            .open(dir.path("slow"))
            .unwrap();
        slow.write_all(&dir.read("events.ndjson")).unwrap();
        let temporaries = || {
            let found = dir.shell("ls -A out | grep -c tmp$");
            found.out().trim().to_owned()
        };
        let began = Instant::now();
        while !dir.path("out/a").exists() || temporaries() != "1" {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "nothing was begun"
            );
            thread::sleep(Duration::from_millis(5));
        }
        let kill = Command::new("kill")
            .args([&format!("-{name}"), &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        let status = child.wait().unwrap();
        let mut err = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut err)
            .unwrap();
        assert_eq!(status.signal(), Some(signal), "{err}");
        assert_eq!(dir.shell("ls -A out").out(), ".pqseal-logs\na\n", "{err}");
        assert!(err.contains("interrupted; 1 of 2 files done"), "{err}");
        assert!(err.contains("\"records\":2000"), "{err}");
        assert!(!dir.read("metrics").is_empty());
        drop(slow);
        let again = open(&dir, b"", &["in", "-o", "out/"]);
        assert_eq!(files(&again), (Some(0), done(0, 0, 1)));
    }
}

/// As one stream, whatever the number of threads; files of every size in one folder.
#[test]
fn many_small_files_give_what_one_stream_gives() {
    let dir = events(2000);
    dir.shell("mkdir in && split -a 4 -l 1 events.ndjson in/m && cat events.ndjson events.ndjson > in/mazz && cp events.ndjson in/z")
        .succeeds();
    let ran = open(&dir, b"", &["in", "-o", "out/", "-j", "3"]);
    assert_eq!(files(&ran), (Some(0), done(2002, 0, 0)), "{}", ran.err);
    let stream =
        dir.shell("cat in/* | pqseal logs open -k key.txt > stream; cat out/* | cmp - stream");
    stream.succeeds();
    assert_eq!(dir.shell("ls -A out | wc -l").out(), "2003\n");
}

#[test]
fn threads_have_a_limit() {
    let dir = events(10);
    let ran = open(&dir, &dir.read("events.ndjson"), &["-j", "100000"]);
    assert_eq!(
        (ran.code, ran.out().lines().count()),
        (Some(0), 10),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("-j 100000 is more than this machine can use"),
        "{}",
        ran.err
    );
}

/// A key that is given twice is one key.
#[test]
fn dead_letters_list_ids_once() {
    let dir = Dir::new();
    dir.shell(
        "pqseal keygen --kem x25519 -o late.key > late.pub 2> /dev/null && pqseal logs generate 1 --seed 3 \
         | pqseal logs seal --to late.pub > sealed && cp key.txt again.txt && chmod 600 again.txt",
    )
    .succeeds();
    let ran = open(
        &dir,
        b"",
        &["sealed", "-k", "again.txt", "--dead-letter", "dead"],
    );
    assert_eq!(stats(&ran)["failed"], 1, "{}", ran.err);
    let letter: Value = serde_json::from_slice(&dir.read("dead")).unwrap();
    assert_eq!(
        letter["key_ids_tried"].as_array().unwrap().len(),
        1,
        "{letter}"
    );
}

#[test]
fn sealing_counts_too() {
    let dir = Dir::new();
    dir.shell("pqseal logs generate 100 --files 10 -o in/ && echo '{\"Metadata\":{\"matched_data\":\"\\ud800\"}}' > in/bad").succeeds();
    let seal = format!("pqseal logs seal --to {PUBLIC_KEY} in -o sealed/ --stats json");
    let ran = dir.shell(&seal);
    assert_eq!(files(&ran), (Some(1), done(10, 1, 0)), "{}", ran.err);
    let counted = stats(&ran);
    let count = |name: &str| counted[name].as_u64().unwrap();
    assert_eq!(
        (count("records"), count("sealed") + count("absent")),
        (100, 100)
    );
    assert_eq!(files(&dir.shell(&seal)), (Some(1), done(0, 1, 10)));
    assert!(dir.shell("ls sealed/bad").code != Some(0));
}
