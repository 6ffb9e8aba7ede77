//! DHKEM (RFC 9180, section 4.1): one family over a [`Group`], one entry per curve.

#[cfg(feature = "aws-lc")]
pub(crate) mod aws_lc;
mod curves;
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
mod dalek;
#[cfg(any(feature = "nist", feature = "x25519", feature = "x448"))]
mod entries;
mod group;
mod kem;
mod keys;
mod montgomery;
#[cfg(feature = "nist")]
mod nist;
#[cfg(all(feature = "x25519", target_arch = "wasm32"))]
mod simd128;
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
mod table;
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
mod vectors;
#[cfg(feature = "x448")]
mod x448;

use core::{fmt, marker::PhantomData};

#[cfg(feature = "x448")]
pub use curves::X448;
#[cfg(feature = "x25519")]
pub use curves::X25519;
#[cfg(feature = "nist")]
pub use curves::{P256, P384, P521};
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub use dalek::Dalek;
#[cfg(feature = "x448")]
pub use entries::X448HkdfSha512;
#[cfg(feature = "x25519")]
pub use entries::X25519HkdfSha256;
#[cfg(feature = "nist")]
pub use entries::{P256HkdfSha256, P384HkdfSha384, P521HkdfSha512};
pub use group::{Agreed, Group, OwnAndShared};
pub use kem::extract_and_expand;
pub use keys::{DhPrivateKey, DhPublicKey};
pub use montgomery::{Montgomery, XFunction};
#[cfg(feature = "nist")]
#[doc(hidden)]
pub use nist::Nist;
#[cfg(feature = "aws-lc")]
pub(crate) use nist::UNCOMPRESSED;
#[cfg(all(feature = "x25519", target_arch = "wasm32"))]
#[doc(hidden)]
pub use simd128::Simd128;
#[cfg(all(feature = "x25519", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub use table::TablePoint;
#[cfg(feature = "x448")]
#[doc(hidden)]
pub use x448::RustCrypto;

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
