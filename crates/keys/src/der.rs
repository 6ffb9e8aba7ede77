//! Key files as DER: PKCS#8 (RFC 5958) with the keys of RFC 8410, RFC 5480 and RFC 9935, SEC 1 (RFC
//! 5915), SubjectPublicKeyInfo (RFC 5280).
//!
//! Each KEM is one entry of [`ROWS`]. Of the hybrids only MLKEM768-X25519 has one. Its keys are
//! read, but not written: the registered identifiers for such pairs (composite ML-KEM) are not for
//! HPKE's keys. Points are uncompressed, as those of HPKE are, but in ECPrivateKey compressed ones
//! are read too. A public half in a private key is compared with the private one.

mod ml_kem;

use pkcs8::{
    AlgorithmIdentifierRef, ObjectIdentifier, PrivateKeyInfo, PrivateKeyInfoRef,
    SubjectPublicKeyInfo, SubjectPublicKeyInfoRef,
    der::{
        Decode, Encode,
        asn1::{AnyRef, BitStringRef, OctetStringRef},
    },
};
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};
#[cfg(feature = "all")]
use pqseal_kem_pq::{MlKem512, MlKem768, MlKem1024};
use sec1::EcPrivateKey;
use zeroize::Zeroizing;

use super::{KeyError, NAMED, check_pair, kem_of, private_of, public_key, public_of};

/// The DER identifiers of a KEM's keys.
struct Row {
    kem: u16,
    algorithm: ObjectIdentifier,
    curve: Option<ObjectIdentifier>,
    private: Contents,
}

/// The contents of the octets of a PKCS#8 private key.
enum Contents {
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
    MlKem(ml_kem::Import),
}

const ROWS: &[Row] = &[
    Row::ec(0x0010, "1.2.840.10045.3.1.7"),
    Row::ec(0x0011, "1.3.132.0.34"),
    Row::ec(0x0012, "1.3.132.0.35"),
    Row::montgomery(0x0020, "1.3.101.110"),
    Row::montgomery(0x0021, "1.3.101.111"),
    #[cfg(feature = "all")]
    Row::ml_kem(0x0040, "2.16.840.1.101.3.4.4.1", |expanded| {
        ml_kem::import(MlKem512, expanded)
    }),
    #[cfg(feature = "all")]
    Row::ml_kem(0x0041, "2.16.840.1.101.3.4.4.2", |expanded| {
        ml_kem::import(MlKem768, expanded)
    }),
    #[cfg(feature = "all")]
    Row::ml_kem(0x0042, "2.16.840.1.101.3.4.4.3", |expanded| {
        ml_kem::import(MlKem1024, expanded)
    }),
    #[cfg(feature = "all")]
    Row {
        kem: 0x647a,
        algorithm: ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62253.25722"),
        curve: None,
        private: Contents::Seed,
    },
];

/// id-ecPublicKey (RFC 5480, section 2.1.1).
const EC: &str = "1.2.840.10045.2.1";

/// PKCS#8 under a passphrase (RFC 5958, section 3). Its structure is that of SubjectPublicKeyInfo,
/// except for the type of the second field.
type EncryptedPrivateKeyInfo<'a> = SubjectPublicKeyInfo<AnyRef<'a>, &'a OctetStringRef>;

/// Reads PKCS#8 or SEC 1.
pub(super) fn read_private(der: &[u8]) -> Result<AnyPrivateKey, KeyError> {
    if let Ok(info) = PrivateKeyInfoRef::from_der(der) {
        read_pkcs8(&info)
    } else if let Ok(key) = EcPrivateKey::from_der(der) {
        read_sec1(&key)
    } else {
        Err(why_not_private(der))
    }
}

/// Reads SubjectPublicKeyInfo, or the public half of a private key.
pub(super) fn read_public(der: &[u8]) -> Result<AnyPublicKey, KeyError> {
    let Ok(info) = SubjectPublicKeyInfoRef::from_der(der) else {
        return public_key(&read_private(der)?);
    };
    Row::of_algorithm(&info.algorithm)?.public(info.subject_public_key)
}

/// Writes PKCS#8 of version 1, as OpenSSL does, with the public key of P-curves in ECPrivateKey.
pub(super) fn write_private(key: &AnyPrivateKey) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let row = Row::of_kem(key.kem().id)?;
    let contents = row.write_contents(key)?;
    let octets = OctetStringRef::new(&contents)?;
    Ok(Zeroizing::new(
        PrivateKeyInfo::<_, _, BitStringRef<'_>>::new(row.algorithm(), octets).to_der()?,
    ))
}

/// Writes SubjectPublicKeyInfo.
pub(super) fn write_public(key: &AnyPublicKey) -> Result<Vec<u8>, KeyError> {
    let algorithm = Row::of_kem(key.kem().id)?.algorithm();
    let subject_public_key = BitStringRef::from_bytes(key.as_ref())?;
    Ok(SubjectPublicKeyInfoRef {
        algorithm,
        subject_public_key,
    }
    .to_der()?)
}

fn read_pkcs8(info: &PrivateKeyInfoRef<'_>) -> Result<AnyPrivateKey, KeyError> {
    let row = Row::of_algorithm(&info.algorithm)?;
    let key = row.read_contents(info.private_key.as_bytes())?;
    check_pair(
        key,
        info.public_key.map(|bits| row.public(bits)).transpose()?,
    )
}

/// Reads a SEC 1 file, which names its curve itself.
fn read_sec1(key: &EcPrivateKey<'_>) -> Result<AnyPrivateKey, KeyError> {
    let curve = key
        .parameters
        .and_then(|parameters| parameters.named_curve())
        .ok_or(KeyError::Der)?;
    ROWS.iter()
        .find(|row| row.curve == Some(curve))
        .ok_or(KeyError::UnknownKem)?
        .ec_private(key)
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

fn why_not_private(der: &[u8]) -> KeyError {
    if SubjectPublicKeyInfoRef::from_der(der).is_ok() {
        KeyError::PublicOnly
    } else if is_encrypted(der) {
        KeyError::Encrypted
    } else {
        KeyError::Der
    }
}

/// Reports whether it is PKCS#8 under a passphrase.
pub(super) fn is_encrypted(der: &[u8]) -> bool {
    EncryptedPrivateKeyInfo::from_der(der).is_ok()
}

impl Row {
    const fn is_written(&self) -> bool {
        match self.private {
            #[cfg(feature = "all")]
            Contents::Seed => false,
            _ => true,
        }
    }

    const fn ec(kem: u16, curve: &str) -> Self {
        let curve = Some(ObjectIdentifier::new_unwrap(curve));
        Self {
            kem,
            algorithm: ObjectIdentifier::new_unwrap(EC),
            curve,
            private: Contents::EcPrivateKey,
        }
    }

    const fn montgomery(kem: u16, algorithm: &str) -> Self {
        let algorithm = ObjectIdentifier::new_unwrap(algorithm);
        Self {
            kem,
            algorithm,
            curve: None,
            private: Contents::CurvePrivateKey,
        }
    }

    #[cfg(feature = "all")]
    const fn ml_kem(kem: u16, algorithm: &str, import: ml_kem::Import) -> Self {
        let algorithm = ObjectIdentifier::new_unwrap(algorithm);
        Self {
            kem,
            algorithm,
            curve: None,
            private: Contents::MlKem(import),
        }
    }

    fn of_kem(id: u16) -> Result<&'static Self, KeyError> {
        ROWS.iter()
            .find(|row| row.kem == id && row.is_written())
            .ok_or(KeyError::FormatLacksKem)
    }

    /// Finds the entry, comparing the parameters too: RFC 8410 and RFC 9935 have none, not even
    /// NULL, and those of a P-curve are the curve.
    fn of_algorithm(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<&'static Self, KeyError> {
        let same = || ROWS.iter().filter(|row| row.algorithm == algorithm.oid);
        let why = || match NAMED && same().any(|row| row.curve.is_none()) {
            true => PARAMETERS,
            false => KeyError::UnknownKem,
        };
        same()
            .find(|row| row.algorithm() == *algorithm)
            .ok_or_else(why)
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
            Contents::Seed => private_of(kem, contents),
            Contents::CurvePrivateKey => {
                private_of(kem, <&OctetStringRef>::from_der(contents)?.as_bytes())
            }
            Contents::EcPrivateKey => self.ec_private(&EcPrivateKey::from_der(contents)?),
            Contents::MlKem(import) => ml_kem::read(contents, kem, import),
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

    fn write_contents(&self, key: &AnyPrivateKey) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let bytes = kem_of(self.kem)?.serialize_private_key(key)?;
        Ok(Zeroizing::new(match self.private {
            Contents::CurvePrivateKey => OctetStringRef::new(bytes.as_ref())?.to_der()?,
            Contents::EcPrivateKey => {
                let public = public_key(key)?;
                let public_key = Some(public.as_ref());
                EcPrivateKey {
                    private_key: bytes.as_ref(),
                    parameters: None,
                    public_key,
                }
                .to_der()?
            }
            Contents::MlKem(_) => ml_kem::write(bytes.as_ref())?,
            #[cfg(feature = "all")]
            Contents::Seed => return Err(KeyError::FormatLacksKem),
        }))
    }
}

/// Drops the position in the DER, which is of no use to readers.
impl From<pkcs8::der::Error> for KeyError {
    fn from(_: pkcs8::der::Error) -> Self {
        Self::Der
    }
}
