//! `pqseal logs seal --preset` and `pqseal logs open --preset` on audit logs that web application
//! firewalls wrote.

use std::{fs, path::Path, thread, time::Duration};

use serde_json::Value;

use crate::{
    common::{Dir, PQSEAL, PUBLIC_KEY},
    follow::run::{Run, append},
};

/// Reads the log that this firewall wrote.
fn log(engine: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit_logs");
    fs::read(folder.join(format!("{engine}.ndjson"))).unwrap()
}

/// Returns the command that seals the lines of any firewall.
fn seal(more: &str) -> String {
    format!("logs seal --preset modsecurity --to {PUBLIC_KEY} {more}")
}

/// Texts of the attacks in a log, in every encoding that it has.
const ATTACKS: [&[u8]; 6] = [
    b"OR '1'='1'",
    b"%27%20OR%20",
    b"etc/passwd",
    b"<script>",
    b"script\\u003e",
    b"127.0.0.1:",
];

fn has(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Collects the names of all sealed fields, without `encrypted_`.
fn sealed_names(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            names.extend(name.strip_prefix("encrypted_").map(str::to_owned));
            sealed_names(value, names);
        }),
        Value::Array(items) => items.iter().for_each(|item| sealed_names(item, names)),
        _ => {}
    }
}

/// Nothing of an attack stays in the clear, and each log comes back byte for byte.
#[test]
fn the_fields_of_each_firewall_are_sealed_and_opened() {
    let dir = Dir::new();
    let [audit_data, parts] = ["message messages", "message request response server_id"];
    for (engine, preset, matches, all) in [
        (
            "nginx",
            "modsecurity",
            "data match",
            format!("data match {parts}"),
        ),
        (
            "apache",
            "modsecurity",
            audit_data,
            format!("{audit_data} request response"),
        ),
        (
            "coraza",
            "coraza",
            "data error_message",
            format!(
                "data error_message {}",
                parts.replace("message", "message msg")
            ),
        ),
    ] {
        let log = log(engine);
        assert_eq!(log.iter().filter(|byte| **byte == b'\n').count(), 3);
        assert!(engine == "coraza" || std::str::from_utf8(&log).is_err());
        let found = ATTACKS.iter().filter(|attack| has(&log, attack)).count();
        assert!(found >= 4, "{engine}: the log lacks the attacks");
        for (also, fields) in [("", matches), ("--also message,request,response", &all)] {
            let line = format!("logs seal --to {PUBLIC_KEY} --preset {preset} {also}");
            let sealed = dir.feed(&line, &log).succeeds().out;
            let first = sealed.split(|byte| *byte == b'\n').next().unwrap();
            let mut names = Vec::new();
            sealed_names(&serde_json::from_slice(first).unwrap(), &mut names);
            names.sort();
            names.dedup();
            assert_eq!(names.join(" "), fields);
            // The match is sealed without --also, too; the request is not.
            let absent: &[&[u8]] = match also {
                "" => &[b"found within ARGS", b"(Value: "],
                _ => &ATTACKS,
            };
            for part in absent {
                assert!(!has(&sealed, part), "{engine}: {}", part.escape_ascii());
            }
            assert_eq!(has(&sealed, b"%27%20OR%20"), also.is_empty());
            let line = format!("logs open -k key.txt --strict --preset {preset}");
            assert!(dir.feed(&line, &sealed).succeeds().out == log, "{engine}");
        }
    }
}

#[test]
fn what_cannot_be_sealed_ends_the_run() {
    let dir = Dir::new();
    let long = "x".repeat(5000);
    let line = format!(r#"{{"transaction":{{"messages":["{long}"]}}}}"#);
    dir.feed(&seal("--max-line 5000"), line.as_bytes())
        .fails(1, "(too_large)");
    dir.words(&seal("--field .a"))
        .fails(2, "cannot be used with");
    dir.words(&format!("logs seal --to {PUBLIC_KEY} --also request"))
        .fails(2, "--preset");
    // Without a preset a repeated name ends the run, too.
    let line = format!("logs seal --to {PUBLIC_KEY} --field .a.b");
    dir.feed(&line, br#"{"a":{"b":1},"a":{"b":2}}"#)
        .fails(1, "(repeated_name)");
}

fn follow(dir: &Dir) -> Run {
    let line = seal("--also message,request,response --follow audit.log --state state -o sealed");
    let words: Vec<_> = line.split(' ').collect();
    Run::of(dir, dir.command(PQSEAL), &words)
}

#[test]
fn a_log_is_sealed_as_it_grows() {
    let dir = Dir::new();
    let log = log("nginx");
    let lines: Vec<_> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let add = |bytes: &[u8]| append(&dir.path("audit.log"), bytes);
    let wait = |run: &Run, count| run.wait_for("sealed", |text| text.lines().count() >= count);
    let run = follow(&dir);
    add(lines[0]);
    wait(&run, 1);
    // Half a line is neither sealed nor passed on.
    let (start, end) = lines[1].split_at(lines[1].len() / 2);
    add(start);
    thread::sleep(Duration::from_millis(400));
    assert_eq!(dir.read("sealed").split(|byte| *byte == b'\n').count(), 2);
    add(end);
    wait(&run, 2);
    run.kill();
    // While nothing follows it, the firewall dies in the middle of a line, and goes on.
    [start, lines[2], lines[0]].into_iter().for_each(add);
    let run = follow(&dir);
    wait(&run, 4);
    run.end(0);
    let sealed = dir.read("sealed");
    assert!(!has(&sealed, b"etc/passwd") && !has(&sealed, b"<script>"));
    let open = "logs open -k key.txt --preset modsecurity --strict";
    let opened = dir.feed(open, &sealed).succeeds().out;
    assert!(opened == dir.read("audit.log"), "each line once");
}

#[test]
fn a_line_that_is_too_large_is_not_passed_on() {
    let dir = Dir::new();
    // The state that `logs open` saves while it copies such a line. The hash is the beginning of
    // the SHA-256 of `xxx`.
    append(&dir.path("audit.log"), "x".repeat(40) + "\n");
    let state = r#"{"follow":[{"in_line":true,"inode":0,"input":"audit.log","line":1,"mark":[3,"cd2eb0837c9b4c96"],"offset":3}],"output":0}"#;
    dir.write("state", state);
    dir.words(&seal("--follow audit.log --state state"))
        .fails(1, "record 1 of audit.log cannot be sealed (too_large)");
}
