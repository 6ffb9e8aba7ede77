//! The tests of this crate in one program, since each program links the crate again.

use backend_from_env as _;

mod age;
mod file_peers;
mod formats;
mod kit;
mod otlp;
mod peers;
