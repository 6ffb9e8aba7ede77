//! The header of an object. Its encoding is unique, and it is read strictly.

use getrandom::SysRng;
use hmac::Mac;
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, Policy, SuiteId};
use pqseal_keys::{Fingerprint, KeyId};
use pqseal_matched_data::{FrameV4, HeaderV4, OpenerV4, SealOptions, Sealer};
use std::io::{self, Read};

use super::{BOUND, FIXED, LABEL, MAC, MAGIC, Options, SECRET, Secret, VERSION, aead_id};
use crate::{
    Error, HeaderError, Identity, KeyError, MAX_HEADER, Recipient,
    cobblestone::Cipher,
    header::RESERVE,
    kinds::{all_post_quantum, is_post_quantum},
};

/// A header. It is not authenticated before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    bytes: Vec<u8>,
    cipher: Cipher,
    entries: Vec<Entry>,
}

impl Header {
    /// Creates the header of the object with this secret for these recipients.
    ///
    /// # Errors
    /// [`Error::NoRecipients`], [`Error::MixedRecipients`], [`KeyError::NotForObjects`] for one
    /// that is not a key, such as a passphrase, and [`Error::Hpke`] by the policy.
    pub fn new(
        recipients: &[&dyn Recipient],
        secret: &Secret,
        options: &Options,
    ) -> Result<Self, Error> {
        let entries = wrap(recipients, secret, options)?;
        let least = least(&entries);
        Self::of(entries, secret, options.cipher, least)
    }

    /// Creates a header like [`Header::new`], padded to a multiple of 4096 bytes, so that it can
    /// later be replaced by one with other recipients ([`Header::with_length`]).
    ///
    /// # Errors
    /// The errors of [`Header::new`].
    pub fn with_reserve(
        recipients: &[&dyn Recipient],
        secret: &Secret,
        options: &Options,
    ) -> Result<Self, Error> {
        let entries = wrap(recipients, secret, options)?;
        let length = least(&entries).next_multiple_of(RESERVE);
        Self::of(entries, secret, options.cipher, length)
    }

    /// Creates a header like [`Header::new`] with exactly `length` bytes. Returns `None` if it does
    /// not fit.
    ///
    /// # Errors
    /// The errors of [`Header::new`].
    pub fn with_length(
        recipients: &[&dyn Recipient],
        secret: &Secret,
        options: &Options,
        length: usize,
    ) -> Result<Option<Self>, Error> {
        let entries = wrap(recipients, secret, options)?;
        (least(&entries) <= length)
            .then(|| Self::of(entries, secret, options.cipher, length))
            .transpose()
    }

    /// Creates a header from entries that fit in `length` bytes.
    fn of(
        entries: Vec<Entry>,
        secret: &Secret,
        cipher: Cipher,
        length: usize,
    ) -> Result<Self, Error> {
        let (Ok(count), true) = (u16::try_from(entries.len()), length <= MAX_HEADER) else {
            return Err(HeaderError::TooLong.into());
        };
        let mut bytes = bound(cipher).to_vec();
        let long = u32::try_from(length).expect("at most 16 MiB");
        bytes.extend(long.to_be_bytes());
        bytes.extend(count.to_be_bytes());
        for entry in &entries {
            let blob = u16::try_from(entry.blob.len()).map_err(|_| HeaderError::TooLong)?;
            bytes.extend(blob.to_be_bytes());
            bytes.extend(&entry.blob);
        }
        bytes.resize(length - MAC, 0);
        let mac = secret.mac(cipher, &bytes).finalize();
        bytes.extend(mac.into_bytes());
        Ok(Self {
            bytes,
            cipher,
            entries,
        })
    }

    /// Reads a header, and nothing after it.
    ///
    /// # Errors
    /// [`Error::Header`], [`Error::Io`].
    pub fn read(input: &mut impl Read) -> Result<Self, Error> {
        let mut bytes = vec![0; FIXED];
        // Of another file, no more is read than necessary to detect that.
        let (magic, rest) = bytes.split_at_mut(MAGIC.len() + 1);
        exactly(input, magic)?;
        match magic.split_last() {
            Some((&VERSION, magic)) if magic == MAGIC => {}
            Some((_, magic)) if magic == MAGIC => return Err(HeaderError::ObjectVersion.into()),
            _ => return Err(HeaderError::NotAge.into()),
        }
        exactly(input, rest)?;
        let cipher = [Cipher::Aes128Gcm, Cipher::Aes256Gcm]
            .into_iter()
            .find(|cipher| bytes[BOUND - 2..BOUND] == aead_id(*cipher).to_be_bytes());
        let cipher = cipher.ok_or(HeaderError::Cipher)?;
        let [l0, l1, l2, l3, n0, n1] = *bytes[BOUND..].first_chunk().expect("17 bytes");
        let length = u32::from_be_bytes([l0, l1, l2, l3]) as usize;
        let count = u16::from_be_bytes([n0, n1]);
        if length > MAX_HEADER {
            return Err(HeaderError::TooLong.into());
        }
        if count == 0 || length < FIXED + MAC {
            return Err(HeaderError::Object.into());
        }
        let left = length - FIXED;
        // Grows with the input. The length in the header is not used for the allocation.
        if input.take(left as u64).read_to_end(&mut bytes)? < left {
            return Err(HeaderError::Truncated.into());
        }
        let entries = entries(&bytes[FIXED..length - MAC], count)?;
        Ok(Self {
            bytes,
            cipher,
            entries,
        })
    }

    /// Returns the secret, from the first identity that matches an entry.
    ///
    /// # Errors
    /// [`Error::NoMatch`], [`Error::Mac`] for an altered header, and [`Error::Hpke`] for a suite
    /// that the policy does not allow.
    pub fn open(&self, identities: &[&dyn Identity], policy: &Policy) -> Result<Secret, Error> {
        let mut missed = Error::NoMatch;
        for key in identities.iter().filter_map(|known| known.private_key()) {
            let public = key.public_key().map_err(|_| KeyError::Bytes)?;
            let id = Fingerprint::of(&public).key_id();
            for entry in self.entries.iter().filter(|entry| entry.key_id == id) {
                match self.unwrap(entry, &key, policy) {
                    Ok(secret) => {
                        let (header, mac) = self.bytes.split_at(self.bytes.len() - MAC);
                        let computed = secret.mac(self.cipher, header);
                        computed.verify_slice(mac).map_err(|_| Error::Mac)?;
                        return Ok(secret);
                    }
                    // Another entry may be valid.
                    Err(error) => missed = error,
                }
            }
        }
        Err(missed)
    }

    fn unwrap(&self, entry: &Entry, key: &AnyPrivateKey, policy: &Policy) -> Result<Secret, Error> {
        let frame = FrameV4::parse(&entry.blob).map_err(of_blob)?;
        // Checked before anything is decrypted.
        if frame.plaintext_len() != SECRET {
            return Err(HeaderError::Object.into());
        }
        let opener = OpenerV4::new(key, frame.suite(), LABEL, policy).map_err(of_blob)?;
        let secret = opener.open(&frame, &self.bytes[..BOUND]);
        Ok(Secret::opened(secret.map_err(|_| Error::Mac)?)?)
    }

    /// Returns the header as it is in the object.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the cipher of the chunks.
    pub fn cipher(&self) -> Cipher {
        self.cipher
    }

    /// Returns the recipients.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Reports whether no recipient's KEM is purely classical. `None` if a KEM is unknown.
    pub fn post_quantum(&self) -> Option<bool> {
        all_post_quantum(self.entries.iter().map(|entry| {
            let kem = pqseal_keys::kem_by_id(entry.suite.kem)?;
            Some(is_post_quantum(kem.info()))
        }))
    }
}

/// A recipient: the secret, sealed to its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The suite that wraps the secret. It may be unsupported.
    pub suite: SuiteId,
    /// The id of the recipient's key.
    pub key_id: KeyId,
    blob: Vec<u8>,
}

impl Entry {
    /// Creates an entry from a blob, whose KEM may be unknown.
    fn of(blob: Vec<u8>) -> Result<Self, Error> {
        let HeaderV4 { suite, key_id } = HeaderV4::parse(&blob).map_err(of_blob)?;
        Ok(Self {
            suite,
            key_id,
            blob,
        })
    }
}

/// Returns magic, version and AEAD id.
fn bound(cipher: Cipher) -> [u8; BOUND] {
    let mut bytes = [VERSION; BOUND];
    bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
    bytes[MAGIC.len() + 1..].copy_from_slice(&aead_id(cipher).to_be_bytes());
    bytes
}

/// Returns the minimum number of bytes of a header with these entries.
fn least(entries: &[Entry]) -> usize {
    let blobs = entries.iter().map(|entry| 2 + entry.blob.len());
    FIXED + blobs.sum::<usize>() + MAC
}

/// Returns an entry for each recipient, if the recipients may be combined.
fn wrap(
    recipients: &[&dyn Recipient],
    secret: &Secret,
    options: &Options,
) -> Result<Vec<Entry>, Error> {
    let keys: Option<Vec<AnyPublicKey>> = recipients.iter().map(|r| r.public_key()).collect();
    let keys = keys.ok_or(KeyError::NotForObjects)?;
    let Some(first) = keys.first() else {
        return Err(Error::NoRecipients);
    };
    let post_quantum = is_post_quantum(first.kem());
    if keys
        .iter()
        .any(|k| is_post_quantum(k.kem()) != post_quantum)
    {
        return Err(Error::MixedRecipients);
    }
    keys.iter().map(|key| entry(key, secret, options)).collect()
}

fn entry(key: &AnyPublicKey, secret: &Secret, options: &Options) -> Result<Entry, Error> {
    let sealing = SealOptions {
        version: Some(4),
        kdf: Some(options.kdf),
        aead: Some(options.aead),
        info: LABEL,
        with_aad: true,
        policy: options.policy.clone(),
    };
    let sealer = Sealer::new(key, &sealing).map_err(of_blob)?;
    let blob = sealer.seal(&bound(options.cipher), secret.as_bytes(), &mut SysRng);
    Entry::of(blob.map_err(of_blob)?)
}

fn exactly(input: &mut impl Read, bytes: &mut [u8]) -> Result<(), Error> {
    input.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => HeaderError::Truncated.into(),
        _ => error.into(),
    })
}

/// Parses the recipients, after which there are zeros.
fn entries(mut bytes: &[u8], count: u16) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for _ in 0..count {
        let (length, rest) = bytes.split_first_chunk().ok_or(HeaderError::Object)?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (blob, rest) = rest.split_at_checked(length).ok_or(HeaderError::Object)?;
        entries.push(Entry::of(blob.to_vec())?);
        bytes = rest;
    }
    match bytes.iter().all(|byte| *byte == 0) {
        true => Ok(entries),
        false => Err(HeaderError::Object.into()),
    }
}

fn of_blob(error: pqseal_matched_data::Error) -> Error {
    match error {
        pqseal_matched_data::Error::Hpke(error) => error.into(),
        pqseal_matched_data::Error::RefusedKem(_) => KeyError::Kem.into(),
        _ => HeaderError::Object.into(),
    }
}
