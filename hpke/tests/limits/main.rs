//! Every limit of the API, from both sides: the last value that works and the first that does not.

use backend_from_env as _;

#[path = "../common/mod.rs"]
mod common;
mod lengths;
mod modes;
mod montgomery;
mod nist;
mod policy;
mod randomness;
mod secrecy;
