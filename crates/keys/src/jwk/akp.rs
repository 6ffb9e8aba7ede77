//! ML-KEM and hybrid keys as JWK: kty AKP (Algorithm Key Pair, RFC 9964), `alg`, `pub`, and `priv`,
//! which is the seed: 64 bytes for ML-KEM, 32 for a hybrid.
//!
//! `@hpke` writes private keys without `pub`, since `alg` and the seed are sufficient.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use serde::Serialize;
use zeroize::Zeroizing;

use super::{NOT_STRINGS, decode};
use crate::{
    KeyError, base64, check_pair,
    jwk_alg::{HPKE, JwkAlg, ROWS},
    kem_of,
    object::Object,
    private_of, public_key, public_of,
    secret_text::SecretText,
    write_json,
};

/// The key type.
pub(super) const AKP: &str = "AKP";

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
    /// Set if `pub` is missing.
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
