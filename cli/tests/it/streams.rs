//! `pqseal logs` in a pipe: what comes out when, and what is said of an input that is not whole.

use std::{
    fs,
    io::{Read, Write},
    process::{Child, Stdio},
};

use crate::common::{self, Dir, PQSEAL, PUBLIC_KEY, Ran};
use serde_json::Value;

fn events(count: u32) -> Dir {
    let dir = common::events(count);
    fs::rename(dir.path("events.ndjson"), dir.path("events")).unwrap();
    dir
}

fn stats(ran: &Ran) -> Value {
    let line = ran.err.lines().find(|line| line.starts_with('{'));
    serde_json::from_str(line.expect(&ran.err)).unwrap()
}

/// Writes lines to a program whose input stays open, and reads the answer to each.
fn converse(child: &mut Child, lines: &[u8]) {
    let (stdin, stdout) = (
        child.stdin.as_mut().unwrap(),
        child.stdout.as_mut().unwrap(),
    );
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
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
}

#[test]
fn a_quiet_stream_does_not_stall() {
    let dir = events(3);
    let seal = ["logs", "seal", "--to", PUBLIC_KEY];
    for arguments in [&["logs", "open", "-k", "key.txt"][..], &seal] {
        let mut command = dir.command(PQSEAL);
        command.args(arguments).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        converse(&mut child, &dir.read("events"));
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
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

#[test]
#[cfg(unix)]
fn records_before_damage_are_written_and_counted() {
    let dir = events(3000);
    dir.shell("gzip -k events && head -c 200000 events.gz > cut && pqseal logs open -k key.txt events > whole")
        .succeeds();
    let ran = dir.shell("pqseal logs open -k key.txt --stats json < cut");
    let found = stats(&ran);
    let records = found["records"].as_u64().unwrap();
    assert_eq!(
        ran.out.iter().filter(|byte| **byte == b'\n').count() as u64,
        records
    );
    assert!(records > 100 && dir.read("whole").starts_with(&ran.out));
    assert!(
        ran.code == Some(1) && ran.err.contains("the gzip data ends early"),
        "{}",
        ran.err
    );
}

#[test]
#[cfg(unix)]
fn compressed_output_is_whole_if_the_input_is_damaged() {
    let dir = events(3000);
    dir.shell("gzip -k events && head -c 200000 events.gz > cut")
        .succeeds();
    for compression in ["gzip", "zstd"] {
        let line = format!("pqseal logs open -k key.txt --compress {compression} cut > opened");
        let ran = dir.shell(&line);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let again = dir.shell("pqseal logs open -k key.txt opened");
        assert_eq!(again.code, Some(0), "{}", again.err);
        assert!(again.out.iter().filter(|byte| **byte == b'\n').count() > 100);
    }
}

#[test]
#[cfg(unix)]
fn zeros_after_a_gzip_are_a_warning() {
    let dir = events(3);
    dir.shell("(gzip -c events; head -c 1000 /dev/zero) > padded")
        .succeeds();
    let ran = dir.shell("pqseal logs open --strict -k key.txt padded | wc -l");
    assert_eq!(ran.out().trim(), "3");
    assert_eq!(
        ran.err,
        "warning: padded: 1000 zero bytes after the end of the gzip data were ignored\n"
    );
}

#[test]
fn an_array_that_was_cut_off_is_an_error() {
    let dir = Dir::new();
    let ran = dir.run(
        PQSEAL,
        &["logs", "open", "-k", "key.txt"],
        b"[{\"a\":1},{\"a\":2}",
    );
    assert_eq!((ran.code, ran.out()), (Some(1), "[{\"a\":1},{\"a\":2}"));
    assert!(
        ran.err
            .contains("cannot read standard input: the JSON array has no end"),
        "{}",
        ran.err
    );
}

fn open(dir: &Dir, input: &[u8], arguments: &[&str]) -> Ran {
    let command = [&["logs", "open", "-k", "key.txt"], arguments].concat();
    dir.run(PQSEAL, &command, input)
}

#[test]
fn a_field_that_no_record_has_is_a_warning() {
    let dir = Dir::new();
    let input = b"{\"payload\":null}\n";
    let fields = ["--field", "payload", "--field", ".a[0].payloda"];
    for (strict, code) in [(&[][..], 0), (&["--strict"], 1)] {
        let ran = open(&dir, input, &[&fields, strict].concat());
        assert_eq!((ran.code, ran.out.as_slice()), (Some(code), &input[..]));
        assert_eq!(ran.err, "warning: no record has the field .a.0.payloda\n");
    }
    let ran = open(&dir, b"{}\n", &["--strict"]);
    assert!(
        ran.code == Some(0) && ran.err.contains("no sealed field of the preset")
            || ran.err.contains("no record has a sealed field"),
        "{}",
        ran.err
    );
    open(&dir, b"", &["--field", "payload", "--strict"]).succeeds();
}

#[test]
#[cfg(unix)]
fn a_table_without_the_column_is_a_warning() {
    let dir = Dir::new();
    dir.write("a.csv", "id,payload\n1,\n");
    dir.write("b.csv", "id;payload\n1;\n");
    let run = |file: &str, more: &str| {
        dir.shell(&format!(
            "pqseal logs open -k key.txt --strict {more} {file} > out"
        ))
    };
    let ran = run("a.csv", "--field payloda");
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.err,
        "warning: a.csv: no column is called payloda; its columns are id, payload\n"
    );
    let ran = run("b.csv", "--field payload");
    assert!(
        ran.code == Some(1) && ran.err.contains("add --delimiter ';'"),
        "{}",
        ran.err
    );
    run("b.csv", "--field payload --delimiter ';'").succeeds();
    assert_eq!(
        String::from_utf8(dir.read("out")).unwrap(),
        "id;payload;decrypted_payload;decrypt_status\n1;;;absent\n"
    );
    assert!(run("b.csv", "").err.contains("its header is one column"));
    run("b.csv", "--delimiter ';;'").fails(2, "one ASCII character");
    run("b.csv", "--delimiter ';' --input-format json").fails(2, "--delimiter is only for CSV");
}

#[test]
fn what_is_not_json_is_named() {
    let dir = Dir::new();
    let cases: [(&[u8], &str); 4] = [
        (
            b"a,b\n1,2\n",
            "a table with commas between cells; add --input-format csv",
        ),
        (
            b"Jan 1 host app: {\"a\":1}\n",
            "lines with text before the JSON",
        ),
        (
            b"{ \"a\":\n1}\n",
            "JSON over several lines; add --input-format json",
        ),
        (b"hello\n", "the first one begins with `hello`"),
    ];
    for (input, expected) in cases {
        let ran = open(&dir, input, &[]);
        assert!(
            ran.code == Some(0) && ran.err.contains(expected),
            "{}",
            ran.err
        );
        assert!(
            ran.err
                .contains("warning: standard input: no record is JSON")
        );
    }
    // One record that is JSON is enough.
    assert!(
        !open(&dir, b"hello\n{}\n", &[])
            .err
            .contains("no record is JSON")
    );
}

#[test]
#[cfg(unix)]
fn formats_that_are_not_supported_are_named() {
    let dir = Dir::new();
    dir.shell("echo '{}' | xz > a.xz && echo '{}' | iconv -t UTF-16 > utf16")
        .succeeds();
    let cases: [(&[u8], &str); 3] = [
        (&dir.read("a.xz"), "xz is not supported; use `xz -dc` first"),
        (&dir.read("utf16"), "UTF-16 is not supported"),
        (b"\x1b\x2a\x00\xf8\x25\x00", "Brotli"),
    ];
    for (input, expected) in cases {
        let ran = open(&dir, input, &[]);
        assert_eq!(ran.code, Some(1), "the command line is right");
        assert!(
            ran.out.is_empty() && ran.err.contains(expected),
            "{}",
            ran.err
        );
    }
}

#[test]
#[cfg(unix)]
fn counters_are_written_when_a_run_fails() {
    let dir = events(3000);
    dir.shell("gzip -c events | head -c 200000 > cut.gz")
        .succeeds();
    let run = |input: &str| {
        let flags = "--stats json --prometheus metrics";
        let ran = dir.shell(&format!(
            "pqseal logs open -k key.txt {flags} {input} > out"
        ));
        (stats(&ran), String::from_utf8(dir.read("metrics")).unwrap())
    };
    for (input, complete) in [("cut.gz", false), ("events", true)] {
        let (found, metrics) = run(input);
        assert_eq!(found["complete"], complete);
        assert!(found["records"].as_u64().unwrap() > 100);
        let records = format!(
            "pqseal_records_total{{outcome=\"opened\"}} {}\n",
            found["opened"]
        );
        assert!(metrics.contains(&records), "{metrics}");
        let gauge = format!("pqseal_run_complete {}\n", u8::from(complete));
        assert!(metrics.contains(&gauge), "{metrics}");
    }
}

#[test]
#[cfg(unix)]
fn a_missing_binding_is_named() {
    let dir = Dir::new();
    dir.shell("pqseal keygen -o hybrid.key > hybrid.pub 2> /dev/null && pqseal logs generate 20 | pqseal logs seal --to hybrid.pub --aad-from .RayID --info zone > sealed")
        .succeeds();
    let cases = [
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
    ];
    for (flags, expected) in cases {
        let ran = dir.shell(&format!("pqseal logs open -k hybrid.key {flags} sealed"));
        assert!(ran.err.contains(expected), "{}", ran.err);
        assert!(ran.out().contains("\"decrypt_status\":\"altered\""));
    }
}

#[test]
#[cfg(unix)]
fn warnings_are_json_where_json_is_asked_for() {
    let dir = Dir::new();
    dir.write("a.csv", "id\n1\n");
    dir.chmod("key.txt", 0o644);
    let ran = dir.shell("pqseal --json logs open -k key.txt --field x a.csv > out");
    let codes: Vec<Value> = ran
        .err
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["warning"]["code"].clone())
        .collect();
    assert_eq!(codes, ["file_mode", "no_column"]);
}

/// Sealing a field that is not there would look like success.
#[test]
#[cfg(unix)]
fn sealing_says_which_field_is_missing() {
    let dir = Dir::new();
    dir.write("events", "{\"a\":1}\n{\"a\":2}\n");
    for (strict, code) in [("", 0), ("--strict", 1)] {
        for to in ["", "-o out.ndjson", "-o out/"] {
            let ran = dir.shell(&format!(
                "pqseal logs seal --to {PUBLIC_KEY} --field payload --field a {strict} {to} events"
            ));
            assert_eq!(ran.code, Some(code), "{to}: {}", ran.err);
            assert!(
                ran.err.contains("no record has the field .payload"),
                "{to}: {}",
                ran.err
            );
            assert!(!ran.err.contains("the field .a"), "{to}: {}", ran.err);
            dir.shell("rm -rf out out.ndjson");
        }
        // Nothing of a table would be sealed.
        dir.write("table.csv", "a,b\n1,2\n");
        dir.shell(&format!(
            "pqseal logs seal --to {PUBLIC_KEY} --field payload {strict} table.csv"
        ))
        .fails(1, "no column has the field to seal as encrypted_payload");
    }
}

/// Too little memory, wherever it is noticed: an exit code and a message, and no signal. A file that
/// cannot be read for want of it is a file that was left out.
#[test]
#[cfg(target_os = "linux")]
fn too_little_memory_is_an_error() {
    let dir = events(300);
    let limits = (10_000..250_000_u32).step_by(12_000);
    let starts = |limit: &u32| {
        dir.shell(&format!("ulimit -v {limit}; pqseal --version"))
            .code
            == Some(0)
    };
    let (mut done, mut stopped) = (0, 0);
    for limit in limits.filter(starts) {
        for to in ["> out", "-o out/"] {
            let ran = dir.shell(&format!(
                "ulimit -v {limit}; pqseal logs open -k key.txt -j 4 {to} events"
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
