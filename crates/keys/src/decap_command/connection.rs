//! The helper process, its two pipes and a thread for each: one writes requests, so that no caller
//! blocks on a helper that does not read, and one passes replies to the waiting callers.

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

use pqseal_hpke::{
    AnyPrivateKey, AnyPublicKey, Decapsulator, Error, Secret, SharedSecret, SharedSecrets,
    rand_core::TryRng,
};

use super::{Failure, LineReader, Reply, format_requests, parse_hello, parse_reply};
use crate::SysRng;

/// The time that a helper may take to end after its input was closed.
const GRACE: Duration = Duration::from_secs(2);

/// A running helper.
///
/// ```no_run
/// use std::{process::Command, time::Duration};
///
/// use pqseal_keys::decap_command::DecapCommand;
///
/// let mut command = Command::new("pkcs11-helper");
/// command.args(["--label", "logs"]);
/// let helper = DecapCommand::start(command, Duration::from_secs(60))?;
/// let key = helper.private_key(); // for a key ring, or any suite of its KEM
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DecapCommand {
    public: AnyPublicKey,
    connection: Arc<Connection>,
}

impl DecapCommand {
    /// Starts the helper, reads its first line, and has it decapsulate an encapsulated key that is
    /// made here, so that a helper whose private key does not match its public key is refused.
    ///
    /// `timeout` is how long the helper may be silent: until its first line, and while requests are
    /// open. The helper shares the standard error of this process.
    ///
    /// # Errors
    /// The reason why the helper is unusable. The helper is then stopped.
    pub fn start(command: Command, timeout: Duration) -> Result<Self, Arc<Failure>> {
        let (connection, public) = Connection::open(command, timeout)?;
        let (ours, enc) = encap(&public).map_err(|error| Arc::new(error.into()))?;
        match connection.decap(&enc) {
            Ok(theirs) if theirs == ours => Ok(Self {
                public,
                connection: Arc::new(connection),
            }),
            _ => Err(connection.helper.give_up(Failure::WrongKey)),
        }
    }

    /// Returns the key. It keeps the helper running; clones share it.
    pub fn private_key(&self) -> AnyPrivateKey {
        AnyPrivateKey::external(self.public.clone(), self.connection.clone())
    }

    /// Returns the public key that the helper named.
    pub const fn public_key(&self) -> &AnyPublicKey {
        &self.public
    }

    /// Returns the reason why the helper was stopped, if it was.
    pub fn failure(&self) -> Option<Arc<Failure>> {
        self.connection.helper.requests().failure.clone()
    }
}

/// Encapsulates a fresh shared secret for `public`.
fn encap(public: &AnyPublicKey) -> Result<(SharedSecret, Vec<u8>), Error> {
    let kem = crate::kem_by_id(public.kem().id).expect("the KEM was found by its id");
    let mut randomness = Secret::new(vec![0; kem.info().n_random]);
    SysRng
        .try_fill_bytes(randomness.as_mut())
        .map_err(|_| Error::Rng)?;
    kem.encap(public, randomness.as_ref())
}

/// A helper and the requests to it, from any number of threads.
struct Connection {
    helper: Arc<Helper>,
    /// The queue of request batches to the writer thread. `None` when the helper is asked to end.
    batches: Mutex<Option<Sender<Vec<u8>>>>,
    timeout: Duration,
}

impl Connection {
    /// Starts the helper and reads its first line.
    fn open(mut command: Command, timeout: Duration) -> Result<(Self, AnyPublicKey), Arc<Failure>> {
        let mut child = (command.stdin(Stdio::piped()).stdout(Stdio::piped()))
            .spawn()
            .map_err(|error| Arc::new(Failure::Start(error)))?;
        let stdin = child.stdin.take().expect("its input is a pipe");
        let stdout = child.stdout.take().expect("its output is a pipe");
        let helper = Arc::new(Helper {
            child: Mutex::new(child),
            requests: Mutex::new(Requests {
                next_id: 0,
                open: HashMap::new(),
                last_reply: Instant::now(),
                failure: None,
            }),
            changed: Condvar::new(),
        });
        let (batches, to_write) = mpsc::channel();
        let connection = Self {
            helper: helper.clone(),
            batches: Mutex::new(Some(batches)),
            timeout,
        };
        let (public, lines) = connection.first_line(stdout)?;
        let (reader, n_secret) = (helper.clone(), public.kem().n_secret);
        connection.spawn(move || reader.pass_replies(lines, n_secret))?;
        connection.spawn(move || helper.write_batches(stdin, &to_write))?;
        Ok((connection, public))
    }

    /// Reads the first line in a separate thread, so that the timeout applies.
    fn first_line(
        &self,
        stdout: ChildStdout,
    ) -> Result<(AnyPublicKey, LineReader<ChildStdout>), Arc<Failure>> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.spawn(move || {
            let mut lines = LineReader::new(stdout);
            let line = lines.next_line();
            let public = line.and_then(|line| line.map(parse_hello).transpose());
            // Nobody receives it any more if it took too long.
            let _ = sender.send((public, lines));
        })?;
        let (public, lines) = receiver
            .recv_timeout(self.timeout)
            .map_err(|_| self.helper.give_up(Failure::Timeout(self.timeout)))?;
        match public {
            Ok(Some(public)) => Ok((public, lines)),
            Ok(None) => Err(self.helper.ended()),
            Err(failure) => Err(self.helper.give_up(failure)),
        }
    }

    fn spawn(&self, work: impl FnOnce() + Send + 'static) -> Result<(), Arc<Failure>> {
        match thread::Builder::new().spawn(work) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.helper.give_up(Failure::Start(error))),
        }
    }

    /// Waits until `count` requests from `first` on are answered, or the helper is stopped.
    fn wait<'a>(
        &'a self,
        mut requests: MutexGuard<'a, Requests>,
        first: u64,
        count: usize,
    ) -> MutexGuard<'a, Requests> {
        while requests.failure.is_none()
            && !(first..)
                .take(count)
                .all(|id| matches!(requests.open.get(&id), Some(Some(_))))
        {
            let Some(left) = self.timeout.checked_sub(requests.last_reply.elapsed()) else {
                drop(requests);
                self.helper.give_up(Failure::Timeout(self.timeout));
                return self.helper.requests();
            };
            let waited = self.helper.changed.wait_timeout(requests, left);
            requests = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        requests
    }
}

impl Decapsulator for Connection {
    fn decap(&self, enc: &[u8]) -> Result<SharedSecret, Error> {
        let secrets = self.decap_batch(&[enc]);
        match &secrets[0] {
            Ok(secret) => Ok(SharedSecret::from_slice(secret.as_ref())),
            Err(error) => Err(*error),
        }
    }

    /// Decapsulates all of `encs`, with the results in order. If the helper is stopped meanwhile,
    /// all fail, including those that it had answered.
    fn decap_batch(&self, encs: &[&[u8]]) -> SharedSecrets {
        let mut requests = self.helper.requests();
        let first = requests.next_id;
        if requests.failure.is_none() {
            // The timeout starts here if the helper was idle.
            if requests.open.is_empty() {
                requests.last_reply = Instant::now();
            }
            requests.next_id += encs.len() as u64;
            let ids = first..requests.next_id;
            requests.open.extend(ids.map(|id| (id, None)));
            if let Some(batches) = &*lock(&self.batches) {
                // A writer that has ended has reported the reason.
                let _ = batches.send(format_requests(first, encs));
            }
            requests = self.wait(requests, first, encs.len());
        }
        let failed = requests.failure.is_some();
        (first..)
            .zip(encs)
            .map(|(id, _)| match requests.open.remove(&id).flatten() {
                Some(Ok(secret)) if !failed => Ok(SharedSecret::from_slice((*secret).as_ref())),
                Some(Err(error)) if !failed => Err(error),
                _ => Err(Error::KeyUnavailable),
            })
            .collect()
    }
}

impl Drop for Connection {
    /// Closes the helper's input, which asks it to end. A helper that keeps running is stopped.
    fn drop(&mut self) {
        *lock(&self.batches) = None;
        let mut child = lock(&self.helper.child);
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

/// A helper process, as its two threads and the callers share it.
struct Helper {
    child: Mutex<Child>,
    requests: Mutex<Requests>,
    changed: Condvar,
}

struct Requests {
    next_id: u64,
    /// Open requests, and replies that no caller has taken yet.
    open: HashMap<u64, Option<Reply>>,
    last_reply: Instant,
    failure: Option<Arc<Failure>>,
}

impl Helper {
    fn requests(&self) -> MutexGuard<'_, Requests> {
        lock(&self.requests)
    }

    /// Stops the helper, if it was not stopped before. Returns the first reason, which is recorded
    /// before the helper is stopped: the reader also sees its end, and would report the signal as
    /// the reason.
    fn give_up(&self, failure: Failure) -> Arc<Failure> {
        let failure = (self.requests().failure)
            .get_or_insert(Arc::new(failure))
            .clone();
        self.changed.notify_all();
        let _ = lock(&self.child).kill();
        let _ = lock(&self.child).wait();
        failure
    }

    /// Handles the end of the helper's output.
    fn ended(&self) -> Arc<Failure> {
        let status = wait(&mut lock(&self.child), GRACE);
        let status = status.unwrap_or_else(|| "its output was closed".to_owned());
        self.give_up(Failure::Ended(status))
    }

    /// Passes replies to the waiting callers, until the helper ends or is stopped.
    fn pass_replies(&self, mut lines: LineReader<ChildStdout>, n_secret: usize) {
        let failure = loop {
            let (id, reply) = match lines.next_line() {
                Ok(Some(line)) => match parse_reply(line, n_secret) {
                    Ok(reply) => reply,
                    Err(failure) => break failure,
                },
                Ok(None) => {
                    self.ended();
                    return;
                }
                Err(failure) => break failure,
            };
            let mut requests = self.requests();
            match requests.open.get_mut(&id) {
                Some(place @ None) => *place = Some(reply),
                _ => break Failure::UnknownId(id),
            }
            requests.last_reply = Instant::now();
            self.changed.notify_all();
        };
        self.give_up(failure);
    }

    /// Writes batches until the queue is closed, and then closes the helper's input.
    fn write_batches(&self, mut stdin: ChildStdin, batches: &Receiver<Vec<u8>>) {
        for batch in batches {
            if let Err(error) = stdin.write_all(&batch).and_then(|()| stdin.flush()) {
                // The helper's exit status is more useful than a broken pipe: the reader reports it.
                if error.kind() != std::io::ErrorKind::BrokenPipe {
                    self.give_up(Failure::Io(error));
                }
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
