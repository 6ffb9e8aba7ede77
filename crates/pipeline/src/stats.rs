//! Counters of records. Every record is counted exactly once.

use std::{collections::BTreeMap, fmt::Write};

use pqseal_matched_data::KeyName;
use serde_json::{Map, Value, json};

/// The number of records per outcome. `records` is the sum of `opened`, `already`, `absent`,
/// `truncated` and all of `failed`.
///
/// ```
/// use pqseal_pipeline::Stats;
///
/// let mut total = Stats::default();
/// total.add(&Stats { records: 3, opened: 2, absent: 1, ..Stats::default() });
/// assert_eq!((total.records, total.failures()), (3, 0));
/// assert_eq!(total.json(&[], 1.5)["records_per_second"], 2.0);
/// assert!(total.prometheus(&[]).contains("pqseal_records_total{outcome=\"opened\"} 2"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// All records.
    pub records: u64,
    /// The lines that were written for records, if each event is one
    /// ([`Pipeline::exploded`](crate::Pipeline::exploded)).
    pub events: u64,
    /// Records of which a field was opened, and none failed.
    pub opened: u64,
    /// Records of which no field was opened, since they already had the result.
    pub already: u64,
    /// Records that came with the result of a field, whatever their outcome: anyone who writes
    /// records can put it there.
    pub with_result: u64,
    /// Records with nothing to open.
    pub absent: u64,
    /// Records whose payload the edge left out.
    pub truncated: u64,
    /// Records that failed, by the code of the first failure.
    pub failed: BTreeMap<&'static str, u64>,
    /// The part of [`opened`](Self::opened) that was sealed as a whole because the fields could not
    /// be, by the code of the reason. Records that were sealed as a whole to a separate file are in
    /// [`failed`](Self::failed).
    pub whole: BTreeMap<&'static str, u64>,
    /// Fields opened, by the index of the key.
    pub keys: BTreeMap<usize, u64>,
    /// Fields that were found, empty or not, by the index of the rule.
    pub found: BTreeMap<usize, u64>,
    /// Fields whose plaintext was not UTF-8.
    pub lossy: u64,
    /// Sealed fields that contained a lone surrogate.
    pub surrogates: u64,
    /// Decompressed bytes read.
    pub bytes_in: u64,
    /// Bytes written before compression.
    pub bytes_out: u64,
}

impl Stats {
    /// Returns the number of records that failed.
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }

    /// Counts a record that was refused for this reason, and sealed as a whole.
    pub(crate) fn refused(&mut self, code: &'static str, is_in_place: bool) {
        let by_code = match is_in_place {
            true => &mut self.whole,
            false => &mut self.failed,
        };
        *by_code.entry(code).or_default() += 1;
        self.opened += u64::from(is_in_place);
    }

    /// Adds other counters to these.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.records, other.records),
            (&mut self.events, other.events),
            (&mut self.opened, other.opened),
            (&mut self.already, other.already),
            (&mut self.with_result, other.with_result),
            (&mut self.absent, other.absent),
            (&mut self.truncated, other.truncated),
            (&mut self.lossy, other.lossy),
            (&mut self.surrogates, other.surrogates),
            (&mut self.bytes_in, other.bytes_in),
            (&mut self.bytes_out, other.bytes_out),
        ];
        pairs.into_iter().for_each(|(sum, count)| *sum += count);
        for (sums, counts) in [
            (&mut self.failed, &other.failed),
            (&mut self.whole, &other.whole),
        ] {
            counts
                .iter()
                .for_each(|(code, count)| *sums.entry(code).or_default() += count);
        }
        other
            .keys
            .iter()
            .for_each(|(key, count)| *self.keys.entry(*key).or_default() += count);
        other
            .found
            .iter()
            .for_each(|(rule, count)| *self.found.entry(*rule).or_default() += count);
    }

    /// Returns the counters with those of keys of one id added, such as of a calendar's periods
    /// ([`KeyRing::report_names`](pqseal_matched_data::KeyRing::report_names)).
    #[must_use]
    pub fn merged(&self, keys: &[KeyName]) -> Self {
        let mut places = BTreeMap::new();
        let mut merged = self.clone();
        merged.keys.clear();
        for (key, count) in &self.keys {
            let place = match keys.get(*key) {
                Some(name) => *places.entry(name.id).or_insert(*key),
                None => *key,
            };
            *merged.keys.entry(place).or_default() += count;
        }
        merged
    }

    /// Returns the counters as a JSON object, for programs. `keys` are those of the ring, in its
    /// order.
    pub fn json(&self, keys: &[KeyName], seconds: f64) -> Value {
        let by_key = self
            .keys
            .iter()
            .map(|(key, count)| (key_id(keys, *key), json!(count)));
        let labels = keys
            .iter()
            .filter_map(|key| Some((key.id.to_string(), json!(key.label.as_deref()?))));
        let rate = if seconds > 0.0 {
            (self.records as f64 / seconds).round()
        } else {
            0.0
        };
        let mut counters = json!({
            "records": self.records, "opened": self.opened, "already": self.already, "with_result": self.with_result, "absent": self.absent,
            "truncated": self.truncated, "failed": self.failures(), "failed_by_code": self.failed,
            "opened_by_key": Map::from_iter(by_key), "key_labels": Map::from_iter(labels), "lossy": self.lossy, "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out, "seconds": seconds, "records_per_second": rate,
        });
        if self.events > 0 {
            counters["events"] = self.events.into();
        }
        counters
    }

    /// Returns the counters in the format of Prometheus' text file collector, which
    /// `prometheus-client` does not write.
    pub fn prometheus(&self, keys: &[KeyName]) -> String {
        let mut text = String::new();
        let outcomes = [
            ("opened", self.opened),
            ("already", self.already),
            ("absent", self.absent),
            ("truncated", self.truncated),
            ("failed", self.failures()),
        ];
        text += "# HELP pqseal_records_total Log records by outcome.\n# TYPE pqseal_records_total counter\n";
        outcomes.iter().for_each(|(name, count)| {
            _ = writeln!(text, "pqseal_records_total{{outcome=\"{name}\"}} {count}")
        });
        text += "# HELP pqseal_records_with_result_total Log records that came with a result.\n# TYPE pqseal_records_with_result_total counter\n";
        let _ = writeln!(
            text,
            "pqseal_records_with_result_total {}",
            self.with_result
        );
        text += "# HELP pqseal_failures_total Log records that failed, by code.\n# TYPE pqseal_failures_total counter\n";
        self.failed.iter().for_each(|(code, count)| {
            _ = writeln!(text, "pqseal_failures_total{{code=\"{code}\"}} {count}")
        });
        text += "# HELP pqseal_opened_fields_total Fields opened, by key id.\n# TYPE pqseal_opened_fields_total counter\n";
        for (key, count) in &self.keys {
            let label = keys.get(*key).and_then(|key| key.label.as_deref());
            let label = label.map_or_else(String::new, |label| {
                let escaped = label.replace('\\', "\\\\").replace('"', "\\\"");
                format!(",label=\"{}\"", escaped.replace('\n', "\\n"))
            });
            let _ = writeln!(
                text,
                "pqseal_opened_fields_total{{key_id=\"{}\"{label}}} {count}",
                key_id(keys, *key)
            );
        }
        text += "# HELP pqseal_bytes_total Bytes before compression.\n# TYPE pqseal_bytes_total counter\n";
        let _ = writeln!(
            text,
            "pqseal_bytes_total{{direction=\"in\"}} {}",
            self.bytes_in
        );
        let _ = writeln!(
            text,
            "pqseal_bytes_total{{direction=\"out\"}} {}",
            self.bytes_out
        );
        text
    }
}

fn key_id(keys: &[KeyName], key: usize) -> String {
    keys.get(key)
        .map_or_else(|| key.to_string(), |key| key.id.to_string())
}
