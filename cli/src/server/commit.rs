//! One thread writes for many requests. It takes all that are waiting, writes them one after another,
//! waits for the disk once, and then answers all of them.

use std::{
    io,
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread::{self, JoinHandle},
    time::Duration,
};

use serde_json::json;
use tokio::sync::oneshot;

use super::log::{Level, Throttle};

/// How many requests share a sync at most.
const TOGETHER: usize = 256;

/// Where the thread writes.
pub(crate) trait Place: Send + 'static {
    /// What one request writes.
    type Item: Send;

    /// Adds all of an item, or none of it.
    ///
    /// # Errors
    /// If it cannot be written.
    fn add(&mut self, item: Self::Item) -> io::Result<()>;

    /// Waits until all that was added is on the disk.
    ///
    /// # Errors
    /// If that is not certain.
    fn sync(&mut self) -> io::Result<()>;

    /// How long the thread may wait for the next item before it calls [`Place::tidy`].
    fn pause(&self) -> Duration {
        Duration::from_secs(3600)
    }

    /// Does what is due between items.
    fn tidy(&mut self) {}

    /// Does what is due at the end.
    fn end(&mut self) {}
}

/// The way to that thread.
pub(crate) struct Committer<T>(SyncSender<Order<T>>);

/// Why an item is not on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotStored {
    /// Too many are waiting.
    Busy,
    /// It cannot be written; the log has the reason.
    Storage,
}

struct Order<T> {
    item: T,
    reply: oneshot::Sender<Result<(), NotStored>>,
}

impl<T: Send + 'static> Committer<T> {
    /// Starts the thread. It ends when every [`Committer`] is dropped.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn start(place: impl Place<Item = T>) -> io::Result<(Self, JoinHandle<()>)> {
        let (sender, orders) = sync_channel(TOGETHER);
        let thread = thread::Builder::new()
            .name("commit".to_owned())
            .spawn(move || serve(place, &orders))?;
        Ok((Self(sender), thread))
    }

    /// Puts an item on the disk. It is on its way when this returns; what is returned waits until it
    /// has arrived.
    ///
    /// # Errors
    /// [`NotStored`] unless all of it is there.
    pub(crate) fn commit(
        &self,
        item: T,
    ) -> impl Future<Output = Result<(), NotStored>> + Send + use<T> {
        let (reply, answer) = oneshot::channel();
        let sent = self.0.try_send(Order { item, reply });
        async move {
            sent.map_err(|_| NotStored::Busy)?;
            answer.await.unwrap_or(Err(NotStored::Storage))
        }
    }
}

fn serve<P: Place>(mut place: P, orders: &Receiver<Order<P::Item>>) {
    loop {
        match orders.recv_timeout(place.pause()) {
            Ok(first) => commit(&mut place, first, orders),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        place.tidy();
    }
    place.end();
}

fn commit<P: Place>(place: &mut P, first: Order<P::Item>, orders: &Receiver<Order<P::Item>>) {
    let group: Vec<_> = std::iter::once(first)
        .chain(orders.try_iter().take(TOGETHER - 1))
        .collect();
    let mut written = Vec::with_capacity(group.len());
    for Order { item, reply } in group {
        match place.add(item) {
            Ok(()) => written.push(reply),
            Err(error) => refuse([reply], &error),
        }
    }
    match place.sync() {
        // A client that went away gets no answer, and may send again.
        Ok(()) => written.into_iter().for_each(|reply| _ = reply.send(Ok(()))),
        Err(error) => refuse(written, &error),
    }
}

fn refuse(
    replies: impl IntoIterator<Item = oneshot::Sender<Result<(), NotStored>>>,
    error: &io::Error,
) {
    static THROTTLE: Throttle = Throttle::new();
    THROTTLE.log(
        Level::Error,
        "storage",
        json!({ "reason": error.to_string() }),
    );
    for reply in replies {
        let _ = reply.send(Err(NotStored::Storage));
    }
}
