//! Long operations that Ctrl-C can end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use pyo3::prelude::*;

/// The interval at which signals are checked.
const PERIOD: Duration = Duration::from_millis(100);

/// Runs `work` in a thread without the interpreter's lock. If a signal handler raises an exception
/// meanwhile, the flag is set, which makes file objects end the work, and the exception is raised.
pub(super) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(Arc<AtomicBool>) -> T + Send,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = mpsc::channel();
            let flag = stop.clone();
            scope.spawn(move || done.send(work(flag)));
            loop {
                match wait.recv_timeout(PERIOD) {
                    Ok(result) => return Ok(result),
                    Err(RecvTimeoutError::Timeout) => {
                        Python::attach(|py| py.check_signals())
                            .inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        panic!("the thread that works on the file panicked")
                    }
                }
            }
        })
    })
}
