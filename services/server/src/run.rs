//! A run of a server, from its start until a signal ends it and its output is written.

use std::{
    io,
    net::SocketAddr,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::{
    runtime::{Builder, Runtime},
    sync::{
        mpsc::{UnboundedReceiver, unbounded_channel},
        watch,
    },
};

use crate::{
    Error,
    listen::{Answers, Listeners, listen},
    log::{Level, log},
};

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything is on the disk, under its name.
    Whole,
    /// Some of it is not; the log says what.
    Incomplete,
    /// The disk did not answer in time.
    CutOff,
}

/// The request of a signal to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// SIGHUP.
    ToReload,
    /// SIGINT or SIGTERM.
    ToEnd,
}

/// A server that waits for signals, and whose addresses are bound.
pub struct Started {
    asked: UnboundedReceiver<Asked>,
    /// The threads of its tasks.
    pub runtime: Runtime,
    /// The sockets of its addresses.
    pub listeners: Listeners,
}

impl Started {
    /// Waits for signals from now on, starts the threads, and binds the addresses.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(
        threads: &mut Builder,
        requests: SocketAddr,
        monitor: Option<SocketAddr>,
    ) -> Result<Self, Error> {
        let asked = asked().map_err(|error| Error::system("wait for signals", error))?;
        let runtime = threads.enable_all().build();
        let runtime = runtime.map_err(|error| Error::system("start the threads", error))?;
        let listeners = runtime.block_on(Listeners::bind(requests, monitor))?;
        Ok(Self {
            asked,
            runtime,
            listeners,
        })
    }

    /// Serves until a signal asks for the end and the requests in work are answered. Calls `act` for
    /// each request to reload, and for the one to end. Returns the runtime, for its shutdown.
    pub fn serve(
        self,
        requests: impl Answers,
        monitor: impl Answers,
        mut act: impl FnMut(Asked),
    ) -> Runtime {
        let Self {
            mut asked,
            runtime,
            listeners,
        } = self;
        let (stop, stopping) = watch::channel(false);
        runtime.block_on(async {
            let monitoring = listeners
                .monitor
                .map(|listener| tokio::spawn(listen(monitor, listener, stopping.clone())));
            let serving = tokio::spawn(listen(requests, listeners.requests, stopping));
            while let Some(Asked::ToReload) = asked.recv().await {
                act(Asked::ToReload);
            }
            log(Level::Info, "stopping", json!({}));
            act(Asked::ToEnd);
            let _ = stop.send(true);
            let _ = serving.await;
            if let Some(monitoring) = monitoring {
                monitoring.abort();
            }
        });
        runtime
    }
}

/// The time between two checks of whether a thread has ended.
const POLL: Duration = Duration::from_millis(5);

/// Waits until the thread that writes has ended, at most until `end`; `late` is logged if it has not
/// by then. `is_whole` reports whether it has written everything.
pub fn ended(
    writer: &JoinHandle<()>,
    end: Instant,
    late: &str,
    is_whole: impl FnOnce() -> bool,
) -> Ended {
    while !writer.is_finished() {
        if Instant::now() >= end {
            log(Level::Error, "cut_off", json!({ "reason": late }));
            return Ended::CutOff;
        }
        thread::sleep(POLL);
    }
    match is_whole() {
        true => Ended::Whole,
        false => Ended::Incomplete,
    }
}

/// Asks the system for `each` files per connection, and `others`. If it grants fewer,
/// `connections` is reduced to what they suffice for.
pub fn fit_in_files(connections: &mut u32, each: u64, others: u64) {
    let wanted = each * u64::from(*connections) + others;
    let granted = open_files(wanted);
    if granted >= wanted {
        return;
    }
    let enough = u32::try_from(granted.saturating_sub(others) / each);
    *connections = enough.unwrap_or(u32::MAX).max(1);
    log(
        Level::Warning,
        "few_files",
        json!({
            "wanted": wanted,
            "granted": granted,
            "connections": *connections,
            "reason": "raise the limit of open files (ulimit -n), or lower connections",
        }),
    );
}

/// Returns how many files this process may have open, after asking for `wanted`.
#[cfg(unix)]
fn open_files(wanted: u64) -> u64 {
    rlimit::increase_nofile_limit(wanted).unwrap_or(64)
}

/// Returns `wanted`, because other systems have no such limit, or a high one.
#[cfg(not(unix))]
const fn open_files(wanted: u64) -> u64 {
    wanted
}

/// Returns a channel of each SIGHUP, and the first SIGINT or SIGTERM. A second one ends the process
/// immediately.
#[cfg(unix)]
fn asked() -> io::Result<UnboundedReceiver<Asked>> {
    use std::sync::{Arc, atomic::AtomicBool};

    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        flag,
        iterator::Signals,
    };

    let is_second = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, Arc::clone(&is_second))?;
        flag::register(signal, Arc::clone(&is_second))?;
    }
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let (sender, asked) = unbounded_channel();
    thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            let what = match signal {
                SIGHUP => Asked::ToReload,
                _ => Asked::ToEnd,
            };
            if sender.send(what).is_err() {
                break;
            }
        }
    })?;
    Ok(asked)
}

/// Returns a channel that stays empty: other systems end a process immediately, and have no signal
/// to reload.
#[cfg(not(unix))]
fn asked() -> io::Result<UnboundedReceiver<Asked>> {
    let (sender, asked) = unbounded_channel();
    // Dropping it would end the channel, as if no more signals could come.
    thread::Builder::new().spawn(move || {
        loop {
            let _kept = &sender;
            thread::park();
        }
    })?;
    Ok(asked)
}
