//! AWS-LC (C and assembly) behind the seams of the portable libraries: what the feature `aws-lc`
//! puts in their place.
//!
//! Bytes and errors are the same with and without it. HKDF is not here: on processors with SHA
//! instructions the contexts of AWS-LC's HMAC cost more than the hash. Nor are X448 and the
//! one-stage KDFs, which AWS-LC lacks or hides.

mod aead;
mod curve25519;
mod nist;

pub use aead::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Cipher};
pub use curve25519::{Curve25519, Scalar as Curve25519Scalar};
pub use nist::{Curve, P256, P384, P521, Point as NistPoint, Scalar as NistScalar};
