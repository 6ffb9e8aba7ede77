//! Pipelines without keys: one that opens fields without encryption, and one that records its
//! inputs.

use std::sync::{LazyLock, Mutex};

use pqseal_pipeline::{
    Error, Failure, Framing, Input, Limits, Observer, Outcome, Pipeline, Reason, Record, Stats,
    Transform,
};
use pqseal_records::{FieldPath, Rule, Rules};

/// A transform that opens `open:` and a text to that text.
pub(crate) struct Prefix;

impl Transform for Prefix {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        let open = |record: &Record<'_>| match record.text {
            None | Some(b"") => Outcome::Absent,
            Some(text) => match text.strip_prefix(b"open:") {
                Some(plaintext) => Outcome::Opened {
                    plaintext: plaintext.to_vec(),
                    key: 0,
                },
                None => Outcome::Failed(Failure::new(Reason::Blob(
                    pqseal_matched_data::Error::NoKeyOpens,
                ))),
            },
        };
        records.iter().map(open).collect()
    }
}

/// A transform that keeps the text of each field.
#[derive(Default)]
struct Seen(Mutex<Vec<Option<Vec<u8>>>>);

impl Transform for Seen {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        let texts = records.iter().map(|record| record.text.map(<[u8]>::to_vec));
        self.0.lock().expect("no other panic").extend(texts);
        vec![Outcome::Absent; records.len()]
    }

    // With sealing, values other than strings are passed as text too.
    fn seals(&self) -> bool {
        true
    }
}

/// An observer that keeps dead letters.
#[derive(Default)]
pub(crate) struct Letters(pub(crate) Vec<u8>);

impl Observer for Letters {
    fn batch(&mut self, _stats: &Stats) {}

    fn dead_letter(&mut self, letter: &[u8]) -> std::io::Result<()> {
        self.0.extend(letter);
        Ok(())
    }

    fn wants_letters(&self) -> bool {
        true
    }
}

/// Creates a pipeline that opens the field `s`.
pub(crate) fn prefix() -> Pipeline<Prefix> {
    Pipeline::new(Prefix, rules("s".parse().expect("a path")), 1).expect("a thread")
}

/// Returns the output for an input whose field `s` is sealed.
pub(crate) fn open(input: &[u8], framing: Framing) -> Result<(Vec<u8>, Stats), Error> {
    static PIPELINE: LazyLock<Pipeline<Prefix>> = LazyLock::new(prefix);
    let (mut out, mut letters) = (Vec::new(), Letters::default());
    let input = Input::plain(input);
    let stats = PIPELINE.run_framed(input, framing, &mut out, "input", &mut letters)?;
    let all = stats.opened + stats.already + stats.absent + stats.truncated + stats.failures();
    assert_eq!(all, stats.records, "each record is counted once");
    Ok((out, stats))
}

/// Returns the text of each field that is at `path` in a record.
///
/// # Errors
/// If the record is not JSON.
pub(crate) fn texts(record: &[u8], path: FieldPath) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let limits = Limits {
        record: usize::MAX,
        ..Limits::default()
    };
    let pipeline = Pipeline::new(Seen::default(), rules(path), 1)?.framed(Framing::Lines, limits);
    pipeline.run(record, &mut Vec::new(), "input", &mut Letters::default())?;
    let seen = pipeline
        .transform()
        .0
        .lock()
        .expect("no other panic")
        .clone();
    Ok(seen)
}

fn rules(path: FieldPath) -> Rules {
    Rules {
        rules: vec![Rule::field(path)],
        ..Rules::default()
    }
}
