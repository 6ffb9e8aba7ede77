//! Keeps secrets out of memory that is free: any script that has the wasm instance can read all of
//! its memory, and a page lives long.
//!
//! Keys wipe themselves when dropped, but there are copies that nobody owns: arguments and results
//! on their way between JavaScript and Rust, buffers that grew, values left on the stack. So every
//! block is overwritten when it is freed (`WipeOnFree`), and the stack after every call that
//! handled a secret ([`wiping_stack`]). `test/memory.test.mjs` searches the whole memory for what
//! is left.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    hint,
};

/// How much of the stack is overwritten, in bytes. `test/memory.test.mjs` measures that no call
/// goes deeper.
const STACK: usize = 64 * 1024;

/// The system's allocator, which overwrites each block before it is free again.
///
/// `realloc` is the trait's own: it allocates, copies and frees, so that the old block is
/// overwritten too.
struct WipeOnFree;

#[cfg_attr(target_arch = "wasm32", global_allocator)]
#[cfg_attr(
    not(target_arch = "wasm32"),
    expect(
        dead_code,
        reason = "other targets have another owner of the allocator"
    )
)]
static ALLOCATOR: WipeOnFree = WipeOnFree;

#[expect(
    unsafe_code,
    reason = "there is no other way to see each block that is freed"
)]
// SAFETY: all is `System`'s, which fulfils the contract; what is added touches a block only while
// it is still allocated.
unsafe impl GlobalAlloc for WipeOnFree {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller gives a block of `System` with its layout: so many bytes that may be
        // written and that nobody uses any more.
        unsafe { block.write_bytes(0, layout.size()) };
        // As if the zeros were read, so that they are written though the block is about to be gone.
        let block = hint::black_box(block);
        // SAFETY: as above; `block` is the same.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Runs `call` and then overwrites the part of the stack that it had.
pub fn wiping_stack<T>(call: impl FnOnce() -> T) -> T {
    let result = below(call);
    wipe();
    result
}

/// A frame of its own, so that what `call` leaves is where [`wipe`] has its array.
#[inline(never)]
fn below<T>(call: impl FnOnce() -> T) -> T {
    call()
}

#[inline(never)]
fn wipe() {
    hint::black_box(&mut [0_u8; STACK]);
}
