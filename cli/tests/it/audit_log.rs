//! `pqseal logs seal --preset` and `pqseal logs open --preset`: audit logs of web application
//! firewalls, as they wrote them, and lines that no firewall writes.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    process::Child,
    thread,
    time::{Duration, Instant},
};

use crate::common::{Dir, PQSEAL, PUBLIC_KEY, Ran};
use serde_json::Value;

const ENGINES: [(&str, &str); 3] = [
    ("nginx", "modsecurity"),
    ("apache", "modsecurity"),
    ("coraza", "coraza"),
];
const ALL: [&str; 2] = ["--also", "message,request,response"];

/// The log that this firewall wrote.
fn log(engine: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit_logs");
    fs::read(folder.join(format!("{engine}.ndjson"))).unwrap()
}

fn seal(dir: &Dir, more: &[&str], log: &[u8]) -> Ran {
    let arguments = [
        &[
            "logs",
            "seal",
            "--preset",
            "modsecurity",
            "--to",
            PUBLIC_KEY,
        ],
        more,
    ];
    dir.run(PQSEAL, &arguments.concat(), log)
}

fn open(dir: &Dir, more: &[&str], sealed: &[u8]) -> Ran {
    let arguments = [
        &["logs", "open", "-k", "key.txt", "--preset", "modsecurity"],
        more,
    ];
    dir.run(PQSEAL, &arguments.concat(), sealed)
}

/// The record that this line is sealed to, with its blobs left out.
fn sealed(dir: &Dir, more: &[&str], line: &str) -> String {
    // Where there is nothing to seal, a warning says so.
    let ran = seal(dir, more, line.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut out = ran.out().to_owned();
    while let Some(start) = out.find("\"A") {
        let end = start + 1 + out[start + 1..].find('"').unwrap();
        assert!(end - start > 75, "no blob: {out}");
        out.replace_range(start..=end, "BLOB");
    }
    let opened = open(dir, &["--strict"], &ran.out);
    assert_eq!((opened.code, opened.out()), (Some(0), line));
    out
}

/// Texts that the attacks in a log have, in every encoding that is in it.
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

#[test]
fn logs_come_back_byte_for_byte() {
    let dir = Dir::new();
    for (engine, preset) in ENGINES {
        let log = log(engine);
        assert_eq!(log.iter().filter(|byte| **byte == b'\n').count(), 3);
        assert!(engine == "coraza" || std::str::from_utf8(&log).is_err());
        for more in [&[][..], &["--also", "request"], &ALL] {
            let more = [&["--preset", preset][..], more].concat();
            let arguments = [&["logs", "seal", "--to", PUBLIC_KEY][..], &more].concat();
            let ran = dir.run(PQSEAL, &arguments, &log).succeeds();
            let arguments = [
                "logs", "open", "-k", "key.txt", "--strict", "--preset", preset,
            ];
            let opened = dir.run(PQSEAL, &arguments, &ran.out).succeeds();
            assert!(opened.out == log, "{engine} {more:?}");
        }
    }
}

#[test]
fn nothing_of_an_attack_stays_in_the_clear() {
    let dir = Dir::new();
    for (engine, _) in ENGINES {
        let log = log(engine);
        let found = ATTACKS.iter().filter(|attack| has(&log, attack)).count();
        assert!(found >= 4, "{engine}: the log lacks the attacks");
        let all = seal(&dir, &ALL, &log).succeeds().out;
        for attack in ATTACKS {
            assert!(!has(&all, attack), "{engine}: {}", attack.escape_ascii());
        }
        // What is matched is sealed without --also, too; the request is not.
        let matches = seal(&dir, &[], &log).succeeds().out;
        assert!(has(&matches, b"%27%20OR%20"), "{engine}");
        assert!(!has(&matches, b"found within ARGS"), "{engine}");
        assert!(!has(&matches, b"(Value: "), "{engine}");
    }
}

#[test]
fn the_fields_of_each_firewall_are_sealed() {
    let dir = Dir::new();
    let of = |engine, more: &[&str]| {
        let ran = seal(&dir, more, &log(engine)).succeeds();
        let mut names = Vec::new();
        let first = ran.out.split(|byte| *byte == b'\n').next().unwrap();
        names_of(&serde_json::from_slice(first).unwrap(), &mut names);
        names.retain(|name| name.starts_with("encrypted_"));
        names.sort();
        names.dedup();
        names.join(" ").replace("encrypted_", "")
    };
    assert_eq!(of("nginx", &[]), "data match");
    assert_eq!(of("apache", &[]), "message messages");
    assert_eq!(of("coraza", &[]), "data error_message");
    assert_eq!(
        of("nginx", &ALL),
        "data match message request response server_id"
    );
    assert_eq!(of("apache", &ALL), "message messages request response");
    assert_eq!(
        of("coraza", &ALL),
        "data error_message message msg request response server_id"
    );
}

fn names_of(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            names.push(name.clone());
            names_of(value, names);
        }),
        Value::Array(items) => items.iter().for_each(|item| names_of(item, names)),
        _ => {}
    }
}

#[test]
fn lines_that_no_firewall_writes() {
    let dir = Dir::new();
    for (line, expected) in [
        // Nothing to seal.
        ("{}\n", "{}\n"),
        ("\n", "\n"),
        ("[]\n", "[]\n"),
        ("\"x\"\n", "\"x\"\n"),
        (
            r#"{"transaction":null,"messages":7}"#,
            r#"{"transaction":null,"messages":7}"#,
        ),
        (
            r#"{"transaction":{"messages":[]}}"#,
            r#"{"transaction":{"messages":[]}}"#,
        ),
        (
            r#"{"transaction":{"messages":[{},1,null,{"details":null},{"details":{}}]}}"#,
            r#"{"transaction":{"messages":[{},1,null,{"details":null},{"details":{}}]}}"#,
        ),
        (
            r#"{"transaction":{"messages":[{"details":{"match":null}}]}}"#,
            r#"{"transaction":{"messages":[{"details":{"match":null}}]}}"#,
        ),
        // Other types, white space and escapes; what is between name and value stays.
        (
            r#"{"transaction":{"messages":[{"details":{"match" : {"a": [1.0]}, "data":-0e1}}]}}"#,
            r#"{"transaction":{"messages":[{"details":{"encrypted_match" : BLOB, "encrypted_data":BLOB}}]}}"#,
        ),
        (
            r#"{"transaction":{"messages":{"a":{"details":{"data":"\ud800\/\u001F"}}}}}"#,
            r#"{"transaction":{"messages":{"a":{"details":{"encrypted_data":BLOB}}}}}"#,
        ),
        (
            r#"{"audit_data":{"messages":[],"error_messages":""}}"#,
            r#"{"audit_data":{"encrypted_messages":BLOB,"encrypted_error_messages":BLOB}}"#,
        ),
        // A torn line, and the next one after it.
        (
            "{\"transaction\":{\"cl{\"transaction\":{}}\n",
            "{\"encrypted_record\":BLOB}\n",
        ),
        ("--a1b2c3--A-- native\r\n", "{\"encrypted_record\":BLOB}\n"),
        // Two members of one name, of which parsers see one.
        (
            r#"{"transaction":{"messages":[{"details":{"match":"a","match":"b"}}]}}"#,
            r#"{"encrypted_record":BLOB}"#,
        ),
        (
            r#"{"transaction":{"messages":[{"details":{"match":"a"}}]},"tr\u0061nsaction":{}}"#,
            r#"{"encrypted_record":BLOB}"#,
        ),
        // A result that is there already would hide what is in the clear.
        (
            r#"{"transaction":{"messages":[{"details":{"match":"a","encrypted_match":"b"}}]}}"#,
            r#"{"encrypted_record":BLOB}"#,
        ),
    ] {
        assert_eq!(sealed(&dir, &[], line), expected, "{line}");
    }
    let nested = format!("{{\"request\":{}{}}}", "[".repeat(99), "]".repeat(99));
    assert_eq!(
        sealed(&dir, &["--also", "request"], &nested),
        r#"{"encrypted_request":BLOB}"#
    );
    // Headers that are repeated are within what is sealed.
    assert_eq!(
        sealed(
            &dir,
            &["--also", "request"],
            r#"{"transaction":{"request":{"headers":{"Cookie":"a","Cookie":"b"}},"response":{}}}"#,
        ),
        r#"{"transaction":{"encrypted_request":BLOB,"response":{}}}"#,
    );
    // Bound to an id: a whole record is not, since it has none that is seen.
    let line = r#"{"transaction":{"unique_id":"7","messages":[{"details":{"match":"a"}}]}}"#;
    let bound = ["--aad-from", ".transaction.unique_id"];
    let both = format!("{line}\nnot JSON\n");
    let ran = seal(&dir, &bound, both.as_bytes()).succeeds();
    assert_eq!(open(&dir, &bound, &ran.out).succeeds().out(), both);
    let moved = ran
        .out()
        .replace(r#""unique_id":"7""#, r#""unique_id":"8""#);
    let opened = open(&dir, &bound, moved.as_bytes());
    assert!(opened.err.contains("1 altered"), "{}", opened.err);
    assert!(
        opened.out().contains(r#""match_status":"altered""#),
        "{}",
        opened.out()
    );
}

#[test]
fn what_cannot_be_sealed_ends_the_run() {
    let dir = Dir::new();
    let line = format!(
        r#"{{"transaction":{{"messages":["{}"]}}}}"#,
        "x".repeat(5000)
    );
    seal(&dir, &["--max-line", "5000"], line.as_bytes()).fails(1, "(too_large)");
    seal(&dir, &["--field", ".a"], b"").fails(2, "cannot be used with");
    dir.pqseal(&["logs", "seal", "--to", PUBLIC_KEY, "--also", "request"])
        .fails(2, "--preset");
    // Without a preset a name that is repeated ends the run, too.
    let repeated = br#"{"a":{"b":1},"a":{"b":2}}"#;
    let arguments = ["logs", "seal", "--to", PUBLIC_KEY, "--field", ".a.b"];
    let ran = dir.run(PQSEAL, &arguments, repeated);
    assert_eq!(ran.fails(1, "(repeated_name)").out(), "");
}

#[test]
fn sealed_records_that_do_not_open() {
    let dir = Dir::new();
    let ran = seal(&dir, &[], b"not JSON\n");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let made = dir.pqseal(&["keygen", "--kem", "x25519", "-o", "other.key"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let arguments = ["logs", "open", "-k", "other.key", "--preset", "modsecurity"];
    let failed = dir.run(PQSEAL, &arguments, &ran.out);
    assert!(
        failed
            .out()
            .ends_with(",\"decrypt_status\":\"no_key_matched\"}\n"),
        "{}",
        failed.out()
    );
    // With the right key it opens all the same.
    assert_eq!(open(&dir, &[], &failed.out).succeeds().out(), "not JSON\n");
    // What somebody else has sealed stays on one line.
    let blob = dir
        .run(PQSEAL, &["seal", "--to", PUBLIC_KEY], b"{\"a\":\n1}\nx")
        .succeeds();
    let line = format!("{{\"encrypted_record\":\"{}\"}}\n", blob.out().trim_end());
    assert_eq!(
        open(&dir, &[], line.as_bytes()).succeeds().out(),
        "{\"a\": 1} x\n"
    );
    // With other members beside it, it was not sealed as a whole.
    let line = format!(
        "{{\"encrypted_record\":\"{}\",\"n\":1}}\n",
        blob.out().trim_end()
    );
    assert_eq!(open(&dir, &[], line.as_bytes()).out(), line);
    // A value that is not JSON becomes a string.
    let line = format!(
        "{{\"transaction\":{{\"encrypted_request\":\"{}\"}}}}\n",
        blob.out().trim_end()
    );
    assert_eq!(
        open(&dir, &[], line.as_bytes()).succeeds().out(),
        "{\"transaction\":{\"request\":\"{\\\"a\\\":\\n1}\\nx\"}}\n"
    );
}

#[test]
fn results_can_be_written_in_other_ways() {
    let dir = Dir::new();
    let line = br#"{"transaction":{"messages":[{"details":{"match":"\u003C"}}]}}"#;
    let sealed = seal(&dir, &[], line).succeeds().out;
    let blob = String::from_utf8(sealed.clone()).unwrap();
    let blob = blob
        .split('"')
        .find(|text| text.len() > 75)
        .unwrap()
        .to_owned();
    for (more, expected) in [
        (
            &["--keep"][..],
            r#""encrypted_match":"BLOB","match":"\u003C""#,
        ),
        (&["--replace"], r#""encrypted_match":"\u003C""#),
        (&["--as", "base64"], r#""match":"Ilx1MDAzQyI=""#),
        (&["--as", "string"], r#""match":"\"\\u003C\"""#),
    ] {
        let ran = open(&dir, more, &sealed).succeeds();
        let found = ran.out().replace(&blob, "BLOB");
        assert!(
            found.contains(&format!("{{{expected}}}")),
            "{more:?}: {found}"
        );
    }
}

/// Waits until the file has this many lines.
fn wait_for_lines(dir: &Dir, name: &str, count: usize) {
    let started = Instant::now();
    loop {
        let text = fs::read(dir.path(name)).unwrap_or_default();
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        if lines >= count {
            return;
        }
        let said = fs::read_to_string(dir.path("err")).unwrap();
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{lines} lines; {said}"
        );
        thread::sleep(Duration::from_millis(20));
    }
}

fn append(dir: &Dir, text: &[u8]) {
    let mut options = OpenOptions::new();
    let mut file = options
        .create(true)
        .append(true)
        .open(dir.path("audit.log"))
        .unwrap();
    file.write_all(text).unwrap();
}

fn follow(dir: &Dir) -> Child {
    let errors = fs::File::create(dir.path("err")).unwrap();
    let arguments = [
        "logs",
        "seal",
        "--preset",
        "modsecurity",
        "--to",
        PUBLIC_KEY,
        "--follow",
        "audit.log",
        "--state",
        "state",
        "-o",
        "sealed",
    ];
    let mut command = dir.command(PQSEAL);
    command
        .args(arguments)
        .args(ALL)
        .stderr(errors)
        .spawn()
        .unwrap()
}

#[test]
fn a_log_is_sealed_as_it_grows() {
    let dir = Dir::new();
    let log = log("nginx");
    let lines: Vec<_> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let mut run = follow(&dir);
    append(&dir, lines[0]);
    wait_for_lines(&dir, "sealed", 1);
    // Half a line is neither sealed nor passed on.
    let (start, end) = lines[1].split_at(lines[1].len() / 2);
    append(&dir, start);
    thread::sleep(Duration::from_millis(400));
    assert_eq!(
        dir.read("sealed")
            .iter()
            .filter(|byte| **byte == b'\n')
            .count(),
        1
    );
    append(&dir, end);
    wait_for_lines(&dir, "sealed", 2);
    run.kill().unwrap();
    run.wait().unwrap();
    // While nothing follows it, the firewall dies in the middle of a line, and goes on.
    append(&dir, start);
    append(&dir, lines[2]);
    append(&dir, lines[0]);
    let mut run = follow(&dir);
    wait_for_lines(&dir, "sealed", 4);
    let stopped = std::process::Command::new("kill")
        .arg(run.id().to_string())
        .status();
    assert!(stopped.unwrap().success());
    assert!(run.wait().unwrap().success());
    let sealed = dir.read("sealed");
    assert!(!has(&sealed, b"etc/passwd") && !has(&sealed, b"<script>"));
    let opened = open(&dir, &["--strict"], &sealed).succeeds().out;
    assert!(opened == dir.read("audit.log"), "each line once");
}

#[test]
fn a_line_that_is_too_large_is_not_passed_on() {
    let dir = Dir::new();
    // As a run of `logs open` notes it that has begun to copy such a line.
    append(&dir, &[&[b'x'; 40][..], b"\n"].concat());
    let state = r#"{"follow":[{"in_line":true,"inode":0,"input":"audit.log","line":1,"mark":[3,"HASH"],"offset":3}],"output":0}"#;
    dir.write("state", state.replace("HASH", HASH_OF_XXX));
    let ran = dir.pqseal(&[
        "logs",
        "seal",
        "--preset",
        "modsecurity",
        "--to",
        PUBLIC_KEY,
        "--follow",
        "audit.log",
        "--state",
        "state",
    ]);
    assert_eq!(
        ran.fails(1, "record 1 of audit.log cannot be sealed (too_large)")
            .out(),
        ""
    );
}

/// The beginning of the SHA-256 of `xxx`.
const HASH_OF_XXX: &str = "cd2eb0837c9b4c96";
