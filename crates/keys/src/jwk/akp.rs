//! ML-KEM and hybrid keys as JWK: kty AKP (Algorithm Key Pair, RFC 9964), `alg`, `pub`, and `priv`,
//! which is the seed: 64 bytes for ML-KEM, 32 for a hybrid.
//!
//! The `alg` values `ML-KEM-512`, `-768` and `-1024` were proposed by draft-ietf-jose-pqc-kem-05.
//! That draft has since been limited to COSE; the format is still in the WICG's "Modern Algorithms
//! in the Web Cryptography API", which names hybrids as draft-ietf-hpke-pq does. The names `HPKE-8`
//! to `HPKE-13`, with and without `-KE`, are those of draft-ietf-jose-hpke-pq-pqt. They also name a
//! KDF and an AEAD, which are ignored here. `X-Wing` is the name of MLKEM768-X25519 in `@hpke`,
//! which also writes private keys without `pub`, since `alg` and the seed are sufficient.

use std::fmt::{self, Write};

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use serde::Serialize;
use zeroize::Zeroizing;

use super::{NOT_STRINGS, decode};
use crate::base64;
use crate::{
    KeyError, check_pair, kem_of, object::Object, private_of, public_key, public_of,
    secret_text::SecretText, write_json,
};

/// The key type.
pub(super) const AKP: &str = "AKP";

/// The KEMs and their `alg` names. The first name of a KEM is written.
const ROWS: &[(u16, &str)] = &[
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
const HPKE: &str = "HPKE-";

/// The longest `alg` that an error repeats, in bytes.
const SHOWN: usize = 24;

/// The `alg` of a JWK that names no KEM. It prints itself and the names that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JwkAlg([u8; SHOWN]);

impl JwkAlg {
    /// Takes a name, without the end of a longer one. Characters that no name has become `?`.
    fn of(alg: &str) -> Self {
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
            if kem_of(*kem).is_ok() {
                write!(f, "{separator}{alg}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

/// Reports whether an `alg` names only a KEM, and no algorithm of JOSE.
pub(super) fn is_kem(alg: &str) -> bool {
    ROWS.iter().any(|(_, name)| *name == alg) && !alg.starts_with(HPKE)
}

/// The members, in the order in which they are written. A missing one is empty.
#[derive(Serialize)]
struct Akp {
    kty: String,
    alg: String,
    #[serde(rename = "pub")]
    public: String,
    /// True if `pub` is missing.
    #[serde(skip)]
    lacks_public: bool,
    #[serde(rename = "priv", skip_serializing_if = "SecretText::is_empty")]
    private: SecretText,
}

/// Reports whether this format supports the KEM.
pub(super) fn holds(kem: u16) -> bool {
    ROWS.iter().any(|(id, _)| *id == kem)
}

pub(super) fn read_private(members: &Object<'_>) -> Result<AnyPrivateKey, KeyError> {
    let akp = Akp::of(members).ok_or(NOT_STRINGS)?;
    if akp.private.is_empty() {
        Err(KeyError::PublicOnly)
    } else {
        akp.private()
    }
}

pub(super) fn read_public(members: &Object<'_>) -> Result<AnyPublicKey, KeyError> {
    let akp = Akp::of(members).ok_or(NOT_STRINGS)?;
    if akp.private.is_empty() {
        akp.public()
    } else {
        public_key(&akp.private()?)
    }
}

pub(super) fn write_private(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    let mut akp = Akp::new(&public_key(key)?)?;
    akp.private = SecretText::new(Zeroizing::new(base64::encode_url(key.to_bytes()?.as_ref())));
    akp.write()
}

pub(super) fn write_public(key: &AnyPublicKey) -> Result<String, KeyError> {
    Ok(Akp::new(key)?.write()?.to_string())
}

impl Akp {
    fn of(members: &Object<'_>) -> Option<Self> {
        Some(Self {
            kty: members.text("kty")?,
            alg: members.text("alg")?,
            public: members.text("pub")?,
            lacks_public: !members.has("pub"),
            private: members.secret("priv")?,
        })
    }

    fn write(&self) -> Result<Zeroizing<String>, KeyError> {
        write_json(|text| serde_json::to_writer(text, self))
    }

    fn new(key: &AnyPublicKey) -> Result<Self, KeyError> {
        let (_, alg) = ROWS
            .iter()
            .find(|(id, _)| *id == key.kem().id)
            .ok_or(KeyError::FormatLacksKem)?;
        let public = base64::encode_url(key.as_ref());
        Ok(Self {
            kty: AKP.into(),
            alg: (*alg).into(),
            public,
            lacks_public: false,
            private: SecretText::default(),
        })
    }

    fn private(&self) -> Result<AnyPrivateKey, KeyError> {
        let public = (!self.lacks_public).then(|| self.public()).transpose()?;
        let key = private_of(
            self.kem()?,
            &decode(self.private.as_str(), "priv is missing")?,
        )?;
        check_pair(key, public)
    }

    fn public(&self) -> Result<AnyPublicKey, KeyError> {
        public_of(self.kem()?, &decode(&self.public, "pub is missing")?)
    }

    fn kem(&self) -> Result<&'static DynKem, KeyError> {
        let suite = match self.alg.strip_suffix("-KE") {
            Some(suite) if suite.starts_with(HPKE) => suite,
            _ => &self.alg,
        };
        if suite.is_empty() {
            return Err(KeyError::Jwk("alg is missing, such as MLKEM768-X25519"));
        }
        let row = ROWS.iter().find(|(_, alg)| *alg == suite);
        kem_of(
            row.ok_or_else(|| KeyError::JwkAlg(JwkAlg::of(&self.alg)))?
                .0,
        )
    }
}
