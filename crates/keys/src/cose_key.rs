//! COSE_Key (RFC 9052, section 7): kty EC2, OKP (RFC 9053, section 7) and AKP (RFC 9964), which
//! needs `alg`.
//!
//! Nothing of a key is copied before it is a key: [`CoseKey`] borrows the file.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use zeroize::Zeroizing;

use crate::{
    ALGORITHMS, Algorithm, Key, KeyError,
    cbor::{ARRAY, BYTES, MAP, TEXT, integer, items, string, write_head},
    check_length, check_pair, check_size, expect, kem_of, private_of, public_key, public_of,
};

/// The parameters of a KEM's keys.
struct CoseKem {
    kem: u16,
    kty: i64,
    /// The label of the private key.
    private: i64,
    crv: Option<i64>,
}

impl CoseKem {
    const fn curve(kem: u16, kty: i64, crv: i64) -> Self {
        Self {
            kem,
            kty,
            private: D,
            crv: Some(crv),
        }
    }

    const fn pair(kem: u16) -> Self {
        Self {
            kem,
            kty: AKP,
            private: PRIV,
            crv: None,
        }
    }

    /// Returns the label of the public key, or of its first coordinate.
    const fn public(&self) -> i64 {
        if self.kty == AKP { PUB } else { X }
    }
}

const ROWS: &[CoseKem] = &[
    CoseKem::curve(0x0010, EC2, 1),
    CoseKem::curve(0x0011, EC2, 2),
    CoseKem::curve(0x0012, EC2, 3),
    CoseKem::curve(0x0020, OKP, 4),
    CoseKem::curve(0x0021, OKP, 5),
    CoseKem::pair(0x0041),
    CoseKem::pair(0x0042),
    CoseKem::pair(0x0050),
    CoseKem::pair(0x0051),
    CoseKem::pair(0x647a),
];

const OKP: i64 = 1;
const EC2: i64 = 2;
const AKP: i64 = 7;

/// Labels of the parameters of every key.
const KTY: i64 = 1;
const KID: i64 = 2;
const ALG: i64 = 3;
const KEY_OPS: i64 = 4;
/// Labels of a curve's key.
const CRV: i64 = -1;
const X: i64 = -2;
const Y: i64 = -3;
const D: i64 = -4;
/// Labels of an AKP key.
const PUB: i64 = -1;
const PRIV: i64 = -2;

/// The operation that a private key must allow, if it names any.
const DERIVE_BITS: i64 = 8;
/// The maximum number of labels. Each is compared with those before it.
const MAX_LABELS: usize = 256;
/// The first byte of an uncompressed point (SEC 1, section 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// A COSE_Key whose key is not read yet, for callers that choose by its `alg` and `kid`.
pub struct CoseKey<'a> {
    /// Labels and values, which are data items with their heads.
    members: Vec<[&'a [u8]; 2]>,
    alg: Option<i64>,
    kid: Option<&'a [u8]>,
}

impl<'a> CoseKey<'a> {
    /// Parses the map.
    ///
    /// # Errors
    /// [`KeyError::CoseKey`], [`KeyError::TooLong`].
    pub fn parse(file: &'a [u8]) -> Result<Self, KeyError> {
        check_size(file)?;
        let items = items(file, MAP, 2 * MAX_LABELS).ok_or(NOT_A_MAP)?;
        let (members, _) = items.as_chunks();
        let mut key = Self {
            members: members.to_vec(),
            alg: None,
            kid: None,
        };
        key.check_labels()?;
        key.alg = key.number(ALG, "alg is not an integer")?;
        key.kid = key.bytes(KID, "kid is not a byte string")?;
        Ok(key)
    }

    /// Returns the number of its algorithm, such as [`Algorithm::cose`](crate::Algorithm::cose).
    #[must_use]
    pub const fn alg(&self) -> Option<i64> {
        self.alg
    }

    /// Returns its id.
    #[must_use]
    pub const fn kid(&self) -> Option<&'a [u8]> {
        self.kid
    }

    /// Reads the private key. `kem` is that of `alg`, which an AKP key needs.
    ///
    /// # Errors
    /// The reason why it is not one, such as that it is public.
    pub fn private(&self, kem: Option<&'static DynKem>) -> Result<AnyPrivateKey, KeyError> {
        match self.half(kem)? {
            Key::Private(key) => self.check_operations(true).map(|()| key),
            Key::Public(_) => Err(KeyError::PublicOnly),
        }
    }

    /// Reads the public key, or the public half of a private one. `kem` as in
    /// [`private`](Self::private).
    ///
    /// # Errors
    /// The reason why it is not a key.
    pub fn public(&self, kem: Option<&'static DynKem>) -> Result<AnyPublicKey, KeyError> {
        let key = self.half(kem)?.into_public()?;
        self.check_operations(false).map(|()| key)
    }

    fn half(&self, kem: Option<&'static DynKem>) -> Result<Key, KeyError> {
        let row = self.row(kem)?;
        let kem = kem_of(row.kem)?;
        let private = self.bytes(row.private, WRONG)?;
        let public = match self.bytes(row.public(), WRONG)? {
            // `alg` and the seed are sufficient.
            None if row.kty == AKP && private.is_some() => None,
            _ => Some(self.point(row, kem)?),
        };
        match (private, public) {
            (None, Some(public)) => Ok(Key::Public(public)),
            (private, public) => {
                let key = private_of(kem, private.unwrap_or_default())?;
                check_pair(key, public).map(Key::Private)
            }
        }
    }

    /// Finds the KEM of its curve, or checks that `kem`, by its `alg`, has AKP keys.
    fn row(&self, kem: Option<&'static DynKem>) -> Result<&'static CoseKem, KeyError> {
        let kty = self.number(KTY, "kty is not an integer")?;
        let mut rows = ROWS.iter().filter(|row| Some(row.kty) == kty);
        if kty != Some(AKP) {
            let crv = self.member(CRV).and_then(integer);
            return rows
                .find(|row| row.crv == crv)
                .ok_or(KeyError::CoseKey("its kty or crv is unknown"));
        }
        let kem = kem.ok_or(KeyError::CoseKey("an AKP key has no alg"))?;
        rows.find(|row| row.kem == kem.info().id)
            .ok_or(KeyError::CoseKey("its alg has no AKP keys"))
    }

    /// Finds the KEM of `alg` in [`ALGORITHMS`].
    fn kem(&self) -> Result<Option<&'static DynKem>, KeyError> {
        let Some(number) = self.alg else {
            return Ok(None);
        };
        let alg = ALGORITHMS.iter().find(|alg| alg.cose() == number);
        let alg = alg.ok_or(KeyError::CoseKey("its alg is not an algorithm of HPKE"))?;
        kem_of(alg.suite_id().kem).map(Some)
    }

    /// Reads the public key. A coordinate of EC2 has the size of the field, which is Nsk.
    fn point(&self, row: &CoseKem, kem: &DynKem) -> Result<AnyPublicKey, KeyError> {
        const MISSING: KeyError = KeyError::CoseKey("its public key is missing");
        let x = self.bytes(row.public(), WRONG)?.ok_or(MISSING)?;
        if row.kty != EC2 {
            return public_of(kem, x);
        }
        let y = self.bytes(Y, WRONG)?.ok_or(MISSING)?;
        check_length(kem, kem.info().n_sk, x)?;
        check_length(kem, kem.info().n_sk, y)?;
        public_of(kem, &[&[UNCOMPRESSED], x, y].concat())
    }

    /// Checks key_ops (draft-ietf-cose-hpke, section 3.4): if present, it is `derive bits` for a
    /// private key and empty for a public one. The public half of a private key is accepted with
    /// either.
    fn check_operations(&self, private: bool) -> Result<(), KeyError> {
        let Some(operations) = self.member(KEY_OPS) else {
            return Ok(());
        };
        let allowed = items(operations, ARRAY, MAX_LABELS).is_some_and(|operations| {
            (operations.iter()).all(|item| integer(item) == Some(DERIVE_BITS))
                && !(private && operations.is_empty())
        });
        match allowed {
            true => Ok(()),
            false => Err(KeyError::CoseKey(
                "its key_ops allow something other than deriving bits",
            )),
        }
    }

    /// Checks that labels are integers or text, none of them twice.
    fn check_labels(&self) -> Result<(), KeyError> {
        let mut seen = Vec::with_capacity(self.members.len());
        for [label, _] in &self.members {
            let label = match (integer(label), string(label, TEXT)) {
                (None, None) => {
                    let wrong = "a label is neither an integer nor text";
                    return Err(KeyError::CoseKey(wrong));
                }
                label => label,
            };
            if seen.contains(&label) {
                return Err(KeyError::CoseKey("a label is given twice"));
            }
            seen.push(label);
        }
        Ok(())
    }

    fn member(&self, label: i64) -> Option<&'a [u8]> {
        let mut members = self.members.iter();
        let found = members.find(|[own, _]| integer(own) == Some(label));
        found.map(|[_, value]| *value)
    }

    fn number(&self, label: i64, wrong: &'static str) -> Result<Option<i64>, KeyError> {
        self.member(label)
            .map(|item| integer(item).ok_or(KeyError::CoseKey(wrong)))
            .transpose()
    }

    fn bytes(&self, label: i64, wrong: &'static str) -> Result<Option<&'a [u8]>, KeyError> {
        self.member(label)
            .map(|item| string(item, BYTES).ok_or(KeyError::CoseKey(wrong)))
            .transpose()
    }
}

/// Reads a private key. `alg` is one of [`ALGORITHMS`].
pub(crate) fn read_private(file: &[u8]) -> Result<AnyPrivateKey, KeyError> {
    let key = CoseKey::parse(file)?;
    let kem = key.kem()?;
    let key = key.private(kem)?;
    expect(key.kem().id, kem).map(|()| key)
}

/// Reads a public key like [`read_private`], or the public half of a private one.
pub(crate) fn read_public(file: &[u8]) -> Result<AnyPublicKey, KeyError> {
    let key = CoseKey::parse(file)?;
    let kem = key.kem()?;
    let key = key.public(kem)?;
    expect(key.kem().id, kem).map(|()| key)
}

/// Writes a private key as COSE_Key, in deterministic CBOR. A key of ML-KEM or of a hybrid needs
/// `alg`.
///
/// # Errors
/// [`KeyError::FormatLacksKem`], [`KeyError::Alg`], [`KeyError::Hpke`] for a key that cannot
/// be exported.
pub fn write_private(
    key: &AnyPrivateKey,
    alg: Option<Algorithm>,
    kid: Option<&[u8]>,
) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    write(&public_key(key)?, Some(key.to_bytes()?.as_ref()), alg, kid)
}

/// Writes a public key as COSE_Key, like [`write_private`].
///
/// # Errors
/// Same as [`write_private`].
pub fn write_public(
    key: &AnyPublicKey,
    alg: Option<Algorithm>,
    kid: Option<&[u8]>,
) -> Result<Vec<u8>, KeyError> {
    write(key, None, alg, kid).map(|bytes| bytes.to_vec())
}

fn write(
    key: &AnyPublicKey,
    private: Option<&[u8]>,
    alg: Option<Algorithm>,
    kid: Option<&[u8]>,
) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let row = ROWS.iter().find(|row| row.kem == key.kem().id);
    let row = row.ok_or(KeyError::FormatLacksKem)?;
    if alg.map_or(row.kty == AKP, |alg| alg.suite_id().kem != row.kem) {
        return Err(KeyError::Alg);
    }
    let (x, y) = match key.as_ref() {
        [UNCOMPRESSED, point @ ..] if row.kty == EC2 => {
            let (x, y) = point.split_at(point.len() / 2);
            (x, Some(y))
        }
        whole => (whole, None),
    };
    // In the order of deterministic CBOR: 1, 2, 3, -1, -2, -3, -4.
    let members = [
        Some((KTY, CborValue::Number(row.kty))),
        kid.map(|kid| (KID, CborValue::Bytes(kid))),
        alg.map(|alg| (ALG, CborValue::Number(alg.cose()))),
        row.crv.map(|crv| (CRV, CborValue::Number(crv))),
        Some((row.public(), CborValue::Bytes(x))),
        y.map(|y| (Y, CborValue::Bytes(y))),
        private.map(|key| (row.private, CborValue::Bytes(key))),
    ];
    let members: Vec<_> = members.into_iter().flatten().collect();
    // It never grows, which would leave a copy of the key behind: a head has at most 9 bytes.
    let contents = [Some(x), y, kid, private].into_iter().flatten();
    let size = 9 + 18 * members.len() + contents.map(<[u8]>::len).sum::<usize>();
    let mut bytes = Zeroizing::new(Vec::with_capacity(size));
    write_head(MAP, members.len(), &mut bytes);
    for (label, value) in members {
        write_number(label, &mut bytes);
        match value {
            CborValue::Number(number) => write_number(number, &mut bytes),
            CborValue::Bytes(content) => {
                write_head(BYTES, content.len(), &mut bytes);
                bytes.extend_from_slice(content);
            }
        }
    }
    Ok(bytes)
}

/// A value that is written.
enum CborValue<'a> {
    Number(i64),
    Bytes(&'a [u8]),
}

/// Writes an integer of CBOR: major type 0, or 1 with -1 - n.
fn write_number(number: i64, to: &mut Vec<u8>) {
    let argument = if number < 0 { !number } else { number };
    // Labels and registered numbers are small.
    let argument = usize::try_from(argument).unwrap_or(usize::MAX);
    write_head(u8::from(number < 0), argument, to);
}

const NOT_A_MAP: KeyError =
    KeyError::CoseKey("it is not a map of CBOR with at most 256 labels, or was cut");
const WRONG: &str =
    "a parameter of the key is not a byte string; compressed points are not supported";
