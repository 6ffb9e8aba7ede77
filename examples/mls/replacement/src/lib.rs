//! `openmls_rust_crypto` with HPKE by pqseal.

pub use mls_provider::{Crypto as RustCrypto, Provider as OpenMlsRustCrypto};
pub use openmls_memory_storage::{MemoryStorage, MemoryStorageError};
