//! Key configurations (RFC 9458, section 3).

use pqseal_hpke::{AnyPublicKey, Policy, Suite, SuiteId};
use pqseal_keys::{KEMS, kem_by_id};

use super::Reader;
use crate::Error;

/// A KDF and an AEAD, by their ids in the registries of HPKE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymmetricAlgorithms {
    /// The KDF.
    pub kdf: u16,
    /// The AEAD.
    pub aead: u16,
}

/// HKDF-SHA256 and AES-128-GCM, which every implementation supports.
pub const AES_128_GCM: SymmetricAlgorithms = SymmetricAlgorithms::new(0x0001, 0x0001);
/// HKDF-SHA256 and AES-256-GCM.
pub const AES_256_GCM: SymmetricAlgorithms = SymmetricAlgorithms::new(0x0001, 0x0002);
/// HKDF-SHA256 and ChaCha20Poly1305.
pub const CHACHA20_POLY1305: SymmetricAlgorithms = SymmetricAlgorithms::new(0x0001, 0x0003);

/// A gateway's public key, its id, and the algorithms to use it with.
#[derive(Clone, Debug)]
pub struct KeyConfig {
    key_id: u8,
    key: AnyPublicKey,
    algorithms: Vec<SymmetricAlgorithms>,
}

/// The result of [`read_keys`].
#[derive(Clone, Debug)]
pub struct Keys {
    /// The key configurations, in the order of the gateway.
    pub configs: Vec<KeyConfig>,
    /// The key id and KEM of configurations that were left out, since this build does not support
    /// their KEM.
    pub unsupported: Vec<(u8, u16)>,
}

/// The maximum number of algorithms: each takes 4 bytes, and their length has two bytes.
const MAX_ALGORITHMS: usize = 65_532 / 4;

/// Reads a list of key configurations ([`media_type::KEYS`](super::media_type::KEYS)).
///
/// # Errors
/// [`Error::Malformed`] if any of them is wrong: otherwise clients that recover different parts of
/// a list could be distinguished (section 3.2).
pub fn read_keys(bytes: &[u8]) -> Result<Keys, Error> {
    let mut reader = Reader(bytes);
    let (mut configs, mut unsupported) = (Vec::new(), Vec::new());
    while !reader.0.is_empty() {
        let config = reader.prefixed()?;
        match KeyConfig::from_bytes(config) {
            Ok(config) => configs.push(config),
            Err(Error::UnknownKem(kem)) => unsupported.push((config[0], kem)),
            Err(error) => return Err(error),
        }
    }
    if configs.is_empty() && unsupported.is_empty() {
        return Err(Error::Malformed("there is no key configuration"));
    }
    Ok(Keys {
        configs,
        unsupported,
    })
}

/// Writes a list of key configurations ([`media_type::KEYS`](super::media_type::KEYS)).
#[must_use]
pub fn write_keys<'a>(configs: impl IntoIterator<Item = &'a KeyConfig>) -> Vec<u8> {
    let mut list = Vec::new();
    for config in configs {
        let bytes = config.to_bytes();
        list.extend(len16(bytes.len()));
        list.extend(bytes);
    }
    list
}

impl SymmetricAlgorithms {
    /// Creates a pair of these ids.
    #[must_use]
    pub const fn new(kdf: u16, aead: u16) -> Self {
        Self { kdf, aead }
    }
}

impl KeyConfig {
    /// Creates a key configuration. `algorithms` are in the gateway's order of preference.
    ///
    /// # Errors
    /// [`Error::Usage`] without algorithms, or with more than fit.
    pub fn new(
        key_id: u8,
        key: AnyPublicKey,
        algorithms: &[SymmetricAlgorithms],
    ) -> Result<Self, Error> {
        let config = Self {
            key_id,
            key,
            algorithms: algorithms.to_vec(),
        };
        // The length of the whole configuration has 16 bits too, so next to a key even fewer may
        // fit.
        match algorithms.len() {
            0 => Err(Error::Usage("a key configuration needs algorithms")),
            len if len > MAX_ALGORITHMS || config.to_bytes().len() > usize::from(u16::MAX) => Err(
                Error::Usage("the algorithms of a key configuration take too many bytes"),
            ),
            _ => Ok(config),
        }
    }

    /// Reads one key configuration, without a length before it. Algorithms that this build does not
    /// support are kept.
    ///
    /// # Errors
    /// [`Error::UnknownKem`], [`Error::Malformed`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader(bytes);
        let [key_id] = reader.array()?;
        let kem = u16::from_be_bytes(reader.array()?);
        let kem = kem_by_id(kem).ok_or(Error::UnknownKem(kem))?;
        let key = kem.deserialize_public_key(reader.take(kem.info().n_pk)?);
        let key = key.map_err(|_| Error::Malformed("a key configuration has an invalid key"))?;
        let (algorithms, rest) = reader.prefixed()?.as_chunks::<4>();
        if algorithms.is_empty() || !rest.is_empty() || !reader.0.is_empty() {
            return Err(Error::Malformed("a key configuration has a wrong length"));
        }
        let algorithms = algorithms.iter().map(|&[d0, d1, a0, a1]| {
            SymmetricAlgorithms::new(u16::from_be_bytes([d0, d1]), u16::from_be_bytes([a0, a1]))
        });
        Ok(Self {
            key_id,
            key,
            algorithms: algorithms.collect(),
        })
    }

    /// Writes the key configuration, without a length before it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.key_id];
        bytes.extend(self.key.kem().id.to_be_bytes());
        bytes.extend(self.key.as_ref());
        bytes.extend(len16(4 * self.algorithms.len()));
        for algorithms in &self.algorithms {
            bytes.extend(algorithms.kdf.to_be_bytes());
            bytes.extend(algorithms.aead.to_be_bytes());
        }
        bytes
    }

    /// Returns the id by which requests name the key.
    #[must_use]
    pub const fn key_id(&self) -> u8 {
        self.key_id
    }

    /// Returns the public key.
    #[must_use]
    pub const fn key(&self) -> &AnyPublicKey {
        &self.key
    }

    /// Returns the algorithms to use it with, in the gateway's order of preference.
    #[must_use]
    pub fn algorithms(&self) -> &[SymmetricAlgorithms] {
        &self.algorithms
    }

    /// Finds the suite of these algorithms, if this build supports it and the policy allows it.
    pub(super) fn suite(
        &self,
        algorithms: SymmetricAlgorithms,
        policy: &Policy,
    ) -> Result<Suite, Error> {
        let id = SuiteId::new(self.key.kem().id, algorithms.kdf, algorithms.aead);
        let suite = Suite::from_id(KEMS, id, policy)?;
        match pqseal_hpke::Aead::info(suite.aead()).n_k {
            0 => Err(Error::Hpke(pqseal_hpke::Error::ExportOnly)),
            _ => Ok(suite),
        }
    }
}

/// Encodes a length in 16 bits. [`KeyConfig::new`] and its reader ensure that it fits.
fn len16(len: usize) -> [u8; 2] {
    u16::try_from(len).unwrap_or(u16::MAX).to_be_bytes()
}
