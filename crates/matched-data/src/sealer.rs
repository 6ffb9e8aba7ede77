//! Sealing in any version.

use pqseal_hpke::{
    AnyPublicKey, Message, Mode, Policy, Sender, Suite, SuiteId, rand_core::TryCryptoRng,
};
use pqseal_keys::{DEFAULT_SUITE, KEMS};

use crate::{Error, Frame, Version, v4, version::SUITE};

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
            None if plain && key.kem().id == SUITE.id().kem => Ok(3),
            Some(3) if plain => Ok(3),
            Some(3) => Err(Error::NotInVersion3),
            None | Some(4) => Ok(4),
            Some(other) => Err(Error::NotSealed(other)),
        }
    }
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
pub struct Sealer {
    sender: Sender<'static>,
    /// The header of version 4, which its aad begins with; `None` for version 3.
    header: Option<[u8; v4::HEADER]>,
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
        let (kem, policy) = (key.kem().id, &options.policy);
        if options.version_for(key)? == 3 {
            if kem != SUITE.id().kem {
                return Err(Error::WrongKem(Version::V3));
            }
            let suite = Suite::from_id(KEMS, SUITE.id(), policy).map_err(Error::Hpke)?;
            let sender = Sender::new(suite, key.clone(), b"", Mode::Base)?;
            let header = None;
            return Ok(Self { sender, header });
        }
        let kdf = options.kdf.unwrap_or(DEFAULT_SUITE.kdf);
        let aead = options.aead.unwrap_or(DEFAULT_SUITE.aead);
        let id = SuiteId::new(kem, kdf, aead);
        let (sender, header) = v4::bind_sender(key, id, options.info, policy)?;
        let header = Some(header);
        Ok(Self { sender, header })
    }

    /// Returns the version of its blobs.
    pub const fn version(&self) -> u8 {
        match self.header {
            None => Version::V3 as u8,
            Some(_) => v4::VERSION,
        }
    }

    /// Precomputes a table, which pays off after tens of blobs and does not change them:
    /// [`pqseal_hpke::Sender::precompute`].
    #[must_use]
    pub fn precompute(self) -> Self {
        Self {
            sender: self.sender.precompute(),
            ..self
        }
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
        if !aad.is_empty() && self.header.is_none() {
            return Err(Error::NotInVersion3);
        }
        let aad = [self.header(), aad].concat();
        let (enc, ct) = (self.sender.seal(&aad, plaintext, rng)).map_err(Error::Hpke)?;
        Ok(self.write(&enc, &ct))
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
        if self.header.is_none() && messages.iter().any(|message| !message.aad.is_empty()) {
            return Err(Error::NotInVersion3);
        }
        let aads: Vec<_> = (messages.iter())
            .map(|message| [self.header(), message.aad].concat())
            .collect();
        let mut bound = messages.to_vec();
        for (message, aad) in bound.iter_mut().zip(&aads) {
            message.aad = aad;
        }
        let sealed = self.sender.seal_batch(&bound, rng).map_err(Error::Hpke)?;
        Ok((sealed.iter())
            .map(|(enc, ct)| self.write(enc, ct))
            .collect())
    }

    /// Returns the beginning of every aad: the header of version 4.
    fn header(&self) -> &[u8] {
        self.header.as_ref().map_or(&[], |header| header)
    }

    fn write(&self, enc: &[u8], ct: &[u8]) -> Vec<u8> {
        match &self.header {
            None => Frame {
                version: Version::V3,
                enc,
                ct,
            }
            .write(),
            Some(header) => [header, enc, ct].concat(),
        }
    }
}
