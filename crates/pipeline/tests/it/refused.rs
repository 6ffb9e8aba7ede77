//! Records that cannot be sealed, columns that share a name, and strings that are not valid
//! Unicode.

mod arrays;

use std::io;

#[cfg(all(feature = "parquet", target_endian = "little"))]
use parquet::basic::Compression;
use pqseal_keys::kem_by_name;
use pqseal_matched_data::{KeyRing, SealOptions};
use pqseal_pipeline::{
    Error, Framing, Limits, Observer, Opener, Pipeline, Sealer, Stats, Transform, Warning,
};
use pqseal_records::{OnField, Rule, Rules, TableError, audit_log::WHOLE};

#[cfg(all(feature = "parquet", target_endian = "little"))]
use crate::common::parquet::{file, on_disk};
use crate::common::{Mock, Seal, accounted, fields};

/// The result of a run.
#[derive(Default)]
struct Ran {
    out: String,
    letters: Option<String>,
    warnings: Vec<&'static str>,
    stats: Stats,
}

impl Observer for Ran {
    fn batch(&mut self, stats: &Stats) {
        self.stats.add(stats);
    }

    fn warning(&mut self, _source: &str, warning: &Warning) {
        self.warnings.push(warning.code());
    }

    fn dead_letter(&mut self, letter: &[u8]) -> io::Result<()> {
        let letters = self.letters.get_or_insert_default();
        letters.push_str(str::from_utf8(letter).unwrap());
        Ok(())
    }

    fn wants_letters(&self) -> bool {
        self.letters.is_some()
    }
}

/// Returns rules that seal the field.
fn sealing(path: &str) -> Rules {
    let rule = Rule {
        into: "encrypted_s".to_owned(),
        ..Rule::field(path.parse().unwrap())
    };
    Rules {
        rules: vec![rule],
        named: true,
        mode: OnField::Drop,
        ..Rules::default()
    }
}

/// Returns rules that seal the field, or else the whole record in its place.
fn in_place(path: &str) -> Rules {
    Rules {
        whole: Some(WHOLE),
        ..sealing(path)
    }
}

fn run(
    transform: impl Transform,
    rules: Rules,
    framing: Framing,
    input: impl AsRef<[u8]>,
    letters: Option<String>,
) -> Result<Ran, Error> {
    let limits = Limits {
        record: 300,
        batch_bytes: 64,
        ..Limits::default()
    };
    let pipeline = Pipeline::new(transform, rules, 1).unwrap();
    let pipeline = pipeline.framed(framing, limits).in_parts();
    let mut ran = Ran {
        letters,
        ..Ran::default()
    };
    let mut out = Vec::new();
    pipeline.run(input.as_ref(), &mut out, "in", &mut ran)?;
    accounted(&ran.stats);
    ran.out = String::from_utf8(out).unwrap();
    Ok(ran)
}

/// Seals without a file for refused records.
fn seal(rules: Rules, framing: Framing, input: impl AsRef<[u8]>) -> Result<Ran, Error> {
    run(Seal, rules, framing, input, None)
}

/// Seals with a file for refused records.
fn seal_apart(rules: Rules, framing: Framing, input: impl AsRef<[u8]>) -> Ran {
    run(Seal, rules, framing, input, Some(String::new())).unwrap()
}

fn open(paths: &[&str], framing: Framing, input: &str) -> String {
    run(Mock, fields(paths), framing, input, None).unwrap().out
}

#[test]
fn what_cannot_be_sealed_is_sealed_as_a_whole() {
    let refused = [
        ("torn {", "bad_json"),
        (r#"{"s":"a","s":"b"}"#, "repeated_name"),
        (r#"{"s":"a","encrypted_s":"b"}"#, "already_there"),
        ("\"a\"", "not_an_object"),
        (r#"[1,[{"s":"a"}]]"#, "in_list"),
    ];
    for (record, code) in refused {
        let input = format!("{{\"s\":\"x\"}}\r\n{record}\r\n{{\"n\":1}}\r\n");
        let ends = seal(sealing(".s"), Framing::Lines, &input);
        assert!(
            matches!(ends, Err(Error::Record { number: 2, reason }) if reason.code() == code),
            "{record}"
        );
        let quoted = serde_json::Value::from(format!("open:{record}\r"));
        let whole = format!("{{\"encrypted_record\":{quoted}}}");
        let ran = seal(in_place(".s"), Framing::Lines, &input).unwrap();
        let expected = format!("{{\"encrypted_s\":\"open:x\"}}\r\n{whole}\n{{\"n\":1}}\r\n");
        assert_eq!(ran.out, expected);
        assert_eq!((ran.stats.opened, ran.stats.failures()), (2, 0));
        assert_eq!(ran.stats.whole, [(code, 1)].into());
        // To a file: the output does without the record and its line break.
        let ran = seal_apart(sealing(".s"), Framing::Lines, &input);
        assert_eq!(ran.out, "{\"encrypted_s\":\"open:x\"}\r\n{\"n\":1}\r\n");
        let letter = format!(
            "{{\"source\":\"in\",\"line\":2,\"code\":\"{code}\",\"encrypted_record\":{quoted}}}\n"
        );
        assert_eq!(ran.letters.as_deref(), Some(letter.as_str()));
        assert_eq!(ran.stats.failed, [(code, 1)].into());
        // With both, it is in its place.
        assert_eq!(
            seal_apart(in_place(".s"), Framing::Lines, &input)
                .letters
                .as_deref(),
            Some("")
        );
        let opened = open(&["encrypted_record"], Framing::Lines, &letter);
        let value: serde_json::Value = serde_json::from_str(&opened).unwrap();
        assert_eq!(value["decrypted_record"], format!("{record}\r"));
    }
    // A record that lacks what it is to be bound to.
    let bound = Rules {
        aad_from: Some("id".parse().unwrap()),
        ..in_place(".s")
    };
    let ran = seal(bound, Framing::Lines, r#"{"s":"a"}"#).unwrap();
    assert_eq!(ran.out, r#"{"encrypted_record":"open:{\"s\":\"a\"}"}"#);
    // What cannot be sealed at all.
    assert!(seal(in_place(".s"), Framing::Lines, "torn!").is_err());
}

/// Memory is bounded, so the record is sealed in parts.
#[test]
fn a_record_that_is_too_large_is_sealed_in_parts() {
    let long = format!(r#"{{"s":"{}"}}"#, "x".repeat(1_000_000));
    for (framing, before, between, after) in [
        (Framing::Lines, "{\"s\":\"a\"}\n", "\n", "\n{\"n\":1}\n"),
        (Framing::Json, "[{\"s\":\"a\"},", ",", ",{\"n\":1}]"),
    ] {
        let input = [before, &long, after].concat();
        let ran = seal(in_place(".s"), framing, &input).unwrap();
        assert_eq!(ran.stats.records, 3);
        assert_eq!(ran.stats.whole, [("too_large", 1)].into());
        let before = before.replace("{\"s\":\"a\"}", "{\"encrypted_s\":\"open:a\"}");
        let parts = ran.out.strip_prefix(&before).unwrap();
        let parts = parts.strip_suffix(after).unwrap();
        let parts: Vec<_> = parts.split(&format!("}}{between}{{")).collect();
        assert!(parts.len() > 1, "{framing:?}");
        let joined = letters_of(&parts.join("}\n{"));
        assert!(joined == long, "{framing:?}");
        let ran = seal_apart(sealing(".s"), framing, &input);
        assert_eq!(ran.stats.failed, [("too_large", 1)].into());
        assert!(letters_of(&ran.letters.unwrap()) == long);
        let left_out = match framing {
            Framing::Lines => after.trim_start().to_owned(),
            _ => format!("null{after}"),
        };
        assert_eq!(ran.out, before + &left_out);
    }
    // A preset does not ask for this.
    let pipeline = Pipeline::new(Seal, in_place(".s"), 1).unwrap();
    let limits = Limits {
        record: 100,
        ..Limits::default()
    };
    let pipeline = pipeline.framed(Framing::Lines, limits);
    let ran = pipeline.run(long.as_bytes(), &mut Vec::new(), "in", &mut Ran::default());
    assert!(matches!(ran, Err(Error::Record { reason, .. }) if reason.code() == "too_large"));
}

/// Returns the sealed records in the lines.
fn letters_of(lines: &str) -> String {
    let text = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let blob = value["encrypted_record"].as_str().unwrap();
        blob.strip_prefix("open:").unwrap().to_owned()
    };
    lines.lines().map(text).collect()
}

#[test]
fn all_columns_of_a_name_are_sealed_and_open() {
    let cases = [
        (
            "s",
            "s,n, s\na,1,b\n",
            "s,n, s,encrypted_s,encrypted_s\n,1,,open:a,open:b\n",
            "a,b",
        ),
        (
            "x.s",
            "x.s,x_s\na,b\n",
            "x.s,x_s,x.encrypted_s,x_encrypted_s\n,,open:a,open:b\n",
            "a,b",
        ),
        // Documents in cells, and a column of the whole name.
        (
            "x.s",
            "x,x.s,x\n\"{\"\"s\"\":\"\"a\"\"}\",b,\"{\"\"s\"\":\"\"c\"\"}\"\n",
            "x,x.s,x,encrypted_s\n\"{\"\"encrypted_s\"\":\"\"open:a\"\"}\",,\"{\"\"encrypted_s\"\":\"\"open:c\"\"}\",open:b\n",
            "a,b,c",
        ),
        (
            "x.y.s",
            "x,x.y\n\"{\"\"y\"\":{\"\"s\"\":\"\"a\"\"}}\",\"{\"\"s\"\":\"\"b\"\"}\"\n",
            "x,x.y\n\"{\"\"y\"\":{\"\"encrypted_s\"\":\"\"open:a\"\"}}\",\"{\"\"encrypted_s\"\":\"\"open:b\"\"}\"\n",
            "a,b",
        ),
    ];
    for (path, input, expected, texts) in cases {
        let ran = seal(sealing(path), Framing::CSV, input).unwrap();
        assert_eq!(ran.out, expected);
        let below = path.replace('s', "encrypted_s");
        let paths = ["encrypted_s", below.as_str()];
        let paths = if path == "s" { &paths[..1] } else { &paths };
        let opened = open(paths, Framing::CSV, &ran.out);
        let opened = opened.split_once('\n').unwrap().1.replace("open:", "");
        for text in texts.split(',') {
            let found = opened.matches(text).count();
            assert!(found >= 2, "{text} in {opened}");
        }
    }
    // A second run finds each result in its column.
    let once = "s,s\nopen:a,open:b\n";
    let twice = open(&["s"], Framing::CSV, once);
    assert_eq!(
        twice,
        "s,s,decrypted_s,decrypted_s_status,decrypted_s,decrypted_s_status\nopen:a,open:b,a,opened,b,opened\n"
    );
    assert_eq!(open(&["s"], Framing::CSV, &twice), twice);
}

#[test]
fn rows_that_are_not_of_rfc_4180_are_refused() {
    let rows = [
        "a,\"x\"y\n",
        "a,\"x\nb,1\nc,\"y\n",
        "a,\"x\n",
        "a,1\rb,2\n",
        "a,1\r\r\n",
        "a, \"x\"\n",
        "a,1,2\n",
        "a\n",
    ];
    for row in rows {
        let input = format!("s,n\nk,0\n{row}");
        let ends = seal(sealing("s"), Framing::CSV, &input);
        assert!(
            matches!(ends, Err(Error::Record { number: 3, reason }) if reason.code() == "bad_row"),
            "{row:?}"
        );
        // There is no place for it.
        assert!(seal(in_place("s"), Framing::CSV, &input).is_err());
        let ran = seal_apart(in_place("s"), Framing::CSV, &input);
        assert_eq!(ran.out, "s,n,encrypted_s\n,0,open:k\n", "{row:?}");
        let letters = ran.letters.unwrap();
        assert_eq!(letters.lines().count(), 1);
        assert!(letters.contains("\"code\":\"bad_row\""), "{letters}");
        // The line break after a quote that is never closed is within it.
        assert_eq!(letters_of(&letters).trim_end(), row.trim_end());
    }
}

#[test]
fn headers_that_may_have_rows_in_them_are_refused() {
    let refused = |input: &str| match seal_error(input) {
        Some(Error::Table(problem)) => problem,
        other => panic!("{input:?}: {other:?}"),
    };
    assert_eq!(refused("s,n\ra,1\rb,2\r"), TableError::LineEnds);
    assert_eq!(refused("\"s\"\r\"a\"\r"), TableError::LineEnds);
    assert_eq!(refused("s,\"n\na,\"1\"\n"), TableError::Quotes);
    assert_eq!(refused("s,\"n\na,1\n"), TableError::Quotes);
    assert_eq!(refused("s, \"s\"\na,1\n"), TableError::Quotes);
    assert_eq!(refused("s,\"n\na,1\"\nb,2\n"), TableError::Lines);
    assert!(matches!(refused("n\n1\n"), TableError::NoColumn { .. }));
    assert!(matches!(
        refused(&format!("s,{}\n", "n".repeat(400))),
        TableError::Header
    ));
    assert_eq!(refused("s,\"n\nSECRET\",\"x\"\n"), TableError::Lines);
    // To open, a name may have a line break.
    let open = |input| run(Mock, fields(&["s"]), Framing::CSV, input, None);
    assert!(open("s,\"n\nm\"\nopen:a,1\n").is_ok());
}

fn seal_error(input: &str) -> Option<Error> {
    let letters = Some(String::new());
    run(Seal, in_place("s"), Framing::CSV, input, letters).err()
}

#[test]
fn a_table_without_rows_is_a_warning() {
    for input in ["", "\n", "s,n\n", "s\r\n\r\n"] {
        let ran = seal(sealing("s"), Framing::CSV, input).unwrap();
        assert_eq!(ran.warnings, ["no_rows"], "{input:?}");
        let opened = run(Mock, fields(&["s"]), Framing::CSV, input, None).unwrap();
        assert!(opened.warnings.is_empty());
    }
    let ran = seal(sealing("s"), Framing::CSV, "s\na\n").unwrap();
    assert!(ran.warnings.is_empty());
}

/// The member is one that opening writes.
#[test]
fn a_member_of_the_name_of_a_status_stays() {
    let input = r#"{"id":1,"s":"x","decrypt_status":"mine"}"#;
    let ran = seal(sealing(".s"), Framing::Lines, input).unwrap();
    let expected = r#"{"id":1,"encrypted_s":"open:x","decrypt_status":"mine"}"#;
    assert_eq!(ran.out, expected);
}

/// The JSON strings are equal, whatever they contain.
#[test]
fn halves_of_surrogate_pairs_come_back() {
    let kem = kem_by_name("x25519").unwrap();
    let (private_key, public_key) = kem.derive_key_pair(&[7; 32]).unwrap();
    let both_ways = |text: &[u8]| {
        let sealer = Sealer::new(&public_key, &SealOptions::default()).unwrap();
        let input = [b"{\"s\":\"", text, b"\"}"].concat();
        let sealed = run(sealer, sealing(".s"), Framing::Lines, input, None).unwrap();
        let mut ring = KeyRing::new();
        ring.add(&private_key).unwrap();
        let opener = Opener::new(ring);
        let opened = run(
            opener,
            fields(&["encrypted_s"]),
            Framing::Lines,
            sealed.out,
            None,
        );
        let value = opened.unwrap().out;
        let start = value.find("\"decrypted_s\":\"").unwrap() + 15;
        (
            value[start..value.len() - 2].to_owned(),
            sealed.stats.surrogates,
        )
    };
    for (text, expected, halves) in [
        (r"a\ud83d", r"a\ud83d", 1),
        (
            r"\uDE00\uD83D\uD83D\uDE00 \/",
            "\\ude00\\ud83d\u{1f600} /",
            1,
        ),
        (r"\ud800\ud800\udfff", "\\ud800\u{103ff}", 1),
        (
            r"\u00e9\ud7ff\ue000\udbff",
            "\u{e9}\u{d7ff}\u{e000}\\udbff",
            1,
        ),
        (
            r"\ud7ff\ue000 \ud83d\ude00",
            "\u{d7ff}\u{e000} \u{1f600}",
            0,
        ),
    ] {
        assert_eq!(
            both_ways(text.as_bytes()),
            (expected.to_owned(), halves),
            "{text}"
        );
    }
    // Other bytes are not of a string of JSON, nor are two halves whose pair is another text.
    for (text, expected) in [
        (&b"\\n\xe9"[..], "\\n\u{fffd}\",\"decrypt_lossy\":true"),
        (b"\\ud83d\xff", "\\ud83d\u{fffd}\",\"decrypt_lossy\":true"),
        (
            b"\\ud83d\xed\xb8\x80",
            "\\ud83d\u{fffd}\u{fffd}\u{fffd}\",\"decrypt_lossy\":true",
        ),
    ] {
        let opened = both_ways(text).0;
        // The last member does not end in a quote.
        assert_eq!(opened + "e", expected.to_owned(), "{}", text.escape_ascii());
    }
}

/// A cell is not a string of JSON: the escape of half a pair is plain text there.
#[test]
fn a_cell_with_an_escape_is_text() {
    let sealed = seal(sealing("s"), Framing::CSV, "s\n\"\"\"\\ud800\"\"\"\n").unwrap();
    assert_eq!((sealed.stats.opened, sealed.stats.surrogates), (1, 0));
}

/// An observer whose dead letters do not reach the disk.
struct Lost;

impl Observer for Lost {
    fn batch(&mut self, _stats: &Stats) {}

    fn letters_done(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn wants_letters(&self) -> bool {
        true
    }
}

#[test]
fn nothing_is_written_before_its_letters() {
    let pipeline = Pipeline::new(Seal, sealing(".s"), 1).unwrap();
    let run = |input: &[u8]| {
        let mut out = Vec::new();
        let ran = pipeline.run(input, &mut out, "in", &mut Lost);
        (ran.is_ok(), out.is_empty())
    };
    assert_eq!(run(b"{\"s\":1}\n"), (true, false));
    assert_eq!(run(b"{\"s\":1}\ntorn\n"), (false, true));
}

#[cfg(all(feature = "parquet", target_endian = "little"))]
#[test]
fn no_row_of_parquet_is_written_before_its_letter() {
    let run = |doc| {
        let row = ("", None, None, Some(doc));
        let table = file(&[&[row]], Compression::UNCOMPRESSED);
        let pipeline = Pipeline::new(Seal, sealing(".doc.s"), 1).unwrap();
        let mut out = Vec::new();
        pqseal_pipeline::parquet::run(&pipeline, &on_disk(&table), &mut out, "in", &mut Lost)
    };
    assert!(run("{\"s\":1}").is_ok());
    assert!(matches!(run("torn"), Err(Error::Letter(_))));
}

#[test]
fn a_letter_holds_the_beginning_of_a_record_that_is_too_large() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(3000));
    for framing in [Framing::Lines, Framing::Json] {
        let letters = Some(String::new());
        let ran = run(Mock, fields(&["s"]), framing, &long, letters).unwrap();
        let letter: serde_json::Value = serde_json::from_str(&ran.letters.unwrap()).unwrap();
        let text = letter["record_text"].as_str().unwrap();
        assert_eq!(letter["code"], "too_large");
        assert!(
            long.starts_with(text) && (1..=1024).contains(&text.len()),
            "{text}"
        );
    }
}
