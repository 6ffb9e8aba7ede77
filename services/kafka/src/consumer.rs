//! A member of a consumer group: polls, transforms, delivers and commits.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use pqseal_pipeline::{Limits, Observer, Pipeline, Transform, files::follow::Sink};
use rdkafka::{
    Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, CommitMode, Consumer as _},
    error::{KafkaError, KafkaResult},
    message::OwnedMessage,
    types::RDKafkaErrorCode as Code,
};

use crate::{
    config::{Config, Topic},
    context::Context,
    error::{Error, Failure, is_lost, is_passing, is_unreadable},
    partitions::Start,
    producer::Producer,
};

/// A member of a consumer group.
pub struct Consumer {
    consumer: Arc<BaseConsumer<Context>>,
    topic: Topic,
    partitions: usize,
    /// The errors that were reported, once each.
    warned: Vec<Code>,
}

/// The destination of results.
pub enum Output<'o> {
    /// Another topic. If both have as many partitions, a message keeps its partition; otherwise its
    /// key decides.
    Topic(Producer),
    /// A file or a stream.
    Lines(&'o mut dyn Sink),
}

/// Receives the events of a run.
pub trait Events: Observer {
    /// Reports a warning. `code` is for programs.
    fn warn(&mut self, code: &'static str, message: String);

    /// Reports the end of each batch and each wait.
    fn tick(&mut self);
}

/// The longest wait for a first message, or for the answer to a commit, before signals are checked.
const WAIT: Duration = Duration::from_millis(100);
/// The length of a pause that ends a batch.
const PAUSE: Duration = Duration::from_millis(50);
/// The age that ends a batch, if messages come slowly but do not pause.
const AGE: Duration = Duration::from_millis(250);

/// The settings that properties may change.
const DEFAULTS: [(&str, &str); 3] = [
    // If the group's offset no longer exists, fail instead of silently continuing elsewhere.
    ("auto.offset.reset", "error"),
    // The size of the prefetched messages, in KiB.
    ("queued.max.messages.kbytes", "32768"),
    ("allow.auto.create.topics", "false"),
];

impl Consumer {
    /// Joins the group, which properties may name too, after it is known that the topic exists.
    ///
    /// # Errors
    /// If the topic cannot be read.
    pub fn join(config: &Config, group: Option<&str>, start: Start) -> Result<Self, Failure> {
        let group = group.or_else(|| config.properties.get("group.id"));
        let fixed = [
            ("group.id", group.ok_or(Failure::NoGroup)?),
            ("enable.auto.commit", "false"),
            ("enable.auto.offset.store", "false"),
            ("enable.partition.eof", "true"),
        ];
        let consumer: BaseConsumer<Context> = config
            .client(&DEFAULTS, &fixed)
            .create_with_context(Context::new(config, start))
            .map_err(|error| Failure::of(&error))?;
        // Before the member has joined there are no messages, only events.
        let partitions = consumer
            .context()
            .partitions(consumer.client(), || drop(consumer.poll(Duration::ZERO)))?;
        let joined = consumer.subscribe(&[&config.topic.name]);
        joined.map_err(|error| Failure::of(&error))?;
        Ok(Self {
            consumer: Arc::new(consumer),
            topic: config.topic.clone(),
            partitions,
            warned: Vec::new(),
        })
    }

    /// Processes messages until the run is to end or, with `until_end`, all partitions of this
    /// member were read to their ends.
    ///
    /// # Errors
    /// Those that end the run.
    pub fn run<T: Transform>(
        &mut self,
        pipeline: &Pipeline<T>,
        output: &mut Output<'_>,
        until_end: bool,
        events: &mut impl Events,
    ) -> Result<(), Error> {
        while !self.consumer.context().patience.is_asked() {
            let batch = self.take(pipeline.limits(), events).map_err(to("read"))?;
            if batch.count > 0 {
                self.deliver(&batch, pipeline, output, events)?;
                self.commit(&batch, events).map_err(to("commit"))?;
            } else if until_end && self.is_at_end() {
                break;
            }
            events.tick();
        }
        Ok(())
    }

    /// Transforms the batch, and waits until its results are delivered.
    fn deliver<T: Transform>(
        &self,
        batch: &Batch,
        pipeline: &Pipeline<T>,
        output: &mut Output<'_>,
        events: &mut impl Events,
    ) -> Result<(), Error> {
        for (partition, messages) in &batch.messages {
            let source = format!("{}/{partition}", self.topic);
            let records = messages.iter().filter_map(|message| {
                let number = u64::try_from(message.offset()).unwrap_or_default();
                Some((number, value(message)?))
            });
            let done = pipeline.process_messages(records, &source, events);
            let done = done.map_err(|error| Error::Pipeline(source, error))?;
            output.put(messages, done.iter(), self.partitions)?;
        }
        match output {
            Output::Topic(producer) => producer.settle().map_err(to("write")),
            Output::Lines(sink) => sink.settle().map_err(Error::Lines),
        }
    }

    /// Takes the next messages; the batch is empty if there are none for now.
    pub(crate) fn take(
        &mut self,
        limits: Limits,
        events: &mut impl Events,
    ) -> Result<Batch, Failure> {
        let mut batch = Batch::default();
        let mut begun = Instant::now();
        while !batch.is_full(limits) && (batch.count == 0 || begun.elapsed() < AGE) {
            let was_empty = batch.count == 0;
            let next = self.consumer.poll(if was_empty { WAIT } else { PAUSE });
            let next = next.map(|next| next.map(|next| next.detach()));
            let context = self.consumer.context();
            context.failed()?;
            let mut state = context.state();
            batch.drop(&mem::take(&mut state.share.revoked));
            match next {
                None => break,
                Some(Ok(message)) => {
                    state.share.ended.remove(&message.partition());
                    drop(state);
                    context.is_up();
                    batch.add(message);
                    if was_empty {
                        begun = Instant::now();
                    }
                }
                Some(Err(KafkaError::PartitionEOF(partition))) => {
                    state.share.ended.insert(partition);
                    break;
                }
                Some(Err(error)) => {
                    drop(state);
                    self.failed(&error, events)?;
                }
            }
        }
        if batch.count == 0 {
            let consumer = &self.consumer;
            consumer.context().check_brokers(consumer.client())?;
        }
        Ok(batch)
    }

    /// Reports whether this member has read all of its partitions to their ends.
    pub(crate) fn is_at_end(&self) -> bool {
        let context = self.consumer.context();
        context.state().share.is_at_end(Instant::now())
    }

    /// Handles an error of the client. An error that is permanent, or skips messages, ends the run.
    /// For other errors, the context decides when brokers were away for too long.
    fn failed(&mut self, error: &KafkaError, events: &mut impl Events) -> Result<(), Failure> {
        let context = self.consumer.context();
        let failure = Failure::of(error);
        let is_fatal = matches!(error, KafkaError::MessageConsumptionFatal(_))
            || matches!(
                failure,
                Failure::Refused(_) | Failure::NoTopic(_) | Failure::NoOffset
            );
        match error.rdkafka_error_code() {
            Some(code) if is_unreadable(code) => {
                return Err(Failure::Unreadable(context.reason_or(error)));
            }
            _ if is_fatal => return Err(failure),
            Some(code) if !is_passing(code) && !is_lost(code) && !self.warned.contains(&code) => {
                self.warned.push(code);
                let reason = context.reason_or(code);
                let message = format!(
                    "reading {}: {reason}; reading continues, and later errors of this kind are not reported",
                    self.topic.name
                );
                events.warn("kafka", message);
            }
            _ => {}
        }
        Ok(())
    }

    /// Commits the offsets after the batch.
    pub(crate) fn commit(&self, batch: &Batch, events: &mut impl Events) -> Result<(), Failure> {
        let mut offsets = TopicPartitionList::new();
        for (partition, messages) in &batch.messages {
            let Some(last) = messages.last() else {
                continue;
            };
            let next = Offset::Offset(last.offset() + 1);
            let added = offsets.add_partition_offset(&self.topic.name, *partition, next);
            added.map_err(|error| Failure::of(&error))?;
        }
        let context = self.consumer.context();
        let Err(error) = context.repeat(|| self.commit_once(&offsets)) else {
            return Ok(());
        };
        if !error.0.rdkafka_error_code().is_some_and(is_lost) {
            return Err(context.gave_up(error));
        }
        let message = format!(
            "partitions of {} went to other members of the group before {} delivered records were committed; these will be delivered again",
            self.topic.name, batch.count
        );
        events.warn("uncommitted", message);
        Ok(())
    }

    /// Commits on a separate thread. If no broker answers, the client returns only after its own
    /// timeouts of a minute or more, which no signal shortens; then the thread ends with the
    /// process, and the brokers miss the member after its session timeout.
    fn commit_once(&self, offsets: &TopicPartitionList) -> KafkaResult<()> {
        let (consumer, copy) = (Arc::clone(&self.consumer), offsets.clone());
        let (answer, answers) = channel();
        let thread = thread::Builder::new().name("commit".to_owned());
        let thread = thread.spawn(move || answer.send(consumer.commit(&copy, CommitMode::Sync)));
        let Ok(thread) = thread else {
            // Results that are delivered and not committed would be delivered again.
            return self.consumer.commit(offsets, CommitMode::Sync);
        };
        loop {
            match answers.recv_timeout(WAIT) {
                Ok(answer) => {
                    // It shares the consumer, which leaves its group when it is dropped here.
                    let _ = thread.join();
                    return answer;
                }
                Err(RecvTimeoutError::Timeout)
                    if !self.consumer.context().patience.is_cut_short() => {}
                Err(_) => return Err(KafkaError::ConsumerCommit(Code::OperationTimedOut)),
            }
        }
    }
}

/// Returns the error of a run that did not read, commit or write.
const fn to(doing: &'static str) -> impl Fn(Failure) -> Error {
    move |failure| Error::Topic(doing, failure)
}

impl Output<'_> {
    /// Writes `records`, the results of the messages that have a value. Their topic has
    /// `partitions`.
    fn put<'r>(
        &mut self,
        messages: &[OwnedMessage],
        mut records: impl Iterator<Item = Option<&'r [u8]>>,
        partitions: usize,
    ) -> Result<(), Error> {
        match self {
            Self::Topic(producer) => messages.iter().try_for_each(|message| {
                let record = match value(message).map(|_| records.next().flatten()) {
                    // It could not be sealed, and is in the dead letters.
                    Some(None) => return Ok(()),
                    Some(record) => record,
                    None => message.payload(),
                };
                let sent = producer.send_like(message, record, partitions);
                sent.map_err(to("write"))
            }),
            Self::Lines(sink) => sink.add_lines(&lines(records)).map_err(Error::Lines),
        }
    }
}

/// Returns the value of a message. A message without a value, or with an empty one, is passed on
/// and not counted, like an empty line of a file.
fn value(message: &OwnedMessage) -> Option<&[u8]> {
    message.payload().filter(|value| !value.is_empty())
}

/// Returns records as lines. Line breaks within a value, which in JSON are only white space, become
/// spaces.
fn lines<'r>(records: impl Iterator<Item = Option<&'r [u8]>>) -> Vec<u8> {
    let mut lines = Vec::new();
    for record in records.flatten() {
        lines.extend(record.iter().map(|byte| match byte {
            b'\n' | b'\r' => b' ',
            byte => *byte,
        }));
        lines.push(b'\n');
    }
    lines
}

/// Messages that are processed, and committed, together: of some partitions, in the order of each.
#[derive(Default)]
pub(crate) struct Batch {
    messages: BTreeMap<i32, Vec<OwnedMessage>>,
    pub(crate) count: usize,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, message: OwnedMessage) {
        self.count += 1;
        self.bytes += message.payload().map_or(0, <[u8]>::len);
        let partition = self.messages.entry(message.partition());
        partition.or_default().push(message);
    }

    /// Removes the messages of partitions that belong to another member.
    fn drop(&mut self, partitions: &BTreeSet<i32>) {
        let dropped = self
            .messages
            .extract_if(.., |partition, _| partitions.contains(partition));
        self.count -= dropped.map(|(_, messages)| messages.len()).sum::<usize>();
    }

    fn is_full(&self, limits: Limits) -> bool {
        self.count >= limits.batch_records
            || self.bytes >= limits.batch_bytes
            || (limits.prompt && self.count > 0)
    }
}

#[cfg(test)]
impl Consumer {
    /// Returns the committed offset of the group in a partition.
    pub(crate) fn committed(&self, partition: i32) -> Offset {
        let mut asked = TopicPartitionList::new();
        asked.add_partition(&self.topic.name, partition);
        let retry = self.consumer.context().patience.retry;
        let found = self.consumer.committed_offsets(asked, retry).unwrap();
        found.elements()[0].offset()
    }
}

#[cfg(test)]
mod tests {
    use rdkafka::Timestamp;

    use super::*;

    #[test]
    fn a_record_that_opens_to_nothing_is_a_line() {
        let records = [Some(&b"1"[..]), None, Some(b""), Some(b"2\n")];
        assert_eq!(lines(records.into_iter()), b"1\n\n2 \n");
    }

    #[test]
    fn what_another_member_gets_is_left_out() {
        let mut batch = Batch::default();
        for (partition, offset) in [(0, 7), (1, 3), (0, 8), (2, 1)] {
            let value = Some(vec![b'x'; 10]);
            let (topic, time) = ("t".to_owned(), Timestamp::NotAvailable);
            let message = OwnedMessage::new(value, None, topic, time, partition, offset, None);
            batch.add(message);
        }
        batch.drop(&[0, 5].into());
        let left = batch.messages.iter();
        let left: Vec<_> = left.map(|(number, all)| (*number, all.len())).collect();
        assert_eq!((left, batch.count), (vec![(1, 1), (2, 1)], 2));
        batch.drop(&[1, 2].into());
        assert_eq!(batch.count, 0);
    }
}
