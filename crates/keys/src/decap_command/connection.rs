//! The helper process, its two pipes and a thread for each: one writes requests, so that no caller
//! blocks on a helper that does not read, and one passes answers to the waiting callers.

use std::{
    collections::HashMap,
    fmt,
    io::Write,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use pqseal_hpke::{SharedSecret, SharedSecrets};

use super::{
    Failure,
    lines::Lines,
    protocol::{self, Answer, Hello},
};

/// The time that a helper may take to end after its input was closed.
const GRACE: Duration = Duration::from_secs(2);

/// A helper and the requests to it, from any number of threads.
pub(super) struct Connection {
    shared: Arc<Shared>,
    /// The queue of request batches to the writer thread. `None` when the helper is asked to end.
    requests: Mutex<Option<Sender<Vec<u8>>>>,
    timeout: Duration,
}

struct Shared {
    child: Mutex<Child>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    next_id: u64,
    /// Open requests, and answers that no caller has taken yet.
    open: HashMap<u64, Option<Reply>>,
    last_answer: Instant,
    failure: Option<Arc<Failure>>,
}

/// An answer. The shared secret is boxed: a moved value leaves its bytes behind.
type Reply = Result<Box<SharedSecret>, pqseal_hpke::Error>;

impl Connection {
    /// Starts the helper and reads its first line.
    pub(super) fn open(
        mut command: Command,
        timeout: Duration,
    ) -> Result<(Self, Hello), Arc<Failure>> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let start = |error| Arc::new(Failure::Start(error));
        let mut child = command.spawn().map_err(start)?;
        let stdin = child.stdin.take().expect("its input is a pipe");
        let stdout = child.stdout.take().expect("its output is a pipe");
        let state = State {
            next_id: 0,
            open: HashMap::new(),
            last_answer: Instant::now(),
            failure: None,
        };
        let shared = Arc::new(Shared {
            child: Mutex::new(child),
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let (requests, to_write) = mpsc::channel();
        let connection = Self {
            shared: shared.clone(),
            requests: Mutex::new(Some(requests)),
            timeout,
        };
        let (hello, lines) = connection.hello(stdout)?;
        let n_secret = hello.public_key.kem().n_secret;
        let reader = shared.clone();
        let read = move || read(&reader, lines, n_secret);
        let write = move || write(&shared, stdin, &to_write);
        for thread in [Box::new(read) as Box<dyn FnOnce() + Send>, Box::new(write)] {
            thread::Builder::new()
                .spawn(thread)
                .map_err(|error| connection.give_up(Failure::Start(error)))?;
        }
        Ok((connection, hello))
    }

    /// Reads the first line in a separate thread, so that the timeout applies.
    fn hello(&self, stdout: ChildStdout) -> Result<(Hello, Lines<ChildStdout>), Arc<Failure>> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let first_line = move || {
            let mut lines = Lines::new(stdout);
            let hello = match lines.next_line() {
                Ok(Some(line)) => Ok(Some(Hello::parse(line))),
                Ok(None) => Ok(None),
                Err(failure) => Err(failure),
            };
            // Nobody receives it any more if it took too long.
            let _ = sender.send((hello, lines));
        };
        thread::Builder::new()
            .spawn(first_line)
            .map_err(|error| self.give_up(Failure::Start(error)))?;
        let (hello, lines) = receiver
            .recv_timeout(self.timeout)
            .map_err(|_| self.give_up(Failure::Timeout(self.timeout)))?;
        match hello {
            Ok(Some(Ok(hello))) => Ok((hello, lines)),
            Ok(Some(Err(failure))) | Err(failure) => Err(self.give_up(failure)),
            Ok(None) => Err(self.shared.ended()),
        }
    }

    /// Decapsulates all of `encs`, with the results in order. If the helper is stopped meanwhile,
    /// all fail, including those that it had answered.
    pub(super) fn ask(&self, encs: &[&[u8]]) -> SharedSecrets {
        let mut state = self.shared.lock();
        let first = state.next_id;
        if state.failure.is_none() {
            // The timeout starts here if the helper was idle.
            if state.open.is_empty() {
                state.last_answer = Instant::now();
            }
            state.next_id += encs.len() as u64;
            let ids = first..state.next_id;
            state.open.extend(ids.map(|id| (id, None)));
            self.send(protocol::requests(first, encs));
            state = self.wait(state, first, encs.len());
        }
        let failed = state.failure.is_some();
        (first..)
            .zip(encs)
            .map(|(id, _)| match state.open.remove(&id).flatten() {
                Some(Ok(secret)) if !failed => Ok(SharedSecret::from_slice((*secret).as_ref())),
                Some(Err(error)) if !failed => Err(error),
                _ => Err(pqseal_hpke::Error::KeyUnavailable),
            })
            .collect()
    }

    /// Waits until `count` requests from `first` on are answered, or the helper is stopped.
    fn wait<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        first: u64,
        count: usize,
    ) -> MutexGuard<'a, State> {
        let answered = |state: &State| {
            (first..)
                .take(count)
                .all(|id| state.open.get(&id).is_some_and(Option::is_some))
        };
        while state.failure.is_none() && !answered(&state) {
            let Some(left) = self.timeout.checked_sub(state.last_answer.elapsed()) else {
                drop(state);
                self.give_up(Failure::Timeout(self.timeout));
                return self.shared.lock();
            };
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }

    fn send(&self, batch: Vec<u8>) {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(requests) = &*requests {
            // A writer that has ended has reported the reason.
            let _ = requests.send(batch);
        }
    }

    /// Stops the helper, if it was not stopped before. Returns the first reason.
    pub(super) fn give_up(&self, failure: Failure) -> Arc<Failure> {
        self.shared.give_up(failure)
    }

    pub(super) fn failure(&self) -> Option<Arc<Failure>> {
        self.shared.lock().failure.clone()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the helper, if it was not stopped before. Returns the first reason, which is recorded
    /// before the helper is stopped: the reader also sees its end, and would report the signal as
    /// the reason.
    fn give_up(&self, failure: Failure) -> Arc<Failure> {
        let failure = self.lock().failure.get_or_insert(Arc::new(failure)).clone();
        self.changed.notify_all();
        let _ = self.child().kill();
        let _ = self.child().wait();
        failure
    }

    /// Handles the end of the helper's output.
    fn ended(&self) -> Arc<Failure> {
        let status = wait(&mut self.child(), GRACE);
        let status = status.unwrap_or_else(|| "its output was closed".to_owned());
        self.give_up(Failure::Ended(status))
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the exit status, if the helper ends within this time.
fn wait(child: &mut Child, time: Duration) -> Option<String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.to_string()),
            Ok(None) if start.elapsed() < time => thread::sleep(Duration::from_millis(5)),
            _ => return None,
        }
    }
}

/// Passes answers to the waiting callers, until the helper ends or is stopped.
fn read(shared: &Shared, mut lines: Lines<ChildStdout>, n_secret: usize) {
    loop {
        let answer = match lines.next_line() {
            Ok(Some(line)) => protocol::answer(line, n_secret),
            Ok(None) => {
                shared.ended();
                return;
            }
            Err(failure) => Err(failure),
        };
        if let Err(failure) = answer.and_then(|(id, answer)| shared.answered(id, answer)) {
            shared.give_up(failure);
            return;
        }
    }
}

impl Shared {
    fn answered(&self, id: u64, answer: Answer) -> Result<(), Failure> {
        let reply = match answer {
            Answer::Secret(secret) => Ok(secret),
            Answer::Invalid => Err(pqseal_hpke::Error::Decap),
            Answer::Error(text) => return Err(Failure::Reported(text)),
        };
        let mut state = self.lock();
        match state.open.get_mut(&id) {
            Some(place @ None) => *place = Some(reply),
            _ => return Err(Failure::UnknownId(id)),
        }
        state.last_answer = Instant::now();
        self.changed.notify_all();
        Ok(())
    }
}

/// Writes batches until the queue is closed, and then closes the helper's input.
fn write(shared: &Shared, mut stdin: ChildStdin, batches: &Receiver<Vec<u8>>) {
    for batch in batches {
        if let Err(error) = stdin.write_all(&batch).and_then(|()| stdin.flush()) {
            // The helper's exit status is more useful than a broken pipe: the reader reports it.
            if error.kind() != std::io::ErrorKind::BrokenPipe {
                shared.give_up(Failure::Io(error));
            }
            return;
        }
    }
}

impl Drop for Connection {
    /// Closes the helper's input, which asks it to end. A helper that keeps running is stopped.
    fn drop(&mut self) {
        let requests = self.requests.get_mut();
        *requests.unwrap_or_else(PoisonError::into_inner) = None;
        let mut child = self.shared.child();
        if wait(&mut child, GRACE).is_none() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}
