//! Writes COSE_Key, in deterministic CBOR (RFC 8949, section 4.2.1).

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};
use zeroize::Zeroizing;

use super::{AKP, ALG, CRV, EC2, KID, KTY, ROWS, UNCOMPRESSED, Y};
use crate::{
    Algorithm, KeyError,
    cbor::{BYTES, MAP, write_head},
    public_key,
};

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
        Some((KTY, Value::Number(row.kty))),
        kid.map(|kid| (KID, Value::Bytes(kid))),
        alg.map(|alg| (ALG, Value::Number(alg.cose()))),
        row.crv.map(|crv| (CRV, Value::Number(crv))),
        Some((row.public(), Value::Bytes(x))),
        y.map(|y| (Y, Value::Bytes(y))),
        private.map(|key| (row.private, Value::Bytes(key))),
    ];
    let members: Vec<_> = members.into_iter().flatten().collect();
    // It never grows, which would leave a copy of the key behind: a head has at most 9 bytes.
    let size: usize = members.iter().map(|(_, value)| 18 + value.len()).sum();
    let mut bytes = Zeroizing::new(Vec::with_capacity(9 + size));
    write_head(MAP, members.len(), &mut bytes);
    for (label, value) in members {
        write_number(label, &mut bytes);
        match value {
            Value::Number(number) => write_number(number, &mut bytes),
            Value::Bytes(content) => {
                write_head(BYTES, content.len(), &mut bytes);
                bytes.extend_from_slice(content);
            }
        }
    }
    Ok(bytes)
}

/// A value that is written.
enum Value<'a> {
    Number(i64),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    const fn len(&self) -> usize {
        match self {
            Self::Number(_) => 0,
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// Writes an integer of CBOR: major type 0, or 1 with -1 - n.
fn write_number(number: i64, to: &mut Vec<u8>) {
    let argument = if number < 0 { !number } else { number };
    // Labels and registered numbers are small.
    let argument = usize::try_from(argument).unwrap_or(usize::MAX);
    write_head(u8::from(number < 0), argument, to);
}
