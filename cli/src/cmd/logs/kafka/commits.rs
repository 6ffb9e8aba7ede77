//! Commits on a separate thread. If no broker answers, the client returns only after its own
//! timeouts of a minute or more, which no signal shortens.

use std::{
    io,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use rdkafka::{
    TopicPartitionList,
    consumer::{BaseConsumer, CommitMode, Consumer},
    error::{KafkaError, KafkaResult},
    types::RDKafkaErrorCode as Code,
};

use super::{assignment::Assignment, patience::Patience};

/// The committing thread and its channels.
pub(super) struct Commits {
    /// `None` at the end.
    orders: Option<Sender<TopicPartitionList>>,
    answers: Receiver<KafkaResult<()>>,
    /// `None` if the thread was given up.
    thread: Option<JoinHandle<()>>,
}

/// The time between two checks for a signal.
const WAIT: Duration = Duration::from_millis(100);

impl Commits {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn start(consumer: Arc<BaseConsumer<Assignment>>) -> io::Result<Self> {
        let (orders, ordered) = channel::<TopicPartitionList>();
        let (answer, answers) = channel();
        let serve = move || {
            for offsets in ordered {
                let committed = consumer.commit(&offsets, CommitMode::Sync);
                if answer.send(committed).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new()
            .name("commit".to_owned())
            .spawn(serve)?;
        Ok(Self {
            orders: Some(orders),
            answers,
            thread: Some(thread),
        })
    }

    /// Commits these offsets, and waits for the answer.
    ///
    /// # Errors
    /// Those of the client; [`Code::OperationTimedOut`] if the answer was given up. After that
    /// nothing can be committed.
    pub(super) fn commit(
        &mut self,
        offsets: &TopicPartitionList,
        patience: &Patience,
    ) -> KafkaResult<()> {
        self.ask(offsets, patience).unwrap_or_else(|| {
            self.thread = None;
            Err(KafkaError::ConsumerCommit(Code::OperationTimedOut))
        })
    }

    /// Returns the answer; `None` if it is no longer waited for.
    fn ask(&self, offsets: &TopicPartitionList, patience: &Patience) -> Option<KafkaResult<()>> {
        self.thread.as_ref()?;
        self.orders.as_ref()?.send(offsets.clone()).ok()?;
        loop {
            match self.answers.recv_timeout(WAIT) {
                Err(RecvTimeoutError::Timeout) if !patience.is_cut_short() => {}
                answer => return answer.ok(),
            }
        }
    }
}

/// Waits for the thread, so that the consumer leaves its group when its owner drops it. A thread
/// that was given up ends with the process, and the brokers miss the member after its session
/// timeout.
impl Drop for Commits {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
