//! Damaged inputs for the doctor and for opening: where opening refuses, the doctor reports a
//! problem.

use std::{env, io};

use pqseal_hpke::{AnyPrivateKey, Policy};
use pqseal_keys::base64;
use pqseal_matched_data::{
    Blob, Error as BlobError, KeyRing, OpenOptions, SealOptions, Sealer, Trailing,
};
use pqseal_pipeline::{Framing, Input as Records, Observer, Opener, Pipeline, Stats};
use pqseal_records::{Preset, Rule, Rules, csv};
use serde_json::json;

use super::{Input, InputFormat, Report, keys::GivenKeys, log};

use crate::{
    blobs::{self, BlobEntry},
    input::Source,
    passphrase::Passphrase,
};

/// The number of inputs, which take some seconds without optimization. `PQSEAL_LONG` requests 1,000
/// times as many, for about an hour.
const FEW: u32 = 6_000;

/// The first input of each kind on which doctor and opening did not agree in the long run: bytes
/// after the last record of a sequence, a second header in a table, a part of a blob in its column,
/// and a zero byte in a header.
const FOUND: [u32; 4] = [8_806, 29_216, 287_875, 539_471];

/// The text of a private key for versions 1 to 4.
const KEY: &str = include_str!("../../tests/fixtures/private_key.txt");

fn key() -> AnyPrivateKey {
    pqseal_keys::read_private(KEY.trim(), None).unwrap()
}

/// Returns the texts of blobs of every version that the key opens.
fn sealed() -> Vec<String> {
    let public = pqseal_keys::public_key(&key()).unwrap();
    let sealed = [3, 4].map(|version| {
        let options = SealOptions {
            version: Some(version),
            ..SealOptions::default()
        };
        let sealer = Sealer::new(&public, &options).unwrap();
        let plaintext = b"{\"http.request.uri\": \"/a?b=%00\"}";
        let blob = sealer.seal(b"", plaintext, &mut getrandom::SysRng);
        base64::encode(&blob.unwrap())
    });
    let early = [
        include_str!("../../tests/fixtures/matched_data_v1.txt"),
        include_str!("../../tests/fixtures/matched_data_v2.txt"),
    ];
    let early = early.map(|text| text.trim().to_owned());
    early.into_iter().chain(sealed).collect()
}

/// Returns the reason why an input does not open, if it does not.
fn refusal(input: &[u8], form: InputFormat, given: &GivenKeys, logs: &Logs) -> Option<String> {
    if form == InputFormat::Table {
        return logs.refuses(input, Framing::Rows(csv::separator(input).unwrap_or(b',')));
    }
    let entries = blobs::all(input);
    let answers: Vec<_> = entries.iter().map(|entry| open(entry, given)).collect();
    let mut errors = answers.iter().filter_map(|answer| answer.as_ref().err());
    if form != InputFormat::Json || answers.iter().all(Result::is_err) {
        return errors.next().map(ToString::to_string);
    }
    // In a log, records may have no payload.
    let mut errors =
        errors.filter(|error| !matches!(error, BlobError::Empty | BlobError::Truncated));
    let error = errors.next().map(ToString::to_string);
    error.or_else(|| logs.refuses(input, Framing::Auto))
}

/// Opens a blob as `pqseal open` does.
fn open(entry: &BlobEntry, given: &GivenKeys) -> Result<(), BlobError> {
    let bytes = entry.blob.as_ref().map_err(Clone::clone)?;
    let blob = Blob::parse(bytes, Trailing::Refuse)?;
    given.ring.open(&blob, &options()).map(drop)
}

fn options() -> OpenOptions<'static> {
    OpenOptions {
        policy: Policy::draft(),
        ..OpenOptions::default()
    }
}

/// What `pqseal logs open` runs.
struct Logs(Pipeline<Opener>);

impl Logs {
    fn new() -> Self {
        let mut ring = KeyRing::new();
        ring.add(&key()).unwrap();
        let opener = Opener::bound(ring, Vec::new(), Policy::draft());
        let rules = Preset::Auto.rules();
        let named = Rule::field("matched".parse().unwrap());
        let rules = Rules {
            rules: rules.rules.iter().cloned().chain([named]).collect(),
            ..rules
        };
        Self(Pipeline::new(opener, rules, 1).unwrap())
    }

    /// Returns the failures of a log.
    fn refuses(&self, input: &[u8], framing: Framing) -> Option<String> {
        let records = Records::plain(input);
        let ran = (self.0).run_framed(records, framing, &mut io::sink(), "log", &mut Silent);
        match ran {
            Ok(stats) if stats.failures() == 0 => None,
            Ok(stats) => Some(format!("{:?}", stats.failed)),
            Err(error) => Some(error.to_string()),
        }
    }
}

struct Silent;

impl Observer for Silent {
    fn batch(&mut self, _stats: &Stats) {}
}

/// Returns the number of problems that the doctor reports, and the form of the input.
fn problems(input: &[u8], given: &GivenKeys) -> (usize, InputFormat) {
    let source = Source::Stdin;
    let mut report = Report::silent();
    let input = Input::new(&source, input);
    log::examine(&input, given, &options(), &mut report).unwrap();
    (report.problems(), input.found.form)
}

/// Choices that are the same for the same number (xorshift).
struct Choices(u64);

impl Choices {
    fn new(number: u32) -> Self {
        let mut choices = Self(u64::from(number) << 1 | 1);
        for _ in 0..8 {
            choices.below(1);
        }
        choices
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The higher bits are the better ones.
        (self.0 >> 20) as usize % end
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Characters that are put into texts.
const STRAY: [&str; 32] = [
    "\0", ",", ";", ".", "\u{b}", "\u{a0}", "%", "&", "\"", "'", "`", "{", "}", "[", "]", "\n",
    "\r\n", "\r", "\t", " ", "+", "=", "/", "-", "_", "\\", "\\n", "...", "\u{2026}", "\u{feff}",
    "A", "\\u0000",
];

/// Returns an input with blobs, and the damage that logs, forms, spreadsheets and terminals do.
fn damaged_input(choices: &mut Choices, sealed: &[String]) -> Vec<u8> {
    let mut text = container(choices, sealed).into_bytes();
    if choices.below(16) == 0 {
        let units = String::from_utf8_lossy(&text);
        text = units.encode_utf16().flat_map(u16::to_le_bytes).collect();
    }
    for _ in 0..choices.below(3) {
        damage(choices, &mut text);
    }
    text
}

/// Returns the text of a blob in one of the ways in which it is written.
fn text(choices: &mut Choices, sealed: &[String]) -> String {
    let blob = &sealed[choices.below(sealed.len())];
    let bytes = base64::decode(blob.as_bytes()).unwrap();
    match choices.below(24) {
        0 => hex(&bytes, ""),
        1 => hex(&bytes, "").to_uppercase(),
        2 => format!("\\x{}", hex(&bytes, "")),
        3 => format!("0x{}", hex(&bytes, "")),
        4 => hex(&bytes, ":"),
        5 => hex(&bytes, " "),
        6 => format!("x'{}'", hex(&bytes, "")),
        7 => base64::encode(blob.as_bytes()),
        8 => blob.replace('+', "-").replace('/', "_"),
        9 => blob.trim_end_matches('=').to_owned(),
        10 => blob
            .replace('+', "%2B")
            .replace('/', "%2F")
            .replace('=', "%3D"),
        11 => blob.replace('+', "&#43;").replace('=', "&#x3d;"),
        12 => blob.replace('/', "\\/"),
        13 => blob.replace('+', " "),
        14 => {
            let lines = blob.as_bytes().chunks(60).map(<[u8]>::escape_ascii);
            lines.map(|line| format!("{line}\n")).collect()
        }
        15 => format!("\"{blob}\""),
        16 => format!("```\n{blob}\n```"),
        17 => "truncated".to_owned(),
        18 => blob[..choices.below(blob.len())].to_owned(),
        _ => blob.clone(),
    }
}

fn hex(bytes: &[u8], between: &str) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(between)
}

/// Returns blobs in a text, in records or in a table.
fn container(choices: &mut Choices, sealed: &[String]) -> String {
    let count = 1 + choices.below(3);
    let texts: Vec<_> = (0..count).map(|_| text(choices, sealed)).collect();
    let records = texts
        .iter()
        .map(|text| json!({ "ray": "1", "encrypted_matched_data": text }));
    let records: Vec<_> = records.collect();
    match choices.below(16) {
        0 => texts.join("\n") + "\n",
        1 => texts.join(choices.one_of(&["", ",", " ", "\r\n", "\n\n", ";"])),
        2 => records.iter().map(|record| format!("{record}\n")).collect(),
        3 => json!(records).to_string(),
        4 => serde_json::to_string_pretty(&records[0]).unwrap(),
        5 => records
            .iter()
            .map(|record| format!("\x1e{record}\n"))
            .collect(),
        6 => json!({ "log": records[0].to_string() + "\n" }).to_string(),
        7 => {
            json!({ "a": [{ "key": "encrypted_matched_data", "value": texts[0] }, {}] }).to_string()
        }
        8 => format!("{}\n{{\"ray\":null}}\n", records[0]),
        9 => json!(texts).to_string(),
        10 => json!(texts[0]).to_string(),
        11 => format!("ray,matched\n1,{}\n", texts[0]),
        _ => texts[0].clone(),
    }
}

/// Damages a text in one place.
fn damage(choices: &mut Choices, text: &mut Vec<u8>) {
    let at = choices.below(text.len() + 1);
    let stray = choices.one_of(&STRAY).as_bytes();
    match choices.below(12) {
        0 => text.truncate(at),
        1 => text.extend_from_slice(stray),
        2 => drop(text.splice(0..0, stray.iter().copied())),
        3 | 4 => drop(text.splice(at..at, stray.iter().copied())),
        5 if at < text.len() => drop(text.remove(at)),
        6 if at < text.len() => text[at] ^= 1 << choices.below(8),
        7 if at < text.len() => text[at] = stray[0],
        8 => text.extend_from_within(at..),
        9 => text.make_ascii_lowercase(),
        10 => text.make_ascii_uppercase(),
        _ => drop(text.drain(..at)),
    }
}

#[test]
fn the_doctor_reports_a_problem_where_an_input_does_not_open() {
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/private_key.txt"
    );
    let keys = [Source::File(fixture.into())];
    let given = GivenKeys::read(&keys, &Passphrase::default(), &mut Report::silent()).unwrap();
    let (logs, sealed) = (Logs::new(), sealed());
    let inputs = match env::var_os("PQSEAL_LONG") {
        Some(_) => 1000 * FEW,
        None => FEW,
    };
    let (mut well, mut wrong) = (0, Vec::new());
    for number in (0..inputs).chain(FOUND) {
        let input = damaged_input(&mut Choices::new(number), &sealed);
        let (problems, form) = problems(&input, &given);
        if problems > 0 {
            continue;
        }
        well += 1;
        if let Some(why) = refusal(&input, form, &given, &logs) {
            wrong.push(format!("{number}: {why}: {}", input.escape_ascii()));
        }
    }
    assert!(wrong.is_empty(), "{} of {inputs}: {wrong:#?}", wrong.len());
    // An answer without a problem is not rare.
    assert!(well > inputs / 50, "{well} of {inputs}");
}
