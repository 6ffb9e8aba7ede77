//! The curves of AWS-LC.

mod curve25519;
mod nist;

pub use curve25519::{Curve25519, Scalar as Curve25519Scalar};
pub use nist::{Curve, P256, P384, P521, Point as NistPoint, Scalar as NistScalar};
