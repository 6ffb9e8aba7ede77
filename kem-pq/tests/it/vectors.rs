//! Official vectors of every KEM of the crate, on the back end that runs. PQSEAL_BACKEND chooses
//! another.

mod accumulated;
mod acvp;
mod cctv;
mod hpke;
mod kyber;
mod operations;
mod wycheproof;
mod x_wing;
