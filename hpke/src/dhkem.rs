//! DHKEM (RFC 9180, section 4.1): one family over a [`Group`], one row a curve.

#[cfg(feature = "aws-lc")]
pub(crate) mod aws_lc;
mod curves;
mod montgomery;
mod nist;
#[cfg(target_arch = "wasm32")]
mod simd128;
#[cfg(not(target_arch = "wasm32"))]
mod table;
#[cfg(not(target_arch = "wasm32"))]
mod vectors;

use alloc::{boxed::Box, vec::Vec};
use core::fmt;

#[cfg(feature = "x448")]
pub use curves::X448;
pub use curves::{P256, P384, P521, X25519};
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

use rand_core::TryCryptoRng;

use crate::{
    Error, HkdfSha256, HkdfSha384, HkdfSha512, Kem, KemInfo, Labels, Secret, SharedSecret,
    SharedSecrets, Status, TwoStage, labeled::kem_suite_id, secret::Short,
};

/// A Diffie-Hellman group: what a DHKEM and a hybrid need of a curve. Implement it to compute with
/// another library; for keys in hardware implement [`Kem`], as [`manual::hardware`] shows.
///
/// [`manual::hardware`]: crate::manual::hardware
pub trait Group: Send + Sync + 'static {
    /// A private scalar. Wiped on drop; its `Debug` shows nothing of it.
    type Scalar: fmt::Debug + Send + Sync;
    /// A validated public point.
    type Point: Clone + Send + Sync;
    /// A serialized point, Npk bytes.
    type PointBytes: AsRef<[u8]> + Clone + fmt::Debug + Send + Sync;

    /// Npk, which for a DHKEM is also Nenc, in bytes.
    const N_PK: usize;
    /// Nsk in bytes.
    const N_SK: usize;
    /// The largest value of the first byte of a private key drawn by rejection sampling (section
    /// 7.1.3), or `None` where any Nsk bytes are a private key.
    const CANDIDATE_MASK: Option<u8>;

    /// A random private key, by rejection sampling on the P-curves: uniform below the group order.
    /// HPKE itself derives its keys ([`Kem::derive_key_pair`]). With the feature `aws-lc` the
    /// P-curves draw from AWS-LC's own generator instead of `rng`.
    ///
    /// # Errors
    /// [`Error::Rng`].
    fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self::Scalar, Error> {
        let mut candidate = Secret::zeros(Self::N_SK);
        // P-256 has the sparsest order: a draw is rejected with probability 2^-32.
        for _ in 0..=u8::MAX {
            rng.try_fill_bytes(candidate.as_mut())
                .map_err(|_| Error::Rng)?;
            candidate.as_mut()[0] &= Self::CANDIDATE_MASK.unwrap_or(0xff);
            if let Ok(scalar) = Self::scalar(candidate.as_ref()) {
                return Ok(scalar);
            }
        }
        Err(Error::Rng)
    }

    /// A private key of Nsk bytes.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length, zero, or a value not below the group order.
    fn scalar(bytes: &[u8]) -> Result<Self::Scalar, Error>;

    /// The Nsk bytes of a private key, as they were given: X25519 and X448 keys are not clamped on
    /// the way in or out, as in the successor draft. Clamping belongs to the multiplication, so
    /// a clamped key and its unclamped form have the same public key.
    fn scalar_bytes(scalar: &Self::Scalar) -> Secret<Short>;

    /// A public key of Npk bytes, validated.
    ///
    /// # Errors
    /// [`Error::Deserialize`] for another length, a point off the curve, or the identity.
    fn point(bytes: &[u8]) -> Result<Self::Point, Error>;

    /// The Npk bytes of a public key.
    fn point_bytes(point: &Self::Point) -> Self::PointBytes;

    /// Makes each [`Group::dh`] with this point cheaper, at the cost of many of them, where the
    /// group can.
    fn precompute(_point: &mut Self::Point) {}

    /// The public key of a private one.
    fn public(scalar: &Self::Scalar) -> Self::Point;

    /// `DH(skX, pkY)`: for P-curves the X coordinate.
    ///
    /// # Errors
    /// [`Error::Validation`] for an all-zero result (section 7.1.4).
    fn dh(scalar: &Self::Scalar, point: &Self::Point) -> Result<Secret<Short>, Error>;

    /// [`Group::dh`] of one scalar with many points, results in order. An error stays where it is.
    /// A loop unless the group has something faster.
    fn dh_batch(scalar: &Self::Scalar, points: Vec<Result<Self::Point, Error>>) -> SharedSecrets {
        points
            .into_iter()
            .map(|point| Self::dh(scalar, &point?))
            .collect()
    }
}

/// A DHKEM over the group `G` with the KDF `D`; [`X25519HkdfSha256`](type@X25519HkdfSha256) and its
/// sisters are the rows.
pub struct DhKem<G, D> {
    info: KemInfo,
    kdf: D,
    group: core::marker::PhantomData<fn() -> G>,
}

/// DHKEM(P-256, HKDF-SHA256), id 0x0010: Nsecret 32, Nenc 65, Npk 65, Nsk 32 bytes.
pub type P256HkdfSha256 = DhKem<P256, HkdfSha256>;
/// DHKEM(P-384, HKDF-SHA384), id 0x0011: Nsecret 48, Nenc 97, Npk 97, Nsk 48 bytes.
pub type P384HkdfSha384 = DhKem<P384, HkdfSha384>;
/// DHKEM(P-521, HKDF-SHA512), id 0x0012: Nsecret 64, Nenc 133, Npk 133, Nsk 66 bytes.
pub type P521HkdfSha512 = DhKem<P521, HkdfSha512>;
/// DHKEM(X25519, HKDF-SHA256), id 0x0020: all sizes 32 bytes.
pub type X25519HkdfSha256 = DhKem<X25519, HkdfSha256>;
/// DHKEM(X448, HKDF-SHA512), id 0x0021: Nsecret 64, Nenc 56, Npk 56, Nsk 56 bytes.
#[cfg(feature = "x448")]
pub type X448HkdfSha512 = DhKem<X448, HkdfSha512>;

/// DHKEM(P-256, HKDF-SHA256) as a value.
#[allow(
    non_upper_case_globals,
    reason = "a row reads like a unit struct: one name for its type and its value"
)]
pub const P256HkdfSha256: P256HkdfSha256 =
    DhKem::row(0x0010, "DHKEM(P-256, HKDF-SHA256)", "p256", 32, HkdfSha256);
/// DHKEM(P-384, HKDF-SHA384) as a value.
#[allow(non_upper_case_globals, reason = "as P256HkdfSha256")]
pub const P384HkdfSha384: P384HkdfSha384 =
    DhKem::row(0x0011, "DHKEM(P-384, HKDF-SHA384)", "p384", 48, HkdfSha384);
/// DHKEM(P-521, HKDF-SHA512) as a value.
#[allow(non_upper_case_globals, reason = "as P256HkdfSha256")]
pub const P521HkdfSha512: P521HkdfSha512 =
    DhKem::row(0x0012, "DHKEM(P-521, HKDF-SHA512)", "p521", 64, HkdfSha512);
/// DHKEM(X25519, HKDF-SHA256) as a value.
#[allow(non_upper_case_globals, reason = "as P256HkdfSha256")]
pub const X25519HkdfSha256: X25519HkdfSha256 = DhKem::row(
    0x0020,
    "DHKEM(X25519, HKDF-SHA256)",
    "x25519",
    32,
    HkdfSha256,
);
/// DHKEM(X448, HKDF-SHA512) as a value.
#[cfg(feature = "x448")]
#[allow(non_upper_case_globals, reason = "as P256HkdfSha256")]
pub const X448HkdfSha512: X448HkdfSha512 =
    DhKem::row(0x0021, "DHKEM(X448, HKDF-SHA512)", "x448", 64, HkdfSha512);

/// A private key with its public key, which every Decap needs (`pkRm`).
pub struct DhPrivateKey<G: Group> {
    /// Boxed, so that it stays where it is when the key moves: what moves leaves its bytes behind.
    scalar: Box<G::Scalar>,
    public: DhPublicKey<G>,
}

/// A public key with its serialized form.
pub struct DhPublicKey<G: Group> {
    point: G::Point,
    bytes: G::PointBytes,
}

impl<G: Group, D> DhKem<G, D> {
    const fn row(
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
            group: core::marker::PhantomData,
        }
    }

    /// The same row on another library's group and KDF: `X25519HkdfSha256.on::<Montgomery<Dalek,
    /// 32>, _>(..)` is the portable one under any features.
    pub const fn on<H: Group, E>(&self, kdf: E) -> DhKem<H, E> {
        DhKem {
            info: self.info,
            kdf,
            group: core::marker::PhantomData,
        }
    }
}

impl<G: Group, D: TwoStage> Kem for DhKem<G, D> {
    type PrivateKey = DhPrivateKey<G>;
    type PublicKey = DhPublicKey<G>;
    type Enc = G::PointBytes;

    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(DhPrivateKey<G>, DhPublicKey<G>), Error> {
        let suite_id = kem_suite_id(self.info.id);
        let labels = Labels::v1(&suite_id);
        let dkp_prk = self.kdf.labeled_prk(&labels, b"", "dkp_prk", [ikm, b""])?;
        let scalar = match G::CANDIDATE_MASK {
            None => {
                let mut sk = Secret::zeros(G::N_SK);
                self.kdf
                    .labeled_expand(&labels, &dkp_prk, "sk", [b""; 3], sk.as_mut())?;
                G::scalar(sk.as_ref())?
            }
            Some(mask) => self.first_candidate(&labels, &dkp_prk, mask)?,
        };
        let sk = DhPrivateKey::new(scalar);
        let pk = sk.public.clone();
        Ok((sk, pk))
    }

    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<DhPrivateKey<G>, Error> {
        G::scalar(bytes).map(DhPrivateKey::new)
    }

    fn serialize_private_key(&self, sk: &DhPrivateKey<G>) -> Result<Secret, Error> {
        Ok(Secret::from_bytes(G::scalar_bytes(&sk.scalar).as_ref()))
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<DhPublicKey<G>, Error> {
        G::point(bytes).map(DhPublicKey::new)
    }

    fn public_key(&self, sk: &DhPrivateKey<G>) -> Result<DhPublicKey<G>, Error> {
        Ok(sk.public.clone())
    }

    fn precompute(&self, pk: &mut DhPublicKey<G>) {
        G::precompute(&mut pk.point);
    }

    fn encap(
        &self,
        pk_r: &DhPublicKey<G>,
        randomness: &[u8],
    ) -> Result<(SharedSecret, G::PointBytes), Error> {
        let sk_e = self.ephemeral(randomness)?;
        let dh = G::dh(&sk_e.scalar, &pk_r.point)?;
        let enc = sk_e.public.bytes;
        let kem_context = [enc.as_ref(), pk_r.as_ref(), b""];
        Ok((
            self.extract_and_expand([dh.as_ref(), b""], kem_context)?,
            enc,
        ))
    }

    fn decap(&self, enc: &[u8], sk_r: &DhPrivateKey<G>) -> Result<SharedSecret, Error> {
        let dh = G::dh(&sk_r.scalar, &G::point(enc)?)?;
        self.extract_and_expand([dh.as_ref(), b""], [enc, sk_r.public.as_ref(), b""])
    }

    fn decap_batch(&self, encs: &[&[u8]], sk_r: &DhPrivateKey<G>) -> SharedSecrets {
        let dhs = G::dh_batch(&sk_r.scalar, encs.iter().map(|enc| G::point(enc)).collect());
        let pk_r = sk_r.public.as_ref();
        let expand = |(dh, enc): (&Result<Secret<Short>, _>, &&[u8])| {
            let dh = dh.as_ref().map_err(|error| *error)?;
            self.extract_and_expand([dh.as_ref(), b""], [enc, pk_r, b""])
        };
        dhs.iter().zip(encs).map(expand).collect()
    }

    fn auth_encap(
        &self,
        pk_r: &DhPublicKey<G>,
        sk_s: &DhPrivateKey<G>,
        randomness: &[u8],
    ) -> Result<(SharedSecret, G::PointBytes), Error> {
        let sk_e = self.ephemeral(randomness)?;
        let dh_e = G::dh(&sk_e.scalar, &pk_r.point)?;
        let dh_s = G::dh(&sk_s.scalar, &pk_r.point)?;
        let enc = sk_e.public.bytes;
        let kem_context = [enc.as_ref(), pk_r.as_ref(), sk_s.public.as_ref()];
        Ok((
            self.extract_and_expand([dh_e.as_ref(), dh_s.as_ref()], kem_context)?,
            enc,
        ))
    }

    fn auth_decap(
        &self,
        enc: &[u8],
        sk_r: &DhPrivateKey<G>,
        pk_s: &DhPublicKey<G>,
    ) -> Result<SharedSecret, Error> {
        let dh_e = G::dh(&sk_r.scalar, &G::point(enc)?)?;
        let dh_s = G::dh(&sk_r.scalar, &pk_s.point)?;
        self.extract_and_expand(
            [dh_e.as_ref(), dh_s.as_ref()],
            [enc, sk_r.public.as_ref(), pk_s.as_ref()],
        )
    }
}

impl<G: Group, D: TwoStage> DhKem<G, D> {
    /// The ephemeral key pair of one encapsulation, derived so that randomness of any distribution
    /// gives a valid key.
    fn ephemeral(&self, randomness: &[u8]) -> Result<DhPrivateKey<G>, Error> {
        if randomness.len() != self.info.n_random {
            return Err(Error::Encap);
        }
        self.derive_key_pair(randomness).map(|(sk, _)| sk)
    }

    /// DeriveKeyPair's rejection sampling (section 7.1.3): the first of 256 candidates that is a
    /// private key.
    fn first_candidate(
        &self,
        labels: &Labels<'_>,
        dkp_prk: &D::Prk,
        mask: u8,
    ) -> Result<G::Scalar, Error> {
        let mut candidate = Secret::zeros(G::N_SK);
        for counter in 0..=u8::MAX {
            self.kdf.labeled_expand(
                labels,
                dkp_prk,
                "candidate",
                [&[counter], b"", b""],
                candidate.as_mut(),
            )?;
            candidate.as_mut()[0] &= mask;
            if let Ok(scalar) = G::scalar(candidate.as_ref()) {
                return Ok(scalar);
            }
        }
        Err(Error::DeriveKeyPair)
    }

    /// `ExtractAndExpand(dh, kem_context)`, both in parts.
    fn extract_and_expand(
        &self,
        dh: [&[u8]; 2],
        kem_context: [&[u8]; 3],
    ) -> Result<SharedSecret, Error> {
        extract_and_expand(
            &self.kdf,
            self.info.id,
            crate::HPKE_V1,
            dh,
            kem_context,
            self.info.n_secret,
        )
    }
}

/// `ExtractAndExpand` of RFC 9180, section 4.1, under any version label: the drafts before the RFC
/// differ only in that label.
///
/// # Errors
/// [`Error::ExportTooLong`] for an `n_secret` beyond the KDF's limit.
pub fn extract_and_expand<D: TwoStage>(
    kdf: &D,
    kem_id: u16,
    version: &[u8],
    dh: [&[u8]; 2],
    kem_context: [&[u8]; 3],
    n_secret: usize,
) -> Result<SharedSecret, Error> {
    let suite_id = kem_suite_id(kem_id);
    let labels = Labels {
        version,
        suite_id: &suite_id,
    };
    let eae_prk = kdf.labeled_prk(&labels, b"", "eae_prk", dh)?;
    let mut shared_secret = SharedSecret::zeros(n_secret);
    kdf.labeled_expand(
        &labels,
        &eae_prk,
        "shared_secret",
        kem_context,
        shared_secret.as_mut(),
    )?;
    Ok(shared_secret)
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

impl<G, D: Clone> Clone for DhKem<G, D> {
    fn clone(&self) -> Self {
        Self {
            info: self.info,
            kdf: self.kdf.clone(),
            group: core::marker::PhantomData,
        }
    }
}

impl<G, D> fmt::Debug for DhKem<G, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}
