//! matched-data-cli answers as matched-data-cli 0.6.0 does. Each row was run with that program
//! (built from its source with its own lock file): `Same` rows came out alike to the byte, `Better`
//! rows are those in which we differ on purpose.

use crate::common::{Dir, MATCHED_DATA_CLI, PLAINTEXT, PQSEAL, PRIVATE_KEY, PUBLIC_KEY};
use envelope::base64;

/// What 0.6.0 does with the row.
#[derive(Debug)]
#[allow(dead_code, reason = "shown when a row fails")]
enum Old {
    Same,
    /// Its answer.
    Better(&'static str),
}
use Old::{Better, Same};

const NOT_BASE64: &str = "Provided matched data is not base64 encoded";
const INVALID: &str = "Provided matched data is invalid";
const FAILED: &str = "Failed to decrypt matched data";
const TOO_LARGE: &str = "The payload match for this event is unavailable because it was too large.";
const EMPTY: &str = "Provided matched data is empty";
const PANIC: &str = "panics with exit code 101";
const VERSION_4: &str = "Encryption format not supported by this tool, expected '1', '2' or '3', got '4'; use `pqseal open`";

/// Matched data, the plaintext or message it gives, and what 0.6.0 does.
type Row = (String, Result<&'static str, &'static str>, Old);

fn rows() -> Vec<Row> {
    let text = String::from_utf8(Dir::new().read("blob.txt"))
        .unwrap()
        .trim_end()
        .to_owned();
    let blob = base64::decode(text.as_bytes()).unwrap().to_vec();
    let with = |change: fn(&mut Vec<u8>)| {
        let mut changed = blob.clone();
        change(&mut changed);
        base64::encode(&changed)
    };
    vec![
        (text.clone(), Ok(PLAINTEXT), Same),
        (format!("{text}\n\n"), Ok(PLAINTEXT), Same),
        (format!("{text}\r\n"), Ok(PLAINTEXT), Same),
        ("truncated".into(), Err(TOO_LARGE), Same),
        ("truncated\n".into(), Err(TOO_LARGE), Better(NOT_BASE64)),
        (String::new(), Err(EMPTY), Better(PANIC)),
        ("\n".into(), Err(EMPTY), Better(PANIC)),
        (format!(" {text}"), Ok(PLAINTEXT), Better(NOT_BASE64)),
        (
            format!("{}\n{}\n", &text[..76], &text[76..]),
            Ok(PLAINTEXT),
            Better(NOT_BASE64),
        ),
        (
            text.replace('+', "-").replace('/', "_"),
            Ok(PLAINTEXT),
            Better(NOT_BASE64),
        ),
        (with(|blob| blob.extend(b"xy")), Ok(PLAINTEXT), Same),
        (
            with(|blob| blob.extend(b"xy")).replace('=', ""),
            Ok(PLAINTEXT),
            Better(NOT_BASE64),
        ),
        (with(|blob| blob.truncate(50)), Err(INVALID), Same),
        (with(|blob| blob.truncate(1)), Err(INVALID), Same),
        (with(|blob| blob[33..41].fill(0xff)), Err(INVALID), Same),
        (with(|blob| blob[60] ^= 1), Err(FAILED), Same),
        (with(|blob| blob[1..33].fill(0)), Err(FAILED), Same),
        (
            with(|blob| blob[0] = 4),
            Err(VERSION_4),
            Better("names only version 3"),
        ),
        ("%%%".into(), Err(NOT_BASE64), Same),
    ]
}

#[test]
fn matched_data_in_a_file_and_on_standard_input() {
    let dir = Dir::new();
    for (data, expected, old) in rows() {
        dir.write("data", &data);
        for input in ["data", "-"] {
            let ran = dir.run(
                MATCHED_DATA_CLI,
                &["decrypt", "-k", "key.txt", input],
                data.as_bytes(),
            );
            let (code, out, err) = match expected {
                Ok(plaintext) => (Some(0), format!("{plaintext}\n"), String::new()),
                Err(message) => (Some(1), String::new(), format!("Error: {message:?}\n")),
            };
            assert_eq!(
                (ran.code, ran.out(), &ran.err),
                (code, &*out, &err),
                "{data:?} in {input}, old: {old:?}"
            );
        }
    }
}

#[test]
fn raw_output_is_the_bytes_and_the_other_replaces_what_is_not_utf8() {
    let dir = Dir::new();
    let sealed = dir
        .run(PQSEAL, &["seal", "--to", PUBLIC_KEY], b"a\xff\0b")
        .succeeds()
        .out;
    dir.write("data", sealed);
    assert_eq!(
        dir.run(
            MATCHED_DATA_CLI,
            &["decrypt", "-k", "key.txt", "-o", "raw", "data"],
            b""
        )
        .out,
        b"a\xff\0b"
    );
    let lossy = dir
        .run(MATCHED_DATA_CLI, &["decrypt", "-k", "key.txt", "data"], b"")
        .succeeds();
    assert_eq!(lossy.out(), "a\u{fffd}\0b\n");
}

#[test]
fn a_blob_beyond_150_kilobytes() {
    let dir = Dir::new();
    let plaintext = vec![b'x'; 200_000];
    dir.write(
        "data",
        dir.run(PQSEAL, &["seal", "--to", PUBLIC_KEY], &plaintext)
            .succeeds()
            .out,
    );
    let ran = dir.run(
        MATCHED_DATA_CLI,
        &["decrypt", "-k", "key.txt", "-o", "raw", "-"],
        &dir.read("data"),
    );
    assert_eq!(ran.succeeds().out, plaintext);
}

#[test]
fn several_lines_give_the_first_and_a_warning() {
    let dir = Dir::new();
    let both = [dir.read("blob.txt"), dir.read("matched_data.txt")].concat();
    let ran = dir.run(MATCHED_DATA_CLI, &["decrypt", "-k", "key.txt", "-"], &both);
    assert_eq!((ran.code, ran.out()), (Some(0), &*format!("{PLAINTEXT}\n")));
    assert!(
        ran.err.contains("the rest ignored") && ran.err.contains("pqseal open"),
        "{}",
        ran.err
    );
}

#[test]
fn keys() {
    let dir = Dir::new();
    let key = base64::decode(PRIVATE_KEY.as_bytes()).unwrap().to_vec();
    dir.write("short", base64::encode(&key[..31]));
    dir.write("long", base64::encode(&[&key[..], b"x"].concat()));
    dir.write("other", base64::encode(&[1; 32]));
    dir.write("text", "no key!");
    dir.write("binary", [0xff; 32]);
    let expected = [
        ("short", "Provided private key is invalid"),
        ("long", "Provided private key is invalid"),
        ("text", "Provided private key is not base64 encoded"),
        ("other", FAILED),
        ("missing", "Failed to read private key from file"),
        ("binary", "Failed to read private key from file"),
    ];
    for (file, message) in expected {
        let ran = dir.run(MATCHED_DATA_CLI, &["decrypt", "-k", file, "blob.txt"], b"");
        assert_eq!(
            (ran.code, ran.err),
            (Some(1), format!("Error: {message:?}\n")),
            "{file}"
        );
    }
}

#[test]
fn data_that_cannot_be_read() {
    let dir = Dir::new();
    dir.write("binary", [0xff; 3]);
    let message = "Error: \"Failed to read matched data from file\"\n";
    dir.run(
        MATCHED_DATA_CLI,
        &["decrypt", "-k", "key.txt", "missing"],
        b"",
    )
    .fails(1, message);
    dir.run(
        MATCHED_DATA_CLI,
        &["decrypt", "-k", "key.txt", "binary"],
        b"",
    )
    .fails(1, message);
    let message = "Error: \"Failed to read matched data from stdin\"\n";
    dir.run(
        MATCHED_DATA_CLI,
        &["decrypt", "-k", "key.txt", "-"],
        &[0xff; 3],
    )
    .fails(1, message);
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_an_error() {
    let dir = Dir::new();
    let line = "matched-data-cli decrypt -k key.txt blob.txt > /dev/full";
    dir.shell(line)
        .fails(1, "Error: \"Failed to output matched data\"\n");
    dir.shell("matched-data-cli generate-key-pair > /dev/full")
        .fails(1, "Error: \"Failed to output key pair\"\n");
}
