//! DHKEM (RFC 9180, section 4.1): one family over a [`Group`], one entry per curve.

#[cfg(feature = "aws-lc")]
pub(crate) mod aws_lc;
#[cfg(any(feature = "nist", feature = "x25519", feature = "x448"))]
mod entries;
mod group;
mod kem;
#[cfg(any(feature = "x25519", feature = "x448"))]
mod libraries;
mod montgomery;
#[cfg(feature = "nist")]
mod nist;
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
mod table;
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
mod vectors;

use alloc::boxed::Box;
use core::{fmt, marker::PhantomData};

#[cfg(feature = "nist")]
pub use entries::{P256, P256HkdfSha256, P384, P384HkdfSha384, P521, P521HkdfSha512};
#[cfg(feature = "x448")]
pub use entries::{X448, X448HkdfSha512};
#[cfg(feature = "x25519")]
pub use entries::{X25519, X25519HkdfSha256};
pub use group::{Agreed, Group, OwnAndShared};
pub use kem::extract_and_expand;
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub use libraries::Dalek;
#[cfg(feature = "x448")]
#[doc(hidden)]
pub use libraries::RustCrypto;
#[cfg(all(feature = "x25519", target_arch = "wasm32"))]
#[doc(hidden)]
pub use libraries::Simd128;
pub use montgomery::{Montgomery, XFunction};
#[cfg(feature = "nist")]
#[doc(hidden)]
pub use nist::Nist;
#[cfg(feature = "aws-lc")]
pub(crate) use nist::UNCOMPRESSED;
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub use table::TablePoint;

use crate::KemInfo;

/// A DHKEM over the group `G` with the KDF `D`; [`X25519HkdfSha256`](type@X25519HkdfSha256) and its
/// siblings are the entries.
pub struct DhKem<G, D> {
    info: KemInfo,
    kdf: D,
    group: PhantomData<fn() -> G>,
}

impl<G: Group, D> DhKem<G, D> {
    #[cfg(any(feature = "nist", feature = "x25519", feature = "x448"))]
    const fn entry(
        id: u16,
        name: &'static str,
        short_name: &'static str,
        n_secret: usize,
        kdf: D,
    ) -> Self {
        let info = KemInfo {
            id,
            name,
            short_name,
            n_secret,
            n_enc: G::N_PK,
            n_pk: G::N_PK,
            n_sk: G::N_SK,
            n_random: G::N_SK,
            auth: true,
            status: crate::Status::Standard,
        };
        Self {
            info,
            kdf,
            group: PhantomData,
        }
    }

    /// Returns the same entry on another library's group and KDF:
    /// `X25519HkdfSha256.on::<Montgomery<Dalek, 32>, _>(..)` is the portable one under any
    /// features.
    pub const fn on<H: Group, E>(&self, kdf: E) -> DhKem<H, E> {
        DhKem {
            info: self.info,
            kdf,
            group: PhantomData,
        }
    }
}

impl<G, D: Clone> Clone for DhKem<G, D> {
    fn clone(&self) -> Self {
        Self {
            info: self.info,
            kdf: self.kdf.clone(),
            group: PhantomData,
        }
    }
}

impl<G, D> fmt::Debug for DhKem<G, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}

/// A private key with its public key, which every Decap needs (`pkRm`).
pub struct DhPrivateKey<G: Group> {
    /// Boxed, so that it stays in place when the key moves: a move leaves a copy of the bytes
    /// behind.
    scalar: Box<G::Scalar>,
    public: DhPublicKey<G>,
}

/// A public key with its serialized form.
pub struct DhPublicKey<G: Group> {
    point: G::Point,
    bytes: G::PointBytes,
}

impl<G: Group> DhPrivateKey<G> {
    fn new(scalar: G::Scalar) -> Self {
        let public = DhPublicKey::new(G::public(&scalar));
        Self {
            scalar: Box::new(scalar),
            public,
        }
    }
}

impl<G: Group> DhPublicKey<G> {
    fn new(point: G::Point) -> Self {
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
