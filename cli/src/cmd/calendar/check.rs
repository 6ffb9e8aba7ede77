//! `pqseal calendar check`.

use clap::Args;
use pqseal_keys::calendar::Calendar;
use serde_json::json;

use super::{file::Files, period};
use crate::{
    error::{Error, Exit},
    input::Source,
    output::to_stdout,
};

/// Check every key of calendars, and that they are of one calendar
///
/// Each file is compared with the first one. A file may end earlier: it is of the time before an
/// extension. Otherwise the first period in which they differ is named.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::CALENDAR))]
pub(super) struct Check {
    #[command(flatten)]
    files: Files,
}

impl Check {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let mut first = None;
        self.files.each(json, |source, calendar| {
            let text = checked(source, &calendar, first.as_ref())?;
            first.get_or_insert_with(|| (source.clone(), calendar));
            let line = match json {
                true => json!({"file": source.to_string(), "ok": text}).to_string(),
                false => format!("{source}: {text}"),
            };
            to_stdout(format!("{line}\n").as_bytes())
        })
    }
}

fn checked(
    source: &Source,
    calendar: &Calendar,
    first: Option<&(Source, Calendar)>,
) -> Result<String, Error> {
    calendar
        .check()
        .map_err(|error| Error::calendar(source, &error))?;
    let keys = format!(
        "{} of {} have a key, and each key is right",
        calendar.present().count(),
        period::described(calendar.count(), calendar.period_length()),
    );
    match first {
        None => Ok(format!("{keys}; fingerprint {}", calendar.fingerprint())),
        Some((name, first)) => compare(source, calendar, name, first, &keys),
    }
}

fn compare(
    source: &Source,
    calendar: &Calendar,
    name: &Source,
    first: &Calendar,
    keys: &str,
) -> Result<String, Error> {
    let differs = |what: String| Error {
        exit: Exit::Incomplete,
        code: "calendars_differ",
        message: format!("{source} and {name} are not of one calendar: {what}"),
    };
    let mut both = calendar.chain().zip(first.chain());
    match both.position(|(a, b)| a != b) {
        Some(0) => Err(differs("their first lines differ".to_owned())),
        Some(at) => Err(differs(format!(
            "they differ from {} on",
            calendar.period_name(at - 1)
        ))),
        None => Ok(match calendar.count().cmp(&first.count()) {
            std::cmp::Ordering::Equal => format!("{keys}; the same calendar as {name}"),
            std::cmp::Ordering::Less => format!("{keys}; {name} was extended since"),
            std::cmp::Ordering::Greater => format!("{keys}; it was extended since {name}"),
        }),
    }
}
