//! Keys that the tests share.

use std::sync::LazyLock;

use getrandom::SysRng;
use pqseal_envelope::{
    Blob, Error, KeyRing, OpenOptions, SealOptions, Sealer, Trailing, base64,
    hpke::{AnyPrivateKey, AnyPublicKey, DynKem, Policy},
    kem_by_name, kems,
    keys::KeyFormat,
};
use test_vectors::MatchedData;

/// A KEM and a key pair of it.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) kem: &'static DynKem,
    pub(crate) private: AnyPrivateKey,
    pub(crate) public: AnyPublicKey,
}

/// The same pair for the same KEM and number, every time.
pub(crate) fn pair(kem: &'static DynKem, number: u8) -> Pair {
    let (private, public) = kem.derive_key_pair(&[number; 66]).unwrap();
    Pair {
        kem,
        private,
        public,
    }
}

/// One pair of every KEM, made once.
pub(crate) fn pairs() -> impl Iterator<Item = Pair> {
    static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| kems().map(|kem| pair(kem, 7)).collect());
    PAIRS.iter().cloned()
}

/// Returns a policy that allows everything.
pub(crate) fn everything() -> Policy {
    Policy::draft().with_experimental()
}

/// The default application, with every suite.
pub(crate) fn application() -> OpenOptions<'static> {
    OpenOptions {
        policy: everything(),
        ..OpenOptions::default()
    }
}

pub(crate) const FORMS: [KeyFormat; 5] = [
    KeyFormat::Raw,
    KeyFormat::Json,
    KeyFormat::Pem,
    KeyFormat::Jwk,
    KeyFormat::Line,
];

/// Reports whether a format supports this KEM.
pub(crate) fn holds(form: KeyFormat, kem: &DynKem) -> bool {
    let name = kem.info().short_name;
    match form {
        KeyFormat::Raw | KeyFormat::Line => true,
        KeyFormat::Json => name == "x25519",
        KeyFormat::Pem => is_curve(kem) || name.starts_with("mlkem") && !name.contains('-'),
        KeyFormat::Jwk => is_curve(kem) || name.starts_with("mlkem"),
        _ => false,
    }
}

/// Reports whether the KEM is one of RFC 9180: a curve, which every peer
/// supports.
pub(crate) fn is_curve(kem: &DynKem) -> bool {
    ["p256", "p384", "p521", "x25519", "x448"].contains(&kem.info().short_name)
}

/// The forms that hold keys of this KEM.
pub(crate) fn forms(kem: &DynKem) -> impl Iterator<Item = KeyFormat> {
    FORMS.into_iter().filter(move |form| holds(*form, kem))
}

pub(crate) fn kem(name: &str) -> &'static DynKem {
    kem_by_name(name).unwrap()
}

/// The bytes of a private key, as a KEM with this name serializes them.
pub(crate) fn bytes(private: &AnyPrivateKey) -> Vec<u8> {
    kem(private.kem().short_name)
        .serialize_private_key(private)
        .unwrap()
        .as_ref()
        .to_vec()
}

/// A sealer of version 3.
pub(crate) fn v3_sealer(key: &AnyPublicKey) -> Result<Sealer, Error> {
    let options = SealOptions {
        version: Some(3),
        ..SealOptions::default()
    };
    Sealer::new(key, &options)
}

/// A sealer of version 4 in the suite of these ids.
pub(crate) fn v4_sealer(
    key: &AnyPublicKey,
    kdf: u16,
    aead: u16,
    info: &[u8],
    policy: &Policy,
) -> Result<Sealer, Error> {
    let options = SealOptions {
        version: Some(4),
        kdf: Some(kdf),
        aead: Some(aead),
        info,
        with_aad: true,
        policy: policy.clone(),
    };
    Sealer::new(key, &options)
}

/// A version 4 blob in the suite of these ids.
pub(crate) fn seal_v4(
    key: &Pair,
    kdf: u16,
    aead: u16,
    context: [&[u8]; 2],
    plaintext: &[u8],
) -> Vec<u8> {
    let [info, aad] = context;
    let sealer = v4_sealer(&key.public, kdf, aead, info, &everything()).unwrap();
    sealer.seal(aad, plaintext, &mut SysRng).unwrap()
}

/// Opens a blob with a ring of only this key.
pub(crate) fn open(
    key: &AnyPrivateKey,
    blob: &[u8],
    application: &OpenOptions<'_>,
) -> Result<Vec<u8>, Error> {
    let mut ring = KeyRing::new();
    ring.add(key).unwrap();
    Ok(ring
        .open(&Blob::parse(blob, Trailing::Refuse)?, application)?
        .plaintext)
}

/// The matched-data entry of this name.
pub(crate) fn entry(name: &str) -> MatchedData {
    test_vectors::matched_data()
        .entries
        .into_iter()
        .find(|entry| entry.name == name)
        .unwrap()
}

/// The private key and the blob of an entry, decoded.
pub(crate) fn key_and_blob(entry: &MatchedData) -> (AnyPrivateKey, Vec<u8>) {
    let key = pqseal_envelope::keys::read_private(&entry.private_key, None).unwrap();
    (key, base64::decode(entry.blob.as_bytes()).unwrap().to_vec())
}
