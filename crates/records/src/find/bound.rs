//! What fields are bound to, if a line has several records (OTLP).

use alloc::vec::Vec;
use core::ops::Range;

use super::{Found, Part};
use crate::{ALL, FieldPath, answer::Problem, json, layout::CellPath};

/// What the fields of a record are bound to, and its origin.
pub(super) struct Bound {
    pub(super) aad: Result<Vec<u8>, Problem>,
    pub(super) origin: Vec<u8>,
}

impl Found<'_> {
    pub(super) fn is_otlp(&self) -> bool {
        let is_otlp =
            |part: &Part<'_>| matches!(part, Part::Document { fields, .. } if fields.is_otlp);
        ALL && self.parts.iter().any(is_otlp)
    }

    /// Finds what each record of a line of OTLP is bound to, and its origin. A field outside
    /// records has neither.
    pub(super) fn bind_records(&mut self) {
        let layout = self.layout;
        let Some(Part::Document { text, fields, .. }) = self.parts.first() else {
            return;
        };
        let value =
            |record: &Range<usize>, at: &CellPath| json::value(&text[record.clone()], &at.path);
        let aad = |record| match &layout.aad {
            None => Ok(Vec::new()),
            Some(at) => at
                .as_ref()
                .and_then(|at| Some(bound_value(&at.path, &value(record, at)?)))
                .ok_or(Problem::NoAad),
        };
        let origin = |record| {
            let origins = layout.origin.iter().flat_map(|at| value(record, at));
            origins.flatten().collect()
        };
        let records = fields.records.iter();
        self.records = records
            .map(|record| Bound {
                aad: aad(record),
                origin: origin(record),
            })
            .collect();
        if layout.aad.is_some() {
            self.bound.aad = Err(Problem::NoAad);
        }
    }
}

/// The members with ids, which programs write in either case.
const IDS: [&str; 6] = [
    "traceId",
    "trace_id",
    "spanId",
    "span_id",
    "parentSpanId",
    "parent_span_id",
];

/// Returns what a blob is bound to, by the value of a member of its record: the characters of a
/// string, in lower case for ids, or the text of another value. A time is the same as a string and
/// as a number.
fn bound_value(path: &FieldPath, value: &[u8]) -> Vec<u8> {
    let text = json::decode_string(value).unwrap_or(value.into());
    match path.name().is_some_and(|name| IDS.contains(&name)) {
        true => text.to_ascii_lowercase(),
        false => text.into_owned(),
    }
}
