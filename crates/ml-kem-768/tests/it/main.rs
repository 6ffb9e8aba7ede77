//! Tests of the crate's interface, on each back end of the machine.

mod common;
mod differential;
mod rejection;
mod vectors;
#[cfg(target_os = "linux")]
mod wiping;
