//! DHKEM (RFC 9180, section 4.1): one family over a [`Group`], one entry per curve.

#[cfg(feature = "aws-lc")]
pub(crate) mod aws_lc;
mod curves;
mod entries;
mod group;
mod kem;
mod keys;
mod montgomery;
mod nist;
#[cfg(target_arch = "wasm32")]
mod simd128;
#[cfg(not(target_arch = "wasm32"))]
mod table;
#[cfg(not(target_arch = "wasm32"))]
mod vectors;

use core::{fmt, marker::PhantomData};

#[cfg(feature = "x448")]
pub use curves::X448;
pub use curves::{P256, P384, P521, X25519};
#[cfg(feature = "x448")]
pub use entries::X448HkdfSha512;
pub use entries::{P256HkdfSha256, P384HkdfSha384, P521HkdfSha512, X25519HkdfSha256};
pub use group::{Agreed, Group, OwnAndShared};
pub use kem::extract_and_expand;
pub use keys::{DhPrivateKey, DhPublicKey};
#[cfg(not(target_arch = "wasm32"))]
pub use montgomery::Dalek;
#[cfg(feature = "x448")]
pub use montgomery::RustCrypto;
pub use montgomery::{Montgomery, XFunction};
#[doc(hidden)]
pub use nist::Nist;
#[cfg(feature = "aws-lc")]
pub(crate) use nist::UNCOMPRESSED;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub use simd128::Simd128;
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub use table::TablePoint;

use crate::{KemInfo, Status};

/// A DHKEM over the group `G` with the KDF `D`; [`X25519HkdfSha256`](type@X25519HkdfSha256) and its
/// siblings are the entries.
pub struct DhKem<G, D> {
    info: KemInfo,
    kdf: D,
    group: PhantomData<fn() -> G>,
}

impl<G: Group, D> DhKem<G, D> {
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
            status: Status::Standard,
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
