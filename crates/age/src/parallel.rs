//! Sealing and opening of whole messages on all cores, with constant memory.
//!
//! Each thread takes the next batch of chunks from the input, seals or opens it, waits for its turn
//! and writes it. So the output is in order, and memory holds only one batch (1 MiB) per thread.
//! The calling thread is one of them.
//!
//! ```
//! use pqseal_age::{FileKey, Payload, parallel::{self, Stream}};
//!
//! let payload = Payload::generate(&FileKey::generate()?)?;
//! let (mut sealed, mut opened) = (Vec::new(), Vec::new());
//! parallel::seal(&payload, &Stream::new(&b"text"[..]), &mut sealed, 2)?;
//! parallel::open(&payload, &Stream::new(&sealed[..]), &mut opened, 2)?;
//! assert_eq!(opened, b"text");
//! # Ok::<(), pqseal_age::Error>(())
//! ```

mod source;

use std::{
    io::{self, Write},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use source::Batch;
pub use source::{FileAt, Source, Stream};

use crate::{
    Chunked, Error,
    chunks::{TAG, sealed},
};

/// The maximum number of threads. Further threads would only wait for their turn to write.
pub const MAX_THREADS: usize = 32;

/// Returns the number of processors that are available to this program, up to [`MAX_THREADS`].
pub fn available() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS))
}

/// Seals all of the input.
///
/// # Errors
/// [`Error::Io`] of input and output, and [`Error::Payload`] for more chunks than the format can
/// number, or for a file that changed meanwhile.
pub fn seal<C: Chunked, S: Source>(
    key: &C,
    input: &S,
    output: impl Write + Send,
    threads: usize,
) -> Result<(), Error> {
    let layout = Layout {
        segment: C::SIZE,
        stride: sealed::<C>(),
    };
    run(layout, input, output, threads, |batch| batch.seal(key))
}

/// Opens all of the input, and writes each chunk after it was authenticated. On failure, the output
/// is the beginning of the message.
///
/// # Errors
/// [`Error::Payload`], [`Error::Io`].
pub fn open<C: Chunked, S: Source>(
    key: &C,
    input: &S,
    output: impl Write + Send,
    threads: usize,
) -> Result<(), Error> {
    let full = sealed::<C>();
    let layout = Layout {
        segment: full,
        stride: full,
    };
    run(layout, input, output, threads, |batch| batch.open(key))
}

/// The layout of the input in a batch: `segment` bytes every `stride` bytes.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    segment: usize,
    stride: usize,
}

impl Layout {
    /// Returns the number of chunks in a batch of 1 MiB.
    fn chunks(self) -> usize {
        (1 << 20) / (self.stride - TAG)
    }
}

/// The turn to write.
struct WriteTurn<W> {
    number: u64,
    output: W,
    /// The first error, after which nothing is written.
    failed: Option<Error>,
}

fn run<S: Source, W: Write + Send>(
    layout: Layout,
    input: &S,
    output: W,
    threads: usize,
    work: impl Fn(&mut Batch) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let turn = Mutex::new(WriteTurn {
        number: 0,
        output,
        failed: None,
    });
    let passed = Condvar::new();
    let worker = || {
        let _guard = PanicGuard(&turn, &passed);
        let mut batch = Batch::new(layout);
        while let Some(read) = input.next(&mut batch) {
            let result = read.map_err(Error::from).and_then(|()| work(&mut batch));
            let turn = passed.wait_while(lock(&turn), |turn| {
                turn.number != batch.number && turn.failed.is_none()
            });
            let mut turn = turn.unwrap_or_else(PoisonError::into_inner);
            if turn.failed.is_some() {
                return;
            }
            turn.number += 1;
            turn.failed = batch.write(&mut turn.output).and(result).err();
            passed.notify_all();
        }
    };
    match threads {
        0 | 1 => worker(),
        // If the system refuses a thread, fewer threads do the work.
        _ => thread::scope(|scope| {
            for _ in 1..threads.min(MAX_THREADS) {
                if thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                    break;
                }
            }
            worker();
        }),
    }
    let mut turn = turn.into_inner().unwrap_or_else(PoisonError::into_inner);
    match turn.failed {
        Some(error) => Err(error),
        None => Ok(turn.output.flush()?),
    }
}

/// A guard of a thread. If it panics, for example in the caller's `Read`, the others stop waiting
/// for it.
struct PanicGuard<'a, W>(&'a Mutex<WriteTurn<W>>, &'a Condvar);

impl<W> Drop for PanicGuard<'_, W> {
    fn drop(&mut self) {
        if thread::panicking() {
            let panicked = io::Error::other("a thread that reads or writes panicked");
            lock(self.0).failed.get_or_insert(panicked.into());
            self.1.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
