//! `pqseal logs seal --on-refused`, tables without rows, and inputs that are not what they seem:
//! exit codes, files and messages.

use std::{fs, process::Child, thread, time::Duration};

use crate::common::{Dir, PQSEAL, PUBLIC_KEY, Ran, stats};

/// Two records that can be sealed, and one between them that cannot.
const LINES: &[u8] =
    b"{\"s\":\"SECRET1\"}\n{\"s\":\"SECRET2\",\"s\":\"SECRET3\"}\n{\"s\":\"SECRET4\"}\n";
const TABLE: &[u8] = b"s,n,s\nSECRET1,1,SECRET2\nSECRET3,\"x\"y,SECRET4\nSECRET5,2,SECRET6\n";

fn seal(dir: &Dir, arguments: &[&str]) -> Ran {
    let all = [
        &["logs", "seal", "--to", PUBLIC_KEY, "--field", ".s"],
        arguments,
    ]
    .concat();
    let ran = dir.pqseal(&all);
    let said = format!("{}{}", String::from_utf8_lossy(&ran.out), ran.err);
    assert!(!said.contains("SECRET"), "{arguments:?}: {said}");
    ran
}

/// Opens the blobs in a file, as text.
fn opened(dir: &Dir, file: &str) -> String {
    let fields = ["--field", ".encrypted_s", "--field", ".encrypted_record"];
    let ran = dir.pqseal(&[&["logs", "open", "-k", "key.txt", file][..], &fields].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out().to_owned()
}

#[test]
fn a_run_goes_on_if_it_is_asked_to() {
    for (file, text, code, secrets) in [
        ("a.ndjson", LINES, "repeated_name", 1..=4),
        ("a.csv", TABLE, "bad_row", 1..=6),
    ] {
        let dir = Dir::new();
        dir.write(file, text);
        let ran = seal(&dir, &[file]).fails(1, code);
        assert_eq!(ran.out(), "");
        // The record that cannot be sealed is in the file, and nowhere else.
        let output = format!("sealed-{file}");
        let refused = ["--on-refused", "refused", "--stats", "json"];
        let to = [&refused[..], &["-o", &output, file]].concat();
        let ran = seal(&dir, &to);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let stats = stats(&ran);
        let counts = (&stats["sealed"], &stats["failed_by_code"][code]);
        assert_eq!(counts, (&2.into(), &1.into()));
        let letters = String::from_utf8(dir.read("refused")).unwrap();
        let source = format!("{{\"source\":\"{file}\",\"line\":");
        assert!(letters.starts_with(&source), "{letters}");
        assert!(letters.contains(&format!("\"code\":\"{code}\"")));
        #[cfg(unix)]
        assert_eq!(dir.mode("refused"), 0o600);
        let written = letters + str::from_utf8(&dir.read(&output)).unwrap();
        assert!(!written.contains("SECRET"), "{written}");
        dir.shell("mv refused refused.ndjson").succeeds();
        let both = opened(&dir, &output) + &opened(&dir, "refused.ndjson");
        for secret in secrets {
            assert!(both.contains(&format!("SECRET{secret}")), "{both}");
        }
        // The output lacks a record.
        let strict = [&["--strict"][..], &to].concat();
        assert_eq!(seal(&dir, &strict).code, Some(1));
    }
}

/// A record in a table has no such place.
#[test]
fn a_record_that_is_refused_is_sealed_in_its_place() {
    let dir = Dir::new();
    dir.write("a.ndjson", LINES);
    dir.write("a.csv", TABLE);
    let in_place = ["--on-refused", "seal"];
    let strict = ["--strict", "--stats", "text", "a.ndjson"];
    let ran = seal(&dir, &[&in_place[..], &strict].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let counts = "3 sealed (1 as a whole: 1 repeated_name)";
    assert!(ran.err.contains(counts), "{}", ran.err);
    assert_eq!(ran.out().lines().count(), 3);
    seal(&dir, &[&in_place[..], &["a.csv"]].concat()).fails(1, "--on-refused FILE");
    let both = |file| {
        seal(
            &dir,
            &["--on-refused", "seal", "--on-refused", "both", file],
        )
    };
    assert_eq!(both("a.ndjson").code, Some(0));
    assert_eq!(dir.read("both"), b"");
    assert_eq!(both("a.csv").code, Some(0));
    assert!(dir.read("both").starts_with(b"{\"source\":\"a.csv\""));
    // Only one file, and not an input.
    let two = ["--on-refused", "x", "--on-refused", "y", "a.csv"];
    seal(&dir, &two).fails(2, "one file");
    seal(&dir, &["--on-refused", "a.csv", "a.csv"]).fails(2, "a.csv");
    assert_eq!(dir.read("a.csv"), TABLE);
}

#[test]
#[cfg(target_os = "linux")]
fn a_refused_record_that_cannot_be_written_ends_the_run() {
    let dir = Dir::new();
    dir.write("a.ndjson", LINES);
    for to in [&["a.ndjson"][..], &["-o", "sealed", "a.ndjson"]] {
        let to = [&["--on-refused", "/dev/full"], to].concat();
        seal(&dir, &to).fails(3, "cannot write the refused records");
    }
}

/// Only a run that follows opens its files again.
#[test]
#[cfg(unix)]
fn a_hangup_ends_a_run_that_does_not_follow() {
    use std::{os::unix::process::ExitStatusExt, process::Stdio};

    let dir = Dir::new();
    let mut run = dir
        .command(PQSEAL)
        .args(["logs", "open", "-k", "key.txt", "--dead-letter", "dead"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..3000 {
        if dir.path("dead").exists() {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    dir.shell(&format!("kill -HUP {}", run.id())).succeeds();
    // This ends its input, too.
    assert_eq!(run.wait().unwrap().signal(), Some(1));
}

#[test]
fn a_table_without_rows_fails_a_strict_run() {
    let dir = Dir::new();
    fs::create_dir(dir.path("in")).unwrap();
    dir.write("in/a.csv", b"s,n\n");
    let ran = seal(&dir, &["in/a.csv"]);
    assert_eq!((ran.code, ran.out()), (Some(0), "s,n,encrypted_s\n"));
    assert!(ran.err.contains("a table without rows"), "{}", ran.err);
    assert_eq!(seal(&dir, &["--strict", "in/a.csv"]).code, Some(1));
    // The next run, which skips it, too.
    for _ in 0..2 {
        assert_eq!(seal(&dir, &["--strict", "in", "-o", "out/"]).code, Some(1));
    }
    assert_eq!(seal(&dir, &["in", "-o", "out/"]).code, Some(0));
    // A header that contains rows is not a header.
    dir.write("cr.csv", b"s,n\rSECRET,1\r");
    seal(&dir, &["cr.csv"]).fails(1, "old Macs (CR)");
    dir.write("quote.csv", b"s,\"n\nSECRET,\"1\"\n");
    seal(&dir, &["quote.csv"]).fails(1, "text follows one that closes");
}

#[test]
fn logs_that_are_followed_go_on() {
    let dir = Dir::new();
    dir.write("a.log", [LINES, b"{\"s\":\"SECRET5\"}\n"].concat());
    let mut run: Child = dir
        .command(PQSEAL)
        .args([
            "logs", "seal", "--to", PUBLIC_KEY, "--field", ".s", "--follow", "a.log",
        ])
        .args([
            "--state",
            "state",
            "-o",
            "out",
            "--on-refused",
            "refused",
            "--max-line",
            "1000",
        ])
        .spawn()
        .unwrap();
    let lines = |name: &str| {
        let text = fs::read(dir.path(name)).unwrap_or_default();
        text.iter().filter(|byte| **byte == b'\n').count()
    };
    for _ in 0..3000 {
        if lines("out") == 3 && lines("refused") == 1 {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    // A line longer than one read.
    let long = "SECRET6".repeat(400_000);
    let more = format!("{{\"s\":\"{long}\"}}\n{{\"s\":\"SECRET7\"}}\n");
    dir.write("a.log", [&dir.read("a.log"), more.as_bytes()].concat());
    for _ in 0..3000 {
        if lines("out") == 4 {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let (out, refused) = (dir.read("out"), dir.read("refused"));
    assert_eq!(lines("out"), 4, "{}", String::from_utf8_lossy(&out));
    assert!(lines("refused") > 2);
    for written in [&out, &refused] {
        assert!(!String::from_utf8_lossy(written).contains("SECRET"));
    }
    let opened = opened(&dir, "refused");
    assert_eq!(
        opened.matches("SECRET6").count() / 100,
        4000 - 1,
        "parts cut some"
    );
}

/// One line does not determine the kind of a file, nor does its name.
#[test]
fn what_is_no_table_is_not_read_as_one() {
    let dir = Dir::new();
    let frame = [&b"P*M\x18\x04\0\0\0abcd"[..], &zstd()].concat();
    dir.write("a.csv.zst", &frame);
    let arguments = ["logs", "open", "-k", "key.txt", "--field", "s", "a.csv.zst"];
    let ran = dir.pqseal(&arguments);
    assert_eq!(
        (ran.code, ran.out()),
        (Some(0), "s,decrypted_s,decrypt_status\n"),
        "{}",
        ran.err
    );
    dir.write("a.csv.zst", &frame[1..]);
    let ran = dir.pqseal(&arguments);
    assert_eq!(ran.fails(1, "binary data").out(), "");
}

/// Returns the line `s`, compressed.
fn zstd() -> Vec<u8> {
    b"\x28\xb5\x2f\xfd\x20\x02\x11\x00\x00s\n".to_vec()
}
