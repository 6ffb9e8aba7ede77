//! The `alg` of JSON Web Keys that name a KEM.
//!
//! The `alg` values `ML-KEM-512`, `-768` and `-1024` were proposed by draft-ietf-jose-pqc-kem-05.
//! That draft has since been limited to COSE; the format is still in the WICG's "Modern Algorithms
//! in the Web Cryptography API", which names hybrids as draft-ietf-hpke-pq does. The names `HPKE-8`
//! to `HPKE-13`, with and without `-KE`, are those of draft-ietf-jose-hpke-pq-pqt. They also name a
//! KDF and an AEAD, which are ignored here. `X-Wing` is the name of MLKEM768-X25519 in `@hpke`.

use std::fmt::{self, Write};

use crate::kems::kem_by_id;

/// The KEMs and their `alg` names. The first name of a KEM is written.
pub(crate) const ROWS: &[(u16, &str)] = &[
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
        let name = self.0.iter().take_while(|byte| **byte != 0);
        name.map(|byte| char::from(*byte))
            .try_for_each(|c| f.write_char(c))?;
        f.write_str(", is none of")?;
        let mut separator = " ";
        for (kem, alg) in ROWS {
            if kem_by_id(*kem).is_some() {
                write!(f, "{separator}{alg}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}
