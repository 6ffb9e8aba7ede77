//! Keys that the tests share.

use std::sync::LazyLock;

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use pqseal_keys::{KeyFormat, kem_by_name, kems};

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

/// Four bytes in any notation that a program is likely to print.
pub(crate) fn assert_hides(shown: &str, secret: &[u8]) {
    for bytes in secret.windows(4) {
        let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let decimal = format!("{bytes:?}");
        let base64 = &pqseal_keys::base64::encode(bytes)[..5];
        for notation in [
            &hex.concat(),
            &hex.join(", "),
            &hex.join(":"),
            decimal.trim_matches(['[', ']']),
            base64,
        ] {
            assert!(!shown.contains(notation), "{notation} is in {shown}");
        }
    }
}
