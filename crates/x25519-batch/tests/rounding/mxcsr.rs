//! MXCSR, the register of x86-64 that says how a thread's floating-point instructions round and
//! which of their exceptions trap (Intel SDM, volume 1, section 10.2.3). Threads inherit it on
//! Linux.

use core::arch::asm;

/// The mode in which a process starts and which Rust assumes: rounding to nearest, nothing
/// flushed, nothing trapped.
pub(crate) const DEFAULT: u32 = 0x1f80;
/// Subnormal results are zero (FTZ), subnormal operands are zero (DAZ).
const FTZ: u32 = 1 << 15;
const DAZ: u32 = 1 << 6;
/// The modes in which doubles compute as by default.
pub(crate) fn harmless() -> [u32; 4] {
    [DEFAULT, DEFAULT | FTZ, DEFAULT | DAZ, DEFAULT | FTZ | DAZ]
}

/// The other three directions of rounding, each with every way to flush, and each exception
/// unmasked.
pub(crate) fn harmful() -> Vec<u32> {
    let directions = [1, 2, 3].map(|direction| direction << 13);
    let rounding = directions
        .into_iter()
        .flat_map(|direction| harmless().map(|mode| mode | direction));
    let unmasked = (7..=12).map(|exception| DEFAULT & !(1 << exception));
    rounding.chain(unmasked).chain([0, 3 << 13]).collect()
}

/// Runs `operation` in a mode, and returns its result and MXCSR after it.
pub(crate) fn run_in<T>(mode: u32, operation: impl FnOnce() -> T) -> (T, u32) {
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            set(DEFAULT);
        }
    }
    set(mode);
    let restore = Restore;
    let result = operation();
    let after = get();
    drop(restore);
    (result, after)
}

pub(crate) fn get() -> u32 {
    let mut mxcsr = 0_u32;
    // SAFETY: stores four bytes into a u32.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) };
    mxcsr
}

/// Sets MXCSR. Not `readonly` or `nomem`: operations on doubles must not move across it.
fn set(mxcsr: u32) {
    // SAFETY: loads four bytes from a u32, of which no reserved bit is set. Rust's own
    // floating-point arithmetic is not to be used until the default is back.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack)) };
}
