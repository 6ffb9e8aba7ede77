//! Clocks, and the order in which candidates take turns.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The processor time of this thread, in this program and in the kernel.
pub(crate) fn processor() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

pub(crate) fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The numbers below `count`, in another order each round: one that always follows another of its
/// kind would find warm caches.
pub(crate) fn turn(round: usize, count: usize) -> impl Iterator<Item = usize> {
    let strides: Vec<usize> = (1..=count).filter(|n| coprime(*n, count)).collect();
    let stride = strides[round % strides.len()];
    (0..count).map(move |at| (round + at * stride) % count)
}

fn coprime(a: usize, b: usize) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}
