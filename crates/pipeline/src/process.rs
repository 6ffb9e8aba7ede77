//! The answers of a transform to the fields of records, and the changes that follow from them.

use pqseal_records::{
    Answer, AsAnswer, Found, Problem,
    find::{Change, Field},
};

use crate::{
    batch::{Failure, Outcome, Record, Transform},
    stats::Stats,
};

/// The result for a record.
#[derive(Default)]
pub(crate) struct Done<'a> {
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
) -> impl Iterator<Item = Done<'f>> {
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
    let fields: Vec<_> = finds.iter().flat_map(Found::fields).collect();
    let surrogates = fields.iter().filter(|field| field.has_surrogate);
    stats.surrogates += surrogates.count() as u64;
    let records: Vec<_> = fields
        .iter()
        .filter_map(|field| {
            Some(Record {
                text: field.text.as_ref().ok()?.as_deref(),
                is_object: field.is_object,
                aad: field.aad,
                origin: field.origin,
            })
        })
        .collect();
    let mut outcomes = transform.chunk(&records).into_iter();
    let outcome = |field: &Field<'_>| match field.text {
        Ok(_) => outcomes.next().expect("one outcome per record"),
        Err(problem) => Outcome::Failed(problem.into()),
    };
    fields.iter().map(outcome).collect()
}

fn finish<'f>(found: &'f Found<'_>, outcomes: &[Outcome], stats: &mut Stats) -> Done<'f> {
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
    let failure = failure.or_else(|| outcomes.iter().find_map(failed).cloned());
    if failure.is_none() {
        count(found, outcomes, stats);
    }
    stats.records += 1;
    stats.with_result += u64::from(found.has_result());
    Done {
        changes: done.changes,
        failure,
    }
}

fn count(found: &Found<'_>, outcomes: &[Outcome], stats: &mut Stats) {
    let has = |wanted: fn(&Outcome) -> bool| outcomes.iter().any(wanted);
    let count = match () {
        () if has(|outcome| matches!(outcome, Outcome::Opened { .. })) => &mut stats.opened,
        () if has(|outcome| *outcome == Outcome::Truncated) => &mut stats.truncated,
        () if found.is_done() => &mut stats.already,
        () => &mut stats.absent,
    };
    *count += 1;
}

fn failed(outcome: &Outcome) -> Option<&Failure> {
    match outcome {
        Outcome::Failed(failure) => Some(failure),
        _ => None,
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::new(problem.into())
    }
}
