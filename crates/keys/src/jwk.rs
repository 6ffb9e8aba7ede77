//! JSON Web Keys (RFC 7517): kty EC (RFC 7518, section 6.2) and OKP (RFC 8037, section 2); AKP, for
//! ML-KEM, is `akp`.
//!
//! Each curve is one entry of [`ROWS`]. No member may occur twice (RFC 7517, section 4). A key that
//! is marked as a signature key (`use`, `key_ops`) is refused; other members, such as `kid`, are
//! ignored.

mod akp;
mod members;

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use serde::Serialize;
use zeroize::Zeroizing;

use super::{
    KeyError, NAMED, check_length, check_pair, check_size, kem_of, object::Object, private_of,
    public_key, public_of, secret_text::SecretText, write_json,
};
use crate::base64;

/// The JWK identifiers of a KEM's keys.
struct Row {
    kem: u16,
    kty: &'static str,
    crv: &'static str,
}

const ROWS: &[Row] = &[
    Row {
        kem: 0x0010,
        kty: EC,
        crv: "P-256",
    },
    Row {
        kem: 0x0011,
        kty: EC,
        crv: "P-384",
    },
    Row {
        kem: 0x0012,
        kty: EC,
        crv: "P-521",
    },
    Row {
        kem: 0x0020,
        kty: OKP,
        crv: "X25519",
    },
    Row {
        kem: 0x0021,
        kty: OKP,
        crv: "X448",
    },
];

/// The key type with the public key in `x` and `y`.
const EC: &str = "EC";
/// The key type with the public key in `x`.
const OKP: &str = "OKP";
/// The first byte of an uncompressed point (SEC 1, section 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// The members of a curve's key, in the order in which they are written. A missing one is empty.
#[derive(Serialize)]
struct Jwk {
    kty: String,
    crv: String,
    x: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    y: String,
    #[serde(skip_serializing_if = "SecretText::is_empty")]
    d: SecretText,
}

pub(super) fn read_private(text: &str) -> Result<AnyPrivateKey, KeyError> {
    let members = single(text)?;
    if is_akp(&members)? {
        return akp::read_private(&members);
    }
    let jwk = Jwk::of(&members).ok_or(NOT_STRINGS)?;
    if jwk.d.is_empty() {
        jwk.row().and(Err(KeyError::PublicOnly))
    } else {
        jwk.private()
    }
}

pub(super) fn read_public(text: &str) -> Result<AnyPublicKey, KeyError> {
    public(&single(text)?)
}

fn public(members: &Object<'_>) -> Result<AnyPublicKey, KeyError> {
    if is_akp(members)? {
        return akp::read_public(members);
    }
    let jwk = Jwk::of(members).ok_or(NOT_STRINGS)?;
    if jwk.d.is_empty() {
        jwk.public()
    } else {
        public_key(&jwk.private()?)
    }
}

/// The members of a JWK by which messages choose a key (RFC 7517, section 4).
#[derive(Debug, Default, PartialEq, Eq)]
pub struct JwkNames {
    /// The algorithm that the key is for; `None` if `alg` names only its KEM, as in ML-KEM-768.
    pub alg: Option<String>,
    /// The id of the key.
    pub kid: Option<String>,
}

impl JwkNames {
    /// Reads the names in a JWK, private or public, or of the only supported key of a JWK Set.
    ///
    /// # Errors
    /// [`KeyError::Jwk`].
    pub fn of(jwk: &str) -> Result<Self, KeyError> {
        check_size(jwk.as_bytes())?;
        let members = single(jwk)?;
        let name = |name| members.any_text(name).ok_or(NOT_STRINGS);
        let (alg, kid) = (name("alg")?, name("kid")?);
        let alg = alg.filter(|alg| !akp::is_kem(alg));
        Ok(Self { alg, kid })
    }
}

/// Returns the keys of a JWK Set (RFC 7517, section 5); `None` if the text is not one.
pub(super) fn set(text: &str) -> Option<Vec<&str>> {
    if !NAMED {
        return None;
    }
    let members = Object::parse(text)?;
    let keys = members.values("keys")?;
    is_set(&members).then_some(keys)
}

fn is_set(members: &Object<'_>) -> bool {
    members.has("keys") && !members.has("kty")
}

/// Parses a key, or the only one of a set that is supported.
fn single(text: &str) -> Result<Object<'_>, KeyError> {
    let Some(set) = set(text) else {
        let members = members::parse(text)?;
        // Builds without `all` do not read sets.
        return match NAMED || !is_set(&members) {
            true => Ok(members),
            false => Err(KeyError::UnknownKem),
        };
    };
    let mut found = Err(KeyError::Empty);
    for jwk in set {
        let read = members::parse(jwk).and_then(|key| public(&key).map(|_| key));
        match (read, &found) {
            (Ok(_), Ok(_)) => return Err(SEVERAL),
            (Err(_), Ok(_)) => {}
            (key, Err(_)) => found = key,
        }
    }
    found
}

const SEVERAL: KeyError =
    KeyError::Jwk("it is a JWK Set of several keys; give one key out of its `keys`");

pub(super) fn write_private(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    if akp::holds(key.kem().id) {
        return akp::write_private(key);
    }
    let mut jwk = Jwk::new(&public_key(key)?)?;
    jwk.d = SecretText::new(Zeroizing::new(base64::encode_url(key.to_bytes()?.as_ref())));
    jwk.write()
}

pub(super) fn write_public(key: &AnyPublicKey) -> Result<String, KeyError> {
    if akp::holds(key.kem().id) {
        return akp::write_public(key);
    }
    Ok(Jwk::new(key)?.write()?.to_string())
}

fn is_akp(members: &Object<'_>) -> Result<bool, KeyError> {
    Ok(members.text("kty").ok_or(NOT_STRINGS)? == akp::AKP)
}

const NOT_STRINGS: KeyError =
    KeyError::Jwk("it is not JSON with string members, or its private key is an empty string");

impl Jwk {
    fn of(members: &Object<'_>) -> Option<Self> {
        Some(Self {
            kty: members.text("kty")?,
            crv: members.text("crv")?,
            x: members.text("x")?,
            y: members.text("y")?,
            d: members.secret("d")?,
        })
    }

    fn write(&self) -> Result<Zeroizing<String>, KeyError> {
        write_json(|text| serde_json::to_writer(text, self))
    }

    fn new(key: &AnyPublicKey) -> Result<Self, KeyError> {
        let row = ROWS
            .iter()
            .find(|row| row.kem == key.kem().id)
            .ok_or(KeyError::FormatLacksKem)?;
        let (x, y) = match key.as_ref() {
            [UNCOMPRESSED, point @ ..] if row.kty == EC => point.split_at(key.kem().n_sk),
            point => (point, &[][..]),
        };
        let [x, y] = [x, y].map(base64::encode_url);
        Ok(Self {
            kty: row.kty.into(),
            crv: row.crv.into(),
            x,
            y,
            d: SecretText::default(),
        })
    }

    fn row(&self) -> Result<&'static Row, KeyError> {
        if ROWS.iter().all(|row| row.kty != self.kty) {
            return Err(KeyError::Jwk("kty is not EC, OKP or AKP"));
        }
        let mut rows = ROWS.iter().filter(|row| row.kty == self.kty);
        rows.find(|row| row.crv == self.crv)
            .ok_or(KeyError::Jwk("crv is not known"))
    }

    fn private(&self) -> Result<AnyPrivateKey, KeyError> {
        let public = self.public()?;
        let key = private_of(
            kem_of(public.kem().id)?,
            &decode(self.d.as_str(), "d is missing")?,
        )?;
        check_pair(key, Some(public))
    }

    fn public(&self) -> Result<AnyPublicKey, KeyError> {
        let row = self.row()?;
        let kem = kem_of(row.kem)?;
        match row.kty {
            EC => public_of(kem, &self.point(kem)?),
            _ if !self.y.is_empty() => Err(KeyError::Jwk("kty OKP has no member y")),
            _ => public_of(kem, &decode(&self.x, "x is missing")?),
        }
    }

    /// Returns the uncompressed point. A coordinate has the size of the field, which is Nsk,
    /// including leading zeros.
    fn point(&self, kem: &DynKem) -> Result<Vec<u8>, KeyError> {
        let x = decode(&self.x, "x is missing")?;
        let y = decode(&self.y, "y is missing")?;
        check_length(kem, kem.info().n_sk, &x)?;
        check_length(kem, kem.info().n_sk, &y)?;
        Ok([&[UNCOMPRESSED], &**x, &**y].concat())
    }
}

/// Decodes base64url without line breaks or spaces (RFC 7515, section 2).
fn decode(member: &str, missing: &'static str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    if member.is_empty() {
        return Err(KeyError::Jwk(missing));
    }
    if let Some(offset) = member.find(|c: char| c.is_ascii_whitespace()) {
        let problem = base64::Problem::Character;
        return Err(base64::Error { offset, problem }.into());
    }
    Ok(base64::decode_url(member.as_bytes())?)
}
