//! JSON Web Keys (RFC 7517): kty EC (RFC 7518, section 6.2) and OKP (RFC 8037, section 2), of which
//! each curve is one entry of [`CURVES`]; and AKP (Algorithm Key Pair, RFC 9964) for ML-KEM and
//! hybrids, where `priv` is the seed: 64 bytes for ML-KEM, 32 for a hybrid.
//!
//! `@hpke` writes AKP private keys without `pub`, since `alg` and the seed are sufficient. No member
//! may occur twice (RFC 7517, section 4). A key that is marked as a signature key (`use`, `key_ops`)
//! is refused; other members, such as `kid`, are ignored.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use serde::de::IgnoredAny;
use zeroize::Zeroizing;

use super::{
    KeyError, NAMED, check_length, check_pair, check_size, kem_of, private_of, public_key,
    public_of,
};
use crate::{
    algorithm::{HPKE, JWK_ALGS, JwkAlg},
    base64,
};

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
        let alg = members.any_text("alg").ok_or(NOT_STRINGS)?;
        let kid = members.any_text("kid").ok_or(NOT_STRINGS)?;
        // A name of HPKE is an algorithm of JOSE, others are only KEMs.
        let alg =
            alg.filter(|alg| alg.starts_with(HPKE) || JWK_ALGS.iter().all(|(_, name)| name != alg));
        Ok(Self { alg, kid })
    }
}

pub(super) fn read_private(text: &str) -> Result<AnyPrivateKey, KeyError> {
    let jwk = Jwk::of(&single(text)?)?;
    if !jwk.private.is_empty() {
        return jwk.private();
    }
    if jwk.kty != AKP {
        jwk.curve()?;
    }
    Err(KeyError::PublicOnly)
}

pub(super) fn read_public(text: &str) -> Result<AnyPublicKey, KeyError> {
    Jwk::of(&single(text)?)?.public_half()
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

pub(super) fn write_private(key: &AnyPrivateKey) -> Result<Zeroizing<String>, KeyError> {
    write(&public_key(key)?, Some(key))
}

pub(super) fn write_public(key: &AnyPublicKey) -> Result<String, KeyError> {
    Ok(write(key, None)?.to_string())
}

/// The JWK identifiers of a curve: the id of its KEM, `kty` and `crv`.
type JwkCurve = (u16, &'static str, &'static str);

const CURVES: &[JwkCurve] = &[
    (0x0010, EC, "P-256"),
    (0x0011, EC, "P-384"),
    (0x0012, EC, "P-521"),
    (0x0020, OKP, "X25519"),
    (0x0021, OKP, "X448"),
];

/// The key type with the public key in `x` and `y`.
const EC: &str = "EC";
/// The key type with the public key in `x`.
const OKP: &str = "OKP";
/// The key type with the public key in `pub`.
const AKP: &str = "AKP";
/// The first byte of an uncompressed point (SEC 1, section 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// The members of a JWK. A missing one is empty.
struct Jwk {
    kty: String,
    /// `crv`, or `alg` of an AKP key.
    name: String,
    /// `x`, or `pub` of an AKP key.
    public: String,
    lacks_public: bool,
    y: String,
    /// `d`, or `priv` of an AKP key.
    private: Zeroizing<String>,
}

impl Jwk {
    fn of(members: &Object<'_>) -> Result<Self, KeyError> {
        let kty = members.text("kty").ok_or(NOT_STRINGS)?;
        let (name, public, y, private) = match kty == AKP {
            true => ("alg", "pub", None, "priv"),
            false => ("crv", "x", Some("y"), "d"),
        };
        Ok(Self {
            kty,
            name: members.text(name).ok_or(NOT_STRINGS)?,
            public: members.text(public).ok_or(NOT_STRINGS)?,
            lacks_public: !members.has(public),
            y: match y {
                Some(y) => members.text(y).ok_or(NOT_STRINGS)?,
                None => String::new(),
            },
            private: members.secret(private).ok_or(NOT_STRINGS)?,
        })
    }

    fn private(&self) -> Result<AnyPrivateKey, KeyError> {
        let public = match self.kty == AKP && self.lacks_public {
            true => None,
            false => Some(self.public()?),
        };
        let key = private_of(self.kem()?, &decode(&self.private, "d is missing")?)?;
        check_pair(key, public)
    }

    /// Reads the public key, of a private key after a check that it belongs to it.
    fn public_half(&self) -> Result<AnyPublicKey, KeyError> {
        match self.private.is_empty() {
            true => self.public(),
            false => public_key(&self.private()?),
        }
    }

    fn public(&self) -> Result<AnyPublicKey, KeyError> {
        let kem = self.kem()?;
        match &*self.kty {
            EC => {
                // A coordinate has the size of the field, which is Nsk, including leading zeros.
                let x = decode(&self.public, "x is missing")?;
                let y = decode(&self.y, "y is missing")?;
                check_length(kem, kem.info().n_sk, &x)?;
                check_length(kem, kem.info().n_sk, &y)?;
                public_of(kem, &[&[UNCOMPRESSED], &**x, &**y].concat())
            }
            AKP => public_of(kem, &decode(&self.public, "pub is missing")?),
            _ if !self.y.is_empty() => Err(KeyError::Jwk("kty OKP has no member y")),
            _ => public_of(kem, &decode(&self.public, "x is missing")?),
        }
    }

    fn kem(&self) -> Result<&'static DynKem, KeyError> {
        if self.kty != AKP {
            return kem_of(self.curve()?.0);
        }
        let suite = match self.name.strip_suffix("-KE") {
            Some(suite) if suite.starts_with(HPKE) => suite,
            _ => &self.name,
        };
        if suite.is_empty() {
            return Err(KeyError::Jwk("alg is missing, such as MLKEM768-X25519"));
        }
        match JWK_ALGS.iter().find(|(_, alg)| *alg == suite) {
            Some((kem, _)) => kem_of(*kem),
            None => Err(KeyError::JwkAlg(JwkAlg::of(&self.name))),
        }
    }

    fn curve(&self) -> Result<&'static JwkCurve, KeyError> {
        if CURVES.iter().all(|(_, kty, _)| *kty != self.kty) {
            return Err(KeyError::Jwk("kty is not EC, OKP or AKP"));
        }
        CURVES
            .iter()
            .find(|(_, kty, crv)| *kty == self.kty && *crv == self.name)
            .ok_or(KeyError::Jwk("crv is not known"))
    }
}

fn is_set(members: &Object<'_>) -> bool {
    members.has("keys") && !members.has("kty")
}

/// Parses a key, or the only one of a set that is supported.
fn single(text: &str) -> Result<Object<'_>, KeyError> {
    let Some(set) = set(text) else {
        let members = parse_key(text)?;
        // Builds without `all` do not read sets.
        return match NAMED || !is_set(&members) {
            true => Ok(members),
            false => Err(KeyError::UnknownKem),
        };
    };
    let mut found = Err(KeyError::Empty);
    for jwk in set {
        let read = parse_key(jwk).and_then(|key| Jwk::of(&key)?.public_half().map(|_| key));
        match (read, &found) {
            (Ok(_), Ok(_)) => {
                let several = "it is a JWK Set of several keys; give one key out of its `keys`";
                return Err(KeyError::Jwk(several));
            }
            (Err(_), Ok(_)) => {}
            (key, Err(_)) => found = key,
        }
    }
    found
}

const NOT_STRINGS: KeyError =
    KeyError::Jwk("it is not JSON with string members, or its private key is an empty string");

/// Parses the members of a JWK, with all checks that are the same for every type. A key for
/// signatures must not be used for encryption too, even if its curve supports it.
fn parse_key(text: &str) -> Result<Object<'_>, KeyError> {
    let members = Object::parse(text).ok_or(NOT_STRINGS)?;
    // Parsers disagree on which of the two values is valid.
    let mut names: Vec<&str> = members.0.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(KeyError::Jwk("a member is given twice"));
    }
    let mut signs = members.text("use").ok_or(NOT_STRINGS)? == "sig";
    for operation in members.values("key_ops").ok_or(NOT_STRINGS)? {
        let operation = unescape(operation).ok_or(NOT_STRINGS)?;
        signs |= matches!(operation.as_str(), "sign" | "verify");
    }
    match signs {
        true => Err(KeyError::Jwk(
            "it is a key for signatures, by its use or key_ops",
        )),
        false => Ok(members),
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

fn write(
    key: &AnyPublicKey,
    private: Option<&AnyPrivateKey>,
) -> Result<Zeroizing<String>, KeyError> {
    let id = key.kem().id;
    let alg = JWK_ALGS.iter().find(|(kem, _)| *kem == id);
    let curve = CURVES.iter().find(|(kem, ..)| *kem == id);
    let (kty, name, labels) = match (alg, curve) {
        (Some((_, alg)), _) => (AKP, *alg, ["alg", "pub", "", "priv"]),
        (None, Some((_, kty, crv))) => (*kty, *crv, ["crv", "x", "y", "d"]),
        (None, None) => return Err(KeyError::FormatLacksKem),
    };
    let (x, y) = match key.as_ref() {
        [UNCOMPRESSED, point @ ..] if kty == EC => point.split_at(point.len() / 2),
        point => (point, &[][..]),
    };
    let [x, y] = [x, y].map(base64::encode_url);
    let private = match private {
        Some(key) => Zeroizing::new(base64::encode_url(key.to_bytes()?.as_ref())),
        None => Zeroizing::default(),
    };
    let mut parts = vec!["{\"kty\":\"", kty];
    for (label, value) in labels.into_iter().zip([name, &x, &y, &private]) {
        if !value.is_empty() {
            parts.extend(["\",\"", label, "\":\"", value]);
        }
    }
    parts.push("\"}");
    // Allocated at its full size: a buffer that grows leaves a copy of the key behind.
    Ok(Zeroizing::new(parts.concat()))
}

/// A JSON object as its members in order: the text of each name, and the JSON of its value.
///
/// Serde's own readers would add messages about wrong types, and tables for printing numbers: a
/// tenth of the WebAssembly module `core`, for messages that are replaced here. So serde only finds
/// the end of each value, and checks that it is JSON. Values may be secret, so they are not copied;
/// names and strings are, into memory that is wiped.
pub(super) struct Object<'a>(Vec<(Zeroizing<String>, &'a str)>);

impl<'a> Object<'a> {
    /// Parses an object. Returns `None` if the text is not a JSON object.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let mut rest = inside(text, '{', '}')?;
        let mut members = Vec::new();
        while !rest.is_empty() {
            let (name, after) = value(rest)?;
            let (json, after) = value(after.strip_prefix(':')?)?;
            // A name that cannot be unescaped is kept with its quotes, so that it matches no
            // requested name.
            let name = unescape(name).unwrap_or_else(|| Zeroizing::new(name.to_owned()));
            members.push((name, json));
            rest = next(after)?;
        }
        Some(Self(members))
    }

    /// Returns the string of that name, empty if the object lacks it. Returns `None` if the value
    /// is not a string or is empty (an empty secret must not count as missing), if the name occurs
    /// twice, or if the string escapes characters beyond ASCII, which no key contains.
    pub(super) fn secret(&self, name: &str) -> Option<Zeroizing<String>> {
        let text = self.string(name)?;
        (!text.is_empty() || !self.has(name)).then_some(text)
    }

    /// Returns the string like [`Self::secret`], for a member that is not secret and may be an
    /// empty string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.string(name).map(|text| text.as_str().to_owned())
    }

    /// Returns the string of that name, with any characters, for a member that is not secret; or
    /// `Some(None)` if it is missing. Returns `None` if it is another value.
    fn any_text(&self, name: &str) -> Option<Option<String>> {
        let text = self.json(name).map(serde_json::from_str);
        text.transpose().ok()
    }

    /// Returns the string of that name, empty if it is missing. A member that is null counts as
    /// missing, as in other readers.
    fn string(&self, name: &str) -> Option<Zeroizing<String>> {
        let found = self.0.iter().filter(|(found, _)| found.as_str() == name);
        match (found.count(), self.json(name)) {
            (0 | 1, None) => Some(Zeroizing::default()),
            (1, Some(json)) => unescape(json),
            _ => None,
        }
    }

    /// Returns the values of the array of that name, or an empty list if there is no such member.
    /// Returns `None` if it is another value.
    fn values(&self, name: &str) -> Option<Vec<&'a str>> {
        let Some(json) = self.json(name) else {
            return Some(Vec::new());
        };
        let mut rest = inside(json, '[', ']')?;
        let mut values = Vec::new();
        while !rest.is_empty() {
            let (json, after) = value(rest)?;
            values.push(json);
            rest = next(after)?;
        }
        Some(values)
    }

    /// Reports whether there is a member of that name that is not null.
    fn has(&self, name: &str) -> bool {
        self.json(name).is_some()
    }

    fn json(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().find(|(found, _)| found.as_str() == name);
        found.map(|(_, json)| *json).filter(|json| *json != "null")
    }
}

/// Returns the text between the brackets of valid JSON, without surrounding white space.
fn inside(text: &str, open: char, close: char) -> Option<&str> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let inside = text.trim_ascii().strip_prefix(open)?.strip_suffix(close)?;
    Some(inside.trim_ascii())
}

/// Splits off the value at the beginning of the text. Both parts are without surrounding white
/// space.
fn value(text: &str) -> Option<(&str, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    let (value, after) = text.split_at_checked(values.byte_offset())?;
    Some((value.trim_ascii(), after.trim_ascii()))
}

/// Returns the text after the comma, or an empty text after the last value.
fn next(after: &str) -> Option<&str> {
    if after.is_empty() {
        return Some(after);
    }
    after.strip_prefix(',').map(str::trim_ascii)
}

/// Unescapes a JSON string (RFC 8259, section 7) that JSON's own parser has accepted. Returns
/// `None` for another value, and for escapes of characters beyond ASCII, which no key contains.
///
/// serde_json would copy a string with escapes into its own buffer, and leave a `String` behind if a
/// later member is wrong.
fn unescape(json: &str) -> Option<Zeroizing<String>> {
    let mut rest = json.strip_prefix('"')?.strip_suffix('"')?;
    // Never grows: an escape is at least as long as its character.
    let mut text = Zeroizing::new(String::with_capacity(rest.len()));
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let (character, length) = match escape.as_bytes().first()? {
            b'u' => (
                u8::from_str_radix(escape.get(1..5)?, 16)
                    .ok()
                    .filter(u8::is_ascii)?,
                5,
            ),
            b'b' => (8, 1),
            b'f' => (12, 1),
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b't' => (b'\t', 1),
            itself => (*itself, 1),
        };
        text.push(char::from(character));
        rest = escape.get(length..)?;
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn strings_are_read_as_json_reads_them() {
        for json in [
            r#""""#,
            r#""abc""#,
            r#""a\/b\\c\"d\u002fe\u0041""#,
            r#""\b\f\n\r\t""#,
            r#""\\u0041""#,
            r#""ä""#,
        ] {
            let expected: String = serde_json::from_str(json).unwrap();
            assert_eq!(unescape(json).unwrap().as_str(), expected, "{json}");
        }
        for other in ["null", "7", r#""\u00e4""#, r#""\ud83d\ude00""#, r#"["a"]"#] {
            assert!(unescape(other).is_none(), "{other}");
        }
    }
}
