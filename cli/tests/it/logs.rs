//! Logs in bulk: nothing is lost, for any input and any end.

use std::{
    fs,
    io::Read,
    process::Stdio,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

#[cfg(unix)]
use crate::common::each_fails;
use crate::common::{Dir, PQSEAL, PUBLIC_KEY, events, open, stats};

#[test]
fn what_was_sealed_opens_to_what_was_generated() {
    let dir = events(3000);
    let ran = open(&dir, &dir.read("events.ndjson"), &[]);
    let found = stats(&ran);
    assert_eq!(
        (&found["records"], &found["failed"]),
        (&json!(3000), &json!(0))
    );
    // A record that was opened before is not changed, byte for byte.
    let again = open(&dir, &ran.out, &[]);
    assert!(again.out == ran.out);
    assert_eq!(stats(&again)["already"], found["opened"]);
    // Dropping restores the input of sealing, except for the field's name.
    let dropped = open(&dir, b"", &["events.ndjson", "--drop-encrypted", "-j", "3"]);
    let text = dir.words("logs generate 3000").out().to_owned();
    let expected = text.replace("\"matched_data\":", "\"decrypted_matched_data\":");
    let expected = expected.replace(
        "\"encrypted_matched_data\":\"truncated\"",
        "\"encrypted_matched_data\":\"truncated\",\"decrypt_status\":\"truncated\"",
    );
    assert!(dropped.out() == expected);
}

/// Anyone who writes logs can put a result beside a field, also where another field opens.
#[test]
fn results_that_records_bring_are_counted_and_replaced() {
    let dir = Dir::new();
    let blob = dir.blob();
    let forged = format!(r#""encrypted_matched_data":"{blob}","decrypted_matched_data":"forged""#);
    let other = format!(r#""a":{{"encrypted_matched_data":"{blob}"}}"#);
    dir.write(
        "log",
        format!("{{{forged}}}\n{{{other},\"b\":{{{forged}}}}}\n"),
    );
    let skipped = dir.words("logs open -k key.txt --prometheus m.prom log");
    let sentence = "1 opened, 1 opened before, 0 without a sealed field, 0 truncated by the edge, 0 failed; 2 came with a result, which was not checked; open them with --again";
    assert_eq!(skipped.code, Some(0));
    assert!(skipped.err.contains(sentence), "{}", skipped.err);
    assert_eq!(skipped.out().matches("forged").count(), 2);
    let metrics = String::from_utf8(dir.read("m.prom")).unwrap();
    assert!(
        metrics.contains("pqseal_records_with_result_total 2\n"),
        "{metrics}"
    );
    let again = open(&dir, b"", &["--again", "log"]);
    let found = stats(&again);
    assert_eq!(
        ["opened", "already", "with_result"].map(|name| found[name].clone()),
        [2, 0, 2].map(|count| json!(count))
    );
    assert!(!again.out().contains("forged"), "{}", again.out());
    assert_eq!(again.out().matches("/cms/%0Aadmin").count(), 3);
}

/// Outputs that are written at the end of a run are checked before it.
#[test]
fn outputs_are_checked_before_the_run() {
    let dir = Dir::new();
    dir.write("log", "{\"a\":1}\n");
    fs::create_dir(dir.path("folder")).unwrap();
    for line in [
        "open -k key.txt --prometheus no/such.prom",
        "open -k key.txt --prometheus folder",
        "open -k key.txt --failed-list no/such.list",
        "open -k key.txt --failed-list folder",
        "open -k key.txt --dead-letter no/such.letters",
    ] {
        dir.words(&format!("logs {line} log"))
            .fails(3, "cannot write");
    }
    let seal = format!("logs seal --to {PUBLIC_KEY} --field .a --failed-list no/such.list log");
    dir.words(&seal).fails(3, "cannot write");
}

/// A line beyond the limit passes in pieces, and zeros are left out, all in bounded memory.
#[test]
#[cfg(unix)]
fn memory_is_bounded() {
    let dir = Dir::new();
    let make = "(echo '{}'; head -c 67108864 /dev/zero | tr '\\0' x; echo; head -c 150000000 /dev/zero) | gzip -1 > bomb.gz";
    dir.shell(make).succeeds();
    let mut child = dir.command(PQSEAL);
    let line = "logs open -k key.txt --stats json --max-line 1000000 bomb.gz";
    child.args(line.split(' '));
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
        let kib = |high: &str| high.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
        peak = high.map_or(peak, kib);
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(total, 3 + 67_108_865);
    assert!(peak < 100_000, "{peak} kB");
}

#[test]
#[cfg(unix)]
fn files_and_folders_and_what_lies_beside_logs() {
    let dir = events(300);
    dir.shell("mkdir -p in/b && head -n 100 events.ndjson | gzip > in/a.log.gz && (head -n 200 events.ndjson | tail -n 100 | gzip; tail -n 100 events.ndjson | gzip) > in/b/two.gz && zstd -q events.ndjson -o in/c.zst && : > in/empty.gz && echo hello > in/test.txt.gz && echo token > in/ownership-challenge-1.txt").succeeds();
    let records = |arguments: &[&str]| {
        let ran = open(&dir, b"", &[&["in"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        stats(&ran)["records"].as_u64().unwrap()
    };
    assert_eq!(records(&["-o", "out", "--strict"]), 600);
    dir.shell("pqseal logs open -k key.txt events.ndjson > whole && (zcat out/a.log.gz out/b/two.gz) | cmp - whole && zstd -dcq out/c.zst | cmp - whole && cmp out/test.txt.gz in/test.txt.gz && cmp out/ownership-challenge-1.txt in/ownership-challenge-1.txt && test ! -s out/empty.gz").succeeds();
    assert_eq!(dir.mode("out/a.log.gz"), 0o600);
    // Done files are left out; a file that changed, or other options, are not.
    assert_eq!(records(&["-o", "out"]), 0);
    dir.shell("head -n 10 events.ndjson > in/a.log.gz")
        .succeeds();
    assert_eq!(records(&["-o", "out"]), 10);
    assert_eq!(records(&["-o", "out", "--as", "json"]), 510);
    // Shares are disjoint and whole.
    dir.shell("mkdir 1 2 3").succeeds();
    let shares = ["1/3", "2/3", "3/3"].map(|share| records(&["-o", share, "--shard", share]));
    assert_eq!(shares.iter().sum::<u64>(), 510);
    open(&dir, b"", &["in/a.log.gz", "in", "-o", "x"]).fails(
        2,
        "in/a.log.gz and in/a.log.gz would both become x/a.log.gz",
    );
}

/// A saved state must not change from release to release; otherwise every file is processed again.
/// The value is the beginning of SHA-256 of the text of `RecordOpenOptions::canonical`.
#[test]
#[cfg(unix)]
fn the_state_of_a_folder_is_the_same_in_every_release() {
    let dir = Dir::new();
    dir.shell("mkdir in && echo '{}' > in/a.log").succeeds();
    let options = |arguments: &str| {
        let line = format!("logs open -k key.txt in -o out {arguments}");
        assert_eq!(dir.words(&line).code, Some(0), "{arguments}");
        let state = String::from_utf8(dir.read("out/.pqseal-logs")).unwrap();
        let last: Value = serde_json::from_str(state.lines().last().unwrap()).unwrap();
        last["options"].as_str().unwrap().to_owned()
    };
    for (arguments, hash) in [
        ("", "03e871250e290034"),
        ("--preset cf-events --info ü --replace", "c4097d794f67e47b"),
        (
            "--field .a.\"b.c\"[] --into x --aad-from /id --replace",
            "4fd3785e448c4879",
        ),
    ] {
        assert_eq!(options(arguments), hash, "{arguments}");
    }
    // Experimental algorithms change what opens.
    assert_ne!(options("--allow-experimental"), options(""));
}

/// After a kill at any moment and another run, the outputs are those of one run.
#[test]
#[cfg(unix)]
fn a_killed_run_continues() {
    let dir = events(4000);
    dir.shell("mkdir in && split -l 500 --additional-suffix=.log events.ndjson in/ && gzip in/*")
        .succeeds();
    open(&dir, b"", &["in", "-o", "expected"]);
    // The moments differ in each run.
    let nanoseconds = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        u64::from(now.subsec_nanos())
    };
    for milliseconds in [20, 60, 150, 300, 600].map(|about| about / 2 + nanoseconds() % about) {
        let mut child = dir.command(PQSEAL);
        child
            .args("logs open -k key.txt in -o killed".split(' '))
            .stderr(Stdio::null());
        let mut child = child.spawn().unwrap();
        thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        child.wait().unwrap();
        let written = fs::read_dir(dir.path("killed")).into_iter().flatten();
        for name in written.map(|entry| entry.unwrap().file_name()) {
            let name = name.to_str().unwrap();
            if !name.starts_with('.') {
                let [killed, expected] =
                    ["killed", "expected"].map(|folder| dir.read(&format!("{folder}/{name}")));
                assert!(killed == expected, "a half file");
            }
        }
    }
    // This simulates a killed run. On a slow machine each was killed before it made the folder.
    dir.shell(
        "mkdir -p killed && rm -f killed/ah.log.gz && head -c 100 expected/aa.log.gz > killed/.pqseal-abcdef.tmp",
    )
    .succeeds();
    assert_eq!(open(&dir, b"", &["in", "-o", "killed"]).code, Some(0));
    dir.shell("rm killed/.pqseal-logs expected/.pqseal-logs && diff -r killed expected")
        .succeeds();
}

/// An error of the system names the file, and leaves no partial output.
#[test]
#[cfg(unix)]
fn failures_of_the_system_leave_no_halves() {
    let dir = events(3000);
    let make = "head -n 200 events.ndjson | gzip | head -c 3000 > cut.gz; mkdir cut in && cp cut.gz cut/; \
                ln -s /proc/self/mem in/b && cp events.ndjson in/a; echo 'no json' > bad";
    dir.shell(make).succeeds();
    let lines = [
        "missing => cannot read missing: no such file or directory",
        // It can be opened, and not be read: not even by root.
        "/proc/self/mem => cannot read /proc/self/mem: input/output error",
        "cut -o out.cut => cannot read cut/cut.gz",
        "in -o out => cannot read in/b: input/output error",
    ];
    each_fails(&dir, "pqseal logs open -k key.txt", 1, &lines);
    dir.words("logs open -k key.txt cut")
        .fails(2, "cut is a folder");
    let lines = [
        "in/a > /dev/full => no space left",
        "--prometheus /dev/full in/a > opened => no space left",
        "--prometheus no/such/file in/a > opened; code=$?; test -s opened || exit $code => cannot write no/such/file",
        "--dead-letter /dev/full bad > opened => cannot write the dead letters",
        "--state /dev/full -o state/ bad => it is not a file",
    ];
    each_fails(&dir, "pqseal logs open -k key.txt", 3, &lines);
    // No file larger than 512 KiB, which simulates a full disk.
    let limited = "trap '' XFSZ; ulimit -f 1024; pqseal logs open -k key.txt in/a";
    dir.shell(&format!("{limited} -o full/"))
        .fails(1, "cannot write full/a: file too large");
    dir.shell(&format!("{limited} > half"))
        .fails(3, "cannot write standard output: file too large");
    let left = dir.shell("ls -A out.cut full; ls -A out").succeeds();
    assert_eq!(left.out(), "full:\n\nout.cut:\n.pqseal-logs\na\n");
    let lines = [
        "'exit 3' => the command ended with exit status: 3",
        "no-such-vault => the command ended with exit status: 127",
        "true => it holds no key",
        "'head -c 70000 /dev/zero' => larger than 64 KiB",
        "'kill -9 $$' => signal: 9",
    ];
    each_fails(&dir, "pqseal logs open bad --key-command", 3, &lines);
    for command in [
        "generate 100000",
        &format!("seal --to {PUBLIC_KEY} events.ndjson"),
    ] {
        dir.shell(&format!("pqseal logs {command} > /dev/full"))
            .fails(3, "no space left");
    }
    // A record that is not sealed must not pass.
    let sealed = dir.feed(
        &format!("logs seal --to {PUBLIC_KEY}"),
        b"{}\nnot json, and secret\n",
    );
    assert_eq!((sealed.code, sealed.out()), (Some(1), ""));
}

#[test]
#[cfg(unix)]
fn keys_come_several_a_file_from_commands_and_from_standard_input() {
    let dir = events(50);
    dir.shell("(echo '# zone a, until May'; pqseal keygen --kem x25519 --form line -o a.key > /dev/null 2>&1; cat a.key; echo; echo \"$(cat key.txt) # zone b\") > ring && chmod 600 ring").succeeds();
    for way in ["-k ring", "--key-command 'cat ring'", "-k - < ring"] {
        let line = format!("pqseal logs open --strict --stats json events.ndjson {way}");
        let ran = dir.shell(&line);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let keys = stats(&ran)["opened_by_key"].as_object().unwrap().len();
        assert_eq!(keys, 1, "{way}");
    }
}

/// Writes a Parquet file `clear` with two texts per row.
#[cfg(target_endian = "little")]
fn parquet(dir: &Dir, columns: [&str; 2], rows: &[[&str; 2]]) {
    use parquet::{
        data_type::ByteArrayType, file::writer::SerializedFileWriter,
        schema::parser::parse_message_type,
    };
    let column = |name| format!("required binary {name} (STRING);");
    let schema = format!("message events {{ {} }}", columns.map(column).concat());
    let schema = parse_message_type(&schema).unwrap().into();
    let file = fs::File::create(dir.path("clear")).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for n in 0..2 {
        let texts: Vec<_> = rows.iter().map(|row| row[n].into()).collect();
        let mut column = group.next_column().unwrap().unwrap();
        let typed = column.typed::<ByteArrayType>();
        typed.write_batch(&texts, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
#[cfg(target_endian = "big")]
fn parquet_is_refused_on_big_endian_processors() {
    let dir = Dir::new();
    dir.write("file", b"PAR1 PAR1");
    let line = "logs open -k key.txt file -o out --input-format parquet";
    dir.words(line)
        .fails(1, "Parquet is not supported on big-endian processors");
}

#[test]
#[cfg(all(unix, target_endian = "little"))]
fn parquet_comes_out_as_parquet() {
    let dir = Dir::new();
    parquet(&dir, ["RayID", "payload"], &[["a", "GET /"], ["b", ""]]);
    let seal = format!("pqseal logs seal --to {PUBLIC_KEY} --aad-from RayID --field");
    dir.shell(&format!("{seal} payload clear > sealed"))
        .succeeds();
    let has = |bytes: &[u8]| bytes.windows(5).any(|part| part == b"GET /");
    assert!(!has(&dir.read("sealed")), "in the clear");
    let open = "logs open -k key.txt --stats json --drop-encrypted --aad-from RayID --field encrypted_payload sealed";
    let ran = dir.words(&format!("{open} -o out/"));
    assert_eq!((ran.code, &stats(&ran)["opened"]), (Some(0), &json!(1)));
    assert!(has(&dir.read("out/sealed")));
    assert_eq!(dir.mode("out/sealed"), 0o600);
    let ran = dir.words(open);
    assert!(
        ran.out == dir.read("out/sealed"),
        "standard output has the same"
    );
    let ran = dir.words("logs open -k key.txt --stats json sealed -o auto/");
    assert_eq!(stats(&ran)["absent"], 2);
    // Unsupported: a stream, two tables at once, half a file, missing columns to seal.
    dir.shell("gzip -k sealed; head -c 200 sealed > half")
        .succeeds();
    let lines = [
        "< sealed => standard input: Parquet is read from its end",
        "--input-format parquet < sealed => standard input: Parquet is read from its end",
        "sealed.gz => if the whole file is compressed",
        "sealed clear => several tables cannot be written to one stream",
    ];
    each_fails(&dir, "pqseal logs open -k key.txt", 2, &lines);
    let lines = [
        "half -o out => cannot read half: the Parquet file cannot be read",
        "key.txt -o out --input-format parquet => the Parquet file cannot be read",
    ];
    each_fails(&dir, "pqseal logs open -k key.txt", 1, &lines);
    dir.shell("pqseal logs open -k key.txt --field encrypted_payload sealed > /dev/full")
        .fails(3, "no space left");
    dir.shell(&format!("{seal} paylod clear"))
        .fails(1, "paylod");
}

/// Labels are in the counters for a scraper and for a terminal, and in the report of a blob that no
/// key opens.
#[test]
#[cfg(unix)]
fn labels_name_keys_in_every_report() {
    let dir = Dir::new();
    let make = "for key in a.key stranger; do pqseal keygen --kem x25519 --form raw -o $key > $key.pub 2> /dev/null; done; \
        (printf '# a \\\\ \"b\" \\033[2J\\n'; cat a.key; echo; echo \"$(cat key.txt) # zone b\") > ring; chmod 600 ring; \
        for to in a.key.pub PUBLIC stranger.pub; do pqseal logs generate 1 --seed 3 | pqseal logs seal --to $to; done > sealed";
    dir.shell(&make.replace("PUBLIC", PUBLIC_KEY)).succeeds();
    let id = |key: &str| {
        let shown = dir.words(&format!("pubkey --raw-private --fingerprint {key}"));
        shown.out().split_whitespace().last().unwrap().to_owned()
    };
    let [a, b] = ["a.key", "key.txt"].map(id);
    let open = |form: &str| {
        let line = "pqseal logs open -k ring -k key.txt --prometheus metrics --dead-letter dead sealed --stats";
        dir.shell(&format!("{line} {form}"))
    };
    let [label_a, label_b] = ["a \\ \"b\" \u{1b}[2J", "zone b"];
    let json = open("json");
    let found = stats(&json);
    assert_eq!(found["key_labels"], json!({ &a: label_a, &b: label_b }));
    assert_eq!(found["opened_by_key"], json!({ &a: 1, &b: 1 }));
    let metrics = String::from_utf8(dir.read("metrics")).unwrap();
    for line in [
        format!("{{key_id=\"{b}\",label=\"zone b\"}} 1\n"),
        format!("{{key_id=\"{a}\",label=\"a \\\\ \\\"b\\\" \x1b[2J\"}} 1\n"),
    ] {
        assert!(metrics.contains(&line), "{metrics}");
    }
    let text = open("text").err;
    for words in [
        format!("1 by {a} (a \\ \"b\" \\x1b[2J)"),
        format!("1 by {b} (zone b)"),
    ] {
        assert!(text.contains(&words), "{text}");
    }
    let letters = String::from_utf8(dir.read("dead")).unwrap();
    let letter: Value = serde_json::from_str(letters.lines().last().unwrap()).unwrap();
    assert_eq!(letter["key_ids_tried"], json!([a, b]));
    assert_eq!(letter["key_labels_tried"], json!([label_a, label_b]));
}
