//! Checks of calendars.

use pqseal_keys::calendar::{Calendar, KeyState, date};

use super::report::Report;
use crate::{
    calendar::{WARN_DAYS, shredding, words},
    date::seconds_now,
    error::Error,
    input::Source,
};

/// Reports on a calendar: each key, the current period, the end, and an interrupted shredding.
pub(super) fn examine(
    about: &str,
    source: &Source,
    calendar: &Calendar,
    report: &mut Report,
) -> Result<(), Error> {
    let name = source.to_string();
    match calendar.check() {
        Ok(()) => report.ok(about, &name, &described(calendar))?,
        Err(error) => report.problem(about, &name, error.code(), &error.to_string())?,
    }
    if source.path().is_some_and(|path| shredding(path).exists()) {
        let text = "an interrupted `shred` or `extend` left FILE.shredding, which has keys that should be gone; `pqseal calendar shred` overwrites it";
        report.problem(about, &name, "shredding", text)?;
    }
    if !calendar.is_private() {
        let text = "it is a public calendar, which opens nothing; seal with: pqseal seal --to";
        report.problem(about, &name, "bad_key", text)?;
    }
    current(about, &name, calendar, report)
}

fn current(about: &str, name: &str, calendar: &Calendar, report: &mut Report) -> Result<(), Error> {
    let now = seconds_now();
    let state = |index| Some((index, calendar.state(index)?));
    match calendar.at(now).and_then(state) {
        None => {
            let text = "no period is the current one, so nothing can be sealed now";
            report.note(about, name, "no_period", text)?;
        }
        Some((index, KeyState::Present)) => {
            let text = format!("the current period is {}", calendar.period_name(index));
            report.ok(about, name, &text)?;
        }
        Some((index, state)) => {
            let (day, state) = (calendar.period_name(index), words(state));
            let text = format!("the current period is {day}, whose key is {state}");
            report.note(about, name, "no_key_now", &text)?;
        }
    }
    let end = calendar.start_of(calendar.count());
    let left = end.saturating_sub(now) / 86_400;
    match left < WARN_DAYS {
        true => {
            let end = date::rfc3339(end);
            let text = format!("it ends at {end}; extend it with `pqseal calendar extend`");
            report.note(about, name, "calendar_ends", &text)
        }
        false => Ok(()),
    }
}

fn described(calendar: &Calendar) -> String {
    let (count, length) = (calendar.count(), calendar.period_length());
    let keys = calendar.present().count();
    format!(
        "calendar of {count} periods ({length}) from {}, {keys} with a key, {}",
        calendar.period_name(0),
        calendar.kem().info().short_name
    )
}
