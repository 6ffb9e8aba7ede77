//! One thread writes what many requests opened. It takes all that are waiting, writes them one after
//! another, waits for the disk once, and then answers all of them.

use std::{
    io,
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::sync::oneshot;

use super::{
    append::Appended,
    folder::Folder,
    log::{Level, log},
    refusal::Refusal,
    spool::Lines,
};

/// How many requests share a sync at most.
const TOGETHER: usize = 256;

/// What is written, by the thread that writes it.
pub(super) struct Places {
    pub(super) folder: Option<Folder>,
    pub(super) letters: Option<Appended>,
}

/// The way to that thread.
#[derive(Clone)]
pub(super) struct Committer(SyncSender<Order>);

struct Order {
    events: Option<Lines>,
    letters: Option<Lines>,
    reply: oneshot::Sender<Result<(), Refusal>>,
}

impl Committer {
    /// Starts the thread. It ends, and completes the newest segment, when every [`Committer`] is
    /// dropped.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(super) fn start(places: Places) -> io::Result<(Self, JoinHandle<()>)> {
        let (sender, orders) = sync_channel(TOGETHER);
        let thread = thread::Builder::new()
            .name("commit".to_owned())
            .spawn(move || places.serve(&orders))?;
        Ok((Self(sender), thread))
    }

    /// Puts events and letters on the disk.
    ///
    /// # Errors
    /// [`Refusal::Storage`] unless all of it is there.
    pub(super) async fn commit(
        &self,
        events: Option<Lines>,
        letters: Option<Lines>,
    ) -> Result<(), Refusal> {
        let (reply, answer) = oneshot::channel();
        let order = Order {
            events,
            letters,
            reply,
        };
        // There are no more requests in work than the channel has room for, or nearly so.
        self.0.try_send(order).map_err(|_| Refusal::Busy)?;
        answer.await.unwrap_or(Err(Refusal::Storage))
    }
}

impl Places {
    fn serve(mut self, orders: &Receiver<Order>) {
        loop {
            match orders.recv_timeout(self.pause()) {
                Ok(first) => self.commit(first, orders),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.told("rotate", Folder::rotate_if_due);
        }
        self.told("rotate", Folder::rotate);
    }

    /// Until the segment is old enough.
    fn pause(&self) -> Duration {
        let due = self.folder.as_ref().and_then(Folder::due);
        let pause = due.map(|due| due.saturating_duration_since(Instant::now()));
        pause.unwrap_or(Duration::from_secs(3600))
    }

    fn commit(&mut self, first: Order, orders: &Receiver<Order>) {
        let group: Vec<_> = std::iter::once(first)
            .chain(orders.try_iter().take(TOGETHER - 1))
            .collect();
        let mut written = Vec::with_capacity(group.len());
        for order in group {
            let (reply, added) = self.add(order);
            match added {
                Ok(()) => written.push(reply),
                Err(error) => refuse([reply], &error),
            }
        }
        match self.sync() {
            // A client that went away gets no answer, and may send again.
            Ok(()) => written.into_iter().for_each(|reply| _ = reply.send(Ok(()))),
            Err(error) => refuse(written, &error),
        }
    }

    fn add(&mut self, order: Order) -> (oneshot::Sender<Result<(), Refusal>>, io::Result<()>) {
        let Order {
            events,
            letters,
            reply,
        } = order;
        let letters = match (&mut self.letters, letters) {
            (Some(file), Some(mut letters)) => file.add(&mut letters),
            _ => Ok(()),
        };
        let added = letters.and_then(|()| match (&mut self.folder, events) {
            (Some(folder), Some(mut events)) => folder.add(&mut events),
            _ => Ok(()),
        });
        (reply, added)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.letters.as_mut().map_or(Ok(()), Appended::sync)?;
        self.folder.as_mut().map_or(Ok(()), Folder::sync)
    }

    /// Does something to the folder. A failure is told; what is in the folder stays there.
    fn told(&mut self, what: &str, act: impl FnOnce(&mut Folder) -> io::Result<()>) {
        if let Some(Err(error)) = self.folder.as_mut().map(act) {
            log(Level::Error, what, json!({ "reason": error.to_string() }));
        }
    }
}

fn refuse(
    replies: impl IntoIterator<Item = oneshot::Sender<Result<(), Refusal>>>,
    error: &io::Error,
) {
    log(
        Level::Error,
        "storage",
        json!({ "reason": error.to_string() }),
    );
    for reply in replies {
        let _ = reply.send(Err(Refusal::Storage));
    }
}
