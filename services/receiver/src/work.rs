//! The work of a thread on a body: it decompresses the body, opens its records, and keeps the
//! results until they are delivered.

use std::{
    io::{self, Read, Write},
    path::PathBuf,
};

use pqseal_pipeline::{Framing, Input, InputError, Observer, Stats, Warning};
use pqseal_server::spool::{Lines, Spool};
use serde_json::Value;

use crate::{
    body::BodyReader, collector::EventReader, config::Config, material::Material, refusal::Refusal,
};

/// The separation of records in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    /// One record per line.
    Lines,
    /// Consecutive objects, for an HTTP Event Collector.
    Events,
}

/// What bodies are opened with, besides the keys.
pub(crate) struct BodyOpener {
    /// The largest body after decompression, in bytes.
    decompressed: u64,
    wants_letters: bool,
    /// The folder of events that do not fit in memory.
    folder: PathBuf,
}

/// The results of a body.
pub(crate) struct Results {
    pub(crate) events: Lines,
    pub(crate) letters: Option<Lines>,
    pub(crate) stats: Stats,
    /// The codes of warnings.
    pub(crate) warnings: Vec<&'static str>,
    /// `true` for a log service's test of its destination, which has no events.
    pub(crate) is_test: bool,
}

/// The reason why there is nothing to deliver, with a sentence for the log.
pub(crate) struct Failure {
    pub(crate) refusal: Refusal,
    pub(crate) reason: Option<String>,
}

/// The largest test of a log service, in bytes.
const TEST: u64 = 1024;

impl BodyOpener {
    pub(crate) fn new(config: &Config) -> Self {
        let folder = config.output.as_ref().map(|output| output.folder.clone());
        Self {
            decompressed: config.limits.decompressed,
            wants_letters: config.dead_letter.is_some(),
            folder: folder.unwrap_or_else(std::env::temp_dir),
        }
    }

    /// Opens a body. `source` is the name of the client, for dead letters.
    ///
    /// # Errors
    /// If it is damaged or too large, or its results cannot be kept.
    pub(crate) fn open(
        &self,
        body: BodyReader,
        format: BodyFormat,
        source: &str,
        material: &Material,
    ) -> Result<Results, Failure> {
        let mut input = AtMost {
            reader: Input::decompressed(body).map_err(unreadable)?,
            left: self.decompressed,
        };
        let mut start = Vec::new();
        (&mut input)
            .take(TEST + 1)
            .read_to_end(&mut start)
            .map_err(unreadable)?;
        let is_test = format == BodyFormat::Lines && is_test(&start);
        if is_test {
            start.clear();
        }
        let records = io::Cursor::new(start).chain(input);
        let input = match format {
            BodyFormat::Lines => Input::plain(records),
            BodyFormat::Events => {
                let largest = material.pipeline.limits().record;
                Input::plain(EventReader::new(records, largest))
            }
        };
        let mut events = Spool::new(&self.folder);
        let mut notes = Notes {
            letters: self.wants_letters.then(|| Spool::new(&self.folder)),
            warnings: Vec::new(),
        };
        let stats = material
            .pipeline
            .run_on_pool(input, Framing::Lines, &mut events, source, &mut notes)
            .map_err(failed)?;
        let letters = notes.letters.map(Spool::finish).transpose();
        Ok(Results {
            letters: letters.map_err(unkept)?.filter(|letters| letters.len > 0),
            events: events.finish().map_err(unkept)?,
            stats,
            warnings: notes.warnings,
            is_test,
        })
    }
}

/// A reader that fails after this many bytes of `reader`.
struct AtMost<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for AtMost<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(Refusal::DecompressedTooLarge)),
        }
        Ok(read)
    }
}

/// Recognises the test of a destination. Before a job is created, Logpush uploads an object whose
/// only member is `content`, with the text `test` or `tests`. Any other body is taken for records,
/// JSON or not.
fn is_test(body: &[u8]) -> bool {
    let Ok(Value::Object(members)) = serde_json::from_slice(body) else {
        return false;
    };
    let content = members.get("content").and_then(Value::as_str);
    members.len() == 1 && matches!(content, Some("test" | "tests"))
}

/// The dead letters and warnings of one body.
struct Notes {
    letters: Option<Spool>,
    warnings: Vec<&'static str>,
}

impl Observer for Notes {
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

fn failed(error: pqseal_pipeline::Error) -> Failure {
    use pqseal_pipeline::Error as Run;
    match error {
        Run::Read(error) => unreadable(error),
        Run::Input(error) => damaged(&error),
        Run::Write(error) | Run::Letter(error) => unkept(error),
        Run::Record { reason, .. } if reason.code() == pqseal_keys::KEY_UNAVAILABLE => {
            because(Refusal::KeyUnavailable, reason)
        }
        other => because(Refusal::Internal, other),
    }
}

/// Converts the error of a reader: one of our [`Refusal`]s, or a failure of the input.
fn unreadable(error: io::Error) -> Failure {
    match error.downcast::<Refusal>().map_err(io::Error::downcast) {
        Ok(refusal) => refusal.into(),
        Err(Ok(error)) => damaged(&error),
        Err(Err(error)) => because(Refusal::Internal, error),
    }
}

fn damaged(error: &InputError) -> Failure {
    let refusal = match error {
        InputError::NotInThisBuild(_) | InputError::Unsupported(_) | InputError::ParquetStream => {
            Refusal::UnsupportedFormat
        }
        // The error below the decompressor may be that the body ended early or grew too large.
        InputError::CutOff { source, .. } | InputError::Damaged { source, .. } => source
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Refusal>().copied())
            .unwrap_or(Refusal::Damaged),
        _ => Refusal::Damaged,
    };
    refusal.into()
}

fn unkept(error: io::Error) -> Failure {
    because(Refusal::Storage, error)
}

fn because(refusal: Refusal, reason: impl ToString) -> Failure {
    let reason = Some(reason.to_string());
    Failure { refusal, reason }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let reason = None;
        Self { refusal, reason }
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

    #[test]
    fn the_last_byte_that_is_allowed_is_read() {
        for (left, expected) in [(3, Ok(3)), (2, Err(Refusal::DecompressedTooLarge))] {
            let mut reader = AtMost {
                reader: &b"abc"[..],
                left,
            };
            let read = reader.read_to_end(&mut Vec::new());
            let read = read.map_err(|error| error.downcast::<Refusal>().unwrap());
            assert_eq!(read, expected);
        }
    }
}
