//! Logs in bulk: nothing is lost, whatever comes in and whenever it ends.

use std::{
    fs,
    io::{Read, Write},
    process::Stdio,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::common::{Dir, PQSEAL, PUBLIC_KEY, events, open, stats};
use serde_json::Value;

fn lines(bytes: &[u8]) -> Vec<Value> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// Every counter, and that they add up.
#[track_caller]
fn accounted(stats: &Value) {
    let count = |name: &str| stats[name].as_u64().unwrap();
    let sum = ["opened", "already", "absent", "truncated", "failed"]
        .map(count)
        .iter()
        .sum::<u64>();
    assert_eq!(sum, count("records"), "{stats}");
    let by_code: u64 = stats["failed_by_code"]
        .as_object()
        .unwrap()
        .values()
        .map(|count| count.as_u64().unwrap())
        .sum();
    assert_eq!(by_code, count("failed"));
}

#[test]
fn what_was_sealed_opens_to_what_was_generated() {
    let dir = events(3000);
    let clear = lines(&dir.pqseal(&["logs", "generate", "3000"]).out);
    let ran = open(&dir, &dir.read("events.ndjson"), &[]);
    let (opened, found) = (lines(&ran.out), stats(&ran));
    accounted(&found);
    assert_eq!(
        (
            found["records"].as_u64(),
            found["failed"].as_u64(),
            opened.len()
        ),
        (Some(3000), Some(0), 3000)
    );
    for (clear, opened) in clear.iter().zip(&opened) {
        assert_eq!(
            clear["Metadata"]["matched_data"],
            opened["Metadata"]["decrypted_matched_data"]
        );
        assert_eq!(clear["RayID"], opened["RayID"]);
    }
    // What was opened once is left alone, byte for byte.
    let again = open(&dir, &ran.out, &[]);
    assert_eq!(again.out, ran.out);
    assert_eq!(stats(&again)["already"], found["opened"]);
    // Dropping leaves what sealing found but for the field's name.
    let dropped = open(
        &dir,
        &dir.read("events.ndjson"),
        &["--drop-encrypted", "-j", "3"],
    )
    .out;
    let text = String::from_utf8(dir.pqseal(&["logs", "generate", "3000"]).out).unwrap();
    let expected = text.replace("\"matched_data\":", "\"decrypted_matched_data\":");
    let expected = expected.replace(
        "\"encrypted_matched_data\":\"truncated\"",
        "\"encrypted_matched_data\":\"truncated\",\"decrypt_status\":\"truncated\"",
    );
    assert_eq!(String::from_utf8(dropped).unwrap(), expected);
}

/// Two fields of one object: each failure has a name of its own, which a second run replaces.
#[test]
fn fields_side_by_side_do_not_share_a_status() {
    let dir = Dir::new();
    let fields = ["--field", ".a", "--field", ".b"];
    let expected = "{\"a\":\"truncated\",\"decrypted_a_status\":\"truncated\",\"b\":\"?\",\"decrypted_b_status\":\"bad_base64\"}\n";
    let ran = open(&dir, b"{\"a\":\"truncated\",\"b\":\"?\"}\n", &fields);
    assert_eq!(String::from_utf8(ran.out).unwrap(), expected);
    let again = open(&dir, expected.as_bytes(), &fields);
    assert_eq!(String::from_utf8(again.out).unwrap(), expected);
}

/// Bytes that are not ours to touch, around a field that opens.
#[test]
fn everything_else_is_left_as_it_was() {
    let dir = Dir::new();
    let blob = String::from_utf8(dir.read("matched_data.txt"))
        .unwrap()
        .trim()
        .to_owned();
    let sealed = format!("\"encrypted_matched_data\":\"{blob}\"");
    let added = ",\"decrypted_matched_data\":\"test matched data\"";
    let cases = [
        (
            "{\"n\":1.0e+00,\"big\":123456789012345678901234567890,\"Metadata\":{",
            " , \"z\":-0 } }",
        ),
        (
            "{\"a\":1,\"a\":2,\"Metadata\":{\"encrypted_matched_data\":7,",
            "}}",
        ),
        (
            "{\"\\u004detadata\":0,\"Metadata\":{",
            "},\"t\":\"\\ud83d\\ude00 \\\"[{\"}\r",
        ),
        ("{\"ua\":\"\u{202e}\",\"Metadata\":{ ", "\t}}"),
    ];
    for (before, after) in cases {
        let ran = open(
            &dir,
            format!("{before}{sealed}{after}\n").as_bytes(),
            &["--preset", "auto"],
        );
        assert_eq!(
            ran.out(),
            format!("{before}{sealed}{added}{after}\n"),
            "{}",
            ran.err
        );
    }
    let invalid = [b"{\"ua\":\"\xff\",", sealed.as_bytes(), b"}\n"].concat();
    let expected = [
        b"{\"ua\":\"\xff\",",
        sealed.as_bytes(),
        added.as_bytes(),
        b"}\n",
    ]
    .concat();
    assert_eq!(open(&dir, &invalid, &[]).out, expected);
    // The dashboard's shape, pretty-printed, and an array without line breaks.
    for (before, between) in [
        ("[\n  {\"metadata\": [\n    ", " ,\n "),
        ("[{\"metadata\":[", ","),
    ] {
        let pair = format!("{{\"key\": \"encrypted_matched_data\", \"value\": \"{blob}\"}}");
        let other = "{\"key\":\"other\",\"value\":null}";
        let input = format!("{before}{pair}{between}{other}]}}{between}{{}}]");
        let opened = format!(
            "{before}{pair},{{\"key\":\"decrypted_matched_data\",\"value\":\"test matched data\"}}{between}{other}]}}{between}{{}}]"
        );
        let ran = open(&dir, input.as_bytes(), &["--preset", "cf-events"]);
        assert_eq!(
            (ran.out(), stats(&ran)["records"].as_u64()),
            (opened.as_str(), Some(2))
        );
    }
}

#[test]
#[cfg(unix)]
fn bad_input_passes_and_is_counted() {
    let dir = Dir::new();
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let deep_field = format!(
        "{{\"a\":{},\"encrypted_matched_data\":\"Bmnf\"}}",
        deep(10_000)
    );
    let bad: [(&str, &str); 9] = [
        ("not json", "bad_json"),
        ("{\"a\":\"\0\"}", "bad_json"),
        ("{\"a\":1,}", "bad_json"),
        ("{\"a\":01}", "bad_json"),
        ("{\"encrypted_matched_data\":{\"x\":1}}", "not_a_string"),
        ("{\"encrypted_matched_data\":\"A*\"}", "bad_base64"),
        ("{\"encrypted_matched_data\":\"\\ud800\"}", "bad_string"),
        ("{\"encrypted_matched_data\":\"BGnf\"}", "bad_length"),
        (&deep_field, "unsupported_version"),
    ];
    for (line, code) in bad {
        let ran = open(
            &dir,
            format!("\n{line}\n{{}}").as_bytes(),
            &["--dead-letter", "dead", "--strict"],
        );
        assert_eq!(
            (ran.code, stats(&ran)["failed_by_code"][code].as_u64()),
            (Some(1), Some(1)),
            "{line:.60} {}",
            ran.err
        );
        assert!(
            ran.out()
                .starts_with(&format!("\n{}", line.trim_end_matches('}')))
                && ran.out().ends_with("\n{}")
        );
        let letters = lines(&dir.read("dead"));
        let letter = letters.last().unwrap();
        assert_eq!(
            (&letter["code"], letter["line"].as_u64(), &letter["source"]),
            (&Value::from(code), Some(2), &Value::from("standard input"))
        );
        accounted(&stats(&ran));
    }
    let hopeless = deep(1 << 17);
    let ran = open(
        &dir,
        (hopeless.clone() + "\n").as_bytes(),
        &["--input-format", "ndjson"],
    );
    assert_eq!(
        (ran.out(), &stats(&ran)["failed_by_code"]["bad_json"]),
        ((hopeless + "\n").as_str(), &Value::from(1))
    );
    assert_eq!(open(&dir, b"", &["--strict"]).code, Some(0));
    assert_eq!(open(&dir, b"x\ny\n", &["--max-errors", "2"]).code, Some(0));
    assert_eq!(
        open(&dir, b"x\ny\nz\n", &["--max-errors", "2"]).code,
        Some(1)
    );
    // What opens to line breaks, quotes and escapes is still one line of JSON.
    let nasty = "a\r\nb\"\\\u{1b}[2J\u{0}é";
    let line = serde_json::json!({ "Metadata": { "matched_data": nasty } }).to_string();
    dir.write("nasty", &line);
    let sealed = dir
        .shell(&format!("pqseal logs seal --to {PUBLIC_KEY} nasty"))
        .succeeds();
    let opened = open(&dir, &sealed.out, &[]).out;
    assert_eq!(
        lines(&opened)[0]["Metadata"]["decrypted_matched_data"],
        nasty
    );
    dir.write("opened", &opened);
    assert_eq!(
        dir.shell("jq -j .Metadata.decrypted_matched_data opened")
            .succeeds()
            .out,
        nasty.as_bytes()
    );
}

/// A line beyond the limit passes in pieces, and a bomb of them in bounded memory.
#[test]
#[cfg(unix)]
fn memory_is_bounded() {
    let dir = Dir::new();
    let make = "(echo '{}'; head -c 67108864 /dev/zero | tr '\\0' x; echo; head -c 400000000 /dev/zero) | gzip -1 > bomb.gz";
    dir.shell(make).succeeds();
    let mut child = dir.command(PQSEAL);
    child.args([
        "logs",
        "open",
        "-k",
        "key.txt",
        "--stats",
        "json",
        "--max-line",
        "1000000",
        "bomb.gz",
    ]);
    let mut child = child.spawn().unwrap();
    let (mut out, mut total, mut peak) = (child.stdout.take().unwrap(), 0, 0);
    let mut buffer = vec![0; 1 << 20];
    loop {
        match out.read(&mut buffer).unwrap() {
            0 => break,
            read => total += read,
        }
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let high = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = high.map_or(peak, |high| {
            high.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
        });
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(total, 3 + 67_108_865 + 400_000_000);
    assert!(peak < 100_000, "{peak} kB");
}

#[test]
#[cfg(unix)]
fn files_and_folders_and_what_lies_beside_logs() {
    let dir = events(300);
    dir.shell("mkdir -p in/b && head -n 100 events.ndjson | gzip > in/a.log.gz && (head -n 200 events.ndjson | tail -n 100 | gzip; tail -n 100 events.ndjson | gzip) > in/b/two.gz && zstd -q events.ndjson -o in/c.zst && : > in/empty.gz && echo hello > in/test.txt.gz && echo token > in/ownership-challenge-1.txt").succeeds();
    let ran = open(&dir, b"", &["in", "-o", "out", "--strict"]);
    assert_eq!(
        (ran.code, stats(&ran)["records"].as_u64()),
        (Some(0), Some(600)),
        "{}",
        ran.err
    );
    let whole = open(&dir, &dir.read("events.ndjson"), &[]).out;
    dir.shell("(zcat out/a.log.gz out/b/two.gz) > two && zstd -dcq out/c.zst > three && cmp out/test.txt.gz in/test.txt.gz && cmp out/ownership-challenge-1.txt in/ownership-challenge-1.txt && test ! -s out/empty.gz").succeeds();
    assert_eq!((dir.read("two"), dir.read("three")), (whole.clone(), whole));
    assert_eq!(dir.mode("out/a.log.gz"), 0o600);
    // Done files are left out; a file that changed, or other options, are not.
    assert_eq!(stats(&open(&dir, b"", &["in", "-o", "out"]))["records"], 0);
    dir.shell("head -n 10 events.ndjson > in/a.log.gz")
        .succeeds();
    assert_eq!(stats(&open(&dir, b"", &["in", "-o", "out"]))["records"], 10);
    assert_eq!(
        stats(&open(&dir, b"", &["in", "-o", "out", "--as", "json"]))["records"],
        510
    );
    // Shares are disjoint and whole.
    let share = |share| {
        stats(&open(&dir, b"", &["in", "-o", share, "--shard", share]))["records"]
            .as_u64()
            .unwrap()
    };
    dir.shell("mkdir 1 2 3").succeeds();
    assert_eq!(["1/3", "2/3", "3/3"].map(share).iter().sum::<u64>(), 510);
    open(&dir, b"", &["in/a.log.gz", "in", "-o", "x"]).fails(
        2,
        "in/a.log.gz and in/a.log.gz would both become x/a.log.gz",
    );
}

/// What a run notes must not change from release to release, or every file is done again. The value
/// is the beginning of SHA-256 of the text in `cmd/logs/open.rs`.
#[test]
#[cfg(unix)]
fn the_state_of_a_folder_is_the_same_in_every_release() {
    let dir = Dir::new();
    dir.shell("mkdir in && echo '{}' > in/a.log").succeeds();
    let options = |arguments: &[&str]| {
        let ran = open(&dir, b"", &[&["in", "-o", "out"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let state = lines(&dir.read("out/.pqseal-logs"));
        state.last().unwrap()["options"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(options(&[]), "bb1840691075df54");
    assert_eq!(
        options(&["--preset", "cf-events", "--info", "ü", "--replace"]),
        "9919e167b2053774"
    );
    assert_eq!(
        options(&[
            "--field",
            ".a.\"b.c\"[]",
            "--into",
            "x",
            "--aad-from",
            "/id",
            "--replace"
        ]),
        "20d140925ef18500"
    );
    // Experimental algorithms change what opens.
    assert_ne!(options(&["--allow-experimental"]), options(&[]));
}

/// Killed at any moment, and run again: the outputs are those of one run.
#[test]
#[cfg(unix)]
fn a_killed_run_continues() {
    let dir = events(4000);
    dir.shell("mkdir in && split -l 500 --additional-suffix=.log events.ndjson in/ && gzip in/*")
        .succeeds();
    open(&dir, b"", &["in", "-o", "expected"]);
    // Other moments in each run.
    let nanoseconds = || {
        u64::from(
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap()
                .subsec_nanos(),
        )
    };
    for milliseconds in [20, 60, 150, 300, 600].map(|about| about / 2 + nanoseconds() % about) {
        let mut child = dir.command(PQSEAL);
        child
            .args(["logs", "open", "-k", "key.txt", "in", "-o", "killed"])
            .stderr(Stdio::null());
        let mut child = child.spawn().unwrap();
        thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        child.wait().unwrap();
        for name in fs::read_dir(dir.path("killed"))
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name())
        {
            let name = name.to_str().unwrap();
            if !name.starts_with('.') {
                assert_eq!(
                    dir.read(&format!("killed/{name}")),
                    dir.read(&format!("expected/{name}")),
                    "a half file"
                );
            }
        }
    }
    // As if one had been killed while it wrote. On a slow machine each was killed before it made the
    // folder.
    dir.shell(
        "mkdir -p killed && rm -f killed/ah.log.gz && head -c 100 expected/aa.log.gz > killed/.pqseal-abcdef.tmp",
    )
    .succeeds();
    assert_eq!(open(&dir, b"", &["in", "-o", "killed"]).code, Some(0));
    dir.shell("rm killed/.pqseal-logs expected/.pqseal-logs && diff -r killed expected")
        .succeeds();
}

#[test]
#[cfg(unix)]
fn failures_of_the_system_are_reported() {
    let dir = events(200);
    let full = dir.shell("pqseal logs open -k key.txt events.ndjson > /dev/full");
    assert_eq!(
        (full.code, full.err.contains("no space left")),
        (Some(3), true),
        "{}",
        full.err
    );
    let gone = dir
        .shell("cat events.ndjson events.ndjson events.ndjson | pqseal logs open -k key.txt | head -n 1 > /dev/null");
    gone.succeeds();
    open(&dir, b"", &["missing"]).fails(1, "cannot read missing: no such file or directory");
    dir.shell("gzip -k events.ndjson && head -c 3000 events.ndjson.gz > cut.gz && mkdir cut && cp cut.gz cut/")
        .succeeds();
    open(&dir, b"", &["cut", "-o", "out"]).fails(1, "cannot read cut/cut.gz");
    assert_eq!(dir.shell("ls -A out").succeeds().out(), "", "a half file");
    open(&dir, b"", &["cut"]).fails(2, "cut is a folder");
    let vault = |command: &str| {
        dir.shell(&format!(
            "pqseal logs open --key-command '{command}' events.ndjson"
        ))
    };
    vault("exit 3").fails(3, "the command ended with exit status: 3");
    vault("no-such-vault").fails(3, "the command ended with exit status: 127");
    vault("true").fails(3, "it holds no key");
    vault("head -c 70000 /dev/zero").fails(3, "larger than 64 KiB");
    vault("kill -9 $$").fails(3, "signal: 9");
    let sealed = dir.run(
        PQSEAL,
        &["logs", "seal", "--to", PUBLIC_KEY],
        b"{}\nnot json, and secret\n",
    );
    assert_eq!(
        (sealed.code, sealed.out()),
        (Some(1), ""),
        "a record that is not sealed must not pass"
    );
}

/// Files that cannot be read or written to their end: the run says which, and leaves no half of
/// one.
#[test]
#[cfg(unix)]
fn failures_of_files_leave_no_halves() {
    let dir = events(3000);
    // It can be opened, and not be read: not even by root.
    open(&dir, b"", &["/proc/self/mem"]).fails(1, "cannot read /proc/self/mem: input/output error");
    dir.shell("mkdir in && ln -s /proc/self/mem in/b && cp events.ndjson in/a")
        .succeeds();
    open(&dir, b"", &["in", "-o", "out"]).fails(1, "cannot read in/b: input/output error");
    assert_eq!(dir.shell("ls -A out").succeeds().out(), ".pqseal-logs\na\n");
    // No place beyond 512 KiB, which needs no disk of its own to be full.
    let limited = "trap '' XFSZ; ulimit -f 1024; pqseal logs open -k key.txt";
    dir.shell(&format!("{limited} in/a -o full/"))
        .fails(1, "cannot write full/a: file too large");
    assert_eq!(dir.shell("ls -A full").succeeds().out(), "");
    dir.shell(&format!("{limited} in/a > half"))
        .fails(3, "cannot write standard output: file too large");
    dir.shell("pqseal logs open -k key.txt --prometheus /dev/full in/a > opened")
        .fails(3, "no space left");
    dir.write("bad", "no json\n");
    dir.shell("pqseal logs open -k key.txt --dead-letter /dev/full bad > opened")
        .fails(3, "cannot write the dead letters");
    dir.shell("pqseal logs open -k key.txt --state /dev/full -o state/ bad")
        .fails(3, "it is not a file");
    dir.shell("pqseal logs generate 100000 > /dev/full")
        .fails(3, "no space left");
    let seal = format!("pqseal logs seal --to {PUBLIC_KEY} < events.ndjson > /dev/full");
    dir.shell(&seal).fails(3, "no space left");
    dir.shell("pqseal logs generate 100000 | head -n 1 > /dev/null")
        .succeeds();
}

/// What a program that waits for each answer needs.
#[test]
fn each_line_is_answered_at_once() {
    let dir = events(3);
    let mut child = dir.command(PQSEAL);
    child
        .args(["logs", "open", "-k", "key.txt", "--line-buffered"])
        .stdin(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for line in dir
        .read("events.ndjson")
        .split_inclusive(|byte| *byte == b'\n')
    {
        stdin.write_all(line).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\n") {
            let mut byte = [0];
            stdout.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        assert_eq!(lines(&answer)[0]["RayID"], lines(line)[0]["RayID"]);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
#[cfg(unix)]
fn version_4_is_bound_to_its_record() {
    let dir = Dir::new();
    let make = "pqseal keygen -o hybrid.key > hybrid.pub 2> /dev/null && pqseal logs generate 200 | pqseal logs seal --to hybrid.pub --aad-from .RayID --info zone > sealed";
    dir.shell(make).succeeds();
    let open =
        |arguments: &str| dir.shell(&format!("pqseal logs open --stats json {arguments} sealed"));
    let good = open("-k key.txt -k hybrid.key --aad-from .RayID --info zone --strict");
    assert_eq!(
        (good.code, stats(&good)["failed"].as_u64()),
        (Some(0), Some(0))
    );
    for wrong in [
        "-k hybrid.key --aad-from .RuleID --info zone",
        "-k hybrid.key --info zone",
        "-k hybrid.key --aad-from .RayID",
    ] {
        let found = stats(&open(wrong));
        assert_eq!(
            (
                found["opened"].as_u64(),
                found["failed_by_code"]["altered"] == found["failed"]
            ),
            (Some(0), true)
        );
    }
    assert_eq!(
        stats(&open("-k key.txt --aad-from .RayID"))["failed_by_code"]["no_key_with_id"],
        stats(&good)["opened"]
    );
}

#[test]
#[cfg(unix)]
fn keys_come_several_a_file_from_commands_and_from_standard_input() {
    let dir = events(50);
    dir.shell("(echo '# zone a, until May'; pqseal keygen --kem x25519 --form line -o a.key > /dev/null 2>&1; cat a.key; echo; echo \"$(cat key.txt) # zone b\") > ring && chmod 600 ring").succeeds();
    for way in [
        "-k ring events.ndjson",
        "--key-command 'cat ring' events.ndjson",
        "-k - events.ndjson < ring",
    ] {
        let ran = dir.shell(&format!("pqseal logs open --strict --stats json {way}"));
        assert_eq!(
            (
                ran.code,
                stats(&ran)["opened_by_key"].as_object().unwrap().len()
            ),
            (Some(0), 1),
            "{}",
            ran.err
        );
    }
}

#[test]
#[cfg(unix)]
fn nothing_passes_in_the_clear_since_its_name_is_taken() {
    let dir = Dir::new();
    let record = r#"{"Metadata":{"matched_data":"secret","encrypted_matched_data":"x"}}"#;
    dir.write("taken", record.as_bytes());
    dir.write("taken.csv", b"payload,encrypted_payload\nsecret,x\n");
    dir.write("sealed.csv", b"payload,encrypted_payload\n,x\n");
    for file in ["taken", "--field payload taken.csv"] {
        let ran = dir.shell(&format!("pqseal logs seal --to {PUBLIC_KEY} {file}"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(
            !ran.out().contains("secret") && ran.err.contains("already_there"),
            "{}",
            ran.err
        );
    }
    // What was sealed before is in nobody's way.
    assert_eq!(
        dir.shell(&format!(
            "pqseal logs seal --to {PUBLIC_KEY} --field payload sealed.csv"
        ))
        .out,
        dir.read("sealed.csv")
    );
    dir.write("clear", b"{\"Metadata\":{\"matched_data\":\"secret\"}}\n");
    dir.shell(&format!("pqseal logs seal --to {PUBLIC_KEY} clear > once"))
        .succeeds();
    assert_eq!(
        dir.shell(&format!("pqseal logs seal --to {PUBLIC_KEY} once"))
            .out,
        dir.read("once")
    );
}

/// A Parquet file `name` of two texts a row.
#[cfg(target_endian = "little")]
fn parquet(dir: &Dir, name: &str, columns: [&str; 2], rows: &[[&str; 2]]) {
    use parquet::{
        data_type::ByteArrayType, file::writer::SerializedFileWriter,
        schema::parser::parse_message_type,
    };
    let column = |name| format!("required binary {name} (STRING);");
    let schema = format!("message events {{ {} }}", columns.map(column).concat());
    let file = fs::File::create(dir.path(name)).unwrap();
    let schema = parse_message_type(&schema).unwrap().into();
    let mut writer = SerializedFileWriter::new(file, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for n in 0..2 {
        let texts: Vec<_> = rows.iter().map(|row| row[n].into()).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&texts, None, None)
            .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

/// The rows of a Parquet file, as text.
#[cfg(target_endian = "little")]
fn parquet_rows(dir: &Dir, name: &str) -> Vec<String> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(fs::File::open(dir.path(name)).unwrap()).unwrap();
    reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().to_string())
        .collect()
}

#[test]
#[cfg(target_endian = "big")]
fn parquet_is_refused_on_big_endian_processors() {
    let dir = Dir::new();
    dir.write("file", b"PAR1 PAR1");
    let arguments = ["file", "-o", "out", "--input-format", "parquet"];
    open(&dir, b"", &arguments).fails(1, "Parquet is not supported on big-endian processors");
}

#[test]
#[cfg(all(unix, target_endian = "little"))]
fn parquet_comes_out_as_parquet() {
    let dir = Dir::new();
    parquet(
        &dir,
        "clear",
        ["RayID", "payload"],
        &[["a", "GET /"], ["b", ""]],
    );
    let seal = format!(
        "pqseal logs seal --to {PUBLIC_KEY} --field payload --aad-from RayID clear > sealed"
    );
    dir.shell(&seal).succeeds();
    assert!(
        !String::from_utf8_lossy(&dir.read("sealed")).contains("GET /"),
        "in the clear"
    );
    let arguments = [
        "--field",
        "encrypted_payload",
        "--aad-from",
        "RayID",
        "--drop-encrypted",
    ];
    let ran = open(
        &dir,
        b"",
        &[&arguments[..], &["sealed", "-o", "out/"]].concat(),
    );
    assert_eq!(
        (ran.code, stats(&ran)["opened"].as_u64()),
        (Some(0), Some(1)),
        "{}",
        ran.err
    );
    accounted(&stats(&ran));
    let expected = |id, result, status| {
        format!(
            "{{RayID: \"{id}\", payload: \"\", encrypted_payload: null, decrypted_payload: {result}, decrypt_status: \"{status}\"}}"
        )
    };
    assert_eq!(
        parquet_rows(&dir, "out/sealed"),
        [
            expected("a", "\"GET /\"", "opened"),
            expected("b", "null", "absent")
        ]
    );
    assert_eq!(dir.mode("out/sealed"), 0o600);
    let ran = open(&dir, b"", &[&arguments[..], &["sealed"]].concat());
    assert!(
        ran.out == dir.read("out/sealed"),
        "standard output has the same"
    );
    assert_eq!(
        stats(&open(&dir, b"", &["sealed", "-o", "auto/"]))["absent"],
        2
    );
    // What cannot be: a stream, two at once, half a file, columns that are not there to seal.
    for format in ["auto", "parquet"] {
        open(&dir, &dir.read("sealed"), &["--input-format", format])
            .fails(2, "standard input: Parquet is read from its end");
    }
    dir.shell("gzip -k sealed").succeeds();
    open(&dir, b"", &["sealed.gz"]).fails(2, "if the whole file is compressed");
    open(&dir, b"", &["sealed", "clear"])
        .fails(2, "several tables cannot be written to one stream");
    dir.write("half", &dir.read("sealed")[..200]);
    open(&dir, b"", &["half", "-o", "out"])
        .fails(1, "cannot read half: it is not a complete Parquet file");
    open(
        &dir,
        b"",
        &["key.txt", "-o", "out", "--input-format", "parquet"],
    )
    .fails(1, "not a complete Parquet file");
    let none = dir.shell(&format!(
        "pqseal logs seal --to {PUBLIC_KEY} --field paylod clear"
    ));
    assert_eq!((none.code, none.out.len()), (Some(1), 0), "{}", none.err);
    assert!(
        dir.shell("pqseal logs open -k key.txt --field encrypted_payload sealed > /dev/full")
            .err
            .contains("no space left")
    );
}

#[test]
#[cfg(unix)]
fn labels_name_keys_in_every_report() {
    let dir = events(50);
    let other = dir
        .pqseal(&["keygen", "--kem", "x25519", "--form", "raw"])
        .out;
    let ring = [
        b"# a \\ \"b\" \x1b[2J\n" as &[u8],
        &other,
        b"\n",
        dir.read("key.txt").trim_ascii(),
        b" # zone b",
    ]
    .concat();
    dir.write("ring", &ring);
    let [id_a, id_b] = [&other, &dir.read("key.txt")].map(|key| {
        let ran = dir.run(PQSEAL, &["pubkey", "--fingerprint", "-"], key);
        ran.out().split_whitespace().last().unwrap().to_owned()
    });
    dir.chmod("ring", 0o600);
    let flags = "-k ring --prometheus metrics --dead-letter dead";
    let json = dir.shell(&format!(
        "pqseal logs open --stats json {flags} events.ndjson"
    ));
    let labels = serde_json::json!({ &id_a: "a \\ \"b\" \u{1b}[2J", &id_b: "zone b" });
    assert_eq!(stats(&json)["key_labels"], labels, "{}", json.err);
    assert!(stats(&json)["opened_by_key"][&id_b].as_u64().unwrap() > 40);
    let metrics = String::from_utf8(dir.read("metrics")).unwrap();
    assert!(
        metrics.contains(&format!("{{key_id=\"{id_b}\",label=\"zone b\"}} ")),
        "{metrics}"
    );
    let text = dir.shell(&format!(
        "pqseal logs open --stats text {flags} events.ndjson"
    ));
    assert!(
        text.err.contains(&format!(" by {id_b} (zone b)")),
        "{}",
        text.err
    );
    // What the first key sealed, in counters that a scraper and a terminal read, and a blob that
    // neither key opens.
    dir.write("a.key", &other);
    dir.chmod("a.key", 0o600);
    let seal = "pqseal keygen --kem x25519 -o stranger > stranger.pub 2> /dev/null && echo '{\"Metadata\":{\"matched_data\":\"x\"}}' > clear \
        && (pqseal logs seal --to \"$(pqseal pubkey a.key)\" clear; pqseal logs seal --to stranger.pub clear) > sealed";
    dir.shell(seal).succeeds();
    let text = dir.shell(&format!("pqseal logs open --stats text {flags} sealed"));
    assert!(
        text.err
            .contains(&format!("1 by {id_a} (a \\ \"b\" \\x1b[2J)")),
        "{}",
        text.err
    );
    let metrics = String::from_utf8(dir.read("metrics")).unwrap();
    assert!(
        metrics.contains(&format!(
            "{{key_id=\"{id_a}\",label=\"a \\\\ \\\"b\\\" \x1b[2J\"}} 1\n"
        )),
        "{metrics}"
    );
    let letter = lines(&dir.read("dead")).pop().unwrap();
    assert_eq!(letter["key_ids_tried"], serde_json::json!([id_a, id_b]));
    assert_eq!(
        letter["key_labels_tried"],
        serde_json::json!(["a \\ \"b\" \u{1b}[2J", "zone b"])
    );
}
