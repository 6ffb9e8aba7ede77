//! The maker of the processor: with the same instructions, processors of two makers have
//! different timings.

use core::{
    arch::x86_64::__cpuid,
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

const UNKNOWN: u8 = 0;
const INTEL: u8 = 1;
const OTHER: u8 = 2;

/// Reports whether it is Intel. Cached: CPUID may take microseconds on a virtual machine, where
/// the host emulates it.
pub(super) fn is_intel() -> bool {
    static VENDOR: AtomicU8 = AtomicU8::new(UNKNOWN);
    let mut vendor = VENDOR.load(Relaxed);
    if vendor == UNKNOWN {
        vendor = ask();
        VENDOR.store(vendor, Relaxed);
    }
    vendor == INTEL
}

fn ask() -> u8 {
    // It was unsafe in the oldest version of Rust that builds this crate.
    #[allow(unused_unsafe)]
    // SAFETY: every x86-64 processor has CPUID, and leaf 0 of it.
    let leaf = unsafe { __cpuid(0) };
    let name = [leaf.ebx, leaf.edx, leaf.ecx].map(u32::to_le_bytes);
    if name.as_flattened() == b"GenuineIntel" {
        INTEL
    } else {
        OTHER
    }
}
