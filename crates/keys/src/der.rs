//! Key files as DER: PKCS#8 (RFC 5958) with the keys of RFC 8410, RFC 5480 and RFC 9935, SEC 1 (RFC
//! 5915), SubjectPublicKeyInfo (RFC 5280).
//!
//! Each KEM is one entry of [`ROWS`]. Of the hybrids only MLKEM768-X25519 has one. Its keys are
//! read, but not written: the registered identifiers for such pairs (composite ML-KEM) are not for
//! HPKE's keys. Points are uncompressed, as those of HPKE are, but in ECPrivateKey compressed ones
//! are read too. A public half in a private key is compared with the private one.
//!
//! HPKE's private key of ML-KEM is the seed, and only the seed is written. If the expanded key is
//! given too, the seed is read after a check against it. An expanded key without a seed opens, and
//! cannot be written, since the seed cannot be computed from it.

use pkcs8::{
    AlgorithmIdentifierRef, ObjectIdentifier, PrivateKeyInfo, PrivateKeyInfoRef,
    SubjectPublicKeyInfo, SubjectPublicKeyInfoRef,
    der::{
        Decode, Encode, Tag, TagNumber, Tagged,
        asn1::{AnyRef, BitStringRef, OctetStringRef},
    },
};
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
#[cfg(feature = "all")]
use pqseal_hpke::{Erased, Kem};
#[cfg(feature = "all")]
use pqseal_kem_pq::{
    MlKem512, MlKem768, MlKem1024,
    ml_kem::{MlKem, ParameterSet},
    pairwise_consistency,
};
use sec1::EcPrivateKey;
use zeroize::Zeroizing;

use super::{KeyError, NAMED, check_length, check_pair, kem_of, private_of, public_key, public_of};

/// The DER identifiers of a KEM's keys.
struct DerKem {
    kem: u16,
    algorithm: ObjectIdentifier,
    curve: Option<ObjectIdentifier>,
    private: DerPrivateKey,
}

/// The contents of the octets of a PKCS#8 private key.
enum DerPrivateKey {
    /// The key in a separate OCTET STRING (RFC 8410, section 7).
    CurvePrivateKey,
    /// SEC 1's ECPrivateKey (RFC 5915).
    EcPrivateKey,
    /// The key itself, as in draft-connolly-cfrg-xwing-kem. It is read, but not written.
    #[cfg(feature = "all")]
    Seed,
    /// A seed, an expanded key or both (RFC 9935, section 6).
    #[cfg_attr(
        not(feature = "all"),
        expect(dead_code, reason = "ML-KEM has no entry")
    )]
    MlKem(ImportExpanded),
}

impl DerPrivateKey {
    const fn is_written(&self) -> bool {
        match self {
            #[cfg(feature = "all")]
            Self::Seed => false,
            _ => true,
        }
    }
}

/// A function that reads an expanded key and checks that its parts belong together.
type ImportExpanded = fn(expanded: &[u8]) -> Result<AnyPrivateKey, pqseal_hpke::Error>;

const ROWS: &[DerKem] = &[
    DerKem::ec(0x0010, "1.2.840.10045.3.1.7"),
    DerKem::ec(0x0011, "1.3.132.0.34"),
    DerKem::ec(0x0012, "1.3.132.0.35"),
    DerKem::montgomery(0x0020, "1.3.101.110"),
    DerKem::montgomery(0x0021, "1.3.101.111"),
    #[cfg(feature = "all")]
    DerKem::ml_kem(0x0040, "2.16.840.1.101.3.4.4.1", |expanded| {
        import_expanded(MlKem512, expanded)
    }),
    #[cfg(feature = "all")]
    DerKem::ml_kem(0x0041, "2.16.840.1.101.3.4.4.2", |expanded| {
        import_expanded(MlKem768, expanded)
    }),
    #[cfg(feature = "all")]
    DerKem::ml_kem(0x0042, "2.16.840.1.101.3.4.4.3", |expanded| {
        import_expanded(MlKem1024, expanded)
    }),
    #[cfg(feature = "all")]
    DerKem {
        kem: 0x647a,
        algorithm: ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62253.25722"),
        curve: None,
        private: DerPrivateKey::Seed,
    },
];

/// id-ecPublicKey (RFC 5480, section 2.1.1).
const EC: &str = "1.2.840.10045.2.1";

/// PKCS#8 under a passphrase (RFC 5958, section 3). Its structure is that of SubjectPublicKeyInfo,
/// except for the type of the second field.
type EncryptedPrivateKeyInfo<'a> = SubjectPublicKeyInfo<AnyRef<'a>, &'a OctetStringRef>;

/// The tag of a seed: `[0] IMPLICIT OCTET STRING`.
const SEED: Tag = Tag::ContextSpecific {
    constructed: false,
    number: TagNumber(0),
};
/// The offset of `z` in a seed `d || z`.
const Z: usize = 32;

/// The error for a key in an encoding of earlier drafts, which OpenSSL calls `bare-seed`,
/// `bare-priv` and `oqskeypair`.
const EARLIER_DRAFT: KeyError = KeyError::Text(
    "it is not encoded as in RFC 9935, but as in an earlier draft (bare-seed, bare-priv or oqskeypair of OpenSSL); OpenSSL 3.5 converts it: `openssl pkey -in FILE -out FILE2`",
);

/// Reads PKCS#8 or SEC 1.
pub(super) fn read_private(der: &[u8]) -> Result<AnyPrivateKey, KeyError> {
    if let Ok(info) = PrivateKeyInfoRef::from_der(der) {
        let row = DerKem::of_algorithm(&info.algorithm)?;
        let key = row.read_contents(info.private_key.as_bytes())?;
        let public = info.public_key.map(|bits| row.public(bits)).transpose()?;
        check_pair(key, public)
    } else if let Ok(key) = EcPrivateKey::from_der(der) {
        // A SEC 1 file names its curve itself.
        let parameters = key.parameters.as_ref();
        let curve = parameters.and_then(|parameters| parameters.named_curve());
        let curve = curve.ok_or(KeyError::Der)?;
        ROWS.iter()
            .find(|row| row.curve == Some(curve))
            .ok_or(KeyError::UnknownKem)?
            .ec_private(&key)
    } else if SubjectPublicKeyInfoRef::from_der(der).is_ok() {
        Err(KeyError::PublicOnly)
    } else if is_encrypted(der) {
        Err(KeyError::Encrypted)
    } else {
        Err(KeyError::Der)
    }
}

/// Reads SubjectPublicKeyInfo, or the public half of a private key.
pub(super) fn read_public(der: &[u8]) -> Result<AnyPublicKey, KeyError> {
    let Ok(info) = SubjectPublicKeyInfoRef::from_der(der) else {
        return public_key(&read_private(der)?);
    };
    DerKem::of_algorithm(&info.algorithm)?.public(info.subject_public_key)
}

/// Writes a private key as PKCS#8 DER. Wiped on drop.
///
/// # Errors
/// [`KeyError::FormatLacksKem`], [`KeyError::Hpke`] for a key that cannot be exported.
pub fn write_private_der(key: &AnyPrivateKey) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    // Version 1, as OpenSSL does, with the public key of P-curves in ECPrivateKey.
    let row = DerKem::of_kem(key.kem().id)?;
    let bytes = kem_of(row.kem)?.serialize_private_key(key)?;
    let contents = Zeroizing::new(match row.private {
        DerPrivateKey::CurvePrivateKey => OctetStringRef::new(bytes.as_ref())?.to_der()?,
        DerPrivateKey::EcPrivateKey => EcPrivateKey {
            private_key: bytes.as_ref(),
            parameters: None,
            public_key: Some(public_key(key)?.as_ref()),
        }
        .to_der()?,
        // Only the seed. The encoding has 66 bytes, and is allocated at its full size.
        DerPrivateKey::MlKem(_) => AnyRef::new(SEED, bytes.as_ref())?.to_der()?,
        #[cfg(feature = "all")]
        DerPrivateKey::Seed => return Err(KeyError::FormatLacksKem),
    });
    let octets = OctetStringRef::new(&contents)?;
    Ok(Zeroizing::new(
        PrivateKeyInfo::<_, _, BitStringRef<'_>>::new(row.algorithm(), octets).to_der()?,
    ))
}

/// Writes a public key as SubjectPublicKeyInfo DER.
///
/// # Errors
/// [`KeyError::FormatLacksKem`].
pub fn write_public_der(key: &AnyPublicKey) -> Result<Vec<u8>, KeyError> {
    let algorithm = DerKem::of_kem(key.kem().id)?.algorithm();
    let subject_public_key = BitStringRef::from_bytes(key.as_ref())?;
    Ok(SubjectPublicKeyInfoRef {
        algorithm,
        subject_public_key,
    }
    .to_der()?)
}

const PARAMETERS: KeyError = KeyError::Text(
    "its algorithm has parameters, which RFC 8410 and RFC 9935 forbid; write it again with `openssl pkey -in FILE -out FILE2`",
);
const EC_LENGTH: KeyError = KeyError::Text(
    "its private key does not have the length of its curve (RFC 5915); write it again with `openssl pkey -in FILE -out FILE2`",
);
const COMPRESSED: KeyError = KeyError::Text(
    "its point is compressed, and HPKE's are not (RFC 9180, section 7.1.1); write it again with `openssl ec -pubin -in FILE -conv_form uncompressed -out FILE2`",
);

/// Returns the compressed form of an uncompressed point (SEC 1, section 2.3.3).
fn compressed(key: &AnyPublicKey) -> Vec<u8> {
    let point = &key.as_ref()[1..];
    let (x, y) = point.split_at(point.len() / 2);
    [&[2 | y[y.len() - 1] & 1], x].concat()
}

/// Reports whether it is PKCS#8 under a passphrase.
pub(super) fn is_encrypted(der: &[u8]) -> bool {
    EncryptedPrivateKeyInfo::from_der(der).is_ok()
}

impl DerKem {
    const fn ec(kem: u16, curve: &str) -> Self {
        let curve = Some(ObjectIdentifier::new_unwrap(curve));
        Self {
            kem,
            algorithm: ObjectIdentifier::new_unwrap(EC),
            curve,
            private: DerPrivateKey::EcPrivateKey,
        }
    }

    const fn montgomery(kem: u16, algorithm: &str) -> Self {
        let algorithm = ObjectIdentifier::new_unwrap(algorithm);
        Self {
            kem,
            algorithm,
            curve: None,
            private: DerPrivateKey::CurvePrivateKey,
        }
    }

    #[cfg(feature = "all")]
    const fn ml_kem(kem: u16, algorithm: &str, import: ImportExpanded) -> Self {
        let algorithm = ObjectIdentifier::new_unwrap(algorithm);
        Self {
            kem,
            algorithm,
            curve: None,
            private: DerPrivateKey::MlKem(import),
        }
    }

    fn of_kem(id: u16) -> Result<&'static Self, KeyError> {
        ROWS.iter()
            .find(|row| row.kem == id && row.private.is_written())
            .ok_or(KeyError::FormatLacksKem)
    }

    /// Finds the entry, comparing the parameters too: RFC 8410 and RFC 9935 have none, not even
    /// NULL, and those of a P-curve are the curve.
    fn of_algorithm(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<&'static Self, KeyError> {
        if let Some(row) = ROWS.iter().find(|row| row.algorithm() == *algorithm) {
            return Ok(row);
        }
        let mut other = ROWS.iter().filter(|row| row.algorithm == algorithm.oid);
        match NAMED && other.any(|row| row.curve.is_none()) {
            true => Err(PARAMETERS),
            false => Err(KeyError::UnknownKem),
        }
    }

    fn algorithm(&self) -> AlgorithmIdentifierRef<'_> {
        AlgorithmIdentifierRef {
            oid: self.algorithm,
            parameters: self.curve.as_ref().map(AnyRef::from),
        }
    }

    fn public(&self, bits: BitStringRef<'_>) -> Result<AnyPublicKey, KeyError> {
        let (kem, bytes) = (kem_of(self.kem)?, bits.as_bytes().ok_or(KeyError::Der)?);
        // The coordinate x follows the byte 2 or 3. An uncompressed point has y too.
        match bytes {
            [2 | 3, x @ ..]
                if NAMED && self.curve.is_some() && 2 * x.len() + 1 == kem.info().n_pk =>
            {
                Err(COMPRESSED)
            }
            _ => public_of(kem, bytes),
        }
    }

    fn read_contents(&self, contents: &[u8]) -> Result<AnyPrivateKey, KeyError> {
        let kem = kem_of(self.kem)?;
        match self.private {
            #[cfg(feature = "all")]
            DerPrivateKey::Seed => private_of(kem, contents),
            DerPrivateKey::CurvePrivateKey => {
                private_of(kem, <&OctetStringRef>::from_der(contents)?.as_bytes())
            }
            DerPrivateKey::EcPrivateKey => self.ec_private(&EcPrivateKey::from_der(contents)?),
            DerPrivateKey::MlKem(import) => read_ml_kem(contents, kem, import),
        }
    }

    /// Reads ECPrivateKey. A curve named in it must be the entry's.
    fn ec_private(&self, key: &EcPrivateKey<'_>) -> Result<AnyPrivateKey, KeyError> {
        if key
            .parameters
            .is_some_and(|parameters| parameters.named_curve() != self.curve)
        {
            return Err(KeyError::Der);
        }
        let kem = kem_of(self.kem)?;
        if NAMED && key.private_key.len() != kem.info().n_sk {
            return Err(EC_LENGTH);
        }
        let private = private_of(kem, key.private_key)?;
        match key.public_key {
            Some(point @ [2 | 3, ..]) if NAMED => {
                match point == compressed(&public_key(&private)?) {
                    true => Ok(private),
                    false => Err(KeyError::Mismatch),
                }
            }
            point => check_pair(
                private,
                point.map(|point| public_of(kem, point)).transpose()?,
            ),
        }
    }
}

/// Reads the contents of an ML-KEM private key (RFC 9935, section 6): a CHOICE of its seed, its
/// expanded key, and `SEQUENCE { seed OCTET STRING, expandedKey OCTET STRING }`.
fn read_ml_kem(
    contents: &[u8],
    kem: &DynKem,
    import: ImportExpanded,
) -> Result<AnyPrivateKey, KeyError> {
    let (seed, public) = (kem.info().n_sk, kem.info().n_pk);
    // dk_pke || ek || H(ek) || z (FIPS 203, algorithm 16); ek is dk_pke and 32 bytes.
    let expanded = 2 * public + 32;
    if [seed, expanded].contains(&contents.len()) {
        return Err(EARLIER_DRAFT);
    }
    let choice = AnyRef::from_der(contents)?;
    let value = choice.value();
    match choice.tag() {
        SEED => private_of(kem, value),
        Tag::Sequence => {
            let (seed, expanded) = choice.sequence(|fields| {
                let seed = <&OctetStringRef>::decode(fields)?.as_bytes();
                Ok::<_, KeyError>((seed, <&OctetStringRef>::decode(fields)?.as_bytes()))
            })?;
            let key = private_of(kem, seed)?;
            let same = import(expanded).map_err(|_| KeyError::Mismatch)?;
            match public_key(&same)? == public_key(&key)? && expanded.ends_with(&seed[Z..]) {
                true => Ok(key),
                false => Err(KeyError::Mismatch),
            }
        }
        Tag::OctetString if [seed, expanded + public].contains(&value.len()) => Err(EARLIER_DRAFT),
        Tag::OctetString => {
            check_length(kem, expanded, value)?;
            import(value).map_err(|_| KeyError::Mismatch)
        }
        _ => Err(KeyError::Der),
    }
}

/// Reads `dk_pke || ek || H(ek) || z`. `import_expanded` checks the hash; `dk_pke` is checked by
/// decapsulating an encapsulation to a message of zeros.
#[cfg(feature = "all")]
fn import_expanded<P: ParameterSet>(
    kem: MlKem<P>,
    expanded: &[u8],
) -> Result<AnyPrivateKey, pqseal_hpke::Error> {
    let key = kem.import_expanded(expanded)?;
    pairwise_consistency(&kem, &key, &kem.public_key(&key)?, &[0; 32])?;
    Ok(Erased(kem).wrap_private(key))
}

/// Drops the position in the DER, which is of no use to readers.
impl From<pkcs8::der::Error> for KeyError {
    fn from(_: pkcs8::der::Error) -> Self {
        Self::Der
    }
}
