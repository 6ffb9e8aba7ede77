//! The time that brokers are waited for: as long as the user allows, and only a little longer once
//! the run is to end.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// The time that brokers are waited for. Clones share its state.
#[derive(Clone, Debug)]
pub struct Patience {
    /// The time that the user allows.
    pub(crate) retry: Duration,
    is_over: Arc<AtomicBool>,
    /// The time at which the end of the run was first noticed.
    asked: Arc<OnceLock<Instant>>,
}

/// The time that a batch being delivered is still waited for after a signal. Service managers and
/// containers wait for 30 seconds or more before they kill a process.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

impl Patience {
    /// Creates the patience of a run that is to end once `is_over` is true.
    pub fn new(retry: Duration, is_over: Arc<AtomicBool>) -> Self {
        Self {
            retry,
            is_over,
            asked: Arc::default(),
        }
    }

    /// Reports whether the run is to end.
    pub fn is_asked(&self) -> bool {
        let is_over = self.is_over.load(Ordering::Relaxed);
        if is_over {
            self.asked.get_or_init(Instant::now);
        }
        is_over
    }

    /// Reports whether the run is to end, and the time since then is up.
    pub(crate) fn is_cut_short(&self) -> bool {
        self.is_asked() && self.asked.get().is_some_and(|at| at.elapsed() >= GRACE)
    }
}

#[cfg(test)]
impl Patience {
    /// Creates the patience of a run that nothing ends.
    pub(crate) fn without_end(retry: Duration) -> Self {
        Self::new(retry, Arc::default())
    }

    /// Creates a patience whose time has just run out.
    pub(crate) fn at_its_end(retry: Duration) -> Self {
        let patience = Self::without_end(retry);
        patience.end();
        patience
    }

    /// Lets the time run out.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.asked.set(Instant::now() - GRACE).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_leaves_some_seconds() {
        let is_over = Arc::new(AtomicBool::new(false));
        let patience = Patience::new(Duration::MAX, Arc::clone(&is_over));
        assert!(!patience.is_asked() && !patience.is_cut_short());
        is_over.store(true, Ordering::Relaxed);
        assert!(patience.is_asked() && !patience.is_cut_short());
        // Clones share the state.
        let clone = Patience::at_its_end(Duration::MAX).clone();
        assert!(clone.is_asked() && clone.is_cut_short());
    }
}
