//! What every suite must do, in every mode it has: each test is one body that runs over the whole
//! registry.

use backend_from_env as _;

mod aeads;
mod bound;
mod case;
#[path = "../common/mod.rs"]
mod common;
mod contexts;
mod export;
mod keys;
mod refusals;
mod response;
