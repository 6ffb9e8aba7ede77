//! Failures of stores, each described in one sentence with what to do next.

use std::{
    error::{self, Error as _},
    io, iter,
};

use object_store::{
    Error,
    client::{HttpError, HttpErrorKind},
};
use pqseal_pipeline::{
    files::{StoreError, StoreFailure},
    one_line,
};

/// Converts a failure to the error that readers and writers pass on.
pub(crate) fn failed(error: &Error) -> io::Error {
    failure(error).into()
}

pub(crate) fn failure(error: &Error) -> StoreError {
    let kind = kind(error);
    let text = chain(error);
    let code = between(&text, "<Code>", "</Code>").unwrap_or_default();
    let code = if code.is_empty() {
        code
    } else {
        format!(" ({code})")
    };
    let message = match kind {
        _ if text.contains("169.254.169.254") || text.contains("metadata.google.internal") => {
            "there are no credentials for the store in the environment, and this machine provides none; docs/siem/stores lists the variables".to_owned()
        }
        _ if text.contains("must be specified") => format!(
            "a setting of the store is missing in the environment ({}); docs/siem/stores lists the variables",
            root(error)
        ),
        StoreFailure::Missing => format!("the store has no such object or bucket{code}"),
        StoreFailure::Denied => format!(
            "the store refuses access{code}; check the credentials in the environment and their permissions"
        ),
        StoreFailure::Unreachable => format!("the store does not answer: {}", root(error)),
        _ => one_line(&text),
    };
    StoreError { kind, message }
}

fn kind(error: &Error) -> StoreFailure {
    match error {
        Error::NotFound { .. } => StoreFailure::Missing,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => StoreFailure::Denied,
        _ if is_unreachable(error) => StoreFailure::Unreachable,
        _ => of_status(&chain(error)),
    }
}

/// Classifies the failure of a listing. The crate reports these only in the text, by
/// their status.
fn of_status(text: &str) -> StoreFailure {
    match () {
        () if has_status(text, "404") => StoreFailure::Missing,
        () if has_status(text, "401") || has_status(text, "403") => StoreFailure::Denied,
        // The request was already retried for as long as the user allows.
        () if has_status(text, "429") || has_status(text, "5") => StoreFailure::Unreachable,
        () => StoreFailure::Other,
    }
}

/// Reports whether the text has a status that begins with these digits.
fn has_status(text: &str, digits: &str) -> bool {
    text.contains(&format!("status code: {digits}"))
}

fn is_unreachable(error: &Error) -> bool {
    use HttpErrorKind::{Connect, Interrupted, Request, Timeout};
    let mut failures = sources(error).filter_map(|error| error.downcast_ref::<HttpError>());
    failures.any(|error| matches!(error.kind(), Connect | Interrupted | Request | Timeout))
}

fn sources(error: &Error) -> impl Iterator<Item = &(dyn error::Error + 'static)> {
    iter::successors(error.source(), |&error| error.source())
}

/// Returns the innermost reason.
fn root(error: &Error) -> String {
    sources(error).last().map_or_else(
        || one_line(&error.to_string()),
        |error| one_line(&error.to_string()),
    )
}

/// Joins all reasons in one text.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    for source in sources(error) {
        text += &format!(": {source}");
    }
    text
}

fn between(text: &str, start: &str, end: &str) -> Option<String> {
    let (_, rest) = text.split_once(start)?;
    let (found, _) = rest.split_once(end)?;
    Some(one_line(found))
}
