//! The work of a thread on a body: it decompresses the body, opens its records, and keeps the
//! results until they are delivered.

use std::{
    io::{self, Read, Write},
    path::Path,
};

use pqseal_pipeline::{Framing, Input, InputError, Observer, Opener, Pipeline, Stats, Warning};
use serde_json::Value;

use super::{
    body::{AtMost, Pieces},
    collector::Events,
    refusal::Refusal,
};
use crate::server::spool::{Lines, Spool};

/// The separation of records in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One record per line.
    Lines,
    /// Consecutive objects, for an HTTP Event Collector.
    Events,
}

/// The parameters of opening a body.
pub(super) struct Work<'a> {
    pub(super) pipeline: &'a Pipeline<Opener>,
    pub(super) form: Form,
    /// The name of the client, for dead letters.
    pub(super) source: &'a str,
    /// The largest body after decompression, in bytes.
    pub(super) decompressed: u64,
    /// The largest record, in bytes.
    pub(super) largest: usize,
    pub(super) wants_letters: bool,
    /// The folder of events that do not fit in memory.
    pub(super) folder: &'a Path,
}

/// The results of a body.
pub(super) struct Done {
    pub(super) events: Lines,
    pub(super) letters: Option<Lines>,
    pub(super) stats: Stats,
    /// The codes of warnings.
    pub(super) warnings: Vec<&'static str>,
    /// `true` for a log service's test of its destination, which has no events.
    pub(super) is_test: bool,
}

/// The reason why there is nothing to deliver, with a sentence for the log.
pub(super) struct Failed {
    pub(super) refusal: Refusal,
    pub(super) reason: Option<String>,
}

/// The largest test of a log service, in bytes.
const TEST: u64 = 1024;

impl Work<'_> {
    /// Opens a body.
    ///
    /// # Errors
    /// If it is damaged or too large, or its results cannot be kept.
    pub(super) fn open(&self, body: Pieces) -> Result<Done, Failed> {
        let input = Input::decompressed(body).map_err(unreadable)?;
        let mut input = AtMost {
            reader: input,
            left: self.decompressed,
        };
        let mut start = Vec::new();
        (&mut input)
            .take(TEST + 1)
            .read_to_end(&mut start)
            .map_err(unreadable)?;
        let is_test = self.form == Form::Lines && is_test(&start);
        if is_test {
            start.clear();
        }
        let mut done = self.records(io::Cursor::new(start).chain(input))?;
        done.is_test = is_test;
        Ok(done)
    }

    fn records(&self, records: impl Read + Send) -> Result<Done, Failed> {
        let input = match self.form {
            Form::Lines => Input::plain(records),
            Form::Events => Input::plain(Events::new(records, self.largest)),
        };
        let mut events = Spool::new(self.folder);
        let mut heard = Heard {
            letters: self.wants_letters.then(|| Spool::new(self.folder)),
            warnings: Vec::new(),
        };
        let stats = self
            .pipeline
            .run_on_pool(input, Framing::Lines, &mut events, self.source, &mut heard)
            .map_err(failed)?;
        let letters = heard
            .letters
            .map(Spool::finish)
            .transpose()
            .map_err(unkept)?;
        Ok(Done {
            events: events.finish().map_err(unkept)?,
            letters: letters.filter(|letters| letters.len > 0),
            stats,
            warnings: heard.warnings,
            is_test: false,
        })
    }
}

/// Recognises the test of a destination. Before a job is created, Logpush uploads an object whose
/// only member is `content`, with the text `test` or `tests`. Any other body is taken for records,
/// JSON or not.
fn is_test(body: &[u8]) -> bool {
    let Ok(Value::Object(members)) = serde_json::from_slice(body) else {
        return false;
    };
    let is = |value: &Value| matches!(value.as_str(), Some("test" | "tests"));
    members.len() == 1 && members.get("content").is_some_and(is)
}

/// The dead letters and warnings of one body.
struct Heard {
    letters: Option<Spool>,
    warnings: Vec<&'static str>,
}

impl Observer for Heard {
    fn batch(&mut self, _stats: &Stats) {}

    fn warning(&mut self, _source: &str, warning: &Warning) {
        self.warnings.push(warning.code());
    }

    fn dead_letter(&mut self, letter: &[u8]) -> io::Result<()> {
        match &mut self.letters {
            Some(letters) => letters.write_all(letter),
            None => Ok(()),
        }
    }

    fn wants_letters(&self) -> bool {
        self.letters.is_some()
    }
}

fn failed(error: pqseal_pipeline::Error) -> Failed {
    use pqseal_pipeline::Error as Run;
    match error {
        Run::Read(error) => unreadable(error),
        Run::Input(error) => damaged(&error),
        Run::Write(error) | Run::Letter(error) => unkept(error),
        Run::Record { reason, .. } if reason.code() == pqseal_keys::KEY_UNAVAILABLE => Failed {
            refusal: Refusal::KeyUnavailable,
            reason: Some(reason.to_string()),
        },
        other => Failed {
            refusal: Refusal::Internal,
            reason: Some(other.to_string()),
        },
    }
}

/// Converts the error of a reader: one of our [`Refusal`]s, or a failure of the input.
fn unreadable(error: io::Error) -> Failed {
    let error = match error.downcast::<Refusal>() {
        Ok(refusal) => {
            return Failed {
                refusal,
                reason: None,
            };
        }
        Err(error) => error,
    };
    match error.downcast::<InputError>() {
        Ok(error) => damaged(&error),
        Err(error) => Failed {
            refusal: Refusal::Internal,
            reason: Some(error.to_string()),
        },
    }
}

fn damaged(error: &InputError) -> Failed {
    let refusal = match error {
        InputError::NotInThisBuild(_) | InputError::Unsupported(_) | InputError::ParquetStream => {
            Refusal::Format
        }
        // The error below the decompressor may be that the body ended early or grew too large.
        InputError::CutOff { source, .. } | InputError::Damaged { source, .. } => source
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Refusal>().copied())
            .unwrap_or(Refusal::Damaged),
        _ => Refusal::Damaged,
    };
    Failed {
        refusal,
        reason: None,
    }
}

fn unkept(error: io::Error) -> Failed {
    Failed {
        refusal: Refusal::Storage,
        reason: Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_test_of_a_log_service_is_left_out() {
        for test in ["{\"content\":\"tests\"}", " {\"content\":\"test\"}\n"] {
            assert!(is_test(test.as_bytes()), "{test}");
        }
        for record in [
            "test",
            "{\"content\":\"tests\",\"a\":1}",
            "{}",
            "{\"content\":1}",
            "",
        ] {
            assert!(!is_test(record.as_bytes()), "{record}");
        }
    }
}
