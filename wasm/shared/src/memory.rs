//! Protection of secrets against remaining in free memory. Any script that has the wasm instance
//! can read all of its memory, and a page lives long.
//!
//! Keys wipe themselves when dropped, but there are copies without an owner: arguments and results
//! on their way between JavaScript and Rust, buffers that grew, values left on the stack. So every
//! block is overwritten when it is freed (`WipeOnFree`), and the stack after every call that
//! handled a secret ([`wiping_stack`]). `test/memory.test.mjs` searches the whole memory for
//! remains.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    hint,
};

/// The bytes of the stack that are overwritten. `test/memory.test.mjs` checks that no call uses
/// more.
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
// SAFETY: `System` fulfils the contract and does all the work. The addition only touches a block
// while it is still allocated.
unsafe impl GlobalAlloc for WipeOnFree {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises what `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller passes a block of `System` with its layout, so this many bytes may be
        // written, and nobody uses them any more.
        unsafe { block.write_bytes(0, layout.size()) };
        // As if the zeros were read, so that the compiler keeps the write before the block is
        // freed.
        let block = hint::black_box(block);
        // SAFETY: as above; `block` is the same.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Runs `call`, then overwrites the part of the stack that it used.
pub fn wiping_stack<T>(call: impl FnOnce() -> T) -> T {
    let result = below(call);
    wipe();
    result
}

/// Runs `call` in a separate frame, so that its remains are where [`wipe`] has its array.
#[inline(never)]
fn below<T>(call: impl FnOnce() -> T) -> T {
    call()
}

#[inline(never)]
fn wipe() {
    hint::black_box(&mut [0_u8; STACK]);
}
