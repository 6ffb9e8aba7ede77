//! Keys of a DHKEM.

use alloc::boxed::Box;
use core::fmt;

use super::Group;

/// A private key with its public key, which every Decap needs (`pkRm`).
pub struct DhPrivateKey<G: Group> {
    /// Boxed, so that it stays in place when the key moves: a move leaves a copy of the bytes
    /// behind.
    pub(super) scalar: Box<G::Scalar>,
    pub(super) public: DhPublicKey<G>,
}

/// A public key with its serialized form.
pub struct DhPublicKey<G: Group> {
    pub(super) point: G::Point,
    pub(super) bytes: G::PointBytes,
}

impl<G: Group> DhPrivateKey<G> {
    pub(super) fn new(scalar: G::Scalar) -> Self {
        let public = DhPublicKey::new(G::public(&scalar));
        Self {
            scalar: Box::new(scalar),
            public,
        }
    }
}

impl<G: Group> DhPublicKey<G> {
    pub(super) fn new(point: G::Point) -> Self {
        Self {
            bytes: G::point_bytes(&point),
            point,
        }
    }
}

impl<G: Group> Clone for DhPublicKey<G> {
    fn clone(&self) -> Self {
        Self {
            point: self.point.clone(),
            bytes: self.bytes.clone(),
        }
    }
}

impl<G: Group> AsRef<[u8]> for DhPublicKey<G> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

impl<G: Group> fmt::Debug for DhPrivateKey<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DhPrivateKey(..)")
    }
}

impl<G: Group> fmt::Debug for DhPublicKey<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DhPublicKey({:02x?})", self.as_ref())
    }
}
