//! What a client reports from its own threads and callbacks, and the decision to go on or stop.

use std::{
    collections::BTreeSet,
    fmt::Display,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

use pqseal_pipeline::one_line;
use rdkafka::{
    ClientContext, Offset, TopicPartitionList,
    client::Client,
    config::RDKafkaLogLevel,
    consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance},
    error::{KafkaError, KafkaResult},
    message::DeliveryResult,
    producer::ProducerContext,
    types::RDKafkaErrorCode as Code,
};

use crate::{
    config::Config,
    error::{Failure, is_passing, is_refusal},
    partitions::{Share, Start},
    patience::Patience,
};

/// The context of a client, which it calls with its errors, with the results of deliveries, and
/// with new partitions while messages are waited for.
pub(crate) struct Context {
    pub(crate) topic: String,
    pub(crate) patience: Patience,
    start: Start,
    /// The number of partitions that the topic had when the run began.
    partitions: OnceLock<usize>,
    state: Mutex<State>,
}

/// The state of a client, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The last error.
    reason: Option<String>,
    /// `true` if an encrypted connection failed.
    is_tls: bool,
    /// The time since which all brokers are down.
    down: Option<Instant>,
    /// The first refusal, or failure of a delivery or of the offsets of new partitions.
    failed: Option<Failure>,
    pub(crate) share: Share,
}

/// The longest wait for the answer of a broker.
const QUESTION: Duration = Duration::from_secs(2);
/// The longest wait for an answer about offsets.
const OFFSETS: Duration = Duration::from_secs(10);
/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(100);
/// The time in which a member joins its group again in the background, and keeps its partitions. A
/// commit is refused meanwhile.
const REJOINING: Duration = Duration::from_secs(5);

impl Context {
    pub(crate) fn new(config: &Config, start: Start) -> Self {
        Self {
            topic: config.topic.name.clone(),
            patience: config.patience.clone(),
            start,
            partitions: OnceLock::new(),
            state: Mutex::default(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last error.
    pub(crate) fn reason(&self) -> Option<String> {
        self.state().reason.clone()
    }

    /// Returns the last error, or `other` if there is none.
    pub(crate) fn reason_or(&self, other: impl Display) -> String {
        let reason = self.reason();
        reason.unwrap_or_else(|| one_line(&other.to_string()))
    }

    /// Fails if the brokers refuse this client, or a callback has failed.
    pub(crate) fn failed(&self) -> Result<(), Failure> {
        self.state().failed.clone().map_or(Ok(()), Err)
    }

    /// Waits for the topic's metadata, and returns its number of partitions. A signal ends
    /// the wait. `serve` lets the client report its events.
    pub(crate) fn partitions(
        &self,
        client: &Client<Self>,
        serve: impl Fn(),
    ) -> Result<usize, Failure> {
        let (begun, retry) = (Instant::now(), self.patience.retry);
        loop {
            let asked = client.fetch_metadata(Some(&self.topic), QUESTION.min(retry));
            serve();
            self.failed()?;
            if self.state().is_tls {
                return Err(Failure::Refused(self.reason().unwrap_or_default()));
            }
            let found = asked.as_ref().ok();
            let found = found.and_then(|metadata| metadata.topics().first());
            match found.map(|found| (found.error(), found.partitions().len())) {
                Some((None, partitions)) if partitions > 0 => {
                    return Ok(*self.partitions.get_or_init(|| partitions));
                }
                // While a broker starts, the topic has no leader.
                Some((Some(error), _))
                    if !matches!(
                        error.into(),
                        Code::LeaderNotAvailable | Code::ReplicaNotAvailable
                    ) =>
                {
                    return Err(Failure::of_code(error.into(), &self.topic));
                }
                _ if begun.elapsed() < retry && !self.patience.is_asked() => thread::sleep(PAUSE),
                _ => return Err(self.unreachable(begun.elapsed())),
            }
        }
    }

    /// Checks whether brokers are back, if all were down. Fails if they were down for longer than
    /// the user allows.
    pub(crate) fn check_brokers(&self, client: &Client<Self>) -> Result<(), Failure> {
        let Some(since) = self.state().down else {
            return Ok(());
        };
        if client.fetch_metadata(Some(&self.topic), QUESTION).is_ok() {
            self.is_up();
        } else if since.elapsed() >= self.patience.retry {
            return Err(self.unreachable(since.elapsed()));
        }
        Ok(())
    }

    /// Records that a broker has answered.
    pub(crate) fn is_up(&self) {
        self.state().down = None;
    }

    /// Repeats a request that fails temporarily: for as long as the user allows if brokers are
    /// away, and for some seconds if the group is about to reassign its partitions, or the run is
    /// to end. Otherwise returns the last error, and the time since the first request.
    pub(crate) fn repeat<T>(
        &self,
        mut ask: impl FnMut() -> KafkaResult<T>,
    ) -> Result<T, (KafkaError, Duration)> {
        let begun = Instant::now();
        loop {
            let error = match ask() {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let waited = begun.elapsed();
            if waited >= time(&error, self.patience.retry) || self.patience.is_cut_short() {
                return Err((error, waited));
            }
            thread::sleep(PAUSE);
        }
    }

    /// Converts an error that remained after retrying for `waited`.
    pub(crate) fn gave_up(&self, (error, waited): (KafkaError, Duration)) -> Failure {
        match error.rdkafka_error_code().is_some_and(is_passing) {
            true if self.patience.is_asked() => Failure::CutShort(self.reason()),
            true => self.unreachable(waited),
            false => Failure::of(&error),
        }
    }

    pub(crate) fn unreachable(&self, waited: Duration) -> Failure {
        let reason = self.reason();
        Failure::Unreachable { waited, reason }
    }

    /// Commits the start of partitions that the group has never read. Otherwise a group that starts
    /// at the end would miss messages between now and its first commit, if it is interrupted.
    fn pin(&self, consumer: &BaseConsumer<Self>, given: &TopicPartitionList) -> KafkaResult<()> {
        let known = consumer.committed_offsets(given.clone(), OFFSETS)?;
        let mut starts = TopicPartitionList::new();
        for new in known.elements() {
            // Without an answer there is no offset either.
            new.error()?;
            if new.offset() != Offset::Invalid {
                continue;
            }
            let (topic, partition) = (new.topic(), new.partition());
            let (first, end) = consumer.fetch_watermarks(topic, partition, OFFSETS)?;
            let partitions = self.partitions.get().copied().unwrap_or_default();
            let start = match self.start.of(partition, partitions) {
                Start::First => first,
                Start::End => end,
            };
            starts.add_partition_offset(topic, partition, Offset::Offset(start))?;
        }
        match starts.count() {
            0 => Ok(()),
            _ => consumer.commit(&starts, CommitMode::Sync),
        }
    }

    fn fail(&self, failure: Failure) {
        self.state().failed.get_or_insert(failure);
    }
}

fn time(error: &KafkaError, retry: Duration) -> Duration {
    match error.rdkafka_error_code() {
        Some(code) if is_passing(code) => retry,
        Some(Code::RebalanceInProgress | Code::IllegalGeneration) => REJOINING.min(retry),
        _ => Duration::ZERO,
    }
}

impl ClientContext for Context {
    /// Ignores the log: errors that matter are also passed to `error`.
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        let Some(code) = error.rdkafka_error_code() else {
            return;
        };
        if is_refusal(code) {
            self.fail(Failure::Refused(one_line(reason)));
        }
        let mut state = self.state();
        match code {
            Code::PartitionEOF => {}
            Code::AllBrokersDown => _ = state.down.get_or_insert_with(Instant::now),
            code => {
                state.is_tls |= code == Code::SSL;
                state.reason = Some(one_line(reason));
            }
        }
    }
}

impl ConsumerContext for Context {
    fn pre_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        match rebalance {
            Rebalance::Assign(given) => {
                if let Err(error) = self.repeat(|| self.pin(consumer, given)) {
                    self.fail(self.gave_up(error));
                }
            }
            Rebalance::Revoke(taken) => self.state().share.revoke(numbers(taken)),
            Rebalance::Error(error) => self.fail(Failure::of(error)),
        }
    }

    fn post_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        // A cooperative strategy reports only the new ones.
        if matches!(rebalance, Rebalance::Assign(_))
            && let Ok(all) = consumer.assignment()
        {
            self.state().share.assign(numbers(&all), Instant::now());
        }
    }
}

fn numbers(list: &TopicPartitionList) -> BTreeSet<i32> {
    let elements = list.elements();
    elements.iter().map(|each| each.partition()).collect()
}

impl ProducerContext for Context {
    type DeliveryOpaque = ();

    /// Keeps the first failure, with the reason why brokers do not answer, if there is one.
    fn delivery(&self, delivered: &DeliveryResult<'_>, (): ()) {
        let Err((error, _)) = delivered else {
            return;
        };
        self.fail(match (error.rdkafka_error_code(), Failure::of(error)) {
            (Some(Code::MessageTimedOut), _) => Failure::NotAcknowledged(self.reason_or(error)),
            (Some(code), Failure::Other(_)) => {
                Failure::NotAcknowledged(one_line(&code.to_string()))
            }
            (_, failure) => failure,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(patience: Patience) -> Context {
        let topic = crate::Topic {
            brokers: String::new(),
            name: "t".to_owned(),
        };
        let config = Config {
            topic,
            properties: crate::Properties::default(),
            patience,
        };
        Context::new(&config, Start::First)
    }

    #[test]
    fn brokers_that_answer_are_not_away() {
        let context = context(Patience::without_end(Duration::ZERO));
        context.error(KafkaError::Global(Code::AllBrokersDown), "all are down");
        assert!(context.state().down.is_some());
        context.is_up();
        assert!(context.state().down.is_none());
    }

    /// Counts the attempts if only the first fails, and returns the last error.
    fn asked(first: Code, patience: Patience) -> (u32, Option<KafkaError>) {
        let mut times = 0;
        let answer = context(patience).repeat(|| {
            times += 1;
            match times {
                1 => Err(KafkaError::ConsumerCommit(first)),
                _ => Ok(()),
            }
        });
        (times, answer.err().map(|(error, _)| error))
    }

    #[test]
    fn what_may_pass_is_repeated() {
        let patience = || Patience::without_end(Duration::from_secs(60));
        for code in [
            Code::NotCoordinator,
            Code::BrokerTransportFailure,
            Code::RebalanceInProgress,
            Code::IllegalGeneration,
        ] {
            assert_eq!(asked(code, patience()), (2, None), "{code}");
        }
        for code in [Code::UnknownMemberId, Code::GroupAuthorizationFailed] {
            let refused = Some(KafkaError::ConsumerCommit(code));
            assert_eq!(asked(code, patience()), (1, refused), "{code}");
        }
    }

    #[test]
    fn nothing_is_repeated_for_ever() {
        let code = Code::NotCoordinator;
        let refused = Some(KafkaError::ConsumerCommit(code));
        for patience in [
            Patience::without_end(Duration::ZERO),
            Patience::at_its_end(Duration::MAX),
        ] {
            assert_eq!(asked(code, patience), (1, refused.clone()));
        }
        let (long, error) = (
            Duration::MAX,
            KafkaError::ConsumerCommit(Code::IllegalGeneration),
        );
        assert_eq!(time(&error, long), REJOINING);
    }
}
