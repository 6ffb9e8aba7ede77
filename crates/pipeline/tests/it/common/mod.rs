//! A pipeline without cryptography: `open:` followed by a text opens to that text, and other
//! texts fail.

use pqseal_pipeline::{
    Error, Failure, FieldValue, Framing, Limits, Observer, Outcome, Pipeline, Reason, Stats,
    Transform,
};
use pqseal_records::{OnField, ResultFormat, Rule, Rules};

#[cfg(feature = "parquet")]
pub(crate) mod parquet;

pub(crate) struct Mock;

impl Transform for Mock {
    fn chunk(&self, records: &[FieldValue<'_>]) -> Vec<Outcome> {
        let open = |record: &FieldValue<'_>| match record.text {
            None | Some(b"") => Outcome::Absent,
            Some(b"truncated") => Outcome::Truncated,
            Some(text) => match text.strip_prefix(b"open:") {
                Some(plaintext) => Outcome::Opened {
                    plaintext: [plaintext, record.aad].concat(),
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

/// A transform that seals to `open:`, the text and its associated data. A text with `!` fails.
pub(crate) struct Seal;

impl Transform for Seal {
    fn chunk(&self, records: &[FieldValue<'_>]) -> Vec<Outcome> {
        let seal = |record: &FieldValue<'_>| match record.text {
            None => Outcome::Absent,
            Some(text) if text.contains(&b'!') => {
                Outcome::Failed(Failure::new(pqseal_matched_data::Error::NoKeyOpens.into()))
            }
            Some(text) => Outcome::Opened {
                plaintext: [b"open:", text, record.aad].concat(),
                key: 0,
            },
        };
        records.iter().map(seal).collect()
    }

    fn seals(&self) -> bool {
        true
    }
}

pub(crate) struct Silent;

impl Observer for Silent {
    fn batch(&mut self, _stats: &Stats) {}
}

pub(crate) fn fields(paths: &[&str]) -> Rules {
    let rules = paths
        .iter()
        .map(|path| Rule::field(path.parse().unwrap()))
        .collect();
    Rules {
        rules,
        ..Rules::default()
    }
}

pub(crate) fn with(mode: OnField, form: ResultFormat, rules: Rules) -> Rules {
    Rules {
        mode,
        form,
        ..rules
    }
}

pub(crate) fn pipeline(rules: Rules, framing: Framing) -> Pipeline<Mock> {
    Pipeline::new(Mock, rules, 1).unwrap().framed(
        framing,
        Limits {
            record: 2000,
            ..Limits::default()
        },
    )
}

pub(crate) fn run(
    input: impl AsRef<[u8]>,
    framing: Framing,
    rules: Rules,
) -> Result<(Vec<u8>, Stats), Error> {
    let mut out = Vec::new();
    let stats = pipeline(rules, framing).run(input.as_ref(), &mut out, "test", &mut Silent)?;
    Ok((out, stats))
}

/// Asserts that every record is counted once.
#[track_caller]
pub(crate) fn accounted(stats: &Stats) {
    let sum = stats.opened + stats.already + stats.absent + stats.truncated + stats.failures();
    assert_eq!(sum, stats.records, "{stats:?}");
}
