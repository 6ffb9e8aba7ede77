//! The errors that the client's own threads report, and the decision to go on or stop.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rdkafka::{
    ClientContext, client::Client, config::RDKafkaLogLevel, error::KafkaError,
    types::RDKafkaErrorCode as Code, types::RDKafkaRespErr,
};

use super::{
    failure::{Failure, is_refusal},
    patience::Patience,
    retry,
};
use crate::escape::words;

/// The state of a client, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Health(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The last error.
    reason: Option<String>,
    refused: Option<String>,
    /// `true` if an encrypted connection failed.
    is_tls: bool,
    /// The time since which all brokers are down.
    down: Option<Instant>,
}

/// The longest wait for the answer of a broker.
const QUESTION: Duration = Duration::from_secs(2);

impl Health {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, code: Code, reason: &str) {
        let mut state = self.state();
        match code {
            Code::PartitionEOF => return,
            Code::AllBrokersDown => {
                state.down.get_or_insert_with(Instant::now);
                return;
            }
            code if is_refusal(code) => state.refused = Some(words(reason)),
            Code::SSL => state.is_tls = true,
            _ => {}
        }
        state.reason = Some(words(reason));
    }

    /// Fails if the brokers refuse this client.
    pub(super) fn refusal(&self) -> Result<(), Failure> {
        match &self.state().refused {
            Some(why) => Err(Failure::Refused(why.clone())),
            None => Ok(()),
        }
    }

    /// Returns the last error.
    pub(super) fn reason(&self) -> Option<String> {
        self.state().reason.clone()
    }

    /// Waits for the topic's metadata, and returns its number of partitions. A signal ends
    /// the wait. `serve` lets the client report its events.
    ///
    /// # Errors
    /// If there is no answer, or no such topic.
    pub(super) fn partitions<C: ClientContext>(
        &self,
        client: &Client<C>,
        topic: &str,
        patience: &Patience,
        serve: impl Fn(),
    ) -> Result<usize, Failure> {
        let begun = Instant::now();
        loop {
            let asked = client.fetch_metadata(Some(topic), QUESTION.min(patience.retry));
            serve();
            self.refusal()?;
            if self.state().is_tls {
                return Err(Failure::Refused(self.reason().unwrap_or_default()));
            }
            let found = asked.as_ref().ok();
            let found = found.and_then(|metadata| metadata.topics().first());
            match found.map(|found| (found.error(), found.partitions().len())) {
                Some((None, partitions)) if partitions > 0 => return Ok(partitions),
                Some((Some(error), _)) if !is_passing(error) => return Err(said(error, topic)),
                _ if begun.elapsed() < patience.retry && !patience.is_asked() => {
                    std::thread::sleep(PAUSE);
                }
                _ => return Err(self.unreachable(begun.elapsed())),
            }
        }
    }

    /// Checks whether brokers are back, if all were down.
    ///
    /// # Errors
    /// If they refuse the client, or were down for longer than `retry`.
    pub(super) fn check<C: ClientContext>(
        &self,
        client: &Client<C>,
        topic: &str,
        retry: Duration,
    ) -> Result<(), Failure> {
        self.refusal()?;
        let Some(since) = self.state().down else {
            return Ok(());
        };
        if client.fetch_metadata(Some(topic), QUESTION).is_ok() {
            self.is_up();
            return Ok(());
        }
        match since.elapsed() < retry {
            true => Ok(()),
            false => Err(self.unreachable(since.elapsed())),
        }
    }

    /// Records that a broker has answered.
    pub(super) fn is_up(&self) {
        self.state().down = None;
    }

    /// Converts an error that remained after retrying for `waited`.
    pub(super) fn gave_up(
        &self,
        error: &KafkaError,
        waited: Duration,
        patience: &Patience,
    ) -> Failure {
        match error.rdkafka_error_code() {
            Some(code) if retry::is_passing(code) && patience.is_asked() => self.cut_short(),
            Some(code) if retry::is_passing(code) => self.unreachable(waited),
            _ => Failure::of(error),
        }
    }

    /// Returns the failure of a batch that was not finished after a signal.
    pub(super) fn cut_short(&self) -> Failure {
        Failure::CutShort(self.reason())
    }

    pub(super) fn unreachable(&self, waited: Duration) -> Failure {
        Failure::Unreachable {
            waited,
            reason: self.reason(),
        }
    }
}

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(200);

/// Reports whether a topic may exist a little later: it has no leader while a broker
/// starts.
const fn is_passing(error: RDKafkaRespErr) -> bool {
    matches!(
        error,
        RDKafkaRespErr::RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE
            | RDKafkaRespErr::RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE
    )
}

fn said(error: RDKafkaRespErr, topic: &str) -> Failure {
    match Code::from(error) {
        Code::UnknownTopicOrPartition | Code::UnknownTopic => Failure::NoTopic(topic.to_owned()),
        code if is_refusal(code) => Failure::Refused(words(&code.to_string())),
        code => Failure::Other(words(&code.to_string())),
    }
}

impl ClientContext for Health {
    /// Ignores the log: errors that matter are also passed to `error`.
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        if let Some(code) = error.rdkafka_error_code() {
            self.hear(code, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brokers_that_answer_are_not_away() {
        let health = Health::default();
        health.hear(Code::AllBrokersDown, "all are down");
        assert!(health.state().down.is_some());
        health.is_up();
        assert!(health.state().down.is_none());
    }
}
