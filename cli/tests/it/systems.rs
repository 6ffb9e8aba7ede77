//! The main work without a shell, on every system: names, line ends, files that stay as they are,
//! folders, commands that give keys. The other tests that need no shell run everywhere too.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{MAIN_SEPARATOR_STR, Path},
};

use crate::common::{Dir, PLAINTEXT, PQSEAL, events, long_text, open, stats};
use serde_json::json;

/// Names of folders and files with characters that a shell or an older interface would change.
const NAMES: [&str; 3] = ["a folder with spaces", "é漢字", "$HOME %PATH% & (1)"];

/// Returns a file name as the system writes it.
fn native(name: &str) -> String {
    name.replace('/', MAIN_SEPARATOR_STR)
}

#[test]
fn any_name_is_a_name() {
    let dir = Dir::new();
    for name in NAMES {
        fs::create_dir(dir.path(name)).unwrap();
        let [key, sealed, opened] =
            ["key", "sealed", "opened"].map(|file| native(&format!("{name}/{file} {name}")));
        let keygen = dir.pqseal(&["keygen", "-o", &key]);
        assert_eq!(keygen.code, Some(0), "{}", keygen.err);
        dir.pqseal(&["seal", "--to", &key, "-o", &sealed, "blob.txt"])
            .succeeds();
        // An absolute path instead of a relative one.
        let whole = dir.path(&opened);
        dir.pqseal(&["open", "-k", &key, "-o", whole.to_str().unwrap(), &sealed])
            .succeeds();
        assert_eq!(fs::read(whole).unwrap(), dir.read("blob.txt"));
        let missing = native(&format!("{name}/none"));
        dir.pqseal(&["open", "-k", &key, &missing])
            .fails(3, &format!("cannot read {missing}: "));
    }
}

#[test]
fn line_ends_and_byte_order_marks_of_other_systems_are_read() {
    let dir = Dir::new();
    let key = dir.words("key convert --form pem key.txt");
    let key = key.out().replace('\n', "\r\n");
    dir.write("crlf.pem", format!("\u{feff}{key}"));
    dir.chmod("crlf.pem", 0o600);
    dir.write("crlf", dir.blob() + "\r\n");
    let ran = dir.words("open -k crlf.pem --format raw crlf").succeeds();
    // Nothing is added or changed on output.
    assert_eq!(ran.out(), PLAINTEXT);
}

#[test]
fn files_are_replaced_whole_and_keys_never() {
    let dir = Dir::new();
    dir.write("result", "before");
    let names = dir.names();
    let open =
        |output: &str, input: &str| dir.pqseal(&["open", "-k", "key.txt", "-o", output, input]);
    open("result", "README.md").fails(1, "not base64");
    assert_eq!(dir.read("result"), b"before");
    open("result", "blob.txt").succeeds();
    assert_eq!(dir.read("result"), PLAINTEXT.as_bytes());
    let key = dir.read("key.txt");
    open("key.txt", "blob.txt").fails(3, "holds a key");
    open(&native("./key.txt"), "blob.txt").fails(3, "holds a key");
    dir.words("keygen -o result")
        .fails(3, "result already exists");
    assert_eq!(dir.read("key.txt"), key);
    assert_eq!(dir.names(), names, "a temporary file was left");
}

#[test]
fn a_command_gives_keys() {
    let dir = Dir::new();
    let show = if cfg!(windows) { "type" } else { "cat" };
    dir.write("my key.txt", dir.read("key.txt"));
    let give = |command: &str| dir.pqseal(&["open", "--key-command", command, "blob.txt"]);
    for file in ["key.txt", "\"my key.txt\""] {
        assert_eq!(give(&format!("{show} {file}")).succeeds().out(), PLAINTEXT);
    }
    give("exit 7").fails(3, ": 7");
    give("echo no key").fails(3, "cannot use");
}

#[test]
#[cfg(feature = "file")]
fn folders_of_files_are_encrypted_and_decrypted() {
    let dir = Dir::new();
    let made = dir.words("file keygen -o id");
    assert_eq!(made.code, Some(0), "{}", made.err);
    dir.write("to", dir.words("file keygen -y id").out);
    for name in NAMES {
        fs::create_dir_all(dir.path("in").join(name)).unwrap();
        dir.write(&format!("in/{name}/{name}"), long_text());
    }
    dir.write("in/empty", "");
    let encrypt = "file encrypt -R to -o sealed in";
    dir.words(encrypt).succeeds();
    let sealed = native("sealed/in");
    dir.words(&format!("file decrypt -i id -o out {sealed}"))
        .succeeds();
    for name in NAMES {
        assert!(dir.read(&format!("out/in/{name}/{name}")) == long_text());
    }
    assert!(dir.read("out/in/empty").is_empty());
    // As a stream, byte for byte.
    let text = b"\r\n\x1a\xff\n";
    let armored = dir.feed("file encrypt -a -R to", text).succeeds();
    let opened = dir.feed("file decrypt -i id", &armored.out).succeeds();
    assert_eq!(opened.out, text);
    dir.words(encrypt).fails(1, "already exists");
}

#[test]
fn folders_of_logs_are_done_once() {
    let dir = events(20);
    for name in NAMES {
        fs::create_dir_all(dir.path("in").join(name)).unwrap();
        let to = Path::new("in").join(name).join("events.ndjson");
        fs::copy(dir.path("events.ndjson"), dir.path(to.to_str().unwrap())).unwrap();
    }
    let run = || open(&dir, b"", &["in", "-o", "out"]);
    let counted =
        |done: u32, before: u32| json!({ "done": done, "failed": 0, "done_before": before });
    let ran = run();
    assert_eq!(stats(&ran)["files"], counted(3, 0), "{}", ran.err);
    let ran = run();
    assert_eq!(stats(&ran)["files"], counted(0, 3), "{}", ran.err);
    let expected = open(&dir, &dir.read("events.ndjson"), &[]).out;
    for name in NAMES {
        assert_eq!(dir.read(&format!("out/{name}/events.ndjson")), expected);
    }
    // Compressed, and back from a compressed stream.
    let compressed = ["events.ndjson", "-o", "events.gz", "--compress", "gzip"];
    assert_eq!(open(&dir, b"", &compressed).code, Some(0));
    assert!(dir.read("events.gz").starts_with(b"\x1f\x8b"));
    assert_eq!(open(&dir, &dir.read("events.gz"), &[]).out, expected);
}

#[test]
fn a_reader_of_events_who_has_gone_is_a_failure() {
    let dir = Dir::new();
    let mut command = dir.command(PQSEAL);
    command.args(["logs", "generate", "100000"]);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(line.starts_with('{') && ended.status.code() == Some(3));
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains("cannot write standard output"), "{said}");
}

/// A key file has the permissions of its folder on Windows, so there is nothing to warn of and
/// nothing to set.
#[test]
#[cfg(windows)]
fn permissions_are_those_of_the_folder() {
    let dir = Dir::new();
    dir.words("open -k key.txt blob.txt").succeeds();
    dir.words("logs generate 1 -o events --mode 0640")
        .fails(2, "leave --mode out");
    assert!(!dir.path("events").exists());
    let to = crate::common::PUBLIC_KEY;
    dir.words(&format!("seal --to {to} -o sealed README.md"))
        .succeeds();
    let sealed = fs::metadata(dir.path("sealed")).unwrap();
    assert!(!sealed.permissions().readonly());
}
