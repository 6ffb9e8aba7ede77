//! Generated inputs through the command line and through `pqseal-records` directly, without
//! `pqseal-pipeline`: the same bytes, and the same number of opened fields. `pqseal open` finds the
//! same fields in them.

use std::fs;

use pqseal_keys::read_private_keys;
use pqseal_matched_data::{Blob, KeyRing, OpenOptions, Trailing};
use pqseal_records::{
    Answer, Finder, Framing, Preset, Problem,
    detect::{Detected, detect, of_name},
    json,
    split::{self, SlotKind},
};

use crate::common::{Dir, stats};

/// The number of inputs.
const INPUTS: u32 = 480;

/// A generator of numbers that is the same in every run (xorshift).
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % end
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// Returns a JSON value, perhaps with a sealed field in it.
fn value(numbers: &mut Numbers, blobs: &[String], depth: u32) -> String {
    let sealed = &blobs[numbers.below(blobs.len())];
    match numbers.below(if depth > 4 { 6 } else { 12 }) {
        0 => "null".to_owned(),
        1 => "-1.5e400".to_owned(),
        2 => r#""\ud800 \u00e9\n""#.to_owned(),
        3 => r#""{\"encrypted_matched_data\": cut""#.to_owned(),
        4 | 5 => format!(
            r#""{}""#,
            numbers.one_of(&["", "é", "[INFO] text", "truncated"])
        ),
        6 | 7 => format!(
            r#"{{"a":{},"encrypted_matched_data":{}"{sealed}"}}"#,
            value(numbers, blobs, depth + 1),
            numbers.one_of(&["", " ", "\t"]),
        ),
        8 => format!(
            r#"[{{"key":"encrypted_matched_data","value":"{sealed}"}},{}]"#,
            value(numbers, blobs, depth + 1)
        ),
        9 => {
            let inner = value(numbers, blobs, depth + 1) + numbers.one_of(&["", "\n"]);
            let quoted = json::encode_string(inner.as_bytes()).0;
            format!(r#"{{"log":{}}}"#, String::from_utf8(quoted).unwrap())
        }
        10 => format!(
            r#"[{},{}]"#,
            value(numbers, blobs, depth + 1),
            value(numbers, blobs, depth + 1)
        ),
        _ => format!(
            r#"{{"b":{},"c":{}}}"#,
            value(numbers, blobs, depth + 1),
            value(numbers, blobs, depth + 1)
        ),
    }
}

/// Returns the name and the bytes of an input.
fn input(numbers: &mut Numbers, number: u32, blobs: &[String]) -> (String, Vec<u8>) {
    let count = 1 + numbers.below(5);
    let mut records: Vec<_> = (0..count).map(|_| value(numbers, blobs, 0)).collect();
    let kind = number % 6;
    if numbers.below(4) == 0 {
        // Damage within a record.
        let record = &mut records[count - 1];
        let at = numbers.below(record.len());
        let at = (0..=at)
            .rev()
            .find(|at| record.is_char_boundary(*at))
            .unwrap_or(0);
        match numbers.below(2) {
            0 => record.truncate(at),
            _ => record.insert_str(at, numbers.one_of(&["\"", "}", ",", "\u{feff}", "x"])),
        }
    }
    let (ending, text) = match kind {
        0 => (
            "ndjson",
            records.join(numbers.one_of(&["\n", "\r\n", "\n\n"])),
        ),
        1 => ("json", format!("[{}]\n", records.join(",\n"))),
        2 => (
            "json",
            records
                .iter()
                .map(|record| format!("{{\n\"r\":{record}\n}}\n"))
                .collect(),
        ),
        3 => (
            "seq",
            records
                .iter()
                .map(|record| format!("\u{1e}{record}\n"))
                .collect(),
        ),
        4 => {
            let row = |record: &String| format!("1,\"{}\"\r\n", record.replace('"', "\"\""));
            let rows: String = records.iter().map(row).collect();
            ("csv", format!("n,Metadata\r\n{rows}"))
        }
        _ => {
            let rows: String = (0..count)
                .map(|_| format!("1\t{}\n", blobs[numbers.below(blobs.len())]))
                .collect();
            ("tsv", format!("n\tMetadata.encrypted_matched_data\n{rows}"))
        }
    };
    let mark = numbers.one_of(&["", "", "\u{feff}"]);
    (
        format!("{number:03}.{ending}"),
        format!("{mark}{text}").into_bytes(),
    )
}

/// Returns the output for an input, and the number of fields that opened.
fn by_library(name: &str, input: &[u8], ring: &KeyRing) -> Option<(Vec<u8>, u64)> {
    let rules = Preset::Auto.rules();
    let Detected::Records(framing) = detect(input, of_name(name.as_bytes()), true) else {
        return None;
    };
    let (slots, end) = split::all(input, framing);
    end.ok()?;
    let (mut out, mut from, mut slots) = (Vec::new(), 0, slots.into_iter());
    let finder = match framing {
        Framing::Rows(delimiter) => {
            let header = slots.next()?.range;
            out.extend(&input[..header.start]);
            from = header.end;
            let header = &input[header];
            let finder = Finder::table(&rules, header, delimiter, false).ok()?;
            finder.write_header(header, &mut out);
            finder
        }
        _ => Finder::documents(&rules, false),
    };
    let mut opened = 0;
    for slot in slots {
        assert_eq!(slot.kind, SlotKind::Record);
        out.extend(&input[from..slot.range.start]);
        from = slot.range.end;
        let record = &input[slot.range];
        let found = finder.record(record);
        let answers: Vec<_> = found
            .fields()
            .map(|field| open(ring, field.text.map_err(Problem::code)?.as_deref()))
            .collect();
        opened += answers.iter().filter(|answer| answer.is_ok()).count() as u64;
        let answers: Vec<_> = answers
            .iter()
            .map(|answer| match answer {
                Ok(plaintext) => Answer::Opened(plaintext),
                Err("empty") => Answer::Absent,
                Err("truncated") => Answer::Truncated,
                Err(code) => Answer::Failed(code),
            })
            .collect();
        // A problem is counted; the record is written all the same.
        let _ = finder.write(record, &found, &answers, &mut out);
    }
    out.extend(&input[from..]);
    Some((out, opened))
}

fn open(ring: &KeyRing, text: Option<&[u8]>) -> Result<Vec<u8>, &'static str> {
    let bytes = Blob::decode(text.unwrap_or_default()).map_err(|error| error.code())?;
    let blob = Blob::parse(&bytes, Trailing::Refuse).map_err(|error| error.code())?;
    let opened = ring.open(&blob, &OpenOptions::default());
    opened
        .map(|opened| opened.plaintext)
        .map_err(|error| error.code())
}

#[test]
fn the_command_line_and_the_library_find_the_same() {
    let dir = Dir::new();
    let blob = dir.blob();
    let altered = blob.replace(&blob[60..64], "AAAA");
    let blobs = [blob, altered, "truncated".to_owned(), String::new()];
    let mut ring = KeyRing::new();
    for key in read_private_keys(dir.read("key.txt"), None).unwrap() {
        ring.add(&key.key).unwrap();
    }
    let mut numbers = Numbers(0x9e37_79b9);
    fs::create_dir(dir.path("in")).unwrap();
    let (mut expected, mut compared, mut total) = (Vec::new(), 0, 0);
    for number in 0..INPUTS {
        let (name, bytes) = input(&mut numbers, number, &blobs);
        fs::write(dir.path("in").join(&name), &bytes).unwrap();
        if let Some((out, opened)) = by_library(&name, &bytes, &ring) {
            total += opened;
            expected.push((name, out));
        }
    }
    let ran = dir.words("logs open --stats json -k key.txt in/ -o out/");
    for (name, out) in &expected {
        let found = fs::read(dir.path("out").join(name)).unwrap_or_else(|_| panic!("{name}"));
        assert_eq!(
            found.escape_ascii().to_string(),
            out.escape_ascii().to_string(),
            "{name}"
        );
        compared += 1;
    }
    assert!(compared > 400, "{compared} of {INPUTS} are comparable");
    let counted = &stats(&ran)["opened_by_key"];
    let counted: u64 = counted
        .as_object()
        .unwrap()
        .values()
        .filter_map(|n| n.as_u64())
        .sum();
    assert_eq!(counted, total);
    assert!(total > 200, "{total} fields opened");
}
