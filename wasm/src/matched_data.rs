//! Matched data: blobs, and rings of keys that open them.

mod blob;
#[cfg(feature = "full")]
mod calendar;
mod input;
#[cfg(not(feature = "full"))]
mod no_calendar;
mod packed;
mod ring;

pub use blob::{inspect, open, seal};
#[cfg(feature = "full")]
pub use calendar::Calendar;
pub use input::Bytes;
#[cfg(not(feature = "full"))]
pub use no_calendar::Calendar;
pub use ring::KeyRing;
