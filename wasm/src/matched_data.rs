//! Matched data: blobs, and rings of keys that open them.

mod blob;
mod input;
mod packed;
mod ring;

pub use blob::{inspect, open, seal};
pub use input::Bytes;
pub use ring::KeyRing;
