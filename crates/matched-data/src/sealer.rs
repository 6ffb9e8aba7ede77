//! Sealing in any version.

use pqseal_hpke::{AnyPublicKey, Kem, Message, Policy, X25519HkdfSha256, rand_core::TryCryptoRng};

use pqseal_keys::DEFAULT_SUITE;

use crate::{Error, Version};
use crate::{v3, v4};

/// The options of sealing. By default, an X25519 key gets version 3, which dashboards open, unless
/// an option needs version 4. Every other key gets version 4.
#[derive(Clone, Debug, Default)]
pub struct SealOptions<'a> {
    /// The version to write, 3 or 4; `None` to choose by the key and the other options.
    pub version: Option<u8>,
    /// The KDF by its id (version 4); `None` for that of [`DEFAULT_SUITE`].
    pub kdf: Option<u16>,
    /// The AEAD by its id (version 4); `None` for that of [`DEFAULT_SUITE`].
    pub aead: Option<u16>,
    /// The application context of the blobs (version 4). May be empty.
    pub info: &'a [u8],
    /// Set if blobs will be bound to an aad (version 4).
    pub with_aad: bool,
    /// The algorithms that may be used.
    pub policy: Policy,
}

/// A public key ready to seal many blobs of one version, suite and info, each under its own
/// encapsulated key.
///
/// ```
/// use pqseal_hpke::Policy;
/// use pqseal_keys::{SysRng, kem_by_name};
/// use pqseal_matched_data::{Blob, KeyRing, OpenOptions, SealOptions, Sealer, Trailing};
///
/// let kem = kem_by_name("mlkem768-x25519").expect("the KEM is in the registry");
/// let (private, public) = pqseal_keys::generate(kem, &Policy::draft(), &mut SysRng)?;
///
/// let options = SealOptions { info: b"my application", with_aad: true, ..SealOptions::default() };
/// let sealer = Sealer::new(&public, &options)?;
/// let bytes = sealer.seal(b"event 7", b"GET /admin", &mut SysRng)?;
///
/// let mut ring = KeyRing::new();
/// ring.add(&private)?;
/// let blob = Blob::parse(&bytes, Trailing::Refuse)?;
/// let options = OpenOptions { info: b"my application", aad: b"event 7", ..OpenOptions::default() };
/// assert_eq!(ring.open(&blob, &options)?.plaintext, b"GET /admin");
/// # Ok::<(), pqseal_matched_data::Error>(())
/// ```
#[derive(Debug)]
pub struct Sealer(Format);

#[derive(Debug)]
enum Format {
    V3(v3::Sealer),
    V4(v4::Sealer),
}

impl SealOptions<'_> {
    /// Returns the version that `key` gets with these options.
    ///
    /// # Errors
    /// [`Error::NotSealed`] for a version other than 3 and 4; [`Error::NotInVersion3`] if version 3
    /// is requested with options that only version 4 supports.
    pub fn version_for(&self, key: &AnyPublicKey) -> Result<u8, Error> {
        let plain =
            self.kdf.is_none() && self.aead.is_none() && self.info.is_empty() && !self.with_aad;
        match self.version {
            None if plain && key.kem().id == X25519HkdfSha256.info().id => Ok(3),
            Some(3) if plain => Ok(3),
            Some(3) => Err(Error::NotInVersion3),
            None | Some(4) => Ok(4),
            Some(other) => Err(Error::NotSealed(other)),
        }
    }
}

impl Sealer {
    /// Binds a public key.
    ///
    /// # Errors
    /// Same as [`SealOptions::version_for`]; [`Error::WrongKem`] for version 3 and a key that
    /// is not X25519's; [`pqseal_hpke::Error::UnsupportedSuite`] by the policy;
    /// [`pqseal_hpke::Error::ExportOnly`]; [`pqseal_hpke::Error::InputTooLong`] for an `info` of
    /// over 65,512 bytes with a one-stage KDF.
    pub fn new(key: &AnyPublicKey, options: &SealOptions<'_>) -> Result<Self, Error> {
        let kdf = options.kdf.unwrap_or(DEFAULT_SUITE.kdf);
        let aead = options.aead.unwrap_or(DEFAULT_SUITE.aead);
        Ok(Self(match options.version_for(key)? {
            3 => Format::V3(v3::Sealer::new(key, &options.policy)?),
            _ => Format::V4(v4::Sealer::new(
                key,
                kdf,
                aead,
                options.info,
                &options.policy,
            )?),
        }))
    }

    /// Returns the version of its blobs.
    pub const fn version(&self) -> u8 {
        match self.0 {
            Format::V3(_) => Version::V3 as u8,
            Format::V4(_) => v4::VERSION,
        }
    }

    /// Precomputes a table, which pays off after tens of blobs and does not change them:
    /// [`pqseal_hpke::Sender::precompute`].
    #[must_use]
    pub fn precompute(self) -> Self {
        Self(match self.0 {
            Format::V3(sealer) => Format::V3(sealer.precompute()),
            Format::V4(sealer) => Format::V4(sealer.precompute()),
        })
    }

    /// Seals a blob that only the holder of the private key can open, in version 4 only with the
    /// same `aad`. In version 3 it is 57 bytes longer than `plaintext`.
    ///
    /// # Errors
    /// [`Error::NotInVersion3`] for an `aad` with version 3; [`pqseal_hpke::Error::Rng`];
    /// [`pqseal_hpke::Error::Validation`] for a low-order public key.
    pub fn seal<R: TryCryptoRng + ?Sized>(
        &self,
        aad: &[u8],
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<Vec<u8>, Error> {
        match &self.0 {
            Format::V3(_) if !aad.is_empty() => Err(Error::NotInVersion3),
            Format::V3(sealer) => sealer.seal(plaintext, rng),
            Format::V4(sealer) => sealer.seal(aad, plaintext, rng),
        }
    }

    /// Seals a blob for each message, as [`Sealer::seal`] does, in order. With X25519 this is
    /// faster than one after the other: [`pqseal_hpke::Sender::seal_batch`].
    ///
    /// # Errors
    /// Same as [`Sealer::seal`]. Then nothing is sealed.
    pub fn seal_batch<R: TryCryptoRng + ?Sized>(
        &self,
        messages: &[Message<'_>],
        rng: &mut R,
    ) -> Result<Vec<Vec<u8>>, Error> {
        match &self.0 {
            Format::V3(_) if messages.iter().any(|message| !message.aad.is_empty()) => {
                Err(Error::NotInVersion3)
            }
            Format::V3(sealer) => sealer.seal_batch(messages, rng),
            Format::V4(sealer) => sealer.seal_batch(messages, rng),
        }
    }
}
