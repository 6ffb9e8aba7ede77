//! Requirements on every KEM of the crate, and further ones on ML-KEM and the hybrids, on the back
//! end that runs.

mod ciphertexts;
mod expanded;
mod hybrids;
mod keys;
mod refused;
mod registry;
