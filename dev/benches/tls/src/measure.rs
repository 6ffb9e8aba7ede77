//! Clocks, one core for everything, and the order of the candidates.

use std::{io, time::Duration};

use rustix::{
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
    time::{ClockId, clock_gettime},
};

/// Keeps this thread, and all threads and processes that it starts from now on, on one core.
/// Otherwise a latency would depend on whether the system runs client and server on one core or
/// on two.
pub(crate) fn stay_on_one_core() -> io::Result<()> {
    let allowed = sched_getaffinity(None)?;
    let last = (0..CpuSet::MAX_CPU).rev().find(|cpu| allowed.is_set(*cpu));
    let mut one = CpuSet::new();
    one.set(last.ok_or(io::ErrorKind::NotFound)?);
    Ok(sched_setaffinity(None, &one)?)
}

/// Returns the processor time of this thread, in this program and in the kernel.
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

/// Iterates over the numbers below `count`, in another order each round. A candidate that always
/// follows a similar one would find warm caches.
pub(crate) fn turn(round: usize, count: usize) -> impl Iterator<Item = usize> {
    let strides: Vec<usize> = (1..=count).filter(|n| coprime(*n, count)).collect();
    let stride = strides[round % strides.len()];
    (0..count).map(move |at| (round + at * stride) % count)
}

fn coprime(a: usize, b: usize) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}
