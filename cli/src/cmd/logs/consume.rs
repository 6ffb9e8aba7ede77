//! `pqseal logs open kafka://...`: opens records from a topic.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pqseal_pipeline::{Pipeline, Transform, files::follow::Sink};
use rdkafka::{Message, message::OwnedMessage};

use super::{
    destination::Destination,
    failure,
    kafka::{self, Batch, Failure, Member, Patience, Producer, Settings},
    report::Report,
    route::Route,
    terminal::Output,
    topic::Topic,
    transfer::Transfer,
    work::Work,
};
use crate::{error::Error, escape, input::Source, signals};

/// The output for the records of a topic, and its name.
enum To {
    /// Another topic, partition by partition or by key.
    Topic {
        producer: Producer,
        by_partition: bool,
        name: String,
    },
    /// A file or a stream, as lines.
    Lines { output: Output, name: String },
}

impl<T: Transform> Work<'_, T> {
    /// Processes the records of the input topic until a signal or the end of the topic.
    ///
    /// # Errors
    /// Those that end the run.
    pub(super) fn consume(&self, route: &Route, report: &mut Report) -> Result<(), Error> {
        let is_over =
            signals::asked_to_end().map_err(|error| Error::io("wait for signals", &error))?;
        let input = &route.inputs[0];
        let from = input.path().and_then(Topic::of);
        let from = from.ok_or_else(|| Error::usage(format!("{input} is not a topic")))?;
        let Transfer {
            files,
            kafka,
            growing,
            ..
        } = self.transfer;
        let patience = Patience::new(files.retry(), Arc::clone(&is_over));
        let unreadable = |failure: Failure| failure.on(&name_of(from), "read");
        let settings = kafka.settings(patience.clone()).map_err(unreadable)?;
        // If a signal comes before anything is read, there is nothing to finish.
        let mut member = match kafka.join(&settings, from, growing.start()) {
            Err(Failure::Unreachable { .. }) if patience.is_asked() => return Ok(()),
            joined => joined.map_err(unreadable)?,
        };
        let mut run = Consuming {
            pipeline: self.pipeline,
            to: self.to_of(route, member.partitions(), &settings, &is_over)?,
            from,
            until_end: kafka.until_end,
            is_over,
        };
        run.run(&mut member, report)
    }

    fn to_of(
        &self,
        route: &Route,
        partitions: usize,
        settings: &Settings,
        is_over: &Arc<AtomicBool>,
    ) -> Result<To, Error> {
        let Destination::Topic(path) = &route.destination else {
            let (mut output, name) = self.sink(&route.destination, is_over)?;
            // A killed run may have left a line without its end.
            let ended = output.lock().and_then(|()| output.end_line());
            ended.map_err(|error| unwritable(&name, &error))?;
            return Ok(To::Lines { output, name });
        };
        let name = escape::path(path);
        let producer =
            kafka::start(path, settings).map_err(|failure| failure.on(&name, "write"))?;
        Ok(To::Topic {
            by_partition: producer.is_alike(partitions),
            producer,
            name,
        })
    }
}

struct Consuming<'w, T> {
    pipeline: &'w Pipeline<T>,
    to: To,
    from: Topic<'w>,
    until_end: bool,
    is_over: Arc<AtomicBool>,
}

impl<T: Transform> Consuming<'_, T> {
    fn run(&mut self, member: &mut Member, report: &mut Report) -> Result<(), Error> {
        let limits = self.pipeline.limits();
        let from = name_of(self.from);
        while !self.is_over.load(Ordering::Relaxed) {
            let batch = member
                .take(limits)
                .map_err(|failure| failure.on(&from, "read"))?;
            if batch.is_empty() {
                if self.until_end && member.is_at_end() {
                    break;
                }
            } else {
                self.hand_on(&batch, report)?;
                member
                    .commit(&batch)
                    .map_err(|failure| failure.on(&from, "commit"))?;
            }
            report.refresh();
        }
        Ok(())
    }
}

impl<T: Transform> Consuming<'_, T> {
    /// Opens the batch, and waits until its results are delivered.
    fn hand_on(&mut self, batch: &Batch, report: &mut Report) -> Result<(), Error> {
        for (partition, messages) in batch.iter() {
            let source = format!("{}/{partition}", self.from);
            let records = messages.iter().filter_map(|message| {
                let number = u64::try_from(message.offset()).unwrap_or_default();
                Some((number, value(message)?))
            });
            let done = self.pipeline.run_apart(records, &source, report);
            let done = done.map_err(|error| {
                let input = Source::File(source.clone().into());
                failure(error, &input, self.to.name(), report)
            })?;
            self.to.put(messages, done.iter())?;
        }
        self.to.settle()
    }
}

impl To {
    fn name(&self) -> &str {
        match self {
            Self::Topic { name, .. } | Self::Lines { name, .. } => name,
        }
    }

    /// Writes `records`, the results of the messages that have a value.
    fn put<'r>(
        &mut self,
        messages: &[OwnedMessage],
        mut records: impl Iterator<Item = Option<&'r [u8]>>,
    ) -> Result<(), Error> {
        match self {
            Self::Topic {
                producer,
                by_partition,
                name,
            } => messages.iter().try_for_each(|message| {
                let record = match value(message) {
                    Some(_) => match records.next().flatten() {
                        // It could not be sealed, and is in the dead letters.
                        None => return Ok(()),
                        record => record,
                    },
                    None => message.payload(),
                };
                let sent = producer.send_like(message, record, *by_partition);
                sent.map_err(|failure| failure.on(name, "write"))
            }),
            Self::Lines { output, name } => {
                let mut lines = Vec::new();
                records
                    .flatten()
                    .for_each(|record| line(record, &mut lines));
                output
                    .add_lines(&lines)
                    .map_err(|error| unwritable(name, &error))
            }
        }
    }

    fn settle(&mut self) -> Result<(), Error> {
        match self {
            Self::Topic { producer, name, .. } => producer
                .settle()
                .map_err(|failure| failure.on(name, "write")),
            Self::Lines { output, name } => {
                output.settle().map_err(|error| unwritable(name, &error))
            }
        }
    }
}

/// Returns the value of a message. A message without a value, or with an empty one, is passed on
/// and not counted, like an empty line of a file.
fn value(message: &OwnedMessage) -> Option<&[u8]> {
    message.payload().filter(|value| !value.is_empty())
}

/// Appends a record as a line. Line breaks within a value, which in JSON are only white space,
/// become spaces.
fn line(record: &[u8], lines: &mut Vec<u8>) {
    let text = record.iter().map(|byte| match byte {
        b'\n' | b'\r' => b' ',
        byte => *byte,
    });
    lines.extend(text);
    lines.push(b'\n');
}

fn unwritable(name: &str, error: &io::Error) -> Error {
    Error::io(format_args!("write {name}"), error)
}

fn name_of(topic: Topic<'_>) -> String {
    escape::bytes(topic.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_opens_to_nothing_is_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("opened");
        let mut to = To::Lines {
            output: Output::appended(&path, 0o600, false).unwrap(),
            name: String::new(),
        };
        let records = [Some(&b"1"[..]), None, Some(b""), Some(b"2\n")];
        to.put(&[], records.into_iter()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1\n\n2 \n");
    }
}
