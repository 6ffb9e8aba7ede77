//! The tests of this crate that call it from outside, as one program: each program links all of it again.

use backend_from_env as _;

mod age;
mod file_peers;
mod formats;
mod kit;
mod peers;
