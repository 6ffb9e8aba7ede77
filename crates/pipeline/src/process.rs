//! The answers of a transform to the fields of records, and the changes that follow from them.
//!
//! A [`Field`](pqseal_records::Field) that was found goes to the transform as a [`FieldValue`] and
//! comes back as an [`Outcome`], opened or sealed. That is the [`Answer`] of
//! [`Found::finish`](pqseal_records::Found::finish), which makes [`Change`]s of the record.

use pqseal_records::{Answer, AsAnswer, Found, Problem, find::Change};

use crate::{
    opener::{Failure, FieldValue, Outcome, Transform},
    stats::Stats,
};

/// The result for a record.
#[derive(Default)]
pub(crate) struct RecordResult<'a> {
    pub(crate) changes: Vec<Change<'a>>,
    pub(crate) failure: Option<Failure>,
}

impl AsAnswer for Outcome {
    fn answer(&self) -> Answer<'_> {
        match self {
            Self::Opened { plaintext, .. } => Answer::Opened(plaintext),
            Self::Absent => Answer::Absent,
            Self::Truncated => Answer::Truncated,
            Self::Failed(failure) => Answer::Failed(failure.code()),
        }
    }
}

/// Processes records and counts each once, except that failed records are left to the caller to
/// count. The changes to a record are computed when the iterator reaches it, so its memory can be
/// reused for the next.
pub(crate) fn process<'f>(
    finds: &'f [Found<'_>],
    transform: &impl Transform,
    stats: &'f mut Stats,
) -> impl Iterator<Item = RecordResult<'f>> {
    let outcomes = outcomes(finds, transform, stats);
    let mut next = 0;
    finds.iter().map(move |found| {
        let first = next;
        next += found.count();
        finish(found, &outcomes[first..next], stats)
    })
}

/// Returns the outcome of each field to process, in order.
fn outcomes(finds: &[Found<'_>], transform: &impl Transform, stats: &mut Stats) -> Vec<Outcome> {
    // Most records have one field.
    let mut fields = Vec::with_capacity(finds.len());
    fields.extend(finds.iter().flat_map(Found::fields));
    let surrogates = fields.iter().filter(|field| field.has_surrogate);
    stats.surrogates += surrogates.count() as u64;
    let mut values = Vec::with_capacity(fields.len());
    values.extend(fields.iter().filter_map(|field| {
        Some(FieldValue {
            text: field.text.as_ref().ok()?.as_deref(),
            is_object: field.is_object,
            aad: field.aad,
            origin: field.origin,
        })
    }));
    let mut outcomes = transform.chunk(&values).into_iter();
    let outcomes = fields.iter().map(|field| match field.text {
        Ok(_) => outcomes.next().expect("one outcome per field"),
        Err(problem) => Outcome::Failed(problem.into()),
    });
    outcomes.collect()
}

fn finish<'f>(found: &'f Found<'_>, outcomes: &[Outcome], stats: &mut Stats) -> RecordResult<'f> {
    let done = found.finish(outcomes);
    stats.lossy += done.lossy;
    for rule in found.rules() {
        *stats.found.entry(rule).or_default() += 1;
    }
    for outcome in outcomes {
        if let Outcome::Opened { key, .. } = outcome {
            *stats.keys.entry(*key).or_default() += 1;
        }
    }
    let failure = done.problem.map(Failure::from);
    let failure = failure.or_else(|| {
        outcomes.iter().find_map(|outcome| match outcome {
            Outcome::Failed(failure) => Some(failure.clone()),
            _ => None,
        })
    });
    if failure.is_none() {
        let mut opened = outcomes.iter();
        let count = if opened.any(|outcome| matches!(outcome, Outcome::Opened { .. })) {
            &mut stats.opened
        } else if outcomes.contains(&Outcome::Truncated) {
            &mut stats.truncated
        } else if found.is_done() {
            &mut stats.already
        } else {
            &mut stats.absent
        };
        *count += 1;
    }
    stats.records += 1;
    stats.with_result += u64::from(found.has_result());
    RecordResult {
        changes: done.changes,
        failure,
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::new(problem.into())
    }
}
