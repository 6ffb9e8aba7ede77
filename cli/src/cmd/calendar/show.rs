//! `pqseal calendar show`.

use clap::Args;
use pqseal_keys::calendar::{Calendar, KeyState, date};
use serde_json::{Value, json};

use super::{EXAMPLES, Files, periods_in_words, shown_name};
use crate::{
    calendar::words,
    date::seconds_now,
    error::{Error, Exit},
    input::Source,
    output::to_stdout,
    parse::help,
};

/// Show what is in calendars, without their keys
#[derive(Args)]
#[command(after_long_help = help(&EXAMPLES))]
pub(super) struct Show {
    #[command(flatten)]
    files: Files,
}

impl Show {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        self.files.each(json, |source, calendar| {
            let text = match json {
                true => format!("{}\n", as_json(source, &calendar)),
                false => as_text(source, &calendar),
            };
            to_stdout(text.as_bytes())
        })
    }
}

/// Returns the runs of periods in one state: the state, and the first and last index.
fn runs(calendar: &Calendar) -> Vec<(KeyState, usize, usize)> {
    let mut runs: Vec<(KeyState, usize, usize)> = Vec::new();
    let states = (0..calendar.count()).filter_map(|index| Some((index, calendar.state(index)?)));
    for (index, state) in states {
        match runs.last_mut() {
            Some((last, _, end)) if *last == state => *end = index,
            _ => runs.push((state, index, index)),
        }
    }
    runs
}

const fn half(calendar: &Calendar) -> &'static str {
    match calendar.is_private() {
        true => "private",
        false => "public",
    }
}

fn as_text(source: &Source, calendar: &Calendar) -> String {
    let length = calendar.period_length();
    let mut text = format!(
        "{source}: {} calendar {}\n  id: {}\n  fingerprint: {}\n  kem: {}\n  periods: {}, from {} to {} (UTC)\n",
        half(calendar),
        shown_name(calendar),
        calendar.id(),
        calendar.fingerprint(),
        calendar.kem().info().short_name,
        periods_in_words(calendar.count(), length),
        date::rfc3339(calendar.start_of(0)),
        date::rfc3339(calendar.start_of(calendar.count())),
    );
    for (state, first, last) in runs(calendar) {
        text += &format!(
            "  {}: {} from {} to {}\n",
            words(state),
            periods_in_words(last - first + 1, length),
            calendar.period_name(first),
            calendar.period_name(last),
        );
    }
    let now = calendar.at(seconds_now());
    let now = now.and_then(|index| Some((index, calendar.state(index)?)));
    text + &now.map_or_else(
        || "  now: no period\n".to_owned(),
        |(index, state)| {
            format!(
                "  now: {} ({})\n",
                calendar.period_name(index),
                words(state)
            )
        },
    )
}

fn as_json(source: &Source, calendar: &Calendar) -> Value {
    let runs: Vec<_> = runs(calendar)
        .into_iter()
        .map(|(state, first, last)| {
            json!({
                "state": words(state), "first": calendar.period_name(first),
                "last": calendar.period_name(last), "count": last - first + 1,
            })
        })
        .collect();
    json!({
        "file": source.to_string(), "half": half(calendar), "name": calendar.name(),
        "id": calendar.id().to_string(), "fingerprint": calendar.fingerprint().to_string(),
        "kem": calendar.kem().info().short_name, "period": calendar.period_length().to_string(),
        "count": calendar.count(), "from": date::rfc3339(calendar.start_of(0)),
        "to": date::rfc3339(calendar.start_of(calendar.count())), "runs": runs,
        "now": calendar.at(seconds_now()).map(|index| calendar.period_name(index)),
    })
}
