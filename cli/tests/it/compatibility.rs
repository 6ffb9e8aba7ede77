//! matched-data-cli answers like matched-data-cli 0.6.0. Each row was run with that program (built
//! from its source with its own lock file): `Same` rows gave the same bytes, `Better` rows are
//! those in which ours differs on purpose.

use pqseal_keys::base64;

use crate::common::{Dir, MATCHED_DATA_CLI, PLAINTEXT, PRIVATE_KEY};

/// The result of 0.6.0.
#[derive(Debug)]
#[allow(dead_code, reason = "shown when a row fails")]
enum Old {
    Same,
    /// The answer of 0.6.0.
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

/// Matched data, its plaintext or message, and the result of 0.6.0.
type Row = (String, Result<&'static str, &'static str>, Old);

fn rows() -> Vec<Row> {
    let text = Dir::new().blob();
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

/// Keys and matched data that cannot be used or read.
#[test]
fn files_that_cannot_be_used() {
    let dir = Dir::new();
    let key = base64::decode(PRIVATE_KEY.as_bytes()).unwrap().to_vec();
    dir.write("short", base64::encode(&key[..31]));
    dir.write("long", base64::encode(&[&key[..], b"x"].concat()));
    dir.write("other", base64::encode(&[1; 32]));
    dir.write("text", "no key!");
    dir.write("binary", [0xff; 32]);
    for (key, data, message) in [
        ("short", "blob.txt", "Provided private key is invalid"),
        ("long", "blob.txt", "Provided private key is invalid"),
        (
            "text",
            "blob.txt",
            "Provided private key is not base64 encoded",
        ),
        ("other", "blob.txt", FAILED),
        (
            "missing",
            "blob.txt",
            "Failed to read private key from file",
        ),
        ("binary", "blob.txt", "Failed to read private key from file"),
        (
            "key.txt",
            "missing",
            "Failed to read matched data from file",
        ),
        ("key.txt", "binary", "Failed to read matched data from file"),
        ("key.txt", "-", "Failed to read matched data from stdin"),
    ] {
        dir.run(MATCHED_DATA_CLI, &["decrypt", "-k", key, data], &[0xff; 3])
            .fails(1, &format!("Error: {message:?}\n"));
    }
}
