//! Helpers of the benchmarks.

use rustix::time::{ClockId, clock_gettime};

/// Returns points that are multiples of the base point.
pub(crate) fn points(count: usize) -> Vec<[u8; 32]> {
    let mut point = [9; 32];
    let next = || {
        point = x25519_batch::x25519(&point, &[point]).as_bytes()[0];
        point
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// Returns the processor time of this thread, in microseconds.
pub(crate) fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    #[allow(clippy::cast_precision_loss)]
    let microseconds = time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3;
    microseconds
}
