//! AWS-LC (C and assembly) behind the seams of the portable libraries: what the feature `aws-lc`
//! puts in their place.
//!
//! Bytes and errors are the same with and without it. HKDF is not here: on processors with SHA
//! instructions the contexts of AWS-LC's HMAC cost more than the hash. Nor are X448 and the
//! one-stage KDFs, which AWS-LC lacks or hides.
//!
//! AES-GCM is taken from AWS-LC for all sizes: a choice by size would need a key for each library.

pub use crate::{
    aead::aws_lc::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Cipher},
    dhkem::aws_lc::{Curve, Curve25519, Curve25519Scalar, NistPoint, NistScalar, P256, P384, P521},
};
