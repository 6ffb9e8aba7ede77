//! Version 4: self-describing, for any suite of the registry.
//!
//! `0x04 || kem_id u16 || kdf_id u16 || aead_id u16 || key_id (8) || enc (Nenc) || ciphertext and
//! tag (the rest)`, integers big-endian. The first 15 bytes are the header. `key_id` is the
//! recipient's [`KeyId`]. HPKE `info` is `"pqseal matched-data v4" || 0x00 || application info`;
//! HPKE `aad` is `header || application aad`, so that an altered header does not open.

use pqseal_hpke::{
    Aead, AnyPrivateKey, AnyPublicKey, Component, DynKem, Mode, Policy, Recipient, Sealed, Sender,
    Suite, SuiteId, Unsupported,
};

use pqseal_keys::{Fingerprint, KEMS, KeyId, kem_by_id, refused_kem_by_id};

use crate::Error;

/// The first byte.
pub(crate) const VERSION: u8 = 4;
/// The header, in bytes.
pub(super) const HEADER: usize = 15;
/// Nt, in bytes, for every AEAD that seals.
const N_T: usize = 16;
/// The prefix of every `info`.
const INFO: &[u8] = b"pqseal matched-data v4\0";

/// The parts of a version 4 blob. Parsing allocates nothing and consults no policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameV4<'a> {
    header: &'a [u8; HEADER],
    /// The encapsulated key, Nenc bytes.
    pub enc: &'a [u8],
    /// Ciphertext and tag: 16 bytes longer than the plaintext.
    pub ct: &'a [u8],
}

impl<'a> FrameV4<'a> {
    /// Parses a blob.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::UnsupportedVersion`], [`Error::TooShort`]; [`Error::RefusedKem`]
    /// and [`pqseal_hpke::Error::UnsupportedSuite`] for a KEM that is not supported here, since its
    /// Nenc is unknown.
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let (header, rest) = split_header(blob)?;
        let n_enc = find_kem(suite_of(header).kem)?.info().n_enc;
        match rest.split_at_checked(n_enc) {
            Some((enc, ct)) if ct.len() >= N_T => Ok(Self { header, enc, ct }),
            _ => Err(too_short(HEADER + n_enc + N_T, blob)),
        }
    }

    /// Returns the suite that it names.
    pub const fn suite(&self) -> SuiteId {
        suite_of(self.header)
    }

    /// Returns the id of the key that it was sealed to.
    pub fn key_id(&self) -> KeyId {
        key_id_of(self.header)
    }

    /// Returns the size of the plaintext, in bytes; 0 if `ct` is too short to hold a tag, which a
    /// parsed frame never is.
    pub const fn plaintext_len(&self) -> usize {
        self.ct.len().saturating_sub(N_T)
    }
}

/// The header of a version 4 blob, whether or not its suite is supported here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderV4 {
    /// The suite that it names.
    pub suite: SuiteId,
    /// The key that it was sealed to.
    pub key_id: KeyId,
}

impl HeaderV4 {
    /// Reads only the header.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::UnsupportedVersion`], [`Error::TooShort`].
    pub fn parse(blob: &[u8]) -> Result<Self, Error> {
        let header = split_header(blob)?.0;
        Ok(Self {
            suite: suite_of(header),
            key_id: key_id_of(header),
        })
    }

    /// Checks that blobs of this suite can be opened at all.
    ///
    /// # Errors
    /// [`Error::RefusedKem`], [`pqseal_hpke::Error::UnsupportedSuite`],
    /// [`pqseal_hpke::Error::ExportOnly`].
    pub fn check(&self, policy: &Policy) -> Result<(), Error> {
        find_kem(self.suite.kem)?;
        suite(self.suite, policy).map(drop)
    }
}

/// A private key ready to open many version 4 blobs of one suite and info.
#[derive(Debug)]
pub struct OpenerV4 {
    recipient: Recipient,
    suite: SuiteId,
    key_id: KeyId,
}

impl OpenerV4 {
    /// Binds a private key to a suite, such as [`FrameV4::suite`], and to the application's info.
    ///
    /// # Errors
    /// [`pqseal_hpke::Error::UnsupportedSuite`] by the policy, [`pqseal_hpke::Error::ExportOnly`],
    /// [`pqseal_hpke::Error::InputTooLong`]; [`pqseal_hpke::Error::KeyMismatch`] for a key of
    /// another KEM.
    pub fn new(
        key: &AnyPrivateKey,
        id: SuiteId,
        info: &[u8],
        policy: &Policy,
    ) -> Result<Self, Error> {
        let public = suite(id, policy)?.kem().public_key(key);
        let key_id = Fingerprint::of(&public.map_err(Error::Hpke)?).key_id();
        Self::of_known(key, key_id, id, info, policy)
    }

    /// Binds a private key whose id is known, which saves the computation of its public key.
    ///
    /// # Errors
    /// Same as [`OpenerV4::new`].
    pub(crate) fn of_known(
        key: &AnyPrivateKey,
        key_id: KeyId,
        id: SuiteId,
        info: &[u8],
        policy: &Policy,
    ) -> Result<Self, Error> {
        let suite = suite(id, policy)?;
        let info = [INFO, info].concat();
        let recipient =
            Recipient::new(suite, key.clone(), &info, Mode::Base).map_err(Error::Hpke)?;
        Ok(Self {
            recipient,
            suite: id,
            key_id,
        })
    }

    /// Opens one blob.
    ///
    /// # Errors
    /// [`Error::NoKeyOpens`], also for a blob of another suite or key.
    pub fn open(&self, frame: &FrameV4<'_>, aad: &[u8]) -> Result<Vec<u8>, Error> {
        self.expect_own(frame)?;
        Ok(self
            .recipient
            .open(frame.enc, &[frame.header, aad].concat(), frame.ct)?)
    }

    /// Opens many blobs, each with its own aad, results in order.
    pub fn open_batch(&self, frames: &[(FrameV4<'_>, &[u8])]) -> Vec<Result<Vec<u8>, Error>> {
        let aads: Vec<_> = frames
            .iter()
            .map(|(frame, aad)| [frame.header, *aad].concat())
            .collect();
        let sealed = frames.iter().zip(&aads).map(|((frame, _), aad)| Sealed {
            enc: frame.enc,
            aad,
            ct: frame.ct,
        });
        let sealed: Vec<_> = sealed.collect();
        let opened = self.recipient.open_batch(&sealed).into_iter().zip(frames);
        opened
            .map(|(opened, (frame, _))| self.expect_own(frame).and(Ok(opened?)))
            .collect()
    }

    fn expect_own(&self, frame: &FrameV4<'_>) -> Result<(), Error> {
        match (frame.suite(), frame.key_id()) == (self.suite, self.key_id) {
            true => Ok(()),
            false => Err(Error::NoKeyOpens),
        }
    }
}

/// Binds a public key to a suite and the application's info. Returns the header of its blobs too.
pub(super) fn bind_sender(
    key: &AnyPublicKey,
    id: SuiteId,
    info: &[u8],
    policy: &Policy,
) -> Result<(Sender<'static>, [u8; HEADER]), Error> {
    let info = [INFO, info].concat();
    let sender =
        Sender::new(suite(id, policy)?, key.clone(), &info, Mode::Base).map_err(Error::Hpke)?;
    let mut header = [0; HEADER];
    let ids = [id.kem, id.kdf, id.aead].map(u16::to_be_bytes);
    header[0] = VERSION;
    header[1..7].copy_from_slice(ids.as_flattened());
    header[7..].copy_from_slice(Fingerprint::of(key).key_id().as_ref());
    Ok((sender, header))
}

fn split_header(blob: &[u8]) -> Result<(&[u8; HEADER], &[u8]), Error> {
    match blob.first() {
        None => Err(Error::Empty),
        Some(&VERSION) => blob
            .split_first_chunk()
            .ok_or(too_short(HEADER + N_T, blob)),
        Some(&other) => Err(Error::UnsupportedVersion(other)),
    }
}

fn too_short(needed: usize, blob: &[u8]) -> Error {
    Error::TooShort {
        needed: needed as u64,
        found: blob.len(),
    }
}

fn key_id_of(header: &[u8; HEADER]) -> KeyId {
    KeyId::new(
        header[7..]
            .try_into()
            .expect("the header ends with 8 bytes of key id"),
    )
}

const fn suite_of(header: &[u8; HEADER]) -> SuiteId {
    let [_, k0, k1, d0, d1, a0, a1, ..] = *header;
    SuiteId::new(
        u16::from_be_bytes([k0, k1]),
        u16::from_be_bytes([d0, d1]),
        u16::from_be_bytes([a0, a1]),
    )
}

fn suite(id: SuiteId, policy: &Policy) -> Result<Suite, Error> {
    let suite = Suite::from_id(KEMS, id, policy).map_err(Error::Hpke)?;
    match suite.aead().info().n_t {
        N_T => Ok(suite),
        // An export-only suite cannot encrypt a message.
        _ => Err(Error::Hpke(pqseal_hpke::Error::ExportOnly)),
    }
}

/// Finds the KEM with this id, or the reason why it is unsupported.
pub(crate) fn find_kem(id: u16) -> Result<&'static DynKem, Error> {
    kem_by_id(id).ok_or_else(|| match refused_kem_by_id(id) {
        Some(kem) => Error::RefusedKem(kem),
        None => Error::Hpke(Unsupported::not_found(Component::Kem, id).into()),
    })
}
