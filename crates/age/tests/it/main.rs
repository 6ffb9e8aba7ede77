//! The tests of this crate that call it from outside, as one program: each program links all of it
//! again.

use backend_from_env as _;

mod age_kit;
mod cobblestone;
mod hostile;
mod object;
mod parallel;
mod plugin;
mod recipients;
#[cfg(feature = "ssh")]
mod ssh;
