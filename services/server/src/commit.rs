//! A thread that writes for many requests. It takes all waiting ones, writes them one after
//! another, syncs once, and then answers all of them. If nobody waits for the answers, it gathers
//! more requests before it takes them, and more before it syncs.

use std::{
    io, iter,
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use pqseal_text::reason;
use serde_json::json;
use tokio::sync::oneshot;

use crate::{
    Error,
    log::{Level, Throttle},
};

/// The largest number of requests that are added together, and share a sync.
const TOGETHER: usize = 256;
/// The largest number of requests in the queue if nobody waits for the answers; otherwise it is
/// [`TOGETHER`], since each waiting request keeps a connection.
const WAITING: usize = 4 * TOGETHER;
/// The time to gather more requests if nobody waits for the answers, so that the thread is not
/// woken for each of them.
const GATHER: Duration = Duration::from_millis(2);

/// The output of the thread.
pub trait Place: Send + 'static {
    /// The data of one request.
    type Item: Send;

    /// Adds all of each item, or none of it. Returns a result for each, in order: an error if it
    /// cannot be written.
    fn add(&mut self, items: Vec<Self::Item>) -> Vec<io::Result<()>>;

    /// Waits until everything that was added is on the disk.
    ///
    /// # Errors
    /// If that is not certain.
    fn sync(&mut self) -> io::Result<()>;

    /// Returns how long added items may wait for [`Place::sync`].
    fn delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns how long the thread may wait for the next item before it calls [`Place::tidy`].
    fn pause(&self) -> Duration {
        Duration::from_secs(3600)
    }

    /// Performs work that is due between items.
    fn tidy(&mut self) {}

    /// Performs work that is due at the end.
    fn end(&mut self) {}
}

/// The queue of the thread.
pub struct Committer<T>(SyncSender<Order<T>>);

/// The reason why an item is not on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotStored {
    /// The queue is full.
    Busy,
    /// The item cannot be written; the log has the reason.
    Storage,
}

struct Order<T> {
    item: T,
    reply: Reply,
}

type Reply = oneshot::Sender<Result<(), NotStored>>;

impl<T: Send + 'static> Committer<T> {
    /// Starts the thread. It ends when every [`Committer`] is dropped.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(place: impl Place<Item = T>) -> Result<(Self, JoinHandle<()>), Error> {
        let waiting = if place.delay().is_zero() {
            TOGETHER
        } else {
            WAITING
        };
        let (sender, orders) = sync_channel(waiting);
        let thread = thread::Builder::new()
            .name("commit".to_owned())
            .spawn(move || serve(place, &orders))
            .map_err(|error| Error::system("start a thread", error))?;
        Ok((Self(sender), thread))
    }

    /// Queues an item. The returned future waits until all of it is on the disk, or until that has
    /// failed ([`NotStored::Storage`]).
    ///
    /// # Errors
    /// [`NotStored::Busy`].
    pub fn commit(
        &self,
        item: T,
    ) -> Result<impl Future<Output = Result<(), NotStored>> + Send + use<T>, NotStored> {
        let (reply, answer) = oneshot::channel();
        let sent = self.0.try_send(Order { item, reply });
        sent.map_err(|_| NotStored::Busy)?;
        Ok(async move { answer.await.unwrap_or(Err(NotStored::Storage)) })
    }
}

fn serve<P: Place>(mut place: P, orders: &Receiver<Order<P::Item>>) {
    let mut queue = SyncQueue::default();
    loop {
        match orders.recv_timeout(queue.time_left().unwrap_or(place.pause())) {
            Ok(first) => {
                if !place.delay().is_zero() {
                    thread::sleep(GATHER);
                }
                queue.add(&mut place, first, orders);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if queue.is_due() {
            queue.sync(&mut place);
        }
        place.tidy();
    }
    queue.sync(&mut place);
    place.end();
}

/// The requests that are answered after the next sync.
#[derive(Default)]
struct SyncQueue {
    replies: Vec<Reply>,
    /// The time of that sync.
    due: Option<Instant>,
}

impl SyncQueue {
    fn add<P: Place>(
        &mut self,
        place: &mut P,
        first: Order<P::Item>,
        orders: &Receiver<Order<P::Item>>,
    ) {
        let orders = iter::once(first).chain(orders.try_iter().take(TOGETHER - 1));
        let (items, replies): (Vec<_>, Vec<_>) =
            orders.map(|order| (order.item, order.reply)).unzip();
        for (added, reply) in place.add(items).into_iter().zip(replies) {
            match added {
                Ok(()) => self.replies.push(reply),
                Err(error) => refuse([reply], &error),
            }
        }
        self.due
            .get_or_insert_with(|| Instant::now() + place.delay());
    }

    fn time_left(&self) -> Option<Duration> {
        self.due
            .map(|due| due.saturating_duration_since(Instant::now()))
    }

    fn is_due(&self) -> bool {
        self.replies.len() >= TOGETHER || self.time_left() == Some(Duration::ZERO)
    }

    fn sync(&mut self, place: &mut impl Place) {
        self.due = None;
        let synced = place.sync();
        let replies = self.replies.drain(..);
        match synced {
            // A client that disconnected gets no answer, and may send again.
            Ok(()) => replies.for_each(|reply| _ = reply.send(Ok(()))),
            Err(error) => refuse(replies, &error),
        }
    }
}

fn refuse(replies: impl IntoIterator<Item = Reply>, error: &io::Error) {
    static THROTTLE: Throttle = Throttle::new();
    THROTTLE.log(Level::Error, "storage", json!({ "reason": reason(error) }));
    for reply in replies {
        let _ = reply.send(Err(NotStored::Storage));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use tokio::runtime::Builder;

    use super::*;

    /// A place that sends the calls it gets.
    struct CallRecorder(Sender<&'static str>, Duration);

    impl Place for CallRecorder {
        type Item = &'static str;

        fn add(&mut self, items: Vec<&'static str>) -> Vec<io::Result<()>> {
            let send = |item| self.0.send(item).map_err(io::Error::other);
            items.into_iter().map(send).collect()
        }

        fn sync(&mut self) -> io::Result<()> {
            self.0.send("sync").map_err(io::Error::other)
        }

        fn delay(&self) -> Duration {
            self.1
        }
    }

    /// Returns the calls for these items, each of which is answered before the next if `waits`.
    fn done(count: usize, delay: Duration, waits: bool) -> Vec<&'static str> {
        let (sender, receiver) = channel();
        let (committer, thread) = Committer::start(CallRecorder(sender, delay)).unwrap();
        let runtime = Builder::new_current_thread().build().unwrap();
        let mut answers = Vec::new();
        let mut calls = Vec::new();
        for _ in 0..count {
            let answer = committer.commit("item").unwrap();
            calls.push(receiver.recv().unwrap());
            match waits {
                true => runtime.block_on(answer).unwrap(),
                false => answers.push(answer),
            }
            calls.extend(receiver.try_iter());
        }
        drop(committer);
        thread.join().unwrap();
        for answer in answers {
            runtime.block_on(answer).unwrap();
        }
        calls.extend(receiver);
        calls
    }

    #[test]
    fn without_a_delay_an_item_is_synced_at_once() {
        let done = done(2, Duration::ZERO, true);
        assert_eq!(done, ["item", "sync", "item", "sync", "sync"]);
    }

    #[test]
    fn with_a_delay_many_items_share_a_sync_and_all_are_answered() {
        let done = done(TOGETHER + 2, Duration::from_secs(3600), false);
        let syncs: Vec<_> = (0..done.len()).filter(|at| done[*at] == "sync").collect();
        // One or two items may come while the last one is added.
        assert!((TOGETHER..=TOGETHER + 2).contains(&syncs[0]), "{syncs:?}");
        assert_eq!(syncs[1..], [TOGETHER + 3]);
    }

    /// A place that counts how often it is given items.
    struct Rounds(Sender<()>);

    impl Place for Rounds {
        type Item = ();

        fn add(&mut self, items: Vec<()>) -> Vec<io::Result<()>> {
            items.into_iter().map(Ok).collect()
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn delay(&self) -> Duration {
            Duration::from_secs(3600)
        }

        fn tidy(&mut self) {
            self.0.send(()).unwrap();
        }
    }

    #[test]
    fn with_a_delay_items_are_taken_together() {
        let (sender, rounds) = channel();
        let (committer, thread) = Committer::start(Rounds(sender)).unwrap();
        let answers: Vec<_> = (0..TOGETHER)
            .map(|_| committer.commit(()).unwrap())
            .collect();
        let runtime = Builder::new_current_thread().build().unwrap();
        for answer in answers {
            runtime.block_on(answer).unwrap();
        }
        drop(committer);
        thread.join().unwrap();
        let rounds = rounds.iter().count();
        assert!(rounds < TOGETHER / 4, "the thread was woken {rounds} times");
    }

    #[test]
    fn with_a_delay_an_item_is_synced_when_no_other_comes() {
        let done = done(1, Duration::from_millis(1), true);
        assert_eq!(done, ["item", "sync", "sync"]);
    }
}
