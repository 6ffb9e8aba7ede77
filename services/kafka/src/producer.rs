//! Sends messages, and waits until all are acknowledged.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use rdkafka::{
    Message,
    message::{OwnedMessage, ToBytes},
    producer::{BaseProducer, BaseRecord, Producer as _},
    types::RDKafkaErrorCode as Code,
};

use crate::{config::Config, context::Context, error::Failure, partitions::Start};

/// Sends messages to a topic.
pub struct Producer {
    producer: BaseProducer<Context>,
    /// The number of partitions of the topic.
    partitions: usize,
    /// The largest message, in bytes.
    largest: usize,
}

/// The settings that properties may change.
const DEFAULTS: [(&str, &str); 6] = [
    // Acknowledged by all in-sync replicas; in order and only once, even if a request is
    // repeated.
    ("acks", "all"),
    ("enable.idempotence", "true"),
    // The partitioner of the Java clients.
    ("partitioner", "murmur2_random"),
    ("allow.auto.create.topics", "false"),
    // The largest request, in bytes. The topic limits the size of a message.
    (MESSAGE, LARGEST),
    // The size of the send queue, in KiB.
    ("queue.buffering.max.kbytes", "65536"),
];
const MESSAGE: &str = "message.max.bytes";
const LARGEST: &str = "33554432";

/// The longest wait for room, or for acknowledgements, before refusals are checked.
const WAIT: Duration = Duration::from_millis(100);
/// The shortest timeout of a message that the client accepts.
const SHORTEST: Duration = Duration::from_secs(1);
/// The time that a client needs to give up messages after their timeout.
const GRACE: Duration = Duration::from_secs(10);

impl Producer {
    /// Connects, and checks that the topic exists.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn start(config: &Config) -> Result<Self, Failure> {
        let timeout = config.patience.retry.max(SHORTEST).as_millis();
        let timeout = timeout.min(i32::MAX as u128).to_string();
        let client = config.client(&DEFAULTS, &[("message.timeout.ms", &timeout)]);
        let largest = client.get(MESSAGE).unwrap_or(LARGEST).parse();
        let producer: BaseProducer<Context> = client
            .create_with_context(Context::new(config, Start::First))
            .map_err(|error| Failure::of(&error))?;
        let partitions = producer
            .context()
            .partitions(producer.client(), || producer.poll(Duration::ZERO))?;
        let largest =
            largest.map_err(|_| Failure::Setting(format!("{MESSAGE} is not a decimal number")))?;
        Ok(Self {
            producer,
            partitions,
            largest,
        })
    }

    /// Starts sending a value, without a key.
    pub(crate) fn send_value(&self, value: &[u8]) -> Result<(), Failure> {
        self.send(BaseRecord::<(), _>::to(&self.producer.context().topic).payload(value))
    }

    /// Starts sending `message`, of a topic with `partitions`, with another value; its key, headers
    /// and timestamp stay. It goes to the partition of the same number, or to that of its key.
    pub(crate) fn send_like(
        &self,
        message: &OwnedMessage,
        value: Option<&[u8]>,
        partitions: usize,
    ) -> Result<(), Failure> {
        let mut record = BaseRecord::<[u8], [u8]>::to(&self.producer.context().topic);
        record.partition = (partitions == self.partitions).then(|| message.partition());
        record.payload = value;
        record.key = message.key();
        record.headers = message.headers().cloned();
        record.timestamp = message.timestamp().to_millis();
        self.send(record)
    }

    fn send<K: ToBytes + ?Sized, V: ToBytes + ?Sized>(
        &self,
        mut record: BaseRecord<'_, K, V>,
    ) -> Result<(), Failure> {
        loop {
            let Err((error, refused)) = self.producer.send(record) else {
                return Ok(());
            };
            if error.rdkafka_error_code() != Some(Code::QueueFull) {
                return Err(Failure::of(&error));
            }
            record = refused;
            self.producer.poll(WAIT);
            self.check()?;
        }
    }

    /// Waits until all messages are acknowledged.
    pub(crate) fn settle(&self) -> Result<(), Failure> {
        let context = self.producer.context();
        let (begun, retry) = (Instant::now(), context.patience.retry);
        while self.producer.flush(WAIT).is_err() {
            self.check()?;
            if begun.elapsed() > retry.max(SHORTEST).saturating_add(GRACE) {
                return Err(context.unreachable(begun.elapsed()));
            }
        }
        context.failed()
    }

    /// Fails if a message was not acknowledged, or will not be in time.
    fn check(&self) -> Result<(), Failure> {
        let context = self.producer.context();
        context.failed()?;
        match context.patience.is_cut_short() {
            true => Err(Failure::CutShort(context.reason())),
            false => Ok(()),
        }
    }
}

/// Sends each line that is written as a message without a key. Empty lines are left out, since
/// they are not records. A flush waits until all complete lines are acknowledged.
pub struct Lines {
    producer: Producer,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
}

impl Lines {
    /// Sends lines by this producer.
    pub const fn new(producer: Producer) -> Self {
        let begun = Vec::new();
        Self { producer, begun }
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = bytes.split_inclusive(|byte| *byte == b'\n').next();
        self.begun.extend_from_slice(part.unwrap_or_default());
        match self.begun.strip_suffix(b"\n") {
            Some(line) => {
                let value = line.strip_suffix(b"\r").unwrap_or(line);
                if !line.trim_ascii().is_empty() {
                    self.producer.send_value(value).map_err(io::Error::other)?;
                }
                self.begun.clear();
            }
            // No more is kept than the size of a message.
            None if self.begun.len() > self.producer.largest => {
                return Err(io::Error::other(Failure::TooLarge));
            }
            None => {}
        }
        Ok(part.map_or(0, <[u8]>::len))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.producer.settle().map_err(io::Error::other)
    }
}
