//! Sends messages, and waits until all are acknowledged.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rdkafka::{
    ClientContext, Message,
    config::RDKafkaLogLevel,
    error::KafkaError,
    message::{DeliveryResult, OwnedMessage},
    producer::{BaseProducer, BaseRecord, Producer as _, ProducerContext},
    types::RDKafkaErrorCode as Code,
};

use super::{failure::Failure, health::Health, patience::Patience, settings::Settings};
use crate::{cmd::logs::topic::Topic, escape::words};

/// Sends messages to a topic.
pub(in crate::cmd::logs) struct Producer {
    producer: BaseProducer<Deliveries>,
    health: Health,
    topic: String,
    patience: Patience,
    /// The number of partitions of the topic.
    partitions: usize,
    /// The largest message, in bytes.
    largest: usize,
}

/// The client's context, which it calls with the result of each delivery.
struct Deliveries {
    health: Health,
    failed: Mutex<Option<Failure>>,
}

/// The properties that the file of settings may change.
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
    pub(super) fn start(settings: &Settings, topic: Topic<'_>) -> Result<Self, Failure> {
        let patience = settings.patience.clone();
        let timeout = patience
            .retry
            .max(SHORTEST)
            .as_millis()
            .min(i32::MAX as u128)
            .to_string();
        let fixed = [("message.timeout.ms", timeout.as_str())];
        let config = settings.client(topic.brokers, &DEFAULTS, &fixed);
        let largest = config.get(MESSAGE).unwrap_or(LARGEST);
        let health = Health::default();
        let deliveries = Deliveries {
            health: health.clone(),
            failed: Mutex::default(),
        };
        let producer: BaseProducer<Deliveries> = config
            .create_with_context(deliveries)
            .map_err(|error| Failure::of(&error))?;
        let serve = || producer.poll(Duration::ZERO);
        let partitions = health.partitions(producer.client(), topic.name, &patience, serve)?;
        Ok(Self {
            producer,
            health,
            topic: topic.name.to_owned(),
            patience,
            partitions,
            largest: largest.parse().map_err(|_| not_a_number(MESSAGE))?,
        })
    }

    /// Returns the size of the largest message that the client sends, in bytes.
    pub(super) const fn largest(&self) -> usize {
        self.largest
    }

    /// Reports whether records of a topic with this many partitions keep their partition number.
    pub(in crate::cmd::logs) const fn is_alike(&self, partitions: usize) -> bool {
        self.partitions == partitions
    }

    /// Starts sending a value, without a key.
    ///
    /// # Errors
    /// If the client does not accept it.
    pub(super) fn send_value(&self, value: &[u8]) -> Result<(), Failure> {
        self.send(BaseRecord::<(), _>::to(&self.topic).payload(value))
    }

    /// Starts sending `message` with another value; its key, headers and timestamp stay. It goes
    /// to the partition of the same number, or to that of its key.
    ///
    /// # Errors
    /// If the client does not accept it.
    pub(in crate::cmd::logs) fn send_like(
        &self,
        message: &OwnedMessage,
        value: Option<&[u8]>,
        same_partition: bool,
    ) -> Result<(), Failure> {
        let mut record = BaseRecord::<[u8], [u8]>::to(&self.topic);
        if same_partition {
            record = record.partition(message.partition());
        }
        if let Some(value) = value {
            record = record.payload(value);
        }
        if let Some(key) = message.key() {
            record = record.key(key);
        }
        if let Some(headers) = message.headers() {
            record = record.headers(headers.clone());
        }
        if let Some(timestamp) = message.timestamp().to_millis() {
            record = record.timestamp(timestamp);
        }
        self.send(record)
    }

    fn send<K, V>(&self, mut record: BaseRecord<'_, K, V>) -> Result<(), Failure>
    where
        K: rdkafka::message::ToBytes + ?Sized,
        V: rdkafka::message::ToBytes + ?Sized,
    {
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
            if self.patience.is_cut_short() {
                return Err(self.health.cut_short());
            }
        }
    }

    /// Waits until all messages are acknowledged.
    ///
    /// # Errors
    /// If one was not.
    pub(in crate::cmd::logs) fn settle(&self) -> Result<(), Failure> {
        let begun = Instant::now();
        while self.producer.flush(WAIT).is_err() {
            self.check()?;
            if self.patience.is_cut_short() {
                return Err(self.health.cut_short());
            }
            if begun.elapsed() > self.patience.retry.max(SHORTEST).saturating_add(GRACE) {
                return Err(self.health.unreachable(begun.elapsed()));
            }
        }
        self.check()
    }

    fn check(&self) -> Result<(), Failure> {
        self.health.refusal()?;
        match &*self.producer.context().failed() {
            Some(failure) => Err(failure.clone()),
            None => Ok(()),
        }
    }
}

fn not_a_number(name: &str) -> Failure {
    Failure::Setting(format!("{name} is not a decimal number"))
}

impl Deliveries {
    fn failed(&self) -> MutexGuard<'_, Option<Failure>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Converts an error of a delivery, with the reason why brokers do not answer, if there is
    /// one.
    fn failure(&self, error: &KafkaError) -> Failure {
        match (error.rdkafka_error_code(), Failure::of(error)) {
            (Some(Code::MessageTimedOut), _) => {
                let reason = self.health.reason();
                Failure::NotAcknowledged(reason.unwrap_or_else(|| words(&error.to_string())))
            }
            (Some(code), Failure::Other(_)) => Failure::NotAcknowledged(words(&code.to_string())),
            (_, failure) => failure,
        }
    }
}

impl ProducerContext for Deliveries {
    type DeliveryOpaque = ();

    fn delivery(&self, delivered: &DeliveryResult<'_>, (): ()) {
        if let Err((error, _)) = delivered {
            let failure = self.failure(error);
            self.failed().get_or_insert(failure);
        }
    }
}

impl ClientContext for Deliveries {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.health.log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        self.health.error(error, reason);
    }
}
