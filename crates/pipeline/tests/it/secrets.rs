//! Plaintext to be sealed never passes, whatever the input. Each case plants secrets in the fields
//! that a rule names, seals the input, and searches the whole output for them. No secret is lost
//! either.

#[cfg(all(feature = "parquet", target_endian = "little"))]
mod columns;
mod documents;
mod tables;

use std::{
    env,
    io::{self, Read},
};

use pqseal_keys::base64;
use pqseal_pipeline::{
    Error, FieldValue, Framing, Input, InputError, Limits, Observer, Outcome, Pipeline, Stats,
    Transform, Warning,
};
use pqseal_records::{OnField, Rule, Rules, audit_log::WHOLE};
use proptest::{prelude::*, test_runner::RngSeed};

/// Decisions, taken from bytes. After the last byte, each decision is the first of its kind, which
/// is the plain one.
struct Choices<'a> {
    bytes: &'a [u8],
    secrets: Vec<String>,
    /// Set if everything in the case can be sealed.
    is_clean: bool,
}

impl<'a> Choices<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            secrets: Vec::new(),
            is_clean: true,
        }
    }

    /// Chooses a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        let (first, rest) = self.bytes.split_first().unwrap_or((&0, &[]));
        self.bytes = rest;
        usize::from(*first) % end
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Returns `true` one time in `of`.
    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    /// Returns `true` one time in `of`, for a fault that prevents sealing.
    fn fault(&mut self, of: usize) -> bool {
        let is = self.chance(of);
        self.is_clean &= !is;
        is
    }

    /// Creates a secret, whose letters need no escapes.
    fn secret(&mut self) -> String {
        let secret = format!("S{:03}ECRET", self.secrets.len());
        self.secrets.push(secret.clone());
        secret
    }

    /// Creates a secret that is a number.
    fn number(&mut self) -> String {
        let secret = format!("7{:03}190263", self.secrets.len());
        self.secrets.push(secret.clone());
        secret
    }

    /// Returns a word that need not be sealed.
    fn word(&mut self) -> &'static str {
        self.one_of(&["x", "some words", "12", "é", ""])
    }
}

/// A transform whose output hides the text reversibly.
struct Hide;

const SEALED: &[u8] = b"sealed:";

impl Transform for Hide {
    fn chunk(&self, records: &[FieldValue<'_>]) -> Vec<Outcome> {
        let seal = |record: &FieldValue<'_>| match record.text {
            None => Outcome::Absent,
            Some(text) => Outcome::Opened {
                plaintext: [SEALED, hex(text).as_bytes()].concat(),
                key: 0,
            },
        };
        records.iter().map(seal).collect()
    }

    fn seals(&self) -> bool {
        true
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns all sealed text, concatenated, since a record may be sealed in parts.
fn revealed(text: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for at in 0..text.len() {
        let Some(hidden) = text[at..].strip_prefix(SEALED) else {
            continue;
        };
        let digits = hidden.iter().take_while(|byte| byte.is_ascii_hexdigit());
        let digits: Vec<_> = digits.copied().collect();
        let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
        all.extend(digits.chunks_exact(2).map(byte));
    }
    // Cells that are not UTF-8.
    let text = String::from_utf8_lossy(&all).into_owned();
    for cell in text.split("_base64\":\"").skip(1) {
        let cell = cell.split('"').next().unwrap_or_default();
        all.extend_from_slice(&base64::decode(cell.as_bytes()).unwrap());
    }
    all
}

/// Undoes the JSON escapes of ASCII in a text and in nested documents, since a secret could be in
/// it with escapes.
fn as_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\\\\u00", "\\u00");
    let mut parts = text.split("\\u00");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(code) => {
                out.push(char::from(code));
                out += &part[2..];
            }
            None => out += part,
        }
    }
    out
}

/// The results of a run besides its output.
#[derive(Default)]
struct Heard {
    letters: Option<Vec<u8>>,
    said: String,
    total: Stats,
}

impl Observer for Heard {
    fn batch(&mut self, stats: &Stats) {
        self.total.add(stats);
    }

    fn warning(&mut self, source: &str, warning: &Warning) {
        self.said += &format!("{source}: {warning} {warning:?}\n");
    }

    fn dead_letter(&mut self, letter: &[u8]) -> io::Result<()> {
        if let Some(letters) = &mut self.letters {
            letters.extend_from_slice(letter);
        }
        Ok(())
    }

    fn wants_letters(&self) -> bool {
        self.letters.is_some()
    }
}

/// A reader that returns pieces of this size.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.1.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(size);
        buffer[..size].copy_from_slice(now);
        self.0 = later;
        Ok(size)
    }
}

/// The treatment of a record that cannot be sealed: it ends the run, or is sealed in its place or
/// separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    Ends,
    InPlace,
    Apart,
    Both,
}

const REFUSED: [Refused; 4] = [
    Refused::Ends,
    Refused::InPlace,
    Refused::Apart,
    Refused::Both,
];

/// An input with secrets in it.
struct Case {
    input: Vec<u8>,
    framing: Framing,
    path: &'static str,
    limits: Limits,
    /// The number of bytes that are read at once.
    size: usize,
}

impl Case {
    fn pipeline(&self, refused: Refused) -> Pipeline<Hide> {
        let path = self.path.parse().unwrap();
        let rule = Rule {
            into: "encrypted_secret".to_owned(),
            ..Rule::field(path)
        };
        let in_place = matches!(refused, Refused::InPlace | Refused::Both);
        let rules = Rules {
            rules: vec![rule],
            named: true,
            mode: OnField::Drop,
            whole: in_place.then_some(WHOLE),
            ..Rules::default()
        };
        let pipeline = Pipeline::new(Hide, rules, 1).unwrap();
        let pipeline = pipeline.framed(self.framing, self.limits);
        match refused {
            Refused::Ends => pipeline,
            _ => pipeline.in_parts(),
        }
    }

    /// Seals the case, and searches the results for its secrets.
    fn check(&self, choices: &Choices<'_>) -> Result<(), TestCaseError> {
        for refused in REFUSED {
            let mut heard = heard(refused);
            let mut out = Vec::new();
            let pipeline = self.pipeline(refused);
            let input = Input::plain(Pieces(&self.input, self.size));
            let ran = pipeline.run_on_pool(input, self.framing, &mut out, "test", &mut heard);
            let is_table = matches!(self.framing, Framing::Rows(_));
            let goes_on = match refused {
                Refused::Ends => choices.is_clean,
                Refused::InPlace => choices.is_clean || !is_table,
                Refused::Apart | Refused::Both => true,
            };
            seen(choices, &self.input, &out, &heard, &ran, goes_on)?;
        }
        Ok(())
    }
}

fn heard(refused: Refused) -> Heard {
    let has_letters = matches!(refused, Refused::Apart | Refused::Both);
    Heard {
        letters: has_letters.then(Vec::new),
        ..Heard::default()
    }
}

/// Checks that no secret is in the output, and that all are in the sealed data if the run reached
/// its end.
fn seen(
    choices: &Choices<'_>,
    input: &[u8],
    out: &[u8],
    heard: &Heard,
    ran: &Result<Stats, Error>,
    goes_on: bool,
) -> Result<(), TestCaseError> {
    let empty = Vec::new();
    let letters = heard.letters.as_ref().unwrap_or(&empty);
    let error = ran.as_ref().err();
    let said = format!("{}{error:?}", heard.said);
    let said = error.map_or(said.clone(), |error| said + &error.to_string());
    let clear = as_text(&[out, b"\n", letters, b"\n", said.as_bytes()].concat());
    for secret in &choices.secrets {
        prop_assert!(!clear.contains(secret), "{secret} is in the clear: {clear}");
    }
    if goes_on {
        // An input may be refused before its first record.
        let is_input = matches!(
            error,
            Some(Error::Table(_) | Error::Input(InputError::Unsupported(_)))
        );
        prop_assert!(error.is_none() || is_input, "{error:?}");
    }
    if choices.is_clean {
        prop_assert!(error.is_none(), "{error:?}");
    }
    if error.is_none() {
        let sealed = revealed(&[out, b"\n", letters].concat());
        // As they are, too: a record that is cut within an escape runs into the next one.
        let sealed = as_text(&sealed) + &String::from_utf8_lossy(&sealed);
        // Some have been cut.
        let planted = as_text(input);
        let planted = choices
            .secrets
            .iter()
            .filter(|secret| planted.contains(*secret));
        for secret in planted {
            prop_assert!(sealed.contains(secret), "{secret} is lost: {clear}");
        }
        let stats = &heard.total;
        let sum = stats.opened + stats.already + stats.absent + stats.truncated;
        prop_assert_eq!(sum + stats.failures(), stats.records);
    }
    Ok(())
}

/// Returns a configuration for about ten seconds in all, with the same cases each time, so that a
/// change does not fail by chance. `PQSEAL_LONG` requests 300 times as many cases, `PROPTEST_CASES`
/// sets their number; both are random.
fn cases(few: u32) -> ProptestConfig {
    let is_long = env::var_os("PQSEAL_LONG").is_some();
    let config = match env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None if is_long => ProptestConfig::with_cases(300 * few),
        None => ProptestConfig {
            rng_seed: RngSeed::Fixed(0),
            ..ProptestConfig::with_cases(few)
        },
    };
    ProptestConfig {
        max_shrink_iters: 2000,
        ..config
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..400)
}

proptest! {
    #![proptest_config(cases(1200))]

    #[test]
    fn no_document_passes_a_secret(bytes in bytes()) {
        let mut choices = Choices::new(&bytes);
        documents::case(&mut choices).check(&choices)?;
    }

    #[test]
    fn no_table_passes_a_secret(bytes in bytes()) {
        let mut choices = Choices::new(&bytes);
        tables::case(&mut choices).check(&choices)?;
    }
}

#[cfg(all(feature = "parquet", target_endian = "little"))]
proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn no_parquet_passes_a_secret(bytes in bytes()) {
        let mut choices = Choices::new(&bytes);
        columns::check(&mut choices)?;
    }
}
