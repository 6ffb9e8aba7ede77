//! The algorithms of JOSE-HPKE and COSE-HPKE, one table for both, and the `alg` of JSON Web Keys
//! that name a KEM.
//!
//! | names | document |
//! |---|---|
//! | HPKE-0 to HPKE-7, with and without -KE | draft-ietf-jose-hpke-encrypt, draft-ietf-cose-hpke |
//! | HPKE-8, 9, 10, 12, 13, with and without -KE | draft-ietf-jose-hpke-pq-pqt |
//!
//! None of the COSE numbers is registered yet: those of HPKE-0 to HPKE-7 are the ones that
//! draft-ietf-cose-hpke assumes, the others continue the numbering of the examples of
//! draft-ietf-jose-hpke-pq-pqt. If the registry assigns others, only this table changes.
//!
//! The `alg` values `ML-KEM-512`, `-768` and `-1024` were proposed by draft-ietf-jose-pqc-kem-05.
//! That draft has since been limited to COSE; the format is still in the WICG's "Modern Algorithms
//! in the Web Cryptography API", which names hybrids as draft-ietf-hpke-pq does. The names `HPKE-8`
//! to `HPKE-13`, with and without `-KE`, are those of draft-ietf-jose-hpke-pq-pqt. They also name a
//! KDF and an AEAD, which are ignored here. `X-Wing` is the name of MLKEM768-X25519 in `@hpke`.

use std::fmt::{self, Write};

use pqseal_hpke::{AEADS, AnyAead, DynKdf, DynKem, KDFS, Suite, SuiteId};

use crate::kem_by_id;

/// An algorithm of JOSE or COSE: an HPKE suite, and the data that it encrypts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Algorithm {
    name: &'static str,
    cose: i64,
    suite: SuiteId,
    mode: KeyManagement,
}

/// The data that HPKE encrypts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyManagement {
    /// Integrated Encryption: the plaintext, for exactly one recipient.
    Integrated,
    /// Key Encryption: a content encryption key (CEK), for each recipient.
    KeyEncryption,
}

/// Every algorithm of the drafts. Entries 0 to 7 and their -KE use a classical KEM, the rest a
/// post-quantum one. HPKE-5 and HPKE-6 need the Cargo feature `x448`.
pub static ALGORITHMS: &[Algorithm] = &[
    integrated("HPKE-0", 35, 0x0010, 0x0001, 0x0001),
    integrated("HPKE-1", 37, 0x0011, 0x0002, 0x0002),
    integrated("HPKE-2", 39, 0x0012, 0x0003, 0x0002),
    integrated("HPKE-3", 41, 0x0020, 0x0001, 0x0001),
    integrated("HPKE-4", 42, 0x0020, 0x0001, 0x0003),
    integrated("HPKE-5", 43, 0x0021, 0x0003, 0x0002),
    integrated("HPKE-6", 44, 0x0021, 0x0003, 0x0003),
    integrated("HPKE-7", 45, 0x0010, 0x0001, 0x0002),
    integrated("HPKE-8", 54, 0x0050, 0x0011, 0x0002),
    integrated("HPKE-9", 56, 0x647a, 0x0011, 0x0002),
    integrated("HPKE-10", 58, 0x0051, 0x0011, 0x0002),
    integrated("HPKE-12", 62, 0x0041, 0x0011, 0x0002),
    integrated("HPKE-13", 64, 0x0042, 0x0011, 0x0002),
    key_encryption("HPKE-0-KE", 46, 0x0010, 0x0001, 0x0001),
    key_encryption("HPKE-1-KE", 47, 0x0011, 0x0002, 0x0002),
    key_encryption("HPKE-2-KE", 48, 0x0012, 0x0003, 0x0002),
    key_encryption("HPKE-3-KE", 49, 0x0020, 0x0001, 0x0001),
    key_encryption("HPKE-4-KE", 50, 0x0020, 0x0001, 0x0003),
    key_encryption("HPKE-5-KE", 51, 0x0021, 0x0003, 0x0002),
    key_encryption("HPKE-6-KE", 52, 0x0021, 0x0003, 0x0003),
    key_encryption("HPKE-7-KE", 53, 0x0010, 0x0001, 0x0002),
    key_encryption("HPKE-8-KE", 55, 0x0050, 0x0011, 0x0002),
    key_encryption("HPKE-9-KE", 57, 0x647a, 0x0011, 0x0002),
    key_encryption("HPKE-10-KE", 59, 0x0051, 0x0011, 0x0002),
    key_encryption("HPKE-12-KE", 63, 0x0041, 0x0011, 0x0002),
    key_encryption("HPKE-13-KE", 65, 0x0042, 0x0011, 0x0002),
];

/// Finds the algorithm of [`ALGORITHMS`] with this name, such as `HPKE-9-KE`.
#[must_use]
pub fn algorithm(name: &str) -> Option<Algorithm> {
    ALGORITHMS.iter().copied().find(|alg| alg.name == name)
}

impl Algorithm {
    /// Creates an algorithm that is not in [`ALGORITHMS`], for a revision of a draft with other
    /// numbers. `name` is its `alg` in JOSE, `cose` its number in COSE.
    #[must_use]
    pub const fn new(name: &'static str, cose: i64, suite: SuiteId, mode: KeyManagement) -> Self {
        Self {
            name,
            cose,
            suite,
            mode,
        }
    }

    /// Returns the name: `alg` in JOSE.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number: `alg` in COSE. Assumed, not registered.
    #[must_use]
    pub const fn cose(&self) -> i64 {
        self.cose
    }

    /// Returns the ids of the HPKE suite.
    #[must_use]
    pub const fn suite_id(&self) -> SuiteId {
        self.suite
    }

    /// Returns the data that HPKE encrypts.
    #[must_use]
    pub const fn mode(&self) -> KeyManagement {
        self.mode
    }

    /// Reports whether the KEM is designed to withstand a quantum computer, on its own or in a
    /// hybrid.
    #[must_use]
    pub const fn is_post_quantum(&self) -> bool {
        // The DHKEMs of RFC 9180 have lower ids.
        self.suite.kem >= 0x0040
    }

    /// Returns the KEM.
    ///
    /// # Errors
    /// If this build does not support it.
    pub fn kem(&self) -> Result<&'static DynKem, AlgorithmUnavailable> {
        kem_by_id(self.suite.kem).ok_or(AlgorithmUnavailable(self.name))
    }

    /// Returns the HPKE suite.
    ///
    /// # Errors
    /// If this build does not support it.
    pub fn suite(&self) -> Result<Suite, AlgorithmUnavailable> {
        let kdf = KDFS.iter().find(|kdf| kdf.info().id == self.suite.kdf);
        let aead = AEADS
            .iter()
            .find(|aead| pqseal_hpke::Aead::info(*aead).id == self.suite.aead);
        match (kdf, aead) {
            (Some(kdf), Some(aead)) => {
                let (kdf, aead): (&'static DynKdf, &'static AnyAead) = (*kdf, aead);
                Ok(Suite::new(self.kem()?, kdf, aead))
            }
            _ => Err(AlgorithmUnavailable(self.name)),
        }
    }
}

/// The algorithm of this name is known, but this build does not support it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlgorithmUnavailable(pub &'static str);

impl fmt::Display for AlgorithmUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "this build does not have {}; X448 needs the Cargo feature `x448`",
            self.0
        )
    }
}

impl std::error::Error for AlgorithmUnavailable {}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

const fn integrated(name: &'static str, cose: i64, kem: u16, kdf: u16, aead: u16) -> Algorithm {
    let suite = SuiteId::new(kem, kdf, aead);
    Algorithm::new(name, cose, suite, KeyManagement::Integrated)
}

const fn key_encryption(name: &'static str, cose: i64, kem: u16, kdf: u16, aead: u16) -> Algorithm {
    let suite = SuiteId::new(kem, kdf, aead);
    Algorithm::new(name, cose, suite, KeyManagement::KeyEncryption)
}

/// The KEMs and their `alg` names. The first name of a KEM is written.
pub(crate) const JWK_ALGS: &[(u16, &str)] = &[
    (0x0040, "ML-KEM-512"),
    (0x0041, "ML-KEM-768"),
    (0x0042, "ML-KEM-1024"),
    (0x647a, "MLKEM768-X25519"),
    (0x0050, "MLKEM768-P256"),
    (0x0051, "MLKEM1024-P384"),
    (0x0050, "HPKE-8"),
    (0x647a, "HPKE-9"),
    (0x0051, "HPKE-10"),
    (0x0041, "HPKE-12"),
    (0x0042, "HPKE-13"),
    (0x647a, "X-Wing"),
];

/// The prefix of the names of HPKE algorithms.
pub(crate) const HPKE: &str = "HPKE-";

/// The longest `alg` that an error repeats, in bytes.
const SHOWN: usize = 24;

/// The `alg` of a JWK that names no KEM. It prints itself and the names that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JwkAlg([u8; SHOWN]);

impl JwkAlg {
    /// Takes a name, without the end of a longer one. Characters that no name has become `?`.
    pub(crate) fn of(alg: &str) -> Self {
        let mut shown = [0; SHOWN];
        for (at, byte) in shown.iter_mut().zip(alg.bytes()) {
            let plain = byte.is_ascii_alphanumeric() || b"-+._".contains(&byte);
            *at = if plain { byte } else { b'?' };
        }
        Self(shown)
    }
}

impl fmt::Display for JwkAlg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its alg, ")?;
        for byte in self.0.iter().take_while(|byte| **byte != 0) {
            f.write_char(char::from(*byte))?;
        }
        f.write_str(", is none of")?;
        let mut separator = " ";
        for (kem, alg) in JWK_ALGS {
            if kem_by_id(*kem).is_some() {
                write!(f, "{separator}{alg}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}
