//! Files and folders of logs: a failure is reported and stops nothing else, nothing is done twice,
//! and nothing is written where it would be lost.

use std::{
    ffi::OsStr,
    fs,
    io::{Read, Write},
    os::unix::{ffi::OsStrExt, fs::symlink, process::ExitStatusExt},
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::common::{Dir, PQSEAL, PUBLIC_KEY, Ran, each_fails, events, open, stats};

/// Runs `logs open` with these arguments. Checks the numbers of files that were done, that failed,
/// and that were done before, and the message.
#[track_caller]
fn opens(dir: &Dir, arguments: &str, code: i32, files: [u64; 3], words: &str) -> Ran {
    let line = format!("logs open -k key.txt --stats json {arguments}");
    let ran = dir.words(&line);
    counts(&ran, code, files);
    assert!(ran.err.contains(words), "`{words}` is not in: {}", ran.err);
    ran
}

#[track_caller]
fn counts(ran: &Ran, code: i32, [done, failed, before]: [u64; 3]) {
    let expected = json!({ "done": done, "failed": failed, "done_before": before });
    let found = (ran.code, stats(ran)["files"].clone());
    assert_eq!(found, (Some(code), expected), "{}", ran.err);
}

#[test]
fn one_bad_file_does_not_stop_a_folder() {
    let dir = events(100);
    dir.shell(
        "mkdir in && split -l 10 --additional-suffix=.log events.ndjson in/x \
         && gzip -c events.ndjson | head -c 2000 > in/cut.gz \
         && printf 'a,\"b\\n1,2\\n' > in/quote.csv \
         && ln -s /proc/self/mem in/unreadable && ln -s nowhere in/gone",
    )
    .succeeds();
    let arguments = "in -o out/ --failed-list failed";
    let all = format!("{arguments} missing");
    let ran = opens(&dir, &all, 1, [10, 5, 0], "5 of 15 files failed:\n");
    assert_eq!(stats(&ran)["records"], 100);
    let failed = String::from_utf8(dir.read("failed")).unwrap();
    let mut names = Vec::new();
    for line in failed.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let reason = line["reason"].as_str().unwrap();
        assert!(ran.err.contains(&format!("\n  {reason}\n")), "{reason}");
        assert!(line["code"].is_string());
        names.push(line["file"].as_str().unwrap().to_owned());
    }
    names.sort_unstable();
    let expected = "in/cut.gz in/gone in/quote.csv in/unreadable missing";
    assert_eq!(names.join(" "), expected);
    // Files that are done stay done, and failures fail again, until nothing is left to do.
    opens(&dir, &all, 1, [0, 5, 10], "");
    dir.shell("rm in/cut.gz in/quote.csv in/unreadable in/gone")
        .succeeds();
    opens(&dir, arguments, 0, [0, 0, 10], "there is nothing to do");
    assert!(dir.read("failed").is_empty());
}

/// One stream of several files continues as well, and each file begins a line.
#[test]
fn one_bad_file_does_not_stop_a_stream() {
    let dir = events(3);
    dir.shell("head -c -1 events.ndjson > open-ended")
        .succeeds();
    for (files, lines, words) in [
        ("open-ended missing events.ndjson", 6, "1 of 3 files failed"),
        (
            "missing events.ndjson --fail-fast",
            0,
            "cannot read missing",
        ),
    ] {
        let ran = dir.words(&format!("logs open -k key.txt {files}"));
        let found = (ran.code, ran.out().lines().count());
        assert_eq!(found, (Some(1), lines), "{}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

/// Records before the damage of a file are kept with an option; the next run processes the file
/// again.
#[test]
fn records_before_damage_can_be_kept() {
    let dir = events(3000);
    dir.shell("mkdir in && gzip -c events.ndjson | head -c 200000 > in/cut.gz && pqseal logs open -k key.txt events.ndjson > whole")
        .succeeds();
    for (input, output, written) in [("in", "out/", "out/cut"), ("in/cut.gz", "one", "one")] {
        let line = format!("logs open -k key.txt --stats json --compress none {input} -o {output}");
        assert_eq!(dir.words(&line).code, Some(1));
        assert!(!dir.path(written).exists());
        for _again in 0..2 {
            let ran = dir.words(&format!("{line} --keep-partial"));
            assert!(
                ran.err.contains("has the records before that"),
                "{}",
                ran.err
            );
            let kept = dir.read(written);
            assert!(kept.len() > 100_000 && dir.read("whole").starts_with(&kept));
            match input {
                "in" => counts(&ran, 1, [0, 1, 0]),
                _ => assert_eq!(ran.code, Some(1)),
            }
        }
    }
}

/// Only the file whose dead letters could not be written is processed again.
#[test]
#[cfg(target_os = "linux")]
fn a_dead_letter_that_cannot_be_written_leaves_other_files_done() {
    let dir = Dir::new();
    dir.shell(
        "mkdir in && echo '{}' > in/a && echo '{\"encrypted_matched_data\":\"A*\"}' > in/b && echo '{}' > in/c",
    )
    .succeeds();
    let ran = dir.words("logs open -k key.txt in -o out --dead-letter /dev/full");
    let words = "cannot write the dead letters";
    assert!(ran.err.contains(words), "{}", ran.err);
    opens(&dir, "in -o out", 0, [1, 0, 2], "");
}

#[test]
fn what_is_left_out_is_said_and_may_be_named() {
    let dir = events(10);
    dir.shell(
        "mkdir in links links/a other special; cp events.ndjson in/young; cp events.ndjson in/old; touch -d '2 minutes ago' in/old; \
         cp events.ndjson links/a; cp events.ndjson other/x; ln -s .. links/a/loop; ln -s ../other links/other; \
         mkfifo special/pipe; cp events.ndjson special/.hidden",
    )
    .succeeds();
    let run = |arguments: &str, files, words| {
        opens(&dir, arguments, 0, files, words);
    };
    let words = "left out in/young: modified less than";
    run("in -o out --min-age 60s", [1, 0, 0], words);
    run("in -o out --min-age 0", [1, 0, 1], "");
    let words = "left out links/a/loop and 1 other: a link";
    run("links -o one", [1, 0, 0], words);
    run("links -o two --follow-links", [2, 0, 0], "");
    let words = "left out special/pipe: not a regular file";
    run("special -o three", [0, 0, 0], words);
    run(
        "special -o three",
        [0, 0, 0],
        "there are no files to process",
    );
    open(&dir, b"", &["in", "-o", "out", "--min-age", "soon"]).fails(2, "60s, 5m, 1h or 2d");
    let line = "cmp two/other/x two/a/events.ndjson; \
                cat events.ndjson > special/pipe & pqseal logs open -k key.txt special/pipe special/.hidden -o four/; \
                cmp four/pipe four/.hidden";
    dir.shell(line).succeeds();
}

/// Files that failed under `--strict` fail the next run too, which does not do them. So does a
/// field that no record has, and a table without its column, until what lacks them is gone.
#[test]
fn a_strict_run_that_failed_stays_failed() {
    let dir = Dir::new();
    dir.shell(
        "mkdir bad in tables; echo '{\"encrypted_matched_data\":\"A*\"}' > bad/bad; echo '{}' > bad/good; \
         echo '{\"a\":null}' | tee in/a > in/b; touch in/empty; echo a > tables/a.csv; echo b > tables/b.csv",
    )
    .succeeds();
    let run = |arguments: &str, code, files, words| {
        opens(&dir, arguments, code, files, words);
    };
    run("bad -o out --strict", 1, [2, 0, 0], "");
    let words = "1 record failed in files that an earlier run finished";
    run("bad -o out --strict", 1, [0, 0, 2], words);
    run("bad -o out", 0, [0, 0, 2], "");
    run("bad -o out --max-errors 1", 0, [0, 0, 2], "");
    run("bad -o out --max-errors 0", 1, [0, 0, 2], "");
    run("in -o in.a --strict --field a", 0, [3, 0, 0], "");
    run("in -o in.a --strict --field a", 0, [0, 0, 3], "");
    let words = "no record has the field .b";
    run("in -o in.b --strict --field b", 1, [3, 0, 0], words);
    run("in -o in.b --strict --field b", 1, [0, 0, 3], words);
    // One record with the field is enough.
    dir.write("in/c", "{\"b\":null}\n");
    run("in -o in.b --strict --field b", 0, [1, 0, 3], "");
    run("in -o in.b --strict --field b", 0, [0, 0, 4], "");
    let tables = "tables -o t --strict --field a";
    run(tables, 1, [2, 0, 0], "no column is called a");
    run(tables, 1, [0, 0, 2], "has no column for the field .a");
    fs::remove_file(dir.path("tables/b.csv")).unwrap();
    run(tables, 0, [0, 0, 1], "");
}

#[test]
fn a_name_that_is_not_utf_8_is_done_once() {
    let dir = events(10);
    fs::create_dir(dir.path("in")).unwrap();
    let name = OsStr::from_bytes(b"\xff\xfe.log");
    fs::copy(dir.path("events.ndjson"), dir.path("in").join(name)).unwrap();
    symlink("nowhere", dir.path("in").join(OsStr::from_bytes(b"\xfe"))).unwrap();
    for files in [[1, 1, 0], [0, 1, 1]] {
        opens(&dir, "in -o out --failed-list failed", 1, files, "");
    }
    assert!(dir.path("out").join(name).exists());
    let listed: Value = serde_json::from_slice(&dir.read("failed")).unwrap();
    assert_eq!(listed["file_base64"], "aW4v/g==");
}

#[test]
fn names_follow_the_compression() {
    let dir = events(10);
    dir.shell("mkdir in && gzip -c events.ndjson > in/a.log.gz && cp events.ndjson in/b.log && zstd -q events.ndjson -o in/c.ZST && echo hello > in/test.txt.gz")
        .succeeds();
    for names in [
        "same/: a.log.gz b.log c.ZST test.txt.gz",
        "none/: a.log b.log c test.txt.gz",
        "gzip/: a.log.gz b.log.gz c.gz test.txt.gz",
        "zstd/: a.log.zst b.log.zst c.zst test.txt.gz",
    ] {
        let folder = &names[..5];
        let compression = &names[..4];
        dir.words(&format!(
            "logs open -k key.txt in --compress {compression} -o {folder}"
        ))
        .succeeds();
        let listed = dir.shell(&format!("echo {folder}: $(ls {folder})"));
        assert_eq!(listed.out().trim_end(), names);
    }
    let line = "zcat gzip/b.log.gz | cmp - none/b.log && zstd -dcq zstd/a.log.zst | cmp - none/a.log && cp events.ndjson in/a.log";
    dir.shell(line).succeeds();
    // A file's own name says how it is compressed.
    for line in [
        "in/a.log -o one.gz && zcat one.gz | cmp - none/a.log",
        "in/a.log.gz -o one && cmp one none/a.log",
        "in/a.log --compress gzip | zcat | cmp - none/a.log",
    ] {
        dir.shell(&format!("pqseal logs open -k key.txt {line}"))
            .succeeds();
    }
    let lines = [
        "open -k key.txt in -o gzip/ --compress gzip => in/a.log and in/a.log.gz would both become gzip/a.log.gz",
        "open -k key.txt in/a.log.gz --compress same => --compress same is for files",
        "generate 1 --compress same -o made.gz => there is no input for --compress same",
    ];
    each_fails(&dir, "pqseal logs", 2, &lines);
}

/// `-o` of all three commands: a file for one input, a folder for several, and devices as they are.
#[test]
fn outputs_are_files_folders_or_streams() {
    let dir = Dir::new();
    let make = format!(
        "pqseal logs generate 20 -o clear && pqseal logs generate 20 | cmp - clear && \
         pqseal logs generate 20 --files 3 -o parts/ && cat parts/events-*.ndjson | cmp - clear && \
         pqseal logs seal --to {PUBLIC_KEY} clear -o sealed && \
         pqseal logs seal --to {PUBLIC_KEY} parts -o sealed.parts && \
         pqseal logs seal --to {PUBLIC_KEY} -o from-stdin.gz < clear && test $(zcat from-stdin.gz | wc -l) = 20 && \
         pqseal logs open -k key.txt sealed -o opened && test $(grep -c decrypted_matched_data opened) = 18 && \
         pqseal logs open -k key.txt sealed.parts -o opened.parts && \
         test $(cat opened.parts/events-* | grep -c decrypted_matched_data) = 18"
    );
    dir.shell(&make).succeeds();
    assert_eq!((dir.mode("sealed"), dir.mode("opened")), (0o644, 0o600));
    for stream in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let line = "echo before > log; \
                    (pqseal logs open -k key.txt sealed -o STREAM; pqseal open -k key.txt matched_data.txt -o STREAM) >> log; \
                    (echo before; cat opened; printf 'test matched data') | cmp - log; \
                    pqseal logs generate 20 -o STREAM | cmp - clear";
        dir.shell(&line.replace("STREAM", stream)).succeeds();
    }
    dir.shell("mkfifo pipe && (cat pipe > through & pqseal logs open -k key.txt sealed -o pipe; wait) && cmp through opened && test -p pipe")
        .succeeds();
    let lines = [
        "sealed -o /dev/full => no space left",
        "sealed -o key.txt => holds a key",
    ];
    each_fails(&dir, "pqseal logs open -k key.txt", 3, &lines);
    let lines = [
        "sealed clear -o opened => opened is a file, and several files need a folder",
        "-o out/ < sealed => standard input has no name",
        "sealed -o new --shard 1/2 => --shard needs an output folder",
    ];
    each_fails(&dir, "pqseal logs open -k key.txt", 2, &lines);
    dir.words("logs generate --files 2 -o new").succeeds();
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

/// Outputs that would be written twice, or are also read, are refused before anything is written.
#[test]
fn outputs_do_not_meet_each_other_or_an_input() {
    let dir = events(10);
    dir.shell("mkdir in && cp events.ndjson in/a").succeeds();
    let before = dir.names();
    let lines = [
        "events.ndjson --dead-letter - => standard output and --dead-letter would both write to standard output",
        "events.ndjson -o x --prometheus - --failed-list /dev/stdout => --failed-list and --prometheus would both",
        "events.ndjson -o x --prometheus ./x => -o and --prometheus would both write to ./x",
        "in -o out/ --dead-letter d --state ./d => would both write",
        "events.ndjson -o events.ndjson => events.ndjson is read, and -o would overwrite it",
        "events.ndjson --dead-letter ./events.ndjson => is read, and --dead-letter",
        "-o events.ndjson < events.ndjson => standard input is read, and -o",
        "in -o out/ --dead-letter in/dead => --dead-letter would write there",
        "in -o out/ --state - => later runs read the state",
        "in -o in/out => are not separate",
        "events.ndjson >> events.ndjson => events.ndjson is read, and standard output",
    ];
    each_fails(&dir, "pqseal logs open -k key.txt", 2, &lines);
    let lines = [
        (PUBLIC_KEY, "in/a >> in/a", "in/a is read"),
        ("-", "- < key.txt", "standard input"),
    ];
    for (to, line, words) in lines {
        dir.shell(&format!("pqseal logs seal --to {to} {line}"))
            .fails(2, words);
    }
    assert_eq!(dir.names(), before);
    // A device accepts any writer.
    for line in [
        "pqseal logs open -k key.txt events.ndjson --dead-letter /dev/null --prometheus /dev/null > /dev/null",
        "pqseal logs open -k key.txt events.ndjson -o x --prometheus - | grep -c '^pqseal_records_total'",
        "pqseal man -o - | grep -c '^\\.TH'",
    ] {
        dir.shell(line).succeeds();
    }
}

/// Results never replace a key, whatever option names its file.
#[test]
fn keys_are_not_written_over() {
    let dir = events(10);
    dir.shell("mkdir in && cp events.ndjson in/a && cp key.txt other.txt")
        .succeeds();
    let (names, key) = (dir.names(), dir.read("key.txt"));
    let seal = format!("seal --to {PUBLIC_KEY} events.ndjson");
    for (line, option) in [
        ("open -k key.txt events.ndjson", "--prometheus ./key.txt"),
        ("open -k key.txt events.ndjson", "--prometheus ./other.txt"),
        ("open -k key.txt events.ndjson", "--failed-list ./key.txt"),
        ("open -k key.txt events.ndjson", "--failed-list ./other.txt"),
        ("open -k key.txt events.ndjson", "--dead-letter ./key.txt"),
        ("open -k key.txt events.ndjson", "-o ./other.txt"),
        ("open -k key.txt in -o out/", "--state key.txt"),
        (&seal, "--failed-list other.txt"),
        ("generate 1", "-o key.txt"),
    ] {
        let ran = dir.words(&format!("logs {line} {option}"));
        let option = option.split(' ').next().unwrap();
        let message = format!("choose another name for {option}");
        ran.fails(3, &message);
    }
    assert_eq!(
        [dir.read("key.txt"), dir.read("other.txt")],
        [key.clone(), key]
    );
    assert_eq!(dir.names(), names);
}

/// Waits until a file of `out` is being written, and `is_so` holds.
fn has_begun(dir: &Dir, child: &mut Child, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while dir.shell("ls -A out | grep -c tmp$").out() != "1\n" || !is_so() {
        assert_eq!(child.try_wait().unwrap(), None);
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "nothing was begun"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal, by which the process must end. Returns its messages.
fn end_by(mut child: Child, (signal, name): (i32, &str)) -> String {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status();
    assert!(sent.unwrap().success());
    let mut err = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(signal), "{err}");
    err
}

#[test]
fn a_signal_ends_generate_without_a_trace() {
    let dir = Dir::new();
    fs::create_dir(dir.path("out")).unwrap();
    for signal in [(9, "KILL"), (2, "INT"), (15, "TERM")] {
        if signal.0 != 9 {
            // The next run removes the files of the killed one.
            dir.words("logs generate 1 -o out/").succeeds();
            assert_eq!(dir.shell("ls -A out; rm out/*").out(), "events-1.ndjson\n");
        }
        let mut command = dir.command(PQSEAL);
        command.args("logs generate 1000000000 -o out/ --stats json".split(' '));
        let mut child = command.spawn().unwrap();
        has_begun(&dir, &mut child, || true);
        let err = end_by(child, signal);
        if signal.0 != 9 {
            assert!(
                err.contains("interrupted") && err.contains("\"records\":0"),
                "{err}"
            );
            assert_eq!(dir.shell("ls -A out").out(), "", "{err}");
        }
    }
}

/// After Ctrl-C and SIGTERM no temporary file stays, the counters are written, and the process ends
/// by the signal. The next run continues.
#[test]
fn a_signal_leaves_nothing_behind_but_counters() {
    for signal in [(2, "INT"), (15, "TERM")] {
        let dir = events(2000);
        dir.shell("mkdir in out && cp events.ndjson in/a && mkfifo slow")
            .succeeds();
        let mut child = dir.command(PQSEAL);
        let line = "logs open -k key.txt in slow -o out/ --stats json --prometheus metrics";
        let mut child = child.args(line.split(' ')).spawn().unwrap();
        // The pipe gives some records, and then nothing.
        let mut slow = fs::File::options();
        let mut slow = slow.write(true).open(dir.path("slow")).unwrap();
        slow.write_all(&dir.read("events.ndjson")).unwrap();
        has_begun(&dir, &mut child, || dir.path("out/a").exists());
        let err = end_by(child, signal);
        assert_eq!(dir.shell("ls -A out").out(), ".pqseal-logs\na\n", "{err}");
        for words in ["interrupted; 1 of 2 files done", "\"records\":2000"] {
            assert!(err.contains(words), "{err}");
        }
        assert!(!dir.read("metrics").is_empty());
        drop(slow);
        opens(&dir, "in -o out/", 0, [0, 0, 1], "");
    }
}

/// The result is that of one stream for any number of threads, with files of every size in one
/// folder.
#[test]
fn many_small_files_give_what_one_stream_gives() {
    let dir = events(500);
    dir.shell("mkdir in && split -a 4 -l 1 events.ndjson in/m && for i in 1 2 3 4 5 6 7 8; do cat events.ndjson; done > in/mazz && cp events.ndjson in/z")
        .succeeds();
    opens(&dir, "in -o out/ -j 3", 0, [502, 0, 0], "");
    let line = "cat in/* | pqseal logs open -k key.txt > stream; cat out/* | cmp - stream; ls -A out | wc -l";
    assert_eq!(dir.shell(line).succeeds().out(), "503\n");
}

#[test]
fn sealing_counts_too() {
    let dir = Dir::new();
    dir.shell("pqseal logs generate 100 --files 10 -o in/ && echo '{\"Metadata\":{\"matched_data\":1,\"matched_data\":2}}' > in/bad").succeeds();
    let seal = format!("logs seal --to {PUBLIC_KEY} in -o sealed/ --stats json");
    let ran = dir.words(&seal);
    counts(&ran, 1, [10, 1, 0]);
    let counted = stats(&ran);
    let count = |name: &str| counted[name].as_u64().unwrap();
    assert_eq!(
        (count("records"), count("sealed") + count("absent")),
        (100, 100)
    );
    counts(&dir.words(&seal), 1, [0, 1, 10]);
    assert!(!dir.path("sealed/bad").exists());
}
