//! The behaviour required of every suite, in every mode it has: each test is one body that runs
//! over the whole registry.

mod aeads;
mod bound;
mod case;
mod contexts;
mod export;
mod keys;
mod refusals;
mod response;
