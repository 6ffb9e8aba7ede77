//! `pqseal logs` in a pipe: the time of its output, and its messages on an incomplete input.

use std::{
    fs,
    io::{Read, Write},
    process::Stdio,
};

use serde_json::Value;

use crate::common::{Dir, PQSEAL, PUBLIC_KEY, events};

/// A program that waits for each answer needs this.
#[test]
fn a_quiet_stream_does_not_stall() {
    let dir = events(3);
    for line in [
        "logs open -k key.txt".to_owned(),
        "logs open -k key.txt --line-buffered".to_owned(),
        format!("logs seal --to {PUBLIC_KEY}"),
    ] {
        let mut command = dir.command(PQSEAL);
        command.args(line.split(' ')).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let input = dir.read("events.ndjson");
        for line in input.split_inclusive(|byte| *byte == b'\n') {
            stdin.write_all(line).unwrap();
            let mut answer = Vec::new();
            while !answer.ends_with(b"\n") {
                let mut byte = [0];
                stdout.read_exact(&mut byte).unwrap();
                answer.push(byte[0]);
            }
            let [answer, line]: [Value; 2] =
                [&answer, line].map(|text| serde_json::from_slice(text).unwrap());
            assert_eq!(answer["RayID"], line["RayID"]);
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

/// Its counters are not those of a complete run, and a script can detect that.
#[test]
#[cfg(unix)]
fn a_run_whose_reader_has_gone_is_not_complete() {
    let dir = events(3000);
    let seal = format!("logs seal --to {PUBLIC_KEY} clear --stats json");
    dir.shell("pqseal logs generate 20000 > clear").succeeds();
    let open = "logs open -k key.txt --stats json --prometheus metrics";
    for command in [
        &format!("{open} events.ndjson"),
        &format!("{open} - < events.ndjson"),
        &format!("{open} events.ndjson events.ndjson"),
        &format!("{open} --follow events.ndjson"),
        &seal,
        "logs generate 100000",
    ] {
        let line =
            format!("{{ pqseal {command} 2> err; echo $? > code; }} | head -n 1 > first; cat code");
        let ran = dir.shell(&line);
        assert_eq!(ran.out(), "3\n", "{command}");
        let said = String::from_utf8(dir.read("err")).unwrap();
        assert!(
            said.contains("cannot write standard output: broken pipe"),
            "{command}: {said}"
        );
        assert!(!said.contains("\"complete\":true"), "{command}: {said}");
        if command.contains("metrics") {
            let metrics = String::from_utf8(dir.read("metrics")).unwrap();
            assert!(metrics.contains("\npqseal_run_complete 0\n"), "{command}");
            assert!(said.contains("\"complete\":false"), "{command}: {said}");
            fs::remove_file(dir.path("metrics")).unwrap();
        }
        assert_eq!(
            dir.read("first")
                .iter()
                .filter(|byte| **byte == b'\n')
                .count(),
            1
        );
    }
    // Counters without a reader are an error; a plaintext without one is not.
    let counters = "pqseal logs open -k key.txt events.ndjson -o out --prometheus -";
    for (command, code) in [
        (counters, "3\n"),
        ("pqseal open -k key.txt blob.txt", "0\n"),
    ] {
        let wait_for_end = "trap '' PIPE; while echo; do :; done 2> /dev/null";
        let line =
            format!("{{ {wait_for_end}; {command} 2> err; echo $? > code; }} | true; cat code");
        assert_eq!(dir.shell(&line).out(), code, "{command}");
    }
}

/// A run that fails does not wait for the end of an input that is still open.
#[test]
fn a_failure_is_reported_while_the_input_is_open() {
    let dir = Dir::new();
    for output in [&[][..], &["-o", "sealed"]] {
        let mut command = dir.command(PQSEAL);
        command
            .args(["logs", "seal", "--to", PUBLIC_KEY])
            .args(output)
            .stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"not json\n").unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1));
        drop(stdin);
    }
}

/// Records before the damage are written, also compressed, and counted.
#[test]
#[cfg(unix)]
fn damage_leaves_what_was_before_it() {
    let dir = events(3000);
    dir.shell("gzip -c events.ndjson | head -c 200000 > cut.gz; pqseal logs open -k key.txt events.ndjson > whole")
        .succeeds();
    for (compression, unpack) in [("none", "cat"), ("gzip", "zcat"), ("zstd", "zstdcat")] {
        let flags = "--stats json --prometheus metrics --compress";
        let line = format!(
            "pqseal logs open -k key.txt {flags} {compression} cut.gz > opened; echo $?; {unpack} opened > text"
        );
        let ran = dir.shell(&line);
        assert_eq!(ran.out(), "1\n", "{}", ran.err);
        assert!(ran.err.contains("the gzip data ends early"), "{}", ran.err);
        let found = ran.err.lines().find(|line| line.starts_with('{'));
        let found: Value = serde_json::from_str(found.unwrap()).unwrap();
        let text = dir.read("text");
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        assert!(lines > 100 && dir.read("whole").starts_with(&text));
        assert_eq!(
            (&found["records"], &found["complete"]),
            (&lines.into(), &false.into())
        );
        let metrics = String::from_utf8(dir.read("metrics")).unwrap();
        assert!(metrics.contains("pqseal_run_complete 0\n"), "{metrics}");
    }
}

#[test]
#[cfg(unix)]
fn a_missing_binding_is_named() {
    let dir = Dir::new();
    dir.shell("pqseal keygen -o hybrid.key > hybrid.pub 2> /dev/null && pqseal logs generate 20 | pqseal logs seal --to hybrid.pub --aad-from .RayID --info zone > sealed")
        .succeeds();
    for (flags, expected) in [
        (
            "",
            "give the --info and --aad-from that they were sealed with",
        ),
        ("--info zone", "check --info, and give the --aad-from"),
        (
            "--aad-from .RayID",
            "give the --info that they were sealed with, and check",
        ),
        (
            "--aad-from .RuleID --info zone",
            "check --info and --aad-from",
        ),
    ] {
        let ran = dir.words(&format!("logs open -k hybrid.key {flags} sealed"));
        assert!(ran.err.contains(expected), "{}", ran.err);
        assert!(ran.out().contains("\"decrypt_status\":\"altered\""));
    }
    let line = "logs open -k hybrid.key --aad-from .RayID --info zone --strict sealed";
    dir.words(line).succeeds();
}

/// Too little memory gives an exit code and a message, and no signal, wherever it is noticed. A
/// file that cannot be read for lack of memory counts as left out.
#[test]
#[cfg(target_os = "linux")]
fn too_little_memory_is_an_error() {
    let dir = events(300);
    let limits = (10_000..250_000_u32).step_by(20_000);
    let starts = |limit: &u32| {
        let ran = dir.shell(&format!("ulimit -v {limit}; pqseal --version"));
        ran.code == Some(0)
    };
    let (mut done, mut stopped) = (0, 0);
    for limit in limits.filter(starts) {
        for to in ["> out", "-o out/"] {
            let ran = dir.shell(&format!(
                "ulimit -v {limit}; pqseal logs open -k key.txt -j 4 {to} events.ndjson"
            ));
            match ran.code {
                Some(0) => done += 1,
                Some(1 | 3) => {
                    assert!(!ran.err.is_empty(), "nothing was said at {limit}, {to}");
                    stopped += 1;
                }
                _ => panic!("at {limit}, {to}: {ran:?}"),
            }
        }
    }
    assert!(done > 0 && stopped > 0, "{done} done, {stopped} stopped");
}
