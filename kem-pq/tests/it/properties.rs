//! What every KEM of the crate must do, and what ML-KEM and the hybrids must do on top, on the back
//! end that runs.

mod ciphertexts;
mod expanded;
mod hybrids;
mod keys;
mod refused;
mod registry;
