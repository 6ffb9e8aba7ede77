//! AWS-LC (C and assembly) behind the traits of the portable libraries, which it replaces with the
//! feature `aws-lc`.
//!
//! Bytes and errors are the same with and without it. HKDF is not included: on processors with SHA
//! instructions the contexts of AWS-LC's HMAC cost more than the hash. Neither are X448 and the
//! one-stage KDFs, which AWS-LC lacks or does not expose.
//!
//! AES-GCM comes from AWS-LC for all sizes: a choice by size would need a key for each library.

pub use crate::{
    aead::aws_lc::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Cipher},
    dhkem::aws_lc::{Curve, Curve25519, Curve25519Scalar, NistPoint, NistScalar, P256, P384, P521},
};
