//! Memory for the events of one request. Blocks of one size are reused. With the allocator alone,
//! buffers that grow on one thread and are freed on another would fragment the memory of every
//! thread, and a receiver's memory would grow for hours.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The size of a block, in bytes.
pub(super) const SIZE: usize = 1 << 20;
/// The number of idle blocks that are kept. By default as many requests are in work.
const KEPT: usize = 16;

/// The idle blocks.
static IDLE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// A buffer that does not grow beyond [`SIZE`].
pub(super) struct Block(Vec<u8>);

impl Block {
    /// Returns an empty block.
    pub(super) fn new() -> Self {
        let idle = idle().pop();
        Self(idle.unwrap_or_else(|| Vec::with_capacity(SIZE)))
    }

    /// Adds all of `bytes`, or nothing if there is no room for them. Returns whether they were
    /// added.
    pub(super) fn add(&mut self, bytes: &[u8]) -> bool {
        let has_room = SIZE - self.0.len() >= bytes.len();
        if has_room {
            self.0.extend_from_slice(bytes);
        }
        has_room
    }
}

impl AsRef<[u8]> for Block {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.0);
        memory.clear();
        let mut idle = idle();
        if idle.len() < KEPT {
            idle.push(memory);
        }
    }
}

fn idle() -> MutexGuard<'static, Vec<Vec<u8>>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_empty_again_and_does_not_grow() {
        for _ in 0..3 {
            let mut block = Block::new();
            assert!(block.as_ref().is_empty());
            assert!(block.add(&vec![b'x'; SIZE - 1]) && !block.add(b"xx") && block.add(b"x"));
            assert_eq!((block.as_ref().len(), block.0.capacity()), (SIZE, SIZE));
        }
    }

    #[test]
    fn no_more_blocks_are_kept_than_that() {
        let blocks: Vec<_> = (0..2 * KEPT).map(|_| Block::new()).collect();
        drop(blocks);
        assert!(idle().len() <= KEPT);
    }
}
