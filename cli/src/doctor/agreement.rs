//! Damaged inputs for the doctor and for opening: where opening refuses, the doctor reports a
//! problem.

mod damage;

use std::{env, io};

use pqseal_hpke::{AnyPrivateKey, Policy};
use pqseal_matched_data::{
    Blob, Error as BlobError, KeyRing, OpenOptions, SealOptions, Sealer, Trailing,
};
use pqseal_pipeline::{Framing, Input as Records, Observer, Opener, Pipeline, Stats};
use pqseal_records::{Preset, Rule, Rules, csv};

use super::{
    found::Form,
    keys::Given,
    log::{self, Input},
    report::Report,
};
use crate::{
    blobs::{self, Entry},
    input::Source,
    passphrase::Passphrase,
};
use damage::Choices;

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
    let seal = |version| {
        let options = SealOptions {
            version: Some(version),
            ..SealOptions::default()
        };
        let sealer = Sealer::new(&public, &options).unwrap();
        let plaintext = b"{\"http.request.uri\": \"/a?b=%00\"}";
        let blob = sealer.seal(b"", plaintext, &mut getrandom::SysRng);
        pqseal_keys::base64::encode(&blob.unwrap())
    };
    let early = [
        include_str!("../../tests/fixtures/matched_data_v1.txt"),
        include_str!("../../tests/fixtures/matched_data_v2.txt"),
    ];
    let early = early.map(|text| text.trim().to_owned());
    early.into_iter().chain([seal(3), seal(4)]).collect()
}

/// Returns the reason why an input does not open, if it does not.
fn refusal(input: &[u8], form: Form, given: &Given, logs: &Logs) -> Option<String> {
    if form == Form::Table {
        return logs.refuses(input, Framing::Rows(csv::separator(input).unwrap_or(b',')));
    }
    let entries = blobs::all(input);
    let answers: Vec<_> = entries.iter().map(|entry| open(entry, given)).collect();
    let mut errors = answers.iter().filter_map(|answer| answer.as_ref().err());
    if form != Form::Json || answers.iter().all(Result::is_err) {
        return errors.next().map(ToString::to_string);
    }
    // In a log, records may have no payload.
    let mut errors =
        errors.filter(|error| !matches!(error, BlobError::Empty | BlobError::Truncated));
    let error = errors.next().map(ToString::to_string);
    error.or_else(|| logs.refuses(input, Framing::Auto))
}

/// Opens a blob as `pqseal open` does.
fn open(entry: &Entry, given: &Given) -> Result<(), BlobError> {
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
fn problems(input: &[u8], given: &Given) -> (usize, Form) {
    let source = Source::Stdin;
    let mut report = Report::silent();
    let input = Input::new(&source, input);
    log::examine(&input, given, &options(), &mut report).unwrap();
    (report.problems(), input.found.form)
}

#[test]
fn the_doctor_reports_a_problem_where_an_input_does_not_open() {
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/private_key.txt"
    );
    let keys = [Source::File(fixture.into())];
    let given = Given::read(&keys, &Passphrase::default(), &mut Report::silent()).unwrap();
    let (logs, sealed) = (Logs::new(), sealed());
    let inputs = match env::var_os("PQSEAL_LONG") {
        Some(_) => 1000 * FEW,
        None => FEW,
    };
    let (mut well, mut wrong) = (0, Vec::new());
    for number in (0..inputs).chain(FOUND) {
        let input = damage::input(&mut Choices::new(number), &sealed);
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
